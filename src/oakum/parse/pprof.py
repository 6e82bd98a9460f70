"""pprof's protobuf (profile.proto), from any producer, packed or not -> Profile, column by column.

Comes in: unpacked bytes. Goes out: a Reading, or None for anything that is not such a profile. References that lead
nowhere, cut ends and odd samples become problems; what is whole is kept.
"""

from datetime import UTC, datetime
from itertools import islice
from time import monotonic

import numpy as np
from msgspec.structs import replace

from oakum.model import Buffer, Functions, Locations, Mapping, Problem, Profile, Reading, Strings, ValueType
from oakum.parse import origin, samples, wire
from oakum.parse.limits import DEFAULT, Limits
from oakum.parse.message import Message, Rows
from oakum.parse.wire import Int64s

# Tags of the message Profile: field number << 3 | wire type.
SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING = 0x0A, 0x12, 0x1A, 0x22, 0x2A, 0x32
DROP_FRAMES, KEEP_FRAMES, TIME_NANOS, DURATION_NANOS = 0x38, 0x40, 0x48, 0x50
PERIOD_TYPE, PERIOD, COMMENT, COMMENTS_PACKED, DEFAULT_SAMPLE_TYPE, DOC_URL = 0x5A, 0x60, 0x68, 0x6A, 0x70, 0x78
KNOWN = frozenset(
    (SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, DROP_FRAMES, KEEP_FRAMES, TIME_NANOS, DURATION_NANOS,
     PERIOD_TYPE, PERIOD, COMMENT, COMMENTS_PACKED, DEFAULT_SAMPLE_TYPE, DOC_URL)
)  # fmt: skip
HEAD = 1 << 16  # bytes looked at before anything is copied
MANY = 1 << 16  # mappings, sample types and comments: each becomes an object


def read(data: Buffer, limits: Limits = DEFAULT) -> Reading | None:
    """Return the profile in `data`, or None when it is not pprof protobuf."""
    if not _promising(bytes(data[:HEAD]), len(data)):
        return None
    whole = data if isinstance(data, bytes) else bytes(data)
    deadline = limits.deadline()
    positions, stopped, why = wire.top_level(whole, limits.max_messages, deadline)
    words = wire.Wire(whole, deadline)
    message = Message(words, limits, *words.steps(positions))
    if not _is_profile(message):
        return None
    starts, ends = message.first(limits.max_strings, message.rows(STRING), "strings")
    # Only the table stays in memory, not the samples before it.
    first = int(starts[0]) if len(starts) else 0
    blob = whole[first : int(ends[-1])] if len(starts) else b""
    if len(starts):
        message.strings = Strings(blob, starts - first, ends - first)
    profile = _profile(message)
    if why or monotonic() > deadline:
        message.problems.insert(0, Problem.of(f"{why or 'slow'}.profile", f"byte {stopped}"))
    return Reading(
        kind=profile.kind,
        format="pprof",
        producer=origin.producer(profile),
        go_version=origin.go_version(blob, starts - first, message.strings),
        taken_at=_time_of(profile.time_nanos),
        profile=profile,
        problems=tuple(message.problems),
    )


def _promising(head: bytes, size: int) -> bool:
    """Return whether the first fields may be those of a profile; cheap, and enough to turn away nearly all else."""
    sure = sized = strings = False
    for tag, value, end in islice(wire.fields_of(head, 0, len(head)), 64):
        if end < 0:
            # Bytes that start no field, or a field that goes on after the head.
            return sure or (size > len(head) and value > len(head) - 20)
        if tag and tag not in KNOWN:
            return False
        if tag == SAMPLE_TYPE:
            if not _is_value_type(head, value, end):
                return False
            sure = sure or value < end
        if tag == STRING and not strings:
            if value < end:
                return False
            sure = strings = True
        sized = sized or tag & 7 == wire.BYTES
    return sized


def _is_profile(message: Message) -> bool:
    """Return whether the fields make a profile: an empty first string, or sample types that are some."""
    starts, ends = message.rows(STRING)
    if len(starts):
        return bool(starts[0] == ends[0]) and len(message.tags) > 1
    starts, ends = message.rows(SAMPLE_TYPE)
    types = _spans(starts[:4], ends[:4])
    return any(start < end for start, end in types) and all(_is_value_type(message.wire.data, *span) for span in types)


def _is_value_type(data: bytes, start: int, end: int) -> bool:
    return all(tag in (0, 0x08, 0x10) and after >= 0 for tag, _, after in wire.fields_of(data, start, end))


