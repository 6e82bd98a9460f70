"""oakum scan: known bugs of the versions that go.mod, listings, programs and captures name."""

import gzip
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Call
from oakum.cli import module_scan
from oakum.cli.scan import _named
from support import ROOT

LEAK, FIXED = "v0.20.15", "v0.21.0"
GO_MOD = """module example.com/shop

go 1.21

require (
	k8s.io/apimachinery {version}
	github.com/containerd/ttrpc v1.0.1 // indirect
)
"""
BINARIES = ROOT / "tests" / "testdata" / "binaries"


@pytest.fixture(autouse=True)
def without_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask no Go what is built: a live test does."""
    monkeypatch.setattr(module_scan, "built_packages", lambda *_: (None, ()))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "go.mod").write_text(GO_MOD.format(version=LEAK))
    (tmp_path / "shop.go").write_text("package shop\n")
    return tmp_path


def scanned(oakum: Call, *words: str | Path) -> dict[str, Any]:
    said = json.loads(oakum("scan", "--json", *words).out)
    assert isinstance(said, dict)
    return said


def rows(said: dict[str, Any], part: str = "carried") -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in said[part]}


def test_a_tree_with_source_and_go_mod(oakum: Call, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    answer = oakum("scan", ".")
    assert (answer.code, answer.err) == (1, "")
    assert f"go.mod:6: kubernetes-98653: k8s.io/apimachinery {LEAK}, fixed in v0.21.0: A watch " in answer.out
    assert re.search(
        r"^   \$ go get github.com/containerd/ttrpc@v1\.\S+   # fixes .*ttrpc-94", answer.out, re.MULTILINE
    )
    last = answer.out.splitlines()[-1]
    assert " known bugs in this build: 1 file in 1 package, " in last
    assert "1 build checked against " in last


def test_on_a_screen(oakum: Call, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    for columns in ("60", "80", "120"):
        monkeypatch.setenv("COLUMNS", columns)
        for lang in ("en", "zh"):
            out = oakum("scan", "go.mod", "--lang", lang).out
            assert out.startswith("go.mod\n")
            assert all(len(line) <= int(columns) for line in out.splitlines() if "$ " not in line)


def test_json(oakum: Call, tree: Path) -> None:
    said = scanned(oakum, tree)
    row = rows(said)["kubernetes-98653"]
    assert (said["schema"], said["builds"], said["files"]) == ("oakum.scan/1", 1, 1)
    assert (row["module"], row["found"], row["upgrade_to"]) == ("k8s.io/apimachinery", LEAK, "v0.21.0")
    assert (row["affects"], row["certain"], row["origin"], row["line"]) == ("yes", True, f"{tree}/go.mod", 6)
    commands = {one["module"]: one["command"] for one in said["upgrades"]}
    assert commands["github.com/containerd/ttrpc"].startswith("go get github.com/containerd/ttrpc@v1.")
    assert scanned(oakum, tree) == said


def test_halves(oakum: Call, tree: Path) -> None:
    assert scanned(oakum, tree, "--code")["builds"] == 0
    assert scanned(oakum, tree, "--known")["files"] == 0
    assert oakum("scan", "--code", tree / "go.mod").code == 2
    assert rows(scanned(oakum, tree, "--mechanism", "peer-stopped-reading")).keys() == {"ttrpc-94"}


def test_fixed_versions_are_not_told(oakum: Call, tree: Path) -> None:
    (tree / "go.mod").write_text(GO_MOD.format(version=FIXED).replace("v1.0.1", "v1.1.0"))
    assert not {"kubernetes-98653", "ttrpc-94"} & rows(scanned(oakum, tree)).keys()


def test_nested_modules_and_what_is_not_looked_into(oakum: Call, tree: Path) -> None:
    for name in ("tools", "testdata", "vendor/example.com/x", ".cache", "_old"):
        (tree / name).mkdir(parents=True)
        (tree / name / "go.mod").write_text(GO_MOD.format(version=LEAK))
    origins = {row["origin"] for row in scanned(oakum, tree)["carried"]}
    assert origins == {f"{tree}/go.mod", f"{tree}/tools/go.mod"}


@pytest.mark.parametrize(
    ("packages", "linked"),
    [
        (["k8s.io/apimachinery/pkg/watch", "k8s.io/apimachinery/pkg/types"], True),
        (["k8s.io/apimachinery/pkg/types"], False),
    ],
)
def test_vendored_packages_decide(oakum: Call, tree: Path, packages: list[str], linked: bool) -> None:
    (tree / "vendor").mkdir()
    listed = "\n".join(packages)
    (tree / "vendor" / "modules.txt").write_text(f"# k8s.io/apimachinery {LEAK}\n## explicit; go 1.15\n{listed}\n")
    for given in (tree, tree / "go.mod", tree / "vendor" / "modules.txt"):
        said = scanned(oakum, given)
        assert rows(said, "carried" if linked else "unlinked")["kubernetes-98653"]["linked"] is linked
        assert "ttrpc-94" not in rows(said)  # not vendored, so not built
    if not linked:
        assert "1 other in modules whose leaking code is not linked in" in oakum("scan", tree).out


@pytest.mark.parametrize(
    ("beside", "over", "err"),
    [
        ("	//oakum:ignore kubernetes-98653 every watch is drained\n	k8s.io/apimachinery v0.20.15", True, ""),
        (
            "	// watches\n	// oakum:ignore kubernetes-98653 drained\n	//\n	k8s.io/apimachinery v0.20.15",
            True,
            "",
        ),
        ("	k8s.io/apimachinery v0.20.15 // indirect //oakum:ignore kubernetes-98653 drained", True, ""),
        ("	k8s.io/apimachinery v0.20.15 //oakum:ignore kubernetes-98653", False, "needs a reason"),
        ("	k8s.io/apimachinery v0.20.15 //oakum:ignore it is fine", False, "needs the id of a known bug"),
        ("	k8s.io/apimachinery v0.20.15 //oakum:ignore ttrpc-94 another", False, ""),
    ],
)
def test_ignored_beside_the_requirement(oakum: Call, tree: Path, beside: str, over: bool, err: str) -> None:
    (tree / "go.mod").write_text(GO_MOD.format(version=LEAK).replace(f"	k8s.io/apimachinery {LEAK}", beside))
    answer = oakum("scan", "--json", tree)
    said = json.loads(answer.out)
    assert ("kubernetes-98653" in rows(said, "passed_over")) is over
    assert ("kubernetes-98653" in rows(said)) is not over
    assert err in answer.err
    assert bool(err) == bool(answer.err)


@pytest.mark.parametrize(
    ("version", "more", "doubt"),
    [
        (LEAK, "\nreplace k8s.io/apimachinery => github.com/rancher/apimachinery v0.20.0-r1\n", "fork"),
        (LEAK, "\nreplace k8s.io/apimachinery => ../apimachinery\n", "directory"),
        ("v0.21.0-rc.0", "", "pre-release"),
        ("v0.0.0-20210301000000-bec269661e48", "", "commit"),
    ],
)
def test_what_is_not_certain_does_not_fail(oakum: Call, tree: Path, version: str, more: str, doubt: str) -> None:
    text = GO_MOD.format(version=version).replace("v1.0.1", "v1.1.0")
    (tree / "go.mod").write_text(text + more)
    answer = oakum("scan", "--json", "--mechanism", "abandoned-sender", tree)
    assert answer.code == 0
    row = rows(json.loads(answer.out))["kubernetes-98653"]
    assert (row["affects"], row["certain"], row["doubt"]) == ("unknown", False, doubt)
    strict = oakum("scan", "--strict", "--mechanism", "abandoned-sender", tree)
    assert strict.code == 1
    assert strict.out.splitlines()[-1].startswith("No confirmed known bug: ")


def test_a_go_mod_before_go_1_17(oakum: Call, tree: Path) -> None:
    (tree / "go.mod").write_text("module example.com/shop\n\ngo 1.15\n\nrequire github.com/pkg/errors v0.9.1\n")
    answer = oakum("scan", "--known", tree)
    assert "what those require is not looked up; `oakum scan PROGRAM` is exact" in answer.err
    (tree / "go.sum").write_text(f"k8s.io/apimachinery {LEAK} h1:{'x' * 43}=\n")
    answer = oakum("scan", "--json", tree)
    row = rows(json.loads(answer.out))["kubernetes-98653"]
    assert (answer.code, row["doubt"], row["origin"]) == (0, "go.sum", f"{tree}/go.sum")
    assert rows(scanned(oakum, tree / "go.sum"))["kubernetes-98653"]["doubt"] == "go.sum"


def test_a_listing_on_standard_input(oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"/srv/app: go1.21.3\n\tpath\texample.com/app\n\tmod\texample.com/app\t(devel)\n\tdep\tk8s.io/apimachinery\t{LEAK}\th1:x=\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    answer = oakum("scan", "-")
    assert answer.code == 1
    assert "- (example.com/app): kubernetes-98653: " in answer.out


def test_a_release_of_a_product(oakum: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "version.json").write_text(
        '{"major": "1", "minor": "16", "gitVersion": "v1.16.1", "goVersion": "go1.12.10", "platform": "linux/amd64"}'
    )
    said = scanned(oakum, tmp_path)
    row = rows(said)["kubernetes-83333"]
    assert (row["module"], row["product"], row["upgrade_to"]) == ("k8s.io/kubernetes", True, "v1.16.2")
    monkeypatch.setenv("COLUMNS", "100")
    out = oakum("scan", tmp_path / "version.json").out
    assert "      k8s.io/kubernetes v" in out
    assert "go get" not in out


def test_captures_name_versions(oakum: Call, tmp_path: Path) -> None:
    frame = "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive(0xc0002c4040)\n\t{at}/pkg/watch/streamwatcher.go:127 +0x18e\n"
    file = tmp_path / "dump.txt"
    file.write_text("goroutine 57 [IO wait]:\n" + frame.format(at=f"/go/pkg/mod/k8s.io/apimachinery@{LEAK}"))
    for given in (tmp_path, file):
        row = rows(scanned(oakum, given))["kubernetes-98653"]
        assert (row["found"], row["origin"]) == (LEAK, str(given))
    file.write_text("goroutine 57 [IO wait]:\n" + frame.format(at="/srv/vendor/k8s.io/apimachinery"))
    answer = oakum("scan", file)
    assert answer.code == 4
    assert "its stacks name no versions" in answer.err


def test_a_program_tells_what_is_linked(oakum: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorded programs have no leaks: what theirs are is told, and the names in their tables are not looked for."""
    program = tmp_path / "app"
    program.write_bytes(gzip.decompress(next(BINARIES.glob("*linux-amd64*.gz")).read_bytes()))
    program.chmod(0o755)
    (tmp_path / "main.go").write_text("package main\n")
    assert scanned(oakum, program)["builds"] == 1
    assert scanned(oakum, tmp_path)["builds"] == 1
    program.chmod(0o644)
    assert scanned(oakum, tmp_path)["builds"] == 0


