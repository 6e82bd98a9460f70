"""A waiting worker -> what would end it: a channel that is closed or sent to, a context that is cancelled, nothing.

Comes in: the place where a goroutine waits. Goes out: `Ending`s with the operations that would bring them about. A case
of a select counts when it leads out of the loop; a timer that leads out ends the worker by itself, and is no leak.
"""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import method, nodes
from oakum.explain.code.flows import Flow, Flows
from oakum.explain.code.linked_names import plain
from oakum.explain.code.nouns import CallRef, FieldRef, ForeignRef, Func, Op, Step, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import leaves_without
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import last_line, text
from oakum.explain.workers.owners import called
from oakum.explain.workers.starting import lasts

_DERIVES = {f"context.{name}" for name in ("WithCancel", "WithCancelCause")}
_ENDLESS = {"context.Background", "context.TODO"}
_READS = re.compile(r"(Read|Recv|Receive|Next|Accept|Decode|Scan|Peek|Copy)(?![a-z])|Read[A-Z]")
_TIMES = ("time.After", "time.Tick", "time.NewTimer", "time.NewTicker")


class Ending(Struct, eq=False):
    """One thing that would end a worker."""

    kind: str  # channel | closed | context | flag
    op: Op | None  # the receive that would see it
    name: str  # as written: r.quit, ctx
    symbol: Symbol | None = None
    made: Op | None = None  # where the channel or the context is made
    makes: list[Op] = field(default_factory=list)  # all places that make such a channel
    done: list[Op] = field(default_factory=list)  # what brings it about: close, send, cancel()
    symbols: set[Symbol] = field(default_factory=set)  # whatever holds the means to do so
    foreign: list[Op] = field(default_factory=list)  # other packages that the means are handed to
    given: Var | None = None  # a parameter that nobody in the package gives a value
    never: Op | None = None  # it cannot happen: wait.NeverStop, context.Background()
    line: int = 0  # of the condition that looks at it
    unknown: bool = False  # somebody else ends it: a request's context, a deadline


class Waiting(Struct):
    """How a worker waits."""

    loop: Step | None
    func: Func  # that the loop stands in
    timed: bool  # only the clock wakes it
    endings: list[Ending]
    exits: list[Step]  # other ways out of the loop: conditions


def waiting(
    spot: ResolvedFrame, callers: Iterable[ResolvedFrame], flows: Flows, known: Mapping[Symbol, Symbol]
) -> Waiting | None:
    """Return what would end a worker that waits at a spot; None when it ends by itself or is no loop."""
    callers = list(callers)
    chosen = select_of(spot)
    sleeps = any(method(op) == "Sleep" for op in spot.ops)
    polls = sleeps and chosen is not None and any(one.default for one, _ in chosen.after)
    if chosen is not None and not polls:
        return _selecting(spot, chosen, callers, flows, known)
    receives = [op for op in spot.ops if op.kind in ("receive", "range") and op.select is None and not _over_data(op)]
    if receives and not is_timer(receives[0], flows):
        return _receiving(spot.func, receives[0], flows, known)
    return _by_the_clock(spot, callers, flows, known) if receives or sleeps else None


def _receiving(func: Func, op: Op, flows: Flows, known: Mapping[Symbol, Symbol]) -> Waiting | None:
    """Return what ends a worker that receives; None for a receive outside of a loop that is not a stop signal."""
    head = loop_around(func, op.step)
    ending = ending_of(op, flows, known)
    if op.kind == "receive" and head is None and ending.kind != "context":
        closed = any(one.kind == "close" for one in ending.done)
        if not _signal(op, flows) or (ending.done and not closed):
            return None  # an answer, or a place in a line
    return Waiting(head, func, False, [ending], [])


def _by_the_clock(
    spot: ResolvedFrame, callers: Iterable[ResolvedFrame], flows: Flows, known: Mapping[Symbol, Symbol]
) -> Waiting | None:
    for one in (spot, *callers):
        head = loop_around(one.func, one.step)
        if head is not None:
            return _timed(one, head, flows, known)
    return None


