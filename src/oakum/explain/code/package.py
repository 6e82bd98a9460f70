"""The Go files of one package -> its functions, types and variables; what a name means, its type, who calls whom.

Comes in: source texts. Goes out: a `Package` that answers questions about expressions. Nothing is type-checked: what
cannot be told from the package's own text is "" or None, and whoever asks has to abstain. One module: what a name
means, its type and who is called are found through each other.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.linked_names import bare_name
from oakum.explain.code.lower import lower, signature
from oakum.explain.code.nouns import (
    CallRef,
    ElemRef,
    FieldRef,
    ForeignRef,
    Func,
    GoFile,
    Op,
    ResultRef,
    Step,
    Symbol,
    Var,
)
from oakum.explain.code.syntax import bare, line, operator, parse, parts, text
from oakum.model import SourceText

_DEEPEST = 40  # how far a type or a symbol is followed
SYNC_MAP_GIVES = frozenset(("Load", "LoadOrStore", "LoadAndDelete", "Swap"))


class Package:
    """One package as its source tells it."""

    def __init__(self, path: str, sources: Sequence[SourceText]) -> None:
        self.path = path  # import path as the frames print it: "main", "k8s.io/apimachinery/pkg/watch"
        self.clause = ""  # the name in its package clause
        self.files: list[GoFile] = []
        self.funcs: dict[tuple[str, str], Func] = {}  # (receiver, name)
        self.types: dict[str, str] = {}  # name -> as written, struct and interface bodies left out
        self.fields: dict[str, dict[str, str]] = {}  # struct -> field -> type
        self.embedded: dict[str, list[str]] = {}
        self.interfaces: dict[str, dict[str, list[str]]] = {}  # interface -> method -> results
        self.globals: dict[str, Var] = {}
        self._read: set[Func] = set()
        self._types: dict[tuple[int, int, int], str] = {}
        self._methods: dict[str, list[Func]] = {}
        self._callees: dict[Op, list[Func]] = {}
        self._steps: dict[Step, Func] | None = None
        for source in sources:
            self.add(source)

    # Declarations

    def add(self, source: SourceText) -> GoFile:
        """Return a file, read with its declarations as one of the package."""
        root = parse(source.data).root_node
        file = GoFile(source, root, dict(_imports(root)))
        self.files.append(file)
        for node in root.named_children:
            if node.type == "package_clause":
                self.clause = self.clause or text(node.named_children[0]) if node.named_children else ""
            elif node.type in ("function_declaration", "method_declaration"):
                self._add_func(file, node)
            elif node.type == "type_declaration":
                self._add_types(node)
            elif node.type == "var_declaration":
                self._add_globals(file, node)
        return file

    def _add_func(self, file: GoFile, node: Node) -> None:
        func = Func(self, file, node, text(node.child_by_field_name("name")))
        receiver = node.child_by_field_name("receiver")
        if receiver is not None:
            for one in receiver.named_children:
                written = text(one.child_by_field_name("type"))
                name = one.child_by_field_name("name")
                func.receiver, func.pointer = kinds.base(written), written.lstrip("( ").startswith("*")
                func.this = Var(text(name), "receiver", file, line(node), written, None, 0, func)
        signature(func, node)
        # Of files for several systems that declare the same function the first stays: the frame's own comes first.
        any_number = func.name == "init" and not func.receiver
        self.funcs.setdefault((func.receiver, f"init {len(self.funcs)}" if any_number else func.name), func)
        if func.receiver:
            self._methods.setdefault(func.name, []).append(func)

    def _add_types(self, node: Node) -> None:
        for spec in node.named_children:
            if spec.type not in ("type_spec", "type_alias"):
                continue
            name, kind = text(spec.child_by_field_name("name")), spec.child_by_field_name("type")
            if kind is not None:
                self._add_type(name, kind)

    def _add_type(self, name: str, kind: Node) -> None:
        if kind.type == "struct_type":
            self.types[name] = "struct"
            self.fields[name], self.embedded[name] = _struct(kind)
        elif kind.type == "interface_type":
            self.types[name] = "interface"
            self.interfaces[name] = {
                text(one.child_by_field_name("name")): _results(one.child_by_field_name("result"))
                for one in kind.named_children
                if one.type == "method_elem"
            }
        else:
            self.types[name] = text(kind)

    def _add_globals(self, file: GoFile, node: Node) -> None:
        # Their first values are made before main, in what Go calls init: main.init.func1, main.glob..func1.
        self.funcs["", f"var {len(self.funcs)}"] = Func(self, file, node, "init")
        specs = [spec for child in node.named_children for spec in (child, *child.named_children)]
        for spec in specs:
            if spec.type != "var_spec":
                continue
            names, values = spec.children_by_field_name("name"), parts(spec.child_by_field_name("value"))
            for at, name in enumerate(names):
                same = len(names) == len(values)
                value = values[at] if same else values[0] if values else None
                kind = text(spec.child_by_field_name("type"))
                var = Var(text(name), "global", file, line(name), kind, value, 0 if same else at)
                self.globals[var.name] = var
                file.names[name.start_byte] = var

    # Functions

    def read(self, func: Func) -> Func:
        """Return the function with its steps and operations."""
        top = func.top
        if top not in self._read:
            self._read.add(top)
            lower(top)
        return func

    @cached_property
    def all(self) -> list[Func]:
        """Return every function and literal of the package, read."""
        found: list[Func] = []
        for func in self.funcs.values():
            found.extend(within(self.read(func)))
        return found

    def around(self, file: str, number: int) -> list[Func]:
        """Return the functions and literals around a line of a file, the innermost first."""
        tops = [top for top in self.funcs.values() if top.file.source.name == file and top.first <= number <= top.last]
        found = [func for top in tops for func in within(self.read(top)) if func.first <= number <= func.last]
        return found[::-1]

    def holding(self, step: Step) -> Func | None:
        """Return the function that a step belongs to."""
        if self._steps is None:
            self._steps = {one: func for func in self.all for one in func.steps}
        return self._steps.get(step)

    def methods(self, name: str) -> list[Func]:
        """Return the methods of that name, of whichever type."""
        return self._methods.get(name, [])

    def method(self, kind: str, name: str, depth: int = 0) -> Func | None:
        """Return the method of a type, promoted from an embedded one too."""
        kind = kinds.base(kind)
        found = self.funcs.get((kind, name))
        if found is not None or depth > 4:
            return found
        for inner in self.embedded.get(kind, ()):
            if (promoted := self.method(inner, name, depth + 1)) is not None:
                return promoted
        alias = self.types.get(kind, "")
        return self.method(alias, name, depth + 1) if alias in self.types else None

    # Types

    def type_of(self, node: Node | None, func: Func | None, file: GoFile, depth: int = 0) -> str:
        """Return the type of an expression as Go would write it, "" when the package's text does not tell."""
        if node is None or depth > _DEEPEST:
            return ""
        key = (id(file), node.start_byte, node.end_byte)
        if key not in self._types:
            self._types[key] = ""  # a name defined by itself
            self._types[key] = self._infer(node, func, file, depth + 1)
        return self._types[key]

    def _infer(self, node: Node, func: Func | None, file: GoFile, depth: int) -> str:
        kind = node.type
        if kind == "identifier":
            var = self.var(node, file)
            return self.type_of_var(var, depth) if var is not None else ""
        if kind == "selector_expression":
            owner = self.type_of(node.child_by_field_name("operand"), func, file, depth)
            found = self.field(owner, text(node.child_by_field_name("field")))
            return found[1] if found else ""
        if kind == "call_expression" or kind == "type_conversion_expression":
            results = self.results(node, func, file, depth)
            return results[0] if results else ""
        if kind == "composite_literal":
            return text(node.child_by_field_name("type"))
        if kind == "parenthesized_expression" and node.named_children:
            return self.type_of(node.named_children[0], func, file, depth)
        if kind == "unary_expression":
            inner = self.type_of(node.child_by_field_name("operand"), func, file, depth)
            sign = operator(node)
            if sign == "&":
                return f"*{inner}" if inner else ""
            if sign == "*":
                return inner.removeprefix("*")
            return kinds.element(self.resolved(inner)) if sign == "<-" else inner
        if kind in ("index_expression", "slice_expression"):
            inner = self.type_of(node.child_by_field_name("operand"), func, file, depth)
            return kinds.element(self.resolved(inner)) if kind == "index_expression" else inner
        if kind == "type_assertion_expression":
            return text(node.child_by_field_name("type"))
        if kind == "func_literal":
            return text(node).partition("{")[0].strip()
        return ""

    def type_of_var(self, var: Var, depth: int = 0) -> str:
        """Return the type of a variable, inferred from its first value where none is written."""
        if var.type or var.value is None or depth > _DEEPEST:
            return var.type
        if var.kind == "range":
            over = self.resolved(self.type_of(var.value, var.func, var.file, depth))
            if var.index == 0 and not kinds.is_channel(over):
                return over[4:].partition("]")[0] if over.startswith("map[") else "int"
            return kinds.element(over)
        if var.value.type in ("call_expression", "type_conversion_expression"):
            results = self.results(var.value, var.func, var.file, depth)
            return results[var.index] if var.index < len(results) else ""
        if var.index:  # v, ok := m[k]
            return "bool"
        return self.type_of(var.value, var.func, var.file, depth)

    def resolved(self, written: str) -> str:
        """Return a named type's own: `found` -> `chan location`; others as they are."""
        for _ in range(8):
            name = kinds.base(written)
            meant = self.types.get(name, "")
            if not meant or meant in ("struct", "interface"):
                return written
            written = meant
        return written

    def field(self, owner: str, name: str, depth: int = 0) -> tuple[str, str] | None:
        """Return (struct that declares it, type) of a field, looked up through embedded structs."""
        owner = kinds.base(self.resolved(owner)) if owner else ""
        if name in self.fields.get(owner, {}):
            return owner, self.fields[owner][name]
        if depth < 4:
            for inner in self.embedded.get(owner, ()):
                if found := self.field(inner, name, depth + 1):
                    return found
        return None

    def results(self, call: Node, func: Func | None, file: GoFile, depth: int = 0) -> list[str]:
        function = call.child_by_field_name("function") or call.child_by_field_name("type")
        if function is None:
            return []
        name = text(function)
        if name in ("make", "new"):
            given = call.child_by_field_name("arguments")
            first = text(given.named_children[0]) if given is not None and given.named_children else ""
            return [f"*{first}" if name == "new" else first]
        if name == "append":
            given = call.child_by_field_name("arguments")
            return [self.type_of(given.named_children[0], func, file, depth)] if given and given.named_children else []
        if name in self.types:  # a conversion
            return [name]
        found = self.called(function, func, file, depth)
        if found:
            return found[0].results
        if function.type == "selector_expression":
            owner = kinds.base(self.type_of(function.child_by_field_name("operand"), func, file, depth))
            method = text(function.child_by_field_name("field"))
            if method in self.interfaces.get(owner, {}):
                return self.interfaces[owner][method]
        return kinds.results_of(self.type_of(function, func, file, depth))

    # Names

    def var(self, node: Node, file: GoFile) -> Var | None:
        """Return the variable that an identifier names."""
        return file.names.get(node.start_byte) or self.globals.get(text(node))

    def import_of(self, node: Node | None, file: GoFile) -> str | None:
        """Return the import path that an identifier stands for."""
        if node is None or node.type not in ("identifier", "package_identifier"):
            return None
        path = file.imports.get(text(node))
        return path if path is not None and self.var(node, file) is None else None

    def symbol(self, node: Node | None, func: Func | None, file: GoFile, depth: int = 0) -> Symbol | None:
        """Return what an expression denotes: a variable, a field of a type, what a container holds or a call gives."""
        if node is None or depth > _DEEPEST:
            return None
        node = bare(node)
        kind = node.type
        if kind == "identifier":
            return self.var(node, file)
        if kind == "selector_expression":
            operand, name = node.child_by_field_name("operand"), text(node.child_by_field_name("field"))
            if (path := self.import_of(operand, file)) is not None:
                return ForeignRef(path, name)
            owner = self.type_of(operand, func, file, depth)
            found = self.field(owner, name)
            if found:
                return FieldRef(found[0], name)
            inner = self.symbol(operand, func, file, depth + 1)
            return FieldRef(kinds.base(owner), name) if owner else CallRef(inner, name) if inner is not None else None
        if kind in ("index_expression", "slice_expression"):
            inner = self.symbol(node.child_by_field_name("operand"), func, file, depth + 1)
            return inner if kind == "slice_expression" or inner is None else ElemRef(inner)
        if kind == "unary_expression" and operator(node) == "<-":
            inner = self.symbol(node.child_by_field_name("operand"), func, file, depth + 1)
            return ElemRef(inner) if inner is not None else None
        if kind == "type_assertion_expression":
            return self.symbol(node.child_by_field_name("operand"), func, file, depth + 1)
        if kind == "type_conversion_expression":
            return self.symbol(node.child_by_field_name("operand"), func, file, depth + 1)
        if kind == "call_expression":
            return self._symbol_of_call(node, func, file, depth + 1)
        return None

    def _symbol_of_call(self, node: Node, func: Func | None, file: GoFile, depth: int) -> Symbol | None:
        function = node.child_by_field_name("function")
        if function is None:
            return None
        given = node.child_by_field_name("arguments")
        if text(function) in self.types and given is not None and given.named_children:
            return self.symbol(given.named_children[0], func, file, depth)
        if text(function) == "append" and given is not None and given.named_children:
            return self.symbol(given.named_children[0], func, file, depth)
        found = self.called(function, func, file)
        if found:
            return ResultRef(found[0], 0)
        if function.type == "selector_expression":
            operand, name = function.child_by_field_name("operand"), text(function.child_by_field_name("field"))
            if (path := self.import_of(operand, file)) is not None:
                return CallRef(None, f"{path}.{name}")
            inner = self.symbol(operand, func, file, depth)
            if inner is not None and name in SYNC_MAP_GIVES and self.is_sync_map(operand, func, file):
                return ElemRef(inner)
            return CallRef(inner, name)
        return None

    def is_sync_map(self, node: Node | None, func: Func | None, file: GoFile) -> bool:
        """Tell whether an expression is a sync.Map: its methods put, get and delete what it holds."""
        return self.type_of(node, func, file).lstrip("*") == "sync.Map"

    # Calls

    def called(self, function: Node, func: Func | None, file: GoFile, depth: int = 0) -> list[Func]:
        """Return the functions of this package that a call's function expression can mean, the likeliest first."""
        function = bare(function)
        if function.type in ("generic_type", "type_instantiation_expression") and function.named_children:
            function = function.named_children[0]
        if function.type == "func_literal":
            literal = file.literals.get(function.start_byte)
            return [literal] if literal is not None else []
        if function.type in ("identifier", "type_identifier"):
            var = self.var(function, file)
            if var is not None:
                return self._assigned(var)
            found = self.funcs.get(("", text(function)))
            return [found] if found is not None else []
        if function.type != "selector_expression":
            return []
        operand, name = function.child_by_field_name("operand"), text(function.child_by_field_name("field"))
        if self.import_of(operand, file) is not None:
            return []
        owner = kinds.base(self.type_of(operand, func, file, depth))
        if owner:
            method = self.method(owner, name)
            if method is not None:
                return [method]
            if owner in self.interfaces:
                return self.methods(name)
            return []
        only = self.methods(name)
        return only if len(only) == 1 else []

    def _assigned(self, var: Var) -> list[Func]:
        """Return the literals that a variable of function type was given."""
        value = bare(var.value) if var.value is not None else None
        if value is not None and value.type == "func_literal":
            literal = var.file.literals.get(value.start_byte)
            return [literal] if literal is not None else []
        if value is not None and value.type == "selector_expression" and not var.index:
            return self.called(value, var.func, var.file)
        return []

    def callees(self, op: Op) -> list[Func]:
        """Return the functions of this package that a call, go or defer runs."""
        if op.callee is not None:
            return [op.callee]
        if op.target is None or op.kind not in ("call", "go", "defer"):
            return []
        if op not in self._callees:
            self._callees[op] = self.called(op.target, op.func, op.file)
        return self._callees[op]

    @cached_property
    def callers(self) -> dict[Func, list[Op]]:
        """Return, for each function, the calls, go and defer statements that run it."""
        found: dict[Func, list[Op]] = {}
        for func in self.all:
            for op in func.ops:
                if op.kind in ("call", "go", "defer") and not (op.kind == "call" and op.inside is not None):
                    for callee in self.callees(op):
                        found.setdefault(callee, []).append(op)
        return found


