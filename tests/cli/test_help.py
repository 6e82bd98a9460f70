"""Help is a manual: every verb says what it is for, and every example in it is run as it is written there.

Only what a test cannot have is replaced: the address of a service (by one on loopback that replays a recording), the
number of a process (by our own), and minutes between snapshots. What needs a cluster or a database is parsed alone.
"""

import gzip
import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

from live_service import Service, serving
from oakum import cli
from oakum.cli import COMMANDS, GROUPS, two_dashes, verbs
from oakum.cli.live import normalize_target
from oakum.cli.screen import columns_of
from support import DEMO, RECORDED, ROOT, need_tool, oakum

CASE = ROOT / "casebook" / "kubernetes-98653"
PROGRAM = ROOT / "tests" / "testdata" / "binaries" / "go1.26-linux-amd64-stripped.gz"
QUOTES = ROOT / "tests" / "record" / "quotes"  # the program that the demo's evidence is of
LISTING = b"""bin/agent: go1.21.3
\tpath\texample.com/agent
\tmod\texample.com/agent\tv1.4.0\t
\tdep\tk8s.io/apimachinery\tv0.18.8\th1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=
"""
# Needs a cluster, a database, another machine's socket.
ELSEWHERE = ("kube://", "prometheus+", "pyroscope+", "parca+", "unix://", "shim:", "journal:")
RUNS = ("--start", "--exec", "--wait", "curl ", "--test")  # starts a program of the reader, or asks another service
SLOW = ("demo", "--recheck", "pid:")  # what diagnoses several times, or waits for the network of a process
# What a saved diagnosis that an example reads is made of.
SAVED = {
    "diagnosis.json": ("before/", "after/", "after2/"),
    "report.json": ("captures/",),
    "report.html": ("captures/",),
}
DONE = {0, 1, 3}  # what the docs allow of a command that worked: nothing found, found, undecided


class Example(NamedTuple):
    """A line of a manual, the words after `oakum`, and which program writes into it."""

    line: str
    words: tuple[str, ...]
    before: str


def manual(name: str) -> str:
    """Return the help of a verb as 80 columns show it."""
    root = click.Context(verbs, info_name="oakum", terminal_width=80, **SETTINGS)
    command = verbs.get_command(root, name)
    assert command is not None
    return command.get_help(click.Context(command, parent=root, info_name=name, terminal_width=80))


SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


def examples(text: str) -> Iterator[Example]:
    """Yield the commands below Examples: and Start here:, up to the next empty line."""
    for block in re.findall(r"^ *(?:Examples|Start here):\n\n?((?: +\S.*\n?)+)", text, re.MULTILINE):
        for line in block.splitlines():
            command = re.split(r" {2,}", line.strip())[0]
            if command.startswith("#") or "COMMAND" in command:
                continue
            lexer = shlex.shlex(command, posix=True, punctuation_chars="|<>()")
            lexer.whitespace_split = True
            lexer.commenters = ""
            tokens = [*lexer]
            at = next(n for n, token in enumerate(tokens) if token == "oakum")
            end = next((n for n in range(at, len(tokens)) if re.fullmatch(r"[|<>()]+", tokens[n])), len(tokens))
            yield Example(command, tuple(tokens[at + 1 : end]), " ".join(tokens[:at]))


