"""What is said of every channel: where it is made, how much room it has, where it is received from."""

from collections.abc import Sequence

from oakum.explain.code.calls import place
from oakum.explain.code.channel import Channel
from oakum.explain.code.nouns import Op
from oakum.model import CauseSite, Text


def made_says(channel: Channel) -> tuple[Text, ...]:
    """Return where the channel is made and how much room it has."""
    made, room = channel.made, channel.room
    if made is None:
        return ()
    args = {"channel": channel.name, "made": place(made), "room": room or ""}
    return (Text("cause.channel.made-bare" if not room else "cause.channel.made-room", args),)


def received_says(receives: Sequence[Op]) -> tuple[Text, ...]:
    if not receives:
        return ()
    places = ", ".join(dict.fromkeys(place(op) for op in receives[:4]))
    key = "cause.channel.received-once" if len(receives) == 1 else "cause.channel.received"
    return (Text(key, {"places": places}),)


def made_sites(channel: Channel) -> list[CauseSite]:
    made = channel.made
    return [made.func.site("made", made.line)] if made is not None else []
