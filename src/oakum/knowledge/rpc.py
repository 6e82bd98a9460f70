"""Calls between processes by their stacks: who waits for an answer, who is to give it, and what both call the method.

Comes in: rpc/*.toml, one protocol a file, and a stack. Goes out: the `Call` that a goroutine waits for, or the `Served`
request that it handles; None where it does neither. Streams, which rest for as long as both ends like, are no calls.
"""

import re
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

from msgspec import Struct, convert

from oakum.knowledge.globs import glob
from oakum.knowledge.written import texts, without_examples
from oakum.model import Frame, Stack, normal_function

# {service} and {method} in a rule
_PART = re.compile(r"\\\{(service|method)\\\}")


class Protocol(Struct, frozen=True):
    """How goroutines of one protocol look, on both sides. Names are as `normal_function` gives them."""

    id: str
    summary: str
    waits: tuple[str, ...]  # one of them is on the stack of who waits for an answer
    through: tuple[str, ...] = ()  # and one of these, where there are some
    stubs: tuple[str, ...] = ()  # what generated clients are called: *.(*{service}Client).{method}
    served_by: tuple[str, ...] = ()  # one of them is on the stack of who handles a request, with other code inside
    answering: tuple[str, ...] = ()  # who stands in one of them has the answer, and waits to hand it over
    handlers: tuple[str, ...] = ()  # what generated handlers are called
    polls: tuple[str, ...] = ()  # methods that wait until something happens; "*": nothing names what is asked for
    over: str = ""  # the protocol that carries it
    broker: bool = False  # a third process stands between both
    server: str = ""  # what answers, where that is no Go process
    ask: str = ""  # the command that asks it what it does


class Call(Struct, frozen=True):
    """What a goroutine waits for. `frame`: the stub that it called, else the code that asked."""

    protocol: Protocol
    frame: Frame
    service: str = ""
    method: str = ""

    @property
    def may_poll(self) -> bool:
        """Tell whether it may be one that is answered when something happens: a long poll, a wait for an end."""
        return any(glob(pattern)(self.method) for pattern in self.protocol.polls)


class Served(Struct, frozen=True):
    """What a goroutine handles. `frame`: the generated handler, else the code nearest to the server's own."""

    protocol: Protocol
    frame: Frame
    service: str = ""
    method: str = ""


class Example(Struct, frozen=True):
    """A stack as it was printed, and what it is."""

    side: str
    dump: str
    method: str = ""  # "Orders.Place"
    function: str = ""
    matches: bool = True


class Rpc:
    """All protocols; one that is carried by another is asked before it."""

    def __init__(self, protocols: Iterable[Protocol]) -> None:
        self.protocols = tuple(sorted(protocols, key=lambda one: (not one.over, one.id)))
        self._waiting = lru_cache(maxsize=65536)(lambda name: self._named(name, "waits"))
        self._serving = lru_cache(maxsize=65536)(lambda name: self._named(name, "served_by"))

    def _named(self, name: str, key: str) -> tuple[Protocol, ...]:
        return tuple(one for one in self.protocols if any(glob(pattern)(name) for pattern in getattr(one, key)))

    def call_of(self, stack: Stack) -> Call | None:
        """Return the call that a goroutine with this stack waits for."""
        names = [normal_function(frame.function) for frame in stack.frames]
        for at, name in enumerate(names):
            for protocol in self._waiting(name):
                if not protocol.through or any(other in protocol.through for other in names[at:]):
                    return Call(protocol, *_named_in(protocol.stubs, stack.frames[at:], stack.frames[at:]))
        return None

    def served_by(self, stack: Stack) -> Served | None:
        """Return the request that a goroutine with this stack handles."""
        names = [normal_function(frame.function) for frame in stack.frames]
        found = [
            (at, one)
            for at, name in enumerate(names)
            for one in self._serving(name)
            if (at == 0 and name in one.answering) or _handles(stack.frames[:at], stack.frames[at].package)
        ]
        if not found:
            return None
        at, protocol = min(found, key=lambda one: (not one[1].over, one[0]))
        # From the entry towards the leaf; a generated handler may stand before the library that it calls.
        return Served(protocol, *_named_in(protocol.handlers, stack.frames[::-1], stack.frames[at::-1]))


def _handles(inner: tuple[Frame, ...], library: str) -> bool:
    """Tell whether a server's own code has called somebody else's: else it waits for its next request."""
    return any(frame.owner in ("own", "dependency") and frame.package != library for frame in inner)


def _named_in(rules: tuple[str, ...], frames: tuple[Frame, ...], inner: tuple[Frame, ...]) -> tuple[Frame, str, str]:
    """Return the first frame that a rule names, with service and method; else the first inner one of own code."""
    for frame in frames:
        name = normal_function(frame.function)
        for rule in rules:
            if fits := _rule(rule).match(name):
                parts = fits.groupdict()
                return frame, parts.get("service", ""), parts.get("method", "")
    by_owner = (frame for owner in ("own", "dependency", "stdlib") for frame in inner if frame.owner == owner)
    return next(by_owner, inner[0]), "", ""


@lru_cache(maxsize=64)
def _rule(rule: str) -> "re.Pattern[str]":
    """Return the expression of a rule; a star stands for a package, {service} and {method} for a name."""
    written = re.escape(rule).replace(r"\(\*", "(?#pointer)").replace(r"\*", r"[^()]{0,400}")
    written = written.replace("(?#pointer)", r"\(\*")
    return re.compile(_PART.sub(lambda part: rf"(?P<{part[1]}>[A-Za-z0-9_]{{1,200}}?)", written) + r"(?:\.func)?$")


def _protocol(text: str) -> Protocol:
    told: dict[str, Any] = tomllib.loads(without_examples(text))
    return convert(told, Protocol)


@cache
def rpc() -> Rpc:
    """Return all protocols that are known."""
    return Rpc(_protocol(text) for text in texts("rpc").values())


@cache
def examples() -> dict[str, tuple[Example, ...]]:
    """Return the examples of each protocol, by its id."""
    found = (tomllib.loads(text) for text in texts("rpc").values())
    return {one["id"]: tuple(Example(**example) for example in one.get("example", ())) for one in found}
