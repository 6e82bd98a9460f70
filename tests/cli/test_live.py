"""Every verb takes what runs where it takes files: it is captured, kept where pprof keeps it, and then looked at."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from live_service import Service, serving
from oakum.cli import live
from oakum.cli.access_options import DURATION
from oakum.cli.live import normalize_target
from oakum.collect.target import CaptureOptions, LeftOut, Plan, Step
from oakum.model import Text
from oakum.report.words.lines import worded
from support import DEMO, Answer

Call = Callable[..., Answer]


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as lent:
        yield lent


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where what is fetched is kept."""
    monkeypatch.setenv("PPROF_TMPDIR", str(tmp_path / "pprof"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "pprof"


def kept(shelf: Path) -> list[str]:
    """Return the names of the captures that were kept."""
    return sorted(path.name for path in shelf.rglob("*") if path.is_file() and path.parent.name.isdigit())


def test_diagnose_takes_two_snapshots(oakum: Call, service: Service, shelf: Path) -> None:
    service.at = 0
    answer = oakum("diagnose", "--no-source", "--every", "10ms", "--json", service.url)
    assert answer.code == 1
    document = json.loads(answer.out)
    assert document["verdict"] == "leaking"
    assert len(document["moments"]) == 2
    (bundle,) = shelf.iterdir()
    assert answer.err == f"oakum: what was captured is kept in {bundle}\n"
    commands = json.dumps([finding["commands"] for finding in document["findings"]])
    assert str(bundle) in commands, "what to run next names what was kept"
    assert "http://" not in commands
    assert oakum("diagnose", "--no-source", bundle).code == 1


def test_what_is_missing_can_be_asked_again(oakum: Call, service: Service) -> None:
    answer = oakum("diagnose", "--no-source", "--json", "--snapshots=1", "--budget=5", service.url)
    commands = {gap["command"] for gap in json.loads(answer.out)["gaps"]}
    assert f"oakum diagnose {service.url}" in commands, "a second snapshot"
    assert f"oakum diagnose --force {service.url}" in commands, "the ages that only the full dump has"


def test_a_report_of_what_ran_is_rechecked_without_it(oakum: Call, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    with serving() as service:
        oakum("diagnose", "--no-source", "--snapshots=1", "--budget=5", service.url, "-o", report)
    asked = [gap["command"] for gap in json.loads(report.read_text(encoding="utf-8"))["gaps"]]
    assert f"oakum diagnose {service.url}" in asked
    answer = oakum("report", "--recheck", report)
    assert answer.code == 0, answer.out
    report.write_text(report.read_text(encoding="utf-8").replace(f"diagnose {service.url}", "diagnose http://evil"))
    assert oakum("report", "--recheck", report).code == 1, "an address that the captures do not name"


def test_diagnose_against_a_twin_that_runs(oakum: Call, service: Service, shelf: Path) -> None:
    with serving() as twin:
        words = ("diagnose", "--no-source", "--json", "--snapshots=1", "--baseline", twin.url, service.url)
        document = json.loads(oakum(*words).out)
    assert [snapshot["baseline"] for snapshot in document["moments"]].count(True) == 1
    assert len(list(shelf.iterdir())) == 1, "one bundle for all that runs"


def test_processes_keep_the_order_of_the_arguments(oakum: Call, service: Service) -> None:
    with serving() as other:
        for words in ((other.url, service.url), (service.url, other.url)):
            document = json.loads(oakum("diagnose", "--no-source", "--json", "--snapshots=1", *words).out)
            assert [row["given"] for row in document["processes"]] == list(words)


def test_diagnose_files_beside_what_runs(oakum: Call, service: Service, tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    (before / "goroutine.pb.gz").write_bytes((DEMO / "before.goroutine.pb.gz").read_bytes())
    answer = oakum("diagnose", "--no-source", "--json", "--snapshots=1", "--baseline", before, service.url)
    assert [snapshot["baseline"] for snapshot in json.loads(answer.out)["moments"]] == [False, True]


def test_what_runs_continues_a_series_of_files(oakum: Call, service: Service, tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for kind in ("goroutine", "heap"):
        (before / f"{kind}.pb.gz").write_bytes((DEMO / f"before.{kind}.pb.gz").read_bytes())
    service.at = 0
    document = json.loads(oakum("diagnose", "--no-source", "--json", "--every=10ms", before, service.url).out)
    assert len(document["processes"]) == 1
    assert len(document["moments"]) == 3
    assert document["verdict"] == "leaking"


def test_a_view_fetches_one_profile(oakum: Call, service: Service, shelf: Path) -> None:
    answer = oakum("top", service.url)
    assert "Type: inuse_space" in answer.out
    assert kept(shelf) == ["heap.pb.gz"]
    assert answer.err.startswith(f"oakum: GET {service.url}/debug/pprof/heap, kept in {shelf}")


def test_a_view_of_the_profile_that_is_named(oakum: Call, service: Service, shelf: Path) -> None:
    answer = oakum("top", f"{service.url}/debug/pprof/goroutine")
    assert "Type: goroutine" in answer.out
    assert kept(shelf) == ["goroutine.pb.gz"]
    assert [path for path in service.asked if "heap" in path] == []


def test_pprofs_way_to_name_a_server(oakum: Call, service: Service) -> None:
    assert "Type: inuse_space" in oakum("top", f"{service.url.removeprefix('http://')}/debug/pprof/heap").out


def test_a_base_that_runs(oakum: Call, service: Service) -> None:
    heap = DEMO / "after.heap.pb.gz"
    answer = oakum("top", "-inuse_space", f"-diff_base={service.url}/debug/pprof/heap", heap)
    assert answer.code == 0
    assert "main.newPage" in answer.out


def test_goroutines_by_the_richest_format(oakum: Call, service: Service, shelf: Path) -> None:
    answer = oakum("goroutines", service.url)
    assert "goroutines in" in answer.out
    assert kept(shelf) == ["goroutine.debug2.txt"]


def test_flame_by_state(oakum: Call, service: Service) -> None:
    answer = oakum("flame", "--by-state", "--format=folded", service.url)
    assert answer.out.startswith(("chan", "IO wait", "select", "running", "semacquire", "sync"))


def test_diff_of_two_servers(oakum: Call, service: Service) -> None:
    with serving() as other:
        other.at = 1
        answer = oakum("diff", service.url, other.url)
    assert answer.out.startswith("goroutine")
    assert "grown" in answer.out


def test_inspect_shows_all_of_it(oakum: Call, service: Service) -> None:
    document = json.loads(oakum("inspect", "--json", service.url).out)
    assert {"goroutine", "heap"} <= {row["kind"] for row in document["inputs"]}


def test_known_match(oakum: Call, service: Service) -> None:
    answer = oakum("known", "match", service.url)
    assert answer.code in (0, 1)
    assert "kept in" in answer.err


@pytest.mark.parametrize("verb", ["top", "goroutines", "diagnose", "inspect", "flame", "graph", "traces", "tree"])
def test_nobody_there(oakum: Call, verb: str, shelf: Path) -> None:
    answer = oakum(verb, "http://127.0.0.1:1")
    assert answer.code == 4
    assert "connection refused" in answer.err
    assert answer.err.count("127.0.0.1:1") == 1, answer.err
    assert answer.out == ""
    assert not list(shelf.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ("top", "-diff_base", "http://127.0.0.1:1"),
        ("diff", "http://127.0.0.1:1"),
        ("diagnose", "--snapshots=1", "--baseline", "http://127.0.0.1:1"),
    ],
)
def test_half_of_a_comparison_is_none(oakum: Call, service: Service, words: tuple[str, ...]) -> None:
    answer = oakum(*words, service.url)
    assert answer.code == 4
    assert answer.out == ""
    assert "connection refused" in answer.err


def test_files_alone_are_not_what_was_asked_for(oakum: Call) -> None:
    answer = oakum("diagnose", DEMO / "after.goroutine.pb.gz", "http://127.0.0.1:1")
    assert answer.code == 4
    assert "connection refused" in answer.err


def test_one_process_of_two_is_diagnosed_alone(oakum: Call, service: Service) -> None:
    answer = oakum("diagnose", "--no-source", "--snapshots=1", "--json", "http://127.0.0.1:1", service.url)
    assert len(json.loads(answer.out)["processes"]) == 1
    assert "connection refused" in answer.err


def test_what_is_missing_is_said_in_chinese(oakum: Call) -> None:
    answer = oakum("diagnose", "--lang", "zh", "http://127.0.0.1:1")
    assert answer.code == 4
    assert answer.err == (
        "oakum: 无法连接：http://127.0.0.1:1/debug/pprof/：连接被拒绝：该地址无人监听；"
        "`oakum find` 可列出本机的 Go 程序及其 pprof 地址\n"
    )


@pytest.mark.parametrize(
    "verb", ["top", "tree", "traces", "flame", "graph", "goroutines", "inspect", "diff", "diagnose", "capture"]
)
def test_pprofs_flags_are_known_everywhere(oakum: Call, verb: str) -> None:
    answer = oakum(verb, "-tls_ca", "gone.pem", "-timeout", "5", "http://127.0.0.1:1")
    assert answer.code == 2
    assert "gone.pem" in answer.err


def test_files_need_no_network(tmp_path: Path) -> None:
    """What is not needed is not imported: start-up stays short."""
    program = (
        "import sys; from oakum.cli import run; run(['top', sys.argv[1]]); "
        "print([name for name in sys.modules if name.split('.')[0] in ('httpcore', 'yaml', 'websockets')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(DEMO / "after.heap.pb.gz")], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("word", "means"),
    [
        ("localhost:6060", "http://localhost:6060"),
        ("10.0.0.7:6060/debug/pprof/heap?gc=1", "http://10.0.0.7:6060/debug/pprof/heap?gc=1"),
        ("[::1]:6060", "http://[::1]:6060"),
        ("heap.pb.gz", "heap.pb.gz"),
        ("captures/", "captures/"),
        ("pid:12", "pid:12"),
        ("HTTPS://Orders:6060/X", "https://Orders:6060/X"),
        ("-", "-"),
        ("C:\\heap.pb.gz", "C:\\heap.pb.gz"),
    ],
)
def test_what_a_word_means(word: str, means: str) -> None:
    assert normalize_target(word) == means


def test_an_empty_word_is_no_directory(oakum: Call) -> None:
    for verb in ("capture", "diagnose"):
        answer = oakum(verb, "")
        assert answer.code == 2
        assert "a target is empty" in answer.err


def test_a_file_of_that_name_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "host:6060").write_text("x")
    assert normalize_target("host:6060") == "host:6060"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30", 30), ("10s", 10), ("2m", 120), ("1h30m", 5400), ("250ms", 0.25), ("1.5s", 1.5), ("1d", 86_400)],
)
def test_times(text: str, seconds: float) -> None:
    assert DURATION.convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "0", "soon", "10 s", "-1s", "1y", "9999d", "1e3", "10s2m"])
def test_no_times(text: str) -> None:
    with pytest.raises(click.BadParameter):
        DURATION.convert(text, None, None)


def test_a_view_says_which_dump_it_does_not_show() -> None:
    target = SimpleNamespace(address="http://orders:6060", name="orders", process="orders:6060")
    told = Plan(
        (Step("heap.pb.gz", "", ""), Step("goroutine.pb.gz", "", "")),
        (
            LeftOut("goroutine.debug2.txt", Text("count.goroutines", {"count": 45_013}), Text("plan.force")),
            LeftOut("goroutineleak.pb.gz", Text("plan.leak-last")),
        ),
    )
    target.plan = lambda *_: told
    plan = live._Part(target, ("goroutine.debug2", "goroutine.pb")).plan(CaptureOptions())
    assert [step.file for step in plan.steps] == ["goroutine.pb.gz"]
    assert [(left.what, worded(left.how)) for left in plan.left_out] == [
        ("goroutine.debug2.txt", "oakum capture --force http://orders:6060 takes it all the same")
    ]
