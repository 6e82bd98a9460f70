"""The stage by itself: captures that were never files, warnings as values, facts that stay with their snapshot."""

from pathlib import Path

import pytest

from casebook.runner.case import CASEBOOK
from goroutine_text import crew, dump
from oakum.assemble import Assembled, Input
from oakum.cli.evidence import read, snapshots
from oakum.model import Capture, NotAssembled
from oakum.pipeline.case import assemble_case, input_of
from support import ROOT

TTRPC = CASEBOOK / "ttrpc-94/captures/leaking-go1.26-modcache"
RECORDED = ROOT / "tests/testdata/recorded/go1.27.3"


def memory(*files: tuple[str, bytes]) -> list[Input]:
    """Return captures of memory, below one argument."""
    return [input_of(Capture(f"run/{path}", data), "run", tuple(path.split("/"))) for path, data in files]


def found(inputs: list[Input]) -> Assembled:
    return assemble_case(inputs)


def test_captures_that_were_never_files() -> None:
    dumps = [dump(crew(range(1, count + 1), "chan send", "main.leak")).encode() for count in (3, 5)]
    (process,) = found(memory(("1/dump", dumps[0]), ("2/dump", dumps[1]))).case.processes
    assert [s.goroutines and s.goroutines.total for s in process.snapshots] == [3, 5]
    assert [s.sources["goroutines"].origin for s in process.snapshots] == ["run/1/dump", "run/2/dump"]


def test_nothing_to_assemble_is_a_value_with_its_rows() -> None:
    with pytest.raises(NotAssembled) as error:
        found(memory(("a", b"nothing of note\n")))
    assert (error.value.text.key, error.value.about) == ("assemble.nothing", "evidence")
    assert [row.origin for row in error.value.rows] == ["run/a"]


def test_sockets_stay_with_the_snapshot_of_their_process() -> None:
    head = "# oakum sockets/1 pid=812 name=orders at=2026-11-16T10:15:00Z\n"
    rows = (TTRPC / "sockets.last.txt").read_text()
    dumps = [(f"{at}/dump", dump(crew(range(1, at + 1), "chan send", "main.leak")).encode()) for at in (1, 2)]
    inside = found(memory(*dumps, ("2/sockets.txt", (head + rows).encode()))).case.processes[0]
    assert [one.sockets is not None for one in inside.snapshots] == [False, True]
    assert inside.snapshots[1].sources["sockets"].origin == "run/2/sockets.txt"
    beside = found(memory(*dumps, ("sockets.txt", (head + rows).encode()))).case.processes[0]
    assert [one.sockets is not None for one in beside.snapshots] == [False, True]


def test_sockets_of_a_whole_machine_are_the_case_s() -> None:
    made = assemble_case(read([str(TTRPC)]))
    assert len(made.case.sockets) == 4
    assert any(text.key.startswith("sockets.") for text in made.warnings)
    assert all(one.sockets is None for process in made.case.processes for one in process.snapshots)


def test_profiles_of_other_kinds_and_notes_are_kept(tmp_path: Path) -> None:
    names = ("goroutine.debug2.txt.gz", "mutex.pb.gz", "block.pb.gz", "heap.debug1.txt.gz")
    files = [(name, (RECORDED / name).read_bytes()) for name in names if (RECORDED / name).exists()]
    assert len(files) >= 3
    (process,) = found(memory(*files)).case.processes
    (snapshot,) = process.snapshots
    assert set(snapshot.profiles) >= {name.partition(".")[0] for name, _ in files} & {"mutex", "block"}
    assert snapshot.go_version


def test_a_profile_of_another_kind_is_no_snapshot() -> None:
    with pytest.raises(NotAssembled):
        found(memory(("mutex", (RECORDED / "mutex.pb.gz").read_bytes())))


def test_views_and_the_diagnosis_agree(tmp_path: Path) -> None:
    """goleak's list beside a dump, and a heap profile alone: the two groupers of before disagreed about both."""
    for at in ("1", "2"):
        (tmp_path / at).mkdir()
        for name in ("goroutine.debug2.txt.gz", "goroutine.pb.gz", "heap.pb.gz"):
            (tmp_path / at / name).write_bytes((RECORDED / name).read_bytes())
    dump, heap = tmp_path / "1/goroutine.debug2.txt.gz", tmp_path / "1/heap.pb.gz"
    for arguments in ([tmp_path], [tmp_path / "1", tmp_path / "2"], [dump, heap], [heap]):
        words = [str(one) for one in arguments]
        (process,) = assemble_case(read(words)).case.processes
        assert len(snapshots(words)) == len(process.snapshots), words
    assert snapshots([str(tmp_path / "1")])[0].best("goroutine").reading.format == "debug2"  # type: ignore[union-attr]
