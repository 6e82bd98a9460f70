"""Go heap dumps: who holds what, beside what programs say of themselves; cut, damaged and hostile ones; how holders are
found, beside the definition."""

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

from heap_dump import BUCKET, DATA, HEADER, QUEUED, SAMPLE, Writer
from oakum.model import Capture, Reading
from oakum.model.holders import Holder, Holders
from oakum.parse import heapdump, parse
from oakum.parse.binaries import dwarf, variables
from oakum.parse.binaries.dwarf import Dwarf
from oakum.parse.heapdump import dominators, records
from oakum.parse.heapdump.dominators import Graph, TooSlow, find_dominators
from oakum.parse.limits import DEFAULT, Limits
from oakum.views.proto import encode

RECORDED = Path(__file__).parent / "testdata" / "heapdump"
VERSIONS = sorted(path.name for path in RECORDED.iterdir())
# Structures of tests/record/keeper beside what it says of them; what it cannot know (the descriptors of goroutines, that
# an entry of a map was there before) is less than this.
CLOSE = 0.02
LISTED = b"    5a0000        8 B main.first\n    5a0008       16 B main.second\n"


def recorded(version: str) -> tuple[bytes, bytes, dict[str, dict[str, int]]]:
    folder = RECORDED / version
    told = json.loads((folder / "told.json").read_text(encoding="utf-8"))
    dump, listed = (gzip.decompress((folder / name).read_bytes()) for name in ("heap.dump.gz", "variables.txt.gz"))
    return dump, listed, told


def read(data: bytes, program: bytes | None = LISTED, limits: Limits = DEFAULT) -> Reading:
    (found,) = heapdump.read(data, limits, program)
    return found


def holders(data: bytes, program: bytes | None = LISTED) -> Holders:
    found = read(data, program).holders
    assert found is not None
    return found


def by_name(found: Holders) -> dict[str, Holder]:
    return {root.name: root for root in found.roots}


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_held_is_what_the_program_says(version: str) -> None:
    dump, listed, told = recorded(version)
    found = read(dump, listed)
    assert not found.problems
    assert found.go_version == version
    assert found.holders is not None
    roots = by_name(found.holders)
    for name, said in told.items():
        # What two of them hold together, and what each of them has for itself.
        held = sum(roots[one].bytes for one in {name, *name.split(" + ")})
        if said["walked"]:
            assert abs(held - said["walked"]) <= CLOSE * said["walked"], name
        assert abs(held - said["grown"]) <= CLOSE * max(said["grown"], 50_000), name


@pytest.mark.parametrize("version", VERSIONS)
def test_all_that_is_alive_is_held_by_something(version: str) -> None:
    dump, listed, _ = recorded(version)
    whole = records.read(dump, DEFAULT)
    assert whole is not None
    assert whole.objects is not None
    found = holders(dump, listed)
    assert found.bytes + found.unreferenced == int(whole.objects.size.sum())
    assert abs(found.bytes - whole.memstats[0]) <= CLOSE * whole.memstats[0]  # HeapAlloc, just after a collection
    assert sum(root.bytes for root in found.roots) >= 0.98 * found.bytes


@pytest.mark.parametrize("version", VERSIONS)
def test_kinds_of_holders(version: str) -> None:
    dump, listed, _ = recorded(version)
    roots = by_name(holders(dump, listed))
    waiting = roots["main.wait"]
    assert (waiting.kind, waiting.count, waiting.state) == ("goroutine", 4, "chan receive")
    assert "main.wait" in waiting.stack
    assert roots["finalizer queue"].kind == "finalizer-queue"
    assert roots["finalizer queue"].count == 300
    assert roots["timers"].kind == "timers"
    assert roots["main.index + main.order"].kind == "several"  # neither alone keeps it
    assert roots["main.sessions"].kind == "global"  # through a static temporary, which has no name
    assert not [name for name in roots if "stmp" in name or name.startswith(("data+", "bss+"))]


def _path(root: Holder, *names: str) -> Holder:
    for name in names:
        root = next(one for one in root.below if one.name == name)
    return root


