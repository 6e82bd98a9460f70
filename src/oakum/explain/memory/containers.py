"""What keeps this memory? Maps, slices and lists that only grow, and small pieces that hold large texts.

Comes in: the scene of a heap suspect: its path from the driver to the allocation. Goes out: the line that stores, and
why nothing takes out again; None when something does, or a limit or a bounded key keeps the container small.
"""

from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain import fixes
from oakum.explain.code import kinds
from oakum.explain.code.calls import at, method, nodes, operand
from oakum.explain.code.flows import Flows
from oakum.explain.code.holders import constructs
from oakum.explain.code.nouns import FieldRef, Func, Op, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import reachable
from oakum.explain.code.syntax import arguments, bare, line, text
from oakum.explain.memory.kept import Stored, Tracker
from oakum.explain.reason import Reason, Scene
from oakum.explain.values import Expr, Origins, call_of, expr_at, shown
from oakum.explain.workers import timers
from oakum.model import CauseSite, Text, Trace

_REMOVES = frozenset(
    "Delete LoadAndDelete CompareAndDelete Clear Remove RemoveOldest Pop PopFront PopBack Evict Purge Flush Init Reset "
    "Expire DeleteExpired Dequeue Shift RemoveAll Truncate Resize".split()
)
_LABELS = ("WithLabelValues", "With", "GetMetricWithLabelValues", "GetMetricWith")  # of prometheus
# What a request brings along takes any number of values.
_UNBOUNDED = (
    "RequestURI", "URL.Path", "URL.String", "RawQuery", "RemoteAddr", "FormValue", "Query().Get", "Header.Get",
    "Cookie", "PathValue", "PostFormValue", "time.Now", "uuid.", "rand.", "UserAgent", "Referer", "EscapedPath",
)  # fmt: skip
_SHORT = ("Nanosecond", "Microsecond", "Millisecond")  # such timers have fired before anybody looks


def reason(scene: Scene) -> Reason | None:
    """Return what keeps the memory of a heap suspect."""
    if not scene.suspect.path or scene.suspect.wait:
        return None
    if scene.suspect.mechanisms[0] not in ("growing-container", "substring-pin", "warm-up"):
        return None
    if not scene.trace.frames:
        scene = Scene.of(scene.suspect, scene.program, Trace(tuple(reversed(scene.suspect.path))))
    labels = _labels(scene)
    if labels is not None:
        return labels
    tracker = Tracker(scene)
    stored = tracker.stored()
    origins = Origins(scene)
    for one in stored:
        if not _long_lived(one, tracker):
            continue
        small = one.how == "slot" or _limited(one) or _bounded_key(one, origins)
        found = None if small else _kept(scene, one, origins)
        if one.cut is not None and found is None:
            return _pinned(scene, one)
        if not small:  # what is taken out of the nearest may be missed there: what lies further is no better guess
            return found
    return _timed(scene, tracker)


def _timed(scene: Scene, tracker: Tracker) -> Reason | None:
    """Return that a timer nobody stops keeps the memory: its function refers to it."""
    for timer in tracker.timers:
        delay = text(timer.values[0]) if timer.values else ""
        if not any(unit in delay for unit in _SHORT):
            found = timers.of(scene.program.flows(timer.func.package), timer)
            if found is not None:
                return found
    return None


def _labels(scene: Scene) -> Reason | None:
    """Return a metric that gets a new time series for everything that requests bring along."""
    origins = Origins(scene)
    for index, spot in enumerate(scene.spots):
        if spot is None or spot.frame.owner != "own" or not index:
            continue
        call = call_of(spot, scene.trace.frames[index - 1])
        if call is None or method(call) not in _LABELS:
            return None
        for value in call.values:
            for one in origins.of(expr_at(scene, index, value)):
                if any(name in text(one.node) for name in _UNBOUNDED):
                    args = {"place": at(spot.func, call.line), "code": shown(call.node)}
                    key = {"place": one.place, "code": shown(one.node)}
                    says = (Text("cause.heap.labels", args), Text("cause.heap.key", key), Text("cause.heap.ends"))
                    sites = (spot.func.site("stored", call.line), one.site("key"))
                    return Reason("growing-container", says, sites)
        return None
    return None


