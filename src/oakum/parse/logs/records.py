"""Logs of JSON records: docker json-file, journalctl -o json, zap, zerolog, cloud exports, go test -json, JSON-RPC.

Comes in: JSON lines, pretty-printed objects or one array, other lines between them. Goes out: the one field that
holds the dump, found by what it yields. A record that does not decode is passed on as it stands.
"""

import json
from collections.abc import Iterator
from itertools import islice
from operator import gt, lt
from typing import Any

from msgspec import Struct

from oakum.parse.logs import evidence, parts
from oakum.parse.logs.strand import Strand
from oakum.regex import regex

Path = tuple[str | int, ...]
Record = dict[str, Any]

_HINT = regex(r"goroutine \d+ (?:gp=[^\n\[]{1,80} )?\[| profile: (?:total )?\d")
_DECODER = json.JSONDecoder()
# An RS before each record: journalctl -o json-seq (RFC 7464).
_OPENING = regex(r"[\x1e \t]*(?:\[\s*)?\{")
_BETWEEN = regex(r"[ \t\r]*(?:[\],][ \t\r]*)*\n?")
_EVERY = "*"  # in a path: each element of a list
_PAIR = 3  # a list this short is a tuple ([time, line] in Loki's answers): its places mean different things
_FREE = 1 << 20  # bytes that may be decoded in vain
_LARGEST = 256 << 20  # of a single JSON document: decoding takes a multiple of its size
_MOST_LEAVES = 500  # of one record, when the field is looked for

_STAMPS = ("__REALTIME_TIMESTAMP", "time", "Time", "timestamp", "@timestamp", "ts", "eventTime", "receiveTimestamp")
# Where records name their writer: the first row whose first field is there.
_WRITERS: tuple[tuple[Path, ...], ...] = (
    (("SYSLOG_IDENTIFIER",), ("_PID",), ("_HOSTNAME",)),
    (("_COMM",), ("_PID",), ("_HOSTNAME",)),
    (("resource", "labels", "pod_name"), ("resource", "labels", "container_name")),
    (("resource", "labels", "instance_id"),),
    (("kubernetes", "pod_name"), ("kubernetes", "container_name")),
    (("kubernetes", "pod", "name"), ("kubernetes", "container", "name")),
    (("Package",),),
    (("hostname",), ("pid",)),
    (("pod",),),
    (("service",),),
)


class _Shape(Struct, frozen=True):
    """What is the same in all records of a log."""

    kind: str
    path: Path
    stamp: str
    writer: tuple[Path, ...]
    backwards: bool  # a record lists [time, line] newest first, as Loki does
    own_newlines: bool  # the field carries its newline; without one the line goes on in the next record


def peel(text: bytes, split: bool) -> list[Strand]:
    """Return the field that holds the dump, one strand a writer; [] when no JSON record holds one."""
    shape = _shape(evidence.sample(text))
    return _strands(text, shape, split) if shape else []


def peel_document(text: bytes, split: bool) -> list[Strand]:
    """Return the same of one JSON document that may be larger than a sample; [] when it is none or is cut."""
    opening = _OPENING.match(text[:256].decode("latin-1"))
    if opening is None or len(text) > _LARGEST:
        return []
    try:
        record, end = _DECODER.raw_decode(text.decode("latin-1"), opening.end() - 1)
    except (ValueError, RecursionError):
        return []
    shape = _shape_of([record]) if end > len(text) // 2 else None
    return _strands(text, shape, split) if shape else []


def _strands(text: bytes, shape: _Shape, split: bool) -> list[Strand]:
    rows = _Rows(shape, split)
    rows.fill(text.decode("latin-1"))
    if not shape.own_newlines:
        rows.sort()
    places: dict[tuple[object, ...], list[int]] = {}
    for number, key in enumerate(rows.keys):
        places.setdefault(key, []).append(number)
    strands = []
    for key, mine in places.items():
        bodies = [rows.bodies[number] for number in mine]
        if shape.kind == "journald-json":
            bodies = parts.rejoined(bodies)
        was, written = [rows.was[number] for number in mine], [rows.written[number] for number in mine]
        strand = Strand.of(shape.kind, _label(shape, key[1:]), bodies, was, written)
        if rows.left_out:
            strand.complain("field-left-out")
        strands.append(strand)
    return strands


