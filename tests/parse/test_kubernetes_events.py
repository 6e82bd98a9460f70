"""Events and pods as kubectl saves them, JSON and YAML alike -> dated events; other lists are not taken for them."""

import json
from datetime import UTC, datetime

import pytest
import yaml

from oakum.model import Capture
from oakum.model.signals import Tally
from oakum.parse import parse

KILLED = {
    "apiVersion": "v1", "kind": "Event", "reason": "OOMKilling", "message": "Memory cgroup out of memory", "count": 2,
    "lastTimestamp": "2026-11-16T02:41:03Z", "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "orders-7d"},
}  # fmt: skip
SCALED = {
    "apiVersion": "v1", "kind": "Event", "reason": "ScalingReplicaSet", "message": "Scaled up", "lastTimestamp": None,
    "eventTime": "2026-11-16T02:40:00.500000Z", "involvedObject": {"namespace": "shop", "name": "orders"},
}  # fmt: skip
POD = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": "orders-7d"},
    "status": {"containerStatuses": [
        {"name": "api", "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-11-16T02:41:03Z"}}}
    ]},
}  # fmt: skip


def told(document: object, how: str) -> tuple[Tally, ...]:
    text = json.dumps(document) if how == "json" else yaml.safe_dump(document)
    (reading,) = parse(Capture("events", text.encode()))
    assert (reading.kind, reading.format) == ("log", "kubernetes-events")
    assert reading.log is not None
    return reading.log.tallies


@pytest.mark.parametrize("how", ["json", "yaml"])
def test_a_list_of_events_is_dated_events(how: str) -> None:
    killed, scaled = told({"apiVersion": "v1", "kind": "List", "items": [KILLED, SCALED]}, how)
    assert (killed.kind, killed.total, killed.object) == ("oom-kill", 2, "shop/orders-7d")
    assert datetime.fromtimestamp(float(killed.times[0]), UTC) == datetime(2026, 11, 16, 2, 41, 3, tzinfo=UTC)
    assert (scaled.kind, scaled.object) == ("deploy", "shop/orders")


@pytest.mark.parametrize("how", ["json", "yaml"])
def test_a_pod_tells_how_its_containers_ended(how: str) -> None:
    (killed,) = told({"apiVersion": "v1", "kind": "List", "items": [POD]}, how)
    assert (killed.kind, killed.object) == ("oom-kill", "shop/orders-7d/api")


def test_lists_of_the_api_server_name_the_kind_once() -> None:
    """As `kubectl get --raw` prints them, several one after the other."""
    event, pod = (
        {key: value for key, value in one.items() if key not in ("kind", "apiVersion")} for one in (KILLED, POD)
    )
    lists = [{"kind": "EventList", "items": [event]}, {"kind": "PodList", "items": [pod]}]
    (reading,) = parse(Capture("events.json", "\n".join(map(json.dumps, lists)).encode()))
    assert reading.log is not None
    assert [one.kind for one in reading.log.tallies] == ["oom-kill", "oom-kill"]


@pytest.mark.parametrize(
    "other", [b'{"kind": "List", "items": [{"kind": "Event"}]}', b"apiVersion: v1\nkind: Pod\n: [", b"{"]
)
def test_what_is_no_list_of_events_is_not_taken_for_one(other: bytes) -> None:
    assert all(reading.format != "kubernetes-events" for reading in parse(Capture("x", other)))
