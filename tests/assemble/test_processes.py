"""Which process is this? Programs in one series, restarts, replicas, one process given twice, and what each is called.

Made of recorded captures: their files are kept as they are, but for the start that metrics tell.
"""

import gzip
import json
import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from casebook.runner.case import CASEBOOK
from oakum.cli.case import case
from oakum.diagnose import diagnose
from oakum.model import Case
from oakum.model.names import calls_nobody, is_numbered
from oakum.model.sizes import size
from oakum.report.words import say
from support import oakum

CPC = CASEBOOK / "kubernetes-98653/captures/leaking-go1.26-modcache"
REGRESSIONS = Path(__file__).parents[1] / "regressions"
SNAPSHOTS = ("1-before", "2-first", "3-second", "4-third", "5-later")
BEGAN = datetime(2026, 11, 16, 10, tzinfo=UTC)
FILES = ("goroutine.debug2.txt.gz", "heap.pb.gz", "heap.debug1.txt.gz", "metrics.txt.gz")


def copied(source: Path, home: Path, at: datetime, started: datetime | None, names: Sequence[str] = FILES) -> None:
    """Copy one snapshot, written when it was taken, of a process with another start; None: its metrics are left out."""
    home.mkdir(parents=True)
    for name in names:
        data = (source / name).read_bytes()
        if name.startswith("metrics"):
            if started is None:
                continue
            text = gzip.decompress(data)
            told = f"process_start_time_seconds {started.timestamp():.2f}".encode()
            data = re.sub(rb"(?m)^process_start_time_seconds .*$", told, text)
            name = name.removesuffix(".gz")
        if name.startswith("heap.pb"):
            continue  # it tells its own time
        (home / name).write_bytes(data)
        os.utime(home / name, (at.timestamp(),) * 2)


def bundle(place: Path, folders: dict[str, datetime]) -> None:
    """Write the manifest that says when snapshots were taken."""
    snapshots = [
        {
            "folder": folder, "number": number, "at": at.isoformat().replace("+00:00", "Z"),
            "captures": [{"file": path.name, "began": at.isoformat().replace("+00:00", "Z")} for path in sorted((place / "orders" / folder).iterdir())],
        }
        for number, (folder, at) in enumerate(folders.items(), 1)
    ]  # fmt: skip
    manifest = {"schema": "oakum.bundle/1", "targets": [{"folder": "orders", "name": "orders", "moments": snapshots}]}
    (place / "manifest.json").write_text(json.dumps(manifest))


def totals(found: Case) -> list[tuple[str, list[int | None]]]:
    return [(p.name, [s.goroutines.total if s.goroutines else None for s in p.snapshots]) for p in found.processes]


@pytest.fixture
def restarted(tmp_path: Path) -> Path:
    """Return a bundle of five snapshots, the last two after a restart."""
    times = {}
    for at, name in enumerate((*SNAPSHOTS[:3], *SNAPSHOTS[:2])):
        when = BEGAN + timedelta(minutes=10 * at)
        started = BEGAN - timedelta(hours=1) if at < 3 else BEGAN + timedelta(minutes=25)
        copied(CPC / name, tmp_path / "orders" / str(at + 1), when, started)
        times[str(at + 1)] = when
    bundle(tmp_path, times)
    return tmp_path


def test_each_run_is_a_process(restarted: Path) -> None:
    found = case([str(restarted)])
    assert [(p.id, len(p.snapshots)) for p in found.processes] == [("p1", 3), ("p2", 2)]
    runs = [p.run for p in found.processes]
    assert [(run.number, run.of, run.first) for run in runs if run] == [(1, 2, "p1"), (2, 2, "p1")]
    assert runs[1] is not None
    assert runs[1].started == BEGAN + timedelta(minutes=25)
    (notice,) = found.notices
    assert notice.key == "notice.restarted-unknown"
    assert not any(problem.key == "other-run" for row in found.inputs for problem in row.problems)


