"""Does a drafted diff compile? Diff and module -> ok, failed (the compiler's words), or not tried (why).

The tree of the user is not written to. Changed files are handed to Go as an overlay, go.mod and go.sum as copies; a
module in the module cache, of which Go takes no overlay, is copied with hard links and put in its place by a replace.
What does not compile without the diff either was not tried.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from oakum.experiment.call_go import call_go
from oakum.experiment.checkout import inspect_checkout
from oakum.experiment.go_packages import NEEDS_CGO
from oakum.experiment.unified import FileDiff, Unfit, read
from oakum.model import Problem

SECONDS = 120.0
_MOST_FILES = 60_000  # of a module that is copied; k8s.io/kubernetes has 20,000
_MOST_BYTES = 10 << 20  # of a file that is changed
_MOST_TEXT = 4_000
_CHANGED = "changed"
_NOT_COPIED = frozenset((".git", "node_modules"))


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of it. `why`: the compiler's words, or why it could not be tried."""

    outcome: Literal["ok", "failed", "not tried"]
    why: str = ""
    warnings: tuple[Problem, ...] = field(default=(), compare=False)  # of the checkout: what is therefore not done


class NotTried(Exception):
    """It cannot be tried here; the message says why."""


@dataclass(frozen=True, slots=True)
class Patched:
    """A module with a diff applied, as the go command sees it from `folder`."""

    folder: Path
    before: tuple[str, ...]  # flags of a build without the diff
    after: tuple[str, ...]  # and with it
    packages: tuple[str, ...]  # import paths of what is changed


@dataclass(frozen=True, slots=True)
class Go:
    """The go command, as call_go.py runs it, with a time limit for each call."""

    command: str = "go"
    seconds: float = SECONDS
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def run(self, arguments: Sequence[str], folder: Path) -> tuple[bool, str]:
        """Return whether it succeeded, and what it said. Raise NotTried when it does not answer."""
        try:
            ran = call_go(arguments, folder, self.seconds, env=self.env, command=self.command)
        except OSError as error:
            raise NotTried(f"{self.command} does not run: {error.strerror or error}") from None
        if ran.late:
            raise NotTried(f"go {arguments[0]} took more than {self.seconds:.0f} s")
        return ran.code == 0, (ran.out + ran.err).decode("utf-8", "replace").strip()


def compiles(
    diff: str, root: Path, dependency: Path | None = None, go: Go | None = None, given: Sequence[Path] = ()
) -> Tried:
    """Tell whether the packages that a diff changes compile with it.

    `root` is the folder of the program's go.mod, or of a module alone; `dependency` that of another module which the
    diff changes, in the module cache or wherever go.mod's replace says; `given`: folders that the user named.
    """
    go = go or Go()
    found = inspect_checkout(root, (*given, *((dependency,) if dependency else ())), go.env)
    if found.leads_outside:
        return Tried("not tried", "it is built from what lies outside of the checkout", found.warnings)
    tried = _compiles(diff, root, dependency, go)
    warnings = () if _cache_of(root) else found.warnings
    if tried.outcome == "not tried" and NEEDS_CGO in tried.why:
        needs = tried.why.partition(NEEDS_CGO)[2].split("\n")[0]
        warnings = (*warnings, Problem.of("cgo.fix", str(root), package=needs))
    return replace(tried, warnings=warnings)


def _compiles(diff: str, root: Path, dependency: Path | None, go: Go) -> Tried:
    try:
        with (
            tempfile.TemporaryDirectory(prefix="oakum-") as made,
            patched(diff, root, dependency, Path(made), go) as at,
        ):
            said = ""
            for verb in ("vet", "build"):  # vet may complain of what was there before; then compiling is all we ask
                output = ["-o", os.devnull] if verb == "build" else []
                done, text = go.run([verb, *at.after, *output, *at.packages], at.folder)
                if done:
                    return Tried("ok")
                well, said = go.run([verb, *at.before, *output, *at.packages], at.folder)
                if well:
                    return Tried("failed", _short(text, Path(made, _CHANGED), made, at.folder))
            return Tried("not tried", f"it does not compile without the diff either: {_short(said, made, at.folder)}")
    except Unfit as error:
        return Tried("failed", str(error))
    except NotTried as error:
        return Tried("not tried", str(error))
    except OSError as error:
        return Tried("not tried", str(error))


