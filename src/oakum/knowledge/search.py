"""Words -> the known bugs that they speak of: ids, modules, functions, sentences in both languages, references.

All words have to be found. Where nothing is, the names that come nearest.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cache

from oakum.knowledge.leaks import Leak, leaks
from oakum.knowledge.signature import bare

# https://github.com/kubernetes/kubernetes/pull/98653/files#diff-1   the address of a change, and what browsers add
_ADDRESS = re.compile(r"^https?://(?:www\.)?([^?#]+?)(?:/(?:files|commits|checks|changes))?/?(?:[?#].*)?$")
_SUGGESTED = 5
_LIKE = 0.6


def search(words: Sequence[str]) -> tuple[Leak, ...]:
    """Return the entries in which all words stand, those with a word in their id or module first."""
    wanted = [_plain(word) for word in words if word.strip()]
    found = [entry for entry in leaks().entries if all(word in _text(entry.id) for word in wanted)]
    return tuple(sorted(found, key=lambda entry: -sum(word in _named(entry) for word in wanted)))


def near(words: Sequence[str]) -> tuple[str, ...]:
    """Return ids, projects, modules and functions that are spelled much like the words, and are found."""
    names = [name for entry in leaks().entries for name in _names(entry)]
    by_name = {name.lower(): name for name in names}
    found: dict[str, None] = {}
    for word in words:
        for one in get_close_matches(_plain(word), by_name, _SUGGESTED, _LIKE):
            found[by_name[one]] = None
    return tuple(found)[:_SUGGESTED]


def _plain(word: str) -> str:
    address = _ADDRESS.match(word)
    return (address[1] if address else word.removeprefix("#")).lower()


def _names(entry: Leak) -> Iterable[str]:
    yield entry.id
    yield entry.project
    for one in entry.affects:
        yield one.module
        yield one.module.rpartition("/")[2]
    for signature in (*entry.goroutines, *entry.heap):
        yield from (bare(name) for name in signature.functions)


def _named(entry: Leak) -> str:
    return " ".join((entry.id, *(one.module for one in entry.affects))).lower()


@cache
def _text(id_: str) -> str:
    entry = leaks().entry(id_)
    parts = [entry.id, entry.mechanism, *entry.references, *(one.module for one in entry.affects)]
    for signature in (*entry.goroutines, *entry.heap):
        parts += [*signature.functions, *(bare(name) for name in signature.functions)]
    for words in (entry.summary, entry.trigger, entry.cause, entry.fix, *entry.workarounds):
        parts += words.values()
    return "\n".join(parts).lower()
