"""case.toml -> Case: how a case is built, run and loaded, and which takes are recorded of it.

Comes in: a folder of the casebook. Goes out: frozen values. A key that the format does not know is refused by name.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

CASEBOOK = Path(__file__).resolve().parents[1]
MODULES = CASEBOOK / "modules"

Paths = Literal["modcache", "trimpath", "vendor"]
Hold = Literal["", "read", "unread"]
Live = Literal["full", "short", "no"]
# Where a case says nothing else: Debian's Go prints "semacquire" and knows no parent ids, 1.27 has goroutineleak.
USUAL_TAKES: tuple[tuple[str, Paths], ...] = (("1.19", "modcache"), ("1.27", "trimpath"))


class BadCase(Exception):
    """A file of the casebook is not as the format wants it; the message says where and why."""


class UnknownCase(BadCase):
    """There is no case of that name."""


@dataclass(frozen=True, slots=True)
class Send:
    """Requests of one kind. `{n}` in path and body counts up over the whole run."""

    method: str = "GET"
    path: str = "/"
    count: int = 1
    body: str = ""
    hold: Hold = ""  # keep the request open, and read what comes or not


@dataclass(frozen=True, slots=True)
class Phase:
    """What happens until the next snapshot."""

    snapshot: str
    seconds: float
    send: tuple[Send, ...] = ()
    connections: int | None = None  # None: as many as before
    timeout: float = 10.0
    drop: int = 0  # so many held requests are closed when the phase begins, oldest first; all when negative
    gc: bool = False


@dataclass(frozen=True, slots=True)
class Build:
    """One way to build or run the case: leaking, fixed, a healthy baseline."""

    name: str
    modfile: str = "go.mod"
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Take:
    """One recorded run: a build, a Go version, a style of paths."""

    build: Build
    go: str
    paths: Paths

    @property
    def name(self) -> str:
        """Return the name of its folder under captures/."""
        return f"{self.build.name}-go{self.go}-{self.paths}"


@dataclass(frozen=True, slots=True)
class Staging:
    """Modules that the module proxy has at some version only as folders of a larger module."""

    inside: str  # k8s.io/kubernetes@v1.12.4
    folder: str  # staging/src: what stands before the path of each of the modules
    modules: tuple[str, ...]
    version: str  # what go.mod calls them


@dataclass(frozen=True, slots=True)
class Case:
    """A folder of the casebook."""

    folder: Path
    title: str
    service: str
    packages: tuple[str, ...]
    builds: tuple[Build, ...]
    takes: tuple[Take, ...]
    phases: tuple[Phase, ...]
    pprof: str
    metrics: str
    live: Live
    limit: float
    upstream: str  # the real server that this is; "" for programs of our own
    staging: tuple[Staging, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the case."""
        return self.folder.name

    @property
    def captures(self) -> Path:
        """Return where its recorded evidence lies."""
        return self.folder / "captures"

    @property
    def scenario(self) -> Path:
        """Return the script that runs it where case.toml cannot say it."""
        return self.folder / "scenario.py"

    @property
    def own(self) -> bool:
        """Tell whether the program is built here; a server from a package is not."""
        return bool(self.packages)

    def build(self, name: str) -> Build:
        """Return a build by its name."""
        for build in self.builds:
            if build.name == name:
                return build
        raise BadCase(f"{self.name}: there is no build {name!r}; there are {', '.join(b.name for b in self.builds)}")


