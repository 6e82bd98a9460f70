"""Requests as people write them -> values that can be sent: `POST /path @body.json`, a full URL, or a line of curl.

Refuses what it does not know, by its name. Files of bodies are read here, within a limit; nothing is sent.
"""

import base64
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import UsageError
from oakum.regex import regex

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_BODY_MOST = 64 << 20
_FILE_MOST = 4 << 20  # of a list of requests
_REQUESTS_MOST = 10_000
_SAFE = "/:@!$&'()*+,;=~-._%?{}"
_NUMBER = b"{n}"  # in a path or a body: the number of the request, from 1
# Options of curl that take a value, and what they mean here; others that change nothing of what is sent.
_HEADERS = ("-H", "--header")
_DATA = ("-d", "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode", "--json")
_NAMED = {
    "-A": "User-Agent", "--user-agent": "User-Agent", "-b": "Cookie", "--cookie": "Cookie", "-e": "Referer",
    "--referer": "Referer",
}  # fmt: skip
_IGNORED = (
    "-s", "--silent", "-S", "--show-error", "-v", "--verbose", "-i", "--include", "--compressed", "-L", "--location",
    "-f", "--fail", "-N", "--no-buffer", "-g", "--globoff", "-#", "--progress-bar", "--no-progress-meter", "--http1.1",
    "--fail-with-body", "-4", "--ipv4", "-6", "--ipv6", "--path-as-is", "--tcp-nodelay", "-q", "--disable",
)  # fmt: skip
_IGNORED_WITH_VALUE = (
    "-o", "--output", "-w", "--write-out", "-m", "--max-time", "--connect-timeout", "--retry", "--retry-delay", "-x",
    "--proxy", "--noproxy", "--max-redirs", "-D", "--dump-header", "-c", "--cookie-jar",
)  # fmt: skip
_TAKES_VALUE = {"-X", "--request", "-u", "--user", "--url", *_HEADERS, *_DATA, *_NAMED, *_IGNORED_WITH_VALUE}
# One letter each: those that stand alone, and those whose value is the rest of the word, or the next one.
_ALONE = "sSvikLfNgGI46q"
_WITH_VALUE = "XHduAbeowmxDc"
# $'it\'s \u0041', as a shell reads it and browsers copy it; beside it what is quoted otherwise, and stays as it is
_QUOTED = regex(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\$'((?:[^'\\]|\\.)*)'""", re.DOTALL)
# \n, \x41, \u0041, \101
_ESCAPE = regex(r"\\(?:(?:x([0-9a-fA-F]{1,2}))|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}
_UNICODE_MOST = 0x10FFFF
# X-Team, of RFC 9110: a token
_TOKEN = regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


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
        words = shlex.split(_plain(text)) if text.lstrip().startswith("curl ") else text.split(None, 2)
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
    return _sendable(Request(words[0].upper(), words[1], headers, body))


def parse_requests(path: str) -> Iterator[Request]:
    """Yield the requests that a file lists, one a line; empty lines and those that begin with # are left out."""
    lines = _joined(_read(path, _FILE_MOST).decode("utf-8", "replace")).splitlines()
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not told or len(told) > _REQUESTS_MOST:
        raise UsageError(f"--requests {path}: {len(told):,} requests; between 1 and {_REQUESTS_MOST:,} can be sent")
    yield from map(parse_request, told)


def _sendable(made: Request) -> Request:
    """Return a request as it can be sent; who is named in its URL is named in a header instead."""
    if not _TOKEN.fullmatch(made.method):
        raise UsageError(f"--request: {made.method[:80]!r} is no method")
    for name, value in made.headers:
        if not _TOKEN.fullmatch(name) or any(letter < " " and letter != "\t" for letter in value):
            raise UsageError(f"--request: {name[:80]!r} is no header that can be sent")
    url = made.url
    if url.startswith("/"):
        return replace(made, url=quote(url, safe=_SAFE))
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UsageError(f"--request: {url[:80]!r} is no URL") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or any(letter <= " " for letter in url):
        raise UsageError(f"--request: {url[:80]!r}: write a path that begins with /, or http://HOST:PORT/path")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = quote(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", safe=_SAFE)
    headers = made.headers
    if parts.username is not None and not _has(headers, "Authorization"):
        headers = (*headers, _basic(f"{unquote(parts.username)}:{unquote(parts.password or '')}"))
    return replace(made, url=f"{parts.scheme}://{host}{f':{port}' if port else ''}{path}", headers=headers)


def _has(headers: Sequence[tuple[str, str]], name: str) -> bool:
    return any(one.lower() == name.lower() for one, _ in headers)


def _basic(user: str) -> tuple[str, str]:
    return "Authorization", f"Basic {base64.b64encode(_bytes(user)).decode()}"


def _body(text: str) -> bytes:
    return _read(text[1:], _BODY_MOST) if text.startswith("@") else _bytes(text)


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
    made, method, data, queried = Request("GET", ""), "", list[bytes](), False
    more: list[tuple[str, str]] = []  # headers that hold where none of that name is given
    for word in left:
        if word in ("-X", "--request"):
            method = _value(word, left).upper()
        elif word in _HEADERS:
            name, _, value = _value(word, left).partition(":")
            made = replace(made, headers=(*made.headers, (name.strip(), value.strip())))
        elif word in _DATA:
            data.append(_datum(word, _value(word, left)))
            kind = "json" if word == "--json" else "x-www-form-urlencoded"
            more.append(("Content-Type", f"application/{kind}"))
            more += [("Accept", "application/json")] if word == "--json" else []
        elif word in ("-G", "--get"):
            queried = True
        elif word in ("-u", "--user"):
            made = replace(made, headers=(*made.headers, _basic(_value(word, left))))
        elif word in _NAMED:
            value = _value(word, left)
            if _NAMED[word] == "Cookie" and "=" not in value:
                raise UsageError(f"curl {word}: a file of cookies is not known here; write NAME=VALUE")
            made = replace(made, headers=(*made.headers, (_NAMED[word], value)))
        elif word in ("-k", "--insecure"):
            made = replace(made, insecure=True)
        elif word in ("-I", "--head"):
            method = "HEAD"
        elif word in _IGNORED_WITH_VALUE:
            _value(word, left)
        elif word.startswith("-") and word not in ("--url", *_IGNORED):
            raise UsageError(f"curl {word}: this option is not known here; leave it out, or use --exec 'curl ...'")
        elif word not in _IGNORED:
            url = _value(word, left) if word == "--url" else word
            if made.url:
                raise UsageError("curl: there are two URLs; give each its own --request")
            made = replace(made, url=url if "://" in url or url.startswith("/") else f"http://{url}")
    if not made.url:
        raise UsageError("curl: there is no URL")
    body = b"&".join(data)
    if queried and body:
        joint = "&" if "?" in made.url else "?"
        made, body, more = replace(made, url=f"{made.url}{joint}{quote(body, safe=_SAFE)}"), b"", []
    added = {name: value for name, value in reversed(more) if not _has(made.headers, name)}
    method = method or ("POST" if data and not queried else "GET")
    return _sendable(replace(made, method=method, headers=(*made.headers, *added.items()), body=body))


def _datum(option: str, text: str) -> bytes:
    """Return what curl sends of one -d, --data-binary ...: of a text file without its line ends, or encoded."""
    if option == "--data-raw":
        return _bytes(text)
    if option == "--data-urlencode":  # content, =content, name=content, @file, name@file
        cut = next((at for at, letter in enumerate(text) if letter in "=@"), None)
        name, content = (text[:cut], text[cut:]) if cut is not None else ("", text)
        told = _body(content) if content.startswith("@") else _bytes(content.removeprefix("="))
        return _bytes(f"{name}=" if name else "") + quote(told, safe="~-._").encode()
    body = _body(text)
    stripped = text.startswith("@") and option not in ("--data-binary", "--json")
    return body.translate(None, b"\r\n\0") if stripped else body


def _plain(line: str) -> str:
    """Return a line of a shell in which $'...' is quoted in a way that shlex knows; lines that go on are one."""
    return _QUOTED.sub(lambda found: found[0] if found[1] is None else shlex.quote(_unescaped(found[1])), _joined(line))


def _joined(line: str) -> str:
    return line.replace("\\\r\n", " ").replace("\\\n", " ")


def _unescaped(text: str) -> str:
    def letter(found: re.Match[str]) -> str:
        *hexadecimal, octal, other = found.groups()
        digits = next(filter(None, hexadecimal), None)
        if digits is None and octal is None:
            return _LETTERS.get(other, other)
        number = int(digits, 16) if digits else int(octal, 8)
        return chr(number) if number <= _UNICODE_MOST else found[0]

    return (
        _ESCAPE.sub(letter, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )  # pairs are one letter


def _bytes(text: str) -> bytes:
    """Return what was written on the command line, byte by byte."""
    return text.encode("utf-8", "surrogateescape")


def _split_short(words: Iterable[str]) -> Iterator[str]:
    """Yield the words of curl; -XPOST, -sXPOST and --header=x are two and more. Values stay as they are."""
    valued = False
    for word in words:
        flags = word[1:] if word.startswith("-") and not word.startswith("--") else ""
        alone = len(flags) - len(flags.lstrip(_ALONE))
        parts = [word]
        if not valued and word.startswith("--") and "=" in word:
            parts = word.split("=", 1)
        elif not valued and len(flags) > 1 and (alone == len(flags) or flags[alone] in _WITH_VALUE):
            parts = [*(f"-{flag}" for flag in flags[: alone + 1]), *filter(None, [flags[alone + 1 :]])]
        valued = not valued and parts[-1] in _TAKES_VALUE
        yield from parts


def _value(option: str, left: Iterator[str]) -> str:
    value = next(left, None)
    if value is None:
        raise UsageError(f"curl {option}: its value is missing")
    return value
