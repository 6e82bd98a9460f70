"""Was something asked before this read? Only who asked waits for an answer, and may give up after a while.

Comes in: a scene that waits in a read, and where its connection comes from. Goes out: whether every way to the read
writes to that connection first. A server that waits for the next request, or a reader of whatever comes, asked nothing:
such a peer may rightly be silent for days.
"""

import re

from oakum.explain.code.calls import method, operand
from oakum.explain.code.nouns import Op
from oakum.explain.code.package import Package
from oakum.explain.code.paths import meeting, reached_without
from oakum.explain.network.deadlines import connections
from oakum.explain.reason import StackInSource
from oakum.explain.values import Expr, Origins, call_of

WRITES = re.compile(r"^(?:Write|Fprint|Flush|Encode|Send|Copy|Handshake)")
_ACCEPTED = (".Accept", ".AcceptTCP", ".AcceptUnix", ".Hijack")


def asked(scene: StackInSource, origins: Origins, index: int, call: Op, ends: list[Expr]) -> bool:
    """Tell whether the connection was dialled, and written to on every way to the read; or has just been dialled."""
    if any(one.called().endswith(_ACCEPTED) for one in ends):
        return False
    for at in range(index, len(scene.spots)):
        spot = scene.spots[at]
        if spot is None or spot.frame.owner not in ("own", "dependency"):
            return False
        here = call if at == index else call_of(spot, scene.trace.frames[at - 1])
        if here is None:
            return False
        writes = _writes(spot.package, origins, ends)
        if writes and not reached_without(spot.func, here.step, meeting(spot.package, writes)):
            return True
        if here.step.loops:
            return False
        dials = [op for op in spot.func.ops if any(op.kind == "call" and op.node == one.node for one in ends)]
        if dials and not reached_without(spot.func, here.step, meeting(spot.package, dials)):
            return True  # dialled here, and what is read is the greeting
    return False


def _writes(package: Package, origins: Origins, ends: list[Expr]) -> list[Op]:
    """Return the calls of a package that write to one of these connections."""
    keys = {one.key[:3] for one in ends}
    found: list[Op] = []
    for func in package.all:
        for op in func.ops:
            if op.kind != "call" or not WRITES.match(method(op)):
                continue
            through = [node for node in (operand(op), *op.values) if node is not None]
            through = [node for node in through if package.import_of(node, op.file) is None]
            behind = [one for node in through for one in connections(origins, Expr(node, func, op.file, package))]
            if any(one.key[:3] in keys for one in behind):
                found.append(op)
    return found
