"""What stays after tests is measured by a file that no tree has: a TestMain, parallel tests and cleanups work as ever."""

import shutil
from pathlib import Path

import pytest

from oakum.experiment.go_tests import Asked, GoTests, Measured, Package, Unbuilt
from oakum.model import OakumError, UsageError
from support import need_tool
from toolchain import environment, need_go

DEPOT = Path(__file__).parent / "testdata" / "depot"


def of_folder(place: Path, folder: Path = DEPOT, go: Path | None = None, **asked: object) -> GoTests:
    env = environment()
    env["PATH"] = f"{(go or need_go()).parent}:{env['PATH']}"
    return GoTests(folder, Asked(**asked), place, env)  # type: ignore[arg-type]  # fields by name


def measured(tests: GoTests) -> dict[str, Measured]:
    found = {}
    for package in tests.packages():
        program = tests.build(package)
        assert isinstance(program, Path), program
        for kind, name in tests.names(package, program):
            found[name] = tests.measure(package, program, kind, name)
    return found


def goroutines(one: Measured) -> list[int]:
    dumps = [one.captures / f"{stage.snapshot:04d}" / "goroutine.debug2.txt" for stage in one.stages]
    return [dump.read_text().count("\n\n") + 1 for dump in dumps]


@pytest.mark.live
def test_goroutines_are_counted_after_cleanups_and_parallel_subtests(tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in DEPOT.rglob("*") if path.is_file()}
    found = measured(of_folder(tmp_path, packages=("./quotes",), bench="BestTimeout", count=3, grace=0.3))
    assert [one.outcome for one in found.values()] == ["passed"] * 4
    assert goroutines(found["TestBestTimeout"]) == [2, 3, 4, 5]
    assert goroutines(found["TestBestParallel"]) == [2, 2, 2, 2]
    benchmark = found["BenchmarkBestTimeout"]
    assert goroutines(benchmark) == [stage.work + 2 for stage in benchmark.stages]
    assert {path: path.read_bytes() for path in DEPOT.rglob("*") if path.is_file()} == before


@pytest.mark.live
def test_a_test_main_runs_and_a_pattern_chooses(tmp_path: Path) -> None:
    tests = of_folder(tmp_path, packages=("./ledger",), run="^TestB(ook|ad)/x", count=2)
    (package,) = tests.packages()
    program = tests.build(package)
    assert isinstance(program, Path)
    assert tests.names(package, program) == (("test", "TestBook"),)
    assert "-test.run=^TestBook$/x" in tests._run_flags("test", "TestBook")
    with pytest.raises(UsageError, match="error parsing regexp"):
        of_folder(tmp_path, run="Test[").names(package, program)


@pytest.mark.live
@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ('t.Error("no")', "failed"),
        ('panic("no")', "ended"),
        ("os.Exit(3)", "ended"),
        ('t.Skip("not here")', "idle"),
        ("select {}", "late"),
        ('if os.Getenv("SHIFT") != "night" { t.Fatal("no shift") }', "passed"),
    ],
)
def test_what_became_of_a_test_is_told(body: str, outcome: str, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "go.mod").write_text("module example.com/shop\n\ngo 1.21\n")
    text = f'package shop_test\n\nimport (\n\t"os"\n\t"testing"\n)\n\nvar _ = os.Exit\n\nfunc TestShop(t *testing.T) {{ {body} }}\n'
    (folder / "shop_test.go").write_text(text)
    place = tmp_path / "captures"
    place.mkdir()
    tests = of_folder(place, folder, count=2, seconds=3.0, env={"SHIFT": "night"})
    assert measured(tests)["TestShop"].outcome == outcome


@pytest.mark.live
def test_what_does_not_compile_or_is_not_there_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    shutil.copytree(DEPOT / "mailer", folder)
    (folder / "go.mod").write_text("module example.com/shop\n\ngo 1.21\n")
    (folder / "mailer.go").write_text("package mailer\n\nfunc Send(")
    tests = of_folder(tmp_path, folder)
    found = tests.build(Package("example.com/shop", folder, "mailer", folder))
    assert isinstance(found, Unbuilt)
    assert "syntax error" in found.why
    place = tmp_path / "empty"
    place.mkdir()
    with pytest.raises(OakumError, match="go list"):
        of_folder(tmp_path, place).packages()


def test_settings_of_the_go_command_are_not_changed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="GOFLAGS"):
        GoTests(DEPOT, Asked(env={"GOFLAGS": "-toolexec=./x"}), tmp_path, {"PATH": "/usr/bin"})


C_CODE = """package shop

// static int price(int pieces) { return 3 * pieces; }
import "C"

func Price(pieces int) int { return int(C.price(C.int(pieces))) }
"""
C_TEST = """package shop

import "testing"

func TestPrice(t *testing.T) {
	done := make(chan int)
	go func() { done <- Price(2) }() // which nobody receives
	if Price(2) != 6 {
		t.Fatal("not six")
	}
}
"""


@pytest.mark.live
@pytest.mark.parametrize("asked", ["cgo", "race"])
def test_packages_with_c_code_and_the_race_detector(asked: str, tmp_path: Path) -> None:
    need_tool("gcc", "gcc")
    folder, place = tmp_path / "shop", tmp_path / "captures"
    folder.mkdir()
    place.mkdir()
    (folder / "go.mod").write_text("module example.com/shop\n\ngo 1.21\n")
    (folder / "shop.go").write_text(C_CODE)
    (folder / "shop_test.go").write_text(C_TEST)
    found = measured(of_folder(place, folder, count=3, grace=0.3, cgo=asked == "cgo", race=asked == "race"))
    assert found["TestPrice"].outcome == "passed"
    assert goroutines(found["TestPrice"]) == [2, 3, 4, 5]
    off = of_folder(place, folder)
    assert [one for one in off.packages() if isinstance(off.build(one), Path)] == []
