"""parca+http(s)://HOST:7070?match={job="orders"}&last=6h -> past profiles of Parca, by the calls of its own pages.

Parca's pages speak grpc-web to parca.query.v1alpha1.QueryService; its REST gateway answers in few releases.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from oakum.collect.history.messages import failure, fields, framed, inner, message, number, text, unframed
from oakum.collect.history.profiles import Kind, ProfilesTarget, Track, kind_of, open_store
from oakum.collect.history.selector import Selector
from oakum.collect.history.word import read
from oakum.collect.target import CaptureOptions
from oakum.collect.web import Access, HttpEndpoint
from oakum.model import Buffer, Text

_SERVICE = "/api/parca.query.v1alpha1.QueryService/"
_PPROF = 1  # REPORT_TYPE_PPROF
_NOT_FOUND = "5"  # "No data found for the query"
_SECONDS = 30.0
_MOST = 32 << 20  # an answer that lists profiles
_NAMES = ("job", "instance", "namespace", "pod", "container", "node", "comm")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def open(word: str, access: Access) -> list[ProfilesTarget]:
    """Return the processes that a word selects; asks which there are."""
    said = read(word)
    return open_store(Parca(HttpEndpoint(said.base, access)), said)


class Parca(Struct, eq=False, dict=True):
    endpoint: HttpEndpoint
    ending: str = ".pb.gz"

    def kinds(self, since: datetime, until: datetime) -> list[Kind]:
        """Return which of the profiles that tell of leaks it has; deltas are no state."""
        del since, until
        found = []
        for one in inner(self._call("ProfileTypes", b""), 1):
            parts = [text(one, part) for part in range(1, 6)]
            kind = kind_of(":".join(parts), parts[0], parts[1], parts[2])
            if kind is not None and not number(one, 6):
                found.append(kind)
        return found

    def tracks(self, kind: Kind, match: Selector, since: datetime, until: datetime) -> list[Track]:
        asked = message((1, f"{kind.id}{match}"), (2, _stamp(since)), (3, _stamp(until)))
        tracks = []
        for series in inner(self._call("QueryRange", asked), 1):
            labels = {text(one, 1): text(one, 2) for found in inner(series, 1) for one in inner(found, 1)}
            stamps = [_at(stamp) for sample in inner(series, 2) for stamp in inner(sample, 1)]
            tracks.append(Track({n: v for n, v in labels.items() if n and v}, tuple(sorted(stamps))))
        return tracks

    def profile(self, kind: Kind, match: Selector, at: datetime, options: CaptureOptions) -> tuple[Buffer, bool]:
        """Return the profile of a snapshot: the pprof in the answer, as Parca packed it."""
        single = message((1, _stamp(at)), (2, f"{kind.id}{match}"))
        answer = self._call("Query", message((4, single), (5, _PPROF)), options.seconds, options.most)
        return next(inner(answer, 6), b""), False

    def existing(self, since: datetime, until: datetime) -> Mapping[str, Sequence[str]]:
        window = ((3, _stamp(since)), (4, _stamp(until)))
        found = {}
        for name in _NAMES:
            values = inner(self._call("Values", message((1, name), *window)), 1)
            if some := sorted(value.decode("utf-8", "replace") for value in values if value):
                found[name] = some
        return found

    def _call(self, method: str, asked: bytes, seconds: float = _SECONDS, most: int = _MOST) -> bytes:
        path = f"{_SERVICE}{method}"
        answer = self.endpoint.post(path, framed(asked), "application/grpc-web+proto", seconds=seconds, most=most)
        if answer.status == 404:
            raise self.endpoint.failure(path, Text("history.no-parca"))
        if not answer.good or answer.cut:
            raise self.endpoint.failure(path, answer.fault)
        if not answer.headers.get("content-type", "").startswith("application/grpc"):
            page = answer.page or Text("history.something")
            raise self.endpoint.failure(path, Text("history.other", {"name": "Parca", "page": page}))
        found, trailers = unframed(answer.data)
        status, said = failure(trailers or answer.headers)  # an answer without a body has them among its headers
        if status == _NOT_FOUND:
            return b""
        if said or (found is None and len(answer.data)):
            told = Text("history.says", {"name": "Parca", "said": said}) if said else Text("history.unreadable")
            raise self.endpoint.failure(path, told)
        return found or b""


def _stamp(at: datetime) -> bytes:
    span = at - _EPOCH
    return message((1, span // timedelta(seconds=1)), (2, span.microseconds * 1000))


def _at(stamp: bytes) -> datetime:
    told = dict(fields(stamp))
    seconds, nanos = told.get(1, 0), told.get(2, 0)
    whole = seconds if isinstance(seconds, int) and seconds < 1 << 34 else 0
    return _EPOCH + timedelta(seconds=whole, microseconds=(nanos if isinstance(nanos, int) else 0) // 1000)
