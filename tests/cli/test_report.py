"""oakum report: a saved diagnosis shown again, in any format and language, without its evidence."""

import html
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from diagnoses import rich
from oakum.cli.outputs import FORMATS, Manner, Output, rendered
from oakum.model import Unreadable
from oakum.report.json import diagnosis, document
from support import ROOT, Answer

Call = Callable[..., Answer]


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a saved diagnosis whose evidence is nowhere."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document(rich())), encoding="utf-8")
    return path


def test_on_the_terminal(oakum: Call, saved: Path) -> None:
    english, chinese = oakum("report", saved), oakum("report", saved, "--lang", "zh")
    assert english.out.startswith("LEAK  ")
    assert chinese.out.startswith("泄漏  orders：")
    assert english.code == 0, "to show a report is no verdict"
    assert english.err == ""


def test_every_format_from_json_and_from_a_page(oakum: Call, saved: Path, tmp_path: Path) -> None:
    first = tmp_path / "first.html"
    answer = oakum("report", saved, "-o", first)
    assert "without flame graphs: case/before/goroutine.txt" in answer.err
    for ending in ("html", "md", "json", "sarif", "xml", "txt"):
        ours, theirs = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
        assert oakum("report", saved, "-o", ours).code == 0
        assert oakum("report", first, "-o", theirs).code == 0
        # Only what each says of itself differs: by which name it is read again, in a page its own.
        names = (first, saved) if ending in ("md", "txt") else (theirs, ours)
        assert ours.read_text() == theirs.read_text().replace(str(names[0]), str(names[1]))
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == json.loads(saved.read_text())
    assert json.loads(oakum("report", first, "--json").out) == json.loads(saved.read_text())


def test_what_cannot_be_read_back_says_what_can(oakum: Call, saved: Path, tmp_path: Path) -> None:
    for ending, kind in (("md", "Markdown"), ("txt", "Text"), ("xml", "JUnit"), ("sarif", "SARIF")):
        alone, beside = tmp_path / f"alone.{ending}", tmp_path / f"report.{ending}"
        oakum("report", saved, "-o", alone, "-o", beside)
        for command in (("report",), ("report", "--recheck")):
            answer = oakum(*command, alone)
            assert (answer.code, answer.out) == (4, "")
            assert f"{kind} is not an Oakum report; give the .json or .html that was written with it" in answer.err
            assert f"give what was written with it: {saved}" in oakum(*command, beside).err
    (tmp_path / "data.md").write_bytes(saved.read_bytes())
    assert oakum("report", tmp_path / "data.md").code == 0, "what it holds decides, not its name"


def named(page: Path) -> str:
    (command,) = re.findall(r"oakum report --recheck ([^<\n]+)", html.unescape(page.read_text(encoding="utf-8")))
    return str(command)


def test_pages_name_the_file_that_has_the_diagnosis(
    oakum: Call, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page, data, words = Path("a page.html"), Path("b.json"), Path("c.md")
    oakum("report", saved, "-o", page, "-o", data, "-o", words)
    assert (named(page), named(words)) == ("b.json", "b.json")
    oakum("report", saved, "-o", page, "-o", words)
    assert (named(page), named(words)) == ("'a page.html'", "'a page.html'")
    oakum("report", page, "-o", words)
    assert named(words) == "'a page.html'"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(saved.read_bytes())))
    oakum("report", "-", "-o", words)
    assert named(words) == "report.json", "nothing is known"
    Path("-x.json").write_bytes(saved.read_bytes())
    oakum("report", "-o", words, "--", "-x.json")
    assert named(words) == "-- -x.json"


def test_a_page_too_full_to_carry_its_diagnosis_does_not_name_itself(
    oakum: Call, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oakum.report.html._MOST_DOCUMENT", 1000)
    page, data = tmp_path / "a.html", tmp_path / "b.json"
    oakum("report", saved, "-o", page, "-o", data)
    assert named(page) == str(data)
    assert f"see <code>{data}</code>" in page.read_text()
    oakum("report", "-o", page, saved)
    assert named(page) == str(saved)


def test_who_made_it_stays(oakum: Call, saved: Path, tmp_path: Path) -> None:
    saved.write_text(json.dumps(document(replace(rich(), tool="0.0.3"))), encoding="utf-8")
    assert json.loads(oakum("report", saved, "--json").out)["tool"] == "0.0.3"


def test_from_standard_input(oakum: Call, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(saved.read_bytes())))
    assert oakum("report", "-").out.startswith("LEAK")


def test_as_an_incident(oakum: Call, saved: Path) -> None:
    assert oakum("report", saved, "--incident").out.startswith("# ")


