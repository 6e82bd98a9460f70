"""Changes of incidents -> messages in the outbox, and out of it to the channels, in a thread of its own.

The outbox is written to the store with the incident that it tells of, and again after each attempt: a watcher that is
killed sends what was not acknowledged when it is started again.
"""

from collections.abc import Callable, Sequence

import msgspec

from oakum.model import OakumError
from oakum.store import Batch
from oakum.watch.clock import Clock
from oakum.watch.config import Config
from oakum.watch.incidents import Change
from oakum.watch.ledger import Ledger
from oakum.watch.log import Log
from oakum.watch.notify import Channel, ChannelConfig, Outbox, Outcome, attempt, message, open_channel

_STATE = "outbox"


def open_channels(config: Config) -> list[Channel]:
    """Return the channels of a configuration; raise with the line of what is wrong. Nobody is asked anything yet."""
    found: list[Channel] = []
    for at, table in enumerate(config.notify):
        path = f"$.notify[{at}]"
        try:
            channel = open_channel(msgspec.convert(table, ChannelConfig))
        except msgspec.ValidationError as error:
            raise config.misread(path, error, lambda _: ChannelConfig) from error
        except OakumError as error:
            raise config.mistake(path, str(error)) from error
        if any(one.name == channel.name for one in found):
            raise config.mistake(path, f"another channel is called {channel.name!r}; give one of them a name")
        found.append(channel)
    return found


class Announcer:
    """Used by the watcher's thread; only `attempt` runs in another one."""

    def __init__(self, channels: Sequence[Channel], ledger: Ledger, log: Log, clock: Clock) -> None:
        self._channels, self._ledger, self._log, self._clock = list(channels), ledger, log, clock
        self.outbox = Outbox.decode(ledger.state(_STATE))
        self.busy = False
        self.delivered = 0

    def use(self, channels: Sequence[Channel]) -> None:
        """Go on with other channels: the configuration was read again."""
        self._channels = list(channels)

    @property
    def _names(self) -> dict[str, int | None]:
        return {one.name: one.forgets for one in self._channels}

    def tell(self, changes: Sequence[Change], page: Callable[[str], str]) -> None:
        """Have changes delivered; `page` gives the page of an incident."""
        told = [message(one.kind, one.incident, page=page(one.incident.incident)) for one in changes if one.notify]
        if told and self._channels:
            self.outbox = self.outbox.add(told, self._names, self._clock.now())
            self._keep()

    def due(self) -> Callable[[], tuple[Outcome, ...]] | None:
        """Return what delivers all that is due now, to be called in a thread; None when nothing is."""
        now = self._clock.now()
        deliveries = self.outbox.due(now) if self._channels and not self.busy else ()
        if not deliveries:
            return None
        self.busy = True
        channels = tuple(self._channels)
        return lambda: attempt(deliveries, channels, now)

    def settle(self, outcomes: Sequence[Outcome]) -> None:
        """Note what became of deliveries; what failed is tried again, ever more seldom."""
        self.busy = False
        self.outbox = self.outbox.settled(outcomes, self._names, self._clock.now())
        for one in outcomes:
            key = f"channel {one.channel}"
            if one.failed:
                self._log.once(key, "warn", "notify-failed", channel=one.channel, why=one.failed)
            else:
                self.delivered += 1
                self._log.over(key)
                self._log.write("info", "notified", channel=one.channel, key=one.key)
        self._keep()

    def _keep(self) -> None:
        self._ledger.add(Batch(state=((_STATE, self.outbox.encode()),)))
