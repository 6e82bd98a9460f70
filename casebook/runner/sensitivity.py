"""`sensitivity`: every number that decides, a third less and a third more, one at a time -> which answers change.

Each change is tried in a process of its own, forked from one that holds the corpus: the module is read with the other
number, and the windows that reach it are diagnosed again. Results are kept in .cache/ by the digest of the corpus and
of all code that answers, so that a run that was ended goes on.
"""

import ast
import importlib
import importlib.machinery
import json
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import spec_from_file_location
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from casebook.runner.corpus import FOLDER, answered_digest, asked_digest, questions
from casebook.runner.numbers import Number, Source, file_of, modules
from casebook.runner.windows import Asked, answered
from oakum.model import Case, Diagnosis
from oakum.report.json import document

# A change may make a loop endless; what is not answered by then counts as not answered.
_LIMIT = 300
_DECIDING = ("oakum.compare", "oakum.detect", "oakum.judge", "oakum.diagnose")
_Diagnose = Callable[[Case], Diagnosis]
# Whether the truth was told, and the whole answer in short; None when there was none.
Answer = tuple[bool, str] | None


@dataclass(frozen=True, slots=True)
class Changed:
    """What one change of a number does."""

    asked: int  # windows that reach the number
    others: int = 0  # answers that differ, and are neither more nor less true
    failed: int = 0
    # By what happens: names of recordings, one for each window.
    detected: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    accused: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measured:
    """A number, and what happens at two thirds and at four thirds of it."""

    number: Number
    less: Changed
    more: Changed


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads one module from a tree."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = compile(self._tree, file_of(fullname.removeprefix("oakum.")), "exec")
        return code


