"""What would end a wait: the deadline of a context, of an HTTP client, of a connection; and the lock held meanwhile.

Comes in: expressions of the code that waits. Goes out: whether they carry a limit ("bounded"), certainly none
("never"), only somebody's cancel ("cancel"), or cannot be told ("unknown"), and the line that decides.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from tree_sitter import Node

from oakum.explain.code.calls import method, operand
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.package import Package
from oakum.explain.code.paths import reachable
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import arguments, bare, text
from oakum.explain.values import Expr, Origins, elements, outside

_LIMITED = ("context.WithTimeout", "context.WithDeadline", "context.WithTimeoutCause", "context.WithDeadlineCause")
_ENDLESS = ("context.Background", "context.TODO", "context.WithoutCancel")
_PASSES_ON = ("context.WithCancel", "context.WithValue", "context.WithCancelCause", "os/signal.NotifyContext")
_DIALS = ("net.Dial", "crypto/tls.Dial", "net.Pipe", "golang.org/x/net/websocket.Dial", "net.Dialer.Dial")
_METHODS_OF_CONNECTIONS = (".Accept", ".AcceptTCP", ".AcceptUnix", ".Dial", ".DialContext", ".Hijack")
SETTERS = ("SetDeadline", "SetReadDeadline", "SetWriteDeadline")
_DEPTH = 12


class Limit(Struct, frozen=True):
    kind: str  # never | cancel | bounded | unknown
    where: Expr | None = None

    @classmethod
    def weakest(cls, limits: Iterable["Limit"]) -> "Limit":
        """Return what holds for every way a value can have come: doubt first, then a limit."""
        given = list(limits)
        for kind in ("bounded", "unknown", "cancel", "never"):
            for one in given:
                if one.kind == kind:
                    return one
        return cls("unknown")


def context(origins: Origins, expr: Expr, depth: int = 0) -> Limit:
    if depth > _DEPTH:
        return Limit("unknown")
    found: list[Limit] = []
    for one in origins.of(expr):
        name = one.called()
        given = arguments(one.node) if one.node.type == "call_expression" else []
        if name in _LIMITED:
            found.append(Limit("bounded", one))
        elif name in _ENDLESS:
            found.append(Limit("never", one))
        elif name in _PASSES_ON and given:
            parent = context(origins, one.beside(given[0]), depth + 1)
            found.append(Limit(parent.kind, one if parent.kind == "never" else parent.where))
        elif name.endswith(".Context") and not given:
            found.append(Limit("cancel", one))
        elif name and given and "ctx" in text(given[0]).lower():  # metadata.NewOutgoingContext(ctx, md)
            found.append(context(origins, one.beside(given[0]), depth + 1))
        else:
            found.append(Limit("unknown", one))
    return Limit.weakest(found)


def request(origins: Origins, expr: Expr, depth: int = 0) -> Limit:
    """Return how the context of an HTTP request ends."""
    if depth > _DEPTH:
        return Limit("unknown")
    found: list[Limit] = []
    for one in origins.of(expr):
        name = one.called()
        given = arguments(one.node) if one.node.type == "call_expression" else []
        if name == "net/http.NewRequest":
            found.append(Limit("never", one))
        elif name and (name == "net/http.NewRequestWithContext" or name.endswith((".WithContext", ".Clone"))) and given:
            limit = context(origins, one.beside(given[0]))
            found.append(Limit(limit.kind, limit.where or one))
        else:
            found.append(Limit("unknown", one))
    if len(found) > 1 and any(one.kind != "never" for one in found):
        # req, _ := http.NewRequest(...); req = req.WithContext(ctx): the later one counts
        found = [one for one in found if one.where is None or one.where.called() != "net/http.NewRequest"]
    return Limit.weakest(found)


def client(origins: Origins, expr: Expr, header: bool) -> Limit:
    """Return whether an HTTP client has a time-out. `header`: the wait is for the header of the answer."""
    found: list[Limit] = []
    for one in origins.of(expr):
        package, node = one.package, bare(one.node)
        if _set_later(origins, one):
            return Limit("bounded", one)
        kind = outside(package, one.file, package.type_of(node, one.func, one.file))
        if node.type == "composite_literal" and kind == "net/http.Client":
            found.append(_literal(origins, one, node, header))
        elif text(node) in ("new(http.Client)", "http.DefaultClient") or _zero(one, node, kind):
            found.append(Limit("never", one))
        else:
            found.append(Limit("unknown", one))
    return Limit.weakest(found)


def _zero(expr: Expr, node: Node, kind: str) -> bool:
    """Tell whether it is an http.Client that nothing was ever assigned to: `var client http.Client`."""
    if kind != "net/http.Client" or expr.package.type_of(node, expr.func, expr.file).startswith("*"):
        return False
    var = expr.package.var(node, expr.file) if node.type == "identifier" else None
    return node.type == "selector_expression" or (var is not None and var.kind in ("local", "global"))


def _set_later(origins: Origins, made: Expr) -> bool:
    """Tell whether a client gets its time-out by an assignment: `c.Timeout = d`."""
    for func in made.package.all:
        for op in func.ops:
            if op.kind == "assign" and op.target is not None and text(op.target).endswith(".Timeout"):
                if _never_asked_for(origins, func):
                    continue
                on = op.target.child_by_field_name("operand")
                kind = outside(made.package, op.file, made.package.type_of(on, func, op.file)) if on is not None else ""
                if on is not None and kind in ("net/http.Client", ""):
                    mine = origins.of(Expr(on, func, op.file, made.package))
                    if any(one.key == made.key for one in mine) or (kind and not mine):
                        return True
    return False


def _never_asked_for(origins: Origins, func: Func) -> bool:
    """Tell whether a function sets something that nobody in the program asks for: an option that is not used."""
    top, scene = func.top, origins.scene
    if scene is None or func is top or not top.name[:1].isupper() or top.receiver:
        return False
    package = top.package
    called = re.compile(rf"\b{re.escape(top.name)}\(".encode())
    near = sum(len(called.findall(file.source.data)) for file in package.files)
    if near > 1:  # more than its declaration
        return False
    others = [one for one in scene.program.own(top.name.encode()) if one.path != package.path]
    return not any(
        package.import_of(operand(op), op.file) is None and _is_call(op, top, package)
        for one in others
        for inner in one.all
        for op in inner.ops
    )


def _is_call(op: Op, func: Func, package: Package) -> bool:
    """Tell whether a call is of another package's function."""
    node = operand(op) if op.kind == "call" and method(op) == func.bare else None
    path = op.func.package.import_of(node, op.file) if node is not None else None
    return path is not None and (path == package.path or path.endswith(f"/{package.clause}"))


