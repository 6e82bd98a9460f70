"""Signs: what speaks for a leak and what against it, seen in the diagnosis of dumps written by hand."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from goroutine_text import IDLE_CONNECTION, MAIN, READ, WRITE, Story, crew, diagnosed, dump, goroutine, read, snapshot
from oakum.diagnose import diagnose
from oakum.model import Case, Diagnosis, Finding, Goroutines, Process

ASK, POOL = "main.(*Desk).ask", "main.(*pool).run"
SERVE = "net/http.(*conn).serve@/usr/local/go/src/net/http/server.go:2092"
BACKGROUND = (*READ, "net/http.(*connReader).backgroundRead@/usr/local/go/src/net/http/server.go:690")
READ_AHEAD = "net/http.(*connReader).startBackgroundRead@/usr/local/go/src/net/http/server.go:686"
GRPC = "google.golang.org/grpc"


def at(diagnosis: Diagnosis, function: str) -> Finding | None:
    """Return the finding whose place is in this function."""
    found = [one for one in diagnosis.findings if one.suspect.sites[0].frame.function == function]
    assert len(found) < 2, "one place, one finding"
    return found[0] if found else None


def accused(diagnosis: Diagnosis) -> list[str]:
    return [
        f"{one.mechanism} {one.suspect.sites[0].frame}" for one in diagnosis.findings if one.confidence != "possible"
    ]


def explained(diagnosis: Diagnosis, function: str) -> list[str]:
    return [one.mechanism for one in diagnosis.explained if any(s.frame.function == function for s in one.sites)]


def grown(
    counts: Sequence[int], state: str, *frames: str, aged: bool = True, work: Sequence[int] = (), **more: object
) -> Story:
    """Return a process in which a crew has these counts, its members coming one after the other."""
    story = Story()
    members = story.crew(state, *frames, aged=aged, **more)
    for step, count in enumerate(counts):
        story.join(members, max(0, count - len(members.members)))
        del members.members[: max(0, len(members.members) - count)]
        story.snapshot(work[step] if work else 100)
    return story


def test_senders_that_come_and_stay_are_a_leak() -> None:
    said = grown([0, 6, 12, 18, 24], "chan send", ASK).diagnosed()
    found = at(said, ASK)
    assert said.verdict == "leaking"
    assert found is not None
    assert (found.mechanism, found.confidence, found.rank) == ("abandoned-sender", "likely", 1)
    assert {"steady-growth", "stuck"} <= found.suspect.kinds
    assert found.suspect.growth[0].counts == (0, 6, 12, 18, 24)
    assert found.suspect.growth[0].per_hour == pytest.approx(36)


def test_four_among_hundreds_count() -> None:
    story = Story()
    background = story.crew("select", "main.(*feed).run", aged=False)
    lost = story.crew("chan send", ASK)
    story.join(background, 400)
    for step in range(5):
        if step:
            story.join(lost)
        story.snapshot()
    said = story.diagnosed()
    assert at(said, ASK) is not None
    assert said.verdict == "leaking"
    assert len(said.findings) == 1


def test_one_that_waits_for_a_lock_for_minutes_is_found_in_one_dump() -> None:
    lock = ("sync.(*Mutex).lockSlow(0xc000123450)@/usr/local/go/src/sync/mutex.go:171", "main.(*Ledger).add")
    said = diagnosed(dump(MAIN, goroutine(40, "sync.Mutex.Lock", *lock, minutes=7)))
    assert said.verdict == "leaking"
    assert at(said, "main.(*Ledger).add") is not None


@pytest.mark.parametrize("state", ["chan send", "sync.Mutex.Lock", "sync.RWMutex.RLock", "semacquire"])
def test_a_wait_without_an_age_in_one_dump_is_no_accusation(state: str) -> None:
    at_work = goroutine(9, "running", "main.(*Desk).serve")
    said = diagnosed(dump(MAIN, at_work, crew(range(40, 60), state, ASK), crew(range(60, 90), "select", POOL)))
    assert accused(said) == []


def test_a_nil_channel_is_a_leak_by_itself() -> None:
    said = diagnosed(dump(MAIN, goroutine(40, "chan receive (nil chan)", ASK)))
    assert [(one.mechanism, one.confidence) for one in said.findings] == [("nil-channel", "likely")]


def test_who_waits_without_an_age_although_a_younger_one_has_one_is_alive() -> None:
    """A collection dated the younger wait, and would have dated the older ones."""
    story = grown([0, 10, 20, 30], "chan receive", POOL, aged=False)
    young = story.crew("select", "main.(*reporter).run")
    story.join(young)
    story.work(200)
    story.snapshot()
    story.snapshot()
    said = story.diagnosed()
    assert accused(said) == []
    if found := at(said, POOL):
        assert "progress" in found.suspect.kinds
        assert found.confidence == "possible"


def test_who_waits_anew_is_alive() -> None:
    """The same ids ten minutes later, and nobody has waited for more than two of them: a queue that moves."""
    ages = ((), (12,) * 10, (22,) * 5 + (1,) * 15, (2,) * 30)
    dumps = [
        dump(
            MAIN,
            goroutine(300 + 100 * step, "running", "main.work"),
            crew(range(10, 10 + len(age)), "chan send", ASK, minutes=age),
        )
        for step, age in enumerate(ages)
    ]
    said = diagnosed(*dumps)
    assert accused(said) == []


def test_who_can_get_on_is_not_stuck() -> None:
    """Those who stood there leave later: whoever waits here is released."""
    story = Story()
    members = story.crew("chan send", ASK, aged=False)
    for count in (6, 6, 6, 6, 6, 6):
        story.join(members, count)
        del members.members[: max(0, len(members.members) - 2 * count)]
        story.snapshot()
    assert accused(story.diagnosed()) == []


def test_a_queue_that_grows_in_every_moment_is_suspected_though_nobody_stays() -> None:
    story = Story()
    members = story.crew("chan send", ASK)
    for count in (5, 15, 30, 50, 80):
        members.members.clear()
        story.work(150)
        story.join(members, count)
        story.snapshot()
    found = at(story.diagnosed(), ASK)
    assert found is not None
    assert "queue-growth" in found.suspect.kinds
    assert found.mechanism == "unbounded-spawn"
    assert found.confidence == "possible"


def test_traffic_comes_and_goes() -> None:
    story = Story()
    members = story.crew("chan receive", ASK)
    for count in (3, 9, 14, 11, 17):
        members.members.clear()
        story.join(members, count)
        story.snapshot()
    said = story.diagnosed()
    assert said.verdict == "healthy"
    assert explained(said, ASK) == ["traffic"]


@pytest.mark.parametrize("state", ["select", "chan receive", "sync.Cond.Wait"])
def test_a_pool_that_is_full_under_load_has_warmed_up(state: str) -> None:
    said = grown([4, 18, 30, 30, 30, 30], state, POOL, aged=False).diagnosed()
    assert said.verdict == "healthy"
    assert explained(said, POOL) == ["warm-up"]


def test_senders_that_no_longer_grow_are_a_leak_all_the_same() -> None:
    """Nobody fills a crew with goroutines that cannot send."""
    said = grown([0, 30, 60, 60, 60, 60], "chan send", ASK).diagnosed()
    assert said.verdict == "leaking"
    assert at(said, ASK) is not None


def test_one_rise_of_receivers_cannot_be_told_from_a_pool() -> None:
    said = grown([0, 40], "chan receive", POOL).diagnosed()
    assert said.verdict == "undecided"
    assert [one.confidence for one in said.findings] == ["possible"]


@pytest.mark.parametrize("state", ["select", "sync.Cond.Wait"])
def test_who_rests_and_does_not_grow_is_no_finding(state: str) -> None:
    assert grown([40, 40, 40], state, POOL).diagnosed().verdict == "healthy"


DIALLED = "net/http.(*Transport).dialConn@/usr/local/go/src/net/http/transport.go:1944"


def test_idle_connections_are_a_pool() -> None:
    said = grown([0, 20, 70, 70, 70], "IO wait", *IDLE_CONNECTION, by=DIALLED).diagnosed()
    assert said.verdict == "healthy"
    assert explained(said, "net.(*netFD).Read") == ["idle-pool"]


def test_idle_connections_that_grow_without_calls_under_way_are_more_than_a_pool_needs() -> None:
    said = grown([0, 20, 45, 70], "IO wait", *IDLE_CONNECTION, by=DIALLED).diagnosed()
    (finding,) = said.findings
    assert (finding.confidence, finding.mechanism) == ("possible", "unstopped-worker")
    assert {"steady-growth", "idle-connections"} <= finding.suspect.kinds
    assert not finding.suspect.kinds & {
        "outlives-load",
        "growth-at-constant-load",
    }  # idle connections outlive every load


@pytest.mark.parametrize(
    "caller", ["google.golang.org/grpc.(*Server).handleStream", "net/http.(*http2serverConn).runHandler"]
)
def test_streams_that_share_a_connection_may_have_their_clients(caller: str) -> None:
    place = "feed.(*Server).Watch@feed/server.go:40"
    said = grown([0, 20, 45, 70, 95], "select", place, f"{caller}@server.go:10").diagnosed()
    (finding,) = said.findings
    assert finding.confidence == "possible"
    assert {"steady-growth", "shared-streams"} <= finding.suspect.kinds


@pytest.mark.parametrize(("connections", "said"), [((3, 3, 3, 0), "leaking"), ((3, 3, 3, 1), "undecided")])
def test_handlers_of_streams_that_no_connection_carries_any_more(connections: tuple[int, ...], said: str) -> None:
    """Whoever serves a stream lives with its connection; when the last one is closed, the client has gone."""
    story = Story()
    streams = story.crew(
        "select", "feed.(*Server).Watch@feed/server.go:40", f"{GRPC}.(*Server).handleStream@server.go:9"
    )
    reader = story.crew("IO wait", *READ, f"{GRPC}/internal/transport.(*http2Server).HandleStreams@http2_server.go:6")
    for step, count in enumerate(connections):
        story.join(streams, 20)
        story.join(reader, max(0, count - len(reader.members)))
        del reader.members[count:]
        story.snapshot(100 if step < 3 else 2)
    diagnosis = story.diagnosed()
    assert diagnosis.verdict == said
    assert diagnosis.findings[0].suspect.kinds.has("clients-left") is (said == "leaking")


def test_connections_that_wait_for_their_body_are_not_idle() -> None:
    made = "net/http.(*Transport).dialConn@/usr/local/go/src/net/http/transport.go:1944"
    story = grown([0, 20, 45, 70, 70], "select", IDLE_CONNECTION[-1], by=made, work=[100, 100, 100, 100, 2])
    (found,) = story.diagnosed().findings
    assert found.mechanism == "unclosed-body"


def followers(counts: Sequence[int], others: Sequence[int], *, parents: bool) -> Story:
    """Return a server whose streams are as many as their clients, beside other requests that last."""
    story = Story()
    streams = story.crew(
        "select", "main.(*feed).follow", "net/http.HandlerFunc.ServeHTTP", SERVE, by="net/http.(*Server).Serve"
    )
    reads = [story.crew("IO wait", *BACKGROUND, by=READ_AHEAD) for _ in counts]
    polls = story.crew(
        "select", "main.(*desk).poll", "net/http.HandlerFunc.ServeHTTP", SERVE, by="net/http.(*Server).Serve"
    )
    pumps = story.crew("chan receive", "main.(*feed).pump", by="main.(*feed).follow")
    for count, more in zip(counts, others, strict=True):
        for handlers, wanted in ((streams, count), (polls, more)):
            if handlers is polls:
                handlers.members.clear()
            while len(handlers.members) < wanted:
                story.join(handlers)
                mine = story.crew("IO wait", *BACKGROUND, by=READ_AHEAD, parent=story.number if parents else 0)
                if handlers is streams:
                    pump = story.crew(
                        pumps.state, *pumps.frames, by="main.(*feed).follow", parent=story.number if parents else 0
                    )
                    story.join(pump)
                else:
                    reads.append(mine)
                story.join(mine)
        story.snapshot()
        for mine in reads:
            mine.members.clear()
    return story


@pytest.mark.parametrize("parents", [True, False])
@pytest.mark.parametrize("others", [(0, 0, 0, 0, 0), (9, 2, 14, 5, 7)])
def test_streams_of_clients_that_are_still_there_are_traffic(others: Sequence[int], parents: bool) -> None:
    said = followers((5, 12, 25, 40, 52), others, parents=parents).diagnosed()
    assert accused(said) == []


def test_a_write_that_nobody_reads_is_a_leak_where_it_lasts() -> None:
    said = grown([0, 8, 16, 24, 32], "IO wait", *WRITE, "main.(*board).send").diagnosed()
    found = said.findings[0]
    assert (found.mechanism, said.verdict) == ("peer-stopped-reading", "leaking")


def test_what_a_healthy_twin_does_not_have() -> None:
    sick = dump(MAIN, crew(range(20, 60), "chan receive", ASK, minutes=9), crew(range(60, 70), "select", POOL))
    well = dump(MAIN, crew(range(60, 70), "select", POOL))
    found = diagnosed(sick, baseline=[well]).findings[0]
    assert found.suspect.sites[0].frame.function == ASK
    assert "baseline" in found.suspect.kinds
    assert diagnosed(sick, baseline=[sick]).verdict != "leaking"


@pytest.mark.parametrize("state", ["chan receive", "select"])
@pytest.mark.parametrize(("many", "suspicious"), [(1200, True), (200, False)])
def test_of_thousands_that_no_dump_was_taken_of_something_is_said(state: str, many: int, suspicious: bool) -> None:
    groups = read(dump(MAIN, crew(range(20, 20 + many), state, ASK))).groups
    blind = Goroutines(tuple(type(group)(group.stack, group.count, group.state) for group in groups))
    moments = tuple(replace(snapshot(dump(MAIN), at), goroutines=blind) for at in range(2))
    said = diagnose(Case((Process("p1", "shop", moments),)))
    assert said.verdict == ("undecided" if suspicious else "healthy")
    assert (at(said, ASK) is not None) is suspicious


def test_a_library_that_was_given_no_stop_is_not_accused() -> None:
    run = "k8s.io/apiserver/pkg/server.(*Loop).Run@k8s.io/apiserver@v0.36.3/pkg/server/loop.go:9"
    said = grown([1, 1, 1], "chan receive (nil chan)", run).diagnosed()
    assert not accused(said)
    assert accused(grown([0, 3, 6], "chan receive (nil chan)", run).diagnosed())
    assert accused(grown([1, 1, 1], "chan receive (nil chan)", ASK).diagnosed())
