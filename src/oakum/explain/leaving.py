"""Exits that leave without doing what somebody waits for: found in the flow of control, and put into words.

Comes in: where to begin, and the operations that would do it. Goes out: exits, the most telling first: a time-out, the
end of a context, an error; each with the case or condition that leads to it.
"""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from oakum.explain.code.calls import at
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.package import Package
from oakum.explain.code.paths import Leave, leaves_without, meeting, not_found
from oakum.explain.code.syntax import line, text
from oakum.model import CauseSite, Text
from oakum.model.vocabulary import CauseRole

_MOST = 3  # exits that are told


class Exit(Struct, frozen=True):
    func: Func
    leave: Leave

    @property
    def line(self) -> int:
        """Return the line of the return, the panic or the closing brace."""
        return self.leave.step.line

    @property
    def why(self) -> str:
        """Return what leads there: timeout, context, default, case, condition, or "" when nothing special does."""
        case = self.leave.case
        if case is None:
            return ""
        if case.kind == "if":
            return "condition"
        if case.kind != "case":
            return ""
        if case.default:
            return "default"
        written = self.condition
        if ".Done()" in written:
            return "context"
        if "time.After" in written or ".C" in written or "imeout" in written or "timer" in written.lower():
            return "timeout"
        return "case" if "<-" in written else "condition"

    @property
    def condition(self) -> str:
        """Return the case or condition as written."""
        case = self.leave.case
        if case is None:
            return ""
        if case.kind == "if":
            return text(case.node.child_by_field_name("condition"))
        communication = case.node.child_by_field_name("communication")
        if communication is not None:
            return text(communication)
        return text(case.node).partition(":")[0].removeprefix("case ").strip()

    def sites(self, role: CauseRole) -> list[CauseSite]:
        """Return its lines: the case that leads there, where that is one of a select, and the exit itself."""
        case = self.leave.case
        lines = [self.line]
        if case is not None and case.kind == "case" and line(case.node) != self.line:
            lines = [line(case.node), *(lines if self.leave.step.kind != "end" else ())]  # a brace tells nothing
        return [self.func.site(role, number) for number in lines]

    def texts(self, what: str, channel: str) -> Text:
        """Return the sentence: which way leaves where, and what is not done then (receive, send, close)."""
        case = self.leave.case
        args: dict[str, str | int | float | tuple[int, ...]] = {
            "function": self.func.full,
            "exit": at(self.func, self.line),
            "channel": channel,
        }
        why = self.why
        if why and case is not None:
            args |= {"condition": shortened(self.condition), "case": at(self.func, line(case.node))}
        return Text(f"cause.left.{what}.{why or 'plain'}", args)


def shortened(written: str, most: int = 60) -> str:
    """Return code on one line, cut where it is long."""
    one = " ".join(written.split())
    return one if len(one) <= most else f"{one[: most - 1]}…"


def left_without(
    package: Package, func: Func, start: Step, ops: Iterable[Op], skip: Callable[[Step, str], bool] | None = None
) -> list[Exit]:
    """Return how a function is left behind `start` without one of the operations.

    A loop that does it counts as doing it, whatever the number of rounds; its own early exits count as leaving.
    """
    skips = skip or not_found(func)
    direct = meeting(package, ops)
    doing = {node.id for step in func.steps if direct(step) for node in step.loops}
    around = {node.id for node in start.loops}
    heads = {
        step
        for step in func.steps
        if step.kind == "loop" and step.node.id in doing - around and any(how == "else" for _, how in step.after)
    }
    leaves = leaves_without([start], lambda step: direct(step) or step in heads, skips)
    for head in heads:
        leaves += leaves_without(
            [head],
            lambda step, head=head: direct(step) or step is head,  # type: ignore[misc]
            lambda step, how, head=head: (step is head and how == "else") or skips(step, how),  # type: ignore[misc]
        )
    return exits_of(func, leaves)


def left_after(func: Func, op: Op, skip: Callable[[Step, str], bool] | None = None) -> list[Exit]:
    """Return how a function is left after an operation without coming round to it again."""
    skips = skip or not_found(func)
    loop = op.step if op.kind == "range" else None
    if loop is None and op.step.loops:
        loop = next((step for step in func.steps if step.kind == "loop" and step.node == op.step.loops[-1]), None)
    if op.step.leaves:  # return <-first
        return [Exit(func, Leave(op.step, (op.step,)))]
    ranges = op.kind == "range"
    leaves = leaves_without(
        [op.step],
        lambda step: step is loop,
        lambda step, how: (ranges and step is loop and how == "else") or skips(step, how),
    )
    return exits_of(func, leaves)


def exits_of(func: Func, leaves: Sequence[Leave]) -> list[Exit]:
    """Return the exits, the most telling first, each line once."""
    order = ("timeout", "context", "case", "default", "condition", "")
    exits = {leave.step.line: Exit(func, leave) for leave in leaves}
    return sorted(exits.values(), key=lambda one: (order.index(one.why), one.line))[:_MOST]
