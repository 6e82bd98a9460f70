"""A member of a group that starts another member and waits for a free place: all places are taken by such as it.

Comes in: a scene in errgroup's Go with a limit, of a goroutine that the same group started. Goes out: the call, when
the code shows that it is one group. Says nothing of a group that another group's members fill.
"""

from oakum.explain import fixes
from oakum.explain.code.calls import method, operand, place
from oakum.explain.code.nouns import Op, Symbol, Var
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.values import call_of
from oakum.model import Text

_GO = "golang.org/x/sync/errgroup.(*Group).Go"
_DEEPEST = 8


def reason(scene: StackInSource) -> Reason | None:
    """Return the call by which members of a group wait for one another."""
    frames, made = scene.trace.frames, scene.trace.created
    at = next((at for at, frame in enumerate(frames) if frame.function == _GO), None)
    if scene.state != "chan send" or at is None or at + 1 >= len(frames) or made is None or made.function != _GO:
        return None
    spot = scene.spots[at + 1]
    call = call_of(spot, frames[at]) if spot is not None else None
    own = [one for one in scene.spots[at + 1 :] if one is not None and one.frame.owner == "own"]
    begun = own[-1].func.use if own else None  # the function that the group runs, where it was given to it
    if call is None or begun is None or method(begun) != "Go":
        return None
    group = _given(scene, call)
    if group is None or group != _group(begun):
        return None
    args = {"place": place(call), "group": text(operand(call)), "function": call.func.full}
    sites = [call.func.site("waits", call.line)]
    if begun.line != call.line:
        sites.append(begun.func.site("started", begun.line))
    remedy = fixes.words_only("nested-group", call, group=args["group"])
    return Reason(
        "abandoned-sender", (Text("cause.sender.nested", args),), tuple(sites), remedies=(remedy,), guess=True
    )


def _given(scene: StackInSource, call: Op) -> Symbol | None:
    """Return which group a call is made on: of a parameter what the calls on the stack hand down, None if unknown."""
    symbol = _group(call)
    for _ in range(_DEEPEST):
        if not isinstance(symbol, Var) or symbol.kind != "param":
            break
        above = scene.known.get(symbol)
        if above is None or above == symbol:
            return above
        symbol = above
    return symbol


def _group(call: Op) -> Symbol | None:
    return call.func.package.symbol(operand(call), call.func, call.file)
