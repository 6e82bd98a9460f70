"""Goroutine stacks as text: every form, several dumps, torn texts, and grouping that equals the patient reader's."""

import mmap
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oakum.model import Frame, GoroutineGroup, Goroutines, Reading
from oakum.parse import stack_scan, stacks
from oakum.parse.limits import Limits
from oakum.report.words.lines import problem_line
from support import need_shared

TESTDATA = Path(__file__).parent / "testdata" / "stacks"


def _goroutines(reading: Reading) -> Goroutines:
    assert reading.goroutines is not None
    return reading.goroutines


def _only(text: str | bytes) -> Reading:
    (reading,) = stacks.read(text.encode() if isinstance(text, str) else text)
    return reading


def _group(text: str) -> GoroutineGroup:
    (group,) = _goroutines(_only(text)).groups
    return group


def _dump(*goroutines: str) -> str:
    return "\n\n".join(goroutines) + "\n"


WORKER = """goroutine {id} [{state}]:
main.(*pool).work(0xc000{id:06x}, {{0x1, 0x2?}}, 0x0?)
	/src/pool.go:41 +0x1d
created by main.(*pool).start in goroutine {parent}
	/src/pool.go:12 +0x45"""


def _worker(number: int, state: str = "chan receive", parent: int = 1) -> str:
    return WORKER.format(id=number, state=state, parent=parent)


# --- headers


@pytest.mark.parametrize(
    ("header", "state", "wait", "marks", "leaked", "labels"),
    [
        ("[chan send]:", "chan send", -1, (), False, ()),
        ("[chan receive (nil chan), 5 minutes, locked to thread]:", "chan receive (nil chan)", 5,
         ("locked to thread",), False, ()),
        ("[select (no cases)]:", "select (no cases)", -1, (), False, ()),
        ("[IO wait (scan), 1 minutes]:", "IO wait", 1, ("scan",), False, ()),
        ("[chan send (durable), synctest bubble 3]:", "chan send", -1, ("durable", "synctest bubble 3"), False, ()),
        ('[select (no cases) (leaked)] {k: "v \\"q\\"", pattern: "GET /x"}:', "select (no cases)", -1, (), True,
         (("k", 'v "q"'), ("pattern", "GET /x"))),
        ("[chan receive] {path: /x, empty: , n: 1}:", "chan receive", -1, (), False,
         (("path", "/x"), ("empty", ""), ("n", "1"))),
        ('[chan receive, 2 minutes labels:{"a]:": "b, 7 minutes", "t": "\\u00e9\\n"}]:', "chan receive", 2, (), False,
         (("a]:", "b, 7 minutes"), ("t", "é\n"))),
        ("gp=0xc000002380 m=0 mp=0x1a2b [running]:", "running", -1, (), False, ()),
        ("gp=0xc000002380 m=nil [select, 3 minutes, locked to thread]:", "select", 3, ("locked to thread",), False, ()),
        ("[GC worker (idle), 7 minutes]:", "GC worker (idle)", 7, (), False, ()),
        ("[a state of tomorrow]:", "a state of tomorrow", -1, (), False, ()),
    ],
)  # fmt: skip
@pytest.mark.parametrize("many", [1, 3])
def test_headers(
    header: str,
    state: str,
    wait: int,
    marks: tuple[str, ...],
    leaked: bool,
    labels: tuple[tuple[str, str], ...],
    many: int,
) -> None:
    group = _group(_dump(*(f"goroutine {n + 7} {header}\nmain.f()\n\t/x.go:3 +0x1d" for n in range(many))))
    assert (group.state, group.marks, group.leaked, group.labels) == (state, marks, leaked, labels)
    assert group.waits.tolist() == [wait] * many
    assert group.ids.tolist() == [n + 7 for n in range(many)]


@pytest.mark.parametrize(
    "text",
    ["", "hello\n", "goroutine profile: total 3\n", "a goroutine 5 is [running\n", "goroutine x [running]:\n",
     "WARNING: DATA RACE\nRead by goroutine 4:\n  main.f()\n      /x.go:3 +0x1\n\nGoroutine 4 (running) created at:\n"
     "  main.main()\n      /x.go:9 +0x2\n"],
)  # fmt: skip
def test_no_header_no_reading(text: str) -> None:
    assert stacks.read(text.encode()) == ()


# --- frames


