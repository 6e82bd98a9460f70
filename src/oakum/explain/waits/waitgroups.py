"""Why does a WaitGroup never reach zero? A path without Done, a round that starts nobody, a copy, a wait for oneself.

Comes in: the call of Wait (a scene), or a package (scan). Goes out: a Reason, None where the counts may well agree.
Where every Done is deferred, whoever has to call it is still at work or stuck: that is another finding's matter.
"""

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import (
    alias,
    at,
    back_without,
    method,
    named,
    on,
    operand,
    place,
    root,
    rounds_without,
)
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Func, Op, Step, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import leaves_without, reachable, touching
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import text
from oakum.explain.leaving import shortened
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.waits import drafts as wait_fixes
from oakum.explain.waits.callbacks import dropped
from oakum.explain.waits.groups import Group, copied, group_of
from oakum.explain.waits.panics import passed_over
from oakum.model import CauseSite, Text
from oakum.model.vocabulary import Mechanism

MECHANISM: Mechanism = "waitgroup-never-done"
_DEEPEST = 3


def reason(scene: StackInSource) -> Reason | None:
    """Return why Wait does not return."""
    spot = scene.blocked
    wait = next((op for op in spot.ops if op.kind == "call" and method(op) == "Wait"), None) if spot else None
    if spot is None or wait is None:
        return None
    flows = scene.flows(spot)
    symbol = on(wait)
    if symbol is None or not _is_group(spot.package, operand(wait), wait):
        return None
    group = group_of(flows, alias(flows, symbol, scene.known), wait)
    found = _itself(group, scene, spot)
    if found is not None or group.escapes:
        return found
    return _copy(group) or _round(group) or _path(group) or _dropped(group, flows) or passed_over(group, scene)


