"""What keeps this container small? A limit, an eviction, a sweep, that it is emptied, or that filling it ends.

Comes in: the scene of a heap suspect for which nobody found a mistake. Goes out: the line by which what is stored goes
again, whatever was put in: then growth may be a cache that fills. That one entry is deleted by its key shows no bound.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain.code.calls import at
from oakum.explain.code.nouns import Op, Step
from oakum.explain.code.syntax import text
from oakum.explain.memory.containers import about_memory, foreign, limited
from oakum.explain.memory.kept import Stored, Tracker
from oakum.explain.memory.lifetimes import long_lived
from oakum.explain.memory.loops import loads
from oakum.explain.memory.removals import on_copy, reached, removals
from oakum.explain.reason import StackInSource
from oakum.knowledge.caches import bounded_cache
from oakum.model import CauseSite, Text

# A condition about how much there is: `len(c.byKey) > c.most`, `c.order.Len() >= max`, `c.size > limit`.
_HOW_MUCH = re.compile(r"\blen\(|\.(Len|Size|Count)\(|(size|count|bytes|used|total|limit|max|most|cap)\w*\b", re.I)

_ALL_USED = re.compile(r"==\s*(len\(|\w+\.Len\()|(len\([^()]*\)|\.Len\(\))\s*==\s*[a-z]")


def bound(scene: StackInSource) -> tuple[Text, CauseSite] | None:
    """Return how a heap suspect's container is kept small, and where."""
    told = about_memory(scene)
    if told is None:
        return None
    tracker = Tracker(told)
    stored = next((one for one in tracker.stored() if long_lived(told, one, tracker)), None)
    if stored is None:
        return None
    if limited(stored):
        return _bound_text("limit", stored, stored.line, stored.func.full), stored.func.site("bounded-by", stored.line)
    name, path = foreign(stored)
    if bounded_cache(path):
        args = {"container": text(stored.written), "place": at(stored.func, stored.line), "type": name}
        return Text("cause.heap.bound.library", args), stored.func.site("bounded-by", stored.line)
    if loads(told, stored):
        return _bound_text("loads", stored, stored.line, stored.func.full), stored.func.site("bounded-by", stored.line)
    for op in removals(told.program.flows(stored.package), stored):
        how = "" if on_copy(op) or not reached(told, op.func) else _how(op, stored)
        if how:
            return _bound_text(how, stored, op.line, op.func.full, op), op.func.site("bounded-by", op.line)
    return None


def _bound_text(how: str, stored: Stored, number: int, function: str, op: Op | None = None) -> Text:
    func = op.func if op is not None else stored.func
    args = {"container": text(stored.written), "function": function, "place": at(func, number)}
    return Text(f"cause.heap.bound.{how}", {**args, "code": func.file.code(number)})


def _how(op: Op, stored: Stored) -> str:
    """Return by which way something is taken out again whatever was put in; "" for one entry by its key."""
    if op.kind in ("assign", "clear"):
        return "evicts" if _piece(op) and _too_much(op) else "" if _piece(op) or _caught_up(op) else "emptied"
    if any(_walks(loop, stored) for loop in op.step.loops):
        return "sweeps"
    return "evicts" if _too_much(op) else ""


def _piece(op: Op) -> bool:
    """Tell whether a part of the container is kept: `w.rows = w.rows[1:]`."""
    return op.kind == "assign" and bool(op.values) and "[" in text(op.values[0]) and "[:0]" not in text(op.values[0])


def _caught_up(op: Op) -> bool:
    """Tell whether it is emptied only when all of it was used, `next == len(rows)`: under load that may never be."""
    return any(_ALL_USED.search(condition) for condition in _conditions(op.step))


def _walks(loop: Node, stored: Stored) -> bool:
    """Tell whether a loop goes through the container that was written to, by whichever receiver."""
    clause = next((one for one in loop.named_children if one.type == "range_clause"), None)
    name = text(stored.written).rpartition(".")[2]
    return (
        clause is not None
        and re.search(rf"\b{re.escape(name)}\b", text(clause.child_by_field_name("right"))) is not None
    )


def _too_much(op: Op) -> bool:
    """Tell whether it is taken out because there is too much, here or where the function is called."""
    steps = [op.step, *(call.step for call in op.func.package.callers.get(op.func.top, ()))]
    return any(_HOW_MUCH.search(condition) for step in steps for condition in _conditions(step))


def _conditions(step: Step) -> Iterator[str]:
    for case in step.cases:
        yield text(case.node.child_by_field_name("condition"))
    for loop in step.loops:
        clause = next((one for one in loop.named_children if one.type == "for_clause"), None)
        head = loop.named_children[0] if loop.named_children else None
        if clause is not None:
            yield text(clause.child_by_field_name("condition"))
        elif head is not None and head.type == "binary_expression":
            yield text(head)
