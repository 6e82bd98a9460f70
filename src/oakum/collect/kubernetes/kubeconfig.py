"""Kubeconfig files -> the cluster, user and namespace that a context names, found and merged as kubectl does.

Comes in: --kubeconfig, --context, the environment. Goes out: a `Login`; secrets are in no repr and in no message, and
neither are the lines of a file that is wrong.
"""

import base64
import binascii
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from oakum.collect.web.access import Access
from oakum.model import UsageError

_DEEPEST = 100  # lists in maps in lists; a kubeconfig has about ten
_LARGEST = 8 << 20  # bytes of one file; hundreds of clusters with their certificates
_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_FOR_PLUGINS = "client.authentication.k8s.io/exec"  # the extension of a cluster that its plugin is handed


@dataclass(frozen=True)
class Cluster:
    """Where an API server is, and whom its certificate has to be from."""

    name: str
    server: str
    ca: bytes | None = None  # PEM; None: the authorities of this machine
    insecure: bool = False
    server_name: str | None = None
    proxy: str | None = field(default=None, repr=False)
    for_plugin: object = None


@dataclass(frozen=True)
class Plugin:
    """A program that gives credentials: client.authentication.k8s.io."""

    command: str
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = field(repr=False)
    version: str
    hint: str = ""  # how it is installed
    wants_cluster: bool = False
    interactive: str = "IfAvailable"


@dataclass(frozen=True)
class User:
    """Who asks. Data goes before files, and a token's file before the token, as in client-go."""

    name: str
    certificate: bytes | None = field(default=None, repr=False)  # PEM
    key: bytes | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    token_file: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    plugin: Plugin | None = None
    headers: tuple[tuple[str, str], ...] = ()  # whom it acts as


@dataclass(frozen=True)
class Login:
    """A cluster and who enters it."""

    cluster: Cluster
    user: User
    namespace: str = "default"
    context: str = ""
    source: str = ""  # "context prod of /home/a/.kube/config", "the service account of this pod"


@dataclass
class _Merged:
    """Files as one: the first to name a thing wins, all of it; nothing is mixed."""

    looked: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    current: str = ""
    # name -> the file it stands in, and what it says
    clusters: dict[str, tuple[Path, Mapping[str, Any]]] = field(default_factory=dict)
    users: dict[str, tuple[Path, Mapping[str, Any]]] = field(default_factory=dict)
    contexts: dict[str, tuple[Path, Mapping[str, Any]]] = field(default_factory=dict)


def find(access: Access) -> Login:
    """Return the login that kubectl would use; raise UsageError, which says where was looked."""
    merged = _merge(access.kubeconfig)
    if not (merged.contexts or merged.clusters) and not access.kubeconfig:
        if not access.context and (login := _in_cluster()) is not None:
            return login
        looked = ", ".join(merged.looked) or "KUBECONFIG and HOME, which are empty"
        raise UsageError(
            f"no kubeconfig: looked at {looked}, and this is no pod of a cluster; "
            "--kubeconfig FILE names one, as does KUBECONFIG"
        )
    wanted = access.context or merged.current
    if not wanted:
        raise UsageError(f"{_files(merged)}: there is no current-context; --context names one{_known(merged)}")
    if wanted not in merged.contexts:
        raise UsageError(f"{_files(merged)}: there is no context {wanted!r}{_known(merged)}")
    home, context = merged.contexts[wanted]
    cluster = _named(merged.clusters, context, "cluster", wanted, home)
    user = _named(merged.users, context, "user", wanted, home)
    return Login(
        _cluster(str(context.get("cluster")), *cluster),
        _user(str(context.get("user")), *user),
        _text(context, "namespace") or "default",
        wanted,
        f"context {wanted} of {home}",
    )


def _merge(explicit: str | None) -> _Merged:
    if explicit:
        paths = [explicit]
    elif listed := [path for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]:
        paths = listed
    else:
        # As for kubectl, HOME alone counts; in a pod there may be none.
        paths = [str(Path(os.environ["HOME"]) / ".kube" / "config")] if os.environ.get("HOME") else []
    merged = _Merged(looked=paths)
    for path in dict.fromkeys(paths):
        text = _read(path, must=bool(explicit))
        if text is None:
            continue
        merged.read.append(path)
        data = _load(path, text)
        merged.current = merged.current or _text(data, "current-context")
        for into, many, one in (
            (merged.clusters, "clusters", "cluster"),
            (merged.users, "users", "user"),
            (merged.contexts, "contexts", "context"),
        ):
            for entry in _entries(data, many):
                into.setdefault(_text(entry, "name"), (Path(path).absolute(), _map(entry.get(one))))
    return merged


def _read(path: str, must: bool) -> bytes | None:
    try:
        with Path(path).open("rb") as file:
            text = file.read(_LARGEST + 1)
    except FileNotFoundError:
        if must:
            raise UsageError(f"--kubeconfig {path}: there is no such file") from None
        return None  # as for kubectl: a list may name files that are not there
    except OSError as error:
        raise UsageError(f"kubeconfig {path}: {error.strerror or error}") from error
    if len(text) > _LARGEST:
        raise UsageError(f"kubeconfig {path}: more than {_LARGEST >> 20} MiB; this is no kubeconfig")
    return text


