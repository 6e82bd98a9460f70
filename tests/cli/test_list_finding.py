"""oakum list --finding as users call it: from evidence, from a saved diagnosis, and what is said when it cannot be."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from chinese import english_in
from diagnoses import DRAFT, empty, rich
from oakum.report.json import document
from support import Answer

Call = Callable[..., Answer]
SOURCE = """package main

func ask(answers chan int) {
	answers <- 1
}

func quote() int {
	answers := make(chan int)
	for i := 0; i < 3; i++ {
		go ask(answers)
	}
	return <-answers
}
"""


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """Return a dump of forty goroutines that wait to send; its source lies in `src` beside it."""
    place = tmp_path / "src"
    place.mkdir()
    (place / "main.go").write_text(SOURCE)
    (place / "go.mod").write_text("module example.com/quotes\n")
    stack = "main.ask(0xc000012345)\n\t/build/quotes/main.go:4 +0x25\ncreated by main.quote in goroutine 1\n\t/build/quotes/main.go:10 +0x65\n"
    file = tmp_path / "dump.txt"
    file.write_text("\n".join(f"goroutine {at} [chan send, 14 minutes]:\n{stack}" for at in range(20, 60)))
    return file


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    file = tmp_path / "diagnosis.txt"  # known by what it is, not by its name
    file.write_text(json.dumps(document(rich())))
    return file


def test_from_evidence(oakum: Call, dump: Path) -> None:
    answer = oakum("list", "--finding", "1", "--source", dump.parent / "src", dump)
    assert (answer.code, answer.err) == (0, "")
    assert "     /build/quotes/main.go:4\n" in answer.out
    assert "     40   4 ▶      answers <- 1" in answer.out
    assert "         10 ▶          go ask(answers)" in answer.out
    assert "         12 " in answer.out, "whole functions"
    told = json.loads(oakum("list", "-finding=1", "--json", "-source_path", dump.parent / "src", dump).out)
    assert told["files"][0]["source"] == str(dump.parent / "src" / "main.go")
    brief = oakum("list", "--finding", told["finding"]["id"], "--context", "0", "--source", dump.parent / "src", dump)
    assert "func ask" not in brief.out
    assert "answers <- 1" in brief.out


def test_without_go_what_is_here_is_still_shown(oakum: Call, dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    answer = oakum("list", "--finding", "1", "--fetch-source", "--source", dump.parent / "src", dump)
    assert answer.code == 0, "nothing has to be fetched"
    assert "answers <- 1" in answer.out


def test_from_a_saved_diagnosis(oakum: Call, saved: Path) -> None:
    answer = oakum("list", "--finding", "a1b2c3", saved)
    assert answer.code == 0
    assert "41 ▶      answers := make(chan Answer)" in answer.out
    assert "/srv/orders/main.go was not found.\n" in answer.err
    assert "◀ 在此创建" in oakum("list", "--finding", "1", "--lang", "zh", saved).out


def test_the_draft_alone(oakum: Call, saved: Path, tmp_path: Path) -> None:
    assert oakum("list", "--finding", "1", "--diff", saved).out == DRAFT
    oakum("list", "--finding", "1", "--diff", "-o", tmp_path / "fix.patch", saved)
    assert (tmp_path / "fix.patch").read_text() == DRAFT
    answer = oakum("list", "--finding", "2", "--diff", saved)
    assert answer.code == 2
    assert "its source was not read, so no fix was drafted" in answer.err


def test_what_is_said_when_it_cannot_be(oakum: Call, saved: Path, dump: Path, tmp_path: Path) -> None:
    answer = oakum("list", "--finding", "7", saved)
    assert answer.code == 2
    assert "available: 1 (abandoned-sender, a1b2c3), 2 (growing-container, d4e5f6)" in answer.err
    healthy = tmp_path / "healthy.json"
    healthy.write_text(json.dumps(document(empty())))
    assert "this evidence has no findings" in oakum("list", "--finding", "1", healthy).err
    nowhere = oakum("list", "--finding", "1", dump)
    assert nowhere.code == 4
    assert "no source was found; --source DIR names a checkout" in nowhere.err
    assert "/build/quotes/main.go" in nowhere.err
    nowhere = oakum("list", "--finding", "1", dump, "--lang", "zh")
    assert "未找到源码；请用 --source DIR 指定程序的代码目录" in nowhere.err
    assert "依次查找了以下位置：" in nowhere.err
    assert english_in(nowhere.err) == []
    assert "has its evidence already" in oakum("list", "--finding", "1", saved, dump).err
    assert "-focus cannot be combined with --finding" in oakum("list", "--finding", "1", "-focus", "x", dump).err
    assert "--diff needs --finding" in oakum("list", "main", "--diff", dump).err
    assert "no such directory" in oakum("list", "--finding", "1", "--source", tmp_path / "none", dump).err
    assert "Missing argument" in oakum("list", "main.ask").err
    assert "Missing argument" in oakum("list", "--finding", "1").err
    assert "is one of the inputs" in oakum("list", "--finding", "1", "-o", saved, saved).err


@pytest.mark.parametrize(
    "text", ["{", '{"schema": "oakum.diagnosis/1"}', '{"schema": "oakum.diagnosis/7"}', "[" * 9999, "{" * 9999]
)
def test_a_broken_diagnosis(oakum: Call, tmp_path: Path, text: str) -> None:
    file = tmp_path / "diagnosis.json"
    file.write_text(text)
    answer = oakum("list", "--finding", "1", file)
    assert answer.code == 4
    assert "internal error" not in answer.err


def test_sources_of_views_too(oakum: Call, dump: Path) -> None:
    assert "answers <- 1" in oakum("list", "main.ask", "--source", dump.parent / "src", dump).out
