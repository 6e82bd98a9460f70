"""oakum find: the Go programs that run on this machine, largest first: build, memory, goroutines, where pprof is.

Exit 0, also when there is none; 4 on a system without /proc.
"""

import json
import os
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from oakum.cli.screen import Progress, columns_of, remark, safe, shorten, styled, width
from oakum.model import Build, OakumError
from oakum.model.sizes import size

if TYPE_CHECKING:
    from oakum.collect.process.running import Running, Served

_PARALLEL = 64  # they mostly wait
# Columns, and how wide a terminal must be to get them: narrow ones lose what can be asked for with --json.
_COLUMNS = (
    ("PID", 0), ("NAME", 0), ("RSS", 0), ("GOROUTINES", 0), ("UP", 80), ("GO", 60), ("PPROF", 60), ("VERSION", 120),
    ("MODULE", 140), ("WHERE", 100),
)  # fmt: skip
_RIGHT = ("PID", "RSS", "GOROUTINES", "UP")
_SCHEMES_FROM = 100  # columns from which http:// is worth its seven
_NARROWEST = 12  # columns to which names are shortened at most


class Row(Struct, frozen=True):
    """One Go program that runs."""

    process: "Running"
    build: Build
    served: "Served | None" = None  # None: not asked

    @property
    def name(self) -> str:
        """Return what people call it: the kernel's name is cut at 15 characters."""
        program = self.process.program.rpartition("/")[2]
        return program if program.startswith(self.process.name) else self.process.name

    def matches(self, words: Sequence[str]) -> bool:
        home = self.process.home
        names = (self.name, self.process.program, self.build.path, home.container, home.unit, home.pod)
        return not words or any(word.lower() in (name or "").lower() for word in words for name in names)


@click.command(
    epilog="""Examples:

\b
  oakum find                 all Go processes, largest first
  oakum find kubelet shim    filter by name, path, module, unit or container
  oakum find --no-probe      without probing listening sockets for pprof
  oakum find --json | jq -r '.processes[] | select(.goroutines > 9999) | .pid'
  oakum diagnose pid:1234    then: diagnose one of them

Exit codes: 0 (also when none is found), 2 usage error, 4 failed.

See also: oakum capture pid:N (save its captures), oakum doctor (what this user may read).
""",
)
@click.argument("words", nargs=-1, metavar="[NAME...]")
@click.option("--no-probe", is_flag=True, help="Do not probe listening sockets for pprof: nothing is sent.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema oakum.find/1).")
def command(words: tuple[str, ...], no_probe: bool, as_json: bool) -> int:
    """List the Go processes on this machine: version, memory, goroutines, pprof endpoint.

    A Go binary is recognised by its build info, also when stripped or replaced on disk. Its listening sockets are
    probed for pprof, in its own network namespace if that may be entered.
    """
    progress = Progress("looking-at")
    try:
        rows, hidden = _rows(words, progress)
        if not no_probe:
            rows = _probe_all(rows, progress)
    finally:
        progress.done()
    if as_json:
        found = {"schema": "oakum.find/1", "processes": [_json(row) for row in rows], "not_seen": hidden}
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return 0
    for line in _table(rows):
        click.echo(line)
    _print_notes(rows, hidden, words)
    return 0


def _rows(words: Sequence[str], progress: Progress) -> tuple[list[Row], int]:
    """Return the Go programs, largest first, and how many processes could not be looked at."""
    from oakum.cli import programs
    from oakum.collect.process import running

    builds: dict[Hashable, Build | None] = {}
    rows: list[Row] = []
    hidden = 0
    try:
        for program in running.programs():
            if program is None:
                hidden += 1
                continue
            if program.file not in builds:
                progress.at(str(program.executable))
                told = programs.listing(program.executable)
                builds[program.file] = programs.build(told) if told else None
            build = builds[program.file]
            process = running.running(program) if build is not None else None
            if process and build and (row := Row(process, build)).matches(words):
                rows.append(row)
    except FileNotFoundError as error:
        raise OakumError(
            "no /proc on this system: find works on Linux only; use the address of the service: "
            "oakum diagnose http://HOST:PORT"
        ) from error
    return sorted(rows, key=lambda row: -row.process.resident), hidden


def _probe_all(rows: list[Row], progress: Progress) -> list[Row]:
    if not rows:
        return rows
    from oakum.collect.process.running import served
    from oakum.collect.web import Access

    progress.at(f"the listening sockets of {len(rows)} programs")
    with ThreadPoolExecutor(_PARALLEL) as pool:
        answers = pool.map(lambda row: served(row.process.proc, Access()), rows)
        return [replace(row, served=answer) for row, answer in zip(rows, answers, strict=True)]


