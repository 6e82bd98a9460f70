"""A callback that counts off, and that whoever was handed it does not call on some path.

Comes in: a WaitGroup, and the calls that are handed what does its Done. Goes out: the exits of the function called, or
of the one that the callback reaches through a field or a channel, that neither call it nor hand it on. None where the
caller makes up for it, or where code that was not read has it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import nodes, rounds_without
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import FieldRef, Func, Op, Step, Var
from oakum.explain.code.package import within
from oakum.explain.code.paths import leaves_without, reachable, touching
from oakum.explain.code.syntax import text
from oakum.explain.waits.groups import Group

_USES = ("call", "go", "defer", "send", "composite", "assign", "append", "return", "literal")


class Dropped(NamedTuple):
    """Where a callback is neither called nor handed on."""

    call: Op  # hands it over
    func: Func  # has it then
    step: Step  # the exit, or what begins the next round


def dropped(group: Group, flows: Flows) -> Dropped | None:
    """Return where what does Done is dropped."""
    counting = touching(group.package, group.dones)
    for add in group.adds:
        near = reachable([add.step])
        for call in add.func.ops:
            if call.kind != "call" or call.step not in near or len(callees := group.package.callees(call)) != 1:
                continue
            for param, value in zip(callees[0].params, call.values, strict=False):
                if counting & set(_functions(value, call)) and not _made_up(group, call):
                    found = _drop(flows, callees[0], param)
                    if found is not None:
                        return Dropped(call, *found)
    return None


def _functions(value: Node, call: Op) -> Iterator[Func]:
    """Yield the functions that a value can be: a literal, a method, what a call returns."""
    package = call.func.package
    if value.type != "call_expression":
        yield from package.called(value, call.func, call.file)
        return
    for callee in package.called(value.child_by_field_name("function") or value, call.func, call.file):
        for op in callee.ops:
            for one in op.values if op.kind == "return" else ():
                yield from package.called(one, callee, callee.file)


def _made_up(group: Group, call: Op) -> bool:
    """Tell whether the caller sees what became of the callback: it counts off itself, or does not come to the Wait."""
    if call.step.node.type == "expression_statement":
        return False
    if any(op.func is call.func for op in group.dones) or group.wait.func is not call.func:
        return True
    waits = [step for step in call.func.steps if group.wait in step.ops]
    return bool(leaves_without([call.step], lambda step: step in waits))


def _drop(flows: Flows, func: Func, param: Var) -> tuple[Func, Step] | None:
    """Return where the function that is handed a callback, or one that takes it from there, drops it."""
    flow = flows.follow([param])
    fields = frozenset(one for one in flow.symbols if isinstance(one, FieldRef))
    held = _Held(func, {param}, {one.name for one in fields})
    if flow.foreign or func.entry is None or not any(map(held.used, func.steps)):
        return None
    for leave in leaves_without([func.entry], held.used, held.absent):
        if leave.step.kind != "panic":
            return func, leave.step
    for other in flows.package.all if fields else ():
        found = _drop_of_field(other, fields)
        if found is not None:
            return other, found
    return None


def _drop_of_field(func: Func, fields: frozenset[FieldRef]) -> Step | None:
    """Return where a loop over objects with the callback ends a round without it; None when it never calls one."""
    types = {one.type for one in fields}
    for op in func.ops:
        if op.kind != "range" or func.parent is not None or not op.values:
            continue
        var = func.package.var(op.values[-1], func.file)
        if var is None or kinds.base(func.package.type_of(op.values[-1], func, func.file)) not in types:
            continue
        held = _Held(func, {var}, {one.name for one in fields})
        if not any(held.used(step) for step in func.steps if op.step.node in step.loops):
            return None
        again, exits = rounds_without(op.step, held.used)
        wrong = [*again, *(one for one in exits if one.kind == "return")]
        return wrong[0] if wrong else None
    return None


class _Held:
    """What has a callback in a function: the callback itself, or objects with fields that hold it."""

    def __init__(self, func: Func, names: set[Var], fields: set[str]) -> None:
        self.func, self.vars, self.fields = func, names, fields
        self.packed: set[Step] = set()  # j := job{done: done}
        for op in func.ops:
            var = func.package.var(op.target, op.file) if op.kind == "assign" and op.target is not None else None
            if var is None or var.kind != "local" or op.target is None or op.target.type != "identifier":
                continue
            value = op.values[0]
            made = "composite_literal" in (value.type, *(one.type for one in value.named_children))
            if made and self._mentions(value):
                self.vars.add(var)
                self.packed.add(op.step)

    def used(self, step: Step) -> bool:
        """Tell whether a step calls the callback, or hands it or its object on."""
        if step in self.packed:
            return False
        return any(self._mentions(node) for op in step.ops if op.kind in _USES for node in _nodes(op))

    def _mentions(self, root: Node) -> bool:
        for node in nodes(root, "identifier"):
            if self.func.package.var(node, self.func.file) not in self.vars:
                continue
            up = node.parent
            if up is None or up.type != "selector_expression" or not self.fields:
                return True
            if text(up.child_by_field_name("field")) in self.fields:
                return True
        return False

    def absent(self, step: Step, how: str) -> bool:
        """Tell whether a branch is taken only where there is no callback: `if done != nil { ... }`."""
        condition = text(step.node.child_by_field_name("condition")) if step.kind == "if" else ""
        wanted = {"else": "!= nil", "then": "== nil"}.get(how)
        return wanted is not None and any(condition == f"{var.name} {wanted}" for var in self.vars)


def _nodes(op: Op) -> list[Node]:
    literal = [one.node for one in within(op.callee)] if op.kind == "literal" and op.callee is not None else []
    if op.kind == "composite":
        return [op.node]
    return [*op.values, *literal, *([op.target] if op.target is not None and op.kind != "assign" else [])]
