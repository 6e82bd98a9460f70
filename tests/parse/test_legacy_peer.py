"""Legacy profiles beside google/pprof: its golden dumps, and the live `go tool pprof -raw`."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from oakum.model import Profile, Reading
from oakum.parse import legacy_cpu, text_profiles
from pprof_dump import dump
from support import SHARED, need_shared
from toolchain import environment, need_go

LEGACY = Path(__file__).parent / "testdata" / "legacy"
GOOGLE = SHARED / "legacy" / "google-pprof"
FOLDERS = ("legacy", "legacy/google-pprof", "goroutine1", "goroutine-triple", "issues", "issues/k8s-19633")
# What google/pprof refuses: several profiles in one file, a record without addresses, jemalloc's own grammar.
REFUSED = (
    "apiserver-100-profiles.txt", "holmes-examples.txt", "jemalloc-heap_v2.heap", "jemalloc.heap", "watcher.log",
    "go1.21/threadcreate.txt",
)  # fmt: skip

Sample = tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]  # values, addresses, functions (Java)


def _goldens() -> list[str]:
    return sorted(path.name for path in (GOOGLE / "golden").glob("*.string"))


def _shared_files() -> list[str]:
    files = [path for folder in FOLDERS for path in sorted((SHARED / folder).glob("*")) if path.is_file()]
    return [str(path.relative_to(SHARED)) for path in files if _readings(path.read_bytes())]


def _own_files() -> list[str]:
    files = [path for path in LEGACY.rglob("*") if path.is_file() and path.suffix not in (".go", ".gz")]
    return sorted(str(path.relative_to(LEGACY)) for path in files)


def _readings(data: bytes) -> tuple[Reading, ...]:
    return legacy_cpu.read(data) or text_profiles.read(data)


@pytest.mark.shared
@pytest.mark.parametrize("name", _goldens() or ["none"])
def test_golden_dumps_of_google_pprof(name: str) -> None:
    need_shared()
    (reading,) = _readings((GOOGLE / name.removesuffix(".string")).read_bytes())
    assert reading.profile is not None
    assert dump(reading.profile) == (GOOGLE / "golden" / name).read_text(encoding="utf-8")


@pytest.mark.peer
@pytest.mark.parametrize("name", _own_files())
def test_own_files_beside_go_tool_pprof(name: str) -> None:
    _compare(LEGACY / name)


@pytest.mark.peer
@pytest.mark.shared
@pytest.mark.parametrize("name", _shared_files() or ["none"])
def test_shared_files_beside_go_tool_pprof(name: str) -> None:
    _compare(need_shared() / name)


@cache
def _pprof() -> str:
    """Return the program behind `go tool pprof`, which starts twenty times as fast as through `go tool`."""
    command = [str(need_go()), "tool", "-n", "pprof"]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, check=True).stdout.strip()


def _compare(path: Path) -> None:
    command = [_pprof(), "-raw", "-symbolize=none", str(path)]
    told = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if path.as_posix().endswith(REFUSED):
        assert told.returncode
        return
    assert told.returncode == 0, told.stderr
    (reading,) = _readings(path.read_bytes())
    assert reading.profile is not None
    header, samples = _raw(told.stdout)
    assert header == [
        f"Period: {reading.profile.period}",
        " ".join(str(kind) for kind in reading.profile.sample_types),
        *dump(reading.profile).partition("Mappings\n")[2].replace("[FN][FL][LN]", "").splitlines(),
    ]
    assert samples == list(_samples(reading.profile, java=reading.producer == "Java"))


def _raw(text: str) -> tuple[list[str], list[Sample]]:
    """Return the period, sample types and mappings of a raw dump, and its samples with addresses resolved."""
    period = next(line for line in text.splitlines() if line.startswith("Period: "))
    body, _, rest = text.partition("Samples:\n")[2].partition("Locations\n")
    places, _, mappings = rest.partition("Mappings\n")
    types, *lines = body.splitlines()
    addresses: dict[int, int] = {}
    names: dict[int, str] = {}
    for line in places.splitlines():
        if found := re.match(r" *(\d+): 0x([0-9a-f]+) (?:M=\d+ )?(?:(\S.*) \S*:\d+:\d+ s=0)?", line):
            addresses[int(found[1])] = int(found[2], 16)
            names[int(found[1])] = found[3] or ""
    samples: list[Sample] = []
    for line in lines:
        if found := re.fullmatch(r"((?: +-?\d+)+): ([\d ]*)", line):
            rows = [int(row) for row in found[2].split()]
            values = tuple(int(value) for value in found[1].split())
            samples.append((values, tuple(addresses[row] for row in rows), tuple(names[row] for row in rows)))
    # The tool itself gives a profile without mappings an empty one.
    return [period, types, *mappings.replace("1: 0x0/0x0/0x0   \n", "").splitlines()], samples


def _samples(profile: Profile, *, java: bool) -> Iterator[Sample]:
    for sample in range(profile.samples):
        rows = profile.stacks[int(profile.stack_ids[sample])].tolist()
        addresses = tuple(int(profile.locations.address[row]) for row in rows)
        functions = tuple(next(profile.frames(row)).function.replace("<unknown>", "") for row in rows)
        # pprof reads no names but Java's, which have no addresses of their own.
        yield tuple(profile.values[:, sample].tolist()), addresses, functions if java else ("",) * len(rows)
