"""What is acquired and has to be given back: AddEventHandler and RemoveEventHandler, NewTicker and Stop.

Comes in: pairs/*.toml, one pair a file, and functions as Go prints them. Goes out: the pair whose acquiring half a
function is. Whether the other half was called is for the caller to find out.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from msgspec import Struct, convert

from oakum.knowledge.globs import glob, is_glob
from oakum.knowledge.written import Facts, names, texts, without_examples
from oakum.model import Frame, Mechanism, normal_function

# A line of its own: generic = true
_GENERIC = re.compile(r"^generic = true", re.MULTILINE)


class Pair(Struct, frozen=True, forbid_unknown_fields=True):
    """Two halves: what acquires, and what gives it back."""

    id: str
    summary: str
    area: str
    module: str
    acquire: tuple[str, ...]  # as `normal_function` gives them; a star stands for anything
    release: tuple[str, ...]  # as a person would write the call: "(*Ticker).Stop"
    mechanism: Mechanism  # what it is when the second half is never called
    waits: tuple[str, ...] = ()  # where a caller blocks until one is given back: "database/sql.(*DB).conn"
    generic: bool = False  # a name that many packages give to such a function: any other pair goes first


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """A function as Go prints it, and whether it is the acquiring half."""

    matches: bool
    function: str


class Pairs(Facts[Pair, Example]):
    """All pairs, found by the function that acquires; a file is taken apart when one of its functions is met."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(texts, lambda table: convert(table, Pair), Example)
        self._exact: dict[str, str] = {}
        self._globs: dict[str, list[tuple[str, str]]] = {}  # by what follows the last dot
        for id_ in sorted(texts, key=lambda id_: _GENERIC.search(without_examples(texts[id_])) is not None):
            for pattern in names(texts[id_], "acquire"):
                if is_glob(pattern):
                    self._globs.setdefault(pattern.rpartition(".")[2], []).append((pattern, id_))
                else:
                    self._exact.setdefault(pattern, id_)
        self._waits = frozenset(name for text in texts.values() for name in names(text, "waits"))
        self.match = lru_cache(maxsize=65536)(self._match)

    def waits_for_pool(self, function: str) -> bool:
        """Tell whether this function blocks until something is given back to a pool."""
        return function in self._waits

    def _match(self, function: str) -> Pair | None:
        name = normal_function(function)
        if name in self._exact:
            return self.entry(self._exact[name])
        for pattern, id_ in self._globs.get(name.rpartition(".")[2], ()):
            # A generic name in the standard library means something else there: encoding/gob.Register.
            if glob(pattern)(name) and not (self.entry(id_).generic and Frame(function).owner in ("stdlib", "runtime")):
                return self.entry(id_)
        return None


@cache
def pairs() -> Pairs:
    """Return all pairs that are known."""
    return Pairs(texts("pairs"))


def examples(entry: Pair) -> tuple[Example, ...]:
    """Return the examples of a pair: what it must match and what it must not."""
    return pairs().examples(entry.id)
