"""A real Prometheus and a real Alertmanager: the exporter is scraped, an alert fires once, our channel opens and ends one."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from oakum.watch.exporter import Exporter, Health, ServiceStatus
from oakum.watch.notify import ChannelConfig, Outbox, attempt, message, open_channel, send_test
from support import ROOT, need_tool
from watch.receiving import MINUTE, Receiver, incident, receiving
from watch.test_rules import expressions

pytestmark = pytest.mark.live


class Stack(NamedTuple):
    """Where they answer, what is exported, and what Alertmanager sent on."""

    prometheus: str
    alertmanager: str
    exporter: Exporter
    receiver: Receiver


def asked(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.loads(answer.read() or b"null")


def until(what: str, look: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Return what `look` finds, asked every fifth of a second; fail when it finds nothing in time."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        try:
            if found := look():
                return found
        except (OSError, urllib.error.URLError):
            pass
        time.sleep(0.2)
    raise AssertionError(f"not within {seconds:g} s: {what}")


def ready(url: str) -> bool:
    with urllib.request.urlopen(f"{url}/-/ready", timeout=5) as answer:
        return bool(answer.status == 200)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def hastened(text: str) -> str:
    """Return configuration with the waits of seconds instead of minutes."""
    given = yaml.safe_load(text)

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            waits = {
                "for": "0s",
                "group_wait": "0s",
                "group_interval": "1s",
                "scrape_interval": "1s",
                "evaluation_interval": "1s",
            }
            return {key: waits.get(key, walk(one)) for key, one in value.items()}
        return [walk(one) for one in value] if isinstance(value, list) else value

    return yaml.safe_dump(walk(given))


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Lend both, on loopback, with the files of deploy/; both end with the tests."""
    commands = [need_tool("prometheus", "prometheus"), need_tool("prometheus-alertmanager", "prometheus-alertmanager")]
    folder: Path = tmp_path_factory.mktemp("stack")
    ports = [free_port(), free_port()]
    deploy = ROOT / "deploy"
    with receiving() as receiver, Exporter() as exporter:
        exporter.update(
            [ServiceStatus(service="search", verdict="healthy")], Health(targets=1, advanced=int(time.time() * 1e6))
        )
        routes = (deploy / "alertmanager" / "alertmanager.example.yml").read_text(encoding="utf-8")
        (folder / "alertmanager.yml").write_text(hastened(routes).replace("http://127.0.0.1:8085", receiver.url))
        (folder / "oakum.rules.yml").write_text(
            hastened((deploy / "prometheus" / "oakum.rules.yml").read_text(encoding="utf-8"))
        )
        given = hastened((deploy / "prometheus" / "prometheus.example.yml").read_text(encoding="utf-8"))
        given = given.replace("127.0.0.1:9093", f"127.0.0.1:{ports[1]}").replace(
            "127.0.0.1:9641", f"127.0.0.1:{exporter.port}"
        )
        (folder / "prometheus.yml").write_text(given)
        started: list[subprocess.Popen[bytes]] = []
        try:
            for command in (
                [commands[0], f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
                 f"--web.listen-address=127.0.0.1:{ports[0]}"],
                [commands[1], f"--config.file={folder}/alertmanager.yml", f"--storage.path={folder}/am",
                 f"--web.listen-address=127.0.0.1:{ports[1]}", "--cluster.listen-address="],
            ):  # fmt: skip
                with (folder / f"{len(started)}.log").open("wb") as log:
                    started.append(
                        subprocess.Popen(
                            command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder
                        )
                    )
            urls = [f"http://127.0.0.1:{port}" for port in ports]
            for url in urls:
                until(f"{url} is ready", partial(ready, url))
            yield Stack(urls[0], urls[1], exporter, receiver)
        finally:
            for one in started:
                one.terminate()
            for one in started:
                try:
                    one.wait(20)
                except subprocess.TimeoutExpired:
                    one.kill()
                    one.wait(10)


