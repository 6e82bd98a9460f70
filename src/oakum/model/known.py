"""Leaks that upstream knows: the one that a finding is, and those that a build carries before they bite."""

from typing import Literal

from msgspec import Struct

from oakum.model.frame import Frame
from oakum.model.text import Text
from oakum.model.vocabulary import Mechanism


class KnownMatch(Struct, frozen=True):
    """The upstream bug that a finding is. `affects_build` is what the version that runs says to it."""

    id: str
    module: str
    found: str | None
    fixed: tuple[str, ...]
    upgrade_to: str | None
    where: Literal["self", "peer"]
    affects_build: Literal["yes", "no", "unknown"]
    references: tuple[str, ...] = ()
    summary: Text | None = None
    says: tuple[Text, ...] = ()  # by what it was recognised, what tells the version, what speaks against it
    reviewed: bool = True
    fault: Literal["library", "usage"] = "library"  # usage: no release fixes it, whoever calls it has to


class Carried(Struct, frozen=True):
    """A known bug that a build has in it."""

    id: str
    mechanism: Mechanism
    module: str
    found: str | None
    fixed: tuple[str, ...]
    upgrade_to: str | None
    affects: Literal["yes", "unknown"]
    origin: str  # the file that names the version: a go.mod, a binary, a capture
    summary: Text
    references: tuple[str, ...] = ()
    fork: str = ""  # what is built in the module's place
    linked: bool | None = None  # whether the leaking functions are in the program; None: the file does not say
    reviewed: bool = True
    line: int = 0  # of a file that people write
    ignored: str = ""  # why it is to be ignored, as the file says beside it
    program: str = ""  # the main package, where the file tells of a program
    product: bool = False  # the module is the program's own: a release of it, not a requirement
    doubt: str = ""  # why the version does not decide: fork, directory, no-version, commit, pre-release, go.sum

    @property
    def certain(self) -> bool:
        """Return whether the version says it, and somebody has checked the entry against the source."""
        return self.affects == "yes" and self.reviewed

    @property
    def mendable(self) -> bool:
        """Return whether it is certain, and there is a release to upgrade to."""
        return self.certain and self.upgrade_to is not None


class Sighting(Struct, frozen=True):
    """Goroutines, or memory, of a process that have the signature of known bugs; one value a snapshot."""

    process: str
    place: Frame
    state: str | None = None
    created: Frame | None = None
    counts: tuple[int | None, ...] = ()  # goroutines; None: the snapshot has no goroutines
    sizes: tuple[int | None, ...] = ()  # bytes in use, of memory
    share: float = 0.0  # of the heap
    longest: int | None = None  # minutes that one of them has waited
    piled_up: bool = False  # more than one goroutine, or a part of the heap that is worth a word
    normal: bool = False  # healthy processes have some of these, and nothing shows that there are more and more
    matches: tuple[KnownMatch, ...] = ()  # the surest first
    symptoms: tuple[tuple[Text, Text], ...] = ()  # what it may be a consequence of, and why that is not certain
    ids: tuple[str, ...] = ()  # of the entries whose symptoms these are
