"""The credentials of this process: noted when they are read or sent, so that whatever is written can be freed of them.

Comes in: headers and passwords, from command line, addresses, kubeconfigs, token files as they rotate. Goes out: bytes.
"""

import re
from collections.abc import Mapping

from oakum.model import Text

_known: dict[bytes, None] = {}  # the newest last
_MOST = 4096  # a token that rotates hourly for half a year; whoever lives on has nothing of it left to write
_SHORTEST = 4  # shorter ones are found by chance everywhere, and protect nothing
_SHORTEST_PART = 8  # of a header: `Basic`, `true` are no secrets

# Authorization   Proxy-Authorization   Cookie   X-Api-Key   X-Vault-Token   X-Auth-Request   Grafana-Session
_SENSITIVE = re.compile(r"auth|cookie|token|key|secret|passw|session|credential", re.IGNORECASE)


def is_sensitive(header: str) -> bool:
    """Tell whether a header is one that says who asks."""
    return _SENSITIVE.search(header) is not None


def note(*secrets: str | None) -> None:
    """Remember what must never be written."""
    for secret in (one.encode("utf-8", "surrogateescape") for one in secrets if one):
        _known.pop(secret, None)
        _known[secret] = None
    while len(_known) > _MOST:
        del _known[next(iter(_known))]


def note_headers(headers: Mapping[str, str]) -> None:
    """Remember the credentials among the headers of a request: `Bearer X` whole, and X; the values of cookies."""
    for name, value in headers.items():
        if is_sensitive(name):
            parts = [value, *value.split(), *re.split(r"[=;\s]+", value)]
            note(*(part for part in parts if len(part) >= _SHORTEST_PART))


def known() -> tuple[bytes, ...]:
    """Return what must never be written, the longest first."""
    return tuple(sorted(_known, key=lambda secret: (-len(secret), secret)))


def hidden(text: str) -> str:
    """Return a sentence without credentials: servers like to repeat the token that they refuse."""
    for secret in known():
        if len(secret) >= _SHORTEST:
            text = text.replace(secret.decode("utf-8", "surrogateescape"), "***")
    return text


def hidden_in(text: Text) -> Text:
    """Return a sentence whose words have no credentials in them."""
    parts = {
        name: hidden_in(value) if isinstance(value, Text) else hidden(value) if isinstance(value, str) else value
        for name, value in text.args.items()
    }
    return Text(text.key, parts)
