"""`patched`: the fixes that explanations draft, applied and run: do they compile, and is the leak gone?

Comes in: cases. Goes out: one trial for each draft, of the first leaking take that gets one. The place is measured
before and after by what live runs count there; a leak that only moved elsewhere is not gone.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from casebook.runner.build import UNDEBUGGED, for_live, needed_modules, program_name
from casebook.runner.case import Build, Case
from casebook.runner.causes import explained, leaking
from casebook.runner.check import growth, outside, standing_beside
from casebook.runner.evidence import Recording
from casebook.runner.expectation import Expected, Site, expectation
from casebook.runner.live import play
from casebook.runner.naive import BYTES, GOROUTINES, RSS_BYTES
from casebook.runner.score import by_name, matches
from casebook.runner.settings import trial, with_source
from casebook.runner.stage import RunFailed, give_up_all
from casebook.runner.staging import escaped, required
from casebook.runner.tools import processes, toolchain
from oakum.experiment.compile import Go, NotTried, patched
from oakum.experiment.unified import Unfit, read
from oakum.model import Frame

BUILD_SECONDS = 600.0
AT_ONCE = 16
BUILDS_AT_ONCE = 2  # most of one is linking, on one core
# Fewer goroutines than this come and go in a process anyway, wherever a leak may have moved; and so do some of the many
# that a process starts beside it.
FEW = 10
# k8s.io/apimachinery@v0.18.8/ in any path
_VERSIONED = re.compile(r"((?:[\w.!~-]+/)*[\w.!~-]+@v[^/]+)/")
# A line that is added, with Add(30 * time.Second) in it.
_PATIENCE = re.compile(r"(?m)^(\+(?!\+\+ ).*?\b)\d+(\s*\*\s*time\.)(?:Second|Minute)\b")
Programs = Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Draft:
    """A drafted fix of one finding."""

    case: Case
    build: Build
    finding: Expected
    diff: str
    files: tuple[str, ...] = ()  # as the capture names what the finding speaks of; a diff names files inside a module


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a draft. Counts are goroutines or bytes at the place, snapshot by snapshot."""

    draft: Draft
    compiled: bool
    leaked: bool = False  # without it
    leaks: bool = True  # with it
    why: str = ""
    missing: bool = False  # what it takes to build it could not be downloaded

    @property
    def mended(self) -> bool:
        """Tell whether it leaked, and does no longer."""
        return self.compiled and self.leaked and not self.leaks

    def told(self) -> str:
        """Return one line about it."""
        place = f"{self.draft.finding.mechanism} at {self.draft.finding.place.function}"
        if not self.compiled:
            return f"{place}: {'cannot be built here' if self.missing else 'does not compile'}: {self.why}"
        said = "still leaks" if self.leaks else "leaks no longer"
        return f"{place}: {said if self.leaked else 'did not leak before'} ({self.why})"


def drafts(case: Case) -> list[Draft]:
    """Return what is drafted for the first leaking take of a case that gets a diff."""
    for take in leaking(case):
        with tempfile.TemporaryDirectory() as scratch:
            given = with_source(trial(case, take, Path(scratch)))
            if given is None:
                continue
            matched, _ = matches(by_name(explained(given)), given.truth)
        truth = expectation(case, take.build.name)
        found = [
            Draft(case, take.build, truth.findings[at], diff, _files(finding))
            for at, finding in matched.items()
            if (diff := next((one["diff"] for one in finding.get("remedies") or () if one.get("diff")), None))
        ]
        if found:
            return found
    return []


def _files(finding: Mapping[str, Any]) -> tuple[str, ...]:
    sites = [*((finding.get("cause") or {}).get("sites") or ()), *(finding.get("sites") or ())]
    return tuple(dict.fromkeys(site["file"] for site in sites if site.get("file")))


def trials(cases: Iterable[Case]) -> Iterator[Trial]:
    """Yield a trial for each draft of these cases, as they come; builds one at a time, runs several."""
    with processes() as pool:
        found = [draft for some in pool.map(drafts, [case for case in cases if case.live != "no"]) for draft in some]
    yield from tried(found)


