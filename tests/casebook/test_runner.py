"""The runner's parts: the load client, the stage, the settings, the naive rule, the table."""

import contextlib
import gzip
import http.server
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from casebook.runner import accuracy as scoring
from casebook.runner.build import local_modules
from casebook.runner.case import BadCase, Build, Case, Phase, Send, Take
from casebook.runner.case import case as load_case
from casebook.runner.evidence import RecordedSnapshot, recording, standing
from casebook.runner.expectation import expectation
from casebook.runner.fetch import FetchFailed, get
from casebook.runner.load import Client
from casebook.runner.naive import accuse
from casebook.runner.score import Score
from casebook.runner.settings import SETTINGS, trial
from casebook.runner.stage import RunFailed, Stage, give_up_all
from oakum.collect.code.source import SourceFinder
from support import RECORDED

pytestmark = pytest.mark.slow


class Service(http.server.ThreadingHTTPServer):
    """A small service that counts its requests and connections."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[str] = []
        self.peers: set[tuple[str, int]] = set()
        self.hung_up: list[str] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service

    def do_GET(self) -> None:
        self.server.seen.append(self.path)
        self.server.peers.add((self.client_address[0], self.client_address[1]))
        if self.path.startswith("/slow"):
            time.sleep(0.5)
        if self.path.startswith(("/missing", "/broken")):
            self.send_error(404 if self.path.startswith("/missing") else 500)
            return
        if self.path == "/goodbye":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.connection.settimeout(5)
            with contextlib.suppress(OSError):
                if not self.connection.recv(1):
                    self.server.hung_up.append(self.path)
            return
        body = b"" if self.path == "/empty" else b"well\n"
        self.send_response(200)
        self.send_header("Content-Length", "1000" if self.path == "/stream" else str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if self.path == "/last":
            self.close_connection = True  # without saying so, as an idle time-out does

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def test_a_load_is_sent_whole_mixed_and_on_its_connections(service: Service) -> None:
    sent: Counter[str] = Counter()
    client = Client(service.base, sent)
    client.run([Send(path="/a/{n}", count=6), Send("POST", "/b", 3, "{n}")], 0.2, connections=3, timeout=2)
    assert sorted(service.seen) == ["/a/1", "/a/3", "/a/4", "/a/6", "/a/7", "/a/9", "/b", "/b", "/b"]
    assert sent == {"GET /a/": 6, "POST /b": 3}
    assert (client.connections, len(service.peers) <= 3) == (3, True)
    client.run([], 0.0, connections=1, timeout=2)
    assert client.connections == 1
    client.close()


def test_a_request_that_takes_too_long_is_given_up_and_counts(service: Service) -> None:
    sent: Counter[str] = Counter()
    client = Client(service.base, sent)
    client.run([Send(path="/slow", count=2), Send(path="/fast", count=2)], 0.1, connections=1, timeout=0.1)
    assert sent == {"GET /slow": 2, "GET /fast": 2}
    assert service.seen.count("/fast") == 2
    client.close()


def test_a_connection_that_the_service_closed_is_opened_again(service: Service) -> None:
    client = Client(service.base, Counter())
    client.run([Send(path="/last"), Send(path="/next", count=2)], 0.3, connections=1, timeout=2)
    client.run([Send(path="/last")], 0.1, connections=1, timeout=2)
    time.sleep(0.2)
    client.run([Send(path="/next", count=2)], 0.1, connections=1, timeout=2)
    assert (service.seen.count("/last"), service.seen.count("/next")) == (2, 4)
    client.close()


def test_held_requests_stay_open_until_they_are_dropped(service: Service) -> None:
    client = Client(service.base, Counter())
    client.run([Send(path="/stream", count=3, hold="read")], 0.1, connections=None, timeout=2)
    assert (client.held, client.connections) == (3, 1)
    client.drop(2)
    assert client.held == 1
    client.close()
    assert client.held == 0


def test_a_held_request_is_dropped_though_its_answer_is_the_last(service: Service) -> None:
    client = Client(service.base, Counter())
    client.run([Send(path="/goodbye", hold="read")], 0.1, connections=None, timeout=2)
    time.sleep(0.2)  # the answer has said that the connection ends with it
    client.drop(-1)
    end = time.monotonic() + 5
    while not service.hung_up and time.monotonic() < end:
        time.sleep(0.02)
    assert service.hung_up == ["/goodbye"]
    client.close()


def test_requests_need_a_connection(service: Service) -> None:
    client = Client(service.base, Counter())
    with pytest.raises(BadCase, match="no connection"):
        client.run([Send(path="/a", count=2)], 0.1, connections=0, timeout=2)


def test_a_load_ends_when_it_is_over(service: Service) -> None:
    over = threading.Event()
    client = Client(service.base, Counter(), over)
    threading.Timer(0.2, over.set).start()
    began = time.monotonic()
    client.run([Send(path="/a", count=2)], 60, connections=2, timeout=2)
    assert time.monotonic() - began < 10
    client.close()


def test_a_service_that_is_gone_leaves_no_thread_of_the_load_behind() -> None:
    with Service() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        client = Client(server.base, Counter())
        client.run([], 0.0, connections=4, timeout=1)
        server.shutdown()
    before = threading.active_count()
    with pytest.raises(OSError):
        client.run([Send(path="/stream", hold="read")], 0.1, connections=None, timeout=1)
    end = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.02)
    assert threading.active_count() <= before
    client.close()


def test_only_loopback_is_asked() -> None:
    with pytest.raises(FetchFailed, match="loopback"):
        get("http://192.0.2.1/debug/pprof/")


def test_an_error_page_is_no_evidence(service: Service) -> None:
    with pytest.raises(FetchFailed, match="404"):
        get(f"{service.base}/missing")


def test_a_unix_socket_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "d.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                asked = connection.recv(4096)
                found = b"yes" if asked.startswith(b"GET /debug/pprof/heap?gc=1 ") else b"no"
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(found), found))

        threading.Thread(target=answer, daemon=True).start()
        assert get(f"unix://{path}/debug/pprof/heap?gc=1") == b"yes"


def small_case(folder: Path, scenario: str) -> Case:
    (folder / "scenario.py").write_text(scenario)
    (folder / "expect.toml").write_text('verdict = "healthy"\n')
    build = Build("healthy")
    return Case(folder, "t", "s", (), (build,), (Take(build, "1.27", "trimpath"),), (), "", "", "short", 5, "")


def stage_for(tmp_path: Path, scenario: str, **more: Any) -> Stage:
    home, scratch, out = (tmp_path / name for name in ("case", "scratch", "out"))
    for folder in (home, scratch, out):
        folder.mkdir()
    case = small_case(home, scenario)
    return Stage(case, case.builds[0], {}, scratch, out, short=True, **more)


def play(tmp_path: Path, scenario: str, **more: Any) -> Path:
    stage = stage_for(tmp_path, scenario, **more)
    stage.play()
    stage.write_manifest(service="s")
    return tmp_path / "out"


def test_a_dump_on_a_signal_is_kept_with_its_snapshot(tmp_path: Path) -> None:
    out = play(
        tmp_path,
        """import signal
