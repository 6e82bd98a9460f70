"""Who reads the other end of this pipe? io.Pipe, os.Pipe and net.Pipe: a write ends when that is read or closed.

Comes in: a scene that waits in a write. Goes out: where the pipe is made, and where its reader leaves without reading
to the end or closing. None when the reading end goes where it cannot be followed.
"""

from collections.abc import Iterator

from msgspec import Struct

from oakum.explain import fixes
from oakum.explain.code.calls import at, method, operand, place
from oakum.explain.code.flows import Flow, Flows
from oakum.explain.code.nouns import Func, Op, Step, Var
from oakum.explain.code.paths import Leave, after_error, leaves_without
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import arguments, bare, text
from oakum.explain.leaving import shortened
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.values import Expr, Origins, call_of, called, expr_at
from oakum.model import Remedy, Text

_WAITS = ("io.(*pipe).write", "io.(*pipe).Write", "net.(*pipe).write", "os.(*File).write", "os.(*File).Write")
_PIPES = ("io.Pipe", "os.Pipe", "net.Pipe")
_CLOSES = ("Close", "CloseWithError")
_READS_ALL = ("io.ReadAll", "io/ioutil.ReadAll", "io.Copy", "io.CopyBuffer")
# Of these packages functions read what they are given, close nothing and keep it only in what they return.
_READERS = ("io.", "io/ioutil.", "bufio.", "bytes.", "encoding/", "compress/", "archive/", "fmt.", "strings.", "image")
_DEEPEST = 6
_MOST = 2


def reason(scene: StackInSource) -> Reason | None:
    """Return where the reader of a pipe has left its writer alone."""
    names = [frame.function for frame in scene.trace.frames[:6]]
    if not any(name.startswith(_WAITS) for name in names):
        return None
    found = _writer(scene)
    made = _made(Origins(scene), found) if found is not None else None
    if made is None or made.func is None:
        return None
    call = next((op for op in made.func.ops if op.kind == "call" and op.node == made.node), None)
    kind = made.called()
    at = 1 - made.index if kind == "net.Pipe" else 0
    if call is None or (kind != "net.Pipe" and made.index != 1):
        return None
    target = next((op.target for op in call.step.ops if _gives(op, call, at)), None)
    var = made.package.var(target, made.file) if target is not None and target.type == "identifier" else None
    return _build_reason(scene, call, kind, var, scene.program.flows(made.package)) if var is not None else None


def _gives(op: Op, call: Op, at: int) -> bool:
    return op.kind == "assign" and op.values[0] == call.node and op.index == at


def _writer(scene: StackInSource) -> list[Expr] | None:
    """Return what the lowest frame outside the standard library writes to, as far as the call shows it."""
    for row in range(1, len(scene.spots)):
        frame, spot = scene.trace.frames[row], scene.spots[row]
        if frame.owner not in ("own", "dependency"):
            continue
        call = call_of(spot, scene.trace.frames[row - 1]) if spot is not None else None
        if spot is None or call is None:
            return None
        nodes = [node for node in (operand(call), *call.values) if node is not None]
        return [expr_at(scene, row, node) for node in nodes if _is_value(spot, node.type, text(node))]
    return None


def _is_value(spot: ResolvedFrame, kind: str, written: str) -> bool:
    return kind in ("identifier", "selector_expression", "unary_expression") and written not in spot.func.file.imports


def _made(origins: Origins, exprs: list[Expr], depth: int = 0) -> Expr | None:
    """Return the call that makes the pipe behind a writer, when there is exactly one."""
    found: dict[object, Expr] = {}
    for expr in exprs:
        for one in origins.of(expr):
            if one.called() in _PIPES:
                found[one.key] = one
            elif one.node.type == "call_expression" and depth < _DEEPEST:
                given = [one.beside(value) for value in arguments(one.node) if bare(value).type == "identifier"]
                inner = _made(origins, given, depth + 1)
                if inner is not None:
                    found[inner.key] = inner
    return next(iter(found.values())) if len(found) == 1 else None


class _ReadingEnd(Struct, frozen=True, eq=False):
    """What happens to the reading end of a pipe that is left before its end."""

    reads: list[Op]
    closes: list[Op]
    left: list[tuple[Func, Leave]]  # readers that return without reading to the end or closing; none: nobody reads


def _reading_end(made: Op, var: Var, flows: Flows) -> _ReadingEnd | None:
    """Return how the reading end is left; None when it is read to its end, closed, or goes where it is not followed."""
    flow = flows.follow({var})
    closes = [op for op in flows.ops(flow, "call") if method(op) in _CLOSES]
    reads = _reads(flows, flow)
    if reads is None:
        return None
    left = [(func, leave) for func in dict.fromkeys(op.func for op in reads) for leave in _left(func, reads, closes)]
    if reads and not left:
        return None
    if any(op.func not in {func for func, _ in left} and op.func is not made.func for op in closes):
        return None  # somebody closes it later
    if not reads and (closes or flow.returned or flow.stored):
        return None
    return _ReadingEnd(reads, closes, left)


