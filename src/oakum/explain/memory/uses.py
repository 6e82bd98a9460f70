"""Where each name of a package is used: variables by their identifiers, fields by their selectors."""

from tree_sitter import Node

from oakum.explain.code.nouns import FieldRef, Func, Symbol
from oakum.explain.code.package import Package


class Uses:
    """Where each name of a package is used."""

    def __init__(self, package: Package) -> None:
        self.of: dict[Symbol, list[tuple[Node, Func]]] = {}
        for top in package.funcs.values():
            self._walk(package.read(top), package)

    def _walk(self, top: Func, package: Package) -> None:
        todo: list[tuple[Node, Func]] = [(top.node, top)]
        while todo:
            node, func = todo.pop()
            if node.type == "func_literal":
                func = func.file.literals.get(node.start_byte, func)
            symbol: Symbol | None = None
            if node.type == "identifier" and not _is_key(node):
                symbol = package.var(node, func.file)
            elif node.type == "selector_expression":
                meant = package.symbol(node, func, func.file)
                symbol = meant if isinstance(meant, FieldRef) else None
            if symbol is not None:
                self.of.setdefault(symbol, []).append((node, func))
            todo.extend((child, func) for child in reversed(node.named_children))


def _is_key(node: Node) -> bool:
    element = node.parent
    pair = element.parent if element is not None else None
    return pair is not None and pair.type == "keyed_element" and pair.child_by_field_name("key") == element
