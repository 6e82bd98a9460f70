"""One look at one target: plan, then the steps that are worth their cost -> captures, and what they cost the target.

Cheap by default: the count, metrics, heap and goroutines grouped by stack. The full dump only where it is asked for.
Never raises for what the other side does.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from oakum.collect.target import CaptureOptions, Step, Target
from oakum.collect.web.wire import Traffic, traffic
from oakum.model import Capture, Problem
from oakum.watch.budget import ROOM, Cost

Detail = Literal["count", "profile", "dump"]

# Bytes of one answer: a dump of 10,000 goroutines has some 20 MiB, profiles and metrics are far below the other.
MOST, MOST_CHEAP = 32 << 20, 8 << 20
_DUMPS = ("goroutine.debug2.txt", "goroutineleak.pb.gz", "pod.json", "events.json")


class Look(Struct, frozen=True):
    """What is wanted of a target now."""

    number: int = 1  # of its snapshots, from 1
    full: bool = False  # with the dump
    whatever: bool = False  # the cost: the evidence before the crash
    seconds: float = 10.0  # for one request
    limit: float = 60.0  # for all of them


class Taking(Struct, frozen=True, eq=False):
    """What came of a look."""

    began: datetime
    ended: datetime
    captures: tuple[tuple[str, Capture], ...] = ()  # (file, bytes)
    facts: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    cost: Cost = Cost()
    by_file: Mapping[str, Cost] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # files that would have cost too much
    past: bool = False  # it tells of the past, and is nothing to watch

    @property
    def detail(self) -> Detail:
        files = {file for file, _ in self.captures}
        if "goroutine.debug2.txt" in files:
            return "dump"
        return "profile" if any(file.startswith(("goroutine", "heap")) for file in files) else "count"

    @property
    def answered(self) -> bool:
        """Tell whether anything of use came."""
        return bool(self.captures) or "goroutines" in self.facts


def take(
    target: Target,
    options: CaptureOptions,
    look: Look,
    allowed: Callable[[str, Cost], bool] = lambda *_: True,  # (file, what was spent so far) -> may it be asked for?
    clock: Callable[[], float] = time.monotonic,
    room: float = math.inf,
) -> Taking:
    """Look at a target once; `allowed` is asked before each step that could be left out, `room` is kept in any case."""
    began, start = datetime.now(UTC), clock()
    dumped = options.budget if look.full else -1  # goroutines up to which the dump is taken
    asked = replace(
        options, budget=dumped, seconds=look.seconds, most=min(options.most, MOST if look.full else MOST_CHEAP)
    )
    counted = Traffic(room)
    token = traffic.set(counted)
    captures: list[tuple[str, Capture]] = []
    by_file: dict[str, Cost] = {}
    problems: list[Problem] = []
    left_out: list[str] = []
    try:
        plan = target.plan(asked, look.number, look.full)
        problems += plan.problems
        by_file["plan"] = _cost(counted, 0, 0)
        for step in _chosen(plan.steps, look):
            if clock() - start > look.limit:
                problems.append(Problem.of("late", files=step.file, seconds=look.limit))
                break
            dear = not look.whatever and not allowed(step.file, _sum(by_file))
            if dear or room - counted.received < ROOM:
                left_out.append(step.file)
                continue
            bytes_before, requests = counted.received, len(counted.waits)
            taken = target.take(step, asked)
            problems += taken.problems
            if len(counted.waits) > requests:  # what the plan has asked for already is counted there
                by_file[step.file] = _cost(counted, bytes_before, requests)
            if taken.capture is not None and not any(one.key == "cut" for one in taken.problems):
                captures.append((step.file, taken.capture))
    finally:
        traffic.reset(token)
    return Taking(
        began, datetime.now(UTC), tuple(captures), plan.facts, tuple(problems), _sum(by_file), by_file,
        tuple(left_out), plan.once,
    )  # fmt: skip


def _chosen(steps: Sequence[Step], look: Look) -> list[Step]:
    """Return the steps worth taking: a collection is not forced for a heap profile that can wait for the next one."""
    return [
        step
        for step in steps
        if "/" not in step.file
        and (look.full or step.file not in _DUMPS)
        and (look.full or look.number == 1 or "gc=1" not in step.key)
    ]


def _cost(counted: Traffic, bytes_before: int, requests: int) -> Cost:
    """Return what requests have cost: the quickest of all tells how long the way is, the rest is work."""
    waits = counted.waits
    way = min(waits, default=0.0)
    return Cost(float(counted.received - bytes_before), sum(max(0.0, one - way) for one in waits[requests:]))


def _sum(costs: Mapping[str, Cost]) -> Cost:
    found = Cost()
    for one in costs.values():
        found = found.plus(one)
    return found
