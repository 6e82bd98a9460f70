"""Dumps inside logs: whatever a dump is wrapped in, the goroutines that come out are those that went in."""

import json
import random
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import wrappings
from oakum.model import Capture, Reading
from oakum.parse import goroutines, logs, parse
from oakum.parse.logs import stamps
from oakum.parse.stack_lines import Lines
from oakum.report.words.lines import problem_line
from wrappings import CARRIERS, ENCODINGS, EXPORTS, INNERMOST, Wrap

PLAIN = (Path(__file__).parent / "testdata" / "logs" / "plain.txt").read_text()
OUTER = {**EXPORTS, **CARRIERS}
EVERY = {**OUTER, **INNERMOST}
UNWRAPPED = {"logrus-multi-line", "foreign-lines", "fence"}  # the dump's own lines are there as they are
BINARY = {"journald-export", "journald-export-binary"}  # their lengths do not survive another encoding

Groups = list[tuple[object, ...]]


def read(data: bytes) -> tuple[Reading, ...]:
    readings = parse(Capture("-", data))
    assert "internal" not in {problem.key for reading in readings for problem in reading.problems}
    return readings


def groups(reading: Reading) -> Groups:
    found = goroutines(reading)
    assert found is not None, [problem_line(problem) for problem in reading.problems]
    rows: Groups = []
    for group in found.groups:
        members = (tuple(column.tolist()) for column in (group.ids, group.parents, group.waits))
        rows.append((group.stack.frames, group.state, group.created_by, group.marks, *members))
    return sorted(rows, key=repr)


def only(data: bytes) -> Reading:
    (reading,) = read(data)
    return reading


def shifted(by: int) -> str:
    return re.sub(r"goroutine (\d+)", lambda m: f"goroutine {int(m[1]) + by}", PLAIN)


EXPECTED = groups(only(PLAIN.encode()))


def check(data: bytes, of: str = "") -> Reading:
    reading = only(data)
    assert groups(reading) == EXPECTED, of
    assert reading.problems == (), of
    return reading


def test_the_plain_dump_has_what_it_should() -> None:
    states = {str(row[1]) for row in EXPECTED}
    assert states >= {"chan send", "chan receive", "select", "select (no cases)", "IO wait", "sleep", "sync.Mutex.Lock"}
    assert sum(len(row[4]) for row in EXPECTED if isinstance(row[4], tuple)) == 13


@pytest.mark.parametrize("name", EVERY)
def test_every_wrapping_gives_back_the_dump(name: str) -> None:
    reading = check(EVERY[name](PLAIN))
    assert bool(reading.wrapping) == (name not in UNWRAPPED)


@pytest.mark.parametrize("name", [name for name in EVERY if name not in BINARY])
def test_every_encoding_of_every_wrapping(name: str) -> None:
    for encoding, encoded in ENCODINGS.items():
        check(encoded(EVERY[name](PLAIN)), encoding)


INSIDE = [*CARRIERS, *INNERMOST]


@pytest.mark.parametrize(("row", "outer"), [*enumerate(OUTER)])
def test_a_wrapping_inside_another(row: int, outer: str) -> None:
    for step in range(5):
        inner = INSIDE[(7 * row + 11 * step) % len(INSIDE)]
        check(OUTER[outer](EVERY[inner](PLAIN).decode()), inner)


@pytest.mark.parametrize("inner", ["json-rpc", "logrus", "zap-console"])
@pytest.mark.parametrize("name", ["ansi", "indent", "quoted", "html", "journald-export"])
def test_what_stands_around_the_parts_of_a_line_with_an_escaped_dump(name: str, inner: str) -> None:
    check(OUTER[name](CARRIERS["cri-partial"](EVERY[inner](PLAIN).decode()).decode()))


@pytest.mark.parametrize("name", ["kubectl-prefix", "compose"])
def test_the_stamp_of_an_inner_layer_is_left_to_it(name: str) -> None:
    check(OUTER[name](CARRIERS["journald-iso"](wrappings.json_lines_of_dump(PLAIN).decode()).decode()))


# A whole dump in one line: no second line shows where the prefix of the outer log ends and that of the inner begins.
NOT_TOLD_APART = {("journald-iso", "gh-run-view"), ("compose", "hclog"), ("kubectl-prefix", "hclog")}


