"""What `oakum verify --test` finds beside what go.uber.org/goleak finds, on the same tests: the table of docs/verify.md."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support import ROOT, oakum
from toolchain import download, environment, need_go

DEPOT = Path(__file__).parent / "testdata" / "depot"
DOCS = ROOT / "docs" / "verify.md"
# What the test leaves behind, and what each tool has to say of it.
TRUTH = {
    "TestBest": ("nothing", False, False),
    "TestBestParallel": ("nothing; parallel subtests, cleanups", False, False),
    "TestBestTimeout": ("a goroutine blocked on channel send, each time", True, True),
    "TestFeed": ("nothing", False, False),
    "TestFeedNotClosed": ("a worker that is never stopped, each time", True, True),
    "TestCall": ("a goroutine blocked on channel receive, every third call", True, True),
    "TestMove": ("four workers, started once on purpose", False, True),
    "TestGate": ("a server and a connection, started once on purpose", False, True),
    "TestGateUnread": ("the goroutines of an unclosed response body, each time", True, True),
    "TestSendSoon": ("a goroutine that ends after 50 ms", False, False),
    "TestSendLater": ("a goroutine that ends after 700 ms", False, True),
    "TestBook": ("42 KiB of heap in a map, each time", True, False),
    "TestListen": ("16 KiB of heap held by a callback, each time", True, False),
    "TestWeigh": ("heap in a ring of 64, full after the first time", False, False),
}
# The mistake that each leak is, as the report names it.
MECHANISMS = {
    "TestBestTimeout": "abandoned-sender",
    "TestFeedNotClosed": "unstopped-worker",
    "TestCall": "abandoned-receiver",
    "TestGateUnread": "unclosed-body",
    "TestBook": "growing-container",
    "TestListen": "growing-container",  # of callbacks
}
_MAIN = """package {package}

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {{ goleak.VerifyTestMain(m) }}
"""


def by_goleak(tmp_path: Path) -> dict[str, bool]:
    """Return which tests goleak complains of, each run alone with goleak in its TestMain."""
    copy = tmp_path / "depot"
    shutil.copytree(DEPOT, copy)
    go = need_go()
    for folder in sorted(path for path in copy.iterdir() if path.is_dir()):
        tests = folder / f"{folder.name}_test.go"
        text = tests.read_text()
        own = re.search(r"^func TestMain.*?^}\n", text, re.DOTALL | re.MULTILINE)
        if own:  # its place is taken
            text = text.replace(own[0], "").replace('\t"fmt"\n\t"os"\n', "")
            tests.write_text(text)
        package = re.search(r"^package (\w+)", text, re.MULTILINE)
        assert package
        (folder / "main_test.go").write_text(_MAIN.format(package=package[1]))
    download([str(go), "get", "go.uber.org/goleak@v1.3.0"], copy)
    download([str(go), "mod", "tidy"], copy)
    found = {}
    for folder in sorted(path for path in copy.iterdir() if path.is_dir()):
        program, text = folder / "x.test", (folder / f"{folder.name}_test.go").read_text()
        subprocess.run(
            [str(go), "test", "-c", "-o", str(program), "."], cwd=folder, env=environment(), check=True, timeout=240
        )
        for name in re.findall(r"^func (Test\w+)\(t ", text, re.MULTILINE):
            command = [str(program), f"-test.run=^{name}$"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            found[name] = "found unexpected goroutines" in done.stdout + done.stderr
    return found


def by_oakum(tmp_path: Path) -> dict[str, list[str]]:
    """Return the mechanisms that `oakum verify --test` finds in each test."""
    result = tmp_path / "tests.json"
    told = oakum(
        "verify", "--test", DEPOT / "...", "-o", result, "--no-compile", PATH=f"{need_go().parent}:/usr/bin:/bin"
    )
    assert told.code == 0, told.err
    found = {}
    for row in json.loads(result.read_text())["tests"]:
        mechanisms = {one["id"]: one["mechanism"] for one in (row["diagnosis"] or {}).get("findings", ())}
        found[row["name"]] = [mechanisms[leak["finding"]] for leak in row["leaks"]]
    return found


def table() -> str:
    """Return the table of the documentation."""
    said = {True: "leak", False: "-"}
    rows = [
        f"| `{name}` | {leaves} | {said[ours]} | {said[theirs]} |" for name, (leaves, ours, theirs) in TRUTH.items()
    ]
    return "\n".join(["| test | what it leaves behind | `oakum verify --test` | goleak |", "|---|---|---|---|", *rows])


@pytest.mark.live
def test_what_each_finds_is_as_documented(tmp_path: Path) -> None:
    found = by_oakum(tmp_path)
    assert {name: bool(leaks) for name, leaks in found.items()} == {name: ours for name, (_, ours, _) in TRUTH.items()}
    assert {name: leaks[0] for name, leaks in found.items() if leaks} == MECHANISMS
    assert by_goleak(tmp_path) == {name: theirs for name, (_, _, theirs) in TRUTH.items()}


def test_the_documentation_has_the_table() -> None:
    assert table() in DOCS.read_text()
