"""Why is a waiter in a sync.Cond never woken? What it waits for changes without a signal, or is let go of.

Comes in: the call of Wait. Goes out: a Reason with the line that changes the state and wakes nobody; None where every
change wakes: then either nothing has changed, or the wait cannot be interrupted (contexts.py).
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from msgspec import Struct

from oakum.explain.code import kinds
from oakum.explain.code.calls import alias, at, method, named, on, operand, place, root
from oakum.explain.code.flows import Flows
from oakum.explain.code.holders import let_go
from oakum.explain.code.nouns import FieldRef, Func, Op, Step, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import Leave, leaves_without, meeting, reachable, reached_without
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.waits import drafts as wait_fixes
from oakum.explain.waits.conditions import Change, Wish, asked, changes, wishes
from oakum.model import Text
from oakum.model.vocabulary import Mechanism

MECHANISM: Mechanism = "lost-signal"
_WAKES = ("Signal", "Broadcast")
_DEEPEST = 3


class Waiting(Struct, eq=False, dict=True):
    """A wait in a condition variable, and who wakes it."""

    package: Package
    wait: Op
    wakes: list[Op]
    wishes: list[Wish]
    foreign: bool

    @cached_property
    def changes(self) -> list[Change]:
        """Return what the package changes, of objects that others may have."""
        return [one for one in changes(self.package) if not one.fresh]

    @cached_property
    def meets(self) -> Callable[[Step], bool]:
        return meeting(self.package, self.wakes)

    @property
    def name(self) -> str:
        return text(operand(self.wait))

    @property
    def condition(self) -> str:
        asks = sorted(asked(self.wait), key=lambda one: one[1])
        if not asks:
            return ""
        written = " ".join(text(asks[0][0]).split())
        return f"!({written})" if asks[0][1] else written

    def beside(self, wish: Wish) -> bool:
        """Tell whether the state stands beside the condition variable, so that who changes it can signal."""
        cond = _cond(self.wait)
        return not isinstance(wish.symbol, FieldRef) or not isinstance(cond, FieldRef) or wish.symbol.type == cond.type

    @property
    def intro(self) -> Text:
        if not self.condition:
            return Text("cause.waits.cond.bare", {"wait": place(self.wait), "cond": self.name})
        return Text(
            "cause.waits.cond.waits", {"wait": place(self.wait), "cond": self.name, "condition": self.condition}
        )


def waiting(scene: StackInSource) -> Waiting | None:
    """Return the wait in a condition variable that a scene shows."""
    spot = scene.blocked
    wait = next((op for op in spot.ops if op.kind == "call" and method(op) == "Wait"), None) if spot else None
    if spot is None or wait is None:
        return None
    return _waiting(scene.flows(spot), wait)


def _waiting(flows: Flows, wait: Op) -> Waiting | None:
    symbol = _cond(wait)
    if symbol is None:
        return None
    flow = alias(flows, symbol)
    wakes = [op for op in flows.ops(flow, "call") if method(op) in _WAKES]
    if isinstance(symbol, FieldRef) and symbol.name == "Cond":  # embedded: w.Broadcast() is w.Cond.Broadcast()
        every = [op for func in flows.package.all for op in func.ops if op.kind == "call" and method(op) in _WAKES]
        wakes += [op for op in every if op not in wakes and _cond(op) == symbol]
    return Waiting(flows.package, wait, wakes, wishes(wait), bool(flow.foreign))


def _cond(op: Op) -> Symbol | None:
    """Return the condition variable that a method is called on, an embedded one too."""
    package = op.func.package
    owner = kinds.base(package.type_of(operand(op), op.func, op.file))
    embeds = any(one.rpartition(".")[2] == "Cond" for one in package.embedded.get(owner, ()))
    return FieldRef(owner, "Cond") if embeds else on(op)


def reason(scene: StackInSource) -> Reason | None:
    """Return why nobody signals."""
    here = waiting(scene)
    spot = scene.blocked
    if here is None or spot is None or here.foreign or spot.frame.owner not in ("own", "dependency"):
        return None  # the standard library forgets no signal that people would not have met
    return _silent(here) or _dropped(here, scene) or _one_of_many(here) or _not_asked(here)


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield waits in a condition variable of the package's own that nobody ever signals."""
    for func in package.all:
        for op in func.ops:
            if op.kind != "call" or method(op) != "Wait" or op.values:
                continue
            symbol = on(op)
            if not isinstance(symbol, FieldRef) or symbol.name[:1].isupper():
                continue
            if package.fields.get(symbol.type, {}).get(symbol.name, "").removeprefix("*") != "sync.Cond":
                continue
            here = _waiting(flows, op)
            if here is None or here.foreign or here.wakes or _mentioned(package, symbol.name):
                continue
            texts = (here.intro, Text("cause.waits.cond.nobody", {"cond": here.name}))
            yield Reason(MECHANISM, texts, (op.func.site("never-signalled", op.line),), True)


