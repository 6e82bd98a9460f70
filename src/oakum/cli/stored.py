"""Words that name what a store keeps -> files: store:SERVICE@TIME, or a service and a range of time for a diagnosis.

As captures of what runs are kept, the files stay: in $PPROF_TMPDIR, else ~/pprof, with a manifest that says when they
were taken. The same snapshot is laid out once.
"""

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oakum.cli.screen import remark
from oakum.model import Argument, StoreError, Text, UsageError

if TYPE_CHECKING:
    from oakum.store.reader import Reader
    from oakum.store.rows import SnapshotRow

# 6h   90m   2d   1h30m  ago
_AGO = re.compile(r"-?(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,7})m)?(?:(\d{1,9})s)?(?: ?ago)?")
_TIMES = "2026-11-16T10:15 (UTC unless it says otherwise), 6h or 2d (ago), now"


def store_directory(given: str | None) -> Path:
    """Return the store that was named by --store, or by OAKUM_STORE."""
    named = given or os.environ.get("OAKUM_STORE", "")
    if not named:
        raise UsageError("which store? Name its directory: --store DIR, or set OAKUM_STORE")
    return Path(named)


def time_of(text: str, option: str) -> int:
    """Return the time that a word names, in microseconds."""
    now = datetime.now(UTC)
    if text in ("now", "latest"):
        return _micros(now)
    if text and (ago := _AGO.fullmatch(text)) and any(ago.groups()):
        days, hours, minutes, seconds = (int(part or 0) for part in ago.groups())
        return _micros(now - timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds))
    try:
        at = datetime.fromisoformat(text)
        return _micros(at if at.tzinfo else at.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        raise UsageError(f"{option}{text}: not a time; write {_TIMES}") from None


def _micros(at: datetime) -> int:
    return round(at.timestamp() * 1e6)


def service_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of `diagnose --store`: what is no file names a service."""
    return tuple(word if word.startswith("store:") or Path(word).exists() else f"store:{word}" for word in words)


def laid_out(
    words: Sequence[str], given: Mapping[str, Any], only: tuple[str, ...], several: bool, lang: str
) -> tuple[str, ...]:
    """Return the words, in which those of a store are the files that it keeps. `several`: a service without a time is
    all its snapshots, or those of the range that was given; else it is the newest."""
    from oakum.cli.live import is_stored
    from oakum.store import open_reader
    from oakum.store.laying_out import spread

    if not any(map(is_stored, words)):
        return tuple(words)
    directory = store_directory(given.get("store"))
    start, end = (given.get(name) for name in ("from_", "to"))
    ends = (
        time_of(start, "--from ") if start else -(1 << 62),
        time_of(end, "--to ") if end else 1 << 62,
    )
    found: list[str] = []
    with open_reader(directory) as reader:
        for word in words:
            if not is_stored(word):
                found.append(word)
                continue
            service, _, when = word.removeprefix("store:").rpartition("@") if "@" in word else (word[6:], "", "")
            names = reader.services()["service"].tolist()
            if service not in names:
                raise StoreError(_missing(directory, service, names))
            told = Text("history.at", {"time": when}) if when else Text("history.any")
            if when or not several:
                rows = _nearest(reader, service, time_of(when, f"store:{service}@") if when else None, lang)
            else:
                rows = spread(reader.snapshots(service, *ends))
                if start or end:
                    told = Text("history.range", {"start": start or "...", "end": end or "now"})
            if not rows:
                args: dict[str, Argument | Text] = {"path": str(directory), "service": service, "when": told}
                raise StoreError(Text("history.no-captures", args))
            found.append(_write(reader, service, rows, only))
    return tuple(found)


def _missing(directory: Path, service: str, names: Sequence[str]) -> Text:
    if not names:
        return Text("history.empty", {"path": str(directory)})
    near = ", ".join(names[:10]) + (" ..." if len(names) > 10 else "")
    return Text("history.no-service", {"path": str(directory), "service": service, "names": near})


def _nearest(reader: "Reader", service: str, at: int | None, lang: str) -> "list[SnapshotRow]":
    rows = [row for row in reader.snapshots(service) if row.captures]
    if not rows:
        return []
    best = max(rows, key=lambda row: row.at) if at is None else min(rows, key=lambda row: (abs(row.at - at), -row.at))
    if at is not None and abs(best.at - at) > 60_000_000:
        from oakum.report.words import word

        remark(word("history.nearest", lang, service=service, time=f"{_datetime(best.at):%Y-%m-%d %H:%M:%S}"))
    return [best]


def _datetime(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1e6, UTC)


def _write(reader: "Reader", service: str, rows: "Sequence[SnapshotRow]", only: tuple[str, ...]) -> str:
    """Write the captures of snapshots as a bundle; return what names it: the one file that a view shows, or all."""
    from oakum.cli.live import capture_directory
    from oakum.collect.bundle.names import safe_name
    from oakum.store.laying_out import lay_out

    ends = "-".join(dict.fromkeys(f"{_datetime(row.at):%Y%m%dT%H%M%SZ}" for row in (rows[0], rows[-1])))
    place = capture_directory() / f"oakum-store-{safe_name(service)}-{ends}-{len(rows)}"
    written = lay_out(reader, {service: rows}, place)
    for name in only:
        if fitting := [path for path in written if path.name.startswith(name)]:
            return str(fitting[0])
    return str(place)
