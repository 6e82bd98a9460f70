"""How the program itself makes an object: a type -> the statements of a function that make one, and the way to it.

Comes in: functions that hold such an object in a variable, or behind fields of one; main first. Goes out: their
statements, cut down to what the object needs. Flags become their defaults; addresses become those of a peer in the
test, so that nothing outside of this machine is reached by what is copied.
"""

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.nouns import Func, Var
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import arguments, operator, parts, text
from oakum.explain.reproducers.tree import Named, Tree, imports

_DEEPEST = 3  # fields from a variable to an object
_MOST_STATEMENTS = 40
# http://127.0.0.1:8090   db.internal:5432   localhost:6379; not 127.0.0.1:0, where somebody listens
_ADDRESS = re.compile(r'^[`"](?:(?P<url>[a-z]{2,10}://[^\s"`]+)|[\w.-]{0,80}:\d{2,5}|localhost)[`"]$')
# Parameters that are addresses by their name.
_CALLED_ADDRESS = re.compile(
    r"(?i)(?:^|_)(?:base|url|uri|addr|address|endpoint|host|server|target|upstream|peer)$|(?:URL|Addr)$"
)
# What runs until the program ends.
_SERVES = re.compile(r"^(?:Run|Serve|ServeTLS|Listen|ListenAndServe\w*|Main|Wait|Loop|Execute|Fatal\w*|Exit|Parse)$")
_FLAG = re.compile(r"^(?:String|Int|Int64|Uint|Uint64|Bool|Duration|Float64)$")
PEER_URL, PEER_ADDRESS = "peerURL", "peerAddress"


def is_address(name: str) -> bool:
    """Tell whether a parameter of this name is an address."""
    return bool(_CALLED_ADDRESS.search(name))


