"""A Done that a panic passes over, and the lines that may panic: a call of panic, a map's pointer that is used unseen.

Comes in: a WaitGroup and the stack of one who waits for it. Goes out: a Reason, when somebody recovers from panics.
"""

from collections.abc import Sequence
from itertools import pairwise

from tree_sitter import Node

from oakum.explain.code.calls import method, named, nodes, place
from oakum.explain.code.nouns import Func, Op, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import reachable
from oakum.explain.code.syntax import line, text
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.waits.drafts import done_despite_panics
from oakum.explain.waits.groups import Group
from oakum.model import CauseSite, Text
from oakum.model.vocabulary import Mechanism

MECHANISM: Mechanism = "waitgroup-never-done"
_DEEPEST = 4
SERVES = ("net/http.(*conn).serve", "google.golang.org/grpc.(*Server)")


def may_panic(package: Package, funcs: Sequence[Func]) -> CauseSite | None:
    """Return the line that may panic in these functions or what they call in the package; None unless there is one."""
    if not package.all:
        return None
    seen: dict[Func, None] = dict.fromkeys(funcs)
    edge = list(seen)
    for _ in range(_DEEPEST):
        edge = [one for func in edge for op in func.ops if op.kind == "call" for one in package.callees(op)]
        edge = [one for one in dict.fromkeys(edge) if one not in seen]
        seen |= dict.fromkeys(edge)
    found = [(func, number) for func in seen for number in sorted(_lines(package, func))]
    return found[0][0].site("panics", found[0][1]) if len(found) == 1 else None


def _lines(package: Package, func: Func) -> set[int]:
    body = func.node.child_by_field_name("body")
    if body is None:
        return set()
    literals = [literal.node for literal in func.literals]
    found: set[int] = set()
    for node in nodes(body, "call_expression", "selector_expression"):
        if any(one.start_byte <= node.start_byte < one.end_byte for one in literals):
            continue
        called = node.type == "call_expression" and text(node.child_by_field_name("function")) == "panic"
        if called or (node.type != "call_expression" and _unseen(package, func, node.child_by_field_name("operand"))):
            found.add(line(node))
    return found


def _unseen(package: Package, func: Func, operand: Node | None) -> bool:
    """Tell whether a selector reads through a pointer that a map may not have: `layers[n].names`."""
    if operand is None or operand.type != "index_expression":
        return False
    over = package.resolved(package.type_of(operand.child_by_field_name("operand"), func, func.file))
    return over.startswith("map[") and package.type_of(operand, func, func.file).startswith("*")


def passed_over(group: Group, scene: StackInSource) -> Reason | None:
    """Return why Done is passed over: what stands before it panics, somebody recovers, and it is not deferred."""
    if not _recovered(scene):
        return None
    for done in (op for op in group.dones if op.inside is None):
        func = done.func
        first = next((op.step for op in group.adds if op.func is func), func.entry)
        if first is None:
            continue
        between = [op for step in (first, *reachable([first])) for op in step.ops if op.kind == "call"]
        calls = [op for op in between if op.step is not done.step and op.line <= done.line and _foreign(op, group)]
        if not calls:
            continue
        call = calls[-1]
        texts = [
            Text("cause.waits.wg.waits", {"wait": place(group.wait), "group": group.name}),
            Text("cause.waits.wg.panic", {"call": place(call), "done": place(done), "function": named(func)}),
        ]
        added = [op.func.site("added", op.line) for op in group.adds[:1]]
        sites = [func.site("never-done", done.line), *added]
        found = _panicking(func, scene)
        if found is not None:
            where = f"{found.frame.file.rpartition('/')[2]}:{found.frame.line}"
            texts.append(Text("cause.waits.wg.panics", {"place": where, "code": found.code}))
            sites.insert(1, found)
        add = next((op for op in group.adds if op.func is func), None)
        return Reason(MECHANISM, tuple(texts), tuple(sites), remedies=done_despite_panics(add, done))
    return None


def _foreign(op: Op, group: Group) -> bool:
    """Tell whether a call runs code that this function was handed, or somebody else's."""
    return method(op) not in ("Lock", "Unlock", "RLock", "RUnlock", "Add", "Done", "Wait") and (
        isinstance(group.package.symbol(op.target, op.func, op.file), Var)
        or not group.package.callees(op)
        or bool(group.package.callees(op)[0].ops)
    )


def _recovered(scene: StackInSource) -> bool:
    if any(frame.function.startswith(SERVES) for frame in scene.trace.frames):
        return True
    packages = {id(spot.package): spot.package for spot in scene.spots if spot is not None}
    return any(b"recover()" in file.source.data for package in packages.values() for file in package.files)


def _panicking(func: Func, scene: StackInSource) -> CauseSite | None:
    """Return the line that may panic in what the function was handed on this stack, when one stands out."""
    spots = [spot for spot in scene.spots if spot is not None]
    for inner, outer in pairwise(spots):
        if inner.func is not func:
            continue
        for op in outer.ops:
            if op.kind == "call" and method(op) == func.bare:
                given = [outer.package.called(value, outer.func, op.file) for value in op.values]
                return may_panic(outer.package, [one for found in given for one in found])
    return None
