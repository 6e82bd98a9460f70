"""-tagroot and -tagleaf: labels of samples become frames at the root or the leaf of their stacks.

A frame's function is the label's value, its file the label's key, as in pprof.
"""

import numpy as np
from msgspec.structs import replace

from oakum.model import Functions, Locations, Profile, Stacks, Strings
from oakum.model.profile import Int32s, offsets
from oakum.views import measure
from oakum.views.names import raw_texts, used_rows
from oakum.views.query import Query


def with_tag_frames(profile: Profile, query: Query) -> tuple[Profile, tuple[str, ...]]:
    """Return the profile with its labels as frames, and a remark for each option that found none."""
    roots = [key for key in query.tagroot.split(",") if key]
    leaves = [key for key in query.tagleaf.split(",") if key]
    if not roots and not leaves:
        return profile, ()
    frames: dict[tuple[str, str], int] = {}
    remarks = []
    columns: list[list[Int32s]] = []
    for option, keys in (("TagRoot", roots), ("TagLeaf", leaves)):
        values = {key: _values(profile, key, query.unit) for key in keys}
        if keys and not any(any(texts) for texts in values.values()):
            remarks.append(f"{option} expression matched no samples")
        # Leaf first: the last key comes first.
        columns.append([_locations(profile, frames, key, values[key]) for key in reversed(keys)])
    return _with_frames(_extended(profile, list(frames)), *columns), tuple(remarks)


def _values(profile: Profile, key: str, unit: str) -> list[list[str]]:
    """Return the values of one label in each set of labels, as text."""
    sets = profile.label_sets
    found: list[list[str]] = [[] for _ in range(len(sets))]
    keys = [row for row in used_rows(sets.key, len(profile.strings)).tolist() if profile.strings[row] == key]
    for number in np.unique(np.repeat(np.arange(len(sets)), np.diff(sets.starts))[np.isin(sets.key, keys)]).tolist():
        labels = [label for label in profile.labels(number) if label.key == key]
        numbers = [label for label in labels if not label.text and (label.number or label.unit)]
        with_units = any(label.unit for label in numbers)
        found[number] = [label.text for label in labels if label.text] + [
            measure.scaled_label(label.number, label.unit, unit if with_units else "") for label in numbers
        ]
    return found


def _locations(profile: Profile, frames: dict[tuple[str, str], int], key: str, values: list[list[str]]) -> Int32s:
    """Return for each set of labels the location that stands for its value."""
    first = len(profile.locations)
    rows = [frames.setdefault((",".join(texts), key), first + len(frames)) for texts in values]
    return np.array(rows, np.int32)


def _extended(profile: Profile, frames: list[tuple[str, str]]) -> Profile:
    """Return the profile with a function and a location for each frame after its own."""
    locations, functions, strings = profile.locations, profile.functions, profile.strings
    texts = raw_texts(strings, np.arange(len(strings)))
    many, none = len(frames), np.zeros(len(frames), np.int64)
    name = len(texts) + np.arange(many)
    file = name + many
    last_line = locations.line_starts[-1]
    extra = dict(profile.extra)
    if "line_columns" in extra:
        extra["line_columns"] = np.append(extra["line_columns"], none)
    return replace(
        profile,
        extra=extra,
        strings=Strings.of([*texts, *(value for value, _ in frames), *(key for _, key in frames)]),
        functions=Functions(
            name=np.append(functions.name, name).astype(np.int32),
            system_name=np.append(functions.system_name, name).astype(np.int32),
            file=np.append(functions.file, file).astype(np.int32),
            start_line=np.append(functions.start_line, none),
        ),
        locations=Locations(
            address=np.append(locations.address, none.astype(np.uint64)),
            mapping=np.append(locations.mapping, none - 1).astype(np.int32),
            folded=np.append(locations.folded, none.astype(np.bool_)),
            line_starts=np.append(locations.line_starts, last_line + 1 + np.arange(many)),
            line_function=np.append(locations.line_function, len(functions) + np.arange(many)).astype(np.int32),
            line_number=np.append(locations.line_number, none),
        ),
    )


def _with_frames(profile: Profile, roots: list[Int32s], leaves: list[Int32s]) -> Profile:
    """Return the profile with a stack of its own for each sample: leaves, the old frames, roots."""
    old = profile.stacks
    lengths = np.diff(old.starts)[profile.stack_ids]
    before = np.cumsum(lengths) - lengths
    starts = offsets(lengths + len(roots) + len(leaves))
    locations = np.empty(int(starts[-1]), np.int32)
    for at, column in enumerate(leaves):
        locations[starts[:-1] + at] = column[profile.label_ids]
    for at, column in enumerate(roots):
        locations[starts[1:] - len(roots) + at] = column[profile.label_ids]
    step = np.arange(int(lengths.sum()))
    source = np.repeat(old.starts[profile.stack_ids] - before, lengths) + step
    target = np.repeat(starts[:-1] + len(leaves) - before, lengths) + step
    locations[target] = old.locations[source]
    return replace(profile, stacks=Stacks(starts, locations), stack_ids=np.arange(profile.samples, dtype=np.int32))
