"""A channel that a package hands out: which code of the program takes from it and leaves before it is empty.

Comes in: a scene whose goroutine sends inside a package, to a channel that exported functions return. Goes out: a
reason that names the consumer in the packages of the stack or of the program's own tree.
"""

from collections.abc import Callable, Iterable

from oakum.explain import fixes
from oakum.explain.channels.making import made_says, made_sites
from oakum.explain.code.calls import place
from oakum.explain.code.channel import Channel
from oakum.explain.code.nouns import CallRef, Func, Op, Step, Symbol
from oakum.explain.code.package import Package
from oakum.explain.code.paths import after_error, meeting, not_found, touching
from oakum.explain.code.syntax import text
from oakum.explain.leaving import Exit, left_after, left_without
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.values import called
from oakum.model import Remedy, Text

_MOST = 3  # consumers that leave early: more than that, and nobody can say which it was
_RELEASES = frozenset({"Stop", "Close", "Cancel", "Unsubscribe", "Shutdown", "Release"})


class _Consumer:
    """A function that receives from a channel of another package."""

    def __init__(self, package: Package, op: Op, getter: Func, holder: Symbol | None) -> None:
        self.package, self.op, self.getter, self.holder = package, op, getter, holder

    @property
    def acquired(self) -> Op | None:
        """Return the assignment by which the consumer got the channel or its owner."""
        for op in self.op.func.ops:
            if op.kind == "assign" and op.target is not None and op.values[0].type == "call_expression":
                symbol = self.package.symbol(op.target, op.func, op.file)
                if symbol is not None and symbol == self.holder and not op.index:
                    return op
        return None

    def calls(self) -> list[tuple[str, Op]]:
        """Return what it calls on the channel's owner."""
        found: list[tuple[str, Op]] = []
        for op in self.op.func.top.everything():
            if op.kind == "call" and op.target is not None and op.target.type == "selector_expression":
                operand = self.package.symbol(op.target.child_by_field_name("operand"), op.func, op.file)
                if operand is not None and operand == self.holder:
                    found.append((text(op.target.child_by_field_name("field")), op))
        return found


def reason(scene: StackInSource, channel: Channel) -> Reason | None:
    """Return which consumer leaves the channel behind."""
    getters = [op.func for op in channel.flow.returned if op.func.parent is None and op.func.name[:1].isupper()]
    if not getters:
        return None
    emptied = touching(channel.package, channel.done("receive", "range"))
    drains = {func.name for func in emptied if func.parent is None and func.name[:1].isupper()}
    found: list[tuple[_Consumer, list[Exit]]] = []
    for package in _packages(scene, channel):
        for consumer in (*_consumers(scene, package, channel, getters), *_readers(scene, package, channel, getters)):
            exits = _leaves(consumer, drains)
            if exits:
                found.append((consumer, exits))
        if found:
            break  # the packages of the stack come first
    if not found or len(found) > _MOST:
        return None
    return _build_reason(channel, found, drains)


def _packages(scene: StackInSource, channel: Channel) -> Iterable[Package]:
    seen: list[Package] = [channel.package]
    for spot in (scene.created, *scene.spots):
        if spot is not None and spot.package not in seen:
            seen.append(spot.package)
            yield spot.package
    yield from scene.program.own()


def _consumers(scene: StackInSource, package: Package, channel: Channel, getters: list[Func]) -> Iterable[_Consumer]:
    flows = scene.program.flows(package)
    path = channel.package.path
    named = scene.blocked.frame.module if scene.blocked is not None else None
    module = named[0] if named else _repository(path)
    methods = {func.name: func for func in getters if func.receiver}
    plain = {f"{path}.{func.name}": func for func in getters if not func.receiver}
    for func in package.all:
        if not any(one == path or one.startswith(f"{module}/") for one in func.file.imports.values()):
            continue
        for op in func.ops:
            if op.kind not in ("receive", "range"):
                continue
            symbol = package.symbol(op.target, op.func, op.file)
            for origin in flows.origins(symbol) if symbol is not None else ():
                if isinstance(origin, CallRef) and origin.of is None and origin.name in plain:
                    yield _Consumer(package, op, plain[origin.name], symbol)
                    break
                if isinstance(origin, CallRef) and origin.of is not None and origin.name in methods:
                    yield _Consumer(package, op, methods[origin.name], origin.of)
                    break


