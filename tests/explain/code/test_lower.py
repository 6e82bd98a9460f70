"""Flow of control and operations of one function, read from its syntax."""

import random

import pytest

from go_scenes import read
from oakum.explain.code.nouns import Func, Op
from oakum.explain.code.package import Package
from oakum.explain.code.paths import leaves_without
from oakum.model import SourceText


def body(code: str) -> Func:
    package, _ = read(f"package main\n\nfunc f(a, b chan int, n int) (x int, err error) {{\n{code}\n}}\n")
    return package.read(package.funcs["", "f"])


def ways_out(code: str, without: str = "-") -> list[int]:
    """Return the lines (of the code) where the function is left without passing a line that holds `without`."""
    func = body(code)
    assert func.entry is not None
    lines = [number for number, line in enumerate(func.file.lines, 1) if without in line]
    found = leaves_without([func.entry], lambda step: step.kind != "entry" and step.line in lines)
    return sorted(leave.step.line - 3 for leave in found)


WAYS = {
    "an if": ("if n > 0 {\n<-a\n}\nreturn", [4]),
    "both branches": ("if n > 0 {\n<-a\n} else {\n<-a\n}\nreturn", []),
    "an else if": ("if n > 0 {\n<-a\n} else if n < 0 {\nreturn\n}\n<-a\nreturn", [4]),
    "a switch without default": ("switch n {\ncase 1:\n<-a\ncase 2:\n<-a\n}\nreturn", [7]),
    "a switch with default": ("switch n {\ncase 1:\n<-a\ndefault:\n<-a\n}\nreturn", []),
    "fallthrough": ("switch n {\ncase 1:\nfallthrough\ncase 2:\n<-a\ndefault:\n<-a\n}\nreturn", []),
    "a type switch": ("switch v := any(n).(type) {\ncase int:\n_ = v\nreturn\ndefault:\n<-a\n}\nreturn", [4]),
    "a select": ("select {\ncase <-a:\ncase <-b:\nreturn\n}\nreturn", [4]),
    "an endless loop": ("for {\n<-a\n}", []),
    "break out of a loop": ("for {\nif n > 0 {\nbreak\n}\n<-a\n}\nreturn", [7]),
    "break of a select only": ("for {\nselect {\ncase <-b:\nbreak\n}\n<-a\n}", []),
    "a labelled break": ("loop:\nfor {\nselect {\ncase <-b:\nbreak loop\n}\n<-a\n}\nreturn", [9]),
    "continue": ("for i := 0; i < n; i++ {\nif i == 1 {\ncontinue\n}\n<-a\n}\nreturn", [7]),
    "goto": ("if n > 0 {\ngoto end\n}\n<-a\nend:\nreturn", [6]),
    "panic": ("if n > 0 {\npanic(n)\n}\n<-a\nreturn", [2]),
    "the process ends": ("if n > 0 {\nos.Exit(1)\n}\n<-a\nreturn", []),
    "a deferred receive": ("defer func() { <-a }()\nif n > 0 {\nreturn\n}\nreturn", []),
    "a block": ("{\nif n > 0 {\nreturn\n}\n}\n<-a\nreturn", [3]),
    "select without cases": ("select {}\nreturn", []),
}


@pytest.mark.parametrize("name", WAYS)
def test_ways_through_a_function(name: str) -> None:
    code, lines = WAYS[name]
    assert ways_out(code, "<-a") == lines


def test_the_end_of_a_function_is_an_exit() -> None:
    package, _ = read("package main\n\nfunc f() {\n\tg()\n}\n")
    func = package.read(package.funcs["", "f"])
    assert [(step.kind, step.line) for step in func.leaves] == [("end", 5)]


def kinds(code: str) -> list[str]:
    return [op.kind for op in body(code).everything() if op.kind not in ("assign", "return", "literal")]


