"""JSON of the API server -> pods, nodes and Services: only what finds their pprof and tells their memory's story.

Environment, annotations and command lines hold secrets: of them nothing is kept but ports and a few known flags.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oakum.model import Text

# What of a component's command line tells where its pprof is, and whether it is there at all.
_FLAGS = frozenset({"secure-port", "profiling", "enable-pprof"})
# --secure-port=10257   --profiling=false   --enable-pprof
_FLAG = re.compile(r"--([a-z-]{1,40})(?:=([\w.]{0,20}))?")
# Who scrapes profiles or metrics is told the port so: prometheus.io/port, profiles.grafana.com/memory.port
_PORT_NOTES = re.compile(r"(?:prometheus\.io|profiles\.grafana\.com|pprof\.[\w.-]{1,60})/(?:[\w-]{1,30}[.])?port")

# The label by which an EndpointSlice names the Service that it is of.
SERVICE_LABEL = "kubernetes.io/service-name"


@dataclass(frozen=True)
class Port:
    """A port of a pod, as its makers declare it."""

    number: int
    name: str = ""
    https: bool = False
    container: str = ""


@dataclass(frozen=True)
class Container:
    """What tells of one container whether memory is its trouble."""

    name: str
    image: str = ""
    restarts: int = 0
    state: str = ""  # "running since 2026-11-16T08:00:00Z", "waiting: CrashLoopBackOff"
    last: str = ""  # "OOMKilled at 2026-11-16T07:59:12Z, exit code 137"
    memory_limit: str = ""


@dataclass(frozen=True)
class Pod:
    """A pod: what it is made of, and where it runs."""

    namespace: str
    name: str
    phase: str
    node: str = ""
    static: bool = False  # made by the kubelet from a file of the node, which nobody can do through the API
    ports: tuple[Port, ...] = ()
    containers: tuple[Container, ...] = ()
    flags: tuple[tuple[str, str], ...] = ()  # of its commands: only those that are known to be harmless

    @property
    def facts(self) -> dict[str, object]:
        containers = {
            container.name: {key: value for key, value in (
                ("image", container.image), ("restarts", container.restarts), ("state", container.state),
                ("last state", container.last), ("memory limit", container.memory_limit),
            ) if value != ""} for container in self.containers
        }  # fmt: skip
        found = {"namespace": self.namespace, "pod": self.name, "node": self.node, "containers": containers}
        return {key: value for key, value in found.items() if value}

    def port_named(self, name: str) -> Port | None:
        """Return the port that a name or number means; None when no container has such a name."""
        if name.isdecimal():
            number = int(name)
            return next((port for port in self.ports if port.number == number), Port(number))
        return next((port for port in self.ports if port.name == name), None)


@dataclass(frozen=True)
class Node:
    """A node: its kubelet, where it listens, how much memory there is."""

    name: str
    addresses: tuple[str, ...] = ()
    kubelet_port: int = 10250
    kubelet: str = ""  # its version
    runtime: str = ""  # containerd://1.7.2
    memory: str = ""
    pressure: bool = False
    ready: bool = True

    @property
    def facts(self) -> dict[str, object]:
        found = {"node": self.name, "kubelet": self.kubelet, "runtime": self.runtime, "memory": self.memory}
        told: dict[str, object] = {key: value for key, value in found.items() if value}
        if self.pressure:
            told["memory pressure"] = True
        if not self.ready:
            told["ready"] = False
        return told


@dataclass(frozen=True)
class Service:
    """A Service: where it is reached."""

    namespace: str
    name: str
    addresses: tuple[str, ...] = ()  # of the cluster, of load balancers; none of a headless one
    ports: tuple[int, ...] = ()
    node_ports: tuple[int, ...] = ()


def pod(data: Mapping[str, Any]) -> Pod:
    about, spec, status = map_of(data, "metadata"), map_of(data, "spec"), map_of(data, "status")
    now = {text_of(one, "name"): one for one in maps_of(status, "containerStatuses")}
    containers = maps_of(spec, "containers")
    return Pod(
        text_of(about, "namespace"),
        text_of(about, "name"),
        text_of(status, "phase"),
        text_of(spec, "nodeName"),
        any(owner.get("kind") == "Node" for owner in maps_of(about, "ownerReferences")),
        tuple(dict.fromkeys(_ports(about, containers))),
        tuple(_container(one, now.get(text_of(one, "name"), {})) for one in containers),
        tuple(_flags(containers)),
    )


def node(data: Mapping[str, Any]) -> Node:
    about, status = map_of(data, "metadata"), map_of(data, "status")
    info = map_of(status, "nodeInfo")
    conditions = {text_of(one, "type"): text_of(one, "status") for one in maps_of(status, "conditions")}
    found = {text_of(one, "type"): text_of(one, "address") for one in maps_of(status, "addresses")}
    # As the API server prefers them, but for names, which this machine may not know.
    addresses = [found[kind] for kind in ("InternalIP", "ExternalIP", "Hostname") if found.get(kind)]
    port = map_of(map_of(status, "daemonEndpoints"), "kubeletEndpoint").get("Port")
    return Node(
        text_of(about, "name"),
        tuple(addresses),
        port if isinstance(port, int) and 0 < port < 65536 else 10250,
        text_of(info, "kubeletVersion"),
        text_of(info, "containerRuntimeVersion"),
        text_of(map_of(status, "capacity"), "memory"),
        conditions.get("MemoryPressure") == "True",
        conditions.get("Ready", "True") == "True",
    )


def service(data: Mapping[str, Any]) -> Service:
    about, spec = map_of(data, "metadata"), map_of(data, "spec")
    balancers = [text_of(one, "ip") for one in maps_of(map_of(map_of(data, "status"), "loadBalancer"), "ingress")]
    told = (text_of(spec, "clusterIP"), *_texts(spec, "clusterIPs"), *_texts(spec, "externalIPs"), *balancers)
    ports = maps_of(spec, "ports")
    return Service(
        text_of(about, "namespace"),
        text_of(about, "name"),
        tuple(one for one in dict.fromkeys(told) if one not in ("", "None")),
        tuple(number for one in ports if isinstance(number := one.get("port"), int)),
        tuple(number for one in ports if isinstance(number := one.get("nodePort"), int)),
    )


def pods_of(slices: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return namespace and name of the pods that EndpointSlices lead to, each once, whether ready or not."""
    refs = (map_of(one, "targetRef") for listed in slices for one in maps_of(listed, "endpoints"))
    named = [(text_of(ref, "namespace"), text_of(ref, "name")) for ref in refs if ref.get("kind") == "Pod"]
    return list(dict.fromkeys(named))


