"""A service that leaks until it is killed for its memory: when was said before. Beside it a healthy one, on a socket.

In a cgroup of its own (pid:, killed by the kernel) where one can be made, else with a limit that it keeps itself.
"""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from oakum.model import OakumError
from oakum.store import open_reader
from support import free_ports, until_listening
from toolchain import environment, need_go

pytestmark = pytest.mark.live

PROGRAM = Path(__file__).with_name("boxoffice")
LIMIT = 192 << 20  # 2.5 MiB a second: one minute and a quarter
CGROUPS = Path("/sys/fs/cgroup")


@pytest.fixture(scope="module")
def boxoffice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("boxoffice") / "boxoffice"
    built = [str(need_go()), "build", "-o", str(program), "."]
    subprocess.run(built, cwd=PROGRAM, env=environment(), check=True, timeout=300)
    return program


@contextmanager
def cgroup(limit: int) -> Iterator[Path | None]:
    """Lend a cgroup with a limit of memory; None where none can be made."""
    old = (CGROUPS / "memory").is_dir()
    group = (CGROUPS / "memory" if old else CGROUPS) / f"oakum-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        yield None
        return
    try:
        try:
            (group / ("memory.limit_in_bytes" if old else "memory.max")).write_text(str(limit))
            made: Path | None = group
        except OSError:
            made = None
        yield made
    finally:
        wait_for(lambda: not (group / "cgroup.procs").read_text(), 10)  # what was killed is still leaving it
        with suppress(OSError):
            group.rmdir()


def test_the_limit_is_reached_when_it_was_said_to_be(boxoffice: Path, tmp_path: Path) -> None:
    (port,) = free_ports(1)
    socket, store, log, config = (tmp_path / name for name in ("s.sock", "store", "log", "watch.toml"))
    with cgroup(LIMIT) as group:
        words = [str(boxoffice), "-listen", f"127.0.0.1:{port}", *(() if group else ("-limit", str(LIMIT)))]
        if group:
            # It enters the group by itself: what is allocated before would be counted elsewhere.
            words = ["/bin/sh", "-c", f'echo $$ > "{group}/cgroup.procs" && exec "$@"', "sh", *words]
        leaking = subprocess.Popen(words)
        healthy = subprocess.Popen([str(boxoffice), "-listen", str(socket)])
        try:
            until_listening(port)
            target = f"pid:{leaking.pid}" if group else f"http://127.0.0.1:{port}"
            config.write_text(
                'every = "1s"\n[budget]\ncpu = "50%"\nnetwork = "4GB/h"\n'
                f'[[target]]\nurl = "{target}"\nservice = "boxoffice"\n'
                f'[[target]]\nurl = "unix://{socket}"\nservice = "healthy"\n'
            )
            with log.open("wb") as stream:
                command = [sys.executable, "-m", "oakum", "watch", "--config", str(config), "--store", str(store)]
                watcher = subprocess.Popen(command, stdout=stream, stderr=stream)
            try:
                said = _said_until_the_end(leaking, store, port)
                ended = time.time() * 1e6
                wait_for(lambda: "target-failed" in log.read_text())
                watcher.terminate()
                assert watcher.wait(20) == 0
            finally:
                watcher.kill()
                watcher.wait()
        finally:
            for one in (leaking, healthy):
                one.kill()
                one.wait()
    assert leaking.returncode == (-9 if group else 137), "killed for its memory, and by nobody else"
    closed = [(low, high) for low, high in said if high is not None]
    assert closed, f"nothing with two ends was said before it was killed: {said}"
    held = [low <= ended <= high + 2e6 for low, high in closed]  # seen with the next look
    print(f"{'cgroup' if group else 'simulated'}: {[(round((low - ended) / 1e6, 1), round((high - ended) / 1e6, 1)) for low, high in closed]} s from the end")  # fmt: skip
    assert sum(held) * 2 > len(held), (closed, ended, log.read_text())
    with open_reader(store) as reader:
        kinds = [one.kind for one in reader.events("boxoffice")]
        assert "capture" in kinds, "the evidence was taken before the end"
        assert ("oom-kill" in kinds) == bool(group), kinds
        (incident,) = reader.incidents()
        assert (incident.service, incident.function) == ("boxoffice", "main.(*order).wait")
        assert {one.limit_kind for one in reader.runs("boxoffice")} == {"cgroup" if group else "gomemlimit"}
        assert any(one.detail == "dump" and one.captures for one in reader.snapshots("boxoffice"))
        assert len(reader.snapshots("healthy")) > 5


def wait_for(what: Callable[[], bool], seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not what() and time.monotonic() < until:
        time.sleep(0.2)


def _said_until_the_end(leaking: "subprocess.Popen[bytes]", store: Path, port: int) -> list[tuple[int, int | None]]:
    """Open the sale once the service is watched; return what was said of its limit while it lived, each once."""
    wait_for(lambda: store.exists() and any(store.glob("log/*")), 60)
    time.sleep(4)
    urllib.request.urlopen(f"http://127.0.0.1:{port}/open", timeout=10).read()
    said: dict[tuple[int, int | None], None] = {}
    until = time.monotonic() + 240
    while leaking.poll() is None and time.monotonic() < until:
        time.sleep(0.5)
        try:
            with open_reader(store) as reader:
                told = [(one.limit_low, one.limit_high) for one in reader.incidents() if one.limit_low is not None]
        except OakumError:
            continue
        # What is said as it happens is no forecast.
        if leaking.poll() is None:
            said |= dict.fromkeys(told)
    return list(said)
