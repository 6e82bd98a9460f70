"""Small JSON documents -> plain values, for formats that are an answer in JSON and nothing else.

In: one document, or several one after the other. Out: the values, or nothing when anything in it is no JSON or when
there is more of it than such an answer has. A field that is not what it should be is empty.
"""

import json
from collections.abc import Iterator, Mapping

from oakum.model import Buffer

MOST = 16 << 20  # bytes; the nodes of a large cluster
_MOST_DOCUMENTS = 1000


def begins(head: bytes) -> bool:
    """Tell whether text begins as a JSON object or array does."""
    return head.lstrip()[:1] in (b"{", b"[")


def documents(data: Buffer) -> list[object]:
    """Return the documents that a text consists of; none when it is not JSON from the first to the last byte."""
    if len(data) > MOST:
        return []
    text = bytes(data).decode("utf-8", "replace").strip()
    found: list[object] = []
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text) and len(found) < _MOST_DOCUMENTS:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):  # also a number of too many digits
            return []
        found.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    return found if at >= len(text) else []


def each(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def inside(value: object, *names: str) -> Mapping[str, object]:
    """Return the object at a path of fields; empty where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text_of(value: Mapping[str, object], *names: str) -> str:
    """Return the first of some fields that is a text; "" when none is."""
    return next((found for name in names if isinstance(found := value.get(name), str)), "")
