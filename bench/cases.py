"""What is compared, with whom, and which ratio is the target.

Each case returns the figures of everyone who ran, what the targets came to, and who could not run and why.
"""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from bench.capture import HANG, TARGETS, loop, services
from bench.catalogue import match
from bench.inputs import MIB, need
from bench.measure import Command, Figures, side_by_side

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
import toolchain  # noqa: E402  (shared with the tests, in whose folder it lies)


@dataclass(frozen=True)
class Target:
    """Something that must hold, what it came to, and whether that is enough."""

    text: str
    came_to: str
    met: bool


@dataclass
class Outcome:
    """What one case found out."""

    title: str
    figures: list[Figures] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # peers that could not run, with the reason
    notes: list[str] = field(default_factory=list)

    def at_most(self, text: str, value: float, limit: float, unit: str = "") -> None:
        """Note whether a value stays within its limit."""
        self.targets.append(Target(text, f"{value:.3g}{unit}", value <= limit))

    def at_least(self, text: str, value: float, limit: float, unit: str = "") -> None:
        """Note whether a value reaches its limit."""
        self.targets.append(Target(text, f"{value:.3g}{unit}", value >= limit))


@dataclass(frozen=True)
class Scope:
    """How much of it to run."""

    runs: int = 3
    quick: bool = False  # leave out what takes minutes
    full: bool = False  # as much data as the targets name, where a part of it is the default


def _environment() -> dict[str, str]:
    env = toolchain.environment() | {"NO_COLOR": "1"}
    if importlib.util.find_spec("oakum") is None:
        env["PYTHONPATH"] = str(ROOT / "src")
    return env


def _oakum(scope: Scope, *words: str | os.PathLike[str]) -> Command:
    name = f"oakum {words[0]}"
    return Command(name, [sys.executable, "-m", "oakum", *words], _environment(), scope.runs)


def _pprof_top(scope: Scope, path: Path) -> Command:
    compiler = toolchain.go()
    return Command("go tool pprof -top", [compiler, "tool", "pprof", "-top", path], _environment(), scope.runs)


def _run(outcome: Outcome, own: Command, *peers: Callable[[], Command]) -> tuple[Figures, dict[str, Figures]]:
    """Return the figures of our command and of the peers that could be had, by name."""
    commands = [own]
    for peer in peers:
        try:
            commands.append(peer())
        except toolchain.Missing as reason:
            outcome.missing.append(str(reason))
    figures = side_by_side(commands)
    for run in list(figures):
        if run.exit_code and run is not figures[0]:
            outcome.missing.append(f"{run.name} ended with exit code {run.exit_code}")
            figures.remove(run)
    outcome.figures += figures
    return figures[0], {run.name: run for run in figures[1:]}


def big_profile(scope: Scope) -> Outcome:
    """35 MB of protobuf: 300,000 samples, 120,000 locations, 60,000 functions, up to 60 deep."""
    outcome = Outcome("a profile of 300,000 samples, 35 MB of protobuf")
    path = need("profile-35MB.pb.gz")
    single = Scope(runs=1) if scope.quick else scope
    own, peers = _run(outcome, _oakum(scope, "top", path), lambda: _pprof_top(single, path))
    if pprof := peers.get("go tool pprof -top"):
        outcome.at_least("at least 10 times faster than go tool pprof", pprof.wall / own.wall, 10, " times")
        outcome.at_most("with no more memory", own.memory / pprof.memory, 1, " of its memory")
        outcome.targets.append(Target("same output", str(own.output == pprof.output), own.output == pprof.output))
    return outcome


def ordinary_profile(scope: Scope) -> Outcome:
    """5,000 samples, 0.3 MB gzipped: start-up counts."""
    outcome = Outcome("an ordinary profile of 5,000 samples, 0.3 MB gzipped")
    path = need("profile-ordinary.pb.gz")
    own, peers = _run(outcome, _oakum(scope, "top", path), lambda: _pprof_top(scope, path))
    pprof = peers.get("go tool pprof -top")
    if pprof:
        outcome.at_most("no more CPU than go tool pprof", own.cpu / pprof.cpu, 1, " times")
        outcome.targets.append(Target("same output", str(own.output == pprof.output), own.output == pprof.output))
    return outcome


