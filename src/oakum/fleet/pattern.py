"""Path patterns: '{service}/{profile}-{time}.pb.gz' -> the service, replica, build, kind and time that a path names.

Each placeholder is within one folder or file name; * is any part of a name, ** any folders. Refuses what could not be
told apart.
"""

import re
from datetime import UTC, datetime, timedelta, timezone

from msgspec import Struct

from oakum.model import UsageError
from oakum.regex import regex

# As net/http/pprof and those who store profiles call them.
PROFILES = ("goroutine", "goroutines", "goroutineleak", "heap", "allocs", "block", "mutex", "threadcreate", "profile",
            "cpu", "trace")  # fmt: skip
_ALIASES = {"pod": "replica", "instance": "replica", "host": "replica", "version": "build", "region": "zone"}
_FREE = ("service", "replica", "zone", "build")
_FREE_MOST = 3  # in one name: more cannot be told apart, and finding that out takes long
_LONGEST = 4096  # of a path
_TOKEN = regex(r"\{([^{}]*)\}|\*\*/?|\*")
# 2026-11-19T10:15:00Z  2026-11-19T10-15-00.25+02:00  20261119T101500Z  20261119101500
_RFC3339 = regex(
    r"(\d{4})-?(\d\d)-?(\d\d)(?:[Tt_ ]?(\d\d)[:_-]?(\d\d)(?:[:_-]?(\d\d)([.,]\d{1,9})?)?)?"
    r"([Zz]|[+-]\d\d(?:[:_-]?\d\d)?)?"
)
# 1763547300  1763547300.25  1763547300250 (milliseconds), then micro- and nanoseconds
_UNIX = regex(r"(\d{1,19})([.]\d{1,9})?")
# Either of them, where a path goes on behind it: heap-1763547300-orders-7f9c.pb.gz
_TIME = (
    r"\d{4}-?\d\d-?\d\d(?:[Tt_ ]?\d\d[:_-]?\d\d(?:[:_-]?\d\d(?:[.,]\d{1,9})?)?)?(?:[Zz]|[+-]\d\d(?:[:_-]?\d\d)?)?"
    r"|\d{1,19}(?:[.]\d{1,9})?"
)
_LAST = 253_402_300_799_000_000  # the year 9999


class Named(Struct, frozen=True):
    """What a path says of the profile in it; empty or None where it does not."""

    service: str = ""
    replica: str = ""
    zone: str = ""
    build: str = ""
    profile: str = ""
    at: int | None = None  # microseconds since 1970


class PathPattern:
    """A pattern as it was typed; `match` reads a path, relative to what is taken in, with / between its names."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._fields: list[str] = []
        self._regex = re.compile(self._compiled(text.strip("/")))

    def _compiled(self, text: str) -> str:
        found, end, free = [], 0, 0
        for token in _TOKEN.finditer(text):
            between = text[end : token.start()]
            free = 0 if "/" in between else free
            found.append(re.escape(between))
            end = token.end()
            if token[0].startswith("**"):
                found.append("(?:.*/)?" if token[0].endswith("/") else ".*")
                continue
            free += 1
            if token[0] == "*":
                found.append("[^/]*?")
            else:
                name = _ALIASES.get(token[1], token[1])
                if name not in (*_FREE, "profile", "time") or name in self._fields:
                    raise UsageError(
                        f"--pattern {text}: {token[0]} is {'there twice' if name in self._fields else 'unknown'}; "
                        "use {service}, {replica}, {zone}, {build}, {profile} and {time}, each once"
                    )
                self._fields.append(name)
                free -= name in ("profile", "time")
                found.append(f"(?P<{name}>{_expression(name)})")
            if free > _FREE_MOST:
                raise UsageError(f"--pattern {text}: one name cannot hold so much; put / between the parts")
        if not self._fields:
            raise UsageError(f"--pattern {text}: names nothing; such as '{{service}}/{{profile}}-{{time}}.pb.gz'")
        return "".join(found) + re.escape(text[end:])

    def match(self, path: str) -> Named | None:
        """Return what a path says; None where it does not fit, or names no time that there is."""
        found = self._regex.fullmatch(path) if len(path) <= _LONGEST else None
        if found is None:
            return None
        said = found.groupdict()
        at = None
        if "time" in said and (at := time_of(said["time"])) is None:
            return None
        return Named(**{name: said[name] for name in (*_FREE, "profile") if name in said}, at=at)


def _expression(name: str) -> str:
    if name == "profile":
        return "|".join(sorted(PROFILES, key=len, reverse=True))
    return _TIME if name == "time" else "[^/]+?"


def time_of(text: str) -> int | None:
    """Return the time that is written, in microseconds since 1970; None when it is none. Without a zone it is UTC."""
    if (date := _RFC3339.fullmatch(text)) is not None and (found := _date(date)) is not None:
        return found
    if (unix := _UNIX.fullmatch(text)) is None:
        return None
    whole, unit = int(unix[1]), 1_000_000
    for _ in range(3):  # seconds until the year 5138, then milliseconds ...
        if whole >= 100_000_000_000_000_000 // unit:
            unit //= 1000
        else:
            break
    at = whole * unit if unit else whole // 1000
    at += round(float(unix[2] or 0) * unit)
    return at if at <= _LAST else None


def _date(found: re.Match[str]) -> int | None:
    year, month, day, hour, minute, second, part, zone = found.groups()
    if hour is None and len(found[0]) < 10:  # 20261119 may be seconds
        return None
    try:
        at = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), min(59, int(second or 0)),
                      tzinfo=_zone(zone))  # fmt: skip
    except ValueError:
        return None
    micros = round(float("0." + part[1:]) * 1e6) if part else 0
    return round((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) + micros


def _zone(text: str | None) -> timezone:
    if not text or text in "Zz":
        return UTC
    digits = text[1:].replace(":", "").replace("-", "").replace("_", "")
    ahead = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    return timezone(-ahead if text[0] == "-" else ahead)