def within(func: Func) -> Iterator[Func]:
    """Yield a function and the literals in it."""
    yield func
    for literal in func.literals:
        yield from within(literal)


def _imports(root: Node) -> Iterator[tuple[str, str]]:
    for declaration in root.named_children:
        if declaration.type != "import_declaration":
            continue
        for spec in (one for child in declaration.named_children for one in (child, *child.named_children)):
            if spec.type == "import_spec":
                path = text(spec.child_by_field_name("path")).strip('"`')
                name = text(spec.child_by_field_name("name"))
                yield name or _last(path), path


def _last(path: str) -> str:
    """Return the name that a package most likely has: the last element, versions and prefixes left out."""
    names = path.split("/")
    last = names[-2] if len(names) > 1 and names[-1][:1] == "v" and names[-1][1:].isdigit() else names[-1]
    last = last.partition(".")[0] or last  # yaml.v3, nats.go: a name has no dot
    return last.removeprefix("go-").removesuffix("-go").replace("-", "_") if "-" in last else last


def _struct(node: Node) -> tuple[dict[str, str], list[str]]:
    fields: dict[str, str] = {}
    embedded: list[str] = []
    for child in node.named_children:
        for one in child.named_children if child.type == "field_declaration_list" else ():
            if one.type != "field_declaration":
                continue
            written = text(one.child_by_field_name("type"))
            names = one.children_by_field_name("name")
            for name in names:
                fields[text(name)] = written
            if not names:
                embedded.append(kinds.base(written))
                fields[bare_name(kinds.base(written).rpartition(".")[2])] = written
    return fields, embedded


def _results(node: Node | None) -> list[str]:
    if node is None:
        return []
    if node.type != "parameter_list":
        return [text(node)]
    found: list[str] = []
    for one in node.named_children:
        names: Iterable[Node] = one.children_by_field_name("name")
        found += [text(one.child_by_field_name("type"))] * max(1, len(list(names)))
    return found