def public(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a Service or an EndpointSlice what says who is behind it: annotations may hold secrets."""
    about, spec, status = map_of(data, "metadata"), map_of(data, "spec"), map_of(data, "status")
    labels = {SERVICE_LABEL: text_of(map_of(about, "labels"), SERVICE_LABEL)}
    found = {
        "metadata": {"namespace": text_of(about, "namespace"), "name": text_of(about, "name"), "labels": labels},
        "spec": {key: spec[key] for key in ("clusterIP", "clusterIPs", "externalIPs", "ports", "type") if key in spec},
        "status": {"loadBalancer": map_of(status, "loadBalancer")} if map_of(status, "loadBalancer") else {},
        "endpoints": [
            {key: one[key] for key in ("addresses", "conditions", "nodeName", "targetRef") if key in one}
            for one in maps_of(data, "endpoints")
        ],
        "ports": maps_of(data, "ports"),
    }
    return {key: value for key, value in found.items() if value}


def _container(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Container:
    restarts = status.get("restartCount")
    return Container(
        text_of(spec, "name"),
        text_of(spec, "image"),
        restarts if isinstance(restarts, int) else 0,
        _state(map_of(status, "state")),
        _state(map_of(status, "lastState")),
        text_of(map_of(map_of(spec, "resources"), "limits"), "memory"),
    )


def _state(state: Mapping[str, Any]) -> str:
    if ended := map_of(state, "terminated"):
        code = ended.get("exitCode")
        return f"{text_of(ended, 'reason') or 'ended'} at {text_of(ended, 'finishedAt') or 'an unknown time'}" + (
            f", exit code {code}" if isinstance(code, int) else ""
        )
    if waiting := map_of(state, "waiting"):
        return f"waiting: {text_of(waiting, 'reason') or 'unknown'}"
    if running := map_of(state, "running"):
        return f"running since {text_of(running, 'startedAt')}"
    return ""


def _ports(about: Mapping[str, Any], containers: list[Mapping[str, Any]]) -> Iterator[Port]:
    """Yield where something may be served: declared, probed by the kubelet, or told to those who scrape."""
    for container in containers:
        name = text_of(container, "name")
        probed = {}
        for kind in ("livenessProbe", "readinessProbe", "startupProbe"):
            get = map_of(map_of(container, kind), "httpGet")
            if isinstance(number := get.get("port"), int):
                probed[number] = text_of(get, "scheme").upper() == "HTTPS"
        for port in maps_of(container, "ports"):
            number = port.get("containerPort")
            if isinstance(number, int) and text_of(port, "protocol") in ("", "TCP"):
                called = text_of(port, "name")
                yield Port(number, called, probed.pop(number, "https" in called or number in (443, 8443)), name)
        for number, https in probed.items():
            yield Port(number, "", https, name)
    for key, value in map_of(about, "annotations").items():
        if _PORT_NOTES.fullmatch(str(key)) and str(value).isdecimal() and 0 < int(value) < 65536:
            yield Port(int(value))


def _flags(containers: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for container in containers:
        for words in (container.get("command"), container.get("args")):
            for word in words if isinstance(words, list) else ():
                found = _FLAG.fullmatch(str(word)[:100])
                if found and found[1] in _FLAGS:
                    yield found[1], found[2] or "true"


def text_of(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value[:500] if isinstance(value, str) else ""


def _texts(data: Mapping[str, Any], key: str) -> list[str]:
    value = data.get(key)
    return [one[:500] for one in value if isinstance(one, str)] if isinstance(value, list) else []


def map_of(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def maps_of(data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = data.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def listed(names: Sequence[str], most: int) -> Text:
    """Return the first names, and how many more there are."""
    shown = {"names": ", ".join(names[:most])}
    return (
        Text("kube.there-more", {**shown, "more": len(names) - most})
        if len(names) > most
        else Text("kube.there", shown)
    )
