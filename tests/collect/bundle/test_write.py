"""Writing a bundle: what lies where, what the manifest says, what never gets into it, what is never overwritten."""

import base64
import errno
import gzip
import json
import os
import stat
import subprocess
import tarfile
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from oakum.collect.bundle.names import inner_path, safe_name
from oakum.collect.bundle.secrets import Secrets
from oakum.collect.bundle.write import Bundle
from oakum.collect.target import CaptureOptions, Step
from oakum.model import Buffer, OakumError, UsageError
from oakum.report.words.lines import worded
from support import need_tool, quoted

from .pretend import BEGAN, DUMP, Pretend, fill, taken


def manifest(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / "manifest.json").read_bytes())
    return found


def test_what_lies_where_and_what_is_said_of_it(tmp_path: Path) -> None:
    bundle = Bundle(tmp_path / "out", worded=worded)
    place = fill(bundle, Pretend("orders", {"goroutine.debug2.txt": DUMP}), snapshots=2)
    assert (place / "orders" / "2" / "goroutine.debug2.txt").read_bytes() == DUMP
    said = manifest(place)
    assert (said["schema"], said["redacted"]) == ("oakum.bundle/1", False)
    (target,) = said["targets"]
    assert (target["address"], target["folder"], target["facts"]["goroutines"]) == (
        "http://orders:6060",
        "orders",
        12000,
    )
    first, second = target["moments"]
    assert (first["folder"], first["number"], first["at"]) == ("1", 1, "2026-11-16T10:15:00Z")
    assert first["left_out"] == [{"what": "debug=2", "why": "12,000 goroutines", "how": "--force takes it uncounted"}]
    assert "flags/v" in first["advice"][0]
    (capture,) = second["captures"]
    assert capture["began"] == "2026-11-16T10:15:30Z"
    assert capture["asked"] == "GET http://orders:6060/goroutine.debug2.txt"
    assert (capture["bytes"], capture["digest"][:7]) == (len(DUMP), "sha256:")


