"""What keeps this memory without any container? Values that refer to the one before, and calls deferred in a loop.

Comes in: the scene of a heap suspect. Goes out: the line that ties each value to its predecessor, so that none can be
freed while the newest lives, or the line that defers a call in a loop which goes on for as long as its goroutine.
"""

from collections.abc import Iterator
from itertools import chain

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import at, method, nodes, operand
from oakum.explain.code.holders import constructs
from oakum.explain.code.nouns import FieldRef, Func, Op, Var
from oakum.explain.code.program import Program
from oakum.explain.code.syntax import arguments, bare, text
from oakum.explain.memory.containers import about_memory
from oakum.explain.memory.kept import Tracker
from oakum.explain.memory.loops import goes_on
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.values import called
from oakum.explain.workers.starting import once
from oakum.model import Text

_DEEPEST = 4  # functions that wrap for others
_CONTEXTS = (
    "context.WithValue", "context.WithCancel", "context.WithCancelCause", "context.WithTimeout",
    "context.WithDeadline", "context.WithoutCancel",
)  # fmt: skip


def reason(scene: StackInSource) -> Reason | None:
    """Return what ties the memory of a heap suspect to something that lives on."""
    told = about_memory(scene)
    if told is None:
        return None
    tracker = Tracker(told)
    tracker.stored()
    on_stack = [spot.func for spot in told.spots if spot is not None and spot.frame.owner == "own"]
    reached = list(dict.fromkeys((*on_stack, *tracker.reached)))
    found = chain(
        *map(_deferred, on_stack),
        *(_contexts(one, told.program) for one in reached),
        *map(_before, on_stack),
        *map(_swapped, on_stack),
    )
    return next(found, None)


# Calls that wait for the end of a function which does not end


def _deferred(func: Func) -> Iterator[Reason]:
    for op in func.ops:
        loop = next((one for one in op.step.loops if goes_on(one, func)), None) if op.kind == "defer" else None
        if loop is None:
            continue
        number = loop.start_point[0] + 1
        args = {"place": at(func, op.line), "code": op.code, "function": func.full, "loop": at(func, number)}
        texts = (Text("cause.heap.deferred", args), Text("cause.heap.deferred.ends"))
        sites = (func.site("deferred", op.line), func.site("loop", number))
        yield Reason("held-by-goroutine", texts, sites, kept=True)


# Values that refer to the one before


def _contexts(func: Func, program: Program) -> Iterator[Reason]:
    """Yield a context that is wrapped into another one again and again: `ctx = context.WithValue(ctx, ...)`."""
    package = func.package
    for op in func.ops:
        place = (
            package.symbol(op.target, func, func.file) if op.kind == "assign" and op.values and not op.index else None
        )
        if op.target is None or not isinstance(place, (Var, FieldRef)):
            continue
        parents = [package.symbol(one, func, func.file) for one in _wrapped(op.values[0], func)]
        if place in parents and _again(op, place, program) and not _afresh(op, place, program):
            name = text(op.target)
            args = {"place": at(func, op.line), "code": op.code, "name": name, "function": func.full}
            texts = (Text("cause.heap.chain.context", args), Text("cause.heap.chain.ends"))
            yield Reason("growing-container", texts, (func.site("chained", op.line),), kept=True)


def _wrapped(node: Node, func: Func, depth: int = 0) -> Iterator[Node]:
    """Yield what an expression wraps into a new context, by functions of the program, too."""
    value = bare(node)
    if value.type != "call_expression" or depth > _DEEPEST:
        return
    function, given = value.child_by_field_name("function"), arguments(value)
    if called(value, func, func.file, func.package) in _CONTEXTS:
        yield from given[:1]
        yield from _wrapped(given[0], func, depth + 1) if given else ()
        return
    for callee in func.package.called(function, func, func.file) if function is not None else ():
        for op in (op for op in callee.ops if op.kind == "return" and op.values):
            for inner in _wrapped(op.values[0], callee, depth + 1):
                var = _variable(inner, callee)
                place = callee.params.index(var) if var in callee.params else len(given)
                yield from given[place : place + 1]


def _again(op: Op, place: Var | FieldRef, program: Program) -> bool:
    """Tell whether the same variable, or the same object's field, is assigned again and again."""
    var = place if isinstance(place, Var) else _root(op)
    if var is None:
        return False
    if (
        op.step.loops
        and not _declared_in(var, op.step.loops)
        and (isinstance(place, Var) or goes_on(op.step.loops[-1], op.func))
    ):
        return True
    if isinstance(place, Var):
        return False
    made = [
        one
        for func in op.func.package.all
        for one in func.ops
        if one.kind == "composite" and kinds.base(text(one.target)) == place.type
    ]
    return bool(made) and all(once(program, one) for one in made) and not once(program, op)