def every_example() -> Iterator[Any]:
    root = click.Context(verbs, info_name="oakum", terminal_width=80, **SETTINGS)
    texts = {"oakum": verbs.get_help(root), **{name: manual(name) for name, _ in COMMANDS}}
    seen: set[tuple[str, ...]] = set()
    for name, text in texts.items():
        for number, example in enumerate(examples(text), 1):
            if example.words in seen:
                continue
            seen.add(example.words)
            slow = [pytest.mark.slow] if any(word.startswith(SLOW) for word in example.words) else []
            yield pytest.param(example, id=f"{name}-{number}", marks=slow)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with files of all the names that examples use."""
    place = tmp_path_factory.mktemp("room")
    for name, source in {
        "heap.pb.gz": "after.heap.pb.gz", "before.pb.gz": "before.heap.pb.gz", "after.pb.gz": "after.heap.pb.gz",
        "heap-09h.pb.gz": "before.heap.pb.gz", "heap-10h.pb.gz": "during.heap.pb.gz",
        "heap-11h.pb.gz": "after.heap.pb.gz", "goroutine.pb.gz": "after.goroutine.pb.gz",
    }.items():  # fmt: skip
        shutil.copy(DEMO / source, place / name)
    for name, source in {"goroutine": "after", "dump": "after", "before": "before", "after": "after"}.items():
        (place / f"{name}.txt").write_bytes(gzip.decompress((DEMO / f"{source}.goroutine.txt.gz").read_bytes()))
    snapshots = {"before": "before", "after": "during", "after2": "after", "healthy": "before", "sick": "after"}
    for folder, snapshot in {**snapshots, "bundle": "after"}.items():
        (place / folder).mkdir()
        for kind in ("goroutine.txt.gz", "heap.pb.gz"):
            shutil.copy(DEMO / f"{snapshot}.{kind}", place / folder / kind)
    captures = CASE / "captures" / "leaking-go1.26-modcache"
    for snapshot in ("1-before", "2-first", "5-later"):
        shutil.copytree(captures / snapshot, place / "captures" / snapshot)
    shutil.copy(captures / "buildinfo.txt.gz", place / "captures")
    shutil.copy(RECORDED / "go1.26.6" / "cpu.pb.gz", place)
    shutil.copy(CASE / "go.mod", place)
    for side in ("before", "after"):
        shutil.make_archive(str(place / side), "gztar", place, side)
    for folder in ("orders", "orders/orders-7f9c"):
        (place / "profiles" / folder).mkdir(parents=True)
        for minute, snapshot in enumerate(("before", "during", "after")):
            kept = place / "profiles" / folder / f"goroutine-2026-11-19T10:{minute}0:00Z.pb.gz"
            shutil.copy(DEMO / f"{snapshot}.goroutine.pb.gz", kept)
    (place / "body.json").write_text("{}")
    shutil.copy(ROOT / "deploy" / "watch.example.toml", place / "watch.toml")
    for name in ("token", "cert.pem", "key.pem"):
        (place / name).write_text("0123456789abcdef")
    (place / "load.txt").write_text("GET /orders\nGET /stock/{n}\n")
    kept = ROOT / "tests" / "parse" / "testdata" / "heapdump" / "go1.27.3"
    for name in ("heap.dump", "before.dump", "after.dump"):
        shutil.copy(kept / "heap.dump.gz", place / name)
    shutil.copy(kept / "variables.txt.gz", place / "server")
    assert oakum("holders", place / "heap.dump", "--proto", place / "holders.pb.gz").code == 0
    (place / "bin").mkdir()
    (place / "bin" / "agent").write_bytes(gzip.decompress(PROGRAM.read_bytes()))
    for folder in ("pkg", "home/src/quotes", "home/src/orders", "home/src/app"):
        shutil.copytree(QUOTES, place / folder)
    assert oakum("store", "add", place / "oakum-store", place / "captures", "--service", "orders").code == 0
    assert oakum("fleet", "ingest", "--store", place / "fleet", place / "profiles").code == 0
    assert oakum("fleet", "rank", "--store", place / "fleet").code == 0  # what it diagnoses is kept there
    assert oakum("store", "export", place / "oakum-store", place / "monday.tar").code == 0
    return place


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with serving() as lent:
        yield lent


@pytest.fixture
def here(room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a fresh copy of the room, on a machine without Go: that drafted fixes compile is tested elsewhere."""
    place = tmp_path / "room"
    shutil.copytree(room, place, copy_function=os.link)  # nothing here is written into
    monkeypatch.chdir(place)
    monkeypatch.setenv("HOME", str(place / "home"))
    monkeypatch.setenv("PPROF_TMPDIR", str(tmp_path / "pprof"))
    for keeps in ("oakum.cli.recheck", "oakum.cli.dry_run", "oakum.experiment.checkout"):
        import_module(keeps)  # loaded later, it would keep the one of this test for all that follow
    monkeypatch.setattr("oakum.experiment.call_go.find_go", lambda *_: None)
    monkeypatch.setattr(
        "oakum.web.server.Server.run", lambda server: (server.log.started(server.url, ""), server.close())
    )
    return place


