"""Settings: what of a recorded take a diagnosis is given. Files are linked under neutral names, so that no name helps.

To add a setting, write a function from a recording to the arguments of `oakum diagnose` and add one line to SETTINGS.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from casebook.runner.build import local_modules
from casebook.runner.case import Case, Take
from casebook.runner.evidence import Moment, Recording, recording
from casebook.runner.expectation import Expectation, expectation

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
    def in_goroutines(self) -> bool:
        """Tell whether goroutines show the first place that must be found; what is healthy is asked everything."""
        return not self.truth.findings or self.truth.findings[0].place.role in ("blocked", "created")

    @property
    def in_heap(self) -> bool:
        """Tell whether the heap shows the first place that must be found."""
        return not self.truth.findings or (
            self.truth.findings[0].place.role == "allocated" and self.truth.findings[0].mechanism != "off-heap"
        )


def trial(case: Case, take: Take, folder: Path) -> Trial:
    """Return a take, ready to be laid out in a folder."""
    return Trial(case, take, recording(case.captures / take.name), expectation(case, take.build.name), folder)


def _link(paths: Iterable[Path], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        (folder / path.name).symlink_to(path)


def _named(moment: Moment, names: Sequence[str]) -> list[Path]:
    return [path for name in names if (path := moment.file(name))]


def _everything(moment: Moment) -> list[Path]:
    return [path for path in moment.files() if path.name not in _PROOF]


Choice = Callable[[Moment], list[Path]]


def _lay_out(trial: Trial, pick: Callable[[Sequence[Moment]], Sequence[Moment]], choose: Choice) -> list[str]:
    """Link the chosen captures of the picked moments; return one argument for each moment, or process of several."""
    arguments = []
    for number, process in enumerate(trial.recorded.processes, 1):
        home = trial.folder / process if len(trial.recorded.processes) > 1 else trial.folder
        for at, moment in enumerate(pick(trial.recorded.of(process)), 1):
            if files := choose(moment):
                _link(files, home / str(at))
                if home == trial.folder:
                    arguments.append(str(home / str(at)))
        if home != trial.folder and home.exists():
            arguments.append(str(home))
        if number == 1 and choose is _everything and (facts := trial.recorded.folder / "buildinfo.txt").exists():
            _link([facts], trial.folder)
            arguments.append(str(trial.folder / facts.name))
    return arguments


def _whole(moments: Sequence[Moment]) -> Sequence[Moment]:
    return moments


def _ends(moments: Sequence[Moment]) -> Sequence[Moment]:
    return [moments[0], moments[-1]] if len(moments) > 1 else moments


def _last(moments: Sequence[Moment]) -> Sequence[Moment]:
    return moments[-1:]


def all_moments(trial: Trial) -> list[str]:
    """Give everything but Go's own proof."""
    return _lay_out(trial, _whole, _everything)


def two_moments(trial: Trial) -> list[str]:
    """Give the first and the last moment."""
    return _lay_out(trial, _ends, _everything)


def one_dump(trial: Trial) -> list[str]:
    """Give the last goroutine dump and nothing else."""
    return _lay_out(trial, _last, lambda moment: _named(moment, _DUMP)[:1]) if trial.in_goroutines else []


def one_heap(trial: Trial) -> list[str]:
    """Give the last heap profile and nothing else."""
    return _lay_out(trial, _last, lambda moment: _named(moment, _HEAP)) if trial.in_heap else []


def protobuf_only(trial: Trial) -> list[str]:
    """Give every moment, but only as protobuf: no ages, no ids, no creators."""
    return _lay_out(trial, _whole, lambda moment: _named(moment, _PROTOBUF))


def with_source(trial: Trial) -> list[str]:
    """Give everything but the proof, and the source of the program and of our own modules."""
    if not (trial.case.folder / "go.mod").exists():
        return []
    source = trial.folder / "source"
    source.mkdir()
    (source / trial.case.service).symlink_to(trial.case.folder)
    for module, (version, folder) in local_modules(trial.case.folder / "go.mod").items():
        at = source / f"{module}@{version}"
        at.parent.mkdir(parents=True, exist_ok=True)
        at.symlink_to(folder)
    return ["--source", str(source), *all_moments(trial)]


def with_proof(trial: Trial) -> list[str]:
    """Give everything, Go's own goroutineleak profile too, where the take has it."""
    if not any(_named(moment, _PROOF) for moment in trial.recorded.moments):
        return []
    return _lay_out(trial, _whole, lambda moment: moment.files())


def with_baseline(trial: Trial) -> list[str]:
    """Give the last moment, and that of the healthy twin, where the case has one."""
    twins = [take for take in trial.case.takes if take.build.name == trial.truth.baseline]
    if not twins or trial.take.build.name == trial.truth.baseline:
        return []
    # Of several the one whose paths look alike; else a twin is a twin.
    twin = next((take for take in twins if take.paths == trial.take.paths), twins[0])
    healthy = Trial(
        trial.case, twin, recording(trial.case.captures / twin.name), trial.truth, trial.folder / "baseline"
    )
    against = _lay_out(healthy, _last, _everything)
    sick = Trial(trial.case, trial.take, trial.recorded, trial.truth, trial.folder / "sick")
    return [word for path in against for word in ("--baseline", path)] + _lay_out(sick, _last, _everything)


Setting = Callable[[Trial], list[str]]
# Arguments of `oakum diagnose`, or none where a take does not have what the setting gives.
SETTINGS: dict[str, Setting] = {
    "all moments": all_moments,
    "all moments, with source": with_source,
    "all moments, with goroutineleak": with_proof,
    "all moments, protobuf only": protobuf_only,
    "two moments": two_moments,
    "one moment and a healthy twin": with_baseline,
    "one goroutine dump": one_dump,
    "one heap profile": one_heap,
}

__all__ = ["SETTINGS", "Setting", "Trial", "trial"]
