"""The short page: the worst finding with its cause, the others in a line; within the columns, harmless as the whole one."""

import re
from dataclasses import replace

import pytest

from diagnoses import empty, leak, rich
from oakum.cli.screen import columns_of, safe
from oakum.model import Frame, Site
from oakum.report.brief import render
from oakum.report.pen import Look


def look(columns: int | None = None, lang: str = "en", *, glyphs: bool = True) -> Look:
    return Look(columns, lang, lambda text, *_: text, safe, columns_of, glyphs)


def test_the_worst_finding_is_told_with_its_cause_and_what_to_do() -> None:
    text = render(rich(), look())
    parts = (
        "LEAKING  orders leaks: 1,103 goroutines",
        " 1 likely · abandoned-sender\n",
        "receive  /go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch/streamwatcher.go:127  chan send, 1,103 goroutines",
        "goroutines  3 → ? → 53 → 1,103",
        "97% of all goroutines, 61% of the heap",
        "answers := make(chan Answer)  ◀ made here",
        "kubernetes-98653: A watch that was stopped keeps its goroutine",
        "k8s.io/apimachinery v0.18.8 has it; mended in v0.21.0",
        "upgrade: k8s.io/apimachinery v0.21.0 or later.",
        " 2 possible · growing-container\n   example.com/shop/orders.(*Desk).Add  allocated here, 12 objects",
    )
    at = [text.find(part) for part in parts]
    assert -1 not in at, text
    assert at == sorted(at)


def test_what_belongs_on_the_whole_page_is_not_here() -> None:
    text = render(rich(), look())
    assert not re.search(r"Looked at|Where the memory|Not checked|Risk|--- a/desk.go|per hour", text)
    assert len(text.splitlines()) < 40


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("columns", [40, 80, 120])
def test_lines_fit_the_terminal(columns: int, lang: str) -> None:
    assert max(columns_of(line) for line in render(rich(), look(columns, lang)).splitlines()) <= columns


def test_nothing_is_half_translated() -> None:
    text = render(rich(), look(lang="zh"))
    assert "存在泄漏" in text
    assert "怎么办" in text
    assert not re.search(r"goroutines|what to do|likely|mended", text)


@pytest.mark.parametrize("diagnosis", [empty(), replace(empty(), verdict="undecided")], ids=["healthy", "undecided"])
def test_without_a_finding_the_verdict_is_all(diagnosis: object) -> None:
    assert len(render(diagnosis, look()).splitlines()) == 1  # type: ignore[arg-type]


def test_hostile_names_do_not_drive_the_terminal() -> None:
    evil = "main.\x1b[2J\x07\u202eevil\nnext" + "x" * 100_000
    suspect = replace(leak().suspect, sites=(Site("blocked", Frame(evil, evil, 1), state=evil, count=3),))
    found = replace(leak(), suspect=suspect)
    text = render(replace(rich(), findings=(found, found)), look(80))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert len(text) < 30_000


def test_a_terminal_without_glyphs_gets_ascii() -> None:
    plain = render(rich(), look(80, glyphs=False))
    assert not set("→▁█▶◀·…") & set(plain)
