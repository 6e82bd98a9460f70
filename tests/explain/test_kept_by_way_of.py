"""What keeps this memory by way of something else: a function, a context, a finalizer, an object that is used again.

WAIT allocates, UP 1 called it, and so on. The packages of a program are read as one.
"""

import textwrap

import pytest
from msgspec.structs import replace

from go_scenes import explained, scene
from oakum.explain.memory import chains, containers
from oakum.explain.reason import Reason, StackInSource
from oakum.model import Frame, Trace

LIB = "example.org/app/lib"


def go(body: str) -> str:
    return (
        f'package main\n\nimport ("bytes"; "context"; "fmt"; "net/http"; "runtime"; "strings"; "sync"; "{LIB}")\n'
        f"{textwrap.dedent(body)}"
    )


def lib(body: str) -> str:
    return f'package lib\n\nimport ("context"; "runtime"; "sync")\n{textwrap.dedent(body)}'


def kept(source: str | dict[str, str], *inner: Frame) -> Reason | None:
    given = scene(source, "", (), ("growing-container",))
    suspect = replace(given.suspect, path=(*given.trace.frames[::-1], *inner), traces=())
    program = given.program.whole() or given.program
    told = StackInSource.of(suspect, program, Trace(()))
    found = containers.reason(told) or chains.reason(told)
    return found.with_plain_names() if found is not None else None


SOURCE = lib("""
    type Listener func(string)
    type Source struct{ mu sync.Mutex; next int; all map[int]Listener }
    func (s *Source) OnChange(l Listener) (remove func()) {
        s.next++
        id := s.next
        s.all[id] = l
        return func() { delete(s.all, id) }
    }
    """)
UNDONE = {
    "its undo is thrown away": """
        type page struct{ pixels []byte }
        func (p *page) draw() { p.pixels = make([]byte, 100) } // WAIT
        func (p *page) reload(string) {}
        func open(src *lib.Source) *page {
            p := &page{}
            p.draw() // UP 1
            src.OnChange(p.reload) //! never-removed
            return p
        }
        """,
    "a literal that refers to it": """
        func watch(src *lib.Source, n int) {
            big := make([]byte, n) // WAIT
            _ = src.OnChange(func(key string) { big[0] = key[0] }) //! never-removed
        }
        """,
    "left behind by an error": """
        func serve(src *lib.Source, n int, ready func() error) error {
            big := make([]byte, n) // WAIT
            remove := src.OnChange(func(key string) { big[0] = key[0] }) //! made
            if err := ready(); err != nil {
                return err //! never-removed
            }
            remove()
            return nil
        }
        """,
    "kept, and dropped without a call": """
        type session struct{ big []byte; remove func() }
        type desk struct{ open map[string]*session }
        func (d *desk) begin(src *lib.Source, id string) {
            s := &session{big: make([]byte, 100)} // WAIT
            s.remove = src.OnChange(func(key string) { s.big[0] = key[0] }) //! registered
            d.open[id] = s
        }
        func (d *desk) end(id string) {
            delete(d.open, id) //! never-removed
        }
        func (d *desk) abort(id string) {
            d.open[id].remove()
            delete(d.open, id)
        }
        var ends = []any{(&desk{}).end, (&desk{}).abort}
        """,
    "called": """
        func serve(src *lib.Source, n int) {
            big := make([]byte, n) // WAIT
            remove := src.OnChange(func(key string) { big[0] = key[0] })
            defer remove()
            work(big)
        }
        """,
    "kept, and called where it is dropped": """
        type session struct{ big []byte; remove func() }
        type desk struct{ open map[string]*session }
        func (d *desk) begin(src *lib.Source, id string) {
            s := &session{big: make([]byte, 100)} // WAIT
            s.remove = src.OnChange(func(key string) { s.big[0] = key[0] })
            d.open[id] = s
        }
        func (d *desk) end(id string) {
            d.open[id].remove()
            delete(d.open, id)
        }
        var ends = []any{(&desk{}).end}
        """,
    "once, by main": """
        func main() {
            src := &lib.Source{}
            big := make([]byte, 1000) // WAIT
            src.OnChange(func(key string) { big[0] = key[0] })
            http.ListenAndServe("", nil)
        }
        """,
}


@pytest.mark.parametrize("name", UNDONE)
def test_what_only_the_function_that_registering_returns_takes_out(name: str) -> None:
    source = {"main": go(UNDONE[name]), LIB: SOURCE}
    explained(kept(source), source, "accumulating-registration")


