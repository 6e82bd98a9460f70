"""Names of functions and stacks: what is verbatim, what survives a rebuild."""

import pytest

from oakum.model import Frame, Stack, normal_function

MODCACHE = "/home/ci/go/pkg/mod/k8s.io/client-go@v0.18.8/tools/cache/reflector.go"


@pytest.mark.parametrize(
    ("function", "package", "receiver", "name"),
    [
        ("main.main", "main", "", "main"),
        ("net/http.(*conn).serve", "net/http", "*conn", "serve"),
        ("net/http.HandlerFunc.ServeHTTP", "net/http", "HandlerFunc", "ServeHTTP"),
        ("github.com/a/b.(*T[...]).M.func1.2", "github.com/a/b", "*T", "M.func1.2"),
        ("gopkg.in/yaml%2ev2.(*decoder).scalar", "gopkg.in/yaml.v2", "*decoder", "scalar"),
        ("main.Map[go.shape.int,github.com/a/b.T].func1", "main", "", "Map.func1"),
        ("main.init.0.func1", "main", "", "init.0.func1"),
        ("panic", "", "", "panic"),
    ],
)
def test_parts_of_a_function(function: str, package: str, receiver: str, name: str) -> None:
    frame = Frame(function)
    assert (frame.package, frame.receiver, frame.name) == (package, receiver, name)


@pytest.mark.parametrize(
    "spellings",
    [
        ("main.run.func1", "main.run.func2", "main.run.func1.1", "main.run.gowrap1", "main.run.func3.gowrap2"),
        ("main.Map[...]", "main.Map[go.shape.int]", "main.Map", "main.Map[go.shape.struct { A [4]int }]", "main.Map[a/b.T[map[[2]int]map[[3]int]string]]"),
        ("k8s.io/client-go/tools/cache.(*Reflector).Run", "k8s.io/kubernetes/vendor/k8s.io/client-go/tools/cache.(*Reflector).Run"),
        ("golang.org/x/net/context.Background", "github.com/coreos/etcd/Godeps/_workspace/src/golang.org/x/net/context.Background"),
        ("a/b.(*Server).Serve", "a/b.(*Server).Serve-fm", "a/b.(*Server).Serve·fm", "a/b.(*Server).(a/b.Serve)-fm"),
        ("main.func·001", "main.func·002"),
        ("main.glob..func5", "main.init.func1", "main.init.func2.1"),
        ("gopkg.in/yaml.v2.(*d).s", "gopkg.in/yaml%2ev2.(*d).s"),
        ("gopkg.in/yaml.v2.f.func", "gopkg.in/yaml%252ev2.f.func1"),  # Go 1.27
        ("main.(*T).Run", "main.(*T).Run-range1"),
    ],
)  # fmt: skip
def test_spellings_of_one_function_read_alike(spellings: tuple[str, ...]) -> None:
    assert len({normal_function(s) for s in spellings}) == 1, [normal_function(s) for s in spellings]


def test_different_functions_keep_different_names() -> None:
    names = ["main.run", "main.run.func1", "main.(*T).run", "main.T.run", "other.run", "main.stop.func1"]
    assert len({normal_function(name) for name in names}) == len(names)


def test_key_ignores_lines_and_files_but_not_functions() -> None:
    here = Stack((Frame("a.F.func1", "/x/a.go", 3), Frame("main.main", "/x/m.go", 9)))
    rebuilt = Stack((Frame("a.F.func2", "a@v1.2.3/a.go", 7), Frame("main.main", "m.go", 11)))
    other = Stack((Frame("a.G.func1", "/x/a.go", 3), Frame("main.main", "/x/m.go", 9)))
    assert here.key == rebuilt.key != other.key


@pytest.mark.parametrize(
    ("function", "file", "owner"),
    [
        ("runtime.gopark", "/usr/local/go/src/runtime/proc.go", "runtime"),
        ("internal/runtime/syscall.Syscall6", "", "runtime"),
        ("panic", "/usr/local/go/src/runtime/panic.go", "runtime"),
        ("net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", "stdlib"),
        ("net/http.(*conn).serve", "net/http/server.go", "stdlib"),
        ("internal/poll.runtime_pollWait", "", "stdlib"),
        ("internal/poll.runtime_pollWait", "/usr/local/go/src/runtime/netpoll.go", "stdlib"),
        ("time.Sleep", "runtime/time.go", "stdlib"),
        ("k8s.io/client-go/tools/cache.(*Reflector).Run", MODCACHE, "dependency"),
        ("k8s.io/client-go/tools/cache.(*Reflector).Run", "k8s.io/client-go@v0.18.8/tools/cache/reflector.go", "dependency"),
        ("k8s.io/kubernetes/vendor/k8s.io/client-go/rest.Do", "", "dependency"),
        ("main.main", "/src/app/main.go", "own"),
        ("app/db.Open", "/src/app/db/db.go", "own"),
        ("github.com/acme/app/db.Open", "/src/app/db/db.go", "own"),
        ("log.Printf", "/home/me/log/log.go", "stdlib"),
    ],
)  # fmt: skip
def test_whose_code(function: str, file: str, owner: str) -> None:
    assert Frame(function, file, 1).owner == owner


def test_module_and_version_come_from_the_path() -> None:
    assert Frame("f", MODCACHE, 1).module == ("k8s.io/client-go", "v0.18.8")
    assert Frame("f", "k8s.io/client-go@v0.18.8/tools/cache/reflector.go", 1).module == ("k8s.io/client-go", "v0.18.8")
    assert Frame("f", "/src/app/main.go", 1).module is None


def test_place_is_the_first_frame_that_is_not_waiting_machinery() -> None:
    stack = Stack(
        tuple(
            Frame(f)
            for f in ("internal/sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", "time.Sleep", "a/b.(*T).M", "main.main")
        )
    )
    assert stack.place == Frame("a/b.(*T).M")
    assert Stack(()).place is None
    assert Stack((Frame("runtime.gopark"),)).place == Frame("runtime.gopark")
