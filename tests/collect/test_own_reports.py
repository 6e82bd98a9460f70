"""Reports of ours in a directory are no evidence: they quote stacks, and a second diagnosis must see the same as the
first. Named alone, a file is read as what it is."""

import json
import tarfile
from pathlib import Path

import pytest

from diagnoses import rich
from oakum.cli.outputs import FORMATS, Manner, Output, rendered
from oakum.collect.files import gather
from oakum.collect.own_reports import is_report

DUMP = b"goroutine 1 [chan send]:\nmain.ask()\n\t/srv/a/a.go:9 +0x1\n"
WRITTEN = sorted(set(FORMATS.values()) - {"text"})


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("incident", [False, True], ids=["report", "incident"])
@pytest.mark.parametrize("form", WRITTEN)
def test_every_format_is_recognised(form: str, incident: bool, lang: str) -> None:
    text = rendered(rich(), Output("x", form), Manner(lang, incident))
    assert is_report(text.encode("utf-8", "backslashreplace"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        DUMP,
        b'{"schema": "oakum.bundle/1"}',
        b'{"schema": "oakum.recording/1"}',
        b'{"status": "success", "data": {"resultType": "matrix"}}',
        b"# HELP go_goroutines Number of goroutines.\n# TYPE go_goroutines gauge\ngo_goroutines 7\n",
        b"# Notes\n\nOakum 0.1.0 said so.\n",
        b"<html><body>goroutine profile: total 7</body></html>",
        b'{"runs": [{"tool": {"driver": {"name": "other", "semanticVersion": "1"}}}], "$schema": "sarif"}',
    ],
)
def test_what_is_none(data: bytes) -> None:
    assert not is_report(data)


def test_they_are_left_out_of_directories_and_archives(tmp_path: Path) -> None:
    home = tmp_path / "case"
    home.mkdir()
    (home / "dump.txt").write_bytes(DUMP)
    report = home / "report.json"
    report.write_text(json.dumps({"schema": "oakum.diagnosis/1"}))
    assert [one.origin for one in gather((str(home),))] == [f"{home}/dump.txt"]
    assert [one.origin for one in gather((str(report),))] == [str(report)]
    packed = tmp_path / "case.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(home, "case")
    assert [one.origin for one in gather((str(packed),))] == [f"{packed}/dump.txt"]
