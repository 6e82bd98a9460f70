"""A node -> the way to its kubelet: through the API server's node proxy, else directly on its own port.

Both ask for the right nodes/proxy. Many kubelets have a certificate of their own making: directly, such a one gets no
token from us, since anybody could answer there; a client certificate tells a stranger nothing that he can use.
"""

from dataclasses import replace
from pathlib import Path

from oakum.collect.kubernetes.api import Api, NotThere, Refused
from oakum.collect.kubernetes.cluster_target import Found
from oakum.collect.kubernetes.credentials import ClusterAccess, trusting
from oakum.collect.kubernetes.refusals import Refusals, message
from oakum.collect.kubernetes.things import Node, listed
from oakum.collect.kubernetes.ways import Way
from oakum.collect.pprof.probe import STANDARD
from oakum.collect.web import Access, HttpEndpoint
from oakum.model import Problem, Text, Unreachable, UsageError

_LOOK = 10.0  # seconds for a kubelet to say that it is there


def find(
    api: Api, name: str, port: str, access: Access, refusals: Refusals, seconds: float, before: Way | None
) -> Found:
    """Return the way to the kubelet of a node; raise Unreachable when there is no such node."""
    node, problems = _described(api, name, seconds)
    if before is not None:
        return Found(before, node.facts, problems)
    seconds = min(_LOOK, seconds)
    shown = f"kube://node/{name}"
    if port:
        return _directly(api, node, int(port), access, refusals, seconds, problems)
    path = f"/api/v1/nodes/{name}/proxy"
    endpoint = api.endpoint.under(path, shown, refusals.explain)
    way = Way(endpoint, widely=False)
    why = _why_not_proxied(endpoint, seconds)
    if why is None or not node.addresses:
        return Found(way, node.facts, problems)
    direct = _directly(api, node, node.kubelet_port, access, refusals, seconds, ())
    if direct.way is None:
        # Both ask for the same right, and one refusal says it.
        told = () if why.key.startswith("kube.forbidden") or why.args.get("status") == "403" else direct.problems
        return Found(way, node.facts, (*problems, *told))
    remark = Problem.of("node-proxy", target=shown, why=why)
    return Found(direct.way, node.facts, (*problems, remark, *direct.problems))


def _why_not_proxied(endpoint: HttpEndpoint, seconds: float) -> Text | None:
    """Return why the node proxy does not lead to the kubelet; None when the kubelet answers, even with an error."""
    try:
        answer = endpoint.get(f"{STANDARD}/", seconds=seconds, most=1 << 20)
    except Unreachable as error:
        return error.text
    from_api_server = message(bytes(answer.data[:65536])) is not None  # a Status object; the kubelet answers in text
    refused = answer.status in (401, 403) or answer.status >= 500
    return answer.why if from_api_server and refused else None


def _described(api: Api, name: str, seconds: float) -> tuple[Node, tuple[Problem, ...]]:
    try:
        return api.node(name, seconds), ()
    except NotThere:
        told = Text("kube.no-node", {"target": f"kube://node/{name}", "others": _others(api)})
        raise Unreachable(told, name) from None
    except Refused as error:
        # Who may use the proxy need not be allowed to read nodes.
        return Node(name), (Problem.of("node-unread", node=name, error=error.text),)


def _others(api: Api) -> Text | str:
    try:
        names = sorted(node.name for node in api.nodes(None))
    except Unreachable:
        return ""
    return listed(names, 10) if names else Text("kube.no-nodes")


def _directly(
    api: Api, node: Node, port: int, access: Access, refusals: Refusals, seconds: float, problems: tuple[Problem, ...]
) -> Found:
    if not node.addresses:
        told = Problem.of("no-address", target=f"kube://node/{node.name}", port=port)
        return Found(None, node.facts, (*problems, told))
    host = node.addresses[0]
    base = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    trials: list[tuple[Access, tuple[Problem, ...]]] = [(_checked(api, access), ())]
    if api.credentials.by_certificate or access.insecure:
        trials.append((_unchecked(api, access), (Problem.of("unchecked", url=base),)))
    why = Text("web.status", {"status": "-"})
    for entered, remarks in trials:
        endpoint = HttpEndpoint(base, entered, explain=refusals.explain)
        try:
            answer = endpoint.get(f"{STANDARD}/", seconds=seconds, most=1 << 20)
        except Unreachable as error:
            why = error.text
            endpoint.close()
            if not _of_certificate(why):
                break
            continue
        if answer.status in (401, 403) and not _has_metrics(endpoint, seconds):
            why = Text("web.at", {"where": base, "why": answer.fault})
            endpoint.close()
            break
        way = Way(endpoint, base, own=True, widely=False)
        return Found(way, node.facts, (*problems, *remarks))
    doubtful = _of_certificate(why) and not api.credentials.by_certificate
    told = Problem.of("kubelet.unchecked" if doubtful else "kubelet", error=why)
    return Found(None, node.facts, (*problems, told))


def _of_certificate(why: Text) -> bool:
    inner = why.args.get("why")
    return why.key.startswith(("web.cert", "web.tls.")) or (isinstance(inner, Text) and _of_certificate(inner))


def _has_metrics(endpoint: HttpEndpoint, seconds: float) -> bool:
    """Tell whether at least /metrics is allowed: that is the right nodes/metrics, which scrapers have."""
    try:
        return endpoint.get("/metrics", seconds=seconds).good
    except Unreachable:
        return False


def _checked(api: Api, access: Access) -> Access:
    """Return how a kubelet is entered whose certificate is from the authority of the cluster, or from one named."""
    if access.tls_cert:
        return replace(access, token=None, token_file=None)
    authority = api.login.cluster.ca
    if access.tls_ca:
        try:
            authority = Path(access.tls_ca).read_bytes()
        except OSError as error:
            raise UsageError(f"--tls-ca {access.tls_ca}: {error.strerror or error}") from error
    context = trusting(authority, insecure=False)
    api.credentials.show_certificate(context)
    return ClusterAccess(tls=context, credentials=api.credentials)


def _unchecked(api: Api, access: Access) -> Access:
    context = trusting(None, insecure=True)
    api.credentials.show_certificate(context)
    return ClusterAccess(tls=context, credentials=api.credentials if access.insecure else None)
