"""experiment.json of a bundle: the work that was sent to a process, snapshot by snapshot -> one reading.

In: a JSON document of schema oakum.experiment/1. A stage that contradicts itself or the one before it tells nothing;
refuses other documents, and more stages than an experiment has.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import get_args

from oakum.model import Buffer, Problem, Reading
from oakum.model.experiment import SCHEMA, Ended, Experiment, Phase, Stage
from oakum.parse.limits import Limits
from oakum.parse.plain_json import MOST, begins, documents, text_of

_HEAD = 4096
_STAGES_MOST = 1000
_ASKED_MOST = 20
_STATUSES_MOST = 100
_TEXT_MOST = 300
_LARGEST = 10**12  # units: more than anybody waits for
_UNITS = frozenset({"request", "run", "second", "iteration"})


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the experiment that a document tells, or nothing when this is none."""
    del limits  # bounded by its size
    head = bytes(data[:_HEAD])
    if len(data) > MOST or not begins(head) or b'"oakum.experiment/' not in head:
        return ()
    (document,) = documents(data)[:1] or [None]
    if not isinstance(document, dict) or not text_of(document, "schema").startswith("oakum.experiment/"):
        return ()
    schema, rows = text_of(document, "schema"), document.get("stages")
    problems = []
    if schema != SCHEMA:
        problems.append(Problem.of("other-schema", manifest="experiment.json", schema=schema[:40], known=SCHEMA))
    stages = _stages(rows if isinstance(rows, list) else [])
    if not all(stages) or not stages:
        problems.append(Problem.of("bad-experiment", stages=sum(stage is None for stage in stages)))
    unit, ended, asked = text_of(document, "unit"), text_of(document, "ended"), document.get("asked")
    made = Experiment(
        _line(text_of(document, "target")),
        unit if unit in _UNITS else "request",
        stages,
        tuple(_line(one) for one in asked[:_ASKED_MOST] if isinstance(one, str)) if isinstance(asked, list) else (),
        next((known for known in get_args(Ended) if known == ended), "interrupted"),
        numbered=document.get("numbered") is True,
    )
    return (Reading(kind="experiment", format="experiment", experiment=made, problems=tuple(problems)),)


def _line(text: str) -> str:
    return "".join(letter for letter in text[:_TEXT_MOST] if letter.isprintable())


def _stages(rows: list[object]) -> tuple[Stage | None, ...]:
    """Return what each row tells; work that is less than it was before is none."""
    found: list[Stage | None] = []
    done, then = 0, None
    for row in rows[:_STAGES_MOST]:
        stage = _stage(row) if isinstance(row, dict) else None
        if stage is not None and (stage.completed < done or (then and stage.at < then)):
            stage = None
        if stage is not None:
            done, then = stage.completed, stage.at
        found.append(stage)
    return tuple(found)


def _stage(row: Mapping[str, object]) -> Stage | None:
    phase = next((known for known in get_args(Phase) if known == row.get("phase")), None)
    at, counts = _time(row.get("at")), [_count(row.get(name)) for name in ("sent", "completed", "failed")]
    if phase is None or at is None or not counts[0] >= counts[1] >= counts[2] >= 0:
        return None
    pairs = row.get("answers")
    answers = {
        str(pair[0]): _count(pair[1])
        for pair in (pairs[:_STATUSES_MOST] if isinstance(pairs, list) else ())
        if isinstance(pair, list) and len(pair) == 2 and 0 <= _count(pair[0]) < 1000 and _count(pair[1]) > 0
    }
    return Stage(phase, at, counts[0], counts[1], counts[2], MappingProxyType(answers))


def _count(value: object) -> int:
    """Return a count; -1 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST else -1


def _time(text: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
        return at.astimezone(UTC) if at is not None and at.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
