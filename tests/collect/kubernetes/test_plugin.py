"""Exec plugins: small scripts that do what those of clouds do, and what they do wrong."""

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from oakum.collect.kubernetes import plugin
from oakum.collect.kubernetes.kubeconfig import Cluster, Plugin
from support import unreachable

V1 = "client.authentication.k8s.io/v1"
CLUSTER = Cluster("prod", "https://10.0.0.1:6443", ca=b"PEM", server_name="api", for_plugin={"audience": "x"})


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)


def script(folder: Path, text: str) -> Plugin:
    path = folder / "login"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return Plugin(str(path), (), (), V1)


def credential(version: str = V1, **status: str) -> str:
    return f"echo '{json.dumps({'apiVersion': version, 'kind': 'ExecCredential', 'status': status})}'"


def test_a_token_and_until_when(tmp_path: Path) -> None:
    given = plugin.ask(script(tmp_path, credential(token="t", expirationTimestamp="2020-01-01T00:00:00Z")), CLUSTER)
    assert given.token == "t"
    assert given.expired
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    assert not plugin.ask(script(tmp_path, credential(token="t", expirationTimestamp=later)), CLUSTER).expired
    assert not plugin.ask(script(tmp_path, credential(token="t")), CLUSTER).expired
    assert "'t'" not in repr(given)


def test_a_certificate(tmp_path: Path) -> None:
    given = plugin.ask(script(tmp_path, credential(clientCertificateData="C", clientKeyData="K")), CLUSTER)
    assert (given.token, given.certificate, given.key) == (None, b"C", b"K")


def test_what_it_is_told(tmp_path: Path) -> None:
    told = tmp_path / "told"
    run = script(
        tmp_path, f'echo "$KUBERNETES_EXEC_INFO" > {told}; echo "$REGION $1" >> {told}; {credential(token="t")}'
    )
    run = replace(run, arguments=("--cluster",), environment=(("REGION", "eu"),), wants_cluster=True)
    plugin.ask(run, CLUSTER)
    info, words = told.read_text(encoding="utf-8").splitlines()
    assert words == "eu --cluster"
    assert json.loads(info) == {
        "apiVersion": V1,
        "kind": "ExecCredential",
        "spec": {
            "interactive": False,
            "cluster": {
                "server": "https://10.0.0.1:6443",
                "tls-server-name": "api",
                "certificate-authority-data": "UEVN",
                "config": {"audience": "x"},
            },
        },
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo 'token expired, run: aws sso login' >&2; exit 255", "exit code 255: token expired, run: aws sso login"),
        ("exit 1", "exit code 1, and said nothing"),
        ("echo hello", "is no JSON"),
        ("echo '[]'", "gave None"),
        (credential("client.authentication.k8s.io/v1beta1", token="t"), "gave client.authentication.k8s.io/v1beta1"),
        (credential(), "neither a token nor a certificate"),
        (credential(clientCertificateData="C"), "a certificate without its key"),
        ("echo secret-of-env $KEY >&2; exit 1", r"secret-of-env \*\*\*"),
    ],
)
def test_what_goes_wrong(tmp_path: Path, text: str, said: str) -> None:
    run = replace(script(tmp_path, text), environment=(("KEY", "hunter2-hunter2"),))
    with unreachable(said):
        plugin.ask(run, CLUSTER)


def test_one_that_is_not_there_says_how_it_is_installed() -> None:
    gone = Plugin("no-such-login", (), (), V1, hint="brew install \x1b[1mlogin")
    with unreachable(r"no-such-login: there is no such program; brew install \[1mlogin"):
        plugin.ask(gone, CLUSTER)


def test_one_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "_PATIENCE", 0.2)
    with unreachable(r"no answer within 0\.2 s"):
        plugin.ask(script(tmp_path, "exec sleep 30"), CLUSTER)


def test_what_one_that_hangs_has_started_ends_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "_PATIENCE", 0.2)
    begun = time.monotonic()
    with unreachable("no answer"):
        plugin.ask(script(tmp_path, "sleep 30; yes >&2"), CLUSTER)
    assert time.monotonic() - begun < 15


@pytest.mark.parametrize("where", ["", ">&2 & sleep 0.1; kill $!; exit 3"])
def test_one_that_never_stops_talking(tmp_path: Path, where: str) -> None:
    with unreachable("no credential" if not where else "exit code 3: y / y / y"):
        plugin.ask(script(tmp_path, f"yes {where}"), CLUSTER)


@pytest.mark.parametrize("version", ["client.authentication.k8s.io/v1alpha1", ""])
def test_versions_that_kubectl_dropped(version: str) -> None:
    with unreachable(r"kubectl dropped v1alpha1 in 1\.24"):
        plugin.ask(Plugin("login", (), (), version), CLUSTER)


def test_one_that_asks_people_needs_a_terminal() -> None:
    with unreachable("standard input is no terminal"):
        plugin.ask(Plugin("login", (), (), V1, interactive="Always"), CLUSTER)
