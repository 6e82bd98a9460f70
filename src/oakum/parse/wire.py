"""Protobuf's wire format, read column by column: many messages advance together, one field a round.

Comes in: bytes, and where messages start and end. Goes out: numpy columns of their fields. Knows no message type,
trusts no length, and never reads a byte outside the message it was given.
"""

from array import array
from collections.abc import Iterator
from math import inf
from time import monotonic
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from oakum.model.cores import spread

Int64s = NDArray[np.int64]
Int32s = NDArray[np.int32]
UInt64s = NDArray[np.uint64]
UInt8s = NDArray[np.uint8]
Bools = NDArray[np.bool_]
Numbers = NDArray[np.unsignedinteger[Any]]  # 32 bits wide where that is enough
Round = tuple[Int64s, UInt8s, UInt64s, Int64s, int]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
FAR = 1 << 62  # beyond any end: marks what runs out of its message
# Below this many messages a plain loop is quicker than numpy's calls; above BLOCK, columns fall out of the cache.
FEW, BLOCK = 48, 1 << 16

# Of each tag of one byte: whether it is neither a number nor bytes, or none that a profile has.
_IS_ODD: Bools = np.array([tag & 7 not in (VARINT, BYTES) or not 8 <= tag <= 0x7F for tag in range(256)])
_SEVEN = np.uint8(0x7F)
_FAR = np.uint64(FAR)


class Fields(Struct):
    """Fields of many messages, as rounds of columns: the message; the tag as it stands in the file; a number, or
    where the bytes start; where the field ends; last the one tag that all of a round have, or -1. Of one message,
    rounds follow each other in the order of its fields."""

    messages: int
    rounds: list[Round] = field(default_factory=list)
    broken: int = 0  # messages that do not parse to their end

    def _with(self, tag: int) -> Iterator[tuple[Int64s, UInt64s, Int64s]]:
        """Yield (message, value, end) of the fields with this tag, round by round."""
        for message, tags, value, end, only in self.rounds:
            if only == tag:
                yield message, value, end
            elif only < 0 and (chosen := tags == tag).any():
                yield message[chosen], value[chosen], end[chosen]

    def pick(self, tag: int) -> tuple[Int64s, UInt64s, Int64s]:
        """Return (message, value, end) of the fields with this tag, by message, in the order they are there."""
        found = list(self._with(tag))
        if not found:
            return np.zeros(0, np.int64), np.zeros(0, np.uint64), np.zeros(0, np.int64)
        if len(found) == 1:
            return found[0]
        message, value, end = (np.concatenate(column) for column in zip(*found, strict=True))
        if np.any(message[1:] < message[:-1]):
            order = np.argsort(message, kind="stable")
            message, value, end = message[order], value[order], end[order]
        return message, value, end

    def scalar(self, tag: int) -> UInt64s:
        """Return one number a message: the last with this tag, 0 where there is none."""
        column = np.zeros(self.messages, np.uint64)
        for message, value, _ in self._with(tag):
            column[message] = value
        return column