class _Rows:
    """What goes over from each record, as columns."""

    def __init__(self, shape: _Shape, split: bool) -> None:
        self._shape = shape
        self._split = split
        self.keys: list[tuple[object, ...]] = []
        self.bodies: list[bytes] = []
        self.was: list[int] = []
        self.written: list[str] = []
        self.left_out = False

    def fill(self, text: str) -> None:
        """Take the records of a text; lines between them belong to the writer of the record before."""
        shape = self._shape
        simple = str(shape.path[0]) if len(shape.path) == 1 else ""
        key: tuple[object, ...] = ()
        stamp = ""
        for start, end, record in _records(text):
            if record is None:
                if (line := text[start:end]).strip() not in ("[", "]"):
                    self._add(key, _encoded(line) + b"\n", start, stamp)
                continue
            value = record.get(simple)
            values = [value] if isinstance(value, str) else _values(record, shape.path)
            if "goroutine " in text[start:end] and not any(map(_HINT.search, values)):
                values = [*values, *(leaf for _, leaf in _leaves(record) if _HINT.search(leaf))]
            if shape.backwards:
                values.reverse()
            self.left_out = self.left_out or record.get("MESSAGE", "") is None
            key = self._key(record) if self._split else ()
            stamp = str(record.get(shape.stamp, ""))
            goes_on = shape.own_newlines or _goes_on(record)
            for body in values:
                whole = body if goes_on or body.endswith("\n") else body + "\n"
                self._add(key, _encoded(whole), start, stamp)

    def _key(self, record: Record) -> tuple[object, ...]:
        key = (record.get("stream"), *[_get(record, path) for path in self._shape.writer])
        try:
            hash(key)
        except TypeError:
            return tuple(map(str, key))
        return key

    def _add(self, key: tuple[object, ...], body: bytes, was: int, stamp: str) -> None:
        self.keys.append(key)
        self.bodies.append(body)
        self.was.append(was)
        self.written.append(stamp)

    def sort(self) -> None:
        """Put the oldest first: exports may begin with the newest, and clouds keep no order at all."""
        falls, rises = (sum(map(order, self.written, self.written[1:])) for order in (gt, lt))
        rows = list(range(len(self.bodies)))
        if falls > rises:
            rows.sort(key=self.was.__getitem__, reverse=True)  # stable: lines of one record keep their order
        if self._shape.kind == "cloud-logging" and falls:
            times = [_sortable(stamp) for stamp in self.written]
            rows.sort(key=times.__getitem__)
        for name in ("keys", "bodies", "was", "written") if falls else ():
            column = getattr(self, name)
            setattr(self, name, [column[row] for row in rows])


def _sortable(stamp: str) -> tuple[str, str]:
    head, _, fraction = stamp.rstrip("Z").partition(".")
    return head, fraction.ljust(9, "0")


def _shape(sample: bytes) -> _Shape | None:
    return _shape_of([record for _, _, record in islice(_records(sample.decode("latin-1")), 4000) if record])


def _shape_of(records: list[Record]) -> _Shape | None:
    texts: dict[Path, list[str]] = {}
    for record in records:
        for path, text in _leaves(record):
            texts.setdefault(path, []).append(text)
    hinting = {path: found for path, found in texts.items() if any(map(_HINT.search, found))}
    if not hinting:
        return None
    path = max(hinting, key=lambda path: (_score(hinting[path]), sum(map(len, hinting[path]))))
    example = next((record for record in records if any(map(_HINT.search, _values(record, path)))), None)
    if example is None:
        return None
    kind = _kind(example, path)
    beside = texts.get((*path[:-1], 0), [""]) if path[-2:] == (_EVERY, 1) else [""]
    return _Shape(
        kind=kind,
        path=path,
        stamp=next((name for name in _STAMPS if name in example), ""),
        writer=next((row for row in _WRITERS if _get(example, row[0]) is not None), ()),
        own_newlines=kind in ("docker-json", "go-test-json") and any(text.endswith("\n") for text in texts[path]),
        backwards=beside[0] > beside[-1],
    )


