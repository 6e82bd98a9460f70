"""`oakum reproduce` against a server on loopback: what it says, what it saves, and how it ends when the server does not
behave. Programs of Go are in tests/experiment/test_reproduce_live.py."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support import ROOT, Answer, oakum, until_listening

pytestmark = pytest.mark.slow  # each is an experiment with a process of its own

SERVER = ROOT / "tests" / "experiment" / "leaking_service.py"
FAST = ("--drain", "50ms", "--no-source")
Serve = Callable[[str], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Lend what starts a server in a mode, and returns its address."""
    running: list[subprocess.Popen[bytes]] = []

    def start(mode: str) -> str:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        running.append(subprocess.Popen([sys.executable, SERVER, str(port), mode]))
        until_listening(port)
        return f"http://127.0.0.1:{port}"

    yield start
    for process in running:
        process.kill()
        process.wait()


def until_captured(folder: Path, snapshots: int) -> None:
    """Wait until so many snapshots lie below a folder, however long the machine takes; a minute at most."""
    for _ in range(600):
        if len([*folder.rglob("goroutine*")]) >= snapshots:
            return
        time.sleep(0.1)
    raise AssertionError("no snapshots came")


def reproduce(address: str, folder: Path, *words: str) -> tuple[Answer, dict[str, Any]]:
    saved = folder / "exp.json"
    work = () if "--exec" in words or "--wait" in words else ("--request", "GET /orders/{n}")
    told = oakum("reproduce", address, *work, *FAST, *words, "-o", folder / "exp.tar.gz", "-o", saved, "-o", "-")
    assert "Traceback" not in told.out + told.err
    return told, json.loads(saved.read_text()) if saved.exists() else {}


def test_what_each_request_leaves_is_the_first_line(serve: Serve, tmp_path: Path) -> None:
    told, document = reproduce(serve("each"), tmp_path)
    assert told.code == 1
    assert "1.00 [0.98, 1.02] goroutines per request stay at main.(*Book).fetch.func1" in told.out.partition("\n")[0]
    (found,) = document["findings"]
    assert found["confidence"] == "proven"
    again = oakum("diagnose", "--no-source", "--json", tmp_path / "exp.tar.gz")
    assert json.loads(again.out)["trials"] == document["trials"]
    assert oakum("report", "--recheck", tmp_path / "exp.json").code == 0


def test_the_answer_is_on_the_terminal_where_only_files_were_asked_for(serve: Serve, tmp_path: Path) -> None:
    work = ("--request", "GET /orders", "--times", "40", *FAST, "-o", tmp_path / "exp.html")
    told = oakum("reproduce", serve("each"), *work, "-o", tmp_path / "exp.tar.gz")
    assert told.out == ""
    assert "oakum: LEAK  " in told.err
    assert "goroutines per request stay at `main.(*Book).fetch.func1`" in told.err, told.err
    verified = oakum("verify", tmp_path / "exp.tar.gz", tmp_path / "exp.tar.gz", "-o", tmp_path / "fix.html")
    assert verified.out == ""
    assert "oakum: STILL LEAKS  " in verified.err


def test_work_that_outlives_its_answers_is_waited_for(serve: Serve, tmp_path: Path) -> None:
    """Batch by batch as much comes as was sent, although the answers come long before."""
    told, document = reproduce(serve("later"), tmp_path, "--times", "100", "--drain", "1s", "--all")
    assert told.code == 1
    (trial,) = document["trials"]
    goroutines = trial["totals"][0]
    assert goroutines["counts"] == [1, 1, *(1 + done for done in trial["work"][2:])]
    assert [one["confidence"] for one in document["findings"]] == ["proven"]


def test_a_leak_once_in_fifty_is_found_with_an_honest_interval(serve: Serve, tmp_path: Path) -> None:
    told, document = reproduce(serve("seldom"), tmp_path, "--times", "1000")
    assert told.code == 1
    (found,) = document["findings"]
    event = found["growth"][0]["per_event"]
    assert event["low"] < 0.02 < event["high"]
    assert event["low"] > 0


