"""A sync.Once whose function asks the same Once: Do waits for a function that waits for Do.

Comes in: a package. Goes out: reasons, one for each such Once.
"""

from collections.abc import Iterator

from oakum.explain.code.calls import place
from oakum.explain.code.locking import Locking
from oakum.explain.code.locks import Lock
from oakum.explain.code.nouns import Func, Op
from oakum.explain.code.syntax import text
from oakum.explain.locks.held_locks import call_text, site
from oakum.explain.reason import Reason, distinct
from oakum.model import Text


def within_once(locking: Locking, kind: object = None) -> Iterator[Reason]:
    """Yield the calls of Do that lead to Do of the same Once of the same object."""
    for func in locking.package.all:
        for op in func.ops:
            once = _once(locking, op)
            if once is None or kind not in (None, once.kind) or len(op.values) != 1:
                continue
            runs = locking.package.called(op.values[0], op.func, op.file)
            if len(runs) != 1:
                continue
            given = _given(locking, op, runs[0], once)
            call = _asks(locking, runs[0], given) if given is not None else None
            if call is not None:
                args = {"function": op.func.full, "once": once.written, "place": place(op), "again": place(call)}
                texts = Text("cause.lock.once-within", args | {"runs": runs[0].full, "code": call_text(call)})
                sites = distinct([site("locked-first", op), site("locked-again", call)])
                yield Reason("double-lock", (texts,), sites, certain=True)


def _once(locking: Locking, op: Op) -> Lock | None:
    target = op.target
    if op.kind != "call" or op.inside is not None or target is None or target.type != "selector_expression":
        return None
    operand = target.child_by_field_name("operand")
    if operand is None or text(target.child_by_field_name("field")) != "Do":
        return None
    if locking.package.type_of(operand, op.func, op.file).lstrip("*") != "sync.Once":
        return None
    lock = locking.names.lock(operand, op.func, op.file)
    return lock if lock is not None and lock.single else None


def _given(locking: Locking, op: Op, run: Func, once: Lock) -> Lock | None:
    """Return the Once as the function that it runs names it: a literal names it alike, a method by its receiver."""
    if run.parent is not None:
        return once
    operand = op.values[0].child_by_field_name("operand")
    way = locking.names.way(operand, op.func, op.file) if operand is not None else None
    if way is None or run.this is None or once.root is not way[0] or once.fields[: len(way[1])] != way[1]:
        return None
    return Lock(run.this, once.fields[len(way[1]) :], once.kind, once.written)


def _asks(locking: Locking, func: Func, once: Lock) -> Op | None:
    """Return the call in a function that asks the Once, itself or through the function that it calls."""
    for op in func.ops:
        if op.kind != "call" or op.inside is not None:
            continue
        found = _once(locking, op)
        if found == once:
            return op
        callees = locking.package.callees(op) if found is None else []
        if len(callees) != 1 or callees[0] is func:
            continue
        inner = callees[0]
        for deeper in _asked(locking, inner):
            if locking.names.given(deeper, inner, op) == once:
                return op
    return None


def _asked(locking: Locking, func: Func) -> Iterator[Lock]:
    for op in func.ops:
        once = _once(locking, op)
        if once is not None:
            yield once
