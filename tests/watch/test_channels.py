"""Channels: what is sent, how it is signed and escaped, what a failure says, and that no secret is in it."""

import email
import hashlib
import hmac
import json
import re
import socket
import stat
import time
import tomllib
from collections.abc import Iterator
from email.policy import default
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oakum.model import OakumError, UsageError
from oakum.report.words import say
from oakum.watch.notify import ChannelConfig, DeliveryFailed, Message, Outbox, attempt, message, open_channel, send_test
from support import ROOT
from watch.receiving import MINUTE, NOW, Receiver, incident, receiving

HOSTILE = 'evil<!channel>*x*\r\nBcc: a@b\x1b[2J"'


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as lent:
        yield lent


def failure(config: ChannelConfig, what: Message | None = None) -> str:
    """Deliver, and return why that failed."""
    with pytest.raises(DeliveryFailed) as raised:
        open_channel(config).deliver(what or message("opened", incident()), NOW)
    return say(raised.value.text)


def test_a_webhook_is_signed(receiver: Receiver, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("k3y-of-the-hook\n")
    config = ChannelConfig("webhook", url=f"{receiver.url}/in?team=a", secret_file=str(secret))
    open_channel(config).deliver(message("opened", incident(), "/var/lib/oakum/i1.html"), NOW)
    got = receiver.got[0]
    assert (got.path, got.headers["content-type"], got.headers["idempotency-key"]) == (
        "/in?team=a",
        "application/json",
        "i1:1",
    )
    seconds, digest = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", got.headers["x-oakum-signature"]).groups()  # type: ignore[union-attr]
    assert int(seconds) == NOW // 1_000_000
    assert digest == hmac.new(b"k3y-of-the-hook", f"{seconds}.".encode() + got.body, hashlib.sha256).hexdigest()
    told = json.loads(got.body)
    assert (told["schema"], told["kind"], told["key"]) == ("oakum.notification/1", "opened", "i1:1")
    assert told["incident"]["limit_low"] == "2025-06-15T18:06:40.000Z"
    assert told["title"]["en"] == "LEAK checkout: Goroutines blocked on channel send, the receiver is gone"
    assert told["title"]["zh"].startswith("泄漏 checkout")
    assert told["summary"]["en"] == [
        "Place: shop/cart.(*Cache).fill (cart/cache.go:77).",
        "Growing since 2025-06-15 13:06 UTC (between 2025-06-15 12:56 and 2025-06-15 13:16).",
        "The memory limit is reached not before 2025-06-15 18:06 UTC, and by 2025-06-15 20:06 UTC.",
        "Replicas: checkout-1, checkout-2.",
        "Opened 2025-06-15 14:06 UTC.",
        "Report: /var/lib/oakum/i1.html",
    ]


def test_what_is_not_known_is_not_said() -> None:
    bare = incident(
        since=None,
        since_low=None,
        since_high=None,
        limit_low=None,
        limit_high=None,
        mechanism="",
        function="",
        replicas=(),
    )
    assert message("opened", bare).summary["en"] == ("Opened 2025-06-15 14:06 UTC.",)
    assert message("opened", bare).title["en"] == "LEAK checkout: growth without a known cause yet"
    ended = message("resolved", incident(closed_at=NOW))
    assert "Opened 2025-06-15 14:06 UTC, resolved 2025-06-15 15:06 UTC." in ended.summary["en"]
    assert not [one for one in ended.summary["en"] if "limit" in one]
    assert [one for one in message("opened", incident(limit_high=None)).summary["en"] if "if at all" in one]
    many = message("opened", incident(replicas=tuple(f"r{number}" for number in range(300))))
    assert [one for one in many.summary["en"] if "and 192 more" in one]  # of 200 that are kept


def test_a_secret_that_rotates_is_read_anew(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    channel = open_channel(ChannelConfig("webhook", url=receiver.url, secret_env="HOOK_KEY"))
    for key in ("first-key", "second-key"):
        monkeypatch.setenv("HOOK_KEY", key)
        channel.deliver(message("opened", incident()), NOW)
    assert receiver.got[0].headers["x-oakum-signature"] != receiver.got[1].headers["x-oakum-signature"]
    monkeypatch.delenv("HOOK_KEY")
    with pytest.raises(DeliveryFailed) as raised:
        channel.deliver(message("opened", incident()), NOW)
    assert say(raised.value.text) == "webhook: not delivered: the secret could not be read from $HOOK_KEY: it is empty"


def test_slack_reads_no_markup_in_names(receiver: Receiver) -> None:
    config = ChannelConfig("slack", url=f"{receiver.url}/services/T0/B0/hunter2hunter2", language="zh")
    open_channel(config).deliver(
        message("opened", incident(service=HOSTILE, function="a.F[go.shape.*uint8_0]" * 40)), NOW
    )
    told = json.loads(receiver.got[0].body)
    assert "<" not in told["text"]
    assert "&lt;!channel&gt;" in told["text"]
    header, section = told["blocks"]
    assert header["text"]["type"] == "plain_text"
    assert len(header["text"]["text"]) <= 150
    assert len(section["text"]["text"]) <= 3000
    assert not re.search(r"(?<!\u200b)[*_~`]", section["text"]["text"])
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", told["text"] + section["text"]["text"])


def test_alertmanager_gets_labels_that_stay_the_same(receiver: Receiver) -> None:
    channel = open_channel(ChannelConfig("alertmanager", url=f"{receiver.url}/am/"))
    assert channel.forgets == 300
    for one in (
        message("opened", incident(), "https://oakum/i1"),
        message("resolved", incident(2, closed_at=NOW - MINUTE)),
    ):
        channel.deliver(one, NOW)
    assert {got.path for got in receiver.got} == {"/am/api/v2/alerts"}
    (fired,), (ended,) = (json.loads(got.body) for got in receiver.got)
    assert (
        fired["labels"]
        == ended["labels"]
        == {"alertname": "OakumLeak", "severity": "warning", "service": "checkout", "incident": "i1"}
    )
    assert fired["startsAt"] == ended["startsAt"] == "2025-06-15T14:06:40.000Z"
    assert fired["endsAt"] == "2025-06-15T15:26:40.000Z"
    assert ended["endsAt"] == "2025-06-15T15:05:40.000Z"
    assert fired["generatorURL"] == "https://oakum/i1"


@pytest.mark.parametrize("status", [301, 307])
def test_no_redirect_is_followed(receiver: Receiver, status: int) -> None:
    receiver.status, receiver.headers = status, {"Location": f"{receiver.url}/elsewhere"}
    assert "redirects" in failure(ChannelConfig("slack", url=f"{receiver.url}/services/hunter2hunter2"))
    assert len(receiver.got) == 1


def test_a_failure_says_what_to_do_and_no_secret(receiver: Receiver, tmp_path: Path) -> None:
    hook = tmp_path / "hook"
    hook.write_text(f"{receiver.url}/services/T0/hunter2hunter2?key=hunter2hunter2\n")
    config = ChannelConfig("slack", "chat", url_file=str(hook))
    receiver.status, receiver.body = 404, b"no such hook /services/T0/hunter2hunter2?key=hunter2hunter2"
    said = failure(config)
    assert said.startswith("chat: not delivered: ")
    hook.write_text("http://127.0.0.1:1/services/T0/hunter2hunter2\n")
    refused = failure(config)
    assert "127.0.0.1:1" in refused
    hook.write_text("hunter2hunter2\n")
    wrong = failure(config)
    hook.unlink()
    for text in (said, refused, wrong, failure(config)):
        assert "hunter2" not in text.replace("***", "")
    deliveries = Outbox().add([message("opened", incident())], {"chat": None}, NOW).due(NOW)
    assert "hunter2" not in repr(attempt(deliveries, [open_channel(config)], NOW))


def test_an_answer_may_ask_for_patience(receiver: Receiver) -> None:
    receiver.status, receiver.headers = 429, {"Retry-After": "40"}
    deliveries = (
        Outbox().add([message("opened", incident(name=name)) for name in ("a", "b")], {"webhook": None}, NOW).due(NOW)
    )
    outcomes = attempt(deliveries, [open_channel(ChannelConfig("webhook", url=receiver.url))], NOW)
    assert [one.retry_after for one in outcomes] == [40, 40]
    assert len(receiver.got) == 1  # the other waits as long without asking


def test_a_server_that_hangs_or_never_ends_delays_nobody_else(receiver: Receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        channels = [
            open_channel(ChannelConfig("webhook", "slow", url=url, seconds=0.3)),
            open_channel(ChannelConfig("webhook", "good", url=receiver.url)),
        ]
        receiver.body = b"x" * 1_000_000  # more than is read of an answer
        deliveries = (
            Outbox().add([message("opened", incident())], {"slow": None, "good": None, "gone": None}, NOW).due(NOW)
        )
        outcomes = {one.channel: one for one in attempt(deliveries, channels, NOW)}
    assert outcomes["good"].failed == ""
    assert "0.3 s" in outcomes["slow"].failed
    assert outcomes["gone"].dropped


def mailer(tmp_path: Path, script: str) -> ChannelConfig:
    command = tmp_path / "send mail"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    given = (str(command), "-t", str(tmp_path / "got; rm -rf *"))
    return ChannelConfig(
        "mail", command=given, sender="oakum@example.com", recipients=("sre@example.com", "b@example.com")
    )


def test_mail_is_a_message_on_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_KEY", "k3y")
    config = mailer(tmp_path, 'env > "$2.env"; cat > "$2"')
    open_channel(config).deliver(message("opened", incident(service=HOSTILE)), NOW)
    mail = email.message_from_bytes((tmp_path / "got; rm -rf *").read_bytes(), policy=default)
    assert mail["To"] == "sre@example.com, b@example.com"
    assert mail["Bcc"] is None
    assert mail["Subject"].startswith("LEAK evil<!channel>*x*??Bcc: a@b?[2J")
    assert mail["Message-ID"] == "<i1.1@oakum.invalid>"
    assert "Place: shop/cart.(*Cache).fill" in mail.get_content()
    assert "k3y" not in (tmp_path / "got; rm -rf *.env").read_text()


def test_mail_in_chinese_is_readable(tmp_path: Path) -> None:
    config = msgspec.structs.replace(mailer(tmp_path, 'cat > "$2"'), language="zh")
    open_channel(config).deliver(message("opened", incident()), NOW)
    mail = email.message_from_bytes((tmp_path / "got; rm -rf *").read_bytes(), policy=default)
    assert mail["Subject"] == "泄漏 checkout：协程阻塞在 channel 发送，接收方已退出"
    assert "内存上限最早于" in mail.get_content()


def test_a_mail_command_that_fails_says_why(tmp_path: Path) -> None:
    assert (
        failure(mailer(tmp_path, "echo 'no route\x1b' >&2; exit 75"))
        == "mail: not delivered: send mail ended with exit code 75: no route"
    )
    config = mailer(tmp_path, "exit 0")
    Path(config.command[0]).unlink()
    with pytest.raises(UsageError, match="there is no program"):
        open_channel(config)


def test_a_mail_command_that_hangs_is_ended(tmp_path: Path) -> None:
    began = time.monotonic()
    assert "still running" in failure(msgspec.structs.replace(mailer(tmp_path, "sleep 60"), seconds=0.2))
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (ChannelConfig("webhook"), "exactly one of url, url_file and url_env"),
        (ChannelConfig("webhook", url="http://a", url_env="B"), "exactly one of"),
        (ChannelConfig("webhook", url="ftp://a"), "an address looks like"),
        (ChannelConfig("slack", url="http://a", secret_env="B"), "only a webhook is signed"),
        (ChannelConfig("webhook", url="http://a", seconds=0.0), "seconds is between"),
        (ChannelConfig("webhook", url="http://a", token_file="/nowhere"), "/nowhere"),
        (ChannelConfig("mail"), "mail needs sender"),
        (ChannelConfig("mail", command=("true",), sender="x@y\nBcc: z", recipients=("a@b",)), "is no mail address"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(config: ChannelConfig, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        open_channel(config)


def test_a_test_notification_says_whether_it_was_taken(receiver: Receiver) -> None:
    channel = open_channel(ChannelConfig("webhook", url=receiver.url))
    send_test(channel, NOW)
    assert json.loads(receiver.got[0].body)["title"]["en"] == "TEST oakum: this is a test notification"
    receiver.status = 500
    with pytest.raises(OakumError, match="webhook: not delivered"):
        send_test(channel, NOW)


def test_what_the_page_says_of_signatures_and_configuration_holds(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "watch-notify.md").read_text(encoding="utf-8")
    snippet, example = (
        re.search(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE) for kind in ("python", "toml")
    )
    assert snippet
    assert example
    scope: dict[str, Any] = {"hmac": hmac, "hashlib": hashlib}
    exec(snippet[1], scope)  # noqa: S102 (it is the page's own)
    monkeypatch.setenv("HOOK_KEY", "k3y-of-the-page")
    open_channel(ChannelConfig("webhook", url=receiver.url, secret_env="HOOK_KEY")).deliver(
        message("opened", incident()), NOW
    )
    got = receiver.got[0]
    signed = (got.headers["x-oakum-signature"], got.body)
    assert scope["is_ours"](b"k3y-of-the-page", *signed, NOW / 1e6 + 10)
    assert not scope["is_ours"](b"k3y-of-the-page", *signed, NOW / 1e6 + 1000)
    assert not scope["is_ours"](b"another", *signed, NOW / 1e6)
    shown = msgspec.convert(tomllib.loads(example[1])["notify"], list[ChannelConfig])
    assert [one.type for one in shown] == ["webhook", "alertmanager", "slack", "mail"]
