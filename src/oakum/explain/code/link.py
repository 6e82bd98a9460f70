"""The packages of one program -> one package, so that every question sees the whole program.

Comes in: packages, and which of them each import path means. Goes out: a package of the same files, line by line, in
which each declared name is one name wherever it is used (linked_names.py). Names of variables inside of functions,
fields and methods stay; what a file calls by a name that is declared nowhere stays, too.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace
from tree_sitter import Node

from oakum.explain.code.linked_names import linked_name
from oakum.explain.code.nouns import GoFile
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import text

# What Go itself calls by name.
_CALLED_BY_GO = frozenset(("main", "init", "_"))


def link(packages: Sequence[Package], meant: Sequence[Mapping[str, int]], paths: Sequence[str]) -> Package:
    """Return one package of all; `meant` gives, for each, the numbers of the packages that its import paths mean."""
    names = [_declared(package, number) for number, package in enumerate(packages)]
    linked = Package("", [])
    for number, package in enumerate(packages):
        _ = package.all  # reading tells which identifiers are variables of functions
        for file in package.files:
            imports = {name: meant[number][path] for name, path in file.imports.items() if path in meant[number]}
            data = _renamed(file, names, number, imports)
            made = linked.add(replace(file.source, data=data) if data != file.source.data else file.source)
            made.path = paths[number]
            made.prefixes = {other: f"{name}." for name, other in imports.items()} | {number: ""}
    linked.clause = "main" if any(package.clause == "main" for package in packages) else linked.clause
    return linked


def _declared(package: Package, number: int) -> dict[str, str]:
    """Return the linked names of all that a package declares: functions, types and variables."""
    functions = (name for receiver, name in package.funcs if not receiver and " " not in name)
    declared = {*functions, *package.types, *package.globals} - _CALLED_BY_GO
    return {name: linked_name(package.clause, number, name) for name in declared}


def _renamed(file: GoFile, names: Sequence[Mapping[str, str]], number: int, imports: Mapping[str, int]) -> bytes:
    """Return the text of a file with linked names."""
    out: list[bytes] = []
    at, data = 0, file.source.data
    for node, name in _names(file, names, number, imports):
        out += [data[at : node.start_byte], name.encode()]
        at = node.end_byte
    return b"".join((*out, data[at:]))


def _names(
    file: GoFile, names: Sequence[Mapping[str, str]], number: int, imports: Mapping[str, int]
) -> Iterator[tuple[Node, str]]:
    """Yield what stands for a declared name, in the order of the file."""
    todo = [file.root]
    while todo:
        node = todo.pop()
        first = node.named_children[0] if node.named_children else None
        if node.type in ("selector_expression", "qualified_type") and first is not None:
            other = imports.get(text(first)) if first.start_byte not in file.names else None
            name = names[other].get(text(node.named_children[-1])) if other is not None else None
            if name is not None:
                yield node, name
                continue
            if node.type == "qualified_type":
                continue  # http.Client, where the package declares a Client of its own
        if node.type in ("identifier", "type_identifier"):
            var = file.names.get(node.start_byte)
            name = names[number].get(text(node)) if var is None or var.kind == "global" else None
            if name is not None:
                yield node, name
        elif node.type == "keyed_element" and _is_field(node):
            todo.extend(reversed(node.named_children[1:]))
        else:
            todo.extend(reversed(node.named_children))


def _is_field(element: Node) -> bool:
    """Tell whether the key of an element is a plain name: of a field, as a rule."""
    key = element.named_children[0] if element.named_children else None
    inner = key.named_children if key is not None else []
    return len(inner) == 1 and inner[0].type == "identifier"
