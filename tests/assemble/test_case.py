"""Arguments become a case: what is a moment, a series, a process; what belongs to whom; nothing is lost."""

import gzip
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from folded_profile import HEAP, folded_profile
from oakum.cli.case import case
from oakum.model import Case, Snapshot, Unreachable, Unreadable, UsageError
from oakum.views.proto import encode
from support import ROOT

BOXOFFICE = ROOT / "casebook/lost-signal-boxoffice/captures/leaking-go1.27-trimpath"
TTRPC = ROOT / "casebook/ttrpc-94/captures"
STATUS = "Name:\t{name}\nUmask:\t0022\nPid:\t{pid}\nVmRSS:\t   15072 kB\nThreads:\t9\n"
BUILD = "/srv/{name}: go1.26.8\n\tpath\texample.com/shop/cmd/{name}\n\tmod\texample.com/shop\t(devel)\t\n"
METRICS = "# TYPE go_goroutines gauge\ngo_goroutines 7\n"


def stacks(count: int, first: int = 1, state: str = "chan send") -> str:
    """Return a goroutine dump as debug=2 prints it."""
    return "\n".join(
        f"goroutine {at} [{state}]:\nmain.ask()\n\t/srv/a/a.go:9 +0x1\ncreated by main.main\n\t/srv/a/a.go:2 +0x1\n"
        for at in range(first, first + count)
    )


def debug1(count: int) -> str:
    return f"goroutine profile: total {count}\n{count} @ 0x1 0x2\n#\t0x1\tmain.ask+0x1\t/srv/a/a.go:9\n\n"


def heap() -> bytes:
    return encode(folded_profile({"main.main;app.serve": (2, 1024)}, HEAP, kind="heap"))


