"""The docs are true: screens are what the commands print, every command is described, the READMEs stay short."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from oakum.cli import COMMANDS, verbs
from support import DEMO, ROOT, oakum

READMES = [ROOT / "README.md", ROOT / "README.zh-CN.md"]


def screens(path: Path) -> list[tuple[str, str]]:
    """Return (command, what it printed) for every screen of a document."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            found.append((command, output))
    return found


def test_screens_are_what_the_commands_print(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)
    shown = screens(ROOT / "docs" / "views.md")
    assert len(shown) >= 2
    for command, output in shown:
        before, _, last = command.rpartition("| ")
        # `journalctl | oakum goroutines -`: the journal is recorded, its first lines are shown
        stdin = (DEMO / "journal.log").read_bytes() if before else None
        words = shlex.split(last)
        assert words[0] == "oakum"
        printed = oakum(*words[1:], stdin=stdin).out
        if before:
            assert printed.startswith(output), command
        else:
            assert printed.strip() == output.strip(), command


def test_every_format_is_described() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    sources = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "src" / "oakum" / "parse").rglob("*.py"))
    formats = set(re.findall(r'format="([a-z0-9-]+)"', sources)) - {"unknown"}
    assert formats, "readings name their format"
    assert not {name for name in formats if f"`{name}`" not in text and name not in ("debug2", "goleak")}


def test_links_lead_somewhere() -> None:
    for path in [*READMES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.name)
def test_readmes_stay_short_and_begin_with_a_picture(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 250
    assert any(line.startswith("![") for line in lines[:12])


def test_architecture_stays_short() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) < 200


def test_command_reference(golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/commands.md is every command's own help; `pytest --update tests/test_docs.py` writes it again."""
    monkeypatch.setenv("COLUMNS", "100")
    parts = ["# Commands\n\nEvery command's own help, as `oakum COMMAND --help` prints it.\n"]
    context = click.Context(verbs, info_name="oakum", terminal_width=100, help_option_names=["-h", "--help"])
    parts.append(f"```text\n{verbs.get_help(context)}\n```\n")
    for name, summary in COMMANDS:
        command = verbs.get_command(context, name)
        assert command is not None
        inner = click.Context(command, parent=context, info_name=name, terminal_width=100)
        parts.append(f"## {name}\n\n{summary}\n\n```text\n{command.get_help(inner)}\n```\n")
        for verb, one in command.commands.items() if isinstance(command, click.Group) else ():
            of = click.Context(one, parent=inner, info_name=verb, terminal_width=100)
            parts.append(f"### {name} {verb}\n\n```text\n{one.get_help(of)}\n```\n")
    golden(ROOT / "docs" / "commands.md", "\n".join(parts))