@pytest.mark.parametrize(
    ("lines", "frame"),
    [
        ("main.f(0xc000010000, {0x1, 0x2?}, ...)\n\t/src/x.go:12 +0x1d", Frame("main.f", "/src/x.go", 12)),
        ("pkg.(*T).M(...)\n\t/src/x.go:12", Frame("pkg.(*T).M", "/src/x.go", 12)),
        ("pkg.F[...]({...})\n\t/src/x.go:12 +0x1d", Frame("pkg.F[...]", "/src/x.go", 12)),
        ("pkg.(*T[go.shape.struct { X int }]).M()\n\t/x.go:1 +0x1",
         Frame("pkg.(*T[go.shape.struct { X int }]).M", "/x.go", 1)),
        ("main.func·001()\n\t/src/x.go:12 +0x1d", Frame("main.func·001", "/src/x.go", 12)),
        ("main.(*T).(github.com/a/b.m)-fm(0x1)\n\t/x.go:1 +0x1", Frame("main.(*T).(github.com/a/b.m)-fm", "/x.go", 1)),
        ("main.f()\n\tC:/Program Files (x86)/a b/x.go:693 +0x9f",
         Frame("main.f", "C:/Program Files (x86)/a b/x.go", 693)),
        ("main.f()\n        /src/x.go:12 +0x1d", Frame("main.f", "/src/x.go", 12)),
        ("main.f()\n/src/x.go:12 +0x1d", Frame("main.f", "/src/x.go", 12)),
        ("main.f()\n\t/x.go:8 +0xd6 fp=0xc0007d0 sp=0xc0007b0 pc=0x4b2256", Frame("main.f", "/x.go", 8)),
        ("main.f()\n\t/src/asm.s +0x1d", Frame("main.f", "/src/asm.s", 0)),
        ("time.Sleep(0xee5ad23)\n\t/pkg/runtime/ztime_darwin_amd64.c:19 +0x2f",
         Frame("time.Sleep", "/pkg/runtime/ztime_darwin_amd64.c", 19)),
        ("sleep_loop\n\t/src/x.c:12 pc=0x47d86a", Frame("sleep_loop", "/src/x.c", 12)),
        ("non-Go function\n\tpc=0x47d86a", Frame("non-Go function", "", 0)),
        ("main.f\n\t/src/x.go:12", Frame("main.f", "/src/x.go", 12)),
        ("main._Cfunc_sleep(0xf4240)\n\t_cgo_gotypes.go:56 +0x45", Frame("main._Cfunc_sleep", "_cgo_gotypes.go", 56)),
        ("gopkg.in/yaml%2ev2.F()\n\t/x.go:1 +0x1", Frame("gopkg.in/yaml%2ev2.F", "/x.go", 1)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_frames(lines: str, frame: Frame, eol: str) -> None:
    blocks = [f"goroutine {n} [select]:\n{lines}\nmain.g()\n\t/y.go:3 +0x1" for n in (1, 2, 3)]
    reading = _only(_dump(*blocks).replace("\n", eol))
    (group,) = _goroutines(reading).groups
    assert group.count == 3
    assert group.stack.frames == (frame, Frame("main.g", "/y.go", 3))
    assert reading.problems == ()


def test_creator_and_parent() -> None:
    group = _group(_dump(*(_worker(n, parent=n % 7 + 1) for n in range(10, 20))))
    assert group.created_by == Frame("main.(*pool).start", "/src/pool.go", 12)
    assert group.parents.tolist() == [n % 7 + 1 for n in range(10, 20)]
    old = _group("goroutine 5 [select]:\nmain.f()\n\t/x.go:1 +0x1\ncreated by main.g\n\t/x.go:2 +0x2\n")
    assert (old.created_by, old.parents.tolist()) == (Frame("main.g", "/x.go", 2), [0])


def test_ancestors() -> None:
    group = _group(
        "goroutine 9 [select]:\nmain.f()\n\t/x.go:1 +0x1\ncreated by main.g\n\t/x.go:2 +0x2\n"
        "[originating from goroutine 4]:\nmain.g(...)\n\t/x.go:2 +0x2\n...additional frames elided...\n"
        "created by main.h\n\t/x.go:3 +0x3\n[originating from goroutine 1]:\nmain.main(...)\n\t/x.go:4 +0x4\n"
    )
    assert group.created_by == Frame("main.g", "/x.go", 2)
    assert group.parents.tolist() == [4]
    assert [(stack.functions, stack.truncated) for stack in group.ancestors] == [
        (("main.g",), True),
        (("main.main",), False),
    ]


@pytest.mark.parametrize("words", ["...additional frames elided...", "...23 frames elided..."])
def test_elided_frames(words: str) -> None:
    stack = _group(f"goroutine 1 [select]:\nmain.f()\n\t/x.go:1 +0x1\n{words}\nmain.main()\n\t/x.go:2 +0x2\n").stack
    assert (stack.functions, stack.truncated) == (("main.f", "main.main"), True)


def test_empty_and_unavailable_stacks() -> None:
    text = (
        "goroutine 1 [running]:\n\tgoroutine running on other thread; stack unavailable\n\ngoroutine 2 [syscall]:\n\n"
    )
    groups = _goroutines(_only(text)).groups
    assert [(g.ids.tolist(), g.stack.frames, g.stack.truncated) for g in groups] == [([1], (), True), ([2], (), False)]


def test_a_broken_frame_is_a_problem_and_the_rest_is_kept() -> None:
    reading = _only(
        "goroutine 1 [running]:\nmain.f()\n\t/x.go:1 +0x1\nmain.main)(\n\t/x.go:152 +0x3d2\nmain.h()\n\t/x.go:3 +0x1\n"
    )
    assert _goroutines(reading).groups[0].stack.functions == ("main.f", "main.h")
    assert [(p.key, p.where) for p in reading.problems] == [("bad-frame", "line 5")]
    assert "main.main)(" in problem_line(reading.problems[0])


def test_a_function_without_position_is_kept() -> None:
    reading = _only("goroutine 1 [running]:\nmain.f()\n\ngoroutine 2 [select]:\nmain.g()\n\t/x.go:1 +0x1\n")
    assert [g.stack.frames for g in _goroutines(reading).groups] == [
        (Frame("main.f"),),
        (Frame("main.g", "/x.go", 1),),
    ]
    assert [(p.key, p.where) for p in reading.problems] == [("no-position", "line 2")]


def test_parking_frames_are_off_and_the_stack_names_the_primitive() -> None:
    group = _group(
        "goroutine 7 [semacquire, 4 minutes]:\nsync.runtime_SemacquireMutex(0xc0000f4b74, 0xc00ccc0f00, 0x1)\n"
        "\t/go/src/runtime/sema.go:71 +0x47\nsync.(*Mutex).lockSlow(0xc0000f4b70)\n\t/go/src/sync/mutex.go:138 +0xfc\n"
        "sync.(*Mutex).Lock(...)\n\t/go/src/sync/mutex.go:81\nmain.f(0xc000000001?, 0xc000111111)\n\t/x.go:1 +0x1\n"
    )
    assert group.state == "sync.Mutex.Lock"
    assert group.stack.functions == ("sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", "main.f")


def test_words_are_those_go_is_sure_of() -> None:
    goroutines = _goroutines(_only(_dump(_worker(0xABCD), _worker(0xABCE))))
    assert stacks.words(goroutines, goroutines.groups[0], 1) == ((0xC00000ABCE,),)
    lock = _goroutines(
        _only(
            "goroutine 7 [sync.Mutex.Lock]:\nsync.runtime_SemacquireMutex(0x0?, 0x0?, 0x0?)\n\t/sema.go:1 +0x1\n"
            "sync.(*Mutex).lockSlow(0xc000123456)\n\t/mutex.go:2 +0x1\nmain.f({0xc000000010?, 0x7}, 0x5a3b20)\n"
            "\t/x.go:1 +0x1\n"
        )
    )
    assert stacks.words(lock, lock.groups[0], 0) == ((0xC000123456,), (0x5A3B20,))


# --- several dumps, and what stands between


def test_a_goroutine_that_appears_again_is_in_a_new_dump() -> None:
    once = "goroutine 1 [running]:\nruntime/debug.Stack()\n\t/x.go:1 +0x1\nmain.main()\n\t/x.go:2 +0x1\n"
    readings = stacks.read("".join(f"2024/01/01 12:00:{n:02} something\n{once}" for n in range(35)).encode())
    assert [_goroutines(r).total for r in readings] == [1] * 35
    assert readings[1].where == "lines 8-12"


def test_recovered_panics_of_different_goroutines_are_dumps_of_their_own() -> None:
    one = "http: panic serving\ngoroutine {} [running]:\nmain.f()\n\t/x.go:1 +0x1\ncreated by main.g\n\t/x.go:2 +0x1\n"
    assert len(stacks.read((one.format(5) + one.format(9)).encode())) == 2


def test_marks_begin_a_new_dump_and_give_the_reason() -> None:
    text = (
        f"panic: boom [recovered]\n\tpanic: again\n\n{_dump(_worker(1), _worker(2))}exit status 2\n"
        f"fatal error: all goroutines are asleep - deadlock!\n\n{_dump(_worker(3))}"
        f"SIGQUIT: quit\nPC=0x4e42c1 m=0 sigcode=0\n\n{_dump(_worker(4))}"
        f"INFO[0042] === BEGIN goroutine stack dump ===\n{_dump(_worker(5))}"
    )
    readings = stacks.read(text.encode())
    assert [r.notes.get("reason") for r in readings] == [
        "panic: boom [recovered]", "fatal error: all goroutines are asleep - deadlock!", "SIGQUIT: quit", None,
    ]  # fmt: skip
    assert [_goroutines(r).total for r in readings] == [2, 1, 1, 1]
    assert readings[0].where == "lines 1-14"


def test_threads_printed_again_are_folded() -> None:
    other = "goroutine {} [running]:\n\tgoroutine running on other thread; stack unavailable"
    registers = "rax    0xca\nrip    0x4e42c1\n"
    idle = "goroutine 0 [idle]:\nruntime.futex()\n\t/futex.s:1 +0x21\n"
    text = (
        f"SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\n{idle}\n{_dump(_worker(1), other.format(2), other.format(3))}\n"
        f"{registers}\n-----\n\nSIGQUIT: quit\nPC=0x2 m=2 sigcode=0\n\n{_dump(_worker(2, 'running'))}{registers}"
        f"\n-----\n\nSIGQUIT: quit\nPC=0x3 m=3 sigcode=0\n\n{idle}{registers}"
    )
    groups = _goroutines(_only(text)).groups
    assert sorted((g.ids.tolist(), len(g.stack.frames)) for g in groups) == [([1], 1), ([2], 1), ([3], 0)]


def test_only_a_thread() -> None:
    reading = _only("SIGABRT: abort\nPC=0x1 m=0\n\ngoroutine 0 [idle]:\nruntime.futex()\n\t/futex.s:1 +0x21\n")
    assert (_goroutines(reading).total, reading.notes["reason"]) == (0, "SIGABRT: abort")


def test_sections_that_are_no_goroutine() -> None:
    text = (
        "fatal error: unexpected signal\n\nruntime stack:\nruntime.throw({0x1, 0x2})\n\t/panic.go:1198 +0x71\n\n"
        f"WARNING: DATA RACE\nRead by goroutine 4:\n  main.f()\n      /x.go:105 +0x46\n\n{_dump(_worker(1))}"
        "rax    0xca\nmain.ghost()\n\t/x.go:3 +0x1\n"
    )
    assert _group(text).stack.functions == ("main.(*pool).work",)


def test_foreign_lines_do_not_break_a_stack() -> None:
    log = "2026/01/02 03:04:05 INFO request served path=/v1/items status=200 dur=3.1ms"
    lines = _dump(_worker(1), _worker(2), _worker(3)).splitlines()
    for at in range(1, len(lines) + 1):
        text = "\n".join([*lines[:at], log, *lines[at:]]) + "\n"
        (group,) = _goroutines(stacks.read(text.encode())[0]).groups
        assert (group.count, group.stack.functions) == (3, ("main.(*pool).work",)), at
        assert group.created_by is not None


def test_output_with_blank_lines_within_a_stack() -> None:
    text = (
        "goroutine 7 [select]:\nmain.f()\n\t/x.go:1 +0x1\n\nrequest served\n\nmain.g()\n\t/x.go:2 +0x1\n"
        "created by main.h\n\t/x.go:3 +0x1\n\nrequest served()\nmain.ghost()\n\t/x.go:4 +0x1\n\n" + _dump(_worker(8))
    )
    groups = _goroutines(_only(text)).groups
    assert groups[0].stack.functions == ("main.f", "main.g")


def test_a_logger_prefix_before_the_header() -> None:
    text = "2020/01/01 12:00:00 leaked goroutine: goroutine 5 [chan send]:\nmain.f()\n\t/x.go:1 +0x1\n"
    group = _group(text)
    assert (group.ids.tolist(), group.state) == ([5], "chan send")
    assert stacks.read(b"2020/01/01 goroutine 5 [running]: is what Go prints\n") == ()


def test_indented_dumps() -> None:
    text = "".join(f"    {line}\n" for line in _dump(_worker(1), _worker(2)).splitlines())
    assert _group(text).count == 2


def test_goleak() -> None:
    reading = _only(
        "    leaks.go:78: found unexpected goroutines:\n"
        "        [Goroutine 20 in state chan send, 3 minutes, with main.f on top of the stack:\n"
        "        goroutine 20 [chan send, 3 minutes]:\n        main.f(0x1)\n        \t/x.go:1 +0x1\n"
        "        created by main.g\n        \t/x.go:2 +0x2\n\n"
        "         Goroutine 21 in state select, with main.h on top of the stack:\n"
        "        main.h(0x1)\n        \t/x.go:3 +0x1\n        created by main.g in goroutine 4\n        \t/x.go:4 +0x2\n"
        "        ]\n"
    )
    assert reading.format == "goleak"
    assert [(g.ids.tolist(), g.state, g.waits.tolist(), g.stack.functions) for g in _goroutines(reading).groups] == [
        ([20], "chan send", [3], ("main.f",)),
        ([21], "select", [-1], ("main.h",)),
    ]


def test_a_header_that_cannot_be_read() -> None:
    reading = _only(_dump(_worker(1), "goroutine 2 [sele\nmain.f()\n\t/x.go:1 +0x1", _worker(3)))
    assert [g.ids.tolist() for g in _goroutines(reading).groups] == [[1, 3]]
    assert [(p.key, p.where) for p in reading.problems] == [("bad-header", "line 7")]


# --- hints


@pytest.mark.parametrize(
    ("file", "version"),
    [
        ("/usr/local/go1.21.3/src/net/x.go", "go1.21.3"),
        ("/usr/local/Cellar/go/1.15.6/libexec/src/net/x.go", "go1.15.6"),
        ("/home/ci/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.21.3.linux-amd64/src/net/x.go", "go1.21.3"),
        ("/usr/lib/go-1.18/src/net/x.go", "go1.18"),
        ("go1.8.1.linux-amd64/src/net/x.go", "go1.8.1"),
        ("/opt/hostedtoolcache/go/1.20.4/x64/src/net/x.go", "go1.20.4"),
        ("/home/me/sdk/go1.22rc1/src/net/x.go", "go1.22rc1"),
        ("/home/me/go/src/example.com/go-1.5/x.go", None),
        ("/usr/local/go/src/net/x.go", None),
    ],
)
def test_version_from_paths(file: str, version: str | None) -> None:
    assert _only(f"goroutine 1 [select]:\nnet.f()\n\t{file}:1 +0x1\n").go_version == version


@pytest.mark.parametrize(
    ("header", "creator", "version"),
    [
        ("[semacquire]:", "created by main.g", None),
        ("[sync.Mutex.Lock]:", "created by main.g", "go1.20+"),
        ("[select]:", "created by main.g in goroutine 1", "go1.21+"),
        ("gp=0x1 m=nil [select]:", "created by main.g", "go1.22+"),
        ('[select labels:{"a": "b"}]:', "created by main.g in goroutine 1", "go1.26+"),
        ("[select] {a: b}:", "created by main.g in goroutine 1", "go1.27+"),
    ],
)
def test_version_from_forms(header: str, creator: str, version: str | None) -> None:
    assert _only(f"goroutine 7 {header}\nmain.f()\n\t/x.go:1 +0x1\n{creator}\n\t/x.go:2 +0x1\n").go_version == version


# --- cut texts


def test_a_text_cut_in_a_stack() -> None:
    whole = _dump(_worker(1), _worker(2)).encode()
    for at in range(whole.index(b"goroutine 2"), len(whole) - 1):
        reading = _only(whole[:at])
        goroutines = _goroutines(reading)
        assert 1 in goroutines.groups[0].ids
        line = whole[:at].rpartition(b"\n")[2]
        if line and not line.startswith(b"\t/src/pool.go:41 +0x") and not line.startswith(b"\t/src/pool.go:12 +0x"):
            assert goroutines.cut, whole[:at]
            assert [p.key for p in reading.problems][-1] == "cut-mid-stack", whole[:at]
            assert all(not g.stack.truncated for g in goroutines.groups if 1 in g.ids)
            assert all(g.stack.truncated for g in goroutines.groups if 1 not in g.ids)


def test_a_text_that_ends_after_a_header_is_cut() -> None:
    reading = _only(_dump(_worker(1), "goroutine 2 [select]:"))
    assert _goroutines(reading).cut
    assert [(p.key, p.where) for p in reading.problems] == [("cut-mid-stack", "line 7")]
    # With a blank line below it, it is a stack of which Go shows nothing.
    header = "goroutine 2 [select]:"
    for whole in (_dump(_worker(1), header, ""), _dump(header, _worker(1)), _dump(_worker(1), f"{header}\nINFO up")):
        assert not _goroutines(_only(whole)).cut
        assert not _only(whole).problems


def test_wrappers_that_the_compiler_made_are_off_the_stack() -> None:
    wrapper = "main.(*T).Run-fm()\n\t<autogenerated>:1 +0x25"
    made = "created by main.main in goroutine 1\n\t/x.go:9 +0x9"
    frames = ("main.(*T).Run(0xc000010000)\n\t/x.go:1 +0x1", wrapper, "main.serve(0xc000020000)\n\t/x.go:2 +0x2", made)
    goroutines = _goroutines(_only("goroutine 7 [select]:\n" + "\n".join(frames) + "\n"))
    (group,) = goroutines.groups
    assert group.stack.functions == ("main.(*T).Run", "main.serve")
    assert stacks.words(goroutines, group, 0) == ((0xC000010000,), (0xC000020000,))
    assert _group(f"goroutine 7 [select]:\n{wrapper}\n{made}\n").stack.functions == ("main.(*T).Run-fm",)


@pytest.mark.parametrize(("size", "words"), [(64 << 10, "fixed buffer of 64 KiB"), (64 << 20, "net/http/pprof")])
@pytest.mark.slow
def test_known_caps(size: int, words: str) -> None:
    block = _worker(1).encode() + b"\n\n"
    text = b"".join(_worker(n).encode() + b"\n\n" for n in range(1, 400))
    text = (text * (size // len(text) + 1))[:size]
    reading = stacks.read(text)[-1]
    assert _goroutines(reading).cut
    assert words in problem_line(reading.problems[-1])
    assert "later goroutines are missing" in problem_line(reading.problems[-1])
    assert not _goroutines(_only(block)).cut


@pytest.mark.parametrize("limits", [Limits(max_seconds=-1), Limits(max_bytes=700)])
def test_limits_end_the_reading(limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack_scan, "_CHUNK", 400)
    (reading,) = stacks.read(_dump(*(_worker(n) for n in range(1, 9))).encode(), limits)
    assert 1 <= _goroutines(reading).total < 8
    assert _goroutines(reading).cut
    assert reading.problems[-1].key == "not-read-to-the-end"


# --- size


def test_a_stack_deeper_than_allowed_is_truncated() -> None:
    frames = "".join(f"main.f{n}()\n\t/x.go:{n} +0x1\n" for n in range(1, 9))
    (reading,) = stacks.read(f"goroutine 1 [select]:\n{frames}".encode(), Limits(max_depth=3))
    stack = _goroutines(reading).groups[0].stack
    assert (stack.functions, stack.truncated) == (("main.f1", "main.f2", "main.f3"), True)


def test_more_dumps_than_anybody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "_MOST_DUMPS", 3)
    readings = stacks.read((_dump(_worker(1)) + "\n").encode() * 5)
    assert len(readings) == 3
    assert [problem_line(p) for p in readings[-1].problems] == [
        "2 more dumps follow that were not read; split the file (line 17)"
    ]


def test_mmap_and_memoryview(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    data = _dump(*(_worker(n) for n in range(1, 100))).encode()
    path.write_bytes(data)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        seen = [_summary(stacks.read(text)) for text in (data, memoryview(data), mapped)]
    assert seen[0] == seen[1] == seen[2]


def test_spans_point_at_the_goroutines() -> None:
    text = "some log\n\n" + _dump(_worker(1), _worker(2, "select"), _worker(30))
    for reading in (_only(text), _only(text.replace("\n", "\r\n"))):
        goroutines = _goroutines(reading)
        for group in goroutines.groups:
            for number, (start, end) in zip(group.ids.tolist(), group.spans.tolist(), strict=True):
                part = bytes(goroutines.text[start:end])
                assert part.replace(b"\r\n", b"\n").startswith(b"goroutine %d [" % number)
                assert part.endswith(b"\t/src/pool.go:12 +0x45")


def test_groups_are_ordered_by_size_then_by_appearance() -> None:
    text = _dump(_worker(1, "a"), _worker(2, "b"), _worker(3, "c"), _worker(4, "c"), _worker(5, "b"), _worker(6, "d"))
    assert [(g.state, g.count) for g in _goroutines(_only(text)).groups] == [("b", 2), ("c", 2), ("a", 1), ("d", 1)]


def test_functions_on_one_line_are_told_apart() -> None:
    block = "goroutine {} [select]:\nmain.{}(0x{:x})\n\t<autogenerated>:1 +0x45"
    names = ["A.m", "B.m", "A.m", "(*A).m", "A.m"]
    groups = _goroutines(_only(_dump(*(block.format(n + 1, name, n) for n, name in enumerate(names))))).groups
    assert [(g.stack.functions, g.count) for g in groups] == [
        (("main.A.m",), 3), (("main.B.m",), 1), (("main.(*A).m",), 1),
    ]  # fmt: skip


# --- recorded from testdata/stacks/states


@pytest.mark.parametrize("release", ["go1.21", "go1.24", "go1.26", "go1.27"])
def test_recorded_states(release: str) -> None:
    reading = _only((TESTDATA / release / "debug2.txt").read_bytes())
    goroutines = _goroutines(reading)
    states = Counter[str | None]()
    for group in goroutines.groups:
        states[group.state] += group.count
    assert states == {
        "chan send": 4, "chan send (nil chan)": 1, "chan receive": 6, "chan receive (nil chan)": 1, "select": 1,
        "select (no cases)": 1, "sleep": 1, "sync.Mutex.Lock": 3, "sync.RWMutex.RLock": 1, "sync.RWMutex.Lock": 2,
        "sync.WaitGroup.Wait": 1, "sync.Cond.Wait": 1, "IO wait": 2, "semacquire": 1, "syscall": 2, "running": 1,
    }  # fmt: skip
    assert (reading.problems, goroutines.cut, reading.where) == ((), False, "")
    (deep,) = [group for group in goroutines.groups if group.stack.functions[0] == "main.deep"]
    assert deep.stack.truncated
    labelled = [group.labels for group in goroutines.groups if group.labels]
    expected = [(("path", "/x"), ("tenant", 'a b "c"'))] if release in ("go1.26", "go1.27") else []
    assert labelled == expected
    assert reading.go_version == {"go1.26": "go1.26+", "go1.27": "go1.27+"}.get(release, "go1.21+")


@pytest.mark.parametrize("release", ["go1.21", "go1.26"])
def test_recorded_crash(release: str) -> None:
    reading = _only((TESTDATA / release / "crash.txt").read_bytes())
    ids = [number for group in _goroutines(reading).groups for number in group.ids.tolist()]
    assert len(ids) == len(set(ids)) >= 33
    assert reading.notes["reason"] == "SIGQUIT: quit"
    assert reading.problems == ()


def test_recorded_panic() -> None:
    reading = _only((TESTDATA / "go1.27" / "panic.txt").read_bytes())
    assert reading.notes["reason"] == "panic: asked to"
    assert _goroutines(reading).total == 29


# --- properties


def _summary(readings: tuple[Reading, ...]) -> list[object]:
    return [
        (
            r.format, r.go_version, r.where, dict(r.notes), [problem_line(p) for p in r.problems], _goroutines(r).cut,
            [
                (g.stack, g.state, g.created_by, g.labels, g.leaked, g.marks, g.ancestors, g.count, g.ids.tolist(),
                 g.parents.tolist(), g.waits.tolist(), g.spans.tolist())
                for g in _goroutines(r).groups
            ],
        )
        for r in readings
    ]  # fmt: skip


def _patiently(data: bytes, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    with monkeypatch.context() as patch:
        patch.setattr(stack_scan, "_LONGEST_KEY", -1)
        return _summary(stacks.read(data))


_names = st.sampled_from(["main.f", "main.(*T).m", "a.b/c.G[...]", "main.f.func1", "runtime.gopark", "panic", "C.x"])
_words = st.sampled_from(["0x1", "0xc000012340", "0x7?", "{0x1, 0x2?}", "...", "_"])
_calls = st.builds(lambda n, a: f"{n}({', '.join(a)})", _names, st.lists(_words, max_size=3))
_places = st.builds(
    lambda f, n, o: f"\t{f}:{n}{o}",
    st.sampled_from(["/x.go", "C:/a b/y.go", "<autogenerated>"]),
    st.integers(1, 3),
    st.sampled_from([" +0x1", " +0x2d", "", " +0x1 fp=0xc0001 sp=0xc0002 pc=0x3"]),
)
_frames = st.builds(lambda c, p: f"{c}\n{p}", _calls, _places)
_heads = st.builds(
    lambda i, g, s: f"goroutine {i} {g}[{s}]:",
    st.integers(0, 40),
    st.sampled_from(["", "", "", "gp=0xc0001 m=nil "]),
    st.sampled_from(["select", "chan send, 3 minutes", "chan send, 4 minutes", "running", "semacquire (scan)"]),
)
_creators = st.sampled_from(["", "\ncreated by main.g\n\t/x.go:9 +0x1"]) | st.builds(
    lambda n: f"\ncreated by main.g in goroutine {n}\n\t/x.go:9 +0x1", st.integers(1, 30)
)
_blocks = st.builds(lambda h, f, c: "\n".join([h, *f]) + c, _heads, st.lists(_frames, max_size=3), _creators)
_odd = st.sampled_from(
    [
        "2026/01/02 INFO served in goroutine 7", "panic: boom", "SIGQUIT: quit\nPC=0x1 m=0", "-----", "rax    0xca",
        "runtime stack:\nruntime.throw()\n\t/p.go:1 +0x1", "goroutine 3 [sele", "goroutine leak?", "done()", "",
        "main.late(0x1)\n\t/l.go:1 +0x1", "...7 frames elided...", "\tgoroutine running on other thread; stack unavailable",
        "[originating from goroutine 4]:\nmain.g(...)\n\t/x.go:2 +0x2", "main.main)(\n\t/x.go:1 +0x1", "a\0b", "\t", " ",
        "=== BEGIN goroutine stack dump ===", "goroutine 8 [select]: 12 times: [1, 2]", "x goroutine 9 [running]:",
        "Goroutine 7 in state select, with main.f on top of the stack:",
    ]
)  # fmt: skip
_texts = st.lists(
    st.tuples(_blocks | _blocks | _blocks | _odd, st.sampled_from(["\n\n"] * 6 + ["\n", "\n\n\n"])), max_size=12
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=_texts,
    eol=st.sampled_from(["\n", "\r\n"]),
    chunk=st.sampled_from([160, 400, 1 << 20]),
    cut=st.integers(0, 30),
)
@pytest.mark.slow
def test_known_stacks_are_grouped_as_if_each_were_read_line_by_line(
    parts: list[tuple[str, str]], eol: str, chunk: int, cut: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = "".join(block + gap for block, gap in parts).replace("\n", eol).encode()
    data = data[: max(0, len(data) - cut)]
    whole = _patiently(data, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(stack_scan, "_CHUNK", chunk)
        assert _summary(stacks.read(data)) == whole


_states = st.sampled_from(["select", "chan send", "IO wait"])
_sound = st.tuples(
    _states,
    st.integers(-1, 3),
    st.lists(st.tuples(st.sampled_from(["main.f", "main.(*T).m", "a.b/c.G[...]"]), st.integers(1, 2), st.booleans()), min_size=1, max_size=3),
    st.integers(1, 3),
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(_sound, min_size=1, max_size=30))
def test_groups_are_those_of_the_goroutines_that_were_printed(
    goroutines: list[tuple[str, int, list[tuple[str, int, bool]], int]],
) -> None:
    blocks = []
    expected: dict[object, list[tuple[int, int, int]]] = {}
    for number, (state, minutes, frames, parent) in enumerate(goroutines, 1):
        lines = [f"goroutine {number} [{state}{f', {minutes} minutes' if minutes > 0 else ''}]:"]
        for at, (function, line, inlined) in enumerate(frames):
            lines.append(f"{function}({'...' if inlined else hex(number * 4096 + at)})")
            lines.append(f"\t/src/x.go:{line}" + ("" if inlined else f" +{line * 16 + number % 2:#x}"))
        lines += [f"created by main.g in goroutine {parent}", "\t/src/x.go:9 +0x7"]
        blocks.append("\n".join(lines))
        key = state, tuple(Frame(function, "/src/x.go", line) for function, line, _ in frames)
        expected.setdefault(key, []).append((number, minutes if minutes > 0 else -1, parent))
    groups = _goroutines(_only(_dump(*blocks))).groups
    seen = {
        (g.state, g.stack.frames): list(zip(g.ids.tolist(), g.waits.tolist(), g.parents.tolist(), strict=True))
        for g in groups
    }
    assert seen == expected
    assert len(groups) == len(expected)


@settings(max_examples=100, deadline=None)
@given(
    st.binary(max_size=300) | _texts.map(lambda parts: "".join(b + g for b, g in parts).encode()), st.integers(0, 2000)
)
@pytest.mark.slow
def test_cutting_anywhere_never_raises(data: bytes, at: int) -> None:
    for piece in (data[:at], data[at:]):
        for reading in stacks.read(piece):
            for group in _goroutines(reading).groups:
                assert len(group.ids) == len(group.spans) == group.count
                stacks.words(_goroutines(reading), group, 0)


# --- shared evidence


def _index() -> list[dict[str, object]]:
    listed: list[dict[str, object]] = yaml.safe_load((need_shared() / "INDEX.yaml").read_text(encoding="utf-8"))[
        "files"
    ]
    return listed


@pytest.mark.shared
def test_shared_dumps_hold_the_goroutines_their_index_names() -> None:
    checked = 0
    for entry in _index():
        name, headers = str(entry["file"]), entry.get("goroutine_headers")
        text = (need_shared() / name).read_bytes()
        # Wrapped logs are unwrapped elsewhere; goroutine 0 is a thread, and threads are printed again after a crash.
        if headers is None or not re.search(rb"(?m)^goroutine \d+ ", text) or "journald" in str(entry["kind"]):
            continue
        again = re.split(rb"\n-----\r?\n\s*\n?SIGQUIT", text)[1:]
        threads = len(re.findall(rb"(?m)^goroutine 0 ", text))
        reprinted = sum(len(re.findall(rb"(?m)^goroutine [1-9]\d* ", part)) for part in again)
        total = sum(_goroutines(reading).total for reading in stacks.read(text))
        assert total == int(str(headers)) - threads - reprinted, name
        checked += 1
    assert checked > 70


@pytest.mark.shared
def test_shared_dumps_are_grouped_as_if_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("dumps", "gotest", "dialects", "issues", "goroutine-triple"):
        for path in sorted((need_shared() / folder).rglob("*")):
            if path.is_file() and path.stat().st_size < 400_000:
                data = path.read_bytes()
                assert _summary(stacks.read(data)) == _patiently(data, monkeypatch), path.name


@pytest.mark.shared
def test_shared_peculiarities() -> None:
    dumps = need_shared() / "dumps"
    repeated = stacks.read((dumps / "algorand-many-printstacks.log").read_bytes())
    assert [_goroutines(r).total for r in repeated] == [1] * 35
    cut = stacks.read((dumps / "avalanche-truncated-64KiB.txt").read_bytes())
    assert _goroutines(cut[0]).cut
    assert "64 KiB" in problem_line(cut[0].problems[-1])
    assert sum(g.count for g in _goroutines(cut[0]).groups if g.state == "sync.Mutex.Lock") == 73
    interleaved = stacks.read((need_shared() / "dialects" / "interleaved-logs.txt").read_bytes())
    plain = stacks.read((need_shared() / "goroutine-triple" / "2.pprof.lookup.goroutine.debug2.txt").read_bytes())
    assert [[(g.stack, g.state, g.created_by) for g in _goroutines(r).groups] for r in interleaved] == [
        [(g.stack, g.state, g.created_by) for g in _goroutines(r).groups] for r in plain
    ]
