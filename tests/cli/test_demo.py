"""`oakum demo` as it is used: one incident quickly, all five within their time, in both languages, with what it ships alone."""

import json
import re
import resource
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from oakum.cli import demo, demo_incidents, invoke
from oakum.cli.demo_incidents import INCIDENTS, REPORT, Incident, lay_out
from oakum.collect.code import source, sources
from oakum.model.errors import OakumError
from oakum.pipeline.saved import load
from oakum.store import open_reader
from support import ROOT, Answer, oakum

UPSTREAM = Path(demo_incidents.__file__).with_name("demo_upstream")
# What a listener's patience is worth. Of processor time, since tests run beside others: alone, both are the same.
SECONDS = 20.0
each = pytest.mark.parametrize("incident", INCIDENTS, ids=lambda incident: incident.name)


def expected(incident: Incident) -> list[dict[str, Any]]:
    """Return what the casebook says is true of an incident, worst first."""
    truth = tomllib.loads((ROOT / "casebook" / incident.name / "expect.toml").read_text(encoding="utf-8"))
    findings: list[dict[str, Any]] = truth["finding"]
    return findings


def told(out: str) -> dict[str, str]:
    """Return what was printed of each incident, without what stands before the first and after the last."""
    parts = re.split(r"^\d/\d  (\S+)$", out, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def check_page(folder: Path, incident: Incident) -> None:
    """The page is there, small, names the place that the casebook wants, and tells nothing of this machine."""
    page = folder / incident.name / REPORT
    text = page.read_text(encoding="utf-8")
    assert 10_000 < page.stat().st_size < 2_000_000
    site = expected(incident)[0]["site"][0]
    assert f"{Path(site['file']).name}:{site['line']}" in text or f"{site['file']}:{site['line']}" in text
    assert not re.search(rf"(?<![\w.-]){re.escape(str(ROOT))}(?![\w.-])", text)  # a short one may be part of a name
    assert str(folder) not in text
    assert str(Path.home()) not in text or Path.home() == Path("/")


def check_story(shown: str, incident: Incident) -> None:
    """What is printed of an incident names the known bug, the releases that fix it and the lines of the mistake."""
    first = expected(incident)[0]
    for label in ("growth", "where", "since", "root cause", "known bug", "mitigation", "permanent fix", "next"):
        assert re.search(rf"^   {label}\b", shown, flags=re.MULTILINE), label
    assert first["known"]["id"] in shown
    for version in first["known"]["fixed"]:
        assert version in shown
    assert re.search(rf":{first['site'][0]['line']}\b", shown)
    marked = {int(number) for number in re.findall(r"^ +(\d+) ▶", shown, flags=re.MULTILINE)}
    assert marked & {line for cause in first["cause"] for line in (cause["line"], *cause.get("also", ()))}


def test_one_incident(tmp_path: Path) -> None:
    incident = INCIDENTS[-1]
    answer = oakum("demo", incident.name, "-o", tmp_path, "--lang", "en")
    assert answer.code == 0, answer.err
    assert list(told(answer.out)) == [incident.name]
    check_story(answer.out, incident)
    check_page(tmp_path, incident)
    assert str(tmp_path / incident.name / REPORT) in answer.out
    assert "\x1b" not in answer.out
    assert answer.out.rstrip().splitlines()[-1] == f"  $ oakum serve --store {tmp_path / 'store'}"
    with open_reader(tmp_path / "store") as reader:
        (row,) = reader.incidents()
        assert (row.incident, row.service, row.state) == ("kubernetes-83333", "apiserver", "open")
        (finding,) = reader.findings("apiserver")
        kept = json.loads(reader.document(finding.document))
    assert kept == load(str(tmp_path / incident.name / REPORT)).document  # with its source, as it was just made


@pytest.fixture(scope="module")
def all_five(tmp_path_factory: pytest.TempPathFactory) -> tuple[Answer, Path, float]:
    folder = tmp_path_factory.mktemp("demo")
    before = spent()
    answer = oakum("demo", "-o", folder, LC_ALL="C.UTF-8", COLUMNS="80")
    return answer, folder, spent() - before


def spent() -> float:
    """Return the seconds of processor time that commands took which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow
def test_all_five_are_diagnosed_in_time(all_five: tuple[Answer, Path, float]) -> None:
    answer, folder, seconds = all_five
    assert answer.code == 0, answer.err
    assert seconds < SECONDS
    shown = told(answer.out)
    assert list(shown) == [incident.name for incident in INCIDENTS]
    for incident in INCIDENTS:
        check_story(shown[incident.name], incident)
        check_page(folder, incident)


@pytest.mark.slow
def test_the_commands_shown_work_when_they_are_typed(
    all_five: tuple[Answer, Path, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, folder, _ = all_five
    incident = INCIDENTS[0]
    joined = told(answer.out)[incident.name].replace("\\\n", "")
    cd, command = re.findall(r"^\$ (.+)$", joined, flags=re.MULTILINE)
    before = load(str(folder / incident.name / REPORT)).document
    monkeypatch.chdir(shlex.split(cd)[1])
    again = oakum(*shlex.split(command)[1:])
    assert again.code == 1, again.err
    assert load(REPORT).document == before
    checked = oakum("report", "--recheck", REPORT)
    assert checked.code == 0, checked.out


@pytest.mark.slow
def test_it_fits_the_terminal(all_five: tuple[Answer, Path, float]) -> None:
    wide = [line for line in all_five[0].out.splitlines() if len(line) > 80]
    assert all(line.lstrip().startswith(("$ cd ", str(all_five[1]))) or "  $ oakum " in line for line in wide), wide


@pytest.mark.slow
def test_in_chinese_all_is_chinese(tmp_path: Path) -> None:
    answer = oakum("demo", "-o", tmp_path, LC_ALL="zh_CN.UTF-8")
    assert answer.code == 0, answer.err
    shown = told(answer.out)
    for incident in INCIDENTS:
        assert incident.story[1][:12] in shown[incident.name]
        assert re.search(r"^   根治 ", shown[incident.name], flags=re.MULTILINE)
        assert not re.search(r"\b(what to do|likely|mended|upgrade:|goroutines)\b", shown[incident.name])
        page = (tmp_path / incident.name / REPORT).read_text(encoding="utf-8")
        assert re.search(r'<html[^>]* lang="zh', page)
    assert "轮到你的服务了" in answer.out


@pytest.mark.slow
@each
def test_the_cause_is_read_in_what_is_shipped(
    incident: Incident, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine with no Go, no checkout and no module cache reads the same causes."""
    here = lay_out(incident, tmp_path)
    one_file, one_folder = source.read_source, sources.read_directory

    def shipped(path: Path) -> bool:
        return path.resolve().is_relative_to(here.resolve())

    for module in (source, sources):
        monkeypatch.setattr(
            module, "read_source", lambda path: one_file(path) if shipped(path) else source.Unused("missing")
        )
    monkeypatch.setattr(sources, "read_directory", lambda path: one_folder(path) if shipped(path) else {})
    monkeypatch.chdir(here)
    invoke([*incident.command(None)[:-1], "diagnosis.json"])
    found = json.loads(Path("diagnosis.json").read_text(encoding="utf-8"))
    assert found["verdict"] == "leaking"
    sure = [one for one in found["findings"] if one["confidence"] != "possible"]
    assert [one["mechanism"] for one in sure] == [one["mechanism"] for one in expected(incident)]
    for one, truth in zip(sure, expected(incident), strict=True):
        named = {(Path(site["file"]).name, site["line"]) for site in one["cause"]["sites"]}
        wanted = {(Path(cause["file"]).name, cause["line"]) for cause in truth["cause"]}
        assert named & wanted
    assert not any(gap["key"] == "gap.source-missing" for gap in found["gaps"])


@each
def test_upstream_code_is_of_the_release_that_the_program_runs(incident: Incident) -> None:
    required = (ROOT / "casebook" / incident.name / "go.mod").read_text(encoding="utf-8")
    for release in incident.upstream:
        assert re.search(rf"^\s*(require )?{re.escape(release.replace('@', ' '))}\b", required, flags=re.MULTILINE)
        assert (UPSTREAM / release / "LICENSE").is_file()


def test_upstream_code_is_used_and_keeps_its_licence() -> None:
    used = {release for incident in INCIDENTS for release in incident.upstream}
    kept = {file.parent.relative_to(UPSTREAM).as_posix() for file in UPSTREAM.rglob("LICENSE")}
    assert kept == used
    files = list(UPSTREAM.rglob("*.go"))
    assert files
    assert all("Apache License" in file.read_text(encoding="utf-8")[:1000] for file in files)
    assert sum(file.stat().st_size for file in UPSTREAM.rglob("*") if file.is_file()) < 1_500_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-incident"], "kubernetes-83333"),
        (["rancher-30122", "-o", "{file}"], "cannot create the directory"),
    ],
    ids=["name", "file"],
)
def test_what_cannot_be_done_is_said(arguments: Sequence[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = oakum("demo", *(argument.format(file=tmp_path / "file") for argument in arguments))
    assert answer.code == 2
    assert said in answer.err


def test_the_help_names_every_incident() -> None:
    told = demo.command.help or ""
    assert all(incident.name in told for incident in INCIDENTS)


def test_an_installation_without_the_incidents_says_how_to_mend_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_incidents, "_CASEBOOKS", (tmp_path / "none",))
    with pytest.raises(OakumError, match="pip install --force-reinstall"):
        lay_out(INCIDENTS[0], tmp_path)
