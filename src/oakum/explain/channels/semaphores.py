"""Who took a turn and did not give it back? Semaphores, pools, and channels that serve as locks.

Comes in: a stack that waits to take one. Goes out: the function that gives back on one way and leaves on another
without; or two orders in which channels with room for one are taken. None where others give back by design.
"""

from collections.abc import Iterator
from typing import NamedTuple

from oakum.explain import fixes
from oakum.explain.code.calls import at, place
from oakum.explain.code.locking import Holding, Leave, Locking, loose, used_as_value
from oakum.explain.code.nouns import ElemRef, FieldRef, Func, Op, ResultRef, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.semaphores import Semaphore, at_channel, by_method
from oakum.explain.code.syntax import text
from oakum.explain.leaving import shortened
from oakum.explain.locks.held_locks import LockStack, Wanted, call_text, site
from oakum.explain.locks.orders import opposite
from oakum.explain.reason import Reason, distinct
from oakum.model import Remedy, Text
from oakum.model.vocabulary import Mechanism

_MOST = 2  # functions, and exits of each, that are told
_READ = ("own", "dependency")


class TurnStack(LockStack):
    """A stack, with turns in place of locks."""

    def __init__(self, stack: LockStack, turns: Semaphore, locking: Locking, at: int | None = None) -> None:
        super().__init__(stack.scene)
        self.turns, self._turning = turns, locking
        self.first = self.place if at is None else at

    def locking(self, package: Package) -> Locking:
        """Return which turns are held where; of other packages their locks."""
        return self._turning if package is self.turns.package else super().locking(package)

    @property
    def wanted(self) -> Wanted | None:
        """Return the turn that it waits for, in the words of the first function that names more than a parameter."""
        at, spot = self.first, self._spot(self.first)
        op = self._taking() if spot is not None and spot.package is self.turns.package else None
        done = self.turns.does(op) if op is not None else None
        if op is None or done is None:
            return None
        lock = done.lock
        while not lock.fields and isinstance(lock.root, Var) and lock.root.kind in ("param", "receiver"):
            call, above, below = self.call(at + 1), self._spot(at + 1), self._spot(at)
            if call is None or above is None or below is None or above.package is not self.turns.package:
                break
            given = self.turns.given(lock, below.func, call)
            if given is None:
                break
            lock, op, at = given, call, at + 1
        return Wanted(lock, "w", op, at, (lock, *(None for _ in range(at + 1, len(self.frames)))))

    def _taking(self) -> Op | None:
        if self.first != self.place:
            return self.call(self.first)
        return next((op for op in _waiting(self) if (done := self.turns.does(op)) and done.verb == "take"), None)


def _waiting(stack: LockStack) -> list[Op]:
    """Return the channel operations that the lowest frame waits in."""
    op = stack.waiting
    if op is None or op.kind not in ("send", "receive"):
        return []
    return [one for one in op.func.ops if one.select == op.select] if op.select is not None else [op]


def reason(stack: LockStack) -> Reason | None:
    """Return who keeps the turn that is waited for."""
    for turns, row in turns_of(stack):
        locking = Locking(turns.package, turns)
        mine = TurnStack(stack, turns, locking, row)
        wanted = mine.wanted
        if wanted is None:
            continue
        found = _circle(mine, wanted) if turns.single else None
        found = found or _kept(locking, turns, wanted, stack.scene.suspect.mechanisms[0])
        if found is not None:
            return found
    return None


def turns_of(stack: LockStack) -> Iterator[tuple[Semaphore, int]]:
    """Yield what the stack may wait to take, each with the frame that takes."""
    spot = stack.blocked
    if spot is not None and spot.frame.owner in _READ:
        for op in _waiting(stack):
            turns = at_channel(op, stack.scene.flows(spot))
            if turns is not None:
                yield turns, stack.place
    for row in range(stack.place + 1, len(stack.frames)):
        above, below = stack.scene.spots[row], stack.frames[row - 1]
        if above is None or above.frame.owner != "own" or below.package == above.frame.package:
            continue
        call = stack.call(row)
        taker = stack.scene.spots[row - 1]
        flows = stack.scene.flows(above)
        turns = by_method(call, flows, taker.func if taker is not None else None) if call is not None else None
        if turns is not None and below.name.rpartition(".")[2] == turns.name:
            yield turns, row
        return


def _circle(stack: TurnStack, wanted: Wanted) -> Reason | None:
    """Return that channels which serve as locks are taken in two orders."""
    found = opposite(stack, wanted)
    if found is None:
        return None
    verbs = ("send", "receive") if stack.turns.takes == "send" else ("receive", "send")
    args = {"channel": wanted.lock.written, "place": place(wanted.op), "take": verbs[0], "give": verbs[1]}
    return Reason(found.mechanism, (Text("cause.turn.lock", args), *found.texts), found.sites, False, found.remedies)


class Left(NamedTuple):
    """An exit with a turn that the function gives back on another way."""

    func: Func
    held: Holding
    leave: Leave
    gives: tuple[Op, ...]


