"""Waits-for links: parents and children, queues, and how knots are told apart; the recorded cases in every format."""

import tomllib
from pathlib import Path
from random import Random

import pytest

from oakum.detect.waits_for import WaitComponent, wait_components
from oakum.knowledge import benign
from oakum.model import Capture, GoroutineGroup, Goroutines
from oakum.parse import goroutines, parse
from oakum.report.words import WORDS
from support import ROOT

DUMPS = Path(__file__).parent / "testdata" / "locks"
CASES = ("lock-cycle-", "double-lock-", "lock-held-while-waiting-", "waitgroup-never-done-", "lost-signal-")


def read(data: bytes) -> Goroutines:
    reading, *_ = parse(Capture("x", data))
    found = goroutines(reading)
    assert found is not None
    return found


def places(dump: Goroutines, component: WaitComponent) -> tuple[list[str], list[tuple[str, str, int]]]:
    def at(group: int) -> str:
        place = dump.groups[group].place
        return place.function.partition(".")[2] if place else ""

    return [at(node.group) for node in component.roots], [(at(n.group), why, n.count) for n, why in component.victims]


def everything(dump: Goroutines) -> set[int]:
    return set(range(len(dump.groups)))


@pytest.mark.parametrize("go", ["1.19", "1.26"])
@pytest.mark.parametrize(
    ("program", "root", "victim"),
    [
        ("errchild", "(*Scan).part", ("(*Scan).all", "parent", 3)),
        ("closer", "(*Scan).part", ("(*Scan).all.func1", "behind", 3)),
        ("group", "collect.func1", ("(*Group).Wait", "parent", 3)),
        ("sem", "(*Pool).work", ("(*Pool).use", "behind", 3)),
        ("flight", "fetch", ("(*Group).Do", "behind", 3)),
    ],
)
def test_who_waits_for_others_is_a_victim(program: str, root: str, victim: tuple[str, str, int], go: str) -> None:
    dump = read((DUMPS / f"{program}.go{go}.txt").read_bytes())
    (component,) = wait_components(dump, everything(dump))
    assert places(dump, component) == ([root], [victim])
    assert component.mechanisms == ()  # the root's own state says it all


def test_a_waitgroup_whose_children_have_gone_is_no_victim() -> None:
    for go in ("1.19", "1.26"):
        dump = read((DUMPS / f"wgmissing.go{go}.txt").read_bytes())
        assert wait_components(dump, everything(dump)) == ()


CHILD = """goroutine {id} [{state}]:
main.(*Watch).{name}(0xc000{id:06x})
\t/srv/watch.go:{line} +0x1
created by main.(*Watch).{by} in goroutine {parent}
\t/srv/watch.go:30 +0x1

"""


def child(number: int, parent: int, state: str, name: str, by: str = "serve", line: int = 40) -> str:
    return CHILD.format(id=number, parent=parent, state=state, name=name, by=by, line=line)


def test_parents_are_told_from_those_like_them_whose_children_have_ended() -> None:
    text = "".join(child(n, 1, "chan receive", "serve", "main") for n in range(2, 12))
    text += "".join(child(n + 100, n, "chan send", "post") for n in range(2, 6))
    dump = read(text.encode())
    (component,) = wait_components(dump, everything(dump))
    assert places(dump, component) == (["(*Watch).post"], [("(*Watch).serve", "parent", 4)])
    parents = component.victims[0][0]
    assert sorted(dump.groups[parents.group].ids[parents.members].tolist()) == [2, 3, 4, 5]


def test_a_child_that_waits_for_the_end_of_its_parent_does_not_hold_it_up() -> None:
    text = child(2, 1, "chan receive", "serve", "main") + child(3, 2, "chan receive", "serve.func1")
    dump = read(text.encode())
    assert wait_components(dump, everything(dump)) == ()


def test_one_parent_does_not_tie_two_causes_together() -> None:
    text = child(2, 1, "sync.WaitGroup.Wait", "serve", "main")
    text += "".join(child(n, 2, "chan send", "post", line=50) for n in range(10, 14))
    text += "".join(child(n, 2, "chan send", "tell", line=60) for n in range(20, 23))
    dump = read(text.encode())
    (component,) = wait_components(dump, everything(dump))
    assert places(dump, component) == (["(*Watch).post"], [("(*Watch).serve", "parent", 1)])


def test_the_order_of_the_goroutines_changes_nothing() -> None:
    for program in ("abba", "rwr", "lockchan", "pipe", "closer", "wglock"):
        text = (DUMPS / f"{program}.go1.26.txt").read_text().strip()
        stacks = text.split("\n\n")
        seen = set()
        for seed in range(5):
            Random(seed).shuffle(stacks)
            dump = read(("\n\n".join(stacks) + "\n").encode())
            (component,) = wait_components(dump, everything(dump))
            roots, victims = places(dump, component)
            seen.add((tuple(roots), tuple(sorted(victims)), component.mechanisms))
        assert len(seen) == 1, program


