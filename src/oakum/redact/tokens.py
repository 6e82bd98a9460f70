"""Words -> tokens: the same word and key give the same token, without the key nobody comes back from it."""

import base64
import re
import secrets
from functools import cache
from hashlib import blake2b

from oakum.redact.public import LEADING, STOPPING, Public

# An IPv4 address; the port behind it is none of it.
_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_LOCAL = ("127.", "0.0.0.0", "255.255.255.255")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|_+")
_LOWEST, _HIGHEST = 0x10000, 1 << 48  # what can be an address of a Go object


class Tokens:
    def __init__(self, key: bytes | None = None) -> None:
        # A key of any length: people type them.
        self._key = blake2b(key if key is not None else secrets.token_bytes(32), digest_size=32).digest()
        self.word = cache(self._word)
        self.address = cache(self._address)

    def __repr__(self) -> str:
        return "Tokens(...)"

    def _number(self, kind: str, text: str) -> int:
        raw = f"{kind}:{text}".encode("utf-8", "surrogateescape")
        return int.from_bytes(blake2b(raw, key=self._key, digest_size=8).digest())

    def _word(self, text: str) -> str:
        """Return a token that can stand wherever a name can: x and ten letters or digits."""
        raw = self._number("word", text).to_bytes(8)
        return "x" + base64.b32encode(raw).decode("ascii")[:10].lower()

    def identifier(self, name: str, public: Public) -> str:
        """Return the token of a Go identifier; exported stays exported, and how it begins may tell what it does."""
        if public.name(name):
            return name
        parts = [part.lower() for part in _PART.findall(name)]
        if parts and all(part in LEADING or part in STOPPING for part in parts):
            return name  # GracefulStop
        low = name.lower()
        lead = next((word for word in LEADING if low.startswith(word) and low != word), "")
        token = self.word(name)
        if lead:
            return name[: len(lead)] + token.capitalize()
        return token.capitalize() if name[:1].isupper() else token

    def host(self, name: str) -> str:
        """Return the token of a host's name; addresses stay addresses, and what is this machine stays."""
        if name in ("localhost", "::1", "::", "*") or name.startswith(_LOCAL):
            return name
        number = self._number("host", name)
        if _IPV4.fullmatch(name):
            return f"10.{number & 255}.{number >> 8 & 255}.{number >> 16 & 255}"
        if ":" in name:
            return f"fd00::{number & 0xFFFF:x}:{number >> 16 & 0xFFFF:x}:{number >> 32 & 0xFFFF:x}"
        return f"{self.word(name)}.invalid"

    def _address(self, word: int) -> str:
        """Return what is printed for a word of a stack: distances between addresses near each other are kept.

        Locks are told apart, and found in their objects, by them. What can be no address is not printed.
        """
        if word == 0:
            return "0x0"
        if not _LOWEST <= word < _HIGHEST:
            return "_"
        high, low = word >> 32, word & 0xFFFFFFFF
        moved = self._number("address", str(high))
        if high == 0:
            room = (1 << 32) - _LOWEST
            return f"{(low - _LOWEST + (moved & ~7)) % room + _LOWEST:#x}"
        place = 0x1000 + (moved >> 32) % 0x6000
        return f"{place << 32 | (low + (moved & 0xFFFFFFF8)) & 0xFFFFFFFF:#x}"
