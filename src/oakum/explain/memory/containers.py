"""What keeps this memory? Maps, slices and lists that only grow, and small pieces that hold large texts.

Comes in: the scene of a heap suspect: its path from the driver to the allocation. Goes out: the line that stores, and
why nothing takes out again; None when something does, or a limit or a bounded key keeps the container small.
"""

from collections.abc import Iterator

from oakum.explain import fixes
from oakum.explain.code import kinds
from oakum.explain.code.calls import at, method
from oakum.explain.code.nouns import Op
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import bare, text
from oakum.explain.memory.given_back import lost_undo, undo_loss
from oakum.explain.memory.kept import Stored, Tracker
from oakum.explain.memory.lifetimes import long_lived
from oakum.explain.memory.loops import loads
from oakum.explain.memory.outside import decoded
from oakum.explain.memory.put_back import put_back
from oakum.explain.memory.removals import emptied_elsewhere, on_copy, removals, set_too_late, used
from oakum.explain.memory.reused import never_emptied
from oakum.explain.missing import is_memory
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.values import Expr, Origins, call_of, expr_at, shown
from oakum.explain.workers import timers
from oakum.explain.workers.derived import uncancelled
from oakum.explain.workers.lives import kept_context
from oakum.explain.workers.losses import lines, texts
from oakum.explain.workers.owners import kept
from oakum.knowledge.caches import bounded_cache
from oakum.model import CauseSite, Text, Trace

_LABELS = ("WithLabelValues", "With", "GetMetricWithLabelValues", "GetMetricWith")  # of prometheus
# What a request brings along takes any number of values.
_UNBOUNDED = (
    "RequestURI", "URL.Path", "URL.String", "RawQuery", "RemoteAddr", "FormValue", "Query().Get", "Header.Get",
    "Cookie", "PathValue", "PostFormValue", "time.Now", "uuid.", "rand.", "UserAgent", "Referer", "EscapedPath",
)  # fmt: skip
_NAMES = ("Header.Get", "Cookie", "PathValue", "UserAgent", "Referer")
_TAKES_BACK = ("Unsubscribe", "Unregister", "Unwatch", "Remove", "Deregister", "Detach", "Off")
_SHORT = ("Nanosecond", "Microsecond", "Millisecond")  # such timers have fired before anybody looks


def reason(scene: StackInSource) -> Reason | None:
    """Return what keeps the memory of a heap suspect."""
    told = about_memory(scene)
    if told is None:
        return None
    scene = told
    labels = _labels(scene)
    if labels is not None:
        return labels
    tracker = Tracker(scene)
    stored = tracker.stored()
    again = (never_emptied(scene, symbol, func) for symbol, func in tracker.grown.items())
    return next((one for one in again if one is not None), None) or _of_stored(scene, tracker, stored)


def _of_stored(scene: StackInSource, tracker: Tracker, stored: list[Stored]) -> Reason | None:
    """Return what keeps a value that was followed to where it is stored, or to what runs later."""
    own = next((op for op, given in tracker.finalized.items() if 0 in given and len(given) > 1), None)
    if own is not None:
        return _by_its_finalizer(own)
    origins = Origins(scene)
    for one in stored:
        if not long_lived(scene, one, tracker):
            continue
        small = one.how == "slot" or limited(one) or bounded_cache(foreign(one)[1]) or _bounded_key(one, origins)
        small = small or loads(scene, one)
        found = None if small else _kept(scene, one, origins, tracker)
        if one.cut is not None and found is None:
            return _pinned(scene, one)
        if not small:  # what is taken out of the nearest may be missed there: what lies further is no better guess
            lost = (_undo_lost(scene, other, tracker) for other in stored if other is not one and found is None)
            found = found or next((reason for reason in lost if reason is not None), None)
            return found if found is not None and found.kept else _later(scene, tracker) or found
    return _later(scene, tracker)


def about_memory(scene: StackInSource) -> StackInSource | None:
    """Return the scene along the path of a heap suspect; None where the suspect is another one."""
    if not is_memory(scene.suspect):
        return None
    if scene.trace.frames:
        return scene
    return StackInSource.of(scene.suspect, scene.program, Trace(tuple(reversed(scene.suspect.path))))


