"""oakum scan: trees and files in, flaws out as text, JSON and SARIF; exit codes; what is passed over, and told."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.conftest import Call
from oakum.cli import tree_scan
from oakum.collect.code import go_tree
from oakum.scan import scan
from support import ROOT

LEAK = """package {package}

import "time"

func Quote{name}() int {{
	offers := make(chan int)
	go func() {{
		offers <- ask()
	}}()
	select {{
	case offer := <-offers:
		return offer
	case <-time.After(time.Second):
		return 0
	}}
}}
"""


def leak(package: str = "desk", name: str = "") -> str:
    return LEAK.format(package=package, name=name)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {
        "go.mod": "module example.com/shop\n",
        "good.go": "package shop\n\nfunc Sum(a, b int) int { return a + b }\n",
        "desk/desk.go": leak(),
        "desk/desk_test.go": leak(name="Tested"),
        "desk/outside_test.go": leak("desk_test", "Outside"),
        "desk/desk_windows.go": leak(name="Windows"),
        "desk/made.go": f"//go:build ignore\n\n{leak('main')}",
        "cmd/main.go": leak("main"),
        "vendor/example.com/lib/lib.go": leak("lib"),
        "testdata/x.go": leak("x"),
        "node_modules/y/y.go": leak("y"),
        ".git/z.go": leak("z"),
        "_old/w.go": leak("w"),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def places(out: str) -> list[str]:
    return [f"{one['file']}:{one['line']}" for one in json.loads(out)["flaws"]]


def test_a_tree(oakum: Call, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    answer = oakum("scan", ".")
    assert answer.code == 1
    assert answer.err == ""
    heads = [line for line in answer.out.splitlines() if ".go:" in line and line[0] not in " "]
    assert heads == ["cmd/main.go:13: abandoned-sender", "desk/desk.go:13: abandoned-sender"]
    assert "\n     +    offers := make(chan int, 1)\n" in answer.out
    assert "Risk: " in answer.out
    assert answer.out.splitlines()[-1].startswith("2 leaks in this code: 3 files in 3 packages, ")


def test_what_else_can_be_read(oakum: Call, tree: Path) -> None:
    told = places(oakum("scan", tree, "--json", "--tests", "--vendor").out)
    names = ["cmd/main", "desk/desk", "desk/desk_test", "desk/outside_test", "vendor/example.com/lib/lib"]
    assert told == [f"{tree}/{name}.go:13" for name in names]


def test_names_of_packages(oakum: Call, tree: Path) -> None:
    flaws = json.loads(oakum("scan", tree, "--json", "--tests", "--vendor").out)["flaws"]
    assert [one["function"] for one in flaws] == [
        "main.Quote", "example.com/shop/desk.Quote", "example.com/shop/desk.QuoteTested",
        "example.com/shop/desk_test.QuoteOutside", "example.com/lib.Quote",
    ]  # fmt: skip


def test_a_file_is_read_alone_and_nothing_twice(oakum: Call, tree: Path) -> None:
    assert places(oakum("scan", "--json", tree / "desk" / "desk_windows.go").out) == [f"{tree}/desk/desk_windows.go:13"]
    assert places(oakum("scan", "--json", tree / "desk", tree).out) == [
        f"{tree}/cmd/main.go:13",
        f"{tree}/desk/desk.go:13",
    ]


def test_json(oakum: Call, tree: Path) -> None:
    first, second = (oakum("scan", tree, "--json").out for _ in range(2))
    assert first == second
    said = json.loads(first)
    assert said["schema"] == "oakum.scan/1"
    assert (said["files"], said["packages"], said["ignored"], said["problems"]) == (3, 3, [], [])
    assert {one["role"] for one in said["flaws"][0]["cause"]["sites"]} >= {"never-received", "made"}
    assert said["flaws"][0]["remedies"][0]["diff"].startswith("--- a/")


@pytest.mark.parametrize("name", ["found.sarif", "found.json", "found.txt"])
def test_written_by_its_ending(oakum: Call, tree: Path, tmp_path: Path, name: str) -> None:
    answer = oakum("scan", tree, "-o", tmp_path / name)
    assert (answer.code, answer.out) == (1, "")
    text = (tmp_path / name).read_text()
    if name == "found.txt":
        assert "2 leaks" in text
    else:
        assert ("runs" in json.loads(text)) == (name == "found.sarif")


def test_sarif_names_files_below_the_tree(oakum: Call, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "a b").mkdir()
    (tree / "a b" / "c#.go").write_text(leak("c"))
    monkeypatch.chdir(tree)
    all_of_it = ["a%20b/c%23.go", "cmd/main.go", "desk/desk.go"]
    cases: list[tuple[list[str], list[str]]] = [
        ([str(tree)], all_of_it),
        (["."], all_of_it),
        (["cmd", "desk/desk.go"], all_of_it[1:]),
        (["desk/../desk"], ["desk.go"]),
    ]
    for words, names in cases:
        (run,) = json.loads(oakum("scan", "--sarif", *words).out)["runs"]
        uris = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]]
        assert uris == names
        assert (
            run["originalUriBaseIds"]["SRCROOT"]["uri"]
            == f"{(tree / 'desk' if names == ['desk.go'] else tree).as_uri()}/"
        )


def test_ignored_places_are_counted(oakum: Call, tree: Path) -> None:
    desk, main = tree / "desk" / "desk.go", tree / "cmd" / "main.go"
    desk.write_text(leak().replace("case <-time", "//oakum:ignore a demo\n\tcase <-time"))
    main.write_text(leak("main").replace("Second):", "Second): //oakum:ignore"))
    answer = oakum("scan", tree)
    assert answer.code == 1
    assert "1 ignored by source comments" in answer.out.splitlines()[-1]
    assert answer.err == f"oakum: {main}:13: //oakum:ignore needs a reason\n"
    main.write_text("package main\n")
    answer = oakum("scan", tree)
    assert answer.code == 0
    assert answer.out.startswith("No leak found: 3 files in 3 packages, ")
    assert json.loads(oakum("scan", tree, "--json").out)["ignored"][0]["reason"] == "a demo"


def test_one_mechanism(oakum: Call, tree: Path) -> None:
    assert oakum("scan", tree, "--mechanism", "double-lock").code == 0
    assert oakum("scan", tree, "--mechanism", "double-lock", "--mechanism", "abandoned-sender").code == 1
    answer = oakum("scan", tree, "--mechanism", "abandoned-sendr")
    assert answer.code == 2
    assert "abandoned-sender?" in answer.err


def test_exit_zero(oakum: Call, tree: Path) -> None:
    assert oakum("scan", "--exit-zero", tree).code == 0


def test_in_chinese(oakum: Call, tree: Path) -> None:
    out = oakum("scan", "--lang", "zh", tree).out
    assert "协程阻塞在 channel 发送" in out
    assert out.splitlines()[-1].startswith("代码中发现 2 处泄漏：共 3 个包、3 个文件")


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("nowhere", 4, "no such file or directory"),
        ("program", 4, "scan reads directories"),
        ("empty", 4, "empty: no Go source there (no .go files that could be read), and nothing that has versions"),
        ("text", 4, "scan reads directories"),
        ("notes", 4, "notes: no Go source there (no .go files that could be read), and nothing that has versions"),
    ],
)
def test_what_is_refused(oakum: Call, tree: Path, name: str, code: int, told: str) -> None:
    (tree / "empty").mkdir()
    (tree / "program").write_bytes(b"\x7fELF")
    (tree / "notes").mkdir()
    for path in (tree / "text", tree / "notes" / "text"):
        path.write_text("nothing of interest\n")
    answer = oakum("scan", tree / name)
    assert (answer.code, answer.out) == (code, "")
    assert told in answer.err


def test_without_source_the_directory_to_name_is_told(
    oakum: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    answer = oakum("scan", "docs")
    assert (answer.code, answer.out) == (4, "")
    assert "capture" not in answer.err.replace("output, captures", "")
    assert answer.err.endswith(
        "name the directory of a checkout that has go.mod, or the built program: oakum scan DIR\n"
    )
    (tmp_path / "go.mod").write_text("module example.com/shop\n\ngo 1.22\n")
    assert oakum("scan", "docs/pictures").err.endswith("Next: oakum scan ., the module around it\n")
    (tmp_path / "docs" / "desk_test.go").write_text("package docs\n")
    assert oakum("scan", "docs").err.endswith("oakum scan --tests docs, which reads the _test.go files there\n")


@pytest.mark.parametrize("words", [["--json", "--sarif"], ["-o", "x.html"], ["--jobs", "0"], ["--code", "--known"]])
def test_options_that_do_not_fit(oakum: Call, tree: Path, words: list[str]) -> None:
    assert oakum("scan", tree, *words).code == 2


def test_what_cannot_be_read_is_told(oakum: Call, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "desk" / "huge.go").write_bytes(b"package desk\n" + b"// x\n" * (3 << 20))
    (tree / "desk" / "link.go").symlink_to("/etc/hosts")
    (tree / "desk" / "broken.go").write_text("package desk\n\nfunc f( {\n")
    answer = oakum("scan", tree)
    assert answer.code == 1
    assert [line.partition("desk/")[2] for line in answer.err.splitlines()] == [
        "broken.go:3: not all of it could be parsed as Go; what could not is left out",
        "huge.go: larger than 10 MB: not read",
        "link.go: a link to something that is not source: not read",
    ]
    assert "3 not fully read" in answer.out.splitlines()[-1]
    chinese = oakum("scan", "--lang", "zh", tree).err.splitlines()
    assert [line.partition("desk/")[2] for line in chinese] == [
        "broken.go:3：部分内容无法按 Go 语法解析，已跳过",
        "huge.go：超过 10 MB：未读取",
        "link.go：是指向非源码文件的链接：未读取",
    ]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ZeroDivisionError("by zero"), "internal error: ZeroDivisionError: by zero"),
        (MemoryError(), "out of memory"),
        (None, "more than 0 s for one package"),
    ],
)
def test_one_package_ends_nothing_but_itself(
    oakum: Call, tree: Path, monkeypatch: pytest.MonkeyPatch, error: Exception | None, told: str
) -> None:
    usual = scan

    def fails(path: str, files: tuple[object, ...], go: int | None) -> object:
        if path == "main":
            if error:
                raise error
            while True:
                pass
        return usual(path, files, go)  # type: ignore[arg-type]

    monkeypatch.setattr(tree_scan, "scan", fails)
    monkeypatch.setattr(tree_scan, "_SECONDS", 0.2)
    answer = oakum("scan", "--json", tree)
    assert places(answer.out) == [f"{tree}/desk/desk.go:13"]
    assert told in answer.err


@pytest.mark.slow
def test_several_processes_find_the_same(oakum: Call, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_scan, "_CHUNK", 1)
    alone = oakum("scan", "--json", "--jobs", "1", tree).out
    assert oakum("scan", "--json", "--jobs", "2", tree).out == alone


def test_interrupted(oakum: Call, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tree_scan, "scan", interrupt)
    answer = oakum("scan", tree)
    assert (answer.code, answer.out, answer.err.strip()) == (130, "", "oakum: interrupted")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts its workers in /proc")
def test_ctrl_c_ends_the_workers_too(tree: Path) -> None:
    for number in range(60):
        (tree / f"p{number}").mkdir()
        functions = [leak("x", str(at)).partition('time"\n')[2] for at in range(200)]
        (tree / f"p{number}" / "x.go").write_text("".join(['package x\n\nimport "time"\n', *functions]))
    process = subprocess.Popen(
        [sys.executable, "-m", "oakum", "scan", "--jobs", "2", str(tree)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(children.read_text().split()) < 3 and process.poll() is None:  # two workers and what tracks them
        time.sleep(0.01)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (130, "", "oakum: interrupted")


def test_directories_are_not_followed_in_circles(tree: Path) -> None:
    (tree / "desk" / "again").symlink_to(tree)
    assert [str(one.relative_to(tree)) for one in go_tree.directories(tree)] == [".", "cmd", "desk"]
