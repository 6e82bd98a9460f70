"""A suspect in its source -> the ways to call it in a test: who is called, on what, with what, and how it is watched.

The function that starts what stays, those on its stack, those whose lines are the cause, then who calls them. Each is
called on an object made as the program makes it; arguments, peers and contexts are varied one at a time.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from oakum.explain.code.nouns import Func
from oakum.explain.code.program import Program
from oakum.explain.code.syntax import text
from oakum.explain.reproducers.gotest import Behaviour, Way
from oakum.explain.reproducers.tree import Named, Tree, imports
from oakum.explain.reproducers.values import Maker, words_of
from oakum.explain.reproducers.wiring import Wiring
from oakum.knowledge.leaks import Reproducer, leaks
from oakum.model import Frame, Mechanism, Suspect
from oakum.model.frame import split_function

_MOST = 48  # drafts of one finding: each is compiled and run
_MOST_ENTRIES = 8
_HIGHEST = 3  # callers above a function
_MOST_WIRINGS = 400  # functions looked through for an object
# Names of functions come from captures, and go into code that is run: (*Desk).Quote.func1, fan.Map[...]
_PLAIN = re.compile(r"[\w.()*/\[\]@~+-]{0,400}")
# Which servers make code leak so; the likeliest first.
_PEERS: dict[Mechanism, tuple[Behaviour, ...]] = {
    "unclosed-body": ("refusing", "odd", "slow"),
    "peer-stopped-reading": ("unread", "silent"),
    "missing-deadline": ("silent", "half", "unread"),
    "lock-held-while-waiting": ("silent", "half"),
}
_OTHER_PEERS: tuple[Behaviour, ...] = ("slow", "silent", "refusing", "odd")


def ways(suspect: Suspect, program: Program) -> list[Way]:
    """Return the ways to trigger a suspect, the likeliest first."""
    tree = Tree(program)
    watch, place = _watch(suspect, tree)
    if not _PLAIN.fullmatch(place):
        return []
    known = [
        one for match in suspect.known[:1] if match.id in leaks().ids for one in leaks().entry(match.id).reproducers
    ]
    found: list[tuple[int, int, Way]] = [(-1, 0, way) for one in known for way in _of_library(one, tree)]
    for at, func in enumerate(_entries(suspect, tree)):
        for level, way in _of_entry(func, tree, suspect.mechanisms[0]):
            found.append((level, at, way))
            found += [(level - 1, at, given) for one in known if (given := _given(way, one)) is not None]
    found.sort(key=lambda one: one[:2])
    return [replace(way, watch=watch, place=place.rpartition("/")[2]) for _, _, way in found[:_MOST]]


def _of_library(made: Reproducer, tree: Tree) -> Iterator[Way]:
    """Yield the call that the catalogue knows, in a package of the program that uses the library itself."""
    packages = [one for one in tree.packages if set(made.imports.values()) & set(imports(one).values())]
    for package in packages[:1] if made.call else ():
        beside = package.files[0].source.path
        way = Way(made.function, package.clause, beside, made.call, made.setup, made.imports, made.fakes)
        yield replace(way, recovers=made.recovers)


def _given(way: Way, made: Reproducer) -> Way | None:
    """Return a way with the values that the catalogue has in place of those that are none; None where it has none."""
    texts, used = [way.call, *way.setup], False
    for type_, value in made.values.items():
        used = used or any(f"*new({type_})" in one for one in texts)
        texts = [one.replace(f"*new({type_})", value) for one in texts]
    if not used:
        return None
    return replace(way, call=texts[0], setup=(*made.setup, *texts[1:]), imports={**way.imports, **made.imports})


def _watch(suspect: Suspect, tree: Tree) -> tuple[str, str]:
    """Return which line of a stack shows that a goroutine stayed, and the function that it stays in."""
    if suspect.wait is None:
        return "", ""
    trace = suspect.traces[0] if suspect.traces else None
    place = next((frame for frame in trace.frames if tree.func(frame)), None) if trace else None
    place = place or suspect.sites[0].frame
    if (
        trace
        and trace.created
        and _PLAIN.fullmatch(trace.created.function)
        and (started := tree.func(trace.created))
        and started.name not in ("main", "init")
    ):
        return rf"(?m)^created by \S*\.{re.escape(_short(trace.created))}(?:\.|\s|$)", place.function
    name = re.escape(_short(place) if tree.func(place) else place.function)
    return rf"(?m)^\S*{name}(?:\.\S*)?\(", place.function


def _short(frame: Frame) -> str:
    """Return the function of a frame without its package, of a literal the function around it: (*Desk).Quote."""
    _, receiver, name = split_function(frame.function)
    pointer = f"({receiver})" if receiver.startswith("*") else receiver
    return f"{pointer}.{name.partition('.')[0]}" if receiver else name.partition(".")[0]


def _entries(suspect: Suspect, tree: Tree) -> list[Func]:
    """Return the functions to call, nearest to the leak first."""
    frames: list[Frame | None] = []
    for trace in (*suspect.traces[:3], *suspect.allocations[:2]):
        frames += [trace.created, *trace.frames]
    frames += [site.frame for site in (suspect.cause.sites if suspect.cause else ())]
    frames += [site.frame for site in suspect.sites]
    found: dict[Func, None] = {}
    for frame in frames:
        if frame is not None and (func := tree.func(frame)) is not None:
            found[func] = None
    near = list(found)
    for _ in range(_HIGHEST):
        near = [op.func.top for func in near for op in func.package.callers.get(func, ())]
        found |= dict.fromkeys(near)
    return [func for func in found if func.name not in ("main", "init")][:_MOST_ENTRIES]


def _of_entry(func: Func, tree: Tree, mechanism: Mechanism) -> Iterator[tuple[int, Way]]:
    """Yield the ways to call one function, and how far each is from the plainest."""
    with_background: list[str] | None = None
    for background in (True, False):
        made = _object(func, tree)
        if made is None:
            return
        maker, subject = made
        choices = [maker.values(param.type, param.name) for param in func.params if not param.variadic]
        if not all(choices):
            return
        setup = _setup(maker, background=background)
        if setup is None:
            return
        if not background and setup == with_background:
            return
        with_background = setup
        base = Way(
            function=f"{'(*' + func.receiver + ')' if func.pointer else func.receiver}.{func.name}".lstrip("."),
            package=maker.package.clause,
            beside=maker.package.files[0].source.path,
            call="",
            setup=tuple(setup),
            imports={**maker.imports, **(maker.wiring.imports if maker.wiring else {})},
            fakes=tuple(maker.fakes.values()),
            holder=subject,
            recovers=any("net/http" in imports(package).values() for package in tree.packages),
        )
        alias = tree.alias(maker.package, func.package) or ""
        answer = _answered(func, maker)
        called = f"{subject}.{func.name}" if func.receiver else f"{alias}.{func.name}".lstrip(".")
        for level, given in _varied(choices):
            way = replace(base, call=f"{called}({', '.join(given)}){answer}")
            yield from ((level + more + (not background), one) for more, one in _around(way, mechanism))
            if background and not level and (requests := maker.wiring.requests() if maker.wiring else []):
                yield 2, replace(next(_around(way, mechanism))[1], setup=(*way.setup, *requests))


def _answered(func: Func, maker: Maker) -> str:
    """Return how a handler that a function returns is called."""
    if func.results[:1] not in (["http.HandlerFunc"], ["http.Handler"]):
        return ""
    return f".ServeHTTP({maker.first('http.ResponseWriter')}, {maker.first('*http.Request')})"


def _object(func: Func, tree: Tree) -> tuple[Maker, str] | None:
    """Return what makes values where a test of the function goes, and the object that it is a method of."""
    words, paths = words_of(_reached(func), tree), _routes(func, tree)
    if not func.receiver:
        return Maker(tree, func.package, words=words, paths=paths), ""
    wanted = Named(func.package, func.receiver)
    for one in _wirings(tree, func):
        if one.package is not func.package and not func.name[:1].isupper():
            continue
        wiring = Wiring(tree, one)
        if (path := wiring.reach(wanted)) is not None:
            return Maker(tree, one.package, wiring, words, paths), path
    maker = Maker(tree, func.package, words=words, paths=paths)
    made = maker.constructed(func.receiver)
    if made is None:
        return None
    maker.setup.append(f"subject := {made}")
    return maker, "subject"


def _wirings(tree: Tree, func: Func) -> list[Func]:
    """Return the functions that may hold an object of the receiver's type; main and what it calls first."""
    near = [package for package in tree.packages if tree.alias(package, func.package) is not None]
    found = [one for package in near for (receiver, _), one in package.funcs.items() if not receiver]
    found.sort(key=lambda one: (one.name != "main", one.package is not func.package))
    return [one for one in found if one.node.type == "function_declaration"][:_MOST_WIRINGS]


