"""Messages that are to be delivered: a value, with back-off, kept over restarts. No clock, no network, no chance.

A state of an incident is delivered once to each channel; a newer state replaces one that is still waiting. A resolved
incident is told even where its opening never was: whoever was not reached learns of both. What is kept is bounded.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from oakum.watch.notify.messages import Message

MOST = 500  # deliveries that wait; more than that nobody reads
_REMEMBERED = 4000  # states that were delivered: a year of incidents
_SECOND = 1_000_000
_FIRST, _LONGEST = 5 * _SECOND, 900 * _SECOND  # of a wait after a failure: doubled each time
_ASKED = 3600 * _SECOND  # the longest that a server may ask us to wait
_VERSION = 1


class Delivery(Struct, frozen=True):
    """One message for one channel."""

    channel: str
    message: Message
    due: int
    failures: int = 0
    again: bool = False  # it was taken before: a channel that forgets is told anew


class Outcome(Struct, frozen=True):
    """What became of a delivery. `failed`: why, in one line of English; "" where it was taken."""

    channel: str
    key: str
    failed: str = ""
    retry_after: float | None = None  # seconds, if the other side said so
    dropped: bool = False  # there is no such channel any more


class Outbox(Struct, frozen=True):
    """What waits, and what was delivered: channel and incident -> the highest revision. Methods return another one."""

    waiting: tuple[Delivery, ...] = ()
    delivered: dict[str, int] = {}
    standing: tuple[Delivery, ...] = ()  # open incidents of channels that forget, to be told again when due
    dropped: int = 0  # never delivered: too many waited
    failures: int = 0
    version: int = _VERSION

    def add(self, messages: Iterable[Message], channels: Mapping[str, int | None], now: int) -> "Outbox":
        """Return it with new messages for each channel: its name -> after how many seconds it forgets, or None."""
        waiting = {(one.channel, one.message.incident.incident): one for one in self.waiting}
        standing = {(one.channel, one.message.incident.incident): one for one in self.standing}
        for message in messages:
            for channel in channels:
                where = (channel, message.incident.incident)
                revision = message.incident.revision
                older = waiting.get(where)
                if revision <= self.delivered.get(_name(*where), -1):
                    continue
                if older is not None and older.message.incident.revision >= revision:
                    continue
                # A server that is down is not asked sooner because there is more to tell.
                waiting.pop(where, None)
                waiting[where] = Delivery(
                    channel, message, max(now, older.due) if older else now, older.failures if older else 0
                )
                standing.pop(where, None)
        kept = [*waiting.values()]
        over = max(0, len(kept) - MOST)
        return replace(self, waiting=tuple(kept[over:]), standing=tuple(standing.values()), dropped=self.dropped + over)

    def due(self, now: int) -> tuple[Delivery, ...]:
        """Return what is to be delivered now, oldest first; one per incident and channel."""
        return tuple(one for one in (*self.waiting, *self.standing) if one.due <= now)

    def next_due(self) -> int | None:
        """Return when there is something to do; None: when something is added."""
        return min((one.due for one in (*self.waiting, *self.standing)), default=None)

    def settled(self, outcomes: Sequence[Outcome], channels: Mapping[str, int | None], now: int) -> "Outbox":
        """Return it after deliveries; what was added or replaced meanwhile stays."""
        by_key = {(one.channel, one.key): one for one in outcomes}
        delivered, failures = dict(self.delivered), self.failures
        waiting: list[Delivery] = []
        standing: list[Delivery] = []
        for one in (*self.waiting, *self.standing):
            outcome = by_key.get((one.channel, one.message.key))
            if outcome is None:
                (standing if one.again else waiting).append(one)
                continue
            if outcome.dropped:
                continue
            if outcome.failed:
                failures += 1
                later = replace(one, due=now + _pause(one, outcome), failures=one.failures + 1)
                (standing if one.again else waiting).append(later)
                continue
            name = _name(one.channel, one.message.incident.incident)
            delivered.pop(name, None)
            delivered[name] = one.message.incident.revision  # the newest last
            forgets = channels.get(one.channel)
            if forgets is not None and not one.message.ended and one.message.kind != "test":
                standing.append(replace(one, due=now + int(forgets * _SECOND), failures=0, again=True))
        # What was delivered while a newer state came in is told again only in that newer state.
        newer = {(one.channel, one.message.incident.incident) for one in waiting}
        standing = [one for one in standing if (one.channel, one.message.incident.incident) not in newer][-MOST:]
        for old in list(delivered)[: max(0, len(delivered) - _REMEMBERED)]:
            del delivered[old]
        return replace(self, waiting=tuple(waiting), standing=tuple(standing), delivered=delivered, failures=failures)

    def encode(self) -> bytes:
        """Return it as bytes for the store."""
        return msgspec.json.encode(self)

    @classmethod
    def decode(cls, data: bytes | None) -> "Outbox":
        """Return what was stored; an empty one where nothing was, or where it cannot be read: a damaged outbox must not
        keep the watcher from its work."""
        if data is None:
            return cls()
        try:
            return msgspec.json.decode(data, type=cls)
        except msgspec.DecodeError:  # also what does not fit
            return cls()


def _name(channel: str, incident: str) -> str:
    return f"{channel}\x1f{incident}"


def _pause(one: Delivery, outcome: Outcome) -> int:
    """Return how long a failed delivery waits: doubled each time, a quarter more or less, so that few come at once."""
    if outcome.retry_after is not None:
        return min(max(int(outcome.retry_after * _SECOND), _SECOND), _ASKED)
    pause = min(_FIRST * 2 ** min(one.failures, 20), _LONGEST)
    digest = blake2b(f"{one.channel}\0{one.message.key}\0{one.failures}".encode("utf-8", "replace"), digest_size=4)
    return int(pause * (0.75 + 0.5 * int.from_bytes(digest.digest()) / 2**32))
