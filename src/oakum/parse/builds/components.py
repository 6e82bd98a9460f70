"""Programs that tell their release, and the Go module that each release is: a table, and `released` to read it.

A release that has other numbers than its module (Prometheus 2.45.0 is v0.45.0) is told in those of the module.
"""

from collections.abc import Mapping
from typing import NamedTuple

from oakum.model import Build
from oakum.regex import regex

# 24.0.7   v1.18.8+k3s1   1.4.0-rc.1   v2.8.0+804d4b8   and Debian's 1.6.20~ds1, 1.1.0~rc3+ds
_RELEASE = regex(r"v?((\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?((?:[-+][0-9A-Za-z.+-]{1,100})?))")
_BEFORE = regex(r"~(?=rc|alpha|beta|pre)")
# go1.20.5   go1.26.8 X:nodwarf5   devel go1.27-abc
_GO = regex(r"(go\d{1,6}\.\d{1,6}\S{0,40}|devel \S{1,40})(?: X:\S{1,100})?(?: .{0,60})?")


class Module(NamedTuple):
    """What the releases of a program are built from: a Go module, since which release, and how it numbers them."""

    path: str
    since: tuple[int, int] = (0, 0)
    numbers: str = "v{release}"  # "": its versions have nothing in common with the releases


# What a program is known by -> its modules, oldest first.
COMPONENTS: Mapping[str, tuple[Module, ...]] = {
    "kubernetes": (Module("k8s.io/kubernetes"),),
    "containerd": (
        Module("github.com/containerd/containerd"),
        Module("github.com/containerd/containerd/v2", (2, 0)),
    ),
    "docker": (Module("github.com/docker/docker"), Module("github.com/moby/moby/v2", (29, 0), "")),
    "etcd": (
        Module("github.com/coreos/etcd"),
        Module("go.etcd.io/etcd", (3, 4)),
        Module("go.etcd.io/etcd/server/v3", (3, 5)),
    ),
    "prometheus": (
        Module("github.com/prometheus/prometheus"),
        Module("github.com/prometheus/prometheus", (2, 35), "v0.{minor}.{patch}{rest}"),
        Module("github.com/prometheus/prometheus", (3, 0), "v0.3{minor:02}.{patch}{rest}"),
    ),
    "alertmanager": (Module("github.com/prometheus/alertmanager"),),
    "node_exporter": (Module("github.com/prometheus/node_exporter"),),
    "blackbox_exporter": (Module("github.com/prometheus/blackbox_exporter"),),
    "thanos": (Module("github.com/thanos-io/thanos"),),
    "loki": (Module("github.com/grafana/loki"), Module("github.com/grafana/loki/v3", (3, 0))),
    "coredns": (Module("github.com/coredns/coredns"),),
    "kube_state_metrics": (
        Module("k8s.io/kube-state-metrics"),
        Module("k8s.io/kube-state-metrics/v2", (2, 0)),
    ),
    "argocd": (
        Module("github.com/argoproj/argo-cd"),
        Module("github.com/argoproj/argo-cd/v2", (2, 1)),
        Module("github.com/argoproj/argo-cd/v3", (3, 0)),
    ),
    "cilium": (Module("github.com/cilium/cilium"),),
    "istio": (Module("istio.io/istio"),),
    "rancher": (Module("github.com/rancher/rancher"),),
}
# Repositories whose module has another name than the repository.
REPOSITORIES: Mapping[str, str] = {
    "github.com/kubernetes/kubernetes": "kubernetes",
    "github.com/containerd/containerd": "containerd",
    "github.com/docker/docker": "docker",
    "github.com/moby/moby": "docker",
    "github.com/etcd-io/etcd": "etcd",
    "github.com/coreos/etcd": "etcd",
    "github.com/prometheus/prometheus": "prometheus",
    "github.com/grafana/loki": "loki",
    "github.com/kubernetes/kube-state-metrics": "kube_state_metrics",
    "github.com/argoproj/argo-cd": "argocd",
    "github.com/istio/istio": "istio",
}


def released(component: str, release: str, go: str = "") -> Build | None:
    """Return the build of a component's release; None when that is no release's number."""
    found = _RELEASE.fullmatch(_as_go_writes(release.strip()))
    if not found:
        return None
    minor, patch = int(found[3]), int(found[4] or 0)
    module = [one for one in COMPONENTS[component] if one.since <= (int(found[2]), minor)][-1]
    version = module.numbers.format(release=found[1], minor=minor, patch=patch, rest=found[5])
    return Build(go=go_version(go), main=module.path, main_version=version or None)


def _as_go_writes(release: str) -> str:
    """Return a release with one mark for what comes before it, -, and one for what a distribution adds to it, +."""
    number, mark, added = _BEFORE.sub("-", release).replace("~", "+").partition("+")
    return number + mark + added.replace("+", ".")


def go_version(text: str) -> str | None:
    """Return the Go version that a field names; None when it names none."""
    found = _GO.fullmatch(text.strip())
    return found[1] if found else None
