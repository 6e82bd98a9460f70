"""The export format of journald (journalctl -o export): one field a line, binary ones with their length."""

import re

from oakum.parse.logs import parts
from oakum.parse.logs.strand import Strand

# A line like: __REALTIME_TIMESTAMP=1767319445678901
_TYPICAL = re.compile(rb"^__REALTIME_TIMESTAMP=\d{16}$", re.MULTILINE)
# MESSAGE<newline><eight bytes of length, little endian><the message><newline>
_BINARY = re.compile(rb"[A-Z_][A-Z0-9_]*$")
_MESSAGE, _STAMP = b"MESSAGE", b"__REALTIME_TIMESTAMP"
_WANTED = frozenset({_MESSAGE, _STAMP, b"_HOSTNAME", b"SYSLOG_IDENTIFIER", b"_COMM", b"_PID"})


def peel(text: bytes, split: bool) -> list[Strand]:
    """Return the messages, one strand a process; [] when this is no journal export."""
    if not _TYPICAL.search(text, 0, 1 << 20):
        return []
    records: dict[tuple[bytes, ...], list[tuple[bytes, int, bytes | None]]] = {}
    fields: dict[bytes, bytes] = {}
    position = start = 0
    while position <= len(text):
        newline = text.find(b"\n", position)
        end = newline if newline >= 0 else len(text)
        name, equals, value = text[position:end].partition(b"=")
        position = end + 1
        if equals:
            if name in _WANTED:
                fields[name] = value
        elif name and _BINARY.match(name):
            length = int.from_bytes(text[position : position + 8], "little")
            if name in _WANTED:
                fields[name] = text[position + 8 : position + 8 + length]
            position += 8 + length + 1
        elif not name or position > len(text):  # an empty line ends a record; any other is passed over
            if _MESSAGE in fields:
                row = (fields[_MESSAGE] + b"\n", start, fields.get(_STAMP))
                records.setdefault(_writer(fields) if split else (), []).append(row)
            fields, start = {}, position
    strands = []
    for writer, rows in records.items():
        bodies, was, written = map(list, zip(*rows, strict=True))
        strands.append(Strand.of("journald-export", _label(writer), parts.rejoined(bodies), was, written))
    return strands


def _writer(fields: dict[bytes, bytes]) -> tuple[bytes, ...]:
    program = fields.get(b"SYSLOG_IDENTIFIER") or fields.get(b"_COMM") or b""
    return program, fields.get(b"_PID", b""), fields.get(b"_HOSTNAME", b"")


def _label(writer: tuple[bytes, ...]) -> str:
    program, process = (part.decode("utf-8", "replace") for part in (*writer, b"", b"")[:2])
    return f"{program}[{process}]" if process else program
