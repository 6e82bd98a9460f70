"""What the API server keeps of a pod or node -> events.json: what happened to it; pod.json: how its containers ended.

Events are stored as they are answered. Of a pod only the states of its containers are: its environment, annotations and
the last words of a container hold secrets. A refusal leaves the file out, and stops nothing.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from oakum.collect.kubernetes.api import Api
from oakum.collect.kubernetes.refusals import Refusals
from oakum.collect.kubernetes.things import map_of, maps_of, text_of
from oakum.collect.target import LeftOut, Step, Taken
from oakum.model import Capture, Unreachable

# The API server keeps events for an hour, and counts those that repeat.
_EVENTS_MOST = 500
_BYTES_MOST = 4 << 20
_ENDING = ("reason", "exitCode", "signal", "startedAt", "finishedAt")


@dataclass(frozen=True)
class Involved:
    """Whom events are about, and where they are: those of nodes are in the namespace default."""

    kind: Literal["Pod", "Node"]
    name: str
    namespace: str = "default"


@dataclass
class Records:
    """The records of one pod or node: the plan asks for them, and they are kept until they are taken."""

    api: Api
    involved: Involved
    _kept: dict[str, Capture] = field(default_factory=dict)
    _seconds: float = 0.0  # for one request

    def plan(self, seconds: float) -> tuple[list[Step], list[LeftOut]]:
        """Ask; return what there is, and what was refused."""
        self._kept.clear()
        self._seconds = seconds
        left_out: list[LeftOut] = []
        deployment = ""
        if self.involved.kind == "Pod":
            with suppress(Unreachable):  # that it may not be read was said when the way to it was looked for
                deployment = self._ask_pod()
        try:
            self._ask_events(deployment)
        except Unreachable as error:
            left_out.append(LeftOut("events.json", error.text))
        told = {"pod.json": "how its containers ended", "events.json": "its events"}
        steps = [Step(file, told[file], _by_hand(one.origin)) for file, one in self._kept.items()]
        return steps, left_out

    def take(self, step: Step) -> Taken | None:
        """Return what the plan kept of a step; None when it is none of these."""
        if (capture := self._kept.pop(step.file, None)) is None:
            return None
        at = capture.received_at or datetime.now(UTC)
        return Taken(step, capture, at, at)

    def _ask_pod(self) -> str:
        """Keep how the containers of the pod ended, if any did; return the Deployment that it is of, or ""."""
        place = f"/api/v1/namespaces/{self.involved.namespace}/pods/{self.involved.name}"
        pod = self.api.get(place, seconds=self._seconds)
        states = [_state(one) for one in maps_of(map_of(pod, "status"), "containerStatuses")]
        if any("terminated" in one[when] for one in states for when in ("state", "lastState")):
            about = {"namespace": self.involved.namespace, "name": self.involved.name}
            kept = {"apiVersion": "v1", "kind": "Pod", "metadata": about, "status": {"containerStatuses": states}}
            self._keep("pod.json", json.dumps(kept).encode(), self.api.endpoint.url(place))
        owners = maps_of(map_of(pod, "metadata"), "ownerReferences")
        sets = [text_of(one, "name") for one in owners if one.get("kind") == "ReplicaSet"]
        return sets[0].rpartition("-")[0] if sets else ""

    def _ask_events(self, deployment: str) -> None:
        """Keep the events of the thing itself, and of the Deployment that it is of: its rollouts are there."""
        place = f"/api/v1/namespaces/{self.involved.namespace}/events"
        # Who may not read events need not be shown how to: the captures are what counts.
        endpoint = replace(self.api.endpoint, explain=Refusals(self.api.credentials.sent).explain)
        whom = [(self.involved.kind, self.involved.name), *([("Deployment", deployment)] if deployment else [])]
        answers = []
        for kind, name in whom:
            chosen = f"involvedObject.kind={kind},involvedObject.name={name}"
            asked = {"fieldSelector": chosen, "limit": str(_EVENTS_MOST)}
            answer = endpoint.get(place, asked, seconds=self._seconds, most=_BYTES_MOST)
            if not answer.good or answer.cut:
                raise endpoint.failure(place, answer.fault)
            if _has_items(bytes(answer.data)):
                answers.append(bytes(answer.data).strip())
        if answers:
            self._keep("events.json", b"\n".join(answers) + b"\n", endpoint.url(place))

    def _keep(self, file: str, data: bytes, origin: str) -> None:
        self._kept[file] = Capture(origin, data, datetime.now(UTC))


def _has_items(data: bytes) -> bool:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and bool(maps_of(found, "items"))


def _state(status: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a container how it fares, and how it ended last."""

    def told(state: Mapping[str, Any]) -> dict[str, object]:
        ended = map_of(state, "terminated")
        kept = {key: ended[key] for key in _ENDING if isinstance(ended.get(key), str | int)}
        return {"terminated": kept} if kept else {}

    name, restarts = text_of(status, "name"), status.get("restartCount")
    counted = {"restartCount": restarts} if isinstance(restarts, int) else {}
    both = {when: told(map_of(status, when)) for when in ("state", "lastState")}
    return {"name": name, **counted, **both}


def _by_hand(origin: str) -> str:
    return f"kubectl get --raw '/api/v1/{origin.partition('/api/v1/')[2]}'"
