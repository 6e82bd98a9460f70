"""A real Prometheus, behind a password and a prefix, that scrapes a real server which leaks, its baseline that rests, and
what a kubelet tells of their containers: ranges fetched and diagnosed."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from casebook.runner.build import for_live
from casebook.runner.case import case
from oakum.cli.case import case as case_of
from oakum.collect.target import CaptureOptions
from oakum.collect.targets import open_targets
from oakum.collect.web import Access
from oakum.diagnose import diagnose
from oakum.model import UsageError
from support import need_tool, unreachable
from toolchain import DownloadFailed, need_go

from .servers import answering

pytestmark = pytest.mark.live

PATIENCE = 120.0  # seconds for anything to come up or to be scraped, on a machine with much else to do
SCRAPES = 14
LOGIN = "Basic YW5uOm9wZW4tc2VzYW1l"  # ann:open-sesame
HASHED = "$2a$04$TZv2hgXoT/TQrsi1G/GRxOEg3RkNBe/WjznnMPrxtFxXn6wUOvUku"  # bcrypt, as Prometheus wants it
CONTAINERS = b"""# TYPE container_memory_working_set_bytes gauge
container_memory_working_set_bytes{namespace="shop",pod="freight-1",container="app"} 5e+07
container_memory_working_set_bytes{namespace="shop",pod="freight-1",container="sidecar"} 9e+07
container_memory_working_set_bytes{namespace="shop",pod="freight-1",container="POD"} 1e+06
container_memory_working_set_bytes{namespace="shop",pod="freight-1"} 1.41e+08
# TYPE container_spec_memory_limit_bytes gauge
container_spec_memory_limit_bytes{namespace="shop",pod="freight-1",container="app"} 2e+08
# TYPE kube_pod_container_status_restarts_total counter
kube_pod_container_status_restarts_total{namespace="shop",pod="freight-1",container="app"} 3
"""


@dataclass(frozen=True)
class Shop:
    """Addresses: the Prometheus, a server that leaks, and its baseline that nobody asks anything."""

    store: str
    leaks: str
    rests: str

    def word(self, query: str) -> str:
        """Return the word of a query."""
        return f"prometheus+http://ann:open-sesame@{self.store}?{query}"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def fetched(url: str) -> bytes | None:
    try:
        with urlopen(Request(url, headers={"Authorization": LOGIN}), timeout=20) as answer:
            return bytes(answer.read())
    except (URLError, OSError):
        return None


@contextmanager
def running(*command: str | Path, cwd: Path) -> Iterator[None]:
    with (cwd / "log.txt").open("ab") as log:
        process = subprocess.Popen(command, cwd=cwd, stdout=log, stderr=log, env={"PATH": os.environ.get("PATH", "")})
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def until(what: str, done: Iterator[bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    for finished in done:
        if finished:
            return
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE:.0f} s"
        time.sleep(0.2)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    need_go()
    program = need_tool("prometheus", "prometheus")
    one = case("abandoned-sender-freight")
    try:
        (server,) = for_live(one, one.builds[0]).values()
    except DownloadFailed as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("prometheus")
    found = Shop(*(f"127.0.0.1:{free_port()}" for _ in range(3)))
    with ExitStack() as stack:
        kubelet = stack.enter_context(answering(lambda *_: (200, "text/plain; version=0.0.4", CONTAINERS)))
        pods = [
            {"targets": [address], "labels": {"namespace": "shop", "pod": pod, "container": "app"}}
            for address, pod in ((found.leaks, "freight-1"), (found.rests, "freight-2"))
        ]
        jobs = [
            {"job_name": "freight", "static_configs": pods},
            {"job_name": "kubelet", "static_configs": [{"targets": [kubelet.removeprefix("http://")]}]},
        ]
        config = {"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": jobs}
        (folder / "prometheus.yml").write_text(json.dumps(config))
        (folder / "web.yml").write_text(json.dumps({"basic_auth_users": {"ann": HASHED}}))
        for address in (found.leaks, found.rests):
            stack.enter_context(running(server, "-listen", address, cwd=folder))
        serve = ("--config.file=prometheus.yml", "--web.config.file=web.yml", "--web.route-prefix=/prometheus")
        place = (f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address={found.store}")
        stack.enter_context(running(program, *serve, *place, cwd=folder))
        both = (found.leaks, found.rests)
        until("both are scraped", (min(scraped(found.store, one) for one in both) >= 2 for _ in count()))
        until("it leaks", worked(found.store, found.leaks))
        yield found


def scraped(store: str, instance: str) -> float:
    """Return how often a server was scraped."""
    query = f'count_over_time(go_goroutines{{instance="{instance}"}}[10m])'
    answer = fetched(f"http://{store}/prometheus/api/v1/query?{urlencode({'query': query})}")
    result = json.loads(answer)["data"]["result"] if answer else []
    return float(result[0]["value"][1]) if result else 0.0


def worked(store: str, instance: str) -> Iterator[bool]:
    """Ask for quotes, of which slow carriers' are abandoned, until enough scrapes have seen it."""
    begun = scraped(store, instance)
    with ThreadPoolExecutor(24) as clients:
        for round_ in count():
            list(clients.map(fetched, [f"http://{instance}/quote/transpacific/{24 * round_ + n}" for n in range(24)]))
            yield scraped(store, instance) >= begun + 1.5 * SCRAPES  # what is asked for later leaves out its start


