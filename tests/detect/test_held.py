"""What keeps the heap: joined with who allocates, it names the holder and decides the mechanism; two dumps show growth."""

from collections.abc import Sequence
from types import MappingProxyType

import pytest

from oakum.detect.held import with_holders
from oakum.judge import confidence
from oakum.model import Evidence, Frame, Process, Site, Snapshot, Source, Suspect, Text
from oakum.model.holders import Allocation, Holder, HolderKind, Holders
from oakum.model.vocabulary import Mechanism
from oakum.parse.heapdump.paths import profile_of
from oakum.report.words import say

MIB = 1 << 20
SITE = Frame("main.(*Store).put", "/srv/store.go", 12)


def holder(name: str, mib: int, kind: HolderKind = "global", *, below: tuple[Holder, ...] = (), type: str = "",
           entries: int = 0, allocates: bool = False, stack: tuple[str, ...] = (), count: int = 1) -> Holder:  # fmt: skip
    sampled = (Allocation((Frame("runtime.mallocgc"), SITE), 3, mib * MIB),) if allocates else ()
    return Holder(name, kind, mib * MIB, 1000 * mib, below, type, count, entries, "", stack, sampled)


def process(*dumps: Sequence[Holder], heap: bool = True) -> Process:
    """Return a process with a heap dump in each snapshot, and a heap profile."""
    snapshots = []
    for at, roots in enumerate(dumps):
        ordered = tuple(sorted(roots, key=lambda one: -one.bytes))
        held = Holders(sum(one.bytes for one in roots), sum(one.objects for one in roots), ordered)
        source = Source(f"{at}.dump", f"sha256:{at:064}", "heap-dump")
        profile = profile_of(held) if heap else None
        snapshots.append(Snapshot(f"s{at}", heap=profile, holders=held, sources=MappingProxyType({"holders": source})))
    return Process("p1", "svc", tuple(snapshots))


def grows(*kinds: str, mechanism: Mechanism = "growing-container", weight: float = 0.6) -> Suspect:
    """Return a suspect of the heap."""
    evidence = tuple(
        Evidence(kind, Text("heap.goes-on", {"rises": 2, "steps": 2}), "sha256:1")  # type: ignore[arg-type]  # words
        for kind in kinds
    )
    return Suspect((Site("allocated", SITE),), (mechanism,), evidence, weight, share={"inuse_space": weight})


def sentences(suspect: Suspect) -> list[str]:
    return [say(one.claim) for one in suspect.evidence if one.kind.startswith("held-")]


def sessions(mib: int) -> Holder:
    entry = holder("$mapval", mib, "entries", type="*main.session")
    kept = holder("sessions", mib, "field", type="map[string]*main.session", entries=20_000, below=(entry,),
                  allocates=True)  # fmt: skip
    return holder("main.registry", mib, type="*main.Registry", below=(kept,), allocates=True)


def test_the_holder_is_named_by_its_path_with_bytes_and_entries() -> None:
    (found,) = with_holders([grows("heap-steady-growth")], process([sessions(80), holder("main.other", 20)]))
    assert sentences(found) == [
        "main.registry.sessions (map[string]*main.session) keeps 80.0 MiB alive in 20,000 entries, 80% of the heap."
    ]
    assert confidence(found) == "likely"
    assert found.mechanisms == ("growing-container",)


def test_two_dumps_show_that_the_same_holder_grew() -> None:
    both = process([sessions(20), holder("main.other", 20)], [sessions(80), holder("main.other", 21)])
    (found,) = with_holders([grows("heap-single-step", "heap-goes-on")], both)
    assert found.kinds.has("held-by", "held-growth")
    assert "grew from 20.0 MiB to 80.0 MiB between the heap dumps, 98% of the growth" in sentences(found)[1]
    assert confidence(found) == "likely"
    (alone,) = with_holders([grows("heap-single-step")], both)
    assert confidence(alone) == "possible", "a cache may fill like that"
    (source,) = with_holders([grows("heap-steady-growth", "never-removed")], both)
    assert confidence(source) == "proven"
    (bounded,) = with_holders([grows("heap-steady-growth", "bounded")], both)
    assert confidence(bounded) == "possible"


