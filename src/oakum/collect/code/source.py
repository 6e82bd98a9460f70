"""The source file of a frame: function and file as a profile names them -> the file on this machine.

Looks where Go and people keep source (module cache, vendor, GOROOT, checkouts), also for names that another machine
or -trimpath wrote. Opens only source files, walks no directory tree, and says every place it tried.
"""

import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from oakum.collect.code import go_places
from oakum.collect.code.go_places import GoInstall, GoModule, GoVersion
from oakum.collect.code.source_name import DRIVE, SourceName, declares, inside, is_source, trimmed
from oakum.knowledge.paths import unescaped
from oakum.model import SourceNotFound, Text

_MOST_BYTES = 10 << 20
_BY_END = "end of the path"
MOST_TRIES = 400  # files asked for before giving up on one frame
_FILES_KEPT = 256  # read files that are kept for the next function of the same file


class SourceFile(Struct, frozen=True):
    """A source file that was found: where, how, and what a reader should know about it ("" when nothing)."""

    path: str
    lines: tuple[str, ...]
    how: str
    note: str = ""


class Try(Struct, frozen=True):
    path: Path
    how: str
    note: str = ""
    certain: bool = True  # otherwise a Go file must declare the function


class SourceFinder:
    """Finds the source of frames; `source_path` and `trim_path` mean what they mean to pprof."""

    def __init__(
        self,
        source_path: Sequence[str] = (),
        trim_path: Sequence[str] = (),
        gomodcache: str | None = None,
        goroot: str | None = None,
        env: Mapping[str, str] = os.environ,
        go_version: str | None = None,
        built: Mapping[str, tuple[str, str]] | None = None,  # module -> (the module in its place, version that runs)
        here: str = ".",  # where source is looked for when no source_path is given
    ) -> None:
        self._given = bool(source_path)
        self._dirs = tuple(dict.fromkeys(Path(d or ".").absolute() for d in source_path or (here,)))
        self._trim = tuple(t for t in trim_path if t)
        self._env = env
        self._goroot = goroot
        self._wanted = GoVersion.of(go_version)
        self._built = dict(built or {})
        self._caches = go_places.module_caches(env, gomodcache)
        self._gopaths = go_places.gopaths(env)
        self._lines = lru_cache(_FILES_KEPT)(_read_lines)
        self._missing: dict[tuple[str, str], tuple[Text, ...]] = {}  # (package, file) -> places, none with such a file

    def find(self, function: str, file: str) -> SourceFile:
        """Return the source file of a frame, or raise SourceNotFound with every place that was tried."""
        name = SourceName.of(function, file)
        if name.refusal:
            raise SourceNotFound(Text("source.of", {"name": function or file, "why": name.refusal}))
        if places := self._missing.get((name.package, name.text)):
            raise self._not_found(name, file, places)
        looked: dict[Path, Text | None] = {}
        noted: SourceFile | None = None
        for candidate in self._tries(name):
            if candidate.path in looked or (noted and (not candidate.certain or candidate.how == _BY_END)):
                continue
            if len(looked) == MOST_TRIES:
                break
            lines = self._lines(candidate.path)
            if isinstance(lines, Unused):
                looked[candidate.path] = lines.text
            elif not candidate.certain and name.base.endswith(".go") and not declares(lines, function):
                looked[candidate.path] = Text("source.undeclared", {"function": function})
            else:
                looked[candidate.path] = Text("source.other-version")
                note = candidate.note or self._copy_note(name, candidate.path)
                found = SourceFile(str(candidate.path), lines, candidate.how, note)
                if not note:
                    return found
                noted = noted or found  # the right version may lie elsewhere
        if noted:
            return noted
        places = tuple(_place(path, why) for path, why in looked.items())
        if not any(looked.values()):
            self._missing[name.package, name.text] = places
        raise self._not_found(name, file, places)

    def forget(self) -> None:
        """Look again for what was not found: it may have come since."""
        self._missing.clear()
        self._lines.cache_clear()
        vars(self).pop("_installs", None)

    @property
    def caches(self) -> tuple[Path, ...]:
        """Return where modules lie unpacked."""
        return self._caches

    @property
    def roots(self) -> tuple[Path, ...]:
        """Return the directories given as source, or the one at work."""
        return self._dirs

    def _not_found(self, name: SourceName, file: str, places: tuple[Text, ...]) -> SourceNotFound:
        said = Text("source.not-found", {"name": name.function or file, "file": file})
        return SourceNotFound(said, places, self._advice(name))

    def _tries(self, name: SourceName) -> Iterator[Try]:
        if self._given or self._trim:
            yield from self._as_pprof(name)
        if name.standard:
            yield from self._in_goroot(name)
            yield from self._as_it_stands(name)
        else:
            yield from self._as_it_stands(name)
            if name.vendored:  # copies may have been changed; those of the version that runs come before the original
                yield from (candidate for candidate in self._vendored(name) if not candidate.note)
            yield from self._in_module_cache(name)
            yield from self._as_built(name)
            yield from self._in_modules(name, self._modules)
            yield from self._vendored(name)
            for gopath in self._gopaths:
                yield from (Try(gopath / "src" / text, "GOPATH") for text in name.import_names)
            yield from self._as_pprof(name)
        if self._given or not name.standard:
            yield from self._suffixes(name)

    def _as_pprof(self, name: SourceName) -> Iterator[Try]:
        """Yield what pprof would open: the name without its prefix, below each source path and its parents."""
        short = trimmed(name.text, self._trim, [str(d) for d in self._dirs])
        if not inside(short) or DRIVE.match(short):
            return
        for directory in self._dirs:
            for place in (directory, *directory.parents):
                yield Try(place / short, "source path", certain=self._given)

    def _as_it_stands(self, name: SourceName) -> Iterator[Try]:
        if name.remote or not name.absolute:
            return
        drive = DRIVE.match(name.text)
        if drive and sys.platform != "win32":
            yield Try(Path("/mnt", drive[1].lower(), *name.parts), "the Windows drive, mounted here")
        else:
            yield Try(Path(name.text), "as the profile names it")

    def _in_goroot(self, name: SourceName) -> Iterator[Try]:
        """Yield the file in each Go of this machine, the profile's own version first."""
        own, rest = name.below_src or ("", "" if name.absolute else name.text)
        rests = [text for text in (rest, f"{name.package}/{name.base}") if text and inside(text)]
        installs = list(self._installs)
        if own and not name.remote and (not DRIVE.match(own) or sys.platform == "win32"):
            installs.insert(0, GoInstall(Path(own), go_places.version_of(Path(own))))
        wanted = self._wanted_go(name)
        if wanted:
            installs.sort(key=lambda install: wanted.distance(GoVersion.of(install.version)))
        for install in installs:
            how = f"GOROOT, {install.version}" if install.version else "as the profile names it"
            other = wanted and wanted.distance(GoVersion.of(install.version)) > 1
            note = f"this file is {install.version}'s, the profile comes from {wanted}" if other else ""
            for text in rests:
                yield Try(install.root / "src" / text, how, note)

    def _wanted_go(self, name: SourceName) -> GoVersion | None:
        return GoVersion.of(name.below_src[0] if name.below_src else None) or self._wanted

    def _in_module_cache(self, name: SourceName) -> Iterator[Try]:
        modules, version, rest = name.module or ((), "", "")
        for module in modules:
            for cache in (*self._dirs, *self._caches) if self._given else self._caches:
                yield from _cached(cache, module, version, rest, "module cache")
            for root in self._modules:
                yield from self._replaced(root, unescaped(module), rest)

    def _as_built(self, name: SourceName) -> Iterator[Try]:
        """Yield the file in the module cache at the version that the program's build information names."""
        for text in () if name.module else name.import_names:
            if module := longest(text, self._built):
                target, version = self._built[module]
                for cache in self._caches:
                    yield from _cached(cache, target, version, text[len(module) + 1 :], "module cache, as it was built")

    def _version(self, name: SourceName, text: str) -> str:
        """Return the version that runs of the module that a file belongs to; "" when nothing says."""
        return name.module[1] if name.module else self._built.get(longest(text, self._built), ("", ""))[1]

    def _in_modules(self, name: SourceName, modules: Sequence[GoModule]) -> Iterator[Try]:
        """Yield where the go.mod of these modules says that the file's package lies."""
        for text in name.import_names:
            version = self._version(name, text)
            for root in modules:
                if text.startswith(f"{root.path}/"):
                    note = self._checkout(root, version)
                    yield Try(root.root / text[len(root.path) + 1 :], f"checkout of {root.path}", note)
            for root in modules:
                module = owner(text, root)
                rest = text[len(module) + 1 :]
                yield from self._replaced(root, module, rest)
                for cache in self._caches if module in root.requires else ():
                    note = other(root.requires[module], version)
                    if not version and not self._is_main(root):
                        note = f"{root.path} asks for {root.requires[module]}; the program may run a later one"
                    yield from _cached(cache, module, root.requires[module], rest, "module cache, as go.mod says", note)

    def _is_main(self, root: GoModule) -> bool:
        """Return whether this may be the program's module: what lies in the module cache decides no versions."""
        return not any("@v" in part for part in root.root.parts)

    def _replaced(self, root: GoModule, module: str, rest: str) -> Iterator[Try]:
        target, version = root.replaces.get(module, ("", ""))
        for cache in self._caches if version else ():
            yield from _cached(cache, target, version, rest, "module cache, replaced in go.mod")
        if target and not version:
            yield Try(Path(os.path.normpath(root.root / target)) / rest, "replaced in go.mod")

    def _copy_note(self, name: SourceName, path: Path) -> str:
        """Return what is to be known of a file in a vendor folder, however it was found."""
        for root in self._modules:
            folder = root.root / "vendor"
            if path.is_relative_to(folder):
                text = path.relative_to(folder).as_posix()
                return other(root.requires.get(longest(text, root.requires), ""), self._version(name, text))
        return ""

    def _checkout(self, root: GoModule, version: str) -> str:
        """Return what is to be known of a checkout that is read for this version of its module."""
        if not version or not version.startswith("v"):
            return ""
        if str(root.root).endswith(f"@{version}") or str(root.root).endswith(f"@{go_places.escape(version)}"):
            return ""
        return f"this is a checkout, the profile names {version}"

    def _vendored(self, name: SourceName) -> Iterator[Try]:
        for directory in self._roots:
            vendor = go_places.vendor_of(directory)
            versions = next((module.requires for module in self._modules if module.root == directory), {})
            for text in name.import_names:
                there = versions.get(longest(text, versions), "")
                note = other(there, self._version(name, text))
                if vendor:
                    yield Try(vendor / text, "vendor", note)
                yield Try(directory / "Godeps/_workspace/src" / text, "Godeps", note)
                if (directory / "staging/src").is_dir():  # kubernetes keeps the modules it publishes there
                    yield Try(directory / "staging/src" / text, "staging", note)

    def _suffixes(self, name: SourceName) -> Iterator[Try]:
        """Yield the end of the name below each source path, longest first."""
        parts = name.parts
        for first in range(len(parts)):
            # go.etcd.io/etcd/server/v3/embed/serve.go lies in server/embed of its repository
            unversioned = tuple(p for p in parts[first:] if not (p[0] == "v" and p[1:].isdigit()))
            for end in dict.fromkeys((parts[first:], unversioned)):
                # A file that cannot be checked for the function needs more than its own name to agree.
                if len(end) > 1 or len(parts) == 1 or name.base.endswith(".go"):
                    for root in self._roots:
                        yield Try(root.joinpath(*end), _BY_END, certain=name.standard)

    @cached_property
    def _modules(self) -> tuple[GoModule, ...]:
        found = (module for directory in self._dirs for module in go_places.modules_at(directory))
        return tuple({module.root: module for module in found}.values())

    @cached_property
    def _roots(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((*self._dirs, *(module.root for module in self._modules))))

    @cached_property
    def _installs(self) -> tuple[GoInstall, ...]:
        return go_places.go_installs(self._env, self._caches, self._goroot)

    def _advice(self, name: SourceName) -> Text:
        """Return what the user can do to have the file found."""
        if name.standard:
            version = self._wanted_go(name)
            if version and not version.least and version.patch is not None:
                return Text("source.do.install-go", {"go": str(version)})
            return Text("source.do.goroot")
        if name.module:
            modules, version_text, rest = name.module
            module = unescaped(modules[0])
            return Text("source.do.module", {"module": module, "version": unescaped(version_text), "rest": rest})
        if name.vendored:
            return Text("source.do.vendor")
        tail = "/".join(name.parts[-2:])
        prefix = name.text[: -len(tail) - 1]
        if name.absolute and prefix:
            return Text("source.do.checkout-trimmed", {"tail": tail, "prefix": prefix})
        return Text("source.do.checkout", {"tail": tail})


