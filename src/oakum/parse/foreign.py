"""Files that are handed in as profiles and are none: names them and says how to get the right one.

In: unpacked bytes that no parser recognised. Out: a `Problem` with what the file is and what to do, or None. Looks at
the beginning only and analyses nothing.
"""

import json
import re

from oakum.model import Buffer, Problem

_HEAD = 64 << 10
_FETCH = "save the profile itself, e.g. `curl -o heap.pb.gz http://HOST:PORT/debug/pprof/heap`"
_BEHIND = "hand in the profile behind it"
_PERF = "turn it into a profile with `perf_to_profile -i FILE -o profile.pb.gz`"

# (key, what the file begins with, what it is and what to do)
_MAGIC: tuple[tuple[str, bytes, str], ...] = (
    ("jfr", b"FLR\0", "a Java Flight Recorder file, not a pprof profile: read it with `jfr print FILE`"),
    ("hprof", b"JAVA PROFILE 1.0", "a Java heap dump (hprof): open it with Eclipse MAT or VisualVM"),
    ("perf-data", b"PERFILE2", f"a Linux perf recording: {_PERF}"),
    ("perf-data", b"2ELIFREP", f"a Linux perf recording: {_PERF}"),
    ("png", b"\x89PNG\r\n\x1a\n", f"a picture (PNG), perhaps drawn by `pprof -png`: {_BEHIND}"),
    ("pdf", b"%PDF-", f"a PDF, perhaps drawn by `pprof -pdf`: {_BEHIND}"),
    ("dot", b"digraph ", f"a graph drawn by `pprof -dot`: {_BEHIND}"),
    ("executable", b"MZ", f"a Windows program, not a profile: {_FETCH}"),
    ("executable", b"\xcf\xfa\xed\xfe", f"a macOS program, not a profile: {_FETCH}"),
    ("coverage", b"mode: ", "a Go coverage profile: look at it with `go tool cover -html=FILE`"),
)

# go1.7 heap dump\n        (runtime/debug.WriteHeapDump)
_HEAP_DUMP = re.compile(rb"go1\.\d+ heap dump\n")
# <!DOCTYPE html>        <?xml version="1.0"?><!-- made by pprof --><svg width="100%">
# (no possessive groups: Python before 3.11.5 takes a character too many where one fails halfway)
_MARKUP = re.compile(
    rb"\s*+(?><\?xml[^>]*>)?(?>(?:\s+|<!--.*?-->){0,99})<(!doctype\s+html|html|head|body|!doctype\s+svg|svg)\b",
    re.I | re.S,
)
_TITLE = re.compile(rb"<title>\s*([^<]{1,200}?)\s*</title>", re.I)
# HTTP/1.1 404 Not Found
_HTTP = re.compile(rb"HTTP/[\d.]+ (\d{3})[^\r\n]*")
# Showing nodes accounting for 83733, 100% of 83737 total
_REPORT = re.compile(
    rb"^(?:Showing nodes accounting for|Active filters:| +flat +flat% +sum% +cum +cum%|Total: .*\nROUTINE =|"
    rb"-{5,}\+-{10,})",
    re.M,
)
# PeriodType: space bytes        (pprof -raw)
_RAW = re.compile(rb"^PeriodType: .*\nPeriod: \d", re.M)
# Bytes that no text holds; ESC does, in coloured logs.
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f]")
# main;runtime.main;main.work 42
_FOLDED = re.compile(r"[^;\s][^;]*(?:;[^;]+)+ \d+(?:\.\d+)?")
# 404 page not found    Unknown profile    Could not enable CPU profiling: ...    profile duration exceeds server's ...
_HTTP_ERRORS = re.compile(
    r"\s*(?:40\d |50\d |Unknown profile|Could not enable|profile duration exceeds|Unauthorized|Forbidden|Not Found|"
    r"Bad Request|Bad Gateway|Method Not Allowed|Service Unavailable|upstream |Client sent an HTTP request)"
)


