"""Two snapshots of a store -> what lies between them: facts, changes, flame graphs, and of two runs verify's verdict.

From the captures where they are kept, by a worker; else from the places that the store has of both.
"""

import shutil
import tempfile
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import msgspec
from anyio import to_thread
from msgspec import Struct

from oakum.model import StoreError, Text
from oakum.model.verification import Verification
from oakum.report.html import Drawing
from oakum.report.verification import sides
from oakum.store.laying_out import lay_out, spread
from oakum.store.reader import Reader
from oakum.store.rows import RunRow, SnapshotRow
from oakum.verify import verify
from oakum.views.diff import Difference, of_tables
from oakum.web.workers import Workers, WorkFailed

_MOST_KEPT = 1000  # snapshots of a run of which some are chosen
_REMEMBERED = 8  # comparisons: a megabyte each


class Side(Struct, frozen=True):
    """One snapshot, and the run that it is of."""

    service: str
    row: SnapshotRow
    run: RunRow | None

    @property
    def word(self) -> str:
        return f"{self.service}@{self.row.at}"


class Row(Struct, frozen=True):
    """One line of a table of changes."""

    name: tuple[str, ...]
    values: tuple[int, ...]
    kind: str


class Table(Struct, frozen=True):
    columns: tuple[str, ...]
    unit: str
    measure: str
    totals: tuple[int, ...]
    count: int  # rows in all
    rows: tuple[Row, ...]


class Compared(Struct, frozen=True):
    tables: tuple[Table, ...]
    figures: dict[str, Drawing] = {}
    missing: tuple[str, ...] = ()
    verification: dict[str, Any] | None = None
    unverified: str = ""
    partial: Text | None = None  # why it is told from the places alone

    def verified(self) -> Verification | None:
        return verify(*sides(self.verification)) if self.verification else None


def side_of(reader: Reader, word: str) -> Side | None:
    """Return the snapshot that SERVICE@TIME names, the nearest; SERVICE alone: the newest that has captures."""
    service, _, when = word.rpartition("@") if "@" in word else (word, "", "")
    at = int(when) if when.isascii() and when.isdigit() and len(when) < 18 else None
    if at is None and when:
        service, at = word, None
    row = reader.nearest(service, at, kept=at is None) or reader.nearest(service, at)
    if row is None:
        return None
    return Side(service, row, next((one for one in reader.runs(service) if one.run == row.run), None))


class Comparer:
    """Compares, and remembers what was compared last."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._known: OrderedDict[tuple[Any, ...], Compared] = OrderedDict()

    def remembered(self, key: tuple[Any, ...]) -> Compared | None:
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
        return found

    async def compare(self, records: Any, before: Side, after: Side, lang: str) -> Compared:
        key = (
            before.row.run,
            before.row.at,
            after.row.run,
            after.row.at,
            before.row.captures,
            after.row.captures,
            lang,
        )
        if (known := self.remembered(key)) is not None:
            return known
        if not before.row.captures or not after.row.captures:
            found: Compared = await records.ask(
                lambda reader: from_places(reader, before, after, Text("serve.compare.not-kept"))
            )
        else:
            found = await self._from_captures(records, before, after, lang)
        self._known[key] = found
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found

    async def _from_captures(self, records: Any, before: Side, after: Side, lang: str) -> Compared:
        place = Path(await to_thread.run_sync(tempfile.mkdtemp))
        try:
            asked = await records.ask(lambda reader: _laid_out(reader, before, after, place))
            answer = await self._workers.run("compare", lang=lang, **asked)
            return msgspec.convert(answer, Compared)
        except (StoreError, WorkFailed) as error:
            why = error.text
            return await records.ask(lambda reader: from_places(reader, before, after, why))  # type: ignore[no-any-return]
        finally:
            await to_thread.run_sync(lambda: shutil.rmtree(place, ignore_errors=True))


def _laid_out(reader: Reader, before: Side, after: Side, place: Path) -> dict[str, Any]:
    """Lay out both snapshots; of two runs also what is kept of each."""
    asked: dict[str, Any] = {}
    for name, side in (("before", before), ("after", after)):
        lay_out(reader, {side.service: [side.row]}, place / name)
        asked[name] = str(place / name)
    if before.row.run != after.row.run:
        asked["runs"] = {}
        for name, side in (("before", before), ("after", after)):
            kept = reader.kept_snapshots(side.service, _MOST_KEPT, side.row.run)[::-1]
            lay_out(reader, {side.service: spread(kept)}, place / f"{name}-run")
            asked["runs"][name] = str(place / f"{name}-run")
    return asked


def from_places(reader: Reader, before: Side, after: Side, why: Text) -> Compared:
    """Return the changes of the places that the store has of both snapshots: the largest of each."""
    tables = []
    for kind, columns, unit in (("goroutines", ("state", "place"), "count"), ("heap", ("function",), "bytes")):
        counted = [_counted(reader, side, kind) for side in (before, after)]
        if all(counted):
            tables.append(_table(of_tables(columns, counted, "goroutines" if unit == "count" else "inuse_space", unit)))
    return Compared(tuple(tables), partial=why)


def _counted(reader: Reader, side: Side, kind: str) -> Counter[tuple[str, ...]]:
    found = reader.places(side.service, side.row.at, side.row.at, "goroutines" if kind == "goroutines" else "heap")
    names = ("function", "file", "line", "state", "run", "value")
    table: Counter[tuple[str, ...]] = Counter()
    for function, file, line, state, run, value in zip(*(found[name].tolist() for name in names), strict=True):
        if run != side.row.run or value is None:
            continue
        spot = f"{function} {file.rpartition('/')[2]}:{line}" if file else function
        table[(state or "?", spot) if kind == "goroutines" else (function,)] += int(value)
    return table


def _table(found: Difference) -> Table:
    rows = [row for row in found.rows if row.change]
    return Table(
        found.columns,
        found.unit,
        found.measure,
        found.totals,
        len(rows),
        tuple(Row(row.name, row.values, row.kind) for row in rows[:400]),
    )