def test_the_finding_of_before_the_restart_is_kept(restarted: Path) -> None:
    diagnosis = diagnose(case([str(restarted)]))
    assert diagnosis.verdict == "leaking"
    assert len({found.id for found in diagnosis.findings}) == len(diagnosis.findings), "each cause once"
    (told,) = [one.claim for one in diagnosis.findings[0].suspect.evidence if one.kind == "other-run"]
    assert re.fullmatch(r"[\d,]+ → [\d,]+ in run 1, [\d,]+ → [\d,]+ so far in run 2", say(told))
    assert say(told, "zh").startswith("第 1 次运行中从 ")


def test_the_first_screen_says_so(restarted: Path) -> None:
    out = oakum("diagnose", "--no-source", restarted).out
    assert any("restarted between run 1 and run 2" in line for line in out.splitlines()[:6])
    assert "run 1 of 2" in out
    assert "run 2 of 2" in out
    assert "重启过" in oakum("diagnose", "--no-source", "--lang", "zh", restarted).out


@pytest.fixture
def memory_restarted(tmp_path: Path) -> Path:
    """Return a bundle of six snapshots of a service whose heap grows, the last two after a restart."""
    sessions = REGRESSIONS / "sessions-never-expired/captures"
    times = {}
    for at, name in enumerate(("1", "3", "5", "6", "2", "4")):
        home = tmp_path / "orders" / str(at + 1)
        home.mkdir(parents=True)
        for path in (sessions / name).glob("heap.*"):
            (home / path.name).write_bytes(path.read_bytes())
        started = BEGAN - timedelta(hours=1) if at < 4 else BEGAN + timedelta(minutes=35)
        (home / "metrics.txt").write_text(f"process_start_time_seconds {started.timestamp():.2f}\n")
        times[str(at + 1)] = BEGAN + timedelta(minutes=10 * at)
    bundle(tmp_path, times)
    return tmp_path


def test_memory_is_compared_run_against_run(memory_restarted: Path) -> None:
    diagnosis = diagnose(case([str(memory_restarted)]))
    assert [row.run and row.run.number for row in diagnosis.processes] == [1, 2]
    found = diagnosis.findings[0]
    assert found.mechanism == "growing-container"
    (told,) = [one.claim for one in found.suspect.evidence if one.kind == "other-run"]
    assert say(told) == "0 B → 43.4 MiB in run 1, 13.1 MiB → 33.8 MiB so far in run 2"
    assert say(told, "zh") == "第 1 次运行中从 0 B 到 43.4 MiB，第 2 次运行至今从 13.1 MiB 到 33.8 MiB"
    growth = next(one for one in found.suspect.growth if one.measure == "inuse_space")
    assert size(growth.counts[-1] or 0) == told.args["last"], "the same bytes as the chart has"


def test_the_comparison_of_runs_is_in_every_form(memory_restarted: Path, tmp_path: Path) -> None:
    places = [tmp_path / f"out.{form}" for form in ("html", "md", "json", "txt")]
    oakum("diagnose", "--no-source", memory_restarted, *(word for place in places for word in ("-o", place)))
    for place in places:
        assert "so far in run 2" in place.read_text(), place.suffix
    evidence = json.loads(places[2].read_text())["findings"][0]["evidence"]
    (command,) = [one["command"] for one in evidence if one["kind"] == "other-run"]
    assert command.startswith("oakum diff -inuse_space"), evidence
    assert "orders/5/heap" in command
    assert "orders/6/heap" in command


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("container_oom_events_total 1\n", "notice.restarted-oom"),
        ('kube_pod_container_status_last_terminated_reason{reason="OOMKilled"} 1\n', "notice.restarted-oom"),
        (
            'kube_pod_container_status_last_terminated_reason{reason="Error"} 1\n'
            "kube_pod_container_status_last_terminated_exitcode 2\n",
            "notice.restarted-exit",
        ),
    ],
)
def test_why_it_restarted(restarted: Path, more: str, key: str) -> None:
    metrics = restarted / "orders/4/metrics.txt"
    metrics.write_text(metrics.read_text() + more)
    (notice,) = case([str(restarted)]).notices
    assert notice.key == key
    assert "{" not in say(notice) + say(notice, "zh")


