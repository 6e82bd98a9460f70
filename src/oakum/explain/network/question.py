"""What would end this wait on the network? Calls without a deadline, writers to a peer that stopped reading.

Comes in: a scene whose stack waits in net, net/http, gRPC, database/sql. Goes out: the line that should have set a
limit, or None where one is set or the code does not tell.
"""

from tree_sitter import Node

from oakum.explain import fixes
from oakum.explain.code.calls import at, operand, place
from oakum.explain.code.nouns import Op
from oakum.explain.code.program import ResolvedFrame
from oakum.explain.code.syntax import bare, text
from oakum.explain.network import spawns
from oakum.explain.network.deadlines import (
    SETTERS,
    Limit,
    beginnings,
    client,
    connections,
    context,
    deadlines,
    held,
    request,
    sets,
)
from oakum.explain.network.exchanges import asked
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.values import Expr, Origins, call_of, called, expr_at, shown
from oakum.model import CauseSite, Remedy, Text
from oakum.model.vocabulary import Mechanism

_HTTP = ("Do", "Get", "Head", "Post", "PostForm")
_HTTP_WAITS = ("roundTrip", "RoundTrip", "getConn", "dialConn", "writeRequest", "awaitFlowControl")
_QUEUE = "net/http.(*Transport).getConn"
_RPC = ("google.golang.org/grpc", "net/rpc", "database/sql", "os/exec", "storj.io/drpc", "github.com/containerd/ttrpc")
# Calls that wait for an answer and take no context.
_NO_CONTEXT = frozenset(
    f"database/sql.{kind}.{name}"
    for kind in ("DB", "Tx", "Stmt", "Conn")
    for name in ("Query", "QueryRow", "Exec", "Prepare", "Begin", "Ping", "Commit", "Rollback")
) | {"net/rpc.Client.Call"}
_MECHANISMS = ("missing-deadline", "peer-stopped-reading", "unclosed-body", "unbounded-spawn", "detached-wait")


def reason(scene: StackInSource) -> Reason | None:
    """Return why a wait on the network, or for a turn on it, does not end."""
    names = [frame.function for frame in scene.trace.frames]
    if any(name.startswith("net/http.(*persistConn).readLoop") for name in names[:3]):
        return None  # net/http's own goroutine: bodies.py
    origins = Origins(scene)
    if "unbounded-spawn" in scene.suspect.mechanisms or _QUEUE in names:
        found = spawns.reason(scene, origins)
        if found is not None:
            return found
    if not set(scene.suspect.mechanisms) & {*_MECHANISMS, "lock-held-while-waiting"}:
        return None
    if _waits_for_http(names):
        return _http(scene, origins)
    if any(name.startswith(_RPC) for name in names):
        return _rpc(scene, origins)
    if scene.state.startswith("IO wait") or "net.(*netFD)" in "".join(names[:6]):
        writes = any(name.endswith((".Write", ".write", ".Writev")) for name in names[:5])
        return _connection(scene, origins, writes=writes)
    return None


def _waits_for_http(names: list[str]) -> bool:
    return any(
        name.startswith("net/http.(*") and name.rpartition(".")[2] in _HTTP_WAITS and "onn).serve" not in name
        for name in names[:6]
    )


def _caller(scene: StackInSource, first: int) -> tuple[int, ResolvedFrame, Op] | None:
    """Return the frame above an index whose source is not the standard library's, and its call."""
    for index in range(first, len(scene.spots)):
        frame, spot = scene.trace.frames[index], scene.spots[index]
        if frame.owner in ("own", "dependency"):
            call = call_of(spot, scene.trace.frames[index - 1]) if spot is not None and index else None
            return (index, spot, call) if spot is not None and call is not None else None
    return None


def _http(scene: StackInSource, origins: Origins) -> Reason | None:
    frames = scene.trace.frames
    entry = next((n for n, one in enumerate(frames) if one.package == "net/http" and one.name in _HTTP), None)
    if entry is None:
        return None
    while entry + 1 < len(frames) and frames[entry + 1].package == "net/http":
        entry += 1
    found = _caller(scene, entry + 1)
    if found is None or found[0] != entry + 1:
        return None
    index, spot, call = found
    return _http_call(scene, origins, index, spot, call, header=True)


