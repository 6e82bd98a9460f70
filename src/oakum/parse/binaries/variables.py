"""A program -> its variables: names, addresses, sizes, from the symbol table of ELF, or from what `go tool nm` prints.

In: the file as it is, or the text of `go tool nm -size PROGRAM`. Out: columns in the order of the addresses; None when
there is no symbol table, as in a program that is stripped (-ldflags=-s).
"""

import numpy as np
from msgspec import Struct

from oakum.model import Buffer
from oakum.model.profile import Int64s, UInt64s
from oakum.parse.binaries import elf
from oakum.regex import regex

_OBJECT, _CODE = 1, 2  # types of symbols
_MOST = 4_000_000
# Where segments begin and end: not variables, though some have the address of one.
_MARKS = regex(r"runtime\.(?:e?(?:noptr)?(?:data|bss)|gcdata|gcbss|end|types|etypes|rodata|erodata)$|go:")
#   59d340          8 D main.sessions        (go tool nm -size; without -size the second column is not there)
_LISTED = regex(rb"^ *([0-9a-f]{1,16}) +(?:(\d+) +)?([DdBb]) (\S.*)$")
_LINE = regex(rb"\s*(?:[0-9a-f]{1,16} +)?(?:\d+ +)?[A-Za-z?] \S")


class Variables(Struct, frozen=True, eq=False):
    """The variables of a program; `data` is where its data segment begins, 0 where that is not told."""

    addresses: UInt64s
    sizes: Int64s
    names: tuple[str, ...]
    data: int = 0
    types: int = 0  # where the runtime has its types
    methods: tuple[tuple[int, str], ...] = ()  # functions that call a method of a value they keep: main.(*Desk).pay-fm

    def at(self, addresses: UInt64s) -> Int64s:
        """Return the row of the variable that has each address, -1 where none has."""
        if not len(self.names):
            return np.full(len(addresses), -1, np.int64)
        rows = np.searchsorted(self.addresses, addresses, "right").astype(np.int64) - 1
        begin, size = self.addresses[np.maximum(rows, 0)], self.sizes[np.maximum(rows, 0)]
        inside = (rows >= 0) & (addresses - begin < np.maximum(size, 1).astype(np.uint64))
        return np.where(inside, rows, -1)


def read(data: Buffer) -> Variables | None:
    """Return the variables of a program, or of a listing of its symbols; None when there are none."""
    if bytes(data[:4]) == elf.MAGIC:
        return _of_elf(data)
    return _of_listing(data)


def _of_elf(data: Buffer) -> Variables | None:
    image = elf.read(data)
    table, names = (image.part(".symtab"), image.part(".strtab")) if image else (None, None)
    if image is None or table is None or names is None:
        return None
    order = "<" if image.order == "little" else ">"
    if image.word == 8:
        form = [("name", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"), ("size", "u8")]
    else:
        form = [("name", "u4"), ("value", "u4"), ("size", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2")]
    kind = np.dtype([(name, order + code) for name, code in form])
    raw = bytes(data[table.start : table.end])
    rows = np.frombuffer(raw, kind, min(_MOST, len(raw) // kind.itemsize))
    text = bytes(data[names.start : names.end])
    code = rows[(rows["info"] & 0xF == _CODE) & (rows["section"] > 0)]
    methods = tuple(
        (int(value), name)
        for value, at in zip(code["value"].tolist(), code["name"].tolist(), strict=True)
        if (name := _name(text, int(at))).endswith("-fm")
    )
    rows = rows[(rows["info"] & 0xF == _OBJECT) & (rows["section"] > 0)]
    return _made([
        (int(value), int(size), _name(text, int(at)))
        for value, size, at in zip(rows["value"].tolist(), rows["size"].tolist(), rows["name"].tolist(), strict=True)
    ], methods)  # fmt: skip


def _name(text: bytes, at: int) -> str:
    end = text.find(b"\0", at, at + 4096)
    return text[at : max(at, end)].decode("utf-8", "replace")


def _of_listing(data: Buffer) -> Variables | None:
    head = bytes(data[: 1 << 16]).splitlines()[:8]
    if not head or not all(_LINE.match(line) for line in head[:-1] or head):
        return None
    found = []
    for line in bytes(data).splitlines()[:_MOST]:
        if told := _LISTED.match(line):
            found.append((int(told[1], 16), int(told[2] or 0), told[4].decode("utf-8", "replace")))
    return _made(found) if found else None


def _made(found: list[tuple[int, int, str]], methods: tuple[tuple[int, str], ...] = ()) -> Variables:
    data, types = (next((at for at, _, name in found if name == mark), 0) for mark in ("runtime.data", "runtime.types"))
    rows = sorted(one for one in found if not _MARKS.match(one[2]) and 0 <= one[0] < 1 << 64 and one[1] < 1 << 40)
    addresses = np.array([address for address, _, _ in rows], np.uint64)
    sizes = np.array([size for _, size, _ in rows], np.int64)
    if len(rows) > 1 and not sizes.any():  # a listing without sizes: each goes on to the next
        sizes[:-1] = np.diff(addresses).astype(np.int64)
    kept = (sizes > 0).nonzero()[0]
    return Variables(addresses[kept], sizes[kept], tuple(rows[at][2] for at in kept.tolist()), data, types, methods)
