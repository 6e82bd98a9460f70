"""Who knows the token: a session in a signed cookie after the login form, or the token itself from a program.

The key is of this process: a restart ends all sessions. What is compared is compared in constant time.
"""

import hmac
import secrets
from collections.abc import Callable
from hashlib import sha256
from time import time
from typing import Literal

from oakum.web.security.rates import Rates

Attempt = Literal["right", "wrong", "blocked"]

COOKIE = "oakum-session"
LASTS = 12 * 3600  # seconds: a shift


class Sessions:
    def __init__(self, token: str, clock: Callable[[], float] = time) -> None:
        self._token = token.encode()
        self._key = secrets.token_bytes(32)
        self._clock = clock
        self._wrong = Rates(per_second=0.1, burst=10)  # wrong tokens of an address: then one in ten seconds

    def attempt(self, client: str, given: str) -> Attempt:
        """Return what became of a token that somebody gave; who gave many wrong ones is not looked at for a while."""
        if not self._wrong.has_left(client):
            return "blocked"
        if self._token and hmac.compare_digest(self._token, given.encode("utf-8", "replace")):
            return "right"
        self._wrong.admits(client)
        return "wrong"

    def open(self) -> str:
        """Return the cookie of a new session."""
        text = f"{secrets.token_urlsafe(12)}.{int(self._clock()) + LASTS}"
        return f"{text}.{self._signed(text)}"

    def is_valid(self, cookie: str) -> bool:
        text, _, signature = cookie.rpartition(".")
        ends = text.rpartition(".")[2]
        if not hmac.compare_digest(self._signed(text).encode(), signature.encode("utf-8", "replace")):
            return False
        return ends.isascii() and ends.isdigit() and int(ends) > self._clock()

    def _signed(self, text: str) -> str:
        return hmac.new(self._key, text.encode("utf-8", "replace"), sha256).hexdigest()