def name_foreign(data: Buffer) -> Problem | None:
    """Return a problem that names the file and says what to do; None when it is unknown."""
    head = bytes(data[:_HEAD])
    if not head.strip():
        return Problem("empty", "The file is empty: nothing was saved; fetch it again and look at the answer's status")
    return _binary(head) or _markup(head) or _report(head) or _json(head, len(data)) or _text(head, len(data))


def _is(key: str, what: str) -> Problem:
    return Problem("not-a-profile", f"This is {what}", args={"what": key})


def _binary(head: bytes) -> Problem | None:
    for key, magic, what in _MAGIC:
        if head.startswith(magic):
            return _is(key, what)
    if head[257:262] == b"ustar":
        return _is("tar", "a tar archive: unpack it with `tar xf FILE` and hand in what it holds")
    if head.startswith(b"\x7fELF"):
        little = head[5:6] != b"\x02"
        core = int.from_bytes(head[16:18], "little" if little else "big") == 4
        if core:
            return _is("core", "a core dump: `dlv core PROGRAM FILE`, then `goroutines -t`, prints its goroutines")
        return _is("executable", f"a program (ELF), not a profile: {_FETCH}")
    if _HEAP_DUMP.match(head):
        return _is("heap-dump", f"a Go heap dump (debug.WriteHeapDump), which is not read: {_FETCH}")
    return None


def _markup(head: bytes) -> Problem | None:
    if found := _HTTP.match(head):
        status = found[1].decode("ascii")
        what = f"an HTTP answer with its headers (status {status}): save the body only, `curl -f -o FILE URL`"
        return _is("http-answer", what)
    found = _MARKUP.match(head)
    if found is None:
        return None
    if found[1].lower().endswith(b"svg"):
        return _is("svg", f"a picture (SVG), perhaps drawn by `pprof -svg`: {_BEHIND}")
    title = _TITLE.search(head)
    called = f' ("{title[1].decode("utf-8", "replace")}")' if title else ""
    return _is("html", f"a web page{called}, not a profile: {_FETCH}")


def _report(head: bytes) -> Problem | None:
    if _REPORT.search(head[:4096]):
        return _is("pprof-report", f"a text report of `pprof` (-top, -tree, -list, -traces), not a profile: {_BEHIND}")
    if _RAW.search(head[:4096]):
        return _is("pprof-raw", "the text form of a profile (`pprof -raw`): write protobuf with `pprof -proto` instead")
    return None


def _json(head: bytes, size: int) -> Problem | None:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] not in (b"{", b"["):
        return None
    if b"https://www.speedscope.app/file-format-schema.json" in head:
        return _is(
            "speedscope", "a speedscope profile: open it at speedscope.app, or hand in the pprof profile behind it"
        )
    if b'"traceEvents"' in head:
        return _is("chrome-trace", "a Chrome trace (JSON): open it in Perfetto; a pprof profile is needed here")
    if b'"nodes"' in head[:4096] and b'"callFrame"' in head:
        return _is("cpuprofile", "a V8 CPU profile (JSON): open it in the browser's developer tools")
    if size <= _HEAD:
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            return None
        message = _message(answer) if isinstance(answer, dict) else None
        if message:
            return _is("json-error", f'an error in JSON ("{message}"), not a profile: {_FETCH}')
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
        return _is("http-error", f'an error message ("{_shown(lines[0])}"), not a profile: {_FETCH}')
    # The last line of the head may be cut.
    sure = lines[:-1] if len(lines) > 1 else lines
    if all(len(line) < 20_000 and _FOLDED.fullmatch(line) for line in sure):
        return _is("folded-stacks", f"folded stacks (as flamegraph.pl reads them), not a profile: {_BEHIND}")
    if size <= 1024 and len(lines) <= 5:
        return _is("short-text", f'a line of text ("{_shown(lines[0])}"), neither a profile nor a dump: {_FETCH}')
    return None


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:97] + "..."


__all__ = ["name_foreign"]
