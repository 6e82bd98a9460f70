"""Components of the control plane -> the ways to them: their pods by label, their ports by what they are known for.

kube-controller-manager, kube-scheduler and kube-apiserver ask the API server who we are: they get our credentials, in a
forwarded port that ends in a pod of the node's own making (static) or of kube-system. Others get none.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from oakum.collect.kubernetes import pods
from oakum.collect.kubernetes.api import Api
from oakum.collect.kubernetes.cluster_target import Found
from oakum.collect.kubernetes.credentials import ClusterAccess, trusting
from oakum.collect.kubernetes.refusals import Refusals
from oakum.collect.kubernetes.things import Pod, Port
from oakum.collect.kubernetes.ways import Search, Way
from oakum.collect.web import Access
from oakum.model import Problem, Text, Unreachable

SYSTEM = "kube-system"
# In the certificate of every API server; its address in the pod is another.
_API_NAME = "kubernetes"


@dataclass(frozen=True)
class Known:
    """What is known of a component before it is asked."""

    ports: tuple[Port, ...]
    ours: bool = False  # it takes the credentials of the cluster
    missing: str = ""  # why its pprof may not be there: problem.how.NAME


_LOOK = 10.0  # seconds for a component to say that it is there
KNOWN = {
    "kube-apiserver": Known((Port(6443, https=True),), True, "kube-apiserver"),
    "kube-controller-manager": Known((Port(10257, https=True),), True, "kube-controller-manager"),
    "kube-scheduler": Known((Port(10259, https=True),), True, "kube-scheduler"),
    "cloud-controller-manager": Known((Port(10258, https=True),), True, "cloud-controller-manager"),
    "etcd": Known(
        (Port(2379, https=True), Port(2381)),
        missing="etcd-certificate",
    ),
    "kube-proxy": Known(
        (Port(10249),), missing="kube-proxy"
    ),
    "coredns": Known(
        (Port(6053), Port(9153)), missing="coredns"
    ),
}  # fmt: skip
_LABELS = ("component", "k8s-app", "app.kubernetes.io/name", "app", "app.kubernetes.io/component", "name")
_ALIASES = {"coredns": ("coredns", "kube-dns")}


def of(api: Api, name: str, namespace: str | None, node: str, selector: str | None) -> list[Pod]:
    """Return the pods of a component, none when there are none; raise Unreachable when they may not be listed."""
    values = f"in ({', '.join(_ALIASES.get(name, (name,)))})"
    for label in _LABELS:
        chosen = f"{label} {values}{',' if selector else ''}{selector or ''}"
        found = [pod for pod in api.pods(namespace or SYSTEM, chosen) if not node or pod.node == node]
        if found:
            return found
    return []


def absent(api: Api, name: str, namespace: str | None, node: str) -> Unreachable:
    """Return that there is no such component, and where it may be instead."""
    where = namespace or SYSTEM
    if node and (others := sorted({pod.node for pod in of(api, name, namespace, "", None)})):
        args = {"target": f"kube://component/{name}/{node}", "nodes": ", ".join(others[:10])}
        return Unreachable(Text("kube.other-node", args))
    labels = ", ".join(f"{label}={name}" for label in _LABELS[:4])
    args = {"target": f"kube://component/{name}", "namespace": where, "labels": labels}
    key = "kube.no-component" if name in KNOWN else "kube.no-such-component"
    return Unreachable(Text(key, args), api.endpoint.address)


def find_pod(name: str, pod: Pod, port: str, api: Api, access: Access) -> Callable[..., Found]:
    """Return how the way to one pod of a component is looked for."""

    def find(refusals: Refusals, seconds: float, before: Way | None) -> Found:
        now, problems = pods.described(api, pod.namespace, pod.name, seconds)
        if now.phase not in ("Running", ""):
            return Found(None, now.facts, (*problems, pods.not_running(now)))
        if before is not None:
            return Found(before, now.facts, problems)
        known = KNOWN.get(name, Known(()))
        shown = f"kube://component/{name}{':' if port else ''}{port}/{pod.node}"
        behind = _credentials(api, name, now) if known.ours else pods.inside(access)
        # The proxy hands no credentials on, and does not reach the loopback of a node.
        search = Search(api, now, shown, refusals, behind, seconds, proxy=not known.ours and not access.tls_cert)
        search.patience = _LOOK
        for candidate in _ports(now, known, port):
            if (way := search.to(candidate)) is not None:
                return Found(replace(way, widely=False), now.facts, (*problems, *_warned(now, known, way)))
        way = search.anywhere() if not known.ports and not port else None
        if way is not None:
            return Found(way, now.facts, problems)
        return Found(None, now.facts, (*problems, _unreached(shown, search.why, known)))

    return find


def find_server(api: Api) -> Callable[..., Found]:
    """Return how the API server that we talk to is looked at itself."""

    def find(refusals: Refusals, seconds: float, before: Way | None) -> Found:
        del seconds
        endpoint = replace(api.endpoint, explain=refusals.explain)
        way = before or Way(endpoint, widely=False)
        others = _servers(api)
        if others < 2:
            return Found(way)
        told = Problem.of("one-of-many", servers=others, target=api.endpoint.address)
        return Found(way, {"api servers": others}, (told,))

    return find


def _servers(api: Api) -> int:
    """Return how many API servers the cluster has; 0 when it may not be known."""
    try:
        found = api.get("/api/v1/namespaces/default/endpoints/kubernetes")
    except Unreachable:
        return 0
    subsets = found.get("subsets")
    lists = [one.get("addresses") for one in subsets if isinstance(one, dict)] if isinstance(subsets, list) else []
    return sum(len(addresses) for addresses in lists if isinstance(addresses, list))


def _ports(pod: Pod, known: Known, port: str) -> tuple[Port, ...]:
    if port:
        named = pod.port_named(port)
        return (named,) if named else ()
    flag = dict(pod.flags).get("secure-port", "")
    if known.ours and flag.isdecimal() and 0 < int(flag) < 65536:
        return (Port(int(flag), https=True),)
    return known.ports


def _credentials(api: Api, name: str, pod: Pod) -> Access:
    """Return our credentials for a component that asks the API server about them."""
    if not (pod.static or pod.namespace == SYSTEM):
        return Access(insecure=True)  # whoever may make pods there could wait for them
    cluster = api.login.cluster
    server = name == "kube-apiserver"
    # The other two have certificates of their own making; the tunnel ends in that pod and nowhere else.
    context = trusting(cluster.ca if server else None, insecure=cluster.insecure or not server)
    api.credentials.show_certificate(context)
    return ClusterAccess(tls=context, server_name=_API_NAME if server else None, credentials=api.credentials)


def _warned(pod: Pod, known: Known, way: Way) -> tuple[Problem, ...]:
    """Return why a component that was reached may serve metrics alone."""
    flags = dict(pod.flags)
    if flags.get("profiling") == "false":
        return (Problem.of("no-pprof.profiling", pod=pod.name),)
    if way.mounted or not known.missing or known.ours:
        return ()
    return (Problem.of("no-pprof.metrics", pod=pod.name, how=Text(f"problem.how.{known.missing}")),)


def _unreached(shown: str, why: Text | None, known: Known) -> Problem:
    """Return that no port of a component led anywhere, and how it serves pprof where that is known."""
    if why and known.missing:
        return Problem.of("unreachable.component", target=shown, why=why, how=Text(f"problem.how.{known.missing}"))
    if why:
        return Problem.of("unreachable.pod", target=shown, why=why)
    return Problem.of("unreachable.no-port", target=shown)
