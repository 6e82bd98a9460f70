"""Function names as pprof prints them: C++ names without arguments and template parameters.

Go, Java, Python and JavaScript names stay as they are. Mangled names (_ZN...) are not decoded.
"""

import re
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from oakum.model import Profile, Strings
from oakum.model.profile import Bools

# ns::(anonymous namespace)::f(int)   ns::X::operator()(int): the parenthesis of the argument list is the last of these
_PARENTHESIS = re.compile(r"\(anonymous namespace\)|operator\(\)|\(")


def plain_names(profile: Profile) -> Profile:
    """Return the profile with C++ names simplified where the producer gave no simpler name itself."""
    functions, strings = profile.functions, profile.strings
    # A function that has a second, different name was named by its producer.
    same = (functions.name == 0) | (functions.name == functions.system_name)
    rows = used_rows(functions.system_name[same], len(strings))
    rows = rows[_marked(strings)[rows]]
    changed = {row: text for row in rows.tolist() if (text := simplified(strings[row])) != strings[row]}
    if not changed and not (same & (functions.name != functions.system_name)).any():
        return profile
    new: dict[str, int] = {}
    of_row = np.arange(len(strings), dtype=np.int32)
    of_row[list(changed)] = [new.setdefault(text, len(strings) + len(new)) for text in changed.values()]
    name = np.where(same, of_row[functions.system_name], functions.name)
    table = Strings.of([*raw_texts(strings, np.arange(len(strings))), *new])
    return replace(profile, functions=replace(functions, name=name), strings=table)


def used_rows(rows: NDArray[Any], total: int) -> NDArray[np.intp]:
    """Return the distinct rows of a table of `total` rows, sorted."""
    # np.unique would load masked arrays for it, which takes 30 ms.
    used = np.zeros(total, np.bool_)
    used[rows] = True
    return np.flatnonzero(used)


def raw_texts(strings: Strings, rows: NDArray[Any]) -> list[bytes]:
    """Return many entries of a string table as bytes; at once, because asking one by one takes five times as long."""
    blob = bytes(strings.blob)
    starts, ends = strings.starts[rows].tolist(), strings.ends[rows].tolist()
    return [blob[start:end] for start, end in zip(starts, ends, strict=True)]


def _marked(strings: Strings) -> Bools:
    """Return which entries hold a character that only C++ and Rust names have; looks at the whole table at once."""
    text = np.frombuffer(strings.blob, np.uint8)
    marks = np.zeros(256, np.bool_)
    marks[list(b"<>[]")] = True
    hit = marks[text]
    hit[1:] |= (text[1:] == ord(":")) & (text[:-1] == ord(":"))
    hits = np.flatnonzero(hit)
    return np.searchsorted(hits, strings.starts) < np.searchsorted(hits, strings.ends)


def simplified(name: str) -> str:
    """Return a C++ name without arguments and template parameters, any other name as it is."""
    if ".<" in name or "])." in name:  # Java's class.<init>, Go's foo.(*Bar[...]).Method
        return name
    if not any(mark in name for mark in ("<", ">", "[", "]", "::")):
        return name
    return _without_pairs(_without_pairs(name, "(", ")"), "<", ">")


def _without_pairs(name: str, start: str, end: str) -> str:
    kept = []
    rest = first = nesting = 0
    for at, char in enumerate(name):
        if char == start:
            nesting += 1
            if nesting == 1:
                first = at
        elif char == end:
            nesting -= 1
            if nesting < 0:
                break  # operator->: from here on they do not pair
            if nesting == 0:
                kept.append(name[rest:first])
                rest = at + 1
    return "".join((*kept, name[rest:]))


def without_arguments(name: str) -> str:
    """Return the name up to its argument list, as drop_frames and -prune_from compare it."""
    name = name.removeprefix(".")
    at = next((found.start() for found in _PARENTHESIS.finditer(name) if found[0] == "("), len(name))
    return name[:at]
