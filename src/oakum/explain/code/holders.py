"""Who holds an object, and where it is let go (deleted from a map, replaced in a field) without what should come first.

Comes in: the flow of an object and the operations that release it. Goes out: the lines that drop it without one.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct
from tree_sitter import Node

from oakum.explain.code.calls import nodes
from oakum.explain.code.flows import Flow, Flows
from oakum.explain.code.nouns import ElemRef, FieldRef, Func, Op, Step, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import Leave, leaves_without, meeting, reachable, reached_without
from oakum.explain.code.syntax import bare, last_line, line, operator, text

_DEEPEST = 3  # callers of callers
_HANDS_ON = ("return", "send", "call", "go", "append")


class LetGo(Struct, frozen=True):
    """A line that drops the last reference which somebody could have used to release the object."""

    op: Op
    how: str  # deleted | replaced | emptied
    leave: Leave | None  # how the function is left after it without a release
    call: Op | None = None  # of the function that drops it: here nobody releases, behind other calls somebody does

    @property
    def at(self) -> Op:
        """Return the line where the release is missing."""
        return self.call or self.op


def let_go(
    flows: Flows, flow: Flow, releases: Iterable[Op], counts: Callable[[Op], bool] = lambda _: True
) -> list[LetGo]:
    """Return where an object is dropped on a way on which none of the releases is done; only lines that `counts`."""
    meets = meeting(flows.package, releases)
    nothing = absent(flows, flow)
    found: list[LetGo] = []
    for op, how in drops(flows, flow):
        func = op.func
        if not counts(op) or not reached_without(func, op.step, meets, nothing) or meets(op.step):
            continue
        leaves = leaves_without([op.step], meets, nothing, _round(flow, op))
        if not leaves or (how == "replaced" and _first(flows, flow, op)) or _handed_on(flows, flow, op):
            continue
        calls = flows.package.callers.get(func, ())
        bad = [call for call in calls if not _released_around(flow, call, meets, _or_not_done(op, call, nothing))]
        if not calls or bad:
            others = len(bad) < len(calls) and not any(map(meets, func.steps))
            found.append(LetGo(op, how, leaves[0], bad[0] if others else None))
    return sorted(found, key=lambda one: (one.how == "replaced", one.op.file.source.name, one.op.line))


def _round(flow: Flow, op: Op) -> Step | None:
    """Return the loop each round of which has another object, by the variables of an operation."""
    if not op.step.loops:
        return None
    loop = op.step.loops[-1]
    for node in nodes(op.node, "identifier"):
        var = op.func.package.var(node, op.file)
        if var is not None and var in flow.symbols and line(loop) < var.line <= last_line(loop):
            return next((step for step in op.func.steps if step.kind == "loop" and step.node == loop), None)
    return None


def _released_around(
    flow: Flow, call: Op, meets: Callable[[Step], bool], nothing: Callable[[Step, str], bool], depth: int = 0
) -> bool:
    """Tell whether a caller of what drops an object releases it on every way, before the call or behind it."""
    if call.kind == "go":
        return False  # goes on beside it
    behind = reachable([call.step]) - {call.step}
    if any(map(meets, behind)) and not leaves_without([call.step], meets, nothing, _round(flow, call)):
        return True
    # What callers of callers have looked up before may be another object.
    if not reached_without(call.func, call.step, meets, nothing if not depth else lambda _step, _how: False):
        return True
    calls = call.func.package.callers.get(call.func, ()) if depth < _DEEPEST else ()
    return bool(calls) and all(_released_around(flow, one, meets, nothing, depth + 1) for one in calls)


def _or_not_done(drop: Op, call: Op, nothing: Callable[[Step, str], bool]) -> Callable[[Step, str], bool]:
    """Return the same, with the branches on which the call has said that it dropped nothing: `if h.remove(m) {`."""
    behind = {drop.step, *reachable([drop.step])}
    said = {text(op.values[-1]) for op in drop.func.ops if op.kind == "return" and op.values and op.step in behind}
    written = {text(call.node)} | {
        text(op.target)
        for op in call.step.ops
        if op.kind == "assign" and op.values[0] == call.node and op.index == len(drop.func.results) - 1
    }

    def skip(step: Step, how: str) -> bool:
        if nothing(step, how):
            return True
        condition = text(step.node.child_by_field_name("condition")) if step.kind == "if" else ""
        done = {"then": "true", "else": "false"}.get(how)  # what a plain condition is on this branch
        other = {"then": "false", "else": "true"}.get(how)
        return len(said) == 1 and (
            (condition in written and said == {other})
            or (condition.removeprefix("!") in written - {condition} and said == {done})
        )

    return skip


def absent(flows: Flows, flow: Flow) -> Callable[[Step, str], bool]:
    """Return which branches are taken only where there is no object to release.

    `if old != nil { old.Stop() }` and `if old, ok := m[k]; ok { old.Stop() }`: their `else` does not count.
    """
    package = flows.package

    def missing(term: Node, func: Func, step: Step) -> str:
        """Return the branch that a condition takes without an object: "then", "else", or "" when it does not say."""
        term = bare(term)
        if term.type == "identifier":
            return "else" if _looked_up(flows, flow, term, func, step) else ""
        if term.type == "unary_expression" and operator(term) == "!":
            operand = term.child_by_field_name("operand")
            return "then" if operand is not None and _looked_up(flows, flow, bare(operand), func, step) else ""
        sides = [term.child_by_field_name("left"), term.child_by_field_name("right")]
        sign = operator(term) if term.type == "binary_expression" else ""
        if sign in ("&&", "||") and sides[0] is not None and sides[1] is not None:
            both = {missing(side, func, step) for side in sides if side is not None}
            return both.pop() if both == {"else" if sign == "&&" else "then"} else ""
        if sign == "==" and "nil" not in (text(sides[0]), text(sides[1])):
            return ""
        if sign in ("!=", "==") and any(package.symbol(one, func, func.file) in flow.symbols for one in sides):
            return "else" if sign == "!=" else "then"
        return ""

    def skip(step: Step, how: str) -> bool:
        if step.kind != "if" or not how:
            return False
        condition, func = step.node.child_by_field_name("condition"), _around(package, step)
        return condition is not None and func is not None and missing(condition, func, step) == how

    return skip


def _around(package: Package, step: Step) -> Func | None:
    return next((op.func for op in step.ops), None) or package.holding(step)


def _looked_up(flows: Flows, flow: Flow, name: Node, func: Func, step: Step) -> bool:
    """Tell whether a name is the `ok` of looking the object up: v, ok := m[k]."""
    var = flows.package.var(name, func.file)
    for op in flows.stores.get(var, ()) if var is not None else ():
        if op.index == 1 and op.line <= step.line and op.func is func:
            value = flows.package.symbol(op.values[0], func, func.file)
            if value in flow.symbols:
                return True
    return False


def _first(flows: Flows, flow: Flow, op: Op) -> bool:
    """Tell whether a value is put only where none was: the function looks first."""
    nothing = absent(flows, flow)
    looks = [one for one in op.func.steps if one.kind == "if" and one.line <= op.line]
    for look in looks:
        for branch in ("then", "else"):
            if nothing(look, branch):
                other = [after for after, how in look.after if how != branch]
                taken = [after for after, how in look.after if how == branch]
                if op.step in {*taken, *reachable(taken)} and op.step not in {*other, *reachable(other)}:
                    return True
    return _asked(flows, op)


def _asked(flows: Flows, op: Op) -> bool:
    """Tell whether callers ask first whether there is one: `if g.has(id) { continue }` before `g.add(t)`."""
    package = flows.package
    whole = package.symbol(op.target, op.func, op.file) if op.kind == "assign" else None
    if not isinstance(whole, ElemRef):
        return False
    calls = [
        op,
        *(call for caller in package.callers.get(op.func, ()) for call in (caller, *_callers(package, caller))),
    ]
    asks = {
        func
        for call in calls
        for step in call.func.steps
        if step.kind == "if" and step.line <= call.line
        for one in step.ops
        if one.kind == "call"
        for func in package.callees(one)
        if func.results == ["bool"]
    }
    return any(_looks_into(func, whole) for func in asks)


def _callers(package: Package, call: Op) -> list[Op]:
    return package.callers.get(call.func, [])


def _looks_into(func: Func, whole: ElemRef) -> bool:
    """Tell whether a function reads what a map holds."""
    todo = [func.node]
    while todo:
        node = todo.pop()
        if node.type == "index_expression" and func.package.symbol(node, func, func.file) == whole:
            return True
        todo += node.named_children
    return False


def drops(flows: Flows, flow: Flow) -> Iterable[tuple[Op, str]]:
    """Yield what takes an object out of where it is kept, and how."""
    for symbol in flow.symbols:
        if isinstance(symbol, ElemRef):
            # room := h.rooms[name]; delete(room, m)
            named = [target for target, _ in flows.out.get(symbol.of, ()) if isinstance(target, Var)]
            for op in dict.fromkeys(op for one in (symbol.of, *named) for op in flows.used.get(one, ())):
                if op.kind == "delete" or (op.kind == "call" and _deletes(flows, op)):
                    yield op, "deleted"
            for op in flows.stores.get(symbol, ()):
                if not _is_key(flows, flow, op):
                    yield op, "replaced"
        elif isinstance(symbol, FieldRef):
            for op in flows.stores.get(symbol, ()):
                if not constructs(op):
                    yield op, "emptied" if text(op.values[0]) == "nil" else "replaced"


def _handed_on(flows: Flows, flow: Flow, drop: Op) -> bool:
    """Tell whether the object is returned, sent or handed on after it was dropped: then somebody still has it."""
    behind = reachable([drop.step]) | {drop.step}
    for op in drop.func.ops:
        if drop.kind != "assign" and op.kind in _HANDS_ON and op.step in behind and op is not drop:
            symbols = [flows.package.symbol(value, op.func, op.file) for value in op.values]
            if any(isinstance(one, Var) and one in flow.symbols for one in symbols):
                return True
    return False


def _is_key(flows: Flows, flow: Flow, op: Op) -> bool:
    """Tell whether the object is the key that it is stored under: another object has another key."""
    target = op.target
    key = target.child_by_field_name("index") if target is not None and target.type == "index_expression" else None
    return key is not None and flows.package.symbol(key, op.func, op.file) in flow.symbols


def constructs(op: Op) -> bool:
    """Tell whether a field is given its first value: that of an object which this function has just made."""
    target = op.target
    operand = target.child_by_field_name("operand") if target is not None else None
    if operand is not None and operand.type == "index_expression":  # lines[at].timer = t, behind an append to lines
        whole = op.func.package.symbol(operand.child_by_field_name("operand"), op.func, op.file)
        grown = [one for one in op.func.ops if one.kind == "append" and one.line <= op.line]
        return any(op.func.package.symbol(one.target, one.func, one.file) == whole for one in grown)
    if operand is None or operand.type != "identifier":
        return False
    var = op.func.package.var(operand, op.file)
    if var is None or var.value is None or var.kind not in ("local",):
        return False
    made = text(var.value).lstrip("&")
    return made.startswith("new(") or (var.value.type in ("unary_expression", "composite_literal") and "{" in made)


def _deletes(flows: Flows, op: Op) -> bool:
    """Tell whether a call deletes from a sync.Map."""
    target = op.target
    if target is None or text(target.child_by_field_name("field")) not in ("Delete", "LoadAndDelete"):
        return False
    return flows.package.is_sync_map(target.child_by_field_name("operand"), op.func, op.file)
