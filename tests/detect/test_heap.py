"""Heap that grows: what is told of it, by shape and by movement, on small profiles and on recorded ones."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from handmade import Sample, profile
from oakum.cli.case import case
from oakum.compare.goroutines import started
from oakum.compare.heap import heap_growth
from oakum.compare.memory import memory_series
from oakum.detect.heap import heap_suspects
from oakum.detect.heap_holders import join_heap
from oakum.detect.heap_pins import attribute, pin_evidence
from oakum.model import Capture, Frame, Goroutines, Growth, MemStats, Process, Profile, Site, Snapshot, Source, Suspect
from oakum.parse import goroutines, parse
from oakum.report.words import LANGUAGES, say
from support import ROOT

TYPES = ("alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes")
START = datetime(2026, 3, 1, tzinfo=UTC)
HTTP = "net/http.HandlerFunc.ServeHTTP@net/http/server.go:2358 net/http.(*conn).serve@net/http/server.go:2157"
CACHE = f"main.(*Cache).put@cache.go:12 main.(*Shop).serve@shop.go:40 {HTTP}"
OTHER = f"main.decode@decode.go:7 main.(*Shop).other@shop.go:70 {HTTP}"
SUBSCRIBE = (
    "example.org/bus.newRing@example.org/bus@v1.0.0/ring.go:3 example.org/bus.(*Bus).Subscribe@example.org/bus@v1.0.0/bus.go:9 "
    "main.(*Syncer).admit@sync.go:8 main.(*Syncer).run@sync.go:3"
)
SIZE = 64 << 10
TAKES = ROOT / "casebook"


def heap(held: dict[str, int], made: dict[str, int]) -> Profile:
    """Return a profile of objects of 64 KiB each: so many alive, so many ever made."""
    samples: list[Sample] = [(s, (made[s], made[s] * SIZE, held.get(s, 0), held.get(s, 0) * SIZE)) for s in made]
    return profile(samples, TYPES, period=512 << 10)


def process(moments: Sequence[dict[str, int]], made: Sequence[dict[str, int]] = (), dump: str = "") -> Process:
    """Return a process with these objects alive in each moment; every moment a minute and 1,000 other objects later."""
    found: Goroutines | None = None
    if dump:
        (found,) = [one for reading in parse(Capture("test", dump.encode())) if (one := goroutines(reading))]
    snapshots = []
    for at, held in enumerate(moments):
        total = {**held, "main.busy@busy.go:1 main.main@main.go:1": 1000 * (at + 1), **(made[at] if made else {})}
        sources = {"heap": Source("heap", f"sha256:{at}"), "goroutines": Source("dump", f"sha256:g{at}")}
        at_time = START + timedelta(minutes=at)
        snapshots.append(Snapshot(str(at), at_time, goroutines=found, heap=heap(held, total), sources=sources))
    return Process("p1", "shop", tuple(snapshots))


def suspects(one: Process, pinned: Sequence[Suspect] = ()) -> tuple[Suspect, ...]:
    growth = heap_growth([s.heap for s in one.snapshots], [s.heap for s in one.baseline])
    steps = started([s.goroutines for s in one.snapshots]).tolist()
    told = heap_suspects(one, growth, memory_series(one), pinned, [step if step >= 0 else None for step in steps])
    for suspect in told:
        for evidence in suspect.evidence:
            assert all(not say(evidence.claim, lang).startswith(evidence.claim.key) for lang in LANGUAGES)
    return told


def accused(told: Sequence[Suspect]) -> list[str]:
    """Return what judge.py may call likely: a shape, and rises or a baseline; nothing that speaks against it."""
    against = {"heap-plateau", "heap-falls", "heap-sampling-noise", "heap-like-baseline", "heap-with-goroutines"}
    return [
        one.sites[0].frame.function
        for one in told
        if "heap-owner" in one.kinds and one.kinds & {"heap-steady-growth", "heap-baseline"} and not one.kinds & against
    ]


IDLE = """goroutine 7 [chan receive]:
main.idle()
	/srv/shop/idle.go:3 +0x1
created by main.main
	/srv/shop/main.go:9 +0x1
