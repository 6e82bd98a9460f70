"""One WaitGroup of a package: who counts up, who counts off, who waits, and whether somebody unread may count it off.

Comes in: the flow of a WaitGroup and a call of Wait. Goes out: a `Group`.
"""

from collections.abc import Callable
from functools import cached_property

from msgspec import Struct

from oakum.explain.code import kinds
from oakum.explain.code.calls import method, nodes, on, operand, root
from oakum.explain.code.flows import Flow, Flows
from oakum.explain.code.nouns import FieldRef, Func, Op, Step, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import meeting, touching
from oakum.explain.code.syntax import text


class Group(Struct, eq=False, dict=True):
    """One WaitGroup: what is done to it in its package."""

    package: Package
    flow: Flow
    wait: Op
    adds: list[Op]
    dones: list[Op]
    escapes: bool  # somebody who was not read may count it off

    @property
    def name(self) -> str:
        return text(operand(self.wait))

    @cached_property
    def meets(self) -> Callable[[Step], bool]:
        meets, funcs = meeting(self.package, self.dones), touching(self.package, self.dones)

        def counts_off(step: Step) -> bool:
            return meets(step) or any(
                func in funcs
                for op in step.ops
                if op.kind == "call"
                for value in op.values
                if value.type in ("identifier", "selector_expression")  # pool.Submit(n.run)
                for func in self.package.called(value, op.func, op.file)
            )

        return counts_off

    @property
    def copies(self) -> list[Op]:
        """Return the counting off that hits a copy: of a parameter or a receiver that is no pointer."""
        return [op for op in self.dones if copied(op, self.package) is not None]


def group_of(flows: Flows, flow: Flow, wait: Op) -> Group:
    calls = flows.ops(flow, "call")
    adds = [op for op in calls if method(op) == "Add" and not text(op.values[0] if op.values else None).startswith("-")]
    off = [op for op in calls if method(op) == "Add" and op not in adds]
    dones = [op for op in calls if method(op) == "Done"] + off
    escapes = bool(flow.foreign) or any(_handed(flow, func, flows.package) for func in flows.package.all)
    return Group(flows.package, flow, wait, adds, dones, escapes)


def _handed(flow: Flow, func: Func, package: Package) -> bool:
    """Tell whether a function hands `wg.Done` itself to somebody, who calls it when he likes."""
    if func.parent is not None or b"Done" not in (func.node.text or b""):
        return False
    called = {op.target.start_byte for op in func.everything() if op.target is not None and op.kind == "call"}
    for node in nodes(func.node, "selector_expression"):
        if text(node.child_by_field_name("field")) != "Done" or node.start_byte in called:
            continue
        if package.symbol(node.child_by_field_name("operand"), func, func.file) in flow.symbols:
            return True
    return False


def copied(done: Op, package: Package) -> Func | None:
    """Return the function whose parameter or receiver is a copy of the WaitGroup."""
    base = root(operand(done), package, done.file)
    if not isinstance(base, Var) or base.func is None or base.kind not in ("param", "receiver"):
        return None
    if base.kind == "param":
        return base.func if base.type == "sync.WaitGroup" else None
    symbol = on(done)
    if not isinstance(symbol, FieldRef) or base.type.startswith("*") or kinds.base(base.type) != symbol.type:
        return None
    return base.func if package.fields.get(symbol.type, {}).get(symbol.name) == "sync.WaitGroup" else None
