"""Ends of things that somebody else waits at: rows that keep a connection of the pool, the ends of pipes.

Comes in: a scene that waits for a free connection in database/sql, for a command's output, or writes into a pipe. Goes
out: who got the rows or the reading end and left without closing it, or which command has no limit.
"""

from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain.channels import pipes
from oakum.explain.code.calls import at, method, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Op
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import text
from oakum.explain.network import commands
from oakum.explain.network.acquired import Acquisitions, Holders, Lost, Pair, methods_named
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.values import call_of, called
from oakum.model import CauseSite, Text
from oakum.model.vocabulary import CauseRole, Mechanism

_QUERIES = ("Query", "QueryContext")
_QUERIED = ("database/sql.DB", "database/sql.Tx", "database/sql.Conn", "database/sql.Stmt")
_MOST = 3


def _name(op: Op) -> str:
    return called(op.node, op.func, op.file, op.func.package)


def _rows(op: Op) -> int | None:
    owner, _, last = _name(op).rpartition(".")
    return 0 if last in _QUERIES and owner in _QUERIED else None


def _closes(op: Op) -> Node | None:
    return methods_named(op, "Close", "CloseWithError")


def _begun(op: Op) -> int | None:
    owner, _, last = _name(op).rpartition(".")
    return 0 if last in ("Begin", "BeginTx") and owner in ("database/sql.DB", "database/sql.Conn") else None


def _reserved(op: Op) -> int | None:
    return 0 if _name(op) == "database/sql.DB.Conn" else None


def _only_told(op: Op) -> bool:
    return _name(op).startswith(("fmt.", "log.", "errors."))


ROWS = Pair(
    acquires=_rows,
    releases=_closes,
    reads=_only_told,
    part=lambda _, kind: kind == "*sql.Rows",
    drained=lambda op: method(op) in ("Next", "NextResultSet"),
)
TRANSACTION = Pair(
    acquires=_begun,
    releases=lambda op: methods_named(op, "Commit", "Rollback"),
    reads=_only_told,
    part=lambda _, kind: kind == "*sql.Tx",
)
CONNECTION = Pair(
    acquires=_reserved,
    releases=_closes,
    reads=_only_told,
    part=lambda _, kind: kind == "*sql.Conn",
)
_SQL = {"rows": ROWS, "transaction": TRANSACTION, "connection": CONNECTION}


def reason(scene: StackInSource) -> Reason | None:
    """Return who keeps the connections, or left the writer of a pipe alone."""
    names = [frame.function for frame in scene.trace.frames]
    if any(name.startswith("database/sql.(*DB).conn") for name in names[:3]):
        found = [
            (kind, one)
            for package in scene.program.own(b'"database/sql"')
            for kind, pair in _SQL.items()
            for one in _lost(package, pair)
        ]
        return _build_reason(found, scene.suspect.mechanisms[0])
    return commands.reason(scene) or pipes.reason(scene) or _lent(scene)


# What a pool of somebody else lends, and how it is given back.
_LENDS = ("Acquire", "Get", "GetConn", "AcquireConn", "Conn", "Borrow", "BorrowObject", "Checkout", "Take", "Obtain")
_GIVES = ("Release", "Close", "Put", "Return", "ReturnObject", "Free", "Checkin", "Discard", "Destroy", "Hijack")


def _lent(scene: StackInSource) -> Reason | None:
    """Return who was lent something by the pool that is waited for, and left without giving it back."""
    for index, (frame, spot) in enumerate(zip(scene.trace.frames, scene.spots, strict=True)):
        if frame.owner != "own" or not index:
            continue
        call = call_of(spot, scene.trace.frames[index - 1]) if spot is not None else None
        if spot is None or call is None or method(call) not in _LENDS or spot.package.callees(call):
            return None
        lent = Acquisitions(spot.package, _lending(_name(call)))
        if not any(_given_back(lent, op) for op, _ in lent.all()):
            return None  # nobody gives such a thing back: it is not lent
        return _build_reason([("lent", one) for one in lent.lost()], scene.suspect.mechanisms[0])
    return None


def _lending(name: str) -> Pair:
    return Pair(
        acquires=lambda op: 0 if name and _name(op) == name and _is_kept(op) else None,
        releases=lambda op: methods_named(op, *_GIVES) or _handed_in(op),
        reads=_only_told,
        part=lambda *_: False,
    )


def _is_kept(op: Op) -> bool:
    """Tell whether a call returns a thing that is given a name, and not only an error."""
    targets = [one.target for one in op.step.ops if one.kind == "assign" and one.values[0] == op.node and not one.index]
    return any(text(one) != "_" and not text(one).lower().endswith("err") for one in targets)


def _given_back(lent: Acquisitions, op: Op) -> bool:
    holders = Holders(lent, op.func, op, 0)
    gives = [given for one in op.func.everything() if (given := lent.pair.releases(one)) is not None]
    return any(holders.holds(given) for given in gives)


def _handed_in(op: Op) -> Node | None:
    """Return what is given back by a method of the pool: pool.Put(c)."""
    return op.values[0] if op.kind == "call" and method(op) in _GIVES and op.values else None


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield rows that a way through a function leaves open."""
    del flows
    for one in _lost(package, ROWS):
        told = _build_reason([("rows", one)], "exhausted-pool")
        if told is not None:
            yield Reason(told.mechanism, told.texts[1:], told.sites, certain=True)


def _lost(package: Package, pair: Pair) -> Iterator[Lost]:
    if any("database/sql" in file.imports.values() for file in package.files):
        yield from Acquisitions(package, pair).lost()


def _build_reason(found: list[tuple[str, Lost]], mechanism: Mechanism) -> Reason | None:
    if not found or len(found) > _MOST:
        return None
    group = "lent" if found[0][0] == "lent" else "rows"
    texts = [Text(f"cause.{group}.waits")]
    sites: list[CauseSite] = []
    for kind, one in found:
        acquire = one.acquire
        lines = [leave.step.line for leave in one.exits[:_MOST]] or [acquire.line]
        exits = ", ".join(at(one.func, number) for number in lines)
        args = {"place": place(acquire), "call": text(acquire.target), "function": acquire.func.full, "exits": exits}
        texts.append(Text(f"cause.{kind}.left", args))
        sites += [acquire.func.site("acquired", acquire.line)] if one.exits else []
        role: CauseRole = "never-released" if kind == "lent" else "never-closed"
        sites += [one.func.site(role, number) for number in lines]
    texts.append(Text(f"cause.{group}.ends"))
    return Reason(mechanism, tuple(texts), tuple(sites))