def _load(path: str, text: bytes) -> Mapping[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_depth(path, text, loader)
        data = yaml.load(text, Loader=loader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        # What yaml says of the place is a piece of the file, which has secrets.
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        raise UsageError(f"kubeconfig {path}{where}: this is no YAML") from None
    if data is not None and not isinstance(data, dict):
        raise UsageError(f"kubeconfig {path}: this is YAML, but no kubeconfig (apiVersion: v1, kind: Config)")
    return _map(data)


def _check_depth(path: str, text: bytes, loader: Any) -> None:
    """Refuse what is nested too deeply: yaml in C descends until its stack is used up, and ends the whole process."""
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise UsageError(f"kubeconfig {path}: nested more than {_DEEPEST} deep; this is no kubeconfig")


def _named(
    among: Mapping[str, tuple[Path, Mapping[str, Any]]], context: Mapping[str, Any], what: str, name: str, home: Path
) -> tuple[Path, Mapping[str, Any]]:
    wanted = _text(context, what)
    if wanted in among:
        return among[wanted]
    if what == "user" and not wanted:
        return home, {}  # anonymous, as for kubectl
    raise UsageError(
        f"{home}: context {name} names the {what} {wanted!r}, which is in no file that was read; "
        "KUBECONFIG may name several"
    )


def _cluster(name: str, home: Path, entry: Mapping[str, Any]) -> Cluster:
    server = _text(entry, "server")
    if not server.startswith(("https://", "http://")):
        raise UsageError(f"{home}: the server of cluster {name} is {server!r}, and no https:// address")
    insecure = entry.get("insecure-skip-tls-verify") is True
    plugin = next((e.get("extension") for e in _entries(entry, "extensions") if e.get("name") == _FOR_PLUGINS), None)
    return Cluster(
        name,
        server.rstrip("/"),
        None if insecure else _content(entry, "certificate-authority", home),
        insecure,
        _text(entry, "tls-server-name") or None,
        _text(entry, "proxy-url") or None,
        plugin,
    )


def _user(name: str, home: Path, entry: Mapping[str, Any]) -> User:
    provider = _map(entry.get("auth-provider"))
    token = _text(entry, "token") or _text(_map(provider.get("config")), "id-token")  # of oidc; it is not renewed here
    if provider and not token:
        kind = _text(provider, "name") or "unnamed"
        raise UsageError(
            f"{home}: user {name} has the auth-provider {kind!r}, which kubectl dropped in 1.26; "
            f"an exec plugin takes its place ({_INSTEAD.get(kind, 'for example kubelogin')}), or --token gives a token"
        )
    token_file = _text(entry, "tokenFile")
    certificate = _content(entry, "client-certificate", home)
    return User(
        name,
        certificate,
        _content(entry, "client-key", home) if certificate else None,
        token or None,
        str(home.parent / token_file) if token_file else None,
        _text(entry, "username") or None,
        _text(entry, "password") or None,
        _plugin(name, home, _map(entry.get("exec"))) if entry.get("exec") else None,
        tuple(_acting_as(entry)),
    )


_INSTEAD = {"gcp": "gke-gcloud-auth-plugin", "azure": "kubelogin", "oidc": "kubectl-oidc_login"}


def _plugin(name: str, home: Path, entry: Mapping[str, Any]) -> Plugin:
    command = _text(entry, "command")
    if not command:
        raise UsageError(f"{home}: the exec plugin of user {name} has no command")
    if os.sep in command:
        command = str(home.parent / command)  # only a bare name is looked up in PATH
    variables = ((_text(e, "name"), _text(e, "value")) for e in _entries(entry, "env"))
    return Plugin(
        command,
        tuple(str(argument) for argument in entry.get("args") or ()),
        tuple((variable, value) for variable, value in variables if variable),
        _text(entry, "apiVersion"),
        _text(entry, "installHint"),
        entry.get("provideClusterInfo") is True,
        _text(entry, "interactiveMode") or "IfAvailable",
    )


def _acting_as(entry: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield whom a user acts as, as headers, which are sent once each."""
    if user := _text(entry, "as"):
        yield "Impersonate-User", user
        if uid := _text(entry, "as-uid"):
            yield "Impersonate-Uid", uid
        groups = entry.get("as-groups") or []
        if len(groups) > 1 or entry.get("as-user-extra"):
            raise UsageError(f"acting as {user}: of as-groups one is understood, and as-user-extra is not")
        for group in groups:
            yield "Impersonate-Group", str(group)


def _in_cluster() -> Login | None:
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT")
    if not host or not port or not (_ACCOUNT / "token").exists():
        return None
    authority, place = _ACCOUNT / "ca.crt", _ACCOUNT / "namespace"
    return Login(
        Cluster("in-cluster", f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
                authority.read_bytes() if authority.exists() else None),
        User("service account", token_file=str(_ACCOUNT / "token")),
        place.read_text(encoding="utf-8").strip() if place.exists() else "default",
        source="the service account of this pod",
    )  # fmt: skip


def _content(entry: Mapping[str, Any], key: str, home: Path) -> bytes | None:
    """Return what a file or the data beside it holds; data goes first, as for kubectl."""
    if data := _text(entry, f"{key}-data"):
        try:
            return base64.b64decode("".join(data.split()), validate=True)
        except (binascii.Error, ValueError):
            raise UsageError(f"{home}: {key}-data is no base64; fetch the kubeconfig again") from None
    if not (name := _text(entry, key)):
        return None
    path = home.parent / name
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{home}: {key} {path}: {error.strerror or error}") from error


def _files(merged: _Merged) -> str:
    return ", ".join(merged.read) or "kubeconfig"


def _known(merged: _Merged) -> str:
    names = sorted(merged.contexts)
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"; there are {', '.join(names[:12])}{more}" if names else "; it has no contexts"


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return "" if value is None or isinstance(value, (bool, dict, list)) else str(value)


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _entries(entry: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = entry.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
