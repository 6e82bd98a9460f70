"""Real Go programs and a real containerd: over http, a prefix, mutual TLS and sockets; what comes is what parse reads."""

import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from casebook.runner.build import for_live
from casebook.runner.case import case
from collect.web.faults import HERE as CERTIFICATES
from oakum.collect.pprof.http import open as opened
from oakum.collect.target import CaptureOptions, Plan, Taken
from oakum.collect.web import Access
from oakum.parse import goroutines, parse
from oakum.report.words.lines import problem_line
from support import need_tool
from toolchain import CACHE, NEWEST, DownloadFailed, environment, need_go, version_of

pytestmark = pytest.mark.live

LEAKY = Path(__file__).parent / "testdata" / "leaky"
BUILD_SECONDS = 900
READY_SECONDS = 60.0
OPTIONS = CaptureOptions(seconds=90)  # for one request, on a machine that has much else to do
OURS = Access(
    tls_ca=str(CERTIFICATES / "authority.crt"), tls_cert=str(CERTIFICATES / "client.crt"), tls_key=str(CERTIFICATES / "client.key")
)  # fmt: skip


@cache
def _built(go: str | None) -> Path:
    compiler = need_go(go)
    program = CACHE / "collect" / f"leaky-{version_of(compiler)}"
    program.parent.mkdir(parents=True, exist_ok=True)
    command = [str(compiler), "build", "-p", "1", "-trimpath", "-o", str(program), "."]
    env = environment() | {"CGO_ENABLED": "0"}
    done = subprocess.run(
        command, cwd=LEAKY, env=env, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    return program


@contextmanager
def leaky(*flags: str | Path, go: str | None = None) -> Iterator[str]:
    """Lend a leaking server: its address, or the path of its socket."""
    with subprocess.Popen(
        [_built(go), *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            address = running.stdout.readline().strip()
            assert address, f"it ended with {running.wait(10)}"
            yield address
        finally:
            running.kill()


@contextmanager
def started(command: list[str | Path], ready: Callable[[], bool]) -> Iterator[None]:
    """Run a program while the test lasts."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        try:
            end = time.monotonic() + READY_SECONDS
            while not ready():
                assert running.poll() is None, f"it ended with {running.returncode}"
                assert time.monotonic() < end, "it does not answer"
                time.sleep(0.05)
            yield
        finally:
            running.terminate()
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                running.kill()


def capture(
    word: str, access: Access | None = None, snapshots: int = 1, between: Callable[[], object] = lambda: None
) -> list[tuple[Plan, dict[str, Taken]]]:
    """Take snapshots of a target: for each its plan, and what was taken by file."""
    (target,) = opened(word, access or Access())
    taken = []
    for number in range(1, snapshots + 1):
        plan = target.plan(OPTIONS, number, number == snapshots)
        taken.append((plan, {step.file: target.take(step, OPTIONS) for step in plan.steps}))
        if number < snapshots:
            between()
    target.close()
    return taken


def count(taken: Taken) -> int:
    """Return how many goroutines parse finds in a capture."""
    assert taken.capture is not None, taken.problems
    assert not taken.problems
    found = [goroutines(reading) for reading in parse(taken.capture)]
    return sum(one.total for one in found if one)


def whole(files: dict[str, Taken], least: int) -> None:
    """Check a snapshot: every file is there and what it says it is, and its goroutines agree."""
    assert all(one.capture and not one.problems for one in files.values())
    for file, taken in files.items():
        assert taken.capture is not None
        assert all(reading.kind != "unknown" for reading in parse(taken.capture)), file
    totals = [count(files[name]) for name in ("goroutine.pb.gz", "goroutine.debug2.txt")]
    assert min(totals) >= least
    assert max(totals) - min(totals) <= 5  # those that serve us


def test_growth_over_http() -> None:
    with leaky("-metrics", "/metrics") as address:
        url = f"http://{address}/leak?n=200"
        snapshots = capture(
            f"http://{address}", snapshots=2, between=lambda: urllib.request.urlopen(url, timeout=60).read()
        )
    for least, (plan, files) in zip((40, 240), snapshots, strict=True):
        assert not plan.problems
        assert plan.facts["prefix"] == "/debug/pprof"
        assert set(files) >= {"metrics.txt", "heap.pb.gz", "goroutine.pb.gz", "goroutine.debug2.txt"}
        assert int(str(plan.facts["goroutines"])) >= least
        whole(files, least)


def test_a_prefix() -> None:
    with leaky("-prefix", "/shop/pprof", "-metrics", "/shop/metrics") as address:
        ((plan, files),) = capture(f"http://{address}/shop")
        assert plan.facts["prefix"] == "/shop/pprof"
        assert "metrics.txt" in files
        whole(files, 40)


def test_single_handlers() -> None:
    with leaky("-only", "goroutine,heap") as address:
        ((plan, files),) = capture(f"http://{address}")
        assert list(files)[1:3] == ["goroutine.debug1.txt", "heap.debug1.txt"]
        whole(files, 40)
        assert count(files["goroutine.debug1.txt"]) == plan.facts["goroutines"]


def test_mutual_tls() -> None:
    with leaky("-cert", CERTIFICATES / "server.pem", "-ca", CERTIFICATES / "authority.crt") as address:
        ((plan, files),) = capture(f"https://{address}", OURS)
        assert not plan.problems
        whole(files, 40)
        for word, access, said in (
            (f"https://{address}", Access(tls_ca=OURS.tls_ca), "--tls-cert"),
            (f"https://{address}", Access(), "--tls-ca"),
            (f"http://{address}", Access(), "try https://"),
        ):
            ((plan, files),) = capture(word, access)
            assert not files
            assert said in problem_line(plan.problems[0])


@pytest.fixture
def place() -> Iterator[Path]:
    """Lend a folder with a short path: that of a socket has 107 bytes at most."""
    with tempfile.TemporaryDirectory(prefix="oakum-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def test_a_unix_socket(place: Path) -> None:
    with leaky("-listen", place / "app.sock", "-prefix", "/admin/debug/pprof") as path:
        ((plan, files),) = capture(f"unix://{path}")
        assert plan.facts["prefix"] == "/admin/debug/pprof"
        whole(files, 40)
        ((_, files),) = capture(f"unix://{path}:/admin/debug/pprof/heap")
        assert list(files) == ["heap.pb.gz"]
        assert files["heap.pb.gz"].capture


@pytest.mark.parametrize("go", ["1.21", NEWEST])
def test_old_and_new_go(go: str) -> None:
    with leaky(go=go) as address:
        first, last = capture(f"http://{address}", snapshots=2)
    for _, files in (first, last):
        whole(files, 40)
    assert "goroutineleak.pb.gz" not in first[1]
    if go == NEWEST:
        assert list(last[1])[-1] == "goroutineleak.pb.gz"
        assert count(last[1]["goroutineleak.pb.gz"]) >= 40
    # It has just begun, and no collection has run.
    assert any("after a collection" in step.what for step in first[0].steps)


def test_too_many_goroutines_are_left_standing() -> None:
    with leaky("-leaked", "10500") as address:
        (target,) = opened(f"http://{address}", Access())
        plan = target.plan(OPTIONS)
        assert "goroutine.debug2.txt" not in [step.file for step in plan.steps]
        assert plan.left_out[0].what == "goroutine.debug2.txt"
        taken = {step.file: target.take(step, OPTIONS) for step in plan.steps}
        assert count(taken["goroutine.pb.gz"]) >= 10_500
        forced = next(
            step for step in target.plan(CaptureOptions(force=True)).steps if step.file == "goroutine.debug2.txt"
        )
        assert count(target.take(forced, OPTIONS)) >= 10_500


def test_containerd(place: Path) -> None:
    containerd = need_tool("containerd", "containerd")
    config = place / "config.toml"
    config.write_text(
        f"""version = 2
root = "{place}/root"
state = "{place}/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = "{place}/containerd.sock"
[debug]
  address = "{place}/debug.sock"
"""
    )
    with started([containerd, "--config", config], lambda: (place / "containerd.sock").is_socket()):
        ((plan, files),) = capture(f"unix://{place}/debug.sock")
        assert not plan.problems
        whole(files, 5)
        assert b"github.com/containerd/containerd" in bytes(files["goroutine.debug2.txt"].capture.data)  # type: ignore[union-attr]
        # Its other socket speaks gRPC.
        ((plan, files),) = capture(f"unix://{place}/containerd.sock")
        assert not files
        assert "debug.sock" in problem_line(plan.problems[0])


@pytest.mark.parametrize(
    ("name", "flag", "prefix"),
    [
        ("abandoned-sender-manifest", "-listen", "/debug/pprof"),
        ("lock-held-while-waiting-admin-port-payoutd", "-admin", "/ops/payoutd/debug/pprof"),
    ],
)
def test_services_of_the_casebook(name: str, flag: str, prefix: str) -> None:
    need_go()
    one = case(name)
    try:
        (program,) = for_live(one, one.builds[0]).values()
    except DownloadFailed as failed:
        pytest.skip(str(failed))
    address = f"127.0.0.1:{_free_port()}"
    others = [] if flag == "-listen" else ["-listen", f"127.0.0.1:{_free_port()}"]
    with started([program, flag, address, *others], lambda: _listens(address)):
        ((plan, files),) = capture(f"http://{address}{prefix.removesuffix('/debug/pprof')}")
        assert plan.facts["prefix"] == prefix
        whole(files, 5)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _listens(address: str) -> bool:
    host, _, port = address.partition(":")
    try:
        socket.create_connection((host, int(port)), 1).close()
    except OSError:
        return False
    return True
