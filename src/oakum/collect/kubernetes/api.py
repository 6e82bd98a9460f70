"""The API server of a login -> pods, nodes and Services, and an endpoint that others are reached through.

One for all targets of a call that share a login: connections, and what an exec plugin gave, are shared.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from oakum.collect.kubernetes import things
from oakum.collect.kubernetes.credentials import ClusterAccess, Credentials
from oakum.collect.kubernetes.kubeconfig import Login
from oakum.collect.kubernetes.refusals import Refusals
from oakum.collect.kubernetes.things import SERVICE_LABEL, Node, Pod, Service
from oakum.collect.web import Access, HttpEndpoint
from oakum.model import Text, Unreachable, UsageError

_PAGE = 500
_PAGES = 40  # 20,000 things: who has more narrows it with -l
_LARGEST = 256 << 20  # bytes of a page; a pod has some 10 KB


class Refused(Unreachable):
    """The API server answers, but not with what was asked for: who may use its proxies need not be allowed to read."""

    status = 0


class NotThere(Refused):
    """The API server answers that there is no such thing."""


class Api:
    """The API server, and how it is entered."""

    def __init__(self, login: Login, access: Access) -> None:
        self.login = login
        self.credentials = Credentials(login, access)
        parts = urlsplit(login.cluster.server)
        secure = parts.scheme == "https"
        self.access = ClusterAccess(
            headers=access.headers,
            server_name=login.cluster.server_name,
            tls=self.credentials.context() if secure else None,
            proxy=login.cluster.proxy,
            credentials=self.credentials,
        )
        self._refusals = Refusals(self.credentials.sent)
        # Rancher and others keep many clusters below paths of one server.
        self.endpoint = HttpEndpoint(
            f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
            self.access,
            prefix=parts.path.rstrip("/"),
            explain=self._refusals.explain,
        )
        self._users = 0
        self._lock = threading.Lock()

    def enter(self) -> None:
        """Count one more target that uses it."""
        with self._lock:
            self._users += 1

    def leave(self) -> None:
        """Let go of connections when the last target has gone."""
        with self._lock:
            self._users -= 1
            last = self._users <= 0
        if last:
            self.endpoint.close()

    def pod(self, namespace: str, name: str, seconds: float = 30.0) -> Pod:
        """Return a pod; raise NotThere, or Unreachable with the reason."""
        return things.pod(self.get(f"/api/v1/namespaces/{namespace}/pods/{name}", seconds=seconds))

    def node(self, name: str, seconds: float = 30.0) -> Node:
        """Return a node; raise NotThere, or Unreachable with the reason."""
        return things.node(self.get(f"/api/v1/nodes/{name}", seconds=seconds))

    def pods(self, namespace: str | None, selector: str | None) -> list[Pod]:
        """Return the pods of a namespace, or (None) of all, that a selector chooses."""
        path = f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/pods"
        return [things.pod(one) for one in self._list(path, selector)]

    def nodes(self, selector: str | None) -> list[Node]:
        return [things.node(one) for one in self._list("/api/v1/nodes", selector)]

    def pods_at(self, address: str) -> list[Pod]:
        """Return the pods with an address: one, or all that share that of their node."""
        return [things.pod(one) for one in self._list("/api/v1/pods", None, f"status.podIP={address}")]

    def services(self) -> list[Service]:
        """Return the Services of all namespaces."""
        return [things.service(one) for one in self._list("/api/v1/services", None)]

    def pods_behind(self, namespace: str, service: str) -> list[tuple[str, str]]:
        """Return namespace and name of the pods that a Service leads to."""
        return things.pods_of(self._slices(namespace, service))

    def service_objects(self, namespace: str, service: str, seconds: float = 30.0) -> list[dict[str, Any]]:
        """Return a Service and its EndpointSlices as the API server describes them, but for what may be secret."""
        found = self.get(f"/api/v1/namespaces/{namespace}/services/{service}", seconds=seconds)
        slices = [{"kind": "EndpointSlice", **things.public(one)} for one in self._slices(namespace, service)]
        return [{"kind": "Service", **things.public(found)}, *slices]

    def _slices(self, namespace: str, service: str) -> list[Mapping[str, Any]]:
        path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
        return list(self._list(path, f"{SERVICE_LABEL}={service}"))

    def get(self, path: str, query: Mapping[str, str] = MappingProxyType({}), seconds: float = 30.0) -> dict[str, Any]:
        try:
            answer = self.endpoint.get(path, query, seconds=seconds, most=_LARGEST)
        except Unreachable as error:
            told = Text("kube.api", {"why": _of_cluster(error.text), "source": self.login.source})
            raise Unreachable(told) from error
        if not answer.good:
            said = Text("web.at", {"where": self.endpoint.url(path, query), "why": answer.fault})
            refused = (NotThere if answer.status == 404 else Refused)(said)
            refused.status = answer.status
            raise refused
        try:
            found = json.loads(bytes(answer.data))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or answer.cut:
            args = {"where": self.endpoint.url(path, query), "address": self.endpoint.address}
            raise Unreachable(Text("kube.no-object", {**args, "why": answer.cut or Text("kube.no-object.why")}))
        return found

    def _list(self, path: str, selector: str | None, fields: str = "") -> Iterator[Mapping[str, Any]]:
        query = {"limit": str(_PAGE)} | ({"fieldSelector": fields} if fields else {})
        if selector:
            query["labelSelector"] = selector
        for _ in range(_PAGES):
            self._refusals.advice()  # forgotten: what is told below is of this request
            try:
                page = self.get(path, query)
            except Refused as error:
                if error.status == 400 and selector:
                    why = error.text.args["why"]
                    said = why.args.get("said", "") if isinstance(why, Text) else ""
                    raise UsageError(f"-l {selector}: the API server rejects it: {said}") from error
                told = error.text
                for advice in self._refusals.advice():
                    told = Text("kube.advised", {"why": told, "advice": advice})
                raise Unreachable(told) from error
            items = page.get("items")
            yield from (one for one in items if isinstance(one, dict)) if isinstance(items, list) else ()
            about = page.get("metadata")
            more = about.get("continue") if isinstance(about, dict) else None
            if not more:
                return
            query["continue"] = str(more)
        raise Unreachable(Text("kube.too-many", {"path": path, "most": _PAGE * _PAGES}))


def _of_cluster(said: Text) -> Text:
    """Return what is wrong with a connection; flags for certificates are of other servers than this one."""
    why = said.args.get("why")
    if not isinstance(why, Text) or why.key != "web.cert":
        return said
    return Text("kube.authority", {"where": said.args["where"], "what": why.args["what"]})