def test_two_programs_in_one_series(tmp_path: Path) -> None:
    other = CASEBOOK / "rancher-30122/captures/leaking-go1.26-modcache"
    snapshots = sorted(path for path in other.iterdir() if (path / "heap.pb.gz").exists())
    for at, source in enumerate((CPC / "1-before", snapshots[0], CPC / "3-second", snapshots[-1]), 1):
        home = tmp_path / "series" / str(at)
        home.mkdir(parents=True)
        for name in ("goroutine.debug2.txt.gz", "heap.pb.gz"):
            (home / name).write_bytes((source / name).read_bytes())
    found = case([str(tmp_path / "series")])
    assert sorted((p.name, len(p.snapshots)) for p in found.processes) == [("acp", 2), ("cpc", 2)]
    assert [notice.key for notice in found.notices] == ["notice.programs"]
    out = oakum("diagnose", "--no-source", tmp_path / "series").out
    assert "These snapshots are from 2 different programs" in out.splitlines()[0]


def test_replicas_captured_once_each_are_no_series(tmp_path: Path) -> None:
    for at, (pod, name) in enumerate((("orders-a", "1-before"), ("orders-b", "3-second"), ("orders-c", "4-third"))):
        started = BEGAN - timedelta(hours=5 - at)
        copied(CPC / name, tmp_path / "pods" / pod, BEGAN + timedelta(seconds=5 * at), started)
    found = case([str(tmp_path / "pods")])
    assert [(p.name, len(p.snapshots), p.run) for p in found.processes] == [
        ("orders-a", 1, None), ("orders-b", 1, None), ("orders-c", 1, None),
    ]  # fmt: skip
    assert [notice.key for notice in found.notices] == ["notice.replicas"]
    assert "orders-a, orders-b, orders-c" in say(found.notices[0], "zh")


@pytest.mark.parametrize(
    "names",
    [
        ("orders-7d9f5c6b8-x2k4l", "orders-7d9f5c6b8-b7xwq"),
        ("exporter-x2k4l", "exporter-b7xwq"),
        ("10.0.0.7", "10.0.0.8"),
        ("127.0.0.1-7001", "127.0.0.1-7002"),
        ("orders-7331", "orders-7332"),
    ],
)
def test_directories_called_after_pods_hosts_or_ports_are_replicas(tmp_path: Path, names: tuple[str, str]) -> None:
    """Seconds apart, with as many goroutines: nothing in the captures says that they are two."""
    for name, source in zip(names, ("1-before", "2-first"), strict=True):
        (tmp_path / name).mkdir()
        for file in ("goroutine.debug2.txt.gz", "heap.pb.gz"):
            (tmp_path / name / file).write_bytes((CPC / source / file).read_bytes())
    found = case([str(tmp_path)])
    assert [len(p.snapshots) for p in found.processes] == [1, 1]
    assert all(name in p.name for p, name in zip(found.processes, sorted(names), strict=True))


@pytest.mark.parametrize(
    "names", [("1", "2"), ("orders-before", "orders-later"), ("orders-1", "orders-2"), ("dump-1015", "dump-1030")]
)
def test_directories_called_after_times_are_a_series(tmp_path: Path, names: tuple[str, str]) -> None:
    for name, source in zip(names, ("1-before", "2-first"), strict=True):
        (tmp_path / name).mkdir()
        for file in ("goroutine.debug2.txt.gz", "heap.pb.gz"):
            (tmp_path / name / file).write_bytes((CPC / source / file).read_bytes())
    assert [len(p.snapshots) for p in case([str(tmp_path)]).processes] == [2]


def test_programs_at_rest_are_told_apart_by_their_main_packages(tmp_path: Path) -> None:
    for name, directory in (("1.txt", "orders"), ("2.txt", "billing"), ("3.txt", "orders")):
        (tmp_path / name).write_text(f"goroutine 1 [chan receive]:\nmain.main()\n\t/srv/{directory}/main.go:9 +0x1\n\n")
    found = case([str(tmp_path / name) for name in ("1.txt", "2.txt", "3.txt")])
    assert [(p.name, len(p.snapshots)) for p in found.processes] == [("orders", 2), ("billing", 1)]
    assert [say(notice).rpartition(": ")[2] for notice in found.notices] == ["orders, billing."]


