"""Who stays, who left and what they are in the middle of: what tells a leak from a pool, a queue and a client."""

import pytest

from goroutine_text import READ, Story, diagnosed, dump, goroutine
from oakum.detect.survival import came_equally, never_drops
from oakum.model import Diagnosis

SERVE = ("net/http.(*conn).serve@/usr/local/go/src/net/http/server.go:2100",)


def kinds(diagnosis: Diagnosis) -> set[str]:
    return {str(kind) for found in diagnosis.findings for kind in found.suspect.kinds}


def grown(state: str, *frames: str, each: int = 5, steps: int = 3, sockets: bool = False) -> Story:
    """Return a process in which so many come to a place in each step, for the same work, and nobody leaves."""
    story = Story()
    lost = story.crew(state, *frames)
    links = story.crew("IO wait", *READ, "main.(*Link).read", aged=False)
    for _ in range(steps):
        story.snapshot(work=200)
        story.join(lost, each)
        story.join(links, each if sockets else 0)
    return story


@pytest.mark.parametrize("state", ["chan receive", "sync.Cond.Wait"])
def test_a_pool_would_have_used_those_that_rest(state: str) -> None:
    diagnosis = grown(state, "main.(*Board).follow").diagnosed()
    assert "not-reused" in kinds(diagnosis)
    assert diagnosis.verdict == "leaking"


def test_a_select_may_be_anything() -> None:
    assert "not-reused" not in kinds(grown("select", "main.(*Board).follow").diagnosed())


def test_clients_that_come_with_their_connections_are_not_accused() -> None:
    diagnosis = grown("chan receive", "main.(*Board).follow", sockets=True).diagnosed()
    assert "not-reused" not in kinds(diagnosis)
    assert diagnosis.verdict != "leaking"


def test_more_for_more_work_may_be_a_pool() -> None:
    story = Story()
    pool = story.crew("chan receive", "main.(*Pool).worker", aged=False)
    for work, more in ((200, 3), (200, 12), (200, 3)):
        story.snapshot(work=work)
        story.join(pool, more)
    assert "not-reused" not in kinds(story.diagnosed())


@pytest.mark.parametrize(
    ("state", "frames", "inside"),
    [
        ("chan receive", ("main.(*Ticket).wait", "main.(*Desk).finish"), True),
        ("chan receive", ("main.(*Desk).loop",), False),
        ("sync.Cond.Wait", ("main.(*Queue).Take", "main.(*Desk).consume"), False),
        ("sync.Cond.Wait", ("main.(*Pool).Acquire", "main.(*Desk).with", "main.(*Desk).rent"), True),
        ("select", ("main.(*Desk).ask", "net/http.HandlerFunc.ServeHTTP@/usr/local/go/src/net/http/server.go:1", *SERVE), True),
        ("select", ("main.(*Prober).wait", "main.(*Prober).run"), False),
    ],
)  # fmt: skip
def test_what_is_an_operation_and_what_a_worker(state: str, frames: tuple[str, ...], inside: bool) -> None:
    assert ("mid-operation" in kinds(grown(state, *frames, each=3).diagnosed())) is inside


def test_an_operation_that_outlives_the_load_is_a_leak() -> None:
    story = Story()
    lost = story.crew("chan receive", "main.(*Ticket).wait", "main.(*Desk).finish")
    story.snapshot()
    story.join(lost, 6)
    for work in (400, 0, 0):
        story.snapshot(work=work)
    assert story.diagnosed().verdict == "leaking"


def test_a_queue_that_some_have_left_moves() -> None:
    dumps = []
    for at, members in enumerate((range(0), range(20, 30), range(22, 60))):
        waiting = [goroutine(one, "chan send", "main.(*Desk).submit") for one in members]
        worker = goroutine(7, "sleep", "time.Sleep@/usr/local/go/src/runtime/time.go:9", "main.(*Desk).serve")
        youngest = goroutine(100 * (at + 1), "running", "runtime/pprof.writeGoroutineStacks", by="")
        dumps.append(dump(worker, youngest, waiting))
    diagnosis = diagnosed(*dumps)
    assert "departures" in kinds(diagnosis)
    assert diagnosis.verdict != "leaking"


def test_counts_that_never_drop() -> None:
    assert never_drops((0, 8, 25, 25))
    assert not never_drops((0, 8, 25)), "two intervals are chance"
    assert not never_drops((0, 8, 7, 25))


def test_equal_steps_of_a_process_at_rest() -> None:
    assert came_equally((0, 10, 20), (True, True, True))
    assert not came_equally((0, 14, 24), (True, True, True)), "a pool that is used more"
    assert came_equally((0, 14, 24, 36), (True,) * 4)
    assert not came_equally((0, 10, 20), (True, False, True))


@pytest.mark.parametrize(
    ("members", "minutes", "others", "verdict"),
    [
        (range(9000, 9530), 11, 13, "leaking"),
        (range(9000, 9530), 2, 13, "undecided"),
        (range(9000, 9530), 11, 300, "undecided"),
        (range(20, 550), 11, 13, "undecided"),  # started with the process: a pool
    ],
)
def test_one_dump_of_a_process_that_only_waits(members: range, minutes: int, others: int, verdict: str) -> None:
    waiting = [goroutine(one, "select", "main.(*Board).follow", minutes=minutes) for one in members]
    rest = [goroutine(12000 + one, "IO wait", *READ, f"main.(*Link).read{one}") for one in range(others)]
    diagnosis = diagnosed(dump(waiting, rest))
    assert diagnosis.verdict == verdict