@pytest.mark.parametrize("version", [path.parent.name for path in sorted(RECORDED.glob("*/program.gz"))])
def test_types_name_what_is_held(version: str) -> None:
    dump, listed, _ = recorded(version)
    found = read(dump, gzip.decompress((RECORDED / version / "program.gz").read_bytes()))
    assert not found.problems
    assert found.holders is not None
    roots = by_name(found.holders)
    sizes = {name: root.bytes for name, root in by_name(holders(dump, listed)).items()}
    assert sizes == {name: root.bytes for name, root in roots.items()}, "types change no sum"
    sessions = roots["main.sessions"]
    assert sessions.type == "*main.registry"
    kept = _path(sessions, "sessions")
    assert (kept.type, kept.entries) == ("map[string]*main.session", 300)
    assert _path(kept, "$mapval").type == "*main.session"
    payload = _path(kept, "$mapval", "payload")
    assert (payload.type, payload.bytes) == ("[]uint8", 300 * 320)
    history = roots["main.history"]
    assert (history.type, history.entries) == ("[]*main.report", 300)
    assert _path(history, "[]", "lines", "[]").bytes == 900 * 64
    assert (roots["main.chain"].type, roots["main.chain"].below) == ("*main.node", ()), "a list is one line"
    element = _path(roots["main.recent"], "container/list.Element")
    assert _path(element, "Value").objects == element.entries
    assert _path(roots["main.callbacks"], "[]").type == "func() int"
    assert roots["main.cache"].type == "sync.Map"
    assert _path(roots["main.index + main.order"], "main.report", "lines").type == "[][]uint8"


