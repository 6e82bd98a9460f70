"""What captures tell of builds -> the one build of each process, and where it was read.

What was linked (a program, `go version -m`) comes first; where nothing is, what a module asks for (vendor/modules.txt,
go.mod, go.sum). What is missing in it is filled from what the process says of itself: metrics, /version, image labels.
Another program's answer is worse than none: it has to be of a module whose own code stands in the stacks.
"""

import re
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from oakum.assemble.parts import Part, process_name
from oakum.assemble.runs import Run
from oakum.assemble.snapshots import Gathered
from oakum.model import Build, NotAssembled, Source, Text
from oakum.model.frame import owner_of, split_function
from oakum.regex import regex

# What a module asks for, the surest first; such files lie in one directory, the first in vendor/ below it.
_ASKED = ("modules.txt", "go.mod", "go.sum")
# What a process, or its image, says of itself, the surest first.
_SAID = ("prometheus-text", "prometheus-range", "version", "image-labels")
_NO_VERSION = (None, "", "(devel)", "(replaced)")
# Programs that are a release of a module under a main module of their own.
_RELEASED_AS = {"k8s.io/kubernetes": ("github.com/k3s-io/k3s", "github.com/rancher/k3s")}
# /go/src/k8s.io/kubernetes/cmd/kubelet/kubelet.go     github.com/rancher/rancher/main.go (-trimpath)
_IMPORT_PATH = regex(r"(?:.*/src/)?((?:[a-z0-9-]+\.)+[a-z]{2,}/.+)/[^/]+")
_COMM = 15  # characters that Linux keeps of a program's name
_MOST_PATH = 1000  # characters of a file's name
# shop/vendor of shop/vendor/modules.txt
_VENDOR = regex(r"(?:^|/)vendor$")


class Program(Struct, eq=False, dict=True):
    """A process before its build is known."""

    name: str
    parts: list[Part]
    snapshots: list[Gathered]
    given: list[Part] = field(default_factory=list)  # named as the program that runs
    runs: list[Run] = field(default_factory=list)  # its captured snapshots, cut at restarts

    @cached_property
    def _functions(self) -> set[tuple[str, str]]:
        """Return (function, file) of everything in its stacks."""
        seen: set[tuple[str, str]] = set()
        for reading in (one.reading for one in self.parts if one.slot):
            if reading.goroutines is not None:
                for group in reading.goroutines.groups:
                    seen |= {(frame.function, frame.file) for frame in group.stack.frames}
            elif (profile := reading.profile) is not None:
                names, files = map(profile.strings.texts, (profile.functions.name, profile.functions.file))
                seen.update(zip(names, files, strict=True))
        return seen

    @cached_property
    def _main_packages(self) -> frozenset[str]:
        """Return the import paths of package main, where its files tell them."""
        files = {file.replace("\\", "/") for name, file in self._functions if name.startswith("main.")}
        return frozenset(f[1] for file in files if len(file) < _MOST_PATH and (f := _IMPORT_PATH.fullmatch(file)))

    @cached_property
    def _own_packages(self) -> frozenset[str]:
        """Return the packages that are not a dependency's, as far as names and files tell."""
        return frozenset(split_function(f)[0] for f, file in self._functions if owner_of(f, file) == "own")

    @cached_property
    def _vendoring(self) -> frozenset[str]:
        """Return who vendors, where names tell it: k8s.io/kubernetes of k8s.io/kubernetes/vendor/k8s.io/apiserver."""
        return frozenset(f.partition("/vendor/")[0] for f, _ in self._functions if "/vendor/" in f)

    @property
    def has_code(self) -> bool:
        """Tell whether there are stacks at all."""
        return bool(self._functions)

    def is_not_of(self, module: str | None) -> bool:
        """Tell whether the code in its stacks is another module's; what cannot be told is none."""
        return module is not None and bool(self._main_packages) and not self.is_of(module)

    def is_of(self, module: str) -> bool:
        """Tell whether this is a program of a module, by the code in its stacks."""
        names = (module, *_RELEASED_AS.get(module, ()))
        packages = self._main_packages or self._own_packages | self._vendoring
        return any(_is_below(package, name) for package in packages for name in names)

    def stranger_to(self, build: Build) -> str:
        """Return a package in its stacks when none of its own is of what was linked; "" where that is not so clear."""
        own = sorted(self._own_packages - {"main"})
        linked = {build.main, *(build.modules or ())}
        if build.main is None or not own or any(_is_below(package, name) for package in own for name in linked if name):
            return ""
        return own[0]


