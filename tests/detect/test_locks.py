"""Locks: small programs with the usual mistakes, as Go 1.19 and Go 1.26 print them; root and mechanism have to come out.

Each dump in testdata/locks is of one program of a few lines, run until it was stuck; of many alike a few were kept.
"""

from collections import Counter
from pathlib import Path
from time import process_time

import pytest

from oakum.detect.waits_for import Node, WaitComponent, wait_components
from oakum.model import Capture, GoroutineGroup, Goroutines, Stack
from oakum.parse import goroutines, parse

DUMPS = Path(__file__).parent / "testdata" / "locks"
HELD = "lock-held-while-waiting"

# Program: mechanism; roots, the best first; victims.
STUCK: dict[str, tuple[str, tuple[str, ...], set[str]]] = {
    # Two take two locks in opposite order; three in a ring; two accounts, through a function.
    "abba": ("lock-cycle", ("(*Audit).note", "(*Ledger).credit"), {"(*Ledger).post", "(*Ledger).credit"}),
    "threeway": ("lock-cycle", ("(*Node).take", "(*Node).take", "(*Node).take"), {"(*Node).take"}),
    "transfer": ("lock-cycle", ("(*Acct).deposit", "(*Acct).deposit"), {"(*Acct).deposit", "transfer"}),
    # Locked again through a helper, in a Once, by a reader behind a writer, by a reader that wants to write, per object.
    "helper2": ("double-lock", ("(*Cache).evict",), {"(*Cache).add"}),
    "once": ("double-lock", ("(*Conf).get",), {"(*Conf).get"}),
    "rwr": ("double-lock", ("(*Table).one", "(*Table).set"), {"(*Table).one", "(*Table).set"}),
    "upgrade": ("double-lock", ("(*Table).fill",), {"(*Table).get"}),
    "perobject": ("double-lock", ("(*Conn).flush",), set()),
    # Never unlocked: nobody holds it, and the idle loops of the same object are not blamed.
    "nounlock": ("double-lock", ("(*Store).put",), set()),
    "recvparent": ("double-lock", ("(*Box).take",), {"(*Box).ask"}),
    # Held by one that waits for a channel, a condition, its children, the network, a full pipe.
    "lockchan": (HELD, ("(*Hub).emit",), {"(*Hub).emit", "(*Hub).count", "(*Hub).loop"}),
    "condother": (HELD, ("(*Gate).pass",), {"(*Desk).sum"}),
    "wglock": (HELD, ("(*Team).close",), {"(*Team).leave"}),
    "oncestuck": (HELD, ("(*Conf).load",), {"(*Conf).get"}),
    "http": (HELD, ("(*persistConn).roundTrip",), {"(*Api).fetch"}),
    "rwwriter": (HELD, ("(*Reg).load",), {"(*Reg).load", "(*Reg).get"}),
    "rwreader": (HELD, ("(*Reg).walk",), {"(*Reg).set", "(*Reg).get"}),
    "rlocker": (HELD, ("(*Feed).wait",), {"(*Feed).set"}),
    # The lock is embedded, handed over by pointer, a package variable, or one that a closure has caught.
    "embedded": (HELD, ("(*Session).push",), {"(*Base).touch"}),
    "byptr": (HELD, ("drain",), {"tally"}),
    "global": (HELD, ("refresh",), {"read"}),
    "closures": (HELD, ("main.func1",), {"main.func2"}),
}


def read(path: Path) -> Goroutines:
    return parsed(path.read_bytes())


def parsed(dump: bytes) -> Goroutines:
    (reading,) = parse(Capture("x", dump))
    found = goroutines(reading)
    assert found is not None
    return found


def all_of(dump: Goroutines) -> set[int]:
    return set(range(len(dump.groups)))


def name(dump: Goroutines, node: Node) -> str:
    place = dump.groups[node.group].place
    return place.function.rpartition("/")[2].partition(".")[2] if place else ""


def told(dump: Goroutines, component: WaitComponent) -> tuple[tuple[str, ...], set[str]]:
    return tuple(name(dump, node) for node in component.roots), {name(dump, node) for node, _ in component.victims}


def wordless(dump: Goroutines) -> Goroutines:
    """Return what a protobuf would say: no ids, parents, creators, ages or words."""
    counts: Counter[tuple[Stack, str | None]] = Counter()
    for group in dump.groups:
        counts[(group.stack, group.state)] += group.count
    return Goroutines(tuple(GoroutineGroup(stack, count, state) for (stack, state), count in counts.most_common()))


