"""The loop, with targets of our own and a clock that is moved by hand: what is kept, when it looks closer, what it says."""

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from fake_targets import FakeClock, FakeTarget, pass_time, watcher
from oakum import history as remembered
from oakum.model import StoreError, Text
from oakum.store import open_reader
from oakum.store.requests import want_look
from oakum.watch import ledger as ledgers
from oakum.watch.notify.messages import message

pytestmark = pytest.mark.slow  # hours of watching, ten milliseconds a snapshot
MINUTE = 60.0


def leaking(time: FakeClock, after: float, pace: float = 8.0) -> FakeTarget:
    begin = time.now + after
    return FakeTarget("orders-1", time, lambda now: max(0, round((now - begin) / MINUTE * pace)))


def test_a_leak_is_one_incident_with_its_evidence_and_ends_with_the_fix(tmp_path: Path) -> None:
    time = FakeClock()
    leak = leaking(time, 30 * MINUTE)
    healthy = [FakeTarget(f"cart-{at}", time) for at in range(2)]
    one, log = watcher(tmp_path / "s", time, [leak, *healthy])
    pass_time(one, time, 30 * MINUTE)
    assert leak.dumps == 0, "cheap as long as nothing grows"
    begun = one.snapshots
    while not one.casework.book.open and one.snapshots < begun + 36:
        pass_time(one, time, MINUTE)
    assert (one.snapshots - begun) / 3 <= 6, "within five snapshots after growth began"
    pass_time(one, time, 30 * MINUTE)
    assert leak.dumps
    (incident,) = one.casework.book.open
    leak.leaked, leak.started = (lambda _: 0), time.now
    pass_time(one, time, 25 * MINUTE)
    one.close()
    assert not one.casework.book.open
    with open_reader(tmp_path / "s") as reader:
        (row,) = reader.incidents()
        assert (row.state, row.service, row.function) == ("resolved", "orders", "main.(*quotes).ask.func1")
        assert row.since is not None
        assert b"<html" in reader.document(row.page)
        kinds = [event.kind for event in reader.events("orders")]
        assert [kind for kind in kinds if kind.startswith("incident")] == ["incident-opened", "incident-resolved"]
        assert kinds.count("restart") == 1
        kept = [snapshot for snapshot in reader.snapshots("orders") if snapshot.captures]
        assert len({snapshot.at for snapshot in kept}) >= 4
        assert not [one for one in reader.snapshots("cart") if one.captures], "only of what a finding cites"
        assert len(reader.runs("orders")) == 2
        found = reader.findings("orders")
        assert {one.incident for one in found[1:]} <= {row.incident, ""}
        assert b'"schema"' in reader.document(found[-1].document)
    assert log.getvalue().count("incident-opened") == 1
    assert (tmp_path / "s" / "pages" / f"{incident.row.incident}.html").read_bytes().startswith(b"<!")


def test_an_incident_survives_a_watcher_that_is_killed(tmp_path: Path) -> None:
    time = FakeClock()
    leak = leaking(time, 10 * MINUTE)
    one, _ = watcher(tmp_path / "s", time, [leak])
    pass_time(one, time, 30 * MINUTE)
    (before,) = one.casework.book.open
    one.ledger._writer._lock.release()  # as a kill leaves it: nothing is closed, nothing flushed
    again, log = watcher(tmp_path / "s", time, [leak])
    pass_time(again, time, 20 * MINUTE)
    (after,) = again.casework.book.open
    assert after.row.incident == before.row.incident
    assert "incident-opened" not in log.getvalue()
    again.close()
    with open_reader(tmp_path / "s") as reader:
        assert len(reader.incidents()) == 1
        assert len(reader.runs("orders")) == 1, "the process is known again"
        times = sorted({one.at for one in reader.snapshots("orders")})
        assert len(times) >= 45
        assert max(after - before for before, after in pairwise(times)) < 3 * MINUTE * 1e6


def test_the_evidence_before_the_crash_is_taken_once_whatever_it_costs(tmp_path: Path) -> None:
    time = FakeClock()
    target = FakeTarget("orders-1", time)
    target.limit, target.rss = 1 << 30, lambda up: (100 << 20) + int(up / 60) * (20 << 20)
    target.started = time.now
    one, _ = watcher(tmp_path / "s", time, [target])
    one.settings.evidence.directory.mkdir(exist_ok=True)
    pass_time(one, time, 44 * MINUTE)
    assert target.dumps >= 1
    (subject,) = one.subjects.values()
    assert any(kept.pinned for kept in one.evidence.rows(subject.key))
    target.started = time.now  # killed
    pass_time(one, time, 3 * MINUTE)
    one.close()
    with open_reader(tmp_path / "s") as reader:
        captured = [event for event in reader.events("orders") if event.kind == "capture"]
        assert len(captured) == 1, "once in a run"


