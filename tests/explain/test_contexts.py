"""Why a wait outlives its context: the call that is deaf to it, who gave up, and what would have ended it."""

import pytest

from go_scenes import explained, go, scene
from oakum.explain.reason import Reason
from oakum.explain.waits.question import given_up, reason

COND = ("sync.runtime_notifyListWait", "sync.(*Cond).Wait")


QUEUE = """package queue

import "sync"

type Queue struct {
    mu sync.Mutex
    c sync.Cond
    items []int
    closed bool
}

func (q *Queue) Pop() (int, bool) {
    q.mu.Lock()
    defer q.mu.Unlock()
    for len(q.items) == 0 && !q.closed {
        q.c.Wait() // WAIT
    }
    if len(q.items) == 0 {
        return 0, false
    }
    n := q.items[0]
    q.items = q.items[1:]
    return n, true
}

func (q *Queue) Push(n int) {
    q.mu.Lock()
    q.items = append(q.items, n)
    q.mu.Unlock()
    q.c.Signal()
}

func (q *Queue) Close() {
    q.mu.Lock()
    q.closed = true
    q.mu.Unlock()
    q.c.Broadcast()
}
"""

DEAF = {
    "whoever asked has given up": """
        func next(ctx context.Context, q *queue.Queue) int {
            got := make(chan int, 1)
            go func() { // GO
                n, _ := q.Pop() // UP 1 //! never-interrupted
                got <- n
            }()
            select {
            case n := <-got:
                return n
            case <-ctx.Done():
                return 0 //! left
            }
        }
        """,
    "closed when it has returned": """
        type loop struct{ q *queue.Queue; cancel context.CancelFunc; ctx context.Context }
        func start(q *queue.Queue) *loop {
            l := &loop{q: q}
            l.ctx, l.cancel = context.WithCancel(context.Background())
            go l.run(l.ctx) // GO
            return l
        }
        func (l *loop) run(ctx context.Context) {
            l.work(ctx) // UP 2
            l.q.Close() //! never-closed
        }
        func (l *loop) work(ctx context.Context) {
            for ctx.Err() == nil {
                l.q.Pop() // UP 1 //! never-interrupted
            }
        }
        func (l *loop) Stop() {
            l.cancel()
        }
        """,
    "closed by somebody else": """
        type loop struct{ q *queue.Queue }
        func (l *loop) work(ctx context.Context) {
            go func() {
                <-ctx.Done()
                l.q.Close()
            }()
            for ctx.Err() == nil {
                l.q.Pop() // UP 1
            }
        }
        """,
    "no context near": """
        type loop struct{ q *queue.Queue }
        func (l *loop) work() {
            for {
                l.q.Pop() // UP 1
            }
        }
        """,
}


@pytest.mark.parametrize("name", DEAF)
def test_detached(name: str) -> None:
    source = {"main": go(DEAF[name], "context", "example.org/queue"), "example.org/queue": QUEUE}
    explained(reason(scene(source, "sync.Cond.Wait", COND, ("detached-wait",))), source, "detached-wait")


def test_a_listener_that_is_let_go_of_without_closing_it() -> None:
    source = go(
        """
        type transfer struct{ data net.Listener; zone *zone; name string }
        type zone struct{ all map[string]*transfer }
        func (z *zone) open(ctx context.Context, name string) {
            ln, _ := net.Listen("tcp", ":0")
            t := &transfer{data: ln, zone: z, name: name}
            z.all[name] = t
            go t.watch(ctx)
            go t.take(ctx) // GO
        }
        func (t *transfer) watch(ctx context.Context) {
            <-ctx.Done()
            delete(t.zone.all, t.name) //! never-closed
        }
        func (t *transfer) take(ctx context.Context) {
            conn, err := t.data.Accept() // WAIT //! never-interrupted
            defer t.data.Close()
        }
        """,
        "context",
        "net",
    )
    explained(reason(scene(source, "IO wait", (), ("detached-wait",))), source, "detached-wait")


LOOKUP = """
    func Lookup(parent context.Context) {
        ctx, _ := context.WithCancel(parent) //! never-cancelled
        find(ctx)
    }
    """
ROOTS = """
    func Root() context.Context {
        ctx, _ := context.WithCancel(context.Background())
        return ctx
    }
    """


def uncancelled(source: str) -> Reason | None:
    """Return why the goroutine waits that ties a context to a parent of another kind."""
    std = "package context\n\nfunc propagateCancel() {\n go func() { // GO\n select { // WAIT\n case <-a:\n case <-b:\n }\n }()\n}\n"
    found = scene({"context": std, "main": source}, "select")
    assert "propagateCancel" in found.trace.frames[0].function
    return given_up(found)


def test_a_context_that_nobody_cancels() -> None:
    source = go(LOOKUP + ROOTS, "context")  # a child of the background needs no goroutine
    explained(uncancelled(source), source, "unstopped-worker")


@pytest.mark.parametrize(
    "source",
    [
        ROOTS,
        LOOKUP.replace("ctx, _", "ctx, cancel").replace("find(ctx)", "defer cancel(); find(ctx)"),
        LOOKUP
        + LOOKUP.replace("Lookup", "Second")
        + LOOKUP.replace("Lookup", "Third"),  # which of them, nobody can say
        LOOKUP + "func main() { Lookup(nil) }",
    ],
)
def test_contexts_that_explain_nothing(source: str) -> None:
    assert uncancelled(go(source, "context")) is None
