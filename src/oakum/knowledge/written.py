"""Facts as they are written: one TOML file each, read whole, and the names in it that a catalogue finds it by.

A catalogue has a hundred facts and a diagnosis needs a few: which, is asked of the text; only those are taken apart.
"""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

# What begins the examples, the last part of every file; only the tests and `oakum known show` read on.
_EXAMPLES = "\n[[example]]"
_HERE = str(Path(__file__).parent)
# An item of a list: "net/http.(*conn).serve"
_QUOTED = re.compile(r'"([^"\n]*)"')

Fact = TypeVar("Fact")
Example = TypeVar("Example")


class Facts(Generic[Fact, Example]):
    """The facts of one folder by their ids, each taken apart when it is first asked for."""

    def __init__(
        self, texts: Mapping[str, str], read: Callable[[dict[str, Any]], Fact], example: type[Example]
    ) -> None:
        self._texts = texts
        self._take_apart, self._example = read, example
        self._read: dict[str, Fact] = {}

    @cached_property
    def entries(self) -> tuple[Fact, ...]:
        """Return all facts, in the order of their ids."""
        return tuple(map(self.entry, self._texts))

    def entry(self, id_: str) -> Fact:
        """Return one fact; KeyError when there is none of that id."""
        if id_ not in self._read:
            self._read[id_] = self._take_apart(tomllib.loads(without_examples(self._texts[id_])))
        return self._read[id_]

    def examples(self, id_: str) -> tuple[Example, ...]:
        """Return the examples of a fact: what it must match and what it must not."""
        found = tomllib.loads(self._texts[id_]).get("example", ())
        return tuple(msgspec.convert(one, self._example) for one in found)


@lru_cache(maxsize=16)
def _list(key: str) -> "re.Pattern[str]":
    # functions = ["a.F", "b.G"], over several lines where there are many
    return re.compile(rf'^{key} = \[((?:\s*"[^"\n]*",?|\s*#[^\n]*)*)\s*\]', re.MULTILINE)


def texts(folder: str) -> dict[str, str]:
    """Return the text of every fact in a folder beside this file, by id, in their order."""
    home = os.path.join(_HERE, folder)  # noqa: PTH118 - no path object a file: they cost more than reading it
    found = sorted(name for name in os.listdir(home) if name.endswith(".toml"))  # noqa: PTH208
    return {name.removesuffix(".toml"): _text(f"{home}{os.sep}{name}") for name in found}


def _text(path: str) -> str:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        return file.read().decode().replace("\r\n", "\n")  # a checkout on Windows


def without_examples(text: str) -> str:
    """Return what a file says of its fact."""
    return text.partition(_EXAMPLES)[0]


def names(text: str, key: str) -> list[str]:
    """Return the names in a list of a fact, as the file gives them; none where it has no such list."""
    found = _list(key).search(without_examples(text))
    return _QUOTED.findall(found[1]) if found else []