def _score(texts: list[str]) -> int:
    return evidence.score(_encoded("\n".join(text.rstrip("\n") for text in texts)))


def _kind(record: Record, path: Path) -> str:
    if path == ("log",) and ("stream" in record or "time" in record):
        return "docker-json"
    if path == ("Output",) and "Action" in record:
        return "go-test-json"
    if path == ("MESSAGE",):
        return "journald-json"
    if record.keys() & {"textPayload", "insertId", "logName", "jsonPayload"}:
        return "cloud-logging"
    return "json-rpc" if "jsonrpc" in record else "json"


def _records(text: str) -> Iterator[tuple[int, int, Record | None]]:
    """Yield where each JSON object stands and what it says; None for a line that is none."""
    position, wasted, size = 0, 0, len(text)
    while position < size:
        opening = _OPENING.match(text, position)
        if opening and wasted < 2 * size + _FREE:  # objects that break off late must not be read again and again
            start = opening.end() - 1
            try:
                record, end = _DECODER.raw_decode(text, start)
            except (ValueError, RecursionError) as error:
                wasted += getattr(error, "pos", start + 100_000) - start
            else:
                yield start, end, record
                if text.startswith("\n", end):
                    position = end + 1
                else:
                    between = _BETWEEN.match(text, end)
                    position = between.end() if between else end
                continue
        newline = text.find("\n", position)
        end = newline if newline >= 0 else size
        yield position, end, None
        position = end + 1


def _goes_on(record: Record) -> bool:
    """Return whether the writer says that the line goes on in the next record."""
    return (
        record.get("_LINE_BREAK") == "line-max"
        or record.get("CONTAINER_PARTIAL_MESSAGE") == "true"
        or record.get("logtag") == "P"
    )


def _leaves(record: Record) -> Iterator[tuple[Path, str]]:
    """Yield the texts of a record and the paths that lead to them."""
    waiting: list[tuple[Path, Any]] = [((), record)]
    for _ in range(_MOST_LEAVES):
        if not waiting:
            return
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(((*path, name), inner) for name, inner in value.items())
        elif (text := _text(value)) is not None:
            yield path, text
        elif isinstance(value, list):
            places = range(len(value)) if len(value) < _PAIR else (_EVERY,) * len(value)
            waiting.extend(((*path, place), inner) for place, inner in reversed([*zip(places, value, strict=True)]))


def _text(value: object) -> str | None:
    """Return a field's text; journalctl writes what is not UTF-8 as a list of bytes."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and isinstance(value[0], int):
        try:
            return bytes(value).decode("latin-1")
        except (ValueError, TypeError):
            return None
    return None


def _values(record: Record, path: Path) -> list[str]:
    found: list[Any] = [record]
    for step in path:
        if step == _EVERY:
            found = [inner for value in found if isinstance(value, list) for inner in value]
        elif isinstance(step, int):
            found = [value[step] for value in found if isinstance(value, list) and step < len(value) < _PAIR]
        else:
            found = [value[step] for value in found if isinstance(value, dict) and step in value]
    return [text for value in found if (text := _text(value)) is not None]


def _get(record: Record, path: Path) -> object:
    value: Any = record
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _label(shape: _Shape, writer: tuple[object, ...]) -> str:
    names = ["" if name is None else _encoded(str(name)).decode("utf-8", "replace") for name in writer]
    if shape.kind == "journald-json" and len(names) > 1:
        return f"{names[0]}[{names[1]}]" if names[1] else names[0]
    return "/".join(filter(None, names))


def _encoded(text: str) -> bytes:
    """Return the bytes of a text that was decoded as latin-1 so that offsets and broken UTF-8 survive."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:  # the record had escapes like \u2026
        return b"".join(c.encode("latin-1") if c <= "\xff" else c.encode("utf-8", "replace") for c in text)
