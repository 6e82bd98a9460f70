"""Edits of one Go file -> a unified diff of the fewest lines, as a remedy; None when the result is no Go.

A diff names the file from its module's root, where that is known (SourceText.inside) or the name tells it
(module@version/, vendor/, or relative already): there `git apply` and `patch -p1` take it. Any other absolute name
keeps its folders, without the slash.
"""

import re
from collections.abc import Sequence
from difflib import unified_diff
from itertools import pairwise
from typing import NamedTuple

from tree_sitter import Node

from oakum.explain.code.nouns import GoFile
from oakum.explain.code.syntax import MOST_BYTES, parse
from oakum.model import Remedy, SourceText, Text

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


def draft(kind: str, file: GoFile, edits: Sequence[Edit] | None, **args: str | int) -> Remedy | None:
    """Return the remedy "fix.<kind>" with the diff of the edits; None when they leave no Go, or nothing changes."""
    source = file.source
    if not edits or len(source.data) > MOST_BYTES:
        return None
    changed = _applied(source.data, edits)
    if changed == source.data or _errors(parse(changed).root_node) > _errors(file.root):
        return None
    try:
        old, new = (_lines(file.plain(data.decode("utf-8"))) for data in (source.data, changed))
    except UnicodeDecodeError:
        return None  # a diff is text
    name = patch_name(source)
    diff = "\n".join(unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="")) + "\n"
    return Remedy("patch", Text(f"fix.{kind}", args), diff, Text(f"fix.{kind}.risk", args))


def patch_name(source: SourceText) -> str:
    """Return how a diff calls a file: from the root of its module where the name tells where that is."""
    if source.inside:
        return source.inside
    name = source.name.replace("\\", "/") if re.match(r"^[A-Za-z]:\\", source.name) else source.name
    for before in (_VERSION, _VENDOR, _ABSOLUTE):
        name = before.sub("", name)
    return name.removeprefix("./")


def _applied(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Return the text with the edits made; as it was when two of them overlap."""
    ordered = sorted(edits)
    if any(one.end > other.start for one, other in pairwise(ordered)):
        return data
    ending = b"\r\n" if b"\r\n" in data else b"\n"
    changed = data
    for edit in reversed(ordered):
        changed = changed[: edit.start] + edit.text.encode().replace(b"\n", ending) + changed[edit.end :]
    return changed


def _lines(text: str) -> list[str]:
    *lines, rest = text.split("\n")
    return [*lines, f"{rest}\n\\ No newline at end of file"] if rest else lines


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