def put(path: Path, content: str | bytes, minute: int | None = None) -> Path:
    """Write a capture, as old as a minute of a certain day says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    if minute is not None:
        os.utime(path, (datetime(2026, 1, 1, 12, minute, tzinfo=UTC).timestamp(),) * 2)
    return path


def read(*arguments: Path, baseline: tuple[Path, ...] = ()) -> Case:
    return case([str(argument) for argument in arguments], [str(twin) for twin in baseline])


def totals(snapshots: tuple[Snapshot, ...]) -> list[int | None]:
    return [s.goroutines.total if s.goroutines else None for s in snapshots]


def problems(found: Case) -> dict[str, list[str]]:
    return {Path(row.origin).name: [p.key for p in row.problems] for row in found.inputs if row.problems}


def test_one_file_is_one_moment(tmp_path: Path) -> None:
    found = read(put(tmp_path / "dump.txt", stacks(3)))
    (process,) = found.processes
    assert (process.id, process.name, totals(process.snapshots)) == ("p1", "dump.txt", [3])
    (moment,) = process.snapshots
    assert moment.sources["goroutines"].format == "debug2"
    assert moment.sources["goroutines"].digest == found.inputs[0].digest
    assert moment.at is None, "when a file was copied says nothing"


def test_a_directory_is_one_moment_and_the_richest_is_taken(tmp_path: Path) -> None:
    put(tmp_path / "m/a.txt", debug1(4))
    put(tmp_path / "m/b.txt", stacks(3))
    put(tmp_path / "m/heap", heap())
    put(tmp_path / "m/metrics", METRICS)
    put(tmp_path / "m/status", STATUS.format(name="orders", pid=7))
    found = read(tmp_path / "m")
    (process,) = found.processes
    (moment,) = process.snapshots
    assert totals(process.snapshots) == [3]
    assert {slot: source.format for slot, source in moment.sources.items()} == {
        "goroutines": "debug2", "heap": "pprof", "metrics": "prometheus-text", "status": "proc-status",
    }  # fmt: skip
    assert process.name == "orders", "the kernel knows what it is called"
    assert len(found.inputs) == 5


def test_a_cut_dump_yields_to_a_whole_one(tmp_path: Path) -> None:
    whole = stacks(9)
    put(tmp_path / "m/debug2.txt", whole[: len(whole) * 2 // 3 - 20])
    put(tmp_path / "m/debug1.txt", debug1(9))
    found = read(tmp_path / "m")
    assert totals(found.processes[0].snapshots) == [9]
    assert "cut-beside-whole" in problems(found)["debug2.txt"]


def test_directories_are_the_moments_of_one_process_in_natural_order(tmp_path: Path) -> None:
    for at in (1, 2, 10):
        put(tmp_path / f"take/m{at}/dump.txt", stacks(at))
    assert totals(read(tmp_path / "take").processes[0].snapshots) == [1, 2, 10]
    assert totals(read(*(tmp_path / f"take/m{at}" for at in (2, 10, 1))).processes[0].snapshots) == [2, 10, 1]


def test_files_that_were_written_apart_tell_their_order(tmp_path: Path) -> None:
    later = put(tmp_path / "a/dump.txt", stacks(5), minute=9)
    earlier = put(tmp_path / "b/dump.txt", stacks(2), minute=4)
    (process,) = read(later.parent, earlier.parent).processes
    assert totals(process.snapshots) == [2, 5]
    assert [s.at and s.at.minute for s in process.snapshots] == [4, 9]


def test_profiles_tell_their_own_time() -> None:
    moments = [BOXOFFICE / name / "goroutine.pb.gz" for name in ("4-night", "1-opening", "3-evening")]
    (process,) = read(*moments).processes
    assert totals(process.snapshots) == [18, 231, 141]
    first = process.snapshots[0].at
    assert first is not None
    assert first.replace(microsecond=0) == datetime(2026, 11, 15, 23, 41, 23, tzinfo=UTC)


def test_two_captures_of_one_kind_are_two_moments(tmp_path: Path) -> None:
    put(tmp_path / "m/g1.txt", stacks(2))
    put(tmp_path / "m/g2.txt", stacks(4))
    put(tmp_path / "m/h1.txt", heap())
    assert totals(read(tmp_path / "m").processes[0].snapshots) == [2, 4]
    log = put(tmp_path / "log.txt", f"SIGQUIT: quit\n{stacks(2)}\nhello\nSIGQUIT: quit\n{stacks(3)}\n")
    assert totals(read(log).processes[0].snapshots) == [2, 3]


def test_metrics_of_others_make_no_moments(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", stacks(2))
    put(tmp_path / "m/a-node.txt", "# TYPE node_load1 gauge\nnode_load1 7\nnode_load5 7\n")
    put(tmp_path / "m/own.txt", METRICS)
    (moment,) = read(tmp_path / "m").processes[0].snapshots
    assert moment.metrics is not None
    assert moment.metrics.total("go_goroutines") == 7


def test_files_named_one_by_one(tmp_path: Path) -> None:
    dump, more = put(tmp_path / "a.txt", stacks(20)), put(tmp_path / "b.txt", stacks(40))
    same, other = put(tmp_path / "c.txt", debug1(21)), put(tmp_path / "d.txt", debug1(60))
    profile = put(tmp_path / "h", heap())
    (moment,) = read(dump, profile).processes[0].snapshots
    assert moment.heap is not None
    assert totals(read(dump, more).processes[0].snapshots) == [20, 40]
    assert totals(read(dump, same).processes[0].snapshots) == [20], "one moment in two formats"
    assert totals(read(dump, other).processes[0].snapshots) == [20, 60], "two formats, two moments"


def test_metrics_named_beside_a_moment_belong_to_it(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", stacks(2))
    (moment,) = read(tmp_path / "m", put(tmp_path / "metrics.txt", METRICS)).processes[0].snapshots
    assert moment.metrics is not None
    assert moment.goroutines is not None


def test_several_series_are_several_processes(tmp_path: Path) -> None:
    for name, pid in (("kubelet", 7), ("shim", 8)):
        for at in (1, 2):
            put(tmp_path / f"node/{name}/{at}/dump.txt", stacks(at * pid))
    builds = put(tmp_path / "builds.txt", BUILD.format(name="shim") + BUILD.format(name="other"))
    split = read(tmp_path / "node/kubelet", tmp_path / "node/shim", builds)
    assert [(p.id, p.name, totals(p.snapshots)) for p in split.processes] == [
        ("p1", "kubelet", [7, 14]), ("p2", "shim", [8, 16]),
    ]  # fmt: skip
    assert [p.build and p.build.path for p in split.processes] == [None, "example.com/shop/cmd/shim"]
    assert problems(split) == {"builds.txt": ["other-program"]}
    whole = read(tmp_path / "node")
    assert [p.name for p in whole.processes] == ["kubelet", "shim"]


def test_moments_of_different_programs_are_no_series(tmp_path: Path) -> None:
    for name in ("kubelet", "shim"):
        put(tmp_path / f"node/{name}/dump.txt", stacks(2))
        put(tmp_path / f"node/{name}/status", STATUS.format(name=name, pid=1))
    assert [p.name for p in read(tmp_path / "node").processes] == ["kubelet", "shim"]
    assert [p.name for p in read(tmp_path / "node/shim", tmp_path / "node/kubelet").processes] == ["shim", "kubelet"]


def test_what_tells_of_no_process_in_particular_is_not_used(tmp_path: Path) -> None:
    for name in ("a", "b"):
        put(tmp_path / f"node/{name}/1/dump.txt", stacks(2))
    put(tmp_path / "node/journal.txt", f"SIGQUIT: quit\n{stacks(9)}")
    found = read(tmp_path / "node")
    assert [totals(p.snapshots) for p in found.processes] == [[2], [2]]
    assert problems(found) == {"journal.txt": ["which-process"]}


def test_the_build_names_the_process(tmp_path: Path) -> None:
    put(tmp_path / "take/1/dump.txt", stacks(1))
    put(tmp_path / "take/buildinfo.txt", BUILD.format(name="orders"))
    (process,) = read(tmp_path / "take").processes
    assert (process.name, process.build and process.build.go) == ("orders", "go1.26.8")
    assert len(process.snapshots) == 1


def test_a_twin_is_attached_by_name_or_because_there_is_one(tmp_path: Path) -> None:
    sick, well = put(tmp_path / "sick/dump.txt", stacks(9)), put(tmp_path / "well/dump.txt", stacks(2))
    (process,) = read(sick.parent, baseline=(well.parent,)).processes
    assert (totals(process.snapshots), totals(process.baseline)) == ([9], [2])
    names = ("containerd", "kubelet", "shim")
    found = read(
        *(TTRPC / "leaking-go1.26-modcache" / name for name in names),
        baseline=tuple(TTRPC / "fixed-go1.26-modcache" / name for name in reversed(names)),
    )
    assert [(p.name, len(p.snapshots), len(p.baseline)) for p in found.processes] == [(name, 4, 4) for name in names]
    with pytest.raises(UsageError, match="name the directory of its baseline"):
        read(sick, baseline=(TTRPC / "fixed-go1.26-modcache",))


def test_a_recorded_take_is_read_whole() -> None:
    found = read(BOXOFFICE)
    (process,) = found.processes
    assert process.name == "boxoffice"
    assert totals(process.snapshots) == [18, 122, 231, 141]
    assert process.snapshots[3].leaked is not None
    assert all(s.heap and s.memstats and s.metrics and s.status and s.at for s in process.snapshots)
    assert len(found.inputs) == 32
    assert problems(found).keys() == {"log.txt", "manifest.json"}


def test_goleak_is_a_claim(tmp_path: Path) -> None:
    text = (
        "    leaks.go:78: found unexpected goroutines:\n        [Goroutine 7 in state chan send, with main.ask on top of "
        "the stack:\n        main.ask()\n        \t/srv/a/a.go:9 +0x1\n        created by main.main\n        "
        "\t/srv/a/a.go:2 +0x1\n        ]\n"
    )
    (moment,) = read(put(tmp_path / "test.log", text)).processes[0].snapshots
    assert moment.claimed
    assert moment.goroutines is not None


def test_panics_in_a_log_are_no_moments(tmp_path: Path) -> None:
    panic = "http: panic serving\ngoroutine 9 [running]:\nmain.ask()\n\t/srv/a/a.go:9 +0x1\n\n"
    put(tmp_path / "take/1/dump.txt", stacks(4))
    put(tmp_path / "take/2/dump.txt", stacks(6))
    put(tmp_path / "take/log.txt", panic * 50)
    found = read(tmp_path / "take")
    assert totals(found.processes[0].snapshots) == [4, 6]
    assert len(found.inputs) == 3, "fifty panics are one row"
    assert totals(read(put(tmp_path / "only.txt", panic)).processes[0].snapshots) == [1]


def test_what_cannot_be_read_is_told_and_not_lost(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt.gz", gzip.compress(stacks(3).encode()))
    put(tmp_path / "m/page.html", "<html><body>404 page not found</body></html>")
    put(tmp_path / "m/log.txt", "nothing of note\n")
    found = read(tmp_path / "m")
    assert totals(found.processes[0].snapshots) == [3]
    assert problems(found).keys() == {"page.html", "log.txt"}


def test_nothing_to_diagnose(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"nothing to diagnose(.|\n)*log\.txt(.|\n)*curl"):
        read(put(tmp_path / "log.txt", "nothing of note\n"))
    with pytest.raises(Unreadable, match="nothing to diagnose"):
        read(put(tmp_path / "build.txt", BUILD.format(name="orders")))
    with pytest.raises(Unreachable, match=r"unread\.not-there"):
        read(tmp_path / "missing", tmp_path / "log.txt")
    with pytest.raises(UsageError, match="save the target's answer first"):
        case(["http://localhost:6060/debug/pprof/goroutine"])
