"""Goroutines -> rows: who stands where, in which state, how long, made by whom, counted like `sort | uniq -c`.

Works on groups of any goroutine format; what a format cannot say stays None and is shown as such.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Frame, GoroutineGroup, Goroutines, Owner, Stack, UsageError
from oakum.views.patterns import Pattern, compiled


class Wanted(Struct, frozen=True):
    """Which goroutines to show. A regular expression matches anywhere, as grep does."""

    state: str | None = None
    place: str | None = None
    created_by: str | None = None
    focus: str | None = None  # any frame
    ignore: str | None = None
    label: str | None = None  # "key=value" or a regular expression over that text
    older: int | None = None  # minutes
    leaked: bool = False


class Row(Struct, frozen=True):
    """Goroutines that agree in what they were grouped by. Ages are minutes; None where no header names one."""

    count: int
    key: dict[str, str | None]
    groups: tuple[GoroutineGroup, ...]
    shortest: int | None = None
    median: int | None = None
    longest: int | None = None
    aged: int = 0  # members whose header names an age
    leaked: int = 0

    @property
    def stack(self) -> Stack:
        return self.groups[0].stack

    @property
    def ids(self) -> list[int]:
        return sorted(int(i) for group in self.groups for i in group.ids)


# What goroutines can be grouped by; the first four are the default.
KEYS: dict[str, Callable[[GoroutineGroup], str | None]] = {
    "state": lambda g: g.state,
    "place": lambda g: _spot(g.place),
    "creator": lambda g: _spot(g.created_by),
    "function": lambda g: g.place.function if g.place else None,
    "package": lambda g: g.place.package if g.place else None,
    "own": lambda g: _spot(_first_of(g.stack, "own", "dependency")),
    "entry": lambda g: _spot(g.stack.entry),
    "stack": lambda g: f"{g.stack.key} {_spot(g.place)}",
    "labels": lambda g: ", ".join(f"{k}={v}" for k, v in g.labels) or None,
}
DEFAULT_KEYS = ("state", "place", "creator")
SORTS = ("count", "age", "state", "place")


def rows(
    goroutines: Goroutines, by: Sequence[str] = DEFAULT_KEYS, wanted: Wanted | None = None, sort: str = "count"
) -> list[Row]:
    """Return the wanted goroutines, grouped and sorted, most telling first."""
    for key in by:
        if key not in KEYS:
            raise UsageError(f"--by {key}: no such key; there are {', '.join(KEYS)}")
    gathered: dict[tuple[str | None, ...], list[GoroutineGroup]] = {}
    for group in _matching(goroutines.groups, wanted or Wanted()):
        gathered.setdefault(tuple(KEYS[key](group) for key in by), []).append(group)
    found = [_row(dict(zip(by, values, strict=True)), groups) for values, groups in gathered.items()]
    if sort not in SORTS:
        raise UsageError(f"--sort {sort}: no such order; there are {', '.join(SORTS)}")
    if sort == "age":
        found.sort(key=lambda row: (-1 if row.longest is None else row.longest, row.count), reverse=True)
    elif sort == "count":
        found.sort(key=lambda row: row.count, reverse=True)
    else:
        order = KEYS[sort]
        found.sort(key=lambda row: (order(row.groups[0]) or "", -row.count))
    return found


def selected(goroutines: Goroutines, wanted: Wanted) -> Goroutines:
    return replace(goroutines, groups=tuple(_matching(goroutines.groups, wanted)))


def _row(key: dict[str, str | None], groups: list[GoroutineGroup]) -> Row:
    groups = sorted(groups, key=lambda group: -group.count)
    waits = np.concatenate([group.waits for group in groups])
    named = np.sort(waits[waits >= 0])
    return Row(
        count=sum(group.count for group in groups),
        key=key,
        groups=tuple(groups),
        shortest=int(named[0]) if len(named) else None,
        median=int(named[len(named) // 2]) if len(named) else None,
        longest=int(named[-1]) if len(named) else None,
        aged=len(named),
        leaked=sum(group.count for group in groups if group.leaked),
    )


def unsaid(goroutines: Goroutines, wanted: Wanted) -> list[str]:
    """Return what a filter asks for and this format does not say, so that none found is not taken for none there."""
    groups = goroutines.groups
    silent = {
        "state": sum(g.count for g in groups if g.state is None) if wanted.state else 0,
        "creator": sum(g.count for g in groups if g.created_by is None) if wanted.created_by else 0,
        "waiting time": sum(g.count - int((g.waits >= 0).sum()) for g in groups) if wanted.older is not None else 0,
    }
    return [
        f"{count:,} of {goroutines.total:,} goroutines name no {what} here" for what, count in silent.items() if count
    ]


def _matching(groups: Iterable[GoroutineGroup], wanted: Wanted) -> Iterable[GoroutineGroup]:
    state, place = pattern("-state", wanted.state), pattern("-place", wanted.place)
    creator, label = pattern("-created-by", wanted.created_by), pattern("-label", wanted.label)
    focus, ignore = pattern("focus", wanted.focus), pattern("ignore", wanted.ignore)
    for group in groups:
        if wanted.leaked and not group.leaked:
            continue
        if state and not state.search(group.state or ""):
            continue
        if place and not place.search(_spot(group.place) or ""):
            continue
        if creator and not creator.search(_spot(group.created_by) or ""):
            continue
        if label and not any(label.search(f"{key}={value}") for key, value in group.labels):
            continue
        if focus or ignore:
            frames = [*group.stack.frames, *([group.created_by] if group.created_by else [])]
            spots = [_spot(frame) or "" for frame in frames]
            if focus and not any(focus.search(spot) for spot in spots):
                continue
            if ignore and any(ignore.search(spot) for spot in spots):
                continue
        if wanted.older is None:
            yield group
        elif (older := _older(group, wanted.older)) is not None:
            yield older


def _older(group: GoroutineGroup, minutes: int) -> GoroutineGroup | None:
    keep = np.flatnonzero(group.waits >= minutes)
    if not len(keep):
        return None
    return GoroutineGroup(
        group.stack, len(keep), group.state, group.created_by, group.labels, group.leaked, group.marks, group.ancestors,
        ids=group.ids[keep], parents=group.parents[keep], waits=group.waits[keep], spans=group.spans[keep],
    )  # fmt: skip


def pattern(flag: str, text: str | None) -> Pattern | None:
    """Return the compiled regular expression of a flag, in Go's syntax, or None when the flag was not given."""
    return compiled(text, flag) if text else None


def _first_of(stack: Stack, *owners: Owner) -> Frame | None:
    for owner in owners:
        for frame in stack.frames:
            if frame.owner == owner:
                return frame
    return stack.place


def _spot(frame: Frame | None) -> str | None:
    if frame is None:
        return None
    return f"{frame.function} {frame.file}:{frame.line}" if frame.file else frame.function
