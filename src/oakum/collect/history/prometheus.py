"""prometheus+http(s)://HOST[/prefix]?match=SELECTOR&last=6h&step=1m -> the processes that a Prometheus has scraped.

Each instance is a target of its own, and so are some others of the same job: a baseline may be among them. What
comes of one are the answers to its range queries, one after the other, in prometheus.json. Thanos, Mimir, Cortex and
VictoriaMetrics speak the same; their usual prefixes are tried.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct, field

from oakum.collect.history.answers import data_of, refusal
from oakum.collect.history.existing import nothing_fits, which_process
from oakum.collect.history.queries import CONTAINER_SIGN, PLACES, SIGNS, queries
from oakum.collect.history.selector import Selector, exactly
from oakum.collect.history.word import Word, in_words, read
from oakum.collect.target import CaptureOptions, LeftOut, Plan, Step, Taken
from oakum.collect.web import Access, HttpEndpoint
from oakum.model import Capture, Problem, Text, Unreachable, UsageError

# Where the API stands: Prometheus, behind a reverse proxy and in Mimir, VictoriaMetrics' cluster, Cortex.
_PREFIXES = ("", "/prometheus", "/select/0/prometheus", "/api/prom")
_MOST = 20  # instances that one word names
_OTHERS = 3
_POINTS = 240  # of a range; two days of it are as readable as two hours
_POINTS_MOST = 11_000  # Prometheus gives no more of one series
_BYTES_MOST = 16 << 20
_LOOK_BACK = timedelta(hours=24)
_SECONDS = 30.0


def open(word: str, access: Access) -> list["PrometheusTarget"]:
    """Return the processes that a word selects, and some others of their jobs; asks which there are."""
    said = read(word)
    if said.step and said.last and said.last / said.step > _POINTS_MOST:
        least = in_words(_least(said.last))
        raise UsageError(
            f"step={in_words(said.step)}: {math.floor(said.last / said.step):,} points, and Prometheus gives "
            f"{_POINTS_MOST:,} of a series; step={least} is the shortest"
        )
    endpoint = _endpoint(said, access)
    if said.match is None:
        raise UsageError(which_process(endpoint, said))
    chosen = _instances(endpoint, said.match, said.last)
    if not chosen:
        raise UsageError(nothing_fits(endpoint, said))
    more = len(chosen) - _MOST
    left = LeftOut(
        Text("plan.instances", {"count": more}), Text("plan.at-once", {"count": _MOST}), Text("plan.narrower")
    )
    targets = [PrometheusTarget(endpoint, said, one, False) for one in chosen[:_MOST]]
    if more > 0:
        targets[0].left_out.append(left)
    return [*targets, *_others(endpoint, said, chosen)]


def _endpoint(said: Word, access: Access) -> HttpEndpoint:
    """Return the endpoint behind which the API answers; where none does, the one that was named."""
    plain = HttpEndpoint(said.base, access, explain=refusal)
    for prefix in _PREFIXES:
        endpoint = plain.under(prefix) if prefix else plain
        answer = endpoint.get("/api/v1/query", {"query": "vector(1)"}, seconds=_SECONDS, most=1 << 20)
        if answer.status != 404 and not (answer.good and data_of(answer.data)[0] is None):
            if not answer.good:
                raise endpoint.failure("/api/v1/query", answer.fault)
            return endpoint
    raise plain.failure("", Text("history.no-prometheus"))


def _instances(endpoint: HttpEndpoint, match: Selector, last: timedelta | None) -> list[dict[str, str]]:
    """Return the labels of each process that fits, in the order of their names; after them, containers without one.

    Of job="kubelet" nobody means the containers of all nodes: they count where pods are named, or nothing else fits.
    """
    own: dict[tuple[str, ...], dict[str, str]] = {}
    for labels in _series(endpoint, match, last, "|".join(SIGNS)):
        if labels.get("instance") or labels.get("job") or labels.get("pod"):
            kept = {n: labels[n] for n in PLACES if labels.get(n)}
            own.setdefault(tuple(kept.values()), kept)
    found = [own[key] for key in sorted(own)]
    if own and not any(name in ("pod", "container") for name, _, _ in match.matchers):
        return found
    scraped = {(one.get("namespace"), one.get("pod")) for one in found}
    containers: dict[tuple[str, ...], dict[str, str]] = {}
    for labels in _series(endpoint, match, last, CONTAINER_SIGN):
        # A pod as a whole, and what holds its network, are no process; job and instance are the kubelet's.
        inside = labels.get("pod") and labels.get("container") not in (None, "", "POD")
        if inside and (labels.get("namespace"), labels["pod"]) not in scraped:
            kept = {n: labels[n] for n in ("cluster", "namespace", "pod", "container") if labels.get(n)}
            containers.setdefault(tuple(kept.values()), kept)
    return found + [containers[key] for key in sorted(containers)]


def _series(endpoint: HttpEndpoint, match: Selector, last: timedelta | None, names: str) -> list[dict[str, str]]:
    """Return the labels of the series that fit and have one of these names."""
    now = datetime.now(UTC)
    span = max(last or _LOOK_BACK, _LOOK_BACK)
    query = {"match[]": str(match.also(("__name__", "=~", names))), "start": _stamp(now - span), "end": _stamp(now)}
    answer = endpoint.get("/api/v1/series", query, seconds=_SECONDS, most=_BYTES_MOST)
    if answer.status == 400:
        raise UsageError(f"match={match}: {(answer.why or answer.fault).args.get('said', answer.status)}")
    if not answer.good or answer.cut:
        raise endpoint.failure("/api/v1/series", answer.fault)
    data, _ = data_of(answer.data)
    found = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    return [{name: value for name, value in one.items() if isinstance(value, str)} for one in found]


def _others(endpoint: HttpEndpoint, said: Word, chosen: Sequence[Mapping[str, str]]) -> list["PrometheusTarget"]:
    """Return targets for some other instances of the one job that was chosen; none where that cannot be told."""
    most = _OTHERS if said.others is None else said.others
    jobs = {(one.get("cluster", ""), one.get("job", "")) for one in chosen}
    if not most or len(jobs) != 1 or not chosen[0].get("job"):
        return []
    try:
        found = _instances(endpoint, exactly(chosen[0], ("cluster", "job")), said.last)
    except Unreachable:
        return []  # they would help, and nobody asked for them
    others = [one for one in found if one not in chosen and one.get("job")]
    return [PrometheusTarget(endpoint, said, one, True) for one in others[:most]]


class PrometheusTarget(Struct, eq=False, dict=True):
    endpoint: HttpEndpoint
    said: Word
    labels: Mapping[str, str]
    other: bool  # nobody asked for it: it is there to compare with
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Return the word that names it alone."""
        return f"prometheus+{self.endpoint.address}?match={exactly(self.labels, PLACES)}"

    @property
    def name(self) -> str:
        """Return what people call it: kubelet-n7:10250, shop-orders-7d4b9."""
        named = [self.labels.get(part, "") for part in ("job", "instance")]
        pod = [self.labels.get(part, "") for part in ("namespace", "pod", "container")]
        return "-".join(part for part in (named if self.labels.get("instance") else pod) if part)

    @property
    def process(self) -> str:
        """Return what is the same for two targets of one process."""
        return self.address

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Return the one thing to take: ranges of the past, as far back as was asked for."""
        del last
        span, step = self._range(options)
        if span / step > _POINTS_MOST:
            return Plan(problems=(_too_many(step, span),), once=True)
        told = "memory of the container" if self._of_a_container else "memory, goroutines, collections, starts, work"
        who = "of another instance, to compare with, " if self.other else ""
        what = f"{told} {who}in the last {in_words(span)}, every {in_words(step)}"
        remarks = tuple(getattr(self.endpoint, "remarks", ())) if snapshot == 1 else ()
        return Plan(
            (Step("prometheus.json", what, f"GET {self.endpoint.url('/api/v1/query_range')}"),),
            tuple(self.left_out),
            problems=remarks,
            once=True,
        )

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        """Ask every query; what one is refused, the others may still tell."""
        began = datetime.now(UTC)
        span, every = self._range(options)
        # All queries have the same times, and the same again within a step: answers can be cached.
        seconds = max(1, round(every.total_seconds()))
        end = int(began.timestamp()) // seconds * seconds
        start = end - int(span.total_seconds()) // seconds * seconds
        answers: list[bytes] = []
        problems: list[Problem] = []
        empty = True
        for name, query in queries(self.labels, self._of_a_container):
            asked = {"query": query, "start": str(start), "end": str(end), "step": str(seconds)}
            try:
                answer = self.endpoint.get(
                    "/api/v1/query_range", asked, seconds=options.seconds, most=min(options.most, _BYTES_MOST)
                )
            except Unreachable as error:
                problems.append(Problem.of("unreachable", error=error.text))
                break
            data, said = data_of(answer.data) if answer.good and not answer.cut else (None, ())
            if data is None:
                refused = Problem.of("refused.series", what=name, target=self.name, why=answer.fault)
                other = Problem.of("refused.not-prometheus", what=name, target=self.name)
                problems.append(refused if answer.why or answer.cut else other)
                continue
            problems += [Problem.of("warning.series", what=name, target=self.name, said=text) for text in said]
            empty = empty and not (isinstance(data, dict) and data.get("result"))
            answers.append(bytes(answer.data).strip())
        if answers and empty:
            problems.append(Problem.of("empty.scrapes", target=self.name, span=in_words(span)))
        url = self.endpoint.url("/api/v1/query_range")
        capture = Capture(url, b"\n".join(answers) + b"\n", began) if answers and not empty else None
        return Taken(step, capture, began, datetime.now(UTC), tuple(problems))

    def close(self) -> None:
        self.endpoint.close()

    @property
    def _of_a_container(self) -> bool:
        return not self.labels.get("instance") and not self.labels.get("job")

    def _range(self, options: CaptureOptions) -> tuple[timedelta, timedelta]:
        span = self.said.last or options.past
        step = self.said.step or timedelta(seconds=max(1, math.ceil(span.total_seconds() / _POINTS)))
        return span, step


def _least(span: timedelta) -> timedelta:
    return timedelta(seconds=math.ceil(span.total_seconds() / _POINTS_MOST))


def _too_many(step: timedelta, span: timedelta) -> Problem:
    return Problem.of(
        "too-many-points",
        step=in_words(step),
        span=in_words(span),
        points=math.floor(span / step),
        most=_POINTS_MOST,
        least=in_words(_least(span)),
        taken=_POINTS,
    )


def _stamp(at: datetime) -> str:
    return str(int(at.timestamp()))
