"""Reading bundles and archives back: times and digests of the manifest, and what is said when they do not fit."""

import io
import json
import shutil
import tarfile
from datetime import timedelta
from pathlib import Path

import pytest

from oakum.collect.bundle.given import given
from oakum.collect.bundle.write import Bundle
from oakum.collect.files import gather
from oakum.collect.target import CaptureOptions, Target
from oakum.model import Capture, OakumError, Unreachable
from oakum.report.words.lines import error_line

from .pretend import BEGAN, DUMP, Pretend, fill

FILES = {"goroutine.debug2.txt": DUMP, "metrics.txt": b"go_goroutines 1\n"}


@pytest.fixture(params=["bundle", "bundle.tar.gz"])
def bundle(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return fill(Bundle(tmp_path / str(request.param)), Pretend("orders", FILES), Pretend("users", FILES), snapshots=11)


def all_of(*places: Path) -> tuple[list[Capture], list[str]]:
    told: list[OakumError] = []
    return list(gather([str(place) for place in places], told.append)), [error_line(error) for error in told]


def test_times_come_from_the_manifest(bundle: Path) -> None:
    found, told = all_of(bundle)
    assert told == []
    assert len(found) == 44
    by_origin = {capture.origin: capture for capture in found}
    assert by_origin[f"{bundle}/orders/2/metrics.txt"].taken_at == BEGAN + timedelta(seconds=30)
    assert all(capture.problems == () for capture in found)
    folders = list(dict.fromkeys(capture.origin.split("/")[-2] for capture in found))
    assert folders == [str(number) for number in range(1, 12)]  # 2 before 10


def test_a_path_may_lead_into_an_archive(tmp_path: Path) -> None:
    place = fill(Bundle(tmp_path / "b.tar.gz"), Pretend("orders", FILES), snapshots=2)
    found, _ = all_of(place / "orders" / "2" / "metrics.txt")
    assert [capture.origin for capture in found] == [f"{place}/orders/2/metrics.txt"]
    found, _ = all_of(place / "orders" / "2")
    assert len(found) == 2
    with pytest.raises(Unreachable, match=r"unread\.not-in-archive"):
        list(gather([str(place / "nobody")]))


def test_a_changed_file_is_told(tmp_path: Path) -> None:
    place = fill(Bundle(tmp_path / "b"), Pretend("orders", FILES))
    (place / "orders" / "1" / "metrics.txt").write_bytes(b"go_goroutines 2\n")
    (place / "orders" / "1" / "goroutine.debug2.txt").unlink()
    found, told = all_of(place)
    assert [problem.key for problem in found[0].problems] == ["changed"]
    assert told == [
        f"{place}/orders/1/goroutine.debug2.txt: listed in manifest.json, but missing: the bundle is not complete"
    ]


def test_a_broken_manifest_takes_nothing_away(tmp_path: Path) -> None:
    place = fill(Bundle(tmp_path / "b"), Pretend("orders", FILES))
    (place / "manifest.json").write_text('{"schema": "oakum.bundle/1", "targets": [')
    found, told = all_of(place)
    assert len(found) == 2
    assert "manifest.json could not be read" in told[0]
    (place / "manifest.json").write_text('{"schema": "oakum.bundle/9", "targets": [{"moments": 3}, 4, null]}')
    found, told = all_of(place)
    assert len(found) == 2
    assert "oakum.bundle/9" in told[0]


def test_somebody_elses_manifest_is_evidence_like_any_file(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "an extension of a browser"}))
    (tmp_path / "SHA256SUMS").write_text("x")
    found, told = all_of(tmp_path)
    assert [Path(capture.origin).name for capture in found] == ["SHA256SUMS", "manifest.json"]
    assert told == []


def test_an_archive_in_a_directory_is_one_too_but_not_one_in_an_archive(tmp_path: Path) -> None:
    inner = fill(Bundle(tmp_path / "in" / "inner.tar.gz"), Pretend("orders", FILES))
    found, _ = all_of(tmp_path / "in")
    assert [capture.origin for capture in found] == [
        f"{inner}/orders/1/goroutine.debug2.txt",
        f"{inner}/orders/1/metrics.txt",
    ]
    outer = tmp_path / "outer.tar"
    with tarfile.open(outer, "w") as archive:
        archive.add(inner, "x/inner.tar.gz")
    found, _ = all_of(outer)
    assert [capture.origin for capture in found] == [f"{outer}/inner.tar.gz"]


def test_an_archive_of_nothing(tmp_path: Path) -> None:
    place = tmp_path / "x.tar"
    with tarfile.open(place, "w") as archive:
        row = tarfile.TarInfo("folder")
        row.type = tarfile.DIRTYPE
        archive.addfile(row)
    with pytest.raises(Unreachable, match=r"unread\.archive-empty"):
        list(gather([str(place)]))


def test_an_archive_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = fill(Bundle(tmp_path / "b.tar.gz"), Pretend("orders", FILES))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(place.read_bytes())))
    assert next(gather(["-"])).origin == "-/orders/1/goroutine.debug2.txt"


def again(words: list[str], place: Path) -> Path:
    """Take given evidence into a new bundle."""
    made = Bundle(place)
    for one in given(words):
        target: Target = one
        plan = target.plan(CaptureOptions())
        made.snapshot(target, 1, plan, BEGAN)
        for step in plan.steps:
            made.add(target, 1, target.take(step, CaptureOptions()))
        assert target.plan(CaptureOptions(), 2).steps == ()
    return made.close()


def test_a_bundle_taken_again_is_the_same_evidence(bundle: Path, tmp_path: Path) -> None:
    copied = again([str(bundle)], tmp_path / "again")
    before, after = all_of(bundle)[0], all_of(copied)[0]
    assert [(one.origin.removeprefix(str(bundle)), one.taken_at, one.digest) for one in before] == [
        (one.origin.removeprefix(str(copied)), one.taken_at, one.digest) for one in after
    ]


def test_given_files_have_no_time_but_that_of_their_files(tmp_path: Path) -> None:
    home = tmp_path / "caps"
    (home / "1").mkdir(parents=True)
    (home / "1" / "dump.txt").write_bytes(DUMP)
    (home / "log.txt").write_bytes(DUMP)
    (tmp_path / "dump.txt").write_bytes(DUMP)
    copied = again([str(home), str(tmp_path / "dump.txt")], tmp_path / "again")
    found, told = all_of(copied)
    assert told == []
    paths = [one.origin.removeprefix(f"{copied}/") for one in found]
    assert paths == ["caps/1/dump.txt", "caps/log.txt", "given/1/dump.txt"]
    assert {one.taken_at for one in found} == {None}
    before = (home / "1" / "dump.txt").stat().st_mtime
    assert abs((copied / "caps" / "1" / "dump.txt").stat().st_mtime - before) < 0.01


def test_what_is_wrong_with_given_evidence_stays_known(tmp_path: Path) -> None:
    place = fill(Bundle(tmp_path / "b"), Pretend("orders", FILES))
    (place / "orders" / "1" / "metrics.txt").write_bytes(b"go_goroutines 2\n")
    shutil.rmtree(place / "nothing", ignore_errors=True)
    copied = again([str(place)], tmp_path / "again")
    rows = json.loads((copied / "manifest.json").read_bytes())["targets"][0]["moments"][0]["captures"]
    assert [problem["key"] for row in rows for problem in row["problems"]] == ["changed"]
    with pytest.raises(Unreachable, match=r"unread\.not-there"):
        given([str(tmp_path / "nobody")])
