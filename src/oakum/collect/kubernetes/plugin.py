"""An exec plugin -> a token or a certificate: client.authentication.k8s.io/v1 and v1beta1, as kubectl runs them.

Comes in: what the kubeconfig says of it, and the cluster. Goes out: `Given`, good until it expires. What it
complains of is shown when it fails.
"""

import base64
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from oakum.collect.kubernetes.kubeconfig import Cluster, Plugin
from oakum.collect.programs import find_program, run_program
from oakum.model import Text, Unreachable

_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_PATIENCE = 60.0  # seconds; cloud commands that ask a metadata server first are slow
_PATIENCE_WITH_PEOPLE = 300.0  # a login in a browser
_MOST = 1 << 20  # bytes; a token has some thousand
_SHOWN = 4096  # bytes of what it complains of


@dataclass(frozen=True)
class Given:
    token: str | None = field(default=None, repr=False)
    certificate: bytes | None = field(default=None, repr=False)
    key: bytes | None = field(default=None, repr=False)
    until: datetime | None = None

    @property
    def expired(self) -> bool:
        return self.until is not None and datetime.now(UTC) >= self.until


def ask(plugin: Plugin, cluster: Cluster) -> Given:
    """Run the plugin; raise Unreachable with what it said when it gives nothing."""
    name = os.path.basename(plugin.command)  # noqa: PTH119 - a command is no path of ours
    if plugin.version not in _VERSIONS:
        raise _failed(name, "version", version=repr(plugin.version or "missing"), known=_VERSIONS[0])
    terminal = sys.stdin is not None and sys.stdin.isatty()
    if plugin.interactive == "Always" and not terminal:
        raise _failed(name, "terminal")
    people = terminal and plugin.interactive != "Never"
    told: dict[str, Any] = {"apiVersion": plugin.version, "kind": "ExecCredential", "spec": {"interactive": people}}
    if plugin.wants_cluster:
        told["spec"]["cluster"] = _about(cluster)
    environment = {**os.environ, **dict(plugin.environment), "KUBERNETES_EXEC_INFO": json.dumps(told)}
    patience = _PATIENCE_WITH_PEOPLE if people else _PATIENCE
    try:
        # Where the user is there may be a program of the same name; kubectl leaves it alone too.
        program = plugin.command if os.sep in plugin.command else find_program(plugin.command, environment)
        if program is None:
            raise FileNotFoundError
        ran = run_program([program, *plugin.arguments], patience, _MOST, env=environment, people=people)
    except (FileNotFoundError, NotADirectoryError):
        if plugin.hint:
            raise _failed(plugin.command, "missing-hint", hint=_plain(plugin.hint)) from None
        raise _failed(plugin.command, "missing") from None
    except OSError as error:
        raise _failed(plugin.command, "os", error=error.strerror or str(error)) from error
    if ran.late:
        raise _failed(name, "late", seconds=patience)
    if len(ran.out) > _MOST:
        raise _failed(name, "long", size=_MOST)
    if ran.code != 0:
        complaint = _complaint(ran.err[-_SHOWN:], plugin)
        raise (
            _failed(name, "code", code=ran.code, said=complaint) if complaint else _failed(name, "mute", code=ran.code)
        )
    return _read(ran.out, plugin, name)


def _read(output: bytes, plugin: Plugin, name: str) -> Given:
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        raise _failed(name, "no-json") from None
    if not isinstance(found, dict) or found.get("apiVersion") != plugin.version:
        version = found.get("apiVersion") if isinstance(found, dict) else None
        raise _failed(name, "other-version", asked=plugin.version, version=str(version))
    status: Mapping[str, Any] = found["status"] if isinstance(found.get("status"), dict) else {}
    token, certificate, key = (status.get(k) or "" for k in ("token", "clientCertificateData", "clientKeyData"))
    if not token and not certificate:
        raise _failed(name, "empty")
    if bool(certificate) != bool(key):
        raise _failed(name, "half")
    return Given(
        str(token) or None,
        str(certificate).encode() if certificate else None,
        str(key).encode() if key else None,
        _time(status.get("expirationTimestamp")),
    )


def _about(cluster: Cluster) -> dict[str, object]:
    about: dict[str, object] = {"server": cluster.server}
    if cluster.server_name:
        about["tls-server-name"] = cluster.server_name
    if cluster.insecure:
        about["insecure-skip-tls-verify"] = True
    if cluster.ca:
        about["certificate-authority-data"] = base64.b64encode(cluster.ca).decode()
    if cluster.proxy:
        about["proxy-url"] = cluster.proxy
    if cluster.for_plugin is not None:
        about["config"] = cluster.for_plugin
    return about


def _time(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value)) if value else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found


def _complaint(said: bytes, plugin: Plugin) -> str:
    text = said.decode("utf-8", "replace")
    for _, value in plugin.environment:
        if len(value) >= 8:  # shorter ones are words, as a region or a profile
            text = text.replace(value, "***")
    lines = [line for line in (_plain(line).strip() for line in text.splitlines()) if line]
    return " / ".join(lines[-4:])[:600]


def _failed(name: str, why: str, **args: str | float) -> Unreachable:
    return Unreachable(Text("kube.plugin", {"name": name, "why": Text(f"kube.plugin.{why}", args)}))


def _plain(text: str) -> str:
    return "".join(c for c in text if c.isprintable() or c == " ")
