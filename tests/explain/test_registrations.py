"""Registrations, timers and finalizers: small programs, the lines that explain has to name, look-alikes that are right.

The frames of an allocation are marked as those of a stack: WAIT allocates, UP 1 called it, and so on.
"""

import textwrap

import pytest
from msgspec.structs import replace

from go_scenes import expected, scene, told
from oakum.explain.reason import StackInSource
from oakum.explain.workers import finalizers, registrations, timers
from oakum.model import Site, Trace
from oakum.report.words import cause_workers

DEPENDENCY = "example.org/vendor/dep"


def go(body: str, imports: str = "") -> str:
    return f'package main\n\nimport ("context"; "time"; "runtime"; "sync"; {imports})\n{textwrap.dedent(body)}'


def allocated(source: str | dict[str, str], mechanism: str, *also: Site) -> StackInSource:
    """Return the scene of memory whose frames are marked."""
    marked = scene(source, "running", mechanisms=(mechanism,))
    path = marked.trace.frames[::-1]
    suspect = replace(marked.suspect, path=path, traces=(), sites=(Site("allocated", path[-1]), *also))
    return StackInSource.of(suspect, marked.program, Trace(()))


BUS = """package dep
    type Bus struct{ subs map[*Subscription]struct{} }
    type Subscription struct{ bus *Bus; ring []int }
    func (b *Bus) Subscribe(topic string) *Subscription {
        s := newSubscription(b) // UP 1
        b.subs[s] = struct{}{}
        return s
    }
    func newSubscription(b *Bus) *Subscription { return &Subscription{bus: b, ring: make([]int, 1024)} } // WAIT
    func (s *Subscription) Cancel() { delete(s.bus.subs, s) }
    func (b *Bus) OnChange(f func()) (remove func()) {
        b.subs[newSubscription(b)] = struct{}{}
        return func() {}
    }
    """

SUBSCRIBERS = {
    "lost when greeting fails": """
        type tenant struct{ id string; rules *dep.Subscription }
        type gate struct{ bus *dep.Bus; byID map[string]*tenant }
        func (g *gate) run() {
            for {
                g.admit("t") //! driver // UP 4
            }
        }
        func (g *gate) admit(id string) error {
            t := g.newTenant(id) //! made // UP 3
            if err := greet(id); err != nil {
                return err //! never-stopped
            }
            g.byID[id] = t
            return nil
        }
        func (g *gate) newTenant(id string) *tenant {
            t := &tenant{id: id}
            t.rules = g.bus.Subscribe("policy") //! registered // UP 2
            return t
        }""",
    "greeted first": """
        type tenant struct{ id string; rules *dep.Subscription }
        type gate struct{ bus *dep.Bus; byID map[string]*tenant }
        func (g *gate) run() {
            for _, id := range list() {
                if g.has(id) {
                    continue
                }
                g.admit(id) // UP 4
            }
        }
        func (g *gate) has(id string) bool { return g.byID[id] != nil }
        func (g *gate) admit(id string) error {
            if err := greet(id); err != nil {
                return err
            }
            t := g.newTenant(id) // UP 3
            g.byID[id] = t
            return nil
        }
        func (g *gate) drop(id string) {
            if t := g.byID[id]; t != nil {
                t.rules.Cancel()
                delete(g.byID, id)
            }
        }
        func (g *gate) replace(id string) { g.drop(id) }
        func (g *gate) newTenant(id string) *tenant {
            t := &tenant{id: id}
            t.rules = g.bus.Subscribe("policy") // UP 2
            return t
        }""",
    "cancelled at the end": """
        func serve(b *dep.Bus) {
            s := b.Subscribe("policy") // UP 2
            defer s.Cancel()
            work()
        }""",
    "kept and forgotten": """
        type page struct{ s *dep.Subscription }
        type pages struct{ all map[string]*page }
        func (p *pages) open(b *dep.Bus, id string) {
            one := &page{s: b.Subscribe("policy")} //! registered // UP 2
            p.all[id] = one
        }
        func (p *pages) end(id string) { //! never-stopped
            delete(p.all, id) //! never-stopped
        }""",
}


