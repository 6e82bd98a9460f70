"""A stack is recognised under upstream's names, a vendored copy's, a fork's, and when its code was moved; not by chance."""

import pytest

from bench.catalogue import match
from oakum.knowledge.leaks import Leaks, leaks
from oakum.knowledge.signature import spellings
from oakum.model import Frame

ENTRY = """
id = "{id}"
mechanism = "abandoned-sender"
fault = "library"
reviewed = true
references = ["https://example.com/1"]

[en]
summary = "s"
trigger = "t."
cause = "c."
fix = "f."

[zh]
summary = "s"
trigger = "t"
cause = "c"
fix = "f"

[[affects]]
module = "{module}"
fixed = ["v1.1.0"]
leaks_at = "v1.0.0"

[[goroutine]]
states = ["chan send", "sync.Mutex.Lock"]
leaf = ["{module}/pkg/watch.(*Stream).receive"]
path = ["{module}/pkg/watch.(*Stream).loop", ["{module}/pkg/run.Serve.func", "{module}/pkg/run.ServeTLS.func"]]
created = ["{module}/pkg/run.Serve"]
without = ["{module}/pkg/watch.(*Stream).decode"]

[[heap]]
leaf = ["k8s.io/utils/buffer.NewRingGrowing"]
path = ["{module}/pkg/a.(*M).toRecord", "{module}/pkg/a.(*M).start", "{module}/pkg/b.(*C).setPeers"]
"""
ONE = Leaks({"acme-1": ENTRY.format(id="acme-1", module="github.com/acme/db")})
STACK = ("pkg/watch.(*Stream).receive", "pkg/watch.(*Stream).loop", "pkg/run.Serve.func1.2")
MADE = "pkg/run.Serve"


def level(module: str, stack: tuple[str, ...] = STACK, state: str | None = "chan send", made: str = MADE) -> str | None:
    """Return how a goroutine of a module under some path is recognised."""
    frames = [Frame(f"{module}/{name}") for name in stack]
    hits = ONE.waiting(frames, state, Frame(f"{module}/{made}") if made else None)
    return hits[0].level if hits else None


def test_names_that_drift() -> None:
    assert level("github.com/acme/db") == "exact"
    assert level("example.com/shop/vendor/github.com/acme/db") == "exact"
    tls = (*STACK[:2], "net/http.HandlerFunc.ServeHTTP", "pkg/run.ServeTLS.gowrap3")
    assert level("github.com/acme/db", tls) == "exact"
    assert level("github.com/acme/db", STACK, "semacquire") == "exact"  # Go before 1.20
    assert level("github.com/acme/db", ("pkg/watch.(*Stream[...]).receive", *STACK[1:])) == "exact"


def test_what_a_capture_does_not_say_is_no_contradiction() -> None:
    (hit,) = ONE.waiting([Frame(f"github.com/acme/db/{name}") for name in STACK], None, None)
    assert hit.level == "exact"
    assert hit.unsaid == ("state", "created")


@pytest.mark.parametrize(
    ("stack", "state", "made"),
    [
        (STACK, "select", MADE),  # it waits for something else
        (STACK, "chan send", "pkg/run.Elsewhere"),  # somebody else's goroutine
        (STACK[:2], "chan send", MADE),  # another way to the same place
        ((STACK[1], STACK[0], STACK[2]), "chan send", MADE),
        (("pkg/other.Write", *STACK), "chan send", MADE),  # the place is another
        ((*STACK, "pkg/watch.(*Stream).decode"), "chan send", MADE),  # at work
    ],
)
def test_neighbours(stack: tuple[str, ...], state: str, made: str) -> None:
    assert level("github.com/acme/db", stack, state, made) is None
    assert level("git.corp/db", stack, state, made) is None


def test_forks() -> None:
    assert level("git.corp/storage/acme-db") == "fork"
    frames = [Frame(f"git.corp/db/{STACK[0]}"), Frame(f"git.corp/other/{STACK[1]}"), Frame(f"git.corp/db/{STACK[2]}")]
    assert not ONE.waiting(frames, "chan send", None)  # of two modules: no fork of one


