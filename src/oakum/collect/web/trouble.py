"""What went wrong with a request -> Text: what it means, and what to do next. Credentials are never in it."""

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
from oakum.model import Text, UsageError

# /accounts/login   /oauth2/sign_in   /saml/acs   /dex/auth
_LOGIN = re.compile(r"log[-_]?in|sign[-_]?in|oauth|oidc|saml|\bsso\b|/auth\b|/dex\b", re.IGNORECASE)

_Late = httpcore.TimeoutException
# What the system says of a connection -> web.NAME in report/words/web.py.
_CONNECTING = {
    errno.ECONNREFUSED: "refused",
    errno.EHOSTUNREACH: "no-route",
    errno.ENETUNREACH: "no-network",
    errno.ETIMEDOUT: "dropped",
    errno.EACCES: "not-allowed",
    errno.EPERM: "not-allowed",
    errno.EADDRNOTAVAIL: "no-local-port",
    errno.EMFILE: "open-files",
    errno.ENFILE: "open-files-machine",
    errno.ECONNRESET: "reset",
    errno.EPIPE: "closed",
}


def quoted(said: str) -> Text:
    """Return the words of others."""
    return Text("web.quoted", {"said": said})


def in_words(error: Exception, mine: RequestDeadline, path: str | None, proxy: Proxy | None) -> Text:
    """Return why there was no answer; `path` is that of a unix socket."""
    told = _in_words(error, mine, path, proxy)
    local = isinstance(_cause(error), OSError | UnicodeError) and not isinstance(_cause(error), ssl.SSLError)
    if proxy and mine.phase in ("name", "connection", "proxy") and (local or isinstance(error, _Late)):
        return Text("web.by-proxy", {"proxy": str(proxy), "why": told})
    return told


def _in_words(error: Exception, mine: RequestDeadline, path: str | None, proxy: Proxy | None) -> Text:
    if isinstance(error, UsageError):
        return quoted(str(error))
    if isinstance(error, _Late):
        return _late(mine)
    if isinstance(error, httpcore.ProxyError):
        return _proxy(str(error), proxy)
    if isinstance(error, NotHTTP):
        return _no_http(mine.heard)
    cause = _cause(error)
    if isinstance(cause, ssl.SSLError):
        return tls_trouble.in_words(cause)
    if isinstance(cause, socket.gaierror):
        return Text("web.dns" if cause.errno == socket.EAI_AGAIN else "web.no-host")
    if path is not None and mine.phase == "connection" and isinstance(cause, OSError):
        return _unix(cause, path)
    if isinstance(cause, OSError):
        said = _of_system(cause)
        return _hinted(said, mine) if cause.errno in (errno.ECONNRESET, errno.EPIPE) else said
    if isinstance(cause, UnicodeError):
        return Text("web.bad-name")
    return _protocol(str(error), mine)


def _of_system(cause: OSError) -> Text:
    name = _CONNECTING.get(cause.errno or 0)
    return Text(f"web.{name}") if name else quoted(cause.strerror or str(cause))


def _cause(error: Exception) -> BaseException:
    """Return what the system said: httpcore's errors have it as their argument."""
    found: BaseException = error
    while found.args and isinstance(found.args[0], Exception):
        found = found.args[0]
    return found


def _late(mine: RequestDeadline) -> Text:
    phase = mine.phase if mine.phase in ("name", "connection", "proxy", "tls", "body") else "answer"
    return Text(f"web.late.{phase}", {"seconds": mine.seconds})


def _proxy(said: str, proxy: Proxy | None) -> Text:
    if said.startswith("407"):
        return Text("web.proxy-login", {"proxy": str(proxy)})
    return Text("web.proxy-refuses", {"proxy": str(proxy), "said": first_line(said.encode())})


def _unix(cause: OSError, path: str) -> Text:
    if cause.errno is None:
        return Text("web.unix.long")
    try:
        mode = Path(path).stat().st_mode
    except OSError as error:
        cause, mode = error, 0
    except ValueError:  # "\0name": a socket in no file system
        mode = 0
    if cause.errno == errno.ENOENT:
        return Text("web.unix.missing")
    if cause.errno in (errno.EACCES, errno.EPERM):
        return Text("web.unix.denied")
    if mode and not stat.S_ISSOCK(mode):
        return Text("web.unix.no-socket")
    if cause.errno == errno.EAGAIN:
        return Text("web.unix.full")
    return Text("web.unix.leftover") if cause.errno == errno.ECONNREFUSED else _of_system(cause)


def _no_http(heard: bytes) -> Text:
    # A TLS alert, a handshake; a SETTINGS frame, with which a server of HTTP/2 begins.
    if heard[:2] in (b"\x15\x03", b"\x16\x03"):
        return Text("web.speaks-tls")
    if heard[3:4] == b"\x04" and heard[5:9] == bytes(4):
        return Text("web.speaks-http2")
    return Text("web.no-http", {"said": first_line(heard, 60)})


def _protocol(said: str, mine: RequestDeadline) -> Text:
    if mine.phase == "body":
        return Text("web.no-body")
    if "disconnected without" in said:
        return Text("web.cut-headers") if mine.heard else _hinted(Text("web.no-answer"), mine)
    if "too long" in said:
        return Text("web.long-headers")
    # What httpcore says of a bad request could repeat a header, and with it a token.
    return Text("web.not-http" if mine.heard else "web.not-sent")


def _hinted(why: Text, mine: RequestDeadline) -> Text:
    """Return with it what may be behind a connection that is closed at once: of a server that misses a certificate, the
    reason is sometimes lost on the way."""
    if mine.secure:
        return Text("web.or-certificate", {"why": why})
    return why if mine.phase == "connection" else Text("web.or-tls", {"why": why})


def broken_off(error: Exception, mine: RequestDeadline, size: int, length: str | None) -> Text:
    """Return why a body is not whole."""
    whole = int(length) if length and re.fullmatch(r"[0-9]{1,18}", length) else None
    came = Text("web.came", {"size": size}) if whole is None else Text("web.came-of", {"size": size, "whole": whole})
    if isinstance(error, httpcore.TimeoutException):
        return Text("web.cut-time", {"seconds": mine.seconds, "came": came})
    return Text("web.cut-closed", {"came": came})


def elsewhere(there: str) -> Text:
    """Return what is said of a redirect that is not followed."""
    return Text("web.redirect-login" if _LOGIN.search(there) else "web.redirect", {"url": shown(there)})


def in_circles(there: str) -> Text:
    """Return what is said of a redirect too many."""
    return Text("web.redirects", {"url": shown(there)})


def first_line(data: bytes, most: int = 200) -> str:
    """Return the first line of what a server said, fit to be shown; "" of a page or of bytes."""
    lines = data[:4096].decode("utf-8", "replace").strip().splitlines()
    if not lines or lines[0].startswith("<"):
        return ""
    return vault.hidden("".join(char if char.isprintable() else "?" for char in lines[0]))[:most]
