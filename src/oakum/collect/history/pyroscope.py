"""pyroscope+http(s)://HOST:4040?match={service_name="orders"}&last=6h -> past profiles of Pyroscope (1.0 and later).

Speaks Connect to querier.v1.QuerierService, as its own pages do. Pyroscope adds up all profiles of a span of time; so
a snapshot is the second in which one was taken.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from oakum.collect.history.messages import inner, message, number, text
from oakum.collect.history.profiles import Kind, ProfilesTarget, Track, kind_of, open_store
from oakum.collect.history.selector import Selector
from oakum.collect.history.word import read
from oakum.collect.target import CaptureOptions
from oakum.collect.web import Access, HttpEndpoint
from oakum.model import Buffer, Text

_SERVICE = "/querier.v1.QuerierService/"
_SECONDS = 30.0
_MOST = 32 << 20  # an answer that lists profiles
_STEP = 15.0  # seconds; as often as its clients send
# What tells one process from another; labels that a program gives its samples are none of these.
_NAMES = (
    "service_name", "cluster", "namespace", "pod", "container", "instance", "hostname", "host", "node",
    "service_instance_id",
)  # fmt: skip
# One process sends that often in two steps; more are several, and a snapshot is of one, the next of another.
_CROWDED = 5
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def open(word: str, access: Access) -> list[ProfilesTarget]:
    """Return the processes that a word selects; asks which there are."""
    said = read(word)
    return open_store(Pyroscope(HttpEndpoint(said.base, access, explain=_refusal)), said)


class Pyroscope(Struct, eq=False, dict=True):
    """A Pyroscope server, or Grafana's cloud."""

    endpoint: HttpEndpoint
    ending: str = ".pb"
    _told: bool = False

    def kinds(self, since: datetime, until: datetime) -> list[Kind]:
        answer = self._call("ProfileTypes", message((1, _stamp(since)), (2, _stamp(until))))
        kinds = [kind_of(text(one, 1), text(one, 2), text(one, 4), text(one, 5)) for one in inner(answer, 1)]
        return [kind for kind in kinds if kind is not None]

    def tracks(self, kind: Kind, match: Selector, since: datetime, until: datetime) -> list[Track]:
        """Return the processes that fit, and when there are profiles of them, to within a step."""
        names = self._names(match, since, until)
        tracks = []
        for labels, points in self._series(kind, match, names, since, until, _STEP):
            tracks.append(Track(labels, tuple(sorted(points))))
        return tracks

    def profile(self, kind: Kind, match: Selector, at: datetime, options: CaptureOptions) -> tuple[Buffer, bool]:
        """Return the profile of a snapshot: that of the last second in the step in which there is one."""
        step = timedelta(seconds=_STEP)
        seconds = [at for _, points in self._series(kind, match, (), at - step, at + step, 1.0) for at in points]
        near = max((one for one in seconds if one <= at), default=min(seconds, default=None))
        if near is None:
            return b"", False
        crowded = len(set(seconds)) > _CROWDED and not self._told
        self._told = self._told or crowded
        # A point stands for the second up to it.
        since = near - timedelta(milliseconds=999)
        asked = message((1, kind.id), (2, str(match)), (3, _stamp(since)), (4, _stamp(near)))
        return self._call("SelectMergeProfile", asked, options.seconds, options.most), crowded

    def existing(self, since: datetime, until: datetime) -> Mapping[str, Sequence[str]]:
        window = ((3, _stamp(since)), (4, _stamp(until)))
        found = {}
        for name in ("service_name", "namespace", "pod"):
            values = inner(self._call("LabelValues", message((1, name), *window)), 1)
            if some := sorted(value.decode("utf-8", "replace") for value in values if value):
                found[name] = some
        return found

    def _names(self, match: Selector, since: datetime, until: datetime) -> tuple[str, ...]:
        """Return which labels that tell processes apart there are."""
        asked = message((1, str(match)), (2, _stamp(since)), (3, _stamp(until)))
        there = {value.decode("utf-8", "replace") for value in inner(self._call("LabelNames", asked), 1)}
        return tuple(name for name in _NAMES if name in there)

    def _series(
        self, kind: Kind, match: Selector, names: Sequence[str], since: datetime, until: datetime, step: float
    ) -> list[tuple[dict[str, str], list[datetime]]]:
        asked = message(
            (1, kind.id), (2, str(match)), (3, _stamp(since)), (4, _stamp(until)), *((5, name) for name in names),
            (6, step),
        )  # fmt: skip
        found = []
        for series in inner(self._call("SelectSeries", asked), 1):
            labels = {text(one, 1): text(one, 2) for one in inner(series, 1)}
            stamps = [number(point, 2) for point in inner(series, 2)]
            times = [_EPOCH + timedelta(milliseconds=stamp) for stamp in stamps if 0 < stamp < 1 << 44]
            found.append(({name: value for name, value in labels.items() if value}, times))
        return found

    def _call(self, method: str, asked: bytes, seconds: float = _SECONDS, most: int = _MOST) -> bytes:
        path = f"{_SERVICE}{method}"
        answer = self.endpoint.post(path, asked, "application/proto", seconds=seconds, most=most)
        if not answer.good or answer.cut:
            raise self.endpoint.failure(path, answer.fault)
        if answer.page or "proto" not in answer.headers.get("content-type", ""):
            page = answer.page or Text("history.something")
            raise self.endpoint.failure(path, Text("history.other", {"name": "Pyroscope", "page": page}))
        return bytes(answer.data)


def _refusal(status: int, path: str, body: bytes) -> Text | None:
    """{"code":"unauthenticated","message":"no org id"}; of a part of it, the same again as message"""
    del path
    if status == 404:
        return Text("history.no-pyroscope")
    said = _server_message(body.decode("utf-8", "replace"))
    if "org id" in said:
        return Text("history.tenants", {"status": str(status), "said": said})
    return Text("history.status-says", {"status": str(status), "name": "Pyroscope", "said": said}) if said else None


def _server_message(text: str, again: int = 2) -> str:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    said = told.get("message") if isinstance(told, dict) else None
    if not isinstance(said, str):
        return ""
    inner_said = _server_message(said, again - 1) if again and said.startswith("{") else ""
    return inner_said or "".join(char for char in said[:300] if char.isprintable())


def _stamp(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(milliseconds=1)