class _Finder:
    """Finds one module as it is changed, and no other."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self._name, self._tree = name, tree

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        file = file_of(fullname.removeprefix("oakum."))
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, file, self._tree))


def diagnose_with(number: Number, value: float) -> _Diagnose:
    """Return the diagnosis with another value of a number. It stays so: for a process of its own."""
    tree = Source(number.module, modules()[number.module]).with_number(number, value)
    for name in [name for name in sys.modules if name.startswith(_DECIDING)]:
        del sys.modules[name]
    others = [one for one in sys.meta_path if not isinstance(one, _Finder)]
    sys.meta_path[:] = [_Finder(f"oakum.{number.module}", tree), *others]
    diagnose: _Diagnose = importlib.import_module("oakum.diagnose").diagnose
    return diagnose


def answer(question: Asked, diagnose: _Diagnose) -> Answer:
    """Return whether the truth is told of a window, and the whole answer in short."""
    said = document(diagnose(question.case))
    outcome = answered(question, said)
    right = outcome.detected if outcome.leaking else outcome.verdict != "leaking"
    told = [said["verdict"], *((one["id"], one["mechanism"], one["confidence"]) for one in said["findings"])]
    return right, blake2b(repr(told).encode(), digest_size=6).hexdigest()


def compare(asked: Sequence[tuple[Asked, Answer, Answer]]) -> Changed:
    """Return what differs between the answers before and after a change."""
    found: dict[str, list[str]] = {"detected": [], "lost": [], "accused": [], "cleared": []}
    others = failed = 0
    for question, before, after in asked:
        failed += after is None
        was, is_ = bool(before and before[0]), bool(after and after[0])
        if was != is_:
            kind = ("detected" if is_ else "lost") if question.findings else ("cleared" if is_ else "accused")
            found[kind].append(question.name)
        else:
            others += before != after
    return Changed(len(asked), others, failed, **{kind: tuple(names) for kind, names in found.items()})


def _tried(number: Number, value: float, asked: Sequence[tuple[Asked, Answer]]) -> Changed:
    """Return what a change does. An error, or no answer in time, is no answer."""
    diagnose = diagnose_with(number, value)
    after: list[Answer] = []
    signal.signal(signal.SIGALRM, _ended)
    signal.alarm(_LIMIT)
    try:
        after += (_answer_or_none(question, diagnose) for question, _ in asked)
    except TimeoutError:
        after += [None] * (len(asked) - len(after))
    finally:
        signal.alarm(0)
    return compare([(question, before, then) for (question, before), then in zip(asked, after, strict=True)])


def _ended(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


def _answer_or_none(question: Asked, diagnose: _Diagnose) -> Answer:
    try:
        return answer(question, diagnose)
    except TimeoutError:
        raise
    except Exception:
        return None


Lines = Mapping[str, frozenset[int] | None]  # by file; None: any of it


def lines_that_use(sources: Mapping[str, Source]) -> dict[Number, Lines]:
    """Return for each number the lines of functions that use it."""
    importers: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for name, source in sources.items():
        for module, there, here in source.imported():
            importers.setdefault((module, there), []).append((name, here))
    found: dict[Number, Lines] = {}
    for source in sources.values():
        for number in source.numbers:
            found[number] = _lines(number, sources, importers)
    return found


def _lines(
    number: Number, sources: Mapping[str, Source], importers: Mapping[tuple[str, str], Iterable[tuple[str, str]]]
) -> Lines:
    own = sources[number.module]
    if number.constant:
        used = [(number.module, number.constant), *importers.get((number.module, number.constant), ())]
        lines = {module: sources[module].lines_of(name) for module, name in used if module in sources}
    else:
        node = own.at(number.place)
        lines = {number.module: None if own.in_default(node) else own.lines_around(node)}
    if None in lines.values():  # at the top of a module: whoever imports anything of it may use it
        lines |= {
            name: None for (module, _), names in importers.items() if module == number.module for name, _ in names
        }
    return {file_of(module): None if at is None else frozenset(at) for module, at in lines.items()}


def reached(question: Asked, diagnose: _Diagnose, uses: Mapping[Number, Lines]) -> tuple[Answer, list[int]]:
    """Return the answer as the code is, and which numbers it takes, by their order."""
    files = {file_of(name) for name in modules()}
    hit: dict[str, set[int]] = {file: set() for file in files}

    def line(frame: FrameType, event: str, _argument: object) -> Any:
        if event == "line":
            hit[frame.f_code.co_filename].add(frame.f_lineno)
        return line

    def call(frame: FrameType, _event: str, _argument: object) -> Any:
        return line if frame.f_code.co_filename in files else None

    _forget()
    sys.settrace(call)
    try:
        told = answer(question, diagnose)
    finally:
        sys.settrace(None)
    return told, [at for at, lines in enumerate(uses.values()) if _touches(lines, hit)]


def _touches(lines: Lines, hit: Mapping[str, set[int]]) -> bool:
    return any(hit.get(file) if wanted is None else wanted & hit.get(file, set()) for file, wanted in lines.items())


def _forget() -> None:
    """Clear the caches of the code that decides: what is remembered reaches nothing."""
    for name, module in list(sys.modules.items()):
        if name.startswith(_DECIDING):
            for one in vars(module).values():
                if hasattr(one, "cache_clear"):
                    one.cache_clear()


def _write(path: Path, value: object) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value), encoding="utf-8")
    part.replace(path)


def _reach(path: Path, asked: Sequence[Asked], uses: Mapping[Number, Lines]) -> None:
    from oakum.diagnose import diagnose

    _write(path, [reached(one, diagnose, uses) for one in asked])


def _try(path: Path, number: Number, value: float, asked: Sequence[tuple[Asked, Answer]]) -> None:
    changed = _tried(number, value, asked)
    _write(path, {name: getattr(changed, name) for name in Changed.__dataclass_fields__})


def _share(tasks: Sequence[tuple[Callable[..., None], tuple[Any, ...]]], jobs: int, told: str) -> None:
    """Run tasks in processes of their own, so many at a time; progress goes to stderr."""
    context = multiprocessing.get_context("fork")  # the corpus is there already
    began, running = time.monotonic(), list[ForkProcess]()
    for done, (target, arguments) in enumerate((*tasks, *[(None, ())] * jobs)):
        while len(running) >= jobs or (target is None and running):
            wait([one.sentinel for one in running])
            for one in [one for one in running if not one.is_alive()]:
                one.join()
                running.remove(one)
                if one.exitcode:
                    raise RuntimeError(f"{told} ended with {one.exitcode}")
        if target is not None:
            running.append(context.Process(target=target, args=arguments, daemon=True))
            running[-1].start()
            spent = time.monotonic() - began
            left = f", {spent / done * (len(tasks) - done) / 60:.0f} min left" if done > jobs else ""
            print(f"\r{told} {done + 1} of {len(tasks)}{left}   ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def measure(only: Sequence[str] = (), jobs: int = 2) -> tuple[list[Measured], list[Asked]]:
    """Return what every number of these modules does, or of all; and the questions."""
    asked = questions()
    sources = {name: Source(name, text) for name, text in modules().items()}
    uses = lines_that_use(sources)
    folder = FOLDER / f"{asked_digest()}-{answered_digest()}"
    folder.mkdir(parents=True, exist_ok=True)
    base = _base(folder, asked, uses, jobs)
    wanted = [(at, number) for at, number in enumerate(uses) if not only or number.module in only]
    paths = {
        (number, word): folder / f"{number.module}-{number.at}-{word}.json"
        for _, number in wanted
        for word in ("less", "more")
    }
    tasks = [
        (
            _try,
            (
                path,
                number,
                getattr(number, word),
                [(q, told) for q, (told, hit) in zip(asked, base, strict=True) if at in hit],
            ),
        )
        for at, number in wanted
        for word in ("less", "more")
        if not (path := paths[number, word]).exists()
    ]
    _share(tasks, jobs, "change")
    return [Measured(number, _read(paths[number, "less"]), _read(paths[number, "more"])) for _, number in wanted], asked


def _base(
    folder: Path, asked: Sequence[Asked], uses: Mapping[Number, Lines], jobs: int
) -> list[tuple[Answer, set[int]]]:
    """Return the answers as the code is, and the numbers that each takes."""
    parts = [folder / f"base-{part}-of-{jobs}.json" for part in range(jobs)]
    tasks = [(_reach, (path, asked[at::jobs], uses)) for at, path in enumerate(parts) if not path.exists()]
    _share(tasks, jobs, "as it is, part")
    found: list[tuple[Answer, set[int]]] = [(None, set())] * len(asked)
    for at, path in enumerate(parts):
        found[at::jobs] = [
            (tuple(told) if told else None, {*hit}) for told, hit in json.loads(path.read_text(encoding="utf-8"))
        ]
    return found


def _read(path: Path) -> Changed:
    row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    told: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Changed(**told)
