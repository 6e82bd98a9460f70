"""A diagnosis -> the JSON document that programs read, schema oakum.diagnosis/1, and back. report/rows.py declares it.

Every sentence is its English text with `key` and `args`, so that it can be said in another language later. The same
diagnosis gives the same document, to the byte. Reading takes any JSON, also one that only claims to be a diagnosis:
what is not as it is declared raises Unreadable, which names the place.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache, partial
from operator import attrgetter
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

import msgspec
from msgspec.structs import replace

from oakum import __version__
from oakum.model import Cause, Finding, KnownMatch, Memory, Remedy, Text, Unreadable
from oakum.model.diagnosis import Diagnosis
from oakum.report import rows
from oakum.report.advice import commands, list_command, origins, remedies
from oakum.report.former import FORMER_KEYS, FORMER_KINDS
from oakum.report.gap_commands import gap_command
from oakum.report.layout import utc
from oakum.report.page.derive import Derive
from oakum.report.words import WORDS, say

T = TypeVar("T")
Row = TypeVar("Row", bound=msgspec.Struct)

SCHEMA = "oakum.diagnosis/1"
_STORED = "problem.stored"  # of another version, whose words are shown
_LARGEST = 10**30  # no count or size of a machine comes near; what is much larger makes arithmetic stumble


def document(diagnosis: Diagnosis) -> dict[str, Any]:
    captures, derive = origins(diagnosis), Derive(diagnosis)
    memory = diagnosis.memory
    row = _write(
        rows.Document,
        replace(diagnosis, findings=(), memory=memory if len(memory) > 1 else (), tool=diagnosis.tool or __version__),
        schema=SCHEMA,
        last_memory=_write(rows.MemoryRow, memory[0] if memory else Memory()),
    )
    row.findings = [_finding(found, captures, derive) for found in diagnosis.findings]
    for gap, at in zip(diagnosis.gaps, row.gaps, strict=True):
        at.command = gap_command(diagnosis, gap)
    return _builtins(row)


def _finding(found: Finding, captures: Mapping[str, str], derive: Derive) -> rows.FindingRow:
    advised = replace(found.suspect, remedies=remedies(found))
    told = commands(found, captures, derive.diagnosis.called)
    row = _write(rows.FindingRow, replace(found, suspect=advised, commands=told))
    for growth, at in zip(found.suspect.growth, row.growth, strict=True):
        at.command = derive.growth(found, growth)
    for evidence, to in zip(found.suspect.evidence, row.evidence, strict=True):
        to.command = derive.claim(found, evidence)
    return row


def known_document(known: KnownMatch) -> dict[str, Any]:
    """Return the upstream bug of a finding as it stands in documents."""
    return _builtins(_write(rows.KnownRow, known))


def cause_document(cause: Cause) -> dict[str, Any]:
    return _builtins(_write(rows.CauseRow, cause))


def remedy_document(remedy: Remedy) -> dict[str, Any]:
    return _builtins(_write(rows.RemedyRow, remedy))


def _builtins(row: msgspec.Struct) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(row, str_keys=True)
    return found


def _inner(hint: Any) -> Any:
    """Return the row, or the type of the model, that stands in a field; None where nothing but plain values does."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint
    return next((found for part in get_args(hint) if (found := _inner(part))), None)