@settings(max_examples=40, deadline=None)
@given(
    outer=st.sampled_from(sorted(OUTER)),
    middle=st.sampled_from(sorted(CARRIERS)),
    inner=st.sampled_from(sorted(INNERMOST)),
    encoding=st.sampled_from(["", *ENCODINGS]),
)
def test_any_three_wrappings_keep_every_goroutine(outer: str, middle: str, inner: str, encoding: str) -> None:
    assume(inner != "json-list" or (outer, middle) not in NOT_TOLD_APART)
    data = OUTER[outer](CARRIERS[middle](EVERY[inner](PLAIN).decode()).decode())
    if encoding and outer not in BINARY:
        data = ENCODINGS[encoding](data)
    total = sum(found.total for reading in read(data) if (found := goroutines(reading)))
    assert total == 13


@pytest.mark.parametrize("wrap", [wrappings.cri_partial, wrappings.docker_json_partial])
def test_parts_of_lines_are_joined(wrap: Callable[[str, int], bytes]) -> None:
    check(wrap(PLAIN, 60))


@pytest.mark.parametrize("name", ["journald", "docker-json", "logrus", "klog", "cri", "zap", "indent"])
def test_wrapping_is_named_outermost_first(name: str) -> None:
    reading = check(CARRIERS["compose"](EVERY[name](PLAIN).decode()))
    assert reading.wrapping[0] == "compose"
    assert reading.wrapping[1] == {"zap": "json"}.get(name, name)


def test_a_plain_dump_is_passed_on_uncopied() -> None:
    data = PLAIN.encode()
    (only_source,) = logs.unwrap(data)
    assert only_source.text is data
    big = memoryview(b"\n".join([data] * 2000))
    started = time.process_time()
    (only_source,) = logs.unwrap(big)
    assert only_source.text is big
    assert time.process_time() - started < 5  # it is looked at, not read


@pytest.mark.parametrize(
    "wrap",
    [
        wrappings.loki_answer,
        wrappings.json_lines_of_dump,
        wrappings.json_rpc,
        wrappings.cloud_array,
        wrappings.cloud_lines,
    ],
)
def test_a_big_json_export(wrap: Wrap) -> None:
    text = "\n".join(shifted(1000 * row) for row in range(39))
    found = goroutines(only(wrap(text)))
    assert found is not None
    assert found.total == 39 * 13


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["logrus", "slog", "zap", "zap-console", "klog-first-line", "klog-structured", "strace"]
)
@pytest.mark.parametrize("outer", ["", "journald", "docker-json", "cri-partial"])
def test_a_dump_far_larger_than_a_sample(outer: str, name: str) -> None:
    text = "\n".join(shifted(1000 * row) for row in range(80))
    data = EVERY[name](text)
    reading = only(CARRIERS[outer](data.decode()) if outer else data)
    found = goroutines(reading)
    assert found is not None
    assert found.total == 80 * 13
    assert len(groups(reading)) == len(EXPECTED)


def test_text_without_any_hint_is_passed_on() -> None:
    data = b'{"level": "info", "msg": "served"}\n' * 1000
    assert logs.unwrap(data)[0].text is data


# Several sources in one log


def second_dump() -> str:
    return shifted(1000)


def interleaved(*texts: list[str]) -> str:
    rng = random.Random(7)
    waiting = [list(lines) for lines in texts]
    mixed = []
    while any(waiting):
        lines = rng.choice([lines for lines in waiting if lines])
        mixed.append(lines.pop(0))
    return "\n".join(mixed) + "\n"


def lines_of(data: bytes) -> list[str]:
    return data.decode().splitlines()


def renamed(data: bytes, old: str, new: str) -> list[str]:
    return lines_of(data.replace(old.encode(), new.encode()))


SOURCES: list[tuple[Wrap, str, str, str, str]] = [
    (wrappings.kubectl, "api-5d9c7b-x2x7k", "api-5d9c7b-9zzzz", "api-5d9c7b-x2x7k/api", "api-5d9c7b-9zzzz/api"),
    (wrappings.journald_short, "app[4711]", "app[4712]", "app[4711]", "app[4712]"),
    (wrappings.journald_short_iso, "host app", "other app", "host/app[4711]", "other/app[4711]"),
    (wrappings.journald_json, '"4711"', '"99"', "app[4711]", "app[99]"),
    (wrappings.syslog_rfc3164, "app[4711]", "kubelet[1]", "app[4711]", "kubelet[1]"),
    (wrappings.syslog_rfc5424, "app 4711", "web 12", "app[4711]", "web[12]"),
    (wrappings.compose, "api-1 ", "web-22 ", "api-1", "web-22"),
    (wrappings.hclog, "vcd_v3.4.0.exe", "aws_v5.exe", "plugin.terraform-provider-vcd_v3.4.0.exe", ""),
    (wrappings.go_test_json, "example.com/stuck", "example.com/other", "example.com/stuck", "example.com/other"),
    (wrappings.cloud_lines, "x2x7k", "9zzzz", "api-5d9c7b-x2x7k/api", "api-5d9c7b-9zzzz/api"),
]


