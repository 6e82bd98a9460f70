"""The report as people read it: complete when piped, within the columns of any terminal, harmless whatever evidence says."""

import re
from typing import Any, cast

import pytest
from msgspec.structs import replace

from diagnoses import changed, empty, leak, rich
from oakum.cli.screen import columns_of, safe
from oakum.model import Cause, CauseSite, Diagnosis, Excerpt, Frame, Lead, Remedy, Site, Text
from oakum.report.page.compose import compose
from oakum.report.terminal import Look, brief
from oakum.report.terminal import render as written


def render(diagnosis: Diagnosis, look: Look) -> str:
    return written(compose(diagnosis, look.lang), look)


def look(columns: int | None = None, lang: str = "en", *, glyphs: bool = True, colours: bool = False) -> Look:
    def styled(text: str, *styles: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if colours and styles else text

    return Look(columns, lang, styled, safe, columns_of, glyphs)


def in_order(text: str, *parts: str) -> None:
    at = -1
    for part in parts:
        found = text.find(part, at + 1)
        assert found >= 0, f"{part!r} is missing, or comes too early, in\n{text}"
        at = found


def test_piped_it_is_complete() -> None:
    text = render(rich(), look())
    in_order(
        text,
        "LEAK  orders: 1,103 goroutines blocked on channel send in watch.(*StreamWatcher).receive",
        "orders: go1.26.8 · built from example.com/shop (devel) · 2 snapshots · 2026-03-01 12:00:00Z to 14:30:00Z · 1 snapshot "
        "of the baseline",
        "also stock",
        "3 → ? → 53 → 1,103   ▁ ▁█",
        "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive  /go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch/"
        "streamwatcher.go:127  chan send, 1,103 goroutines, orders",
        "Started before 12:00:00Z",
        "The receiver timed out",
        "kubernetes-98653  https://example.com/98653",
        "k8s.io/apimachinery v0.18.8 is affected; fixed in v0.21.0\n",
        "Restart orders before it runs out of memory",
        "upgrade: k8s.io/apimachinery v0.21.0 or later. Stop closes it.",
        "likely  1. Goroutines blocked on channel send, the receiver is gone",
        "heap in use in watch.(*StreamWatcher).receive, against the baseline",
        "1.0 MiB → 5.0 MiB",
        "Only one snapshot.",
        "case/after/goroutine.txt, goroutine 4711, line 120",
        "6 goroutines [sync.Mutex.Lock]; process orders",
        "→ waits for the same lock → watch.(*StreamWatcher).receive",
        "97% of all goroutines, 61% of the heap",
        "started here",
        "Measured rate: +41.2 per hour",
        "kubernetes-98653: A watch that was stopped keeps its goroutine\n",
        "Running k8s.io/apimachinery v0.18.8 (from the file paths).",
        "possible  2. A map, slice or cache only grows",
        "main.main  /srv/orders/main.go:9",
        "Delete entries when they are done",
        "Memory breakdown\n   orders\n",
        "200.0 MiB   39%",
        "RSS",
        "512.0 MiB",
        "limit reached in about 3 h 20 min",
        "Checked, harmless",
        "Not checked",
        "No heap profile captured. It shows",
        "$ curl -o heap.pb.gz",
        "case/after/goroutine.txt",
        "It is cut.",
        "$ oakum list --finding 1 --source /home/dev/orders case/before case/after\n",
    )
    assert text.count("Idle pool") == 8
    assert text.isprintable() or not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_on_a_terminal_what_is_folded_is_a_line_and_the_next_command_comes_last() -> None:
    text = render(rich(), look(100))
    lines = text.splitlines()
    assert lines[-1].split() == [
        "next",
        *"$ oakum list --finding 1 --source /home/dev/orders case/before case/after".split(),
    ]
    assert "Memory breakdown: orders: RSS 512.0 MiB, heap, live 200.0 MiB (39%), outside Go" in text
    assert "Inputs: 2 captures, 1 with problems." in lines
    assert "Idle pool" not in text
    assert len(lines) < 140


def test_nothing_to_tell() -> None:
    text = render(empty(), look(80))
    assert text.startswith("HEALTHY  No leak found in this evidence.\n")
    assert len(text.splitlines()) == 2


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("columns", [50, 60, 80, 120, 200])
def test_it_fits_the_terminal(columns: int, lang: str) -> None:
    text = render(rich(), look(columns, lang))
    wide = [line for line in text.splitlines() if columns_of(line) > columns and "$ " not in line]
    assert wide == [], "only commands are never wrapped: they are copied"
    assert "StreamWatcher" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("glyphs", [True, False])
def test_a_cause_fits_every_width(lang: str, glyphs: bool) -> None:
    for columns in range(50, 112, 3):
        for line in render(rich(), look(columns, lang, glyphs=glyphs)).splitlines():
            assert columns_of(line) <= columns or "$ " in line, columns


def test_the_cause_in_the_source() -> None:
    text = render(rich(), look(110))
    in_order(
        text,
        "root cause       The receiver timed out",
        "     /srv/orders/desk.go:41\n",
        "     40    func (d *Desk) Add(",
        "     41 ▶      answers := make(chan Answer)  ◀ created here\n",
        "     42        for _, supplier",
        "     50 ▶          return Answer{}, fmt.Errorf(",
        "d.patience, ErrTooSlow)\n",
        "                   ^ no receive on this path\n",
        "     /srv/orders/supplier.go:23\n",
        "     23 ▶      answers <- answer  ◀ sent here\n",
        "main.main  /srv/orders/main.go:9  started here, `go desk.Serve(ctx, listener, routes)`, orders",
        "main.run  of-a-later-version, stock",
        "Source read: /home/dev/orders/desk.go (checkout of",
        "   Fix\n",
        "     -    answers := make(chan Answer)\n     +    answers := make(chan Answer, len(d.suppliers))\n",
        "This draft compiles.",
        "Risk: They decide",
        "k8s.io/apimachinery v0.21.0 is the first release that changed",
        "+ what k8s.io/apimachinery v0.21.0 changed there",
        "$ oakum list --finding 1 --source /home/dev/orders case/before case/after",
    )
    assert text.count("created here") == 1, "a place in an excerpt is not told again"
    whole = render(rich(), look())
    assert whole.count("+        select {") == 20
    assert "d.patience, ErrTooSlow)  ◀ no receive on this path" in whole
    chinese = render(rich(), look(100, "zh"))
    assert "永远阻塞。它能" in chinese
    assert "◀ 在此创建" in chinese


def test_a_long_excerpt_is_shown_about_its_marks() -> None:
    excerpt = Excerpt("a.go", 101, tuple(f"line{at}" for at in range(101, 201)), {110: "made", 150: "key"})
    found = changed(leak(), cause=Cause((), (), (excerpt,)))
    text = render(replace(rich(), findings=(found,)), look(80))
    assert re.findall(r"line(\d+)", text) == [str(at) for at in (*range(108, 113), *range(148, 153))]


def test_excerpts_of_one_file_stand_together_and_show_who_stands_there() -> None:
    first = Excerpt("a.go", 10, ("\tc := make(chan int)", "\tgo f()"), {10: "made"})
    second = Excerpt("a.go", 11, ("\tgo f()", "\tc <- 1"), {})
    third = Excerpt("a.go", 30, ("\treturn",), {30: "left"})
    found = leak()
    sites = (Site("blocked", Frame("main.f", "a.go", 12), "chan send", 7), Site("created", Frame("main.g", "a.go", 11)))
    found = changed(found, cause=Cause((), (), (third, first, second)), suspect=replace(found.suspect, sites=sites))
    text = render(replace(rich(), findings=(found,)), look(80))
    assert (
        """\
     a.go:10
     10 ▶  c := make(chan int)  ◀ created here
     11 ▶  go f()               ◀ started here
     12 ▶  c <- 1               ◀ blocked here: 7 goroutines
      …
     30 ▶  return               ◀ returns here
"""
        in text
    )


def test_a_draft_that_was_not_compiled_says_so() -> None:
    draft = replace(leak().remedies[1], compiled=None)
    text = render(replace(rich(), findings=(changed(leak(), remedies=(draft,)),)), look())
    assert "This draft was not compiled" in text


def test_evidence_that_cannot_be_read_twice_gets_no_command() -> None:
    assert "oakum list" not in render(replace(rich(), called=("-",)), look(80))
    assert "oakum list" not in render(replace(rich(), called=()), look(80))


def test_colours_take_no_columns() -> None:
    plain, coloured = render(rich(), look(80)), render(rich(), look(80, colours=True))
    assert coloured != plain
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain


def test_chinese_lines_do_not_begin_with_a_comma() -> None:
    for columns in range(50, 100):
        for line in render(rich(), look(columns, "zh")).splitlines():
            assert not line.strip().startswith(("，", "。", "；", "）", "、")), line


def test_a_terminal_without_such_characters() -> None:
    text = render(rich(), look(80, glyphs=False))
    assert re.sub("[\u4e00-\u9fff]", "", text).isascii(), "all but what stands in the source itself"
    assert "41 >      answers := make(chan Answer)  <-- created here" in text


def hostile(name: str) -> Diagnosis:
    found = leak()
    suspect = replace(found.suspect, sites=(Site("blocked", Frame(name, name, 1), name, 1),), victims=())
    excerpt = Excerpt(name, 7, (name, name, f"\t{name}"), {7: cast(Any, name), 9: "made"})
    cause = Cause((), (CauseSite(cast(Any, name), Frame(name, name, 1), name),), (excerpt,), (name,))
    lead = Lead(name, name, name, (name,), f"@@\n+{name}\n {name}\n{name}")
    found = changed(found, cause=cause, leads=(lead,), remedies=(Remedy("patch", Text("gap.heap"), f"-{name}"),))
    inputs = tuple(replace(row, origin=name) for row in rich().inputs)
    return replace(rich(), findings=(replace(found, suspect=suspect, commands=(name,)),), inputs=inputs)


@pytest.mark.parametrize("columns", [None, 80])
def test_evidence_cannot_drive_the_terminal(columns: int | None) -> None:
    text = render(hostile("a\x1b]0;owned\x07\x1b[2J\u202e/b\r\nLEAK"), look(columns))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
    assert not any(line.startswith("LEAK  ") for line in text.splitlines()[1:])


def test_a_name_without_end_is_cut() -> None:
    assert len(render(hostile("a/" * 500_000), look(80))) < 70_000
    found = changed(leak(), mechanism=cast(Any, "m" * 1_000_000), known=(replace(leak().known[0], id="k" * 1_000_000),))
    assert len(render(replace(rich(), findings=(found,)), look(80))) < 70_000


def test_many_possible_findings_are_brief_beside_a_sure_one() -> None:
    doubtful = replace(leak(), confidence="possible", rank=2)
    many = replace(rich(), findings=(leak(), *[doubtful] * 20))
    assert render(many, look(80)).count("   Fix\n") == 5
    assert render(many, look()).count("   Fix\n") == 21
    assert render(many, look(80)).count("possible  2. ") == 20


def test_claims_that_are_alike_are_told_three_times() -> None:
    found = leak()
    claims = (found.suspect.evidence[0],) * 5
    many = replace(rich(), findings=(replace(found, suspect=replace(found.suspect, evidence=claims)),))
    assert render(many, look(80)).count("Only one snapshot.") == 3
    assert "and 2 more" in render(many, look(80))


def test_the_brief_page_is_the_answer_and_the_other_findings_in_a_line() -> None:
    text = brief(compose(rich(), "en"), look(100))
    in_order(
        text, "LEAK  orders", "3 → ? → 53 → 1,103", "where", "root cause", "known bug", "mitigation", "permanent fix"
    )
    in_order(text, "possible  2. A map, slice or cache only grows", "orders.(*Desk).Add", "next  ")
    assert not re.search(r"Looked at|Where the memory|Not checked|--- a/desk.go", text)
    assert len(text.splitlines()) < 40
    assert len(brief(compose(empty(), "en"), look(80)).splitlines()) == 2
