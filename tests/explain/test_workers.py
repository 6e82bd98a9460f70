"""Who stops this worker? Small programs with the lines that explain has to name, and look-alikes that are right."""

import textwrap
from string import Formatter

import pytest

from go_scenes import expected, scene, told
from oakum.explain.reason import Reason
from oakum.explain.workers.question import reason
from oakum.report.words import LANGUAGES, cause_workers, say

DEPENDENCY = "example.org/vendor/dep"


def go(body: str, imports: str = '"context"; "time"; "sync"') -> str:
    return f"package main\n\nimport ({imports})\n{textwrap.dedent(body)}"


def sentences(found: Reason) -> str:
    """Return what a reason says, in both languages; every name in a template has its value."""
    said = []
    for text in found.texts:
        for template, lang in zip(cause_workers.WORDS[text.key], LANGUAGES, strict=True):
            assert {name for _, name, _, _ in Formatter().parse(template) if name} <= set(text.args)
            said.append(say(text, lang))
    assert all(site.code for site in found.sites)
    return "\n".join(said)


def explained(source: str | dict[str, str], state: str, mechanism: str) -> None:
    """Assert that the reason names the marked lines, one of them first; without marks, that there is none."""
    found = reason(scene(source, state))
    wanted = expected(source)
    if not wanted:
        assert found is None, told(found)
        return
    assert found is not None
    assert found.mechanism == mechanism
    assert set(wanted) <= set(told(found)), told(found)
    assert told(found)[0] in wanted
    assert "code.go:" in sentences(found)


KEEPER = """
    type monitor struct{ quit chan struct{}; kick chan int }
    func start() *monitor {
        m := &monitor{quit: make(chan struct{}), kick: make(chan int)}
        go m.run() // GO
        return m
    }
    func (m *monitor) run() {
        for {
            select { // WAIT
            case <-m.kick:
            case <-m.quit:
                return
            }
        }
    }
    func (m *monitor) stop() { close(m.quit) }
    type keeper struct{ mu sync.Mutex; now *monitor; all map[string]*monitor; retire bool }
    """

KEEPERS = {
    "replaced": "func (k *keeper) apply() {\n k.now = start() //! never-stopped\n}",
    "replaced behind a flag": """
        func (k *keeper) apply() {
            next := start()
            before := k.now
            k.now = next //! never-stopped
            if before != nil && k.retire {
                before.stop()
            }
        }""",
    "stopped afterwards": """
        func (k *keeper) apply() {
            next := start()
            before := k.now
            k.now = next
            if before != nil {
                before.stop()
            }
        }""",
    "stopped first": """
        func (k *keeper) apply() {
            if k.now != nil {
                k.now.stop()
            }
            k.now = start()
        }""",
    "stopped when it is another": """
        func (k *keeper) apply() {
            next := start()
            if k.now != nil && k.now != next {
                k.now.stop()
            }
            k.now = next
        }""",
    "emptied": """
        func (k *keeper) open() { k.now = start() }
        func (k *keeper) Close() { //! never-stopped
            k.now = nil //! never-stopped
        }""",
    "deleted": """
        func (k *keeper) open(id string) {
            if k.all[id] == nil {
                k.all[id] = start()
            }
        }
        func (k *keeper) finish(id string) {
            k.all[id].stop()
            delete(k.all, id)
        }
        func (k *keeper) reap() {
            for id := range k.all {
                if id == "" {
                    delete(k.all, id) //! never-stopped
                }
            }
        }""",
    "deleted and stopped": """
        func (k *keeper) open(id string) {
            if _, ok := k.all[id]; !ok {
                k.all[id] = start()
            }
        }
        func (k *keeper) finish(id string) {
            if m, ok := k.all[id]; ok {
                delete(k.all, id)
                m.stop()
            }
        }""",
    "stopped by whoever deletes": """
        func (k *keeper) open(id string) {
            if k.all[id] == nil {
                k.all[id] = start()
            }
        }
        func (k *keeper) forget(id string) { delete(k.all, id) }
        func (k *keeper) finish(id string) {
            m := k.all[id]
            k.forget(id)
            m.stop()
        }""",
    "left behind": """
        func (k *keeper) probe() error {
            m := start() //! made
            if err := m.check(); err != nil {
                return err //! never-stopped
            }
            m.stop()
            return nil
        }
        func (m *monitor) check() error { return nil }""",
    "stopped on every way": """
        func (k *keeper) probe() error {
            m := start()
            defer m.stop()
            if err := m.check(); err != nil {
                return err
            }
            return nil
        }
        func (m *monitor) check() error { return nil }""",
    "thrown away": """
        func (k *keeper) probe() {
            start() //! never-stopped
        }
        func (k *keeper) other() { m := start(); defer m.stop() }""",
    "kept by the caller": """
        func open() *monitor { return start() }
        func use() { m := open(); m.kick <- 1; m.stop() }""",
}