def _timed(spot: ResolvedFrame, head: Step, flows: Flows, known: Mapping[Symbol, Symbol]) -> Waiting | None:
    """Return how a loop ends that only the clock wakes: by a condition that it looks at, if at all."""
    leaves = leaves_without([head], lambda _: False)
    over = next((op for op in head.ops if op.kind == "range"), None)
    if over is not None and not is_timer(over, flows):  # for job := range jobs { time.Sleep(d) }
        return Waiting(head, spot.func, False, [ending_of(over, flows, known)], [])
    if over is not None:  # nobody closes a ticker's channel
        leaves = [one for one in leaves if one.way[1] not in {after for after, how in head.after if how == "else"}]
    endings: list[Ending] = []
    for leave in leaves:
        case = leave.case or head
        asked = next((op for op in case.ops if op.kind == "receive" and op.select is not None), None)
        if asked is not None and is_timer(asked, flows):
            return None  # it ends when the time is up
        if asked is not None:  # looked at between two naps: select { case <-stop: return; default: time.Sleep(d) }
            endings.append(ending_of(asked, flows, known))
            continue
        condition = _condition(case)
        if condition is not None and reads_to_the_end(condition, spot.func, flows):
            return None
        if condition is not None:
            ending = _flagged(condition, case, spot.func, flows, known)
            endings += [ending] if ending is not None else []
    return Waiting(head, spot.func, True, endings, [leave.step for leave in leaves])


def _condition(step: Step) -> Node | None:
    if step.kind == "if":
        return step.node.child_by_field_name("condition")
    heads = [one for one in step.node.named_children if one.type not in ("block", "comment", "range_clause")]
    head = heads[0] if step.kind == "loop" and heads else None
    return head.child_by_field_name("condition") if head is not None and head.type == "for_clause" else head


def reads_to_the_end(condition: Node, func: Func, flows: Flows) -> bool:
    """Tell whether a loop is over when what it reads is: `for rows.Next()`, `if err != nil` behind a Read."""
    for call in nodes(condition, "call_expression"):
        if _READS.match(text(call.child_by_field_name("function")).rpartition(".")[2]):
            return True
    if "!= nil" not in text(condition) and "EOF" not in text(condition):
        return False  # `err == nil` ends what is tried until it works
    names = (flows.package.var(node, func.file) for node in nodes(condition, "identifier"))
    return any(
        _READS.match(text(op.values[0].child_by_field_name("function")).rpartition(".")[2])
        for var in names
        for op in (flows.stores.get(var, ()) if var is not None else ())
        if op.func is func and op.values[0].type == "call_expression"
    )


def _flagged(condition: Node, step: Step, func: Func, flows: Flows, known: Mapping[Symbol, Symbol]) -> Ending | None:
    """Return the ending that a flag is, or a context that is asked: `for !w.closed`, `for ctx.Err() == nil`."""
    package = flows.package
    for node in nodes(condition, "call_expression"):
        if text(node).endswith(".Err()"):
            function = node.child_by_field_name("function")
            asked = function.child_by_field_name("operand") if function is not None else None
            return _at(of_context(asked, func, flows, known, None), step)
    for node in nodes(condition, "selector_expression"):
        symbol = package.symbol(node, func, func.file)
        if isinstance(symbol, FieldRef) and symbol.name in package.fields.get(symbol.type, ()):
            done = [op for op in flows.stores.get(symbol, ()) if op.func is not func and op.kind == "assign"]
            done += [op for op in flows.used.get(symbol, ()) if method(op) in ("Store", "CompareAndSwap", "Swap")]
            done += [
                op for op in flows.foreign.get(symbol, ()) if method(op).startswith(("Store", "Swap", "CompareAnd"))
            ]
            return _at(Ending("flag", None, text(condition), symbol, done=done, symbols={symbol}), step)
    return None


def _at(ending: Ending, step: Step) -> Ending:
    ending.line = step.line
    return ending


def _over_data(op: Op) -> bool:
    package = op.func.package
    written = package.resolved(package.type_of(op.target, op.func, op.file))
    return op.kind == "range" and bool(written) and not kinds.is_channel(written)


def select_of(spot: ResolvedFrame) -> Step | None:
    near = [one for one in spot.func.steps if one.kind == "select" and one.line <= spot.number <= last_line(one.node)]
    return min(near, key=lambda one: (one.line != spot.number, last_line(one.node) - one.line), default=None)


