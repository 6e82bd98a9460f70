"""What a drafted line may use at its place: variables, what says that it is time to leave, zero values, imports.

Comes in: an operation. Goes out: Go text, or None where the code does not tell.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.nouns import FieldRef, Func, GoFile, Op, Step, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import reachable
from oakum.explain.code.syntax import arguments, text
from oakum.explain.fixes.draft import Edit
from oakum.explain.fixes.layout import At, statement

# Names of channels whose closing says that it is time to leave, without ch, chan, c behind them.
_STOP = frozenset(
    "stop stopped stopping done quit quitting closed closing close shutdown exit exiting kill killed dying dead "
    "term terminate cancel canceled cancelled finish finished abort".split()
)
_NUMBERS = frozenset(
    "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128 byte rune "
    "time.Duration".split()
)
_BUILTIN = frozenset(
    "close len cap make new append delete panic print println recover true false nil go defer func for range".split()
)
# The first name of `s.mu.Unlock()`, and what stands in quotes.
_ROOTS = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_CONNECTIONS = frozenset(("net.Conn", "*net.TCPConn", "*net.UnixConn", "*tls.Conn"))
# Calls that something else waits for: leaving before them makes the next leak.
_OWED = frozenset("Unlock RUnlock Done Close Stop Release Put Rollback Signal Broadcast cancel close".split())


def visible(op: Op) -> Iterator[Var]:
    """Yield the variables that can be named at an operation, the innermost first, none that is hidden by another."""
    seen: set[str] = set()
    for name in _declared(op.node):
        var = op.file.names.get(name.start_byte)
        if var is not None and var.name == text(name) and var.name not in seen:
            seen.add(var.name)
            yield var
    func: Func | None = op.func
    if func is not None and func.top.this is not None and func.top.this.name not in (*seen, "", "_"):
        yield func.top.this


def usable(at: At | Node, func: Func, code: str, behind: bool = False) -> bool:
    """Tell whether every name in a line of code means something before a statement, or behind it."""
    node = at if isinstance(at, Node) else at.node
    known = {text(name) for name in _declared(node)}
    if isinstance(at, Step) and at.kind in ("end", "entry"):  # within the function
        body = node if node.type == "block" else node.child_by_field_name("body")
        known |= {text(name) for name in _declared_in(node)}
        listed = next((one for one in body.named_children if one.type == "statement_list"), None) if body else None
        if at.kind == "end" and listed is not None:
            known |= {text(name) for one in listed.named_children for name in _names(one)}
    whole = statement(node) if behind else None
    if whole is not None:
        known |= {text(name) for name in _names(whole)}
    if func.top.this is not None:
        known.add(func.top.this.name)
    package = func.package
    known |= {*func.file.imports, *package.globals, *package.types, *_BUILTIN}
    return all(name in known or ("", name) in package.funcs for name in _ROOTS.findall(_STRING.sub("", code)))


def _declared(node: Node) -> Iterator[Node]:
    """Yield the identifiers that are declared around a node and before it, the nearest first."""
    while node.parent is not None:
        parent = node.parent
        if parent.type == "statement_list":
            for one in reversed(parent.named_children):
                if one.end_byte <= node.start_byte:
                    yield from _names(one)
        elif parent.type in ("if_statement", "expression_switch_statement", "for_clause"):
            first = parent.child_by_field_name("initializer")
            if first is not None and first.end_byte <= node.start_byte:
                yield from _names(first)
        elif parent.type == "for_statement":
            for child in parent.named_children:
                if child.end_byte <= node.start_byte:
                    first = child.child_by_field_name("initializer") if child.type == "for_clause" else child
                    yield from _names(first) if first is not None else ()
        elif parent.type == "communication_case":
            taken = parent.child_by_field_name("communication")
            if taken is not None and taken.end_byte <= node.start_byte:
                yield from _names(taken)
        elif parent.type in ("func_literal", "function_declaration", "method_declaration"):
            yield from _declared_in(parent)
        node = parent


def _declared_in(func: Node) -> Iterator[Node]:
    """Yield the parameters and named results of a function."""
    for given in ("parameters", "result"):
        listed = func.child_by_field_name(given)
        for one in listed.named_children if listed is not None and listed.type == "parameter_list" else ():
            yield from one.children_by_field_name("name")


def _names(node: Node) -> Iterator[Node]:
    if node.type in ("short_var_declaration", "receive_statement", "range_clause"):
        left = node.child_by_field_name("left")
        if left is not None and any(child.type == ":=" for child in node.children):
            yield from (one for one in left.named_children if one.type == "identifier")
    elif node.type == "var_declaration":
        for child in node.named_children:
            for spec in (child, *child.named_children):
                if spec.type == "var_spec":
                    yield from spec.children_by_field_name("name")


def done_in_scope(op: Op, not_channel: str = "") -> str | None:
    """Return what can be received from when it is time to leave: `ctx.Done()`, `r.Context().Done()`, `s.stop`."""
    package = op.func.package
    found = list(visible(op))
    for var in found:
        if is_context(var, package):
            return f"{var.name}.Done()"
    for var in found:
        if package.type_of_var(var) == "*http.Request":
            return f"{var.name}.Context().Done()"
    for var in found:
        if var.name != not_channel and _stops(var.name, package.type_of_var(var)):
            return var.name
    this = op.func.top.this
    if this is None or this not in found:
        return None
    owner = kinds.base(this.type)
    fields = package.fields.get(owner, {})
    for name, written in fields.items():
        if written == "context.Context":
            return f"{this.name}.{name}.Done()"
    for name, written in fields.items():
        full = f"{this.name}.{name}"
        if full != not_channel and _stops(name, written) and _closed(package, FieldRef(owner, name)):
            return full
    return None


def connection_in_scope(op: Op) -> str | None:
    """Return the only connection that can be named at an operation: `conn`, `c.conn`."""
    package = op.func.package
    found = list(visible(op))
    names = [var.name for var in found if package.type_of_var(var) in _CONNECTIONS or _dialled(var)]
    this = op.func.top.this
    if not names and this is not None and this in found:
        fields = package.fields.get(kinds.base(this.type), {})
        names = [f"{this.name}.{name}" for name, written in fields.items() if written in _CONNECTIONS]
    return names[0] if len(names) == 1 else None


def _dialled(var: Var) -> bool:
    value = text(var.value)
    return not var.index and (value.startswith(("net.Dial", "tls.Dial")) or value.endswith(".Accept()"))


def is_context(var: Var, package: Package) -> bool:
    """Tell whether a variable is a context that can be done some day."""
    written = package.type_of_var(var)
    if written:
        return written == "context.Context"
    value = var.value
    if value is None or value.type != "call_expression":
        return False
    called = text(value.child_by_field_name("function"))
    given = arguments(value)
    if var.index == 0 and called in ("context.WithCancel", "context.WithCancelCause"):
        return not _unkept(value)
    if var.index == 0 and called in ("context.WithTimeout", "context.WithDeadline", "signal.NotifyContext"):
        return True
    if called == "context.WithValue":
        return bool(given) and text(given[0]) not in ("context.Background()", "context.TODO()")
    if called == "errgroup.WithContext":
        return var.index == 1
    return var.index == 0 and called.endswith(".Context") and not given


def _unkept(value: Node) -> bool:
    """Tell whether the cancel function of a new context is thrown away: ctx, _ := context.WithCancel(parent)."""
    stored = value.parent.parent if value.parent is not None else None
    left = stored.child_by_field_name("left") if stored is not None else None
    return left is None or text(left).endswith("_")


def _stops(name: str, written: str) -> bool:
    if written.replace(" ", "") not in ("chanstruct{}", "<-chanstruct{}"):
        return False
    return re.sub(r"_?(?:ch|chan|channel|c|signal)$", "", name.lower()) in _STOP or name.lower() in _STOP


def _closed(package: Package, field: FieldRef) -> bool:
    return any(
        op.kind == "close" and package.symbol(op.target, op.func, op.file) == field
        for func in package.all
        for op in func.ops
    )


def owed(op: Op) -> bool:
    """Tell whether calls that others wait for stand behind an operation, not deferred."""
    return any(_is_owed(one) for step in reachable([op.step]) for one in step.ops)


def _is_owed(op: Op) -> bool:
    name = "close" if op.kind == "close" else text(op.target).rpartition(".")[2]
    return op.kind in ("call", "close") and op.inside is None and name in _OWED


class Leaving(NamedTuple):
    """The lines that leave a function, and the import that they need."""

    lines: list[str]
    needs: str = ""


def leaving(func: Func, done: str = "") -> Leaving | None:
    """Return how a function is left when `done` is: its results are zero values, its error that of the context."""
    if not func.results:
        return Leaving(["return"])
    values, zero, needs = [], "", ""
    for at, written in enumerate(func.results):
        if done and written == "error" and at == len(func.results) - 1:
            of_context = done.endswith(".Done()")
            values.append(done.removesuffix("Done()") + "Err()" if of_context else "context.Canceled")
            needs = "" if of_context else "context"
        elif (value := _zero(func.package, written)) is not None:
            values.append(value)
        elif not zero and "zero" not in identifiers(func.top.node):
            zero = written
            values.append("zero")
        else:
            return None
    return Leaving([*([f"var zero {zero}"] if zero else []), f"return {', '.join(values)}"], needs)


def _zero(package: Package, written: str) -> str | None:
    if written == "error" or written.startswith(("*", "[]", "map[", "func", "interface", "<-")) or written == "any":
        return "nil"
    if kinds.is_channel(written):
        return "nil"
    if written in _NUMBERS:
        return "0"
    if written in ("string", "bool"):
        return '""' if written == "string" else "false"
    if "[" in written:
        return None
    meant = package.types.get(written, "")
    if meant in ("struct", "interface"):
        return f"{written}{{}}" if meant == "struct" else "nil"
    return _zero(package, package.resolved(written)) if meant and package.resolved(written) != written else None


def identifiers(node: Node) -> frozenset[str]:
    """Return every name that stands below a node."""
    found, todo = set(), [node]
    while todo:
        one = todo.pop()
        if one.type in ("identifier", "field_identifier", "package_identifier", "type_identifier"):
            found.add(text(one))
        todo += one.named_children
    return frozenset(found)


def fresh(func: Func, *wanted: str) -> str | None:
    """Return the first of some names that stands nowhere in the declared function around."""
    taken = identifiers(func.top.node)
    return next((name for name in wanted if name not in taken), None)


def writable(written: str, file: GoFile) -> bool:
    """Tell whether a type can be written in a file: known, and every package in it imported there."""
    return bool(written) and all(name in file.imports for name in re.findall(r"([A-Za-z_]\w*)\.", written))


def importing(file: GoFile, package: Package, path: str) -> list[Edit] | None:
    """Return the edits that import a package of the standard library; None when its name is taken in the file."""
    name = path.rpartition("/")[2]
    if file.imports.get(name) == path:
        return [] if not any(var.name == name for var in file.names.values()) else None
    taken = name in file.imports or name in package.globals or ("", name) in package.funcs or name in package.types
    if taken or path in file.imports.values() or any(var.name == name for var in file.names.values()):
        return None
    declared = [node for node in file.root.named_children if node.type == "import_declaration"]
    if not declared:
        clause = next((node for node in file.root.named_children if node.type == "package_clause"), None)
        return [_behind_line(file, clause, f'\n\nimport "{path}"')] if clause is not None else None
    inner = [child for node in declared for child in node.named_children]
    listed = next((child for child in inner if child.type == "import_spec_list"), None)
    if listed is None:
        if text(declared[0]) == 'import "C"':
            return None
        spec = declared[0].named_children[0]
        both = sorted([f'"{path}"', text(spec)], key=lambda one: one.rpartition(" ")[2])
        return [Edit(spec.start_byte, spec.end_byte, "(\n\t" + "\n\t".join(both) + "\n)")]
    specs = [child for child in listed.named_children if child.type == "import_spec"]
    return _listed(file, specs, path)


def _listed(file: GoFile, specs: list[Node], path: str) -> list[Edit] | None:
    """Return the edit that puts an import in its order among those of the first group."""
    if not specs:
        return None
    group = [specs[0]]
    for spec in specs[1:]:
        if spec.start_point[0] - group[-1].end_point[0] > 1:
            break
        group.append(spec)
    if "." in text(group[0].child_by_field_name("path")).partition("/")[0]:  # no standard library in it
        return [Edit(group[0].start_byte, group[0].start_byte, f'"{path}"\n\n\t')]
    for spec in group:
        if text(spec.child_by_field_name("path")).strip('"`') > path:
            return [Edit(spec.start_byte, spec.start_byte, f'"{path}"\n\t')]
    return [_behind_line(file, group[-1], f'\n\t"{path}"')]


def _behind_line(file: GoFile, node: Node, added: str) -> Edit:
    end = file.source.data.find(b"\n", node.end_byte)
    end = len(file.source.data) if end < 0 else end - (file.source.data[end - 1 : end] == b"\r")
    return Edit(end, end, added)
