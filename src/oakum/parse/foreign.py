"""Files that are handed in as profiles and are none: names them and says how to get the right one.

In: unpacked bytes that no parser recognised. Out: a `Problem` with what the file is and what to do, or None. Looks at
the beginning only and analyses nothing.
"""

import json
import re

from oakum.model import Buffer, Problem
from oakum.regex import regex

_HEAD = 64 << 10
# What a file begins with -> what it is.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"FLR\0", "jfr"),
    (b"JAVA PROFILE 1.0", "hprof"),
    (b"PERFILE2", "perf-data"),
    (b"2ELIFREP", "perf-data"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"%PDF-", "pdf"),
    (b"digraph ", "dot"),
    (b"MZ", "executable-windows"),
    (b"\xcf\xfa\xed\xfe", "executable-macos"),
    (b"mode: ", "coverage"),
)

# go1.5 heap dump\n        (runtime/debug.WriteHeapDump, Go 1.5 and 1.6)
_HEAP_DUMP = regex(rb"go1\.\d+ heap dump\n")
# <!DOCTYPE html>        <?xml version="1.0"?><!-- made by pprof --><svg width="100%">
# (no possessive groups: Python before 3.11.5 takes a character too many where one fails halfway)
_MARKUP = regex(
    rb"\s*+(?><\?xml[^>]*>)?(?>(?:\s+|<!--.*?-->){0,99})<(!doctype\s+html|html|head|body|!doctype\s+svg|svg)\b",
    re.I | re.S,
)
_TITLE = regex(rb"<title>\s*([^<]{1,200}?)\s*</title>", re.I)
# HTTP/1.1 404 Not Found
_HTTP = regex(rb"HTTP/[\d.]+ (\d{3})[^\r\n]*")
# Showing nodes accounting for 83733, 100% of 83737 total
_REPORT = regex(
    rb"^(?:Showing nodes accounting for|Active filters:| +flat +flat% +sum% +cum +cum%|Total: .*\nROUTINE =|"
    rb"-{5,}\+-{10,})",
    re.M,
)
# PeriodType: space bytes        (pprof -raw)
_RAW = regex(rb"^PeriodType: .*\nPeriod: \d", re.M)
# Bytes that no text holds; ESC does, in coloured logs.
_CONTROL = regex(r"[\0-\x08\x0e-\x1a\x1c-\x1f]")
# main;runtime.main;main.work 42
_FOLDED = regex(r"[^;\s][^;]*(?:;[^;]+)+ \d+(?:\.\d+)?")
# 404 page not found    Unknown profile    Could not enable CPU profiling: ...    profile duration exceeds server's ...
_HTTP_ERRORS = regex(
    r"\s*(?:40\d |50\d |Unknown profile|Could not enable|profile duration exceeds|Unauthorized|Forbidden|Not Found|"
    r"Bad Request|Bad Gateway|Method Not Allowed|Service Unavailable|upstream |Client sent an HTTP request)"
)


def name_foreign(data: Buffer) -> Problem | None:
    """Return a problem that names the file and says what to do; None when it is unknown."""
    head = bytes(data[:_HEAD])
    if not head.strip():
        return Problem.of("empty")
    return _binary(head) or _markup(head) or _report(head) or _json(head, len(data)) or _text(head, len(data))


def _is(what: str, /, **args: str) -> Problem:
    return Problem.of(f"not-a-profile.{what}", **args)


def _binary(head: bytes) -> Problem | None:
    for magic, what in _MAGIC:
        if head.startswith(magic):
            return _is(what)
    if head[257:262] == b"ustar":
        return _is("tar")
    if head.startswith(b"\x7fELF"):
        little = head[5:6] != b"\x02"
        core = int.from_bytes(head[16:18], "little" if little else "big") == 4
        if core:
            return _is("core")
        return _is("executable-elf")
    if _HEAP_DUMP.match(head):
        return _is("heap-dump")
    return None


def _markup(head: bytes) -> Problem | None:
    if found := _HTTP.match(head):
        return _is("http-answer", status=found[1].decode("ascii"))
    found = _MARKUP.match(head)
    if found is None:
        return None
    if found[1].lower().endswith(b"svg"):
        return _is("svg")
    title = _TITLE.search(head)
    return _is("html-titled", title=title[1].decode("utf-8", "replace")) if title else _is("html")


def _report(head: bytes) -> Problem | None:
    if _REPORT.search(head[:4096]):
        return _is("pprof-report")
    if _RAW.search(head[:4096]):
        return _is("pprof-raw")
    return None


def _json(head: bytes, size: int) -> Problem | None:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] not in (b"{", b"["):
        return None
    if b"https://www.speedscope.app/file-format-schema.json" in head:
        return _is("speedscope")
    if b'"traceEvents"' in head:
        return _is("chrome-trace")
    if b'"nodes"' in head[:4096] and b'"callFrame"' in head:
        return _is("cpuprofile")
    if size <= _HEAD:
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            return None
        message = _message(answer) if isinstance(answer, dict) else None
        if message:
            return _is("json-error", message=message)
    return None


def _message(answer: dict[str, object]) -> str | None:
    for key in ("message", "error", "detail", "msg", "reason"):
        value = answer.get(key)
        if isinstance(value, dict):
            value = value.get("message")
        if isinstance(value, str) and value:
            return _shown(value)
    return None


def _text(head: bytes, size: int) -> Problem | None:
    try:
        text = head.decode("utf-8", "ignore" if size > _HEAD else "strict")
    except UnicodeDecodeError:
        return None
    lines = [line for line in text.splitlines()[:50] if line.strip()]
    if not lines or _CONTROL.search(text):
        return None
    if _HTTP_ERRORS.match(text) and len(lines) <= 5:
        return _is("http-error", message=_shown(lines[0]))
    # The last line of the head may be cut.
    sure = lines[:-1] if len(lines) > 1 else lines
    if all(len(line) < 20_000 and _FOLDED.fullmatch(line) for line in sure):
        return _is("folded-stacks")
    if size <= 1024 and len(lines) <= 5:
        return _is("short-text", line=_shown(lines[0]))
    return None


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:97] + "..."
