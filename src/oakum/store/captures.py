"""Captures and documents of a store: bytes -> a file named by their digest, compressed, kept once.

A file is a line of JSON (kind, size, how it is packed) and the bytes. Reading one checks its digest.
"""

import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
from isal import isal_zlib
from msgspec import Struct

from oakum.model import StoreError, Text
from oakum.store import files

_MOST = 4 << 30  # what a capture may unpack to
_AT_ONCE = 16  # files that are synced at once: a journal writes what is asked for together in one go
_LEVEL = 3  # the highest of isal: a dump of 10 MB in 60 ms


class _Head(Struct, frozen=True):
    kind: str
    size: int
    packed: Literal["zlib", ""] = ""


class Kept(Struct, frozen=True):
    """One capture or document as it was given."""

    digest: str
    kind: str  # its file name: "goroutine.txt", "heap.pb.gz", "diagnosis.json"
    data: bytes


def digest_of(data: bytes) -> str:
    return "sha256:" + sha256(data).hexdigest()


def path_of(store: Path, digest: str) -> Path:
    name = digest.removeprefix("sha256:")
    return store / "captures" / name[:2] / name


def write(store: Path, data: bytes, kind: str) -> tuple[str, int]:
    """Keep bytes; return their digest, and how many bytes that took (0: they were there already)."""
    digest = digest_of(data)
    path = path_of(store, digest)
    if path.exists():
        return digest, 0
    if not path.parent.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        files.sync_directory(path.parent.parent)
    whole = packed(data, kind)
    files.write_new(path, whole)
    return digest, len(whole)


def packed(data: bytes, kind: str) -> bytes:
    """Return the bytes of the file that keeps these."""
    small = isal_zlib.compress(data, _LEVEL)
    smaller = len(small) < len(data)
    head = msgspec.json.encode(_Head(kind, len(data), "zlib" if smaller else ""))
    return head + b"\n" + (small if smaller else data)


def write_many(store: Path, given: Iterable[tuple[bytes, str]]) -> dict[str, int]:
    """Keep the bytes of many; return digests, and how many bytes each took. Disks sync many files as fast as one."""
    took: dict[str, int] = {}
    fresh: dict[Path, bytes] = {}
    for data, kind in given:
        digest = digest_of(data)
        path = path_of(store, digest)
        if digest not in took and not path.exists():
            fresh[path] = packed(data, kind)
        took.setdefault(digest, len(fresh.get(path, b"")))
    folders = list(dict.fromkeys(path.parent for path in fresh))
    new = [folder for folder in folders if not folder.exists()]
    for folder in new:
        folder.mkdir(parents=True, exist_ok=True)
    if new:
        files.sync_directory(store / "captures")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        temporaries = list(pool.map(files.write_temporary, fresh, fresh.values()))
        for temporary, path in zip(temporaries, fresh, strict=True):
            files.step("rename", path)
            temporary.replace(path)
        list(pool.map(files.sync_directory, folders))
    return took


def read(store: Path, digest: str) -> Kept:
    """Return what was kept under a digest; raise StoreError when it is gone or damaged."""
    path = path_of(store, digest)
    try:
        kept = unpacked(path.read_bytes(), digest)
    except FileNotFoundError:
        raise StoreError(Text("store.no-capture", {"digest": digest, "path": str(store)})) from None
    except OSError as error:
        raise StoreError(Text("store.unread", {"path": str(path), "error": error.strerror or str(error)})) from error
    if kept is None:
        raise StoreError(Text("store.damaged-capture", {"path": str(path)}))
    return kept


def unpacked(data: bytes, digest: str) -> Kept | None:
    """Return what the bytes of a file hold; None when they do not have that digest."""
    try:
        head, _, body = data.partition(b"\n")
        facts = msgspec.json.decode(head, type=_Head)
        if facts.packed:
            unpack = zlib.decompressobj()
            body = unpack.decompress(body, min(facts.size, _MOST) + 1)
            if not unpack.eof:
                return None
    except (msgspec.DecodeError, msgspec.ValidationError, zlib.error):
        return None
    return Kept(digest, facts.kind, body) if digest_of(body) == digest else None


def every(store: Path) -> Iterator[tuple[str, Path]]:
    """Yield the digest and the file of everything that is kept."""
    for folder in sorted((store / "captures").glob("??")):
        for path in sorted(folder.iterdir()):
            if not path.name.startswith(files.TEMPORARY):
                yield f"sha256:{path.name}", path
