"""Addresses of a cluster that are shared, Services with more pods than are captured, and the plan of what is followed."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from collect.kubernetes.fake_api import FakeApi, api_server, program
from oakum.cli import follow as cli_follow
from oakum.collect.kubernetes import targets
from oakum.collect.kubernetes.addresses import Addresses
from oakum.collect.process.peers import Followed
from oakum.collect.process.proc import Proc
from oakum.collect.target import CaptureOptions
from oakum.collect.web import Access
from oakum.report.words.lines import problem_line
from support import oakum

CART = {
    "metadata": {"namespace": "shop", "name": "cart"},
    "spec": {"clusterIP": "10.96.0.12", "ports": [{"port": 80, "targetPort": 8080}]},
}


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    with api_server() as fake:
        yield fake


def services(api: FakeApi, *pods: str) -> None:
    """Let there be a Service with these pods behind it."""
    endpoints = [
        {"addresses": [f"10.244.1.{at}"], "targetRef": {"kind": "Pod", "namespace": "shop", "name": pod}}
        for at, pod in enumerate(pods)
    ]
    labels = {"kubernetes.io/service-name": "cart"}
    slices = {"items": [{"metadata": {"namespace": "shop", "labels": labels}, "endpoints": endpoints, "ports": [3]}]}
    api.answers["/api/v1/services"] = (200, {"items": [CART, 3, {"spec": {"ports": [{"port": "x"}]}}]})
    api.answers["/api/v1/namespaces/shop/services/cart"] = (200, CART)
    api.answers["/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices"] = (200, slices)


def test_of_pods_that_share_the_address_of_their_node_the_port_tells_which(api: FakeApi, tmp_path: Path) -> None:
    def pod(name: str, port: int, phase: str = "Running") -> dict[str, object]:
        ports = {"ports": [{"containerPort": port}]}
        return api.pod(name, spec={"containers": [{"name": "main", **ports}]}, status={"phase": phase})

    node = {"metadata": {"name": "n1"}, "status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.4"}]}}
    api.answers["/api/v1/services"] = (200, {"items": []})
    api.answers["/api/v1/nodes"] = (200, {"items": [node]})
    pods = [pod("exporter", 9100), pod("proxy", 10256), pod("old", 9100, "Failed")]
    api.answers["/api/v1/pods"] = (200, {"items": pods})
    known = Addresses(targets.cluster(Access(kubeconfig=api.kubeconfig(tmp_path))))
    found = [known.behind(f"10.0.0.4:{port}") for port in (9100, 10256, 10250, 22)]
    assert [one and one.word for one in found] == [
        "kube://pod/shop/exporter", "kube://pod/shop/proxy", "kube://node/n1", None,
    ]  # fmt: skip


def test_so_many_pods_of_a_service_are_captured_and_the_rest_is_told(api: FakeApi, tmp_path: Path) -> None:
    services(api, *(f"cart-{number}" for number in range(20)))
    found = targets.open("kube://service/shop/cart", Access(kubeconfig=api.kubeconfig(tmp_path)))
    assert len(found) == 1 + targets.MOST_PODS
    assert "4 more pods" in problem_line(found[0].plan(CaptureOptions()).problems[0])


def test_the_plan_shows_what_would_be_captured_in_the_cluster(
    api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [(Proc(os.getpid()), "10.96.0.12:80")]
    monkeypatch.setattr(cli_follow, "follow", lambda _: Followed([], asked, [], more=False))
    monkeypatch.setattr("oakum.collect.kubernetes.forward._GRACE", 0.03)
    services(api, "cart-0")
    api.pod("cart-0", spec={"containers": [{"name": "main", "ports": [{"containerPort": 6060, "name": "pprof"}]}]})
    command = ("capture", f"pid:{os.getpid()}", "--follow", "--kubeconfig", api.kubeconfig(tmp_path), "--token", "mine")
    with program() as (port, _):
        api.ports["cart-0", 6060] = port
        told = oakum(*command, "--dry-run")
        assert "-> 10.96.0.12:80, Service shop/cart" in told.err
        assert "kubectl get -n shop service/cart" in told.out
        assert "kubectl port-forward -n shop cart-0 6060, then GET" in told.out
        oakum(*command, "-o", str(tmp_path / "bundle"))
    assert {path.name for path in (tmp_path / "bundle").iterdir()} >= {"shop_cart_service", "shop_cart-0"}
    assert "Bearer mine" not in api.tokens  # it was given for a process


def test_more_than_are_followed_are_named(
    api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [(Proc(os.getpid()), "10.96.0.12:80")]
    monkeypatch.setattr(cli_follow, "follow", lambda _: Followed([], asked, [], more=False))
    services(api, *(f"cart-{number}" for number in range(20)))
    assert cli_follow.peers_of((f"pid:{os.getpid()}",), Access(kubeconfig=api.kubeconfig(tmp_path))) == []
    assert "Service shop/cart has 20 pods, more than are followed" in capsys.readouterr().err