@pytest.mark.parametrize("body", SUBSCRIBERS.values(), ids=SUBSCRIBERS)
def test_subscriptions(body: str) -> None:
    source = {DEPENDENCY: BUS, "main": go(body, f'"{DEPENDENCY}"')}
    explained(source, allocated(source, "accumulating-registration"))


def explained(source: str | dict[str, str], given: StackInSource) -> None:
    found = next((one for ask in (registrations, timers, finalizers) if (one := ask.reason(given)) is not None), None)
    wanted = expected(source)
    if not wanted:
        assert found is None, told(found)
        return
    assert found is not None
    assert found.mechanism == given.suspect.mechanisms[0]
    assert {(path, line) for _, path, line in wanted} <= {(path, line) for _, path, line in told(found)}, told(found)
    assert told(found)[0] in wanted
    said = [one.format(**text.args) for text in found.texts for one in cause_workers.WORDS[text.key]]
    assert "code.go:" in "".join(said)


def test_what_removes_it_is_thrown_away() -> None:
    bus = BUS.replace(" // UP 1", "").replace("b.subs[newSubscription(b)] = struct{}{}", "newSubscription(b) // UP 1")
    own = """
        func catalog(b *dep.Bus) {
            x := experiments(b) //! driver // UP 3
            _ = x
        }
        func experiments(b *dep.Bus) int {
            b.OnChange(func() {}) //! never-stopped // UP 2
            return 1
        }"""
    source = {DEPENDENCY: bus, "main": go(own, f'"{DEPENDENCY}"')}
    explained(source, allocated(source, "accumulating-registration"))


def test_what_lasts_as_long_as_the_loop() -> None:
    """The record is dropped when its start fails; what was registered for it under the loop's context stays."""
    dep = """package dep
        type Controller struct{}
        func (c *Controller) OnChange(ctx context.Context, name string, f func()) {
            add() // UP 1
        }
        func add() { keep(make([]int, 1024)) } // WAIT
        """
    own = """
        type record struct{ access *access; cancel context.CancelFunc }
        type manager struct{ ctx context.Context; c *dep.Controller; running sync.Map }
        type access struct{}
        func newAccess(ctx context.Context, c *dep.Controller) *access {
            c.OnChange(ctx, "access", func() {}) //! registered // UP 2
            return &access{}
        }
        func (m *manager) loop() {
            for range time.Tick(time.Second) {
                m.start(m.ctx, "c") //! driver // UP 5
            }
        }
        func (m *manager) start(ctx context.Context, id string) (*record, error) {
            obj, ok := m.running.Load(id)
            if ok {
                return obj.(*record), nil
            }
            r, err := m.toRecord(ctx) // UP 4
            if err != nil {
                return nil, err
            }
            obj, _ = m.running.LoadOrStore(id, r)
            if err := begin(obj.(*record)); err != nil {
                m.unavailable(id) //! never-removed
                return nil, err
            }
            return obj.(*record), nil
        }
        func (m *manager) unavailable(id string) { m.stop(id) }
        func (m *manager) stop(id string) {
            obj, ok := m.running.Load(id)
            if !ok {
                return
            }
            obj.(*record).cancel()
            m.running.Delete(id) //! never-removed
        }
        func (m *manager) toRecord(ctx context.Context) (*record, error) {
            r := &record{}
            r.access = newAccess(ctx, m.c) //! registered-too-early // UP 3
            return r, nil
        }"""
    source = {DEPENDENCY: dep, "main": go(own, f'"{DEPENDENCY}"')}
    explained(source, allocated(source, "accumulating-registration"))