def test_replicas_by_their_goroutines_alone(tmp_path: Path) -> None:
    stack = "goroutine {} [chan send, {} minutes]:\nmain.send()\n\t/srv/main.go:9 +0x1\ncreated by main.{}\n\t/srv/main.go:3 +0x1\n\n"
    for pod, creators in (
        (
            "a",
            "push",
        ),
        (
            "b",
            "pull",
        ),
    ):
        home = tmp_path / pod
        home.mkdir()
        (home / "dump.txt").write_text("".join(stack.format(number, 5, creators) for number in range(1, 9)))
    found = case([str(tmp_path)])
    assert totals(found) == [("a", [8]), ("b", [8])]
    assert [notice.key for notice in found.notices] == ["notice.replicas"]


def test_a_process_is_named_by_its_binary(tmp_path: Path) -> None:
    for folder in ("1", "127.0.0.1-7001", "captures"):
        home = tmp_path / folder
        home.mkdir()
        for name in ("goroutine.debug2.txt.gz", "heap.pb.gz"):
            (home / name).write_bytes((CPC / "1-before" / name).read_bytes())
        assert [p.name for p in case([str(home)]).processes] == ["cpc"]


def test_several_are_named_by_their_directories_where_these_have_names(tmp_path: Path) -> None:
    acp = CASEBOOK / "rancher-30122/captures/leaking-go1.26-modcache"
    first, second = sorted(path for path in acp.iterdir() if (path / "heap.pb.gz").exists())[:2]
    for home, sources in (("7002", (first, second)), ("7001", (CPC / "1-before", CPC / "2-first"))):
        for at, source in enumerate(sources, 1):
            copied_to = tmp_path / home / str(at)
            copied_to.mkdir(parents=True)
            (copied_to / "heap.pb.gz").write_bytes((source / "heap.pb.gz").read_bytes())
    found = case([str(tmp_path / "7002"), str(tmp_path / "7001")])
    assert [p.name for p in found.processes] == ["acp", "cpc"], "in the order of the arguments"
    assert [p.given for p in found.processes] == [str(tmp_path / "7002"), str(tmp_path / "7001")]


@pytest.mark.parametrize("apart", [timedelta(minutes=30), timedelta(seconds=4)])
def test_two_formats_of_two_times_in_one_directory_are_two_snapshots(tmp_path: Path, apart: timedelta) -> None:
    old, new = BEGAN, BEGAN + apart
    for name, source, at in (("goroutine.debug2.txt.gz", "1-before", old), ("goroutine.debug1.txt.gz", "5-later", new)):
        (tmp_path / name).write_bytes((CPC / source / name).read_bytes())
        os.utime(tmp_path / name, (at.timestamp(),) * 2)
    (process,) = case([str(tmp_path)]).processes
    assert len(process.snapshots) == 2
    counts = [s.goroutines.total for s in process.snapshots if s.goroutines]
    assert counts[0] < counts[1]


def test_two_formats_of_one_time_are_one_snapshot() -> None:
    (process,) = case([str(CPC / "1-before")]).processes
    assert len(process.snapshots) == 1


def test_one_process_by_its_address_and_by_its_metrics(tmp_path: Path) -> None:
    """Prometheus names it by job and instance; the start that both tell is the same to a hundredth of a second."""
    started = (BEGAN - timedelta(hours=1)).timestamp() + 0.37
    copied(CPC / "3-second", tmp_path / "orders/1", BEGAN, BEGAN - timedelta(hours=1))
    copied(CPC / "4-third", tmp_path / "orders/2", BEGAN + timedelta(minutes=5), BEGAN - timedelta(hours=1))
    for at in ("1", "2"):
        metrics = tmp_path / f"orders/{at}/metrics.txt"
        metrics.write_text(
            re.sub(r"(?m)^process_start_time_seconds .*$", f"process_start_time_seconds {started}", metrics.read_text())
        )
    series: dict[str, Any] = {
        name: [[BEGAN.timestamp() - 600 + 60 * step, str(value)] for step in range(10)]
        for name, value in (("go_goroutines", 40), ("process_start_time_seconds", started))
    }
    labels = {"job": "orders-job", "instance": "127.0.0.1:38681"}
    result: list[dict[str, Any]] = [
        {"metric": {"__name__": name, **labels}, "values": values} for name, values in series.items()
    ]
    (tmp_path / "prometheus").mkdir()
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    (tmp_path / "prometheus/range.json").write_text(json.dumps(answer))
    found = case([str(tmp_path / "orders"), str(tmp_path / "prometheus")])
    assert [(len(p.snapshots), len(p.history) > 5) for p in found.processes] == [(2, True)]


