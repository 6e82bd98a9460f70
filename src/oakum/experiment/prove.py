"""Drafted tests and a drafted fix -> the test that fails without the fix and passes with it, every time; or why not.

All drafts of a package are compiled together, in overlays: the tree is not written to. What does not compile is left
out. Each is run in its own process, in an empty folder, bounded in time, memory and output; a call to another machine
over HTTP goes to a proxy that is not there. The one offered is compiled alone and run several times.
"""

import json
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from oakum.collect.programs import run_program
from oakum.experiment.checkout import inspect_checkout
from oakum.experiment.compile import Go, NotTried, Patched, patched
from oakum.experiment.unified import Unfit
from oakum.model import Attempt, DraftedTest, Proof, Text

TIMES = 3  # in a row, without the fix and with it
_SECONDS = 300.0  # for one finding, compiling included
_RUN_SECONDS = 30.0  # one test while one is looked for
_AT_ONCE = 4  # tests mostly wait
_MOST_OUTPUT = 4 << 20
_MEMORY = 2 << 30
_PATIENCE = 5  # seconds, as a fix without a time-out of its own needs
_ROUNDS = 6  # of compiling: each leaves out what the compiler complains of
FILE = "oakum_leak{}_test.go"
_FILE = re.compile(r"oakum_leak(\d+)_test\.go")
#     oakum_leak3_test.go:61: left behind: 40 goroutines
_LEFT = re.compile(rb"left behind: (-?\d{1,12}) ")
# A line that is added, with Add(30 * time.Second) in it.
_TIMEOUT = re.compile(r"(?m)^(\+(?!\+\+ ).*?\b)(\d{1,4})(\s*\*\s*time\.)(Second|Minute)\b")


class _Built(Struct, frozen=True):
    """Test binaries of one package, without the fix and with it."""

    before: Path
    after: Path
    drafts: Mapping[int, DraftedTest]


def prove(
    drafts: Sequence[DraftedTest],
    diff: str,
    root: Path,
    dependency: Path | None = None,
    go: Go | None = None,
    given: Sequence[Path] = (),
    progress: Callable[[Text], None] = lambda _: None,
) -> Proof:
    """Return the first of the drafts that tells the drafted fix from none; `root` and the rest as in compile.py."""
    began = monotonic()
    if not drafts:
        return Proof(why_not=Text("proof.none.no-draft"))
    go = go or Go()
    if inspect_checkout(root, (*given, *((dependency,) if dependency else ())), go.env).leads_outside:
        return Proof(why_not=Text("proof.none.outside"))
    try:
        return _proven(_Search(diff, root.absolute(), dependency, go, began + _SECONDS, progress), drafts, began)
    except (Unfit, NotTried, OSError) as error:
        return Proof(why_not=Text("proof.none.not-built", {"why": _line(str(error))}))


class _Search(Struct):
    """What is looked for, and how far it got."""

    diff: str
    root: Path
    dependency: Path | None
    go: Go
    until: float
    progress: Callable[[Text], None]
    tried: int = 0
    failed: int = 0  # without the fix
    said: str = ""  # the compiler's last words

    @property
    def late(self) -> bool:
        return monotonic() > self.until


def _proven(search: _Search, drafts: Sequence[DraftedTest], began: float) -> Proof:
    numbered = list(enumerate(drafts))
    by_folder = sorted(numbered, key=lambda one: str(Path(one[1].beside).parent))
    groups = [list(some) for _, some in groupby(by_folder, key=lambda one: str(Path(one[1].beside).parent))]
    for group in sorted(groups, key=lambda some: some[0][0]):
        for draft, before, after in _telling(search, dict(group)):
            if proof := _confirmed(search, draft, before, after):
                return replace(proof, tried=search.tried, seconds=monotonic() - began)
    if search.late:
        key = "late"
    else:
        key = "no-difference" if search.failed else "no-failure" if search.tried else "not-built"
    why = Text(f"proof.none.{key}", {"tried": search.tried, "failed": search.failed, "why": _line(search.said)})
    return Proof(tried=search.tried, why_not=why, seconds=monotonic() - began)


def _telling(search: _Search, drafts: Mapping[int, DraftedTest]) -> Iterator[tuple[DraftedTest, int, int]]:
    """Yield the drafts that fail without the fix and pass with it, with what each left behind; time-outs shortened."""
    quick = _TIMEOUT.sub(r"\g<1>1\g<3>Second", search.diff)
    with _built(search, quick, drafts, _PATIENCE) as built, ThreadPoolExecutor(_AT_ONCE) as pool:
        if built is None:
            return

        def both(number: int) -> tuple[Attempt | None, Attempt | None]:
            name = f"{built.drafts[number].name}{number}"
            before = None if search.late else _attempt(built.before, name, _RUN_SECONDS)
            heap = built.drafts[number].measures == "heap"
            after = _attempt(built.after, name, _RUN_SECONDS) if before and not before.passed else None
            if heap and before and after:  # where the bound is, is not known yet
                after = Attempt(3 * after.left < before.left, after.left)
            return before, after

        numbers = list(built.drafts)
        for at in range(0, len(numbers), _AT_ONCE):
            search.progress(Text("progress.proving", {"done": at, "of": len(numbers)}))
            some = numbers[at : at + _AT_ONCE]
            for number, (before, after) in zip(some, pool.map(both, some), strict=True):
                search.tried += 1
                search.failed += before is not None and not before.passed
                if before and after and not before.passed and after.passed:
                    yield built.drafts[number], before.left, after.left
            if search.late:
                return


