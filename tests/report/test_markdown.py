"""Markdown as it is pasted into an issue: golden texts of every verdict in both languages; hostile names stay names."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from diagnosed import diagnosed
from diagnoses import rich
from hostile import EVIL, hostile
from made_pages import HOSTILE
from made_pages import hostile as hostile_page
from oakum.report.html.text import shown as shown_text
from oakum.report.markdown import codespan, fenced, inline, paragraph, render
from oakum.report.page.blocks import Cell, Code, CodeLine, Page, Para, Row, Section, Table
from oakum.report.page.compose import compose

GOLDEN = Path(__file__).parent / "testdata" / "markdown"
TAG = re.compile(r"<(/?\w+)")
# What Markdown makes of our own marks; nothing else may become a tag.
OURS = set(
    "h1 h2 h3 h4 h5 h6 p ul ol li strong em code pre hr br table thead tbody tr th td a details summary sub".split()
)


def html(text: str) -> str:
    """Return what a forge would show: CommonMark with tables, and HTML let through."""
    return str(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["leaking", "healthy", "undecided", "rich"])
def test_golden(name: str, lang: str, golden: Callable[[Path, str], None]) -> None:
    text = render(compose(rich() if name == "rich" else diagnosed(name), lang, ("flame-heap",)))
    assert not re.search(r"/(?:root|work|tmp|home/(?!dev))/", text)
    golden(GOLDEN / f"{name}.{lang}.md", text)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_golden_of_hostile_names(lang: str, golden: Callable[[Path, str], None]) -> None:
    golden(GOLDEN / f"hostile.{lang}.md", render(compose(hostile(EVIL), lang, ("flame-heap",))))


@pytest.mark.parametrize("name", ["leaking", "healthy", "undecided"])
def test_it_is_markdown_as_meant(name: str) -> None:
    text = render(compose(diagnosed(name), "en"))
    shown = html(text)
    assert {tag.removeprefix("/") for tag in TAG.findall(shown)} <= OURS
    assert shown.count("<h1>") == 1
    assert shown.count("<table>") == len(re.findall(r"^\| ?-", text, re.MULTILINE))
    assert shown.count("<details>") == shown.count("</details>")
    assert shown.count("<pre>") * 2 == len(re.findall(r"^\s*```", text, re.MULTILINE))


@pytest.mark.parametrize("made", [hostile_page(), compose(hostile(EVIL), "en")], ids=["page", "diagnosis"])
def test_hostile_names_become_neither_markup_nor_links(made: Page) -> None:
    text = render(made)
    shown = html(text)
    assert {tag.removeprefix("/") for tag in TAG.findall(shown)} <= OURS
    assert not re.search(r'href="(?!https?://)', shown)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("evil", HOSTILE)
def test_a_hostile_name_stays_visible_in_a_line_in_code_and_in_a_table(evil: str) -> None:
    table = Table(("a", "b"), (Row((Cell(evil), Cell(evil, code=True))),))
    text = render(Page(evil, "en", "plain", evil, evil, (evil,), (Section("x", evil, (Para(evil), table)),)))
    shown = html(text)
    assert {tag.removeprefix("/") for tag in TAG.findall(shown)} <= OURS
    assert shown.count("<td") == 2
    assert shown.count("<h1>") == shown.count("<h2>") == 1
    assert "<a " not in shown


def test_the_ending_of_a_hostile_file_ends_no_code() -> None:
    code = Code("x.go\n```\n\n<script>alert(1)</script>\n\n# evil", (CodeLine(0, "a"),))
    shown = html(render(Page("x", "en", "plain", "x", "x", (), (Section("x", "x", (code,)),))))
    assert "<script>" not in shown
    assert shown.count("<h1>") == 1


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("@someone look", "@someone"),
        ("see #123", "#123"),
        ("fixed in golang/go#123", "#123"),
        ("GH-123", "GH-123"),
        ("https://evil.example/x", "https://evil"),
        ("www.evil.example", "www."),
        ("mail a@b.example", "a@b"),
    ],
)
def test_nobody_is_called_and_nothing_is_linked(text: str, call: str) -> None:
    """A forge makes these links after Markdown is done: escapes do not help, a character between does."""
    assert call not in inline(text).replace("\\", "")
    assert inline(text).replace("\u200b", "").replace("\\", "") == text
    assert call in inline(f"`{text}`")  # in code nothing is made of it


@pytest.mark.parametrize(
    "text",
    ["- a", "+ a", "1. a", "12) a", "# a", "> a", "---", "===", "* a", "    a", "| a | b |", "~~a~~", "$x$", "<b>"],
)
def test_a_sentence_is_a_sentence_however_it_begins(text: str) -> None:
    shown = html(f"before\n\n{paragraph(text)}\n")
    assert re.findall(r"<(\w+)", shown) == ["p", "p"], shown


def test_numbers_at_the_beginning_are_not_escaped() -> None:
    assert paragraph("12.8 MiB of 49.3 MiB") == "12.8 MiB of 49.3 MiB"


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_code_is_shown_as_it_is(text: str) -> None:
    written = codespan(text)
    if not shown_text(text).strip():
        assert written == ""
        return
    shown = html(f"x {written} y")
    assert re.fullmatch(r"<p>x <code>.*</code> y</p>\n", shown, re.DOTALL), shown


@settings(max_examples=40)
@given(st.lists(st.text("`~ab\n", max_size=9), max_size=5))
def test_no_line_ends_a_fence(lines: list[str]) -> None:
    plain = [line.replace("\n", "") for line in lines]
    shown = html("\n".join(fenced(plain, "go")) + "\n\nafter\n")
    assert shown.endswith("</code></pre>\n<p>after</p>\n")


@settings(max_examples=40)
@given(st.text(max_size=80))
def test_no_text_makes_a_tag(text: str) -> None:
    shown = html(f"{paragraph(text)}\n\n| a |\n|---|\n| {inline(text)} |\n\n- {paragraph(text)}\n")
    assert {tag.removeprefix("/") for tag in TAG.findall(shown)} <= OURS - {
        "a",
        "h1",
        "h2",
        "hr",
        "em",
        "strong",
        "details",
    }


def test_long_tables_are_folded_and_cut() -> None:
    rows = tuple(Row((Cell(f"r{at}"),)) for at in range(400))
    text = render(Page("t", "en", "plain", "b", "v", (), (Section("x", "x", (Table(("a",), rows),)),)))
    assert "<details><summary>400 rows</summary>" in text
    assert "... and 300 more in `-o report.html`" in text


@settings(max_examples=25)
@given(st.text(min_size=1, max_size=40))
def test_whatever_evidence_says_the_page_stays_what_it_is(name: str) -> None:
    shown = html(render(compose(hostile(name), "en")))
    assert {tag.removeprefix("/") for tag in TAG.findall(shown)} <= OURS
    assert shown.count("<h2>") == 6
    assert shown.count("<details>") == shown.count("</details>")
