"""oakum history and oakum store, and what a store keeps as evidence of every view."""

import json
import re
from pathlib import Path

import pytest

from oakum.cli.screen import columns_of
from oakum.store import Batch, EventRow, IncidentRow, PlaceRow, SnapshotRow, open_writer
from support import ROOT, Answer, oakum

CASE = ROOT / "casebook" / "ttrpc-94" / "captures" / "leaking-go1.26-modcache"
AT = 1_780_000_000_000_000
HOUR = 3_600_000_000


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("history") / "store"
    answer = oakum("store", "add", store, CASE)
    assert (answer.code, answer.out) == (0, "containerd, kubelet, shim: 12 snapshots and 2 findings added\n")
    return store


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    """Return a store as a watcher leaves it: a service that leaks, with its incident, and one that is well."""
    with open_writer(tmp_path / "store") as writer:
        for hour in range(30):
            rows = [
                SnapshotRow(run=name, service=name, at=AT + hour * HOUR, goroutines=100 + grows * hour, heap_live=(50 + grows * hour) << 20, limit_bytes=1 << 30)
                for name, grows in (("orders", 10), ("pay", 0))
            ]  # fmt: skip
            places = [
                PlaceRow(run="orders", service="orders", at=AT + hour * HOUR, place="k", function="shop/orders.(*Hub).Send",
                         file="/srv/orders/hub.go", line=42, state="chan send", kind="goroutines", count=10 * hour)
            ]  # fmt: skip
            writer.append(Batch(snapshots=tuple(rows), places=tuple(places)))
        incident = IncidentRow(
            incident="i-1", service="orders", state="open", opened_at=AT + 9 * HOUR, updated_at=AT, since=AT + HOUR,
            since_low=AT, since_high=AT + 2 * HOUR, limit_low=AT + 40 * HOUR, limit_high=AT + 60 * HOUR, verdict="leaking",
            mechanism="abandoned-sender", function="shop/orders.(*Hub).Send", file="/srv/orders/hub.go", line=42,
            replicas=("orders-1", "orders-2"), revision=3,
        )  # fmt: skip
        event = EventRow(
            service="orders", at=AT + 5 * HOUR, kind="deploy", key="unknown.key", args='{"a": "\\u001b[31mred"}'
        )
        writer.append(Batch(incidents=(incident,), events=(event,)))
    return tmp_path / "store"


def test_services_and_incidents(watched: Path) -> None:
    answer = oakum("history", "--store", watched)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "2 services, 1 leaking (times are UTC)"
    assert lines[2] == "LEAK  orders"
    assert "grows since 2026-05-28 21:26" in lines[3]
    assert "begin between 2026-05-28 20:26 and 2026-05-28 22:26" in lines[3]
    assert re.match(r"   goroutines 390   \+10(\.0)?/h   ", lines[4])  # sums in several threads round either way
    assert lines[5].startswith("   live heap 340.0 MiB   +10.0 MiB/h   ")
    assert "limit 1.0 GiB" in lines[6]
    assert "not before" in lines[6]
    assert "NO DIAGNOSIS  pay" in lines
    assert "   OPEN  orders  abandoned-sender" in lines
    assert "2 replicas" in answer.out
    assert "\x1b" not in answer.out


def test_one_service_has_its_places_and_events(watched: Path) -> None:
    answer = oakum("history", "orders", OAKUM_STORE=str(watched))
    assert "shop/orders.(*Hub).Send  /srv/orders/hub.go:42" in answer.out
    assert "   290   +10/h   chan send" in answer.out
    assert "2026-05-29 01:26  deploy" in answer.out
    assert "pay" not in answer.out


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_it_fits_the_screen(watched: Path, columns: int) -> None:
    for words in ([], ["orders"], ["orders", "--lang", "zh"]):
        answer = oakum("history", *words, "--store", watched, COLUMNS=str(columns), FORCE_COLOR="1")
        assert max(columns_of(line) for line in answer.out.splitlines()) <= columns, answer.out
        assert "\x1b[1;31m" in answer.out


