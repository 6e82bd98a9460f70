"""Small profiles written by hand: stacks as words, for tests that want to see every number."""

from collections.abc import Mapping as Dictionary
from collections.abc import Sequence
from zlib import crc32

import numpy as np
from msgspec.structs import force_setattr

from oakum.model import Functions, LabelSets, Locations, Mapping, Profile, Stacks, Strings, ValueType

Value = str | int | tuple[int, str]
# "leaf middle main", values, labels. "inner<outer" is one location with a line inlined into another;
# "name@file.go:12" gives file and line; "0x10" is an address that nobody has named.
Sample = tuple[str, Sequence[int]] | tuple[str, Sequence[int], Dictionary[str, Value | list[Value]]]


class _Rows(dict[object, int]):
    def __missing__(self, key: object) -> int:
        row = self[key] = len(self)
        return row


def profile(
    samples: Sequence[Sample],
    types: Sequence[str] = ("samples/count",),
    mappings: Sequence[Mapping] = (),
    **more: object,
) -> Profile:
    """Return a profile of these samples; equal words are one location."""
    strings, functions = _Rows({"": 0}), _Rows()
    locations: dict[str, list[tuple[int, int]]] = {}
    sets: dict[tuple[tuple[int, int, int, int], ...], int] = {(): 0}
    label_ids, stacks = [], []
    for stack, _, *labels in samples:
        rows = []
        for word in stack.split():
            if word not in locations:
                parts = [] if word.startswith("0x") else word.split("<")
                locations[word] = [_line(part, strings, functions) for part in parts]
            rows.append(list(locations).index(word))
        stacks.append(rows)
        members = tuple(
            _label(strings, key, value)
            for key, values in (labels[0] if labels else {}).items()
            for value in (values if isinstance(values, list) else [values])
        )
        label_ids.append(sets.setdefault(members, len(sets)))
    table = np.array([row for rows in locations.values() for row in rows], np.int64).reshape(-1, 2)
    named = np.array([key for key in functions if isinstance(key, tuple)], np.int32).reshape(-1, 2)
    labels_table = np.array([row for members in sets for row in members], np.int64).reshape(-1, 4)
    kinds = tuple(ValueType(*kind.split("/")) for kind in types)
    made = Profile(
        kind="handmade",
        sample_types=kinds,
        values=np.array([s[1] for s in samples], np.int64).reshape(len(samples), len(kinds)).T.copy(),
        stack_ids=np.arange(len(samples), dtype=np.int32),
        label_ids=np.array(label_ids, np.int32),
        stacks=Stacks(_starts(map(len, stacks)), np.array([row for rows in stacks for row in rows], np.int32)),
        label_sets=LabelSets(
            _starts(map(len, sets)),
            labels_table[:, 0].astype(np.int32),
            labels_table[:, 1].astype(np.int32),
            labels_table[:, 2].copy(),
            labels_table[:, 3].astype(np.int32),
        ),
        locations=Locations(
            address=np.array([address(word) for word in locations], np.uint64),
            mapping=np.full(len(locations), 0 if mappings else -1, np.int32),
            folded=np.zeros(len(locations), np.bool_),
            line_starts=_starts(map(len, locations.values())),
            line_function=table[:, 0].astype(np.int32),
            line_number=table[:, 1].copy(),
        ),
        functions=Functions(
            name=named[:, 0].copy(),
            system_name=named[:, 0].copy(),
            file=named[:, 1].copy(),
            start_line=np.zeros(len(named), np.int64),
        ),
        strings=Strings.of(str(text) for text in strings),
        mappings=tuple(mappings),
    )
    for name, value in more.items():
        force_setattr(made, name, value)
    return made


def address(word: str) -> int:
    """Return where a location lies: the same in every profile."""
    return int(word, 16) if word.startswith("0x") else 0x1000 + crc32(word.encode()) % 0x1000


def _line(word: str, strings: _Rows, functions: _Rows) -> tuple[int, int]:
    name, _, place = word.partition("@")
    file, _, line = place.partition(":")
    return functions[strings[name], strings[file]], int(line or 0)


def _label(strings: _Rows, key: str, value: Value) -> tuple[int, int, int, int]:
    if isinstance(value, str):
        return strings[key], strings[value], 0, 0
    number, unit = value if isinstance(value, tuple) else (value, "")
    return strings[key], 0, number, strings[unit]


def _starts(lengths: "map[int]") -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(np.fromiter(lengths, np.int64))))


def stacks_of(profile: Profile) -> list[tuple[str, int]]:
    """Return every sample as its function names, leaf first, inlined ones with <, and its first value."""
    found = []
    for sample in range(profile.samples):
        words = [
            "<".join(frame.function for frame in profile.frames(int(location)))
            for location in profile.stacks[int(profile.stack_ids[sample])]
        ]
        found.append((" ".join(words), int(profile.values[0, sample])))
    return found


__all__ = ["Sample", "address", "profile", "stacks_of"]