def _gostackparse(scope: Scope, path: Path) -> Command:
    return Command("gostackparse", [toolchain.gostackparse(), path], _environment(), scope.runs)


def _panicparse(path: Path) -> Command:
    return Command("panicparse", [toolchain.panicparse(), path], _environment(), runs=1)


def dump(scope: Scope) -> Outcome:
    """64 MiB of goroutine stacks, grouped."""
    path = need("dump-64MiB.txt")
    outcome = Outcome("a dump of 64 MiB, some 70,000 goroutines in 300 groups")
    slow = [] if scope.quick else [lambda: _panicparse(path)]
    if scope.quick:
        outcome.missing.append("panicparse takes a minute or two: left out by --quick")
    own, peers = _run(outcome, _oakum(scope, "goroutines", path), lambda: _gostackparse(scope, path), *slow)
    if panicparse := peers.get("panicparse"):
        outcome.at_least("at least 30 times faster than panicparse", panicparse.wall / own.wall, 30, " times")
        outcome.at_most("with at most a quarter of its memory", own.memory / panicparse.memory, 0.25, " of it")
        outcome.notes.append(
            "panicparse takes `in goroutine N` (Go 1.21+) for a part of the creator's name: a group for each parent"
        )
    if gostackparse := peers.get("gostackparse"):
        ratio = own.cpu / gostackparse.cpu
        outcome.at_most("within 1.8 times the CPU of gostackparse, which only parses", ratio, 1.8, " times")
    return outcome


def old_dump(scope: Scope) -> Outcome:
    """The same, as Go 1.20 wrote it: without the creators' numbers panicparse groups well."""
    path = need("dump-64MiB-go1.20.txt")
    outcome = Outcome("the same dump as Go 1.20 wrote it, without `in goroutine N`: no target, for comparison")
    own, peers = _run(
        outcome, _oakum(scope, "goroutines", path), lambda: _gostackparse(scope, path), lambda: _panicparse(path)
    )
    outcome.notes += [f"{peer.wall / own.wall:.1f} times as fast as {name}" for name, peer in peers.items()]
    return outcome


def huge_dump(scope: Scope) -> Outcome:
    """1 GiB of goroutine stacks."""
    outcome = Outcome("a dump of 1 GiB, some 1,100,000 goroutines")
    if scope.quick:
        outcome.missing.append("left out by --quick")
        return outcome
    small, large = need("dump-64MiB.txt"), need("dump-1GiB.txt")
    own, _ = _run(outcome, _oakum(scope, "goroutines", large))
    base = side_by_side([_oakum(scope, "goroutines", small), _oakum(scope, "--version")])
    per_mib = [(base[0].wall - base[1].wall) / 64, (own.wall - base[1].wall) / 1024]
    outcome.notes.append(f"{1000 * per_mib[0]:.2f} ms a MiB at 64 MiB, {1000 * per_mib[1]:.2f} at 1 GiB")
    outcome.at_most(
        "linear: a MiB costs at most 1.25 times what it costs at 64 MiB", per_mib[1] / per_mib[0], 1.25, " times"
    )
    outcome.at_most("under 1.5 GiB", own.memory / MIB / 1024, 1.5, " GiB")
    return outcome


def _diagnosed(outcome: Outcome, scope: Scope, *evidence: Path) -> Figures:
    """Return what it costs to diagnose; what is diagnosed leaks."""
    own, _ = _run(outcome, _oakum(scope, "diagnose", *evidence))
    outcome.targets.append(Target("found leaking", f"exit code {own.exit_code}", own.exit_code == 1))
    return own


def diagnose_large(scope: Scope) -> Outcome:
    """The largest dump that pprof is likely to hand out, and the largest heap profile."""
    outcome = Outcome("the diagnosis of a 64 MiB dump and a heap profile of 300,000 samples")
    own = _diagnosed(outcome, scope, need("dump-64MiB.txt"), need("profile-35MB.pb.gz"))
    outcome.at_most("within 3 s", own.wall, 3, " s")
    outcome.at_most("and 500 MB", own.memory / 1e6, 500, " MB")
    return outcome


