"""One function's syntax -> its steps in the flow of control, its operations, and which variable each name means.

Comes in: a declared function. Goes out: the same `Func` filled in, its literals too. Follows every branch, loop,
switch, select, label and jump; a deferred call stands where it is registered. One module: a walk is one thing.
"""

from collections.abc import Callable, Iterable

from tree_sitter import Node

from oakum.explain.code.nouns import Func, Op, Step, Var
from oakum.explain.code.syntax import arguments, line, operator, parts, text

# Calls that do not come back: those that unwind the goroutine, and those that end the process.
_UNWINDS = frozenset(
    "panic log.Panic log.Panicf log.Panicln runtime.Goexit t.Fatal t.Fatalf t.FailNow t.Skip t.Skipf t.SkipNow "
    "b.Fatal b.Fatalf ginkgo.Fail ginkgo.Skip framework.Fail framework.Failf".split()
)
_ENDS = frozenset(
    "os.Exit log.Fatal log.Fatalf log.Fatalln klog.Fatal klog.Fatalf glog.Fatal glog.Fatalf logrus.Fatal "
    "logrus.Fatalf".split()
)
_BUILTIN = frozenset("close delete append make new copy panic len cap min max clear recover print println".split())
_DEEPEST = 300  # nested deeper, source was made to hurt

Edges = list[tuple[Step, str]]


class TooDeep(Exception):
    """The source is nested deeper than people write."""


class _Target:
    """Where break and continue of one loop, switch or select lead."""

    def __init__(self, label: str, loop: bool, again: Step | None) -> None:
        self.label, self.loop, self.again = label, loop, again
        self.breaks: Edges = []
        self.continues: Edges = []