def _later(scene: StackInSource, tracker: Tracker) -> Reason | None:
    """Return that a function which is to run later keeps the memory, since it refers to it."""
    for op in tracker.registered:
        found = _registered(scene, op)
        if found is not None:
            return found
    for op in tracker.derived:
        found = uncancelled(scene, op)
        if found is not None:
            return found
    for op in tracker.later:
        found = _with_context(scene, op) if text(op.target).startswith("context.") else _with_timer(scene, op)
        if found is not None:
            return found
    return None


def _by_its_finalizer(op: Op) -> Reason:
    """Return that what an object is to be finalized with refers to it: so it is always reachable."""
    args = {"place": at(op.func, op.line), "code": op.code, "object": shown(op.values[0]), "name": text(op.target)}
    texts = (Text("cause.heap.finalizer", args), Text("cause.heap.ends"))
    return Reason("growing-container", texts, (op.func.site("never-removed", op.line),), kept=True)


def _registered(scene: StackInSource, call: Op) -> Reason | None:
    """Return that a registration keeps it: the call gives nothing to end it by, and nobody calls what would."""
    where = kept(call)
    if not where.unused and not (where.variable is not None and where.variable.name == "err"):
        return None
    for package in scene.program.own(*(word.encode() for word in _TAKES_BACK)):
        if any(
            op.kind in ("call", "defer") and method(op).startswith(_TAKES_BACK) for one in package.all for op in one.ops
        ):
            return None
    args = {"place": at(call.func, call.line), "code": call.code, "name": text(call.target)}
    site = call.func.site("never-removed", call.line)
    texts = (Text("cause.heap.registered", args), Text("cause.heap.ends"))
    return Reason("accumulating-registration", texts, (site,), kept=True)


def _with_timer(scene: StackInSource, timer: Op) -> Reason | None:
    """Return that a timer nobody stops keeps it."""
    delay = text(timer.values[0]) if timer.values else ""
    if any(unit in delay for unit in _SHORT):
        return None
    return timers.of(scene.program.flows(timer.func.package), timer)


def _with_context(scene: StackInSource, after: Op) -> Reason | None:
    """Return that a context which outlives the call keeps it: who registered with it lost the stop function."""
    package = after.func.package
    flows = scene.program.flows(package)
    symbol = package.symbol(after.values[0], after.func, after.file) if after.values else None
    if kept_context(flows, symbol, after.func) is None:
        return None
    loss = undo_loss(flows, after)
    if loss is None:
        return None
    args = {"place": at(after.func, after.line), "context": text(after.values[0])}
    if loss.how == "unused":
        told = (Text("cause.heap.after", args), Text("cause.heap.ends"))
        site = after.func.site("never-removed", after.line)
        return Reason("accumulating-registration", told, (site,), kept=True)
    notes = (Text("cause.heap.after-kept", args), *texts(loss, None))
    sites = [*lines(loss, "never-removed"), after.func.site("registered", after.line)]
    return Reason("accumulating-registration", notes, distinct(sites))


def _labels(scene: StackInSource) -> Reason | None:
    """Return a metric that gets a new time series for everything that requests bring along."""
    origins = Origins(scene)
    for index, spot in enumerate(scene.spots):
        if spot is None or spot.frame.owner != "own" or not index:
            continue
        call = call_of(spot, scene.trace.frames[index - 1])
        if call is None or method(call) not in _LABELS:
            return None
        for value in call.values:
            for one in origins.of(expr_at(scene, index, value)):
                if any(name in text(one.node) for name in _UNBOUNDED):
                    args = {"place": at(spot.func, call.line), "code": shown(call.node)}
                    key = {"place": one.place, "code": shown(one.node)}
                    texts = (Text("cause.heap.labels", args), Text("cause.heap.key", key), Text("cause.heap.ends"))
                    sites = (spot.func.site("stored", call.line), one.site("key"))
                    named = any(name in text(one.node) for name in _NAMES)
                    return Reason("growing-container", texts, sites, kept=not named)
        return _decoded_labels(scene, origins, index, spot, call)
    return None