class Wiring:
    """One function that makes objects, and those of its statements that a test needs."""

    def __init__(self, tree: Tree, func: Func) -> None:
        self.tree, self.func, self.package = tree, func, func.package
        self.package.read(func)
        self._needed: dict[Var, None] = {}
        self.imports: dict[str, str] = {}
        self._statements = list(_statements(func.node.child_by_field_name("body")))
        self._locals = [
            var for var in dict.fromkeys(func.file.names.values()) if var.func is func and var.kind == "local"
        ]

    def reach(self, wanted: Named) -> str | None:
        """Return how a variable of the function leads to an object of a type, `api.swaps`; it is needed from now on."""
        for var in self._locals:
            if self._defining(var) is None:
                continue
            if (path := self._path(var.name, self.package, self._type(var), wanted, 0)) is not None:
                self.need(var)
                return path
        return None

    @property
    def needed_parameters(self) -> list[Var]:
        """Return the parameters of the function that the statements use."""
        return [var for var in self._needed if var.kind == "param"]

    def need(self, var: Var) -> None:
        self._needed[var] = None

    def _path(self, path: str, package: Package, written: str, wanted: Named, depth: int) -> str | None:
        named = self.tree.named(package, written)
        if named is None or written.startswith(("[", "map[", "chan", "<-", "func")):
            return None
        if named == wanted:
            return path
        if depth == _DEEPEST:
            return None
        for name, kind in named.package.fields.get(named.name, {}).items():
            if named.package is not self.package and not name[:1].isupper():
                continue
            if (found := self._path(f"{path}.{name}", named.package, kind, wanted, depth + 1)) is not None:
                return found
        return None

    def _type(self, var: Var) -> str:
        """Return the type of a variable; what a function of another package of the tree returns is known, too."""
        if written := self.package.type_of_var(var):
            return written
        call = var.value
        if call is None or call.type != "call_expression":
            return ""
        target = call.child_by_field_name("function")
        if target is None or target.type != "selector_expression":
            return ""
        alias, name = text(target.child_by_field_name("operand")), text(target.child_by_field_name("field"))
        other = self.tree.imported(self.package, alias)
        func = other.funcs.get(("", name)) if other else None
        if func is None or var.index >= len(func.results):
            return ""
        written = func.results[var.index]
        bare = kinds.base(written)
        return written if "." in bare or bare not in func.package.types else written.replace(bare, f"{alias}.{bare}", 1)

    def _defining(self, var: Var) -> Node | None:
        return next((one for one in self._statements if var in self._defined(one)), None)

    def _defined(self, statement: Node) -> list[Var]:
        """Return the variables that a statement of the function makes."""
        if statement.type == "short_var_declaration":
            names = parts(statement.child_by_field_name("left"))
        elif statement.type == "var_declaration":
            specs = [one for child in statement.named_children for one in (child, *child.named_children)]
            names = [name for one in specs if one.type == "var_spec" for name in one.children_by_field_name("name")]
        else:
            return []
        found = (self.func.file.names.get(name.start_byte) for name in names)
        return [var for var in found if var is not None]

    def statements(self, *, background: bool) -> list[str]:
        """Return what makes the objects, in order; with `background`, also what the program runs beside them."""
        chosen: dict[int, list[str]] = {}
        self._choose(chosen)
        for at, statement in enumerate(self._statements):
            if background and at not in chosen and (lines := list(self._beside(statement))):
                chosen[at] = lines
        self._choose(chosen)
        return [line for at in sorted(chosen)[:_MOST_STATEMENTS] for line in chosen[at]]

    def _choose(self, chosen: dict[int, list[str]]) -> None:
        """Add the statements that make what is needed, until they need nothing more."""
        before = -1
        while before != len(self._needed):
            before = len(self._needed)
            for at, statement in reversed(list(enumerate(self._statements))):
                if at not in chosen and self._makes_needed(statement):
                    chosen[at] = list(self._made(statement))

    def _makes_needed(self, statement: Node) -> bool:
        if any(var in self._needed for var in self._defined(statement)):
            return True
        if statement.type == "assignment_statement":
            roots = [self._root(one) for one in parts(statement.child_by_field_name("left"))]
            return bool(roots) and all(root in self._needed for root in roots)
        if statement.type in ("for_statement", "if_statement"):
            inner = statement.child_by_field_name("body") or statement.child_by_field_name("consequence")
            return any(one.type == "assignment_statement" and self._makes_needed(one) for one in _statements(inner))
        call = statement.named_children[0] if statement.type == "expression_statement" else None
        if call is None or call.type != "call_expression":
            return False
        target = call.child_by_field_name("function")
        if (
            target is None
            or target.type != "selector_expression"
            or _SERVES.match(text(target.child_by_field_name("field")))
        ):
            return False
        root = self._root(target)
        return root in self._needed and self.tree.named(self.package, self._type(root)) is not None if root else False

    def _made(self, statement: Node) -> Iterator[str]:
        yield self.copied(statement)
        made = self._defined(statement)
        for var in made:
            self.need(var)
            if var.name == "err":
                yield "if err != nil {\n\tt.Fatal(err)\n}"
            elif var.name != "_":
                yield f"_ = {var.name}"

    def _beside(self, statement: Node) -> Iterator[str]:
        """Yield what a statement has run in the background of objects that are needed."""
        if statement.type == "go_statement" or (statement.type == "for_statement" and _only_starts(statement)):
            if any(var in self._needed for var in self._used(statement)):
                yield self.copied(statement)
            return
        call = statement.named_children[0] if statement.type == "expression_statement" else None
        for given in arguments(call) if call is not None and call.type == "call_expression" else ():
            if self._is_task(given) and any(var in self._needed for var in self._used(given)):
                yield f"go repeated(background, {self.copied(given)})"

    def requests(self) -> list[str]:
        """Return statements that send a few requests to each handler of needed objects, by the route it serves."""
        lines: list[str] = []
        for statement in self._statements:
            call = statement.named_children[0] if statement.type == "expression_statement" else None
            given = arguments(call) if call is not None and call.type == "call_expression" else []
            said = [text(one).strip('"') for one in given if one.type == "interpreted_string_literal"]
            path = next((one for one in said if one.startswith("/")), None)
            verb = next((one for one in said if one in ("GET", "PUT", "POST", "DELETE")), "POST")
            for one in given:
                if path and self._is_handler(one) and all(var in self._needed for var in self._used(one)):
                    target = f'fmt.Sprintf("{path}%d", n)' if path.endswith("/") else f'"{path}"'
                    asked = f'httptest.NewRequest("{verb}", {target}, strings.NewReader("text"))'
                    called = f"go {text(one)}(httptest.NewRecorder(), {asked}.WithContext(background))"
                    lines.append(f"for n := 0; n < 10; n++ {{\n\t{called}\n}}")
        return [*lines, "time.Sleep(200 * time.Millisecond)"] if lines else []

    def _is_handler(self, given: Node) -> bool:
        found = self.package.called(given, self.func, self.func.file) if given.type == "selector_expression" else []
        return bool(found) and [one.type for one in found[0].params] == ["http.ResponseWriter", "*http.Request"]

    def _is_task(self, given: Node) -> bool:
        """Tell whether a value is a function that only takes a context: a framework runs it beside the rest."""
        if given.type == "func_literal":
            literal = self.func.file.literals.get(given.start_byte)
            kinds_of = [param.type for param in literal.params] if literal else None
        else:
            found = self.package.called(given, self.func, self.func.file) if given.type == "selector_expression" else []
            kinds_of = [param.type for param in found[0].params] if found else None
        return kinds_of == ["context.Context"]

    def _used(self, node: Node) -> Iterable[Var]:
        todo = [node]
        while todo:
            one = todo.pop()
            var = self.func.file.names.get(one.start_byte) if one.type == "identifier" else None
            if var is not None and var.func is self.func:
                yield var
            todo += one.named_children

    def _root(self, node: Node) -> Var | None:
        while node.type in ("selector_expression", "index_expression"):
            inner = node.child_by_field_name("operand")
            if inner is None:
                return None
            node = inner
        return self.func.file.names.get(node.start_byte) if node.type == "identifier" else None

    def copied(self, node: Node) -> str:
        """Return the text of a node for the test; what it uses is needed, too."""
        changes: list[tuple[int, int, str]] = []
        self._collect(node, changes)
        data, at, out = self.func.file.source.data, node.start_byte, b""
        for start, end, new in changes:
            out += data[at:start] + new.encode()
            at = end
        return (out + data[at : node.end_byte]).decode("utf-8", "replace")

    def _collect(self, node: Node, changes: list[tuple[int, int, str]]) -> None:
        if (new := self._instead(node)) is not None:
            changes.append((node.start_byte, node.end_byte, new))
            return
        if node.type in ("identifier", "package_identifier"):
            var = self.func.file.names.get(node.start_byte)
            if var is not None and var.func is self.func and var.kind in ("local", "param"):
                self.need(var)
            elif var is None and (path := imports(self.package).get(text(node))) is not None:
                self.imports[text(node)] = path
        for child in node.named_children:
            self._collect(child, changes)

    def _instead(self, node: Node) -> str | None:
        """Return what stands for a flag or an address in a test."""
        if node.type == "unary_expression" and operator(node) == "*":
            operand = node.child_by_field_name("operand")
            return self._default(operand) if operand is not None else None
        return address(text(node)) if node.type.endswith("string_literal") else None

    def _default(self, node: Node) -> str | None:
        var = self.package.var(node, self.func.file) if node.type == "identifier" else None
        call = var.value if var is not None and var.value is not None else None
        target = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
        if call is None or target is None or target.type != "selector_expression":
            return None
        if text(target.child_by_field_name("operand")) != "flag" or not _FLAG.match(
            text(target.child_by_field_name("field"))
        ):
            return None
        given = arguments(call)
        if len(given) < 2:
            return None
        return self.copied(given[1]) if var is not None and var.func is self.func else address(text(given[1]))


def address(literal: str) -> str | None:
    """Return the peer's address for a literal that is one."""
    found = _ADDRESS.match(literal)
    if not found:
        return None
    return PEER_URL if found["url"] else PEER_ADDRESS


def _statements(body: Node | None) -> Iterator[Node]:
    for child in body.named_children if body is not None else ():
        if child.type == "statement_list":
            yield from child.named_children
        elif child.type != "comment":
            yield child


def _only_starts(loop: Node) -> bool:
    """Tell whether a loop only starts goroutines."""
    found = list(_statements(loop.child_by_field_name("body")))
    return bool(found) and all(one.type == "go_statement" for one in found)