@pytest.mark.parametrize(
    "build",
    [
        "leaking-go1.26-modcache",
        pytest.param("leaking-go1.27-trimpath", marks=pytest.mark.slow),
        pytest.param("fixed-go1.26-modcache", marks=pytest.mark.slow),
    ],
)
def test_one_process_by_its_captures_and_by_metrics_without_a_start(build: str) -> None:
    """Recorded ranges tell no start, captures no address: both tell to the microsecond when garbage was collected."""
    home = CASEBOOK / "kubernetes-83333/captures" / build
    found = case([str(home / name) for name in ("apiserver", "adminplatform", "prometheus")])
    assert [(p.name, len(p.history) > 5) for p in found.processes] == [("apiserver", True), ("adminplatform", True)]


def scraped(place: Path, instance: str, started: float | None = None) -> Path:
    """Write a range of metrics that tells no collection, and perhaps a start."""
    told = {"go_goroutines": 40.0} | ({} if started is None else {"process_start_time_seconds": started})
    result = []
    for name, value in told.items():
        values = [[BEGAN.timestamp() - 600 + 60 * step, str(value)] for step in range(10)]
        result.append({"metric": {"__name__": name, "job": "shop", "instance": instance}, "values": values})
    place.mkdir()
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    (place / "range.json").write_text(json.dumps(answer))
    return place


def test_one_process_by_its_address_and_by_the_instance_that_was_scraped(tmp_path: Path) -> None:
    taken = {
        f"10.0.0.{at}-6060": (f"http://10.0.0.{at}:6060", [CPC / name / "goroutine.debug2.txt.gz", CPC / name / "heap.pb.gz"])
        for at, name in ((7, "1-before"), (8, "3-second"))
    }  # fmt: skip
    targets(tmp_path / "captures", taken)
    found = case([str(tmp_path / "captures"), str(scraped(tmp_path / "same", "10.0.0.8:6060"))])
    assert [(p.name, len(p.snapshots), len(p.history)) for p in found.processes] == [
        ("cpc 10.0.0.7-6060", 1, 0), ("cpc 10.0.0.8-6060", 1, 10),
    ]  # fmt: skip
    found = case([str(tmp_path / "captures"), str(scraped(tmp_path / "other", "10.0.0.9:6060"))])
    assert len(found.processes) == 3, "as many goroutines at one time are no reason"


def test_a_fleet_in_one_prometheus_is_no_process(tmp_path: Path) -> None:
    """Both were captured from the address of the store, and started in the second of the deploy."""
    taken = {}
    for at in (7, 8):
        place = scraped(tmp_path / f"range {at}", f"10.0.0.{at}:6060", BEGAN.timestamp() + at / 10)
        address = f"prometheus+http://10.0.0.1:9090/prometheus?match=instance=10.0.0.{at}:6060"
        taken[f"orders-{at}"] = (address, [place / "range.json"])
    targets(tmp_path / "fleet", taken)
    assert [p.name for p in case([str(tmp_path / "fleet")]).processes] == ["orders-7", "orders-8"]


def targets(place: Path, taken: Mapping[str, tuple[str, Sequence[Path]]], at: str = "2026-11-16T10:15:00Z") -> None:
    """Write a bundle: folder -> the address it was captured from, and its files."""
    listed = []
    for folder, (address, files) in taken.items():
        (place / folder).mkdir(parents=True)
        for path in files:
            (place / folder / path.name).write_bytes(path.read_bytes())
        captures = [{"file": path.name, "began": at} for path in files]
        snapshots = [{"folder": "", "number": 1, "at": at, "captures": captures}]
        listed.append({"folder": folder, "name": folder, "address": address, "moments": snapshots})
    (place / "manifest.json").write_text(json.dumps({"schema": "oakum.bundle/1", "targets": listed}))


