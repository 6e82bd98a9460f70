"""Registrations, timers and contexts of the program's own packages: who was to take them back, and does not.

The frames of an allocation are marked as those of a stack: WAIT allocates, UP 1 called it, and so on.
"""

import textwrap

import pytest
from msgspec.structs import replace

from go_scenes import expected, explained, scene
from oakum.explain.memory import containers
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.workers import own_registrations, registrations, timers
from oakum.model import Site, Trace

LIB = "example.org/app/lib"


def go(body: str) -> str:
    return f'package main\n\nimport ("context"; "net/http"; "sync"; "time"; "{LIB}")\n{textwrap.dedent(body)}'


def lib(body: str) -> str:
    return f'package lib\n\nimport ("context"; "sync"; "time")\n{textwrap.dedent(body)}'


def asked(source: str | dict[str, str], mechanism: str) -> Reason | None:
    marked = scene(source, "running", mechanisms=(mechanism,))
    path = tuple(marked.trace.frames[::-1])
    suspect = replace(marked.suspect, path=path, traces=(), sites=(Site("allocated", path[-1]),))
    given = StackInSource.of(suspect, marked.program, Trace(()))
    questions = (registrations.reason, own_registrations.reason, timers.reason, containers.reason)
    return next((one for ask in questions if (one := ask(given)) is not None), None)


HUB = lib("""
    type Sub struct{ C chan int; hub *Hub; id int }
    type Hub struct{ mu sync.Mutex; next int; byTopic map[string]map[int]*Sub }
    func (h *Hub) Subscribe(topic string) *Sub {
        s := &Sub{C: make(chan int, 64), hub: h} // WAIT
        h.mu.Lock()
        defer h.mu.Unlock()
        h.next++
        s.id = h.next
        if h.byTopic[topic] == nil {
            h.byTopic[topic] = map[int]*Sub{}
        }
        h.byTopic[topic][s.id] = s
        return s
    }
    func (h *Hub) Unsubscribe(topic string, s *Sub) { delete(h.byTopic[topic], s.id) }
    """)
FEEDS = {
    "forgotten behind a helper": """
        type feed struct{ hub *lib.Hub }
        func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
            f.poll(r) //! driver // UP 3
        }
        func (f *feed) poll(r *http.Request) {
            s := f.open("a") //! made // UP 2
            select {
            case <-s.C:
            case <-r.Context().Done():
            }
        } //! never-stopped
        func (f *feed) open(topic string) *lib.Sub { return f.hub.Subscribe(topic) } // UP 1
        """,
    "left by an early return": """
        type feed struct{ hub *lib.Hub }
        func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
            s := f.hub.Subscribe("a") // UP 1
            if r.FormValue("user") == "" {
                return //! never-stopped
            }
            <-s.C
            f.hub.Unsubscribe("a", s)
        }
        """,
    "dropped with its session": """
        type session struct{ sub *lib.Sub }
        type feed struct{ hub *lib.Hub; sessions map[string]*session }
        func (f *feed) login(user string) {
            f.sessions[user] = &session{sub: f.hub.Subscribe(user)} // UP 1
        }
        func (f *feed) logout(user string) { delete(f.sessions, user) } //! never-stopped
        """,
    "taken back in the end": """
        type feed struct{ hub *lib.Hub }
        func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
            s := f.hub.Subscribe("a") // UP 1
            defer f.hub.Unsubscribe("a", s)
            <-s.C
        }
        """,
    "taken back behind a helper": """
        type feed struct{ hub *lib.Hub }
        func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
            s := f.open("a") // UP 2
            defer f.end(s)
            <-s.C
        }
        func (f *feed) open(topic string) *lib.Sub { return f.hub.Subscribe(topic) } // UP 1
        func (f *feed) end(s *lib.Sub) { f.hub.Unsubscribe("a", s) }
        """,
    "taken back when its session ends": """
        type session struct{ hub *lib.Hub; sub *lib.Sub }
        type feed struct{ hub *lib.Hub; sessions map[string]*session }
        func (f *feed) login(user string) {
            f.sessions[user] = &session{hub: f.hub, sub: f.hub.Subscribe(user)} // UP 1
        }
        func (f *feed) logout(user string) {
            f.sessions[user].close()
            delete(f.sessions, user)
        }
        func (s *session) close() { s.hub.Unsubscribe("a", s.sub) }
        """,
}


