"""A program -> the Go version and the lines of its modules, as Go's linker put them there; None for other languages.

Since Go 1.13 they follow a mark: as strings since 1.18, as pointers to strings before. Go 1.12 has no mark: the lines
stand between two others, the version is found by the pointer of runtime.buildVersion.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from oakum.parse.binaries import function_names
from oakum.parse.binaries.image import Image, places
from oakum.regex import regex

_MARK = b"\xff Go buildinf:"  # and two bytes: the size of a pointer, and flags
_INLINE = 2  # the other flag is the byte order, which the header of the file has too
_HEADER = 32  # bytes; also where the strings follow
_ALIGNED = 16
# What the go command writes before and after the lines of the modules.
_BEFORE = bytes.fromhex("3077af0c9274080241e1c107e6d618e6")
_AFTER = bytes.fromhex("f932433186182072008242104116d8f2")
# A listing of kubernetes' 200 modules has 20 kB; a version 40 bytes at most.
_MOST_LINES, _MOST_VERSION = 16 << 20, 1 << 10
_MOST_MARKS = 1000  # one in a real program
_MOST_DATA = 64 << 20
# go1.26.8   go1.12   go1.13rc1   go1.19.8 X:nocoverageredesign   devel +6e8b6e1 Tue ...   devel go1.27-abc
_VERSION = regex(rb"go1(?:\.\d{1,3}){0,2}(?:(?:rc|beta)\d{1,3})?(?:[ +-][ -~]{1,200})?|devel [ -~]{1,200}")
# go1.12.6     where nothing says how long it is: in a program, other strings follow without a gap
_BARE = regex(rb"go1\.(\d{1,2})(?:\.(\d)(?!\d))?")


class BuildInfo(NamedTuple):
    version: str | None
    lines: str | None  # "" when the program was built outside a module; None when they are cut or damaged


def read(image: Image) -> BuildInfo | None:
    """Return what a Go program says of its build; None when there is no sign that Go built it."""
    if noted := _noted(image):
        return noted
    if not function_names.is_go(image):
        return None
    lines = _lines(image)
    return BuildInfo(_version(image), None if lines is None else _unframed(lines))


def _lines(image: Image) -> bytes | None:
    """Return the lines with what stands before and after them, wherever they are."""
    for start in islice(places(image.data, _BEFORE, image.ranges()), _MOST_MARKS):
        first = start + len(_BEFORE)
        if bytes(image.data[first : first + 5]).startswith((b"path\t", b"mod\t")):
            raw = bytes(image.data[start : start + _MOST_LINES])
            return raw[: raw.find(_AFTER) + len(_AFTER)] if _AFTER in raw else None
    return b""


def _noted(image: Image) -> BuildInfo | None:
    """Return what follows the mark, since Go 1.13."""
    own = image.part(".go.buildinfo", "__go_buildinfo")
    ranges = [(own.start, own.end)] if own else image.ranges(writable=True)
    for start in islice(places(image.data, _MARK, ranges), _MOST_MARKS):
        header = bytes(image.data[start : start + _HEADER])
        if start % _ALIGNED or len(header) < _HEADER:
            continue
        word, flags = header[14:16]
        if flags & _INLINE:
            version, after = _counted(image, start + _HEADER, _MOST_VERSION)
            lines = _counted(image, after, _MOST_LINES)[0] if _is_version(version) else None
        elif word in (4, 8):
            version = _pointed(image, header[16 : 16 + word], _MOST_VERSION)
            lines = _pointed(image, header[16 + word : 16 + 2 * word], _MOST_LINES)
        else:
            continue
        if version is not None and _is_version(version):
            return BuildInfo(version.decode("latin-1"), None if lines is None else _unframed(lines))
    return None


def _is_version(text: bytes | None) -> bool:
    return text is not None and _VERSION.fullmatch(text) is not None


def _counted(image: Image, at: int, most: int) -> tuple[bytes | None, int]:
    """Return the string whose length stands before it as a varint, and where it ends; None when it is not there."""
    raw = bytes(image.data[at : at + 10])
    size = 0
    for row, byte in enumerate(raw):
        size |= (byte & 0x7F) << (7 * row)
        if byte < 0x80:
            begin = at + row + 1
            text = bytes(image.data[begin : begin + size]) if size <= most else b""
            return (text if len(text) == size else None), begin + size
    return None, at


def _pointed(image: Image, pointer: bytes, most: int) -> bytes | None:
    """Return the Go string whose header, an address and a length, lies where the pointer says; None without it."""
    word = len(pointer)
    header = image.at(image.number(pointer), 2 * word)
    if len(header) < 2 * word:
        return None
    size = image.number(header[word:])
    text = image.at(image.number(header[:word]), size) if size <= most else b""
    return text if len(text) == size else None


def _unframed(lines: bytes) -> str:
    """Return the lines between what the go command writes before and after them."""
    framed = len(lines) >= len(_BEFORE) + 1 + len(_AFTER) and lines[-len(_AFTER) - 1 : -len(_AFTER)] == b"\n"
    return lines[len(_BEFORE) : -len(_AFTER)].decode("utf-8", "replace") if framed else ""


def _version(image: Image) -> str | None:
    """Return the version of Go 1.12 and before: the one string of its form that a variable of the program points to."""
    addresses = _versions_at(image)
    pointed = {text.decode("latin-1") for text in _pointed_to(image, addresses) if _is_version(text)}
    if not pointed:  # where a program can be loaded anywhere, addresses are filled in when it is
        bare = {_BARE.match(image.at(address, 16)) for address in addresses}
        pointed = {found[0].decode("latin-1") for found in bare if found}
    return pointed.pop() if len(pointed) == 1 else None


def _versions_at(image: Image) -> list[int]:
    """Return the addresses of constants that begin like a version."""
    starts = islice(places(image.data, b"go1.", image.ranges(writable=False)), _MOST_MARKS)
    parts = ((start, next(p for p in image.loaded if p.start <= start < p.end)) for start in starts)
    return [address for start, part in parts if (address := part.address + start - part.start) < 1 << 64]


def _pointed_to(image: Image, addresses: list[int]) -> Iterator[bytes]:
    """Yield the strings at these addresses of which a variable holds the address and the length."""
    wanted = np.array(addresses, dtype=np.uint64)
    kind = np.dtype(f"{'>' if image.order == 'big' else '<'}u{image.word}")
    for start, end in image.ranges(writable=True) if addresses else ():
        count = min(end - start, _MOST_DATA) // image.word
        if count < 2:
            continue
        words = np.frombuffer(image.data, kind, count, start)
        near = np.flatnonzero((words[:-1] >= wanted.min()) & (words[:-1] <= wanted.max()))
        for at in near[np.isin(words[near], wanted)][:_MOST_MARKS].tolist():
            yield image.at(int(words[at]), min(int(words[at + 1]), _MOST_VERSION))
