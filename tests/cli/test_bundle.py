"""Bundles on the command line: every verb takes them, packed or not, redacted or not, and says what is wrong with them."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from oakum.collect.bundle.given import given
from oakum.collect.bundle.write import Bundle, Redact
from oakum.collect.target import CaptureOptions, Step, Taken
from oakum.model import Capture
from oakum.pipeline.redaction import redaction
from recordings import recorded

from .conftest import Call

CASE, TAKE = "abandoned-sender-freight", "leaking-go1.27-trimpath"


class _Orders:
    address = process = "http://orders.corp:6060"
    name = "orders"


def bundled(place: Path, redact: Redact | None = None) -> Path:
    """Write a recorded take as the bundle that a capture of it would have made."""
    bundle, target = Bundle(place, redact), _Orders()
    for number, snapshot in enumerate(recorded(CASE, TAKE), 1):
        for name, data in snapshot.files.items():
            taken = Taken(Step(name, "", ""), Capture("", data), snapshot.at, snapshot.at + timedelta(seconds=1))
            bundle.add(target, number, taken)  # type: ignore[arg-type]  # all that a bundle asks of a target
    return bundle.close()


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundled(tmp_path_factory.mktemp("packed") / "orders.tar.gz")


def found(answer: str) -> list[tuple[object, ...]]:
    return [
        (one["mechanism"], one["confidence"], [site["count"] for site in one["sites"]], one["growth"][0]["counts"])
        for one in json.loads(answer)["findings"]
    ]


def test_packed_and_redacted_it_is_the_same_diagnosis(oakum: Call, packed: Path, tmp_path: Path) -> None:
    hidden = bundled(tmp_path / "hidden.tar.gz", redaction("key"))
    answers = [oakum("diagnose", "--json", place) for place in (packed, hidden, bundled(tmp_path / "orders"))]
    assert [answer.code for answer in answers] == [1, 1, 1]
    assert found(answers[0].out) == found(answers[1].out) == found(answers[2].out)
    assert "freight" in answers[0].out
    for word in ("freight", "tidewater", "orders"):
        assert word not in answers[1].out.replace(str(tmp_path), "")
    at = [snapshot["at"] for snapshot in json.loads(answers[0].out)["moments"]]
    assert at == [snapshot.at.isoformat().replace("+00:00", "Z") for snapshot in recorded(CASE, TAKE)]


def test_given_evidence_is_redacted(oakum: Call, packed: Path, tmp_path: Path) -> None:
    (target,) = given([str(packed)])
    bundle = Bundle(tmp_path / "hidden", redaction())
    for step in target.plan(CaptureOptions()).steps:
        bundle.add(target, 1, target.take(step, CaptureOptions()))
    assert found(oakum("diagnose", "--json", bundle.close()).out) == found(oakum("diagnose", "--json", packed).out)


def test_views_look_into_an_archive(oakum: Call, packed: Path) -> None:
    assert "chan send" in oakum("goroutines", packed / "orders" / "4" / "goroutine.debug2.txt.gz").out
    assert oakum("top", packed / "orders" / "4" / "heap.pb.gz").code == 0
    grown = oakum("diff", packed)
    assert grown.code == 0
    assert "0   8  22  23" in grown.out
    rows = json.loads(oakum("inspect", "--json", packed).out)["inputs"]
    assert len(rows) == sum(len(snapshot.files) for snapshot in recorded(CASE, TAKE))
    assert not any("manifest" in row["origin"] for row in rows)
    for place in (packed, packed / "orders"):
        assert oakum("scan", place).code == 0
        assert "NO MATCH" in oakum("known", place).out


def test_what_was_changed_since_is_said(oakum: Call, tmp_path: Path) -> None:
    place = bundled(tmp_path / "orders")
    (place / "orders" / "1" / "metrics.txt").write_text("# TYPE go_goroutines gauge\ngo_goroutines 1\n")
    answer = oakum("diagnose", "--json", place)
    assert "metrics.txt: This file was changed after the capture" in answer.err
    keys = [problem["key"] for row in json.loads(answer.out)["inputs"] for problem in row["problems"]]
    assert "changed" in keys
    assert "changed after the capture" in oakum("inspect", place).out


def test_a_cut_archive_gives_what_it_has(oakum: Call, packed: Path, tmp_path: Path) -> None:
    data = packed.read_bytes()
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(data[: len(data) * 2 // 3])
    answer = oakum("inspect", cut)
    assert "orders/1/goroutine.debug2.txt.gz" in answer.out
    assert "is cut" in answer.err


def _snapshot(place: Path, address: str, at: datetime, redact: Redact | None = None) -> Path:
    bundle, target = Bundle(place, redact), SimpleNamespace(address=address, process=address, name="orders")
    data = b"goroutine 1 [chan receive]:\nmain.main()\n\t/src/main.go:9 +0x1d\n"
    step = Step("goroutine.debug2.txt", "", "")
    bundle.add(target, 1, Taken(step, Capture("", data), at, at))
    return bundle.close()


def test_bundles_of_one_target_are_one_process(oakum: Call, tmp_path: Path) -> None:
    noon, here = datetime(2026, 11, 16, 12, tzinfo=UTC), "http://orders.corp:6060"
    later = _snapshot(tmp_path / "later", here, noon + timedelta(minutes=5))
    places = [later, _snapshot(tmp_path / "first", here, noon), _snapshot(tmp_path / "else", "pid:7", noon)]
    hidden = [
        _snapshot(tmp_path / f"hidden{at}", here, noon + timedelta(minutes=at), redaction("key")) for at in range(2)
    ]
    for given_places, snapshots in ((places[:2], [2]), (places, [2, 1]), (hidden, [2])):
        told = json.loads(oakum("diagnose", "--json", *given_places).out)
        of = [snapshot["process"] for snapshot in told["moments"]]
        assert [of.count(process["id"]) for process in told["processes"]] == snapshots
        at = [snapshot["at"] for snapshot in told["moments"] if snapshot["process"] == "p1"]
        assert at == sorted(at)


def test_what_was_captured_can_be_again(oakum: Call, tmp_path: Path) -> None:
    noon = datetime(2026, 11, 16, 12, tzinfo=UTC)
    said = oakum("diagnose", _snapshot(tmp_path / "one", "http://orders.corp:6060", noon)).out
    assert "oakum diagnose --snapshots 3 --every 1m http://orders.corp:6060" in said
    said = oakum("diagnose", _snapshot(tmp_path / "two", "http://orders.corp:6060", noon, redaction("key"))).out
    assert "--every" not in said  # a token leads nowhere
