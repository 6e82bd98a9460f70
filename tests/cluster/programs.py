"""The programs of a cluster, built once: etcd, Kubernetes' API server, scheduler and controllers, a node, what pods run.

Comes in: nothing but the module proxy. Goes out: the folder of the programs, in the user's cache. k8s.io/kubernetes is no
library: each of its staging modules has to be replaced by the release that was cut from it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from toolchain import Missing, environment, go

KUBERNETES = "v1.36.3"
_GO = "1.26"  # go.mod of this release asks for it
_SOURCE = Path(__file__).with_name("go")
_OURS = ("etcd", "node", "pod")
_THEIRS = ("kube-apiserver", "kube-scheduler", "kube-controller-manager")


def home() -> Path:
    """Return the folder where the programs are built and kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "oakum" / "live-cluster" / KUBERNETES


def build() -> Path:
    """Return the folder of the programs; what is missing or older than its source is built, within half an hour."""
    programs, workshop = home() / "bin", home() / "build"
    compiler = str(_compiler())
    workshop.mkdir(parents=True, exist_ok=True)
    shutil.copytree(_SOURCE, workshop, dirs_exist_ok=True)
    if not (workshop / "go.mod").exists():
        (workshop / "go.mod").write_text(_module(compiler), encoding="utf-8")
    for name in (*_OURS, *_THEIRS):
        package = f"./{name}" if name in _OURS else f"k8s.io/kubernetes/cmd/{name}"
        program = programs / name
        source = _SOURCE / name / "main.go"
        if program.exists() and (not source.exists() or source.stat().st_mtime < program.stat().st_mtime):
            continue
        print(f"building {name}; the first one takes minutes", file=sys.stderr, flush=True)
        # No paths of this machine in what is recorded of them, and the version that they were released as.
        version = "k8s.io/component-base/version"
        flags = f"-s -w -X {version}.gitVersion={KUBERNETES} -X {version}.gitMajor=1 -X {version}.gitMinor=36"
        subprocess.run(
            [compiler, "build", "-mod=mod", "-trimpath", "-ldflags", flags, "-o", str(program), package],
            cwd=workshop,
            env=environment(),
            check=True,
            preexec_fn=lambda: os.nice(5),
        )
    return programs


def _compiler() -> Path:
    try:
        return go(_GO)
    except Missing as reason:
        sys.exit(f"the cluster is not built: {reason}")


def _module(compiler: str) -> str:
    """Return the go.mod in which k8s.io/kubernetes can be built by somebody else."""
    downloaded = subprocess.run(
        [compiler, "mod", "download", "-json", f"k8s.io/kubernetes@{KUBERNETES}"],
        cwd=home(),
        env=environment(),
        check=True,
        stdout=subprocess.PIPE,
    )
    text = Path(json.loads(downloaded.stdout)["GoMod"]).read_text(encoding="utf-8")
    #   k8s.io/apimachinery => ./staging/src/k8s.io/apimachinery
    staging = re.findall(r"^\s*(k8s\.io/\S+) => \./staging/", text, re.MULTILINE)
    release = "v0" + KUBERNETES.removeprefix("v1")
    replaced = "".join(f"\t{module} => {module} {release}\n" for module in staging)
    return f"module cluster\n\ngo {_GO}.0\n\nrequire k8s.io/kubernetes {KUBERNETES}\n\nreplace (\n{replaced})\n"


__all__ = ["KUBERNETES", "build", "home"]
