"""Several profiles of one type -> one, and one profile minus another, as pprof merges and subtracts.

Equal strings, functions, locations, stacks and labels become one row; samples alike in stack and labels are added.
Refuses profiles that have no sample type in common.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec.structs import replace

from oakum.model import Functions, LabelSets, Locations, Mapping, Profile, Stacks, Strings, UsageError, ValueType
from oakum.model.profile import Int32s, Int64s, offsets
from oakum.views import measure
from oakum.views.names import raw_texts
from oakum.views.nodes import grouped, sums
from oakum.views.tags import BASE

_PAGE = 0x1000  # mappings of one binary may differ by less than a page


def merge(profiles: Sequence[Profile]) -> Profile:
    """Return the profiles as one; a single one is returned as it is."""
    if len(profiles) == 1:
        return profiles[0]
    profiles = _same_types(profiles)
    strings, texts = _strings(profiles)
    functions, of_function = _functions(profiles, texts)
    mappings, of_mapping, shifts = _mappings(profiles)
    locations, columns, of_location = _locations(profiles, of_function, of_mapping, shifts)
    stacks, of_stack = _stacks(profiles, of_location)
    label_sets, of_labels = _label_sets(profiles, texts)
    stack_ids = np.concatenate([new[p.stack_ids] for p, new in zip(profiles, of_stack, strict=True)])
    label_ids = np.concatenate([new[p.label_ids] for p, new in zip(profiles, of_labels, strict=True)])
    values = np.concatenate([p.values for p in profiles], axis=1)
    stack_ids, label_ids, values = _added(stack_ids, label_ids, values)
    return replace(
        _header(profiles),
        values=values,
        stack_ids=stack_ids,
        label_ids=label_ids,
        stacks=stacks,
        label_sets=label_sets,
        locations=locations,
        functions=functions,
        strings=strings,
        mappings=tuple(mappings),
        extra=profiles[0].extra if columns is None else {**profiles[0].extra, "line_columns": columns},
    )


def subtract(profile: Profile, base: Profile, *, diff: bool = False, normalize: bool = False) -> Profile:
    """Return profile minus base.

    With diff (-diff_base) the base's samples are marked: percentages are then of its total. With normalize the profile
    is scaled first, so that each of its totals equals the base's.
    """
    profile, base = _same_types((profile, base))
    if diff:
        base = _marked(base)
    if normalize:
        of_base, of_profile = base.values.sum(axis=1), profile.values.sum(axis=1)
        ratios = [float(b) / float(p) if p else 0.0 for b, p in zip(of_base.tolist(), of_profile.tolist(), strict=True)]
        profile = _scaled(profile, ratios)
    return merge((profile, _scaled(base, [-1.0] * len(base.sample_types))))


def _scaled(profile: Profile, ratios: Sequence[float]) -> Profile:
    """Return the profile with each sample type multiplied; samples that become nothing are left out."""
    if all(ratio == 1 for ratio in ratios):
        return profile
    values = profile.values.copy()
    keep = np.zeros(profile.samples, np.bool_)
    for row, ratio in enumerate(ratios):
        if ratio != 1:
            values[row] = _rounded(profile.values[row] * ratio)
            keep |= values[row] != 0
    return replace(
        profile, values=values[:, keep], stack_ids=profile.stack_ids[keep], label_ids=profile.label_ids[keep]
    )


def _rounded(exact: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> Int64s:
    """Return the nearest whole numbers, halves away from zero."""
    whole = np.trunc(exact)
    whole += np.sign(exact) * (np.abs(exact - whole) >= 0.5)
    return whole.astype(np.int64)


def _marked(profile: Profile) -> Profile:
    """Return the profile with the label that marks samples of -diff_base on all of them."""
    strings, sets = profile.strings, profile.label_sets
    texts = raw_texts(strings, np.arange(len(strings)))
    key, text = len(texts), len(texts) + 1
    # Set 0 stays the empty one; each old set follows with one more member.
    return replace(
        profile,
        strings=Strings.of([*texts, BASE, "true"]),
        label_sets=LabelSets(
            np.concatenate((np.zeros(2, np.int64), np.cumsum(np.diff(sets.starts) + 1))),
            np.insert(sets.key, sets.starts[1:], key).astype(np.int32),
            np.insert(sets.text, sets.starts[1:], text).astype(np.int32),
            np.insert(sets.number, sets.starts[1:], 0),
            np.insert(sets.unit, sets.starts[1:], 0).astype(np.int32),
        ),
        label_ids=profile.label_ids + 1,
    )


def _same_types(profiles: Sequence[Profile]) -> list[Profile]:
    """Return the profiles with the sample types they have in common, in the same order and units."""
    names = [{kind.type for kind in p.sample_types} for p in profiles]
    common = [kind.type for kind in profiles[0].sample_types if all(kind.type in each for each in names)]
    if not common:
        kinds = sorted({f"{p.kind} counts {', '.join(k.type for k in p.sample_types)}" for p in profiles})
        raise UsageError(
            f"these profiles cannot be added or subtracted: {'; '.join(kinds)}. Name files of one kind; oakum inspect "
            "says which is which"
        )
    periods = [p.period_type for p in profiles if p.period_type is not None and p.period_type.type]
    period_type = _finest(periods, "periods") if periods else None
    rows = [[next(i for i, k in enumerate(p.sample_types) if k.type == name) for name in common] for p in profiles]
    finest = [
        _finest([p.sample_types[row[at]] for p, row in zip(profiles, rows, strict=True)], "sample types")
        for at in range(len(common))
    ]
    return [_fitted(p, row, finest, period_type) for p, row in zip(profiles, rows, strict=True)]


def _finest(types: Sequence[ValueType], what: str) -> ValueType:
    finest = types[0]
    for kind in types[1:]:
        if kind.type.removesuffix("s") != finest.type.removesuffix("s") or not measure.compatible(
            kind.unit, finest.unit
        ):
            raise UsageError(f"these profiles cannot be added or subtracted: their {what} are {finest} and {kind}")
        if measure.scale(1, kind.unit, finest.unit)[0] < 1:
            finest = kind
    return finest


def _fitted(profile: Profile, rows: list[int], finest: list[ValueType], period_type: ValueType | None) -> Profile:
    default = profile.default_sample_type
    if rows != list(range(len(profile.sample_types))):
        names = [kind.type for kind in finest]
        default = default if default in names else names[0]
        profile = replace(profile, values=profile.values[rows])
    old = [profile.sample_types[row].unit for row in rows]
    period = profile.period
    if period_type is not None and profile.period_type is not None and profile.period_type.type:
        period = int(measure.scale(period, profile.period_type.unit, period_type.unit)[0])
    profile = replace(
        profile, sample_types=tuple(finest), default_sample_type=default, period_type=period_type, period=period
    )
    ratios = [measure.scale(1, unit, kind.unit)[0] for unit, kind in zip(old, finest, strict=True)]
    return _scaled(profile, ratios)


def _header(profiles: Sequence[Profile]) -> Profile:
    time = 0
    for profile in profiles:
        if time == 0 or profile.time_nanos < time:
            time = profile.time_nanos
    return replace(
        profiles[0],
        time_nanos=time,
        duration_nanos=sum(p.duration_nanos for p in profiles),
        period=max(p.period for p in profiles),
        comments=tuple(dict.fromkeys(comment for p in profiles for comment in p.comments)),
        default_sample_type=next((p.default_sample_type for p in profiles if p.default_sample_type), ""),
        doc_url=next((p.doc_url for p in profiles if p.doc_url), ""),
    )


def _strings(profiles: Sequence[Profile]) -> tuple[Strings, list[Int32s]]:
    known: dict[bytes, int] = {b"": 0}
    texts = [
        np.array(
            [known.setdefault(text, len(known)) for text in raw_texts(p.strings, np.arange(len(p.strings)))], np.int32
        )
        for p in profiles
    ]
    return Strings.of(known), texts


def _functions(profiles: Sequence[Profile], texts: list[Int32s]) -> tuple[Functions, list[Int32s]]:
    tables = [p.functions for p in profiles]
    name = np.concatenate([new[t.name] for t, new in zip(tables, texts, strict=True)])
    system_name = np.concatenate([new[t.system_name] for t, new in zip(tables, texts, strict=True)])
    file = np.concatenate([new[t.file] for t, new in zip(tables, texts, strict=True)])
    start_line = np.concatenate([t.start_line for t in tables])
    number, first = grouped((name, system_name, file, start_line))
    merged = Functions(name[first], system_name[first], file[first], start_line[first])
    return merged, _split(number, [len(t) for t in tables])


def _mappings(profiles: Sequence[Profile]) -> tuple[list[Mapping], list[Int32s], list[Int64s]]:
    """Return the distinct mappings, and for each profile's own: which one it is and how far its addresses moved."""
    known: dict[tuple[int, int, str], int] = {}
    merged: list[Mapping] = []
    numbers, shifts = [], []
    for profile in profiles:
        number, shift = [], []
        for mapping in profile.mappings:
            pages = -((mapping.start - mapping.limit) // _PAGE)
            key = (pages, mapping.offset, mapping.build_id or mapping.file)
            if key not in known:
                known[key] = len(merged)
                merged.append(mapping)
            number.append(known[key])
            shift.append((merged[known[key]].start - mapping.start) % 2**64)
        numbers.append(np.array([*number, -1], np.int32))
        shifts.append(np.array([*shift, 0], np.uint64).view(np.int64))
    return merged, numbers, shifts


def _locations(
    profiles: Sequence[Profile],
    of_function: list[Int32s],
    of_mapping: list[Int32s],
    shifts: list[Int64s],
) -> tuple[Locations, Int64s | None, list[Int32s]]:
    tables = [p.locations for p in profiles]
    function = np.concatenate([np.append(new, -1)[t.line_function] for t, new in zip(tables, of_function, strict=True)])
    line = np.concatenate([t.line_number for t in tables])
    no_columns = [np.zeros(len(t.line_number), np.int64) for t in tables]
    column = np.concatenate([p.extra.get("line_columns", none) for p, none in zip(profiles, no_columns, strict=True)])
    line_id, _ = grouped((function, line, column))
    starts = offsets(np.concatenate([np.diff(t.line_starts) for t in tables]))
    lines, _ = _sequences(starts, line_id)
    mapping = np.concatenate([new[t.mapping] for t, new in zip(tables, of_mapping, strict=True)])
    moved = [t.address.view(np.int64) + shift[t.mapping] for t, shift in zip(tables, shifts, strict=True)]
    address = np.concatenate(moved)
    folded = np.concatenate([t.folded for t in tables])
    number, first = grouped((address, mapping, folded, lines))
    at, line_starts = _members(starts, first)
    merged = Locations(
        address[first].view(np.uint64), mapping[first], folded[first], line_starts, function[at], line[at]
    )
    columns = column[at] if any("line_columns" in p.extra for p in profiles) else None
    return merged, columns, _split(number, [len(t) for t in tables])


def _stacks(profiles: Sequence[Profile], of_location: list[Int32s]) -> tuple[Stacks, list[Int32s]]:
    tables = [p.stacks for p in profiles]
    locations = np.concatenate([new[t.locations] for t, new in zip(tables, of_location, strict=True)])
    starts = offsets(np.concatenate([np.diff(t.starts) for t in tables]))
    number, first = _sequences(starts, locations)
    at, new_starts = _members(starts, first)
    return Stacks(new_starts, locations[at]), _split(number, [len(t) for t in tables])


def _label_sets(profiles: Sequence[Profile], texts: list[Int32s]) -> tuple[LabelSets, list[Int32s]]:
    known: dict[tuple[tuple[int, int, int, int], ...], int] = {(): 0}
    numbers = []
    for profile, new in zip(profiles, texts, strict=True):
        sets = profile.label_sets
        columns = (new[sets.key], new[sets.text], sets.number, new[sets.unit])
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        edges = sets.starts.tolist()
        # The order of keys says nothing; that of the values of one key does. A label without any value is none.
        members = (
            tuple(sorted((row for row in rows[a:b] if any(row[1:])), key=lambda row: (row[1] == 0, row[0])))
            for a, b in pairwise(edges)
        )
        numbers.append(np.array([known.setdefault(member, len(known)) for member in members], np.int32))
    table = np.array([row for member in known for row in member], np.int64).reshape(-1, 4)
    narrow = table.astype(np.int32)
    starts = offsets(np.array([len(member) for member in known], np.int64))
    return LabelSets(starts, narrow[:, 0], narrow[:, 1], table[:, 2].copy(), narrow[:, 3]), numbers


def _added(stack_ids: Int32s, label_ids: Int32s, values: Int64s) -> tuple[Int32s, Int32s, Int64s]:
    """Return samples alike in stack and labels as one, in the order in which they first came; those of 0 left out."""
    counts = values.any(axis=0)
    stack_ids, label_ids, values = stack_ids[counts], label_ids[counts], values[:, counts]
    number, first = grouped((stack_ids, label_ids))
    order = np.argsort(first)
    total = np.array([sums(number, row, len(first)) for row in values], np.int64).reshape(len(values), -1)[:, order]
    counts = total.any(axis=0)
    first = first[order][counts]
    return stack_ids[first], label_ids[first], total[:, counts]


def _sequences(starts: Int64s, items: Int32s) -> tuple[Int32s, Int64s]:
    """Return a number for each run starts[i]:starts[i+1] of items, equal for equal runs, and a run of each number."""
    raw, edges = np.ascontiguousarray(items, np.int32).tobytes(), (starts * 4).tolist()
    known: dict[bytes, int] = {}
    number = np.fromiter((known.setdefault(raw[a:b], len(known)) for a, b in pairwise(edges)), np.int32)
    first = np.full(len(known), len(number))
    np.minimum.at(first, number, np.arange(len(number)))
    return number, first


def _members(starts: Int64s, runs: Int64s) -> tuple[Int64s, Int64s]:
    """Return where the items of the chosen runs stand, and where each of these runs starts then."""
    lengths = np.diff(starts)[runs]
    new = offsets(lengths)
    return np.repeat(starts[runs] - new[:-1], lengths) + np.arange(new[-1]), new


def _split(numbers: Int32s, lengths: Sequence[int]) -> list[Int32s]:
    return np.split(numbers, np.cumsum(lengths)[:-1])