def test_every_sentence_has_its_words() -> None:
    for path in DUMPS.iterdir():
        dump = read(path.read_bytes())
        for component in wait_components(dump, everything(dump)):
            for text in (*(sign.text for sign in component.evidence), *(link.detail for link in component.links)):
                assert text.key in WORDS, text.key


def stuck(dump: Goroutines) -> set[int]:
    """Return the groups that do not rest as the catalogue says."""
    known = benign()
    matches = [known.match(group) for group in dump.groups]
    return {n for n, match in enumerate(matches) if match is None or match.resting is False}


def recorded() -> list[Path]:
    found = []
    for case in sorted((ROOT / "casebook").iterdir()):
        if case.name.startswith(CASES):
            for take in sorted((case / "captures").iterdir()):
                if take.name.startswith("leaking"):
                    found.append(take)
    return found


@pytest.mark.parametrize("take", recorded(), ids=lambda take: f"{take.parent.parent.name}/{take.name}")
def test_recorded_cases(take: Path) -> None:
    """In the last moment, whatever its format, the first root is the case's, and no root of it is called a victim."""
    truth = tomllib.loads((take.parent.parent / "expect.toml").read_text())["finding"][0]
    roots = [site["function"] for site in truth["site"] if site["role"] == "blocked"]
    lock = truth["mechanism"] in ("lock-cycle", "double-lock", "lock-held-while-waiting")
    moments = sorted(path.parent for path in take.glob("*/goroutine.debug2.txt.gz"))
    for form in ("debug2.txt.gz", "debug1.txt.gz", "pb.gz"):
        dump = read((moments[-1] / f"goroutine.{form}").read_bytes())
        found = wait_components(dump, stuck(dump))
        at = [dump.groups[component.roots[0].group].place for component in found]
        if lock:
            assert [place.function for place in at if place] == roots[:1], form
            assert truth["mechanism"] in found[0].mechanisms[:1], form
        else:
            assert not any(place.function in roots for place in at if place), form


def test_a_dump_that_is_cut_or_mangled_still_gives_an_answer() -> None:
    random = Random(4)
    parts = 0
    for path in sorted(DUMPS.iterdir())[::3]:
        lines = path.read_bytes().splitlines(keepends=True)
        for _ in range(4):
            some = [line for line in lines if random.random() < 0.9][: random.randrange(len(lines))]
            for reading in parse(Capture("x", b"".join(some))):
                dump = goroutines(reading)
                if dump is not None:
                    seen = [
                        (node.group, row)
                        for component in wait_components(dump, everything(dump))
                        for node in component.roots + tuple(v for v, _ in component.victims)
                        for row in node.members.tolist()
                    ]
                    assert len(seen) == len(set(seen))  # each goroutine is in one knot, and plays one part
                    parts += len(seen)
    assert parts > 100


GROUP = "golang.org/x/sync/errgroup.(*Group)"
MEMBERS = """goroutine 2 [sync.WaitGroup.Wait]:
sync.(*WaitGroup).Wait(0xc000010008)
\tsync/waitgroup.go:206 +0x85
{group}.Wait(0xc000010000)
\t/srv/errgroup.go:40 +0x1e
main.Run(0x9)
\t/srv/ingest.go:40 +0x1
created by main.main
\t/srv/ingest.go:47 +0x2a

goroutine 3 [chan receive]:
{package}.(*Ingest).consume(...)
\t/srv/ingest.go:29
{group}.Go.func1()
\t/srv/errgroup.go:57 +0x56
created by {group}.Go
\t/srv/errgroup.go:54 +0x76

"""


def test_members_of_a_group_are_known_by_the_package_that_gave_them_to_it() -> None:
    for package, found in (("main", [(["(*Ingest).consume"], ["parent"])]), ("example.com/other", [])):
        dump = read(MEMBERS.format(group=GROUP, package=package).encode())
        bare = Goroutines(tuple(GoroutineGroup(one.stack, one.count, one.state) for one in dump.groups))
        for same in (dump, bare):
            told = [
                (places(same, component)[0], [why for _, why in component.victims])
                for component in wait_components(same, everything(same))
            ]
            assert told == found


def test_closures_of_one_function_did_not_start_each_other() -> None:
    text = "".join(
        f"goroutine {n} [{state}]:\nmain.{at}(0xc000010000)\n\t/srv/x.go:{n} +0x1\nmain.Setup.func1.{n}()\n\t/srv/x.go:5{n} "
        f"+0x1\ncreated by main.Setup.func1\n\t/srv/x.go:5{n} +0x1\n\n"
        for n, (state, at) in enumerate((("chan receive", "serve"), ("chan send", "post")), 2)
    )
    dump = read(text.encode())
    assert wait_components(dump, everything(dump)) == ()
