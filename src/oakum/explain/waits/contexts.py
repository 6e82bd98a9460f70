"""Why does the wait outlive the context? It waits in a call that takes none, and what would end it comes too late.

Comes in: a goroutine that waits below a function that has a context in reach (a scene), or a package (scan: cancel
functions that are dropped). Goes out: a Reason with the call that nothing interrupts, who gave up, and what would have
woken it; None unless one of these was found.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from oakum.explain.code.calls import alias, at, method, named, nodes, on, operand, place, root, step_of
from oakum.explain.code.flows import Flows
from oakum.explain.code.holders import let_go
from oakum.explain.code.nouns import Func, Op, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import leaves_without, reachable
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import bare, text
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.waits.conds import waiting
from oakum.explain.waits.drafts import cancel_after, close_before, close_when_done
from oakum.explain.workers.behind import behind
from oakum.explain.workers.starting import once
from oakum.model import CauseSite, Remedy, Text
from oakum.model.vocabulary import Mechanism

MECHANISM: Mechanism = "detached-wait"
_CLOSES = frozenset({"Close", "Stop", "Shutdown", "ShutDown", "Kill", "CloseNow", "SetDeadline", "SetReadDeadline"})
_DERIVE = frozenset({"WithCancel", "WithTimeout", "WithDeadline", "WithCancelCause", "WithTimeoutCause"})
_ENDLESS = ("context.WithCancel(", "context.WithCancelCause(")  # the others end by themselves
_ROOTS = ("context.Background()", "context.TODO()")  # children of these are known without a goroutine
_GAVE_UP = (".Done()", "time.After(", ".C")
_READ = ("own", "dependency")
_CANCELS_MOST = 2


def reason(scene: StackInSource) -> Reason | None:
    """Return which call the end of a context does not reach, and what would have ended it."""
    if any("propagateCancel" in frame.function for frame in scene.trace.frames[:4]):
        return _uncancelled(scene)
    # A read or write without a deadline is the question of the network, unless the shape says more.
    if scene.state == "IO wait" and "detached-wait" not in scene.suspect.mechanisms:
        return None
    found = _deaf(scene)
    if found is None:
        return None
    index, spot, call, context = found
    texts = [Text("cause.waits.context.deaf", {"wait": place(call), "call": _called(call), "context": context,
                                              "function": named(spot.func)})]  # fmt: skip
    sites = [spot.func.site("never-interrupted", call.line)]
    told = [*_left(scene, spot, call), *_dropped(scene, spot, call), *_behind(scene, index, spot, call)]
    if not told:
        return None
    remedies = tuple(remedy for one in told for remedy in one.remedies)
    told += _cancelled(scene, index)
    texts += [one.text for one in told]
    sites += [one.site for one in told]
    return Reason(MECHANISM, tuple(texts), tuple(sites), remedies=remedies)


def _called(call: Op) -> str:
    return f"{text(call.target)}()"


def _deaf(scene: StackInSource) -> tuple[int, ResolvedFrame, Op, str] | None:
    """Return the lowest frame that has a context in reach and waits in a call that is not given it."""
    spots = [(at_, spot) for at_, spot in enumerate(scene.spots) if spot is not None and spot.frame.owner in _READ]
    for index, spot in spots:
        if spot is scene.blocked and scene.state.startswith(("chan", "select")):
            continue  # waits in a channel operation of its own: the question of channels
        contexts = _in_reach(spot.func)
        if not contexts:
            continue
        below = scene.trace.frames[index - 1].name if index else ""
        call = _call_of(spot, below)
        if call is None or any(name in _names(value) for value in call.values for name in contexts):
            return None
        if any("context" in text(value).lower() for value in call.values):
            return None
        return index, spot, call, contexts[0]
    return None


def _in_reach(func: Func | None) -> list[str]:
    """Return the contexts that a function was given, or a function around it."""
    found: list[str] = []
    while func is not None:
        found += [one.name for one in func.params if one.type == "context.Context" and one.name not in ("", "_")]
        func = func.parent
    return found


def _names(node: Node) -> set[str]:
    return {text(one) for one in (node, *node.named_children) if one.type == "identifier"} | {text(node)}


def _call_of(spot: ResolvedFrame, below: str) -> Op | None:
    """Return the call on a frame's line that the frame below it was made by."""
    calls = [op for op in spot.ops if op.kind == "call" and op.line <= spot.number]
    last = below.rpartition(".")[2]
    same = [op for op in calls if method(op) == last]
    if same:
        return same[0]
    return calls[0] if len(calls) == 1 else next((op for op in calls if op.line == spot.number), None)


# Who gave up, and what would have ended it


class Said(NamedTuple):
    """One more sentence of the reason."""

    text: Text
    site: CauseSite
    remedies: tuple[Remedy, ...] = ()