def diagnose_series(scope: Scope) -> Outcome:
    """A day of snapshots: 1,000 goroutines and 5,000 samples of heap each."""
    outcome = Outcome("the diagnosis of a hundred snapshots, each with 1,000 goroutines and a heap of 5,000 samples")
    own = _diagnosed(outcome, scope, need("snapshots-100"))
    outcome.at_most("within 5 s of CPU", own.cpu, 5, " s")
    outcome.at_most("and 450 MB", own.memory / 1e6, 450, " MB")
    return outcome


def diagnose_few(scope: Scope) -> Outcome:
    """Five snapshots of a small program: start-up counts."""
    outcome = Outcome("the diagnosis of five snapshots of a small program")
    captures = ROOT / "tests" / "regressions" / "articles-of-a-catalogue" / "captures"
    own, _ = _run(outcome, _oakum(Scope(runs=max(5, scope.runs)), "diagnose", captures))
    outcome.at_most("within 0.35 s of CPU", own.cpu, 0.35, " s")
    return outcome


def diagnose_bundle(scope: Scope) -> Outcome:
    """One bundle of many processes, two snapshots of each."""
    outcome = Outcome("the diagnosis of a bundle of 700 processes, two snapshots each")
    own, _ = _run(outcome, _oakum(Scope(1) if scope.quick else scope, "diagnose", need("bundle-700")))
    outcome.at_most("within 20 s of CPU", own.cpu, 20, " s")
    outcome.at_most("and 600 MB", own.memory / 1e6, 600, " MB")
    return outcome


def scan_tree(scope: Scope) -> Outcome:
    """Ten thousand Go files. Those for other systems than Linux are looked at and not read."""
    outcome = Outcome("the scan of 10,000 Go files")
    try:
        toolchain.go()
    except toolchain.Missing as reason:
        outcome.missing.append(f"the files are those of the standard library: {reason}")
        return outcome
    own, _ = _run(outcome, _oakum(Scope(1) if scope.quick else scope, "scan", need("go-tree")))
    outcome.targets.append(Target("found flaws", f"exit code {own.exit_code}", own.exit_code == 1))
    outcome.at_most("within 60 s", own.wall, 60, " s")
    outcome.at_most("and 600 MB in a process", own.memory / 1e6, 600, " MB")
    return outcome


def known_leaks(scope: Scope) -> Outcome:
    """A large catalogue against the stacks of a large dump, in this process."""
    outcome = Outcome("5,000 distinct stacks against 500 known leaks")
    taken, recognised = min(match() for _ in range(scope.runs))
    outcome.notes.append(f"{recognised} stacks recognised")
    outcome.at_most("within 0.5 s", taken, 0.5, " s")
    return outcome


def history(scope: Scope) -> Outcome:
    """What retention leaves of a year at one minute: a tenth of 200 services, all of them with --full."""
    from bench.history import GROWTH, RAW, RAW_OF, SERVICES, TOP, ask, ask_plainly, ask_raw, build, keep_raw

    count = SERVICES if scope.full else SERVICES // 10
    outcome = Outcome(f"a store with a year of {count} services at one minute")
    with tempfile.TemporaryDirectory(prefix="oakum-bench-") as folder:
        place = Path(folder) / "store"
        sizes = build(place, count)
        told = ", ".join(f"{level} {size / 1e6:.1f} MB" for level, size in sizes.items())
        outcome.notes.append(f"{sum(sizes.values()) / 1e6:.1f} MB on disk: {told}")
        for question, limit in ((GROWTH, 1.0), (TOP, 2.0)):
            own, plain = (
                min(_seconds(partial(how, place, question)) for _ in range(scope.runs)) for how in (ask, ask_plainly)
            )
            outcome.at_most(f"{question} within {limit:g} s, the store opened for it", own, limit, " s")
            outcome.notes.append(f"{question}: plain DuckDB {plain:.3g} s")
        kept = keep_raw(Path(folder) / "raw")
        outcome.notes.append(
            f"{GROWTH}, from raw files of every hour: {_seconds(partial(ask_raw, Path(folder) / 'raw')):.3g} s for "
            f"{RAW} of {RAW_OF} profiles, {kept / RAW / 1e3:.1f} kB each, before anything is compared"
        )
    return outcome


