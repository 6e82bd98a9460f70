"""Known leaks with the real upstream modules: named where they leak, with version and upgrade, and nowhere else.

upstream.toml says what each variant of a program was built from and what is to be said of it; README.md tells more.
"""

import gzip
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from oakum.cli.case import case
from oakum.diagnose import diagnose
from oakum.knowledge.leaks import leaks
from oakum.model import Diagnosis

HERE = Path(__file__).parent
CAPTURES = HERE / "captures"
PROGRAMS: dict[str, dict[str, Any]] = tomllib.loads((HERE / "upstream.toml").read_text())
ALL = [(program, variant) for program, told in PROGRAMS.items() for variant in told["variants"]]
LEAKING = [one for one in ALL if "place" in PROGRAMS[one[0]]["variants"][one[1]]]
BUILT = {"modules", "go", "language", "flags", "mode"}
SAID = {"verdict", "place", "affects", "found", "upgrade_to"}
# what begins with a directory of the machine that recorded it: /home/ann/shop
OF_A_MACHINE = re.compile(rb"/(?:tmp|root|home|work|Users)/[ -~]{0,60}")


def _diagnosis(program: str, variant: str) -> Diagnosis:
    return diagnose(case([str(CAPTURES / program / variant)]))


def _told(diagnosis: Diagnosis) -> str:
    lines = [f"verdict {diagnosis.verdict}"]
    for one in diagnosis.findings:
        named = [(known.id, known.affects_build, known.found, known.upgrade_to) for known in one.known]
        lines.append(f"{one.rank}. {one.confidence} {one.mechanism} {one.suspect.sites[0].frame.function} {named}")
    return "\n".join(lines)


def _blamed(diagnosis: Diagnosis) -> set[str]:
    """Return the known bugs that are named, but those that are named as fixed in this build."""
    return {known.id for one in diagnosis.findings for known in one.known if known.affects_build != "no"}


@pytest.mark.parametrize(("program", "variant"), LEAKING)
def test_a_known_leak_is_named_with_its_version_and_upgrade(program: str, variant: str) -> None:
    name, truth = PROGRAMS[program]["known"], PROGRAMS[program]["variants"][variant]
    diagnosis = _diagnosis(program, variant)
    told = _told(diagnosis)
    assert diagnosis.verdict == truth["verdict"], told
    there = [one for one in diagnosis.findings if one.suspect.sites[0].frame.function == truth["place"]]
    assert len(there) == 1, told
    assert there[0].known, told
    first = there[0].known[0]
    said = (first.id, first.affects_build, first.found, first.upgrade_to)
    assert said == (name, truth["affects"], truth["found"], truth.get("upgrade_to")), told
    assert _blamed(diagnosis) == {name}, told


@pytest.mark.parametrize(("program", "variant"), [one for one in ALL if one not in LEAKING])
def test_where_it_does_not_leak_nothing_is_named(program: str, variant: str) -> None:
    diagnosis = _diagnosis(program, variant)
    assert diagnosis.verdict != "leaking", _told(diagnosis)
    assert not _blamed(diagnosis), _told(diagnosis)


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_leaks_in_one_variant_and_not_in_another(program: str) -> None:
    told = PROGRAMS[program]
    assert told["known"] in leaks().ids
    assert (HERE / "programs" / f"{program}.go").read_text().startswith("package main // ")
    assert {one["verdict"] for one in told["variants"].values()} == {"leaking", "healthy"}
    for name, one in told["variants"].items():
        assert set(one) <= BUILT | SAID, name
        assert ("place" in one) == (one["verdict"] == "leaking"), name
        assert not (SAID - {"verdict"}) & set(one) or {"place", "affects", "found"} <= set(one), name


def test_what_is_recorded_is_what_the_table_asks_for() -> None:
    assert sorted((path.parent.name, path.name) for path in CAPTURES.glob("*/*")) == sorted(ALL)
    for path in CAPTURES.rglob("*.gz"):
        found = OF_A_MACHINE.search(gzip.decompress(path.read_bytes()))
        assert not found, f"{path.relative_to(CAPTURES)} names {found[0]!r}"
