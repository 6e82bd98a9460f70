"""Whose goroutine is it, when nothing of the program's own code is on its stack? What was acquired and not given back.

Comes in: goroutines of a module, started by the module itself. Goes out: the own call that acquired what they work for
and, on some way out, never gives it back, where the pairs of knowledge/ know how that is done. A call whose result is
handed on or kept in anything is not told: somebody else may give it back.
"""

from collections.abc import Iterator

from oakum.explain.code.nouns import Op
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.workers.scan import left, name_of, pair_of
from oakum.explain.workers.starting import once
from oakum.knowledge.pairs import Pair
from oakum.model import Text

_KIN = ("unstopped-worker", "timer-loop", "accumulating-registration", "missing-deadline", "abandoned-receiver")
_MOST = 2  # calls that leave it behind: more than that, and nobody can say which it was


def reason(scene: StackInSource) -> Reason | None:
    """Return which own call left behind what these goroutines work for."""
    first = scene.suspect.mechanisms[0]
    if first not in _KIN or any(frame.owner == "own" for frame in (*scene.trace.frames, scene.trace.created) if frame):
        return None
    found = list(_left(scene))
    if not 0 < len(found) <= _MOST:
        return None
    texts = [
        Text("cause.worker.of-module", {"module": found[0][0].module}),
        *(told for _, one in found for told in one.texts),
    ]
    mechanism = first if first in _KIN[:3] else "unstopped-worker"
    sites = distinct(site for _, one in found for site in one.sites)
    return Reason(mechanism, tuple(texts), sites, remedies=tuple(fix for _, one in found for fix in one.remedies))


def _left(scene: StackInSource) -> Iterator[tuple[Pair, Reason]]:
    """Yield the calls of own functions that acquire something of a package on the stack and leave it behind."""
    stack = {
        frame.package for frame in (*scene.trace.frames, scene.trace.created) if frame and frame.owner == "dependency"
    }
    for package in scene.program.own():
        for op in (op for func in package.all for op in func.ops if op.kind == "call"):
            pair = pair_of(package, op)
            if pair is None or pair.generic or not stack & set(_paths(op, name_of(package, op))):
                continue
            one = left(package, op, pair)
            if one is not None and not once(scene.program, op):
                yield pair, one


def _paths(op: Op, name: str) -> Iterator[str]:
    """Yield the imports that a function can be of: of `nats.go.(*Conn).Subscribe` the name alone does not say."""
    yield from (path for path in op.file.imports.values() if name.startswith(f"{path}."))
