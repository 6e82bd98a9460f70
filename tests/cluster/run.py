"""A real API server with nodes and pods, on this machine alone: `run.py` records and proves, `run.py shell` is for looking.

Comes in: Go 1.26, openssl, iproute2; unprivileged user namespaces; once, the module proxy and a quarter of an hour to
build. Goes out: what was proved, and tests/collect/kubernetes/testdata.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[0] = str(TESTS)

from cluster.live import Cluster, running  # noqa: E402
from cluster.programs import build, home  # noqa: E402

# Mounts, a network, a host name and processes of its own; when the outermost ends, all of it does.
_ALONE = (
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
    "--net",
    "--uts",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
)
_TOOLS = {"unshare": "util-linux", "mount": "mount", "ip": "iproute2", "hostname": "hostname", "openssl": "openssl"}
_INSIDE = "OAKUM_INSIDE_CLUSTER"


def main() -> int:
    """Build, enter the namespaces, run."""
    word = sys.argv[1] if len(sys.argv) > 1 else "prove"
    if word not in ("build", "shell", "prove"):
        sys.exit(f"{word}: build, shell, or prove (which is meant when nothing is said)")
    if place := os.environ.get(_INSIDE):
        return _inside(word, Path(place))
    for tool, package in _TOOLS.items():
        if not shutil.which(tool):
            sys.exit(f"{tool} is not installed; apt-get install {package}")
    build()
    return 0 if word == "build" else _apart(word)


def _apart(word: str) -> int:
    """Run this file again in namespaces of its own; whatever ends us ends all that runs there."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    with tempfile.TemporaryDirectory(prefix="live-cluster-") as place:
        command = [*_ALONE, sys.executable, __file__, word]
        with subprocess.Popen(command, env=os.environ | {_INSIDE: place}) as cluster:
            try:
                return cluster.wait()
            finally:
                cluster.kill()  # unshare itself listens to nothing else


def _inside(word: str, place: Path) -> int:
    subprocess.run(["hostname", "node-a"], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    # A profile names the file of its program: it is one that everybody has.
    subprocess.run(["mount", "--bind", home() / "bin", "/srv"], check=True)
    with running(Path("/srv"), place) as cluster:
        return _shell(cluster) if word == "shell" else _prove(cluster)


def _prove(cluster: Cluster) -> int:
    """Record first: the proofs make pods leak."""
    # Where a pod has its service account; only these processes see it.
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
    shutil.copytree(cluster.folder / "serviceaccount", "/run/secrets/kubernetes.io/serviceaccount")
    tests = [TESTS / "collect" / "kubernetes" / "test_recorded.py", TESTS / "cluster" / "proofs.py"]
    command = [sys.executable, "-m", "pytest", "-v", "--no-header", "-p", "no:cacheprovider", *map(str, tests)]
    return subprocess.call(command, cwd=TESTS.parent, env=os.environ | {"OAKUM_CLUSTER": str(cluster.folder)})


def _shell(cluster: Cluster) -> int:
    print(f"KUBECONFIG is admin's; {cluster.folder} has those of reader, looker, forwarder, nobody, plugin, stranger")
    environment = os.environ | {"KUBECONFIG": str(cluster.kubeconfig("admin"))}
    return subprocess.call([os.environ.get("SHELL", "/bin/sh")], env=environment)


if __name__ == "__main__":
    sys.exit(main())
