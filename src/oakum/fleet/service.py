"""A store -> the answer: what grows is selected, diagnosed where that was not done yet, and ranked."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from oakum.fleet.casework import Evidence, Judged, Keeper, judged, keep_in, known
from oakum.fleet.ingest import SET_ASIDE
from oakum.fleet.ranking import rank
from oakum.fleet.selection import Selected, select
from oakum.model import Diagnosis
from oakum.report.fleet import Ranking
from oakum.store.reader import Reader


class Answer(Struct, frozen=True, eq=False):
    ranking: Ranking
    judged: Mapping[str, Judged]
    made: int  # diagnoses that were made now


def answer(
    reader: Reader,
    writer: Keeper | None,
    past: int,
    source: Sequence[str] = (),
    only: str | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Answer:
    """Return the ranking of what a store holds of so many microseconds before its newest snapshot.

    `only`: the one service that is diagnosed. With `source` causes are read in it; such diagnoses are not kept.
    """
    end = reader.last()
    start = end - past
    selected = select(reader, start, end)
    if only is not None:
        growing = {only: selected.growing[only]} if only in selected.growing else {}
        selected = Selected({only: selected.runs[only]} if only in selected.runs else selected.runs, growing)
    made = 0
    keep_it = keep_in(writer if not source else None)

    def keep(evidence: Evidence, found: Diagnosis | None) -> str:
        nonlocal made
        made += 1
        return keep_it(evidence, found)

    cases = judged(reader, selected, keep, {} if source else known(reader), source, progress)
    return Answer(rank(reader, selected, cases, _aside(reader), start, end), cases, made)


def _aside(reader: Reader) -> dict[str, int]:
    sql = f"SELECT service, count(*) AS found FROM events WHERE kind = '{SET_ASIDE}' AND service != '' GROUP BY service"
    rows = reader.query(sql, ["events"])
    return dict(zip(rows["service"].tolist(), rows["found"].tolist(), strict=True))
