"""How long does a context live? As long as the call that it is used in, or as what keeps it: a server, a session.

Comes in: the context as an expression. Goes out: the field, or the variable of the package, that it comes from on every
way that can be followed; None where it may be the caller's own, where a clock ends it, or where nothing ever does.
"""

from oakum.explain.code import kinds
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import CallRef, FieldRef, Func, Symbol, Var
from oakum.explain.code.syntax import arguments, bare, text

_MOST = 400  # symbols followed
_SAME = ("context.WithValue",)  # the child lives as long as its parent
_ENDS = ("context.WithTimeout", "context.WithDeadline", "context.WithTimeoutCause", "context.WithDeadlineCause")


def kept_context(flows: Flows, symbol: Symbol | None, func: Func) -> Symbol | None:
    """Return what keeps a context that a function uses: it was there before the call, and is there after it."""
    package = flows.package
    made = {kinds.base(text(op.target)) for op in func.top.everything() if op.kind == "composite"}
    found: Symbol | None = None
    todo = [symbol] if symbol is not None else []
    seen = set(todo)
    while todo and len(seen) < _MOST:
        one = todo.pop()
        if isinstance(one, FieldRef) or (isinstance(one, Var) and one.kind == "global"):
            if (isinstance(one, FieldRef) and one.type in made) or _ends(flows, one):
                return None
            found = one
            continue
        before = flows.into.get(one, ())
        for source, op in before:
            if isinstance(source, CallRef) and source.of is None and source.name in _SAME and op is not None:
                given = arguments(bare(op.values[0])) if op.values else []
                parent = package.symbol(given[0], op.func, op.file) if given else None
                source = parent if parent is not None else source
            if source not in seen:
                seen.add(source)
                todo.append(source)
        if not before:
            return None  # a parameter that nobody is seen to give, or what a call gives
    return found


def _ends(flows: Flows, symbol: Symbol) -> bool:
    """Tell whether what a field is given may be a request's context, or one that a clock ends."""
    return any(
        isinstance(one, CallRef) and ((one.name == "Context" and one.of is not None) or one.name in _ENDS)
        for one in flows.origins(symbol)
    )
