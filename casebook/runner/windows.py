"""Windows: parts of a recording as a user may have them -> how often a leak is detected, and who is accused.

A window is some snapshots of one process in some formats. `detected` is what a user meets: the verdict is `leaking`,
and a `likely` or `proven` finding names the place. A leak that a window does not show is not asked for.
"""

import itertools
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from casebook.runner.accuracy import WITH_SOURCE, parsed_once
from casebook.runner.accuracy import diagnose as diagnose_files
from casebook.runner.case import Case as Program
from casebook.runner.case import Take, case
from casebook.runner.evidence import bytes_at, count, recording, standing
from casebook.runner.expectation import Expectation, Expected, Site, expectation
from casebook.runner.score import matches
from casebook.runner.settings import SETTINGS, trial
from casebook.runner.tools import ROOT, processes
from oakum.assemble import Input
from oakum.collect.code.sources import LocalSources
from oakum.compare.activity import activity
from oakum.detect.pace import quiet
from oakum.diagnose import diagnose
from oakum.model import Capture, Case, GoroutineGroup, OakumError, Reading
from oakum.parse import goroutines as goroutines_of
from oakum.parse import parse
from oakum.pipeline.case import assemble_case
from oakum.report.json import document

# What people have, by the names of captures, packed or not. Go's own proof is in none.
_DUMPS = ("goroutine.debug2.txt", "log.txt")
FORMATS: Mapping[str, frozenset[str] | None] = {
    "everything": None,
    "debug=2 + heap.pb": frozenset({*_DUMPS, "heap.pb.gz"}),
    "debug=1 + heap.pb": frozenset({"goroutine.debug1.txt", "heap.pb.gz"}),
    "protobuf only": frozenset({"goroutine.pb.gz", "heap.pb.gz"}),
    "debug=2 only": frozenset(_DUMPS),
    "heap only": frozenset({"heap.pb.gz"}),
}
# What some people do not have: file names that are left out of everything.
WITHOUT: Mapping[str, frozenset[str]] = {
    "everything without metrics": frozenset({"metrics.txt"}),
    "everything without MemStats": frozenset({"heap.debug1.txt"}),
    "everything without RSS": frozenset({"process.status.txt", "proc_status.txt"}),
}
SOURCE = "everything with source"
QUIET, BUSY = "quiet before the last", "load goes on in the last"
# A step with at least this part of the busiest step's work is one under load.
_UNDER_LOAD = 0.5
_PROOF = "goroutineleak.pb.gz"
_REGRESSIONS = ROOT / "tests" / "regressions"
# A leak shows in a heap profile from here on: two samples at the usual rate.
_SHOWN = 1 << 20
# How the goroutines of a leak wait, by the beginning of their state; the first that fits.
_WAITS: Mapping[str, str] = {
    "chan send (nil chan)": "never wakes",
    "chan receive (nil chan)": "never wakes",
    "select (no cases)": "never wakes",
    "chan send": "send, lock, WaitGroup",
    "sync.Mutex": "send, lock, WaitGroup",
    "sync.RWMutex": "send, lock, WaitGroup",
    "sync.WaitGroup": "send, lock, WaitGroup",
    "semacquire": "send, lock, WaitGroup",
    "chan receive": "chan receive",
    "select": "select, IO wait, Cond",
    "IO wait": "select, IO wait, Cond",
    "sync.Cond": "select, IO wait, Cond",
}
WAITS = (*dict.fromkeys(_WAITS.values()), "other", "heap")

# The name of a file, without .gz of a packed text; its bytes; what was read in it.
Read = tuple[str, Capture, tuple[Reading, ...]]