class Wire:
    """The bytes of one or more messages."""

    def __init__(self, data: bytes, deadline: float = inf) -> None:
        self.data = data
        self.size = len(data)
        self.deadline = deadline
        # A varint may be looked for at any place: ten bytes are there to look at.
        self.bytes: UInt8s = np.frombuffer(data if len(data) >= 16 else data + bytes(16), np.uint8)

    def varints(self, at: Int64s, places: int = 10) -> tuple[UInt64s, Int64s]:
        """Return (value, position after it) of the varint at each position; FAR after one of too many places."""
        byte = self.bytes.take(at, mode="clip")
        value = (byte & _SEVEN).astype(np.uint64)
        after = at + 1
        for place in range(1, places):
            more = byte >> 7
            going = int(np.count_nonzero(more))
            if not going:
                return value, after
            shift = np.uint64(7 * place)
            if 4 * going < len(at):
                long = np.flatnonzero(more)
                rest, after[long] = self.varints(at[long] + place, places - place)
                value[long] |= rest << shift
                return value, after
            # Beyond a varint's end stands something else, which is masked out.
            byte = self.bytes[place:].take(at, mode="clip") & np.negative(more)
            value |= (byte & _SEVEN).astype(np.uint64) << shift
            after += more
        after[byte > _SEVEN] = FAR
        return value, after

    def step(self, at: Int64s) -> tuple[UInt8s, UInt64s, Int64s]:
        """Return (tag, number or where the bytes start, end) of the field at each position.

        The tag is 0 for fields that hold nothing a profile has: fixed width, field numbers above 15. The end is FAR
        where no field can be read.
        """
        tag = self.bytes.take(at, mode="clip")
        value, start = self.varints(at + 1)
        end = start.copy()
        only = _only(tag)
        if only & 7 == BYTES:  # which -1 is not
            end += np.minimum(value, _FAR).astype(np.int64)
            value = start.astype(np.uint64)
        elif only < 0:
            sized = tag & 7 == BYTES
            end[sized] += np.minimum(value[sized], _FAR).astype(np.int64)
            value[sized] = start[sized]
        end[end < 0] = FAR
        for row in np.flatnonzero(_IS_ODD.take(tag)).tolist() if only < 0 or _IS_ODD[only] else ():
            tag[row], value[row], after = next(fields_of(self.data, int(at[row]), self.size), _NOTHING)
            end[row] = after if after >= 0 else FAR
        return tag, value, end

    def steps(self, at: Int64s) -> tuple[UInt8s, UInt64s, Int64s]:
        """Return what `step` does, for any number of positions."""
        blocks = spread(self.step, [at[first : first + BLOCK] for first in range(0, max(1, len(at)), BLOCK)])
        tag, value, end = zip(*blocks, strict=True)
        return np.concatenate(tag), np.concatenate(value), np.concatenate(end)

    def walk(self, starts: Int64s, ends: Int64s) -> Fields:
        """Return the fields of the messages that lie at starts:ends."""
        fields = Fields(len(starts))
        firsts = range(0, len(starts), BLOCK)
        for rounds, broken in spread(lambda first: self._walk_block(first, starts, ends), firsts):
            fields.rounds += rounds
            fields.broken += broken
        return fields

    def _walk_block(self, first: int, starts: Int64s, ends: Int64s) -> tuple[list[Round], int]:
        """Return the rounds of one block of messages, and how many of them break off."""
        rounds: list[Round] = []
        broken = 0
        active = first + np.flatnonzero(starts[first : first + BLOCK] < ends[first : first + BLOCK])
        cursor, limit = starts[active], ends[active]
        while len(active) > FEW and monotonic() < self.deadline:
            tag, value, end = self.step(cursor)
            whole = end <= limit
            if (breaking := len(active) - int(np.count_nonzero(whole))) > 0:
                broken += breaking
                active, limit = active[whole], limit[whole]
                tag, value, end = tag[whole], value[whole], end[whole]
            rounds.append((active, tag, value, end, _only(tag)))
            more = np.flatnonzero(end < limit)
            active, cursor, limit = active[more], end[more], limit[more]
        return rounds, broken + self._walk_few(rounds, active, cursor, limit)

    def _walk_few(self, rounds: list[Round], active: Int64s, cursor: Int64s, limit: Int64s) -> int:
        rows: list[tuple[int, int, int, int]] = []
        broken = 0
        for message, at, until in zip(active.tolist(), cursor.tolist(), limit.tolist(), strict=True):
            for tag, value, end in fields_of(self.data, at, until):
                if end < 0:
                    broken += 1
                    break
                rows.append((message, tag, value, end))
                if len(rows) == BLOCK:
                    rounds.append(_columns(rows))
                    rows = []
                    if monotonic() > self.deadline:
                        return broken
        if rows:
            rounds.append(_columns(rows))
        return broken


_NOTHING = (0, 0, -1)


def _columns(rows: list[tuple[int, int, int, int]]) -> Round:
    message, tag, value, end = zip(*rows, strict=True)
    tags = np.array(tag, np.uint8)
    return np.array(message, np.int64), tags, np.array(value, np.uint64), np.array(end, np.int64), _only(tags)


