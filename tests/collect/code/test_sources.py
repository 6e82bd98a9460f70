"""Explain gets the files of a frame's package, of what it imports, and of the program's own tree, named as captured."""

from pathlib import Path

import pytest

from oakum.collect.code import go_places
from oakum.collect.code.go_package import Target, belongs, package_of, target_for
from oakum.collect.code.sources import LocalSources
from oakum.model import Build, Frame, SourceNotFound, Sources, SourceText, Text
from oakum.report.words import say
from oakum.report.words.lines import error_line

WATCH = "k8s.io/apimachinery/pkg/watch"
RECEIVE = f"{WATCH}.(*StreamWatcher).receive"
IN_MODULE = "k8s.io/apimachinery@v0.18.8/pkg/watch/streamwatcher.go"
GO = "package x\n\nfunc (sw *StreamWatcher) receive() {\n}\n"


class Machine:
    """One temporary directory: a home with a module cache, a working directory, no Go but what a test puts there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.mod = root / "home/go/pkg/mod"
        self.env = {"HOME": str(root / "home"), "PATH": ""}
        (root / "work").mkdir()

    def put(self, files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return self.root

    def cached(self, files: dict[str, str]) -> Path:
        self.put({f"home/go/pkg/mod/{name}": text for name, text in files.items()})
        return self.mod

    def sources(self, *source: str, build: Build | None = None, **more: object) -> LocalSources:
        given = [str(self.root / one) for one in source]
        return LocalSources(given, [build] if build else [], env=self.env, **more)  # type: ignore[arg-type]  # as it has them


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path.resolve())
    monkeypatch.chdir(made.root / "work")
    monkeypatch.setattr(go_places, "INSTALLS", ((str(made.root / "usr-local"), ""), ("~/sdk", "")))
    return made


def names(texts: tuple[SourceText, ...]) -> list[str]:
    return [text.name for text in texts]


def bases(texts: tuple[SourceText, ...]) -> list[str]:
    return [Path(text.path).name for text in texts]


def test_it_is_what_explain_asks_for(machine: Machine) -> None:
    sources: Sources = machine.sources()
    assert list(sources.own()) == []


# --- the files of a package


def test_the_files_beside_a_frame_are_named_as_the_capture_would(machine: Machine) -> None:
    machine.cached(
        {
            IN_MODULE: GO,
            "k8s.io/apimachinery@v0.18.8/pkg/watch/mux.go": "package x\n",
            "k8s.io/apimachinery@v0.18.8/pkg/watch/mux_test.go": "package x\n",
            "k8s.io/apimachinery@v0.18.8/pkg/watch/notes.txt": "no Go",
            "k8s.io/apimachinery@v0.18.8/pkg/watch/_old.go": "package x\n",
            "k8s.io/apimachinery@v0.18.8/pkg/watch/gen.go": "//go:build ignore\n\npackage main\n",
            "k8s.io/apimachinery@v0.18.8/pkg/watch/inner/x.go": "package inner\n",
        }
    )
    frame = Frame(RECEIVE, f"/home/ci/go/pkg/mod/{IN_MODULE}", 3)
    texts = machine.sources().package(frame)
    place = "/home/ci/go/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/watch"
    assert names(texts) == [f"{place}/streamwatcher.go", f"{place}/mux.go"]
    assert texts[0] == machine.sources().file(frame)
    assert texts[1].data == b"package x\n"
    assert {text.how for text in texts} == {"module cache"}


def test_windows_paths_keep_their_form(machine: Machine) -> None:
    machine.cached({IN_MODULE: GO, "k8s.io/apimachinery@v0.18.8/pkg/watch/mux_windows.go": "package x\n"})
    machine.cached({"k8s.io/apimachinery@v0.18.8/pkg/watch/mux_linux.go": "package x\n"})
    machine.cached({"k8s.io/apimachinery@v0.18.8/pkg/util/y.go": "package util\n"})
    sources = machine.sources()
    frame = Frame(RECEIVE, "C:\\Users\\ci\\go\\pkg\\mod\\" + IN_MODULE.replace("/", "\\"))
    place = "C:\\Users\\ci\\go\\pkg\\mod\\k8s.io\\apimachinery@v0.18.8\\pkg\\"
    assert names(sources.package(frame)) == [f"{place}watch\\streamwatcher.go", f"{place}watch\\mux_windows.go"]
    machine.cached({"k8s.io/apimachinery@v0.18.8/go.mod": "module k8s.io/apimachinery\n"})
    assert names(machine.sources().imported("k8s.io/apimachinery/pkg/util", frame)) == [f"{place}util\\y.go"]


def test_a_test_sees_the_tests_of_its_package(machine: Machine) -> None:
    app = (
        machine.put(
            {
                "app/go.mod": "module example.com/app\n",
                "app/db/pool.go": "package db\n",
                "app/db/pool_test.go": "package db\n\nfunc TestPool() {}\n",
                "app/db/more_test.go": "package db\n",
                "app/db/outside_test.go": "package db_test\n\nfunc TestOutside() {}\n",
            }
        )
        / "app/db"
    )
    sources = machine.sources()
    inside = sources.package(Frame("example.com/app/db.TestPool", f"{app}/pool_test.go"))
    assert bases(inside) == ["pool_test.go", "more_test.go", "pool.go"]
    outside = sources.package(Frame("example.com/app/db_test.TestOutside", f"{app}/outside_test.go"))
    assert bases(outside) == ["outside_test.go"]
    assert bases(
        sources.imported("example.com/app/db", Frame("example.com/app/db_test.TestOutside", f"{app}/outside_test.go"))
    ) == ["pool.go"]


def test_a_package_is_read_within_bounds(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    place = machine.put({f"big/f{number}.go": "package big\n" + "//x\n" * number for number in range(9)}) / "big"
    monkeypatch.setattr("oakum.collect.code.sources._MOST_FILES", 5)
    assert len(machine.sources().package(Frame("big.run", f"{place}/f0.go"))) == 5
    monkeypatch.setattr("oakum.collect.code.sources._MOST_BYTES", 40)
    assert bases(machine.sources().package(Frame("big.run", f"{place}/f0.go"))) == ["f0.go", "f1.go"]


def test_each_answer_is_kept(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.cached({IN_MODULE: GO})
    sources = machine.sources()
    frame = Frame(RECEIVE, IN_MODULE, 3)
    first = sources.package(frame)
    monkeypatch.setattr("oakum.collect.code.sources.read_source", None)
    monkeypatch.setattr("oakum.collect.code.source.read_source", None)
    assert sources.package(Frame(RECEIVE, IN_MODULE, 4)) == first


def test_what_is_missing_says_where_it_was_looked_for(machine: Machine) -> None:
    with pytest.raises(SourceNotFound) as caught:
        machine.sources().file(Frame("example.com/gone.f", "/build/gone.go"))
    assert "/build/gone.go" in [say(place) for place in caught.value.looked]
    with pytest.raises(SourceNotFound):
        machine.sources().package(Frame("example.com/gone.f", "/build/gone.go"))


# --- files for other systems


@pytest.mark.parametrize(
    ("name", "constraint", "built"),
    [
        ("x.go", "", True),
        ("x_linux.go", "", True),
        ("x_windows.go", "", False),
        ("x_arm64.go", "", False),
        ("x_linux_amd64.go", "", True),
        ("x_linux_arm64.go", "", False),
        ("x_windows_test.go", "", False),
        ("linux.go", "", True),
        ("windows.go", "", True),
        ("x_plan9_util.go", "", True),
        ("x.go", "//go:build linux && !cgo", False),
        ("x.go", "//go:build (linux || darwin) && cgo", True),
        ("x.go", "//go:build !linux", False),
        ("x.go", "//go:build unix", True),
        ("x.go", "//go:build go1.18", True),
        ("x.go", "//go:build !go1.18", False),
        ("x.go", "//go:build go1.99", False),
        ("x.go", "//go:build ignore", False),
        ("x.go", "//go:build mytag", False),
        ("x.go", "// +build windows darwin", False),
        ("x.go", "// +build linux,amd64 darwin", True),
        ("x.go", "// +build linux\n// +build !amd64", False),
        ("x.go", "//go:build linux\n// +build windows", True),
        ("x.go", "//go:build " + "!" * 400 + "linux", True),  # what cannot be read holds
        ("x.go", "//go:build (linux", True),
        ("x.go", "//go:build", True),
        ("x.go", "/* a licence\n//go:build windows\n*/", True),
    ],
)
def test_which_files_go_builds(name: str, constraint: str, built: bool) -> None:
    assert belongs(name, f"{constraint}\n\npackage x\n\n//go:build windows\n".encode(), Target(minor=21)) is built


def test_the_file_of_a_frame_tells_what_was_built() -> None:
    assert target_for("x_darwin.go", b"package x\n", Target()).system == "darwin"
    assert target_for("x.go", b"//go:build windows && arm64\npackage x\n", Target()) == Target("windows", "arm64")
    assert target_for("x.go", b"//go:build !cgo\npackage x\n", Target()) == Target(cgo=False)
    assert target_for("x.go", b"//go:build enterprise && linux\npackage x\n", Target()).tags == {"enterprise"}
    assert target_for("x.go", b"//go:build ignore\npackage x\n", Target()) == Target()


def test_the_build_says_what_was_built(machine: Machine) -> None:
    place = (
        machine.put(
            {f"app/{name}.go": "package app\n" for name in ("run", "run_linux", "run_darwin")}
            | {"app/paid.go": "//go:build paid\n\npackage app\n", "app/free.go": "//go:build !paid\n\npackage app\n"}
        )
        / "app"
    )
    frame = Frame("app.run", f"{place}/run.go")
    assert bases(machine.sources().package(frame)) == ["run.go", "free.go", "run_linux.go"]
    build = Build(settings={"GOOS": "darwin", "GOARCH": "arm64", "-tags": "paid,netgo"})
    assert bases(machine.sources(build=build).package(frame)) == ["run.go", "paid.go", "run_darwin.go"]


def test_the_package_clause() -> None:
    assert package_of(b'// Package x\n/* package y */\npackage z // import "z"\n') == "z"
    assert package_of(b"no Go") == ""
    assert package_of(b"") == ""


# --- versions that the build information names


@pytest.mark.parametrize(
    "file",
    [
        "k8s.io/apimachinery/pkg/watch/streamwatcher.go",  # -trimpath without versions
        "/go/src/k8s.io/kubernetes/vendor/k8s.io/apimachinery/pkg/watch/streamwatcher.go",
        "/build/out/apimachinery/pkg/watch/streamwatcher.go",
    ],
)
def test_the_version_comes_from_the_build(machine: Machine, file: str) -> None:
    machine.cached({IN_MODULE: GO, IN_MODULE.replace("0.18.8", "0.21.0"): GO})
    build = Build(modules={"k8s.io/apimachinery": "v0.18.8", "k8s.io/api": "v0.18.8"})
    found = machine.sources(build=build).file(Frame(RECEIVE, file))
    assert found.path == str(machine.mod / IN_MODULE)
    assert (found.how, found.note, found.name) == ("module cache, as it was built", "", file)
    with pytest.raises(SourceNotFound):
        machine.sources().file(Frame(RECEIVE, file))


def test_a_module_in_the_place_of_another(machine: Machine) -> None:
    machine.cached({"github.com/!fork/machinery@v1.0.0/pkg/watch/streamwatcher.go": GO})
    build = Build(
        modules={"k8s.io/apimachinery": "v1.0.0", "k8s.io/api": "(replaced)"},
        replaced={"k8s.io/apimachinery": "github.com/Fork/machinery", "k8s.io/api": "./staging/api"},
    )
    sources = machine.sources(build=build)
    frame = Frame(RECEIVE, "k8s.io/apimachinery/pkg/watch/streamwatcher.go")
    assert sources.file(frame).path == str(machine.mod / "github.com/!fork/machinery@v1.0.0/pkg/watch/streamwatcher.go")
    assert sources.module_of(frame) == ("github.com/Fork/machinery", "v1.0.0", "pkg/watch/streamwatcher.go")
    assert sources.module_of(Frame("k8s.io/api/core/v1.f", "k8s.io/api/core/v1/f.go")) is None


def test_builds_that_disagree_say_nothing(machine: Machine) -> None:
    machine.cached({IN_MODULE: GO})
    builds = [Build(modules={"k8s.io/apimachinery": version}) for version in ("v0.18.8", "v0.21.0")]
    frame = Frame(RECEIVE, "k8s.io/apimachinery/pkg/watch/streamwatcher.go")
    with pytest.raises(SourceNotFound):
        LocalSources(builds=builds, env=machine.env).file(frame)
    assert LocalSources(builds=builds[:1] * 2, env=machine.env).file(frame).path == str(machine.mod / IN_MODULE)


def test_the_module_of_a_frame(machine: Machine) -> None:
    build = Build(main="example.com/shop", main_version="v1.4.0+dirty", modules={"k8s.io/api": "v0.18.8"})
    sources = machine.sources(build=build)
    assert sources.module_of(Frame(RECEIVE, IN_MODULE)) == (
        "k8s.io/apimachinery",
        "v0.18.8",
        "pkg/watch/streamwatcher.go",
    )
    own = Frame("example.com/shop/cart.Add", "/build/cart/cart.go")
    assert sources.module_of(own) == ("example.com/shop", "v1.4.0", "cart/cart.go")
    assert sources.module_of(Frame("example.com/shop/../../etc.Add", "/build/cart/cart.go")) is None
    assert sources.module_of(Frame("example.com/shop/cart.Add", "<autogenerated>")) is None
    assert sources.module_of(Frame("net/http.Serve", "/usr/local/go/src/net/http/server.go")) is None
    assert machine.sources(build=Build(main="example.com/shop", main_version="(devel)")).module_of(own) is None


@pytest.mark.parametrize("file", ["/build/cmd/orders/run.go", "example.com/shop/cmd/orders/run.go", "C:\\b\\run.go"])
def test_the_module_of_package_main(machine: Machine, file: str) -> None:
    build = Build(path="example.com/shop/cmd/orders", main="example.com/shop", main_version="v1.4.0")
    found = machine.sources(build=build).module_of(Frame("main.run", file))
    assert found == ("example.com/shop", "v1.4.0", "cmd/orders/run.go")


def test_a_program_built_from_a_changed_copy(machine: Machine) -> None:
    machine.put({"far/cart/cart.go": "package cart\n"})
    build = Build(main="example.com/shop", main_version="v1.4.0+dirty")
    fetch = Courier({("example.com/shop", "v1.4.0"): machine.root / "far"})
    found = machine.sources(build=build, fetch=fetch).file(Frame("example.com/shop/cart.Add", "/build/cart/cart.go"))
    assert found.note == "the program was built from a changed copy of this release"


def test_a_vendored_copy_of_another_version_is_noted(machine: Machine) -> None:
    machine.put(
        {
            "app/go.mod": "module example.com/app\n\nrequire k8s.io/apimachinery v0.21.0\n",
            "app/vendor/modules.txt": "# k8s.io/apimachinery v0.21.0\n## explicit\n",
            "app/vendor/k8s.io/apimachinery/pkg/watch/streamwatcher.go": GO,
        }
    )
    frame = Frame(RECEIVE, "/go/src/example.com/app/vendor/k8s.io/apimachinery/pkg/watch/streamwatcher.go")
    assert machine.sources("app").file(frame).note == ""
    running = Build(modules={"k8s.io/apimachinery": "v0.18.8"})
    found = machine.sources("app", build=running).file(Frame(RECEIVE, "k8s.io/apimachinery/pkg/watch/streamwatcher.go"))
    assert (found.how, found.note) == ("vendor", "this file is of v0.21.0, the profile names v0.18.8")
    same = Build(modules={"k8s.io/apimachinery": "v0.21.0"})
    found = machine.sources("app", build=same).file(Frame(RECEIVE, "k8s.io/apimachinery/pkg/watch/streamwatcher.go"))
    assert (found.how, found.note) == ("vendor", "")


# --- checkouts


def test_a_fork_with_another_module_path(machine: Machine) -> None:
    machine.put(
        {
            "fork/go.mod": "module example.com/fork\n",
            "fork/pkg/scheduler/scheduler.go": "package scheduler\n\nfunc (s *Scheduler) scheduleOne() {}\n",
            "fork/pkg/scheduler/queue/queue.go": "package queue\n",
            "fork/pkg/kubelet/kubelet.go": "package kubelet\n",
        }
    )
    function = "k8s.io/kubernetes/pkg/scheduler.(*Scheduler).scheduleOne"
    for prefix in ("k8s.io/kubernetes/", "/go/src/k8s.io/kubernetes/_output/src/k8s.io/kubernetes/"):
        sources = machine.sources("fork")
        frame = Frame(function, f"{prefix}pkg/scheduler/scheduler.go")
        assert sources.file(frame).path == str(machine.root / "fork/pkg/scheduler/scheduler.go")
        imported = sources.imported("example.com/fork/pkg/scheduler/queue", frame)
        assert names(imported) == [f"{prefix}pkg/scheduler/queue/queue.go"]
        own = sorted(name for package in sources.own() for name in names(package))
        assert own[0] == f"{prefix}pkg/kubelet/kubelet.go"


@pytest.mark.parametrize("go_mod", ["replace k8s.io/apiserver => ./staging/src/k8s.io/apiserver\n", ""])
def test_staging_of_kubernetes(machine: Machine, go_mod: str) -> None:
    function = "k8s.io/apiserver/pkg/storage.(*Cacher).Watch"
    machine.put(
        {
            "kubernetes/go.mod": f"module k8s.io/kubernetes\n\n{go_mod}",
            "kubernetes/staging/src/k8s.io/apiserver/go.mod": "module k8s.io/apiserver\n",
            "kubernetes/staging/src/k8s.io/apiserver/pkg/storage/cacher.go": "package storage\n\nfunc (c *Cacher) Watch() {}\n",
            "kubernetes/staging/src/k8s.io/apimachinery/pkg/watch/mux.go": "package watch\n",
        }
    )
    sources = machine.sources("kubernetes")
    frame = Frame(function, "k8s.io/apiserver/pkg/storage/cacher.go")
    place = machine.root / "kubernetes/staging/src/k8s.io"
    assert sources.file(frame).path == str(place / "apiserver/pkg/storage/cacher.go")
    watch = sources.imported("k8s.io/apimachinery/pkg/watch", frame)
    assert [text.path for text in watch] == [str(place / "apimachinery/pkg/watch/mux.go")]


def test_a_checkout_at_another_commit_is_noted(machine: Machine) -> None:
    here, there = "1" * 40, "2" * 40
    machine.put(
        {
            "app/go.mod": "module example.com/app\n",
            "app/db/pool.go": "package db\n\nfunc Get() {}\n",
            "app/.git/HEAD": "ref: refs/heads/main\n",
            "app/.git/packed-refs": f"# pack-refs\n{here} refs/heads/main\n",
        }
    )
    frame = Frame("example.com/app/db.Get", "example.com/app/db/pool.go")
    for revision, note in (
        (here, ""),
        (there, f"this checkout is at {here[:12]}, the program was built from {there[:12]}"),
    ):
        build = Build(main="example.com/app", settings={"vcs.revision": revision})
        assert machine.sources("app", build=build).file(frame).note == note
    assert machine.sources("app").file(frame).note == ""
    machine.put({"app/.git/refs/heads/main": f"{there}\n"})  # newer than what is packed
    build = Build(main="example.com/app", settings={"vcs.revision": there})
    assert machine.sources("app", build=build).file(frame).note == ""


def test_a_worktree_says_its_commit(machine: Machine) -> None:
    root = machine.put(
        {
            "tree/.git": f"gitdir: {machine.root}/repo/.git/worktrees/tree\n",
            "repo/.git/worktrees/tree/HEAD": "ref: refs/heads/fix\n",
            "repo/.git/worktrees/tree/commondir": "../..\n",
            "repo/.git/refs/heads/fix": "a" * 40 + "\n",
            "none/.git/HEAD": "ref: ../../../etc/passwd\n",
        }
    )
    assert go_places.revision_of(root / "tree") == "a" * 40
    assert go_places.revision_of(root / "none") == ""


# --- what code imports


def test_what_a_file_imports(machine: Machine) -> None:
    machine.cached(
        {
            "k8s.io/apimachinery@v0.18.8/go.mod": "module k8s.io/apimachinery\n\nrequire (\n\tk8s.io/klog v1.0.0\n\tgithub.com/Azure/x v1.1.0\n)\n",
            IN_MODULE: GO,
            "k8s.io/apimachinery@v0.18.8/pkg/runtime/codec.go": "package runtime\n",
            "k8s.io/apimachinery@v0.18.8/pkg/runtime/codec_test.go": "package runtime\n",
            "k8s.io/klog@v1.0.0/klog.go": "package klog\n",
            "k8s.io/klog@v1.2.0/klog.go": "package klog // the later\n",
            "k8s.io/klog@v1.2.0/flush.go": "package klog\n",
            "github.com/!azure/x@v1.1.0/y/z.go": "package y\n",
        }
    )
    machine.put({"usr-local/go/VERSION": "go1.21.3\n", "usr-local/go/src/sync/mutex.go": "package sync\n"})
    frame = Frame(RECEIVE, f"/ci/pkg/mod/{IN_MODULE}")
    sources = machine.sources()
    runtime = sources.imported("k8s.io/apimachinery/pkg/runtime", frame)
    assert names(runtime) == ["/ci/pkg/mod/k8s.io/apimachinery@v0.18.8/pkg/runtime/codec.go"]
    assert runtime[0].note == ""
    asked = sources.imported("k8s.io/klog", frame)
    assert names(asked) == ["/ci/pkg/mod/k8s.io/klog@v1.0.0/klog.go"]
    assert asked[0].note == "k8s.io/apimachinery asks for v1.0.0; the program may run a later one"
    assert names(sources.imported("github.com/Azure/x/y", frame)) == ["/ci/pkg/mod/github.com/!azure/x@v1.1.0/y/z.go"]
    assert names(sources.imported("sync", frame)) == ["sync/mutex.go"]
    for nothing in ("C", "unsafe", "k8s.io/unknown", "../../etc", "/etc", "", "x" * 5000, "k8s.io/apimachinery/pkg"):
        assert sources.imported(nothing, frame) == ()
    assert sources.imported("sync", Frame("x.y", "/nowhere/y.go")) == ()

    running = machine.sources(build=Build(modules={"k8s.io/klog": "v1.2.0"})).imported("k8s.io/klog", frame)
    assert bases(running) == ["flush.go", "klog.go"]
    assert running[0].note == ""


def test_a_frame_tells_which_version_others_import(machine: Machine) -> None:
    machine.cached(
        {
            "k8s.io/apimachinery@v0.18.8/go.mod": "module k8s.io/apimachinery\n\nrequire k8s.io/klog v1.0.0\n",
            IN_MODULE: GO,
            "k8s.io/klog@v1.0.0/klog.go": "package klog\n",
            "k8s.io/klog@v1.2.0/klog.go": "package klog\n\nfunc Flush() {}\n",
        }
    )
    sources = machine.sources()
    sources.file(Frame("k8s.io/klog.Flush", "k8s.io/klog@v1.2.0/klog.go"))
    (klog,) = sources.imported("k8s.io/klog", Frame(RECEIVE, IN_MODULE))
    assert (klog.name, klog.note) == ("k8s.io/klog@v1.2.0/klog.go", "")


def test_a_vendor_folder_decides_its_imports(machine: Machine) -> None:
    machine.put(
        {
            "app/go.mod": "module example.com/app\n\nrequire k8s.io/klog v1.0.0\n",
            "app/main.go": "package main\n\nfunc main() {}\n",
            "app/vendor/k8s.io/klog/klog.go": "package klog\n",
            "app/vendor/k8s.io/klog/flush.go": "package klog\n",
        }
    )
    machine.cached({"k8s.io/klog@v1.0.0/klog.go": "package klog\n"})
    machine.env["GOFLAGS"] = "-mod=vendor"
    frame = Frame("main.main", f"{machine.root}/app/main.go")
    assert bases(machine.sources().imported("k8s.io/klog", frame)) == ["flush.go", "klog.go"]


def test_a_vendored_copy_comes_before_the_original_of_its_version(machine: Machine) -> None:
    machine.put(
        {
            "app/go.mod": "module example.com/app\n\nrequire k8s.io/apimachinery v0.18.8\n",
            "app/main.go": "package main\n\nfunc main() {}\n",
            "app/vendor/modules.txt": "# k8s.io/apimachinery v0.18.8\n## explicit\n",
            "app/vendor/k8s.io/apimachinery/pkg/watch/streamwatcher.go": GO + "// changed by us\n",
        }
    )
    machine.cached({IN_MODULE: GO, IN_MODULE.replace("0.18.8", "0.21.0"): GO})
    copy = machine.root / "app/vendor/k8s.io/apimachinery/pkg/watch/streamwatcher.go"
    frame = Frame(RECEIVE, "/ci/app/vendor/k8s.io/apimachinery/pkg/watch/streamwatcher.go")
    main = Frame("main.main", "/ci/app/main.go")
    for version, path in (("v0.18.8", copy), ("v0.21.0", machine.mod / IN_MODULE.replace("0.18.8", "0.21.0"))):
        sources = machine.sources("app", build=Build(modules={"k8s.io/apimachinery": version}))
        assert (sources.file(frame).path, sources.file(frame).note) == (str(path), "")
        assert [(text.path, text.note) for text in sources.imported(WATCH, main)] == [(str(path), "")]


# --- the Go that runs


def test_the_standard_library_of_another_version_is_noted(machine: Machine) -> None:
    machine.put({"usr-local/go/VERSION": "go1.21.3\n", "usr-local/go/src/net/http/server.go": "package http\n"})
    machine.put(
        {
            "usr-local/go/src/sync/mutex.go": "package sync\n",
            "usr-local/go/src/vendor/golang.org/x/net/idna/i.go": "package idna\n",
        }
    )
    frame = Frame("net/http.Serve", "/usr/lib/go/src/net/http/server.go")
    sources = machine.sources(build=Build(go="go1.19.8"))
    note = "this file is go1.21.3's, the profile comes from go1.19.8"
    assert {text.note for text in sources.package(frame)} == {note}
    (mutex,) = sources.imported("sync", frame)
    assert (mutex.name, mutex.note) == ("/usr/lib/go/src/sync/mutex.go", note)
    (idna,) = sources.imported("golang.org/x/net/idna", frame)
    assert idna.name == "/usr/lib/go/src/vendor/golang.org/x/net/idna/i.go"
    machine.put({"app/http/server.go": "package http\n", "app/server.go": "package app\n"})
    assert (
        machine.sources("app", build=Build(go="go1.19.8")).file(frame).note == note
    )  # not the program's own server.go
    toolchain = "golang.org/toolchain@v0.0.1-go1.19.8.linux-amd64"
    machine.cached({f"{toolchain}/VERSION": "go1.19.8\n", f"{toolchain}/src/net/http/server.go": "package http\n"})
    found = machine.sources(build=Build(go="go1.19.8")).file(frame)
    assert (found.note, found.how) == ("", "GOROOT, go1.19.8")


# --- the program's own tree


def test_the_own_tree_around_the_source_given(machine: Machine) -> None:
    machine.put(
        {
            "app/go.mod": "module example.com/app\n",
            "app/main.go": "package main\n",
            "app/gen.go": "package tool\n",
            "app/db/pool.go": "package db\n",
            "app/db/pool_test.go": "package db\n",
            "app/db/pool_windows.go": "package db\n",
            "app/docs/readme.md": "",
            **{
                f"app/{skipped}/x/x.go": "package x\n"
                for skipped in ("vendor", "testdata", ".git", "_old", "node_modules")
            },
            "app/tools/go.mod": "module example.com/app/tools\n",
            "app/tools/t.go": "package tools\n",
        }
    )
    for given in ("app", "app/db"):
        assert [names(package) for package in machine.sources(given).own()] == [["gen.go"], ["main.go"], ["db/pool.go"]]
    machine.put({"app/go.work": "go 1.21\nuse (\n\t.\n\t./tools\n)\n"})
    assert [bases(package) for package in machine.sources("app").own()][-1] == ["t.go"]


def test_the_own_tree_around_frames_that_were_found(machine: Machine) -> None:
    machine.put(
        {
            "app/go.mod": "module app\n",
            "app/run.go": "package main\n\nfunc run() {}\n",
            "app/db/pool.go": "package db\n",
        }
    )
    frame = Frame("main.run", f"{machine.root}/app/run.go")
    asked = machine.sources()
    assert list(asked.own()) == []
    asked.file(frame)
    told = machine.sources(frames=[Frame("net/http.Serve", "/usr/lib/go/src/net/http/server.go"), frame])
    for sources in (asked, told):
        assert [names(package) for package in sources.own()] == [
            [f"{machine.root}/app/run.go"],
            [f"{machine.root}/app/db/pool.go"],
        ]


def test_the_own_tree_is_walked_within_bounds(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.put({f"app/p{number}/x.go": "package p\n" for number in range(9)} | {"app/go.mod": "module app\n"})
    monkeypatch.setattr("oakum.collect.code.sources._MOST_OWN", 5)
    assert len(list(machine.sources("app").own())) == 5
    (machine.root / "app/p0/loop").symlink_to(machine.root / "app")
    assert len(list(machine.sources("app").own())) == 5


# --- what is fetched


class Courier:
    """A fetch that has what a test gives it."""

    def __init__(self, modules: dict[tuple[str, str], Path], goroots: dict[str, Path] | None = None) -> None:
        self.modules = modules
        self.goroots = goroots or {}
        self.asked: list[tuple[str, str]] = []

    def module(self, path: str, version: str) -> Path:
        self.asked.append((path, version))
        if (path, version) not in self.modules:
            why = Text("fetch.unreachable")
            raise SourceNotFound(Text("fetch.module", {"module": path, "version": version, "why": why}))
        return self.modules[path, version]

    def goroot(self, version: str) -> Path:
        if version not in self.goroots:
            raise SourceNotFound(Text("fetch.no-go-release", {"go": version}))
        return self.goroots[version]


def test_what_is_not_here_is_fetched(machine: Machine) -> None:
    place = (
        machine.put(
            {
                "far/m/pkg/watch/streamwatcher.go": GO,
                "far/m/go.mod": "module k8s.io/apimachinery\n\nrequire k8s.io/klog v1.0.0\n",
                "far/klog/klog.go": "package klog\n",
            }
        )
        / "far"
    )
    fetch = Courier({("k8s.io/apimachinery", "v0.18.8"): place / "m", ("k8s.io/klog", "v1.0.0"): place / "klog"})
    sources = machine.sources(fetch=fetch)
    frame = Frame(RECEIVE, f"/ci/pkg/mod/{IN_MODULE}")
    found = sources.file(frame)
    assert (found.how, found.note, found.name) == ("fetched, k8s.io/apimachinery@v0.18.8", "", frame.file)
    assert bases(sources.imported("k8s.io/klog", frame)) == ["klog.go"]
    assert sources.imported("k8s.io/unknown", frame) == ()
    with pytest.raises(SourceNotFound) as caught:
        sources.file(Frame("k8s.io/api/core/v1.f", "k8s.io/api@v0.18.8/core/v1/f.go"))
    assert error_line(caught.value).endswith("k8s.io/api@v0.18.8 was not fetched: the proxy cannot be reached")
    before = len(fetch.asked)
    with pytest.raises(SourceNotFound):
        sources.file(Frame("k8s.io/api/core/v1.f", "k8s.io/api@v0.18.8/core/v1/f.go"))
    assert len(fetch.asked) == before


def test_a_copy_of_another_version_gives_way_to_the_fetched_one(machine: Machine) -> None:
    machine.put(
        {
            "app/go.mod": "module k8s.io/apimachinery\n",
            "app/pkg/watch/streamwatcher.go": GO,
            "far/pkg/watch/streamwatcher.go": GO,
        }
    )
    frame = Frame(RECEIVE, IN_MODULE)
    assert machine.sources("app").file(frame).note == "this is a checkout, the profile names v0.18.8"
    fetch = Courier({("k8s.io/apimachinery", "v0.18.8"): machine.root / "far"})
    assert machine.sources("app", fetch=fetch).file(frame).path == str(machine.root / "far/pkg/watch/streamwatcher.go")
    assert machine.sources("app", fetch=Courier({})).file(frame).note == "this is a checkout, the profile names v0.18.8"


def test_a_go_that_is_fetched(machine: Machine) -> None:
    toolchain = machine.mod / "golang.org/toolchain@v0.0.1-go1.22.1.linux-amd64"

    class Late(Courier):
        def goroot(self, version: str) -> Path:
            machine.cached(
                {
                    f"{toolchain.relative_to(machine.mod)}/{name}": text
                    for name, text in (("VERSION", f"{version}\n"), ("src/net/http/server.go", "package http\n"))
                }
            )
            return toolchain

    sources = machine.sources(build=Build(go="go1.22.1"), fetch=Late({}))
    assert sources.file(Frame("net/http.Serve", "/usr/local/go/src/net/http/server.go")).how == "GOROOT, go1.22.1"
