"""Workers and ingesters over a real queue and a real store, killed and restarted while they work: every profile is in
the tables once, and the ranking is that of one process, byte for byte."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import made_fleet as made
from fleet_servers import Servers, servers
from oakum.fleet import jobs
from oakum.store.shared import Shared, open_objects
from support import ROOT, oakum

pytestmark = [pytest.mark.live, pytest.mark.waits]

PATIENCE = 240.0  # seconds until something is wrong; a machine that is free needs 40


def start(environment: dict[str, str], *words: str) -> "subprocess.Popen[bytes]":
    env = {**os.environ, **environment, "PYTHONPATH": str(ROOT / "src"), "OAKUM_QUIET": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "oakum", "fleet", *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.3)


def waiting(environment: dict[str, str]) -> int:
    """Return how many jobs are not done; -1 while the queue is away."""

    async def ask() -> int:
        async with jobs.queue(environment["OAKUM_QUEUE"]) as (_, stream):
            return (await stream.stream_info("OAKUM_FLEET")).state.messages

    try:
        return asyncio.run(asyncio.wait_for(ask(), 20))
    except Exception:
        return -1


def committed(place: Path) -> int:
    return sum(1 for _ in (place / "s3" / "fleet" / "oakum" / "tables").rglob("*.parquet"))


def finished(process: "subprocess.Popen[bytes]") -> str:
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[made.Planted], int]:
    """Return 2,000 profiles of 60 services, of which 10 leak, some files cut."""
    root = tmp_path_factory.mktemp("tree") / "profiles"
    truth = made.write(root, 60, 10, 25)
    files = sorted(root.rglob("*.pb.gz"))
    for path in files[100::331]:
        path.write_bytes(path.read_bytes()[:-40])
    assert len(files) >= 2000
    return root, truth, len(files) - len(files[100::331])


def test_nothing_is_lost_and_nothing_counted_twice(
    tree: tuple[Path, list[made.Planted], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, truth, whole = tree
    with servers(tmp_path) as running:
        environment = {**running.environment, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        _worked(running, environment, root, tmp_path)
        shared = Shared(open_objects(environment["OAKUM_STORE"]), "s3")
        with shared.mirror(tmp_path / "mirror") as reader:
            rows = reader.query("SELECT run, time, captures FROM snapshots", ["snapshots"])
            places = reader.query("SELECT run, time, kind, place, state FROM places", ["places"])
            raw = _every_row(shared, tmp_path / "mirror")
        keys = set(zip(rows["run"].tolist(), rows["time"].tolist(), strict=True))
        assert (raw, len(keys)) == (whole, whole)
        every = list(zip(*(places[name].tolist() for name in places), strict=True))
        assert len(every) == len(set(every))
        shared_ranking = oakum("fleet", "rank", "--json")
        assert shared_ranking.code == 0, shared_ranking.err
        again = oakum("fleet", "rank", "--json")
        explained = oakum("fleet", "explain", "svc-000")
    for name in ("OAKUM_STORE", "OAKUM_QUEUE"):
        monkeypatch.delenv(name)
    assert oakum("fleet", "ingest", "--store", str(tmp_path / "one"), str(root)).code == 0
    alone = oakum("fleet", "rank", "--store", str(tmp_path / "one"), "--json")
    assert shared_ranking.out == alone.out
    assert again.out == alone.out
    assert explained.code == 1
    made.held_against(truth, alone.out)


def _every_row(shared: Shared, mirror: Path) -> int:
    """Return how many rows the parts hold, without anything that leaves out doubles."""
    import duckdb

    files = [str(mirror / part.file) for part in shared.parts() if part.table == "snapshots"]
    (count,) = duckdb.connect().execute("SELECT count(*) FROM read_parquet(?)", [files]).fetchone() or (0,)
    return int(count)


def _worked(running: Servers, environment: dict[str, str], root: Path, place: Path) -> None:
    """Have everything handed in and summarised while what takes part is killed, restarted, and answers with errors."""
    running.network.faults = 0.02
    first = start(environment, "ingest", str(root))
    workers = [start(environment, "worker") for _ in range(2)]
    until(lambda: committed(place) > 10)
    first.kill()
    first.communicate()
    workers[0].kill()
    workers[0].communicate()
    again = [start(environment, "ingest", str(root)), start(environment, "ingest", str(root))]
    workers[0] = start(environment, "worker")
    before = committed(place)
    until(lambda: committed(place) > before + 10)
    running.nats.restart()
    until(lambda: committed(place) > before + 20)
    running.s3.restart()
    for one in again:
        assert "handed to workers" in finished(one)
    asyncio.run(_nonsense(environment))
    until(lambda: waiting(environment) == 0)
    assert running.network.answered > 20
    running.network.faults = 0.0
    for one in workers:
        one.send_signal(signal.SIGTERM)
    for one in workers:
        assert "summarised" in finished(one)


async def _nonsense(environment: dict[str, str]) -> None:
    """Put what is no job into the queue: it is set aside, and ends nobody."""
    async with jobs.queue(environment["OAKUM_QUEUE"]) as (_, stream):
        told: Any = b"\xff{not a job"
        await jobs.again(lambda: stream.publish("oakum.fleet.profiles", told))