TIMERS = {
    "sets itself again": """
        type lookout struct{ timer *time.Timer; track []int }
        type hub struct{ looking map[*lookout]struct{} }
        func (h *hub) enter() *lookout {
            l := &lookout{track: make([]int, 512)} // WAIT
            l.timer = time.AfterFunc(time.Second, l.lease) //! made
            h.looking[l] = struct{}{}
            return l
        }
        func (h *hub) leave(l *lookout) { //! never-stopped
            delete(h.looking, l) //! never-stopped
        }
        func (l *lookout) lease() { l.timer.Reset(time.Second) } //! armed
        """,
    "stopped when it leaves": """
        type lookout struct{ timer *time.Timer; track []int }
        type hub struct{ looking map[*lookout]struct{} }
        func (h *hub) enter() *lookout {
            l := &lookout{track: make([]int, 512)} // WAIT
            l.timer = time.AfterFunc(time.Second, l.lease)
            h.looking[l] = struct{}{}
            return l
        }
        func (h *hub) leave(l *lookout) {
            l.timer.Stop()
            delete(h.looking, l)
        }
        func (l *lookout) lease() { l.timer.Reset(time.Second) }
        """,
    "stopped behind a flag": """
        type line struct{ hold *time.Timer }
        type cart struct{ id string; lines []line }
        type carts struct{ release bool; byID map[string]*cart }
        func (c *carts) open(id string) *cart {
            one := &cart{id: id, lines: make([]line, 0, 160)} // WAIT
            c.byID[id] = one
            return one
        }
        func (c *carts) add(one *cart) {
            one.lines = append(one.lines, line{})
            one.lines[len(one.lines)-1].hold = c.hold(one)
        }
        func (c *carts) hold(one *cart) *time.Timer {
            return time.AfterFunc(time.Hour, func() { c.abandon(one) }) //! made
        }
        func (c *carts) close(one *cart) { //! never-stopped
            delete(c.byID, one.id) //! never-stopped
            for _, l := range one.lines {
                if c.release {
                    l.hold.Stop()
                }
            }
        }
        func (c *carts) abandon(one *cart) {}
        """,
    "nobody has it": """
        func remind(n int) *time.Timer {
            msg := make([]byte, n) // WAIT
            return time.AfterFunc(time.Hour, func() { send(msg) }) //! made
        }
        func handle() {
            remind(12) //! never-stopped // UP 1
        }""",
    "a ticker of a function that returns": """
        func await() bool {
            t := time.NewTicker(time.Minute) //! made // WAIT
            select {
            case <-t.C:
                return false //! never-stopped
            default:
                return true
            }
        }""",
    "a ticker that is stopped": """
        func await() bool {
            t := time.NewTicker(time.Minute) // WAIT
            defer t.Stop()
            select {
            case <-t.C:
                return false
            default:
                return true
            }
        }""",
}


@pytest.mark.parametrize("body", TIMERS.values(), ids=TIMERS)
def test_timers(body: str) -> None:
    source = go(body)
    explained(source, allocated(source, "unstopped-timer"))


FINALIZERS = {
    "sleeps": """
        func open() *sheet {
            s := &sheet{raster: make([]byte, 10)}
            runtime.SetFinalizer(s, closeSheet) //! registered
            return s
        }
        type sheet struct{ raster []byte; f *file }
        type file struct{}
        func closeSheet(s *sheet) { s.f.Close() }
        func (f *file) Close() error { return f.sync() }
        func (f *file) sync() error {
            time.Sleep(time.Second) //! waits // WAIT
            return nil
        }""",
    "sends to nobody": """
        type pool struct{ freed chan int }
        type segment struct{ pool *pool; data []byte }
        func (p *pool) lend() *segment {
            s := &segment{pool: p}
            runtime.SetFinalizer(s, (*segment).release) //! registered
            return s
        }
        func (s *segment) release() {
            s.pool.freed <- 1 //! waits // WAIT
        }
        func (p *pool) recycle(ctx context.Context) {
            for {
                select {
                case <-ctx.Done():
                    return
                case slot := <-p.freed:
                    if err := erase(slot); err != nil {
                        return //! never-received
                    }
                }
            }
        }""",
    "no finalizer comes there": """
        func open() *sheet {
            s := &sheet{}
            runtime.SetFinalizer(s, closeSheet)
            return s
        }
        type sheet struct{}
        func closeSheet(s *sheet) {}
        func other() {
            time.Sleep(time.Second) // WAIT
        }""",
}


@pytest.mark.parametrize("body", FINALIZERS.values(), ids=FINALIZERS)
def test_finalizers(body: str) -> None:
    source = go(body)
    given = scene(source, "sleep", mechanisms=("finalizer-backlog",))
    explained(source, given)
