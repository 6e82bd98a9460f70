"""A Service -> a Target: its addresses and the pods behind them, so that connections to it can be understood later.

What is kept is a List as `kubectl get -o json` prints it, of the fields that say who is behind the Service; annotations
may hold secrets, and are left out. The pods themselves are targets of their own.
"""

import json
from datetime import UTC, datetime

from oakum.collect.kubernetes.api import Api
from oakum.collect.target import CaptureOptions, Plan, Step, Taken
from oakum.model import Capture, OakumError, Problem, said_of

_FILE = "routes.json"


class ServiceTarget:
    """A Service of a cluster. Used by one thread at a time."""

    def __init__(self, api: Api, namespace: str, service: str, left: int = 0) -> None:
        self.address = f"kube://service/{namespace}/{service}"
        self.name = f"{namespace}_{service}_service"
        self.process = f"{api.endpoint.address} service {namespace}/{service}"
        self._api, self._namespace, self._service = api, namespace, service
        self._left = left  # pods behind it that are not captured
        api.enter()

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Return the one thing that is taken; pods come and go from snapshot to snapshot."""
        del options, snapshot, last
        chosen = f"-l kubernetes.io/service-name={self._service}"
        ask = f"kubectl get -n {self._namespace} service/{self._service}, endpointslices {chosen} -o json"
        problems = (Problem.of("more-pods", pods=self._left),) if self._left else ()
        return Plan((Step(_FILE, "its addresses, and the pods behind them", ask),), problems=problems)

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        began = datetime.now(UTC)
        try:
            objects = self._api.service_objects(self._namespace, self._service, options.seconds)
        except OakumError as error:
            return Taken(step, None, began, datetime.now(UTC), (Problem.of("unreachable", error=said_of(error)),))
        data = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=1).encode() + b"\n"
        ended = datetime.now(UTC)
        return Taken(step, Capture(f"{self.address}/{_FILE}", data, ended), began, ended)

    def close(self) -> None:
        self._api.leave()