def run(stage):
    shell = "trap 'echo goroutine 7 [running]:' USR1; echo ready; while :; do sleep 0.1; done"
    shim = stage.start("shim", ["sh", "-c", shell], dump_on=signal.SIGUSR1)
    stage.until(lambda: "ready" in shim.tail(), "the shim did not come up", process=shim)
    stage.snapshot("before")
    stage.snapshot("after")
    stage.keep("queues.txt", "Recv-Q Send-Q")
""",
    )
    assert (out / "1-before" / "log.txt").read_text() == "ready\ngoroutine 7 [running]:\n"
    assert (out / "2-after" / "log.txt").read_text() == "goroutine 7 [running]:\n"
    assert [snapshot.name for snapshot in recording(out).snapshots] == ["before", "after"]
    manifest = json.loads((out / "manifest.json").read_text())
    assert {*manifest["files"]} >= {"1-before/log.txt", "2-after/log.txt", "queues.txt"}


def test_a_process_that_ends_is_told_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(RunFailed, match="no port for me"):
        play(
            tmp_path,
            "def run(stage):\n    stage.start('a', ['sh', '-c', 'echo no port for me; exit 3'], ready='http://127.0.0.1:9/')\n",
        )


def running(group: int) -> list[str]:
    """Return the processes of a group that are not just waiting to be buried."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = path.read_text().rpartition(")")
            state, _, its_group = rest.split()[:3]
            if int(its_group) == group and state not in "ZX":
                found.append(name)
    return found


