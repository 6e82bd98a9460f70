"""E-mail by a local command: a message of RFC 5322 on its stdin. No shell, no SMTP: the command knows the way."""

import os
import tempfile
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path

from oakum.collect.programs import named_program, run_program, safe_path
from oakum.model import Text, UsageError
from oakum.watch.notify.channels import ChannelConfig, DeliveryFailed
from oakum.watch.notify.messages import Message

_MOST = 64 << 10  # bytes that the command may print
# What a mail command may need to know; secrets of other channels are in the environment too.
_PASSED = ("HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR")


class Mail:
    """A channel that is a command."""

    forgets = None

    def __init__(self, config: ChannelConfig) -> None:
        self.name, self._config = config.called, config

    @classmethod
    def of(cls, config: ChannelConfig) -> "Mail":
        """Return it; raise UsageError where the command is none, or an address would end a header."""
        for one in (config.sender, *config.recipients):
            if not one.isprintable() or "@" not in one or "," in one:
                raise UsageError(f"notify {config.called!r}: {one!r} is no mail address")
        try:
            named_program(config.command[0])
        except OSError:
            raise UsageError(f"notify {config.called!r}: command: there is no program {config.command[0]!r}") from None
        return cls(config)

    def deliver(self, message: Message, now: int) -> None:
        """Run the command; raise DeliveryFailed unless it ends with 0."""
        command = self._config.command
        told: dict[str, str | int | float] = {"channel": self.name, "command": Path(command[0]).name}
        environ = {name: os.environ[name] for name in _PASSED if name in os.environ} | {"PATH": safe_path(os.environ)}
        try:
            with tempfile.TemporaryFile() as given:
                given.write(written(message, self._config, now))
                given.seek(0)
                program = named_program(command[0])
                ran = run_program([program, *command[1:]], self._config.seconds, _MOST, env=environ, given=given)
        except OSError as error:
            told["said"] = error.strerror or type(error).__name__
            raise DeliveryFailed(Text("notify.failed.start", told)) from error
        if ran.late:
            raise DeliveryFailed(Text("notify.failed.late", {**told, "seconds": self._config.seconds}))
        if ran.code:
            said = "".join(char if char.isprintable() else " " for char in ran.err[:300].decode("utf-8", "replace"))
            raise DeliveryFailed(Text("notify.failed.command", {**told, "code": ran.code, "said": said.strip()}))


def written(message: Message, config: ChannelConfig, now: int) -> bytes:
    """Return a message as mail. All of an incident are one thread; the id of a state is always the same."""
    mail = EmailMessage()
    mail["From"], mail["To"] = config.sender, ", ".join(config.recipients)
    mail["Subject"] = message.title[config.language]
    mail["Date"] = format_datetime(datetime.fromtimestamp(now / 1e6, UTC))
    thread = "".join(char if char.isascii() and char.isalnum() else "-" for char in message.incident.incident)[:100]
    mail["Message-ID"] = f"<{thread}.{message.incident.revision}@oakum.invalid>"
    mail["References"] = f"<{thread}@oakum.invalid>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content("\n".join(message.summary[config.language]) + "\n")
    return mail.as_bytes(policy=SMTP.clone(linesep="\n"))