AFTER = {
    "of a session, by its method": """
        type session struct{ ctx context.Context }
        func (s *session) Context() context.Context { return s.ctx }
        func connect(root context.Context) *session {
            ctx, cancel := context.WithCancel(root)
            use(cancel)
            return &session{ctx: ctx}
        }
        func send(s *session, n int) {
            params := make([]byte, n) // WAIT
            context.AfterFunc(s.Context(), func() { fmt.Println(len(params)) }) //! never-removed
        }
        """,
    "a method value": """
        type studio struct{ life context.Context }
        type clip struct{ frames []byte }
        func (c *clip) decode() { c.frames = make([]byte, 100) } // WAIT
        func (c *clip) Abort() {}
        func load() *clip {
            c := &clip{}
            c.decode() // UP 1
            return c
        }
        func (s *studio) encode(ctx context.Context) {
            c := load() // UP 2
            stop := context.AfterFunc(ctx, c.Abort)
            defer stop()
            context.AfterFunc(s.life, c.Abort) //! never-removed
        }
        """,
    "its stop kept, and not called on one way": """
        type manager struct{ ctx context.Context; held map[string]*lease }
        type lease struct{ state []byte; detach func() bool }
        func (m *manager) grant(name string) {
            l := &lease{state: make([]byte, 100)} // WAIT
            stop := context.AfterFunc(m.ctx, func() { m.note(l) }) //! registered
            l.detach = func() bool { return stop() }
            m.held[name] = l
        }
        func (m *manager) note(l *lease) {}
        func (m *manager) Release(name string) {
            m.held[name].detach()
            m.remove(name)
        }
        func (m *manager) Sweep() {
            for name := range m.held {
                m.remove(name) //! never-removed
            }
        }
        func (m *manager) remove(name string) {
            delete(m.held, name)
        }
        func main() {
            m := &manager{}
            go m.Sweep()
            http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { m.Release("a") })
        }
        """,
    "its stop called on each way": """
        type manager struct{ ctx context.Context; held map[string]*lease }
        type lease struct{ state []byte; detach func() bool }
        func (m *manager) grant(name string) {
            l := &lease{state: make([]byte, 100)} // WAIT
            stop := context.AfterFunc(m.ctx, func() { m.note(l) })
            l.detach = func() bool { return stop() }
            m.held[name] = l
        }
        func (m *manager) note(l *lease) {}
        func (m *manager) Release(name string) {
            m.held[name].detach()
            delete(m.held, name)
        }
        func handle(m *manager) { m.Release("a") }
        """,
    "of the request, by a field": """
        type call struct{ ctx context.Context }
        func handle(w http.ResponseWriter, r *http.Request) {
            c := &call{ctx: r.Context()}
            run(c)
        }
        func run(c *call) {
            params := make([]byte, 100) // WAIT
            context.AfterFunc(c.ctx, func() { fmt.Println(len(params)) })
        }
        """,
    "that nobody keeps": """
        func send(n int) {
            params := make([]byte, n) // WAIT
            context.AfterFunc(context.Background(), func() { fmt.Println(len(params)) })
        }
        """,
}


@pytest.mark.parametrize("name", AFTER)
def test_what_runs_when_a_context_ends_that_outlives_the_call(name: str) -> None:
    source = go(AFTER[name])
    explained(kept(source), source, "accumulating-registration")


TRACK = lib("""
    func Object(obj any, done func()) {
        runtime.SetFinalizer(obj, func(any) { done() }) //! never-removed
    }
    """)
