"""The words of this field: what a user reads says snapshot, baseline, blocked, fixed in. Words that came back fail here.

BANNED is the one list: a pattern, and what to write instead. Inline code is left out: JSON keys and recorded names stay.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from oakum.report.words import WORDS
from support import ROOT

# Pattern, and what an SRE writes.
BANNED: tuple[tuple[str, str], ...] = (
    (r"(?<![.\w])mend(s|ed|ing|able)?\b", "fix, fixed in"),
    (r"\bmoments?\b(?! of the machine)", "snapshot"),
    (r"\btwins?\b", "baseline (a healthy replica or node)"),
    (r"\bPhenomenon\b", "Symptoms"),
    (r"\bremarks?\b", "note, warning"),
    (r"\bknown leaks?\b", "known upstream bug"),
    (r"\bleaks? that upstream knows\b", "known upstream bug"),
    (r"\bsays? who you are\b", "client certificate"),
    (r"\bfor whom they know\b", "requires authentication"),
    (r"\bstays? home\b", "never forwarded or stored"),
    (r"\bplace that is taken\b", "existing files are not overwritten"),
    (r"\bcarr(y|ies) no diagnosis\b", "not an Oakum report"),
    (r"\bon (this|that|some|which) way\b", "on this path"),
    (r"\bwho came stays?\b", "never exited"),
    (r"\b(has|have) got on\b", "made progress"),
    (r"\bnobody means to last\b", "abnormal for this wait state"),
    (r"\bnobody (who )?could end\b", "nothing can unblock it"),
    (r"\bnot told apart\b", "unattributed"),
    (r"\bnot settled\b", "inconclusive"),
    (r"\bnobody upstream\b", "no upstream report needed"),
    (r"\bfor want of memory\b", "OOM kill"),
    (r"\bis told below\b", "see Verification"),
    (r"\bto be filled in by you\b", "TODO"),
    (r"\bstands? (there|here)\b", "blocked at"),
    (r"\bwhere goroutines stand\b", "where goroutines are blocked"),
    (r"\bcould not do it\b", "failed"),
    (r"\boakum VERB\b", "oakum COMMAND"),
    (r"\bfor ever\b", "forever"),
    (r"\b(is|was|are|were|be|not|only|longer) told\b(?! of)", "is reported, is shown"),
    (r"\btold (as|by|apart|more|only|where)\b", "reported as"),
    (r"\bnobody (to send|receives|sends|closes|reads)\b", "nothing receives, has no receiver"),
    (r"\bthat (nobody|who)\b", "that nothing, whoever"),
    (r"\bgoroutines? of (its|their) own\b", "its own goroutine, a separate goroutine"),
    (r"\b(made|called|started|tried|asked for) again and again\b", "created repeatedly"),
    (r"\bin hand\b", "while holding"),
    (r"\bway out\b", "exit, return"),
    (r"\bon its way\b", "in flight"),
    (r"\bweighs? too much\b", "becomes a problem"),
    (r"\bleaves? the house\b", "before you share it"),
    (r"\bsomebody on call\b", "whoever is on call"),
    (r"\b\d+ %", "5%"),
)
_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in BANNED)
_SCREEN = re.compile(r"^```text\n\$ oakum .*?^```$", re.DOTALL | re.MULTILINE)
PAGES = [
    *(ROOT / name for name in ("README.md", "README.zh-CN.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


def strange(text: str) -> list[str]:
    """Return the banned words of a text, each with its line and what to write instead."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        plain = re.sub(r"`[^`]*`", "``", line)
        found += [f"{number}: {match[0]} -> {instead}" for one, instead in _PATTERNS for match in one.finditer(plain)]
    return found


def sentences(module: Path) -> Iterator[str]:
    """Yield the strings of a module that are sentences: with a space in them, no docstrings."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in described
        ):
            yield node.value


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_use_the_fields_words(path: Path) -> None:
    """docs/commands.md is the help of every command. What commands print is checked where it is written."""
    text = path.read_text(encoding="utf-8")
    assert not strange(_SCREEN.sub(lambda found: "\n" * found[0].count("\n"), text))


def test_what_commands_print_uses_the_fields_words() -> None:
    told = {}
    for folder in ("cli", "collect", "parse", "assemble", "pipeline"):
        for module in sorted((ROOT / "src" / "oakum" / folder).rglob("*.py")):
            if found := [word for text in sentences(module) for word in strange(text)]:
                told[str(module.relative_to(ROOT))] = found
    assert not told


def test_catalogues_use_the_fields_words() -> None:
    told = {}
    for path in sorted((ROOT / "src" / "oakum" / "knowledge").rglob("*.toml")):
        texts = list(_texts(tomllib.loads(path.read_text(encoding="utf-8"))))
        garbled = [
            text for text in texts if re.search(r"[\u0080-\u00bf\u00c2-\u00ef]", text)
        ]  # UTF-8 that was read as Latin-1
        if found := [*garbled, *(word for text in texts for word in strange(text))]:
            told[path.stem] = found
    assert not told


def _texts(value: object) -> Iterator[str]:
    """Yield the sentences of a catalogue entry: not its examples, which are dumps."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key != "example":
                yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value


def test_sentences_of_reports_use_the_fields_words() -> None:
    # {moments:#snapshot}: the name of an argument is not read by anybody
    texts = {key: re.sub(r"\{[^{}]*\}", "{}", english) for key, (english, _) in WORDS.items()}
    told = {key: found for key, text in texts.items() if (found := strange(text))}
    assert not told


def test_the_list_is_noticed() -> None:
    assert strange("It was mended in `v1` at two moments.") == ["1: mended -> fix, fixed in", "1: moments -> snapshot"]
    assert not strange("`moments` is a key")
