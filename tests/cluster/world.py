"""What is in the cluster: addresses, nodes, pods with what they run, users and what each may.

Addresses are those that people use in examples; they are added to the loopback device of a network namespace, so that
nothing of the machine is in what is recorded, and that the API server, which proxies to no loopback address, proxies there.
"""

from dataclasses import dataclass

CONTROL = "10.240.0.4"  # the node with the control plane on it
NODES = {"node-a": CONTROL, "node-b": "10.240.0.5", "node-c": "10.240.0.6"}  # b: no profiling; c: no kubelet
SECRET = "hunter2-of-the-environment"  # in the environment and the annotations of pods; must be in no bundle


@dataclass(frozen=True)
class Pod:
    """A pod: where it is, its ports by name, what listens there."""

    namespace: str
    name: str
    address: str
    labels: dict[str, str]
    ports: tuple[tuple[str, int], ...] = ()
    listen: int = 0  # the port of its process, at all its addresses; 0: nowhere, or it is one of the control plane
    loopback: bool = False  # it listens on the loopback alone
    https: bool = False
    abandoned: int = 0  # goroutines that it leaks at its start
    phase: str = "Running"
    host_network: bool = False
    restarts: int = 0
    replica_set: str = ""  # that made it

    @property
    def node(self) -> str:
        """Return the node that it is on."""
        return "node-a" if self.host_network else "node-b"

    @property
    def addresses(self) -> list[str]:
        """Return where its process listens; what its loopback is, go/node knows too."""
        own = [] if self.loopback else [self.address]
        return [f"{address}:{self.listen}" for address in (*own, f"127{self.address.removeprefix('10')}")]

    @property
    def program(self) -> str:
        """Return what runs in it."""
        return self.labels.get("component") or self.labels["app"]


def _component(name: str, probed: int) -> Pod:
    """Return a part of the control plane as kubeadm makes it: a static pod in the node's own network."""
    labels = {"component": name, "tier": "control-plane"}
    return Pod("kube-system", f"{name}-node-a", CONTROL, labels, (("probe-port", probed),), host_network=True)


PODS = (
    Pod("shop", "cart-7d4b9c6f5d-x2x7p", "10.244.1.11", {"app": "cart"}, (("http", 8080), ("pprof", 6060)), 6060, abandoned=40, restarts=3, replica_set="cart-7d4b9c6f5d"),
    Pod("shop", "cart-7d4b9c6f5d-q8q4m", "10.244.1.12", {"app": "cart"}, (("http", 8080), ("pprof", 6060)), 6060, replica_set="cart-7d4b9c6f5d"),
    # Its server speaks TLS, with a certificate that nobody knows.
    Pod("shop", "checkout-5c8d7f9b6-k9k2z", "10.244.1.13", {"app": "checkout"}, (("https-debug", 8443),), 8443, https=True, abandoned=7),
    # Its server listens on the pod's loopback alone, as pprof servers should: the pod proxy cannot reach it.
    Pod("shop", "worker-0", "10.244.1.14", {"app": "worker"}, (("pprof", 6061),), 6061, loopback=True, abandoned=12),
    Pod("shop", "dead-0", "10.244.1.15", {"app": "dead"}, (("pprof", 6060),)),
    Pod("shop", "new-0", "", {"app": "cart"}, (("pprof", 6060),), phase="Pending"),
    Pod("staging", "cart-6f7c8d9b4-p5p8w", "10.244.1.21", {"app": "cart"}, (("pprof", 6060),), 6060),
    _component("kube-apiserver", 6443),
    _component("kube-scheduler", 10259),
    _component("kube-controller-manager", 10257),
    _component("etcd", 2381),  # its metrics, without TLS; its clients come to 2379 with certificates of etcd's own
)  # fmt: skip

# Services by name: namespace, address, ports as (name, port, port of the pods), the node port of the first.
SERVICES = (
    ("shop", "cart", "10.96.0.12", (("http", 80, 8080), ("pprof", 6060, 6060)), 0),
    ("shop", "checkout", "10.96.0.13", (("https-debug", 443, 8443),), 30443),
)


