"""A type as Go writes it -> expressions of that type for a test, the plainest first. None where none can be written.

In them `n` is the number of the call, `ctx` its context, and peerURL and peerAddress lead to a server in the test.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field
from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.nouns import Func
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import operator, text
from oakum.explain.reproducers.tree import Tree, imports
from oakum.explain.reproducers.wiring import PEER_ADDRESS, PEER_URL, Wiring, is_address

_DEEPEST = 4
_MOST_WORDS = 6
_NUMBER = re.compile(r"^u?int(?:8|16|32|64)?$|^byte$|^rune$|^uintptr$")
# Calls that look for a part of a string.
_LOOKS = re.compile(r"strings\.(?:HasPrefix|HasSuffix|Contains|EqualFold)")
_LATE = "time.Sleep(300 * time.Millisecond)"  # what a fake takes: longer than the shortest context of a call
# What the standard library's interfaces and types are made of, and what that imports.
_KNOWN: dict[str, tuple[str, tuple[str, ...]]] = {
    "context.Context": ("ctx", ("context",)),
    "error": ('errors.New("refused")', ("errors",)),
    "time.Duration": ("100 * time.Millisecond", ("time",)),
    "time.Time": ("time.Now()", ("time",)),
    "http.ResponseWriter": ("httptest.NewRecorder()", ("net/http/httptest",)),
    "http.Handler": (f"http.HandlerFunc(func(http.ResponseWriter, *http.Request) {{ {_LATE} }})", ("net/http", "time")),
    "http.HandlerFunc": (f"func(http.ResponseWriter, *http.Request) {{ {_LATE} }}", ("net/http", "time")),
    "*http.Client": ("&http.Client{}", ("net/http",)),
    "io.Reader": ('strings.NewReader("text")', ("strings",)),
    "io.Writer": ("io.Discard", ("io",)),
    "any": ('"value"', ()),
    "interface{}": ('"value"', ()),
    "float64": ("float64(n)", ()),
    "float32": ("float32(n)", ()),
    "[]byte": ('[]byte("text")', ()),
}
# Names of packages that the writer may use whether or not the code does.
_PATHS = {"http": "net/http", "httptest": "net/http/httptest"}


class Maker(Struct):
    """Makes values in one package: by the program's own wiring where there is some, else by constructors and fakes."""

    tree: Tree
    package: Package
    wiring: Wiring | None = None
    words: Sequence[str] = ()  # string literals that the code compares with, or is called with
    paths: Sequence[str] = ()  # of routes that lead to the function
    imports: dict[str, str] = field(default_factory=dict)
    fakes: dict[str, str] = field(default_factory=dict)  # declarations beside the test
    setup: list[str] = field(default_factory=list)  # statements before the calls

    def values(self, written: str, name: str = "", depth: int = 0) -> list[str]:
        """Return expressions of a type; several where which of them is given may decide what the code does."""
        written = written.strip()
        if depth > _DEEPEST:
            return []
        if written in _KNOWN:
            expression, needs = _KNOWN[written]
            self._import(*needs)
            return [expression]
        if written == "*http.Request":
            return list(self._requests())
        if written == "string":
            return list(self._strings(name))
        if written == "bool":
            return ["false", "true"]
        if _NUMBER.match(written):
            return ["n" if written == "int" else f"{written}(n)", *(["0"] if written.startswith("u") else ["-1"])]
        return self._composed(written, depth)

    def first(self, written: str, name: str = "", depth: int = 0) -> str | None:
        return next(iter(self.values(written, name, depth)), None)

    def _composed(self, written: str, depth: int) -> list[str]:
        """Return values of types that are made of others."""
        if kinds.is_channel(written):
            return [f"make(chan {kinds.element(written)}, 1)"] if self._spelt(written) else []
        if written.startswith("func"):
            return list(self._funcs(written))
        if written.startswith("map["):
            return [f"{written}{{}}"] if self._spelt(written) else []
        if written.startswith("["):
            return self._slices(written, depth)
        named = self.tree.named(self.package, written)
        path = self.wiring.reach(named) if self.wiring and named else None
        return [path] if path else self._named(written, depth)

    def _slices(self, written: str, depth: int) -> list[str]:
        """Return slices of several items, which may come one after the other; one of them is then another."""
        items = self.values(kinds.element(written), "", depth + 1)
        if not items or not self._spelt(written):
            return []
        return [f"{written}{{{', '.join((one, items[0], items[0]))}}}" for one in items]

    def _named(self, written: str, depth: int) -> list[str]:
        """Return values of a type that has a name: by a constructor, as a literal, as a fake."""
        name, pointer = kinds.base(written), written.startswith("*")
        if "." in name:
            if not self._spelt(written):
                return []
            return [f"new({name})" if pointer else f"*new({name})"]  # of whatever kind it is
        meant = self.package.types.get(name, "")
        if meant == "interface":
            return [self._fake(name)] if not pointer else []
        if meant == "struct":
            made = self._constructed(written, depth)
            return [made] if made else self._literals(name, pointer, depth)
        if not meant or pointer:
            return []
        return [f"{name}({one})" for one in self.values(meant, "", depth + 1)]

    def constructed(self, name: str) -> str | None:
        """Return a value of a struct of the package, made by its constructor or as a literal."""
        return next(iter(self._named(f"*{name}", 0)), None)

    def _constructed(self, written: str, depth: int) -> str | None:
        """Return a call of a constructor of a struct."""
        made = [
            func
            for (receiver, called), func in self.package.funcs.items()
            if not receiver and func.results[:1] == [written] and len(func.results) <= 2
            and called.lower().startswith(("new", "open", "start", "make", "create", "dial"))
        ]  # fmt: skip
        for func in sorted(made, key=lambda one: (len(one.params), one.name)):
            given = [self.first(param.type, param.name, depth + 1) for param in func.params if not param.variadic]
            if None in given:
                continue
            call = f"{func.name}({', '.join(one for one in given if one)})"
            if len(func.results) == 1:
                return call
            if func.results[1] == "error":
                made_as = f"made{len(self.setup)}"
                self.setup.append(f"{made_as}, err := {call}\nif err != nil {{\n\tt.Fatal(err)\n}}")
                return made_as
        return None

    def _literals(self, name: str, pointer: bool, depth: int) -> list[str]:
        """Return literals of a struct: fields that code cannot do without are set; a bool is tried both ways."""
        sign, fixed, flags = "&" if pointer else "", [], []
        for label, written in self.package.fields.get(name, {}).items():
            if written == "bool":
                flags.append(label)
            elif written.startswith(("sync.", "atomic.")) or kinds.base(written) == name:
                continue
            elif (value := self.first(written, label, depth + 1)) is not None:
                fixed.append(f"{label}: {value}")
        found = [fixed, *([*fixed, f"{flag}: true"] for flag in flags)]
        return [f"{sign}{name}{{{', '.join(one)}}}" for one in found]

    def _funcs(self, written: str) -> Iterator[str]:
        """Yield functions of a type that are late and return nothing of use; the last of them fails."""
        if not self._spelt(written):
            return
        self._import("time")
        head = written[: _after_parameters(written)]
        results = kinds.results_of(written)
        said = ", ".join(f"r{at} {kind}" for at, kind in enumerate(results))
        yield f"{head} ({said}) {{ {_LATE}; return }}"
        if results and results[-1] == "error":
            self._import("errors")
            yield f'{head} ({said}) {{ r{len(results) - 1} = errors.New("refused"); return }}'

    def _fake(self, name: str) -> str:
        """Return a fake of an interface of the package, declared beside the test."""
        fake = f"fake{name[:1].upper()}{name[1:]}"
        if fake not in self.fakes:
            lines = [f"type {fake} struct{{}}"]
            for node in _methods(self.package, name):
                results = kinds.results_of(f"func() {text(node.child_by_field_name('result'))}")
                said = ", ".join(f"r{at} {kind}" for at, kind in enumerate(results))
                taken = text(node.child_by_field_name("parameters"))
                self._spelt(taken), self._spelt(said)
                called = text(node.child_by_field_name("name"))
                lines.append(f"func ({fake}) {called}{taken} ({said}) {{\n\t{_LATE}\n\treturn\n}}")
            self._import("time")
            self.fakes[fake] = "\n\n".join(lines)
        return f"{fake}{{}}"

    def _strings(self, name: str) -> Iterator[str]:
        if is_address(name):
            yield PEER_URL
            yield PEER_ADDRESS
            return
        self._import("fmt")
        yield 'fmt.Sprintf("k%d", n)'
        yield "fmt.Sprint(n)"
        yield from self.words[:_MOST_WORDS]

    def _requests(self) -> Iterator[str]:
        """Yield requests of the routes that lead to the function, by the methods that it may want."""
        self._import("net/http/httptest", "fmt", "strings")
        for path in self.paths or ("/",):
            tails = [f"{path}%d", *(f"{path}{word.strip(chr(34))}/%d" for word in self.words[:_MOST_WORDS])]
            for tail in tails if path.endswith("/") else [path]:
                target = f'fmt.Sprintf("{tail}", n)' if "%d" in tail else f'"{tail}"'
                for verb in ("GET", "POST"):
                    yield f'httptest.NewRequest("{verb}", {target}, strings.NewReader("text")).WithContext(ctx)'

    def _spelt(self, written: str) -> bool:
        """Tell whether the test can write a type, and import what it is of."""
        for alias in re.findall(r"\b(\w+)\.\w", written):
            path = imports(self.package).get(alias)
            if path is None or path == "C":  # no test may use cgo
                return False
            self.imports[alias] = path
        return True

    def _import(self, *paths: str) -> None:
        for path in paths:
            self.imports[path.rpartition("/")[2]] = path


