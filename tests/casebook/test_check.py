"""The checker can fail: every way in which an expectation may be untrue of the evidence is told."""

import json
from pathlib import Path

import pytest

from casebook.runner.case import load
from casebook.runner.check import check, contradictions, growth
from casebook.runner.evidence import Recording, recording
from casebook.runner.expectation import Site

CASE = """title = "Quotes"
service = "quotes"
[[build]]
name = "leaking"
[[build]]
name = "fixed"
[[take]]
build = "leaking"
go = "1.27"
paths = "trimpath"
[[phase]]
moment = "before"
seconds = 1
"""
EXPECT = """verdict = "leaking"
[[finding]]
mechanism = "abandoned-sender"
event = "GET /quote/"
per_event = 0.5
[[finding.site]]
role = "blocked"
function = "main.ask"
file = "main.go"
line = 3
code = "answers <- price"
state = "chan send"
[[finding.site]]
role = "created"
function = "main.main"
[[harmless]]
function = "main.pool"
because = "idle-pool"
[builds.fixed]
verdict = "healthy"
looks_like = "abandoned-sender"
"""
SOURCE = "package main\n\n\tanswers <- price\n"


def dump(asking: int, pool: int) -> str:
    lines = []
    for number in range(asking):
        lines.append(
            f"goroutine {number + 1} [chan send]:\nmain.ask()\n\tmain.go:3 +0x1\ncreated by main.main\n\tmain.go:9 +0x1\n"
        )
    for number in range(pool):
        lines.append(
            f"goroutine {number + 900} [chan receive]:\nmain.pool()\n\tpool.go:7 +0x1\ncreated by main.main\n\tmain.go:8 +0x1\n"
        )
    return "\n".join(lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "case.toml").write_text(CASE)
    (tmp_path / "expect.toml").write_text(EXPECT)
    (tmp_path / "main.go").write_text(SOURCE)
    record(tmp_path, [(0, 2, 0), (10, 6, 20), (20, 6, 40)])
    return tmp_path


def record(folder: Path, counts: list[tuple[int, int, int]]) -> Recording:
    """Write snapshots of (goroutines that ask, goroutines of the pool, requests sent)."""
    take = folder / "captures" / "leaking-go1.27-trimpath"
    rows = []
    for number, (asking, pool, sent) in enumerate(counts):
        snapshot = take / str(number)
        snapshot.mkdir(parents=True, exist_ok=True)
        (snapshot / "goroutine.debug2.txt").write_text(dump(asking, pool))
        rows.append({"moment": str(number), "process": "quotes", "folder": str(number), "at": "2026-01-01T00:00:00+00:00",
                     "requests": {"GET /quote/": sent}, "connections": 0, "held": 0})  # fmt: skip
    (take / "manifest.json").write_text(json.dumps({"moments": rows}))
    return recording(take)


def test_what_is_true_is_not_complained_about(folder: Path) -> None:
    assert check(load(folder)) == []


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('function = "main.ask"', 'function = "main.asked"', "nobody at main.asked:3"),
        ("line = 3", "line = 4", "nobody at main.ask:4"),
        ("line = 3", "line = 2", "does not hold 'answers <- price'; it stands at [3]"),
        ('state = "chan send"', 'state = "select"', "not in 'select'"),
        ("per_event = 0.5", "per_event = 1.0", "0.500 for each GET /quote/, not 1.0"),
        ('event = "GET /quote/"', 'event = "GET /other/"', "was never sent"),
        ('function = "main.main"', 'function = "main.start"', "nobody at main.start"),
        ('function = "main.pool"', 'function = "main.pond"', "harmless main.pond is in no snapshot"),
        ('code = "answers <- price"', 'code = "answers <- offer"', "does not hold 'answers <- offer'"),
        ('file = "main.go"', 'file = "man.go"', "there is no man.go, where main.ask is said to be"),
    ],
)
def test_what_is_untrue_is_told(folder: Path, right: str, wrong: str, told: str) -> None:
    (folder / "expect.toml").write_text(EXPECT.replace(right, wrong, 1))
    assert told in "\n".join(check(load(folder)))


