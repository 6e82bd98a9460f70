"""What a known bug looks like: where its goroutines stand or its memory is allocated, and by which way they came.

Names are compared as `normal_function` gives them: without vendor prefixes, closure numbers and type arguments. A fork
keeps the paths inside the module and gives them another beginning; code that was moved keeps its names alone.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Generic, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from oakum.knowledge.globs import glob, is_glob
from oakum.knowledge.paths import unescaped
from oakum.model import Frame, Stack, normal_function
from oakum.regex import regex

E = TypeVar("E")
Level = Literal["exact", "fork", "moved"]
Choice = str | tuple[str, ...]
Spellings = tuple[str, ...]

# v2.Unmarshal
_MAJOR = regex(r"v\d+\.")
# github.com/jackc/pgx/v5
_MAJOR_END = regex(r"/v\d+$")
_LEVELS: tuple[Level, ...] = ("exact", "fork", "moved")
# How many functions of the module a stack needs under another name than upstream's, so that this is no coincidence.
_OF_A_FORK = 2
_MOVED = 3
_DEEP = 3
# What releases of Go before 1.20 (WaitGroup: 1.24) call the waits for these.
_OLD_STATES = {
    "semacquire": frozenset({"sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "sync.WaitGroup.Wait"})
}


class Hit(Struct, Generic[E], frozen=True):
    """A stack has the signature of an entry: under upstream's own names, a fork's, or with its code moved elsewhere."""

    entry: E
    signature: "Signature"
    level: Level
    unsaid: tuple[str, ...] = ()  # what the capture does not say: "state", "created"
    fork: str = ""  # what stands in the place of the module's path

    @property
    def order(self) -> tuple[int, ...]:
        """Return what hits are sorted by, the surest first: of two that fit, the one that asks for more."""
        asked = self.signature
        depth = bool(asked.leaf) + len(asked.path) + bool(asked.created)
        return _LEVELS.index(self.level), asked.symptom, len(self.unsaid), -depth


class Signature(Struct, frozen=True, forbid_unknown_fields=True):
    """All that is given must hold. A star stands for anything, but in no function's own name."""

    leaf: tuple[str, ...] = ()  # one of these is where it stands, or allocates
    path: tuple[Choice, ...] = ()  # each (or one of each choice) is further down, in this order, others between them
    states: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    without: tuple[str, ...] = ()  # no frame is one of these
    where: Literal["self", "peer"] = "self"  # peer: what is to be fixed runs in the process that this one talks to
    symptom: bool = False  # others' bugs look like this too: tells what to capture, names nothing

    @property
    def functions(self) -> tuple[str, ...]:
        """Return every function that has to be there, or one of which has to."""
        return (*self.leaf, *(name for choice in self.path for name in _choices(choice)), *self.created)

    def waiting(
        self, entry: E, modules: Sequence[str], frames: Sequence[Frame], state: str | None, created: Frame | None
    ) -> Hit[E] | None:
        """Return the hit when goroutines of this stack look like the leak."""
        if self.states and state is not None and not any(_same_state(state, one) for one in self.states):
            return None
        place = Stack(tuple(frames)).place
        at = next((row for row, frame in enumerate(frames) if frame is place), 0)
        unsaid = ("state",) * (state is None and bool(self.states)) + ("created",) * (
            created is None and bool(self.created)
        )
        made = spellings(created.function, created.file) if created is not None else None
        return self._hit(entry, modules, _spelt(frames), range(at, at + 1), made, unsaid)

    def allocating(self, entry: E, modules: Sequence[str], frames: Sequence[Frame]) -> Hit[E] | None:
        """Return the hit when memory that this stack allocated looks like the leak."""
        last = next((row for row, frame in enumerate(frames) if frame.owner in ("own", "dependency")), 0)
        return self._hit(entry, modules, _spelt(frames), range(last + 1), None, ())

    def _hit(
        self,
        entry: E,
        modules: Sequence[str],
        names: Sequence[Spellings],
        leaves: Iterable[int],
        created: Spellings | None,
        unsaid: tuple[str, ...],
    ) -> Hit[E] | None:
        leaves = tuple(leaves)
        if self._fits(names, leaves, created):
            return Hit(entry, self, "exact", unsaid)
        own = [name for name in self.functions if _inside(name, modules)]
        alone = len(own) == len(self.functions)  # no function of another module has to be there
        everyone = [name for one in (*names, *((created,) if created is not None else ())) for name in one]
        for fork in _forks(own, modules, everyone):
            moved = self._renamed(partial(_in_fork, modules=modules, fork=fork))
            telling = not alone or _named_alike(fork, modules) or _deep(own, modules)
            enough = _OF_A_FORK if telling else _MOVED
            if moved._fits(names, leaves, created) and _count(moved.functions, everyone, fork) >= enough:
                return Hit(entry, self, "fork", unsaid, fork)
        if len({bare(name) for name in own}) >= _MOVED and not alone:
            moved = self._renamed(lambda name: f"~{bare(name).lower()}" if _inside(name, modules) else name)
            if moved._fits(names, leaves, created):
                return Hit(entry, self, "moved", unsaid)
        return None

    def _fits(self, names: Sequence[Spellings], leaves: Sequence[int], created: Spellings | None) -> bool:
        begin = 0
        if self.leaf:
            found = [row for row in leaves if _any(self.leaf, names[row])] if names else []
            if not found:
                return False
            begin = found[0] + 1
        for choice in self.path:
            row = next((row for row in range(begin, len(names)) if _any(_choices(choice), names[row])), None)
            if row is None:
                return False
            begin = row + 1
        if created is not None and self.created and not _any(self.created, created):
            outer = tuple(name.removesuffix(".func") for name in created)  # started by a closure of it
            if not _any(tuple(one.removesuffix(".func") for one in self.created), outer):
                return False
        return not (self.without and any(_any(self.without, name) for name in names))

    def _renamed(self, rename: Callable[[str], str]) -> "Signature":
        def renamed(choice: Choice) -> Choice:
            return rename(choice) if isinstance(choice, str) else tuple(rename(name) for name in choice)

        return replace(
            self,
            leaf=tuple(rename(name) for name in self.leaf),
            path=tuple(renamed(choice) for choice in self.path),
            created=tuple(rename(name) for name in self.created),
            without=tuple(rename(name) for name in self.without),
        )