def test_one_process_by_its_address_and_by_its_pid(tmp_path: Path) -> None:
    sockets = tmp_path / "sockets.txt"
    head = "# oakum sockets/1 pid=812 name=cpc at=2026-11-16T10:15:02Z\n"
    columns = "Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
    sockets.write_text(f"{head}{columns}tcp LISTEN 0 4096 127.0.0.1:7001 0.0.0.0:*\n")
    pid = (CPC / "1-before/process.status.txt", sockets)
    http = [CPC / "1-before" / name for name in ("goroutine.debug2.txt.gz", "heap.pb.gz")]
    targets(tmp_path / "one", {"127.0.0.1-7001": ("http://127.0.0.1:7001", http), "pid-812": ("pid:812", pid)})
    (process,) = case([str(tmp_path / "one")]).processes
    (snapshot,) = process.snapshots
    assert snapshot.goroutines is not None
    assert snapshot.status is not None
    assert snapshot.sockets is not None
    targets(tmp_path / "two", {"127.0.0.1-7002": ("http://127.0.0.1:7002", http), "pid-812": ("pid:812", pid)})
    assert len(case([str(tmp_path / "two")]).processes) == 2, "it listens elsewhere"


def test_a_service_that_restarted_under_another_pid_is_one(tmp_path: Path) -> None:
    """Captured by its address and by its pid, seconds apart: each snapshot is of its own run."""
    given = []
    runs = ((812, "1-before", 15, "00"), (812, "3-second", 15, "09"), (913, "2-first", 15, "20"))
    for number, (pid, name, minute, second) in enumerate(runs, 1):
        at = f"2026-11-16T10:{minute}:{second}Z"
        home = tmp_path / f"of {number}"
        home.mkdir()
        columns = "Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
        head = f"# oakum sockets/1 pid={pid} name=cpc at={at}\n{columns}"
        (home / "sockets.txt").write_text(f"{head}tcp LISTEN 0 4096 127.0.0.1:7001 0.0.0.0:*\n")
        started = BEGAN if pid == 812 else BEGAN + timedelta(minutes=15, seconds=12)
        (home / "metrics.txt").write_text(f"process_start_time_seconds {started.timestamp() + 0.37:.2f}\n")
        http = [CPC / name / "goroutine.debug2.txt.gz"]
        own = [CPC / name / "process.status.txt", home / "sockets.txt", home / "metrics.txt", *http]
        taken = {"127.0.0.1-7001": ("http://127.0.0.1:7001", http), f"cpc-{pid}": (f"pid:{pid}", own)}
        targets(tmp_path / str(number), taken, at)
        given.append(str(tmp_path / str(number)))
    found = case(given)
    assert [(p.name, len(p.snapshots), p.given) for p in found.processes] == [
        ("cpc", 2, given[0]),
        ("cpc", 1, given[2]),
    ]
    assert [p.run.started.second for p in found.processes if p.run and p.run.started] == [0, 12]
    assert all(s.goroutines and s.status for p in found.processes for s in p.snapshots)


def test_targets_captured_once_each_are_no_series(tmp_path: Path) -> None:
    taken = {
        f"10.0.0.{at}-6060": (f"http://10.0.0.{at}:6060", [CPC / name / "goroutine.debug2.txt.gz", CPC / name / "heap.pb.gz"])
        for at, name in ((7, "1-before"), (8, "3-second"))
    }  # fmt: skip
    targets(tmp_path / "pods", taken)
    found = case([str(tmp_path / "pods")])
    assert [(p.name, len(p.snapshots)) for p in found.processes] == [
        ("cpc 10.0.0.7-6060", 1), ("cpc 10.0.0.8-6060", 1),
    ]  # fmt: skip


CRASH = "fatal error: out of memory\n\n" + "".join(
    f"goroutine {number} [chan send]:\nmain.send()\n\t/srv/main.go:9 +0x1\n\n" for number in (1, 7, 9)
)


