"""`sensitivity`: every number that decides, a third less and a third more, one at a time -> which answers change.

Each change is tried in a process of its own, forked from one that holds the corpus: the module is read with the other
number, and the windows to which that may matter (watch.py) are diagnosed again. Results are kept in .cache/ by the
digest of the corpus and of all code that answers, so that a run that was ended goes on.
"""

import ast
import importlib
import importlib.machinery
import json
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import spec_from_file_location
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from casebook.runner import watch
from casebook.runner.corpus import FOLDER, answered_digest, asked_digest, questions
from casebook.runner.numbers import Number, Source, file_of, modules
from casebook.runner.stage import RunFailed
from casebook.runner.watch import WORDS
from casebook.runner.windows import Asked, answered
from oakum.model import Case, Diagnosis
from oakum.report.json import document

# A change may make a loop endless; what is not answered by then counts as not answered.
_LIMIT = 300
# In which the windows are first diagnosed as the code is.
_PARTS = 4
_DECIDING = ("oakum.compare", "oakum.detect", "oakum.judge", "oakum.diagnose")
_Diagnose = Callable[[Case], Diagnosis]
# Whether the truth was told, and the whole answer in short; None when there was none.
Answer = tuple[bool, str] | None


@dataclass(frozen=True, slots=True)
class Changed:
    """What one change of a number does."""

    asked: int  # windows that were diagnosed again
    others: int = 0  # answers that differ, and are neither more nor less true
    failed: int = 0
    # By what happens: names of recordings, one for each window.
    detected: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    accused: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()
    windows: tuple[str, ...] = ()  # those that lose a truth, by `label`