def tried(found: Iterable[Draft]) -> Iterator[Trial]:
    """Yield a trial for each of these drafts, in their order."""
    with (
        tempfile.TemporaryDirectory(prefix="cb-") as kept,
        ThreadPoolExecutor(AT_ONCE) as runs,
        ThreadPoolExecutor(BUILDS_AT_ONCE) as builds,
    ):

        def begin(draft: Draft, name: str, build: Callable[[Draft, Path], Programs]) -> "Future[Future[Recording]]":
            """Build now, and hand the programs to the runs, so that nobody waits in line for a compiler there."""
            home = Path(kept, name)
            return builds.submit(lambda: runs.submit(_run, draft, build(draft, home), home))

        before: dict[tuple[str, str], Future[Future[Recording]]] = {}
        after = []
        for number, draft in enumerate(found):
            run = (draft.case.name, draft.build.name)
            if run not in before:
                before[run] = begin(draft, f"{number}-before", _unpatched)
            after.append((draft, before[run], begin(draft, f"{number}-after", _patched)))
        try:
            for draft, without, with_it in after:
                yield _trial(draft, without, with_it)
        finally:  # Ctrl-C, or a test that was ended
            builds.shutdown(cancel_futures=True)
            give_up_all("it was ended")
            runs.shutdown(cancel_futures=True)


def _trial(draft: Draft, without: "Future[Future[Recording]]", with_it: "Future[Future[Recording]]") -> Trial:
    try:
        changed = with_it.result().result()
    except (Unfit, NotTried) as error:
        return Trial(draft, False, why=str(error))
    except RunFailed as error:  # it compiles, and does not serve
        return Trial(draft, True, leaked=True, why=f"the patched program failed: {error}")
    except toolchain.DownloadFailed as error:
        return Trial(draft, False, why=str(error), missing=True)
    try:
        return compared(draft, without.result().result(), changed)
    except RunFailed as error:
        return Trial(draft, True, why=f"the program failed without the diff: {error}")


def _unpatched(draft: Draft, home: Path) -> Programs:
    home.mkdir()
    return for_live(draft.case, draft.build)


def _patched(draft: Draft, home: Path) -> Programs:
    """Return the programs of a case, built with the draft; raise Unfit or NotTried with the compiler's words."""
    case, build = draft.case, draft.build
    version = next((take.go for take in case.takes if take.build == build), None) if case.live == "full" else None
    go = Go(str(toolchain.go(version)), BUILD_SECONDS, env=toolchain.environment())
    made = home / "programs"
    made.mkdir(parents=True)
    programs = {program_name(case, package): made / program_name(case, package) for package in case.packages}
    with (
        tempfile.TemporaryDirectory(prefix="cb-") as scratch,
        patched(_quick(draft.diff), case.folder, _dependency(draft, go), Path(scratch), go, build.modfile) as changed,
    ):
        for package, program in zip(case.packages, programs.values(), strict=True):
            flags = [*changed.after, "-trimpath", UNDEBUGGED]
            done, said = go.run(["build", *flags, "-o", str(program), package], changed.folder)
            if not done:
                raise NotTried(said)
    return programs


def _run(draft: Draft, programs: Programs, home: Path) -> Recording:
    # As in the live tests: only a run that hangs may reach its limit on a machine that runs many.
    patient = replace(draft.case, limit=2 * draft.case.limit)
    try:
        with tempfile.TemporaryDirectory(prefix="cb-") as scratch:
            return play(patient, draft.build, programs, Path(scratch), home / "out")[0]
    finally:
        shutil.rmtree(home / "programs", ignore_errors=True)  # up to 200 MB each


def _quick(diff: str) -> str:
    """Return a diff whose time-outs end within a short run: how long they are is the user's to choose."""
    return _PATIENCE.sub(r"\g<1>1\g<2>Second", diff)


