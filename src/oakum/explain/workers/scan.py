"""What is acquired and, on some way out, never given back: rows, subscriptions, clients, tickers. For `scan`.

Comes in: a package. Goes out: a reason for each call whose result only its own function holds and leaves behind. A
result that is handed to anybody, kept in anything or seen by a literal is their matter: nothing is said of it.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain import fixes
from oakum.explain.code import kinds
from oakum.explain.code.calls import method, nodes, on, operand, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Op, Step, Var
from oakum.explain.code.package import Package
from oakum.explain.code.paths import after_error, leaves_without
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason
from oakum.explain.workers.owners import kept
from oakum.knowledge.pairs import Pair, pairs
from oakum.model import Text

_METHOD = re.compile(r"\([^)]*\)\.([A-Z]\w*)$")  # (*Rows).Close
# Made for one piece of work. Others (clients, broadcasters, subscriptions with a handler) are often meant to stay.
_SCOPED = frozenset(
    "sql-rows sql-statement sql-transaction time-ticker pgx-acquire mongo-cursor leveldb-iterator badger-transaction "
    "bbolt-transaction clientgo-watch".split()
)


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield what a function acquires, holds alone and leaves without giving it back."""
    del flows
    for func in package.all:
        if func.top.name in ("main", "init") or func.top.name.startswith(("Test", "Benchmark", "Example", "Fuzz")):
            continue  # the process ends with them
        for op in func.ops:
            pair = pair_of(package, op) if op.kind == "call" else None
            found = left(package, op, pair) if pair is not None and pair.id in _SCOPED else None
            if found is not None:
                yield found


def pair_of(package: Package, op: Op) -> Pair | None:
    """Return the pair whose acquiring half a call is."""
    name = name_of(package, op)
    return pairs().match(name) if name and "(*Tx)." not in name else None  # what a transaction gives ends with it


def name_of(package: Package, op: Op) -> str:
    """Return the function of another package that a call calls, as Go prints it; "" of others."""
    node = operand(op)
    if node is None:
        return ""
    path = package.import_of(node, op.file)
    return f"{path}.{method(op)}" if path is not None else _of_type(package, op, node)


def _of_type(package: Package, op: Op, node: Node) -> str:
    """Return a method of another package's type as Go prints it: database/sql.(*DB).Query."""
    written = package.type_of(node, op.func, op.file)
    name, _, kind = kinds.base(written).partition(".")
    path = op.file.imports.get(name) if kind else None
    if path is None:
        return ""
    return f"{path}.(*{kind}).{method(op)}" if written.startswith("*") else f"{path}.{kind}.{method(op)}"


def left(package: Package, op: Op, pair: Pair) -> Reason | None:
    """Return that a function which alone holds what a call acquired leaves without giving it back."""
    var = kept(op).variable
    if var is None or var.value != op.node:
        return None
    names = {found[1] for one in pair.release if (found := _METHOD.search(one)) is not None}
    if not names or not _alone(package, op, var, names):
        return None

    def gives_back(step: Step) -> bool:
        return any(one.kind == "call" and method(one) in names and on(one) is var for one in step.ops)

    failed = after_error(op, package)
    leaves = leaves_without([op.step], gives_back, lambda step, how: failed(step, how) or _finished(step, how, var))
    leaves = [leave for leave in leaves if leave.step.kind != "panic"]
    if not leaves:
        return None
    leave = min(leaves, key=lambda one: one.step.line)
    release = f"{var.name}.{sorted(names)[0]}()"
    told = Text(
        "cause.scan.left",
        {
            "function": op.func.full,
            "place": place(op),
            "code": op.code,
            "release": release,
            "exit": f"{place(op).rpartition(':')[0]}:{leave.step.line}",
        },
    )
    why = (Text("cause.scan.ticker"),) if pair.id == "time-ticker" else ()
    sites = (op.func.site("never-released", leave.step.line), op.func.site("acquired", op.line))
    drafted = fixes.drafts(fixes.defer_call(op, release)) if len(names) == 1 else ()
    return Reason(pair.mechanism, (told, *why), sites, certain=True, remedies=drafted)


def _alone(package: Package, op: Op, var: Var, names: set[str]) -> bool:
    """Tell whether nothing but the function's own statements can release it: it is only asked, never given away."""
    body = op.func.node
    for name in nodes(body, "identifier"):
        if package.var(name, op.file) is not var or name.parent is None:
            continue
        parent = name.parent
        if (
            parent.type == "expression_list"
            and parent.parent is not None
            and parent == parent.parent.child_by_field_name("left")
        ):
            continue
        if parent.type == "binary_expression":
            continue
        if (
            parent.type != "selector_expression"
            or parent.child_by_field_name("operand") != name
            or _in_literal(name, body)
        ):
            return False
        called = parent.parent is not None and parent.parent.child_by_field_name("function") == parent
        if text(parent.child_by_field_name("field")) in names and not called:
            return False
        if not called and text(parent.child_by_field_name("field")) != "C" and not _is_received(parent):
            return False
    return True


def _is_received(node: Node) -> bool:
    """Tell whether a channel of what is held is only received from: <-watcher.Events."""
    around = node.parent
    return around is not None and around.type == "unary_expression" and text(around).startswith("<-")


def _in_literal(node: Node, body: Node) -> bool:
    at: Node | None = node
    while at is not None and at != body:
        if at.type == "func_literal":
            return True
        at = at.parent
    return False


def _finished(step: Step, how: str, var: Var) -> bool:
    """Tell whether rows are read to their end, which closes them, or a ticker's channel, which has none."""
    ends = step.kind == "loop" and how == "else"
    return ends and any((method(one) == "Next" and on(one) is var) or one.kind == "range" for one in step.ops)
