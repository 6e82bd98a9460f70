"""pid:N of processes that run beside the tests, and of one whose /proc is laid out here."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from collect.process.children import child
from oakum.collect.capture_run import TargetResult
from oakum.collect.process import endpoints, network, pid
from oakum.collect.process.pid import PidTarget
from oakum.collect.process.proc import Proc
from oakum.collect.target import CaptureOptions, Plan
from oakum.collect.web import Access
from oakum.model import UsageError
from oakum.parse import parse
from oakum.report.words.lines import problem_line, worded
from support import unreachable

PAGES = {
    "/debug/pprof/": b"<html><head><title>/debug/pprof/</title></head><body>\n<table>\n"
    b"<tr><td>3</td><td><a href='goroutine?debug=1'>goroutine</a></td></tr>\n"
    b"<tr><td>1</td><td><a href='heap?debug=1'>heap</a></td></tr>\n</table>",
    "/debug/pprof/goroutine?debug=2": b"goroutine 1 [running]:\nmain.main()\n\t/srv/main.go:3 +0x1d\n",
}
ELSE = 404
ME = f"pid:{os.getpid()}"
# Kernel facts that everybody who may look at a process gets.
KERNEL = ["status.txt", "smaps_rollup.txt", "process.txt", "sockets.txt"]


@pytest.fixture
def pprof() -> Iterator[str]:
    """Let this process serve pprof; return its address."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = PAGES.get(self.path)
            self.send_response(200 if body else ELSE)
            self.end_headers()
            self.wfile.write(body or b"404 page not found\n")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    thread = Thread(target=lambda: server.serve_forever(0.01))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def built_by_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the Python programs of these tests pass for programs of Go."""
    monkeypatch.setattr(Proc, "is_go", lambda _: True)


def opened(word: str) -> PidTarget:
    (target,) = pid.open(word, Access())
    assert isinstance(target, PidTarget)
    return target


def files(plan: Plan) -> list[str]:
    return [step.file for step in plan.steps if step.file != "cgroup.txt"]  # not mounted everywhere


def test_words() -> None:
    for word in ("pid:", "pid:x", "pid:-1", "pid:0", "pid:99999999999"):
        with pytest.raises(UsageError, match="oakum find"):
            pid.open(word, Access())
    with unreachable("no such process"):
        pid.open("pid:4194999", Access())  # beyond the most that Linux gives


def test_a_process_that_listens_nowhere_gives_what_the_kernel_knows() -> None:
    with child("") as running:
        target = opened(f"pid:{running.pid}")
        plan = target.plan(CaptureOptions())
        assert files(plan) == KERNEL
        assert ("goroutines and heap", "it listens nowhere, so that it serves no pprof") in [
            (worded(left.what), worded(left.why)) for left in plan.left_out
        ]
        for step in plan.steps:
            taken = target.take(step, CaptureOptions())
            assert taken.problems == ()
            assert taken.capture is not None
            assert [reading.kind for reading in parse(taken.capture)] != ["unknown"], step.file
        target.close()


def test_profiles_of_its_listening_sockets_are_part_of_the_plan(pprof: str) -> None:
    target = opened(ME)
    plan = target.plan(CaptureOptions(seconds=20))
    assert files(plan)[: len(KERNEL)] == KERNEL
    assert f"http://{target.process}" == pprof  # what http://HOST:PORT is known by: never two dumps at once
    assert (plan.facts["pprof"], plan.facts["goroutines"], plan.facts["pid"]) == (pprof, 3, os.getpid())
    (dump,) = [step for step in plan.steps if step.file == "goroutine.debug2.txt"]
    assert dump.ask == f"GET {pprof}/debug/pprof/goroutine?debug=2"
    taken = target.take(dump, CaptureOptions(seconds=20))
    assert taken.capture is not None
    assert taken.capture.data == PAGES["/debug/pprof/goroutine?debug=2"]
    target.close()


def test_who_is_refused_is_told_what_opens_and_not_to_send_signals(pprof: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "PAGES", {})
    monkeypatch.setattr(sys.modules[__name__], "ELSE", 403)
    plan = opened(ME).plan(CaptureOptions(seconds=20, describe=lambda _: b"x"))
    (left,) = [left for left in plan.left_out if worded(left.what) == "goroutines and heap"]
    assert (worded(left.why), worded(left.how)) == (
        "one of its listening sockets answers only to whom it knows",
        "authenticate with --token-file, or -tls_cert and -tls_key",
    )
    assert [f"{pprof}/debug/pprof/: 403" in problem_line(problem) for problem in plan.problems] == [True]
    assert plan.advice == ()


def test_the_build_is_taken_once() -> None:
    options = CaptureOptions(describe=lambda program: f"{program}: go1.26.8\n\tpath\texample.com/shop\n".encode())
    with child("") as running:
        target = opened(f"pid:{running.pid}")
        (step,) = [step for step in target.plan(options).steps if step.file == "build.txt"]
        taken = target.take(step, options)
        assert taken.capture is not None
        program = Path(f"/proc/{running.pid}/exe").readlink()
        assert bytes(taken.capture.data).decode().startswith(f"{program}: go1.26.8\n")
        assert "build.txt" not in files(target.plan(options, snapshot=2))
        assert "pid" not in target.plan(options, snapshot=2).facts


def test_no_secret_is_told() -> None:
    env = {**os.environ, "GOGC": "50", "GOMEMLIMIT": "512MiB", "TOKEN": "hunter3"}
    with child("", "--token=hunter1", "-password", "hunter2", env=env) as running:
        target = opened(f"pid:{running.pid}")
        plan = target.plan(CaptureOptions())
        assert plan.facts["environment"] == {"GOGC": "50", "GOMEMLIMIT": "512MiB"}
        taken = [target.take(step, CaptureOptions()).capture for step in plan.steps]
        everything = repr(plan) + "".join(str(bytes(capture.data)) for capture in taken if capture)
        assert "hunter" not in everything
        (facts,) = [capture for capture in taken if capture and capture.origin.endswith("process.txt")]
        (reading,) = parse(facts)
        assert reading.metrics is not None
        assert reading.metrics.total("go_gc_gomemlimit_bytes") == 512 << 20


def test_a_process_that_ended_is_told_so() -> None:
    with child("") as running:
        target = opened(f"pid:{running.pid}")
        steps = target.plan(CaptureOptions()).steps
    assert [problem.key for problem in target.plan(CaptureOptions()).problems] == ["ended"]
    taken = target.take(steps[0], CaptureOptions())
    assert (taken.capture, [problem.key for problem in taken.problems]) == (None, ["ended"])


def test_a_process_that_nobody_took_note_of_has_ended_too() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        target = opened(f"pid:{process.pid}")
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        plan = target.plan(CaptureOptions())
        assert not plan.steps
        assert f"has exited; its parent, {os.getpid()}," in problem_line(plan.problems[0])


def test_another_process_of_its_number_is_not_taken_for_it(tmp_path: Path) -> None:
    proc = made(tmp_path, started=100)
    target = PidTarget(proc, Access())
    made(tmp_path, started=200)
    (problem,) = target.plan(CaptureOptions()).problems
    assert problem_line(problem) == "pid:12 has exited; another process (odd (name)) has its pid now"


def test_what_may_not_be_seen_is_left_out_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Proc) -> dict[int, str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Proc, "open_files", refused)
    plan = PidTarget(made(tmp_path, started=100), Access()).plan(CaptureOptions())
    assert files(plan) == ["status.txt", "process.txt"]
    told = {worded(left.what): (worded(left.why), worded(left.how)) for left in plan.left_out}
    assert told["goroutines and heap"][1] == "as root, or name its address"
    assert "no such file" in told["smaps_rollup.txt"][0]


def test_a_network_that_may_not_be_entered_is_told_with_the_command(
    monkeypatch: pytest.MonkeyPatch, pprof: str
) -> None:
    target = opened(ME)
    target._network.elsewhere = True
    monkeypatch.setattr(network, "_set_namespace", lambda _: "operation not permitted")
    plan = target.plan(CaptureOptions())
    (left,) = [left for left in plan.left_out if worded(left.what) == "goroutines and heap"]
    assert worded(left.how) == f"sudo nsenter -t {os.getpid()} -n oakum capture {ME}"
    assert files(plan) == KERNEL


def test_a_listener_that_never_answers_does_not_hold_up_the_rest(pprof: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints.answering, "__defaults__", (0.5,))
    with socket.create_server(("127.0.0.1", 0)):
        began = time.monotonic()
        plan = opened(ME).plan(CaptureOptions(seconds=20))
        assert plan.facts["pprof"] == pprof
        assert time.monotonic() - began < 15


def test_who_is_stopped_is_told_so_and_asked_again_when_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints.answering, "__defaults__", (0.2,))
    listen = "import socket, time; s = socket.create_server(('127.0.0.1', 0)); print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", listen], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        target = opened(f"pid:{process.pid}")
        try:
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
            plan = target.plan(CaptureOptions(seconds=20))
            stopped = next(left for left in plan.left_out if worded(left.what) == "goroutines and heap")
            assert "it is stopped" in worded(stopped.why)
            assert worded(stopped.how) == f"kill -CONT {process.pid} lets it go on"
            assert not plan.advice
            process.send_signal(signal.SIGCONT)
            os.waitid(os.P_PID, process.pid, os.WCONTINUED)
            again = next(
                left for left in target.plan(CaptureOptions(seconds=20), 2).left_out if "heap" in worded(left.what)
            )
            assert "answers HTTP/1 at none of them" in worded(again.why)
        finally:
            process.kill()
            target.close()


def test_a_program_that_is_not_go_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with child("") as running:
        plan = opened(f"pid:{running.pid}").plan(CaptureOptions())
        assert not plan.steps
        (problem,) = plan.problems
        program = Path(f"/proc/{running.pid}/exe").readlink()
        text = f"pid:{running.pid} is not a Go program: {program}; `oakum find` lists the Go programs"
        assert (problem.key, problem_line(problem)) == ("not-go", text)


def test_which_of_its_children_are_go_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with child("") as running:
        monkeypatch.setattr(Proc, "is_go", lambda proc: proc.pid == running.pid)
        plan = opened(ME).plan(CaptureOptions(seconds=20))
        assert f"pid:{running.pid} (python" in str(plan.problems[0])


def test_what_serves_profiles_is_captured_whatever_it_is(pprof: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Proc, "is_go", lambda _: False)
    assert opened(ME).plan(CaptureOptions(seconds=20)).facts["pprof"] == pprof


@pytest.mark.parametrize(
    ("program", "go"),
    [(b"\x7fELF...\xff Go buildinf:\x08", True), (b"\x7fELF runtime.gopark", True), (b"\x7fELF", False), (b"", None)],
)
def test_go_is_recognised_by_its_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: bytes, go: bool | None
) -> None:
    monkeypatch.undo()
    proc = made(tmp_path, started=100)
    assert proc.is_go() is None
    (tmp_path / "12" / "exe").write_bytes(program)
    assert proc.is_go() is go


def test_its_memory_is_known_in_every_snapshot() -> None:
    with child("") as running:
        target = opened(f"pid:{running.pid}")
        result = TargetResult("", target)
        for snapshot in (1, 2):
            result.planned(target.plan(CaptureOptions(), snapshot))
        assert len(result.counts["rss"]) == 2


def made(tmp_path: Path, started: int) -> Proc:
    """Lay out the /proc of one process."""
    folder = tmp_path / "12"
    folder.mkdir(exist_ok=True)
    fields = ["S", "1", *["0"] * 15, "9", "0", str(started), "0", "77", *["0"] * 20]
    (folder / "stat").write_text(f"12 (odd (name)) {' '.join(fields)}\n")
    (folder / "status").write_text("Name:\todd\nVmRSS:\t 12 kB\n")
    return Proc(12, tmp_path)