def serve(scope: Scope) -> Outcome:
    """50 readers of the pages while a writer goes on: a tenth of 2,000 services for 30 days, all with --full."""
    from bench.history import build
    from bench.serve import PLACES, READERS, SECONDS, measure

    count = 2000 if scope.full else 200
    outcome = Outcome(
        f"{READERS} readers of oakum serve on 30 days of {count} services at one minute, while it is written"
    )
    with tempfile.TemporaryDirectory(prefix="oakum-bench-") as folder:
        place = Path(folder) / "store"
        build(place, count, places=PLACES, days=30)
        found = measure(place, SECONDS if not scope.quick else 15.0)
    first = found.alone["services"]
    outcome.at_most("a list of services within 300 ms, nobody else asking", first["p50"], 300, " ms")
    outcome.at_most("and 300 KB with all that it loads", found.first_bytes / 1000, 300, " KB")
    outcome.at_most("p95 of all requests of 50 readers", found.readers["all"]["p95"], 200, " ms")
    outcome.at_most("none of them refused or failed", found.failed, 0)
    outcome.at_most("with at most 1 GB of memory", found.memory, 1000, " MB")
    for kind, told in found.readers.items():
        waits = f"p50 {told['p50']} ms, p95 {told['p95']} ms, at most {told['most']} ms"
        outcome.notes.append(f"{kind}: {told['requests']} requests, {waits}")
    outcome.notes.append(f"{found.written} snapshots written meanwhile; {found.cores} cores used")
    outcome.notes.append(f"load of the machine {found.load:.1f}")
    return outcome


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def watch_many(scope: Scope) -> Outcome:
    """A hundred services that leak, watched by one process every ten seconds: dumps and diagnoses included."""
    from bench.watching import TARGETS as WATCHED
    from bench.watching import watch

    outcome = Outcome(f"{WATCHED} services that all leak, watched by one process")
    found = watch(_environment(), 24 if scope.full else 12)
    outcome.at_most("at most 300 MB of memory", found.memory / 1e6, 300, " MB")
    outcome.at_least("an incident of each", found.incidents, WATCHED)
    outcome.at_most("a cheap look each minute costs a target 20 MiB/h at most", found.bytes_an_hour / MIB, 20, " MiB/h")
    outcome.at_most("and 0.5% of one core", found.seconds_a_look / 60 * 100, 0.5, "%")
    outcome.notes.append(f"{found.snapshots} snapshots, {found.cpu:.1f} s of CPU of the watcher")
    return outcome


def version(scope: Scope) -> Outcome:
    """Start-up."""
    outcome = Outcome("start-up")
    many = Scope(runs=max(5, scope.runs))
    bare = Command("python -c pass", [sys.executable, "-c", "pass"], _environment(), many.runs)
    own, peers = _run(outcome, _oakum(many, "--version"), lambda: bare)
    above = own.wall - peers["python -c pass"].wall
    outcome.at_most("at most 0.15 s above python -c pass", above, 0.15, " s")
    return outcome


def bomb(scope: Scope) -> Outcome:
    """Ten KB of gzip in gzip that want to become 5 GB."""
    outcome = Outcome("a gzip bomb of 10 KB")
    own, _ = _run(outcome, _oakum(scope, "inspect", need("bomb.gz")))
    outcome.targets.append(Target("refused", f"exit code {own.exit_code}", own.exit_code == 4))
    outcome.at_most("within 2 s", own.wall, 2, " s")
    outcome.at_most("and 300 MB", own.memory / 1e6, 300, " MB")
    return outcome


