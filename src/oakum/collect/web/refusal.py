"""A status other than 200, a web page instead of a profile -> what it means, and what to do next."""

import re
from collections.abc import Mapping

from oakum.collect.web.proxies import Proxy
from oakum.collect.web.trouble import first_line
from oakum.model import Buffer

# <!DOCTYPE html>   <html lang="en">
_PAGE = re.compile(rb"<(?:!doctype\s{1,9}html|html)\b", re.I)
# <title>Sign in - Grafana</title>
_TITLE = re.compile(rb"<title[^>]{0,200}>\s*([^<]{1,200})", re.I)
# <input type="password"   <form action="/oauth2/sign_in"
_LOGIN = re.compile(rb"type=[\"']?password|log[ _-]?in|sign[ _-]?in|sso\b|oauth|saml", re.I)

# WWW-Authenticate: Basic realm="metrics"
_BASIC, _BEARER = "basic", "bearer"

_GATEWAY = "the proxy, ingress or service mesh got no answer from the server"
_MEANINGS = {
    404: "not found",
    405: "GET is not allowed at this path",
    408: "the server timed out waiting for the request",
    410: "no longer available",
    429: "rate limited; wait, or lower --parallel",
    431: "too many request headers",
    500: "it failed",
    502: _GATEWAY,
    503: "it is overloaded, starting, or not behind its proxy",
    504: _GATEWAY,
}
# Go's and nginx's words for http:// on a port of TLS.
_WANTS_TLS = (b"Client sent an HTTP request to an HTTPS server", b"plain HTTP request was sent to HTTPS port")


def in_words(status: int, headers: Mapping[str, str], body: bytes, known: bool, proxy: Proxy | None) -> str:
    """Return what a status other than 200 means; `known`: credentials went with the request."""
    if status == 400 and any(said in body for said in _WANTS_TLS):
        return "it speaks TLS; try https://"
    line = first_line(body)
    said = f": {line}" if line else ""
    if status == 401:
        return f"401, {_who(headers.get('www-authenticate', ''), known)}{said}"
    if status == 403:
        who = "these credentials lack permission" if known else "authentication required (--token, --tls-cert)"
        return f"403, {who}{said}"
    if status == 407:
        return f"407, the proxy{f' {proxy}' if proxy else ''} requires authentication: http://NAME:PASSWORD@HOST:PORT"
    means = _MEANINGS.get(status, "")
    if means is _GATEWAY and proxy:
        means = f"the proxy {proxy} could not get an answer; NO_PROXY=HOST bypasses it"
    return f"{status}{f', {means}' if means else ''}{said}"


def _who(asked: str, known: bool) -> str:
    schemes = [word.partition(" ")[0].lower() for word in asked.split(",")]
    if _BASIC in schemes:
        how = "authenticate with NAME:PASSWORD@ in the address"
    elif _BEARER in schemes or not asked:
        how = "authenticate with --token, --token-file or --tls-cert"
    else:
        how = f"it asks for {schemes[0][:40]!r}; authenticate with -H 'Authorization: ...'"
    return f"{'the credentials were rejected' if known else 'authentication required'}; {how}"


def page(data: Buffer) -> str:
    """Return what a web page is, in a few words; "" when it is none."""
    start = bytes(data[:65536])
    # A comment or a line of XML may stand before it; profiles and metrics never begin so.
    if not start.lstrip().startswith(b"<") or not _PAGE.search(start[:4096]):
        return ""
    title = _TITLE.search(start)
    named = f' titled "{first_line(b" ".join(title[1].split()), 80)}"' if title else ""
    return f"a web page{named}{' (a login, it seems)' if _LOGIN.search(start) else ''}"