@dataclass(frozen=True, slots=True)
class Shot:
    """One snapshot: what was read in each of its files."""

    label: str
    files: tuple[Read, ...]

    def goroutines_at(self, site: Site) -> int:
        """Return how many goroutines are at a place."""
        return count(self.groups_at(site))

    def groups_at(self, site: Site) -> list[GoroutineGroup]:
        """Return the goroutines at a place, from the richest dump there is."""
        for wanted in (*_DUMPS, "goroutine.debug1.txt", "goroutine.pb.gz"):
            found = [g for reading in self._readings(wanted) if (g := goroutines_of(reading)) is not None]
            if found:
                return standing(found[-1], site)
        return []

    def bytes_at(self, site: Site) -> int:
        """Return how many live bytes were allocated at a place."""
        return bytes_at(next((r.profile for r in self._readings("heap.pb.gz") if r.profile is not None), None), site)

    def _readings(self, wanted: str) -> Iterator[Reading]:
        return (reading for name, _, readings in self.files if name == wanted for reading in readings)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recording of one process, and what is true of it."""

    name: str
    shots: tuple[Shot, ...]
    findings: tuple[Expected, ...]  # () of a healthy one
    build: tuple[Read, ...] = ()
    source: Path | None = None  # of a regression: a checkout beside it

    @property
    def wait(self) -> str:
        """Return how the goroutines of the leak wait, as WAITS names it; "" of a healthy one."""
        if not self.findings:
            return ""
        place = self.findings[0].place
        if place.role not in ("blocked", "created", ""):
            return "heap"
        site = Site(place.role or "blocked", place.function, line=place.line)
        groups = next((groups for shot in reversed(self.shots) if (groups := shot.groups_at(site))), [])
        if not groups and not place.role:  # of a regression nothing else tells
            return "heap"
        state = max(groups, key=lambda group: group.count).state if groups else place.state
        return next((kind for begins, kind in _WAITS.items() if (state or "").startswith(begins)), "other")


@dataclass(frozen=True, slots=True)
class Asked:
    """One window as a question: what is given, and what is true."""

    name: str
    window: str
    formats: str
    case: Case
    findings: tuple[Expected, ...]
    shown: bool  # the window shows the leak
    wait: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a diagnosis said of one window."""

    name: str
    window: str
    formats: str
    leaking: bool  # what is true
    shown: bool  # the window shows the leak
    verdict: str
    detected: bool
    named: bool  # at any confidence
    mechanism: bool
    accused: tuple[str, ...]  # `likely` or `proven`, and not so
    wait: str = ""  # how the goroutines of the leak wait

    @property
    def regression(self) -> bool:
        """Tell whether the recording was once answered wrongly; those of the casebook have a take in their name."""
        return "/" not in self.name


def _read(path: Path, origin: str, at: datetime | None = None) -> Read:
    name = path.name.removesuffix(".gz") if path.name.endswith(".txt.gz") else path.name
    capture = Capture(origin, path.read_bytes(), received_at=at)
    return name, capture, parse(capture)


def of_casebook(program: Program, take: Take) -> Recorded | None:
    """Return a take of one process; None for several."""
    recorded = recording(program.captures / take.name)
    if len(recorded.processes) > 1:
        return None
    shots = [
        Shot(str(at), tuple(_read(p, f"{at}/{p.name}", one.at) for p in one.files() if p.name != _PROOF))
        for at, one in enumerate(recorded.snapshots, 1)
    ]
    build = [_read(path, path.name) for path in sorted(recorded.folder.glob("buildinfo.txt*"))]
    findings = expectation(program, take.build.name).findings
    return Recorded(f"{program.name}/{take.name}", tuple(shots), findings, tuple(build))


def of_regression(folder: Path) -> Recorded:
    """Return a regression; its places have no role: the first site of a finding is one of them."""
    truth = tomllib.loads((folder / "truth.toml").read_text(encoding="utf-8"))
    shots = [
        Shot(str(at), tuple(_read(path, f"{at}/{path.name}") for path in sorted(below.iterdir())))
        for at, below in enumerate(sorted((folder / "captures").iterdir()), 1)
    ]
    source = folder / "src"
    return Recorded(
        folder.name,
        tuple(shots),
        tuple(_expected(place) for place in truth.get("place", ())),
        source=source if source.is_dir() else None,
    )


def _expected(place: Mapping[str, Any]) -> Expected:
    mechanism, *also = place["mechanisms"]
    sites = (Site("", place["function"], line=place.get("line", 0)),)
    return Expected(1, mechanism, tuple(also), sites, (), (), "", None, None)


