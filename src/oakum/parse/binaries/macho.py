"""Mach-O (macOS, iOS) -> Images: 32 and 64 bits, either byte order; a universal file holds one for each processor."""

import struct

from oakum.model import Buffer
from oakum.parse.binaries.image import Image, Part, image

MAGICS = (b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe")
UNIVERSAL = (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
_MACHINES = {7: "386", 12: "arm", 18: "ppc", 0x01000007: "amd64", 0x0100000C: "arm64", 0x01000012: "ppc64"}
_KINDS = {2: "program", 6: "library", 8: "library"}
_SEGMENT, _SEGMENT_64 = 1, 0x19
_WRITE = 2
# A Java class begins like a universal file, and has the version of its format, 45 or more, where that has a count.
_JAVA = 45
_MOST_PROCESSORS = 8
_MOST_COMMANDS = 4096  # dozens in real programs


def universal(data: Buffer) -> tuple[Image, ...]:
    """Return the programs of a universal file that can be opened."""
    head = bytes(data[: 8 + 32 * _MOST_PROCESSORS])
    if len(head) < 8:
        return ()
    count = int.from_bytes(head[4:8], "big")
    if count >= _JAVA:
        return ()
    form = struct.Struct(">IIQQII" if head[:4] == UNIVERSAL[1] else ">IIIII")
    images = []
    for row in range(8, min(8 + min(count, _MOST_PROCESSORS) * form.size, len(head) - form.size + 1), form.size):
        start, size = form.unpack_from(head, row)[2:4]
        if start >= 8 and (found := read(data, start, size)):
            images.append(found)
    return tuple(images)


def read(data: Buffer, begin: int = 0, size: int = 0) -> Image | None:
    """Return the program that begins there; None when its header is cut or wrong."""
    head = bytes(data[begin : begin + 32])
    if len(head) < 32 or head[:4] not in MAGICS:
        return None
    order, wide = "<>"[head[0] == 0xFE], 0xCF in (head[0], head[3])
    machine, _, kind, count, room = struct.unpack_from(f"{order}IIIII", head, 4)
    what = ("a macOS", _KINDS.get(kind, "object file"), _MACHINES.get(machine, f"processor {machine:#x}"))
    first = begin + (32 if wide else 28)
    commands = bytes(data[first : first + min(room, 1 << 20)])
    loaded: list[Part] = []
    named: list[Part] = []
    at = 0
    for _ in range(min(count, _MOST_COMMANDS)):
        if at + 8 > len(commands):
            break
        command, length = struct.unpack_from(f"{order}II", commands, at)
        if length < 8:
            break
        if command in (_SEGMENT, _SEGMENT_64):
            _segment(commands[at : at + length], order, command == _SEGMENT_64, begin, loaded, named)
        at += length
    promised = max(begin + size, first + room)
    return image(data, what, (order, 8 if wide else 4), loaded, named, promised)


def _segment(raw: bytes, order: str, wide: bool, begin: int, loaded: list[Part], named: list[Part]) -> None:
    form = struct.Struct(f"{order}{'QQQQ' if wide else 'IIII'}IIII")
    if len(raw) < 24 + form.size:
        return
    address, space, start, size, _, protection, count, _ = form.unpack_from(raw, 24)
    writable = bool(protection & _WRITE)
    if size and _name(raw[8:24]) != "__PAGEZERO":
        loaded.append(Part(_name(raw[8:24]), address, begin + start, size, writable, space))
    inner = struct.Struct(f"{order}{'QQ' if wide else 'II'}I")
    room = 80 if wide else 68
    for row in range(24 + form.size, min(24 + form.size + count * room, len(raw) - room + 1), room):
        at, length, start = inner.unpack_from(raw, row + 32)
        if start:  # what only takes room in memory begins nowhere in the file
            named.append(Part(_name(raw[row : row + 16]), at, begin + start, length, writable))


def _name(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode("latin-1")