FINALIZED = {
    "its own method": """
        type tile struct{ pixels []byte }
        func (t *tile) free() {}
        func load() *tile {
            t := &tile{pixels: make([]byte, 100)} // WAIT
            runtime.SetFinalizer(t, func(*tile) { t.free() }) //! never-removed
            return t
        }
        """,
    "a clean-up that refers to it": """
        type tile struct{ pixels []byte; slot int }
        func load() *tile {
            t := &tile{pixels: make([]byte, 100)} // WAIT
            runtime.AddCleanup(t, func(int) { fmt.Println(t.slot) }, 0) //! never-removed
            return t
        }
        """,
    "given as an argument": """
        type tile struct{ pixels []byte }
        func drop(t *tile) {}
        func load() *tile {
            t := &tile{pixels: make([]byte, 100)} // WAIT
            runtime.AddCleanup(&t.pixels, drop, t) //! never-removed
            return t
        }
        """,
    "its parameter": """
        type tile struct{ pixels []byte }
        func (t *tile) free() {}
        func load() *tile {
            t := &tile{pixels: make([]byte, 100)} // WAIT
            runtime.SetFinalizer(t, func(t *tile) { t.free() })
            return t
        }
        """,
    "by its type": """
        type tile struct{ pixels []byte }
        func (t *tile) free() {}
        func load() *tile {
            t := &tile{pixels: make([]byte, 100)} // WAIT
            runtime.SetFinalizer(t, (*tile).free)
            return t
        }
        """,
    "a part by value": """
        type tile struct{ pixels []byte; slot int }
        func drop(slot int) {}
        func load() *tile {
            t := &tile{pixels: make([]byte, 100)} // WAIT
            runtime.AddCleanup(t, drop, t.slot)
            return t
        }
        """,
}


@pytest.mark.parametrize("name", FINALIZED)
def test_a_finalizer_that_refers_to_its_object(name: str) -> None:
    source = go(FINALIZED[name])
    explained(kept(source), source, "growing-container")


def test_a_finalizer_that_another_package_sets() -> None:
    tile = """
        type tile struct{ pixels []byte }
        func (t *tile) release() {}
        func load() *tile {
            t := &tile{pixels: make([]byte, 100)} // WAIT
            lib.Object(t, t.release)
            return t
        }
        """
    source = {"main": go(tile), LIB: TRACK}
    explained(kept(source), source, "growing-container")
    other = {"main": go(tile.replace("lib.Object(t, t.release)", "lib.Object(t, flush)")), LIB: TRACK}
    assert kept(other) is None


WRAP = lib("""
    func Into(ctx context.Context, v any) context.Context { return context.WithValue(ctx, "v", v) }
    """)
CHAINED = {
    "a field, by a function of another package": """
        type batch struct{ values []float64 }
        type worker struct{ ctx context.Context; in chan *batch }
        func (w *worker) offer(n int) {
            w.in <- &batch{make([]float64, n)} // WAIT
        }
        func (w *worker) run() {
            for {
                select {
                case <-w.ctx.Done():
                    return
                case b := <-w.in:
                    w.ctx = lib.Into(w.ctx, b) //! chained
                    work(w.ctx)
                }
            }
        }
        """,
    "a field of the one server, for each request": """
        type server struct{ ctx context.Context }
        func main() {
            s := &server{ctx: context.Background()}
            http.Handle("/", s)
            http.ListenAndServe("", nil)
        }
        func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
            s.ctx = context.WithValue(s.ctx, "body", make([]byte, 100)) // WAIT //! chained
        }
        """,
    "a field of each request": """
        type call struct{ ctx context.Context }
        func handle(w http.ResponseWriter, r *http.Request) {
            c := &call{ctx: r.Context()}
            c.with("body", make([]byte, 100)) // WAIT
        }
        func (c *call) with(key string, v any) { c.ctx = lib.Into(c.ctx, v) }
        """,
    "begun anew in each round": """
        type worker struct{ ctx, base context.Context; in chan []byte }
        func (w *worker) offer(n int) {
            w.in <- make([]byte, n) // WAIT
        }
        func (w *worker) run() {
            for b := range w.in {
                w.ctx = w.base
                w.ctx = lib.Into(w.ctx, b)
                work(w.ctx)
            }
        }
        """,
    "a local one": """
        type worker struct{ ctx context.Context; in chan []byte }
        func (w *worker) offer(n int) {
            w.in <- make([]byte, n) // WAIT
        }
        func (w *worker) run() {
            for b := range w.in {
                ctx := lib.Into(w.ctx, b)
                work(ctx)
            }
        }
        """,
}


@pytest.mark.parametrize("name", CHAINED)
def test_a_context_that_is_wrapped_again_and_again(name: str) -> None:
    source = {"main": go(CHAINED[name]), LIB: WRAP}
    explained(kept(source), source, "growing-container")