def gone(group: int) -> bool:
    """Wait until no process of a group runs any more."""
    end = time.monotonic() + 10
    while running(group) and time.monotonic() < end:
        time.sleep(0.05)
    return not running(group)


@pytest.mark.parametrize(
    "command",
    ["sleep 60 & sleep 60", "sleep 60 & exit 0"],  # its child too, also when it has ended itself
)
def test_nothing_is_left_running(tmp_path: Path, command: str) -> None:
    scenario = (
        f"import time\ndef run(stage):\n    started = stage.start('a', ['sh', '-c', {command!r}])\n"
        "    stage.keep('pid', str(started.pid))\n    time.sleep(0.3)\n    started.running.poll()\n    raise ValueError\n"
    )
    with pytest.raises(ValueError):
        play(tmp_path, scenario)
    assert gone(int((tmp_path / "out" / "pid").read_text()))


# Takes connections and never answers.
DEAF = """
import contextlib, http.client, socket, sys
from casebook.runner.case import Send
def run(stage):
    port = stage.free_port()
    code = f"import socket, time; s = socket.socket(); s.bind(('127.0.0.1', {port})); s.listen(9); time.sleep(600)"
    deaf = stage.start("deaf", [sys.executable, "-c", code])
    stage.keep("pid", str(deaf.pid))
    stage.until(lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None, "it does not listen")
"""


@pytest.mark.parametrize(
    "hangs",
    [
        "    stage.load(f'http://127.0.0.1:{port}', Send(), seconds=1, timeout=600)\n",
        "    stage.until(lambda: False, 'never', 600)\n",
        "    with contextlib.closing(http.client.HTTPConnection('127.0.0.1', port)) as line:\n        line.request('GET', '/')\n        line.getresponse()\n",
        "    while True:\n        stage.rest(1)\n",
    ],
    ids=["load", "until", "request of its own", "rest"],
)
def test_a_run_that_hangs_is_ended_at_its_limit(tmp_path: Path, hangs: str) -> None:
    began = time.monotonic()
    with pytest.raises(RunFailed, match="longer than its 1 s"):
        play(tmp_path, DEAF + hangs, limit=1.0)
    assert time.monotonic() - began < 20
    assert gone(int((tmp_path / "out" / "pid").read_text()))


def test_a_run_is_given_up_from_outside(tmp_path: Path) -> None:
    scenario = (
        "def run(stage):\n    stage.start('a', ['sleep', '60'])\n    stage._pace = lambda *_: 60\n    stage.rest(60)\n"
    )
    threading.Timer(0.5, give_up_all, ("Ctrl-C",)).start()
    began = time.monotonic()
    with pytest.raises(RunFailed, match="Ctrl-C"):
        play(tmp_path, scenario)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("scenario", "told"),
    [
        ("def run(stage):\n    raise TimeoutError('no answer to /jobs')\n", "no answer to /jobs"),
        ("def run(stage):\n    stage.start('a', ['/no/such/server'])\n", "is it installed"),
        ("import subprocess\ndef run(stage):\n    subprocess.run(['false'], check=True)\n", "false"),
    ],
)
def test_what_goes_wrong_in_a_run_is_told(tmp_path: Path, scenario: str, told: str) -> None:
    with pytest.raises(RunFailed, match=told):
        play(tmp_path, scenario)