def _left(scene: StackInSource, spot: ResolvedFrame, call: Op) -> Iterator[Said]:
    """The function that started the goroutine returns when its context or timer is over."""
    created, start = scene.created, scene.start
    if created is None or start is None or created.package is not spot.package:
        return
    closers = [op for op in created.func.ops if op.kind == "call" and method(op) in _CLOSES and on(op) == on(call)]
    if any(op.inside is not None for op in closers):
        return
    for leave in leaves_without([start.step], lambda step: any(op.step is step for op in closers)):
        case = leave.case
        if case is None or case.kind != "case" or leave.step.kind == "panic":
            continue
        received = [op for op in case.ops if op.kind == "receive" and op.select is not None]
        if any(sign in text(op.target) for op in received for sign in _GAVE_UP):
            func = created.func
            yield Said(
                Text("cause.waits.context.left", {"start": at(func, created.number), "function": named(func),
                     "case": at(func, case.line), "left": at(func, leave.step.line)}),
                func.site("left", leave.step.line),
            )  # fmt: skip
            return


def _behind(scene: StackInSource, index: int, spot: ResolvedFrame, call: Op) -> Iterator[Said]:
    """What would end the wait stands behind it in the same goroutine."""
    names = _enders(scene)
    for other in scene.spots[index:]:
        if other is None or other.step is None or other.frame.owner not in _READ:
            continue
        after = reachable([other.step])
        for op in other.func.ops:
            if op.kind != "call" or method(op) not in names or op is call:
                continue
            deferred = op.inside is not None and op.inside.kind == "defer"
            if (other is spot and on(op) != on(call)) or _closed_elsewhere(op):
                continue
            if (op.step in after and op.step is not other.step) or (deferred and op.line < other.number):
                if other.step in reachable([op.step]) and not deferred:
                    continue  # in a loop it comes before, too
                waits, near = other.op("call"), _in_reach(other.func)
                yield Said(
                    Text("cause.waits.context.behind", {"close": _called(op), "place": place(op),
                         "call": at(other.func, other.number), "function": named(other.func)}),
                    other.func.site("never-closed", op.line),
                    close_when_done(waits, op, near[0]) if waits is not None and near else (),
                )  # fmt: skip
                return


def _closed_elsewhere(close: Op) -> bool:
    """Tell whether the package ends the same wait in another function, too."""
    return any(
        op.kind == "call" and method(op) == method(close) and op.func is not close.func and on(op) == on(close)
        for func in close.func.package.all
        for op in func.ops
    )


def _enders(scene: StackInSource) -> set[str]:
    """Return the methods that end the wait: those that set the flag a condition variable's waiter looks for."""
    here = waiting(scene)
    if here is None:
        return {"Close"}
    flags = [wish for wish in here.wishes if wish.how in ("true", "set")]
    meets = here.meets
    found = {
        one.func.name
        for one in here.changes
        for wish in flags
        if one.grants(wish) and any(meets(step) for step in one.func.steps)
    }
    return {name for name in found if name[:1].isupper()}


def _dropped(scene: StackInSource, spot: ResolvedFrame, call: Op) -> Iterator[Said]:
    """Whoever held the object that is waited at let go of it without closing it."""
    symbol, owner = on(call), root(operand(call), spot.package, spot.func.file)
    if symbol is None or owner is None or spot.frame.owner != "own":  # who else has one, a module cannot say
        return
    flows = scene.flows(spot)
    closes = [op for op in flows.ops(alias(flows, symbol), "call") if method(op) in _CLOSES]
    ended = behind(scene.spots)
    for one in let_go(flows, flows.origin(owner, scene.known), closes, lambda op: not ended(op)):
        if one.how != "replaced":
            yield Said(
                Text("cause.waits.context.dropped", {"place": place(one.op), "code": one.op.code,
                     "object": text(operand(call)), "function": named(one.op.func)}),
                one.op.func.site("never-closed", one.op.line),
                close_before(one.op, call),
            )  # fmt: skip
            return


def _cancelled(scene: StackInSource, index: int) -> Iterator[Said]:
    """Who ends the context that nobody looks at: the calls of its cancel function, outside the one that made it."""
    for other in scene.spots[index:]:
        if other is None:
            continue
        package = other.package
        for op in (one for one in other.ops if one.kind == "call"):
            for value in op.values:
                symbol = package.symbol(value, other.func, other.func.file)
                cancels = _cancels(scene.flows(other), symbol) if symbol is not None and package.all else {}
                calls = [
                    one
                    for func in package.all
                    for one in func.ops
                    if one.kind == "call" and package.symbol(one.target, func, func.file) in cancels
                    and func not in {made.func for made in cancels.values()}
                ]  # fmt: skip
                for one in calls[:_CANCELS_MOST]:
                    yield Said(
                        Text("cause.waits.context.cancelled", {"place": place(one), "call": _called(one)}),
                        one.func.site("never-woken", one.line),
                    )
                if calls:
                    return


