"""Versions are ordered as Go orders them; which of them have a leak follows from its fixes, line by line."""

import pytest

from oakum.knowledge.affected import Affected
from oakum.knowledge.running import Running, running
from oakum.knowledge.versions import version
from oakum.model import Build, Frame

# As `semver.Compare` of golang.org/x/mod sorts them, oldest first.
ORDERED = (
    "v0.0.0-20180101000000-abcdef123456", "v0.0.0-20191016111102-bec269661e48", "v0.17.0-alpha.2", "v0.17.0-alpha.10",
    "v0.17.0-beta.0", "v0.17.0-rc.1", "v0.17.0", "v0.17.1-0.20200101000000-abcdef123456", "v0.17.1", "v0.18.0",
    "v1.0.0-1", "v1.0.0-a", "v1.0.0-a.b", "v1.0.0", "v1.10.0", "v2.0.0+incompatible", "v14.2.0+incompatible",
)  # fmt: skip
BACKPORTS = Affected("k8s.io/kubernetes", ("v1.14.8", "v1.15.5", "v1.16.2", "v1.17.0"))
APISERVER = Affected(
    "k8s.io/apiserver", ("v1.14.8", "v1.15.5", "v1.16.2", "v1.17.0"), fixed_on="2019-10-03", releases="kubernetes"
)


def test_order() -> None:
    found = [one for text in ORDERED if (one := version(text))]
    assert len(found) == len(ORDERED)
    assert sorted(found, key=lambda one: one.order) == found
    assert len({one.order for one in found}) == len(found)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("go1.21rc2", "v1.21.0-rc.2"),
        ("go1.19.8", "v1.19.8"),
        ("go1.19", "v1.19.0"),
        ("go1.26.8 X:nodwarf5", "v1.26.8"),
        ("devel go1.27-3f1a2b Mon Jan 5", "v1.27.0-devel"),
        ("2.4.13", "v2.4.13"),
        ("v1.18.8+k3s1", "v1.18.8+k3s1"),
    ],
)
def test_written_otherwise(text: str, means: str) -> None:
    assert str(version(text)) == means


@pytest.mark.parametrize("text", ["", "(devel)", "latest", "v1.2.3.4", "v1.2.x", "master", "go", "v" * 5000, "v1.-2.3"])
def test_no_version(text: str) -> None:
    assert version(text) is None
    assert BACKPORTS.has(text) == "unknown"


@pytest.mark.parametrize(
    ("found", "has", "upgrade"),
    [
        ("v1.12.4", "yes", "v1.14.8"),
        ("v1.14.7", "yes", "v1.14.8"),
        ("v1.14.8", "no", None),
        ("v1.14.10", "no", None),
        ("v1.15.4", "yes", "v1.15.5"),
        ("v1.15.12", "no", None),
        ("v1.16.1", "yes", "v1.16.2"),
        ("v1.16.2", "no", None),
        ("v1.17.0", "no", None),
        ("v1.30.1", "no", None),
        ("v1.17.0-rc.1", "unknown", "v1.17.0"),  # before the release, perhaps after the fix
        ("v1.13.9-rc.1", "yes", "v1.14.8"),
        ("v2.0.0+incompatible", "no", None),
    ],
)
def test_backports(found: str, has: str, upgrade: str | None) -> None:
    assert BACKPORTS.has(found) == has
    if upgrade:
        assert BACKPORTS.fixed_by(found) == upgrade


@pytest.mark.parametrize(
    ("found", "has"),
    [
        ("v0.15.4", "yes"),  # v1.15.4 of Kubernetes
        ("v0.15.7", "no"),
        ("v0.17.0", "no"),
        ("v0.0.0-kubernetes-1.12.4", "yes"),
        ("v0.0.0-kubernetes-1.14.8", "no"),
        ("v0.0.0-20181204000618-8acf60e7b6e5", "yes"),  # committed before the fix was
        ("v0.0.0-20191114103151-9ca1dc586682", "unknown"),  # after: the branch is not told
    ],
)
def test_parts_of_kubernetes(found: str, has: str) -> None:
    assert APISERVER.has(found) == has


