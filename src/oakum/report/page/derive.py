"""Every number of a page -> the command that derives it again from the captures.

Comes in: a diagnosis and one of its claims, growths or totals. Goes out: what to type; "" when the evidence cannot be
read a second time (standard input). Views show what a claim counts; where none does, the nearest one is named, and
`NEAREST` lists those kinds.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from oakum.model import Evidence, Finding, Growth, Memory, Site, SnapshotRow, Victim
from oakum.model.diagnosis import Diagnosis
from oakum.model.vocabulary import EvidenceKind
from oakum.report.advice import list_command

# Claims about several snapshots, and claims about what the heap holds.
_THROUGH: frozenset[EvidenceKind] = frozenset(
    {
        "reproduced",
        "level-under-load",
        "may-end",
        "may-fill",
        "steady-growth",
        "growth-at-constant-load",
        "single-step",
        "outlives-load",
        "not-reused",
        "never-drops",
        "unanswered",
        "departures",
        "same-goroutines",
        "queue-growth",
        "counts-only",
        "turnover",
        "plateau",
        "open-connections",
        "progress",
    }
)
_HEAP: frozenset[EvidenceKind] = frozenset(
    {
        "heap-reproduced",
        "heap-level-under-load",
        "heap-steady-growth",
        "heap-single-step",
        "heap-even-growth",
        "heap-goes-on",
        "heap-retained",
        "heap-plateau",
        "heap-falls",
        "heap-owner",
        "heap-sampling-noise",
        "heap-with-goroutines",
        "heap-baseline",
        "heap-like-baseline",
        "heap-pinned",
        "heap-largest",
    }
)
_HELD: frozenset[EvidenceKind] = frozenset({"held-by", "held-growth", "held-steady-growth"})
_SOURCE: frozenset[EvidenceKind] = frozenset(
    {"cause-in-source", "never-removed", "bounded", "ends-by-itself", "proven-by-test"}
)
_PROCESS: frozenset[EvidenceKind] = frozenset(
    {
        "off-heap-steady-growth",
        "off-heap-single-step",
        "off-heap-plateau",
        "off-heap-falls",
        "off-heap-reserved",
        "memory-headroom",
        "memory-idle",
        "metric-growth",
        "metric-stops-with-work",
        "metric-plateau",
        "metric-fall",
        "metric-follows-requests",
    }
)
# Claims about goroutines that wait for each other.
_TIED: frozenset[EvidenceKind] = frozenset(
    {"same-lock", "lock-holder", "no-lock-holder", "wait-cycle", "parent-waits", "inferred-link"}
)
# How the goroutines of a claim are shown, where their stacks are not what it is about.
_SHOWN_BY: Mapping[EvidenceKind, tuple[str, ...]] = {
    "majority": (),
    "pile-up": (),
    "startup-pool": ("--ids",),
    "startup-goroutine": ("--ids",),
}
# Counted over the captures of several processes; the command shows one of them.
_TOGETHER: frozenset[EvidenceKind] = frozenset({"waited-for", "process-cycle"})
# What no view prints as the claim says it: shares and sums that the diagnosis makes of what these commands show.
NEAREST: frozenset[EvidenceKind] = (
    _TOGETHER
    | _PROCESS
    | _SOURCE
    | _TIED
    | {
        "heap-owner",
        "heap-pinned",
        "heap-reproduced",
        "heap-level-under-load",
        "heap-sampling-noise",
        "heap-with-goroutines",
        "progress",
        "same-goroutines",
        "counts-only",
        "finalizer-runs",
        "timer-runs",
    }
)

_LONGEST = 200  # of a name in a command: what is longer is looked for by its end
_FILES_FEW, _FILES_MOST = 2, 24  # in a command that somebody reads before typing it
_COMMAND_MOST = 6000  # characters; no shell is handed a name of a megabyte


class Derive:
    """Knows the captures of a diagnosis, and names the commands that read them again."""

    def __init__(self, diagnosis: Diagnosis, kept: str = "") -> None:
        self.diagnosis, self.kept = diagnosis, kept
        self._inputs = {row.digest: row for row in diagnosis.inputs if row.digest}
        self._of_process: dict[tuple[str, bool], list[SnapshotRow]] = {}
        self._captured: dict[str, str] = {}  # capture -> the first process that it is of
        for snapshot in diagnosis.moments:
            self._of_process.setdefault((snapshot.process, snapshot.baseline), []).append(snapshot)
            for digest in snapshot.inputs if not snapshot.baseline else ():
                self._captured.setdefault(digest, snapshot.process)
        self._numbers: dict[tuple[str, datetime | None], int] = {}
        for number, row in enumerate(diagnosis.inputs, 1):
            self._numbers.setdefault((row.digest, row.taken_at), number)
            self._numbers.setdefault((row.digest, None), number)

    def number(self, digest: str, at: datetime | None = None) -> int | None:
        """Return the number of a capture in the list of inputs, from one; a log may have dumps of several snapshots."""
        return self._numbers.get((digest, at)) or self._numbers.get((digest, None))

    def origin(self, digest: str) -> str:
        """Return where a capture came from; "" when it is none of the inputs."""
        row = self._inputs.get(digest)
        return row.origin if row else ""

    def everything(self) -> str:
        """Return the diagnosis itself once more, as data."""
        return self._again("diagnose", "--json")

    def recheck(self) -> str:
        """Return what derives the whole report again and compares."""
        return _view("report", "--recheck", *_file(self.kept or "report.json"))

    def data(self) -> str:
        """Return what prints all that the report says, cut nowhere; "" when no file is known that has it."""
        return _view("report", "--json", *_file(self.kept)) if self.kept else ""

    def inspecting(self) -> str:
        """Return what says of every input what it is, and what is wrong with it."""
        given = _evidence_of(self.diagnosis.called)
        return _view("inspect", *given) if given and "-" not in given else ""

    def verified(self, after: str) -> str:
        """Return what compares this evidence with that of after a fix; "" when it was not named in one word."""
        given = _evidence_of(self.diagnosis.called)
        return _view("verify", *given, after) if len(given) == 1 and "-" not in given else ""

    def _again(self, *words: str) -> str:
        called = self.diagnosis.called
        return "" if not called or "-" in called else _view(*words, *called)

    def claim(self, found: Finding, evidence: Evidence) -> str:
        """Return what shows the number of a claim."""
        process, kind = self._process(found, evidence), evidence.kind
        if kind == "known-bug":
            return _view("known", "show", str(evidence.claim.args.get("id", "")))
        if kind in _SOURCE:
            return self.listed(found)
        if kind in ("follows-work", "log-lines"):
            origin = self.origin(evidence.capture)
            return _view("inspect", origin) if _readable(origin) else ""
        if kind in _PROCESS:
            return self._memory(process, baseline=False)
        if kind == "other-run":
            return self._course(found, _measure(found), process)
        if kind in _HELD:
            files = self._files(process, "holders")
            return _view("holders", *(files[-1:] if kind == "held-by" else [files[0], files[-1]])) if files else ""
        if kind in _HEAP:
            return self._heap(found, evidence, process)
        if kind in ("finalizer-runs", "timer-runs"):
            function = str(evidence.claim.args.get("function", ""))
            return _diff(_place(function), self._few(self._files(process, "goroutine")))
        if kind == "baseline":
            return self._beside_twin(found, process)
        if kind in _THROUGH and self._several(process, "goroutine"):
            return _diff(_place(self._stands(found, evidence)), self._few(self._files(process, "goroutine")))
        origin = self.origin(evidence.capture)
        if not _readable(origin):
            return ""
        if kind in _TIED:
            return _view("goroutines", "--focus", _places(self._tied(found, process)), origin)
        shape = _SHOWN_BY.get(kind, ("--stacks",))
        return _view("goroutines", *shape, "--focus", _place(self._stands(found, evidence)), origin)

    def listed(self, found: Finding) -> str:
        """Return what shows the source of a finding whole; "" when it has none, or it cannot be read again."""
        command = list_command(found, self.diagnosis.called)
        return command if len(command) <= _COMMAND_MOST else ""

    def growth(self, found: Finding, growth: Growth) -> str:
        """Return what shows a series of a finding."""
        return self._course(found, growth.measure, found.suspect.sites[0].process)

    def _course(self, found: Finding, measure: str, process: str) -> str:
        """Return what shows a measure of a finding in the snapshots of a process."""
        if measure == "rss" or _whole(found):
            return self._memory(process, baseline=False)
        site = found.suspect.sites[0]
        if measure == "goroutines":
            if not self._several(process, "goroutine"):
                files = self._files(process, "goroutine")
                return _view("goroutines", "--focus", _place(site.frame.function), *files) if files else ""
            return _diff(_place(site.frame.function), self._few(self._files(process, "goroutine")))
        if not self._files(process, "heap") and (held := self._files(process, "holders")):
            return _view("holders", *held[-2:])
        return self._profiles(f"-{measure}", self._allocated(found), process)

    def totals(self, process: str, measure: str, *, baseline: bool = False) -> str:
        """Return what shows a measure of the whole process through its snapshots."""
        if measure == "goroutines":
            files = self._files(process, "goroutine", baseline=baseline)
            if files and self._several(process, "goroutine", baseline=baseline):
                return _view("diff", *self._few(files))
            if files:
                return _view("goroutines", *files)
        return self._memory(process, baseline=baseline)

    def flame(self, kind: str) -> str:
        """Return what draws the flame graph of the last capture of a kind, what grew since the first one marked."""
        first = [found.suspect.sites[0].process for found in self.diagnosis.findings[:1]]
        rows = [row.id for row in self.diagnosis.processes]
        files = next((files for one in (*first, *rows) if (files := self._files(one, kind))), [])
        if not files:
            return ""
        base = ("-diff_base", files[0]) if len(files) > 1 else ()
        return _view("flame", *base, files[-1])

    def budget(self, memory: Memory) -> str:
        """Return what shows the numbers of a process's memory at its last snapshot."""
        snapshots = self._snapshots(memory.process, baseline=False)
        found = self._told(snapshots[-1].inputs) if snapshots else []
        return _view("inspect", *found) if found else ""

    # Which captures, and which place in them.

    def _snapshots(self, process: str, *, baseline: bool) -> list[SnapshotRow]:
        return self._of_process.get((process, baseline), [])

    def _several(self, process: str, kind: str, *, baseline: bool = False) -> bool:
        """Tell whether several snapshots have captures of a kind: several files, or several dumps in one log."""
        snapshots = self._snapshots(process, baseline=baseline)
        kinds = [{row.kind for digest in one.inputs if (row := self._inputs.get(digest))} for one in snapshots]
        return bool(self._files(process, kind, baseline=baseline)) and sum(kind in found for found in kinds) > 1

    def _files(self, process: str, kind: str, *, baseline: bool = False) -> list[str]:
        """Return the captures of one kind, one for each snapshot that has it, oldest first."""
        found: dict[str, None] = {}
        for snapshot in self._snapshots(process, baseline=baseline):
            origins = [
                row.origin for digest in snapshot.inputs if (row := self._inputs.get(digest)) and row.kind == kind
            ]
            found |= dict.fromkeys(origin for origin in origins[:1] if _readable(origin))
        return list(found)

    def _few(self, files: list[str]) -> list[str]:
        return files if len(files) <= _FILES_MOST else [files[0], files[-1]]

    def _short(self, files: list[str], process: str, *, baseline: bool) -> list[str]:
        """Return many captures by the words that named them; where none does, the first and the last of too many."""
        if len(files) <= _FILES_FEW:
            return files
        others = {
            self.origin(digest)
            for row in self.diagnosis.moments
            if (row.process, row.baseline) != (process, baseline)
            for digest in row.inputs
        }
        words = [word for word in _evidence_of(self.diagnosis.called) if _inside(word, files)]
        covered = all(any(_inside(word, [file]) for word in words) for file in files)
        if covered and len(words) < len(files) and not any(_inside(word, others) for word in words):
            return self._few(words)
        return self._few(files)

    def _told(self, digests: Iterable[str]) -> list[str]:
        """Return the captures that tell of memory: statistics, metrics, what the kernel says."""
        rows = [row for digest in digests if (row := self._inputs.get(digest))]
        told = [row.origin for row in rows if row.kind == "metrics" or row.format in ("heap-text", "memstats")]
        return list(dict.fromkeys(origin for origin in told if _readable(origin)))

    def _memory(self, process: str, *, baseline: bool) -> str:
        snapshots = self._snapshots(process, baseline=baseline)
        found = list(dict.fromkeys(origin for one in snapshots for origin in self._told(one.inputs)))
        return _view("inspect", *self._short(found, process, baseline=baseline)) if found else ""

    def _process(self, found: Finding, evidence: Evidence) -> str:
        """Return the process that a claim is about: the one whose capture it names."""
        return self._captured.get(evidence.capture, found.suspect.sites[0].process)

    def _stands(self, found: Finding, evidence: Evidence) -> str:
        """Return the function that a claim about goroutines is about: the one on top of its excerpt."""
        process = self._process(found, evidence)
        places = [site for site in found.suspect.sites if site.role == "blocked"]
        everyone: tuple[Site | Victim, ...] = (*places, *found.suspect.victims)
        sites = [site for site in everyone if site.process == process]
        for site in sites:
            if site.frame.function and site.frame.function in evidence.excerpt:
                return site.frame.function
        args = evidence.claim.args
        counts = args.get("counts")
        told = args.get("count", counts[-1] if isinstance(counts, tuple) and counts else None)
        for site in sites:
            if site.count is not None and site.count == told:
                return site.frame.function
        return (sites[0] if sites else found.suspect.sites[0]).frame.function

    def _tied(self, found: Finding, process: str) -> list[str]:
        """Return the functions in which goroutines stand that wait for each other's locks and children."""
        sites = [site for site in found.suspect.sites if site.role == "blocked"]
        everyone: tuple[Site | Victim, ...] = (*sites, *found.suspect.victims)
        return [one.frame.function for one in everyone if one.process == process]

    def _allocated(self, found: Finding) -> list[str]:
        """Return the functions that allocated what a finding counts together."""
        return [site.frame.function for site in found.suspect.sites if site.role == "allocated"]

    def _heap(self, found: Finding, evidence: Evidence, process: str) -> str:
        pinned = [str(evidence.claim.args.get("function", ""))] if evidence.kind == "heap-pinned" else []
        places = pinned or self._allocated(found)
        twins = self._files(process, "heap", baseline=True) if "baseline" in evidence.kind else []
        files = self._files(process, "heap")
        if twins and files:
            return _view("diff", "-inuse_space", "--same", "-focus", _places(places), twins[-1], files[-1])
        return self._profiles("-inuse_space", places, process)

    def _profiles(self, index: str, functions: Sequence[str], process: str) -> str:
        files = self._files(process, "heap")
        if len(files) < 2:
            return _view("top", index, "-focus", _places(functions), *files) if files else ""
        return _view("diff", index, "-focus", _places(functions), *self._short(files, process, baseline=False))

    def _beside_twin(self, found: Finding, process: str) -> str:
        twins, ours = self._files(process, "goroutine", baseline=True), self._files(process, "goroutine")
        if not twins or not ours:
            return ""
        return _diff(_place(found.suspect.sites[0].frame.function), [twins[-1], ours[-1]])


