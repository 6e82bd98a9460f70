"""Who could unblock this? For a goroutine that waits at a channel: which one, who could meet it, and why nobody does.

Comes in: a scene. Goes out: a reason from senders.py or receivers.py, or None.
"""

from oakum.explain.channels import receivers, senders
from oakum.explain.code.channel import channel_of
from oakum.explain.reason import Reason, StackInSource


def reason(scene: StackInSource) -> Reason | None:
    """Return why nobody meets the channel operation that the goroutine waits in."""
    spot = scene.blocked
    if spot is None or spot.frame.owner in ("stdlib", "runtime"):
        return None
    op = spot.op("send") if scene.state == "chan send" else None
    op = spot.op("receive", "range") if scene.state == "chan receive" else op
    if op is None:
        return None
    channel = channel_of(op, scene.flows(spot), scene.known)
    if channel is None:
        return None
    return senders.reason(scene, channel) if op.kind == "send" else receivers.reason(scene, channel)
