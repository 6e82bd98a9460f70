"""Numbers as protobuf writes them: seven bits a byte, the lowest first."""

SMALL = [bytes((value,)) for value in range(0x80)]


def varint(value: int) -> bytes:
    """Return a number as protobuf writes it, negative ones as their 64-bit complement."""
    if 0 <= value < 0x80:
        return SMALL[value]
    if 0 <= value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
