"""A store keeps what was acknowledged, whatever ends its writer, and tells what is missing in a copy."""

import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from oakum.model import StoreError
from oakum.report.words.lines import error_line
from oakum.store import Batch, IncidentRow, Limits, MetricRow, SnapshotRow, StoreBusy, files, open_reader, open_writer
from oakum.store import log as store_log
from oakum.store.checking import check
from oakum.store.manifest import HOUR
from oakum.store.rows import TABLES
from oakum.store.transfer import export, import_
from oakum.store.writer import Writer
from store_kills import BEGIN, STEP, batch
from support import ROOT


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def filled(directory: Path, count: int = 12, flush: bool = True, limits: Limits | None = None) -> Writer:
    writer = open_writer(directory, limits=limits)
    for number in range(count):
        digest = writer.keep(f"capture {number}".encode() * 50, "goroutine.txt") if number % 5 == 0 else ""
        writer.append(batch(number, digest))
    if flush:
        writer.flush()
    return writer


def times(directory: Path) -> list[int]:
    with open_reader(directory) as reader:
        return [(row.at - BEGIN) // STEP for row in reader.snapshots("s")]


def test_what_was_appended_is_read_before_and_after_it_becomes_parts(store: Path) -> None:
    with filled(store, flush=False) as writer:
        assert times(store) == [*range(12)]
        writer.flush()
        assert times(store) == [*range(12)]
        writer.append(batch(12, ""))
        with open_reader(store) as reader:
            at, values = reader.series("s", "goroutines")
            assert at.tolist() == [BEGIN + number * STEP for number in range(13)]
            assert values.tolist() == [*range(13)]
            assert reader.state("number") == b"12"
            assert reader.runs("s")[0].version == "12"
            assert len(reader.places("s")["time"]) == 39
            assert {kept.kind for kept in reader.captures("s", BEGIN)} == {"goroutine.txt"}
            assert reader.captures("s", BEGIN + 6 * STEP)[0].data.startswith(b"capture 5")
            assert not reader.problems
    assert not check(store).problems


def test_rows_come_back_as_they_were_given(store: Path) -> None:
    incident = IncidentRow(
        incident="i",
        service="s",
        state="open",
        opened_at=5,
        updated_at=6,
        since_low=-1,
        replicas=("a", "b c"),
        revision=1,
    )
    with open_writer(store) as writer:
        writer.append(
            Batch(incidents=(incident,), metrics=(MetricRow(run="r", service="s", at=1, name="m", value=0.5),))
        )
        later = IncidentRow(
            incident="i", service="s", state="resolved", opened_at=5, updated_at=9, closed_at=9, revision=2
        )
        for turn in range(3):
            with open_reader(store) as reader:
                assert reader.incidents() == [later if turn else incident]
                assert reader.incidents(states=["open"]) == ([] if turn else [incident])
            writer.append(Batch(incidents=(later,))) if not turn else writer.flush()


def test_the_same_snapshot_with_its_captures_counts_once(store: Path) -> None:
    row = SnapshotRow(run="r", service="s", at=BEGIN, goroutines=7)
    with open_writer(store) as writer:
        writer.append(Batch(snapshots=(row,)))
        writer.flush()
        digest = writer.keep(b"dump", "goroutine.txt")
        cited = SnapshotRow(run="r", service="s", at=BEGIN, goroutines=7, captures=(digest,))
        writer.append(Batch(snapshots=(cited,)))
        for turn in range(3):
            with open_reader(store) as reader:
                assert reader.snapshots("s") == [cited]
                assert reader.captures("s", BEGIN)[0].data == b"dump"
            writer.flush() if turn == 0 else merge(writer)


def merge(writer: Writer, now: int = BEGIN + 1000 * STEP) -> None:
    for _ in range(500):
        if not writer.maintain(now).more:
            return


def test_a_second_writer_is_refused_with_the_pid_of_the_first(store: Path) -> None:
    with filled(store), pytest.raises(StoreBusy) as busy:
        open_writer(store)
    assert busy.value.pid == os.getpid()
    assert str(os.getpid()) in error_line(busy.value)
    open_writer(store).close()


def test_a_newer_store_is_refused(store: Path) -> None:
    filled(store).close()
    manifest = store / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 2'))
    for open_ in (open_writer, open_reader, check):
        with pytest.raises(StoreError) as raised:
            open_(store)
        assert "version 2" in error_line(raised.value)
        assert "pip install" in error_line(raised.value)


def test_no_store_says_what_to_run(store: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as raised:
        open_reader(store)
    assert "oakum store add" in error_line(raised.value)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.doc").write_text("mine")
    with pytest.raises(StoreError) as raised:
        open_writer(tmp_path / "other")
    assert "thesis.doc" in error_line(raised.value)


@pytest.mark.parametrize("gone", ["part", "log", "capture", "cut part", "bad manifest"])
def test_a_copy_by_halves_opens_as_far_as_it_is_whole(store: Path, gone: str) -> None:
    with filled(store) as writer:
        writer.append(batch(12, ""))
    first = min((store / "parts" / "snapshots").iterdir())
    if gone == "part":
        first.unlink()
    elif gone == "cut part":
        first.write_bytes(first.read_bytes()[:-100])
    elif gone == "log":
        shutil.rmtree(store / "log")
    elif gone == "bad manifest":
        (store / "manifest.json").write_bytes((store / "manifest.json").read_bytes()[:400])
    else:
        next(path for path in (store / "captures").rglob("*") if path.is_file()).unlink()
    found = check(store)
    assert found.problems
    with open_reader(store) as reader:
        rows = reader.snapshots("s")
        assert 6 <= len(rows) <= 13
        assert reader.problems or gone == "capture"
    with open_writer(store) as writer:  # and it is written on
        writer.append(batch(13, ""))
    assert 13 in times(store)


def test_damage_in_the_log_costs_only_its_batch(store: Path) -> None:
    filled(store, flush=False).close()
    path = store_log.path_of(store, 1)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)
    assert [text.key for text in check(store).problems if text.key != "store.no-capture"] == ["store.damaged-log"]
    assert len(times(store)) == 11


def test_a_full_disk_loses_nothing_and_goes_on(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with filled(store, 4, flush=False) as writer:
        for operation in ("write", "sync"):

            def full(what: str, path: Path, data: bytes = b"", operation: str = operation) -> None:
                if what == operation:
                    if what == "write":
                        with path.open("ab") as file:
                            file.write(data[: len(data) // 2])
                    raise OSError(errno.ENOSPC, "No space left on device")

            monkeypatch.setattr(files, "step", full)
            for call in (lambda: writer.append(batch(4, "")), lambda: writer.keep(b"x", "y.txt"), writer.flush):
                with pytest.raises(StoreError) as raised:
                    call()
                assert raised.value.text.key == "store.full"
            monkeypatch.setattr(files, "step", files._go_on)
            assert not check(store).problems
            assert times(store) == [*range(4)]
        writer.append(batch(4, ""))
        writer.flush()
        writer.append(batch(5, ""))
    assert times(store) == [*range(6)]
    assert not check(store).problems


@pytest.mark.slow
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """Only where a small disk can be mounted; elsewhere the test above has to do."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)], check=False).returncode:
        return
    try:
        store = disk / "store"
        written = 0
        with open_writer(store) as writer:
            with pytest.raises(StoreError) as raised:  # noqa: PT012  (until the disk is full)
                for written in range(100_000):
                    writer.append(batch(written, ""))
                    writer.keep(os.urandom(3000), "noise.bin")
            assert raised.value.text.key == "store.full"
            with pytest.raises(StoreError):
                writer.flush()
            have = writer.batches
            assert have in (written, written + 1)
            subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
            writer.append(batch(have, ""))
            writer.flush()
        assert times(store) == [*range(have + 1)]
        assert not check(store).problems
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_rows_become_coarser_and_keep_their_extremes(store: Path) -> None:
    limits = Limits(raw_hours=2, hour_days=1, captures_days=1)
    with filled(store, 144 * 3, limits=limits) as writer:  # three days
        merge(writer)
        with open_reader(store) as reader:
            sql = "SELECT level, count(*) AS rows, CAST(sum(stands_for) AS BIGINT) AS of FROM places GROUP BY level"
            found = reader.query(sql, ["places"])
            rows = dict(
                zip(
                    found["level"].tolist(), zip(found["rows"].tolist(), found["of"].tolist(), strict=True), strict=True
                )
            )
            assert sum(of for _, of in rows.values()) == 144 * 3 * 3
            assert rows["raw"][0] == rows["raw"][1] <= 3 * 20
            assert 20 * 3 <= rows["hour"][0] <= 50 * 3
            assert rows["day"][0] <= 3 * 3
            spread = reader.query("SELECT * FROM snapshots WHERE level = 'hour' AND len(captures) = 0", ["snapshots"])
            assert (spread["goroutines_low"] <= spread["goroutines"]).all()
            assert (spread["goroutines"] == spread["goroutines_high"]).all()  # it only grew
            growth = reader.growth("s")
            assert growth["per_hour"].tolist() == pytest.approx([6.0] * 3)
            kept = [row for row in reader.snapshots("s") if row.captures]
            assert kept
            assert min(row.at for row in kept) >= BEGIN + 144 * 2 * STEP - HOUR
    assert not check(store).problems


def test_old_evidence_is_not_thinned_because_it_was_added_today(store: Path) -> None:
    with filled(store, 12) as writer:
        merge(writer, BEGIN + 10**15)
    assert len(times(store)) == 12


def test_a_clock_that_jumps_ages_a_store_by_a_day_at_most(store: Path) -> None:
    limits = Limits(raw_hours=24 * 5)
    with filled(store, 144, limits=limits) as writer:
        merge(writer, BEGIN + 144 * STEP)
        far = SnapshotRow(run="r", service="s", at=BEGIN + 10**16)
        writer.append(Batch(snapshots=(far,)))
        writer.append(Batch(snapshots=(SnapshotRow(run="r", service="s", at=-(10**15)),)))
        writer.flush()
        merge(writer, BEGIN + 10**16)
    with open_reader(store) as reader:
        assert len(reader.snapshots("s")) >= 145
    assert not check(store).problems


def test_the_size_is_kept(store: Path) -> None:
    limits = Limits(most_bytes=250_000)
    with open_writer(store, limits=limits) as writer:
        for number in range(90):
            digest = writer.keep(os.urandom(8000), "noise.bin")
            writer.append(batch(number, digest))
            if number % 30 == 29:
                writer.flush()
                merge(writer, BEGIN + number * STEP)
                assert writer.size <= 250_000
    on_disk = sum(path.stat().st_size for path in store.rglob("*") if path.is_file() and path.suffix != ".json")
    assert on_disk <= 290_000  # what the last manifest named stays until the next
    assert not check(store).problems
    assert times(store)[-1] == 89


def test_captures_are_kept_once_and_go_when_nothing_cites_them(store: Path) -> None:
    with open_writer(store) as writer:
        first = writer.keep(b"the same" * 100, "goroutine.txt")
        assert writer.keep(b"the same" * 100, "other.txt") == first
        writer.append(batch(0, first))
        writer.keep(b"never cited", "goroutine.txt")
    assert check(store).captures == 2
    with open_writer(store) as writer:
        merge(writer, BEGIN)
    found = check(store)
    assert (found.captures, found.problems) == (1, ())


def test_a_reader_works_while_parts_are_replaced(store: Path) -> None:
    with filled(store, 30) as writer:
        reader = open_reader(store)
        for number in range(30, 60):
            writer.append(batch(number, ""))
            if number % 6:
                continue
            writer.flush()
            merge(writer, BEGIN + number * STEP)
            assert len(reader.snapshots("s")) >= 30  # its manifest names parts that are gone
        assert not reader.problems
        reader.refresh()
        assert len(reader.snapshots("s")) == 60
        reader.close()


def test_export_and_import(store: Path, tmp_path: Path) -> None:
    with filled(store) as writer:
        writer.append(batch(12, ""))
        export(store, tmp_path / "whole.tar")
    other = tmp_path / "other"
    with open_writer(other) as writer:
        import_(writer, tmp_path / "whole.tar")
        with pytest.raises(StoreError) as raised:
            import_(writer, tmp_path / "whole.tar")
        assert "before" in error_line(raised.value)
    assert times(other) == [*range(13)]
    assert not check(other).problems
    with open_reader(other) as reader:
        assert reader.captures("s", BEGIN)[0].data.startswith(b"capture 0")
        assert len(reader.places("s")["time"]) == 39
    (tmp_path / "no.tar").write_bytes(b"junk" * 1000)
    with open_writer(other) as writer, pytest.raises(StoreError) as raised:
        import_(writer, tmp_path / "no.tar")
    assert "no exported store" in error_line(raised.value)


def test_export_that_was_cut_changes_nothing(store: Path, tmp_path: Path) -> None:
    filled(store).close()
    export(store, tmp_path / "whole.tar")
    whole = (tmp_path / "whole.tar").read_bytes()
    with open_writer(tmp_path / "other") as writer:
        for end in (100, len(whole) // 3, len(whole) // 2):
            (tmp_path / "cut.tar").write_bytes(whole[:end])
            with pytest.raises(StoreError):
                import_(writer, tmp_path / "cut.tar")
    assert check(tmp_path / "other").rows == 0


def test_the_engine_reaches_nothing_but_the_store(store: Path) -> None:
    import duckdb

    from oakum.store.engine import connect

    filled(store).close()
    connection = connect(store)
    for sql in (
        "SELECT * FROM read_text('/etc/hostname')",
        f"COPY (SELECT 1) TO '{store.parent}/out.parquet'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "ATTACH '/tmp/x.db'",
        "SET enable_external_access=true",
        "SET memory_limit='100GB'",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(sql)
    connection.close()


def test_without_the_extra_one_sentence_says_what_to_install(store: Path) -> None:
    script = (
        "import sys; sys.modules['duckdb'] = None\n"
        "from oakum.cli import run\n"
        f"sys.exit(run(['history', '--store', {str(store)!r}]))"
    )
    filled(store).close()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "pip install 'oakum[store]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_every_column_is_documented() -> None:
    text = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
    for table in TABLES.values():
        section = text.partition(f"\n### {table.name}\n")[2].partition("\n##")[0]
        told = {
            word
            for row in section.splitlines()
            for word in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")
        }
        assert told == set(table.stored) - {"level", "stands_for", "written"}, table.name


def kills(*arguments: str) -> str:
    program = ROOT / "tests" / "store_kills.py"
    done = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked writers")
def test_killed_at_every_operation_on_the_disk(tmp_path: Path) -> None:
    assert "killed" in kills("points", str(tmp_path), "1")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked writers")
def test_killed_at_random(tmp_path: Path) -> None:
    count = os.environ.get("OAKUM_KILLS", "100")
    print(kills("random", str(tmp_path / "store"), count, "20"))
