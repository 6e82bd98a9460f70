"""What programs answer when asked for their version, as JSON, text, labels of their image, or metrics."""

import json
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakum.model import Build, Capture, Reading
from oakum.parse import parse
from support import ROOT

KUBERNETES = {
    "major": "1", "minor": "18", "gitVersion": "v1.18.8+k3s1", "gitCommit": "6b595318", "gitTreeState": "clean",
    "buildDate": "2020-08-13T20:36:44Z", "goVersion": "go1.13.15", "compiler": "gc", "platform": "linux/amd64",
}  # fmt: skip
ENGINE = {"Name": "Engine", "Version": "24.0.7", "Details": {"GoVersion": "go1.20.10"}}
RUNTIME = {"Name": "containerd", "Version": "v1.6.26", "Details": {"GitCommit": "3dd1e886"}}
DOCKER = {"Components": [ENGINE, RUNTIME], "Version": "24.0.7", "ApiVersion": "1.43", "GoVersion": "go1.20.10"}
NODE = {
    "kind": "Node",
    "status": {"nodeInfo": {"kubeletVersion": "v1.18.8", "containerRuntimeVersion": "containerd://1.5.8"}},
}
NODES_YAML = """apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  status:
    nodeInfo:
      architecture: amd64
      containerRuntimeVersion: docker://19.3.11
      kubeletVersion: v1.18.8
kind: List
"""
DOCKER_TEXT = """Client: Docker Engine - Community
 Version:           25.0.1
 API version:       1.43
 Go version:        go1.21.6

Server: Docker Engine - Community
 Engine:
  Version:          24.0.7
  API version:      1.43 (minimum version 1.12)
  Go version:       go1.20.10
  Git commit:       311b9ff
 containerd:
  Version:          1.6.26
  GitCommit:        3dd1e886e55dd695541fdcd67420c2888645a495
"""
CTR = """Client:
  Version:  v1.5.9
  Revision: 1407cab509ff0d96baa4f0eb6ff9980270e6e620
  Go version: go1.17.2

Server:
  Version:  v1.5.8
  Revision: 1e5ef943eb76627a6d3b6de8cd1ef6537f393a71
  UUID: 4ba1d4c5-1d0c-4b7d-8a4a-0a2f2c8f0e55
"""
PROMETHEUS = """prometheus, version 2.45.0 (branch: HEAD, revision: 8ef767e396bf8445f009f945b0162fd71827f445)
  build user:       root@920118f645b7
  build date:       20230623-15:09:49
  go version:       go1.20.5
  platform:         linux/amd64
  tags:             netgo,builtinassets,stringlabels
"""
KUBECTL_OLD = (
    'Client Version: version.Info{Major:"1", Minor:"19", GitVersion:"v1.19.1", GoVersion:"go1.15"}\n'
    'Server Version: version.Info{Major:"1", Minor:"18", GitVersion:"v1.18.8", GitCommit:"9f2892a", '
    'GitTreeState:"clean", BuildDate:"2020-08-13T16:04:18Z", GoVersion:"go1.13.15", Compiler:"gc"}\n'
)
KUBECTL_YAML = 'clientVersion:\n  gitVersion: v1.28.2\nserverVersion:\n  gitVersion: v1.27.3\n  goVersion: go1.20.5\n  minor: "27"\n'
K8S = "k8s.io/kubernetes"
CONTAINERD = "github.com/containerd/containerd"
DOCKERD = "github.com/docker/docker"


def readings(answer: object) -> tuple[Reading, ...]:
    text = answer if isinstance(answer, str) else json.dumps(answer, indent=2)
    return parse(Capture("x", text.encode()))


