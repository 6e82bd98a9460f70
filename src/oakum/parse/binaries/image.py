"""A program as it lies in its file: the parts that are loaded, the parts that have names, where an address is.

Nothing is copied but what is asked for: a program may have hundreds of megabytes. Nothing here raises on bad headers;
parts that lie beyond the end of the file are cut to what is there, and `missing` says how much that takes away.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple

from msgspec import Struct

from oakum.model import Buffer

_STEP = 4 << 20  # bytes looked at in one go
_MOST_LOADED = 256  # a dozen in real programs


class Part(NamedTuple):
    """A segment or section: where it lies in memory and in the file."""

    name: str  # "" for an ELF segment
    address: int
    start: int
    size: int  # in the file
    writable: bool = False
    room: int = 0  # in memory: what goes beyond the file begins as zeros

    @property
    def end(self) -> int:
        return self.start + self.size


class Image(Struct, frozen=True):
    """One program; a universal file of macOS holds several."""

    data: Buffer
    kind: tuple[str, str, str]  # "an ELF", "program", "amd64"
    order: Literal["little", "big"]
    word: int  # bytes of a pointer: 4 or 8
    loaded: tuple[Part, ...]
    named: tuple[Part, ...]
    missing: int = 0  # bytes that the headers promise and the file has not

    @property
    def called(self) -> dict[str, str]:
        """Return what a problem of it says that it is."""
        return dict(zip(("system", "kind", "machine"), self.kind, strict=True))

    def number(self, raw: bytes) -> int:
        """Return a number in the byte order of the program."""
        return int.from_bytes(raw, self.order)

    def part(self, *names: str) -> Part | None:
        return next((part for part in self.named if part.name in names and part.size), None)

    def at(self, address: int, size: int) -> bytes:
        """Return so many bytes as lie at an address in memory; fewer, or none, where nothing is."""
        for part in self.loaded:
            inside = address - part.address
            if 0 <= inside < max(part.size, part.room):
                start = part.start + inside
                there = bytes(self.data[start : min(start + size, part.end)])
                return there.ljust(min(size, part.room - inside), b"\0")
        return b""

    def ranges(self, writable: bool | None = None) -> list[tuple[int, int]]:
        """Return the stretches of the file that are loaded (those that the program can write to, or not), each once."""
        wanted = sorted((p.start, p.end) for p in self.loaded if p.size and writable in (None, p.writable))
        merged: list[tuple[int, int]] = []
        for start, end in wanted:
            if merged and start <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        return merged


def image(
    data: Buffer,
    kind: tuple[str, str, str],
    layout: tuple[str, int],
    loaded: Iterable[Part],
    named: Iterable[Part],
    promised: int = 0,
) -> Image:
    """Return the program with its parts cut to what the file has; `promised` is where the last thing in it ends.

    `layout` is the byte order as struct writes it, and the size of a pointer.
    """
    there = len(data)
    loaded, named = tuple(islice(loaded, _MOST_LOADED)), tuple(named)
    last = max((part.end for part in (*loaded, *named) if part.size), default=0)

    def cut(part: Part) -> Part:
        start = min(part.start, there)
        return part._replace(start=start, size=min(part.size, there - start), room=0) if part.end > there else part

    return Image(
        data,
        kind,
        "big" if layout[0] == ">" else "little",
        layout[1],
        tuple(map(cut, loaded)),
        tuple(map(cut, named)),
        max(0, last - there, promised - there),
    )


def places(data: Buffer, needle: bytes, ranges: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield where in these stretches of the file the needle begins."""
    for start, end in ranges:
        for at in range(start, end, _STEP):
            piece = bytes(data[at : min(end, at + _STEP + len(needle) - 1)])
            found = piece.find(needle)
            while found >= 0:
                yield at + found
                found = piece.find(needle, found + 1)
