"""The JSON document of a diagnosis -> the diagnosis again: json.document(diagnosis(one)) is the same document.

Comes in: any JSON, also one that only claims to be a diagnosis. What is not as json.py writes it raises Unreadable,
which names the part. Fields that older documents lack are empty.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar, get_args

from oakum.model import (
    Build,
    Cause,
    CauseSite,
    Evidence,
    Excerpt,
    Explained,
    Finding,
    Frame,
    Gap,
    Growth,
    InputRow,
    KnownMatch,
    Lead,
    Memory,
    MomentRow,
    PerEvent,
    Point,
    Problem,
    ProcessRow,
    Remedy,
    Site,
    Suspect,
    Text,
    Unreadable,
    Victim,
)
from oakum.model.diagnosis import Confidence, Diagnosis, Verdict
from oakum.report.advice import list_command
from oakum.report.json import SCHEMA
from oakum.report.words import WORDS, say

T = TypeVar("T")
N = TypeVar("N", int, float)

_LARGEST = 10**30  # no count, size or rate of a machine comes near; what is much larger makes arithmetic stumble
_BYTES = (
    "rss", "limit", "heap_live", "heap_dead", "heap_idle", "heap_released", "stacks", "runtime", "off_heap", "next_gc",
)  # fmt: skip


def is_saved(document: object) -> bool:
    """Return whether the document says that it is a diagnosis, of any version."""
    return isinstance(document, dict) and str(document.get("schema", "")).startswith(SCHEMA.partition("/")[0] + "/")


def diagnosis(document: Mapping[str, Any]) -> Diagnosis:
    """Return the diagnosis of which this is the document."""
    called = _each(document, "called", _text, needed=False)
    return Diagnosis(
        verdict=_part(document, "verdict", lambda one: _one_of(one, get_args(Verdict))),
        summary=_part(document, "summary", _sentence),
        processes=_each(document, "processes", _process),
        moments=_each(document, "moments", _moment),
        findings=_each(document, "findings", lambda one: _finding(one, called)),
        explained=_each(document, "explained", _explained),
        memory=_each(document, "memories", _memory, needed=False) or _part(document, "memory", _only_memory),
        gaps=_each(document, "gaps", _gap),
        inputs=_each(document, "inputs", _input),
        timeline=_each(document, "timeline", _point, needed=False),
        called=called,
        tool=_part(document, "tool", _text),
    )


def findings(document: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return the findings of a saved diagnosis."""
    called = _each(document, "called", _text, needed=False)
    return _each(document, "findings", lambda one: _finding(one, called))


def builds(document: Mapping[str, Any]) -> tuple[Build, ...]:
    """Return the builds of the processes of a saved diagnosis, where they were known."""
    return tuple(row.build for row in _each(document, "processes", _process) if row.build)


def _each(document: Mapping[str, Any], name: str, read: Callable[[Any], T], *, needed: bool = True) -> tuple[T, ...]:
    rows = _part(document, name, _list) if needed or name in document else []
    return tuple(_named(f"{name}[{at}]", row, read) for at, row in enumerate(rows))


def _part(document: Mapping[str, Any], name: str, read: Callable[[Any], T]) -> T:
    if document.get("schema") != SCHEMA:
        raise Unreadable(f"its schema is {str(document.get('schema'))[:60]}, and this version reads {SCHEMA}")
    if name not in document:
        raise Unreadable(f"it says that it is a diagnosis, but has no {name}")
    return _named(name, document[name], read)


def _named(place: str, value: Any, read: Callable[[Any], T]) -> T:
    """Return what is read; an error names the part in which something is wrong."""
    try:
        return read(value)
    except KeyError as error:
        raise Unreadable(f"it says that it is a diagnosis, but its {place} has no {str(error.args[0])[:40]}") from error
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        why = str(error)[:120]
        raise Unreadable(f"it says that it is a diagnosis, but its {place} is not as one is written: {why}") from error


def _process(one: Mapping[str, Any]) -> ProcessRow:
    return ProcessRow(_text(one["id"]), _text(one["name"]), _build(one["build"]), _text(one.get("address", "")))


def _build(one: Mapping[str, Any] | None) -> Build | None:
    if one is None:
        return None
    modules = {_text(path): _text(version) for path, version in one["modules"].items()}
    return Build(_maybe(one["go"]), _maybe(one["path"]), _maybe(one["main"]), _maybe(one["version"]), modules)


def _moment(one: Mapping[str, Any]) -> MomentRow:
    digests = tuple(_text(digest) for digest in _list(one["inputs"]))
    return MomentRow(_text(one["label"]), _text(one["process"]), _flag(one["baseline"]), _time(one["at"]), digests)


