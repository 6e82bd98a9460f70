"""The columnar readers of protobuf's wire format give what the plain loop over fields gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.parse import runs, wire
from oakum.parse.wire import FAR, Fields, Int64s, Wire
from pprof_message import field, message, varint

EDGES = [
    0,
    1,
    127,
    128,
    16383,
    16384,
    2**32 - 1,
    2**35,
    2**49 - 1,
    2**49,
    2**56 - 1,
    2**56,
    2**63 - 1,
    2**63,
    2**64 - 1,
]
NUMBERS = st.one_of(st.sampled_from(EDGES), st.integers(0, 2**64 - 1), st.integers(0, 300))


def ints(*numbers: int) -> Int64s:
    return np.array(numbers, np.int64)


@given(st.lists(NUMBERS, min_size=1, max_size=40), st.integers(0, 20))
def test_varints_are_read_at_any_place(numbers: list[int], padding: int) -> None:
    encoded = [varint(number) for number in numbers]
    ends = np.cumsum([len(each) for each in encoded])
    starts = ends - [len(each) for each in encoded]
    value, after = Wire(b"".join(encoded) + b"\xff" * padding).varints(starts)
    assert value.tolist() == numbers
    assert after.tolist() == ends.tolist()


def test_varint_without_end_leads_nowhere() -> None:
    after = Wire(b"\x80" * 30).varints(ints(0, 15))[1]
    assert after.tolist() == [FAR, FAR]
    assert Wire(b"\x01\x80").varints(ints(1))[1] > 2
    assert wire.varint_at(b"\x80" * 30, 0, 30) == (0, -1)


def test_ten_bytes_hold_sixty_four_bits() -> None:
    # The tenth byte has room for one bit; what is above it is dropped, as Go does.
    over = b"\xff" * 9 + b"\x7f"
    assert Wire(over + bytes(8)).varints(ints(0))[0].tolist() == [2**64 - 1]
    assert wire.varint_at(over, 0, 10) == (2**64 - 1, 10)


CONTENT = st.one_of(NUMBERS, st.binary(max_size=200))
FIELD = st.one_of(
    st.builds(field, st.integers(1, 15), CONTENT),
    st.builds(field, st.integers(16, 2**20), CONTENT),
    st.sampled_from(
        [b"\x0d\x01\x02\x03\x04", b"\x11" + bytes(8), b"\x0d", b"\x00", b"\x0b", b"\x07\x01", b"\x8a\x00\x01\x05"]
    ),
    st.binary(max_size=6),
)
MESSAGE = st.lists(FIELD, max_size=8).map(b"".join)


def rows_of(fields: Fields) -> list[tuple[int, int, int, int]]:
    rows = [row for columns in fields.rounds for row in zip(*(column.tolist() for column in columns[:4]), strict=True)]
    return sorted(rows, key=lambda row: (row[0], row[3]))


@given(st.lists(MESSAGE, min_size=1, max_size=12), st.booleans())
def test_messages_in_step_are_messages_one_by_one(bodies: list[bytes], cut: bool) -> None:
    ends = np.cumsum([len(body) for body in bodies])
    starts = ends - [len(body) for body in bodies]
    data = b"".join(bodies)[: -1 if cut else None]
    ends = np.minimum(ends, len(data))
    expected, broken = [], 0
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        for tag, value, after in wire.fields_of(data, start, end):
            if after < 0:
                broken += 1
            else:
                expected.append((row, tag, value, after))
    for few in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(wire, "FEW", few)
            found = Wire(data).walk(starts, ends)
        # Of fields that hold nothing a profile has, only the end matters.
        assert [row if row[1] else (row[0], 0, 0, row[3]) for row in rows_of(found)] == [
            row if row[1] else (row[0], 0, 0, row[3]) for row in expected
        ]
        assert found.broken == broken


@given(MESSAGE)
def test_top_level_finds_the_fields_of_a_message(data: bytes) -> None:
    positions, stopped, why = wire.top_level(data, 10**6, float("inf"))
    found, at = [], 0
    for _, _, end in wire.fields_of(data, 0, len(data)):
        if end < 0:
            break
        found.append(at)
        at = end
    assert positions.tolist() == found
    assert stopped == at
    assert why == "" if at == len(data) else why in ("cut", "corrupt")


def test_top_level_says_why_it_ended() -> None:
    whole = field(2, b"abc") * 3 + field(9, 2**40)
    for size in range(len(whole)):
        positions, stopped, why = wire.top_level(whole[:size], 10**6, float("inf"))
        assert why == ("" if size in (0, 5, 10, 15) else "cut"), size
        assert stopped == min(5 * len(positions), 15)
    assert wire.top_level(whole + b"\x07", 10**6, float("inf"))[1:] == (len(whole), "corrupt")
    assert wire.top_level(whole + b"\x02\x00", 10**6, float("inf"))[1:] == (len(whole), "corrupt")
    assert wire.top_level(b"\xff" * 30, 10**6, float("inf"))[1:] == (0, "corrupt")
    assert wire.top_level(whole * 30_000, 10_000, float("inf"))[2] == "many"
    assert wire.top_level(whole * 30_000, 10**6, 0.0)[2] == "slow"


def test_walking_stops_at_the_deadline() -> None:
    data = field(1, 5) * (3 * wire.BLOCK)
    assert sum(len(columns[0]) for columns in Wire(data).walk(ints(0), ints(len(data))).rounds) == 3 * wire.BLOCK
    late = Wire(data, deadline=0.0)
    assert sum(len(columns[0]) for columns in late.walk(ints(0), ints(len(data))).rounds) == wire.BLOCK


def test_pick_keeps_the_order_within_a_message() -> None:
    bodies = [message((1, 10), (2, 20), (1, 11)), message((2, 21)), message((1, 12), (1, 13))]
    ends = np.cumsum([len(body) for body in bodies])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "FEW", 0)
        fields = Wire(b"".join(bodies)).walk(ends - [len(body) for body in bodies], ends)
    which, value, _ = fields.pick(0x08)
    assert which.tolist() == [0, 0, 2, 2]
    assert value.tolist() == [10, 11, 12, 13]
    assert fields.scalar(0x08).tolist() == [11, 0, 13]
    assert fields.scalar(0x18).tolist() == [0, 0, 0]
    assert len(fields.pick(0x18)[0]) == 0


SPAN = st.one_of(st.binary(max_size=30), st.binary(max_size=3).map(lambda unit: unit * 40))


@given(st.lists(SPAN, max_size=30).flatmap(lambda some: st.lists(st.sampled_from(some or [b""]), max_size=60)))
def test_distinct_spans(pieces: list[bytes]) -> None:
    lengths = np.array([len(piece) for piece in pieces], np.int64)
    ends = np.cumsum(lengths)
    ids, first = runs.distinct(Wire(b"".join(pieces)), ends - lengths, ends)
    order = list(dict.fromkeys(pieces))
    assert [pieces[row] for row in first.tolist()] == order
    assert ids.tolist() == [order.index(piece) for piece in pieces]


def test_spans_that_differ_where_no_signature_looks() -> None:
    # 400 bytes, equal but for one byte: more than the words that are compared first.
    pieces = [bytes(place) + b"x" + bytes(399 - place) for place in range(400)]
    ends = 400 * np.arange(1, 801)
    ids, first = runs.distinct(Wire(b"".join(pieces * 2)), ends - 400, ends)
    assert ids.tolist() == [*range(400), *range(400)]
    assert first.tolist() == [*range(400)]


def test_very_long_spans() -> None:
    long = bytes(range(256)) * 4000
    pieces = [long, long, long[:-1] + b"x", long, b"", long[:700_000] + b"x" + long[700_001:], long[:-1] + b"x"]
    ends = np.cumsum([len(piece) for piece in pieces])
    ids, first = runs.distinct(Wire(b"".join(pieces)), ends - [len(piece) for piece in pieces], ends)
    assert ids.tolist() == [0, 0, 1, 0, 2, 3, 1]
    assert first.tolist() == [0, 2, 4, 5]


@given(st.lists(st.lists(NUMBERS, max_size=12), max_size=20), st.sampled_from([16, 1 << 18]))
def test_packed_varints(runs_of_numbers: list[list[int]], piece: int) -> None:
    data, starts, ends = b"", [], []
    for numbers in runs_of_numbers:
        body = b"".join(map(varint, numbers))
        data += b"\x0a" + varint(len(body))
        starts.append(len(data))
        data += body
        ends.append(len(data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "PIECE", piece)
        counts, found = runs.varints(Wire(data), ints(*starts), ints(*ends), lambda column: column.astype(np.uint64))
    assert counts.tolist() == [len(numbers) for numbers in runs_of_numbers]
    assert found.tolist() == [number for numbers in runs_of_numbers for number in numbers]


def test_a_packed_varint_that_does_not_end_is_left_out() -> None:
    data = b"\x0a\x03\x05\x80\x80" + b"\x0a\x02\x80\x80" + b"\x0a\x02\x07\x08"
    counts, found = runs.varints(Wire(data), ints(2, 7, 11), ints(5, 9, 13), lambda column: column.astype(np.uint64))
    assert counts.tolist() == [1, 0, 2]
    assert found.tolist() == [5, 7, 8]
    assert wire.packed(data, 2, 5) == [5]
