"""Who stops an object waits for those that work for it: by the object's address, by its type where none is printed."""

import pytest

from oakum.detect.stop_calls import stops
from oakum.detect.waits_for import wait_components
from oakum.model import Capture, GoroutineGroup, Goroutines
from oakum.parse import goroutines, parse

STACK = """goroutine {id} [{state}]:
{calls}created by main.{by} in goroutine 1
\t/srv/x.go:1 +0x1

"""


def one(number: int, state: str, *calls: str, by: str = "main") -> str:
    lines = "".join(f"main.(*Writer).{call}\n\t/srv/x.go:{n + 20} +0x1\n" for n, call in enumerate(calls))
    return STACK.format(id=number, state=state, calls=lines, by=by)


def read(text: str) -> Goroutines:
    (reading,) = parse(Capture("x", text.encode()))
    found = goroutines(reading)
    assert found is not None
    return found


def wordless(dump: Goroutines) -> Goroutines:
    return Goroutines(tuple(GoroutineGroup(group.stack, group.count, group.state) for group in dump.groups))


def told(dump: Goroutines) -> list[tuple[list[str], list[tuple[str, str, int]], bool]]:
    def at(group: int) -> str:
        place = dump.groups[group].place
        return place.name if place else ""

    return [
        (
            [at(node.group) for node in component.roots],
            [(at(n.group), why, n.count) for n, why in component.victims],
            component.certain,
        )
        for component in wait_components(dump, lambda _: True)
    ]


@pytest.mark.parametrize(
    ("stopping", "waits", "works"),
    [
        ("Close", "chan receive", "sync.Cond.Wait"),
        ("GracefulStop", "sync.Cond.Wait", "chan receive"),
        ("shutdownNow", "sync.WaitGroup.Wait", "chan send"),
        ("Wait", "select", "sync.WaitGroup.Wait"),
    ],
)
def test_who_stops_an_object_waits_for_its_work(stopping: str, waits: str, works: str) -> None:
    dump = read(
        "".join(
            one(n, waits, f"{stopping}(0xc0000{n}000)")
            + one(n + 1, works, "loop(...)", f"run(0xc0000{n}000)", by="New")
            for n in (10, 20, 30)
        )
    )
    assert told(dump) == [(["loop"], [(stopping, "behind", 3)], True)]
    pairs = {
        (dump.groups[x.group].ids[x.rows[0]], dump.groups[x.target].ids[x.row]) for x in stops(dump, lambda _: True)
    }
    assert pairs == {(10, 11), (20, 21), (30, 31)}
    assert told(wordless(dump)) == [(["loop"], [(stopping, "behind", 3)], False)]


def test_another_object_is_not_waited_for() -> None:
    text = one(2, "chan receive", "Close(0xc000010000)") + one(3, "chan send", "loop(0xc000020000)")
    assert told(read(text)) == []


@pytest.mark.parametrize("name", ["watchStop", "waitForWork", "closer", "stopped.func1"])
def test_what_is_not_called_a_stop_is_none(name: str) -> None:
    text = one(2, "chan receive", f"{name}(0xc000010000)") + one(3, "chan send", "loop(0xc000010000)")
    assert stops(read(text), lambda _: True) == []


@pytest.mark.parametrize("state", ["select", "IO wait", "sleep", "running"])
def test_who_rests_or_works_holds_nobody_up(state: str) -> None:
    text = one(2, "chan receive", "Close(0xc000010000)") + one(3, state, "loop(0xc000010000)")
    assert told(read(text)) == []


def test_who_holds_the_lock_that_the_work_needs_is_to_be_mended() -> None:
    text = one(2, "sync.WaitGroup.Wait", "Close(0xc000010000)") + STACK.format(
        id=3,
        state="sync.Mutex.Lock",
        calls="internal/sync.(*Mutex).lockSlow(0xc000010008)\n\tinternal/sync/mutex.go:149 +0x1\n"
        "main.(*Writer).loop(0xc000010000)\n\t/srv/x.go:70 +0x1\n",
        by="New",
    )
    assert told(read(text)) == [(["Close"], [("loop", "same lock", 1)], True)]