def _confirmed(search: _Search, draft: DraftedTest, before: int, after: int) -> Proof | None:
    """Return the proof when the test alone, with the fix as it is drafted, fails and passes every time."""
    waits = [int(found[2]) * (60 if found[4] == "Minute" else 1) for found in _TIMEOUT.finditer(search.diff)]
    patience = _PATIENCE + max(waits, default=0)
    most = (before + max(after, 0)) // 2 if draft.measures == "heap" else 0
    search.progress(Text("progress.confirming"))
    with _built(search, search.diff, {-1: draft}, patience, most) as built, ThreadPoolExecutor(2 * TIMES) as pool:
        if built is None:
            return None
        seconds = _RUN_SECONDS + patience
        runs = [
            pool.submit(_attempt, binary, draft.name, seconds)
            for binary in (built.before, built.after)
            for _ in range(TIMES)
        ]
        done = [run.result() for run in runs]
    failed = tuple(one for one in done[:TIMES] if one is not None and not one.passed)
    passed = tuple(one for one in done[TIMES:] if one is not None and one.passed)
    if (len(failed), len(passed)) != (TIMES, TIMES):
        return None
    folder = Path(draft.beside).parent.relative_to(search.root)
    package = "." if folder == Path() else shlex.quote(f"./{folder.as_posix()}")
    return Proof(
        test=draft.written(patience=patience, most=most),
        path=(folder / f"{_snake(draft.name)}_test.go").as_posix(),
        name=draft.name,
        command=f"go test -run '^{draft.name}$' -count={TIMES} {package}",
        measures=draft.measures,
        function=draft.function,
        calls=draft.calls,
        before=failed,
        after=passed,
    )


@contextmanager
def _built(
    search: _Search, diff: str, drafts: Mapping[int, DraftedTest], patience: int, most: int = 64
) -> Iterator[_Built | None]:
    """Lend test binaries with as many of the drafts as compile, without the diff and with it; None without any."""
    folder = Path(next(iter(drafts.values())).beside).parent
    with (
        tempfile.TemporaryDirectory(prefix="oakum-") as made,
        patched(diff, search.root, search.dependency, Path(made), search.go) as at,
    ):
        if at.folder != search.root or not folder.is_relative_to(search.root):
            raise NotTried("the test would belong to a module of the module cache")
        replaced = json.loads(Path(made, "overlay.json").read_text())["Replace"]
        kept = drafts
        for changes, binary in ((replaced, Path(made, "after")), ({}, Path(made, "before"))):
            kept = _compile_fitting(search, at, folder, changes, binary, kept, patience, most)
        yield _Built(Path(made, "before"), Path(made, "after"), kept) if kept else None


def _compile_fitting(
    search: _Search,
    at: Patched,
    folder: Path,
    changes: Mapping[str, str],
    binary: Path,
    drafts: Mapping[int, DraftedTest],
    patience: int,
    most: int,
) -> Mapping[int, DraftedTest]:
    """Build a test binary without the drafts that the compiler complains of; return those in it, none if none is."""
    for _ in range(_ROUNDS):
        if not drafts:
            break
        numbers = {number: str(number) if number >= 0 else "" for number in drafts}
        files = {
            FILE.format(numbers[one]): draft.written(numbers[one], patience, most) for one, draft in drafts.items()
        }
        overlay = _overlay(binary.parent, folder, changes, files)
        done, said = _compile(search.go, at, overlay, folder, binary)
        if done:
            return drafts
        search.said = said.replace(f"{binary.parent}/tests/", "")
        bad = {int(number) for number in _FILE.findall(search.said)}
        drafts = {number: draft for number, draft in drafts.items() if bad and number not in bad}
    return {}


def _overlay(scratch: Path, folder: Path, changes: Mapping[str, str], files: Mapping[str, str]) -> Path:
    """Write an overlay: changed files, the drafts, and none of the tests that the package has."""
    replaced = {**changes, **{str(one): "" for one in folder.glob("*_test.go")}}
    texts = scratch / "tests"
    texts.mkdir(exist_ok=True)
    for name, text in files.items():
        (texts / name).write_text(text, encoding="utf-8")
        replaced[str(folder / name)] = str(texts / name)
    overlay = scratch / "overlay-tests.json"
    overlay.write_text(json.dumps({"Replace": replaced}))
    return overlay


def _compile(go: Go, at: Patched, overlay: Path, folder: Path, binary: Path) -> tuple[bool, str]:
    inside = folder.relative_to(at.folder).as_posix()
    return go.run(
        ["test", "-c", "-vet=off", "-gcflags=-e", *at.before, f"-overlay={overlay}", "-o", str(binary), f"./{inside}"],
        at.folder,
    )


def _attempt(binary: Path, name: str, seconds: float) -> Attempt | None:
    """Return what came of one run; None when it neither passed nor failed by what stayed."""
    with tempfile.TemporaryDirectory(prefix="oakum-") as empty:
        env = {
            "HOME": empty, "TMPDIR": empty, "PATH": os.defpath, "GOMEMLIMIT": "512MiB", "GOTRACEBACK": "single",
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"),
        }  # fmt: skip
        command = [str(binary), f"-test.run=^{name}$", "-test.v", f"-test.timeout={seconds:.0f}s"]
        ran = run_program(command, seconds + 5, _MOST_OUTPUT, folder=Path(empty), env=env, memory=_MEMORY)
    left = _LEFT.search(ran.out)
    if ran.late or left is None or ran.code not in (0, 1) or b"\npanic: " in ran.out + ran.err:
        return None
    return Attempt(ran.code == 0, int(left[1]))


def _snake(name: str) -> str:
    """Return the name of a file for a test: TestDeskQuoteLeak -> desk_quote_leak."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removeprefix("Test")).lower()


def _line(said: str) -> str:
    """Return the first line that says something."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith("#")]
    return lines[0][:300] if lines else ""
