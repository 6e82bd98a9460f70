"""The samples of a pprof message -> values, interned stacks and interned label sets.

A sample becomes a column of numbers, never an object of its own. Samples that are odd stay, and become problems.
"""

import numpy as np

from oakum.model import LabelSets, Stacks, ValueType
from oakum.model.cores import spread
from oakum.model.profile import offsets
from oakum.parse.message import Message, Rows
from oakum.parse.runs import distinct, varints
from oakum.parse.wire import BLOCK, FEW, Fields, Int32s, Int64s, UInt64s, Wire

_Field = tuple[Int64s, UInt64s, Int64s]  # sample, number or where it starts, where it ends

# Tags of the messages Sample and Label.
LOCATIONS_PACKED, LOCATION_ID, VALUES_PACKED, VALUE, LABEL = 0x0A, 0x08, 0x12, 0x10, 0x1A
LABEL_KEY, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT = 0x08, 0x10, 0x18, 0x20
# Most sample types that are read all samples at once; real profiles have at most ten.
SIDE_BY_SIDE = 16
MOST_UNNAMED = 64


def values(message: Message, samples: Fields, types: tuple[ValueType, ...]) -> tuple[tuple[ValueType, ...], Int64s]:
    """Return the sample types and values[type, sample]; missing values read 0, surplus ones are left out."""
    count = samples.messages
    types = _affordable(message, types, count)
    which, start, end = samples.pick(VALUES_PACKED)
    singles = samples.pick(VALUE)
    regular = not len(singles[0]) and len(which) == count > FEW
    if regular and 0 < len(types) <= SIDE_BY_SIDE and np.array_equal(which, np.arange(count)):
        column, odd = _side_by_side(message.wire, start.astype(np.int64), end, len(types))
    else:
        which, flat = _one_by_one(message, (which, start, end), singles)
        counts = np.bincount(which, minlength=count)
        if not types and len(flat):
            types = (ValueType("", ""),) * min(MOST_UNNAMED, int(counts.max()))
            message.say("no-sample-types", len(types))
        place = np.arange(len(flat)) - np.repeat(np.cumsum(counts) - counts, counts)
        inside = place < len(types)
        column = np.zeros((len(types), count), np.int64)
        column[place[inside], which[inside]] = flat[inside].view(np.int64)
        odd = int(np.count_nonzero(counts != len(types)))
    message.say("wrong-value-count", odd)
    return types, column


