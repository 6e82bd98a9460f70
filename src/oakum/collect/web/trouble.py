"""What went wrong with a request -> words: what it means, and what to do next. Credentials are never in them."""

import errno
import re
import socket
import ssl
import stat
from pathlib import Path

import httpcore

from oakum.collect.web import tls_trouble, vault
from oakum.collect.web.address import shown
from oakum.collect.web.proxies import Proxy
from oakum.collect.web.wire import NotHTTP, RequestDeadline
from oakum.model import UsageError

# /accounts/login   /oauth2/sign_in   /saml/acs   /dex/auth
_LOGIN = re.compile(r"log[-_]?in|sign[-_]?in|oauth|oidc|saml|\bsso\b|/auth\b|/dex\b", re.IGNORECASE)

_CONNECTING = {
    errno.ECONNREFUSED: "connection refused: nothing listens there",
    errno.EHOSTUNREACH: "no route to host; is it up and reachable from here?",
    errno.ENETUNREACH: "network unreachable; is a VPN or tunnel missing?",
    errno.ETIMEDOUT: "no answer: a firewall or NetworkPolicy drops packets, or the host is down",
    errno.EACCES: "this machine does not allow the connection (a firewall rule?)",
    errno.EPERM: "this machine does not allow the connection (a firewall rule?)",
    errno.EADDRNOTAVAIL: "no local address or port left to connect from",
    errno.EMFILE: "too many open files; raise ulimit -n or lower --parallel",
    errno.ENFILE: "too many open files on this machine; lower --parallel",
    errno.ECONNRESET: "the connection was reset by the other side",
    errno.EPIPE: "the connection was closed by the other side",
}


def in_words(error: Exception, mine: RequestDeadline, path: str | None, proxy: Proxy | None) -> str:
    """Return why there was no answer; `path` is that of a unix socket."""
    if isinstance(error, UsageError):
        return str(error)
    before = f"the proxy {proxy}: " if proxy and mine.phase in ("name", "connection", "proxy") else ""
    if isinstance(error, httpcore.TimeoutException):
        return before + _late(mine)
    if isinstance(error, httpcore.ProxyError):
        return _proxy(str(error), proxy)
    if isinstance(error, NotHTTP):
        return _no_http(mine.heard)
    cause = _cause(error)
    if isinstance(cause, ssl.SSLError):
        return tls_trouble.in_words(cause)
    if isinstance(cause, socket.gaierror):
        return before + _name(cause)
    if path is not None and mine.phase == "connection" and isinstance(cause, OSError):
        return _unix(cause, path)
    if isinstance(cause, OSError):
        said = _CONNECTING.get(cause.errno or 0, cause.strerror or str(cause))
        return f"{before}{said}{_hint(mine) if cause.errno in (errno.ECONNRESET, errno.EPIPE) else ''}"
    if isinstance(cause, UnicodeError):
        return before + "not a valid host name"
    return _protocol(str(error), mine)


def _cause(error: Exception) -> BaseException:
    """Return what the system said: httpcore's errors have it as their argument."""
    found: BaseException = error
    while found.args and isinstance(found.args[0], Exception):
        found = found.args[0]
    return found


def _late(mine: RequestDeadline) -> str:
    within = f"within {mine.seconds:g} s"
    return {
        "name": f"DNS lookup failed {within}: the name server does not answer",
        "connection": f"no connection {within}: a firewall or NetworkPolicy drops packets, or the host is down",
        "proxy": f"no connection through it {within}",
        "tls": f"connected, but no TLS {within}; does it speak plain http?",
        "body": f"it began to answer, but nothing came {within}; raise --timeout",
    }.get(mine.phase, f"connected, but no answer {within}; raise --timeout")


def _proxy(said: str, proxy: Proxy | None) -> str:
    if said.startswith("407"):
        return f"the proxy {proxy} requires authentication: http://NAME:PASSWORD@HOST:PORT in that variable"
    return f"the proxy {proxy} refuses the connection: {first_line(said.encode())}; NO_PROXY=HOST bypasses it"