def _is_below(package: str, module: str) -> bool:
    return package == module or package.startswith(f"{module}/")


class Built(Struct, frozen=True):
    """The build of one process, and where it was read."""

    build: Build
    sources: tuple[Source, ...]


def attach(programs: Sequence[Program], everything: Sequence[Part], several: bool) -> list[Built | None]:
    """Return the build of each process; what tells of none of them is blamed for it."""
    builds = [one for one in everything if one.reading.build is not None]
    used: set[int] = set()
    found = [_of(one, builds, several, used) for one in programs]
    for one in builds:
        if id(one) not in used and one.slot is None and not one.problems:
            one.reject("other-program")
    return found


def give(programs: Sequence[Program], binaries: Sequence[Part]) -> None:
    """Hand the builds that were named to the process that runs it: the one of its name, else the only one."""
    files: dict[str, list[Part]] = {}
    for one in binaries:
        files.setdefault(one.capture.origin, []).append(one)
    for origin, builds in files.items():
        owners = [(p, one) for one in builds for p in programs if _called(p) & _names(one)]
        if not owners and len(programs) == len(builds) == 1:
            build = builds[0].reading.build
            if build is not None and _is_linked(builds[0]) and (other := programs[0].stranger_to(build)):
                raise NotAssembled(Text("assemble.build-of-another", {"origin": origin, "package": other}), "build")
            owners = [(programs[0], builds[0])]
        for owner, one in owners:
            owner.given.append(one)
        if not owners and programs:
            named = sorted({name for one in builds for name in _names(one)})
            there = ", ".join(sorted(name for p in programs for name in _called(p)))
            args = {"origin": origin, "names": ", ".join(named[:5]) or "-", "processes": there}
            raise NotAssembled(Text("assemble.build-of-which", args), "build")
    for owner in programs:
        linked = {_program_of(one): one.capture.origin for one in owner.given if _is_linked(one)}
        if len(linked) > 1:
            raise NotAssembled(Text("assemble.builds-differ", {"names": ", ".join(linked.values())}), "build")


def _of(one: Program, builds: Sequence[Part], several: bool, used: set[int]) -> Built | None:
    """Return the build of one process; what tells of it is noted as used, whether or not it adds anything."""
    linked = _linked(one, builds, several)
    base = linked[0].reading.build if linked else None
    asked = _asked(one, builds, several, base)
    said = _said(one, builds, several, base)
    used |= {id(found) for found in (*linked, *asked, *said)}
    build = base or _asked_build(asked)
    sources = [found.source for found in (linked[:1] or asked)]
    for found in (*linked[1:], *said):
        more = found.reading.build
        filled = _filled(build, more) if build and more else more
        if filled != build:
            build = filled
            sources.append(found.source)
    return Built(build, tuple(sources)) if build else None


def _filled(build: Build, more: Build) -> Build:
    """Return a build with what another of the same program knows and it does not."""
    main, version = build.main or more.main, build.main_version
    if version in _NO_VERSION and more.main == main and more.main_version not in _NO_VERSION:
        version = more.main_version
    return replace(
        build,
        go=build.go or more.go,
        path=build.path or more.path,
        main=main,
        main_version=version,
        modules=build.modules if build.modules is not None else more.modules,
        settings=build.settings if build.settings is not None else more.settings,
    )


def build_name(build: Build) -> str:
    """Return what people call a program: example.com/shop/cmd/orders/v2 is orders. "" without a main package."""
    parts = [part for part in (build.path or "").split("/") if part]
    if len(parts) > 1 and re.fullmatch(r"v\d{1,6}", parts[-1]):
        parts.pop()
    return parts[-1] if parts else ""


def _names(found: Part) -> set[str]:
    """Return what the program of a build may be called."""
    build = found.reading.build
    told = found.capture.origin if found.reading.format == "go-binary" else found.reading.notes.get("program", "")
    file = told.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    return {name for name in (build_name(build) if build else "", file) if name}


def _called(one: Program) -> set[str]:
    return {name for name in (one.name, process_name(one.parts)) if name}


def _is_in(one: Program, found: Part) -> bool:
    return any(found is other for other in (*one.parts, *one.given))


# What was linked.


def _linked(one: Program, builds: Sequence[Part], several: bool) -> list[Part]:
    """Return what tells how a process was linked: given, of its name, in its directory, or the only one there is."""
    linked = [b for b in builds if _is_linked(b)]
    inside = [b for b in linked if _is_in(one, b)]
    same = [b for b in linked if _called(one) & _names(b)]
    if len(same) > 1:
        same = [b for b in same if b in inside] or same
    chosen = [b for b in linked if b in one.given] or same
    if not chosen:
        chosen = inside if inside or several else linked
        if len({_program_of(b) for b in chosen}) > 1:
            return []
    # One program in two captures: itself, and what `go version -m` says of it.
    return [b for b in chosen if _program_of(b) == _program_of(chosen[0])]


