"""A suspect is named after the upstream bug that it is: by its stack, and by the version that runs."""

import pytest
from msgspec.structs import replace

from oakum.explain.upstream.known import recognise
from oakum.judge import judge
from oakum.knowledge.leaks import Leaks, leaks
from oakum.model import Build, Evidence, Frame, Process, Site, Snapshot, Suspect, Text, Trace
from oakum.model.vocabulary import EvidenceKind, WaitKind

RECEIVE = "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive"
STARTED = Frame("k8s.io/apimachinery/pkg/watch.NewStreamWatcher")
SHOWN = Evidence("pile-up", Text("x"), "sha256:1", "goroutine 7")


def frame(file: str = "") -> Frame:
    return Frame(RECEIVE, file, 127)


def stuck(*frames: Frame, state: str | None = "chan send", created: Frame | None = STARTED) -> Suspect:
    """Return goroutines that pile up in one dump."""
    return Suspect(
        (Site("blocked", frames[0], state, 40),),
        ("abandoned-sender",),
        (SHOWN,),
        wait="hard",
        traces=(Trace(frames, state, created),),
    )


def told(suspect: Suspect, build: Build | None = None, catalogue: Leaks | None = None) -> Suspect:
    process = Process("p1", "cpc", (Snapshot("now"),), build=build)
    return recognise([suspect], [process], catalogue or leaks())[0]


def built(version: str, fork: str = "") -> Build:
    replaced = {"k8s.io/apimachinery": fork} if fork else {}
    return Build(main="example.com/cpc", modules={"k8s.io/apimachinery": version}, replaced=replaced)


@pytest.mark.parametrize(
    ("build", "file", "affects", "found", "upgrade"),
    [
        (None, "/go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch/streamwatcher.go", "yes", "v0.18.8", "v0.21.0"),
        (None, "k8s.io/apimachinery@v0.20.15/pkg/watch/streamwatcher.go", "yes", "v0.20.15", "v0.21.0"),
        (built("v0.18.8"), "", "yes", "v0.18.8", "v0.21.0"),
        (built("v0.21.0"), "", "no", "v0.21.0", None),
        (built("v0.18.8", "github.com/acme/apimachinery"), "", "unknown", "v0.18.8", "v0.21.0"),
        (Build(main="k8s.io/kubernetes", main_version="v1.20.4"), "", "yes", "v0.20.4", "v0.21.0"),
        (Build(main="k8s.io/kubernetes", main_version="v1.22.0"), "", "no", "v0.22.0", None),
        (None, "", "unknown", None, "v0.21.0"),
    ],
)
def test_version_decides(build: Build | None, file: str, affects: str, found: str | None, upgrade: str | None) -> None:
    suspect = told(stuck(frame(file)), build)
    (match,) = suspect.known
    assert (match.id, match.affects_build, match.found) == ("kubernetes-98653", affects, found)
    assert match.upgrade_to == upgrade
    assert ("known-bug" in suspect.kinds) == (affects == "yes")
    kinds = [remedy.kind for remedy in suspect.remedies]
    assert kinds == ([] if affects == "no" else ["upgrade", "mitigate", "mitigate"])
    assert [gap.what.key for gap in suspect.unsettled] == ([] if found else ["gap.known-version"])


def test_a_version_that_has_the_bug_makes_a_pile_up_likely() -> None:
    confidence = {
        version: judge([told(stuck(frame()), built(version))])[0][0].confidence for version in ("v0.18.8", "v0.21.0")
    }
    assert confidence == {"v0.18.8": "likely", "v0.21.0": "possible"}


def test_what_is_not_reviewed_or_not_said_makes_nothing_surer() -> None:
    text = leaks().text("kubernetes-98653")
    unreviewed = Leaks({"kubernetes-98653": text.replace("reviewed = true", "reviewed = false")})
    suspect = told(stuck(frame()), built("v0.18.8"), unreviewed)
    assert suspect.known
    assert not suspect.known[0].reviewed
    assert "known-bug" not in suspect.kinds
    assert "upstream.unreviewed" in [one.key for one in suspect.known[0].says]
    blind = told(stuck(frame(), state=None, created=None), built("v0.18.8"))
    assert blind.known
    assert "known-bug" not in blind.kinds
    assert {"upstream.unsaid.state", "upstream.unsaid.created"} <= {one.key for one in blind.known[0].says}


def test_a_neighbour_is_not_named() -> None:
    assert not told(stuck(Frame("net/http.(*http2pipe).Read"), frame(), state="sync.Cond.Wait"), built("v0.18.8")).known
    assert not told(stuck(Frame("example.com/a.(*StreamWatcher).receive"), created=None), built("v0.18.8")).known