def _http_call(
    scene: StackInSource, origins: Origins, index: int, spot: ResolvedFrame, call: Op, header: bool
) -> Reason | None:
    on = operand(call)
    package = spot.package
    if on is not None and package.import_of(on, spot.func.file) == "net/http":
        of_client = Limit("never")
    elif on is not None:
        of_client = client(origins, expr_at(scene, index, on), header)
    else:
        return None
    asks = Limit("never")
    if text(call.target).endswith(".Do") and call.values:
        asks = request(origins, expr_at(scene, index, call.values[0]))
    if of_client.kind != "never" or asks.kind not in ("never", "cancel"):
        return None
    made = of_client.where
    sites = [made.site("no-deadline")] if made is not None else []
    default = made is None or text(made.node) == "http.DefaultClient"
    texts = [Text("cause.network.http.waits", _args(call))]
    if default:
        texts.append(Text("cause.network.http.default", _args(call)))
    elif made is not None and bare(made.node).type in ("identifier", "selector_expression"):
        texts.append(Text("cause.network.http.zero", {"client": text(made.node)}))
        sites = []
    elif made is not None:
        texts.append(Text("cause.network.http.client", {"place": made.place, "code": shown(made.node)}))
    if asks.kind == "cancel" and asks.where is not None:
        texts.append(Text("cause.network.http.cancel", {"place": asks.where.place}))
    else:
        texts.append(Text("cause.network.http.ends"))
    fix = fixes.client_timeout(call) if default else _limited(made)
    return _with_lock(scene, "missing-deadline", texts, [*sites, spot.func.site("no-deadline", call.line)], fix)


def _limited(made: Expr | None) -> Remedy | None:
    """Return the draft that gives the literal of a client a timeout."""
    node = bare(made.node) if made is not None else None
    if made is None or node is None or node.type != "composite_literal":
        return None
    return fixes.set_timeout_in(node, made.file, made.package)


def _rpc(scene: StackInSource, origins: Origins) -> Reason | None:
    """A call that takes a context: how does that one end?"""
    frames = scene.trace.frames
    own = next((n for n, one in enumerate(frames) if one.owner == "own"), None)
    if own is None:
        return None
    found = _caller(scene, own)
    if found is None:
        return None
    index, spot, call = found
    if called(call.node, call.func, call.file, spot.package) in _NO_CONTEXT:
        texts = [Text("cause.network.rpc.waits", _args(call)), Text("cause.network.rpc.no-context", _args(call))]
        return _with_lock(scene, "missing-deadline", texts, [spot.func.site("no-deadline", call.line)])
    limits = [(value, context(origins, expr_at(scene, index, value))) for value in call.values[:1]]
    if not limits or limits[0][1].kind == "unknown":
        stream = operand(call)  # a stream lives as long as the context that it was opened with
        for one in origins.of(expr_at(scene, index, stream)) if stream is not None else ():
            given = one.node.child_by_field_name("arguments") if one.node.type == "call_expression" else None
            if given is not None and given.named_children:
                limits = [(given.named_children[0], context(origins, one.beside(given.named_children[0])))]
    if not limits:
        return None
    limit = limits[0][1]
    if limit.kind != "never" or limit.where is None:
        return None
    where = limit.where
    texts = [
        Text("cause.network.rpc.waits", _args(call)),
        Text("cause.network.rpc.context", {"place": where.place, "code": shown(where.node)}),
        Text("cause.network.rpc.ends"),
    ]
    sites = [where.site("never-timed-out"), spot.func.site("waits", call.line)]
    return _with_lock(scene, "missing-deadline", texts, sites, fixes.with_timeout(call))


def _connection(scene: StackInSource, origins: Origins, writes: bool) -> Reason | None:
    """A read or write of a connection: who should have set a deadline? HTTP's own ends are told by what they are."""
    found = _caller(scene, 1)
    if found is None:
        return None
    index, spot, call = found
    through = [node for node in (operand(call), *call.values) if node is not None]
    through = [node for node in through if spot.package.import_of(node, spot.func.file) is None]
    ends = [one for node in through for one in connections(origins, expr_at(scene, index, node))]
    ends = list({one.key: one for one in ends}.values())
    names = [frame.function for frame in scene.trace.frames]
    serving = any(name.startswith("net/http.(*response)") for name in names)
    if not writes and any(name.startswith("net/http.(*body)") for name in names) and "net/http.(*conn).serve" in names:
        return _request_body(scene, spot, call)
    if not ends and not serving and not writes:
        body = _response(scene, origins, index, through)
        if body is not None:
            return body
    if _has_deadline(scene, origins, ends, writes):
        return None
    if serving and writes:
        return _answer(scene, origins, index, spot, call, through)
    if not ends or (not writes and not asked(scene, origins, index, call, ends)):
        return None
    return _without_deadline(scene, spot, call, ends, writes)


def _has_deadline(scene: StackInSource, origins: Origins, ends: list[Expr], writes: bool) -> bool:
    """Tell whether the program's own packages set a deadline for this direction on the connection."""
    packages = list({id(one.package): one.package for one in scene.spots if one is not None and _ours(one)}.values())
    both, reading, writing = SETTERS
    return any(sets(origins, op, ends) for op in deadlines(packages, (both, writing if writes else reading)))