def _is_group(package: Package, node: Node | None, wait: Op) -> bool:
    """Tell whether an expression is a WaitGroup, or embeds one."""
    written = package.type_of(node, wait.func, wait.file)
    return "WaitGroup" in written or any("WaitGroup" in one for one in package.embedded.get(kinds.base(written), ()))


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield WaitGroups that some path leaves above zero, where the code alone decides it."""
    seen: set[Symbol] = set()
    for func in package.all:
        for op in func.ops:
            if op.kind != "call" or method(op) != "Wait" or op.values:
                continue
            symbol = on(op)
            if not isinstance(symbol, Var) or symbol in seen or symbol.kind != "local":
                continue
            seen.add(symbol)
            if package.type_of_var(symbol).removeprefix("*") != "sync.WaitGroup":
                continue
            group = group_of(flows, alias(flows, symbol), op)
            if group.escapes or not group.adds or not group.dones or len(group.adds) > 1:
                continue
            found = _copy(group) or _round(group, sure=True) or _path(group, sure=True)
            if found is not None:
                yield Reason(found.mechanism, found.texts, found.sites, True, found.remedies)


# The ways in which a count stays above zero


def _itself(group: Group, scene: StackInSource, spot: ResolvedFrame) -> Reason | None:
    """A member of the group waits for the group: its own Done comes after the wait."""
    mine = root(operand(group.wait), group.package, group.wait.file)
    for other in scene.spots:
        if other is None or other is spot or other.package is not group.package or other.step is None:
            continue
        for done in (op for op in group.dones if op.func is other.func):
            if not _same(mine, root(operand(done), group.package, done.file), scene):
                continue
            deferred = done.inside is not None and done.inside.kind == "defer" and done.line < other.number
            if not deferred and done.step not in reachable([other.step]):
                continue
            texts = (
                Text("cause.waits.wg.waits", {"wait": place(group.wait), "group": group.name}),
                Text(
                    "cause.waits.wg.itself",
                    {"done": place(done), "call": at(other.func, other.number), "function": named(other.func)},
                ),
            )
            sites = (other.func.site("never-done", other.number), done.func.site("done", done.line))
            return Reason(MECHANISM, texts, sites)
    return None


def _same(one: Symbol | None, other: Symbol | None, scene: StackInSource) -> bool:
    """Tell whether two variables on one stack hold the same object."""
    seen: set[Symbol] = set()
    while one is not None and one not in seen:
        if one is other:
            return True
        seen.add(one)
        one = scene.known.get(one)
    return False


def _copy(group: Group) -> Reason | None:
    """Done is called on a copy of the WaitGroup."""
    for done in group.copies:
        func = copied(done, group.package)
        if func is None:
            continue
        texts = (
            Text("cause.waits.wg.waits", {"wait": place(group.wait), "group": group.name}),
            Text("cause.waits.wg.copy", {"done": place(done), "function": named(func), "place": at(func, func.first)}),
        )
        sites = (done.func.site("never-done", done.line), func.site("made", func.first), *_added(group))
        return Reason(MECHANISM, texts, sites)
    return None


def _round(group: Group, sure: bool = False) -> Reason | None:
    """A round of the loop that starts the members goes on, or ends the loop, without starting one."""

    def meets(step: Step) -> bool:  # or sends something to whoever calls Done for it
        return group.meets(step) or any(op.kind == "send" for op in step.ops)

    for add in group.adds:
        count = text(add.values[0]) if add.values else ""
        func = add.func
        for head in func.steps:
            if head.kind != "loop" or not any(group.meets(one) for one in func.steps if head.node in one.loops):
                continue
            inside = head.node in add.step.loops
            if inside and (head.node != add.step.loops[-1] or count != "1"):
                continue
            if not inside and (head not in reachable([add.step]) or not _counts(count, head)):
                continue
            again, exits = back_without(add.step, head, meets) if inside else rounds_without(head, meets)
            # Who returns does not come to a wait further down; who waits elsewhere does not notice.
            kinds_of = ("jump",) if group.wait.func is func else ("jump", "return")
            wrong = again if sure else [*again, *(one for one in exits if one.kind in kinds_of)]
            if wrong:
                return _skipped(group, add, func, wrong[0], head, count)
    return None


def _counts(count: str, head: Step) -> bool:
    """Tell whether a loop runs over what Add counted: `Add(len(docs))` and `range docs`, `Add(n)` and `i < n`."""
    clause = text(head.node).partition("{")[0]
    counted = count.removeprefix("len(").removesuffix(")") if count.startswith("len(") else count
    return bool(counted) and counted != "1" and bool(re.search(rf"(?<![\w.]){re.escape(counted)}(?!\w)", clause))


def _skipped(group: Group, add: Op, func: Func, step: Step, head: Step, count: str) -> Reason:
    number = step.line
    key = "cause.waits.wg.round" if count != "1" else "cause.waits.wg.round-one"
    texts = (
        Text("cause.waits.wg.waits", {"wait": place(group.wait), "group": group.name}),
        Text(key, {"add": place(add), "count": count, "loop": at(func, head.line), "skip": at(func, number),
                   "condition": _condition(step) or func.file.code(number)}),
    )  # fmt: skip
    sites = (func.site("never-done", number), add.func.site("added", add.line))
    return Reason(MECHANISM, texts, sites, remedies=wait_fixes.done_for_nobody(add, step))


def _path(group: Group, sure: bool = False) -> Reason | None:
    """A function that has to call Done is left on a path that does not."""
    meets = group.meets
    members = list(dict.fromkeys(_members(group)))
    started = [func for func in members if any(op.kind == "go" for op in group.package.callers.get(func, ()))]
    for func in started or members:
        if sure and not (_started(func, group) and any(op.func is func and not op.step.cases for op in group.dones)):
            continue  # a Done under a condition may go with an Add under the same
        adds = [op for op in group.adds if op.func is func]
        if not adds and not _counted(group, func):
            continue  # who calls it, and whether somebody was counted up for it, is not to be seen
        if adds and not any(meets(step) for step in reachable([op.step for op in adds])):
            continue  # counts up for others, or counts off what others counted up
        if not adds and func in touching(group.package, group.adds):
            continue  # what it calls counts up, perhaps
        done = next((op for op in group.dones if op.func is func or op.func.parent is func), group.dones[0])
        if any(_agreed(op, group) for op in group.dones if op.func is func):
            continue
        loop = _item_loop(func, done, group.dones) if not adds else None
        if done.step.loops and not adds and loop is None and done.func is func:
            continue  # counts off what it takes in rounds of its own
        if loop is not None:
            again, exits = rounds_without(loop, meets)
            wrong = [*again, *(one for one in exits if one.kind == "return")]
        else:
            start = [op.step for op in adds] or ([func.entry] if func.entry is not None else [])
            passes = _or_loop(func, meets) if adds else meets
            leaves = leaves_without(start, passes, _without_group(group))
            wrong = [leave.step for leave in leaves if leave.step.kind in ("return", "end")]
            wrong = [step for step in wrong if not adds or step.kind == "return"]
        if not wrong or (sure and loop is not None) or _made_up(group, func):
            continue
        step = wrong[0]
        texts = [
            Text("cause.waits.wg.waits", {"wait": place(group.wait), "group": group.name}),
            Text(
                f"cause.waits.wg.{'end' if step.kind == 'end' else 'late' if done.inside is not None else 'path'}",
                {
                    "function": named(func),
                    "done": place(done),
                    "left": at(func, step.line),
                    "condition": _condition(step) or func.file.code(step.line),
                },
            ),
        ]
        sites = [func.site("never-done", step.line), done.func.site("done", done.line), *_added(group)]
        remedies = wait_fixes.done_on_every_path(func, done, group.dones, step)
        return Reason(MECHANISM, tuple(texts), tuple(sites), remedies=remedies)
    return None


def _dropped(group: Group, flows: Flows) -> Reason | None:
    """Somebody is handed what calls Done, and drops it on a path."""
    found = dropped(group, flows)
    if found is None:
        return None
    call, func, step = found
    texts = (
        Text("cause.waits.wg.waits", {"wait": place(group.wait), "group": group.name}),
        Text("cause.waits.wg.handed", {"call": place(call), "code": shortened(f"{text(call.target)}()"),
                                       "done": place(group.dones[0])}),
        Text("cause.waits.wg.dropped", {"function": named(func), "left": at(func, step.line),
                                        "condition": _condition(step) or func.file.code(step.line)}),
    )  # fmt: skip
    sites = (
        func.site("never-done", step.line),
        group.dones[0].func.site("done", group.dones[0].line),
        *_added(group),
    )
    return Reason(MECHANISM, texts, distinct(sites))


def _counted(group: Group, func: Func) -> bool:
    """Tell whether a function runs in a goroutine or a callback that stands below an Add of the group."""
    adders = {op.func for op in group.adds}
    todo: list[tuple[Func, bool, int]] = [(func, False, 0)]
    seen: set[Func] = set()
    while todo:
        one, apart, depth = todo.pop()
        if apart and any(parent in adders for parent in _around(one)):
            return True
        if one in seen or depth > _DEEPEST * 2:
            continue
        seen.add(one)
        todo += [(op.func, apart or op.kind == "go", depth + 1) for op in group.package.callers.get(one, ())]
        if one.parent is not None and one.use is not None:
            todo.append((one.parent, apart or one.use.kind in ("go", "call"), depth + 1))
    return False


def _around(func: Func | None) -> Iterator[Func]:
    while func is not None:
        yield func
        func = func.parent


def _agreed(done: Op, group: Group) -> bool:
    """Tell whether a Done under a condition is meant so: it is deferred there, or Add stands under the same one."""
    if not done.step.cases:
        return False
    conditions = {_condition(op.step) for op in group.adds} - {""}
    return done.inside is not None or _condition(done.step) in conditions


def _without_group(group: Group) -> Callable[[Step, str], bool]:
    """Return which branches are taken only when there is no group to count off: `if wg != nil { defer wg.Done() }`."""
    names = {text(operand(op)) for op in group.dones}

    def skip(step: Step, how: str) -> bool:
        condition = text(step.node.child_by_field_name("condition")) if step.kind == "if" else ""
        wanted = "!= nil" if how == "else" else "== nil" if how == "then" else ""
        return bool(wanted) and any(condition == f"{name} {wanted}" for name in names)

    return skip


def _or_loop(func: Func, meets: Callable[[Step], bool]) -> Callable[[Step], bool]:
    """Return the same, but a loop that may do it counts as doing it: it runs over what was counted."""
    loops = {id(step) for step in func.steps if step.kind == "loop"
             and any(meets(one) for one in func.steps if step.node in one.loops)}  # fmt: skip
    return lambda step: id(step) in loops or meets(step)


def _members(group: Group) -> Iterator[Func]:
    """Yield the functions in which Done is called; of a deferred literal the one that defers it."""
    for done in group.dones:
        func = done.func
        while func.parent is not None and func.use is not None and func.use.kind == "defer":
            func = func.parent
        yield func


def _item_loop(func: Func, done: Op, dones: list[Op]) -> Step | None:
    """Return the loop in which each round takes one item and counts it off."""
    if done.func is not func or not done.step.loops:
        return None
    node = min((op.step.loops for op in dones if op.func is func and op.step.loops), key=len)[-1]
    head = next((one for one in func.steps if one.kind == "loop" and one.node == node), None)
    return head if head is not None and any(op.kind == "range" for op in head.ops) else None


def _started(func: Func, group: Group) -> bool:
    """Tell whether a function runs as a goroutine that the group was counted up for, just before."""
    uses = [func.use] if func.parent is not None else group.package.callers.get(func, [])
    return bool(uses) and all(
        use is not None and use.kind == "go" and any(op.func is use.func and op.line < use.line for op in group.adds)
        for use in uses
    )


def _made_up(group: Group, func: Func, depth: int = 0) -> bool:
    """Tell whether a caller counts off itself after the call, so that the function need not."""
    for call in group.package.callers.get(func, ()):
        if call.kind != "call":
            continue
        if depth < _DEEPEST and _made_up(group, call.func, depth + 1):
            return True
        after = reachable([call.step])
        if any(op.func is call.func and op.step in after for op in group.dones):
            return True
        if any(op.func is call.func and op.inside is not None for op in group.dones):
            return True
    return False


def _condition(step: Step) -> str:
    """Return the condition under which a step is reached, as written."""
    if not step.cases:
        return ""  # always
    case = step.cases[-1]
    if case.kind == "if":
        return text(case.node.child_by_field_name("condition"))
    return " ".join(text(case.node).partition(":")[0].split())


def _added(group: Group) -> tuple[CauseSite, ...]:
    return tuple(op.func.site("added", op.line) for op in group.adds[:1])
