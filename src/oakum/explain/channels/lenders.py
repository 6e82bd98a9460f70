"""Who was lent something by other code of the program, and left without giving it back?

Comes in: a stack that waits in code which lends places or things, by a channel or a semaphore. Goes out: the callers of
the function that lends which, on some way, neither call what gives back (a method that leads there, or the func that
was returned) nor hand the thing on.
"""

from collections.abc import Iterator

from oakum.explain.channels.semaphores import turns_of
from oakum.explain.code.calls import at, place
from oakum.explain.code.channel import channel_of
from oakum.explain.code.nouns import Func, Op
from oakum.explain.code.package import Package, within
from oakum.explain.code.paths import touching
from oakum.explain.code.program import Program
from oakum.explain.code.syntax import text
from oakum.explain.locks.held_locks import LockStack
from oakum.explain.network.acquired import Acquisitions, Holders, Lost, Pair, methods_named
from oakum.explain.reason import Reason
from oakum.explain.values import called
from oakum.explain.workers.acquirers import calls_of, releasing
from oakum.model import CauseSite, Text

_OTHER = {"send": "receive", "receive": "send"}
_MOST = 3


def reason(stack: LockStack) -> Reason | None:
    """Return who keeps what the stack waits to be lent."""
    for row, gives in _given(stack):
        lends = _lending(stack, row, gives)
        if lends is not None and (found := _kept(stack, lends, gives)) is not None:
            return found
    return None


def _given(stack: LockStack) -> Iterator[tuple[int, list[Op]]]:
    """Yield the frames that may take something lent, each with what gives it back."""
    spot, op = stack.blocked, stack.waiting
    if spot is not None and op is not None and op.kind in _OTHER and spot.frame.owner != "stdlib":
        # what the standard library lends, and how it is given back: network/handles.py
        flows = stack.scene.flows(spot)
        for one in [one for one in op.func.ops if one.select == op.select] if op.select is not None else [op]:
            channel = channel_of(one, flows, stack.scene.known) if one.kind in _OTHER else None
            if channel is not None and (gives := channel.done(_OTHER[one.kind])):
                yield stack.place, gives
    for turns, row in turns_of(stack):
        if turns.name:  # semaphore.Weighted
            every = (op for func in turns.package.all for op in func.ops)
            yield row, [op for op in every if (done := turns.does(op)) is not None and done.verb == "free"]


def _lending(stack: LockStack, row: int, gives: list[Op]) -> Func | None:
    """Return the function of that package which lends: the exported one that is called from elsewhere, or one that
    returns the func which gives back."""
    first = stack.scene.spots[row]
    for index in range(row, len(stack.frames) - 1):
        spot, above = stack.scene.spots[index], stack.frames[index + 1]
        if spot is None or first is None or spot.package is not first.package:
            return None
        func = spot.func.top
        if above.package != spot.frame.package:
            return func if func.name[:1].isupper() and func.results[:1] not in ([], ["error"]) else None
        if _returns_release(func, gives):
            return func
    return None


def _returns_release(func: Func, gives: list[Op]) -> bool:
    """Tell whether the func that is returned gives back: func (p *Pool) Get() (release func())."""
    funcs = touching(func.package, gives)
    return (
        func.results[:1] != []
        and func.results[0].startswith("func(")
        and any(one in funcs for one in within(func) if one is not func)
    )


def _kept(stack: LockStack, lends: Func, gives: list[Op]) -> Reason | None:
    """Return who was lent something and keeps it; None unless somebody else is seen to give it back."""
    lost = _lost(stack, lends, gives)
    return _build_reason(stack, lost) if 0 < len(lost) <= _MOST else None


def _lost(stack: LockStack, lends: Func, gives: list[Op]) -> list[Lost]:
    """Return the callers that do not give back what they were lent; none where nobody ever does."""
    package, program = lends.package, stack.scene.program
    methods = releasing(package, gives)
    returns_release = _returns_release(lends, gives)
    if not methods and not returns_release:
        return []
    lost: list[Lost] = []
    given_back = False
    for own, calls in _calls(program, lends):
        lendings = Acquisitions(own, _pair({id(one) for one in calls}, methods, returns_release))
        given_back = given_back or any(_given_back(lendings, one) for one, _ in lendings.all())
        lost += lendings.lost()
    return lost if given_back else []


def _calls(program: Program, lends: Func) -> Iterator[tuple[Package, list[Op]]]:
    """Yield the packages that are lent something, with the calls."""
    package = lends.package
    yield package, [op for op in package.callers.get(lends, ()) if op.kind == "call"]
    here = {file.source.name for file in package.files}
    for own in program.own(lends.name.encode()):
        if not any(file.source.name in here for file in own.files) and (
            calls := list(calls_of(program, own, package.path, lends))
        ):
            yield own, calls


def _build_reason(stack: LockStack, lost: list[Lost]) -> Reason:
    texts = [Text("cause.lent.waits")]
    sites: list[CauseSite] = []
    for one in lost:
        acquire = one.acquire
        lines = [leave.step.line for leave in one.exits[:_MOST]] or [acquire.line]
        exits = ", ".join(at(one.func, number) for number in lines)
        args = {"place": place(acquire), "call": text(acquire.target), "function": acquire.func.full, "exits": exits}
        texts.append(Text("cause.lent.left", args))
        sites += [one.func.site("never-released", number) for number in lines]
        sites += [acquire.func.site("acquired", acquire.line)] if one.exits else []
    texts.append(Text("cause.lent.ends"))
    return Reason(stack.scene.suspect.mechanisms[0], tuple(texts), tuple(sites))


def _pair(calls: set[int], names: frozenset[str], runs: bool) -> Pair:
    return Pair(
        acquires=lambda op: 0 if id(op) in calls else None,
        releases=lambda op: op.target if runs and op.kind == "call" else methods_named(op, *names),
        reads=lambda op: called(op.node, op.func, op.file, op.func.package).startswith(("fmt.", "log.", "errors.")),
        part=lambda *_: False,
    )


def _given_back(all_: Acquisitions, op: Op) -> bool:
    holders = Holders(all_, op.func, op, 0)
    gives = [given for one in op.func.everything() if (given := all_.pair.releases(one)) is not None]
    return any(holders.holds(given) for given in gives)