REUSED = {
    "a free list": """
        type encoder struct{ buf bytes.Buffer; mark int }
        type shelf struct{ free []*encoder; max int }
        var encoders = &shelf{max: 4}
        func (s *shelf) take() *encoder {
            if n := len(s.free); n > 0 {
                e := s.free[n-1]
                s.free = s.free[:n-1]
                return e
            }
            return new(encoder)
        }
        func (s *shelf) put(e *encoder) {
            if len(s.free) < s.max {
                s.free = append(s.free, e) //! stored
            }
        }
        func (e *encoder) row(text string) {
            e.buf.WriteString(text) // WAIT
        }
        func (e *encoder) done() {
            encoders.put(e) //! never-removed
        }
        func begin() *encoder {
            e := encoders.take()
            e.mark = e.buf.Len()
            return e
        }
        """,
    "a sync.Pool of buffers": """
        var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}
        func render(w http.ResponseWriter, text string) {
            b := pool.Get().(*bytes.Buffer)
            b.WriteString(text) // WAIT
            w.Write(b.Bytes())
            pool.Put(b) //! never-removed
        }
        """,
    "a slice of a pooled object": """
        type scratch struct{ rows [][]byte }
        var pool = sync.Pool{New: func() any { return &scratch{} }}
        func collect(rows int) int {
            s := pool.Get().(*scratch)
            for range rows {
                s.add()
            }
            defer pool.Put(s) //! never-removed
            return len(s.rows)
        }
        func (s *scratch) add() {
            s.rows = append(s.rows, make([]byte, 100)) // WAIT
        }
        """,
    "emptied before it is put back": """
        var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}
        func render(w http.ResponseWriter, text string) {
            b := pool.Get().(*bytes.Buffer)
            b.WriteString(text) // WAIT
            w.Write(b.Bytes())
            b.Reset()
            pool.Put(b)
        }
        """,
    "emptied when it is taken": """
        type encoder struct{ buf bytes.Buffer }
        var pool = sync.Pool{New: func() any { return new(encoder) }}
        func get() *encoder {
            e := pool.Get().(*encoder)
            e.buf.Reset()
            return e
        }
        func (e *encoder) row(text string) {
            e.buf.WriteString(text) // WAIT
        }
        func put(e *encoder) { pool.Put(e) }
        """,
    "cut to nothing": """
        type scratch struct{ rows [][]byte }
        var pool = sync.Pool{New: func() any { return &scratch{} }}
        func put(s *scratch) {
            s.rows = s.rows[:0]
            pool.Put(s)
        }
        func work() { put(pool.Get().(*scratch)) }
        func (s *scratch) add() {
            s.rows = append(s.rows, make([]byte, 100)) // WAIT
        }
        """,
    "read to its end": """
        type encoder struct{ buf bytes.Buffer }
        var pool = sync.Pool{New: func() any { return new(encoder) }}
        func (e *encoder) row(text string) {
            e.buf.WriteString(text) // WAIT
        }
        func (e *encoder) done(w http.ResponseWriter) {
            e.buf.WriteTo(w)
            pool.Put(e)
        }
        """,
    "overwritten as a whole": """
        type encoder struct{ buf bytes.Buffer }
        var pool = sync.Pool{New: func() any { return new(encoder) }}
        func (e *encoder) row(text string) {
            e.buf.WriteString(text) // WAIT
        }
        func put(e *encoder) {
            *e = encoder{}
            pool.Put(e)
        }
        """,
    "never put back": """
        type encoder struct{ buf bytes.Buffer }
        func (e *encoder) row(text string) {
            e.buf.WriteString(text) // WAIT
        }
        func render(w http.ResponseWriter) {
            e := new(encoder)
            e.row("a")
            w.Write(e.buf.Bytes())
        }
        """,
}


@pytest.mark.parametrize("name", REUSED)
def test_a_buffer_of_what_is_used_again_that_nobody_empties(name: str) -> None:
    source = go(REUSED[name])
    explained(kept(source), source, "growing-container")


PIECES = {
    "of its lines": """
        type index struct{ ring []string; at int }
        func (x *index) add(raw []byte) {
            text := string(raw) // WAIT
            for line := range strings.Lines(text) { //! cut
                x.ring[x.at] = line //! stored
            }
        }
        """,
    "of its parts, one by one": """
        type index struct{ ring []string; at int }
        func (x *index) add(raw []byte) {
            text := string(raw) // WAIT
            for part := range strings.SplitSeq(text, ",") { //! cut
                x.ring[x.at] = part //! stored
            }
        }
        """,
    "copied": """
        type index struct{ ring []string; at int }
        func (x *index) add(raw []byte) {
            text := string(raw) // WAIT
            for line := range strings.Lines(text) {
                x.ring[x.at] = strings.Clone(line)
            }
        }
        """,
    "their numbers": """
        type index struct{ ring []int; at int }
        func (x *index) add(raw []byte) {
            for n := range strings.Split(string(raw), ",") { // WAIT
                x.ring[x.at] = n
            }
        }
        """,
}


