"""Chinese pages are Chinese: what no Chinese reader expects is looked for on pages of every kind, as each format has them.

Quick: recordings of each verdict and those made by hand. Slow: every case of the casebook, its source read, every
regression, and the demo as it is typed.
"""

import re
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from chinese import english_in, half_width_in, left_in_english, pages, seen
from diagnosed import at_the_root, diagnosed
from diagnoses import cause, changed, empty, heap_leak, leak, rich
from oakum.cli.case import case
from oakum.cli.outputs import Manner, Output, produce
from oakum.cli.screen import Progress
from oakum.model import Diagnosis, InputRow, Problem, Text
from oakum.pipeline.diagnosis import Options, diagnose_case
from oakum.report.page.compose import compose
from support import ROOT, oakum, quoted

PROBLEMS = (
    Problem.of("cut-compression", "byte 4096", name="gzip"),
    Problem.of("log-beside-moments"),
    quoted("unread", "captures/x: Input/output error"),
)
LEAKING = sorted({path.parents[1].name for path in ROOT.glob("casebook/*/captures/leaking-*")})
HEALTHY = sorted({path.parents[1].name for path in ROOT.glob("casebook/*/captures/*")} - set(LEAKING))
REGRESSIONS = sorted(path.parent.name for path in ROOT.glob("tests/regressions/*/truth.toml"))


def test_the_search_finds_english() -> None:
    assert english_in("未使用：it does not say which of them runs。") == ["it does not say which of them runs"]
    assert english_in("<td>Neither a profile nor a dump</td>") == ["Neither a profile nor a dump"]
    assert english_in("停在 chan send，见 `the quick brown fox` 和 “No such file or directory”") == []
    assert half_width_in("没有采集堆 profile。 它能说明") == ["没有采集堆 profile。 它能说明"]
    assert half_width_in("常驻内存 (RSS), `a, b`；main.run(x) 等待") == ["常驻内存 (RSS),  ∎ ；main.run(x"]
    assert english_in("   下一步  $ oakum top -focus main.run captures") == []
    assert (
        seen("<p title='one two three'>四<code>five six seven</code></p><script>a b c</script>") == "one two three\n四"
    )


@pytest.mark.parametrize(
    "name", ["leaking", "healthy", "undecided", "peers", "locks", "container", "outside", "journal"]
)
def test_a_recording_of_each_kind(name: str) -> None:
    assert left_in_english(diagnosed(name)) == {}
    assert all("(process)" not in text for _, text in pages(diagnosed(name))), "numbers of the process stand nowhere"


def test_what_is_made_by_hand() -> None:
    row = InputRow("captures/x", "unread", "", "", problems=PROBLEMS)
    how = ("/srv/desk.go (checkout of example.com/shop; this is a checkout, the profile names v1.2.0)",)
    found = changed(leak(), cause=replace(cause(), sources=how))
    troubled = replace(rich(), findings=(found, heap_leak()), inputs=(*rich().inputs, row))
    assert left_in_english(troubled) == {}
    assert left_in_english(empty()) == {}


def test_problems_of_inputs_stand_in_the_language_of_the_page() -> None:
    row = InputRow("captures/x", "unread", "", "", problems=PROBLEMS)
    diagnosis = replace(rich(), inputs=(row,))
    (said,) = (cell.text for cell in _last_cells(diagnosis, "zh"))
    told = "gzip 数据流不完整：请重新下载（第 4096 字节）；未使用：与该日志放在一起的各个快照已有自己的 goroutine 转储；原文：“captures/x: Input/output error”"
    assert said == told
    (said,) = (cell.text for cell in _last_cells(diagnosis, "en"))
    assert said.startswith(
        "the gzip stream is cut: download it again (byte 4096); Not used: the snapshots beside this log"
    )


def _last_cells(diagnosis: Diagnosis, lang: str):  # type: ignore[no-untyped-def]
    section = next(one for one in compose(diagnosis, lang).sections if one.anchor == "inputs")
    return [row.cells[-1] for block in section.blocks if hasattr(block, "rows") for row in block.rows]


def test_what_is_said_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "report.html"
    produce(empty(), (Output(str(page), "html"),), Manner("zh"))
    assert re.fullmatch(rf"oakum: 已写入 {page}（\d+ KiB，请用浏览器打开）\n", capsys.readouterr().err)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.delenv("OAKUM_QUIET", raising=False)
    Progress("diagnosing", "zh").at(Text("progress.comparing", {"snapshots": 3, "process": "cpc"}))
    assert capsys.readouterr().err.endswith("正在诊断：对比 cpc 的 3 个快照")


def _diagnosed(evidence: Path, source: Path | None = None) -> Diagnosis:
    words = (str(evidence.relative_to(ROOT)),)
    folders = (str(source.relative_to(ROOT)),) if source else ()
    with at_the_root():
        how = Options(folders, read_source=source is not None, compile_drafts=False)
        made = diagnose_case(case(words), how).diagnosis
    return replace(made, called=words)


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAKING)
def test_a_case_whose_source_is_read(name: str) -> None:
    folder = ROOT / "casebook" / name
    take = max(path for path in (folder / "captures").iterdir() if path.name.startswith("leaking-"))
    assert left_in_english(_diagnosed(take, folder)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_case(name: str) -> None:
    take = max(path for path in (ROOT / "casebook" / name / "captures").iterdir() if path.is_dir())
    assert left_in_english(_diagnosed(take)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", REGRESSIONS)
def test_a_regression(name: str) -> None:
    captures = ROOT / "tests" / "regressions" / name / "captures"  # the last moment alone: series are in the casebook
    assert left_in_english(_diagnosed(max(captures.iterdir()))) == {}


@pytest.mark.slow
def test_the_demo_as_it_is_typed(tmp_path: Path) -> None:
    done = oakum("demo", "-o", tmp_path, "--lang", "zh")
    assert done.code == 0
    assert english_in(done.out) == []
    assert re.findall(r"已写入 report\.html（", done.err) == ["已写入 report.html（"] * 5
    for page in sorted(tmp_path.glob("*/report.html")):
        assert english_in(seen(page.read_text(encoding="utf-8"))) == [], page
        incident = page.with_name("incident.md")
        told = oakum("report", page, "--incident", "--lang", "zh", "-o", incident, "-o", page.with_name("i.html"))
        assert told.code == 0
        assert english_in(incident.read_text(encoding="utf-8")) == [], page
        assert english_in(oakum("report", page, "--lang", "zh").out) == [], page
    checked = oakum("report", "--recheck", page, "--lang", "zh")
    assert checked.code == 0
    assert english_in(checked.out) == []