def _root(op: Op) -> Var | None:
    on = op.target
    while on is not None and bare(on).type in ("selector_expression", "index_expression"):
        on = bare(on).child_by_field_name("operand")
    return _variable(on, op.func)


def _afresh(op: Op, place: Var | FieldRef, program: Program) -> bool:
    """Tell whether it is also given another context, which ends the chain: `w.ctx = w.base` before each round."""
    for other in program.flows(op.func.package).stores.get(place, ()):
        begins = isinstance(place, Var) and not other.step.loops
        if other is op or begins or constructs(other):
            continue
        if place not in [
            other.func.package.symbol(one, other.func, other.file) for one in _wrapped(other.values[0], other.func)
        ]:
            return True
    return False


def _variable(node: Node | None, func: Func) -> Var | None:
    node = bare(node) if node is not None else None
    return func.package.var(node, func.file) if node is not None and node.type == "identifier" else None


def _declared_in(var: Var, loops: tuple[Node, ...]) -> bool:
    """Tell whether the innermost loop makes the variable anew each time; `ctx := ...(ctx)` declares it."""
    inner = loops[-1]
    return inner.start_point[0] + 1 < var.line <= inner.end_point[0] + 1


def _before(func: Func) -> Iterator[Reason]:
    """Yield a value that holds what it is about to replace: `b.now = &State{before: b.now}`."""
    for op in func.ops:
        if op.kind != "assign" or op.target is None or not op.values:
            continue
        place = func.package.symbol(op.target, func, func.file)
        made = _made(op, func)
        if made is None or not (isinstance(place, FieldRef) or (isinstance(place, Var) and place.kind == "global")):
            continue
        for element in nodes(made, "keyed_element"):
            name = text(element.child_by_field_name("key"))
            if func.package.symbol(_given(element), func, func.file) == place and not _cut(func, name):
                yield _tied(func, element, name, op, text(op.target))


def _swapped(func: Func) -> Iterator[Reason]:
    """Yield a value that holds the one which an atomic pointer had: `&State{before: p.Load()}`, then `p.Store`."""
    package = func.package
    for element in (one for op in func.ops if op.kind == "composite" for one in nodes(op.node, "keyed_element")):
        name = text(element.child_by_field_name("key"))
        var = _variable(_given(element), func)
        load = bare(var.value) if var is not None and var.value is not None else _given(element)
        pointer = _loaded(load)
        place = package.symbol(pointer, func, func.file) if pointer is not None else None
        if pointer is None or not isinstance(place, (FieldRef, Var)) or _cut(func, name):
            continue
        for op in (op for one in package.all for op in one.ops if op.kind == "call" and method(op) == "Store"):
            first = op.func.top.bare.lower().startswith("new")  # it had nothing before
            if package.symbol(operand(op), op.func, op.file) == place and not first:
                yield _tied(func, element, name, op, text(pointer))
                return


def _loaded(node: Node | None) -> Node | None:
    """Return what `p.Load()` loads from."""
    function = node.child_by_field_name("function") if node is not None and node.type == "call_expression" else None
    if function is None or text(function.child_by_field_name("field")) != "Load":
        return None
    return function.child_by_field_name("operand")


def _given(element: Node) -> Node | None:
    """Return the value of a keyed element."""
    value = element.child_by_field_name("value")
    return bare(value.named_children[0]) if value is not None and value.named_children else value


def _tied(func: Func, element: Node, name: str, store: Op, held: str) -> Reason:
    number = element.start_point[0] + 1
    args = {"place": at(func, number), "field": name, "code": func.file.code(number)}
    args |= {"where": at(store.func, store.line), "held": held, "stored": store.code}
    texts = (Text("cause.heap.chain.before", args), Text("cause.heap.chain.ends"))
    sites = (func.site("chained", number), store.func.site("stored", store.line))
    return Reason("growing-container", texts, tuple(dict.fromkeys(sites)), kept=True)


def _made(op: Op, func: Func) -> Node | None:
    """Return the composite literal that an assignment stores, perhaps by a variable that was given it."""
    value = bare(op.values[0])
    var = _variable(value, func)
    if var is not None and var.value is not None:
        value = bare(var.value)
    if value.type == "unary_expression":
        value = bare(value.child_by_field_name("operand") or value)
    return value if value.type == "composite_literal" else None


def _cut(func: Func, name: str) -> bool:
    """Tell whether the package ever sets that field again: then somebody may cut the chain."""
    ops = (op for one in func.package.all for op in one.ops if op.kind == "assign" and op.target is not None)
    return any(text(op.target.child_by_field_name("field")) == name for op in ops if op.target is not None)
