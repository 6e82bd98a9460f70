"""Where a line of code is put: before or behind a statement, in its indentation, a one-line block opened when needed.

Comes in: operations, steps or nodes, and lines without indentation. Goes out: edits, or None where no line of its own
can be put: in the head of a loop, behind the head of an if, beside another statement on the same line.
"""

from collections.abc import Sequence

from tree_sitter import Node

from oakum.explain.code.calls import at as line_at
from oakum.explain.code.nouns import GoFile, Op, Step
from oakum.explain.code.syntax import text
from oakum.explain.fixes.draft import Edit

At = Op | Step
_HEADS = frozenset(
    "if_statement for_statement expression_switch_statement type_switch_statement select_statement "
    "communication_case expression_case type_case".split()
)
_LEAVES = frozenset("return_statement break_statement continue_statement goto_statement".split())


def statement(at: At | Node, exact: bool = False) -> Node | None:
    """Return the statement around something; None when it is done again and again or only sometimes.

    `exact`: it must not stand in the head of an if or a switch either.
    """
    if isinstance(at, Step) and at.kind in ("entry", "end"):
        return None
    node = at if isinstance(at, Node) else at.node
    while node.parent is not None and node.parent.type != "statement_list":
        parent = node.parent
        if parent.type in _HEADS and (exact or parent.type not in ("if_statement", "expression_switch_statement")):
            return None
        if parent.type == "if_statement" and node == parent.child_by_field_name("alternative"):
            return None  # else if
        node = parent
    return node if node.parent is not None else None


def step_of(at: At) -> Step:
    """Return the step of an operation, or the step itself."""
    return at.step if isinstance(at, Op) else at


def place(at: At) -> str:
    """Return where it stands, as sentences name it: `pool.go:72`."""
    return line_at(at.func, at.line)


def indent(file: GoFile, byte: int) -> str:
    """Return the white space at the beginning of a byte's line."""
    line = file.source.data[_line_start(file, byte) :].split(b"\n", 1)[0]
    return line[: len(line) - len(line.lstrip(b" \t"))].decode()


def block(inside: str, lines: Sequence[str]) -> str:
    """Return lines, each with its indentation, joined; the first without."""
    return "\n".join(f"{inside if at and line else ''}{line}" for at, line in enumerate(lines))


def before(file: GoFile, at: At | Node, lines: Sequence[str]) -> list[Edit] | None:
    """Return the edit that puts lines before a statement, or at the end of the function for its last step."""
    if isinstance(at, Step) and at.kind == "end":
        return _at_end(file, at.node, lines)
    node = statement(at)
    if node is None:
        return None
    if _begins_line(file, node):
        inside = indent(file, node.start_byte)
        return [Edit(node.start_byte, node.start_byte, block(inside, lines) + "\n" + inside)]
    return _opened(file, node, [*lines, text(node)])


def behind(file: GoFile, at: At | Node, lines: Sequence[str]) -> list[Edit] | None:
    """Return the edit that puts lines behind a statement."""
    node = statement(at, exact=True)
    if node is None or node.type in _LEAVES:
        return None
    if _begins_line(file, node) and (end := _line_end(file, node)) is not None:
        inside = indent(file, node.start_byte)
        return [Edit(end, end, "\n" + inside + block(inside, lines))]
    return _opened(file, node, [text(node), *lines])


def instead(file: GoFile, node: Node, lines: Sequence[str]) -> list[Edit] | None:
    """Return the edit that puts lines in the place of a statement."""
    if _begins_line(file, node) and _line_end(file, node) is not None:
        return [Edit(node.start_byte, node.end_byte, block(indent(file, node.start_byte), lines))]
    return _opened(file, node, lines)


def first_in(file: GoFile, body: Node, lines: Sequence[str]) -> list[Edit] | None:
    """Return the edit that puts lines at the beginning of a block."""
    listed = _statements(body)
    if not listed:
        return _at_end(file, body, lines)
    if listed[0].start_point[0] == body.start_point[0]:
        return _rebuilt(file, body, [*lines, *(text(one) for one in listed)])
    inside = indent(file, listed[0].start_byte)
    brace = file.source.data.find(b"\n", body.start_byte)
    return [Edit(brace, brace, "\n" + inside + block(inside, lines))]


def without(file: GoFile, at: At | Node) -> list[Edit] | None:
    """Return the edit that takes a statement away with its line."""
    node = statement(at, exact=True)
    if node is None or not _begins_line(file, node):
        return None
    end = _line_end(file, node)
    if end is None:
        return None
    return [Edit(_line_start(file, node.start_byte), file.source.data.find(b"\n", end) + 1 or end, "")]


def one_line(node: Node) -> bool:
    """Tell whether a node begins and ends on the same line."""
    return node.start_point[0] == node.end_point[0]


def _at_end(file: GoFile, body: Node, lines: Sequence[str]) -> list[Edit] | None:
    if body.type != "block":
        return None
    if one_line(body):
        return _rebuilt(file, body, [*(text(one) for one in _statements(body)), *lines])
    brace = body.end_byte - 1
    if file.source.data[_line_start(file, brace) : brace].strip():
        return None
    outer = indent(file, brace)
    return [Edit(brace, brace, "\t" + block(outer + "\t", lines) + "\n" + outer)]


def _opened(file: GoFile, node: Node, lines: Sequence[str]) -> list[Edit] | None:
    """Return the edit that opens the one-line block of a statement, and puts lines in the statement's place."""
    body = node.parent.parent if node.parent is not None else None
    if body is None or body.type != "block" or not one_line(body):
        return None
    listed: list[str] = []
    for one in _statements(body):
        listed += lines if one == node else [text(one)]
    return _rebuilt(file, body, listed)


def _rebuilt(file: GoFile, body: Node, lines: Sequence[str]) -> list[Edit] | None:
    if not one_line(body) or any(child.type == "comment" for child in body.children):
        return None
    outer = indent(file, body.start_byte)
    inside = outer + "\t"
    return [Edit(body.start_byte, body.end_byte, "{\n" + inside + block(inside, lines) + f"\n{outer}}}")]


def _statements(body: Node) -> list[Node]:
    listed = next((child for child in body.named_children if child.type == "statement_list"), None)
    return [one for one in listed.named_children if one.type != "comment"] if listed is not None else []


def _line_start(file: GoFile, byte: int) -> int:
    return file.source.data.rfind(b"\n", 0, byte) + 1


def _begins_line(file: GoFile, node: Node) -> bool:
    return not file.source.data[_line_start(file, node.start_byte) : node.start_byte].strip()


def _line_end(file: GoFile, node: Node) -> int | None:
    """Return where the statement's last line ends; None when more than a comment stands behind it."""
    data = file.source.data
    end = data.find(b"\n", node.end_byte)
    end = len(data) if end < 0 else end
    rest = data[node.end_byte : end].strip()
    if rest and (not rest.startswith((b"//", b"/*")) or (rest.startswith(b"/*") and not rest.endswith(b"*/"))):
        return None
    return end - (data[end - 1 : end] == b"\r")
