"""The five incidents that `oakum demo` replays: what people saw, what was recorded, and laying it out as they had it.

Comes in: the casebook of a checkout, or its copy in an installed package. Goes out: one folder per incident with the
captures under the names that an on-call engineer gives them, and the program's source with the upstream code it runs.
"""

import shutil
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

from msgspec import Struct

from oakum.model.errors import OakumError

_OAKUM = Path(__file__).parents[1]
_CASEBOOKS = (_OAKUM / "casebook", _OAKUM.parents[1] / "casebook")  # as it is installed, and in a checkout
_UPSTREAM = Path(__file__).with_name("demo_upstream")
# What a diagnosis reads; the casebook has the same in more formats, and notes of its own.
_KEPT = (
    "*/goroutine.debug2.txt.gz", "*/heap.pb.gz", "*/heap.debug1.txt.gz", "*/metrics.txt.gz", "*/process.status.txt",
    "buildinfo.txt.gz", "sockets.*.txt", "shim/*/log.txt.gz", "prometheus/*.json*", "apiserver/log.txt.gz",
    "kubelet/log.txt.gz",
)  # fmt: skip

REPORT = "report.html"


class Incident(Struct, frozen=True):
    """One incident: its story in two lines, and what the command is given."""

    name: str  # of its folder in the casebook
    story: tuple[str, str]  # English, Chinese
    takes: Mapping[str, str]  # recording in the casebook -> the name it gets here
    program: str  # whose source it is
    evidence: tuple[str, ...]  # as the command names it
    upstream: tuple[str, ...] = ()  # modules of demo_upstream that the program runs

    def command(self, lang: str | None) -> tuple[str, ...]:
        """Return what is typed in the folder of the incident; Go is not needed, so no drafted fix is compiled."""
        spoken = ("--lang", lang) if lang else ()
        read = ("--no-compile", "--source", f"src/{self.program}", *self.evidence)
        return ("diagnose", *read, *spoken, "-o", REPORT)


INCIDENTS = (
    Incident(
        "rancher-30122",
        (
            "A multi-cluster server in Guangzhou grows until it is killed, past 15 GB. It runs on data copied from "
            "Nanhai, where the same build stays small.",
            "广州环境的多集群管理服务内存不断增长，超过 15 GB 后溢出。它用的是从南海同步过来的数据，"
            "而南海环境的同一版本一切正常。",
        ),
        {"leaking-go1.26-modcache": "guangzhou", "twin-go1.26-modcache": "nanhai"},
        "acp",
        ("--baseline", "nanhai", "guangzhou"),
    ),
    Incident(
        "open-simulator-88",
        (
            "A service that simulates Kubernetes scheduling gains memory with every POST and keeps it long after. The "
            "first suspicion: garbage collection is late.",
            "一个模拟 Kubernetes 调度的服务，每来一个 POST 请求内存就涨一截，之后也不回落。"
            "最初怀疑的是 GC 没有及时回收。",
        ),
        {"leaking-go1.26-modcache": "simulator"},
        "clustersim",
        ("simulator",),
        ("k8s.io/kubernetes@v1.20.5", "k8s.io/client-go@v0.20.5", "k8s.io/apimachinery@v0.20.5"),
    ),
    Incident(
        "ttrpc-94",
        (
            "The kubelet of one node is at 1 GB, the node beside it is fine. Kubelet waits for containerd, containerd "
            "for a shim: which of the three is to blame?",
            "某个节点的 kubelet 内存涨到 1 GB，旁边的节点正常。kubelet 在等 containerd，containerd 在等 shim："
            "问题究竟出在哪一个进程？",
        ),
        {"leaking-go1.26-modcache": "sick-node", "healthy-node-go1.26-modcache": "healthy-node"},
        "node",
        ("--baseline", "healthy-node", "sick-node"),
        ("github.com/containerd/ttrpc@v1.0.1",),
    ),
    Incident(
        "kubernetes-98653",
        (
            "The leading replica of a CI controller is at 1 to 2 GB, the others at 30 MB. Its code stops every watch "
            "that it starts, with a defer.",
            "持续集成控制器的主副本内存涨到 1~2 GB，其他副本只有 30 MB 左右。"
            "而它的代码里，每个 watch 都用 defer 调用了 Stop。",
        ),
        {
            "leaking-go1.26-modcache": "leader",
            "standby-go1.26-modcache": "standby",
            "fixed-go1.26-modcache": "upgraded",  # the guide in docs/ ends with it
        },
        "cpc",
        ("--baseline", "standby", "leader"),
        ("k8s.io/apimachinery@v0.18.8",),
    ),
    Incident(
        "kubernetes-83333",
        (
            "Memory alarm of a kube-apiserver on two evenings, with 45,000 goroutines; both times an admin platform "
            "listed everything over a slow line.",
            "kube-apiserver 连续两个晚上内存报警，goroutine 超过 45000 个；"
            "两次都赶上管理员平台经延迟变大的专线全量拉取数据。",
        ),
        {"leaking-go1.26-modcache": "control-plane"},
        "controlplane",
        ("control-plane",),
        ("k8s.io/apiserver@v0.0.0-kubernetes-1.12.4",),
    ),
)


def lay_out(incident: Incident, folder: Path) -> Path:
    """Make the folder of an incident in `folder` and return it."""
    case = _casebook() / incident.name
    here = folder / incident.name
    for take, name in incident.takes.items():
        _copy(_captures(case / "captures" / take), here / name)
    source = here / "src" / incident.program
    _copy(_source(case), source)
    for release in incident.upstream:
        _copy(_files(_UPSTREAM / release), source / "vendor" / release.rpartition("@")[0])
    return here


def _casebook() -> Path:
    for place in _CASEBOOKS:
        if place.is_dir():
            return place
    raise OakumError(
        "the recorded incidents are not in this installation; install it again: pip install --force-reinstall oakum"
    )


def _captures(take: Path) -> Iterator[tuple[Path, Path]]:
    return ((file, name) for file, name in _files(take) if any(fnmatch(name.as_posix(), kept) for kept in _KEPT))


def _source(case: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the program: its go.mod, which says what it runs, and its Go files."""
    yield case / "go.mod", Path("go.mod")
    yield from ((file, name) for file, name in _files(case) if file.suffix == ".go" and name.parts[0] != "captures")


def _files(root: Path) -> Iterator[tuple[Path, Path]]:
    return ((file, file.relative_to(root)) for file in sorted(root.rglob("*")) if file.is_file())


def _copy(files: Iterator[tuple[Path, Path]], target: Path) -> None:
    for file, name in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target / name)