@dataclass(frozen=True)
class Event:
    """What a kubelet or a controller reported."""

    kind: str
    name: str
    reason: str
    message: str
    last: str
    count: int = 1
    namespace: str = "shop"


EVENTS = (
    Event("Deployment", "cart", "ScalingReplicaSet", "Scaled up replica set cart-7d4b9c6f5d from 1 to 2", "2026-11-15T07:59:50Z"),
    Event("Pod", "cart-7d4b9c6f5d-x2x7p", "BackOff", "Back-off restarting failed container cart", "2026-11-16T07:59:59Z", 3),
    Event("Node", "node-a", "SystemOOM", "System OOM encountered, victim process: cart", "2026-11-16T07:59:57Z", namespace="default"),
)  # fmt: skip

_LOOK = {"apiGroups": [""], "resources": ["pods", "nodes", "namespaces"], "verbs": ["get", "list"]}
_EVENTS = {"apiGroups": [""], "resources": ["events"], "verbs": ["get", "list"]}
_PROXY = {"apiGroups": [""], "resources": ["nodes/proxy", "pods/proxy"], "verbs": ["get"]}
_FORWARD = {"apiGroups": [""], "resources": ["pods/portforward"], "verbs": ["get", "create"]}
_KUBELET = {"apiGroups": [""], "resources": ["nodes/metrics"], "verbs": ["get"]}
_ROUTES = {"apiGroups": ["", "discovery.k8s.io"], "resources": ["services", "endpointslices"], "verbs": ["get", "list"]}
_PPROF = {"nonResourceURLs": ["/debug/pprof", "/debug/pprof/*", "/metrics"], "verbs": ["get"]}

# Who there is beside admin, whose certificate says system:masters: each has a token, and these rules.
USERS: dict[str, list[dict[str, list[str]]]] = {
    "reader": [_LOOK, _EVENTS, _PROXY, _KUBELET, _ROUTES, _PPROF],  # may enter by the proxies, and forward no port
    "looker": [_LOOK],  # may see pods and nodes, and enter neither
    "forwarder": [_LOOK, _FORWARD],  # may forward ports; the proxies refuse
    "nobody": [],
}


def service_object(
    namespace: str, name: str, address: str, ports: tuple[tuple[str, int, int], ...], node_port: int
) -> dict[str, object]:
    """Return what is sent to create a Service."""
    own = [{"name": called, "port": port, "targetPort": inside} for called, port, inside in ports]
    if node_port:
        own[0]["nodePort"] = node_port
    annotations = {"example.com/webhook": f"https://hooks.example.com/{SECRET}"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
        "spec": {
            "clusterIP": address,
            "type": "NodePort" if node_port else "ClusterIP",
            "selector": {"app": name},
            "ports": own,
        },
    }


def pod_object(pod: Pod, node_uid: str) -> dict[str, object]:
    """Return what is sent to create a pod."""
    container: dict[str, object] = {
        "name": pod.program,
        "image": f"registry.example.com/{pod.namespace}/{pod.program}:1.4.2",
        "ports": [{"name": name, "containerPort": port} for name, port in pod.ports],
        "env": [{"name": "DATABASE_PASSWORD", "value": SECRET}],
        "resources": {"limits": {"memory": "256Mi"}, "requests": {"memory": "128Mi"}},
    }
    annotations = {"example.com/webhook": f"https://hooks.example.com/{SECRET}"}
    owners = []
    if pod.host_network:
        owners = [{"apiVersion": "v1", "kind": "Node", "name": pod.node, "uid": node_uid, "controller": True}]
        scheme = "HTTP" if pod.program == "etcd" else "HTTPS"
        container["livenessProbe"] = {
            "httpGet": {"host": "127.0.0.1", "path": "/livez", "port": "probe-port", "scheme": scheme}
        }
        container["command"] = [pod.program, "--enable-pprof" if pod.program == "etcd" else "--bind-address=127.0.0.1"]
    if pod.replica_set:
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": pod.replica_set, "controller": True}
        owners = [{**owner, "uid": "5a0c4f0e-8d0b-4c55-9a51-3f6f0b6a7c11"}]
    about = {
        "name": pod.name,
        "namespace": pod.namespace,
        "labels": pod.labels,
        "annotations": annotations,
        "ownerReferences": owners,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": about,
        "spec": {"nodeName": pod.node, "hostNetwork": pod.host_network, "containers": [container]},
    }


