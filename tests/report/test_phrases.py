"""Phrases that arrive inside arguments: each that the catalogue and the search for source can say is Chinese too."""

import ast
import re

import pytest

from chinese import english_in, half_width_in
from oakum.knowledge.pairs import pairs
from oakum.model import Text
from oakum.report.words import say, span
from oakum.report.words.phrases import in_chinese
from support import ROOT

ENGLISH = re.compile(r"(?<![\w./(*])[a-z]{2,}[,;:]? [a-z]+[,;:]? [a-z]{2,}")
FOUND = (
    "a.go (as the profile names it)",
    "a.go (end of the path)",
    "a.go (source path)",
    "a.go (source in orders)",
    "a.go (checkout of k8s.io/kubernetes; this is a checkout, the profile names v1.20.5)",
    "a.go (GOROOT, go1.26.8; this file is go1.26.8's, the profile comes from go1.19)",
    "a.go (module cache, as it was built)",
    "a.go (module cache, as go.mod says; k8s.io/api asks for v0.20.5; the program may run a later one)",
    "a.go (module cache, replaced in go.mod)",
    "a.go (replaced in go.mod)",
    "a.go (fetched, k8s.io/api@v0.20.5; the program was built from a changed copy of this release)",
    "a.go (the Windows drive, mounted here)",
    "a.go (vendor; this file is of another version, perhaps, the profile names v1.2.3)",
    "a.go (vendor; this file is of v1.2.4, the profile names v1.2.3)",
    "a.go (checkout of x; this checkout is at 0123456789ab, the program was built from ba9876543210)",
)


@pytest.mark.parametrize("text", FOUND)
def test_how_source_was_found(text: str) -> None:
    told = say(Text("cause.read", {"source": text}), "zh")
    assert not ENGLISH.search(told), told
    assert told.startswith("所读源码：a.go（")
    assert say(Text("cause.read", {"source": text})) == f"Source read: {text}"


def test_what_is_said_of_source_is_listed_above() -> None:
    """Every sentence that collect makes up about a file stands in FOUND, so that a new one is translated too."""
    said = {re.sub(r"[^a-z]+", " ", text) for text in FOUND}
    checked = 0
    for file in ("source.py", "sources.py"):
        tree = ast.parse((ROOT / "src/oakum/collect/code" / file).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = [part.value for part in node.values if isinstance(part, ast.Constant)]
                text = "".join(str(part) for part in parts)
                if re.match(r"this (file|checkout|is a checkout)|the program was built| asks for ", text):
                    words = [re.sub(r"[^a-z]+", " ", str(part)).strip() for part in parts]
                    assert any(all(word in one for word in words) for one in said), text
                    checked += 1
    assert checked > 3, "else the sentences are written elsewhere now"


# Errors and failures that a report or a note in Chinese repeats: each is made with a Text, wherever it is made.
WORDED = ("SourceNotFound", "Unreachable", "NotAssembled", "_Failure", "Refusals")


def test_errors_that_are_repeated_in_chinese_are_made_of_texts() -> None:
    made, bare = set(), []
    for path in sorted((ROOT / "src" / "oakum").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WORDED and node.args:
                made.add(node.func.id)
                if isinstance(node.args[0], ast.Constant | ast.JoinedStr | ast.BinOp):
                    bare.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert bare == []
    assert made == set(WORDED), "else they are called otherwise now"


SENT = ("option", "token", "certificate", "password", "plugin", "nobody")


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("where", ["the service account of this pod", "context prod of /home/a/.kube/config"])
def test_which_credentials_a_cluster_rejected(name: str, where: str) -> None:
    what = Text(f"kube.sent.{name}", {"user": "jane", "where": where, "command": "aws"})
    who = Text("kube.sent.ended", {"what": what, "end": "2026-11-16 08:00 UTC"})
    told = say(Text("kube.rejected", {"who": who}), "zh")
    assert english_in(told) == half_width_in(told) == [], told


def test_how_a_registration_is_undone() -> None:
    for pair in pairs().entries:
        told = in_chinese(", ".join(pair.release))
        assert not ENGLISH.search(told), told


def test_names_stay_as_they_are() -> None:
    for text in ("main.(*Bus).Subscribe", "/srv/source path/x.go", "the end", ""):
        assert in_chinese(text) == text


def test_spans_have_chinese_units() -> None:
    assert [span(s, "zh") for s in (0, 90, 3600, 90000)] == ["0 秒", "1 分钟 30 秒", "1 小时", "1 天 1 小时"]
    assert say(Text("budget.full_in", {"seconds": 12000.0}), "zh") == "按当前速度约 3 小时 20 分钟后达到上限"


def test_no_english_is_left_in_chinese_words() -> None:
    from oakum.report.words import WORDS

    left = {}
    for key, (_, chinese) in WORDS.items():
        bare = re.sub(r"`[^`]*`|\{[^}]*\}|\[[^\]]*\]|<[^>]*>|oakum [a-z -]+", "X", chinese)
        if re.search(r"(?<![\w./(*-])[a-z]{2,} [a-z]+ [a-z]{2,}(?![\w./(*-])", bare):
            left[key] = chinese
    assert left == {}


def test_chinese_punctuation_is_full_width() -> None:
    from oakum.report.words import WORDS

    left = {}
    for key, (_, chinese) in WORDS.items():
        bare = re.sub(r"`[^`]*`|\{[^}]*\}", "X", chinese)
        if re.search(r"[\u4e00-\u9fff][,;:!?](?!//)|[,;:]\s?[\u4e00-\u9fff]", bare):
            left[key] = chinese
    assert left == {}
