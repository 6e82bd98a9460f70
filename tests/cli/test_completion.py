"""Completion: what is proposed at the cursor, and that a real bash, with a real TAB key, takes it."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

import pytest

from oakum import cli
from oakum.cli import COMMANDS
from support import ROOT, imported, need_tool, oakum

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a directory with a few captures."""
    for name in ("shim dump.txt", "shim\nplain,rm -rf", "shim\x1b[2J", "heap.pb.gz", "journal.txt"):
        (tmp_path / name).touch()
    (tmp_path / "parcels").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def proposed(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what a bash is told that the line may become, each as `kind,value`."""
    monkeypatch.setenv("_OAKUM_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_LINE", line)
    monkeypatch.setenv("COMP_BREAKS", " :=")
    cli.run([])
    return capsys.readouterr().out.split("\n")[:-1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("oakum dia", ["plain,diagnose"]),
        ("oakum d", ["plain,diagnose", "plain,diff", "plain,demo", "plain,doctor"]),
        ("oakum diagnose --ba", ["plain,--baseline"]),
        ("oakum diagnose --lang ", ["plain,en", "plain,zh"]),
        ("oakum diagnose --lang=z", ["plain,zh"]),
        ("oakum diagnose before/ --exit", ["plain,--exit-zero"]),
        # pprof's flags: one dash or two, underscores or dashes, and after others of them
        ("oakum top -sam", ["plain,-sample_index"]),
        ("oakum top --sample-", ["plain,--sample-index"]),
        ("oakum top -cum -nodecount=5 -sample_index=inuse_s", ["plain,inuse_space"]),
        ("oakum top -sample_index alloc_s", ["plain,alloc_space"]),
        ("oakum goroutines -n", ["plain,-n", "plain,--namespace"]),
        ("oakum flame --format f", ["plain,folded"]),
        # files and folders are the shell's to complete
        ("oakum diagnose ", ["file,"]),
        ("oakum diagnose hea", ["file,hea"]),
        ("oakum top -diff_base hea", ["file,hea"]),
        ("oakum diagnose --source ", ["dir,"]),
        ("oakum scan ", ["file,"]),
        # ... unless a kind of target begins alike: then both are told
        ("oakum diagnose pi", ["plain,pid:"]),
        ("oakum diagnose sh", ["plain,shim:", "plain,shim\\ dump.txt"]),
        ("oakum diagnose parc", ["plain,parca+http://", "plain,parcels/"]),
        ("oakum diagnose kube://", ["plain,//"]),
        ("oakum known s", ["plain,search", "plain,show"]),
        ("oakum known show kubernetes-9865", ["plain,kubernetes-98653"]),
        ("oakum known match hea", ["file,hea"]),
        ("oakum scan --mechanism abandoned-s", ["plain,abandoned-sender"]),
        ("oakum goroutines --sort ", ["plain,count", "plain,age", "plain,state", "plain,place"]),
        ("oakum goroutines --by state,crea", ["plain,state,creator"]),
        ("oakum report hea", ["file,hea"]),
        ("oakum report --recheck saved.json hea", ["file,hea"]),
        ("oakum completion ", ["plain,bash", "plain,zsh", "plain,fish"]),
        ("oakum --vers", ["plain,--version"]),
        # what makes no sense is not completed, and shows no error either
        ("oakum nonsense x", []),
        ("oakum top -cum=perhaps x", []),
        ("oakum list 'unclosed", []),
    ],
)
def test_what_is_proposed(
    line: str, expected: list[str], here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [item for item in proposed(line, monkeypatch, capsys) if item] == expected
    assert not capsys.readouterr().err


def test_processes_are_proposed_by_number(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            # bash keeps `pid:` itself, as it ends a word there
            assert f"plain,{other.pid}" in proposed("oakum diagnose pid:", monkeypatch, capsys)
        finally:
            other.kill()


def test_zsh_and_fish_are_told_what_things_are_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = dict(COMMANDS)["diagnose"]
    monkeypatch.setenv("_OAKUM_COMPLETE", "zsh_complete")
    monkeypatch.setenv("COMP_WORDS", "oakum dia")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert cli.run([]) == 0
    assert capsys.readouterr().out == f"plain\ndiagnose\n{told}\n"
    monkeypatch.setenv("_OAKUM_COMPLETE", "fish_complete")
    monkeypatch.setenv("COMP_CWORD", "dia")
    assert cli.run([]) == 0
    assert capsys.readouterr().out == f"plain,diagnose\t{told}\n"
    # neither ends words at an equals sign
    monkeypatch.setenv("COMP_WORDS", "oakum diagnose --lang=z")
    monkeypatch.setenv("COMP_CWORD", "--lang=z")
    assert cli.run([]) == 0
    assert capsys.readouterr().out == "plain,--lang=zh\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script(shell: str) -> None:
    answer = oakum("completion", shell)
    assert answer.code == 0
    assert f"_OAKUM_COMPLETE={shell}_complete" in answer.out
    assert not answer.err
    # What was wrong in click's scripts is fixed, and click's have not changed so that it would not be.
    assert shell != "zsh" or answer.out.count("compdef _oakum_completion oakum\n") == 2
    assert shell != "fish" or 'string split -m 1 ","' in answer.out
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=answer.out, text=True, check=True)


def test_a_shell_that_is_not_known() -> None:
    answer = oakum("completion", "tcsh")
    assert answer.code == 2
    assert "'bash', 'zsh', 'fish'" in answer.err
    assert oakum(_OAKUM_COMPLETE="tcsh_complete").code == 2


class Typist:
    """Somebody at a terminal who types into a bash that has the script."""

    def __init__(self, folder: Path) -> None:
        script = oakum("completion", "bash").out
        (folder / "bin").mkdir()
        program = folder / "bin" / "oakum"
        program.write_text(
            f'#!/bin/sh\nPYTHONPATH={quote(str(ROOT / "src"))} exec {quote(sys.executable)} -m oakum "$@"\n'
        )
        program.chmod(0o755)
        (folder / "rc").write_text(f"{script}\nPS1='READY>'\nbind 'set bell-style none'\n")
        self._master, slave = pty.openpty()
        self._bash = subprocess.Popen(
            [need_tool("bash", "bash"), "--noprofile", "--rcfile", str(folder / "rc"), "-i"],
            stdin=slave, stdout=slave, stderr=slave, cwd=folder, start_new_session=True,
            env={"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        os.close(slave)
        self.until("READY>")

    def until(self, expected: str, seconds: float = 20.0) -> str:
        """Return what the terminal showed until this was there."""
        shown, end = "", time.monotonic() + seconds
        while expected not in shown and time.monotonic() < end:
            if select.select([self._master], [], [], 0.1)[0]:
                shown += os.read(self._master, 4096).decode(errors="replace")
        assert expected in shown, f"{expected!r} was not shown: {shown!r}"
        return shown

    def types(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def leaves(self) -> None:
        self._bash.kill()
        self._bash.wait()
        os.close(self._master)


@pytest.fixture
def typist(tmp_path: Path) -> Iterator[Typist]:
    person = Typist(tmp_path)
    yield person
    person.leaves()


@pytest.mark.slow
def test_a_real_tab_key(typist: Typist, tmp_path: Path) -> None:
    (tmp_path / "my dump.txt").touch()
    for typed, shown in (
        ("oakum dia\t", "oakum diagnose "),
        ("oakum diagnose --ba\t", "--baseline "),
        ("oakum top -sam\t", "-sample_index "),
        ("oakum diagnose --lang=z\t", "--lang=zh "),
        ("oakum known show kubernetes-9865\t", "kubernetes-98653 "),
        ("oakum diagnose my\t", "my\\ dump.txt "),
        (f"oakum diagnose pid:{os.getpid()}\t", f"pid:{os.getpid()} "),
    ):
        typist.types(typed)
        typist.until(shown)
        typist.types("\x15\r")  # Ctrl-U: the line is gone
        typist.until("READY>")


def test_it_is_quick() -> None:
    """What is imported is counted: seconds hang on what else runs on this machine."""
    verb = imported("-m", "oakum", _OAKUM_COMPLETE="bash_complete", COMP_LINE="oakum dia")
    option = imported("-m", "oakum", _OAKUM_COMPLETE="bash_complete", COMP_LINE="oakum diagnose --ba")
    bare, libraries = imported("-c", "pass"), imported("-c", "import numpy, click, msgspec")
    assert "click" in verb
    assert "numpy" not in verb, "verbs are told without it"
    assert len(verb - bare - imported("-c", "import click")) < 40, "19 here"
    assert len(option - libraries) < 120, "73 here"
