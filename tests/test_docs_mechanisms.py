"""Every mechanism has its page, and what the docs show is so: screens, code, commands, links, known bugs, accuracy."""

import contextlib
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

import click
import pytest

from oakum.cli import COMMANDS, verbs
from oakum.collect.kubernetes.refusals import Rule
from oakum.collect.process.proc import GO_SETTINGS
from oakum.model.vocabulary import HARMLESS
from oakum.parse.limits import Limits
from oakum.report.words.mechanisms import GOROUTINES, MEMORY, NUMBERS
from screens import Screen, blocks, check_screens, terminal
from support import ROOT

DOCS = ROOT / "docs"
HOME = DOCS / "mechanisms"
RENEW = "pytest tests/test_docs_mechanisms.py --update"
WIDTH = 140

_OF_A_LEAK = (
    "What it looks like", "The code", "How Oakum knows", "How to fix it", "How to prevent it", "Known upstream", "Try it",
)  # fmt: skip
_OF_NUMBERS = ("What it looks like", "How Oakum knows", "What to do", "Try it")
_OF_HARMLESS = ("What it looks like", "The code", "How Oakum knows", "When to worry", "Try it")
SECTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*GOROUTINES, *MEMORY), _OF_A_LEAK),
    **dict.fromkeys(NUMBERS, _OF_NUMBERS),
    **dict.fromkeys(sorted(HARMLESS), _OF_HARMLESS),
}
# A diagnosis takes a third of a second; one page shows in the quick suite that the screens hold, the others are slow.
QUICK = "double-send"

_SPAN = re.compile(r"`(oakum [^`\n]+)`")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


PAGES = [HOME / f"{name}.md" for name in SECTIONS]
ALL = sorted(DOCS.rglob("*.md"))


def name_of(path: Path) -> str:
    return str(path.relative_to(DOCS))


def test_every_mechanism_has_its_page_and_no_other_has_one() -> None:
    assert sorted(path.name for path in HOME.glob("*.md")) == sorted(["README.md", *(path.name for path in PAGES)])
    for index in (HOME / "README.md", DOCS / "diagnose.md"):
        prefix = "" if index.parent == HOME else "mechanisms/"
        missing = [name for name in SECTIONS if f"[{name}]({prefix}{name}.md)" not in text_of(index)]
        assert not missing, f"{name_of(index)} does not link {missing}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_has_its_sections(path: Path) -> None:
    text = text_of(path)
    assert text.startswith(f"# {path.stem}\n")
    assert tuple(re.findall(r"^## (.*)$", text, re.MULTILINE)) == SECTIONS[path.stem]
    tried = text.partition("\n## Try it\n")[2]
    assert re.search(r"^\$ oakum diagnose .*casebook/", tried, re.MULTILINE), "a command on the casebook shows it"


@cache
def known() -> tuple[tuple[str, str], ...]:
    """Return (mechanism, link) of every known bug."""
    found = []
    for path in sorted(Path(str(files("oakum.knowledge") / "leaks")).glob("*.toml")):
        entry = tomllib.loads(text_of(path))
        found.append((str(entry["mechanism"]), f"[{entry['id']}]({entry['references'][0]})"))
    return tuple(found)


def known_block(mechanism: str) -> str:
    """Return the known bugs of a mechanism as its page lists them."""
    links = [link for name, link in known() if name == mechanism]
    lines = ["None is in the catalogue yet."]
    if links:
        lines = [
            f"{len(links)} in the catalogue; `oakum known --mechanism {mechanism}` lists them, `oakum known show ID` shows "
            "stack, versions and fix:"
        ]
        for at, link in enumerate(links, 1):
            word = link + ("." if at == len(links) else ",")
            if at > 1 and len(lines[-1]) + len(word) < WIDTH:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
    return "\n".join([f"<!-- known: written by `{RENEW}` -->", *lines, "<!-- /known -->"])


