"""Problems of inputs: each that the source can make has words in both languages, with exactly the arguments it gets."""

import ast
import re
import time
from collections.abc import Iterator
from functools import cache
from string import Formatter

import pytest

from chinese import english_in
from oakum.model import Problem, Text, Unread
from oakum.report.words import WORDS, say
from oakum.report.words.lines import error_line, place_in, problem_in, problem_line
from oakum.report.words.problems import NOUNS
from support import ROOT, quoted

SRC = ROOT / "src" / "oakum"
# Calls that make a problem of the name that is their first argument -> what they put before it, and which arguments
# they add themselves.
CALLS: dict[str, tuple[str, frozenset[str]]] = {
    "Problem.of": ("", frozenset()),
    "reject": ("", frozenset()),  # assemble/parts.py
    "say": ("", frozenset({"count"})),  # parse/message.py
    "_is": ("not-a-profile.", frozenset()),  # parse/foreign.py
    "complain": ("unread.", frozenset({"origin"})),  # collect/bundle/archive.py: files.py adds the archive
    "_complain": ("unread.", frozenset({"origin"})),
    "_cut": ("", frozenset({"read", "missing", "system", "kind", "machine"})),  # parse/go_binary.py
}
ONLY_IN: dict[str, str | tuple[str, ...]] = {"say": "parse/", "_is": "parse/foreign.py", "complain": ("collect/bundle/archive.py", "parse/logs/"),
           "_complain": "collect/bundle/archive.py", "_cut": "parse/go_binary.py", "reject": "assemble/"}  # fmt: skip
# Names that are put together from a part that is not in the call: what the part may be.
PARTS = {
    "{why or 'slow'}.profile": ("cut.profile", "corrupt.profile", "many.profile", "slow.profile"),
    "cut-mid-stack.{scan.full}": ("cut-mid-stack.net-http-pprof", "cut-mid-stack.buffer"),
    "unrecognised.{what}": ("unrecognised.text", "unrecognised.binary"),
    "unread.{problem.key}": ("unread.bad-manifest", "unread.other-schema"),
    "unread.{why.name}": tuple(
        f"unread.{name}" for name in ("not-regular", "file-too-large", "linked", "missing", "os")
    ),
    "not-asked.{reason}": ("not-asked.silent", "not-asked.dump"),
    "no-pprof.{variant}": tuple(
        f"no-pprof.{name}" for name in ("kubelet-debug", "kubelet-profiling", "refused", "index", "page", "other")
    ),
}
# Passed on by the functions above: their callers are looked at.
PASSED_ON = ("name", "key", "f'unread.{name}'", "f'not-a-profile.{what}'", "problem.key", "f'{name}.why'", "what")
SPREAD = {
    "image.called": {"system", "kind", "machine"},
    "about": {"pod", "phase"},  # collect/kubernetes/pods.py
    "problem.text.args": None,
    "args": None,  # of a problem that is passed on; collect/pprof/probe.py: as each variant has them
    "said": None,
    "why.args": None,  # collect/code/go_tree.py
}  # ** in a call; None: as its sentence has them
# Parts of sentences: what names them, and keys that stand in the place of others.
OTHERS = ("how.", "part.", "stored")