def _without_deadline(scene: StackInSource, spot: ResolvedFrame, call: Op, ends: list[Expr], writes: bool) -> Reason:
    kind = "write" if writes else "read"
    texts = [Text(f"cause.network.{kind}.waits", _args(call))]
    sites = [spot.func.site("no-deadline", call.line)]
    texts.append(Text(f"cause.network.{kind}.made", {"place": ends[0].place, "code": shown(ends[0].node)}))
    sites += [one.site("made") for one in ends[:2]]
    texts.append(Text(f"cause.network.{kind}.ends"))
    conn = fixes.connection_in_scope(call)
    fix = fixes.set_deadline(call, conn, "Write" if writes else "Read") if conn is not None else None
    return _with_lock(scene, "peer-stopped-reading" if writes else "missing-deadline", texts, sites, fix)


def _response(scene: StackInSource, origins: Origins, index: int, through: list[Node]) -> Reason | None:
    """The body of an answer is read: the client that asked has to limit it."""
    for node in through:
        for one in beginnings(origins, expr_at(scene, index, node)):
            on = one.node.child_by_field_name("operand") if one.node.type == "selector_expression" else None
            if on is None or not text(one.node).endswith(".Body"):
                continue
            for got in origins.of(one.beside(on)):
                if got.called().rpartition(".")[2] in _HTTP and got.func is not None and got.at is not None:
                    call = next((op for op in got.func.ops if op.kind == "call" and op.node == got.node), None)
                    spot = scene.spots[got.at]
                    if call is not None and spot is not None:
                        return _http_call(scene, origins, got.at, spot, call, header=False)
    return None


def _answer(
    scene: StackInSource, origins: Origins, index: int, spot: ResolvedFrame, call: Op, through: list[Node]
) -> Reason | None:
    """A handler writes its answer to somebody who stopped reading it."""
    if scene.program.own(b"WriteTimeout", b"SetWriteDeadline"):
        return None  # set somewhere: on this server, perhaps
    begin = [
        one for node in through for one in beginnings(origins, expr_at(scene, index, node)) if one.func is not None
    ]
    writer = next((one for one in begin if one.node.type in ("selector_expression", "identifier")), None)
    texts = [Text("cause.network.write.waits", _args(call))]
    sites: list[CauseSite] = []
    if writer is not None and (writer.line != call.line or writer.file is not call.file):
        texts.append(Text("cause.network.write.answer", {"place": writer.place, "code": writer.file.code(writer.line)}))
        sites.append(writer.site("no-deadline"))
    texts.append(Text("cause.network.write.answer-ends"))
    served = _servers(scene)
    fix = fixes.set_timeout(served[0], "WriteTimeout") if len(served) == 1 else None
    return _with_lock(scene, "peer-stopped-reading", texts, [*sites, spot.func.site("no-deadline", call.line)], fix)


def _request_body(scene: StackInSource, spot: ResolvedFrame, call: Op) -> Reason | None:
    """A handler reads the body of a request that its sender does not finish."""
    if scene.program.own(b"ReadTimeout", b"SetReadDeadline"):
        return None  # set somewhere: on this server, perhaps
    served = _servers(scene)
    texts = [Text("cause.network.asked.waits", _args(call)), Text("cause.network.asked.ends")]
    sites = [op.func.site("no-deadline", op.line) for op in served[:1]] if len(served) == 1 else []
    fix = fixes.set_timeout(served[0], "ReadTimeout") if len(served) == 1 else None
    return _with_lock(scene, "missing-deadline", texts, [spot.func.site("no-deadline", call.line), *sites], fix)


def _servers(scene: StackInSource) -> list[Op]:
    """Return the literals of HTTP servers in the program's own code."""
    return [
        op
        for package in scene.program.own(b"http.Server{")
        for func in package.all
        for op in func.ops
        if op.kind == "composite" and text(op.target) == "http.Server"
    ]


def _with_lock(
    scene: StackInSource, mechanism: Mechanism, texts: list[Text], sites: list[CauseSite], fix: Remedy | None = None
) -> Reason:
    """Return the reason, with the lock that is held during the wait: that one makes everybody wait."""
    for index, spot in enumerate(scene.spots):
        if spot is None or not _ours(spot) or not index:
            continue
        call = call_of(spot, scene.trace.frames[index - 1])
        lock = held(spot, call) if call is not None else None
        if call is not None and lock is not None:
            args = {"lock": text(operand(lock)), "place": place(lock), "call": at(spot.func, call.line)}
            texts = [*texts, Text("cause.network.locked", args)]
            extra = [spot.func.site("locked", lock.line), spot.func.site("no-deadline", call.line)]
            known = {(site.frame.file, site.frame.line) for site in sites}
            sites = [extra[0], *sites, *(one for one in extra[1:] if (one.frame.file, one.frame.line) not in known)]
            first = scene.suspect.mechanisms[0]
            mechanism = first if first == "lock-held-while-waiting" else mechanism
            break
    return Reason(mechanism, tuple(texts), tuple(sites), remedies=fixes.drafts(fix))


def _ours(spot: ResolvedFrame) -> bool:
    return spot.frame.owner in ("own", "dependency")


def _args(call: Op) -> dict[str, str | int | float]:
    return {"place": place(call), "call": text(call.target), "function": call.func.full}
