"""One stack -> the lock that it waits for, and the locks that its frames hold meanwhile.

Comes in: a scene. Goes out: `LockStack`: what is wanted, as each frame names it, and each held lock with its frame.
"""

from functools import cached_property

from msgspec import Struct

from oakum.explain.code.locking import Locking, State
from oakum.explain.code.locks import TAKES, Lock
from oakum.explain.code.nouns import Func, Op, Var
from oakum.explain.code.package import Package
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import text
from oakum.explain.leaving import shortened
from oakum.explain.reason import StackInSource
from oakum.model import CauseSite, Frame
from oakum.model.frame import split_function
from oakum.model.vocabulary import CauseRole


class HeldLock(Struct, frozen=True):
    """A lock that a frame of the stack holds."""

    lock: Lock
    mode: str
    op: Op  # took it
    at: int  # frame
    via: Op  # the call on which the frame stands
    always: bool  # on every way to that call


class Wanted(Struct, frozen=True):
    """The lock that a stack waits for."""

    lock: Lock
    mode: str
    op: Op
    at: int  # frame
    names: tuple[Lock | None, ...]  # as that frame and each caller call it; None from where it cannot be told

    def seen_from(self, held: HeldLock) -> Lock | None:
        """Return the wanted lock in the words of the function that holds another; None when it has none for it."""
        name = self.names[held.at - self.at]
        if name is None or not isinstance(name.root, Var) or name.root.func is None:
            return name
        func: Func | None = held.op.func
        while func is not None and func is not name.root.func:
            func = func.parent
        return name if func is not None else None


