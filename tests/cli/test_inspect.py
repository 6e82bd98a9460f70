"""oakum inspect: what each input is, in words and as JSON, and what it does with nonsense."""

import gzip
import json
from pathlib import Path

import pytest

from support import DEMO, oakum


def test_rows_of_recorded_evidence() -> None:
    answer = oakum("inspect", "--json", DEMO)
    assert answer.code == 0, answer.err
    rows = {Path(row["origin"]).name: row for row in json.loads(answer.out)["inputs"]}
    dump = rows["after.goroutine.txt.gz"]
    assert (dump["kind"], dump["format"], dump["wrapping"]) == ("goroutine", "debug2", ["gzip"])
    assert dump["counts"]["goroutines"] == rows["after.goroutine.pb.gz"]["counts"]["goroutines"] > 500
    assert dump["digest"].startswith("sha256:")
    heap = rows["after.heap.pb.gz"]
    assert (heap["kind"], heap["format"], heap["producer"]) == ("heap", "pprof", "Go")
    assert heap["taken_at"].startswith("20")
    assert heap["totals"]["inuse_space"] > 200 * 32 * 1024
    text = rows["after.heap.txt.gz"]
    assert (text["kind"], text["format"]) == ("heap", "heap-text")
    assert text["memstats"]["heap_alloc"] > 200 * 32 * 1024
    assert text["memstats"]["num_gc"] >= 1
    journal = rows["journal.log"]
    assert (journal["kind"], journal["format"]) == ("goroutine", "debug2")
    assert journal["counts"]["goroutines"] == 40
    assert journal["wrapping"]


def test_words() -> None:
    answer = oakum("inspect", DEMO / "after.goroutine.txt.gz", DEMO / "after.heap.txt.gz")
    assert answer.code == 0
    assert "goroutine · debug2 · in gzip" in answer.out
    assert "MemStats: heap in use" in answer.out
    assert "\x1b" not in answer.out, "piped output has no colours"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("empty.pb.gz", b"", "empty"),
        ("heap.pb.gz", b"404 page not found\n", "404"),
        ("login.pb.gz", b"<!doctype html><html><body>Please sign in</body></html>", "web page"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n" + bytes(64), "PNG"),
        ("cut.pb.gz", gzip.compress(b"goroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n", mtime=0)[:25], ""),
        ("words.txt", b"nothing to see here\n" * 20, ""),
    ],
)
def test_nonsense_is_refused_in_words(tmp_path: Path, name: str, data: bytes, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    answer = oakum("inspect", path)
    assert answer.code in (0, 4)
    assert "Traceback" not in answer.out + answer.err
    assert "!" in answer.out, "a problem is named"
    assert expected in answer.out
    shown = oakum("goroutines", path)
    assert shown.code == 4 or expected == ""
    assert str(path) in shown.err
    assert "Traceback" not in shown.err


def test_one_bad_argument_does_not_hide_the_rest(tmp_path: Path) -> None:
    answer = oakum("inspect", tmp_path / "gone.txt", DEMO / "after.heap.pb.gz")
    assert answer.code == 4
    assert "no such file" in answer.err
    assert "heap · pprof" in answer.out


def test_standard_input() -> None:
    answer = oakum("inspect", "-", stdin=(DEMO / "after.heap.pb.gz").read_bytes())
    assert answer.code == 0
    assert answer.out.startswith("-  ")


def test_hostile_names_do_not_drive_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "dump.txt"
    path.write_bytes(b"goroutine 1 [chan send]:\nmain.a\x1b]0;owned\x07()\n\t/a\x1b[2J.go:1 +0x1\n")
    for command in ("inspect", "goroutines"):
        answer = oakum(command, path, FORCE_COLOR="1")
        assert "\x1b]0" not in answer.out
        assert "\x1b[2J" not in answer.out