@pytest.mark.parametrize("body", FEEDS.values(), ids=FEEDS)
def test_subscriptions(body: str) -> None:
    source = {LIB: HUB, "main": go(body)}
    explained(asked(source, "accumulating-registration"), source, "accumulating-registration")


SWEPT = """
    func (h *Hub) run() {
        for range time.Tick(time.Minute) {
            h.sweep()
        }
    }
    func (h *Hub) sweep() {
        for _, subs := range h.byTopic {
            for id, s := range subs {
                if len(s.C) == cap(s.C) {
                    delete(subs, id)
                }
            }
        }
    }
    func NewHub() *Hub { h := &Hub{}; go h.run(); return h }
    """


def test_subscriptions_that_a_sweep_removes() -> None:
    source = {LIB: HUB + textwrap.dedent(SWEPT), "main": go(FEEDS["forgotten behind a helper"].replace("//!", "//"))}
    assert asked(source, "accumulating-registration") is None


NOTHING = {
    "a hook of a node of a tree": (
        """
        type node struct{ hooks []*hook }
        type hook struct{ call func(); queue []int }
        type Tree struct{ nodes map[string]*node }
        func (t *Tree) Watch(prefix string, call func()) {
            n, ok := t.nodes[prefix]
            if !ok {
                n = &node{}
                t.nodes[prefix] = n
            }
            n.add(call) // UP 1
        }
        func (n *node) add(call func()) {
            n.hooks = append(n.hooks, &hook{call: call, queue: make([]int, 100)}) // WAIT //! never-removed
        }
        """,
        """
        func serve(t *lib.Tree, p *peer) { t.Watch("/peers", p.mark) } //! registered // UP 2
        type peer struct{ n int }
        func (p *peer) mark() { p.n++ }
        """,
    ),
    "a listener that each try adds": (
        """
        type listener struct{ pending []int }
        type Shared struct{ all []*listener }
        func (s *Shared) AddHandler(name string) {
            l := newListener(name) // UP 1
            s.all = append(s.all, l) //! never-removed
        }
        func newListener(string) *listener { return &listener{pending: make([]int, 64)} } // WAIT
        type Factory struct{ byKind map[string]*Shared }
        func (f *Factory) For(kind string) *Shared {
            if f.byKind[kind] == nil {
                f.byKind[kind] = &Shared{}
            }
            return f.byKind[kind]
        }
        """,
        """
        type manager struct{ f *lib.Factory }
        func (m *manager) run() {
            for range time.Tick(time.Second) {
                m.setup() //! driver // UP 3
            }
        }
        func (m *manager) setup() { m.f.For("a").AddHandler("b") } //! registered // UP 2
        """,
    ),
    "an embedded emitter": (
        """
        type Emitter struct{ mu sync.RWMutex; on map[string][]func(int) }
        func (e *Emitter) On(name string, f func(int)) {
            e.mu.Lock()
            e.on[name] = append(e.on[name], f) // WAIT //! never-removed
            e.mu.Unlock()
        }
        """,
        """
        type server struct{ lib.Emitter }
        func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
            n := 0
            s.On("tick", func(v int) { n += v }) //! registered // UP 1
        }
        """,
    ),
    "one that is emptied each round": (
        """
        type Emitter struct{ on []func(int) }
        func (e *Emitter) On(f func(int)) {
            e.on = append(e.on, f) // WAIT
        }
        func (e *Emitter) Fire(v int) {
            for _, f := range e.on {
                f(v)
            }
            e.on = e.on[:0]
        }
        """,
        """
        func serve(e *lib.Emitter) {
            e.On(func(int) {}) // UP 1
            e.Fire(1)
        }
        """,
    ),
    "one for each call": (
        """
        type Emitter struct{ on []func(int) }
        func (e *Emitter) On(f func(int)) {
            e.on = append(e.on, f) // WAIT
        }
        """,
        """
        func serve(w http.ResponseWriter, r *http.Request) {
            e := &lib.Emitter{}
            e.On(func(int) {}) // UP 1
        }
        """,
    ),
    "a place for each name of a few": (
        """
        type Levels struct{ hooks [8]func() }
        func (l *Levels) Set(level int, f func()) {
            l.hooks[level%8] = f // WAIT
        }
        """,
        """
        func serve(l *lib.Levels, n int) {
            l.Set(n, func() {}) // UP 1
        }
        """,
    ),
}