@pytest.mark.parametrize("name", [*GOROUTINES, *MEMORY])
def test_a_page_lists_the_known_leaks(name: str, golden: Callable[[Path, str], None]) -> None:
    path = HOME / f"{name}.md"
    made, found = re.subn(
        r"<!-- known: .*?<!-- /known -->", lambda _: known_block(name), text_of(path), flags=re.DOTALL
    )
    assert found == 1
    golden(path, made)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_code_of_the_casebook_is_what_stands_there(path: Path) -> None:
    shown = [body for body in blocks(path, "go") if body.startswith("// casebook/")]
    assert shown or path.stem in (*NUMBERS, "benign"), "the mistake is shown as the casebook has it"
    for body in shown:
        head, *lines = body.splitlines()
        source = text_of(ROOT / head.removeprefix("// ")).splitlines()
        at = 0
        for line in lines:
            if line.strip() in ("// ...", "", "}"):  # left out; the end of what was cut
                continue
            assert line in source[at:], f"{head}: {line}"
            at = source.index(line, at) + 1


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_views_are_what_the_commands_print(
    path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    quick = "diagnose" if path.stem == QUICK else ""
    views = ("goroutines", "diff", quick)
    check_screens(path, terminal(monkeypatch), request.config.getoption("--update"), lambda verb: verb in views)


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_diagnoses_are_what_the_command_prints(
    path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    update = request.config.getoption("--update")
    assert check_screens(path, terminal(monkeypatch), update, lambda verb: verb not in ("goroutines", "diff"))


@pytest.mark.parametrize("name", [*GOROUTINES, *MEMORY])
def test_a_scan_tells_what_the_page_says_that_it_tells(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = terminal(monkeypatch)
    for folder in re.findall(r"`oakum scan (casebook/[\w-]+)`", text_of(HOME / f"{name}.md")):
        told = [line for line in typed(["scan", "--code", folder]) if line.endswith(f": {name}")]
        assert told, f"oakum scan {folder} does not tell {name}"


def test_a_screen_that_is_not_so_is_noticed() -> None:
    printed = ["LEAK", "", "growth 1", "share 2", "", "next"]
    assert Screen("$ oakum diagnose x\nLEAK\n[...]\nshare 2\n[...]").holds(printed)
    assert not Screen("$ oakum diagnose x\nLEAK\n[...]\nshare 3\n[...]").holds(printed)
    assert not Screen("$ oakum diagnose x\nLEAK\nshare 2\n[...]").holds(printed), "left out without [...]"
    assert not Screen("$ oakum diagnose x\nLEAK").holds(printed), "the end is left out without [...]"
    assert not Screen("$ oakum diagnose x\n[...]\nnext\n[...]\nLEAK").holds(printed), "another order"
    old = Screen("$ oakum diagnose x\nLEAK\n[...]\nshare 7\n[...]")
    assert old.renewed(printed) == "$ oakum diagnose x\nLEAK\n[...]\nshare 2\n[...]"


def _spoken(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield the commands of a page, and whether they are whole: those of ``sh`` blocks are."""
    for body in blocks(path, "sh"):
        for line in body.replace("\\\n", " ").splitlines():
            for part in re.split(r"\s[|;]\s|&&", line):
                if part.strip().startswith("oakum "):
                    yield re.sub(r"\s+#.*$", "", part.strip()), True
    for body in blocks(path, "text"):
        if body.startswith("$ oakum "):
            yield body.splitlines()[0].removeprefix("$ "), True
    for span in _SPAN.findall(re.sub(r"^```.*?^```$", "", text_of(path), flags=re.DOTALL | re.MULTILINE)):
        yield span, False


def command_of(word: str, context: click.Context) -> click.Command:
    assert word in dict(COMMANDS), f"there is no command {word}"
    command = verbs.get_command(context, word)
    assert command is not None
    return command


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_commands_exist_and_parse(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    if path.name == "commands.md":  # written from the commands themselves
        return
    group = click.Context(verbs, info_name="oakum", resilient_parsing=False, help_option_names=["-h", "--help"])
    for spoken, whole in _spoken(path):
        words = shlex.split(spoken, comments=True)[1:]
        if words[0].startswith("-") or words[0] == "COMMAND":
            continue
        command, parent = command_of(words[0], group), group
        while isinstance(command, click.Group) and len(words) > 1 and not words[1].startswith("-"):  # fleet ingest
            parent = click.Context(command, info_name=words[0], parent=parent)
            words = words[1:]
            inner = command.get_command(parent, words[0])
            assert inner is not None, f"{spoken}: there is no {words[0]}"
            command = inner
        arguments = [re.sub(r"^-([a-z][\w-]+)", lambda m: "--" + m[1].replace("_", "-"), word) for word in words[1:]]
        if whole and "..." not in arguments:
            with contextlib.suppress(click.exceptions.Exit):
                command.make_context(words[0], [*arguments], parent=parent)
            continue
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help", "-h"}
        unknown = [
            word for word in arguments if word.startswith("-") and word != "-" and word.split("=")[0] not in known
        ]
        assert not unknown, f"{spoken}: {command.name} has no {unknown}"


def slugs(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", text_of(path), flags=re.DOTALL | re.MULTILINE)
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_links_and_anchors_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", text_of(path), flags=re.DOTALL | re.MULTILINE)
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
        if re.match(r"\w+:", target):
            continue
        at = (path.parent / target).resolve() if target else path
        assert at.exists(), f"{name_of(path)} links to {target}"
        if anchor and at.suffix == ".md":
            assert anchor in slugs(at), f"{name_of(path)} links to {target}#{anchor}"


def test_kinds_of_evidence_that_the_pages_name_exist() -> None:
    """`outlives-load`, `heap-rises`: who looks one up in diagnose.md or in a report's JSON must find it there."""
    read = "\n".join(text_of(path) for path in (ROOT / "src" / "oakum" / "detect").glob("*.py"))
    read += text_of(ROOT / "src" / "oakum" / "judge.py")
    named = set()
    for path in PAGES:
        said = text_of(path).partition("\n## How Oakum knows\n")[2].partition("\n## ")[0]
        named |= set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", said))
    named -= {*SECTIONS}
    assert len(named) > 20
    assert not [kind for kind in sorted(named) if f'"{kind}"' not in read]


def test_what_the_security_notes_say_of_limits_is_so() -> None:
    text = " ".join(text_of(DOCS / "security.md").split())
    limits = Limits()
    assert (limits.max_bytes, limits.free_bytes, limits.max_ratio) == (4 << 30, 64 << 20, 200)
    assert "4 GiB of decompressed data" in text
    assert "64 MiB or 200 times" in text
    assert f"{limits.max_strings // 1_000_000} million strings" in text
    assert f"stacks of {limits.max_depth:,} frames" in text
    assert limits.max_seconds == 120
    assert "two minutes" in text
    assert f"only {', '.join(GO_SETTINGS[:-1])} and {GO_SETTINGS[-1]}" in text
    for page in ("views/flame_page.py", "report/html/__init__.py"):
        assert "default-src 'none'" in text_of(ROOT / "src" / "oakum" / page)
    listens = [path for path in (ROOT / "src" / "oakum").rglob("*.py") if ".listen(" in text_of(path)]
    # A unix socket, and the page of oakum serve, which needs a token for what is no loopback address.
    assert sorted(path.name for path in listens) == ["forward.py", "server.py"]
    assert "AF_UNIX" in text_of(next(path for path in listens if path.name == "forward.py"))


def test_the_role_of_the_security_notes_is_what_a_refusal_would_ask_for() -> None:
    rules = (
        Rule("jane", ("get", "list"), "pods", namespace="shop"),
        Rule("jane", ("get",), "pods/proxy", namespace="shop"),
    )
    (role,) = blocks(DOCS / "security.md", "yaml")
    assert [line for line in role.splitlines() if line.startswith("- ")] == [f"- {rule.line}" for rule in rules]


def test_the_index_names_every_page_of_the_docs() -> None:
    index = text_of(DOCS / "README.md")
    missing = [
        path.name for path in sorted(DOCS.glob("*.md")) if path.name != "README.md" and f"({path.name})" not in index
    ]
    assert not missing
    assert "(mechanisms/README.md)" in index


def _rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_the_accuracy_page_has_the_numbers_of_the_readme() -> None:
    """Both are written from one run by `make accuracy`; the slow test of the casebook measures them again."""
    page, readme = text_of(DOCS / "accuracy.md"), text_of(ROOT / "README.md")
    written = readme.partition("<!-- accuracy:")[2].partition("<!-- /accuracy -->")[0]
    head, _, *rows = _rows(page.partition("## By evidence")[2].partition("\n\nPrograms")[0])
    at = {name: number for number, name in enumerate(head)}

    def part(row: list[str], name: str, whole: str) -> str:
        return f"{row[at[name]]} of {row[at[whole]]}"

    summary = [
        [row[0], part(row, "detected", "leaking"), part(row, "place found", "leaking"), part(row, "mechanism right", "leaking"),
         row[at["known bug named"]], part(row, "accused", "healthy")]
        for row in rows
    ]  # fmt: skip
    assert len(summary) == 10
    assert _rows(written)[2:] == summary, "make accuracy writes both"
    said = re.search(r"(\d+) cases in (\d+) recorded takes, measured on (\S+)", written)
    assert said
    assert f"{said[1]} cases in {said[2]} recorded takes" in page
    assert f"{said[3]}." in page
