"""Where a process belongs, and which files tell the memory of its cgroup; trees of both versions are laid out here."""

from pathlib import Path

import pytest

from oakum.collect.process.cgroups import as_text, home, memory_files
from oakum.collect.process.proc import Proc
from oakum.model import Capture
from oakum.parse import parse

ID = "1f2e3d4c5b6a" * 5 + "0123"
UID = "8a7b6c5d-1111-2222-3333-444455556666"
KUBEPODS = f"kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}.slice"


def proc(tmp_path: Path, *lines: str) -> Proc:
    (tmp_path / "12").mkdir(exist_ok=True)
    (tmp_path / "12" / "cgroup").write_text("".join(f"{line}\n" for line in lines))
    return Proc(12, tmp_path)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f"0::/system.slice/docker-{ID}.scope", "docker 1f2e3d4c5b6a"),
        (f"4:memory:/docker/{ID}", "docker 1f2e3d4c5b6a"),
        (f"0::/{KUBEPODS}/cri-containerd-{ID}.scope", f"containerd 1f2e3d4c5b6a (pod {UID})"),
        (f"0::/{KUBEPODS}/crio-{ID}.scope", f"cri-o 1f2e3d4c5b6a (pod {UID})"),
        (f"5:memory:/kubepods/burstable/pod{UID}/{ID}", f"container 1f2e3d4c5b6a (pod {UID})"),
        (f"0::/machine.slice/libpod-{ID}.scope/container", "podman 1f2e3d4c5b6a"),
        ("0::/system.slice/kubelet.service", "kubelet.service"),
        ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/orders.service", "orders.service"),
        ("0::/user.slice/user-1000.slice/session-3.scope", "session-3.scope"),
        ("0::/lxc.payload.web1/init.scope", "lxc web1"),
        ("0::/", ""),
        ("garbage", ""),
    ],
)
def test_where_a_process_belongs(tmp_path: Path, line: str, shown: str) -> None:
    assert str(home(proc(tmp_path, line))) == shown


def test_a_unit_is_found_beside_controllers_that_tell_none(tmp_path: Path) -> None:
    assert home(proc(tmp_path, "4:memory:/", "1:name=systemd:/system.slice/k3s.service")).unit == "k3s.service"


def test_version_2_with_the_limits_above(tmp_path: Path) -> None:
    root = tmp_path / "cgroup"
    inner = root / "system.slice" / "orders.service"
    inner.mkdir(parents=True)
    (inner / "memory.current").write_text("1000\n")
    (inner / "memory.max").write_text("max\n")
    (inner / "memory.events").write_text("oom_kill 1\n")
    (inner.parent / "memory.max").write_text("4096\n")
    files = memory_files(proc(tmp_path, "0::/system.slice/orders.service"), root)
    (reading,) = parse(Capture("x", as_text(files)))
    assert reading.metrics is not None
    assert reading.metrics.total("container_spec_memory_limit_bytes") == 4096
    assert reading.metrics.total("container_memory_usage_bytes") == 1000
    assert reading.metrics.total("container_oom_events_total") == 1


def test_version_1_wins_where_both_are_mounted(tmp_path: Path) -> None:
    root = tmp_path / "cgroup"
    (root / "memory" / "docker").mkdir(parents=True)
    (root / "memory" / "docker" / "memory.usage_in_bytes").write_text("7\n")
    files = memory_files(proc(tmp_path, "4:memory:/docker", "0::/"), root)
    assert [file.name for file in files] == ["memory.usage_in_bytes"]


def test_a_path_that_leaves_the_tree_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("secret")
    (tmp_path / "cgroup").mkdir()
    assert memory_files(proc(tmp_path, "0::/../"), tmp_path / "cgroup") == []
