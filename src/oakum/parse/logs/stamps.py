"""Time stamps as logs write them. A time needs a year and a zone; a stamp without them is kept as text."""

from datetime import UTC, datetime, timedelta, timezone

from oakum.model import Buffer
from oakum.regex import regex

# 2026-01-02T03:04:05.100000234Z   2026-01-02 03:04:05+0100   Thu 2021-11-02 03:14:52 UTC
ISO = rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d| UTC)?"
# Nov 02 03:14:52   Jan  2 03:04:05.123456
BSD = rb"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
# 2026/01/02 03:04:05.123456   (package log)
GO = rb"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
# I0102 03:04:05.678901   (klog)
KLOG = rb"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{1,9}"

# "ts":1767319445.678   (zap; a bare number of that size may be anything)
_NUMBER = rb"(?<=\"ts\":)[ ]?\d{10}(?:\.\d{1,9})?"
_ANY = regex(rb"%b|%b|%b|%b|%b" % (ISO, GO, BSD, KLOG, _NUMBER))
_TIME = regex(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:(Z| UTC)|([+-])(\d\d):?(\d\d))$")
_EPOCH = regex(r"\d{10}(?:\.\d+)?$|\d{13}$|\d{16}$|\d{19}$")  # seconds, milli-, micro-, nanoseconds

# 16/Nov/2026:02:41:03 +0000      (access logs)
ACCESS = regex(rb"\[(\d\d)/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})\]")
# __REALTIME_TIMESTAMP=1700000000000000         (a field of journalctl -o export, before MESSAGE=)
JOURNAL = regex(rb"__REALTIME_TIMESTAMP\"?[=:] ?\"?(\d{16})")
_HEAD, _HEAD_LINES = 64 << 10, 60
_DATED = 3  # of the first lines; or all, where there are fewer


def is_log(text: Buffer) -> bool:
    """Tell whether the first lines of a text are dated, as those of a log are."""
    lines = [line[:200] for line in bytes(text[:_HEAD]).split(b"\n")[:_HEAD_LINES] if line.strip()]
    dated = sum(1 for line in lines if _ANY.search(line) or ACCESS.search(line) or JOURNAL.search(line))
    return bool(lines) and dated >= min(_DATED, len(lines))


def find(text: bytes) -> str:
    """Return the first time stamp written in `text`, or ""."""
    found = _ANY.search(text)
    return found[0].decode("latin-1").strip() if found else ""


def parse_stamp(stamp: str) -> datetime | None:
    """Return when `stamp` was, or None when it lacks the year or the zone."""
    if _EPOCH.match(stamp):
        whole, _, fraction = stamp.partition(".")
        seconds, rest = whole[:10], (whole[10:] or fraction)
        return datetime.fromtimestamp(int(seconds), UTC) + timedelta(microseconds=int(rest[:6].ljust(6, "0")))
    match = _TIME.search(stamp)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    microsecond = int((match[7] or "0")[:6].ljust(6, "0"))
    zone = UTC
    try:
        if match[9]:
            offset = timedelta(hours=int(match[10]), minutes=int(match[11]))
            zone = timezone(offset if match[9] == "+" else -offset)
        # Log writers know leap seconds, datetime does not.
        return datetime(year, month, day, hour, minute, min(second, 59), microsecond, zone)
    except ValueError:
        return None
