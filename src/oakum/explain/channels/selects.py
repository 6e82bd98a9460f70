"""Why does none of a select's cases come? A send with ways out beside it, which all turn out to be closed.

Comes in: a goroutine in such a select, no loop around it. Goes out: why nobody receives what it sends, why its context
never ends and who should have closed the channels that it listens to. One case that may come, and nothing is said.
"""

from oakum.explain import fixes
from oakum.explain.channels import senders
from oakum.explain.code.calls import at, place
from oakum.explain.code.channel import Channel, channel_of
from oakum.explain.code.nouns import FieldRef, Op
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.reason import Reason, StackInSource, distinct
from oakum.explain.workers.endings import Ending, ending_of, is_timer, loop_around, outlives, select_of
from oakum.model import CauseSite, Remedy, Text


def reason(scene: StackInSource, spot: ResolvedFrame) -> Reason | None:
    """Return why the send and all that could end the wait for it fail to come."""
    chosen, flows = select_of(spot), scene.flows(spot)
    if chosen is None or loop_around(spot.func, chosen) is not None or any(one.default for one, _ in chosen.after):
        return None
    cases = [op for op in spot.func.ops if op.select == chosen.node and op.kind in ("receive", "send")]
    sends = [op for op in cases if op.kind == "send"]
    endings: list[Ending] = []
    for op in (one for one in cases if one.kind == "receive"):
        ending = ending_of(op, flows, scene.known) if not is_timer(op, flows) else None
        if ending is None or not (_never(ending) or outlives(ending, scene.start)):
            return None
        endings.append(ending)
    channel = channel_of(sends[0], flows, scene.known) if len(sends) == 1 and endings else None
    found = senders.reason(scene, channel) if channel is not None else None
    if found is None or channel is None:
        return None
    waits = Text("cause.select.waits", {"place": at(spot.func, spot.number), "name": channel.name})
    told = [_text(one) for one in endings]
    never = [one for one in endings if _never(one)]
    sites = distinct([*found.sites[:1], *(_site(one) for one in never), *found.sites[1:]])
    return Reason(found.mechanism, (waits, *found.texts, *told), sites, remedies=_close(channel, endings))


def _never(ending: Ending) -> bool:
    """Tell whether all that could bring a case about is at hand, and does not."""
    if ending.unknown or ending.given is not None or ending.foreign or ending.done:
        return False
    if ending.kind == "context":
        return ending.never is not None and ending.made is None
    return ending.made is not None


def _text(ending: Ending) -> Text:
    if not _never(ending):
        return Text("cause.select.outlives", {"name": ending.name})
    by = ending.never if ending.kind == "context" else ending.made
    kind = "context" if ending.kind == "context" else "channel"
    return Text(f"cause.select.{kind}", {"name": ending.name, "place": place(by) if by is not None else ""})


def _site(ending: Ending) -> CauseSite:
    by = ending.never if ending.kind == "context" else ending.made
    assert by is not None
    return by.func.site("never-cancelled" if ending.kind == "context" else "never-closed", by.line)


def _close(channel: Channel, endings: list[Ending]) -> tuple[Remedy, ...]:
    """Return the draft in which the receiver says that it has ended: it closes what the sender listens to."""
    receivers = {op.func for op in channel.done("receive", "range") if op.func is not channel.op.func}
    fields = [one.symbol for one in endings if isinstance(one.symbol, FieldRef)]
    if len(receivers) != 1 or len(fields) != 1:
        return ()
    func = receivers.pop()
    starts: list[Op] = channel.package.callers.get(func, [])
    alone = len(starts) == 1 and starts[0].kind == "go" and not starts[0].step.loops
    if not alone or func.this is None or func.receiver != fields[0].type:
        return ()
    return fixes.drafts(fixes.defer_at_start(func, f"close({func.this.name}.{fields[0].name})"))