class Lowering:
    """The walk through one function; literals in it get a walk of their own that sees the same variables."""

    def __init__(self, func: Func, scopes: list[dict[str, Var]], depth: int = 0) -> None:
        self.func, self.file = func, func.file
        self.scopes = scopes
        self.open: Edges = []  # what leads to the next step
        self.targets: list[_Target] = []
        self.loops: tuple[Node, ...] = ()
        self.cases: tuple[Step, ...] = ()
        self.labels: dict[str, Step] = {}
        self.gotos: list[tuple[str, Edges]] = []
        self.label = ""
        self.depth = depth

    # Scopes

    def declare(self, node: Node, var: Var) -> None:
        if var.name != "_":
            self.scopes[-1][var.name] = var
        self.file.names[node.start_byte] = var

    def lookup(self, node: Node) -> None:
        name = text(node)
        for scope in reversed(self.scopes):
            if name in scope:
                self.file.names[node.start_byte] = scope[name]
                return

    # Steps

    def step(self, node: Node, kind: str = "plain") -> Step:
        made = Step(kind, node, line(node), self.func, loops=self.loops, cases=self.cases)
        for before, how in self.open:
            before.after.append((made, how))
        self.open = [(made, "")]
        self.func.steps.append(made)
        if self.label:
            self.labels[self.label] = made
            self.label = ""
        return made

    def op(self, kind: str, node: Node, step: Step, target: Node | None = None, values: Iterable[Node] = ()) -> Op:
        made = Op(kind, node, line(node), self.func, step, target, tuple(values))
        step.ops.append(made)
        self.func.ops.append(made)
        return made

    def run(self) -> None:
        func = self.func
        body = func.node.child_by_field_name("body")
        self.scopes.append({})
        for var in (*([func.this] if func.this else []), *func.params, *func.named_results):
            if var.name and var.name != "_":
                self.scopes[-1][var.name] = var
        func.entry = self.step(func.node, "entry")
        if func.node.type == "var_declaration":
            for value in (one for spec in _all_specs(func.node) for one in parts(spec.child_by_field_name("value"))):
                self.expr(value, self.step(value))
        elif body is not None:
            self.block(body)
            if self.open:
                end = self.step(body, "end")
                end.line = body.end_point[0] + 1
        for label, edges in self.gotos:
            for before, how in edges if label in self.labels else ():
                before.after.append((self.labels[label], how))
        self.scopes.pop()

    def block(self, node: Node) -> None:
        self.scopes.append({})
        self.statements(node)
        self.scopes.pop()

    def statements(self, node: Node) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise TooDeep
        for child in node.named_children:
            if child.type == "statement_list":
                self.statements(child)
            else:
                self.statement(child)
        self.depth -= 1

    def statement(self, node: Node) -> None:
        handler = _STATEMENTS.get(node.type)
        if handler is not None:
            handler(self, node)
        elif node.type not in ("comment", "empty_statement", "type_declaration", "const_declaration"):
            self.expr(node, self.step(node))

    # Statements

    def expression_statement(self, node: Node) -> None:
        step = self.step(node)
        inner = node.named_children[0] if node.named_children else node
        self.expr(inner, step)
        name = text(inner.child_by_field_name("function")) if inner.type == "call_expression" else ""
        if name in _UNWINDS or name in _ENDS:
            step.kind = "panic" if name in _UNWINDS else "exit"
            self.open = []

    def send(self, node: Node) -> None:
        self.sending(node, self.step(node))

    def sending(self, node: Node, step: Step) -> Op:
        channel, value = node.child_by_field_name("channel"), node.child_by_field_name("value")
        for part in (channel, value):
            if part is not None:
                self.expr(part, step)
        return self.op("send", node, step, channel, [value] if value is not None else [])

    def short_var(self, node: Node) -> None:
        step = self.step(node)
        self.assigning(node, step, declares=True)

    def assignment(self, node: Node) -> None:
        self.assigning(node, self.step(node), declares=False)

    def assigning(self, node: Node, step: Step, declares: bool) -> None:
        left, right = parts(node.child_by_field_name("left")), parts(node.child_by_field_name("right"))
        for value in right:
            self.expr(value, step)
        for at, name in enumerate(left):
            given: Node | None = right[at] if len(right) == len(left) else right[0] if right else None
            if declares and name.type == "identifier":
                known = self.scopes[-1].get(text(name))
                if known is not None:  # x, err := f() renews err
                    self.file.names[name.start_byte] = known
                else:
                    index = at if len(right) != len(left) else 0
                    var = Var(text(name), "local", self.file, line(name), "", given, index, self.func)
                    self.declare(name, var)
            else:
                self.expr(name, step)
            if given is not None:
                self.op("assign", node, step, name, [given]).index = at if len(right) != len(left) else 0

    def var_declaration(self, node: Node) -> None:
        for spec in _all_specs(node):
            step = self.step(spec)
            values = parts(spec.child_by_field_name("value"))
            kind = text(spec.child_by_field_name("type"))
            for value in values:
                self.expr(value, step)
            names = spec.children_by_field_name("name")
            for at, name in enumerate(names):
                same = len(values) == len(names)
                given: Node | None = values[at] if same else values[0] if values else None
                index = 0 if same else at
                self.declare(name, Var(text(name), "local", self.file, line(name), kind, given, index, self.func))
                if given is not None:
                    self.op("assign", spec, step, name, [given]).index = index

    def starting(self, node: Node) -> None:
        """Go and defer: the arguments are evaluated now, the call is made elsewhere or later."""
        step = self.step(node)
        kind = "go" if node.type == "go_statement" else "defer"
        call = next((child for child in node.named_children if child.type != "comment"), None)
        if call is None:
            return
        if call.type != "call_expression":
            self.expr(call, step)
            return
        before = len(self.func.ops)
        made = self.call(call, step)
        outer = Op(kind, node, line(node), self.func, step, made.target if made else None, made.values if made else ())
        if made is not None:
            made.inside = outer
            outer.callee = made.callee
            if made.callee is not None:
                made.callee.use = outer
        for op in self.func.ops[before:]:  # defer close(ch)
            if op.node.start_byte == call.start_byte and op.node.end_byte == call.end_byte:
                op.inside = outer
        step.ops.append(outer)
        self.func.ops.append(outer)

    def returning(self, node: Node) -> None:
        step = self.step(node, "return")
        values = [value for child in node.named_children if child.type != "comment" for value in parts(child)]
        for value in values:
            self.expr(value, step)
        self.op("return", node, step, None, values)
        self.open = []

    def branching(self, node: Node) -> None:
        self.scopes.append({})
        first = node.child_by_field_name("initializer")
        if first is not None:
            self.statement(first)
        condition = node.child_by_field_name("condition")
        step = self.step(node, "if")
        if condition is not None:
            self.expr(condition, step)
        outer, self.cases = self.cases, (*self.cases, step)
        self.open = [(step, "then")]
        consequence = node.child_by_field_name("consequence")
        if consequence is not None:
            self.block(consequence)
        then, self.open = self.open, [(step, "else")]
        alternative = node.child_by_field_name("alternative")
        if alternative is not None:
            self.depth += 1
            if self.depth > _DEEPEST:
                raise TooDeep
            self.block(alternative) if alternative.type == "block" else self.statement(alternative)
            self.depth -= 1
        self.cases = outer
        self.open = then + self.open
        self.scopes.pop()

    def looping(self, node: Node) -> None:
        label, self.label = self.label, ""
        self.scopes.append({})
        head = next((child for child in node.named_children if child.type not in ("block", "comment")), None)
        body = node.child_by_field_name("body")
        endless = head is None
        update = None
        if head is not None and head.type == "for_clause":
            first = head.child_by_field_name("initializer")
            if first is not None:
                self.statement(first)
            condition, update = head.child_by_field_name("condition"), head.child_by_field_name("update")
            endless = condition is None
            step = self.step(node, "loop")
            if condition is not None:
                self.expr(condition, step)
        else:
            step = self.step(node, "loop")
            if head is not None and head.type == "range_clause":
                self.ranging(head, step)
            elif head is not None:
                self.expr(head, step)
        if label:
            self.labels[label] = step
        target = _Target(label, True, step)
        self.targets.append(target)
        outer, self.loops = self.loops, (*self.loops, node)
        self.open = [(step, "then")]
        if body is not None:
            self.block(body)
        self.open += target.continues
        if update is not None and self.open:
            self.statement(update)
        for before, how in self.open:
            before.after.append((step, how))
        self.loops = outer
        self.targets.pop()
        self.open = ([] if endless else [(step, "else")]) + target.breaks
        self.scopes.pop()

    def ranging(self, head: Node, step: Step) -> None:
        over = head.child_by_field_name("right")
        if over is None:
            return
        self.expr(over, step)
        names = parts(head.child_by_field_name("left"))
        for at, name in enumerate(names):
            if name.type == "identifier" and any(child.type == ":=" for child in head.children):
                var = Var(text(name), "range", self.file, line(name), "", over, at, self.func)
                self.declare(name, var)
            else:
                self.expr(name, step)
        self.op("range", head, step, over, names)

    def switching(self, node: Node) -> None:
        label, self.label = self.label, ""
        self.scopes.append({})
        first = node.child_by_field_name("initializer")
        if first is not None:
            self.statement(first)
        step = self.step(node, "switch")
        value = node.child_by_field_name("value")
        if value is not None:
            self.expr(value, step)
        alias = parts(node.child_by_field_name("alias"))
        target = _Target(label, False, None)
        self.targets.append(target)
        outer = self.cases
        ends: Edges = []
        falls: Edges = []
        default = False
        for case in node.named_children:
            if case.type not in ("expression_case", "type_case", "default_case"):
                continue
            default = default or case.type == "default_case"
            self.scopes.append({})
            self.open = [(step, "case")]
            made = self.step(case, "case")
            made.default = case.type == "default_case"
            for before, how in falls:
                before.after.append((made, how))
            falls = []
            self.cases = (*outer, made)
            kinds = case.children_by_field_name("type")
            for name in alias:
                kind = text(kinds[0]) if len(kinds) == 1 else ""
                self.scopes[-1][text(name)] = Var(text(name), "local", self.file, line(name), kind, value, 0, self.func)
            for given in case.children_by_field_name("value"):
                for one in parts(given):
                    self.expr(one, made)
            for child in case.named_children:
                if child.type == "statement_list":
                    self.statements(child)
            self.scopes.pop()
            if _falls(case):
                falls, self.open = self.open, []
            ends += self.open
        self.cases = outer
        self.targets.pop()
        self.open = ends + falls + target.breaks + ([] if default else [(step, "else")])
        self.scopes.pop()

    def selecting(self, node: Node) -> None:
        label, self.label = self.label, ""
        step = self.step(node, "select")
        target = _Target(label, False, None)
        self.targets.append(target)
        outer = self.cases
        ends: Edges = []
        for case in node.named_children:
            if case.type not in ("communication_case", "default_case"):
                continue
            self.scopes.append({})
            self.open = [(step, "case")]
            made = self.step(case, "case")
            made.default = case.type == "default_case"
            self.cases = (*outer, made)
            communication = case.child_by_field_name("communication")
            if communication is not None:
                self.communicating(communication, made, node)
            for child in case.named_children:
                if child.type == "statement_list":
                    self.statements(child)
            self.scopes.pop()
            ends += self.open
        self.cases = outer
        self.targets.pop()
        self.open = ends + target.breaks

    def communicating(self, node: Node, step: Step, select: Node) -> None:
        before = len(self.func.ops)
        if node.type == "send_statement":
            self.sending(node, step)
        elif node.type == "receive_statement":
            self.assigning(node, step, declares=any(child.type == ":=" for child in node.children))
        else:
            self.expr(node, step)
        for op in self.func.ops[before:]:
            if op.kind in ("send", "receive"):
                op.select = select

    def jumping(self, node: Node) -> None:
        step = self.step(node, "jump")
        edges, self.open = self.open, []
        label = next((text(child) for child in node.named_children if child.type == "label_name"), "")
        if node.type == "goto_statement":
            self.gotos.append((label, edges))
            return
        for target in reversed(self.targets):
            if (label and target.label != label) or (
                not label and node.type == "continue_statement" and not target.loop
            ):
                continue
            (target.breaks if node.type == "break_statement" else target.continues).extend(edges)
            return
        step.kind = "plain"
        self.open = edges

    def fallthrough(self, node: Node) -> None:
        self.step(node, "jump")

    def labelled(self, node: Node) -> None:
        self.label = text(node.child_by_field_name("label"))
        inner = [child for child in node.named_children if child.type not in ("label_name", "comment")]
        for child in inner:
            self.statement(child)
        if self.label:  # a label at the end of a block
            self.step(node)

    # Expressions

    def expr(self, node: Node, step: Step) -> None:
        kind = node.type
        if kind == "identifier":
            self.lookup(node)
        elif kind == "call_expression":
            self.call(node, step)
        elif kind == "type_conversion_expression":
            self.converting(node, step)
        elif kind == "func_literal":
            self.literal(node, step)
        elif kind == "selector_expression":
            operand = node.child_by_field_name("operand")
            if operand is not None:
                self.nested(operand, step)
        elif kind == "unary_expression" and operator(node) == "<-":
            operand = node.child_by_field_name("operand")
            if operand is not None:
                self.nested(operand, step)
            self.op("receive", node, step, operand)
        elif kind == "composite_literal":
            self.composite(node, step)
        else:
            for child in node.named_children:
                self.nested(child, step)

    def nested(self, node: Node, step: Step) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise TooDeep
        self.expr(node, step)
        self.depth -= 1

    def call(self, node: Node, step: Step) -> Op | None:
        function = node.child_by_field_name("function")
        given = arguments(node)
        if function is None:
            return None
        while function.type == "parenthesized_expression" and function.named_children:
            function = function.named_children[0]
        name = text(function) if function.type == "identifier" else ""
        if function.type == "func_literal":
            callee: Func | None = self.literal(function, step)
        else:
            callee = None
            self.nested(function, step)
        before = len(self.func.literals)
        for one in given:
            self.nested(one, step)
        if name in _BUILTIN and function.start_byte not in self.file.names:
            return self.builtin(name, node, given, step)
        made = self.op("call", node, step, function, given)
        made.callee = callee
        if callee is not None:
            callee.use = made
        for literal in self.func.literals[before:]:  # once.Do(func() { ... })
            if any(literal.node.start_byte == one.start_byte for one in given):
                literal.use = made
        return made

    def converting(self, node: Node, step: Step) -> None:
        """A conversion; or a call with type arguments and one argument, which reads the same: New[int](limit)."""
        type_, given = node.child_by_field_name("type"), node.child_by_field_name("operand")
        before = len(self.func.literals)
        if given is not None:
            self.nested(given, step)
        generic = type_ is not None and type_.type == "generic_type" and bool(type_.named_children)
        if generic and type_ is not None and text(type_.named_children[0]) not in self.func.package.types:
            made = self.op("call", node, step, type_, [given] if given is not None else [])
            for literal in self.func.literals[before:]:
                if given is not None and literal.node.start_byte == given.start_byte:
                    literal.use = made

    def builtin(self, name: str, node: Node, given: list[Node], step: Step) -> Op | None:
        if name == "make" and given and given[0].type not in ("channel_type", "type_identifier", "qualified_type"):
            return None  # a slice or a map
        if name in ("close", "delete", "append", "make") and given:
            return self.op(name, node, step, given[0], given[1:])
        return None

    def literal(self, node: Node, step: Step) -> Func:
        func = Func(self.func.package, self.file, node, "", parent=self.func)
        number = len(self.func.literals) + 1
        func.name = f"{self.func.name}.func{number}" if self.func.parent is None else f"{self.func.name}.{number}"
        self.func.literals.append(func)
        self.file.literals[node.start_byte] = func
        signature(func, node)
        Lowering(func, self.scopes, self.depth + 1).run()
        made = self.op("literal", node, step)
        made.callee = func
        return func

    def composite(self, node: Node, step: Step) -> None:
        body = node.child_by_field_name("body")
        self.elements(body, step)
        self.op("composite", node, step, node.child_by_field_name("type"))

    def elements(self, body: Node | None, step: Step) -> None:
        for element in body.named_children if body is not None else ():
            value = element.child_by_field_name("value") if element.type == "keyed_element" else element
            key = element.child_by_field_name("key") if element.type == "keyed_element" else None
            if key is not None and key.named_children and key.named_children[0].type != "identifier":
                self.nested(key.named_children[0], step)
            for inner in value.named_children if value is not None else ():
                if inner.type == "literal_value":
                    self.depth += 1
                    if self.depth > _DEEPEST:
                        raise TooDeep
                    self.elements(inner, step)
                    self.depth -= 1
                else:
                    self.nested(inner, step)


