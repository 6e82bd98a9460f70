"""A fleet made by hand: pprof files of services that are healthy in all the ways that look like growth, and some that
leak, with what is true of each."""

import json
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import Struct

from handmade import Sample, profile
from oakum.model import Mapping
from oakum.views.proto import encode

BEGIN = 1_763_546_400  # 2025-11-19 10:00:00 UTC
HOUR = 3600
_PARK = "runtime.gopark@/usr/local/go/src/runtime/proc.go:424"
_SEND = f"{_PARK} runtime.chansend@/usr/local/go/src/runtime/chan.go:283 runtime.chansend1@/usr/local/go/src/runtime/chan.go:161"
_RECEIVE = f"{_PARK} runtime.chanrecv@/usr/local/go/src/runtime/chan.go:664 runtime.chanrecv1@/usr/local/go/src/runtime/chan.go:506"
_SELECT = f"{_PARK} runtime.selectgo@/usr/local/go/src/runtime/select.go:335"
_POLL = (
    f"{_PARK} runtime.netpollblock@/usr/local/go/src/runtime/netpoll.go:575 internal/poll.runtime_pollWait@/usr/local/go/"
    "src/runtime/netpoll.go:351 internal/poll.(*pollDesc).wait@/usr/local/go/src/internal/poll/fd_poll_runtime.go:84 "
    "internal/poll.(*FD).Read@/usr/local/go/src/internal/poll/fd_unix.go:165 net.(*conn).Read@/usr/local/go/src/net/net.go:189 "
    "net/http.(*connReader).Read@/usr/local/go/src/net/http/server.go:800 bufio.(*Reader).Peek@/usr/local/go/src/bufio/bufio.go:148 "
    "net/http.(*conn).serve@/usr/local/go/src/net/http/server.go:2127"
)


class Planted(Struct, frozen=True):
    """What is true of one service."""

    service: str
    leaks: str = ""  # goroutines, heap; "": healthy
    function: str = ""
    replicas: int = 1
    leaking: int = 0  # replicas that leak
    begin: int = 0  # Unix time
    build: str = ""  # since which it leaks
    per_look: int = 0


def goroutines(service: str, leaked: int, chance: random.Random, build: str, function: str, load: float) -> bytes:
    """Return a goroutine profile: a server with connections that come and go, workers, and what has leaked."""
    own = f"{service}.example/app"
    idle = max(1, round(load * chance.uniform(0.7, 1.3)))
    samples: list[Sample] = [
        (f"{_POLL}", [idle]),
        (f"{_RECEIVE} {own}/pool.(*Pool).work@/src/{service}/pool/pool.go:51", [8]),
        (f"{_SELECT} {own}/cache.(*Cache).expire@/src/{service}/cache/cache.go:77", [1]),
        (f"{_SELECT} {own}/api.(*Server).handle@/src/{service}/api/server.go:120 net/http.HandlerFunc.ServeHTTP@/usr/local/"
         "go/src/net/http/server.go:2294 net/http.(*conn).serve@/usr/local/go/src/net/http/server.go:2102",
         [max(1, round(idle * chance.uniform(0, 0.3)))]),
        ("runtime/pprof.writeRuntimeProfile@/usr/local/go/src/runtime/pprof/pprof.go:816 net/http/pprof.handler.ServeHTTP@"
         "/usr/local/go/src/net/http/pprof/pprof.go:272", [1]),
        (f"{_RECEIVE} main.main@/src/{service}/main.go:60 runtime.main@/usr/local/go/src/runtime/proc.go:283", [1]),
    ]  # fmt: skip
    if leaked:
        samples.append((f"{_SEND} {function}@/src/{service}/notify/notify.go:88", [leaked]))
    return _encoded(samples, ("goroutine/count",), service, build, "goroutine")


