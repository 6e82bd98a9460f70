"""An Unlock that a panic passes over: nobody holds the lock any more, and no exit that was written leaves it locked.

Comes in: a stack that waits for a lock which no stack holds. Goes out: the function that unlocks without defer, and the
line between that may panic, when somebody recovers from panics; None unless one such line stands out.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from oakum.explain import fixes
from oakum.explain.code.calls import at, nodes, place
from oakum.explain.code.locking import Holding, Locking
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.syntax import line, operator, text
from oakum.explain.locks.held_locks import LockStack, Wanted, site
from oakum.explain.reason import Reason, distinct
from oakum.explain.waits.panics import SERVES
from oakum.model import Text

_MOST = 2
_DEEPEST = 3


class Passed(NamedTuple):
    """A line that may panic between a Lock and its Unlock."""

    held: Holding
    unlock: Op
    step: Step  # of the function that holds
    func: Func  # whose line it is
    number: int


def passed_over(stack: LockStack, wanted: Wanted) -> Reason | None:
    """Return which Unlock a panic may have passed over."""
    spot = stack.blocked
    if spot is None or spot.frame.owner != "own" or not _recovered(stack):
        return None
    found = list(_passed(stack.locking(spot.package), wanted.lock.kind))
    if not found or len({(one.func, one.number) for one in found}) > _MOST:
        return None
    first = found[0]
    func = first.held.op.func
    args = {"function": func.full, "lock": first.held.lock.written, "locked": place(first.held.op)}
    risky = at(first.func, first.number)
    texts = [
        Text("cause.lock.panic", args | {"unlock": place(first.unlock), "panics": risky,
                                         "code": first.func.file.code(first.number)}),
        Text("cause.lock.left-waits", {"lock": first.held.lock.name, "place": place(wanted.op)}),
    ]  # fmt: skip
    sites = [site("never-unlocked", first.unlock), *(one.func.site("panics", one.number) for one in found)]
    sites += [func.site("held", first.step.line), site("locked", first.held.op)]
    remedy = fixes.defer_unlock(first.held.op, [first.unlock])
    return Reason("double-lock", tuple(texts), distinct(sites), remedies=fixes.drafts(remedy), guess=True)


def _recovered(stack: LockStack) -> bool:
    """Tell whether a panic does not end the process."""
    if any(frame.function.startswith(SERVES) for frame in stack.frames):
        return True
    return bool(stack.scene.program.own(b"recover()"))


def _passed(locking: Locking, kind: object) -> Iterator[Passed]:
    for func in locking.package.all:
        frees = [done for done in locking.locks(func) if done.verb == "free" and done.lock.kind == kind]
        if any(done.op.inside is not None for done in frees) or not locking.reading(func).whole:
            continue
        for done in frees:
            held = next((one for state in locking.at(done.op) if (one := state.find(done.lock)) is not None), None)
            if held is None or held.op.func is not func:
                continue
            for step, inner, number in _risks(locking, func, held):
                yield Passed(held, done.op, step, inner, number)
            break


def _risks(locking: Locking, func: Func, held: Holding) -> Iterator[tuple[Step, Func, int]]:
    """Yield what may panic while the lock is held: in the function itself, or in what it calls in the package."""
    under = [
        step
        for step, states in locking.reading(func).before.items()
        if any(state.find(held.lock) is not None for state in states)
    ]
    for step in under:
        if step.kind not in ("if", "loop", "switch", "select", "case"):
            for number in _lines(func, step.node):
                yield step, func, number
        seen = {func}
        edge = [one for op in step.ops if op.kind == "call" for one in locking.package.callees(op)]
        for _ in range(_DEEPEST):
            edge = [
                one for one in dict.fromkeys(edge) if one not in seen and b"recover()" not in (one.node.text or b"")
            ]
            seen |= set(edge)
            for inner in edge:
                for number in _lines(inner, inner.node):
                    yield step, inner, number
            edge = [
                one for inner in edge for op in inner.ops if op.kind == "call" for one in locking.package.callees(op)
            ]


def _lines(func: Func, root: Node) -> list[int]:
    """Return the lines that panic for some input: panic, an element or a pointer that may not be there, a type."""
    found: dict[int, None] = {}
    whole = text(func.top.node)
    for node in nodes(root, "call_expression", "index_expression", "type_assertion_expression", "unary_expression"):
        if node.type == "call_expression":
            risky = text(node.child_by_field_name("function")) == "panic"
        elif node.type == "unary_expression":
            risky = operator(node) == "*" and f"{text(node.child_by_field_name('operand'))} " not in _compared(whole)
        elif node.type == "index_expression":
            risky = _may_lack(node, whole)
        else:
            risky = not _asked(node)
        if risky:
            found[line(node)] = None
    return list(found)


def _compared(whole: str) -> str:
    """Return the conditions of a function that ask for nil."""
    return " ".join(line for line in whole.split("\n") if "nil" in line)


def _may_lack(node: Node, whole: str) -> bool:
    """Tell whether an element behind the first is taken of something whose length nobody asks: parts[1]."""
    over, index = text(node.child_by_field_name("operand")), text(node.child_by_field_name("index"))
    return index.isdigit() and index != "0" and over.isidentifier() and f"len({over})" not in whole


def _asked(node: Node) -> bool:
    """Tell whether an assertion has its `ok`: v, ok := x.(T)."""
    up = node.parent
    while up is not None and up.type in ("expression_list", "parenthesized_expression"):
        up = up.parent
    left = up.child_by_field_name("left") if up is not None else None
    names = up.children_by_field_name("name") if up is not None and up.type == "var_spec" else []
    return (left is not None and len(left.named_children) == 2) or len(names) == 2