def test_a_look_that_is_asked_for_is_taken_at_once_with_the_dump(tmp_path: Path) -> None:
    time = FakeClock()
    target, other = FakeTarget("orders-1", time), FakeTarget("cart-1", time)
    one, log = watcher(tmp_path / "s", time, [target, other])
    pass_time(one, time, 5 * MINUTE)
    before = target.looks, target.dumps, other.dumps
    assert want_look(tmp_path / "s", "orders")
    pass_time(one, time, 2)
    assert (target.looks, target.dumps, other.dumps) == (before[0] + 1, before[1] + 1, before[2])
    assert log.getvalue().count("look-asked-for") == 1
    pass_time(one, time, 3 * MINUTE)
    assert target.dumps == before[1] + 1, "once"
    one.close()


def test_a_target_that_is_away_is_said_once_asked_less_and_comes_back(tmp_path: Path) -> None:
    time = FakeClock()
    target, other = FakeTarget("orders-1", time), FakeTarget("cart-1", time)
    one, log = watcher(tmp_path / "s", time, [target, other])
    pass_time(one, time, 5 * MINUTE)
    target.away = True
    asked = target.looks
    pass_time(one, time, 120 * MINUTE)
    assert target.looks - asked < 20, "ever more seldom"
    assert log.getvalue().count("target-failed") == 1
    assert other.looks > 100, "the others go on"
    target.away = False
    pass_time(one, time, 20 * MINUTE)
    assert log.getvalue().count("target-answers") == 1
    one.close()
    with open_reader(tmp_path / "s") as reader:
        kinds = [event.kind for event in reader.events("orders")]
        assert (kinds.count("target-lost"), kinds.count("target-back")) == (1, 1)


def test_who_restarts_every_minute_is_followed_run_by_run(tmp_path: Path) -> None:
    time = FakeClock()
    target = FakeTarget("orders-1", time)
    one, log = watcher(tmp_path / "s", time, [target])
    for _ in range(20):
        target.started = time.now
        pass_time(one, time, MINUTE)
    assert not one.casework.book.open
    one.close()
    with open_reader(tmp_path / "s") as reader:
        assert 15 <= len(reader.runs("orders")) <= 21
    assert "error" not in log.getvalue()


def test_a_clock_that_jumps_is_said_and_watching_goes_on(tmp_path: Path) -> None:
    time = FakeClock()
    target = FakeTarget("orders-1", time)
    one, log = watcher(tmp_path / "s", time, [target])
    pass_time(one, time, 10 * MINUTE)
    for jump in (-7200.0, 86_400.0):
        time.jumped += jump
        pass_time(one, time, 10 * MINUTE)
    assert log.getvalue().count("clock-jumped") == 2
    assert one.snapshots >= 28
    assert not one.casework.book.open
    one.close()


def test_a_full_disk_is_said_once_and_nothing_that_waits_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = FakeClock()
    target = FakeTarget("orders-1", time)
    one, log = watcher(tmp_path / "s", time, [target])
    pass_time(one, time, 5 * MINUTE)
    writer = one.ledger._writer
    append = writer.append

    def full(_: object) -> None:
        raise StoreError(Text("store.full", {"path": "s", "error": "No space left on device"}))

    monkeypatch.setattr(writer, "append", full)
    pass_time(one, time, 30 * MINUTE)
    assert log.getvalue().count("store-failed") == 1
    monkeypatch.setattr(writer, "append", append)
    pass_time(one, time, 5 * MINUTE)
    assert log.getvalue().count("store-written") == 1
    one.close()
    with open_reader(tmp_path / "s") as reader:
        assert len(reader.snapshots("orders")) == one.snapshots