def test_a_process_that_never_stops_writing_gives_its_dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casebook.runner.stage.READY_SECONDS", 2.0)
    out = play(
        tmp_path,
        """import signal
def run(stage):
    shell = "trap 'echo goroutine 7 [running]:' USR1; while :; do echo busy; sleep 0.1; done"
    shim = stage.start("shim", ["sh", "-c", shell], dump_on=signal.SIGUSR1)
    stage.until(lambda: "busy" in shim.tail(), "the shim did not come up", process=shim)
    stage.snapshot("now")
""",
    )
    assert "goroutine 7" in (out / "1-now" / "log.txt").read_text()


@pytest.mark.parametrize(("asked", "kept"), [("missing", True), ("broken", False)])
def test_only_a_go_without_a_proof_has_none(service: Service, tmp_path: Path, asked: str, kept: bool) -> None:
    scenario = (
        f"def run(stage):\n    stage.start('a', ['sleep', '60'], pprof={service.base!r})\n"
        f"    stage._snapshots.append({{'process': 'a', 'moment': 'm', 'folder': 'a/m'}})\n"
    )
    with pytest.MonkeyPatch.context() as patched, contextlib.nullcontext() if kept else pytest.raises(RunFailed):
        patched.setattr("casebook.runner.stage.PROOF", ("goroutineleak.pb.gz", asked))
        stage_for(tmp_path, scenario).play()


def test_a_port_is_handed_out_once(tmp_path: Path) -> None:
    stage = stage_for(tmp_path, "")
    ports = [stage.free_port() for _ in range(200)]
    assert len({*ports}) == 200


def dump(counts: dict[str, int]) -> str:
    blocks: list[str] = []
    for function, count in counts.items():
        for _ in range(count):
            blocks.append(
                f"goroutine {len(blocks) + 1} [chan send]:\n{function}()\n\t/srv/a/a.go:9 +0x1\ncreated by main.main\n\t/srv/a/a.go:2 +0x1\n"
            )
    return "\n".join(blocks)


def snapshot(folder: Path, name: str, counts: dict[str, int]) -> RecordedSnapshot:
    (folder / name).mkdir(parents=True)
    (folder / name / "goroutine.debug2.txt").write_text(dump(counts))
    return RecordedSnapshot(folder / name, name, "s", datetime.now(UTC), {}, 0, 0)


def test_the_naive_rule_accuses_what_grew_most_first(tmp_path: Path) -> None:
    before = snapshot(tmp_path, "1", {"main.a": 2, "main.b": 1, "main.c": 9})
    after = snapshot(tmp_path, "2", {"main.a": 6, "main.b": 30, "main.c": 2})
    said = accuse(before, after)
    assert [finding["sites"][0]["function"] for finding in said["findings"]] == ["main.b", "main.a"]
    assert (said["verdict"], accuse(before, before)["verdict"]) == ("leaking", "healthy")


def test_modules_of_our_own_are_found_in_go_mod(tmp_path: Path) -> None:
    modfile = tmp_path / "go.mod"
    modfile.write_text(
        "module example.com/a\n\ngo 1.19\n\nrequire (\n\texample.org/Tide/kit v1.4.2\n\tk8s.io/api v0.18.8 // indirect\n)\n\n"
        "replace example.org/Tide/kit => ../modules/kit\nreplace k8s.io/api => k8s.io/api v0.18.9\n"
    )
    (found,) = local_modules(modfile).items()
    assert (found[0], found[1][0], found[1][1].name) == ("example.org/Tide/kit", "v1.4.2", "kit")


