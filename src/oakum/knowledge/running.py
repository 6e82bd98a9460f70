"""Which version of a module runs: from the paths of a stack's files, else from what is known of the build.

Kubernetes releases all its parts together: v1.N.P of k8s.io/kubernetes is v0.N.P of k8s.io/client-go. A module that
another is built in the place of is a fork: its version says nothing about upstream's.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from oakum.knowledge.paths import unescaped
from oakum.knowledge.versions import version
from oakum.model import Build, Frame, normal_function
from oakum.regex import regex

KUBERNETES = "k8s.io/kubernetes"
# Published from the repository of Kubernetes, with its release numbers.
_PARTS = frozenset(
    f"k8s.io/{part}"
    for part in """api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider
    cluster-bootstrap component-base component-helpers controller-manager cri-api cri-client csi-translation-lib
    dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy
    kube-scheduler kubectl kubelet metrics mount-utils node-api pod-security-admission sample-apiserver
    sample-controller legacy-cloud-providers""".split()
)
# -X k8s.io/component-base/version.gitVersion=v1.27.3   (also .../vendor/k8s.io/... and k8s.io/client-go/pkg/version)
_GIT_VERSION = regex(r"\bk8s\.io/(?:component-base|client-go/pkg|kubernetes/pkg)/version\.gitVersion=(v[^\s'\"]+)")
# A version that a release of Kubernetes puts into its own go.mod for its parts.
_NO_VERSION = frozenset({"", "(devel)", "(replaced)", "v0.0.0"})

How = Literal["path", "build", "release", "go", ""]


class Running(Struct, frozen=True):
    """A module as it runs. `version` is None where nothing tells."""

    module: str
    version: str | None = None
    how: How = ""  # path: the files of the stack; build: build information; release: the product's own release
    fork: str = ""  # the module, or the directory, that is built in its place
    godebug: str = ""  # of std: settings that bring old behaviour back, "asynctimerchan=1,gotypesalias=0"


def running(module: str, build: Build | None, frames: Iterable[Frame] = ()) -> Running:
    """Return which version of a module runs, as far as a stack and a build tell."""
    if module == "std":
        go = build.go if build else None
        settings = (build.settings or {}).get("DefaultGODEBUG", "") if build else ""
        return Running(module, str(found) if (found := version(go)) else None, "go" if go else "", godebug=settings)
    for told in _in_paths(module, frames):
        return told
    return _built(module, build) if build is not None else Running(module)


def _in_paths(module: str, frames: Iterable[Frame]) -> Iterator[Running]:
    """Yield what files say that stand below module@version."""
    for frame in frames:
        if not normal_function(frame.function).startswith((f"{module}/", f"{module}.")):
            continue
        if frame.module is not None:
            name, found = unescaped(frame.module[0]), frame.module[1]
            if name == module or name.startswith(f"{module}/") or module.startswith(f"{name}/"):
                if name == module:
                    yield Running(module, found, "path")
            else:
                yield Running(module, found, "path", name)


def _built(module: str, build: Build) -> Running:
    modules, replaced = build.modules or {}, build.replaced or {}
    release = kubernetes_release(build) if module == KUBERNETES or module in _PARTS else None
    fork = replaced.get(module, "")
    if module in modules and fork and not fork.startswith((".", "/")) and fork != module:
        return Running(module, modules[module], "build", fork)
    if modules.get(module, "") not in _NO_VERSION:
        return Running(module, modules[module], "build")
    if release is not None:
        return Running(module, release if module == KUBERNETES else _part(release), "release")
    if build.main == module:
        known = build.main_version not in _NO_VERSION
        return Running(module, build.main_version if known else None, "build" if known else "")
    if module in modules:  # built from a directory: whose code that is nobody can tell
        return Running(module, None, "build", fork or modules[module])
    return Running(module)


def kubernetes_release(build: Build) -> str | None:
    """Return the release of Kubernetes that a program is of or contains: v1.27.3."""
    told = [build.main_version] if build.main == KUBERNETES else []
    told += _GIT_VERSION.findall((build.settings or {}).get("-ldflags", ""))
    told.append((build.modules or {}).get(KUBERNETES))
    found = next((one for one in told if one not in _NO_VERSION and version(one)), None)
    return str(replace(parsed, build="")) if (parsed := version(found)) else None


def _part(release: str) -> str:
    """Return the version of a part of Kubernetes of a release: v0.27.3 of v1.27.3."""
    found = version(release)
    return str(replace(found, major=0)) if found and found.major == 1 else release


def runs(module: str, build: Build) -> bool:
    """Tell whether a module is in a build, under its own path or a fork's."""
    if module == "std":
        return build.go is not None
    if build.main == module or module in (build.modules or {}):
        return True
    return module in _PARTS and build.modules is None and kubernetes_release(build) is not None
