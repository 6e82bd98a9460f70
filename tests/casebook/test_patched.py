"""Drafted fixes, applied to copies of the programs, built and run: all compile, and nearly all stop the leak.

A run that did not go as it should is made again when all the others are through, as in the live tests.
"""

from difflib import unified_diff
from pathlib import Path

import pytest

from casebook.runner.case import CASEBOOK, case, chosen
from casebook.runner.expectation import expectation
from casebook.runner.patched import Draft, Trial, trials, tried
from toolchain import need_go

pytestmark = pytest.mark.live
FLOOR = 0.8  # of the drafts stop the leak
FREIGHT = CASEBOOK / "abandoned-sender-freight" / "internal" / "desk" / "desk.go"
FAN = CASEBOOK / "modules" / "plumb" / "fan" / "fan.go"


def draft(name: str, file: Path, called: str, old: str, new: str, *files: str) -> Draft:
    one, before = case(name), file.read_text()
    assert old in before
    after = before.replace(old, new, 1)
    diff = "".join(unified_diff(before.splitlines(True), after.splitlines(True), f"a/{called}", f"b/{called}"))
    return Draft(one, one.builds[0], expectation(one, one.builds[0].name).findings[0], diff, files)


@pytest.fixture(scope="module")
def drafted() -> list[Trial]:
    """Return a trial of every draft; what did not leak before, or still does, is tried again alone."""
    need_go()
    done = [one for one in trials(chosen(())) if not one.missing]
    assert done, "no explanation drafts a diff"
    return [one if one.mended or not one.compiled else again(one) for one in done]


def again(one: Trial) -> Trial:
    (result,) = tried([one.draft])
    return result


def told(rows: list[Trial]) -> str:
    return "\n".join(f"{one.draft.case.name}: {one.told()}" for one in rows)


def test_every_draft_compiles(drafted: list[Trial]) -> None:
    broken = [one for one in drafted if not one.compiled]
    assert not broken, told(broken)


def test_nearly_every_draft_stops_the_leak(drafted: list[Trial]) -> None:
    print(told(drafted))
    dry = [one for one in drafted if one.compiled and not one.leaked]
    assert not dry, told(dry)
    assert sum(one.mended for one in drafted) >= FLOOR * len(drafted), told([one for one in drafted if not one.mended])


def test_the_measure_tells_a_fix_from_none() -> None:
    need_go()
    desk, fan, made = "internal/desk/desk.go", "fan/fan.go", "make(chan Offer)"
    cached = "/go/pkg/mod/example.org/tinlane/plumb@v0.3.0/fan/fan.go"
    fixed, vain, broken, elsewhere = tried(
        [
            draft("abandoned-sender-freight", FREIGHT, desk, made, "make(chan Offer, 1)"),
            draft("abandoned-sender-freight", FREIGHT, desk, made, f"{made} // as it was"),
            draft("abandoned-sender-freight", FREIGHT, desk, made, "make(chan Offr, 1)"),
            draft("abandoned-sender-manifest", FAN, fan, "make(chan Result)", "make(chan Result, len(items))", cached),
        ]
    )
    assert (fixed.mended, fixed.leaked, fixed.leaks) == (True, True, False), fixed.told()
    assert (vain.mended, vain.leaked, vain.leaks) == (False, True, True), vain.told()
    assert (broken.compiled, "undefined: Offr" in broken.why) == (False, True)
    assert elsewhere.mended, elsewhere.told()
