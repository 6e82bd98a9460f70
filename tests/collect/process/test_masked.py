"""A command line is told without its secrets."""

import pytest

from oakum.collect.process.masked import masked

SHOWN = [
    "/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml --v=2 --node-ip=10.0.0.7 --register-node=true",
    "kube-apiserver --etcd-servers=https://127.0.0.1:2379 --tls-private-key-file=/etc/kubernetes/pki/apiserver.key",
    "prometheus --storage.tsdb.retention.time=15d --web.listen-address=0.0.0.0:9090 --log.level=info",
    "containerd-shim-runc-v2 -namespace moby -id web-1 -address /run/containerd/containerd.sock",
    "etcd --snapshot-count 10000 --advertise http://etcd:2379 --wait 1h30m --max 512MiB --share 50% --peer [::1]:2380",
    "orders serve -listen :8080 --token-file /run/secrets/token --unix unix:///run/orders.sock",
]
HIDDEN = [
    ("orders --token=hunter2", "orders --token=***"),
    ("orders --token hunter2 serve", "orders --token *** serve"),
    ("orders -password 12345", "orders -password ***"),
    ("orders --db postgres://app:pa55@10.0.0.9:5432/shop", "orders --db ***"),
    ("orders --dsn=app", "orders --dsn=***"),
    ("mysql -pS3cret -p S3cret -p secret", "mysql -p*** -p *** -p ***"),
    ("orders AWS_SECRET_ACCESS_KEY=abc eyJhbGciOiJIUzI1NiJ9.e30.x", "orders *** ***"),
    ("orders --api-key=abc --client-secret=abc --auth-token=abc", "orders --api-key=*** --client-secret=*** --auth-token=***"),
    ("orders -H Authorization:abc", "orders -H ***"),
    ("orders /x/wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYwJalrXUtnFEMI", "orders ***"),
    ("curl -u admin:1234 admin:1234", "curl -u *** ***"),
    ("orders 1a2b3c4d5e6f 12ab34cd56ef", "orders *** ***"),
    ("PASSWORD=abc", "PASSWORD"),
]  # fmt: skip


@pytest.mark.parametrize("line", SHOWN)
def test_what_cannot_be_a_secret_is_shown(line: str) -> None:
    assert " ".join(masked(line.split())) == line


@pytest.mark.parametrize(("line", "shown"), HIDDEN)
def test_what_could_be_one_is_not(line: str, shown: str) -> None:
    assert " ".join(masked(line.split())) == shown
