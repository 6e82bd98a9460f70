"""The page: a section appears when there is something in it, every link leads somewhere, nothing is cut without a word."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from diagnosed import diagnosed
from diagnoses import empty, leak, rich
from hostile import EVIL, hostile
from oakum.model import Growth, Memory, Point, ProcessRow
from oakum.model.vocabulary import AGAINST
from oakum.report.html.waterfall import bars
from oakum.report.json import diagnosis as saved
from oakum.report.json import document
from oakum.report.markdown import render
from oakum.report.page.blocks import Block, Chart, Claims, Command, Figure, Link, Page, Section, Table, Waterfall, walk
from oakum.report.page.compose import compose
from support import ROOT

OVER = "less than the parts: not all of their pages are resident"
RECORDED = ["leaking", "healthy", "undecided", "locks", "outside"]


def sections(page: Page) -> Iterator[Section]:
    left = list(page.sections)
    while left:
        section = left.pop(0)
        yield section
        left = [*section.sections, *left]


def blocks(page: Page) -> list[Block]:
    return [block for section in sections(page) for block in walk(section.blocks)]


def texts(value: Any) -> Iterator[str]:
    """Yield every text of a page, however deep it lies."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from texts(one)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from texts(getattr(value, name))


def links(value: Any) -> Iterator[str]:
    if isinstance(value, tuple | list):
        for one in value:
            yield from links(one)
    elif isinstance(value, Struct):
        if to := getattr(value, "to", ""):
            yield to
        for name in value.__struct_fields__:
            yield from links(getattr(value, name))


def test_everything_that_a_diagnosis_has_is_on_its_page() -> None:
    page = compose(rich(), "en", ("flame-heap",))
    assert [section.anchor for section in page.sections] == [
        "suspects",
        "memory",
        "flames",
        "harmless",
        "gaps",
        "inputs",
    ]
    parts = [section.anchor for section in page.sections[0].sections[0].sections]
    assert parts == [f"finding-a1b2c3-{name}" for name in ("growth", "why", "cause", "chain", "do", "check", "details")]
    assert (page.tone, page.badge, page.lang) == ("leaking", "LEAK", "en")


def test_nothing_makes_no_section() -> None:
    page = compose(empty(), "en")
    assert page.sections == ()
    assert page.verdict == "No leak found in this evidence."


@pytest.mark.parametrize("name", RECORDED)
def test_every_link_leads_somewhere(name: str) -> None:
    page = compose(diagnosed(name), "en", ("flame-heap", "flame-goroutines"))
    anchors = [section.anchor for section in sections(page)]
    rows = [row.anchor for block in blocks(page) if isinstance(block, Table) for row in block.rows if row.anchor]
    assert len({*anchors, *rows}) == len(anchors) + len(rows)
    found = list(links(page))
    assert found
    for to in found:
        assert to.startswith("https://") or to.removeprefix("#") in {*anchors, *rows}, to


@pytest.mark.parametrize("name", RECORDED)
def test_every_number_has_its_capture_and_its_command(name: str) -> None:
    every = list(blocks(compose(diagnosed(name), "en")))
    assert any(isinstance(block, Waterfall) for block in every)
    for block in every:
        if isinstance(block, Claims):
            for claim in block.claims:
                assert claim.command, claim.text
                assert claim.source is not None, claim.text
        elif isinstance(block, Chart):
            assert block.command, block.title
            assert all(point.to for series in block.series for point in series.points if point.value is not None)
        elif isinstance(block, Waterfall):
            assert block.command


def test_figures_appear_only_when_they_are_handed_over() -> None:
    diagnosis = diagnosed("leaking")
    assert not [block for block in blocks(compose(diagnosis, "en")) if isinstance(block, Figure)]
    drawn = [block for block in blocks(compose(diagnosis, "en", ("flame-goroutines",))) if isinstance(block, Figure)]
    assert [block.name for block in drawn] == ["flame-goroutines"]
    assert drawn[0].command.startswith("oakum flame -diff_base ")


@pytest.mark.parametrize("name", RECORDED)
def test_the_parts_of_memory_add_up(name: str) -> None:
    page = compose(diagnosed(name), "en")
    falls = [block for block in blocks(page) if isinstance(block, Waterfall)]
    assert falls
    for fall in falls:
        parts = sum(bar.value for bar in fall.bars if bar.tone == "part")
        whole = [bar.value for bar in fall.bars if bar.tone == "whole"]
        assert len(whole) == 1
        assert parts == whole[0]


