"""What keeps this memory? Small programs that only put in, and look-alikes that take out or cannot grow."""

from string import Formatter
from types import ModuleType

import pytest
from msgspec.structs import replace

from go_scenes import explained, go, scene
from oakum.explain.memory.containers import reason
from oakum.explain.reason import Reason, StackInSource
from oakum.model import Trace
from oakum.report.words import cause_heap, cause_network


def kept(source: str | dict[str, str]) -> Reason | None:
    """Return the reason for a heap suspect whose path goes from UP 2, UP 1 down to WAIT: the line that allocates."""
    given = scene(source, "", (), ("growing-container",))
    suspect = replace(given.suspect, path=given.trace.frames[::-1], traces=())
    return reason(StackInSource.of(suspect, given.program, Trace(())))


GROWING = {
    "a map": """
        type registry struct{ all map[string]*session }
        type session struct{ history []byte }
        func (r *registry) open(id string) {
            s := &session{history: make([]byte, 100)} // WAIT
            r.all[id] = s //! never-removed
        }
        """,
    "a slice": """
        type journal struct{ entries []entry }
        type entry struct{ text string }
        func render(n int) string {
            return strings.Repeat("x", n) // WAIT
        }
        func (j *journal) add(n int) {
            j.entries = append(j.entries, entry{render(n)}) // UP 1 //! never-removed
        }
        """,
    "a list": """
        type queue struct{ all *list.List }
        func (q *queue) put() {
            b := make([]byte, 100) // WAIT
            q.all.PushBack(b) //! never-removed
        }
        """,
    "a variable of the package": """
        var seen = map[string][]byte{}
        func note(id string) {
            seen[id] = make([]byte, 100) // WAIT //! never-removed
        }
        """,
    "a variable that a handler keeps": """
        func serve(on func(func(string))) {
            seen := map[string][]byte{}
            on(func(id string) {
                seen[id] = make([]byte, 100) // WAIT //! never-removed
            })
        }
        """,
    "a key that anybody can make up": """
        type cache struct{ tiles sync.Map }
        func handle(c *cache, r *http.Request) {
            key := r.URL.RequestURI() //! key
            c.get(key) // UP 1
        }
        func (c *cache) get(key string) {
            c.tiles.Store(key, make([]byte, 100)) // WAIT //! never-removed
        }
        """,
    "trimmed before": """
        type seen struct{ ids map[string]bool }
        func (s *seen) add(raw []byte) {
            id := strings.TrimSpace(string(raw)) // WAIT
            s.ids[id] = true //! never-removed
        }
        """,
    "through a channel": """
        type log struct{ lines chan []byte; all [][]byte }
        func (l *log) write() {
            l.lines <- make([]byte, 100) // WAIT
        }
        func (l *log) run() {
            for b := range l.lines {
                l.all = append(l.all, b) //! never-removed
            }
        }
        """,
    "trimmed on a copy": """
        type trend struct{ all []*reading; most int }
        type reading struct{ wave [80]float64 }
        func (t *trend) add(r *reading) {
            t.all = append(t.all, r) //! stored
        }
        func (t trend) trim() { //! never-removed
            if over := len(t.all) - t.most; over > 0 {
                t.all = t.all[over:]
            }
        }
        func observe(t *trend) {
            r := &reading{} // WAIT
            t.add(r)
            t.trim()
        }
        """,
    "an expiry that is set too late": """
        type answer struct{ body []byte; expires time.Time }
        type replay struct{ byKey map[string]answer }
        func (r *replay) remember(key string) {
            a := answer{}
            a.body = make([]byte, 100) // WAIT
            r.byKey[key] = a //! stored
            a.expires = time.Now() //! never-removed
        }
        func (r *replay) drop(now time.Time) {
            for key, a := range r.byKey {
                if !a.expires.IsZero() && now.After(a.expires) {
                    delete(r.byKey, key)
                }
            }
        }
        func run(r *replay) { r.drop(time.Now()) }
        """,
    "a clean-up that nobody calls": """
        type registry struct{ all map[string][]byte }
        func (r *registry) open(id string) {
            r.all[id] = make([]byte, 100) // WAIT //! stored
        }
        func (r *registry) expire() { //! never-removed
            for id := range r.all {
                delete(r.all, id)
            }
        }
        """,
}

