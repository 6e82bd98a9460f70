"""Recording, building and the command line: what is refused, what is left behind, what a failure is called."""

import fcntl
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from casebook.runner import __main__ as command
from casebook.runner import build, record
from casebook.runner.case import BadCase, Build, Case, Take
from casebook.runner.stage import RunFailed
from casebook.runner.tools import toolchain

SCENARIO = """
def run(stage):
    stage.start("shim", ["sleep", "60"])
    if stage.build == BAD:
        WHAT
"""


@pytest.fixture
def yards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that stands for /srv, /run and /go."""
    for module, name in ((build, "YARDS"), (build, "GO_PATH"), (record, "SCRATCH")):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(module, name, tmp_path / name)
    (tmp_path / "GO_PATH" / "pkg" / "mod").mkdir(parents=True)
    return tmp_path / "YARDS"


def two_takes(tmp_path: Path, bad: str, what: str) -> Case:
    """Return a case with two builds, of which one may go wrong, and old captures of both."""
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "scenario.py").write_text(SCENARIO.replace("BAD", repr(bad)).replace("WHAT", what))
    builds = (Build("one"), Build("two"))
    takes = tuple(Take(one, "1.27", "trimpath") for one in builds)
    for take in takes:
        (folder / "captures" / take.name).mkdir(parents=True)
        (folder / "captures" / take.name / "manifest.json").write_text('"old"')
    return Case(folder, "t", "s", (), builds, takes, (), "", "", "short", 5, "")


def manifests(one: Case) -> list[object]:
    return [json.loads((one.captures / take.name / "manifest.json").read_text()) for take in one.takes]


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("raise OSError('the peer is gone')", "the peer is gone"),
        ("stage.keep('notes.txt', 'see /tmp/notes')", "names /tmp/"),
        ("stage.keep('notes.txt', 'logged in at build-host-17.')", "names build-host-17"),
        ("stage.keep('notes.bin', __import__('os').urandom(5 << 20))", "at most 4 MiB"),
    ],
    ids=["run", "path", "host", "size"],
)
def test_a_recording_that_fails_keeps_all_the_old_captures(
    yards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, told: str
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "build-host-17")
    one = two_takes(tmp_path, "two", what)
    with pytest.raises(RunFailed, match=told):
        record.record(one)
    assert manifests(one) == ["old", "old"]
    assert [*record.SCRATCH.iterdir()] == []


def test_the_takes_that_were_asked_for_are_recorded(yards: Path, tmp_path: Path) -> None:
    one = two_takes(tmp_path, "none", "pass")
    told = record.record(one, [one.takes[1].name])
    assert [line.split(":")[0] for line in told] == ["case/two-go1.27-trimpath"]
    old, new = manifests(one)
    assert old == "old"
    assert isinstance(new, dict)
    with pytest.raises(BadCase, match="there is no take three; there are one-go"):
        record.record(one, ["three"])


def test_short_host_names_are_no_names(yards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "vm")
    one = two_takes(tmp_path, "one", "stage.keep('notes.txt', 'a vm on localhost')")
    record.record(one)
    assert "old" not in manifests(one)
    assert (one.captures / one.takes[0].name / "notes.txt").read_text() == "a vm on localhost"


@pytest.fixture
def own(tmp_path: Path) -> Case:
    folder = tmp_path / "case"
    folder.mkdir()
    for name in ("main.go", "go.mod", "expect.toml", "case.toml"):
        (folder / name).write_text("module example.com/s\n")
    one = Build("leaking")
    return Case(folder, "t", "s", (".",), (one,), (Take(one, "1.27", "trimpath"),), (), "", "", "short", 5, "")


def test_a_yard_holds_sources_and_goes_away(yards: Path, own: Case) -> None:
    with build.yard(own) as yard:
        assert sorted(path.name for path in yard.iterdir()) == [".casebook", "go.mod", "main.go"]
        with pytest.raises(build.BuildFailed, match="is another recording running"), build.yard(own):
            pass
        assert yard.exists()
    assert [*yards.iterdir()] == []
    with pytest.raises(ZeroDivisionError), build.yard(own):
        raise ZeroDivisionError
    assert [*yards.iterdir()] == []


def test_a_yard_that_cannot_be_prepared_is_not_left_behind(
    yards: Path, own: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_go() -> None:
        raise toolchain.Missing("no Go")

    monkeypatch.setattr(build, "_provide_modules", no_go)
    with pytest.raises(toolchain.Missing), build.yard(own):
        pass
    assert [*yards.iterdir()] == []


def test_what_a_killed_recording_left_is_removed(yards: Path, own: Case) -> None:
    left = yards / "s"
    left.mkdir()
    (left / "old.go").write_text("")
    with pytest.raises(build.BuildFailed, match="exists"), build.yard(own):  # somebody else's
        pass
    (left / ".casebook").write_text("")
    with (left / ".casebook").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(build.BuildFailed, match="another recording"), build.yard(own):
            pass
    assert (left / "old.go").exists()
    with build.yard(own) as yard:
        assert not (yard / "old.go").exists()


def test_who_may_not_record_is_told(yards: Path, own: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = tmp_path / "nowhere"
    monkeypatch.setattr(build, "YARDS", nowhere)
    with pytest.raises(build.BuildFailed, match="record as root, in a container"):
        record.record(own)
    monkeypatch.setattr(record, "SCRATCH", nowhere)
    with pytest.raises(RunFailed, match="record as root, in a container"):
        record.record(replace(own, packages=()))


# Stands for `go list`: the proxy does not answer, or it is the program that is wrong.
LISTING = """
import os, sys
if sys.argv[1] == "broken":
    sys.exit("main.go:3:1: expected 'package'")
