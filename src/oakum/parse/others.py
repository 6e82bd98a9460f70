"""Everything that is no pprof protobuf -> readings: other binaries, and text un-wrapped from whatever log it is in.

Every dump and profile in a text is read, with what the log around it says. Loaded only when it is needed: text
formats and log dialects are some thirty modules. To add a format: a module, and a line in a tuple below.
"""

import re
from bisect import bisect_left
from types import MappingProxyType

import numpy as np
from msgspec.structs import replace

from oakum.model import Buffer, GoroutineGroup, Problem, Reading
from oakum.model.signals import Log
from oakum.parse import (
    build_text,
    cgroup_memory,
    experiment,
    exposition,
    go_binary,
    heapdump,
    kubernetes_events,
    legacy_cpu,
    logs,
    proc_status,
    process_facts,
    prometheus_range,
    quoted,
    smaps_rollup,
    socket_tables,
    sockets,
    stacks,
    text,
    text_profiles,
    trace,
)
from oakum.parse.builds import go_mod, go_sum, image_labels, modules_txt, version_json, version_text
from oakum.parse.dump_lines import LARGE, WINDOW, is_plain
from oakum.parse.foreign import name_foreign
from oakum.parse.guard import Parser, guarded, wrapped
from oakum.parse.limits import Limits
from oakum.parse.logs import stamps

BINARY: tuple[Parser, ...] = (
    trace.read,
    heapdump.read,
    legacy_cpu.read,
    go_binary.read,
)  # the first to recognise the bytes wins
# Texts of their own, never in a log.
FACTS: tuple[Parser, ...] = (
    proc_status.read,
    smaps_rollup.read,
    cgroup_memory.read,
    process_facts.read,
    sockets.read,
    socket_tables.read,
    build_text.read,
    go_mod.read,
    go_sum.read,
    modules_txt.read,
    prometheus_range.read,
    kubernetes_events.read,
    experiment.read,
    version_json.read,
    image_labels.read,
    version_text.read,
    exposition.read,
)
TEXT: tuple[Parser, ...] = (stacks.read, text_profiles.read)  # each finds its own: a log may hold both

# "lines 120-990"
_LINES = re.compile(r"lines (\d+)-\d+")
_STAMP_COLUMN = 12  # time="2026-...   INFO[2026-...   but not a date in the middle of a sentence
_LARGE_LOG = 8 << 20  # bytes; a larger log without a dump is not read again as if it had one
_LOOK_BACK = 4096  # bytes before a dump in which a log line may say when it was written


def read(data: Buffer, limits: Limits, problems: list[Problem]) -> tuple[Reading, ...]:
    """Return everything found in bytes that are no pprof protobuf, of kind "unknown" when that is nothing."""
    if archive := _archive(data):
        return (archive,)
    for parser in BINARY:
        if found := guarded(parser, data, limits, problems):
            return found
    decoded, encoding = text.decoded(data)
    for parser in FACTS:
        if found := guarded(parser, decoded, limits, problems):
            return tuple(wrapped(encoding, reading) for reading in found)
    readings = _read_text(decoded, limits, problems) or (_unknown(data, problems),)
    return tuple(wrapped(encoding, reading) for reading in readings)


def _read_text(data: Buffer, limits: Limits, problems: list[Problem]) -> tuple[Reading, ...]:
    if len(data) > LARGE and is_plain(data):
        return _told_by_plain_log(data, guarded(stacks.read, data, limits, problems))
    log, dumps = _told_by_lines(data, limits) if stamps.is_log(data) else (None, True)
    if log is not None and not dumps:
        return (Reading(kind="log", format="log", log=log),)
    if len(data) > _LARGE_LOG and not dumps:
        return ()
    readings: list[Reading] = []
    for source in guarded(logs.unwrap, data, limits, problems) or (logs.Unwrapped(data),):
        found = [reading for parser in TEXT for reading in guarded(parser, source.text, limits, problems)]
        found.sort(key=_first_line)
        readings += quoted.marked(source.text, source.wrapping, _told_by_log(source, found))
    if log is not None and readings:
        readings[0] = replace(readings[0], log=log)
    elif log is not None:
        readings.append(Reading(kind="log", format="log", log=log))
    return tuple(readings)