def test_damaged_types_are_no_types() -> None:
    version = next(RECORDED.glob("*/program.gz")).parent.name
    dump, listed, _ = recorded(version)
    program = gzip.decompress((RECORDED / version / "program.gz").read_bytes())
    info = dwarf.read(program)
    assert info is not None
    chance = random.Random(5)
    sizes = {root.name: root.bytes for root in holders(dump, listed).roots}
    for _ in range(6):
        raw = bytearray(info._info)
        for _ in range(400):
            raw[chance.randrange(len(raw))] = chance.choice((0, 1, 30, 127, 255))
        broken = Dwarf(bytes(raw), info._abbreviations, 8, "<")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dwarf, "read", lambda _, broken=broken: broken)
            assert sizes == {root.name: root.bytes for root in holders(dump, program).roots}
    for cut in (0, 100, len(program) // 3, len(program) - 40):
        assert read(dump, program[:cut]).kind == "holders"


@pytest.mark.parametrize("version", VERSIONS)
def test_without_the_program_the_shares_are_the_same(version: str) -> None:
    dump, listed, _ = recorded(version)
    capture = Capture("heap.dump.gz", gzip.compress(dump))
    (found,) = parse(capture)
    assert (found.kind, found.format, found.wrapping) == ("holders", "heap-dump", ("gzip",))
    assert [one.key for one in found.problems] == ["no-program"]
    assert found.holders is not None
    assert found.holders.bytes == holders(dump, listed).bytes
    largest = by_name(found.holders)["main.wait"]
    assert largest == by_name(holders(dump, listed))["main.wait"]  # goroutines have names in the dump itself


def test_the_profile_is_read_back_as_holders() -> None:
    dump, listed, _ = recorded(VERSIONS[-1])
    found = read(dump, listed)
    assert found.profile is not None
    (again,) = parse(Capture("holders.pb.gz", encode(found.profile)))
    assert (again.kind, again.format) == ("holders", "holders")
    assert again.holders is not None
    assert found.holders is not None
    assert again.holders.exact
    first, second = by_name(found.holders), by_name(again.holders)
    for name, root in first.items():
        if root.bytes > 10_000:
            assert (second[name].bytes, second[name].kind, second[name].count) == (root.bytes, root.kind, root.count)


def test_a_dump_cut_anywhere_is_still_a_reading() -> None:
    dump, listed, _ = recorded(VERSIONS[-1])
    cuts = [*range(len(HEADER), 3000, 7), *range(3000, len(dump), len(dump) // 60)]
    for cut in cuts:
        found = read(dump[:cut], listed)
        assert [one.key for one in found.problems] == ["cut-heap-dump"], cut
        assert found.kind == "holders"


def test_a_damaged_dump_is_still_a_reading() -> None:
    dump, listed, _ = recorded(VERSIONS[0])
    chance = random.Random(4)
    for _ in range(40):
        broken = bytearray(dump)
        for _ in range(8):
            broken[chance.randrange(len(HEADER), len(broken))] = chance.choice((0, 1, 127, 128, 255))
        assert read(bytes(broken), listed).kind == "holders"


@pytest.mark.parametrize("word", [4, 8])
@pytest.mark.parametrize("big", [False, True])
def test_words_and_byte_orders(word: int, big: bool) -> None:
    made = Writer(word, big, heap=0x40000000)
    made.object(0, [1, 2])
    made.object(1, size=512)
    made.object(2, size=256)
    made.object(3, size=64)
    made.globals([0, None, 3])
    sizes = b"    5a0000        %d B main.first\n    5a%04x       %d B main.second\n" % (word, word, 2 * word)
    found = by_name(holders(made.bytes(), sizes))
    assert (found["main.first"].bytes, found["main.first"].objects) == (768 + 2 * word, 3)
    assert found["main.second"].bytes == 64


def test_what_two_hold_is_held_by_both() -> None:
    made = Writer()
    made.object(0, [2])
    made.object(1, [2])
    made.object(2, size=4096)
    made.globals([0, 1, None])
    found = by_name(holders(made.bytes()))
    assert found["main.first"].bytes == found["main.second"].bytes == 8
    assert found["main.first + main.second"].bytes == 4096


def test_goroutines_at_one_place_are_one_holder() -> None:
    made = Writer()
    for number in range(6):
        made.object(number, size=1000 * (number + 1) // 8 * 8)
    for number in range(6):
        made.goroutine(number + 1, "main.work" if number < 4 else "main.rest", [number])
    found = by_name(holders(made.bytes()))
    assert (found["main.work"].count, found["main.work"].bytes) == (4, 1000 + 2000 + 3000 + 4000)
    assert [one.kind for one in found["main.work"].below] == ["frame"]
    assert found["main.rest"].count == 2


def test_finalizers_and_allocation_sites() -> None:
    made = Writer()
    made.object(0, [1])
    made.object(1, size=2048)
    made.numbers(QUEUED, made.at(0), 0, 0, 0, 0)
    made.numbers(BUCKET, 7, 2048, 2)
    for function, file, line in (("main.load", "load.go", 12), ("main.main", "main.go", 3)):
        made.text(function)
        made.text(file)
        made.numbers(line)
    made.numbers(1, 0)
    made.numbers(SAMPLE, made.at(1), 7)
    (root,) = holders(made.bytes()).roots
    assert (root.kind, root.count, root.bytes) == ("finalizer-queue", 1, 2056)
    (site,) = root.allocated
    assert (str(site.frames[0]), site.objects) == ("main.load load.go:12", 1)
    assert 2000 <= site.bytes <= 2100


def test_garbage_is_told_apart() -> None:
    made = Writer()
    made.object(0, [1])
    made.object(1, [0], size=800)  # a ring that nothing refers to
    made.object(2, size=96)
    made.globals([2, None, None])
    found = holders(made.bytes())
    assert (found.bytes, found.unreferenced) == (96, 808)


def test_an_object_with_many_pointers() -> None:
    made = Writer()
    made.object(0, range(1, 400))
    for number in range(1, 400):
        made.object(number, size=24 if number % 2 else 32)
    made.globals([0, None, None])
    (root,) = holders(made.bytes()).roots
    assert root.objects == 400
    assert root.bytes == 399 * 8 + 200 * 24 + 199 * 32


def test_contents_that_look_like_an_object_are_none() -> None:
    made = Writer()
    inner = Writer()
    inner.object(9, size=16)
    fake = b"".join(inner.parts[-3:])  # a whole record, in the contents of another object
    made.object(0, [1])
    made.numbers(1, made.at(1))
    made.text(fake.ljust(64, b"\x01"))
    made.parts.append(b"\0")
    made.globals([0, None, None])
    (root,) = holders(made.bytes()).roots
    assert (root.objects, root.bytes) == (2, 72)


@pytest.mark.parametrize(
    "record",
    [
        b"\x01" + b"\xff" * 9 + b"\x01" + b"\xff" * 9 + b"\x01",  # an object of 2^64 bytes
        b"\x10\x01\x01" + b"\xff" * 9 + b"\x01",  # an allocation site with 2^64 frames
        b"\x0c\x00" + b"\xff" * 9 + b"\x01",  # globals of 2^64 bytes
        b"\x01\x80\x80\x80\x80\x80\x18\x08" + b"A" * 8 + b"\x01" * 4000,  # fields without an end
        b"\x63",  # a tag that there is none
        b"\xff" * 40,
    ],
)
def test_hostile_counts(record: bytes) -> None:
    made = Writer()
    made.object(0, size=64)
    made.globals([0, None, None], tag=DATA)
    found = read(b"".join(made.parts) + record)
    assert [one.key for one in found.problems] == ["cut-heap-dump"]
    assert found.holders is not None
    assert [(root.name, root.bytes) for root in found.holders.roots] == [("main.first", 64)]


def test_time_is_bounded() -> None:
    dump, listed, _ = recorded(VERSIONS[0])
    found = read(dump, listed, Limits(max_seconds=-1.0))
    assert "slow" in [one.key for one in found.problems]


def test_a_program_that_is_stripped_or_none() -> None:
    dump, _, _ = recorded(VERSIONS[0])
    assert [one.key for one in read(dump, b"junk").problems] == ["no-program"]
    assert variables.read(b"junk\n") is None
    listed = variables.read(b"  4010a0 T main.main\n  5a0000 B main.first\n  5a0008 B main.second\n         U puts\n")
    assert listed is not None
    assert listed.names == ("main.first",)  # without sizes each goes up to the next


def _dominated(edges: list[tuple[int, int]], nodes: int, root: int) -> dict[int, set[int]]:
    """Return who holds each node, by the definition: without whom it cannot be reached."""
    follow: list[list[int]] = [[] for _ in range(nodes)]
    for one, other in edges:
        follow[one].append(other)

    def reached(without: int) -> set[int]:
        seen: set[int] = set()
        waiting = [root] if root != without else []
        while waiting:
            node = waiting.pop()
            if node not in seen and node != without:
                seen.add(node)
                waiting += follow[node]
        return seen

    whole = reached(-1)
    held: dict[int, set[int]] = {node: set() for node in whole}
    for one in whole:
        for node in whole - reached(one):
            held[node].add(one)
    return held


@pytest.mark.parametrize("few", [1, 3, 512])
def test_holders_are_those_of_the_definition(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(dominators, "_FEW", few)
    chance = random.Random(few)
    for _ in range(300):
        nodes = chance.randint(2, 14)
        root = nodes - 1
        edges = sorted((chance.randrange(nodes), chance.randrange(root)) for _ in range(chance.randint(1, 3 * nodes)))
        starts = np.searchsorted([one for one, _ in edges], np.arange(nodes + 1)).astype(np.int64)
        graph = Graph(starts, np.array([other for _, other in edges], np.int32))
        found = find_dominators(graph, np.arange(1, nodes + 1))
        held = _dominated(edges, nodes, root)
        for node in range(nodes):
            if node not in held:
                assert found.above[node] == -1
                continue
            assert found.retained[node] == sum(other + 1 for other, by in held.items() if node in by), edges
            assert found.depth[node] == len(held[node]) - 1
            if node != root:
                nearest = max(held[node] - {node}, key=lambda one: len(held[one]))
                assert found.above[node] == nearest, (edges, node)


@pytest.mark.parametrize("both_ways", [False, True])
def test_a_long_list_is_walked(both_ways: bool) -> None:
    count = 20_000
    follow = [[at + 1] if at + 1 < count else [] for at in range(count)]
    if both_ways:
        follow = [[*on, *([at - 1] if at else [])] for at, on in enumerate(follow)]
    follow.append([0])
    starts = np.zeros(count + 2, np.int64)
    np.cumsum([len(one) for one in follow], out=starts[1:])
    graph = Graph(starts, np.array([other for one in follow for other in one], np.int32))
    found = find_dominators(graph, np.ones(count + 1, np.int64))
    assert found.retained[:count].tolist() == list(range(count, 0, -1))
    with pytest.raises(TooSlow):
        find_dominators(graph, np.ones(count + 1, np.int64), deadline=0.0)