def holes(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@cache
def calls() -> list[tuple[str, str, ast.Call]]:
    """Return every call in the source that may make a problem: its module, what is called, the call."""
    found = []
    for path in sorted(SRC.rglob("*.py")):
        where, text = path.relative_to(SRC).as_posix(), path.read_text(encoding="utf-8")
        named = {"Problem", *(name.rpartition(".")[2] for name in CALLS if where.startswith(ONLY_IN.get(name, "")))}
        for node in ast.walk(ast.parse(text)) if any(f"{name}(" in text for name in named) else ():
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in named:
                found.append((where, ast.unparse(node.func), node))
    return found


@cache
def made() -> dict[str, set[frozenset[str]]]:
    """Return every problem that the source makes, with the arguments of each place where it does."""
    found: dict[str, set[frozenset[str]]] = {}
    for where, called, node in calls():
        for name, args in problems_of(node, called, where):
            found.setdefault(name, set()).add(args)
    return found


def problems_of(node: ast.Call, called: str, where: str) -> Iterator[tuple[str, frozenset[str]]]:
    short = called if called == "Problem.of" else called.rpartition(".")[2]
    if short not in CALLS or not where.startswith(ONLY_IN.get(short, "")) or not node.args:
        return
    before, added = CALLS[short]
    if where.startswith("parse/logs/"):
        before, added = "", frozenset()
    given: set[str] | None = set(added)
    for one in node.keywords:
        spread = {one.arg} if one.arg else SPREAD.get(ast.unparse(one.value), {"?"})
        given = None if given is None or spread is None else given | spread
    at = 1 if short in ("_complain", "_cut") else 0
    for name in names(node.args[at], where):
        told = before + name
        yield told, frozenset(holes(WORDS[f"problem.{told}"][0]) if given is None else given)
        if short == "_complain":
            yield f"{told}.why", frozenset({*(given or ()), "error"})


def names(node: ast.expr, where: str) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp(body=body, orelse=other):
            return [*names(body, where), *names(other, where)]
    written = ast.unparse(node)
    if written in PASSED_ON:
        return []
    return list(PARTS[written.removeprefix("f").strip("'\"")])


def test_every_problem_has_words_with_exactly_its_arguments() -> None:
    from oakum.parse.foreign import _MAGIC

    everything = made() | {f"not-a-profile.{what}": {frozenset()} for _, what in _MAGIC}
    assert len(everything) > 120
    for name, places in everything.items():
        english, chinese = WORDS[f"problem.{name}"]
        for args in places:
            assert holes(english) == set(args), name
        assert holes(chinese) == holes(english), name
    written = {key.removeprefix("problem.") for key in WORDS if key.startswith("problem.")}
    left = {name for name in written - everything.keys() if not name.startswith(OTHERS)}
    assert left == set(), "words that nothing says"


def test_how_a_program_serves_pprof_has_words() -> None:
    from oakum.collect.kubernetes.components import KNOWN
    from oakum.collect.pprof.probe import _BY_PORT, _BY_SOCKET

    named = {*_BY_PORT.values(), *_BY_SOCKET.values(), *(one.missing for one in KNOWN.values() if one.missing)}
    assert {f"problem.how.{name}" for name in (*named, "anywhere")} == {
        key for key in WORDS if ".how." in key and key.startswith("problem.")
    }


def test_no_problem_is_made_of_a_sentence() -> None:
    """A problem is made by Problem.of alone, and what it is given holds no sentence of ours: those have keys.

    Words of others (an operating system, a server) and of errors come in variables.
    """
    for where, called, node in calls():
        assert called != "Problem", f"{where}:{node.lineno}: Problem.of makes one"
        if called == "Problem.of":
            for one in node.keywords:
                assert not list(sentences(one.value)), f"{where}:{node.lineno}: {ast.unparse(one.value)}"


# What else is said of a target: errors, what a plan leaves out and why, advice.
MADE_OF_TEXTS = {"Unreachable", "NotThere", "Refused", "LeftOut", "Answer", "SourceNotFound", "_Failure", "Text"}


def test_what_is_said_of_targets_is_text_with_words_for_exactly_its_arguments() -> None:
    """Neither an error nor what is left out is made of a sentence; a Text whose arguments are written out has them all."""
    checked = 0
    for path in sorted((SRC / "collect").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in MADE_OF_TEXTS:
                continue
            given = [*node.args, *(one.value for one in node.keywords)]
            assert not [said for one in given for said in sentences(one)], f"{path}:{node.lineno}"
            match node:
                case ast.Call(func=ast.Name("Text"), args=[ast.Constant(str(key)), *rest]):
                    match rest:
                        case []:
                            named: set[str] = set()
                        case [ast.Dict(keys=keys)] if all(isinstance(one, ast.Constant) for one in keys):
                            named = {str(one.value) for one in keys if isinstance(one, ast.Constant)}
                        case _:
                            continue
                    assert holes(WORDS[key][0]) == named, f"{path}:{node.lineno}"
                    checked += 1
    assert checked > 100


def test_every_word_of_a_target_is_said() -> None:
    source = "".join(
        path.read_text(encoding="utf-8")
        for part in ("collect", "cli", "report", "pipeline")
        for path in (SRC / part).rglob("*.py")
        if "words" not in path.parent.name
    )
    parts = (
        "web.late.",
        "web.cert.",
        "web.tls.",
        "web.status.",
        "kube.plugin.",
        "plan.serves.",
        "plan.usr1.",
        "kube.status.",
        "source.unused.",
        "history.state.",
        "history.places.",
    )
    named = set(re.findall(r'"((?:web|kube|plan|history|target|source|fetch)\.[\w.-]+)"', source))
    kept = ("web.", "kube.", "plan.", "history.", "target.", "source.", "fetch.")
    said = {key for key in WORDS if key.startswith(kept)}
    # The rest of these keys stands in tables beside what it means.
    assert {key for key in said - named if not key.startswith(parts) and f'"{key.partition(".")[2]}"' not in source} == {
        "history.400", "history.422",
    }  # fmt: skip
    for key in said:
        english, chinese = WORDS[key]
        assert holes(english) == holes(chinese), key
        assert english_in(re.sub(r"\{[^}]*\}", "7", chinese)) == [], key


def sentences(node: ast.expr) -> Iterator[str]:
    """Yield literals of several words in an expression, but those that a noun or a separator is."""
    for one in ast.walk(node):
        text = one.value if isinstance(one, ast.Constant) and isinstance(one.value, str) else ""
        if text not in NOUNS and re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", text):
            yield text


def test_the_chinese_of_a_problem_is_chinese() -> None:
    for key, (_, chinese) in WORDS.items():
        if not key.startswith("problem.") or key == "problem.stored":
            continue
        assert english_in(re.sub(r"\{[^}]*\}", "7", chinese)) == [], key
        bare = re.sub(r"`[^`]*`|\{[^}]*\}", "X", chinese)
        assert not re.search(r"[\u4e00-\u9fff][,;:(](?!//)|[,;:]\s?[\u4e00-\u9fff]", bare), chinese
        assert not re.search(r"[\u4e00-\u9fff][A-WYZa-z0-9]|[A-WYZa-z0-9][\u4e00-\u9fff]", bare), f"no space: {chinese}"


def test_every_noun_is_said_by_something_and_has_chinese() -> None:
    assert set(nouns()) == set(NOUNS)
    assert all(
        re.search(r"[\u4e00-\u9fff]|mapping|location|line|goroutine|ELF|macOS|Windows", one) for one in NOUNS.values()
    )


def nouns() -> Iterator[str]:
    """Yield what tables of parse and collect call things, which stand in sentences."""
    from oakum.collect.bundle.archive import _THINGS
    from oakum.collect.pprof.endpoint import _INSTEAD
    from oakum.parse.binaries.elf import _KINDS
    from oakum.parse.binaries.macho import _KINDS as MACHO
    from oakum.parse.debug1 import _NOUNS

    yield from (*(what for what in _INSTEAD.values() if what != "JSON"), "state", "work", "container")
    things = (*_THINGS.values(), "thing")
    yield from (*things, *(f"{thing}s" for thing in things), *_KINDS.values(), *MACHO.values(), *_NOUNS.values())
    named = re.compile(r'\.(?:first|walk|named)\([^"\n]*"([a-z ]+)"\)')
    for file in ("pprof.py", "samples.py"):
        yield from named.findall((SRC / "parse" / file).read_text(encoding="utf-8"))
    for file, pattern in (
        ("parse/debug1.py", r'_NOUNS\.get\(kind, "(\w+)"\)'),
        ("parse/binaries/elf.py", r'what = \("([^"]+)"'),
        ("parse/binaries/macho.py", r'what = \("([^"]+)"'),
        ("parse/binaries/pe.py", r'what = \("([^"]+)"'),
        ("collect/bundle/archive.py", r'"(names that [^"]+)"'),
        ("collect/files.py", r'here = "([^"]+)"'),
    ):
        found = re.findall(pattern, (SRC / file).read_text(encoding="utf-8"))
        assert found, file
        yield from found


PROFILE: dict[str, str | int] = {"noun": "goroutines", "declared": 1103, "read": 1000, "missing": 103}
ELF = {"system": "an ELF", "kind": "program", "machine": "amd64"}


@pytest.mark.parametrize(
    ("problem", "english", "chinese"),
    [
        (Problem.of("cut-compression", "byte 4096", name="gzip"), "the gzip stream is cut: download it again (byte 4096)", "gzip 数据流不完整：请重新下载（第 4096 字节）"),
        (Problem.of("records-missing", "line 1", **PROFILE), "The profile announces 1,103 goroutines, 1,000 were read: 103 missing (line 1)", "profile 声明有 1,103 个 goroutine，实际读到 1,000，缺少 103（第 1 行）"),
        (Problem.of("broken-message", things="samples", count=3), "samples that break off in the middle, whose rest is not read: 3", "中途断开、其余部分未读取的样本：3 个"),
        (Problem.of("not-a-profile.not-go", **ELF), "This is an ELF program (amd64), not built by Go: a profile or a goroutine dump of the process is needed", "这是 ELF 程序（amd64），不是由 Go 构建的：需要该进程的 profile 或 goroutine 转储"),
        (Problem.of("unread.files-left-out", origin="x.zip", count=2, why="names that lead out of the archive"), "x.zip: 2 files of the archive left out: names that lead out of the archive", "x.zip：归档中有 2 个文件被跳过：名称指向归档之外"),
        (Problem.of("unread.failed", origin="captures", error="Input/output error"), "captures: Input/output error", "captures：“Input/output error”"),
        (quoted("any", "Of a later version: it tells more.", "goroutine 7, line 9"), "Of a later version: it tells more. (goroutine 7, line 9)", "原文：“Of a later version: it tells more.”（goroutine 7，第 9 行）"),
    ],
)  # fmt: skip
def test_a_problem_in_both_languages(problem: Problem, english: str, chinese: str) -> None:
    assert problem_line(problem) == english
    assert problem_line(problem, "zh") == chinese
    assert error_line(Unread(problem, "x"), "zh") == chinese


HOSTILE = (
    "{0.__class__}",
    "”“` | </script><script>alert(1)</script>\n\x1b[31m\u202e",
    "the " * 300_000,
    ": " * 500_000,
    "This is a line of text (\"" + "\"), neither a profile nor a dump: " * 20_000,
    "Not used: " + "{stacks}" * 2000,
    "",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_stays_what_it_is_and_takes_no_time(text: str) -> None:
    began = time.process_time()
    told, _ = problem_in(quoted("key", text), "zh")
    assert told == f"原文：“{text}”"
    assert say(Problem.of("no-position", function=text).text, "zh") == f"`{text}` 之后没有文件和行号：该栈帧没有位置"
    assert say(Problem.of("records-missing", noun=text, declared=2, read=1, missing=1).text).count(text) >= 1
    assert place_in(text, "zh").replace("，", ", ") == text
    assert time.process_time() - began < 5


def test_a_place_is_its_kind_and_where() -> None:
    assert place_in("goroutine 4711, line 120", "zh") == "goroutine 4711，第 120 行"
    assert place_in("lines 3-90", "zh") == "第 3-90 行"
    assert place_in("byte 4096", "zh") == "第 4096 字节"
    assert place_in("main.scan example.com/desk/intake.go:55", "zh") == "main.scan example.com/desk/intake.go:55"
    assert place_in("line of a file", "zh") == "line of a file"
    assert place_in("line 9", "en") == "line 9"


def test_a_part_of_a_sentence_is_in_its_language() -> None:
    named = Text("problem.part.and-more", {"names": "a, b", "more": 3})
    problem = Problem.of("git-hooks", "/srv/.git/hooks", hooks=named)
    assert problem_line(problem) == "a, b and 3 more: git is not run here, so no hook is (/srv/.git/hooks)"
    assert problem_line(problem, "zh") == "a, b 及另外 3 个：此处不运行 git，因此不会触发任何 hook（/srv/.git/hooks）"


def test_what_is_said_while_a_report_is_made() -> None:
    said = [WORDS[key] for key in WORDS if key.startswith(("progress.", "kept.", "pictures.", "command.", "place."))]
    assert len(said) > 25
    for english, chinese in said:
        assert holes(chinese) == holes(english), chinese
        assert english_in(re.sub(r"\{[^}]*\}", "7", chinese)) == [], chinese


def test_every_step_of_progress_has_words_and_every_word_is_said() -> None:
    source = "".join(
        path.read_text(encoding="utf-8") for path in SRC.rglob("*.py") if path.parent != SRC / "report" / "words"
    )
    named = set(re.findall(r'"(progress\.[a-z-]+)"', source))
    named |= {
        f"progress.{name}"
        for names in re.findall(r"Progress\(([^)]*)\)", source)
        for name in re.findall(r'"([a-z-]+)"', names)
    }
    assert named - {"progress.zh"} == {key for key in WORDS if key.startswith("progress.")}