def test_sarif(oakum: Call, tree: Path) -> None:
    (run,) = json.loads(oakum("scan", "--sarif", tree).out)["runs"]
    rules = run["tool"]["driver"]["rules"]
    (result,) = [one for one in run["results"] if one["ruleId"] == "kubernetes-98653"]
    rule = rules[result["ruleIndex"]]
    assert rule["id"] == "kubernetes-98653"
    assert rule["helpUri"] == "https://github.com/kubernetes/kubernetes/pull/98653"
    assert rule["help"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "go.mod"
    assert place["region"] == {"startLine": 6}
    assert "Upgrade to v0.21.0." in result["message"]["text"]
    assert result["level"] == "warning"


def test_sarif_names_files_beside_those_that_were_named(oakum: Call, tree: Path) -> None:
    (tree / "go.mod").write_text(GO_MOD.format(version=FIXED).replace("go 1.21", "go 1.13"))
    (tree / "go.sum").write_text(f"k8s.io/client-go v0.15.7 h1:{'A' * 43}=\n")
    (run,) = json.loads(oakum("scan", "--sarif", tree / "go.mod").out)["runs"]
    found = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]}
    assert found == {"go.mod", "go.sum"}


def test_a_sarif_base_of_the_whole_file_system() -> None:
    base, uri = _named(["/", "/usr"])
    assert (base, uri("/usr/bin/agent")) == ("file:///", "usr/bin/agent")


