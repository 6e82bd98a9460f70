"""What was acquired and is not released on some way: response bodies, rows, mapped memory.

Comes in: a package and a `Pair`: which calls acquire, which release, what only reads. Goes out: `Lost`s: the acquiring
call and the exits that are reached with it still held. What goes where it cannot be followed is nobody's loss.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from tree_sitter import Node

from oakum.explain.code.calls import method, nodes, operand
from oakum.explain.code.nouns import Func, Op, Step, Var
from oakum.explain.code.package import Package, within
from oakum.explain.code.paths import Leave, after_error, leaves_without
from oakum.explain.code.syntax import bare, text
from oakum.explain.values import called

_LIFTED = 4  # how many functions hand it up


class Pair(Struct, frozen=True):
    """How something is acquired and released."""

    acquires: Callable[[Op], int | None]  # which result of a call is the thing
    releases: Callable[[Op], Node | None]  # what a call releases
    reads: Callable[[Op], bool]  # a call of somebody else's code that keeps nothing
    part: Callable[[str, str], bool]  # (field, type): it is the thing, or holds it
    ends: Callable[[Op], Node | None] = lambda _: None  # what a call uses up to the end, after which nothing is held
    fails: Callable[[Op], bool] = lambda _: False  # a call whose error means that nothing is held any more
    drained: Callable[[Op], bool] = lambda _: False  # a loop over this call ends only when nothing is held any more


class Lost(Struct, frozen=True):
    """An acquisition, and the ways on which it is lost."""

    acquire: Op
    func: Func  # that loses it
    exits: tuple[Leave, ...]  # () when the result is thrown away at once
    handed: Op | None = None  # the call that handed it to `func`, which was to hand it back
    used: tuple[Step, ...] = ()  # the last use on the way to each exit


class Acquisitions:
    """Everything of one kind that a package acquires."""

    def __init__(self, package: Package, pair: Pair) -> None:
        self.package, self.pair = package, pair
        self._given: dict[Func, int | None] = {}

    def all(self) -> Iterator[tuple[Op, int]]:
        """Yield the calls that acquire: of other packages, or of a function here that returns what it acquired."""
        for func in self.package.all:
            for op in func.ops:
                if op.kind == "call" and (index := self.index(op)) is not None:
                    yield op, index

    def index(self, op: Op, depth: int = 0) -> int | None:
        """Return which result of a call is acquired by it."""
        index = self.pair.acquires(op)
        if index is not None or depth > _LIFTED:
            return index
        for callee in self.package.callees(op):
            if callee not in self._given:
                self._given[callee] = None
                self._given[callee] = self._returned(callee, depth)
            if self._given[callee] is not None:
                return self._given[callee]
        return None

    def _returned(self, func: Func, depth: int) -> int | None:
        """Return which result of a function is something that it acquired."""
        for op in func.ops:
            if op.kind == "call" and op.inside is None and (index := self.index(op, depth + 1)) is not None:
                if op.step.kind == "return":
                    return index
                holders = Holders(self, func, op, index)
                for out in func.ops:
                    for at, value in enumerate(out.values if out.kind == "return" else ()):
                        if holders.holds(value):
                            return at
        return None

    def lost(self) -> Iterator[Lost]:
        for op, index in self.all():
            found = self._lost(op, index)
            if found is not None:
                yield found

    def loss(self, op: Op) -> Lost | None:
        """Return how the function that makes one call loses what it acquires."""
        index = self.index(op)
        return self._lost(op, index) if index is not None else None

    def _lost(self, op: Op, index: int) -> Lost | None:
        if op.inside is not None:
            return None
        targets = [one for one in op.step.ops if one.kind == "assign" and one.values[0] == op.node]
        if not targets:
            return Lost(op, op.func, ()) if op.step.node.type == "expression_statement" and _alone(op) else None
        target = next((one.target for one in targets if one.index == index), None)
        if target is None or target.type != "identifier":
            return None
        if text(target) == "_":
            return Lost(op, op.func, ())
        var = self.package.var(target, op.file)
        if var is None or var.func is not op.func:  # kept in a variable of the function around
            return None
        holders = Holders(self, op.func, op, index)
        if any(text(node).startswith("&") and holders.holds(node) for node in nodes(op.func.node, "unary_expression")):
            return None  # whoever has its address may keep it
        skips = after_error(op, self.package)

        def skip(step: Step, how: str) -> bool:
            return (
                skips(step, how)
                or holders.nothing(step, how)
                or holders.failed(step, how)
                or holders.drained(step, how)
            )

        exits = leaves_without([op.step], holders.settles, skip)
        exits = [one for one in exits if one.step.kind != "panic"]
        if not exits:
            return None
        for call, callee, param in holders.handed:
            inner = self.lost_inside(callee, param)
            behind = [one for one in exits if call.step in one.way]
            if inner and len(behind) == len(exits):
                return Lost(op, callee, tuple(inner), call)
        used = tuple(holders.last_use(one) for one in exits)
        return Lost(op, op.func, tuple(exits), None, used)

    def lost_inside(self, callee: Func, param: Var) -> list[Leave]:
        """Return the exits of a function that neither release nor hand back what it was given."""
        holders = Holders(self, callee, None, 0, param)
        if callee.entry is None:
            return []
        exits = leaves_without([callee.entry], holders.settles, holders.failed)
        return [one for one in exits if one.step.kind != "panic"]


def _alone(op: Op) -> bool:
    return any(child == op.node for child in op.step.node.named_children)


class Holders:
    """The names by which one acquired thing is known in a function, and which steps settle it."""

    def __init__(
        self, all_: Acquisitions, func: Func, acquire: Op | None, index: int, param: Var | None = None
    ) -> None:
        self.all, self.func, self.package, self.pair = all_, func, all_.package, all_.pair
        self.acquire = acquire
        self.vars: set[Var] = {param} if param is not None else set()
        self.handed: list[tuple[Op, Func, Var]] = []
        self.failing: set[str] = set()  # errors that mean that nothing is held any more
        if acquire is not None:
            self._take(acquire.node, index, acquire.step.ops)
        for _ in range(4):
            before = len(self.vars)
            for op in func.everything():
                self._grow(op)
            if len(self.vars) == before:
                break

    def _take(self, call: Node, index: int, ops: list[Op]) -> None:
        for op in ops:
            if op.kind == "assign" and op.values[0] == call and op.index == index and op.target is not None:
                var = self.package.var(op.target, op.file) if op.target.type == "identifier" else None
                if var is not None and var.kind != "global":
                    self.vars.add(var)

    def _grow(self, op: Op) -> None:
        if op.kind == "assign" and op.target is not None:
            var = self.package.var(op.target, op.file) if op.target.type == "identifier" else None
            if var is not None and var.kind != "global" and not op.index and self.holds(op.values[0]):
                self.vars.add(var)
        elif op.kind == "call":
            if self.pair.fails(op) and any(self.holds(value) for value in op.values):
                self.failing |= {
                    text(one.target)
                    for one in op.step.ops
                    if one.kind == "assign" and one.target is not None and one.index and one.values[0] == op.node
                }
            for callee, param in self._parameters(op):
                at = _handed_back(self.all, callee, param)
                if at is not None:
                    self._take(op.node, at, op.step.ops)
                    if not any(known is op for known, _, _ in self.handed):
                        self.handed.append((op, callee, param))

    def _parameters(self, op: Op) -> Iterator[tuple[Func, Var]]:
        for callee in self.package.callees(op):
            for param, value in zip(callee.params, op.values, strict=False):
                if self.holds(value):
                    yield callee, param
            on = operand(op)
            if callee.this is not None and on is not None and callee.receiver and self.holds(on):
                yield callee, callee.this

    def holds(self, node: Node | None, depth: int = 0) -> bool:
        """Tell whether an expression is the thing, or something made of it that keeps it."""
        if node is None or depth > 8:
            return False
        node = bare(node)
        if node.type == "identifier":
            return self.package.var(node, self.func.file) in self.vars
        if node.type == "selector_expression":
            on, name = node.child_by_field_name("operand"), text(node.child_by_field_name("field"))
            if not self.holds(on, depth + 1):
                return False
            return self.pair.part(name, self.package.type_of(node, self.func, self.func.file))
        if node.type in ("slice_expression", "type_assertion_expression"):
            return self.holds(node.child_by_field_name("operand"), depth + 1)
        if node.type == "composite_literal":
            body = node.child_by_field_name("body")
            for element in body.named_children if body is not None else ():
                value = element.child_by_field_name("value") if element.type == "keyed_element" else element
                if value is not None and any(self.holds(one, depth + 1) for one in value.named_children):
                    return True
            return False
        if node.type == "call_expression":  # wrapped: newReader(resp.Body), io.NopCloser(resp.Body)
            function = node.child_by_field_name("function")
            if function is not None and text(function) in self.package.types:
                given = node.child_by_field_name("arguments")
                return given is not None and any(self.holds(one, depth + 1) for one in given.named_children)
        return False

    def settles(self, step: Step) -> bool:
        """Tell whether a step releases it, hands it on, or loses sight of it."""
        return any(self._settled(op) for op in step.ops)

    def _settled(self, op: Op) -> bool:
        if op.kind == "call":
            released = self.pair.releases(op) or self.pair.ends(op)
            if released is not None and self.holds(released):
                return True
            if op.node == (self.acquire.node if self.acquire is not None else None):
                return False
            if self._kept_by(op):
                return True
        if op.kind == "literal" and op.callee is not None:
            return self._in_literal(op.callee)
        if op.kind == "return":
            if not op.values and any(var in self.vars for var in op.func.named_results):
                return True
            return any(self._hands_up(value) for value in op.values)
        if op.kind == "assign" and op.target is not None:
            local = (
                op.target.type == "identifier"
                and (var := self.package.var(op.target, op.file))
                and var.kind != "global"
            )
            key = op.target.child_by_field_name("index") if op.target.type == "index_expression" else None
            return (not local and self.holds(op.values[0])) or self.holds(key)
        if op.kind in ("send", "append"):
            return any(self.holds(value) for value in op.values)
        return False

    def _hands_up(self, value: Node) -> bool:
        if self.holds(value):
            return True
        if value.type == "call_expression":  # return parse(resp.Body): judged as a call
            given = value.child_by_field_name("arguments")
            name = called(value, self.func, self.func.file, self.package)
            return (
                name == ""
                and given is not None
                and not self.package.called(value.child_by_field_name("function") or value, self.func, self.func.file)
                and any(self.holds(one) for one in given.named_children)
            )
        return False

    def _kept_by(self, op: Op) -> bool:
        """Tell whether a call releases it, or takes it where nobody sees."""
        callees = list(self._parameters(op))
        for callee, param in callees:
            inner = Holders(self.all, callee, None, 0, param) if callee is not self.func else None
            if inner is None or any(inner._settled(one) for one in callee.everything() if one.kind != "return"):
                return True
        given = any(self.holds(value) for value in op.values)
        known = bool(self.package.callees(op))
        return given and not known and not self.pair.reads(op)

    def _in_literal(self, literal: Func) -> bool:
        mentioned = any(self.package.var(node, literal.file) in self.vars for node in nodes(literal.node, "identifier"))
        if not mentioned:
            return False
        if any(self._settled(op) for one in within(literal) for op in one.ops if op.kind != "literal"):
            return True
        return literal.use is None or literal.use.kind not in ("call", "defer")

    def nothing(self, step: Step, how: str) -> bool:
        """Tell whether a branch is taken only when there is nothing: `if resp != nil`."""
        if step.kind != "if":
            return False
        condition = step.node.child_by_field_name("condition")
        if condition is None or condition.type != "binary_expression":
            return False
        left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
        sign = text(condition.child_by_field_name("operator"))
        if text(right) != "nil" or not self.holds(left):
            return False
        return (sign == "==" and how == "then") or (sign == "!=" and how == "else")

    def failed(self, step: Step, how: str) -> bool:
        """Tell whether a branch is taken only after an error that ends the thing by itself."""
        if step.kind != "if" or how != "then" or not self.failing:
            return False
        condition = text(step.node.child_by_field_name("condition"))
        return any(condition.startswith(f"{name} != nil") for name in self.failing)

    def drained(self, step: Step, how: str) -> bool:
        """Tell whether a branch is taken only when everything was read: the end of `for rows.Next()`."""
        if (step.kind, how) not in (("loop", "else"), ("if", "else")):
            return False
        return any(op.kind == "call" and self.pair.drained(op) and self.holds(operand(op)) for op in step.ops)

    def last_use(self, leave: Leave) -> Step:
        """Return the last step on the way that uses the thing; the exit itself when none does."""
        for step in reversed(leave.way[1:]):
            if step.kind in ("if", "loop", "switch", "select", "case", "entry", "end"):
                continue
            if any(self.package.var(node, self.func.file) in self.vars for node in nodes(step.node, "identifier")):
                return step
        return leave.step


def _handed_back(all_: Acquisitions, callee: Func, param: Var) -> int | None:
    """Return the result in which a function returns what it was given."""
    holders = Holders(all_, callee, None, 0, param)
    for op in callee.ops:
        for at, value in enumerate(op.values if op.kind == "return" else ()):
            if holders.holds(value):
                return at
    return None


def methods_named(op: Op, *names: str) -> Node | None:
    """Return what a method of one of these names is called on."""
    return operand(op) if op.kind == "call" and method(op) in names else None
