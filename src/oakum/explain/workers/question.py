"""Who stops this worker? A goroutine in a loop, in a select with a stop channel or a context, or asleep between rounds.

Comes in: the stack of such goroutines. Goes out: what would end them, and the line that drops, leaves behind or never
uses the means to do so. Says nothing where the worker ends by itself, or where code that was not read may stop it.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from oakum.explain import fixes
from oakum.explain.channels import selects
from oakum.explain.code import kinds
from oakum.explain.code.calls import at, nodes, on, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import FieldRef, Func, Op, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.waits.contexts import dropped_cancel, lost_cancels
from oakum.explain.workers.acquirers import Acquirer, acquirers, calls_of, users
from oakum.explain.workers.behind import behind
from oakum.explain.workers.breaks import unheeded
from oakum.explain.workers.drafts import loss_fixes
from oakum.explain.workers.endings import Waiting, of_channel, of_context, outlives, waiting
from oakum.explain.workers.foreign_channels import closing
from oakum.explain.workers.losses import lines, texts
from oakum.explain.workers.owned import Owned, of_path, put_into
from oakum.explain.workers.owners import (
    Kept,
    Loss,
    dropped,
    here,
    is_failure,
    kept,
    lost,
    passed_by,
    reach,
    released,
    skipped,
)
from oakum.explain.workers.starting import bounded, handing, once, starter
from oakum.model import CauseSite, Remedy, Text

_KIN = ("unstopped-worker", "timer-loop", "accumulating-registration")  # what nobody stops; the stack tells which
_ACQUIRERS_MOST = 12  # own calls that are looked at for one that leaks
_WAITS = ("select", "chan receive", "sleep", "sync.Cond.Wait")


def reason(scene: StackInSource) -> Reason | None:
    """Return why nobody stops the worker."""
    spot = scene.nearest
    if spot is None or not scene.state.startswith(_WAITS) or "nil chan" in scene.state or "no cases" in scene.state:
        return None
    flows = scene.flows(spot)
    callers = [one for one in scene.spots if one is not None and one is not spot and one.package is spot.package]
    found = None if scene.state == "sync.Cond.Wait" else waiting(spot, callers, flows, scene.known)
    if found is not None:
        return _Worker(scene, spot, flows, found).reason()
    if spot is scene.blocked and scene.state.startswith("select"):
        return selects.reason(scene, spot)
    # What waits in somebody else's code, in whichever way, may have been handed what stops it.
    return _handed(scene) if spot.frame.owner == "dependency" else None


class _Worker:
    """One kind of worker, and who could stop it."""

    def __init__(self, scene: StackInSource, spot: ResolvedFrame, flows: Flows, found: Waiting) -> None:
        self.scene, self.spot, self.flows, self.found = scene, spot, flows, found
        self.start = scene.start if scene.created is not None and scene.created.package is spot.package else None
        handed = handing(scene) if self.start is None else None
        self.start = handed if handed is not None and handed.func.package is spot.package else self.start
        self.ending = next((one for one in found.endings), None)
        if self.ending is not None and self.start is not None:  # of several objects that of this goroutine
            near = [one for one in self.ending.makes if one.func is self.start.func]
            self.ending.made = near[0] if near else self.ending.made

    def reason(self) -> Reason | None:
        """Return the first answer that the code decides."""
        if any(one.unknown for one in self.found.endings):
            return None
        if any(closing(self.scene, self.spot, one.op) for one in self.found.endings if one.op is not None):
            return None  # another package ends it, for whoever asks
        if self.start is not None and once(self.scene.program, self.start):
            return None  # so many for as long as the process runs
        uncancelled = self._uncancelled() or self._unheeded()
        if uncancelled is not None:
            return uncancelled
        done = [op for one in self.found.endings for op in (*one.done, *one.foreign)]
        symbols = {symbol for one in self.found.endings for symbol in one.symbols} | self.object
        if self.ending is not None and self.ending.kind != "context" and not any(map(_held, symbols)):
            return None  # a channel between a function and the goroutines that it starts: the matter of channels
        elsewhere = self._elsewhere(done)
        if elsewhere is not None:
            return elsewhere
        loss = self._loss(done, symbols) if self.found.endings or not self.found.exits else None
        if loss is not None:
            return self._build_reason(loss, done)
        if self.ending is not None and self.ending.given is not None:
            return _handed(self.scene)
        if not done:
            return self._never() or self._outlived()
        told = self._build_reason(skipped(self.flows, done), done)
        if told is None and self.start is not None and self.spot.frame.owner == "own":
            told = self._acquired(users(self.scene.program, self.start, done), meant=False)
        told = told or self._build_reason(passed_by(self.flows, done), done)
        return told or self._nil() or self._outlived()

    def _uncancelled(self) -> Reason | None:
        """Return that the function which starts it makes its context and leaves without cancelling that."""
        start, ending = self.start, self.ending
        if start is None or ending is None or ending.kind != "context":
            return None
        for op, var, number in lost_cancels(start.func.package):
            if op.func is start.func and op.line < start.line and number >= start.line:
                return dropped_cancel(op, var, number)
        return None

    def _unheeded(self) -> Reason | None:
        """Return that it hears a stop and goes on."""
        head = self.found.loop
        found = unheeded(head, self.flows) if head is not None and not self.found.endings else None
        if found is None:
            return None
        sites = [*found.sites, *([self.start.func.site("started", self.start.line)] if self.start is not None else ())]
        return self._reason([found.texts, *self._started()], sites, found.remedies)

    @property
    def object(self) -> set[Symbol]:
        """Return the object whose method the goroutine runs."""
        this = self.spot.func.top.this
        known = self.scene.known.get(this) if this is not None else None
        outer = [one for one in self.scene.spots if one is not None and one.package is self.spot.package]
        first = outer[-1].func.top.this if outer else None
        begun = self.scene.known.get(first) if first is not None else None
        return {one for one in (known, begun) if isinstance(one, Var)}

    def _loss(self, done: list[Op], symbols: set[Symbol]) -> Loss | None:
        if self.spot.frame.owner != "own":  # what else holds it in somebody else's code, nobody here can say
            return None
        owned, ended = Owned(self.flows, self._owners()), behind(self.scene.spots)
        counts: Callable[[Op], bool] = lambda op: owned.lets_go(op) and not ended(op)  # noqa: E731
        loss = dropped(self.flows, reach(self.flows, symbols), done, counts)
        if loss is not None or self.start is None or self.ending is None:
            return loss
        holding = {one.type for one in self.ending.symbols if isinstance(one, FieldRef)}
        for op in self.start.func.ops:
            if op.kind == "composite" and text(op.target) in holding and kept(op).variable in self.object:
                loss = here(self.flows, op, done)
                if loss is not None or not done:
                    return loss
        for call in self.flows.package.callers.get(self.start.func.top, ()):
            if call.kind == "call" and _returns(self.flows, self.start.func.top, symbols):
                loss = lost(self.flows, call, done)
                if loss is not None:
                    return loss
        return None

    def _owners(self) -> Iterator[str]:
        """Yield the types of the objects that it works for, and of those that have the means to end it."""
        package, start = self.flows.package, self.start
        for spot in self.scene.spots:
            if spot is not None and spot.package is package:
                yield spot.func.top.receiver
        if start is not None and start.func.package is package:
            yield from of_path(package, start.target, start.func, start.file)
        for one in self.found.endings:
            if one.op is not None:
                yield from of_path(package, one.op.target, one.op.func, one.op.file)
            begun = [op.func.top for op in (one.made, start) if op is not None and op.func.package is package]
            yield from put_into(package, one.symbols, begun)

    def _elsewhere(self, done: list[Op]) -> Reason | None:
        """Return the own code that has a package start such workers and does not stop them."""
        created, begun = self.scene.created, starter(self.scene)
        if created is None or begun is None or "own" in (created.frame.owner, self.spot.frame.owner):
            return None
        return self._acquired(acquirers(self.scene.program, begun, done))

    def _acquired(self, calls: Iterable[Acquirer], meant: bool = True) -> Reason | None:
        """Return the call that loses what it gets; `meant`: what is kept and never stopped counts, too."""
        found: list[tuple[int, Acquirer, Loss]] = []
        for one in islice(calls, _ACQUIRERS_MOST):
            if not one.releases or once(self.scene.program, one.call):
                continue
            loss = acquired_loss(self.scene.program.flows(one.package), one)
            if loss is not None and (meant or loss.how != "kept"):
                found.append((_doubt(loss), one, loss))
                if found[-1][0] <= 1:
                    break
        if not found:
            return None
        _, one, loss = min(found, key=lambda each: each[0])
        told = [*self._waits(), *elsewhere_says(one, loss)]
        flows = self.scene.program.flows(one.package)
        return self._reason(told, elsewhere_sites(one, loss), loss_fixes(flows, loss, None, one.releases))

    def _waits(self) -> list[Text]:
        found, func = self.found, self.found.func
        line = found.loop.line if found.loop is not None else self.spot.number
        args = {"function": func.full, "place": at(func, line)}
        if self.ending is not None:
            op = self.ending.op
            case = place(op) if op is not None else at(func, self.ending.line or line)
            names = "`, `".join(dict.fromkeys(one.name for one in found.endings if one.kind == self.ending.kind))
            return [Text(f"cause.worker.{self.ending.kind}", {**args, "name": names, "case": case})]
        if found.exits:
            return [Text("cause.worker.condition", {**args, "exit": at(func, found.exits[0].line)})]
        return [Text("cause.worker.no-exit", args)]

    def _started(self) -> list[Text]:
        if self.start is None:
            return []
        sometimes = self.start.step.cases or self.start.step.loops
        key = "cause.worker.starts" if sometimes else "cause.worker.started"
        return [Text(key, {"place": place(self.start), "function": self.start.func.full})]

    def _build_reason(self, loss: Loss | None, done: list[Op]) -> Reason | None:
        if loss is None:
            return None
        sites = lines(loss)
        if self.ending is not None and self.ending.made is not None and self.ending.kind == "context":
            sites.append(self.ending.made.func.site("made", self.ending.made.line))
        if self.start is not None:
            sites.append(self.start.func.site("started", self.start.line))
        stop = next((op for op in done if op.kind != "call" or op.func.package is self.flows.package), None)
        remedies = loss_fixes(self.flows, loss, stop) if stop is not None else ()
        return self._reason([*self._waits(), *self._started(), *texts(loss, stop)], sites, remedies)

    def _never(self) -> Reason | None:
        """Return that nothing stops it: no way out, or nobody in the package uses the way there is."""
        ending = self.ending
        if self.start is None or bounded(self.start):
            return None
        sites = [self.start.func.site("never-stopped", self.start.line)]
        told = [*self._waits(), *self._started()]
        if ending is None:
            loop = self.found.loop
            if loop is not None:
                sites.append(self.found.func.site("never-stopped", loop.line))
        elif ending.kind == "context":
            if ending.made is not None:
                told.append(Text("cause.worker.never-cancelled", {"place": place(ending.made), "name": ending.name}))
                sites.insert(0, ending.made.func.site("never-stopped", ending.made.line))
            elif ending.never is not None:
                told.append(Text("cause.worker.endless-context", {"place": place(ending.never), "name": ending.name}))
                sites.insert(0, ending.never.func.site("never-stopped", ending.never.line))
            else:
                return None
        else:
            if ending.made is None or ending.foreign:
                return None
            key = "cause.worker.never-closed" if ending.kind == "closed" else "cause.worker.never-told"
            told.append(Text(key, {"name": ending.name, "place": place(ending.made)}))
            sites.append(ending.made.func.site("made", ending.made.line))
        callers = [op for op in self.flows.package.callers.get(self.start.func.top, ()) if op.kind == "call"]
        sites += [op.func.site("driver", op.line) for op in callers[:2]]
        return self._reason(told, sites)

    def _outlived(self) -> Reason | None:
        """Return that it ends with an object that was there before it, and not with what it was started for."""
        endings, start = self.found.endings, self.start
        if start is None or bounded(start) or not endings or not all(outlives(one, start) for one in endings):
            return None
        told = [*self._waits(), *self._started()]
        told += [Text("cause.select.outlives", {"name": one.name}) for one in endings]
        heard = [one.op.func.site("never-stopped", one.op.line) for one in endings if one.op is not None]
        return self._reason(told, [*heard, start.func.site("started", start.line)])

    def _nil(self) -> Reason | None:
        """Return the object that has no stop channel: its literal leaves the field out, and nil is never closed."""
        ending = self.ending
        package = self.flows.package
        fields = [one for one in ending.symbols if isinstance(one, FieldRef)] if ending is not None else []
        tested = self.start is not None and any(case.kind == "if" for case in self.start.step.cases)
        tested = tested or len(self.found.endings) > 1
        for one in fields if ending is not None and ending.kind == "channel" and not tested else ():
            if any(op.kind == "assign" for op in self.flows.stores.get(one, ())):
                continue
            for op in (op for func in package.all for op in func.ops if op.kind == "composite"):
                if text(op.target) == one.type and one.name not in text(op.node):
                    told = Text("cause.worker.nil", {"place": place(op), "field": one.name, "type": one.type})
                    closes = any(use.kind == "close" for use in self.flows.used.get(one, ()))
                    made = fixes.make_field(op, one.name, package.fields[one.type][one.name]) if closes else None
                    sites = [op.func.site("never-made", op.line)]
                    return self._reason([*self._waits(), told], sites, fixes.drafts(made))
        return None

    def _reason(self, told: Iterable[Text], sites: Iterable[CauseSite], remedies: tuple[Remedy, ...] = ()) -> Reason:
        first = self.scene.suspect.mechanisms[0]
        timed = self.found.timed and not self.found.endings
        mechanism = first if first in _KIN else "timer-loop" if timed else "unstopped-worker"
        if mechanism == "timer-loop" and not self.found.timed:
            mechanism = "unstopped-worker"  # no clock wakes it
        return Reason(mechanism, tuple(told), distinct(sites), remedies=remedies)


def _held(symbol: Symbol) -> bool:
    """Tell whether something lives in an object or a container, or in a variable of the package."""
    return not isinstance(symbol, Var) or symbol.kind == "global"


def _doubt(loss: Loss) -> int:
    """Return how unlikely it is that a call leaks: what may be meant to stay is last."""
    if loss.how == "kept":
        return 3
    return 2 if is_failure(loss) else 1 if loss.how == "skipped" else 0


def _returns(flows: Flows, func: Func, symbols: set[Symbol]) -> bool:
    """Tell whether a function hands out what the worker could be stopped with, or whatever it belongs to."""
    flow = reach(flows, symbols)
    return any(op.func.top is func for op in flow.returned)


def acquired_loss(flows: Flows, one: Acquirer) -> Loss | None:
    """Return where own code loses what it got from a package that has to be told to stop."""
    where = kept(one.call)
    if not one.func.results:  # nothing that could be kept: what is started is what it is called on
        about = on(one.call) if one.func.receiver else None
        where = Kept(symbols=[about] if about is not None else [])
        if about is None:
            return None
    flow = reach(flows, where.symbols)
    releases = released(flows, flow.symbols, one.releases)
    loss = lost(flows, one.call, releases) if one.func.results else None
    if loss is None or is_failure(loss):  # failures are rarer than what happens every time
        results = (kinds.base(written).rpartition(".")[2] for written in one.func.results[:1])
        fields = (symbol.type for symbol in where.symbols if isinstance(symbol, FieldRef))
        owned = Owned(flows, fields, results)
        loss = dropped(flows, flow, releases, owned.lets_go) or skipped(flows, releases) or loss
        loss = loss or passed_by(flows, releases)
    if loss is None and not releases and one.releases and not flow.foreign:
        loss = Loss("kept", one.call.func, one.call.line, one.call.step, one.call)
    return loss


def elsewhere_says(one: Acquirer, loss: Loss) -> list[Text]:
    """Return the sentences about own code that acquires and does not release."""
    names = ", ".join(sorted(one.releases)[:3])
    got = Text("cause.worker.acquired", {"place": place(one.call), "name": text(one.call.target), "release": names})
    return [got, *texts(loss, None, names)]


def elsewhere_sites(one: Acquirer, loss: Loss) -> list[CauseSite]:
    return [*lines(loss), one.call.func.site("made", one.call.line)]


def _handed(scene: StackInSource) -> Reason | None:
    """Return the own call that hands a stop channel or a context which never ends to the code that starts workers."""
    created = scene.created
    start = scene.start
    if created is None or start is None:
        return None
    package = created.package
    for at_param, param in _stoppers(created.func.top, start, package):
        for own, call in sorted(_own_calls(scene, created.func.top), key=lambda one: one[1].func.top.name == "main"):
            if at_param >= len(call.values) or once(scene.program, call):
                continue
            flows = scene.program.flows(own)
            node = call.values[at_param]
            symbol = own.symbol(node, call.func, call.file)
            if param.type.endswith("Context"):
                ending = of_context(node, call.func, flows, {}, None)
            else:
                ending = of_channel(symbol, text(node), flows, {}, None)
            if ending.never is None or ending.unknown:
                continue
            told = (
                Text("cause.worker.handed", {
                    "function": created.func.top.full, "place": at(created.func, created.number),
                    "name": param.name, "call": place(call), "value": text(node),
                }),
                Text("cause.worker.never-ends", {"place": place(ending.never), "code": ending.never.code}),
            )  # fmt: skip
            sites = [
                ending.never.func.site("never-stopped", ending.never.line),
                call.func.site("started", call.line),
            ]
            return Reason("unstopped-worker", told, distinct(sites))
    return None


def _stoppers(top: Func, start: Op, package: Package) -> Iterator[tuple[int, Var]]:
    """Yield the parameters of a function that it hands to the goroutine as what stops it."""
    used = {package.symbol(value, start.func, start.file) for value in start.values}
    used |= {package.var(node, start.file) for node in nodes(start.node, "identifier")}
    for number, param in enumerate(top.params):
        written = param.type.replace(" ", "")
        if param in used and (written in ("<-chanstruct{}", "chanstruct{}") or written.endswith("context.Context")):
            yield number, param


def _own_calls(scene: StackInSource, top: Func) -> Iterator[tuple[Package, Op]]:
    created = scene.created
    if created is None:
        return
    if created.frame.owner == "own":
        for call in created.package.callers.get(top, ()):
            if call.kind == "call":
                yield created.package, call
    if top.name[:1].isupper():
        for own in scene.program.own():
            for call in calls_of(scene.program, own, created.package.path, top):
                yield own, call