def alerts(stack: Stack, service: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = asked(
        f"{stack.alertmanager}/api/v2/alerts?filter=service%3D%22{service}%22&active=true"
    )
    return found


def sent(stack: Stack, service: str, status: str) -> list[dict[str, Any]]:
    """Return what Alertmanager told its receiver of a service."""
    bodies = [json.loads(got.body) for got in stack.receiver.got]
    return [
        one
        for body in bodies
        for one in body["alerts"]
        if one["labels"].get("service") == service and one["status"] == status
    ]


def value(stack: Stack, query: str) -> float | None:
    found = asked(f"{stack.prometheus}/api/v1/query?query={urllib.request.quote(query)}")["data"]["result"]  # type: ignore[attr-defined]
    return float(found[0]["value"][1]) if found else None


def test_prometheus_scrapes_what_is_exported(stack: Stack) -> None:
    hostile = 'a"b\\c\nd'
    stack.exporter.update(
        [ServiceStatus(service="search", verdict="healthy"), ServiceStatus(service=hostile, bytes_per_hour=12.5)],
        Health(targets=2, captures=5, advanced=int(time.time() * 1e6)),
    )
    assert until("scraped", lambda: value(stack, "service:oakum_growth_bytes_per_hour:max")) == 12.5
    labels = asked(f"{stack.prometheus}/api/v1/label/service/values")["data"]
    assert hostile in labels
    assert until("up", lambda: value(stack, 'up{job="oakum"}')) == 1


def test_an_alert_fires_once_and_ends(stack: Stack) -> None:
    leaking = ServiceStatus(service="checkout", verdict="leaking", incidents=1)
    health = Health(targets=1, advanced=int(time.time() * 1e6))
    stack.exporter.update([leaking], health)
    until("the alert is in Alertmanager", lambda: alerts(stack, "checkout"))
    until("it was sent on", lambda: sent(stack, "checkout", "firing"))
    # Prometheus repeats itself every second here: it stays one alert, and one notification.
    again = value(stack, "oakum_watch_last_pass_timestamp_seconds")
    stack.exporter.update([leaking], Health(targets=1, advanced=int(time.time() * 1e6) + 5_000_000))
    until("more scrapes", lambda: value(stack, "oakum_watch_last_pass_timestamp_seconds") != again)
    assert len(alerts(stack, "checkout")) == 1
    assert len(sent(stack, "checkout", "firing")) == 1
    stack.exporter.update([ServiceStatus(service="checkout", verdict="healthy")], health)
    until("it is resolved", lambda: sent(stack, "checkout", "resolved"))
    assert alerts(stack, "checkout") == []


def test_every_expression_of_the_dashboard_is_answered(stack: Stack) -> None:
    for one in expressions():
        value(stack, one)  # an expression that is none is answered with 400, which raises


def test_our_channel_shows_one_alert_and_ends_it(stack: Stack) -> None:
    channel = open_channel(ChannelConfig("alertmanager", url=stack.alertmanager))
    names: dict[str, int | None] = {channel.name: channel.forgets}

    def deliver(outbox: Outbox) -> Outbox:
        now = int(time.time() * 1e6)
        outcomes = attempt(outbox.due(now), [channel], now)
        assert [one.failed for one in outcomes] == [""]
        return outbox.settled(outcomes, names, now)

    now = int(time.time() * 1e6)
    row: dict[str, Any] = {"service": "orders", "opened_at": now - MINUTE, "updated_at": now}
    outbox = deliver(Outbox().add([message("opened", incident(1, **row))], names, now))
    (one,) = until("the alert is there", lambda: alerts(stack, "orders"))
    assert one["status"]["state"] == "active"
    assert one["annotations"]["summary"].startswith("LEAK orders: ")
    outbox = deliver(outbox.add([message("updated", incident(2, **row))], names, now))
    # Told again after five minutes, as Alertmanager forgets: the same alert.
    early = int(time.time() * 1e6)
    outcomes = attempt(outbox.due(early + 6 * MINUTE), [channel], early)
    assert len(outcomes) == 1
    assert len(alerts(stack, "orders")) == 1
    until("it was sent on", lambda: sent(stack, "orders", "firing"))
    outbox = deliver(
        outbox.add([message("resolved", incident(3, **row, state="resolved", closed_at=early))], names, early)
    )
    until("it is over", lambda: not alerts(stack, "orders"))
    until("its end was sent on", lambda: sent(stack, "orders", "resolved"))
    assert len(sent(stack, "orders", "firing")) == 1
    assert outbox.next_due() is None


def test_a_test_notification_reaches_alertmanager_and_nobody_else(stack: Stack) -> None:
    send_test(open_channel(ChannelConfig("alertmanager", url=stack.alertmanager)), int(time.time() * 1e6), "trial")
    (one,) = until("the alert is there", lambda: alerts(stack, "trial"))
    assert (one["labels"]["alertname"], [to["name"] for to in one["receivers"]]) == ("OakumTest", ["nobody"])
