"""A build -> the known bugs that it carries, before they bite.

Comes in: what is known of a build, and perhaps a way to ask which functions are linked into the program. Goes out: one
row a leak, with the lowest release that fixes it. A build that has the fix gives none; one that has the version, but
none of the leaking code, a row that says so.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from oakum.knowledge.affected import Affected
from oakum.knowledge.leaks import Leak, Words, leaks
from oakum.knowledge.running import KUBERNETES, Running, running, runs
from oakum.knowledge.signature import Signature
from oakum.knowledge.versions import version
from oakum.model import Build, Carried, Text
from oakum.model.frame import split_function

Linked = Callable[[Iterable[str]], frozenset[str] | None]


def carried(build: Build, origin: str, linked: Linked | None = None) -> tuple[Carried, ...]:
    """Return the known bugs in a build, those that are certain first; `linked` tells which functions it has."""
    found = [(entry, row) for entry in leaks().entries if (row := _row(entry, build, origin))]
    names = frozenset(name for entry, _ in found for parts in _wanted(entry) for part in parts for name in part)
    here = linked(names) if linked is not None and names else None
    rows = [replace(row, linked=_inside(entry, build, here)) for entry, row in found]
    return tuple(sorted(rows, key=lambda row: (row.affects != "yes", row.module, row.id)))


def _row(entry: Leak, build: Build, origin: str) -> Carried | None:
    # A checkout asks for no version of itself.
    built = [one for one in entry.affects if runs(one.module, build) and (build.linked or one.module != build.main)]
    told = [_told(one, build) for one in built]
    answers = [(answer(one, found), one, found) for one, found in told]
    # A product and its part may both be there: the part that has the code says it, where its version is known.
    decided = [row for row in answers if row[0] != "unknown"]
    decided = [row for row in decided if _has_code(entry, row[1])] or decided
    if entry.fault != "library" or any(said == "no" for said, _, _ in decided) or not answers:
        return None
    # Of a product people install another release, whatever part of it has the leak.
    said, one, found = min(decided or answers, key=lambda row: row[1].module != build.main)
    fixed_in = one.fixed_by(found.version) if not found.fork and not one.brought_back(found.godebug) else None
    return Carried(
        id=entry.id,
        mechanism=entry.mechanism,
        module=one.module,
        found=found.version,
        fixed=one.fixed,
        upgrade_to=one.tag(fixed_in) if fixed_in else None,
        affects="yes" if said == "yes" else "unknown",
        origin=origin,
        summary=spoken(entry.summary),
        references=entry.references,
        fork=found.fork,
        reviewed=entry.reviewed,
        line=(build.lines or {}).get(one.module, 0),
        program=build.path or "",
        product=one.module == build.main,
        doubt="" if said == "yes" else doubt(found),
    )


def _has_code(entry: Leak, one: Affected) -> bool:
    """Tell whether the functions of the signatures are this module's, not those of a part of it."""
    every = (name for signature in (*entry.goroutines, *entry.heap) for name in signature.functions)
    return any(name.startswith((f"{one.module}.", f"{one.module}/")) for name in every)


def _told(one: Affected, build: Build) -> tuple[Affected, Running]:
    """Return a module and the version that is built; a part that came with Kubernetes is told as Kubernetes."""
    found = running(one.module, build)
    if found.how == "release" and one.module != KUBERNETES:
        return one.of_the_release(KUBERNETES), running(KUBERNETES, build)
    return one, found


def answer(one: Affected, found: Running) -> str:
    """Return whether the module as it runs has the leak: of a fork nobody can tell."""
    if one.brought_back(found.godebug):
        return "yes"
    return "unknown" if found.fork else one.has(found.version)


def doubt(found: Running) -> str:
    """Return why a version does not tell whether it has a leak."""
    told = version(found.version)
    if found.fork:
        return "directory" if found.fork.startswith((".", "/", "(")) or found.fork[1:2] == ":" else "fork"
    if told is None:
        return "no-version"
    return "commit" if told.committed else "pre-release"


def _inside(entry: Leak, build: Build, here: frozenset[str] | None) -> bool | None:
    """Tell whether the leaking code is in the program; None when nothing says so."""
    wanted = _wanted(entry)
    names = frozenset(name for parts in wanted for part in parts for name in part)
    if here is None and build.packages is not None and build.main not in {one.module for one in entry.affects}:
        here = frozenset(name for name in names if split_function(name)[0] in build.packages)
    if here is None or not names:
        return None
    if any(parts and all(part & here for part in parts) for parts in wanted):
        return True
    return False if all(wanted) else None


def _wanted(entry: Leak) -> list[list[frozenset[str]]]:
    """Return what each signature of the leaking code itself needs."""
    # What is seen in a peer, or is somebody's symptom, is not the code that has to be fixed.
    own = [one for one in (*entry.goroutines, *entry.heap) if one.where == "self" and not one.symptom]
    return [list(_needed(one, entry)) for one in own]


def _needed(signature: Signature, entry: Leak) -> Iterator[frozenset[str]]:
    """Yield the functions of the entry's own modules that have to be there, each with those that may stand for it."""
    paths = [(choice,) if isinstance(choice, str) else choice for choice in signature.path]
    parts = [part for choice in (signature.leaf, *paths) if (part := _all_own(choice, entry))]
    yield from parts or ([made] if (made := _all_own(signature.created, entry)) else [])


def _all_own(choice: Sequence[str], entry: Leak) -> frozenset[str]:
    """Return the functions to look for, none when one of them is not the entry's own or not named in full."""
    # A closure is there when the function around it is; its number is nobody's business.
    names = frozenset(name.removesuffix(".func") for name in choice)
    return names if all(_own(name, entry) and "*" not in split_function(name)[0] for name in names) else frozenset()


def _own(name: str, entry: Leak) -> bool:
    package = split_function(name)[0]
    return any(
        package == one.module
        or package.startswith(f"{one.module}/")
        or (one.module == "std" and "." not in package.partition("/")[0])
        for one in entry.affects
    )


def spoken(words: Words) -> Text:
    """Return a sentence of the catalogue: it brings its own words in both languages."""
    return Text("known.words", {"en": words["en"], "zh": words["zh"]})
