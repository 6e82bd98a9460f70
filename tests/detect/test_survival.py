"""Who stays, who left and what they are in the middle of: what tells a leak from a pool, a queue and a client."""

from collections.abc import Sequence

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


def started(counts: tuple[int, ...], parents: str, *, sockets: bool = False) -> Diagnosis:
    """Return a process whose watchers were each started by another goroutine that is gone, or lives, or by one."""
    dumps = []
    for at, count in enumerate(counts):
        watchers = [
            goroutine(1000 + 2 * one, "select", "main.(*Hub).merge", by="main.(*Hub).Attach",
                      parent=900 if parents == "one" else 1001 + 2 * one)
            for one in range(count)
        ]  # fmt: skip
        living = [goroutine(1001 + 2 * one, "select", "main.(*Viewer).serve") for one in range(count)]
        links = [goroutine(5000 + one, "IO wait", *READ, "main.(*Link).read") for one in range(count if sockets else 0)]
        youngest = goroutine(9000 + 400 * at, "running", "runtime/pprof.writeGoroutineStacks", by="")
        dumps.append(dump(youngest, watchers, living if parents == "live" else [], links))
    return diagnosed(*dumps, every=0.3)


@pytest.mark.parametrize(
    ("parents", "sockets", "found"),
    [("gone", False, True), ("gone", True, False), ("live", False, False), ("one", False, False)],
)
def test_who_outlived_the_one_that_started_it(parents: str, sockets: bool, found: bool) -> None:
    diagnosis = started((4, 30, 58), parents, sockets=sockets)
    assert ("orphaned" in kinds(diagnosis)) is found
    assert (diagnosis.verdict == "leaking") is found


def test_one_dump_of_orphans_is_not_enough() -> None:
    diagnosis = started((58,), "gone")
    assert "orphaned" in kinds(diagnosis)
    assert diagnosis.verdict == "undecided", "actors that requests started, one for each tenant, look like this"


def queue(*members: range) -> Diagnosis:
    dumps = []
    for at, here in enumerate(members):
        waiting = [goroutine(one, "chan send", "main.(*Desk).submit", minutes=int(at > 1)) for one in here]
        worker = goroutine(7, "sleep", "time.Sleep@/usr/local/go/src/runtime/time.go:9", "main.(*Press).print")
        youngest = goroutine(900 + 200 * at, "running", "runtime/pprof.writeGoroutineStacks", by="")
        dumps.append(dump(worker, youngest, waiting))
    return diagnosed(*dumps, every=0.3)


def test_a_queue_that_is_most_of_the_process_and_ever_longer_is_no_traffic() -> None:
    diagnosis = queue(range(0), range(20, 58), range(58, 188))
    assert "queue-growth" in kinds(diagnosis), "everybody has left, and ever more wait"
    assert diagnosis.verdict == "leaking"
    assert queue(range(0), range(20, 58), range(58, 80)).verdict != "leaking"


def test_a_call_has_a_connection_of_its_own() -> None:
    story = Story()
    call = story.crew("select", "net/http.(*persistConn).roundTrip@/usr/local/go/src/net/http/transport.go:9",
                      "main.(*Table).renew")  # fmt: skip
    read = story.crew("IO wait", *READ, "net/http.(*persistConn).readLoop@/usr/local/go/src/net/http/transport.go:7",
                      by="net/http.(*Transport).dialConn@/usr/local/go/src/net/http/transport.go:1")  # fmt: skip
    for _ in range(4):
        story.snapshot(work=200)
        story.join(call, 10)
        story.join(read, 10)
    diagnosis = story.diagnosed()
    assert "mid-operation" in kinds(diagnosis)
    assert diagnosis.verdict == "leaking"


def watchers(ages: Sequence[int], *, sockets: int = 0, others: int = 40) -> Diagnosis:
    """Return one dump of a process that has started 9,000 goroutines, and of watchers with these ages among them."""
    step = 9000 // len(ages)
    waiting = [
        goroutine(100 + step * at, "select", "main.(*Feed).follow", by="main.(*Feed).Open", minutes=age)
        for at, age in enumerate(ages)
    ]
    links = [goroutine(20_000 + one, "IO wait", *READ, "main.(*Link).read") for one in range(sockets)]
    rest = [goroutine(9101 + one, "select", f"main.work{one}") for one in range(others)]
    youngest = goroutine(9100, "running", "runtime/pprof.writeGoroutineStacks", by="")
    return diagnosed(dump(youngest, rest, waiting, links))