def test_another_line_of_a_cause_must_hold_code(folder: Path) -> None:
    cause = '[[finding.cause]]\nrole = "made"\nfile = "main.go"\nline = 1\nalso = [2]\n[[harmless]]'
    (folder / "expect.toml").write_text(EXPECT.replace("[[harmless]]", cause, 1))
    assert "main.go:2, which is to name the cause too, holds no code" in "\n".join(check(load(folder)))


def test_goroutines_at_a_shared_place_count_with_what_they_passed(folder: Path) -> None:
    recorded, place = record(folder, [(0, 2, 0), (10, 6, 20)]), Site("blocked", "main.ask")
    assert growth(place, recorded) == ([0, 10], True)
    assert growth(place, recorded, [Site("created", "main.main")]) == ([0, 10], True)
    assert growth(place, recorded, [Site("created", "main.other")]) == ([0, 0], False)


def test_a_leak_that_shrinks_is_none(folder: Path) -> None:
    recorded = record(folder, [(20, 2, 0), (10, 6, 20), (5, 6, 40)])
    assert any("does not grow" in text for text in contradictions(load(folder), "leaking", recorded))


def test_a_leak_that_stays_as_it_was_is_none(folder: Path) -> None:
    recorded = record(folder, [(5, 2, 0), (5, 6, 20), (5, 6, 40)])
    assert any("does not grow" in text for text in contradictions(load(folder), "leaking", recorded))


@pytest.mark.parametrize("counts", [[0, 10, 20], [0, 20, 20], [0, 20]])
def test_a_fixed_build_must_not_pile_up(folder: Path, counts: list[int]) -> None:
    recorded = record(folder, [(count, 2 + 4 * bool(count), count * 2) for count in counts])
    told = [*contradictions(load(folder), "fixed", recorded)]
    assert told == [f"main.ask is not expected here and grows: {counts}"]


def test_a_fixed_build_is_seen_though_its_lines_have_moved(folder: Path) -> None:
    (folder / "expect.toml").write_text(EXPECT.replace("line = 3", "line = 30", 1))
    told = [*contradictions(load(folder), "fixed", record(folder, [(0, 2, 0), (10, 6, 20), (20, 6, 40)]))]
    assert told == ["main.ask is not expected here and grows: [0, 10, 20]"]


@pytest.mark.parametrize("counts", [[0, 3, 0], [0, 0, 0, 4], [1, 8, 1, 3]], ids=str)
def test_a_fixed_build_may_be_busy(folder: Path, counts: list[int]) -> None:
    recorded = record(folder, [(count, 2 + 4 * bool(at), 20 * at) for at, count in enumerate(counts)])
    assert not [*contradictions(load(folder), "fixed", recorded)]


@pytest.mark.parametrize("short", [False, True])  # a live run of it can fail too
def test_a_look_alike_must_look_alike(folder: Path, short: bool) -> None:
    told = [*contradictions(load(folder), "fixed", record(folder, [(0, 2, 0), (0, 3, 20), (0, 2, 40)]), short)]
    assert told == ["it looks like nothing: nothing that is harmless here grows enough for the naive rule to accuse it"]


def test_one_process_alone_must_show_what_is_said_of_it(folder: Path) -> None:
    alone = (
        '[alone.quotes]\nverdict = "leaking"\nmechanism = "nil-channel"\n[[alone.quotes.site]]\nfunction = "main.{}"\n'
    )
    (folder / "expect.toml").write_text(EXPECT + alone.format("ask"))
    assert check(load(folder)) == []
    (folder / "expect.toml").write_text(EXPECT + alone.format("asks"))
    assert "nobody at main.asks:0" in "\n".join(check(load(folder)))


@pytest.mark.parametrize(
    ("sizes", "wrong"), [([10, 60, 90], False), ([10, 12, 14], True), ([90, 60, 10], True)], ids=str
)
def test_memory_outside_the_heap_must_grow(folder: Path, sizes: list[int], wrong: bool) -> None:
    place = '[[finding]]\nmechanism = "off-heap"\n[[finding.site]]\nrole = "allocated"\nfunction = "main.arena"\n'
    (folder / "expect.toml").write_text('verdict = "leaking"\n' + place)
    recorded = record(folder, [(0, 2, 0)] * 3)
    for snapshot, size in zip(recorded.snapshots, sizes, strict=True):
        (snapshot.folder / "process.status.txt").write_text(f"VmRSS:\t{size << 10} kB\n")
    told = [*contradictions(load(folder), "leaking", recorded)]
    assert bool(told) is wrong