OPERATIONS = {
    "a <- 1": ["send"],
    "x = <-a": ["receive"],
    "for v := range a {\n_ = v\n}": ["range"],
    "close(a)": ["close"],
    "c := make(chan int)\n_ = c": ["make"],
    "c := make([]int, 3)\n_ = c": [],
    "go g(<-a)": ["receive", "call", "go"],
    "defer close(a)": ["close", "defer"],
    "go func() { a <- 1 }()": ["call", "go", "send"],
    "m := map[int]int{}\ndelete(m, 1)": ["composite", "delete"],
    "close := g\nclose(a)": ["call"],
}


@pytest.mark.parametrize("code", OPERATIONS)
def test_operations(code: str) -> None:
    assert kinds(code) == OPERATIONS[code]


def test_operations_of_a_select_know_it() -> None:
    ops = [op for op in body("select {\ncase a <- 1:\ncase v := <-b:\n_ = v\n}\n<-a").ops if op.kind != "assign"]
    assert [(op.kind, op.select is not None) for op in ops] == [("send", True), ("receive", True), ("receive", False)]


def test_names_mean_the_variable_in_scope() -> None:
    func = body("x = 1\nif n > 0 {\nx := 2\n_ = x\n}\nx = 3")
    stores = [op for op in func.ops if op.kind == "assign" and op.target is not None and op.target.text == b"x"]
    vars_ = [func.package.var(op.target, func.file) for op in stores if op.target is not None]
    assert vars_[0] is vars_[2] is not vars_[1]


def test_literals_are_numbered_as_go_does() -> None:
    func = body("f := func() { go func() {}() }\nf()\ndefer func() {}()")
    names = [literal.full for literal in func.literals]
    assert names == ["main.f.func1", "main.f.func2"]
    assert [inner.full for inner in func.literals[0].literals] == ["main.f.func1.1"]


HOSTILE = {
    "empty": b"",
    "no Go": b"\x00\xff\xfe<html>",
    "half a function": b"package main\nfunc f(a chan int) { select { case <-a: for {",
    "parentheses": b"package main\nfunc f() { x := " + b"(" * 20_000 + b"1" + b")" * 20_000 + b" }",
    "blocks": b"package main\nfunc f() " + b"{" * 5_000 + b"}" * 5_000,
    "else if": b"package main\nfunc f(n int) { if n == 0 {} " + b"else if n == 1 {} " * 5_000 + b"}",
    "literals": b"package main\nvar x = " + b"func() any { return " * 800 + b"1" + b" }" * 800,
    "types": b"package main\ntype T " + b"[]" * 20_000 + b"int\nfunc (t T) f() { t[0] = nil }",
    "defined by itself": b"package main\ntype A B\ntype B A\nvar x = y\nvar y = x\nfunc f(a A) { a.m <- x; y.z() }",
    "embeds itself": b"package main\ntype A struct { B }\ntype B struct { A }\nfunc (a A) f() { a.nothing.Lock(); a.g() }",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_source_that_means_to_hurt(name: str) -> None:
    package = Package("main", (SourceText("a.go", "a.go", HOSTILE[name]),))
    assert isinstance(package.all, list)
    from oakum.explain.code.flows import Flows

    Flows(package)


def test_source_cut_and_shuffled_anywhere() -> None:
    text = (
        b"package main\n\nfunc f(a chan int) error {\n\tb := make(chan int)\n\tgo func() { b <- <-a }()\n\tselect {\n"
        b"\tcase v := <-b:\n\t\treturn g(v)\n\tdefault:\n\t}\n\tfor i := range 3 {\n\t\tdefer close(a)\n\t}\n\treturn nil\n}\n"
    )
    chance = random.Random(7)
    for cut in range(0, len(text), 3):
        pieces = [text[:cut], text[cut:], bytes(chance.sample(text, len(text)))]
        for data in pieces:
            ops: list[Op] = [op for func in Package("main", (SourceText("a.go", "a.go", data),)).all for op in func.ops]
            assert all(op.line >= 1 for op in ops)
