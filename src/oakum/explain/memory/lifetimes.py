"""Does a container outlive the call that stores in it? Who made the object that has it, and who keeps that object.

Comes in: a `Stored` and the way of its value. Goes out: False where the object is made anew on the way to the store,
unless that object is itself put where nothing takes it out again: a history for each tenant.
"""

from collections.abc import Iterator

from oakum.explain.code import kinds
from oakum.explain.code.calls import nodes
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import ElemRef, FieldRef, Func, Op, Symbol, Var
from oakum.explain.code.syntax import text
from oakum.explain.memory.kept import Stored, Tracker
from oakum.explain.memory.removals import outermost, removals
from oakum.explain.reason import StackInSource
from oakum.explain.values import called

_DEEPEST = 3  # an object kept by an object kept by an object


def long_lived(scene: StackInSource, stored: Stored, tracker: Tracker, depth: int = 0) -> bool:
    """Tell whether the object that has the container is made elsewhere than on the way to the store, or is kept."""
    container = outermost(stored.container)
    if not isinstance(container, FieldRef):
        return isinstance(container, Var) and (container is stored.container or container.kind == "global")
    package = stored.package
    made = [
        op
        for func in package.all
        for op in func.ops
        if op.kind == "composite" and kinds.base(text(op.target)) == container.type
    ]
    if _made_beside(stored, container, {op.func for op in made}, tracker):
        return False
    flows = scene.program.flows(package)
    for op in made:
        callers = {call.func for call in package.callers.get(op.func, ())}
        on_the_way = op.func in tracker.funcs or bool(callers & tracker.funcs)
        if on_the_way and not _kept(scene, flows, op, stored, tracker, depth):
            return False
    return True


def _made_beside(stored: Stored, container: FieldRef, makers: set[Func], tracker: Tracker) -> bool:
    """Tell whether a function of another package on the way makes the object: `lib.Emitter{}`, `lib.NewEmitter()`."""
    package = stored.package
    names = {f"{package.path}.{func.name}" for func in makers if not func.receiver}
    for func in tracker.funcs:
        if func.package is package:
            continue
        aliases = [name for name, path in func.file.imports.items() if path == package.path]
        kinds_of = {f"{alias}.{container.type}" for alias in aliases}
        for op in func.top.everything():
            if op.kind == "composite" and kinds.base(text(op.target)) in kinds_of:
                return True
            if op.kind == "call" and called(op.node, op.func, op.file, op.func.package) in names:
                return True
        if any(kinds.base(text(one.child_by_field_name("type"))) in kinds_of for one in nodes(func.node, "var_spec")):
            return True
    return False


def _kept(scene: StackInSource, flows: Flows, made: Op, stored: Stored, tracker: Tracker, depth: int) -> bool:
    """Tell whether an object that is made on the way is put where it stays: nothing takes any out, or replaces them."""
    inner = outermost(stored.container)
    for symbol in _holders(flows, made):
        outer = outermost(symbol)
        if not isinstance(outer, (FieldRef, Var)) or depth >= _DEEPEST:
            continue
        if isinstance(outer, Var) and outer.kind != "global":
            continue
        if isinstance(inner, FieldRef) and isinstance(outer, FieldRef) and outer.type == inner.type:
            continue
        around = Stored(made.func, made.line, outer, stored.written, "index")
        if not list(removals(flows, around)) and long_lived(scene, around, tracker, depth + 1):
            return True
    return False


def _holders(flows: Flows, made: Op) -> Iterator[Symbol]:
    """Yield what comes to hold an object that is made: the elements of maps and slices."""
    begin = [symbol for symbol, ops in flows.made.items() if made in ops]
    # One that is handed to callers is theirs: what those do with it is looked at where they stand.
    yield from (one for one in flows.follow(begin).symbols if isinstance(one, ElemRef))
