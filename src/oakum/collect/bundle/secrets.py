"""The secrets of a call -> what takes them out of bytes and texts, before anything is written.

Same length goes in for a secret, so that a profile stays a profile: its string table counts bytes.
"""

import base64
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from urllib.parse import quote, quote_plus

from oakum.model import Buffer

_SHORTEST = 4  # shorter ones are found by chance everywhere, and protect nothing
_MOST = 1 << 30  # bytes of a compressed capture that are searched
_PIECE = 1 << 20  # of them at once: what unpacks to a gigabyte does not fit into memory everywhere
_GIVEN = 1 << 14  # packed bytes at once: after each of many small streams, the rest of these is copied
_LONGEST = 1 << 16  # bytes of a secret, in whatever form
_GZIP = b"\x1f\x8b\x08"
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
        if bytes(data[:3]) != _GZIP:
            return (found.sub(_stars, data), True) if found.search(data) else (data, False)
        if not _stands_in(found, _unpacked(data)):
            return data, False
        # What is broken or cut comes out whole, as far as it went.
        deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
        return deflate.compress(found.sub(_stars, b"".join(_unpacked(data)))) + deflate.flush(), True

    def hidden(self, text: str) -> str:
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


def _stands_in(found: re.Pattern[bytes], pieces: Iterable[bytes]) -> bool:
    end = b""
    for piece in pieces:
        if found.search(end + piece):
            return True
        end = (end + piece)[-_LONGEST:]
    return False


def _unpacked(data: Buffer) -> Iterator[bytes]:
    """Yield what gzip streams hold, as far as they go; what a gateway has packed once more, unpacked twice."""
    pieces = _inflated(bytes(data[at : at + _GIVEN]) for at in range(0, len(data), _GIVEN))
    first = next(pieces, b"")
    whole = chain((first,), pieces)
    size = 0
    for piece in _inflated(whole) if first.startswith(_GZIP) else whole:
        yield piece
        size += len(piece)
        if size > _MOST:
            return


def _inflated(packed: Iterable[bytes]) -> Iterator[bytes]:
    stream = None
    for chunk in packed:
        while chunk:
            stream = stream or zlib.decompressobj(31)
            try:
                piece = stream.decompress(chunk, _PIECE)
            except zlib.error:
                return
            chunk = stream.unused_data if stream.eof else stream.unconsumed_tail
            stream = None if stream.eof else stream
            if piece:
                yield piece
