"""Pairs of acquire and release: every file is a test of its own."""

import re
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import fields

from casebook.runner.expectation import MECHANISMS
from oakum.knowledge.pairs import Example, Pair, examples, pairs
from oakum.model import normal_function
from support import ROOT

FOLDER = ROOT / "src" / "oakum" / "knowledge" / "pairs"
FILES = sorted(FOLDER.iterdir())
BY_ID = {entry.id: entry for entry in pairs().entries}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_pair(path: Path) -> None:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    assert path.suffix == ".toml"
    assert table["id"] == path.stem
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", path.stem)
    assert set(table) <= {field.name for field in fields(Pair)} | {"example"}
    assert all(set(example) == {field.name for field in fields(Example)} for example in table["example"])

    entry = BY_ID[path.stem]
    assert re.fullmatch(r"[A-Z].*[^.\s]", entry.summary)
    assert entry.area
    assert entry.module
    assert entry.release
    assert entry.mechanism in MECHANISMS
    for name in entry.acquire:
        assert normal_function(name) == name, "names are written as they are compared"
        assert "*" not in name.rpartition(".")[2].replace("(*", ""), "a function needs its last part in full"
        assert entry.generic == name.startswith("*.")

    told = examples(entry)
    assert {example.matches for example in told} == {True, False}
    for example in told:
        found = pairs().match(example.function)
        assert (found is not None and found.id == entry.id) == example.matches, example.function


def test_there_are_many_and_none_twice() -> None:
    names = [name for entry in pairs().entries for name in entry.acquire]
    assert len(BY_ID) >= 40
    assert len(names) == len(set(names))


def test_a_vendored_function_is_the_same() -> None:
    found = pairs().match(
        "k8s.io/kubernetes/vendor/k8s.io/client-go/tools/cache.(*sharedIndexInformer).AddEventHandler"
    )
    assert found is not None
    assert found.id == "clientgo-event-handler"


def test_generic_names_are_not_those_of_the_standard_library() -> None:
    assert pairs().match("encoding/gob.Register") is None
    assert pairs().match("net/rpc.(*Server).Register") is None
    found = pairs().match("example.com/shop/plugins.(*Registry).Register")
    assert found is not None
    assert found.generic
