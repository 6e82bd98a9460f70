"""go.mod -> Build: the main module, the versions it requires, replacements applied, and the line of each.

Out: one reading of kind "build", linked=False: a go.mod says what was asked for. The go line is no version that runs
and stands among the settings. Refuses what is no go.mod from the first line on; lines it cannot read are counted.
"""

import re
from collections.abc import Iterator

from msgspec import Struct, field

from oakum.model import Buffer, Build, Problem, Reading
from oakum.parse.limits import Limits
from oakum.regex import regex

_MOST = 4 << 20  # bytes; kubernetes' own has 15 kB
_VERBS = frozenset(
    {"module", "go", "toolchain", "require", "replace", "exclude", "retract", "godebug", "tool", "ignore"}
)
# any line that is not empty
_LINE = regex(r"[^\n]+")
# `require (   "example.com/a b" v1.2.3 // indirect`: a string, `=>`, a bracket or a word
# (a string that is not closed runs to the end of its line)
# (a word is no possessive group: Python before 3.11.5 takes a character too many where one fails halfway)
_WORD = regex(
    r'"((?:[^"\\]|\\.?)*+)(?:"|$)|`([^`]*+)(?:`|$)|(=>|[()\[\],])|((?:[^\s()\[\],"`/=]++|/(?!/)|=(?!>)){1,999})|//'
)
# v1.2.3   v0.0.0-20191016111102-bec269661e48   v2.0.0+incompatible     not "master"
_VERSION = regex(r"v\d+\.\d+\.\d+[0-9A-Za-z.+-]*")
_COMPLETE = (1, 17)  # since then a go.mod names indirect modules too


class _Said(Struct):
    """What the lines of a go.mod say, in their order."""

    module: str = ""
    go: str = ""
    toolchain: str = ""
    requires: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    # (module, its version or "", what is built instead, its version or "", line)
    replaces: list[tuple[str, str, str, str, int]] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return what a go.mod says, or nothing when this is none."""
    del limits  # linear, and no longer than a go.mod can be
    if len(data) > _MOST or not _begins(bytes(data[: 64 << 10]).decode("utf-8", "replace")):
        return ()
    said = _Said()
    understood = 0
    for number, verb, words in _statements(bytes(data).decode("utf-8", "replace")):
        if _take(said, verb, words, number):
            understood += 1
        else:
            said.unread.append(number)
    if not said.module or len(said.unread) > understood:
        return ()  # prose that begins with the word
    return (Reading(kind="build", format="go.mod", build=_build(said), problems=_problems(said)),)


def _begins(head: str) -> bool:
    """Tell whether the first line that is no comment is one of a go.mod."""
    for line in _LINE.finditer(head):  # the first mostly tells: the others are not taken apart for it
        if words := _words(line[0]):
            return words[0] in _VERBS and len(words) > 1
    return False


def _words(line: str) -> list[str]:
    """Return the words of a line, strings without their quotes; a comment ends it."""
    words = []
    for found in _WORD.finditer(line):
        if found[0] == "//":
            break
        words.append(next((part for part in found.groups() if part is not None), ""))
    return words


def _statements(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (line, verb, words after it), blocks undone."""
    block = ""
    for number, line in enumerate(text.split("\n"), 1):
        words = _words(line)
        if not words:
            continue
        if block and words == [")"]:
            block = ""
        elif block:
            yield number, block, words
        elif words[1:] == ["("]:
            block = words[0]
        elif words[1:] != ["(", ")"]:
            yield number, words[0], words[1:]


def _take(said: _Said, verb: str, words: list[str], number: int) -> bool:
    """Note what one line says; tell whether it says something that a go.mod can say."""
    match verb, words:
        case "module", [name] if not said.module:
            said.module = name
        case "go", [version]:
            said.go = version
        case "toolchain", [version]:
            said.toolchain = version
        case "require", [name, version] if _VERSION.fullmatch(version):
            said.requires[name] = version
            said.lines[name] = number
        case "replace", [name, "=>", instead]:
            said.replaces.append((name, "", instead, "", number))
        case "replace", [name, "=>", instead, new]:
            said.replaces.append((name, "", instead, new, number))
        case "replace", [name, old, "=>", instead]:
            said.replaces.append((name, old, instead, "", number))
        case "replace", [name, old, "=>", instead, new]:
            said.replaces.append((name, old, instead, new, number))
        case (("exclude" | "retract" | "godebug" | "tool" | "ignore"), [_, *_]):
            pass  # none of them says which version is built
        case _:
            return False
    return True


def _build(said: _Said) -> Build:
    modules, lines, replaced = dict(said.requires), dict(said.lines), {}
    # One for a version goes before one for all.
    for name, old, instead, new, number in sorted(said.replaces, key=lambda one: bool(one[1])):
        if name not in modules and (old or _names_all(said.go)):
            continue  # nothing says that it is built
        if old and said.requires.get(name) != old:
            continue
        modules[name] = new or "(replaced)"
        replaced[name] = instead
        lines.setdefault(name, number)
    settings = {"go.mod": said.go, "toolchain": said.toolchain}
    return Build(
        main=said.module,
        modules=modules,
        replaced=replaced,
        settings={name: value for name, value in settings.items() if value},
        linked=False,
        lines=lines,
    )


def _names_all(go: str) -> bool:
    """Tell whether a go.mod of this go line names indirect modules too."""
    numbers = re.match(r"(\d{1,6})\.(\d{1,6})", go)
    return bool(numbers) and (int(numbers[1]), int(numbers[2])) >= _COMPLETE if numbers else False


def _problems(said: _Said) -> tuple[Problem, ...]:
    if not said.unread:
        return ()
    return (Problem.of("unread-lines", f"line {said.unread[0]}", lines=len(said.unread)),)