@pytest.mark.parametrize("go", ["1.19", "1.26"])
@pytest.mark.parametrize("program", STUCK)
def test_root_and_mechanism(program: str, go: str) -> None:
    dump = read(DUMPS / f"{program}.go{go}.txt")
    (component,) = wait_components(dump, all_of(dump))
    mechanism, roots, victims = STUCK[program]
    assert (component.mechanisms[0], *told(dump, component)) == (mechanism, roots, victims)


# What only the words tell: objects of one type cannot be told apart without them.
NEEDS_WORDS = {"threeway", "perobject", "recvparent", "abba", "transfer"}


@pytest.mark.parametrize("program", sorted(set(STUCK) - NEEDS_WORDS))
def test_the_shape_alone_tells_root_and_mechanism(program: str) -> None:
    dump = wordless(read(DUMPS / f"{program}.go1.26.txt"))
    (component,) = wait_components(dump, all_of(dump))
    mechanism, roots, victims = STUCK[program]
    assert (component.mechanisms[0], *told(dump, component)) == (mechanism, roots, victims)
    assert not component.certain


@pytest.mark.parametrize("program", ["abba", "threeway", "transfer"])
def test_a_cycle_is_told_without_words(program: str) -> None:
    dump = wordless(read(DUMPS / f"{program}.go1.26.txt"))
    (component,) = wait_components(dump, all_of(dump))
    assert component.mechanisms[0] == "lock-cycle"
    assert set(told(dump, component)[0]) == set(STUCK[program][1])


def test_the_words_make_it_certain() -> None:
    for program in ("abba", "rwr", "lockchan", "wglock", "helper2"):
        dump = read(DUMPS / f"{program}.go1.26.txt")
        assert wait_components(dump, all_of(dump))[0].certain, program


def test_writers_that_queue_at_a_full_pipe_wait_for_the_one_that_writes() -> None:
    dump = read(DUMPS / "pipe.go1.26.txt")
    (component,) = wait_components(dump, all_of(dump))
    assert component.mechanisms == (HELD,)
    assert [dump.groups[node.group].state for node in component.roots] == ["IO wait"]
    assert {dump.groups[node.group].state for node, _ in component.victims} == {"semacquire", "sync.Mutex.Lock"}


def test_evidence_names_lock_and_holder() -> None:
    dump = read(DUMPS / "lockchan.go1.26.txt")
    (component,) = wait_components(dump, all_of(dump))
    signs = {sign.kind: sign for sign in component.evidence}
    assert set(signs) == {"lock-holder", "same-lock"}
    assert signs["lock-holder"].group == component.roots[0].group
    assert signs["lock-holder"].text.args["function"] == "main.(*Hub).emit"
    assert str(signs["same-lock"].text.args["lock"]).startswith("main.Hub, 0x")
    assert signs["same-lock"].text.args["count"] == 7


def test_who_may_be_stuck_is_the_callers_to_say() -> None:
    dump = read(DUMPS / "lockchan.go1.26.txt")
    adding = {n for n, group in enumerate(dump.groups) if group.place and group.place.function.endswith("count")}
    (component,) = wait_components(dump, adding)
    assert told(dump, component) == (("(*Hub).emit",), {"(*Hub).count", "(*Hub).emit", "(*Hub).loop"})
    assert wait_components(dump, set()) == ()
    assert wait_components(dump, lambda _: False) == ()


@pytest.mark.parametrize("go", ["1.19", "1.26"])
def test_a_hot_lock_gets_no_invented_holder_or_cycle(go: str) -> None:
    dump = read(DUMPS / f"hot.go{go}.txt")
    for component in wait_components(dump, all_of(dump)):
        assert not component.certain
        assert "lock-cycle" not in component.mechanisms


HOLDER = """goroutine {id} [{state}]:
main.(*Book).out(0xc000500000)
\t/srv/book.go:90 +0x1
main.(*Book).Sum(0xc000500000)
\t/srv/book.go:72 +0x1
main.(*api).sum(0xc000999000)
\t/srv/main.go:80 +0x1
created by main.main in goroutine 1
\t/srv/main.go:1 +0x1

"""
WAITER = """goroutine {id} [{state}]:
internal/sync.(*Mutex).lockSlow({word:#x})
\tinternal/sync/mutex.go:149 +0x15a
sync.(*Mutex).Lock(...)
\tsync/mutex.go:46
main.(*Book).Put({owner:#x}, 0x3)
\t/srv/book.go:50 +0x51
main.(*api).put(0xc000999000, {id:#x}00000)
\t/srv/main.go:56 +0x5f
created by main.main in goroutine 1
\t/srv/main.go:2 +0x1

"""


