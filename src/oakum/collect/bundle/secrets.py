"""The secrets of a call -> what takes them out of bytes and texts, before anything is written.

Same length goes in for a secret, so that a profile stays a profile: its string table counts bytes.
"""

import base64
import re
import zlib
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, quote_plus

from oakum.model import Buffer

_SHORTEST = 4  # shorter ones are found by chance everywhere, and protect nothing
_MOST = 1 << 30  # bytes of a compressed capture that are searched
# http://admin:hunter2@10.0.0.7:6060/
_USERINFO = re.compile(r"(?<=://)[^/@\s?#'\"]{1,1024}@")


class Secrets:
    """What must never be written."""

    def __init__(self, secrets: tuple[bytes, ...] | Callable[[], tuple[bytes, ...]] = ()) -> None:
        """Take what they are, or what tells it: more become known while a capture runs, as plugins hand out tokens."""
        self._known = secrets if callable(secrets) else lambda: secrets

    def __repr__(self) -> str:
        return "Secrets(...)"

    def without(self, data: Buffer) -> tuple[Buffer, bool]:
        """Return bytes without the secrets, looked for inside gzip too, and whether there were any."""
        found = _pattern(self._known())
        if found is None:
            return data, False
        plain, packed = _unpacked(data)
        if found.search(plain) is None:
            return data, False
        clean = found.sub(_stars, plain)
        if not packed:
            return clean, True
        deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
        return deflate.compress(clean) + deflate.flush(), True

    def told(self, text: str) -> str:
        """Return a sentence, a command or an address without the secrets and without user and password."""
        text = _USERINFO.sub("", text)
        found = _pattern(self._known())
        if found is None:
            return text
        return found.sub(_stars, text.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")


@lru_cache(8)
def _pattern(secrets: tuple[bytes, ...]) -> re.Pattern[bytes] | None:
    """Return what finds the secrets in every form in which they are sent; None when there is none."""
    forms: set[bytes] = set()
    for secret in secrets:
        if len(secret) < _SHORTEST:
            continue
        text = secret.decode("utf-8", "surrogateescape")
        forms |= {secret, base64.b64encode(secret), quote(text, safe="", errors="surrogateescape").encode()}
        forms |= {quote_plus(text, safe="", errors="surrogateescape").encode(), base64.urlsafe_b64encode(secret)}
    return re.compile(b"|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None


def _stars(found: re.Match[bytes]) -> bytes:
    return b"*" * len(found[0])


def _unpacked(data: Buffer) -> tuple[Buffer, bool]:
    """Return what a gzip stream holds, and whether it is one; one that is broken is searched as it is."""
    if bytes(data[:3]) != b"\x1f\x8b\x08":
        return data, False
    parts, size, rest = [], 0, bytes(data)
    try:
        while rest[:3] == b"\x1f\x8b\x08" and size < _MOST:
            stream = zlib.decompressobj(31)
            parts.append(stream.decompress(rest, _MOST - size))
            size += len(parts[-1])
            if not stream.eof:
                return data, False
            rest = stream.unused_data
    except zlib.error:
        return data, False
    return b"".join(parts), True


__all__ = ["Secrets"]