"""


def test_a_map_that_rises_with_every_step() -> None:
    (found,) = suspects(process([{CACHE: 200 * at} for at in range(5)], dump=IDLE))
    assert found.mechanisms == ("growing-container",)
    assert set(found.kinds) == {"heap-steady-growth", "heap-owner"}
    assert [(site.role, site.frame.function, site.frame.line) for site in found.sites] == [
        ("allocated", "main.(*Cache).put", 12),
        ("driver", "main.(*Shop).serve", 40),
    ]
    assert found.growth[0].counts == tuple(200 * at * SIZE for at in range(5))
    assert found.growth[0].per_hour == pytest.approx(200 * SIZE * 60, rel=0.01)
    assert [frame.function for frame in found.path] == ["main.(*Shop).serve", "main.(*Cache).put"]
    assert all(one.capture == "sha256:4" for one in found.evidence)


@pytest.mark.parametrize(
    ("alive", "kind"),
    [
        ([0, 300, 400, 410, 410, 410], "heap-plateau"),
        ([0, 300, 600, 600, 600, 600], "heap-plateau"),
        ([0, 300, 600, 300, 100, 0], "heap-falls"),
        ([0, 300], "heap-single-step"),
        ([0, 200, 400], "heap-single-step"),
    ],
)
def test_what_is_no_leak_or_not_yet_one(alive: list[int], kind: str) -> None:
    told = suspects(process([{CACHE: number} for number in alive], dump=IDLE))
    assert kind in told[0].kinds
    assert not accused(told)


def test_few_samples_are_nothing() -> None:
    """Four sampled objects of 1 KiB read as 2 MiB: that may be chance."""
    stack = "main.small@small.go:3 main.(*Shop).serve@shop.go:40"
    moments = [
        profile([(stack, (512 * at, (512 << 10) * at, 512 * at, (512 << 10) * at))], TYPES, period=512 << 10)
        for at in range(5)
    ]
    one = process([{}] * 5, dump=IDLE)
    snapshots = [replace(s, heap=profile) for s, profile in zip(one.snapshots, moments, strict=True)]
    assert suspects(replace(one, snapshots=tuple(snapshots))) == ()


def test_one_profile_says_what_holds_most() -> None:
    told = suspects(process([{CACHE: 900, OTHER: 100}]))
    assert [one.sites[0].frame.function for one in told] == ["main.(*Cache).put", "main.decode"]
    assert set(told[0].kinds) == {"heap-largest"}
    assert told[0].share["inuse_space"] == pytest.approx(0.9)


def test_a_registration_outranks_size_in_one_profile() -> None:
    told = suspects(process([{OTHER: 600, SUBSCRIBE: 400}]))
    assert told[0].mechanisms[0] == "accumulating-registration"
    registered = [site.frame.function for site in told[0].sites if site.role == "registered"]
    assert registered == ["example.org/bus.(*Bus).Subscribe", "main.(*Syncer).admit"]


def test_a_timer_names_what_it_holds() -> None:
    timer = f"time.AfterFunc@time/sleep.go:178 main.(*Cache).hold@cache.go:30 main.(*Shop).serve@shop.go:44 {HTTP}"
    (found,) = suspects(process([{CACHE: 200 * at, timer: 30 * at} for at in range(5)], dump=IDLE))
    assert found.mechanisms[0] == "unstopped-timer"
    assert found.sites[0].frame.function == "main.(*Cache).put"


def test_two_causes_in_one_handler_that_move_differently_are_two() -> None:
    warm = f"main.(*Layouts).get@layout.go:9 main.(*Shop).serve@shop.go:50 {HTTP}"
    level = [0, 500, 520, 520, 520]
    told = suspects(process([{CACHE: 100 * at, warm: level[at]} for at in range(5)], dump=IDLE))
    assert [one.sites[0].frame.function for one in told] == ["main.(*Cache).put", "main.(*Layouts).get"]
    assert accused(told) == ["main.(*Cache).put"]
    assert told[1].mechanisms == ("warm-up",)


def test_a_twin_under_the_same_load() -> None:
    one = replace(process([{CACHE: 900, OTHER: 300}], dump=IDLE), baseline=process([{CACHE: 20, OTHER: 280}]).snapshots)
    told = suspects(one)
    assert accused(told) == ["main.(*Cache).put"]
    assert "heap-like-baseline" in told[1].kinds
    assert told[1].mechanisms[0] == "warm-up"


BLOCKED = """goroutine {id} [chan send]:
main.(*Office).deliver(0xc000010000)
	/srv/shop/office.go:75 +0x1
main.(*Office).prepare(0xc000010000)
	/srv/shop/office.go:60 +0x1
