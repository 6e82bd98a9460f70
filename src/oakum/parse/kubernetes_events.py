"""Events and pods of a cluster, as `kubectl get events -o json` or `-o yaml` prints them -> dated events.

In: a List or EventList, or one object, as JSON or YAML. Out: one reading of kind "log". Of pods, how their containers
ended last. Refuses lists of anything else, and what is larger than such a list gets.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import numpy as np

from oakum.model import Buffer, Reading
from oakum.model.signals import EventKind, Log, Tally
from oakum.parse.limits import Limits
from oakum.parse.logs import stamps
from oakum.parse.plain_json import MOST, begins, documents, each, inside, text_of
from oakum.regex import regex

_HEAD = 16 << 10
# "apiVersion: v1", then "items:"
_YAML = regex(
    rb"\A(?:---\n|#[^\n]*\n){0,20}(?:apiVersion: (?:v1|events\.k8s\.io/v1)|items:|kind: (?:EventList|List))\r?\n"
)
_KIND = regex(rb"\bkind\"?: ?\"?(?:Event|EventList|Pod|PodList)\b")
_EVENTS_MOST = 20_000
_TEXT_MOST = 300


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the events of a list, or nothing when this is none."""
    del limits  # bounded by its size
    head = bytes(data[:_HEAD])
    json = begins(head)
    if len(data) > MOST or not _KIND.search(head) or not (json or _YAML.match(head)):
        return ()
    found = [event for one in (documents(data) if json else _yaml(bytes(data))) for event in _told(one)]
    if not found:
        return ()
    return (Reading(kind="log", format="kubernetes-events", log=Log(tuple(found[:_EVENTS_MOST]))),)


def _yaml(data: bytes) -> list[object]:
    import yaml  # takes longer to load than most lists to read

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return list(yaml.load_all(data, loader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return []


def _told(document: object) -> Iterator[Tally]:
    """Yield the events of a list or of one object."""
    if not isinstance(document, dict):
        return
    items = document.get("items")
    listed = text_of(document, "kind").removesuffix("List")  # the API server says it once for all of a list
    for one in each(items) if isinstance(items, list) else [document]:
        kind = text_of(one, "kind") or listed
        if kind == "Event":
            yield from _event(one)
        elif kind == "Pod":
            yield from _pod(one)


def _event(one: Mapping[str, object]) -> Iterator[Tally]:
    kind = _kind(text_of(one, "reason"))
    at = _time(inside(one, "series").get("lastObservedTime"), *(one.get(name) for name in _TIMES))
    if kind is None or at is None:
        return
    about = inside(one, "involvedObject") or inside(one, "regarding")
    count = one.get("count")
    said = f"{text_of(one, 'reason')}: {text_of(one, 'message', 'note')}"
    yield _tally(kind, at, about, said, count if isinstance(count, int) and 0 < count < 1 << 31 else 1)


_TIMES = ("lastTimestamp", "eventTime", "firstTimestamp")


def _pod(pod: Mapping[str, object]) -> Iterator[Tally]:
    """Yield how the containers of a pod ended."""
    for status in each(inside(pod, "status").get("containerStatuses")):
        for state in ("state", "lastState"):
            ended = inside(status, state, "terminated")
            at = _time(ended.get("finishedAt"))
            if at is not None:
                reason = text_of(ended, "reason")
                about = {**inside(pod, "metadata"), "container": text_of(status, "name")}
                said = f"{reason} (exit code {ended.get('exitCode')})"
                yield _tally(_kind(reason) or "restart", at, about, said, 1)


def _tally(kind: EventKind, at: float, about: Mapping[str, object], said: str, count: int) -> Tally:
    parts = (text_of(about, "namespace"), text_of(about, "name"), text_of(about, "container"))
    name = "/".join(part for part in parts if part)
    return Tally(
        kind, count, 1, np.array([at]), object=name[:_TEXT_MOST], text=said[:_TEXT_MOST], where=name[:_TEXT_MOST]
    )


def _kind(reason: str) -> EventKind | None:
    from oakum.knowledge.log_lines import log_lines  # only where there are events

    return next((kind for kind, reasons in log_lines().reasons.items() if reason in reasons), None)


def _time(*told: object) -> float | None:
    """Return the first that is a time; YAML has made one of it already."""
    for one in told:
        if isinstance(one, datetime):
            return (one if one.tzinfo else one.replace(tzinfo=UTC)).timestamp()
        if isinstance(one, str) and (at := stamps.parse_stamp(one)):
            return at.timestamp()
    return None
