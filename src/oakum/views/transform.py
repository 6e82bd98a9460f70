"""Profile -> profile, as pprof filters by names: -focus, -ignore, -hide, -show, -show_from, -prune_from, and the
frames that the producer calls uninteresting.

Regular expressions are tried once on each distinct name, never on each sample. Never changes what comes in.
"""

import re

import numpy as np
from msgspec.structs import replace

from oakum.model import Locations, Profile, Stacks
from oakum.model.profile import Bools, Int32s, Int64s, offsets
from oakum.views import tags
from oakum.views.merge import merge, subtract
from oakum.views.names import plain_names, without_arguments
from oakum.views.patterns import Pattern, compiled
from oakum.views.query import Query

# Any function but runtime.mallocgc or internal/runtime/maps.newTable
_PROGRAM = re.compile(r"^(?!runtime\.|internal/runtime/)")


def fetched(profile: Profile) -> Profile:
    """Return the profile as pprof holds it once it is read: C++ names simplified, uninteresting frames gone."""
    profile = plain_names(profile)
    if profile.extra.get("hidden_leaves"):  # first: below a nameless root, runtime.main would count as allocator
        profile = _without_hidden(profile)
    if not profile.drop_frames:
        return profile
    try:
        drop = re.compile(f"^({profile.drop_frames})$")
        keep = re.compile(f"^({profile.keep_frames})$") if profile.keep_frames else None
    except re.error:  # pprof shows such a profile unpruned, too
        return profile
    return _prune(profile, drop, keep)


def filtered(profile: Profile, query: Query, number_units: dict[str, str]) -> tuple[Profile, tuple[str, ...]]:
    """Return the profile with the query's filters applied, and a remark for each that matched nothing."""
    remarks: list[str] = []
    focus, ignore, hide, show, show_from, prune_from = (
        compiled(getattr(query, name), name) if getattr(query, name) else None
        for name in ("focus", "ignore", "hide", "show", "show_from", "prune_from")
    )
    if focus or ignore or hide or show:
        profile = _by_names(profile, focus, ignore, hide, show, remarks)
    if show_from:
        profile = _show_from(profile, show_from, remarks)
    profile = tags.filtered(profile, query, number_units, remarks)
    if prune_from:
        profile = _prune_from(profile, prune_from)
    return profile, tuple(remarks)


def _by_names(
    profile: Profile,
    focus: Pattern | None,
    ignore: Pattern | None,
    hide: Pattern | None,
    show: Pattern | None,
    remarks: list[str],
) -> Profile:
    stacks = profile.stacks
    ignored = _locations_matching(profile, ignore)
    focused = _locations_matching(profile, focus) & ~ignored if focus else ~ignored
    if focus and not focused.any():
        remarks.append("Focus expression matched no samples")
    if ignore and not ignored.any():
        remarks.append("Ignore expression matched no samples")
    hidden = np.zeros(len(profile.locations), np.bool_)
    if hide:
        touched = _locations_matching(profile, hide)
        if not touched.any():
            remarks.append("Hide expression matched no samples")
        whole = _mapping_matching(profile, hide)
        owner = _line_owners(profile.locations)
        profile = _with_lines(profile, ~(_lines_matching(profile, hide) | whole[owner]))
        hidden |= touched & (np.diff(profile.locations.line_starts) == 0)
    if show:
        whole = _mapping_matching(profile, show)
        nameless = profile.locations.line_function < 0
        owner = _line_owners(profile.locations)
        profile = _with_lines(profile, _lines_matching(profile, show) | nameless | whole[owner])
        gone = np.diff(profile.locations.line_starts) == 0
        hidden |= gone
        if gone.all():
            remarks.append("Show expression matched no samples")
    keep = _any_in_stack(stacks, focused) & ~_any_in_stack(stacks, ignored)
    if hidden.any():
        stacks = _without(stacks, hidden)
        keep &= np.diff(stacks.starts) > 0
    return _with_stacks(profile, stacks, keep)


