"""Frames in their source: only when that is the source that runs."""

import pytest

from go_scenes import Texts
from oakum.explain.code.program import Program, calls, does, starts
from oakum.model import Frame

SOURCE = """package main

func (d *Desk) Quote(lane string) {
	offers := make(chan int)
	go func() {
		offers <- 1
	}()
	select {
	case <-offers:
	}
	d.note(
		lane,
	)
}

func (d *Desk) note(lane string) {}
"""
FILE = "/srv/main/code.go"


def program() -> Program:
    return Program(Texts({"main": SOURCE}))


@pytest.mark.parametrize(
    ("function", "line", "agrees", "name"),
    [
        ("main.(*Desk).Quote.func1", 6, does("chan send"), "Quote.func1"),
        ("main.(*Desk).Quote", 5, starts, "Quote"),
        ("main.(*Desk).Quote", 8, does("select"), "Quote"),
        ("main.(*Desk).Quote", 12, calls, "Quote"),  # a call over several lines
        ("main.main.(*Desk).Quote.func2", 6, does("chan send"), "Quote.func1"),  # inlined into main
    ],
)
def test_a_frame_is_found(function: str, line: int, agrees: object, name: str) -> None:
    read = program()
    spot = read.spot(Frame(function, FILE, line), agrees)  # type: ignore[arg-type]
    assert spot is not None
    assert spot.func.name == name
    assert not read.drift


@pytest.mark.parametrize(
    ("function", "line", "agrees"),
    [
        ("main.(*Desk).Quote.func1", 6, does("chan receive")),  # another operation
        ("main.(*Desk).Quote.func1", 7, does("chan send")),  # the next line
        ("main.(*Desk).Ask", 8, does("select")),  # another function
        ("main.(*Counter).Quote", 8, does("select")),  # of another type
        ("main.(*Desk).Quote", 4, calls),
        ("main.(*Desk).Quote", 400, calls),
    ],
)
def test_another_version_is_told_and_not_read(function: str, line: int, agrees: object) -> None:
    read = program()
    assert read.spot(Frame(function, FILE, line), agrees) is None  # type: ignore[arg-type]
    assert read.drift == {function: f"{FILE}:{line}"}


def test_missing_source_is_told() -> None:
    read = program()
    assert read.spot(Frame("other.F", "/srv/other/other.go", 3)) is None
    assert list(read.missing) == ["/srv/other/other.go"]
    assert read.spot(Frame("main.F", "", 0)) is None


def test_a_literal_of_a_function_that_another_package_inlined_stands_in_its_own_package() -> None:
    named, inlined = Frame("example.org/ws.(*Desk).note", FILE, 16), Frame("main.main.Quote.func2", FILE, 6)
    read = Program(Texts({"main": SOURCE, "example.org/ws": SOURCE}), (named, inlined))
    assert read.package(inlined) is read.package(named)
