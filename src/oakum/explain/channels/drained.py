"""A timer's channel that was emptied before: `if !t.Stop() { <-t.C }` waits for ever when the value is taken already.

Comes in: a scene that waits in such a receive. Goes out: a reason, with the receives that may have taken the value.
"""

from tree_sitter import Node

from oakum.explain import fixes
from oakum.explain.code.calls import at, place
from oakum.explain.code.nouns import Op, Step, Symbol
from oakum.explain.code.syntax import bare, text
from oakum.explain.fixes.layout import instead, statement
from oakum.explain.reason import Reason, StackInSource
from oakum.model import Remedy, Text

_MOST = 3


def reason(scene: StackInSource) -> Reason | None:
    """Return why the value of a timer does not come after Stop."""
    spot = scene.blocked
    op = spot.op("receive") if spot is not None and scene.state == "chan receive" else None
    timer = _timer(op) if op is not None else None
    if spot is None or op is None or timer is None or op.select is not None:
        return None
    stop = next((one for one in op.step.cases if f"!{text(timer)}.Stop()" in _asked(one)), None)
    if stop is None:
        return None
    symbol = spot.package.symbol(timer, op.func, op.file)
    others = [one for func in spot.package.all for one in func.ops if one is not op and _same(one, symbol)][:_MOST]
    args = {"function": op.func.full, "place": place(op), "timer": text(timer), "stop": at(op.func, stop.line)}
    texts = [Text("cause.drained", args)]
    if others:
        texts.append(Text("cause.drained.taken", {"places": ", ".join(place(one) for one in others)}))
    sites = [op.func.site("stopped", stop.line), *(one.func.site("received", one.line) for one in others)]
    return Reason("abandoned-receiver", tuple(texts), tuple(sites), remedies=fixes.drafts(_or_go_on(op)))


def _timer(op: Op) -> Node | None:
    target = bare(op.target) if op.target is not None else None
    if target is None or target.type != "selector_expression" or text(target.child_by_field_name("field")) != "C":
        return None
    return target.child_by_field_name("operand")


def _asked(step: Step) -> str:
    return text(step.node.child_by_field_name("condition")) if step.kind == "if" else ""


def _same(op: Op, symbol: Symbol | None) -> bool:
    timer = _timer(op) if op.kind in ("receive", "range") else None
    return timer is not None and symbol is not None and op.func.package.symbol(timer, op.func, op.file) == symbol


def _or_go_on(op: Op) -> Remedy | None:
    """Return the draft that takes the value only if there is one."""
    node = statement(op, exact=True)
    if node is None or node.type != "expression_statement" or text(node) != text(op.node):
        return None
    edits = instead(op.file, node, ["select {", f"case {text(node)}:", "default:", "}"])
    return fixes.draft("take-if-there", op.file, edits, place=place(op), code=text(node))
