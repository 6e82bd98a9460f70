"""What a program prints when it is asked for its version -> Build.

In: `kubelet --version`, `containerd --version`, `ctr version`, `etcd --version`, `docker version`, `dockerd --version`,
`prometheus --version` and its relatives, `k3s --version`, `coredns -version`, `kubectl version` also as YAML, and nodes
as YAML. Out: readings of kind "build". Refuses a text in which more is told than that.
"""

import re
from collections.abc import Callable, Iterator

from oakum.model import Buffer, Reading
from oakum.parse.builds.components import COMPONENTS, released
from oakum.parse.builds.version_json import Told, kubernetes, node_told, reading
from oakum.parse.limits import Limits
from oakum.regex import regex

_MOST = 4 << 10  # bytes of an answer; `docker version` has 1 kB
_MOST_NODES = 16 << 20

# Kubernetes v1.18.8
_KUBERNETES = regex(r"Kubernetes (v1\.\S{1,100})\s*")
# containerd github.com/containerd/containerd v1.5.8 1e5ef943eb76627a6d3b6de8cd1ef6537f393a71
_CONTAINERD = regex(r"containerd github\.com/containerd/containerd(?:/v2)? (v?\d\S{1,100})(?: \S{1,100})?\s*")
# Client:
#   Version:  v1.5.8
#   Go version: go1.16.10
# Server:
#   Version:  v1.5.8
_CTR = regex(
    r"Client:\n  Version: +\S{1,100}\n  Revision: [^\n]{0,100}\n(?:  Go version: (\S{1,100})\n)?\n?"
    r"Server:\n  Version: +(v?\d\S{1,100})\n[^\n]{0,200}\n?(?:  UUID: \S{1,100}\s*)?"
)
# etcd Version: 3.5.9
# Git SHA: bdbbde998
# Go Version: go1.19.9
_ETCD = regex(r"etcd Version: (\S{1,100})\nGit SHA: \S{1,100}\nGo Version: (\S{1,100})\n(?:Go OS/Arch: \S+\s*)?")
# Docker version 24.0.7, build 311b9ff
_DOCKERD = regex(r"Docker version (\d\S{1,100}), build \S{1,100}\s*")
# Server: Docker Engine - Community
#  Engine:
#   Version:          24.0.7
#   Go version:       go1.20.10
#  containerd:
#   Version:          1.6.26
_DOCKER = regex(r"^Server:[^\n]*\n Engine:\n  Version: +(\d\S{1,100})\n(?:  [^\n]*\n)*?  Go version: +(\S+)", re.M)
_DOCKER_CONTAINERD = regex(r"^ containerd:\n  Version: +(v?\d\S{1,100})$", re.MULTILINE)
# prometheus, version 2.45.0 (branch: HEAD, revision: 8ef767e396bf8445f009f945b0162fd71827f445)
#   build user:       root@920118f645b7
#   go version:       go1.20.5
_RELATIVE = regex(r"(\w{1,40}), version (\d\S{1,100}) \(branch: [^\n]{0,300}\)\n(?:  [^\n]{0,300}\n){1,12}")
_GO_LINE = regex(r"^  go version: +(go\S+)", re.MULTILINE)
# k3s version v1.18.8+k3s1 (6b595318)
# go version go1.13.15
_K3S = regex(r"k3s version (v1\.\S{1,100}) \(\S{1,60}\)\s*(?:go version (go\S{1,60})\s*)?")
# CoreDNS-1.10.1
# linux/amd64, go1.20, 055b2c3
_COREDNS = regex(r"CoreDNS-(\d\S{1,60})\n\S{1,60}, (go\S{1,60}), \S{0,60}\s*")
# Server Version: v1.27.3
# Server Version: version.Info{Major:"1", Minor:"18", GitVersion:"v1.18.8", ..., GoVersion:"go1.13.15", ...}
_KUBECTL = regex(r"^Server Version: (v1\.\S{1,100})\s*$", re.MULTILINE)
_KUBECTL_OLD = regex(
    r'^Server Version: version\.Info\{.{0,200}?GitVersion:"(v1\.[^"]+)".{0,400}?GoVersion:"([^"]+)"', re.M
)
# serverVersion:
#   gitVersion: v1.27.3
#   goVersion: go1.20.5
_KUBECTL_YAML = regex(r"^serverVersion:\n((?:  [^\n]{0,200}\n){1,30})", re.MULTILINE)
_YAML = regex(r'^  (\w+): "?([^"\n]*)"?$', re.MULTILINE)
#     nodeInfo:
#       containerRuntimeVersion: containerd://1.5.8
#       kubeletVersion: v1.18.8
_NODE_YAML = regex(r"^ *nodeInfo:\n((?: +\w+: [^\n]{0,200}\n){1,30})", re.MULTILINE)
_NODE_FACT = regex(r"^ +(\w+): (\S+)$", re.MULTILINE)


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the builds that an answer tells of, or nothing when it is no such answer."""
    del limits  # bounded by its size
    head = bytes(data[: 4 << 10])
    if len(data) <= _MOST:
        text = head.decode("utf-8", "replace").replace("\r\n", "\n").strip() + "\n"
        told = [one for answer in _ANSWERS for one in answer(text)]
    elif len(data) <= _MOST_NODES and head.startswith(b"apiVersion: v1\n"):
        told = list(_nodes(bytes(data).decode("utf-8", "replace").replace("\r\n", "\n")))
    else:
        return ()
    return tuple(reading("version", one) for one in dict.fromkeys(told))


def _whole(pattern: re.Pattern[str], component: str, program: str) -> Callable[[str], Iterator[Told]]:
    """Return a reader of texts that are nothing but the release, perhaps followed by Go's version."""

    def read_whole(text: str) -> Iterator[Told]:
        if found := pattern.fullmatch(text):
            go = found[2] if pattern.groups > 1 else None
            if build := released(component, found[1], go or ""):
                yield Told(build, program)

    return read_whole


