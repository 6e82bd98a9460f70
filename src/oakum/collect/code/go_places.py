"""Where Go keeps source on this machine: module caches, GOPATHs, Go installs, and what a go.mod says of modules.

Comes in: an environment and directories. Goes out: paths and versions. Runs no command, and lists only the few
directories named here.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from os import pathsep
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct, field

from oakum.collect.programs import find_program, is_inside
from oakum.regex import regex

# Where people and installers put Go: a directory that holds one Go per folder, and the way from there to its GOROOT.
INSTALLS = (
    ("/usr/local", ""), ("/usr/lib", ""), ("/opt", ""), ("/snap/go", ""), ("/usr/local/Cellar/go", "libexec"),
    ("/opt/homebrew/Cellar/go", "libexec"), ("C:/Program Files", ""),
    ("~/sdk", ""), ("~/.gvm/gos", ""), ("~/.gimme/versions", ""), ("~/.goenv/versions", ""),
    ("~/.asdf/installs/golang", "go"), ("~/.local/share/mise/installs/go", ""),
)  # fmt: skip
_MOST_INSTALLS = 64
_MOST_LEVELS = 32  # how far up a go.mod is looked for
_MOST_TEXT = 4 << 20  # kubernetes' vendor/modules.txt has 0.1 MB

# go   go1.21.3   go-1.19   golang   1.22.1   go1.20.10.linux.amd64   toolchain@v0.0.1-go1.21.3.linux-amd64   current
_INSTALL_NAME = regex(r"(?i)^(?:current|toolchain@v.*|(?:go|golang)?[-.]?(?:\d[\w.-]*)?)$")
# go1.21.3   go1.21rc2   go1.21+   1.15.6   go-1.13   go1.20.10.linux.amd64
_VERSION = regex(r"(?:^|(?<![A-Za-z])go[-/]?)1\.(\d+)(?:\.(\d+)|(?:rc|beta)\d+)?(\+)?")
# github.com/Azure   github.com/!azure
_UPPER = regex(r"[A-Z]")


class GoVersion(Struct, frozen=True):
    """A Go release as far as it is known; patch None means any, `least` means this or a later one."""

    minor: int
    patch: int | None = None
    least: bool = False

    @classmethod
    def of(cls, text: str | None) -> "GoVersion | None":
        """Return the version that a text such as go1.21.3, go-1.13 or go1.21+ names."""
        found = _VERSION.search(text or "")
        return cls(int(found[1]), int(found[2]) if found[2] else None, bool(found[3])) if found else None

    def __str__(self) -> str:
        return f"go1.{self.minor}" + ("" if self.patch is None else f".{self.patch}") + ("+" if self.least else "")

    def distance(self, other: "GoVersion | None") -> int:
        """Return 0 when `other` is what this asks for, 1 unknown, 2 the same minor release, 3 any other."""
        if other is None:
            return 1
        if self.least and (other.minor, other.patch or 0) >= (self.minor, self.patch or 0):
            return 0
        if other.minor != self.minor:
            return 3
        return 0 if self.patch is None or other.patch == self.patch else 2


class GoInstall(Struct, frozen=True):
    """One Go on this machine; `version` as its VERSION file says, "" when it has none."""

    root: Path
    version: str


class GoModule(Struct, frozen=True):
    """What a go.mod (and the vendor/modules.txt beside it) says."""

    root: Path
    path: str
    requires: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # module -> version
    # module -> (module, version), or (directory, "")
    replaces: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))


def escape(module: str) -> str:
    """Return a module path or version as the module cache spells it: Azure is !azure."""
    return _UPPER.sub(lambda m: f"!{m[0].lower()}", module)


def home(env: Mapping[str, str]) -> Path | None:
    """Return the user's home directory, or None when the environment does not say."""
    name = env.get("HOME") or env.get("USERPROFILE")
    return Path(name) if name else None


