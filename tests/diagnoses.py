"""Diagnoses written by hand: a rich one that has everything, and an empty one."""

from datetime import UTC, datetime
from typing import Any

from msgspec.structs import fields, replace

from oakum.model import (
    Build,
    Cause,
    CauseSite,
    Diagnosis,
    Evidence,
    Excerpt,
    Explained,
    Finding,
    Frame,
    Gap,
    Growth,
    InputRow,
    KnownMatch,
    Lead,
    Memory,
    PerEvent,
    ProcessRow,
    Remedy,
    Site,
    SnapshotRow,
    Suspect,
    Text,
    Victim,
)
from support import quoted

FIRST, LAST = "sha256:" + "1" * 64, "sha256:" + "2" * 64
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATER = datetime(2026, 3, 1, 14, 30, tzinfo=UTC)
RECEIVE = Frame(
    "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive",
    "/go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch/streamwatcher.go",
    127,
)
STARTED = Frame("k8s.io/apimachinery/pkg/watch.NewStreamWatcher", RECEIVE.file, 78)
HANDLER = Frame("example.com/shop/orders.(*Desk).Add", "/srv/orders/desk.go", 42)


DRAFT = """--- a/desk.go
+++ b/desk.go
@@ -38,7 +38,7 @@ func (d *Desk) Add(ctx context.Context, order Order) (Answer, error) {
 \td.mu.Lock()
 \tdefer d.mu.Unlock()
 \t// One answer is enough, the first wins.
-\tanswers := make(chan Answer)
+\tanswers := make(chan Answer, len(d.suppliers))
 \tfor _, supplier := range d.suppliers {
 \t\tgo supplier.ask(ctx, order, answers)
 \t}
"""
CHANGE = "".join(
    ["--- v0.20.15/pkg/watch/streamwatcher.go\n", "+++ v0.21.0/pkg/watch/streamwatcher.go\n", "@@ -90,40 +90,50 @@\n"]
    + [f" \t// before {at}\n" for at in range(5)]
    + ["-\t\tsw.result <- Event{Type: action, Object: obj}\n"]
    + [f"+\t\tselect {{ // 等待 {at}, and a line that is so long that it does not fit an ordinary terminal, nor one twice as wide, at all\n" for at in range(20)]
)  # fmt: skip
OF_A_LATER_VERSION: Any = "of-a-later-version"  # a word that this version does not know


def cause() -> Cause:
    """Return a cause with all that one can have: two files, marks, places in no excerpt, a source with a note."""
    race = (
        "func (d *Desk) Add(ctx context.Context, order Order) (Answer, error) {",
        "\tanswers := make(chan Answer)",
        "\tfor _, supplier := range d.suppliers {",
        "\t\tgo supplier.ask(ctx, order, answers)",
        "\t}",
        "",
        "\tselect {",
        "\tcase answer := <-answers:",
        "\t\treturn answer, nil",
        "\tcase <-time.After(d.patience): // 等不及了",
        '\t\treturn Answer{}, fmt.Errorf("order %s of %s: no supplier answered within %s: %w", order.ID, order.Customer, d.patience, ErrTooSlow)',
        "\t}",
        "}",
    )
    asked = Frame("example.com/shop/orders.(*Supplier).ask", "/srv/orders/supplier.go", 23)
    return Cause(
        because=(Text("mechanism.abandoned-sender.why"), Text("gap.heap.why")),
        sites=(
            CauseSite("made", Frame(HANDLER.function, HANDLER.file, 41), race[1].strip()),
            CauseSite("never-received", Frame(HANDLER.function, HANDLER.file, 50), race[10].strip()),
            CauseSite("sent", asked, "answers <- answer"),
            CauseSite("started", Frame("main.main", "/srv/orders/main.go", 9), "go desk.Serve(ctx, listener, routes)"),
            CauseSite(OF_A_LATER_VERSION, Frame("main.run"), process="p2"),
        ),
        excerpts=(
            Excerpt(HANDLER.file, 40, race, {41: "made", 50: "never-received"}),
            Excerpt(asked.file, 21, ("\tanswer := s.quote(order)", "\ts.seen.Inc()", "\tanswers <- answer", "}"), {23: "sent"}),
        ),
        sources=("/home/dev/orders/desk.go (checkout of example.com/shop; the profile names no version)",),
    )  # fmt: skip