def waiters(count: int, state: str = "sync.Mutex.Lock", word: int = 0xC000500010, owner: int = 0xC000500000) -> str:
    return "".join(WAITER.format(id=n + 100, state=state, word=word, owner=owner) for n in range(count))


def test_one_holder_under_very_many_victims() -> None:
    dump = parsed((waiters(20_000) + HOLDER.format(id=99_999, state="chan send")).encode())
    (component,) = wait_components(dump, all_of(dump))
    assert told(dump, component) == (("(*Book).out",), {"(*Book).Put"})
    assert component.roots[0].count == 1
    assert component.victims[0][0].count == len(component.victims[0][0].members) == 20_000


def test_a_holder_of_another_object_is_none() -> None:
    other = HOLDER.format(id=9, state="chan send").replace("0xc000500000", "0xc000700000")
    dump = parsed((waiters(3) + other).encode())
    (component,) = wait_components(dump, all_of(dump))
    assert told(dump, component) == (("(*Book).Put",), set())
    assert {sign.kind for sign in component.evidence} == {"no-lock-holder", "same-lock"}


def test_who_began_to_wait_long_after_the_victims_holds_nothing() -> None:
    old = waiters(3, "sync.Mutex.Lock, 30 minutes")
    for state, root in (("chan send, 30 minutes", "(*Book).out"), ("chan send", "(*Book).Put")):
        dump = parsed((old + HOLDER.format(id=9, state=state)).encode())
        assert told(dump, wait_components(dump, all_of(dump))[0])[0] == (root,)


def test_two_locks_are_two_knots() -> None:
    second = (
        waiters(4, word=0xC000800010, owner=0xC000800000).replace("Book", "Shelf").replace("goroutine 1", "goroutine 9")
    )
    dump = parsed((waiters(3) + second).encode())
    found = wait_components(dump, all_of(dump))
    assert [told(dump, component)[0] for component in found] == [("(*Shelf).Put",), ("(*Book).Put",)]


def test_many_locks_and_many_groups_stay_bounded() -> None:
    apart = "".join(
        WAITER.format(id=n, state="sync.Mutex.Lock", word=0xC000500010 + 64 * n, owner=0xC000500000 + 64 * n)
        for n in range(2, 3000)
    )
    dump = parsed(apart.encode())
    (component,) = wait_components(dump, all_of(dump))
    assert sum(node.count for node in component.roots) == 2998
    assert len(component.evidence) < 30
    groups = "".join(
        waiters(1).replace("Put", f"Put{n}").replace("goroutine 100", f"goroutine {n}") for n in range(2, 2500)
    )
    dump = parsed(groups.encode())
    (component,) = wait_components(dump, all_of(dump))
    assert len(component.victims) == 2497


def goroutine(number: int, state: str, *frames: str, by: str = "main.main") -> str:
    """Return one goroutine; a frame is `(*Book).Put(0x1) 50`."""
    lock = ("internal/sync.(*Mutex).lockSlow({}) 149", "sync.(*Mutex).Lock(...) 46")
    lines = [f"goroutine {number} [{state.partition(' 0x')[0]}]:"]
    word = state.partition(" 0x")[2]
    for frame in (*(one.format(f"0x{word}") for one in lock if word), *(f"main.{one}" for one in frames)):
        call, _, line = frame.rpartition(" ")
        lines += [call, f"\t{'sync' if 'sync.' in call else '/srv'}/x.go:{line} +0x1"]
    return "\n".join([*lines, f"created by {by} in goroutine 1", "\t/srv/x.go:1 +0x1", "", ""])


LOCK = "sync.Mutex.Lock 0x{:x}"


def test_the_address_may_be_any_argument_and_lines_of_another_lock_prove_nothing() -> None:
    """(*Daemon).Kill holds the lock of a container; (*Daemon).List, past the line of its own lock, waits for it."""
    box, daemon = 0xC000500000, 0xC000700000
    text = goroutine(2, LOCK.format(box), f"(*Daemon).cleanup(0x0?, {box:#x}) 30", "(*Daemon).monitor(...) 25")
    text += goroutine(3, "select", "(*Daemon).waitGone(...) 43", f"(*Daemon).Kill(0x7b3460?, {box:#x}) 39")
    text += goroutine(4, LOCK.format(box), "(*Container).Name(0x0?) 59", "(*Daemon).List(0x1?) 53")
    text += goroutine(5, LOCK.format(daemon), f"(*Daemon).List({daemon:#x}) 50")
    dump = parsed(text.encode())
    (component,) = wait_components(dump, all_of(dump))
    assert component.mechanisms == (HELD,)
    assert told(dump, component) == (
        ("(*Daemon).waitGone",),
        {"(*Daemon).cleanup", "(*Container).Name", "(*Daemon).List"},
    )