def test_what_a_full_disk_keeps_waiting_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "_WAITING_MOST", 16)
    time = FakeClock()
    one, log = watcher(tmp_path / "s", time, [leaking(time, 0.0)])
    append = one.ledger._writer.append

    def full(_: object) -> None:
        raise StoreError(Text("store.full", {"path": "s", "error": "No space left on device"}))

    monkeypatch.setattr(one.ledger._writer, "append", full)
    pass_time(one, time, 60 * MINUTE)
    assert len(one.ledger._waiting) <= 16
    assert one.casework.book.open
    monkeypatch.setattr(one.ledger._writer, "append", append)
    pass_time(one, time, 2 * MINUTE)
    one.close()
    assert "dropped" in log.getvalue(), "how many snapshots are missing is said"
    with open_reader(tmp_path / "s") as reader:
        assert [row.state for row in reader.incidents()] == ["open"], "incidents are not among what is dropped"


def test_a_store_that_was_copied_by_halves_is_said_to_be_and_written_on(tmp_path: Path) -> None:
    time = FakeClock()
    target = FakeTarget("orders-1", time)
    one, log = watcher(tmp_path / "s", time, [target])
    pass_time(one, time, 130 * MINUTE)
    one.close()
    assert "store-damaged" not in log.getvalue()
    shutil.copytree(tmp_path / "s", tmp_path / "half")
    named = json.loads((tmp_path / "half" / "manifest.json").read_text())["parts"]
    part = next(tmp_path / "half" / part["file"] for part in named if part["table"] == "snapshots")
    part.unlink()
    shutil.rmtree(tmp_path / "half" / "log")
    before, stopped = one.snapshots, time.now * 1e6
    again, log = watcher(tmp_path / "half", time, [target])
    pass_time(again, time, 130 * MINUTE)
    again.close()
    said = [line for line in log.getvalue().splitlines() if "store-damaged" in line]
    assert len(said) == 2
    assert part.name in said[0]
    assert log.getvalue().count("level=error") == 0
    with open_reader(tmp_path / "half") as reader:
        times = {row.at for row in reader.snapshots("orders")}
    assert sum(at > stopped for at in times) == again.snapshots, "nothing that was acknowledged since is lost"
    assert 0 < sum(at <= stopped for at in times) < before


def test_targets_come_and_go(tmp_path: Path) -> None:
    time = FakeClock()
    targets = [FakeTarget("orders-1", time)]
    one, log = watcher(tmp_path / "s", time, targets)
    pass_time(one, time, 2 * MINUTE)
    targets.append(FakeTarget("orders-2", time))
    gone = targets.pop(0)
    pass_time(one, time, 3 * MINUTE)
    assert gone.closed
    assert [subject.replica for subject in one.subjects.values()] == ["orders-2"]
    assert "target-gone" in log.getvalue()
    one.close()


def test_one_process_is_never_captured_twice_at_once(tmp_path: Path) -> None:
    time = FakeClock()
    first, second = FakeTarget("orders-1", time), FakeTarget("orders-2", time)
    second.process = first.process
    one, _ = watcher(tmp_path / "s", time, [first, second])
    waiting = []
    one._spawn = lambda work, name: waiting.append(work) if name.startswith("look") else work()
    one.tick()
    one.tick()
    assert len(waiting) == 1
    waiting.pop()()
    one.tick()
    one.tick()
    assert len(waiting) == 1, "the other one is looked at when the first is over"
    one.close()


def test_the_change_before_growth_is_named_wherever_the_incident_is_told(tmp_path: Path) -> None:
    time = FakeClock()
    leak = leaking(time, 30 * MINUTE)
    leak.limit = 1 << 30
    one, _ = watcher(tmp_path / "s", time, [leak])
    pass_time(one, time, 29 * MINUTE)
    leak.limit = 1 << 31
    while not (one.casework.book.open and one.casework.book.open[0].row.after) and time.passed < 60 * MINUTE:
        pass_time(one, time, MINUTE)
    one.close()
    with open_reader(tmp_path / "s") as reader:
        assert [event.key for event in reader.events("orders") if event.kind == "config"] == ["watch.config-limit"]
        (row,) = reader.incidents()
        (told,) = remembered.incidents(reader, "orders", "en")
    assert told.after is not None
    assert told.after.text == "the memory limit of orders-1 is now 2.0 GiB, it was 1.0 GiB"
    assert message("updated", row).summary["zh"][2].endswith("内存上限由 1.0 GiB 变为 2.0 GiB。")
    again, _ = watcher(tmp_path / "s", time, [leak])
    assert [event.kind for event in again.casework.changes.of("orders")] == ["config"], "a watcher that starts knows it"
    again.close()
