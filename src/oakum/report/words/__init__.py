"""The words of a diagnosis: Text -> one sentence, English or Chinese.

Templates are those of str.format; six specs are ours: {x:bytes} is 41.0 KiB, {x:span} of seconds is 3 h 20 min
(3 小时 20 分钟), {x:#goroutine} counts: 1 goroutine, 103 goroutines, {x:phrase} is a phrase of ours in Chinese,
{x:said} a noun of words/problems.py, {x:unit} and {x:units} what one unit of work is. An area is a module
and one line in _AREAS.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from string import Formatter
from typing import Any

from oakum.model import Text
from oakum.model.names import calls_nobody
from oakum.report.words import (
    assemble,
    cause_channels,
    cause_heap,
    cause_locks,
    cause_network,
    cause_waits,
    cause_workers,
    chains,
    common,
    controls,
    dry_run,
    experiment,
    fixes,
    fleet,
    gaps,
    goroutines,
    heap,
    history,
    holders,
    incident,
    incident_lessons,
    known,
    locks,
    mechanisms,
    memory,
    notify,
    numbers,
    page,
    problems,
    problems_capture,
    problems_code,
    progress,
    proof,
    recheck,
    roles,
    scan,
    serve,
    serve_pages,
    signals,
    source,
    store,
    targets,
    tested,
    upstream,
    verify,
    watch_events,
    web,
)
from oakum.report.words.phrases import in_chinese

_AREAS = (
    common, fixes, mechanisms, gaps, goroutines, locks, heap, history, memory, numbers, page, roles, cause_channels,
    cause_heap, cause_locks, cause_network, cause_waits, cause_workers, chains, scan, known, upstream, controls,
    dry_run, incident, incident_lessons, recheck, assemble, problems, problems_capture, problems_code, progress, proof,
    signals, source, store, targets, tested, web, experiment, verify, watch_events, notify, serve,
    serve_pages, holders, fleet,
)  # fmt: skip
LANGUAGES = ("en", "zh")
WORDS: dict[str, tuple[str, str]] = {key: words for area in _AREAS for key, words in area.WORDS.items()}

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_LENGTHS = (86400, 3600, 60, 1)
_TIMES = {"en": ("d", "h", "min", "s"), "zh": ("天", "小时", "分钟", "秒")}


def size(count: float) -> str:
    """Return a number of bytes as people read it: 41.0 KiB."""
    amount, unit = abs(float(count)), 0
    while amount >= 1023.95 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    sign = "-" if count < 0 else ""
    return f"{sign}{amount:.0f} B" if unit == 0 else f"{sign}{amount:.1f} {_UNITS[unit]}"


def span(seconds: float, lang: str = "en") -> str:
    """Return a length of time in its two largest units: 3 h 20 min."""
    left = round(max(0.0, float(seconds)))
    parts: list[str] = []
    for unit, length in zip(_TIMES[lang], _LENGTHS, strict=True):
        if (count := left // length) or (length == 1 and not parts):
            parts.append(f"{count:,} {unit}")
        elif parts:
            break
        left -= count * length
        if len(parts) == 2:
            break
    return " ".join(parts)


# {x:who}, {x:Who}: the name of a process; one that is only a file's or a number is no name in a sentence.
_UNNAMED = {"who": ("the process", _HE := "该进程"), "Who": ("The process", _HE)}


@lru_cache(maxsize=8192)
def _parts(template: str) -> tuple[tuple[str, str | None, str], ...] | None:
    """Return the parts of a template: text, the argument behind it, its format; None if it has more than names."""
    parts = [*Formatter().parse(template)]
    if any(name is not None and (how or not name.isidentifier() or "{" in str(spec)) for _, name, spec, how in parts):
        return None
    return tuple((before, name, spec or "") for before, name, spec, _ in parts)


class _Words(Formatter):
    def __init__(self, lang: str) -> None:
        self.lang = lang

    def filled(self, template: str, args: Mapping[str, Any]) -> str:
        """Return what `vformat` does; a template is taken apart once."""
        parts = _parts(template)
        if parts is None:
            return self.vformat(template, (), dict(args))
        return "".join(
            [before if name is None else before + self.format_field(args[name], how) for before, name, how in parts]
        )

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Text):
            return say(value, self.lang)
        if isinstance(value, tuple):
            return ("、" if self.lang == "zh" else ", ").join(f"{one:,}" for one in value)
        if format_spec == "bytes":
            return size(value)
        if format_spec == "span":
            return span(value, self.lang)
        if format_spec == "phrase":
            return in_chinese(str(value)) if self.lang == "zh" else str(value)
        if format_spec in ("unit", "units"):
            one, several, chinese = experiment.UNITS.get(str(value), (str(value),) * 3)
            return chinese if self.lang == "zh" else several if format_spec == "units" else one
        if format_spec in _UNNAMED:
            return _UNNAMED[format_spec][self.lang == "zh"] if calls_nobody(str(value)) else str(value)
        if format_spec == "said":
            return problems.NOUNS.get(str(value), str(value)) if self.lang == "zh" else str(value)
        if format_spec.startswith("#"):
            noun = format_spec[1:]
            return f"{value:,} {noun}" if value == 1 else f"{value:,} {_plural(noun)}"
        return str(super().format_field(value, format_spec))


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


_FORMATS = {lang: _Words(lang) for lang in LANGUAGES}


def say(text: Text, lang: str = "en") -> str:
    """Return the sentence. A key of another version, or arguments that do not fit, are shown as they are."""
    words = WORDS.get(text.key, ())
    for at in dict.fromkeys((LANGUAGES.index(lang), 0)):  # one stored before its words were Chinese has the English
        with suppress(KeyError, IndexError, ValueError, TypeError):
            told = _FORMATS[LANGUAGES[at]].filled(words[at], text.args)
            return told.replace(f" {_HE}", _HE).replace(f"{_HE} ", _HE)  # spaces are for Latin names
    return _bare(text)


def word(key: str, lang: str = "en", **args: str | int | float) -> str:
    """Return a label or a sentence of the report itself."""
    return say(Text(key, args), lang)


def _bare(text: Text) -> str:
    told = ", ".join(f"{name}={value}" for name, value in text.args.items())
    return f"{text.key} ({told})" if told else text.key


__all__ = ["LANGUAGES", "WORDS", "say", "size", "span", "word"]
