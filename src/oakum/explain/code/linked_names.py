"""Names of several packages in one: `replica.Set` of one file and `Set` of another, both as `replicaǃ3ǃSet`.

A linked name is an identifier that nobody writes, the same wherever it is used, and begins like its package: a small
letter, since whoever could use it is at hand.
"""

import re
from collections.abc import Mapping

_MARK = "ǃ"  # a letter to Go, and in nobody's names
# replicaǃ3ǃSet
_LINKED = re.compile(rf"([^\W{_MARK}]*){_MARK}(\d+){_MARK}")


def linked_name(clause: str, number: int, name: str) -> str:
    """Return the name that stands for one declared in a package of this number."""
    return f"{clause}{_MARK}{number}{_MARK}{name}"


def plain(written: str) -> str:
    """Return text as a reader knows it: `replica.Set`."""
    return _LINKED.sub(r"\1.", written) if _MARK in written else written


def bare_name(name: str) -> str:
    """Return a name as its own package declares it: `Set`."""
    return name.rpartition(_MARK)[2]


def written_in(text: str, prefixes: Mapping[int, str]) -> str:
    """Return text as a file writes it; `prefixes` says how it calls each package, "" itself."""
    return _LINKED.sub(lambda found: prefixes.get(int(found[2]), f"{found[1]}."), text) if _MARK in text else text
