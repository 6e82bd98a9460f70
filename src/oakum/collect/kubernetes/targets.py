"""kube:// words -> targets: one each for a name, many for a selector, entered as kubectl enters the cluster.

Comes in: a word, --kubeconfig, --context, -n, -l, -A. Named things are looked at when they are planned; to choose among
many, the API server is asked at once.
"""

import os
from functools import lru_cache, partial
from typing import cast

from oakum.collect.kubernetes import components, kubeconfig, nodes, pods, words
from oakum.collect.kubernetes.api import Api
from oakum.collect.kubernetes.cluster_target import ClusterTarget, Find, Found
from oakum.collect.kubernetes.records import Involved
from oakum.collect.kubernetes.refusals import Refusals
from oakum.collect.kubernetes.services import ServiceTarget
from oakum.collect.kubernetes.things import Pod
from oakum.collect.kubernetes.ways import Way
from oakum.collect.target import Target
from oakum.collect.web import Access
from oakum.model import Problem, Text, Unreachable

_ENDED = ("Succeeded", "Failed")
MOST_PODS = 16  # of one Service; -l captures all of them
_ENVIRONMENT = ("KUBECONFIG", "HOME", "KUBERNETES_SERVICE_HOST")


def open(word: str, access: Access) -> list[Target]:
    """Return the targets that a word names; raise UsageError or Unreachable when it names none."""
    meant = words.read(word, access)
    api = cluster(access)
    if meant.kind == "service":
        return _service(api, meant, access)
    makers = {"node": _nodes, "pod": _pods, "component": _components}
    return cast(list[Target], makers[meant.kind](api, meant, access))


def cluster(access: Access) -> Api:
    """Return the API server that kubectl would ask; raise UsageError when there is none."""
    return _entered(access.by_name(), tuple(os.environ.get(name, "") for name in _ENVIRONMENT))


@lru_cache(maxsize=8)
def _entered(access: Access, environment: tuple[str, ...]) -> Api:
    """Return the API server; one for all words of a call, so that an exec plugin asks its user once."""
    del environment  # it is there to tell one call's from another's
    return Api(kubeconfig.find(access), access)


def _nodes(api: Api, meant: words.Word, access: Access) -> list[ClusterTarget]:
    names = [meant.name] if meant.name else sorted(node.name for node in api.nodes(meant.selector))
    if not names:
        everything = len(api.nodes(None)) if meant.selector else 0
        raise Unreachable(Text("kube.no-labels", {"labels": meant.selector or "", "all": everything}), "kube://node")
    port = f":{meant.port}" if meant.port else ""
    return [
        ClusterTarget(
            api,
            f"kube://node/{name}{port}",
            f"kubelet-{name}",
            f"node {name}",
            partial(nodes.find, api, name, meant.port, access),
            involved=Involved("Node", name),
        )
        for name in names
    ]


def _pods(api: Api, meant: words.Word, access: Access) -> list[ClusterTarget]:
    namespace = None if meant.everywhere else meant.namespace or api.login.namespace
    if meant.name:
        return [_pod(api, namespace or "default", meant.name, meant, access)]
    found = api.pods(namespace, meant.selector)
    alive = [pod for pod in found if pod.phase not in _ENDED]
    if not alive:
        raise Unreachable(_none(api, namespace, meant.selector, found), "kube://pod")
    left = len(found) - len(alive)
    return [
        _pod(api, pod.namespace, pod.name, meant, access, left if pod is alive[0] else 0)
        for pod in sorted(alive, key=lambda pod: (pod.namespace, pod.name))
    ]


def _pod(api: Api, namespace: str, name: str, meant: words.Word, access: Access, ended: int = 0) -> ClusterTarget:
    port = meant.port
    find: Find = partial(pods.find, api, namespace, name, port, access)
    address = f"kube://pod/{namespace}/{name}{':' if port else ''}{port}{meant.prefix}"
    called = f"{namespace}_{name}{'_' if port else ''}{port}"
    finds = _remarking(find, Problem.of("ended.pods", pods=ended)) if ended else find
    involved = Involved("Pod", name, namespace)
    return ClusterTarget(api, address, called, f"pod {namespace}/{name}", finds, meant.prefix, involved)


def _service(api: Api, meant: words.Word, access: Access) -> list[Target]:
    """Return a Service and the pods behind it, as many as are captured of one."""
    namespace = meant.namespace or api.login.namespace or "default"
    found = api.pods_behind(namespace, meant.name)
    if not found:
        raise Unreachable(Text("kube.no-endpoints", {"service": f"{namespace}/{meant.name}"}), "kube://service")
    pods = [_pod(api, *one, words.Word("pod"), access) for one in found[:MOST_PODS]]
    return [ServiceTarget(api, namespace, meant.name, len(found) - len(pods)), *pods]


def _remarking(find: Find, remark: Problem) -> Find:
    def found(refusals: Refusals, seconds: float, before: Way | None) -> Found:
        result = find(refusals, seconds, before)
        return Found(result.way, result.facts, (*result.problems, remark))

    return found


def _none(api: Api, namespace: str | None, selector: str | None, ended: list[Pod]) -> Text:
    where = Text("kube.in", {"namespace": namespace}) if namespace else Text("kube.anywhere")
    chosen = Text("kube.with", {"labels": selector}) if selector else ""
    if ended:
        return Text("kube.pods-ended", {"count": len(ended), "chosen": chosen, "where": where})
    told = {"chosen": chosen, "where": where, "flag": f"-n {namespace}" if namespace else "-A"}
    if selector and namespace:
        return Text("kube.no-pods-of", {**told, "all": len(api.pods(namespace, None))})
    return Text("kube.no-pods", told)


def _components(api: Api, meant: words.Word, access: Access) -> list[ClusterTarget]:
    name = meant.name
    try:
        found = components.of(api, name, meant.namespace, meant.node, meant.selector)
    except Unreachable:
        if name != "kube-apiserver" or meant.node:
            raise
        found = []  # it can be asked itself, whatever it says of its pods
    found = [pod for pod in found if pod.phase not in _ENDED]
    if name == "kube-apiserver" and len(found) < 2 and not meant.node and not meant.port:
        # The one that answers us is the one that is meant.
        address = "kube://component/kube-apiserver"
        return [ClusterTarget(api, address, name, "kube-apiserver", components.find_server(api))]
    if not found:
        raise components.absent(api, name, meant.namespace, meant.node)
    return [
        ClusterTarget(
            api,
            f"kube://component/{name}{':' if meant.port else ''}{meant.port}/{pod.node}",
            pod.name,
            f"pod {pod.namespace}/{pod.name}",
            components.find_pod(name, pod, meant.port, api, access),
            involved=Involved("Pod", pod.name, pod.namespace),
        )
        for pod in sorted(found, key=lambda pod: pod.name)
    ]
