"""ELF (Linux, the BSDs, ...) -> Image: 32 and 64 bits, either byte order, with or without a table of sections."""

import struct

from oakum.model import Buffer
from oakum.parse.binaries.image import Image, Part, image

MAGIC = b"\x7fELF"
_MACHINES = {
    2: "sparc", 3: "386", 8: "mips", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm", 43: "sparc64", 62: "amd64",
    183: "arm64", 243: "riscv64", 258: "loong64",
}  # fmt: skip
_KINDS = {1: "object file", 2: "program", 3: "program or library"}
_LOAD = 1  # type of a segment that is loaded
_NO_BITS = 8  # type of a section that takes no room in the file
_WRITE = 2  # flag of a segment
_WRITE_SECTION = 1
_MOST = 1 << 20  # bytes of a table of section names


def read(data: Buffer) -> Image | None:
    """Return the program; None when the header is cut or wrong, or this is a core dump."""
    head = bytes(data[:64])
    if len(head) < 64 or head[4] not in (1, 2) or head[5] not in (1, 2):
        return None
    order, wide = "<>"[head[5] - 1], head[4] == 2
    kind, machine = struct.unpack_from(f"{order}HH", head, 16)
    if kind not in _KINDS:
        return None
    fields = struct.unpack_from(f"{order}{'QQ' if wide else 'II'}IHHHHHH", head, 32 if wide else 28)
    segments_at, sections_at, _, _, segment_size, segments, section_size, sections, names = fields
    what = ("an ELF", _KINDS[kind], _MACHINES.get(machine, f"machine {machine}"))
    loaded = _segments(data, order, wide, segments_at, segment_size, segments)
    named = _sections(data, order, wide, (sections_at, section_size, sections), names)
    return image(data, what, (order, 8 if wide else 4), loaded, named, sections_at + section_size * sections)


def _segments(data: Buffer, order: str, wide: bool, at: int, size: int, count: int) -> list[Part]:
    form = struct.Struct(f"{order}{'IIQQQQQQ' if wide else 'IIIIIIII'}")
    table = bytes(data[at : at + size * count])
    parts = []
    for row in range(0, len(table) - form.size + 1, size) if size >= form.size else ():
        if wide:
            kind, flags, start, address, _, length, room, _ = form.unpack_from(table, row)
        else:
            kind, start, address, _, length, room, flags, _ = form.unpack_from(table, row)
        if kind == _LOAD:
            parts.append(Part("", address, start, length, bool(flags & _WRITE), room))
    return parts


def _sections(data: Buffer, order: str, wide: bool, where: tuple[int, int, int], names: int) -> list[Part]:
    """Return the sections that have names; none when their table lies beyond the end."""
    at, size, count = where
    form = struct.Struct(f"{order}{'IIQQQQ' if wide else 'IIIIII'}")
    if not count or size < form.size:
        return []
    table = bytes(data[at : at + size * count])
    if len(table) < size * count:
        return []
    rows = [form.unpack_from(table, row) for row in range(0, len(table), size)]
    text = b""
    if names < count:
        start, length = rows[names][4:6]
        text = bytes(data[start : start + min(length, _MOST)])
    parts = []
    for name, kind, flags, address, start, length in rows:
        end = text.find(b"\0", name)
        if 0 <= name < end and kind != _NO_BITS:
            called = text[name : min(end, name + 256)].decode("latin-1")
            parts.append(Part(called, address, start, length, bool(flags & _WRITE_SECTION)))
    return parts
