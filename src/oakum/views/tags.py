"""Labels of samples, which pprof calls tags: filters on them, their units, and frames made of them.

-tagfocus and -tagignore take a regular expression, or a range such as 1kb:2mb for numeric labels.
"""

import re
from collections.abc import Callable

import numpy as np
from msgspec.structs import replace

from oakum.model import LabelSets, Profile
from oakum.model.profile import Bools, Int32s, Int64s, offsets
from oakum.views import measure
from oakum.views.names import used_rows
from oakum.views.patterns import Pattern, compiled
from oakum.views.query import Query

# 32kb   -5   +3ms: a number and perhaps its unit
_QUANTITY = re.compile(r"([+-]?[0-9]+)([A-Za-z]+)?")
BASE = "pprof::base"  # marks the samples of -diff_base


def number_units(profile: Profile) -> dict[str, str]:
    """Return the unit of each numeric label: the first that a sample gives, else one guessed from the key."""
    sets, strings = profile.label_sets, profile.strings
    numeric = _numeric(sets)
    if not numeric.any():
        return {}
    rank = np.full(len(sets), profile.samples)
    rank[profile.label_ids[::-1]] = np.arange(profile.samples)[::-1]  # of several the last one stays: the first sample
    rows = np.flatnonzero(numeric & (rank[_owners(sets)] < profile.samples))
    rows = rows[np.argsort(rank[_owners(sets)[rows]], kind="stable")]
    units: dict[str, str] = {}
    pairs = dict.fromkeys(zip(sets.key[rows].tolist(), sets.unit[rows].tolist(), strict=True))
    for key, unit in pairs:
        units[strings[key]] = units.get(strings[key]) or strings[unit]
    return {key: unit or ("bytes" if key in ("alignment", "request") else key) for key, unit in units.items()}


def is_base(profile: Profile) -> Bools | None:
    """Return which samples belong to -diff_base, or None when there is none."""
    sets, strings = profile.label_sets, profile.strings
    keys = [row for row in used_rows(sets.key, len(strings)).tolist() if strings[row] == BASE]
    if not keys:
        return None
    marked = [row for row in np.flatnonzero(np.isin(sets.key, keys)).tolist() if strings[sets.text[row]] == "true"]
    if not marked:
        return None
    of_set = np.zeros(len(sets), np.bool_)
    of_set[_owners(sets)[marked]] = True
    return of_set[profile.label_ids]


def filtered(profile: Profile, query: Query, units: dict[str, str], remarks: list[str]) -> Profile:
    """Return the profile after -tagfocus, -tagignore, -tagshow and -taghide."""
    keep = np.ones(profile.samples, np.bool_)
    for name in ("tagfocus", "tagignore"):
        value = getattr(query, name)
        if not value:
            continue
        matching = _matching(profile, name, value, units, remarks)[profile.label_ids]
        if not matching.any():
            remarks.append(f"Tag{name[3:].capitalize()} expression matched no samples")
        keep &= matching if name == "tagfocus" else ~matching
    if not keep.all():
        profile = replace(
            profile,
            values=profile.values[:, keep],
            stack_ids=profile.stack_ids[keep],
            label_ids=profile.label_ids[keep],
        )
    if query.tagshow or query.taghide:
        profile = _keep_tags(profile, query, remarks)
    return profile


def _matching(profile: Profile, flag: str, value: str, units: dict[str, str], remarks: list[str]) -> Bools:
    """Return for each set of labels whether the filter matches it."""
    sets, strings = profile.label_sets, profile.strings
    key, equals, rest = value.partition("=")
    key, value = (key, rest) if equals else ("", value)
    within = _range(value)
    if within:
        remarks.append(f"{flag}:Interpreted '{value}' as range, not regexp")

        def inside(label: int, number: int) -> bool:
            return (not key or strings[label] == key) and within(number, units.get(strings[label], ""))

        return _sets_where(sets, _numeric(sets), sets.number, inside)

    def found(pattern: Pattern) -> Callable[[int, int], bool]:
        def matches(label: int, text: int) -> bool:
            if key:
                return strings[label] == key and pattern.search(strings[text]) is not None
            return pattern.search(f"{strings[label]}:{strings[text]}") is not None

        return matches

    patterns = [compiled(part, flag) for part in value.split(",")]
    each = [_sets_where(sets, sets.text != 0, sets.text, found(pattern)) for pattern in patterns]
    # As in pprof: with a key one expression is enough, without a key all must match.
    combined: Bools = np.any(each, axis=0) if key else np.all(each, axis=0)
    return combined


def _sets_where(sets: LabelSets, rows: Bools, column: Int32s | Int64s, test: Callable[[int, int], bool]) -> Bools:
    """Return the sets with a row whose key and value pass the test; each distinct pair is tested once."""
    chosen = np.flatnonzero(rows)
    known: dict[tuple[int, int], bool] = {}
    passed = []
    for row, pair in zip(
        chosen.tolist(), zip(sets.key[chosen].tolist(), column[chosen].tolist(), strict=True), strict=True
    ):
        result = known.get(pair)
        if result is None:
            result = known[pair] = test(*pair)
        if result:
            passed.append(row)
    flags = np.zeros(len(sets), np.bool_)
    flags[_owners(sets)[passed]] = True
    return flags


def _range(text: str) -> Callable[[int, str], bool] | None:
    """Return the test that 32kb, :64kb, 4mb: or 12kb:64mb means, or None when the text is no range."""
    found = list(_QUANTITY.finditer(text))[:2]
    if not found:
        return None
    least, unit = measure.scale(int(found[0][1]), found[0][2] or "", found[0][2] or "")
    if len(found) == 1:
        tests: dict[str, Callable[[float], bool]] = {
            found[0][0]: lambda value: value == least,
            f"{found[0][0]}:": lambda value: value >= least,
            f":{found[0][0]}": lambda value: value <= least,
        }
        test = tests.get(text)
    else:
        most, unit_of_most = measure.scale(int(found[1][1]), found[1][2] or "", unit)
        whole = text == f"{found[0][0]}:{found[1][0]}" and unit == unit_of_most
        test = (lambda value: least <= value <= most) if whole else None
    if test is None:
        return None
    passes = test

    def within(value: int, of_unit: str) -> bool:
        scaled, name = measure.scale(value, of_unit, unit)
        return name == unit and passes(scaled)

    return within


def _keep_tags(profile: Profile, query: Query, remarks: list[str]) -> Profile:
    sets, strings = profile.label_sets, profile.strings
    show = compiled(query.tagshow, "tagshow") if query.tagshow else None
    hide = compiled(query.taghide, "taghide") if query.taghide else None
    keys = [(key, strings[key]) for key in used_rows(sets.key, len(strings)).tolist()]
    shown = {key for key, name in keys if show is None or show.search(name)}
    hidden = {key for key, name in keys if hide is not None and hide.search(name)}
    if show and not shown:
        remarks.append("TagShow expression matched no samples")
    if hide and not hidden:
        remarks.append("TagHide expression matched no samples")
    keep = np.isin(sets.key, list(shown - hidden))
    before = offsets(keep)
    kept = LabelSets(before[sets.starts], sets.key[keep], sets.text[keep], sets.number[keep], sets.unit[keep])
    return replace(profile, label_sets=kept)


def _numeric(sets: LabelSets) -> Bools:
    numeric: Bools = (sets.text == 0) & ((sets.number != 0) | (sets.unit != 0))
    return numeric


def _owners(sets: LabelSets) -> Int64s:
    return np.repeat(np.arange(len(sets)), np.diff(sets.starts))
