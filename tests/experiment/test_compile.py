"""A drafted diff is compiled in a copy: own modules, replaced ones, and modules of the module cache."""

import difflib
import os
import shutil
from pathlib import Path

import pytest

from casebook.runner.case import CASEBOOK
from oakum.experiment.compile import Go, Tried, compiles, module_around
from toolchain import environment, need_go

FREIGHT = CASEBOOK / "abandoned-sender-freight"
DESK = FREIGHT / "internal" / "desk" / "desk.go"


def change(file: Path, name: str, old: str, new: str) -> str:
    before = file.read_text()
    assert old in before
    after = before.replace(old, new, 1)
    return "".join(difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}"))


@pytest.fixture
def go() -> Go:
    return Go(str(need_go()), env=environment())


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Return a module cache with one module in it that knows no go.mod, as go leaves it: read-only."""
    home = tmp_path / "mod"
    (home / "cache" / "download").mkdir(parents=True)
    module = home / "example.org" / "!old!town" / "ferry@v1.0.0"
    (module / "line").mkdir(parents=True)
    (module / "line" / "line.go").write_text("package line\n\nfunc Ports() []string {\n\treturn nil\n}\n")
    (module / "line" / "line.go").chmod(0o444)
    return module


PORTS = """--- a/example.org/OldTown/ferry@v1.0.0/line/line.go
+++ b/example.org/OldTown/ferry@v1.0.0/line/line.go
@@ -3,3 +3,3 @@
 func Ports() []string {
-\treturn nil
+\treturn []string{"Hull"}
 }