def keyed(passed: str) -> Goroutines:
    text = "".join(
        goroutine(
            n, LOCK.format(0xC000500000), "(*Locks).acquire(0xc000900000, 0x5) 30", "(*Pods).Sync(0xc000900000) 40"
        )
        for n in (7, 8, 9)
    )
    text += goroutine(3, "chan receive", "(*Pods).confirm(...) 48", f"(*Pods).Sync({passed}")
    return parsed(text.encode())


def test_a_helper_locks_for_its_caller() -> None:
    dump = keyed("0xc000900000) 43")
    waiting = {n for n, group in enumerate(dump.groups) if group.state == "sync.Mutex.Lock"}
    (component,) = wait_components(dump, waiting)
    assert told(dump, component) == (("(*Pods).confirm",), {"(*Locks).acquire"})
    assert component.mechanisms == (HELD,)
    for elsewhere in ("0xc000900000) 39", "0xc000a00000) 43"):  # before the helper; of another object
        dump = keyed(elsewhere)
        waiting = {n for n, group in enumerate(dump.groups) if group.state == "sync.Mutex.Lock"}
        assert told(dump, wait_components(dump, waiting)[0])[0] == ("(*Locks).acquire",)


def test_loops_that_have_yet_to_come_to_the_lock_do_not_hold_it() -> None:
    text = goroutine(
        2, LOCK.format(0xC000500000), "(*Server).remove(0xc000500000) 26", "(*Server).loop(0x0?) 22", "go() 9"
    )
    text += "".join(goroutine(n, "chan receive", "(*Server).loop(0x0?) 21", "go() 9") for n in range(3, 7))
    text += goroutine(8, "chan receive", "(*Server).Close(0x1?) 36", "handle() 5")
    dump = parsed(text.encode())
    (component,) = wait_components(dump, all_of(dump))
    assert told(dump, component) == (("(*Server).Close",), {"(*Server).remove"})


def test_without_words_two_methods_of_the_type_tell_the_holder() -> None:
    text = "".join(goroutine(n, LOCK.format(0xC000500000), "(*Dispatcher).Sent(0x1?) 32") for n in range(2, 8))
    text += goroutine(9, "select", "(*Dispatcher).push(...) 25", "(*Dispatcher).Dispatch(0xc000500000) 20")
    for dump in (parsed(text.encode()), wordless(parsed(text.encode()))):
        (component,) = wait_components(dump, all_of(dump))
        assert told(dump, component) == (("(*Dispatcher).push",), {"(*Dispatcher).Sent"})
        assert component.mechanisms == (HELD,)


def test_without_words_who_was_called_by_its_own_code_comes_first() -> None:
    text = "".join(goroutine(n, LOCK.format(0xC000500000), "(*Account).Balance(0x1?) 32") for n in range(2, 5))
    text += "".join(
        goroutine(n, LOCK.format(0xC000500000), "(*Account).deposit(0x1?) 26", "Transfer(0x1?) 21") for n in (6, 7)
    )
    dump = wordless(parsed(text.encode()))
    (component,) = wait_components(dump, all_of(dump))
    assert told(dump, component) == (("(*Account).deposit",), {"(*Account).Balance"})


@pytest.mark.parametrize("deep", [1, 40])
def test_locks_that_each_have_code_of_their_own_stay_bounded(deep: int) -> None:
    below = [f"(*Q{n}).f(0x1?) {n + 1}" for n in range(deep)]
    text = "".join(
        goroutine(2 * n, LOCK.format(0xC000500000 + 8 * n), f"(*Book{n}).Put(0x1?) {n}", *below)
        + goroutine(2 * n + 1, "chan send", f"(*Book{n}).Get(0x1?) {n}", *below)
        for n in range(1, 250)
    )
    dump = parsed(text.encode())
    start = process_time()
    wait_components(dump, all_of(dump))
    assert process_time() - start < 5  # 0.5 s here; every lock against every stack takes a minute
