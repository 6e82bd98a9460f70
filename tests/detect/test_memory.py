"""Memory outside of the live heap: mappings that are never undone, arenas that fill, and Go's own housekeeping."""

from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from oakum.cli.case import case
from oakum.compare.memory import memory_series
from oakum.detect.memory import memory_suspects
from oakum.model import Process, Suspect
from oakum.report.words.memory import WORDS
from support import ROOT


@cache
def recorded(take: str) -> Process:
    """Return a recorded take, all its moments."""
    folder: Path = ROOT / "casebook" / take
    (found,) = case([str(path) for path in sorted(folder.iterdir()) if path.is_dir()]).processes
    return found


def suspects(process: Process) -> tuple[Suspect, ...]:
    told = memory_suspects(process, memory_series(process))
    for suspect in told:
        for evidence in suspect.evidence:
            assert all(words.format(**evidence.claim.args) for words in WORDS[evidence.claim.key])
    return told


@pytest.mark.parametrize(
    ("take", "mechanism", "kinds"),
    [
        ("off-heap-columnar/captures/leaking-go1.27-trimpath", "off-heap", {"off-heap-steady-growth"}),
        ("off-heap-geoindex/captures/leaking-go1.19-modcache", "off-heap", {"off-heap-steady-growth"}),
        (
            "healthy-arena-sketchdb/captures/healthy-go1.27-trimpath",
            "warm-up",
            {"off-heap-plateau", "off-heap-reserved"},
        ),
        ("healthy-batch-memory-nightimport/captures/healthy-go1.19-modcache", "not-returned-to-os", {"memory-idle"}),
    ],
)
def test_recorded(take: str, mechanism: str, kinds: set[str]) -> None:
    (found,) = suspects(recorded(take))
    assert found.mechanisms[0] == mechanism
    assert set(found.kinds) == kinds
    assert found.growth[0].measure == "rss"


def test_who_maps_is_named_where_the_heap_shows_it() -> None:
    (found,) = suspects(recorded("off-heap-columnar/captures/leaking-go1.19-modcache"))
    assert found.sites[0].frame.function == "main.(*Columns).Map"
    assert found.sites[0].frame.line == 32


def test_first_and_last_moment_are_one_ramp() -> None:
    whole = recorded("off-heap-columnar/captures/leaking-go1.27-trimpath")
    ends = Process("p1", "columnar", (whole.snapshots[0], whole.snapshots[-1]))
    assert set(suspects(ends)[0].kinds) == {"off-heap-single-step"}


def test_a_heap_that_grows_is_not_told_here() -> None:
    assert suspects(recorded("growing-container-paydesk/captures/leaking-go1.27-trimpath")) == ()


def test_a_peak_says_it_where_no_rss_does() -> None:
    """Of its peak Go's part is at most all that Go ever obtained: what is above that is not Go's."""
    take = "off-heap-columnar/captures/leaking-go1.27-trimpath"
    process = recorded(take)
    peaks = [
        snapshot.status.total("process_resident_memory_bytes") if snapshot.status else None
        for snapshot in process.snapshots
    ]
    assert all(peaks)
    without = replace(
        process,
        snapshots=tuple(
            replace(one, status=None, metrics=None, memstats=replace(one.memstats, max_rss=int(peak or 0)))
            for one, peak in zip(process.snapshots, peaks, strict=True)
            if one.memstats is not None
        ),
    )
    found = next(one for one in suspects(without) if one.mechanisms[0] == "off-heap")
    assert found.evidence[0].claim.key == f"memory.{found.evidence[0].kind}-peak"