@pytest.mark.parametrize(
    ("ages", "more", "verdict"),
    [
        (range(60, 0, -1), {}, "leaking"),  # the older, the longer
        ([60 - at if at % 3 else 0 for at in range(60)], {}, "undecided"),  # a third of them was used just now
        ([20] * 60, {}, "undecided"),  # they came together
        (range(60, 0, -1), {"sockets": 60}, "undecided"),  # a client each, who may be silent
        (range(60, 0, -1), {"others": 300}, "undecided"),  # a small part of the process
        (range(15, 0, -1), {"others": 2}, "undecided"),  # too few
    ],
)
def test_one_dump_of_watchers_that_nobody_uses(ages: Sequence[int], more: dict[str, int], verdict: str) -> None:
    assert watchers(list(ages), **more).verdict == verdict


def test_a_pool_starts_nobody_while_all_it_has_are_idle() -> None:
    story = Story(every=2)
    crew = story.crew("select", "main.(*Desk).choose")
    for _ in range(4):
        story.join(crew, 12)
        story.snapshot()
    assert "never-woken" in kinds(story.diagnosed())
    assert story.diagnosed().verdict == "leaking"
    used = Story(every=2)
    crew = used.crew("select", "main.(*Desk).choose", aged=False)
    for _ in range(4):
        used.join(crew, 12)
        used.snapshot()
    assert "never-woken" not in kinds(used.diagnosed())
    assert used.diagnosed().verdict == "undecided"


def answer(*frames: str, by: str) -> Diagnosis:
    story = Story()
    crew = story.crew("IO wait", *READ, *frames, by=by)
    for _ in range(4):
        story.join(crew, 9)
        story.snapshot()
    return story.diagnosed()


def test_a_read_in_a_function_that_another_one_called_waits_for_an_answer() -> None:
    assert answer("main.readFrame", "main.(*Plan).poll", by="main.(*Plan).run").verdict == "leaking"
    assert answer("main.(*Link).read", by="main.(*Hub).Open").verdict == "undecided"
    assert answer("main.(*Link).read", "main.(*Hub).Open.func1", by="main.(*Hub).Open").verdict == "undecided"
    copied = answer("io.Copy@/usr/local/go/src/io/io.go:9", "main.pipe", "main.(*Proxy).tunnel", by="main.(*Proxy).run")
    assert copied.verdict == "undecided", "a tunnel that both ends keep open"


BODY = (
    *READ,
    "net/http.(*persistConn).Read@/usr/local/go/src/net/http/transport.go:2125",
    "net/http.(*bodyEOFSignal).Read@/usr/local/go/src/net/http/transport.go:2879",
)
READ_LOOP = "net/http.(*persistConn).readLoop@/usr/local/go/src/net/http/transport.go:2450"
DIALS = "net/http.(*Transport).dialConn@/usr/local/go/src/net/http/transport.go:1944"


@pytest.mark.parametrize("read", [True, False])
def test_a_body_that_somebody_reads_is_not_left_open(read: bool) -> None:
    story = Story()
    loops = story.crew("select", READ_LOOP, by=DIALS)
    readers = story.crew("IO wait", *BODY, "main.(*Gate).copy", aged=False)
    for _ in range(4):
        story.snapshot(work=200)
        story.join(loops, 6)
        story.join(readers, 6 if read else 0)
    found = story.diagnosed().findings
    assert ("unclosed-body" in {one.mechanism for one in found}) is not read


def test_what_reads_responses_is_no_client() -> None:
    story = Story()
    lost = story.crew("chan receive", "main.(*Board).follow")
    readers = story.crew("IO wait", *BODY, "main.(*Watch).receive", aged=False)
    for _ in range(3):
        story.snapshot(work=200)
        story.join(lost, 5)
        story.join(readers, 5)
    assert "not-reused" in kinds(story.diagnosed())
