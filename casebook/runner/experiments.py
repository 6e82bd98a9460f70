"""`experiment`: `oakum reproduce` on programs of the casebook, with their own requests: what stays, and how surely.

Comes in: cases whose program listens where it is told. Goes out: a row for each, and the saved experiments in a folder.
"""

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from casebook.runner.build import for_live
from casebook.runner.case import Case

_SECONDS_MOST = 1200


class Row(Struct, frozen=True):
    """What an experiment says of a program."""

    case: str
    verdict: str
    findings: tuple[str, ...]  # how sure, and where
    seconds: float


def requests_of(case: Case) -> list[str]:
    """Return the requests of a case's phases, a few of each kind.

    The same ones come again: if each were new, a set that fills would not be told from a leak.
    """
    sends = [send for phase in case.phases for send in phase.send if not send.hold]
    lines = dict.fromkeys(f"{send.method} {send.path} {send.body or ''}".strip() for send in sends)
    return [*dict.fromkeys(line.replace("{n}", str(number)) for line in lines for number in range(1, 13))]


def experiments(cases: Iterable[Case], times: int, folder: Path | None = None) -> Iterator[Row]:
    """Yield what an experiment says of each of the cases that have requests of their own, and no program beside."""
    for case in cases:
        if not case.own or len(case.packages) > 1 or case.scenario.exists() or not requests_of(case):
            continue
        with tempfile.TemporaryDirectory() as place:
            yield _experiment(case, times, folder or Path(place))


def _experiment(case: Case, times: int, folder: Path) -> Row:
    build, saved = case.builds[0], folder / f"{case.name}.json"
    words = [str(for_live(case, build)[case.service]), "-listen", f"127.0.0.1:{_free_port()}", *build.flags]
    asked = [word for line in requests_of(case) for word in ("--request", line)]
    command = [
        sys.executable, "-m", "oakum", "reproduce", "--start", " ".join(words), *asked, "--times", str(times),
        "--no-source", "--overwrite", "-o", str(saved), "-o", str(folder / f"{case.name}.tar.gz"),
    ]  # fmt: skip
    told = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS_MOST, check=False)
    if not saved.exists():
        return Row(case.name, f"failed: {told.stderr.strip()[-200:]}", (), 0)
    document = json.loads(saved.read_text())
    found = tuple(f"{one['confidence']} {one['sites'][0]['function']}" for one in document["findings"])
    return Row(case.name, document["verdict"], found, document["trials"][0]["seconds"][-1] or 0)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