@pytest.fixture
def undated(tmp_path: Path) -> Path:
    """Return five snapshots, the last two after a restart, unpacked at one time; no capture tells its time."""
    for at, name in enumerate((*SNAPSHOTS[:3], *SNAPSHOTS[:2]), 1):
        home = tmp_path / "orders" / str(at)
        home.mkdir(parents=True)
        dump = (CPC / name / "goroutine.debug2.txt.gz").read_bytes()
        heap = gzip.decompress((CPC / name / "heap.debug1.txt.gz").read_bytes())
        later = re.sub(rb"# LastGC = (\d+)", lambda told: b"# LastGC = %d" % (int(told[1]) + 3600 * 10**9), heap)
        for file, data in (("goroutine.debug2.txt.gz", dump), ("heap.debug1.txt", heap if at < 4 else later)):
            (home / file).write_bytes(data)
            os.utime(home / file, (BEGAN.timestamp(),) * 2)
    return tmp_path / "orders"


def test_collections_tell_the_order_of_snapshots_without_a_time(undated: Path) -> None:
    """Less was allocated in the fourth snapshot, and garbage collected later than in the third: it restarted."""
    found = case([str(undated)])
    assert [(len(p.snapshots), p.run and p.run.number) for p in found.processes] == [(3, 1), (2, 2)]
    assert [notice.key for notice in found.notices] == ["notice.restarted-unknown"]


def test_metrics_beside_snapshots_without_a_time_are_of_the_last_runs(undated: Path) -> None:
    place = scraped(undated.parent / "store", "10.0.0.7:6060")
    found = case([str(undated), str(place)])
    assert [(len(p.snapshots), len(p.history)) for p in found.processes] == [(3, 0), (2, 10)]


def test_the_last_words_of_a_process_are_why_it_restarted(undated: Path) -> None:
    crash = undated.parent / "crash.log"
    crash.write_text(CRASH)
    words = [str(undated / str(at)) for at in range(1, 6)]
    found = case([*words[:3], str(crash), *words[3:]])
    assert [len(p.snapshots) for p in found.processes] == [4, 2], "the dump is the last of its run"
    (notice,) = found.notices
    assert "after it ended with `fatal error: out of memory`; each run" in say(notice)
    crash.rename(undated / "crash.log")
    beside = case([str(undated)])
    assert [len(p.snapshots) for p in beside.processes] == [3, 2]
    assert [one.key for one in beside.notices] == ["notice.restarted-crash"]
    assert "因 `fatal error: out of memory` 退出" in say(beside.notices[0], "zh")


def test_a_deploy_is_why_it_restarted(restarted: Path) -> None:
    for at in range(1, 6):
        metrics = restarted / f"orders/{at}/metrics.txt"
        version = "v1.4.0" if at < 4 else "v1.5.0"
        told = f'go_build_info{{checksum="",path="example.com/shop/orders",version="{version}"}} 1\n'
        lines = [line for line in metrics.read_text().splitlines(keepends=True) if "build_info" not in line]
        metrics.write_text("".join([*lines, told]))
    (notice,) = case([str(restarted)]).notices
    assert notice.key == "notice.restarted-deploy"
    assert "v1.5.0 instead of v1.4.0" in say(notice)
    assert "v1.4.0 → v1.5.0" in say(notice, "zh")


DUMP = "goroutine 1 [chan receive]:\nmain.main()\n\t{}/main.go:9 +0x1\n\n" + "".join(
    f"goroutine {number} [chan send, 9 minutes]:\nmain.send()\n\t{{}}/main.go:9 +0x1\n"
    f"created by main.main\n\t{{}}/main.go:3 +0x1\n\n"
    for number in range(7, 60)
)


def test_a_dump_alone_is_named_by_where_its_main_package_was_built(tmp_path: Path) -> None:
    """No other capture tells a name: go build calls the binary by this directory."""
    dump = tmp_path / "1.txt"
    dump.write_text(DUMP.replace("{}", "/srv/shop/cmd/orders"))
    assert [p.name for p in case([str(dump)]).processes] == ["orders"]
    home = tmp_path / "orders-in-production"
    home.mkdir()
    (home / "dump").write_text(dump.read_text())
    assert [p.name for p in case([str(home)]).processes] == ["orders-in-production"], "somebody named it"