def _kept(locking: Locking, turns: Semaphore, wanted: Wanted, mechanism: Mechanism) -> Reason | None:
    found = [one for one in left(locking, turns) if _alike(one.held, wanted, turns)]
    funcs = list(dict.fromkeys(one.func for one in found))
    if not funcs or len(funcs) > _MOST or given_elsewhere(locking, turns):
        return None
    texts = [Text("cause.turn.waits", {"place": place(wanted.op), "code": call_text(wanted.op)})]
    sites = []
    remedies: list[Remedy | None] = []
    for func in funcs:
        exits = [one for one in found if one.func is func][:_MOST]
        texts += [_left_says(one) for one in exits]
        sites += [func.site("never-released", one.leave.step.line) for one in exits]
        sites.append(site("acquired", exits[0].held.op))
        back = next((op for op in exits[0].gives if op.inside is None), None)
        if back is not None:
            steps = [one.leave.step for one in exits]
            remedies.append(fixes.call_before_each(steps, text(back.node), "give-back"))
    texts.append(Text("cause.turn.ends", {}))
    return Reason(mechanism, tuple(texts), distinct(sites), remedies=fixes.drafts(*remedies))


def _alike(held: Holding, wanted: Wanted, turns: Semaphore) -> bool:
    """Tell whether a turn is of the kind waited for: the same field, or a name that leads to the same channel."""
    if held.lock.kind == wanted.lock.kind:
        return True
    kinds = (held.lock.kind[1], wanted.lock.kind[1])
    return any(isinstance(one, Var) for one in kinds) and all(one in turns.symbols for one in kinds)


def left(locking: Locking, turns: Semaphore) -> Iterator[Left]:
    """Yield the exits that keep a turn which the same function gives back on another way."""
    for func in locking.package.all:
        if func not in locking.involved or func.top.name.startswith("Test"):
            continue
        reading = locking.reading(func)
        if not reading.whole or loose(locking, func) or _started(locking, func):
            continue
        seen: set[tuple[int, object]] = set()
        for leave in reading.leaves:
            for held in leave.state.held if leave.step.kind != "panic" else ():
                gives = tuple(op for op in func.ops if _gives(locking, op, held))
                if not gives or (leave.step.line, held.lock) in seen or not held.lock.single:
                    continue
                if not turns.succeeds(func, leave.step) or not _handed(turns, func, held, leave):
                    seen.add((leave.step.line, held.lock))
                    yield Left(func, held, leave, gives)


def _gives(locking: Locking, op: Op, held: Holding) -> bool:
    """Tell whether an operation gives a turn back in the same loops in which it was taken."""
    if op.kind not in locking.names.kinds or op.step.loops != held.op.step.loops:
        return False
    return any(verb == "free" and lock == held.lock for verb, lock, _ in locking.effects(op))


def _started(locking: Locking, func: Func) -> bool:
    """Tell whether a function starts, or hands to somebody, one that gives back."""
    for op in func.ops:
        if op.kind == "go" and any(_owed(locking, callee) for callee in locking.package.callees(op)):
            return True
    return False


def _owed(locking: Locking, func: Func) -> bool:
    reading = locking.reading(func) if func in locking.involved else None
    return reading is not None and (not reading.whole or any(leave.state.owed for leave in reading.leaves))


def _handed(turns: Semaphore, func: Func, held: Holding, leave: Leave) -> bool:
    """Tell whether what was taken is somebody else's at this exit: returned, or put where it is found again."""
    taken = [op for op in held.op.step.ops if op.kind == "assign" and op.values[0] == held.op.node and not op.index]
    todo: list[Symbol] = []
    for op in taken:
        symbol = turns.package.symbol(op.target, func, op.file)
        if symbol is not None and not isinstance(symbol, Var):
            return True
        todo += [symbol] if symbol is not None else []
    seen = set(todo)
    while todo:
        for target, op in turns.flows.out.get(todo.pop(), ()):
            done = turns.does(op)
            if target in seen or (done is not None and done.verb == "free"):
                continue
            if isinstance(target, (FieldRef, ElemRef)) or (isinstance(target, ResultRef) and op.step is leave.step):
                return True
            seen.add(target)
            todo.append(target)
    return False


def given_elsewhere(locking: Locking, turns: Semaphore) -> bool:
    """Tell whether functions give back that took nothing, and that nobody who did calls: then it is done by design."""
    for func in locking.involved:
        if not _owed(locking, func) or func in turns.makes or _fills(turns, func):
            continue
        if func.parent is not None and func.use is not None:
            continue  # the function around it has taken
        if not locking.package.callers.get(func) or used_as_value(func):
            return True
    return False


def _fills(turns: Semaphore, func: Func) -> bool:
    """Tell whether a function puts new things into a pool, not those that somebody was lent."""
    if turns.takes != "receive" or turns.name:
        return False
    puts = [done.op for op in func.ops if (done := turns.does(op)) is not None and done.verb == "free"]
    lent = {param.name for param in func.params}
    return bool(puts) and not any(text(value) in lent for op in puts for value in op.values)


def _left_says(one: Left) -> Text:
    func, step = one.func, one.leave.step
    args = {
        "function": func.full,
        "taken": place(one.held.op),
        "code": call_text(one.held.op),
        "given": place(one.gives[0]),
        "back": call_text(one.gives[0]),
        "exit": at(func, step.line),
    }
    case = next((case for case in reversed(step.cases) if case.kind == "if"), None)
    if case is None:
        return Text("cause.turn.left", args)
    condition = shortened(text(case.node.child_by_field_name("condition")))
    return Text("cause.turn.left-when", args | {"condition": condition, "case": at(func, case.line)})