@pytest.mark.parametrize(("wrap", "old", "new", "first", "second"), SOURCES)
def test_two_processes_in_one_log_are_kept_apart(wrap: Wrap, old: str, new: str, first: str, second: str) -> None:
    log = interleaved(lines_of(wrap(PLAIN)), renamed(wrap(second_dump()), old, new))
    readings = {reading.notes["source"]: reading for reading in read(log.encode())}
    assert len(readings) == 2
    assert groups(readings[first]) == EXPECTED
    other = next(reading for source, reading in readings.items() if source != first)
    assert not second or other.notes["source"] == second
    assert groups(other) == groups(only(second_dump().encode()))


def test_standard_output_does_not_get_into_the_dump() -> None:
    noise = wrappings.cri("GET /v1/items 200\n" * 50).replace(b"stderr", b"stdout")
    check(interleaved(lines_of(wrappings.cri(PLAIN)), lines_of(noise)).encode())


def test_a_dump_whose_lines_have_a_process_each_is_one_dump() -> None:
    data = "".join(f"Jan 02 03:04:05 host logger[{row}]: {line}\n" for row, line in enumerate(PLAIN.splitlines()))
    assert groups(only(data.encode())) == EXPECTED


def test_lines_of_other_units_are_left_out() -> None:
    noise = ["Jan 02 03:04:05 host systemd[1]: Started Session 7 of User root."] * 40
    reading = check(interleaved(lines_of(wrappings.journald_short(PLAIN)), noise).encode())
    assert reading.notes["source"] == "app[4711]"


def test_too_many_sources_are_said_to_be_too_many() -> None:
    stack = "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:12 +0x1d\n"
    data = "".join(wrappings.compose(stack).decode().replace("api-1", f"api-{row}") for row in range(1010))
    readings = read(data.encode())
    assert len(readings) == 1000
    assert "more-sources" in {problem.key for reading in readings for problem in reading.problems}


# When and where


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("journald-iso", "2026-01-02T03:04:05+00:00"),
        ("journald-full", "2026-01-02T03:04:05+00:00"),
        ("journald-json", "2026-01-02T03:04:05.100000+00:00"),
        ("journald-export", "2026-01-02T03:04:05.100000+00:00"),
        ("syslog-5424", "2026-01-02T03:04:05.678901+01:00"),
        ("cri", "2026-01-02T03:04:05.100000+00:00"),
        ("docker-json", "2026-01-02T03:04:05.100000+00:00"),
        ("kubectl", "2026-01-02T03:04:05.100000+00:00"),
        ("github-actions", "2026-01-02T03:04:05.123456+00:00"),
        ("jenkins", "2026-01-02T03:04:05+00:00"),
        ("logrus", "2026-01-02T03:04:05+00:00"),
        ("logrus-multi-line", "2026-01-02T03:04:05+08:00"),
        ("slog", "2026-01-02T03:04:05.678000+00:00"),
        ("zap", "2026-01-02T03:04:05.100000+00:00"),
        ("go-test-json", "2026-01-02T03:04:05.100000+00:00"),
    ],
)
def test_the_log_says_when(name: str, at: str) -> None:
    assert check(EVERY[name](PLAIN)).taken_at == datetime.fromisoformat(at)


@pytest.mark.parametrize(
    ("name", "stamp"),
    [
        ("journald", "Jan 02 03:04:05"),
        ("syslog", "Jan  2 03:04:05"),
        ("klog", "E0102 03:04:05.678901"),
        ("klog-first-line", "E0102 03:04:05.678901"),
        ("package-log", "2026/01/02 03:04:05"),
    ],
)
def test_a_stamp_without_year_or_zone_stays_text(name: str, stamp: str) -> None:
    reading = check(EVERY[name](PLAIN))
    assert reading.taken_at is None
    assert reading.notes["stamp"] == stamp


def test_an_inner_stamp_without_a_year_takes_the_outer_one() -> None:
    reading = check(wrappings.cri(wrappings.klog_every_line(PLAIN).decode()))
    assert reading.taken_at == datetime(2026, 1, 2, 3, 4, 5, 100000, UTC)