def _setup(maker: Maker, *, background: bool) -> list[str] | None:
    """Return the statements before the calls; None when the wiring wants what cannot be made."""
    if maker.wiring is None:
        return maker.setup
    lines = maker.wiring.statements(background=background)
    given: list[str] = []
    for param in maker.wiring.needed_parameters:
        value = maker.first(param.type, param.name)
        if value is None:
            return None
        given.append(f"{param.name} := {value}")
    return [*given, *lines, *maker.setup]


def _varied(choices: Sequence[Sequence[str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield arguments: the plainest of each, then with one of them another."""
    plain = [one[0] for one in choices]
    yield 0, plain
    for at, some in enumerate(choices):
        for distance, other in enumerate(some[1:], 1):
            yield distance, [*plain[:at], other, *plain[at + 1 :]]


def _around(way: Way, mechanism: Mechanism) -> Iterator[tuple[int, Way]]:
    """Yield a way with other peers, contexts and paces."""
    used = "\n".join((*way.setup, way.call))
    peers: Sequence[Behaviour | None] = (None,)
    if "peerURL" in used or "peerAddress" in used:
        peers = _PEERS.get(mechanism, _OTHER_PEERS)
    for at, peer in enumerate(peers):
        yield at, replace(way, peer=peer)
    first = replace(way, peer=peers[0])
    if re.search(r"\bctx\b", way.call):
        yield 2, replace(first, context=20)
        yield 3, replace(first, context=3000)
    if "* time." in used or "*time." in used:
        yield 1, replace(first, impatient=True)
    yield 3, replace(first, in_turn=True)


def _reached(func: Func, depth: int = 0) -> list[Func]:
    """Return a function and those of its package that it calls, two levels down."""
    found = {func: None}
    for op in func.package.read(func).everything():
        if op.kind in ("call", "go", "defer") and depth < 2:
            for callee in func.package.callees(op):
                found |= dict.fromkeys(_reached(callee.top, depth + 1))
    return list(found)


def _routes(func: Func, tree: Tree) -> list[str]:
    """Return the paths that a handler is registered for: svc.Route("/payments/", h.submit)."""
    if not any(param.type == "*http.Request" for param in func.params):
        return []
    found: dict[str, None] = {}
    for package in tree.packages:
        for one in package.all:
            for op in one.ops:
                if op.kind != "call" or not any(
                    text(value).split("(")[0].endswith(f".{func.name}") for value in op.values
                ):
                    continue
                for value in op.values:
                    if value.type == "interpreted_string_literal" and (said := text(value).strip('"')).startswith("/"):
                        found[said] = None
    return list(found)
