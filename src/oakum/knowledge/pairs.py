"""What is acquired and has to be given back: AddEventHandler and RemoveEventHandler, NewTicker and Stop.

Comes in: pairs/*.toml, one pair a file, and functions as Go prints them. Goes out: the pair whose acquiring half a
function is. Whether the other half was called is for the caller to find out.
"""

import tomllib
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from msgspec import Struct

from oakum.knowledge.globs import glob, is_glob
from oakum.model import Frame, Mechanism, normal_function

_EXAMPLES = "\n[[example]]"


class Pair(Struct, frozen=True):
    """Two halves: what acquires, and what gives it back."""

    id: str
    summary: str
    area: str
    module: str
    acquire: tuple[str, ...]  # as `normal_function` gives them; a star stands for anything
    release: tuple[str, ...]  # as a person would write the call: "(*Ticker).Stop"
    mechanism: Mechanism  # what it is when the second half is never called
    generic: bool = False  # a name that many packages give to such a function: any other pair goes first


class Example(Struct, frozen=True):
    """A function as Go prints it, and whether it is the acquiring half."""

    matches: bool
    function: str


class Pairs:
    """All pairs, found by the function that acquires."""

    def __init__(self, entries: Iterable[Pair]) -> None:
        self.entries = tuple(entries)
        self._exact: dict[str, Pair] = {}
        self._globs: dict[str, list[tuple[Callable[[str], object], Pair]]] = {}  # by what follows the last dot
        for entry in sorted(self.entries, key=lambda entry: entry.generic):
            for pattern in entry.acquire:
                if is_glob(pattern):
                    self._globs.setdefault(pattern.rpartition(".")[2], []).append((glob(pattern), entry))
                else:
                    self._exact.setdefault(pattern, entry)
        self.match = lru_cache(maxsize=65536)(self._match)

    def _match(self, function: str) -> Pair | None:
        name = normal_function(function)
        if name in self._exact:
            return self._exact[name]
        for fits, entry in self._globs.get(name.rpartition(".")[2], ()):
            # A generic name in the standard library means something else there: encoding/gob.Register.
            if fits(name) and not (entry.generic and Frame(function).owner in ("stdlib", "runtime")):
                return entry
        return None


def _entry(text: str) -> Pair:
    table: dict[str, Any] = tomllib.loads(text.partition(_EXAMPLES)[0])
    acquire, release = tuple(table.pop("acquire")), tuple(table.pop("release"))
    return Pair(acquire=acquire, release=release, **table)


def _folder() -> Traversable:
    return files("oakum.knowledge") / "pairs"


@cache
def pairs() -> Pairs:
    paths = sorted((path for path in _folder().iterdir() if path.name.endswith(".toml")), key=lambda path: path.name)
    return Pairs(_entry(path.read_text(encoding="utf-8")) for path in paths)


def examples(entry: Pair) -> tuple[Example, ...]:
    """Return the examples of a pair: what it must match and what it must not."""
    text = (_folder() / f"{entry.id}.toml").read_text(encoding="utf-8")
    return tuple(Example(**example) for example in tomllib.loads(text)["example"])
