"""A store on an S3-compatible service, written by any number of processes: captures, Parquet parts, and commits.

Parts lie in hive partitions (day, hash of the service). What belongs to one its manifest says, which is replaced only
if nobody else has (conditional puts); pieces that it names already are left out. Its mirror `Reader` reads as a store.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import StoreError, Text, UsageError
from oakum.regex import regex
from oakum.store import captures, engine, files, log
from oakum.store.manifest import DAY, Manifest, Part, write_manifest
from oakum.store.reader import Reader
from oakum.store.rows import TABLES, WRITTEN, Batch

if TYPE_CHECKING:
    import duckdb
    from obstore import ObjectMeta
    from obstore.store import ObjectStore

FORMAT = "oakum.fleet"
VERSION = 1
_ROOT = "oakum.json"
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
# tables/places/day=2026-11-19/bucket=07/0123456789abcdef0123.parquet
_FILE = regex(r"tables/[a-z]+/day=\d{4}-\d\d-\d\d/bucket=\d{2,4}/[0-9a-f]{20}\.parquet")
_BUCKETS = 16
_TRIES = 200  # of a commit that others are faster at; each time one of them has succeeded
_MANY = 24  # parts of a table in a partition that become one
_OLD = 3600.0  # seconds after which a file of a mirror that no manifest names goes


class Piece(Struct, frozen=True):
    """Rows that are there whole and once, or not at all."""

    id: str
    mark: str  # what it is made of: another piece of this id with another mark contradicts it
    service: str
    at: int
    batch: Batch


class Committed(Struct, frozen=True):
    fresh: int
    contradicted: tuple[Piece, ...] = ()


class _Root(Struct, frozen=True):
    format: str = FORMAT
    version: int = VERSION
    buckets: int = _BUCKETS


class _Partition(Struct, frozen=True):
    """The manifest of one partition."""

    version: int = VERSION
    parts: tuple[Part, ...] = ()
    ids: Mapping[str, str] = {}  # of the pieces that its parts hold
    obsolete: tuple[str, ...] = ()  # no longer part of it, still there for those who read the last manifest


def id_of(*words: str | int) -> str:
    text = "\0".join(map(str, words))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def open_objects(url: str) -> "ObjectStore":
    """Return the objects below s3://BUCKET/PREFIX; where and with which credentials the environment says (AWS_...)."""
    if not url.startswith("s3://") or not url[5:].strip("/"):
        raise UsageError(f"--store {url}: such as s3://BUCKET/PREFIX")
    try:
        from obstore.store import S3Store
    except ImportError as error:
        raise StoreError(Text("fleet.no-obstore")) from error
    bucket, _, prefix = url[5:].strip("/").partition("/")
    endpoint = next((told for name in _ENDPOINTS if (told := os.environ.get(name))), None)
    more: dict[str, Any] = {"endpoint": endpoint} if endpoint else {}
    # Requests are signed, so that credentials do not leave; whoever names http:// has chosen that bytes can be read.
    options: dict[str, Any] = {
        "timeout": "60s",
        "connect_timeout": "10s",
        "allow_http": (endpoint or "").startswith("http://"),
    }
    # A commit that is repeated after an error may have succeeded before: it is read again, nothing is written twice.
    retry: dict[str, Any] = {"max_retries": 12}
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    return S3Store(bucket, prefix=prefix or None, region=region, client_options=options, retry_config=retry, **more)  # type: ignore[arg-type]  # a TypedDict of its own


