"""Source files are found where Go and people keep them, and every place that was tried is named when they are not."""

import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chinese import english_in
from oakum.collect.code import go_places
from oakum.collect.code.go_places import GoVersion, modules_at
from oakum.collect.code.source import SourceFinder
from oakum.collect.code.source_name import EXTENSIONS, trimmed
from oakum.model import SourceNotFound
from oakum.report.words import say
from oakum.report.words.lines import error_line

REFLECTOR = "k8s.io/client-go/tools/cache.(*Reflector).Run"
IN_MODULE = "k8s.io/client-go@v0.18.8/tools/cache/reflector.go"


class World:
    """A machine made of one temporary directory: a home, a working directory, and no Go but what a test puts there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.cwd = root / "work"
        self.cwd.mkdir()
        self.env = {"HOME": str(self.home), "PATH": ""}

    @property
    def mod(self) -> Path:
        return self.home / "go" / "pkg" / "mod"

    def put(self, path: Path | str, text: str = "package x\n\nfunc (r *Reflector) Run() {\n}\n") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def finder(self, *source_path: str | Path, **more: object) -> SourceFinder:
        return SourceFinder([str(p) for p in source_path], env=self.env, **more)  # type: ignore[arg-type]  # as it has them

    def upwards(self, place: Path, name: str) -> list[str]:
        """Return what pprof tries for a relative name: the directory and all its parents."""
        return [str(p / name) for p in (place, *place.parents)]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path.resolve())
    monkeypatch.chdir(made.cwd)
    monkeypatch.setattr(go_places, "INSTALLS", ((str(made.root / "usr-local"), ""), ("~/sdk", "")))
    return made


def looked(finder: SourceFinder, function: str, file: str) -> tuple[list[str], str]:
    with pytest.raises(SourceNotFound) as caught:
        finder.find(function, file)
    told, places = error_line(caught.value), [say(place) for place in caught.value.looked]
    for place in places:
        assert f"\n  {place}\n" in told
    assert english_in(error_line(caught.value, "zh")) == []
    return places, told.rpartition("\n")[2]


def test_the_path_as_it_stands(world: World) -> None:
    file = world.put("src/app/main.go", "package main\r\n\r\nfunc main() {}")
    found = world.finder().find("main.main", str(file))
    assert found.path == str(file)
    assert found.lines == ("package main", "", "func main() {}")
    assert (found.how, found.note) == ("as the profile names it", "")


@pytest.mark.parametrize(
    "name",
    [
        IN_MODULE,  # -trimpath
        "/home/ci/go/pkg/mod/" + IN_MODULE,
        "/cache/.gomod/" + IN_MODULE,
        "C:\\Users\\ci\\go\\pkg\\mod\\" + IN_MODULE.replace("/", "\\"),
        "d:/gopath/pkg/mod/" + IN_MODULE,
    ],
)
def test_module_cache_for_names_of_any_machine(world: World, name: str) -> None:
    file = world.put(world.mod / IN_MODULE)
    found = world.finder().find(REFLECTOR, name)
    assert (found.path, found.how) == (str(file), "module cache")


@pytest.mark.parametrize(
    "setting", [{"GOMODCACHE": "cache"}, {"GOPATH": "other:gopath"}, {"GOENV": "goenv"}, {}], ids=str
)
def test_where_the_module_cache_is(world: World, setting: dict[str, str]) -> None:
    places = {"GOMODCACHE": "cache", "GOPATH": "gopath/pkg/mod", "GOENV": "written", "": "given"}
    file = world.put(f"{places[next(iter(setting), '')]}/{IN_MODULE}")
    world.put("goenv", f"GOPROXY=off\nGOMODCACHE={world.root}/written\n")
    world.env |= {
        name: os.pathsep.join(str(world.root / v) for v in value.split(":")) for name, value in setting.items()
    }
    given = None if setting else str(world.root / "given")
    assert SourceFinder(gomodcache=given, env=world.env).find(REFLECTOR, IN_MODULE).path == str(file)


@pytest.mark.parametrize(
    "name",
    [
        "github.com/Azure/go-autorest@v14.2.0-RC1/autorest/client.go",
        "/home/ci/go/pkg/mod/github.com/!azure/go-autorest@v14.2.0-!r!c1/autorest/client.go",
    ],
)
def test_upper_case_modules_are_escaped_in_the_cache(world: World, name: str) -> None:
    function = "github.com/Azure/go-autorest/autorest.Client.Do"
    places, advice = looked(world.finder(), function, name)
    escaped = world.mod / "github.com/!azure/go-autorest@v14.2.0-!r!c1/autorest/client.go"
    assert str(escaped) in places[:2]
    assert advice.startswith("Next: go mod download github.com/Azure/go-autorest@v14.2.0-RC1, or -source_path DIR")
    world.put(escaped, "package autorest\n")
    assert world.finder().find(function, name).path == str(escaped)


def test_a_cache_that_does_not_escape(world: World) -> None:
    file = world.put(world.root / "mirror/github.com/Azure/x@v1.0.0/x.go")
    found = world.finder(world.root / "mirror").find("github.com/Azure/x.F", "github.com/Azure/x@v1.0.0/x.go")
    assert found.path == str(file)


def test_everywhere_a_missing_module_was_looked_for(world: World) -> None:
    world.put("work/go.mod", "module example.com/app\n\nrequire k8s.io/client-go v0.29.0\n")
    places, _ = looked(world.finder(), REFLECTOR, f"/home/ci/go/pkg/mod/{IN_MODULE}")
    cwd = world.cwd
    tail = "tools/cache/reflector.go"
    assert places == [
        f"/home/ci/go/pkg/mod/{IN_MODULE}",
        f"{world.mod}/{IN_MODULE}",
        f"{world.mod}/k8s.io/client-go@v0.29.0/{tail}",
        f"{cwd}/vendor/k8s.io/client-go/{tail}",
        f"{cwd}/Godeps/_workspace/src/k8s.io/client-go/{tail}",
        f"{world.home}/go/src/k8s.io/client-go/{tail}",
        f"{cwd}/home/ci/go/pkg/mod/{IN_MODULE}",
        f"{cwd}/ci/go/pkg/mod/{IN_MODULE}",
        f"{cwd}/go/pkg/mod/{IN_MODULE}",
        f"{cwd}/pkg/mod/{IN_MODULE}",
        f"{cwd}/mod/{IN_MODULE}",
        f"{cwd}/{IN_MODULE}",
        f"{cwd}/client-go@v0.18.8/{tail}",
        f"{cwd}/{tail}",
        f"{cwd}/cache/reflector.go",
        f"{cwd}/reflector.go",
    ]


def test_another_version_is_shown_with_a_note(world: World) -> None:
    world.put("work/go.mod", "module example.com/app\n\nrequire k8s.io/client-go v0.29.0\n")
    file = world.put(world.mod / "k8s.io/client-go@v0.29.0/tools/cache/reflector.go")
    found = world.finder().find(REFLECTOR, IN_MODULE)
    assert found.path == str(file)
    assert found.note == "this file is of v0.29.0, the profile names v0.18.8"


@pytest.mark.parametrize("folder", ["vendor", "Godeps/_workspace/src"])
@pytest.mark.parametrize(
    "name",
    [
        IN_MODULE,
        "/go/src/k8s.io/kubernetes/vendor/k8s.io/client-go/tools/cache/reflector.go",
        "/build/Godeps/_workspace/src/k8s.io/client-go/tools/cache/reflector.go",
        "external/io_k8s_client_go/tools/cache/reflector.go",  # Bazel: only the function says the import path
    ],
)
def test_vendored(world: World, folder: str, name: str) -> None:
    file = world.put(f"checkout/{folder}/k8s.io/client-go/tools/cache/reflector.go")
    assert world.finder(world.root / "checkout").find(REFLECTOR, name).path == str(file)


def test_everywhere_a_vendored_file_was_looked_for(world: World) -> None:
    tail = "github.com/x/y/z.go"
    places, advice = looked(world.finder(world.root / "none"), "github.com/x/y.F", f"/drone/src/vendor/{tail}")
    root = world.root / "none"
    assert places == [
        f"/drone/src/vendor/{tail}",
        f"{root}/vendor/{tail}",
        f"{root}/Godeps/_workspace/src/{tail}",
        f"{world.home}/go/src/{tail}",
        f"{root}/drone/src/vendor/{tail}",
        f"{root}/src/vendor/{tail}",
        f"{root}/{tail}",
        f"{root}/x/y/z.go",
        f"{root}/y/z.go",
        f"{root}/z.go",
    ]
    assert advice.startswith("Next: -source_path DIR, a checkout of the program: its vendor folder")


def test_vendored_without_the_folder_is_the_module_that_go_mod_requires(world: World) -> None:
    world.put("checkout/go.mod", "module example.com/app\n\nrequire (\n\tk8s.io/client-go v0.18.8 // indirect\n)\n")
    file = world.put(world.mod / IN_MODULE)
    found = world.finder(world.root / "checkout").find(REFLECTOR, "/b/vendor/k8s.io/client-go/tools/cache/reflector.go")
    assert (found.path, found.how, found.note) == (str(file), "module cache, as go.mod says", "")


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("./staging/src/k8s.io/client-go", "checkout/staging/src/k8s.io/client-go/tools/cache/reflector.go"),
        (
            "github.com/Fork/client-go v1.2.3",
            "home/go/pkg/mod/github.com/!fork/client-go@v1.2.3/tools/cache/reflector.go",
        ),
    ],
)
def test_replaced_modules(world: World, target: str, place: str) -> None:
    world.put("checkout/go.mod", f"module example.com/app\n\nreplace k8s.io/client-go => {target}\n")
    file = world.put(place)
    finder = world.finder(world.root / "checkout")
    assert finder.find(REFLECTOR, IN_MODULE).path == str(file)  # -trimpath keeps the replaced module's name
    assert finder.find(REFLECTOR, "/b/vendor/k8s.io/client-go/tools/cache/reflector.go").path == str(file)


def test_workspaces_lead_to_their_modules(world: World) -> None:
    world.put("checkout/go.work", "go 1.22\n\nuse (\n\t.\n\t./staging/client-go\n)\n")
    world.put("checkout/go.mod", "module k8s.io/kubernetes\n")
    world.put("checkout/staging/client-go/go.mod", "module k8s.io/client-go\n")
    file = world.put("checkout/staging/client-go/tools/cache/reflector.go")
    finder = world.finder(world.root / "checkout" / "cmd")
    assert finder.find(REFLECTOR, "k8s.io/client-go/tools/cache/reflector.go").path == str(file)
    assert {module.path for module in modules_at(world.root / "checkout")} == {"k8s.io/kubernetes", "k8s.io/client-go"}


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("example.com/app/db.(*Pool).Get", "example.com/app/db/pool.go"),  # -trimpath
        ("example.com/app/db.(*Pool).Get", "/home/ci/build/1234/db/pool.go"),
        ("example.com/app/db.(*Pool).Get.func1", "C:\\jenkins\\app\\db\\pool.go"),
        ("example.com/app/db_test.(*Pool).Get", "example.com/app/db/pool.go"),
        ("main.(*Pool).Get", "/x/y/db/pool.go"),
    ],
)
def test_the_main_module_by_its_go_mod(world: World, function: str, name: str) -> None:
    world.put("work/go.mod", "module example.com/app // the service\n\ngo 1.22\n")
    file = world.put("work/db/pool.go", "package db\n\nfunc (p *Pool) Get() {}\n")
    (world.cwd / "cmd").mkdir()
    os.chdir(world.cwd / "cmd")  # the module is found from below its root
    assert world.finder().find(function, name).path == str(file)


def test_the_end_of_the_path_longest_first_and_only_if_the_function_is_there(world: World) -> None:
    root = world.root / "checkout"
    world.put("checkout/main.go", "package main\n\nfunc other() {}\n")
    function, name = "main.main", "/home/ci/app/cmd/server/main.go"
    places, advice = looked(world.finder(root), function, name)
    assert places == [
        name,
        *(f"{root}/{end}" for end in ("home/ci/app/cmd/server/main.go", "ci/app/cmd/server/main.go")),
        *(f"{root}/{end}" for end in ("app/cmd/server/main.go", "cmd/server/main.go", "server/main.go")),
        f"{root}/main.go (does not declare main.main)",
    ]
    assert advice == (
        "Next: -source_path DIR, a checkout of the program that holds server/main.go "
        "(-trim_path /home/ci/app/cmd makes that DIR/server/main.go)"
    )
    file = world.put("checkout/cmd/server/main.go", "package main\n\nfunc main() {}\n")
    world.put("checkout/server/main.go", "package main\n\nfunc main() {}\n")
    assert world.finder(root).find(function, name).path == str(file)


def test_major_version_elements_are_not_directories(world: World) -> None:
    file = world.put("etcd/server/embed/serve.go", "package embed\n\nfunc (s *serveCtx) serve() {}\n")
    name = "go.etcd.io/etcd/server/v3/embed/serve.go"
    found = world.finder(world.root / "etcd").find("go.etcd.io/etcd/server/v3/embed.(*serveCtx).serve", name)
    assert found.path == str(file)


def install(world: World, place: str, version: str, file: str = "runtime/proc.go") -> Path:
    world.put(f"{place}/VERSION", f"{version}\ntime 2024-01-01T00:00:00Z\n")
    return world.put(f"{place}/src/{file}", "package runtime\n\nfunc gopark() {}\n")


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("runtime/proc.go", "go1.21.3"),  # -trimpath
        ("/nix/store/abc-go/share/go/src/runtime/proc.go", "go1.21.3"),
        ("/usr/local/Cellar/go/1.21.3/libexec/src/runtime/proc.go", None),
        ("/home/ci/sdk/go1.21.3/src/runtime/proc.go", "go1.19"),
        ("C:\\Program Files\\Go\\src\\runtime\\proc.go", "go1.21.3"),
        ("/m/golang.org/toolchain@v0.0.1-go1.21.3.darwin-arm64/src/runtime/proc.go", None),
    ],
)
def test_goroot_of_the_profiles_own_version_first(world: World, name: str, version: str | None) -> None:
    install(world, "usr-local/go", "go1.26.8")
    install(world, "home/sdk/go1.21.9", "go1.21.9")
    toolchain = "home/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.21.3.linux-amd64"
    file = install(world, toolchain, "go1.21.3")
    found = world.finder(go_version=version).find("runtime.gopark", name)
    assert (found.path, found.how, found.note) == (str(file), "GOROOT, go1.21.3", "")


def test_another_go_is_shown_with_a_note(world: World) -> None:
    newest = install(world, "usr-local/go", "go1.26.8")
    near = install(world, "home/sdk/go1.21.9", "go1.21.9")
    found = world.finder(go_version="go1.21.3").find("runtime.gopark", "runtime/proc.go")
    assert found.path == str(near)
    assert found.note == "this file is go1.21.9's, the profile comes from go1.21.3"
    assert world.finder(go_version="go1.13.5").find("runtime.gopark", "runtime/proc.go").note
    assert world.finder(go_version="go1.22+").find("runtime.gopark", "runtime/proc.go").path == str(newest)
    assert not world.finder(go_version="go1.21").find("runtime.gopark", "runtime/proc.go").note
    assert not world.finder().find("runtime.gopark", "runtime/proc.go").note


def test_the_same_path_with_another_go_in_it_is_not_taken_for_the_profiles(world: World) -> None:
    here = install(world, "usr-local/go", "go1.26.8")
    right = install(world, "home/sdk/go1.21.3", "go1.21.3")
    assert world.finder(go_version="go1.21.3").find("runtime.gopark", str(here)).path == str(right)
    assert world.finder(go_version="go1.26.8").find("runtime.gopark", str(here)).path == str(here)


@pytest.mark.parametrize("where", ["GOROOT", "PATH", "argument"])
def test_goroot_by_environment_command_or_argument(world: World, where: str) -> None:
    file = install(world, "elsewhere/go", "go1.22.1")
    root = world.root / "elsewhere/go"
    command = world.put("elsewhere/go/bin/go", "#!/bin/sh\n")
    command.chmod(0o755)
    (world.root / "bin").mkdir()
    (world.root / "bin/go").symlink_to(command)
    world.env |= {"GOROOT": str(root)} if where == "GOROOT" else {"PATH": str(world.root / "bin")}
    if where == "argument":
        world.env["PATH"] = ""
    finder = world.finder(goroot=str(root) if where == "argument" else None)
    assert finder.find("runtime.gopark", "runtime/proc.go").path == str(file)


def test_everywhere_a_standard_file_was_looked_for(world: World) -> None:
    install(world, "usr-local/go", "go1.26.8", "fmt/print.go")
    install(world, "home/sdk/go1.21.9", "go1.21.9", "fmt/print.go")
    name = "/opt/none/go1.21.3/src/net/http/server.go"
    places, advice = looked(world.finder(), "net/http.(*conn).serve", name)
    assert places == [
        name,
        f"{world.home}/sdk/go1.21.9/src/net/http/server.go",
        f"{world.root}/usr-local/go/src/net/http/server.go",
    ]
    assert advice.startswith("Next: install that Go (go install golang.org/dl/go1.21.3@latest && go1.21.3 download)")


def test_linknamed_functions_lie_where_their_file_says(world: World) -> None:
    file = install(world, "usr-local/go", "go1.26.8", "runtime/malloc.go")
    finder = world.finder()
    assert finder.find("reflect.unsafe_NewArray", "runtime/malloc.go").path == str(file)
    assert finder.find("reflect.unsafe_NewArray", "/go/src/runtime/malloc.go").path == str(file)


def test_a_package_that_only_sounds_standard_is_the_users(world: World) -> None:
    install(world, "usr-local/go", "go1.26.8", "errors/errors.go")
    own = world.put("work/errors/errors.go", "package errors\n\nfunc Wrap() {}\n")
    world.put("work/go.mod", "module example.com/app\n")
    assert world.finder().find("example.com/app/errors.Wrap", "example.com/app/errors/errors.go").path == str(own)
    assert "usr-local" in world.finder().find("errors.New", "errors/errors.go").path


def test_gopath(world: World) -> None:
    file = world.put("home/go/src/github.com/x/y/z.go")
    assert world.finder().find("github.com/x/y.F", "/go/src/github.com/x/y/z.go").path == str(file)


def test_source_path_is_searched_upwards_as_pprof_does(world: World) -> None:
    file = world.put("checkout/lib/a.c", "int a;\n")
    finder = world.finder(world.root / "checkout/deep/down")
    assert finder.find("a", "lib/a.c").path == str(file)
    places, _ = looked(finder, "b", "lib/b.c")
    assert places[: len(world.upwards(world.root / "checkout/deep/down", ""))] == world.upwards(
        world.root / "checkout/deep/down", "lib/b.c"
    )


def test_source_path_guesses_the_prefix_and_trim_path_says_it(world: World) -> None:
    file = world.put("checkout/app/db/pool.c", "int a;\n")
    world.put("other/db/pool.c", "int b;\n")
    finder = world.finder(world.root / "other", world.root / "checkout/app")
    assert finder.find("f", "/remote/app/db/pool.c").path == str(world.root / "other/db/pool.c")
    assert world.finder(world.root / "checkout/app").find("f", "/remote/app/db/pool.c").path == str(file)
    prefixes = SourceFinder([str(world.root / "other")], ["/nowhere", "/ci/build/"], env=world.env)
    assert prefixes.find("f", "/ci/build/db/pool.c").lines == ("int b;",)


@pytest.mark.parametrize(
    ("path", "trim", "source", "short"),
    [
        ("/some/remote/path/my-project/foo/bar.c", (), ("/my/local/path/my-project",), "foo/bar.c"),
        ("/some/remote/path/my-project/foo/bar.c", ("/some/remote",), ("/x/my-project",), "path/my-project/foo/bar.c"),
        ("/proc/self/cwd/./a/b.cc", (), (), "a/b.cc"),
        ("/proc/self/cwd/a/b.cc", ("/x",), (), "a/b.cc"),
        ("/a/b.cc", ("/a/b",), (), "/a/b.cc"),
    ],
)
def test_trimmed_as_pprof_trims(path: str, trim: tuple[str, ...], source: tuple[str, ...], short: str) -> None:
    assert trimmed(path, trim, source) == short


def test_a_mounted_windows_drive_is_tried(world: World) -> None:
    places, advice = looked(world.finder(world.root / "none"), "main.main", "D:\\app\\cmd\\main.go")
    root = world.root / "none"
    assert places == [
        "/mnt/d/app/cmd/main.go",
        f"{root}/app/cmd/main.go",
        f"{root}/cmd/main.go",
        f"{root}/main.go",
    ]
    assert "-trim_path D:/app" in advice


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("", "names no source file"),
        ("<autogenerated>", "has no source"),
        ("_cgo_gotypes.go", "removed by the go command"),
        ("_testmain.go", "removed by the go command"),
        ("/etc/shadow", "not the name of a source file"),
        ("/etc/ssl/private.key", "not the name of a source file"),
        ("/x/a\0.go", "not the name of a source file"),
        ("/" + "x" * 5000 + ".go", "not the name of a source file"),
    ],
)
def test_names_that_are_not_looked_for(world: World, file: str, why: str) -> None:
    with pytest.raises(SourceNotFound) as caught:
        world.finder().find("main.main", file)
    assert why in error_line(caught.value)
    assert caught.value.looked == ()


def test_evidence_opens_nothing_but_regular_source_files(world: World) -> None:
    secret = world.put("secret", "root:x")
    link = world.root / "link.go"
    link.symlink_to(secret)
    os.mkfifo(world.root / "pipe.go")
    assert stat.S_ISFIFO((world.root / "pipe.go").stat().st_mode)
    (world.root / "folder.go").mkdir()
    with (world.root / "huge.go").open("wb") as file:
        file.truncate(11 << 20)
    for name, why in {
        "link.go": "a link to something that is not source",
        "pipe.go": "not a regular file",
        "folder.go": "not a regular file",
        "huge.go": "larger than 10 MB",
    }.items():
        places, _ = looked(world.finder(), "main.main", str(world.root / name))
        assert places[0] == f"{world.root / name} ({why})"


def test_names_never_lead_out_of_a_source_path(world: World) -> None:
    world.put("outside.go", "package main\n\nfunc main() {}\n")
    for name in ("../outside.go", "a/../../outside.go", "x@v1.0.0/../../../outside.go"):
        for place in looked(world.finder(world.cwd / "a"), "main.main", name)[0]:
            assert ".." not in place
            assert Path(place).is_relative_to(world.cwd / "a")
    # //server/share makes Windows ask that server for it.
    assert not [p for p in looked(world.finder(), "main.main", "//server/share/x.go")[0] if p.startswith("//")]


def test_the_number_of_tries_is_bounded(world: World) -> None:
    name = "/".join(["v2/a.b"] * 400) + "/x.go"
    places, _ = looked(world.finder(*(world.root / str(i) for i in range(40))), "a.b/c.F", name)
    assert len(places) == 400


def test_unreadable_and_undecodable_files(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    file = world.root / "latin.go"
    file.write_bytes(b"package x // caf\xe9\n\xff")
    assert world.finder().find("main.f", str(file)).lines == ("package x // caf�", "�")

    def denied(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert looked(world.finder(), "main.f", str(file))[0][0] == f"{file} (Permission denied)"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("go1.21.3", GoVersion(21, 3)),
        ("go1.21rc2", GoVersion(21)),
        ("go1.21+", GoVersion(21, None, True)),
        ("/usr/lib/go-1.13", GoVersion(13)),
        ("/usr/local/Cellar/go/1.15.6/libexec", GoVersion(15, 6)),
        ("/home/abg/.gimme/versions/go1.20.10.linux.amd64", GoVersion(20, 10)),
        ("/snap/go/5759", None),
        ("/home/ci/argo-1.21", None),
        (None, None),
    ],
)
def test_go_versions_in_texts(text: str | None, version: GoVersion | None) -> None:
    assert GoVersion.of(text) == version


@pytest.mark.parametrize(
    "content", ["", "module\n", "(\n)\nrequire (\n", "module a\nreplace =>\nrequire x\n", "\0\xff"]
)
def test_broken_go_mods_say_what_they_can(world: World, content: str) -> None:
    world.put("work/go.mod", content)
    assert [module.path for module in modules_at(world.cwd)] == (["a"] if content.startswith("module a") else [])


NAMES = (
    "",
    "/",
    "//",
    "x.go",
    "@v1/x",
    "a@v1",
    "/src/",
    "vendor/",
    "C:\\",
    "\\\\host\\x.go",
    "é/ü.go",
    "..",
    "../x.go",
)
PIECES = (
    "a",
    "src",
    "vendor",
    "pkg",
    "mod",
    "v2",
    "..",
    "runtime",
    "k8s.io",
    "x@v1.0.0",
    "C:",
    "",
    "\0",
    "x.go",
    "y.c",
)

NOWHERE = SourceFinder(["/nowhere/checkout"], env={"HOME": "/nowhere/home", "PATH": ""})


@given(
    function=st.one_of(st.text(max_size=30), st.sampled_from(("runtime.main", "main.main", "a.b/c.(*T).F.func1", ""))),
    file=st.one_of(
        st.text(max_size=60),
        st.sampled_from(NAMES),
        st.lists(st.sampled_from(PIECES), max_size=12).map("/".join),
        st.lists(st.sampled_from(PIECES), max_size=12).map("\\".join),
    ),
)
def test_no_name_breaks_the_search_or_leads_it_astray(function: str, file: str) -> None:
    try:
        places: tuple[str, ...] = (NOWHERE.find(function, file).path,)
    except SourceNotFound as error:
        places = tuple(say(place) for place in error.looked)
    for place in places:
        assert "/../" not in place
        named = re.sub(r" \([^()]*\)$", "", place)  # what was found there follows; a name may have such a bracket, too
        assert Path(named).suffix.lower() in EXTENSIONS
