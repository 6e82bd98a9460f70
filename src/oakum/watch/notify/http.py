"""Channels behind HTTP: a signed webhook, Alertmanager's API v2, hooks as Slack has them. One POST: 2xx, or failed.

Through the endpoint of collect/web: deadlines, a cap on the answer, no redirects, addresses never shown whole.
"""

import hashlib
import hmac
import json
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from oakum.collect.web import Access, HttpEndpoint, vault
from oakum.collect.web.address import without_user
from oakum.model import Text, Unreachable, UsageError
from oakum.watch.notify.channels import ChannelConfig, DeliveryFailed, Secret
from oakum.watch.notify.messages import Message

SCHEMA = "oakum.notification/1"
SIGNATURE = "X-Oakum-Signature"
# Alertmanager keeps alerts in memory and lets them end: it is told again in time; those of a watcher that is gone end.
_TOLD_AGAIN, _LASTS = 300, 1200  # seconds
_TITLE, _SECTION = 150, 2900  # characters that Slack takes in a header and in a section


class HTTP:
    """A channel that is an address."""

    def __init__(self, config: ChannelConfig, access: Access) -> None:
        self.name = config.called
        self.forgets = _TOLD_AGAIN if config.type == "alertmanager" else None
        self._config, self._access = config, access
        self._url = Secret(self.name, config.url_file, config.url_env, config.url)
        self._secret = Secret(self.name, config.secret_file, config.secret_env)
        self._open: tuple[str, HttpEndpoint] | None = None  # the address changes when its file does

    def check(self, url: str) -> None:
        """Raise UsageError where an address is none."""
        self._endpoint(url)

    def deliver(self, message: Message, now: int) -> None:
        """Post a message; raise DeliveryFailed."""
        url = self._url.read()
        try:
            endpoint, path = self._endpoint(url)
        except UsageError:
            # Its text repeats the address.
            where = self._url.file or f"${self._url.variable}"
            told = {"channel": self.name, "where": where, "said": "it is no http:// or https:// address"}
            raise DeliveryFailed(Text("notify.failed.secret", told)) from None
        if self._config.type != "alertmanager":
            vault.note(path)  # a server that repeats it must not make it known
        body = json.dumps(self._body(message, now), ensure_ascii=False).encode("utf-8", "replace")
        headers = {"Idempotency-Key": _header(message.key)}
        if self._secret.exists:
            headers[SIGNATURE] = signature(self._secret.read(), body, now // 1_000_000)
        try:
            answer = endpoint.deliver(path, body, headers, seconds=self._config.seconds)
        except Unreachable as error:
            raise DeliveryFailed(self._failed(error.text)) from error
        if 200 <= answer.status < 300:
            return
        if 300 <= answer.status < 400:
            raise DeliveryFailed(Text("notify.failed.redirect", {"channel": self.name}))
        said = answer.headers.get("retry-after", "")
        raise DeliveryFailed(self._failed(answer.fault), float(said) if re.fullmatch(r"[0-9]{1,6}", said) else None)

    def _failed(self, why: Text) -> Text:
        return Text("notify.failed.answer", {"channel": self.name, "why": why})

    def _endpoint(self, url: str) -> tuple[HttpEndpoint, str]:
        """Return the server of an address, and the rest of it."""
        try:
            parts = urlsplit(url)
        except ValueError:
            raise UsageError(f"notify {self.name!r}: url is no address") from None
        path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        if self._config.type == "alertmanager":
            path = f"{parts.path.rstrip('/')}/api/v2/alerts"
        server = f"{parts.scheme}://{parts.netloc}"
        if self._open is None or self._open[0] != server:
            if self._open is not None:
                self._open[1].close()
            self._open = (server, HttpEndpoint(server, self._access, shown=without_user(server)))
        return self._open[1], path

    def _body(self, message: Message, now: int) -> Any:
        if self._config.type == "alertmanager":
            return [alert(message, now, self._config.language)]
        if self._config.type == "slack":
            return blocks(message, self._config.language)
        return document(message)


def signature(secret: str, body: bytes, seconds: int) -> str:
    """Return what proves that a body is ours, and when it was sent: HMAC-SHA256 of "SECONDS.BODY"."""
    digest = hmac.new(secret.encode("utf-8", "surrogateescape"), b"%d." % seconds + body, hashlib.sha256)
    return f"t={seconds},v1={digest.hexdigest()}"


def document(message: Message) -> dict[str, Any]:
    """Return a message as the webhook has it; docs/watch-notify.md describes every field."""
    row = message.incident
    times = ("opened_at", "updated_at", "closed_at", "since", "since_low", "since_high", "limit_low", "limit_high")
    return {
        "schema": SCHEMA,
        "key": message.key,
        "kind": message.kind,
        "title": message.title,
        "summary": {lang: list(said) for lang, said in message.summary.items()},
        "page": message.page,
        "labels": message.labels,
        "incident": {
            "id": row.incident,
            "revision": row.revision,
            "service": row.service,
            "state": row.state,
            "verdict": row.verdict,
            "mechanism": row.mechanism,
            "function": row.function,
            "file": row.file,
            "line": row.line,
            "replicas": list(row.replicas),
            "after": json.loads(row.after) if row.after else None,
            **{name: _iso(getattr(row, name)) for name in times},
        },
    }


def alert(message: Message, now: int, lang: str) -> dict[str, Any]:
    """Return a message as Alertmanager's API v2 has it. Labels are those that stay the same: they are its identity."""
    row = message.incident
    test = message.kind == "test"
    ends = row.closed_at if message.ended and row.closed_at is not None else now
    return {
        "labels": {
            "alertname": "OakumTest" if test else "OakumLeak",
            "severity": "none" if test else "warning",
            "service": row.service,
            "incident": row.incident,
        },
        "annotations": {
            "summary": message.title[lang],
            "description": "\n".join(message.summary[lang]),
            **{name: value for name, value in message.labels.items() if name in ("mechanism", "function")},
        },
        "startsAt": _iso(row.opened_at),
        # Of one that is over the end lies in the past; a test ends by itself.
        "endsAt": _iso(min(ends, now) if message.ended else now + (60 if test else _LASTS) * 1_000_000),
        **({"generatorURL": message.page} if re.match(r"https?://", message.page) else {}),
    }


def blocks(message: Message, lang: str) -> dict[str, Any]:
    """Return a message as an incoming webhook of Slack takes it; what programs are called is escaped."""
    title = message.title[lang]
    said = "\n".join(f"• {escaped(one)}" for one in message.summary[lang])
    return {
        "text": escaped(title),
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": _cut(title, _TITLE), "emoji": False}},
            {"type": "section", "text": {"type": "mrkdwn", "text": _cut(said, _SECTION), "verbatim": True}},
        ],
    }


def escaped(text: str) -> str:
    """Return text without what Slack reads as markup, links and mentions: <!channel>, *bold*, `code`."""
    shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # There is no escape for these: a character of no width before each keeps them from being markup.
    return re.sub(r"([*_~`])", "\u200b\\1", shown)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _header(text: str) -> str:
    return "".join(char if char.isascii() and char.isprintable() and char != " " else "_" for char in text)[:200]


def _iso(micros: int | None) -> str | None:
    if micros is None:
        return None
    try:
        return datetime.fromtimestamp(micros / 1e6, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (OverflowError, OSError, ValueError):
        return None
