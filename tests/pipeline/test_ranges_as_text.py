"""A range as OpenMetrics text is read as the same range in JSON is; a memory limit comes along, whoever tells of it."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from oakum.cli.evidence import read
from oakum.diagnose import diagnose
from oakum.model import Diagnosis
from oakum.pipeline.case import assemble_case
from support import ROOT

pytestmark = pytest.mark.slow  # each reads a whole range of the casebook

RANGE = ROOT / "casebook" / "open-simulator-88" / "signals" / "leaking" / "metrics.json.gz"
LIMIT = 512 << 20


def told(place: Path) -> Diagnosis:
    return diagnose(assemble_case(read([str(place)])).case)


def series() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(gzip.decompress(RANGE.read_bytes()))["data"]["result"]
    return found


def open_metrics(*more: str) -> str:
    """Return the recorded range as `promtool tsdb dump-openmetrics` writes one: a line for each sample."""
    lines = []
    for one in series():
        labels = ",".join(f'{name}="{value}"' for name, value in one["metric"].items() if name != "__name__")
        lines += [f"{one['metric']['__name__']}{{{labels}}} {value} {at}" for at, value in one["values"]]
    return "\n".join([*lines, *more, "# EOF", ""])


def test_text_with_time_stamps_tells_the_same_as_json(tmp_path: Path) -> None:
    (tmp_path / "metrics.om").write_text(open_metrics())
    text, answer = told(tmp_path / "metrics.om"), told(RANGE)
    assert text.signals
    for ours, theirs in zip(text.signals, answer.signals, strict=True):
        assert (ours.measure, ours.shape, ours.onset) == (theirs.measure, theirs.shape, theirs.onset)
        assert [(one.event, one.value) for one in ours.drivers] == [(one.event, one.value) for one in theirs.drivers]
    assert [one.at for one in text.events] == [one.at for one in answer.events]


def limit_lines(name: str, more: str = "", value: int = LIMIT) -> list[str]:
    labels = next(one["metric"] for one in series() if one["metric"]["__name__"] == "go_goroutines")
    place = ",".join(f'{key}="{labels[key]}"' for key in ("job", "instance") if key in labels)
    return [f"{name}{{{place}{more}}} {value} {at}" for at, _ in series()[0]["values"]]


@pytest.mark.parametrize(
    "lines",
    [
        limit_lines("container_spec_memory_limit_bytes"),
        limit_lines("go_gc_gomemlimit_bytes"),
        limit_lines("kube_pod_container_resource_limits", ',resource="memory"')
        + limit_lines("kube_pod_container_resource_limits", ',resource="cpu"', 2),
    ],
    ids=["cAdvisor", "GOMEMLIMIT", "kube-state-metrics"],
)
def test_a_limit_in_the_range(tmp_path: Path, lines: list[str]) -> None:
    (tmp_path / "metrics.om").write_text(open_metrics(*lines))
    assert told(tmp_path).memory[0].limit == LIMIT


def test_no_limit_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "metrics.om").write_text(open_metrics(*limit_lines("container_spec_memory_limit_bytes", value=0)))
    assert told(tmp_path).memory[0].limit is None


def test_a_limit_of_the_cgroup_beside_the_range(tmp_path: Path) -> None:
    """It has no time of its own, and holds for all of the range."""
    (tmp_path / "metrics.om").write_text(open_metrics())
    (tmp_path / "cgroup.txt").write_text(f"==> /sys/fs/cgroup/kubepods.slice/pod8a7b/memory.max <==\n{LIMIT}\n")
    assert told(tmp_path).memory[0].limit == LIMIT
