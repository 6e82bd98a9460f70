"""oakum verify --test in a pipeline: a new leak fails only with --enforce, and what the baseline has never does."""

import json
from pathlib import Path

import pytest

from support import Answer, oakum
from toolchain import need_go

DEPOT = Path(__file__).parents[1] / "experiment" / "testdata" / "depot"

pytestmark = pytest.mark.live


def verify(*words: str | Path) -> Answer:
    told = oakum(
        "verify", "--test", *words, "--no-compile", "--grace", "300ms", PATH=f"{need_go().parent}:/usr/bin:/bin"
    )
    assert "Traceback" not in told.err
    return told


def test_a_known_leak_passes_and_a_new_one_fails_when_asked_to(tmp_path: Path) -> None:
    known, kept = tmp_path / "leaks.json", tmp_path / "kept"
    feeds = (DEPOT / "feeds", "-run", "NotClosed")
    told = verify(*feeds, "--keep", kept)
    assert (told.code, "LEAK" in told.out) == (0, True)
    told = verify(*feeds, "--enforce", "--github", "--baseline", known, "--write-baseline")
    assert (told.code, told.out.count("::error file=")) == (1, 1)
    assert "feeds.go,line=" in told.out
    told = verify(*feeds, "--enforce", "--baseline", known)
    assert (told.code, "1 leak of the baseline" in told.out) == (0, True)
    (folder,) = kept.glob("TestFeedNotClosed-*")
    again = oakum("diagnose", "--no-source", "--json", folder)
    assert (again.code, json.loads(again.out)["trials"][0]["unit"]) == (1, "iteration")


def test_a_leak_of_the_baseline_that_is_gone_is_told(tmp_path: Path) -> None:
    known = tmp_path / "leaks.json"
    rows = [
        {"fingerprint": "example.com/depot/feeds/TestFeed:0123"},
        {"fingerprint": "example.com/depot/carts/TestCall:1"},
    ]
    known.write_text(json.dumps({"schema": "oakum.tests-baseline/1", "leaks": rows}))
    told = verify(DEPOT / "feeds", "-run", "^TestFeed$", "--baseline", known, "--write-baseline")
    assert told.code == 0
    left = [row["fingerprint"] for row in json.loads(known.read_text())["leaks"]]
    assert left == ["example.com/depot/carts/TestCall:1"]  # which was not run


def test_what_matches_nothing_is_inconclusive(tmp_path: Path) -> None:
    told = verify(DEPOT / "feeds", "-run", "Nothing")
    assert (told.code, "Inconclusive" in told.out) == (3, True)
    assert verify(tmp_path).code == 4
