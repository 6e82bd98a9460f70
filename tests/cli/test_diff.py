"""oakum diff: new, gone, grown and shrunk, in absolute numbers, through two or more snapshots."""

import json
from pathlib import Path

import pytest

from support import DEMO, RECORDED, oakum

BEFORE, DURING, AFTER = "before", "during", "after"


def difference(*arguments: str | Path) -> dict[str, object]:
    answer = oakum("diff", "--json", *arguments)
    assert answer.code == 0, answer.err
    found: dict[str, object] = json.loads(answer.out)
    return found


def rows(found: dict[str, object]) -> list[dict[str, object]]:
    listed = found["rows"]
    assert isinstance(listed, list)
    return listed


def test_goroutines_of_mixed_formats() -> None:
    found = difference(
        *(DEMO / name for name in ("before.goroutine.txt.gz", "during.goroutine.pb.gz", "after.goroutine.txt.gz"))
    )
    first = rows(found)[0]
    assert (first["kind"], first["values"], first["change"]) == ("grown", [80, 260, 500], 420)
    assert str(first["place"]).startswith("main.(*desk).quote.func1 main.go:44")


def test_heap_by_function_in_bytes() -> None:
    found = difference(DEMO / "before.heap.pb.gz", DEMO / "after.heap.pb.gz", "-inuse_space")
    first = rows(found)[0]
    assert first["function"] == "main.newPage"
    assert found["unit"] == "bytes"
    assert 200 * 32 * 1024 <= int(str(first["change"])) <= 220 * 32 * 1024


def test_new_and_gone(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text(
        "goroutine 1 [select]:\nmain.a()\n\t/a.go:1 +0x1\n\ngoroutine 2 [select]:\nmain.b()\n\t/a.go:2 +0x1\n"
    )
    two.write_text(
        "goroutine 1 [select]:\nmain.a()\n\t/a.go:1 +0x1\n\ngoroutine 3 [select]:\nmain.c()\n\t/a.go:3 +0x1\n"
    )
    found = difference(one, two, "--same")
    assert {str(row["place"]).split()[0]: row["kind"] for row in rows(found)} == {
        "main.a": "same",
        "main.b": "gone",
        "main.c": "new",
    }
    text = oakum("diff", one, two).out
    assert "%" not in text, "no bare percentage"
    assert "goroutines  2 → 2  (0)" in text


def test_kinds_do_not_mix() -> None:
    answer = oakum("diff", DEMO / "before.heap.pb.gz", DEMO / "after.goroutine.pb.gz")
    assert answer.code == 2
    assert "no kind in common: goroutine, heap" in answer.err


def test_one_capture_is_not_enough() -> None:
    assert oakum("diff", DEMO / "before.heap.pb.gz").code == 2


def test_the_difference_as_protobuf(tmp_path: Path) -> None:
    written = tmp_path / "grown.pb.gz"
    answer = oakum("diff", DEMO / "before.heap.pb.gz", DEMO / "after.heap.pb.gz", "-inuse_space", "--proto", written)
    assert answer.code == 0, answer.err
    inspected = json.loads(oakum("inspect", "--json", written).out)["inputs"][0]
    totals = json.loads(
        oakum("diff", "--json", DEMO / "before.heap.pb.gz", DEMO / "after.heap.pb.gz", "-inuse_space").out
    )["totals"]
    assert inspected["totals"]["inuse_space"] == totals[1] - totals[0]


@pytest.mark.parametrize("kind", ["goroutine.txt.gz", "heap.pb.gz"])
def test_captures_of_two_programs_are_told(kind: str) -> None:
    """The differences of two programs read like growth."""
    other = RECORDED / "go1.27.3" / kind.replace("goroutine.txt", "goroutine.debug2.txt")
    answer = oakum("diff", DEMO / f"after.{kind}", other)
    assert answer.code == 0
    assert f"after.{kind} is of quotes, " in answer.err
    assert f"{other.name} of zoo: of two programs the differences are between them, not over time" in answer.err
    assert oakum("diff", DEMO / f"before.{kind}", DEMO / f"after.{kind}").err == ""