def _is_linked(found: Part) -> bool:
    return found.reading.format not in (*_ASKED, *_SAID)


def _program_of(found: Part) -> tuple[str | None, ...]:
    build = found.reading.build
    return (build.path, build.main, build.go) if build else ()


# What a module asks for.


def _asked(one: Program, builds: Sequence[Part], several: bool, base: Build | None) -> list[Part]:
    """Return the go.mod, go.sum and vendor/modules.txt of the module that a process is of, the surest first."""
    asked = sorted((b for b in builds if b.reading.format in _ASKED), key=lambda b: _ASKED.index(b.reading.format))
    homes: dict[str, list[Part]] = {}
    for found in asked:
        homes.setdefault(_VENDOR.sub("", found.capture.origin.rpartition("/")[0]), []).append(found)
    if base is not None:  # they say nothing more; that they lie there is no mistake
        return [found for home in homes.values() if _module(home) in (None, base.main) for found in home]
    given = [home for home in homes.values() if any(found in one.given for found in home)]
    near = given or [home for home in homes.values() if not several or any(_is_in(one, found) for found in home)]
    near = [home for home in near if given or not one.is_not_of(_module(home))]
    if len(near) != 1:
        near = [home for home in near or homes.values() if (module := _module(home)) and one.is_of(module)]
    return near[0] if len(near) == 1 else []


def _module(home: Sequence[Part]) -> str | None:
    """Return the module of a directory; None where there is no go.mod."""
    return next((b.main for found in home if (b := found.reading.build) and found.reading.format == "go.mod"), None)


def _asked_build(home: Sequence[Part]) -> Build | None:
    """Return what the files of one module say together."""
    told = {found.reading.format: build for found in home if (build := found.reading.build)}
    if not told:
        return None
    vendored, required, summed = (told.get(name) for name in _ASKED)
    if required is None:
        return vendored or summed
    if vendored is not None:  # names every module that is built, and no other
        return replace(required, modules=vendored.modules, replaced=vendored.replaced, packages=vendored.packages)
    if summed is not None and not _names_indirect(required):
        return replace(required, modules={**(summed.modules or {}), **(required.modules or {})})
    return required


def _names_indirect(required: Build) -> bool:
    """Tell whether a go.mod names the modules that others require too, as it does since Go 1.17."""
    numbers = re.match(r"1\.(\d{1,4})", (required.settings or {}).get("go.mod", ""))
    return numbers is not None and int(numbers[1]) >= 17


# What a process says of itself.


def _said(one: Program, builds: Sequence[Part], several: bool, base: Build | None) -> list[Part]:
    """Return what a process says of its own version, the surest first."""
    scrapes = [
        best for snapshot in reversed(one.snapshots) if (best := snapshot.best("metrics")) and best.reading.build
    ]
    said = scrapes[:1]  # the last: it may have been upgraded between two snapshots
    for form in _SAID[1:]:
        near = [b for b in builds if b.reading.format == form and (not several or _is_near(one, b))]
        fits = [b for b in near if b in one.given or _fits(one, b, base)]
        for found in fits:
            if len({b.reading.build for b in fits if _main(b) == _main(found)}) == 1:
                said.append(found)
            elif not found.problems:
                found.reject("versions-differ")
    return [b for b in said if b in one.given or _fits(one, b, base)]


def _is_near(one: Program, found: Part) -> bool:
    return _is_in(one, found) or bool(_called(one) & _names(found))


def _main(found: Part) -> str | None:
    return found.reading.build.main if found.reading.build else None


def _fits(one: Program, found: Part, base: Build | None) -> bool:
    """Tell whether an answer is the process's own."""
    build, kernel, names = found.reading.build, process_name(one.parts), _names(found)
    if build is None or (kernel and names and not any(name[:_COMM] == kernel for name in names)):
        return False
    if base is not None:
        same = build.main in (None, base.main, *(base.modules or ()))
        return same and not (base.go and build.go and base.go != build.go)
    if build.main is None or _called(one) & names or one.is_of(build.main):
        return True
    if found.reading.format == "version":
        return False
    # Labels are on the image that was asked for, and a scrape without stacks is all that is known of a process.
    return not one.has_code if found.slot else not one.is_not_of(build.main)