def told(answer: object) -> list[tuple[str | None, str | None, str | None, str | None]]:
    """Return (program, main module, its version, Go's) of everything that an answer tells of."""
    return [
        (r.notes.get("program"), r.build.main, r.build.main_version, r.build.go)
        for r in readings(answer)
        if r.build is not None
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (KUBERNETES, [(None, K8S, "v1.18.8+k3s1", "go1.13.15")]),
        (
            {"clientVersion": {**KUBERNETES, "gitVersion": "v1.30.0"}, "serverVersion": KUBERNETES},
            [("kube-apiserver", K8S, "v1.18.8+k3s1", "go1.13.15")],
        ),
        (NODE, [("kubelet", K8S, "v1.18.8", None), ("containerd", CONTAINERD, "v1.5.8", None)]),
        (
            {"kind": "List", "items": [NODE, NODE]},
            [("kubelet", K8S, "v1.18.8", None), ("containerd", CONTAINERD, "v1.5.8", None)],
        ),
        (DOCKER, [("dockerd", DOCKERD, "v24.0.7", "go1.20.10"), ("containerd", CONTAINERD, "v1.6.26", None)]),
        (
            {"Client": {"Version": "25.0.1", "ApiVersion": "1.43", "GoVersion": "go1.21.6"}, "Server": DOCKER},
            [("dockerd", DOCKERD, "v24.0.7", "go1.20.10"), ("containerd", CONTAINERD, "v1.6.26", None)],
        ),
        ({**DOCKER, "Version": "29.0.1"}, [("dockerd", "github.com/moby/moby/v2", None, "go1.20.10"), ("containerd", CONTAINERD, "v1.6.26", None)]),
        ('{"etcdserver":"3.5.9","etcdcluster":"3.5.0"}', [("etcd", "go.etcd.io/etcd/server/v3", "v3.5.9", None)]),
        ({"etcdserver": "3.4.27"}, [("etcd", "go.etcd.io/etcd", "v3.4.27", None)]),
        ({"etcdserver": "3.3.10"}, [("etcd", "github.com/coreos/etcd", "v3.3.10", None)]),
        (
            {"cluster": {}, "uptime": "x", "versionInfo": {"version": "0.26.0", "goVersion": "go1.20.7"}},
            [("alertmanager", "github.com/prometheus/alertmanager", "v0.26.0", "go1.20.7")],
        ),
        (
            {"id": "server-version", "type": "setting", "value": "v2.4.4"},
            [("rancher", "github.com/rancher/rancher", "v2.4.4", None)],
        ),
        ({"version": "1.4.2", "goVersion": "go1.21.3"}, [(None, None, None, "go1.21.3")]),
        ({"status": "success", "data": {"version": "2.45.0", "goVersion": "go1.20.5"}}, [(None, None, None, "go1.20.5")]),
        # A server made with Kubernetes' libraries tells its own release.
        ({**KUBERNETES, "major": "0", "gitVersion": "v0.6.3"}, [(None, None, None, "go1.13.15")]),
    ],
)  # fmt: skip
def test_answers_in_json(answer: object, expected: object) -> None:
    assert told(answer) == expected
    assert {r.format for r in readings(answer)} == {"version"}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Kubernetes v1.18.8\n", [(None, K8S, "v1.18.8", None)]),
        (f"containerd {CONTAINERD} v1.5.8 1e5ef943eb76627a6d3b6de8cd1ef6537f393a71\n", [("containerd", CONTAINERD, "v1.5.8", None)]),
        (f"containerd {CONTAINERD} 1.6.20~ds1 1.6.20~ds1-1+b1\n", [("containerd", CONTAINERD, "v1.6.20+ds1", None)]),
        (f"containerd {CONTAINERD}/v2 v2.0.1 88aa2f53\n", [("containerd", f"{CONTAINERD}/v2", "v2.0.1", None)]),
        (CTR, [("containerd", CONTAINERD, "v1.5.8", None)]),
        (
            "etcd Version: 3.5.9\nGit SHA: bdbbde998\nGo Version: go1.19.9\nGo OS/Arch: linux/amd64\n",
            [("etcd", "go.etcd.io/etcd/server/v3", "v3.5.9", "go1.19.9")],
        ),
        ("Docker version 20.10.24+dfsg1, build 297e128\n", [("dockerd", DOCKERD, "v20.10.24+dfsg1", None)]),
        (DOCKER_TEXT, [("dockerd", DOCKERD, "v24.0.7", "go1.20.10"), ("containerd", CONTAINERD, "v1.6.26", None)]),
        (PROMETHEUS, [("prometheus", "github.com/prometheus/prometheus", "v0.45.0", "go1.20.5")]),
        (PROMETHEUS.replace("2.45.0", "3.5.1"), [("prometheus", "github.com/prometheus/prometheus", "v0.305.1", "go1.20.5")]),
        ("k3s version v1.18.8+k3s1 (6b595318)\ngo version go1.13.15\n", [(None, K8S, "v1.18.8+k3s1", "go1.13.15")]),
        ("CoreDNS-1.10.1\nlinux/amd64, go1.20, 055b2c3\n", [("coredns", "github.com/coredns/coredns", "v1.10.1", "go1.20")]),
        ("Client Version: v1.28.2\nKustomize Version: v5.0.4\nServer Version: v1.27.3\n", [("kube-apiserver", K8S, "v1.27.3", None)]),
        (KUBECTL_OLD, [("kube-apiserver", K8S, "v1.18.8", "go1.13.15")]),
        (KUBECTL_YAML, [("kube-apiserver", K8S, "v1.27.3", "go1.20.5")]),
        ("Kubernetes v1.18.8\r\n", [(None, K8S, "v1.18.8", None)]),
    ],
)  # fmt: skip
def test_answers_in_text(answer: str, expected: object) -> None:
    assert told(answer) == expected
    assert {r.format for r in readings(answer)} == {"version"}


