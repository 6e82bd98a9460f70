"""The few protobuf messages that stores of profiles are asked with and answer in: fields <-> bytes; grpc-web frames.

Requests are built of numbered fields; answers are walked field by field, within their bounds. What is broken in an
answer ends it there.
"""

import struct
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from oakum.model import Buffer
from oakum.model.varint import varint

Value = int | float | str | bytes
_MOST_FIELDS = 2_000_000


def message(*fields: tuple[int, Value]) -> bytes:
    """Return a message of these fields; what is empty or zero is left out, as protobuf does."""
    out = bytearray()
    for number, value in fields:
        if not value:
            continue
        if isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        elif isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return bytes(out)


def fields(data: Buffer) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a message, numbers as they are on the wire; stops where it is broken."""
    at, end, view = 0, len(data), memoryview(data)
    for _ in range(_MOST_FIELDS):
        tag, at = _read(view, at)
        if at < 0:
            return
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = _read(view, at)
            if at < 0:
                return
            yield number, value
            continue
        if wire == 2:
            size, at = _read(view, at)
        else:
            size = {1: 8, 5: 4}.get(wire, -1)
        if at < 0 or size < 0 or at + size > end:
            return
        yield number, bytes(view[at : at + size])
        at += size


def inner(data: Buffer, number: int) -> Iterator[bytes]:
    """Yield every value of one field that is a message, a text or bytes."""
    for found, value in fields(data):
        if found == number and isinstance(value, bytes):
            yield value


def text(data: Buffer, number: int) -> str:
    """Return a field that is text; "" when it is not there."""
    return next((value.decode("utf-8", "replace") for value in inner(data, number)), "")


def number(data: Buffer, field: int) -> int:
    """Return a field that is a number; 0 when it is not there."""
    return next((value for found, value in fields(data) if found == field and isinstance(value, int)), 0)


def framed(data: bytes) -> bytes:
    """Return a message as grpc-web sends it."""
    return b"\0" + struct.pack(">I", len(data)) + data


def unframed(data: Buffer) -> tuple[bytes | None, dict[str, str]]:
    """Return the message of an answer by grpc-web, if it is whole, and its trailers."""
    found: bytes | None = None
    trailers: dict[str, str] = {}
    at = 0
    while at + 5 <= len(data):
        flag, size = data[at], struct.unpack(">I", bytes(data[at + 1 : at + 5]))[0]
        part = bytes(data[at + 5 : at + 5 + size])
        if len(part) < size:
            return None, trailers
        if flag & 0x80:
            trailers = _headers(part.decode("utf-8", "replace"))
        elif flag == 0:
            found = part
        at += 5 + size
    return found, trailers


def _headers(block: str) -> dict[str, str]:
    """grpc-status: 3\\r\\ngrpc-message: failed to parse query"""
    lines = dict(line.split(":", 1) for line in block.splitlines() if ":" in line)
    return {name.strip().lower(): value.strip() for name, value in lines.items()}


def failure(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return the status of a call by gRPC and what it says; "0" and "" when all is well."""
    status = headers.get("grpc-status", "0")[:10]
    said = "".join(char for char in unquote(headers.get("grpc-message", ""))[:300] if char.isprintable())
    return (status, said or f"gRPC status {status}") if status != "0" else ("0", "")


def _read(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
    return 0, -1
