"""Uploads: diagnosed in a process of its own, within caps, kept only when asked for; what `diagnose --open` shows."""

import asyncio
import io
import json
import os
import re
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from oakum.report.words import say
from oakum.store import open_reader, open_writer
from oakum.web import tray as trays
from oakum.web.tray import MOST, Tray
from oakum.web.workers import Caps, Workers, WorkFailed
from support import ROOT
from web_clients import ADDRESS, client_of, send, token_of

LEADER = ROOT / "casebook" / "kubernetes-98653" / "captures" / "leaking-go1.26-modcache"


def dumps() -> list[tuple[str, tuple[str, bytes]]]:
    folders = sorted(one for one in LEADER.iterdir() if (one / "goroutine.debug2.txt.gz").exists())
    return [
        ("files", (f"{one.name}.txt.gz", (one / "goroutine.debug2.txt.gz").read_bytes()))
        for one in (folders[0], folders[-1])
    ]


def uploaded(client: TestClient) -> str:
    """Return the address of a diagnosis of an upload."""
    answer = send(client, "/upload", dumps())
    assert answer.status_code == 200, answer.text
    return str(answer.url.path)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[TestClient]:
    """A client of a server whose store does not exist yet."""
    with client_of(tmp_path / "store") as client:
        yield client


def test_captures_are_diagnosed_and_nothing_is_kept(fresh: TestClient, tmp_path: Path) -> None:
    answer = send(fresh, "/upload", dumps())
    assert answer.status_code == 200
    assert re.fullmatch(r"/held/[\w-]{20,}", answer.url.path)
    assert "StreamWatcher" in answer.text
    assert "tone-leaking" in answer.text
    assert 'id="keep-form"' in answer.text
    assert 'id="flame-goroutines-data"' in answer.text
    evidence = re.search(r'href="(/held/[\w-]+/evidence/[0-9a-f]{64}\?goroutine=\d+)#cited"', answer.text)
    assert evidence is not None
    assert 'id="cited"' in fresh.get(evidence[1]).text
    assert not (tmp_path / "store").exists()
    assert str(tmp_path) not in answer.text
    assert "oakum-serve-" not in answer.text  # where it lies is nobody's business
    report = fresh.get(f"{answer.url.path}/report.json")
    assert json.loads(report.text)["verdict"] == "leaking"
    with tarfile.open(fileobj=io.BytesIO(fresh.get(f"{answer.url.path}/redacted.tar.gz").content)) as archive:
        assert sum(name.endswith(".txt.gz") for name in archive.getnames()) == 2


def test_what_is_kept_goes_the_way_of_store_add(fresh: TestClient, tmp_path: Path) -> None:
    held = uploaded(fresh)
    kept = send(fresh, f"{held}/keep", service="orders")
    assert kept.status_code == 200
    assert 'href="/services/orders"' in kept.text
    with open_reader(tmp_path / "store") as reader:
        assert len(reader.snapshots("orders")) == 2
        (finding,) = reader.findings("orders")
        assert finding.mechanism == "abandoned-sender"
    assert fresh.get(f"/diagnoses/{finding.document.removeprefix('sha256:')}").status_code == 200
    again = send(fresh, f"{held}/keep", service="orders")
    assert "already in the store" in again.text


def test_a_store_that_is_written_to_is_not_kept_into(fresh: TestClient, tmp_path: Path) -> None:
    held = uploaded(fresh)
    with open_writer(tmp_path / "store"):
        refused = send(fresh, f"{held}/keep")
        assert refused.status_code == 422
        assert "is writing into this store" in refused.text
        assert "StreamWatcher" in refused.text  # it is there still
    assert send(fresh, f"{held}/keep").status_code == 200


def test_what_is_discarded_is_gone(fresh: TestClient) -> None:
    held = uploaded(fresh)
    assert send(fresh, f"{held}/discard").url.path == "/upload"
    assert fresh.get(held).status_code == 404
    assert fresh.get("/held/nothing").status_code == 404


