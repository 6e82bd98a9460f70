"""Facts as they are written: one TOML file each, read whole, and the names in it that a catalogue finds it by.

A catalogue has a hundred facts and a diagnosis needs a few: which, is asked of the text; only those are taken apart.
"""

import os
import re
from functools import lru_cache
from pathlib import Path

# What begins the examples, the last part of every file; only the tests and `oakum known show` read on.
_EXAMPLES = "\n[[example]]"
_HERE = str(Path(__file__).parent)
# An item of a list: "net/http.(*conn).serve"
_QUOTED = re.compile(r'"([^"\n]*)"')


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
