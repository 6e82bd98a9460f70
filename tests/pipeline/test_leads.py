"""Findings get what upstream changed at their place, and warnings say what could not be asked."""

import time
from pathlib import Path

import pytest

from oakum.collect.code.fetch import Fetch
from oakum.collect.code.sources import LocalSources
from oakum.experiment.call_go import call_go
from oakum.model import Build, Cause, CauseSite, Finding, Frame, Lead, Site, SourceNotFound, Suspect, Text, Trace
from oakum.pipeline.leads import with_leads
from oakum.report.words import say
from toolchain import need_go

FEED = "example.com/feed"


class Courier(Fetch):
    """A fetch whose releases lie in a directory."""

    def __init__(self, root: Path) -> None:
        super().__init__(call_go, {})
        self.root = root
        self.asked: list[str] = []

    def module(self, path: str, version: str) -> Path:
        self.asked.append(f"{path}@{version}")
        place = self.root / f"{path}@{version}"
        if not place.is_dir():
            why = Text("fetch.unreachable")
            raise SourceNotFound(Text("fetch.module", {"module": path, "version": version, "why": why}))
        return place

    def releases(self, path: str) -> tuple[str, ...]:
        found = tuple(place.name.partition("@")[2] for place in (self.root / path).parent.glob(f"{Path(path).name}@*"))
        if not found:
            why = Text("fetch.no-module")
            raise SourceNotFound(Text("fetch.releases", {"module": path, "why": why}))
        return found


def told(warnings: tuple[Text, ...]) -> tuple[str, ...]:
    return tuple(say(one) for one in warnings)


def finding(*frames: Frame, cause: tuple[Frame, ...] = (), created: Frame | None = None) -> Finding:
    suspect = Suspect(
        sites=(Site("blocked", frames[0]),),
        mechanisms=("abandoned-sender",),
        evidence=(),
        traces=(Trace(frames, "chan send", created),),
        cause=Cause((), tuple(CauseSite("made", frame) for frame in cause)) if cause else None,
    )
    return Finding("f", 1, "abandoned-sender", "likely", Text("t"), suspect)


def release(root: Path, version: str, text: str) -> None:
    place = root / f"{FEED}@{version}"
    place.mkdir(parents=True)
    (place / "feed.go").write_text(text)


def frame(function: str, line: int) -> Frame:
    return Frame(f"{FEED}.{function}", f"/ci/go/pkg/mod/{FEED}@v1.0.0/feed.go", line)


def test_findings_with_leads(tmp_path: Path) -> None:
    old = "package feed\n\nfunc Run() {\n\tch <- 1\n}\n\nfunc New() {\n\tch = make(chan int)\n}\n"
    release(tmp_path, "v1.0.0", old)
    release(tmp_path, "v1.1.0", old)
    release(tmp_path, "v1.2.0", old.replace("make(chan int)", "make(chan int, 1)"))
    fetch = Courier(tmp_path)
    sources = LocalSources(env={})
    main = Frame("main.main", "/build/main.go", 3)
    stdlib = Frame("net/http.Serve", "/usr/local/go/src/net/http/server.go", 3)
    given = (
        finding(frame("Run", 4), main, stdlib, cause=(frame("New", 8),)),
        finding(frame("Run", 4), created=frame("New", 8)),
        finding(frame("Run", 4)),
        finding(main),
    )
    said: list[Text] = []
    found, remarks = with_leads(given, sources, fetch, said.append)
    lead = Lead(FEED, "v1.0.0", "v1.2.0", ("New",), found[0].leads[0].diff, "v1.1.0", True)
    assert [one.leads for one in found] == [(lead,), (lead,), (), ()]
    assert found[2:] == given[2:]
    assert "+\tch = make(chan int, 1)\n" in lead.diff
    assert told(remarks) == ("example.com/feed: Run did not change from v1.0.0 to v1.2.0",)
    change = Text("progress.upstream", {"module": "example.com/feed", "version": "v1.0.0"})
    assert said == [change] * 2  # asked once for each set of functions
    assert len(fetch.asked) < 12


