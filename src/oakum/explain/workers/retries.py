"""Does this retry ever give up? A loop that tries again by the clock until it succeeds, on a context that never ends.

Comes in: a goroutine in a select with a timer whose case leads to the next try. Goes out: where the context comes from
that nothing cancels, and the limit that is left at zero. Abstains where anything counts the tries, looks at the time,
or asks what is not known here.
"""

from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import at, nodes, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import CallRef, FieldRef, Func, Op, Step, Symbol, Var
from oakum.explain.code.paths import leaves_without, reachable, reached_without
from oakum.explain.code.syntax import bare, operator, text
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.values import called, elements
from oakum.explain.workers.endings import is_timer, loop_around, select_of
from oakum.explain.workers.starting import once
from oakum.model import Text

_ENDLESS = frozenset({"context.Background", "context.TODO", "context.WithoutCancel"})
_LITERALS_MOST = 2  # places that leave the limit at zero: of more, nobody can say which


def reason(scene: StackInSource) -> Reason | None:
    """Return why a retry goes on for ever."""
    spot = scene.blocked
    chosen = select_of(spot) if spot is not None and scene.state.startswith("select") else None
    if spot is None or chosen is None or spot.frame.owner != "own":
        return None
    flows = scene.flows(spot)
    head = loop_around(spot.func, chosen)
    cases = [op for op in spot.func.ops if op.select == chosen.node]
    again = [op for op in cases if op.kind == "receive" and is_timer(op, flows) and head in reachable([op.step])]
    if head is None or not again or len(cases) > 1 + len(again) or (scene.start and once(scene.program, scene.start)):
        return None
    heard = [op for op in cases if op not in again]
    ended = _never(scene, flows, heard[0]) if heard else None
    if heard and ended is None:
        return None
    limits = list(_limits(spot.func, head, flows))
    zero = [field for field in limits if field is not None]
    if None in limits or not all(_unset(flows, field) for field in zero):
        return None
    return _build_reason(scene, head, heard, ended, [op for field in zero for op in _literals(flows, field)])


def _never(scene: StackInSource, flows: Flows, op: Op) -> Op | None:
    """Return where a context comes from that nothing ends, whoever gave it."""
    target = bare(op.target) if op.target is not None else None
    function = target.child_by_field_name("function") if target is not None else None
    if function is None or text(function.child_by_field_name("field")) != "Done":
        return None
    symbol = flows.package.symbol(function.child_by_field_name("operand"), op.func, op.file)
    start = scene.start
    if (
        isinstance(symbol, Var)
        and symbol in op.func.top.params
        and start is not None
        and start.func.package is flows.package
    ):
        number = op.func.top.params.index(symbol)
        given = start.values[number] if number < len(start.values) else None
        by = _assigned(given, start) if given is not None else None
        if by is not None:
            return by if called(bare(by.values[0]), by.func, by.file, flows.package) in _ENDLESS else None
    before = flows.origins(symbol, scene.known) if symbol is not None else set()
    if not all(flows.into.get(one) or one in scene.known or _endless(one) for one in before):
        return None
    return next((by for one in before for source, by in flows.into.get(one, ()) if _endless(source)), None)


def _assigned(node: Node, use: Op) -> Op | None:
    """Return the last assignment that a variable has had on every way to where it is used."""
    var = use.func.package.var(bare(node), use.file) if bare(node).type == "identifier" else None
    found: Op | None = None
    for op in use.func.ops:
        target = op.target if op.kind == "assign" and not op.index else None
        if var is None or target is None or use.func.package.var(target, op.file) is not var:
            continue
        at_op = op.step
        if not reached_without(use.func, use.step, lambda step, at_op=at_op: step is at_op):  # type: ignore[misc]
            found = op
    return found


def _endless(symbol: Symbol) -> bool:
    return isinstance(symbol, CallRef) and symbol.of is None and symbol.name in _ENDLESS


# What ends the tries


def _limits(func: Func, head: Step, flows: Flows) -> Iterator[FieldRef | None]:
    """Yield the fields that limit the tries where they are not zero; None for whatever else may end them."""
    for leave in leaves_without([head], lambda _: False):
        case = leave.case
        if case is None or case.kind != "if":
            if case is None or not any(op.select is not None for op in case.ops):
                yield None
            continue
        condition = case.node.child_by_field_name("condition")
        if condition is None:
            yield None
        elif not _asks_error(condition, func, flows):
            yield _limit(condition, func, flows)


def _asks_error(condition: Node, func: Func, flows: Flows) -> bool:
    """Tell whether a condition only looks at how a try went: `err == nil`, `errors.Is(err, ErrGone)`."""
    names = [node for node in nodes(condition, "identifier") if flows.package.var(node, func.file) is not None]
    errors = [node for node in names if flows.package.type_of(node, func, func.file) == "error" or text(node) == "err"]
    return bool(names) and len(errors) == len(names)


def _limit(condition: Node, func: Func, flows: Flows) -> FieldRef | None:
    """Return the field of `f > 0 && n >= f`: zero stands for no limit. Also where a method returns such a condition."""
    node = bare(condition)
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        callees = flows.package.called(function, func, func.file) if function is not None else []
        given = [op for callee in callees for op in callee.ops if op.kind == "return" and len(op.values) == 1]
        return _limit(given[0].values[0], given[0].func, flows) if len(given) == 1 else None
    if node.type != "binary_expression" or operator(node) != "&&":
        return None
    for side in (node.child_by_field_name("left"), node.child_by_field_name("right")):
        positive = bare(side) if side is not None else None
        if positive is None or operator(positive) not in (">", "!=") or positive.type != "binary_expression":
            continue
        field = flows.package.symbol(positive.child_by_field_name("left"), func, func.file)
        if isinstance(field, FieldRef) and text(positive.child_by_field_name("right")) == "0":
            return field
    return None


def _unset(flows: Flows, field: FieldRef) -> bool:
    """Tell whether a limit is zero wherever such an object is made, and nothing sets it afterwards."""
    made = _literals(flows, field)
    if not 0 < len(made) <= _LITERALS_MOST or flows.stores.get(field):
        return False
    names = [name for op in made for name, _ in elements(op, flows.package)]
    return field.name not in names


def _literals(flows: Flows, field: FieldRef) -> list[Op]:
    return [
        op
        for func in flows.package.all
        for op in func.ops
        if op.kind == "composite" and kinds.base(text(op.target)) == field.type
    ]


def _build_reason(scene: StackInSource, head: Step, heard: list[Op], ended: Op | None, made: list[Op]) -> Reason:
    func = head.func
    told = [Text("cause.retry", {"function": func.full, "place": at(func, head.line)})]
    sites = []
    for op in made:
        told.append(Text("cause.retry.unlimited", {"place": place(op), "type": text(op.target), "code": op.code}))
        sites.append(op.func.site("never-stopped", op.line))
    if ended is not None:
        name = text(heard[0].target)
        told.append(Text("cause.retry.context", {"name": name, "place": place(ended), "code": ended.code}))
        sites.append(ended.func.site("never-stopped", ended.line))
    if not sites:
        sites.append(func.site("never-stopped", head.line))
    if scene.start is not None and scene.created is not None and scene.created.frame.owner == "own":
        sites.append(scene.start.func.site("started", scene.start.line))
    return Reason("unstopped-worker", tuple(told), distinct(sites))
