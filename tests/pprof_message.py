"""pprof messages written by hand: fields in any order, packed or not, broken where a test wants them broken."""

from collections.abc import Iterable, Sequence

Content = int | bytes


def varint(value: int) -> bytes:
    """Return a number as protobuf writes it."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def field(number: int, content: Content) -> bytes:
    """Return one field: a number as varint, bytes behind their length."""
    if isinstance(content, bytes):
        return varint(number << 3 | 2) + varint(len(content)) + content
    return varint(number << 3) + varint(content)


def message(*fields: tuple[int, Content]) -> bytes:
    """Return a message of these fields, in this order."""
    return b"".join(field(number, content) for number, content in fields)


def packed(number: int, values: Iterable[int]) -> bytes:
    """Return a repeated field, packed."""
    return field(number, b"".join(map(varint, values)))


def unpacked(number: int, values: Iterable[int]) -> bytes:
    """Return a repeated field, one value a field."""
    return b"".join(field(number, value) for value in values)


def strings(*texts: str | bytes) -> bytes:
    """Return the string table."""
    return b"".join(field(6, text if isinstance(text, bytes) else text.encode()) for text in texts)


def value_type(kind: int, unit: int, number: int = 1) -> bytes:
    """Return a sample type (or, with another field number, the period's)."""
    return field(number, message((1, kind), (2, unit)))


def sample(locations: Iterable[int], values: Iterable[int], *labels: bytes) -> bytes:
    """Return a sample as Go writes it."""
    return field(2, packed(1, locations) + packed(2, values) + b"".join(field(3, label) for label in labels))


def location(number: int, *lines: tuple[int, int], address: int = 0, mapping: int = 0) -> bytes:
    """Return a location with lines of (function id, line number)."""
    body = message((1, number), (2, mapping), (3, address))
    return field(4, body + b"".join(field(4, message((1, function), (2, line))) for function, line in lines))


def function(number: int, name: int, file: int = 0, start_line: int = 0) -> bytes:
    """Return a function."""
    return field(5, message((1, number), (2, name), (3, name), (4, file), (5, start_line)))


def goroutine_profile(*functions: str, file: str = "/usr/local/go/src/runtime/proc.go") -> bytes:
    """Return a profile of one goroutine whose stack, leaf first, holds these functions."""
    names: Sequence[str] = ("", "goroutine", "count", file, *functions)
    return b"".join(
        (
            value_type(1, 2),
            sample(range(1, len(functions) + 1), [1]),
            *(location(row, (row, 10 * row)) for row in range(1, len(functions) + 1)),
            *(function(row, row + 3, 3) for row in range(1, len(functions) + 1)),
            strings(*names),
        )
    )


def heap_profile(samples: int, functions: int = 40, depth: int = 12) -> bytes:
    """Return a heap profile with so many samples, most of them of different stacks."""
    names = ["", "alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "inuse_space", "main.go"]
    out = [value_type(1, 2), value_type(3, 4), value_type(5, 2), value_type(6, 4)]
    for row in range(samples):
        stack = [(row * 31 + place * (row % 7 + 1)) % functions + 1 for place in range(row % depth + 1)]
        out.append(sample(stack, [row, row * 512, -row, 0], message((1, 4), (3, 1 << row % 20))))
    out += [location(row, (row, row + 100), address=0x400000 + row, mapping=1) for row in range(1, functions + 1)]
    out += [function(row, len(names) + row - 1, 7) for row in range(1, functions + 1)]
    out.append(field(3, message((1, 1), (2, 0x400000), (3, 0x800000), (7, 1))))
    out.append(strings(*names, *(f"main.f{row}" for row in range(functions))))
    out.append(message((9, 1_700_000_000_123_456_789), (12, 524288), (14, 6)))
    return b"".join(out)
