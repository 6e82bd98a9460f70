"""A program -> the names of functions that are linked into it, from the table that Go's own stack traces are made of.

The table stays when symbols are stripped. In it are the names of functions that were inlined everywhere too. Of other
functions than those asked for nothing is kept: a large program has a million.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from oakum.model import normal_function
from oakum.parse.binaries.image import Image

_PARTS = (".gopclntab", ".data.rel.ro.gopclntab", "__gopclntab")
# The first word of the table; its layout since Go 1.2, 1.16, 1.18, 1.20.
_GO_1_2, _GO_1_16, _GO_1_18, _GO_1_20 = 0xFFFFFFFB, 0xFFFFFFFA, 0xFFFFFFF0, 0xFFFFFFF1
# .go.buildinfo   .note.go.buildid   .gopclntab   __gosymtab     but not .got; where sections have names
_OF_GO = re.compile(r"\.go[.ps]|__go[ps_]")
_STEP = 4 << 20  # bytes looked at in one go
_MOST_TABLE = 256 << 20  # a program of 700 MB has 50 MB of names
_MOST_FOUND = 1 << 20  # functions of the packages that are asked for
_MOST_TRIED = 1000  # places that look like the beginning of the table; there is one in a real program
# The glob's star, not the pointer's: k8s.io/klog/v*.(*flushDaemon).run
_STAR = re.compile(r"(?<!\()\*")
# four bytes of a longer name before the name; before Go 1.16, numbers may be there
_NAME = re.compile(rb"[\w./~%()*-]{4}")


class _Names(NamedTuple):
    """The part of the table that holds the names."""

    text: bytes
    apart: bool  # nothing but names, each ended by a zero, is in it


def is_go(image: Image) -> bool:
    """Tell whether the program has such a table, also one that somebody made unreadable (garble)."""
    return image.part(*_PARTS) is not None or _header(image) is not None


def names(image: Image, wanted: Iterable[str]) -> frozenset[str] | None:
    """Return which of these functions are linked in; None when there is no telling.

    They are compared as `normal_function` has them, and may have stars as in the catalogue: closures of one function
    are alike, vendored packages are those that were vendored. What the standard library vendors is not.
    """
    table = _names(image)
    # Names that somebody scrambled (garble) do not tell what is linked in.
    if table is None or b"runtime.main\0" not in table.text:
        return None
    asked: dict[bytes, list[str]] = {}
    for name in wanted:
        asked.setdefault(_head(name), []).append(name)
    if b"" in asked:
        return None  # a star at the beginning: any package
    linked = set()
    left = _MOST_FOUND
    for head, several in asked.items():
        found = set()
        for one in _beginning_with(table, head):
            found.add(normal_function(one.decode("utf-8", "replace")))
            left -= 1
            if not left:
                return None
        linked |= {name for name in several if _is_among(name, found)}
    return frozenset(linked)


def _head(name: str) -> bytes:
    """Return what the names in the table begin with: the package, as far as it has no star and no escape."""
    plain = _STAR.split(name, maxsplit=1)[0]
    dot = plain.find(".", plain.rfind("/", 0, (plain + "(").find("(")) + 1)
    return (plain[: dot if dot > 0 else len(plain)].partition("[")[0]).encode("utf-8", "replace")


def _is_among(name: str, found: set[str]) -> bool:
    plain = normal_function(name)
    if plain.endswith(".func"):
        # Go calls closures after the function that their own was inlined into, some releases; its own is there anyway.
        return _is_among(plain.removesuffix(".func"), found)
    if not _STAR.search(plain):
        return plain in found or f"{plain}.func" in found
    glob = re.compile(".*".join(map(re.escape, _STAR.split(plain))), re.DOTALL)
    return any(glob.fullmatch(one) for one in found)


def _beginning_with(table: _Names, head: bytes) -> Iterator[bytes]:
    """Yield the names that begin so, also behind a vendor prefix, which is left out."""
    text, at = table.text, -1
    while (at := text.find(head, at + 1)) >= 0:
        before = text[max(0, at - 16) : at]
        begins = not before or before[-1] == 0 or before.endswith((b"/vendor/", b"/_workspace/src/"))
        if begins or not (table.apart or _NAME.fullmatch(before[-4:])):
            end = text.find(b"\0", at, at + 4096)
            if end > 0:
                yield text[at:end]


def _names(image: Image) -> _Names | None:
    found = _header(image)
    if found is None:
        return None
    start, layout, words = found
    word = image.word
    if layout == _GO_1_2:
        # Functions, each with an address and where it is described; then where the table of files is. Between them,
        # descriptions, names and numbers by turns.
        functions = 8 + word + 2 * word * words[0]
        end = image.number(bytes(image.data[start + functions + word : start + functions + word + 4]))
        first, apart = functions, False
    else:
        first, end = words[2:4] if layout == _GO_1_16 else words[3:5]
        apart = True
    text = bytes(image.data[start + first : start + end]) if first < end <= _MOST_TABLE else b""
    return _Names(text, apart) if len(text) == end - first else None


def _header(image: Image) -> tuple[int, int, tuple[int, ...]] | None:
    """Return where the table begins, its layout, and the words of its header."""
    if (part := image.part(*_PARTS)) and (found := _header_at(image, part.start)):
        return found
    if image.named and not any(_OF_GO.search(part.name) for part in image.named):
        return None
    starts = islice(_like_headers(image), _MOST_TRIED)
    return next((found for start in starts if (found := _header_at(image, start))), None)


def _like_headers(image: Image) -> Iterator[int]:
    """Yield where something stands that looks like the header: a magic word, two zeros, and the size of a pointer."""
    order = ">" if image.order == "big" else "<"
    zeros, size = (0xFFFF0000, 0xFF) if image.order == "big" else (0xFFFF, 0xFF000000)
    mask = zeros | size
    expected = image.word if image.order == "big" else image.word << 24
    for begin, end in image.ranges():
        for start in range(begin & -8, end - 7, _STEP):  # the table lies on a boundary of 8 bytes, or of 32
            words = np.frombuffer(image.data, f"{order}u4", min(_STEP, end - start) // 4, start)
            (high,) = np.nonzero(words[:-1] >= _GO_1_18)  # the smallest of them
            for at in high[words[high + 1] & mask == expected].tolist():
                yield start + 4 * at


def _header_at(image: Image, start: int) -> tuple[int, int, tuple[int, ...]] | None:
    word = image.word
    raw = bytes(image.data[start : start + 8 + 8 * word])
    if len(raw) < 8 + 8 * word:
        return None
    layout = image.number(raw[:4])
    if layout not in (_GO_1_2, _GO_1_16, _GO_1_18, _GO_1_20) or raw[4:6] != b"\0\0":
        return None
    if raw[6] not in (1, 2, 4) or raw[7] != word:
        return None
    words = tuple(image.number(raw[at : at + word]) for at in range(8, len(raw), word))
    if not 0 < words[0] < len(image.data) or (layout != _GO_1_2 and not words[3] < words[4] < len(image.data)):
        return None
    return start, layout, words
