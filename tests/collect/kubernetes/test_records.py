"""Events and ends of containers: taken beside the captures, without secrets; on the time line of the diagnosis."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from collect.kubernetes.fake_api import FakeApi, api_server, program
from live_service import serving
from oakum.collect.kubernetes import targets
from oakum.collect.target import CaptureOptions, Plan
from oakum.collect.web import Access
from oakum.report.words.lines import worded
from support import oakum

SECRET = "hunter2"
OWNER = {"kind": "ReplicaSet", "name": "cart-7d4b"}
EVENTS = "/api/v1/namespaces/shop/events"
KILLED = {
    "metadata": {"name": "a.18", "namespace": "shop"}, "reason": "BackOff", "message": "Back-off restarting main",
    "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "a"}, "count": 3,
    "lastTimestamp": "2026-11-16T07:59:59Z",
}  # fmt: skip
ENDED = {
    "reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-11-16T07:59:58Z", "message": f"password is {SECRET}",
}  # fmt: skip


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    with api_server() as fake:
        fake.pod(
            "a",
            metadata={"name": "a", "namespace": "shop", "ownerReferences": [OWNER]},
            spec={"containers": [{"name": "main", "env": [{"name": "KEY", "value": SECRET}]}]},
            status={
                "phase": "Running",
                "containerStatuses": [{"name": "main", "restartCount": 3, "lastState": {"terminated": ENDED}}],
            },
        )
        refused = {"kind": "Status", "message": "error trying to reach service: connect: connection refused"}
        fake.answers["/api/v1/namespaces/shop/pods/a:6060/proxy/debug/pprof/"] = (503, refused)
        fake.answers[EVENTS] = (200, {"kind": "EventList", "items": [KILLED]})
        yield fake


def planned(api: FakeApi, folder: Path) -> Plan:
    (target,) = targets.open("kube://pod/shop/a:6060", Access(kubeconfig=api.kubeconfig(folder)))
    with program() as (port, _):
        api.ports["a", 6060] = port
        try:
            return target.plan(CaptureOptions(seconds=20.0))
        finally:
            target.close()


def test_what_is_asked_is_bounded_and_about_the_pod_and_its_deployment(api: FakeApi, tmp_path: Path) -> None:
    plan = planned(api, tmp_path)
    asked = [parse_qs(urlsplit(one).query) for one in api.asked if urlsplit(one).path == EVENTS]
    assert [one["fieldSelector"] for one in asked] == [
        ["involvedObject.kind=Pod,involvedObject.name=a"],
        ["involvedObject.kind=Deployment,involvedObject.name=cart"],
    ]
    assert {one["limit"][0] for one in asked} == {"500"}
    (step,) = (one for one in plan.steps if one.file == "events.json")
    assert step.ask == f"kubectl get --raw '{EVENTS}'"


def test_who_may_not_read_events_captures_all_the_same(api: FakeApi, tmp_path: Path) -> None:
    words = 'User "jane" cannot list resource "events" in API group "" in the namespace "shop"'
    api.answers[EVENTS] = (403, {"kind": "Status", "code": 403, "message": f"events is forbidden: {words}"})
    plan = planned(api, tmp_path)
    assert not plan.problems
    assert not plan.advice  # the captures are what counts
    (left,) = (one for one in plan.left_out if one.what == "events.json")
    assert 'resources: ["events"], verbs: ["get", "list"]' in worded(left.why)
    assert "pod.json" in {step.file for step in plan.steps}


@pytest.mark.parametrize("nonsense", [b"", b"<html>", b"[]", b'{"items": 3}', b"[" * 100_000, b"{}"])
def test_nonsense_is_left_alone(api: FakeApi, tmp_path: Path, nonsense: bytes) -> None:
    api.answers[EVENTS] = (200, nonsense)
    assert "events.json" not in {step.file for step in planned(api, tmp_path).steps}


@pytest.mark.parametrize("redacted", [False, True])
def test_from_the_cluster_to_the_time_line(
    api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, redacted: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving() as service:
        api.ports["a", 6060] = int(service.url.rpartition(":")[2])
        taken = oakum(
            "capture", "kube://pod/shop/a:6060", "--kubeconfig", api.kubeconfig(tmp_path), "--snapshots", "2",
            "--every", "10ms", *(["--redact"] if redacted else []), "-o", "bundle",
        )  # fmt: skip
    assert taken.code == 0, taken.err
    assert not any(SECRET.encode() in path.read_bytes() for path in Path("bundle").rglob("*") if path.is_file())
    (events,) = Path("bundle").rglob("events.json")
    assert events.parent.name == "2"
    told = json.loads(oakum("diagnose", "--no-source", "--json", "bundle").out)
    found = [(one["kind"], one["at"]) for one in told["events"] if one["kind"] != "capture"]
    assert found == [("oom-kill", "2026-11-16T07:59:58Z"), ("restart", "2026-11-16T07:59:59Z")]
    assert all(one["process"] for one in told["events"])