@pytest.mark.parametrize("directory", ["/app", "/go/src", "/workspace"])
def test_the_name_of_a_file_is_no_name_in_a_sentence(tmp_path: Path, directory: str) -> None:
    dump = tmp_path / "1.txt"
    dump.write_text(DUMP.replace("{}", directory))
    assert [p.name for p in case([str(dump)]).processes] == ["1.txt"]
    out = oakum("diagnose", "--no-source", dump).out
    assert "Restart the process before it runs out of memory" in out
    assert "Restart 1.txt" not in out
    assert "重启该进程，" in oakum("diagnose", "--no-source", "--lang", "zh", dump).out


@pytest.mark.parametrize("name", ["1.txt", "heap.pb.gz", "dump.LOG", "-", "goroutine.debug2", "7"])
def test_names_of_files_call_nobody(name: str) -> None:
    assert calls_nobody(name)


@pytest.mark.parametrize("name", ["orders", "orders.v2", "kube-apiserver", "shop/orders-7d9f", "gz"])
def test_names_of_processes_do(name: str) -> None:
    assert not calls_nobody(name)


@pytest.mark.parametrize("name", ["1", "127.0.0.1-7001", "10.0.0.7:6060", "pid-812", "localhost-6060", "[::1]:6060"])
def test_names_that_only_count(name: str) -> None:
    assert is_numbered(name)


@pytest.mark.parametrize("name", ["orders", "orders-7d9f", "node1", "a", "v2-api"])
def test_names_that_name(name: str) -> None:
    assert not is_numbered(name)


@pytest.mark.parametrize(("pids", "processes"), [((812, 813), 2), ((812, 812), 1)])
def test_two_that_a_script_started_in_one_tick_are_two(tmp_path: Path, pids: tuple[int, int], processes: int) -> None:
    started = BEGAN - timedelta(hours=1, milliseconds=10)
    for name, pid in zip(("first", "second"), pids, strict=True):
        for at, snapshot in enumerate(SNAPSHOTS[:2]):
            home = tmp_path / name / str(at + 1)
            copied(CPC / snapshot, home, BEGAN + timedelta(minutes=at), started)
            (home / "sockets.txt").write_text(
                f"# oakum sockets/1 pid={pid} name=cpc at=2026-11-16T10:0{at}:00Z\n"
                "Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
                f'tcp LISTEN 0 0 127.0.0.1:{8000 + pid} 0.0.0.0:0 users:(("cpc",pid={pid},fd=3)) ino:{pid}\n'
            )
    assert len(case([str(tmp_path)]).processes) == processes


@pytest.mark.parametrize("files", ["goroutine*", "*"])
def test_replicas_with_one_snapshot_each_beside_another_program(tmp_path: Path, files: str) -> None:
    """Three of one program, at different ports: their goroutines of one id have other parents."""
    system = REGRESSIONS.parent / "systems/pages-wait-for-stock/captures"
    for process in ("prices", "reviews", "stock", "storefront"):
        last = sorted((system / process).iterdir())[-1]
        (tmp_path / process).mkdir()
        for path in last.glob(files):
            (tmp_path / process / path.name).write_bytes(path.read_bytes())
    assert totals(case([str(tmp_path)])) == [("prices", [5]), ("reviews", [5]), ("stock", [234]), ("storefront", [583])]


@pytest.mark.parametrize(
    ("pids", "ports", "processes"),
    [((812, 812), (80, 80), 1), ((812, 813), (80, 80), 2), ((812, 812), (80, 81), 2), ((None, None), (80, 81), 1)],
)
def test_pids_and_ports_tell_replicas_from_a_series(
    tmp_path: Path, pids: tuple[int | None, int | None], ports: tuple[int, int], processes: int
) -> None:
    for name, pid, port in zip(("one", "other"), pids, ports, strict=True):
        copied(CPC / SNAPSHOTS[0], tmp_path / name, BEGAN, None, FILES[:1])
        user = f'users:(("cpc",pid={pid},fd=3))' if pid else ""  # a list without owners is that of anybody
        (tmp_path / name / "ss.txt").write_text(
            "Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
            f"tcp LISTEN 0 128 127.0.0.1:{port} 0.0.0.0:* {user}\n"
        )
    assert len(case([str(tmp_path)]).processes) == processes
