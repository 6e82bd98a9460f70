"""Problems of inputs: every sentence that the source can make of one is Chinese too, whatever evidence puts into it."""

import ast
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

from chinese import english_in
from oakum.cli.socket_lines import socket_lines
from oakum.model import Problem, Socket, Sockets
from oakum.report.words.problems import PARTS, PLACES, REMARKS, SENTENCES
from oakum.report.words.told import command_in, place_in, problem_in, remark_in
from support import ROOT

SRC = ROOT / "src" / "oakum"
# What can become a problem of an input: all that parse says, what is said of files, archives and bundles, and why a
# capture was not used. What is said while a target is captured goes to stderr and into the manifest, not to a page.
FILES = sorted(
    [
        *(SRC / "parse").rglob("*.py"),
        *(SRC / "collect" / name for name in ("files.py", "bundle/archive.py", "bundle/manifest.py")),
        *(SRC / "cli" / f"{name}.py" for name in ("builds", "case", "evidence", "moments", "runs")),
    ]
)
# Which argument of a call is the sentence, and what is put before it.
CALLS = {
    "Problem": (1, ""), "blame": (1, ""), "with_problem": (1, ""), "complain": (-1, ""), "say": (1, ""), "_is": (1, "This is "),
    "Unreachable": (0, ""),
}  # fmt: skip
# What else than a number may stand in a hole. The words of others are checked to be quoted.
HOLES = {
    "image.what": ["an ELF program or library (amd64)", "an ELF object file (machine 9)", "a macOS library (arm64)", "a macOS program (processor 0x7)", "a Windows program (amd64)"],
    "follows": ["what is there was read", "no build information of Go was found in what is there; copy it again"],
    "noun": ["goroutines", "threads", "entries"],
    "name": ["gzip"], "command": ["zstd -d"], "form.decode('ascii')": ["growthz"], "what": ["text", "binary data"],
    "times": ["once", "3 times"], "place": ["the last run", "the longest run"], "when": ["2026-03-01 12:00:00, 2026-03-01 13:00:00"],
    "why": ["names that lead out of the archive", "names that were there before"],
    "scan.full": ["net/http/pprof cuts debug=2 at 64 MiB", "a fixed buffer of 64 KiB is too small"],
    "scan.unread_because": ["Reading took longer than 30 s", "Only 7 bytes are looked at"],
    "_because(stream)": ["", " (unexpected end of data)"], "_instead(path)": ["", "; there is captures/heap.pb.gz"],
    "_here()": ["/srv", "a directory that is gone"], "called": ["", ' ("404 Not Found")'], "_missing.more": ["", " and 7 more"],
    "plain(name[:80])": ["main.(*T).Run"], "'s' * (count > 1)": ["", "s"], "'s' * (len(said.unread) > 1)": ["", "s"],
    "_tar_files.what": ["is cut", "is broken"], "_tarred.what": ["link", "sparse file"], "_tarred.'s' * (count > 1)": ["s"], "problem": ["manifest.json could not be read (no JSON object): times and digests of this bundle are unknown"],
    "argument": ["captures/a.txt"], "origin": ["captures/a.txt"], "archive.origin": ["captures.zip"], "archive": ["captures.zip"],
    "row.filename": ["a.txt"], "path": ["a/b.txt"], "gone[0]": ["heap.pb.gz"], "most": ["7"], "error.strerror or error": ["Is a directory"],
}  # fmt: skip
# Sentences that another row of this table has already, or that never reach a page; why.
ELSEWHERE = {
    "str(error)": "an error of collect: its own sentences are looked at where they are raised",
    "why_unusable(item)": "of an input without readings: the one sentence at its end",
    "text": "passed on: the caller's sentence is looked at",
    "error": "passed on: raised above",
    "found.text": "passed on by the scan of a dump: stack_lines.py says it",
    "what": "a row of foreign._MAGIC: looked at below",
    "complaint": "a word of the call: an error, not an input",
}
# Errors of an argument itself: the command ends with them.
NOT_INPUTS = ("-: standard input is closed",)
NAMES = {"MANIFEST": "manifest.json", "SCHEMA": "oakum.bundle/1"}


