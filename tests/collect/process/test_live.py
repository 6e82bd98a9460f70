"""Go programs of today and of Debian's oldest, and a shim made with containerd's own code: found, captured, read."""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from casebook.runner.build import for_live
from casebook.runner.case import case
from oakum.cli.programs import describe
from oakum.collect.target import CaptureOptions, Target
from oakum.collect.targets import open_targets
from oakum.collect.web import Access
from oakum.model import Reading
from oakum.parse import goroutines, parse
from support import oakum_process as oakum
from toolchain import CACHE, DownloadFailed, environment, need_go, version_of

pytestmark = pytest.mark.live

TESTDATA = Path(__file__).parent / "testdata"
BUILD_SECONDS = 900
OPTIONS = CaptureOptions(seconds=60, describe=describe)  # for one request, on a machine that has much else to do


@cache
def built(name: str, go: str | None = None) -> Path:
    """Return a program of testdata, built by this Go."""
    compiler = need_go(go)
    program = CACHE / "collect" / f"{name}-{version_of(compiler)}"
    program.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [compiler, "build", "-p", "1", "-trimpath", "-o", program, "."],
        cwd=TESTDATA / name,
        env=environment() | {"CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return program


@contextmanager
def started(command: Sequence[str | Path], log: Path = Path(os.devnull)) -> Iterator[tuple[int, str]]:
    """Lend a running program: its pid, and the line that it prints when it is ready."""
    env = {**os.environ, "GOGC": "50", "GOMEMLIMIT": "1GiB"}
    with (
        log.open("ab") as stderr,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True, env=env
        ) as running,
    ):
        assert running.stdout is not None
        try:
            yield running.pid, running.stdout.readline().strip()
        finally:
            running.kill()


def taken(target: Target) -> dict[str, Reading]:
    """Return what is read in the files of one snapshot."""
    plan = target.plan(OPTIONS)
    assert plan.problems == ()
    found = {}
    for step in plan.steps:
        one = target.take(step, OPTIONS)
        assert (one.problems, one.capture is not None) == ((), True), step
        assert one.capture is not None
        (found[step.file],) = parse(one.capture)
    target.close()
    return found


@pytest.mark.parametrize("go", [None, "1.19"])
def test_a_go_program_by_its_number(go: str | None) -> None:
    with started([built("orders", go), "--token=hunter2"]) as (pid, address):
        (target,) = open_targets([f"pid:{pid}"], Access())
        found = taken(target)
        facts = target.plan(OPTIONS).facts
    assert facts["pprof"] == f"http://{address}"
    assert str(facts["command"]).endswith(" --token=***")
    assert facts["environment"] == {"GOGC": "50", "GOMEMLIMIT": "1GiB"}
    assert found["build.txt"].build is not None
    assert found["build.txt"].build.path == "example.com/shop/cmd/orders"
    assert {reading.kind for reading in found.values()} == {"metrics", "sockets", "build", "heap", "goroutine"}
    for file in ("goroutine.pb.gz", "goroutine.debug2.txt"):
        told = goroutines(found[file])
        assert told is not None
        assert [group.count for group in told.groups if group.state == "chan send"] == [20]
    sockets = found["sockets.txt"].sockets
    assert sockets is not None
    assert [row.local for row in sockets.rows if row.state == "LISTEN"] == [address]


def test_find_lists_them_with_where_their_pprof_is() -> None:
    with started([built("orders")]) as (new, at), started([built("orders", "1.19")]) as (old, beside):
        answer = oakum("find", "--json", "orders")
        plain = oakum("find", "orders", COLUMNS="80")
    rows = {row["pid"]: row for row in json.loads(answer.out)["processes"]}
    assert (rows[new]["pprof"], rows[old]["pprof"]) == (f"http://{at}/debug/pprof", f"http://{beside}/debug/pprof")
    assert rows[old]["go"].startswith("go1.19")
    assert rows[new]["goroutines"] >= 20
    assert rows[new]["path"] == "example.com/shop/cmd/orders"
    assert f"{new}  orders" in plain.out
    assert "next: oakum diagnose pid:" in plain.err


def test_a_bundle_of_a_process_is_diagnosed(tmp_path: Path) -> None:
    with started([built("orders")]) as (pid, _):
        captured = oakum("capture", f"pid:{pid}", "-o", tmp_path / "bundle", "--timeout", "60")
        assert captured.code == 0, captured.err
    diagnosis = json.loads(oakum("diagnose", "--json", tmp_path / "bundle").out)
    assert [finding["mechanism"] for finding in diagnosis["findings"]] == ["abandoned-sender"]
    assert diagnosis["processes"][0]["build"]["path"] == "example.com/shop/cmd/orders"
    assert diagnosis["memory"]["limit"] == 1 << 30
    assert "unknown" not in {row["kind"] for row in diagnosis["inputs"]}


def test_a_process_in_a_network_of_its_own() -> None:
    ready = 'ip link set lo up && exec "$0"'
    with started(["unshare", "--net", "sh", "-c", ready, built("orders")]) as (pid, address):
        if not address:
            return  # no rights to make one here; what is said to who may not enter is in test_pid.py
        (target,) = open_targets([f"pid:{pid}"], Access())
        plan = target.plan(OPTIONS)
        (dump,) = [step for step in plan.steps if step.file == "goroutine.debug2.txt"]
        assert dump.ask == f"nsenter -t {pid} -n: GET http://{address}/debug/pprof/goroutine?debug=2"
        assert target.take(dump, OPTIONS).problems == ()
        target.close()
        (row,) = [row for row in json.loads(oakum("find", "--json").out)["processes"] if row["pid"] == pid]
        assert (row["pprof"], row["own_network"]) == (f"http://{address}/debug/pprof", True)


def test_a_shim_prints_its_goroutines_when_it_is_asked_to(tmp_path: Path) -> None:
    with started([built("shim"), "-id", "1f2e3d4c5b6a"], tmp_path / "containerd.log") as (pid, _):
        (target,) = open_targets([f"shim:{pid}"], Access())
        found = taken(target)
    told = found["log.txt"].goroutines
    assert found["log.txt"].wrapping == ("logrus",)
    assert told is not None
    assert [group.count for group in told.groups if group.state == "chan send"] == [30]


def test_a_shim_of_containerd(tmp_path: Path) -> None:
    one = case("ttrpc-94")
    try:
        program = for_live(one, one.builds[0])["shim"]
    except DownloadFailed as reason:
        pytest.skip(str(reason))
    name, socket, log = f"transcode-{os.getpid()}", tmp_path / "s", tmp_path / "shim.log"
    command = [str(program), "-namespace", "k8s.io", "-id", name, "-socket", str(socket)]
    with log.open("ab") as stderr, subprocess.Popen(command, stdout=stderr, stderr=stderr) as running:
        try:
            deadline = time.monotonic() + OPTIONS.seconds
            while not socket.exists() and time.monotonic() < deadline:
                assert running.poll() is None, log.read_text()
                time.sleep(0.05)
            (target,) = open_targets([f"shim:{name}"], Access())
            found = taken(target)
        finally:
            running.kill()
    told = found["log.txt"].goroutines
    assert told is not None
    assert any("ttrpc" in frame.function for group in told.groups for frame in group.stack.frames)