def _json(row: Row) -> dict[str, Any]:
    process, build, served = row.process, row.build, row.served
    return {
        "pid": process.proc.pid,
        "name": row.name,
        "program": process.program,
        "go": build.go,
        "path": build.path,
        "module": build.main,
        "version": build.main_version,
        "rss": process.resident,
        "threads": process.threads,
        "started": process.started.isoformat(timespec="seconds") if process.started else None,
        "goroutines": served.goroutines if served else None,
        "pprof": (served.address or None) if served else None,
        "own_network": served.elsewhere if served else None,
        "why_no_pprof": _why(served) or None if served else None,
        "container": process.home.container or None,
        "engine": process.home.engine or None,
        "pod": process.home.pod or None,
        "unit": process.home.unit or None,
    }


def _cells(row: Row) -> dict[str, str]:
    process, build, served = row.process, row.build, row.served
    goroutines = served.goroutines if served else None
    cells = {
        "PID": str(process.proc.pid),
        "NAME": row.name,
        "RSS": size(process.resident),
        "GOROUTINES": f"{goroutines:,}" if goroutines is not None else "",
        "UP": _lasted(process.started),
        "GO": (build.go or "").removeprefix("go"),
        "PPROF": _address(served) if served else "",
        "VERSION": build.main_version or "",
        "MODULE": build.path or build.main or "",
        "WHERE": str(process.home),
    }
    return {name: safe(cell) or "-" for name, cell in cells.items()}


def _why(served: "Served") -> str:
    from oakum.report.words.lines import problem_line

    return problem_line(served.refusal) if served.refusal else served.why


def _address(served: "Served") -> str:
    short = served.address.removesuffix("/debug/pprof").rstrip(":")
    return f"{short} (in its netns)" if short and served.elsewhere else short


def _table(rows: list[Row]) -> list[str]:
    """Return the table: whole where it is piped, fewer and shorter columns on a narrow terminal."""
    if not rows:
        return []
    room = width()
    names = [name for name, wide in _COLUMNS if room is None or room >= wide]
    cells = [_cells(row) for row in rows]
    if room is not None and room < _SCHEMES_FROM:
        cells = [row | {"PPROF": row["PPROF"].removeprefix("http://")} for row in cells]
    widths = {name: max(len(name), *(columns_of(row[name]) for row in cells)) for name in names}
    if room is not None:
        _squeeze(widths, room)
    lines = [styled(_line({name: name for name in names}, widths), "bold")]
    return [*lines, *(_line(row, widths) for row in cells)]


def _squeeze(widths: dict[str, int], room: int) -> None:
    """Make the longest columns shorter until a line fits; what people type in again, pids and numbers, is not one."""
    over = sum(widths.values()) + 2 * (len(widths) - 1) - room
    while over > 0:
        name = max((n for n in widths if n not in _RIGHT), key=widths.__getitem__)
        if widths[name] <= _NARROWEST:
            return
        widths[name] -= 1
        over -= 1


def _line(cells: dict[str, str], widths: dict[str, int]) -> str:
    parts = []
    for name, room in widths.items():
        cell = shorten(cells[name], room)
        gap = " " * (room - columns_of(cell))
        parts.append(gap + cell if name in _RIGHT else cell + gap)
    return "  ".join(parts).rstrip()


def _lasted(started: datetime | None) -> str:
    if started is None:
        return ""
    minutes, seconds = divmod(max(0, int((datetime.now(UTC) - started).total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d{hours}h"
    if hours:
        return f"{hours}h{minutes}m"
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"


def _print_notes(rows: list[Row], hidden: int, words: Sequence[str]) -> None:
    if not rows:
        named = f" with {' or '.join(words)} in its name" if words else ""
        remark(
            f"no Go program{named} was seen among the processes of this machine; one elsewhere has an address: "
            "oakum diagnose http://HOST:PORT, kube://pod/NAMESPACE/NAME"
        )
    if hidden:
        how = "as root, all are seen" if os.geteuid() else "this root lacks the capability SYS_PTRACE"
        remark(f"{hidden:,} process{'es' if hidden > 1 else ''} could not be looked at: {how}")
    shut = sum(row.served is not None and "namespace" in row.served.why for row in rows)
    if shut:
        remark(f"{shut:,} of them are in other network namespaces, which only root may enter")
    known = [row for row in rows if row.served is not None and row.served.refusal]
    if known:
        pids = ", ".join(f"{row.name} {row.process.proc.pid}" for row in known[:5]) + (" ..." if len(known) > 5 else "")
        remark(f"pprof requires authentication at {pids}: oakum capture pid:N with --token-file or --tls-cert")
    if rows:
        best = next((row for row in rows if row.served and row.served.address), rows[0])
        remark(f"next: oakum diagnose pid:{best.process.proc.pid}")
