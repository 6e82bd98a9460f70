"""kube:// words against a cluster that does what real ones seldom do: faults of port-forwards, several API servers."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from collect.kubernetes.fake_api import INDEX, TLS, FakeApi, api_server, program, proxy
from oakum.collect.kubernetes import targets
from oakum.collect.target import CaptureOptions, Plan, Target
from oakum.collect.web import Access
from oakum.model import Unreachable
from oakum.report.words.lines import error_line, problem_line, worded
from support import unreachable

OPTIONS = CaptureOptions(seconds=20.0)
SERVER = TLS / "server.crt"  # of the authority that the kubeconfig names
SELF_SIGNED = Path(__file__).parents[1] / "web" / "testdata" / "self-signed.pem"
BY_CERTIFICATE = {"client-certificate": str(TLS / "admin.crt"), "client-key": str(TLS / "admin.key")}
REFUSED = {
    "kind": "Status",
    "code": 503,
    "message": "error trying to reach service: dial tcp: connect: connection refused",
}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeApi]:
    with api_server() as fake:
        yield fake


@pytest.fixture
def api(server: FakeApi, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setattr("oakum.collect.kubernetes.forward._GRACE", 0.03)  # this runtime is quick
    server.forget()
    return server


def opened(
    word: str, api: FakeApi, folder: Path, user: Mapping[str, str] = MappingProxyType({}), **more: object
) -> list[Target]:
    return targets.open(word, Access(kubeconfig=api.kubeconfig(folder, **user), **more))  # type: ignore[arg-type]


def planned(target: Target) -> Plan:
    try:
        return target.plan(OPTIONS)
    finally:
        target.close()


def said(plan: Plan) -> str:
    return "\n".join(problem_line(problem) for problem in plan.problems)


def container(**more: object) -> dict[str, object]:
    return {"nodeName": "n1", "containers": [{"name": "main", "image": "shop/main:1", **more}]}


def test_a_server_on_the_loopback_of_a_pod_is_reached_by_a_forwarded_port(api: FakeApi, tmp_path: Path) -> None:
    api.pod("a", spec=container(ports=[{"containerPort": 6061, "name": "debug"}]))
    api.answers["/api/v1/namespaces/shop/pods/a:6061/proxy/debug/pprof/"] = (503, REFUSED)
    with program() as (port, shown):
        api.ports["a", 6061] = port
        (target,) = opened("kube://pod/shop/a", api, tmp_path)
        plan = target.plan(OPTIONS)
        assert not plan.problems
        assert plan.facts["goroutines"] == 3
        first = next(step for step in plan.steps if step.file == "goroutine.pb.gz")
        asked = "kubectl port-forward -n shop a 6061, then GET http://localhost:6061/debug/pprof/goroutine"
        assert first.ask == asked
        taken = target.take(first, OPTIONS)
        assert taken.capture is not None
        assert bytes(taken.capture.data).startswith(b"goroutine profile")
        assert taken.capture.origin == "kube://pod/shop/a/debug/pprof/goroutine"
        again = target.plan(OPTIONS, snapshot=2)  # the same way is used
        assert not again.problems
        target.close()
    assert set(shown) == {""}  # the credentials of the cluster are not for what runs in a pod
    assert set(api.tokens) == {"Bearer token-of-jane"}


def test_tls_behind_a_forwarded_port_is_found_out(api: FakeApi, tmp_path: Path) -> None:
    api.pod("a")
    api.answers["/api/v1/namespaces/shop/pods/a:7000/proxy/debug/pprof/"] = (503, REFUSED)
    with program(SERVER) as (port, shown):
        api.ports["a", 7000] = port
        plan = planned(opened("kube://pod/shop/a:7000", api, tmp_path)[0])
    assert plan.facts["goroutines"] == 3
    assert "https://localhost:7000/" in plan.steps[0].ask
    assert set(shown) == {""}


@pytest.mark.parametrize(
    ("leads", "words"),
    [
        (
            "failed to dial 7000: dial tcp4 127.0.0.1:7000: connect: connection refused",
            "port 7000: nothing listens inside",
        ),
        ("", "port 7000: nothing listens inside the pod"),  # closed at once, and nobody says why
        ("network namespace for sandbox is closed", "the pod has just ended"),
        ("exit status 1: socat not found", "port 7000 inside the pod: exit status 1: socat not found"),
    ],
)
def test_why_a_port_cannot_be_forwarded(api: FakeApi, tmp_path: Path, leads: str, words: str) -> None:
    api.pod("a")
    api.answers["/api/v1/namespaces/shop/pods/a:7000/proxy/debug/pprof/"] = (503, REFUSED)
    api.ports["a", 7000] = leads
    plan = planned(opened("kube://pod/shop/a:7000", api, tmp_path)[0])
    assert not plan.steps
    assert words in said(plan)


def test_no_place_for_a_socket(api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    api.pod("a")
    api.answers["/api/v1/namespaces/shop/pods/a:7000/proxy/debug/pprof/"] = (503, REFUSED)
    plan = planned(opened("kube://pod/shop/a:7000", api, tmp_path)[0])
    assert "no socket can be made there" in said(plan)
    assert not list(long.iterdir())


def test_neither_way_is_allowed(api: FakeApi, tmp_path: Path) -> None:
    api.pod("a")

    def forbidden(what: str) -> dict[str, object]:
        words = f'User "jane" cannot get resource "{what}" in API group "" in the namespace "shop"'
        return {"kind": "Status", "code": 403, "message": f'pods "a" is forbidden: {words}'}

    api.answers["/api/v1/namespaces/shop/pods/a:6060/proxy/debug/pprof/"] = (403, forbidden("pods/proxy"))
    api.answers["/api/v1/namespaces/shop/pods/a/portforward"] = (403, forbidden("pods/portforward"))
    plan = planned(opened("kube://pod/shop/a", api, tmp_path)[0])
    assert "may not get pods/proxy in namespace shop" in said(plan)
    assert 'resources: ["pods/portforward"], verbs: ["get", "create"]' in said(plan)
    assert 'resources: ["pods/proxy"]' in worded(plan.advice[0])
    assert len([path for path in api.asked if "6060" in path or "portforward" in path]) == 2  # no other port is tried


def test_the_usual_ports_of_a_pod_that_declares_none(api: FakeApi, tmp_path: Path) -> None:
    api.pod("a")
    with program() as (port, _):
        api.ports["a", 9090] = port
        for number in (6060, 8080, 9090):
            api.answers[f"/api/v1/namespaces/shop/pods/a:{number}/proxy/debug/pprof/"] = (503, REFUSED)
        plan = planned(opened("kube://pod/shop/a", api, tmp_path)[0])
    assert "localhost:9090" in plan.steps[0].ask


def test_https_behind_the_proxy_is_found_out(api: FakeApi, tmp_path: Path) -> None:
    api.pod("a", spec=container(ports=[{"containerPort": 7443, "name": "web"}]))
    place = "/api/v1/namespaces/shop/pods/{}a:7443/proxy/debug/pprof/"
    api.answers[place.format("")] = (400, b"Client sent an HTTP request to an HTTPS server.\n")
    api.answers[place.format("https:")] = (200, b"<html><a href='goroutine?debug=1'>goroutine</a></html>")
    plan = planned(opened("kube://pod/shop/a:web", api, tmp_path)[0])
    assert plan.steps[0].ask.startswith("kubectl get --raw '/api/v1/namespaces/shop/pods/https:a:7443/proxy/")


def test_a_port_of_no_container(api: FakeApi, tmp_path: Path) -> None:
    api.pod("a", spec=container(ports=[{"containerPort": 8080, "name": "http"}]))
    plan = planned(opened("kube://pod/shop/a:metrics", api, tmp_path)[0])
    assert "no container has a port of that name; there are http (8080)" in said(plan)


def test_how_a_pod_that_does_not_run_ended_is_kept(api: FakeApi, tmp_path: Path) -> None:
    ended = {"terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-11-16T07:59:58Z"}}
    waits = {"waiting": {"reason": "CrashLoopBackOff"}}
    container_status = {"name": "main", "restartCount": 9, "state": waits, "lastState": ended}
    status = {"phase": "Pending", "containerStatuses": [container_status]}
    spec = container(
        resources={"limits": {"memory": "256Mi"}},
        env=[{"name": "KEY", "value": "hunter2"}],
        args=["--password=hunter2"],
    )
    done = api.pod("job", status={"phase": "Succeeded"})
    api.pods("shop", done, api.pod("a", status=status, spec=spec, annotations={"k": "hunter2"}))
    (target,) = opened("kube://pod/shop", api, tmp_path)
    plan = planned(target)
    assert "main: waiting: CrashLoopBackOff (last state: OOMKilled at 2026-11-16T07:59:58Z, exit code 137)" in said(
        plan
    )
    assert "Also matching, but ended: 1 pod" in said(plan)
    assert plan.facts["containers"] == {
        "main": {
            "image": "shop/main:1",
            "restarts": 9,
            "state": "waiting: CrashLoopBackOff",
            "last state": "OOMKilled at 2026-11-16T07:59:58Z, exit code 137",
            "memory limit": "256Mi",
        }
    }
    assert "hunter2" not in repr(plan)


def test_nobody_matches(api: FakeApi, tmp_path: Path) -> None:
    api.pods("shop")
    with unreachable(r"no pod with the labels app=x in namespace shop \(of 0 there\)"):
        opened("kube://pod/shop", api, tmp_path, selector="app=x")
    api.pods("shop", api.pod("a", status={"phase": "Failed"}))
    with unreachable("1 pods with the labels app=x in namespace shop, and all have ended"):
        opened("kube://pod/shop", api, tmp_path, selector="app=x")


def test_each_of_several_api_servers_is_a_target(api: FakeApi, tmp_path: Path) -> None:
    static = [{"kind": "Node", "name": "n1"}]
    made = [
        api.pod(name, "kube-system", metadata={"name": name, "namespace": "kube-system", "ownerReferences": static})
        for name in ("kube-apiserver-n1", "kube-apiserver-n2")
    ]
    api.pods("kube-system", *made)
    with program(SERVER) as (port, shown):
        api.ports["kube-apiserver-n1", 6443] = api.ports["kube-apiserver-n2", 6443] = port
        found = opened("kube://component/kube-apiserver", api, tmp_path)
        assert [target.name for target in found] == ["kube-apiserver-n1", "kube-apiserver-n2"]
        assert len({target.process for target in found}) == 2
        plans = [planned(target) for target in found]
    # Its certificate has to be the API server's: the one of this program is not, and gets no token.
    assert "its certificate is for another name, not for 'kubernetes'" in said(plans[0])
    assert not shown


def test_scheduler_gets_our_credentials_and_a_namesake_does_not(api: FakeApi, tmp_path: Path) -> None:
    with program(SERVER) as (port, shown):
        for namespace, token in (("kube-system", "Bearer token-of-jane"), ("shop", "")):
            shown.clear()
            api.pods(namespace, api.pod("kube-scheduler-n1", namespace))
            api.ports["kube-scheduler-n1", 10259] = port
            (target,) = opened("kube://component/kube-scheduler", api, tmp_path, namespace=namespace)
            plan = planned(target)
            assert plan.facts["goroutines"] == 3
            assert set(shown) == {token}


def test_one_address_for_several_api_servers(api: FakeApi, tmp_path: Path) -> None:
    api.pods("kube-system")
    addresses = [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]
    api.answers["/api/v1/namespaces/default/endpoints/kubernetes"] = (200, {"subsets": [{"addresses": addresses}]})
    api.answers["/debug/pprof/"] = (200, b"<html><a href='goroutine?debug=1'>goroutine</a></html>")
    plan = planned(opened("kube://component/kube-apiserver", api, tmp_path)[0])
    assert "2 API servers are behind" in said(plan)
    assert plan.steps


def test_component_that_is_hidden(api: FakeApi, tmp_path: Path) -> None:
    api.pods("kube-system")
    with unreachable("a managed cluster keeps it from its users"):
        opened("kube://component/kube-scheduler", api, tmp_path)


def test_component_on_another_node(api: FakeApi, tmp_path: Path) -> None:
    api.pods("kube-system", api.pod("kube-scheduler-n1", "kube-system"))
    with unreachable("kube-scheduler/n9: it is not on that node; it is on n1"):
        opened("kube://component/kube-scheduler/n9", api, tmp_path)


def test_a_cluster_that_is_not_there(api: FakeApi, tmp_path: Path) -> None:
    path = Path(api.kubeconfig(tmp_path))
    path.write_text(path.read_text(encoding="utf-8").replace(api.address, "https://127.0.0.1:1"), encoding="utf-8")
    with unreachable(r"connection refused.*it is the API server of context fake of") as error:
        targets.open("kube://pod/shop", Access(kubeconfig=str(path)))
    assert "token-of-jane" not in error_line(error.value)
    plan = planned(targets.open("kube://pod/shop/a", Access(kubeconfig=str(path)))[0])
    assert len(plan.problems) == 1


def test_a_cluster_below_a_path_and_pprof_below_a_prefix(api: FakeApi, tmp_path: Path) -> None:
    api.below = "/k8s/clusters/c-1"
    api.pod("a")
    api.answers["/api/v1/namespaces/shop/pods/a:8080/proxy/debug/pprof/"] = (503, REFUSED)
    heap = b"heap profile: 0: 0 [0: 0] @ heap/1048576\n"
    with program(pages={"/shop/pprof/": INDEX, "/shop/pprof/heap": heap}) as (port, _):
        api.ports["a", 8080] = port
        (target,) = opened("kube://pod/shop/a:8080/shop/pprof", api, tmp_path)
        plan = planned(target)
    assert plan.facts["prefix"] == "/shop/pprof"
    assert all(path.startswith("/k8s/clusters/c-1/") for path in api.asked)


def test_a_program_without_pprof_is_told_with_its_ports(api: FakeApi, tmp_path: Path) -> None:
    api.pod("a", spec=container(ports=[{"containerPort": 8080, "name": "http"}]))
    metrics = b"# TYPE go_goroutines gauge\ngo_goroutines 7\n"
    api.answers["/api/v1/namespaces/shop/pods/a:8080/proxy/debug/pprof/"] = (404, b"404 page not found\n")
    api.answers["/api/v1/namespaces/shop/pods/a:8080/proxy/metrics"] = (200, metrics)
    for number in (6060, 9090, 8081, 2112, 8000, 3000, 6061):
        api.answers[f"/api/v1/namespaces/shop/pods/a:{number}/proxy/debug/pprof/"] = (503, REFUSED)
    plan = planned(opened("kube://pod/shop/a", api, tmp_path)[0])
    assert [step.file for step in plan.steps] == ["metrics.txt"]
    assert "ports 6060, 9090, 8081, 2112, 8000, 3000, 6061: nothing listens inside the pod" in said(plan)


def node(api: FakeApi, port: int) -> None:
    endpoint = {"kubeletEndpoint": {"Port": port}}
    status = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}], "daemonEndpoints": endpoint}
    api.answers["/api/v1/nodes/n1"] = (200, {"metadata": {"name": "n1"}, "status": status})
    gone = {"kind": "Status", "code": 502, "message": "error dialing backend: No agent available"}
    api.answers["/api/v1/nodes/n1/proxy/debug/pprof/"] = (502, gone)


@pytest.mark.parametrize("word", ["kube://node/n1", "kube://node/n1:{port}"])
def test_a_kubelet_is_entered_directly_where_the_proxy_does_not_lead_to_it(
    api: FakeApi, tmp_path: Path, word: str
) -> None:
    with program(SERVER) as (port, shown):
        node(api, port)
        plan = planned(opened(word.format(port=port), api, tmp_path)[0])
    assert plan.facts["goroutines"] == 3
    assert plan.steps[0].ask.startswith(f"GET https://127.0.0.1:{port}/")
    assert set(shown) == {"Bearer token-of-jane"}
    assert ("No agent available" in said(plan)) is ("{" not in word)


def test_a_kubelet_that_anybody_could_be_gets_no_token(api: FakeApi, tmp_path: Path) -> None:
    with program(SELF_SIGNED) as (port, shown):
        node(api, port)
        plan = planned(opened("kube://node/n1", api, tmp_path)[0])
        assert not plan.steps
        assert "no token is sent to a kubelet whose certificate cannot be checked" in said(plan)
        assert not shown
        (tmp_path / "admin").mkdir()
        plan = planned(opened("kube://node/n1", api, tmp_path / "admin", BY_CERTIFICATE)[0])
        assert plan.facts["goroutines"] == 3
        assert "was not checked" in said(plan)
        assert set(shown) == {""}
        plan = planned(opened("kube://node/n1", api, tmp_path, tls_ca=str(SELF_SIGNED))[0])
        assert plan.facts["goroutines"] == 3
        assert shown[-1] == "Bearer token-of-jane"


def test_a_port_is_forwarded_through_the_proxy_of_the_kubeconfig(api: FakeApi, tmp_path: Path) -> None:
    api.pod("a")
    api.answers["/api/v1/namespaces/shop/pods/a:7000/proxy/debug/pprof/"] = (503, REFUSED)
    with program() as (port, _), proxy() as (before, asked):
        api.ports["a", 7000] = port
        api.proxy = f"http://ann:hunter2@127.0.0.1:{before}"
        plan = planned(opened("kube://pod/shop/a:7000", api, tmp_path)[0])
    assert plan.facts["goroutines"] == 3
    assert asked.count("Proxy-Authorization: Basic YW5uOmh1bnRlcjI=") > 1
    assert "hunter2" not in repr(plan)


@pytest.mark.parametrize("body", [b"<html>login</html>", b"[]", b'{"items": 3}', b"[" * 100_000])
def test_what_answers_is_no_api_server(api: FakeApi, tmp_path: Path, body: bytes) -> None:
    api.answers["/api/v1/namespaces/shop/pods"] = (200, body)
    with pytest.raises(Unreachable):
        opened("kube://pod/shop", api, tmp_path)


def test_pods_that_are_none(api: FakeApi, tmp_path: Path) -> None:
    api.answers["/api/v1/namespaces/shop/pods"] = (200, {"items": [3, {}], "metadata": []})
    for target in opened("kube://pod/shop", api, tmp_path):
        assert planned(target).problems
