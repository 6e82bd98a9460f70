"""Requests as people write them -> values that can be sent: `POST /path @body.json`, a full URL, or a line of curl.

Refuses what it does not know, by its name. Files of bodies are read here, within a limit; nothing is sent.
"""

import base64
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import UsageError

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_BODY_MOST = 64 << 20
_FILE_MOST = 4 << 20  # of a list of requests
_REQUESTS_MOST = 10_000
_NUMBER = b"{n}"  # in a path or a body: the number of the request, from 1
# Options of curl that take a value, and what they mean here; others that change nothing of what is sent.
_HEADERS = ("-H", "--header")
_DATA = ("-d", "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode", "--json")
_IGNORED = (
    "-s", "--silent", "-S", "--show-error", "-v", "--verbose", "-i", "--include", "--compressed", "-L", "--location",
    "-f", "--fail", "-N", "--no-buffer", "-g", "--globoff", "-sS", "-#", "--http1.1", "--fail-with-body",
)  # fmt: skip
_IGNORED_WITH_VALUE = (
    "-o", "--output", "-w", "--write-out", "-m", "--max-time", "--connect-timeout", "--retry", "-x", "--proxy",
)  # fmt: skip


class Request(Struct, frozen=True):
    """One request; its target is a whole URL, or a path of the server that is measured."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    insecure: bool = False  # the certificate is not checked

    @property
    def shown(self) -> str:
        """Return what people call it: no query, which may hold a secret, and no body."""
        return f"{self.method} {urlsplit(self.url).path or '/'}"

    @property
    def host(self) -> str:
        """Return the host that it names; "" for a path."""
        return urlsplit(self.url).hostname or ""

    def numbered(self, number: int) -> "Request":
        """Return the request of this number: {n} in its path and body is the number."""
        text = str(number)
        url = self.url.replace("{n}", text)
        return replace(self, url=url, body=self.body.replace(_NUMBER, text.encode())) if self.counts else self

    @property
    def counts(self) -> bool:
        """Tell whether its number is a part of it."""
        return "{n}" in self.url or _NUMBER in self.body

    def at(self, base: str) -> "Request":
        """Return the request to a server, where it has only a path."""
        if self.host:
            return self
        if not base:
            raise UsageError(f"{self.shown}: TARGET is no http address; write the whole URL of the request")
        return replace(self, url=base.rstrip("/") + self.url)


def parse_request(text: str) -> Request:
    """Return the request that a text tells: METHOD URL [BODY or @FILE], or a line of curl."""
    try:
        words = shlex.split(text.replace("\\\n", " ")) if text.lstrip().startswith("curl ") else text.split(None, 2)
    except ValueError as error:
        raise UsageError(f"--request: {error}: {text[:80]!r}") from error
    if words[:1] == ["curl"]:
        return _curl(words[1:])
    if len(words) < 2 or words[0].upper() not in _METHODS:
        raise UsageError(
            f"--request {text[:80]!r}: write 'METHOD /path', 'METHOD /path @body.json', or a line that begins with curl"
        )
    body = _body(words[2]) if len(words) > 2 else b""
    headers = (("Content-Type", "application/json"),) if body.lstrip()[:1] in (b"{", b"[") else ()
    return Request(words[0].upper(), _checked(words[1]), headers, body)


def parse_requests(path: str) -> Iterator[Request]:
    """Yield the requests that a file lists, one a line; empty lines and those that begin with # are left out."""
    lines = _read(path, _FILE_MOST).decode("utf-8", "replace").replace("\\\n", " ").splitlines()
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not told or len(told) > _REQUESTS_MOST:
        raise UsageError(f"--requests {path}: {len(told):,} requests; between 1 and {_REQUESTS_MOST:,} can be sent")
    yield from map(parse_request, told)


def _checked(url: str) -> str:
    """Return a URL or a path that a request can have."""
    if url.startswith("/"):
        return quote(url, safe="/:@!$&'()*+,;=~-._%?{}")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise UsageError(f"--request: {url[:80]!r} is no URL") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or any(letter <= " " for letter in url):
        raise UsageError(f"--request: {url[:80]!r}: write a path that begins with /, or http://HOST:PORT/path")
    return url


def _body(text: str) -> bytes:
    return _read(text[1:], _BODY_MOST) if text.startswith("@") else text.encode()


def _read(name: str, most: int) -> bytes:
    try:
        with Path(name).open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}") from error
    if len(data) > most:
        raise UsageError(f"{name}: more than {most >> 20} MiB")
    return data


def _curl(words: Sequence[str]) -> Request:
    """Return the request that curl would send; raise for an option that is not known here."""
    left = iter(_split_short(words))
    made, method, url = Request("GET", ""), "", ""
    data: list[bytes] = []
    for word in left:
        if word in ("-X", "--request"):
            method = _value(word, left).upper()
        elif word in _HEADERS:
            name, _, value = _value(word, left).partition(":")
            made = replace(made, headers=(*made.headers, (name.strip(), value.strip())))
        elif word in _DATA:
            text = _value(word, left)
            data.append(text.encode() if word == "--data-raw" else _body(text))
            if word == "--json":
                json = (("Content-Type", "application/json"), ("Accept", "application/json"))
                made = replace(made, headers=(*made.headers, *json))
        elif word in ("-u", "--user"):
            user = base64.b64encode(_value(word, left).encode()).decode()
            made = replace(made, headers=(*made.headers, ("Authorization", f"Basic {user}")))
        elif word in ("-A", "--user-agent", "-b", "--cookie", "-e", "--referer"):
            name = {"A": "User-Agent", "b": "Cookie", "e": "Referer"}.get(word[1:], word[2:].title())
            made = replace(made, headers=(*made.headers, (name, _value(word, left))))
        elif word in ("-k", "--insecure"):
            made = replace(made, insecure=True)
        elif word in ("-I", "--head"):
            method = "HEAD"
        elif word == "--url":
            url = _value(word, left)
        elif word in _IGNORED_WITH_VALUE:
            _value(word, left)
        elif word.startswith("-") and word not in _IGNORED:
            raise UsageError(f"curl {word}: this option is not known here; leave it out, or use --exec 'curl ...'")
        elif not word.startswith("-"):
            url = word
    if not url:
        raise UsageError("curl: there is no URL")
    if "://" not in url and not url.startswith("/"):
        url = f"http://{url}"
    body = b"&".join(data)
    if body and not any(name.lower() == "content-type" for name, _ in made.headers):
        made = replace(made, headers=(*made.headers, ("Content-Type", "application/x-www-form-urlencoded")))
    return replace(made, method=method or ("POST" if data else "GET"), url=_checked(url), body=body)


def _split_short(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of curl; -XPOST and --header=x are two."""
    for word in words:
        if word[:2] in ("-X", "-H", "-d", "-u") and len(word) > 2:
            yield from (word[:2], word[2:])
        elif word.startswith("--") and "=" in word:
            yield from word.split("=", 1)
        elif len(word) > 2 and word[0] == "-" and word[1] != "-" and set(word[1:]) <= set("sSvikLfNg"):
            yield from (f"-{letter}" for letter in word[1:])
        else:
            yield word


def _value(option: str, left: Iterator[str]) -> str:
    value = next(left, None)
    if value is None:
        raise UsageError(f"curl {option}: its value is missing")
    return value
