"""experiment.json: written and read alike; whatever else claims to be one is read as far as it makes sense."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from oakum.experiment.record import record
from oakum.model import Capture, Experiment, Stage
from oakum.parse import parse
from oakum.redact import Redaction

AT = datetime(2026, 11, 18, 7, 0, tzinfo=UTC)
MADE = Experiment(
    "http://127.0.0.1:6060",
    "request",
    (
        Stage("settle", AT),
        Stage("batch", AT + timedelta(seconds=2), 10, 10, 1, {"200": 9, "504": 1}),
        Stage("drain", AT + timedelta(seconds=4), 10, 10, 1, {"200": 9, "504": 1}),
    ),
    ("POST /api/simulate",),
    "clear",
)


def read(data: bytes) -> Experiment | None:
    (reading,) = parse(Capture("experiment.json", data))
    return reading.experiment


def changed(**fields: Any) -> bytes:
    return json.dumps(json.loads(record(MADE)) | fields).encode()


def test_what_is_written_is_read() -> None:
    assert read(record(MADE)) == MADE


@pytest.mark.parametrize(
    "stage",
    [
        {"phase": "batch", "at": "2026-11-18T07:00:02Z", "sent": 1, "completed": 5, "failed": 0},
        {"phase": "batch", "at": "2026-11-18T07:00:02", "sent": 5, "completed": 5, "failed": 0},
        {"phase": "party", "at": "2026-11-18T07:00:02Z", "sent": 5, "completed": 5, "failed": 0},
        {"phase": "batch", "at": "2026-11-18T07:00:02Z", "sent": 1e300, "completed": 5, "failed": 0},
        {"phase": "batch", "at": "2026-11-18T07:00:02Z", "sent": 10**40, "completed": 10**40, "failed": 0},
        {"phase": "batch", "at": ["now"], "sent": True, "completed": True, "failed": False},
        "batch",
        None,
    ],
)
def test_a_stage_that_contradicts_itself_tells_nothing(stage: object) -> None:
    (reading,) = parse(Capture("x", changed(stages=[stage])))
    assert reading.experiment is not None
    assert reading.experiment.stages == (None,)
    assert [problem.key for problem in reading.problems] == ["bad-experiment"]


def test_work_does_not_become_less() -> None:
    rows = json.loads(record(MADE))["stages"]
    made = read(changed(stages=[rows[1], rows[0], rows[2]]))
    assert made is not None
    assert [stage is not None for stage in made.stages] == [True, False, True]


def test_texts_and_rows_are_bounded() -> None:
    made = read(changed(target="x\x1b[31m" * 1000, asked=["y" * 10_000] * 100, stages=[None] * 100_000, unit="<b>"))
    assert made is not None
    assert len(made.target) <= 300
    assert "\x1b" not in made.target
    assert len(made.asked) <= 20
    assert len(made.stages) <= 1000
    assert made.unit == "request"


@pytest.mark.parametrize("other", [b'{"schema": "oakum.diagnosis/1"}', b'{"a": "oakum.experiment/1"}', b"[]"])
def test_other_documents_are_none(other: bytes) -> None:
    assert all(reading.experiment is None for reading in parse(Capture("x", other)))


def test_cut_anywhere_it_is_no_traceback() -> None:
    whole = record(MADE)
    for end in range(0, len(whole), 7):
        parse(Capture("x", whole[:end]))


def test_redacted_it_keeps_the_numbers_and_loses_the_names() -> None:
    told = Redaction(b"k" * 16)("experiment.json", record(MADE))
    assert told is not None
    assert b"simulate" not in told
    made = read(told)
    assert made is not None
    assert made.stages == MADE.stages
    assert (made.unit, made.ended) == ("request", "clear")