def test_the_stop_channel_of_another_object() -> None:
    """The prober is left behind by design: its monitor is what stops it."""
    source = """
        type monitor struct{ quit chan struct{} }
        type prober struct{ m *monitor }
        type keeper struct{ now *monitor; retire bool }
        func start(links []string) *monitor {
            m := &monitor{quit: make(chan struct{})}
            for range links {
                p := &prober{m: m}
                go p.run() // GO
            }
            return m
        }
        func (p *prober) run() {
            t := time.NewTicker(time.Second)
            defer t.Stop()
            for p.wait(t.C) { // UP 1
            }
        }
        func (p *prober) wait(tick <-chan time.Time) bool {
            select { // WAIT
            case <-tick:
                return true
            case <-p.m.quit:
                return false
            }
        }
        func (m *monitor) stop() { close(m.quit) }
        func (k *keeper) apply() {
            next := start(nil)
            before := k.now
            k.now = next //! never-stopped
            if before != nil && k.retire {
                before.stop()
            }
        }"""
    explained(go(source), "select", "unstopped-worker")


def test_one_select_is_no_loop() -> None:
    source = "func f(a, b chan int) {\n go func() { // GO\n select { // WAIT\n case <-a:\n case <-b:\n }\n }()\n}"
    assert reason(scene(go(source), "select")) is None


@pytest.mark.parametrize("body", KEEPERS.values(), ids=KEEPERS)
def test_who_stops_what_is_kept(body: str) -> None:
    explained(go(textwrap.dedent(KEEPER) + textwrap.dedent(body)), "select", "unstopped-worker")


CONTEXTS = {
    "cancel kept and never called": """
        type policies struct{ changes chan int; cancel context.CancelFunc }
        type gate struct{ now *policies }
        func (g *gate) reload() {
            ctx, cancel := context.WithCancel(context.Background()) //! made
            fresh := &policies{changes: make(chan int), cancel: cancel}
            go fresh.follow(ctx) // GO
            g.now = fresh //! never-stopped
        }
        func (p *policies) close() { p.cancel() }
        func (p *policies) follow(ctx context.Context) {
            for {
                select { // WAIT
                case <-p.changes:
                case <-ctx.Done():
                    return
                }
            }
        }""",
    "cancel dropped": """
        func begin(in chan int) {
            ctx, _ := context.WithCancel(context.Background()) //! never-stopped
            go func() { // GO
                for {
                    select { // WAIT
                    case <-in:
                    case <-ctx.Done():
                        return
                    }
                }
            }()
        }""",
    "a context that never ends": """
        func begin(in chan int) {
            ctx := context.Background() //! never-stopped
            go follow(ctx, in) // GO
        }
        func follow(ctx context.Context, in chan int) {
            for {
                select { // WAIT
                case <-in:
                case <-ctx.Done():
                    return
                }
            }
        }""",
    "the clock ends it": """
        func begin(in chan int) {
            ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
            _ = cancel
            go follow(ctx, in) // GO
        }
        func follow(ctx context.Context, in chan int) {
            for {
                select { // WAIT
                case <-in:
                case <-ctx.Done():
                    return
                }
            }
        }""",
    "somebody else's context": """
        func (s *server) ServeHTTP(w writer, r *request) {
            go follow(r.Context(), s.in) // GO
        }
        type server struct{ in chan int }
        func follow(ctx context.Context, in chan int) {
            for {
                select { // WAIT
                case <-in:
                case <-ctx.Done():
                    return
                }
            }
        }""",
    "cancelled on every way": """
        func begin(in chan int) {
            ctx, cancel := context.WithCancel(context.Background())
            defer cancel()
            go follow(ctx, in) // GO
            <-in
        }
        func follow(ctx context.Context, in chan int) {
            for {
                select { // WAIT
                case <-in:
                case <-ctx.Done():
                    return
                }
            }
        }""",
    "a timer that leads out": """
        func begin(in chan int) {
            go func() { // GO
                for {
                    select { // WAIT
                    case <-in:
                    case <-time.After(time.Minute):
                        return
                    }
                }
            }()
        }""",
}


