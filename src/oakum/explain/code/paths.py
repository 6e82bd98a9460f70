"""Ways through a function: which exits are reached without passing certain steps, and what is passed on the way.

Comes in: steps of a read function. Goes out: exits, each with one shortest way to it. Both branches of a condition
count as possible, except where a check of the error that a call just returned says that there is nothing to release.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct

from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.package import Package, within
from oakum.explain.code.syntax import text


class Leave(Struct, frozen=True):
    """An exit, and the steps that lead to it."""

    step: Step
    way: tuple[Step, ...]

    @property
    def case(self) -> Step | None:
        """Return the innermost case or condition that the way takes before it leaves."""
        chosen = [step for step in self.way if step.kind == "case" or step in self.step.cases]
        return chosen[-1] if chosen else None


def leaves_without(
    start: Iterable[Step],
    meets: Callable[[Step], bool],
    skip: Callable[[Step, str], bool] = lambda _step, _how: False,
    head: Step | None = None,
) -> list[Leave]:
    """Return the exits that are reached behind the steps `start` without a step that `meets`.

    `skip(step, how)` tells which branches do not count: those that only an error of the acquiring call takes. With the
    `head` of a loop, what leads to its next round is an exit, too.
    """
    begin = list(start)
    before: dict[Step, Step | None] = dict.fromkeys(begin)
    todo, found = begin, []
    while todo:
        reached = []
        for step in todo:
            if step.leaves and before[step] is not None:
                found.append(step)
            for after, how in step.after:
                if after is head and not skip(step, how):
                    found.append(step)
                elif after not in before and not skip(step, how):
                    if meets(after):
                        continue
                    before[after] = step
                    reached.append(after)
        todo = reached
    return [Leave(step, _way(step, before)) for step in found]


def _way(step: Step, before: dict[Step, Step | None]) -> tuple[Step, ...]:
    way: list[Step] = []
    at: Step | None = step
    while at is not None:
        way.append(at)
        at = before[at]
    return tuple(reversed(way))


def reachable(start: Iterable[Step], stops: Callable[[Step], bool] = lambda _step: False) -> set[Step]:
    """Return the steps behind these, up to those that `stops`."""
    seen: set[Step] = set()
    todo = list(start)
    while todo:
        for after, _ in todo.pop().after:
            if after not in seen and not stops(after):
                seen.add(after)
                todo.append(after)
    return seen


def reached_without(
    func: Func,
    step: Step,
    meets: Callable[[Step], bool],
    skip: Callable[[Step, str], bool] = lambda _step, _how: False,
) -> bool:
    """Tell whether a step can be reached from the function's beginning without one that `meets` before it."""
    todo = [func.entry] if func.entry is not None else []
    seen = set(todo)
    while todo:
        one = todo.pop()
        if one is step:
            return True
        for after, how in one.after:
            if after not in seen and not skip(one, how) and (after is step or not meets(after)):
                seen.add(after)
                todo.append(after)
    return False


def touching(package: Package, ops: Iterable[Op], depth: int = 6) -> set[Func]:
    """Return the functions that do one of the operations, themselves or through what they call, start or defer."""
    found = {op.func for op in ops}
    edge = set(found)
    for _ in range(depth):
        callers = {call.func for func in edge for call in package.callers.get(func, ())}
        # A literal handed to somebody (once.Do, errgroup.Go) is run by whoever got it.
        callers |= {func.parent for func in edge if func.parent is not None and func.use is not None}
        edge = callers - found
        if not edge:
            break
        found |= edge
    return found


def meeting(package: Package, ops: Iterable[Op]) -> Callable[[Step], bool]:
    """Return whether a step does one of the operations, or calls, starts or defers a function that does."""
    wanted = list(ops)
    direct = {id(op) for op in wanted}
    funcs = touching(package, wanted)

    def meets(step: Step) -> bool:
        for op in step.ops:
            if id(op) in direct:
                return True
            if op.kind in ("call", "go", "defer") and any(callee in funcs for callee in package.callees(op)):
                return True
            if op.kind == "literal" and op.callee is not None and any(one in funcs for one in within(op.callee)):
                return True
        return False

    return meets


def after_error(acquire: Op, package: Package) -> Callable[[Step, str], bool]:
    """Return which branches only an error of the acquiring call takes: there is nothing to release then.

    `resp, err := client.Do(req); if err != nil { return }`: until err is given another value, the `then` branch of
    `err != nil` and the `else` branch of `err == nil` do not count.
    """
    errors = {
        text(op.target)
        for op in acquire.step.ops
        if op.kind == "assign" and op.target is not None and _value(op) == _span(acquire)
        if op.index or text(op.target).lower().endswith("err")  # alone: err := sem.Acquire(ctx, 1)
    }

    def skip(step: Step, how: str) -> bool:
        if step.kind != "if":
            return False
        condition = text(step.node.child_by_field_name("condition"))
        for name in errors:
            if how == "then" and condition in (f"{name} != nil", f"!{name}"):
                return not _renewed(name, acquire, step, package)
            if how == "else" and condition in (f"{name} == nil", name):
                return not _renewed(name, acquire, step, package)
        return False

    return skip


def _value(op: Op) -> tuple[int, int]:
    return (op.values[0].start_byte, op.values[0].end_byte)


def _span(op: Op) -> tuple[int, int]:
    return (op.node.start_byte, op.node.end_byte)


def _renewed(name: str, acquire: Op, step: Step, package: Package) -> bool:
    """Tell whether the error was given another value between the call and its check."""
    del package
    stores = [op for op in acquire.func.ops if op.kind == "assign" and op.target is not None]
    near = [op for op in stores if text(op.target) == name and acquire.line < op.line <= step.line]
    behind = reachable([acquire.step]) if near else set()
    return any(op.step in behind and (op.step is step or step in reachable([op.step])) for op in near)


def not_found(func: Func) -> Callable[[Step, str], bool]:
    """Return which branches are taken only when there is nothing to do: no such key in the map, the channel is closed.

    `req, ok := d.pending[ref]`: the branch of `!ok` has no request that anybody waits for.
    """
    names = {
        text(op.target)
        for op in func.ops
        if op.kind == "assign" and op.index == 1 and op.target is not None and _looks_up(op)
    }

    def skip(step: Step, how: str) -> bool:
        if step.kind != "if":
            return False
        condition = text(step.node.child_by_field_name("condition"))
        return any(
            (how == "then" and condition == f"!{name}") or (how == "else" and condition == name) for name in names
        )

    return skip


def _looks_up(op: Op) -> bool:
    value = op.values[0]
    if value.type in ("index_expression", "type_assertion_expression", "unary_expression"):
        return True
    return value.type == "call_expression" and text(op.target) == "ok"