def test_each_dump_of_a_log_has_its_own_time() -> None:
    times = [1767323045 + 3600 * row for row in range(3)]
    readings = read(wrappings.objects([{"ts": at, "msg": "dump", "stack": PLAIN} for at in times]))
    assert [reading.taken_at for reading in readings] == [datetime.fromtimestamp(at, UTC) for at in times]


def test_a_dump_that_stands_bare_does_not_take_the_time_of_another() -> None:
    bare, later = read(PLAIN.encode() + b"exit status 2\n" + wrappings.slog_text(second_dump()))
    assert bare.taken_at is None
    assert later.taken_at == datetime(2026, 1, 2, 3, 4, 5, 678000, UTC)


@pytest.mark.parametrize(
    ("stamp", "at"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, 0, UTC)),
        ("2026-01-02T03:04:60Z", datetime(2026, 1, 2, 3, 4, 59, 0, UTC)),
        ("1767323045", datetime(2026, 1, 2, 3, 4, 5, 0, UTC)),
        ("1767323045123456", datetime(2026, 1, 2, 3, 4, 5, 123456, UTC)),
        ("2026-13-02T03:04:05Z", None),
        ("2026-01-02T03:04:05+99:99", None),
        ("2026-01-02 03:04:05", None),
        ("", None),
    ],
)
def test_stamps(stamp: str, at: datetime | None) -> None:
    assert stamps.parse_stamp(stamp) == at


# Cut


@pytest.mark.parametrize("name", ["logrus", "slog", "zap", "zap-console", "strace"])
def test_a_field_cut_by_a_limit_is_said_to_be_cut(name: str) -> None:
    reading = only(EVERY[name](PLAIN)[:2500] + b"\n")
    found = goroutines(reading)
    assert found is not None
    assert found.cut
    assert 2 < found.total < 13
    assert "field-cut" in {problem.key for problem in reading.problems}


def test_the_cut_belongs_to_the_dump_that_was_cut() -> None:
    cut, whole = wrappings.slog_text(PLAIN)[:2500] + b"\n", wrappings.slog_text(second_dump())
    first, second = [goroutines(reading) for reading in read(cut + whole)]
    assert first is not None
    assert second is not None
    assert (first.cut, second.cut) == (True, False)
    assert second.total == 13


def test_what_strace_left_out_is_said() -> None:
    data = wrappings.strace_write(PLAIN)
    reading = only(data[:2500] + b'"..., 65536) = 8421\n')
    found = goroutines(reading)
    assert found is not None
    assert found.cut
    assert {"write-cut", "field-cut"} <= {problem.key for problem in reading.problems}


def test_messages_that_journalctl_left_out_are_said() -> None:
    data = wrappings.journald_json(PLAIN) + json.dumps(wrappings.journal_record(1, None)).encode() + b"\n"
    assert [problem.key for problem in only(data).problems] == ["field-left-out"]


def test_lines_that_journald_broke_at_48_kib_are_joined() -> None:
    line = wrappings.logrus_one_line(PLAIN * 30).decode().splitlines()[1]
    parts = [line[at : at + 48 * 1024] for at in range(0, len(line), 48 * 1024)]
    assert len(parts) > 1
    data = "".join(f"Jan 02 03:04:05 host containerd[1188]: {part}\n" for part in parts)
    readings = read(data.encode())
    assert sum(found.total for reading in readings if (found := goroutines(reading))) == 30 * 13
    assert readings[0].wrapping == ("journald", "logrus")


def in_parts(text: str, size: int) -> list[str]:
    line = wrappings.logrus_one_line(text).decode().splitlines()[1]
    return [line[at : at + size] for at in range(0, len(line), size)]


# 2048: systemd before 235; 8000: LineMax=8000; 16384: the journald driver of docker
@pytest.mark.parametrize("size", [333, 2047, 2048, 8000, 16384])
@pytest.mark.parametrize("other", ["", 'Jan 02 03:04:05 host kubelet[7]: synced "a"\n'])
def test_an_escaped_dump_in_records_of_any_size_is_joined(size: int, other: str) -> None:
    before = 'Jan 02 03:04:05 host containerd[1188]: time="2026-01-02T03:04:04Z" level=info msg="started \\n"\n'
    parts = [f"Jan 02 03:04:05 host containerd[1188]: {part}\n" for part in in_parts(PLAIN * 30, size)]
    readings = read((before + other.join(parts) + before).encode())
    assert sum(found.total for reading in readings if (found := goroutines(reading))) == 30 * 13
    assert groups(readings[0]) == EXPECTED
    assert readings[0].wrapping == ("journald", "logrus")
    assert [problem for reading in readings for problem in reading.problems] == []


