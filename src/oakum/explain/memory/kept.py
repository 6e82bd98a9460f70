"""Where an allocated value is kept: from the line that allocates, along the stack and the names, to what stores it.

Comes in: the scene of a heap suspect, allocation first. Goes out: `Stored`s, the nearest first: puts into maps,
slices and other containers that outlive the call, and what was cut out of the value on the way. One module: the way
of one value, step by step.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace
from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import method, nodes, operand
from oakum.explain.code.nouns import FieldRef, Func, GoFile, Op, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import arguments, bare, line, parts, text
from oakum.explain.memory.uses import Uses
from oakum.explain.reason import StackInSource
from oakum.explain.values import call_of, called
from oakum.explain.workers.owners import kept
from oakum.knowledge.pairs import pairs

_MOST = 1500  # places looked at
_FINALIZES = ("runtime.SetFinalizer", "runtime.AddCleanup")
# They hold one value, or give out again what they hold, and forget the rest.
_TAKEN_OUT = ("sync/atomic.Value", "sync/atomic.Pointer", "sync.Pool")
_LATER = ("time.AfterFunc", "context.AfterFunc")
_BUILTINS = frozenset("string len cap copy delete panic print println min max".split())
# These end by nothing but their cancel function, or with their parent.
_DERIVES = ("WithCancel", "WithCancelCause")
_VISITS = 6  # other packages looked into
_CUTS = frozenset(
    "Cut Fields FieldsFunc Split SplitN SplitAfter SplitAfterN SplitSeq SplitAfterSeq FieldsSeq FieldsFuncSeq "
    "Lines".split()
)
# Of these mostly the whole is left: a piece of it only after a real cut.
_TRIMS = frozenset(
    "CutPrefix CutSuffix Trim TrimSpace TrimLeft TrimRight TrimPrefix TrimSuffix TrimFunc TrimLeftFunc "
    "TrimRightFunc".split()
)
_FINDS = frozenset(
    "FindString FindStringSubmatch FindAllString FindAllStringSubmatch Find FindSubmatch FindAll".split()
)
_STORES = frozenset(
    "Store LoadOrStore Swap PushBack PushFront InsertBefore InsertAfter Set SetDefault SetWithTTL Add Put Push Insert "
    "Enqueue Append SetWithExpire PutIfAbsent ContainsOrAdd".split()
)
# What is read is put into what the last argument points to: json.Unmarshal(data, &item), rows.Scan(&name).
_FILLS = frozenset("Unmarshal UnmarshalRead Decode DecodeElement UnmarshalJSON Scan ReadJSON BindJSON".split())
_WRAPS = ("bytes.NewReader", "bytes.NewBuffer", "strings.NewReader", "bufio.NewReader", "bytes.NewBufferString")
_BUFFERS = ("bytes.Buffer", "strings.Builder")
_SHARES = ("String", "Bytes", "Next", "Text")  # what a buffer's method returns is part of it
# What stands around an expression and is, or holds, the same value.
_SAME = frozenset(
    "parenthesized_expression type_assertion_expression literal_element variadic_argument composite_literal".split()
)
_TEXTS = ("string", "[]byte", "[]rune", "")  # "": what a conversion or somebody else's function gives
_ALLOCATES = ("composite_literal", "call_expression", "type_conversion_expression", "binary_expression", "func_literal")


class Place(Struct, frozen=True):
    """A value on its way: an expression, or whatever has a name."""

    package: Package
    node: Node | None = None
    func: Func | None = None
    file: GoFile | None = None
    symbol: Symbol | None = None
    at: int | None = None  # frame of the stack
    index: int = 0  # which result of a call
    cut: tuple[Func, int] | None = None  # where a piece of it was cut out last
    grew: bool = False  # it is the value of an append

    @property
    def key(self) -> tuple[object, ...]:
        node = self.node.id if self.node is not None else None
        return (id(self.package), node, self.symbol, self.at, self.index, self.cut is not None, self.grew)


class Stored(Struct, frozen=True):
    """A value put where it outlives the call."""

    func: Func
    line: int
    container: Symbol
    written: Node  # the container as written
    how: str  # index | slot | append | key | method
    key: Node | None = None
    cut: tuple[Func, int] | None = None
    at: int | None = None
    method: str = ""

    @property
    def package(self) -> Package:
        return self.func.package


class Tracker:
    """Follows one value forward."""

    def __init__(self, scene: StackInSource) -> None:
        self.scene = scene
        self.funcs = {spot.func for spot in scene.spots if spot is not None}
        self._uses: dict[int, Uses] = {}
        self._visited: set[str] = set()  # other packages that were looked into
        self.reached: dict[Func, None] = {}  # functions on the way of the value
        self.grown: dict[Symbol, Func] = {}  # buffers and slices that the allocation made larger
        self.registered: list[Op] = []  # calls that register a function which refers to the value
        self.derived: list[Op] = []  # calls that derive a context from one which holds the value
        self.finalized: dict[Op, set[int]] = {}  # calls that register a finalizer: which arguments hold the value
        self.later: list[Op] = []  # calls of an AfterFunc, of time or context, whose function refers to the value

    def stored(self) -> list[Stored]:
        """Return where the value that the stack allocates is stored, the nearest first."""
        found: list[Stored] = []
        todo = list(self._begin())
        seen = {place.key for place in todo}
        while todo and len(seen) < _MOST:
            place = todo.pop(0)
            if place.func is not None:
                self.reached[place.func] = None
            for after in self._symbol(place) if place.symbol is not None else self._climb(place):
                if isinstance(after, Stored):
                    if not any((one.func, one.line, one.how) == (after.func, after.line, after.how) for one in found):
                        found.append(after)
                elif after.key not in seen:
                    seen.add(after.key)
                    todo.append(after)
        return found

    def _begin(self) -> Iterator[Place]:
        for at, spot in enumerate(self.scene.spots):
            if spot is None or spot.frame.owner not in ("own", "dependency"):
                continue
            func, file = spot.func, spot.func.file
            if at:  # somebody else's code allocates for this call
                call = call_of(spot, self.scene.trace.frames[at - 1])
                if call is not None:
                    yield Place(spot.package, call.node, func, file, None, at)
                    yield from self._filled(call, spot, at)
                    yield from self._buffers(call, spot, at)
                return
            step = spot.step
            root = step.node if step is not None and step.kind not in ("if", "loop", "switch", "select") else func.node
            for node in nodes(root, *_ALLOCATES):
                called_here = node.type == "call_expression" and node.child_by_field_name("function")
                if called_here and spot.package.called(called_here, func, file):
                    continue  # what that allocates, it allocates itself
                if line(node) == spot.number:
                    grows = node.type == "call_expression" and text(node.child_by_field_name("function")) == "append"
                    yield Place(spot.package, node, func, file, None, at, grew=grows)
            for op in spot.ops:
                if op.kind == "assign" and op.line == spot.number:  # the container itself grows: m[k] = v
                    yield Place(spot.package, op.values[0], func, file, None, at)
                elif op.kind == "call":
                    yield from self._filled(op, spot, at)
                    yield from () if spot.package.callees(op) else self._buffers(op, spot, at)
            return

    def _filled(self, call: Op, spot: ResolvedFrame, at: int) -> Iterator[Place]:
        """Yield the variables that a call fills by their address, the last of them first."""
        given = arguments(call.node) if method(call) in _FILLS else []
        for node in reversed([bare(one) for one in given]):
            target = node.child_by_field_name("operand") if text(node).startswith("&") else node
            symbol = spot.package.symbol(target, spot.func, spot.func.file) if target is not None else None
            if symbol is not None:
                yield Place(spot.package, symbol=symbol, func=spot.func, file=spot.func.file, at=at)
                return

    def _buffers(self, call: Op, spot: ResolvedFrame, at: int) -> Iterator[Place]:
        """Yield the buffers that grew for a call of somebody else's code: `io.Copy(&b, r)`, `b.ReadFrom(r)`."""
        below = self.scene.trace.frames[:at]  # () where the path ends with own code: then any call may have grown it
        if below and not any(frame.package in ("bytes", "strings") for frame in below):
            return
        for given in (operand(call), *arguments(call.node)):
            node = bare(given) if given is not None else None
            if node is not None and node.type == "unary_expression" and text(node).startswith("&"):
                node = node.child_by_field_name("operand")
            kind = spot.package.type_of(node, spot.func, spot.func.file)
            symbol = spot.package.symbol(node, spot.func, spot.func.file) if kinds.base(kind) in _BUFFERS else None
            if symbol is not None and node is not None:
                place = Place(spot.package, symbol=symbol, func=spot.func, file=spot.func.file, at=at)
                self.grown.setdefault(symbol, spot.func)
                yield place
                if isinstance(symbol, FieldRef):
                    yield from self._object(place, node)

    def uses(self, package: Package) -> Uses:
        if id(package) not in self._uses:
            self._uses[id(package)] = Uses(package)
        return self._uses[id(package)]

    def _symbol(self, place: Place) -> Iterator[Place | Stored]:
        for node, func in self.uses(place.package).of.get(place.symbol, ()) if place.symbol is not None else ():
            inner = isinstance(place.symbol, Var) and place.symbol.func is func  # made anew in each run of a literal
            if func.use is not None and func.use.kind == "call" and not inner:
                self._hand(func.use, func.node)
            if func.parent is not None and isinstance(place.symbol, Var) and place.symbol.func in _outer(func):
                # A function literal holds what it refers to: wherever that goes, it goes.
                yield replace(place, symbol=None, node=func.node, func=func.parent, at=None, index=0, grew=False)
            at = place.at if place.at is not None and self._on_stack(func, place.at) else None
            if at is None and func in self.funcs:
                at = next((n for n, one in enumerate(self.scene.spots) if one is not None and one.func is func), None)
            yield replace(place, symbol=None, node=node, func=func, file=func.file, at=at, index=0, grew=False)

    def _hand(self, call: Op, given: Node) -> None:
        """Note a call that is handed a function which refers to the value."""
        if called(call.node, call.func, call.file, call.func.package) in _FINALIZES:
            self.finalized.setdefault(call, set()).update(n for n, one in enumerate(call.values) if one == given)
        noted = self.later if text(call.target) in _LATER else self.registered if _registers(call) else None
        if noted is not None and call not in noted:
            noted.append(call)

    def _on_stack(self, func: Func, at: int) -> bool:
        spot = self.scene.spots[at]
        return spot is not None and spot.func is func

    # One expression upwards

    def _climb(self, place: Place) -> Iterator[Place | Stored]:
        node, func = place.node, place.func
        parent = node.parent if node is not None else None
        if node is None or func is None or parent is None:
            return
        kind = parent.type
        up = replace(place, node=parent, index=0)
        if kind in _SAME or (kind == "unary_expression" and not text(parent).startswith("<-")):
            yield up
        elif kind == "literal_value":
            yield replace(up, grew=False)
        elif kind == "keyed_element":
            if parent.child_by_field_name("value") == node:
                yield from self._field(place, parent)
                yield up
        elif kind == "slice_expression" and parent.child_by_field_name("operand") == node:
            of = place.package.resolved(place.package.type_of(node, func, func.file))
            yield replace(up, cut=(func, line(parent)) if of in _TEXTS else place.cut)
        elif kind == "index_expression":
            yield from self._indexed(place, parent)
        elif kind == "selector_expression" and parent.child_by_field_name("operand") == node:
            yield from self._selected(place, parent)
        elif kind == "argument_list":
            yield from self._argument(place, parent)
        elif kind == "type_conversion_expression":
            if text(parent.child_by_field_name("type")) not in ("string", "[]byte", "[]rune"):
                yield up
        elif kind == "expression_list":
            yield from self._listed(place, parent)
        elif kind == "range_clause" and parent.child_by_field_name("right") == node:
            names = parts(parent.child_by_field_name("left"))
            if names and (len(names) > 1 or self._iterates(place)):
                yield from self._assign(place, names[-1])
        elif kind == "receive_statement":  # case v := <-ch:
            for name in parts(parent.child_by_field_name("left"))[:1]:
                yield from self._assign(place, name)
        elif kind == "send_statement" and parent.child_by_field_name("value") == node:
            yield from self._sent(place, parent)

    def _iterates(self, place: Place) -> bool:
        """Tell whether what is ranged over gives its values one by one, and no index: strings.Lines(s), an iter.Seq."""
        node, func = place.node, place.func
        assert node is not None
        assert func is not None
        written = place.package.resolved(place.package.type_of(node, func, func.file))
        if written:
            return kinds.is_channel(written) or written.startswith("iter.Seq[")
        name = called(bare(node), func, func.file, place.package)
        return name.partition(".")[0] in ("strings", "bytes") and name.endswith(("Seq", ".Lines"))

    def _field(self, place: Place, element: Node) -> Iterator[Place]:
        composite = element.parent.parent if element.parent is not None else None
        if composite is not None and composite.type == "composite_literal":
            kind = kinds.base(text(composite.child_by_field_name("type")))
            name = text(element.child_by_field_name("key"))
            if name in place.package.fields.get(kind, {}):
                yield replace(place, node=None, symbol=FieldRef(kind, name), at=None, grew=False)

    def _indexed(self, place: Place, parent: Node) -> Iterator[Place | Stored]:
        assert place.func is not None
        if parent.child_by_field_name("operand") == place.node:
            kind = place.package.type_of(place.node, place.func, place.func.file)
            if kind not in ("string", "[]byte", "[]rune") and not self._is_target(parent):
                yield replace(place, node=parent, index=0)
        elif self._is_target(parent):
            package, file = place.package, place.func.file
            kind = package.resolved(package.type_of(parent.child_by_field_name("operand"), place.func, file))
            if not kind.lstrip("*").startswith("["):  # a number that says which place of a slice
                yield from self._put(place, parent, "key")

    def _is_target(self, node: Node) -> bool:
        above = node.parent
        statement = above.parent if above is not None and above.type == "expression_list" else None
        return (
            statement is not None
            and statement.type == "assignment_statement"
            and (statement.child_by_field_name("left") == above)
        )

    def _selected(self, place: Place, parent: Node) -> Iterator[Place | Stored]:
        """A method of the value is called: it goes there as the receiver."""
        call = parent.parent if parent.parent is not None and parent.parent.type == "call_expression" else None
        if call is None or place.func is None:
            if place.func is not None and place.package.called(parent, place.func, place.func.file):
                yield replace(place, node=parent, index=0)  # s.close as a value holds s
            return
        for callee in place.package.called(parent, place.func, place.func.file):
            if callee.this is not None and callee.receiver:
                yield replace(place, node=None, symbol=callee.this, at=None, grew=False)
        if text(parent.child_by_field_name("field")) in _SHARES:
            yield replace(place, node=call, index=0)

    def _argument(self, place: Place, given: Node) -> Iterator[Place | Stored]:
        call = given.parent
        node, func = place.node, place.func
        if call is None or node is None or func is None or call.type not in ("call_expression",):
            return
        function = call.child_by_field_name("function")
        name = text(function)
        up = replace(place, node=call, index=0)
        at = next((n for n, one in enumerate(arguments(call)) if one == node), 0)
        if name == "append":
            spread = node.type == "variadic_argument" or text(given).rstrip(" )").endswith("...")
            kind = place.package.type_of(node, func, func.file)
            if at == 0 or not (spread and kind in ("[]byte", "string", "")):
                yield replace(up, grew=at > 0 or place.grew)
            return
        if function is None or name in _BUILTINS:
            return
        if name in place.package.types:
            yield up
            return
        callees = place.package.called(function, func, func.file)
        for callee in callees:
            if callee.params:
                param = callee.params[min(at, len(callee.params) - 1)]
                yield replace(place, node=None, symbol=param, at=None, grew=False)
        if callees:
            return
        yield from self._foreign(place, call, function, at)

    def _elsewhere(self, place: Place, name: str, at: int) -> Iterator[Place]:
        """It goes to a function of another package of the user's, or of a module."""
        whole, _, last = name.rpartition(".")
        path, _, kind = whole.rpartition(".")
        beside = next((one.frame for one in self.scene.spots if one is not None and one.package is place.package), None)
        for owner, there in ((kind, path), ("", whole)):
            known = there in self._visited or len(self._visited) < _VISITS
            if beside is not None and "." in there.split("/")[0] and known:
                self._visited.add(there)
                package = self.scene.program.imported(there, beside)
                callee = package.funcs.get((owner, last)) if package is not None else None
                if package is not None and callee is not None and callee.params:
                    yield Place(package, symbol=callee.params[min(at, len(callee.params) - 1)], cut=place.cut)

    def _of_made(self, function: Node, place: Place) -> str:
        """Return the full name of a method of what a function of another package made: `win := window.New()`."""
        assert place.func is not None
        on, last = function.child_by_field_name("operand"), text(function.child_by_field_name("field"))
        var = place.package.var(on, place.func.file) if on is not None and on.type == "identifier" else None
        made = bare(var.value) if var is not None and var.value is not None else None
        beside = next((one.frame for one in self.scene.spots if one is not None and one.package is place.package), None)
        if made is None or made.type != "call_expression" or beside is None:
            return f".{last}"
        path, _, maker = called(made, place.func, place.func.file, place.package).rpartition(".")
        package = self.scene.program.imported(path, beside) if "." in path.split("/")[0] else None
        func = package.funcs.get(("", maker)) if package is not None else None
        kind = kinds.base(func.results[0]) if func is not None and func.results else ""
        return f"{path}.{kind}.{last}" if kind else f".{last}"

    def _foreign(self, place: Place, call: Node, function: Node, at: int) -> Iterator[Place | Stored]:
        assert place.func is not None
        name = called(call, place.func, place.func.file, place.package)
        name = self._of_made(function, place) if name.startswith(".") else name
        package, _, last = name.rpartition(".")
        own = next((op for op in place.func.ops if op.kind == "call" and op.node == call), None)
        if own is not None and place.node is not None and place.node.type == "selector_expression":
            self._hand(own, place.node)  # bus.Subscribe(topic, t.reprice)
        if own is not None and name in _FINALIZES:
            self.finalized.setdefault(own, set()).add(at)
        inside = list(self._elsewhere(place, name, at))
        yield from inside
        if any(_is_own(one) for one in inside):
            return  # the code that is called says where it goes, and what takes it out
        if package in ("strings", "bytes") and last in _CUTS | _TRIMS and at == 0:
            cut = (place.func, line(call)) if last in _CUTS or place.cut is not None else None
            for index in (0, 1) if last == "Cut" else (0,):
                yield replace(place, node=call, index=index, cut=cut)
        elif (
            last in _FINDS
            and at == 0
            and not place.package.import_of(function.child_by_field_name("operand"), place.func.file)
        ):
            yield replace(place, node=call, index=0, cut=(place.func, line(call)))
        elif name in _WRAPS or (package == "context" and last in ("WithValue", *_DERIVES)):
            if last in _DERIVES:
                self.derived += [op for op in place.func.ops if op.kind == "call" and op.node == call]
            yield replace(place, node=call, index=0)
        elif last in _STORES and package not in _TAKEN_OUT:
            on = function.child_by_field_name("operand")
            container = place.package.symbol(on, place.func, place.func.file)
            if on is not None and container is not None and place.package.import_of(on, place.func.file) is None:
                key = arguments(call)[0] if len(arguments(call)) > 1 else None
                yield Stored(place.func, line(call), container, on, "method", key, place.cut, place.at, last)

    def _listed(self, place: Place, parent: Node) -> Iterator[Place | Stored]:
        statement = parent.parent
        if statement is None or place.node is None or place.func is None:
            return
        position = next((n for n, one in enumerate(parent.named_children) if one == place.node), 0)
        if statement.type == "return_statement":
            alone = len(parent.named_children) == 1
            yield from self._returned(place, position or (place.index if alone else 0))
            return
        if statement.type == "var_spec":
            names = statement.children_by_field_name("name")
            at = position if len(names) == len(parent.named_children) else place.index
            if at < len(names):
                yield from self._assign(place, names[at])
            return
        assigns = statement.type in ("short_var_declaration", "assignment_statement")
        if not assigns or statement.child_by_field_name("right") != parent:
            return
        sign = statement.child_by_field_name("operator")
        if sign is not None and text(sign) not in ("=", ":="):
            return
        left = parts(statement.child_by_field_name("left"))
        at = position if len(left) == len(parent.named_children) else place.index
        if at < len(left):
            yield from self._assign(place, left[at])

    def _assign(self, place: Place, target: Node) -> Iterator[Place | Stored]:
        assert place.func is not None
        package, file = place.package, place.func.file
        target = bare(target)
        if target.type == "index_expression":
            kind = package.resolved(package.type_of(target.child_by_field_name("operand"), place.func, file))
            yield from self._put(place, target, "slot" if kind.startswith("[") else "index")
            return
        symbol = package.symbol(target, place.func, file)
        if symbol is None or text(target) == "_":
            return
        held = isinstance(symbol, FieldRef) or (isinstance(symbol, Var) and self._outlives(symbol, place.func))
        if place.grew and isinstance(symbol, FieldRef):
            self.grown.setdefault(symbol, place.func)
        if place.grew and held:
            yield Stored(place.func, line(target), symbol, target, "append", None, place.cut, place.at)
        yield replace(place, node=None, symbol=symbol, at=place.at if isinstance(symbol, Var) else None, grew=False)
        if isinstance(symbol, FieldRef):
            yield from self._object(place, target)

    def _object(self, place: Place, target: Node) -> Iterator[Place]:
        """The object whose field it is holds it from now on: wherever that goes, it goes."""
        assert place.func is not None
        on = target.child_by_field_name("operand")
        while on is not None and bare(on).type in ("selector_expression", "index_expression"):
            on = bare(on).child_by_field_name("operand")
        var = place.package.var(bare(on), place.func.file) if on is not None and bare(on).type == "identifier" else None
        if var is None:
            return
        if var.kind == "local":
            yield replace(place, node=None, symbol=var, cut=place.cut, grew=False)
        # The same object under the names that it came from: what made it, or what it was looked up in.
        before = self.scene.program.flows(place.package).origins(var, self.scene.known)
        names = [one for one in before if isinstance(one, Var) and one.kind in ("local", "param", "receiver")]
        if names == [var] and var.kind == "param":  # nobody is seen to give it: any that is made may be the one
            kind = kinds.base(place.package.type_of_var(var))
            made = (op for func in place.package.all for op in func.ops if op.kind == "composite")
            holders = [kept(op).variable for op in made if kinds.base(text(op.target)) == kind]
            names += [one for one in holders if one is not None]
        for one in names:
            if one is not var:
                yield replace(place, node=None, symbol=one, at=None, grew=False)

    def _put(self, place: Place, target: Node, how: str) -> Iterator[Place | Stored]:
        assert place.func is not None
        on, key = target.child_by_field_name("operand"), target.child_by_field_name("index")
        container = place.package.symbol(on, place.func, place.func.file)
        if on is None or container is None:
            return
        if isinstance(container, Var) and not self._outlives(container, place.func):
            yield replace(place, node=None, symbol=container, grew=False)
            return
        yield Stored(place.func, line(target), container, on, how, key, place.cut, place.at)

    def _outlives(self, var: Var, func: Func) -> bool:
        """Tell whether a variable lives longer than the call that stores in it."""
        return var.kind == "global" or var.func in _outer(func)

    def _returned(self, place: Place, index: int) -> Iterator[Place]:
        func = place.func
        assert func is not None
        if place.at is not None and self._on_stack(func, place.at):
            above = place.at + 1
            spot = self.scene.spots[above] if above < len(self.scene.spots) else None
            call = call_of(spot, self.scene.trace.frames[place.at]) if spot is not None else None
            if spot is not None and call is not None:
                there = replace(place, package=spot.package, func=spot.func, file=spot.func.file, at=above, grew=False)
                yield replace(there, node=call.node, index=index)
            return
        for op in place.package.callers.get(func, ()):
            if op.kind == "call":
                spots = enumerate(self.scene.spots)
                at = next((n for n, one in spots if one is not None and one.func is op.func), None)
                yield replace(place, node=op.node, func=op.func, file=op.file, at=at, index=index, grew=False)
        for op in self._called_elsewhere(func) if func.name[:1].isupper() else ():
            there = replace(place, package=op.func.package, node=op.node, func=op.func, file=op.file, at=None)
            yield replace(there, index=index, grew=False)

    def _called_elsewhere(self, func: Func) -> Iterator[Op]:
        """Yield the calls of an exported function in other packages of the program."""
        name = f"{func.receiver}.{func.name}" if func.receiver else func.name
        here = {file.source.path for file in func.package.files}
        for package in self.scene.program.own(f".{func.name}(".encode()):
            if here & {file.source.path for file in package.files}:
                continue
            for op in (op for one in package.all for op in one.ops if op.kind == "call" and method(op) == func.name):
                if called(op.node, op.func, op.file, package) == f"{func.package.path}.{name}":
                    yield op

    def _sent(self, place: Place, statement: Node) -> Iterator[Place]:
        assert place.func is not None
        channel = place.package.symbol(statement.child_by_field_name("channel"), place.func, place.func.file)
        if channel is None:
            return
        for func in place.package.all:
            for op in func.ops:
                if op.kind == "receive" and place.package.symbol(op.target, func, op.file) == channel:
                    yield replace(place, node=op.node, func=func, file=op.file, at=None, index=0, grew=False)
                elif op.kind == "range" and op.values and place.package.symbol(op.target, func, op.file) == channel:
                    var = place.package.symbol(op.values[0], func, op.file)
                    if var is not None:
                        yield replace(place, node=None, symbol=var, at=None, index=0, grew=False)


def _registers(call: Op) -> bool:
    """Tell whether a function of somebody else registers what it is handed."""
    name = called(call.node, call.func, call.file, call.func.package)
    pair = pairs().match(name) if name else None
    return pair is not None and pair.mechanism == "accumulating-registration"


def _is_own(place: Place) -> bool:
    """Tell whether a parameter is that of a function of the user's own."""
    func = place.symbol.func if isinstance(place.symbol, Var) else None
    return func is not None and func.site("stored", func.first).frame.owner == "own"


def _outer(func: Func) -> list[Func]:
    found = []
    while func.parent is not None:
        func = func.parent
        found.append(func)
    return found