def test_with_its_evidence_there_are_flame_graphs(oakum: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take = ROOT / "casebook/lost-signal-boxoffice/captures/leaking-go1.27-trimpath"
    first, again, data = tmp_path / "first.html", tmp_path / "again.html", tmp_path / "r.json"
    monkeypatch.chdir(take.parent)
    oakum("diagnose", take.name, "--no-source", "-o", first, "-o", data)
    assert 'class="drawing"' in first.read_text(encoding="utf-8")
    assert oakum("report", data, "-o", again).err.count("\n") == 1
    assert again.read_text() == first.read_text().replace(str(data), str(again))


def test_a_finding_of_a_page(oakum: Call, saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    oakum("report", saved, "-o", page)
    answer = oakum("list", "--finding", "1", "--diff", page)
    assert answer.out == oakum("list", "--finding", "1", "--diff", saved).out
    assert answer.out.startswith("--- ")


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "neither JSON nor an HTML report"),
        ("goroutine 1 [running]:\n", "neither JSON nor an HTML report"),
        ("<html><body>hello</body></html>", "this page contains no diagnosis"),
        ("{}", "JSON, but not a saved diagnosis"),
        ('{"schema": "oakum.diagnosis/9"}', "this version reads oakum.diagnosis/1"),
        ('{"schema": "oakum.diagnosis/1"}', "missing required field `tool`"),
        ('{"schema": "oakum.diagnosis/1", "verdict": NaN}', "NaN is no JSON"),
        (DEEP, "nested too deep"),
        ('<script type="application/json" id="diagnosis">{"a": </script>', "neither JSON nor an HTML report"),
        (f'{{"schema": "oakum.diagnosis/1", "verdict": {"9" * 5000}}}', "neither JSON nor an HTML report"),
    ],
    ids=["empty", "dump", "page", "object", "later", "bare", "nan", "deep", "broken", "digits"],
)  # fmt: skip
def test_what_is_no_report(text: str, said: str, oakum: Call, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    answer = oakum("report", file)
    assert (answer.code, answer.out) == (4, "")
    assert said in answer.err
    assert str(file) in answer.err
    assert oakum("report", "--recheck", file).code == 4


def test_what_cannot_be_read(oakum: Call, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert oakum("report").code == 2
    assert oakum("report", tmp_path / "no.json").code == 4
    assert "this is a directory" in oakum("report", tmp_path).err
    (tmp_path / "x.bin").write_bytes(b"\x80\x81")
    assert oakum("report", tmp_path / "x.bin").code == 4
    monkeypatch.setattr("oakum.pipeline.saved._MOST", 100)
    assert "larger than" in oakum("report", saved).err


def test_what_does_not_go_together(oakum: Call, saved: Path, tmp_path: Path) -> None:
    before = saved.read_bytes()
    for words in (
        ("report", saved, "captures"),
        ("report", saved, "--source", tmp_path),
        ("report", "--recheck", saved, "-o", tmp_path / "x.md"),
        ("report", "--recheck", saved, "--incident"),
        ("report", saved, "-o", saved),
        ("report", saved, "-o", tmp_path / "x.pdf"),
    ):
        answer = oakum(*words)
        assert (answer.code, answer.out) == (2, "")
    assert saved.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["report.json"]


ODD: tuple[Any, ...] = (
    None, True, 0, -1, 10**200, -5.5, 1e300, "", "<script>alert(1)</script>", "`|\n\x1b[31m\u202e", "javascript:alert(1)",
    [], {}, [1], {"a": 1}, "x" * 3000, "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00", "rss", "blocked",
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container of a document with each of its keys."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_any_document_that_is_read_is_shown_in_every_format(seed: int) -> None:
    choose, shown = Random(seed), 0
    for _ in range(100):
        broken = json.loads(json.dumps(document(rich())))
        for _ in range(choose.choice((1, 1, 2, 4))):
            container, key = choose.choice(list(places(broken)))
            container[key] = choose.choice(ODD)
        try:
            found = diagnosis(broken)
        except Unreadable:
            continue
        shown += 1
        for form in dict.fromkeys(FORMATS.values()):
            for incident in (False, True):
                text = rendered(found, Output("x", form), Manner(choose.choice(("en", "zh")), incident))
                assert form != "html" or "<script>alert(1)" not in text
    assert shown > 10


def test_a_report_that_is_not_there_is_told_with_what_writes_one(oakum: Call) -> None:
    answer = oakum("report", "gone.json")
    assert answer.code == 4
    assert "gone.json: No such file or directory; oakum diagnose -o report.json writes a report" in answer.err
