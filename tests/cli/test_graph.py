"""oakum graph as users call it: DOT always, pictures through Graphviz, and what is said where it is missing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from oakum.cli import graph
from support import Answer, need_tool

Call = Callable[..., Answer]


def program(folder: Path, text: str) -> Path:
    """Write a stand-in for Graphviz and return its folder."""
    folder.mkdir()
    (folder / "dot").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "dot").chmod(0o755)
    return folder


def test_dot_goes_to_stdout_or_a_file(oakum: Call, heap: Path, tmp_path: Path) -> None:
    answer = oakum("graph", heap)
    assert answer.code == 0
    assert answer.out.startswith("digraph ")
    assert 'label="app\\nserve\\n1024B (64.00%)\\nof 1536B (96.00%)"' in answer.out
    assert oakum("graph", heap, "-o", tmp_path / "x.dot").code == 0
    assert (tmp_path / "x.dot").read_text() == answer.out


def test_graphviz_draws_svg_and_png(oakum: Call, heap: Path, tmp_path: Path) -> None:
    need_tool("dot", "graphviz")
    assert oakum("graph", heap, "-o", tmp_path / "x.svg").code == 0
    svg = (tmp_path / "x.svg").read_text()
    assert "<svg" in svg
    assert "1536B" in svg
    assert oakum("graph", heap, "-o", tmp_path / "x.png").code == 0
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert oakum("graph", heap, "-o", tmp_path / "x.png").code == 4  # it is there already
    assert oakum("graph", "--format=svg", heap).out.startswith("<?xml")


def test_without_graphviz_it_says_what_to_do(
    oakum: Call, heap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = oakum("graph", heap, "-o", tmp_path / "x.png")
    assert answer.code == 4
    assert "install graphviz" in answer.err
    assert f"-o {tmp_path / 'x.dot'}" in answer.err
    assert not (tmp_path / "x.png").exists()
    assert oakum("graph", heap, "-o", tmp_path / "x.dot").code == 0


def test_graphviz_that_fails_or_hangs(oakum: Call, heap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/usr/bin:/bin"
    monkeypatch.setenv("PATH", f"{program(tmp_path / 'broken', 'echo Error: bad font >&2; exit 1')}:{path}")
    answer = oakum("graph", heap, "-o", tmp_path / "x.svg")
    assert (answer.code, answer.err) == (4, "oakum: Graphviz failed: Error: bad font; -o X.dot keeps it\n")
    monkeypatch.setenv("PATH", f"{program(tmp_path / 'hanging', 'exec sleep 30')}:{path}")
    monkeypatch.setattr(graph, "_PATIENCE", 0.2)
    answer = oakum("graph", heap, "-o", tmp_path / "x.svg")
    assert answer.code == 4
    assert "-nodecount" in answer.err


def test_json_has_the_numbers(oakum: Call, heap: Path) -> None:
    shown = json.loads(oakum("graph", "--json", heap).out)
    assert {n["name"]: n["cum"] for n in shown["nodes"]} == {
        "main.main": 1536,
        "app.serve": 1536,
        "app.read": 512,
        "runtime.gc": 64,
    }
    assert [e["weight"] for e in shown["edges"]] == [1536, 512]


def test_filters_and_call_tree(oakum: Call, heap: Path) -> None:
    assert "runtime" not in oakum("graph", "-focus=app", heap).out
    assert "Active filters:" in oakum("graph", "-focus=app", heap).out
    assert oakum("graph", "-call_tree", heap).out.startswith("digraph")


def test_an_unknown_ending_is_refused(oakum: Call, heap: Path, tmp_path: Path) -> None:
    answer = oakum("graph", heap, "-o", tmp_path / "x.jpeg")
    assert answer.code == 2
    assert ".svg" in answer.err