def test_json(watched: Path) -> None:
    told = json.loads(oakum("history", "--store", watched, "--json").out)
    assert told["schema"] == "oakum.history/1"
    orders, pay = told["services"]
    assert (orders["service"], orders["verdict"], orders["goroutines"]["value"]) == ("orders", "leaking", 390)
    assert orders["goroutines"]["per_hour"] == pytest.approx(10)
    assert (pay["verdict"], pay["heap_live"]["per_hour"]) == ("", pytest.approx(0))
    assert told["incidents"][0]["function"] == "shop/orders.(*Hub).Send"


def test_it_works_beside_a_writer(watched: Path) -> None:
    with open_writer(watched) as writer:
        assert oakum("history", "--store", watched).code == 0
        assert oakum("store", "check", watched).code == 0
        refused = oakum("store", "compact", watched)
        assert refused.code == 4
        assert "is writing into this store" in refused.err
        writer.append(Batch(snapshots=(SnapshotRow(run="n", service="new", at=AT + 30 * HOUR, goroutines=1),)))
        assert "new" in oakum("history", "--store", watched).out


def test_what_is_missing_says_what_to_run(tmp_path: Path, watched: Path) -> None:
    answer = oakum("history", "--store", tmp_path / "none")
    assert answer.code == 4
    assert "oakum store add" in answer.err
    open_writer(tmp_path / "empty").close()
    assert "holds no snapshot yet" in oakum("history", "--store", tmp_path / "empty").err
    assert "It has: orders, pay" in oakum("history", "ordres", "--store", watched).err
    assert "--store DIR" in oakum("history").err
    assert "keeps no capture of orders" in oakum("top", "store:orders", "--store", watched).err
    assert "not a time" in oakum("top", "store:orders@soon", "--store", watched).err


def test_added_evidence_is_history_and_evidence_again(added: Path, tmp_path: Path) -> None:
    def ask(*words: str | Path) -> Answer:
        return oakum(*words, PPROF_TMPDIR=str(tmp_path), OAKUM_STORE=str(added))

    assert "LEAK  shim" in oakum("history", "--store", added).out
    again = oakum("store", "add", added, CASE)
    assert again.out == "containerd, kubelet, shim: 12 snapshots already in the store\n"
    diagnosis = ask("diagnose", "--store", added, "shim", "--no-source", "--json")
    assert diagnosis.code == 1
    found = json.loads(diagnosis.out)
    assert len(found["moments"]) == 4
    view = ask("goroutines", "store:shim@2026-11-15T23:44:39")
    assert "167 goroutines" in view.out
    assert ask("diff", "store:shim@2026-11-15T23:42:28", "store:shim").out.startswith("goroutines  8 → 167")
    assert ask("top", "store:kubelet").code == 0
    assert ask("inspect", "store:containerd").code == 0


def test_look_after_a_store(added: Path, tmp_path: Path) -> None:
    exported = oakum("store", "export", added, tmp_path / "all.tar")
    assert exported.code == 0
    assert re.search(r": \d+ parts? with \d+ rows?; batches in the log: \d+", exported.out)
    assert "0 parts with 0 rows; batches in the log: 0" not in exported.out
    assert oakum("store", "import", tmp_path / "other", tmp_path / "all.tar").code == 0
    assert oakum("store", "compact", tmp_path / "other").code == 0
    checked = oakum("store", "check", tmp_path / "other")
    assert checked.code == 0, checked
    assert "No problem found." in checked.out
    capture = next(path for path in (tmp_path / "other" / "captures").rglob("*") if path.is_file())
    capture.write_bytes(capture.read_bytes()[:-1])
    broken = oakum("store", "check", tmp_path / "other", "--lang", "zh")
    assert broken.code == 1
    assert "已损坏" in broken.out
    assert oakum("store", "export", added, tmp_path / "all.tar").code == 2
    assert oakum("store", "add", added).code == 2
    (tmp_path / "junk.txt").write_text("nothing of ours")
    assert oakum("store", "add", added, tmp_path / "junk.txt").code == 4