def test_advice_for_every_release_gives_way_to_a_bug() -> None:
    text = leaks().text("kubernetes-98653")
    advice = text.replace('"kubernetes-98653"', '"kubernetes-1"').replace('fault = "library"', 'fault = "usage"')
    both = Leaks({"kubernetes-1": advice, "kubernetes-98653": text})
    assert [match.id for match in told(stuck(frame()), built("v0.18.8"), both).known] == ["kubernetes-98653"]
    alone = told(stuck(frame()), built("v0.18.8"), Leaks({"kubernetes-1": advice}))
    assert [match.fault for match in alone.known] == ["usage"]
    assert [remedy.kind for remedy in alone.remedies] == ["upgrade", "mitigate", "mitigate"]
    assert "known-bug" not in alone.kinds


SERVER = tuple(Frame(f"github.com/containerd/ttrpc.{name}") for name in ("(*serverConn).run.func2",))
PEERS = tuple(Process(id_, name, (Snapshot("now"),)) for id_, name in (("p1", "shim"), ("p2", "containerd")))


def test_the_peer_decides() -> None:
    shim = stuck(*SERVER, state="select", created=Frame("github.com/containerd/ttrpc.(*serverConn).run"))
    for version, affects in (("v1.0.1", "yes"), ("v1.1.0", "no")):
        processes = [PEERS[0], replace(PEERS[1], build=Build(modules={"github.com/containerd/ttrpc": version}))]
        (found,) = recognise([shim], processes, leaks())
        (match,) = found.known
        assert (match.id, match.where, match.affects_build, match.found) == ("ttrpc-94", "peer", affects, version)
    (alone,) = recognise([shim], PEERS[:1], leaks())
    assert [match.affects_build for match in alone.known] == ["unknown"]
    assert [gap.what.key for gap in alone.unsettled] == ["gap.known-peer"]


def test_a_symptom_names_nothing() -> None:
    calls = (
        "google.golang.org/grpc/internal/transport.(*Stream).waitOnHeader",
        "google.golang.org/grpc.(*ClientConn).Invoke",
    )
    cri = "k8s.io/cri-api/pkg/apis/runtime/v1alpha2.(*runtimeServiceClient).ListContainerStats"
    kubelet = stuck(*map(Frame, (*calls, cri)), state="select", created=None)
    (found,) = recognise([kubelet], PEERS[:1], leaks())
    assert not found.known
    assert [gap.what.key for gap in found.unsettled] == ["gap.known-symptom"]


@pytest.mark.parametrize(
    ("wait", "count", "share", "kinds", "named"),
    [
        ("hard", 2, 0.01, (), True),
        ("resting", 3, 0.9, (), False),  # some are in every process that uses the library
        ("resting", 60, 0.05, (), False),
        ("resting", 60, 0.5, (), True),
        ("soft", 3, 0.01, ("steady-growth",), True),
    ],
)
def test_some_at_rest_are_no_pile_up(
    wait: WaitKind, count: int, share: float, kinds: tuple[EvidenceKind, ...], named: bool
) -> None:
    more = tuple(Evidence(kind, Text("x"), "sha256:1") for kind in kinds)
    site = Site("blocked", frame(), "chan send", count)
    suspect = replace(stuck(frame()), wait=wait, sites=(site,), share={"goroutines": share}, evidence=(SHOWN, *more))
    assert bool(told(suspect, built("v0.18.8")).known) is named


def test_a_setting_of_the_build_brings_it_back() -> None:
    frames = tuple(map(Frame, ("time.NewTimer", "time.After", "main.pump")))
    grown = (Evidence("heap-single-step", Text("x"), "sha256:1"),)
    memory = Suspect((Site("allocated", frames[2]),), ("unstopped-timer",), grown, allocations=(Trace(frames),))
    for settings, said in (({}, "no"), ({"DefaultGODEBUG": "gotypesalias=0,asynctimerchan=1"}, "yes")):
        (match,) = told(memory, Build(go="go1.26.8", settings=settings)).known
        assert (match.id, match.affects_build, match.upgrade_to) == ("go-8898", said, None)


def test_a_capture_without_states_needs_most_of_the_process() -> None:
    """debug=1: 4,310 of 6,205 goroutines at the place of a bug that the version has."""
    site = Site("blocked", frame(), None, 4310)
    piles: list[tuple[list[EvidenceKind], str]] = [(["pile-up", "majority"], "likely"), (["pile-up"], "possible")]
    for kinds, confidence in piles:
        evidence = tuple(Evidence(kind, Text("x"), "sha256:1") for kind in kinds)
        blind = replace(stuck(frame(), state=None, created=None), wait="unknown", sites=(site,), evidence=evidence)
        ((finding,), _) = judge([told(replace(blind, share={"goroutines": 0.69}), built("v0.18.8"))])
        assert finding.confidence == confidence
        assert [match.id for match in finding.known] == ["kubernetes-98653"]
