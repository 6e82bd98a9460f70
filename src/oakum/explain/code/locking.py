"""Which locks are held where: every way through a function, with what it has locked, unlocked and deferred so far.

Comes in: a read package. Goes out: for any operation the states in which it can be reached, for a function what it
leaves locked or unlocked. A condition asked twice has the same answer both times. When a function has too many ways, it
is left unread: `LockReading.whole` is False, and nothing is known.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace
from tree_sitter import Node

from oakum.explain.code.lock_states import (
    Again,
    Holding,
    Leave,
    LockReading,
    Pending,
    State,
    Summary,
    below,
    condition,
    succeeds,
)  # fmt: skip
from oakum.explain.code.locks import Does, Lock, Names
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.package import Package, within
from oakum.explain.code.paths import touching
from oakum.explain.code.syntax import text

_MOST = 3000  # (step, state) pairs of one function
_DEEPEST = 4  # helpers that call helpers that lock
_WORD = re.compile(r"\w+")
_HANDED = re.compile(r"\.R?Unlock\b(?!\s*\()")  # mu.Unlock as a value


class Locking:
    """The locks of a package, function by function; read when asked for."""

    def __init__(self, package: Package, names: Names | None = None) -> None:
        self.package = package
        self.names = names or Names(package)
        self._readings: dict[Func, LockReading] = {}
        self._summaries: dict[Func, Summary] = {}
        self._active: set[Func] = set()
        self._wants: dict[tuple[Func, int], tuple[tuple[Lock, str, Op], ...]] = {}
        self._callees: dict[Op, Func | None] = {}
        self._effects: dict[Op, tuple[tuple[str, Lock, str], ...]] = {}

    @cached_property
    def involved(self) -> set[Func]:
        """Return the functions that lock or unlock, themselves or through what they call."""
        return touching(self.package, [done.op for func in self.package.all for done in self.locks(func)])

    @cached_property
    def released_elsewhere(self) -> frozenset[object]:
        """Return the kinds of locks that are released by functions which have not taken them, nor their callers."""
        found: set[object] = set()
        todo = [func for func in self.package.all if any(done.verb == "free" for done in self.locks(func))]
        seen = set(todo)
        while todo:
            func = todo.pop()
            owed = self._owed(func)
            found |= owed if self._begins(func) else set()
            callers = {call.func for call in self.package.callers.get(func, ())} if owed else set()
            todo += callers - seen
            seen |= callers
        return frozenset(found)

    def _owed(self, func: Func) -> set[object]:
        """Return the kinds of locks that a function releases for others."""
        reading = self.reading(func)
        if reading.whole:
            return {lock.kind for leave in reading.leaves for lock in leave.state.owed}
        return {done.lock.kind for done in self.locks(func) if done.verb == "free"}

    def _begins(self, func: Func) -> bool:
        """Tell whether a function is called by nobody who is known to hold what it releases."""
        if func.parent is not None:
            return func.use is None or func.use.kind != "defer"
        calls = self.package.callers.get(func, [])
        return not calls or used_as_value(func) or any(op.kind == "go" or self.callee(op) is not func for op in calls)

    def locks(self, func: Func) -> list[Does]:
        """Return what a function itself does to locks, its literals left out."""
        return [done for op in func.ops if (done := self.names.does(op)) is not None]

    def reading(self, func: Func) -> LockReading:
        """Return every way through a function."""
        if func not in self._readings:
            self._readings[func] = _Walk(self, func).run()
        return self._readings[func]

    def at(self, op: Op) -> list[State]:
        """Return the states in which an operation is reached, before it is done."""
        reading = self.reading(op.func)
        if not reading.whole:
            return []
        walk = _Walk(self, op.func)
        found: dict[State, None] = {}
        for state in reading.before.get(op.step, ()):
            for one in op.step.ops:
                if one is op:
                    break
                state = walk.do(state, one)
            found[state] = None
        return list(found)

    def at_exit(self, func: Func, deferred: Op) -> list[State]:
        """Return the states in which a deferred call runs: what was deferred after it is done."""
        found: dict[State, None] = {}
        for leave in self.reading(func).leaves:
            walk = _Walk(self, func)
            state = walk.through(leave.step, leave.reached)
            later = [one for one in state.deferred if one.op.node.start_byte > deferred.node.start_byte]
            found[walk.undo(state, later)] = None
        return list(found)

    def summary(self, func: Func) -> Summary:
        """Return what a call of the function does to the locks of its caller."""
        if func not in self._summaries:
            if func in self._active or len(self._active) > _DEEPEST:
                return Summary()
            self._active.add(func)
            self._summaries[func] = self._summarize(func)
            self._active.discard(func)
        return self._summaries[func]

    def _summarize(self, func: Func) -> Summary:
        if func not in self.involved:
            return Summary()
        reading = self.reading(func)
        leaves = [leave for leave in reading.leaves if leave.step.kind != "panic"]
        leaves = [leave for leave in leaves if self.names.succeeds(func, leave.step)] or leaves
        if not reading.whole or not leaves:
            return Summary()
        frees = frozenset((lock, "") for leave in leaves for lock in leave.state.owed)
        takes = [] if loose(self, func) else [(one.lock, one.mode) for one in leaves[0].state.held]
        takes = [one for one in takes if all(leave.state.find(one[0]) for leave in leaves)]
        return Summary(tuple(dict.fromkeys(takes)), frees)

    def effects(self, op: Op) -> tuple[tuple[str, Lock, str], ...]:
        """Return what a call does to locks: (take | free, lock as this function names it, mode)."""
        if op not in self._effects:
            found = tuple(self._done(op))
            if self._active:  # a helper that is being read calls itself: not the whole truth
                return found
            self._effects[op] = found
        return self._effects[op]

    def _done(self, op: Op) -> Iterator[tuple[str, Lock, str]]:
        done = self.names.does(op)
        if done is not None:
            if done.verb != "try":
                yield done.verb, done.lock, done.mode
            return
        callee = self.callee(op)
        if callee is None:
            return
        summary = self.summary(callee)
        for lock, _ in summary.frees:
            if (mine := self.names.given(lock, callee, op)) is not None:
                yield "free", mine, ""
        for lock, mode in summary.takes:
            if (mine := self.names.given(lock, callee, op)) is not None:
                yield "take", mine, mode

    def callee(self, op: Op) -> Func | None:
        """Return the function that a call runs, when there is one that has to do with locks."""
        if op not in self._callees:
            name = text(op.target).rpartition(".")[2]
            callees = (
                self.package.callees(op)
                if op.callee or name in self._involved_names or "." not in text(op.target)
                else []
            )
            self._callees[op] = callees[0] if len(callees) == 1 and callees[0] in self.involved else None
        return self._callees[op]

    @cached_property
    def _involved_names(self) -> set[str]:
        return {func.name for func in self.involved if func.parent is None}

    def wants(self, func: Func, depth: int = 0) -> tuple[tuple[Lock, str, Op], ...]:
        """Return the locks that a function takes while its caller still has what it had: (lock, mode, operation)."""
        if (func, depth) not in self._wants:
            self._wants[func, depth] = tuple(self._wanted(func, depth))
        return self._wants[func, depth]

    def _wanted(self, func: Func, depth: int) -> Iterator[tuple[Lock, str, Op]]:
        if depth > _DEEPEST or func not in self.involved:
            return
        reading = self.reading(func)
        if not reading.whole:
            return
        switches = _switches(func)
        for op in func.ops:
            if op.kind not in self.names.kinds or op.inside is not None or _guarded(op.step, switches):
                continue
            done = self.names.does(op)
            states = None
            if done is not None and done.verb == "take":
                states = self.at(op)
                if states and not any(done.lock in state.owed for state in states):
                    yield done.lock, done.mode, op
            elif done is None and not op.step.cases and (callee := self.callee(op)) is not None:
                for lock, mode, _ in self.wants(callee, depth + 1):
                    mine = self.names.given(lock, callee, op)
                    if mine is not None:
                        states = self.at(op) if states is None else states
                        if states and not any(mine in state.owed or state.find(mine) for state in states):
                            yield mine, mode, op


def used_as_value(func: Func) -> bool:
    """Tell whether a method is handed to somebody: time.AfterFunc(d, s.release)."""
    value = re.compile(rf"\.{re.escape(func.name)}\b(?!\s*\()".encode())
    return bool(func.receiver) and any(value.search(file.source.data) for file in func.package.files)


def hands_out(func: Func) -> bool:
    """Tell whether a function returns what will unlock: a func, or mu.Unlock as a value."""
    return any(kind.startswith("func") for kind in func.results) or _HANDED.search(text(func.node)) is not None


def _switches(func: Func) -> set[str]:
    """Return the bool parameters of a function and of those around it."""
    found: set[str] = set()
    at: Func | None = func
    while at is not None:
        found |= {var.name for var in at.params if var.type == "bool"}
        at = at.parent
    return found


def _guarded(step: Step, switches: set[str]) -> bool:
    """Tell whether a step is done only for some values of a bool parameter: `if !locked { mu.Lock() }`."""
    conditions = (text(one.node.child_by_field_name("condition")) for one in step.cases if one.kind == "if")
    return any(switches & set(_WORD.findall(condition)) for condition in conditions)


class _Walk:
    def __init__(self, locking: Locking, func: Func) -> None:
        self.locking, self.func = locking, func
        self.reading = LockReading(func)
        self.step: Step | None = None
        self.reached = State()

    @cached_property
    def repeated(self) -> set[str]:
        """Return the conditions that are asked more than once, and that no call decides."""
        conditions = Counter(condition(step)[0] for step in self.func.steps if step.kind == "if")
        return {one for one, count in conditions.items() if count > 1 and "(" not in one and one}

    def run(self) -> LockReading:
        reading = self.reading
        if self.func.entry is None:
            reading.whole = False
            return reading
        start = (self.func.entry, State())
        reading.from_[start] = None
        reading.before[start[0]] = {start[1]: None}
        todo = [start]
        while todo:
            reached = []
            for step, state in todo:
                after = self.through(step, state)
                if step.leaves and (step.kind != "panic" or text(step.node).startswith("panic(")):
                    self.step, self.reached = step, state
                    reading.leaves.append(Leave(step, self.undo(after, after.deferred), state))
                for following, how in step.after:
                    taken = self.branch(step, how, after)
                    if taken is None or (following, taken) in reading.from_:
                        continue
                    reading.from_[following, taken] = (step, state)
                    reading.before.setdefault(following, {})[taken] = None
                    reached.append((following, taken))
            if len(reading.from_) > _MOST:
                return LockReading(self.func, whole=False)
            todo = reached
        return reading

    def through(self, step: Step, state: State) -> State:
        self.step, self.reached = step, state
        for op in step.ops:
            state = self.do(state, op)
        return state

    def do(self, state: State, op: Op) -> State:
        if op.kind == "assign" and op.target is not None:
            return self.forget(state, [op.target], op.step)
        if op.kind == "range":
            return self.forget(state, op.values, op.step)
        if op.kind not in self.locking.names.kinds or (op.inside is not None and op.inside.kind == "go"):
            return state
        effects = list(self.locking.effects(op))
        if op.inside is not None:
            more = tuple(Pending(verb, lock, mode, op.inside) for verb, lock, mode in effects)
            return replace(state, deferred=(*(one for one in state.deferred if one not in more), *more))
        for verb, lock, mode in effects:
            state = self.take(state, lock, mode, op) if verb == "take" else self.free(state, lock)
        return state

    def take(self, state: State, lock: Lock, mode: str, op: Op) -> State:
        held = state.find(lock)
        if held is not None and self.step is not None:
            self.reading.again.append(Again(held, op, mode, self.step, self.reached))
            return state
        if lock in state.owed:  # unlocked for a while, locked again
            return replace(state, owed=state.owed - {lock})
        return replace(state, held=(*state.held, Holding(lock, mode, op)))

    def free(self, state: State, lock: Lock) -> State:
        held = state.find(lock)
        if held is None:
            return replace(state, owed=state.owed | {lock})
        return replace(state, held=tuple(one for one in state.held if one is not held))

    def undo(self, state: State, deferred: Sequence[Pending]) -> State:
        """Return the state after deferred calls have run, the last one first."""
        for one in reversed(deferred):
            state = self.take(state, one.lock, one.mode, one.op) if one.verb == "take" else self.free(state, one.lock)
        return replace(state, deferred=())

    def forget(self, state: State, targets: Sequence[Node], step: Step) -> State:
        """Return the state without what is said of objects that a variable or field no longer names."""
        if not (state.held or state.facts or state.owed):
            return state
        for target in targets:
            var = self.func.package.var(target, self.func.file) if target.type == "identifier" else None
            way = (var, ()) if var is not None else self.locking.names.way(target, self.func, self.func.file)
            if way is not None:
                # e := locked(): the call on this very line has locked what e names now.
                held = tuple(one for one in state.held if one.op.step is step or not below(one.lock, way))
                state = replace(state, held=held, owed=frozenset(one for one in state.owed if not below(one, way)))
            words = set(_WORD.findall(text(target))[-1:])
            if state.facts:
                kept = frozenset(one for one in state.facts if not words & set(_WORD.findall(one[0])))
                state = replace(state, facts=kept)
        return state

    def branch(self, step: Step, how: str, state: State) -> State | None:
        """Return the state on one branch of a condition; None when what is known rules the branch out."""
        if step.kind not in ("if", "loop") or how not in ("then", "else"):
            return state
        gone = [one for one in state.held if self.locking.names.failed(one.op, step, how)]
        if gone:
            state = replace(state, held=tuple(one for one in state.held if one not in gone))
        for op in step.ops:
            done = self.locking.names.does(op) if op.kind == "call" else None
            if done is not None and done.verb == "try" and succeeds(step, op) == how:
                state = self.take(state, done.lock, done.mode, op)
        if step.kind == "if":
            asked, plain = condition(step)
            if asked in self.repeated:
                value = (how == "then") == plain
                if (asked, not value) in state.facts:
                    return None
                state = replace(state, facts=state.facts | {(asked, value)})
        return state


def loose(locking: Locking, func: Func) -> bool:
    """Tell whether some other function may unlock what this one leaves locked: a literal, a goroutine, a value."""
    if hands_out(func):
        return True
    for literal in (one for child in func.literals for one in within(child)):
        if any(verb == "free" for op in literal.ops for verb, _, _ in locking.effects(op)):
            deferred = literal.use is not None and literal.use.kind == "defer" and literal.parent is func
            if not deferred:
                return True
    return False


__all__ = ["Again", "Holding", "Leave", "LockReading", "Locking", "State", "hands_out", "loose", "used_as_value"]