KEEPS = """verdict = "leaking"
[[finding]]
mechanism = "growing-container"
[[finding.site]]
role = "allocated"
function = "main.keep"
[builds.fixed]
verdict = "healthy"
"""
# Samples in each snapshot, before they are scaled, and the size of an object: what chance and a warm-up do, and what a leak does.
CHANCE = [
    ([0, 1, 1, 1, 1], 16 << 10),  # half a MiB, when it is scaled
    ([0, 1, 2, 3, 4], 16 << 10),
    ([9, 12, 10, 14, 17], 16 << 10),
    ([0, 40, 40, 40, 40], 16 << 10),  # a warm-up
    ([2, 2, 2], 8 << 20),
    ([30, 20, 10], 16 << 10),
]
GROWTH = [
    ([0, 12, 24, 36, 36], 16 << 10),
    ([20, 60, 100], 48),
    ([0, 20], 16 << 10),
    ([0, 20, 20], 16 << 10),  # the last snapshot is after a rest
    ([1, 2, 3, 3], 8 << 20),  # so large that none is missed
]


def holding(folder: Path, samples: list[int], size: int) -> Recording:
    """Write snapshots whose heap profile has so many samples of objects of this size."""
    (folder / "expect.toml").write_text(KEEPS)
    recorded = record(folder, [(0, 2, 0)] * len(samples))
    for snapshot, number in zip(recorded.snapshots, samples, strict=True):
        total = f"{number}: {number * size} [99: {99 * size}] @"
        row = f"{total} 0x45f1a1\n#\t0x45f1a0\tmain.keep+0x20\tmain.go:3\n"
        (snapshot.folder / "heap.pb.gz").write_text(f"heap profile: {total} heap/1048576\n{row}")
    return recorded


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(("samples", "size"), CHANCE, ids=str)
def test_a_fixed_build_is_not_blamed_for_a_few_samples(
    folder: Path, samples: list[int], size: int, short: bool
) -> None:
    assert not [*contradictions(load(folder), "fixed", holding(folder, samples, size), short)]


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(("samples", "size"), GROWTH, ids=str)
def test_a_fixed_build_must_not_hold_more_and_more(folder: Path, samples: list[int], size: int, short: bool) -> None:
    (told,) = contradictions(load(folder), "fixed", holding(folder, samples, size), short)
    assert told.startswith("main.keep is not expected here and grows: [")


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(
    ("samples", "told"),
    [
        ([0, 12, 24, 36, 36], ""),
        ([2, 2, 30, 40, 60], ""),
        ([0, 0, 1], "bytes do not grow, or no more than by chance"),
        ([0, 20, 20, 20, 20], "bytes do not grow"),
        ([12, 12, 12], "bytes do not grow"),
        ([20, 12, 4], "bytes do not grow"),
        ([0, 0, 0], "allocated main.keep:0 is on no path of heap or goroutines"),
    ],
    ids=str,
)
def test_what_is_said_to_be_held_must_be_held(folder: Path, samples: list[int], told: str, short: bool) -> None:
    complaints = [*contradictions(load(folder), "leaking", holding(folder, samples, 16 << 10), short)]
    assert told in "".join(complaints) if told else not complaints


@pytest.mark.parametrize(
    ("asking", "recorded_well", "lived_well"),
    [([0, 10, 20], True, True), ([0, 9, 18], False, True), ([0, 7, 15], False, False), ([0, 14, 28], False, False)],
    ids=str,
)
def test_a_live_run_may_lose_one_request_in_ten(
    folder: Path, asking: list[int], recorded_well: bool, lived_well: bool
) -> None:
    recorded = record(folder, [(count, 6, 20 * at) for at, count in enumerate(asking)])
    for short, well in ((False, recorded_well), (True, lived_well)):
        assert bool([*contradictions(load(folder), "leaking", recorded, short)]) is not well