@pytest.mark.parametrize("name", PIECES)
def test_pieces_that_an_iterator_gives(name: str) -> None:
    source = go(PIECES[name])
    explained(kept(source), source, "substring-pin")


def test_a_value_that_is_put_into_an_object_which_a_container_has_already() -> None:
    memo = lib("""
        type slot[V any] struct{ once sync.Once; val V }
        type Memo[K comparable, V any] struct{ vals map[K]*slot[V]; fn func(K) V }
        func Of[K comparable, V any](fn func(K) V) *Memo[K, V] {
            return &Memo[K, V]{vals: make(map[K]*slot[V]), fn: fn}
        }
        func (m *Memo[K, V]) slot(k K) *slot[V] {
            v, ok := m.vals[k]
            if !ok {
                v = new(slot[V])
                m.vals[k] = v //! never-removed
            }
            return v
        }
        func (m *Memo[K, V]) Get(k K) V {
            s := m.slot(k)
            s.once.Do(func() { s.val = m.fn(k) }) // UP 1
            return s.val
        }
        """)
    report = """
        type key struct{ region string; at int64 }
        type builder struct{ done *lib.Memo[key, []byte] }
        func begin() *builder {
            b := &builder{}
            b.done = lib.Of(b.render)
            return b
        }
        func (b *builder) render(k key) []byte {
            return make([]byte, 100) // WAIT
        }
        """
    source = {"main": go(report), LIB: memo}
    explained(kept(source), source, "growing-container")
    source[LIB] = memo.replace("//! never-removed", "\n            if len(m.vals) > 9 { clear(m.vals) }")
    assert kept(source) is None


METRICS = lib("""
    type Stats struct{ sent *prometheus.CounterVec }
    func (s *Stats) Done(account, tag string) {
        s.sent.WithLabelValues(account, tag).Inc() // WAIT //! stored
    }
    """).replace('"sync"', '"sync"; "github.com/prometheus/client_golang/prometheus"')
LABELLED = {
    "of a JSON request": """
        type message struct{ Account string; Tag string; Queued int }
        func post(w http.ResponseWriter, r *http.Request, s *lib.Stats) {
            var m message
            if err := json.NewDecoder(r.Body).Decode(&m); err != nil { //! key
                return
            }
            deliver(&m, s)
        }
        func deliver(m *message, s *lib.Stats) {
            s.Done("all", m.Tag) // UP 1
        }
        """,
    "of a framework's request": """
        type message struct{ Account string; Tag string }
        func post(c *gin.Context, s *lib.Stats) {
            m := new(message)
            if c.ShouldBindJSON(m) == nil { //! key
                s.Done(m.Account, m.Tag) // UP 1
            }
        }
        """,
    "of a batch": """
        type event struct{ Tag string }
        func take(data []byte, s *lib.Stats) {
            var events []event
            json.Unmarshal(data, &events) //! key
            for _, e := range events {
                s.Done("all", e.Tag) // UP 1
            }
        }
        """,
    "that the program sets": """
        type message struct{ Account string; Tag string }
        func post(w http.ResponseWriter, r *http.Request, s *lib.Stats) {
            var m message
            json.NewDecoder(r.Body).Decode(&m)
            m.Tag = class(m.Account)
            s.Done("all", m.Tag) // UP 1
        }
        """,
    "of another type": """
        type message struct{ Tag string }
        type route struct{ name string }
        func post(w http.ResponseWriter, r *http.Request, s *lib.Stats, to *route) {
            var m message
            json.NewDecoder(r.Body).Decode(&m)
            s.Done("all", to.name) // UP 1
        }
        """,
}


@pytest.mark.parametrize("name", LABELLED)
def test_labels_that_are_whatever_the_sender_says(name: str) -> None:
    metrics = METRICS if "//!" in LABELLED[name] else METRICS.replace("//! stored", "")
    source = {"main": go(LABELLED[name]).replace('"bytes"', '"bytes"; "encoding/json"'), LIB: metrics}
    inner = Frame("github.com/prometheus/client_golang/prometheus.(*CounterVec).WithLabelValues", "/mod/counter.go", 1)
    explained(kept(source, inner), source, "growing-container")