def _fall(memory: Memory, lang: str = "en") -> Waterfall:
    page = compose(replace(rich(), memory=(memory,)), lang)
    return next(block for block in blocks(page) if isinstance(block, Waterfall))


@pytest.mark.parametrize(
    ("memory", "rows"),
    [
        (Memory(rss=100, heap_live=60, stacks=30), [60, 30, 10, 100]),
        (Memory(rss=100, heap_live=60, stacks=40), [60, 40, 100]),
        (Memory(rss=100, limit=500, heap_live=90, stacks=30), [90, 30, 120, 100, 500]),
        (Memory(rss=100, heap_live=300), [300, 300, 100]),
        (Memory(heap_live=60, stacks=30), [60, 30, 90]),
        (Memory(rss=100), [100]),
    ],
)
def test_the_memory_table_adds_up_to_the_whole(memory: Memory, rows: list[int]) -> None:
    fall = _fall(memory)
    assert [bar.value for bar in fall.bars] == rows
    shares = [row.share for row in bars(fall) if row.share is not None]
    assert all(share <= 1 for share in shares)
    assert not shares or sum(shares) == pytest.approx(1)
    page = compose(replace(rich(), memory=(memory,)), "en")
    percents = [int(one) for one in re.findall(r"\| (\d+)% \|", render(replace(page, sections=page.sections[-5:])))]
    assert all(one <= 100 for one in percents)


def test_what_no_part_names_is_a_row() -> None:
    memory = Memory(rss=100 << 20, heap_live=60 << 20)
    assert [bar.name for bar in _fall(memory).bars] == ["heap, live", "unattributed", "RSS"]
    assert "未归类" in [bar.name for bar in _fall(memory, "zh").bars]


def test_parts_that_are_more_than_the_whole_say_so_and_a_limit_stands_last() -> None:
    fall = _fall(Memory(rss=100 << 20, limit=1 << 30, heap_live=90 << 20, stacks=30 << 20))
    assert OVER in [bar.note for bar in fall.bars]
    assert [bar.tone for bar in fall.bars] == ["part", "part", "whole", "limit", "limit"]


def test_what_speaks_against_it_stands_apart() -> None:
    page = compose(diagnosed("undecided"), "en")
    claims = [claim for block in blocks(page) if isinstance(block, Claims) for claim in block.claims]
    assert [claim.against for claim in claims] == [False, True]
    docs = (ROOT / "docs" / "diagnose.md").read_text(encoding="utf-8")
    assert [kind for kind in AGAINST if f"`{kind}`" not in docs] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", [*RECORDED, "rich"])
def test_a_page_speaks_one_language(name: str, lang: str) -> None:
    page = compose(rich() if name == "rich" else diagnosed(name), lang, ("flame-heap", "flame-goroutines"))
    told = [section.title for section in sections(page)] + [page.title, page.verdict, page.badge]
    told += [name for block in blocks(page) if isinstance(block, Table) for name in block.columns]
    told += [block.said for block in blocks(page) if isinstance(block, Chart | Waterfall)]
    assert [text for text in texts(page) if re.match(r"[a-z-]+\.[a-z.-]+( \(\w+=|$)", text) and " " in text] == []
    if lang == "zh":
        plain = [text for text in told if not re.search(r"[\u4e00-\u9fff]", text)]
        assert set(plain) <= {"SHA-256", "stock", "orders", "shim", "kubelet", "containerd"}, plain
    else:
        assert not [text for text in told if re.search(r"[\u4e00-\u9fff]", text)]


def test_the_same_diagnosis_gives_the_same_page() -> None:
    assert compose(diagnosed("leaking"), "zh") == compose(diagnosed("leaking"), "zh")


@pytest.mark.parametrize("name", RECORDED)
def test_a_stored_diagnosis_gives_the_same_page(name: str) -> None:
    """Nothing on the page comes from what a stored diagnosis does not have."""
    stored = saved(json.loads(json.dumps(document(diagnosed(name)))))
    assert compose(stored, "zh", ("flame-heap",)) == compose(diagnosed(name), "zh", ("flame-heap",))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_names_of_a_megabyte_are_cut_and_say_so(lang: str) -> None:
    page = compose(hostile(EVIL + "A" * 1_000_000), lang)
    assert max(len(text) for text in texts(page)) < 17_000
    assert len(render(page).encode()) < 300_000
    assert ("characters omitted" if lang == "en" else "个字符") in render(page)
    assert not [to for to in links(page) if to.startswith("javascript:")]
    assert not [block for block in blocks(page) if isinstance(block, Command) and len(block.text) > 6100]
    assert not [block for block in blocks(page) if isinstance(block, Link) and not block.to.startswith("https://")]