def _build_reason(scene: StackInSource, made: Op, kind: str, var: Var, flows: Flows) -> Reason | None:
    end = _reading_end(made, var, flows)
    if end is None:
        return None
    args = {"place": place(made), "call": text(made.target), "function": made.func.full}
    texts = [Text("cause.pipe.waits", {"kind": kind})]
    sites = []
    for func, leave in end.left[:_MOST]:
        last = max((op for op in end.reads if op.func is func), key=lambda op: op.line)
        shown = last.line if leave.step.kind == "end" else leave.step.line
        key, why = _why(func, leave)
        more = {"reader": func.full, "read": place(last), "exit": at(func, shown)}
        texts.append(Text(key, {**args, **more, **why}))
        sites.append(func.site("never-closed", shown))
    if not end.left:
        texts.append(Text("cause.pipe.nobody", args))
        sites.append(made.func.site("never-closed", made.line))
    texts.append(Text("cause.pipe.ends", {}))
    sites.append(made.func.site("acquired", made.line))
    first = scene.suspect.mechanisms[0]
    kept = first in ("peer-stopped-reading", "lock-held-while-waiting", "abandoned-sender")
    mechanism = first if kept else "abandoned-sender"
    return Reason(mechanism, tuple(texts), tuple(sites), remedies=_remedies(made, var, end.left, end.closes))


def _reads(flows: Flows, flow: Flow) -> list[Op] | None:
    """Return what reads the end: its methods, what wraps it, the wrapper's methods; None when it may be anywhere."""
    package = flows.package
    found = [op for op in flows.ops(flow, "call") if method(op).startswith(("Read", "WriteTo"))]
    for op in flow.foreign:
        name = called(op.node, op.func, op.file, package)
        if not name.startswith(_READERS):
            return None
        found.append(op)
        wraps = [one for one in op.step.ops if one.kind == "assign" and one.values[0] == op.node]
        for one in wraps:
            symbol = package.symbol(one.target, op.func, op.file)
            if not isinstance(symbol, Var) or flows.out.get(symbol) or flows.foreign.get(symbol):
                return None
            found += [use for use in flows.used.get(symbol, ()) if use.kind == "call"]
    return found


def _left(func: Func, reads: list[Op], closes: list[Op]) -> Iterator[Leave]:
    """Yield the exits of a reading function that come before the end of what is to be read."""
    package = func.package
    mine = [op for op in reads if op.func is func]
    shut = {op.step for op in closes if op.func is func}
    if any(op.inside is not None for op in closes if op.func.top is func.top) or any(_whole(op) for op in mine):
        return
    over = [after_error(op, package) for op in mine]
    heads = {op.step for op in mine if op.step.kind == "loop"}
    errors = {text(one.target) for op in mine for one in op.step.ops if one.kind == "assign" and one.index}

    def skip(step: Step, how: str) -> bool:
        if any(ends(step, how) for ends in over) or (step in heads and how == "else"):
            return True
        asked = text(step.node.child_by_field_name("condition")) if step.kind == "if" else ""
        return how == "then" and any(f"{name} == io.EOF" in asked or f"{name}, io.EOF" in asked for name in errors)

    begin = [op.step for op in mine]
    here = [Leave(step, (step,)) for step in begin if step.leaves]
    yield from here or [
        leave for leave in leaves_without(begin, lambda step: step in shut, skip) if leave.step.kind != "panic"
    ]


def _whole(op: Op) -> bool:
    return called(op.node, op.func, op.file, op.func.package) in _READS_ALL


def _why(func: Func, leave: Leave) -> tuple[str, dict[str, str]]:
    case = leave.case
    if case is None or case.kind not in ("if", "case") or case.default:
        return "cause.pipe.left", {}
    written = case.node.child_by_field_name("condition" if case.kind == "if" else "communication")
    if written is None:
        return "cause.pipe.left", {}
    return "cause.pipe.left-when", {"condition": shortened(text(written)), "case": at(func, case.line)}


def _remedies(made: Op, var: Var, left: list[tuple[Func, Leave]], closes: list[Op]) -> tuple[Remedy, ...]:
    """Return the draft that closes the end when its reader leaves."""
    funcs = {func for func, _ in left}
    if closes or len(funcs) != 1:
        return ()
    func = funcs.pop()
    if func is made.func:
        return fixes.drafts(fixes.defer_call(made, f"{var.name}.Close()"))
    if func.parent is not None and func.use is not None and func.use.kind == "go" and func.top is made.func.top:
        return fixes.drafts(fixes.defer_at_start(func, f"{var.name}.Close()"))
    return ()