def _view(*words: str) -> str:
    command = shlex.join(("oakum", *words))
    return command if len(command) <= _COMMAND_MOST else ""


def _diff(place: str, files: Sequence[str]) -> str:
    """Return what shows goroutines of one place through snapshots, told apart as the diagnosis tells them apart."""
    return _view("diff", "--same", "--by", "state,place,creator", "--focus", place, *files)


def _file(name: str) -> tuple[str, ...]:
    """Return the words that name a file; one that begins as an option does is no option."""
    return ("--", name) if name.startswith("-") else (name,)


def _readable(origin: str) -> bool:
    return bool(origin) and origin != "-"


def _place(function: str) -> str:
    """Return a regular expression for a function, without the path of its package."""
    return re.escape(function.rpartition("/")[2][-_LONGEST:])


def _places(functions: Iterable[str]) -> str:
    return "|".join(dict.fromkeys(_place(function) for function in functions if function)) or "."


def _inside(word: str, files: Iterable[str]) -> bool:
    """Tell whether any of the files lies in the directory or archive that a word names."""
    return any(file.startswith(word.rstrip("/") + "/") for file in files)


def _measure(found: Finding) -> str:
    """Return what a finding is measured in."""
    if found.suspect.growth:
        return found.suspect.growth[0].measure
    return "goroutines" if found.suspect.sites[0].role == "blocked" else "inuse_space"


def _whole(found: Finding) -> bool:
    """Tell whether a finding is about the process as a whole, of which only numbers are known."""
    return found.suspect.sites[0].frame.function.startswith("(")


def _evidence_of(called: Sequence[str]) -> list[str]:
    """Return the words that name evidence, without options and their values."""
    left = iter(called)
    words = []
    for word in left:
        if word in ("--baseline", "--binary"):
            words.append(next(left, ""))
        elif word == "--source":
            next(left, None)
        elif not word.startswith("--"):
            words.append(word)
    return [word for word in words if word]
