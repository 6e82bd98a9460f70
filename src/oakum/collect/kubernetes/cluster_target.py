"""Something in a cluster -> a Target: the way to it is looked for when it is planned; then it is pprof behind HTTP.

What is kept beside its captures: facts of the pod or node, and the roles that would have allowed what was refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType

from msgspec.structs import replace

from oakum.collect.kubernetes.api import Api
from oakum.collect.kubernetes.records import Involved, Records
from oakum.collect.kubernetes.refusals import Refusals
from oakum.collect.kubernetes.ways import Way
from oakum.collect.pprof.endpoint import PprofTarget
from oakum.collect.target import CaptureOptions, Plan, Step, Taken
from oakum.model import OakumError, Problem, Text, said_of


@dataclass(frozen=True)
class Found:
    """What looking for a thing in the cluster came to."""

    way: Way | None
    facts: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


# How it is looked for: refusals are explained and kept there, seconds for one request, the way of the snapshot before.
Find = Callable[[Refusals, float, Way | None], Found]


class ClusterTarget:
    """A kubelet, a program in a pod, a component. Used by one thread at a time."""

    def __init__(
        self,
        api: Api,
        address: str,
        name: str,
        process: str,
        find: Find,
        prefix: str = "",
        involved: Involved | None = None,  # whose events are its own
    ) -> None:
        self.address, self.name = address, name
        self._prefix = prefix  # where pprof is looked for first
        # One cluster reached by two contexts is two to us, which costs nothing but care.
        self.process = f"{api.endpoint.address} {process}"
        self._api, self._find = api, find
        self._refusals = Refusals(api.credentials.sent)
        self._way: Way | None = None
        self._inner: PprofTarget | None = None
        self._records = Records(api, involved) if involved else None
        api.enter()

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Look for the way to it and what it serves; count; return what to take."""
        try:
            found = self._find(self._refusals, options.seconds, self._way)
        except OakumError as error:
            self._leave()
            return Plan(advice=self._refusals.advice(), problems=(Problem.of("unreachable", error=said_of(error)),))
        if found.way is None:
            self._leave()
            return Plan(advice=self._refusals.advice(), facts=found.facts, problems=found.problems)
        if found.way is not self._way or self._inner is None:
            self._leave()
            self._way = found.way
            called = (self.address, self.name, self.process)
            self._inner = PprofTarget(found.way.endpoint, *called, prefix=self._prefix, widely=found.way.widely)
        plan = _for_hands(found.way, self._inner.plan(options, snapshot, last))
        told = {problem.key for problem in found.problems}
        problems = tuple(problem for problem in plan.problems if problem.key not in told)
        refused = self._refusals.advice()
        if any(step.file.startswith(("heap", "goroutine")) for step in plan.steps):
            refused = ()  # one way was closed, another is open
        problems += self._trouble(bool(problems))
        if not plan.steps:
            self._leave()  # the next snapshot looks for another way
        elif last and self._records:  # they tell of the past: the last time of asking tells most
            steps, left_out = self._records.plan(options.seconds)
            plan = replace(plan, steps=(*plan.steps, *steps), left_out=(*plan.left_out, *left_out))
        return replace(
            plan,
            advice=(*plan.advice, *refused),
            facts=MappingProxyType({**found.facts, **plan.facts}),
            problems=(*found.problems, *problems),
        )

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        if self._inner is None:
            now = datetime.now(UTC)
            return Taken(step, None, now, now, (Problem.of("unreachable.no-way", target=self.address),))
        if self._records and (recorded := self._records.take(step)):
            return recorded
        taken = self._inner.take(step, options)
        return replace(taken, problems=(*taken.problems, *self._trouble(taken.capture is None)))

    def close(self) -> None:
        self._leave()
        self._api.leave()

    def _leave(self) -> None:
        if self._way is not None:
            self._way.close()
        self._way = self._inner = None

    def _trouble(self, failed: bool) -> tuple[Problem, ...]:
        """Return what the API server or the runtime said of a forwarded port; the connection itself only breaks."""
        forward = self._way.forward if self._way else None
        if not failed or forward is None or not forward.trouble:
            return ()
        return (Problem.of("port-forward", target=self.address, why=forward.trouble),)


def _for_hands(way: Way, plan: Plan) -> Plan:
    """Return a plan whose requests can be repeated by hand: kube:// is ours alone."""
    asked, put = f"GET {way.endpoint.address}", f"curl -X PUT --data 5 {way.endpoint.address}"

    def repeated(ask: str) -> str:
        return way.repeated(ask.removeprefix(asked)) if ask.startswith(asked) else ask

    def advised(advice: Text) -> Text:
        command = str(advice.args.get("command", ""))
        return (
            Text(advice.key, {"command": way.put("5", command.removeprefix(put))})
            if command.startswith(put)
            else advice
        )

    return replace(
        plan,
        steps=tuple(replace(step, ask=repeated(step.ask)) for step in plan.steps),
        advice=tuple(advised(advice) for advice in plan.advice),
    )
