"""Does a loop end by itself? One that goes on keeps what it defers; one that ends fills a container once."""

from tree_sitter import Node

from oakum.explain.code.nouns import Func
from oakum.explain.memory.kept import Stored
from oakum.explain.reason import StackInSource


def goes_on(loop: Node, func: Func) -> bool:
    """Tell whether a loop ends only when somebody ends it: `for {`, or a range over a channel."""
    head = _head(loop)
    if head is None:
        return True
    if head.type == "for_clause":
        return head.child_by_field_name("condition") is None
    return head.type == "range_clause" and _over(head, func).startswith(("chan", "<-chan"))


def _ends(loop: Node, func: Func) -> bool:
    """Tell whether a loop ends by itself: it counts, or goes through a slice, an array or a map."""
    head = _head(loop)
    if head is None:
        return False
    if head.type == "for_clause":
        return head.child_by_field_name("condition") is not None and head.child_by_field_name("update") is not None
    return head.type == "range_clause" and _over(head, func).startswith(("[", "map[", "int"))


def _head(loop: Node) -> Node | None:
    return next((child for child in loop.named_children if child.type not in ("block", "comment")), None)


def _over(head: Node, func: Func) -> str:
    package = func.package
    return package.resolved(package.type_of(head.child_by_field_name("right"), func, func.file))


def loads(scene: StackInSource, stored: Stored) -> bool:
    """Tell whether a goroutine of its own stores in a loop that ends by itself, started neither by requests nor again.

    So is read at the start what a service works with. What goes on, or what nobody knows to end, is none.
    """
    func = stored.func
    stacks = scene.suspect.allocations
    loops = next((op.step.loops for op in func.ops if op.line == stored.line), ())
    if not stacks or not loops or not all(_ends(loop, func) for loop in loops):
        return False
    if any(trace.frames[-1].function != func.full for trace in stacks):
        return False
    starts = func.package.callers.get(func, ())
    return bool(starts) and all(
        op.kind == "go" and not op.step.loops and not any("http.Request" in param.type for param in op.func.params)
        for op in starts
    )
