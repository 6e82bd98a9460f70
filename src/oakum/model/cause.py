"""Why, in the source: the lines that make the mistake, what they do, and what would fix it.

Every statement points at lines: a `Cause` is sentences (`Text`) and the places they speak of. `Lead` is weaker:
upstream changed the code at that place later, which may or may not be the fix.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, Protocol

from msgspec import Struct, field

from oakum.model.capture import Problem
from oakum.model.frame import Frame
from oakum.model.known import Carried
from oakum.model.proof import Proof
from oakum.model.text import Text
from oakum.model.vocabulary import CauseRole, Mechanism


class SourceText(Struct, frozen=True):
    """One Go file as it was read."""

    path: str  # where it was read on this machine
    name: str  # as the capture names it, or as a reader here would: what reports show
    data: bytes
    how: str = ""  # "module cache", "vendor", "checkout of k8s.io/kubernetes"
    note: str = ""  # what a reader should know: "this is a checkout, the profile names v0.18.8"
    inside: str = ""  # its path below the root of its module, where that is known: what a diff calls it


class Sources(Protocol):
    """Where explain gets source from. Whoever implements it opens files; explain itself opens none."""

    def file(self, frame: Frame) -> SourceText:
        """Return the file of a frame; raise SourceNotFound with the places that were tried."""
        ...

    def package(self, frame: Frame) -> tuple[SourceText, ...]:
        """Return the Go files of the frame's package that stand beside its file, that file first."""
        ...

    def imported(self, path: str, beside: Frame) -> tuple[SourceText, ...]:
        """Return the files of the package imported as `path` by the frame's package; () when they are not to be had."""
        ...

    def own(self) -> Iterable[tuple[SourceText, ...]]:
        """Return the packages of the program's own tree, where one is known: the module around the source given."""
        ...


class CauseSite(Struct, frozen=True):
    """A line of source and its part in the mistake: made, never-received, locked-first ..."""

    role: CauseRole
    frame: Frame
    code: str = ""  # the line as it is there, stripped
    process: str = "p1"


class Excerpt(Struct, frozen=True):
    """A few lines of one file; the decisive ones marked with their role."""

    file: str
    first: int
    lines: tuple[str, ...]
    marks: Mapping[int, CauseRole] = field(default_factory=lambda: MappingProxyType({}))  # line number -> role


class Cause(Struct, frozen=True):
    """Why, in the source: one paragraph of sentences, and the lines that they speak of."""

    because: tuple[Text, ...]
    sites: tuple[CauseSite, ...]
    excerpts: tuple[Excerpt, ...] = ()
    sources: tuple[str, ...] = ()  # which files were read, how they were found, what is to be known of them


class Lead(Struct, frozen=True):
    """Upstream changed this code in a later release: worth a look, proof of nothing."""

    module: str
    running: str  # version
    changed: str  # the first release whose text differs
    functions: tuple[str, ...]
    diff: str
    last_alike: str = ""  # the release before it
    at_lines: bool = False  # the very statements of the finding are others in it; otherwise only their functions


class Remedy(Struct, frozen=True):
    """What to do about it."""

    kind: Literal["upgrade", "patch", "mitigate"]
    text: Text
    diff: str | None = None
    risk: Text | None = None
    compiled: bool | None = None  # the diff was built with Go: True; could not be tried: None. What fails is not told
    proof: Proof | None = None  # what a test says of it; None: none was asked for


class Flaw(Struct, frozen=True):
    """A mistake that the code alone shows, without any capture. `id` stays when lines are added above it."""

    id: str
    mechanism: Mechanism
    cause: Cause  # the first of its sites is the decisive one
    remedies: tuple[Remedy, ...] = ()
    ignored: str = ""  # why it is to be ignored, as the source says beside it

    @property
    def place(self) -> Frame:
        """Return the line that it is told at."""
        return self.cause.sites[0].frame


class Scan(Struct, frozen=True):
    """What was found in a tree: flaws in the order of the files, and what could not be read."""

    roots: tuple[str, ...]  # directories and files as they were given
    files: int
    packages: int
    flaws: tuple[Flaw, ...] = ()
    ignored: tuple[Flaw, ...] = ()
    problems: tuple[Problem, ...] = ()
    builds: int = 0  # files that name versions: go.mod, vendor/modules.txt, programs, captures
    carried: tuple[Carried, ...] = ()  # known bugs of these versions
    passed_over: tuple[Carried, ...] = ()  # those that the file wants ignored
    unlinked: tuple[Carried, ...] = ()  # those whose leaking code is not in the program