def loop_around(func: Func, step: Step | None) -> Step | None:
    """Return the head of the innermost loop around a step that goes on: not one that counts, or runs over data."""
    if step is None:
        return None
    around = [*step.loops, *([step.node] if step.kind == "loop" else ())]
    inner = next((node for node in reversed(around) if lasts(node, func)), None)
    return next((one for one in func.steps if one.kind == "loop" and one.node == inner), None)


def _selecting(
    spot: ResolvedFrame, chosen: Step, callers: Iterable[ResolvedFrame], flows: Flows, known: Mapping[Symbol, Symbol]
) -> Waiting | None:
    func = spot.func
    head = loop_around(func, chosen)
    cases = [op for op in func.ops if op.select == chosen.node and op.kind in ("receive", "send")]
    if head is None and len([one for one in cases if one.kind == "receive"]) < len(cases):
        return None  # one send with a way out: the matter of channels
    looping = next(((one.func, loop) for one in callers if (loop := loop_around(one.func, one.step)) is not None), None)
    outer = head or (looping[1] if looping is not None else None)
    endings: list[Ending] = []
    for op in cases:
        leads_out = bool(leaves_without([op.step], lambda one: one is chosen))
        if op.kind == "send" or (head is not None and not leads_out):
            continue
        if is_timer(op, flows):
            if head is not None or outer is None:
                return None  # it ends when the time is up, or so many times later
            continue
        ending = ending_of(op, flows, known)
        if head is None and not (
            ending.kind == "context" or _signal(op, flows) or any(one.kind == "close" for one in ending.done)
        ):
            continue
        endings.append(ending)
    if any(one.default for one, _ in chosen.after) or (outer is None and not endings):
        return None
    timed = all(is_timer(op, flows) for op in cases if op.kind == "receive") and bool(cases)
    return Waiting(outer or chosen, looping[0] if looping and head is None else func, timed, endings, [])


def _signal(op: Op, flows: Flows) -> bool:
    """Tell whether a channel carries nothing but the fact that something happened."""
    package = flows.package
    target = op.target
    if target is not None and target.type == "call_expression" and text(target).endswith(".Done()"):
        return True
    return kinds.element(package.resolved(package.type_of(target, op.func, op.file))) == "struct{}"


def is_timer(op: Op, flows: Flows) -> bool:
    """Tell whether a receive waits for the clock."""
    package = flows.package
    if op.target is None:
        return False
    if text(op.target).startswith(_TIMES):
        return True
    written = package.resolved(package.type_of(op.target, op.func, op.file))
    if kinds.element(written) == "time.Time":
        return True
    symbol = package.symbol(op.target, op.func, op.file)
    if op.target.type == "selector_expression" and text(op.target).endswith(".C"):
        owner = package.type_of(op.target.child_by_field_name("operand"), op.func, op.file)
        if kinds.base(owner) in ("time.Ticker", "time.Timer"):
            return True
        symbol = package.symbol(op.target.child_by_field_name("operand"), op.func, op.file)
    before = flows.origins(symbol) if symbol is not None else set()
    return any(isinstance(one, CallRef) and one.name in _TIMES for one in before)


def ending_of(op: Op, flows: Flows, known: Mapping[Symbol, Symbol]) -> Ending:
    """Return what a receive or a range waits for."""
    kind = "closed" if op.kind == "range" else "channel"
    package, target = flows.package, op.target
    if target is not None and target.type == "call_expression" and text(target).endswith(".Done()"):
        function = target.child_by_field_name("function")
        node = function.child_by_field_name("operand") if function is not None else None
        return of_context(node, op.func, flows, known, op)
    return of_channel(package.symbol(target, op.func, op.file), text(target), flows, known, op, kind)


def outlives(ending: Ending, start: Op | None) -> bool:
    """Tell whether a way out belongs to an object that was there before the call that started the goroutine.

    It ends what runs as long as that object, a service or a hub, and not what was started for one call.
    """
    if start is None or ending.unknown:
        return False
    begun = start.func.top
    if any(op.func.top is begun for op in ending.makes):
        return False
    owners = {owner for one in (ending.symbol, *ending.symbols) if (owner := _owner(one, begun.package))}
    here = {kinds.base(text(op.target)) for op in begun.everything() if op.kind == "composite"}
    new = [plain(text(op.target)) for op in begun.everything() if op.kind == "call" and method(op).startswith("New")]
    return bool(owners) and not any(one in here or any(_makes(name, plain(one)) for name in new) for one in owners)


