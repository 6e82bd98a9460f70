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


@pytest.mark.parametrize("state", ["chan receive", "select", "IO wait"])
def test_a_wait_as_of_idle_workers_is_proven_by_the_work_alone(tmp_path: Path, state: str) -> None:
    told = diagnosed(write_experiment(tmp_path, leaking(0.1), state))
    assert [one["confidence"] for one in told["findings"]] == ["proven"]


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
