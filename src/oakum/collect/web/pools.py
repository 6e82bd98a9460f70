"""The connections of an endpoint and of those under it, made when first needed: one pool for http, one for https."""

import threading

import httpcore

from oakum.collect.web import tls
from oakum.collect.web.access import Access
from oakum.collect.web.address import Place
from oakum.collect.web.proxies import Proxy, proxy_for
from oakum.collect.web.wire import Network

_KEPT = 4  # idle connections of an endpoint; those who ask at once make as many as they are
_IDLE = 20.0  # seconds; Go's servers and most proxies keep them longer


class Pools:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, httpcore.ConnectionPool] = {}
        self.proxy: Proxy | None = None  # what stood before the last one that was made

    def of(self, place: Place, access: Access, path: str | None) -> httpcore.ConnectionPool:
        """Return what connects to a server. Only https costs a context of TLS."""
        with self._lock:
            pool = self._open.get(place.scheme)
            if pool is None:
                self.proxy = None if path else proxy_for(place, access.proxy)
                pool = self._open[place.scheme] = _made(place, access, path, self.proxy)
            return pool

    def close(self) -> None:
        with self._lock:
            gone, self._open = list(self._open.values()), {}
        for pool in gone:
            pool.close()

    def __del__(self) -> None:
        # Doors are values, copied with other prefixes: the last one that goes takes the connections with it.
        self.close()


def _made(place: Place, access: Access, path: str | None, proxy: Proxy | None) -> httpcore.ConnectionPool:
    names = {place.host.strip("[]"): access.server_name} if access.server_name else {}
    return httpcore.ConnectionPool(
        ssl_context=tls.context(access) if place.scheme == "https" else None,
        proxy=_before(proxy, access) if proxy and proxy.scheme != "socks5" else None,
        max_connections=None,
        max_keepalive_connections=_KEPT,
        keepalive_expiry=_IDLE,
        uds=path,
        network_backend=Network(names, proxy),
    )


def _before(proxy: Proxy, access: Access) -> httpcore.Proxy:
    host = f"[{proxy.host}]" if ":" in proxy.host else proxy.host
    auth = (proxy.user.encode(), (proxy.password or "").encode()) if proxy.user is not None else None
    return httpcore.Proxy(
        url=httpcore.URL(scheme=proxy.scheme, host=host, port=proxy.port, target="/"),
        auth=auth,
        # As in Go: whom we trust as a server, we trust as its proxy.
        ssl_context=tls.context(access) if proxy.scheme == "https" else None,
    )