@cache
def module(path: Path) -> ModuleType:
    return import_module(".".join(path.relative_to(SRC.parent).with_suffix("").parts).removesuffix(".__init__"))


class Sentences:
    """What one function may say."""

    def __init__(self, path: Path, function: ast.FunctionDef) -> None:
        self.path, self.where, self.function = path, str(path.relative_to(SRC)), function.name
        self.assigned: dict[str, list[ast.expr]] = {}
        self.added: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.assigned.setdefault(node.targets[0].id, []).append(node.value)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.added.setdefault(node.target.id, []).append(node.value)

    def of(self, node: ast.expr) -> list[str]:
        """Return the texts that an expression may be; [] when it is one that nothing is known of."""
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.JoinedStr(values=parts):
                return ["".join(each) for each in product(*(self.of(part) for part in parts))]
            case ast.FormattedValue(value=value):
                return self.hole(value)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return [a + b for a in self.of(left) or ["samples"] for b in self.of(right) or ["samples"]]
            case ast.IfExp(body=body, orelse=other):
                return [*self.of(body), *self.of(other)]
            case ast.Name(id=name) if name in self.assigned:
                base = [text for value in self.assigned[name] for text in self.of(value)]
                more = [text for value in self.added.get(name, []) for text in self.of(value)]
                return [first + text for first in base for text in more or [""]]
            case ast.Name(id=name) if isinstance(found := getattr(module(self.path), name, None), str):
                return [found]
            case ast.Subscript(value=ast.Name(id=name)) if isinstance(
                found := getattr(module(self.path), name, None), dict
            ):
                return list(found.values())
        return []

    def hole(self, value: ast.expr) -> list[str]:
        told = ast.unparse(value)
        if told in NAMES:
            return [NAMES[told]]
        if isinstance(value, ast.Name) and isinstance(found := getattr(module(self.path), told, None), str):
            return [found]
        return (
            HOLES.get(f"{self.function}.{told}")
            or HOLES.get(told)
            or (self.of(value) if isinstance(value, ast.IfExp) else [])
            or ["7"]
        )

    def said(self, function: ast.AST) -> Iterator[str]:
        """Yield every sentence that becomes a problem in a function."""
        for node in ast.walk(function):
            if isinstance(node, ast.Tuple):  # stacks.py: (where, key, sentence, offset)
                key = next((at for at, one in enumerate(node.elts[:2]) if _is_key(one)), None)
                if key is not None and len(node.elts) > key + 1 and self.where.startswith("parse/stack"):
                    yield from self.checked(node.elts[key + 1])
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name not in CALLS or (name == "say" and not self.where.startswith("parse/")):
                continue
            at, before = CALLS[name]
            arguments = [one for one in node.args if not isinstance(one, ast.Starred)]
            if not arguments or (name == "complain" and isinstance(arguments[at], ast.Call)):
                continue
            yield from (before + text for text in self.checked(arguments[at]))

    def checked(self, node: ast.expr) -> list[str]:
        found = [text.replace("{count}", "7") for text in self.of(node)]
        told = ast.unparse(node)
        assert found or told in ELSEWHERE or told.startswith("text.format("), f"{self.where}: what may {told} say?"
        return found


def _is_key(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and bool(re.fullmatch(r"[a-z]+(-[a-z]+)+", node.value))
    )


@cache
def sentences() -> dict[str, str]:
    """Return every sentence that can become the problem of an input, and in which file."""
    found: dict[str, str] = {}
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name != "_is"]
        for function in functions:
            spoken = Sentences(path, function)
            found |= dict.fromkeys(spoken.said(function), spoken.where)
    # Tables whose rows are sentences.
    from oakum.parse.foreign import _MAGIC

    found |= dict.fromkeys((f"This is {what}" for _, _, what in _MAGIC), "parse/foreign.py")
    found["neither a profile nor a goroutine dump was recognised in it"] = "cli/evidence.py"
    return found


# What is in the source as the words of somebody else alone: quoted.
OF_OTHERS = {"captures/a.txt: Is a directory"}