def _owner(symbol: Symbol | None, package: Package) -> str:
    """Return the type whose object has a channel: that of the field, or of what hands it out (`s.hub.Closing()`)."""
    if isinstance(symbol, CallRef) and isinstance(symbol.of, FieldRef):
        return kinds.base(package.fields.get(symbol.of.type, {}).get(symbol.of.name, ""))
    return symbol.type if isinstance(symbol, FieldRef) else ""


def _makes(function: str, kind: str) -> bool:
    """Tell whether a function is named as the one that makes objects of a type: hub.New or hub.NewHub for hub.Hub."""
    package, _, name = function.rpartition(".")
    of, _, last = kind.rpartition(".")
    return package == of and name in ("New", f"New{last}")


def of_channel(
    symbol: Symbol | None, name: str, flows: Flows, known: Mapping[Symbol, Symbol], op: Op | None, kind: str = "channel"
) -> Ending:
    ending = Ending(kind, op, name, symbol)
    if symbol is None:
        return ending
    before = flows.origins(symbol, known)
    for one in before:  # stop := ctx.Done()
        if isinstance(one, CallRef) and one.name == "Done" and one.of is not None:
            inner = _context(one.of, flows, known, Ending("context", op, name, one.of))
            ending.done += inner.done
            ending.symbols |= inner.symbols
            ending.foreign += inner.foreign
            ending.given = ending.given or inner.given
            ending.unknown = ending.unknown or inner.unknown
        for source, by in flows.into.get(one, ()):
            if isinstance(source, ForeignRef) and source.name == "NeverStop":
                ending.never = by
    flow: Flow = flows.origin(symbol, known)
    ending.makes = [one for one in flow.makes if one.kind == "make"]
    ending.made = next(iter(ending.makes), None)
    ending.symbols |= flow.symbols
    ending.done += flows.ops(flow, "close")
    if kind == "channel":
        ending.done += flows.ops(flow, "send")
    ending.foreign += [one for one in flow.foreign if ending.made is not None]
    if ending.made is None and not ending.done and ending.never is None:
        ending.given = _given(before, flows) or ending.given
    return ending


def of_context(node: Node | None, func: Func, flows: Flows, known: Mapping[Symbol, Symbol], op: Op | None) -> Ending:
    symbol = flows.package.symbol(node, func, func.file)
    ending = Ending("context", op, text(node), symbol)
    return _context(symbol, flows, known, ending) if symbol is not None else ending


def _context(symbol: Symbol, flows: Flows, known: Mapping[Symbol, Symbol], ending: Ending) -> Ending:
    before = flows.origins(symbol, known)
    for one in before:
        for source, op in flows.into.get(one, ()):
            if not isinstance(source, CallRef) or source.of is not None:
                continue
            if source.name in _DERIVES:
                ending.made = op
                _cancelled(op, flows, ending)
            elif source.name in _ENDLESS:
                ending.never = op
            else:  # the clock ends it, or somebody else
                ending.unknown = True
        if isinstance(one, CallRef) and one.of is not None:  # r.Context()
            ending.unknown = True
    if ending.made is None and ending.never is None and not ending.unknown:
        ending.given = _given(before, flows) or ending.given
    return ending


def _cancelled(derive: Op, flows: Flows, ending: Ending) -> None:
    """Note what cancels a context: the second result of the call that derived it, wherever it goes."""
    package = flows.package
    for op in derive.step.ops:
        if op.kind == "assign" and op.index == 1 and op.target is not None and text(op.target) != "_":
            cancel = package.symbol(op.target, op.func, op.file)
            if cancel is not None:
                flow = flows.follow([cancel])
                ending.symbols |= flow.symbols
                ending.foreign += flow.foreign
                ending.done += called(flows, flow.symbols)


def _given(before: Iterable[Symbol], flows: Flows) -> Var | None:
    """Return the parameter through which it comes from outside of the package."""
    for one in before:
        if isinstance(one, Var) and one.kind == "param" and not flows.into.get(one):
            return one
    return None
