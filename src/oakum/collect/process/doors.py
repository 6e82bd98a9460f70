"""Listening sockets of a process -> doors to knock at, those where pprof is likely first; http or https is found out.

A certificate is not checked here: the socket is known to be the process's own by its inode. Who knocks brings no
credentials: they are shown only where HTTP is spoken.
"""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from oakum.collect.process.proc import Proc
from oakum.collect.web import Access, Door
from oakum.model import Problem, Socket, Unreachable

SECONDS = 2.0  # a server on the same machine answers at once, or speaks no HTTP
_MOST = 64 << 10
_PATH = "/debug/pprof/"
# Go's answer to http on a port of https: "Client sent an HTTP request to an HTTPS server."
_WANTS_TLS = b"HTTPS server"
# https+insecure://127.0.0.1:10250/debug/pprof/: 401, who asks is not known      ...: it wants a certificate of yours
_REFUSED = re.compile(r": 40[13]\b|certificate of yours")
_USUAL = (":6060", ":6061", "debug", "pprof", "diag", "metrics")
_MOST_DOORS = 16  # of one process


def answering(listening: Sequence[Socket], proc: Proc, access: Access, seconds: float = SECONDS) -> list[Door]:
    """Return the doors at which HTTP is spoken, over TLS where they want that; all are knocked at once."""
    known = doors(listening, proc)
    if not known:
        return []
    # Threads begin in the network namespace of the one that starts them.
    with ThreadPoolExecutor(len(known), "knock") as pool:
        return [door for door in pool.map(lambda door: _answered(door, access, seconds), known) if door is not None]


def refuses(problem: Problem) -> bool:
    """Tell whether pprof may be there, for whom the server knows."""
    return _REFUSED.search(problem.text) is not None


def doors(listening: Sequence[Socket], proc: Proc) -> list[Door]:
    """Return where to knock, likely ones first; nothing is asked yet."""
    made = {}
    for row in sorted(listening, key=lambda row: not any(word in row.local for word in _USUAL)):
        door = _unix(row.local, proc) if row.kind == "u_str" else _tcp(row.local)
        if door is not None:
            made[door.address] = door
    return list(made.values())[:_MOST_DOORS]


def _answered(door: Door, access: Access, seconds: float) -> Door | None:
    try:
        answer = door.get(_PATH, seconds=seconds, most=_MOST)
    except Unreachable:
        door.close()
        return None
    if answer.status != 400 or _WANTS_TLS not in bytes(answer.data[:200]):
        return replace(door, access=access)
    door.close()
    server = door.base.removeprefix("http://")
    shown = door.shown or f"https+insecure://{server}"
    return Door(f"https://{server}", replace(access, insecure=True), socket=door.socket, shown=shown)


def _tcp(local: str) -> Door:
    host, _, port = local.rpartition(":")
    # 0.0.0.0 and [::] take what comes to the loopback address; an IPv6 one takes IPv4 too unless told otherwise.
    host = "127.0.0.1" if host in ("0.0.0.0", "[::]") else host
    return Door(f"http://{host}:{port}")


def _unix(path: str, proc: Proc) -> Door | None:
    if path.startswith("@"):  # in no file system
        return Door("http://localhost", socket="\0" + path[1:], shown=f"unix://{path}:")
    if not path.startswith("/"):
        return None
    # The path is that of the process, which may have another root: a container.
    inside = proc.path / "root" / path.lstrip("/")
    try:
        there = path if Path(path).samefile(inside) else str(inside)
    except OSError:
        there = str(inside) if inside.exists() else path
    return Door("http://localhost", socket=there, shown=f"unix://{there}:")


__all__ = ["SECONDS", "answering", "doors", "refuses"]
