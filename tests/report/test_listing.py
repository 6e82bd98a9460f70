"""The source of a finding: whole functions, marks, who stands where, and what is said when the source is another."""

from typing import Any

import pytest
from msgspec.structs import replace

from diagnoses import HANDLER, changed, heap_leak, leak
from oakum.cli.screen import columns_of, safe
from oakum.model import Cause, CauseSite, Finding, Frame, Site, SourceNotFound, SourceText, Text
from oakum.report.listing import Listed, document, lines, listing
from oakum.report.pen import Look
from oakum.report.terminal import BlockPen
from oakum.report.words import say

DESK = """package orders

import "time"

var (
	patience = time.Second
)

// Add asks every supplier.
// The first answer wins.
func (d *Desk) Add(
	order Order,
) (Answer, error) {
	answers := make(chan Answer)
	for _, supplier := range d.suppliers {
		go func() {
			answers <- supplier.ask(order)
		}()
	}
	const help = `
func in a string is no function
`
	select {
	case answer := <-answers:
		return answer, nil
	case <-time.After(patience):
		return Answer{}, ErrTooSlow
	}
}

var seen = make(map[string]int)

func (d *Desk) Close() {
}
"""
FUNCTION, FILE = "example.com/shop/orders.(*Desk).Add.func1", "/srv/orders/desk.go"


def source_of(text: str = DESK, file: str = FILE):  # type: ignore[no-untyped-def]  # a function of the model's protocol
    def find(frame: Frame) -> SourceText:
        if frame.file != file:
            raise SourceNotFound(Text("source.of", {"name": frame.file, "why": Text("source.gone")}))
        return SourceText("/home/dev/desk.go", frame.file, text.encode(), "checkout of example.com/shop", "")

    return find


def finding(*causes: tuple[Any, int, str], blocked: int = 17) -> Finding:
    sites = tuple(CauseSite(role, Frame(FUNCTION, FILE, line), code) for role, line, code in causes)
    standing = (Site("blocked", Frame(FUNCTION, FILE, blocked), "chan send", 1103),)
    found = leak()
    suspect = replace(found.suspect, sites=standing, victims=())
    return changed(found, suspect=suspect, cause=Cause((), sites) if causes else None, remedies=(), leads=())


def numbers(files: tuple[Listed, ...]) -> list[int | None]:
    return [line.number if line else None for one in files for line in one.lines]


def shown(found: Finding, files: tuple[Listed, ...], columns: int | None = None, lang: str = "en") -> str:
    pen = BlockPen(Look(columns, lang, lambda text, *_: text, safe, columns_of), margin=2, whole=True)
    return "\n".join(lines(pen, found, files))


def test_whole_functions_with_marks_and_counts() -> None:
    found = finding(("made", 14, "answers := make(chan Answer)"), ("never-received", 27, "return Answer{}, ErrTooSlow"))
    files, missing = listing(found, source_of())
    assert missing == ()
    assert numbers(files) == [*range(9, 30)], "from its comment to its end, whatever stands in a string"
    text = shown(found, files)
    assert "     /srv/orders/desk.go:14\n     /home/dev/desk.go (checkout of example.com/shop)\n" in text
    assert "             9    // Add asks every supplier.\n" in text
    assert "            14 ▶      answers := make(chan Answer)            ◀ created here\n" in text
    assert "     1,103  17 ▶              answers <- supplier.ask(order)  ◀ blocked here (chan send)\n" in text
    assert "27 ▶          return Answer{}, ErrTooSlow         ◀ no receive on this path\n" in text
    assert "◀ 阻塞在此（chan send）" in shown(found, files, lang="zh")
    remarked = (
        replace(files[0], remarks=("a.go (as the profile names it)", "this file is of v2, the profile names v1")),
    )
    assert "a.go（按 profile 中的路径）" in shown(found, remarked, lang="zh")
    assert "此文件属于 v2，而 profile 中为 v1" in shown(found, remarked, lang="zh")


def test_declarations_beside_functions() -> None:
    assert numbers(listing(finding(("stored", 31, "")), source_of())[0]) == [*range(9, 30), None, 31]
    assert numbers(listing(finding(("key", 6, "")), source_of())[0]) == [5, 6, 7, None, *range(9, 30)]
    assert numbers(listing(finding(blocked=31), source_of())[0]) == [31]


def test_context_and_long_functions() -> None:
    assert numbers(listing(finding(("made", 14, "")), source_of(), 1)[0]) == [13, 14, 15, 16, 17, 18]
    long = "package p\n\nfunc Add() {\n" + "\tg()\n" * 400 + "}\n"
    assert numbers(listing(finding(blocked=200), source_of(long))[0]) == [3, None, *range(192, 209)]


@pytest.mark.parametrize("odd", ["", "}\n", "func\n" * 40, ")(\n" * 30 + "func (\n", "\x00\xff\n" * 20])
def test_any_text_is_shown(odd: str) -> None:
    found = finding(("made", 3, ""), ("made", 10, ""), blocked=12)
    files, _ = listing(found, source_of(odd))
    assert shown(found, files, 60)


@pytest.mark.parametrize(
    "found",
    [
        finding(("made", 14, "answers := make(chan Answer, 1)")),
        finding(("left", 9_999, "")),
        finding(blocked=33),  # in another function
    ],
)
def test_another_version_is_not_shown(found: Finding) -> None:
    files, (error,) = listing(found, source_of())
    assert files == ()
    assert "the source /home/dev/desk.go is not that of the running version: line " in say(error.text)
    assert "源码 /home/dev/desk.go 不是正在运行的版本：第 " in say(error.text, "zh")


def test_a_variables_function_has_no_declaration() -> None:
    assert listing(finding(blocked=31), source_of())[0]


def test_without_source_the_excerpts_are_shown() -> None:
    found = leak()
    files, missing = listing(found, source_of(file="elsewhere"))
    assert [one.file for one in files] == [HANDLER.file, "/srv/orders/supplier.go"]
    assert [say(error.text) for error in missing][:1] == ["/srv/orders/main.go: gone"]
    text = shown(found, files, 80)
    assert "41 ▶      answers := make(chan Answer)  ◀ created here" in text
    assert text.count("+        select {") == 20, "diffs are whole"
    assert "6      42" not in text
    for columns in range(50, 112, 3):
        for lang in ("en", "zh"):
            assert all(columns_of(line) <= columns for line in shown(found, files, columns, lang).splitlines()), columns
    assert listing(heap_leak(), source_of(file="elsewhere"))[0] == ()


def test_json() -> None:
    found = finding(("made", 14, "answers := make(chan Answer)"))
    told = document(found, listing(found, source_of())[0])
    assert told["finding"] == {"id": "a1b2c3", "rank": 1, "mechanism": "abandoned-sender"}
    by_line = {line["line"]: line for line in told["files"][0]["lines"]}
    assert by_line[14] == {"line": 14, "text": "\tanswers := make(chan Answer)", "roles": ["made"], "goroutines": None}
    assert (by_line[17]["roles"], by_line[17]["goroutines"]) == (["blocked"], 1103)
