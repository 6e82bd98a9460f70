"""A store of an earlier release has fewer columns: its rows are read, merged, recovered and imported all the same."""

from pathlib import Path

import msgspec
import pytest

from oakum.store import Batch, RunRow, log, open_reader, open_writer
from oakum.store.checking import check
from oakum.store.rows import TABLES, Table
from oakum.store.transfer import export, import_

EARLIER = RunRow(run="a", service="orders", first_seen=1, program="shop/orders", version="v1", go="go1.26.8")
LATER = RunRow(run="b", service="orders", first_seen=2, modules=("shop@v2", "x.example/y@v1.0.0"))


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a store as the release before `runs.modules` wrote it: one run in a part, one in the log."""
    table = TABLES["runs"]

    class Before(Table, frozen=True, dict=True):
        @property
        def columns(self) -> dict[str, str]:
            return {name: sql for name, sql in table.columns.items() if name not in table.added}

        @property
        def fields(self) -> dict[str, str]:
            return {name: field for name, field in table.fields.items() if name not in table.added}

    given = {name: getattr(table, name) for name in ("name", "row", "time", "order", "newest")}
    with monkeypatch.context() as patched:
        patched.setitem(TABLES, "runs", Before(**given))
        with open_writer(tmp_path / "store") as writer:
            writer.append(Batch(runs=(EARLIER,)))
            writer.flush()
            writer.append(Batch(runs=(msgspec.structs.replace(EARLIER, run="c", first_seen=3),)))
    frames = log.read_segment(log.path_of(tmp_path / "store", max(log.numbers(tmp_path / "store")))).frames
    assert all("modules" not in frame.tables["runs"] for frame in frames)
    return tmp_path / "store"


def runs(store: Path) -> list[tuple[str, tuple[str, ...]]]:
    with open_reader(store) as reader:
        found = [(row.run, row.modules) for row in reader.runs("orders")]
        assert not reader.problems
    return found


def test_rows_without_a_column_are_read_beside_those_that_have_it(old: Path, tmp_path: Path) -> None:
    assert runs(old) == [("a", ()), ("c", ())]
    with open_writer(old) as writer:
        writer.append(Batch(runs=(LATER,)))
        assert runs(old) == [("a", ()), ("b", LATER.modules), ("c", ())]
        writer.flush()
        while writer.maintain(10).more:
            pass
    assert runs(old) == [("a", ()), ("b", LATER.modules), ("c", ())]
    assert not check(old).problems
    export(old, tmp_path / "all.tar")
    with open_writer(tmp_path / "other") as writer:
        import_(writer, tmp_path / "all.tar")
    assert runs(tmp_path / "other") == runs(old)


def test_a_store_without_a_manifest_is_read_from_older_parts(old: Path) -> None:
    (old / "manifest.json").unlink()
    with open_reader(old) as reader:
        assert "a" in [row.run for row in reader.runs("orders")]