@pytest.mark.parametrize("body", CONTEXTS.values(), ids=CONTEXTS)
def test_contexts(body: str) -> None:
    explained(go(body), "select", "unstopped-worker")


LOOPS = {
    "over a channel that nobody closes": """
        type lane struct{ trucks chan int }
        func escort(t int) {
            l := &lane{trucks: make(chan int)} //! made
            go l.work() // GO
            l.trucks <- t
            return //! never-stopped
        }
        func (l *lane) work() {
            for range l.trucks { // WAIT
            }
        }""",
    "over a channel that is closed": """
        type lane struct{ trucks chan int }
        func escort(t int) {
            l := &lane{trucks: make(chan int)}
            go l.work() // GO
            l.trucks <- t
            close(l.trucks)
        }
        func (l *lane) work() {
            for range l.trucks { // WAIT
            }
        }""",
}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_loops_over_channels(body: str) -> None:
    explained(go(body), "chan receive", "unstopped-worker")


CLOCKS = {
    "a ticker without a way out": """
        type watch struct{}
        type watches struct{ active map[string]*watch }
        func (ws *watches) set(account string) {
            w := &watch{}
            ws.active[account] = w //! never-stopped
            go w.run() // GO
        }
        func (w *watch) run() {
            t := time.NewTicker(time.Second)
            defer t.Stop()
            for range t.C { // WAIT
            }
        }""",
    "nobody holds it": """
        type session struct{}
        func open() *session {
            s := &session{}
            go s.beat() //! never-stopped // GO
            return s
        }
        func (s *session) beat() {
            t := time.NewTicker(time.Second)
            for { //! never-stopped
                <-t.C // WAIT
            }
        }
        func use() { open() }""",
    "a flag that nobody sets": """
        type session struct{ closed bool }
        type desk struct{ all map[string]*session }
        func (d *desk) open(id string) {
            s := &session{}
            d.all[id] = s
            go s.beat() // GO
        }
        func (d *desk) drop(id string) { //! never-stopped
            delete(d.all, id) //! never-stopped
        }
        func (s *session) end() { s.closed = true }
        func (s *session) beat() {
            t := time.NewTicker(time.Second)
            for !s.closed {
                <-t.C // WAIT
            }
        }""",
    "a flag that is set": """
        type session struct{ closed bool }
        type desk struct{ all map[string]*session }
        func (d *desk) open(id string) {
            if d.all[id] != nil {
                return
            }
            s := &session{}
            d.all[id] = s
            go s.beat() // GO
        }
        func (d *desk) drop(id string) {
            d.all[id].end()
            delete(d.all, id)
        }
        func (s *session) end() { s.closed = true }
        func (s *session) beat() {
            t := time.NewTicker(time.Second)
            for !s.closed {
                <-t.C // WAIT
            }
        }""",
}


