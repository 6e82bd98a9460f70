"""Captures of every kind: numbers and public names stay, private ones are gone, and the parsers read the same."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakum.model import Capture, Reading
from oakum.parse import goroutines, parse
from oakum.pipeline.redaction import redaction
from oakum.redact import Redaction
from pprof_message import field, location, message, sample, strings, value_type

REDACT = redaction("key")


def one(data: bytes) -> Reading:
    (found,) = parse(Capture("", data))
    return found


def told(file: str, text: str) -> str:
    data = REDACT(file, text.encode())
    assert data is not None
    return data.decode()


DUMP = """goroutine 7 [sync.Mutex.Lock, 12 minutes, locked to thread] {tenant: "acme", "a\\"b": "4711"}:
sync.(*Mutex).lockSlow(0xc000123458)
	/usr/local/go/src/sync/mutex.go:171 +0x15d
github.com/acme/shop.(*Till).Sell(0xc000123450, {0x7c7e48?, 0x3}, 0x1f?, ...)
	/home/ann/shop/till.go:44 +0x7e fp=0xc000add7d0 sp=0xc000add7b0 pc=0x4b2256
created by main.main in goroutine 1
	/home/ann/shop/main.go:9 +0x5b
"""


def test_a_dump() -> None:
    text = told("goroutine.debug2.txt", DUMP)
    for word in ("acme", "4711", "Till", "Sell", "ann", "shop", "till.go", "0xc000123458", "0x7c7e48", "tenant"):
        assert word not in text, text
    for word in (
        "[sync.Mutex.Lock, 12 minutes, locked to thread]",
        "sync.(*Mutex).lockSlow",
        "mutex.go:171 +0x15d",
        "pc=0x4b2256",
    ):
        assert word in text
    before, after = (goroutines(one(data)) for data in (DUMP.encode(), text.encode()))
    assert before
    assert after
    (old,), (new,) = before.groups, after.groups
    assert (old.state, old.count, len(old.stack.frames)) == (new.state, new.count, len(new.stack.frames))
    assert new.created_by is not None
    assert len(new.labels) == 2


def test_a_panic_says_nothing_of_why() -> None:
    text = told("log.txt", f"panic: order 4711 of acme\n\n{DUMP}exit status 2\n")
    assert "4711" not in text
    assert text.startswith("panic: left out\n")
    assert "exit" not in text


def test_lines_of_a_log_go_and_their_time_stays() -> None:
    log = f"2026-11-15T09:12:54Z start\n2026-11-15T09:12:55Z customer ann paid 12 to 10.0.0.7\n{DUMP}2026-11-15T09:13:00Z bye ann\n"
    text = told("log.txt", log)
    assert "ann" not in text
    assert "10.0.0.7" not in text
    assert one(text.encode()).taken_at == one(log.encode()).taken_at


def test_a_dump_in_a_log_loses_what_wraps_it() -> None:
    lines = DUMP.replace("\\", "").replace('"', "'").splitlines()
    log = "".join(f"Nov 15 09:12:55 node-4 shop[1188]: {line}\n" for line in ["hello ann", *lines, "bye ann"])
    text = told("log.txt", log)
    assert "node-4" not in text
    assert "ann" not in text
    found = goroutines(one(text.encode()))
    assert found
    assert found.total == 1


DEBUG1 = """goroutine profile: total 3
2 @ 0x439976 0x40657b
# labels: {"tenant":"acme", "url":"/pay?card=4711"}
#	0x439975	main.(*Till).Sell+0x35	/home/ann/till.go:9
#	0x40657a	net/http.(*conn).serve+0x1a		/usr/local/go/src/net/http/server.go:1991

1 @ 0x439976
#	0x439975	main.(*Till).Sell+0x35	/home/ann/till.go:9
"""


def test_debug1() -> None:
    text = told("goroutine.debug1.txt", DEBUG1)
    for word in ("acme", "4711", "Till", "ann", "tenant"):
        assert word not in text
    before, after = one(DEBUG1.encode()), one(text.encode())
    assert before.profile
    assert after.profile
    assert before.profile.values.tolist() == after.profile.values.tolist()
    assert before.problems == after.problems == ()


def test_text_of_the_heap_keeps_every_figure() -> None:
    heap = """heap profile: 1: 480 [3: 2097632] @ heap/1048576
1: 480 [3: 2097632] @ 0x439976
#	0x439975	main.(*Till).Sell+0x35	/home/ann/till.go:9

# runtime.MemStats
# Alloc = 1315360
# Stack = 524288 / 524288
# PauseNs = [96000 144000 0]
# GCCPUFraction = 1e-05
# DebugGC = false
# customers = 4711
"""
    text = told("heap.debug1.txt", heap)
    assert "4711" not in text
    before, after = one(heap.encode()), one(text.encode())
    assert before.memstats == after.memstats
    assert before.memstats is not None


def profile() -> bytes:
    texts = ("", "goroutine", "count", "main.(*Till).Sell", "/home/ann/till.go", "tenant", "acme", "/srv/shop/orders",
             "8f3a1b", "written by ann", "bytes", "net/http.Serve", "net/http/server.go")  # fmt: skip
    return b"".join(
        (
            value_type(1, 2),
            sample([1, 2], [5], message((1, 5), (2, 6)), message((1, 10), (3, 64))),
            field(3, message((1, 1), (2, 0x400000), (5, 7), (6, 8))),
            location(1, (1, 9), address=0x439976, mapping=1),
            location(2, (2, 12)),
            field(5, message((1, 1), (2, 3), (3, 3), (4, 4))),
            field(5, message((1, 2), (2, 11), (3, 11), (4, 12))),
            strings(*texts),
            field(9, 1_700_000_000),
            field(13, 9),
        )
    )


@pytest.mark.parametrize("packed", [True, False])
def test_protobuf_changes_in_nothing_but_its_strings(packed: bool) -> None:
    data = gzip.compress(profile()) if packed else profile()
    out = REDACT("goroutine.pb.gz", data)
    assert out
    plain = gzip.decompress(out) if packed else out
    for word in (b"Till", b"ann", b"acme", b"tenant", b"orders", b"8f3a1b", b"written"):
        assert word not in plain
    for word in (b"net/http.Serve", b"net/http/server.go", b"bytes", b"goroutine", b"count"):
        assert word in plain
    before, after = one(data).profile, one(out).profile
    assert before
    assert after
    assert before.values.tolist() == after.values.tolist()
    assert before.locations.address.tolist() == after.locations.address.tolist()
    assert before.time_nanos == after.time_nanos
    assert len(before.strings) == len(after.strings)


def test_a_profile_of_the_programs_own() -> None:
    own = profile().replace(b"\x09goroutine", b"\x09open_till")
    data, text = REDACT("x", own), told("x", DEBUG1.replace("goroutine profile", "open_till profile"))
    assert data
    assert b"till" not in data
    assert "till" not in text
    assert one(data).kind == one(text.encode()).kind != "unknown"


def test_metrics() -> None:
    scrape = """# HELP shop_sold_total Sold by the shop.
# TYPE shop_sold_total counter
shop_sold_total{customer="ann",number="4711",code="200",le="0.5"} 40
# TYPE http_acme_total counter
http_acme_total 3
# TYPE shop_http_requests_total counter
shop_http_requests_total{path="/pay"} 7
# HELP go_goroutines Number of goroutines.
# TYPE go_goroutines gauge
go_goroutines 13
go_info{version="go1.26.8"} 1
go_build_info{path="github.com/acme/shop",version="v1.2.3",checksum="x"} 1
"""
    text = told("metrics.txt", scrape)
    for word in ("shop", "ann", "customer", "/pay", "acme", "Sold", "4711"):
        assert word not in text
    for line in ("go_goroutines 13", 'go_info{version="go1.26.8"} 1', "# TYPE go_goroutines gauge"):
        assert line in text
    before, after = one(scrape.encode()).metrics, one(text.encode()).metrics
    assert before
    assert after
    assert sorted(before.values.values()) == sorted(after.values.values())
    assert 'code="200",le="0.5"' in text
    assert "_requests_total" in text  # work that is done is told by such names


def test_builds() -> None:
    listing = """/srv/acme/orders: go1.26.8
	path	github.com/acme/shop/cmd/orders
	mod	github.com/acme/shop	v1.2.3	h1:abc=
	dep	k8s.io/client-go	v0.18.8	h1:def=
	dep	github.com/acme/ledger	v0.1.0	h1:ghi=
	=>	../ledger
	build	-compiler=gc
	build	-ldflags="-X main.key=4711"
	build	vcs.revision=8f3a1b
"""
    text = told("build.txt", listing)
    for word in ("acme", "shop", "orders", "ledger", "4711", "8f3a1b", "ghi", "abc"):
        assert word not in text
    before, after = one(listing.encode()).build, one(text.encode()).build
    assert before
    assert after
    assert (after.go, after.main_version) == ("go1.26.8", "v1.2.3")
    assert after.modules
    assert after.modules["k8s.io/client-go"] == "v0.18.8"
    assert before.modules
    assert sorted(before.modules.values()) == sorted(after.modules.values())


def test_go_mod_and_go_sum() -> None:
    mod = "module github.com/acme/shop\n\ngo 1.22\n\nrequire (\n\tk8s.io/api v0.18.8 // indirect\n\tcorp.example/ledger v0.1.0 // of ann\n)\n\nreplace corp.example/ledger => ../ledger\n"
    text = told("go.mod", mod)
    for word in ("acme", "shop", "ledger", "ann"):
        assert word not in text
    before, after = one(mod.encode()).build, one(text.encode()).build
    assert before
    assert after
    assert after.modules
    assert "k8s.io/api" in after.modules
    total = f"k8s.io/api v0.18.8 h1:{'A' * 43}=\ncorp.example/ledger v0.1.0/go.mod h1:{'B' * 43}=\n"
    text = told("go.sum", total)
    assert "corp" not in text
    assert "B" * 43 not in text
    assert f"k8s.io/api v0.18.8 h1:{'A' * 43}=" in text


def test_what_the_kernel_tells() -> None:
    status = "Name:\torders\nUmask:\t0022\nState:\tS (sleeping)\nPid:\t12\nUid:\t1000\t1000\nVmRSS:\t   15072 kB\nThreads:\t9\n"
    text = told("status.txt", status)
    assert "orders" not in text
    assert "1000" not in text
    before, after = one(status.encode()).metrics, one(text.encode()).metrics
    assert before
    assert after
    assert before.values == after.values
    cgroup = "==> /sys/fs/cgroup/kubepods.slice/pod8a7b-acme.slice/memory.max <==\n1048576\n"
    text = told("cgroup.txt", cgroup)
    assert "acme" not in text
    assert text.startswith("==> /sys/fs/cgroup/kubepods.slice/x")
    assert text.endswith("/memory.max <==\n1048576\n")


def test_sockets() -> None:
    table = """# oakum sockets/1 pid=12 name=orders at=2026-11-16T10:15:00Z
# net.core.wmem_max = 212992
Netid  State  Recv-Q  Send-Q  Local Address:Port  Peer Address:Port  Process
tcp    ESTAB  0       4096    10.2.3.4:6060       10.2.3.5:4711      users:(("orders",pid=12,fd=7)) ino:99 skmem:(r0,rb1,t2,tb3)
u_str  ESTAB  0       0       /run/acme.sock 17   * 18               ino:17 peer:(("ledger",pid=13))
"""
    text = told("sockets.txt", table)
    for word in ("orders", "acme", "ledger", "10.2.3.4", "10.2.3.5"):
        assert word not in text
    for word in ("pid=12", "4096", ":6060", "ino:99", "skmem:(r0,rb1,t2,tb3)", "wmem_max = 212992", "u_str"):
        assert word in text


def test_answers_in_json() -> None:
    version = {
        "major": "1",
        "minor": "18",
        "gitVersion": "v1.18.8",
        "goVersion": "go1.13.15",
        "platform": "linux/amd64",
        "builder": "ann",
    }
    text = told("version.json", json.dumps(version))
    assert "ann" not in text
    assert one(text.encode()).build == one(json.dumps(version).encode()).build
    series = {
        "metric": {"__name__": "go_goroutines", "job": "orders", "instance": "10.2.3.4:6060"},
        "values": [[1, "13"]],
    }
    answer = {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
    told_twice = told("prometheus.json", json.dumps(answer) + "\n" + json.dumps(answer))
    assert "orders" not in told_twice
    assert "10.2.3.4" not in told_twice
    first = json.loads(told_twice.splitlines()[0])["data"]["result"][0]
    assert first["values"] == [[1, "13"]]
    assert first["metric"]["__name__"] == "go_goroutines"
    assert "4711" not in told("card.json", '{"card": 4711, "owner": "ann"}')


def test_events_and_pods_keep_what_happened_when() -> None:
    event = {
        "metadata": {"name": "orders-7d.18", "annotations": {"pin": "4711"}}, "reason": "OOMKilling", "count": 2,
        "message": "Memory cgroup out of memory: Killed process 7 (orders)", "lastTimestamp": "2026-11-16T02:41:03Z",
        "involvedObject": {"kind": "Pod", "namespace": "acme", "name": "orders-7d"},
    }  # fmt: skip
    ended = {"reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-11-16T02:41:03Z"}
    pod = {
        "metadata": {"name": "orders-7d", "namespace": "acme"},
        "spec": {"containers": [{"name": "orders", "env": [{"name": "PIN", "value": "4711"}]}]},
        "status": {"containerStatuses": [{"name": "orders", "lastState": {"terminated": ended}}]},
    }
    for file, document in (
        ("events.json", {"kind": "EventList", "items": [event]}),
        ("pod.json", {"kind": "Pod", **pod}),
        ("pods.json", {"kind": "List", "items": [{"kind": "Pod", **pod}]}),
    ):
        text = told(file, json.dumps(document))
        assert not any(word in text for word in ("orders", "acme", "4711"))
        (before,), (after,) = (one(each.encode()).log.tallies for each in (json.dumps(document), text))  # type: ignore[union-attr]
        assert (after.kind, after.total, [*after.times]) == (before.kind, before.total, [*before.times])
        assert after.object
        assert after.object != before.object


@pytest.mark.parametrize(
    "data",
    [b"\x7fELF\0main.secret", b"go 1.26 trace\0\0\0x", gzip.compress(gzip.compress(b"secret", mtime=0), mtime=0)],
)
def test_what_cannot_be_redacted_is_not_kept(data: bytes) -> None:
    assert REDACT("x", data) is None


def test_utf_16_is_read() -> None:
    out = REDACT("dump.txt", DUMP.encode("utf-16"))
    assert out
    assert b"lockSlow" in out
    assert b"Till" not in out


@pytest.mark.parametrize(
    ("file", "kept"),
    [("goroutine.debug2.txt.gz", True), ("20261116T101500Z", True), ("12", True), ("prometheus-2.json", True), ("orders-heap.pb.gz", False), ("ann.txt", False)],
)  # fmt: skip
def test_names_of_files(file: str, kept: bool) -> None:
    assert (REDACT.file(file) == file) == kept
    assert REDACT.file(file).endswith(file[file.find(".") :] if "." in file else "")


def test_the_same_key_gives_the_same_bytes() -> None:
    data = gzip.compress(profile())
    assert redaction("key")("x", data) == REDACT("x", data)
    assert redaction("other")("x", data) != REDACT("x", data)
    assert redaction()("x", data) != redaction()("x", data)
    assert "key" not in repr(redaction("key"))


@settings(max_examples=100)
@given(st.one_of(st.binary(max_size=400), st.text(max_size=400).map(str.encode)), st.integers(0, len(profile())))
def test_nothing_raises(noise: bytes, at: int) -> None:
    plain = Redaction(b"key")
    plain("x", gzip.compress(noise)[:at])
    for data in (noise, profile()[:at] + noise, (DUMP + DEBUG1).encode()[:at] + noise):
        plain._plain("x", data)  # without the net below it