def gopaths(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the directories of GOPATH; ~/go when it is not set."""
    places = [Path(p) for p in go_setting(env, "GOPATH").split(pathsep) if p]
    if not places and (at := home(env)):
        places = [at / "go"]
    return tuple(places)


def module_caches(env: Mapping[str, str], given: str | None = None) -> tuple[Path, ...]:
    """Return where modules may lie unpacked: the cache given, GOMODCACHE, pkg/mod of each GOPATH and of ~/go."""
    places = [Path(p) for p in (given, go_setting(env, "GOMODCACHE")) if p]
    places += [path / "pkg" / "mod" for path in gopaths(env)]
    if at := home(env):
        places.append(at / "go" / "pkg" / "mod")
    return tuple(dict.fromkeys(places))


def go_installs(
    env: Mapping[str, str], caches: tuple[Path, ...] = (), given: str | None = None
) -> tuple[GoInstall, ...]:
    """Return every Go found in the usual places, the one in use first."""
    roots = [Path(p) for p in (given, env.get("GOROOT")) if p]
    if command := find_program("go", env):
        roots.append(Path(command).resolve().parent.parent)
    at = home(env)
    for place, inner in INSTALLS:
        if place.startswith("~/"):
            if at is None:
                continue
            place = str(at / place[2:])
        roots += [child / inner for child in _children(Path(place))]
    roots += [child for cache in caches for child in _children(cache / "golang.org")]
    installs = (GoInstall(root, version_of(root)) for root in dict.fromkeys(roots))
    return tuple(install for install in installs if install.version)[:_MOST_INSTALLS]


def version_of(root: Path) -> str:
    """Return the version of the Go in this directory ("go1.21.3"), or "" when there is none."""
    # go1.26.8\ntime 2026-...   or, before Go 1.21, go1.19.8 alone; devel go1.22-abcdef for builds from source
    text = read_text(root / "VERSION", 4096)
    found = re.search(r"go1[\w.-]*", text)
    return found[0] if found else "devel" if text.startswith("devel") else ""


def goroot_of(place: Path) -> Path | None:
    """Return the Go that a directory is part of: /usr/local/go of /usr/local/go/src/net/http."""
    for parent in (place, *place.parents)[:_MOST_LEVELS]:
        if parent.name == "src" and version_of(parent.parent):
            return parent.parent
    return None


def inside_module(file: Path) -> str:
    """Return the path of a file below the root of its module; "" when it is in none."""
    file = file.absolute()
    for parent in file.parents[:_MOST_LEVELS]:
        if "@v" in parent.name or (parent / "go.mod").is_file():
            return file.relative_to(parent).as_posix()
    return ""


def revision_of(place: Path) -> str:
    """Return the commit that a directory's git checkout is at; "" when it is none or does not say."""
    for parent in (place, *place.parents)[:_MOST_LEVELS]:
        git = parent / ".git"
        if not git.exists():
            continue
        if linked := re.match(r"gitdir: (.+)", read_text(git, 4096)):  # a worktree
            git = parent / linked[1].strip()
        head = read_text(git / "HEAD", 4096).strip()
        shared = git / read_text(git / "commondir", 4096).strip()
        name = head.removeprefix("ref: ")
        if name != head and ".." not in name:
            head = read_text(git / name, 4096).strip() or read_text(shared / name, 4096).strip()
            packed = re.search(
                rf"^([0-9a-f]{{40,64}}) {re.escape(name)}$", read_text(shared / "packed-refs"), re.MULTILINE
            )
            head = head or (packed[1] if packed else "")
        return head if re.fullmatch(r"[0-9a-f]{40,64}", head) else ""
    return ""


def checkout_of(folder: Path, env: Mapping[str, str]) -> Path:
    """Return the root of the git repository around a folder, else the folder; never the user's home, or above it."""
    folder = folder.absolute()
    own = home(env)
    for place in (folder, *folder.parents)[:_MOST_LEVELS]:
        if own is not None and own.is_relative_to(place):
            break
        if (place / ".git").exists():
            return place
    return folder


def vendor_of(module: Path, env: Mapping[str, str] = os.environ) -> Path | None:
    """Return the vendor folder of a module; None when it is a link that leads out of the checkout."""
    vendor = module / "vendor"
    if vendor.is_symlink() and not is_inside(vendor, checkout_of(module, env)):
        return None
    return vendor


def modules_at(directory: Path) -> tuple[GoModule, ...]:
    """Return the module that a directory lies in, and the others of its go.work."""
    modules: dict[Path, GoModule] = {}
    for place in (directory, *directory.parents)[:_MOST_LEVELS]:
        work = directives(place / "go.work")
        for words in work.get("use", [])[:256]:
            used = (place / words[0]).resolve()
            if module := _read_module(used, work):
                modules.setdefault(used, module)
        if not modules and (module := _read_module(place)):
            modules[place] = module
        if modules:
            break
    return tuple(modules.values())


def read_text(path: Path, most: int = _MOST_TEXT) -> str:
    """Return a small text file's contents; "" when it cannot be read or is larger than it has any reason to be."""
    try:
        if not path.is_file():  # a pipe in its place would wait for a writer
            return ""
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError):
        return ""
    return data.decode("utf-8", "replace") if len(data) <= most else ""