def _only(tags: UInt8s) -> int:
    """Return the tag that all of these are, -1 when they differ: messages of one kind mostly have the same fields."""
    raw = tags.tobytes()
    return raw[0] if raw and raw.count(raw[0]) == len(raw) else -1


def varint_at(data: bytes, at: int, limit: int) -> tuple[int, int]:
    """Return (value, position after it) of one varint; the position is -1 when it does not end before `limit`."""
    value = shift = 0
    for here in range(at, min(limit, at + 10)):
        byte = data[here]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, here + 1
        shift += 7
    return 0, -1


def packed(data: bytes, at: int, limit: int) -> list[int]:
    """Return the varints that stand one after another; what does not end before `limit` is left out."""
    numbers = []
    while at < limit:
        number, at = varint_at(data, at, limit)
        if at < 0:
            break
        numbers.append(number)
    return numbers


def fields_of(data: bytes, at: int, limit: int) -> Iterator[tuple[int, int, int]]:
    """Yield (tag, number or where the bytes start, end) for each field of one message; see `Wire.step` for the tag.

    Where it breaks off, the end is -1 and the value tells where: at `limit` when a field goes on beyond it.
    """
    while at < limit:
        tag, after = varint_at(data, at, limit)
        wire = tag & 7
        if after < 0 or tag < 8 or wire not in (VARINT, FIXED64, BYTES, FIXED32):
            yield 0, at, -1
            return
        if wire in (FIXED64, FIXED32):
            tag, value, end = 0, after, after + (8 if wire == FIXED64 else 4)
        else:
            value, end = varint_at(data, after, limit)
            if end < 0:
                yield 0, at, -1
                return
            if wire == BYTES:
                value, end = end, end + value
        if end > limit:
            yield 0, limit, -1
            return
        yield tag if tag < 0x80 else 0, value, end
        at = end


# Tags of one byte whose field holds bytes.
_SIZED = tuple(8 <= tag < 0x80 and tag & 7 == BYTES for tag in range(256))


def top_level(data: bytes, max_fields: int, deadline: float) -> tuple[Int64s, int, str]:
    """Return (position of every whole field, position where reading ended, why it ended there).

    Why is "" at the end of the data, "cut" inside a field, "corrupt" at bytes that start no field, "many" or "slow"
    at a limit.
    """
    positions = array("q")
    append = positions.append
    size = len(data)
    at = 0
    why = ""
    try:
        while not why:
            # Nearly all fields hold bytes and have short lengths: these lines are the time it takes.
            for _ in range(1 << 16):
                if _SIZED[data[at]]:
                    length = data[at + 1]
                    if length < 0x80:
                        append(at)
                        at += length + 2
                        continue
                    second = data[at + 2]
                    if second < 0x80:
                        append(at)
                        at += (length & 0x7F) + (second << 7) + 3
                        continue
                end = next(fields_of(data, at, size), _NOTHING)[2]
                if end < 0:
                    why = "cut" if at >= size or _goes_on(data, at) else "corrupt"
                    break
                append(at)
                at = end
            else:
                if len(positions) > max_fields:
                    why = "many"
                elif monotonic() > deadline:
                    why = "slow"
    except IndexError:
        why = "cut" if at < size else ""
    if at > size:
        at = positions.pop()
        why = "cut"
    return np.frombuffer(positions, np.int64), at, why


def _goes_on(data: bytes, at: int) -> bool:
    """Return whether the field at `at`, which is not whole, could be the beginning of one."""
    tag, after = varint_at(data, at, len(data))
    if after >= 0 and (tag < 8 or tag & 7 not in (VARINT, FIXED64, BYTES, FIXED32)):
        return False
    if after >= 0 and tag & 7 in (VARINT, BYTES):
        after = varint_at(data, after, len(data))[1]
    # What goes on for more bytes than a varint has is none.
    return after >= 0 or len(data) - at < 20
