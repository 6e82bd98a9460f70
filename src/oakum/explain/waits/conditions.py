"""What a waiter in a condition variable waits for, and who changes it: conditions as wishes, statements as changes.

Comes in: the call of Wait, a package. Goes out: `Wish`es (this variable has to grow, to become true ...) and `Change`s
that may grant one. Only what stands in the package's own text; what it cannot tell is `any`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from oakum.explain.code.calls import method, operand, root
from oakum.explain.code.nouns import ElemRef, Func, Op, Step, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import bare, operator, text

_SIZES = frozenset({"len", "cap", "Len", "Size", "Count", "Length"})
_TURNED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_NUMBERS = frozenset("int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64".split())
_DEEPEST = 3


class Wish(NamedTuple):
    """A variable, and how it has to change before the waiter goes on."""

    symbol: Symbol
    how: str  # up | down | true | false | set | nil | any


class Change(NamedTuple):
    """A statement that changes a variable."""

    symbol: Symbol
    how: str
    step: Step
    func: Func
    line: int
    fresh: bool  # of an object that nobody else has yet

    def grants(self, wish: Wish) -> bool:
        """Tell whether it may be what a waiter waits for."""
        if self.symbol != wish.symbol:
            return False
        if "any" in (self.how, wish.how):
            return True
        return self.how == wish.how or (wish.how == "set" and self.how in ("true", "up"))


# CaptureOptions


def asked(wait: Op) -> list[tuple[Node, bool]]:
    """Return the conditions around a Wait, each with the value that lets the waiter go on."""
    found: list[tuple[Node, bool]] = []
    step = wait.step
    for case in reversed(step.cases):  # `if idle() { c.Wait() }` in a loop of its own round
        condition = case.node.child_by_field_name("condition") if case.kind == "if" else None
        if condition is not None and case.loops == step.loops:
            found.append((condition, False))
    if step.loops:
        loop = step.loops[-1]
        head = next((child for child in loop.named_children if child.type not in ("block", "comment")), None)
        condition = head.child_by_field_name("condition") if head is not None and head.type == "for_clause" else head
        if condition is not None and condition.type != "range_clause":
            found.append((condition, False))
        for one in wait.func.steps:
            near = one.kind == "if" and one.loops == step.loops and one.line < wait.line and one not in step.cases
            if near and not step.cases[len(one.cases) :] and _leaves(one, loop):
                condition = one.node.child_by_field_name("condition")
                if condition is not None:
                    found.append((condition, True))
    return found


def _leaves(branch: Step, loop: Node) -> bool:
    """Tell whether the branch of an if leaves the loop."""
    seen: set[Step] = set()
    todo = [after for after, how in branch.after if how == "then"]
    while todo:
        step = todo.pop()
        if step in seen:
            continue
        seen.add(step)
        if step.leaves or (loop not in step.loops and step.node != loop):
            return True
        if branch in step.cases:
            todo += [after for after, _ in step.after]
    return False


def wishes(wait: Op) -> list[Wish]:
    """Return how the variables in the conditions around a Wait have to change."""
    found: list[Wish] = []
    for node, value in asked(wait):
        found += _wishes(node, value, wait.func, 0)
    return list(dict.fromkeys(wish for wish in found if not _passing(wish.symbol, wait.func)))


def _passing(symbol: Symbol, func: Func) -> bool:
    """Tell whether a variable is of a function that the condition calls: nobody else changes it."""
    around: Func | None = func
    while isinstance(symbol, Var) and symbol.kind != "global" and around is not None:
        if symbol.func is around:
            return False
        around = around.parent
    return isinstance(symbol, Var) and symbol.kind != "global"


def _wishes(node: Node, value: bool, func: Func, depth: int) -> Iterator[Wish]:
    node = bare(node)
    if depth > _DEEPEST * 4:
        return
    if node.type == "unary_expression" and operator(node) == "!":
        inner = node.child_by_field_name("operand")
        if inner is not None:
            yield from _wishes(inner, not value, func, depth + 1)
    elif node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        sign = operator(node)
        if sign in ("&&", "||"):
            yield from _wishes(left, value, func, depth + 1)
            yield from _wishes(right, value, func, depth + 1)
        elif sign in _TURNED:
            sign = sign if value else _TURNED[sign]
            yield from _compared(left, sign, right, func)
            yield from _compared(right, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(sign, sign), left, func)
    elif node.type == "call_expression":
        yield from _called(node, value, func, depth)
    else:
        symbol = func.package.symbol(node, func, func.file)
        if symbol is not None:
            yield Wish(symbol, "true" if value else "false")


def _compared(node: Node, sign: str, other: Node, func: Func) -> Iterator[Wish]:
    """Yield what has to happen to one side of a comparison so that it becomes true."""
    node, written = _number(node), text(other)
    sized = node.type == "call_expression"
    if sized:
        function = node.child_by_field_name("function")
        name = text(function)
        given = node.child_by_field_name("arguments")
        if function is not None and function.type == "selector_expression":
            name = text(function.child_by_field_name("field"))
            inner = function.child_by_field_name("operand")
        else:
            inner = given.named_children[0] if given is not None and given.named_children else None
        if name not in _SIZES or inner is None:
            return
        node = inner
    symbol = func.package.symbol(node, func, func.file)
    if symbol is None:
        return
    if sign in (">", ">="):
        yield Wish(symbol, "up")
    elif sign in ("<", "<="):
        yield Wish(symbol, "down")
    elif written in ("true", "false"):
        yield Wish(symbol, written if sign == "==" else "false" if written == "true" else "true")
    elif written == "nil":
        yield Wish(symbol, "nil" if sign == "==" else "set")
    elif written == "0":
        yield Wish(symbol, "down" if sign == "==" else "up" if sized else "any")
    else:
        yield Wish(symbol, "any")


def _number(node: Node) -> Node:
    """Return an expression without conversions to a number: `int64(len(c.streams))`."""
    node = bare(node)
    while node.type in ("call_expression", "type_conversion_expression"):
        given = node.child_by_field_name("arguments")
        if text(node.child_by_field_name("function")) not in _NUMBERS or given is None or not given.named_children:
            break
        node = bare(given.named_children[0])
    return node


def _called(node: Node, value: bool, func: Func, depth: int) -> Iterator[Wish]:
    """Yield the wishes of a condition that is a method of the package: `for !q.ready()`; `flag.Load()`."""
    function = node.child_by_field_name("function")
    if function is None:
        return
    for callee in func.package.called(function, func, func.file)[:1]:
        func.package.read(callee)
        for op in callee.ops:
            if op.kind == "return" and len(op.values) == 1:
                yield from _wishes(op.values[0], value, callee, depth + 4)
        return
    if function.type == "selector_expression" and text(function.child_by_field_name("field")) == "Load":
        symbol = func.package.symbol(function.child_by_field_name("operand"), func, func.file)
        if symbol is not None:
            yield Wish(symbol, "true" if value else "false")


# Changes


def changes(package: Package) -> Iterator[Change]:
    """Yield every statement of the package that changes a variable or field."""
    for func in package.all:
        for step in func.steps:
            if step.node.type in ("inc_statement", "dec_statement") and step.node.named_children:
                how = "up" if step.node.type == "inc_statement" else "down"
                yield from _change(package, func, step, step.node.named_children[0], how, step.line)
        for op in func.ops:
            if op.kind == "assign" and op.target is not None:
                yield from _change(package, func, op.step, op.target, _assigned(op), op.line)
            elif op.kind == "delete" and op.target is not None:
                yield from _change(package, func, op.step, op.target, "down", op.line)
            elif op.kind == "call" and method(op) in ("Store", "PushBack", "PushFront") and operand(op) is not None:
                given = text(op.values[0]) if op.values else ""
                how = "up" if method(op) != "Store" else given if given in ("true", "false") else "any"
                yield from _change(package, func, op.step, operand(op), how, op.line)


def _change(package: Package, func: Func, step: Step, node: Node | None, how: str, number: int) -> Iterator[Change]:
    symbol = package.symbol(node, func, func.file)
    if isinstance(symbol, ElemRef):  # m[key] = value; s[i] = value changes no length
        over = node.child_by_field_name("operand") if node is not None else None
        if not package.resolved(package.type_of(over, func, func.file)).startswith("map["):
            return
        symbol, how = symbol.of, "up"
    if symbol is None or (isinstance(symbol, Var) and symbol.kind == "local" and how == "any"):
        return
    yield Change(symbol, how, step, func, number, _fresh(root(node, package, func.file)))


def _assigned(op: Op) -> str:
    sign = operator(op.node)
    if sign in ("+=", "-="):
        return "up" if sign == "+=" else "down"
    value = bare(op.values[0])
    written = text(value)
    if written in ("true", "false", "nil"):
        return written
    if written == "0" or value.type in ("slice_expression", "composite_literal") or written.startswith("make("):
        return "down"
    return "up" if written.startswith("append(") else "any"


def _fresh(var: Symbol | None) -> bool:
    """Tell whether a variable holds an object that its function has just made."""
    if not isinstance(var, Var) or var.kind != "local" or var.value is None:
        return False
    value = bare(var.value)
    return value.type == "composite_literal" or text(value).startswith("new(")