def _all_specs(declaration: Node) -> list[Node]:
    return [spec for child in declaration.named_children for spec in _specs(child)]


def _specs(node: Node) -> list[Node]:
    return [node] if node.type == "var_spec" else [child for child in node.named_children if child.type == "var_spec"]


def _falls(case: Node) -> bool:
    body = next((child for child in reversed(case.named_children) if child.type == "statement_list"), None)
    return body is not None and bool(body.named_children) and body.named_children[-1].type == "fallthrough_statement"


def signature(func: Func, node: Node) -> None:
    """Fill in parameters and results of a function from its declaration or literal."""
    func.params = list(_parameters(func, node.child_by_field_name("parameters"), "param"))
    result = node.child_by_field_name("result")
    if result is None:
        return
    if result.type != "parameter_list":
        func.results = [text(result)]
        return
    named = list(_parameters(func, result, "result"))
    func.results = [var.type for var in named]
    func.named_results = [var for var in named if var.name]


def _parameters(func: Func, node: Node | None, kind: str) -> Iterable[Var]:
    for one in node.named_children if node is not None else ():
        if one.type not in ("parameter_declaration", "variadic_parameter_declaration"):
            continue
        written = text(one.child_by_field_name("type"))
        many = one.type == "variadic_parameter_declaration"
        written = f"[]{written}" if many else written
        names = one.children_by_field_name("name")
        for name in names:
            var = Var(text(name), kind, func.file, line(name), written, None, 0, func, many)
            func.file.names[name.start_byte] = var
            yield var
        if not names:
            yield Var("", kind, func.file, line(one), written, None, 0, func)


def lower(func: Func) -> None:
    """Read a declared function: steps, operations, names. Source nested beyond reason is left unread."""
    try:
        Lowering(func, []).run()
    except TooDeep:
        func.steps, func.ops, func.literals = [], [], []


_STATEMENTS: dict[str, Callable[[Lowering, Node], None]] = {
    "expression_statement": Lowering.expression_statement,
    "send_statement": Lowering.send,
    "short_var_declaration": Lowering.short_var,
    "assignment_statement": Lowering.assignment,
    "var_declaration": Lowering.var_declaration,
    "go_statement": Lowering.starting,
    "defer_statement": Lowering.starting,
    "return_statement": Lowering.returning,
    "if_statement": Lowering.branching,
    "for_statement": Lowering.looping,
    "expression_switch_statement": Lowering.switching,
    "type_switch_statement": Lowering.switching,
    "select_statement": Lowering.selecting,
    "break_statement": Lowering.jumping,
    "continue_statement": Lowering.jumping,
    "goto_statement": Lowering.jumping,
    "fallthrough_statement": Lowering.fallthrough,
    "labeled_statement": Lowering.labelled,
    "block": Lowering.block,
}