def _readers(scene: StackInSource, package: Package, channel: Channel, getters: list[Func]) -> Iterable[_Consumer]:
    """Yield functions of the channel's own package that other code gives it back to: pipe.First(pipe.Map(rows), 10)."""
    flows, path = scene.program.flows(package), channel.package.path
    plain = {f"{path}.{func.name}": func for func in getters if not func.receiver}
    for op in (op for func in package.all for op in func.ops if op.kind == "call"):
        home, _, name = called(op.node, op.func, op.file, package).rpartition(".")
        reader = channel.package.funcs.get(("", name)) if home == path else None
        if reader is None or reader.entry is None:
            continue
        for param, value in zip(reader.params, op.values, strict=False):
            symbol = package.symbol(value, op.func, op.file)
            made = [origin for origin in flows.origins(symbol) if isinstance(origin, CallRef)] if symbol else []
            getter = next((plain[origin.name] for origin in made if origin.of is None and origin.name in plain), None)
            if getter is None:
                continue
            for taken in reader.ops:
                if (
                    taken.kind in ("receive", "range")
                    and channel.package.symbol(taken.target, reader, reader.file) == param
                ):
                    yield _Consumer(channel.package, taken, getter, None)


def _repository(path: str) -> str:
    """Return the first elements of an import path, which most modules are named by; vendored files do not say."""
    parts = path.split("/")
    return "/".join(parts[: 3 if parts[0] in ("github.com", "gitlab.com", "bitbucket.org") else 2])


def _leaves(consumer: _Consumer, drains: set[str]) -> list[Exit]:
    """Return the exits after which something can still be in the channel."""
    func, op = consumer.op.func, consumer.op
    empties = [call for name, call in consumer.calls() if name in drains]
    emptied = meeting(consumer.package, empties)
    if any(emptied(step) for step in func.steps if step.kind != "entry" and _before(step, op)):
        return []
    acquired = consumer.acquired
    start = acquired.step if acquired is not None else func.entry
    exits = left_after(func, op)
    if start is not None:
        skip = _no_value(consumer, acquired)
        exits += left_without(consumer.package, func, start, [op, *empties], skip)
    kept = {one.line: one for one in exits if not any(emptied(step) for step in one.leave.way)}
    return list(kept.values())


def _no_value(consumer: _Consumer, acquired: Op | None) -> Callable[[Step, str], bool]:
    """Return which branches have nothing to leave behind: the channel was not had, or is closed."""
    closed = not_found(consumer.op.func)
    call = next((one for one in acquired.step.ops if one.node == acquired.values[0]), None) if acquired else None
    failed = after_error(call, consumer.package) if call is not None else None
    return lambda step, how: closed(step, how) or (failed is not None and failed(step, how))


def _before(step: Step, op: Op) -> bool:
    return step.line < op.line and any(one.kind == "defer" for one in step.ops)


def _build_reason(channel: Channel, found: list[tuple[_Consumer, list[Exit]]], drains: set[str]) -> Reason:
    consumer, exits = found[0]
    func = consumer.op.func
    args = {
        "getter": consumer.getter.full,
        "channel": channel.name,
        "function": func.full,
        "receive": place(consumer.op),
        "exit": f"{place(consumer.op).rpartition(':')[0]}:{exits[0].line}",
        "send": place(channel.op),
    }
    texts = [*made_says(channel), Text("cause.consumer.left", args)]
    sites = [site for one in exits for site in one.sites("never-received")]
    releases = [(name, call) for name, call in consumer.calls() if name in _RELEASES and name not in drains]
    acquired = consumer.acquired
    if releases:
        name, call = releases[0]
        texts.append(Text("cause.consumer.stopped", {"stop": name, "place": place(call), "send": place(channel.op)}))
        sites.append(call.func.site("stopped-without-draining", call.line))
    elif drains & _RELEASES and acquired is not None:
        emptier = sorted(drains & _RELEASES)[0]
        texts.append(Text("cause.consumer.not-released", {"function": func.full, "release": emptier}))
        sites.append(acquired.func.site("never-closed", acquired.line))
    sites += made_sites(channel)
    remedies = _remedies(consumer, channel, exits, drains, releases[0][1] if releases else None)
    return Reason("abandoned-sender", tuple(texts), distinct(sites), remedies=remedies)


def _remedies(
    consumer: _Consumer, channel: Channel, exits: list[Exit], drains: set[str], stop: Op | None
) -> tuple[Remedy, ...]:
    """Return what the consumer can do: call what empties the channel, or empty it; else what the package can."""
    acquired = consumer.acquired
    if stop is None and acquired is not None and (emptying := sorted(drains & _RELEASES)):
        return fixes.drafts(fixes.defer_call(acquired, f"{text(acquired.target)}.{emptying[0]}()"))
    drain = None
    if channel.done("close") and consumer.op.target is not None:
        got = next((call for name, call in consumer.calls() if name == consumer.getter.name), None)
        if stop is not None and stop.inside is not None and stop.inside.kind == "defer" and got is not None:
            drain = fixes.drain_after_stop(stop.inside, text(got.node))
        elif len(exits) == 1:
            left = exits[0].leave.step
            drain = fixes.drain_ranged(consumer.op, left) or fixes.drain_on_leave(left, text(consumer.op.target), True)
    return fixes.drafts(drain or fixes.select_with_done(channel.op))
