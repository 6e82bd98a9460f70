"""oakum report --recheck: fresh reports are confirmed, whatever was tampered with is found, and what cannot be told is
said to be so."""

import gzip
import json
import os
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oakum import __version__
from oakum.report.differences import differences
from oakum.report.recheck import set_apart
from support import ROOT, Answer

Call = Callable[..., Answer]
CASEBOOK = ROOT / "casebook"
SMALL = "abandoned-sender-freight"
INCIDENTS = ("kubernetes-83333", "kubernetes-98653", "open-simulator-88", "rancher-30122", "ttrpc-94")
LAST = "4-evening/goroutine.debug2.txt.gz"


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with captures, the source of what runs, and reports made from there; nobody changes it."""
    from support import oakum

    home = tmp_path_factory.mktemp("made")
    shutil.copytree(CASEBOOK / SMALL / "captures/leaking-go1.27-trimpath", home / "captures")
    shutil.copytree(CASEBOOK / SMALL / "internal", home / "source/internal")
    shutil.copy(CASEBOOK / SMALL / "go.mod", home / "source")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        outputs = ("-o", "report.json", "-o", "report.html", "-o", "captures/report.md")
        oakum("diagnose", "--source", "source", "--no-compile", "captures", *outputs)
    return home


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of that folder, where the test is."""
    home = tmp_path / "here"
    shutil.copytree(made, home)
    monkeypatch.chdir(home)
    return home


def read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def told(oakum: Call, *words: str | Path) -> tuple[int, dict[str, Any]]:
    answer = oakum("report", "--json", "--recheck", *words)
    return answer.code, json.loads(answer.out)


def test_fresh_reports_are_confirmed(oakum: Call, here: Path) -> None:
    answer = oakum("report", "--recheck", "report.json")
    assert answer.code == 0
    assert answer.out.startswith("IDENTICAL  ")
    assert "from 32 captures" in answer.out
    page = oakum("report", "--recheck", "report.html", "--lang", "zh")
    assert page.code == 0
    assert page.out.startswith("一致  从 32 份采集文件重新计算出")
    assert "页面" in page.out
    code, found = told(oakum, "report.json")
    assert (code, found["verdict"], found["schema"]) == (0, "identical", "oakum.recheck/1")
    assert found["numbers"] > 50
    assert found["sentences"] > 10