def _mentioned(package: Package, name: str) -> bool:
    """Tell whether any text of the package might signal it in a way that was not followed."""
    signs = [f"{name}.{wake}".encode() for wake in _WAKES]
    return any(sign in file.source.data for file in package.files for sign in signs)


def _silent(here: Waiting) -> Reason | None:
    """The state that is waited for changes on a path that signals nobody."""
    meets = here.meets
    found = [
        (change, wish)
        for change in here.changes
        for wish in here.wishes
        if change.grants(wish)
        and "any" not in (change.how, wish.how)
        and here.beside(wish)
        and not (isinstance(wish.symbol, Var) and change.func is here.wait.func)
        and not _starts_anew(change.func)
        and not _looked(change, here)
    ]
    found.sort(key=lambda pair: (pair[0].func.file.source.name, pair[0].line))
    for change, _ in found:
        leave = _unwoken(here.package, change.func, change.step, meets, own=True)
        if leave is None:
            continue
        texts = [
            here.intro,
            Text(
                "cause.waits.cond.silent",
                {"change": at(change.func, change.line), "code": change.func.file.code(change.line),
                 "function": named(change.func), "left": at(change.func, leave.step.line)},
            ),
        ]  # fmt: skip
        sites = [change.func.site("never-signalled", change.line)]
        wake = _nearest(here.wakes, change)
        if wake is not None:
            texts.append(Text("cause.waits.cond.elsewhere", {"wake": place(wake), "call": method(wake)}))
            sites.append(wake.func.site("signalled", wake.line))
        else:
            texts.append(Text("cause.waits.cond.nobody", {"cond": here.name}))
        return Reason(MECHANISM, tuple(texts), tuple(sites), remedies=wait_fixes.signal_after(change.step, wake))
    return None


def _starts_anew(func: Func) -> bool:
    """Tell whether a function makes an object ready for its first or next use: nobody waits at it then."""
    return func.top.bare.lower().startswith(("init", "reset", "new", "make"))


def _looked(change: Change, here: Waiting) -> bool:
    """Tell whether the function may know that nobody waits: it looks at what else is waited for, or for emptiness."""
    own = change.symbol.name if isinstance(change.symbol, (FieldRef, Var)) else ""
    fields = {name for node, _ in asked(here.wait) for name in re.findall(r"\.(\w+)\b(?!\()", text(node))} - {own}
    for step in change.func.steps:
        if step.kind in ("if", "loop", "switch") and step.line < change.line:
            condition = text(step.node.child_by_field_name("condition") or step.node.child_by_field_name("value"))
            empty = set(re.findall(r"\.(\w+)\)? ?[<>!=]=? ?0\b", condition)) - {own}
            if empty or any(re.search(rf"\.{name}\b", condition) for name in fields):
                return True
    return False


def _nearest(wakes: list[Op], change: Change) -> Op | None:
    near = sorted(wakes, key=lambda op: (op.func is not change.func, op.file is not change.func.file, op.line))
    return near[0] if near else None


def _unwoken(
    package: Package, func: Func, step: Step, meets: Callable[[Step], bool], own: bool = False, depth: int = 0
) -> Leave | None:
    """Return how a function is left behind a step without anybody being woken, in it or in whoever calls it."""
    if depth > _DEEPEST or (own and meets(step)) or not reached_without(func, step, meets):
        return None
    if any(one is not step and meets(one) for one in reachable([step])):
        return None  # wakes under a condition: whoever wrote it knows when nobody waits
    leaves = [one for one in leaves_without([step], meets) if one.step.kind in ("return", "end")]
    if not leaves and own:
        return None
    leaves = leaves or [Leave(step, (step,))]  # the caller goes round and round, and wakes nobody either
    runs = [op for op in package.callers.get(func, ()) if op.kind in ("call", "defer")]
    if not runs or any(op.kind == "go" for op in package.callers[func]):
        return leaves[0]
    for call in runs:
        if _unwoken(package, call.func, call.step, meets, depth=depth + 1) is not None:
            return leaves[0]
    return None


