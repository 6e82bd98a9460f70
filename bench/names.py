"""Names and places as they read in Kubernetes components: packages, files, functions.

Comes in: how many are wanted and a random generator. Goes out: that many distinct functions, each with the file it
stands in and its first line. Nothing here is read from a real program.
"""

import re
from dataclasses import dataclass

import numpy as np

# Standard library, modules with their version as a module cache shows them, and the program's own packages.
STDLIB = ["net", "net/http", "crypto/tls", "encoding/json"]
DEPENDENCIES = [
    "golang.org/x/net@v0.23.0/http2",
    "google.golang.org/grpc@v1.58.3",
    "google.golang.org/grpc@v1.58.3/internal/transport",
    "github.com/containerd/ttrpc@v1.2.2",
    "github.com/containerd/containerd@v1.7.13/runtime/v2",
    "github.com/prometheus/client_golang@v1.16.0/prometheus",
    "go.etcd.io/etcd/client/v3@v3.5.10",
    "k8s.io/apimachinery@v0.29.3/pkg/util/wait",
    "k8s.io/apimachinery@v0.29.3/pkg/watch",
    "k8s.io/apimachinery@v0.29.3/pkg/runtime/serializer/json",
    "k8s.io/client-go@v0.29.3/tools/cache",
    "k8s.io/client-go@v0.29.3/util/workqueue",
    "k8s.io/client-go@v0.29.3/rest",
    "k8s.io/apiserver@v0.29.3/pkg/endpoints/handlers",
    "k8s.io/apiserver@v0.29.3/pkg/storage/cacher",
    "k8s.io/apiserver@v0.29.3/pkg/storage/etcd3",
    "sigs.k8s.io/controller-runtime@v0.17.2/pkg/internal/controller",
]
OWN = [
    "k8s.io/kubernetes/pkg/kubelet",
    "k8s.io/kubernetes/pkg/kubelet/cm",
    "k8s.io/kubernetes/pkg/kubelet/pleg",
    "k8s.io/kubernetes/pkg/kubelet/volumemanager/reconciler",
    "k8s.io/kubernetes/pkg/scheduler/framework/runtime",
    "k8s.io/kubernetes/pkg/controller/nodelifecycle",
    "k8s.io/kubernetes/pkg/proxy/iptables",
]
# Import path and folder of each package.
PACKAGES = [
    *((path, f"/usr/local/go/src/{path}") for path in STDLIB),
    *((re.sub("@[^/]+", "", path), f"/go/pkg/mod/{path}") for path in DEPENDENCIES),
    *((path, f"/src/{path}") for path in OWN),
]

QUALIFIERS = ["", *"shared pod node event stream volume lease default cached delta typed".split()]
NOUNS = (
    "Informer Reflector Watcher Decoder Encoder Queue Store Indexer Lister Controller Manager Broadcaster Worker Pool "
    "Conn Session Handler Round Tripper Transport Cache Registry Evictor Syncer Plugin Framework Probe"
).split()
VERBS = (
    "Run sync process handle watch list receive send dial read write flush decode encode start stop add update delete "
    "resync notify enqueue requeue get put admit reconcile drain probe mount"
).split()
OBJECTS = ["", "Loop", "Locked", "Item", "All", "Next", "Batch", "Once", "WithContext", "Object", "Result", "Event"]
CLOSURES = ["", ".func1", ".func2", ".func1.1", ".gowrap1", ".deferwrap1"]


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the made-up program."""

    name: str
    file: str
    line: int


def functions_of(count: int, random: np.random.Generator) -> list[Function]:
    """Return `count` distinct functions of made-up Kubernetes code."""
    sizes = tuple(len(axis) for axis in (PACKAGES, QUALIFIERS, NOUNS, VERBS, OBJECTS, CLOSURES))
    total = int(np.prod(sizes))
    if count > total:
        raise ValueError(f"at most {total} functions can be named")
    picks = np.stack(np.unravel_index(random.choice(total, count, replace=False), sizes), axis=1).tolist()
    lines = random.integers(20, 2000, count).tolist()
    named = []
    for (package, qualifier, noun, verb, thing, closure), line in zip(picks, lines, strict=True):
        path, folder = PACKAGES[package]
        prefix, base = QUALIFIERS[qualifier], NOUNS[noun]
        receiver = f"{prefix}{base}[...]" if prefix == "typed" else prefix + base
        file = "_".join(filter(None, (prefix, base.lower())))
        method = VERBS[verb] + OBJECTS[thing] + CLOSURES[closure]
        named.append(Function(f"{path}.(*{receiver}).{method}", f"{folder}/{file}.go", line))
    return named


__all__ = ["Function", "functions_of"]
