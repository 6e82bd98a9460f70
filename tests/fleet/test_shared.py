"""A store on objects: what is handed in twice, by several at once, or against each other is there once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import obstore
import pytest
from obstore.store import MemoryStore

import made_fleet as made
from oakum.fleet import sources
from oakum.fleet.ingest import aside
from oakum.model import StoreError, Text, UsageError
from oakum.store import shared as module
from oakum.store.captures import digest_of
from oakum.store.rows import Batch, PlaceRow, RunRow, SnapshotRow
from oakum.store.shared import Piece, Shared, id_of, open_objects
from support import oakum

DAY = 86_400_000_000
AT = 20_000 * DAY


def piece(service: str, at: int, mark: str = "m", count: int = 1) -> Piece:
    run = f"run {service}"
    return Piece(
        id_of("profile", service, at),
        mark,
        service,
        at,
        Batch(
            runs=(RunRow(run=run, service=service, first_seen=at, version="v1"),),
            snapshots=(SnapshotRow(run=run, service=service, at=at, goroutines=count),),
            places=(
                PlaceRow(run=run, service=service, at=at, place="p", function="f", kind="goroutines", count=count),
            ),
        ),
    )


def rows(store: Shared, place: Path) -> list[tuple[str, int]]:
    with store.mirror(place) as reader:
        assert not reader.problems
        found = reader.query("SELECT service, time FROM snapshots ORDER BY service, time", ["snapshots"])
        places = reader.query("SELECT service, time FROM places ORDER BY service, time", ["places"])
        told = [list(zip(one["service"].tolist(), one["time"].tolist(), strict=True)) for one in (found, places)]
        assert told[0] == told[1]
        assert {row.version for row in reader.runs()} <= {"v1"}
    return told[0]


def test_what_is_handed_in_twice_is_there_once(tmp_path: Path) -> None:
    store = Shared(MemoryStore(), "memory")
    pieces = [piece(f"s{number % 5}", AT + number * DAY // 3) for number in range(30)]
    assert store.commit(pieces).fresh == 30
    assert store.commit(pieces[10:]).fresh == 0
    assert store.commit([*pieces, *pieces, piece("s9", AT)]).fresh == 1
    assert rows(store, tmp_path) == sorted((one.service, one.at) for one in [*pieces, piece("s9", AT)])


def test_what_contradicts_is_told_and_left_out(tmp_path: Path) -> None:
    store = Shared(MemoryStore(), "memory")
    store.commit([piece("a", AT)])
    told = store.commit([piece("a", AT, mark="other", count=7), piece("a", AT + 1)])
    assert (told.fresh, [one.mark for one in told.contradicted]) == (1, ["other"])
    assert rows(store, tmp_path) == [("a", AT), ("a", AT + 1)]


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    objects = MemoryStore()
    pieces = [piece(f"s{number % 3}", AT + number) for number in range(60)]

    def write(number: int) -> int:
        store = Shared(objects, "memory")
        mine = pieces[number * 5 : number * 5 + 20]  # each piece is handed in by up to four
        return sum(store.commit(mine[start : start + 5]).fresh for start in range(0, len(mine), 5))

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(write, range(9))) == 60
    assert rows(Shared(objects, "memory"), tmp_path) == sorted((one.service, one.at) for one in pieces)


def test_many_parts_become_one_beside_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MANY", 8)
    objects = MemoryStore()
    store = Shared(objects, "memory")
    told = []
    for number in range(20):
        store.commit([piece("a", AT + number)])
        told.append(("a", AT + number))
        if number % 5 == 4:
            assert rows(store, tmp_path) == told
    parts = store.parts()
    assert max(sum(part.table == table for part in parts) for table in ("snapshots", "places", "runs")) < 8
    kept = [one["path"] for some in obstore.list(objects, "tables/") for one in some]
    assert len(kept) < 50  # of 66 that were written; those of the manifest before are still there


def unsteady(patched: pytest.MonkeyPatch) -> None:
    """Have changes answered with an error now and then, though half of these were done."""
    real, chance = obstore.put, Random(11)

    def put(store: Any, path: str, data: bytes, **more: Any) -> Any:
        failed = chance.random() < 0.15
        if failed and chance.random() < 0.5:
            raise obstore.exceptions.GenericError("503 Slow Down")
        done = real(store, path, data, **more)
        if failed:
            raise obstore.exceptions.GenericError("500 Internal Server Error")
        return done

    patched.setattr(obstore, "put", put)


def committed(store: Shared, pieces: list[Piece]) -> bool:
    try:
        store.commit(pieces)
    except StoreError as error:
        return error.text.key != "store.failed"
    return True


def test_an_error_that_was_none_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Shared(MemoryStore(), "memory")
    pieces = [piece(f"s{number % 2}", AT + number) for number in range(24)]
    tries = 0
    with monkeypatch.context() as patched:
        unsteady(patched)
        for start in range(0, 24, 4):
            while not committed(store, pieces[start : start + 4]):
                tries += 1
                assert tries < 200
    assert tries
    assert rows(store, tmp_path) == sorted((one.service, one.at) for one in pieces)


def test_captures_are_fetched_when_they_are_asked_for(tmp_path: Path) -> None:
    objects = MemoryStore()
    store = Shared(objects, "memory")
    digest = store.keep(b"profile" * 100, "heap.pb.gz")
    assert store.keep(b"profile" * 100, "heap.pb.gz") == digest == digest_of(b"profile" * 100)
    store.commit([piece("a", AT)])
    with store.mirror(tmp_path) as reader:
        assert reader.document(digest) == b"profile" * 100
        with pytest.raises(StoreError):
            reader.document(digest_of(b"never kept"))
        hexes = digest.removeprefix("sha256:")
        obstore.put(objects, f"captures/{hexes[:2]}/{hexes}", b"damage")
        assert reader.document(digest) == b"profile" * 100  # there already
        with pytest.raises(StoreError):
            store.document(digest)


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b'{"version":1,"parts":[{"file":"../../x","table":"runs","level":"raw","window":0,"rows":1,"bytes":1,"low":0,"high":0,"crc":0}]}',
        b'{"version":1,"obsolete":["oakum.json"]}',
        b'{"version":99}',
    ],
)
def test_a_manifest_is_not_trusted(data: bytes, tmp_path: Path) -> None:
    objects = MemoryStore()
    store = Shared(objects, "memory")
    obstore.put(objects, f"commits/{store.partition('a', AT)}.json", data)
    with pytest.raises(StoreError):
        store.commit([piece("a", AT)])
    with pytest.raises(StoreError):
        store.mirror(tmp_path)


def test_a_newer_store_is_refused() -> None:
    objects = MemoryStore()
    obstore.put(objects, "oakum.json", msgspec.json.encode({"format": "oakum.fleet", "version": module.VERSION + 1}))
    with pytest.raises(StoreError) as raised:
        Shared(objects, "memory")
    assert raised.value.text.key == "store.too-new"


def test_events_have_partitions_of_their_own_day(tmp_path: Path) -> None:
    store = Shared(MemoryStore(), "memory")
    event = aside("a", AT, "a/heap-1.pb.gz", "sha256:0", Text("fleet.refused.unknown"))
    store.commit([Piece("x", "", "a", AT, Batch(events=(event,))), piece("a", AT)])
    assert {part.file.split("/")[2] for part in store.parts()} == {"day=2024-10-04"}
    with store.mirror(tmp_path) as reader:
        assert [row.kind for row in reader.events("a")] == ["set-aside"]


@pytest.mark.parametrize("url", ["s3://", "gs://x/y", "s3:", "bucket"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        open_objects(url)


def test_a_bucket_is_a_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = MemoryStore()
    made.write(tmp_path / "profiles", 3, 1, 12)
    for path in (tmp_path / "profiles").rglob("*.pb.gz"):
        obstore.put(objects, path.relative_to(tmp_path / "profiles").as_posix(), path.read_bytes())
    obstore.put(objects, "readme.txt", b"none")
    monkeypatch.setattr(sources, "open_objects", lambda _: objects)
    for name, source in (("bucket", "s3://profiles/"), ("files", str(tmp_path / "profiles"))):
        told = oakum("fleet", "ingest", "--store", str(tmp_path / name), source)
        assert told.code == 0, told.err
    rankings = [oakum("fleet", "rank", "--store", str(tmp_path / name), "--json").out for name in ("bucket", "files")]
    assert rankings[0] == rankings[1]
    assert "svc-000" in rankings[0]


def test_an_object_that_is_gone_is_set_aside() -> None:
    with pytest.raises(sources.Unfit):
        sources.read_object(MemoryStore(), "gone")
