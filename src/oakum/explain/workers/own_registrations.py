"""Registrations with the program's own code: a hub, an emitter, a tree of hooks in one of its packages.

Comes in: the path of an allocation that own code alone makes. Goes out: the call that loses what would take it back,
or the line that stores it where nothing takes it out. Abstains where a sweep, a limit or a round may remove it.
"""

from collections.abc import Sequence

from oakum.explain.code.calls import at, nodes, place
from oakum.explain.code.nouns import FieldRef, Func, Op
from oakum.explain.code.syntax import text
from oakum.explain.memory.containers import limited
from oakum.explain.memory.kept import Stored, Tracker
from oakum.explain.memory.lifetimes import long_lived
from oakum.explain.memory.removals import emptied_elsewhere, outermost, removals
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.workers.acquirers import releasing
from oakum.explain.workers.drafts import loss_fixes
from oakum.explain.workers.losses import lines, texts
from oakum.explain.workers.owners import Loss, kept, under_a_key
from oakum.explain.workers.registrations import Level, Registration, levels_from
from oakum.model import Text, Trace
from oakum.model.vocabulary import Mechanism

_MECHANISM: Mechanism = "accumulating-registration"
# What a function is given that names nobody: it removes whatever is due, full or all of it.
_NOBODY = frozenset(("context.Context", "time.Time", "time.Duration", "int64", "uint64", "float64", "bool", "error"))


def reason(scene: StackInSource) -> Reason | None:
    """Return why registrations with own code pile up."""
    suspect = scene.suspect
    if _MECHANISM not in suspect.mechanisms or not suspect.path or suspect.path[-1].owner != "own":
        return None
    told = StackInSource.of(suspect, scene.program, Trace(tuple(reversed(suspect.path))))
    tracker = Tracker(told)
    for stored in tracker.stored():
        if stored.how == "slot" or limited(stored) or not long_lived(told, stored, tracker):
            continue
        found = _of(told, stored)
        if found is not None:
            return found
    return None


def _of(scene: StackInSource, stored: Stored) -> Reason | None:
    levels, registering = _around(scene, stored)
    if not levels or registering is None:
        return None
    taken = list(removals(scene.program.flows(stored.package), stored))
    if not taken:
        return None if emptied_elsewhere(scene, stored) or not _again(levels) else _nothing(stored, levels)
    if not all(_takes_back_one(op, stored) for op in taken):
        return None
    names = releasing(stored.package, taken)
    names |= {op.func.top.name for op in taken} if levels[0].spot.package is stored.package else frozenset()
    returns = bool(registering.results) and registering.results[0].startswith("func(")
    call = levels[0].call
    if kept(call).unused and not returns:
        if any(_asked_for(scene, stored, name) for name in names):
            return None  # by a name or a number that somebody else has
        return _lost(scene, stored, levels, Loss("kept", call.func, call.line, call.step, call), 0, names)
    if not names and not returns:
        return None
    found = Registration(scene, levels, None).loss(0, names, returns, given=True)
    if found is None or under_a_key(found[0]):
        return None
    return _lost(scene, stored, levels, *found, names)


def _around(scene: StackInSource, stored: Stored) -> tuple[list[Level], Func | None]:
    """Return the calls above the function that registers: the highest of the container's package, if others call it."""
    inside = [n for n, spot in enumerate(scene.spots) if spot is not None and spot.package is stored.package]
    path = scene.suspect.path
    if not inside:
        return [], None
    highest = inside[-1]
    if highest + 1 >= len(scene.spots) or any(spot is None for spot in scene.spots[: highest + 1]):
        # One package from the store to the driver: what stores is what registers.
        spots = [n for n in inside if scene.spots[n] is not None and _is(scene, n, stored.func)]
        if not spots:
            return [], None
        highest = spots[-1]
    spot = scene.spots[highest]
    assert spot is not None
    return levels_from(scene.program, path, len(path) - 2 - highest), spot.func.top


def _is(scene: StackInSource, number: int, func: Func) -> bool:
    spot = scene.spots[number]
    return spot is not None and spot.func.top is func.top


def _again(levels: Sequence[Level]) -> bool:
    """Tell whether more than one may come: what only main does, and in no loop, it does once."""
    driver = levels[-1].spot.func.top
    once = driver.name in ("main", "init") and not driver.receiver
    return not once or any(level.call.step.loops for level in levels)


def _takes_back_one(op: Op, stored: Stored) -> bool:
    """Tell whether a removal is of what its function is given, and not of whatever is due."""
    top = op.func.top
    given = {param.name for param in top.params if param.type not in _NOBODY}
    owner = outermost(stored.container)
    if top.this is not None and isinstance(owner, FieldRef) and top.receiver != owner.type:
        given.add(top.this.name)  # a method of what was registered
    if not given:
        return op.func is not top  # in a function that is handed out: the `cancel` of a subscription
    conditions = [case.node.child_by_field_name("condition") for case in op.step.cases if case.kind == "if"]
    # `kept = append(kept, one)` for all but the one that is given, then `h.all = kept`
    around = [top.node] if op.kind == "assign" else [op.node, *(one for one in conditions if one is not None)]
    return any(text(node) in given for one in around for node in nodes(one, "identifier"))


def _asked_for(scene: StackInSource, stored: Stored, name: str) -> bool:
    """Tell whether a function outside of the container's package is called by a name."""
    here = {file.source.path for file in stored.package.files}
    for package in scene.program.own(f".{name}".encode()):
        if here & {file.source.path for file in package.files}:
            continue
        if any(text(node) == name for file in package.files for node in nodes(file.root, "field_identifier")):
            return True
    return False


def _nothing(stored: Stored, levels: Sequence[Level]) -> Reason:
    call, driver = levels[0].call, levels[-1]
    args = {"place": at(stored.func, stored.line), "container": text(stored.written)}
    told = (
        _registers(levels),
        Text("cause.registration.own", {**args, "code": stored.func.file.code(stored.line)}),
        Text("cause.registration.nothing", {"function": call.func.full, "driver": place(driver.call)}),
    )
    sites = [stored.func.site("never-removed", stored.line), call.func.site("registered", call.line)]
    sites.append(driver.spot.func.site("driver", driver.call.line))
    return Reason(_MECHANISM, told, distinct(sites))


def _registers(levels: Sequence[Level]) -> Text:
    call, driver = levels[0].call, levels[-1]
    args = {"function": driver.spot.func.full, "driver": place(driver.call), "place": place(call)}
    return Text("cause.registration.registers", {**args, "name": text(call.target)})


def _lost(
    scene: StackInSource, stored: Stored, levels: Sequence[Level], loss: Loss, number: int, names: frozenset[str]
) -> Reason:
    call, driver = levels[0].call, levels[-1]
    told = (_registers(levels), *texts(loss, None, ", ".join(sorted(names)[:3])))
    sites = list(lines(loss))
    sites += [levels[number].call.func.site("made", levels[number].call.line)] if number else []
    sites += [call.func.site("registered", call.line), stored.func.site("stored", stored.line)]
    sites.append(driver.spot.func.site("driver", driver.call.line))
    flows = scene.program.flows(loss.func.package)
    return Reason(_MECHANISM, told, distinct(sites), remedies=loss_fixes(flows, loss, None, names))
