"""The command line as a whole: help, version, errors, pipes; nothing shows a traceback."""

import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest

from oakum import __version__
from oakum.cli import COMMANDS
from support import DEMO, ROOT, imported, oakum, oakum_process

NOT_FILES = (
    "demo",
    "diff",
    "find",
    "fleet",
    "watch",
    "serve",
    "list",
    "peek",
    "doctor",
    "completion",
    "history",
    "store",
    "reproduce",
    "verify",
)  # verbs that one file alone is not for
OAKUM = f"{quote(sys.executable)} -m oakum"


def test_version() -> None:
    assert oakum_process("--version").out == f"oakum {__version__}\n"


def test_help_names_every_verb() -> None:
    answer = oakum_process("--help")
    assert answer.code == 0
    assert all(name in answer.out for name, _ in COMMANDS)


def test_without_a_verb_the_help_is_shown() -> None:
    answer = oakum()
    assert answer.code == 2
    assert "Start here:" in answer.out


@pytest.mark.parametrize("name", [name for name, _ in COMMANDS])
def test_every_verb_has_help_with_two_examples(name: str) -> None:
    answer = oakum(name, "--help")
    assert answer.code == 0, answer.err
    examples = answer.out.partition("Examples:")[2]
    assert examples.count("oakum ") >= 2, answer.out


def test_unknown_verb() -> None:
    answer = oakum("tpo", "x")
    assert answer.code == 2
    assert "'tpo'. Did you mean top?" in answer.err


@pytest.mark.parametrize("name", [name for name, _ in COMMANDS if name not in NOT_FILES])
def test_missing_file_is_said_in_words(name: str, tmp_path: Path) -> None:
    answer = oakum(name, tmp_path / "gone.pb.gz")
    assert answer.code == 4
    assert "no such file or directory" in answer.err.lower()
    assert "Traceback" not in answer.err


def test_a_server_that_is_not_there_is_said_in_words() -> None:
    answer = oakum_process("top", "http://127.0.0.1:1/debug/pprof/heap")
    assert answer.code == 4
    assert "http://127.0.0.1:1/debug/pprof/heap: connection refused" in answer.err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{OAKUM} traces {quote(str(DEMO / 'after.heap.pb.gz'))} | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr


@pytest.mark.parametrize("arguments", [["top", str(DEMO / "after.heap.pb.gz")], ["--version"]])
def test_a_full_disk_is_said_in_words(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "oakum", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 4
    assert done.stderr == "oakum: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_closed_streams_show_no_traceback(closed: str) -> None:
    command = f"{OAKUM} top {quote(str(DEMO / 'after.heap.pb.gz'))} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert not done.stderr


def test_short_flags_take_their_value_as_in_go() -> None:
    assert "7 more groups" in oakum("goroutines", DEMO / "after.goroutine.txt.gz", "-n=1").out


def test_start_up_is_instant() -> None:
    assert len(imported("-m", "oakum", "--version") - imported("-c", "pass")) < 30, "19 here"


def test_a_diagnosis_without_source_loads_no_questions_to_it() -> None:
    """What is imported and compiled at each start is most of the time of a small diagnosis."""
    captures = ROOT / "tests" / "regressions" / "articles-of-a-catalogue" / "captures"
    modules = imported("-m", "oakum", "diagnose", "--exit-zero", str(captures))
    assert {name for name in modules if name.startswith(("oakum.explain.", "tree_sitter"))} == {
        "oakum.explain.missing", "oakum.explain.upstream", "oakum.explain.upstream.known",
    }  # fmt: skip
    count = "import re._compiler as c; n = []; f = c.compile; c.compile = lambda *a: n.append(1) or f(*a)"
    script = f"{count}; from oakum.cli import run; run(['diagnose', {str(captures)!r}]); print(len(n))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) < 250, "190 here; 430 when every module compiled its own"


def test_the_version_needs_neither_numpy_nor_click() -> None:
    script = "import sys; sys.argv[1:] = ['--version']; from oakum.__main__ import main; main(); print({'numpy', 'click'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT / "src", check=True)
    assert done.stdout.endswith("set()\n")