def _name(cause: socket.gaierror) -> str:
    if cause.errno == socket.EAI_AGAIN:
        return "DNS lookup failed: the name server does not answer"
    return "no such host; cluster-internal names resolve only inside the cluster: use kube:// or a port-forward"


def _unix(cause: OSError, path: str) -> str:
    if cause.errno is None:
        return "the path of a socket has at most 107 bytes; a symbolic link to it makes it shorter"
    try:
        mode = Path(path).stat().st_mode
    except OSError as error:
        cause, mode = error, 0
    except ValueError:  # "\0name": a socket in no file system
        mode = 0
    if cause.errno == errno.ENOENT:
        return "no such socket; is the daemon running with its debug socket enabled?"
    if cause.errno in (errno.EACCES, errno.EPERM):
        return "permission denied; it belongs to another user: try sudo"
    if mode and not stat.S_ISSOCK(mode):
        return "not a socket"
    if cause.errno == errno.EAGAIN:
        return "its queue is full: the process behind it accepts no more connections"
    if cause.errno == errno.ECONNREFUSED:
        return "nothing listens on it; it is a leftover of an ended process"
    return _CONNECTING.get(cause.errno or 0, cause.strerror or str(cause))


def _no_http(heard: bytes) -> str:
    # A TLS alert, a handshake; a SETTINGS frame, with which a server of HTTP/2 begins.
    if heard[:2] in (b"\x15\x03", b"\x16\x03"):
        return "it speaks TLS; try https://"
    if heard[3:4] == b"\x04" and heard[5:9] == bytes(4):
        return "it speaks HTTP/2 only (gRPC?); pprof is served elsewhere"
    return f'it does not speak HTTP; it said "{first_line(heard, 60)}"'


def _protocol(said: str, mine: RequestDeadline) -> str:
    if mine.phase == "body":
        return "it answered, but closed the connection before anything of the body came"
    if "disconnected without" in said:
        if mine.heard:
            return "it closed the connection in the middle of the headers"
        return f"it closed the connection without an answer{_hint(mine)}"
    if "too long" in said:
        return "its headers are longer than 100 KiB: not a Go server"
    # What httpcore says of a bad request could repeat a header, and with it a token.
    return "the answer is not HTTP" if mine.heard else "the request could not be sent"


def _hint(mine: RequestDeadline) -> str:
    """Return what may be behind a connection that is closed at once: of a server that misses a certificate, the reason
    is sometimes lost on the way."""
    if mine.secure:
        return "; if it requires a client certificate: --tls-cert and --tls-key"
    return "" if mine.phase == "connection" else "; does it want https://, or speak HTTP/2 alone (gRPC)?"


def broken_off(error: Exception, mine: RequestDeadline, size: int, length: str | None) -> str:
    """Return why a body is not whole."""
    of = f" of {int(length):,}" if length and re.fullmatch(r"[0-9]{1,18}", length) else ""
    if isinstance(error, httpcore.TimeoutException):
        return f"the time ({mine.seconds:g} s) was up after {size:,}{of} bytes; raise --timeout"
    return f"the connection was closed after {size:,}{of} bytes"


def elsewhere(there: str) -> str:
    """Return what is said of a redirect that is not followed."""
    login = "; it looks like a login" if _LOGIN.search(there) else ""
    return f"it redirects to {shown(there)}: not followed, and no credentials were sent there{login}"


def in_circles(there: str) -> str:
    """Return what is said of a redirect too many."""
    return f"too many redirects, last to {shown(there)}"


def first_line(data: bytes, most: int = 200) -> str:
    """Return the first line of what a server said, fit to be shown; "" of a page or of bytes."""
    lines = data[:4096].decode("utf-8", "replace").strip().splitlines()
    if not lines or lines[0].startswith("<"):
        return ""
    return vault.hidden("".join(char if char.isprintable() else "?" for char in lines[0]))[:most]