@contextmanager
def patched(
    diff: str, root: Path, dependency: Path | None, scratch: Path, go: Go, modfile: str = "go.mod"
) -> Iterator[Patched]:
    """Lend a module with a diff applied, made in a scratch folder; raise Unfit when the diff does not fit."""
    root = root.absolute()
    dependency = dependency.absolute() if dependency else None
    changes = [(one, *_located(one, [*([dependency] if dependency else []), root])) for one in read(diff)]
    homes = {root: root}  # module -> where Go shall find it
    if _cache_of(root):
        homes[root] = _linked(root, scratch / "module", _cached_name(root))
    folder = homes[root]
    if not (folder / modfile).is_file():
        raise NotTried(f"there is no {modfile} in {root}")
    copied = (
        dependency if dependency and _cache_of(dependency) and dependency in {home for _, home, _ in changes} else None
    )
    if (folder / "vendor" / "modules.txt").is_file() and not copied:
        before = ["-mod=vendor"]
    else:
        before = ["-mod=mod", f"-modfile={scratch / 'go.mod'}"]
        for suffix in (".mod", ".sum"):
            with suppress(FileNotFoundError):
                shutil.copyfile((folder / modfile).with_suffix(suffix), scratch / f"go{suffix}")
    if copied and copied != root:
        name = _required_as(copied, scratch / "go.mod", go)
        homes[copied] = _linked(copied, scratch / "dependency", name)
        done, said = go.run(["mod", "edit", f"-replace={name}={homes[copied]}", str(scratch / "go.mod")], scratch)
        if not done:
            raise NotTried(f"go.mod cannot be edited: {_short(said)}")
    replaced: dict[str, str] = {}
    packages = []
    for one, home, path in changes:
        seen = homes.get(home, home) / path.relative_to(home)
        text = scratch / _CHANGED / one.name.lstrip("/")  # so that the compiler calls it as the diff does
        text.parent.mkdir(parents=True, exist_ok=True)
        text.write_bytes(one.apply(path.read_bytes()))
        replaced[str(seen)] = str(text)
        packages.append(_package(seen))
    overlay = scratch / "overlay.json"
    overlay.write_text(json.dumps({"Replace": replaced}))
    yield Patched(folder, tuple(before), (*before, f"-overlay={overlay}"), tuple(dict.fromkeys(packages)))


def _required_as(dependency: Path, modfile: Path, go: Go) -> str:
    """Return the path by which a go.mod requires a module of the module cache; a fork is there by a replace."""
    name = _cached_name(dependency)
    done, said = go.run(["mod", "edit", "-json", str(modfile)], modfile.parent)
    if done:
        with suppress(ValueError, AttributeError, KeyError, TypeError):
            for row in json.loads(said).get("Replace") or ():
                if row["New"]["Path"] == name:
                    return str(row["Old"]["Path"])
    return name


def _cache_of(module: Path) -> Path | None:
    """Return the module cache that a module lies in."""
    if "@" not in str(module):
        return None
    return next((place for place in module.parents if (place / "cache" / "download").is_dir()), None)


def _cached_name(module: Path) -> str:
    """Return the path of a module in the module cache, where github.com/!burnt!sushi/toml is BurntSushi's."""
    spelt = str(module.relative_to(_cache_of(module) or module)).rpartition("@")[0]
    first, *rest = spelt.split("!")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def module_around(file: Path) -> Path | None:
    """Return the folder of the module that a file belongs to: of its go.mod, or module@version in the module cache."""
    for place in file.parents:
        if (place / "go.mod").is_file() or ("@" in place.name and _cache_of(place)):
            return place
    return None


def _package(file: Path) -> str:
    home = module_around(file)
    if home is None:
        raise NotTried(f"{file} belongs to no module")
    inside = file.parent.relative_to(home).as_posix()
    if inside.startswith("vendor/"):
        return inside.removeprefix("vendor/")
    for line in (home / "go.mod").read_text(encoding="utf-8", errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["module"] and len(words) > 1:
            name = words[1].strip('"`')
            return name if inside == "." else f"{name}/{inside}"
    raise NotTried(f"{home / 'go.mod'} does not say which module it is")


def _located(one: FileDiff, homes: Sequence[Path]) -> tuple[Path, Path]:
    """Return the module and the file that a diff means: the longest end of its name that is there and fits."""
    parts = [part for part in one.name.replace("\\", "/").split("/") if part not in ("", ".")]
    unfit: Unfit | None = None
    for home in homes:
        for first in range(len(parts)):
            path = home.joinpath(*parts[first:])
            if ".." in parts or path.suffix != ".go" or not path.is_file() or path.stat().st_size > _MOST_BYTES:
                continue
            try:
                one.apply(path.read_bytes())
            except Unfit as error:
                unfit = unfit or error
            else:
                return home, path
    raise unfit or NotTried(f"{one.name} is not in {' or '.join(map(str, homes))}")


def _linked(module: Path, target: Path, name: str) -> Path:
    """Return a copy of a module with hard links for files; one that is older than go.mod gets one of this name."""
    count = 0
    for place, folders, files in os.walk(module):
        folders[:] = [folder for folder in folders if folder not in _NOT_COPIED]
        here = target / Path(place).relative_to(module)
        here.mkdir(parents=True)
        count += len(files)
        if count > _MOST_FILES:
            raise NotTried(f"{module} has more than {_MOST_FILES:,} files")
        for file in files:
            source = Path(place, file)
            if not source.is_file() or source.is_symlink():
                continue
            try:
                os.link(source, here / file)
            except OSError:  # another file system
                shutil.copyfile(source, here / file)
    if not (target / "go.mod").exists():
        (target / "go.mod").write_text(f"module {name}\n")
    return target


def _short(text: str, *hidden: object) -> str:
    for place in hidden:
        text = text.replace(f"{place}/", "")
    return text[:_MOST_TEXT]
