"""A refusal of the API server, of a kubelet or of a component -> what it means, and the RBAC rule that is missing.

Comes in: status and body. Goes out: a Text for the problem, and the roles as YAML for whoever may grant them.
"""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass

from oakum.model import Text

# nodes "n7" is forbidden: User "jane" cannot get resource "nodes/proxy" in API group "" at the cluster scope
# pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "shop"
_RESOURCE = re.compile(
    r'User "([^"]{1,300})" cannot (\w{1,20}) resource "([\w./-]{1,80})" in API group "([\w.-]{0,80})"'
    r'(?: in the namespace "([\w.-]{1,80})")?'
)
# forbidden: User "jane" cannot get path "/debug/pprof/"
_PATH = re.compile(r'User "([^"]{1,300})" cannot (\w{1,20}) path "(/[^"]{0,200})"')
# Of a kubelet, before and since 1.32: Forbidden (user=jane, verb=get, resource=nodes, subresource=proxy)
# and Forbidden (user=jane, verb=get, resource=nodes, subresource(s)=[proxy])
_KUBELET = re.compile(
    r"Forbidden \(user=([^,]{1,300}), verb=(\w{1,20}), resource=nodes, subresource(?:\(s\))?=\[?([\w ]{1,60})\]?\)"
)
_ACCOUNT = "system:serviceaccount:"


@dataclass(frozen=True)
class Rule:
    """What somebody was not allowed."""

    user: str
    verbs: tuple[str, ...]
    resource: str = ""  # nodes/proxy
    group: str = ""
    namespace: str = ""  # "": the whole cluster
    path: str = ""  # /debug/pprof/: of the server itself, no resource

    @property
    def line(self) -> str:
        verbs = json.dumps(self.verbs)
        if self.path:
            return f"{{nonResourceURLs: {json.dumps(_urls(self.path))}, verbs: {verbs}}}"
        return f"{{apiGroups: [{json.dumps(self.group)}], resources: [{json.dumps(self.resource)}], verbs: {verbs}}}"

    @property
    def check(self) -> str:
        """Return the command that tells whether it is allowed. `get nodes/proxy` would ask for a node named proxy."""
        if self.path:
            return f"kubectl auth can-i {self.verbs[-1]} {self.path}"
        resource, _, part = self.resource.partition("/")
        group = f".{self.group}" if self.group else ""
        sub = f" --subresource={part}" if part else ""
        return f"kubectl auth can-i {self.verbs[-1]} {resource}{group}{sub}" + (
            f" -n {self.namespace}" if self.namespace else ""
        )

    @property
    def text(self) -> Text:
        verbs = Text("kube.verbs", {"first": self.verbs[0], "then": self.verbs[1]}) if self.verbs[1:] else self.verbs[0]
        args = {"user": self.user, "verbs": verbs, "what": self.path or self.resource, "rule": self.line}
        if self.namespace:
            return Text("kube.forbidden-in", {**args, "namespace": self.namespace})
        return Text("kube.forbidden", args)


class Refusals:
    """Explains the refusals of one target, and keeps the rules that were missing."""

    def __init__(self, who: Callable[[], Text]) -> None:
        self._who = who  # says which credentials were shown
        self._rules: dict[Rule, None] = {}
        self._lock = threading.Lock()

    def explain(self, status: int, path: str, body: bytes) -> Text | None:
        """Return what a status means; None when it is the program's own answer, of which nothing is known here."""
        del path
        said = message(body)
        if status == 401 and (said is not None or body.strip() == b"Unauthorized"):
            return Text("kube.rejected", {"who": self._who()})
        if status == 403 and (rule := missing(said or body.decode("utf-8", "replace"))):
            with self._lock:
                self._rules[rule] = None
            return rule.text
        if said is None:
            return None
        return Text(f"kube.status{_more(said)}", {"status": str(status), "said": said})

    def advice(self) -> tuple[Text, ...]:
        """Return what would allow what was refused, one for each user and place, and forget it."""
        with self._lock:
            rules, self._rules = list(self._rules), {}
        resources = {rule.resource for rule in rules}
        places: dict[tuple[str, str], list[Rule]] = {}
        for rule in rules:
            instead = _ENOUGH.get(rule.resource)
            if instead not in resources and (not rule.path or rule.path in _WANTED):
                places.setdefault((rule.user, rule.namespace), []).append(rule)
        return tuple(_granting(user, namespace, found) for (user, namespace), found in places.items())


# The right that makes another unnecessary, when both were refused.
_ENOUGH = {"pods/portforward": "pods/proxy", "nodes/metrics": "nodes/proxy"}
_WANTED = ("/debug/pprof/", "/metrics")  # the other paths are asked for by the way


def _granting(user: str, namespace: str, rules: list[Rule]) -> Text:
    """Return the role and its binding, ready for kubectl apply."""
    kind = "Role" if namespace else "ClusterRole"
    # What is granted for another target must not be taken away by this.
    name = f"oakum-{(rules[0].resource or 'debug-pprof').replace('/', '-')}"
    about = f"{{name: {name}, namespace: {namespace}}}" if namespace else f"{{name: {name}}}"
    head = "apiVersion: rbac.authorization.k8s.io/v1\nkind: "
    role = (
        f"{head}{kind}\nmetadata: {about}\nrules:\n"
        + "".join(f"- {line}\n" for line in dict.fromkeys(rule.line for rule in rules))
        + f"---\n{head}{kind}Binding\nmetadata: {about}\n"
        f"roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {kind}, name: {name}}}\n"
        f"subjects:\n- {_subject(user)}"
    )
    wide = any(rule.resource == "nodes/proxy" for rule in rules)
    return Text("kube.grant-nodes" if wide else "kube.grant", {"check": rules[0].check, "role": role})


def _subject(user: str) -> str:
    if user.startswith(_ACCOUNT) and user.count(":") == 3:
        namespace, name = user.removeprefix(_ACCOUNT).split(":")
        return f"{{kind: ServiceAccount, namespace: {json.dumps(namespace)}, name: {json.dumps(name)}}}"
    return f"{{kind: User, apiGroup: rbac.authorization.k8s.io, name: {json.dumps(user)}}}"


def message(body: bytes) -> str | None:
    """Return what a Status of the API server says; None when a body is none."""
    try:
        status = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(status, dict) or status.get("kind") != "Status":
        return None
    said = str(status.get("message") or status.get("reason") or "")
    return "".join(c if c.isprintable() else " " for c in said[:600])


def missing(said: str) -> Rule | None:
    if found := _RESOURCE.search(said):
        user, verb, resource, group, namespace = found.groups()
        return Rule(user, _verbs(verb, resource), resource, group, namespace or "")
    if found := _PATH.search(said):
        return Rule(found[1], (found[2],), path=found[3])
    if found := _KUBELET.search(said):
        # Of several the last is the broadest, and known to every version.
        return Rule(found[1], (found[2],), f"nodes/{found[3].split()[-1]}")
    return None


def _verbs(verb: str, resource: str) -> tuple[str, ...]:
    if resource == "pods/portforward":
        # A WebSocket is opened with GET; since 1.35 the API server asks for create as well.
        return ("get", "create")
    if verb == "list":
        return ("get", "list")
    return (verb,)


def _urls(path: str) -> list[str]:
    return ["/debug/pprof", "/debug/pprof/*"] if path.startswith("/debug/pprof") else [path]


def _more(said: str) -> str:
    """Return which sentence has what helps."""
    if "address not allowed" in said:
        return ".own-address"
    return ".timeout" if "error trying to reach service" in said and "timeout" in said else ""
