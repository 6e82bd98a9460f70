"""Series of metrics and logs among the parts -> those of a case, each with the process that it is of, where one is."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import isfinite

from msgspec.structs import replace

from oakum.assemble.builds import Program
from oakum.assemble.parts import Part
from oakum.model.signals import Log, Series


def series_of(parts: Sequence[Part], firsts: Mapping[str, Program]) -> tuple[Series, ...]:
    """Return the series of all ranges; `firsts` has the programs by the id of their first process."""
    owners = _owners(firsts)
    found = []
    for part in parts:
        if not part.reading.series:
            continue
        own, process = part.reading.notes.get("process", ""), owners.get(id(part), "")
        for one in part.reading.series:
            # An answer that was computed has no name but that of its file.
            name = one.name or part.capture.origin.rpartition("/")[2].partition(".")[0]
            mine = process if one.owner == own and one.name else ""
            found.append(replace(one, name=name, process=mine, source=part.capture.digest))
    return tuple(found)


def _owners(firsts: Mapping[str, Program]) -> dict[int, str]:
    """Return which process each part is of; of a log of which only panics are known nobody can tell whose it is."""
    return {
        id(part): process
        for process, program in firsts.items()
        if not all(part.single_stack for part in program.parts if part.slot)
        for part in program.parts
    }


def logs_of(parts: Sequence[Part], firsts: Mapping[str, Program]) -> tuple[Log, ...]:
    """Return the logs, each with its process and the year that its stamps lack: the one nearest to all else."""
    told = [(part, part.reading.log) for part in parts if part.reading.log is not None]
    if not told:
        return ()
    owners = _owners(firsts)
    known = [when for part in parts if (when := part.reading.taken_at or part.capture.taken_at)]
    return tuple(
        replace(
            _dated(log, max(known) if known else part.capture.received_at),
            process=owners.get(id(part), ""),
            source=part.capture.digest,
        )
        for part, log in told
    )


def _dated(log: Log, near: datetime | None) -> Log:
    """Return a log whose stamps have a year."""
    first = next((float(time) for one in log.tallies for time in one.times if isfinite(time)), None)
    if not log.yearless or first is None or near is None:
        return log
    began = datetime.fromtimestamp(first, UTC)
    years = [began.replace(year=near.year + by, day=min(began.day, 28)) for by in (-1, 0, 1)]
    shift = (min(years, key=lambda one: abs(one - near)) - began.replace(day=min(began.day, 28))).total_seconds()
    return replace(log, tallies=tuple(replace(one, times=one.times + shift) for one in log.tallies))
