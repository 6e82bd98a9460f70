"""Who ends this receiver? Its channel belongs to an object of another package of the program, which closes it.

Comes in: a goroutine that ranges over `sub.C`, or receives from it. Goes out: the line that loses it without the
call that closes the channel: `hub.Unsubscribe(sub)`. Abstains where the object is handed on, or is kept and called.
"""

from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import place
from oakum.explain.code.flows import Flow, Flows
from oakum.explain.code.nouns import FieldRef, Op
from oakum.explain.code.package import Package
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import bare, text
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.values import called
from oakum.explain.workers.acquirers import releasing
from oakum.explain.workers.behind import behind
from oakum.explain.workers.losses import lines, texts
from oakum.explain.workers.owners import (
    Loss,
    dropped,
    handed,
    handed_up,
    here,
    kept,
    put_away,
    reach,
    released,
    under_a_key,
)
from oakum.model import Text


def reason(scene: StackInSource) -> Reason | None:
    """Return where the object whose channel it is was lost without the call that closes it."""
    spot = scene.blocked
    op = spot.op("receive", "range") if spot is not None and scene.state == "chan receive" else None
    if spot is None or op is None or spot.frame.owner != "own":
        return None
    closes = closing(scene, spot, op)
    if not closes:
        return None
    names = releasing(closes[0].func.package, closes)
    flows = scene.flows(spot)
    for acquire in _acquired(flows, scene, op) if names else ():
        loss = _lost(flows, scene, acquire, names)
        if loss is not None:
            return _build_reason(op, acquire, loss, closes[0], names)
    return None


def closing(scene: StackInSource, spot: ResolvedFrame, op: Op) -> list[Op]:
    """Return what closes a channel in the own package whose object has it; for a receive, what sends counts."""
    found = _field(scene, spot, op)
    if found is None:
        return []
    package, field = found
    wanted = ("close",) if op.kind == "range" else ("close", "send")
    return [one for one in scene.program.flows(package).used.get(field, ()) if one.kind in wanted]


def _field(scene: StackInSource, spot: ResolvedFrame, op: Op) -> tuple[Package, FieldRef] | None:
    """Return the package of the object that has the channel, and its field: `sub.C` of *hub.Subscription."""
    node = bare(op.target) if op.target is not None else None
    if node is None or node.type != "selector_expression":
        return None
    on = node.child_by_field_name("operand")
    alias, _, name = kinds.base(spot.package.type_of(on, op.func, op.file)).partition(".")
    path = op.file.imports.get(alias, "") if name else ""
    package = scene.program.imported(path, spot.frame) if path else None
    if package is None:
        package, name = _given(scene, spot, on, op)
    if package is None or name not in package.fields:
        return None
    owned = any(func.site("made", func.first).frame.owner == "own" for func in package.funcs.values())
    field = text(node.child_by_field_name("field"))
    return (package, FieldRef(name, field)) if owned and field in package.fields[name] else None


def _given(scene: StackInSource, spot: ResolvedFrame, on: Node | None, op: Op) -> tuple[Package | None, str]:
    """Return the package and type of what a variable was given by a call of another package: `sub := h.Subscribe()`."""
    var = spot.package.var(on, op.file) if on is not None and on.type == "identifier" else None
    value = bare(var.value) if var is not None and var.value is not None else None
    if var is None or value is None:
        return None, ""
    whole, _, name = called(value, var.func, var.file, spot.package).rpartition(".")
    path, _, kind = whole.rpartition(".") if "." in whole.rpartition("/")[2] else (whole, "", "")
    package = scene.program.imported(path, spot.frame) if "/" in path else None
    func = package.funcs.get((kind, name)) if package is not None else None
    if func is None or var.index >= len(func.results):
        return None, ""
    return package, kinds.base(func.results[var.index])


def _acquired(flows: Flows, scene: StackInSource, op: Op) -> Iterator[Op]:
    """Yield the calls that gave the object, `h.Subscribe(topic)`."""
    package = flows.package
    node = bare(op.target) if op.target is not None else None
    base = package.symbol(node.child_by_field_name("operand"), op.func, op.file) if node is not None else None
    if base is None:
        return
    before = flows.origins(base, scene.known)
    for func in package.all:
        for call in func.ops:
            if call.kind == "call" and not package.callees(call) and set(kept(call).symbols) & before:
                yield call


def _lost(flows: Flows, scene: StackInSource, acquire: Op, names: frozenset[str]) -> Loss | None:
    flow = reach(flows, kept(acquire).symbols)
    releases = [*released(flows, flow.symbols, names), *handed(flows, flow.symbols, names)]
    if _elsewhere(flow, releases, acquire):
        return None
    loss = here(flows, acquire, releases)
    if loss is None and handed_up(flows, acquire) and not put_away(flows, acquire):
        return None
    ended = behind(scene.spots)
    loss = loss or dropped(flows, flow, releases, lambda op: not ended(op))
    return None if loss is None or under_a_key(loss) else loss


def _elsewhere(flow: Flow, releases: list[Op], acquire: Op) -> bool:
    """Tell whether another package is handed the object by a call that is not known to end it."""
    return any(op not in releases and op is not acquire and op.kind == "call" for op in flow.foreign)


def _build_reason(op: Op, acquire: Op, loss: Loss, close: Op, names: frozenset[str]) -> Reason:
    release = ", ".join(sorted(names)[:3])
    told = [
        Text("cause.worker.closed-elsewhere", {
            "function": op.func.full, "place": place(op), "name": text(op.target), "close": place(close),
            "release": release,
        }),
        *texts(loss, None, release),
    ]  # fmt: skip
    sites = [*lines(loss), acquire.func.site("made", acquire.line), close.func.site("closed", close.line)]
    return Reason("unstopped-worker", tuple(told), distinct(sites))