def windows(shots: Sequence[Shot]) -> dict[str, Sequence[Shot]]:
    """Return the windows of a recording by name."""
    named = {"all": shots, "one": shots[-1:]}
    if len(shots) > 2:
        named |= {"first and last": (shots[0], shots[-1]), "without the last": shots[:-1]}
    if len(shots) > 4:
        named |= {"first four": shots[:4], "last four": shots[-4:]}
    if len(shots) > 3:
        named |= {f"triple {at}": three for at, three in enumerate(itertools.combinations(shots, 3), 1)}
    return named


def by_load(shots: Sequence[Shot]) -> dict[str, Sequence[Shot]]:
    """Return the longest windows from the first snapshot on, of three at least, whose last step was busy, or quiet."""
    try:
        (process,) = given(shots, "everything").processes
    except (OakumError, ValueError):  # nothing to be diagnosed; restarted
        return {}
    steps = activity(process.snapshots).steps
    named: dict[str, Sequence[Shot]] = {}
    for end in range(3, len(steps) + 2 if len(steps) + 1 == len(shots) else 0):
        work = steps[: end - 1]
        if quiet(work):
            named[QUIET] = shots[:end]
        elif work[-1] >= _UNDER_LOAD * max(work):
            named[BUSY] = shots[:end]
    return named


def cut(recorded: Recorded) -> Iterator[tuple[str, Sequence[Shot], str]]:
    """Yield every window of a recording: its name, snapshots, formats."""
    for window, shots in (windows(recorded.shots) | by_load(recorded.shots)).items():
        yield from ((window, shots, formats) for formats in (FORMATS if window in ("all", "one") else ("everything",)))
    there = {name for shot in recorded.shots for name, _, _ in shot.files}
    yield from (("all", recorded.shots, formats) for formats, names in WITHOUT.items() if names & there)


def given(shots: Sequence[Shot], formats: str, build: Sequence[Read] = ()) -> Case:
    """Return the case of some snapshots in some formats; with everything, the build is known too."""
    wanted, without = FORMATS.get(formats), WITHOUT.get(formats, frozenset())
    inputs = [
        Input(shot.label, (name,), capture, readings)
        for shot in shots
        for name, capture, readings in shot.files
        if name not in without and (wanted is None or name in wanted)
    ]
    told = [Input(name, (), capture, readings) for name, capture, readings in build] if wanted is None else []
    return assemble_case(inputs, builds=told).case


def shows(finding: Expected, shots: Sequence[Shot], formats: str) -> bool:
    """Tell whether a window shows a leak at all: what is at its place grew, or somebody is stuck there."""
    place = finding.place
    if finding.mechanism == "off-heap":
        return formats.startswith("everything") and len(shots) > 1
    if place.role in ("blocked", "created", "") and formats != "heap only":
        site = Site(place.role or "blocked", place.function, line=place.line)
        counts = [shot.goroutines_at(site) for shot in shots]
        if any(counts):
            stuck = counts[-1] > 0 and (len(counts) == 1 or (min(counts) > 0 and counts[-1] < 3))
            return stuck or counts[-1] > counts[0]
    if place.role in ("blocked", "created") or formats == "debug=2 only":
        return False
    held = [shot.bytes_at(Site("allocated", place.function, line=place.line)) for shot in shots]
    return held[-1] - (held[0] if len(held) > 1 else 0) >= _SHOWN


def asked(recorded: Recorded, window: str, shots: Sequence[Shot], formats: str) -> Asked | None:
    """Return a window as a question; None when it holds nothing to be diagnosed."""
    try:
        case_ = given(shots, formats, recorded.build)
    except OakumError:
        return None
    shown = all(shows(finding, shots, formats) for finding in recorded.findings[:1])
    return Asked(recorded.name, window, formats, case_, recorded.findings, shown, recorded.wait)


