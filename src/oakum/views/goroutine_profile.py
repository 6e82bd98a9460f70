"""Goroutine groups -> a Profile, so that every view also shows a text dump.

State and creator become the labels `go.state` and `go.created_by`: pprof's -tagfocus and -tags work on them, and
parse takes them back.
"""

from datetime import datetime

import numpy as np

from oakum.model import Frame, Functions, Goroutines, LabelSets, Locations, Profile, Stacks, Strings, ValueType
from oakum.model.goroutine import CREATOR_LABEL, STATE_LABEL
from oakum.model.profile import offsets


class _Table(dict[object, int]):
    """Rows numbered in the order in which they were first asked for."""

    def __missing__(self, key: object) -> int:
        row = self[key] = len(self)
        return row


def profile_of(goroutines: Goroutines, taken_at: datetime | None = None) -> Profile:
    """Return the groups as a profile of kind goroutine, one sample a group."""
    strings, functions, locations = _Table({"": 0}), _Table(), _Table()
    label_sets: dict[tuple[tuple[int, int], ...], int] = {(): 0}
    stack_rows: list[list[int]] = []
    label_ids = []
    for group in goroutines.groups:
        stack_rows.append([locations[frame] for frame in group.stack.frames])
        labels = [*group.labels]
        if group.state is not None:
            labels.append((STATE_LABEL, group.state))
        if group.created_by is not None:
            labels.append((CREATOR_LABEL, group.created_by.function))
        rows = tuple((strings[key], strings[text]) for key, text in labels)
        label_ids.append(label_sets.setdefault(rows, len(label_sets)))
    frames = [frame for frame in locations if isinstance(frame, Frame)]
    line_function = [functions[(strings[frame.function], strings[frame.file])] for frame in frames]
    members = [row for rows in label_sets for row in rows]
    names = np.array([key for key in functions if isinstance(key, tuple)], np.int32).reshape(-1, 2)
    counts = [group.count for group in goroutines.groups]
    return Profile(
        kind="goroutine",
        sample_types=(ValueType("goroutine", "count"),),
        values=np.array([counts], np.int64).reshape(1, -1),
        stack_ids=np.arange(len(counts), dtype=np.int32),
        label_ids=np.array(label_ids, np.int32),
        stacks=Stacks(offsets([len(r) for r in stack_rows]), np.array([x for r in stack_rows for x in r], np.int32)),
        label_sets=LabelSets(
            offsets([len(rows) for rows in label_sets]),
            np.array([key for key, _ in members], np.int32),
            np.array([text for _, text in members], np.int32),
            np.zeros(len(members), np.int64),
            np.zeros(len(members), np.int32),
        ),
        locations=Locations(
            address=np.zeros(len(frames), np.uint64),
            mapping=np.full(len(frames), -1, np.int32),
            folded=np.zeros(len(frames), np.bool_),
            line_starts=np.arange(len(frames) + 1, dtype=np.int64),
            line_function=np.array(line_function, np.int32),
            line_number=np.array([frame.line for frame in frames], np.int64),
        ),
        functions=Functions(
            name=names[:, 0].copy(),
            system_name=names[:, 0].copy(),
            file=names[:, 1].copy(),
            start_line=np.zeros(len(names), np.int64),
        ),
        strings=Strings.of(str(text) for text in strings),
        period_type=ValueType("goroutine", "count"),
        period=1,
        time_nanos=int(taken_at.timestamp() * 1e9) if taken_at else 0,
    )
