"""oakum diagnose --open: one diagnosis in the browser, by a server that ends with Ctrl-C and keeps nothing."""

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from oakum.cli import open_pages
from support import ROOT

LEADER = ROOT / "casebook" / "kubernetes-98653" / "captures" / "leaking-go1.26-modcache"


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_a_diagnosis_is_shown_until_it_is_ended(tmp_path: Path) -> None:
    env = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    env = {name: value for name, value in env.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "OAKUM_STORE")}
    command = [sys.executable, "-m", "oakum", "diagnose", "--open", "--no-source", "--lang", "en", "-o", str(tmp_path / "report.json"), str(LEADER)]  # fmt: skip
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            found = re.fullmatch(
                r"In the browser: (http://127\.0\.0\.1:\d+/held/[\w-]+)\n", process.stdout.readline().decode()
            )
            assert found is not None
            page = _get(found[1])
            assert "StreamWatcher" in page
            assert 'id="flame-heap-data"' in page
            evidence = re.search(r'href="(/held/[^"]+/evidence/[0-9a-f]{64})\?goroutine=\d+', page)
            assert evidence is not None
            server = found[1].partition("/held/")[0]
            assert "goroutine " in _get(server + evidence[1])
            with pytest.raises(urllib.error.HTTPError):
                _get(f"{server}/held/other")
            assert list(tmp_path.glob("oakum-serve-*"))
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 1  # leaking
        finally:
            process.kill()
        assert "Ctrl-C ends it" in process.stderr.read().decode()
    assert (tmp_path / "report.json").exists()
    assert not list(tmp_path.glob("oakum-serve-*"))
    assert not (tmp_path / "oakum-store").exists()


def _get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=30) as answer:
        return str(answer.read().decode())


def test_the_browser_is_started_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(open_pages, "find_program", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(open_pages, "Started", lambda command, log: started.append(command))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    open_pages.open_browser("http://127.0.0.1:1/")
    assert started == []
    monkeypatch.setenv("DISPLAY", ":0")
    open_pages.open_browser("http://127.0.0.1:1/")
    assert started == [["/usr/bin/xdg-open", "http://127.0.0.1:1/"]]
