"""Drafts for waits that do not end: Done deferred or called, a signal added, Broadcast for Signal, a close on time.

Comes in: operations and steps that the questions about waits found. Goes out: remedies where a small edit is safe.
"""

from collections.abc import Sequence

from oakum.explain import fixes
from oakum.explain.code import kinds
from oakum.explain.code.calls import method, operand, root
from oakum.explain.code.nouns import Func, Op, Step, Var
from oakum.explain.code.syntax import text
from oakum.explain.fixes.draft import Edit, draft
from oakum.explain.fixes.layout import before, place, statement, without
from oakum.model import Remedy


def done_on_every_path(func: Func, done: Op, dones: Sequence[Op], left: Step) -> tuple[Remedy, ...]:
    """Defer Done first of all; or call it on the way that passes it over."""
    direct = [op for op in dones if op.func is func]
    call = text(done.node)
    here = done.func is func and _from_outside(done, func)
    first = fixes.defer_at_start(func, call, direct) if here and all(op.inside is None for op in direct) else None
    return fixes.drafts(first, fixes.call_before(left, call) if here else None)


def _from_outside(op: Op, func: Func) -> bool:
    """Tell whether what a method is called on exists when the function begins."""
    var = root(operand(op), func.package, func.file)
    return isinstance(var, Var) and (var.func is not func or var.kind in ("param", "receiver"))


def done_for_nobody(add: Op, skip: Step) -> tuple[Remedy, ...]:
    """Count the round off that starts nobody."""
    return fixes.drafts(fixes.call_before(skip, f"{text(operand(add))}.Done()"))


def done_despite_panics(add: Op | None, done: Op) -> tuple[Remedy, ...]:
    """Defer Done where it becomes due, so that a panic does not pass it over."""
    if add is None or text(operand(add)) != text(operand(done)):
        return ()
    return fixes.drafts(fixes.defer_call(add, text(done.node), [done]))


def signal_after(change: Step, wake: Op | None) -> tuple[Remedy, ...]:
    """Wake somebody behind the change, as another path of the same function does."""
    if wake is None or wake.func is not change.func:
        return ()
    return fixes.drafts(fixes.call_after(change, text(wake.node)))


def wake_before(drop: Op, wake: Op | None) -> tuple[Remedy, ...]:
    """Call the method that wakes before the object is forgotten, where a variable holds it."""
    func = wake.func.top if wake is not None else None
    if func is None or func.this is None or func.params:
        return ()
    held = [var for var in drop.func.params if kinds.base(var.type) == func.receiver]
    return fixes.drafts(fixes.call_before(drop, f"{held[0].name}.{func.name}()")) if len(held) == 1 else ()


def broadcast(signal: Op) -> tuple[Remedy, ...]:
    """Wake all instead of one."""
    name = signal.target.child_by_field_name("field") if signal.target is not None else None
    if name is None or method(signal) != "Signal":
        return ()
    edit = Edit(name.start_byte, name.end_byte, "Broadcast")
    return fixes.drafts(draft("broadcast", signal.file, [edit], place=place(signal), cond=text(operand(signal))))


def close_when_done(call: Op, close: Op, context: str) -> tuple[Remedy, ...]:
    """Close when the context ends, beside the wait, instead of behind it."""
    node = statement(close, exact=True)
    if node is None or text(node) != text(close.node):  # deferred, or its result is used
        return ()
    lines = ["go func() {", f"\t<-{context}.Done()", f"\t{text(close.node)}", "}()"]
    put, taken = before(call.file, call, lines), without(close.file, node)
    if put is None or taken is None:
        return ()
    args = {"place": place(call), "close": text(close.node), "context": context}
    return fixes.drafts(draft("close-when-done", call.file, [*put, *taken], **args))


def close_before(drop: Op, waits: Op) -> tuple[Remedy, ...]:
    """Close what is waited at before it is let go of, where the same name means it."""
    one = root(operand(waits), waits.func.package, waits.file)
    this = drop.func.top.this
    if not isinstance(one, Var) or this is None or one.kind != "receiver":
        return ()
    if (this.name, kinds.base(this.type)) != (one.name, kinds.base(one.type)):
        return ()
    return fixes.drafts(fixes.call_before(drop, f"{text(operand(waits))}.Close()"))


def made_at_once(literal: Op | None, field: str, written: str) -> tuple[Remedy, ...]:
    """Make the channel when the object that holds it is made."""
    return fixes.drafts(fixes.make_field(literal, field, written)) if literal is not None else ()


def cancel_after(made: Op, cancel: str | None) -> tuple[Remedy, ...]:
    """Keep the cancel function, and defer it."""
    if cancel is None:
        return fixes.drafts(fixes.keep_cancel(made))
    return fixes.drafts(fixes.defer_call(made, f"{cancel}()"))