KEPT_SMALL = {
    "deleted": """
        type registry struct{ all map[string][]byte }
        func (r *registry) open(id string) {
            r.all[id] = make([]byte, 100) // WAIT
        }
        func (r *registry) close(id string) { delete(r.all, id) }
        func run(r *registry) { r.close("a") }
        """,
    "deleted by another name": """
        type registry struct{ all map[string][]byte }
        func (r *registry) open(id string) {
            r.all[id] = make([]byte, 100) // WAIT
        }
        func (r *registry) close(id string) {
            all := r.all
            delete(all, id)
        }
        func run(r *registry) { r.close("a") }
        """,
    "replaced": """
        type batch struct{ rows [][]byte }
        func (b *batch) add() {
            b.rows = append(b.rows, make([]byte, 100)) // WAIT
        }
        func (b *batch) flush() { b.rows = nil }
        func run(b *batch) { b.flush() }
        """,
    "a window that is copied": """
        type window struct{ rows [][]byte }
        func (w *window) add() {
            w.rows = append(w.rows, make([]byte, 100)) // WAIT
            if n := len(w.rows) - 10; n > 0 {
                w.rows = append([][]byte(nil), w.rows[n:]...)
            }
        }
        """,
    "a window": """
        type window struct{ rows [][]byte }
        func (w *window) add() {
            w.rows = append(w.rows, make([]byte, 100)) // WAIT
            if len(w.rows) > 10 {
                w.rows = append(w.rows[:0], w.rows[1:]...)
            }
        }
        """,
    "cleared": """
        type registry struct{ all map[string][]byte }
        func (r *registry) open(id string) {
            r.all[id] = make([]byte, 100) // WAIT
        }
        func (r *registry) reset() { clear(r.all) }
        func run(r *registry) { r.reset() }
        """,
    "a limit": """
        type registry struct{ all map[string][]byte }
        func (r *registry) open(id string) {
            if len(r.all) < 100 {
                r.all[id] = make([]byte, 100) // WAIT
            }
        }
        """,
    "a key with few values": """
        type plans struct{ all map[int][]byte }
        func (p *plans) get(n int) {
            p.draw(n % 250) // UP 1
        }
        func (p *plans) draw(piece int) {
            p.all[piece] = make([]byte, 100) // WAIT
        }
        """,
    "a ring": """
        type ring struct{ slots [][]byte; next int }
        func (r *ring) add() {
            r.slots[r.next%len(r.slots)] = make([]byte, 100) // WAIT
            r.next++
        }
        """,
    "an object of one call": """
        type page struct{ parts [][]byte }
        func (p *page) add() {
            p.parts = append(p.parts, make([]byte, 100)) // WAIT
        }
        func handle() {
            p := &page{}
            p.add() // UP 1
        }
        """,
    "a local map": """
        func handle(ids []string) int {
            seen := map[string][]byte{}
            for _, id := range ids {
                seen[id] = make([]byte, 100) // WAIT
            }
            return len(seen)
        }
        """,
    "the last one": """
        type gauge struct{ last []byte }
        func (g *gauge) set() {
            g.last = make([]byte, 100) // WAIT
        }
        """,
}


@pytest.mark.parametrize("name", GROWING)
def test_a_container_that_only_grows(name: str) -> None:
    source = go(GROWING[name], "strings", "container/list", "sync", "net/http", "time")
    explained(kept(source), source, "growing-container")


@pytest.mark.parametrize("name", KEPT_SMALL)
def test_a_container_that_does_not(name: str) -> None:
    assert kept(go(KEPT_SMALL[name], "strings")) is None


