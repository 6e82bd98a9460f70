"""Directories and files -> what `oakum scan` finds in them: collect reads, scan.py thinks, several processes share it.

A small tree is read in this process. A package that takes too long, or that breaks the reading, is told and passed
over. Workers are started afresh (spawn), so that it goes the same way on every system.
"""

import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, resource_tracker
from pathlib import Path
from typing import NamedTuple

from oakum.collect.code.go_tree import GoPackage, directories, package_of_file, packages
from oakum.model import Flaw, OakumError, Problem, Scan, Text
from oakum.scan import Read, scan

_ALONE = 24  # directories that are read sooner than workers start
_CHUNK = 12  # directories handed to a worker at a time
_MOST_WORKERS = 8
_SECONDS = 60.0  # of work for one package; that of nats-server takes five
_COLLECT = 3 << 20  # bytes of source whose trees may stay in memory before the collector is asked


class TooLong(BaseException):
    """A package took longer than any that people write."""


class Part(NamedTuple):
    files: int = 0
    packages: int = 0
    flaws: tuple[Flaw, ...] = ()
    problems: tuple[Problem, ...] = ()


def scan_trees(
    roots: Sequence[str], *, tests: bool, vendor: bool, jobs: int | None, progress: Callable[[Text | str], None]
) -> Scan:
    """Return what is found below the roots, in the order of their files."""
    places = list(_places(roots, vendor=vendor, progress=progress))
    workers = min(jobs or min(_cores(), _MOST_WORKERS), -(-len(places) // _CHUNK))
    parts: list[Part] = []
    done = 0
    alone = workers < 2 or (jobs is None and len(places) <= _ALONE)
    for size, part in _here(places, tests) if alone else _spread(places, tests, workers):
        parts.append(part)
        done += size
        progress(Text("progress.directories", {"done": done, "total": len(places)}))
    flaws = sorted((flaw for part in parts for flaw in part.flaws), key=lambda flaw: (flaw.place.file, flaw.place.line))
    problems = {(one.where, one.key): one for part in parts for one in part.problems}
    return Scan(
        tuple(roots),
        sum(part.files for part in parts),
        sum(part.packages for part in parts),
        tuple(flaw for flaw in flaws if not flaw.ignored),
        tuple(flaw for flaw in flaws if flaw.ignored),
        tuple(problems[key] for key in sorted(problems)),
    )


def _places(roots: Sequence[str], *, vendor: bool, progress: Callable[[Text | str], None]) -> Iterator[str]:
    """Yield directories, and files that were named themselves; what lies below two roots once."""
    seen: set[str] = set()
    for root in roots:
        progress(Text("progress.looking-into", {"place": str(root)}))
        found = directories(Path(root), vendor=vendor) if Path(root).is_dir() else [Path(root)]
        for place in found:
            real = os.path.realpath(place)
            if real not in seen:
                seen.add(real)
                yield str(place)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _here(places: Sequence[str], tests: bool) -> Iterator[tuple[int, Part]]:
    for place in places:
        yield 1, work((place,), tests)


@contextmanager
def _held_back() -> Iterator[None]:
    """Hold Ctrl-C back while workers start, which inherit that: it is told once, by the command, when they have."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # lets Ctrl-C through again when it starts: before, not with the first worker
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep workers from importing what lies where the user stands: Python looks for its own modules there first."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _spread(places: Sequence[str], tests: bool, workers: int) -> Iterator[tuple[int, Part]]:
    chunks = [tuple(places[at : at + _CHUNK]) for at in range(0, len(places), _CHUNK)]
    with _safe_path(), _held_back():  # in this order: the first holds for every process that the second starts
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=gc.disable)
        futures = {pool.submit(work, chunk, tests): len(chunk) for chunk in chunks}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenProcessPool as error:
        raise OakumError("a worker process was killed, perhaps by the OOM killer; try --jobs 1") from error
    finally:
        if not all(future.done() for future in futures):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is ending: a second Ctrl-C has nothing to add
            for worker in active_children():  # before their queues are closed, which they would complain of
                worker.kill()
        pool.shutdown(wait=False, cancel_futures=True)


def work(places: Sequence[str], tests: bool) -> Part:
    files = count = 0
    flaws: list[Flaw] = []
    problems: list[Problem] = []
    for place in places:
        path = Path(place)
        found, unread = packages(path, tests=tests) if path.is_dir() else package_of_file(path)
        problems += unread
        for package in found:
            files += len(package.files)
            count += 1
            read = _read(package)
            flaws += read.flaws
            problems += read.problems
            _let_go(sum(len(file.data) for file in package.files))
    return Part(files, count, tuple(flaws), tuple(problems))


_read_since = 0


def _let_go(size: int) -> None:
    """Free what was read, now and then: a package and its functions name each other, and `main` stops the collector."""
    global _read_since
    _read_since += size
    if _read_since > _COLLECT:
        gc.collect()
        _read_since = 0


def _read(package: GoPackage) -> Read:
    """Return the flaws of a package; one that cannot be read ends nothing but itself."""
    where = str(Path(package.files[0].path).parent)
    try:
        with _at_most(_SECONDS):
            return scan(package.path, package.files, package.go)
    except TooLong:
        told = Problem.of("too-long", where, seconds=round(_SECONDS))
    except MemoryError:
        told = Problem.of("too-large.memory", where)
    except Exception as error:
        if os.environ.get("OAKUM_DEBUG"):
            raise
        told = Problem.of("internal.scan", where, error=f"{type(error).__name__}: {error}")
    return Read((), (told,))


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise TooLong in what runs longer, where the system has an alarm clock."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of work, however busy the machine is
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
