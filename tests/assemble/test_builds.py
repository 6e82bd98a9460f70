"""Which build a process has: what was linked, else what was asked for, filled from what it says; never another's."""

import json
from pathlib import Path

import pytest

from oakum.cli.case import case
from oakum.model import Build, Case, Process, Reading, Unreadable, UsageError
from oakum.parse import parse
from support import oakum

LISTED = "/srv/{name}: {go}\n\tpath\t{main}/cmd/{name}\n\tmod\t{main}\t(devel)\t\n\tdep\ta.org/b\tv1.2.0\n"
GO_MOD = "module {main}\n\ngo {go}\n\nrequire a.org/b v1.1.0\n"
HASH = "h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4="
GO_SUM = f"a.org/b v1.1.0 {HASH}\na.org/c v1.5.0 {HASH}\n"
VENDORED = "# a.org/b v1.1.0\n## explicit\na.org/b/log\n"
VERSION = {"major": "1", "minor": "18", "gitVersion": "v1.18.8", "goVersion": "go1.13.15"}
METRICS = '# TYPE go_goroutines gauge\ngo_goroutines 7\ngo_info{{version="{go}"}} 1\n'
KUBERNETES = "k8s.io/kubernetes"
STATUS = "Name:\t{name}\nPid:\t7\nVmRSS:\t   15072 kB\nThreads:\t9\n"


def dump(function: str = "main.ask", file: str = "/srv/a/a.go") -> str:
    return f"goroutine 7 [chan send]:\n{function}()\n\t{file}:9 +0x1\n\ngoroutine 8 [select]:\n{function}()\n\t{file}:9 +0x1\n"


KUBELET = dump("k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop", "k8s.io/kubernetes/pkg/kubelet/kubelet.go")