def _read_module(root: Path, work: Mapping[str, list[list[str]]] | None = None) -> GoModule | None:
    said = directives(root / "go.mod")
    if "module" not in said:
        return None
    requires = {words[0]: words[1] for words in said.get("require", []) if len(words) > 1}
    replaces: dict[str, tuple[str, str]] = {}
    for words in said.get("replace", []) + (work or {}).get("replace", []):
        if "=>" in words[1:-1]:
            target = words[words.index("=>") + 1 :]
            replaces[words[0]] = (target[0], target[1] if len(target) > 1 else "")
    # # k8s.io/client-go v0.18.8 => ./staging/src/k8s.io/client-go      go.mod before Go 1.17 names no indirect modules
    vendor = vendor_of(root)
    for line in read_text(vendor / "modules.txt").splitlines() if vendor else ():
        words = line.split()
        if line.startswith("# ") and len(words) > 2 and words[2].startswith("v"):
            requires.setdefault(words[1], words[2])
    return GoModule(root, said["module"][0][0], requires, replaces)


def directives(path: Path) -> dict[str, list[list[str]]]:
    """Return the lines of a go.mod or go.work by their verb, blocks undone, each split into words."""
    said: dict[str, list[list[str]]] = {}
    block = ""
    for line in read_text(path).splitlines():
        words = [word.strip('"`') for word in line.partition("//")[0].split()]
        if block and words == [")"]:
            block = ""
        elif block and words:
            said.setdefault(block, []).append(words)
        elif len(words) == 2 and words[1] == "(":
            block = words[0]
        elif len(words) > 1:
            said.setdefault(words[0], []).append(words[1:])
    return said


def _children(directory: Path) -> Iterator[Path]:
    try:
        names = sorted(child.name for child in directory.iterdir() if _INSTALL_NAME.match(child.name))
    except OSError:
        return
    yield from (directory / name for name in names[:_MOST_INSTALLS])


def go_setting(env: Mapping[str, str], name: str) -> str:
    """Return a Go setting: the environment's, or what `go env -w` wrote."""
    if value := env.get(name):
        return value
    if (file := env.get("GOENV", "")) and not Path(file).is_absolute():  # "off"
        return ""
    if not file:
        at = home(env)
        if at is None:
            return ""
        usual = at / "Library/Application Support" if sys.platform == "darwin" else at / ".config"
        named = Path(env.get("XDG_CONFIG_HOME", ""))
        file = str((named if named.is_absolute() else usual) / "go" / "env")
    for line in read_text(Path(file)).splitlines():
        if line.startswith(f"{name}="):
            return line.partition("=")[2].strip()
    return ""
