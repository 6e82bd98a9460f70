"""What a profile is of and who wrote it: kind, producer and Go version, as far as the profile tells."""

import pytest

from oakum.model import Reading
from oakum.parse import pprof
from pprof_message import field, goroutine_profile, message, strings, value_type

CPU = value_type(1, 2)


def read(data: bytes) -> Reading:
    reading = pprof.read(data)
    assert reading is not None
    return reading


@pytest.mark.parametrize(
    ("types", "default", "kind"),
    [
        (["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"], "", "heap"),
        (["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"], "inuse_space", "heap"),
        (["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"], "alloc_space", "allocs"),
        (["alloc_objects", "alloc_space"], "", "allocs"),
        (["inuse_space"], "", "heap"),
        (["goroutine"], "", "goroutine"),
        (["goroutineleak"], "", "goroutineleak"),
        (["threadcreate"], "", "threadcreate"),
        (["samples", "cpu"], "", "cpu"),
        (["sample", "CPU"], "", "cpu"),
        (["cpu", "exception", "alloc_size"], "", "cpu"),
        (["contentions", "delay"], "", "contention"),
        (["samples", "wall"], "", "wall"),
        (["objects", "space"], "objects", "objects"),
        (["objects", "space"], "gone", "space"),
        (["samples"], "", "samples"),
        ([], "", "unknown"),
    ],
)
def test_kind_by_sample_types(types: list[str], default: str, kind: str) -> None:
    names = ["", *types, default]
    data = b"".join(value_type(row, 0) for row in range(1, len(types) + 1)) + strings(*names)
    reading = read(data + field(14, len(names) - 1))
    assert reading.kind == kind
    assert reading.profile is not None
    assert reading.profile.kind == kind


def test_samples_of_a_cpu_period_are_a_cpu_profile() -> None:
    assert (
        read(
            value_type(1, 2) + value_type(3, 4, number=11) + strings("", "samples", "count", "cpu", "nanoseconds")
        ).kind
        == "cpu"
    )


@pytest.mark.parametrize(
    ("leaf", "kind"),
    [
        ("runtime.selectgo", "block"),
        ("runtime.chanrecv1", "block"),
        ("sync.(*Mutex).Lock", "block"),
        ("sync.(*RWMutex).RLock", "block"),
        ("sync.(*WaitGroup).Wait", "block"),
        ("sync.(*Cond).Wait", "block"),
        ("sync.(*Mutex).lockSlow", "block"),
        ("sync.(*Mutex).Unlock", "mutex"),
        ("internal/sync.(*Mutex).Unlock", "mutex"),
        ("sync.(*RWMutex).RUnlock", "mutex"),
        ("sync.(*Mutex).unlockSlow", "mutex"),
        ("runtime.unlock2", "mutex"),
        ("runtime._LostContendedRuntimeLock", "mutex"),
        ("main.main", "contention"),
    ],
)
def test_kind_by_the_leaf(leaf: str, kind: str) -> None:
    data = goroutine_profile(leaf, "main.main").replace(field(6, b"goroutine"), field(6, b"contentions"))
    assert read(data).kind == kind


@pytest.mark.parametrize(
    ("name", "file", "producer"),
    [
        ("runtime.gopark", "/usr/local/go/src/runtime/proc.go", "Go"),
        ("net/http.(*conn).serve", "", "Go"),
        ("core::ptr::add::had6ed03aa57b98a5", "", "Rust"),
        ("main", "src/main.rs", "Rust"),
        ("node:events:emit:470", "", "Node.js"),
        ("handle", "/app/node_modules/express/lib/router/layer.js", "Node.js"),
        ("lib/server.py:-1 - bike", "", "Python"),
        ("app/helpers/application_helper.rb:-1 - find", "", "Ruby"),
        ("System.Reflection!CustomAttribute.AddCustomAttributes", "", ".NET"),
        ("java/io/DataInputStream.readByte", "", "Java"),
        ("std::vector<int>::push_back", "", "C++"),
        ("entry_SYSCALL_64_after_hwframe", "", "eBPF"),
        ("something", "", None),
    ],
)
def test_producer(name: str, file: str, producer: str | None) -> None:
    data = goroutine_profile(name, file=file).replace(field(6, b"goroutine"), field(6, b"other"))
    assert read(data).producer == producer


def test_producer_by_what_else_is_there() -> None:
    assert read(value_type(1, 2) + strings("", "goroutine", "count")).producer == "Go"
    assert (
        read(value_type(1, 2) + field(13, 3) + strings("", "inuse_space", "bytes", "executableInfo=3;0;0")).producer
        == "Rust"
    )
    assert read(CPU + field(3, message((1, 1), (5, 3))) + strings("", "a", "b", "[kernel.kallsyms]")).producer == "eBPF"
    assert (
        read(CPU + field(3, message((1, 1), (5, 3))) + strings("", "a", "b", "/lib/libstdc++.so.6")).producer == "C++"
    )


@pytest.mark.parametrize(
    ("file", "version"),
    [
        ("/usr/local/go/src/runtime/proc.go", None),
        ("runtime/proc.go", None),
        ("/home/ci/sdk/go1.21.3/src/runtime/proc.go", "go1.21.3"),
        ("/opt/hostedtoolcache/go/1.19.5/x64/src/runtime/proc.go", "go1.19.5"),
        ("/usr/lib/go-1.19/src/runtime/proc.go", "go1.19"),
        ("/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.22.4.linux-amd64/src/runtime/proc.go", "go1.22.4"),
        ("C:/Users/x/sdk/go1.20rc2/src/runtime/proc.go", "go1.20rc2"),
        ("/home/x/.goenv/versions/1.16.5/src/net/http/server.go", "go1.16.5"),
        ("/home/x/go1.9/src/app/main.go", None),
    ],
)
def test_go_version_in_paths(file: str, version: str | None) -> None:
    assert read(goroutine_profile("runtime.gopark", file=file)).go_version == version
