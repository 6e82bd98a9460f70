"""Memory that no container keeps: values that refer to the one before, and calls deferred in a loop."""

import pytest
from msgspec.structs import replace

from go_scenes import explained, go, scene
from oakum.explain.memory.chains import reason
from oakum.explain.reason import Reason, StackInSource
from oakum.model import Trace


def found(source: str) -> Reason | None:
    given = scene(source, "", (), ("growing-container",))
    suspect = replace(given.suspect, path=given.trace.frames[::-1], traces=())
    return reason(StackInSource.of(suspect, given.program, Trace(())))


CHAINED = {
    "a context in a loop": """
        type message struct{ payload []byte }
        type consumer struct{ in chan message }
        func (c *consumer) handle() {
            c.in <- message{make([]byte, 100)} // WAIT
        }
        func (c *consumer) run(ctx context.Context) {
            for m := range c.in {
                ctx = context.WithValue(ctx, "message", m) //! chained
                work(ctx)
            }
        }
        """,
    "the state before": """
        type state struct{ cells []int; before *state }
        type board struct{ now *state }
        func (b *board) move() {
            next := &state{
                cells: make([]int, 100), // WAIT
                before: b.now, //! chained
            }
            b.now = next //! stored
        }
        """,
    "the state before, by an atomic pointer": """
        type state struct{ cells []int; before *state }
        type board struct{ now atomic.Pointer[state] }
        func (b *board) move() {
            old := b.now.Load()
            next := &state{
                cells: make([]int, 100), // WAIT
                before: old, //! chained
            }
            b.show(next)
        }
        func (b *board) show(s *state) {
            b.now.Store(s) //! stored
        }
        """,
    "the state before, at once": """
        type state struct{ cells []int; before *state }
        var now *state
        func move() {
            now = &state{cells: make([]int, 100), before: now} // WAIT //! chained, stored
        }
        """,
}

DEFERRED = {
    "for every job": """
        func (w *worker) run(in chan job) {
            for j := range in { //! loop
                out := make([]byte, 100) // WAIT
                defer func() { flush(out) }() //! deferred
                render(out, j)
            }
        }
        """,
    "for ever": """
        func serve() {
            for { //! loop
                c := dial() // UP 1
                defer c.Close() //! deferred
            }
        }
        func dial() *conn {
            return &conn{make([]byte, 100)} // WAIT
        }
        """,
}

NONE = {
    "a context of each turn": """
        func run(ctx context.Context, in chan message) {
            for m := range in {
                ctx := context.WithValue(ctx, "message", make([]byte, 100)) // WAIT
                work(ctx, m)
            }
        }
        """,
    "a context of the call": """
        func handle(ctx context.Context) {
            ctx = context.WithValue(ctx, "message", make([]byte, 100)) // WAIT
            work(ctx)
        }
        """,
    "a chain that is cut": """
        type state struct{ cells []int; before *state }
        type board struct{ now *state }
        func (b *board) move() {
            b.now = &state{cells: make([]int, 100), before: b.now} // WAIT
            b.now.before.before = nil
        }
        """,
    "another one": """
        type state struct{ cells []int; from *state }
        type board struct{ now, base *state }
        func (b *board) move() {
            b.now = &state{cells: make([]int, 100), from: b.base} // WAIT
        }
        """,
    "a loop that ends": """
        func all(names []string) {
            for _, name := range names {
                f := make([]byte, 100) // WAIT
                defer flush(f, name)
            }
        }
        """,
    "a function of each turn": """
        func run(in chan job) {
            for j := range in {
                func() {
                    out := make([]byte, 100) // WAIT
                    defer flush(out, j)
                }()
            }
        }
        """,
}


@pytest.mark.parametrize("name", CHAINED)
def test_each_keeps_the_one_before(name: str) -> None:
    source = go(CHAINED[name], "context")
    explained(found(source), source, "growing-container")


@pytest.mark.parametrize("name", DEFERRED)
def test_calls_that_wait_for_the_end_of_a_loop(name: str) -> None:
    source = go(DEFERRED[name])
    explained(found(source), source, "held-by-goroutine")


@pytest.mark.parametrize("name", NONE)
def test_what_ties_nothing(name: str) -> None:
    assert found(go(NONE[name], "context")) is None
