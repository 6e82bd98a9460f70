"""Addresses as people type them -> where to connect, what may be shown of them, and whether a redirect stays there."""

import ipaddress
import posixpath
import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from oakum.model import UsageError

_PORTS = {"http": 80, "https": 443}
_SCHEMES = {"http": "http", "https": "https", "https+insecure": "https"}
# Left as they are in a path and a query; what is percent-encoded stays so.
_SAFE = "/:@!$&'()*+,;=~-._%?"

# http://admin:hunter2@10.0.0.7:6060/
_USERINFO = re.compile(r"(?<=://)[^/?#]*@")


@dataclass(frozen=True, slots=True)
class Place:
    scheme: str  # http or https
    host: str  # as in an address: 10.0.0.7, [::1]
    port: int
    path: str  # without the slash at its end
    user: str | None = field(repr=False)  # name:password
    insecure: bool

    @property
    def base(self) -> str:
        """Return its address without credentials."""
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.path}"

    @property
    def named(self) -> str:
        """Return the Host of a request: the zone of an address means something on this machine alone."""
        host = f"{self.host.partition('%')[0]}]" if "%" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def read(address: str) -> Place:
    """Return what an address says; raise a UsageError in words."""
    # Up to the last @: in an address that is written wrong, a password may hold a slash.
    shown = re.sub(r"(?<=://).*@", "", address, flags=re.DOTALL)
    if any(char <= " " or char == "\x7f" for char in address):
        raise UsageError(f"{shown!r}: an address has no blanks; is it quoted?")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        # Its text may repeat a part of a password.
        raise UsageError(
            f"{shown}: this is no address; a port is a number up to 65535, / in a password is %2F"
        ) from None
    scheme = _SCHEMES.get(parts.scheme)
    if scheme is None or not host:
        raise UsageError(f"{shown}: an address looks like http://HOST:PORT or https://HOST:PORT")
    if parts.query or parts.fragment:
        raise UsageError(f"{shown}: the address of a server has no query")
    user = unquote(parts.netloc.rpartition("@")[0]) or None
    insecure = parts.scheme == "https+insecure"
    return Place(scheme, _host(host, shown), port or _PORTS[scheme], parts.path.rstrip("/"), user, insecure)


def _host(host: str, shown: str) -> str:
    if ":" in host:
        # fe80::1%25eth0: the zone, whose % is written %25 in an address; many leave that out.
        return f"[{host if '%25' in host else host.replace('%', '%25')}]"
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError as error:
        raise UsageError(f"{shown}: not a valid host name") from error


def encoded(path: str) -> str:
    """Return a path and query as they go into a request; what no request can hold is percent-encoded."""
    return quote(path, safe=_SAFE)


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine; names are not looked up."""
    host = host.strip("[]").partition("%")[0].lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def without_user(address: str) -> str:
    """Return an address that can be shown: no name, no password."""
    return _USERINFO.sub("", address)


def shown(address: str) -> str:
    """Return what a server sent as an address, to be read by people: no credentials, no query (it holds states and
    codes of logins), no control characters."""
    bare = without_user(address).partition("?")[0].partition("#")[0]
    return "".join(char if char.isprintable() else "?" for char in bare[:300])


def joined(here: str, there: str) -> str:
    """Return where a redirect leads; what is no address is returned as it is."""
    try:
        return urljoin(here, there).partition("#")[0].replace(" ", "%20")
    except ValueError:
        return there


def stays(here: str, there: str, below: str, one_port: bool = False) -> bool:
    """Tell whether a redirect may be followed: to the same server, or to https instead of http on its host (unless
    there is `one_port` alone, behind a socket), and below a path: a pod behind an API server must not send us, with our
    credentials, to the Secrets of that API server."""
    try:
        old, new = urlsplit(here), urlsplit(there)
        same_server = (old.scheme, _port(old)) == (new.scheme, _port(new))
    except ValueError:
        return False
    if (old.hostname or "").lower() != (new.hostname or "").lower() or "@" in new.netloc or not there.isprintable():
        return False
    if not same_server and (one_port or (old.scheme, new.scheme) != ("http", "https")):
        return False
    path = posixpath.normpath(unquote(new.path) or "/")
    below = unquote(below)
    return not below or path == below or path.startswith(f"{below}/")


def _port(parts: SplitResult) -> int | None:
    return parts.port or _PORTS.get(parts.scheme)
