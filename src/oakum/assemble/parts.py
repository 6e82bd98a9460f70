"""What the stage is given: captures with what was read in them, and where each lies below the argument that named it.

`Input` is one capture, `Part` one reading of it: the unit that snapshots are put together from.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct, field

from oakum.model import Argument, Capture, Goroutines, Problem, Profile, Reading, Source

Grouped = Callable[[Reading], Goroutines | None]  # parse's: the goroutines of a reading, whichever format they came in

# What the kernel tells of a process: together one status, the first to tell a figure wins.
# panic: runtime error: index out of range   fatal error: out of memory   SIGQUIT: quit
_LAST_WORDS = ("panic: ", "fatal error: ", "SIGQUIT", "SIGABRT")
KERNEL = ("proc-status", "process-facts", "smaps-rollup", "cgroup")


class Input(Struct, frozen=True, eq=False):
    """One capture, what was read in it, and its path below the argument, or whatever else stands for one."""

    given: str  # the argument that it was found by
    path: tuple[str, ...]  # below it; (): the argument names this capture itself
    capture: Capture
    readings: tuple[Reading, ...]
    name: str = ""  # what the argument is called; "": its last part
    asked: str = ""  # what was asked for, where that is another word: the address that a bundle was captured from


class Part(Struct, eq=False):
    """One reading of one capture, and why it was not used, where it was not."""

    capture: Capture
    reading: Reading
    grouped: Grouped
    given: str = ""  # what was asked for
    at: int = 0  # its number among all that was given
    problems: list[Problem] = field(default_factory=list)
    example: bool = False  # goroutines that a page quotes: they show what some process did, not what this one does

    @property
    def slot(self) -> str | None:
        """Return the field of a Snapshot that makes one by itself; None when it goes beside others at most."""
        reading = self.reading
        if self.example:
            return None
        if reading.metrics is not None:
            return "status" if reading.format in KERNEL else "metrics"
        if reading.kind in ("goroutine", "goroutineleak"):
            usable = reading.goroutines is not None or reading.profile is not None
            return ("leaked" if reading.kind == "goroutineleak" else "goroutines") if usable else None
        # An allocs profile is a heap profile that shows another of its columns first.
        if reading.kind in ("heap", "allocs") and (reading.profile is not None or reading.memstats is not None):
            return "heap"
        if reading.holders is not None:
            return "holders"
        return None

    @property
    def beside(self) -> bool:
        """Tell whether it is a fact about a snapshot that others make: sockets, a profile of another kind."""
        return self.slot is None and (self.reading.sockets is not None or self.reading.profile is not None)

    @property
    def other_profile(self) -> Profile | None:
        """Return its profile where no field of a Snapshot is for it: block, mutex, cpu, threadcreate."""
        return self.reading.profile if self.slot is None else None

    @property
    def goroutines(self) -> Goroutines | None:
        """Return its goroutines, whatever format they came in."""
        return self.grouped(self.reading)

    @property
    def quoted(self) -> int:
        """Return how many goroutines a page quotes here; 0 when this is no quotation."""
        found = self.reading.goroutines
        return found.total if found is not None and "quoted" in self.reading.notes else 0

    @property
    def has_stacks(self) -> bool:
        """Tell whether any of its goroutines has a frame; a quoted header has none."""
        found = self.goroutines
        return found is not None and any(group.stack.frames for group in found.groups)

    @property
    def single_stack(self) -> bool:
        """Tell whether this is one goroutine's own stack (a panic, debug.PrintStack), not what a process does."""
        found = self.reading.goroutines
        if found is None or self.reading.kind != "goroutine" or self.reading.format != "debug2":
            return False
        return len(found.groups) == 1 and found.groups[0].count == 1 and found.groups[0].state == "running"

    @property
    def ended(self) -> str:
        """Return why the process ended, where the dump is what Go prints when it does; "" when it may have gone on."""
        reason = self.reading.notes.get("reason", "")
        return reason if reason.startswith(_LAST_WORDS) and "[recovered]" not in reason else ""

    @property
    def in_a_log(self) -> bool:
        """Tell whether it is a part of its capture."""
        return bool(self.reading.where) and not self.ranged

    @property
    def ranged(self) -> bool:
        """Tell whether it is one sample of many that a store of metrics has: a snapshot of its own."""
        return self.reading.format == "prometheus-range"

    @property
    def source(self) -> Source:
        """Return where a claim can point at."""
        return Source(self.capture.origin, self.capture.digest, self.reading.format, self.reading.where)

    @property
    def label(self) -> str:
        """Return what a snapshot is called that only this part makes."""
        return f"{self.capture.origin} {self.reading.where}".strip()

    def reject(self, name: str, /, **args: Argument) -> None:
        """Note why it was not used."""
        self.problems.append(Problem.of(name, self.reading.where, **args))


class ViewPart(Part):
    """A part as a view takes it: every profile and every dump is of a kind of its own, and nothing else is shown."""

    @property
    def slot(self) -> str | None:
        """Return the kind of what it shows; None when no view does."""
        return self.reading.kind if self.reading.usable else None


def process_name(parts: Iterable[Part]) -> str | None:
    """Return the name of the process that captures tell, where one does."""
    return next((part.reading.notes["process"] for part in parts if "process" in part.reading.notes), None)