def _pinned(scene: Scene, stored: Stored) -> Reason:
    assert stored.cut is not None
    func, number = stored.cut
    leaf = next(spot for spot in scene.spots if spot is not None)
    says = (
        Text("cause.heap.pin.made", {"place": at(leaf.func, leaf.number), "code": leaf.func.file.code(leaf.number)}),
        Text("cause.heap.pin.cut", {"place": at(func, number), "code": func.file.code(number)}),
        Text("cause.heap.pin.stored", _args(stored)),
        Text("cause.heap.pin.ends"),
    )
    sites = (func.site("cut", number), stored.func.site("stored", stored.line))
    return Reason("substring-pin", says, sites, remedies=fixes.drafts(fixes.clone_piece(func, number)))


def _args(stored: Stored) -> dict[str, str | int | float]:
    return {
        "place": at(stored.func, stored.line),
        "container": text(stored.written),
        "code": stored.func.file.code(stored.line),
        "function": stored.func.full,
    }


def _kept(scene: Scene, stored: Stored, origins: Origins) -> Reason | None:
    """Return why nothing leaves a container."""
    flows = scene.program.flows(stored.package)
    removals = list(_removals(flows, stored))
    copies = [op for op in removals if _on_copy(op)]
    says = [Text("cause.heap.stored", _args(stored))]
    site = stored.func.site("stored", stored.line)
    if removals and len(copies) == len(removals):
        op = copies[0]
        args = {"place": at(op.func.top, op.func.top.first), "function": op.func.full, "type": op.func.top.receiver}
        says.append(Text("cause.heap.copy", {**args, "line": at(op.func, op.line)}))
        says.append(Text("cause.heap.ends"))
        sites_of = (op.func.top.site("never-removed", op.func.top.first), site)
        remedies = fixes.drafts(fixes.pointer_receiver(op.func.top))
        return Reason("growing-container", tuple(says), sites_of, remedies=remedies)
    late = _set_too_late(stored, removals)
    if late is not None:
        op, name, checks = late
        args = {"place": at(op.func, op.line), "field": name, "stored": at(stored.func, stored.line)}
        says.append(Text("cause.heap.late", {**args, "checks": at(checks.func, checks.line), "code": op.code}))
        says.append(Text("cause.heap.ends"))
        return Reason("growing-container", tuple(says), (op.func.site("never-removed", op.line), site))
    used = [op for op in removals if op not in copies and _used(scene, op.func.top)]
    if removals and not used:
        op = removals[0]
        top = op.func.top
        says.append(
            Text("cause.heap.unused", {"place": at(top, top.first), "function": top.full, "line": at(op.func, op.line)})
        )
        says.append(Text("cause.heap.ends"))
        return Reason("growing-container", tuple(says), (top.site("never-removed", top.first), site))
    if removals or _emptied_elsewhere(scene, stored):
        return None
    says.append(Text("cause.heap.nothing", _args(stored)))
    sites: list[CauseSite] = [stored.func.site("never-removed", stored.line)]
    key = _unbounded_key(stored, origins)
    if key is not None:
        says.append(Text("cause.heap.key", {"place": key.place, "code": shown(key.node)}))
        sites.append(key.site("key"))
    says.append(Text("cause.heap.ends"))
    return Reason("growing-container", tuple(says), tuple(sites))


# Who lives how long


def _long_lived(stored: Stored, tracker: Tracker) -> bool:
    """Tell whether the object that has the container is made elsewhere than on the way to the store, each time anew."""
    container = stored.container
    if not isinstance(container, FieldRef):
        return isinstance(container, Var)
    package = stored.package
    makers = {
        op.func
        for func in package.all
        for op in func.ops
        if op.kind == "composite" and kinds.base(text(op.target)) == container.type
    }
    callers = {call.func for maker in makers for call in package.callers.get(maker, ())}
    return not tracker.funcs & makers and not tracker.funcs & callers


