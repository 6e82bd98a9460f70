"""Which lock an expression names, and what a call does to locks: takes one, frees one, itself or through a helper.

Comes in: a read package. Goes out: `Lock`s, equal when they are the same lock of the same object as far as one function
can tell, with a `kind` that is alike for that field of any object. Never type-checked: `sure` tells what is sync's.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.nouns import FieldRef, ForeignRef, Func, GoFile, Op, Step, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import after_error
from oakum.explain.code.syntax import arguments, bare, text

TAKES = {"Lock": "w", "RLock": "r"}
TRIES = {"TryLock": "w", "TryRLock": "r"}
FREES = {"Unlock": "w", "RUnlock": "r"}
_VERBS = {**TAKES, **TRIES, **FREES}
# The last result of a function that has done what it was called for.
_SUCCESS: dict[str, Callable[[str], bool]] = {"error": "nil".__eq__, "bool": "false".__ne__}
_DEEPEST = 8  # x.a.b.c.mu, a name for a name for a name


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock by the way that leads to it: from a variable through fields. Equal ways are the same lock."""

    root: Var | ForeignRef | str  # what cannot be followed is its text
    fields: tuple[str, ...]
    kind: tuple[str, Symbol | str] = field(compare=False, default=("", ""))  # the field of any object of that type
    written: str = field(compare=False, default="")
    sure: bool = field(compare=False, default=True)  # sync's own, by its type

    @property
    def single(self) -> bool:
        """Tell whether the way leads to one object: nothing looked up by an index, nothing that a call returned."""
        return not isinstance(self.root, str) and not any(name.startswith("[") for name in self.fields)

    @property
    def name(self) -> str:
        """Return what the lock is called where no object is meant: Book.mu."""
        symbol = self.kind[1]
        return f"{symbol.type}.{symbol.name}" if isinstance(symbol, FieldRef) else self.written


class Does(NamedTuple):
    verb: Literal["take", "try", "free"]
    lock: Lock
    mode: str  # "w", or "r" for readers
    op: Op


