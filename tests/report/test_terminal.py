"""The report as people read it: complete when piped, within the columns of any terminal, harmless whatever evidence says."""

import re
from dataclasses import replace

import pytest

from diagnoses import HANDLER, empty, leak, rich
from oakum.cli.screen import columns_of, safe
from oakum.model import Cause, CauseSite, Diagnosis, Excerpt, Frame, Lead, Remedy, Site, Text
from oakum.report.terminal import Look, render


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
        "LEAKING  orders leaks: 1,103 goroutines at watch.(*StreamWatcher).receive that wait to send on a channel",
        "orders (p1) · go1.26.8 · 2 moments · 2026-03-01 12:00:00 - 14:30:00Z · 1 moment of a healthy twin",
        " 1 likely · abandoned-sender",
        "nobody receives from any more",
        "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive  /go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch/"
        "streamwatcher.go:127  chan send, 1,103 goroutines [orders]",
        "started here",
        "kubernetes-98653: A watch that was stopped keeps its goroutine\n",
        "k8s.io/apimachinery v0.18.8 has it; mended in v0.21.0\n",
        "k8s.io/apimachinery v0.18.8 runs, as the paths of its files say.",
        "goroutines  3 → ? → 53 → 1,103   ▁ ▁█   +41.2 per hour   1 per POST /x (0.98 to 1.02)",
        "heap in use  1.0 MiB → 5.0 MiB",
        "against the healthy twin",
        "97% of all goroutines, 61% of the heap",
        "There is only one moment.",
        "case/after/goroutine.txt, goroutine 4711, line 120",
        "sync.Mutex.Lock, 6 goroutines, waits for the same lock",
        "sync.Mutex.Lock, 1 goroutine, waits for the same lock",
        "upgrade: k8s.io/apimachinery v0.21.0 or later. Stop closes it.",
        "$ oakum goroutines --stacks after/goroutine.txt",
        " 2 possible · growing-container",
        "main.main  /srv/orders/main.go:9",
        "Delete entries when they are done",
        "Looked at and found harmless",
        "Where the memory is · orders",
        "resident (RSS)",
        "512.0 MiB",
        "200.0 MiB   39%",
        "limit reached in about 3 h 20 min",
        "Not checked",
        "No heap profile was captured. It names",
        "$ curl -o heap.pb.gz",
        "Read: 2 captures; 1 not used or with problems",
    )
    assert text.count("idle-pool") == 8
    assert text.isprintable() or not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_nothing_to_tell() -> None:
    text = render(empty(), look(80))
    assert text.startswith("HEALTHY  No leak was found in this evidence.\n")
    assert len(text.splitlines()) == 2


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("columns", [50, 60, 80, 120, 200])
def test_it_fits_the_terminal(columns: int, lang: str) -> None:
    text = render(rich(), look(columns, lang))
    wide = [line for line in text.splitlines() if columns_of(line) > columns and "$ " not in line]
    assert wide == [], "only commands are never wrapped: they are copied"
    assert "StreamWatcher" in text
    assert "另有 2 处" in text if lang == "zh" else "and 2 more" in text


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
        "   cause       The receiver has gone",
        "     /srv/orders/desk.go:41\n",
        "     40    func (d *Desk) Add(",
        "     41 ▶      answers := make(chan Answer)  ◀ made here\n",
        "     42        for _, supplier",
        "     50 ▶          return Answer{}, fmt.Errorf(",
        "d.patience, ErrTooSlow)\n",
        "                   ^ not received on this way\n",
        "     /srv/orders/supplier.go:23\n",
        "     23 ▶      answers <- answer  ◀ sent here\n",
        "started here        /srv/orders/main.go:9  [orders]  go desk.Serve(ctx, listener, routes)",
        "of-a-later-version  main.run  [stock]",
        "Source read: /home/dev/orders/desk.go (checkout of",
        "what to do",
        "     -    answers := make(chan Answer)\n     +    answers := make(chan Answer, len(d.suppliers))\n",
        "This draft was compiled with Go.",
        "Risk: They tell",
        "k8s.io/apimachinery v0.21.0 is the first release that changed",
        "watch.(*StreamWatcher).receive (running v0.18.8). Whether that mends it is not known.",
        "... and 17 lines more",
        "$ oakum list --finding 1 --source /home/dev/orders case/before case/after",
        "   next        $ oakum list --finding 1",
    )
    assert text.count("made here") == 1, "a place in an excerpt is not told again"
    whole = render(rich(), look())
    assert whole.count("+        select {") == 20
    assert "d.patience, ErrTooSlow)  ◀ not received on this way" in whole
    chinese = render(rich(), look(100, "zh"))
    assert "永远阻塞。它能" in chinese
    assert "◀ 在此创建" in chinese


