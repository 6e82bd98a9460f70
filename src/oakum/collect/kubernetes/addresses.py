"""Addresses that a process is connected to -> who is there in a cluster: a Service, a pod, a kubelet, as targets.

Services and nodes are listed once; a pod is asked for by its address. An address of a node belongs to its kubelet, to a
Service with that node port, or to a pod in the node's own network that declares the port.
"""

from dataclasses import dataclass
from functools import cached_property

from oakum.collect.kubernetes.api import Api
from oakum.collect.kubernetes.things import Node, Pod, Service

_ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True)
class Behind:
    """Who is at an address."""

    word: str  # the target
    title: str  # "Service shop/cart"
    processes: int  # that will be captured


class Addresses:
    """The addresses of one cluster."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def behind(self, address: str) -> Behind | None:
        """Return who is at an address with its port; None when nobody in the cluster is. Raises Unreachable."""
        host, _, port = address.rpartition(":")
        host = host.strip("[]").removeprefix("::ffff:")
        if not host or not port.isdecimal():
            return None
        number = int(port)
        for service in self._services:
            if host in service.addresses and number in service.ports:
                return self._service(service)
        if node := next((one for one in self._nodes if host in one.addresses), None):
            return self._on_node(node, host, number)
        return _only_pod(self._api.pods_at(host))

    @cached_property
    def _services(self) -> list[Service]:
        return self._api.services()

    @cached_property
    def _nodes(self) -> list[Node]:
        return self._api.nodes(None)

    def _service(self, service: Service) -> Behind:
        pods = self._api.pods_behind(service.namespace, service.name)
        name = f"{service.namespace}/{service.name}"
        return Behind(f"kube://service/{name}", f"Service {name}", len(pods))

    def _on_node(self, node: Node, host: str, port: int) -> Behind | None:
        if port == node.kubelet_port:
            return Behind(f"kube://node/{node.name}", f"kubelet of {node.name}", 1)
        if service := next((one for one in self._services if port in one.node_ports), None):
            return self._service(service)
        here = self._api.pods_at(host)
        return _only_pod([pod for pod in here if any(one.number == port for one in pod.ports)])


def _only_pod(pods: list[Pod]) -> Behind | None:
    alive = [pod for pod in pods if pod.phase not in _ENDED]
    if len(alive) != 1:
        return None
    name = f"{alive[0].namespace}/{alive[0].name}"
    return Behind(f"kube://pod/{name}", f"pod {name}", 1)
