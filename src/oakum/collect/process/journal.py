"""journal:UNIT -> a Target: what a unit wrote to the journal since some time, as journalctl exports it.

Dumps in it are found by parse. In a series each moment takes what came since the last. Read only, within size and time.
"""

import re
import shutil
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from oakum.collect.target import Plan, Step, Taken, Wishes
from oakum.collect.web import Access
from oakum.model import Capture, Problem, Unreachable, UsageError

if TYPE_CHECKING:
    from oakum.collect.target import Target

_HOW = "journal:UNIT or journal:UNIT?since=TIME, as in journal:containerd and journal:kubelet?since=1h ago"
# containerd   getty@tty1.service   dev-disk-by\x2duuid.device
_UNIT = re.compile(r"[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]{0,254}")
# 1h ago   -30min   2026-11-16 10:00:00   @1794823105   yesterday
_TIME = re.compile(r"[A-Za-z0-9@+:. -]{1,64}")
_OPTIONS = ("since", "until", "directory")


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed, as far as time and size allowed."""

    data: bytes
    said: str  # its complaints
    cut: str = ""  # why it is not whole


def open(word: str, access: Access) -> "list[Target]":
    """Return the journal of the unit that a word names."""
    del access  # journalctl asks the system who may read it
    unit, _, query = word.removeprefix("journal:").partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if not _UNIT.fullmatch(unit):
        raise UsageError(f"{word}: {_HOW}")
    if wrong := [name for name in options if name not in _OPTIONS]:
        raise UsageError(f"{word}: {wrong[0]} is none of {', '.join(_OPTIONS)}; {_HOW}")
    for name in ("since", "until"):
        if name in options and not _TIME.fullmatch(options[name]):
            raise UsageError(f"{word}: {name} is a time as journalctl takes it: 1h ago, 2026-11-16 10:00, yesterday")
    if not shutil.which("journalctl"):
        raise Unreachable(f"{word}: there is no journalctl here; name the log file itself instead", word)
    return [JournalTarget(word, unit, options)]


class JournalTarget:
    """The journal of one unit."""

    def __init__(self, word: str, unit: str, options: dict[str, str]) -> None:
        self.address = self.process = word
        self.name = unit.removesuffix(".service")
        self._unit = unit
        self._options = options
        self._until: datetime | None = None  # where the last moment ended

    def plan(self, wishes: Wishes, moment: int = 1, last: bool = True) -> Plan:
        """Return what is asked of journalctl; nothing is looked at before."""
        del moment, last
        since = f"@{self._until.timestamp():.6f}" if self._until else self._options.get("since")
        command = export(
            [f"--unit={self._unit}"],
            since or f"@{(datetime.now(UTC) - wishes.past).timestamp():.0f}",
            self._options.get("until"),
            self._options.get("directory"),
        )
        step = Step("log.txt", f"what {self._unit} wrote to the journal", _shown(command), "\0".join(command))
        return Plan((step,), facts=MappingProxyType({"unit": self._unit}))

    def take(self, step: Step, wishes: Wishes) -> Taken:
        """Return what the journal has."""
        began = datetime.now(UTC)
        output = run(step.key.split("\0"), wishes.seconds, wishes.most)
        ended = datetime.now(UTC)
        problems = [Problem("cut", f"{step.ask}: {output.cut}")] if output.cut else []
        if output.said:
            problems.append(Problem("journalctl", f"{step.ask}: {output.said}"))
        if not output.data.strip():
            may = "root and the groups adm and systemd-journal may"
            text = f"{self._unit} wrote nothing in that time, or there is no such unit, or you may not read it: {may}"
            return Taken(step, None, began, ended, (*problems, Problem("empty", text)))
        self._until = began
        return Taken(step, Capture(self.address, output.data, ended), began, ended, tuple(problems))

    def close(self) -> None:
        """Nothing is open."""


def export(whose: Sequence[str], since: str, until: str | None = None, directory: str | None = None) -> list[str]:
    """Return the command that prints what some wrote: --unit=containerd, or _PID=812 + _PID=813."""
    command = ["journalctl", "--no-pager", "--output=export", f"--since={since}"]
    command += [f"--until={until}"] if until else []
    command += [f"--directory={directory}"] if directory else []
    return [*command, *whose]


def run(command: Sequence[str], seconds: float, most: int) -> Output:
    """Return what a command prints; it is ended when the time is up or it has printed too much."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        return Output(b"", f"{command[0]}: {error.strerror or error}")
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    watch = threading.Timer(seconds, end)
    watch.start()
    said: list[bytes] = []
    listener = threading.Thread(target=lambda: said.append(process.stderr.read(2000) if process.stderr else b""))
    listener.start()
    with process:
        data = process.stdout.read(most + 1) if process.stdout else b""
        if len(data) > most:
            process.kill()
        listener.join(1.0)
        watch.cancel()
    cut = f"it was cut at {most >> 20} MiB; since= nearer to now takes less" if len(data) > most else ""
    if late.is_set():
        cut = f"it took more than {seconds:g} s, and what came until then was kept; --timeout gives it longer"
    lines = b"".join(said).decode("utf-8", "replace").strip().splitlines()
    return Output(data[:most], lines[0][:300] if lines else "", cut)


def _shown(command: Sequence[str]) -> str:
    return " ".join(f"'{part}'" if " " in part else part for part in command)


__all__ = ["JournalTarget", "Output", "export", "open", "run"]
