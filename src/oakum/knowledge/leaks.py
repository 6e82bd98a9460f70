"""Leaks that upstream knows: what each looks like in a profile, which versions have it, what to do about it.

Comes in: leaks/*.toml, one leak a file (its format: docs/knowledge.md), and stacks. Goes out: the entries whose
signature a stack has. Whether it grows, and which version runs, is for the caller to find out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from msgspec import Struct, convert, field

from oakum.knowledge.affected import Affected
from oakum.knowledge.signature import Hit, Index, Signature
from oakum.knowledge.written import Facts, texts, without_examples
from oakum.model import Frame
from oakum.model.vocabulary import Mechanism
from oakum.regex import regex

# [[goroutine]] and what follows it, up to the next table
_SIGNATURES = regex(r"^\[\[(goroutine|heap)\]\][^\n]*$(.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
# leaf = ["a.F", "b.G"]   or, where there is none,   path = ["a.F", ...]   path = [["a.F", "b.G"], ...]
_LEAF = regex(r"^leaf = \[([^\]]*)\]", re.MULTILINE)
_PATH = regex(r"^path = \[\s*(?:\[([^\]]*)\]|(\"[^\"]*\"))", re.MULTILINE)
_QUOTED = regex(r'"([^"\n]+)"')

Words = Mapping[str, str]  # language -> sentence


class Reproducer(Struct, frozen=True, forbid_unknown_fields=True):
    """What a test needs to trigger the bug: Go, of which nothing has been run. Either a call of the library's exported
    functions, or values for what functions of the program ask for."""

    function: str = ""  # that is called, as a reader writes it
    call: str = ""
    values: dict[str, str] = field(default_factory=dict)  # by type: what a call of the program gets
    setup: tuple[str, ...] = ()
    fakes: tuple[str, ...] = ()  # declarations of types fakeX
    imports: dict[str, str] = field(default_factory=dict)  # by the name that the code has for each
    recovers: bool = False


class Leak(Struct, frozen=True, forbid_unknown_fields=True):
    """One bug that upstream knows, or one use of a library that always leaks."""

    id: str  # project-number of the issue or change, as the project counts them
    mechanism: Mechanism
    reviewed: bool  # signature read in the source of an affected version, versions in the releases
    fault: Literal["library", "usage"]  # usage: no release fixes it, whoever calls it has to
    summary: Words
    trigger: Words
    cause: Words
    fix: Words  # what upstream did, or what a caller has to do
    affects: tuple[Affected, ...]
    references: tuple[str, ...]
    goroutines: tuple[Signature, ...] = ()
    heap: tuple[Signature, ...] = ()
    risk: Words = field(default_factory=dict)  # what the fix costs
    workarounds: tuple[Words, ...] = ()  # best first
    reproducers: tuple[Reproducer, ...] = ()

    @property
    def modules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.module for one in self.affects))

    @property
    def project(self) -> str:
        return self.id.rpartition("-")[0]


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """A stack, and whether it has the entry's signature."""

    matches: bool
    dump: str = ""  # one goroutine as debug=2 prints it
    heap: str = ""  # the functions of an allocation, leaf first, one a line


class Leaks(Facts[Leak, Example]):
    """The catalogue. A file is taken apart only when a stack has a function that it begins with, or it is asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(texts, leak, Example)
        self._index = {"goroutine": Index(), "heap": Index()}
        for id_, text in texts.items():
            for kind, body in _SIGNATURES.findall(without_examples(text)):
                self._index[kind].add(id_, first_functions(body))

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._texts)

    def text(self, id_: str) -> str:
        return self._texts[id_]

    def waiting(self, frames: Sequence[Frame], state: str | None, created: Frame | None) -> tuple[Hit[Leak], ...]:
        """Return the entries that goroutines with this stack (leaf first) look like, the surest first."""
        return _surest(
            hit
            for entry in self._candidates("goroutine", frames)
            for signature in entry.goroutines
            if (hit := signature.waiting(entry, entry.modules, frames, state, created))
        )

    def allocating(self, frames: Sequence[Frame]) -> tuple[Hit[Leak], ...]:
        """Return the entries that memory allocated by this stack (leaf first) looks like, the surest first."""
        return _surest(
            hit
            for entry in self._candidates("heap", frames)
            for signature in entry.heap
            if (hit := signature.allocating(entry, entry.modules, frames))
        )

    def allocates(self, function: str) -> bool:
        """Tell whether a signature of memory begins with this function: else no stack of it need be looked at."""
        return bool(self._index["heap"].get(function))

    def _candidates(self, kind: str, frames: Sequence[Frame]) -> Iterable[Leak]:
        index = self._index[kind]
        found: dict[str, None] = {}
        for frame in frames:
            found |= index.get(frame.function, frame.file)
        return (self.entry(id_) for id_ in found)


def first_functions(body: str) -> list[str]:
    """Return the functions that a signature begins with: its leaf, else the first of its path."""
    if leaf := _LEAF.search(body):
        return _QUOTED.findall(leaf[1])
    path = _PATH.search(body)
    return _QUOTED.findall(path[1] or path[2]) if path else []


def _surest(hits: Iterable[Hit[Leak]]) -> tuple[Hit[Leak], ...]:
    """Return one hit an entry, the best of its signatures, the surest entry first."""
    best: dict[str, Hit[Leak]] = {}
    for hit in hits:
        if hit.entry.id not in best or hit.order < best[hit.entry.id].order:
            best[hit.entry.id] = hit
    return tuple(sorted(best.values(), key=lambda hit: (hit.order, not hit.entry.reviewed, hit.entry.id)))


def leak(table: dict[str, Any]) -> Leak:
    """Return the entry that a file holds."""
    spoken: dict[str, Any] = {"summary": {}, "trigger": {}, "cause": {}, "fix": {}, "risk": {}}
    for language in ("en", "zh"):
        for part, sentence in table.pop(language, {}).items():
            spoken[part][language] = sentence
    several = {"goroutines": "goroutine", "workarounds": "workaround", "reproducers": "reproducer"}
    named = {name: table.pop(one, ()) for name, one in several.items()}
    return convert(table | spoken | named, Leak)


@cache
def leaks() -> Leaks:
    """Return the catalogue of known bugs."""
    return Leaks(texts("leaks"))
