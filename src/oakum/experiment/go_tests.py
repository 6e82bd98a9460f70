"""Packages of a module -> what stays after each of their tests and benchmarks: snapshots before and after iterations.

Runs the user's code, which `oakum verify --test` asks for by name. The tree is not written to: a file that measures is
added to each package by an overlay (measure_test.go.txt). Each test has a process of its own, so that nothing of
another one is in its snapshots.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib import resources
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct, field
from msgspec import json as typed_json

from oakum.collect.programs import Ran, run_program
from oakum.experiment.call_go import call_go, environment
from oakum.experiment.checkout import Checkout, inspect_checkout
from oakum.model import OakumError, UsageError
from oakum.model.tested import TestKind, TestOutcome

HELPER = "zz_oakum_measure_test.go"
_SERIES = "series.jsonl"
_EACH = (
    "{{.Dir}}\t{{.ImportPath}}\t{{.Name}}\t{{len .TestGoFiles}}\t{{len .XTestGoFiles}}\t"
    "{{with .Module}}{{.Dir}}{{end}}\t{{with .Error}}{{.}}{{end}}"
)
_LIST_SECONDS, _BUILD_SECONDS = 60.0, 600.0
_MOST_OUTPUT = 4 << 20
_MOST_TEXT = 2_000  # of the end of what a test printed
_MOST_SERIES = 1 << 20
_SNAPSHOTS = 12  # of one test, about: more tell no more, and each of them stops the test
_OUR_SECONDS = 30.0  # that a process may take beyond the time of its tests, to write
# TestSubmit, TestÄrger; nothing else is a name of a test, and of a file.
_NAME = re.compile(r"(?:Test|Benchmark)\w*")


class Asked(Struct, frozen=True):
    """What is to be run, as the command line has it."""

    packages: tuple[str, ...] = ("./...",)
    run: str = "."  # as go test -run
    bench: str = ""  # as go test -bench
    count: int = 6
    batch: int = 50  # iterations of a benchmark in each of its runs
    grace: float = 1.0  # seconds in which goroutines may end
    seconds: float = 600.0  # for all iterations of one test
    tags: str = ""
    short: bool = False
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # for the tests, by name
    cgo: bool = False
    race: bool = False


class Package(Struct, frozen=True):
    """A package with tests."""

    path: str
    folder: Path
    name: str
    module: Path | None = None


class Stage(Struct, frozen=True):
    """A line of what the helper wrote: how much was done when a snapshot was taken."""

    snapshot: int
    work: int
    runs: int
    at: datetime
    failed: bool = False
    skipped: bool = False


class Measured(Struct, frozen=True):
    """What was captured of one test: a folder with one folder for each stage."""

    package: Package
    name: str
    kind: TestKind
    outcome: TestOutcome
    captures: Path
    program: Path
    stages: tuple[Stage, ...] = ()
    said: str = ""  # the end of what it printed, where it did not pass


class Unbuilt(Struct, frozen=True):
    """A package that has tests and cannot be tested, and why."""

    package: str
    why: str


class GoTests:
    """Tests of the packages that were asked for. `place` is a folder of ours, which all captures are written to."""

    def __init__(self, folder: Path, asked: Asked, place: Path, env: Mapping[str, str] = os.environ) -> None:
        self.folder, self.asked, self.place, self.env = folder, asked, place, env
        if refused := [name for name in asked.env if name in environment(env, folder, fetch=False)]:
            raise UsageError(f"--env {refused[0]}: this is set for the go command, and cannot be changed")

    def packages(self) -> tuple[Package, ...]:
        """Return the packages that have tests; raise where Go cannot list them."""
        ran = self._go(["list", "-e", "-f", _EACH, *self._flags(self.folder), *self.asked.packages], _LIST_SECONDS)
        rows = [line.split("\t") for line in ran.out.decode("utf-8", "replace").splitlines()]
        rows = [row for row in rows if len(row) == 7]
        if broken := [row[6] for row in rows if row[6] and not row[0]]:
            raise OakumError(f"go list: {_end(broken[0])}")
        if ran.code and not rows:
            raise OakumError(f"go list: {_end(ran.err.decode('utf-8', 'replace'))}")
        return tuple(_package(row) for row in rows if row[3] != "0" or row[4] != "0")

    def inspect(self) -> Checkout:
        """Return what in the checkout is not followed, and whether it leads outside."""
        module = next((one for one in (self.folder, *self.folder.parents) if (one / "go.mod").is_file()), self.folder)
        return inspect_checkout(module, (module,), self.env)

    def build(self, package: Package) -> Path | Unbuilt:
        """Return the test program of a package, with what measures in it."""
        made = Path(tempfile.mkdtemp(prefix="build-", dir=self.place))
        helper, overlay, program = made / HELPER, made / "overlay.json", made / _program_name(package)
        text = resources.files("oakum.experiment").joinpath("measure_test.go.txt").read_text(encoding="utf-8")
        helper.write_text(text.replace("package PACKAGE", f"package {package.name}", 1), encoding="utf-8")
        overlay.write_text(json.dumps({"Replace": {str(package.folder / HELPER): str(helper)}}))
        arguments = ["test", "-c", "-vet=off", f"-overlay={overlay}", "-o", str(program), *self._flags(package.folder)]
        ran = self._go([*arguments, package.path], _BUILD_SECONDS)
        if ran.late:
            return Unbuilt(package.path, f"go test -c took more than {_BUILD_SECONDS:.0f} s")
        if ran.code or not program.is_file():
            return Unbuilt(package.path, _end((ran.out + ran.err).decode("utf-8", "replace")) or "no test program")
        return program

    def names(self, package: Package, program: Path) -> tuple[tuple[TestKind, str], ...]:
        """Return the tests and benchmarks of a package that -run and --bench name; raise for a pattern that is none."""
        wanted = {"OAKUM_LIST": "1", "OAKUM_RUN": self.asked.run, "OAKUM_BENCH": self.asked.bench}
        ran = self._program(package, [str(program)], wanted, _LIST_SECONDS)
        if ran.code == 2 and b"error parsing regexp" in ran.err:
            raise UsageError(ran.err.decode("utf-8", "replace").strip())
        found: list[tuple[TestKind, str]] = []
        for line in ran.out.decode("utf-8", "replace").splitlines():
            try:
                row = typed_json.decode(line, type=dict[str, str])
            except ValueError:  # what the package prints by itself before its tests
                continue
            found += [(kind, row[kind]) for kind in _KINDS if kind in row and _NAME.fullmatch(row[kind])]
        return tuple(found)

    def measure(self, package: Package, program: Path, kind: TestKind, name: str) -> Measured:
        """Run one test or benchmark as often as was asked for, and return what was captured."""
        captures = Path(tempfile.mkdtemp(prefix=f"{name[:60]}-", dir=self.place))
        asked = self.asked
        # Go runs each benchmark with one iteration before it runs it with all: after those, nothing is captured.
        every = 2 * -(-asked.count // _SNAPSHOTS) if kind == "benchmark" else -(-asked.count // _SNAPSHOTS)
        wanted = {
            "OAKUM_CAPTURES": str(captures),
            "OAKUM_GRACE": f"{asked.grace * 1000:.0f}ms",
            "OAKUM_EVERY": str(every),
        }
        ran = self._program(package, [str(program), *self._run_flags(kind, name)], wanted, asked.seconds + _OUR_SECONDS)
        stages = _stages(captures / _SERIES)
        outcome = _outcome(ran, stages)
        said = "" if outcome == "passed" else _end((ran.out + ran.err).decode("utf-8", "replace"))
        return Measured(package, name, kind, outcome, captures, program, stages, said)

    def _run_flags(self, kind: TestKind, name: str) -> list[str]:
        asked = self.asked
        below = _below(asked.run if kind == "test" else asked.bench)
        flags = [f"-test.run=^{name}${below}"] if kind == "test" else ["-test.run=^$", f"-test.bench=^{name}${below}"]
        if kind == "benchmark":
            flags.append(f"-test.benchtime={asked.batch}x")
        flags += [f"-test.count={asked.count}", f"-test.timeout={asked.seconds:.0f}s", "-test.paniconexit0"]
        return [*flags, *(["-test.short"] if asked.short else [])]

    def _flags(self, folder: Path) -> list[str]:
        flags = [f"-tags={self.asked.tags}"] if self.asked.tags else []
        flags += ["-race"] if self.asked.race else []
        roots = (place for place in (folder, *folder.parents) if (place / "go.mod").is_file())
        root = next(roots, folder)
        return [*flags, *(["-mod=vendor"] if (root / "vendor" / "modules.txt").is_file() else [])]

    def _go(self, arguments: Sequence[str], seconds: float) -> Ran:
        try:
            cgo = self.asked.cgo or self.asked.race  # the race detector is a C library
            return call_go(arguments, self.folder, seconds, most=_MOST_OUTPUT, cgo=cgo, env=self.env)
        except OSError as error:
            raise OakumError(f"go does not run: {error.strerror or error}") from None

    def _program(self, package: Package, command: list[str], wanted: Mapping[str, str], seconds: float) -> Ran:
        env = {**environment(self.env, package.folder, fetch=False), **self.asked.env, **wanted}
        return run_program(command, seconds, _MOST_OUTPUT, folder=package.folder, env=env)


_KINDS: tuple[TestKind, ...] = ("test", "benchmark")


@contextmanager
def place_for_captures(kept: str) -> Iterator[Path]:
    """Lend the folder that captures are written to: the one that was named, which stays, or one that goes."""
    if kept:
        Path(kept).mkdir(parents=True, exist_ok=True)
        yield Path(kept).absolute()
        return
    with tempfile.TemporaryDirectory(prefix="oakum-", ignore_cleanup_errors=True) as made:
        yield Path(made)


def _package(row: Sequence[str]) -> Package:
    folder, path, name, *_, module, _ = row
    return Package(path, Path(folder), name, Path(module) if module else None)


def _program_name(package: Package) -> str:
    return re.sub(r"[^\w.-]", "_", package.path.rpartition("/")[2])[:80] + ".test"


def _below(pattern: str) -> str:
    """Return what a pattern asks of subtests: "/eu" of "TestOrders/eu"."""
    depth = at = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] in "[(":
            depth += 1
        elif pattern[at] in "])":
            depth -= 1
        elif pattern[at] == "/" and depth == 0:
            return pattern[at:]
        at += 1
    return ""


def _stages(file: Path) -> tuple[Stage, ...]:
    """Return what was written; the last line may be cut, where the process was ended."""
    try:
        with file.open("rb") as opened:
            lines = opened.read(_MOST_SERIES).splitlines()
    except OSError:
        return ()
    found: list[Stage] = []
    for line in lines:
        try:
            found.append(typed_json.decode(line, type=Stage))
        except ValueError:
            break
    return tuple(found)


def _outcome(ran: Ran, stages: Sequence[Stage]) -> TestOutcome:
    if ran.late or b"panic: test timed out after" in ran.out + ran.err:
        return "late"
    if not stages or stages[-1].runs == 0 or stages[-1].skipped:
        return "ended" if ran.code else "idle"
    if ran.code == 0:
        return "passed"
    return "failed" if any(stage.failed for stage in stages) else "ended"


def _end(text: str) -> str:
    """Return the last lines of a text."""
    text = text.strip()
    return text if len(text) <= _MOST_TEXT else f"...{text[-_MOST_TEXT:]}"
