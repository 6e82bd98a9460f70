"""What a store keeps of snapshots -> a directory of files with a manifest: a bundle, as captures of what runs are."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oakum.collect.bundle.manifest import MANIFEST, SCHEMA, stamp
from oakum.collect.bundle.names import safe_name, unique_name
from oakum.store.captures import read
from oakum.store.rows import SnapshotRow

if TYPE_CHECKING:
    from oakum.store.reader import Reader

SPREAD = 12  # snapshots of one run: growth needs no more, and each is parsed


def lay_out(reader: "Reader", services: Mapping[str, Sequence[SnapshotRow]], place: Path) -> list[Path]:
    """Write the captures of snapshots of services; return the files. A capture that is gone raises StoreError."""
    targets: list[dict[str, Any]] = []
    written: list[Path] = []
    folders = {MANIFEST}
    for service, rows in services.items():
        runs = {row.run: row for row in reader.runs(service)}
        for run in dict.fromkeys(row.run for row in rows):
            folder = unique_name(safe_name(service), folders, folder=True)
            moments = []
            for count, row in enumerate((row for row in rows if row.run == run), 1):
                captures = _captures(reader, row, place / folder / str(count), written)
                moments.append({"folder": str(count), "number": count, "captures": captures})
            address = runs[run].target if run in runs else ""
            targets.append({"folder": folder, "address": address, "moments": moments})
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    listed = {"schema": SCHEMA, "targets": targets}
    (place / MANIFEST).write_text(json.dumps(listed, indent=1), encoding="utf-8")
    return written


def _captures(reader: "Reader", row: SnapshotRow, folder: Path, written: list[Path]) -> list[dict[str, Any]]:
    taken: set[str] = set()
    captures = []
    for digest in row.captures:
        kept = read(reader.directory, digest)
        path = folder / unique_name(safe_name(kept.kind, "capture"), taken)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(kept.data)
        written.append(path)
        at = datetime.fromtimestamp(row.at / 1e6, UTC)
        captures.append({"file": path.name, "at": stamp(at), "digest": digest})
    return captures


def spread(rows: Sequence[SnapshotRow]) -> list[SnapshotRow]:
    """Return the snapshots of which bytes are kept, of each run at most so many, its first and its last among them."""
    runs: dict[str, list[SnapshotRow]] = {}
    for row in rows:
        if row.captures:
            runs.setdefault(row.run, []).append(row)
    chosen: list[SnapshotRow] = []
    for found in runs.values():
        step = max(1.0, (len(found) - 1) / (SPREAD - 1))
        chosen += [found[round(number * step)] for number in range(min(len(found), SPREAD))]
    return chosen