class LockStack:
    """The locks of one stack."""

    def __init__(self, scene: StackInSource) -> None:
        self.scene = scene
        self.frames = scene.trace.frames
        self.place = next((at for at, spot in enumerate(scene.spots) if spot is scene.blocked), 0)

    @property
    def blocked(self) -> ResolvedFrame | None:
        return self.scene.blocked

    def locking(self, package: Package) -> Locking:
        return self.scene.program.locking(package)

    @cached_property
    def wanted(self) -> Wanted | None:
        spot = self.blocked
        if spot is None or not self.place:
            return None
        below = split_function(self.frames[self.place - 1].function)
        if below[0] != "sync":
            return None
        mode = TAKES.get(below[2]) if below[1] in ("*Mutex", "*RWMutex") else "once" if below[1] == "*Once" else None
        wanted = {"w": "Lock", "r": "RLock", "once": "Do"}.get(mode or "")
        if mode is None or wanted is None:
            return None
        locking = self.locking(spot.package)
        for op in spot.ops:
            if op.kind != "call" or op.target is None or _name(op) != wanted:
                continue
            operand = op.target.child_by_field_name("operand")
            lock = locking.names.lock(operand, op.func, op.file) if operand is not None else None
            if lock is not None:
                names = self._names(lock)
                return Wanted(lock, mode, op, self.place, tuple(names))
        return None

    def _names(self, lock: Lock) -> list[Lock | None]:
        """Return a lock of the frame that waits as each of its callers names it."""
        names: list[Lock | None] = [lock]
        for at in range(self.place + 1, len(self.frames)):
            names.append(self._above(names[-1], at))
        return names

    def _above(self, lock: Lock | None, at: int) -> Lock | None:
        """Return a lock of the frame below as this one names it."""
        if lock is None or isinstance(lock.root, str):
            return None
        below, spot = self._spot(at - 1), self._spot(at)
        owner = lock.root.func if isinstance(lock.root, Var) else None
        if owner is None or below is None or owner is not below.func:
            return lock  # a variable of the package, or of a function around a closure
        call = self.call(at)
        if spot is None or call is None:
            return None
        return self.locking(spot.package).names.given(lock, below.func, call)

    def _spot(self, at: int) -> ResolvedFrame | None:
        return self.scene.spots[at] if 0 <= at < len(self.scene.spots) else None

    def call(self, at: int) -> Op | None:
        """Return the call of a frame that leads to the frame below; a deferred one when the frame is leaving."""
        spot, below = self._spot(at), self._spot(at - 1)
        if spot is None or at == 0:
            return None
        name = _called(self.frames[at - 1])
        func = below.func if below is not None else None
        calls = [op for op in spot.ops if op.kind == "call" and (op.inside is None or op.inside.kind != "go")]
        now = [op for op in calls if op.inside is None]
        for op in now:
            if _leads(op, name, func):
                return op
        for op in spot.func.ops:
            if op.kind == "call" and op.inside is not None and op.inside.kind == "defer" and _leads(op, name, func):
                return op
        return now[0] if now else calls[0] if calls else None

    @cached_property
    def held_locks(self) -> list[HeldLock]:
        """Return the locks that frames above the wait hold, the nearest first."""
        found: list[HeldLock] = []
        freed: list[Lock | None] = []
        for at in range(self.place, len(self.frames)):
            spot = self._spot(at)
            freed = [self._above(lock, at) for lock in freed] if at > self.place else []
            if spot is None:
                continue
            via = self.wanted.op if self.wanted and at == self.wanted.at else None
            via = via or (self.waiting if at == self.place else None) or self.call(at)
            if via is None:
                continue
            found += self._once(at, via)
            states = self._states(spot.func, via)
            for op in dict.fromkeys(one.op for state in states for one in state.held):
                one = next(held for state in states for held in state.held if held.op is op)
                if one.lock not in freed:
                    always = all(any(held.op is op for held in state.held) for state in states)
                    found.append(HeldLock(one.lock, one.mode, op, at, via, always))
            owed = {lock for state in states for lock in state.owed}
            freed += [lock for lock in owed if all(lock in state.owed for state in states)]
        return found

    @cached_property
    def waiting(self) -> Op | None:
        """Return the operation that the lowest frame waits in, when that is no lock."""
        spot = self.blocked
        if spot is None:
            return None
        wanted = {"chan send": ("send",), "chan receive": ("receive", "range")}
        bare = self.scene.state.removesuffix(" (nil chan)")
        if bare in wanted:
            return spot.op(*wanted[bare])
        if bare.startswith("select"):
            return next((op for op in spot.func.ops if op.select is not None and _covers(op, spot.number)), None)
        below = _called(self.frames[self.place - 1]) if self.place else ""
        calls = [op for op in spot.ops if op.kind == "call"]
        return next((op for op in calls if _name(op) == below), None) or (calls[0] if calls else spot.op("receive"))

    def _states(self, func: Func, op: Op) -> list[State]:
        locking = self.locking(func.package)
        if func not in locking.involved:
            return []
        if op.inside is not None and op.inside.kind == "defer":
            return locking.at_exit(func, op.inside)
        return locking.at(op)

    def _once(self, at: int, via: Op) -> list[HeldLock]:
        """Return the sync.Once whose function runs below this frame."""
        spot = self._spot(at)
        if spot is None or at == self.place or split_function(self.frames[at - 1].function)[:2] != ("sync", "*Once"):
            return []
        operand = via.target.child_by_field_name("operand") if via.target is not None else None
        names = self.locking(spot.package).names
        lock = names.lock(operand, via.func, via.file) if operand is not None else None
        return [HeldLock(lock, "once", via, at, via, True)] if lock is not None else []


def _covers(op: Op, number: int) -> bool:
    node = op.select
    return node is not None and node.start_point[0] + 1 <= number <= node.end_point[0] + 1


def _name(op: Op) -> str:
    return text(op.target).rpartition(".")[2]


def _called(frame: Frame) -> str:
    return split_function(frame.function)[2].removesuffix("-fm").rpartition(".")[2]


def _leads(op: Op, name: str, func: Func | None) -> bool:
    """Tell whether a call can lead to a function: by its name, or because it runs or is handed that literal."""
    if op.callee is not None:
        return op.callee is func
    if _name(op).partition("[")[0] == name:
        return True
    return func is not None and (func.use is op or func in func.package.callees(op))


def site(role: CauseRole, op: Op) -> CauseSite:
    return op.func.site(role, op.line)


def call_text(op: Op) -> str:
    """Return a call without its arguments, another operation as it stands."""
    if op.kind in ("call", "defer", "go") and op.target is not None:
        return shortened(f"{text(op.target)}()")
    return shortened(text(op.node).partition("\n")[0])
