"""Which lines of a log report an event, and whom they name. The list is log_lines.toml; loaded only where a log is."""

import re
import tomllib
from functools import cache, cached_property
from importlib.resources import files

from msgspec import Struct, convert

from oakum.model.signals import EventKind


class LogEvent(Struct, frozen=True, dict=True):
    """One kind of event."""

    kind: EventKind
    seek: tuple[str, ...]
    line: str
    object: str = ""
    each: bool = False
    stack: bool = False
    examples: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        return re.compile(self.line.encode())

    @cached_property
    def about(self) -> re.Pattern[bytes] | None:
        return re.compile(self.object.encode()) if self.object else None


class Who(Struct, frozen=True, dict=True):
    """What a line may name: a client, its program, a user."""

    field: str
    patterns: tuple[str, ...]
    examples: dict[str, str]

    @cached_property
    def compiled(self) -> tuple[re.Pattern[bytes], ...]:
        return tuple(re.compile(one.encode()) for one in self.patterns)

    def named(self, line: bytes) -> str:
        """Return what a line names; "" when it names none."""
        found = next((found for pattern in self.compiled if (found := pattern.search(line))), None)
        return found[1].decode("utf-8", "replace") if found else ""


class LogLines(Struct, frozen=True):
    """The whole list."""

    anchors: tuple[str, ...]
    dumps: tuple[str, ...]
    event: tuple[LogEvent, ...]
    who: tuple[Who, ...]
    reasons: dict[EventKind, tuple[str, ...]]


@cache
def log_lines() -> LogLines:
    """Return the list."""
    text = files("oakum.knowledge").joinpath("log_lines.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text), LogLines)
