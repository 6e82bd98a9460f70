"""A status other than 200, a web page instead of a profile -> Text: what it means, and what to do next."""

import re
from collections.abc import Mapping

from oakum.collect.web.proxies import Proxy
from oakum.collect.web.trouble import first_line
from oakum.model import Buffer, Text

# <!DOCTYPE html>   <html lang="en">
_PAGE = re.compile(rb"<(?:!doctype\s{1,9}html|html)\b", re.I)
# <title>Sign in - Grafana</title>
_TITLE = re.compile(rb"<title[^>]{0,200}>\s*([^<]{1,200})", re.I)
# <input type="password"   <form action="/oauth2/sign_in"
_LOGIN = re.compile(rb"type=[\"']?password|log[ _-]?in|sign[ _-]?in|sso\b|oauth|saml", re.I)

# WWW-Authenticate: Basic realm="metrics"
_BASIC, _BEARER = "basic", "bearer"

# A status -> web.status.N in report/words/web.py.
_KNOWN = frozenset({404, 405, 408, 410, 429, 431, 500, 502, 503, 504})
_GATEWAY = (502, 504)
# Go's and nginx's words for http:// on a port of TLS.
_WANTS_TLS = (b"Client sent an HTTP request to an HTTPS server", b"plain HTTP request was sent to HTTPS port")


def in_words(status: int, headers: Mapping[str, str], body: bytes, known: bool, proxy: Proxy | None) -> Text:
    """Return what a status other than 200 means; `known`: credentials went with the request."""
    if status == 400 and any(said in body for said in _WANTS_TLS):
        return Text("web.speaks-tls")
    if status == 407:
        return Text("web.407-by", {"proxy": str(proxy)}) if proxy else Text("web.407")
    told = _meaning(status, headers, known, proxy)
    line = first_line(body)
    return Text("web.said", {"why": told, "said": line}) if line else told


def _meaning(status: int, headers: Mapping[str, str], known: bool, proxy: Proxy | None) -> Text:
    if status == 401:
        how = _how(headers.get("www-authenticate", ""))
        return Text("web.401-rejected" if known else "web.401", {"how": how})
    if status == 403:
        return Text("web.403-lacks" if known else "web.403")
    if status in _GATEWAY and proxy:
        return Text("web.status-proxy", {"status": str(status), "proxy": str(proxy)})
    return Text(f"web.status.{status}") if status in _KNOWN else Text("web.status", {"status": str(status)})


def _how(asked: str) -> Text:
    schemes = [word.partition(" ")[0].lower() for word in asked.split(",")]
    if _BASIC in schemes:
        return Text("web.login.basic")
    if _BEARER in schemes or not asked:
        return Text("web.login.token")
    return Text("web.login.other", {"scheme": repr(schemes[0][:40])})


def page(data: Buffer) -> Text | None:
    """Return what a web page is, in a few words; None when it is none."""
    start = bytes(data[:65536])
    # A comment or a line of XML may stand before it; profiles and metrics never begin so.
    if not start.lstrip().startswith(b"<") or not _PAGE.search(start[:4096]):
        return None
    found = _TITLE.search(start)
    title = first_line(b" ".join(found[1].split()), 80) if found else ""
    told = Text("web.page-titled", {"title": title}) if found else Text("web.page")
    return Text("web.page-login", {"page": told}) if _LOGIN.search(start) else told
