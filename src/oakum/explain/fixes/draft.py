"""Edits of one Go file -> a unified diff of the fewest lines, as a remedy; None when the result is no Go.

A diff names the file from its module's root, where that is known (SourceText.inside) or the name tells it
(module@version/, vendor/, or relative already): there `git apply` and `patch -p1` take it. Any other absolute name
keeps its folders, without the slash.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from tree_sitter import Node

from oakum.explain.code.nouns import GoFile
from oakum.explain.code.syntax import MOST_BYTES, parse
from oakum.model import Remedy, SourceText, Text

_AROUND = 3  # lines before and after a change, as diff -u has them
# /home/ci/go/pkg/mod/k8s.io/client-go@v0.18.8/tools/cache/reflector.go
_VERSION = re.compile(r"^.*@v[^/]*/")
# /build/app/vendor/k8s.io/client-go/tools/cache/reflector.go
_VENDOR = re.compile(r"^.*/(?=vendor/)")
# C:/Users/ci/app/main.go   /home/ci/app/main.go
_ABSOLUTE = re.compile(r"^(?:[A-Za-z]:)?/+")


class Edit(NamedTuple):
    """What shall stand between two bytes of a file; lines end with \\n, whatever the file has."""

    start: int
    end: int
    text: str


class _Change(NamedTuple):
    """Lines of the old text, from `first` (counted from zero), and what is there instead."""

    first: int
    old: list[str]
    new: list[str]


def draft(kind: str, file: GoFile, edits: Sequence[Edit] | None, **args: str | int) -> Remedy | None:
    """Return the remedy "fix.<kind>" with the diff of the edits; None when they leave no Go, or nothing changes."""
    source = file.source
    if not edits or len(source.data) > MOST_BYTES:
        return None
    try:
        lines = source.data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None  # a diff is text
    changes = _changes(lines, edits, "\r" if b"\r\n" in source.data else "")
    if not changes or _errors(parse(_applied(lines, changes)).root_node) > _errors(file.root):
        return None
    name = patch_name(source)
    diff = "\n".join([f"--- a/{name}", f"+++ b/{name}", *_hunks(lines, changes)]) + "\n"
    return Remedy("patch", Text(f"fix.{kind}", args), diff, Text(f"fix.{kind}.risk", args))


def patch_name(source: SourceText) -> str:
    """Return how a diff calls a file: from the root of its module where the name tells where that is."""
    if source.inside:
        return source.inside
    name = source.name.replace("\\", "/") if re.match(r"^[A-Za-z]:\\", source.name) else source.name
    for before in (_VERSION, _VENDOR, _ABSOLUTE):
        name = before.sub("", name)
    return name.removeprefix("./")


def _changes(lines: list[str], edits: Sequence[Edit], ending: str) -> list[_Change]:
    """Return the lines that the edits change; [] when two of them overlap or nothing is changed."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()) + 1)
    ordered = sorted(edits)
    if any(one.end > other.start for one, other in pairwise(ordered)):
        return []
    found: list[_Change] = []
    at = 0
    while at < len(ordered):
        first, last = _line(starts, ordered[at].start), _line(starts, ordered[at].end)
        group = [ordered[at]]
        while at + 1 < len(ordered) and _line(starts, ordered[at + 1].start) <= last:
            at += 1
            group.append(ordered[at])
            last = max(last, _line(starts, ordered[at].end))
        at += 1
        old = lines[first : last + 1]
        text, begin = "\n".join(old).encode(), starts[first]
        for edit in reversed(group):
            new = edit.text.replace("\n", f"{ending}\n").encode()
            text = text[: edit.start - begin] + new + text[edit.end - begin :]
        found += _fewest(first, old, text.decode().split("\n"))
    return found


def _line(starts: list[int], byte: int) -> int:
    low, high = 0, len(starts) - 2
    while low < high:
        middle = (low + high + 1) // 2
        if starts[middle] <= byte:
            low = middle
        else:
            high = middle - 1
    return low


def _fewest(first: int, old: list[str], new: list[str]) -> list[_Change]:
    """Return the changes without the lines that stay."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        _Change(first + begin, old[begin:end], new[to:until])
        for how, begin, end, to, until in matcher.get_opcodes()
        if how != "equal"
    ]


def _applied(lines: list[str], changes: list[_Change]) -> bytes:
    out: list[str] = []
    at = 0
    for change in changes:
        out += [*lines[at : change.first], *change.new]
        at = change.first + len(change.old)
    return "\n".join([*out, *lines[at:]]).encode()


def _hunks(lines: list[str], changes: list[_Change]) -> list[str]:
    # What stands behind the last \n is no line unless the file does not end with one.
    whole = lines if lines[-1] else lines[:-1]
    cut = len(whole) == len(lines)
    out: list[str] = []
    shift = at = 0
    while at < len(changes):
        group = [changes[at]]
        while at + 1 < len(changes) and changes[at + 1].first - (group[-1].first + len(group[-1].old)) <= 2 * _AROUND:
            at += 1
            group.append(changes[at])
        at += 1
        begin = max(0, group[0].first - _AROUND)
        stop = min(len(whole), group[-1].first + len(group[-1].old) + _AROUND)
        body: list[str] = []
        here = begin
        for change in group:
            body += [f" {line}" for line in whole[here : change.first]]
            body += [f"-{line}" for line in change.old]
            body += [f"+{line}" for line in change.new]
            here = change.first + len(change.old)
        body += [f" {line}" for line in whole[here:stop]]
        grown = sum(len(change.new) - len(change.old) for change in group)
        out.append(f"@@ -{begin + 1},{stop - begin} +{begin + shift + 1},{stop - begin + grown} @@")
        if cut and stop == len(whole) and not body[-1].startswith("+"):
            body.append("\\ No newline at end of file")
        elif cut and stop == len(whole):
            return []  # the last, unfinished line is changed: nobody's code
        out += body
        shift += grown
    return out


def _errors(root: Node) -> int:
    """Return how many nodes of a tree could not be parsed."""
    if not root.has_error:
        return 0
    count, todo = 0, [root]
    while todo:
        node = todo.pop()
        count += node.is_error or node.is_missing
        todo += [child for child in node.children if child.has_error or child.is_error or child.is_missing]
    return count