@pytest.mark.slow
def test_bundles_and_saved_diagnoses_are_shown_too(fresh: TestClient) -> None:
    report = fresh.get(f"{uploaded(fresh)}/report.html").content
    shown = send(fresh, "/upload", [("files", ("report.html", report))])
    assert "StreamWatcher" in shown.text
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(LEADER, "leader")
    shown = send(fresh, "/upload", [("files", ("../../etc/leader.tar.gz", packed.getvalue()))])
    assert "StreamWatcher" in shown.text
    assert "5 snapshots" in shown.text


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("notes.txt", b"nothing of this is evidence"),
        ("empty", b""),
        ("image.png", b"\x89PNG\r\n\x1a\n" + bytes(100)),
        ("bomb.gz", b"\x1f\x8b\x08\x00" + bytes(50)),
        ("cut.zip", b"PK\x03\x04"),
        ("page.html", b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"),
        ("<script>alert(1)</script>.txt", b"goroutine"),
        ("report.json", b'{"schema": "oakum.diagnosis/1", "findings": 7}'),
    ],
)
def test_what_is_no_evidence_is_said_to_be_none(fresh: TestClient, name: str, data: bytes) -> None:
    answer = send(fresh, "/upload", [("files", (name, data))])
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert 'id="upload-form"' in answer.text
    assert "<script>alert" not in answer.text
    assert "Traceback" not in answer.text
    assert "/tmp" not in answer.text.partition("<main")[2].partition("curl")[0]
    assert "<" in name or name in answer.text  # which of the files, and what it is


def test_forms_need_their_token_and_a_server_that_changes_something(fresh: TestClient, tmp_path: Path) -> None:
    assert fresh.post("/upload", files=dumps(), headers={"Origin": ADDRESS}).status_code == 403
    assert fresh.post("/upload", data={"form-token": token_of(fresh)}, files=dumps()).status_code == 403
    assert send(fresh, "/upload", [("files", ("", b""))]).status_code in (400, 422)
    with client_of(tmp_path / "store", read_only=True) as client:
        assert "--read-only" in client.get("/upload").text
        assert client.post("/upload", files=dumps(), headers={"Origin": ADDRESS}).status_code == 403


# The process that reads it.


def run(workers: Workers, **asked: object) -> str:
    """Return why a job failed."""
    with pytest.raises(WorkFailed) as failed:
        asyncio.run(workers.run("diagnose", lang="en", called=[], **asked))
    return say(failed.value.text)


def test_work_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    (tmp_path / "pipe").write_bytes(dumps()[0][1][1])
    told = run(Workers(Caps(seconds=0.05)), files=[str(tmp_path / "pipe")], captures=str(tmp_path / "c"))
    assert told.startswith("Stopped after")


def test_work_that_takes_too_much_memory_is_stopped(tmp_path: Path) -> None:
    # Little to send, much to hold: within what a parser may unpack, beyond what a worker may write to.
    stack = b"goroutine %d [select]:\nmain.f%d()\n\t/x/a.go:1 +0x1\n\n"
    dump = b"".join(stack % (one, one) for one in range(1, 200_000))
    (tmp_path / "large.txt").write_bytes(dump)
    told = run(Workers(Caps(memory=60 << 20)), files=[str(tmp_path / "large.txt")], captures=str(tmp_path / "c"))
    assert "memory" in told or "ended with code" in told


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_work_is_killed_when_the_server_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never")  # nobody writes into it: who opens it waits
    workers = Workers()
    done: list[str] = []

    def work() -> None:
        done.append(run(workers, files=[str(tmp_path / "never")], captures=str(tmp_path / "c")))

    thread = threading.Thread(target=work)
    thread.start()
    until = time.monotonic() + 30
    while not workers.at_work and time.monotonic() < until:
        time.sleep(0.01)
    assert workers.at_work
    workers.close()
    thread.join(30)
    assert not thread.is_alive()
    assert done == ["The server was ended meanwhile."]


def test_the_tray_is_bounded_and_private(monkeypatch: pytest.MonkeyPatch) -> None:
    tray = Tray()
    try:
        first = tray.claim("kept", lasting=True)
        assert first.folder.parent.stat().st_mode & 0o077 == 0
        others = [tray.claim(str(number)) for number in range(MOST + 2)]
        assert tray.get(first.token) is first
        assert tray.get(others[0].token) is None
        assert not others[0].folder.exists()
        assert tray.get(others[-1].token) is others[-1]
        monkeypatch.setattr(trays, "_LIFE", -1.0)
        assert tray.get(others[-1].token) is None
        assert tray.get(first.token) is first
    finally:
        tray.close()
    assert not first.folder.parent.exists()
