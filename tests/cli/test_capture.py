"""oakum capture: what is taken and kept, what is said, exit codes; against a loopback service that leaks."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from live_service import Service, serving
from support import DEMO, Answer

Call = Callable[..., Answer]

DEAD = "http://127.0.0.1:1"


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as lent:
        yield lent


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OAKUM_TOKEN", raising=False)


def manifest(place: str | Path) -> dict[str, list[dict[str, object]]]:
    return json.loads((Path(place) / "manifest.json").read_text())  # type: ignore[no-any-return]


def test_a_series_is_taken_and_told(oakum: Call, service: Service) -> None:
    answer = oakum("capture", service.url, "--snapshots", "3", "--every", "10ms", "-o", "bundle")
    assert answer.code == 0
    assert answer.err == ""
    lines = answer.out.splitlines()
    assert lines[0].startswith("Captured 1 target, 3 snapshots, ")
    assert lines[0].endswith(" → bundle/")
    assert "goroutines · " in lines[3]
    assert lines[-1] == "Next: oakum diagnose bundle/"
    name = service.url.removeprefix("http://").replace(":", "-")
    assert sorted(path.name for path in Path("bundle", name).iterdir()) == ["1", "2", "3"]
    assert (Path("bundle", name, "1") / "heap.pb.gz").read_bytes() == (DEMO / "before.heap.pb.gz").read_bytes()
    assert (Path("bundle", name, "3") / "heap.pb.gz").read_bytes() == (DEMO / "after.heap.pb.gz").read_bytes()
    assert oakum("diagnose", "--no-source", "bundle").code == 1


def test_without_a_name_the_bundle_is_called_after_its_target(oakum: Call, service: Service) -> None:
    assert oakum("capture", service.url).code == 0
    assert oakum("capture", service.url).code == 0
    names = sorted(path.name for path in Path().iterdir())
    port = service.url.rpartition(":")[2]
    assert len(names) == 2
    assert all(name.startswith(f"oakum-127.0.0.1-{port}-") for name in names)


def test_an_archive(oakum: Call, service: Service) -> None:
    answer = oakum("capture", service.url, "--snapshots=2", "--every=10ms", "-o", "leak.tar.gz")
    assert answer.code == 0
    assert [path.name for path in Path().iterdir()] == ["leak.tar.gz"]
    assert "Next: oakum diagnose leak.tar.gz" in answer.out


def test_a_place_that_is_taken_is_spared(oakum: Call, service: Service) -> None:
    Path("mine").mkdir()
    Path("mine", "notes.txt").write_text("precious")
    answer = oakum("capture", service.url, "-o", "mine")
    assert answer.code == 2
    assert not service.asked, "nobody is asked when nothing can be kept"
    assert oakum("capture", service.url, "-o", "new").code == 0
    assert oakum("capture", service.url, "-o", "new").code == 2
    assert oakum("capture", service.url, "-o", "new", "--overwrite").code == 0
    assert oakum("capture", DEAD, "-o", "new", "--overwrite").code == 4
    assert manifest("new")["targets"][0]["address"] == service.url, "what nothing replaces is kept"


def test_an_interrupt_while_it_is_packed_tells_where_the_rest_is(
    oakum: Call, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("oakum.collect.bundle.write.pack", interrupted)
    answer = oakum("capture", service.url, "-o", "leak.tar.gz")
    assert answer.code == 130
    assert "captures so far are kept in leak.tar.gz.partial" in answer.err
    assert manifest("leak.tar.gz.partial")["targets"]


def test_a_name_that_looks_like_an_option(oakum: Call, service: Service) -> None:
    assert "Next: oakum diagnose ./-x/" in oakum("capture", service.url, "-o", "-x").out


def test_one_of_two_is_dead(oakum: Call, service: Service) -> None:
    answer = oakum("capture", DEAD, service.url, "-o", "bundle")
    assert answer.code == 4, "one that was named gave nothing"
    assert "Captured 1 of 2 targets" in answer.out
    assert f"failed  {DEAD}" in answer.out
    assert "connection refused" in answer.out
    assert "Next: oakum diagnose bundle/" in answer.out
    told = {target["address"]: target for target in manifest("bundle")["targets"]}
    assert "connection refused" in str(told[DEAD]["problems"])
    assert told[service.url]["moments"]


def test_of_a_fleet_those_are_told_that_grew_most(oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oakum.cli.capture_page._SHOWN", 1)
    with serving() as quiet, serving() as leaking:
        quiet.at = 2
        answer = oakum("capture", quiet.url, leaking.url, "--snapshots=2", "--every=10ms", "-o", "bundle")
    assert f"\n{leaking.url}\n" in answer.out
    assert quiet.url not in answer.out
    assert "... and 1 more: bundle/ has them all" in answer.out
    name = leaking.url.removeprefix("http://").replace(":", "-")
    assert answer.out.endswith(f"Next: oakum diagnose bundle/{name}\n")


def test_nothing_at_all(oakum: Call) -> None:
    answer = oakum("capture", DEAD, "-o", "bundle")
    assert answer.code == 4
    assert answer.out == ""
    assert answer.err.startswith(f"oakum: {DEAD}/debug/pprof/: connection refused")
    several = oakum("capture", DEAD, "http://127.0.0.1:2", "-o", "bundle")
    assert several.err.startswith("oakum: nothing was captured:\n  http://127.0.0.1:1")
    assert not Path("bundle").exists(), "an empty bundle is no use to anybody"


def test_the_plan(oakum: Call, service: Service) -> None:
    answer = oakum("capture", "--dry-run", service.url, DEAD, "--budget", "5", "--snapshots", "3")
    assert answer.code == 4
    assert answer.out.startswith("Dry run: nothing was captured. ")
    assert f"GET {service.url}/debug/pprof/goroutine\n" in answer.out
    assert "left out: goroutine.debug2.txt" in answer.out
    assert "--force takes it" in answer.out
    assert "3 times, 30 s apart" in answer.out
    assert f"failed  {DEAD}" in answer.out
    assert not list(Path().iterdir())
    assert f"{service.url}/debug/pprof/goroutine?debug=2" not in [service.url + path for path in service.asked]


def test_the_plan_as_json(oakum: Call, service: Service) -> None:
    answer = oakum("capture", "--dry-run", "--json", service.url)
    (target,) = json.loads(answer.out)["targets"]
    assert answer.code == 0
    assert target["facts"]["goroutines"] == service.goroutines()
    assert [step["file"] for step in target["steps"]][-1] == "goroutine.debug2.txt"
    assert target["steps"][-1]["ask"] == f"GET {service.url}/debug/pprof/goroutine?debug=2"


def test_force_and_budget(oakum: Call, service: Service) -> None:
    oakum("capture", service.url, "--budget", "5", "-o", "few")
    oakum("capture", service.url, "--budget", "5", "--force", "-o", "all")
    assert not list(Path("few").rglob("goroutine.debug2.txt"))
    assert list(Path("all").rglob("goroutine.debug2.txt"))
    assert "left_out" in json.dumps(manifest("few"))


def test_json_is_the_manifest(oakum: Call, service: Service) -> None:
    answer = oakum("capture", service.url, "--json", "-o", "bundle")
    document = json.loads(answer.out)
    assert document.pop("bundle") == "bundle"
    assert document["targets"] == manifest("bundle")["targets"]
    assert document["schema"] == "oakum.bundle/1"


def test_until_growth(oakum: Call, service: Service) -> None:
    answer = oakum("capture", service.url, "--until-growth", "--every", "10ms", "-o", "bundle")
    assert answer.code == 0
    assert "Stopped because of growth: 127.0.0.1:" in answer.out
    assert ": goroutines " in answer.out


@pytest.mark.parametrize("how", ["option", "environment", "file"])
def test_a_token_is_sent_and_never_written(
    oakum: Call, service: Service, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.token = "sesame-4711"
    words = ["capture", service.url, "-o", "bundle"]
    if how == "option":
        words += ["--token", service.token]
    elif how == "environment":
        monkeypatch.setenv("OAKUM_TOKEN", service.token)
    else:
        Path("token").write_text(f"{service.token}\n")
        words += ["--token-file", "token"]
    answer = oakum(*words)
    assert answer.code == 0
    assert set(service.headers) == {f"Bearer {service.token}"}
    everything = b"".join(path.read_bytes() for path in Path("bundle").rglob("*") if path.is_file())
    assert service.token.encode() not in everything
    assert service.token not in answer.out + answer.err


def test_a_refusal_does_not_repeat_the_token(oakum: Call, service: Service) -> None:
    service.token = "right"
    answer = oakum("capture", service.url, "--token", "wrong-horse-7", "-o", "bundle")
    assert answer.code == 4
    assert "401" in answer.err
    assert "wrong-horse-7" not in answer.out + answer.err
    with serving() as other:
        answer = oakum("capture", service.url, other.url, "--token", "wrong-horse-7", "-o", "bundle")
    assert f"failed  {service.url}" in answer.out
    everything = b"".join(path.read_bytes() for path in Path("bundle").rglob("*") if path.is_file())
    assert b"wrong-horse-7" not in everything + answer.out.encode() + answer.err.encode()
    assert "\x1b" not in answer.out + answer.err, "what a server says must not drive the terminal"


def test_a_password_in_the_address_stays_there(oakum: Call, service: Service) -> None:
    service.token = "right"
    address = service.url.replace("http://", "http://admin:hunter-77@")
    for words in (["capture", address], ["capture", "--dry-run", address], ["top", address], ["diagnose", address]):
        answer = oakum(*words)
        assert answer.code == 4
        assert "hunter-77" not in answer.out + answer.err
    assert not [path for path in Path().iterdir() if "hunter" in path.name]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["htp://10.0.0.7:6060"], "unknown kind of target; did you mean http://?"),
        (["gopher://10.0.0.7"], "unknown kind of target"),
        (["http://h:6060", "--every", "soon"], "not a duration"),
        (["http://h:6060", "--snapshots", "0"], "--snapshots"),
        (["http://h:6060", "-H", "nonsense"], "Name: value"),
        (["http://h:6060", "--token-file", "gone"], "gone"),
        (["http://h:6060", "--tls-ca", "gone"], "gone"),
        (["http://h:6060", "--tls-key", "gone"], "--tls-cert"),
        (["http://h:6060", "--redact-key", "k"], "--redact"),
        (["http://h:6060", "-o", "-"], "a bundle cannot go to standard output"),
        (["http://h:6060", "-o", "bundle.zip"], "-o bundle.zip"),
        (["kube://nod/n7", "-o", "bundle"], "kube://nod/n7"),
        (["pid:me", "-o", "bundle.tar.gz"], "pid:me"),
    ],
)
def test_wrong_words(oakum: Call, words: list[str], said: str) -> None:
    answer = oakum("capture", *words)
    assert answer.code == 2
    assert said in answer.err
    assert not list(Path().iterdir())


def test_redacted_with_a_key_of_its_own(oakum: Call, service: Service) -> None:
    service.at = 2
    for name in ("one", "two"):
        answer = oakum("capture", service.url, "--redact", "--redact-key", "key", "-o", name)
        assert answer.code == 0
        assert "Names were replaced by tokens." in answer.out
    assert stat.S_IMODE(Path("key").stat().st_mode) == 0o600
    dumps = [next(Path(name).rglob("goroutine.debug2.txt")).read_bytes() for name in ("one", "two")]
    assert dumps[0] == dumps[1], "the same key, the same tokens"
    assert b"quote" not in dumps[0], "the name of a function of their own"
    assert oakum("diagnose", "--no-source", "one").code == oakum("diagnose", "--no-source", "two").code
    Path("weak").write_text("1234")
    assert oakum("capture", service.url, "--redact", "--redact-key", "weak").code == 2


def test_a_missing_file(oakum: Call) -> None:
    answer = oakum("capture", "gone/")
    assert answer.code == 4
    assert "no such file or directory" in answer.err


@pytest.mark.parametrize("which", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupt_keeps_what_was_taken(service: Service, tmp_path: Path, which: signal.Signals) -> None:
    """In a process of its own, as a user or `timeout` ends it."""
    words = ["capture", service.url, "--snapshots", "9", "--every", "1h", "-o", str(tmp_path / "bundle")]
    process = subprocess.Popen(
        [sys.executable, "-m", "oakum", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.rglob("goroutine.debug2.txt")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(which)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted: captures so far are kept." in out
    assert "Next: oakum diagnose" in out
    assert "Traceback" not in err
    assert manifest(tmp_path / "bundle")["ended"]


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("empty.txt", b"", "The file is empty: nothing was saved"),
        ("a.png", PNG, "This is a picture (PNG)"),
        ("notes.txt", b"It leaks since Tuesday.\n", "This is a line of text"),
        ("pictures/a.png", PNG, "This is a picture (PNG)"),
    ],
)
def test_files_without_evidence_are_not_packed(oakum: Call, name: str, data: bytes, what: str) -> None:
    file = Path(name)
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    given = file.parts[0]
    for more in ((), ("--dry-run",), ("--redact",), ("-o", "bundle.tar.gz")):
        answer = oakum("capture", given, *more)
        assert (answer.code, answer.out) == (4, "")
        assert f"{name}: not evidence: {what}" in answer.err
        assert f"{given}: nothing was packed: no goroutine dump, profile, metrics or build in 1 file." in answer.err
        assert "Name what runs (oakum capture http://HOST:PORT" in answer.err
        assert [one.name for one in Path().iterdir()] == [given]


def test_what_is_no_evidence_beside_some_is_named(oakum: Call) -> None:
    Path("a.png").write_bytes(PNG)
    Path("dump.txt.gz").write_bytes((DEMO / "after.goroutine.txt.gz").read_bytes())
    answer = oakum("capture", "dump.txt.gz", "a.png", "-o", "bundle")
    assert answer.code == 0
    assert "! a.png: not evidence: This is a picture (PNG)" in answer.out
    assert oakum("diagnose", "--no-source", "bundle").code == 1
    Path("pictures").mkdir()
    for number in range(9):
        Path("pictures", f"{number}.png").write_bytes(PNG)
    answer = oakum("capture", "dump.txt.gz", "pictures", "-o", "second")
    assert answer.code == 4, "one of two that were named"
    assert answer.out.count("not evidence: This is a picture") == 5
    assert "4 more files that are not evidence; oakum inspect lists them" in answer.out
    assert oakum("diagnose", "--no-source", "second").code == 1
