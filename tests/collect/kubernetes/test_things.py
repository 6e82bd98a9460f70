"""Pods and nodes as the API server describes them: what is kept, and what never is."""

from oakum.collect.kubernetes.things import Port, node, pod

SECRET = "hunter2"
POD = {
    "metadata": {
        "name": "cart-0",
        "namespace": "shop",
        "annotations": {
            "prometheus.io/port": "9102",
            "profiles.grafana.com/memory.port": "6061",
            "prometheus.io/path": "9999",
            "kubectl.kubernetes.io/last-applied-configuration": SECRET,
            "example.com/port": "7000",
        },
        "labels": {"app": "cart"},
        "ownerReferences": [{"kind": "Node", "name": "n1"}],
    },
    "spec": {
        "nodeName": "n1",
        "containers": [
            {
                "name": "cart",
                "image": "shop/cart:1",
                "command": ["cart", f"--password={SECRET}", "--secure-port=10257", "--profiling=false"],
                "args": ["--enable-pprof", f"--token {SECRET}"],
                "env": [{"name": "KEY", "value": SECRET}],
                "ports": [
                    {"name": "http", "containerPort": 8080},
                    {"name": "dns", "containerPort": 53, "protocol": "UDP"},
                    {"name": "admin", "containerPort": 8081, "protocol": "TCP"},
                ],
                "livenessProbe": {"httpGet": {"port": 8081, "scheme": "HTTPS"}},
                "readinessProbe": {"httpGet": {"port": 8086}},
                "startupProbe": {"httpGet": {"port": "http"}},
            },
        ],
    },
    "status": {"phase": "Running"},
}


def test_ports_that_may_serve_something() -> None:
    found = pod(POD)
    assert found.ports == (
        Port(8080, "http", False, "cart"),
        Port(8081, "admin", True, "cart"),
        Port(8086, "", False, "cart"),
        Port(9102),
        Port(6061),
    )
    assert found.port_named("admin") == found.port_named("8081") == found.ports[1]
    assert found.port_named("6060") == Port(6060)
    assert found.port_named("grpc") is None


def test_of_command_lines_only_harmless_flags_are_kept() -> None:
    found = pod(POD)
    assert found.flags == (("secure-port", "10257"), ("profiling", "false"), ("enable-pprof", "true"))
    assert found.static
    assert SECRET not in repr(found)
    assert SECRET not in repr(found.facts)


def test_what_is_kept_of_a_node() -> None:
    status = {
        "addresses": [{"type": "Hostname", "address": "n1"}, {"type": "InternalIP", "address": "10.0.0.7"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10350}},
        "nodeInfo": {"kubeletVersion": "v1.33.1", "containerRuntimeVersion": "containerd://1.7.2", "machineID": SECRET},
        "capacity": {"memory": "16Gi"},
        "conditions": [{"type": "MemoryPressure", "status": "True"}, {"type": "Ready", "status": "False"}],
    }
    found = node({"metadata": {"name": "n1"}, "status": status})
    assert (found.addresses, found.kubelet_port) == (("10.0.0.7", "n1"), 10350)
    assert found.facts == {
        "node": "n1",
        "kubelet": "v1.33.1",
        "runtime": "containerd://1.7.2",
        "memory": "16Gi",
        "memory pressure": True,
        "ready": False,
    }


def test_nonsense_is_no_error() -> None:
    for nonsense in ({}, {"metadata": 3, "spec": [], "status": "x"}, {"spec": {"containers": [3, {"ports": 4}]}}):
        assert pod(nonsense).ports == ()
        assert node(nonsense).addresses == ()
    odd = {"status": {"containerStatuses": [{"name": "a", "restartCount": "x", "state": {"terminated": {}}}]}}
    assert pod({"spec": {"containers": [{"name": "a"}]}} | odd).containers[0].restarts == 0
