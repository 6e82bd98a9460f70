"""kube:// words with -n, -l and -A: what they mean, and what is said of those that mean nothing."""

import pytest

from oakum.collect.kubernetes.words import Word, read
from oakum.collect.web import Access
from oakum.model import UsageError

LABEL = "app=cart"


@pytest.mark.parametrize(
    ("word", "access", "meant"),
    [
        ("kube://node/n7", Access(), Word("node", "n7")),
        (
            "kube://node/ip-10-0-0-7.ec2.internal:10250",
            Access(),
            Word("node", "ip-10-0-0-7.ec2.internal", port="10250"),
        ),
        ("kube://node/", Access(selector=LABEL), Word("node", selector=LABEL)),
        ("kube://nodes", Access(), Word("node")),
        ("kube://pod/shop/cart-0", Access(), Word("pod", "cart-0", "shop")),
        ("kube://pod/shop/cart-0:http-metrics", Access(), Word("pod", "cart-0", "shop", "http-metrics")),
        ("kube://pod/cart-0:6060", Access(), Word("pod", "cart-0", port="6060")),
        ("kube://pod/shop/cart-0:80/a/pprof", Access(), Word("pod", "cart-0", "shop", "80", "/a/pprof")),
        ("kube://pod/cart-0", Access(namespace="shop"), Word("pod", "cart-0", "shop")),
        ("kube://pod/shop", Access(selector=LABEL), Word("pod", namespace="shop", selector=LABEL)),
        ("kube://pod/shop/:6060", Access(selector=LABEL), Word("pod", namespace="shop", port="6060", selector=LABEL)),
        ("kube://pod", Access(selector=LABEL, all_namespaces=True), Word("pod", selector=LABEL, everywhere=True)),
        ("kube://pod", Access(namespace="shop"), Word("pod", namespace="shop")),
        ("kube://component/etcd", Access(), Word("component", "etcd")),
        ("kube://component/kube-scheduler/n1", Access(), Word("component", "kube-scheduler", node="n1")),
    ],
)
def test_what_words_mean(word: str, access: Access, meant: Word) -> None:
    assert read(word, access) == meant


@pytest.mark.parametrize(
    ("word", "access", "said"),
    [
        ("kube://", Access(), "looks like kube://node/NAME"),
        ("kube://deployment/shop/cart", Access(), "looks like kube://node/NAME"),
        ("kube://node/n7/proxy", Access(), "a node looks like"),
        ("kube://node/n7", Access(selector=LABEL), "both choose nodes"),
        ("kube://node/n7:http", Access(), "the port of a kubelet is a number"),
        ("kube://pod/a/b/c", Access(), "a pod looks like"),
        ("kube://pod/a/b:80/../c", Access(), "a pod looks like"),
        ("kube://pod/shop/cart-0", Access(namespace="test"), "-n test says another namespace"),
        ("kube://pod/shop/cart-0", Access(all_namespaces=True), "a name and -A"),
        ("kube://pod", Access(all_namespaces=True), "-l LABEL=VALUE says which"),
        ("kube://pod/shop/cart-0:99999", Access(), "a port is a number"),
        ("kube://pod/shop/..%2f..", Access(), "is not a name"),
        ("kube://pod/Shop/cart", Access(), "is not a namespace"),
        ("kube://component", Access(), "which component"),
    ],
)
def test_words_that_mean_nothing(word: str, access: Access, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(word, access)
