"""A cluster that runs: etcd, kube-apiserver, scheduler, controllers, kubelets and pods, in a namespace made for it.

Comes in: the programs and an empty folder. Goes out: a `Cluster` with a kubeconfig for each user. Processes are started
in the folder and name their files relative to it, so that no path of the machine stands in what they tell of themselves.
"""

import json
import secrets
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpcore
import yaml

from cluster.certificates import make_authority, make_certificate
from cluster.programs import KUBERNETES
from cluster.world import (
    CONTROL,
    EVENTS,
    NODES,
    PODS,
    SERVICES,
    USERS,
    event_object,
    node_object,
    node_status,
    pod_object,
    pod_status,
    service_object,
)

_PATIENCE = 120.0  # seconds until a server answers; it takes ten on a machine with nothing else to do
_SERVER = f"https://{CONTROL}:6443"


@dataclass(frozen=True)
class Cluster:
    """A cluster that runs."""

    folder: Path  # kubeconfigs, certificates, logs; serviceaccount/ is what a pod with reader's rights would have
    server: str
    tokens: dict[str, str]  # of the users

    def kubeconfig(self, user: str) -> Path:
        """Return the kubeconfig of a user: admin (certificate), reader, looker ... (token), plugin (exec), stranger."""
        return self.folder / f"{user}.kubeconfig"


@contextmanager
def running(programs: Path, folder: Path) -> Iterator[Cluster]:
    """Run a cluster; on leaving, all its processes end."""
    for address in {*NODES.values(), *(pod.address for pod in PODS if pod.address)}:
        subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
    cluster = Cluster(folder, _SERVER, {user: secrets.token_hex(16) for user in USERS})
    _write_files(cluster)
    with ExitStack() as stack:

        def start(name: str, program: str, *flags: str) -> None:
            log = stack.enter_context((folder / f"{name}.log").open("wb"))
            process = subprocess.Popen(
                [program, *flags], executable=programs / program, cwd=folder, stdout=log, stderr=log
            )
            stack.callback(process.wait)
            stack.callback(process.kill)  # nothing here is worth an orderly end, which takes an API server a minute

        start("etcd", "etcd", *_ETCD)
        start("kube-apiserver", "kube-apiserver", *_API_SERVER)
        with closing(_Admin(folder)) as api:
            _await(api, "/readyz", folder)
            _fill(api, folder)
        start("kube-scheduler", "kube-scheduler", *_COMPONENT)
        # Of the controllers only harmless ones: the others would notice that no kubelet reports.
        some = "--controllers=namespace-controller,endpointslice-controller"
        start("kube-controller-manager", "kube-controller-manager", *_COMPONENT, some)
        for node, profiling in (("node-a", "true"), ("node-b", "false")):
            own = (f"--name={node}", f"--address={NODES[node]}", f"--enable-profiling={profiling}")
            start(node, "node", *own, *_KUBELET)
        for pod in PODS:
            if pod.listen:
                served = ["--cert=server.crt", "--key=server.key"] if pod.https else []
                start(pod.name, "pod", f"--listen={','.join(pod.addresses)}", f"--abandoned={pod.abandoned}", *served)
        with closing(_Admin(folder)) as api:
            for node in ("node-a", "node-b"):
                _await(api, f"/api/v1/nodes/{node}/proxy/healthz", folder)
            for pod in PODS:
                if pod.listen and not pod.loopback:
                    there = f"{'https:' if pod.https else ''}{pod.name}:{pod.listen}"
                    _await(api, f"/api/v1/namespaces/{pod.namespace}/pods/{there}/proxy/metrics", folder)
            for namespace, name, *_ in SERVICES:
                path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
                _await(api, f"{path}?labelSelector=kubernetes.io/service-name={name}", folder, b'"targetRef"')
        yield cluster


