"""Drafts about what objects hold: a piece that keeps a large text, a method that works on a copy.

Comes in: functions and lines of them. Goes out: a remedy, or None.
"""

import re

from oakum.explain.code.calls import at, nodes
from oakum.explain.code.nouns import Func
from oakum.explain.code.syntax import line, text
from oakum.explain.fixes.draft import Edit, draft
from oakum.explain.fixes.scope import importing
from oakum.model import Remedy

# strings.TrimSpace(line)   bytes.Trim(b, "<>")
_TRIM = re.compile(r"(?:strings|bytes)\.Trim\w*\(")
_CLONES = {"string": "strings", "[]byte": "bytes"}


def clone_piece(func: Func, number: int) -> Remedy | None:
    """Copy the piece of a text or a buffer that is cut out on a line."""
    cuts = [node for node in nodes(func.node, "slice_expression") if line(node) == number]
    trims = [node for node in nodes(func.node, "call_expression") if line(node) == number and _TRIM.match(text(node))]
    if len(trims or cuts) != 1:
        return None
    cut = (trims or cuts)[0]
    needs = text(cut).partition(".")[0] if trims else _CLONES.get(func.package.type_of(cut, func, func.file))
    imports = importing(func.file, func.package, needs) if needs else None
    if imports is None:
        return None
    edits = [*imports, Edit(cut.start_byte, cut.start_byte, f"{needs}.Clone("), Edit(cut.end_byte, cut.end_byte, ")")]
    return draft("clone-piece", func.file, edits, place=at(func, number), piece=text(cut))


def pointer_receiver(func: Func) -> Remedy | None:
    """Let a method work on the object itself, not on a copy."""
    receiver = func.node.child_by_field_name("receiver")
    named = next((one.child_by_field_name("type") for one in receiver.named_children), None) if receiver else None
    if func.pointer or named is None:
        return None
    edits = [Edit(named.start_byte, named.start_byte, "*")]
    return draft(
        "pointer-receiver", func.file, edits, place=at(func, func.first), function=func.name, type=func.receiver
    )