def test_a_large_diagnosis_stays_a_page() -> None:
    """Ten thousand of everything: rows are cut, and every cut says how many more there are and what shows them."""
    many = 10_000
    found, diagnosis = leak(), rich()
    findings = tuple(replace(found, id=f"f{at}", rank=at + 1) for at in range(many))
    inputs = tuple(replace(diagnosis.inputs[0], origin=f"c/{at}.txt", digest=f"sha256:{at:064x}") for at in range(many))
    points = tuple(Point("p1", None, f"m{at}", totals={"goroutines": at % 97, "rss": at}) for at in range(many))
    large = replace(
        diagnosis, findings=findings, inputs=inputs, explained=diagnosis.explained * (many // 8), gaps=diagnosis.gaps * many, timeline=points
    )  # fmt: skip
    began = time.process_time()
    page = compose(large, "en")
    text = render(page)
    assert time.process_time() - began < 5
    assert len(text.encode()) < 2_000_000
    more = [text for text in texts(page) if text.startswith("... and ")]
    assert {"... and 9,500 more. List all:", "... and 9,960 more. List all:"} <= set(more)
    assert len(page.sections[0].sections) == 50
    assert all(len(block.rows) <= 500 for block in blocks(page) if isinstance(block, Table))
    charts = [block for block in blocks(page) if isinstance(block, Chart) and "all of" in block.title]
    assert charts
    for chart in charts:
        assert all(len(series.points) <= 240 for series in chart.series)
        assert "240 of 10,000 values drawn." in chart.said


def test_processes_beyond_those_shown_are_counted() -> None:
    diagnosis = rich()
    rows = tuple(ProcessRow(f"p{at}", f"pod-{at}") for at in range(1, 31))
    points = tuple(Point(row.id, None, f"m{at}", totals={"rss": at}) for row in rows for at in (1, 2))
    memory = tuple(Memory(process=row.id, rss=1 << 20, heap_live=1 << 19) for row in rows)
    page = compose(replace(diagnosis, processes=rows, timeline=points, memory=memory), "en")
    for section in page.sections:
        if section.anchor in ("timeline", "memory"):
            assert len(section.sections) == 20
            assert "... and 10 more. List all:" in texts(section)
    assert page.about[-1].startswith("also pod-2, pod-3")
    assert page.about[-1].endswith("... and 10 more.")


def test_captures_that_claims_lead_to_are_listed_before_others() -> None:
    diagnosis = rich()
    rest = tuple(replace(diagnosis.inputs[0], origin=f"c/{at}", digest=f"sha256:{at:064x}") for at in range(2000))
    page = compose(replace(diagnosis, inputs=(*rest, *diagnosis.inputs)), "en")
    anchors = {row.anchor for block in blocks(page) if isinstance(block, Table) for row in block.rows}
    wanted = {
        claim.source.to for block in blocks(page) if isinstance(block, Claims) for claim in block.claims if claim.source
    }
    assert wanted
    assert {to.removeprefix("#") for to in wanted} <= anchors


def test_a_series_that_cannot_be_dated_is_drawn_all_the_same() -> None:
    found = leak()
    odd = replace(found, suspect=replace(found.suspect, growth=(Growth("goroutines", (1, None, 5, 9)),)))
    page = compose(replace(rich(), findings=(odd,)), "en")
    (chart,) = page.picture
    assert [point.value for point in chart.series[0].points] == [1, None, 5, 9]
    assert [point.label for point in chart.series[0].points] == ["#1", "#2", "#3", "#4"]


def test_a_twin_does_not_take_the_clock_from_a_chart() -> None:
    charts = [block for block in blocks(compose(diagnosed("standby"), "en")) if isinstance(block, Chart)]
    assert any(one.tone == "twin" for chart in charts for one in chart.series)
    assert all(point.at for chart in charts for one in chart.series for point in one.points)
