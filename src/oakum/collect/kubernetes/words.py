"""kube:// words -> what of a cluster is meant. Nothing is asked of anybody here.

kube://node/NAME            the kubelet through the API server; NAME:10250 directly; without a name all, or those of -l
kube://pod/NAMESPACE/NAME[:PORT[/PREFIX]]   a port by number or name; without NAME all of the namespace, or those of -l
kube://service/NAMESPACE/NAME      a Service: the pods behind it, and its addresses
kube://component/NAME[/NODE]       a part of the control plane, on all nodes or on one
"""

import re
from dataclasses import dataclass
from typing import Literal

from oakum.collect.web import Access
from oakum.model import UsageError

_FORMS = "kube://node/NAME, kube://pod/NAMESPACE/NAME[:PORT], kube://service/NAMESPACE/NAME or kube://component/NAME"
Kind = Literal["node", "pod", "service", "component"]
_KINDS: dict[str, Kind] = {
    "node": "node", "nodes": "node", "no": "node", "pod": "pod", "pods": "pod", "po": "pod",
    "service": "service", "services": "service", "svc": "service",
    "component": "component", "components": "component",
}  # fmt: skip
# web-7d9f5c-x2x4k   ip-10-0-0-7.ec2.internal
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
# /shop/debug/pprof
_PREFIX = re.compile(r"(?:/[\w.~-]{1,100}){1,10}", re.ASCII)
# 6060   http-metrics
_PORT = re.compile(r"[0-9]{1,5}|[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?")


@dataclass(frozen=True)
class Word:
    kind: Kind
    name: str = ""  # "": many
    namespace: str | None = None  # None: that of the context
    port: str = ""
    prefix: str = ""  # below which pprof is
    node: str = ""  # of a component
    selector: str | None = None
    everywhere: bool = False  # in all namespaces


def read(word: str, access: Access) -> Word:
    """Return what a word means together with -n, -l and -A; raise UsageError when it means nothing."""
    kind, *parts = word.removeprefix("kube://").rstrip("/").split("/")
    if kind not in _KINDS:
        raise UsageError(f"{word}: a target in a cluster looks like {_FORMS}")
    makers = {"node": _node, "pod": _pod, "service": _service, "component": _component}
    return makers[_KINDS[kind]](word, parts, access)


def _node(word: str, parts: list[str], access: Access) -> Word:
    if len(parts) > 1:
        raise UsageError(f"{word}: a node looks like kube://node/NAME, or kube://node/NAME:10250 to go there directly")
    name, port = _split(word, parts[0] if parts else "")
    if port and not port.isdecimal():
        raise UsageError(f"{word}: the port of a kubelet is a number, as 10250")
    if name and access.selector:
        raise UsageError(f"{word}: a name and -l both choose nodes; leave one out")
    return Word("node", name, port=port, selector=access.selector)


def _pod(word: str, parts: list[str], access: Access) -> Word:
    named = next((at for at, part in enumerate(parts[:2], 1) if ":" in part), 2)
    parts, rest = parts[:named], parts[named:]
    prefix = "".join(f"/{part}" for part in rest)
    if rest and (":" not in parts[-1] or not _PREFIX.fullmatch(prefix) or ".." in prefix):
        raise UsageError(f"{word}: a pod looks like kube://pod/NAMESPACE/NAME[:PORT[/PREFIX]]")
    namespace, name = access.namespace, ""
    if len(parts) == 2:
        namespace, name = parts
    elif parts and (access.namespace or ":" in parts[0]):
        name = parts[0]
    elif parts:
        namespace = parts[0]
    name, port = _split(word, name)
    if namespace is not None:
        _check(word, namespace, "a namespace")
    if len(parts) == 2 and access.namespace and access.namespace != namespace:
        raise UsageError(f"{word}: -n {access.namespace} says another namespace; leave one out")
    if name and (access.selector or access.all_namespaces):
        flag = "-l" if access.selector else "-A"
        raise UsageError(f"{word}: a name and {flag} both choose pods; leave one out")
    if access.all_namespaces and not access.selector:
        raise UsageError(f"{word}: -A takes pods of all namespaces; -l LABEL=VALUE says which")
    return Word("pod", name, namespace, port, prefix, selector=access.selector, everywhere=access.all_namespaces)


def _service(word: str, parts: list[str], access: Access) -> Word:
    if not 0 < len(parts) < 3 or access.selector or access.all_namespaces:
        raise UsageError(f"{word}: a Service looks like kube://service/NAMESPACE/NAME, and is not chosen by -l or -A")
    namespace = parts[0] if len(parts) == 2 else access.namespace
    if len(parts) == 2 and access.namespace and access.namespace != namespace:
        raise UsageError(f"{word}: -n {access.namespace} says another namespace; leave one out")
    for name, what in ((namespace, "a namespace"), (parts[-1], "a Service")):
        if name is not None:
            _check(word, name, what)
    return Word("service", parts[-1], namespace)


def _component(word: str, parts: list[str], access: Access) -> Word:
    if not parts or len(parts) > 2:
        raise UsageError(
            f"{word}: which component? kube-apiserver, kube-controller-manager, kube-scheduler, etcd, kube-proxy, "
            "coredns or any other whose pods have its name as a label: kube://component/NAME"
        )
    name, port = _split(word, parts[0])
    node = parts[1] if len(parts) == 2 else ""
    if node:
        _check(word, node, "a node")
    return Word("component", name, access.namespace, port, node=node, selector=access.selector)


def _split(word: str, text: str) -> tuple[str, str]:
    name, colon, port = text.partition(":")
    if name:
        _check(word, name, "a name")
    if colon and (not _PORT.fullmatch(port) or (port.isdecimal() and not 0 < int(port) < 65536)):
        raise UsageError(f"{word}: a port is a number up to 65535, or its name in the pod")
    return name, port


def _check(word: str, name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{word}: {name!r} is not {what}: small letters, digits, dashes and dots")