def _holds(hint: Any, kind: type) -> bool:
    return hint is kind or any(_holds(part, kind) for part in get_args(hint))


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Return what is declared. No text is among it: get_type_hints would take longer than reading a diagnosis."""
    declared: dict[str, Any] = kind.__annotations__
    return {name: get_args(hint)[0] if hasattr(hint, "__metadata__") else hint for name, hint in declared.items()}


def _sentence(name: str, model: type, row: type[msgspec.Struct]) -> tuple[str, str] | None:
    """Return where a row has key and arguments of a sentence of which it has the words; None where it has none such."""
    if _inner(_hints(model)[name]) is not Text or name not in _hints(row) or _inner(_hints(row)[name]):
        return None
    own = f"{name}_" if f"{name}_key" in _hints(row) else ""
    return f"{own}key", f"{own}args"


def _write(kind: type[Row], value: Any, **given: Any) -> Row:
    return kind(**{name: how(value) for name, how in _writers(kind, value.__class__).items()} | given)


@cache
def _writers(row: type[msgspec.Struct], model: type[msgspec.Struct]) -> dict[str, Callable[[Any], Any]]:
    """Return how each column of a row comes from the model. What the row does not name is laid flat in it: a frame."""
    found: dict[str, Callable[[Any], Any]] = {"text": _said} if model is Text else {}
    for field in model.__struct_fields__:
        get, hint = attrgetter(field), _hints(model)[field]
        if columns := _sentence(field, model, row):
            found[field] = _after(get, lambda text: text and _said(text))
            found[columns[0]] = _after(get, lambda text: text and text.key)
            found[columns[1]] = _after(get, lambda text: _plain(text.args) if text else {})
        elif field in _hints(row):
            found[field] = _after(get, _writer(_hints(row)[field]))
        elif hint is _inner(hint):
            found = {name: _after(get, how) for name, how in _writers(row, hint).items()} | found
    return found


def _after(get: Callable[[Any], Any], how: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    return get if how is None else lambda value: how(get(value))


def _writer(hint: Any) -> Callable[[Any], Any] | None:
    """Return how a value is written of which a row declares this; None: as it is."""
    inner = _inner(hint)
    if get_origin(hint) is list:
        return (lambda value: [_write(inner, one) for one in value]) if inner else list
    if inner:
        return lambda value: value and _write(inner, value)
    if get_origin(hint) is dict:
        return _plain
    if _holds(hint, datetime):
        return lambda value: value and utc(value)
    return _number if _holds(hint, float) else None


def _plain(values: Mapping[Any, Any] | None) -> dict[Any, Any]:
    return {name: list(one) if isinstance(one, tuple) else _number(one) for name, one in (values or {}).items()}


def _said(text: Text) -> str:
    """Return the sentence with its numbers as they are stored, so that it can be said again from them."""
    return say(Text(text.key, {name: _number(value) for name, value in text.args.items()}))


def _number(value: Any) -> Any:
    """Return a float with six digits, which is more than any measure here has; JSON knows no NaN."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None


def is_saved(document: object) -> bool:
    """Return whether the document says that it is a diagnosis, of any version."""
    return isinstance(document, dict) and str(document.get("schema", "")).startswith(SCHEMA.partition("/")[0] + "/")


def diagnosis(document: Mapping[str, Any]) -> Diagnosis:
    """Return the diagnosis of which this is the document."""
    if document.get("schema") != SCHEMA:
        raise Unreadable(f"its schema is {str(document.get('schema'))[:60]}, and this version reads {SCHEMA}")
    try:
        row = msgspec.convert(document, rows.Document, str_keys=True)
    except (msgspec.ValidationError, ValueError) as error:
        what, _, place = str(error).partition(" - at `")
        raise _unlike(place.strip("`"), what) from error
    row.memory = row.memory or [row.last_memory]
    for one in (one for found in row.findings for one in found.evidence):
        one.kind = FORMER_KINDS.get(one.kind, one.kind)
    try:
        for gap in row.gaps:
            if not gap.why_key:
                _give_reason(gap)
        for problem in (problem for one in row.inputs for problem in one.problems):
            if problem.text_key not in WORDS:
                problem.text_key, problem.text_args = _STORED, {"text": problem.text}
        found = _read(Diagnosis, row)
    except _TooLarge as error:
        raise _unlike(_place(_builtins(row)) or "", "a number is too large to be one of a diagnosis") from error
    return replace(found, findings=tuple(_as_judged(one, found.called) for one in found.findings))


def _unlike(place: str, what: str) -> Unreadable:
    where = f"its {place[:80].removeprefix('$.')} is not as one is written" if place else "it is not written as one"
    return Unreadable(f"it says that it is a diagnosis, but {where}: {what[:120]}")


