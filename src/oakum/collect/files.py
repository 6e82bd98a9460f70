"""Files, directories, archives, bundles and standard input -> captures, bytes as they are.

Large files are mapped, not read. Directories are walked in name order, archives are read as directories; hidden files
are left out, and reports of ours. The manifest of a bundle says when its files were taken and what they were: it is no
evidence itself.
"""

import mmap
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from oakum.collect.bundle.archive import is_archive, members
from oakum.collect.bundle.manifest import MANIFEST, OWN_FILES, Manifest, is_manifest, read_manifest
from oakum.collect.own_reports import is_report
from oakum.model import Argument, Capture, OakumError, Problem, Text, Unread, UsageError
from oakum.model.order import natural

_MAP_FROM = 1 << 20  # below this, reading is cheaper than mapping
_STREAM_MOST = 4 << 30  # what a pipe may deliver before we refuse to hold more


Complaint = Callable[[OakumError], None]


def _raise(error: OakumError) -> None:
    raise error


class _Within(Struct, frozen=True):
    """The bundle that a file lies in, and its path there."""

    manifest: Manifest
    path: str = ""

    def below(self, name: str) -> "_Within":
        return _Within(self.manifest, f"{self.path}/{name}" if self.path else name)


def gather(arguments: Iterable[str], complain: Complaint = _raise) -> Iterator[Capture]:
    """Yield one capture for each file that the arguments name, in the order given.

    What cannot be read is handed to `complain`; when that returns, the rest is still read.
    """
    for argument in arguments:
        if argument == "-" and sys.stdin is None:
            complain(Unread(Problem.of("unread.closed"), argument))
        elif argument == "-":
            given = Capture("-", _read_stream(sys.stdin.buffer, "standard input"), datetime.now(UTC))
            yield from _opened(given, complain) if is_archive(given.data) else [given]
        elif "://" in argument:
            how = f": curl -sS -o capture.pb.gz '{argument}'" if argument.startswith("http") else " in a file"
            complaint = UsageError(
                f"{argument}: only files, directories and - are read here; save the target's answer first{how}"
            )
            complain(complaint)
        elif archive := _archive_of(argument):
            yield from _inside(archive, argument, complain)
        else:
            yield from _walk(Path(argument), argument, complain, frozenset(), None)


def gather_at(place: str, name: str, complain: Complaint = _raise) -> Iterator[Capture]:
    """Yield the captures at a place as if it were called `name`: evidence that was moved keeps the names it had."""
    if archive := _archive_of(place):
        inside = place[len(str(archive)) :]
        if name.endswith(inside):
            yield from _inside(archive, name, complain, name.removesuffix(inside))
    else:
        yield from _walk(Path(place), name, complain, frozenset(), None)


def is_there(argument: str) -> bool:
    """Tell whether a word names a file, a directory, or something in an archive."""
    try:
        return Path(argument).exists() or _archive_of(argument) is not None
    except OSError:
        return True  # it is there, and may not be looked at


def _archive_of(argument: str) -> Path | None:
    """Return the archive that `bundle.tar.gz/orders/2` leads into; None for a path of the file system."""
    try:
        return next((one for one in Path(argument).parents if one.is_file()), None)
    except OSError:  # a directory that may not be looked into: it is said when the path is opened
        return None


def _inside(archive: Path, argument: str, complain: Complaint, origin: str = "") -> Iterator[Capture]:
    """Yield the files of an archive that a path into it names; `origin` is what the archive is called."""
    origin = origin or (argument[: len(str(archive))] if argument.startswith(str(archive)) else str(archive))
    found = False
    for capture in _walk(archive, origin, complain, frozenset(), None):
        if capture.origin == argument or capture.origin.startswith(f"{argument.rstrip('/')}/"):
            found = True
            yield capture
    if not found:
        complain(Unread(Problem.of("unread.not-in-archive", origin=argument, archive=str(archive)), argument))


def _walk(
    path: Path, origin: str, complain: Complaint, above: frozenset[tuple[int, int]], within: _Within | None
) -> Iterator[Capture]:
    try:
        if not path.is_dir():
            capture = _open(path, origin)
            if above and is_report(capture.data):
                return
            yield from [_listed(capture, within)] if not is_archive(capture.data) else _opened(capture, complain)
            return
        facts = path.stat()
        if (facts.st_dev, facts.st_ino) in above:  # a link back to where we come from
            return
        above |= {(facts.st_dev, facts.st_ino)}
        children = [path / name for name in sorted(_names_in(path), key=natural)]
        if not children:
            raise Unread(Problem.of("unread.empty", origin=origin), origin)
        if manifest := _manifest_in(path, origin, complain):
            within = _Within(manifest)
            children = [child for child in children if child.name not in OWN_FILES]
            _missing(manifest, lambda name: (path / name).is_file(), origin, complain)
    except FileNotFoundError:
        complain(Unread(_not_there(path, origin), origin))
        return
    except PermissionError:
        complain(Unread(Problem.of("unread.forbidden", origin=origin), origin))
        return
    except OSError as error:
        complain(Unread(Problem.of("unread.failed", origin=origin, error=error.strerror or str(error)), origin))
        return
    except Unread as error:
        complain(error)
        return
    for child in children:
        yield from _walk(
            child,
            f"{origin.rstrip('/')}/{child.name}",
            complain,
            above,
            within.below(child.name) if within else None,
        )


