"""`oakum watch` as a process: signals, a second watcher, reloading, what it logs. One service of ours, on loopback."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from live_service import Service, serving
from oakum.store import open_reader

pytestmark = pytest.mark.slow
FREELY = ("--cpu-budget", "100%", "--network-budget", "99GB")


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as one:
        yield one


def start(*words: object, **how: object) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-m", "oakum", "watch", *map(str, words)]
    return subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **how)  # type: ignore[call-overload, no-any-return]


def until(what: Callable[[], bool], seconds: float = 40) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def snapshots(store: Path) -> int:
    try:
        with open_reader(store) as reader:
            return len(reader.snapshots("x"))
    except Exception:
        return 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_soon_also_in_the_background_of_a_shell(service: Service, tmp_path: Path, number: int) -> None:
    store = tmp_path / "s"
    log, code = tmp_path / "log", tmp_path / "code"
    words = [
        sys.executable,
        "-m",
        "oakum",
        "watch",
        f"x={service.url}",
        "--every",
        "200ms",
        "--store",
        str(store),
        *FREELY,
    ]
    # A shell without job control starts what ends with & with SIGINT ignored.
    script = '"$@" 2>"$0" & child=$!; echo $child; wait $child; echo $? >"$CODE"'
    shell = subprocess.Popen(
        ["sh", "-c", script, str(log), *words], stdout=subprocess.PIPE, text=True, env={**os.environ, "CODE": str(code)}
    )
    assert shell.stdout is not None
    with shell.stdout as told:
        child = int(told.readline())
    try:
        until(lambda: snapshots(store) >= 2)
        there = snapshots(store)
        asked = time.monotonic()
        os.kill(child, number)
        shell.wait(20)
        took = time.monotonic() - asked
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        shell.wait()
    print(f"ended {took:.2f} s after {signal.Signals(number).name}")
    assert took < 6  # two seconds where nobody else is at work
    assert code.read_text() == "0\n", log.read_text()
    lines = log.read_text().splitlines()
    assert "event=stopped" in lines[-1], "nothing after it: no traceback, no complaint of a library"
    assert snapshots(store) >= there


def test_a_second_watcher_is_refused_with_the_pid_of_the_first_and_a_killed_one_blocks_nobody(
    service: Service, tmp_path: Path
) -> None:
    words = (f"x={service.url}", "--every", "1s", "--store", tmp_path / "s", "--log", "json", *FREELY)
    first = start(*words)
    try:
        until(lambda: snapshots(tmp_path / "s") >= 1)
        second = start(*words)
        _, said = second.communicate(timeout=30)
        assert second.returncode == 4
        assert str(first.pid) in said
        first.kill()
        _, logged = first.communicate(timeout=20)
        rows = [json.loads(line) for line in logged.splitlines()]
        assert {"ts", "level", "event"} <= rows[0].keys()
        third = start(*words)
        before = snapshots(tmp_path / "s")
        until(lambda: snapshots(tmp_path / "s") > before)
        third.terminate()
        assert third.wait(20) == 0
    finally:
        for one in (first, third):
            one.kill()
            one.communicate()


def test_sighup_reads_the_configuration_again_and_a_mistake_keeps_the_old_one(service: Service, tmp_path: Path) -> None:
    config, log = tmp_path / "watch.toml", tmp_path / "log"
    target = f'[[target]]\nurl = "{service.url}"\nservice = "x"\n'
    config.write_text(f'every = "1s"\nstore = "{tmp_path / "s"}"\n{target}')
    with log.open("w") as stream:
        one = subprocess.Popen([sys.executable, "-m", "oakum", "watch", "--config", str(config)], stderr=stream)
    try:
        until(lambda: "event=target " in log.read_text())
        config.write_text('every = "never"\n')
        os.kill(one.pid, signal.SIGHUP)
        until(lambda: "event=reload-failed" in log.read_text())
        assert f"{config}:1:" in log.read_text()
        more = service.url.replace("127.0.0.1", "localhost")
        config.write_text(
            f'every = "1s"\nstore = "{tmp_path / "s"}"\n{target}[[target]]\nurl = "{more}"\nservice = "y"\n'
        )
        os.kill(one.pid, signal.SIGHUP)
        until(lambda: "event=reloaded" in log.read_text() and "service=y" in log.read_text())
        one.terminate()
        assert one.wait(20) == 0
    finally:
        one.kill()
        one.wait()
