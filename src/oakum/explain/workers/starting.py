"""How often is this goroutine started? Once with the process, up to a bound, or again and again.

Comes in: the go statement, or the call that hands a function to somebody who starts it. Goes out: whether the code
starts a fixed number of them: whoever does so leaks nothing, however long they run. What is called by code that was
not read counts as repeated.
"""

from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import method, nodes, operand
from oakum.explain.code.nouns import Func, Op, Step, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import reachable
from oakum.explain.code.program import Program, ResolvedFrame
from oakum.explain.code.syntax import bare, operator, parts, text
from oakum.explain.reason import StackInSource
from oakum.model import Frame

_DEEPEST = 12  # callers above callers
_COMPARES = ("<", "<=", ">", ">=", "==", "!=")
_ADDS = ("Add", "AddInt32", "AddInt64", "AddUint32", "AddUint64", "Inc", "CompareAndSwap")


def handing(scene: StackInSource) -> Op | None:
    """Return the call that hands the worker to somebody who starts whatever he is given: g.Go(in.consume)."""
    created = scene.created
    if created is None or not _is_shared(created):
        return None
    spots = [spot for spot in scene.spots if spot is not None and spot.package is not created.package]
    spots = [spot for spot in spots if spot.frame.owner in ("own", "dependency")]
    if not spots:
        return None
    worker, package = spots[-1].func, spots[-1].package
    if worker.parent is not None:
        use = worker.use
        return use if use is not None and use.kind == "call" and use.callee is not worker else None
    for func in package.all:
        for op in func.ops:
            if op.kind == "call" and any(worker in _named(package, value, op) for value in op.values):
                return op
    return None


def starter(scene: StackInSource) -> Func | None:
    """Return the function that has such goroutines started, for which others may be called to account."""
    created, spot = scene.created, scene.nearest
    if created is None or spot is None:
        return None
    if not _is_shared(created) or created.package is spot.package:
        return created.func
    handed = handing(scene)
    return handed.func if handed is not None else None


def _is_shared(created: ResolvedFrame) -> bool:
    """Tell whether a function starts what it is given: errgroup.Go, WaitGroup.Go, pool.Submit."""
    package = created.package
    written = [package.resolved(param.type) for param in created.func.top.params]
    return created.frame.owner != "own" and any(kinds.base(one).startswith("func") for one in written)


def _named(package: Package, value: Node, op: Op) -> list[Func]:
    """Return the function that a name or a method value stands for."""
    value = bare(value)
    return package.called(value, op.func, op.file) if value.type in ("identifier", "selector_expression") else []


# A start below a bound


def bounded(start: Op) -> bool:
    """Tell whether a count decides if there is one more: `if p.n < most { p.n++; go p.worker() }`."""
    func = start.func
    for step in func.steps:
        condition = step.node.child_by_field_name("condition") if step.kind == "if" else None
        compared = set(_compared(condition)) if condition is not None else set()
        if compared and _decides(step, start.step) and compared & set(_counted(func)):
            return True
    return False


def _compared(condition: Node) -> Iterator[str]:
    """Yield what a condition compares with something: p.n, len(p.workers), p.n.Load() as p.n."""
    for node in nodes(condition, "binary_expression"):
        if operator(node) in _COMPARES:
            for side in (node.child_by_field_name("left"), node.child_by_field_name("right")):
                if side is not None:
                    yield text(bare(side)).removesuffix(".Load()")


def _counted(func: Func) -> Iterator[str]:
    """Yield what a function counts up: n++, n += 1, n.Add(1), and the lengths of what it adds to."""
    for node in nodes(func.node, "inc_statement", "assignment_statement"):
        if node.type == "inc_statement":
            yield text(node.named_children[0])
        elif text(node.child_by_field_name("operator")) == "+=":
            yield text(node.child_by_field_name("left"))
        for left in parts(node.child_by_field_name("left")):
            if left.type == "index_expression":  # p.workers[id] = w
                yield f"len({text(left.child_by_field_name('operand'))})"
    for op in func.ops:
        if op.kind == "append":
            yield f"len({text(op.target)})"
        elif op.kind == "call" and method(op) in _ADDS:
            yield text(operand(op))
            yield from (text(bare(value)) for value in op.values[:1])