created by main.(*Office).order
	/srv/shop/office.go:54 +0x1
"""
SHEET = "main.typeset@office.go:79 main.(*Office).prepare@office.go:59"


def crowd(
    counts: Sequence[int],
    function: str = "main.(*Office).deliver",
    line: int = 75,
    created: str = "main.(*Office).order",
) -> Suspect:
    sites = (
        Site("blocked", Frame(function, "", line), "chan send", counts[-1]),
        Site("created", Frame(created, "", 54)),
    )
    return Suspect(sites, ("abandoned-sender",), (), growth=(Growth("goroutines", tuple(counts)),))


def test_what_goroutines_hold_is_theirs() -> None:
    dump = "\n".join(BLOCKED.format(id=at) for at in range(10, 50))
    one = process([{SHEET: 30 * at} for at in range(5)], dump=dump)
    pinned = [crowd([10 * at for at in range(5)])]
    growth = heap_growth([s.heap for s in one.snapshots])
    pin = attribute(pinned, growth, one)[0]
    assert pin.each == 3 * SIZE
    assert pin.bytes == 120 * SIZE
    assert (pin.part, pin.explains) == (1.0, 1.0)
    claim = pin_evidence(pin, pinned[0], one)
    assert claim is not None
    assert claim.claim.args["percent"] == 100
    assert not say(claim.claim).startswith(claim.claim.key)
    assert suspects(one, pinned) == ()


def test_a_share_of_the_growth_is_none_of_the_heap() -> None:
    dump = "\n".join(BLOCKED.format(id=at) for at in range(10, 50))
    one = process([{SHEET: 30 * at, CACHE: 120} for at in range(5)], dump=dump)
    pinned = [crowd([10 * at for at in range(5)])]
    pin = attribute(pinned, heap_growth([s.heap for s in one.snapshots]), one)[0]
    assert (pin.part, pin.explains) == (0.5, 1.0)
    assert join_heap(pinned[:1], (), {0: pin}, one)[0].share["inuse_space"] == 0.5
    last = replace(one, snapshots=one.snapshots[-1:])
    alone = attribute([crowd([40])], heap_growth([s.heap for s in last.snapshots]), last)[0]
    assert (alone.part, alone.explains) == (0.5, None)
    claim = pin_evidence(alone, pinned[0], last)
    assert claim is not None
    assert claim.claim.key == "heap.pinned-now"


def test_what_grows_without_them_is_not_theirs() -> None:
    one = process([{SHEET: 30 * at} for at in range(6)], dump=BLOCKED.format(id=9))
    assert attribute([crowd([0, 10, 10, 10, 10, 10])], heap_growth([s.heap for s in one.snapshots]), one) == {}


def test_goroutines_that_leak_in_step_leave_it_open() -> None:
    told = suspects(process([{CACHE: 200 * at} for at in range(5)], dump=IDLE), [crowd([50 * at for at in range(5)])])
    assert "heap-with-goroutines" in told[0].kinds


@pytest.mark.parametrize("each", [1, 1000])
def test_goroutines_that_cannot_hold_it_excuse_nothing(each: int) -> None:
    """Two hundred objects came with each of them, or a fifth of one: something else keeps them."""
    one = process([{CACHE: 200 * at} for at in range(5)], dump=IDLE)
    told = suspects(one, [crowd([each * at for at in range(5)])])
    assert "heap-with-goroutines" not in told[0].kinds


def test_what_was_never_freed_is_there_after_the_load() -> None:
    busy = "main.busy@busy.go:1 main.main@main.go:1"
    made = [{busy: work} for work in (1000, 2000, 3000, 3010)]
    kept = [{CACHE: alive} for alive in (0, 200, 400, 400)]
    assert "heap-retained" in suspects(process(kept, made))[0].kinds
    freed = [{CACHE: ever, **more} for ever, more in zip((0, 300, 600, 600), made, strict=True)]
    assert "heap-retained" not in suspects(process(kept, freed))[0].kinds
    under_load = suspects(process(kept[:3], made[:3]))[0]
    assert "heap-retained" not in under_load.kinds


def test_goroutines_of_a_registration_come_with_it() -> None:
    one = process([{SUBSCRIBE: 100 * at} for at in range(5)], dump=IDLE)
    listener = crowd(
        [100 * at for at in range(5)], "example.org/bus.(*Subscription).run", 20, "example.org/bus.(*Bus).Subscribe"
    )
    told = suspects(one, [listener])
    assert accused(told) == ["example.org/bus.newRing"]
    assert [victim.frame.function for victim in told[0].victims] == ["example.org/bus.(*Subscription).run"]
    assert join_heap([listener], told, {}, one) == list(told)


@pytest.mark.parametrize("times", [2, 3])
def test_scaling_turns_nothing_healthy_into_a_leak(times: int) -> None:
    level = [0, 300, 400, 410, 410, 410]
    assert not accused(suspects(process([{CACHE: times * number} for number in level], dump=IDLE)))


def recorded(take: str) -> Process:
    """Return a recorded take, all its moments."""
    folder: Path = TAKES / take
    moments = sorted(path for path in folder.iterdir() if path.is_dir())
    (found,) = case([str(path) for path in moments]).processes
    return found


@pytest.mark.parametrize(
    ("take", "function", "line", "mechanism"),
    [
        ("growing-container-paydesk/captures/leaking-go1.27-trimpath", "main.(*Replay).Remember", 41, "growing-container"),
        ("accumulating-registration-storefront/captures/leaking-go1.19-modcache", "example.org/kestrelops/switchyard/toggles.(*Store).copyView", 94, "accumulating-registration"),
        ("unstopped-timer-beaconhub/captures/leaking-go1.27-trimpath", "main.(*Hub).enter", 91, "unstopped-timer"),
        ("finalizer-backlog-scratchd/captures/leaking-go1.19-modcache", "main.(*Pool).Lend", 51, "finalizer-backlog"),
        ("rancher-30122/captures/leaking-go1.26-modcache", "k8s.io/utils/buffer.NewRingGrowing", 31, "accumulating-registration"),
    ],
)  # fmt: skip
def test_recorded_leaks(take: str, function: str, line: int, mechanism: str) -> None:
    told = suspects(recorded(take))
    assert accused(told) == [function]
    assert told[0].mechanisms[0] == mechanism
    assert told[0].sites[0].frame.line == line


@pytest.mark.parametrize(
    "take",
    [
        "growing-container-tilehouse/captures/fixed-go1.19-modcache",
        "healthy-bounded-cache-partcat/captures/healthy-go1.19-modcache",
        "healthy-finalizers-blobcache/captures/healthy-go1.27-trimpath",
        "healthy-warm-up-harbourhub/captures/healthy-go1.19-modcache",
    ],
)
def test_recorded_look_alikes(take: str) -> None:
    assert not accused(suspects(recorded(take)))


def test_what_a_server_reads_of_its_requests_is_one_thing() -> None:
    """Requests that somebody keeps are many small allocations of net/http; together they rise, each alone is noise."""
    serve = "net/http.(*conn).readRequest@net/http/server.go:1040 net/http.(*conn).serve@net/http/server.go:2018"
    line = f"net/textproto.(*Reader).ReadLine@net/textproto/reader.go:38 net/http.readRequest@net/http/request.go:1060 {serve}"
    header = f"net/textproto.readMIMEHeader@net/textproto/reader.go:500 net/http.readRequest@net/http/request.go:1100 {serve}"
    moments = [
        profile([(stack, (n, n * 512, n, n * 512)) for stack in (line, header)], TYPES, period=512 << 10)
        for n in (1, 5000, 10000, 15000, 20000)
    ]
    one = process([{}] * 5, dump=IDLE)
    snapshots = [replace(s, heap=profile) for s, profile in zip(one.snapshots, moments, strict=True)]
    told = suspects(replace(one, snapshots=tuple(snapshots)))
    assert [len(one.allocations) for one in told] == [2]
    assert told[0].growth[0].counts[-1] == 2 * 20000 * 512


def test_a_profile_that_was_made_new_counts_as_a_moment() -> None:
    """Asked to collect first, a process gives a new profile while its count of collections is still the old one."""
    one = process([{CACHE: 200 * at} for at in range(4)], dump=IDLE)
    snapshots = tuple(
        replace(moment, memstats=MemStats(num_gc=3, mallocs=1000 * at)) for at, moment in enumerate(one.snapshots)
    )
    (found,) = suspects(replace(one, snapshots=snapshots))
    assert "heap-steady-growth" in found.kinds
    stale = replace(snapshots[3], heap=snapshots[2].heap)
    (found,) = suspects(replace(one, snapshots=(*snapshots[:3], stale)))
    assert "heap-steady-growth" not in found.kinds
