"""`record CASE`: build every take of a case, run them side by side, and keep what was captured under captures/.

Refuses to keep a file that names a path of this machine; a case whose recording fails keeps its old captures.
"""

import gzip
import os
import shutil
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from casebook.runner import build
from casebook.runner.case import Case, Take
from casebook.runner.stage import RunFailed, Stage
from casebook.runner.tools import ROOT, toolchain

# A take is a few MB at most.
MOST = 4 << 20


def record(case: Case, wanted: Iterable[str] = ()) -> list[str]:
    """Record the takes of a case (or those named) and return a line about each."""
    takes = [take for take in case.takes if not [*wanted] or take.name in [*wanted]]
    with tempfile.TemporaryDirectory(prefix="casebook-") as scratch:
        yard = build.prepare_yard(case) if case.own else None
        try:
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
                outs = [*pool.map(lambda one: _run(case, *one), made)]
            for take, out in zip(takes, outs, strict=True):
                _refuse_foreign(case, out)
                target = case.captures / take.name
                shutil.rmtree(target, ignore_errors=True)
                target.parent.mkdir(exist_ok=True)
                shutil.copytree(out, target)
        finally:
            if yard:
                shutil.rmtree(yard, ignore_errors=True)
    return [f"{case.name}/{take.name}: {_size(case.captures / take.name) >> 10} KiB" for take in takes]


def _run(case: Case, take: Take, programs: dict[str, Path], information: bytes, scratch: Path) -> Path:
    out = scratch / "out"
    # A scratch folder of a neutral name: a program may print it, and it is short enough for a unix socket.
    folder = Path(tempfile.mkdtemp(prefix=f"{case.service}-", dir="/run"))
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


def _refuse_foreign(case: Case, out: Path) -> None:
    """Raise when a captured file names a path of this machine, or when there is too much of it."""
    foreign = [os.fsencode(path) for path in (ROOT, Path.home(), "/tmp/", toolchain.CACHE) if str(path) != "/"]
    for path in sorted(out.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
            for name in foreign:
                if name in plain:
                    raise RunFailed(f"{case.name}: {path.relative_to(out)} names {name.decode()}")
    if _size(out) > MOST:
        raise RunFailed(f"{case.name}: {_size(out) >> 20} MiB of evidence; at most {MOST >> 20} MiB is kept of a take")


__all__ = ["record"]
