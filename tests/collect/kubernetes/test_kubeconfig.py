"""Kubeconfig files as kubectl finds and merges them; what is wrong is said without what is secret."""

import base64
from pathlib import Path

import pytest
import yaml

from oakum.collect.kubernetes import kubeconfig
from oakum.collect.web import Access
from oakum.model import UsageError

SECRET = "eyJhbGciOiJSUzI1NiJ9.c2VjcmV0.c2VjcmV0"


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def config(path: Path, name: str, server: str = "https://10.0.0.1:6443", user: object = None, **more: object) -> str:
    content: dict[str, object] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": server}}],
        "users": [{"name": name, "user": {"token": f"{name}-token"} if user is None else user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content | more), encoding="utf-8")
    return str(path)


def test_the_file_of_the_home_directory(tmp_path: Path) -> None:
    path = config(tmp_path / ".kube" / "config", "prod")
    login = kubeconfig.find(Access())
    assert (login.cluster.server, login.user.token, login.namespace) == (
        "https://10.0.0.1:6443",
        "prod-token",
        "default",
    )
    assert login.source == f"context prod of {path}"


def test_the_first_of_a_list_wins_and_nothing_is_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = config(tmp_path / "a", "prod", user={"username": "ann"})
    second = config(tmp_path / "b", "prod", server="https://10.9.9.9", user={"username": "bob", "token": "x"})
    third = config(tmp_path / "c", "test")
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path / 'missing'}:{first}::{second}:{third}")
    login = kubeconfig.find(Access())
    assert (login.context, login.cluster.server) == ("prod", "https://10.0.0.1:6443")
    assert (login.user.username, login.user.token) == ("ann", None)
    assert kubeconfig.find(Access(context="test")).user.token == "test-token"


def test_current_context_of_the_first_that_has_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = config(tmp_path / "a", "prod", **{"current-context": ""})
    second = config(tmp_path / "b", "test")
    monkeypatch.setenv("KUBECONFIG", f"{first}:{second}")
    assert kubeconfig.find(Access()).context == "test"


def test_what_is_named_is_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", config(tmp_path / "a", "prod"))
    other = config(tmp_path / "b", "test")
    assert kubeconfig.find(Access(kubeconfig=other)).context == "test"
    with pytest.raises(UsageError, match="no context 'prod'; there are test"):
        kubeconfig.find(Access(kubeconfig=other, context="prod"))


def test_paths_are_relative_to_their_file_and_data_goes_first(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "config"
    user = {
        "client-certificate": "pki/me.crt",
        "client-key": "pki/me.key",
        "client-key-data": base64.b64encode(b"KEY OF THE FILE").decode(),
        "tokenFile": "token",
        "exec": {"command": "./bin/login", "apiVersion": "client.authentication.k8s.io/v1"},
    }
    (tmp_path / "deep" / "pki").mkdir(parents=True)
    (tmp_path / "deep" / "pki" / "me.crt").write_bytes(b"CERTIFICATE")
    found = kubeconfig.find(Access(kubeconfig=config(home, "prod", user=user))).user
    assert (found.certificate, found.key) == (b"CERTIFICATE", b"KEY OF THE FILE")
    assert found.token_file == str(tmp_path / "deep" / "token")
    assert found.plugin is not None
    assert Path(found.plugin.command) == tmp_path / "deep" / "bin" / "login"


def test_a_bare_command_is_looked_up_in_path(tmp_path: Path) -> None:
    user = {"exec": {"command": "aws", "args": ["eks"], "env": [{"name": "AWS_PROFILE", "value": "p"}]}}
    plugin = kubeconfig.find(Access(kubeconfig=config(tmp_path / "a", "prod", user=user))).user.plugin
    assert plugin is not None
    assert (plugin.command, plugin.arguments, plugin.environment) == ("aws", ("eks",), (("AWS_PROFILE", "p"),))


def test_all_of_a_cluster(tmp_path: Path) -> None:
    cluster = {
        "server": "https://rancher.example/k8s/clusters/c-1/",
        "certificate-authority-data": base64.b64encode(b"PEM").decode(),
        "tls-server-name": "api.example",
        "proxy-url": "socks5://127.0.0.1:1080",
        "extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}}],
    }
    path = config(tmp_path / "a", "prod", clusters=[{"name": "prod", "cluster": cluster}])
    found = kubeconfig.find(Access(kubeconfig=path)).cluster
    assert found.server == "https://rancher.example/k8s/clusters/c-1"
    assert (found.ca, found.server_name, found.proxy) == (b"PEM", "api.example", "socks5://127.0.0.1:1080")
    assert found.for_plugin == {"audience": "x"}


def test_nothing_anywhere_says_where_was_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=rf"no kubeconfig: looked at {tmp_path}/\.kube/config"):
        kubeconfig.find(Access())
    monkeypatch.setenv("KUBECONFIG", "/nowhere/a:/nowhere/b")
    with pytest.raises(UsageError, match="looked at /nowhere/a, /nowhere/b"):
        kubeconfig.find(Access())
    with pytest.raises(UsageError, match="--kubeconfig /nowhere/c: there is no such file"):
        kubeconfig.find(Access(kubeconfig="/nowhere/c"))