def _names_in(folder: Path) -> Iterator[str]:
    """Yield the files and folders in a folder that are not hidden. A pipe or a device would make us wait; who means one
    names it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            # Of all but links the list tells what they are.
            there = Path(entry) if entry.is_symlink() else entry
            if not entry.name.startswith(".") and (there.is_file() or there.is_dir()):
                yield entry.name


def _opened(archive: Capture, complain: Complaint) -> Iterator[Capture]:
    """Yield the files of an archive in name order; what could not be read of it is told."""

    def told(name: str, /, **args: Argument | Text) -> None:
        # Part of it: whoever named the archive gets the rest.
        complain(Unread(Problem.of(f"unread.{name}", origin=archive.origin, **args), f"{archive.origin}/"))

    found = sorted(members(archive.data, told), key=lambda member: [natural(part) for part in member.path.split("/")])
    if not found:
        complain(Unread(Problem.of("unread.archive-empty", origin=archive.origin), archive.origin))
        return
    # `tar -czf orders.tar.gz orders/`: the directory that was packed adds nothing.
    tops = {member.path.partition("/")[0] for member in found}
    only = f"{tops.pop()}/" if len(tops) == 1 and all("/" in member.path for member in found) else ""
    paths = [member.path.removeprefix(only) for member in found]
    root = None
    at = paths.index(MANIFEST) if MANIFEST in paths else -1
    if at >= 0 and is_manifest(found[at].data):
        manifest, problems = read_manifest(found[at].data)
        root = _Within(manifest)
        for problem in problems:
            told(problem.key, **problem.text.args)
        _missing(manifest, set(paths).__contains__, archive.origin, complain)
    for member, path in zip(found, paths, strict=True):
        if (root is None or path not in OWN_FILES) and not is_report(member.data):
            capture = Capture(f"{archive.origin}/{path}", member.data, member.written, problems=member.problems)
            yield _listed(capture, root.below(path) if root else None)


def _manifest_in(folder: Path, origin: str, complain: Complaint) -> Manifest | None:
    path = folder / MANIFEST
    if not path.is_file():
        return None
    with path.open("rb") as file:
        if not is_manifest(file.read(4096)):
            return None
    manifest, problems = read_manifest(path.read_bytes())
    for problem in problems:
        place = f"{origin}/{MANIFEST}"
        complain(Unread(Problem.of(f"unread.{problem.key}", origin=place, **problem.text.args), place))
    return manifest


def _missing(manifest: Manifest, there: Callable[[str], bool], origin: str, complain: Complaint) -> None:
    """Tell which files a manifest lists that are gone."""
    gone = [name for name in manifest.files if not there(name)]
    if gone:
        first, more = f"{origin}/{gone[0]}", len(gone) - 1
        one = Problem.of("unread.listed", origin=first, manifest=MANIFEST)
        several = Problem.of("unread.listed-more", origin=first, more=more, manifest=MANIFEST)
        complain(Unread(several if more else one, first))


def _listed(capture: Capture, within: _Within | None) -> Capture:
    """Return the capture with what the manifest of its bundle says of it."""
    listed = within.manifest.files.get(within.path) if within else None
    if listed is None:
        return capture
    problems = capture.problems
    if listed.digest and listed.digest != capture.digest and not problems:
        problems = (Problem.of("changed", manifest=MANIFEST),)
    return replace(capture, taken_at=listed.at, target=listed.target, problems=problems)


def _not_there(path: Path, origin: str) -> Problem:
    """Return what is said of a file that is not there: where it was looked for, and which may be meant instead."""
    try:
        names = [child.name for child in path.parent.iterdir()]
    except OSError:
        names = []
    from difflib import get_close_matches

    near = [str(path.with_name(one)) for one in get_close_matches(path.name, names, 1)]
    try:
        here = str(Path.cwd())
    except OSError:
        here = "a directory that is gone"
    if near:
        return Problem.of("unread.not-there-near", origin=origin, here=here, near=near[0])
    return Problem.of("unread.not-there", origin=origin, here=here)


def _open(path: Path, origin: str) -> Capture:
    with path.open("rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):  # a pipe: oakum top <(curl ...)
            return Capture(origin, _read_stream(file, origin), datetime.now(UTC))
        when = datetime.fromtimestamp(facts.st_mtime, UTC)
        if facts.st_size < _MAP_FROM:
            return Capture(origin, file.read(), when)
        return Capture(origin, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), when)


def _read_stream(stream: BinaryIO, name: str) -> bytes:
    parts, size = [], 0
    while part := stream.read(1 << 20):
        size += len(part)
        if size > _STREAM_MOST:
            raise Unread(Problem.of("unread.too-large", origin=name, most=_STREAM_MOST >> 30))
        parts.append(part)
    return b"".join(parts)
