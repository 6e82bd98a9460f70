"""oakum diagnose: exit codes, languages, where the report goes. What it finds is tested where it is found."""

import json
import os
import pty
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from collect.pprof.pretend import pretend, profiles
from diagnoses import rich
from oakum import cli
from oakum.cli.outputs import language
from oakum.model import Case, Diagnosis, Sources
from support import ROOT, Answer
from support import oakum as in_a_process

BOXOFFICE = ROOT / "casebook/lost-signal-boxoffice/captures/leaking-go1.27-trimpath"
Call = Callable[..., Answer]


@pytest.fixture
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small dump whose diagnosis is the rich one."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    judged(monkeypatch, "leaking")
    path = tmp_path / "dump.txt"
    path.write_text("goroutine 1 [chan send]:\nmain.ask()\n\t/srv/a/a.go:9 +0x1\n")
    return path


def judged(monkeypatch: pytest.MonkeyPatch, verdict: Literal["leaking", "healthy", "undecided"]) -> None:
    def diagnose(case: Case, progress: Callable[[str], None], sources: Sources) -> Diagnosis:
        progress(case.processes[0].name)
        return replace(rich(), verdict=verdict)

    monkeypatch.setattr("oakum.pipeline.diagnosis.diagnose", diagnose)


@pytest.mark.parametrize(("verdict", "code"), [("healthy", 0), ("leaking", 1), ("undecided", 3)])
def test_exit_codes(
    verdict: Literal["leaking", "healthy", "undecided"],
    code: int,
    oakum: Call,
    dump: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged(monkeypatch, verdict)
    assert oakum("diagnose", dump).code == code
    assert oakum("diagnose", dump, "--exit-zero").code == 0


def test_a_dry_run_tells_what_would_be_done_and_does_none_of_it(oakum: Call, dump: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    answer = oakum("diagnose", "--dry-run", "--source", tmp_path, dump, "--baseline", dump, "-o", report)
    assert answer.code == 0
    assert answer.out.startswith("Nothing was captured, run or written.\n")
    assert f"would read: {dump}  1 file, {dump.stat().st_size} B\n" in answer.out
    assert "as the baseline" in answer.out
    assert f"would read source: {tmp_path}, the module cache" in answer.out
    assert f"would write: {report}\n" in answer.out
    assert not report.exists()
    assert "drafted Go tests" in oakum("diagnose", "--dry-run", "--prove", "--source", tmp_path, dump).out
    assert oakum("diagnose", "--dry-run", tmp_path / "missing").code == 4
    chinese = oakum("diagnose", "--dry-run", "--lang", "zh", "--no-source", dump).out
    assert "没有采集、运行或写入任何内容。" in chinese
    assert "源码" not in chinese


def test_a_dry_run_looks_at_what_runs_and_takes_nothing(
    oakum: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPROF_TMPDIR", str(tmp_path))
    with pretend(profiles()) as server:
        answer = oakum("diagnose", "--dry-run", server.base)
        assert answer.code == 0
        assert "goroutine.debug2.txt" in answer.out
        assert not any("debug=2" in asked for asked in server.asked)
    assert list(tmp_path.iterdir()) == []


def test_what_it_cannot_do(oakum: Call, dump: Path, tmp_path: Path) -> None:
    assert oakum("diagnose").code == 2
    assert "--prove needs --source DIR" in oakum("diagnose", "--prove", dump).err
    assert oakum("diagnose", "--prove", "--no-compile", "--source", tmp_path, dump).code == 2
    assert oakum("diagnose", "--lang", "fr", dump).code == 2
    assert oakum("diagnose", dump, "-o", tmp_path / "missing" / "x.json").code == 2
    missing = oakum("diagnose", tmp_path / "no")
    assert (missing.code, "no such file" in missing.err) == (4, True)
    junk = tmp_path / "junk.txt"
    junk.write_text("nothing of note\n")
    answer = oakum("diagnose", junk)
    assert (answer.code, answer.out) == (4, "")
    assert "nothing to diagnose" in answer.err


def test_json(oakum: Call, dump: Path, tmp_path: Path) -> None:
    answer = oakum("diagnose", "--json", dump, "--lang", "zh")
    found = json.loads(answer.out)
    assert found["schema"] == "oakum.diagnosis/1"
    assert found["summary"]["text"] == "2 leaks found.", "JSON is English; key and args say it in any language"
    file = tmp_path / "x.json"
    answer = oakum("diagnose", dump, "-o", file)
    assert (answer.code, answer.out) == (1, "")
    wrote, verdict = answer.err.splitlines()
    assert wrote.startswith(f"oakum: wrote {file} (")
    assert re.match(r"oakum: LEAK  Goroutines blocked .* goroutines in ", verdict), verdict
    assert json.loads(file.read_text(encoding="utf-8")) == found


def test_report_in_a_file(oakum: Call, dump: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    assert oakum("diagnose", dump, "-o", file, "--lang", "zh").out == ""
    assert file.read_text(encoding="utf-8").startswith("泄漏  orders：")


def test_piped_it_is_plain(oakum: Call, dump: Path) -> None:
    answer = oakum("diagnose", dump)
    assert answer.out.startswith("LEAK  ")
    assert "\x1b" not in answer.out
    assert answer.err == ""


def test_language_of_the_locale(oakum: Call, dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert oakum("diagnose", dump).out.startswith("泄漏")
    assert oakum("diagnose", dump, "--lang", "en").out.startswith("LEAK")
    monkeypatch.delenv("LC_ALL")
    monkeypatch.setenv("LC_MESSAGES", "de_DE.UTF-8")
    monkeypatch.setenv("LANG", "zh_TW.UTF-8")
    assert language() == "en", "LC_MESSAGES comes before LANG"
    monkeypatch.delenv("LC_MESSAGES")
    assert language() == "zh"


def test_the_cause_is_read_in_the_source(oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # without Go the drafted fix is told, and that it was not compiled
    case = ROOT / "casebook/abandoned-sender-freight"
    document = json.loads(oakum("diagnose", "--json", "--source", case, case / "captures/leaking-go1.27-trimpath").out)
    found = document["findings"][0]
    roles = {(site["role"], site["line"]) for site in found["cause"]["sites"]}
    assert roles == {("made", 41), ("received", 49), ("never-received", 51), ("never-received", 52), ("select", 48)}
    assert "offers" in found["cause"]["because"]
    assert "+\toffers := make(chan Offer, 1)" in found["remedies"][0]["diff"]
    assert found["remedies"][0]["compiled"] is None
    assert not [gap for gap in document["gaps"] if "source" in gap["key"]]


def test_source_that_is_missing_or_another_version_s(oakum: Call, tmp_path: Path) -> None:
    take = ROOT / "casebook/abandoned-sender-freight/captures/leaking-go1.27-trimpath"
    assert oakum("diagnose", "--source", tmp_path / "no", take).code == 2
    nowhere = json.loads(oakum("diagnose", "--json", "--source", tmp_path, take).out)
    assert "gap.source-missing" in [gap["key"] for gap in nowhere["gaps"]]
    other = tmp_path / "freight"
    shutil.copytree(ROOT / "casebook/abandoned-sender-freight/internal", other / "internal")
    shutil.copy(ROOT / "casebook/abandoned-sender-freight/go.mod", other)
    desk = other / "internal/desk/desk.go"
    desk.write_text(desk.read_text().replace("package desk\n", "package desk\n\n// Another version.\n"))
    drifted = json.loads(oakum("diagnose", "--json", "--source", other, take).out)
    assert "gap.source-differs" in [gap["key"] for gap in drifted["gaps"]]
    assert drifted["findings"][0]["cause"] is None


def test_on_a_terminal(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    master, slave = pty.openpty()
    with open(slave, "w", encoding="utf-8") as terminal:  # noqa: PTH123 - a descriptor
        monkeypatch.setattr("sys.stdout", terminal)
        assert cli.run(["diagnose", str(dump)]) == 1
    shown = os.read(master, 1 << 16).decode()
    os.close(master)
    assert shown.startswith("\x1b[1;31mLEAK\x1b[0m")


def test_the_whole_line() -> None:
    """Recorded evidence through the real command line; the verdict is the casebook's affair."""
    answer = in_a_process("diagnose", "--json", BOXOFFICE, LC_ALL="C.UTF-8")
    found = json.loads(answer.out)
    assert answer.code == {"healthy": 0, "leaking": 1, "undecided": 3}[found["verdict"]]
    assert [process["name"] for process in found["processes"]] == ["boxoffice"]
    assert len(found["moments"]) == 4
    assert answer.err == ""


def test_a_twin_that_cannot_be_read_is_not_passed_over(oakum: Call, dump: Path, tmp_path: Path) -> None:
    picture = tmp_path / "twin.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    said = oakum("diagnose", "--baseline", picture, dump)
    assert said.code == 4
    assert "--baseline" in said.err
    assert "twin.png" in said.err
