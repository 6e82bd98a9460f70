"""The commands beside a real Go program that leaks: a series until it has grown, redacted, and the verdict of it."""

import json
import threading
import urllib.request
from pathlib import Path

import pytest

from collect.pprof.test_live import leaky
from collect.web.faults import HERE as CERTIFICATES
from support import oakum_process as oakum

pytestmark = pytest.mark.live


def _load(address: str, enough: threading.Event) -> None:
    """Send work, each piece of which leaks."""
    while not enough.wait(0.1):
        urllib.request.urlopen(f"http://{address}/leak?n=20", timeout=60).read()


def test_until_it_has_grown_then_redacted_with_the_same_verdict(tmp_path: Path) -> None:
    enough = threading.Event()
    with leaky("-metrics", "/metrics") as address:
        load = threading.Thread(target=_load, args=(address, enough))
        load.start()
        try:
            place = tmp_path / "bundle"
            words = (f"http://{address}", "--until-growth", "--every", "500ms", "--timeout", "60s", "-o", place)
            answer = oakum("capture", *words)
        finally:
            enough.set()
            load.join()
    assert answer.code == 0, answer.err
    assert "Stopped because of growth: " in answer.out
    said = json.loads(oakum("diagnose", "--no-source", "--json", place).out)
    assert said["findings"][0]["mechanism"] == "abandoned-receiver"
    redacted = tmp_path / "redacted.tar.gz"
    assert oakum("capture", place, "--redact", "-o", redacted).code == 0
    again = json.loads(oakum("diagnose", "--no-source", "--json", redacted).out)
    assert again["verdict"] == said["verdict"]
    assert [one["mechanism"] for one in again["findings"]] == [one["mechanism"] for one in said["findings"]]


def test_pprofs_flags_lead_through_mutual_tls(tmp_path: Path) -> None:
    with leaky("-cert", CERTIFICATES / "server.pem", "-ca", CERTIFICATES / "authority.crt") as address:
        ours = (
            "-tls_ca", CERTIFICATES / "authority.crt", "-tls_cert", CERTIFICATES / "client.crt",
            "-tls_key", CERTIFICATES / "client.key",
        )  # fmt: skip
        url = f"https://{address}"
        goroutines = oakum("goroutines", *ours, url, PPROF_TMPDIR=str(tmp_path))
        top = oakum("top", *ours, f"{url}/debug/pprof/goroutine", PPROF_TMPDIR=str(tmp_path))
        stranger = oakum("top", *ours[:2], url, PPROF_TMPDIR=str(tmp_path))
    assert "chan receive" in goroutines.out, goroutines.err
    assert "main.wait" in top.out, top.err
    assert stranger.code == 4
    assert "--tls-cert" in stranger.err