@pytest.mark.parametrize("size", [333, 2048])
def test_an_escaped_dump_in_journal_records_of_any_size_is_joined(size: int) -> None:
    parts = in_parts(PLAIN, size)
    check(wrappings.objects([wrappings.journal_record(row, part) for row, part in enumerate(parts)]))


def test_records_after_a_cut_field_are_not_taken_for_its_rest() -> None:
    cut = wrappings.logrus_one_line(PLAIN).decode().splitlines()[1][:2500]
    after = ['time="2026-01-02T03:04:06Z" level=info msg="a\\nb"', 'served "x"', "goroutine 99 [select]:", "main.f()"]
    data = "".join(f"Jan 02 03:04:05 host containerd[1188]: {line}\n" for line in [cut, *after, "\t/src/a.go:3 +0x1"])
    found = [number for reading in read(data.encode()) for row in groups(reading) for number in row[4]]  # type: ignore[attr-defined]  # a tuple
    assert 99 in found


@pytest.mark.parametrize("after", ["", "\n", "\ntime=2026-01-02T03:04:06.678Z level=INFO msg=served\n"])
def test_a_position_torn_by_a_limit_is_not_kept_as_if_it_were_whole(after: str) -> None:
    dump = "goroutine 5 [select]:\nmain.a(0x1)\n\t/a/m.go:10 +0x1\nmain.b(0x1)\n\t/a/m.go:1194 +0x1\n"
    line = json.dumps("goroutine 4 [select]:\nmain.c(0x1)\n\t/a/m.go:30 +0x1\n\n" + dump)
    reading = only(f"time=2026-01-02T03:04:05.678Z level=ERROR msg={line[: line.index('94')]}{after}".encode())
    found = goroutines(reading)
    assert found is not None
    assert found.cut
    stacks = {int(group.ids[0]): group.stack for group in found.groups}
    assert {number: stack.truncated for number, stack in stacks.items()} == {4: False, 5: True}
    assert ("main.a", 10) in [(frame.function, frame.line) for frame in stacks[5].frames]
    assert 11 not in [frame.line for frame in stacks[5].frames]


def test_a_profile_in_one_quoted_field() -> None:
    profile = "goroutine profile: total 10\n3 @ 0x47d86a 0x41421c\n#\t0x41421b\tmain.a+0x1b\t/src/main.go:3\n\n"
    profile += "7 @ 0x47d86a 0x51421c\n#\t0x51421b\tmain.b+0x1b\t/src/main.go:9\n\n"
    line = f'time="2026-01-02T03:04:05Z" level=info msg={json.dumps(profile)} namespace=moby\n'
    for data in (line, line + wrappings.logrus_one_line(PLAIN).decode()):
        readings = read(data.encode())
        assert [found.total for reading in readings if (found := goroutines(reading))] == [10, 13][: len(readings)]
        assert (readings[0].format, readings[0].wrapping) == ("debug1", ("logrus",))
    assert len(readings) == 2


def test_lines_that_end_in_a_carriage_return_alone() -> None:
    for data in (PLAIN, wrappings.logrus_each_line(PLAIN).decode(), wrappings.klog_every_line(PLAIN).decode()):
        check(data.replace("\n", "\r").encode())
    check(wrappings.utf16_le(PLAIN.replace("\n", "\r").encode()))


@pytest.mark.parametrize("name", EVERY)
def test_cutting_a_log_anywhere_still_gives_a_value(name: str) -> None:
    data = EVERY[name](PLAIN)
    rng = random.Random(name)
    for at in (rng.randrange(len(data)) for _ in range(6)):
        readings = read(data[:at])
        assert readings
        assert sum(found.total for reading in readings if (found := goroutines(reading))) <= 13


# Other profiles in logs

DEBUG1 = (
    "goroutine profile: total 3\n"
    "2 @ 0x47d86a 0x41421c 0x4e169d\n"
    "#\t0x4e169c\tmain.leak.func1+0x1c\t/src/main.go:3\n\n"
    "1 @ 0x47d86a 0x41421d 0x4e169e\n"
    "#\t0x4e169d\tmain.main+0x1d\t/src/main.go:9\n"
)