def _point(one: Mapping[str, Any]) -> Point:
    return Point(
        process=_text(one["process"]),
        at=_time(one["at"]),
        label=_text(one["label"]),
        baseline=_flag(one["baseline"]),
        captured=_flag(one["captured"]),
        totals={_text(name): _number(value) for name, value in one["totals"].items()},
        inputs=tuple(_text(digest) for digest in _list(one["inputs"])),
    )


def _input(one: Mapping[str, Any]) -> InputRow:
    problems = tuple(Problem(_text(p["key"]), _text(p["text"]), _text(p["where"])) for p in _list(one["problems"]))
    origin, kind, form, digest = (_text(one[name]) for name in ("origin", "kind", "format", "digest"))
    return InputRow(origin, kind, form, digest, _time(one["taken_at"]), problems)


def _finding(one: Mapping[str, Any], called: tuple[str, ...]) -> Finding:
    found = Finding(
        id=_text(one["id"]),
        rank=_number(one["rank"]),
        mechanism=_text(one["mechanism"]),
        confidence=_one_of(one["confidence"], get_args(Confidence)),
        title=_sentence(one),
        suspect=_suspect(one),
        cause=_cause(one["cause"]) if one["cause"] else None,
        known=tuple(_known(known) for known in _list(one["known"])),
        remedies=tuple(_remedy(remedy) for remedy in _list(one["remedies"])),
        leads=tuple(_lead(lead) for lead in one.get("leads", ())),
        commands=tuple(_text(command) for command in _list(one["commands"])),
    )
    # What is said where a finding has none of its own comes back from there: advice.py.
    if found.remedies == (Remedy("mitigate", Text(f"mechanism.{found.mechanism}.do")),):
        found = replace(found, remedies=())
    shows = list_command(found, called) if found.cause else ""
    return replace(found, commands=found.commands[1:]) if shows and found.commands[:1] == (shows,) else found


def _suspect(one: Mapping[str, Any]) -> Suspect:
    if not _list(one["sites"]):
        raise ValueError("it has no sites, and nothing is found nowhere")
    return Suspect(
        sites=tuple(_site(site) for site in _list(one["sites"])),
        mechanisms=(_text(one["mechanism"]),),
        evidence=tuple(_evidence(evidence) for evidence in _list(one["evidence"])),
        victims=tuple(
            Victim(_frame(v), _maybe(v["state"]), _number(v["count"]), _word(v["because"]), _text(v["process"]))
            for v in _list(one["victims"])
        ),
        path=tuple(_frame(frame) for frame in _list(one["path"])),
        growth=tuple(_growth(growth) for growth in _list(one["growth"])),
        share={_text(name): _ratio(share) for name, share in one["share"].items()},
    )


def _site(one: Mapping[str, Any]) -> Site:
    return Site(_word(one["role"]), _frame(one), _maybe(one["state"]), _count(one["count"]), _text(one["process"]))


def _growth(one: Mapping[str, Any]) -> Growth:
    event = one["per_event"]
    return Growth(
        measure=_word(one["measure"]),
        counts=tuple(_count(count) for count in _list(one["counts"])),
        per_hour=_measured(one["per_hour"]),
        per_event=PerEvent(_text(event["event"]), *(_ratio(event[name]) for name in ("value", "low", "high")))
        if event
        else None,
        against=_word(one["against"]),
    )


def _evidence(one: Mapping[str, Any]) -> Evidence:
    return Evidence(
        _text(one["kind"]), _sentence(one), _text(one["capture"]), _text(one["where"]), _text(one["excerpt"])
    )


def _known(one: Mapping[str, Any]) -> KnownMatch:
    return KnownMatch(
        id=_text(one["id"]),
        module=_text(one["module"]),
        found=_maybe(one["found"]),
        fixed=tuple(_text(version) for version in _list(one["fixed"])),
        upgrade_to=_maybe(one["upgrade_to"]),
        where=_word(one["where"]),
        affects_build=_word(one["affects_build"]),
        references=tuple(_text(reference) for reference in _list(one["references"])),
        summary=_sentence(one["summary"]) if one["summary"] else None,
        says=tuple(_sentence(sentence) for sentence in _list(one["says"])),
        reviewed=_flag(one["reviewed"]),
        fault=_word(one["fault"]),
    )


def _cause(one: Mapping[str, Any]) -> Cause:
    return Cause(
        because=tuple(_sentence(s) for s in one["says"]),
        sites=tuple(
            CauseSite(_word(s["role"]), _frame(s), _text(s["code"]), _text(s["process"])) for s in one["sites"]
        ),
        excerpts=tuple(
            Excerpt(
                _text(e["file"]),
                _number(e["first"]),
                tuple(_text(line) for line in e["lines"]),
                {int(line): _text(role) for line, role in e["marks"].items()},
            )
            for e in one["excerpts"]
        ),
        sources=tuple(_text(s) for s in one["sources"]),
    )


