"""Small questions about calls that several questions ask: which method, on what, where, by which statement."""

from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from oakum.explain.code.flows import Flow, Flows
from oakum.explain.code.linked_names import bare_name
from oakum.explain.code.nouns import CallRef, ForeignRef, Func, GoFile, Op, Step, Symbol
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import bare, text


def method(op: Op) -> str:
    """Return the name of the method or function that a call calls: Wait of `m.pending.Wait()`."""
    target = op.target
    if target is None or op.kind not in ("call", "go", "defer"):
        return ""
    name = text(target.child_by_field_name("field")) if target.type == "selector_expression" else text(target)
    return bare_name(name)


def operand(op: Op) -> Node | None:
    target = op.target
    return target.child_by_field_name("operand") if target is not None else None


def on(op: Op) -> Symbol | None:
    return op.func.package.symbol(operand(op), op.func, op.file)


def root(node: Node | None, package: Package, file: GoFile) -> Symbol | None:
    """Return the variable that a chain of selectors begins with: s of `s.queue.filled`."""
    while node is not None:
        node = bare(node)
        if node.type == "identifier":
            return package.var(node, file)
        if node.type not in ("selector_expression", "index_expression", "slice_expression"):
            return None
        node = node.child_by_field_name("operand")
    return None


def alias(flows: Flows, symbol: Symbol, known: Mapping[Symbol, Symbol] | None = None) -> Flow:
    """Return where the object behind a symbol goes; two results of one foreign function are two objects."""
    before = {one for one in flows.origins(symbol, known) if not isinstance(one, (CallRef, ForeignRef))}
    roots = [one for one in before if all(source not in before for source, _ in flows.into.get(one, ()))]
    flow = flows.follow(roots or before or {symbol})
    flow.symbols.add(symbol)
    return flow


def at(func: Func, number: int) -> str:
    """Return a line as sentences name it: `pool.go:72`."""
    return f"{func.file.source.name.replace(chr(92), '/').rpartition('/')[2]}:{number}"


def named(func: Func) -> str:
    """Return a function as sentences name it: queue.(*Queue).Pop."""
    return func.full.rpartition("/")[2]


def place(op: Op) -> str:
    return at(op.func, op.line)


def step_of(func: Func, node: Node) -> Step | None:
    """Return the innermost statement of a function that holds a node, which may stand in one of its literals."""
    around = [one for one in func.steps if one.kind not in ("entry", "end") and _holds(one.node, node)]
    return min(around, key=lambda one: one.node.end_byte - one.node.start_byte, default=None)


def rounds_without(head: Step, meets: Callable[[Step], bool]) -> tuple[list[Step], list[Step]]:
    """Return what ends a round of a loop before a step that `meets`: (steps that lead to the next round, exits)."""
    begin = [after for after, how in head.after if how == "then" and after is not head]
    return _walk([one for one in begin if not meets(one)], head, meets)


def back_without(start: Step, head: Step, meets: Callable[[Step], bool]) -> tuple[list[Step], list[Step]]:
    """Return the same from one step of the round on."""
    return _walk([after for after, _ in start.after if after is not head and not meets(after)], head, meets)


def _walk(begin: list[Step], head: Step, meets: Callable[[Step], bool]) -> tuple[list[Step], list[Step]]:
    seen, todo = set(begin), list(begin)
    again: list[Step] = []
    exits: list[Step] = []
    while todo:
        step = todo.pop()
        if step.leaves:
            exits.append(step)
        for after, _ in step.after:
            if after is head:
                again.append(step)
            elif head.node not in after.loops:  # left by break
                if step not in exits:
                    exits.append(step)
            elif after not in seen and not meets(after):
                seen.add(after)
                todo.append(after)
    return sorted(again, key=lambda one: one.line), sorted(exits, key=lambda one: one.line)


def nodes(node: Node, *kinds: str) -> Iterator[Node]:
    """Yield the nodes of these kinds below a node, itself included, in the order of the source."""
    todo = [node]
    while todo:
        one = todo.pop()
        if one.type in kinds:
            yield one
        todo.extend(reversed(one.named_children))


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