def _choices(choice: Choice) -> tuple[str, ...]:
    return (choice,) if isinstance(choice, str) else choice


def _same_state(state: str, wanted: str) -> bool:
    return state == wanted or wanted in _OLD_STATES.get(state, ())


def _inside(name: str, modules: Sequence[str]) -> bool:
    """Tell whether a function is of one of the modules."""
    return any(name.startswith((f"{module}/", f"{module}.")) for module in modules)


def _forks(own: Sequence[str], modules: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return what may stand in the place of the modules' path: some function is at the same place below it."""
    found: dict[str, None] = {}
    for name in own:
        module = max((one for one in modules if _inside(name, (one,))), key=len)
        inside = name.removeprefix(module)  # "/pkg/clustermanager.(*Manager).toRecord", "." + name in the root package
        if inside.startswith("."):  # the last element of its path is then the package's name
            inside = f"/{module.rpartition('/')[2]}{inside}"
        for other in names:
            if other.endswith(inside) and not _inside(other, modules):
                beginning = other.removesuffix(inside)
                found[
                    beginning if name.removeprefix(module).startswith("/") else other.removesuffix(f".{bare(name)}")
                ] = None
    return list(found)


def _named_alike(fork: str, modules: Sequence[str]) -> bool:
    """Tell whether a path ends as that of a module does: github.com/acme/apimachinery, git.corp/acme-db."""
    last = fork.rpartition("/")[2]
    return any(_MAJOR_END.sub("", module).rpartition("/")[2] in last for module in modules)


def _deep(own: Sequence[str], modules: Sequence[str]) -> bool:
    """Tell whether the packages lie so deep in the module that nobody else has them: pkg/controllers/management/x."""
    module = max((one for one in modules if _inside(own[0], (one,))), key=len)
    return min(name.removeprefix(module).count("/") for name in own if _inside(name, (module,))) >= _DEEP


def _in_fork(name: str, modules: Sequence[str], fork: str) -> str:
    for module in sorted(modules, key=len, reverse=True):
        if _inside(name, (module,)):
            return f"{fork}{name.removeprefix(module)}"
    return name


def _count(patterns: Sequence[str], names: Sequence[str], fork: str) -> int:
    """Return how many functions of a fork are on the stack or have started it."""
    mine = {pattern for pattern in patterns if pattern.startswith((f"{fork}/", f"{fork}."))}
    return len({pattern for pattern in mine if _any((pattern,), tuple(names))})


def _any(patterns: Sequence[str], names: Spellings) -> bool:
    return any(_same(pattern, name) for pattern in patterns for name in names)


def _same(pattern: str, name: str) -> bool:
    if pattern.startswith("~"):  # wherever it stands; a type may be exported elsewhere
        return bare(name).lower() == pattern[1:]
    return name == pattern or (is_glob(pattern) and bool(glob(pattern)(name)))


def _spelt(frames: Sequence[Frame]) -> list[Spellings]:
    return [spellings(frame.function, frame.file) for frame in frames]


@lru_cache(maxsize=65536)
def spellings(function: str, file: str = "") -> Spellings:
    """Return the names of a function: its own, and those of a closure whose function was inlined into others.

    Go names it after who it ended up in, `wait.PollUntil.poller.func1`, in the package of that one; the file is still
    its own.
    """
    name = normal_function(function)
    if not name.endswith(".func") or "." not in (rest := after_package(name)):
        return (name,)
    package = name.removesuffix(f".{rest}")
    parts = rest.split(".")
    tails = [".".join(parts[at:]) for at in range(1, len(parts) - 1) if not parts[at - 1].startswith("(")]
    homes = dict.fromkeys((package, package_of(file)))
    return (
        name,
        *(f"{home}.{tail}" for home in homes if home for tail in (tails if home == package else [rest, *tails])),
    )


def after_package(name: str) -> str:
    """Return what follows the package: "PollUntil.poller.func", "(*T).run.func", "main.(*T).run.func"."""
    dot = name.find(".", name.rfind("/", 0, name.find("(") if "(" in name else len(name)) + 1)
    # gopkg.in/yaml.v2.Unmarshal: the version in a package's name is none of the function's
    while (tail := name[dot + 1 :]) and _MAJOR.match(tail):
        dot = name.find(".", dot + 1)
    return name[dot + 1 :]


# /go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/util/wait/wait.go   k8s.io/apimachinery@v0.18.8/pkg/util/wait/wait.go
_CACHED = regex(r"(?:^|/pkg/mod/)((?:[^/@]+/)+[^/@]+)@v[^/]+(/.*)?/[^/]+$")
# /src/shop/vendor/k8s.io/apimachinery/pkg/util/wait/wait.go
_VENDORED = regex(r"(?:^|/)vendor/(.+)/[^/]+$")


def package_of(file: str) -> str:
    """Return the package that a file of a dependency belongs to; "" where its path does not tell."""
    found = _CACHED.search(file)
    if found:
        return f"{unescaped(found[1])}{found[2] or ''}"
    found = _VENDORED.search(file)
    return found[1] if found else ""


@lru_cache(maxsize=65536)
def bare(function: str) -> str:
    """Return receiver and name of a function, without its package: "(*StreamWatcher).receive"."""
    name = normal_function(function)
    paren = name.find("(")
    return name[paren:] if paren >= 0 else after_package(name)


class Index:
    """Entries by the functions that their signatures begin with."""

    def __init__(self) -> None:
        self._exact: dict[str, dict[str, None]] = {}
        self._alike: dict[str, dict[str, None]] = {}  # by receiver and name
        self._globs: dict[str, dict[str, None]] = {}
        self._known: dict[tuple[str, str], dict[str, None]] = {}

    def add(self, entry: str, patterns: Iterable[str]) -> None:
        """Remember that a signature of an entry begins with one of these."""
        for pattern in patterns:
            shelf = (self._globs, bare(pattern)) if is_glob(pattern) else (self._exact, pattern)
            for names, name in (shelf, (self._alike, bare(pattern))):
                names.setdefault(name, {})[entry] = None

    def get(self, function: str, file: str = "") -> dict[str, None]:
        """Return the entries that a function may belong to; forks only of what upstream has nowhere."""
        if (found := self._known.get((function, file))) is None:
            found = {}
            for name in spellings(function, file):
                found |= self._exact.get(name, {}) | self._globs.get(bare(name), {})
            if not found:
                found = self._alike.get(bare(function), {})
            self._known[function, file] = found
        return found
