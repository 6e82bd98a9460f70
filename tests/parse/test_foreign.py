"""Files that are no profiles are named, with what to do."""

import gzip
import json
import time

import pytest

from oakum.parse.foreign import name_foreign
from oakum.report.words.lines import problem_line
from support import need_shared

ELF = b"\x7fELF\x02\x01\x01" + b"\0" * 9
TOP = b"""File: main
Type: goroutine
Showing nodes accounting for 83733, 100% of 83737 total
      flat  flat%   sum%        cum   cum%
     83733   100%   100%      83733   100%  runtime.gopark
"""


@pytest.mark.parametrize(
    ("data", "what", "advice"),
    [
        (b"FLR\0\0\x02\0\0", "jfr", "jfr print"),
        (b"JAVA PROFILE 1.0.2\0", "hprof", "MAT"),
        (b"PERFILE2" + b"\0" * 50, "perf-data", "perf_to_profile"),
        (ELF + b"\x04\0", "core", "dlv core"),
        (ELF + b"\x02\0", "executable-elf", "curl"),
        (b"MZ\x90\0", "executable-windows", "curl"),
        (b"\x89PNG\r\n\x1a\n\0", "png", "profile behind it"),
        (b"go1.7 heap dump\n\0\x01", "heap-dump", "debug/pprof/heap"),
        (b"mode: atomic\nexample.com/x/x.go:1.2,3.4 1 1\n", "coverage", "go tool cover"),
        (b"digraph \"server\" {\n", "dot", "profile behind it"),
        (b"<!DOCTYPE html>\n<html><head><title>/debug/pprof/</title>", "html-titled", '"/debug/pprof/"'),
        (b"\n<html>\n<body>x", "html", "curl -o"),
        (b'<?xml version="1.0"?>\n<!-- made by pprof -->\n<svg width="100%">', "svg", "profile behind it"),
        (b"HTTP/1.1 502 Bad Gateway\r\nServer: x\r\n\r\n", "http-answer", "502"),
        (b"404 page not found\n", "http-error", "curl -o"),
        (b"Unknown profile\n", "http-error", "curl -o"),
        (b"Could not enable CPU profiling: cpu profiling already in use\n", "http-error", "already in use"),
        (b"Client sent an HTTP request to an HTTPS server.\n", "http-error", "HTTPS"),
        (TOP, "pprof-report", "profile behind it"),
        (b"PeriodType: space bytes\nPeriod: 524288\nSamples:\n", "pprof-raw", "pprof -proto"),
        (b'{"$schema": "https://www.speedscope.app/file-format-schema.json"}', "speedscope", "speedscope.app"),
        (b'{"traceEvents": []}', "chrome-trace", "Perfetto"),
        (b'{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}]}', "cpuprofile", "developer tools"),
        (b'{"kind":"Status","message":"pods \\"x\\" not found"}', "json-error", 'pods "x" not found'),
        (b'{"error":{"message":"no auth"}}', "json-error", "no auth"),
        (b"main;runtime.main;main.work 42\nmain;gc 7\n", "folded-stacks", "profile behind it"),
        (b"Go Profiling Service is running\n", "short-text", '"Go Profiling Service is running"'),
    ],
)  # fmt: skip
def test_named_with_advice(data: bytes, what: str, advice: str) -> None:
    problem = name_foreign(data)
    assert problem is not None
    assert (problem.key, problem.text.key) == ("not-a-profile", f"problem.not-a-profile.{what}")
    assert advice in problem_line(problem)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"  \t"])
def test_empty(data: bytes) -> None:
    problem = name_foreign(data)
    assert problem is not None
    assert problem.key == "empty"


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a\x04\x08\x01\x10\x02",
        b"\xff\xfe\xfd",
        b"a log line\n" * 500,
        b"{" * 2000,
        b"[1, 2]" * 500,
        json.dumps({"message": ""}).encode() + b" " * 2000,
        "\u2003".encode(),
        b"\x1c",
    ],
)
def test_unknown(data: bytes) -> None:
    assert name_foreign(data) is None


@pytest.mark.parametrize("unit", [b"<!-- -->", b"<!--", b"a;", b'{"a":', b"[", b"(", b"---+", b" "])
def test_hostile_text_costs_no_time(unit: bytes) -> None:
    begin = time.process_time()
    named = name_foreign(unit * (200_000 // len(unit)) + b"x")
    assert time.process_time() - begin < 1.0  # some milliseconds where nothing else runs
    assert named is None or named.key != "internal"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("error-text-saved-as-heap.pb.gz", "short-text"),
        ("index-page-saved-as-threadcreate.prof", "short-text"),
        ("jfr-dump1.jfr.gz", "jfr"),
        ("logline-saved-as-goroutine_dump.txt", "short-text"),
        ("pprof-top-report.txt", "pprof-report"),
        ("simple.speedscope.json", "speedscope"),
    ],
)
def test_shared_negatives(name: str, what: str) -> None:
    data = (need_shared() / "negative" / name).read_bytes()
    problem = name_foreign(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    assert problem is not None
    assert problem.text.key == f"problem.not-a-profile.{what}"
