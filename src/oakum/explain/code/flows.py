"""Where values go in a package: from the place that makes a channel or an object to every name that it is known by.

Comes in: a read package. Goes out: `Flows` with edges between symbols, and what is done to each symbol. An edge says
that a value can go there, not when. Only within the package; what leaves it is told as such.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from msgspec import Struct, field
from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.nouns import ElemRef, FieldRef, Func, GoFile, Op, ResultRef, Symbol
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import bare, text

_MOST = 4000  # symbols followed from one place
_KEYED = ("map[*", "map[chan", "map[<-chan")


class Flow(Struct, eq=False):
    """Everything that can be known of one channel or object."""

    symbols: set[Symbol] = field(default_factory=set)
    makes: list[Op] = field(default_factory=list)  # make(chan ...), composite literals
    foreign: list[Op] = field(default_factory=list)  # calls of other packages that it is handed to
    stored: list[Op] = field(default_factory=list)  # where it is put into a field, map or slice
    returned: list[Op] = field(default_factory=list)  # where it is returned to callers


class Flows:
    """The edges of one package."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.out: dict[Symbol, list[tuple[Symbol, Op]]] = {}
        self.into: dict[Symbol, list[tuple[Symbol, Op]]] = {}
        self.made: dict[Symbol, list[Op]] = {}
        self.foreign: dict[Symbol, list[Op]] = {}
        self.used: dict[Symbol, list[Op]] = {}  # channel operations and method calls on a symbol
        self.stores: dict[Symbol, list[Op]] = {}  # assignments to a symbol
        for func in package.all:
            for op in func.ops:
                self._note(op)
        for var in package.globals.values():
            if var.value is not None:
                self._flow(var, var.value, None, var.file, None, var.index)

    # Building

    def _note(self, op: Op) -> None:
        func, file = op.func, op.file
        if op.kind == "assign" and op.target is not None:
            target = self.package.symbol(op.target, func, file)
            if target is not None:
                self.stores.setdefault(target, []).append(op)
                self._flow(target, op.values[0], func, file, op, op.index)
                if op.target.type == "index_expression" and isinstance(target, ElemRef):
                    key = op.target.child_by_field_name("index")
                    if key is not None and self._keyed(op.target.child_by_field_name("operand"), func, file):
                        self._flow(target, key, func, file, op)
        elif op.kind == "composite":
            self._composite(op)
        elif op.kind == "call":
            self._call(op)
        elif op.kind == "return":
            for at, value in enumerate(op.values):
                self._flow(ResultRef(func, at), value, func, file, op)
            if len(op.values) == 1 and len(func.results) > 1:  # return f()
                for at in range(1, len(func.results)):
                    self._flow(ResultRef(func, at), op.values[0], func, file, op, at)
        elif op.kind in ("append", "send") and op.target is not None:
            holder = self.package.symbol(op.target, func, file)
            if holder is not None:
                for value in op.values:
                    self._flow(ElemRef(holder), value, func, file, op)
        elif op.kind == "range" and op.target is not None:
            over = self.package.symbol(op.target, func, file)
            if over is not None:
                self.used.setdefault(over, []).append(op)
                channel = kinds.is_channel(self.package.resolved(self.package.type_of(op.target, func, file)))
                for at, name in enumerate(op.values):
                    var = self.package.symbol(name, func, file)
                    if var is not None and (at == 1 or channel or self._keyed(op.target, func, file)):
                        self._edge(ElemRef(over), var, op)
        if op.kind in ("send", "receive", "close", "delete") and op.target is not None:
            symbol = self.package.symbol(op.target, func, file)
            if symbol is not None:
                self.used.setdefault(symbol, []).append(op)

    def _keyed(self, node: Node | None, func: Func | None, file: GoFile) -> bool:
        """Tell whether a map holds objects or channels as its keys: map[*client]struct{}, a set of them."""
        return self.package.resolved(self.package.type_of(node, func, file)).startswith(_KEYED)

    def _composite(self, op: Op) -> None:
        kind = kinds.base(text(op.target))
        body = op.node.child_by_field_name("body")
        if body is None:
            return
        fields = list(self.package.fields.get(kind, ()))
        for at, element in enumerate(one for one in body.named_children if one.type != "comment"):
            value = element.child_by_field_name("value") if element.type == "keyed_element" else element
            key = element.child_by_field_name("key") if element.type == "keyed_element" else None
            name = text(key) if key is not None else fields[at] if at < len(fields) else ""
            if value is not None and value.named_children and name and kind in self.package.fields:
                owner = self.package.field(kind, name)
                self._flow(FieldRef(owner[0] if owner else kind, name), value.named_children[0], op.func, op.file, op)

    def _call(self, op: Op) -> None:
        if op.target is None:
            return
        callees = self.package.callees(op)
        operand = op.target.child_by_field_name("operand") if op.target.type == "selector_expression" else None
        for callee in callees:
            for at, value in enumerate(op.values):
                param = callee.params[min(at, len(callee.params) - 1)] if callee.params else None
                if param is not None:
                    packed = param.variadic and not _spread(op.node)
                    self._flow(ElemRef(param) if packed else param, value, op.func, op.file, op)
            if operand is not None and callee.this is not None and callee.receiver:
                self._flow(callee.this, operand, op.func, op.file, op)
        for value in op.values:
            self._method_value(value, op)
        if operand is not None and len(op.values) > 1 and self.package.is_sync_map(operand, op.func, op.file):
            held = self.package.symbol(operand, op.func, op.file)
            if held is not None and text(op.target.child_by_field_name("field")) in ("Store", "LoadOrStore", "Swap"):
                self.stores.setdefault(ElemRef(held), []).append(op)
                self._flow(ElemRef(held), op.values[1], op.func, op.file, op)
        elif not callees:
            for value in op.values:
                symbol = self.package.symbol(value, op.func, op.file)
                if symbol is not None:
                    self.foreign.setdefault(symbol, []).append(op)
        if operand is not None:
            symbol = self.package.symbol(operand, op.func, op.file)
            if symbol is not None:
                self.used.setdefault(symbol, []).append(op)

    def _flow(
        self, target: Symbol, value: Node, func: Func | None, file: GoFile, op: Op | None, index: int = 0
    ) -> None:
        value = bare(value)
        made = self._makes.get((id(file), value.start_byte, value.end_byte))
        if made is not None:
            self.made.setdefault(target, []).append(made)
            if made.kind == "make":
                return
        if value.type == "composite_literal":
            if text(value.child_by_field_name("type")).startswith(("[", "map[")):
                self._elements(target, value, func, file, op)
            return
        source = self.package.symbol(value, func, file)
        if isinstance(source, ResultRef) and index:
            source = ResultRef(source.func, index)
        elif index and value.type == "call_expression":
            return
        if source is not None and op is not None:
            self._edge(source, target, op)

    def _method_value(self, value: Node, op: Op) -> None:
        """Note the object of a method that is handed over as a value: wg.Go(s.flush)."""
        operand = value.child_by_field_name("operand") if value.type == "selector_expression" else None
        for method in self.package.called(value, op.func, op.file) if operand is not None else ():
            if operand is not None and method.this is not None:
                self._flow(method.this, operand, op.func, op.file, op)

    def _elements(self, target: Symbol, value: Node, func: Func | None, file: GoFile, op: Op | None) -> None:
        """Note what a slice or a map is written to hold."""
        body = value.child_by_field_name("body")
        for element in body.named_children if body is not None else ():
            held = element.child_by_field_name("value") if element.type == "keyed_element" else element
            if held is not None and held.named_children:
                self._flow(ElemRef(target), held.named_children[0], func, file, op)

    def _edge(self, source: Symbol, target: Symbol, op: Op) -> None:
        if source != target:
            self.out.setdefault(source, []).append((target, op))
            self.into.setdefault(target, []).append((source, op))

    @cached_property
    def _makes(self) -> dict[tuple[int, int, int], Op]:
        """Return the operations that make something, by where they stand."""
        return {
            (id(func.file), op.node.start_byte, op.node.end_byte): op
            for func in self.package.all
            for op in func.ops
            if op.kind in ("make", "composite")
        }

    # Asking

    def origins(self, symbol: Symbol, known: Mapping[Symbol, Symbol] | None = None) -> set[Symbol]:
        """Return every symbol whose value can be in this one; `known` says what a parameter was given this time."""
        seen, todo = {symbol}, [symbol]
        while todo and len(seen) < _MOST:
            one = todo.pop()
            given = (known or {}).get(one)
            before = [given] if given is not None else [source for source, _ in self.into.get(one, ())]
            for source in before:
                if source not in seen:
                    seen.add(source)
                    todo.append(source)
        return seen

    def follow(self, begin: Iterable[Symbol], into: Callable[[Symbol], bool] = lambda _symbol: True) -> Flow:
        """Return where values of these symbols can go: `into` whatever may hold them."""
        flow = Flow(set(begin))
        todo = list(flow.symbols)
        while todo and len(flow.symbols) < _MOST:
            one = todo.pop()
            flow.makes += [op for op in self.made.get(one, ()) if op not in flow.makes]
            flow.foreign += self.foreign.get(one, ())
            for target, op in self.out.get(one, ()):
                if not into(target):
                    continue
                if isinstance(target, (FieldRef, ElemRef)) and op not in flow.stored:
                    flow.stored.append(op)
                if isinstance(target, ResultRef) and op not in flow.returned:
                    flow.returned.append(op)
                if target not in flow.symbols:
                    flow.symbols.add(target)
                    todo.append(target)
        return flow

    def origin(self, symbol: Symbol, known: Mapping[Symbol, Symbol] | None = None) -> Flow:
        """Return everything about the channel or object behind a symbol: from where it is made to wherever it goes."""
        before = self.origins(symbol, known)
        makers = [one for one in before if one in self.made]
        roots = makers or [one for one in before if one not in self.into] or list(before)
        flow = self.follow(roots)
        flow.symbols |= {symbol}
        return flow

    def ops(self, flow: Flow, *kinds_of: str) -> list[Op]:
        """Return what is done to the symbols of a flow, in the order of the source."""
        found = {id(op): op for symbol in flow.symbols for op in self.used.get(symbol, ()) if op.kind in kinds_of}
        return sorted(found.values(), key=lambda op: (op.file.source.name, op.line))


def known_by(package: Package, callee: Func, call: Op) -> dict[Symbol, Symbol]:
    """Return what the parameters of a function are at one call of it."""
    found: dict[Symbol, Symbol] = {}
    for param, value in zip(callee.params, call.values, strict=False):
        symbol = package.symbol(value, call.func, call.file)
        if symbol is not None:
            found[param] = symbol
    target = call.target
    if callee.this is not None and target is not None and target.type == "selector_expression":
        symbol = package.symbol(target.child_by_field_name("operand"), call.func, call.file)
        if symbol is not None:
            found[callee.this] = symbol
    return found


def _spread(call: Node) -> bool:
    given = call.child_by_field_name("arguments")
    return given is not None and any(child.type in ("variadic_argument", "...") for child in given.children)