def _affordable(message: Message, types: tuple[ValueType, ...], samples: int) -> tuple[ValueType, ...]:
    # A whole profile has a byte for each value at least, so its matrix is not larger than this.
    most = max(1, 2 * message.wire.size // max(1, samples))
    if len(types) > most:
        message.say("many-sample-types", len(types))
    return types[:most]


def _side_by_side(wire: Wire, starts: Int64s, ends: Int64s, types: int) -> tuple[Int64s, int]:
    """Return values[type, sample] and how many samples do not have just that many."""
    column = np.zeros((types, len(starts)), np.int64)

    def decode(first: int) -> int:
        cursor, end = starts[first : first + BLOCK], ends[first : first + BLOCK]
        odd = np.zeros(len(cursor), np.bool_)
        for row in column[:, first : first + BLOCK]:
            value, after = wire.varints(cursor)
            beyond = after > end
            if beyond.any():
                odd |= beyond
                value[beyond] = 0
                after[beyond] = end[beyond]
            row[:] = value.view(np.int64)
            cursor = after
        return int(np.count_nonzero(odd | (cursor != end)))

    return column, sum(spread(decode, range(0, len(starts), BLOCK)))


def _one_by_one(message: Message, runs: _Field, singles: _Field) -> tuple[Int64s, UInt64s]:
    """Return (sample, number) for every number of a repeated field, packed and unpacked ones in file order."""
    which, start, end = runs
    begin = start.astype(np.int64)
    counts, flat = varints(message.wire, begin, end, lambda numbers: numbers.astype(np.uint64))
    if not len(which):
        return singles[0], singles[1]
    if not len(singles[0]):
        return np.repeat(which, counts), flat
    everything = np.concatenate((flat, singles[1]))
    samples = np.concatenate((np.repeat(which, counts), singles[0]))
    positions = np.concatenate((np.repeat(begin, counts), singles[2]))
    order = np.lexsort((positions, samples))
    return samples[order], everything[order]


def stacks(message: Message, samples: Fields, locations: Rows) -> tuple[Int32s, Stacks]:
    """Return the stack of each sample, and the distinct stacks.

    Where a sample names a location that the profile lacks, the stack holds the row after the last location.
    """
    most = message.limits.max_depth
    which, start, end = samples.pick(LOCATIONS_PACKED)
    singles = samples.pick(LOCATION_ID)
    if len(singles[0]) or np.any(which[1:] <= which[:-1]):
        which, flat = _one_by_one(message, (which, start, end), singles)
        sizes = np.bincount(which, minlength=samples.messages)
        ends = np.cumsum(sizes)
        ids, first = distinct(Wire(flat.tobytes()), 8 * (ends - sizes), 8 * ends)
        sizes, rows = sizes[first], locations.of(flat[_ranges(ends[first] - sizes[first], sizes[first])])
    else:
        starts, stops = np.zeros(samples.messages, np.int64), np.zeros(samples.messages, np.int64)
        # A frame takes ten bytes at most: what lies beyond the deepest one allowed need not be decoded.
        starts[which], stops[which] = start, np.minimum(end, start.astype(np.int64) + 10 * (most + 1))
        ids, first = distinct(message.wire, starts, stops)
        sizes, rows = varints(message.wire, starts[first], stops[first], locations.of)
    if int(rows.min(initial=0)) < 0:
        missing = rows < 0
        frames = int(np.count_nonzero(missing))
        message.say("missing-location", frames)
        rows[missing] = locations.count
    deep = int(np.count_nonzero(sizes > most))
    if deep:
        message.say("deep-stack", deep, most=most)
        ends = np.cumsum(sizes)
        rows = rows[_ranges(ends - sizes, np.minimum(sizes, most))]
        sizes = np.minimum(sizes, most)
    return ids, Stacks(offsets(sizes), rows)


def _ranges(starts: Int64s, sizes: Int64s) -> Int64s:
    """Return the numbers starts[i] to starts[i] + sizes[i] of all i, one after another."""
    return np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))


def labels(message: Message, samples: Fields) -> tuple[Int32s, LabelSets]:
    """Return the label set of each sample, and the distinct sets; set 0 is empty."""
    which, start, end = samples.pick(LABEL)
    if not len(which):
        return np.zeros(samples.messages, np.int32), LabelSets.none()
    begin = start.astype(np.int64)
    ids, first = distinct(message.wire, begin, end)
    table = message.walk(begin[first], end[first], "labels")
    key, text, unit = (message.string_rows(table.scalar(tag)) for tag in (LABEL_KEY, LABEL_TEXT, LABEL_UNIT))

    counts = np.bincount(which + 1, minlength=samples.messages + 1)
    if counts.max() == 1:
        set_ids = np.zeros(samples.messages, np.int32)
        set_ids[which] = ids + 1
        members = np.arange(len(first), dtype=np.int32)
        starts = np.concatenate(([0], np.arange(len(first) + 1)))
    else:
        # Before all others, the empty set.
        ends = np.cumsum(counts)
        set_ids, sets = distinct(Wire(ids.tobytes()), 4 * (ends - counts), 4 * ends)
        set_ids = set_ids[1:]
        members = ids[_ranges(ends[sets] - counts[sets], counts[sets])]
        starts = offsets(counts[sets])
    number = table.scalar(LABEL_NUMBER).view(np.int64)
    return set_ids, LabelSets(starts, key[members], text[members], number[members], unit[members])
