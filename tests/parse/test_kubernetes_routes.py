"""Which pods are behind which address: Services, EndpointSlices, Endpoints, pods, in every form that kubectl prints."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from oakum.model import Capture, Routes
from oakum.parse import parse

SERVICE = {
    "kind": "Service",
    "metadata": {"namespace": "shop", "name": "cart"},
    "spec": {"clusterIP": "10.96.0.12", "clusterIPs": ["10.96.0.12", "fd00::12"], "selector": {"app": "cart"},
             "ports": [{"port": 80}, {"port": 443}]},
    "status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.9"}]}},
}  # fmt: skip
SLICE = {
    "kind": "EndpointSlice",
    "metadata": {"namespace": "shop", "labels": {"kubernetes.io/service-name": "cart"}},
    "ports": [{"port": 8080}],
    "endpoints": [
        {"addresses": ["10.244.1.11"], "targetRef": {"kind": "Pod", "namespace": "shop", "name": "cart-1"}},
        {"addresses": ["192.0.2.7"]},  # no pod
    ],
}
ENDPOINTS = {
    "kind": "Endpoints",
    "metadata": {"namespace": "shop", "name": "cart"},
    "subsets": [
        {"ports": [{"port": 8080}],
         "notReadyAddresses": [{"ip": "10.244.1.11", "targetRef": {"kind": "Pod", "namespace": "shop", "name": "cart-1"}}]}
    ],
}  # fmt: skip
POD = {
    "kind": "Pod",
    "metadata": {"namespace": "shop", "name": "cart-1", "labels": {"app": "cart", "x": "y"}},
    "status": {"podIP": "10.244.1.11", "podIPs": [{"ip": "10.244.1.11"}, {"ip": "fd00::2:11"}]},
}
ON_NODE = {
    "kind": "Pod",
    "metadata": {"namespace": "kube-system", "name": "proxy"},
    "spec": {"hostNetwork": True},
    "status": {"podIP": "10.240.0.4"},
}


def routes(*objects: dict[str, Any], as_yaml: bool = False) -> Routes:
    listed = {"apiVersion": "v1", "items": list(objects), "kind": "List"}
    data = yaml.safe_dump(listed, sort_keys=True) if as_yaml else json.dumps(listed)
    (found,) = [one.routes for one in parse(Capture("cluster", data.encode())) if one.routes is not None]
    return found


@pytest.mark.parametrize("as_yaml", [False, True])
@pytest.mark.parametrize("behind", [(SLICE,), (ENDPOINTS,), (POD,), (SLICE, POD, ON_NODE)])
def test_a_service_leads_to_its_pods(behind: tuple[dict[str, Any], ...], as_yaml: bool) -> None:
    found = routes(SERVICE, *behind, as_yaml=as_yaml)
    for address in ("10.96.0.12:80", "10.96.0.12:443", "[fd00::12]:80", "203.0.113.9:443"):
        route = found.behind(address)
        assert route is not None
        assert (route.service, route.pods) == ("shop/cart", ("shop/cart-1",))
    assert found.behind("10.96.0.12:81") is None


def test_a_pod_has_its_own_address_and_not_that_of_its_node() -> None:
    found = routes(POD, ON_NODE)
    assert found.pod_at("10.244.1.11:9") == found.pod_at("[fd00::2:11]:9") == "shop/cart-1"
    assert found.pod_at("[::ffff:10.244.1.11]:9") == "shop/cart-1"
    assert found.pod_at("10.240.0.4:9") == ""


def test_a_list_of_the_api_server_tells_the_kind_once() -> None:
    bare = {key: value for key, value in SERVICE.items() if key != "kind"}
    data = json.dumps({"kind": "ServiceList", "apiVersion": "v1", "items": [bare]}).encode()
    (found,) = parse(Capture("services.json", data))
    assert found.routes is not None
    assert "10.96.0.12:80" in found.routes.services


_JUNK = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(field=st.sampled_from(["metadata", "spec", "status", "endpoints", "ports", "subsets"]), junk=_JUNK)
def test_nothing_raises(field: str, junk: object) -> None:
    for one in (SERVICE, SLICE, ENDPOINTS, POD):
        data = json.dumps({"kind": "List", "items": [SERVICE, {**one, field: junk}]})
        assert parse(Capture("cluster", data.encode()))
