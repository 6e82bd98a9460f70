"""What the stores of the tests of pages hold: thirty hours of three services, END is when they end.

orders: two replicas, leaks from hour 3 on, a deploy, an OOM kill, an open incident with its kept diagnosis;
pay: is well, its incident is over; idle: was seen once, nothing else is known of it.
"""

import json

from diagnoses import rich
from oakum.report.json import document
from oakum.store import Batch, EventRow, FindingRow, IncidentRow, PlaceRow, RunRow, SnapshotRow, run_id
from oakum.store.writer import Writer

AT = 1_780_000_000_000_000
HOUR = 3_600_000_000
HOURS = 30
END = AT + HOURS * HOUR
HUB = "shop/orders.(*Hub).Send"
_MIB = 1 << 20


def filled(writer: Writer) -> None:
    """Write it."""
    kept = writer.keep(json.dumps(document(rich())).encode(), "diagnosis.json")
    dump = writer.keep(_dump(300), "goroutine.txt")
    early = writer.keep(_dump(20), "goroutine.txt")
    runs = {name: run_id(name.partition("-")[0], name, AT) for name in ("orders-1", "orders-2", "pay-1", "idle-1")}
    writer.append(
        Batch(
            runs=tuple(
                RunRow(run=run, service=name.partition("-")[0], replica=name, target=f"http://{name}:6060", started_at=AT,
                       first_seen=AT, program=f"shop/{name.partition('-')[0]}", version="v1.4.2", go="go1.26.0",
                       limit_bytes=1 << 30, limit_kind="cgroup")
                for name, run in runs.items()
            )
        )
    )  # fmt: skip
    for hour in range(HOURS):
        at = AT + hour * HOUR
        grown = max(0, hour - 3)
        writer.append(
            Batch(
                snapshots=(
                    _snapshot(runs["orders-1"], "orders", at, 100 + 40 * grown, 50 + 12 * grown, (early,) if hour == 2 else (dump,) if hour == 29 else ()),
                    _snapshot(runs["orders-2"], "orders", at, 110 + 30 * grown, 52 + 9 * grown),
                    _snapshot(runs["pay-1"], "pay", at, 80 + hour % 3, 40 + hour % 2),
                ),
                places=(
                    *(_place(runs[f"orders-{one}"], "orders", at, "hub", HUB, 42, "chan send", (50 - 10 * one) * grown) for one in (1, 2)),
                    *(_place(runs[f"orders-{one}"], "orders", at, "conn", "net/http.(*conn).serve", 2102, "IO wait", 60) for one in (1, 2)),
                    *(_heap(runs[f"orders-{one}"], at, "buf", "shop/orders.newBuffer", 17, (9 - 3 * one) * grown * _MIB) for one in (1, 2)),
                    _place(runs["pay-1"], "pay", at, "conn", "net/http.(*conn).serve", 2102, "IO wait", 60),
                ),
            )
        )  # fmt: skip
    writer.append(
        Batch(
            snapshots=(_snapshot(runs["idle-1"], "idle", AT, None, None),),
            incidents=(
                IncidentRow(
                    incident="i-1", service="orders", state="open", opened_at=AT + 9 * HOUR, updated_at=END, since=AT + 3 * HOUR,
                    since_low=AT + 2 * HOUR, since_high=AT + 4 * HOUR, limit_low=END + 10 * HOUR, limit_high=END + 20 * HOUR,
                    verdict="leaking", mechanism="abandoned-sender", function=HUB, file="/srv/orders/hub.go", line=42,
                    replicas=("orders-1", "orders-2"), revision=3,
                ),
                IncidentRow(
                    incident="i-0", service="pay", state="resolved", opened_at=AT + HOUR, updated_at=AT + 5 * HOUR,
                    closed_at=AT + 5 * HOUR, verdict="leaking", mechanism="unstopped-ticker", function="shop/pay.poll",
                    file="/srv/pay/poll.go", line=7, replicas=("pay-1",), revision=2,
                ),
            ),
            findings=(
                FindingRow(service="orders", run=runs["orders-1"], at=AT + 9 * HOUR, incident="i-1", finding="f-1", confidence="proven",
                           mechanism="abandoned-sender", function=HUB, file="/srv/orders/hub.go", line=42, growth_per_hour=40.0, document=kept),
            ),
            events=(
                EventRow(service="orders", run=runs["orders-1"], at=AT + 3 * HOUR, kind="deploy", key="watch.deploy",
                         args=json.dumps({"replica": "orders-1", "version": "v1.4.2"})),
                EventRow(service="orders", run=runs["orders-2"], at=AT + 12 * HOUR, kind="oom-kill", key="watch.oom-kill",
                         args=json.dumps({"replica": "orders-2"})),
                EventRow(service="orders", at=AT + 9 * HOUR, kind="incident-opened", key="watch.incident-opened",
                         args=json.dumps({"incident": "i-1", "mechanism": "abandoned-sender", "function": HUB})),
                EventRow(service="pay", at=AT + 5 * HOUR, kind="diagnosis", key="store.event.diagnosis",
                         args=json.dumps({"verdict": "healthy", "findings": 0})),
            ),
        )
    )  # fmt: skip


def _snapshot(run: str, service: str, at: int, goroutines: int | None, heap: int | None, captures: tuple[str, ...] = ()) -> SnapshotRow:  # fmt: skip
    return SnapshotRow(
        run=run, service=service, at=at, goroutines=goroutines, heap_live=heap and heap * _MIB, rss=heap and (heap + 60) * _MIB,
        limit_bytes=1 << 30, work=(at - AT) / 1e6 * 3, detail="dump" if captures else "profile", captures=captures,
    )  # fmt: skip


def _place(run: str, service: str, at: int, key: str, function: str, line: int, state: str, count: int) -> PlaceRow:
    file = f"/srv/{service}/{function.rpartition('.')[2].lower()}.go"
    return PlaceRow(run=run, service=service, at=at, place=key, function=function, file=file, line=line, state=state, kind="goroutines", count=count)  # fmt: skip


def _heap(run: str, at: int, key: str, function: str, line: int, live: int) -> PlaceRow:
    return PlaceRow(run=run, service="orders", at=at, place=key, function=function, file="/srv/orders/buffer.go", line=line, kind="heap", live_bytes=live)  # fmt: skip


def _dump(blocked: int) -> bytes:
    """Return a goroutine dump in which so many are blocked."""
    stack = (
        "goroutine {id} [chan send, 95 minutes]:\nshop/orders.(*Hub).Send(0xc000123000)\n\t/srv/orders/hub.go:42 +0x1d\n"
        "created by shop/orders.(*Hub).Publish in goroutine 1\n\t/srv/orders/hub.go:30 +0x8a\n"
    )
    main = "goroutine 1 [running]:\nmain.main()\n\t/srv/orders/main.go:9 +0x1d\n"
    return "\n".join([main, *(stack.format(id=10 + one) for one in range(blocked))]).encode()
