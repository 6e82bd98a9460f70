"""oakum flame as users call it: formats by ending, files that are not overwritten, comparisons, states."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from folded_profile import HEAP, folded_profile
from oakum.views.proto import encode
from support import Answer

FOLDED = ["main.main;app.serve 1024", "main.main;app.serve;app.read 512", "runtime.gc 64"]
DUMP = """goroutine 1 [chan receive, 5 minutes]:
main.main()
	/app/main.go:14 +0x85

goroutine 6 [select]:
main.work(0xc000012345?)
	/app/main.go:5 +0x25
created by main.main in goroutine 1
	/app/main.go:12 +0x65
"""


Call = Callable[..., Answer]


@pytest.fixture
def before(tmp_path: Path) -> Path:
    file = tmp_path / "before.pb.gz"
    file.write_bytes(encode(folded_profile({"main.main;app.serve": (1, 24), "gone": (1, 8)}, HEAP, kind="heap")))
    return file


def data_of(text: str) -> dict[str, object]:
    found = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    data: dict[str, object] = json.loads(found[1])
    return data


def test_formats_are_chosen_by_ending(oakum: Call, heap: Path, tmp_path: Path) -> None:
    for name in ("x.html", "x.folded", "x.txt", "x.speedscope.json", "x.json"):
        answer = oakum("flame", heap, "-o", tmp_path / name)
        assert answer == (0, "", f"oakum: wrote {tmp_path / name} ({answer.err.rpartition('(')[2]}")
    assert data_of((tmp_path / "x.html").read_text())["type"] == 1
    assert (tmp_path / "x.folded").read_text().splitlines() == FOLDED
    assert (tmp_path / "x.txt").read_text() == (tmp_path / "x.folded").read_text()
    profiles = json.loads((tmp_path / "x.speedscope.json").read_text())["profiles"]
    assert [p["name"] for p in profiles] == ["inuse_objects", "inuse_space"]


def test_an_ending_that_means_nothing_is_refused(oakum: Call, heap: Path, tmp_path: Path) -> None:
    answer = oakum("flame", heap, "-o", tmp_path / "x.bin")
    assert answer.code == 2
    assert ".folded" in answer.err
    assert oakum("flame", heap, "--format", "folded", "-o", tmp_path / "x.bin").code == 0


def test_piped_output_goes_to_stdout(oakum: Call, heap: Path, tmp_path: Path) -> None:
    assert oakum("flame", "--format", "folded", heap).out.splitlines() == FOLDED
    assert oakum("flame", heap).out.startswith("<!doctype html>")
    assert oakum("flame", heap, "-o", "-").out.startswith("<!doctype html>")
    assert sorted(child.name for child in tmp_path.iterdir()) == ["heap.pb.gz"]


def test_on_a_terminal_a_page_is_written(
    oakum: Call, heap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "wrote flame.html" in oakum("flame", heap).err
    assert (tmp_path / "flame.html").read_text().startswith("<!doctype html>")
    again = oakum("flame", heap)
    assert again.code == 4
    assert "--force" in again.err
    assert oakum("flame", "--force", heap).code == 0


def test_an_existing_file_stays(oakum: Call, heap: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.html"
    file.write_text("precious")
    answer = oakum("flame", heap, "-o", file)
    assert (answer.code, file.read_text()) == (4, "precious")
    assert "exists" in answer.err
    assert oakum("flame", heap, "-o", file, "--force").code == 0
    assert file.read_text() != "precious"


@pytest.mark.parametrize("flag", ["-base", "-diff_base"])
def test_comparison_keeps_both_sides(oakum: Call, heap: Path, before: Path, flag: str) -> None:
    lines = oakum("flame", flag, before, "--format", "folded", heap).out.splitlines()
    assert sorted(lines) == [
        "gone 8 0",
        "main.main;app.serve 24 1024",
        "main.main;app.serve;app.read 0 512",
        "runtime.gc 0 64",
    ]
    page = oakum("flame", flag, before, heap).out
    assert data_of(page)["compared"]
    assert "<title>heap: heap.pb.gz against before.pb.gz</title>" in page


def test_filters_and_sample_index(oakum: Call, heap: Path) -> None:
    answer = oakum("flame", "--format=folded", "-sample_index=inuse_objects", "-focus", "read", heap)
    assert answer.out.splitlines() == ["main.main;app.serve;app.read 1"]
    page = oakum("flame", "-focus=read", heap).out
    assert "focus=read" in page
    assert oakum("flame", "-mean", heap).code == 2


def test_proto_is_written_beside_it(oakum: Call, heap: Path, tmp_path: Path) -> None:
    assert oakum("flame", "-ignore=runtime", "--proto", tmp_path / "out.pb.gz", heap).code == 0
    assert oakum("flame", "--format=folded", tmp_path / "out.pb.gz").out.splitlines() == FOLDED[:2]


def test_goroutines_by_state(oakum: Call, tmp_path: Path) -> None:
    file = tmp_path / "dump.txt"
    file.write_text(DUMP)
    assert sorted(oakum("flame", "--format=folded", "--by-state", file).out.splitlines()) == [
        "chan receive;main.main 1",
        "select;main.work 1",
    ]
    data = data_of(oakum("flame", "--by-state", file).out)
    names, owners = data["names"], data["owners"]
    assert isinstance(names, list)
    assert isinstance(owners, str)
    assert {names[i] for i, owner in enumerate(owners) if owner == "l"} == {"chan receive", "select"}


def test_help_lists_its_own_flags_and_pprofs(oakum: Call) -> None:
    text = oakum("flame", "--help").out
    for flag in ("--format", "--force", "--by-state", "--diff_base", "--focus", "-o"):
        assert flag in text
