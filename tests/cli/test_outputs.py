"""-o: several files, each as its ending says; nothing is overwritten that was read, nothing is left half written."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from diagnoses import empty, rich
from oakum.cli.outputs import FORMATS, Manner, Output, produce, wanted, write
from oakum.model import Case, Diagnosis, InputRow, OakumError, Sources, UsageError
from support import ROOT, Answer

Call = Callable[..., Answer]
EN = Manner("en")


@pytest.fixture
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small dump whose diagnosis is the rich one."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")

    def diagnose(case: Case, progress: Callable[[str], None], sources: Sources) -> Diagnosis:
        return rich()

    monkeypatch.setattr("oakum.pipeline.diagnosis.diagnose", diagnose)
    path = tmp_path / "dump.txt"
    path.write_text("goroutine 1 [chan send]:\nmain.ask()\n\t/srv/a/a.go:9 +0x1\n")
    return path


BEGINS = {"text": "LEAK", "json": '{\n  "schema"', "html": "<!doctype html>", "markdown": "# ", "sarif": '{\n  "$schema"', "junit": "<?xml"}  # fmt: skip


def test_several_at_once(oakum: Call, dump: Path, tmp_path: Path) -> None:
    names = [tmp_path / f"report{ending.upper() if at % 2 else ending}" for at, ending in enumerate(FORMATS)]
    answer = oakum("diagnose", dump, *(word for name in names for word in ("-o", name)))
    assert (answer.code, answer.out) == (1, "")
    for name in names:
        assert name.read_text(encoding="utf-8").lstrip().startswith(BEGINS[FORMATS[name.suffix.lower()]]), name
        assert f"oakum: wrote {name} (" in answer.err
    assert answer.err.count("open it in a browser") == 2
    assert not list(tmp_path.glob(".oakum*"))


def test_json_goes_to_stdout_beside_files(oakum: Call, dump: Path, tmp_path: Path) -> None:
    page, data = tmp_path / "r.md", tmp_path / "r.json"
    assert json.loads(oakum("diagnose", dump, "--json", "-o", page).out)["verdict"] == "leaking"
    assert oakum("diagnose", dump, "--json", "-o", data).out == "", "a JSON file is what was asked for"
    assert oakum("diagnose", dump, "-o", "-", "-o", data).out.startswith("LEAK")
    assert oakum("diagnose", dump, "--json", "-o", "-").out.startswith("{")


def test_an_incident_report(oakum: Call, dump: Path, tmp_path: Path) -> None:
    told = oakum("diagnose", dump, "--incident", "--lang", "zh").out
    assert told.startswith("# ")
    assert "根本原因" in told or "根因" in told
    file = tmp_path / "incident.html"
    assert oakum("diagnose", dump, "--incident", "-o", file).code == 1
    told_so = file.read_text(encoding="utf-8")
    oakum("diagnose", dump, "-o", file)
    assert file.read_text(encoding="utf-8") != told_so


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("report.pdf", ".pdf is unknown, use .txt, .json, .html"),
        ("report", "there is none, use .txt, .json, .html"),
        (".html", "there is none, use .txt"),
        ("", "the name is empty"),
        ("missing/report.html", "no such directory"),
        ("folder.html", "this is a directory"),
        ("folder", "this is a directory"),
        (f"{'x' * 300}.html", "name too long"),
    ],
    ids=["pdf", "none", "hidden", "empty", "parent", "directory", "plain-directory", "long"],
)
def test_a_name_that_will_not_do(name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError) as error:
        wanted((name,), as_json=False, inputs=())
    assert said.lower() in str(error.value).lower()


def test_named_twice(tmp_path: Path) -> None:
    (tmp_path / "link.html").symlink_to(tmp_path / "a.html")
    for other in ("a.html", "../" + tmp_path.name + "/a.html", "link.html"):
        with pytest.raises(UsageError, match="given twice"):
            wanted((str(tmp_path / "a.html"), str(tmp_path / other)), as_json=False, inputs=())
    with pytest.raises(UsageError, match="given twice"):
        wanted(("-", "-"), as_json=False, inputs=())


def test_inputs_are_spared(oakum: Call, dump: Path, tmp_path: Path) -> None:
    before = dump.read_bytes()
    answer = oakum("diagnose", dump, "-o", dump)
    assert (answer.code, dump.read_bytes()) == (2, before)
    assert "one of the inputs" in answer.err
    inside = replace(rich(), inputs=(InputRow(str(dump), "goroutine", "debug2", "sha256:1"),))
    with pytest.raises(UsageError, match="one of the inputs"):
        produce(inside, [Output(str(dump), "text")], EN)
    assert dump.read_bytes() == before
    report = replace(rich(), inputs=(InputRow(str(dump), "unknown", "unknown", "sha256:1"),))
    produce(report, [Output(str(dump), "text")], EN)
    assert dump.read_text(encoding="utf-8").startswith("LEAK"), "what nothing was read from may be written again"


def test_nothing_is_written_before_the_diagnosis_is_there(oakum: Call, tmp_path: Path) -> None:
    old = tmp_path / "report.html"
    old.write_text("the last one")
    assert oakum("diagnose", tmp_path / "missing.txt", "-o", old).code == 4
    assert old.read_text() == "the last one"


def test_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "report.md"
    file.write_text("the last one")
    file.chmod(0o640)
    write("the new one", str(file))
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("the new one", 0o640)
    link = tmp_path / "link.md"
    link.symlink_to(file)
    write("through a link", str(link))
    assert link.is_symlink()
    assert file.read_text() == "through a link"

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as part:
            part.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OakumError, match="No space left") as error:
        write("too much", str(file))
    assert error.value.exit_code == 4
    assert file.read_text() == "through a link"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.md", "report.md"]

    def interrupted(self: Path, data: bytes) -> int:
        self.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write("stopped", str(file))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.md", "report.md"]


def test_a_pipe_takes_text(tmp_path: Path) -> None:
    assert wanted(("/dev/null",), as_json=False, inputs=()) == (Output("/dev/null", "text"),)
    write("gone", "/dev/null")
    assert Path("/dev/null").is_char_device()


def test_names_that_are_no_unicode(tmp_path: Path) -> None:
    odd = replace(empty(), called=("caf\udce9",))
    for ending in FORMATS:
        file = tmp_path / f"r{ending}"
        produce(odd, [Output(str(file), FORMATS[ending])], EN)
        file.read_text(encoding="utf-8")
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["called"] == ["caf\udce9"]


def test_text_needs_no_templates(tmp_path: Path) -> None:
    """Most runs write no page: they must not pay for what writes one."""
    take = ROOT / "casebook/lost-signal-boxoffice/captures/leaking-go1.27-trimpath"
    script = (
        "import sys; from oakum import cli; "
        f"cli.run(['diagnose', {str(take)!r}, '--no-source', '-o', {str(tmp_path / 'x.json')!r}]); "
        "sys.exit('jinja2' in sys.modules or 'oakum.report.page.compose' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_numbers_beyond_reason(oakum: Call, tmp_path: Path) -> None:
    """Metrics may claim anything; what is written can be read again."""
    for name in ("a.txt", "b.txt"):
        told = "go_goroutines +Inf\nprocess_resident_memory_bytes 1e300\ngo_memstats_heap_alloc_bytes 1e200\ngo_memstats_last_gc_time_seconds 1e18\n"
        (tmp_path / name).write_text(f"# TYPE go_goroutines gauge\n{told}")
    names = [tmp_path / f"r{ending}" for ending in FORMATS]
    words = [word for name in names for word in ("-o", str(name))]
    answer = oakum("diagnose", "--no-source", tmp_path / "a.txt", tmp_path / "b.txt", *words)
    assert answer.code in (0, 3), answer.err
    assert all(name.stat().st_size for name in names)
    assert oakum("report", tmp_path / "r.json").code == 0