def test_digests_can_be_checked_by_hand(tmp_path: Path) -> None:
    place = fill(Bundle(tmp_path / "out"), Pretend("orders", {"heap.pb.gz": b"x", "log.txt": DUMP}))
    tool = need_tool("sha256sum", "coreutils")
    subprocess.run([tool, "-c", "--strict", "SHA256SUMS"], cwd=place, check=True, capture_output=True, timeout=30)


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    place = fill(Bundle(tmp_path / "out"), Pretend("orders", {"log.txt": DUMP}))
    for path in [place, *place.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_run_that_is_killed_leaves_a_bundle(tmp_path: Path) -> None:
    bundle, target = Bundle(tmp_path / "out"), Pretend("orders", {"log.txt": DUMP})
    bundle.snapshot(target, 1, target.plan(CaptureOptions()), BEGAN)
    bundle.add(target, 1, taken(Step("log.txt", "", ""), DUMP))
    assert manifest(tmp_path / "out")["ended"] is None
    assert (tmp_path / "out" / "orders" / "1" / "log.txt").read_bytes() == DUMP
    assert not list((tmp_path / "out").rglob("*.part"))


def test_what_failed_is_said(tmp_path: Path) -> None:
    bundle, target = Bundle(tmp_path / "out", worded=worded), Pretend("orders", {})
    gone = quoted("timeout", "No answer within 30 s.")
    assert bundle.add(target, 1, taken(Step("heap.pb.gz", "the heap", "GET /heap"), None, 0, gone)) is None
    bundle.problem(target, quoted("gone", "The process has ended."))
    (said,) = manifest(bundle.close())["targets"]
    assert said["problems"] == [{"key": "gone", "text": "The process has ended."}]
    (capture,) = said["moments"][0]["captures"]
    assert capture["problems"][0]["key"] == "timeout"
    assert "file" not in capture


def test_names_of_targets_are_safe_and_unique(tmp_path: Path) -> None:
    names = (
        "../../etc",
        "a/b",
        "Orders",
        "orders",
        ".hidden",
        "x" * 500,
        "线程",
        "nul",
        "\x1b[31m",
        "manifest.json",
        "",
    )
    bundle = Bundle(tmp_path / "out")
    folders = [bundle.target(Pretend(name, {}, f"pid:{at}")) for at, name in enumerate(names)]
    assert len({folder.casefold() for folder in folders}) == len(names)
    for folder in folders:
        assert inner_path(folder) == (folder,)
        assert len(folder.encode()) < 255
    assert folders[2:4] == ["Orders", "orders-2"]
    assert [bundle.target(Pretend("10.0.0.7-6060", {})) for _ in range(2)] == ["10.0.0.7-6060", "10.0.0.7-6060-2"]
    assert folders[6] == "线程"


def test_the_same_file_twice_is_two_files(tmp_path: Path) -> None:
    bundle, target = Bundle(tmp_path / "out"), Pretend("orders", {})
    paths = [bundle.add(target, 1, taken(Step("metrics.txt", "", ""), b"%d" % at)) for at in range(3)]
    assert paths == ["orders/1/metrics.txt", "orders/1/metrics-2.txt", "orders/1/metrics-3.txt"]


def test_the_past_has_snapshots_of_its_own(tmp_path: Path) -> None:
    bundle, target = Bundle(tmp_path / "out"), Pretend("orders", {})
    step = Step("20261116T091500Z/heap.pb.gz", "", "", at=BEGAN - timedelta(hours=1))
    assert bundle.add(target, 1, taken(step, b"x")) == "orders/20261116T091500Z/heap.pb.gz"
    (snapshot,) = manifest(bundle.close())["targets"][0]["moments"]
    assert (snapshot["folder"], snapshot["at"]) == ("20261116T091500Z", "2026-11-16T09:15:00Z")


@pytest.mark.parametrize("packed", [False, True])
def test_secrets_are_written_nowhere(tmp_path: Path, packed: bool) -> None:
    secret = b"hunter2&%token"
    shown = [secret, base64.b64encode(secret), b"hunter2%26%25token"]
    body = b"authorization: " + b" ".join(shown) + b"\n" + DUMP
    given = gzip.compress(body) if packed else body
    target = Pretend("orders", {"log.txt": given}, f"http://admin:{secret.decode()}@orders:6060")
    bundle = Bundle(tmp_path / "out", secrets=(secret, b"ab"), worded=worded)
    bundle.problem(target, quoted("refused", f"GET with {secret.decode()}: 403 in a page that says {secret.decode()}"))
    place = fill(bundle, target)
    for path in place.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        assert not any(one in plain for one in [*shown, b"admin:"]), path
    kept = (place / "orders" / "1" / "log.txt").read_bytes()
    assert len(gzip.decompress(kept) if packed else kept) == len(body)  # a profile counts its bytes
    assert manifest(place)["targets"][0]["moments"][0]["captures"][0]["problems"][0]["key"] == "secret-removed"
    assert "hunter2" not in repr(bundle)


def test_a_secret_is_found_in_gzip_that_is_cut_packed_twice_or_has_many_parts(tmp_path: Path) -> None:
    secret = b"hunter2hunter2"
    long = os.urandom(3 << 20) + secret + os.urandom(1 << 10)
    bodies = {
        "cut.pb.gz": gzip.compress(long)[:-9],
        "twice.pb.gz": gzip.compress(gzip.compress(long)),
        "parts.pb.gz": gzip.compress(b"") * 10_000 + gzip.compress(secret),
        "spoilt.pb.gz": gzip.compress(secret) + b"\x1f\x8b\x08spoilt",
    }
    began = process_time()
    place = fill(Bundle(tmp_path / "out", secrets=(secret,)), Pretend("orders", bodies))
    for name in bodies:
        kept = gzip.decompress((place / "orders" / "1" / name).read_bytes())
        assert b"*" * len(secret) in kept, name
        assert secret not in kept, name
    assert process_time() - began < 10
    assert Secrets((secret,)).without(gzip.compress(b"nothing")[:-9]) == (gzip.compress(b"nothing")[:-9], False)


def test_what_unpacks_to_very_much_is_searched_piece_by_piece() -> None:
    bomb = gzip.compress(bytes(40 << 20), 1)
    tracemalloc.start()
    try:
        assert Secrets((b"hunter2",)).without(bomb) == (bomb, False)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


class _Tokens:
    def __call__(self, file: str, data: Buffer) -> bytes | None:
        return None if file == "trace.out" else bytes(data).replace(b"shop", b"xxxx")

    def name(self, text: str) -> str:
        return "token"

    def file(self, text: str) -> str:
        return text


def test_a_redacted_bundle_tells_numbers_alone(tmp_path: Path) -> None:
    target = Pretend("shop", {"log.txt": DUMP, "trace.out": b"shop"})
    bundle = Bundle(tmp_path / "out", redact=_Tokens())
    bundle.problem(target, quoted("refused", "shop said no"))
    place = fill(bundle, target)
    assert (place / "token" / "1" / "log.txt").is_file()
    assert not (place / "token" / "1" / "trace.out").exists()
    said = (place / "manifest.json").read_text()
    assert "shop" not in said
    (target_row,) = manifest(place)["targets"]
    assert target_row["facts"] == {"goroutines": 12000, "version": None}
    assert [one["key"] for row in target_row["moments"][0]["captures"] for one in row["problems"]] == ["not-redacted"]


def test_nothing_of_others_is_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "out"
    place.mkdir()
    (place / "notes.md").write_text("mine")
    with pytest.raises(UsageError, match=r"not empty.*--overwrite"):
        Bundle(place)
    fill(Bundle(place, force=True), Pretend("orders", {"log.txt": DUMP}))
    fill(Bundle(place, force=True), Pretend("users", {"heap.pb.gz": b"x"}))
    assert sorted(path.name for path in place.iterdir()) == ["SHA256SUMS", "manifest.json", "notes.md", "users"]
    (tmp_path / "file.tar.gz").write_text("mine")
    with pytest.raises(UsageError, match="this file exists"):
        Bundle(tmp_path / "file.tar.gz")
    with pytest.raises(UsageError, match=r"ends in \.tar\.gz"):
        Bundle(tmp_path / "bundle.zip")
    with pytest.raises(UsageError, match="is a file"):
        Bundle(place / "notes.md")


@pytest.mark.parametrize("name", ["out", "out.tar.gz"])
def test_an_earlier_bundle_goes_only_when_there_is_something_to_put_in_its_place(tmp_path: Path, name: str) -> None:
    place = fill(Bundle(tmp_path / name), Pretend("orders", {"log.txt": DUMP}))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    dead = Pretend("orders", {})
    bundle = Bundle(place, force=True)
    bundle.snapshot(dead, 1, dead.plan(CaptureOptions()), BEGAN)
    bundle.close()
    assert bundle.spares
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not list(tmp_path.glob("*.partial"))
    bundle = Bundle(place, force=True)
    fill(bundle, Pretend("orders", {"heap.pb.gz": b"x"}))
    assert not bundle.spares
    if name == "out":
        assert [path.name for path in (place / "orders" / "1").iterdir()] == ["heap.pb.gz"]


def test_a_manifest_that_lies_deletes_nothing_outside(tmp_path: Path) -> None:
    place, other = tmp_path / "out", tmp_path / "other"
    place.mkdir()
    other.mkdir()
    (other / "precious").write_text("mine")
    (place / "link").symlink_to(other)
    rows = [{"folder": "..", "moments": [{"folder": "other", "captures": [{"file": "precious"}]}]}]
    rows += [{"folder": "link", "moments": [{"folder": ".", "captures": [{"file": "precious"}]}]}]
    (place / "manifest.json").write_text(json.dumps({"schema": "oakum.bundle/1", "targets": rows}))
    fill(Bundle(place, force=True), Pretend("orders", {"log.txt": DUMP}))
    assert (other / "precious").is_file()


def test_packed_the_same_files_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Now:
        @staticmethod
        def now(_: object) -> object:
            return BEGAN

    monkeypatch.setattr("oakum.collect.bundle.write.datetime", type("now", (Now, type(BEGAN)), {}))
    made = [fill(Bundle(tmp_path / at / "b.tar.gz"), Pretend("orders", {"log.txt": DUMP})) for at in "12"]
    assert made[0].read_bytes() == made[1].read_bytes()
    assert list((tmp_path / "1").iterdir()) == [made[0]]  # the folder it was packed from is gone
    with tarfile.open(made[0]) as archive:
        assert archive.getnames() == ["b/SHA256SUMS", "b/manifest.json", "b/orders/1/log.txt"]
        assert {(row.mode, row.uname, row.uid) for row in archive} == {(0o600, "", 0)}
        assert archive.getmember("b/orders/1/log.txt").mtime == BEGAN.timestamp()


def test_what_an_interrupted_run_packed_half_is_kept(tmp_path: Path) -> None:
    bundle, target = Bundle(tmp_path / "b.tar.gz"), Pretend("orders", {})
    bundle.add(target, 1, taken(Step("log.txt", "", ""), DUMP))
    with pytest.raises(UsageError, match=r"b\.tar\.gz\.partial holds what an interrupted run kept"):
        Bundle(tmp_path / "b.tar.gz")
    assert (tmp_path / "b.tar.gz.partial" / "orders" / "1" / "log.txt").is_file()


def test_a_full_disk_is_said_clearly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, target = Bundle(tmp_path / "out"), Pretend("orders", {})
    bundle.add(target, 1, taken(Step("log.txt", "", ""), DUMP))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("oakum.collect.bundle.place.tempfile.mkstemp", full)
    with pytest.raises(OakumError, match=r"heap\.pb\.gz: could not be written: No space left on device; make room"):
        bundle.add(target, 1, taken(Step("heap.pb.gz", "", ""), b"x"))
    assert (tmp_path / "out" / "orders" / "1" / "log.txt").read_bytes() == DUMP


def test_an_archive_that_cannot_be_packed_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = Bundle(tmp_path / "b.tar.gz")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("oakum.collect.bundle.place.tarfile.open", full)
    with pytest.raises(OakumError, match=r"No space left .*; what was taken is kept in .*b\.tar\.gz\.partial"):
        fill(bundle, Pretend("orders", {"log.txt": DUMP}))
    assert (tmp_path / "b.tar.gz.partial" / "orders" / "1" / "log.txt").read_bytes() == DUMP
    assert not (tmp_path / "b.tar.gz").exists()


def test_a_place_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OakumError, match="could not be written: Not a directory"):
        Bundle(tmp_path / "file" / "out")


