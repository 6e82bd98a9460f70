"""What the kernel tells of a process beside its status: smaps_rollup, cgroups of both versions, counted facts."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum import cli
from oakum.cli.case import case
from oakum.compare.memory import memory, memory_series
from oakum.model import Capture, Reading
from oakum.parse import parse

STATUS = "Name:\torders\nVmRSS:\t   15072 kB\nThreads:\t9\n"
ROLLUP = """\
55d457e96000-7ffdcab40000 ---p 00000000 00:00 0                          [rollup]
Rss:                1728 kB
Pss:                 248 kB
Pss_Anon:            112 kB
Private_Dirty:       112 kB
Swap:                  0 kB
"""
V2 = """\
==> /sys/fs/cgroup/system.slice/orders.service/memory.current <==
73400320

==> /sys/fs/cgroup/system.slice/orders.service/memory.max <==
max

==> /sys/fs/cgroup/system.slice/orders.service/memory.events <==
low 0
high 7
max 12
oom 3
oom_kill 2
oom_group_kill 0

==> /sys/fs/cgroup/system.slice/orders.service/memory.stat <==
anon 61440
file 4096

==> /sys/fs/cgroup/system.slice/memory.max <==
536870912
"""
V1 = """\
==> /sys/fs/cgroup/memory/docker/1f2e/memory.usage_in_bytes <==
54185984

==> /sys/fs/cgroup/memory/docker/1f2e/memory.limit_in_bytes <==
9223372036854771712

==> /sys/fs/cgroup/memory/docker/1f2e/memory.oom_control <==
oom_kill_disable 0
under_oom 0
oom_kill 4

==> /sys/fs/cgroup/memory/docker/1f2e/memory.stat <==
cache 1
hierarchical_memory_limit 268435456
total_rss 28897280
"""
FACTS = """\
# oakum process/1 pid=12: counted from /proc, not told by the process
# TYPE process_open_fds gauge
process_open_fds 9
# TYPE process_max_fds gauge
process_max_fds 1024
# TYPE go_gc_gogc_percent gauge
go_gc_gogc_percent 50
"""


def one(text: str) -> Reading:
    (reading,) = parse(Capture("x", text.encode()))
    return reading


def told(text: str, format: str) -> dict[str, float]:
    reading = one(text)
    assert (reading.kind, reading.format, reading.problems) == ("metrics", format, ())
    assert reading.metrics is not None
    return {name: value for (name, _), value in reading.metrics.values.items()}


def test_smaps_rollup() -> None:
    values = told(ROLLUP, "smaps-rollup")
    assert values["process_smaps_proportional_bytes"] == 248 * 1024
    assert values["process_smaps_private_dirty_bytes"] == 112 * 1024


def test_a_cgroup_of_version_2_has_the_limit_of_the_group_above() -> None:
    values = told(V2, "cgroup")
    assert values == {
        "container_memory_usage_bytes": 73400320, "container_memory_high_events_total": 7,
        "container_memory_failcnt": 12, "container_oom_events_total": 2, "container_memory_rss": 61440,
        "container_memory_cache": 4096, "container_spec_memory_limit_bytes": 536870912,
    }  # fmt: skip


def test_a_cgroup_of_version_1() -> None:
    values = told(V1, "cgroup")
    assert values["container_spec_memory_limit_bytes"] == 268435456
    assert (values["container_oom_events_total"], values["container_memory_rss"]) == (4, 28897280)


def test_no_limit_is_no_value() -> None:
    assert "container_spec_memory_limit_bytes" not in told(V1.replace("268435456", "9223372036854771712"), "cgroup")


def test_counted_facts_are_not_what_the_process_tells() -> None:
    assert told(FACTS, "process-facts")["process_open_fds"] == 9


def test_they_are_one_status_of_the_snapshot_and_none_is_unknown(tmp_path: Path) -> None:
    texts = {"status.txt": STATUS, "smaps_rollup.txt": ROLLUP, "cgroup.txt": V2, "process.txt": FACTS}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = case([str(tmp_path)])
    (process,) = found.processes
    (snapshot,) = process.snapshots
    assert {row.kind for row in found.inputs} == {"metrics"}
    assert process.name == "orders"
    assert snapshot.metrics is None
    assert snapshot.status is not None
    assert snapshot.sources["status"].format == "proc-status"
    for name in ("process_resident_memory_bytes", "process_open_fds", "container_oom_events_total"):
        assert snapshot.status.total(name)
    assert memory(process.id, memory_series(process)).limit == 512 << 20


def test_inspect_tells_what_is_asked_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cgroup.txt").write_text(V2)
    (tmp_path / "process.txt").write_text(FACTS)
    assert cli.run(["inspect", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "used by the cgroup 70.0 MiB, limit 512.0 MiB, OOM kills 2" in shown
    assert "open files 9, of at most 1,024" in shown


@pytest.mark.parametrize("text", [ROLLUP, V1, V2, FACTS])
@given(junk=st.text(max_size=100), at=st.integers(0, 800))
def test_nothing_raises(text: str, junk: str, at: int) -> None:
    assert parse(Capture("x", (text[:at] + junk + text[at:]).encode("utf-8", "surrogatepass")))