def leak() -> Finding:
    """Return a finding of goroutines with everything that one can have."""
    suspect = Suspect(
        sites=(Site("blocked", RECEIVE, "chan send", 1103), Site("created", STARTED, count=1103)),
        mechanisms=("abandoned-sender", "unstopped-worker"),
        evidence=(
            Evidence(
                "steady-growth",
                Text("gap.second-moment"),
                LAST,
                "goroutine 4711, line 120",
                "goroutine 4711 [chan send]:",
            ),
            Evidence("reported-wait", Text("gap.after-load"), FIRST),
        ),
        weight=0.97,
        victims=tuple(Victim(HANDLER, "sync.Mutex.Lock", at, "same lock") for at in range(6, 0, -1)),
        growth=(
            Growth("goroutines", (3, None, 53, 1103), 41.25, PerEvent("POST /x", 1.0, 0.98, 1.02)),
            Growth("inuse_space", (1 << 20, 5 << 20), float("nan"), against="baseline"),
        ),
        share={"goroutines": 0.9666666, "inuse_space": 0.61},
        wait="hard",
    )
    summary = Text(
        "known.words", {"en": "A watch that was stopped keeps its goroutine", "zh": "停止的 watch 留下 goroutine"}
    )
    says = (
        Text("upstream.stands", {"function": RECEIVE.function}),
        Text("upstream.runs.path", {"module": "k8s.io/apimachinery", "version": "v0.18.8"}),
    )
    known = KnownMatch("kubernetes-98653", "k8s.io/apimachinery", "v0.18.8", ("v0.21.0",), "v0.21.0", "self", "yes", ("https://example.com/98653",), summary, says)  # fmt: skip
    args: dict[str, str | int] = {"function": RECEIVE.function, "file": RECEIVE.file, "line": 127, "count": 1103}
    return Finding(
        id="a1b2c3",
        rank=1,
        mechanism="abandoned-sender",
        confidence="likely",
        title=Text("title.abandoned-sender", args),
        suspect=replace(
            suspect,
            cause=cause(),
            known=(known,),
            remedies=(
                Remedy("upgrade", Text("upstream.upgrade.yes", {"module": known.module, "version": "v0.21.0", "en": "Stop closes it.", "zh": "Stop 会关闭它。"}), risk=Text("gap.build")),
                Remedy("patch", Text("mechanism.abandoned-sender.do"), DRAFT, Text("gap.build.why"), compiled=True),
            ),
            leads=(Lead("k8s.io/apimachinery", "v0.18.8", "v0.21.0", (RECEIVE.function,), CHANGE, "v0.20.15"),),
        ),
        commands=("oakum goroutines --stacks after/goroutine.txt",),
    )  # fmt: skip


def changed(found: Finding, **parts: Any) -> Finding:
    """Return a finding with other parts: its own, and those that its suspect has."""
    own = {name: part for name, part in parts.items() if name in {one.name for one in fields(Finding)}}
    of_suspect = {name: part for name, part in parts.items() if name not in own}
    found = replace(found, **own)
    return replace(found, suspect=replace(found.suspect, **of_suspect))


def heap_leak() -> Finding:
    """Return a possible finding of memory, with nothing but the least."""
    suspect = Suspect(
        sites=(Site("allocated", HANDLER, count=12),),
        mechanisms=("growing-container",),
        evidence=(Evidence("heap-steady-growth", Text("gap.heap"), LAST),),
        path=(Frame("main.main", "/srv/orders/main.go", 9), HANDLER),
        growth=(Growth("inuse_space", (1 << 20, 9 << 20)),),
    )
    title = Text("title.growing-container", {"function": HANDLER.function, "count": 0})
    return Finding("d4e5f6", 2, "growing-container", "possible", title, suspect)


def rich() -> Diagnosis:
    """Return a diagnosis in which nothing is missing."""
    build = Build("go1.26.8", "example.com/shop/cmd/orders", "example.com/shop", "(devel)", {"k8s.io/apimachinery": "v0.18.8"})  # fmt: skip
    memory = Memory(
        rss=512 << 20, limit=1 << 30, heap_live=200 << 20, heap_dead=40 << 20, heap_idle=90 << 20, heap_released=1 << 20,
        stacks=9 << 20, runtime=3 << 20, off_heap=170 << 20, next_gc=420 << 20, last_gc=LATER, full_in_seconds=12000.0,
        says=(Text("mechanism.gc-headroom"),),
    )  # fmt: skip
    return Diagnosis(
        verdict="leaking",
        summary=Text("verdict.leaking", {"findings": 2}),
        processes=(ProcessRow("p1", "orders", build), ProcessRow("p2", "stock")),
        moments=(
            SnapshotRow("before", "p1", False, NOON, (FIRST,)),
            SnapshotRow("after", "p1", False, LATER, (LAST,)),
            SnapshotRow("twin", "p1", True, None, ()),
            SnapshotRow("only", "p2", False, None, ()),
        ),
        findings=(leak(), heap_leak()),
        explained=(Explained("idle-pool", Text("mechanism.idle-pool"), (Site("blocked", HANDLER, "IO wait", 8),)),) * 8,
        memory=(memory, Memory(process="p2", rss=1 << 20)),
        gaps=(Gap(Text("gap.heap"), Text("gap.heap.why"), command="curl -o heap.pb.gz http://HOST:PORT/debug/pprof/heap"),),
        inputs=(
            InputRow("case/before/goroutine.txt", "goroutine", "debug2", FIRST, NOON),
            InputRow("case/after/goroutine.txt", "goroutine", "debug2", LAST, LATER, (quoted("cut", "It is cut.", "line 9"),)),
        ),
        called=("--source", "/home/dev/orders", "case/before", "case/after"),
    )  # fmt: skip


def empty() -> Diagnosis:
    """Return a diagnosis in which everything is missing."""
    summary = Text("verdict.healthy", {"findings": 0})
    return Diagnosis("healthy", summary, (ProcessRow("p1", "orders"),), (), (), (), (), (), ())


__all__ = ["cause", "empty", "heap_leak", "leak", "rich"]
