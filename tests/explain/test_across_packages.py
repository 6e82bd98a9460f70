"""Goroutines whose end is the matter of another package of the program: who was to call what ends them."""

import textwrap

import pytest

from go_scenes import explained, scene
from oakum.explain.channels import question as channels
from oakum.explain.network import bodies
from oakum.explain.reason import Reason
from oakum.explain.waits import conds
from oakum.explain.workers import foreign_channels, question

LIB = "example.org/app/lib"


def go(body: str) -> str:
    return f'package main\n\nimport ("context"; "net/http"; "sync"; "time"; "{LIB}")\n{textwrap.dedent(body)}'


def lib(body: str) -> str:
    return f'package lib\n\nimport ("context"; "net/http"; "sync"; "time")\n{textwrap.dedent(body)}'


HUB = lib("""
    type Sub struct{ C chan string; id int }
    type Hub struct{ mu sync.Mutex; subs map[int]*Sub }
    func (h *Hub) Subscribe(topic string) *Sub {
        s := &Sub{C: make(chan string, 4), id: len(h.subs)}
        h.subs[s.id] = s
        return s
    }
    func (h *Hub) Unsubscribe(s *Sub) {
        delete(h.subs, s.id)
        close(s.C)
    }
    """)
READERS = {
    "left behind by a handler": """
        type feed struct{ hub *lib.Hub }
        func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
            sub := f.hub.Subscribe("a") //! made
            go deliver(sub) // GO
            <-r.Context().Done()
        } //! never-stopped
        func deliver(sub *lib.Sub) {
            for m := range sub.C { // WAIT
                use(m)
            }
        }
        """,
    "an error before the end": """
        func follow(h *lib.Hub, greet func() error) error {
            sub := h.Subscribe("a") //! made
            go func() { // GO
                for m := range sub.C { // WAIT
                    use(m)
                }
            }()
            if err := greet(); err != nil {
                return err //! never-stopped
            }
            wait()
            h.Unsubscribe(sub)
            return nil
        }
        """,
    "deleted with what has it": """
        type client struct{ sub *lib.Sub }
        type room struct{ hub *lib.Hub; clients map[string]*client }
        func (r *room) join(id string) {
            c := &client{sub: r.hub.Subscribe(id)}
            r.clients[id] = c
            go c.pump() // GO
        }
        func (r *room) leave(id string) {
            delete(r.clients, id) //! never-stopped
        }
        func (c *client) pump() {
            for m := range c.sub.C { // WAIT
                use(m)
            }
        }
        """,
    "unsubscribed in the end": """
        type feed struct{ hub *lib.Hub }
        func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
            sub := f.hub.Subscribe("a")
            defer f.hub.Unsubscribe(sub)
            go deliver(sub) // GO
            <-r.Context().Done()
        }
        func deliver(sub *lib.Sub) {
            for m := range sub.C { // WAIT
                use(m)
            }
        }
        """,
    "unsubscribed when it leaves": """
        type client struct{ sub *lib.Sub }
        type room struct{ hub *lib.Hub; clients map[string]*client }
        func (r *room) join(id string) {
            c := &client{sub: r.hub.Subscribe(id)}
            r.clients[id] = c
            go c.pump() // GO
        }
        func (r *room) leave(id string) {
            r.hub.Unsubscribe(r.clients[id].sub)
            delete(r.clients, id)
        }
        func (c *client) pump() {
            for m := range c.sub.C { // WAIT
                use(m)
            }
        }
        """,
    "handed to somebody else": """
        func follow(h *lib.Hub) *lib.Sub {
            sub := h.Subscribe("a")
            go deliver(sub) // GO
            return sub
        }
        func deliver(sub *lib.Sub) {
            for m := range sub.C { // WAIT
                use(m)
            }
        }
        """,
}


def reading(source: dict[str, str]) -> Reason | None:
    given = scene(source, "chan receive", (), ("abandoned-receiver",))
    return foreign_channels.reason(given) or channels.reason(given) or question.reason(given)


@pytest.mark.parametrize("body", READERS.values(), ids=READERS)
def test_channels_that_another_package_closes(body: str) -> None:
    source = {LIB: HUB, "main": go(body)}
    explained(reading(source), source, "unstopped-worker")


