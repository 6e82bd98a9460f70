"""A port of a pod -> an endpoint: through the API server's proxy, or a forwarded port where that does not lead there.

The proxy is tried first: it needs one right (pods/proxy). It does not reach what listens on a pod's loopback, and hands
no credentials on.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from oakum.collect.kubernetes.api import Api
from oakum.collect.kubernetes.forward import Forward
from oakum.collect.kubernetes.refusals import Refusals, message
from oakum.collect.kubernetes.things import Pod, Port
from oakum.collect.pprof.probe import STANDARD, look
from oakum.collect.pprof.shapes import shape
from oakum.collect.web import Access, Answer, HttpEndpoint
from oakum.model import Text, Unreachable

# Where Go programs serve pprof when they do not say so: net/http/pprof's own example first.
USUAL = (6060, 8080, 9090, 8081, 2112, 8000, 3000, 6061)
_LOOK = 5.0  # seconds for one port among many: what is there answers at once
_HTTPS = b"HTTP request to an HTTPS server"  # what Go answers to http on a port of https


_NOT_OUTSIDE, _NOT_INSIDE = Text("kube.not-outside"), Text("kube.not-inside")


@dataclass(frozen=True)
class Way:
    endpoint: HttpEndpoint
    by_hand: str = ""  # where people reach it themselves: "https://localhost:10259"; "": by kubectl get --raw
    first: str = ""  # what they do before: "kubectl port-forward ..., then "
    forward: Forward | None = None
    own: bool = False  # its connections are its own, not those of the API server
    mounted: bool = False  # pprof was seen there
    widely: bool = True  # worth looking where pprof is not usual

    def repeated(self, path: str) -> str:
        """Return how a request is repeated by hand; our names of endpoints mean nothing to curl."""
        if self.by_hand:
            return f"{self.first}GET {self.by_hand}{path}"
        return f"kubectl get --raw '{self.endpoint.prefix}{path}'"

    def put(self, value: str, path: str) -> str:
        """Return the command that would set something there."""
        if self.by_hand:
            unchecked = "-k " if self.by_hand.startswith("https") else ""
            return f"{self.first}curl {unchecked}-X PUT --data {value} {self.by_hand}{path}"
        return f"printf {value} | kubectl replace --raw '{self.endpoint.prefix}{path}' -f -"

    def close(self) -> None:
        """Let go of what was opened for it alone."""
        if self.own:
            self.endpoint.close()
        if self.forward is not None:
            self.forward.close()


@dataclass
class Search:
    """The ways into one pod: what was tried, and what did not work for any port."""

    api: Api
    pod: Pod
    shown: str
    refusals: Refusals
    behind: Access  # how what listens in the pod itself is entered
    seconds: float
    patience: float = _LOOK  # for one port
    proxy: bool = True
    forwards: bool = True
    said: list[tuple[Text, list[int]]] = field(default_factory=list)  # why not, the ports of which that is said

    def to(self, port: Port) -> Way | None:
        """Return the way to a port; None when nothing there speaks HTTP, and why is noted."""
        return (self._by_proxy(port) if self.proxy else None) or (self._by_forward(port) if self.forwards else None)

    def anywhere(self) -> Way | None:
        """Return the way to the port that serves pprof, else to one that speaks HTTP at all: it may have metrics."""
        until = time.monotonic() + self.seconds
        spoke: list[Way] = []
        for port in _candidates(self.pod):
            if time.monotonic() > until:
                self._note(port, Text("kube.untried", {"seconds": self.seconds}))
                break
            if (way := self.to(port)) is None:
                continue
            if way.mounted:
                for other in spoke:
                    other.close()
                return way
            spoke.append(way)
        # It may be mounted where it is not usual.
        found = next((replace(way, mounted=True) for way in spoke[:3] if look(way.endpoint, seconds=_LOOK).mount), None)
        best = found or (spoke[0] if spoke else None)
        for way in spoke:
            if best is None or way.endpoint is not best.endpoint:
                way.close()
        return best

    def _by_proxy(self, port: Port) -> Way | None:
        for https in (port.https, not port.https):
            name = f"{'https:' if https else ''}{self.pod.name}:{port.number}"
            path = f"/api/v1/namespaces/{self.pod.namespace}/pods/{name}/proxy"
            endpoint = self.api.endpoint.under(path, self.shown, self.refusals.explain)
            try:
                answer = _ask(endpoint, min(self.patience, self.seconds))
            except Unreachable as error:
                self.proxy = False  # the next port would take as long
                self._note(port, error.text)
                return None
            said = message(bytes(answer.data[:65536]))
            if answer.status == 403 and said is not None and "pods/proxy" not in said:
                said = None  # of the pod itself, which is an API server of its own
            if said is None and not (answer.status == 400 and _HTTPS in bytes(answer.data[:200])):
                return Way(endpoint, mounted=_mounted(endpoint, answer))
            if answer.status in (401, 403):
                self.proxy = False
            if said is not None:
                self._note(port, answer.fault)
                if not (https and "HTTP response to HTTPS client" in said):
                    return None
        return None

    def _by_forward(self, port: Port) -> Way | None:
        try:
            forward = Forward(self.api, self.pod.namespace, self.pod.name, port.number, self.refusals, self.seconds)
        except Unreachable as error:
            self._note(port, error.text)
            return None
        why: Text | None = None
        seconds = min(self.patience, self.seconds)
        until = time.monotonic() + seconds
        for https in (port.https, not port.https):
            endpoint = HttpEndpoint(
                f"{'https' if https else 'http'}://localhost",
                self.behind if https else replace(self.behind, tls=None),
                forward.socket,
                shown=self.shown,
                explain=self.refusals.explain,
            )
            try:
                answer = _ask(endpoint, seconds)
            except Unreachable as error:
                endpoint.close()
                why = forward.trouble or why or forward.silence or error.text
                if forward.trouble or time.monotonic() >= until:  # what does not answer is as mute with TLS
                    break
                continue
            if answer.status == 400 and _HTTPS in bytes(answer.data[:200]):
                endpoint.close()
                continue
            by_hand = f"{'https' if https else 'http'}://localhost:{port.number}"
            first = f"kubectl port-forward -n {self.pod.namespace} {self.pod.name} {port.number}, then "
            return Way(endpoint, by_hand, first, forward, own=True, mounted=_mounted(endpoint, answer))
        if why:
            self._note(port, why)
        if forward.refused:
            self.forwards = False
        forward.close()
        return None

    @property
    def why(self) -> Text | None:
        """Return why no port led anywhere, the same reason once."""
        told: Text | None = None
        for reason, ports in self.said:
            if ports:
                key = "kube.ports" if len(ports) > 1 else "kube.port"
                one = Text(key, {"ports": ", ".join(map(str, ports)), "why": reason})
                told = Text("kube.and", {"first": told, "then": one}) if told else one
        return told

    def _note(self, port: Port, why: Text) -> None:
        inner = why.args.get("why")
        reason = inner if why.args.get("where") == f"{self.shown}{STANDARD}/" and isinstance(inner, Text) else why
        said = str(reason.args.get("said", ""))
        if "error trying to reach service" in said and "connection refused" in said:
            reason = _NOT_OUTSIDE
        elif reason.key in ("kube.forward.refused", "kube.forward.silent"):
            reason = _NOT_INSIDE
            for _, outside in (one for one in self.said if one[0] == _NOT_OUTSIDE):
                outside[:] = [number for number in outside if number != port.number]  # it goes without saying
        ports = next((ports for known, ports in self.said if known == reason), None)
        if ports is None:
            ports = []
            self.said.append((reason, ports))
        if port.number not in ports:
            ports.append(port.number)


def _ask(endpoint: HttpEndpoint, seconds: float) -> Answer:
    return endpoint.get(f"{STANDARD}/", seconds=seconds, most=1 << 20)


def _mounted(endpoint: HttpEndpoint, answer: Answer) -> bool:
    if answer.good and shape(answer.data) == "index":
        return True
    # An index may be missing where single profiles are served; a page for everybody has neither.
    return answer.status not in (401, 403) and look(endpoint, seconds=_LOOK, widely=False).mount is not None


def _candidates(pod: Pod) -> Iterator[Port]:
    """Yield the ports worth asking: declared ones, those whose names speak of it first, then the usual ones."""
    declared = {port.number: port for port in reversed(pod.ports)}
    yield from sorted(declared.values(), key=_promise)
    yield from (Port(number) for number in USUAL if number not in declared)


def _promise(port: Port) -> tuple[int, int]:
    for rank, words in enumerate((("pprof", "debug", "profil"), ("metric", "admin"), ("http", "web", "api"))):
        if any(word in port.name for word in words):
            return rank, 0
    return 3, 0 if port.number in USUAL else 1