def test_a_value_that_another_package_makes() -> None:
    house = """
        type cache struct{ tiles map[string]*raster.Tile }
        func (c *cache) get(key string) {
            c.tiles[key] = raster.Draw() // UP 2 //! never-removed
        }
        """
    raster = """package raster
type Tile struct{ pixels []byte }
func Draw() *Tile {
	return &Tile{pixels: paint()} // UP 1
}
func paint() []byte {
	pixels := make([]byte, 100) // WAIT
	return pixels
}
"""
    source = {"main": go(house, "example.com/raster"), "example.com/raster": raster}
    explained(kept(source), source, "growing-container")


@pytest.mark.parametrize("bounded", [False, True])
def test_labels_of_a_metric(bounded: bool) -> None:
    source = {
        "main": go(
            f"""
            func handle(r *http.Request) {{
                path := {'"all"' if bounded else "r.URL.Path //! key"}
                requests.WithLabelValues(path).Inc() // UP 1 {"" if bounded else "//! stored"}
            }}
            """,
            "net/http",
        ),
        "example.org/prometheus": """package prometheus
func (v *CounterVec) WithLabelValues(l string) {
	use(make([]byte, 10)) // WAIT
}
type CounterVec struct{}
""",
    }
    explained(kept(source), source, "growing-container")


PINNED = {
    "a word of a message": """
        type seen struct{ ids map[string]bool }
        func (s *seen) add(raw []byte) {
            text := string(raw) // WAIT
            id, _, _ := strings.Cut(text, " ")
            s.ids[strings.TrimSpace(id)] = true //! cut, stored
        }
        func (s *seen) forget(id string) { delete(s.ids, id) }
        func run(s *seen) { s.forget("a") }
        """,
    "a piece in a field": """
        type message struct{ id string }
        type ring struct{ order []string; next int }
        func parse(raw []byte) message {
            text := string(raw) // WAIT
            var m message
            m.id = text[:8] //! cut
            return m
        }
        func (r *ring) take(raw []byte) {
            m := parse(raw) // UP 1
            r.order[r.next] = m.id //! stored
        }
        """,
}


@pytest.mark.parametrize("name", PINNED)
def test_a_piece_that_keeps_the_whole(name: str) -> None:
    source = go(PINNED[name], "strings")
    explained(kept(source), source, "substring-pin")


def test_a_piece_that_was_copied() -> None:
    source = PINNED["a piece in a field"].replace("text[:8]", "strings.Clone(text[:8])").replace("//!", "//")
    assert kept(go(source, "strings")) is None


@pytest.mark.parametrize("area", [cause_heap, cause_network])
def test_both_languages_name_the_same(area: ModuleType) -> None:
    for english, chinese in area.WORDS.values():
        assert _named(english) == _named(chinese)


