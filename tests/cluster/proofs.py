"""What is proved against a real cluster, by the command line; run by tests/cluster/run.py, inside the cluster's network."""

import json
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster.world import CONTROL, PODS, SECRET
from support import Answer
from support import oakum_process as oakum

FOLDER = Path(os.environ.get("OAKUM_CLUSTER", "."))
LEAKING = "cart-7d4b9c6f5d-x2x7p"


def capture(user: str, out: Path, *words: str) -> Answer:
    """Capture as a user of the cluster."""
    config = FOLDER / f"{user}.kubeconfig"
    return oakum("capture", *words, "-o", out, "--kubeconfig", config, "--timeout", "20s")


def files(out: Path) -> dict[str, bytes]:
    """Return what the bundle holds, by the name of the file in its snapshot."""
    return {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.parametrize("user", ["admin", "reader", "plugin"])
def test_kubelet_through_the_api_server(user: str, tmp_path: Path) -> None:
    done = capture(user, tmp_path / "b", "kube://node/node-a")
    assert done.code == 0, done.err
    assert b"server.ListenAndServeKubeletServer" in files(tmp_path / "b")["goroutine.debug2.txt"]


def test_service_account_of_a_pod(tmp_path: Path) -> None:
    def capture_there(name: str, *words: str) -> Answer:
        there = {"KUBERNETES_SERVICE_HOST": CONTROL, "KUBERNETES_SERVICE_PORT": "6443"}
        return oakum("capture", *words, "-o", tmp_path / name, KUBECONFIG="", HOME=str(tmp_path), **there)

    done = capture_there("b", "kube://node/node-a", f"kube://pod/{LEAKING}:6060")
    assert done.code == 0, done.err
    refused = capture_there("c", "kube://pod/worker-0:6061")
    assert "user system:serviceaccount:shop:oakum may not get and create pods/portforward" in refused.err


@pytest.mark.parametrize("user", ["admin", "reader"])
def test_kubelet_directly(user: str, tmp_path: Path) -> None:
    done = capture(user, tmp_path / "b", "kube://node/node-a:10250")
    assert done.code == 0, done.err
    assert b"server.ListenAndServeKubeletServer" in files(tmp_path / "b")["goroutine.debug2.txt"]


@pytest.mark.parametrize("word", [f"kube://pod/shop/{LEAKING}", f"kube://pod/shop/{LEAKING}:pprof"])
@pytest.mark.parametrize("user", ["admin", "reader", "forwarder"])
def test_pod_by_proxy_or_by_forwarded_port(user: str, word: str, tmp_path: Path) -> None:
    done = capture(user, tmp_path / "b", word)
    assert done.code == 0, done.err
    assert files(tmp_path / "b")["goroutine.debug2.txt"].count(b"main.reserve.func1()") >= 40


@pytest.mark.parametrize("user", ["reader", "forwarder"])
def test_pod_that_speaks_tls(user: str, tmp_path: Path) -> None:
    done = capture(user, tmp_path / "b", "kube://pod/shop/checkout-5c8d7f9b6-k9k2z")
    assert done.code == 0, done.err
    assert files(tmp_path / "b")["goroutine.debug2.txt"].count(b"main.reserve.func1()") == 7


@pytest.mark.parametrize("user", ["admin", "forwarder"])
def test_server_on_the_loopback_of_a_pod(user: str, tmp_path: Path) -> None:
    done = capture(user, tmp_path / "b", "kube://pod/shop/worker-0")
    assert done.code == 0, done.err
    assert files(tmp_path / "b")["goroutine.debug2.txt"].count(b"main.reserve.func1()") == 12


@pytest.mark.parametrize(
    ("component", "mark"),
    [
        ("kube-apiserver", b"k8s.io/apiserver/pkg/"),
        ("kube-scheduler", b"k8s.io/kubernetes/pkg/scheduler"),
        ("kube-controller-manager", b"k8s.io/kubernetes/pkg/controller/"),
    ],
)
def test_component_of_the_control_plane(component: str, mark: bytes, tmp_path: Path) -> None:
    done = capture("admin", tmp_path / "b", f"kube://component/{component}")
    assert done.code == 0, done.err
    found = files(tmp_path / "b")
    assert mark in found["goroutine.debug2.txt"]
    assert {"heap.pb.gz", "goroutine.pb.gz", "metrics.txt"} <= set(found)


def test_etcd_without_its_certificate_gives_metrics_and_says_what_it_needs(tmp_path: Path) -> None:
    done = capture("admin", tmp_path / "b", "kube://component/etcd")
    assert "--tls-cert" in done.out or "-tls_cert" in done.out
    assert b"etcd_server_has_leader" in files(tmp_path / "b")["metrics.txt"]


def test_etcd_with_a_certificate_of_its_authority(tmp_path: Path) -> None:
    names = (("ca", "ca.crt"), ("cert", "admin.crt"), ("key", "admin.key"))
    done = capture(
        "admin", tmp_path / "b", "kube://component/etcd", *(f"--tls-{kind}={FOLDER / name}" for kind, name in names)
    )
    assert done.code == 0, done.err
    assert b"go.etcd.io/etcd/server/v3/etcdserver" in files(tmp_path / "b")["goroutine.debug2.txt"]


def test_many_pods_of_all_namespaces_and_a_pending_one(tmp_path: Path) -> None:
    done = capture("reader", tmp_path / "b", "kube://pod", "-A", "-l", "app=cart")
    assert done.code == 0, done.err
    assert "new-0 is Pending" in done.out
    manifest = json.loads((tmp_path / "b" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["schema"] == "oakum.bundle/1"
    assert len(list((tmp_path / "b").rglob("goroutine.debug2.txt"))) == 3


def test_all_nodes_at_once_lose_nothing_by_the_dead_one(tmp_path: Path) -> None:
    done = capture("reader", tmp_path / "b", "kube://node")
    assert len(list((tmp_path / "b").rglob("goroutine.debug2.txt"))) == 1
    assert len(list((tmp_path / "b").rglob("metrics.txt"))) == 2
    assert "node-c" in done.out


@pytest.mark.parametrize(
    ("user", "word", "words"),
    [
        ("stranger", "kube://node/node-a", ["401"]),
        ("looker", "kube://node/node-a", ['resources: ["nodes/proxy"], verbs: ["get"]', "kubectl auth can-i get nodes --subresource=proxy"]),
        ("looker", "kube://node/node-a:10250", ['resources: ["nodes/proxy"], verbs: ["get"]']),
        ("looker", f"kube://pod/shop/{LEAKING}", ['resources: ["pods/proxy"], verbs: ["get"]']),
        ("looker", "kube://component/kube-apiserver", ['nonResourceURLs: ["/debug/pprof", "/debug/pprof/*"]']),
        ("looker", "kube://component/kube-scheduler", ['resources: ["pods/portforward"], verbs: ["get", "create"]']),
        ("reader", "kube://pod/shop/worker-0", ['resources: ["pods/portforward"], verbs: ["get", "create"]']),
        ("nobody", "kube://pod/shop", ['resources: ["pods"]', '"list"']),
        ("reader", "kube://node/node-x", ["node-a, node-b, node-c"]),
        ("reader", "kube://node/node-c", ["connection refused"]),
        ("admin", "kube://pod/shop/dead-0:6060", ["nothing listens"]),
        ("admin", "kube://pod/shop/new-0", ["Pending"]),
        ("admin", "kube://pod/shop/cart", [LEAKING]),
        ("admin", "kube://component/coredns", ["no pod in kube-system"]),
    ],
)  # fmt: skip
def test_refusal_says_what_to_do(user: str, word: str, words: list[str], tmp_path: Path) -> None:
    done = capture(user, tmp_path / "b", word)
    assert done.code == 4, done.err
    for said in words:
        assert said in done.err


def test_dry_run_takes_nothing(tmp_path: Path) -> None:
    done = capture("reader", tmp_path / "b", f"kube://pod/shop/{LEAKING}", "--dry-run")
    assert done.code == 0, done.err
    assert "/api/v1/namespaces/shop/pods/" in done.out
    assert not (tmp_path / "b").exists()


def test_no_secret_is_in_a_bundle_or_in_words(tmp_path: Path) -> None:
    rows = (FOLDER / "tokens.csv").read_text(encoding="utf-8").splitlines()
    secrets = [row.split(",")[0].encode() for row in rows] + [SECRET.encode(), b"PRIVATE KEY", b"Bearer "]
    said = b""
    for number, (user, word) in enumerate([("reader", "kube://node/node-a"), ("admin", f"kube://pod/shop/{LEAKING}"), ("plugin", "kube://pod/shop/worker-0")]):  # fmt: skip
        done = capture(user, tmp_path / str(number), word)
        said += done.out.encode() + done.err.encode()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in secrets:
        assert secret not in said + kept


@contextmanager
def customers(address: str) -> Iterator[None]:
    """Let customers order, and leave before the answer, as long as this lasts."""
    over = threading.Event()

    def order() -> None:
        while not over.is_set():
            try:
                with urllib.request.urlopen(f"http://{address}/order", timeout=60) as answer:
                    answer.read()
            except urllib.error.HTTPError as refused:
                refused.close()  # out of stock, as expected

    threads = [threading.Thread(target=order) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_leak_in_a_pod_is_found_from_a_series(tmp_path: Path) -> None:
    pod = next(pod for pod in PODS if pod.name == LEAKING)
    with customers(f"{pod.address}:{pod.listen}"):
        done = capture("reader", tmp_path / "b", f"kube://pod/shop/{LEAKING}", "--snapshots", "3", "--every", "2s")
    assert done.code == 0, done.err
    diagnosis = oakum("diagnose", tmp_path / "b")
    assert diagnosis.code == 1, diagnosis.out
    assert "main.reserve" in diagnosis.out


def test_diagnose_takes_the_same_words(tmp_path: Path) -> None:
    config = FOLDER / "reader.kubeconfig"
    diagnosis = oakum("diagnose", f"kube://pod/shop/{LEAKING}", "--kubeconfig", config)
    assert diagnosis.code in (1, 3), diagnosis.err
    assert "main.reserve" in diagnosis.out
