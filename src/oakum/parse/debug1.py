"""Count profiles as text: goroutine, goroutineleak, threadcreate and custom profiles with debug=1.

In: a block of text that `NAME profile: total N` begins, perhaps with foreign lines in it. Out: its `Reading`,
in `profile.extra` its announced total and whether it is cut. Groups no goroutines: that is for `parking`.
"""

import re
from time import monotonic

from oakum.model import Problem, Reading, ValueType
from oakum.parse.blocks import Block
from oakum.parse.columns import TOP, Columns
from oakum.parse.limits import Limits
from oakum.parse.mappings import opens_maps, read_maps
from oakum.parse.shortfalls import count_missing, cut_mid_stack, out_of_time, too_many
from oakum.parse.symbols import Symbols, read_labels

# 2026-01-02T03:04:05Zgoroutine        1767323045goroutine        (a log glues its time stamp to the header)
_KNOWN = re.compile(r"(?<![a-z/._-])(?:goroutine(?:leak)?|threadcreate|heap|block|mutex|allocs)$")
_NOUNS = {"goroutine": "goroutines", "goroutineleak": "goroutines", "threadcreate": "threads"}


def read_block(block: Block, limits: Limits, deadline: float) -> Reading:
    kind = block.header["name"].decode("utf-8", "replace")
    if known := _KNOWN.search(kind):
        kind = known[0]
    declared = int(block.header["total"])
    records = _Records(limits)
    lines = block.lines()
    next(lines)
    last = index = 0
    for index, line in enumerate(lines, 1):
        if index % 65536 == 0 and monotonic() > deadline:
            records.problems.append(out_of_time(block, index))
            break
        if records.take(line.strip(), index):
            last = index
        elif opens_maps(line):
            records.maps = read_maps(lines)
            break
    records.settle()
    profile = records.columns.profile(
        kind,
        (ValueType(kind, "count"),),
        period_type=ValueType(kind, "count"),
        period=1,
        mappings=records.maps,
        extra={"declared": declared, "hidden_leaves": records.named},
    )
    total = int(profile.values.sum())
    torn = block.cut and index == last and records.unfinished(index)
    if torn:
        records.problems.append(cut_mid_stack(block, index))
    if torn or (block.last and total < declared and not records.followed):
        profile.extra["cut"] = True
    records.problems += count_missing(block, _NOUNS.get(kind, "entries"), declared, total)
    if records.foreign:
        records.problems.append(Problem.of("foreign-lines", block.line(0), lines=records.foreign))
    return Reading(
        kind=kind,
        format="debug1",
        producer="Go",
        go_version=records.columns.go_version or ("go1.26+" if kind == "goroutineleak" else None),
        profile=profile,
        where=block.where(last + 1),
        problems=(*records.problems, *records.columns.problems(), *too_many(block)),
    )


class _Records:
    """The records of one profile, line by line: `3 @ 0x47d86a 0x41421c`, then its `#` lines."""

    def __init__(self, limits: Limits) -> None:
        self.columns = Columns(limits)
        self.maps = read_maps(())
        self.problems: list[Problem] = []
        self.foreign = 0  # lines passed over between two records
        self._symbols = Symbols(self.columns)
        self._count: int | None = None  # of the record being read
        self._addresses: list[int] = []
        self._labels: list[tuple[str, str]] = []
        self._begun = 0  # line of the record being read
        self._news = False  # it holds addresses that no record before it had
        self._strange = 0  # lines passed over since the last record

    def take(self, line: bytes, index: int) -> bool:
        """Return whether a line (stripped) belongs to the profile, after taking what it says."""
        if line.startswith(b"#"):
            if line.startswith(b"# labels: "):
                self._labels = read_labels(line)
            elif line[1:].lstrip().startswith(b"0x"):
                self._symbols.add(line)
            return True
        count, at, stack = line.partition(b" @")
        if at and count.isdigit() and len(count) < 19:
            try:
                addresses = [(int(pc, 16) - 1) & TOP for pc in stack.split()]
            except ValueError:
                addresses = None
            if addresses is not None:
                self.settle()
                self.foreign += self._strange
                self._strange = 0
                self._count, self._addresses, self._begun = int(count), addresses, index
                self._news = not all(map(self.columns.knows, addresses))
                return True
        if line and not opens_maps(line):
            self._strange += 1
        return False

    def settle(self) -> None:
        """Add the record that ends here."""
        if self._count is None:
            return
        stack = self.columns.stack(self._addresses)
        self._symbols.settle(self._addresses)
        self.columns.sample(stack, (self._count,), self.columns.texts(self._labels))
        self._count, self._labels = None, []

    @property
    def named(self) -> bool:
        return self._symbols.seen

    @property
    def followed(self) -> bool:
        """Return whether lines of something else follow the last record."""
        return self._strange > 0

    def unfinished(self, last: int) -> bool:
        """Return whether the last line of the text looks cut: half a symbol, or a record that lacks its symbols."""
        return self._symbols.broken or (self._symbols.seen and self._begun == last and self._news)
