"""The catalogue of goroutines that live long by design: every file is a test of its own, real captures are the others."""

import re
import time
import tomllib
from collections import Counter
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import pytest
from msgspec.structs import fields, replace

from casebook.runner.case import Case, case, names
from casebook.runner.evidence import RecordedSnapshot, recording, same
from casebook.runner.expectation import MECHANISMS, Expected, expectation
from oakum.knowledge import benign, written
from oakum.knowledge.benign import Benign, Count, Example, InChinese, Pattern, examples
from oakum.model import Capture, GoroutineGroup, Goroutines, normal_function
from oakum.parse import goroutines, parse
from support import RECORDED, ROOT

FOLDER = ROOT / "src" / "oakum" / "knowledge" / "benign"
FILES = sorted(FOLDER.iterdir())
BY_ID = {entry.id: entry for entry in benign().entries}
# runtime/runtime2.go, waitReasonStrings, as far as a goroutine may rest in them; and the states that are no wait.
STATES = {
    "chan receive", "chan receive (nil chan)", "chan send", "cleanup wait", "coroutine", "finalizer wait", "force gc (idle)",
    "GC scavenge wait", "GC sweep wait", "GC worker (active)", "GC worker (idle)", "GOMAXPROCS updater (idle)",
    "IO wait", "running", "runnable", "select", "select (no cases)", "semacquire", "sleep", "sync.Cond.Wait",
    "sync.WaitGroup.Wait", "syscall", "timer goroutine (idle)", "trace reader (blocked)",
}  # fmt: skip
# What a goroutine is in while it waits for something; whoever is runnable or in a system call is on its way.
WAITING = {"chan receive", "chan send", "IO wait", "select", "sleep", "sync.Cond.Wait", "sync.WaitGroup.Wait"}
# The star of a glob, not that of a pointer: github.com/jackc/pgx/v*/pgxpool.(*Pool).backgroundHealthCheck
STAR = re.compile(r"(?<!\()\*")


def read(data: bytes) -> list[Goroutines]:
    """Return the goroutines of every reading of a capture, whichever format it has."""
    return [found for reading in parse(Capture("test", data)) if (found := goroutines(reading)) is not None]


def one(dump: str) -> GoroutineGroup:
    """Return the only goroutine of a dump."""
    readings = parse(Capture("test", dump.encode()))
    assert not [problem for reading in readings for problem in reading.problems]
    (group,) = [group for found in read(dump.encode()) for group in found.groups]
    assert group.count == 1
    return group