if sys.argv[1] == "late" and os.environ.get("GOPROXY") == "off":
    sys.exit()
off = os.environ.get("GOPROXY") == "off"
sys.exit("k8s.io/api@v0.18.8: " + ("module lookup disabled by GOPROXY=off" if off else "dial tcp: connection refused"))
"""


@pytest.fixture
def listing(tmp_path: Path) -> list[str]:
    (tmp_path / "listing.py").write_text(LISTING)
    return [sys.executable, "listing.py"]


@pytest.mark.parametrize(("what", "error"), [("down", toolchain.DownloadFailed), ("broken", build.BuildFailed)])
def test_only_a_download_that_fails_is_called_one(
    listing: list[str], tmp_path: Path, what: str, error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        build._download([*listing, what], tmp_path, {})
    assert str(caught.value).startswith("download failed three times") == (what == "down")


def test_what_came_after_all_is_no_failure(listing: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[dict[str, str]] = []
    compiled = build._compile

    def compile_again(command: list[str], folder: Path, env: dict[str, str]) -> None:
        tries.append(env)
        compiled(command, folder, env)

    monkeypatch.setattr(build, "_compile", compile_again)
    build._download([*listing, "late"], tmp_path, {})
    assert tries == [{"GOPROXY": "off"}], "what the downloads brought is looked at without the proxy"


def test_what_could_not_be_downloaded_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_unavailable", {})
    tries = []

    def fail() -> None:
        tries.append(1)
        raise toolchain.DownloadFailed("the proxy is down")

    for _ in range(3):
        with pytest.raises(toolchain.DownloadFailed):
            build._once("go 1.27", fail)
    assert len(tries) == 1


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def run(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["runner", *words])
        try:
            return command.main()
        except SystemExit as ended:
            return int(ended.code or 0)

    return run


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["record"], 2, "required: CASE"),
        (["record", "no-such-case"], 2, "there is no case 'no-such-case'"),
        (["check", "no-such-case"], 2, "there is no case 'no-such-case'"),
        (["record", "healthy-syncthing", "--take", "x"], 4, "there is no take x"),
        (["accuracy", "--write", "healthy-syncthing"], 2, "neither cases nor --setting"),
        (["accuracy", "--setting", "tea leaves"], 2, "there is no setting tea leaves"),
        (["live", "healthy-syncthing"], 0, "is recorded only"),
        (["list", "healthy-syncthing"], 0, "healthy-syncthing"),
        (["dance"], 2, "invalid choice"),
        ([], 2, "VERB"),
    ],
)
def test_the_command_line_says_what_is_wrong(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], words: list[str], code: int, told: str
) -> None:
    assert run(*words) == code
    written = "".join(capsys.readouterr())
    assert told in written
    assert "Traceback" not in written


def test_one_live_run_that_fails_does_not_hide_the_next(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(one: Case, made: Build) -> None:
        raise RunFailed(f"{made.name} does not answer")

    monkeypatch.setattr("casebook.runner.live.live", fail)
    assert run("live", "kubernetes-98653") == 1
    assert "fixed does not answer" in capsys.readouterr().out
