"""The cgroup of a process -> its memory files (v1 and v2) as one text, and the container or unit that it belongs to.

The text is what `tail -n +1 FILES` prints: `==> PATH <==`, then the file. Limits of the groups above hold too, so
theirs are in it.
"""

import re
from pathlib import Path

from msgspec import Struct

from oakum.collect.process.proc import MOST, Proc

CGROUPS = Path("/sys/fs/cgroup")
_OWN_V2 = ("memory.current", "memory.peak", "memory.max", "memory.high", "memory.events", "memory.stat")
_ABOVE_V2 = ("memory.max",)
# memory.stat of v1 has the lowest limit of all groups above: hierarchical_memory_limit
_OWN_V1 = (
    "memory.usage_in_bytes",
    "memory.max_usage_in_bytes",
    "memory.limit_in_bytes",
    "memory.failcnt",
    "memory.oom_control",
    "memory.stat",
)
_DEPTH = 32

# docker-1f2e....scope   cri-containerd-1f2e....scope   crio-1f2e...   /docker/1f2e...   /kubepods/pod8a7b.../1f2e...
_CONTAINER = re.compile(r"(?:(docker|cri-containerd|crio|libpod|nerdctl|buildkit)-|/)([0-9a-f]{64})(?:\.scope)?(?=/|$)")
# /lxc/web1   /lxc.payload.web1
_LXC = re.compile(r"/lxc(?:\.payload\.|/)([^/.]{1,64})")
# kubepods-burstable-pod8a7b6c5d_1111_2222_3333_444455556666.slice   /kubepods/burstable/pod8a7b6c5d-1111-...
_POD = re.compile(r"[-/]pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}|[0-9a-f]{32})")
# /system.slice/kubelet.service   /user.slice/user-1000.slice/session-3.scope
_UNIT = re.compile(r"/([^/]{1,200}\.(?:service|scope))(?=/|$)")
# The line `oom_kill 1`
_OOM_KILLS = re.compile(rb"^oom_kill (\d{1,18})$", re.MULTILINE)
_ENGINES = {"cri-containerd": "containerd", "crio": "cri-o", "libpod": "podman"}


class Home(Struct, frozen=True):
    """Where a process belongs: a container, perhaps of a pod; a unit of systemd; or nowhere ("")."""

    container: str = ""  # the whole id
    engine: str = ""  # docker, containerd, cri-o, podman; "" where the path does not tell
    pod: str = ""  # the uid
    unit: str = ""  # kubelet.service

    def __str__(self) -> str:
        if self.container:
            name = f"{self.engine or 'container'} {self.container[:12]}"
            return f"{name} (pod {self.pod})" if self.pod else name
        return self.unit


def home(proc: Proc) -> Home:
    """Return the container or unit that a process belongs to, by the names of its cgroups."""
    paths = [path for _, path in _lines(proc)]
    for path in paths:
        if found := _CONTAINER.search(path):
            pod = _POD.search(path)
            engine = found[1] or ("docker" if "/docker/" in path else "")
            uid = pod[1].replace("_", "-") if pod else ""
            return Home(found[2], _ENGINES.get(engine, engine), uid)
        if found := _LXC.search(path):
            return Home(found[1], "lxc")
    # The last of a path is the nearest: user@1000.service/app.slice/orders.service.
    units = [units[-1] for path in paths if (units := _UNIT.findall(path))]
    return Home(unit=units[0] if units else "")


def memory_files(proc: Proc, root: Path = CGROUPS) -> list[Path]:
    """Return the files that tell the memory of its cgroup and the limits on it; none where the host mounts none."""
    for controllers, path in _lines(proc):
        if "memory" in controllers.split(","):
            return _there(root / "memory", path, _OWN_V1, ())
    for controllers, path in _lines(proc):
        if not controllers:
            return _there(root, path, _OWN_V2, _ABOVE_V2)
    return []


def oom_kills(files: list[Path]) -> int | None:
    """Return how many processes of a group the kernel has killed for memory; None where it does not tell."""
    for file in files:
        if file.name in ("memory.events", "memory.oom_control"):
            try:
                found = _OOM_KILLS.search(file.read_bytes()[:MOST])
            except OSError:  # the group is gone, as that of a container that was removed
                return None
            return int(found[1]) if found else None
    return None


def as_text(files: list[Path]) -> bytes:
    """Return the files one after the other, each under its name; what cannot be read is left out."""
    parts = []
    for file in files:
        try:
            with file.open("rb") as opened:
                parts.append(f"==> {file} <==\n".encode() + opened.read(MOST))
        except OSError:
            continue
    return b"\n".join(parts)


def _lines(proc: Proc) -> list[tuple[str, str]]:
    # 4:memory:/docker/1f2e...     0::/system.slice/kubelet.service
    rows = [line.split(":", 2) for line in proc.quietly("cgroup").decode("utf-8", "replace").splitlines()]
    return [(row[1], row[2].removesuffix(" (deleted)")) for row in rows if len(row) == 3]


def _there(root: Path, path: str, own: tuple[str, ...], above: tuple[str, ...]) -> list[Path]:
    """Return the files of a group and of those above it that exist; a path that leaves the tree has none."""
    parts = [part for part in path.split("/") if part]
    if ".." in parts:  # it lies outside of our own cgroup namespace
        return []
    folder = root.joinpath(*parts[:_DEPTH])
    files = [folder / name for name in own]
    while folder != root:
        folder = folder.parent
        files += [folder / name for name in above]
    return [file for file in files if file.is_file()]
