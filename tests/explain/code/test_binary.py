"""Of a tree with many programs: which packages the one that runs has."""

from oakum.explain.code.binary import of_program
from oakum.model import Frame, SourceText

TREE = {
    "cmd/one": 'package main\nimport "example.org/m/internal/one"\nfunc main() { one.Run() }',
    "cmd/two": 'package main\nimport (\n\t"log"\n\t"example.org/m/internal/two"\n)\nfunc main() { two.Run() }',
    "internal/one": 'package one\nimport "example.org/m/internal/base"\nfunc Run() { base.Do("example.org/m/internal/two") }',
    "internal/two": 'package two\nimport "example.org/m/internal/base"\nfunc Run() { base.Do() }',
    "internal/base": 'package base\nimport "example.org/m"\nfunc Do() { m.Deep() }',
    "internal/log": "package log\n",
    "": "package m\nfunc Deep() {}",
}


def name(folder: str) -> str:
    return f"/src/checkout/{folder}/x.go" if folder else "/src/checkout/x.go"


def kept(*frames: str) -> set[str]:
    packages = [(SourceText(name(one), name(one), text.encode()),) for one, text in TREE.items()]
    found = of_program(packages, [Frame(f"example.org/m/{one}.Run", name(one), 3) for one in frames])
    return {next(one for one in TREE if name(one) == files[0].name) for files in found}


def test_what_the_program_with_all_frames_imports() -> None:
    assert kept("internal/one") == {"cmd/one", "internal/one", "internal/base", ""}
    assert kept("internal/one", "internal/base") == {"cmd/one", "internal/one", "internal/base", ""}
    assert kept("cmd/two") == {"cmd/two", "internal/two", "internal/base", ""}


def test_what_several_programs_have_is_of_all() -> None:
    assert kept("internal/base") == set(TREE) - {"internal/log"}
    assert kept("internal/one", "internal/two") == set(TREE) - {"internal/log"}  # two processes


def test_without_frames_and_without_main() -> None:
    assert kept() == set(TREE)
    assert kept("internal/log") == {"internal/log"}