@pytest.mark.parametrize(("below", "above"), NOTHING.values(), ids=NOTHING)
def test_what_nothing_takes_back(below: str, above: str) -> None:
    source = {LIB: lib(below), "main": go(above)}
    explained(asked(source, "accumulating-registration"), source, "accumulating-registration")


PACERS = {
    "a ticker in an object": (
        """
        type Pacer struct{ t *time.Ticker }
        func Every(d time.Duration) *Pacer { return &Pacer{t: time.NewTicker(d)} } // WAIT
        func (p *Pacer) Wait() { <-p.t.C }
        func (p *Pacer) Stop() { p.t.Stop() }
        """,
        """
        type runner struct{}
        func (r *runner) check(name string) bool {
            p := r.pacer() // UP 2
            p.Wait()
            return name != "" //! never-stopped
        }
        func (r *runner) pacer() *lib.Pacer { return lib.Every(time.Hour) } // UP 1
        """,
    ),
    "a lease that is dropped": (
        """
        type Lease struct{ id string; timer *time.Timer }
        func Grant(id string, end func(string)) *Lease {
            l := &Lease{id: id}
            l.timer = time.AfterFunc(6*time.Hour, func() { end(l.id) }) // WAIT
            return l
        }
        func (l *Lease) Release() { l.timer.Stop() }
        """,
        """
        type desk struct{ held map[string]*lib.Lease }
        func (d *desk) hold(id string) {
            l := lib.Grant(id, d.expire) // UP 1
            d.held[id] = l
        }
        func (d *desk) settle(id string) { delete(d.held, id) } //! never-stopped
        func (d *desk) expire(id string) { delete(d.held, id) }
        """,
    ),
    "an embedded ticker nobody keeps": (
        """
        type Beat struct{ *time.Ticker }
        func Start(d time.Duration) Beat { return Beat{time.NewTicker(d)} } // WAIT
        func (b Beat) End() { b.Ticker.Stop() }
        """,
        """
        func serve(w http.ResponseWriter, r *http.Request) {
            b := lib.Start(time.Hour) // UP 1
            <-b.C
        } //! never-stopped
        """,
    ),
    "stopped in the end": (
        """
        type Pacer struct{ t *time.Ticker }
        func Every(d time.Duration) *Pacer { return &Pacer{t: time.NewTicker(d)} } // WAIT
        func (p *Pacer) Stop() { p.t.Stop() }
        """,
        """
        func check(name string) bool {
            p := lib.Every(time.Hour) // UP 1
            defer p.Stop()
            return name != ""
        }
        """,
    ),
    "stopped by who owns it": (
        """
        type Pacer struct{ t *time.Ticker }
        func Every(d time.Duration) *Pacer { return &Pacer{t: time.NewTicker(d)} } // WAIT
        func (p *Pacer) Stop() { p.t.Stop() }
        """,
        """
        type client struct{ pace *lib.Pacer }
        func dial() *client { return &client{pace: lib.Every(time.Hour)} } // UP 1
        func (c *client) Close() { c.pace.Stop() }
        func serve(w http.ResponseWriter, r *http.Request) {
            c := dial() // UP 2
            defer c.Close()
        }
        """,
    ),
}


