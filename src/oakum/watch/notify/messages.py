"""A change of an incident -> the message that channels deliver, in both languages.

Names in it come from programs: control characters are replaced, lengths are bounded. Each channel escapes what it must.
"""

import json
from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Text
from oakum.report.words import LANGUAGES, WORDS, say
from oakum.store.rows import IncidentRow

Kind = Literal["opened", "updated", "resolved", "flapping", "test"]

_LONGEST = 300  # characters of a name: Go's generic functions reach it
_NAMED = 8  # replicas; the others are counted


class Message(Struct, frozen=True):
    """One state of one incident, to be told once. `key` is the same for the same state, whoever makes it."""

    key: str
    kind: Kind
    incident: IncidentRow
    title: dict[str, str]  # by language
    summary: dict[str, tuple[str, ...]]  # sentences, by language
    page: str = ""  # address or path of the report
    labels: dict[str, str] = {}

    @property
    def ended(self) -> bool:
        return self.kind == "resolved"


def message(kind: Kind, incident: IncidentRow, page: str = "") -> Message:
    """Return what is told of an incident."""
    row = _cleaned(incident)
    page = clean(page, 2000)
    what = Text(f"mechanism.{row.mechanism}") if f"mechanism.{row.mechanism}" in WORDS else Text("notify.what.unknown")
    title = Text(f"notify.title.{kind}", {"service": row.service, "what": what})
    sentences = _sentences(row, kind, page)
    labels = {"service": row.service, "incident": row.incident, "mechanism": row.mechanism, "function": row.function}
    return Message(
        f"{row.incident}:{row.revision}",
        kind,
        row,
        {lang: say(title, lang) for lang in LANGUAGES},
        {lang: tuple(say(one, lang) for one in sentences) for lang in LANGUAGES},
        page,
        {name: value for name, value in labels.items() if value},
    )


def _sentences(row: IncidentRow, kind: Kind, page: str) -> list[Text]:
    if kind == "test":
        return [Text("notify.test")]
    found = []
    if row.function:
        place: dict[str, str | int] = {"function": row.function, "file": row.file, "line": row.line}
        found.append(Text("notify.place", place) if row.file else Text("notify.place.function", place))
    found += _since(row)
    found += _after(row)
    if row.limit_low is not None and kind != "resolved":
        low, high = at(row.limit_low), row.limit_high
        found.append(
            Text("notify.limit.open", {"low": low})
            if high is None
            else Text("notify.limit", {"low": low, "high": at(high)})
        )
    if row.replicas:
        names, more = ", ".join(row.replicas[:_NAMED]), len(row.replicas) - _NAMED
        key = "notify.replicas.more" if more > 0 else "notify.replicas"
        found.append(Text(key, {"names": names, "more": more}))
    opened = {"opened": at(row.opened_at)}
    if row.closed_at is None:
        found.append(Text("notify.opened", opened))
    else:
        found.append(Text("notify.closed", {**opened, "closed": at(row.closed_at)}))
    return found + ([Text("notify.page", {"page": page})] if page else [])


def _since(row: IncidentRow) -> list[Text]:
    if row.since is not None and row.since_low is not None and row.since_high is not None:
        low, high = at(row.since_low), at(row.since_high)
        return [Text("notify.since", {"since": at(row.since), "low": low, "high": high})]
    known = row.since_high if row.since is None else row.since
    return [Text("notify.since.before", {"since": at(known)})] if known is not None else []


def _after(row: IncidentRow) -> list[Text]:
    """Return the change before growth began, if one is known."""
    try:
        told = json.loads(row.after)
        args = {name: clean(value) if isinstance(value, str) else value for name, value in told["args"].items()}
        return [Text("notify.after", {"time": at(told["at"]), "what": Text(told["key"], args)})]
    except (KeyError, TypeError, ValueError):
        return []


def at(micros: int) -> str:
    """Return an instant as people read it, UTC; one that no calendar has is given as it is."""
    try:
        return datetime.fromtimestamp(micros / 1e6, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return str(micros)


def clean(text: str, most: int = _LONGEST) -> str:
    """Return a name without control characters, and not longer than people read."""
    shown = "".join(char if char.isprintable() else "?" for char in text[: most + 1])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _cleaned(row: IncidentRow) -> IncidentRow:
    names = {name: clean(getattr(row, name)) for name in ("service", "mechanism", "function", "file", "incident")}
    return replace(row, **names, replicas=tuple(clean(one) for one in row.replicas[:200]))
