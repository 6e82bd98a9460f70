"""Metrics whose labels tell a build -> Build: go_info, go_build_info, kubernetes_build_info, prometheus_build_info ...

In: one scrape. Out: the Go version and the main module at its version, each only where the scrape names a single one:
a gateway hands on the metrics of many.
"""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from oakum.model import Build, Metrics
from oakum.parse.builds.components import go_version, released
from oakum.parse.builds.version_json import kubernetes


class _Told(NamedTuple):
    """A metric, the component that tells of itself by it, and the labels that have its release and Go's version."""

    metric: str
    component: str
    release: str = "version"
    go: str = "goversion"
    part: str = ""  # only this `component`: the others of Istio are written in C++ and Rust


_METRICS: tuple[_Told, ...] = (
    _Told("kubernetes_build_info", "kubernetes", "git_version", "go_version"),
    _Told("kubernetes_build_info", "kubernetes", "gitVersion", "goVersion"),  # before Kubernetes 1.17
    _Told("etcd_server_version", "etcd", "server_version"),
    _Told("containerd_build_info_total", "containerd"),
    _Told("engine_daemon_engine_info", "docker"),
    _Told("argocd_info", "argocd"),
    _Told("cilium_version", "cilium"),
    _Told("istio_build", "istio", "tag", part="pilot"),
    # What github.com/prometheus/common/version writes.
    *(
        _Told(f"{name}_build_info", name)
        for name in (
            "prometheus", "alertmanager", "node_exporter", "blackbox_exporter", "thanos", "loki", "coredns",
            "kube_state_metrics",
        )
    ),
)  # fmt: skip
_BY_NAME = {told.metric: [one for one in _METRICS if one.metric == told.metric] for told in _METRICS}
_GO = ("go_info", "go_build_info")


def build_told(metrics: Metrics) -> Build | None:
    """Return the build that a scrape tells; None when it tells none."""
    versions: set[str] = set()  # of Go
    own: set[Build] = set()  # what Go's own build information says
    told: set[Build] = set()  # what a component says of its release
    for name, pairs in metrics.values:
        if name not in _GO and name not in _BY_NAME:
            continue
        labels = dict(pairs)
        if name == "go_info" and (go := go_version(labels.get("version", ""))):
            versions.add(go)
        elif name == "go_build_info" and (main := _main(labels)):
            own.add(main)
        for metric in _BY_NAME.get(name, ()):
            if build := _released(metric, labels):
                versions |= {build.go} if build.go else set()
                told.add(replace(build, go=None))
    go = versions.pop() if len(versions) == 1 else None
    main = _one(own, told)
    return replace(main, go=go) if main else Build(go=go) if go else None


def _one(own: set[Build], told: set[Build]) -> Build | None:
    """Return the main module where only one is told of; a component's release fills in what Go has no version of."""
    if len(own) > 1 or len(told) > 1:
        return None
    mine, release = next(iter(own), None), next(iter(told), None)
    if mine is None:
        return release
    return release if release and release.main == mine.main and not mine.main_version else mine


def _main(labels: Mapping[str, str]) -> Build | None:
    """go_build_info{checksum="unknown",path="github.com/prometheus/alertmanager",version="(devel)"}"""
    path, version = labels.get("path", ""), labels.get("version", "")
    # "(devel)" and "unknown" say nothing; "unknown" is also told of a program without modules.
    return Build(main=path, main_version=version if version.startswith("v") else None) if "." in path else None


def _released(told: _Told, labels: Mapping[str, str]) -> Build | None:
    if told.part and labels.get("component") != told.part:
        return None
    release, go = labels.get(told.release, ""), labels.get(told.go, "")
    return kubernetes(release, go) if told.component == "kubernetes" else released(told.component, release, go)