def test_errors_come_first_and_are_judged_all_the_same(serve: Serve, tmp_path: Path) -> None:
    told, document = reproduce(serve("errors"), tmp_path)
    assert told.code == 1
    assert "All 200 requests failed (504: 200). 1.00 [" in told.out.partition("\n")[0]
    assert document["trials"][0]["failed"] == 200


def test_where_nothing_stays_the_power_is_stated(serve: Serve, tmp_path: Path) -> None:
    told, _ = reproduce(serve("never"), tmp_path)
    assert told.code == 0
    assert "nothing stays after 200 requests; a leak above 0.08 goroutines" in told.out.partition("\n")[0]


@pytest.mark.parametrize(
    ("mode", "ended", "said"),
    [
        ("dies", "gone", "could not be reached any more"),
        ("restarts", "restarted", "was restarted"),
        ("throttles", "throttled", "overloaded (429, 503)"),
        ("refuses", "refused", "no request was answered any more"),
    ],
)
def test_what_ends_early_is_said_and_kept(mode: str, ended: str, said: str, serve: Serve, tmp_path: Path) -> None:
    told, document = reproduce(serve(mode), tmp_path)
    assert said in told.err
    assert told.code in (0, 1, 3)
    assert document["trials"][0]["ended"] == ended
    kept = oakum("diagnose", "--no-source", tmp_path / "exp.tar.gz")
    assert kept.code == told.code


def test_a_run_of_a_command_is_a_unit(serve: Serve, tmp_path: Path) -> None:
    address = serve("each")
    ask = f"import urllib.request; urllib.request.urlopen('{address}/orders')"
    told, document = reproduce(address, tmp_path, "--exec", f'{sys.executable} -c "{ask}"', "--times", "24")
    assert told.code == 1
    assert document["trials"][0]["unit"] == "run"
    assert document["findings"][0]["growth"][0]["per_event"]["value"] == 1


def test_a_program_is_started_found_and_stopped(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    start = f"{sys.executable} {SERVER} {port} each"
    told, document = reproduce(f"http://127.0.0.1:{port}", tmp_path, "--start", start)
    assert told.code == 1
    assert document["verdict"] == "leaking"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def test_an_interrupt_keeps_what_came(serve: Serve, tmp_path: Path) -> None:
    words = ["reproduce", serve("each"), "--exec", "sleep 0.2", "--times", "500", *FAST, "-o", tmp_path / "exp.tar.gz"]
    run = subprocess.Popen(
        [sys.executable, "-m", "oakum", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until_captured(tmp_path, 3)
    os.kill(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert "interrupted after" in err
    assert "Traceback" not in out + err
    assert oakum("diagnose", "--no-source", tmp_path / "exp.tar.gz").code in (0, 1, 3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name the work"),
        (["--request", "GET /x", "--wait", "1s"], "one of them"),
        (["--request", "GET http://10.1.2.3:80/x"], "another host"),
        (["--request", "GET /x", "-o", "exp.docx"], "the extension sets the format"),
        (["--request", "curl --nope http://localhost/x"], "--nope"),
        (["--exec", "/nowhere/at/all"], "No such file"),
    ],
)
def test_what_cannot_be_done_is_said(words: list[str], said: str, serve: Serve) -> None:
    told = oakum("reproduce", serve("never"), *words)
    assert told.code == 2
    assert said in told.err


def test_another_host_is_asked_for_by_name() -> None:
    told = oakum("reproduce", "http://10.1.2.3:6060", "--request", "GET /x")
    assert told.code == 2
    assert "--yes" in told.err


def test_a_program_that_does_not_start_is_said() -> None:
    told = oakum("reproduce", "--start", f"{sys.executable} -c 'print(42); raise SystemExit(3)'", "--request", "GET /x")
    assert told.code == 4
    assert "exit code 3" in told.err
    assert "42" in told.err


def test_a_file_is_no_target(tmp_path: Path) -> None:
    (tmp_path / "heap.pb.gz").write_bytes(b"")
    told = oakum("reproduce", tmp_path / "heap.pb.gz", "--wait", "1s")
    assert told.code == 2
    assert "not a running target; name what serves pprof" in told.err
