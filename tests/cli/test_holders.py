"""oakum holders: the tree, two dumps, JSON, both languages, what it writes for the views, and what it refuses."""

import gzip
import json
from pathlib import Path

import pytest

from heap_dump import Writer
from support import ROOT, oakum

RECORDED = ROOT / "tests" / "parse" / "testdata" / "heapdump" / "go1.27.3"
DUMP, PROGRAM = RECORDED / "heap.dump.gz", RECORDED / "variables.txt.gz"
LISTED = b"    5a0000        8 B main.cache\n    5a0008        8 B main.other\n"


def dump(path: Path, entries: int) -> Path:
    made = Writer()
    made.object(0, range(1, entries + 1))
    for number in range(1, entries + 1):
        made.object(number, size=1024)
    made.globals([0, None])
    path.write_bytes(made.bytes())
    return path


def test_the_tree() -> None:
    answer = oakum("holders", "--binary", PROGRAM, DUMP, "--depth", "1", "--lang", "en")
    assert answer.code == 0
    assert not answer.err
    assert "4 goroutines in main.wait [chan receive]" in answer.out
    assert "finalizer queue: 300 objects wait for their finalizer" in answer.out
    assert "main.index + main.order (held by all of these)" in answer.out
    assert answer.out.index("timers of the runtime") < answer.out.index("main.chain")


def test_the_tree_in_chinese() -> None:
    answer = oakum("holders", "--binary", PROGRAM, DUMP, "--lang", "zh")
    assert "main.wait 中的 4 个协程" in answer.out
    assert "retained" not in answer.out


def test_json_has_the_whole_tree() -> None:
    told = json.loads(oakum("holders", "--binary", PROGRAM, DUMP, "--json").out)
    assert told["view"] == "holders"
    assert told["exact"]
    roots = {root["name"]: root for root in told["holders"]}
    assert roots["main.chain"]["bytes"] == json.loads((RECORDED / "told.json").read_text())["main.chain"]["walked"]
    assert roots["main.wait"]["count"] == 4
    assert roots["main.wait"]["stack"][-1] == "runtime.goexit"


def test_two_dumps(tmp_path: Path) -> None:
    program = tmp_path / "nm.txt"
    program.write_bytes(LISTED)
    before, after = dump(tmp_path / "before.dump", 10), dump(tmp_path / "after.dump", 50)
    answer = oakum("holders", "--binary", program, before, after)
    assert "main.cache" in answer.out
    assert "+40.3 KiB" in answer.out
    told = json.loads(oakum("holders", "--binary", program, before, after, "--json").out)
    first = told["changes"][0]
    assert (first["path"], first["change"]) == (["main.cache"], 40 * (1024 + 8))
    assert [one["origin"] for one in told["inputs"]] == [str(before), str(after)]


def test_what_proto_writes_is_shown_by_the_views(tmp_path: Path) -> None:
    written = tmp_path / "holders.pb.gz"
    assert oakum("holders", "--binary", PROGRAM, DUMP, "--proto", written).code == 0
    assert gzip.decompress(written.read_bytes())
    top = oakum("top", "-cum", written)
    assert "Type: inuse_space" in top.out
    assert "main.history" in top.out
    again = oakum("holders", written, "--depth", "0", "--lang", "en")
    assert "4 goroutines in main.wait [chan receive]" in again.out
    folded = oakum("flame", written, "-o", "-", "--format", "folded")
    assert folded.code == 0
    assert any(line.startswith("main.history;") for line in folded.out.splitlines())


@pytest.mark.parametrize("name", ["main.\x1b[31mred", "main.\u202eleft", "main.a\nb"])
def test_names_do_not_drive_the_terminal(tmp_path: Path, name: str) -> None:
    made = Writer()
    made.object(0, size=4096)
    made.goroutine(1, name, [0])
    path = tmp_path / "heap.dump"
    path.write_bytes(made.bytes())
    answer = oakum("holders", path)
    assert answer.code == 0
    assert name not in answer.out
    assert "\x1b[31m" not in answer.out


def test_what_is_no_heap_dump(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"hello\n")
    answer = oakum("holders", path)
    assert answer.code == 4
    assert "neither a Go heap dump" in answer.err
    assert oakum("holders", DUMP, DUMP, DUMP).code == 2


def test_a_dump_without_its_program_says_so() -> None:
    answer = oakum("holders", DUMP, "--lang", "en")
    assert answer.code == 0
    assert "--binary PROGRAM" in answer.err