def heap(service: str, leaked: int, chance: random.Random, build: str, function: str, age: float) -> bytes:
    """Return a heap profile: caches that are full, garbage of requests, and what has leaked, in bytes."""
    own = f"{service}.example/app"
    garbage = round(4e6 * chance.uniform(0.5, 1.5))
    rows = [
        (f"{own}/cache.(*Cache).fill@/src/{service}/cache/cache.go:40", 30_000_000, 31_000_000),
        ("bufio.NewReaderSize@/usr/local/go/src/bufio/bufio.go:56 net/http.(*conn).serve@/usr/local/go/src/net/http/server.go:1996",
         garbage, round(garbage + age * 4e6)),
    ]  # fmt: skip
    if leaked:
        rows.append((f"{function}@/src/{service}/index/index.go:64", leaked, leaked))
    samples: list[Sample] = [(stack, [made // 4096, made, max(1, live // 4096), live]) for stack, live, made in rows]
    types = ("alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes")
    return _encoded(samples, types, service, build, "heap")


def _encoded(samples: list[Sample], types: tuple[str, ...], service: str, build: str, kind: str) -> bytes:
    program = Mapping(0x400000, 0x800000, 0, f"/usr/bin/{service}", build) if build else None
    made = profile(samples, types, (program,) if program else ())
    return encode(made)


def write(
    root: Path, services: int, leaking: int, looks: int, seed: int = 1, replicas: int = 1, step: int = HOUR
) -> list[Planted]:
    """Write `services` below a directory, as service/[replica/]profile-time.pb.gz; return what is true of them."""
    chance = random.Random(seed)
    truth = []
    for number in range(services):
        service = f"svc-{number:03d}"
        truth.append(_planted(service, number, leaking, looks, replicas, step, chance))
        _write_one(root, truth[-1], looks, step, chance, number)
    return truth


def _planted(
    service: str, number: int, leaking: int, looks: int, replicas: int, step: int, chance: random.Random
) -> Planted:
    if number >= leaking:
        return Planted(service, replicas=replicas)
    kind = "heap" if number % 3 == 2 else "goroutines"
    own = f"{service}.example/app"
    function = f"{own}/notify.(*Hub).publish.func1" if kind == "goroutines" else f"{own}/index.(*Index).add"
    shape = number % 4  # from the first look on, from the middle on, since a build, in some replicas
    begin = BEGIN if shape in (0, 3) else BEGIN + looks // 2 * step
    some = replicas if shape != 3 else max(1, replicas // 2)
    return Planted(service, kind, function, replicas, some, begin, "b2" if shape == 2 else "", chance.randint(3, 12))


def _write_one(root: Path, truth: Planted, looks: int, step: int, chance: random.Random, number: int) -> None:
    load = chance.uniform(5, 60)
    for replica in range(truth.replicas):
        folder = root / truth.service
        if truth.replicas > 1:
            folder = folder / f"{truth.service}-{replica}"
        folder.mkdir(parents=True, exist_ok=True)
        restarts = {looks // 3, 2 * looks // 3} if number % 7 == 6 else set()  # of healthy and of leaking ones
        leaked = age = 0
        for look in range(looks):
            at = BEGIN + look * step
            if look in restarts:
                leaked = age = 0
            build = "b2" if at >= BEGIN + looks // 2 * step and (truth.build or number % 5 == 4) else "b1"
            if look == looks // 2 and build == "b2":
                leaked = age = 0
            grows = truth.leaks and replica < truth.leaking and at >= truth.begin
            leaked += truth.per_look if grows else 0
            age += 1
            lost = leaked if truth.leaks == "goroutines" else 0
            stamp = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if number % 2 else str(at)
            data = goroutines(truth.service, lost, chance, build, truth.function, load)
            (folder / f"goroutine-{stamp}.pb.gz").write_bytes(data)
            if truth.leaks == "heap" or number % 3 == 0:
                lost = leaked * 400_000 if truth.leaks == "heap" else 0
                data = heap(truth.service, lost, chance, build, truth.function, age)
                (folder / f"heap-{stamp}.pb.gz").write_bytes(data)


def held_against(truth: list[Planted], text: str) -> None:
    """Hold a ranking, as JSON, against what is true: every leak is found where it is, nobody else is accused."""
    rows = {row["service"]: row for row in json.loads(text)["rows"]}
    assert set(rows) == {one.service for one in truth}
    for one in truth:
        row = rows[one.service]
        assert (row["verdict"] == "leaking") == bool(one.leaks), (one, row)
        if not one.leaks:
            continue
        each = one.per_look * (1 if one.leaks == "goroutines" else 400_000) * one.leaking
        assert row["place"] == one.function
        assert row["kind"] == one.leaks
        assert row["growth"] == pytest.approx(each, rel=0.1)
        begin = datetime.fromisoformat(row["begin"]).timestamp()
        assert abs(begin - one.begin) <= 2 * HOUR, (one, row)
        if one.build:
            assert row["deploy"]["build"] == one.build
            assert row["deploy"]["before"] == "b1"