def _give_reason(gap: rows.GapRow) -> None:
    """Find the words of why a gap matters: documents of 0.1 have them in English alone, mostly they are its key's."""
    same = Text(f"{gap.key}.why", _sized(gap.args))
    if same.key not in WORDS or say(same) != gap.why:
        same = Text("known.words", {"en": gap.why, "zh": gap.why})
    gap.why_key, gap.why_args = same.key, _plain(same.args)


def _as_judged(found: Finding, called: tuple[str, ...]) -> Finding:
    """Return the finding without what is said where it has nothing of its own: advice.py has it again."""
    if found.remedies == (Remedy("mitigate", Text(f"mechanism.{found.mechanism}.do")),):
        found = replace(found, suspect=replace(found.suspect, remedies=()))
    shows = list_command(found, called) if found.cause else ""
    return replace(found, commands=found.commands[1:]) if shows and found.commands[:1] == (shows,) else found


def _read(kind: type[T], row: msgspec.Struct) -> T:
    """Return the value of the model that a row has; what the document does not store is as if nothing were known."""
    how: Mapping[str, Callable[[Any], Any]] = _readers(kind, row.__class__)  # type: ignore[arg-type]  # types hash
    return kind(**{name: read(row) for name, read in how.items()})


@cache
def _readers(model: type[msgspec.Struct], row: type[msgspec.Struct]) -> dict[str, Callable[[Any], Any]]:
    """Return how each field of the model comes from a row: what _writers does, backwards."""
    found: dict[str, Callable[[Any], Any]] = {}
    for field in model.__struct_fields__:
        get, hint = attrgetter(field), _hints(model)[field]
        if columns := _sentence(field, model, row):
            found[field] = partial(_text, field, attrgetter(columns[0]), attrgetter(columns[1]))
        elif field in _hints(row):
            how = _reader(_hints(row)[field], hint)
            found[field] = _after(get, _key if (model, field) == (Text, "key") else how)
        elif hasattr(row, field):
            found[field] = get
        elif hint is _inner(hint):
            found[field] = partial(_read, hint)
    return found


def _text(name: str, key: Callable[[Any], str | None], args: Callable[[Any], Any], row: msgspec.Struct) -> Text | None:
    told, named = getattr(row, name), key(row)
    if told is None:
        return None
    if named is None:  # of a document that somebody else wrote: the sentence is all there is
        return Text("known.words", {"en": told, "zh": told})
    return Text(_key(named), _sized(args(row)))


def _key(name: str) -> str:
    return FORMER_KEYS.get(name, name)


def _reader(hint: Any, wanted: Any) -> Callable[[Any], Any] | None:
    """Return how a value is read of which a row declares this, and the model wants that; None: as it is."""
    inner = _inner(wanted)
    if inner and get_origin(hint) is list:
        return lambda value: tuple(_read(inner, one) for one in value)
    if inner:
        return lambda value: value and _read(inner, value)
    if _holds(hint, int):
        return _sized
    if _holds(hint, float) and not _holds(wanted, NoneType):  # JSON has null for what is no number
        return _ratios
    return tuple if get_origin(hint) is list else None


def _sized(value: Any) -> Any:
    """Return a number, or what holds numbers, each of a size that can be."""
    if isinstance(value, list):
        return tuple(_sized(one) for one in value)
    if isinstance(value, dict):
        return {name: _sized(one) for name, one in value.items()}
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise _TooLarge
    return value


def _ratios(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _ratios(one) for name, one in value.items()}
    return math.nan if value is None else value


class _TooLarge(ValueError):
    """A number that can be none of a diagnosis."""


def _place(value: Any, path: str = "$") -> str | None:
    """Return where the first number stands that is too large."""
    if isinstance(value, int):
        return path if abs(value) > _LARGEST else None
    parts: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        parts = ((f"{path}.{name}", one) for name, one in value.items())
    elif isinstance(value, list):
        parts = ((f"{path}[{at}]", one) for at, one in enumerate(value))
    return next((found for at, one in parts if (found := _place(one, at))), None)
