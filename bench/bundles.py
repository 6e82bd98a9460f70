"""A bundle of many processes that were captured twice, as `oakum capture` writes it.

Comes in: a folder and how many. Goes out: a manifest and the captures of a recorded program, dumps in a few
variants: the same bytes every time.
"""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.capture import RECORDED
from bench.dumps import write_dump

_BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def write_bundle(folder: Path, *, processes: int = 700, variants: int = 10, goroutines: int = 60) -> None:
    """Write so many processes with two snapshots each: a dump, a heap profile and metrics."""
    heap = (RECORDED / "heap.pb.gz").read_bytes()
    dumps = {(seed, at): _dump(folder, goroutines + 5 * at + seed, seed) for seed in range(variants) for at in (1, 2)}
    targets: list[dict[str, Any]] = []
    for number in range(processes):
        name = f"orders-{number:03}"
        snapshots = []
        for at in (1, 2):
            here = folder / name / str(at)
            here.mkdir(parents=True)
            (here / "goroutine.debug2.txt.gz").write_bytes(dumps[number % variants, at])
            (here / "heap.pb.gz").write_bytes(heap)
            (here / "metrics.txt").write_text(f"# TYPE go_goroutines gauge\ngo_goroutines {goroutines + 5 * at}\n")
            when = (_BEGUN + timedelta(minutes=at)).isoformat()
            files = ("goroutine.debug2.txt.gz", "heap.pb.gz", "metrics.txt")
            snapshots.append({"folder": str(at), "at": when, "captures": [{"file": f, "began": when} for f in files]})
        address = f"http://10.0.{number // 250}.{number % 250}:6060"
        targets.append({"address": address, "name": name, "folder": name, "moments": snapshots})
    manifest = {"schema": "oakum.bundle/1", "targets": targets}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))


def _dump(folder: Path, goroutines: int, seed: int) -> bytes:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "dump.txt"
    write_dump(path, goroutines=goroutines, stacks=40, seed=seed)
    data = gzip.compress(path.read_bytes(), 1, mtime=0)
    path.unlink()
    return data


__all__ = ["write_bundle"]
