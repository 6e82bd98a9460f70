"""Processes for tests: small Python programs that say a line when they are ready, and end with their standard input."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

# Appended to each program: it waits until the test is over.
_WAIT = "\nprint('ready', flush=True)\nimport sys\nsys.stdin.read()\n"


@contextmanager
def child(
    code: str,
    *arguments: str,
    program: str = sys.executable,
    env: Mapping[str, str] = os.environ,
    log: Path | None = None,
) -> Iterator["subprocess.Popen[str]"]:
    """Lend a running process that has executed the code; what it prints to stderr goes to the log."""
    stderr = log.open("ab") if log else None
    with subprocess.Popen(
        [program, "-c", code + _WAIT, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=dict(env),
        text=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            assert running.stdout.readline() == "ready\n"
            yield running
        finally:
            running.stdin.close()
            running.wait(60)
            if stderr:
                stderr.close()
