"""oakum find: Go programs among the processes of a machine that is laid out here; test_live.py finds real ones."""

import json
import os
import struct
from pathlib import Path

import pytest

from cli.conftest import Call
from oakum import cli
from oakum.cli import find
from oakum.collect.process import running
from oakum.collect.process.running import Served
from oakum.model import Problem

ID = "1f2e3d4c5b6a" * 5 + "0123"
LINES = "path\texample.com/shop/cmd/{name}\nmod\texample.com/shop\tv1.2.3\t\n"


def program(folder: Path, name: str, more: str = "") -> Path:
    """Write what Go's linker notes in a program, and nothing else of one."""
    lines = (LINES.format(name=name) + more).encode()
    framed = b"0w\xaf\x0c\x92t\x08\x02A\xe1\xc1\x07\xe6\xd6\x18\xe6" + lines
    framed += b"\xf92C1\x86\x18 r\x00\x82B\x10A\x16\xd8\xf2"
    version = b"go1.26.8"
    noted = b"\xff Go buildinf:" + bytes([8, 2]) + bytes(16)
    noted += bytes([len(version)]) + version + _varint(len(framed)) + framed
    start = 0x1000
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 6, start, start, start, len(noted), len(noted), 16)
    file = folder / name
    file.write_bytes((head + segment).ljust(start, b"\0") + noted)
    return file


def _varint(number: int) -> bytes:
    return bytes([number & 0x7F | 0x80, number >> 7]) if number > 0x7F else bytes([number])


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out a machine with three Go programs, a shell and a thread of the kernel; return its /proc."""
    root = tmp_path / "proc"
    root.mkdir()
    (root / "stat").write_text("cpu 1\nbtime 1794823105\n")
    orders, kubelet = program(tmp_path, "orders"), program(tmp_path, "kubelet")
    process(root, 11, orders, 30, f"0::/system.slice/docker-{ID}.scope")
    process(root, 12, orders, 20, "0::/")
    process(root, 13, kubelet, 900, "0::/system.slice/kubelet.service")
    process(root, 14, Path("/bin/sh"), 5000, "0::/")
    process(root, 15, None, 0, "0::/")
    found = running.programs
    monkeypatch.setattr(running, "programs", lambda: found(root))
    answers = {
        11: Served("http://127.0.0.1:6060/debug/pprof", 1234),
        13: Served(refusal=Problem.of("no-pprof.refused", url="https://127.0.0.1:10250", why="401")),
    }
    monkeypatch.setattr(running, "served", lambda proc, access: answers.get(proc.pid, Served(why="it listens nowhere")))
    return root


def process(root: Path, pid: int, exe: Path | None, pages: int, cgroup: str) -> None:
    folder = root / str(pid)
    folder.mkdir()
    name = exe.name if exe else "kworker"
    fields = ["S", "1", *["0"] * 15, "9", "0", "100", "0", str(pages), *["0"] * 20]
    (folder / "stat").write_text(f"{pid} ({name}) {' '.join(fields)}\n")
    (folder / "cgroup").write_text(f"{cgroup}\n")
    if exe:
        (folder / "exe").symlink_to(exe)


@pytest.fixture
def oakum(capsys: pytest.CaptureFixture[str]) -> Call:
    """Return a function that runs the command."""
    from support import Answer

    def call(*arguments: str | Path) -> Answer:
        code = cli.invoke(["find", *map(str, arguments)])
        return Answer(code, *capsys.readouterr())

    return call


def test_the_table(proc: Path, oakum: Call) -> None:
    answer = oakum()
    lines = answer.out.splitlines()
    assert lines[0].split() == [name for name, _ in find._COLUMNS]
    assert [line.split()[:2] for line in lines[1:]] == [["13", "kubelet"], ["11", "orders"], ["12", "orders"]]
    page = os.sysconf("SC_PAGE_SIZE")
    assert f"{30 * page >> 10} KiB" in lines[2]
    for told in (
        "1,234",
        "1.26.8",
        "http://127.0.0.1:6060",
        "v1.2.3",
        "example.com/shop/cmd/orders",
        "docker 1f2e3d4c5b6a",
    ):
        assert told in lines[2]
    assert "kubelet.service" in lines[1]
    assert "pprof requires authentication at kubelet 13" in answer.err
    assert answer.err.splitlines()[-1] == "oakum: next: oakum diagnose pid:11"


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120, 200])
def test_a_terminal_is_never_wider_than_it_is(
    proc: Path, oakum: Call, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = oakum().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert [line.split()[0] for line in lines] == ["PID", "13", "11", "12"]


def test_json(proc: Path, oakum: Call) -> None:
    found = json.loads(oakum("--json").out)
    assert (found["schema"], found["not_seen"]) == ("oakum.find/1", 0)
    kubelet, orders, _ = found["processes"]
    assert (kubelet["unit"], kubelet["pprof"], kubelet["why_no_pprof"]) == (
        "kubelet.service",
        None,
        "https://127.0.0.1:10250: 401",
    )
    assert (orders["pid"], orders["goroutines"], orders["pprof"]) == (11, 1234, "http://127.0.0.1:6060/debug/pprof")
    assert (orders["go"], orders["module"], orders["version"]) == ("go1.26.8", "example.com/shop", "v1.2.3")
    assert (orders["container"], orders["engine"]) == (ID, "docker")


def test_words_choose(proc: Path, oakum: Call) -> None:
    for words, pids in [
        (["KUBE"], ["13"]),
        (["1f2e3d"], ["11"]),
        (["kubelet.service", "docker"], ["13"]),
        (["cmd/orders"], ["11", "12"]),
    ]:
        assert [line.split()[0] for line in oakum(*words).out.splitlines()[1:]] == pids
    answer = oakum("nothing")
    assert (answer.code, answer.out) == (0, "")
    assert "no Go program with nothing in its name" in answer.err
    assert "oakum diagnose http://HOST:PORT" in answer.err


def test_nothing_is_asked_with_no_probe(proc: Path, oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "served", None)
    assert "127.0.0.1" not in oakum("--no-probe").out


def test_what_may_not_be_seen_is_counted(proc: Path, oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    stat = Path.stat

    def refused(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.name == "exe" and path.parent.name in ("11", "12"):
            raise PermissionError(13, "Permission denied")
        return stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", refused)
    # Of 12 the command line tells the program, and that can be read.
    (proc / "12" / "cmdline").write_bytes(bytes((proc / "12" / "exe").readlink()) + b"\0--token\0x\0")
    answer = oakum()
    assert [line.split()[0] for line in answer.out.splitlines()[1:]] == ["13", "12"]
    assert "1 process could not be looked at" in answer.err


def test_a_program_is_read_once_however_often_it_runs(proc: Path, oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from oakum.cli import programs

    read: list[Path] = []
    listing = programs.listing

    def noted(path: Path) -> str | None:
        read.append(path)
        return listing(path)

    monkeypatch.setattr(programs, "listing", noted)
    orders = (proc / "11" / "exe").readlink()
    for pid in range(1000, 1300):
        process(proc, pid, orders, 1, "0::/")
    assert len(json.loads(oakum("--json", "--no-probe").out)["processes"]) == 303
    assert len(read) == 3