def test_many_threads_at_once(tmp_path: Path) -> None:
    bundle = Bundle(tmp_path / "out")
    targets = [Pretend(f"pod-{at % 5}", {}, f"pid:{at}") for at in range(40)]

    def take(target: Pretend) -> None:
        for number in (1, 2):
            bundle.snapshot(target, number, target.plan(CaptureOptions()), BEGAN)
            bundle.add(target, number, taken(Step("log.txt", "", ""), target.address.encode()))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(take, targets))
    place = bundle.close()
    said = manifest(place)["targets"]
    assert len({row["folder"] for row in said}) == 40
    for row in said:
        assert (place / row["folder"] / "2" / "log.txt").read_text() == row["address"]


def test_facts_of_any_kind_become_json(tmp_path: Path) -> None:
    class Odd(Pretend):
        def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Any:
            plan = super().plan(options)
            deep: dict[str, object] = {}
            deep["in"] = deep
            facts = {
                "nan": float("nan"),
                "at": BEGAN,
                "set": {1},
                "deep": deep,
                "bytes": b"\xff",
                "url": "http://a:b@c/",
            }
            return type(plan)(facts=facts)

    place = fill(Bundle(tmp_path / "out"), Odd("orders", {}))
    facts = manifest(place)["targets"][0]["facts"]
    assert (facts["nan"], facts["set"], facts["url"]) == ("nan", [1], "http://c/")


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "a/../../b", "C:/x", "a\nb", "", "..", "a/" * 100 + "b", "\\\\host\\x"]
)
def test_paths_that_lead_out(path: str) -> None:
    assert inner_path(path) is None


def test_safe_names_stay_readable() -> None:
    assert safe_name("kube-system/coredns-5d4b.v2@node-3") == "kube-system-coredns-5d4b.v2@node-3"
