"""A pod that the kernel kills for its memory: what the API server still tells of it is kept, beside the new process."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from collect.kubernetes.fake_api import FakeApi, api_server
from fake_targets import FakeClock
from live_service import serving
from oakum.collect.target import CaptureOptions
from oakum.collect.web import Access
from oakum.store import open_reader
from oakum.watch.config import Config
from oakum.watch.discovery import Discovery, Named
from oakum.watch.log import Log
from oakum.watch.watcher import Watcher

NAME = "orders-7d9f5c5b9-x2k4l"
KILLED = {"reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-11-16T08:10:02Z"}
EVENT = {
    "metadata": {"name": f"{NAME}.1878b1c2d3e4f5a6", "namespace": "shop"}, "type": "Warning", "reason": "BackOff",
    "involvedObject": {"kind": "Pod", "name": NAME, "namespace": "shop"}, "count": 3,
    "message": "Back-off restarting failed container orders", "lastTimestamp": "2026-11-16T08:10:05Z",
}  # fmt: skip


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    with api_server() as fake:
        yield fake


def pod(api: FakeApi, started: str, restarts: int = 0) -> None:
    container: dict[str, object] = {
        "name": "orders", "image": "registry.example.com/orders:1.4.2", "restartCount": restarts,
        "state": {"running": {"startedAt": started}},
    }  # fmt: skip
    if restarts:
        container["lastState"] = {"terminated": KILLED}
    spec = {
        "name": "orders", "image": "registry.example.com/orders:1.4.2",
        "ports": [{"name": "pprof", "containerPort": 6060}], "resources": {"limits": {"memory": "256Mi"}},
    }  # fmt: skip
    one = api.pod(
        NAME,
        spec={"nodeName": "n1", "containers": [spec]},
        status={"phase": "Running", "podIP": "10.244.1.11", "containerStatuses": [container]},
    )
    api.pods("shop", one)


def test_how_a_killed_container_ended_is_kept(api: FakeApi, tmp_path: Path) -> None:
    clock, log = FakeClock(), io.StringIO()
    with serving() as service:
        api.ports[NAME, 6060] = int(service.url.rpartition(":")[2])
        api.answers["/api/v1/namespaces/shop/events"] = (200, {"items": [EVENT], "metadata": {}})
        pod(api, "2026-11-16T08:00:00Z")
        access = Access(kubeconfig=api.kubeconfig(tmp_path))
        watcher = Watcher(
            Config(store=tmp_path / "s", every=60.0),
            Discovery([Named(f"kube://pod/shop/{NAME}", access=access)]),
            CaptureOptions(seconds=10.0),
            Log(log),
            clock=clock.clock,
            spawn=lambda work, _: work(),
        )

        def looks(count: int) -> None:
            for _ in range(count):
                clock.passed += 70.0
                watcher.tick()
                watcher.tick()

        looks(3)
        assert watcher.snapshots >= 2, log.getvalue()
        pod(api, "2026-11-16T08:10:04Z", restarts=1)
        looks(3)
        (subject,) = watcher.subjects.values()
        kept = {name for one in watcher.evidence.rows(subject.key) if one.pinned for name, *_ in one.files}
        watcher.close()
    with open_reader(tmp_path / "s") as reader:
        told = {one.kind: json.loads(one.args) for one in reader.events("shop/orders")}
        assert "OOMKilled at 2026-11-16T08:10:02Z, exit code 137" in told["oom-kill"]["why"], told
        assert "restart" in told
        runs = reader.runs("shop/orders")
        assert [one.limit_bytes for one in runs] == [256 << 20, 256 << 20]
    assert {"events.json", "pod.json"} <= kept, "what is left of it is taken once, whatever the schedule"