def capture_many(scope: Scope) -> Outcome:
    """500 services on loopback captured at once; then with ten that accept and never answer among them."""
    outcome = Outcome(f"{TARGETS} services captured at once, six requests each")
    with services() as addresses, tempfile.TemporaryDirectory() as folder:
        dead, alive = addresses[:HANG], addresses[HANG:]
        env = {**_environment(), "TMPDIR": folder}

        def oakum(name: str, *words: str) -> Command:
            quoted = shlex.join([sys.executable, "-m", "oakum", "capture", "--timeout", "3s", *words])
            return Command(name, ["sh", "-c", f'exec {quoted} -o "$(mktemp -d)/bundle"'], env, scope.runs)

        few = alive[: TARGETS // 10]
        commands = [oakum("oakum capture", *alive), oakum("with ten that hang", *dead, *alive)]
        if shutil.which("curl"):
            commands.append(Command("curl, a tenth of them", ["sh", "-c", loop(few)], env, scope.runs))
        else:
            outcome.missing.append("curl is not installed")
        own, slowed, *peers = outcome.figures = side_by_side(commands)
        (bundle,) = islice((path for path in Path(folder).glob("*/bundle")), 1)
        size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file())
    outcome.targets.append(Target("all of them captured", f"exit code {own.exit_code}", own.exit_code == 0))
    outcome.notes.append(f"{TARGETS / own.wall:.0f} targets/s, {size / own.wall / 1e6:.1f} MB/s written")
    outcome.at_most("with at most 250 MB of memory", own.memory / 1e6, 250, " MB")
    outcome.at_most("ten that hang cost their time-out of 3 s, twice at most", slowed.wall - own.wall, 6, " s")
    if peers:
        ratio = (TARGETS / own.wall) / (len(few) / peers[0].wall)
        outcome.at_least("at least 3 times the targets/s of a loop of curl", ratio, 3, " times")
    return outcome


def heap_dumps(scope: Scope) -> Outcome:
    """Heap dumps of a million objects and of ten, of maps, slices, lists and trees, with types; is it linear?"""
    outcome = Outcome("what holds the heap: a million objects, ten million")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "heap")
        command = [str(toolchain.go()), "build", "-o", str(program), "."]
        subprocess.run(command, cwd=ROOT / "bench" / "heap", env=_environment(), check=True)
        made: list[tuple[int, Figures]] = []
        for asked in (1_000_000,) if scope.quick else (1_000_000, 11_200_000):
            dump = Path(folder, f"{asked}.dump")
            told = subprocess.run([program, "-n", str(asked), "-o", dump], check=True, capture_output=True, text=True)
            count = int(told.stdout.split()[1])
            own, _ = _run(outcome, _oakum(Scope(1), "holders", "--binary", program, dump, "--depth", "2"))
            made.append((count, own))
            outcome.notes.append(
                f"{count:,} objects, {dump.stat().st_size / 1e6:.0f} MB: {count / own.cpu:,.0f} objects per second of "
                f"CPU, {own.memory / count:.0f} bytes of memory an object"
            )
            dump.unlink()
    if len(made) > 1:
        (few, small), (many, large) = made
        outcome.at_most("ten million objects within 60 s of CPU", large.cpu * 10e6 / many, 60, " s")
        outcome.at_most("and 4 GiB", large.memory / 2**30, 4, " GiB")
        outcome.at_most("linear: CPU per object, beside a million", large.cpu / many / (small.cpu / few), 1.5, " times")
    return outcome


CASES: dict[str, Callable[[Scope], Outcome]] = {
    "profile-35MB": big_profile,
    "profile-ordinary": ordinary_profile,
    "dump-64MiB": dump,
    "dump-64MiB-go1.20": old_dump,
    "dump-1GiB": huge_dump,
    "diagnose-64MiB": diagnose_large,
    "diagnose-5": diagnose_few,
    "diagnose-100": diagnose_series,
    "bundle-700": diagnose_bundle,
    "heap-10M": heap_dumps,
    "scan-10000": scan_tree,
    "known-500": known_leaks,
    "capture-500": capture_many,
    "history": history,
    "serve": serve,
    "watch-100": watch_many,
    "version": version,
    "bomb": bomb,
}

__all__ = ["CASES", "Outcome", "Scope", "Target", "toolchain"]