def test_the_walk_through_the_source_finds_what_there_is() -> None:
    for file in FILES:
        if re.search(r"\bProblem\((?!\))", text := file.read_text(encoding="utf-8")) and "import" in text:
            name = str(file.relative_to(SRC))
            assert name in sentences().values() or name in (
                "parse/logs/strand.py",
                "parse/message.py",
                "cli/moments.py",
            ), name
    assert len(sentences()) > 150


def test_every_problem_that_the_source_can_name_has_chinese() -> None:
    left = {}
    for text, file in sentences().items():
        if text.startswith(NOT_INPUTS) or text in OF_OTHERS:
            continue
        chinese, _ = problem_in(Problem("any", text), "zh")
        if chinese.startswith("原文") or english_in(chinese):
            left[text] = (file, chinese)
    assert left == {}


def test_every_row_of_the_table_is_said_by_something() -> None:
    """A sentence that was reworded leaves its old row behind; it has to go."""
    from oakum.report.words import told

    said = set()
    holes = (value for values in HOLES.values() for value in values)
    for text in (*sentences(), *holes, *told_nouns(), *socket_texts()):
        for table in (SENTENCES, PARTS):
            for english, template in zip((row[0] for row in table), told._templates(table), strict=True):
                values = template.values(text)
                if values is not None:
                    said.add(english)
                    break
    assert [english for english, _ in (*SENTENCES, *PARTS) if english not in said] == []


def told_nouns() -> Iterator[str]:
    """Yield what tables of parse and collect call things, which stand in holes."""
    from oakum.collect.bundle.archive import _THINGS
    from oakum.parse.binaries.elf import _KINDS
    from oakum.parse.binaries.macho import _KINDS as MACHO
    from oakum.parse.foreign import _BEHIND, _FETCH, _PERF
    from oakum.parse.others import _FETCH as SAVE

    things = (*_THINGS.values(), "thing")
    yield from (
        *things,
        *(f"{thing}s" for thing in things),
        *_KINDS.values(),
        *MACHO.values(),
        _BEHIND,
        _FETCH,
        _PERF,
        SAVE,
    )
    named = re.compile(r'\.(?:first|walk|named)\([^"\n]*"([a-z ]+)"\)')
    for file in ("pprof.py", "samples.py"):
        yield from named.findall((SRC / "parse" / file).read_text(encoding="utf-8"))


@pytest.mark.parametrize("table", [SENTENCES, PARTS, PLACES, REMARKS], ids=["sentences", "parts", "places", "remarks"])
def test_both_sides_of_a_row_name_the_same(table: tuple[tuple[str, str], ...]) -> None:
    holes = re.compile(r"\{(\w+)(?::\w+)?\}")
    for english, chinese in table:
        assert set(holes.findall(chinese)) <= set(holes.findall(english)), chinese
        # The plural of an English noun, and a name that stands there twice, may be left out; no number may.
        assert set(holes.findall(english)) - set(holes.findall(chinese)) <= {"s", "again"}, chinese
        bare = re.sub(r"`[^`]*`|\{[^}]*\}", "X", chinese)
        assert not re.search(r"[\u4e00-\u9fff][,;:(](?!//)|[,;:]\s?[\u4e00-\u9fff]", bare), chinese
        assert not re.search(r"[\u4e00-\u9fff][A-WYZa-z0-9]|[A-WYZa-z0-9][\u4e00-\u9fff]", bare), f"no space: {chinese}"
    assert len({english for english, _ in table}) == len(table)


