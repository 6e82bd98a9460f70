"""The catalogue of known bugs: every file is a test of its own, with the examples that it brings."""

import re
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import fields

from casebook.runner.expectation import MECHANISMS
from oakum.knowledge.affected import Affected
from oakum.knowledge.leaks import Leak, first_functions, leaks
from oakum.knowledge.signature import Signature
from oakum.knowledge.versions import version
from oakum.model import Capture, Frame, GoroutineGroup, normal_function
from oakum.parse import goroutines, parse
from support import ROOT

FOLDER = ROOT / "src" / "oakum" / "knowledge" / "leaks"
FILES = sorted(FOLDER.iterdir())
CATALOGUE = leaks()
# runtime/runtime2.go, waitReasonStrings; Go 1.20 and later
STATES = {
    "chan receive", "chan receive (nil chan)", "chan send", "chan send (nil chan)", "IO wait", "select",
    "select (no cases)", "sleep", "sync.Cond.Wait", "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock",
    "sync.WaitGroup.Wait", "syscall", "running", "runnable",
}  # fmt: skip
TABLES = {
    "id", "mechanism", "fault", "reviewed", "references", "en", "zh", "workaround", "reproducer", "affects", "goroutine", "heap",
    "example",
}  # fmt: skip
SPOKEN = {"summary", "trigger", "cause", "fix"}
CHINESE = re.compile(r"[一-鿿]")
# A name with its closure number: the number is not compared, and should not look as if it were
NUMBERED = re.compile(r"\.(?:func|gowrap|deferwrap)\d|%2e|\[\.\.\.\]|/vendor/")
DAY = re.compile(r"^20\d\d-[01]\d-[0-3]\d$")


def names(table: type[Affected] | type[Signature]) -> set[str]:
    return {field.name for field in fields(table)}


def one(dump: str) -> GoroutineGroup:
    """Return the only goroutine of a dump."""
    readings = parse(Capture("test", dump.encode()))
    assert not [problem for reading in readings for problem in reading.problems]
    (group,) = [group for reading in readings if (found := goroutines(reading)) for group in found.groups]
    return group


def hits(leak: Leak, dump: str, heap: str) -> bool:
    """Tell whether the example has the signature of the entry."""
    if dump:
        group = one(dump)
        found = CATALOGUE.waiting(group.stack.frames, group.state, group.created_by)
    else:
        found = CATALOGUE.allocating([Frame(line.strip()) for line in heap.strip().splitlines()])
    return any(hit.entry.id == leak.id for hit in found)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_entry(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    table = tomllib.loads(text)
    leak = CATALOGUE.entry(path.stem)
    assert path.suffix == ".toml"
    assert leak.id == path.stem
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)+", leak.id)
    assert leak.mechanism in MECHANISMS
    assert leak.fault in ("library", "usage")
    assert set(table) <= TABLES
    _spoken(table)
    assert leak.affects, "which module is it?"
    assert len(leak.modules) == len(leak.affects), "one row a module"
    for affected in table["affects"]:
        assert set(affected) <= names(Affected)
    for one_ in leak.affects:
        _versions(leak, one_)
    assert leak.references
    assert all(one_.startswith("https://") for one_ in leak.references)
    assert leak.goroutines or leak.heap
    for signature in (*table.get("goroutine", ()), *table.get("heap", ())):
        assert set(signature) <= names(Signature)
    bodies = re.findall(r"^\[\[(?:goroutine|heap)\]\].*?(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    for found in (*leak.goroutines, *leak.heap):
        _signature(found)
        begins = found.leaf or ((found.path[0],) if isinstance(found.path[0], str) else found.path[0])
        assert [*begins] in [first_functions(body) for body in bodies], (
            "write leaf = [ and path = [ at the line's begin"
        )
    assert not any("states" in one_ or "created" in one_ for one_ in table.get("heap", ()))
    examples = CATALOGUE.examples(leak.id)
    assert {example.matches for example in examples} == {True, False}, "one example of each is needed"
    for example in examples:
        assert hits(leak, example.dump, example.heap) is example.matches, example.dump or example.heap


def _spoken(table: dict[str, object]) -> None:
    english, chinese = table["en"], table["zh"]
    assert isinstance(english, dict)
    assert isinstance(chinese, dict)
    assert set(english) == set(chinese)
    assert SPOKEN <= set(english) <= SPOKEN | {"risk"}
    assert all(CHINESE.search(sentence) for sentence in chinese.values())
    assert not any(CHINESE.search(sentence) for sentence in english.values())
    assert len(english["summary"]) <= 120
    assert not english["summary"].endswith(".")
    assert all(english[part].endswith(".") for part in english if part != "summary")
    workarounds = table.get("workaround", [])
    assert isinstance(workarounds, list)
    assert all(set(one_) == {"en", "zh"} for one_ in workarounds)


def _versions(leak: Leak, affected: Affected) -> None:
    ordered = [version(text) for text in affected.fixed]
    assert None not in ordered
    assert all(text.startswith("v") for text in affected.fixed)
    assert [one_.order for one_ in ordered if one_] == sorted(one_.order for one_ in ordered if one_)
    assert not affected.introduced or version(affected.introduced)
    assert not affected.fixed_on or DAY.match(affected.fixed_on)
    assert affected.releases in ("", "kubernetes")
    if leak.fault == "library":
        assert affected.leaks_at, "the version to reproduce it with"
        assert affected.has(affected.leaks_at) == "yes"
    assert all(affected.has(text) == "no" for text in affected.fixed)


def _signature(signature: Signature) -> None:
    assert signature.leaf or signature.path
    assert signature.functions
    assert set(signature.states) <= STATES
    for name in (*signature.functions, *signature.without):
        assert not NUMBERED.search(name), f"{name}: write it as {normal_function(name)}"
        assert "*" not in name.rpartition(".")[2], f"{name}: its last part in full"


def test_one_summary_an_entry() -> None:
    for language in ("en", "zh"):
        said = [entry.summary[language] for entry in CATALOGUE.entries]
        assert len(said) == len(set(said))
