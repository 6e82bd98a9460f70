"""Commands of a report can be pasted: they name the target, the evidence and the files that are known, no credential."""

import html
import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from diagnoses import rich
from live_service import Service, serving
from oakum.model import Gap, Text
from oakum.report.advice import look_again, target
from oakum.report.gap_commands import gap_command
from oakum.report.page.blocks import Command, Section, walk
from oakum.report.page.compose import compose
from oakum.report.page.incident import incident
from support import Answer

Call = Callable[..., Answer]
_PLACEHOLDERS = re.compile(r"HOST:PORT|TARGET\b|EVIDENCE\b|report\.json")


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as lent:
        lent.at = 0
        yield lent


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPROF_TMPDIR", str(tmp_path / "pprof"))
    monkeypatch.chdir(tmp_path)


def test_what_ran_is_named_and_its_password_is_not(oakum: Call, service: Service, tmp_path: Path) -> None:
    login = service.url.replace("http://", "http://ada:s3cret@")
    files = ("-o", "leak.html", "-o", "leak.md", "-o", "leak.txt", "-o", "leak.json", "-o", "leak.sarif")
    assert oakum("diagnose", "--no-source", "--every", "10ms", login, *files).code == 1
    oakum("report", "--incident", "leak.json", "-o", "incident.md", "-o", "incident.html")
    for name in ("leak.html", "leak.md", "leak.txt", "incident.md", "incident.html"):
        text = html.unescape((tmp_path / name).read_text(encoding="utf-8"))
        assert "s3cret" not in text
        assert _PLACEHOLDERS.findall(text) == [], name
        assert service.url in text or name == "leak.txt"
    assert f"oakum diagnose --snapshots 3 --every 1m {service.url}" in (tmp_path / "leak.md").read_text()
    assert f"oakum capture {service.url} --snapshots 3" in (tmp_path / "incident.md").read_text()
    assert json.loads((tmp_path / "leak.json").read_text())["processes"][0]["address"] == service.url
    for name in ("leak.html", "leak.json", "incident.html"):
        assert oakum("report", "--recheck", name).code == 0
    told = (tmp_path / "leak.html").read_text(encoding="utf-8")
    (tmp_path / "leak.html").write_text(told.replace(service.url, "http://evil.example:6060"), encoding="utf-8")
    assert oakum("report", "--recheck", "leak.html").code == 1


def test_of_what_was_made_nameless_nothing_is_known(oakum: Call, service: Service, tmp_path: Path) -> None:
    oakum("capture", "--redact", "--snapshots", "2", "--every", "10ms", service.url, "-o", "bundle")
    oakum("diagnose", "--no-source", "bundle", "-o", "leak.md")
    assert "oakum diagnose --snapshots 3 --every 1m http://HOST:PORT" in (tmp_path / "leak.md").read_text()


def test_gaps_ask_the_server_that_was_captured(oakum: Call, service: Service) -> None:
    oakum("capture", "--budget=5", service.url, "-o", "bundle")
    for dump in Path("bundle").rglob("heap*"):
        dump.unlink()
    told = json.loads(oakum("diagnose", "--no-source", "--json", "bundle").out)
    commands = {gap["key"]: gap["command"] for gap in told["gaps"]}
    assert commands["gap.heap"] == f"curl -so heap.pb.gz '{service.url}/debug/pprof/heap'"
    assert not any(_PLACEHOLDERS.search(command) for command in commands.values())


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://10.0.0.7:6060", "http://10.0.0.7:6060"),
        ("kube://pod/shop/orders-7d9f", "kube://pod/shop/orders-7d9f"),
        ("pid:812", "pid:812"),
        ("http://ada:s3cret@10.0.0.7:6060/x", "http://10.0.0.7:6060/x"),
        ("http://h/;rm -rf ~", "'http://h/;rm -rf ~'"),
        ("http://h/$(reboot)`id`", "'http://h/$(reboot)`id`'"),
        ("http://h/\x1b[2J", ""),
        ("http://h/\u202egpj", ""),
        ("http://h/" + "a" * 1000, ""),
        ("--output=/etc/passwd", ""),
        ("captures/", ""),
        ("", ""),
    ],
    ids=["http", "kube", "pid", "login", "shell", "dollar", "escape", "bidi", "long", "option", "file", "none"],
)
def test_an_address_is_one_word_of_the_shell_or_none(address: str, shown: str) -> None:
    told = rich()
    told = replace(told, processes=tuple(replace(row, address=address) for row in told.processes))
    assert target(told, "p1") == shown
    again = look_again(told, "p1")
    assert shlex.split(again)[-1] == (shlex.split(shown)[0] if shown else "http://HOST:PORT")
    for page in (compose(told, "en"), incident(told, "zh")):
        commands = [one.text for one in walk(_blocks(page.sections)) if isinstance(one, Command)]
        assert again in commands or any(f"oakum capture {shown or 'TARGET'} " in one for one in commands)


def _blocks(sections: tuple[Section, ...]) -> list:  # type: ignore[type-arg]
    return [block for one in sections for block in (*one.blocks, *_blocks(one.sections))]


def test_commands_that_read_the_evidence_again_name_it() -> None:
    gap = Gap(Text("gap.source-missing", {"function": "f"}), Text("gap.x"))
    called = ("--baseline", "twin/", "--source", "src", "--no-source", "my captures/")
    told = "oakum diagnose --source DIR --baseline twin/ 'my captures/'"
    assert gap_command(replace(rich(), called=called), gap) == told
    unnamed = "oakum diagnose --source DIR EVIDENCE"
    assert gap_command(replace(rich(), called=("-",)), gap) == unnamed, "standard input cannot be read again"
    assert gap_command(replace(rich(), called=()), gap) == unnamed, "a report of before they were kept"
    stored = replace(gap, command="oakum diagnose before/")
    assert gap_command(replace(rich(), called=called), stored) == "oakum diagnose before/", "as it was written"


def test_what_was_captured_while_it_ran_is_asked_again() -> None:
    told = replace(rich(), target="http://10.0.0.7:6060")
    lacks = {
        key: Gap(Text(f"gap.{key}"), Text(f"gap.{key}.why"), "p1") for key in ("second-moment", "after-load", "ages")
    }
    assert gap_command(told, lacks["second-moment"]) == "oakum diagnose http://10.0.0.7:6060"
    assert gap_command(told, lacks["ages"]) == "oakum diagnose --force http://10.0.0.7:6060"
    assert gap_command(told, lacks["after-load"]).startswith("oakum diagnose http://10.0.0.7:6060  # some minutes")
