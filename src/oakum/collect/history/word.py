"""Words that name a store of the past -> where it is, which process is meant, and how far back.

prometheus+https://HOST[:PORT][/prefix]?match={job="orders"}&last=6h&step=1m; pyroscope+ and parca+ alike.
"""

import re
from datetime import timedelta
from urllib.parse import unquote

from msgspec import Struct

from oakum.collect.history.selector import Selector, selector
from oakum.collect.web.address import without_user
from oakum.model import UsageError

_KNOWN = ("match", "last", "step", "others")
# The next parameter: a selector may hold an &.
_PARAMETER = re.compile(rf"(?:^|&)({'|'.join(_KNOWN)})=")
# 90s   15m   6h   7d   2w   1h30m
_SPAN = re.compile(r"(?:(\d{1,6})w)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?")
_LONGEST = timedelta(days=730)


class Word(Struct, frozen=True):
    kind: str  # prometheus, pyroscope, parca
    base: str  # the address as typed, credentials too: for the endpoint alone
    shown: str  # the same without credentials
    match: Selector | None = None
    last: timedelta | None = None
    step: timedelta | None = None
    others: int | None = None  # how many other instances are looked at

    def example(self, match: str) -> str:
        return f"'{self.kind}+{self.shown}?match={match}'"


def read(word: str) -> Word:
    """Return what a word says; raise a UsageError in words."""
    address, _, rest = word.partition("?")
    kind, _, base = address.partition("+")
    shown = without_user(base).rstrip("/")
    said = Word(kind, base.rstrip("/"), shown)
    found = list(_PARAMETER.finditer(rest))
    if rest and (not found or found[0].start()):
        raise UsageError(
            f"{kind}+{shown}?{_clipped(rest)}: only {', '.join(_KNOWN)} can be given there: {_EXAMPLE[kind]}"
        )
    values: dict[str, str] = {}
    ends = [*(one.start() for one in found[1:]), len(rest)]
    for here, end in zip(found, ends, strict=False):
        values[here[1]] = unquote(rest[here.end() : end])  # a plus is a plus: {instance=~"n.+"}
    try:
        match = selector(values["match"]) if values.get("match") else None
        others = int(values["others"]) if values.get("others") else None
        last = _span(values["last"], "last") if values.get("last") else None
        step = _span(values["step"], "step") if values.get("step") else None
    except ValueError as error:
        raise UsageError(f"{kind}+{shown}: {error}; {_EXAMPLE[kind]}") from None
    if others is not None and not 0 <= others <= 20:
        raise UsageError(f"{kind}+{shown}: others={others}: 0 to 20 other instances can be looked at")
    return Word(kind, said.base, shown, match, last, step, others)


def _span(text: str, name: str) -> timedelta:
    found = _SPAN.fullmatch(text)
    if not found or not text:
        raise ValueError(f"{name}={_clipped(text)} is no length of time: 90s, 15m, 6h, 7d and 1h30m are")
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    span = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    if not timedelta(0) < span <= _LONGEST:
        raise ValueError(f"{name}={_clipped(text)} has to be longer than nothing and at most {_LONGEST.days} days")
    return span


def _clipped(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text[:100])


_EXAMPLE = {
    "prometheus": """'prometheus+http://HOST:9090?match={job="kubelet",instance="n7:10250"}&last=6h' is one""",
    "pyroscope": """'pyroscope+http://HOST:4040?match={service_name="orders"}&last=6h' is one""",
    "parca": """'parca+http://HOST:7070?match={job="orders"}&last=6h' is one""",
}


def in_words(span: timedelta) -> str:
    """Return a length of time as it is typed: 6h, 1h30m, 90s."""
    seconds = round(span.total_seconds())
    if seconds < 120:
        return f"{seconds}s"
    parts = ((seconds // 86400, "d"), (seconds // 3600 % 24, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s"))
    return "".join(f"{count}{unit}" for count, unit in parts if count)
