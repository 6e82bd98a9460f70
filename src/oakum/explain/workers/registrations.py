"""Why are there ever more registrations? Memory that a registering call allocated, by the way that led to it.

Comes in: the frames of an allocation, the driver first. Goes out: where own code registers, what that lasts for, and
the line that loses or forgets it although the next round registers again. Abstains where nothing tells how a
registration is taken back.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from tree_sitter import Node

from oakum.explain.code.calls import method, place
from oakum.explain.code.nouns import ElemRef, Func, Op, Step, Symbol, Var
from oakum.explain.code.paths import after_error, meeting
from oakum.explain.code.program import Program, ResolvedFrame, calls
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.workers.acquirers import releasing
from oakum.explain.workers.drafts import loss_fixes
from oakum.explain.workers.losses import lines, texts
from oakum.explain.workers.owners import (
    Loss,
    called,
    dropped,
    handed,
    handed_up,
    here,
    kept,
    put_away,
    reach,
    released,
    skipped,
)
from oakum.knowledge.pairs import pairs
from oakum.model import CauseSite, Frame, Text
from oakum.model.frame import split_function
from oakum.model.vocabulary import Mechanism

_MECHANISM: Mechanism = "accumulating-registration"
_NAME = re.compile(r"(?:.*\.)?([A-Z]\w+)$")  # (*Ticker).Stop, Unsubscribe


class Level(Struct, frozen=True):
    """One own function on the way, and the call in it that leads on."""

    spot: ResolvedFrame
    call: Op


def reason(scene: StackInSource) -> Reason | None:
    """Return why registrations pile up."""
    suspect = scene.suspect
    if _MECHANISM not in suspect.mechanisms or not suspect.path:
        return None
    own = [at_ for at_, frame in enumerate(suspect.path) if frame.owner == "own"]
    begin = own[-1] if own else -1
    levels = levels_from(scene.program, suspect.path, begin) if 0 <= begin < len(suspect.path) - 1 else []
    if not levels:
        return None
    return Registration(scene, levels, suspect.path[begin + 1]).reason()


def levels_from(program: Program, path: Sequence[Frame], begin: int) -> list[Level]:
    """Return the own calls of a path from one frame up to the driver."""
    found: list[Level] = []
    for number in range(begin, -1, -1):
        spot = program.spot(path[number], calls) if path[number].owner == "own" else None
        called_ = split_function(path[number + 1].function)[2].partition(".")[0]
        ops = [op for op in spot.ops if op.kind == "call"] if spot is not None else []
        op = next((op for op in ops if method(op) == called_), None)
        if spot is None or op is None:
            break
        found.append(Level(spot, op))
    return found


class Registration:
    """One registration, followed up through the calls that led to it."""

    def __init__(self, scene: StackInSource, levels: list[Level], beyond: Frame | None) -> None:
        self.scene, self.levels, self.beyond = scene, levels, beyond
        self.program = scene.program
        self.call = levels[0].call

    def reason(self) -> Reason | None:
        names, returns = self._undo()
        if kept(self.call).unused:
            if _context(self.call) is not None:
                return self._lost(1, frozenset(), False, self._lives())
            if not returns:
                return None
            loss = Loss("unused", self.call.func, self.call.line, self.call.step, self.call)
            return self._build_reason(loss, 0, names)
        if not names and not returns:
            return None
        return self._lost(0, names, returns, [])

    def _lost(self, begin: int, names: frozenset[str], returns: bool, also: Sequence[Text]) -> Reason | None:
        found = self.loss(begin, names, returns)
        return self._build_reason(*found, names, also) if found is not None else None

    def loss(self, begin: int, names: frozenset[str], returns: bool, given: bool = False) -> tuple[Loss, int] | None:
        """Return where what the level below handed up is lost, and at which level.

        `given`: what takes it back may be given it, `hub.Unsubscribe(s)`, and need not be a method of it.
        """
        package, about, releases = self.call.func.package, set[Symbol](), list[Op]()
        for number, level in enumerate(self.levels[begin:], begin):
            if level.spot.package is not package:  # there, methods of this package release it
                names |= releasing(package, releases)
                package, about = level.spot.package, set()
            flows = self.program.flows(package)
            about |= set(kept(level.call).symbols)
            flow = reach(flows, about)
            releases = [*released(flows, flow.symbols, names), *(called(flows, flow.symbols) if returns else ())]
            releases += handed(flows, flow.symbols, names) if given else ()
            loss = here(flows, level.call, releases)
            if loss is None and handed_up(flows, level.call) and not put_away(flows, level.call):
                continue
            if loss is None:
                loss = dropped(flows, flow, releases) or skipped(flows, releases)
                loss = self._seen(loss, level) if loss is not None else None
            if loss is None and names and not releases and not flow.foreign:
                loss = Loss("kept", level.call.func, level.call.line, level.call.step, level.call)
            return (loss, number) if loss is not None else None
        return None

    def _undo(self) -> tuple[frozenset[str], bool]:
        """Return the methods that take a registration back, and whether the call returns a function that does."""
        frame = self.beyond
        if frame is None:
            return frozenset(), False
        pair = pairs().match(frame.function)
        wanted = [_NAME.match(one) for one in pair.release] if pair is not None else []
        names = {found[1] for found in wanted if found is not None}
        spot = self.program.spot(frame, calls)
        returns = False
        if spot is not None:
            top = spot.func.top
            flows = self.program.flows(spot.package)
            undone = [
                op
                for func in (top, *(one for op in top.ops for one in spot.package.callees(op)))
                for held in _puts(func)
                for op in flows.used.get(held, ())
                if op.kind == "delete"
            ]
            names |= releasing(spot.package, undone)
            returns = bool(top.results) and top.results[0].startswith("func(")
        elif pair is not None and not pair.generic:
            returns = any("function it returns" in one for one in pair.release)
        return frozenset(names), returns

    def _seen(self, loss: Loss, level: Level) -> Loss:
        """Return the step of the function on the way that leads to a loss behind its call, if one does."""
        op = loss.op
        if op is None or op.func is level.call.func:
            return loss
        meets = meeting(level.spot.package, [op])
        skip = after_error(level.call, level.spot.package)
        for step in _behind(level.call.step, skip):
            if meets(step):
                return Loss(loss.how, level.call.func, step.line, step, level.call, op)
        return loss

    def _lives(self) -> list[Text]:
        """Return where the context comes from, as far up as the way tells."""
        node = _context(self.call)
        where, name = place(self.call), text(node)
        for level, above in zip(self.levels, self.levels[1:], strict=False):
            var = level.spot.package.symbol(node, level.call.func, level.call.file)
            params = level.spot.func.top.params
            if not isinstance(var, Var) or var not in params or params.index(var) >= len(above.call.values):
                break
            node = above.call.values[params.index(var)]
            where, name = place(above.call), text(node)
        return [Text("cause.registration.lasting", {"place": place(self.call), "context": name, "from": where})]

    def _build_reason(self, loss: Loss, number: int, names: frozenset[str], also: Sequence[Text] = ()) -> Reason:
        driver = self.levels[-1]
        told = [
            Text("cause.registration.registers", {"function": driver.spot.func.full, "driver": place(driver.call),
                 "place": place(self.call), "name": text(self.call.target)}),
            *also,
            *texts(loss, None, ", ".join(sorted(names)[:3])),
        ]  # fmt: skip
        if loss.how != "unused":
            told.append(Text("cause.registration.again", {"place": place(driver.call)}))
        sites = [*lines(loss, "never-removed" if also else "never-stopped")]
        if loss.op is not None and loss.op.line != loss.line:
            sites.append(loss.op.func.site("never-removed", loss.op.line))
        if number:
            below = self.levels[number - 1]
            sites.append(below.spot.func.site("registered-too-early" if also else "registered", below.call.line))
        elif len(self.levels) > 1:
            above = self.levels[1]
            sites.append(above.spot.func.site("made", above.call.line))
        sites += [one for one in self._registered() if one.frame.line]
        sites.append(driver.spot.func.site("driver", driver.call.line))
        flows = self.program.flows(loss.func.package)
        return Reason(_MECHANISM, tuple(told), distinct(sites), remedies=loss_fixes(flows, loss, None, names))

    def _registered(self) -> Iterator[CauseSite]:
        """Yield the own lines that register, those beside the first too."""
        yield self.call.func.site("registered", self.call.line)
        for site in self.scene.suspect.sites:
            if site.role == "registered" and site.frame.owner == "own":
                spot = self.program.spot(site.frame, calls)
                if spot is not None:
                    yield spot.func.site("registered-again", spot.number)


def _behind(start: Step, skip: Callable[[Step, str], bool]) -> list[Step]:
    """Return the steps behind a call, nearest first, without what only its error leads to."""
    seen: dict[Step, None] = {}
    todo = [start]
    while todo:
        step = todo.pop(0)
        for after, how in step.after:
            if after not in seen and not skip(step, how):
                seen[after] = None
                todo.append(after)
    return list(seen)


def _context(call: Op) -> Node | None:
    package = call.func.package
    for value in call.values[:1]:
        if package.type_of(value, call.func, call.file).endswith("context.Context") or text(value) == "ctx":
            return value
    return None


def _puts(func: Func) -> Iterator[Symbol]:
    """Yield the containers that a function puts something into."""
    package = func.package
    for op in func.ops:
        if op.kind == "assign" and op.target is not None:
            symbol = package.symbol(op.target, func, func.file)
            if isinstance(symbol, ElemRef):
                yield symbol.of