@dataclass(frozen=True, slots=True)
class Measured:
    """A number, and what happens at two thirds and at four thirds of it."""

    number: Number
    uses: int  # windows that use it
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
    """Finds modules as they are changed, and no others."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._trees = trees

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        name = fullname.removeprefix("oakum.")
        if name == fullname or name not in self._trees:
            return None
        return spec_from_file_location(
            fullname, file_of(name), loader=_Loader(fullname, file_of(name), self._trees[name])
        )


def diagnose_with(trees: Mapping[str, ast.Module]) -> _Diagnose:
    """Return the diagnosis with other modules. It stays so: for a process of its own."""
    for name in [name for name in sys.modules if name.startswith(_DECIDING)]:
        del sys.modules[name]
    others = [one for one in sys.meta_path if not isinstance(one, _Finder)]
    sys.meta_path[:] = [_Finder(trees), *others]
    diagnose: _Diagnose = importlib.import_module("oakum.diagnose").diagnose
    return diagnose


def answer(question: Asked, diagnose: _Diagnose) -> Answer:
    """Return whether the truth is told of a window, and the whole answer in short."""
    said = document(diagnose(question.case))
    outcome = answered(question, said)
    right = outcome.detected if outcome.leaking else outcome.verdict != "leaking"
    told = [said["verdict"], *((one["id"], one["mechanism"], one["confidence"]) for one in said["findings"])]
    return right, blake2b(repr(told).encode(), digest_size=6).hexdigest()


def label(question: Asked) -> str:
    """Return a name of a window: that of the program first."""
    return f"{question.name} {question.window} {question.formats}"


def compare(asked: Sequence[tuple[Asked, Answer, Answer]]) -> Changed:
    """Return what differs between the answers before and after a change."""
    found: dict[str, list[str]] = {"detected": [], "lost": [], "accused": [], "cleared": [], "windows": []}
    others = failed = 0
    for question, before, after in asked:
        failed += after is None
        was, is_ = bool(before and before[0]), bool(after and after[0])
        if was != is_ and (after or question.findings):  # without an answer nobody is accused
            kind = ("detected" if is_ else "lost") if question.findings else ("cleared" if is_ else "accused")
            found[kind].append(question.name)
            found["windows"] += [label(question)] if was else []
        else:
            others += after is not None and before != after
    return Changed(len(asked), others, failed, **{kind: tuple(names) for kind, names in found.items()})


def _tried(number: Number, value: float, asked: Sequence[tuple[Asked, Answer]]) -> Changed:
    """Return what a change does. An error, or no answer in time, is no answer."""
    tree = Source(number.module, modules()[number.module]).with_number(number, value)
    diagnose = diagnose_with({number.module: tree})
    found: list[tuple[Asked, Answer, Answer]] = []
    signal.signal(signal.SIGALRM, _ended)
    signal.alarm(_LIMIT)
    try:
        for question, before in asked:
            found.append((question, before, _answer_or_none(question, diagnose)))
    except TimeoutError:
        found += ((question, before, None) for question, before in asked[len(found) :])
    finally:
        signal.alarm(0)
    return compare(found)


def _ended(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


def _answer_or_none(question: Asked, diagnose: _Diagnose) -> Answer:
    try:
        return answer(question, diagnose)
    except TimeoutError:
        raise
    except Exception:
        return None


def reached(question: Asked, diagnose: _Diagnose) -> tuple[Answer, list[int], list[tuple[int, str]]]:
    """Return the answer as the code is, which numbers it uses, and which changes may matter."""
    _forget()
    watch.used.clear()
    watch.matter.clear()
    return answer(question, diagnose), sorted(watch.used), sorted(watch.matter)


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


def _reach(path: Path, asked: Sequence[Asked], trees: Mapping[str, ast.Module]) -> None:
    diagnose = diagnose_with(trees)
    _write(path, [reached(one, diagnose) for one in asked])


def _try(path: Path, number: Number, value: float, asked: Sequence[tuple[Asked, Answer]]) -> None:
    changed = _tried(number, value, asked)
    _write(path, {name: getattr(changed, name) for name in Changed.__dataclass_fields__})


def _share(tasks: Sequence[tuple[Callable[..., None], tuple[Any, ...]]], jobs: int, told: str) -> None:
    """Run tasks in processes of their own, so many at a time; progress goes to stderr."""
    context = multiprocessing.get_context("fork")  # the corpus is there already
    began, running = time.monotonic(), list[ForkProcess]()
    for done, (target, arguments) in enumerate(tasks):
        _wait(running, jobs - 1)
        running.append(context.Process(target=target, args=arguments, daemon=True))
        running[-1].start()
        minutes = (time.monotonic() - began) / 60
        left = f", {minutes / done * (len(tasks) - done):.0f} min left" if done > jobs else ""
        print(f"\r{told} {done + 1} of {len(tasks)}{left}   ", end="", file=sys.stderr, flush=True)
    _wait(running, 0)
    if tasks:
        print(file=sys.stderr)


def _wait(running: list[ForkProcess], most: int) -> None:
    """Wait until at most so many of the processes run."""
    while len(running) > most:
        wait([one.sentinel for one in running])
        for one in [one for one in running if not one.is_alive()]:
            running.remove(one)
            if one.exitcode:
                raise RunFailed(f"a process of sensitivity ended with {one.exitcode}")


def measure(only: Sequence[str] = (), jobs: int = 2) -> tuple[list[Measured], list[tuple[Asked, Answer]]]:
    """Return what every number of these modules does, or of all; and the questions with their answers."""
    asked = questions()
    sources = {name: Source(name, text) for name, text in modules().items()}
    numbers = [one for source in sources.values() for one in source.numbers]
    folder = FOLDER / f"{asked_digest()}-{answered_digest()}"
    folder.mkdir(parents=True, exist_ok=True)
    trees, always = watch.watched(sources, numbers)
    base = _base(folder, asked, trees, jobs)
    wanted = [at for at, number in enumerate(numbers) if not only or number.module in only]
    paths = {
        (at, word): folder / f"{numbers[at].module}-{numbers[at].at}-{word}.json" for at in wanted for word in WORDS
    }
    tasks = []
    for (at, word), path in paths.items():
        if not path.exists():
            again = [one for one, (_, _, matter) in enumerate(base) if at in always or (at, word) in matter]
            windows = [(asked[one], base[one][0]) for one in again]
            tasks.append((_try, (path, numbers[at], getattr(numbers[at], word), windows)))
    _share(tasks, jobs, "change")
    uses = [sum(at in always or at in used for _, used, _ in base) for at in range(len(numbers))]
    told = [Measured(numbers[at], uses[at], *(_read(paths[at, word]) for word in WORDS)) for at in wanted]
    return told, [(one, base[at][0]) for at, one in enumerate(asked)]


def _base(
    folder: Path, asked: Sequence[Asked], trees: Mapping[str, ast.Module], jobs: int
) -> list[tuple[Answer, set[int], set[tuple[int, str]]]]:
    """Return the answers as the code is, the numbers that each uses, and the changes that may matter to it."""
    parts = [folder / f"base-{at}-{_PARTS}.json" for at in range(_PARTS)]
    _share(
        [(_reach, (path, asked[at::_PARTS], trees)) for at, path in enumerate(parts) if not path.exists()], jobs, "part"
    )
    found: list[tuple[Answer, set[int], set[tuple[int, str]]]] = [(None, set(), set())] * len(asked)
    for at, path in enumerate(parts):
        found[at::_PARTS] = [
            (tuple(told) if told else None, {*used}, {(one, word) for one, word in matter})
            for told, used, matter in json.loads(path.read_text(encoding="utf-8"))
        ]
    return found


def _read(path: Path) -> Changed:
    row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    told: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Changed(**told)
