"""Which processes a Prometheus knows -> sentences for whoever named none, or one that is not there."""

from collections.abc import Mapping

from oakum.collect.history.answers import data_of
from oakum.collect.history.selector import quoted
from oakum.collect.history.word import Word
from oakum.collect.web import HttpEndpoint
from oakum.model import Unreachable

_SHOWN = 12
_SECONDS = 15.0


def which_process(endpoint: HttpEndpoint, said: Word) -> str:
    """Return what is said when nobody says which process is meant."""
    jobs = _values(endpoint, "count by (job) (go_goroutines)", "job")
    example = said.example(f"{{job={quoted(next(iter(jobs), 'orders'))}}}")
    there = f" It has Go processes of {_listed(jobs)}." if jobs else _NONE
    return f"prometheus+{said.shown}: match= says which process, such as {example}.{there}"


def nothing_fits(endpoint: HttpEndpoint, said: Word) -> str:
    """Return what is said when nothing fits, with what there is instead."""
    told = []
    for name in [name for name, _, _ in said.match.matchers] if said.match else []:
        values = _values(endpoint, f"count by ({name}) (go_goroutines)", name)
        if values:
            told.append(f"{name} is {_listed(values)}")
    if not told and (jobs := _values(endpoint, "count by (job) (go_goroutines)", "job")):
        told.append(f"job is {_listed(jobs)}")
    there = f" Of Go processes, {'; '.join(told)}." if told else _NONE
    return f"prometheus+{said.shown}: nothing fits match={said.match} in the last day.{there}"


_NONE = " It has scraped no Go process lately: go_goroutines is unknown to it."


def _values(endpoint: HttpEndpoint, query: str, label: str) -> Mapping[str, int]:
    """Return the values of a label, and how many processes have each, the most first."""
    try:
        answer = endpoint.get("/api/v1/query", {"query": query}, seconds=_SECONDS, most=4 << 20)
    except Unreachable:
        return {}
    data, _ = data_of(answer.data) if answer.good else (None, ())
    found: dict[str, int] = {}
    result = data.get("result") if isinstance(data, dict) else None
    for one in result if isinstance(result, list) else []:
        metric, value = (one.get("metric"), one.get("value")) if isinstance(one, dict) else (None, None)
        name = metric.get(label) if isinstance(metric, dict) else None
        if isinstance(name, str) and name.isprintable():
            count = str(value[1]) if isinstance(value, list) and len(value) == 2 else ""
            found[name[:100]] = int(count) if count.isdecimal() else 1
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _listed(values: Mapping[str, int]) -> str:
    shown = [f"{name} ({count})" if count > 1 else name for name, count in list(values.items())[:_SHOWN]]
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return ", ".join(shown) + more