_ETCD = (
    "--name=node-a", "--data-dir=etcd", "--listen-client-urls=https://127.0.0.1:2379", f"--advertise-client-urls=https://{CONTROL}:2379",
    "--listen-peer-urls=http://127.0.0.1:2380", "--initial-advertise-peer-urls=http://127.0.0.1:2380", "--initial-cluster=node-a=http://127.0.0.1:2380",
    "--listen-metrics-urls=http://127.0.0.1:2381", "--client-cert-auth", "--trusted-ca-file=ca.crt", "--cert-file=server.crt", "--key-file=server.key",
    "--enable-pprof",
)  # fmt: skip
_API_SERVER = (
    "--etcd-servers=https://127.0.0.1:2379", "--etcd-cafile=ca.crt", "--etcd-certfile=admin.crt", "--etcd-keyfile=admin.key",
    "--secure-port=6443", "--bind-address=0.0.0.0", f"--advertise-address={CONTROL}", "--cert-dir=apiserver",
    "--tls-cert-file=server.crt", "--tls-private-key-file=server.key", "--client-ca-file=ca.crt", "--token-auth-file=tokens.csv",
    "--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=admin.crt",
    "--service-account-signing-key-file=admin.key", "--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=Node,RBAC",
    "--kubelet-certificate-authority=ca.crt", "--kubelet-client-certificate=kubelet-client.crt", "--kubelet-client-key=kubelet-client.key",
    "--kubelet-preferred-address-types=InternalIP", "--requestheader-client-ca-file=ca.crt", "--requestheader-allowed-names=front-proxy",
    "--proxy-client-cert-file=front-proxy.crt", "--proxy-client-key-file=front-proxy.key", "--requestheader-username-headers=X-Remote-User",
    "--disable-admission-plugins=ServiceAccount",
)  # fmt: skip
_COMPONENT = (
    "--bind-address=127.0.0.1", "--kubeconfig=admin.kubeconfig", "--authentication-kubeconfig=admin.kubeconfig",
    "--authorization-kubeconfig=admin.kubeconfig",
)  # fmt: skip
_KUBELET = (
    "--kubeconfig=admin.kubeconfig",
    "--client-ca-file=ca.crt",
    "--tls-cert-file=server.crt",
    "--tls-private-key-file=server.key",
)


def _write_files(cluster: Cluster) -> None:
    """Write certificates, tokens and kubeconfigs."""
    folder = cluster.folder
    make_authority(folder)
    addresses = ",".join(f"IP:{address}" for address in ("127.0.0.1", *NODES.values()))
    make_certificate(folder, "server", "/CN=kube-apiserver", f"{addresses},DNS:localhost,DNS:kubernetes")
    make_certificate(folder, "admin", "/O=system:masters/CN=admin")
    make_certificate(folder, "kubelet-client", "/O=system:masters/CN=kube-apiserver-kubelet-client")
    make_certificate(folder, "front-proxy", "/CN=front-proxy")
    lines = [f"{token},{user},{user},\n" for user, token in cluster.tokens.items()]
    (folder / "tokens.csv").write_text("".join(lines), encoding="utf-8")

    _write_kubeconfig(cluster, "admin", {"client-certificate": "admin.crt", "client-key": "admin.key"})
    for user, token in cluster.tokens.items():
        _write_kubeconfig(cluster, user, {"token": token})
    _write_kubeconfig(cluster, "stranger", {"token": "of-another-cluster"})
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": cluster.tokens["reader"]},
    }
    plugin = folder / "plugin"
    plugin.write_text(f"#!/bin/sh\nprintf '%s' '{json.dumps(credential)}'\n", encoding="utf-8")
    plugin.chmod(0o700)
    call = {"apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin", "interactiveMode": "Never"}
    _write_kubeconfig(cluster, "plugin", {"exec": call})


def _write_kubeconfig(cluster: Cluster, user: str, credentials: dict[str, object]) -> None:
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "live", "cluster": {"server": cluster.server, "certificate-authority": "ca.crt"}}],
        "users": [{"name": user, "user": credentials}],
        "contexts": [{"name": "live", "context": {"cluster": "live", "user": user, "namespace": "shop"}}],
        "current-context": "live",
    }
    path = cluster.kubeconfig(user)
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


