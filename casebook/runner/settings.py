"""Settings: what of a recorded take a diagnosis is given. Files are copied under neutral names, so that no name helps.

To add a setting, write a function from a trial to what is given in it, and add one line to SETTINGS. What the evidence
cannot show is not asked: a setting narrows the truth, or is not tried where the first place is out of its sight.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from casebook.runner.build import copy_sources, needed_modules, published
from casebook.runner.case import Case, Take
from casebook.runner.evidence import RecordedSnapshot, Recording, recording
from casebook.runner.expectation import Expectation, Expected, expectation
from casebook.runner.staging import required

# Capture names, packed or not.
_PROOF = ("goroutineleak.pb.gz",)
_PROTOBUF = ("goroutine.pb.gz", "heap.pb.gz")
_DUMP = ("goroutine.debug2.txt", "log.txt")
_HEAP = ("heap.pb.gz",)


@dataclass(frozen=True, slots=True)
class Trial:
    """One take in one setting: what was recorded, what is true, and where the evidence is laid out."""

    case: Case
    take: Take
    recorded: Recording
    truth: Expectation
    folder: Path

    @property
    def witness(self) -> str:
        """Return the process of several in which the leak shows first, of healthy builds too; "" when there is one."""
        truths = [expectation(self.case, build.name) for build in self.case.builds]
        found = [truth.findings[0].place.process for truth in truths if truth.findings]
        processes = self.recorded.processes
        return (next(filter(None, found), "") or processes[0]) if len(processes) > 1 else ""

    def alone(self) -> "Trial":
        """Return the witness alone."""
        if not self.witness:
            return self
        recorded = replace(self.recorded, snapshots=self.recorded.of(self.witness))
        return replace(self, recorded=recorded, truth=self.truth.of(self.witness))


@dataclass(frozen=True, slots=True)
class Given:
    """What a diagnosis is given, as arguments of `oakum diagnose`, and what is true as far as that shows it."""

    arguments: list[str]
    truth: Expectation


def trial(case: Case, take: Take, folder: Path) -> Trial:
    """Return a take, ready to be laid out in a folder."""
    return Trial(case, take, recording(case.captures / take.name), expectation(case, take.build.name), folder)


def _put(paths: Iterable[Path], folder: Path, snapshot: RecordedSnapshot) -> None:
    """Copy captures; each is as old as its snapshot, on whatever machine and day this is."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        shutil.copy(path, folder / path.name)
        os.utime(folder / path.name, (snapshot.at.timestamp(),) * 2)


def _named(snapshot: RecordedSnapshot, names: Sequence[str]) -> list[Path]:
    return [path for name in names if (path := snapshot.file(name))]


def _everything(snapshot: RecordedSnapshot) -> list[Path]:
    return [path for path in snapshot.files() if path.name not in _PROOF]


Pick = Callable[[Sequence[RecordedSnapshot]], Sequence[RecordedSnapshot]]
Choice = Callable[[RecordedSnapshot], list[Path]]


def _lay_out(trial: Trial, pick: Pick, choose: Choice, *, build: bool = True) -> list[str]:
    """Copy the chosen captures of the picked snapshots, and what is known of the build.

    One argument for each snapshot; of several processes one for each process, whose folder holds its snapshots.
    """
    arguments: list[str] = []
    processes = trial.recorded.processes
    for process in processes:
        home = trial.folder / process if len(processes) > 1 else trial.folder
        folders = []
        for at, snapshot in enumerate(pick(trial.recorded.of(process)), 1):
            if files := choose(snapshot):
                folders.append(home / str(at))
                _put(files, folders[-1], snapshot)
        arguments += [str(home)] if home != trial.folder and folders else map(str, folders)
    if arguments and build:
        for name in ("buildinfo.txt", "buildinfo.txt.gz"):
            if (facts := trial.recorded.folder / name).exists():
                _put([facts], trial.folder, trial.recorded.snapshots[0])
                arguments.append(str(trial.folder / name))
    return arguments


def _whole(snapshots: Sequence[RecordedSnapshot]) -> Sequence[RecordedSnapshot]:
    return snapshots


def _ends(snapshots: Sequence[RecordedSnapshot]) -> Sequence[RecordedSnapshot]:
    return [snapshots[0], snapshots[-1]] if len(snapshots) > 1 else snapshots


def _last(snapshots: Sequence[RecordedSnapshot]) -> Sequence[RecordedSnapshot]:
    return snapshots[-1:]


def _given(arguments: list[str], truth: Expectation) -> Given | None:
    """Return what is given, unless that is nothing, or nothing of a leak shows in it."""
    return Given(arguments, truth) if arguments and (truth.findings or truth.verdict == "healthy") else None


