"""What is taken out of a container and put back whenever it fails: it leaves only when it succeeds.

Comes in: where a value is stored, and everything that takes something out. Goes out: the removal, the line that puts
back, the condition; None where anything limits how often, how long or how many.
"""

import re
from collections.abc import Iterator, Sequence

from oakum.explain.code.calls import method, nodes, operand
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import CallRef, ElemRef, Func, Op, Step, Symbol, Var
from oakum.explain.code.paths import meeting, reachable, touching
from oakum.explain.code.syntax import text
from oakum.explain.memory.kept import Stored

_PUTS = ("PushBack", "PushFront", "InsertBefore", "InsertAfter", "Store", "Push", "Add", "Put", "Enqueue", "Append")
# A condition that may count or measure: `d.tries < 5`, `len(q.items) >= most`, `now.After(d.until)`, `b.expired(d)`.
_LIMITS = re.compile(r"[<>]|\.(After|Before|Since)\b|(?i:expir|limit|max|most|full|dead|attempt|give|tries|retr)")
_EMPTY = re.compile(r"^(len\([^()]*\)|[\w.]+\.Len\(\)) *(>|<=) *0$")
_FAILED = re.compile(r"\berr\w*\b|^!|\bfail|== *false|^\(?!\(?|\bnot\b", re.IGNORECASE)


def put_back(flows: Flows, stored: Stored, taken: Sequence[Op]) -> tuple[Op, Op, str] | None:
    """Return (removal, what puts back, condition); None where something may also leave in another way."""
    if not taken:
        return None
    puts = list(_puts(stored))
    found: tuple[Op, Op, str] | None = None
    for removal in taken:
        back = next(_back(flows, stored, removal, puts), None)
        if back is None:
            return None  # what this one takes out stays out
        found = found or (removal, *back)
    return found


def _puts(stored: Stored) -> Iterator[Op]:
    """Yield what puts something into the container."""
    package, container = stored.package, stored.container
    for func in package.all:
        for op in func.ops:
            if op.kind in ("append", "assign"):
                if package.symbol(op.target, func, op.file) == (
                    container if op.kind == "append" else ElemRef(container)
                ):
                    yield op
            elif method(op) in _PUTS and package.symbol(operand(op), func, op.file) == container:
                yield op


def _back(flows: Flows, stored: Stored, removal: Op, puts: Sequence[Op]) -> Iterator[tuple[Op, str]]:
    """Yield the operations that put back what a removal took out, where it was taken or where that was called."""
    package = stored.package
    meets, storing = meeting(package, puts), touching(package, puts)
    for begin in (removal, *(call for call in package.callers.get(removal.func, ()) if call.kind == "call")):
        func = begin.func
        limited = any(map(_limits, (*func.steps, *(step for one in storing if one is not func for step in one.steps))))
        if limited or any(map(_limits, removal.func.steps)):
            continue
        for step in sorted(reachable([begin.step]) - {begin.step}, key=lambda one: one.line):
            failed = next((found for case in reversed(step.cases) if (found := _failed(case))), "")
            if failed and meets(step) and _mentions(flows, stored, func, step):
                yield next(op for op in step.ops), failed


def _condition(step: Step) -> str:
    return text(step.node.child_by_field_name("condition")) if step.kind == "if" else ""


def _limits(step: Step) -> bool:
    condition = _condition(step)
    return bool(_LIMITS.search(condition)) and _EMPTY.match(condition) is None


def _failed(case: Step) -> str:
    condition = _condition(case)
    return condition if _FAILED.search(condition) else ""


def _mentions(flows: Flows, stored: Stored, func: Func, step: Step) -> bool:
    """Tell whether a statement is about what came out of the container."""
    package = stored.package
    for node in nodes(step.node, "identifier"):
        var = package.var(node, func.file)
        if isinstance(var, Var) and any(_root(one) == stored.container for one in flows.origins(var)):
            return True
    return False


def _root(symbol: Symbol | None) -> Symbol | None:
    while isinstance(symbol, (ElemRef, CallRef)):
        symbol = symbol.of
    return symbol