@pytest.mark.parametrize(("name", "body"), CLOCKS.items(), ids=CLOCKS)
def test_loops_by_the_clock(name: str, body: str) -> None:
    explained(go(body), "chan receive", "unstopped-worker" if "flag" in name else "timer-loop")


JANITOR = """package dep
    type Janitor struct{ stop, kick chan struct{} }
    func NewJanitor() *Janitor {
        j := &Janitor{stop: make(chan struct{}), kick: make(chan struct{})}
        go j.run() // GO
        return j
    }
    func (j *Janitor) run() {
        for {
            select { // WAIT
            case <-j.kick:
            case <-j.stop:
                return
            }
        }
    }
    func (j *Janitor) Stop() { close(j.stop) }
    """

OWNERS = {
    "thrown away": "func take() {\n dep.NewJanitor() //! never-stopped\n}",
    "left on an error": """
        func take() error {
            j := dep.NewJanitor() //! made
            if err := check(); err != nil {
                return err //! never-stopped
            }
            j.Stop()
            return nil
        }""",
    "kept and stopped only sometimes": """
        type snapshot struct{ j *dep.Janitor; closes bool }
        func take() *snapshot {
            s := &snapshot{j: dep.NewJanitor()} //! made
            return s
        }
        func (s *snapshot) close() {
            if s.closes {
                s.j.Stop() //! never-stopped
            }
        }""",
    "stopped": """
        type snapshot struct{ j *dep.Janitor }
        func take() *snapshot {
            return &snapshot{j: dep.NewJanitor()}
        }
        func (s *snapshot) close() {
            s.j.Stop()
        }
        func use() { s := take(); defer s.close() }""",
}


@pytest.mark.parametrize("body", OWNERS.values(), ids=OWNERS)
def test_workers_that_a_dependency_starts(body: str) -> None:
    own = go(body, f'"{DEPENDENCY}"')
    explained({DEPENDENCY: JANITOR, "main": own}, "select", "unstopped-worker")


def test_a_stop_channel_that_never_comes() -> None:
    factory = """package dep
        type Factory struct{}
        func New() *Factory { return &Factory{} }
        func (f *Factory) Start(stopCh <-chan struct{}) {
            go f.run(stopCh) // GO
        }
        func (f *Factory) run(stopCh <-chan struct{}) {
            f.cond.Wait() // WAIT
        }
        """
    own = go(
        """
        func follow(scoped bool, ctx context.Context) {
            f := dep.New()
            stop := wait.NeverStop //! never-stopped
            if scoped {
                stop = ctx.Done()
            }
            f.Start(stop) //! started
        }
        func right(ctx context.Context) {
            f := dep.New()
            f.Start(ctx.Done())
        }""",
        f'"{DEPENDENCY}"; "k8s.io/apimachinery/pkg/util/wait"; "context"',
    )
    explained({DEPENDENCY: factory, "main": own}, "sync.Cond.Wait", "unstopped-worker")
    never = own.replace("wait.NeverStop //! never-stopped", "ctx.Done()").replace("//! started", "")
    explained({DEPENDENCY: factory, "main": never}, "sync.Cond.Wait", "unstopped-worker")


def test_an_object_without_a_stop_channel() -> None:
    source = """
        type options struct{ stop chan struct{} }
        func until(stop <-chan struct{}, in chan int) {
            for {
                select { // WAIT
                case <-in:
                case <-stop:
                    return
                }
            }
        }
        func watch(o options, in chan int) {
            go until(o.stop, in) // GO
        }
        func use(in chan int) {
            stop := make(chan struct{})
            watch(options{stop: stop}, in)
            close(stop)
            watch(options{}, in) //! never-made
        }"""
    explained(go(source), "select", "unstopped-worker")


POOL = """
    type pool struct{ n int; jobs, quit chan int }
    func (p *pool) work() {
        for {
            select { // WAIT
            case <-p.jobs:
            case <-p.quit:
                return
            }
        }
    }
    """