def test_other_modules_of_the_stack_are_not_asked_for(tmp_path: Path) -> None:
    release(tmp_path, "v1.0.0", "package feed\n\nfunc Run() {\n\tch <- 1\n}\n")
    fetch = Courier(tmp_path)
    stub = Frame("example.com/stub.Call", "example.com/stub@v1.0.0/stub.go", 1)
    with_leads([finding(frame("Run", 4), stub)], LocalSources(env={}), fetch)
    assert set(fetch.asked) == {"example.com/feed@v1.0.0"}
    # Blocked in code without a version: the first module above it is asked.
    own = Frame("main.main", "/build/main.go", 3)
    with_leads([finding(own, frame("Run", 4), stub)], LocalSources(env={}), fetch)
    assert set(fetch.asked) == {"example.com/feed@v1.0.0"}


def test_what_cannot_be_asked_is_told(tmp_path: Path) -> None:
    release(tmp_path, "v1.1.0", "package feed\n")
    other = Frame("example.com/other.Run", "example.com/other@v1.0.0/x.go", 1)
    given = (finding(frame("Run", 4)), finding(other), finding(other))
    found, remarks = with_leads(given, LocalSources(env={}), Courier(tmp_path))
    assert found == given
    assert told(remarks) == (
        "example.com/feed@v1.0.0 was not fetched: the proxy cannot be reached",
        "the releases of example.com/other could not be listed: there is no such module",
    )
    assert [say(one, "zh") for one in remarks] == [
        "没有查找上游改动：没有下载 example.com/feed@v1.0.0：无法访问模块代理",
        "没有查找上游改动：无法列出 example.com/other 的版本：没有这个模块",
    ]


WATCH = "k8s.io/apimachinery@v0.18.8/pkg/watch/streamwatcher.go"
TTRPC = "github.com/containerd/ttrpc@v1.0.1/client.go"
QUEUE = "/go/src/k8s.io/kubernetes/pkg/scheduler/internal/queue/scheduling_queue.go"
SCHEDULER = "/go/src/k8s.io/kubernetes/pkg/scheduler/scheduler.go"


@pytest.mark.live
@pytest.mark.parametrize(
    ("frames", "changed", "shows"),
    [
        (
            (Frame("k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive", WATCH, 127),),
            "v0.21.0",
            "+\t\tcase <-sw.done:\n",
        ),
        ((Frame("github.com/containerd/ttrpc.(*Client).run", TTRPC, 259),), "v1.1.0", "+\t// Sender goroutine\n"),
        (
            (
                Frame("k8s.io/kubernetes/pkg/scheduler/internal/queue.(*PriorityQueue).Pop", QUEUE, 388),
                Frame("k8s.io/kubernetes/pkg/scheduler/internal/queue.MakeNextPodFunc.func1", QUEUE, 810),
                Frame("k8s.io/kubernetes/pkg/scheduler.(*Scheduler).scheduleOne", SCHEDULER, 442),
                Frame("k8s.io/kubernetes/pkg/scheduler.(*Scheduler).Run", SCHEDULER, 314),
            ),
            "v1.25.0",
            "+\tgo wait.UntilWithContext(ctx, sched.scheduleOne, 0)\n",
        ),
        (
            (Frame("github.com/pkg/errors.Wrapf", "github.com/pkg/errors@v0.8.0/errors.go", 197),),
            "",
            "",
        ),
    ],
    ids=["streamwatcher", "ttrpc", "scheduler", "errors"],
)
def test_what_upstream_changed(frames: tuple[Frame, ...], changed: str, shows: str) -> None:
    """The fixes of three incidents are found without being told of them; an archived module changes no more."""
    need_go()
    sources = LocalSources(builds=[Build(main="k8s.io/kubernetes", main_version="v1.20.5")])
    for attempt in range(3):
        found, remarks = with_leads([finding(*frames)], sources, Fetch(call_go))
        lost = not found[0].leads and any("cannot be reached" in one for one in told(remarks))
        if not lost:
            break
        time.sleep(5 * attempt)
    if lost:
        pytest.skip(f"download failed three times: {told(remarks)[0]}")
    leads = found[0].leads
    assert [(lead.changed, lead.at_lines) for lead in leads] == ([(changed, True)] if changed else [])
    assert all(shows in lead.diff for lead in leads)
