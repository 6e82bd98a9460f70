"""http://, https://, https+insecure:// and unix:// words -> one PprofTarget each.

http://h:6060, http://h/prefix, http://h:6060/debug/pprof/heap (just that), unix:///run/containerd/debug.sock. A prefix
on a socket stands behind a colon, as in nginx: unix:///run/app.sock:/admin or unix:///run/app.sock:/debug/pprof/heap.
"""

import re
from pathlib import Path

from oakum.collect.pprof.endpoint import PprofTarget
from oakum.collect.pprof.one_profile import one_profile
from oakum.collect.pprof.probe import STANDARD
from oakum.collect.web import Access, HttpEndpoint, address
from oakum.model import UsageError


def open(word: str, access: Access) -> list[PprofTarget]:
    """Return the target that a word names; nothing is asked of it yet."""
    return [_socket(word, access) if word.startswith("unix://") else _server(word, access)]


def _server(word: str, access: Access) -> PprofTarget:
    scheme, _, rest = word.partition("://")
    server = re.split(r"[/?#]", rest, maxsplit=1)[0]
    place = address.read(f"{scheme}://{server}")
    inner, _, query = rest.removeprefix(server).partition("#")[0].partition("?")
    endpoint = HttpEndpoint(f"{scheme}://{server}", access)
    host = "127.0.0.1" if address.is_loopback(place.host) else place.host
    return _target(endpoint, place.named, f"{host}:{place.port}", inner, query)


def _socket(word: str, access: Access) -> PprofTarget:
    rest = word.removeprefix("unix://")
    path, colon, inner = rest.partition(":/")
    if not path.startswith("/") or not word.isprintable():
        raise UsageError(
            f"{word}: no socket; unix:///run/containerd/debug.sock is one, unix:///run/app.sock:/PREFIX too"
        )
    inner, _, query = f"/{inner}".partition("?") if colon else ("", "", "")
    endpoint = HttpEndpoint("http://localhost", access, socket=path, shown=f"unix://{path}:")
    name = Path(path).stem if Path(path).stem not in _PLAIN else f"{Path(path).parent.name}-{Path(path).stem}"
    return _target(endpoint, name, f"unix:{Path(path).resolve()}", inner, query)


# What sockets are called that say nothing of whose they are: /run/containerd/debug.sock
_PLAIN = ("debug", "pprof", "api", "admin", "http", "server", "socket", "sock")


def _target(endpoint: HttpEndpoint, name: str, process: str, path: str, query: str) -> PprofTarget:
    path = "/" + path.strip("/") if path.strip("/") else ""
    only = one_profile(endpoint.url(path), path, query)
    if only is not None:
        name += only.prefix.removesuffix(STANDARD)
        return PprofTarget(endpoint, endpoint.url(only.path, dict(only.query)), name, process, only=only)
    return PprofTarget(
        endpoint, endpoint.url(path).rstrip(":"), name + path.removesuffix(STANDARD), process, prefix=path
    )