def _in_goroutines(finding: Expected) -> bool:
    return finding.place.role in ("blocked", "created")


def _in_heap(finding: Expected) -> bool:
    return finding.place.role == "allocated" and finding.mechanism != "off-heap"


def all_snapshots(trial: Trial) -> Given | None:
    """Give everything that was captured in the snapshots, but Go's own proof."""
    return _given(_lay_out(trial, _whole, _everything), trial.truth)


def two_snapshots(trial: Trial) -> Given | None:
    """Give the first and the last snapshot."""
    return _given(_lay_out(trial, _ends, _everything), trial.truth)


def one_process(trial: Trial) -> Given | None:
    """Give all snapshots of one process, where others that it works with were captured too."""
    return all_snapshots(trial.alone()) if trial.witness else None


def one_dump(trial: Trial) -> Given | None:
    """Give the last goroutine dump of one process and nothing else."""
    alone = trial.alone()
    dump = _lay_out(alone, _last, lambda snapshot: _named(snapshot, _DUMP)[:1], build=False)
    return _given(dump, alone.truth.only(_in_goroutines))


def one_heap(trial: Trial) -> Given | None:
    """Give the last heap profile of one process and nothing else."""
    alone = trial.alone()
    heap = _lay_out(alone, _last, lambda snapshot: _named(snapshot, _HEAP), build=False)
    return _given(heap, alone.truth.only(_in_heap))


def protobuf_only(trial: Trial) -> Given | None:
    """Give every snapshot, but only as protobuf: no ages, no ids, no creators, no metrics, no build."""
    have = {snapshot.process for snapshot in trial.recorded.snapshots if _named(snapshot, _PROTOBUF)}
    if not all(finding.place.process in {"", *have} for finding in trial.truth.findings):
        return None
    return _given(_lay_out(trial, _whole, lambda snapshot: _named(snapshot, _PROTOBUF), build=False), trial.truth)


def with_source(trial: Trial) -> Given | None:
    """Give everything but the proof, and a checkout of the program: its source, and our own modules in vendor/."""
    modfile = trial.case.folder / trial.take.build.modfile
    if not modfile.exists():
        return None
    checkout = trial.folder / "source" / trial.case.service
    checkout.mkdir(parents=True)
    copy_sources(trial.case, checkout)
    for path in [*checkout.glob("*.mod"), *checkout.glob("*.sum")]:  # one of them is this build's
        path.unlink()
    (checkout / "go.mod").write_text(published(modfile))
    for module, (_, folder) in needed_modules(modfile).items():
        shutil.copytree(folder, checkout / "vendor" / module)
    given = all_snapshots(trial)
    return given and replace(given, arguments=["--source", str(checkout), *given.arguments])


def with_own_source(trial: Trial) -> Given | None:
    """Give the same where all source that matters is ours: what a module cache happens to hold scores nothing."""
    modfile = trial.case.folder / trial.take.build.modfile
    if not modfile.exists() or not set(required(modfile)) <= set(needed_modules(modfile)):
        return None
    return with_source(trial)


def with_proof(trial: Trial) -> Given | None:
    """Give everything, Go's own goroutineleak profile too, where the take has it."""
    if not any(_named(snapshot, _PROOF) for snapshot in trial.recorded.snapshots):
        return None
    return _given(_lay_out(trial, _whole, RecordedSnapshot.files), trial.truth)


def with_baseline(trial: Trial) -> Given | None:
    """Give the last snapshot, and that of the baseline, where the case has one."""
    twins = [take for take in trial.case.takes if take.build.name == trial.truth.baseline]
    if not twins or trial.take.build.name == trial.truth.baseline:
        return None
    # Of several the one whose paths look alike; else any baseline does.
    twin = next((take for take in twins if take.paths == trial.take.paths), twins[0])
    healthy = replace(trial, recorded=recording(trial.case.captures / twin.name), folder=trial.folder / "baseline")
    against = _lay_out(healthy, _last, _everything)
    now = _lay_out(replace(trial, folder=trial.folder / "now"), _last, _everything)
    return _given([*(word for path in against for word in ("--baseline", path)), *now], trial.truth)


Setting = Callable[[Trial], Given | None]
# None where a take does not have what the setting gives.
SETTINGS: dict[str, Setting] = {
    "all snapshots": all_snapshots,
    "all snapshots, with source": with_own_source,
    "all snapshots, with goroutineleak": with_proof,
    "all snapshots, protobuf only": protobuf_only,
    "all snapshots of one process of several": one_process,
    "two snapshots": two_snapshots,
    "one snapshot and a baseline": with_baseline,
    "one goroutine dump": one_dump,
    "one heap profile": one_heap,
}

__all__ = ["SETTINGS", "Given", "Setting", "Trial", "trial"]
