"""The corpus of `sensitivity`: windows of every recording as questions, assembled once and kept in .cache/.

Of each recording: everything, debug=2 with the heap, protobuf, one dump, and a few sets of three that a fixed seed
draws. Windows that do not show their leak are left out.
"""

import gc
import pickle
import random
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from casebook.runner.case import Take, chosen
from casebook.runner.tools import ROOT, processes
from casebook.runner.windows import Asked, Recorded, Shot, asked, listed, load, windows

SEED = 29
TRIPLES = 2
FOLDER = ROOT / ".cache" / "sensitivity"
_FORMATS = {"all": ("everything", "debug=2 + heap.pb", "protobuf only"), "one": ("debug=2 only",)}
# What the questions are made of and by; what answers them.
_ASKED = ("casebook", "tests/regressions", "src/oakum/model", "src/oakum/parse", "src/oakum/assemble")
_ANSWERED = ("compare", "detect", "explain", "knowledge", "model", "judge.py", "diagnose.py")
_RUNNER = frozenset({"windows.py", "corpus.py", "expectation.py", "evidence.py", "score.py", "numbers.py", "watch.py"})


def digest_of(paths: Iterable[str]) -> str:
    """Return a name for the content of files and folders; of the runner only what asks and counts."""
    found = blake2b(digest_size=8)
    for file in sorted(file for name in paths for file in _files(ROOT / name)):
        if file.parent.name != "runner" or file.name in _RUNNER:
            found.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return found.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    yield from (file for file in (path.rglob("*") if path.is_dir() else [path]) if _counts(file))


def _counts(file: Path) -> bool:
    return file.is_file() and "__pycache__" not in file.parts and file.suffix != ".go"


def asked_digest() -> str:
    """Return a name for the questions: recordings, what is true of them, and who reads them."""
    return digest_of(_ASKED)


def answered_digest() -> str:
    """Return a name for all code that answers: a number means another thing where a rule beside it has changed."""
    return digest_of(f"src/oakum/{name}" for name in _ANSWERED)


def chosen_windows(recorded: Recorded) -> Iterator[tuple[str, tuple[Shot, ...], str]]:
    """Yield the windows of a recording that are asked: name, snapshots, formats."""
    named = windows(recorded.shots)
    for window, formats in _FORMATS.items():
        yield from ((window, tuple(named[window]), one) for one in formats)
    triples = [name for name in named if name.startswith("triple")]
    drawn = random.Random(f"{SEED} {recorded.name}").sample(triples, min(TRIPLES, len(triples)))
    yield from ((name, tuple(named[name]), "everything") for name in drawn)


def questions_of(name: str, take: Take | None) -> list[Asked]:
    """Return the questions of one recording."""
    recorded = load(name, take)
    found = [asked(recorded, *window) for window in chosen_windows(recorded)] if recorded else []
    return [one for one in found if one is not None and one.shown]


def _packed(name: str, take: Take | None) -> bytes:
    """Return the questions of one recording as bytes: what they share is kept once."""
    return pickle.dumps(questions_of(name, take), protocol=5)


def questions() -> list[Asked]:
    """Return all questions, from .cache/ where they are there already."""
    kept = FOLDER / f"corpus-{asked_digest()}.pickle"
    if not kept.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        with processes() as pool:
            packed = list(pool.map(_packed, *zip(*listed(chosen([])), strict=True), chunksize=4))
        for former in FOLDER.glob("corpus-*.pickle"):  # 200 MB each
            former.unlink()
        part = kept.with_suffix(".part")
        part.write_bytes(pickle.dumps(packed, protocol=5))
        part.replace(kept)
    gc.disable()  # nothing of it is garbage, and looking costs more than reading
    recordings: list[bytes] = pickle.loads(kept.read_bytes())  # noqa: S301  (written above)
    found: list[Asked] = [one for packed in recordings for one in pickle.loads(packed)]  # noqa: S301
    gc.enable()
    return found