STARTS = {
    "for every call": """
        func New() *pool { return &pool{quit: make(chan int)} //! made
        }
        func (p *pool) submit() {
            go p.work() //! never-stopped // GO
        }""",
    "up to a bound": """
        func New() *pool { return &pool{quit: make(chan int)} }
        func (p *pool) submit() {
            if p.n < 24 {
                p.n++
                go p.work() // GO
            }
        }""",
    "once": """
        func main() {
            p := &pool{quit: make(chan int)}
            for i := 0; i < 5; i++ {
                go p.work() // GO
            }
        }""",
}


@pytest.mark.parametrize("body", STARTS.values(), ids=STARTS)
def test_how_many_are_started(body: str) -> None:
    explained(go(textwrap.dedent(POOL) + textwrap.dedent(body)), "select", "unstopped-worker")


OUTLIVED = {
    "a channel that is handed over": """
        type broker struct{ done chan struct{} }
        func New() *broker { return &broker{done: make(chan struct{})} }
        func (b *broker) Close() { close(b.done) }
        type subscription struct{ in chan int }
        func (b *broker) Subscribe() *subscription {
            s := &subscription{in: make(chan int)}
            go s.run(b.done) //! started // GO
            return s
        }
        func (s *subscription) run(done <-chan struct{}) {
            for {
                select { // WAIT
                case <-s.in:
                case <-done: //! never-stopped
                    return
                }
            }
        }""",
    "what another package's object hands out": """
        type session struct{ hub *hub.Hub; in chan int }
        func handle(h *hub.Hub) {
            s := &session{hub: h, in: make(chan int)}
            go s.run() //! started // GO
        }
        func (s *session) run() {
            for {
                select { // WAIT
                case <-s.in:
                case <-s.hub.Closing(): //! never-stopped
                    return
                }
            }
        }""",
    "of an object that the call made": """
        type session struct{ hub *hub.Hub; in chan int }
        func handle() {
            s := &session{hub: hub.New(), in: make(chan int)}
            go s.run() // GO
        }
        func (s *session) run() {
            for {
                select { // WAIT
                case <-s.in:
                case <-s.hub.Closing():
                    return
                }
            }
        }""",
}


@pytest.mark.parametrize("body", OUTLIVED.values(), ids=OUTLIVED)
def test_what_ends_with_an_object_that_was_there_before(body: str) -> None:
    explained(go(body, '"example.org/hub"'), "select", "unstopped-worker")


def test_what_is_started_only_sometimes_is_not_said_to_be_started_by_every_call() -> None:
    source = go(
        textwrap.dedent(POOL + STARTS["for every call"]).replace("go p.work()", "if p.n > 3 { go p.work()") + "}"
    )
    found = reason(scene(source, "select"))
    assert found is not None
    assert "Every call" not in sentences(found)


def test_a_stop_that_is_looked_at_between_two_naps() -> None:
    source = go("""
        type watch struct{ done chan struct{} }
        func (w *watch) follow() {
            for {
                select {
                case <-w.done:
                    return
                default:
                    time.Sleep(time.Second) // WAIT
                }
            }
        }
        func handle() {
            w := &watch{done: make(chan struct{})} //! made
            go w.follow() //! started // GO
            serve()
        } //! never-stopped""")
    explained(source, "sleep", "unstopped-worker")


def test_a_worker_that_naps_over_its_jobs_ends_with_them() -> None:
    source = go("""
        type crew struct{ jobs chan int }
        func (c *crew) work() {
            for range c.jobs {
                time.Sleep(time.Second) // WAIT
            }
        }
        func (c *crew) submit() {
            go c.work() //! never-stopped // GO
        }
        func open() *crew {
            return &crew{jobs: make(chan int)}
        }""")
    explained(source, "sleep", "unstopped-worker")
    found = reason(scene(source, "sleep"))
    assert found is not None
    assert "until it is closed" in sentences(found)
    assert "without a way out" not in sentences(found)


