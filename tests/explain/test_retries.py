"""Retries that never give up: named with what lets them go on; those that a count, a deadline or a stop ends are not."""

import textwrap

import pytest

from go_scenes import explained, scene
from oakum.explain.reason import StackInSource
from oakum.explain.workers.retries import reason

LIB = "example.org/app/lib"


def go(body: str) -> str:
    return f'package main\n\nimport ("context"; "errors"; "net/http"; "time"; "{LIB}")\n{textwrap.dedent(body)}'


POLICY = """package lib

import ("context"; "time")

type Policy struct {
    First    time.Duration
    Attempts int
}

func (p Policy) spent(try int) bool { return p.Attempts > 0 && try >= p.Attempts }

func (p Policy) Do(ctx context.Context, fn func(context.Context) error) error {
    for try := 1; ; try++ {
        err := fn(ctx)
        if err == nil {
            return nil
        }
        if p.spent(try) {
            return err
        }
        select { // WAIT
        case <-time.After(p.First):
        case <-ctx.Done():
            return ctx.Err()
        }
    }
}
"""
POLICIES = {
    "no limit, and detached from the request": """
        type relay struct{ policy lib.Policy }
        func start() *relay {
            return &relay{policy: lib.Policy{First: time.Second}} //! never-stopped
        }
        func (r *relay) forward(ctx context.Context, url string) {
            ctx = context.WithoutCancel(ctx) //! never-stopped
            go r.policy.Do(ctx, post(url)) // GO
        }
        func handle(w http.ResponseWriter, q *http.Request) { start().forward(q.Context(), "a") }
        """,
    "no limit, on nobody's context": """
        type relay struct{ policy lib.Policy }
        func start() *relay {
            r := &relay{}
            r.policy = lib.Policy{First: time.Second} //! never-stopped
            return r
        }
        func (r *relay) forward(url string) {
            ctx := context.Background() //! never-stopped
            go r.policy.Do(ctx, post(url)) // GO
        }
        """,
    "a limit": """
        type relay struct{ policy lib.Policy }
        func start() *relay { return &relay{policy: lib.Policy{First: time.Second, Attempts: 5}} }
        func (r *relay) forward(url string) {
            ctx := context.Background()
            go r.policy.Do(ctx, post(url)) // GO
        }
        """,
    "a limit by its place": """
        type relay struct{ policy lib.Policy }
        func start() *relay { return &relay{policy: lib.Policy{time.Second, 5}} }
        func (r *relay) forward(url string) {
            ctx := context.Background()
            go r.policy.Do(ctx, post(url)) // GO
        }
        """,
    "a deadline": """
        type relay struct{ policy lib.Policy }
        func start() *relay { return &relay{policy: lib.Policy{First: time.Second}} }
        func (r *relay) forward(url string) {
            ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
            use(cancel)
            go r.policy.Do(ctx, post(url)) // GO
        }
        """,
    "the request's context": """
        type relay struct{ policy lib.Policy }
        func start() *relay { return &relay{policy: lib.Policy{First: time.Second}} }
        func handle(w http.ResponseWriter, q *http.Request) {
            go start().policy.Do(q.Context(), post("a")) // GO
        }
        """,
}


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_of_another_package(name: str) -> None:
    source = {"main": go(POLICIES[name]), LIB: POLICY}
    given = scene(source, "select")
    program = given.program.whole()
    assert program is not None
    found = reason(StackInSource.of(given.suspect, program, given.trace))
    explained(found.with_plain_names() if found is not None else None, source, "unstopped-worker")


LOOPS = {
    "until it works": """
        func handle(w http.ResponseWriter, r *http.Request) {
            ctx := context.Background() //! never-stopped
            go connect(ctx, r.URL.Path) // GO
        }
        func connect(ctx context.Context, to string) {
            for {
                if err := dial(ctx, to); err == nil || errors.Is(err, errGone) {
                    return
                }
                select { // WAIT
                case <-ctx.Done():
                    return
                case <-time.After(time.Second):
                }
            }
        }
        """,
    "counted": """
        func handle(w http.ResponseWriter, r *http.Request) {
            ctx := context.Background()
            go connect(ctx, r.URL.Path) // GO
        }
        func connect(ctx context.Context, to string) {
            for n := 0; ; n++ {
                if err := dial(ctx, to); err == nil || n > 5 {
                    return
                }
                select { // WAIT
                case <-ctx.Done():
                    return
                case <-time.After(time.Second):
                }
            }
        }
        """,
    "until a time": """
        func handle(w http.ResponseWriter, r *http.Request) {
            ctx := context.Background()
            go connect(ctx, time.Now().Add(time.Minute)) // GO
        }
        func connect(ctx context.Context, until time.Time) {
            for {
                if err := dial(ctx); err == nil {
                    return
                }
                if time.Now().After(until) {
                    return
                }
                select { // WAIT
                case <-ctx.Done():
                    return
                case <-time.After(time.Second):
                }
            }
        }
        """,
    "stopped": """
        type conn struct{ quit chan struct{} }
        func (c *conn) open() {
            go c.connect() // GO
        }
        func (c *conn) Close() { close(c.quit) }
        func (c *conn) connect() {
            for {
                if err := dial(); err == nil {
                    return
                }
                select { // WAIT
                case <-c.quit:
                    return
                case <-time.After(time.Second):
                }
            }
        }
        """,
    "one for the process": """
        func main() {
            ctx := context.Background()
            go connect(ctx, "a") // GO
            http.ListenAndServe("", nil)
        }
        func connect(ctx context.Context, to string) {
            for {
                if err := dial(ctx, to); err == nil {
                    return
                }
                select { // WAIT
                case <-ctx.Done():
                    return
                case <-time.After(time.Second):
                }
            }
        }
        """,
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_of_its_own(name: str) -> None:
    source = go(LOOPS[name])
    explained(reason(scene(source, "select")), source, "unstopped-worker")
