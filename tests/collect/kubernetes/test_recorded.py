"""The Kubernetes client against what a real API server, kubelet and pods answered; recorded by `make live-cluster`."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from collect.kubernetes.recorded_api import TLS, Live, Recording, serving
from oakum.cli import follow as cli_follow
from oakum.collect.kubernetes import targets
from oakum.collect.kubernetes.addresses import Addresses
from oakum.collect.process.peers import Followed
from oakum.collect.process.proc import Proc
from oakum.collect.target import CaptureOptions, Plan, Target
from oakum.collect.web import Access
from oakum.model import Capture
from oakum.parse import parse
from oakum.report.words.lines import problem_line, worded
from support import unreachable

LEAKING, HEALTHY = "cart-7d4b9c6f5d-x2x7p", "cart-7d4b9c6f5d-q8q4m"
DUMP = "goroutine.debug2.txt"
OPTIONS = CaptureOptions(seconds=20.0)


@dataclass(frozen=True)
class Cluster:
    """The API server, and a folder for kubeconfigs."""

    address: str
    folder: Path

    def access(self, user: str, **more: object) -> Access:
        """Return how a user enters: admin by certificate, plugin by a command that gives reader's token, others by token."""
        token = f"token-of-{user}"
        credential = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "status": {"token": "token-of-reader"},
        }
        shown: dict[str, object] = {"token": token}
        if user == "admin":
            shown = {"client-certificate": str(TLS / "admin.crt"), "client-key": str(TLS / "admin.key")}
        if user == "plugin":
            words = ["-c", f"print({json.dumps(credential)!r})"]
            call = {"apiVersion": "client.authentication.k8s.io/v1", "command": sys.executable, "args": words}
            shown = {"exec": {**call, "interactiveMode": "Never"}}
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "recorded", "cluster": {"server": self.address, "certificate-authority": str(TLS / "ca.crt")}}
            ],
            "users": [{"name": user, "user": shown}],
            "contexts": [{"name": "recorded", "context": {"cluster": "recorded", "user": user, "namespace": "shop"}}],
            "current-context": "recorded",
        }
        path = self.folder / f"{user}.kubeconfig"
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
        return Access(kubeconfig=str(path), **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = os.environ.get("OAKUM_CLUSTER")
    source = Live(Path(folder)) if folder else Recording()
    with serving(source) as address:
        yield Cluster(address, tmp_path_factory.mktemp("kubeconfigs"))
    if isinstance(source, Live):
        source.write()
    else:
        assert not source.missing, "make live-cluster records what the tests ask"


def one(word: str, access: Access) -> Target:
    found = targets.open(word, access)
    assert len(found) == 1
    return found[0]


def planned(word: str, access: Access) -> Plan:
    target = one(word, access)
    try:
        return target.plan(OPTIONS)
    finally:
        target.close()


def taken(target: Target, *files: str) -> dict[str, bytes]:
    """Plan, take the files (all, when none is named), and return them."""
    try:
        plan = target.plan(OPTIONS)
        assert not plan.problems
        found = {}
        for step in plan.steps:
            if not files or step.file in files:
                result = target.take(step, OPTIONS)
                assert not result.problems
                assert result.capture is not None
                found[step.file] = bytes(result.capture.data)
        return found
    finally:
        target.close()


def said(plan: Plan) -> str:
    return "\n".join(problem_line(problem) for problem in plan.problems)


def test_kubelet_through_the_node_proxy_by_certificate(cluster: Cluster) -> None:
    target = one("kube://node/node-a", cluster.access("admin"))
    plan = target.plan(OPTIONS)
    assert plan.facts["kubelet"] == "v1.36.3"
    assert plan.facts["memory"] == "16Gi"
    files = taken(target)
    assert b"pkg/kubelet/server.ListenAndServeKubeletServer" in files[DUMP]
    assert files["heap.pb.gz"].startswith(b"\x1f\x8b")
    assert b"go_goroutines" in files["metrics.txt"]


@pytest.mark.parametrize("user", ["reader", "plugin"])
def test_kubelet_by_token_and_by_plugin(cluster: Cluster, user: str) -> None:
    dump = taken(one("kube://node/node-a", cluster.access(user)), DUMP)[DUMP]
    assert b"pkg/kubelet/server.ListenAndServeKubeletServer" in dump


def test_unknown_token_is_401(cluster: Cluster) -> None:
    assert "401" in said(planned("kube://node/node-a", cluster.access("stranger")))


def test_node_proxy_refused_names_the_rule(cluster: Cluster) -> None:
    plan = planned("kube://node/node-a", cluster.access("looker"))
    assert "nodes/proxy" in said(plan)
    role = "\n".join(map(worded, plan.advice))
    assert "kind: ClusterRole" in role
    assert 'resources: ["nodes/proxy"], verbs: ["get"]' in role
    assert 'name: "looker"' in role


def test_node_without_profiling(cluster: Cluster) -> None:
    plan = planned("kube://node/node-b", cluster.access("reader"))
    assert "enableProfilingHandler" in said(plan)
    assert [step.file for step in plan.steps] == ["metrics.txt"]


def test_node_without_kubelet(cluster: Cluster) -> None:
    plan = planned("kube://node/node-c", cluster.access("reader"))
    assert "connection refused" in said(plan)
    assert plan.facts["ready"] is False


def test_no_such_node_names_those_that_are(cluster: Cluster) -> None:
    assert "node-a, node-b, node-c" in said(planned("kube://node/node-x", cluster.access("reader")))


def test_all_nodes(cluster: Cluster) -> None:
    found = targets.open("kube://node", cluster.access("reader"))
    assert [target.address for target in found] == [f"kube://node/node-{letter}" for letter in "abc"]
    chosen = cluster.access("reader", selector="node-role.kubernetes.io/control-plane")
    assert one("kube://node", chosen).address == "kube://node/node-a"


@pytest.mark.parametrize("port", ["", ":6060", ":pprof"])
def test_pod_through_the_pod_proxy(cluster: Cluster, port: str) -> None:
    target = one(f"kube://pod/shop/{LEAKING}{port}", cluster.access("reader"))
    plan = target.plan(OPTIONS)
    assert plan.facts["node"] == "node-b"
    container = plan.facts["containers"]["cart"]  # type: ignore[index]
    assert container["restarts"] == 3
    assert "OOMKilled at 2026-11-16T07:59:58Z" in container["last state"]
    assert container["memory limit"] == "256Mi"
    dump = taken(target)[DUMP]
    assert dump.count(b"main.reserve.func1()") == 40


def test_events_of_a_pod_and_how_its_containers_ended(cluster: Cluster) -> None:
    files = taken(one(f"kube://pod/shop/{LEAKING}", cluster.access("reader")), "events.json", "pod.json")
    events = [each for line in files["events.json"].splitlines() for each in json.loads(line)["items"]]
    assert [(each["involvedObject"]["name"], each["reason"]) for each in events] == [
        (LEAKING, "BackOff"), ("cart", "ScalingReplicaSet"),
    ]  # fmt: skip
    (state,) = json.loads(files["pod.json"])["status"]["containerStatuses"]
    assert state["lastState"]["terminated"]["reason"] == "OOMKilled"
    assert state["restartCount"] == 3


def test_events_of_a_node(cluster: Cluster) -> None:
    files = taken(one("kube://node/node-a", cluster.access("reader")), "events.json")
    assert [each["reason"] for each in json.loads(files["events.json"])["items"]] == ["SystemOOM"]


def test_nothing_happened_and_no_container_ended(cluster: Cluster) -> None:
    plan = planned("kube://pod/shop/checkout-5c8d7f9b6-k9k2z", cluster.access("reader"))
    assert not {"events.json", "pod.json"} & {step.file for step in plan.steps}


def test_events_are_asked_for_once_in_the_last_snapshot(cluster: Cluster) -> None:
    target = one(f"kube://pod/shop/{LEAKING}", cluster.access("reader"))
    try:
        first = target.plan(OPTIONS, 1, last=False)
        assert "events.json" not in {step.file for step in first.steps}
        assert "events.json" in {step.file for step in target.plan(OPTIONS, 2, last=True).steps}
    finally:
        target.close()


def test_pod_that_speaks_tls(cluster: Cluster) -> None:
    target = one("kube://pod/shop/checkout-5c8d7f9b6-k9k2z", cluster.access("reader"))
    assert taken(target, DUMP)[DUMP].count(b"main.reserve.func1()") == 7


def test_secrets_of_a_pod_are_nowhere(cluster: Cluster) -> None:
    target = one(f"kube://pod/shop/{LEAKING}", cluster.access("reader"))
    plan = target.plan(OPTIONS)
    taken(target)
    assert "hunter2" not in f"{plan!r} {target!r} {dict(plan.facts)}"


def test_selector_in_the_namespace_of_the_context(cluster: Cluster) -> None:
    found = targets.open("kube://pod", cluster.access("reader", selector="app=cart"))
    assert [target.address for target in found] == [
        f"kube://pod/shop/{HEALTHY}", f"kube://pod/shop/{LEAKING}", "kube://pod/shop/new-0",
    ]  # fmt: skip
    pending = found[-1].plan(OPTIONS)
    assert not pending.steps
    assert "shop/new-0 is Pending" in said(pending)


def test_selector_in_all_namespaces(cluster: Cluster) -> None:
    found = targets.open("kube://pod", cluster.access("reader", selector="app=cart", all_namespaces=True))
    assert len(found) == 4
    assert found[-1].address == "kube://pod/staging/cart-6f7c8d9b4-p5p8w"
    assert taken(found[-1], DUMP)[DUMP].startswith(b"goroutine ")


def test_selector_that_no_pod_has(cluster: Cluster) -> None:
    with unreachable(r"no pod with the labels app=none in namespace shop \(of 6 there\)"):
        targets.open("kube://pod", cluster.access("reader", selector="app=none"))


def test_dead_pod_is_503(cluster: Cluster) -> None:
    plan = planned("kube://pod/shop/dead-0:6060", cluster.access("reader"))
    assert not plan.steps
    assert "nothing listens" in said(plan)


def test_pod_refused_names_both_rules(cluster: Cluster) -> None:
    plan = planned(f"kube://pod/shop/{LEAKING}:6060", cluster.access("looker"))
    assert not plan.steps
    assert 'resources: ["pods/proxy"], verbs: ["get"]' in said(plan)
    assert 'resources: ["pods/portforward"], verbs: ["get", "create"]' in said(plan)
    assert 'resources: ["pods/proxy"], verbs: ["get"]' in "\n".join(map(worded, plan.advice))


def test_listing_refused_names_the_rule(cluster: Cluster) -> None:
    with unreachable(r'cannot|may not.*list.*pods.*"pods"'):
        targets.open("kube://pod", cluster.access("nobody", selector="app=cart"))


def test_api_server_itself(cluster: Cluster) -> None:
    target = one("kube://component/kube-apiserver", cluster.access("reader"))
    files = taken(target, "goroutine.pb.gz", "metrics.txt")
    assert files["goroutine.pb.gz"].startswith(b"\x1f\x8b")
    assert b"go_goroutines" in files["metrics.txt"]


def test_api_server_itself_refused_names_the_path(cluster: Cluster) -> None:
    plan = planned("kube://component/kube-apiserver", cluster.access("looker"))
    assert 'nonResourceURLs: ["/debug/pprof", "/debug/pprof/*"], verbs: ["get"]' in "\n".join(map(worded, plan.advice))


def test_nobody_is_told_what_is_missing(cluster: Cluster) -> None:
    assert "nodes/proxy" in said(planned("kube://node/node-a", cluster.access("nobody")))


def test_a_service_leads_to_its_pods(cluster: Cluster) -> None:
    service, *behind = targets.open("kube://service/shop/cart", cluster.access("reader"))
    assert sorted(target.address for target in behind) == [f"kube://pod/shop/{name}" for name in (HEALTHY, LEAKING)]
    for target in behind:
        target.close()
    data = taken(service)["routes.json"]
    assert b"hunter2" not in data
    (reading,) = parse(Capture("routes.json", data))
    assert reading.routes is not None
    route = reading.routes.behind("10.96.0.12:80")
    assert route is not None
    assert (route.service, sorted(route.pods)) == ("shop/cart", [f"shop/{name}" for name in (HEALTHY, LEAKING)])
    assert reading.routes.pod_at("10.244.1.11:8080") == f"shop/{LEAKING}"


def test_a_service_without_pods_is_no_target(cluster: Cluster) -> None:
    with unreachable("kube://service/default/kubernetes: no pod is behind it"):
        targets.open("kube://service/default/kubernetes", cluster.access("reader"))


@pytest.mark.parametrize(
    ("address", "word", "processes"),
    [
        ("10.96.0.12:80", "kube://service/shop/cart", 2),
        ("[::ffff:10.96.0.12]:6060", "kube://service/shop/cart", 2),
        ("10.96.0.12:81", "", 0),  # it has no such port
        ("127.0.0.1:30443", "kube://service/shop/checkout", 1),  # by its node port: nodes are played on loopback
        ("10.96.0.1:443", "kube://service/default/kubernetes", 0),
        ("10.244.1.13:8443", "kube://pod/shop/checkout-5c8d7f9b6-k9k2z", 1),
        ("127.0.0.1:9", "kube://node/node-a", 1),
        ("127.0.0.1:22", "", 0),
        ("10.240.0.4:10259", "", 0),  # several share this address
        ("192.0.2.7:443", "", 0),
        ("/run/x.sock", "", 0),
    ],
)
def test_who_is_at_an_address(cluster: Cluster, address: str, word: str, processes: int) -> None:
    found = Addresses(targets.cluster(cluster.access("reader"))).behind(address)
    assert (found and (found.word, found.processes)) == ((word, processes) if word else None)


def test_what_is_connected_to_a_service_is_followed_into_the_cluster(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [(Proc(os.getpid()), address) for address in ("10.96.0.12:80", "10.244.1.13:8443", "192.0.2.7:443")]
    monkeypatch.setattr(cli_follow, "follow", lambda _: Followed([], asked, [], more=False))
    words = (f"pid:{os.getpid()}",)
    opened = cli_follow.peers_of(words, cluster.access("reader", namespace="other", token="of-a-process"))
    assert [word for word, _ in opened] == ["kube://service/shop/cart", "kube://pod/shop/checkout-5c8d7f9b6-k9k2z"]
    found = [target for _, open_ in opened for target in open_()]
    assert len(found) == 4
    for target in found:
        target.close()
    told = capsys.readouterr().err
    assert "-> 10.96.0.12:80, Service shop/cart" in told
    assert "-> 192.0.2.7:443: no process of this machine or of the cluster" in told
    assert cli_follow.peers_of(words, cluster.access("looker")) == []
    told = capsys.readouterr().err
    assert "the cluster does not say who is at 10.96.0.12:80: " in told
    assert "services" in told
