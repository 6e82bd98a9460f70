"""The JSON document of a diagnosis -> its findings again, as far as their source is shown from them.

Comes in: any JSON, also one that only claims to be a diagnosis. What is not as json.py writes it raises Unreadable.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from oakum.model import (
    Build,
    Cause,
    CauseSite,
    Excerpt,
    Finding,
    Frame,
    Lead,
    Remedy,
    Site,
    Suspect,
    Text,
    Unreadable,
    Victim,
)
from oakum.report.json import SCHEMA

T = TypeVar("T")


def is_saved(document: object) -> bool:
    """Return whether the document says that it is a diagnosis, of any version."""
    return isinstance(document, dict) and str(document.get("schema", "")).startswith(SCHEMA.partition("/")[0] + "/")


def findings(document: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return the findings of a saved diagnosis."""
    return _each(document, "findings", _finding)


def builds(document: Mapping[str, Any]) -> tuple[Build, ...]:
    """Return the builds of the processes of a saved diagnosis, where they were known."""
    return tuple(one for one in _each(document, "processes", _build) if one)


def _each(document: Mapping[str, Any], name: str, read: Callable[[Mapping[str, Any]], T]) -> tuple[T, ...]:
    if document.get("schema") != SCHEMA:
        raise Unreadable(f"its schema is {str(document.get('schema'))[:60]}, and this version reads {SCHEMA}")
    try:
        return tuple(read(one) for one in document[name])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"it says that it is a diagnosis, but its {name} are not as one is written") from error


def _build(process: Mapping[str, Any]) -> Build | None:
    if (one := process["build"]) is None:
        return None
    modules = {_text(path): _text(version) for path, version in one["modules"].items()}
    return Build(_maybe(one["go"]), _maybe(one["path"]), _maybe(one["main"]), _maybe(one["version"]), modules)


def _finding(one: Mapping[str, Any]) -> Finding:
    suspect = Suspect(
        sites=tuple(
            Site(_word(s["role"]), _frame(s), _maybe(s["state"]), _count(s["count"]), _text(s["process"]))
            for s in one["sites"]
        ),
        mechanisms=(_text(one["mechanism"]),),
        evidence=(),
        victims=tuple(
            Victim(_frame(v), _maybe(v["state"]), _count(v["count"]) or 0, _word(v["because"]), _text(v["process"]))
            for v in one["victims"]
        ),
    )
    return Finding(
        id=_text(one["id"]),
        rank=_number(one["rank"]),
        mechanism=_text(one["mechanism"]),
        confidence=_word(one["confidence"]),
        title=_sentence(one),
        suspect=suspect,
        cause=_cause(one["cause"]) if one["cause"] else None,
        remedies=tuple(_remedy(r) for r in one["remedies"]),
        leads=tuple(_lead(lead) for lead in one.get("leads", ())),
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
    return Remedy(_word(one["kind"]), _sentence(one), _maybe(one["diff"]), risk, one["compiled"] is True or None)


def _lead(one: Mapping[str, Any]) -> Lead:
    names = tuple(_text(name) for name in one["functions"])
    release = (_text(one["module"]), _text(one["running"]), _text(one["changed"]))
    return Lead(*release, names, _text(one["diff"]), _text(one["last_alike"]), one["at_lines"] is True)


def _sentence(one: Mapping[str, Any]) -> Text:
    """Return a sentence; lists among its arguments were tuples of numbers."""
    args = {_text(name): tuple(value) if isinstance(value, list) else value for name, value in one["args"].items()}
    return Text(_text(one["key"]), args)


def _frame(one: Mapping[str, Any]) -> Frame:
    return Frame(_text(one["function"]), _text(one["file"]), _number(one["line"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _word(value: object) -> Any:
    """Return a word of a fixed vocabulary; one of a later version is shown as it is."""
    return _text(value)


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value


def _maybe(value: object) -> str | None:
    return None if value is None else _text(value)


def _count(value: object) -> int | None:
    return None if value is None else _number(value)


__all__ = ["builds", "findings", "is_saved"]