def _cancels(flows: Flows, context: Symbol) -> dict[Symbol, Op]:
    """Return the cancel functions of a context and of those that it was derived from, each with where it was made."""
    found: dict[Symbol, Op] = {}
    todo, seen = [context], {context}
    while todo and len(seen) < 50:
        one = todo.pop()
        for op in flows.stores.get(one, ()):
            value = bare(op.values[0])
            if op.index == 0 and _derives(value):
                for other in op.step.ops:
                    if other.kind == "assign" and other.index == 1 and other.node.start_byte == op.node.start_byte:
                        symbol = flows.package.symbol(other.target, op.func, op.file)
                        if symbol is not None:
                            found[symbol] = op
                given = value.child_by_field_name("arguments")
                parent = given.named_children[0] if given is not None and given.named_children else None
                above = flows.package.symbol(parent, op.func, op.file)
                if above is not None and above not in seen:
                    seen.add(above)
                    todo.append(above)
    return found


def _derives(node: Node) -> bool:
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    return text(function).removeprefix("context.") in _DERIVE and text(function).startswith("context.")


# Cancel functions that are dropped


def _uncancelled(scene: StackInSource) -> Reason | None:
    """A goroutine of the context package waits for a parent or a child to end: which child does nobody cancel?"""
    lost = [
        one
        for package in scene.program.own(b"context.WithCancel")
        for one in lost_cancels(package)
        if not text(one[0].values[0]).partition("(")[2].startswith(_ROOTS) and not once(scene.program, one[0])
    ]
    if not 0 < len(lost) <= _CANCELS_MOST:  # of many nobody can say which
        return None
    told = [dropped_cancel(*one) for one in lost]
    texts = (Text("cause.waits.context.child"), *(text_ for one in told for text_ in one.texts))
    sites = tuple(site for one in told for site in one.sites)
    return Reason("unstopped-worker", texts, sites, remedies=tuple(remedy for one in told for remedy in one.remedies))


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield contexts whose cancel function is dropped, or passed over on a way out."""
    del flows
    for op, var, number in lost_cancels(package):
        if "WithCancel" in op.code and ("(context.Background())" in op.code or "(context.TODO())" in op.code):
            continue  # nobody keeps a child of these: it is collected
        found = dropped_cancel(op, var, number)
        yield Reason(found.mechanism, found.texts, found.sites, True, found.remedies)


def dropped_cancel(op: Op, var: Var | None, number: int) -> Reason:
    """Return that nobody cancels a context: its cancel function is thrown away, or passed over on a way out."""
    func = op.func
    if var is None:
        texts = (Text("cause.waits.context.blank", {"place": place(op), "function": named(func)}),)
        remedies = cancel_after(op, None)
        return Reason("unstopped-worker", texts, (func.site("never-cancelled", op.line),), remedies=remedies)
    texts = (Text("cause.waits.context.lost", {"place": place(op), "cancel": var.name, "left": at(func, number),
                                              "function": named(func)}),)  # fmt: skip
    sites = (func.site("never-cancelled", number), func.site("made", op.line))
    return Reason("unstopped-worker", texts, sites, remedies=cancel_after(op, var.name))


def lost_cancels(package: Package) -> Iterator[tuple[Op, Var | None, int]]:
    """Yield (where a context is made, its cancel function, the exit that is reached without it)."""
    for func in package.all:
        for op in func.ops:
            if op.kind != "assign" or op.index != 1 or op.target is None or not text(op.values[0]).startswith(_ENDLESS):
                continue
            if text(op.target) == "_":
                yield op, None, op.line
                continue
            var = package.var(op.target, op.file) if op.target.type == "identifier" else None
            if var is None or var.kind != "local" or var.func is not func or func.name == "main":
                continue
            used = _uses(func, var, op.target)
            leaves = leaves_without([op.step], lambda step: step in used)  # noqa: B023
            wrong = [one.step for one in leaves if one.step.kind in ("return", "end") and one.step not in used]
            if wrong and op.step not in used:
                yield op, var, wrong[0].line


def _uses(func: Func, var: Var, declared: Node) -> set[object]:
    """Return the statements of a function that use a variable, literals in them included."""
    found: set[object] = set()
    for node in nodes(func.node, "identifier"):
        if node.start_byte != declared.start_byte and func.file.names.get(node.start_byte) is var:
            step = step_of(func, node)
            if step is not None:
                found.add(step)
    return found
