"""A process that prints its goroutines on SIGUSR1 as containerd's shims do, here in Python; test_live.py has one of Go."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from collect.process.children import child
from oakum.collect.process import shim
from oakum.collect.process.shim import ShimTarget
from oakum.collect.target import CaptureOptions, Step, Taken
from oakum.collect.web import Access
from oakum.model import UsageError
from oakum.parse import parse
from oakum.report.words.lines import problem_line
from support import unreachable

DUMP = r"""
import signal, sys
def dump(*_):
    print('time="2026-11-16T10:15:00Z" level=info msg="another line"', file=sys.stderr)
    text = r"=== BEGIN goroutine stack dump ===\ngoroutine 1 [chan send]:\nmain.main()\n\t/srv/main.go:3 +0x1d\n\n"
    print('time="2026-11-16T10:15:00Z" level=info msg="' + text + '{end}"', file=sys.stderr, flush=True)
    print("a line that is none of ours", file=sys.stderr, flush=True)
signal.signal(signal.SIGUSR1, dump)
"""
END = "=== END goroutine stack dump ==="
# Reads a pipe and writes its own log, as containerd does with the output of its shims.
COPY = """
import os, subprocess, sys, threading
read, write = os.pipe()
shim = subprocess.Popen([sys.argv[1], "-c", sys.argv[2], "-id", sys.argv[3]], stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE, stderr=write)
os.close(write)
shim.stdout.readline()
threading.Thread(target=lambda: [os.write(2, part) for part in iter(lambda: os.read(read, 65536), b"")], daemon=True).start()
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    """Return Python under a name that a shim has."""
    link = tmp_path / "containerd-shim-python"
    link.symlink_to(sys.executable)
    return str(link)


@contextmanager
def running(program: str, log: Path, name: str, end: str = END) -> Iterator[int]:
    """Lend the pid of a shim for a container of this name."""
    with child(DUMP.format(end=end), "-namespace", "k8s.io", "-id", name, program=program, log=log) as process:
        yield process.pid


def opened(word: str) -> ShimTarget:
    (target,) = shim.open(word, Access())
    assert isinstance(target, ShimTarget)
    return target


def dumped(target: ShimTarget, options: CaptureOptions) -> tuple[Step, Taken]:
    (step,) = [step for step in target.plan(options).steps if step.file == "log.txt"]
    return step, target.take(step, options)


def test_a_shim_by_its_container_and_by_its_number(tmp_path: Path, program: str) -> None:
    log = tmp_path / "shim.log"
    log.write_text("=== BEGIN goroutine stack dump ===\nan old dump\n=== END goroutine stack dump ===\n")
    name = f"web-{os.getpid()}-1"
    with running(program, log, name) as pid:
        for word in (f"shim:{name}", f"shim:{pid}", f"shim:{pid}?log={log}"):
            target = opened(word)
            step, taken = dumped(target, CaptureOptions())
            assert step.ask.startswith(f"kill -USR1 {pid}, then read {log}")
            assert taken.problems == ()
            assert taken.capture is not None
            assert b"old dump" not in bytes(taken.capture.data)
            assert b"another line" not in bytes(taken.capture.data)
            (reading,) = parse(taken.capture)
            assert reading.goroutines is not None
            assert reading.goroutines.total == 1
        facts = opened(f"shim:{pid}").plan(CaptureOptions()).facts
        assert (facts["container"], facts["namespace"], facts["pid"]) == (name, "k8s.io", pid)


def test_its_log_is_found_behind_the_one_who_copies_it(tmp_path: Path, program: str) -> None:
    log, name = tmp_path / "containerd.log", f"web-{os.getpid()}-2"
    code = DUMP.format(end=END) + "print('ready', flush=True)\nsys.stdin.read()\n"
    with child(COPY, program, code, name, log=log):
        _, taken = dumped(opened(f"shim:{name}"), CaptureOptions())
        assert taken.capture is not None
        assert END.encode() in bytes(taken.capture.data)


def test_a_dump_without_its_end_is_kept_and_told(tmp_path: Path, program: str) -> None:
    with running(program, tmp_path / "log", "web", end="cut") as pid:
        _, taken = dumped(opened(f"shim:{pid}"), CaptureOptions(seconds=2.0))
        assert taken.capture is not None
        assert [problem.key for problem in taken.problems] == ["cut"]


def test_a_dump_that_does_not_come_is_told_with_what_to_do(tmp_path: Path, program: str) -> None:
    with running(program, tmp_path / "log", "web") as pid:
        (tmp_path / "other.log").touch()
        target = opened(f"shim:{pid}?log={tmp_path / 'other.log'}")
        _, taken = dumped(target, CaptureOptions(seconds=0.3))
        (problem,) = taken.problems
        assert taken.capture is None
        assert f"shim:{pid}?log=FILE" in problem_line(problem)


def test_no_signal_goes_to_others(tmp_path: Path, program: str) -> None:
    with child("import signal; signal.signal(signal.SIGUSR1, lambda *_: sys.exit(3))") as other:
        with pytest.raises(UsageError, match="no shim"):
            shim.open(f"shim:{other.pid}", Access())
        assert other.poll() is None
    with child("", "-id", f"deaf-{os.getpid()}", program=program) as deaf:
        for word in (f"shim:{deaf.pid}", f"shim:deaf-{os.getpid()}"):
            with pytest.raises(UsageError, match="does not handle SIGUSR1, which would end it; no signal was sent"):
                shim.open(word, Access())
        assert deaf.poll() is None


def test_one_that_has_ended_is_not_sent_anything(tmp_path: Path, program: str) -> None:
    with running(program, tmp_path / "log", "web") as pid:
        target = opened(f"shim:{pid}")
        (step,) = [step for step in target.plan(CaptureOptions()).steps if step.file == "log.txt"]
    assert [problem.key for problem in target.take(step, CaptureOptions()).problems] == ["ended"]
    assert [problem.key for problem in target.plan(CaptureOptions()).problems] == ["ended"]


def test_words_and_names(tmp_path: Path, program: str) -> None:
    for word in ("shim:", "shim:a/b", "shim:abc?x=1", "shim:abc", "shim:abcd?log=/nowhere/x"):
        with pytest.raises(UsageError):
            shim.open(word, Access())
    with unreachable("crictl ps"):
        shim.open("shim:0123456789abcdef", Access())
    one, two = f"twin-{os.getpid()}-1", f"twin-{os.getpid()}-2"
    both = running(program, tmp_path / "a", one), running(program, tmp_path / "b", two)
    with both[0], both[1], pytest.raises(UsageError, match="that is 2 shims"):
        shim.open(f"shim:twin-{os.getpid()}", Access())
