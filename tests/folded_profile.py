"""Profiles written as folded stacks: {"main;serve@http.go:12;outer+inlined": 3} -> Profile."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from oakum.model import Functions, LabelSets, Locations, Profile, Stacks, Strings, ValueType

Labels = tuple[tuple[str, str | int], ...]
HEAP = (ValueType("inuse_objects", "count"), ValueType("inuse_space", "bytes"))


class _Table(dict[object, int]):
    def __missing__(self, key: object) -> int:
        row = self[key] = len(self)
        return row


def folded_profile(
    stacks: Mapping[str, int | Sequence[int]] | Sequence[tuple[str, int | Sequence[int], Labels]],
    types: Sequence[ValueType] = (ValueType("samples", "count"),),
    kind: str = "cpu",
) -> Profile:
    """Return the profile of these stacks, root first: `;` between frames, `+` before an inlined callee,
    `@file:line` after a function. Labels are text, or numbers (of bytes)."""
    rows = [(s, v, ()) for s, v in stacks.items()] if isinstance(stacks, Mapping) else list(stacks)
    strings, functions, locations, sets = _Table({"": 0}), _Table(), _Table(), _Table({(): 0})
    leaf_first = [[locations[place] for place in reversed(s.split(";")) if place] for s, _, _ in rows]
    lines: list[tuple[int, int]] = []
    line_starts = [0]
    for place in locations:
        for frame in reversed(str(place).split("+")):
            name, _, where = frame.partition("@")
            file, _, line = where.rpartition(":")
            lines.append((functions[(strings[name], strings[file])], int(line or 0)))
        line_starts.append(len(lines))
    label_ids = [sets[labels] for _, _, labels in rows]
    members = [member for labels in sets for member in labels]  # type: ignore[attr-defined]  # tuples of labels
    texts = [strings[value] if isinstance(value, str) else 0 for _, value in members]
    keys = [strings[key] for key, _ in members]
    unit = strings["bytes"]
    values = [[value] if isinstance(value, int) else list(value) for _, value, _ in rows]
    table = np.array(list(functions), np.int32).reshape(-1, 2)
    return Profile(
        kind=kind,
        sample_types=tuple(types),
        values=np.array(values, np.int64).reshape(-1, len(types)).T,
        stack_ids=np.arange(len(rows), dtype=np.int32),
        label_ids=np.array(label_ids, np.int32),
        stacks=Stacks(_starts(leaf_first), np.array([x for s in leaf_first for x in s], np.int32)),
        label_sets=LabelSets(
            _starts(list(sets)),  # type: ignore[arg-type]  # tuples of labels
            np.array(keys, np.int32),
            np.array(texts, np.int32),
            np.array([value if isinstance(value, int) else 0 for _, value in members], np.int64),
            np.array([0 if isinstance(value, str) else unit for _, value in members], np.int32),
        ),
        locations=Locations(
            np.zeros(len(locations), np.uint64),
            np.full(len(locations), -1, np.int32),
            np.zeros(len(locations), np.bool_),
            np.array(line_starts, np.int64),
            np.array([function for function, _ in lines], np.int32),
            np.array([line for _, line in lines], np.int64),
        ),
        functions=Functions(table[:, 0], table[:, 0], table[:, 1], np.zeros(len(table), np.int64)),
        strings=Strings.of(str(text) for text in strings),
    )


def renamed(profile: Profile, names: Mapping[str, str]) -> Profile:
    """Return the profile with other texts in its string table, also such as folded stacks cannot hold."""
    texts = (profile.strings[row] for row in range(len(profile.strings)))
    return replace(profile, strings=Strings.of(names.get(text, text) for text in texts))


def _starts(rows: Sequence[Sequence[object]]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)


__all__ = ["HEAP", "Labels", "folded_profile", "renamed"]
