"""From metrics and logs of the incidents alone: when growth began, what it follows one to one, and which client it is."""

import gzip
import json
import subprocess
import sys
import tomllib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from casebook.runner.signal_cases import CASES, SignalCase, answer
from casebook.runner.signals import scored, signal_misses, signal_table
from oakum.cli.evidence import read
from oakum.diagnose import diagnose
from oakum.model import Diagnosis
from oakum.model.signals import Signal
from oakum.pipeline.case import assemble_case
from oakum.report.words import say
from support import ROOT

CASEBOOK = ROOT / "casebook"
API = CASEBOOK / "kubernetes-83333" / "captures"
TAKES = ("leaking-go1.26-modcache", "leaking-go1.27-trimpath")


def told(*places: Path) -> Diagnosis:
    return diagnose(assemble_case(read([str(place) for place in places])).case)


def goroutines(diagnosis: Diagnosis) -> Signal:
    (found,) = (one for one in diagnosis.signals if one.measure == "goroutines")
    return found


@pytest.mark.parametrize("take", TAKES)
def test_the_time_outs_of_one_client_drive_the_api_server(take: str) -> None:
    said = told(API / take / "prometheus", API / take / "apiserver" / "log.txt.gz")
    assert said.verdict != "healthy"  # it stands still, but only because no request times out
    signal = goroutines(said)
    first = min(datetime.fromisoformat(one["from"]) for one in json.loads((API / take / "windows.json").read_text()))
    assert signal.onset is not None
    # A goroutine is left when its request has timed out, after a second; samples are two seconds apart.
    assert signal.onset.low - timedelta(seconds=1) <= first <= signal.onset.high
    best = signal.drivers[0]
    assert best.event == "apiserver_requests{client=admin-platform/2.8.1,code=504,verb=LIST}"
    assert best.low <= 1.0 <= best.high
    assert best.value == pytest.approx(1.0, abs=0.02)
    (finding,) = (one for one in said.findings if one.mechanism == "growing-goroutines")
    lines = [say(one.claim) for one in finding.suspect.evidence if one.kind == "log-lines"]
    timed_out = {moment["requests"]['apiserver_request_count{code="504"}'] for moment in _moments(take)}
    assert f"{max(timed_out):,} log lines report a time-out and name a client; 100% of them name 127.0.0.2." in lines


@pytest.mark.parametrize("take", TAKES)
def test_an_unrelated_service_that_grew_at_the_same_time_is_not_named(take: str, tmp_path: Path) -> None:
    """The metrics of another program, as they were recorded, moved to the same minutes."""
    other = json.loads(gzip.decompress((CASEBOOK / "open-simulator-88/signals/leaking/metrics.json.gz").read_bytes()))
    start = min(datetime.fromisoformat(one["from"]) for one in json.loads((API / take / "windows.json").read_text()))
    moved = tmp_path / "simulator.json"
    moved.write_text(json.dumps(_moved(other, start.timestamp() - 6)))
    signals = told(API / take / "prometheus", moved).signals
    apiserver = next(one for one in signals if one.measure == "goroutines" and one.last > 1000)
    named = [name for driver in apiserver.drivers for name in (driver.event, driver.process, *driver.alike)]
    assert named
    assert not any("clustersim" in name or "scheduler_" in name or "method=POST" in name for name in named)


def _moments(take: str) -> list[dict[str, Any]]:
    moments: list[dict[str, Any]] = json.loads((API / take / "manifest.json").read_text())["moments"]
    return moments


def _moved(answer: dict[str, Any], start: float) -> dict[str, Any]:
    series = answer["data"]["result"]
    by = start - min(one["values"][0][0] for one in series)
    for one in series:
        one["values"] = [[at + by, value] for at, value in one["values"]]
    return answer


def test_without_the_fix_it_grows_and_with_it_nothing_is_said() -> None:
    assert told(API / "fixed-go1.26-modcache" / "prometheus").signals == ()


def test_growth_per_simulation_is_right_from_metrics_alone() -> None:
    folder = CASEBOOK / "open-simulator-88" / "signals" / "leaking"
    sent = sum(json.loads((folder / "sent.json").read_text())[-1]["sent"].values())
    signal = goroutines(told(folder / "metrics.json.gz"))
    best = signal.drivers[0]
    assert best.event == "http_requests_total{method=POST}"
    curve = _curve(folder / "metrics.json.gz", "go_goroutines")
    left = (curve[-1] - curve[0]) / sent  # nothing is under way at either end
    assert best.value == pytest.approx(left, rel=0.05)
    assert signal.idle is not None


def test_growth_follows_the_rounds_of_the_driver_and_no_traffic() -> None:
    folder = CASEBOOK / "rancher-30122" / "signals" / "leaking"
    signal = goroutines(told(folder / "metrics.json.gz"))
    assert [one.event for one in signal.drivers] == ["acp_peer_syncs_total{result=error}"]
    # Eight clusters, for each of them three handlers with two goroutines.
    assert signal.drivers[0].value == pytest.approx(48, rel=0.02)


def _curve(path: Path, name: str) -> list[float]:
    answer = json.loads(gzip.decompress(path.read_bytes()))
    (found,) = (one for one in answer["data"]["result"] if one["metric"]["__name__"] == name)
    return [float(value) for _, value in found["values"]]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_simulated_is_always_the_same_and_no_wrong_driver_is_named(case: SignalCase) -> None:
    assert json.dumps(answer(case)) == json.dumps(answer(case))
    assert scored(case).driver != "wrong"


def test_a_table_of_what_was_right() -> None:
    scores = [scored(case) for case in CASES[1:4:2]]
    head, _, simulated = signal_table(scores).splitlines()
    assert head.count("|") == simulated.count("|")
    assert simulated.startswith("| simulated | 2 | 2 | 0 | 0 |")
    assert not signal_misses(scores)


def test_truths_of_recorded_ranges_name_files_that_are_there() -> None:
    for path in CASEBOOK.glob("*/signals.toml"):
        for truth in tomllib.loads(path.read_text())["truth"]:
            assert (path.parent / truth["range"]).exists()


def test_nothing_of_it_is_loaded_where_neither_a_range_nor_a_log_is_given() -> None:
    dump = CASEBOOK / "rancher-30122" / "captures" / "leaking-go1.26-modcache" / "2-first"
    code = (
        "import sys; from oakum.cli import invoke; invoke(('diagnose', '--no-source', '--json', sys.argv[1]));"
        "print([n for n in sys.modules if 'signals' in n and 'oakum' in n or n.endswith('log_lines') or n == 'yaml'])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(dump)], capture_output=True, text=True, check=True)
    loaded = done.stdout.rpartition("}\n")[2]
    assert "compare" not in loaded
    assert "detect" not in loaded
    assert "knowledge" not in loaded
    assert "yaml" not in loaded
