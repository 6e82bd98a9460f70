"""A store -> what is wrong with it: parts, log and captures against the manifest and their digests.

Changes nothing, takes no lock, and works beside a writer: what the writer replaces meanwhile is no problem.
"""

from pathlib import Path

from msgspec import Struct

from oakum.model import StoreError, Text
from oakum.store import captures, log
from oakum.store.manifest import Manifest
from oakum.store.parts import is_whole
from oakum.store.reader import Reader
from oakum.store.recovery import manifest_of


class Checked(Struct, frozen=True, kw_only=True):
    """What a store holds, and what is wrong with it. `torn`: bytes of batches that a killed writer never finished."""

    problems: tuple[Text, ...] = ()
    version: int = 0
    batches: int = 0
    parts: int = 0
    rows: int = 0
    captures: int = 0
    bytes: int = 0
    torn: int = 0


def check(directory: Path) -> Checked:
    """Look at every byte of a store; raise StoreError when there is none, or it is newer than this program."""
    manifest, found = manifest_of(directory)
    if manifest is None:
        raise StoreError(found[0] if found else Text("store.none", {"path": str(directory)}))
    problems = list(found)
    problems += _parts(directory, manifest)
    torn, size = _log(directory, problems)
    kept, kept_bytes, broken = _captures(directory)
    problems += broken
    with Reader(directory) as reader:
        cited = reader.cited()
        problems += [one for one in reader.problems if one not in problems]
        manifest, batches = reader.manifest, reader.batches
    gone = sorted(digest for digest in cited - kept if not captures.path_of(directory, digest).exists())
    problems += [Text("store.no-capture", {"digest": digest, "path": str(directory)}) for digest in gone]
    return Checked(
        problems=tuple(problems),
        version=manifest.version,
        batches=batches,
        parts=len(manifest.parts),
        rows=sum(part.rows for part in manifest.parts),
        captures=len(kept),
        bytes=sum(part.bytes for part in manifest.parts) + size + kept_bytes,
        torn=torn,
    )


def _parts(directory: Path, manifest: Manifest) -> list[Text]:
    bad = [part for part in manifest.parts if not is_whole(directory, part)]
    if not bad:
        return []
    now, _ = manifest_of(directory)  # a writer may have replaced them
    named = set(now.parts) if now else set()
    return [
        Text("store.no-part", {"file": part.file, "rows": part.rows, "table": part.table})
        for part in bad
        if part in named
    ]


def _log(directory: Path, problems: list[Text]) -> tuple[int, int]:
    """Return how many bytes of the log are of a batch under way, and its size."""
    torn = size = 0
    manifest, _ = manifest_of(directory)
    first = manifest.log if manifest else 0
    for number in [one for one in log.numbers(directory) if one >= first]:
        path = log.path_of(directory, number)
        try:
            segment = log.read_segment(path)
        except FileNotFoundError:
            continue
        torn, size = torn + segment.size - segment.end, size + segment.size
        if segment.damaged:
            problems.append(Text("store.damaged-log", {"path": str(path), "bytes": segment.damaged}))
    return torn, size


def _captures(directory: Path) -> tuple[set[str], int, list[Text]]:
    kept: set[str] = set()
    size = 0
    problems: list[Text] = []
    for digest, path in captures.every(directory):
        try:
            captures.read(directory, digest)
            size += path.stat().st_size
        except FileNotFoundError:
            continue
        except StoreError as error:
            if error.text.key != "store.no-capture":
                problems.append(error.text)
                kept.add(digest)
            continue
        kept.add(digest)
    return kept, size, problems


__all__ = ["Checked", "check"]
