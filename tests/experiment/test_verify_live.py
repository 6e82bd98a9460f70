"""A real service with three causes, each fixed in turn, and with half a fix: what became of each cause is told right."""

import json
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from casebook.runner.build import UNDEBUGGED, for_live
from casebook.runner.case import case
from support import oakum
from toolchain import environment, need_go

pytestmark = [pytest.mark.live, pytest.mark.waits]

SIMULATOR = case("open-simulator-88")
REQUESTS = (
    'POST {url}/api/v1/deploy-apps {{"name": "checkout-{{n}}", "replicas": 4}}',
    'POST {url}/api/v1/scale-apps {{"name": "app-03", "replicas": 14}}',
)
# The first fix, and only for every second simulation.
DRAINS = "if s.options.DrainScheduler {"
DRAINS_HALF = "if s.options.DrainScheduler && closed.Add(1)%2 == 0 {"
HALF = "half"


@pytest.fixture(scope="module")
def program() -> Path:
    need_go()
    (found,) = for_live(SIMULATOR, SIMULATOR.build("leaking")).values()
    return found


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the service with a first fix that only works for every second request."""
    copy = tmp_path_factory.mktemp("half") / "clustersim"
    shutil.copytree(SIMULATOR.folder, copy, ignore=shutil.ignore_patterns("captures", "signals"))
    source = copy / "simulator" / "simulator.go"
    text = source.read_text()
    assert DRAINS in text
    text = text.replace(DRAINS, DRAINS_HALF).replace("import (", 'import (\n\t"sync/atomic"', 1)
    text = text.replace("type Options struct", "var closed atomic.Int64\n\ntype Options struct", 1)
    source.write_text(text)
    made = copy / "half"
    command = [str(need_go()), "build", "-mod=readonly", "-trimpath", UNDEBUGGED, "-o", str(made), "."]
    env = environment() | {"CGO_ENABLED": "0"}
    subprocess.run(command, cwd=copy, env=env, check=True, timeout=600)
    return made


@pytest.fixture(scope="module")
def experiments(program: Path, half: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return an experiment with each variant: forty requests, snapshots between."""
    place = tmp_path_factory.mktemp("experiments")
    flags = {name: SIMULATOR.build(name).flags for name in ("leaking", "fixed-scheduler", "fixed-informers", "fixed")}
    runs = {name: (program, own) for name, own in flags.items()} | {HALF: (half, flags["fixed"])}
    with ThreadPoolExecutor(len(runs)) as pool:  # they mostly wait
        made = {name: pool.submit(experiment, place / f"{name}.tar.gz", *run) for name, run in runs.items()}
        return {name: one.result() for name, one in made.items()}


def experiment(saved: Path, program: Path, flags: tuple[str, ...]) -> Path:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    words = [
        "reproduce", f"http://{address}/admin/debug/pprof", "--no-source", "--all", "--drain", "2s", "--times", "40",
        "--start", " ".join([str(program), "-listen", address, *flags]),
        *(word for one in REQUESTS for word in ("--request", one.format(url=f"http://{address}"))), "-o", str(saved),
    ]  # fmt: skip
    # A process of its own: several are made at once.
    told = subprocess.run([sys.executable, "-m", "oakum", *words], capture_output=True, text=True, check=False)
    assert told.returncode in (0, 1), told.stderr
    return saved


def verified(before: Path, after: Path) -> tuple[int, dict[str, Any]]:
    told = oakum("verify", "--json", before, after)
    return told.code, json.loads(told.out)


def places(document: dict[str, Any], *became: str) -> set[str]:
    rows = [row for row in document["changes"] if row["became"] in became]
    return {row["function"].rpartition("/")[2] for row in rows}


def test_all_three_fixes_are_verified(experiments: dict[str, Path]) -> None:
    code, told = verified(experiments["leaking"], experiments["fixed"])
    assert (code, told["verdict"]) == (0, "fixed")
    assert "queue.(*PriorityQueue).Pop" in places(told, "gone")
    (first,) = [row for row in told["changes"] if "PriorityQueue" in row["function"]]
    assert first["before"]["value"] == pytest.approx(1.0, abs=0.02)
    assert first["after"]["smallest"] < 0.5


@pytest.mark.parametrize(
    ("before", "after", "gone", "left"),
    [
        ("leaking", "fixed-scheduler", "queue.(*PriorityQueue).Pop", "watch.(*Broadcaster).loop"),
        ("fixed-scheduler", "fixed-informers", "cache.(*DeltaFIFO).Pop", "watch.(*Broadcaster).loop"),
        ("fixed-informers", "fixed", "watch.(*Broadcaster).loop", ""),
    ],
)
def test_each_fix_in_turn_shows_the_next_cause(
    experiments: dict[str, Path], before: str, after: str, gone: str, left: str
) -> None:
    code, told = verified(experiments[before], experiments[after])
    assert gone in places(told, "gone"), told["changes"]
    assert code == (1 if left else 0)
    assert not left or left in places(told, "same", "new")


def test_half_a_fix_leaves_half(experiments: dict[str, Path]) -> None:
    code, told = verified(experiments["leaking"], experiments[HALF])
    assert code == 1
    (first,) = [row for row in told["changes"] if "PriorityQueue" in row["function"]]
    assert first["became"] == "smaller"
    assert first["ratio"]["value"] == pytest.approx(0.5, abs=0.08)
    assert first["ratio"]["low"] <= 0.5 <= first["ratio"]["high"]
