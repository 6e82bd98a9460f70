"""Directories of profiles -> what is in them, by a path pattern, oldest first. Opens regular files only."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from oakum.fleet.pattern import PathPattern
from oakum.fleet.summary import BYTES_MOST, KINDS, Labels
from oakum.model import StoreError, Text


class Entry(Struct, frozen=True):
    """A profile that can be read."""

    name: str  # as people are told of it
    labels: Labels
    place: str  # as `read` opens it


class Found(Struct):
    """What a source holds."""

    entries: list[Entry]
    unmatched: list[str]  # names that do not fit the pattern
    passed: int = 0  # profiles of kinds that tell nothing of leaks


class Unfit(Exception):
    """A file that cannot be read as a profile; the argument says why."""


def directory(root: str, pattern: PathPattern) -> Found:
    """Return the profiles below a directory, or the one that a path names."""
    found = Found([], [])
    for path, name in _files(root):
        take(found, name, path, pattern)
    return in_order(found)


def take(found: Found, name: str, place: str, pattern: PathPattern) -> None:
    """Add what a path names."""
    said = pattern.match(name)
    if said is None:
        if not name.rpartition("/")[2].startswith("."):
            found.unmatched.append(name)
    elif said.profile and said.profile not in KINDS:
        found.passed += 1
    else:
        labels = Labels(said.service, said.replica, said.zone, said.build, said.profile, said.at)
        found.entries.append(Entry(name, labels, place))


def in_order(found: Found) -> Found:
    """Put profiles in the order of time: rows of one hour are written together."""
    found.entries.sort(key=lambda one: (one.labels.at or 0, one.labels.service, one.labels.replica, one.name))
    return found


def _files(root: str) -> Iterator[tuple[str, str]]:
    """Yield path and name of all files, in no order; names that are no UTF-8 are written with backslashes."""
    start = Path(root)
    if not start.exists():
        raise StoreError(Text("fleet.no-input", {"path": root}))
    if not start.is_dir():
        yield root, start.name
        return
    # What cannot be opened below is told by what it holds not being there: os.walk goes on.
    for folder, folders, files in os.walk(root, onerror=_refuse if not os.access(root, os.R_OK | os.X_OK) else None):
        folders.sort()
        below = os.path.relpath(folder, root)
        for file in files:
            name = file if below == os.curdir else f"{below}/{file}".replace(os.sep, "/")
            yield os.path.join(folder, file), os.fsencode(name).decode("utf-8", "backslashreplace")  # noqa: PTH118 - names of bytes


def _refuse(error: OSError) -> None:
    raise StoreError(Text("store.unread", {"path": str(error.filename), "error": error.strerror or str(error)}))


def read_file(place: str) -> bytes:
    """Return the bytes of a regular file of bounded size; raise Unfit with the reason."""
    try:
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            told = os.fstat(descriptor)
            if not stat.S_ISREG(told.st_mode):
                raise Unfit(Text("fleet.refused.no-file"))
            if told.st_size > BYTES_MOST:
                raise Unfit(Text("fleet.refused.large", {"most": BYTES_MOST}))
            return file.read(BYTES_MOST)
    except OSError as error:
        raise Unfit(Text("fleet.refused.unread", {"error": error.strerror or str(error)})) from error


Read = Callable[[str], bytes]
