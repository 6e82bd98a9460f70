"""Every file of the shared evidence reads as its INDEX.yaml says, or is refused with a problem that says what it is.

One test a file: a file that is added there is walked here without a change.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
import yaml

from oakum.model import Capture, Reading
from oakum.parse import goroutines, parse
from oakum.report.words.lines import problem_line
from support import SHARED

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not SHARED.is_dir(), reason="no shared evidence beside this clone"),
]
Entry = dict[str, Any]

# Fewer goroutines than header lines: goroutine 0 is a thread, and GOTRACEBACK=crash prints running ones again.
_THREADS = {
    "dumps/erigon-res-locked.txt": 6,
    "dumps/kubelet-wedged-journald-go1.14.1.log": 199,
    "dumps/profiler-notes-runtime-stack.txt": 10,
    "dumps/vice-mutex-hang-sigabrt.log": 27,
    "gotest/golang-build-17.log": 20,
}
_CUT = {"dialects/strace-double-escaped.log": 3, "dialects/truncated-midline.txt": 8}
_UNWRAPPED = {
    "dialects/crlf-bom.txt",
    "dialects/interleaved-logs.txt",
    "dialects/logrus-multi-line.log",
    "dialects/truncated-midline.txt",
    "dialects/two-dumps.txt",
}
_TEXT_FORMATS = (
    (r"debug=2|panic|goroutine stack dump|SIGABRT|goroutine dump|dump in one|timeout dump", "debug2"),
    (r"goroutine(leak)? debug=1|threadcreate debug=1", "debug1"),
    (r"Java (heap|contention)", "java-text"),
    (r"[Hh]eap (debug=1 )?text|heap growth|heap text|jemalloc heap|heap debug=1", "heap-text"),
    (r"block profile|mutex profile|contentionz", "contention-text"),
    (r"threadz", "thread-text"),
    (r"legacy CPU|Java CPU", "legacy-cpu"),
)


def _entries() -> list[Entry]:
    if not SHARED.is_dir():
        return []
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, and every worker reads it
    entries: list[Entry] = yaml.load((SHARED / "INDEX.yaml").read_text(encoding="utf-8"), loader)["files"]
    return entries


ENTRIES = _entries()


@cache
def read(file: str) -> tuple[Reading, ...]:
    readings = parse(Capture(file, (SHARED / file).read_bytes()))
    assert readings
    assert "internal" not in {problem.key for reading in readings for problem in reading.problems}
    return readings


def totals(readings: tuple[Reading, ...]) -> Iterator[int]:
    for reading in readings:
        found = goroutines(reading)
        if found is not None:
            yield found.total


def groups(reading: Reading) -> list[str]:
    found = goroutines(reading)
    assert found is not None
    return sorted(
        repr((group.stack, group.state, group.created_by, group.marks, group.ids.tolist(), group.waits.tolist()))
        for group in found.groups
    )


def _reads_or_says_why_not(entry: Entry) -> None:
    for reading in read(entry["file"]):
        assert reading.usable or reading.kind in ("unknown", "trace")
        assert reading.usable or reading.problems


def _every_dialect_gives_the_same_goroutines(entry: Entry) -> None:
    file = entry["file"]
    readings = read(file)
    if file in _CUT:
        (found,) = (goroutines(reading) for reading in readings)
        assert found is not None
        assert (found.total, found.cut) == (_CUT[file], True)
        assert readings[0].problems
    else:
        (plain,) = read("goroutine-triple/2.pprof.lookup.goroutine.debug2.txt")
        assert len(readings) == (2 if "two" in entry["kind"] else 1)
        for reading in readings:
            assert groups(reading) == groups(plain)
            assert reading.problems == ()
    assert bool(readings[0].wrapping) == (file not in _UNWRAPPED)


def _every_header_is_a_goroutine(entry: Entry) -> None:
    file = entry["file"]
    assert sum(totals(read(file))) == _THREADS.get(file, entry["goroutine_headers"])


def _protobuf_has_the_samples_of_the_index(entry: Entry) -> None:
    (reading,) = read(entry["file"])
    profile = reading.profile
    assert reading.format == "pprof"
    assert profile is not None
    assert profile.samples == entry["samples"]
    assert [str(kind) for kind in profile.sample_types] == entry["sample_types"]
    assert len(profile.functions) == entry["functions"]
    assert len(profile.mappings) == entry["mappings"]


def _refused_with_what_it_is_and_what_to_do(entry: Entry) -> None:
    (reading,) = read(entry["file"])
    assert (reading.kind, reading.usable) == ("unknown", False)
    assert any(problem.key == "not-a-profile" and len(problem_line(problem)) > 40 for problem in reading.problems)


def _the_format_is_the_one_of_the_index(entry: Entry) -> None:
    kind = entry["kind"]
    if kind.startswith("golden"):
        assert read(entry["file"])[0].kind == "unknown"
        return
    wanted = next((form for words, form in _TEXT_FORMATS if re.search(words, kind)), None)
    if wanted is not None:
        assert wanted in {"debug2" if r.format == "goleak" else r.format for r in read(entry["file"])}


# What is true of the files of these folders, of those whose entry has this key (True) or does not have it (False).
CHECKS: tuple[tuple[Callable[[Entry], None], tuple[str, ...], dict[str, bool]], ...] = (
    (_reads_or_says_why_not, ("",), {}),
    (_every_dialect_gives_the_same_goroutines, ("dialects/",), {}),
    (_every_header_is_a_goroutine, ("dumps/", "gotest/", "pairs/", "goroutine-triple/"), {"goroutine_headers": True}),
    (_protobuf_has_the_samples_of_the_index, ("",), {"profile": True}),
    (_refused_with_what_it_is_and_what_to_do, ("negative/",), {}),
    (
        _the_format_is_the_one_of_the_index,
        ("legacy/", "issues/", "goroutine1/", "dumps/", "gotest/"),
        {"profile": False},
    ),
)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_it_reads_as_the_index_says(entry: Entry) -> None:
    for check, folders, having in CHECKS:
        if entry["file"].startswith(folders) and all((key in entry) == there for key, there in having.items()):
            check(entry)


def test_several_profiles_in_one_file() -> None:
    kinds = [reading.kind for reading in read("goroutine1/holmes-examples.txt")]
    assert kinds == ["heap", "goroutine", "goroutine", "heap", "threadcreate", "goroutine"]
    assert len(read("goroutine1/apiserver-100-profiles.txt")) == 100


def test_the_journal_names_process_and_time() -> None:
    (reading,) = read("issues/containerd-ttrpc-94.journald.log")
    assert reading.wrapping == ("journald", "logrus")
    assert reading.notes["source"] == "containerd[1188]"
    assert reading.taken_at is not None
    assert reading.taken_at.isoformat() == "2021-11-02T03:14:55.083216+00:00"
    assert sum(totals((reading,))) == 90
