"""Services, EndpointSlices, Endpoints and Pods of a cluster -> which pods are behind which address.

In: objects as the API server has them. Out: `Routes`. Pods behind a Service are those that its endpoints name; where no
endpoints were saved, those that its selector chooses.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType

from oakum.model.routes import Route, Routes
from oakum.parse.plain_json import each, inside, text_of

SERVICE_LABEL = "kubernetes.io/service-name"
_MOST = 50_000  # addresses; a cluster has at most 10,000 Services
_MOST_PODS = 1000  # behind one Service: an EndpointSlice has at most as many


def routes(objects: Iterable[Mapping[str, object]]) -> Routes | None:
    """Return who is behind which address; None when no object says it of any."""
    by_kind: dict[str, list[Mapping[str, object]]] = defaultdict(list)
    for one in objects:
        by_kind[text_of(one, "kind")].append(one)
    pods: dict[str, str] = {}
    behind: dict[str, dict[str, None]] = defaultdict(dict)  # Service -> its pods, in order
    for one in by_kind["EndpointSlice"]:
        service = f"{_namespace(one)}/{text_of(inside(one, 'metadata', 'labels'), SERVICE_LABEL)}"
        for endpoint in each(one.get("endpoints")):
            _put(endpoint, _with_ports(_texts(endpoint.get("addresses")), one), behind[service], pods)
    for one in by_kind["Endpoints"]:
        for subset in each(one.get("subsets")):
            for group in ("addresses", "notReadyAddresses"):
                for endpoint in each(subset.get(group)):
                    _put(endpoint, _with_ports([text_of(endpoint, "ip")], subset), behind[_name(one)], pods)
    for one in by_kind["Pod"]:
        if inside(one, "spec").get("hostNetwork") is not True:  # the address of its node is that of others, too
            status = inside(one, "status")
            pods |= {text_of(ip, "ip"): _name(one) for ip in each(status.get("podIPs"))}
            pods[text_of(status, "podIP")] = _name(one)
    pods.pop("", None)
    services: dict[str, Route] = {}
    for one in by_kind["Service"]:
        chosen = tuple(behind[_name(one)]) or tuple(_selected(one, by_kind["Pod"]))
        for address in _addresses(one):
            services[address] = Route(address, _name(one), chosen[:_MOST_PODS])
    if not services and not pods:
        return None
    kept = MappingProxyType(dict(islice(services.items(), _MOST)))
    return Routes(kept, MappingProxyType(dict(islice(pods.items(), _MOST))))


def _put(
    endpoint: Mapping[str, object], addresses: Iterable[str], behind: dict[str, None], pods: dict[str, str]
) -> None:
    """Note the pod that an endpoint is, and its addresses."""
    target = inside(endpoint, "targetRef")
    if text_of(target, "kind") == "Pod" and text_of(target, "name"):
        pod = f"{text_of(target, 'namespace') or 'default'}/{text_of(target, 'name')}"
        behind[pod] = None
        pods |= dict.fromkeys(addresses, pod)


def _addresses(service: Mapping[str, object]) -> Iterator[str]:
    """Yield the addresses of a Service, each with each of its ports."""
    spec = inside(service, "spec")
    ingress = [text_of(one, "ip") for one in each(inside(service, "status", "loadBalancer").get("ingress"))]
    ips = [text_of(spec, "clusterIP"), *_texts(spec.get("clusterIPs")), *_texts(spec.get("externalIPs")), *ingress]
    # Headless ("None"): its pods are asked at their own addresses.
    return _with_ports((ip for ip in dict.fromkeys(ips) if ip != "None"), spec)


def _with_ports(ips: Iterable[str], has_ports: Mapping[str, object]) -> Iterator[str]:
    """Yield each address with each port, as lists of sockets write them."""
    ports = [port for one in each(has_ports.get("ports")) if isinstance(port := one.get("port"), int)]
    for ip in ips:
        yield from (f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}" for port in ports if ip)


def _selected(service: Mapping[str, object], pods: Iterable[Mapping[str, object]]) -> Iterator[str]:
    selector = inside(service, "spec", "selector")
    for pod in pods if selector else ():
        labels = inside(pod, "metadata", "labels")
        if _namespace(pod) == _namespace(service) and all(labels.get(name) == selector[name] for name in selector):
            yield _name(pod)


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _namespace(one: Mapping[str, object]) -> str:
    return text_of(inside(one, "metadata"), "namespace") or "default"


def _name(one: Mapping[str, object]) -> str:
    return f"{_namespace(one)}/{text_of(inside(one, 'metadata'), 'name')}"