@pytest.fixture
def two_snapshots(tmp_path: Path) -> Case:
    """Return a case with one take of two recorded snapshots, a go.mod and a proof."""
    home = tmp_path / "case"
    take = Take(Build("leaking"), "1.27", "trimpath")
    rows = []
    for number, name in enumerate(("before", "after"), 1):
        folder = home / "captures" / take.name / f"{number}-{name}"
        folder.mkdir(parents=True)
        for file in ("goroutine.pb.gz", "goroutine.debug2.txt.gz", "heap.pb.gz", "goroutineleak.pb.gz"):
            if name == "after" or file != "goroutineleak.pb.gz":
                (folder / file).write_bytes((RECORDED / "go1.27.3" / file).read_bytes())
        rows.append({"moment": name, "process": "s", "folder": folder.name, "at": "2026-01-01T00:00:00+00:00",
                     "requests": {}, "connections": 0, "held": 0})  # fmt: skip
    (folder.parent / "buildinfo.txt.gz").write_bytes(gzip.compress(b"s: go1.27.3\n"))
    (folder.parent / "manifest.json").write_text(json.dumps({"moments": rows}))
    (home / "go.mod").write_text("module example.com/s\n")
    (home / "expect.toml").write_text(
        'verdict = "leaking"\n[[finding]]\nmechanism = "nil-channel"\n[[finding.site]]\nrole = "blocked"\nfunction = "main.a"\n'
    )
    return Case(home, "t", "s", (".",), (take.build,), (take,), (Phase("a", 1),), "", "", "short", 5, "")


EVERYTHING = {"goroutine.pb.gz", "goroutine.debug2.txt.gz", "heap.pb.gz"}


@pytest.mark.parametrize(
    ("setting", "given"),
    [
        ("all snapshots", [EVERYTHING, EVERYTHING]),
        ("all snapshots, with source", [EVERYTHING, EVERYTHING]),
        ("all snapshots, with goroutineleak", [EVERYTHING, EVERYTHING | {"goroutineleak.pb.gz"}]),
        ("all snapshots, protobuf only", [{"goroutine.pb.gz", "heap.pb.gz"}] * 2),
        ("two snapshots", [EVERYTHING, EVERYTHING]),
        ("one goroutine dump", [{"goroutine.debug2.txt.gz"}]),
        ("one heap profile", []),
        ("one snapshot and a baseline", []),
        ("all snapshots of one process of several", []),
    ],
)
def test_a_setting_gives_what_it_says(two_snapshots: Case, tmp_path: Path, setting: str, given: list[set[str]]) -> None:
    stage = tmp_path / "given"
    stage.mkdir()
    told = SETTINGS[setting](trial(two_snapshots, two_snapshots.takes[0], stage))
    arguments = told.arguments if told else []
    folders = [Path(word) for word in arguments if Path(word).is_dir() and Path(word).parent.name != "source"]
    assert [{path.name for path in folder.iterdir()} for folder in folders] == given
    assert ("--source" in arguments) == (setting == "all snapshots, with source")
    # What is known of the build is in no dump and no profile.
    alone = "protobuf" in setting or "one" in setting
    assert [Path(word).name for word in arguments if Path(word).is_file()] == ([] if alone else ["buildinfo.txt.gz"])
    # No name that the tool could see tells the answer, and no link leads to one.
    names = [str(path.relative_to(stage)) for path in stage.rglob("*")]
    assert not any(word in name for name in names for word in ("leaking", "after", "expect", "captures", "case.toml"))
    assert not any(path.is_symlink() for path in stage.rglob("*"))
    if folders:
        assert next(folders[0].iterdir()).stat().st_mtime == datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def test_every_setting_is_tried() -> None:
    assert len(SETTINGS) == 9


