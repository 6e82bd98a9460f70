"""`live CASE`: build a case now, run it shortened, and compare what it does with what is expected of it.

A run that reaches its case's limit is ended there and fails: a service that hangs cannot hold up the others.
"""

import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from casebook.runner.build import for_live
from casebook.runner.case import Build, Case
from casebook.runner.check import contradictions
from casebook.runner.evidence import Recording, recording
from casebook.runner.stage import Stage


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a live run went: seconds, and where it was not as expected."""

    built: float
    ran: float
    complaints: tuple[str, ...]


def live(case: Case, build: Build, keep: Path | None = None) -> Outcome:
    """Build and run one build of a case; its evidence goes to `keep`, where it is wanted."""
    began = time.monotonic()
    programs = for_live(case, build) if case.own else {}
    built = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cb-") as scratch:
        recorded, ran = play(case, build, programs, Path(scratch), keep)
        complaints = tuple(contradictions(case, build.name, recorded, short=True))
    if ran > case.limit:
        complaints += (f"it ran {ran:.0f} s, longer than its {case.limit:.0f} s",)
    return Outcome(built - began, ran, complaints)


def play(
    case: Case, build: Build, programs: Mapping[str, Path], scratch: Path, keep: Path | None = None
) -> tuple[Recording, float]:
    """Return the shortened run of some programs of a case, and the seconds that it took."""
    out = keep or scratch / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    folder = scratch / "run"  # short: unix sockets have short names
    folder.mkdir()
    stage = Stage(case, build, programs, folder, out, short=True, limit=case.limit)
    began = time.monotonic()
    stage.play()
    ran = time.monotonic() - began
    stage.write_manifest(service=case.service)
    return recording(out), ran


__all__ = ["Outcome", "live", "play"]
