"""Who was lent something by another package of the program, and left without giving it back?

Comes in: a stack that waits in a package which lends places or things by a channel. Goes out: the callers of its
exported function that, on some way, neither call what gives back (a method that leads there, or the func that was
returned) nor hand the thing on.
"""

from oakum.explain.code.calls import at, place
from oakum.explain.code.channel import channel_of
from oakum.explain.code.nouns import Func, Op
from oakum.explain.code.package import within
from oakum.explain.code.paths import touching
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
    spot, op = stack.blocked, stack.waiting
    if spot is None or op is None or op.kind not in _OTHER or spot.frame.owner == "stdlib":
        return None  # what the standard library lends, and how it is given back: network/handles.py
    lends = _lending(stack)
    if lends is None:
        return None
    flows = stack.scene.flows(spot)
    cases = [one for one in op.func.ops if one.select == op.select] if op.select is not None else [op]
    for one in cases:
        channel = channel_of(one, flows, stack.scene.known) if one.kind in _OTHER else None
        gives = channel.done(_OTHER[one.kind]) if channel is not None else []
        if gives and (found := _kept(stack, lends, gives)) is not None:
            return found
    return None


def _lending(stack: LockStack) -> Func | None:
    """Return the exported function by which the stack came into the package that it waits in."""
    for index in range(stack.place, len(stack.frames) - 1):
        spot, above = stack.scene.spots[index], stack.frames[index + 1]
        if spot is None or stack.blocked is None or spot.package is not stack.blocked.package:
            return None
        if above.package != spot.frame.package:
            func = spot.func.top
            return func if func.name[:1].isupper() and func.results[:1] not in ([], ["error"]) else None
    return None


def _kept(stack: LockStack, lends: Func, gives: list[Op]) -> Reason | None:
    """Return who was lent something and keeps it; None unless somebody else is seen to give it back."""
    lost = _lost(stack, lends, gives)
    return _build_reason(stack, lost) if 0 < len(lost) <= _MOST else None


def _lost(stack: LockStack, lends: Func, gives: list[Op]) -> list[Lost]:
    """Return the callers that do not give back what they were lent; none where nobody ever does."""
    package, program = lends.package, stack.scene.program
    methods = releasing(package, gives)
    funcs = touching(package, gives)
    # func (p *Pool) Get() (release func()): the func that is returned gives back
    returns_release = lends.results[0].startswith("func(") and any(
        one in funcs for one in within(lends) if one is not lends
    )
    if not methods and not returns_release:
        return []
    lost: list[Lost] = []
    given_back = False
    for own in program.own(lends.name.encode()):
        calls = {id(one) for one in calls_of(program, own, package.path, lends)}
        if not calls:
            continue
        lendings = Acquisitions(own, _pair(calls, methods, returns_release))
        given_back = given_back or any(_given_back(lendings, one) for one, _ in lendings.all())
        lost += lendings.lost()
    return lost if given_back else []


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