def put(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def read(*arguments: Path, binaries: tuple[Path, ...] = ()) -> Case:
    return case([str(argument) for argument in arguments], (), [str(file) for file in binaries])


def only(found: Case) -> Process:
    (process,) = found.processes
    return process


def sources(process: Process) -> list[str]:
    return [Path(source.origin).name for source in process.build_sources]


def problems(found: Case) -> dict[str, list[str]]:
    return {Path(row.origin).name: [p.key for p in row.problems] for row in found.inputs if row.problems}


def test_what_was_linked_is_filled_from_what_the_process_says(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", KUBELET)
    put(tmp_path / "m/build.txt", LISTED.format(name="kubelet", main=KUBERNETES, go="go1.13.15"))
    put(tmp_path / "m/version.json", VERSION)
    found = read(tmp_path / "m")
    process = only(found)
    assert process.build is not None
    assert (process.name, process.build.main_version, process.build.go) == ("kubelet", "v1.18.8", "go1.13.15")
    assert process.build.modules == {"a.org/b": "v1.2.0"}
    assert sources(process) == ["build.txt", "version.json"]
    assert [source.format for source in process.build_sources] == ["go-version-m", "version"]
    assert len(process.snapshots) == 1
    assert problems(found) == {}


def test_what_another_go_built_is_another_program(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", KUBELET)
    put(tmp_path / "m/build.txt", LISTED.format(name="kubelet", main=KUBERNETES, go="go1.20.5"))
    put(tmp_path / "m/version.json", VERSION)
    found = read(tmp_path / "m")
    assert only(found).build_sources[1:] == ()
    assert problems(found) == {"version.json": ["other-program"]}


def test_a_go_mod_is_neither_a_moment_nor_to_blame(tmp_path: Path) -> None:
    put(tmp_path / "take/1/dump.txt", dump())
    put(tmp_path / "take/2/dump.txt", dump())
    put(tmp_path / "take/go.mod", GO_MOD.format(main="example.com/shop", go="1.21"))
    put(tmp_path / "take/go.sum", GO_SUM)
    found = read(tmp_path / "take")
    process = only(found)
    assert process.build is not None
    assert (process.name, len(process.snapshots)) == ("take", 2)
    assert (process.build.main, process.build.linked) == ("example.com/shop", False)
    assert process.build.modules == {"a.org/b": "v1.1.0"}, "since Go 1.17 a go.mod names all of them"
    assert problems(found) == {}


def test_beside_what_was_linked_a_go_mod_says_nothing_more(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", dump())
    put(tmp_path / "m/build.txt", LISTED.format(name="orders", main="example.com/shop", go="go1.26.8"))
    put(tmp_path / "m/go.mod", GO_MOD.format(main="example.com/shop", go="1.21"))
    put(tmp_path / "m/other/go.mod", GO_MOD.format(main="example.com/other", go="1.21"))
    put(tmp_path / "m/vendor/modules.txt", VENDORED)
    found = read(tmp_path / "m")
    process = only(found)
    assert process.build is not None
    assert (process.name, process.build.linked, process.build.modules) == ("orders", True, {"a.org/b": "v1.2.0"})
    assert sources(process) == ["build.txt"]
    assert [(row.origin.removeprefix(f"{tmp_path}/"), row.problems[0].key) for row in found.inputs if row.problems] == [
        ("m/other/go.mod", "other-program")
    ]


def test_an_old_go_mod_does_not_name_what_others_require(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", dump())
    put(tmp_path / "m/go.mod", GO_MOD.format(main="example.com/shop", go="1.15"))
    put(tmp_path / "m/go.sum", GO_SUM)
    build = only(read(tmp_path / "m")).build
    assert build is not None
    assert build.modules == {"a.org/b": "v1.1.0", "a.org/c": "v1.5.0"}
    put(tmp_path / "m/vendor/modules.txt", VENDORED)
    process = only(read(tmp_path / "m/dump.txt", *(tmp_path / "m" / name for name in ("go.mod", "go.sum", "vendor"))))
    assert process.build is not None
    assert (process.build.modules, process.build.packages) == ({"a.org/b": "v1.1.0"}, frozenset({"a.org/b/log"}))
    assert (process.build.main, sources(process)) == ("example.com/shop", ["modules.txt", "go.mod", "go.sum"])


def test_of_several_modules_the_one_in_the_stacks_is_taken(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", dump("example.com/shop/cart.Add", "/build/shop/cart/cart.go"))
    put(tmp_path / "m/shop/go.mod", GO_MOD.format(main="example.com/shop", go="1.21"))
    put(tmp_path / "m/tools/go.mod", GO_MOD.format(main="example.com/tools", go="1.21"))
    build = only(read(tmp_path / "m")).build
    assert build is not None
    assert build.main == "example.com/shop"
    put(tmp_path / "m/dump.txt", dump())
    assert only(read(tmp_path / "m")).build is None


@pytest.mark.parametrize(
    ("function", "file", "fits"),
    [
        ("k8s.io/kubernetes/pkg/kubelet.run", "/go/src/k8s.io/kubernetes/pkg/kubelet/kubelet.go", True),
        ("k8s.io/kubernetes/pkg/kubelet.run", "/src/rancher/vendor/k8s.io/kubernetes/pkg/kubelet/kubelet.go", False),
        ("main.main", "/go/src/k8s.io/kubernetes/_output/go/src/k8s.io/kubernetes/cmd/kubelet/kubelet.go", True),
        ("main.main", "github.com/k3s-io/k3s/cmd/server/main.go", True),
        ("main.main", "github.com/rancher/rancher/main.go", False),
        ("main.main", "/build/main.go", False),
        ("k8s.io/client-go/tools/cache.watch", "k8s.io/client-go@v0.18.8/tools/cache/reflector.go", False),
        ("k8s.io/kubernetes/vendor/k8s.io/apiserver/pkg/server.run", "/go/src/x/vendor/y.go", True),
    ],
)
def test_a_release_is_believed_of_the_program_whose_code_runs(
    tmp_path: Path, function: str, file: str, fits: bool
) -> None:
    put(tmp_path / "m/dump.txt", dump(function, file))
    put(tmp_path / "m/version.json", VERSION)
    found = read(tmp_path / "m")
    build = only(found).build
    assert (build.main_version if build else None) == ("v1.18.8" if fits else None)
    assert problems(found) == ({} if fits else {"version.json": ["other-program"]})


def test_metrics_tell_a_build_and_stay_metrics(tmp_path: Path) -> None:
    for at, version in ((1, "v1.18.7"), (2, "v1.18.8")):
        put(tmp_path / f"take/{at}/dump.txt", KUBELET)
        labels = f'git_version="{version}",go_version="go1.13.15"'
        put(tmp_path / f"take/{at}/metrics", METRICS.format(go="go1.13.15") + f"kubernetes_build_info{{{labels}}} 1\n")
    found = read(tmp_path / "take")
    process = only(found)
    assert process.build is not None
    assert (process.build.main_version, process.build.go) == ("v1.18.8", "go1.13.15"), "it was upgraded meanwhile"
    assert all(snapshot.metrics and snapshot.goroutines for snapshot in process.snapshots)
    assert problems(found) == {}


def test_metrics_of_another_program_tell_nothing(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", KUBELET)
    put(tmp_path / "m/node.txt", METRICS.format(go="go1.21.1") + 'node_exporter_build_info{version="1.6.1"} 1\n')
    found = read(tmp_path / "m")
    assert only(found).build is None
    assert problems(found) == {}


def test_which_of_several_versions_runs_is_not_guessed(tmp_path: Path) -> None:
    nodes = [{"kind": "Node", "status": {"nodeInfo": {"kubeletVersion": v}}} for v in ("v1.18.8", "v1.18.9")]
    put(tmp_path / "kubelet/dump.txt", KUBELET)
    put(tmp_path / "kubelet/nodes.json", {"kind": "List", "items": nodes})
    found = read(tmp_path / "kubelet")
    assert only(found).build is None
    assert problems(found) == {"nodes.json": ["versions-differ"]}


def test_the_kernel_s_name_tells_whose_version_it_is(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", KUBELET)
    put(tmp_path / "m/status", STATUS.format(name="kubelet"))
    put(tmp_path / "m/kubectl.json", {"clientVersion": VERSION, "serverVersion": VERSION})
    found = read(tmp_path / "m")
    assert only(found).build is None, "that of the API server"
    assert problems(found) == {"kubectl.json": ["other-program"]}


def test_labels_of_the_image(tmp_path: Path) -> None:
    labels = {"source": "https://github.com/acme/shop", "version": "1.4.2"}
    image = {"config": {"Labels": {f"org.opencontainers.image.{name}": value for name, value in labels.items()}}}
    put(tmp_path / "m/dump.txt", dump())
    put(tmp_path / "m/image.json", image)
    build = only(read(tmp_path / "m")).build
    assert build is not None
    assert (build.main, build.main_version) == ("github.com/acme/shop", "v1.4.2")
    put(tmp_path / "m/dump.txt", dump("main.main", "github.com/acme/other/main.go"))
    assert only(read(tmp_path / "m")).build is None


def test_each_of_several_processes_has_its_own(tmp_path: Path) -> None:
    for name in ("kubelet", "shop"):
        for at in (1, 2):
            put(tmp_path / f"{name}/{at}/dump.txt", KUBELET if name == "kubelet" else dump())
    put(tmp_path / "kubelet/version.json", VERSION)
    put(tmp_path / "shop/go.mod", GO_MOD.format(main="example.com/shop", go="1.21"))
    found = read(tmp_path / "kubelet", tmp_path / "shop")
    assert [(p.name, p.build and p.build.main) for p in found.processes] == [
        ("kubelet", KUBERNETES), ("shop", "example.com/shop"),
    ]  # fmt: skip
    assert problems(found) == {}


def test_binary_is_used_whatever_it_is_called(tmp_path: Path) -> None:
    put(tmp_path / "m/dump.txt", dump())
    put(tmp_path / "m/build.txt", LISTED.format(name="old", main="example.com/shop", go="go1.20.5"))
    given = put(tmp_path / "new.txt", LISTED.format(name="new", main="example.com/shop", go="go1.26.8"))
    found = read(tmp_path / "m", binaries=(given,))
    process = only(found)
    assert process.build is not None
    assert (process.name, process.build.go, sources(process)) == ("new", "go1.26.8", ["new.txt"])
    assert "new.txt" in {Path(row.origin).name for row in found.inputs}


def test_binary_may_be_anything_that_tells_a_build(tmp_path: Path) -> None:
    dumped = put(tmp_path / "dump.txt", dump())
    files = (
        put(tmp_path / "go.mod", GO_MOD.format(main=KUBERNETES, go="1.13")),
        put(tmp_path / "version.json", VERSION),
    )
    build = only(read(dumped, binaries=files)).build
    assert build is not None
    assert (build.main, build.main_version, build.go) == (KUBERNETES, "v1.18.8", "go1.13.15")
    assert build.modules == {"a.org/b": "v1.1.0"}


def test_binaries_of_several_processes_go_by_name(tmp_path: Path) -> None:
    for name in ("kubelet", "shim"):
        for at in (1, 2):
            put(tmp_path / f"{name}/{at}/dump.txt", dump())
    shim, other = (
        put(tmp_path / f"{name}.txt", LISTED.format(name=name, main="example.com/x", go="go1.26.8"))
        for name in ("shim", "other")
    )
    found = read(tmp_path / "kubelet", tmp_path / "shim", binaries=(shim,))
    assert [p.build and p.build.path for p in found.processes] == [None, "example.com/x/cmd/shim"]
    with pytest.raises(
        UsageError, match=r"other\.txt: unclear which process runs other; known processes: kubelet, shim"
    ):
        read(tmp_path / "kubelet", tmp_path / "shim", binaries=(other,))
    with pytest.raises(UsageError, match="are different programs"):
        read(
            tmp_path / "shim",
            binaries=(put(tmp_path / "a.txt", LISTED.format(name="a", main="a.org/a", go="go1.26.8")), other),
        )


def test_another_programs_binary_is_refused(tmp_path: Path) -> None:
    other = put(tmp_path / "other.txt", LISTED.format(name="other", main="example.com/x", go="go1.26.8"))
    dumped = put(tmp_path / "dump.txt", KUBELET)
    with pytest.raises(UsageError, match=r"another program: k8s\.io/kubernetes/pkg/kubelet, seen in the stacks"):
        read(dumped, binaries=(other,))
    # Package main has no module in its functions' names: that says nothing.
    assert only(read(put(tmp_path / "main.txt", dump()), binaries=(other,))).build is not None


def test_a_binary_that_tells_nothing_is_refused(tmp_path: Path) -> None:
    dumped = put(tmp_path / "dump.txt", dump())
    with pytest.raises(Unreadable, match=r"--binary .*log\.txt: no build information was found in it"):
        read(dumped, binaries=(put(tmp_path / "log.txt", "nothing of note\n"),))
    with pytest.raises(UsageError, match="this is a directory"):
        read(dumped, binaries=(tmp_path,))


def test_the_command_line_takes_binaries(tmp_path: Path) -> None:
    dumped = put(tmp_path / "dump.txt", dump())
    given = put(tmp_path / "build.txt", LISTED.format(name="orders", main="example.com/shop", go="go1.26.8"))
    answer = oakum("diagnose", "--json", "--no-source", "--binary", given, dumped)
    (process,) = json.loads(answer.out)["processes"]
    assert (process["name"], process["build"]["modules"]) == ("orders", {"a.org/b": "v1.2.0"})


def test_a_program_without_module_information_goes_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nameless = Reading("build", "go-binary", build=Build(go="go1.12.9"))
    monkeypatch.setattr(
        "oakum.pipeline.case.parse",
        lambda capture: (nameless,) if capture.origin.endswith("/shim") else parse(capture),
    )
    for name in ("kubelet", "shim"):
        for at in (1, 2):
            put(tmp_path / f"{name}/{at}/dump.txt", dump())
    given = put(tmp_path / "bin/shim", "a program")
    found = read(tmp_path / "kubelet", tmp_path / "shim", binaries=(given,))
    assert [p.build and p.build.go for p in found.processes] == [None, "go1.12.9"]
