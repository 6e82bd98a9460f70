"""A saved experiment is a bundle like any other: what grows with the work is proven, what does not is harmless."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from experiments import BATCHES, leaking, write_experiment
from support import oakum


def diagnosed(folder: Path, *words: str) -> dict[str, Any]:
    told = oakum("diagnose", "--json", "--no-source", *words, folder)
    assert "Traceback" not in told.err
    document: dict[str, Any] = json.loads(told.out)
    return document


def test_what_stays_with_each_request_is_proven(tmp_path: Path) -> None:
    told = diagnosed(write_experiment(tmp_path, leaking(1.0, first=3)))
    assert told["verdict"] == "leaking"
    (found,) = told["findings"]
    assert found["confidence"] == "proven"
    (growth,) = found["growth"]
    assert growth["per_event"]["event"] == "request"
    assert growth["per_event"]["value"] == pytest.approx(1.0, abs=0.02)
    assert "reproduced" in [one["kind"] for one in found["evidence"]]
    (trial,) = told["trials"]
    assert trial["work"][-1] == sum(BATCHES)
    assert trial["totals"][0]["stays"]


def test_what_proves_the_fix_is_the_same_experiment_once_more(tmp_path: Path) -> None:
    folder = write_experiment(tmp_path, leaking(1.0))
    text = oakum("diagnose", "--no-source", folder).out
    assert f"$ oakum verify {folder} after.tar.gz" in text
    assert "+1 per request (goroutines)." in text
    assert "每次请求增加 1（协程数）。" in oakum("diagnose", "--no-source", "--lang", "zh", folder).out


RESTING = ("chan receive", "select", "IO wait", "sync.Cond.Wait")
PAUSE = 38.0


def sureness(told: dict[str, Any]) -> list[tuple[str, set[str]]]:
    """Return how sure each finding is, and what else would leave as many."""
    return [
        (one["confidence"], {"may-end", "may-fill"} & {each["kind"] for each in one["evidence"]})
        for one in told["findings"]
    ]


@pytest.mark.parametrize("state", RESTING)
def test_a_wait_as_of_idle_workers_is_proven_when_it_outlasts_a_break(tmp_path: Path, state: str) -> None:
    """What ends by itself later looks the same without one."""
    told = diagnosed(write_experiment(tmp_path / "at-once", leaking(1.0), state))
    assert (told["verdict"], sureness(told)) == ("leaking", [("likely", {"may-end"})])
    broken = write_experiment(tmp_path / "broken", leaking(1.0, paused=True), state, pause=PAUSE)
    told = diagnosed(broken)
    assert sureness(told) == [("proven", set())]
    (trial,) = told["trials"]
    assert trial["places"][0]["outlasted"] >= PAUSE
    assert trial["places"][0]["value"] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("state", RESTING)
def test_a_few_that_rest_may_be_a_pool_that_fills(tmp_path: Path, state: str) -> None:
    made = write_experiment(tmp_path, leaking(0.1, paused=True), state, pause=PAUSE)
    told = diagnosed(made)
    assert (told["verdict"], sureness(told)) == ("leaking", [("likely", {"may-fill"})])
    assert "Not proven: a pool or a cache that still fills looks the same" in oakum("diagnose", made).out


def test_an_abnormal_wait_needs_no_break(tmp_path: Path) -> None:
    told = diagnosed(write_experiment(tmp_path, leaking(0.1), "chan send"))
    assert sureness(told) == [("proven", set())]


def test_a_job_that_takes_longer_than_the_experiment_is_not_proven(tmp_path: Path) -> None:
    told = diagnosed(write_experiment(tmp_path, leaking(1.0, paused=True), "sleep", pause=PAUSE))
    assert all(sure != "proven" for sure, _ in sureness(told))


def test_what_all_ended_in_the_break_is_no_leak_although_more_came_after_it(tmp_path: Path) -> None:
    """A session that lives for half a minute: those of the last batch are there in the end."""
    counts = [0, 0, 30, 60, 120, 165, 240, 240, 240, 0, 60, 60, 60]
    told = diagnosed(write_experiment(tmp_path, counts, "select", pause=PAUSE))
    assert all(sure == "possible" for sure, _ in sureness(told))
    goroutines = told["trials"][0]["totals"][0]
    assert not goroutines["stays"]
    assert goroutines["low"] <= 0 <= goroutines["high"]


def test_a_pool_that_had_filled_up_before_the_break_is_no_leak(tmp_path: Path) -> None:
    counts = [0, 0, 30, 60, 110, 140, 160, 160, 160, 160, 160, 160, 160]
    told = diagnosed(write_experiment(tmp_path, counts, "chan receive", pause=PAUSE))
    assert all(sure != "proven" for sure, _ in sureness(told))


def test_what_still_ends_in_the_last_snapshots_is_said_whatever_came_before(tmp_path: Path) -> None:
    """More work would say no more; neither would a snapshot after the load, of which there are some."""
    counts = [0, 0, 300, 600, 1200, 1650, 2100, 2000, 1900, 1300, 2000, 1900, 1800, 1700, 1600]
    made = write_experiment(tmp_path, counts, "sleep", pause=PAUSE, after=4)
    told = diagnosed(made)
    assert told["verdict"] == "undecided"
    assert "gap.after-load" not in [one["key"] for one in told["gaps"]]
    headline = oakum("diagnose", "--no-source", made).out.partition("\n")[0]
    assert "goroutines were still ending when it was over (1,902 → 1,602 without work)" in headline


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param([8] * 10, id="a pool of eight"),
        pytest.param([0, 0, 6, 8, 8, 8, 8, 8, 8, 8], id="workers started at the first use"),
        pytest.param([0, 0, 9, 20, 31, 40, 52, 60, 4, 0], id="slow to end"),
        pytest.param([0, 0, 1, 0, 1, 1, 0, 2, 1, 0], id="a few in motion"),
    ],
)
def test_what_does_not_stay_is_healthy(tmp_path: Path, counts: list[int]) -> None:
    told = diagnosed(write_experiment(tmp_path, counts, "chan receive"))
    assert (told["verdict"], told["findings"]) == ("healthy", [])


def test_packed_and_redacted_it_says_the_same(tmp_path: Path) -> None:
    folder = write_experiment(tmp_path / "plain", leaking(1.0))
    redacted = tmp_path / "redacted.tar.gz"
    assert oakum("capture", folder, "-o", redacted, "--redact").code == 0
    with tarfile.open(redacted) as packed:
        assert any(name.endswith("experiment.json") for name in packed.getnames())
    plain, other = diagnosed(folder), diagnosed(redacted)
    assert "orders" not in json.dumps(other["trials"])
    slopes = [told["findings"][0]["growth"][0]["per_event"] for told in (plain, other)]
    assert slopes[0] == slopes[1] != None  # noqa: E711


def test_a_saved_diagnosis_of_it_is_rechecked(tmp_path: Path) -> None:
    folder = write_experiment(tmp_path, leaking(1.0))
    report = tmp_path / "exp.json"
    assert oakum("diagnose", "--no-source", "-o", report, folder).code == 1
    assert oakum("report", "--recheck", report).code == 0