@pytest.mark.parametrize(
    ("text", "where", "chinese"),
    [
        ("the gzip stream is cut", "byte 4096", ("gzip 数据流不完整", "第 4096 字节")),
        ("The profile announces 1,103 goroutines, 1,000 were read: 103 missing", "line 1", ("profile 声明有 1,103 个 goroutine，实际读到 1,000，缺少 103", "第 1 行")),
        ("samples that break off in the middle, whose rest is not read: 3", "", ("中途断开、其余部分未读取的样本：3 个", "")),
        ("This is an ELF program (amd64), not built by Go: a profile or a goroutine dump of the process is needed", "", ("这是 ELF 程序（amd64），不是由 Go 构建的：需要该进程的 profile 或 goroutine 转储", "")),
        ("x.zip: 2 files of the archive left out: names that lead out of the archive", "", ("x.zip：归档中有 2 个文件被跳过：名称指向归档之外", "")),
        ("captures: Input/output error", "lines 3-9", ("原文：“captures: Input/output error”", "第 3-9 行")),
        ("Of a later version: it tells more.", "goroutine 7, line 9", ("原文：“Of a later version: it tells more.”", "goroutine 7，第 9 行")),
    ],
)  # fmt: skip
def test_a_problem_in_both_languages(text: str, where: str, chinese: tuple[str, str]) -> None:
    assert problem_in(Problem("key", text, where), "zh") == chinese
    assert problem_in(Problem("key", text, where), "en") == (text, where)


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
    began = time.perf_counter()
    told, _ = problem_in(Problem("key", text), "zh")
    assert told == f"原文：“{text}”"
    inside, _ = problem_in(Problem("key", f"No position follows {text}"), "zh")
    assert text in inside
    assert place_in(text, "zh").replace("，", ", ") == text
    assert time.perf_counter() - began < 0.5


def test_a_remark_behind_a_command() -> None:
    typed = "oakum diagnose http://10.0.0.7:6060  # some minutes after the load has gone"
    assert command_in(typed, "zh") == "oakum diagnose http://10.0.0.7:6060  # 负载退去几分钟之后"
    assert command_in(typed, "en") == typed
    assert command_in("oakum top 'a  # b'", "zh") == "oakum top 'a  # b'"


def test_every_remark_is_one_that_is_made() -> None:
    """A remark that was reworded leaves its row behind: each literal of a row stands in the source."""
    source = "".join(
        path.read_text(encoding="utf-8") for path in SRC.rglob("*.py") if path.parent != SRC / "report" / "words"
    )
    for english, _ in REMARKS:
        for literal in filter(None, (part.strip(" ();") for part in re.split(r"\{\w+\}", english))):
            at = source.find(literal.removeprefix("of at most").removeprefix("interrupted; ").strip())
            assert at >= 0, english


def test_what_is_said_beside_a_report() -> None:
    running = "next moment in 8 s · 1 of 2 targets · moment 1 of 3 · 40.0 KiB · Ctrl-C ends it and keeps everything"
    chinese = "8 秒后采集下一个时刻 · 2 个目标中的 1 个 · 第 1 个时刻，共 3 个 · 40.0 KiB · 按 Ctrl-C 结束，已采集的内容会保留"
    assert remark_in(running, "zh") == chinese
    assert remark_in(running, "en") == running
    assert remark_in("left out: a · b", "zh") == "left out: a · b"


def socket_texts() -> list[str]:
    """Return what is said of sockets: full or nearly, one way or both, with the buffer's size or without."""
    full = Socket("u_str", "ESTAB", 300_000, 300_000, "*", "*", 7, 8)
    named = replace(full, fd=3, peer_pid=12, peer_name="shim", send_used=80_000, send_buffer=100_000)
    one_way = (replace(full, received=0), replace(named, received=0), replace(named, received=0, send_used=200_000))
    rows = (full, named, *one_way) * 3 + (replace(full, sent=0),) * 6
    return ["full", "waiting", *socket_lines(Sockets(rows))]


def test_sockets() -> None:
    """Who waits for whom is said while captures are read; it is evidence, and no error."""
    lines = socket_texts()[2:]
    assert len({re.sub(r"[\d,]+", "7", line) for line in lines}) >= 6
    for line in lines:
        for same in ("", "; the same to the byte in 3 captures: it does not move"):
            told = remark_in(f"a/sockets.txt: {line}{same}", "zh")
            assert english_in(told) == [], told
            assert told.startswith("a/sockets.txt：")


def test_every_remark_behind_a_command_has_chinese() -> None:
    stages = [path for name in ("detect", "explain", "compare") for path in (SRC / name).rglob("*.py")]
    found = set()
    for path in [*stages, SRC / "diagnose.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "  # " in node.value:
                found.add(node.value.partition("  # ")[2])
    assert found
    assert {text for text in found if remark_in(text, "zh") == text} == set()