def here_and_now(words: tuple[str, ...], url: str) -> list[str]:
    """Return the words with what a test has: its service, its process, no minutes to wait."""
    told = [re.sub(r"https?://[\w.]+:6060", url, word) for word in words]
    told = [re.sub(r"^pid:\d+$", f"pid:{os.getpid()}", word) for word in told]
    told = [os.path.expanduser(word) if word.startswith("~/") else word for word in told]  # noqa: PTH111 - as a shell
    waits = any(word.startswith(("http://", "pid:")) for word in told) and told[0] in ("diagnose", "capture")
    if "--every" in told:
        told[told.index("--every") + 1] = "10ms"
    if told[0] == "watch" and "--check" not in told:
        told.append("--check")  # it would go on for weeks
    if told[0] == "serve":  # as far as listening, at a free port
        told = [word.replace(":9470", ":0") for word in told]
        told += [] if "--listen" in told else ["--listen", "127.0.0.1:0"]
    if told[0] == "reproduce":
        told += ["--drain", "10ms", "--times", "12"]
    return [*told, "--every", "10ms"] if waits and "--every" not in told else told


def parsed(words: tuple[str, ...]) -> click.Context:
    """Return the call as the real command line understands it, without doing it."""
    normal: dict[str, Any] = {"token_normalize_func": lambda token: token.replace("_", "-")}
    root = click.Context(verbs, info_name="oakum", **SETTINGS, **normal)  # a command keeps its first --help
    name, command, rest = verbs.resolve_command(root, two_dashes(words))
    assert command is not None
    return command.make_context(name, rest, parent=root)


@pytest.mark.parametrize("example", [*every_example()])
def test_every_example_works(
    example: Example,
    here: Path,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    called = parsed(example.words)
    asked = [word for value in called.params.values() if isinstance(value, tuple) for word in value]
    if away := [word for word in asked if isinstance(word, str) and word.startswith(ELSEWHERE)]:
        assert all(normalize_target(word) == word for word in away)
        return
    if any(word.startswith(RUNS) for word in example.words):
        return
    if called.params.get("output", "") and str(called.params["output"]).endswith((".svg", ".png", ".pdf")):
        need_tool("dot", "graphviz")
    for before, word in pairwise(example.words):
        if word in SAVED and before not in ("-o", "--output"):
            assert cli.run(["diagnose", "--no-source", "-o", word, *SAVED[word]]) == 1
    given = LISTING if example.before.startswith("go version") else (DEMO / "journal.log").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    monkeypatch.setattr(service, "at", -1)
    code = cli.run(here_and_now(example.words, service.url))
    out, err = capsys.readouterr()
    assert code in DONE, err
    assert "Traceback" not in out + err
    assert "internal error" not in err
    assert out or err or Path(str(called.params.get("output"))).exists(), "something is said or written"


@pytest.mark.parametrize("name", [name for name, _ in COMMANDS])
def test_a_manual_has_two_examples_and_exit_codes(name: str) -> None:
    text = manual(name)
    assert len([*examples(text)]) >= 2
    assert "Exit codes:" in text


@pytest.mark.parametrize("name", [name for name, _ in COMMANDS])
def test_a_manual_fits_into_80_columns(name: str) -> None:
    assert not [line for line in manual(name).splitlines() if columns_of(line) > 80]


def test_the_first_page_fits_into_80_columns_and_says_where_to_start() -> None:
    text = verbs.get_help(click.Context(verbs, info_name="oakum", terminal_width=80, **SETTINGS))
    assert not [line for line in text.splitlines() if columns_of(line) > 80]
    assert text.index("oakum demo") < text.index("Options:")
    assert all(f"{title}:" in text for title, _ in GROUPS)


def test_a_summary_takes_one_line() -> None:
    assert not [summary for _, summary in COMMANDS if len(summary) > 66]


def test_other_verbs_that_a_manual_names_exist() -> None:
    for name, _ in COMMANDS:
        named = re.findall(r"\boakum ([a-z]+)\b", manual(name).partition("See also:")[2])
        assert {*named} <= {*dict(COMMANDS)}, name


@pytest.mark.parametrize("name", ["capture", "diagnose"])
def test_the_former_name_of_snapshots_works_and_is_not_listed(name: str) -> None:
    root = click.Context(verbs, info_name="oakum", **SETTINGS)
    command = verbs.get_command(root, name)
    assert command is not None
    for option in ("--snapshots", "--moments"):
        assert command.make_context(name, ["http://h:6060", option, "3"], parent=root).params["snapshots"] == 3
    assert "--snapshots N" in manual(name)
    assert "--moments" not in manual(name)
