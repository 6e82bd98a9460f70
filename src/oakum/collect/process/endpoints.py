"""Listening sockets of a process -> endpoints to probe, those where pprof is likely first; http or https is found out.

A certificate is not checked here: the socket is known to be the process's own by its inode. Who knocks brings no
credentials: they are shown only where HTTP is spoken.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from oakum.collect.process.proc import Proc
from oakum.collect.web import Access, HttpEndpoint
from oakum.model import Problem, Socket, Text, Unreachable

SECONDS = 2.0  # a server on the same machine answers at once, or speaks no HTTP
_MOST = 64 << 10
_PATH = "/debug/pprof/"
# Go's answer to http on a port of https: "Client sent an HTTP request to an HTTPS server."
_WANTS_TLS = b"HTTPS server"
# 401, authentication required      it requires a client certificate
_REFUSED = ("web.401", "web.403", "web.or-certificate", "web.tls.required", "web.tls.handshake")
_USUAL = (":6060", ":6061", "debug", "pprof", "diag", "metrics")
_MOST_ENDPOINTS = 16  # of one process


def answering(listening: Sequence[Socket], proc: Proc, access: Access, seconds: float = SECONDS) -> list[HttpEndpoint]:
    """Return the endpoints at which HTTP is spoken, over TLS where they want that; all are probed at once."""
    known = endpoints(listening, proc)
    if not known:
        return []
    # Threads begin in the network namespace of the one that starts them.
    with ThreadPoolExecutor(len(known), "probe") as pool:
        return [
            endpoint
            for endpoint in pool.map(lambda endpoint: _answered(endpoint, access, seconds), known)
            if endpoint is not None
        ]


def refuses(problem: Problem) -> bool:
    """Tell whether pprof may be there, for whom the server knows."""
    return any(_refused(said) for said in problem.text.args.values())


def _refused(said: object) -> bool:
    return isinstance(said, Text) and (said.key.startswith(_REFUSED) or any(map(_refused, said.args.values())))


def endpoints(listening: Sequence[Socket], proc: Proc) -> list[HttpEndpoint]:
    """Return the endpoints to probe, likely ones first; nothing is sent yet."""
    made = {}
    for row in sorted(listening, key=lambda row: not any(word in row.local for word in _USUAL)):
        endpoint = _unix(row.local, proc) if row.kind == "u_str" else _tcp(row.local)
        if endpoint is not None:
            made[endpoint.address] = endpoint
    return list(made.values())[:_MOST_ENDPOINTS]


def _answered(endpoint: HttpEndpoint, access: Access, seconds: float) -> HttpEndpoint | None:
    try:
        answer = endpoint.get(_PATH, seconds=seconds, most=_MOST)
    except Unreachable:
        endpoint.close()
        return None
    if answer.status != 400 or _WANTS_TLS not in bytes(answer.data[:200]):
        return replace(endpoint, access=access)
    endpoint.close()
    server = endpoint.base.removeprefix("http://")
    shown = endpoint.shown or f"https+insecure://{server}"
    return HttpEndpoint(f"https://{server}", replace(access, insecure=True), socket=endpoint.socket, shown=shown)


def _tcp(local: str) -> HttpEndpoint:
    host, _, port = local.rpartition(":")
    # 0.0.0.0 and [::] take what comes to the loopback address; an IPv6 one takes IPv4 too unless told otherwise.
    host = "127.0.0.1" if host in ("0.0.0.0", "[::]") else host
    return HttpEndpoint(f"http://{host}:{port}")


def _unix(path: str, proc: Proc) -> HttpEndpoint | None:
    if path.startswith("@"):  # in no file system
        return HttpEndpoint("http://localhost", socket="\0" + path[1:], shown=f"unix://{path}:")
    if not path.startswith("/"):
        return None
    # The path is that of the process, which may have another root: a container.
    inside = proc.path / "root" / path.lstrip("/")
    try:
        there = path if Path(path).samefile(inside) else str(inside)
    except OSError:
        there = str(inside) if inside.exists() else path
    return HttpEndpoint("http://localhost", socket=there, shown=f"unix://{there}:")