@pytest.mark.parametrize(
    ("root", "before", "mechanism"),
    [
        (holder("timers", 80, "timers", allocates=True), "growing-container", "unstopped-timer"),
        (holder("finalizer queue", 80, "finalizer-queue", allocates=True), "growing-container", "finalizer-backlog"),
        (holder("main.run", 80, "goroutine", allocates=True), "growing-container", "held-by-goroutine"),
        (holder("main.hooks", 80, type="[]func()", allocates=True), "growing-container", "accumulating-registration"),
        (holder("main.cache", 80, allocates=True), "unstopped-timer", "growing-container"),
        (holder("main.cache", 80, allocates=True), "substring-pin", "substring-pin"),
        (holder("main.cache", 80, allocates=True), "warm-up", "warm-up"),
    ],
)
def test_the_holder_decides_the_mechanism(root: Holder, before: Mechanism, mechanism: Mechanism) -> None:
    (found,) = with_holders([grows("heap-steady-growth", mechanism=before)], process([root]))
    assert found.mechanisms[0] == mechanism
    assert sentences(found)


def test_what_sampled_objects_tell_is_not_overruled_by_size() -> None:
    small = holder("main.small", 10, allocates=True)
    (found,) = with_holders([grows("heap-steady-growth")], process([holder("main.large", 90), small]))
    assert "main.small keeps 10.0 MiB" in sentences(found)[0]


def test_without_samples_both_have_to_be_most_of_the_heap() -> None:
    roots = [holder("main.large", 70), holder("main.small", 30)]
    (found,) = with_holders([grows("heap-steady-growth", weight=0.7)], process(roots))
    assert "main.large" in sentences(found)[0]
    (none,) = with_holders([grows("heap-steady-growth", weight=0.2)], process(roots))
    assert not sentences(none)


def test_goroutines_that_hold_memory_say_so() -> None:
    wait = Suspect((Site("blocked", Frame("main.(*Job).wait"), "select", 40),), ("detached-wait",), (), wait="soft")
    root = holder("main.(*Job).wait", 60, "goroutine", stack=("runtime.gopark", "main.(*Job).wait"), count=40)
    (found,) = with_holders([wait], process([root, holder("main.x", 40)]))
    assert sentences(found) == ["40 goroutines in main.(*Job).wait [?] keep 60.0 MiB alive, 60% of the heap."]
    assert found.mechanisms == ("detached-wait",)


def test_dumps_alone_make_suspects_of_what_grew() -> None:
    first = [sessions(5), holder("main.cache", 30), holder("timers", 1, "timers")]
    last = [sessions(60), holder("main.cache", 31), holder("timers", 40, "timers")]
    found = with_holders([], process(first, last, heap=False))
    assert [(one.mechanisms[0], one.sites[0].role, confidence(one)) for one in found] == [
        ("growing-container", "allocated", "possible"),
        ("unstopped-timer", "keeps", "likely"),
    ]
    assert found[0].sites[0].frame == SITE
    steady = with_holders([], process(first, [sessions(30)], last, heap=False))
    assert confidence(steady[0]) == "likely", "it rose in each of three"


def test_a_cache_that_is_full_is_no_suspect() -> None:
    full = [holder("main.cache", 64), holder("main.other", 3)]
    assert with_holders([], process(full, full, heap=False)) == []
    (other,) = with_holders([], process(full, [holder("main.cache", 65), holder("main.other", 30)], heap=False))
    assert other.sites[0].frame.function == "main.other"


def test_what_several_hold_is_named_by_its_type() -> None:
    kept = holder("byKey", 50, "field", type="map[string]main.Answer", entries=1150)
    shared = holder("main.Replay", 50, "objects", below=(kept,))
    root = holder("main.(*Replay).Sweep + ...", 50, "several", below=(shared,), allocates=True)
    (found,) = with_holders([grows("heap-steady-growth")], process([root]))
    assert sentences(found)[0].startswith("main.Replay.byKey (map[string]main.Answer) keeps 50.0 MiB alive in 1,150")