@pytest.mark.parametrize("name", ["docker-json", "kubectl", "journald", "cri", "klog", "quoted", "compose-stamps"])
def test_count_profiles_are_unwrapped_too(name: str) -> None:
    reading = only(EVERY[name](DEBUG1))
    found = goroutines(reading)
    assert (reading.kind, reading.format) == ("goroutine", "debug1")
    assert reading.wrapping
    assert found is not None
    assert found.total == 3


def test_a_log_with_a_dump_and_a_profile_gives_both_in_order() -> None:
    text = f"{DEBUG1}\nserved\n\n{PLAIN}"
    assert [reading.format for reading in read(text.encode())] == ["debug1", "debug2"]


# Hostile


def hostile() -> Iterator[tuple[str, bytes]]:
    header = b"goroutine 1 [running]:"
    for name, unit in {
        "headers": b"goroutine 1 [",
        "escaped": header + rb"\n",
        "quoted": b'"' + header + rb"\n" + b'"',
        "half quoted": rb"\"" + header + rb"\n",
        "lines": header + b"\n",
        "marks": b"> " + header + b"\n",
        "pods": b"[pod/a/b] " + header + b"\n",
        "calls of strace": b'write(1, "' + header + rb"\n" + b'"..., 3) = 3\n',
        "fields": b"__REALTIME_TIMESTAMP=1767319445678901\nMESSAGE=" + header + b"\n",
    }.items():
        yield name, unit * (100_000 // len(unit))
    for unit in (
        b"[\n",
        b"[",
        b'{"a":',
        b'{"a":\n',
        b"\\",
        b'"',
        b"> ",
        b" ",
        b"    \n",
        b"\x1b[",
        b"\x1b]",
        b"&#",
        b"<a ",
    ):
        yield repr(unit), b"    " + header + b"\n" + unit * (100_000 // len(unit))
    for unit in (
        b"(",
        b"a()",
        b"a(\n",
        b":1",
        b"a," + b"\n",
        b"a" * 80 + b"\n",
        b"\0",
        b"<11>1 ",
        b"[a]",
        b"1",
        b"--- ",
    ):
        yield repr(unit), header + b"\n\t" + unit * (100_000 // len(unit))
    sources = (b"Jan 02 03:04:05 host app[%d]: %b\n" % (row, header) for row in range(2000))
    yield "a source a line", b"".join(sources)


@pytest.mark.parametrize(("name", "data"), list(hostile()), ids=[name for name, _ in hostile()])
@pytest.mark.slow
def test_hostile_logs_take_bounded_time(name: str, data: bytes) -> None:
    started = time.process_time()
    assert read(data)
    assert time.process_time() - started < 8


LOG_LINE = (
    b'2026-03-01T12:00:00.000Z\tINFO\tserver/handler.go:17\trequest served\t{"path": "/api/v1/items", "bytes": 512}\n'
)


@pytest.mark.parametrize("carrier", ["plain", "cri", "docker-json"])
def test_a_big_log_is_read_around_its_dumps(carrier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in lines, not in seconds: those far from any header are not looked at one by one."""
    read_lines: list[int] = []
    feed = Lines.feed

    def counted(self: Lines, line: bytes, offset: int) -> None:
        read_lines.append(offset)
        feed(self, line, offset)

    monkeypatch.setattr(Lines, "feed", counted)
    wrap: Callable[[bytes], bytes] = {
        "plain": lambda line: line,
        "cri": lambda line: b"2026-03-01T12:00:00.000000000Z stderr F " + line,
        "docker-json": lambda line: json.dumps({"log": line.decode(), "stream": "stderr", "time": "2026-03-01T12:00:00Z"}).encode() + b"\n",
    }[carrier]  # fmt: skip
    noise = wrap(LOG_LINE) * ((20 << 20) // len(wrap(LOG_LINE)))
    dumps = [
        b"".join(wrap(line) for line in f"SIGQUIT: quit\n\n{shifted(by)}\n".encode().splitlines(True))
        for by in (0, 50_000)
    ]
    readings = read(noise + dumps[0] + noise + dumps[1] + noise)
    assert [groups(one) == EXPECTED for one in readings] == [True, False]
    assert [len(groups(one)) for one in readings] == [len(EXPECTED)] * 2
    assert {one.notes["reason"] for one in readings} == {"SIGQUIT: quit"}
    lines = (noise * 3).count(b"\n")
    assert len(read_lines) < lines / 4, f"{len(read_lines):,} of {lines:,} lines were read one by one"
