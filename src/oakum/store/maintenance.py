"""What keeps a store small and fast, a bounded piece at a time: fewer parts, coarser rows, nothing too old or too much.

A coarser row is the last snapshot of its hour or day, with the lowest and highest value of those that it stands for: no
number is invented. Each piece ends with one new manifest; killed before that, nothing has changed.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from oakum.store import captures, engine, files
from oakum.store.manifest import DAY, HOUR, Level, Maintained, Manifest, Part
from oakum.store.parts import window_length, write_part
from oakum.store.rows import TABLES, Table

if TYPE_CHECKING:
    from oakum.store.writer import Writer

_PERIODS: dict[Level, int] = {"hour": HOUR, "day": DAY}
_NEXT: dict[Level, Level] = {"raw": "hour", "hour": "day"}
_MERGE_FROM = 6  # parts of one window that is not over
_MERGE_FIRST = 24
_MERGE_ROWS = 1_000_000  # at once
_FULL = 0.95  # of the size that is allowed: the log and captures grow between two calls
# A clock that is wrong for a while ages the store by a day at most: a step is no longer, and is taken once an hour.
_STEP = DAY
_STEP_EVERY = 3600.0


class Ageing:
    """Up to when retention has come, and what was kept lately without being cited."""

    def __init__(self) -> None:
        self.stepped = -_STEP_EVERY
        self.collected = -_STEP_EVERY
        self.kept: dict[str, float] = {}  # digest -> when, of the clock that never jumps


def maintain(writer: "Writer", now: int, ageing: Ageing) -> Maintained:
    """Do the first piece of work that there is."""
    manifest = writer.manifest
    aged = _aged(manifest, now, ageing)
    oldest = aged - manifest.limits.captures_days * DAY
    if oldest >= manifest.captures_from + HOUR and writer.capture_bytes:
        writer.commit((), (), captures_from=oldest, aged_to=aged)
        manifest, ageing.collected = writer.manifest, -_STEP_EVERY
    for group in _expired(manifest, aged):
        writer.commit((), group, aged_to=aged)
        return Maintained(dropped=len(group), more=True)
    for table, level, window, group in _scattered(writer.sound_parts, aged):
        if len(group) >= _MERGE_FIRST:  # however much there is to be thinned out
            _merge(writer, table, level, window, group, aged)
            return Maintained(merged=len(group), more=True)
    limits = manifest.limits
    until: dict[Level, int] = {"raw": aged - limits.raw_hours * HOUR, "hour": aged - limits.hour_days * DAY}
    for table, level, window, group in _too_fine(writer.sound_parts, until):
        _coarsen(writer, table, level, window, group, aged)
        return Maintained(coarser=len(group), more=True)
    for table, level, window, group in _scattered(writer.sound_parts, aged):
        _merge(writer, table, level, window, group, aged)
        return Maintained(merged=len(group), more=True)
    if time.monotonic() - ageing.collected >= _STEP_EVERY and writer.capture_bytes:
        ageing.collected = time.monotonic()
        if gone := collect(writer, ageing):
            return Maintained(captures=gone, more=writer.size > _FULL * manifest.limits.most_bytes)
    if writer.size > _FULL * manifest.limits.most_bytes:
        return _shrink(writer, aged, ageing)
    if aged > manifest.aged_to + DAY // 4 or not manifest.aged_to:
        writer.commit((), (), aged_to=aged)
    return Maintained()


def _aged(manifest: Manifest, now: int, ageing: Ageing) -> int:
    """Return up to when rows are looked at as old: never later than the newest snapshot, so that evidence of last year
    is not thrown away because it was added today."""
    newest = max((part.high for part in manifest.parts if part.table == "snapshots"), default=now)
    reached = min(now, newest)
    if not manifest.aged_to or reached <= manifest.aged_to:
        return max(reached, manifest.aged_to)
    if reached > manifest.aged_to + _STEP:
        if time.monotonic() - ageing.stepped < _STEP_EVERY:
            return manifest.aged_to
        ageing.stepped = time.monotonic()
    return min(reached, manifest.aged_to + _STEP)


def _grouped(parts: Iterable[Part]) -> Iterator[tuple[Table, Level, int, list[Part]]]:
    groups: dict[tuple[int, str, Level], list[Part]] = defaultdict(list)
    for part in parts:
        if part.table in TABLES:
            groups[part.window, part.table, part.level].append(part)
    for (window, table, level), group in sorted(groups.items()):  # oldest first
        yield TABLES[table], level, window, group


def _expired(manifest: Manifest, aged: int) -> Iterator[list[Part]]:
    oldest = aged - manifest.limits.day_days * DAY
    if gone := [part for part in manifest.parts if part.high < oldest]:
        yield gone


def _too_fine(parts: Iterable[Part], until: dict[Level, int]) -> Iterator[tuple[Table, Level, int, list[Part]]]:
    """Yield parts of windows that end before `until`, as many as become one part of the next level, within bounds."""
    chosen: dict[tuple[str, Level, int], list[Part]] = {}
    for table, level, window, group in _grouped(parts):
        if not table.key or level not in until or window + window_length(table, level) > until[level]:
            continue
        length = window_length(table, _NEXT[level])
        into = chosen.setdefault((table.name, level, window // length * length), [])
        if not into or sum(part.rows for part in (*into, *group)) <= _MERGE_ROWS:
            into += group
    for (name, level, window), group in chosen.items():
        yield TABLES[name], level, window, group


def _scattered(parts: Iterable[Part], aged: int) -> Iterator[tuple[Table, Level, int, list[Part]]]:
    for table, level, window, group in _grouped(parts):
        over = window + window_length(table, level) <= aged - HOUR  # late rows still come for a while
        small = sorted(group, key=lambda part: part.rows)
        while sum(part.rows for part in small) > _MERGE_ROWS:
            small.pop()
        if len(small) >= (2 if over else _MERGE_FROM):
            yield table, level, window, small


def _rows(directory: Path, table: Table, group: Sequence[Part]) -> str:
    paths = engine.path_list(directory, [part.file for part in group])
    return f"SELECT * FROM ({engine.part_rows(table, paths)}) {engine.once(table)}"


def _merge(writer: "Writer", table: Table, level: Level, window: int, group: Sequence[Part], aged: int) -> None:
    """Make one part of several; of a coarser level, one row of those that are for the same hour or day."""
    rows = _rows(writer.directory, table, group)
    if level in _PERIODS:
        rows = coarser(table, level, rows, writer.manifest.captures_from)
    _replace(writer, table, level, window, rows, group, aged)


def _coarsen(writer: "Writer", table: Table, level: Level, window: int, group: Sequence[Part], aged: int) -> None:
    """Make one part of the next level, whose window is given, of parts of this one."""
    following = _NEXT[level]
    rows = coarser(table, following, _rows(writer.directory, table, group), writer.manifest.captures_from)
    _replace(writer, table, following, window, rows, group, aged)


def coarser(table: Table, level: Level, rows: str, captures_from: int) -> str:
    """Return SQL for one row per series and period. Snapshots of which bytes are kept stay as they are."""
    period = _PERIODS[level]
    names = list(table.stored)
    fixed = {"level": f"'{level}'", "stands_for": "CAST(sum(stands_for) AS BIGINT)"}
    for name in table.ranges:
        fixed[f"{name}_low"] = f"min(coalesce({name}_low, {name}))"
        fixed[f"{name}_high"] = f"max(coalesce({name}_high, {name}))"
    last = ", ".join(f"{name} := {name}" for name in names if name not in fixed)
    inner = ", ".join(f"{how} AS {name}" for name, how in fixed.items())
    kept = f"len(captures) > 0 AND time >= {captures_from}" if table.name == "snapshots" else "false"
    if table.name == "snapshots":  # of an older one the bytes are gone
        rows = f"SELECT * REPLACE (CASE WHEN {kept} THEN captures ELSE [] END AS captures) FROM ({rows})"
    chosen = ", ".join(name if name in fixed else f"(last).{name} AS {name}" for name in names)
    grouped = f"""SELECT {chosen} FROM (
        SELECT arg_max(struct_pack({last}), time) AS last, {inner} FROM every_row WHERE NOT ({kept})
        GROUP BY {", ".join(table.key)}, time // {period})"""
    whole = ", ".join(f"'{level}' AS level" if name == "level" else name for name in names)
    return f"""WITH every_row AS MATERIALIZED ({rows}) SELECT * FROM ({grouped}
        UNION ALL SELECT {whole} FROM every_row WHERE {kept})"""


def _replace(
    writer: "Writer", table: Table, level: Level, window: int, rows: str, group: Sequence[Part], aged: int
) -> None:
    bounds = min(part.low for part in group), max(part.high for part in group)
    try:
        with engine.connected(writer.directory) as connection:
            number = writer.manifest.number + 1
            made = write_part(connection, writer.directory, table, level, window, number, rows, bounds)
    except OSError:
        if not writer.set_aside(group):
            raise
        return  # the others are for the next time
    writer.commit([made], group, aged_to=aged)


def collect(writer: "Writer", ageing: Ageing) -> int:
    """Remove captures and documents that no row cites; return how many."""
    from oakum.store.reader import Reader

    with Reader(writer.directory) as reader:
        cited = reader.cited()
    young = time.monotonic() - _STEP_EVERY
    ageing.kept = {digest: at for digest, at in ageing.kept.items() if at > young and digest not in cited}
    gone = 0
    for digest, path in captures.every(writer.directory):
        if digest not in cited and digest not in ageing.kept:
            size = path.stat().st_size
            files.remove(path)
            writer.capture_bytes -= size
            gone += 1
    return gone


def _shrink(writer: "Writer", aged: int, ageing: Ageing) -> Maintained:
    """Give up what is missed least: bytes of old captures, fine rows, old rows, at last bytes of new captures."""
    manifest = writer.manifest
    if writer.capture_bytes and (until := _captures_until(writer, aged - DAY)) is not None:
        writer.commit((), (), captures_from=until)
        return Maintained(captures=collect(writer, ageing), more=True)
    for early in ({"raw": aged - HOUR}, {"hour": aged - DAY}):
        for table, level, window, group in _too_fine(writer.sound_parts, cast(dict[Level, int], early)):
            _coarsen(writer, table, level, window, group, aged)
            return Maintained(coarser=len(group), more=True)
    oldest = min((part for part in manifest.parts if TABLES[part.table].key), key=lambda part: part.high, default=None)
    if oldest is not None and oldest.high < aged - DAY:
        writer.commit((), [oldest], aged_to=aged)
        return Maintained(dropped=1, more=True)
    if writer.capture_bytes and (until := _captures_until(writer, aged + 1)) is not None:
        writer.commit((), (), captures_from=until)
        return Maintained(captures=collect(writer, ageing), more=True)
    return Maintained()


def _captures_until(writer: "Writer", last: int) -> int | None:
    """Return until when captures go so that about a quarter of those before `last` do; None when there are none."""
    from oakum.store.reader import Reader

    with Reader(writer.directory) as reader:
        times = reader.capture_times(last)
    return int(times[min(len(times) - 1, len(times) // 4)]) + 1 if len(times) else None