"""

live = pytest.mark.live


@live
@pytest.mark.parametrize(
    "name", ["internal/desk/desk.go", "/srv/freight/internal/desk/desk.go", "C:\\x\\internal\\desk\\desk.go"]
)
def test_what_compiles_is_ok_and_nothing_is_written(name: str, go: Go) -> None:
    before = {path: path.read_bytes() for path in FREIGHT.rglob("*") if path.is_file()}
    assert compiles(change(DESK, name, "make(chan Offer)", "make(chan Offer, 1)"), FREIGHT, go=go) == Tried("ok")
    assert {path: path.read_bytes() for path in FREIGHT.rglob("*") if path.is_file()} == before


@live
@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("make(chan Offr)", "desk/desk.go:41:22: undefined: Offr"),
        ("make(chan Offer); left := 1", "declared and not used: left"),
        ("make(chan Offer", "desk/desk.go:"),
    ],
)
def test_what_does_not_compile_is_told_in_the_compilers_words(new: str, why: str, go: Go) -> None:
    said = compiles(change(DESK, "/srv/freight/internal/desk/desk.go", "make(chan Offer)", new), FREIGHT, go=go)
    assert said.outcome == "failed"
    assert why in said.why
    assert "/tmp" not in said.why


@live
def test_a_module_that_go_mod_replaces_by_a_folder(go: Go) -> None:
    plumb = CASEBOOK / "modules" / "plumb"
    name = "/go/pkg/mod/example.org/tinlane/plumb@v0.3.0/fan/fan.go"
    diff = change(plumb / "fan" / "fan.go", name, "make(chan Result)", "make(chan Result, len(items))")
    assert compiles(diff, CASEBOOK / "abandoned-sender-manifest", plumb, go).outcome == "ok"
    assert compiles(diff, plumb, go=go).outcome == "ok"
    assert (
        compiles(diff.replace("len(items)", "itms"), CASEBOOK / "abandoned-sender-manifest", plumb, go).outcome
        == "failed"
    )


@live
def test_a_module_of_the_module_cache_is_copied_and_put_in_its_place(tmp_path: Path, cache: Path, go: Go) -> None:
    program = tmp_path / "program"
    program.mkdir()
    # The program knows it by another name, in whose place it stands.
    (program / "go.mod").write_text(
        "module example.com/program\n\ngo 1.19\n\nrequire example.org/ferry v1.0.0\n\n"
        "replace example.org/ferry => example.org/OldTown/ferry v1.0.0\n"
    )
    (program / "main.go").write_text(
        'package main\n\nimport "example.org/ferry/line"\n\nfunc main() { println(line.Ports()) }\n'
    )
    assert compiles(PORTS, program, cache, go) == Tried("ok")
    assert compiles(PORTS.replace('"Hull"', "1"), program, cache, go).outcome == "failed"
    written = (cache / "line" / "line.go").read_text()
    assert compiles(PORTS, cache, go=go) == Tried("ok")
    assert compiles(PORTS.replace('"Hull"', "1"), cache, go=go).outcome == "failed"
    assert (cache / "line" / "line.go").read_text() == written
    assert not (cache / "go.mod").exists()


@live
def test_what_was_broken_before_was_not_tried(tmp_path: Path, go: Go) -> None:
    (tmp_path / "go.mod").write_text("module example.com/broken\n\ngo 1.19\n")
    (tmp_path / "main.go").write_text("package main\n\nfunc main() {\n\tmissing()\n}\n")
    said = compiles(change(tmp_path / "main.go", "main.go", "main() {", "main() { // x"), tmp_path, go=go)
    assert said.outcome == "not tried"
    assert "without the diff either" in said.why
    assert "undefined: missing" in said.why


@live
def test_what_vet_never_liked_is_no_fault_of_the_diff(tmp_path: Path, go: Go) -> None:
    (tmp_path / "go.mod").write_text("module example.com/loose\n\ngo 1.19\n")
    (tmp_path / "main.go").write_text('package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Printf("%d", "x")\n}\n')
    assert compiles(change(tmp_path / "main.go", "main.go", "main() {", "main() { // x"), tmp_path, go=go) == Tried(
        "ok"
    )


@live
def test_a_vendored_module(tmp_path: Path, cache: Path, go: Go) -> None:
    (tmp_path / "go.mod").write_text("module example.com/p\n\ngo 1.19\n\nrequire example.org/OldTown/ferry v1.0.0\n")
    (tmp_path / "main.go").write_text(
        'package main\n\nimport "example.org/OldTown/ferry/line"\n\nfunc main() { line.Ports() }\n'
    )
    vendored = tmp_path / "vendor" / "example.org" / "OldTown" / "ferry"
    shutil.copytree(cache, vendored)
    (tmp_path / "vendor" / "modules.txt").write_text(
        "# example.org/OldTown/ferry v1.0.0\n## explicit\nexample.org/OldTown/ferry/line\n"
    )
    diff = PORTS.replace("example.org/OldTown/ferry@v1.0.0/", "vendor/example.org/OldTown/ferry/")
    assert compiles(diff, tmp_path, go=go) == Tried("ok")
    assert compiles(diff.replace('"Hull"', "1"), tmp_path, go=go).outcome == "failed"


def test_what_cannot_be_tried_says_why(tmp_path: Path) -> None:
    diff = change(DESK, "internal/desk/desk.go", "make(chan Offer)", "make(chan Offer, 1)")
    none = Go(str(tmp_path / "go"))
    assert compiles(diff, FREIGHT, go=none) == Tried(
        "not tried", f"{tmp_path / 'go'} does not run: No such file or directory"
    )
    assert "is not in" in compiles(diff, tmp_path, go=none).why
    assert (
        "is not in"
        in compiles(diff.replace("internal/desk", "../freight/internal/desk"), FREIGHT / "internal", go=none).why
    )
    (tmp_path / "desk.go").write_bytes(DESK.read_bytes())
    assert "there is no go.mod" in compiles(diff, tmp_path, go=none).why
    assert compiles(diff.replace("@@ -38", "@@ -37"), FREIGHT, go=none).outcome == "failed"


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands for go")
def test_go_is_ended_at_its_limit_and_asks_nobody(tmp_path: Path) -> None:
    script = tmp_path / "go"
    script.write_text(f'#!/bin/sh\necho "$GOPROXY $1" >> {tmp_path}/said\n[ "$1" = build ] && sleep 30\nexit 1\n')
    script.chmod(0o755)
    diff = change(DESK, "internal/desk/desk.go", "make(chan Offer)", "make(chan Offer, 1)")
    env = {**os.environ, "GOPROXY": "https://proxy.example.org"}
    said = compiles(diff, FREIGHT, go=Go(str(script), 0.5, env=env))
    assert said == Tried("not tried", "go build took more than 0 s")
    assert (tmp_path / "said").read_text().splitlines() == ["off vet", "off vet", "off build"]


def test_the_module_around_a_file(cache: Path) -> None:
    assert module_around(DESK) == FREIGHT
    assert module_around(cache / "line" / "line.go") == cache
    assert module_around(Path("/nowhere/x.go")) is None