def _ctr(text: str) -> Iterator[Told]:
    found = _CTR.fullmatch(text)
    if found and (build := released("containerd", found[2])):  # the line of Go's version is the client's
        yield Told(build, "containerd")


def _relative(text: str) -> Iterator[Told]:
    found = _RELATIVE.fullmatch(text)
    if found and found[1] in COMPONENTS:
        go = _GO_LINE.search(text)
        if build := released(found[1], found[2], go[1] if go else ""):
            yield Told(build, found[1])


def _docker(text: str) -> Iterator[Told]:
    if not text.startswith(("Client:", "Server:")) or not (found := _DOCKER.search(text)):
        return
    if build := released("docker", found[1], found[2]):
        yield Told(build, "dockerd")
    if (beside := _DOCKER_CONTAINERD.search(text)) and (build := released("containerd", beside[1])):
        yield Told(build, "containerd")


def _kubectl(text: str) -> Iterator[Told]:
    if text.startswith("Client Version: "):
        new, old = _KUBECTL.search(text), _KUBECTL_OLD.search(text)
        release, go = (new[1], "") if new else (old[1], old[2]) if old else ("", "")
    elif (block := _KUBECTL_YAML.search(text)) and text.startswith("clientVersion:"):
        facts = dict(_YAML.findall(block[1]))
        release, go = facts.get("gitVersion", ""), facts.get("goVersion", "")
    else:
        return
    if build := kubernetes(release, go):
        yield Told(build, "kube-apiserver")


def _nodes(text: str) -> Iterator[Told]:
    for block in _NODE_YAML.findall(text):
        facts = dict(_NODE_FACT.findall(block))
        yield from node_told(facts.get("kubeletVersion", ""), facts.get("containerRuntimeVersion", ""))


_ANSWERS: tuple[Callable[[str], Iterator[Told]], ...] = (
    _whole(_KUBERNETES, "kubernetes", ""),
    _whole(_CONTAINERD, "containerd", "containerd"),
    _whole(_ETCD, "etcd", "etcd"),
    _whole(_DOCKERD, "docker", "dockerd"),
    _whole(_K3S, "kubernetes", ""),
    _whole(_COREDNS, "coredns", "coredns"),
    _ctr,
    _relative,
    _docker,
    _kubectl,
)