def _show_from(profile: Profile, pattern: Pattern, remarks: list[str]) -> Profile:
    locations, stacks = profile.locations, profile.stacks
    whole = _mapping_matching(profile, pattern)
    matching = _lines_matching(profile, pattern)
    last = _last_before(np.flatnonzero(matching), locations.line_starts[:-1], locations.line_starts[1:])
    found = whole | (last >= 0)
    if not found.any():
        remarks.append("ShowFrom expression matched no samples")
    owner = _line_owners(locations)
    profile = _with_lines(profile, whole[owner] | (last[owner] < 0) | (np.arange(len(owner)) <= last[owner]))
    highest = _last_before(np.flatnonzero(found[stacks.locations]), stacks.starts[:-1], stacks.starts[1:])
    return _with_stacks(profile, _cut(stacks, stacks.starts[:-1], highest + 1), highest >= 0)


def _prune_from(profile: Profile, pattern: Pattern) -> Profile:
    locations, stacks = profile.locations, profile.stacks
    matching = _simplified_matching(profile, pattern, None)
    first = _first_after(np.flatnonzero(matching), locations.line_starts[:-1], locations.line_starts[1:])
    found = first >= 0
    owner = _line_owners(locations)
    profile = _with_lines(profile, np.arange(len(owner)) >= first[owner])
    lowest = _first_after(np.flatnonzero(found[stacks.locations]), stacks.starts[:-1], stacks.starts[1:])
    lowest = np.where(lowest >= 0, lowest, stacks.starts[:-1])
    return _with_stacks(profile, _cut(stacks, lowest, stacks.starts[1:]))


def _prune(profile: Profile, drop: Pattern, keep: Pattern | None) -> Profile:
    """Return the profile without the frames beneath (and with) the first dropped one, seen from the root.

    Dropped frames at the root, before any other, stay: else nothing would.
    """
    locations, stacks = profile.locations, profile.stacks
    starts, ends = locations.line_starts[:-1], locations.line_starts[1:]
    matching = _simplified_matching(profile, drop, keep)
    outermost = _last_before(np.flatnonzero(matching), starts, ends)
    beneath = outermost >= 0
    if not beneath.any():
        return profile
    whole = beneath & (outermost == ends - 1)
    owner = _line_owners(locations)
    profile = _with_lines(profile, whole[owner] | (np.arange(len(owner)) > outermost[owner]))
    flagged = beneath[stacks.locations]
    user = _last_before(np.flatnonzero(~flagged), stacks.starts[:-1], stacks.starts[1:])
    at = _last_before(np.flatnonzero(flagged), stacks.starts[:-1], np.where(user >= 0, user, stacks.starts[:-1]))
    dropped = whole[stacks.locations[at]] if len(stacks.locations) else np.zeros(len(at), np.bool_)
    begin = np.where(at >= 0, at + dropped, stacks.starts[:-1])
    return _with_stacks(profile, _cut(stacks, begin, stacks.starts[1:]))


def _without_hidden(profile: Profile) -> Profile:
    """Return the profile without the frames that Go's text lists and does not name: runtime leaves, runtime.goexit.

    In protobuf they are named and dropped. A stack without any name stays as it is.
    """
    locations, stacks = profile.locations, profile.stacks
    begins, ends = stacks.starts[:-1], stacks.starts[1:]
    named = np.diff(locations.line_starts) > 0
    program = np.zeros(len(locations), np.bool_)
    names = _texts_matching(profile, profile.functions.name, _PROGRAM)
    program[_line_owners(locations)[np.append(names, False)[locations.line_function]]] = True
    # An address may have its name from another stack, one that is all runtime: those Go names in full.
    first = _first_after(np.flatnonzero(program[stacks.locations]), begins, ends)
    last = _last_before(np.flatnonzero(named[stacks.locations]), begins, ends)
    owner = np.repeat(np.arange(len(begins)), np.diff(stacks.starts))
    at = np.arange(len(stacks.locations))
    hidden = ~named[stacks.locations] & (last[owner] >= 0) & ((at < first[owner]) | (at > last[owner]))
    return replace(profile, stacks=Stacks(offsets(~hidden)[stacks.starts], stacks.locations[~hidden]))


def without_inlines(profile: Profile) -> Profile:
    """Return the profile with only the outermost line of each location."""
    outermost = np.zeros(len(profile.locations.line_function), np.bool_)
    ends = profile.locations.line_starts[1:][np.diff(profile.locations.line_starts) > 0]
    outermost[ends - 1] = True
    return _with_lines(profile, outermost)


