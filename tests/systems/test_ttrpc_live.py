"""The node of ttrpc-94, built and stuck now: followed from the kubelet alone, its sockets lead to the chain."""

import http.client
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from casebook.runner.build import for_live
from casebook.runner.case import case
from casebook.runner.stage import Process, Stage
from systems.test_ttrpc import CALLS
from toolchain import DownloadFailed, need_go

pytestmark = pytest.mark.live

NODE = case("ttrpc-94")
# On a busy machine the many execs may fail to fill the socket, which nothing but another run helps against.
TRIES = 3
SECONDS = 240.0


class _Followed(Stage):
    """The scenario of the case; in place of its snapshots the kubelet is captured at the end, and whom it leads to."""

    bundle: Path
    stuck = False
    planned = ""

    def snapshot(self, name: str, *, gc: bool = False) -> None:
        if name != "last":
            return
        kubelet, shim = self._named("kubelet"), self._named("shim")
        self.stuck = not _answers(kubelet)
        self.planned = _capture(kubelet, "--dry-run")
        assert "goroutine " not in shim.log.read_text(encoding="utf-8")  # it was sent no signal
        _capture(kubelet, "--snapshots", "3", "--every", "3s", "-o", str(self.bundle))

    def _named(self, name: str) -> Process:
        return next(one for one in self._processes if one.name == name)


def _capture(kubelet: Process, *flags: str) -> str:
    """Return what `oakum capture --follow` says of the kubelet, which wants a client certificate."""
    assert kubelet.tls is not None
    known = ["--tls-cert", str(kubelet.tls.cert), "--tls-key", str(kubelet.tls.key)]
    command = [sys.executable, "-m", "oakum", "capture", f"pid:{kubelet.pid}", "--follow", *known, *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def _answers(kubelet: Process) -> bool:
    """Tell whether the kubelet still answers with stats."""
    words = [str(word) for word in kubelet.running.args]  # type: ignore[union-attr]  # it was started with a list
    client = http.client.HTTPConnection(words[words.index("-read-only-listen") + 1], timeout=5)
    try:
        client.request("GET", "/stats/summary")
        return client.getresponse().status == 200
    except OSError:
        return False
    finally:
        client.close()


def _followed(build: str, home: Path) -> _Followed:
    """Return the run of a build with what was captured of it."""
    need_go()
    one = NODE.build(build)
    try:
        programs = for_live(NODE, one)
    except DownloadFailed as reason:
        pytest.skip(str(reason))
    with tempfile.TemporaryDirectory(prefix="cb-") as folder:  # short: unix sockets have short names
        stage = _Followed(NODE, one, programs, Path(folder), home / "kept", short=True, limit=SECONDS)
        stage.bundle = home / "bundle"
        stage.play()
    return stage


def _diagnosed(stage: _Followed) -> dict[str, Any]:
    command = [sys.executable, "-m", "oakum", "diagnose", str(stage.bundle), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_kubelet_alone_leads_to_the_shim(tmp_path: Path) -> None:
    for number in range(TRIES):
        if (stage := _followed("leaking", tmp_path / str(number))).stuck:
            break
    else:
        pytest.fail(f"the node did not get stuck in {TRIES} runs")
    assert re.search(r"follows kubelet \(pid \d+\) -> containerd \(pid \d+\), /\S+/containerd\.sock", stage.planned)
    assert re.search(r"follows containerd \(pid \d+\) -> shim \(pid \d+\), /\S+/shim\.sock", stage.planned)
    assert re.search(r"kill -USR1 \d+, then read \S+/shim\.log", stage.planned)
    found = _diagnosed(stage)
    assert found["verdict"] == "leaking"
    (chain,) = found["chains"]
    told = [
        {"from": edge["from"]["process"], "to": edge["to"]["process"], "kind": edge["protocol"],
         "client": edge["from"]["function"], "server": edge["to"]["function"]}
        for edge in chain["edges"]
    ]  # fmt: skip
    assert told == CALLS
    kinds = [{one["kind"] for one in edge["evidence"]} for edge in chain["edges"]]
    assert {"socket-pair", "same-method"} <= kinds[0]
    assert {"socket-pair", "socket-full"} <= kinds[1]
    assert [edge["confidence"] for edge in chain["edges"]] == ["proven", "proven"]
    sure = [one for one in found["findings"] if one["confidence"] != "possible"]
    assert [one["mechanism"] for one in sure] == ["peer-stopped-reading", "missing-deadline"]
    assert chain["finding"] == sure[0]["id"]
    assert [known["id"] for known in sure[0]["known"]] == ["ttrpc-94"]
    names = {process["id"]: process["name"] for process in found["processes"]}
    assert {names[site["process"]] for site in sure[0]["sites"] if site["role"] == "blocked"} == {"containerd", "shim"}
    assert names[sure[1]["sites"][0]["process"]] == "kubelet"


def test_a_node_with_the_fix_has_no_chain(tmp_path: Path) -> None:
    stage = _followed("fixed", tmp_path)
    assert not stage.stuck
    found = _diagnosed(stage)
    assert sorted(process["name"] for process in found["processes"]) == ["containerd", "kubelet", "shim"]
    assert found["chains"] == []
    assert found["verdict"] != "leaking"