def _decoded_labels(scene: StackInSource, origins: Origins, index: int, spot: ResolvedFrame, call: Op) -> Reason | None:
    """Return a metric whose labels are fields of what clients send."""
    flows = scene.program.flows(spot.package)
    begins = [one for value in call.values for one in origins.of(expr_at(scene, index, value))]
    sent = {shown(one.node): op for one in begins if (op := decoded(flows, one)) is not None}
    if not sent:
        return None
    args = {"place": at(spot.func, call.line), "code": shown(call.node)}
    texts = [Text("cause.heap.labels", args)]
    texts += [
        Text("cause.heap.key-decoded", {"value": value, "place": at(op.func, op.line), "code": shown(op.node)})
        for value, op in sent.items()
    ]
    sites = [spot.func.site("stored", call.line), *(op.func.site("key", op.line) for op in sent.values())]
    return Reason("growing-container", (*texts, Text("cause.heap.ends-keyed")), distinct(sites))


def _pinned(scene: StackInSource, stored: Stored) -> Reason:
    assert stored.cut is not None
    func, number = stored.cut
    leaf = next(spot for spot in scene.spots if spot is not None)
    texts = (
        Text("cause.heap.pin.made", {"place": at(leaf.func, leaf.number), "code": leaf.func.file.code(leaf.number)}),
        Text("cause.heap.pin.cut", {"place": at(func, number), "code": func.file.code(number)}),
        Text("cause.heap.pin.stored", _args(stored)),
        Text("cause.heap.pin.ends"),
    )
    sites = (func.site("cut", number), stored.func.site("stored", stored.line))
    return Reason("substring-pin", texts, sites, remedies=fixes.drafts(fixes.clone_piece(func, number)))


def _args(stored: Stored) -> dict[str, str | int | float]:
    return {
        "place": at(stored.func, stored.line),
        "container": text(stored.written),
        "code": stored.func.file.code(stored.line),
        "function": stored.func.full,
    }


def _kept(scene: StackInSource, stored: Stored, origins: Origins, tracker: Tracker) -> Reason | None:
    """Return why nothing leaves a container."""
    flows = scene.program.flows(stored.package)
    taken = list(removals(flows, stored))
    copies = [op for op in taken if on_copy(op)]
    texts = [*_pinned_too(scene, stored)] or [Text("cause.heap.stored", _args(stored))]
    site = stored.func.site("stored", stored.line)
    if taken and len(copies) == len(taken):
        op = copies[0]
        args = {"place": at(op.func.top, op.func.top.first), "function": op.func.full, "type": op.func.top.receiver}
        texts.append(Text("cause.heap.copy", {**args, "line": at(op.func, op.line)}))
        texts.append(Text("cause.heap.ends"))
        sites_of = (op.func.top.site("never-removed", op.func.top.first), site)
        remedies = fixes.drafts(fixes.pointer_receiver(op.func.top))
        return Reason("growing-container", tuple(texts), sites_of, remedies=remedies, kept=True)
    late = set_too_late(stored, taken)
    if late is not None:
        op, name, checks = late
        args = {"place": at(op.func, op.line), "field": name, "stored": at(stored.func, stored.line)}
        texts.append(Text("cause.heap.late", {**args, "checks": at(checks.func, checks.line), "code": op.code}))
        texts.append(Text("cause.heap.ends"))
        return Reason("growing-container", tuple(texts), (op.func.site("never-removed", op.line), site), kept=True)
    if taken and not any(op not in copies and used(scene, op.func.top) for op in taken):
        op = taken[0]
        top = op.func.top
        texts.append(
            Text("cause.heap.unused", {"place": at(top, top.first), "function": top.full, "line": at(op.func, op.line)})
        )
        texts.append(Text("cause.heap.ends"))
        return Reason("growing-container", tuple(texts), (top.site("never-removed", top.first), site), kept=True)
    back = put_back(flows, stored, taken)
    if back is not None:
        return _failing(stored, texts, *back)
    if taken or emptied_elsewhere(scene, stored):
        return _undo_lost(scene, stored, tracker)
    return _nothing(stored, texts, origins)


def _undo_lost(scene: StackInSource, stored: Stored, tracker: Tracker) -> Reason | None:
    taken = list(removals(scene.program.flows(stored.package), stored))
    return lost_undo(scene, stored, taken, tracker.reached)


