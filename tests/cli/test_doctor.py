"""oakum doctor: what is missing, what that limits, and how to fix it; itself it needs nothing, and changes nothing."""

import json
import resource
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from oakum.cli import checks
from support import Answer
from support import oakum_process as process

Call = Callable[..., Answer]
KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: prod
contexts: [{name: prod, context: {cluster: prod, user: me}}]
clusters: [{name: prod, cluster: {server: "https://me:hunter2@127.0.0.1:1"}}]
users: [{name: me, user: {token: secret-token}}]
"""


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand on a machine with an empty home and no programs."""
    for name in ("home", "bin"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("KUBECONFIG", "GOROOT", "GOPATH", "GOMODCACHE", "PPROF_TMPDIR", "KUBERNETES_SERVICE_HOST", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("oakum.collect.code.go_places.INSTALLS", (("~/sdk", ""),))
    return tmp_path


def told(answer: Answer) -> dict[str, dict[str, Any]]:
    """Return the checks of `doctor --json` by name."""
    return {row["name"]: row for row in json.loads(answer.out)["checks"]}


def test_this_machine_can_diagnose(oakum: Call) -> None:
    answer = oakum("doctor")
    assert answer.code == 0
    assert "ok       trial            test leak found" in answer.out
    assert not answer.err


def test_json(oakum: Call) -> None:
    answer = oakum("doctor", "--json")
    document = json.loads(answer.out)
    assert answer.code == 0
    assert document["schema"] == "oakum.doctor/1"
    assert document["able"] is True
    for row in document["checks"]:
        assert {*row} == {"group", "name", "state", "found", "costs", "mend"}
        assert row["state"] in ("ok", "limited", "missing")
        assert (row["state"] == "ok") == (not row["costs"]) == (not row["mend"]), "what is lacking says what that costs"


def test_what_is_missing_is_no_failure(oakum: Call, bare: Path) -> None:
    answer = oakum("doctor", "--json")
    assert answer.code == 0
    found = told(answer)
    missing = {name for name, row in found.items() if row["state"] == "missing"}
    assert {"go", "module cache", "standard library", "journal", "kubernetes", "dot"} <= missing
    assert "drafted fixes are not compiled" in found["go"]["costs"]
    assert "graphviz" in found["dot"]["mend"]
    assert str(bare / "home" / "go" / "pkg" / "mod") in found["module cache"]["found"]
    page = oakum("doctor").out
    assert "missing  go               no go on the PATH\n" in page
    assert "limits: drafted fixes are not compiled" in page
    assert "fix:    install Go" in page
    assert "diagnose works here; " in page


def test_nothing_is_changed_and_nothing_is_sent(oakum: Call, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("a connection")

    (bare / "config").write_text(KUBECONFIG)
    monkeypatch.setenv("KUBECONFIG", str(bare / "config"))
    monkeypatch.setattr(socket.socket, "connect", never)
    monkeypatch.setattr(socket.socket, "sendto", never)
    found = told(oakum("doctor", "--json"))
    assert found["kubernetes"]["state"] == "ok"
    assert "context prod" in found["kubernetes"]["found"]
    assert "hunter2" not in found["kubernetes"]["found"]
    assert "--online" in found["kubernetes"]["found"]
    assert not [*(bare / "home").iterdir()]


def test_a_cluster_is_asked_when_told_so(oakum: Call, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bare / "config").write_text(KUBECONFIG)
    monkeypatch.setenv("KUBECONFIG", str(bare / "config"))
    answer = oakum("doctor", "--online", "--json")
    kubernetes = told(answer)["kubernetes"]
    assert answer.code == 0
    assert kubernetes["state"] == "limited"
    assert "connection refused" in kubernetes["found"]
    assert "secret-token" not in answer.out + answer.err
    assert "hunter2" not in answer.out + answer.err


def test_a_kubeconfig_that_is_wrong_is_told(oakum: Call, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bare / "config").write_text("current-context: gone\ncontexts: []\nclusters: []\nkind: Config\n: \x1b[31m")
    monkeypatch.setenv("KUBECONFIG", str(bare / "config"))
    answer = oakum("doctor")
    assert answer.code == 0
    assert "missing  kubernetes" in answer.out
    assert "\x1b" not in answer.out


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("sleep 20", "did not print its version within 0.3 s"),
        ("exit 3", "does not work: exit code 3"),
        ("echo hello", "does not work: exit code 0"),
        ("echo go version go1.99.1 linux/amd64", "go1.99.1 linux/amd64"),
    ],
)
def test_a_go_that_is_broken(script: str, said: str, oakum: Call, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_PATIENCE", 0.3)
    program = bare / "bin" / "go"
    program.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
    program.chmod(0o755)
    found = told(oakum("doctor", "--json"))["go"]
    assert said in found["found"]
    assert found["state"] == ("ok" if "go1.99" in script else "limited")


@pytest.mark.parametrize("library", ["numpy", "tree_sitter"])
def test_without_a_library_nothing_can_be_diagnosed(library: str, tmp_path: Path) -> None:
    (tmp_path / library).mkdir()
    (tmp_path / library / "__init__.py").write_text("raise ImportError('wheel for another machine')\n")
    answer = process("doctor", PYTHONPATH=str(tmp_path))
    assert answer.code == 4
    assert "Traceback" not in answer.out + answer.err
    assert f"missing  libraries        {library.replace('_', '-')}: wheel for another machine" in answer.out
    assert "fix:    python -m pip install --force-reinstall oakum" in answer.out
    assert "diagnose does not work here yet" in answer.out


def test_other_verbs_lead_to_it(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('wheel for another machine')\n")
    answer = process("top", "heap.pb.gz", PYTHONPATH=str(tmp_path))
    assert answer.code == 4
    assert answer.err == (
        "oakum: part of oakum does not load: wheel for another machine. oakum doctor shows "
        "what is missing and how to install it\n"
    )


def test_a_library_that_only_pages_need_is_a_limit(oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_LIBRARIES", (*checks._LIBRARIES, ("gone", "oakum_gone", "no pages", False)))
    answer = oakum("doctor", "--json")
    assert answer.code == 0
    assert told(answer)["libraries"]["state"] == "limited"


def test_a_trial_that_finds_nothing_is_a_failure(oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oakum.diagnose.diagnose", lambda _: SimpleNamespace(findings=()))
    answer = oakum("doctor")
    assert answer.code == 4
    assert "the test leak was not found" in answer.out


def test_little_room_and_a_clock_that_is_behind(oakum: Call, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=5 << 20))
    monkeypatch.setattr("oakum.cli.checks.time.time", lambda: 86_400.0)
    found = told(oakum("doctor", "--json"))
    assert found["disk"]["found"] == f"5.0 MiB free for captures, in {bare / 'home' / 'pprof'}"
    assert "PPROF_TMPDIR" in found["disk"]["mend"]
    assert "1970-01-02" in found["clock"]["found"]


@pytest.mark.parametrize("columns", ["50", "60", "80", "200"])
def test_lines_fit_but_for_paths_which_stand_alone(
    columns: str, oakum: Call, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long a path is hangs on the machine, and a broken one could not be copied."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.executable", f"/opt/{'deep/' * 40}bin/python")
    lines = oakum("doctor").out.splitlines()[2:-2]
    longer = [line.strip() for line in lines if len(line) > int(columns)]
    assert longer, "the path above is one"
    assert [line for line in longer if "/" not in line or " " in line] == []


def test_it_takes_a_second_or_so() -> None:
    """The time of the processor is measured: that of the clock hangs on what else runs on this machine."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert process("doctor").code == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(once() for _ in range(2)) < 4.0, "0.4 s on an idle machine, 1 s on one that is throttled"
