"""What grows in an object that is used again and again? A buffer that nobody empties before its object is put back.

Comes in: the buffer, or the slice, that the allocation grew. Goes out: the line that puts the object back where others
take it from: a sync.Pool, a free list, a channel. Abstains where anything empties it, replaces it or hands it on.
"""

from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import method, operand, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.holders import constructs
from oakum.explain.code.nouns import CallRef, ElemRef, FieldRef, Func, Op, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import bare, text
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.values import called
from oakum.model import Text

# What a buffer holds is gone after these, or less.
_EMPTIES = frozenset(
    "Reset Truncate Next Read ReadByte ReadBytes ReadRune ReadString WriteTo Clear Init Flush Close".split()
)
_WRITES = ("fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "io.WriteString", "binary.Write", "io.Copy", "io.CopyN")
_CALLERS_MOST = 2


def never_emptied(scene: StackInSource, grown: Symbol, func: Func) -> Reason | None:
    """Return where the object of a buffer that only grows is put back for the next use."""
    package = func.package
    flows = scene.program.flows(package)
    kind, names = _object(flows, grown)
    if not kind or _emptied(flows, grown, names):
        return None
    for put, holder in _puts(flows, kind, names):
        if not _taken(flows, put, holder):
            continue
        calls = _handing(package, put)[:_CALLERS_MOST]
        first = calls[0] if calls else put
        told = (
            Text("cause.heap.reused", {
                "buffer": _named(grown), "place": place(first), "code": first.code, "holder": text(holder),
            }),
            Text("cause.heap.reused.ends", {"buffer": _named(grown)}),
        )  # fmt: skip
        sites = [*(op.func.site("never-removed", op.line) for op in calls or [put]), put.func.site("stored", put.line)]
        return Reason("growing-container", told, distinct(sites), kept=True)
    return None


def _named(grown: Symbol) -> str:
    return grown.name if isinstance(grown, (FieldRef, Var)) else ""


def _object(flows: Flows, grown: Symbol) -> tuple[str, set[Symbol]]:
    """Return the type of the object that is put back, and the names of its buffer, which may be that object itself."""
    if isinstance(grown, FieldRef):
        return grown.type, {grown}
    given = [
        one for one in flows.origins(grown) if isinstance(one, CallRef) and one.name == "Get" and one.of is not None
    ]
    if not isinstance(grown, Var) or not given:
        return "", set()
    return kinds.base(flows.package.type_of_var(grown)) or "any", flows.follow(given).symbols


def _emptied(flows: Flows, grown: Symbol, names: set[Symbol]) -> bool:
    """Tell whether anything empties a buffer, gives it another value, or hands it to who may."""
    package = flows.package
    for one in names:
        uses = flows.used.get(one, ())
        if any(op.kind in ("call", "defer") and method(op) in _EMPTIES for op in uses):
            return True
        for op in flows.foreign.get(one, ()):
            name = called(op.node, op.func, op.file, package)
            first = bool(op.values) and package.symbol(op.values[0], op.func, op.file) == one
            writes = name.endswith(_WRITES) or method(op) in ("NewEncoder", "NewWriter", "NewWriterSize", "Execute")
            if not (writes and first) and method(op) not in ("Put", "append"):
                return True
        if isinstance(one, FieldRef):
            if any(not constructs(op) and not _grows(op, one) for op in flows.stores.get(one, ())):
                return True
            if flows.follow([one]).returned:
                return True
    return isinstance(grown, FieldRef) and _renewed(package, grown.type)


def _grows(op: Op, field: FieldRef) -> bool:
    """Tell whether an assignment appends: `e.rows = append(e.rows, row)`, and not `append(e.rows[:0], row)`."""
    value = bare(op.values[0])
    given = value.child_by_field_name("arguments") if value.type == "call_expression" else None
    if given is None or text(value.child_by_field_name("function")) != "append" or not given.named_children:
        return False
    first = bare(given.named_children[0])
    return first.type == "selector_expression" and op.func.package.symbol(first, op.func, op.file) == field


def _renewed(package: Package, kind: str) -> bool:
    """Tell whether an object is overwritten as a whole: `*e = Encoder{}`."""
    for func in package.all:
        for op in func.ops:
            whole = op.target if op.kind == "assign" and text(op.target).startswith("*") else None
            if whole is not None and kinds.base(package.type_of(bare(whole), func, op.file)) == kind:
                return True
    return False


def _puts(flows: Flows, kind: str, names: set[Symbol]) -> Iterator[tuple[Op, Node]]:
    """Yield what puts such an object away, and into what."""
    package = flows.package
    for func in package.all:
        for op in func.ops:
            into = operand(op) if op.kind == "call" and method(op) == "Put" else None
            if op.kind in ("append", "send"):
                into = op.target
            if into is None:
                continue
            for value in op.values:
                of = kinds.base(package.type_of(value, func, op.file))
                if package.symbol(value, func, op.file) in names or (
                    of == kind and isinstance(next(iter(names)), FieldRef)
                ):
                    yield op, into
                    break


def _taken(flows: Flows, put: Op, into: Node) -> bool:
    """Tell whether what is put there is taken out again, to be used once more."""
    package = flows.package
    if put.kind == "call":
        return package.type_of(into, put.func, put.file).lstrip("*") == "sync.Pool"
    holder = package.symbol(into, put.func, put.file)
    if holder is None:
        return False
    flow = flows.follow([holder]).symbols
    if put.kind == "send":
        return any(op.kind == "receive" for one in flow for op in flows.used.get(one, ()))
    cut = any(
        "[" in text(op.values[0]) and not text(op.values[0]).startswith("append(")
        for op in flows.stores.get(holder, ())
    )
    return cut and any(flows.out.get(ElemRef(one)) for one in flow if not isinstance(one, CallRef))


def _handing(package: Package, put: Op) -> list[Op]:
    """Return the calls that hand the object to a function which puts it away."""
    top = put.func.top
    symbols = {package.symbol(value, put.func, put.file) for value in put.values}
    params = [number for number, param in enumerate(top.params) if param in symbols]
    calls = [op for op in package.callers.get(top, ()) if op.kind == "call"]
    return [op for op in calls for number in params if number < len(op.values)]
