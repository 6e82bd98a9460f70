"""`oakum watch` over programs of the casebook, built and run now, under load: a service that leaks and five that do not.

Exactly one incident, opened within five snapshots after growth began, with its evidence, closed after the fixed build
was deployed; nothing that was acknowledged is lost when the watcher is killed in between. SOAK_SECONDS=600 for longer.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from casebook.runner.build import for_live
from casebook.runner.case import Case, case
from oakum.store import open_reader
from support import free_ports, need_tool, until_listening
from watch.receiving import Receiver, receiving

pytestmark = pytest.mark.live

LEAKING = "nil-channel-gatelog"
HEALTHY = (
    "healthy-pool-to-maximum", "healthy-small-pool-shuttledesk", "healthy-parcel-scans", "healthy-stations-warm-up",
    "healthy-worker-generations-sortplant",
)  # fmt: skip
SECONDS = float(os.environ.get("SOAK_SECONDS", "25"))  # of the load before the fix


class Program:
    """A program of the casebook that runs, and the load on it."""

    def __init__(self, name: str, port: int, build: str = "") -> None:
        self.case: Case = case(name)
        self.port = port
        self._over = threading.Event()
        self.start(build or self.case.builds[0].name)

    def start(self, build: str) -> None:
        made = self.case.build(build)
        program = for_live(self.case, made)[self.case.service]
        words = [str(program), "-listen", f"127.0.0.1:{self.port}", *made.flags]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until_listening(self.port)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)

    def load(self, asked: Callable[[int], tuple[str, str, str]], pause: float = 0.1) -> None:
        """Send requests, one after the other, until the end."""

        def send() -> None:
            number = 0
            while not self._over.wait(pause):
                number += 1
                method, path, body = asked(number)
                url = f"http://127.0.0.1:{self.port}{path}"
                with suppress(OSError, urllib.error.URLError):
                    request = urllib.request.Request(url, data=body.encode() or None, method=method)
                    urllib.request.urlopen(request, timeout=2).read()

        threading.Thread(target=send, daemon=True).start()

    def end(self) -> None:
        self._over.set()
        self.stop()

    def usual(self, number: int) -> tuple[str, str, str]:
        """Return a request of its phases; the same ones come again."""
        sends = [send for phase in self.case.phases for send in phase.send if not send.hold]
        send = sends[number % len(sends)]
        filled = str(number % 12 + 1)
        return send.method, send.path.replace("{n}", filled), (send.body or "").replace("{n}", filled)


@pytest.fixture
def services() -> Iterator[tuple[Program, list[Program]]]:
    ports = free_ports(len(HEALTHY) + 1)
    running = [Program(LEAKING, ports[0], "leaking")]
    try:
        running += [Program(name, port) for name, port in zip(HEALTHY, ports[1:], strict=True)]
        yield running[0], running[1:]
    finally:
        for one in running:
            one.end()


@pytest.fixture
def alertmanager(tmp_path: Path) -> Iterator[str]:
    """Lend a real Alertmanager that sends nothing on."""
    command = need_tool("prometheus-alertmanager", "prometheus-alertmanager")
    (port,) = free_ports(1)
    config = tmp_path / "alertmanager.yml"
    config.write_text("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n")
    words = [str(command), f"--config.file={config}", f"--storage.path={tmp_path}/alerts", "--cluster.listen-address="]
    with subprocess.Popen(
        [*words, f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            until_listening(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def alerts(alertmanager: str) -> list[str]:
    """Return the services that Alertmanager has an alert of."""
    with urllib.request.urlopen(f"{alertmanager}/api/v2/alerts", timeout=10) as answer:
        return [one["labels"]["service"] for one in json.loads(answer.read())]


def good(number: int) -> tuple[str, str, str]:
    return "POST", f"/records/north/{number % 12}", f"IN {number} AB-{number}"


def bad(number: int) -> tuple[str, str, str]:
    return ("POST", f"/records/south/{number}", f"OUT? {number}") if number % 2 else good(number)


def watch(store: Path, config: Path, log: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "oakum", "watch", "--config", str(config), "--store", str(store)]
    with log.open("ab") as stream:
        return subprocess.Popen(words, stdout=stream, stderr=stream)


def until(what: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.2)
    return what()


def _told(receiver: Receiver) -> list[str]:
    """Return the kinds of notifications that came; the same key twice is one whose acknowledgement was lost."""
    came = [json.loads(one.body) for one in receiver.got]
    return [one["kind"] for one in {one["key"]: one for one in came}.values()]


def test_one_leak_is_one_incident_and_nothing_acknowledged_is_lost(
    services: tuple[Program, list[Program]], alertmanager: str, receiver: Receiver, tmp_path: Path
) -> None:
    leaking, healthy = services
    config, store, log = tmp_path / "watch.toml", tmp_path / "store", tmp_path / "log"
    targets = [("gatelog", leaking), *((one.case.service, one) for one in healthy)]
    config.write_text(
        'every = "1500ms"\n[budget]\ncpu = "50%"\nnetwork = "4GB/h"\n[incidents]\nsettle = "12s"\n'
        + f'[[notify]]\ntype = "webhook"\nname = "hook"\nurl = "{receiver.url}"\n'
        + f'[[notify]]\ntype = "alertmanager"\nname = "alerts"\nurl = "{alertmanager}"\n'
        + "".join(f'[[target]]\nurl = "http://127.0.0.1:{one.port}"\nservice = "{name}"\n' for name, one in targets)
    )

    def said(what: str) -> int:
        return log.read_text().count(f"event={what}") if log.exists() else 0

    for one in healthy:
        one.load(one.usual)
    watcher = watch(store, config, log)
    try:
        assert until(lambda: said("target ") == 6, 60)
        time.sleep(8)
        assert said("incident-opened") == 0
        began = time.time()
        leaking.load(bad)
        assert until(lambda: said("incident-opened") == 1, 60), log.read_text()
        opened = time.time()
        watcher.kill()  # -9
        watcher.wait()
        with open_reader(store) as reader:
            acknowledged = {(row.service, row.run, row.at) for name, _ in targets for row in reader.snapshots(name)}
            (before,) = reader.incidents()
        watcher = watch(store, config, log)
        time.sleep(SECONDS)
        assert until(lambda: alerts(alertmanager) == ["gatelog"], 30), alerts(alertmanager)
        leaking.stop()
        leaking.start("fixed")
        assert until(lambda: said("incident-resolved") == 1, 90), log.read_text()
        assert until(lambda: not alerts(alertmanager), 30), "the alert has ended"
        assert until(lambda: _told(receiver)[-1:] == ["resolved"], 30), _told(receiver)
        watcher.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        assert watcher.wait(10) == 0
        assert time.monotonic() - asked < 5  # two seconds, and a machine that is busy
    finally:
        watcher.kill()
        watcher.wait()
    with open_reader(store) as reader:
        (incident,) = reader.incidents()
        assert incident.incident == before.incident
        assert (incident.state, incident.service) == ("resolved", "gatelog")
        snapshots = reader.snapshots("gatelog")
        since = {row.at for row in snapshots if began * 1e6 <= row.at <= opened * 1e6}
        opened_within = {at for at in since if at <= incident.opened_at}
        assert len(opened_within) <= 6, "five snapshots after growth began, and the one in which it did"
        kept = {row.at: row for row in snapshots if row.captures}
        assert len(kept) >= 4
        assert min(kept) < incident.opened_at
        assert any(row.detail == "dump" for row in kept.values())
        kinds = {one.kind for at in kept for one in reader.captures("gatelog", at)}
        assert {"goroutine.pb.gz", "heap.pb.gz", "goroutine.debug2.txt"} <= kinds
        assert b"<html" in reader.document(incident.page)
        now = {(row.service, row.run, row.at) for name, _ in targets for row in reader.snapshots(name)}
        assert acknowledged <= now, "what was on the disk before the kill is there after it"
        assert len(reader.runs("gatelog")) == 2
        assert [event.kind for event in reader.events("gatelog")].count("incident-opened") == 1
        assert all(len({row.at for row in reader.snapshots(name)}) > 10 for name, _ in targets)
    kinds_told = _told(receiver)
    assert kinds_told.count("opened") == kinds_told.count("resolved") == 1, kinds_told
    assert {json.loads(one.body)["incident"]["service"] for one in receiver.got} == {"gatelog"}
    assert "internal-error" not in log.read_text()