def _texts_matching(profile: Profile, rows: Int32s, pattern: Pattern) -> Bools:
    """Return for each string row whether its text matches; each distinct text is tried once."""
    used, number = np.unique(rows, return_inverse=True)
    search, strings = pattern.search, profile.strings
    return np.fromiter((search(strings[row]) is not None for row in used.tolist()), np.bool_, len(used))[number]


def _lines_matching(profile: Profile, pattern: Pattern) -> Bools:
    functions = profile.functions
    matching = _texts_matching(profile, functions.name, pattern) | _texts_matching(profile, functions.file, pattern)
    return np.append(matching, False)[profile.locations.line_function]


def _simplified_matching(profile: Profile, drop: Pattern, keep: Pattern | None) -> Bools:
    """Return for each line whether its function, without arguments, is to be dropped and not kept."""
    used, number = np.unique(profile.functions.name, return_inverse=True)

    def dropped(name: str) -> bool:
        name = without_arguments(name)
        return bool(drop.search(name)) and not (keep and keep.search(name))

    names = (profile.strings[row] for row in used.tolist())
    matching = np.fromiter((name != "" and dropped(name) for name in names), np.bool_, len(used))[number]
    return np.append(matching, False)[profile.locations.line_function]


def _mapping_matching(profile: Profile, pattern: Pattern) -> Bools:
    matching = [pattern.search(mapping.file) is not None for mapping in profile.mappings]
    return np.array([*matching, False])[profile.locations.mapping]


def _locations_matching(profile: Profile, pattern: Pattern | None) -> Bools:
    if pattern is None:
        return np.zeros(len(profile.locations), np.bool_)
    matching = _mapping_matching(profile, pattern)
    matching[_line_owners(profile.locations)[_lines_matching(profile, pattern)]] = True
    return matching


def _line_owners(locations: Locations) -> Int64s:
    return np.repeat(np.arange(len(locations)), np.diff(locations.line_starts))


def _with_lines(profile: Profile, keep: Bools) -> Profile:
    """Return the profile with only the kept lines in its locations."""
    if keep.all():
        return profile
    locations = profile.locations
    extra = dict(profile.extra)
    if "line_columns" in extra:
        extra["line_columns"] = extra["line_columns"][keep]
    return replace(
        profile,
        extra=extra,
        locations=replace(
            locations,
            line_starts=offsets(keep)[locations.line_starts],
            line_function=locations.line_function[keep],
            line_number=locations.line_number[keep],
        ),
    )


def _with_stacks(profile: Profile, stacks: Stacks, keep: Bools | None = None) -> Profile:
    """Return the profile with other stacks, and only the samples whose stack is kept."""
    if keep is None or keep.all():
        return replace(profile, stacks=stacks)
    return select(replace(profile, stacks=stacks), keep[profile.stack_ids])


def select(profile: Profile, samples: Bools) -> Profile:
    return replace(
        profile,
        values=profile.values[:, samples],
        stack_ids=profile.stack_ids[samples],
        label_ids=profile.label_ids[samples],
    )


def _any_in_stack(stacks: Stacks, locations: Bools) -> Bools:
    seen = offsets(locations[stacks.locations])[stacks.starts]
    return seen[1:] > seen[:-1]


def _without(stacks: Stacks, locations: Bools) -> Stacks:
    keep = ~locations[stacks.locations]
    return Stacks(offsets(keep)[stacks.starts], stacks.locations[keep])


def _cut(stacks: Stacks, begins: Int64s, ends: Int64s) -> Stacks:
    """Return each stack as the slice begins:ends of the old frames."""
    lengths = np.maximum(ends - begins, 0)
    starts = offsets(lengths)
    at = np.repeat(begins - starts[:-1], lengths) + np.arange(starts[-1])
    return Stacks(starts, stacks.locations[at])


def _last_before(places: Int64s, begins: Int64s, ends: Int64s) -> Int64s:
    """Return the last of the (sorted) places in each range begins:ends, -1 where there is none."""
    found = np.append(places, -1)[np.searchsorted(places, ends) - 1]
    return np.where(found >= begins, found, -1)


def _first_after(places: Int64s, begins: Int64s, ends: Int64s) -> Int64s:
    """Return the first of the (sorted) places in each range begins:ends, -1 where there is none."""
    beyond = np.iinfo(np.int64).max
    found = np.append(places, beyond)[np.searchsorted(places, begins)]
    return np.where(found < ends, found, -1)


__all__ = ["fetched", "filtered", "merge", "select", "subtract", "without_inlines"]
