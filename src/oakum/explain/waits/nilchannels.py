"""Why is the channel nil? It was declared and never made, left out of a literal, made on one path, passed as nil.

Comes in: an operation on a nil channel (a scene), or a package (scan). Goes out: a Reason with the line that should
have made the channel.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.calls import at, named, nodes, place, root
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import ElemRef, FieldRef, Func, Op, ResultRef, Step, Symbol, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import leaves_without, meeting
from oakum.explain.code.syntax import bare, text
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.waits.drafts import made_at_once
from oakum.model import CauseSite, Remedy, Text
from oakum.model.vocabulary import Mechanism

MECHANISM: Mechanism = "nil-channel"
_BLOCKS = ("send", "receive", "range")
_MOST = 3


class _Lack(NamedTuple):
    """A line that leaves the channel nil."""

    key: str  # how
    func: Func
    line: int
    made: Op | None = None  # where it is made otherwise
    literal: Op | None = None  # the literal that leaves it out


def reason(scene: StackInSource) -> Reason | None:
    """Return which line leaves the channel nil."""
    spot = scene.blocked
    op = spot.op(*_BLOCKS) if spot is not None else None
    if spot is None or op is None or op.target is None:
        return None
    flows = scene.flows(spot)
    symbol = spot.package.symbol(op.target, op.func, op.file)
    if symbol is None:
        return None
    owner = root(op.target, spot.package, op.file)
    literals = flows.origin(owner, scene.known).makes if owner is not None and owner is not symbol else []
    for one in _near_first(flows, symbol, scene):
        lacks = list(_lacks(flows, one, literals))
        if lacks:
            return _build_reason(op, lacks, flows)
    return None


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield bare operations on a field that no line of the package ever makes a channel for."""
    told: set[FieldRef] = set()
    for func in package.all:
        for op in func.ops:
            if op.kind not in _BLOCKS or op.select is not None or op.target is None:
                continue
            symbol = package.symbol(op.target, func, op.file)
            if not isinstance(symbol, FieldRef) or symbol in told or symbol.name[:1].isupper():
                continue
            written = package.fields.get(symbol.type, {}).get(symbol.name, "")
            if not kinds.is_channel(package.resolved(written)) or not _never_set(package, flows, symbol):
                continue
            lacks = list(_lacks(flows, symbol, []))
            if lacks:
                told.add(symbol)
                found = _build_reason(op, lacks, flows)
                yield Reason(found.mechanism, found.texts, found.sites, True, found.remedies)


def _never_set(package: Package, flows: Flows, field: FieldRef) -> bool:
    """Tell whether no text of the package can give the field a value: by name, by position, through its address."""
    if field in flows.stores or field in flows.into or field in flows.made:
        return False
    sign = f"&{field.name}".encode()
    for file in package.files:
        if re.search(rb"\b" + field.name.encode() + rb" [!=]= nil", file.source.data):
            return False  # whoever asks knows that it may be nil
        for node in nodes(file.root, "unary_expression", "assignment_statement", "keyed_element", "range_clause"):
            if node.type == "unary_expression":
                if text(node).endswith(f".{field.name}") and text(node).startswith("&"):
                    return False
            elif node.type == "keyed_element":
                if text(node.child_by_field_name("key")) == field.name:
                    return False
            elif f".{field.name}" in text(node.child_by_field_name("left")):
                return False
        if sign in file.source.data:
            return False
    return all(_keyed(op) for func in package.all for op in func.ops if _literal_of(op, field.type))


def _near_first(flows: Flows, symbol: Symbol, scene: StackInSource) -> list[Symbol]:
    """Return where the value can have come from, the nearest first."""
    seen, todo = [symbol], [symbol]
    while todo and len(seen) < 200:
        one = todo.pop(0)
        given = scene.known.get(one)
        for source in [given] if given is not None else [source for source, _ in flows.into.get(one, ())]:
            if source not in seen:
                seen.append(source)
                todo.append(source)
    return seen


def _lacks(flows: Flows, symbol: Symbol, literals: list[Op]) -> Iterator[_Lack]:
    package = flows.package
    if isinstance(symbol, FieldRef):
        yield from _of_field(flows, symbol, literals)
    elif isinstance(symbol, Var) and symbol.kind in ("local", "global", "result") and symbol.value is None:
        if kinds.is_channel(package.resolved(symbol.type)):
            yield from _of_variable(flows, symbol)
    elif isinstance(symbol, Var) and symbol.func is not None and symbol in symbol.func.params:
        index = symbol.func.params.index(symbol)
        for call in package.callers.get(symbol.func, ()):
            if index < len(call.values) and text(call.values[index]) == "nil":
                yield _Lack("passed", call.func, call.line)
    elif isinstance(symbol, ResultRef):
        for op in symbol.func.ops:
            if op.kind == "return" and symbol.position < len(op.values) and text(op.values[symbol.position]) == "nil":
                yield _Lack("returned", op.func, op.line)
    elif isinstance(symbol, ElemRef):
        for target, op in flows.out.get(symbol, ()):
            if isinstance(target, Var) and _is_map(op, package):
                yield _Lack("missing", op.func, op.line)


def _is_map(op: Op, package: Package) -> bool:
    for value in op.values:
        node = bare(value)
        if node.type == "index_expression":
            over = node.child_by_field_name("operand")
            return package.resolved(package.type_of(over, op.func, op.file)).startswith("map[")
    return False


