"""The evidence that a saved diagnosis names -> the same captures under the same names, wherever they lie now.

They are looked for where the report names them, or by their digests in what is given in their place. What else came to
lie beside them since, reports too, is told apart.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from oakum.cli.case import unread_row
from oakum.collect.files import gather, gather_at, is_there
from oakum.collect.targets import is_live
from oakum.model import Capture, InputRow, OakumError, Unreadable

_VALUED = {"--baseline": "baseline", "--binary": "binary", "--source": "source"}
_MORE_MOST = 2000  # files that may have come to lie beside captures
_FLAGS = {"--fetch-source": "fetch", "--no-source": "no_source", "--no-compile": "no_compile"}


class Called(Struct):
    """How a diagnosis was called, as its document keeps it."""

    evidence: list[str] = field(default_factory=list)
    baseline: list[str] = field(default_factory=list)
    binary: list[str] = field(default_factory=list)
    source: list[str] = field(default_factory=list)
    fetch: bool = False
    no_source: bool = False
    no_compile: bool = False

    @property
    def words(self) -> list[str]:
        return list(dict.fromkeys((*self.evidence, *self.baseline, *self.binary)))


def called(words: Sequence[str]) -> Called:
    """Return what the words of a saved diagnosis name; raise for what cannot be read a second time."""
    found, left = Called(), list(words)
    while left:
        word = left.pop(0)
        if found.evidence or not (word in _VALUED or word in _FLAGS):
            found.evidence.append(word)
        elif word in _FLAGS:
            setattr(found, _FLAGS[word], True)
        elif left:
            getattr(found, _VALUED[word]).append(left.pop(0))
    if not found.evidence:
        raise Unreadable("the report does not say what it was made from; name its EVIDENCE after it")
    if "-" in found.words:
        raise Unreadable(
            "the report was made from standard input, which cannot be read again; diagnose a file that it is saved in"
        )
    if live := [word for word in found.words if is_live(word)]:
        raise Unreadable(f"{live[0]} is a running target, not what was captured of it; name its bundle as EVIDENCE")
    return found


class Held(Struct, frozen=True):
    """What became of the captures that a report names: where each word leads now, and how files differ from it."""

    base: Path  # where its relative words begin
    roots: Mapping[str, str]  # word -> the path that it stands for now
    missing: tuple[str, ...] = ()  # origins
    changed: tuple[tuple[str, str, str], ...] = ()  # origin, digest in the report, digest now
    extra: tuple[str, ...] = ()
    named: int = 0  # captures that the report names
    captures: Mapping[str, tuple[Capture, ...]] = field(
        default_factory=dict
    )  # word -> those there are, as it names them
    unread: tuple[InputRow, ...] = ()  # what could not be opened

    def gone(self, words: Sequence[str]) -> dict[str, int]:
        """Return the words that lead nowhere now, and how many captures each of them named."""
        lost = [word for word in words if word not in self.roots]
        return {word: len(_below(word, dict.fromkeys(self.missing, ""))) for word in lost}


def hold(rows: Iterable[Mapping[str, Any]], call: Called, folder: Path, given: Sequence[str]) -> Held:
    """Return where the captures of a report are now: `rows` are its inputs, `folder` is where it lies."""
    digests: dict[str, str] = {str(row["origin"]): str(row["digest"]) for row in rows}
    base = next((one for one in (Path.cwd(), folder) if _all_there(one, call.words)), Path.cwd())
    pool = [(capture.origin, capture.digest) for capture in gather(given)]
    roots: dict[str, str] = {}
    for word in call.words:
        mine = {origin[len(word.rstrip("/")) :]: digest for origin, digest in _below(word, digests)}
        if moved := _moved(word, mine, pool, call, given):
            roots[word] = str(Path(moved).absolute())
        elif is_there(place := str(base / word)) and _can_be_it(Path(place), len(mine)):
            roots[word] = place
    unread: list[OakumError] = []
    captures = {word: tuple(gather_at(root, word, unread.append)) for word, root in roots.items()}
    now = {capture.origin: capture.digest for found in captures.values() for capture in found}
    return Held(
        base,
        roots,
        missing=tuple(origin for origin, digest in digests.items() if digest and origin not in now),
        changed=tuple(
            (origin, digest, now[origin])
            for origin, digest in digests.items()
            if digest and now.get(origin, digest) != digest
        ),
        extra=tuple(origin for origin in now if origin not in digests),
        named=sum(bool(digest) for digest in digests.values()),
        captures=captures,
        unread=tuple(row for error in unread if (row := unread_row(error)).origin in digests),
    )


def _all_there(base: Path, words: Sequence[str]) -> bool:
    return all(is_there(str(base / word)) for word in words)


def _can_be_it(path: Path, captures: int) -> bool:
    """Tell whether a report can be made from what lies there: one that somebody sent may name / or a pipe."""
    if not path.is_dir():
        return path.is_file() or not path.exists()  # not there: within an archive
    left = captures + _MORE_MOST
    for _, folders, files in os.walk(path):
        left -= len(folders) + len(files)
        if left < 0:
            return False
    return True


def _below(word: str, digests: Mapping[str, str]) -> list[tuple[str, str]]:
    inside = f"{word.rstrip('/')}/"
    return [(origin, digest) for origin, digest in digests.items() if origin == word or origin.startswith(inside)]


def _moved(
    word: str, mine: Mapping[str, str], pool: Sequence[tuple[str, str]], call: Called, given: Sequence[str]
) -> str:
    """Return what a word is called among the evidence given in its place; "" where nothing of it is there."""
    votes: Counter[str] = Counter()
    for inside, digest in mine.items():
        for origin, found in pool:
            if digest and found == digest and origin.endswith(inside):
                votes[origin[: len(origin) - len(inside)]] += 1
    if votes:
        return votes.most_common(1)[0][0]
    # Nothing in it is what it was: what stands at its place among the arguments tells what became of it.
    if word in call.evidence and len(given) == len(call.evidence):
        return given[call.evidence.index(word)]
    return ""
