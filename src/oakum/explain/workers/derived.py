"""Who ends this context? Memory that a context holds, whose parent outlives the call that derived it.

Comes in: the call that derives it. Goes out: the exit of a function that leaves it without calling its cancel function,
or the line that drops the object which has that. A parent that nobody cancels keeps no children: no claim of those.
"""

from tree_sitter import Node

from oakum.explain.code.calls import place
from oakum.explain.code.nouns import FieldRef, Func, Op, Var
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import arguments, bare, text
from oakum.explain.network.acquired import Acquisitions, Pair
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.values import Expr, Origins, called
from oakum.explain.workers.losses import lines, texts
from oakum.explain.workers.owners import Loss, dropped, reach, under_a_key
from oakum.explain.workers.owners import called as calls_of
from oakum.model import Text

_DERIVES = ("context.WithCancel", "context.WithCancelCause")
_WITH = (*_DERIVES, "context.WithValue")
_DEEPEST = 5  # functions that hand it up


def _name(op: Op) -> str:
    return called(op.node, op.func, op.file, op.func.package)


def _cancels(op: Op) -> Node | None:
    """Return the function value that a call calls: `cancel()`, `sc.Cancel()`."""
    return op.target if op.kind == "call" and not op.func.package.callees(op) else None


CANCEL = Pair(
    acquires=lambda op: 1 if _name(op) in _DERIVES else None,
    releases=_cancels,
    reads=lambda op: _name(op).startswith(("fmt.", "log.", "errors.", "context.")),
    part=lambda _, kind: kind.endswith(("CancelFunc", "CancelCauseFunc")) or kind.startswith("func("),
)


def uncancelled(scene: StackInSource, derive: Op) -> Reason | None:
    """Return where a derived context is left behind; None where its parent may end, or somebody may cancel it."""
    package = derive.func.package
    if not _lasting(scene, derive):
        return None
    own = Acquisitions(package, CANCEL)
    for acquire in (op for op, _ in own.all() if _leads(package, op, derive)):
        lost = own.loss(acquire)
        if lost is None:
            continue
        step = lost.exits[0].step if lost.exits else lost.acquire.step
        how = "left" if lost.exits else "unused"
        return _build_reason(derive, Loss(how, lost.func, step.line, step, lost.acquire))
    flows = scene.program.flows(package)
    held = [
        symbol
        for op in derive.step.ops
        if op.kind == "assign" and op.index == 1 and op.values[0] == derive.node
        if isinstance(symbol := package.symbol(op.target, op.func, op.file), FieldRef)
    ]
    if not held:
        return None
    flow = reach(flows, held)
    loss = dropped(flows, flow, calls_of(flows, flow.symbols))
    return _build_reason(derive, loss) if loss is not None and not under_a_key(loss) else None


def _leads(package: Package, call: Op, derive: Op, depth: int = 0) -> bool:
    """Tell whether a call derives the context, itself or through the functions that hand it up."""
    if call is derive:
        return True
    return depth < _DEEPEST and any(
        _leads(package, op, derive, depth + 1)
        for callee in package.callees(call)
        for op in callee.ops
        if op.kind == "call" and (op is derive or package.callees(op))
    )


def _lasting(scene: StackInSource, derive: Op) -> bool:
    """Tell whether the parent is kept in a field of something that the call did not make, or in a variable of all."""
    todo = [Expr(derive.values[0], derive.func, derive.file, derive.func.package)] if derive.values else []
    origins = Origins(scene)
    found = False
    for _ in range(_DEEPEST):
        begins = [begin for one in todo for begin in origins.of(one)]
        todo = [begin.beside(arguments(bare(begin.node))[0]) for begin in begins if begin.called() in _WITH]
        for one in (one for one in begins if one.called() not in _WITH):
            symbol = one.package.symbol(one.node, one.func, one.file)
            # `e.base`, which is given by whoever makes the engine. That of a request ends, and one that nobody can
            # cancel, of `context.Background`, keeps none.
            lasts = isinstance(symbol, FieldRef) or (isinstance(symbol, Var) and symbol.kind == "global")
            if not lasts and not _given_to_maker(symbol, one.func):
                return False
            found = True
        if not todo:
            return found
    return False


def _given_to_maker(symbol: object, func: Func | None) -> bool:
    """Tell whether it is a parameter of a constructor: what is made lives as long as that, or longer."""
    if not isinstance(symbol, Var) or symbol.kind != "param" or func is None:
        return False
    return func.bare.startswith(("New", "new")) and not func.receiver


def _build_reason(derive: Op, loss: Loss) -> Reason:
    parent = text(derive.values[0])
    told = [
        Text("cause.derived.kept", {"place": place(derive), "context": parent, "function": derive.func.full}),
        *texts(loss, None),
    ]
    sites = [*lines(loss), derive.func.site("made", derive.line)]
    return Reason("accumulating-registration", tuple(told), distinct(sites))


__all__ = ["uncancelled"]
