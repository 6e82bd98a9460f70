"""journal:UNIT -> a Target: what a unit wrote to the journal since some time, as journalctl exports it.

Dumps in it are found by parse. A snapshot of a series takes what came since the last. Read only, within size and time.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl

from msgspec import Struct

from oakum.collect.programs import find_program, run_program
from oakum.collect.target import CaptureOptions, Plan, Step, Taken
from oakum.collect.web import Access
from oakum.model import Capture, Problem, Text, Unreachable, UsageError

if TYPE_CHECKING:
    from oakum.collect.target import Target

_HOW = "journal:UNIT or journal:UNIT?since=TIME, as in journal:containerd and journal:kubelet?since=1h ago"
# containerd   getty@tty1.service   dev-disk-by\x2duuid.device
_UNIT = re.compile(r"[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]{0,254}")
# 1h ago   -30min   2026-11-16 10:00:00   @1794823105   yesterday
_TIME = re.compile(r"[A-Za-z0-9@+:. -]{1,64}")
_OPTIONS = ("since", "until", "directory")
Cut = Literal["", "late", "long"]


class Output(Struct, frozen=True):
    """What a command printed, as far as time and size allowed."""

    data: bytes
    said: str  # its complaints
    cut: Cut = ""  # why it is not whole: its time was up, or it printed too much


def open(word: str, access: Access) -> "list[Target]":
    del access  # journalctl asks the system who may read it
    unit, _, query = word.removeprefix("journal:").partition("?")
    fields = dict(parse_qsl(query, keep_blank_values=True))
    if not _UNIT.fullmatch(unit):
        raise UsageError(f"{word}: {_HOW}")
    if wrong := [name for name in fields if name not in _OPTIONS]:
        raise UsageError(f"{word}: {wrong[0]} is none of {', '.join(_OPTIONS)}; {_HOW}")
    for name in ("since", "until"):
        if name in fields and not _TIME.fullmatch(fields[name]):
            raise UsageError(f"{word}: {name} is a time as journalctl takes it: 1h ago, 2026-11-16 10:00, yesterday")
    if not find_program("journalctl"):
        raise Unreachable(Text("target.no-journal", {"target": word}), word)
    return [JournalTarget(word, unit, fields)]


class JournalTarget:
    def __init__(self, word: str, unit: str, fields: dict[str, str]) -> None:
        self.address = self.process = word
        self.name = unit.removesuffix(".service")
        self._unit = unit
        self._fields = fields
        self._until: datetime | None = None  # where the last snapshot ended

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Return what is asked of journalctl; nothing is looked at before."""
        del snapshot, last
        since = f"@{self._until.timestamp():.6f}" if self._until else self._fields.get("since")
        command = export(
            [f"--unit={self._unit}"],
            since or f"@{(datetime.now(UTC) - options.past).timestamp():.0f}",
            self._fields.get("until"),
            self._fields.get("directory"),
        )
        step = Step("log.txt", f"what {self._unit} wrote to the journal", _shown(command), "\0".join(command))
        return Plan((step,), facts=MappingProxyType({"unit": self._unit}))

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        began = datetime.now(UTC)
        output = run(step.key.split("\0"), options.seconds, options.most)
        ended = datetime.now(UTC)
        problems = [_cut(step.ask, output.cut, options)] if output.cut else []
        if output.said:
            problems.append(Problem.of("journalctl", asked=step.ask, said=output.said))
        if not output.data.strip():
            return Taken(step, None, began, ended, (*problems, Problem.of("empty.journal", unit=self._unit)))
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
    """Return what journalctl prints; it is ended when the time is up or it has printed too much."""
    program = find_program(command[0])
    if program is None:
        return Output(b"", f"{command[0]}: it is not on the PATH")
    try:
        ran = run_program([program, *command[1:]], seconds, most)
    except OSError as error:
        return Output(b"", f"{command[0]}: {error.strerror or error}")
    cut: Cut = "late" if ran.late else "long" if len(ran.out) > most else ""
    lines = ran.err.decode("utf-8", "replace").strip().splitlines()
    return Output(ran.out[:most], lines[0][:300] if lines else "", cut)


def _cut(asked: str, why: Cut, options: CaptureOptions) -> Problem:
    if why == "late":
        return Problem.of("cut.journal-late", asked=asked, seconds=options.seconds)
    return Problem.of("cut.journal-long", asked=asked, most=options.most >> 20)


def _shown(command: Sequence[str]) -> str:
    return " ".join(f"'{part}'" if " " in part else part for part in command)