@pytest.mark.parametrize(("below", "above"), PACERS.values(), ids=PACERS)
def test_timers_of_another_package(below: str, above: str) -> None:
    source = {LIB: lib(below), "main": go(above)}
    explained(asked(source, "unstopped-timer"), source, "unstopped-timer")


SCOPES = {
    "cancelled on failure only": """
        type scope struct{ ctx context.Context; cancel context.CancelFunc }
        type engine struct{ base context.Context }
        type state struct{ notes [100]int }
        func (e *engine) execute(id string) error {
            sc := e.scope() // UP 1
            if err := step(sc.ctx); err != nil {
                sc.cancel()
                return err
            }
            return nil //! never-stopped
        }
        func (e *engine) scope() scope {
            ctx := context.WithValue(e.base, "k", &state{}) // WAIT
            return derive(ctx)
        }
        func derive(ctx context.Context) scope {
            child, cancel := context.WithCancel(ctx)
            return scope{child, cancel}
        }
        """,
    "a function that is handed up and forgotten": """
        type engine struct{ base context.Context }
        type state struct{ notes [100]int }
        func (e *engine) execute() {
            ctx, end := e.open() // UP 1
            if step(ctx) {
                return //! never-stopped
            }
            end()
        }
        func (e *engine) open() (context.Context, func()) {
            ctx, cancel := context.WithCancel(context.WithValue(e.base, "k", &state{})) // WAIT
            return ctx, cancel
        }
        """,
    "deleted without": """
        type task struct{ ctx context.Context; cancel func(); notes []int }
        type board struct{ root context.Context; tasks map[string]*task }
        func (b *board) begin(id string) {
            ctx := context.WithValue(b.root, "notes", make([]int, 100)) // WAIT
            t := &task{}
            t.ctx, t.cancel = context.WithCancel(ctx)
            b.tasks[id] = t
        }
        func (b *board) done(id string) { delete(b.tasks, id) } //! never-stopped
        """,
    "cancelled in the end": """
        type engine struct{ base context.Context }
        type state struct{ notes [100]int }
        func (e *engine) execute() {
            ctx, cancel := context.WithCancel(context.WithValue(e.base, "k", &state{})) // WAIT
            defer cancel()
            step(ctx)
        }
        """,
    "of a request, which ends": """
        type state struct{ notes [100]int }
        func serve(w http.ResponseWriter, r *http.Request) {
            ctx, cancel := context.WithCancel(context.WithValue(r.Context(), "k", &state{})) // WAIT
            if step(ctx) {
                return
            }
            cancel()
        }
        """,
    "cancelled when its task ends": """
        type task struct{ ctx context.Context; cancel func() }
        type board struct{ root context.Context; tasks map[string]*task }
        func (b *board) begin(id string) {
            ctx := context.WithValue(b.root, "notes", make([]int, 100)) // WAIT
            t := &task{}
            t.ctx, t.cancel = context.WithCancel(ctx)
            b.tasks[id] = t
        }
        func (b *board) done(id string) {
            b.tasks[id].cancel()
            delete(b.tasks, id)
        }
        """,
}


@pytest.mark.parametrize("body", SCOPES.values(), ids=SCOPES)
def test_contexts_of_a_parent_that_lives_on(body: str) -> None:
    source = go(body + '\nfunc init() { new(board).done("a") }\n')
    explained(asked(source, "growing-container"), source, "accumulating-registration")


def test_every_mark_is_used() -> None:
    assert all(expected({LIB: HUB, "main": go(body)}) for name, body in FEEDS.items() if name.startswith("left"))