def _place(path: Path, why: Text | None) -> Text:
    return Text("source.at-why", {"path": str(path), "why": why}) if why else Text("source.at", {"path": str(path)})


def _read_lines(path: Path) -> "tuple[str, ...] | Unused":
    """Return the lines of a source file, or why it is not used."""
    data = read_source(path)
    if isinstance(data, Unused):
        return data
    lines = data.decode("utf-8", "replace").split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(line.removesuffix("\r") for line in lines)


class Unused(Struct, frozen=True):
    """Why a source file is not used."""

    name: str  # of the problem that it is: unread.NAME; "missing": it is not there
    args: Mapping[str, str | int] = MappingProxyType({})

    @property
    def text(self) -> Text | None:
        """Return why in words; None when it is not there."""
        return None if self.name == "missing" else Text(f"source.unused.{self.name}", self.args)


def read_source(path: Path) -> bytes | Unused:
    """Return a source file's bytes, or why it is not used."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            return Unused("not-regular")
        if facts.st_size > _MOST_BYTES:
            return Unused("file-too-large", {"most": _MOST_BYTES >> 20})
        if not is_source(path.resolve().name):
            return Unused("linked")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Unused("missing")
    except (OSError, ValueError) as error:
        return Unused("os", {"error": getattr(error, "strerror", None) or str(error)})


def _cached(cache: Path, module: str, version: str, rest: str, how: str, note: str = "") -> Iterator[Try]:
    """Yield a module's file in a module cache, spelt with Go's escapes and as it is."""
    if inside(rest) and inside(module):
        for spelt in (f"{go_places.escape(module)}@{go_places.escape(version)}", f"{module}@{version}"):
            yield Try(cache / spelt / rest, how, note)


def owner(text: str, root: GoModule) -> str:
    """Return the module that a file belongs to: the longest that go.mod names (k8s.io/api/v2 before k8s.io/api)."""
    return max((longest(text, root.replaces), longest(text, root.requires)), key=len)


def longest(text: str, modules: Mapping[str, object]) -> str:
    """Return the longest of the modules' paths that a file lies below; "" when there is none."""
    end = text.rfind("/")
    while end > 0:
        if text[:end] in modules:
            return text[:end]
        end = text.rfind("/", 0, end)
    return ""


def other(version: str, wanted: str) -> str:
    """Return what is to be known of a file of this version where another is wanted; "" when they agree."""
    if not wanted or version == unescaped(wanted):
        return ""
    return f"this file is of {version or 'another version, perhaps'}, the profile names {wanted}"
