"""The runner's parts: the load client, the stage, the settings, the naive rule, the table."""

import contextlib
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

import pytest

from casebook.runner import accuracy as scoring
from casebook.runner.build import local_modules
from casebook.runner.case import Build, Case, Phase, Send, Take
from casebook.runner.evidence import Moment, recording
from casebook.runner.expectation import expectation
from casebook.runner.fetch import FetchFailed, get
from casebook.runner.load import Client
from casebook.runner.naive import accuse
from casebook.runner.score import Score
from casebook.runner.settings import SETTINGS, trial
from casebook.runner.stage import RunFailed, Stage
from support import RECORDED


class Service(http.server.ThreadingHTTPServer):
    """A small service that counts its requests and connections."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[str] = []
        self.peers: set[tuple[str, int]] = set()

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
        if self.path.startswith("/missing"):
            self.send_error(404)
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
        threading.Thread(target=server.serve_forever, daemon=True).start()
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


def play(tmp_path: Path, scenario: str) -> Path:
    home, scratch, out = (tmp_path / name for name in ("case", "scratch", "out"))
    for folder in (home, scratch, out):
        folder.mkdir()
    case = small_case(home, scenario)
    stage = Stage(case, case.builds[0], {}, scratch, out, short=True)
    stage.play()
    stage.write_manifest(service="s")
    return out


def test_a_dump_on_a_signal_is_kept_with_its_moment(tmp_path: Path) -> None:
    out = play(
        tmp_path,
        """import signal
def run(stage):
    shell = "trap 'echo goroutine 7 [running]:' USR1; echo ready; while :; do sleep 0.1; done"
    shim = stage.start("shim", ["sh", "-c", shell], dump_on=signal.SIGUSR1)
    stage.until(lambda: "ready" in shim.tail(), "the shim did not come up", process=shim)
    stage.moment("before")
    stage.moment("after")
    stage.keep("queues.txt", "Recv-Q Send-Q")
""",
    )
    assert (out / "1-before" / "log.txt").read_text() == "ready\ngoroutine 7 [running]:\n"
    assert (out / "2-after" / "log.txt").read_text() == "goroutine 7 [running]:\n"
    assert [moment.name for moment in recording(out).moments] == ["before", "after"]
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


def test_nothing_is_left_running(tmp_path: Path) -> None:
    scenario = (
        "def run(stage):\n    started = stage.start('a', ['sh', '-c', 'sleep 60 & sleep 60'])\n"
        "    stage.keep('pid', str(started.pid))\n    raise ValueError\n"
    )
    with pytest.raises(ValueError):
        play(tmp_path, scenario)
    group = int((tmp_path / "out" / "pid").read_text())
    end = time.monotonic() + 10
    while running(group) and time.monotonic() < end:
        time.sleep(0.05)
    assert running(group) == []


def dump(counts: dict[str, int]) -> str:
    blocks: list[str] = []
    for function, count in counts.items():
        for _ in range(count):
            blocks.append(
                f"goroutine {len(blocks) + 1} [chan send]:\n{function}()\n\t/srv/a/a.go:9 +0x1\ncreated by main.main\n\t/srv/a/a.go:2 +0x1\n"
            )
    return "\n".join(blocks)


def moment(folder: Path, name: str, counts: dict[str, int]) -> Moment:
    (folder / name).mkdir(parents=True)
    (folder / name / "goroutine.debug2.txt").write_text(dump(counts))
    return Moment(folder / name, name, "s", datetime.now(UTC), {}, 0, 0)


def test_the_naive_rule_accuses_what_grew_most_first(tmp_path: Path) -> None:
    before = moment(tmp_path, "1", {"main.a": 2, "main.b": 1, "main.c": 9})
    after = moment(tmp_path, "2", {"main.a": 6, "main.b": 30, "main.c": 2})
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
def two_moments(tmp_path: Path) -> Case:
    """Return a case with one take of two recorded moments, a go.mod and a proof."""
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
    (folder.parent / "buildinfo.txt").write_text("s: go1.27.3\n")
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
        ("all moments", [EVERYTHING, EVERYTHING]),
        ("all moments, with source", [EVERYTHING, EVERYTHING]),
        ("all moments, with goroutineleak", [EVERYTHING, EVERYTHING | {"goroutineleak.pb.gz"}]),
        ("all moments, protobuf only", [{"goroutine.pb.gz", "heap.pb.gz"}] * 2),
        ("two moments", [EVERYTHING, EVERYTHING]),
        ("one goroutine dump", [{"goroutine.debug2.txt.gz"}]),
        ("one heap profile", []),
        ("one moment and a healthy twin", []),
    ],
)
def test_a_setting_gives_what_it_says(two_moments: Case, tmp_path: Path, setting: str, given: list[set[str]]) -> None:
    stage = tmp_path / "given"
    stage.mkdir()
    arguments = SETTINGS[setting](trial(two_moments, two_moments.takes[0], stage))
    folders = [Path(word) for word in arguments if Path(word).is_dir() and Path(word).name != "source"]
    assert [{path.name for path in folder.iterdir()} for folder in folders] == given
    assert ("--source" in arguments) == (setting == "all moments, with source")
    # No name that the tool could see tells the answer.
    assert not any("leaking" in word or "after" in word for word in arguments)


def test_every_setting_is_tried() -> None:
    assert len(SETTINGS) == 8


def results() -> list[scoring.Result]:
    right = Score(True, "leaking", found=True, first=True, mechanism=True, known=True)
    rows = [right, replace(right, first=False, known=False), Score(True, ""), Score(False, "leaking", wrong=("x",)),
            Score(False, "undecided"), Score(False, "")]  # fmt: skip
    return [scoring.Result("c", f"t{at}", "two moments", row) for at, row in enumerate(rows)]


def test_the_table_counts_what_was_said() -> None:
    row = scoring.table(results()).splitlines()[-1]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "two moments", "3", "2", "1", "2", "1 of 2", "3", "1", "1", "1", "2",
    ]  # fmt: skip
    assert "两个时刻" in scoring.table(results(), "zh")


def test_misses_are_named() -> None:
    told = [*scoring.misses(results())]
    assert told == [
        "two moments: c/t1: not ranked first; known bug not named",
        "two moments: c/t2: no answer",
        "two moments: c/t3: accused: x",
        "two moments: c/t5: no answer",
    ]


def test_a_readme_gets_the_table_in_its_place() -> None:
    text = "a\n<!-- accuracy: made by make accuracy -->\nold\n<!-- /accuracy -->\nb\n"
    made = scoring.with_table(text, results(), "en", "2026-01-02")
    assert made.startswith(
        "a\n<!-- accuracy: made by make accuracy -->\n1 cases in 6 recorded takes, measured on 2026-01-02"
    )
    assert made.endswith("<!-- /accuracy -->\nb\n")
    assert "old" not in made


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