def only_keys(table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    """Refuse a table with a key that the format does not know."""
    if unknown := sorted(set(table) - set(keys)):
        raise BadCase(f"{where}: unknown key {', '.join(unknown)}; known are {', '.join(keys)}")


def _one_of(kind: Any, word: Any, where: str) -> None:
    if word not in get_args(kind):
        raise BadCase(f"{where}: {word!r} is none of {', '.join(filter(None, get_args(kind)))}")


def _wanted(table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    for key in keys:
        if table.get(key) in (None, ""):
            raise BadCase(f"{where}: {key} is missing")


def _phase(table: Mapping[str, Any], where: str) -> Phase:
    only_keys(table, ("moment", "seconds", "send", "connections", "timeout", "drop", "gc"), where)
    sends = []
    for send in table.get("send", ()):
        only_keys(send, ("method", "path", "count", "body", "hold"), f"{where}, send")
        _one_of(Hold, send.get("hold", ""), f"{where}, send")
        sends.append(Send(**send))
    rest = {key: table[key] for key in ("connections", "timeout", "drop", "gc") if key in table}
    _wanted(table, ("moment", "seconds"), where)
    return Phase(str(table["moment"]), float(table["seconds"]), tuple(sends), **rest)


def _build(table: Mapping[str, Any], where: str) -> Build:
    only_keys(table, ("name", "modfile", "flags"), where)
    _wanted(table, ("name",), f"{where}, build")
    return Build(table["name"], table.get("modfile", "go.mod"), tuple(table.get("flags", ())))


def _staging(table: Mapping[str, Any], where: str) -> Staging:
    keys = ("inside", "folder", "modules", "version")
    only_keys(table, keys, where)
    _wanted(table, keys, where)
    return Staging(table["inside"], table["folder"].strip("/"), tuple(table["modules"]), table["version"])


_KEYS = (
    "title", "service", "packages", "live", "limit", "pprof", "metrics", "build", "take", "phase", "upstream",
    "staging",
)  # fmt: skip


def read_toml(path: Path) -> dict[str, Any]:
    """Return a TOML file of a case; say which file is at fault when it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadCase(f"{path.parent.name}: {path.name} is missing") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadCase(f"{path.parent.name}/{path.name}: {error}") from None


def load(folder: Path) -> Case:
    """Return the case of a folder."""
    table = read_toml(folder / "case.toml")
    where = f"{folder.name}/case.toml"
    only_keys(table, _KEYS, where)
    _wanted(table, ("title", "service"), where)
    _one_of(Live, table.get("live", "short"), f"{where}, live")
    builds = tuple(_build(build, where) for build in table.get("build", ()))
    if not builds:
        builds = (Build(str(read_toml(folder / "expect.toml").get("verdict", ""))),)
    named = {build.name: build for build in builds}
    takes = []
    for take in table.get("take", ()):
        only_keys(take, ("build", "go", "paths"), where)
        _wanted(take, ("go", "paths"), f"{where}, take")
        _one_of(Paths, take["paths"], f"{where}, paths")
        build = take.get("build", builds[0].name)
        if build not in named:
            raise BadCase(f"{where}: a take wants the build {build!r}, which there is not")
        takes.append(Take(named[build], str(take["go"]), take["paths"]))
    if not takes:
        takes = [Take(build, go, paths) for build in builds for go, paths in USUAL_TAKES]
    for kind, made in (("build", [build.name for build in builds]), ("take", [take.name for take in takes])):
        if twice := {name for name in made if made.count(name) > 1}:
            raise BadCase(f"{where}: more than one {kind} is called {', '.join(sorted(twice))}")
    phases = tuple(_phase(phase, where) for phase in table.get("phase", ()))
    if not phases and not (folder / "scenario.py").exists():
        raise BadCase(f"{where}: neither [[phase]] nor scenario.py says what happens")
    return Case(
        folder, table["title"], table["service"], tuple(table.get("packages", (".",))), builds, tuple(takes), phases,
        table.get("pprof", "/debug/pprof"), table.get("metrics", "/metrics"), table.get("live", "short"),
        float(table.get("limit", 60)), table.get("upstream", ""),
        tuple(_staging(one, f"{where}, staging") for one in table.get("staging", ())),
    )  # fmt: skip


def names() -> list[str]:
    """Return the names of all cases."""
    return sorted(path.parent.name for path in CASEBOOK.glob("*/case.toml"))


def case(name: str) -> Case:
    """Return a case by its name."""
    if not (CASEBOOK / name / "case.toml").exists():
        raise UnknownCase(f"there is no case {name!r} in the casebook; `python -m casebook.runner list` names them")
    return load(CASEBOOK / name)


def chosen(wanted: Iterable[str]) -> list[Case]:
    """Return the cases of these names, or all when there is none."""
    return [case(name) for name in [*wanted] or names()]


__all__ = [
    "CASEBOOK", "MODULES", "BadCase", "Build", "Case", "Paths", "Phase", "Send", "Staging", "Take", "UnknownCase",
    "case", "chosen", "names", "only_keys", "read_toml",
]  # fmt: skip