def _failing(stored: Stored, texts: list[Text], taken: Op, back: Op, condition: str) -> Reason:
    """Return that what is taken out is put back whenever it fails, without an end of that."""
    args = {"place": at(taken.func, taken.line), "code": taken.code, "function": taken.func.full}
    args |= {"back": at(back.func, back.line), "again": back.code, "condition": condition}
    texts += [Text("cause.heap.put-back", args), Text("cause.heap.put-back.ends")]
    sites = (back.func.site("never-removed", back.line), stored.func.site("stored", stored.line))
    return Reason("growing-container", tuple(texts), sites)


def _nothing(stored: Stored, texts: list[Text], origins: Origins) -> Reason | None:
    """Return that nothing takes out what is put in; None where nobody can say what it is put into."""
    if stored.how == "method" and not stored.package.type_of(stored.written, stored.func, stored.func.file):
        return None
    name, _ = foreign(stored)
    if name:
        texts.append(Text("cause.heap.foreign", {**_args(stored), "type": name}))
        return Reason("growing-container", tuple(texts), (stored.func.site("never-removed", stored.line),))
    texts.append(Text("cause.heap.nothing", _args(stored)))
    sites: list[CauseSite] = [stored.func.site("never-removed", stored.line)]
    key = _unbounded_key(stored, origins)
    if key is not None:
        texts.append(Text("cause.heap.key", {"place": key.place, "code": shown(key.node)}))
        sites.append(key.site("key"))
    # What the key can be is known of a request's text alone; a name, a number, an article may be few or many.
    texts.append(Text("cause.heap.ends" if key is not None or stored.key is None else "cause.heap.ends-keyed"))
    # A key that names somebody (a header, a cookie) has as many values as there are of those.
    endless = stored.key is None if key is None else not any(name in text(key.node) for name in _NAMES)
    return Reason("growing-container", tuple(texts), tuple(sites), kept=endless)


def _pinned_too(scene: StackInSource, stored: Stored) -> Iterator[Text]:
    """Yield that what is stored is a piece that keeps the whole, where it is one."""
    if stored.cut is not None:
        yield from _pinned(scene, stored).texts


def foreign(stored: Stored) -> tuple[str, str]:
    """Return the type of a container that another module made, and its import path: a limit is its own matter."""
    package, file = stored.package, stored.func.file
    kind = package.type_of(stored.written, stored.func, file)
    name = kinds.base(kind).partition("[")[0]
    path = file.imports.get(name.partition(".")[0], "") if "." in name else ""
    return (name, path) if stored.how == "method" and "." in path.partition("/")[0] else ("", "")


def limited(stored: Stored) -> bool:
    """Tell whether the store stands under a check of the container's length."""
    step = next((op.step for op in stored.func.ops if op.line == stored.line), None)
    written = f"len({text(stored.written)})"
    for case in step.cases if step is not None else ():
        if written in text(case.node.child_by_field_name("condition") or case.node.child_by_field_name("value")):
            return True
    return False


# Keys


def _bounded_key(stored: Stored, origins: Origins) -> bool:
    """Tell whether the key takes few values: a remainder, a constant."""
    if stored.key is None:
        return False
    begin = _key_origins(stored, origins)
    return bool(begin) and all(_few(one) for one in begin)


def _key_origins(stored: Stored, origins: Origins) -> list[Expr]:
    if stored.key is None:
        return []
    return origins.of(Expr(stored.key, stored.func, stored.func.file, stored.package, stored.at))


def _few(expr: Expr) -> bool:
    node = bare(expr.node)
    if node.type == "binary_expression":
        return text(node.child_by_field_name("operator")) in ("%", "==", "<", ">", "&&", "||", "!=", "&")
    if node.type == "call_expression" and node.child_by_field_name("arguments") is not None:  # int(n % 16)
        function = text(node.child_by_field_name("function"))
        given = node.child_by_field_name("arguments")
        if function in ("int", "int32", "int64", "uint", "uint32", "uint64", "byte", "uint8") and given is not None:
            return bool(given.named_children) and _few(expr.beside(given.named_children[0]))
    return node.type in (
        "int_literal",
        "interpreted_string_literal",
        "raw_string_literal",
        "true",
        "false",
        "rune_literal",
    )


def _unbounded_key(stored: Stored, origins: Origins) -> Expr | None:
    for one in _key_origins(stored, origins):
        if any(name in text(one.node) for name in _UNBOUNDED):
            return one
    return None
