"""Which pods are behind an address of a cluster, as its Services, endpoints and pods say."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field


class Route(Struct, frozen=True):
    """An address of a Service, and the pods that it leads to."""

    address: str  # 10.96.0.12:80, [fd00::12]:80
    service: str  # shop/cart
    pods: tuple[str, ...]  # shop/cart-7d4b9c6f5d-x2x7p


class Routes(Struct, frozen=True):
    """The Services of a cluster by their addresses, and its pods by theirs."""

    services: Mapping[str, Route] = field(default_factory=lambda: MappingProxyType({}))
    # 10.244.1.11, or what its node has too: 10.240.0.4:9100 -> shop/cart-7d4b9c6f5d-x2x7p
    pods: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def behind(self, address: str) -> Route | None:
        """Return who is behind an address with its port; of a pod's own address that pod, without a Service."""
        if address in self.services:
            return self.services[address]
        pod = self.pod_at(address)
        return Route(address, "", (pod,)) if pod else None

    def pod_at(self, address: str) -> str:
        """Return the pod that has an address with a port; "" when none has."""
        host = address.rpartition(":")[0].strip("[]").removeprefix("::ffff:")
        return self.pods.get(address) or self.pods.get(host, "")

    def joined(self, other: "Routes") -> "Routes":
        """Return what two lists say together."""
        return Routes(
            MappingProxyType({**self.services, **other.services}), MappingProxyType({**self.pods, **other.pods})
        )
