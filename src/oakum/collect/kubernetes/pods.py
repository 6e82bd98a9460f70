"""A pod -> the way to its pprof: at the port that was named, else at those that it declares, else at the usual ones."""

from dataclasses import replace

from oakum.collect.kubernetes.api import Api, NotThere, Refused
from oakum.collect.kubernetes.cluster_target import Found
from oakum.collect.kubernetes.refusals import Refusals
from oakum.collect.kubernetes.things import Pod, listed
from oakum.collect.kubernetes.ways import Search, Way
from oakum.collect.web import Access
from oakum.model import Problem, Text, Unreachable


def find(
    api: Api,
    namespace: str,
    name: str,
    port: str,
    access: Access,
    refusals: Refusals,
    seconds: float,
    before: Way | None,
) -> Found:
    """Return the way to a pod's pprof; raise Unreachable when there is no such pod."""
    pod, problems = described(api, namespace, name, seconds)
    if pod.phase not in ("Running", ""):
        return Found(None, pod.facts, (*problems, not_running(pod)))
    if before is not None:
        return Found(before, pod.facts, problems)
    shown = f"kube://pod/{namespace}/{name}{':' if port else ''}{port}"
    # Certificates of the command line are for what listens in the pod; the proxy would not show them to it.
    search = Search(api, pod, shown, refusals, inside(access), seconds, proxy=not access.tls_cert)
    if port:
        search.patience = seconds
        known = pod.port_named(port)
        if known is None:
            names = ", ".join(f"{p.name or '-'} ({p.number})" for p in pod.ports) or "-"
            raise Unreachable(Text("kube.no-port", {"target": shown, "names": names}), shown)
        way = search.to(known)
    else:
        way = search.anywhere()
    if way is not None:
        if not port and not way.mounted and search.why:
            problems += (Problem.of("ports", target=shown, why=search.why),)
        return Found(way, pod.facts, problems)
    # Who may not use either way needs no other port.
    another = not port and (search.proxy or search.forwards)
    why = search.why or Text("kube.no-ports")
    told = Problem.of("unreachable.ports" if another else "unreachable.pod", target=shown, why=why)
    return Found(None, pod.facts, (*problems, told))


def described(api: Api, namespace: str, name: str, seconds: float) -> tuple[Pod, tuple[Problem, ...]]:
    """Return a pod; raise Unreachable when there is none. Who may use the proxy need not be allowed to read pods."""
    try:
        return api.pod(namespace, name, seconds), ()
    except NotThere:
        args = {"target": f"kube://pod/{namespace}/{name}", "others": _kin(api, namespace, name)}
        raise Unreachable(Text("kube.no-pod", args), name) from None
    except Refused as error:
        told = Problem.of("pod-unread", pod=f"{namespace}/{name}", error=error.text)
        return Pod(namespace, name, ""), (told,)


def not_running(pod: Pod) -> Problem:
    """Return what a pod does instead of running, as kubectl describe shows it: how it ended is often the answer."""
    states = [
        f"{one.name}: {one.state or 'Waiting'}{f' (last state: {one.last})' if one.last else ''}"
        for one in pod.containers
    ]
    about = {"pod": f"{pod.namespace}/{pod.name}", "phase": pod.phase}
    if not states:
        return Problem.of("not-running.no-containers", **about)
    return Problem.of("not-running", containers="; ".join(states), **about)


def inside(access: Access) -> Access:
    """Return how what listens in a pod is entered: without the credentials of the cluster, which are not meant for it.
    Its certificate is checked when an authority is named for it: hardly any program in a pod has one for localhost."""
    return replace(access, token=None, token_file=None, user=None, insecure=access.tls_ca is None)


def _kin(api: Api, namespace: str, name: str) -> Text | str:
    """Return the pods that it may have become: a Deployment gives each a new ending."""
    try:
        names = sorted(pod.name for pod in api.pods(namespace, None))
    except Unreachable:
        return ""
    if not names:
        return Text("kube.empty-namespace", {"namespace": namespace})
    stem = name.rsplit("-", 2)[0]
    kin = [other for other in names if other.startswith(stem)] or names
    return listed(kin, 5)
