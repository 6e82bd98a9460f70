"""Pages written by hand: one that has every kind of block, and one whose every word is hostile."""

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from oakum.report.page.blocks import (
    Bar,
    Cell,
    Chain,
    Chart,
    ChartPoint,
    Claim,
    Claims,
    Code,
    CodeLine,
    Command,
    Diff,
    Edge,
    Fact,
    Facts,
    Figure,
    Fold,
    Link,
    Node,
    Page,
    Para,
    Place,
    Places,
    Row,
    Section,
    Series,
    Table,
    Waterfall,
)

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
RECEIVE = "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive"
# What must do nothing and stay visible, wherever it stands.
HOSTILE = (
    "</script><script>window.hurt='script'</script>",
    "<img src=x onerror=\"window.hurt='img'\">",
    "\"'><svg onload=window.hurt='svg'>",
    "javascript:window.hurt='url'",
    "<!--", "]]>", "&lt;b&gt;", "`a`b`", "a|b\nc\td", "\x1b[31mred", "\u202egnp.exe\u2066", "\x00\ud800", "__proto__", "{{ 7*7 }}{% raw %}",
)  # fmt: skip


def _points(values: tuple[float | None, ...], to: str = "#input-1") -> tuple[ChartPoint, ...]:
    return tuple(
        ChartPoint(value, f"{12 + at}:00", NOON + timedelta(hours=at), to if at % 2 else "#input-2")
        for at, value in enumerate(values)
    )


def _suspect(anchor: str, title: str, tone: Any) -> Section:
    return Section(
        anchor,
        title,
        (
            Para("160 of 215 goroutines wait to send; nobody takes what they send."),
            Facts((
                Fact("Where", (Places((Place(RECEIVE, "/go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch/streamwatcher.go", 127, "160 goroutines, `chan send`"), Place("k8s.io/apimachinery/pkg/watch.NewStreamWatcher", "streamwatcher.go", 78, "started by"))),)),
                Fact("Since when", (Para("since 12:00, 41 an hour"), Chart("Goroutines of this suspect", "count", (Series("this process", _points((3, 53, None, 103, 160)), "grew"), Series("healthy twin", _points((4,)), "twin")), "3, 53, 103, 160 goroutines in five moments", "oakum diff a.txt b.txt"))),
                Fact("Why we think so", (Claims((Claim("157 more wait here than at first.", Link("after/goroutine.txt", "#input-2"), "goroutine 4711, line 120", "goroutine 4711 [chan send, 9 minutes]:\nk8s.io/watch.receive()", "oakum goroutines --focus receive after/goroutine.txt"), Claim("They wait in a state that pools share.", Link("before", "#input-1"), against=True))),)),
                Fact("Cause", (Para("The channel `answers` has no buffer."), Code("desk.go", (CodeLine(41, "\tanswers := make(chan Answer)", "made without a buffer"), CodeLine(42, "\tfor _, supplier := range d.suppliers {"), CodeLine(43, None), CodeLine(50, "\tselect { case a := <-answers: return a }", "never received again"))), Fold("The drafted change", (Diff("--- a/desk.go\n+++ b/desk.go\n@@ -38,7 +38,7 @@\n \td.mu.Lock()\n-\tanswers := make(chan Answer)\n+\tanswers := make(chan Answer, n)\n"),)))),
                Fact("What to do", (Para("Upgrade `k8s.io/apimachinery` to v0.21.0."), Command("go get k8s.io/apimachinery@v0.21.0", "takes the fix"), Link("kubernetes#98653", "https://github.com/kubernetes/kubernetes/issues/98653"))),
            )),
            Chain("Who waits for whom", (Node("12 goroutines in `orders.(*Desk).Add`", ("sync.Mutex.Lock",)), Node("3 goroutines in `stock.Take`", ("chan receive",)), Node("160 goroutines in `watch.receive`", ("chan send",), "root"), Node("nobody receives", (), "missing")), (Edge(0, 2, "same lock"), Edge(1, 2, "behind"), Edge(2, 3, "unbuffered channel")), "15 goroutines wait behind 160."),
        ),
        badge=tone,
        tone=tone,
        summary="74 % of all goroutines",
    )  # fmt: skip


def rich(rows: int = 12, findings: int = 2) -> Page:
    """Return a page with every kind of block."""
    suspects = tuple(
        _suspect(f"finding-{at:04}", f"Goroutines wait to send for ever in `watch.receive` ({at})", ("likely", "possible", "proven")[at % 3])
        for at in range(findings)
    )  # fmt: skip
    inputs = Table(
        ("capture", "kind", "bytes", "sha256"),
        tuple(Row((Cell(f"case/{at}/goroutine.txt", code=True), Cell(("goroutine", "heap")[at % 2]), Cell(f"{(at * 7919) % 1000:,}", sort=(at * 7919) % 1000), Cell(f"{at:064x}", code=True)), f"input-{at + 1}") for at in range(rows)),
        "Everything that was read",
    )  # fmt: skip
    memory = Waterfall(
        "Where the memory is",
        (Bar("live heap", 200 << 20, "what is still in use"), Bar("dead heap", 40 << 20), Bar("stacks", 9 << 20), Bar("off heap", 170 << 20, "not Go's"), Bar("resident", 419 << 20, tone="whole"), Bar("limit", 1 << 30, tone="limit")),
        "419 MiB resident, of which 200 MiB are live",
        "oakum inspect heap.txt",
    )  # fmt: skip
    return Page(
        title="orders: goroutine leak",
        lang="en",
        tone="leaking",
        badge="leaking",
        verdict=f"orders leaks: 160 of 215 goroutines wait to send at `{RECEIVE}`; known bug kubernetes-98653, mended in v0.21.0.",
        about=("process orders, go1.26.8", "5 moments, 2026-03-01 12:00 to 16:00 UTC"),
        sections=(
            Section("suspects", "Suspects", sections=suspects),
            Section("timeline", "Through time", (Chart("Resident memory", "bytes", (Series("rss", _points((100 << 20, 150 << 20, 260 << 20, 419 << 20))), Series("live heap", _points((50 << 20, 70 << 20, 120 << 20, 200 << 20)))), "rose from 100 MiB to 419 MiB"),)),
            Section("memory", "Memory budget", (memory,)),
            Section("flames", "Flame graphs", (Figure("flame-heap", "Heap by stack", "What grew is orange.", "oakum flame heap.pb.gz"),)),
            Section("inputs", "Inputs", (inputs, Command("oakum report --recheck report.json", "derives everything again"))),
        ),
        foot="Written by oakum.",
    )  # fmt: skip


def hostile() -> Page:
    """Return the rich page with every text replaced by hostile ones; anchors and links too."""
    number = 0

    def poisoned(value: Any) -> Any:
        nonlocal number
        if isinstance(value, str):
            number += 1
            return f"{HOSTILE[number % len(HOSTILE)]}{number}"
        if isinstance(value, tuple):
            return tuple(poisoned(one) for one in value)
        if isinstance(value, Struct):
            kept = {"tone", "unit", "words", "lang"}
            return replace(
                value, **{name: poisoned(getattr(value, name)) for name in value.__struct_fields__ if name not in kept}
            )
        return value

    page: Page = poisoned(rich())
    return page


__all__ = ["HOSTILE", "NOON", "RECEIVE", "hostile", "rich"]