class Shared:
    """The store below some objects."""

    def __init__(self, objects: "ObjectStore", name: str) -> None:
        self.objects, self.name = objects, name
        with self._failing():
            self.buckets = self._root().buckets

    def _root(self) -> _Root:
        import obstore

        while True:
            try:
                data = bytes(obstore.get(self.objects, _ROOT).bytes())
            except FileNotFoundError:
                with suppress(obstore.exceptions.AlreadyExistsError):
                    obstore.put(self.objects, _ROOT, msgspec.json.encode(_Root()), mode="create")
                continue
            try:
                root = msgspec.json.decode(data, type=_Root)
            except msgspec.MsgspecError:
                raise StoreError(Text("store.damaged-manifest", {"path": f"{self.name}/{_ROOT}"})) from None
            self._check(root.version)
            return root

    def _check(self, version: int) -> None:
        if version > VERSION:
            raise StoreError(Text("store.too-new", {"path": self.name, "version": version, "known": VERSION}))

    def _failing(self) -> "failing":
        return failing(self.name)

    # Captures.

    def keep(self, data: bytes, kind: str) -> str:
        """Keep a capture or a document; return its digest."""
        import obstore

        digest = captures.digest_of(data)
        with self._failing(), suppress(obstore.exceptions.AlreadyExistsError):
            obstore.put(self.objects, _capture(digest), captures.packed(data, kind), mode="create")
        return digest

    def capture(self, digest: str) -> bytes:
        """Return the file that keeps a capture, as a store has it; raise StoreError where it is gone or damaged."""
        import obstore

        with self._failing():
            try:
                data = bytes(obstore.get(self.objects, _capture(digest)).bytes())
            except FileNotFoundError:
                raise StoreError(Text("store.no-capture", {"digest": digest, "path": self.name})) from None
        if captures.unpacked(data, digest) is None:
            raise StoreError(Text("store.damaged-capture", {"path": f"{self.name}/{_capture(digest)}"}))
        return data

    def document(self, digest: str) -> bytes:
        found = captures.unpacked(self.capture(digest), digest)
        assert found is not None
        return found.data

    # Rows.

    def partition(self, service: str, at: int) -> str:
        day = time.strftime("%Y-%m-%d", time.gmtime(max(0, at) // 1_000_000))
        bucket = int(id_of(service)[:8], 16) % self.buckets
        return f"day={day}/bucket={bucket:02d}"

    def commit(self, pieces: Iterable[Piece]) -> Committed:
        """Add pieces; those that are there already are left out. When it returns all are there, each once."""
        by_partition: dict[str, dict[str, Piece]] = {}
        for piece in pieces:
            by_partition.setdefault(self.partition(piece.service, piece.at), {}).setdefault(piece.id, piece)
        fresh = 0
        against: list[Piece] = []
        with self._failing(), _Bench() as bench:
            for partition, found in sorted(by_partition.items()):
                told = self._commit(partition, found, bench)
                fresh += told.fresh
                against += told.contradicted
        return Committed(fresh, tuple(against))

    def append(self, batch: Batch) -> None:
        """Add the rows of a diagnosis, which is named by the evidence that it is of."""
        (event,) = batch.events
        key = str(json.loads(event.args).get("evidence"))
        self.commit([Piece(id_of("diagnosis", key), "", event.service, event.at, batch)])

    def _commit(self, partition: str, pieces: Mapping[str, Piece], bench: "_Bench") -> Committed:
        made: dict[tuple[str, ...], tuple[Part, ...]] = {}

        def change(before: _Partition) -> _Partition | None:
            fresh = tuple(sorted(pieces.keys() - before.ids.keys()))
            if not fresh:
                return None
            if fresh not in made:
                made[fresh] = self._put_parts(partition, [pieces[one].batch for one in fresh], bench)
            ids = {**before.ids, **{one: pieces[one].mark for one in fresh}}
            return replace(before, parts=(*before.parts, *made[fresh]), ids=ids)

        before, after = self._change(partition, change)
        against = tuple(one for one in pieces.values() if before.ids.get(one.id, one.mark) != one.mark)
        if after is not None and any(count >= _MANY for count in _counts(after).values()):
            self._merge(partition, bench)
        return Committed(0 if after is None else len(after.ids) - len(before.ids), against)

    def _change(
        self, partition: str, change: Callable[[_Partition], _Partition | None]
    ) -> tuple[_Partition, _Partition | None]:
        """Replace a manifest by what `change` makes of it, again and again until nobody else has in between."""
        import obstore

        path = f"commits/{partition}.json"
        for attempt in range(_TRIES):
            mode: Any = "create"
            before = _Partition()
            with suppress(FileNotFoundError):
                found = obstore.get(self.objects, path)
                before = self._read(bytes(found.bytes()), path)
                mode = {"e_tag": found.meta["e_tag"]}
            after = change(before)
            if after is None:
                return before, None
            try:
                obstore.put(self.objects, path, msgspec.json.encode(after), mode=mode)
            except (obstore.exceptions.AlreadyExistsError, obstore.exceptions.PreconditionError):
                time.sleep(min(1.0, 0.01 * attempt))
                continue
            return before, after
        raise StoreError(Text("fleet.contended", {"path": f"{self.name}/{path}"}))

    def _read(self, data: bytes, path: str) -> _Partition:
        try:
            found = msgspec.json.decode(data, type=_Partition)
        except msgspec.MsgspecError:
            raise StoreError(Text("store.damaged-manifest", {"path": f"{self.name}/{path}"})) from None
        self._check(found.version)
        if not all(_FILE.fullmatch(one) for one in (*(part.file for part in found.parts), *found.obsolete)):
            raise StoreError(Text("store.damaged-manifest", {"path": f"{self.name}/{path}"}))
        return found

    def _put_parts(self, partition: str, batches: Sequence[Batch], bench: "_Bench") -> tuple[Part, ...]:
        """Write the rows of batches as one part for each table."""
        parts = []
        for name, table in TABLES.items():
            rows = [row for batch in batches for row in getattr(batch, name)]
            if not rows:
                continue
            columns: dict[str, list[Any]] = {
                column: [getattr(row, field) for row in rows] for column, field in table.fields.items()
            }
            times = columns[table.time]
            if table.newest:
                columns[WRITTEN] = [-at for at in times]  # of those of one run the earliest counts
            bench.connection.register("given", engine.numpy_columns(table, columns))
            parts.append(self._put_part(bench, partition, name, engine.raw_rows(table, "given"), times))
            bench.connection.unregister("given")
        return tuple(parts)

    def _put_part(self, bench: "_Bench", partition: str, name: str, rows: str, times: Sequence[int]) -> Part:
        import obstore

        table = TABLES[name]
        path = bench.folder / f"{name}.parquet"
        count, size, crc = engine.copy_parquet(bench.connection, f"{rows} ORDER BY {', '.join(table.order)}", path)
        data = path.read_bytes()
        path.unlink()
        file = f"tables/{name}/{partition}/{id_of(captures.digest_of(data))}.parquet"
        obstore.put(self.objects, file, data)  # the same bytes have the same name
        low, high = min(times), max(times)
        return Part(
            file=file, table=name, level="raw", window=low // DAY * DAY, rows=count, bytes=size, low=low, high=high,
            crc=crc,
        )  # fmt: skip

    def _merge(self, partition: str, bench: "_Bench") -> None:
        """Make one part of the many of each table; where somebody else commits meanwhile, it is tried again."""
        import obstore

        gone: list[str] = []

        def change(before: _Partition) -> _Partition | None:
            parts, obsolete = list(before.parts), []
            for name, count in _counts(before).items():
                if count < _MANY:
                    continue
                mine = [part for part in before.parts if part.table == name]
                names = [f"{number}.parquet" for number in range(len(mine))]
                for part, file in zip(mine, names, strict=True):
                    (bench.folder / file).write_bytes(bytes(obstore.get(self.objects, part.file).bytes()))
                rows = f"SELECT * FROM ({engine.part_rows(TABLES[name], engine.path_list(bench.folder, names))})"
                ends = [at for part in mine for at in (part.low, part.high)]
                merged = self._put_part(bench, partition, name, rows, ends)
                parts = [part for part in parts if part.table != name] + [merged]
                obsolete += [part.file for part in mine]
            gone[:] = before.obsolete
            return replace(before, parts=tuple(parts), obsolete=tuple(obsolete)) if obsolete else None

        _, after = self._change(partition, change)
        if after is not None:
            for file in gone:
                with suppress(FileNotFoundError):
                    obstore.delete(self.objects, file)

    # Reading.

    def parts(self) -> list[Part]:
        """Return the parts that belong to it."""
        import obstore

        with self._failing():
            paths = [one["path"] for some in obstore.list(self.objects, "commits/") for one in some]
            found = [self._read(bytes(obstore.get(self.objects, path).bytes()), path) for path in sorted(paths)]
        return [part for one in found for part in one.parts]

    def mirror(self, directory: Path) -> "SharedReader":
        """Bring the parts that belong to it now to a directory; return what reads them."""
        import obstore

        (directory / "log").mkdir(parents=True, exist_ok=True)
        log.path_of(directory, 1).touch()
        for attempt in range(_TRIES):
            parts = self.parts()
            try:
                with self._failing():
                    for part in parts:
                        path = directory / part.file
                        if not path.exists() or path.stat().st_size != part.bytes:
                            path.parent.mkdir(parents=True, exist_ok=True)
                            files.write_new(path, bytes(obstore.get(self.objects, part.file).bytes()))
            except FileNotFoundError:  # merged meanwhile
                time.sleep(min(1.0, 0.01 * attempt))
                continue
            break
        write_manifest(directory, Manifest(parts=tuple(parts)))
        known = {part.file for part in parts}
        for path in directory.glob("tables/**/*.parquet"):
            if path.relative_to(directory).as_posix() not in known and time.time() - path.stat().st_mtime > _OLD:
                path.unlink(missing_ok=True)
        return SharedReader(self, directory)


class SharedReader(Reader):
    """A mirror; captures are fetched when they are asked for."""

    def __init__(self, shared: Shared, directory: Path) -> None:
        self._shared = shared
        super().__init__(directory)

    def document(self, digest: str) -> bytes:
        path = captures.path_of(self.directory, digest)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            files.write_new(path, self._shared.capture(digest))
        return super().document(digest)


class _Bench:
    """Where parts are made: a folder and a database, opened when the first one is."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    @cached_property
    def folder(self) -> Path:
        return Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="oakum-")))

    @cached_property
    def connection(self) -> "duckdb.DuckDBPyConnection":
        return self._stack.enter_context(engine.connected(self.folder))

    def __enter__(self) -> "_Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


class failing:  # noqa: N801 - it is used as a function
    """Turns what the service says into an error that has its sentence."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        from obstore.exceptions import BaseError

        if isinstance(error, BaseError) and not isinstance(error, FileNotFoundError):
            told = str(error).partition("\n")[0][:300]
            raise StoreError(Text("store.failed", {"path": self._name, "error": told})) from error


def obstore_list(objects: "ObjectStore") -> "Iterator[Sequence[ObjectMeta]]":
    """Yield what lies below some objects, in pieces."""
    import obstore

    yield from obstore.list(objects)


def _capture(digest: str) -> str:
    name = digest.removeprefix("sha256:")
    return f"captures/{name[:2]}/{name}"


def _counts(partition: _Partition) -> dict[str, int]:
    counts: dict[str, int] = {}
    for part in partition.parts:
        counts[part.table] = counts.get(part.table, 0) + 1
    return counts
