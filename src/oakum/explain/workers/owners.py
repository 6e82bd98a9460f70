"""A thing that has to be given back -> the line where it is lost without that.

Comes in: the call that acquires it (or the goroutine that lives as long as it) and the operations that release it.
Goes out: a `Loss`: thrown away, left behind by a return, deleted or replaced in what held it, or kept by everyone and
released by nobody. Follows it from the function that acquires to those that it is returned to, as far as they are read.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, field
from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import method, on
from oakum.explain.code.flows import Flow, Flows
from oakum.explain.code.holders import absent, let_go
from oakum.explain.code.nouns import ElemRef, FieldRef, Func, Op, ResultRef, Step, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import after_error, leaves_without, meeting, reachable
from oakum.explain.code.syntax import bare, parts, text

_CALLERS_DEEPEST = 5  # how far up callers a thing is followed
_CLIMB = 3  # an object in an object in an object
_ANYTHING = frozenset(("any", "interface", "Map", "Pool", "List"))
_WORD = re.compile(r"\w+")
# Calls that look at what they are given and keep none of it.
_LOOKS_ONLY = ("fmt.", "log.", "errors.", "json.", "strings.", "strconv.", "reflect.", "slog.", "atomic.", "unsafe.")


class Loss(Struct, frozen=True):
    """Where the last hold on a thing is given up."""

    how: str  # unused | left | deleted | replaced | emptied | skipped | passed | kept
    func: Func
    line: int
    step: Step
    acquire: Op | None = None  # the call in that function which gave it the thing
    op: Op | None = None  # the delete, the assignment, or the release that is skipped or passed
    condition: str = ""  # what the skipped release depends on


class Kept(Struct):
    """Where the value of a call goes in the statement that it stands in."""

    unused: bool = False
    variable: Var | None = None  # a local variable, or the new object that it was put into
    returned: int | None = None
    symbols: list[Symbol] = field(default_factory=list)  # everything that holds it


def kept(op: Op) -> Kept:
    """Return where the value of a call goes: a variable, a field of a new object, the caller, nowhere."""
    package, func = op.func.package, op.func
    found = Kept()
    node: Node = op.node
    while node.parent is not None:
        parent = node.parent
        kind = parent.type
        if kind == "expression_statement" or kind in ("go_statement", "defer_statement"):
            found.unused = not found.symbols
            return found
        if kind == "keyed_element":
            key = parent.child_by_field_name("key")
            owner = _composite_type(parent)
            if key is not None and owner in package.fields:
                held = package.field(owner, text(key))
                found.symbols.append(FieldRef(held[0] if held else owner, text(key)))
        elif kind == "literal_value" and node.type == "literal_element":
            owner = _composite_type(node)
            names = list(package.fields.get(owner, ()))
            place = [one for one in parent.named_children if one.type != "comment"].index(node)
            if place < len(names):
                found.symbols.append(FieldRef(owner, names[place]))
        elif kind == "return_statement" or (kind == "expression_list" and _type(parent.parent) == "return_statement"):
            at = parts(parent).index(node) if kind == "expression_list" else 0
            found.returned = at
            found.symbols.append(ResultRef(func, at))
            return found
        elif kind in ("short_var_declaration", "assignment_statement", "var_spec") or (
            kind == "expression_list" and _type(parent.parent) in _ASSIGNS
        ):
            _assigned(op, node, found)
            return found
        elif kind == "argument_list":
            call = parent.parent
            if call is None or text(call.child_by_field_name("function")) != "append":
                _passed(op, node, parent, found)
                return found
            parent = call
        elif kind not in _THROUGH:
            return found  # `newThing().name`: somebody may hold it, nobody can say
        node = parent
    return found


_ASSIGNS = ("short_var_declaration", "assignment_statement", "var_spec")
_THROUGH = (
    "parenthesized_expression", "unary_expression", "literal_element", "literal_value", "composite_literal",
    "type_assertion_expression", "expression_list",
)  # fmt: skip


def _type(node: Node | None) -> str:
    return node.type if node is not None else ""


def _composite_type(node: Node) -> str:
    at: Node | None = node
    while at is not None and at.type != "composite_literal":
        at = at.parent
    return kinds.base(text(at.child_by_field_name("type"))) if at is not None else ""


def _assigned(op: Op, value: Node, found: Kept) -> None:
    package = op.func.package
    for one in op.step.ops:
        if one.kind != "assign" or one.target is None or one.index or one.values[0].start_byte > value.start_byte:
            continue
        if one.values[0].end_byte < value.end_byte:
            continue
        if text(one.target) == "_":
            found.unused = not found.symbols
            return
        symbol = package.symbol(one.target, op.func, op.file)
        if symbol is None:
            return
        found.symbols.append(symbol)
        if isinstance(symbol, Var):
            found.variable = symbol if symbol.func is op.func and symbol.kind in ("local", "range") else None
        elif isinstance(symbol, FieldRef):
            found.variable = _new_object(one, op.func)
        return


def _new_object(assign: Op, func: Func) -> Var | None:
    """Return the object whose field is set, when this function has just made it."""
    target = bare(assign.target) if assign.target is not None else None
    operand = target.child_by_field_name("operand") if target is not None else None
    if operand is None or operand.type != "identifier":
        return None
    var = func.package.var(operand, func.file)
    if var is None or var.func is not func or var.kind != "local" or var.value is None:
        return None
    made = bare(var.value)
    return var if made.type == "composite_literal" or text(made).startswith("new(") else None


def _passed(op: Op, value: Node, given: Node, found: Kept) -> None:
    place = [one for one in given.named_children if one.type != "comment"].index(value)
    call = next((one for one in op.step.ops if one.kind == "call" and one.node == given.parent), None)
    for callee in op.func.package.callees(call) if call is not None else ():
        if callee.params:
            found.symbols.append(callee.params[min(place, len(callee.params) - 1)])


def reach(flows: Flows, begin: Iterable[Symbol], climb: int = _CLIMB) -> Flow:
    """Return where a thing can be: what it flows to, and the objects that it is a field of, and what holds these.

    A field that points back to whom an object belongs to (`watcher.broadcaster`) holds nothing.
    """
    package = flows.package
    first = flows.follow(begin)
    inside = {_whose(one) for one in first.symbols} & set(package.fields)
    flow, todo = first, inside
    for _ in range(climb):
        if not todo:
            break
        objects = {symbol for kind in todo for symbol in _objects(flows, kind)}
        back = {
            other for other in package.fields for kind in inside if other not in inside and _has(package, kind, other)
        }
        more = flows.follow(objects, _holding(package, inside, back))
        flow = Flow(
            {*flow.symbols, *more.symbols}, flow.makes, [*flow.foreign, *more.foreign], [*flow.stored, *more.stored],
            [*flow.returned, *more.returned],
        )  # fmt: skip
        todo = {_whose(one) for one in more.symbols} & set(package.fields)
        todo -= inside
        inside |= todo
    return flow


def _whose(symbol: Symbol) -> str:
    """Return the type whose field holds something: `board` of board.now and of what board.all holds."""
    while isinstance(symbol, ElemRef):
        symbol = symbol.of
    return symbol.type if isinstance(symbol, FieldRef) else ""


def _has(package: Package, kind: str, other: str) -> bool:
    """Tell whether an object has fields that hold objects of another type."""
    return any(other in _WORD.findall(written) for written in package.fields[kind].values())


def _fits(package: Package, symbol: Symbol, inside: set[str]) -> bool:
    """Tell whether a field or container is declared to hold such objects, or anything: others only look at a part."""
    while isinstance(symbol, ElemRef):
        symbol = symbol.of
    if isinstance(symbol, FieldRef):
        written = package.fields.get(symbol.type, {}).get(symbol.name, "")
    else:
        written = package.type_of_var(symbol) if isinstance(symbol, Var) else ""
    words = set(_WORD.findall(written))
    return not words or bool(words & (inside | _ANYTHING)) or not words.isdisjoint(package.interfaces)


def _holding(package: Package, inside: set[str], back: set[str]) -> Callable[[Symbol], bool]:
    """Return what may hold such objects: no field that points back, and none that holds other things."""

    def holds(target: Symbol) -> bool:
        if isinstance(target, FieldRef) and target.type in back:
            return False
        return not isinstance(target, (FieldRef, ElemRef)) or _fits(package, target, inside)

    return holds


def _objects(flows: Flows, kind: str) -> Iterable[Symbol]:
    """Return the names that new objects of a type get where they are made."""
    for symbol, ops in flows.made.items():
        if any(op.kind == "composite" and kinds.base(text(op.target)) == kind for op in ops):
            yield symbol
    for func in flows.package.all:
        if func.receiver == kind and func.this is not None:
            yield func.this


def released(flows: Flows, symbols: Iterable[Symbol], names: Iterable[str]) -> list[Op]:
    """Return the calls of these methods on any of the symbols: `s.broadcaster.Shutdown()`."""
    wanted, about = set(names), set(symbols)
    return [
        op
        for func in flows.package.all
        for op in func.ops
        if op.kind == "call" and method(op) in wanted and on(op) in about
    ]


def handed(flows: Flows, symbols: Iterable[Symbol], names: Iterable[str]) -> list[Op]:
    """Return the calls of these methods that are given any of the symbols, or a part: `hub.Unsubscribe(s.id)`."""
    wanted, about = set(names), set(symbols)
    package = flows.package
    return [
        op
        for func in package.all
        for op in func.ops
        if op.kind == "call" and method(op) in wanted
        if any(_part_of(package, value, op, about) for value in op.values)
    ]


def _part_of(package: Package, value: Node, op: Op, about: set[Symbol]) -> bool:
    node: Node | None = value
    while node is not None:
        node = bare(node)
        if package.symbol(node, op.func, op.file) in about:
            return True
        node = node.child_by_field_name("operand") if node.type == "selector_expression" else None
    return False


def called(flows: Flows, symbols: Iterable[Symbol]) -> list[Op]:
    """Return the calls of a function value: `cancel()`, `p.cancel()`."""
    about = set(symbols)
    package = flows.package
    return [
        op
        for func in package.all
        for op in func.ops
        if op.kind == "call" and op.target is not None and package.symbol(op.target, func, func.file) in about
    ]


def lost(flows: Flows, acquire: Op, releases: Sequence[Op], depth: int = 0) -> Loss | None:
    """Return where the thing that a call gives is lost; None when it is always released, or somebody may do it."""
    found = here(flows, acquire, releases)
    if found is not None or depth > _CALLERS_DEEPEST or not handed_up(flows, acquire) or put_away(flows, acquire):
        return found
    for call in flows.package.callers.get(acquire.func, ()):
        if call.kind == "call":
            found = lost(flows, call, releases, depth + 1)
            if found is not None:
                return found
    return None


def here(flows: Flows, acquire: Op, releases: Sequence[Op]) -> Loss | None:
    """Return where the function that makes the call loses what it gives."""
    where = kept(acquire)
    if where.unused:
        return Loss("unused", acquire.func, acquire.line, acquire.step, acquire)
    if where.variable is not None:
        return _left(flows, acquire, where.variable, where.symbols, releases)
    return None


def handed_up(flows: Flows, acquire: Op) -> bool:
    """Tell whether a function returns what the call gives, or an object around it."""
    where, func = kept(acquire), acquire.func
    names = _things(flows, func, [where.variable])[0] if where.variable is not None else set()
    flow = flows.follow([*where.symbols, *names])
    return where.returned is not None or any(op.func is func for op in flow.returned)


def put_away(flows: Flows, acquire: Op) -> bool:
    """Tell whether the function that makes the call puts what it gives where others find it: a field, a map."""
    where, func = kept(acquire), acquire.func
    if where.variable is None:
        return any(isinstance(one, (FieldRef, ElemRef)) for one in where.symbols)
    names, away = _things(flows, func, [where.variable])
    flow = flows.follow([*names, *where.symbols])
    outer = [op for op in flow.stored if not _into_new(op, names, func)]
    meets = meeting(flows.package, [op for op in (*outer, *away) if op.kind != "composite" or op in away])
    return any(meets(step) for step in reachable([acquire.step]))


def is_failure(loss: Loss) -> bool:
    """Tell whether only a failure leads to a loss: `if err != nil { return err }`."""
    tests = [text(case.node.child_by_field_name("condition")) for case in loss.step.cases if case.kind == "if"]
    return loss.how == "left" and any("err" in test.lower() or test.startswith("!") for test in tests)


def _left(flows: Flows, acquire: Op, begin: Var, symbols: Sequence[Symbol], releases: Sequence[Op]) -> Loss | None:
    """Return the exit that leaves a thing behind which nothing but local variables hold."""
    func = acquire.func
    names, away = _things(flows, func, [begin])
    flow = flows.follow([*names, *symbols])
    outer = [op for op in (*flow.stored, *flow.returned, *flow.foreign) if op not in away and not looks_only(op)]
    outer = [op for op in outer if not _into_new(op, names, func)]
    meets = meeting(flows.package, [*releases, *outer, *away])
    nothing, failed = absent(flows, flow), after_error(acquire, flows.package)
    leaves = leaves_without([acquire.step], meets, lambda step, how: failed(step, how) or nothing(step, how))
    leaves = [one for one in leaves if one.step.kind != "panic"]  # most of these end the process
    if meets(acquire.step) or not leaves or _captured(func, releases):
        return None
    leave = min(leaves, key=lambda one: one.step.line)
    return Loss("left", func, leave.step.line, leave.step, acquire)


def _things(flows: Flows, func: Func, begin: list[Var]) -> tuple[set[Var], list[Op]]:
    """Return the local variables that hold a thing or a new object around it, and where such an object goes away."""
    names, todo = set(begin), list(begin)
    away: list[Op] = []
    while todo:
        flow = flows.follow([todo.pop()])
        for op in (one for one in flow.stored if one.func is func):
            around = _new_object(op, func) if op.kind == "assign" else None
            if op.kind == "composite":
                where = kept(op)
                around = where.variable
                if around is None and not where.unused:
                    away.append(op)
            if around is not None and around not in names:
                names.add(around)
                todo.append(around)
    return names, away


def _into_new(op: Op, names: set[Var], func: Func) -> bool:
    """Tell whether a thing is put into a new object that stands for it from then on."""
    return op.func is func and (op.kind == "composite" or (op.kind == "assign" and _new_object(op, func) in names))


def _captured(func: Func, releases: Sequence[Op]) -> bool:
    """Tell whether a literal of the function releases it: whoever runs the literal decides when."""
    return any(op.func is not func and op.func.top is func.top and op.func.parent is not None for op in releases)


def looks_only(op: Op) -> bool:
    """Tell whether a call only looks at what it is given."""
    return op.kind == "call" and text(op.target).startswith(_LOOKS_ONLY)


def dropped(
    flows: Flows, flow: Flow, releases: Sequence[Op], counts: Callable[[Op], bool] = lambda _: True
) -> Loss | None:
    """Return where what holds a thing lets go of it without a release; only lines that `counts`."""
    for one in let_go(flows, flow, releases, counts):
        return Loss(one.how, one.at.func, one.at.line, one.at.step, None, one.op)
    return None


def under_a_key(loss: Loss) -> bool:
    """Tell whether it is lost only where another comes under its key: one that is made anew each time never does."""
    target = loss.op.target if loss.op is not None else None
    return loss.how == "replaced" and target is not None and bare(target).type == "index_expression"


def skipped(flows: Flows, releases: Sequence[Op]) -> Loss | None:
    """Return a release that depends on a setting, a field that is true or false, and on nothing of the thing itself."""
    for op in (one for one in releases if one.kind != "send"):
        for case in reversed(op.step.cases):
            condition = case.node.child_by_field_name("condition") if case.kind == "if" else None
            if condition is not None and _is_setting(flows.package, condition, op):
                return Loss("skipped", op.func, op.line, op.step, None, op, text(condition))
    return None


def passed_by(flows: Flows, releases: Sequence[Op]) -> Loss | None:
    """Return how the only function that releases leaves before it does, where something that it calls first fails."""
    package = flows.package
    ops = list(releases)
    for _ in range(_CLIMB):  # a release in a function of its own: l.stop()
        func = ops[0].func if len({op.func for op in ops}) == 1 and all(op.kind != "send" for op in ops) else None
        callers = package.callers.get(func, ()) if func is not None else ()
        if func is None or func.entry is None or not callers:
            return None
        failures = [after_error(op, package) for op in func.ops if op.kind == "call" and op.inside is None]
        for leave in leaves_without([func.entry], meeting(package, ops)):
            case = leave.step.cases[-1] if leave.step.kind == "return" and leave.step.cases else None
            if case is not None and any(failed(case, "then") for failed in failures):
                condition = text(case.node.child_by_field_name("condition"))
                return Loss("passed", func, leave.step.line, leave.step, None, ops[0], condition)
        ops = list(callers)
    return None


def _is_setting(package: Package, condition: Node, op: Op) -> bool:
    node = bare(condition)
    if node.type == "unary_expression":
        node = bare(node.child_by_field_name("operand") or node)
    return node.type == "selector_expression" and package.type_of(node, op.func, op.file) == "bool"
