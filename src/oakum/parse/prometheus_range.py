"""Answers of Prometheus' query API (matrix or vector; Thanos, Mimir and VictoriaMetrics answer alike) -> Metrics.

In: one answer or several one after the other, or what `promtool query range -o json` prints. Out: what `ranges` makes
of their series. A large answer is taken apart without an object for each sample.
"""

import json
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from oakum.model import Buffer, Problem, Reading
from oakum.model.signals import Floats
from oakum.parse.limits import Limits
from oakum.parse.plain_json import begins, documents, each, inside, text_of
from oakum.parse.ranges import MOST_POINTS, SNAPSHOTS, RawSeries, no_series, range_readings, raw_series

__all__ = ["SNAPSHOTS", "read"]

_MOST = 64 * MOST_POINTS  # bytes: of a sample some thirty


_NOTHING = msgspec.Raw(b"")


class _Row(msgspec.Struct):
    metric: Any = None
    values: msgspec.Raw = _NOTHING
    value: msgspec.Raw = _NOTHING


class _Data(msgspec.Struct):
    kind: Any = msgspec.field(name="resultType", default="")
    result: list[_Row] | None = None


class _Answer(msgspec.Struct, rename={"error_type": "errorType", "is_partial": "isPartial"}):
    status: str
    data: _Data | None = None
    error_type: Any = None
    error: Any = None
    warnings: Any = None
    infos: Any = None
    is_partial: Any = None
    partial: Any = None


_ONE = msgspec.json.Decoder(_Answer)


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the snapshots that the answers tell of, or nothing when this is no answer of Prometheus."""
    del limits  # bounded by its size, and by the number of points
    head = bytes(data[: 4 << 10])
    if len(data) > _MOST or not begins(head) or (b'"resultType"' not in head and b'"metric"' not in head):
        return ()
    said: list[Problem] = []
    series = _series_of(data, said)
    if series is None:
        return ()
    if not series:
        return (no_series(said or [Problem.of("empty-answer")]),) if said or b'"resultType"' in head else ()
    return range_readings(series, said)


def _series_of(data: Buffer, said: list[Problem]) -> list[RawSeries] | None:
    """Return the series of the answers; None when this is no answer."""
    try:
        return _told(_ONE.decode(bytes(data)), said)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # several answers, promtool's list, a sloppy one
        pass
    series: list[RawSeries] = []
    for document in documents(data):
        results = _results(document, said)
        if results is None:
            return None
        series += results
    return series


def _told(answer: _Answer, said: list[Problem]) -> list[RawSeries] | None:
    document: dict[str, object] = {
        "status": answer.status, "errorType": answer.error_type, "error": answer.error, "warnings": answer.warnings,
        "infos": answer.infos, "isPartial": answer.is_partial, "partial": answer.partial,
        "data": {"resultType": answer.data.kind if answer.data else ""},
    }  # fmt: skip
    rows = (answer.data.result if answer.data else None) or []
    return _answer(document, said, list(_decoded(rows)), bool(rows))


def _results(document: object, said: list[Problem]) -> list[RawSeries] | None:
    """Return the series of one answer that was read whole; None when it is none."""
    if isinstance(document, list):  # promtool
        if not document or not all(isinstance(one, dict) and "metric" in one for one in document):
            return None
        return list(_series(document))
    if not isinstance(document, dict):
        return None
    result = inside(document, "data").get("result")
    return _answer(document, said, list(_series(result)), isinstance(result, list) and bool(result))


def _answer(
    document: dict[str, object], said: list[Problem], found: list[RawSeries], some: bool
) -> list[RawSeries] | None:
    """Return the series of an answer, and note what it says of itself."""
    status = document.get("status")
    if status == "error":
        why = f"{text_of(document, 'errorType')}: {text_of(document, 'error')}"[:300]
        said.append(Problem.of("refused.query", why=why))
        return []
    if status != "success" or text_of(inside(document, "data"), "resultType") not in ("matrix", "vector"):
        return None
    for warning in (*_texts(document.get("warnings")), *_texts(document.get("infos"))):
        said.append(Problem.of("warning.prometheus", said=warning[:300]))
    if document.get("isPartial") is True or document.get("partial") is True:
        said.append(Problem.of("warning.partial"))
    if some and not any(one.name for one in found):
        said.append(Problem.of("nameless"))
    return found


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)][:5] if isinstance(value, list) else []


def _decoded(rows: Sequence[_Row]) -> Iterator[RawSeries]:
    for row in rows:
        text = bytes(row.values) or b"[%b]" % bytes(row.value)
        if found := raw_series(_labels(row.metric), *_samples(text)):
            yield found


def _samples(text: bytes) -> tuple[Floats, Floats]:
    """Return times and values of [[1700000000.123,"42"],[1700000015,"NaN"]]."""
    numbers = np.empty(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # what is no number ends the text
        try:
            numbers = np.fromstring(text.translate(None, b'[]"'), np.float64, sep=",")
        except (DeprecationWarning, ValueError):
            return _points(json.loads(text))
    if len(numbers) != 2 * (text.count(b"[") - 1) or text.count(b"]") != text.count(b"["):
        return _points(json.loads(text))
    return numbers[::2], numbers[1::2]


def _series(result: object) -> Iterator[RawSeries]:
    for one in each(result):
        values, value = one.get("values"), one.get("value")
        listed = values if isinstance(values, list) else [value] if isinstance(value, list) else []
        if found := raw_series(_labels(one.get("metric")), *_points(listed)):
            yield found


def _labels(metric: object) -> dict[str, str]:
    return {name: value for name, value in inside(metric).items() if isinstance(value, str)}


def _points(listed: object) -> tuple[Floats, Floats]:
    points = [point for raw in listed if (point := _point(raw))] if isinstance(listed, list) else []
    both = np.array(points, np.float64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _point(raw: object) -> tuple[float, float] | None:
    """[1700000000.123, "42"]"""
    if not isinstance(raw, list) or len(raw) != 2 or isinstance(raw[0], bool) or not isinstance(raw[0], int | float):
        return None
    try:
        return float(raw[0]), float(raw[1])
    except (TypeError, ValueError, OverflowError):
        return None