def pod_status(pod: Pod) -> dict[str, object]:
    """Return what a kubelet would report of a pod."""
    if pod.phase != "Running":
        return {"status": {"phase": pod.phase}}
    container = {
        "name": pod.program,
        "image": f"registry.example.com/{pod.namespace}/{pod.program}:1.4.2",
        "imageID": "",
        "containerID": f"containerd://{'0' * 63}1",
        "ready": True,
        "started": True,
        "restartCount": pod.restarts,
        "state": {"running": {"startedAt": "2026-11-16T08:00:00Z"}},
    }
    if pod.restarts:
        died = {
            "exitCode": 137,
            "reason": "OOMKilled",
            "startedAt": "2026-11-15T20:00:00Z",
            "finishedAt": "2026-11-16T07:59:58Z",
        }
        container["lastState"] = {"terminated": died}
    return {
        "status": {
            "phase": "Running",
            "podIP": pod.address,
            "podIPs": [{"ip": pod.address}],
            "hostIP": NODES[pod.node],
            "hostIPs": [{"ip": NODES[pod.node]}],
            "startTime": "2026-11-15T08:00:00Z",
            "conditions": [{"type": "Ready", "status": "True"}],
            "containerStatuses": [container],
        }
    }


def event_object(event: Event) -> dict[str, object]:
    """Return what is sent to create an event."""
    cluster_wide = event.kind == "Node"
    about = {"kind": event.kind, "name": event.name} | ({} if cluster_wide else {"namespace": event.namespace})
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{event.name}.1878b1c2d3e4f5a6", "namespace": event.namespace},
        "involvedObject": about,
        "reason": event.reason,
        "message": event.message,
        "type": "Normal" if event.kind == "Deployment" else "Warning",
        "count": event.count,
        "firstTimestamp": event.last,
        "lastTimestamp": event.last,
        "source": {"component": "deployment-controller" if event.kind == "Deployment" else "kubelet"},
    }


def node_object(name: str) -> dict[str, object]:
    """Return what is sent to create a node."""
    role = {"node-role.kubernetes.io/control-plane": ""} if NODES[name] == CONTROL else {}
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **role}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}


def node_status(name: str, version: str) -> dict[str, object]:
    """Return what a kubelet would report of its node."""
    ready = "Unknown" if name == "node-c" else "True"
    return {
        "status": {
            "addresses": [{"type": "InternalIP", "address": NODES[name]}, {"type": "Hostname", "address": name}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            "allocatable": {"cpu": "4", "memory": "15Gi", "pods": "110"},
            "conditions": [
                {"type": "Ready", "status": ready, "reason": "KubeletReady" if ready == "True" else "NodeStatusUnknown"}
            ],
            "nodeInfo": {
                "kubeletVersion": version,
                "containerRuntimeVersion": "containerd://2.1.4",
                "osImage": "Debian GNU/Linux 13 (trixie)",
                "kernelVersion": "6.12.48",
                "operatingSystem": "linux",
                "architecture": "amd64",
                "machineID": "",
                "systemUUID": "",
                "bootID": "",
                "kubeProxyVersion": "",
            },
        }
    }


__all__ = [
    "CONTROL",
    "EVENTS",
    "NODES",
    "PODS",
    "SECRET",
    "USERS",
    "Event",
    "Pod",
    "event_object",
    "node_object",
    "node_status",
    "pod_object",
    "pod_status",
]