def _literal(origins: Origins, expr: Expr, node: Node, header: bool) -> Limit:
    given = dict(_fields(expr, node))
    if "Timeout" in given and text(given["Timeout"]) != "0":
        return Limit("bounded", expr)
    if header and "Transport" in given:
        for one in origins.of(expr.beside(given["Transport"])):
            inner = bare(one.node)
            if inner.type != "composite_literal" and text(inner) != "http.DefaultTransport":
                return Limit("unknown", expr)
            if "ResponseHeaderTimeout" in dict(_fields(one, inner)):
                return Limit("bounded", one)
    return Limit("never", expr)


def transport(origins: Origins, expr: Expr) -> Expr | None:
    """Return where the transport of an HTTP client limits its connections to a host."""
    for one in origins.of(expr):
        node = bare(one.node)
        given = dict(_fields(one, node)) if node.type == "composite_literal" else {}
        if "Transport" not in given:
            continue
        for inner in origins.of(one.beside(given["Transport"])):
            most = dict(_fields(inner, bare(inner.node))).get("MaxConnsPerHost")
            if most is not None and text(most) != "0":
                return inner.beside(most)
    return None


def _fields(expr: Expr, node: Node) -> Iterator[tuple[str, Node]]:
    if node.type != "composite_literal" or expr.func is None:
        body = node.child_by_field_name("body") if node.type == "composite_literal" else None
        for element in body.named_children if body is not None else ():
            key, value = element.child_by_field_name("key"), element.child_by_field_name("value")
            if key is not None and value is not None and value.named_children:
                yield text(key), value.named_children[0]
        return
    op = next((one for one in expr.func.everything() if one.kind == "composite" and one.node == node), None)
    if op is not None:
        yield from elements(op, expr.package)


def connections(origins: Origins, expr: Expr, depth: int = 0) -> list[Expr]:
    """Return the dials and accepts behind a reader or writer: what wraps a connection is looked through."""
    found: list[Expr] = []
    if depth > 6:
        return found
    for one in origins.of(expr):
        name = one.called()
        if name.startswith(_DIALS) or name.endswith(_METHODS_OF_CONNECTIONS):
            found.append(one)
        elif one.node.type == "call_expression":
            for given in arguments(one.node):
                if bare(given).type in ("identifier", "selector_expression", "call_expression"):
                    found += connections(origins, one.beside(given), depth + 1)
    return list({one.key: one for one in found}.values())


def beginnings(origins: Origins, expr: Expr, depth: int = 0) -> list[Expr]:
    """Return the expressions that a reader or writer begins with, what wraps it looked through."""
    found: list[Expr] = []
    for one in origins.of(expr):
        given = arguments(one.node) if one.node.type == "call_expression" else []
        inner = [g for g in given if bare(g).type in ("identifier", "selector_expression")]
        if inner and depth < 6 and one.called():
            found += beginnings(origins, one.beside(inner[0]), depth + 1)
        else:
            found.append(one)
    return list({one.key: one for one in found}.values())


def deadlines(packages: Iterable[Package], which: tuple[str, ...]) -> Iterator[Op]:
    """Yield the calls that set a deadline on any connection; those that clear one are none."""
    for package in packages:
        for func in package.all:
            for op in func.ops:
                if op.kind == "call" and method(op) in which and op.values and text(op.values[0]) != "time.Time{}":
                    yield op


def sets(origins: Origins, op: Op, found: Iterable[Expr]) -> bool:
    """Tell whether a deadline is set on one of these connections, or on one that cannot be followed."""
    on = operand(op)
    if on is None:
        return True
    mine = connections(origins, Expr(on, op.func, op.file, op.func.package))
    keys = {one.key for one in found}
    return not mine or any(one.key in keys for one in mine)


def held(spot: ResolvedFrame, call: Op) -> Op | None:
    """Return the Lock or RLock whose critical section a call of a frame stands in."""
    for op in spot.func.ops:
        if op.kind == "call" and method(op) in ("Lock", "RLock") and op.inside is None and not op.values:
            on, undo = text(operand(op)), "Unlock" if method(op) == "Lock" else "RUnlock"
            if _reaches(op.step, call.step, on, undo):
                return op
    return None


def _reaches(begin: Step, end: Step, on: str, undo: str) -> bool:
    def unlocks(step: Step) -> bool:
        return any(
            op.kind == "call" and op.inside is None and method(op) == undo and text(operand(op)) == on
            for op in step.ops
        )

    return end in reachable([begin], lambda step: step is not end and unlocks(step))
