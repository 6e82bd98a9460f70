"""Is anybody at work? A queue that nobody serves does not move, and one snapshot shows it."""

import pytest

from goroutine_text import MAIN, READ, crew, diagnosed, dump, goroutine, read
from oakum.detect.at_work import at_work
from oakum.model import Diagnosis

STANDARD = "/usr/local/go/src/"


@pytest.mark.parametrize(
    ("state", "frames", "works"),
    [
        ("running", ("main.(*Desk).sum",), 1),
        ("sleep", (f"time.Sleep@{STANDARD}runtime/time.go:300", "main.(*Desk).pause"), 1),
        ("syscall", (f"syscall.Syscall@{STANDARD}syscall/syscall.go:9", "main.(*Desk).write"), 1),
        ("IO wait", (*READ, "main.(*Desk).fetch"), 1),
        ("select", (f"net/http.(*persistConn).roundTrip@{STANDARD}net/http/transport.go:3", "main.(*Desk).call"), 1),
        ("select", ("main.(*Desk).wait",), 0),
        ("chan receive", ("main.(*Desk).wait",), 0),
        ("running", (f"runtime/pprof.writeGoroutineStacks@{STANDARD}runtime/pprof/pprof.go:7", "main.main"), 0),
    ],
)
def test_who_is_at_work(state: str, frames: tuple[str, ...], works: int) -> None:
    assert at_work(read(dump(goroutine(7, state, *frames)))) == works


def told(*others: str) -> tuple[str, set[str]]:
    """Return the verdict on one dump with senders that have no age yet, and what counted."""
    diagnosis = diagnosed(dump(MAIN, crew(range(20, 24), "chan send", "main.(*Desk).ask"), *others))
    return diagnosis.verdict, {str(kind) for found in diagnosis.findings for kind in found.suspect.kinds}


def test_senders_that_nobody_can_serve_are_a_leak_in_one_dump() -> None:
    verdict, kinds = told()
    assert verdict == "leaking"
    assert "nobody-at-work" in kinds


@pytest.mark.parametrize("state", ["running", "sleep", "syscall"])
def test_a_queue_may_move_while_somebody_works(state: str) -> None:
    verdict, kinds = told(goroutine(9, state, "main.(*Desk).serve"))
    assert verdict == "undecided"
    assert "nobody-at-work" not in kinds


@pytest.mark.parametrize("state", ["chan receive", "select"])
def test_a_queue_may_move_at_the_ticks_of_its_worker(state: str) -> None:
    """`for range ticker.C { job := <-desk.jobs }` waits as an idle worker does."""
    assert told(goroutine(9, state, "main.(*Desk).work"))[0] == "undecided"
    assert told(goroutine(9, state, "main.(*Board).work"))[0] == "leaking"


@pytest.mark.parametrize(
    ("state", "waits", "works", "excused"),
    [
        ("sync.RWMutex.RLock", "main.(*Board).show", "main.(*Board).refresh", True),
        ("sync.RWMutex.RLock", "main.(*Board).show", "main.(*Ledger).post", False),
        ("sync.WaitGroup.Wait", "main.(*Group).Do", "main.(*Group).Do", True),
        ("sync.WaitGroup.Wait", "main.(*Group).Do", "main.(*Group).Forget", False),
        ("chan send", "main.(*Board).show", "main.(*Board).refresh", False),
    ],
)
def test_the_one_before_them_is_at_work(state: str, waits: str, works: str, excused: bool) -> None:
    """Who waits for a lock waits for a method of its type; who shares an answer, for the same function."""
    dumps = []
    for at, count in enumerate((0, 8, 16)):
        busy = goroutine(7, "sleep", "time.Sleep@/usr/local/go/src/runtime/time.go:9", works)
        youngest = goroutine(100 * (at + 1), "running", "runtime/pprof.writeGoroutineStacks", by="")
        dumps.append(dump(busy, youngest, [goroutine(20 + one, state, waits) for one in range(count)]))
    diagnosis = diagnosed(*dumps, every=0.3)
    assert any("head-at-work" in found.suspect.kinds for found in diagnosis.findings) is excused
    assert (diagnosis.verdict == "leaking") is not excused


CONN = f"database/sql.(*DB).conn@{STANDARD}database/sql/sql.go:1374"
ROWS = f"database/sql.(*Rows).Next@{STANDARD}database/sql/sql.go:3000"
READS = (*READ, "github.com/acme/driver.(*conn).next@/go/pkg/mod/github.com/acme/driver@v1.0.0/conn.go:9")


def waiting_for_a_connection(*others: str) -> Diagnosis:
    """Return what one dump shows: handlers that wait for a connection of a pool, beside others at work."""
    busy = goroutine(7, "running", "main.(*Clock).tick")
    return diagnosed(dump(MAIN, busy, crew(range(20, 24), "select", CONN, "main.(*Fares).Find", "main.find"), *others))


@pytest.mark.parametrize(
    ("user", "lent"),
    [
        ((*READS, ROWS, "main.(*Fares).Sum"), True),  # in the pool's own code
        (("main.(*Tariff).price", "main.(*Fares).Find"), True),  # in the code that got it
        (("main.(*Tariff).price", "main.find"), True),  # in its caller
        ((f"database/sql.(*Tx).awaitDone@{STANDARD}database/sql/sql.go:2200",), False),  # the pool's own helper
        (("main.(*Tariff).price", "main.refresh"), False),
    ],
)
def test_a_pool_that_lends_to_nobody_who_is_there(user: tuple[str, ...], lent: bool) -> None:
    """A pool in use has users; when all have returned without giving back, nobody is left who could."""
    diagnosis = waiting_for_a_connection(goroutine(9, "IO wait", *user))
    found = next(one for one in diagnosis.findings if one.mechanism == "exhausted-pool")
    assert found.suspect.kinds.has("pool-unused") is not lent
    assert (found.confidence == "likely") is not lent
