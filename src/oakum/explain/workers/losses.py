"""A loss in sentences and lines: what lets go of a worker, a registration or a timer, and what it should have done."""

from oakum.explain.code.calls import at, operand, place
from oakum.explain.code.nouns import Op
from oakum.explain.code.syntax import text
from oakum.explain.workers.owners import Loss
from oakum.model import CauseSite, Text
from oakum.model.vocabulary import CauseRole


def texts(loss: Loss, stop: Op | None, names: str = "") -> list[Text]:
    """Return the sentences about a loss; `stop` is an operation that would have released it, `names` the methods."""
    args = {"place": at(loss.func, loss.line), "function": loss.func.full, "code": loss.func.file.code(loss.line)}
    found: list[Text] = []
    if loss.how == "skipped":
        return [Text("cause.lost.skipped", {**args, "condition": loss.condition})]
    if loss.how == "passed" and loss.op is not None:
        release = {"release": text(loss.op.node).partition("\n")[0], "line": place(loss.op)}
        return [Text("cause.lost.passed", {**args, "condition": loss.condition, **release})]
    if stop is not None:
        found.append(Text("cause.lost.would", {"place": place(stop), "code": text(stop.node).partition("\n")[0]}))
    if loss.how in ("deleted", "replaced", "emptied"):
        held = text(operand(loss.op) if loss.op.kind == "call" else loss.op.target) if loss.op is not None else ""
        return [*found, Text(f"cause.lost.{loss.how}", {**args, "holder": held})]
    if loss.how == "left":
        acquire = loss.acquire
        return [*found, Text("cause.lost.left", {**args, "acquire": place(acquire) if acquire is not None else ""})]
    if loss.how == "kept":
        return [*found, Text("cause.lost.kept", {**args, "release": names})]
    return [*found, Text("cause.lost.unused", args)]


def lines(loss: Loss, role: CauseRole = "never-stopped") -> list[CauseSite]:
    """Return the lines of a loss, the decisive one first."""
    found = [loss.func.site(role, loss.line)]
    if loss.how in ("deleted", "emptied") and not loss.step.loops and not loss.step.cases:
        # A function that lets go of it and does little else: the call that is missing belongs into it.
        found.append(loss.func.site(role, loss.func.first))
    if loss.how == "passed" and loss.op is not None:
        found.append(loss.op.func.site("stopped", loss.op.line))
    if loss.acquire is not None and loss.acquire.line != loss.line:
        found.append(loss.acquire.func.site("made", loss.acquire.line))
    return found