def _limited(stored: Stored) -> bool:
    """Tell whether the store stands under a check of the container's length."""
    step = next((op.step for op in stored.func.ops if op.line == stored.line), None)
    written = f"len({text(stored.written)})"
    for case in step.cases if step is not None else ():
        if written in text(case.node.child_by_field_name("condition") or case.node.child_by_field_name("value")):
            return True
    return False


# Keys


def _bounded_key(stored: Stored, origins: Origins) -> bool:
    """Tell whether the key takes few values: a remainder, a constant."""
    if stored.key is None:
        return False
    begin = _key_origins(stored, origins)
    return bool(begin) and all(_few(one) for one in begin)


def _key_origins(stored: Stored, origins: Origins) -> list[Expr]:
    if stored.key is None:
        return []
    return origins.of(Expr(stored.key, stored.func, stored.func.file, stored.package, stored.at))


def _few(expr: Expr) -> bool:
    node = bare(expr.node)
    if node.type == "binary_expression":
        return text(node.child_by_field_name("operator")) in ("%", "==", "<", ">", "&&", "||", "!=", "&")
    if node.type == "call_expression" and node.child_by_field_name("arguments") is not None:  # int(n % 16)
        function = text(node.child_by_field_name("function"))
        given = node.child_by_field_name("arguments")
        if function in ("int", "int32", "int64", "uint", "uint32", "uint64", "byte", "uint8") and given is not None:
            return bool(given.named_children) and _few(expr.beside(given.named_children[0]))
    return node.type in (
        "int_literal",
        "interpreted_string_literal",
        "raw_string_literal",
        "true",
        "false",
        "rune_literal",
    )


def _unbounded_key(stored: Stored, origins: Origins) -> Expr | None:
    for one in _key_origins(stored, origins):
        if any(name in text(one.node) for name in _UNBOUNDED):
            return one
    return None


# What takes out


def _removals(flows: Flows, stored: Stored) -> Iterator[Op]:
    """Yield what takes something out of a container, or replaces it."""
    symbols = flows.follow([stored.container]).symbols
    package = stored.package

    def means(node: Node | None, func: Func) -> bool:
        return package.symbol(node, func, func.file) in symbols

    for func in package.all:
        for op in func.ops:
            deletes = op.kind == "delete" and means(op.target, func)
            removes = op.kind == "call" and method(op) in _REMOVES and means(operand(op), func)
            if deletes or removes or (op.kind == "assign" and _replaces(op, stored.container, package)):
                yield op
        for node in nodes(func.node, "call_expression") if func.parent is None else ():
            clears = text(node.child_by_field_name("function")) == "clear"
            if clears and func.entry is not None and any(means(given, func) for given in arguments(node)):
                yield Op("clear", node, line(node), func, func.entry)


def _emptied_elsewhere(scene: Scene, stored: Stored) -> bool:
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
    if constructs(op) or op.func.name.startswith(("New", "new", "init")):
        return False
    if op.node.type in ("short_var_declaration", "var_spec"):
        return False
    value = bare(op.values[0])
    if value.type == "call_expression" and text(value.child_by_field_name("function")) == "append":
        given = value.child_by_field_name("arguments")
        first = bare(given.named_children[0]) if given is not None and given.named_children else None
        return first is None or first.type == "slice_expression"
    lazy = any("== nil" in text(case.node.child_by_field_name("condition")) for case in op.step.cases)
    return not lazy


def _on_copy(op: Op) -> bool:
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


def _set_too_late(stored: Stored, removals: list[Op]) -> tuple[Op, str, Op] | None:
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


def _used(scene: Scene, func: Func) -> bool:
    """Tell whether a function is mentioned anywhere in the source that can be read, its declaration apart."""
    if func.name in ("main", "init"):
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


__all__ = ["reason"]
