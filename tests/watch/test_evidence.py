"""The buffer of recent evidence: bounded, spaced, with some from before growth; what is broken in it ends nothing."""

from itertools import pairwise
from pathlib import Path

from oakum.model import Capture
from oakum.store.rows import SnapshotRow
from oakum.watch.evidence import Evidence

MINUTE = 60_000_000


def fill(evidence: Evidence, count: int, size: int = 100, dump: int = 0, run: str = "r1", begin: int = 1) -> None:
    for at in range(begin, begin + count):
        files = [("heap.pb.gz", Capture("http://x/heap", b"h" * size))]
        if dump:
            files.append(("goroutine.debug2.txt", Capture("http://x/goroutine", b"g" * dump)))
        evidence.add("t", SnapshotRow(run=run, service="s", at=at * MINUTE), "http://x", tuple(files))


def test_few_are_kept_the_newest_and_spaced_ones_before(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    fill(evidence, 600)
    ages = [600 - one.at // MINUTE for one in evidence.rows("t")]
    assert len(ages) == 8
    assert ages[-3:] == [2, 1, 0]
    assert ages[0] > 300, "the oldest is from long ago"
    assert all(before > after for before, after in pairwise(ages))
    assert len(list(tmp_path.rglob("heap.pb.gz"))) == 8, "nothing else stays on the disk"


def test_bytes_are_bounded_and_dumps_go_first(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    fill(evidence, 12, size=1000, dump=8 << 20)
    kept = evidence.rows("t")
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 26 << 20
    assert len(kept) == 8
    assert len(kept[-1].files) == 2, "the newest is whole"


def test_of_earlier_runs_only_the_last_stays_and_what_was_taken_before_a_crash_with_it(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    fill(evidence, 4)
    row = SnapshotRow(run="r2", service="s", at=5 * MINUTE)
    evidence.add("t", row, "http://x", (("heap.pb.gz", Capture("", b"h")),), pinned=True)
    fill(evidence, 5, run="r3", begin=6)
    assert [one.run for one in evidence.rows("t")] == ["r2", *["r3"] * 5]


def test_what_is_lost_or_broken_is_left_out(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    fill(evidence, 3)
    next(tmp_path.rglob("heap.pb.gz")).unlink()
    assert sum(len(captures) for _, captures in evidence.snapshots("t")) == 2
    next(tmp_path.rglob("index.json")).write_bytes(b"{]")
    assert evidence.snapshots("t") == []
    fill(evidence, 2, begin=7)
    assert len(evidence.rows("t")) == 2
    assert evidence.remembered("t") == b""
    evidence.remember("t", b"known")
    assert evidence.remembered("t") == b"known"
    evidence.forget("t")
    assert not any(tmp_path.iterdir())
