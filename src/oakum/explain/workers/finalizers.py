"""Why are finalizers behind? One goroutine runs them all, and one of them waits.

Comes in: a suspect whose memory waits for its finalizers. Goes out: the line that registers the finalizer, the one
where it waits and, of a channel, the exit of the goroutine that used to receive from it.
"""

from collections.abc import Callable, Iterator

from oakum.explain.code.calls import at, method, operand, place
from oakum.explain.code.channel import channel_of
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.package import Package, within
from oakum.explain.code.paths import leaves_without, touching
from oakum.explain.code.program import Program, ResolvedFrame
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.workers.timers import callback
from oakum.model import CauseSite, Frame, Text
from oakum.model.vocabulary import Mechanism

_MECHANISM: Mechanism = "finalizer-backlog"


def reason(scene: StackInSource) -> Reason | None:
    """Return why finalizers do not come to their turn."""
    if _MECHANISM not in scene.suspect.mechanisms:
        return None
    waits = [site.frame for site in scene.suspect.sites if site.role == "blocked"]
    waits += [frame for frame in scene.trace.frames if frame.owner == "own"][:1]
    others: list[Frame] = [*scene.suspect.path, *(site.frame for site in scene.suspect.sites)]
    for frame in waits:
        spot = scene.program.spot(frame) if frame.owner == "own" else None
        for op, run in _registrations(scene.program, others, spot) if spot is not None else ():
            if spot is not None and _leads(run, spot):
                return _build_reason(scene.program, op, run, spot)
    return None


def _registrations(program: Program, frames: list[Frame], spot: ResolvedFrame) -> Iterator[tuple[Op, Func]]:
    """Yield the calls that register finalizers, and what they have run."""
    packages: list[Package] = [spot.package]
    packages += [one for frame in frames if frame.owner == "own" and (one := program.package(frame)) is not None]
    for package in {id(one): one for one in packages}.values():
        for func in package.all:
            for op in func.ops:
                if op.kind != "call" or method(op) not in ("SetFinalizer", "AddCleanup") or len(op.values) < 2:
                    continue
                run = callback(op, op.values[1])
                if run is not None and package.import_of(operand(op), op.file) == "runtime":
                    yield op, run


def _leads(run: Func, spot: ResolvedFrame) -> bool:
    """Tell whether a finalizer comes to a place."""
    inner = set(within(run))
    if spot.func in inner:
        return True
    return bool(inner & touching(spot.package, spot.ops)) if spot.package is run.package else False


def _build_reason(program: Program, op: Op, run: Func, spot: ResolvedFrame) -> Reason:
    waits, code = at(spot.func, spot.number), spot.func.file.code(spot.number)
    args = {"place": place(op), "function": run.full, "waits": waits, "code": code}
    told = [Text("cause.finalizer.registered", args), Text("cause.finalizer.waits", args)]
    sites = [op.func.site("registered", op.line), spot.func.site("waits", spot.number)]
    send = spot.op("send")
    if send is not None:
        for site in _gone(program, send, spot):
            told.append(
                Text("cause.finalizer.receiver", {
                    "channel": text(send.target), "place": f"{site.frame.file.rpartition('/')[2]}:{site.frame.line}",
                    "code": site.code, "function": site.frame.function,
                })
            )  # fmt: skip
            sites.insert(0, site)
            break
    return Reason(_MECHANISM, tuple(told), distinct(sites))


def _gone(program: Program, send: Op, spot: ResolvedFrame) -> Iterator[CauseSite]:
    """Yield the exits of those who receive: after them nobody takes what the finalizer sends."""
    channel = channel_of(send, program.flows(spot.package))
    for receive in channel.done("receive") if channel is not None else ():
        for leave in leaves_without([receive.step], _same(receive)):
            yield receive.func.site("never-received", leave.step.line)


def _same(receive: Op) -> Callable[[Step], bool]:
    return lambda step: step is receive.step
