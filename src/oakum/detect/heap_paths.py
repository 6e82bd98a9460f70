"""An allocation's stack -> the frames a person names: where it was allocated, who registered it, what drives it.

Goes out: a `Path`, from names alone. Runtime frames are not in heap profiles: maps and slices that grow do not show
themselves, containers of the standard library do.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache

from msgspec import Struct

from oakum.knowledge.pairs import Pair, pairs
from oakum.model import Frame, Stack, normal_function
from oakum.model.frame import split_function

# Containers of the standard library that keep what is put into them.
_CONTAINERS = (
    "sync.(*Map).", "internal/sync.(*HashTrieMap", "internal/concurrent.(*HashTrieMap", "container/list.",
    "container/ring.", "container/heap.", "maps.", "slices.Insert", "slices.Grow", "slices.AppendSeq", "unique.",
)  # fmt: skip
# What reads or builds a whole text: a small part of it that is kept keeps all of it.
_TEXTS = (
    "io.ReadAll", "io/ioutil.ReadAll", "os.ReadFile", "io/ioutil.ReadFile", "strings.(*Builder)", "bytes.(*Buffer)",
    "bytes.growSlice", "bufio.(*Reader).ReadString", "bufio.(*Reader).ReadBytes", "bufio.(*Scanner)", "strings.Join",
    "strings.Repeat", "encoding/json.", "net/http.(*body)",
)  # fmt: skip
# Goroutines themselves: descriptors and threads are never freed, and belong to whoever started them.
_GOROUTINE = ("runtime.malg", "runtime.allocm", "runtime.newproc", "runtime.newm", "runtime.acquireSudog")


class Path(Struct, frozen=True, dict=True):
    """What one stack says. `driver` is what runs again and again: a handler, a loop, a goroutine's own function."""

    allocated: Frame
    driver: Frame
    own: tuple[Frame, ...]  # from the allocation to the driver, leaf first
    registered: tuple[Frame, ...] = ()  # the acquiring function, its caller, the first own frame that called it
    inside: frozenset[str] = frozenset()  # functions from the allocation to the last of these
    pair: Pair | None = None
    container: Frame | None = None
    text: bool = False
    anybody: bool = False  # only the standard library's frames: nobody's code in particular
    goroutine: bool = False

    @cached_property
    def types(self) -> frozenset[str]:
        """Return the types whose methods are on the way to the driver; the driver's own does not count."""
        return frozenset(filter(None, (type_of(f.function) for f in self.own[:-1] if f.owner in ("own", "dependency"))))

    @property
    def site(self) -> tuple[str, int, str, int]:
        """Return what tells one allocation of one driver from another."""
        return (
            normal_function(self.allocated.function), self.allocated.line,
            normal_function(self.driver.function), self.driver.line,
        )  # fmt: skip


def type_of(function: str) -> str:
    """Return package and receiver of a method, "" of a function."""
    package, receiver, _ = split_function(function)
    return f"{package}.{receiver}" if receiver else ""


@lru_cache(maxsize=8192)
def path_of(stack: Stack) -> Path:
    """Return what a stack says."""
    frames = stack.frames or (Frame("<unknown>"),)
    mine = [at for at, frame in enumerate(frames) if frame.owner in ("own", "dependency")]
    if not mine:
        place = stack.place or frames[0]
        goroutine = any(frame.function.startswith(_GOROUTINE) for frame in frames)
        return Path(place, frames[-1], frames, anybody=True, goroutine=goroutine)
    leaf = mine[0]
    driver = _driver(frames, leaf)
    pair, registered = _registered(frames)
    return Path(
        allocated=frames[leaf],
        driver=frames[driver],
        own=tuple(frames[leaf : driver + 1]),
        registered=registered,
        inside=frozenset(normal_function(f.function) for f in frames[: frames.index(registered[-1]) + 1])
        if registered
        else frozenset(),
        pair=pair,
        container=next((frame for frame in frames[: leaf + 1] if frame.function.startswith(_CONTAINERS)), None),
        text=any(frame.function.startswith(_TEXTS) for frame in frames[:leaf]),
    )


def _driver(frames: Sequence[Frame], leaf: int) -> int:
    """Return the outermost frame of the run of own code above an allocation: a handler, a loop, a goroutine's function.

    Where a framework calls (net/http, a router, a pool of workers) the run ends: what is above serves everybody.
    """
    first = next((at for at in range(leaf, len(frames)) if frames[at].owner == "own"), None)
    if first is None:  # nobody's own code: the outermost function of the same module
        return max(at for at in range(leaf, len(frames)) if frames[at].owner == "dependency")
    last = first
    for at in range(first, len(frames)):
        if frames[at].owner != "own":
            break
        last = at
    return last


def _registered(frames: Sequence[Frame]) -> tuple[Pair | None, tuple[Frame, ...]]:
    """Return the pair whose acquiring half is on the path, and the frames that tell of it; generic names come last."""
    known = pairs()
    found = [(at, pair) for at, frame in enumerate(frames) if (pair := known.match(frame.function))]
    if not found:
        return None, ()
    at, pair = next(((at, pair) for at, pair in found if not pair.generic), found[0])
    while (
        at + 1 < len(frames) and known.match(frames[at + 1].function) is pair
    ):  # AddEventHandler of ...WithResyncPeriod
        at += 1
    callers = frames[at + 1 :]
    told = [frames[at]]
    told += [frame for frame in callers if frame.owner in ("own", "dependency")][:1]
    told += [frame for frame in callers if frame.owner == "own"][:1]
    return pair, tuple(dict.fromkeys(told))
