"""Bytes of an answer -> what they are, by how they begin: a login page with status 200 is no profile.

Only as much is read as tells; what a capture really says is parse's work.
"""

import re
import zlib
from typing import Literal

from oakum.model import Buffer

Shape = Literal["profile", "counts", "dump", "heap", "index", "metrics", "json", "page", "empty", "other"]

_HEAD = 64 << 10
_GZIP = b"\x1f\x8b"
# <a href='goroutine?debug=1'>goroutine</a>   <a href="heap?debug=1">
_LINK = re.compile(rb"""href=['"]?[\w.%/-]{1,200}\?debug=1""")
# # TYPE go_goroutines gauge
_DECLARED = re.compile(rb"^# (?:TYPE|HELP) [a-zA-Z_:][\w:]* ", re.MULTILINE)
# go_goroutines 13   process_open_fds 9   http_requests_total{code="200"} 4
_SAMPLE = re.compile(rb"\A[a-zA-Z_:][\w:]*(?:\{[^\n]*\})? [-+0-9.eE]+(?:\n|\Z)")
# goroutine 18 [chan receive, 3 minutes]:   goroutine 1 gp=0xc000002380 m=0 mp=0x1 [running]:
_STACK = re.compile(rb"\Agoroutine \d+ (?:[^\n\[]{0,100})?\[")
# goroutine profile: total 812   threadcreate profile: total 12   --- contention:   --- mutex:
_COUNTS = re.compile(rb"\A(?:[\w./-]{1,100} profile: total \d|--- (?:contention|mutex):)")
# A profile.proto as Go writes it: the type of the period or of a sample first, and in it the name or the unit.
_MESSAGE = re.compile(rb"\A[\x0a\x5a][\x02-\x10][\x08\x10]")


def shape(data: Buffer) -> Shape:
    """Return what an answer looks like."""
    packed = bytes(data[:2]) == _GZIP
    head = opened(data, _HEAD)[:_HEAD]
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    start = text[:512].lower()
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<!--", b"<title", b"<script")):
        return "index" if _LINK.search(text) else "page"
    if _MESSAGE.match(head):
        return "profile"
    for name, found in (
        ("empty", not text and not packed),
        ("dump", _STACK.match(text)),
        ("heap", text.startswith(b"heap profile: ")),
        ("counts", _COUNTS.match(text)),
        ("json", text.startswith((b"{", b"["))),
        ("metrics", _SAMPLE.match(text) or ((declared := _DECLARED.search(text)) and declared.start() < 4096)),
    ):
        if found:
            return name  # type: ignore[return-value]
    # Other writers of profile.proto begin with other fields; they pack it all the same.
    return "profile" if packed and b"\x00" in head else "other"


def opened(data: Buffer, most: int) -> bytes:
    """Return the first bytes of what is packed, once or twice, by the program and by a gateway before it."""
    text = bytes(data[:most])
    for _ in range(2):
        if not text.startswith(_GZIP):
            break
        try:
            text = zlib.decompressobj(wbits=31).decompress(text, most)
        except zlib.error:
            break
    return text
