"""Tokens of forms: what another site cannot know, bound to the cookie of whoever was given the form."""

import hmac
import secrets
from hashlib import sha256

COOKIE = "oakum-visitor"
FIELD = "form-token"
HEADER = "x-oakum-form-token"  # for htmx, and scripts of ours


class FormTokens:
    """Signs with a key of this process: a form that was given before a restart is to be loaded again."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def visitor(self) -> str:
        return secrets.token_urlsafe(18)

    def token(self, visitor: str) -> str:
        return hmac.new(self._key, visitor.encode(), sha256).hexdigest()

    def fits(self, visitor: str, token: str) -> bool:
        return bool(visitor) and hmac.compare_digest(self.token(visitor).encode(), token.encode("utf-8", "replace"))
