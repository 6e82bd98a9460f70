"""Stack rows -> speedscope's JSON: one sampled profile for each sample type over shared frames.

With a base each sample type has two, now and before: speedscope takes no values below zero.
"""

import json
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from oakum import __version__
from oakum.views.flame import StackRows, merged

_UNITS = {
    "bytes": "bytes", "nanoseconds": "nanoseconds", "microseconds": "microseconds", "milliseconds": "milliseconds",
    "seconds": "seconds",
}  # fmt: skip


def pieces(rows: StackRows, title: str, index: int) -> Iterator[str]:
    """Yield the document in pieces; `index` is the sample type that is shown first."""
    rows = merged(rows)
    sides = [(0, " (now)"), (1, " (before)")] if rows.compared else [(0, "")]
    yield '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":'
    yield _json(_frames(rows))
    yield f'}},"name":{_json(title)},"exporter":{_json(f"oakum@{__version__}")},"activeProfileIndex":'
    yield f'{index * len(sides)},"profiles":['
    starts, of_line = rows.line_starts.tolist(), rows.line_name.tolist()
    # Lines are innermost first, speedscope's stacks begin at the root.
    texts = [",".join([str(n) for n in reversed(of_line[first:last])]) for first, last in pairwise(starts)]
    comma = ""
    for kind, sample_type in enumerate(rows.sample_types):
        for side, word in sides:
            weights = rows.values[side, kind]
            yield (
                f'{comma}{{"type":"sampled","name":{_json(sample_type.type + word)},'
                f'"unit":"{_UNITS.get(sample_type.unit, "none")}","startValue":0,"endValue":{int(weights.sum())},'
                '"samples":['
            )
            yield from _samples(rows, texts, np.flatnonzero(weights)[::-1].tolist())
            yield f'],"weights":{_json(weights[weights != 0][::-1].tolist())}}}'
            comma = ","
    yield "]}\n"


def _samples(rows: StackRows, texts: list[str], chosen: list[int]) -> Iterator[str]:
    for i, row in enumerate(chosen):
        locations = rows.locations[rows.first[row] : rows.last[row]].tolist()
        yield f"{',' if i else ''}[{','.join([texts[location] for location in reversed(locations)])}]"


def _frames(rows: StackRows) -> list[dict[str, str]]:
    """Return the frames, one a name, with the file in which it stands first."""
    file = np.zeros(len(rows.names), np.int64)
    file[rows.line_name[::-1]] = rows.line_file[::-1]
    files = [rows.files[f] for f in file]
    return [
        {"name": name, "file": path} if path else {"name": name} for name, path in zip(rows.names, files, strict=True)
    ]


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