def test_a_program_without_modules_says_so(oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = b"/usr/bin/agent: go1.19.8\n\tpath\texample.com/agent\n/go/bin/gofmt: go1.26.8\n\tpath\tcmd/gofmt\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(listing)))
    answer = oakum("scan", "-")
    assert answer.err == (
        "oakum: -: agent names no modules (built without them, as Debian and Bazel do): only Go was looked up\n"
    )
    assert "fixed in Go 1.23.0" in answer.out
    assert "not read whole" not in answer.out


def test_what_of_a_build_could_not_be_read(oakum: Call, tree: Path) -> None:
    with (tree / "go.mod").open("a") as file:
        file.write("replace k8s.io/apimachinery > ../apimachinery\n")
    for given in (tree, tree / "go.mod"):
        assert (
            oakum("scan", given).err
            == f"oakum: {tree}/go.mod:9: 1 line of this go.mod could not be read: a version may be missing\n"
        )


def test_a_version_that_go_get_does_not_change(oakum: Call, tree: Path) -> None:
    (tree / "go.mod").write_text(
        GO_MOD.format(version="v0.25.0") + f"replace k8s.io/apimachinery => k8s.io/apimachinery {LEAK}\n"
    )
    answer = oakum("scan", tree)
    assert answer.code == 1
    assert answer.err == (
        f"oakum: {tree}/go.mod: a replace directive, which `go get` does not change, sets the version of "
        "k8s.io/apimachinery\n"
    )


def test_metrics_tell_the_version_of_go(oakum: Call, tmp_path: Path) -> None:
    metrics = '# TYPE go_info gauge\ngo_info{version="go1.21.3"} 1\n# TYPE go_goroutines gauge\ngo_goroutines 9\n'
    (tmp_path / "metrics.txt").write_text(metrics)
    for given in (tmp_path, tmp_path / "metrics.txt"):
        answer = oakum("scan", given)
        assert (answer.code, answer.err) == (1, "")
        assert "metrics.txt: go-62227: Go 1.21.3, fixed in Go 1.23.0: " in answer.out
    # Beside what tells more they are silent.
    (tmp_path / "build.txt").write_text(
        "/agent: go1.21.3\n\tpath\texample.com/agent\n\tmod\texample.com/agent\tv1.0.0\n"
    )
    answer = oakum("scan", tmp_path)
    assert "build.txt (example.com/agent): go-62227: " in answer.out
    assert "metrics.txt" not in answer.out


def test_a_leak_of_two_builds_is_counted_once(oakum: Call, tree: Path) -> None:
    (tree / "inner").mkdir()
    (tree / "inner" / "go.mod").write_text("module example.com/in\n\ngo 1.21\n\nrequire k8s.io/apimachinery v0.18.8\n")
    (tree / "go.mod").write_text("module example.com/out\n\ngo 1.21\n\nrequire k8s.io/apimachinery v0.18.8\n")
    assert "\n1 known bug in this build: " in oakum("scan", tree).out


def test_pipes_where_files_are_expected_are_not_waited_for(oakum: Call, tree: Path) -> None:
    (tree / "vendor").mkdir()
    for name in ("vendor/modules.txt", "go.sum"):
        os.mkfifo(tree / name)
    (tree / "go.mod").write_text(GO_MOD.format(version=LEAK).replace("go 1.21", "go 1.13"))
    (tree / "inner").mkdir()
    os.mkfifo(tree / "inner" / "go.mod")
    assert "kubernetes-98653" in rows(scanned(oakum, tree))


def test_interrupted(oakum: Call, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module_scan, "carried", interrupt)
    answer = oakum("scan", tree / "go.mod")
    assert (answer.code, answer.out, answer.err.strip()) == (130, "", "oakum: interrupted")