def _dependency(draft: Draft, go: Go) -> Path | None:
    """Return the folder of the module that a diff changes, unless that is the program's own."""
    changed = [one.name for one in read(draft.diff)]
    names = [*(file for file in draft.files if any(file.endswith(f"/{name}") for name in changed)), *changed]
    modfile = draft.case.folder / draft.build.modfile
    for module, (_, folder) in needed_modules(modfile).items():
        if any(f"{module}@" in name or f"{module}/" in name for name in names):
            return folder
    told = subprocess.run(
        [go.command, "env", "GOMODCACHE"], env=dict(go.env or {}), capture_output=True, text=True, check=True
    )
    cache = Path(told.stdout.strip())
    for name in names:
        if found := _VERSIONED.search(name):  # /go/pkg/mod/k8s.io/api@v0.18.8: the end of it that is there
            parts = found[1].split("/")
            places = [cache.joinpath(*parts[first:]) for first in range(len(parts))]
        else:
            places = [
                cache / f"{escaped(module)}@{version}"
                for module, version in required(modfile).items()
                if f"{module}/" in name
            ]
        for place in places:
            if place.is_dir():
                return place
    return None


def compared(draft: Draft, without: Recording, with_it: Recording) -> Trial:
    """Return whether the place grows without the diff, and with it.

    What is under way at the end of a short run, and what a program keeps on purpose, is no leak: a third of what
    stayed before at most. Memory may also warm up first: then it is the second half of the run that counts.
    """
    finding = draft.finding
    before, after = _measured(finding, without), _measured(finding, with_it)
    rise = before[-1] - before[0]
    halves = (0,) if finding.place.role == "blocked" else (0, (len(before) - 1) // 2)
    shares = [(_rise(after, first), _rise(before, first)) for first in halves]
    leaks = all(now > then / 3 for now, then in shares if then > 0)
    why = f"{before} before, {after} after"
    if finding.place.role == "blocked":
        leaked = rise > 0
        if leaks and rise < GOROUTINES:  # a deadlock is one goroutine, whoever piles up behind it: is it the same one?
            leaks = _stuck(finding, with_it)
        process = finding.place.process
        totals = [_rise_of_all(recorded, process) for recorded in (without, with_it)]
        if not leaks and rise >= max(FEW, totals[0] / 3) and totals[1] > totals[0] - rise / 2:
            leaks = True
            why += f"; all goroutines grew by {totals[0]} before and {totals[1]} after: it moved elsewhere"
    else:
        leaked = rise >= (RSS_BYTES if finding.mechanism == "off-heap" else BYTES)
    return Trial(draft, True, leaked, leaks, why)


def _rise(values: Sequence[int], first: int) -> int:
    return values[-1] - values[min(first, len(values) - 1)]


def _place(finding: Expected) -> tuple[Site, list[Site]]:
    """Return the place without its line, which moves with the diff, and what tells its goroutines from others there."""
    place = replace(finding.place, line=0)
    created = [site for site in finding.sites[1:] if site.role == "created"]
    shared = Frame(place.function).owner in ("stdlib", "runtime")
    beside = created or (finding.sites[1:] if shared else ())
    return place, [replace(site, line=0) for site in beside if site.function]


def _measured(finding: Expected, recorded: Recording) -> list[int]:
    if finding.mechanism == "off-heap":
        return outside(recorded.of(finding.place.process))
    place, beside = _place(finding)
    return growth(place, recorded, beside)[0]


def _stuck(finding: Expected, recorded: Recording) -> bool:
    """Tell whether a goroutine stands at the place in both of the last two snapshots."""
    place, beside = _place(finding)
    snapshots = recorded.of(place.process)[-2:]
    ids = [{int(one) for group in standing_beside(m, place, beside) for one in group.ids} for m in snapshots]
    return len(ids) == 2 and bool(ids[0] & ids[1])


def _rise_of_all(recorded: Recording, process: str) -> int:
    totals = [sum(group.count for group in found.groups) for m in recorded.of(process) if (found := m.goroutines())]
    return totals[-1] - totals[0] if totals else 0


__all__ = ["Draft", "Trial", "compared", "drafts", "trials", "tried"]