def answered(question: Asked, said: Mapping[str, Any]) -> Outcome:
    """Return how a diagnosis, as JSON has it, compares with the truth."""
    matched, others = _matched(said["findings"], question.findings)
    sure = [one for one, _ in matched if one["confidence"] != "possible"]
    return Outcome(
        question.name,
        question.window,
        question.formats,
        leaking=bool(question.findings),
        shown=question.shown,
        verdict=said["verdict"],
        detected=said["verdict"] == "leaking" and bool(sure),
        named=bool(matched),
        mechanism=bool(matched) and all(one["mechanism"] in expected.mechanisms for one, expected in matched),
        accused=tuple(f"{one['mechanism']} {_place(one)[0]}" for one in others if one["confidence"] != "possible"),
        wait=question.wait,
    )


def outcome(recorded: Recorded, window: str, shots: Sequence[Shot], formats: str) -> Outcome | None:
    """Return what a diagnosis says of a window; None when it holds nothing to be diagnosed."""
    question = asked(recorded, window, shots, formats)
    return answered(question, document(diagnose(question.case))) if question else None


def _matched(
    findings: Sequence[dict[str, Any]], expected: tuple[Expected, ...]
) -> tuple[list[tuple[Mapping[str, Any], Expected]], Sequence[Mapping[str, Any]]]:
    """Return the findings that name a place of the truth, and all others."""
    if not any(not one.place.role for one in expected):
        by_number, others = matches(findings, Expectation("leaking", "", "", "", expected, ()))
        return [(one, expected[at]) for at, one in sorted(by_number.items())], others
    named: list[tuple[Mapping[str, Any], Expected]] = []
    for one in findings:
        function, line = _place(one)
        fits = [e for e in expected if e.place.function == function and e.place.line in (0, line)]
        named += [(one, fits[0])] if fits else []
    return named, [one for one in findings if not any(one is hit for hit, _ in named)]


def _place(finding: Mapping[str, Any]) -> tuple[str, int]:
    site = finding["sites"][0]
    return site["function"], site["line"]


def load(name: str, take: Take | None) -> Recorded | None:
    """Return a take of a case, or a regression; None for a take of several processes."""
    return of_casebook(case(name), take) if take else of_regression(_REGRESSIONS / name)


def _outcomes(name: str, take: Take | None) -> list[Outcome]:
    recorded = load(name, take)
    if recorded is None:
        return []
    found = [outcome(recorded, *window) for window in cut(recorded)]
    found.append(_of_take(recorded, case(name), take) if take else _beside(recorded))
    return [one for one in found if one is not None]


def _beside(recorded: Recorded) -> Outcome | None:
    """Return what a diagnosis with the source says of a regression; None where it has none."""
    question = asked(recorded, "all", recorded.shots, "everything")
    if question is None or recorded.source is None:
        return None
    # As in its test: what this machine has of Go and of modules was not given.
    said = document(diagnose(question.case, sources=LocalSources([str(recorded.source)], env={})))
    return answered(replace(question, formats=SOURCE), said)


def _of_take(recorded: Recorded, program: Program, take: Take) -> Outcome | None:
    """Return what a diagnosis with the source says of everything; None where the source is not in the casebook."""
    question = asked(recorded, "all", recorded.shots, "everything")
    with tempfile.TemporaryDirectory() as scratch, parsed_once():
        offered = SETTINGS[WITH_SOURCE](trial(program, take, Path(scratch)))
        said = diagnose_files(offered.arguments) if offered else None
    return answered(replace(question, formats=SOURCE), said) if question and said else None


def outcomes(cases: Iterable[Program], regressions: bool = True) -> list[Outcome]:
    """Return what the diagnosis says of every window of these cases, and of all regressions."""
    work = listed(cases, regressions)
    with processes() as pool:
        return [one for found in pool.map(_outcomes, *zip(*work, strict=True), chunksize=4) for one in found]


def listed(cases: Iterable[Program], regressions: bool = True) -> list[tuple[str, Take | None]]:
    """Return what `load` takes: every take of these cases, and all regressions."""
    work: list[tuple[str, Take | None]] = [(one.name, take) for one in cases for take in one.takes]
    return work + [(path.parent.name, None) for path in sorted(_REGRESSIONS.glob("*/truth.toml")) if regressions]