class _Admin:
    """The API server, entered with the certificate that may do everything."""

    def __init__(self, folder: Path) -> None:
        context = ssl.create_default_context(cafile=folder / "ca.crt")
        context.load_cert_chain(folder / "admin.crt", folder / "admin.key")
        self._pool = httpcore.ConnectionPool(ssl_context=context)

    def ask(self, method: str, path: str, content: object = None, kind: str = "application/json") -> tuple[int, bytes]:
        """Return status and body of an answer."""
        body = None if content is None else json.dumps(content).encode()
        times = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), 30.0)}
        answer = self._pool.request(
            method, f"{_SERVER}{path}", headers={"Content-Type": kind}, content=body, extensions=times
        )
        return answer.status, answer.content

    def must(self, method: str, path: str, content: object, kind: str = "application/json") -> dict[str, Any]:
        """Return what is answered; raise when it is a refusal."""
        status, body = self.ask(method, path, content, kind)
        if status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {status} {body[:300]!r}")
        return cast(dict[str, Any], json.loads(body))

    def close(self) -> None:
        self._pool.close()


def _await(api: _Admin, path: str, folder: Path, tells: bytes = b"") -> None:
    """Wait until the API server answers well, and with what it is to tell."""
    until = time.monotonic() + _PATIENCE
    said = ""
    while time.monotonic() < until:
        try:
            status, body = api.ask("GET", path)
            if status == 200 and tells in body:
                return
            said = f"{status} {body[:300].decode(errors='replace')}"
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            said = str(error)
        time.sleep(0.2)
    logs = [f"\n{log.name}: {log.read_text(errors='replace')[-600:]}" for log in sorted(folder.glob("*.log"))]
    sys.exit(f"{path}: no good answer within {_PATIENCE:g} s; the last was: {said}{''.join(logs)}")


def _fill(api: _Admin, folder: Path) -> None:
    """Create what is in the cluster."""

    def create(path: str, content: dict[str, object]) -> str:
        return str(api.must("POST", path, content)["metadata"]["uid"])

    def report(path: str, content: dict[str, object]) -> None:
        api.must("PATCH", f"{path}/status", content, "application/merge-patch+json")

    _await(api, "/api/v1/namespaces/kube-system", folder)
    for namespace in ("shop", "staging"):
        create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    uids = {}
    for node in NODES:
        uids[node] = create("/api/v1/nodes", node_object(node))
        report(f"/api/v1/nodes/{node}", node_status(node, KUBERNETES))
    for pod in PODS:
        path = f"/api/v1/namespaces/{pod.namespace}/pods"
        create(path, pod_object(pod, uids[pod.node]))
        report(f"{path}/{pod.name}", pod_status(pod))
    for service in SERVICES:
        create(f"/api/v1/namespaces/{service[0]}/services", service_object(*service))
    for event in EVENTS:
        create(f"/api/v1/namespaces/{event.namespace}/events", event_object(event))
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    for user, rules in USERS.items():
        create(f"{rbac}/clusterroles", {"metadata": {"name": user}, "rules": rules})
        subjects = [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}]
        if user == "reader":
            subjects.append({"kind": "ServiceAccount", "namespace": "shop", "name": "oakum"})
        role = {"kind": "ClusterRole", "name": user, "apiGroup": "rbac.authorization.k8s.io"}
        create(f"{rbac}/clusterrolebindings", {"metadata": {"name": user}, "roleRef": role, "subjects": subjects})
    accounts = "/api/v1/namespaces/shop/serviceaccounts"
    create(accounts, {"metadata": {"name": "oakum"}})
    token = api.must("POST", f"{accounts}/oakum/token", {"spec": {"expirationSeconds": 3600}})
    mounted = folder / "serviceaccount"
    mounted.mkdir()
    for name, content in (
        ("token", token["status"]["token"]),
        ("namespace", "shop"),
        ("ca.crt", (folder / "ca.crt").read_text()),
    ):
        (mounted / name).write_text(content, encoding="utf-8")


__all__ = ["Cluster", "running"]