def keys(table: type[Benign] | type[Pattern] | type[Count] | type[Example] | type[InChinese]) -> set[str]:
    return {field.name for field in fields(table)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_entry(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    table = tomllib.loads(text)
    assert path.suffix == ".toml"
    assert table["id"] == path.stem
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", path.stem)
    assert set(table) <= keys(Benign) | {"example"}
    assert set(table["match"]) <= keys(Pattern)
    assert set(table["count"]) == keys(Count)
    assert set(table["zh"]) == keys(InChinese)
    assert all(set(example) == keys(Example) for example in table["example"])
    assert not re.search(r"/(?:home|root|Users|tmp|usr)/", text), "a path of somebody's machine"

    entry = BY_ID[path.stem]
    for sentence in (entry.summary, entry.if_it_grows):
        assert re.fullmatch(r"[A-Z].*[^.\s]", sentence), sentence
    for words in (entry.area, entry.module, entry.count.expected, entry.count.relation):
        assert words
        assert not words.endswith(".")
    for words in (entry.zh.summary, entry.zh.relation):
        assert re.search(r"[\u4e00-\u9fff]", words), words
        assert not re.search(r"[\u4e00-\u9fff][,;:(.]|[,;:)]\s?[\u4e00-\u9fff]|[。\s]$", words), words
        assert not re.search(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]", words), f"no space: {words}"
    assert re.fullmatch(r"[a-z]+", entry.count.per)
    assert entry.symptom is None or entry.symptom in MECHANISMS
    for version in filter(None, (entry.since, entry.until)):
        assert re.fullmatch(r"1\.\d+", version)

    match = entry.match
    assert match.functions or (match.created and match.leaf), "neither a function nor a creator tells what it is"
    assert match.states
    assert set(match.states) <= STATES
    for name in (*match.functions, *match.leaf, *match.created, *match.without):
        if STAR.search(name):
            assert not STAR.search(name.rpartition(".")[2]), f"{name} is looked up by what follows its last dot"
        else:
            assert normal_function(name) == name, f"write {normal_function(name)}"


@pytest.mark.parametrize("entry", benign().entries, ids=lambda entry: entry.id)
def test_examples(entry: Benign) -> None:
    shown = examples(entry)
    assert {example.matches for example in shown} == {True, False}
    for example in shown:
        group = one(example.dump)
        found = benign().match(group)
        assert (found is not None and found.entry is entry and found.resting is True) == example.matches, example.dump


def test_every_entry_says_something_else() -> None:
    assert len(BY_ID) == len(FILES) == len(benign().entries)
    for what in ("summary", "match"):
        told = Counter(getattr(entry, what) for entry in benign().entries)
        assert [key for key, count in told.items() if count > 1] == []


def test_what_a_capture_cannot_say_is_no_contradiction() -> None:
    group = one(next(example.dump for example in examples(BY_ID["http-client-writeloop"]) if example.matches))
    silent = benign().match(replace(group, state=None, created_by=None))
    assert silent is not None
    assert silent.entry.id == "http-client-writeloop"
    assert silent.resting is None
    series = one(next(example.dump for example in examples(BY_ID["k8s-events-broadcaster-series"]) if example.matches))
    nameless = benign().match(replace(series, created_by=None))
    assert nameless is not None
    assert nameless.entry.id == "k8s-wait-until", "only its creator tells a timer of the broadcaster from any loop"


def test_what_is_called_back_is_not_its_callers() -> None:
    """A handler that waits in a state in which its server rests is the handler's matter."""
    serving = one(next(example.dump for example in examples(BY_ID["http-server-conn"]) if example.matches))
    assert benign().match(serving) is not None
    handler = one("goroutine 7 [IO wait]:\nmain.(*Desk).ask(0x1)\n\texample.com/shop/desk.go:31 +0x1d\n").stack.frames
    frames = serving.stack.frames
    inside = replace(serving, stack=replace(serving.stack, frames=(*frames[:-1], *handler, frames[-1])))
    assert benign().match(inside) is None
    wrapped = one("goroutine 7 [IO wait]:\nmain.(*meter).Read(0x1)\n\texample.com/shop/m.go:3 +0x1\n").stack.frames
    metered = replace(serving, stack=replace(serving.stack, frames=(*frames[:-1], *wrapped, frames[-1])))
    found = benign().match(metered)
    assert found is not None
    assert found.resting, "a connection that the program wraps is a connection"


# -- real captures


def takes(healthy: bool) -> list[tuple[Case, str, str]]:
    """Return (case, build, take) of everything recorded that is healthy, or leaks."""
    found = []
    for name in names():
        it = case(name)
        for take in it.takes:
            verdict = expectation(it, take.build.name).verdict
            if (verdict == "healthy") == healthy and (it.captures / take.name / "manifest.json").exists():
                found.append((it, take.build.name, take.name))
    return found


def snapshots(it: Case, take: str) -> list[tuple[RecordedSnapshot, Goroutines]]:
    recorded = recording(it.captures / take).snapshots
    return [(snapshot, found) for snapshot in recorded if (found := snapshot.goroutines()) is not None]


def leaking(groups: Goroutines, finding: Expected) -> list[GoroutineGroup]:
    """Return the goroutines that leak: at the place, in the state, made where the finding says so."""
    place = finding.place
    makers = [site for site in finding.sites if site.role == "created"]
    return [
        group
        for group in groups.groups
        if place.role == "blocked"
        and same(group.place, place)
        and group.state == place.state
        and all(group.created_by is None or same(group.created_by, maker) for maker in makers)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("it", "build", "take"), takes(healthy=False), ids=lambda value: getattr(value, "name", value))
def test_no_leak_is_called_benign(it: Case, build: str, take: str) -> None:
    for _, found in snapshots(it, take):
        for finding in expectation(it, build).findings:
            for group in leaking(found, finding):
                known = benign().match(group)
                if known is not None and known.resting is not False:
                    assert known.entry.symptom in finding.mechanisms, f"{known.entry.id} is silent about {it.name}"


def test_leaks_that_rest_are_known_by_their_symptom() -> None:
    """The test above looks at something: an informer that is never stopped rests like one that is needed."""
    it = case("open-simulator-88")
    known: set[str | None] = set()
    for take in it.takes:
        for _, found in snapshots(it, take.name):
            for finding in expectation(it, take.build.name).findings:
                for group in leaking(found, finding):
                    match = benign().match(group)
                    known.add(match.entry.symptom if match and match.resting else None)
    assert "unstopped-worker" in known


def stranger(group: GoroutineGroup) -> bool:
    """Tell whether it waits in code of nobody but the standard library, and the catalogue does not know it."""
    owners = {frame.owner for frame in group.stack.frames}
    return group.state in WAITING and owners <= {"stdlib", "runtime"} and benign().match(group) is None


@pytest.mark.parametrize(("it", "build", "take"), takes(healthy=True), ids=lambda value: getattr(value, "name", value))
def test_the_standard_library_is_known(it: Case, build: str, take: str) -> None:
    for snapshot, found in snapshots(it, take):
        assert [group.stack.functions for group in found.groups if stranger(group)] == [], snapshot.name


@pytest.mark.parametrize("folder", sorted(RECORDED.iterdir()), ids=lambda folder: folder.name)
def test_formats_agree(folder: Path) -> None:
    """debug=0, 1 and 2 of one process are the same goroutines; what has a state rests in all of them, or in none."""
    told = []
    for name in ("goroutine.debug2.txt.gz", "goroutine.debug1.txt", "goroutine.pb.gz"):
        known: Counter[tuple[str, bool]] = Counter()
        (found,) = read((folder / name).read_bytes())
        assert [group.stack.functions for group in found.groups if stranger(group)] == []
        for group in found.groups:
            match = benign().match(group)
            if match is not None and match.entry.id != "pprof-self":  # each capture is written by another one
                known[match.entry.id, match.resting is not False] += group.count
        told.append(known)
    assert told[0] == told[1] == told[2]
    assert {"http-client-readloop", "http-server-conn", "os-signal-loop"} <= {entry for entry, _ in told[0]}


def test_goroutines_of_the_runtime_are_known() -> None:
    """GOTRACEBACK=system shows them; none is of the program."""
    checked = 0
    for path in sorted(RECORDED.glob("*/sigquit.*")):
        for found in read(path.read_bytes()):
            for group in found.groups:
                entry = group.stack.frames[-1] if group.stack.frames else None
                if entry is not None and entry.owner == "runtime" and group.stack.frames[0].owner == "runtime":
                    assert benign().match(group) is not None, f"{path.parent.name}: {group.stack.functions}"
                    checked += 1
    assert checked > 20


# -- speed


def test_loading_is_quick() -> None:
    start = time.process_time()
    assert len(benign.__wrapped__().entries) == len(FILES)
    assert time.process_time() - start < 5  # 20 ms where nothing else runs


def test_matching_is_quick() -> None:
    """5,000 groups of ordinary depth, most of them the program's own, names never seen before."""
    known = [one(example.dump) for entry in benign().entries for example in examples(entry)]
    groups = []
    for row, group in islice(enumerate(known * 30), 5000):
        frames = tuple(
            replace(frame, function=f"example.com/shop/desk{row % 97}.(*Desk).step{step}")
            for step, frame in enumerate((group.stack.frames * 12)[:12])
        )
        groups.append(replace(group, stack=replace(group.stack, frames=frames if row % 3 else group.stack.frames)))
    assert len(groups) == 5000
    start = time.process_time()
    found = sum(benign().match(group) is not None for group in groups)
    assert time.process_time() - start < 5  # 0.05 s where nothing else runs
    assert found > 1000


def test_the_format_is_documented() -> None:
    text = (ROOT / "docs" / "knowledge.md").read_text(encoding="utf-8")
    for name in keys(Benign) | keys(Pattern) | keys(Count) | keys(Example):
        assert f"`{name}`" in text, name


# -- which files are taken apart


def test_names_are_found_in_the_text_as_toml_has_them() -> None:
    """The catalogues look for names in the text of a file; a list that they read otherwise would never be matched."""
    for id_, text in written.texts("benign").items():
        found = tomllib.loads(text)["match"]
        assert written.names(text, "functions") == found["functions"], id_
        assert written.names(text, "created") == found.get("created", []), id_
    for id_, text in written.texts("pairs").items():
        assert written.names(text, "acquire") == tomllib.loads(text)["acquire"], id_


def test_only_files_that_a_stack_names_are_taken_apart() -> None:
    group = one(next(example.dump for example in examples(BY_ID["http-server-conn"]) if example.matches))
    fresh = benign.__wrapped__()
    with patch("tomllib.loads", wraps=tomllib.loads) as taken:
        assert fresh.match(group) is not None
    assert 0 < taken.call_count < 5