def test_a_nap_that_the_clock_ends() -> None:
    source = go("""
        func wait(ready chan struct{}) {
            late := time.After(time.Minute)
            for {
                select {
                case <-late:
                    return
                default:
                    time.Sleep(time.Second) // WAIT
                }
            }
        }
        func handle() {
            go wait(nil) // GO
        }""")
    explained(source, "sleep", "timer-loop")


ENDS = {
    "never": """
        func fold() {
            for { //! never-stopped
                time.Sleep(time.Second) // WAIT
            }
        }""",
    "after so many rounds": """
        func fold() {
            for i := 0; i < 300; i++ {
                time.Sleep(time.Second) // WAIT
            }
        }""",
    "after all that there is": """
        func fold() {
            for _, one := range []int{1, 2} {
                time.Sleep(time.Duration(one)) // WAIT
            }
        }""",
    "with what it reads": """
        func fold() {
            for {
                if _, err := in.Read(nil); err != nil {
                    return
                }
                time.Sleep(time.Second) // WAIT
            }
        }""",
    "with what it scans": """
        func fold() {
            for in.Scan() {
                time.Sleep(time.Second) // WAIT
            }
        }""",
    "so many rounds, again and again": """
        func fold() {
            for { //! never-stopped
                for i := 0; i < 3; i++ {
                    time.Sleep(time.Second) // WAIT
                }
            }
        }""",
    "not before it works": """
        func fold() {
            for { //! never-stopped
                if err := in.Read(nil); err == nil {
                    return
                }
                time.Sleep(time.Second) // WAIT
            }
        }""",
}


@pytest.mark.parametrize("body", ENDS.values(), ids=ENDS)
def test_loops_that_end_by_themselves(body: str) -> None:
    start = "func Begin() {\n go fold() // GO\n}\n"
    found = reason(scene(go(start + textwrap.dedent(body)), "sleep"))
    assert [
        site for site in expected(go(start + textwrap.dedent(body))) if found is None or site not in told(found)
    ] == []
    assert (found is None) == ("//!" not in body)


def test_so_many_attempts_with_a_pause() -> None:
    source = """
        func begin(ctx context.Context) {
            go func() { // GO
                for i := 0; i < 5; i++ {
                    select { // WAIT
                    case <-ctx.Done():
                        return
                    case <-time.After(time.Second):
                    }
                }
            }()
        }"""
    explained(go(source), "select", "unstopped-worker")


def test_the_goroutine_itself_forgets_its_owner_when_it_has_ended() -> None:
    source = """
        type stream struct{ quit chan int }
        type server struct{ streams map[*stream]bool }
        func (s *server) Handle(st *stream) {
            s.streams[st] = true
            s.serve(st) // UP 1
            s.remove(st)
        }
        func (s *server) remove(st *stream) { delete(s.streams, st) }
        func (s *server) serve(st *stream) {
            for {
                select { // WAIT
                case <-st.quit:
                    return
                }
            }
        }
        func (s *server) Begin() {
            go s.Handle(&stream{quit: make(chan int)}) // GO
        }
        func (st *stream) stop() { close(st.quit) }"""
    explained(go(source), "select", "unstopped-worker")
    reaped = source + "\n        func (s *server) reap(st *stream) {\n s.remove(st)\n }"
    explained(go(reaped.replace("delete(s.streams, st)", "delete(s.streams, st) //! never-stopped\n")), "select",
              "unstopped-worker")  # fmt: skip


def test_what_only_knows_the_same_channel_is_no_owner() -> None:
    """A stream listens to its transport's done, and is forgotten when it has ended: the transport lives on."""
    source = """
        type transport struct{ done chan struct{}; active map[int]*stream }
        type stream struct{ id int; done chan struct{}; t *transport }
        func New() *transport {
            t := &transport{done: make(chan struct{}), active: map[int]*stream{}}
            go t.keepalive() // GO
            return t
        }
        func (t *transport) keepalive() {
            for {
                select { // WAIT
                case <-t.done:
                    return
                }
            }
        }
        func (t *transport) open(id int) {
            if t.active[id] == nil {
                t.active[id] = &stream{id: id, done: t.done, t: t}
            }
        }
        func (t *transport) finish(s *stream) { delete(t.active, s.id) }
        func (t *transport) Close() { close(t.done) }"""
    explained(go(source), "select", "unstopped-worker")