CLOSES = {
    "a close with a signal": """
        func (q *queue) Close() {
            q.mu.Lock()
            q.closed = true
            q.mu.Unlock()
            q.more.Signal() //! signalled
        }
        """,
    "a close that tells everybody": """
        func (q *queue) Close() {
            q.mu.Lock()
            q.closed = true
            q.mu.Unlock()
            q.more.Broadcast()
        }
        """,
    "one signal each": """
        func (q *queue) Close() {
            q.mu.Lock()
            q.closed = true
            q.mu.Unlock()
            for i := 0; i < q.workers; i++ {
                q.more.Signal()
            }
        }
        """,
    "who is woken wakes the next": """
        func (q *queue) Close() {
            q.mu.Lock()
            q.closed = true
            q.mu.Unlock()
            q.more.Signal()
        }
        func (q *queue) passOn() { q.more.Signal() }
        """,
}
QUEUE = """package main

import "sync"

type queue struct{ mu sync.Mutex; more *sync.Cond; items []string; closed bool; workers int }
func (q *queue) Push(s string) {
    q.mu.Lock()
    q.items = append(q.items, s)
    q.mu.Unlock()
    q.more.Signal()
}
func (q *queue) Pop() (string, bool) {
    q.mu.Lock()
    defer q.mu.Unlock()
    for len(q.items) == 0 && !q.closed {
        q.more.Wait() // WAIT
    }
    if len(q.items) == 0 {
        PASS
        return "", false
    }
    s := q.items[0]
    q.items = q.items[1:]
    return s, true
}
"""


@pytest.mark.parametrize("name", CLOSES)
def test_a_flag_among_what_is_waited_for(name: str) -> None:
    source = QUEUE.replace("PASS", "q.passOn()" if "next" in name else "") + textwrap.dedent(CLOSES[name])
    given = scene(source, "sync.Cond.Wait", ("sync.(*Cond).Wait",), ("lost-signal",))
    explained(conds.reason(given), source, "lost-signal")


CLIENT = lib("""
    type Client struct{ http *http.Client }
    func (c *Client) Fetch(path string) (*http.Response, error) { return c.http.Get(path) }
    func Open(path string) (*http.Response, error) {
        resp, err := http.Get(path)
        return resp, err
    }
    func Look(path string) (int, error) {
        resp, err := http.Get(path)
        if err != nil {
            return 0, err
        }
        defer resp.Body.Close()
        return resp.StatusCode, nil
    }
    """)
BODIES = {
    "left at another status": """
        func size(c *lib.Client) (int64, error) {
            resp, err := c.Fetch("/a") //! acquired
            if err != nil {
                return 0, err
            }
            if resp.StatusCode != http.StatusOK {
                return 0, errStatus //! never-closed
            }
            defer resp.Body.Close()
            return resp.ContentLength, nil
        }
        """,
    "never looked at": """
        func ping() bool {
            resp, err := lib.Open("/health") //! acquired
            if err != nil {
                return false
            }
            return resp.StatusCode == http.StatusOK //! never-closed
        }
        """,
    "closed at the end only": """
        type api struct{ client *lib.Client }
        func (a *api) name(id string) string {
            resp, err := a.client.Fetch(id) //! acquired
            if err != nil {
                return ""
            }
            if id == "" {
                return "anon" //! never-closed
            }
            resp.Body.Close()
            return id
        }
        """,
    "closed": """
        func size(c *lib.Client) (int64, error) {
            resp, err := c.Fetch("/a")
            if err != nil {
                return 0, err
            }
            defer resp.Body.Close()
            return resp.ContentLength, nil
        }
        """,
    "a number only": """
        func ping() (int, error) {
            code, err := lib.Look("/health")
            return code, err
        }
        """,
    "handed on": """
        func open(c *lib.Client) (*http.Response, error) {
            resp, err := c.Fetch("/a")
            if err != nil {
                return nil, err
            }
            return resp, nil
        }
        """,
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_responses_that_another_package_got(body: str) -> None:
    wait = "func wait() { select {} } // WAIT\n"
    source = {LIB: CLIENT, "main": go(body) + wait}
    explained(bodies.reason(scene(source, "select", (), ("unclosed-body",))), source, "unclosed-body")