def _dropped(here: Waiting, scene: StackInSource) -> Reason | None:
    """The object that is waited at is forgotten by its holder on a path that wakes nobody."""
    spot = scene.blocked
    owner = root(operand(here.wait), here.package, here.wait.file)
    if spot is None or not isinstance(owner, Var):
        return None
    flows = scene.flows(spot)
    for one in let_go(flows, flows.origin(owner, scene.known), here.wakes):
        if one.how == "replaced":
            continue
        texts = [
            here.intro,
            Text("cause.waits.cond.dropped", {"drop": place(one.op), "code": one.op.code,
                                              "function": named(one.op.func)}),
        ]  # fmt: skip
        sites = [one.op.func.site("never-signalled", one.op.line)]
        wake = here.wakes[0] if here.wakes else None
        if wake is not None:
            texts.append(Text("cause.waits.cond.elsewhere", {"wake": place(wake), "call": method(wake)}))
            sites.append(wake.func.site("signalled", wake.line))
        return Reason(MECHANISM, tuple(texts), tuple(sites), remedies=wait_fixes.wake_before(one.op, wake))
    return None


def _one_of_many(here: Waiting) -> Reason | None:
    """Signal wakes one of those whom the state would let all go on, and who is woken wakes nobody else."""
    flags = [wish for wish in here.wishes if wish.how in ("true", "false", "set", "nil")]
    if not flags or not here.wakes or (len(flags) != len(here.wishes) and not _either(here)):
        return None
    waiter = {here.wait.func, *(callee for op in here.wait.func.ops for callee in here.package.callees(op))}
    if any(method(op) != "Signal" or op.func in waiter or op.step.loops for op in here.wakes):
        return None
    back = [one for one in here.changes if one.symbol in {wish.symbol for wish in flags}]
    if any(not one.grants(wish) for one in back for wish in flags):
        return None  # the flag is taken back: one goes on at a time
    found = ((one, op) for op in here.wakes for one in back if one.func is op.func and not _starts_anew(one.func))
    granted, wake = next(found, (None, None))
    if granted is None or wake is None:
        return None
    texts = (
        here.intro,
        Text("cause.waits.cond.one", {"change": at(granted.func, granted.line), "signal": place(wake)}),
    )
    sites = (wake.func.site("signalled", wake.line), here.wait.func.site("never-woken", _line(here)))
    return Reason(MECHANISM, texts, sites, remedies=wait_fixes.broadcast(wake))


def _either(here: Waiting) -> bool:
    """Tell whether each of several changes ends the wait by itself: `for len(q.items) == 0 && !q.closed`."""
    conditions = [text(node) for node, _ in asked(here.wait)]
    return len(conditions) == 1 and "&&" in conditions[0] and "||" not in conditions[0]


def _not_asked(here: Waiting) -> Reason | None:
    """Somebody sets another flag and wakes; the woken one asks only for what it asked before, and waits on."""
    wished = {wish.symbol for wish in here.wishes}
    if not wished:
        return None
    for wake in here.wakes:
        done = [one for one in here.changes if one.func is wake.func]
        if any(one.grants(wish) for one in done for wish in here.wishes) or wake.func is here.wait.func:
            continue
        for flag in done:
            if flag.how == "true" and isinstance(flag.symbol, FieldRef) and flag.symbol not in wished:
                if f".{flag.symbol.name}" not in text(here.wait.func.node):
                    continue
                texts = (
                    here.intro,
                    Text(
                        "cause.waits.cond.not-asked",
                        {"flag": flag.symbol.name, "set": at(flag.func, flag.line), "wake": place(wake),
                         "loop": at(here.wait.func, _line(here)), "function": named(flag.func)},
                    ),
                )  # fmt: skip
                sites = (here.wait.func.site("never-woken", _line(here)), wake.func.site("signalled", wake.line))
                return Reason(MECHANISM, texts, sites)
    return None


def _line(here: Waiting) -> int:
    """Return the line of the condition that is waited for."""
    conditions = asked(here.wait)
    return conditions[0][0].start_point[0] + 1 if conditions else here.wait.line