@pytest.mark.parametrize("name", ["waitgroup-never-done-mapsheets", "abandoned-sender-in-dependency-berthboard"])
def test_source_that_is_given_is_found(tmp_path: Path, name: str) -> None:
    one = load_case(name)
    for take in one.takes:
        tried = trial(one, take, tmp_path / take.name)
        told = SETTINGS["all snapshots, with source"](tried)
        assert told
        finder = SourceFinder(told.arguments[1:2], env={})
        sites = [site for finding in told.truth.findings for site in finding.sites]
        for site in (site for site in sites if site.line and site.role in ("blocked", "created")):
            for group in standing(tried.recorded.snapshots[-1].goroutines(), site):
                frame = group.created_by if site.role == "created" else group.place
                assert frame
                # Not where the one who recorded it happens to have it.
                found = finder.find(frame.function, frame.file.replace("/go/pkg/mod/", "/nowhere/pkg/mod/"))
                assert found.path.startswith(str(tmp_path))
                assert site.code in found.lines[site.line - 1]


def test_source_is_that_of_the_build(tmp_path: Path) -> None:
    one = load_case("waitgroup-never-done-mapsheets")
    take = next(take for take in one.takes if take.build.modfile == "fixed.mod")
    told = SETTINGS["all snapshots, with source"](trial(one, take, tmp_path))
    assert told
    checkout = Path(told.arguments[1])
    assert [path.name for path in checkout.glob("*.mod")] == ["go.mod"]
    assert "flightgate v1.2.1" in (checkout / "go.mod").read_text()
    assert not {"case.toml", "expect.toml", "captures"} & {path.name for path in checkout.iterdir()}


@pytest.fixture
def two_processes(two_snapshots: Case) -> Case:
    """Return the case with a second process that has no pprof, and in which it leaks; alone it shows something else."""
    take = two_snapshots.captures / two_snapshots.takes[0].name
    manifest = json.loads((take / "manifest.json").read_text())
    for row in [*manifest["moments"]]:
        (take / "shim" / row["folder"]).mkdir(parents=True)
        (take / "shim" / row["folder"] / "log.txt").write_text(dump({"main.b": 2}))
        manifest["moments"].append({**row, "process": "shim", "folder": f"shim/{row['folder']}"})
    (take / "manifest.json").write_text(json.dumps(manifest))
    site = '[[{0}.site]]\nrole = "blocked"\nfunction = "main.{1}"\nprocess = "{2}"\n'
    (two_snapshots.folder / "expect.toml").write_text(
        'verdict = "leaking"\n[[finding]]\nmechanism = "peer-stopped-reading"\n'
        + site.format("finding", "b", "shim")
        + '[[finding]]\nmechanism = "missing-deadline"\n'
        + site.format("finding", "a", "s")
        + '[alone.shim]\nverdict = "leaking"\nmechanism = "lost-signal"\ngap = "capture s"\n'
        + site.format("alone.shim", "b", "")
    )
    return two_snapshots


@pytest.mark.parametrize(
    ("setting", "folders", "mechanisms"),
    [
        ("all snapshots", ["s", "shim"], ["peer-stopped-reading", "missing-deadline"]),
        ("all snapshots of one process of several", ["1", "2"], ["lost-signal"]),
        ("one goroutine dump", ["1"], ["lost-signal"]),
        ("all snapshots, protobuf only", [], []),  # the first place is out of sight
        ("one heap profile", [], []),
    ],
)
def test_several_processes_are_handed_over(
    two_processes: Case, tmp_path: Path, setting: str, folders: list[str], mechanisms: list[str]
) -> None:
    told = SETTINGS[setting](trial(two_processes, two_processes.takes[0], tmp_path / "given"))
    arguments, findings = (told.arguments, told.truth.findings) if told else ([], ())
    assert [Path(word).name for word in arguments if Path(word).is_dir()] == folders
    assert [finding.mechanism for finding in findings] == mechanisms
    if setting == "all snapshots":
        assert sorted(path.name for path in Path(arguments[1]).iterdir()) == ["1", "2"]


