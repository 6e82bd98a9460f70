"""Directories and buckets of profiles -> what is in them, by a path pattern, oldest first.

Of directories regular files only are opened; of both no more is read than a profile may have.
"""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from oakum.fleet.pattern import PathPattern
from oakum.fleet.summary import BYTES_MOST, KINDS, Labels
from oakum.model import StoreError, Text
from oakum.store.shared import failing, obstore_list, open_objects

if TYPE_CHECKING:
    from obstore.store import ObjectStore


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


def bucket(url: str, objects: "ObjectStore", pattern: PathPattern) -> Found:
    """Return the profiles below s3://BUCKET/PREFIX."""
    found = Found([], [])
    with failing(url):
        for some in obstore_list(objects):
            for one in some:
                take(found, one["path"], f"{url}\0{one['path']}", pattern)
    return in_order(found)


class Reading:
    """Reads entries of directories and of buckets."""

    def __init__(self) -> None:
        self._buckets: dict[str, ObjectStore] = {}

    def find(self, source: str, pattern: PathPattern) -> Found:
        """Return the profiles of one source."""
        if not source.startswith("s3://"):
            return directory(source, pattern)
        url = source.rstrip("/")
        self._buckets[url] = open_objects(url)
        return bucket(url, self._buckets[url], pattern)

    def read(self, place: str) -> bytes:
        url, _, path = place.partition("\0")
        return read_object(self._buckets[url], path) if path else read_file(place)


def read_object(objects: "ObjectStore", path: str) -> bytes:
    """Return the bytes of an object of bounded size; raise Unfit with the reason."""
    import obstore
    from obstore.exceptions import BaseError

    try:
        found = obstore.get(objects, path)
        if found.meta["size"] > BYTES_MOST:
            raise Unfit(Text("fleet.refused.large", {"most": BYTES_MOST}))
        return bytes(found.bytes())
    except (BaseError, FileNotFoundError) as error:
        told = str(error).partition("\n")[0][:200]
        raise Unfit(Text("fleet.refused.unread", {"error": told})) from error
