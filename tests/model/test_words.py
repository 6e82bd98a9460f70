"""Words behind the functions of a printed stack: what is certain, and nothing else."""

from oakum.model import Frame, Stack
from oakum.model.words import Call, calls, matched

DUMP = b"""goroutine 18 [sync.Mutex.Lock, 1 minutes]:
internal/sync.runtime_SemacquireMutex(0x47f03e?, 0x0?, 0xc0004a2dd8?)
\truntime/sema.go:95 +0x25
internal/sync.(*Mutex).lockSlow(0xc00009e3a0)
\tinternal/sync/mutex.go:149 +0x165
sync.(*Mutex).Lock(...)
\tsync/mutex.go:46
main.(*Region).accept(0xc00009e360, {0xc00001a480, 0x1f?, 0x20}, _)
\t/srv/geomirror/region.go:85 +0x85
main.Map[...](0xc000011111)
\t/srv/geomirror/map.go:9 +0x1
main.(*Region).follow(0x3?)
\t/srv/geomirror/region.go:66 +0x3c
created by main.NewRing in goroutine 1
\t/srv/geomirror/ring.go:19 (main.go)
"""


def test_words_with_a_question_mark_are_none() -> None:
    found = calls(DUMP)
    assert found == (
        Call("internal/sync.runtime_SemacquireMutex", (None, None, None)),
        Call("internal/sync.(*Mutex).lockSlow", (0xC00009E3A0,)),
        Call("sync.(*Mutex).Lock", (None,)),
        Call("main.(*Region).accept", (0xC00009E360, 0xC00001A480, None, 0x20, None)),
        Call("main.Map[...]", (0xC000011111,)),
        Call("main.(*Region).follow", (None,)),
    )
    assert calls(memoryview(DUMP)) == found
    assert calls(DUMP.replace(b"\n", b"\r\n")) == found


def test_the_receiver_is_an_address_or_nothing() -> None:
    assert Call("main.(*T).f", (0xC00009E360, 3)).receiver == 0xC00009E360
    assert Call("main.(*T).f", (None, 0xC00009E360)).receiver is None
    assert Call("main.f", (7,)).receiver is None
    assert Call("main.f").receiver is None
    assert Call("main.f", (7, None, 0xC00009E360)).addresses == {0xC00009E360}


def test_calls_are_matched_to_the_frames_that_are_left() -> None:
    names = ("internal/sync.(*Mutex).lockSlow", "main.(*Region).accept", "main.gone", "main.(*Region).follow")
    rows = matched(calls(DUMP), Stack(tuple(Frame(name) for name in names)))
    assert tuple(row.function for row in rows) == names
    assert [row.receiver for row in rows] == [0xC00009E3A0, 0xC00009E360, None, None]


def test_text_that_is_no_stack_has_no_calls() -> None:
    assert calls(b"") == ()
    assert calls(b"goroutine 1 [running]:\n)\n()\n\tx(0x1)\n") == (Call(""),)