def test_a_mechanism_that_the_code_contradicts() -> None:
    body = KEEPERS["replaced"]
    found = reason(scene(go(textwrap.dedent(KEEPER) + body), "select", mechanisms=("timer-loop",)))
    assert found is not None
    assert found.mechanism == "unstopped-worker"


GROUP = """package dep
    type Group struct{}
    func (g *Group) Go(f func() error) {
        go func() { // GO
            f() // UP 1
        }()
    }
    """


def test_a_group_that_runs_whatever_it_is_given() -> None:
    """What g.Go starts is not told of another g.Go, and nothing is said about what a call without results returns."""
    run = """
        func run(ctx context.Context) error {
            for {
                select { // WAIT
                case <-ctx.Done():
                    return nil
                }
            }
        }
        func other(g *dep.Group) { g.Go(func() error { return nil }) }
        func begin(g *dep.Group, ctx context.Context) {
            g.Go(func() error {
                return run(ctx) // UP 0
            })
        }"""
    imports = f'"context"; "{DEPENDENCY}"'
    assert reason(scene({DEPENDENCY: GROUP, "main": go(run, imports)}, "select")) is None
    never = run.replace("ctx context.Context) {", "in int) {").replace("return run(ctx)", "return run(context.TODO())")
    found = reason(scene({DEPENDENCY: GROUP, "main": go(never, imports)}, "select"))
    assert found is not None
    assert "does not keep" not in sentences(found)
    assert {site.frame.function for site in found.sites} <= {"main.begin", "main.begin.func1"}


def test_what_another_own_package_starts_and_this_one_leaves_running() -> None:
    tail = JANITOR.replace("package dep", "package tail")
    for body, path in (
        (OWNERS["left on an error"], "example.org/m/tail"),
        (OWNERS["stopped"], "example.org/m/tail"),
        ("type set struct{ j *tail.Janitor }\nfunc (s *set) load() {\n s.j = tail.NewJanitor() //! never-stopped\n}\n"
         "func (s *set) close() { s.j.Stop() }", "example.org/m/tail"),
    ):  # fmt: skip
        own = go(body.replace("dep.", "tail."), f'"{path}"')
        explained({path: tail, "main": own}, "select", "unstopped-worker")