def test_nodes_as_yaml() -> None:
    padding = "".join(f"  # {n}\n" for n in range(1000))  # a real list has images in it
    assert told(NODES_YAML.replace("kind: List", padding + "kind: List")) == [
        ("kubelet", K8S, "v1.18.8", None),
        ("dockerd", DOCKERD, "v19.3.11", None),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "Kubernetes v1.18.8 was released\n",
        "containerd is running\n",
        "tempo, version 2.3.1 (branch: HEAD, revision: 3bfcd9a)\n  go version:       go1.21.3\n",
        {"message": "not found", "code": 404},
        {"Version": "4.3.1", "ApiVersion": "1.41", "GoVersion": "x", "Components": [{"Name": "Podman Engine"}]},
        {"id": "server-version", "type": "harvesterhci.io.setting", "value": "v1.2.0"},
        {"etcdserver": "not decided"},
        {"etcdserver": 3.5},
        [KUBERNETES],
        json.dumps(KUBERNETES) + '\n{"level":"info","msg":"started"}\n',
    ],
)
def test_what_tells_no_build(answer: object) -> None:
    assert told(answer) == []


def test_a_record_with_stacks_is_read_for_its_stacks() -> None:
    stack = "goroutine 1 [running]:\nmain.main()\n\t/srv/a.go:9 +0x1\n"
    (reading,) = readings(json.dumps({"version": "1.2", "goVersion": "go1.21.3", "msg": stack}) + "\n")
    assert reading.kind == "goroutine"


LABELS = {
    "org.opencontainers.image.source": "https://github.com/rancher/rancher.git",
    "org.opencontainers.image.version": "v2.4.4",
    "org.opencontainers.image.title": "rancher",
}


@pytest.mark.parametrize(
    "image",
    [
        {"architecture": "amd64", "config": {"Labels": LABELS}, "rootfs": {}},
        [{"Id": "sha256:1", "RepoTags": ["rancher/rancher:v2.4.4"], "Config": {"Labels": LABELS}}],
        {"Name": "docker.io/rancher/rancher", "Labels": LABELS, "Layers": []},
        {"schemaVersion": 2, "annotations": LABELS},
        {"status": {}, "info": {"imageSpec": {"config": {"Labels": LABELS}}}},
    ],
)
def test_labels_of_an_image(image: object) -> None:
    (reading,) = readings(image)
    assert (reading.kind, reading.format) == ("build", "image-labels")
    assert reading.build == Build(main="github.com/rancher/rancher", main_version="v2.4.4")


@pytest.mark.parametrize(
    ("labels", "main", "version"),
    [
        ({"source": "git@gitlab.com:a/b", "version": "1.2.3"}, "gitlab.com/a/b", "v1.2.3"),
        ({"url": "https://github.com/a/b/tree/main", "version": "1.2.3-rc.1"}, "github.com/a/b", "v1.2.3-rc.1"),
        ({"source": "https://github.com/kubernetes/kubernetes", "version": "1.27.3"}, K8S, "v1.27.3"),
        ({"source": "https://github.com/prometheus/prometheus", "version": "v2.45.0"}, "github.com/prometheus/prometheus", "v0.45.0"),
        ({"source": "https://github.com/a/b"}, None, None),
        ({"version": "1.2.3"}, None, None),
        ({"source": "https://github.com/a/b", "version": "latest"}, None, None),
        ({"source": "https://git.example.com/a/b", "version": "1.2.3"}, None, None),
        ({"source": "https://github.com/a", "version": "22.04"}, None, None),
        ({"source": 7, "version": []}, None, None),
    ],
)  # fmt: skip
def test_only_a_version_and_a_source_make_a_build(
    labels: dict[str, object], main: str | None, version: str | None
) -> None:
    full = {f"org.opencontainers.image.{name}": value for name, value in labels.items()}
    assert told({"config": {"Labels": full}}) == ([(None, main, version, None)] if main else [])