def _decides(condition: Step, start: Step) -> bool:
    """Tell whether only one branch of a condition leads to a step."""
    ways = [
        start is after or start in reachable([after], lambda step: step is condition) for after, _ in condition.after
    ]
    return any(ways) and not all(ways)


# A start that happens once


def once(program: Program, start: Op) -> bool:
    """Tell whether a statement is run a fixed number of times: main or init leads to it, and no loop that goes on."""
    return _Once(program).op(start) is True


class _Once:
    """The way up from a statement to main. Each answer: yes, no, or None for what nobody runs."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.above: list[Func] = []

    def op(self, op: Op) -> bool | None:
        if any(lasts(node, op.func) for node in op.step.loops):
            return False
        return self.func(op.func)

    def func(self, func: Func) -> bool | None:
        """Return the answer for a function: for all that call it."""
        if func in self.above or len(self.above) > _DEEPEST:
            return False
        self.above.append(func)
        found = self._literal(func) if func.parent is not None else self._declared(func)
        self.above.pop()
        return found

    def _literal(self, func: Func) -> bool | None:
        use = func.use
        if use is None or use.kind not in ("go", "defer", "call"):
            return False
        if use.callee is func or method(use) in ("Go", "Do"):  # on the spot; wg.Go(func() {...}), once.Do(...)
            return self.op(use)
        return self._given(use, func)

    def _declared(self, func: Func) -> bool | None:
        if not func.receiver and func.name in ("main", "init"):
            return func.name == "init" or func.package.clause == "main"
        answers: list[bool | None] = []
        for op, value in self._uses(func):
            if op is None:
                return False
            answers.append(self._given(op, func) if value else self.op(op))
            if answers[-1] is False:
                return False
        if not answers:
            return False if func.receiver else None  # whoever has an interface may call a method
        return True if True in answers else None

    def _given(self, op: Op, func: Func) -> bool | None:
        """Return the answer for a function that is handed to an own one, which only calls it."""
        package = op.func.package
        callee = next(iter(package.callees(op)), None) or self._elsewhere(package, op)
        for number, value in enumerate(op.values):
            literal = op.file.literals.get(bare(value).start_byte)
            if literal is not func and func.name not in text(value).split("."):
                continue
            if callee is None or number >= len(callee.params) or not _only_calls(callee, callee.params[number]):
                return False
            return self.op(op)
        return False

    def _elsewhere(self, package: Package, op: Op) -> Func | None:
        """Return the function of another package that a call is of."""
        path = package.import_of(operand(op), op.file)
        if path is None:
            return None
        other = self.program.imported(path, Frame(f"{package.path}.init", op.file.source.name, 1))
        func = other.funcs.get(("", method(op))) if other is not None else None
        return other.read(func) if other is not None and func is not None else None

    def _uses(self, func: Func) -> Iterator[tuple[Op | None, bool]]:
        """Yield the calls of a function, and where it is used as a value; None where that is no argument of a call."""
        yield from self._within(func, func.package)
        if func.name[:1].isupper() and func.package.clause != "main":
            here = {file.source.name for file in func.package.files}
            for own in self.program.own(every=(f".{func.name}".encode(), _written(func.package))):
                if not any(file.source.name in here for file in own.files) and _imports(own, func.package):
                    yield from self._outside(func, own)

    def _within(self, func: Func, package: Package) -> Iterator[tuple[Op | None, bool]]:
        yield from ((op, False) for op in package.callers.get(func, ()))
        kind = "field_identifier" if func.receiver else "identifier"
        for file in package.files:
            if func.name.encode() not in file.source.data:
                continue
            for node in nodes(file.root, kind):
                if text(node) != func.name or (kind == "identifier" and package.var(node, file) is not None):
                    continue
                if _is_called(node) or _is_declared(node):
                    continue
                yield _argument_of(package, file.source.name, node), True

    def _outside(self, func: Func, own: Package) -> Iterator[tuple[Op | None, bool]]:
        for op in (op for one in own.all for op in one.ops if method(op) == func.bare and operand(op) is not None):
            if op.kind != "call" or op.inside is None:
                yield op, False
        for file in own.files:
            for node in nodes(file.root, "field_identifier"):
                if text(node) == func.name and not _is_called(node) and not _is_declared(node):
                    yield _argument_of(own, file.source.name, node), True


def lasts(loop: Node, func: Func) -> bool:
    """Tell whether a loop goes on until somebody ends it: not one that counts, nor one over a slice or a map."""
    head = next((one for one in loop.named_children if one.type not in ("block", "comment")), None)
    if head is None:
        return True
    if head.type == "for_clause":
        return not counts(head)
    if head.type == "range_clause":
        over = head.child_by_field_name("right")
        written = func.package.resolved(func.package.type_of(over, func, func.file))
        if len(parts(head.child_by_field_name("left"))) > 1 or (over is not None and over.type == "int_literal"):
            return False  # a channel gives one value
        return not written or kinds.is_channel(written)
    return True


def counts(head: Node) -> bool:
    """Tell whether a for clause counts towards a limit: `i := 0; i < n; i++`."""
    condition, update = head.child_by_field_name("condition"), head.child_by_field_name("update")
    if condition is None or update is None:
        return False
    moved = {text(node) for node in nodes(update, "identifier")}
    return any(
        text(bare(side)) in moved
        for node in nodes(condition, "binary_expression")
        if operator(node) in _COMPARES
        for side in (node.child_by_field_name("left"), node.child_by_field_name("right"))
        if side is not None
    )


def _only_calls(func: Func, param: Var) -> bool:
    """Tell whether a function does nothing with a parameter but call it, itself and not in a loop that goes on."""
    package = func.package
    package.read(func)
    calls = [
        op
        for op in func.ops
        if op.kind == "call" and op.target is not None and package.var(op.target, func.file) is param
    ]
    targets = {op.target.start_byte for op in calls if op.target is not None}
    body = func.node.child_by_field_name("body")
    used = [one for one in nodes(body, "identifier") if package.var(one, func.file) is param] if body else []
    return bool(calls) and not any(one.start_byte not in targets for one in used) and not any(
        lasts(node, func) for op in calls for node in op.step.loops
    )  # fmt: skip


def _whole(node: Node) -> Node:
    """Return a name with what it is selected from: in.consume."""
    return node.parent if node.parent is not None and node.parent.type == "selector_expression" else node


def _is_called(node: Node) -> bool:
    """Tell whether a name is what a call calls."""
    at = _whole(node)
    call = at.parent
    return call is not None and call.type == "call_expression" and call.child_by_field_name("function") == at


def _is_declared(node: Node) -> bool:
    """Tell whether a name is declared where it stands, as a function, a method, a field or a key."""
    parent = node.parent
    if parent is None or parent.type == "selector_expression":
        return False
    return node.type == "field_identifier" or parent.child_by_field_name("name") == node or _is_key(node)


def _is_key(node: Node) -> bool:
    element = node.parent
    keyed = element.parent if element is not None and element.type == "literal_element" else element
    return keyed is not None and keyed.type == "keyed_element" and keyed.child_by_field_name("key") in (node, element)


def _argument_of(package: Package, name: str, node: Node) -> Op | None:
    """Return the call that a name is handed to, itself or as a method value."""
    given = _whole(node).parent
    call = given.parent if given is not None and given.type == "argument_list" else None
    if call is None:
        return None
    for func in package.all:
        for op in func.ops:
            if op.kind == "call" and op.node == call and op.file.source.name == name:
                return op
    return None


def _written(package: Package) -> bytes:
    """Return the end of every import of a package."""
    name = package.files[0].source.name.replace("\\", "/") if package.files else ""
    return f'{name.rpartition("/")[0].rpartition("/")[2]}"'.encode()


def _imports(own: Package, package: Package) -> bool:
    """Tell whether a package imports another: by its path, or by its folder where only that is known."""
    folder = package.files[0].source.name.replace("\\", "/").rpartition("/")[0] if package.files else ""
    last = folder.rpartition("/")[2]
    return any(
        path == package.path or path.rpartition("/")[2] == last for file in own.files for path in file.imports.values()
    )