def test_client_go_had_numbers_of_its_own() -> None:
    client = Affected("k8s.io/client-go", ("v0.14.3", "v0.17.0"))
    assert client.has("v10.0.0+incompatible") == "yes"
    assert client.has("v11.0.1-0.20190409021438-1a26190bd76a+incompatible") == "yes"
    assert client.fixed_by("v11.0.0+incompatible") == "v0.14.3"
    assert client.has("v0.17.2") == "no"


def test_pseudo_version_between_releases() -> None:
    dated = Affected("example.com/a", ("v1.3.0",), fixed_on="2021-06-01")
    assert dated.has("v1.2.4-0.20210101000000-abcdef123456") == "yes"
    assert dated.has("v1.2.4-0.20210701000000-abcdef123456") == "unknown"
    assert Affected("example.com/a", ("v1.2.4",)).has("v1.2.4-0.20210701000000-abcdef123456") == "unknown"
    assert Affected("example.com/a", ("v1.3.0",), "v1.2.0").has("v1.1.9") == "no"
    assert Affected("example.com/a", ("v1.3.0",), "v1.2.0").has("v1.2.0-rc.1") == "unknown"
    assert Affected("example.com/a").has("v9.9.9") == "yes"  # no release has the fix
    assert Affected("example.com/a").fixed_by("v9.9.9") is None


KUBELET = Build(
    go="go1.13.15",
    main="k8s.io/kubernetes",
    main_version="(devel)",
    modules={"k8s.io/apimachinery": "(replaced)", "k8s.io/klog": "v1.0.0"},
    replaced={"k8s.io/apimachinery": "./staging/src/k8s.io/apimachinery"},
    settings={"-ldflags": "-s -w -X k8s.io/component-base/version.gitVersion=v1.18.8 -X main.x=y"},
)
FORKED = Build(
    go="go1.14",
    main="example.com/acp",
    main_version="(devel)",
    modules={"k8s.io/client-go": "v0.17.2-rancher.1", "k8s.io/api": "(replaced)"},
    replaced={"k8s.io/client-go": "github.com/rancher/client-go", "k8s.io/api": "../api"},
)


@pytest.mark.parametrize(
    ("module", "build", "expected"),
    [
        ("k8s.io/apimachinery", KUBELET, Running("k8s.io/apimachinery", "v0.18.8", "release")),
        ("k8s.io/kubernetes", KUBELET, Running("k8s.io/kubernetes", "v1.18.8", "release")),
        ("k8s.io/klog", KUBELET, Running("k8s.io/klog", "v1.0.0", "build")),
        ("std", KUBELET, Running("std", "v1.13.15", "go")),
        (
            "k8s.io/client-go",
            FORKED,
            Running("k8s.io/client-go", "v0.17.2-rancher.1", "build", "github.com/rancher/client-go"),
        ),
        ("k8s.io/api", FORKED, Running("k8s.io/api", None, "build", "../api")),
        ("example.com/acp", FORKED, Running("example.com/acp")),
        (
            "k8s.io/client-go",
            Build(main="k8s.io/kubernetes", main_version="v1.20.5+k3s1"),
            Running("k8s.io/client-go", "v0.20.5", "release"),
        ),
        ("example.com/other", KUBELET, Running("example.com/other")),
    ],
)
def test_which_version_runs(module: str, build: Build, expected: Running) -> None:
    assert running(module, build) == expected


def test_paths_tell_the_version() -> None:
    receive = "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive"
    cached = Frame(receive, "/go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch/streamwatcher.go", 127)
    trimmed = Frame(receive, "k8s.io/apimachinery@v0.18.9/pkg/watch/streamwatcher.go", 127)
    vendored = Frame(receive, "/src/cpc/vendor/k8s.io/apimachinery/pkg/watch/streamwatcher.go", 127)
    forked = Frame(receive, "/go/pkg/mod/github.com/!acme/apimachinery@v0.18.8/pkg/watch/streamwatcher.go", 127)
    other = Frame("main.main", "/go/pkg/mod/k8s.io/client-go@v0.1.0/x.go", 1)
    module = "k8s.io/apimachinery"
    assert running(module, None, [other, cached]) == Running(module, "v0.18.8", "path")
    assert running(module, KUBELET, [trimmed]) == Running(module, "v0.18.9", "path")
    assert running(module, KUBELET, [vendored]).how == "release"
    assert running(module, None, [forked]) == Running(module, "v0.18.8", "path", "github.com/Acme/apimachinery")
