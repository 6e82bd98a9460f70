"""Which proxy the environment asks for: HTTP_PROXY, HTTPS_PROXY, NO_PROXY as Go reads them, ALL_PROXY as curl does.

Comes in: where a request goes. Goes out: the proxy before it, its name and password apart from what is shown.
"""

import ipaddress
import os
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from oakum.collect.web import vault
from oakum.collect.web.address import Place, is_loopback
from oakum.model import UsageError

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


@dataclass(frozen=True, slots=True)
class Proxy:
    scheme: str  # http, https, socks5
    host: str
    port: int
    told_by: str  # HTTPS_PROXY
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port} ({self.told_by})"


def proxy_for(place: Place, given: str | None = None) -> Proxy | None:
    """Return the proxy before a server: the one given for it, else that of the environment; as in Go, none before this
    machine itself."""
    if given:
        return _read(given, "proxy-url of the kubeconfig")
    if is_loopback(place.host):
        return None
    name, value = _of_environment(place.scheme)
    if not value or _left_out(place.host.strip("[]").lower(), place.port):
        return None
    return _read(value, name)


def _of_environment(scheme: str) -> tuple[str, str]:
    for name in (f"{scheme}_proxy", "all_proxy"):
        for spelled in (name.upper(), name):
            # A CGI program gets the header `Proxy:` of whoever asks as HTTP_PROXY.
            if os.environ.get(spelled) and not (spelled == "HTTP_PROXY" and os.environ.get("REQUEST_METHOD")):
                return spelled, os.environ[spelled]
    return "", ""


def _left_out(host: str, port: int) -> bool:
    """Tell whether NO_PROXY names a host: names with or without leading dot, addresses, networks; perhaps a port."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        address = None
    for word in (os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or "").lower().split(","):
        name, only = _with_port(word.strip())
        if name == "*":
            return True
        if not name or only not in (None, port):
            continue
        if address is not None:
            if _is_in(address, name):
                return True
            continue
        name = name.removeprefix("*")
        if host.endswith(name if name.startswith(".") else f".{name}") or host == name:
            return True
    return False


def _with_port(word: str) -> tuple[str, int | None]:
    """Return a name and the port behind it: host:80, [::1]:80; ::1 has none."""
    name, colon, port = word.rpartition(":")
    if colon and port.isdecimal() and (":" not in name or name.endswith("]")):
        return name.strip("[]"), int(port)
    return word.strip("[]"), None


def _is_in(address: ipaddress.IPv4Address | ipaddress.IPv6Address, network: str) -> bool:
    try:
        return address in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _read(value: str, told_by: str) -> Proxy:
    """Return a proxy; its address may have no scheme. The value is never repeated: it may hold a password."""
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        usual = _PORTS[parts.scheme]
        host, port = parts.hostname, parts.port or usual
        if not host or any(char <= " " for char in value):
            raise ValueError
    except (KeyError, ValueError):
        raise UsageError(
            f"{told_by}: a proxy looks like http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT"
        ) from None
    user = unquote(parts.username) if parts.username is not None else None
    password = unquote(parts.password) if parts.password is not None else None
    vault.note(password)
    # Go gives either kind of SOCKS the name and lets the proxy look it up; so do we.
    return Proxy(parts.scheme.removesuffix("h"), host, port, told_by, user, password)
