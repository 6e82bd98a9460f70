"""Go source -> tree-sitter's tree, and the few questions that everybody asks of its nodes."""

from functools import cache

from tree_sitter import Language, Node, Parser, Tree

# Generated tables of a few MB are no place for a leak; protobuf descriptors have less.
MOST_BYTES = 4 << 20


@cache
def _parser() -> Parser:
    import tree_sitter_go

    return Parser(Language(tree_sitter_go.language()))


def parse(data: bytes) -> Tree:
    """Return the tree of a Go file; what cannot be parsed is an ERROR node in it."""
    return _parser().parse(data[:MOST_BYTES])


def text(node: Node | None) -> str:
    if node is None or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def line(node: Node) -> int:
    """Return the line on which a node begins, counted from one."""
    return node.start_point[0] + 1


def last_line(node: Node) -> int:
    return node.end_point[0] + 1


def bare(node: Node) -> Node:
    """Return an expression without parentheses, `&` and `*` around it."""
    while True:
        if node.type == "parenthesized_expression" and node.named_children:
            node = node.named_children[0]
        elif node.type == "unary_expression" and operator(node) in ("&", "*"):
            operand = node.child_by_field_name("operand")
            if operand is None:
                return node
            node = operand
        else:
            return node


def operator(node: Node) -> str:
    sign = node.child_by_field_name("operator")
    return sign.type if sign is not None else ""


def parts(node: Node | None) -> list[Node]:
    """Return the expressions of an expression list, or the expression itself."""
    if node is None:
        return []
    return node.named_children if node.type == "expression_list" else [node]


def arguments(call: Node) -> list[Node]:
    given = call.child_by_field_name("arguments")
    return [one for one in given.named_children if one.type != "comment"] if given is not None else []
