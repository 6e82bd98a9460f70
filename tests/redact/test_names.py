"""Names of Go: what stays, what becomes a token, and that the shape of a name survives it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.model import Frame, normal_function
from oakum.redact.names import Names
from oakum.redact.public import Public
from oakum.redact.tokens import Tokens

NAMES = Names(Tokens(b"key"), Public())
T = "[xX][a-z2-7]{10}"


@pytest.mark.parametrize(
    "name",
    [
        "main.main",
        "net/http.(*conn).serve",
        "runtime/internal/atomic.(*Uint32).Load",
        "internal/poll.runtime_pollWait",
        "vendor/golang.org/x/net/http2/hpack.(*Decoder).Write",
        "k8s.io/kubernetes/vendor/k8s.io/client-go/tools/cache.(*Reflector).Run",
        "gopkg.in/yaml%2ev2.(*decoder).scalar",
        "github.com/docker/docker/daemon.(*Daemon).(github.com/docker/docker/daemon.transformContainer)-fm",
        "google.golang.org/grpc/internal/transport.(*http2Client).reader",
        "main.init.0.func1",
        "main.glob..func1",
        "main.(*x)"[:5] + "ServeHTTP",
        "panic",
        "0x47d86a",
    ],
)
def test_what_is_public_stays(name: str) -> None:
    assert NAMES.function(name) == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("main.(*Orders).bill.func1", rf"main\.\(\*{T}\)\.{T}\.func1"),
        ("main.checkout", rf"main\.{T}"),
        ("shop/db.(*Pool).Lend", rf"{T}/{T}\.\(\*{T}\)\.{T}"),
        ("git.corp.example/pay/v2/internal/ledger.Post", rf"{T}\.invalid/{T}/v2/internal/{T}\.{T}"),
        ("github.com/acme/shop/cmd/orders.run", rf"github\.com/{T}/{T}/cmd/{T}\.run"),
        ("example.com/shop.v3.Sell", rf"{T}\.invalid/{T}\.{T}\.{T}"),
        ("example.com/shop%2ev3.Sell", rf"{T}\.invalid/{T}%2ev3\.{T}"),
        ("main.(*Cart[go.shape.*example.com/shop.Item]).Add-fm", rf"main\.\(\*{T}\[{T}\]\)\.{T}-fm"),
        ("main.(*Cart[...]).Add", rf"main\.\(\*{T}\[\.\.\.\]\)\.{T}"),
        (
            "sync/atomic.(*Pointer[go.shape.struct { main.secret int }]).Load",
            rf"sync/atomic\.\(\*Pointer\[{T}\]\)\.Load",
        ),
        ("example.com/shop/vendor/k8s.io/client-go/rest.Get", rf"{T}\.invalid/{T}/vendor/k8s\.io/client-go/rest\.Get"),
        ("main.(*Orders).(github.com/acme/shop.bill)-fm", rf"main\.\(\*{T}\)\.\(github\.com/{T}/{T}\.{T}\)-fm"),
        ("main.Run-range1", r"main\.Run-range1"),
        ("type:.eq.main.Order", rf"type:\.eq\.{T}"),
        ("rocksdb::DB::Open(int)", T),
        ("order_loop", T),
    ],
)
def test_what_is_private_becomes_a_token_of_the_same_shape(name: str, told: str) -> None:
    assert re.fullmatch(told, NAMES.function(name)), NAMES.function(name)
    before, after = Frame(name), Frame(NAMES.function(name))
    assert before.owner == after.owner
    assert bool(before.receiver) == bool(after.receiver)
    assert normal_function(name).endswith(".func") == normal_function(after.function).endswith(".func")


def test_a_package_beside_those_of_the_standard_library() -> None:
    assert re.fullmatch(rf"{T}/{T}\.{T}", NAMES.function("log/orders.Sink"))


@pytest.mark.parametrize(
    "name", ["drainShipments", "GetOrder", "gracefulStop", "tryCloseTill", "Subscribe", "OnChange", "wait"]
)
def test_what_a_name_does_can_still_be_read(name: str) -> None:
    """Detection knows calls that take the next thing, and those that stop their object, by how they begin."""
    told = NAMES.function(f"main.{name}").removeprefix("main.")
    verb = re.match(r"drain|Get|graceful|try|Subscribe|OnChange|wait", name)
    assert verb
    assert told.startswith(verb[0])
    assert "Ship" not in told
    assert "Order" not in told


def test_a_fork_keeps_what_upstream_calls_it() -> None:
    told = NAMES.function("git.corp.example/fork/apimachinery/pkg/watch.(*StreamWatcher).receive")
    assert told.endswith("pkg/watch.(*StreamWatcher).receive")
    assert "corp" not in told


@pytest.mark.parametrize(
    ("path", "function", "told"),
    [
        ("/usr/local/go/src/net/http/server.go", "net/http.(*conn).serve", r"/usr/local/go/src/net/http/server\.go"),
        ("/usr/local/Cellar/go/1.15.6/libexec/src/net/net.go", "net.Dial", r"/usr/local/Cellar/go/1\.15\.6/libexec/src/net/net\.go"),
        ("net/http/server.go", "net/http.Serve", r"net/http/server\.go"),
        ("/home/ann/go/pkg/mod/k8s.io/api@v0.18.8/core/v1/types.go", "k8s.io/api/core/v1.F", rf"/home/{T}/go/pkg/mod/k8s\.io/api@v0\.18\.8/core/v1/types\.go"),
        ("example.com/shop@v1.2.3/till/cash_test.go", "example.com/shop/till.F", rf"{T}\.invalid/{T}@v1\.2\.3/{T}/{T}_test\.go"),
        ("/srv/shop/main.go", "main.main", rf"/srv/{T}/main\.go"),
        ("/srv/shop/vendor/k8s.io/api/core/v1/types.go", "example.com/shop/vendor/k8s.io/api/core/v1.F", rf"/srv/{T}/vendor/k8s\.io/api/core/v1/types\.go"),
        ("corp.example/client-go@v1.0.0/rest/request.go", "k8s.io/client-go/rest.F", rf"{T}\.invalid/client-go@v1\.0\.0/rest/request\.go"),
        ("C:/Users/ann/shop/till.go", "main.f", rf"C:/{T}/{T}/{T}/{T}\.go"),
        ("sync/oncefunc.go", "main.run.OnceFunc.func2", r"sync/oncefunc\.go"),
        ("<autogenerated>", "main.f", "<autogenerated>"),
    ],
)  # fmt: skip
def test_files(path: str, function: str, told: str) -> None:
    found = NAMES.file(path, function)
    assert re.fullmatch(told, found), found
    before, after = Frame(function, path), Frame(NAMES.function(function), found)
    assert before.owner == after.owner
    assert (before.module is None) == (after.module is None)


def test_package_and_file_get_the_same_tokens() -> None:
    package = NAMES.function("example.com/shop/till.Open").rpartition(".")[0]
    assert NAMES.file("example.com/shop/till/cash.go", "example.com/shop/till.Open").startswith(f"{package}/")
    assert NAMES.module("example.com/shop") in package


def test_what_the_user_keeps_stays() -> None:
    mine = Names(Tokens(b"key"), Public(("github.com/acme/*", "Checkout")))
    assert mine.function("github.com/acme/shop/till.(*Desk).Open") == "github.com/acme/shop/till.(*Desk).Open"
    assert mine.function("main.Checkout") == "main.Checkout"
    assert mine.function("github.com/other/shop.F") != "github.com/other/shop.F"


def test_tokens_are_of_their_key_alone() -> None:
    assert Tokens(b"a").word("orders") == Tokens(b"a").word("orders")
    assert Tokens(b"a").word("orders") != Tokens(b"b").word("orders")
    assert Tokens().word("orders") != Tokens().word("orders")
    assert "a" * 64 not in repr(Tokens(b"a" * 64))


def test_addresses_move_together() -> None:
    tokens = Tokens(b"key")

    def moved(word: int) -> int:
        return int(tokens.address(word), 16)

    assert moved(0xC000123450) - moved(0xC000123400) == 0x50
    assert moved(0xC000123450) != 0xC000123450
    assert moved(0xA3A998) - moved(0xA3A990) == 8
    assert moved(0xA3A990) >= 0x10000
    assert [tokens.address(word) for word in (0, 3, 0xFFFF, 1 << 48, (1 << 64) - 1)] == ["0x0", "_", "_", "_", "_"]


@pytest.mark.parametrize(
    ("host", "told"),
    [("10.2.3.4", r"10(\.\d{1,3}){3}"), ("db.corp", rf"{T}\.invalid"), ("fd12::7", r"fd00::[0-9a-f:]+"), ("127.0.0.1", r"127\.0\.0\.1")],
)  # fmt: skip
def test_hosts(host: str, told: str) -> None:
    assert re.fullmatch(told, Tokens(b"key").host(host))


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_name_at_all(function: str, path: str) -> None:
    assert isinstance(NAMES.function(function), str)
    assert isinstance(NAMES.file(path, function), str)