def scraped(*samples: str) -> Build | None:
    (reading,) = readings("# TYPE go_goroutines gauge\ngo_goroutines 7\n" + "".join(f"{s} 1\n" for s in samples))
    assert (reading.kind, reading.format) == ("metrics", "prometheus-text")
    return reading.build


GO = 'go_info{version="go1.20.5"}'
OWN = 'go_build_info{checksum="unknown",path="github.com/prometheus/prometheus",version="(devel)"}'
PROM = 'prometheus_build_info{branch="HEAD",goversion="go1.20.5",revision="8ef767e",version="2.45.0"}'


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ((), None),
        ((GO,), Build(go="go1.20.5")),
        ((GO, 'go_info{version="go1.21.1"}'), None),  # handed on of several
        ((OWN,), Build(main="github.com/prometheus/prometheus")),
        ((GO, OWN, PROM), Build(go="go1.20.5", main="github.com/prometheus/prometheus", main_version="v0.45.0")),
        (('go_build_info{path="unknown",version="unknown"}',), None),
        (('go_build_info{path="a.org/b",version="v1.2.3"}', PROM), Build(go="go1.20.5", main="a.org/b", main_version="v1.2.3")),
        ((PROM, 'thanos_build_info{version="0.32.1"}'), Build(go="go1.20.5")),
        (('kubernetes_build_info{git_version="v1.27.3",go_version="go1.20.5"}',), Build(go="go1.20.5", main=K8S, main_version="v1.27.3")),
        (('kubernetes_build_info{gitVersion="v1.13.4",goVersion="go1.11.5"}',), Build(go="go1.11.5", main=K8S, main_version="v1.13.4")),
        (('kubernetes_build_info{git_version="v0.6.3",go_version="go1.19"}',), None),
        (('etcd_server_version{server_version="3.5.9"}',), Build(main="go.etcd.io/etcd/server/v3", main_version="v3.5.9")),
        (('containerd_build_info_total{revision="1e5ef94",version="v1.5.8"}',), Build(main=CONTAINERD, main_version="v1.5.8")),
        (('istio_build{component="proxy",tag="1.16.5"}',), None),
        (('istio_build{component="pilot",tag="1.16.5"}',), Build(main="istio.io/istio", main_version="v1.16.5")),
        (('argocd_info{version="v3.0.6+db93798"}',), Build(main="github.com/argoproj/argo-cd/v3", main_version="v3.0.6+db93798")),
        (('loki_build_info{goversion="unknown",version="unknown"}',), None),
        (('shop_build_info{version="1.2.3",goversion="go1.20.5"}',), None),
    ],
)  # fmt: skip
def test_metrics_that_tell_a_build(samples: tuple[str, ...], expected: Build | None) -> None:
    assert scraped(*samples) == expected


def test_a_recorded_scrape_tells_its_build() -> None:
    take = ROOT / "casebook" / "healthy-alertmanager" / "captures" / "healthy-go1.19-trimpath"
    (reading,) = parse(Capture("x", next(take.glob("*/metrics.txt.gz")).read_bytes()))
    assert reading.build == Build(go="go1.19.8", main="github.com/prometheus/alertmanager", main_version="v0.25.0")


def test_an_answer_that_is_almost_one_is_refused_at_once() -> None:
    begun = process_time()
    assert told(PROMETHEUS.replace("netgo", "netgo" + " " * 150 + "x") + "the end\n") == []
    assert process_time() - begun < 5


@settings(max_examples=50)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=8) | st.sampled_from(["v1.2.3", "go1.21", "containerd://1", "Engine"]),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["gitVersion", "goVersion", "serverVersion", "items", "status", "nodeInfo", "Components", "Server", "data",
                 "versionInfo", "etcdserver", "kubeletVersion", "Labels", "config", "Deps", "GoVersion", "Main", "Name"]
            ),
            inner,
            max_size=5,
        ),
        max_leaves=20,
    )
)  # fmt: skip
def test_no_document_raises(document: object) -> None:
    for reading in readings(document):
        assert not [problem for problem in reading.problems if problem.key == "internal"]