def _of_field(flows: Flows, field: FieldRef, literals: list[Op]) -> Iterator[_Lack]:
    package = flows.package
    stores = [op for op in flows.stores.get(field, ()) if text(op.values[0]) != "nil"]
    emptied = [op for op in flows.stores.get(field, ()) if text(op.values[0]) == "nil"]
    every = [op for func in package.all for op in func.ops if _literal_of(op, field.type)]
    near = [op for op in literals if op in every] or every
    for literal in near:
        if not _sets(literal, field, package):
            for lack in _behind(literal.step, literal.func, literal.line, stores, package, "unset"):
                yield lack._replace(literal=literal)
    for func, step, number in _zeroes(package, field.type) if not near else ():
        yield from _behind(step, func, number, stores, package, "unset")
    for op in emptied:
        yield _Lack("emptied", op.func, op.line)


def _behind(step: Step, func: Func, number: int, stores: list[Op], package: Package, key: str) -> Iterator[_Lack]:
    """Yield what is lacking behind the line that makes the object: no store of a channel, or one on a branch only."""
    own = [op for op in stores if op.func is func]
    made = own[0] if own else stores[0] if stores else None
    if not own:
        yield _Lack(key, func, number, made)
        return
    leaves = [one for one in leaves_without([step], meeting(package, stores)) if one.step.kind in ("return", "end")]
    if leaves:
        branch = next((case for case in own[0].step.cases if case not in step.cases), None)
        yield _Lack("branch" if branch is not None else key, func, branch.line if branch else number, made)


def _of_variable(flows: Flows, var: Var) -> Iterator[_Lack]:
    stores = [op for op in flows.stores.get(var, ()) if text(op.values[0]) != "nil"]
    func = var.func
    if func is None:
        near = next((one for one in flows.package.all if one.file is var.file), None)
        if near is not None and not stores:
            yield _Lack("declared", near, var.line)
        return
    declared = next((one for one in func.steps if one.line == var.line), func.entry)
    if not stores or declared is None:
        yield _Lack("declared", func, var.line)
    elif stores[0].func is func:
        yield from _behind(declared, func, var.line, stores, flows.package, "declared")
    else:
        yield _Lack("declared", func, var.line, stores[0])


def _literal_of(op: Op, kind: str) -> bool:
    return op.kind == "composite" and kinds.base(text(op.target)) == kind


def _keyed(literal: Op) -> bool:
    body = literal.node.child_by_field_name("body")
    return body is None or all(one.type in ("keyed_element", "comment") for one in body.named_children)


def _sets(literal: Op, field: FieldRef, package: Package) -> bool:
    """Tell whether a composite literal gives the field a value."""
    body = literal.node.child_by_field_name("body")
    elements = [one for one in body.named_children if one.type != "comment"] if body is not None else []
    if not _keyed(literal):
        return list(package.fields.get(field.type, ())).index(field.name) < len(elements)
    for element in elements:
        if text(element.child_by_field_name("key")) == field.name:
            return text(element.child_by_field_name("value")) != "nil"
    return False


def _zeroes(package: Package, kind: str) -> Iterator[tuple[Func, Step, int]]:
    """Yield where an object of a type is made without a literal: `new(T)`, `var x T`."""
    for func in package.all:
        for step in func.steps:
            if step.kind in ("entry", "end", "if", "loop", "switch", "select", "case"):
                continue
            if f"new({kind})" in text(step.node) or _declares(step.node, kind):
                yield func, step, step.line


def _declares(node: Node, kind: str) -> bool:
    return (
        node.type == "var_spec"
        and node.child_by_field_name("value") is None
        and text(node.child_by_field_name("type")) == kind
    )


def _build_reason(op: Op, lacks: list[_Lack], flows: Flows) -> Reason:
    name = text(op.target)
    texts = [Text("cause.waits.nil.send" if op.kind == "send" else "cause.waits.nil.receive",
                 {"wait": place(op), "channel": name})]  # fmt: skip
    sites: list[CauseSite] = []
    for lack in lacks[:_MOST]:
        where = at(lack.func, lack.line)
        if any(site.frame.line == lack.line for site in sites):
            continue
        sites.append(lack.func.site("never-made", lack.line))
        texts.append(Text(f"cause.waits.nil.{lack.key}", {"place": where, "code": lack.func.file.code(lack.line),
                                                         "channel": name, "function": named(lack.func)}))  # fmt: skip
    made = lacks[0].made
    if made is not None:
        texts.append(Text("cause.waits.nil.only", {"place": place(made), "code": made.code}))
        sites.append(made.func.site("made", made.line))
    elif lacks[0].key in ("unset", "declared"):
        texts.append(Text("cause.waits.nil.nowhere", {"channel": name}))
    return Reason(MECHANISM, tuple(texts), tuple(sites), remedies=_drafted(op, lacks[0], flows))


def _drafted(op: Op, lack: _Lack, flows: Flows) -> tuple[Remedy, ...]:
    """Make the channel in the literal, when somebody is there to meet what is done to it."""
    package = op.func.package
    symbol = package.symbol(op.target, op.func, op.file)
    if lack.key != "unset" or lack.made is not None or not isinstance(symbol, FieldRef):
        return ()
    meet = ("receive", "range") if op.kind == "send" else ("send", "close")
    if not any(one.kind in meet for one in flows.used.get(symbol, ())):
        return ()
    return made_at_once(lack.literal, symbol.name, package.fields.get(symbol.type, {}).get(symbol.name, ""))
