"""Stack rows -> folded stacks, the text that flame graph tools share: root;caller;leaf value.

With a base each line has two values, before and now, as difffolded.pl writes them.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from oakum.views.flame import StackRows, merged

# What would end a frame or a line.
_BREAKS = re.compile(r"[;\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")


def lines(rows: StackRows, index: int) -> Iterator[str]:
    """Yield a line for each distinct stack that has a value of this sample type, the heaviest first."""
    rows = merged(rows)
    names = [_BREAKS.sub(" ", name) for name in rows.names]
    starts, of_line = rows.line_starts.tolist(), rows.line_name.tolist()
    # Lines are innermost first; a folded stack starts at the root.
    texts = [";".join([names[n] for n in reversed(of_line[first:last])]) for first, last in pairwise(starts)]
    sides = rows.values[:, index]
    for row in range(len(rows.first) - 1, -1, -1):
        figures = [int(sides[1, row]), int(sides[0, row])] if rows.compared else [int(sides[0, row])]
        if any(figures):
            locations = rows.locations[rows.first[row] : rows.last[row]].tolist()
            stack = ";".join([texts[location] for location in reversed(locations)])
            yield f"{stack} {' '.join(map(str, figures))}"
