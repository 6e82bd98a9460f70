"""Drafts for what was acquired and lost: a deferred release, or one before each exit that lacks it."""

from oakum.explain import fixes
from oakum.explain.code.calls import nodes
from oakum.explain.code.syntax import text
from oakum.explain.network.acquired import Acquisitions, Holders, Lost, Pair
from oakum.model import Remedy


def give_back(lost: Lost, pair: Pair, release: str, index: int = 0) -> Remedy | None:
    """Return the draft that releases it; `release` has {name} for it: "{name}.Body.Close()"."""
    acquire = lost.acquire
    if not lost.exits:
        return fixes.close_unkept(acquire, release)
    targets = [one.target for one in acquire.step.ops if one.kind == "assign" and one.values[0] == acquire.node]
    name = text(targets[index]) if index < len(targets) else ""
    if not name.isidentifier():
        return None
    call = release.format(name=name)
    if lost.handed is not None:
        return _inside(lost, call, name)
    holders = Holders(Acquisitions(acquire.func.package, pair), acquire.func, acquire, index)
    if acquire.step.loops:
        last = lost.used[0] if lost.used else None
        here = last is not None and last.kind == "plain" and last.loops == acquire.step.loops
        return fixes.call_after(last, call) if here and last is not None else None
    if not any(holders.settles(step) for step in acquire.func.steps):
        return fixes.defer_call(acquire, call)
    return _before_exits(lost, call)


def _before_exits(lost: Lost, call: str) -> Remedy | None:
    """Return the draft that releases before each exit; None when a return reads after it what is released."""
    exits = [one.step for one in lost.exits]
    thing = call.rpartition("(")[2].rstrip(")") or call.rpartition(".")[0]
    kinds = ("identifier",) if thing.isidentifier() else ("selector_expression",)
    if any(text(node) == thing for step in exits if step.kind == "return" for node in nodes(step.node, *kinds)):
        return None
    return fixes.call_before_each(exits, call)


def _inside(lost: Lost, call: str, name: str) -> Remedy | None:
    """Return the draft in the function that it was handed to, by the name that it has there."""
    for param, value in zip(lost.func.params, lost.handed.values if lost.handed is not None else (), strict=False):
        given = text(value)
        if param.name and given in (name, call.rpartition(".")[0]):
            return _before_exits(lost, param.name + call.removeprefix(given))
    return None