@pytest.mark.slow
def test_from_anywhere(oakum: Call, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the report are looked for from here, then from its own folder."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert told(oakum, here / "report.json")[0] == 0


Tamper = Callable[[dict[str, Any]], object]
TAMPERED: dict[str, tuple[Tamper, str]] = {
    "count": (lambda d: d["findings"][0]["sites"][0].update(count=158), "findings[0].sites[0].count"),
    "growth": (lambda d: d["findings"][0]["growth"][0]["counts"].__setitem__(2, 7), "findings[0].growth[0].counts[2]"),
    "rate": (lambda d: d["findings"][0]["growth"][0].update(per_hour=1.5), "findings[0].growth[0].per_hour"),
    "share": (lambda d: d["findings"][0]["share"].update(goroutines=0.1), "findings[0].share.goroutines"),
    "text": (lambda d: d["findings"][0].update(title="All is well."), "findings[0].title"),
    "claim": (lambda d: d["findings"][0]["evidence"][0].update(claim="It was the network."), "findings[0].evidence[0].claim"),
    "argument": (lambda d: d["findings"][0]["evidence"][0]["args"].update(count=1), "findings[0].evidence[0].args.count"),
    "where": (lambda d: d["findings"][0]["evidence"][0].update(where="goroutine 1"), "findings[0].evidence[0].where"),
    "cause": (lambda d: d["findings"][0]["cause"]["sites"][0].update(line=1), "findings[0].cause.sites[0]"),
    "fix": (lambda d: d["findings"][0]["remedies"][0].update(diff="--- a/x\n"), "findings[0].remedies[0].diff"),
    "command": (lambda d: d["findings"][0]["commands"].append("curl evil | sh"), "findings[0].commands[2]"),
    "confidence": (lambda d: d["findings"][0].update(confidence="possible"), "findings[0].confidence"),
    "verdict": (lambda d: d.update(verdict="healthy"), "verdict"),
    "finding": (lambda d: d["findings"].clear(), "findings[0]"),
    "gap": (lambda d: d["gaps"].append({**d["gaps"][0], "key": "gap.heap"} if d["gaps"] else {"what": "x", "why": "y", "command": "", "key": "gap.heap", "args": {}, "why_key": "gap.heap.why", "why_args": {}}), "gaps["),
    "harmless": (lambda d: d["explained"].append({"mechanism": "idle-pool", "title": "x", "key": "k", "args": {}, "sites": []}), "explained["),
    "memory": (lambda d: d["memory"].update(rss=1), "memory.rss"),
    "time": (lambda d: d["moments"][0].update(at="2020-01-01T00:00:00Z"), "moments[0].at"),
    "time line": (lambda d: d["timeline"][0]["totals"].update(goroutines=1), "timeline[0].totals.goroutines"),
    "time line gone": (lambda d: d.pop("timeline"), "timeline"),
    "process": (lambda d: d["processes"][0].update(name="other"), "processes[0].name"),
    "version": (lambda d: d["processes"][0]["build"].update(go="go1.2"), "processes[0].build.go"),
    "input": (lambda d: d["inputs"][1].update(kind="heap"), "inputs["),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_each_kind_of_tampering_stands(name: str, made: Path) -> None:
    """Each alone, held against what the evidence gives, which for a fresh report is what it says."""
    tamper, path = TAMPERED[name]
    report, derived = read(made / "report.json"), read(made / "report.json")
    tamper(report)
    stand, apart = set_apart(differences(report, derived), report, derived, go=True)
    assert any(one.path.startswith(path) for one in stand)
    assert apart == ()


def test_all_of_it_is_found_in_the_end(oakum: Call, here: Path) -> None:
    report = read(here / "report.json")
    kinds = {name: kind for name, kind in TAMPERED.items() if name not in ("finding", "time line gone")}
    for tamper, _ in kinds.values():
        tamper(report)
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    code, found = told(oakum, "report.json")
    assert (code, found["verdict"]) == (1, "differs")
    paths = [one["path"] for one in found["differences"]]
    for name, (_, path) in kinds.items():
        assert any(one.startswith(path) for one in paths), name
    assert found["changed"] == found["missing"] == found["extra"] == found["not_derived"] == []
    shown = oakum("report", "--recheck", "report.json").out
    assert f"... and {len(paths) - 20} more (--json lists all)" in shown


@pytest.mark.slow
@pytest.mark.parametrize("name", ["finding", "verdict", "count"])
def test_one_is_enough(name: str, oakum: Call, here: Path) -> None:
    report = read(here / "report.json")
    TAMPERED[name][0](report)
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    code, found = told(oakum, "report.json")
    assert (code, [one["path"] for one in found["differences"]]) == (1, [TAMPERED[name][1]])


def test_a_difference_is_one_line(oakum: Call, here: Path) -> None:
    report = read(here / "report.json")
    was = report["findings"][0]["growth"][0]["counts"][2]
    report["findings"][0]["growth"][0]["counts"][2] = 7
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    english = oakum("report", "--recheck", "report.json").out
    assert english.startswith("DIFFERS  1 difference between the report and its evidence.")
    assert f"findings[0].growth[0].counts[2]: 7 in the report, {was} from the evidence" in english
    assert f"报告为 7，证据为 {was}" in oakum("report", "--recheck", "report.json", "--lang", "zh").out


def test_a_digest_that_was_tampered_with(oakum: Call, here: Path) -> None:
    report = read(here / "report.json")
    row = next(one for one in report["inputs"] if one["origin"].endswith(LAST))
    row["digest"] = "sha256:" + "0" * 64
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    code, found = told(oakum, "report.json")
    assert code == 1
    assert [one["path"] for one in found["changed"]] == [f"captures/{LAST}"]


def test_a_capture_that_was_changed(oakum: Call, here: Path) -> None:
    dump = here / "captures" / LAST
    dump.write_bytes(gzip.compress(gzip.decompress(dump.read_bytes()).replace(b"chan send", b"chan recv", 3)))
    answer = oakum("report", "--recheck", "report.json")
    assert answer.code == 1
    assert "Changed captures" in answer.out
    assert f"captures/{LAST}: sha256:" in answer.out
    code, found = told(oakum, "report.json")
    assert code == 1
    assert any(one["path"].startswith("findings[0].sites[0].count") for one in found["differences"])
    assert not any(str(one.get("report")).startswith("sha256:") for one in found["differences"]), "said once"


def test_more_evidence_than_the_report_knows(oakum: Call, here: Path) -> None:
    (here / "captures/notes.txt").write_text("we saw this at night\n")
    assert told(oakum, "report.json")[0] == 0, "a note is no evidence, nor is a report"
    shutil.copytree(here / "captures/4-evening", here / "captures/5-night")
    code, found = told(oakum, "report.json")
    assert code == 1
    assert f"captures/5-night/{LAST.rpartition('/')[2]}" in found["extra"]
    assert found["differences"] == []


def test_evidence_that_was_moved(oakum: Call, here: Path, tmp_path: Path) -> None:
    (here / "captures").rename(tmp_path / "moved")
    assert told(oakum, "report.html", tmp_path / "moved")[0] == 0


def test_evidence_that_is_gone(oakum: Call, here: Path) -> None:
    (here / "captures" / LAST).unlink()
    answer = oakum("report", "--recheck", "report.json")
    assert answer.code == 4
    assert answer.out.startswith("NOT CHECKED")
    assert f"captures/{LAST}" in answer.out
    shutil.rmtree(here / "captures")
    answer = oakum("report", "--recheck", "report.json")
    assert answer.code == 4
    assert "captures: 32 captures" in answer.out
    assert "$ oakum report --recheck report.json EVIDENCE..." in answer.out


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
def test_evidence_that_lies_elsewhere(packed: bool, oakum: Call, here: Path, tmp_path: Path) -> None:
    there = tmp_path / "moved" / "of-that-night"
    there.parent.mkdir()
    (here / "captures").rename(there)
    if packed:
        with tarfile.open(tmp_path / "night.tgz", "w:gz") as archive:
            archive.add(there, "of-that-night")
        there = tmp_path / "night.tgz"
    assert oakum("report", "--recheck", "report.json").code == 4
    assert told(oakum, "report.json", there)[0] == 0
    assert told(oakum, "report.html", there)[0] == 0
    if not packed:
        assert told(oakum, "report.json", there.parent)[0] == 0, "a folder around it will do"


@pytest.mark.slow
def test_absolute_words(oakum: Call, here: Path, tmp_path: Path) -> None:
    report = tmp_path / "absolute.json"
    oakum("diagnose", here / "captures", "--no-source", "-o", report)
    assert read(report)["called"] == ["--no-source", str(here / "captures")]
    assert told(oakum, report)[0] == 0
    (here / "captures").rename(tmp_path / "moved")
    assert told(oakum, report, tmp_path / "moved")[0] == 0


@pytest.mark.slow
def test_twins_and_binaries(oakum: Call, here: Path) -> None:
    one, two = here / "captures/1-opening", here / "captures/4-evening"
    words = ("--baseline", "captures/1-opening", "--binary", "source/go.mod", "captures/4-evening")
    oakum("diagnose", *words, "--no-source", "-o", "twin.json", "-o", "twin.html")
    assert told(oakum, "twin.json")[0] == 0
    assert told(oakum, "twin.html")[0] == 0
    one.rename(here / "healthy")
    two.rename(here / "sick")
    assert told(oakum, "twin.json")[0] == 4
    assert told(oakum, "twin.json", "healthy", "sick")[0] == 0


def test_source_that_is_gone(oakum: Call, here: Path) -> None:
    (here / "source").rename(here / "checkout")
    answer = oakum("report", "--recheck", "report.json")
    assert answer.code == 4
    assert "findings[0]: cause, remedies" in answer.out
    assert "--source DIR" in answer.out
    code, found = told(oakum, "report.json")
    assert (code, found["differences"]) == (4, [])
    assert {one["why"] for one in found["not_derived"]} == {"source"}
    assert told(oakum, "report.json", "--source", "checkout")[0] == 0
    report = read(here / "report.json")
    report["findings"][0]["sites"][0]["count"] = 1
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    assert told(oakum, "report.json")[0] == 1, "what does not depend on the source is compared all the same"


@pytest.mark.slow
def test_source_that_was_not_there_then(oakum: Call, here: Path) -> None:
    (here / "empty").mkdir()
    oakum("diagnose", "captures", "--source", "empty", "--no-compile", "-o", "bare.json")
    shutil.copytree(here / "source", here / "empty", dirs_exist_ok=True)
    code, found = told(oakum, "bare.json")
    assert (code, found["differences"]) == (4, [])
    assert {one["why"] for one in found["not_derived"]} == {"found"}


def test_without_go_a_fix_is_not_compiled(oakum: Call, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = read(here / "report.json")
    report["called"].remove("--no-compile")
    report["findings"][0]["remedies"][0]["compiled"] = True
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    monkeypatch.setenv("PATH", str(here))
    answer = oakum("report", "--recheck", "report.json")
    assert answer.code == 4
    assert "Go is not installed here" in answer.out


def test_another_version_is_said(oakum: Call, here: Path) -> None:
    report = read(here / "report.json")
    report["tool"] = "0.0.1"
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    answer = oakum("report", "--recheck", "report.json")
    assert answer.code == 0
    assert f"generated by oakum 0.0.1, this is {__version__}" in answer.out
    del report["timeline"]
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    assert oakum("report", "--recheck", "report.json").code == 1, "else a forged version would hide what was cut out"


def test_what_a_page_shows(oakum: Call, here: Path) -> None:
    page = here / "report.html"
    text = page.read_text(encoding="utf-8")
    visible, carried, rest = text.partition('<script type="application/json" id="diagnosis">')
    count = str(read(here / "report.json")["findings"][0]["sites"][0]["count"])
    assert count in visible
    page.write_text(visible.replace(f"{count} goroutines", "7 goroutines", 1) + carried + rest, encoding="utf-8")
    code, found = told(oakum, "report.html")
    assert (code, found["differences"]) == (1, [])
    assert "7 goroutines" in found["page"][0]["report"]
    assert count in found["page"][0]["evidence"]
    shutil.rmtree(here / "captures")
    assert told(oakum, "report.html")[0] in (1, 4), "without the captures its pictures cannot be drawn"
    page.write_text(text.replace("addEventListener", "addEventListener  ", 1), encoding="utf-8")
    assert told(oakum, "report.html")[0] == 4


def test_a_script_that_was_changed(oakum: Call, here: Path) -> None:
    page = here / "report.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("</body>", "<script>document.title = 1</script></body>"), encoding="utf-8")
    code, found = told(oakum, "report.html")
    assert (code, found["page"], found["markup_differs"]) == (1, [], True)


@pytest.mark.slow
def test_a_page_in_chinese_and_of_an_incident(oakum: Call, here: Path) -> None:
    for words in (("--lang", "zh"), ("--incident", "--lang", "zh")):
        oakum("report", "report.json", *words, "-o", "page.html")
        assert told(oakum, "page.html")[0] == 0
    shutil.rmtree(here / "captures")
    oakum("report", "report.json", "-o", "page.html")
    text = (here / "page.html").read_text(encoding="utf-8")
    (here / "page.html").write_text(text.replace("<h1>", "<h1>No: "), encoding="utf-8")
    assert told(oakum, "page.html")[0] == 1, "a page without pictures is held against what it carries"


@pytest.mark.parametrize(
    ("called", "said"),
    [
        (["-"], "standard input"),
        (["http://10.0.0.7:6060"], "a running target"),
        (["--baseline", "pid:1", "captures"], "a running target"),
        ([], "does not say what it was made from"),
    ],
    ids=["stdin", "http", "pid", "nothing"],
)
def test_what_cannot_be_read_again(called: list[str], said: str, oakum: Call, here: Path) -> None:
    report = read(here / "report.json")
    report["called"] = called
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    answer = oakum("report", "--recheck", "report.json")
    assert (answer.code, answer.out) == (4, "")
    assert said in answer.err


def test_a_report_that_leads_out_of_its_evidence(oakum: Call, here: Path, tmp_path: Path) -> None:
    """A hostile report can name any path: nothing is written beside the folder of links, and nothing is made up."""
    report = read(here / "report.json")
    report["inputs"][0]["origin"] = "captures/../../../../../../../../etc/passwd"
    report["called"][-1] = "captures/../captures"
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    assert oakum("report", "--recheck", "report.json").code in (1, 4)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("word", ["/proc", "pipe"])
def test_a_report_that_names_what_never_ends(word: str, oakum: Call, here: Path) -> None:
    """What somebody sent is shown, and rechecked, without walking a machine or waiting for a pipe."""
    os.mkfifo(here / "pipe")
    report = read(here / "report.json")
    report["called"] = [word]
    (here / "report.json").write_text(json.dumps(report), encoding="utf-8")
    answer = oakum("report", "--recheck", "report.json")
    assert answer.code == 4
    assert "Missing captures" in answer.out
    shown = oakum("report", "report.json", "-o", "shown.html")
    assert shown.code == 0
    assert "without flame graphs" in shown.err


def test_what_was_said_of_a_capture(oakum: Call, here: Path) -> None:
    first, second = here / "captures/1-opening", here / "captures/4-evening"
    shutil.copy(first / "goroutine.debug2.txt.gz", here / "first.txt.gz")
    (here / "second.txt").write_bytes(gzip.decompress((second / "goroutine.debug2.txt.gz").read_bytes())[:-40])
    oakum("diagnose", "--no-source", "first.txt.gz", "second.txt", "-o", "cut.json")
    report = read(here / "cut.json")
    (row,) = [row for row in report["inputs"] if row["problems"]]
    row["problems"].clear()
    (here / "cut.json").write_text(json.dumps(report), encoding="utf-8")
    code, found = told(oakum, "cut.json")
    assert (code, [one["path"] for one in found["differences"]]) == (1, ["inputs[1].problems[0]"])


@pytest.mark.parametrize("name", ["kubernetes-98653", "rancher-30122"])
def test_incidents(name: str, oakum: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    confirmed(name, oakum, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", INCIDENTS)
def test_all_incidents_in_all_takes(name: str, oakum: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    confirmed(name, oakum, tmp_path, monkeypatch, most=9, source=True)


def confirmed(
    name: str, oakum: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int = 1, source: bool = False
) -> None:
    monkeypatch.chdir(CASEBOOK)
    takes = sorted((CASEBOOK / name / "captures").iterdir(), reverse=True)
    assert takes
    for at, take in enumerate(takes[:most]):
        data, page = tmp_path / f"{at}.json", tmp_path / f"{at}.html"
        words = ("--source", name, "--no-compile") if source else ("--no-source",)
        oakum("diagnose", *words, take.relative_to(CASEBOOK), "-o", data, "-o", page, "--lang", "zh")
        for file in (data, page):
            answer = oakum("report", "--recheck", file)
            assert answer.code == 0, answer.out
