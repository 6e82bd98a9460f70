"""`record CASE`: build every take of a case, run them side by side, and keep what was captured under captures/.

Refuses to keep a file that names this machine; a case whose recording fails keeps its old captures, all of them.
"""

import gzip
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

from casebook.runner import build
from casebook.runner.case import BadCase, Case, Take
from casebook.runner.stage import RunFailed, Stage, give_up_all
from casebook.runner.tools import ROOT, toolchain

# Where a program finds its scratch folder: a neutral name that it may print, short enough for a unix socket.
SCRATCH = Path("/run")
# A take is a few MB at most.
MOST = 4 << 20


def record(case: Case, wanted: Collection[str] = ()) -> list[str]:
    """Record the takes of a case (or those named) and return a line about each."""
    takes = [take for take in case.takes if not wanted or take.name in wanted]
    if unknown := {*wanted} - {take.name for take in takes}:
        names = ", ".join(take.name for take in case.takes)
        raise BadCase(f"{case.name}: there is no take {', '.join(sorted(unknown))}; there are {names}")
    with (
        tempfile.TemporaryDirectory(prefix="casebook-") as scratch,
        build.yard(case) if case.own else nullcontext() as yard,
    ):
        made = []
        for number, take in enumerate(takes, 1):
            programs: dict[str, Path] = {}
            information = b""
            if yard:
                target = yard / f"run{number}"
                target.mkdir()
                programs, information = build.for_recording(case, take, yard, target)
            made.append((take, programs, information, Path(scratch) / f"take{number}"))
        with ThreadPoolExecutor(len(made)) as pool:
            try:
                outs = [*pool.map(lambda one: _run(case, *one), made)]
            except BaseException:  # one take failed, or Ctrl-C: nothing of the others is kept either
                give_up_all("another take failed, or the recording was interrupted")
                raise
        for out in outs:
            _refuse_foreign(case, out)
        for take, out in zip(takes, outs, strict=True):
            kept = case.captures / take.name
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(out, kept)
    return [f"{case.name}/{take.name}: {_size(case.captures / take.name) >> 10} KiB" for take in takes]


def _run(case: Case, take: Take, programs: dict[str, Path], information: bytes, scratch: Path) -> Path:
    out = scratch / "out"
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{case.service}-", dir=SCRATCH))
    except OSError as error:
        raise RunFailed(
            f"cannot make a folder in {SCRATCH} ({error.strerror}): record as root, in a container"
        ) from None
    try:
        out.mkdir(parents=True)
        stage = Stage(case, take.build, programs, folder, out)
        if information:
            stage.keep("buildinfo.txt", information)
        stage.play()
        stage.write_manifest(service=case.service, go=take.go, paths=take.paths)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return out


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


# Too short to tell, or everybody's.
_NO_NAME = re.compile(r"^(?:.{0,3}|localhost.*)$")


def _foreign() -> re.Pattern[bytes]:
    """Return what names this machine: its folders, and its own name as a word."""
    folders = [
        re.escape(os.fsencode(path)) for path in (ROOT, Path.home(), "/tmp/", toolchain.CACHE) if str(path) != "/"
    ]
    host = socket.gethostname()
    words = [] if _NO_NAME.match(host) else [rb"(?<![\w-])%s(?![\w-])" % re.escape(host.encode())]
    return re.compile(b"|".join([*folders, *words]))


def _refuse_foreign(case: Case, out: Path) -> None:
    """Raise when a captured file names this machine, or when there is too much of it."""
    foreign = _foreign()
    for path in sorted(out.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
            if found := foreign.search(plain):
                raise RunFailed(f"{case.name}: {path.relative_to(out)} names {found[0].decode()}")
    if _size(out) > MOST:
        raise RunFailed(f"{case.name}: {_size(out) >> 20} MiB of evidence; at most {MOST >> 20} MiB is kept of a take")


__all__ = ["record"]
