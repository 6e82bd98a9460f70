"""Whether a patched program still leaks is decided by what stays: counts of two runs, handmade."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from casebook.runner.case import case
from casebook.runner.evidence import Recording, recording
from casebook.runner.expectation import Expected, Site
from casebook.runner.patched import Draft, compared

PLACE, CREATOR = Site("blocked", "main.ask", "main.go", 3), Site("created", "main.start", "main.go", 9)


def draft(*sites: Site) -> Draft:
    one = case("abandoned-sender-freight")
    finding = Expected(1, "abandoned-sender", (), sites or (PLACE, CREATOR), (), (), "", None, None)
    return Draft(one, one.builds[0], finding, "")


def run(folder: Path, places: Sequence[dict[tuple[str, str], int]], first: Sequence[int] = ()) -> Recording:
    """Write a run: for each snapshot how many goroutines stand in a function, by creator; ids begin at `first`."""
    rows = []
    for number, counts in enumerate(places):
        lines, at = [], first[number] if first else 1
        for (function, creator), count in counts.items():
            for _ in range(count):
                lines.append(
                    f"goroutine {at} [chan send]:\n{function}()\n\tmain.go:7 +0x1\ncreated by {creator}\n\tm.go:9 +0x1\n"
                )
                at += 1
        snapshot = folder / str(number)
        snapshot.mkdir(parents=True)
        (snapshot / "goroutine.debug2.txt").write_text("\n".join(lines) or "goroutine 1 [running]:\nmain.main()\n")
        rows.append({"moment": str(number), "process": "quotes", "folder": str(number), "at": "2026-01-01T00:00:00+00:00",
                     "requests": {}, "connections": 0, "held": 0})  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps({"moments": rows}))
    return recording(folder)


def at(*counts: int, function: str = "main.ask", creator: str = "main.start") -> list[dict[tuple[str, str], int]]:
    return [{(function, creator): count, ("main.rest", "main.main"): 4} for count in counts]


@pytest.mark.parametrize(
    ("before", "after", "leaked", "leaks"),
    [
        ((0, 20, 40), (0, 0, 0), True, False),
        ((0, 20, 40), (0, 20, 40), True, True),
        ((0, 20, 40), (0, 10, 20), True, True),  # half of it is fixed
        ((0, 20, 40), (0, 20, 3), True, False),  # under way in the last snapshot
        ((0, 0, 44), (0, 0, 0), True, False),  # it began late
        ((5, 5, 5), (0, 0, 0), False, True),  # it did not leak
    ],
)
def test_what_stays_is_compared(
    tmp_path: Path, before: tuple[int, ...], after: tuple[int, ...], leaked: bool, leaks: bool
) -> None:
    one = compared(draft(), run(tmp_path / "before", at(*before)), run(tmp_path / "after", at(*after)))
    assert one.leaked is leaked
    if leaked:
        assert one.leaks is leaks
        assert one.mended is not leaks


def test_others_at_the_same_place_do_not_count(tmp_path: Path) -> None:
    others = [{("main.ask", "main.pool"): count, ("main.ask", "main.start"): 0} for count in (2, 30, 60)]
    before = [{**row, ("main.ask", "main.start"): count} for row, count in zip(others, (0, 10, 20), strict=True)]
    assert compared(draft(), run(tmp_path / "before", before), run(tmp_path / "after", others)).mended
    read = Site("blocked", "net.(*netFD).Read")
    assert not compared(draft(read, CREATOR), run(tmp_path / "b", before), run(tmp_path / "a", others)).leaked


@pytest.mark.parametrize(("ids", "leaks"), [((1, 50, 50), True), ((1, 50, 60), False)])
def test_a_deadlock_is_the_same_goroutine_all_the_time(tmp_path: Path, ids: tuple[int, ...], leaks: bool) -> None:
    before, after = run(tmp_path / "before", at(0, 1, 1)), run(tmp_path / "after", at(0, 1, 1), ids)
    assert compared(draft(), before, after).leaks is leaks


def test_a_leak_that_moved_is_not_mended(tmp_path: Path) -> None:
    moved = at(0, 20, 40, function="main.elsewhere")
    one = compared(draft(), run(tmp_path / "before", at(0, 20, 40)), run(tmp_path / "after", moved))
    assert (one.leaks, one.mended) == (True, False)
    assert "moved elsewhere" in one.told()