def test_no_home_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    with pytest.raises(UsageError, match="KUBECONFIG and HOME, which are empty"):
        kubeconfig.find(Access())


def test_service_account_of_a_pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("token", "t"), ("ca.crt", "PEM"), ("namespace", "shop")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(kubeconfig, "_ACCOUNT", tmp_path)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    login = kubeconfig.find(Access())
    assert (login.cluster.server, login.cluster.ca, login.namespace) == ("https://[fd00::1]:443", b"PEM", "shop")
    assert login.user.token_file == str(tmp_path / "token")
    with pytest.raises(UsageError, match="no kubeconfig"):
        kubeconfig.find(Access(context="prod"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"users:\n- name: a\n  user: {{token: {SECRET}", ": this is no YAML"),
        (f"- {SECRET}", "this is YAML, but no kubeconfig"),
        ("[" * 100_000, "nested more than 100 deep"),
        ("- " * 100_000, "nested more than 100 deep"),
        (f"clusters: {SECRET}\ncurrent-context: a", "there is no context 'a'; it has no contexts"),
        ("contexts:\n- {name: a, context: {cluster: b, user: c}}\ncurrent-context: a", "names the cluster 'b'"),
        ("contexts:\n- {name: a, context: {}}\n", "there is no current-context; --context names one; there are a"),
    ],
)
def test_files_that_are_wrong(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "config"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        kubeconfig.find(Access(kubeconfig=str(path)))
    assert said in str(error.value)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    ("user", "said"),
    [
        (
            {"auth-provider": {"name": "gcp", "config": {"access-token": SECRET}}},
            "'gcp', which kubectl dropped in 1.26",
        ),
        ({"client-certificate": "gone.crt"}, "client-certificate .*gone.crt: No such file"),
        ({"client-certificate-data": "@@@", "token": SECRET}, "client-certificate-data is no base64"),
        ({"exec": {"apiVersion": "v1"}}, "has no command"),
        ({"as": "ann", "as-groups": ["a", "b"]}, "of as-groups one is understood"),
    ],
)
def test_users_that_cannot_be(tmp_path: Path, user: object, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        kubeconfig.find(Access(kubeconfig=config(tmp_path / "a", "prod", user=user)))
    assert SECRET not in str(error.value)


def test_the_token_of_oidc(tmp_path: Path) -> None:
    user = {"auth-provider": {"name": "oidc", "config": {"id-token": SECRET}}}
    assert kubeconfig.find(Access(kubeconfig=config(tmp_path / "a", "prod", user=user))).user.token == SECRET


def test_secrets_are_in_no_repr(tmp_path: Path) -> None:
    user = {
        "token": SECRET,
        "password": SECRET,
        "username": "ann",
        "client-key-data": base64.b64encode(SECRET.encode()).decode(),
        "client-certificate-data": base64.b64encode(b"C").decode(),
        "exec": {"command": "x", "env": [{"name": "KEY", "value": SECRET}]},
    }
    assert SECRET not in repr(kubeconfig.find(Access(kubeconfig=config(tmp_path / "a", "prod", user=user))))
