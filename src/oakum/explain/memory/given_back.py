"""What is registered, and only the function that registering returns takes it out again: who loses that function?

Comes in: where a value is stored, on its way, and what removes it. Goes out: the call that drops the function it gets,
or keeps it in something that is let go without calling it. Abstains where something else removes entries, too.
"""

from collections.abc import Iterable, Sequence

from oakum.explain.code.calls import at, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Func, Op, Symbol
from oakum.explain.code.syntax import bare, text
from oakum.explain.memory.kept import Stored
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.workers.losses import lines, texts
from oakum.explain.workers.owners import Loss, called, dropped, here, kept, reach, under_a_key
from oakum.explain.workers.starting import once
from oakum.model import Text


def lost_undo(scene: StackInSource, stored: Stored, taken: Sequence[Op], reached: Iterable[Func]) -> Reason | None:
    """Return the call on the way of the value that loses the function by which it would be taken out again."""
    top, package = stored.func.top, stored.package
    if not taken or not all(op.func is not top and op.func.top is top for op in taken):
        return None
    undo = {op.func for op in taken}
    flows = scene.program.flows(package)
    if not _returned(flows, top, undo):
        return None
    for call in package.callers.get(top, ()):
        if call.kind == "call" and call.func in set(reached) and not once(scene.program, call):
            loss = undo_loss(flows, call)
            if loss is not None:
                return _build_reason(stored, call, loss)
    return None


def _returned(flows: Flows, top: Func, undo: set[Func]) -> bool:
    """Tell whether a function returns what removes: a literal, itself or in an object."""
    for op in top.ops:
        if op.kind == "return":
            for value in op.values:
                literal = top.file.literals.get(bare(value).start_byte)
                if literal in undo or any(one in undo for one in flows.package.called(value, top, top.file)):
                    return True
    return False


def _undone(flows: Flows, symbols: Iterable[Symbol]) -> tuple[list[Op], set[Symbol]]:
    """Return the calls of a function value, and what holds it: of `detach` for `l.detach = func() { stop() }`, too."""
    about = set(symbols)
    calls = called(flows, about)
    package = flows.package
    for _ in range(2):
        inside = {op.func for op in calls if op.func.parent is not None}
        held = {
            symbol
            for func in package.all
            for op in func.ops
            if op.kind == "assign" and op.target is not None
            if func.file.literals.get(bare(op.values[0]).start_byte) in inside
            if (symbol := package.symbol(op.target, func, op.file)) is not None
        }
        if held <= about:
            break
        about |= flows.follow(held).symbols
        calls = called(flows, about)
    return calls, about


def undo_loss(flows: Flows, call: Op) -> Loss | None:
    """Return where the function that a call gives, by which its effect is taken back, is lost without being called."""
    where = kept(call)
    if where.unused:
        return Loss("unused", call.func, call.line, call.step, call)
    releases, holding = _undone(flows, reach(flows, where.symbols).symbols)
    flow = reach(flows, holding)
    loss = here(flows, call, releases) or dropped(flows, flow, releases)
    if loss is None and where.symbols and not releases and not flow.foreign and not flow.returned:
        loss = Loss("kept", call.func, call.line, call.step, call)
    return None if loss is not None and under_a_key(loss) else loss


def _build_reason(stored: Stored, call: Op, loss: Loss) -> Reason:
    args = {"place": at(stored.func, stored.line), "container": text(stored.written)}
    told = (
        Text("cause.registration.undo", {"place": place(call), "name": text(call.target), "code": call.code}),
        Text("cause.registration.own", {**args, "code": stored.func.file.code(stored.line)}),
        *texts(loss, None),
    )
    sites = [*lines(loss, "never-removed"), call.func.site("registered", call.line)]
    sites.append(stored.func.site("stored", stored.line))
    return Reason("accumulating-registration", told, distinct(sites), kept=loss.how == "unused")
