"""A stop that is heard and not obeyed: `break` in a case leaves only its select, and the loop around it goes on.

Comes in: the loop of a worker that nothing ends, or a package. Goes out: the case that hears a stop channel or a
context, and the break in it that leads straight back to the head of the loop. A timer's case is no stop.
"""

from collections.abc import Iterator

from msgspec import Struct

from oakum.explain import fixes
from oakum.explain.code.calls import at, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Op, Step
from oakum.explain.code.package import Package
from oakum.explain.code.paths import leaves_without
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason
from oakum.explain.workers.endings import ending_of, is_timer
from oakum.model import CauseSite, Remedy, Text


class Unheeded(Struct, frozen=True):
    """A stop that a loop hears, and the break behind it."""

    heard: Op
    jump: Step
    head: Step

    @property
    def texts(self) -> Text:
        func = self.head.func
        told = {"function": func.full, "name": text(self.heard.target), "case": place(self.heard)}
        return Text("cause.worker.unheeded", {**told, "place": at(func, self.jump.line), "loop": self.head.line})

    @property
    def sites(self) -> tuple[CauseSite, ...]:
        func = self.head.func
        return func.site("never-stopped", self.jump.line), func.site("never-stopped", self.head.line)

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        return fixes.drafts(fixes.leave_loop(self.jump))


def unheeded(head: Step, flows: Flows) -> Unheeded | None:
    """Return a stop that a loop hears without leaving; None where behind the select something else looks at it."""
    for jump in head.func.steps:
        case = jump.cases[-1] if jump.kind == "jump" and jump.cases else None
        if case is None or text(jump.node) != "break" or jump.loops[-1:] != (head.node,):
            continue
        heard = next((op for op in case.ops if op.kind == "receive" and op.select is not None), None)
        back = [after for after, _ in jump.after] == [head]
        if heard is not None and back and not is_timer(heard, flows):
            return Unheeded(heard, jump, head)
    return None


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield the loops without any way out that hear a context, or a channel that is closed, and go on."""
    for func in package.all:
        for head in (one for one in func.steps if one.kind == "loop" and not leaves_without([one], lambda _: False)):
            found = unheeded(head, flows)
            ending = ending_of(found.heard, flows, {}) if found is not None else None
            if found is None or ending is None:
                continue
            if ending.kind == "context" or any(op.kind == "close" for op in ending.done):
                yield Reason("unstopped-worker", (found.texts,), found.sites, certain=True, remedies=found.remedies)