def words_of(near: Sequence[Func], tree: Tree) -> list[str]:
    """Return string literals that may decide: functions near are called with them, or somebody compares with them."""
    found: dict[str, None] = {}
    for func in near:
        for caller in func.package.callers.get(func, ()):
            found |= dict.fromkeys(text(one) for one in caller.values if one.type == "interpreted_string_literal")
    for func in near:
        found |= dict.fromkeys(_compared(func.node))
    for package in tree.packages:
        for file in package.files:
            found |= dict.fromkeys(_compared(file.root))
    return [word for word in found if re.fullmatch(r'"[^\s"\\%]{1,40}"', word)]


def _compared(root: Node) -> Iterator[str]:
    """Yield the string literals below a node that something is compared with."""
    todo = [root]
    while todo:
        node = todo.pop()
        if (
            node.type == "expression_case"
            or (node.type == "binary_expression" and operator(node) in ("==", "!="))
            or (node.type == "call_expression" and _LOOKS.fullmatch(text(node.child_by_field_name("function"))))
        ):
            for child in (grand for one in node.named_children for grand in (one, *one.named_children)):
                if child.type == "interpreted_string_literal":
                    yield text(child)
        todo += node.named_children


def _after_parameters(written: str) -> int:
    depth = 0
    for at, sign in enumerate(written):
        depth += (sign == "(") - (sign == ")")
        if sign == ")" and depth == 0:
            return at + 1
    return len(written)


def _methods(package: Package, name: str) -> Iterator[Node]:
    """Yield the methods of an interface."""
    for file in package.files:
        for declaration in file.root.named_children:
            for spec in declaration.named_children if declaration.type == "type_declaration" else ():
                kind = spec.child_by_field_name("type") if spec.type == "type_spec" else None
                if (
                    kind is not None
                    and kind.type == "interface_type"
                    and text(spec.child_by_field_name("name")) == name
                ):
                    yield from (one for one in kind.named_children if one.type == "method_elem")