class Names:
    kinds: tuple[str, ...] = ("call",)  # operations that may take or free

    def __init__(self, package: Package) -> None:
        self.package = package
        self._done: dict[Op, Does | None] = {}
        self._targets: dict[Func, set[str]] = {}

    @cached_property
    def assigned(self) -> dict[Var, int]:
        """Return how often each variable is given a value."""
        found: dict[Var, int] = {}
        for func in self.package.all:
            for op in func.ops:
                if op.kind == "assign" and op.target is not None and op.target.type == "identifier":
                    var = self.package.var(op.target, op.file)
                    if var is not None:
                        found[var] = found.get(var, 0) + 1
        return found

    def does(self, op: Op) -> Does | None:
        """Return what a call of Lock, Unlock and their like does; None when it is no such call."""
        if op.kind != "call" or op.target is None or op.target.type != "selector_expression" or op.values:
            return None
        verb = text(op.target.child_by_field_name("field"))
        if verb not in _VERBS or (verb not in TRIES and not _is_statement(op.node)):
            return None
        if op not in self._done:
            self._done[op] = self._read(op, verb)
        return self._done[op]

    def failed(self, op: Op, step: Step, how: str) -> bool:
        """Tell whether a branch is taken only when an operation has failed, and took nothing: Lock never fails."""
        return op.kind == "call" and after_error(op, self.package)(step, how)

    def succeeds(self, func: Func, step: Step) -> bool:
        """Tell whether a function is left with what it was called for: without an error, or false instead."""
        success = _SUCCESS.get(func.results[-1]) if step.kind == "return" and func.results else None
        values = [op.values for op in step.ops if op.kind == "return"]
        if success is None or not values or not values[0]:
            return True
        return success(text(values[0][-1]))

    def _read(self, op: Op, verb: str) -> Does | None:
        operand = op.target.child_by_field_name("operand") if op.target is not None else None
        if operand is None or self.package.import_of(operand, op.file) is not None:
            return None
        lock = self.lock(operand, op.func, op.file)
        if lock is None:
            return None
        word: Literal["take", "try", "free"] = "take" if verb in TAKES else "free" if verb in FREES else "try"
        return Does(word, lock, _VERBS[verb], op)

    def lock(self, node: Node, func: Func, file: GoFile, verb: str = "Lock") -> Lock | None:
        """Return the lock that an expression names; None when its type has a Lock of the package's own."""
        package = self.package
        root, fields = self.way(node, func, file) or (text(bare(node)), ())
        owner = kinds.base(package.resolved(package.type_of(node, func, file)))
        written = text(bare(node))
        if is_mutex(owner):
            sure = owner.startswith("sync.")
            return Lock(root, fields, self._kind(node, func, file), written, sure)
        if owner and package.method(owner, verb) is not None:
            return None
        inner = self._embedded(owner)
        if inner is not None:
            kind = (package.path, FieldRef(inner[0], inner[1][-1]))
            return Lock(root, (*fields, *inner[1]), kind, written)
        return Lock(root, fields, self._kind(node, func, file), written, sure=False)

    def _kind(self, node: Node, func: Func, file: GoFile) -> tuple[str, Symbol | str]:
        symbol = self.package.symbol(node, func, file)
        return (self.package.path, symbol if symbol is not None else text(bare(node)))

    def _embedded(self, owner: str, depth: int = 0) -> tuple[str, tuple[str, ...]] | None:
        """Return (the struct that embeds a mutex, the fields that lead to it)."""
        for inner in self.package.embedded.get(owner, ()) if depth < 4 else ():
            name = inner.rpartition(".")[2]
            if is_mutex(inner):
                return owner, (name,)
            if (found := self._embedded(inner, depth + 1)) is not None:
                return found[0], (name, *found[1])
        return None

    def way(
        self, node: Node, func: Func, file: GoFile, depth: int = 0
    ) -> tuple[Var | ForeignRef, tuple[str, ...]] | None:
        """Return (variable, fields) of an expression; a name that is given once stands for what it was given."""
        node = bare(node)
        if depth > _DEEPEST:
            return None
        if node.type == "identifier":
            var = self.package.var(node, file)
            return self._alias(var, depth) if var is not None else None
        if node.type == "selector_expression":
            operand, name = node.child_by_field_name("operand"), text(node.child_by_field_name("field"))
            if operand is None:
                return None
            if (path := self.package.import_of(operand, file)) is not None:
                return ForeignRef(path, name), ()
            inner = self.way(operand, func, file, depth + 1)
            return (inner[0], (*inner[1], name)) if inner is not None else None
        if node.type == "index_expression":
            operand = node.child_by_field_name("operand")
            inner = self.way(operand, func, file, depth + 1) if operand is not None else None
            index = text(node.child_by_field_name("index"))
            return (inner[0], (*inner[1], f"[{index}]")) if inner is not None else None
        return None

    def _alias(self, var: Var, depth: int) -> tuple[Var | ForeignRef, tuple[str, ...]]:
        if var.kind != "local" or var.value is None or var.index or var.func is None or self.assigned.get(var, 0) > 1:
            return var, ()
        value = bare(var.value)
        if value.type not in ("selector_expression", "identifier"):
            return var, ()
        if text(value) in self._written(var.func):  # n := q.head; q.head = n.next
            return var, ()
        return self.way(value, var.func, var.file, depth + 1) or (var, ())

    def _written(self, func: Func) -> set[str]:
        """Return the expressions that are assigned to anywhere in the function around."""
        top = func.top
        if top not in self._targets:
            ops = (op for op in top.everything() if op.kind == "assign" and op.target is not None)
            self._targets[top] = {text(op.target) for op in ops}
        return self._targets[top]

    def given(self, lock: Lock, callee: Func, call: Op) -> Lock | None:
        """Return a lock that a function names by its receiver or a parameter as the caller names it; None if it cannot.

        A lock of the package or of a function around both is the same for both.
        """
        root = lock.root
        if not isinstance(root, Var):
            return lock if isinstance(root, ForeignRef) else None
        if root.func is not callee and root is not callee.this:
            return lock if root.kind == "global" or callee.parent is not None else None
        if root.kind == "local":
            return self._returned(lock, root, callee, call)
        if self.assigned.get(root):  # c = c.parent
            return None
        node = _argument(root, callee, call)
        way = self.way(node, call.func, call.file) if node is not None else None
        if node is None or way is None:
            return None
        kind = lock.kind
        if not lock.fields:  # the parameter is the lock itself
            kind = self._kind(node, call.func, call.file)
        written = ".".join((text(bare(node)), *lock.written.split(".")[1:]))
        return Lock(way[0], (*way[1], *lock.fields), kind, written, lock.sure)

    def _returned(self, lock: Lock, root: Var, callee: Func, call: Op) -> Lock | None:
        """Return a lock of an object that a function made or found, and returns, as its caller names that."""
        returns = [op for op in callee.ops if op.kind == "return"]
        where = {at for op in returns for at, value in enumerate(op.values) if self._names(value, root, callee)}
        if len(where) != 1:
            return None
        index = where.pop()
        for op in call.step.ops:
            if op.kind == "assign" and op.index == index and op.target is not None and op.values[0].id == call.node.id:
                var = self.package.var(op.target, op.file) if op.target.type == "identifier" else None
                if var is not None:
                    written = ".".join((var.name, *lock.written.split(".")[1:]))
                    return Lock(var, lock.fields, lock.kind, written, lock.sure)
        return None

    def _names(self, value: Node, root: Var, func: Func) -> bool:
        value = bare(value)
        return value.type == "identifier" and self.package.var(value, func.file) is root


def _argument(root: Var, callee: Func, call: Op) -> Node | None:
    if root is callee.this:
        target = call.target
        if target is None or target.type != "selector_expression":
            return None
        return target.child_by_field_name("operand")
    for param, value in zip(callee.params, call.values or arguments(call.node), strict=False):
        if param is root:
            return value
    return None


def _is_statement(call: Node) -> bool:
    """Tell whether nobody looks at what a call returns: sync's Lock returns nothing, a file's returns an error."""
    parent = call.parent
    return parent is not None and parent.type in ("expression_statement", "defer_statement", "go_statement")


def is_mutex(written: str) -> bool:
    """Tell whether a type is a mutex: sync's, or one of those that stand in for it."""
    name = written.rpartition(".")[2]
    return written in ("sync.Mutex", "sync.RWMutex", "sync.Locker") or (
        "." in written and name in ("Mutex", "RWMutex", "RBMutex")
    )