SELECTS = {
    "all ways are closed": """
        type node struct{ prop chan int; done chan struct{} }
        func (n *node) run() {
            for p := range n.prop {
                if p < 0 {
                    return //! never-received
                }
            }
        }
        func (n *node) propose(ctx context.Context, p int) {
            select { // WAIT
            case n.prop <- p:
            case <-ctx.Done():
            case <-n.done:
            }
        }
        func Begin() {
            n := &node{make(chan int), make(chan struct{})} //! never-closed
            go n.run()
            go n.propose(context.TODO(), 1) //! never-cancelled // GO
        }""",
    "done is closed": """
        type node struct{ prop chan int; done chan struct{} }
        func (n *node) run() {
            defer close(n.done)
            for p := range n.prop {
                if p < 0 {
                    return
                }
            }
        }
        func (n *node) propose(ctx context.Context, p int) {
            select { // WAIT
            case n.prop <- p:
            case <-ctx.Done():
            case <-n.done:
            }
        }
        func Begin() {
            n := &node{make(chan int), make(chan struct{})}
            go n.run()
            go n.propose(context.TODO(), 1) // GO
        }""",
    "the context may end": """
        type node struct{ prop chan int; done chan struct{} }
        func (n *node) run() {
            for p := range n.prop {
                if p < 0 {
                    return
                }
            }
        }
        func (n *node) propose(ctx context.Context, p int) {
            select { // WAIT
            case n.prop <- p:
            case <-ctx.Done():
            case <-n.done:
            }
        }
        func Begin(ctx context.Context) {
            n := &node{make(chan int), make(chan struct{})}
            go n.run()
            go n.propose(ctx, 1) // GO
        }""",
    "the way out outlives the call": """
        type engine struct{ ctx context.Context; sources []int }
        func (e *engine) best(budget int) int {
            answers := make(chan int) //! made
            for _, one := range e.sources {
                go e.ask(one, answers) // GO
            }
            for range e.sources {
                if a := <-answers; a < budget {
                    return a //! never-received
                }
            }
            return 0
        }
        func (e *engine) ask(one int, out chan<- int) {
            select { // WAIT
            case out <- one:
            case <-e.ctx.Done():
            }
        }""",
    "the way out is made for the call": """
        type engine struct{ ctx context.Context; sources []int }
        func best(ctx context.Context, sources []int) int {
            e := &engine{ctx: ctx, sources: sources}
            answers := make(chan int)
            for _, one := range e.sources {
                go e.ask(one, answers) // GO
            }
            for range e.sources {
                if a := <-answers; a < 3 {
                    return a
                }
            }
            return 0
        }
        func (e *engine) ask(one int, out chan<- int) {
            select { // WAIT
            case out <- one:
            case <-e.ctx.Done():
            }
        }""",
    "a timer ends it": """
        type node struct{ prop chan int }
        func (n *node) run() {
            for p := range n.prop {
                if p < 0 {
                    return
                }
            }
        }
        func (n *node) propose(p int) {
            select { // WAIT
            case n.prop <- p:
            case <-time.After(time.Second):
            }
        }
        func Begin() {
            n := &node{make(chan int)}
            go n.run()
            go n.propose(1) // GO
        }""",
}


@pytest.mark.parametrize("body", SELECTS.values(), ids=SELECTS)
def test_selects_in_which_no_case_comes(body: str) -> None:
    source = go(body)
    found = reason(scene(source, "select"))
    assert (found is None) == ("//!" not in body)
    if found is not None:
        assert set(expected(source)) <= set(told(found))
        assert found.mechanism == "abandoned-sender"
        closes = [one for one in found.remedies if "defer close(n.done)" in (one.diff or "")]
        assert bool(closes) == ("n.done" in body)  # nobody closes the object's way out for one call


def test_others_are_not_its_matter() -> None:
    source = go("func f(c chan int) {\n go func() { // GO\n c <- 1 // WAIT\n }()\n}")
    assert reason(scene(source, "chan send")) is None
    source = go("func f(c chan int) int {\n return <-c // WAIT\n}\nfunc g() { go f(nil) // GO\n}")
    assert reason(scene(source, "chan receive")) is None


HEARTBEAT = """package main

import "context"

type exporter struct {
	parent context.Context
	in     chan int
}

func (e *exporter) run(job string) {
	ctx, cancel := context.WithCancel(e.parent)
	go e.heartbeat(ctx) // GO
	if job == "" {
		return
	}
	cancel()
}

func (e *exporter) heartbeat(ctx context.Context) {
	for {
		select { // WAIT
		case <-e.in:
		case <-ctx.Done():
			return
		}
	}
}
"""


def test_a_context_that_is_not_cancelled_on_one_way_out() -> None:
    found = reason(scene(HEARTBEAT, "select"))
    assert found is not None
    assert told(found) == [("never-cancelled", "main", 14), ("made", "main", 11)]
    assert any("defer cancel()" in (remedy.diff or "") for remedy in found.remedies)
    deferred = HEARTBEAT.replace("\tgo e.heart", "\tdefer cancel()\n\tgo e.heart").replace("\tcancel()\n}", "}")
    again = reason(scene(deferred, "select"))
    assert again is None or "never-cancelled" not in [role for role, _, _ in told(again)]
