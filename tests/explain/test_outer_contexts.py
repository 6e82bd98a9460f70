"""A context that outlives the call, where the caller has one that ends with it: named; meant so: nothing is said."""

import textwrap

import pytest

from go_scenes import explained, scene
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.workers.outer_contexts import reason
from oakum.model import Frame, Trace

LIB = "example.org/app/lib"


def go(body: str) -> str:
    imports = f'"context"; "net/http"; "time"; "golang.org/x/sync/errgroup"; "{LIB}"; pb "example.org/app/gen"'
    return f"package main\n\nimport ({imports})\n{textwrap.dedent(body)}"


HUB = """package lib

import "context"

type Hub struct{ lines chan string }

func (h *Hub) Follow(ctx context.Context, topic string) <-chan string {
    out := make(chan string)
    go func() { //! started // GO
        defer close(out)
        for {
            select { // WAIT
            case <-ctx.Done(): //! waits
                return
            case text := <-h.lines:
                select {
                case out <- text:
                case <-ctx.Done():
                    return
                }
            }
        }
    }()
    return out
}
"""
FOLLOWED = {
    "the server's, embedded": """
        type server struct {
            context.Context
            hub *lib.Hub
        }
        func (s *server) tail(w http.ResponseWriter, r *http.Request) {
            lines := s.hub.Follow(s.Context, r.FormValue("topic")) //! never-cancelled
            for {
                select {
                case text := <-lines:
                    w.Write([]byte(text))
                case <-r.Context().Done():
                    return
                }
            }
        }
        func main() {
            ctx, stop := context.WithCancel(context.Background())
            defer stop()
            s := &server{Context: ctx, hub: &lib.Hub{}}
            http.HandleFunc("/tail", s.tail)
        }
        """,
    "a variable of the package": """
        var life, stop = context.WithCancel(context.Background())
        func first(ctx context.Context, h *lib.Hub) string {
            lines := h.Follow(life, "a") //! never-cancelled
            select {
            case text := <-lines:
                return text
            case <-ctx.Done():
                return ""
            }
        }
        """,
    "that of nobody": """
        func first(ctx context.Context, h *lib.Hub) string {
            lines := h.Follow(context.Background(), "a") //! never-cancelled
            select {
            case text := <-lines:
                return text
            case <-ctx.Done():
                return ""
            }
        }
        """,
    "through a method that hands it on": """
        type desk struct{ base context.Context; hub *lib.Hub }
        func (d *desk) lines(ctx context.Context, topic string) <-chan string { return d.hub.Follow(ctx, topic) }
        func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
            lines := d.lines(d.base, "a") //! never-cancelled
            w.Write([]byte(<-lines))
        }
        """,
    "the request's": """
        type server struct{ ctx context.Context; hub *lib.Hub }
        func (s *server) tail(w http.ResponseWriter, r *http.Request) {
            lines := s.hub.Follow(r.Context(), "a")
            w.Write([]byte(<-lines))
        }
        """,
    "of a session, whose loop it is": """
        type session struct{ ctx context.Context; hub *lib.Hub; lines <-chan string }
        func (s *session) open(ctx context.Context) {
            s.lines = s.hub.Follow(s.ctx, "a")
        }
        """,
    "handed on to who goes on": """
        type server struct{ ctx context.Context; hub *lib.Hub }
        func (s *server) begin(w http.ResponseWriter, r *http.Request) {
            lines := s.hub.Follow(s.ctx, "a")
            go s.record(lines)
        }
        func (s *server) record(lines <-chan string) {}
        """,
    "returned": """
        type server struct{ ctx context.Context; hub *lib.Hub }
        func (s *server) open(ctx context.Context) <-chan string {
            lines := s.hub.Follow(s.ctx, "a")
            return lines
        }
        """,
    "with no other at hand": """
        type server struct{ ctx context.Context; hub *lib.Hub }
        func (s *server) run() {
            lines := s.hub.Follow(s.ctx, "a")
            println(<-lines)
        }
        """,
    "derived from the request's": """
        type server struct{ hub *lib.Hub }
        func (s *server) tail(w http.ResponseWriter, r *http.Request) {
            ctx, cancel := context.WithTimeout(r.Context(), time.Second)
            defer cancel()
            lines := s.hub.Follow(ctx, "a")
            w.Write([]byte(<-lines))
        }
        """,
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_a_call_is_given_and_used_here_alone(name: str) -> None:
    wrong = "//!" in FOLLOWED[name]
    hub = HUB if wrong else HUB.replace("//! started", "").replace("//! waits", "")
    source = {"main": go(FOLLOWED[name]), LIB: hub}
    found = ask(source)
    explained(found, source, "unstopped-worker")
    assert found is None or found.remedies


def ask(source: dict[str, str]) -> Reason | None:
    given = scene(source, "select")
    program = given.program.whole()
    assert program is not None
    found = reason(StackInSource.of(given.suspect, program, given.trace))
    return found.with_plain_names() if found is not None else None


CURSOR = """package lib

import "context"

func Follow(ctx context.Context, out chan<- int) error {
    defer close(out)
    for n := range 100 {
        select { // WAIT
        case out <- n:
        case <-ctx.Done():
            return ctx.Err()
        }
    }
    return nil
}
"""
GROUPS = {
    "the outer one": """
        func run(ctx context.Context, limit int) error {
            g, gctx := errgroup.WithContext(ctx)
            rows := make(chan int)
            g.Go(func() error { return lib.Follow(ctx, rows) }) // UP 1 //! never-cancelled
            g.Go(func() error { return apply(gctx, limit, rows) })
            return g.Wait()
        }
        func main() { http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { run(r.Context(), 1) }) }
        """,
    "the group's": """
        func run(ctx context.Context, limit int) error {
            g, gctx := errgroup.WithContext(ctx)
            rows := make(chan int)
            g.Go(func() error { return lib.Follow(gctx, rows) }) // UP 1
            g.Go(func() error { return apply(gctx, limit, rows) })
            return g.Wait()
        }
        """,
    "under one name": """
        func run(ctx context.Context, limit int) error {
            g, ctx := errgroup.WithContext(ctx)
            rows := make(chan int)
            g.Go(func() error { return lib.Follow(ctx, rows) }) // UP 1
            g.Go(func() error { return apply(ctx, limit, rows) })
            return g.Wait()
        }
        """,
    "no group of contexts": """
        func run(ctx context.Context, limit int) error {
            var g errgroup.Group
            rows := make(chan int)
            g.Go(func() error { return lib.Follow(ctx, rows) }) // UP 1
            g.Go(func() error { return apply(ctx, limit, rows) })
            return g.Wait()
        }
        """,
}


@pytest.mark.parametrize("name", GROUPS)
def test_a_member_of_a_group(name: str) -> None:
    source = {"main": go(GROUPS[name]), LIB: CURSOR}
    explained(ask(source), source, "unstopped-worker")


STREAMS = {
    "abandoned after the first message": """
        type prober struct{ base context.Context; client pb.HealthClient }
        func (p *prober) Once(ctx context.Context, name string) (string, error) {
            st, err := p.client.Watch(p.base, &pb.Request{Service: name}) //! never-cancelled
            if err != nil {
                return "", err
            }
            resp, err := st.Recv()
            return resp.Status, err
        }
        """,
    "on the caller's context": """
        type prober struct{ base context.Context; client pb.HealthClient }
        func (p *prober) Once(ctx context.Context, name string) (string, error) {
            st, err := p.client.Watch(ctx, &pb.Request{Service: name})
            if err != nil {
                return "", err
            }
            resp, err := st.Recv()
            return resp.Status, err
        }
        """,
    "read to its end": """
        type prober struct{ base context.Context; client pb.HealthClient }
        func (p *prober) All(ctx context.Context, name string) error {
            st, err := p.client.Watch(p.base, &pb.Request{Service: name})
            if err != nil {
                return err
            }
            for {
                if _, err := st.Recv(); err != nil {
                    return err
                }
            }
        }
        """,
    "cancelled": """
        type prober struct{ base context.Context; client pb.HealthClient }
        func (p *prober) Once(ctx context.Context, name string) error {
            inner, cancel := context.WithCancel(p.base)
            defer cancel()
            st, err := p.client.Watch(inner, &pb.Request{Service: name})
            if err != nil {
                return err
            }
            _, err = st.Recv()
            return err
        }
        """,
    "one call, not a stream": """
        type prober struct{ base context.Context; client pb.HealthClient }
        func (p *prober) Once(ctx context.Context, name string) (string, error) {
            resp, err := p.client.Check(p.base, &pb.Request{Service: name})
            return resp.Status, err
        }
        """,
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_only_its_context_closes(name: str) -> None:
    source = go(STREAMS[name] + "\nfunc wait() { select {} } // WAIT\n")
    given = scene(source, "select")
    grpc = Frame(
        "google.golang.org/grpc.newClientStreamWithParams.func4", "google.golang.org/grpc@v1.74.2/stream.go", 398
    )
    made = Frame("google.golang.org/grpc.newClientStreamWithParams", "google.golang.org/grpc@v1.74.2/stream.go", 397)
    explained(
        reason(StackInSource.of(given.suspect, given.program, Trace((grpc,), "select", made))),
        source,
        "unstopped-worker",
    )
