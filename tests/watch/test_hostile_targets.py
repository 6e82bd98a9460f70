"""Targets that hang, answer garbage, redirect, lie about their length or never end: said once each, and the others go on."""

import io
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from fake_targets import FakeClock
from live_service import serving
from oakum.collect.target import CaptureOptions
from oakum.collect.web import Access
from oakum.store import open_reader
from oakum.watch.budget import Allowance
from oakum.watch.config import Config
from oakum.watch.discovery import Discovery, named_words
from oakum.watch.evidence import Evidence
from oakum.watch.log import Log
from oakum.watch.subject import Settings, Subject, look
from oakum.watch.take import MOST_CHEAP, Look, take
from oakum.watch.watcher import Watcher

INDEX = b"<html><title>/debug/pprof/</title><td>12</td><td><a href='goroutine?debug=1'>goroutine</a></td></html>"
Answers = Callable[[socket.socket, str], None]


def answered(body: bytes, length: int | None = None, status: str = "200 OK", more: str = "") -> bytes:
    shown = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {shown}\r\n{more}Connection: close\r\n\r\n".encode() + body


def hangs(peer: socket.socket, path: str) -> None:
    peer.recv(1)


def garbage(peer: socket.socket, path: str) -> None:
    peer.sendall(b"\x00\xffSSH-2.0-what\r\n" * 20)


def nonsense(peer: socket.socket, path: str) -> None:
    peer.sendall(answered(INDEX if path.rstrip("/") == "/debug/pprof" else b"\x1f\x8b not really gzip"))


def redirects(peer: socket.socket, path: str) -> None:
    peer.sendall(answered(b"", status="302 Found", more="Location: http://192.0.2.1/login?token=hunter2\r\n"))


def lies(peer: socket.socket, path: str) -> None:
    peer.sendall(answered(INDEX if path.rstrip("/") == "/debug/pprof" else b"x" * 100, length=10_000_000))


def endless(peer: socket.socket, path: str) -> None:
    if path.rstrip("/") == "/debug/pprof":
        peer.sendall(answered(INDEX))
        return
    peer.sendall(answered(b"goroutine profile: total 12\n", length=10 << 30))
    chunk = b"1 @ 0x1 0x2\n" * 8000
    for _ in range((10 << 30) // len(chunk)):
        peer.sendall(chunk)


@pytest.fixture
def hostile() -> Iterator[Callable[[Answers], str]]:
    """Lend servers that answer as a function says; it is given the connection and the path."""
    servers: list[socket.socket] = []

    def serve(answers: Answers) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)

        def one(peer: socket.socket) -> None:
            with peer, suppress(OSError):
                peer.settimeout(20)
                head = peer.recv(8192).decode("latin-1")
                answers(peer, head.split(" ")[1] if " " in head else "")

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=one, args=(server.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}"

    yield serve
    for server in servers:
        server.close()


def opened(words: list[str]) -> Discovery:
    return Discovery(named_words(words, Access()))


@pytest.mark.slow
def test_each_is_said_once_and_a_good_one_is_watched_beside_them(
    hostile: Callable[[Answers], str], tmp_path: Path
) -> None:
    log = io.StringIO()
    kinds = (hangs, garbage, nonsense, redirects, lies)
    with serving() as service:
        words = [f"{one.__name__}={hostile(one)}" for one in kinds] + [f"good={service.url}"]
        config = Config(store=tmp_path / "s", every=0.3, allowance=Allowance(1.0, 1e12))
        watcher = Watcher(config, opened(words), CaptureOptions(seconds=0.5), Log(log))
        end = time.monotonic() + 60

        def complaints(name: str) -> int:
            said = ("target-failed", "event=problem")
            return sum(
                f"service={name} " in line and any(one in line for one in said) for line in log.getvalue().splitlines()
            )

        while time.monotonic() < end:
            watcher.tick()
            watcher._wait()
            seen = [one for one in watcher.subjects.values() if one.service == "good" and one.known.number > 12]
            if seen and all(one.known.number > 2 for one in watcher.subjects.values()):
                break
        watcher.close()
    text = log.getvalue()
    assert "internal-error" not in text, text
    assert all(1 <= complaints(one.__name__) <= 2 for one in kinds), text
    assert complaints("good") == 0
    assert "hunter2" not in text
    with open_reader(tmp_path / "s") as reader:
        assert len(reader.snapshots("good")) >= 10


@pytest.mark.slow
def test_an_answer_of_ten_gigabytes_is_cut_and_paid_for(hostile: Callable[[Answers], str]) -> None:
    (found,) = opened([f"x={hostile(endless)}"]).refresh(lambda *_: None, lambda _: None)
    taking = take(found.target, CaptureOptions(seconds=10.0), Look())
    assert taking.cost.bytes < 8 * MOST_CHEAP
    assert not any(len(capture.data) > MOST_CHEAP for _, capture in taking.captures)
    assert not taking.captures, "half an answer is no evidence"
    found.target.close()


@pytest.mark.slow
def test_no_hour_of_an_endless_target_has_more_bytes_than_are_allowed(
    hostile: Callable[[Answers], str], tmp_path: Path
) -> None:
    """Four hours, by a clock that is moved to when the next look is due; also when a crash seems to be near."""
    passed = FakeClock()
    (found,) = opened([f"x={hostile(endless)}"]).refresh(lambda *_: None, lambda _: None)
    options = CaptureOptions(seconds=20.0)
    subject = Subject(
        found, Settings(60.0, options, Allowance(), Evidence(tmp_path), threading.Semaphore(), passed.clock), 0.0
    )
    came: list[tuple[float, float]] = []
    while passed.passed < 4 * 3600:
        for whatever in (False, True):  # a crash seems to be near as soon as the hour is used up
            subject.full = subject.whatever = whatever
            seen = look(subject)
            assert seen.taking is not None
            came.append((passed.passed, seen.taking.cost.bytes))
        subject.schedule(passed.passed, seen.row is not None)
        passed.passed = subject.due
    for end, _ in came:
        assert sum(size for at, size in came if end - 3600 < at <= end) <= Allowance().bytes_per_hour
    assert 8 <= len(came) < 100
    assert all(size > 1 << 20 for _, size in came), "the evidence before a crash has its part"
    print("bytes of an hour at most:", max(sum(size for at, size in came if end - 3600 < at <= end) for end, _ in came))
    found.target.close()


def test_a_look_is_cheap_and_the_dump_is_taken_only_when_it_is_asked_for() -> None:
    with serving() as service:
        (found,) = opened([f"x={service.url}"]).refresh(lambda *_: None, lambda _: None)
        first = take(found.target, CaptureOptions(), Look(1))
        assert not any("debug=2" in path for path in service.asked)
        assert {"goroutine.pb.gz", "heap.pb.gz"} <= {file for file, _ in first.captures}
        assert first.detail == "profile"
        assert first.cost.bytes >= sum(len(capture.data) for _, capture in first.captures)
        full = take(found.target, CaptureOptions(), Look(2, full=True))
        assert full.detail == "dump"
        refused = take(
            found.target, CaptureOptions(), Look(3, full=True), lambda file, _: file != "goroutine.debug2.txt"
        )
        assert refused.detail == "profile"
        assert refused.left_out == ("goroutine.debug2.txt",)
        whatever = take(found.target, CaptureOptions(), Look(4, full=True, whatever=True), lambda *_: False)
        assert whatever.detail == "dump"
        found.target.close()
