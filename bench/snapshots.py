"""Snapshots of one made-up process that leaks, as directories of captures.

Comes in: a folder and how many. Goes out: a directory for each snapshot with a goroutine dump and a heap profile, the
same bytes every time.
"""

import gzip
from pathlib import Path

from bench.dumps import write_dump
from bench.generate import profile_bytes

# From one snapshot to the next.
MINUTE = 60_000_000_000
BEGUN = 1_700_000_000_000_000_000


def write_snapshots(
    folder: Path, *, snapshots: int = 100, goroutines: int = 1_000, samples: int = 5_000, locations: int = 6_000
) -> None:
    """Write so many snapshots, a minute apart: five goroutines more in each, and a hundredth more heap."""
    for at in range(snapshots):
        here = folder / f"{at:03}"
        here.mkdir(parents=True)
        write_dump(here / "goroutine.debug2.txt", goroutines=goroutines + 5 * at)
        heap = profile_bytes(
            samples, locations, locations // 2, depth=60, seed=1, taken_at=BEGUN + MINUTE * at, kept=1 + at / 100
        )
        (here / "heap.pb.gz").write_bytes(gzip.compress(heap, 1, mtime=0))


__all__ = ["write_snapshots"]
