"""Windows programs (PE) -> Image: 32 and 64 bits."""

import struct

from oakum.model import Buffer
from oakum.parse.binaries.image import Image, Part, image

MAGIC = b"MZ"
_MACHINES = {0x14C: "386", 0x1C4: "arm", 0x8664: "amd64", 0xAA64: "arm64"}
_WRITE = 0x80000000


def read(data: Buffer) -> Image | None:
    """Return the program; None when the header is cut or wrong, or only DOS could run it."""
    dos = bytes(data[:64])
    if len(dos) < 64:
        return None
    at = int.from_bytes(dos[60:64], "little")
    head = bytes(data[at : at + 24])
    if len(head) < 24 or head[:4] != b"PE\0\0":
        return None
    machine, sections, _, _, _, optional, _ = struct.unpack_from("<HHIIIHH", head, 4)
    extra = bytes(data[at + 24 : at + 24 + min(optional, 64)])
    wide = extra[:2] == b"\x0b\x02"
    base = int.from_bytes(extra[24:32] if wide else extra[28:32], "little")
    table = at + 24 + optional
    rows = bytes(data[table : table + 40 * sections])
    parts = []
    for row in range(0, len(rows) - 39, 40):
        room, address, size, start = struct.unpack_from("<IIII", rows, row + 8)
        flags = int.from_bytes(rows[row + 36 : row + 40], "little")
        # What is on the disk is filled up to whole blocks; a section that is only in memory has nothing there.
        size = min(size, room) if room else size
        name = rows[row : row + 8].rstrip(b"\0").decode("latin-1")
        parts.append(Part(name, base + address, start, size if start else 0, bool(flags & _WRITE), room))
    what = ("a Windows", "program", _MACHINES.get(machine, f"machine {machine:#x}"))
    return image(data, what, ("<", 8 if wide else 4), parts, (), table + 40 * sections)