def test_own_code_is_no_fork_of_a_library() -> None:
    """A path like pkg/watch is everybody's: two functions that happen to have the same names are no fork."""
    text = ENTRY.format(id="acme-1", module="github.com/acme/db")
    few = Leaks({"acme-1": "\n".join(line for line in text.splitlines() if "pkg/run.Serve.func" not in line)})
    frames = [Frame("example.com/shop/pkg/watch.(*Stream).receive"), Frame("main.main")]
    assert not few.waiting(frames, "chan send", Frame("example.com/shop/pkg/run.Serve"))
    kept = [Frame("example.com/forks/db/pkg/watch.(*Stream).receive"), Frame("main.main")]
    assert few.waiting(kept, "chan send", Frame("example.com/forks/db/pkg/run.Serve"))


def test_closures_of_functions_that_were_inlined() -> None:
    """Go names them after the function that they ended up in; the file is still their own."""
    receive, loop, _ = (f"github.com/acme/db/{name}" for name in STACK)
    for name, file in (
        ("github.com/acme/db/pkg/run.Listen.Serve.func1.2", ""),
        ("main.main.Serve.func1.2", "/go/pkg/mod/github.com/acme/db@v1.0.0/pkg/run/serve.go"),
        ("main.main.Serve.func1.2", "/src/shop/vendor/github.com/acme/db/pkg/run/serve.go"),
    ):
        (hit,) = ONE.waiting([Frame(receive), Frame(loop), Frame(name, file)], "chan send", None)
        assert hit.level == "exact"
    assert not ONE.waiting(
        [Frame(receive), Frame(loop), Frame("main.main.Serve.func1.2", "main.go")], "chan send", None
    )
    assert spellings("a.F.func1") == ("a.F.func",)
    assert spellings("a/b.(*T).Run.func1") == ("a/b.(*T).Run.func",)
    assert spellings("a/b.main.(*T).Run.func1") == ("a/b.main.(*T).Run.func", "a/b.(*T).Run.func")


def test_code_that_was_moved() -> None:
    ring, record, start, peers = "k8s.io/utils/buffer.NewRingGrowing", "(*M).toRecord", "(*M).start", "(*C).setPeers"
    moved = [Frame(ring), Frame(f"main.{record}"), Frame(f"main.{start}"), Frame(f"main.{peers}")]
    assert [hit.level for hit in ONE.allocating(moved)] == ["moved"]
    assert not ONE.allocating(moved[:3])
    assert not ONE.allocating([Frame("main.NewRing"), *moved[1:]])  # the allocation has to be upstream's
    fork = [Frame(ring), *(Frame(f"git.corp/acp/pkg/{name}") for name in (f"a.{record}", f"a.{start}", f"b.{peers}"))]
    assert [hit.level for hit in ONE.allocating(fork)] == ["fork"]


def test_a_big_catalogue_against_many_stacks() -> None:
    """5,000 distinct stacks against 500 entries in at most half a second."""
    taken, recognised = min(match() for _ in range(2))
    assert recognised >= 95, "one stack in fifty is an entry's"
    assert taken <= 1.5, f"{taken:.2f} s"  # `python -m bench known-500` asks for 0.5; machines of CI are slower


def test_only_what_is_named_is_read() -> None:
    catalogue = Leaks({"acme-1": ENTRY.format(id="acme-1", module="github.com/acme/db"), "bad-1": "not = [toml"})
    assert catalogue.waiting([Frame(f"github.com/acme/db/{name}") for name in STACK], "chan send", None)


def test_catalogue_is_shipped() -> None:
    assert {"kubernetes-98653", "kubernetes-83333", "ttrpc-94", "rancher-30122", "kubernetes-110207"} <= {*leaks().ids}
    assert len(leaks().ids) >= 60