def test_what_the_evidence_cannot_show_is_not_asked(two_snapshots: Case, tmp_path: Path) -> None:
    text = (two_snapshots.folder / "expect.toml").read_text()
    more = '[[finding]]\nmechanism = "growing-container"\n[[finding.site]]\nrole = "allocated"\nfunction = "main.b"\n'
    (two_snapshots.folder / "expect.toml").write_text(text + more)
    for setting, shown in (("all snapshots", ["main.a", "main.b"]), ("one goroutine dump", ["main.a"]),
                           ("one heap profile", ["main.b"])):  # fmt: skip
        told = SETTINGS[setting](trial(two_snapshots, two_snapshots.takes[0], tmp_path / setting))
        assert told
        assert [finding.place.function for finding in told.truth.findings] == shown
        assert [finding.rank for finding in told.truth.findings] == [*range(1, len(shown) + 1)]


def results() -> list[scoring.Result]:
    right = Score(True, "leaking", found=True, detected=True, first=True, mechanism=True, known=True)
    rows = [right, replace(right, detected=False, first=False, known=False, misnamed=("x-1",)), Score(True, ""), Score(False, "leaking", wrong=("x",)),
            Score(False, "undecided"), Score(False, ""), Score(False, "healthy")]  # fmt: skip
    return [scoring.Result("c", f"t{at}", "two snapshots", row) for at, row in enumerate(rows)]


def test_the_table_counts_what_was_said() -> None:
    row = scoring.table(results()).splitlines()[-1]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "two snapshots", "3", "1", "2", "1", "2", "1 of 2", "1", "4", "1", "1", "1", "1", "2",
    ]  # fmt: skip
    assert (
        scoring.summary(results()).splitlines()[-1] == "| two snapshots | 1 of 3 | 2 of 3 | 2 of 3 | 1 of 2 | 1 of 4 |"
    )
    assert scoring.summary(results(), "zh").splitlines()[-1] == "| 两次快照 | 1/3 | 2/3 | 2/3 | 1/2 | 1/4 |"


def test_misses_are_named() -> None:
    told = [*scoring.misses(results())]
    assert told == [
        "two snapshots: c/t1: only possible; not ranked first; known bug not named; not this bug: x-1",
        "two snapshots: c/t2: no answer",
        "two snapshots: c/t3: accused: x",
        "two snapshots: c/t5: no answer",
    ]


def test_a_readme_gets_the_table_in_its_place() -> None:
    text = "a\n<!-- accuracy: made by make accuracy -->\nstale\n<!-- /accuracy -->\nb\n"
    made = scoring.with_table(text, results(), "en", "2026-01-02")
    assert made.startswith(
        "a\n<!-- accuracy: made by make accuracy -->\n1 cases in 7 recorded takes, measured on 2026-01-02"
    )
    assert made.endswith("<!-- /accuracy -->\nb\n")
    assert "stale" not in made


def test_a_readme_without_a_place_for_the_table_is_told() -> None:
    with pytest.raises(BadCase, match="no place"):
        scoring.with_table("nothing here", results(), "en")


def test_expectations_differ_by_build(tmp_path: Path) -> None:
    (tmp_path / "expect.toml").write_text(
        'verdict = "leaking"\nbaseline = "fixed"\n[[finding]]\nmechanism = "nil-channel"\n[[finding.site]]\nfunction = "main.a"\n'
        '[[harmless]]\nfunction = "main.pool"\nbecause = "idle-pool"\n[builds.fixed]\nverdict = "healthy"\n'
    )
    builds = (Build("leaking"), Build("fixed"))
    one = Case(tmp_path, "t", "s", (".",), builds, (), (), "", "", "short", 5, "")
    sick, fixed = (expectation(one, build.name) for build in builds)
    assert (sick.verdict, len(sick.findings), fixed.verdict, fixed.findings) == ("leaking", 1, "healthy", ())
    assert sick.harmless == fixed.harmless