def test_the_past_of_a_leaking_server_is_fetched_and_diagnosed(shop: Shop, tmp_path: Path) -> None:
    word = shop.word(f'match={{job="freight",instance="{shop.leaks}"}}&last={SCRAPES}s&step=1s')
    targets = open_targets([word], Access())
    assert [target.name for target in targets] == [f"freight-{shop.leaks}", f"freight-{shop.rests}"]
    for target, name in zip(targets, ("leaks", "rests"), strict=True):
        (step,) = target.plan(CaptureOptions()).steps
        got = target.take(step, CaptureOptions())
        target.close()
        assert not got.problems
        assert got.capture is not None
        assert "sesame" not in f"{target.address} {target.name} {step} {got.capture.origin}"
        (tmp_path / name).mkdir()
        (tmp_path / name / step.file).write_bytes(got.capture.data)
    snapshots = case_of([str(tmp_path / "leaks")])
    told = diagnose(snapshots)
    # Whether the numbers rise steadily, or only as the requests do, depends on how busy this machine is;
    # tests/detect/test_numbers.py knows what is to be said of each.
    assert told.verdict != "leaking", "numbers name no goroutine"
    assert {finding.mechanism for finding in told.findings} <= {"growing-goroutines", "growing-memory"}
    counts = [one.metrics.total("go_goroutines") or 0 for one in snapshots.processes[0].snapshots if one.metrics]
    assert counts[-1] > counts[0] + 16
    assert "gap.goroutines" in {gap.what.key for gap in told.gaps}
    assert diagnose(case_of([str(tmp_path / "rests")])).findings == ()
    last = case_of([str(tmp_path / "leaks")]).processes[0].snapshots[-1].metrics
    assert last is not None
    assert last.total("http_requests_total"), "work is counted"
    assert last.total("container_memory_working_set_bytes") == 5e7, "of its container alone"
    assert last.total("container_spec_memory_limit_bytes") == 2e8
    assert last.total("kube_pod_container_status_restarts_total") == 3


def test_a_container_that_nobody_scrapes_is_known_by_its_memory(shop: Shop) -> None:
    (target,) = open_targets([shop.word("match=container=sidecar&last=1m")], Access())
    assert target.name == "shop-freight-1-sidecar"
    (step,) = target.plan(CaptureOptions()).steps
    got = target.take(step, CaptureOptions())
    target.close()
    assert got.capture is not None
    assert b'"container_memory_working_set_bytes"' in bytes(got.capture.data)


def test_wrong_words_are_told_what_there_is_and_what_is_wrong(shop: Shop) -> None:
    with pytest.raises(UsageError, match=r"job is freight \(2\)"):
        open_targets([shop.word("match=job=nothing")], Access())
    with pytest.raises(UsageError, match="error parsing regexp"):
        open_targets([shop.word('match={job=~"("}')], Access())
    with unreachable("401"):
        open_targets([f"prometheus+http://{shop.store}?match=job=freight"], Access())
