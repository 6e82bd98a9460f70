"""The pictures of a report: which there are, what they compare, and that names in them stay names."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from diagnoses import leak
from folded_profile import HEAP, folded_profile, renamed
from made_pages import rich
from oakum.cli.case import case
from oakum.model import Case, Process, Snapshot, ValueType
from oakum.pipeline.figures import figures
from oakum.report.html import Drawing, render
from oakum.views.flame_words import WORDS
from oakum.views.proto import encode
from support import ROOT

DUMP = """goroutine 1 [chan receive, 5 minutes]:
main.main()
	/app/main.go:14 +0x85

goroutine {id} [chan send]:
main.work(0xc000012345?)
	/app/main.go:5 +0x25
created by main.main in goroutine 1
	/app/main.go:12 +0x65
"""


def snapshot(folder: Path, name: str, goroutines: int, heap: int) -> str:
    here = folder / name
    here.mkdir()
    one = DUMP.format(id=7).split("\n\n")
    (here / "goroutine.txt").write_text("\n\n".join([one[0], *(one[1].replace("7", str(at), 1) for at in range(7, 7 + goroutines))]))  # fmt: skip
    types = (ValueType("alloc_objects", "count"), ValueType("alloc_space", "bytes"), *HEAP)
    stacks = {"main.main;app.keep": (9, 900, heap // 10, heap)}
    (here / "heap.pb.gz").write_bytes(encode(folded_profile(stacks, types, kind="heap")))
    return str(here)


def data_of(drawing: Drawing) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(next(iter(drawing.data.values())))
    return data


def test_last_snapshot_is_drawn_against_the_first(tmp_path: Path) -> None:
    given = case([snapshot(tmp_path, "1", 2, 100), snapshot(tmp_path, "2", 5, 400), snapshot(tmp_path, "3", 9, 900)])
    drawn = figures(given)
    assert list(drawn) == ["flame-heap", "flame-goroutines"]
    heap, goroutines = map(data_of, drawn.values())
    assert heap["compared"]
    assert [one["type"] for one in heap["types"]] == ["inuse_space", "inuse_objects"]
    assert [side[0][0] for side in heap["trees"][0]["cum"]][:2] == [900, 100]
    assert [side[0][0] for side in goroutines["trees"][0]["cum"]][:2] == [10, 3]


def test_one_snapshot_is_drawn_alone(tmp_path: Path) -> None:
    drawn = figures(case([snapshot(tmp_path, "1", 2, 100)]))
    assert not data_of(drawn["flame-heap"])["compared"]
    assert not data_of(drawn["flame-goroutines"])["compared"]


def test_nothing_captured_is_not_drawn() -> None:
    assert figures(Case(())) == {}
    assert figures(Case((Process("p1", "a", (Snapshot("1"),)),))) == {}
    empty = Snapshot("1", heap=folded_profile({}, HEAP, kind="heap"))
    assert figures(Case((Process("p1", "a", (empty,)),))) == {}
    allocated = Snapshot("1", heap=folded_profile({"a": 1}, (ValueType("alloc_space", "bytes"),), kind="allocs"))
    assert figures(Case((Process("p1", "a", (allocated,)),))) == {}


def test_process_of_the_worst_finding_is_drawn_or_the_one_that_grew_most() -> None:
    def heap(size: int) -> Snapshot:
        return Snapshot("m", heap=folded_profile({"f": (1, size)}, HEAP, kind="heap"))

    given = Case((Process("p1", "still", (heap(50), heap(60))), Process("p2", "leaks", (heap(10), heap(90)))))
    assert data_of(figures(given)["flame-heap"])["trees"][0]["cum"][0][0][0] == 90
    assert data_of(figures(given, [leak()])["flame-heap"])["trees"][0]["cum"][0][0][0] == 60


def test_parts_of_two_graphs_do_not_meet(tmp_path: Path) -> None:
    drawn = figures(case([snapshot(tmp_path, "1", 2, 100)]))
    ids = [set(re.findall(r'id="([^"]+)"', one.markup)) for one in drawn.values()]
    assert not ids[0] & ids[1]
    assert all(name.startswith("flame-heap-") for name in ids[0])
    assert drawn["flame-heap"].script == drawn["flame-goroutines"].script


def test_hostile_names_stay_in_their_data() -> None:
    bad = "</script \u2028 & \"'"
    profile = renamed(folded_profile({"main;x": (1, 9)}, HEAP, kind="heap"), {"x": bad})
    drawn = figures(Case((Process("p1", bad, (Snapshot(bad, heap=profile),)),)))
    data = data_of(drawn["flame-heap"])
    assert bad in data["names"]
    assert not set("<>&") & set(drawn["flame-heap"].data["flame-heap-data"])
    assert bad not in drawn["flame-heap"].markup


def test_graph_speaks_the_language_of_the_page(tmp_path: Path) -> None:
    drawn = figures(case([snapshot(tmp_path, "1", 2, 100)]))
    chinese = render(replace(rich(), lang="zh"), None, drawn)
    assert '"grew":"增长"' in chinese
    assert '"grew":"grew"' not in chinese
    assert '"grew":"grew"' in render(rich(), None, drawn)
    assert not re.search(r">[^<$]*[A-Za-z][^<]*<", drawn["flame-heap"].markup)  # no word of it stands in the markup


@pytest.mark.parametrize("key", sorted(WORDS))
def test_both_languages_of_the_graph_say_the_same(key: str) -> None:
    english, chinese = WORDS[key]
    assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", chinese))
    bare = re.sub(r"\{\w+\}", "", chinese)
    assert re.search(r"[\u4e00-\u9fff]", bare) or not re.search("[A-Za-z]{2}", bare)


def test_every_word_that_the_graph_says_is_there() -> None:
    folder = ROOT / "src" / "oakum" / "views" / "assets"
    script = (folder / "flame.js").read_text(encoding="utf-8")
    said = set(re.findall(r'\bsay\("([\w-]+)"', script)) | {"own", "dependency", "stdlib", "runtime", "label"}
    markup = (folder / "flame_part.html").read_text(encoding="utf-8")
    named = {pair.partition(":")[2] for says in re.findall(r'data-say="([^"]*)"', markup) for pair in says.split()}
    assert said | named == set(WORDS)


def test_a_report_with_both_graphs_is_one_page(tmp_path: Path) -> None:
    drawn = figures(case([snapshot(tmp_path, "1", 2, 100), snapshot(tmp_path, "2", 5, 400)]))
    text = render(rich(), None, drawn)
    assert text.count('id="flame-heap-data"') == 1
    assert text.count("const drawFlame") == 1