def _named(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


TIMED = {
    "a day later": """
        func build(n int) []byte {
            return make([]byte, n) // WAIT
        }
        func remind(n int) *time.Timer {
            msg := build(n) // UP 1
            return time.AfterFunc(24*time.Hour, func() { send(msg) }) //! made
        }
        func handle() {
            remind(100) // UP 2 //! never-stopped
        }
        """,
    "stopped": """
        func build(n int) []byte {
            return make([]byte, n) // WAIT
        }
        func handle(n int) {
            msg := build(n) // UP 1
            t := time.AfterFunc(24*time.Hour, func() { send(msg) })
            defer t.Stop()
            work()
        }
        """,
    "at once": """
        func build(n int) []byte {
            return make([]byte, n) // WAIT
        }
        func handle(n int) {
            msg := build(n) // UP 1
            time.AfterFunc(50*time.Millisecond, func() { send(msg) })
        }
        """,
}


@pytest.mark.parametrize("name", TIMED)
def test_what_the_function_of_a_timer_refers_to(name: str) -> None:
    source = go(TIMED[name], "time")
    explained(kept(source), source, "unstopped-timer")


REGISTERED = {
    "never taken back": """
        type store struct{ bus evbus.Bus; tables map[string]*table }
        type table struct{ rows []byte }
        func (t *table) reprice() {}
        func (s *store) Replace(r *http.Request) {
            t := &table{rows: make([]byte, 100)} // WAIT
            s.bus.Subscribe("fx", t.reprice) //! never-removed
            s.tables[r.PathValue("tenant")] = t
        }
        """,
    "taken back": """
        type store struct{ bus evbus.Bus; tables map[int]*table }
        type table struct{ rows []byte }
        func (t *table) reprice() {}
        func (s *store) Replace(tenant int) {
            old := s.tables[tenant % 4]
            s.bus.Unsubscribe("fx", old.reprice)
            t := &table{rows: make([]byte, 100)} // WAIT
            s.bus.Subscribe("fx", t.reprice)
            s.tables[tenant % 4] = t
        }
        """,
}


@pytest.mark.parametrize("name", REGISTERED)
def test_what_a_registered_function_refers_to(name: str) -> None:
    source = go(REGISTERED[name], "net/http").replace('"net/http"', 'evbus "example.org/bus"; "net/http"')
    explained(kept(source), source, "accumulating-registration")


AFTER = {
    "the stop function is dropped": """
        type runner struct{ base context.Context; queue chan *job }
        type job struct{ id string; canvas []byte }
        func scale(n int) []byte {
            return make([]byte, n) // WAIT
        }
        func (r *runner) run(j *job) {
            j.canvas = scale(100) // UP 1
        }
        func (r *runner) Submit(id string) {
            j := &job{id: id}
            context.AfterFunc(r.base, func() { abort(j) }) //! never-removed
            r.queue <- j
        }
        """,
    "it is called": """
        type runner struct{ base context.Context; queue chan *job }
        type job struct{ id string; canvas []byte }
        func (r *runner) Submit(id string) {
            j := &job{id: id, canvas: make([]byte, 100)} // WAIT
            stop := context.AfterFunc(r.base, func() { abort(j) })
            defer stop()
            r.queue <- j
        }
        """,
    "the context is the caller's": """
        type runner struct{ queue chan *job }
        type job struct{ id string; canvas []byte }
        func (r *runner) Submit(ctx context.Context, id string) {
            j := &job{id: id, canvas: make([]byte, 100)} // WAIT
            context.AfterFunc(ctx, func() { abort(j) })
            r.queue <- j
        }
        """,
}


@pytest.mark.parametrize("name", AFTER)
def test_what_a_function_refers_to_that_runs_when_a_context_ends(name: str) -> None:
    source = go(AFTER[name], "context")
    explained(kept(source), source, "accumulating-registration")


def test_a_container_of_another_own_package_is_read_there() -> None:
    given = {
        "example.org/svc": """package svc

import "example.org/svc/store"

type server struct{ all *store.Store }

func (s *server) handle(id string) {
    s.all.Put(id, make([]byte, 100)) // WAIT
}
""",
        "example.org/svc/store": """package store

type Store struct{ byID map[string][]byte }

func (s *Store) Put(id string, v []byte) {
    s.byID[id] = v //! never-removed
}
""",
    }
    explained(kept(given), given, "growing-container")
    bounded = given["example.org/svc/store"].replace("//! never-removed", "\n    delete(s.byID, oldest())")
    assert kept(given | {"example.org/svc/store": bounded}) is None


def test_a_method_that_another_package_keeps() -> None:
    given = {
        "main": """package main

import "example.org/life"

type session struct{ buf []byte }
func dial() *session {
    return &session{buf: make([]byte, 100)} // WAIT
}
func (s *session) close() {}
func keep(h *life.Hooks) {
    s := dial() // UP 1
    h.OnStop(s.close)
}
""",
        "example.org/life": """package life

type Hooks struct{ fns []func() }
func (h *Hooks) OnStop(f func()) {
    h.fns = append(h.fns, f) //! never-removed
}
""",
    }
    explained(kept(given), given, "growing-container")
    limited = given["example.org/life"].replace("//! never-removed", "\n    if len(h.fns) > 9 { h.fns = h.fns[1:] }")
    assert kept(given | {"example.org/life": limited}) is None