def _remedy(one: Mapping[str, Any]) -> Remedy:
    risk = _sentence({"key": one["risk_key"], "args": one["risk_args"]}) if one["risk"] else None
    kind = _one_of(one["kind"], ("upgrade", "patch", "mitigate"))
    return Remedy(kind, _sentence(one), _maybe(one["diff"]), risk, one["compiled"] is True or None)


def _lead(one: Mapping[str, Any]) -> Lead:
    names = tuple(_text(name) for name in one["functions"])
    release = (_text(one["module"]), _text(one["running"]), _text(one["changed"]))
    return Lead(*release, names, _text(one["diff"]), _text(one["last_alike"]), one["at_lines"] is True)


def _explained(one: Mapping[str, Any]) -> Explained:
    return Explained(_text(one["mechanism"]), _sentence(one), tuple(_site(site) for site in _list(one["sites"])))


def _memory(one: Mapping[str, Any]) -> Memory:
    return Memory(
        process=_text(one["process"]),
        **{name: _count(one[name]) for name in _BYTES},
        last_gc=_time(one["last_gc"]),
        full_in_seconds=_measured(one["full_in_seconds"]),
        says=tuple(_sentence(sentence) for sentence in _list(one["says"])),
    )


def _only_memory(one: Mapping[str, Any]) -> tuple[Memory, ...]:
    return (_memory(one),)


def _gap(one: Mapping[str, Any]) -> Gap:
    return Gap(_sentence(one), _why(one), _text(one["command"]))


def _why(one: Mapping[str, Any]) -> Text:
    """Return why a gap matters. Documents of 0.1 have its English words alone: mostly they are those of its key."""
    if "why_key" in one:
        return _sentence({"key": one["why_key"], "args": one["why_args"]})
    told, same = _text(one["why"]), Text(f"{_text(one['key'])}.why", _sentence(one).args)
    return same if same.key in WORDS and say(same) == told else Text("known.words", {"en": told, "zh": told})


def _sentence(one: Mapping[str, Any]) -> Text:
    return Text(_text(one["key"]), {_text(name): _argument(value) for name, value in one["args"].items()})


def _argument(value: object) -> Any:
    """Return what stands in a sentence: a word, a number, or numbers, which JSON has as a list."""
    if isinstance(value, list):
        return tuple(_float(one) if isinstance(one, float) else _number(one) for one in value)
    if value is None or isinstance(value, str | bool):
        return value
    return _float(value) if isinstance(value, float) else _number(value)


def _frame(one: Mapping[str, Any]) -> Frame:
    return Frame(_text(one["function"]), _text(one["file"]), _number(one["line"]))


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"a list is expected, not {_called(value)}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text is expected, not {_called(value)}")
    return value


def _word(value: object) -> Any:
    """Return a word of a fixed vocabulary; one of a later version is shown as it is."""
    return _text(value)


def _one_of(value: object, words: tuple[str, ...]) -> Any:
    if value not in words:
        raise ValueError(f"one of {', '.join(words)} is expected, not {_called(value)}")
    return value


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"a whole number is expected, not {_called(value)}")
    return _sized(value)


def _sized(value: N) -> N:
    if abs(value) > _LARGEST:
        raise ValueError("a number is too large to be one of a diagnosis")
    return value


def _float(value: object) -> float:
    if not isinstance(value, float):
        return float(_number(value))
    if not math.isfinite(value):
        raise ValueError(f"a number is expected, not {value}")
    return _sized(value)


def _ratio(value: object) -> float:
    """Return a share or a rate; JSON has null for what is no number."""
    return math.nan if value is None else _float(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"true or false is expected, not {_called(value)}")
    return value


def _time(value: object) -> datetime | None:
    when = None if value is None else datetime.fromisoformat(_text(value))
    if when is not None and when.tzinfo is None:
        raise ValueError("a time without its zone")
    return when


def _maybe(value: object) -> str | None:
    return None if value is None else _text(value)


def _count(value: object) -> int | None:
    return None if value is None else _number(value)


def _measured(value: object) -> float | None:
    return None if value is None else _float(value)


def _called(value: object) -> str:
    kinds = {dict: "an object", list: "a list", type(None): "nothing", bool: "true or false", str: "a text"}
    return repr(value)[:40] if isinstance(value, str | float) else kinds.get(type(value), "a number")


__all__ = ["builds", "diagnosis", "findings", "is_saved"]
