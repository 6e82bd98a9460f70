"""The nouns of read code: files, functions, variables, steps of control flow, and the operations in them.

Identity is the object: two variables of one name are two `Var`. Built by package.py and lower.py; nothing here looks
anything up.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Union

from msgspec import Struct, field
from tree_sitter import Node

from oakum.explain.code.linked_names import bare_name, written_in
from oakum.explain.code.syntax import last_line, line
from oakum.model import CauseSite, Frame, SourceText
from oakum.model.vocabulary import CauseRole

if TYPE_CHECKING:
    from oakum.explain.code.package import Package


class GoFile(Struct, eq=False):
    """One file: its source, what it imports, and which variable each identifier in it names."""

    source: SourceText
    root: Node
    imports: dict[str, str]  # name in the file -> import path
    names: dict[int, "Var"] = field(default_factory=dict)  # first byte of an identifier -> its variable
    literals: dict[int, "Func"] = field(default_factory=dict)  # first byte of a function literal -> the function
    # Where packages are linked (link.py): the import path of this file's, and how it calls each, "" its own.
    path: str = ""
    prefixes: dict[int, str] = field(default_factory=dict)
    _lines: list[str] | None = None

    def code(self, number: int) -> str:
        """Return a line of the file, stripped."""
        lines = self.lines
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def plain(self, written: str) -> str:
        """Return text of the file as it was written before packages were linked."""
        return written_in(written, self.prefixes) if self.prefixes else written

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = self.plain(self.source.data.decode("utf-8", "replace")).split("\n")
        return self._lines


class Var(Struct, eq=False):
    """A variable: local, parameter, receiver, named result, or of the package."""

    name: str
    kind: str  # local | param | receiver | result | global | range
    file: GoFile
    line: int
    type: str = ""  # as written; "" when it has to be inferred from `value`
    value: Node | None = None  # its first value
    index: int = 0  # which of several results of `value`
    func: "Func | None" = None
    variadic: bool = False

    def __repr__(self) -> str:
        return f"{self.name}@{self.line}"


class FieldRef(NamedTuple):
    """A field of a struct type, of whichever object."""

    type: str
    name: str


class ElemRef(NamedTuple):
    """What a map, slice or channel holds."""

    of: "Symbol"


class ResultRef(NamedTuple):
    """What a function returns at one position."""

    func: "Func"
    position: int


class CallRef(NamedTuple):
    """What a call of somebody else's code returns: `ctx.Done()`, `time.After(d)`."""

    of: "Symbol | None"
    name: str


class ForeignRef(NamedTuple):
    """A name of another package."""

    path: str
    name: str


Symbol = Union["Var", FieldRef, ElemRef, ResultRef, CallRef, ForeignRef]


class Op(Struct, eq=False):
    """One operation: on a channel, a call, a goroutine started, a value stored."""

    kind: str  # send receive range close make | call go defer literal composite | assign delete append return
    node: Node
    line: int
    func: "Func"
    step: "Step"
    target: Node | None = None  # the channel, the function called, the container
    values: tuple[Node, ...] = ()  # what is sent, returned or stored; the arguments of a call
    select: Node | None = None  # the select statement whose case this is
    callee: "Func | None" = None  # a function literal called, started or deferred on the spot
    inside: "Op | None" = None  # the `defer` or `go` that this call belongs to
    index: int = 0  # assign: which of several results the value is

    @property
    def file(self) -> GoFile:
        return self.func.file

    @property
    def code(self) -> str:
        """Return the line that the operation stands on."""
        return self.func.file.code(self.line)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.func.name}:{self.line}>"


class Step(Struct, eq=False):
    """One statement, condition or case in the flow of control."""

    kind: str  # entry plain if loop switch select case return panic exit end jump
    node: Node
    line: int
    func: "Func"
    ops: list[Op] = field(default_factory=list)
    after: list[tuple["Step", str]] = field(default_factory=list)  # (next, "then" | "else" | "case" | "")
    loops: tuple[Node, ...] = ()  # loops around it, outermost first
    cases: tuple["Step", ...] = ()  # ifs and cases around it, outermost first
    default: bool = False  # the default case of a select or switch

    @property
    def leaves(self) -> bool:
        """Tell whether the function is left here; where the process ends (exit), nothing is left behind."""
        return self.kind in ("return", "panic", "end")

    def __repr__(self) -> str:
        return f"<{self.kind} :{self.line}>"


class Func(Struct, eq=False):
    """A function, a method or a function literal, with its steps and operations once it was read."""

    package: "Package"
    file: GoFile
    node: Node
    name: str  # "" of literals until they are numbered: "Quote.func1"
    receiver: str = ""  # the type's name
    pointer: bool = False
    this: Var | None = None
    params: list[Var] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    named_results: list[Var] = field(default_factory=list)
    parent: "Func | None" = None
    literals: list["Func"] = field(default_factory=list)
    use: Op | None = None  # of a literal: the operation that it stands in (go, defer, call with it, assign)
    entry: Step | None = None
    steps: list[Step] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)  # its own, not those of its literals

    @property
    def first(self) -> int:
        return line(self.node)

    @property
    def last(self) -> int:
        return last_line(self.node)

    @property
    def full(self) -> str:
        """Return the name as Go prints it: main.(*Desk).Quote.func1."""
        top = self.top
        receiver = bare_name(top.receiver)
        owner = f"(*{receiver})." if top.pointer else f"{receiver}." if receiver else ""
        return f"{self.file.path or self.package.path}.{owner}{bare_name(self.name)}"

    @property
    def bare(self) -> str:
        """Return its name as its own package declares it; `name` differs where packages are linked."""
        return bare_name(self.name)

    @property
    def top(self) -> "Func":
        """Return the declared function around a literal; itself when it is one."""
        func = self
        while func.parent is not None:
            func = func.parent
        return func

    @property
    def leaves(self) -> list[Step]:
        return [step for step in self.steps if step.leaves]

    def everything(self) -> Iterator[Op]:
        """Yield its operations and those of its literals."""
        yield from self.ops
        for literal in self.literals:
            yield from literal.everything()

    def site(self, role: CauseRole, number: int, process: str = "") -> CauseSite:
        """Return a line of the function as a site of a cause; of the suspect's own process unless told otherwise."""
        return CauseSite(role, Frame(self.full, self.file.source.name, number), self.file.code(number), process)

    def __repr__(self) -> str:
        return f"<func {self.name}:{self.first}>"
