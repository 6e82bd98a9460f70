"""What a program answers when it is asked for its version, in JSON -> Build.

In: /version of Kubernetes' components, docker and etcd, `kubectl version -o json`, `docker version --format json`,
nodes of a cluster, the version setting of Rancher. Out: readings of kind "build", one for each program that is told of,
its name in the notes. Refuses a document as soon as one part of it is something else.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Buffer, Build, Reading
from oakum.parse.builds.components import go_version, released
from oakum.parse.limits import Limits
from oakum.parse.plain_json import MOST, begins, documents, each, inside, text_of

Json = Mapping[str, object]


class Told(Struct, frozen=True):
    """One program of which a version is told: its build, and what it is called where that is said."""

    build: Build
    program: str = ""


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the builds that an answer tells of, or nothing when it is no such answer."""
    del limits  # bounded by its size
    if len(data) > MOST or not begins(bytes(data[: 4 << 10])):
        return ()
    text = bytes(data)
    if not any(word in text for word in _WORDS) or b"goroutine " in text:
        return ()  # a record of a log may name its version beside the stacks in it
    found: dict[Told, None] = {}
    for document in documents(text):
        told = _versions_of(document) if isinstance(document, dict) else ()
        if not told:
            return ()  # a log that has one such record
        found |= dict.fromkeys(told)
    return tuple(reading("version", one) for one in found)


def reading(form: str, told: Told) -> Reading:
    """Return the reading of one program's version."""
    notes = MappingProxyType({"program": told.program} if told.program else {})
    return Reading(kind="build", format=form, go_version=told.build.go, build=told.build, notes=notes)


def _versions_of(document: Json) -> tuple[Told, ...]:
    for answer in _ANSWERS:
        if told := tuple(answer(document)):
            return told
    return ()


def _kubernetes(one: Json) -> Iterator[Told]:
    """{"major": "1", "minor": "18", "gitVersion": "v1.18.8", "goVersion": "go1.13.15", ...}"""
    if not text_of(one, "major") or not text_of(one, "goVersion"):
        return
    if build := kubernetes(text_of(one, "gitVersion"), text_of(one, "goVersion")):
        yield Told(build)


def kubernetes(release: str, go: str = "") -> Build | None:
    """Return the build of a release of Kubernetes.

    Servers made with its libraries (metrics-server, v0.6.3) tell their own release in the same fields.
    """
    return released("kubernetes", release, go) if release.startswith("v1.") else None


def _kubectl(one: Json) -> Iterator[Told]:
    """{"clientVersion": {...}, "serverVersion": {"major": "1", "minor": "18", "gitVersion": "v1.18.8", ...}}"""
    for told in _kubernetes(inside(one, "serverVersion")):
        yield replace(told, program="kube-apiserver")


def _nodes(one: Json) -> Iterator[Told]:
    """{"kind": "List", "items": [{"kind": "Node", "status": {"nodeInfo": {"kubeletVersion": "v1.18.8", ...}}}]}"""
    for node in [one, *each(one.get("items"))]:
        facts = inside(node, "status", "nodeInfo")
        yield from node_told(text_of(facts, "kubeletVersion"), text_of(facts, "containerRuntimeVersion"))


def node_told(kubelet: str, runtime: str) -> Iterator[Told]:
    """Yield what a node says of its programs: v1.18.8 and containerd://1.5.8."""
    if build := kubernetes(kubelet):
        yield Told(build, "kubelet")
    name, _, release = runtime.partition("://")
    if name in _RUNTIMES and (build := released(name, release)):
        yield Told(build, _RUNTIMES[name])


def _docker(one: Json) -> Iterator[Told]:
    """{"Version": "24.0.7", "ApiVersion": "1.43", "GoVersion": "go1.20.10", "Components": [{"Name": "Engine", ...}]}"""
    server = inside(one, "Server") or one
    release, go = text_of(server, "Version"), text_of(server, "GoVersion")
    parts = {text_of(part, "Name") for part in each(server.get("Components"))}
    # Podman answers in the same fields; its client's version, and docker's, has a default.
    if not text_of(server, "ApiVersion") or "DefaultAPIVersion" in server or (parts and "Engine" not in parts):
        return
    if not go_version(go):
        return
    if build := released("docker", release, go):
        yield Told(build, "dockerd")
    for part in each(server.get("Components")):
        if text_of(part, "Name") == "containerd" and (build := released("containerd", text_of(part, "Version"))):
            yield Told(build, "containerd")


def _etcd(one: Json) -> Iterator[Told]:
    """{"etcdserver": "3.5.9", "etcdcluster": "3.5.0"}"""
    if build := released("etcd", text_of(one, "etcdserver")):
        yield Told(build, "etcd")


def _alertmanager(one: Json) -> Iterator[Told]:
    """{"cluster": {...}, "config": {...}, "uptime": "...", "versionInfo": {"version": "0.26.0", "goVersion": ...}}"""
    facts = inside(one, "versionInfo")
    if "uptime" in one and (build := released("alertmanager", text_of(facts, "version"), text_of(facts, "goVersion"))):
        yield Told(build, "alertmanager")


def _rancher(one: Json) -> Iterator[Told]:
    """{"id": "server-version", "type": "setting", "value": "v2.4.4", ...}, as /v3/settings/server-version answers"""
    if one.get("id") != "server-version" or one.get("type") not in ("setting", "management.cattle.io.setting"):
        return
    if build := released("rancher", text_of(one, "value")):
        yield Told(build, "rancher")


def _nameless(one: Json) -> Iterator[Told]:
    """{"version": "1.4.2", "goVersion": "go1.21.3"}: who answered is not said, so that only Go's version is of use."""
    if not (text_of(one, "version", "Version", "gitVersion", "GitVersion") or inside(one, "data")):
        return
    facts = [one, inside(one, "data")]  # /api/v1/status/buildinfo of Prometheus and its relatives
    versions = {go for part in facts if (go := go_version(text_of(part, "goVersion", "GoVersion", "go_version")))}
    if len(versions) == 1:
        yield Told(Build(go=versions.pop()))


_RUNTIMES = {"containerd": "containerd", "docker": "dockerd"}  # runtime of a node -> its program
_ANSWERS: tuple[Callable[[Json], Iterator[Told]], ...] = (
    _kubectl, _nodes, _docker, _etcd, _alertmanager, _rancher, _kubernetes, _nameless,
)  # fmt: skip
# At least one of these stands in every such answer.
_WORDS = (
    b'"goVersion"', b'"GoVersion"', b'"go_version"', b'"etcdserver"', b'"kubeletVersion"', b'"server-version"',
)  # fmt: skip
