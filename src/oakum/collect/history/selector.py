"""Selectors: {job="kubelet",instance=~"n.*"} or job=kubelet,instance=n7 -> matchers, and how a query spells them."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

# job="kubelet"   instance=~"n.*"   job=kubelet
_MATCHER = re.compile(
    r"""\s*([a-zA-Z_][a-zA-Z0-9_.]*)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*"|'[^'\\]*'|[^,"'{}]*?)\s*(?:,|$)"""
)
_ESCAPE = re.compile(r"\\(.)")
_LONGEST = 4000
_MEANS = {"n": "\n", "t": "\t"}


class Selector(Struct, frozen=True):
    """What a label has to be: name, = or != or =~ or !~, value; all of them."""

    matchers: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        return "{" + self.inner() + "}"

    def inner(self) -> str:
        """Return it as a query spells it between the braces."""
        return ",".join(f"{name}{how}{quoted(value)}" for name, how, value in self.matchers)

    def also(self, *more: tuple[str, str, str]) -> "Selector":
        return Selector((*more, *self.matchers))


def selector(text: str) -> Selector:
    """Return what a text selects; raise ValueError in words."""
    inner = text.strip()
    if len(inner) > _LONGEST:
        raise ValueError(f"match= is longer than {_LONGEST} characters")
    if inner.startswith("{") != inner.endswith("}"):
        raise ValueError(f"match={inner[:100]} has one brace too few")
    inner = inner.removeprefix("{").removesuffix("}").strip()
    found, at = [], 0
    while at < len(inner):
        one = _MATCHER.match(inner, at)
        if not one or not one[3]:
            raise ValueError(f"match={text.strip()[:100]} cannot be read at {inner[at : at + 40]!r}; is it quoted?")
        found.append((one[1], one[2], _value(one[3])))
        at = one.end()
    if not found:
        raise ValueError("match= selects everything")
    return Selector(tuple(found))


def exactly(labels: Mapping[str, str], names: Iterable[str]) -> Selector:
    return Selector(tuple((name, "=", labels[name]) for name in names if labels.get(name)))


def quoted(value: str) -> str:
    """Return a value as queries quote it."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _value(raw: str) -> str:
    if raw[:1] == '"':
        return _ESCAPE.sub(lambda escape: _MEANS.get(escape[1], escape[1]), raw[1:-1])
    return raw[1:-1] if raw[:1] == "'" else raw