def _told_by_lines(data: Buffer, limits: Limits) -> tuple[Log | None, bool]:
    """Return what the lines of a log report, and whether there may be a dump in it."""
    from oakum.parse.logs.lines import read_log  # loaded only for a log

    log, dumps = read_log(data, limits)
    # journalctl -o json writes what has control characters as numbers: a dump in it is not to be seen.
    return log, dumps or b'"MESSAGE"' in bytes(data[:WINDOW])


def _told_by_plain_log(data: Buffer, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Return the readings of a text that is wrapped in nothing with what stands beside them."""
    return tuple(_told_by_log(logs.Unwrapped(data), list(readings)))


def _told_by_log(source: logs.Unwrapped, readings: list[Reading]) -> list[Reading]:
    """Return the readings of one source with what the log around them says: who wrote them, when, in which wrapping."""
    starts = _starts(source.text, readings)
    told = []
    for reading, start in zip(readings, starts, strict=True):
        written = source.stamps_at(start) or _nearby(source.text, start)
        stamped = next((at for stamp in written if (at := stamps.parse_stamp(stamp))), None)
        notes = dict(reading.notes)
        if source.source:
            notes["source"] = source.source
        if written and stamped is None:
            notes["stamp"] = written[0]
        told.append(
            replace(
                wrapped(source.wrapping, reading),
                taken_at=reading.taken_at or stamped,
                where=f"{reading.where} unwrapped" if reading.where and source.wrapping else reading.where,
                notes=MappingProxyType(notes),
            )
        )
    for cut in source.cuts:
        row = bisect_left(starts, cut) - 1
        if row >= 0 and (read := told[row].goroutines) is not None:
            groups = read.groups
            if bytes(source.text[max(0, cut - 2) : cut]) != b"\n\n":  # an empty line: what was cut is the next stack
                groups = tuple(_torn(group, cut) for group in groups)
            told[row] = replace(told[row], goroutines=replace(read, groups=groups, cut=True))
    if told and source.problems:
        told[-1] = replace(told[-1], problems=(*source.problems, *told[-1].problems))
    return told


def _torn(group: GoroutineGroup, cut: int) -> GoroutineGroup:
    """Return the group with its stack marked as incomplete when it is that of the goroutine at the cut alone."""
    if len(group.spans) != 1 or not group.spans[0, 0] < cut <= group.spans[0, 1] + 1:
        return group
    return replace(group, stack=replace(group.stack, truncated=True))


def _starts(data: Buffer, readings: list[Reading]) -> list[int]:
    newlines = None
    starts = []
    for reading in readings:
        groups = reading.goroutines.groups if reading.goroutines else ()
        spans = [group.spans[:, 0] for group in groups if len(group.spans)]
        start = int(np.concatenate(spans).min()) if spans else 0
        line = _first_line(reading)
        if not groups and line > 1:
            if newlines is None:
                newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
            start = int(newlines[min(line - 2, len(newlines) - 1)]) + 1
        starts.append(start)
    return starts


def _first_line(reading: Reading) -> int:
    lines = _LINES.match(reading.where)
    return int(lines[1]) if lines else 1


def _nearby(data: Buffer, start: int) -> tuple[str, ...]:
    """Return the time stamp of the log line that stands last before `start`, or of the line itself."""
    before = bytes(data[max(0, start - _LOOK_BACK) : start + 64]).splitlines()
    own = bytes(data[start : start + 64]).count(b"\n")
    for line in reversed(before[: len(before) - own]):
        stamp = stamps.find(line[:64])
        if stamp and line.find(stamp.encode("latin-1")) <= _STAMP_COLUMN:
            return (stamp,)
    return ()


def _archive(data: Buffer) -> Reading | None:
    """Return what is said of a tar archive: the files in it lie one after another, but they are no one text."""
    head = bytes(data[:512])
    if head[257:262] != b"ustar" or b"\0" not in head[:257]:
        return None
    problem = Problem.of("not-a-profile.tar-whole", size=len(data))
    return Reading(kind="unknown", format="unknown", problems=(problem,))


def _unknown(data: Buffer, problems: list[Problem]) -> Reading:
    # Bytes that could not be unpacked say nothing more than that.
    refused = any(problem.key in ("compressed", "too-much") for problem in problems) or (problems and len(data) < 64)
    foreign = None if refused else name_foreign(data)
    if foreign is None and not refused:
        what = "binary" if b"\0" in bytes(data[:4096]) else "text"
        foreign = Problem.of(f"unrecognised.{what}", size=len(data))
    return Reading(kind="unknown", format="unknown", problems=(foreign,) if foreign else ())
