"""What takes something out of a container again: deletions, evictions, replacements, and why one of them does not.

Comes in: where a value is stored. Goes out: the operations by which it can leave, whether they work on a copy, look at
what is set too late, and whether anybody calls them.
"""

from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain.code.calls import method, nodes, operand
from oakum.explain.code.flows import Flows
from oakum.explain.code.holders import constructs
from oakum.explain.code.nouns import ElemRef, FieldRef, Func, Op, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import reachable
from oakum.explain.code.syntax import arguments, bare, line, text
from oakum.explain.memory.kept import Stored
from oakum.explain.reason import StackInSource

_REMOVES = frozenset(
    "Delete LoadAndDelete CompareAndDelete Clear Remove RemoveOldest Pop PopFront PopBack Evict Purge Flush Init Reset "
    "Expire DeleteExpired Dequeue Shift RemoveAll Truncate Resize".split()
)

# Callers of a removal that are looked at: no module needs more.
_CALLERS_MOST = 64


def removals(flows: Flows, stored: Stored) -> Iterator[Op]:
    """Yield what takes something out of a container, or replaces it."""
    around = list(_around(stored.container))
    symbols = flows.follow(around).symbols
    package = stored.package

    def means(node: Node | None, func: Func) -> bool:
        return package.symbol(node, func, func.file) in symbols

    for func in package.all:
        for op in func.ops:
            deletes = op.kind == "delete" and means(op.target, func)
            removes = op.kind == "call" and method(op) in _REMOVES and means(operand(op), func)
            if deletes or removes or (op.kind == "assign" and any(_replaces(op, one, package) for one in around)):
                yield op
        for node in nodes(func.node, "call_expression") if func.parent is None else ():
            clears = text(node.child_by_field_name("function")) == "clear"
            if clears and func.entry is not None and any(means(given, func) for given in arguments(node)):
                yield Op("clear", node, line(node), func, func.entry)


def _around(container: Symbol) -> Iterator[Symbol]:
    """Yield a container and those that hold it: of `m[topic][id] = v` the map of a topic, and the map of topics."""
    yield container
    while isinstance(container, ElemRef):
        container = container.of
        yield container


def outermost(container: Symbol) -> Symbol:
    """Return the field or variable behind the elements of elements."""
    return [*_around(container)][-1]


def emptied_elsewhere(scene: StackInSource, stored: Stored) -> bool:
    """Tell whether another package of the program takes something out of a container that it can reach by name."""
    name = stored.container.name if isinstance(stored.container, (FieldRef, Var)) else ""
    if not name[:1].isupper():
        return False
    here = {file.source.path for file in stored.package.files}
    for package in scene.program.own(f".{name}".encode()):
        if here & {file.source.path for file in package.files}:
            continue
        for func in package.all:
            for op in func.ops:
                on = operand(op) if op.kind == "call" and method(op) in _REMOVES else op.target
                if op.kind in ("delete", "assign", "call") and on is not None and text(on).endswith(f".{name}"):
                    return True
    return False


def _replaces(op: Op, container: Symbol, package: Package) -> bool:
    """Tell whether an assignment gives a container another content than what it had and more."""
    if op.target is None or package.symbol(op.target, op.func, op.file) != container:
        return False
    if constructs(op) or op.func.bare.startswith(("New", "new", "init")):
        return False
    if op.node.type in ("short_var_declaration", "var_spec"):
        return False
    value = bare(op.values[0])
    if value.type == "call_expression" and text(value.child_by_field_name("function")) == "append":
        given = value.child_by_field_name("arguments")
        first = bare(given.named_children[0]) if given is not None and given.named_children else None
        if first is None or first.type == "slice_expression":  # append(q[:0], q[1:]...)
            return True
        return package.symbol(first, op.func, op.file) != container  # append([]T(nil), q[1:]...)
    lazy = any("== nil" in text(case.node.child_by_field_name("condition")) for case in op.step.cases)
    return not lazy


def on_copy(op: Op) -> bool:
    """Tell whether something is taken out of a copy: a method with a value receiver that assigns to its own field."""
    if op.kind != "assign" or op.target is None:
        return False
    on = op.target.child_by_field_name("operand")
    var = op.func.package.var(on, op.file) if on is not None and on.type == "identifier" else None
    if var is None:
        return False
    if var.kind == "receiver":
        return not op.func.top.pointer
    return var.kind == "param" and bool(var.type) and var.type in op.func.package.fields


def set_too_late(stored: Stored, removals: list[Op]) -> tuple[Op, str, Op] | None:
    """Return a field that is set on the local copy after that was stored, and the removal that looks at it."""
    if stored.how not in ("index", "append"):
        return None
    op = next((one for one in stored.func.ops if one.kind in ("assign", "append") and one.line == stored.line), None)
    value = bare(op.values[0]) if op is not None and op.values else None
    if op is None or value is None or value.type != "identifier":
        return None
    var = stored.package.var(value, stored.func.file)
    kind = stored.package.type_of_var(var) if var is not None else ""
    if var is None or kind not in stored.package.fields:  # a pointer: a later change is seen in the container
        return None
    behind = reachable([op.step])
    for later in stored.func.ops:
        target = later.target
        if later.kind != "assign" or target is None or target.type != "selector_expression" or later.step not in behind:
            continue
        if stored.package.var(bare(target.child_by_field_name("operand") or target), stored.func.file) is not var:
            continue
        name = text(target.child_by_field_name("field"))
        for removal in removals:
            if any(text(node) == name for node in nodes(removal.func.node, "field_identifier")):
                return later, name, removal
    return None


def used(scene: StackInSource, func: Func) -> bool:
    """Tell whether a function runs: it is on the stack, or mentioned anywhere in the source that can be read."""
    if func.name in ("main", "init") or any(spot is not None and spot.func.top is func for spot in scene.spots):
        return True
    packages = {id(one): one for one in (*scene.program.read, *scene.program.own(func.name.encode()))}
    for package in packages.values():
        for file in package.files:
            if func.name.encode() not in file.source.data:
                continue
            for node in nodes(file.root, "identifier", "field_identifier"):
                if text(node) == func.name and not (
                    node.parent is not None and node.parent.type in ("function_declaration", "method_declaration")
                ):
                    return True
    return False


def reached(scene: StackInSource, func: Func) -> bool:
    """Tell whether a removal runs in this program: that a module can remove something does not mean anybody asks it to.

    In a module it counts below a function of the stack, a constructor or a goroutine of its own, or by a name that the
    program's own code calls.
    """
    if func.site("bounded-by", func.first).frame.owner != "dependency":
        return used(scene, func.top)
    stack = {id(spot.func.top) for spot in scene.spots if spot is not None}
    above: dict[int, Func] = {}
    todo = [func]
    while todo and len(above) < _CALLERS_MOST:
        one = todo.pop().top
        if id(one) in above:
            continue
        above[id(one)] = one
        calls = one.package.callers.get(one, ())
        if id(one) in stack or one.name == "init" or one.bare.startswith("New") or any(op.kind == "go" for op in calls):
            return True
        todo += [op.func for op in calls]
    exported = {one.name for one in above.values() if one.name[:1].isupper()}
    return bool(exported) and any(
        text(node) in exported
        for package in scene.program.own(*(name.encode() for name in exported))
        for file in package.files
        if func.package.path in file.imports.values()
        for node in nodes(file.root, "field_identifier")
    )
