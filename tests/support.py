"""What many tests need: where evidence is, and tools that may be missing."""

import contextlib
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

from oakum import cli
from oakum.model import Problem, Text, Unreachable
from oakum.report.words.lines import error_line

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "evidence"
DEMO = ROOT / "src" / "oakum" / "cli" / "demo_evidence"
RECORDED = ROOT / "tests" / "testdata" / "recorded"


def need_shared() -> Path:
    """Return the folder of shared evidence, or skip: a user's clone does not have it."""
    if not SHARED.is_dir():
        pytest.skip("no shared evidence beside this clone; the recorded testdata covers the same forms")
    return SHARED


def quoted(key: str, text: str, where: str = "") -> Problem:
    """Return a problem as the report of another version has it: in its own words."""
    return Problem(key, Text("problem.stored", {"text": text}), where)


@contextlib.contextmanager
def unreachable(said: str) -> Iterator[pytest.ExceptionInfo[Unreachable]]:
    """Expect that a target is not reached, and that this is said of it in English, a regular expression."""
    with pytest.raises(Unreachable) as raised:
        yield raised
    assert re.search(said, error_line(raised.value)), error_line(raised.value)


def need_tool(name: str, package: str) -> str:
    """Return the path of a program, or skip with what would install it."""
    path = shutil.which(name)
    if path:
        return path
    if name in os.environ.get("OAKUM_UNAVAILABLE", "").split():
        pytest.skip(f"download failed three times: {name}")
    pytest.skip(f"{name} is not installed; apt-get install {package}")


class Answer(NamedTuple):
    """What one run of the command line left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


def oakum(*arguments: str | Path, stdin: bytes | None = None, **environment: str) -> Answer:
    """Run the command line in this process, piped, and return what it left: a process of its own takes a second to start."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(stdin or b""), encoding="utf-8")
    with (
        patch.dict(os.environ, environment),
        patch.object(sys, "stdin", given),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = cli.run([*map(str, arguments)])
    return Answer(code, *(one.buffer.getvalue().decode() for one in (out, err)))


def oakum_process(*arguments: str | Path, **environment: str) -> Answer:
    """Run the command line in a process of its own, piped, and return what it left."""
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", "oakum", *map(str, arguments)],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=120,
        check=False,
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def imported(*arguments: str, **environment: str) -> set[str]:
    """Return the modules that Python imports to run this; start-up is bounded by them, not by seconds."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment}
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env, timeout=60)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def free_ports(count: int) -> list[int]:
    """Return ports of this machine that nobody listens at."""
    with_ports = [socket.socket() for _ in range(count)]
    for one in with_ports:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in with_ports]
    for one in with_ports:
        one.close()
    return ports


def until_listening(port: int) -> None:
    """Wait until a program listens at a port of this machine; ten seconds at most."""
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
