"""Where a bundle goes: a directory that is claimed, files that are written whole or not at all, an archive of them.

Nothing that is not of an earlier bundle is ever overwritten or deleted, and that not before there is something to put
in its place. What the disk refuses becomes an OakumError.
"""

import errno
import gzip
import os
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from oakum.collect.bundle.manifest import MANIFEST, OWN_FILES, is_manifest, read_manifest
from oakum.model import Buffer, OakumError, UsageError

PACKED = (".tar.gz", ".tgz")
_OTHER_ARCHIVES = (".tar", ".zip", ".gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".7z")
_ADVICE = {
    errno.ENOSPC: "make room or name another place with -o",
    errno.EDQUOT: "your quota is used up; make room or name another place with -o",
    errno.EROFS: "the file system is mounted read-only; name another place with -o",
    errno.EACCES: "you may not write there; name another place with -o",
    errno.EPERM: "you may not write there; name another place with -o",
    errno.EFBIG: "the file system takes no file of this size; name another place with -o",
}


def is_packed(place: Path) -> bool:
    """Tell whether a bundle becomes an archive there."""
    return place.name.lower().endswith(PACKED)


@contextmanager
def written(what: str) -> Iterator[None]:
    """Say clearly what could not be written, where, and what to do."""
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "name another place with -o")
        raise OakumError(f"{what}: could not be written: {error.strerror or error}; {advice}") from error


def claim(place: Path, force: bool) -> Path:
    """Return the directory that files are written into; raise when the place is taken."""
    if not is_packed(place):
        if place.name.lower().endswith(_OTHER_ARCHIVES):
            raise UsageError(f"-o {place}: a bundle is a directory or ends in .tar.gz")
        return _claim_folder(place, place, force)
    if place.is_dir():
        raise UsageError(f"-o {place}: this is a directory; name a file that is not there yet")
    if os.path.lexists(place) and not force:
        raise UsageError(f"-o {place}: this file exists; --overwrite replaces it, or name another")
    return _claim_folder(place.with_name(f"{place.name}.partial"), place, force)


def _claim_folder(folder: Path, named: Path, force: bool) -> Path:
    with written(str(folder)):
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"-o {named}: {folder} is a file; a bundle is a directory or ends in .tar.gz")
        if folder.is_dir() and any(folder.iterdir()) and not force:
            left = f"{folder} holds what an interrupted run kept" if folder != named else "the directory is not empty"
            raise UsageError(f"-o {named}: {left}; --overwrite replaces the bundle in it, or name another place")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    return folder


def earlier(folder: Path) -> list[Path]:
    """Return the files that the manifest of an earlier bundle lists, and its own; none where there is no bundle."""
    path = folder / MANIFEST
    with written(str(folder)):
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    if not is_manifest(data):
        return []
    listed, _ = read_manifest(data)
    files = [folder / name for name in dict.fromkeys([*listed.files, *OWN_FILES])]
    return [
        file
        for file in files
        if file.is_file() and not any(one.is_symlink() for one in (file, *_between(file, folder)))
    ]


def beside(folder: Path, files: Sequence[Path]) -> set[str]:
    """Return what is in a folder but for these files: the names that stay taken when they go."""
    known = set(files)
    tops = {file.relative_to(folder).parts[0] for file in files}  # nothing else is looked into: it may be large

    def goes(one: Path) -> bool:
        inner = one.rglob("*") if one.is_dir() else (one,)
        return one.name in tops and all(file in known or (file.is_dir() and not file.is_symlink()) for file in inner)

    return {one.name.casefold() for one in folder.iterdir() if one.is_symlink() or not goes(one)}


def remove(folder: Path, files: Sequence[Path]) -> None:
    """Delete files below a folder, and the folders between that nothing else is in."""
    with written(str(folder)):
        for file in files:
            file.unlink(missing_ok=True)
        for below in sorted({one for file in files for one in _between(file, folder)}, reverse=True):
            if not any(below.iterdir()):
                below.rmdir()


def _between(file: Path, folder: Path) -> list[Path]:
    return [parent for parent in file.parents if parent.is_relative_to(folder) and parent != folder]


def write_whole(path: Path, data: Buffer, at: datetime | None = None) -> None:
    """Write a file that is there whole or not at all, readable by its owner alone."""
    with written(str(path)):
        # A mode of mkdir is that of the last folder alone.
        path.parent.parent.mkdir(mode=0o700, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        number, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)  # mode 0600
        try:
            with os.fdopen(number, "wb") as file:
                file.write(data)
            if at is not None:
                os.utime(name, (at.timestamp(), at.timestamp()))
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def pack(folder: Path, place: Path, times: Mapping[str, datetime]) -> None:
    """Pack files below `folder` (path: time) into an archive, the same bytes for the same files; the folder goes."""
    top = place.name
    for ending in PACKED:
        top = top[: -len(ending)] if top.lower().endswith(ending) else top
    with written(str(place)):
        number, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=place.parent)
        try:
            with (
                os.fdopen(number, "wb") as file,
                gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
                tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
            ):
                for path in sorted(times):
                    row = tarfile.TarInfo(f"{top or 'bundle'}/{path}")
                    row.size, row.mtime, row.mode = (folder / path).stat().st_size, int(times[path].timestamp()), 0o600
                    with (folder / path).open("rb") as content:
                        archive.addfile(row, content)
            Path(name).replace(place)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _forget(folder, times)


def _forget(folder: Path, paths: Mapping[str, datetime]) -> None:
    for path in paths:
        (folder / path).unlink()
    for below in sorted((one for one in folder.rglob("*") if one.is_dir()), reverse=True):
        if not any(below.iterdir()):
            below.rmdir()
    if not any(folder.iterdir()):
        folder.rmdir()