def test_a_long_excerpt_is_shown_about_its_marks() -> None:
    excerpt = Excerpt("a.go", 101, tuple(f"line{at}" for at in range(101, 201)), {110: "made", 150: "key"})
    found = replace(leak(), cause=Cause((), (), (excerpt,)))
    text = render(replace(rich(), findings=(found,)), look(80))
    assert re.findall(r"line(\d+)", text) == [str(at) for at in (*range(108, 113), *range(148, 153))]
    assert render(replace(rich(), findings=(found,)), look()).count("line1") >= 99


def test_excerpts_of_one_file_stand_together_and_show_who_stands_there() -> None:
    first = Excerpt("a.go", 10, ("\tc := make(chan int)", "\tgo f()"), {10: "made"})
    second = Excerpt("a.go", 11, ("\tgo f()", "\tc <- 1"), {})
    third = Excerpt("a.go", 30, ("\treturn",), {30: "left"})
    found = leak()
    sites = (Site("blocked", Frame("main.f", "a.go", 12), "chan send", 7), Site("created", Frame("main.g", "a.go", 11)))
    found = replace(found, cause=Cause((), (), (third, first, second)), suspect=replace(found.suspect, sites=sites))
    text = render(replace(rich(), findings=(found,)), look(80))
    assert (
        """\
     a.go:10
     10 ▶  c := make(chan int)  ◀ made here
     11 ▶  go f()               ◀ started here
     12 ▶  c <- 1               ◀ stands here: 7 goroutines
      …
     30 ▶  return               ◀ left here
"""
        in text
    )


def test_a_draft_that_was_not_compiled_says_so() -> None:
    draft = replace(leak().remedies[1], compiled=None)
    text = render(replace(rich(), findings=(replace(leak(), remedies=(draft,)),)), look())
    assert "This draft was not compiled here" in text


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
    assert "41 >      answers := make(chan Answer)  <-- made here" in text


def hostile(name: str) -> Diagnosis:
    found = leak()
    suspect = replace(found.suspect, sites=(Site("blocked", Frame(name, name, 1), name, 1),), victims=())
    excerpt = Excerpt(name, 7, (name, name, f"\t{name}"), {7: name, 9: "made"})
    cause = Cause((), (CauseSite(name, Frame(name, name, 1), name),), (excerpt,), (name,))
    lead = Lead(name, name, name, (name,), f"@@\n+{name}\n {name}\n{name}")
    found = replace(found, cause=cause, leads=(lead,), remedies=(Remedy("patch", Text("gap.heap"), f"-{name}"),))
    inputs = tuple(replace(row, origin=name) for row in rich().inputs)
    return replace(rich(), findings=(replace(found, suspect=suspect, commands=(name,)),), inputs=inputs)


@pytest.mark.parametrize("columns", [None, 80])
def test_evidence_cannot_drive_the_terminal(columns: int | None) -> None:
    text = render(hostile("a\x1b]0;owned\x07\x1b[2J\u202e/b\r\nLEAKING"), look(columns))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
    assert not any(line.startswith("LEAKING  ") for line in text.splitlines()[1:])


def test_a_name_without_end_is_cut() -> None:
    assert len(render(hostile("a/" * 500_000), look(80))) < 70_000
    found = replace(leak(), mechanism="m" * 1_000_000, known=(replace(leak().known[0], id="k" * 1_000_000),))
    assert len(render(replace(rich(), findings=(found,)), look(80))) < 70_000


def test_many_possible_findings_are_brief_beside_a_sure_one() -> None:
    doubtful = replace(leak(), confidence="possible", rank=2)
    many = replace(rich(), findings=(leak(), *[doubtful] * 20))
    assert render(many, look(80)).count("what to do") == 5
    assert render(many, look()).count("what to do") == 21
    assert HANDLER.function in render(many, look(80))


def test_claims_that_are_alike_are_told_twice() -> None:
    found = leak()
    claims = (found.suspect.evidence[0],) * 5
    many = replace(rich(), findings=(replace(found, suspect=replace(found.suspect, evidence=claims)),))
    assert render(many, look(80)).count("There is only one moment.") == 2
    assert "and 3 more" in render(many, look(80))
    assert render(many, look()).count("There is only one moment.") == 5
