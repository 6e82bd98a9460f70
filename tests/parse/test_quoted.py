"""Pages that quote goroutines, and pages into which a dump was pasted: by their content, whatever they are called."""

import html

import pytest

from goroutine_text import crew, dump, goroutine
from oakum.model import Capture, Reading
from oakum.parse import parse
from support import ROOT

PROSE = "A line of a page that explains what a goroutine does.\n\n"
EXCERPT = dump(goroutine(38, "chan send", "main.worker", minutes=12), goroutine(57, "select", "main.loop"))
WHOLE = dump(goroutine(1, "chan receive", "main.main"), goroutine(38, "chan send", "main.worker", minutes=12))


def fenced(text: str, lines: int = 60) -> str:
    return f"# A page\n\n{PROSE * (lines // 2)}```\n{text}\n```\n\n{PROSE * (lines // 2)}"


def page(text: str, lines: int = 60) -> str:
    around = "<p>A line of a page that explains what a goroutine does.</p>\n" * (lines // 2)
    return f"<!DOCTYPE html><html><body>\n{around}<pre>\n{html.escape(text)}\n</pre>\n{around}</body></html>\n"


def readings(text: str) -> tuple[Reading, ...]:
    return parse(Capture("notes.txt", text.encode()))


def quoted(text: str) -> bool:
    found = readings(text)
    assert [reading.kind for reading in found] == ["goroutine"]
    return "quoted" in found[0].notes


@pytest.mark.parametrize("around", [fenced, page])
def test_a_page_that_quotes_some_goroutines(around) -> None:  # type: ignore[no-untyped-def]  # either of the two above
    assert quoted(around(EXCERPT))
    assert not quoted(around(EXCERPT, 4)), "most of the page is what was pasted"
    assert not quoted(around(WHOLE)), "every dump has main"
    assert not quoted(around(dump(goroutine(7, "running", "main.handle"), EXCERPT))), "or who printed it"
    assert not quoted(around(dump(crew(range(20, 120), "chan send", "main.worker")))), "a hundred are no example"


def test_headers_without_stacks_are_quoted_even_if_they_are_those_of_main() -> None:
    assert quoted(fenced("goroutine 7 [chan send, 12 minutes]:\ngoroutine 1 gp=0xc000002380 m=0 mp=0x1a2b [running]:"))


def test_logs_and_plain_text_are_no_pages() -> None:
    assert not quoted(PROSE * 60 + EXCERPT)
    assert not quoted(EXCERPT)


def test_our_own_pages_hold_no_dump() -> None:
    found: dict[str, set[bool]] = {}
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for reading in parse(Capture(path.name, path.read_bytes())):
            if reading.kind != "unknown":
                found.setdefault(path.name, set()).add("quoted" in reading.notes)
    assert {name for name, kinds in found.items() if kinds != {True}} == set()
    assert {"formats.md", "knowledge.md"} <= found.keys()
