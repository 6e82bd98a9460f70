"""Wall time, processor time and peak memory of commands, run in turns."""

import hashlib
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """Something to measure."""

    name: str
    words: Sequence[str | os.PathLike[str]]
    env: Mapping[str, str]
    runs: int = 3


@dataclass(frozen=True)
class Figures:
    """The best times of some runs, in seconds, and their highest peak of resident memory, in bytes."""

    name: str
    wall: float
    cpu: float  # user and system time, which depends less on what else runs on this machine
    memory: int
    exit_code: int
    output: str  # a digest of standard output


def _once(command: Command) -> Figures:
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(
            command.words, env=command.env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        digest = hashlib.file_digest(out, "sha256").hexdigest()[:16]
    cpu = usage.ru_utime + usage.ru_stime
    return Figures(command.name, wall, cpu, usage.ru_maxrss * 1024, process.returncode, digest)


def side_by_side(commands: Sequence[Command]) -> list[Figures]:
    """Return the figures of each command; they take turns, so that a busy moment of the machine meets all of them."""
    runs: list[list[Figures]] = [[] for _ in commands]
    for turn in range(max(command.runs for command in commands)):
        for command, done in zip(commands, runs, strict=True):
            if turn < command.runs:
                done.append(_once(command))
    return [
        Figures(
            first.name,
            min(run.wall for run in done),
            min(run.cpu for run in done),
            max(run.memory for run in done),
            first.exit_code,
            first.output,
        )
        for done in runs
        for first in done[:1]
    ]


__all__ = ["Command", "Figures", "side_by_side"]
