"""Directories as evidence: moments, formats of one moment, and neighbours that are no evidence."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import DEMO, RECORDED, oakum


@pytest.fixture
def series(tmp_path: Path) -> Path:
    """Return a directory of two moments, each with goroutines in two formats and a heap profile."""
    for number, moment in enumerate(("before", "after"), 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        for kind in ("goroutine.txt.gz", "goroutine.pb.gz", "heap.pb.gz"):
            shutil.copy(DEMO / f"{moment}.{kind}", folder / kind)
    return tmp_path


def test_goroutines_in_two_formats_are_not_added(series: Path) -> None:
    answer = oakum("goroutines", series / "2", "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["total"] == 514
    assert "which says more" in answer.err


def test_a_cut_dump_yields_to_protobuf_which_tells_what_is_missing(series: Path) -> None:
    dump = series / "2" / "goroutine.txt.gz"
    text = gzip.decompress(dump.read_bytes())
    dump.write_bytes(gzip.compress(text[: len(text) // 2]))
    answer = oakum("goroutines", series / "2", "--json")
    assert json.loads(answer.out)["total"] == 514
    assert re.search(r"cut: \d+ of 514 goroutines are missing in it", answer.err)


@pytest.mark.parametrize("named", ["each", "parent"])
def test_directories_are_moments_compared_kind_by_kind(series: Path, named: str) -> None:
    arguments = [series / "1", series / "2"] if named == "each" else [series]
    answer = oakum("diff", *arguments, "--json")
    goroutines, heap = json.loads(answer.out)["kinds"]
    assert (goroutines["measure"], goroutines["rows"][0]["values"]) == ("goroutines", [80, 500])
    assert (heap["measure"], heap["rows"][0]["function"]) == ("inuse_space", "main.newPage")


def test_a_heap_in_two_formats_is_one_moment(tmp_path: Path) -> None:
    for moment in ("1", "2"):
        (tmp_path / moment).mkdir()
        for file in ("heap.pb.gz", "heap.debug1.txt.gz", "goroutine.debug2.txt.gz"):
            shutil.copy(RECORDED / "go1.27.3" / file, tmp_path / moment / file)
    answer = oakum("diff", tmp_path, "--same", "--json")
    goroutines, heap = json.loads(answer.out)["kinds"]
    assert (goroutines["measure"], heap["measure"]) == ("goroutines", "inuse_space")
    assert {len(row["values"]) for row in heap["rows"]} == {2}
    assert "has the heap as pprof, which says more" in answer.err


def test_dumps_of_one_file_are_moments(tmp_path: Path) -> None:
    both = tmp_path / "two.txt"
    stack = "goroutine {} [chan send]:\nmain.a()\n\t/a.go:1 +0x1\ncreated by main.main\n\t/a.go:9 +0x1\n\n"
    both.write_text("SIGQUIT: quit\n\n" + stack.format(1) + "SIGQUIT: quit\n\n" + stack.format(1) + stack.format(2))
    assert "goroutines  1 → 2  (+1)" in oakum("diff", both).out


def test_a_bad_neighbour_is_left_out_with_a_remark(series: Path) -> None:
    folder = series / "2"
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (folder / "gone").symlink_to(series / "nowhere")
    os.mkfifo(folder / "pipe")
    (folder / "goroutine.pb.gz").unlink()
    answer = oakum("goroutines", folder, "--json")
    assert answer.code == 0, answer.err
    assert "left out" in answer.err
    assert json.loads(answer.out)["total"] == 514


def test_one_moment_in_two_formats_has_not_changed(tmp_path: Path) -> None:
    text, proto = tmp_path / "a.txt", tmp_path / "a.pb.gz"
    text.write_text(
        "goroutine 1 [select]:\nmain.W[...](0x1)\n\t/a/b.go:3 +0x1\ncreated by main.main\n\t/a/b.go:9 +0x1\n"
    )
    oakum("goroutines", text, "--proto", proto)
    shaped = tmp_path / "b.txt"
    shaped.write_text(text.read_text().replace("W[...]", "W[go.shape.map[[2]int]main.S[int]]").replace("/a/", "x/"))
    assert "No row changed" in oakum("diff", text, proto).out
    assert "No row changed" in oakum("diff", text, shaped).out


def test_inputs_are_never_overwritten(tmp_path: Path) -> None:
    copy = tmp_path / "heap.pb.gz"
    shutil.copy(DEMO / "after.heap.pb.gz", copy)
    for flag in ("-o", "--proto"):
        answer = oakum("top", copy, flag, copy)
        assert answer.code == 2
        assert "is one of the inputs" in answer.err
    assert copy.read_bytes() == (DEMO / "after.heap.pb.gz").read_bytes()


def test_protobuf_on_stdout_is_alone_there(tmp_path: Path) -> None:
    for verb in (
        ["goroutines", DEMO / "after.goroutine.txt.gz"],
        ["diff", DEMO / "before.heap.pb.gz", DEMO / "after.heap.pb.gz"],
    ):
        command = [sys.executable, "-m", "oakum", *map(str, verb), "--proto", "-"]
        data = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
        (tmp_path / "x.pb.gz").write_bytes(data)
        row = json.loads(oakum("inspect", "--json", tmp_path / "x.pb.gz").out)["inputs"][0]
        assert (row["format"], row["problems"]) == ("pprof", [])


def test_what_a_format_cannot_say_is_not_taken_for_none() -> None:
    answer = oakum("goroutines", DEMO / "after.goroutine.pb.gz", "--older", "5m")
    assert "514 of 514 goroutines name no waiting time here" in answer.err


def test_pages_that_quote_goroutines_are_no_series(tmp_path: Path) -> None:
    """What documentation quotes is of no process: it was diagnosed as two snapshots, and found healthy."""
    quote = "goroutine 38 [chan send, 12 minutes]:\nmain.worker()\n\t/srv/main.go:21 +0x1d\n"
    for name in ("one.md", "two.md"):
        (tmp_path / name).write_text("# A page\n\n" + "Some words.\n\n" * 40 + f"```\n{quote}```\n")
    answer = oakum("diagnose", tmp_path)
    assert (answer.code, answer.out) == (4, "")
    assert (
        "one.md: Not used: the page quotes 1 goroutine, not the dump of a process; hand in the whole dump" in answer.err
    )
    one = oakum("diagnose", tmp_path / "one.md")  # who names it asks about it
    assert one.code in (1, 3), "never healthy"
    assert "one.md: 1 snapshot" in one.out
    # Beside evidence it is a note, and changes nothing.
    shutil.copy(DEMO / "after.goroutine.txt.gz", tmp_path)
    beside = oakum("diagnose", tmp_path, "--json")
    document = json.loads(beside.out)
    assert [row["count"] for row in document["findings"][0]["sites"]][:1] == [500]
    told = [problem["key"] for row in document["inputs"] for problem in row["problems"]]
    assert told == ["quoted", "quoted"]


def test_a_dump_pasted_into_a_page_is_diagnosed(tmp_path: Path) -> None:
    pasted = gzip.decompress((DEMO / "after.goroutine.txt.gz").read_bytes()).decode()
    page = tmp_path / "issue.md"
    page.write_text("### What happened?\n\n" + "It hangs.\n\n" * 40 + f"```\n{pasted}\n```\n")
    plain = tmp_path / "dump.txt"
    plain.write_text(pasted)
    verdicts = [json.loads(oakum("diagnose", one, "--json").out) for one in (page, plain)]
    first, second = ([(one["id"], one["confidence"]) for one in found["findings"]] for found in verdicts)
    assert first == second != []


@pytest.mark.parametrize(
    ("saved", "profile", "later"),
    [
        ("heap.pb.gz", "heap", "later.heap.pb.gz"),
        ("morning.pb.gz", "heap", "heap.pb.gz"),
        ("goroutine.debug2.txt", "goroutine?debug=2", "later.goroutine.debug2.txt"),
        ("dump.txt", "goroutine?debug=2", "goroutine.debug2.txt"),
    ],
)
def test_the_next_snapshot_is_of_the_same_kind_and_overwrites_nothing(
    tmp_path: Path, saved: str, profile: str, later: str
) -> None:
    """Goroutines beside a heap profile are one snapshot, which shows no growth."""
    kind = "heap.pb.gz" if profile == "heap" else "goroutine.txt.gz"
    data = (DEMO / f"before.{kind}").read_bytes()
    (tmp_path / saved).write_bytes(data if saved.endswith(".gz") else gzip.decompress(data))
    answer = oakum("diagnose", "--no-source", tmp_path)
    expected = (
        f"$ curl -so {later} 'http://HOST:PORT/debug/pprof/{profile}' && oakum diagnose {tmp_path / saved} {later}"
    )
    assert expected in answer.out