def _spans(starts: Int64s, ends: Int64s) -> list[tuple[int, int]]:
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _profile(message: Message) -> Profile:
    mapping_rows, mappings = _mappings(message)
    function_rows, functions = _functions(message)
    location_rows, locations, columns = _locations(message, mapping_rows, function_rows)
    fields = message.walk(*message.rows(SAMPLE), "samples")
    types, values = samples.values(message, fields, _value_types(message, SAMPLE_TYPE))
    stack_ids, stacks = samples.stacks(message, fields, location_rows)
    if int(stacks.locations.max(initial=-1)) == len(locations):
        locations = _with_unknown(locations)
    label_ids, label_sets = samples.labels(message, fields)
    period_types = _value_types(message, PERIOD_TYPE)
    period_type = period_types[-1] if period_types else None
    default = message.text(message.number(DEFAULT_SAMPLE_TYPE))
    profile = Profile(
        kind=origin.kind(types, period_type, default),
        sample_types=types,
        values=values,
        stack_ids=stack_ids,
        label_ids=label_ids,
        stacks=stacks,
        label_sets=label_sets,
        locations=locations,
        functions=functions,
        strings=message.strings,
        mappings=mappings,
        default_sample_type=default,
        period_type=period_type,
        period=message.number(PERIOD),
        time_nanos=message.number(TIME_NANOS),
        duration_nanos=message.number(DURATION_NANOS),
        comments=_comments(message),
        drop_frames=message.text(message.number(DROP_FRAMES)),
        keep_frames=message.text(message.number(KEEP_FRAMES)),
        doc_url=message.text(message.number(DOC_URL)),
        extra={"line_columns": columns} if columns.any() else {},
    )
    message.say("string-out-of-range", message.bad_strings)
    return replace(profile, kind=origin.contention(profile)) if profile.kind == "contention" else profile


def _value_types(message: Message, tag: int) -> tuple[ValueType, ...]:
    types = []
    for span in _spans(*message.first(MANY, message.rows(tag), "value types")):
        numbers = {key: value for key, value, end in wire.fields_of(message.wire.data, *span) if end >= 0}
        types.append(ValueType(message.text(numbers.get(0x08, 0)), message.text(numbers.get(0x10, 0))))
    return tuple(types)


def _comments(message: Message) -> tuple[str, ...]:
    rows = np.flatnonzero((message.tags == COMMENT) | (message.tags == COMMENTS_PACKED))[:MANY]
    texts: list[str] = []
    for row in rows.tolist():
        start, end = int(message.values[row]), int(message.ends[row])
        if message.tags[row] == COMMENT:
            numbers = [start]
        else:
            numbers = wire.packed(message.wire.data, start, end)
        texts += [message.text(number) for number in numbers]
    return tuple(texts)


def _mappings(message: Message) -> tuple[Rows, tuple[Mapping, ...]]:
    ids, mappings = [], []
    for span in _spans(*message.first(MANY, message.rows(MAPPING), "mappings")):
        numbers = {tag: value for tag, value, end in wire.fields_of(message.wire.data, *span) if end >= 0}
        get = numbers.get
        ids.append(get(0x08, 0))
        mappings.append(
            Mapping(
                start=get(0x10, 0),
                limit=get(0x18, 0),
                offset=get(0x20, 0),
                file=message.text(get(0x28, 0)),
                build_id=message.text(get(0x30, 0)),
                has_functions=bool(get(0x38, 0)),
                has_filenames=bool(get(0x40, 0)),
                has_line_numbers=bool(get(0x48, 0)),
                has_inline_frames=bool(get(0x50, 0)),
            )
        )
    return message.named(np.array(ids, np.uint64), "mappings"), tuple(mappings)


def _functions(message: Message) -> tuple[Rows, Functions]:
    fields = message.walk(*message.rows(FUNCTION), "functions")
    rows = message.named(fields.scalar(0x08), "functions")
    name, system_name, file = (message.string_rows(fields.scalar(tag)) for tag in (0x10, 0x18, 0x20))
    return rows, Functions(name, system_name, file, fields.scalar(0x28).view(np.int64))


def _locations(message: Message, mappings: Rows, functions: Rows) -> tuple[Rows, Locations, Int64s]:
    """Return the rows of locations, the locations, and the column within the source line of each line."""
    fields = message.walk(*message.rows(LOCATION), "locations")
    rows = message.named(fields.scalar(0x08), "locations")
    mapping_ids = fields.scalar(0x10)
    mapping = mappings.of(mapping_ids)
    message.say("missing-mapping", int(np.count_nonzero((mapping < 0) & (mapping_ids > 0))))
    which, start, end = fields.pick(0x22)
    lines = message.walk(start.astype(np.int64), end, "lines")
    function_ids = lines.scalar(0x08)
    function = functions.of(function_ids)
    message.say("missing-function", int(np.count_nonzero((function < 0) & (function_ids > 0))))
    locations = Locations(
        address=fields.scalar(0x18),
        mapping=np.where(mapping_ids == 0, np.int32(-1), mapping),
        folded=fields.scalar(0x28) != 0,
        line_starts=np.searchsorted(which, np.arange(fields.messages + 1)).astype(np.int64),
        line_function=function,
        line_number=lines.scalar(0x10).view(np.int64),
    )
    return rows, locations, lines.scalar(0x18).view(np.int64)


def _with_unknown(locations: Locations) -> Locations:
    """Return the locations and, after them, one that nothing is known of."""
    return Locations(
        address=np.append(locations.address, np.uint64(0)),
        mapping=np.append(locations.mapping, np.int32(-1)),
        folded=np.append(locations.folded, False),
        line_starts=np.append(locations.line_starts, locations.line_starts[-1]),
        line_function=locations.line_function,
        line_number=locations.line_number,
    )


def _time_of(nanos: int) -> datetime | None:
    # 9999-12-31: the last year that datetime can say.
    if not 0 < nanos < 253402300799 * 10**9:
        return None
    return datetime.fromtimestamp(nanos // 10**9, UTC).replace(microsecond=nanos % 10**9 // 1000)
