"""The words of a diagnosis: Text -> one sentence, English or Chinese.

Templates are those of str.format; three specs are ours: {x:bytes} is 41.0 KiB, {x:span} of seconds is 3 h 20 min,
{x:#goroutine} counts in English: 1 goroutine, 103 goroutines. An area is a module and one line in _AREAS.
"""

from string import Formatter
from typing import Any

from oakum.model import Text
from oakum.report.words import (
    cause_channels,
    cause_heap,
    cause_locks,
    cause_network,
    cause_waits,
    cause_workers,
    common,
    fixes,
    gaps,
    goroutines,
    heap,
    known,
    locks,
    mechanisms,
    memory,
    numbers,
    roles,
    scan,
    upstream,
)

_AREAS = (
    common, fixes, mechanisms, gaps, goroutines, locks, heap, memory, numbers, roles, cause_channels, cause_heap,
    cause_locks, cause_network, cause_waits, cause_workers, scan, known, upstream,
)  # fmt: skip
LANGUAGES = ("en", "zh")
WORDS: dict[str, tuple[str, str]] = {key: words for area in _AREAS for key, words in area.WORDS.items()}

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def size(count: float) -> str:
    """Return a number of bytes as people read it: 41.0 KiB."""
    amount, unit = abs(float(count)), 0
    while amount >= 1023.95 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    sign = "-" if count < 0 else ""
    return f"{sign}{amount:.0f} B" if unit == 0 else f"{sign}{amount:.1f} {_UNITS[unit]}"


def span(seconds: float) -> str:
    """Return a length of time in its two largest units: 3 h 20 min."""
    left = round(max(0.0, float(seconds)))
    parts: list[str] = []
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        if (count := left // length) or (unit == "s" and not parts):
            parts.append(f"{count:,} {unit}")
        elif parts:
            break
        left -= count * length
        if len(parts) == 2:
            break
    return " ".join(parts)


class _Words(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, tuple):
            return ", ".join(f"{one:,}" for one in value)
        if format_spec == "bytes":
            return size(value)
        if format_spec == "span":
            return span(value)
        if format_spec.startswith("#"):
            noun = format_spec[1:]
            return f"{value:,} {noun}" if value == 1 else f"{value:,} {_plural(noun)}"
        return str(super().format_field(value, format_spec))


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


_FORMAT = _Words()


def say(text: Text, lang: str = "en") -> str:
    """Return the sentence. A key of another version, or arguments that do not fit, are shown as they are."""
    words = WORDS.get(text.key)
    try:
        return _FORMAT.vformat(words[LANGUAGES.index(lang)], (), dict(text.args)) if words else _bare(text)
    except (KeyError, IndexError, ValueError, TypeError):
        return _bare(text)


def word(key: str, lang: str = "en", **args: str | int | float) -> str:
    """Return a label or a sentence of the report itself."""
    return say(Text(key, args), lang)


def _bare(text: Text) -> str:
    told = ", ".join(f"{name}={value}" for name, value in text.args.items())
    return f"{text.key} ({told})" if told else text.key


__all__ = ["LANGUAGES", "WORDS", "say", "size", "span", "word"]
