"""Drafts for a loss: the release that is missing before the line that lets go, or behind the call that acquires."""

from collections.abc import Iterable

from oakum.explain import fixes
from oakum.explain.code import kinds
from oakum.explain.code.calls import method
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import FieldRef, Func, Op
from oakum.explain.code.package import Package
from oakum.explain.code.paths import meeting
from oakum.explain.code.syntax import text
from oakum.explain.workers.owners import Loss, handed_up, put_away
from oakum.model import Remedy

# Methods that end an object for good, likeliest first; others may begin it anew.
_ENDS = (
    "stop",
    "close",
    "shutdown",
    "cancel",
    "release",
    "unsubscribe",
    "remove",
    "halt",
    "quit",
    "end",
    "dispose",
    "kill",
)
_SETS = ("struct{}", "bool")
_TIMERS = ("*time.Timer", "*time.Ticker")


def loss_fixes(flows: Flows, loss: Loss, stop: Op | None, names: Iterable[str] = ()) -> tuple[Remedy, ...]:
    """Return the drafts; `stop` is an operation of the package that would have released it, `names` methods that do."""
    op = loss.op
    if loss.how in ("deleted", "replaced", "emptied") and op is not None and op.kind in ("delete", "assign"):
        if op.func is not loss.func:  # others release behind it
            return ()
        return fixes.drafts(_before_drop(op, stop, names)) if not _releases_too(loss.func, stop, names) else ()
    if loss.how == "passed" and op is not None and op.inside is None:
        return fixes.drafts(fixes.call_before(loss.step, text(op.node)))
    if loss.how != "left" or loss.acquire is None or loss.acquire.func is not loss.func:
        return ()
    acquire = loss.acquire
    package = acquire.func.package
    target = next((one.target for one in acquire.step.ops if one.kind == "assign" and not one.index), None)
    if target is None or target.type != "identifier" or text(target) == "_":
        return ()
    call = _release(package, stop, kinds.base(package.type_of(target, acquire.func, acquire.file)), names)
    if call is None or call.startswith("close(."):
        return ()
    call = f"{text(target)}.{call}"
    alone = not handed_up(flows, acquire) and not put_away(flows, acquire)
    inside = _releases_too(loss.func, stop, names)  # deferred, it would be done twice there
    return fixes.drafts(fixes.defer_call(acquire, call) if alone and not inside else fixes.call_before(loss.step, call))


def _before_drop(op: Op, stop: Op | None, names: Iterable[str]) -> Remedy | None:
    """Return the draft that ends what a delete or an assignment lets go of."""
    package = op.func.package
    held = package.resolved(package.type_of(op.target, op.func, op.file))
    if op.kind == "assign":
        call = _release(package, stop, kinds.base(held), names)
        return fixes.stop_old(op, call) if call is not None else None
    inside = kinds.element(held)
    if inside.replace(" ", "") not in _SETS:
        call = _release(package, stop, kinds.base(inside), names)
        return fixes.stop_deleted(op, call) if call is not None else None
    key = op.values[0] if op.values else None  # a set: its keys are the objects
    if key is None or key.type != "identifier":
        return None
    call = _release(package, stop, kinds.base(held[4:].partition("]")[0]), names)
    if call is None:
        return None
    on_key = f"close({text(key)}{call.removeprefix('close(')}" if call.startswith("close(.") else f"{text(key)}.{call}"
    return fixes.call_before(op, on_key)


def _releases_too(func: Func, stop: Op | None, names: Iterable[str]) -> bool:
    """Tell whether the function that lets go releases on another way: one more release could be one too many."""
    meets = meeting(func.package, [stop]) if stop is not None and stop.func.package is func.package else None
    wanted = set(names)
    return any(
        (meets is not None and meets(step)) or any(op.kind == "call" and method(op) in wanted for op in step.ops)
        for step in func.steps
    )


def _release(package: Package, stop: Op | None, kind: str, names: Iterable[str]) -> str | None:
    """Return how an object of a type is ended: `Stop()`, `ticker.Stop()`, `close(.done)`."""
    if stop is None:
        return _named(package, kind, names)
    field = package.symbol(stop.target, stop.func, stop.file) if stop.kind == "close" else None
    if isinstance(field, FieldRef) and field.type == kind and stop.func.top.receiver != kind:
        return f"close(.{field.name})"
    top = stop.func.top
    if not kind or not top.receiver or top.this is None:
        return None
    if top.receiver != kind:  # what is held holds it
        inner = [name for name, written in package.fields.get(kind, {}).items() if kinds.base(written) == top.receiver]
        call = _release(package, stop, top.receiver, ()) if len(inner) == 1 else None
        return f"{inner[0]}.{call}" if call is not None and not call.startswith("close(.") else None
    if not top.params and top.bare.lower().startswith(_ENDS):
        return f"{top.bare}()"
    held = text(stop.target).removeprefix(f"{top.this.name}.")
    if held == text(stop.target) or not held.replace(".", "").isidentifier():
        return None
    return f"close(.{held})" if stop.kind == "close" else f"{held}()" if not stop.values else None


def _named(package: Package, kind: str, names: Iterable[str]) -> str | None:
    """Return the call of one of some methods on a type, or on the only field of it that is somebody else's type."""
    known = sorted(
        names, key=lambda name: next((at for at, one in enumerate(_ENDS) if name.lower().startswith(one)), 99)
    )
    if not known:
        return None
    if kind not in package.types:
        return f"{known[0]}()"
    method = next((name for name in known if package.method(kind, name) is not None), None)
    if method is not None:
        return f"{method}()"
    foreign = [name for name, written in package.fields.get(kind, {}).items() if written in _TIMERS]
    return f"{foreign[0]}.{known[0]}()" if len(foreign) == 1 and known[0] == "Stop" else None
