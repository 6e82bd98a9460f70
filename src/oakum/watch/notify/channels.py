"""Where messages go: a channel's configuration -> the channel; due deliveries -> what became of each.

Channels are asked side by side, so that one that hangs until its deadline does not delay the others. Secrets come from
a file or the environment, are read anew for each delivery, and reach no message, log or error.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from oakum.collect.web import Access, vault
from oakum.model import OakumError, Text, UsageError
from oakum.report.words import say
from oakum.store.rows import IncidentRow
from oakum.watch.notify.messages import Message, message
from oakum.watch.notify.outbox import Delivery, Outcome

Type = Literal["webhook", "alertmanager", "slack", "mail"]
_LONGEST = 64 << 10  # bytes of a secret
_AT_ONCE = 8  # channels
_IN_A_ROW = 50  # deliveries to one channel per call: the rest is due again at the next


class DeliveryFailed(Exception):
    """A channel did not take a message; `retry_after`: seconds, if it said so."""

    def __init__(self, text: Text, retry_after: float | None = None) -> None:
        super().__init__(text.key)
        self.text, self.retry_after = text, retry_after


class Channel(Protocol):
    """Something that takes messages."""

    @property
    def name(self) -> str: ...

    @property
    def forgets(self) -> int | None:
        """Return after how many seconds it must be told again that an incident is open; None: never."""

    def deliver(self, message: Message, now: int) -> None:
        """Hand a message over; raise DeliveryFailed."""


class ChannelConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One [[notify]] of the configuration."""

    type: Type
    name: str = ""  # in logs, and in the outbox: renaming a channel sends everything that is open again
    url: str = ""
    url_file: str = ""  # one line: a hook's address is a secret
    url_env: str = ""
    secret_file: str = ""  # webhook: key of the signature
    secret_env: str = ""
    token_file: str = ""  # Authorization: Bearer
    tls_ca: str = ""
    command: tuple[str, ...] = ()  # mail: reads the message on stdin
    sender: str = ""
    recipients: tuple[str, ...] = ()
    language: Literal["en", "zh"] = "en"
    seconds: float = 10.0

    @property
    def called(self) -> str:
        return self.name or self.type


class Secret(Struct, frozen=True):
    """Where a secret is: in a file, in the environment, or written in the configuration. It is read when it is used."""

    channel: str
    file: str = ""
    variable: str = ""
    given: str = ""

    @property
    def exists(self) -> bool:
        return bool(self.file or self.variable or self.given)

    def read(self, environ: Mapping[str, str] = os.environ) -> str:
        """Return it; raise DeliveryFailed without repeating any of it."""
        if self.file:
            try:
                with Path(self.file).open("rb") as file:
                    found = file.read(_LONGEST).decode("utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                said = (error.strerror if isinstance(error, OSError) else None) or "not UTF-8 text"
                raise self._missing(self.file, said) from None
        else:
            found = environ.get(self.variable, "") if self.variable else self.given
        if not found:
            raise self._missing(self.file or f"${self.variable}", "it is empty")
        if not self.given:
            vault.note(found)
        return found

    def _missing(self, where: str, said: str) -> DeliveryFailed:
        return DeliveryFailed(Text("notify.failed.secret", {"channel": self.channel, "where": where, "said": said}))


def open_channel(config: ChannelConfig) -> Channel:
    """Return the channel of a configuration; raise UsageError where it cannot work. Nobody is asked anything yet."""
    # Where an error says which part of the configuration is meant.
    where = f"notify {config.called!r}"
    if not 0.1 <= config.seconds <= 120:
        raise UsageError(f"{where}: seconds is between 0.1 and 120")
    if config.type == "mail":
        from oakum.watch.notify.mail import Mail

        if not config.command or not config.recipients or not config.sender:
            raise UsageError(f'{where}: mail needs sender, recipients and command = ["/usr/sbin/sendmail", "-t", "-i"]')
        return Mail.of(config)
    from oakum.watch.notify.http import HTTP

    given = [name for name in ("url", "url_file", "url_env") if getattr(config, name)]
    if len(given) != 1:
        raise UsageError(f"{where}: exactly one of url, url_file and url_env says where it is")
    if config.secret_file and config.secret_env:
        raise UsageError(f"{where}: secret_file and secret_env exclude each other")
    if config.type != "webhook" and (config.secret_file or config.secret_env):
        raise UsageError(f"{where}: only a webhook is signed with a secret")
    access = Access(tls_ca=config.tls_ca or None, token_file=config.token_file or None)
    access.check()
    channel = HTTP(config, access)
    if config.url:
        channel.check(config.url)
    return channel


def attempt(deliveries: Sequence[Delivery], channels: Sequence[Channel], now: int) -> tuple[Outcome, ...]:
    """Deliver what is due, channel by channel in order; a channel that fails is left alone until later."""
    if not deliveries:
        return ()
    by_name = {channel.name: channel for channel in channels}
    wanted: dict[str, list[Delivery]] = {}
    for one in deliveries:
        wanted.setdefault(one.channel, []).append(one)
    with ThreadPoolExecutor(min(_AT_ONCE, len(wanted)), "notify") as pool:
        found = pool.map(lambda name: _in_turn(wanted[name][:_IN_A_ROW], by_name.get(name), now), wanted)
        return tuple(outcome for some in found for outcome in some)


def _in_turn(deliveries: Sequence[Delivery], channel: Channel | None, now: int) -> list[Outcome]:
    done: list[Outcome] = []
    for one in deliveries:
        key = one.message.key
        if channel is None:
            text = Text("notify.failed.unknown", {"channel": one.channel})
            done.append(Outcome(one.channel, key, say(text), dropped=True))
            continue
        try:
            channel.deliver(one.message, now)
        except DeliveryFailed as error:
            failed = vault.hidden(say(error.text))
            # All that waits for it waits as long: one request finds out that it is down.
            rest = deliveries[len(done) :]
            return done + [Outcome(one.channel, other.message.key, failed, error.retry_after) for other in rest]
        done.append(Outcome(one.channel, key))
    return done


def send_test(channel: Channel, now: int, service: str = "oakum") -> None:
    """Send a test notification, at once; raise OakumError in words when it is not taken."""
    row = IncidentRow(incident=f"test-{now}", service=service, state="resolved", opened_at=now, updated_at=now)
    try:
        channel.deliver(message("test", row), now)
    except DeliveryFailed as error:
        raise OakumError(vault.hidden(say(error.text))) from error
