"""Mistakes whose halves stand in several packages or functions: one takes, wakes, counts or closes, another forgets."""

import textwrap

import pytest

from go_scenes import explained, scene
from oakum.explain.questions import _answer, _answer_of_whole
from oakum.explain.reason import Reason, StackInSource
from oakum.model import Frame, Trace

LIB = "example.org/app/lib"
LOCK = ("sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock")
COND = ("sync.runtime_notifyListWait", "sync.(*Cond).Wait")
ACQUIRE = ("golang.org/x/sync/semaphore.(*Weighted).Acquire",)


def go(body: str) -> str:
    return f'package main\n\nimport ("context"; "errors"; "net/http"; "sync"; "{LIB}")\n{textwrap.dedent(body)}'


def lib(body: str) -> str:
    named = '("context"; "errors"; "sync"; "time"; "golang.org/x/sync/semaphore")'
    return f"package lib\n\nimport {named}\n{textwrap.dedent(body)}"


def answer(found: StackInSource) -> Reason | None:
    return _answer(found) or _answer_of_whole(found)


BOOK = lib("""
    type Account struct{ mu sync.Mutex; Balance int }
    type Book struct{ mu sync.RWMutex; all map[string]*Account }
    func (b *Book) Checkout(name string) (*Account, error) {
        b.mu.RLock()
        a, ok := b.all[name]
        b.mu.RUnlock()
        if !ok {
            return nil, errors.New("none")
        }
        a.mu.Lock() // WAIT
        return a, nil
    }
    func (b *Book) Return(a *Account) { a.mu.Unlock() }
    """)
SLOTS = lib("""
    type Slot struct{ sync.Mutex; n int }
    type Slots struct{ all []*Slot }
    func (s *Slots) Take(n int) (*Slot, bool) {
        if n >= len(s.all) {
            return nil, false
        }
        one := s.all[n]
        one.Lock() // WAIT
        return one, true
    }
    func (s *Slots) Give(one *Slot) { one.Unlock() }
    """)
LOCKS = {
    "taken and released by methods of another package": {
        LIB: BOOK,
        "main": go("""
            func withdraw(b *lib.Book, n int) error {
                acc, err := b.Checkout("a") //! locked
                if err != nil {
                    return err
                }
                if acc.Balance < n {
                    return errors.New("funds") //! never-unlocked
                }
                acc.Balance -= n
                b.Return(acc)
                return nil
            }
            """),
    },
    "with a bool in place of an error": {
        LIB: SLOTS,
        "main": go("""
            func use(s *lib.Slots, n int) int {
                one, ok := s.Take(n) //! locked
                if !ok {
                    return 0
                }
                if n == 3 {
                    return 3 //! never-unlocked
                }
                s.Give(one)
                return n
            }
            """),
    },
    "a wrapper that returns the object on the good path": {
        LIB: BOOK,
        "main": go("""
            func open(b *lib.Book, name string) (*lib.Account, error) {
                acc, err := b.Checkout(name) //! locked
                if err != nil {
                    return nil, err
                }
                if acc.Balance < 0 {
                    b.Return(acc)
                    return nil, errors.New("blocked")
                }
                if acc.Balance == 0 {
                    return nil, errors.New("empty") //! never-unlocked
                }
                return acc, nil
            }
            func pay(b *lib.Book) error {
                acc, err := open(b, "a")
                if err != nil {
                    return err
                }
                defer b.Return(acc)
                return nil
            }
            """),
    },
    "taken and released by helpers of one type": {
        LIB: lib("""
            type Store struct{ mu sync.Mutex; n int }
            func (s *Store) begin() {
                s.mu.Lock() // WAIT
            }
            func (s *Store) end() { s.mu.Unlock() }
            func (s *Store) Add(n int) bool {
                s.begin() // UP 1 //! locked
                if n < 0 {
                    return false //! never-unlocked
                }
                s.n += n
                s.end()
                return true
            }
            """),
        "main": go("func add(s *lib.Store) { s.Add(1) }\n"),
    },
    "an object that was looked up": {
        LIB: lib("""
            type item struct{ mu sync.Mutex; n int }
            type Store struct{ mu sync.Mutex; all map[string]*item }
            func (s *Store) find(name string) *item {
                s.mu.Lock()
                defer s.mu.Unlock()
                return s.all[name]
            }
            func (s *Store) Add(name string, n int) bool {
                one := s.find(name)
                one.mu.Lock() // WAIT //! locked
                if n < 0 {
                    return false //! never-unlocked
                }
                one.n += n
                one.mu.Unlock()
                return true
            }
            """),
        "main": go('func add(s *lib.Store) { s.Add("a", 1) }\n'),
    },
    "returned by a defer": {
        LIB: BOOK,
        "main": go("""
            func withdraw(b *lib.Book, n int) error {
                acc, err := b.Checkout("a")
                if err != nil {
                    return err
                }
                defer b.Return(acc)
                if acc.Balance < n {
                    return errors.New("funds")
                }
                return nil
            }
            """),
    },
    "returned by the goroutine that goes on with it": {
        LIB: BOOK,
        "main": go("""
            func withdraw(b *lib.Book, n int) error {
                acc, err := b.Checkout("a")
                if err != nil {
                    return err
                }
                if acc.Balance < n {
                    b.Return(acc)
                    return errors.New("funds")
                }
                go settle(b, acc)
                return nil
            }
            func settle(b *lib.Book, acc *lib.Account) { b.Return(acc) }
            """),
    },
    "kept until another request returns it": {
        LIB: BOOK,
        "main": go("""
            type desk struct{ b *lib.Book; open map[string]*lib.Account }
            func (d *desk) start(name string) error {
                acc, err := d.b.Checkout(name)
                if err != nil {
                    return err
                }
                if acc.Balance < 0 {
                    d.b.Return(acc)
                    return errors.New("blocked")
                }
                d.open[name] = acc
                return nil
            }
            func (d *desk) finish(name string) { d.b.Return(d.open[name]) }
            """),
    },
    "begun by one method and ended by another": {
        LIB: lib("""
            type Store struct{ mu sync.Mutex; n int }
            func (s *Store) Begin(n int) {
                s.mu.Lock() // WAIT
                if n < 0 {
                    s.mu.Unlock()
                    return
                }
                s.n = n
            }
            func (s *Store) End() { s.mu.Unlock() }
            """),
        "main": go("""
            func begin(s *lib.Store) { s.Begin(1) }
            func end(s *lib.Store) { s.End() }
            """),
    },
}


@pytest.mark.parametrize("name", LOCKS)
def test_locks_of_objects_that_are_lent(name: str) -> None:
    found = answer(scene(LOCKS[name], "sync.Mutex.Lock", LOCK, ("double-lock",)))
    explained(found, LOCKS[name], "double-lock")


GATE = """
    type Gate struct{ mu sync.Mutex; room *sync.Cond; max, inside, failed int }
    func New(max int) *Gate {
        g := &Gate{max: max}
        g.room = sync.NewCond(&g.mu)
        return g
    }
    func (g *Gate) Enter() {
        g.mu.Lock()
        defer g.mu.Unlock()
        for g.inside >= g.max {
            g.room.Wait() // WAIT
        }
        g.inside++
    }
    func (g *Gate) Leave() {
        g.mu.Lock()
        g.inside--
        g.room.Signal()
        g.mu.Unlock()
    }
    """
DESK = """
    func serve(g *lib.Gate, n int) error {
        g.Enter() // UP 1%s
        if n < 0 {
            %s
        }
        g.Leave()
        return nil
    }
    """
GATES = {
    "another method gives the place back and wakes nobody": (
        "lost-signal",
        {
            LIB: lib(
                f"{GATE}    func (g *Gate) Abort() {{\n        g.mu.Lock()\n        defer g.mu.Unlock()\n"
                "        g.inside-- //! never-signalled\n        g.failed++\n    }\n"
            ),
            "main": go(DESK % ("", 'g.Abort()\nreturn errors.New("n")')),
        },
    ),
    "the place is not given back": (
        "exhausted-pool",
        {LIB: lib(GATE), "main": go(DESK % (" //! acquired", 'return errors.New("n") //! never-released'))},
    ),
    "another method gives it back and wakes": (
        "",
        {
            LIB: lib(
                f"{GATE}    func (g *Gate) Abort() {{\n        g.mu.Lock()\n        defer g.mu.Unlock()\n"
                "        g.inside--\n        g.failed++\n        g.room.Signal()\n    }\n"
            ),
            "main": go(DESK % ("", 'g.Abort()\nreturn errors.New("n")')),
        },
    ),
}


@pytest.mark.parametrize("name", GATES)
def test_places_that_a_condition_variable_counts(name: str) -> None:
    mechanism, packages = GATES[name]
    explained(answer(scene(packages, "sync.Cond.Wait", COND, ("exhausted-pool",))), packages, mechanism)


BUDGET = lib("""
    type Budget struct{ sem *semaphore.Weighted }
    func New() *Budget { return &Budget{semaphore.NewWeighted(8)} }
    func (b *Budget) Reserve(n int64) func() {
        if err := b.sem.Acquire(context.Background(), n); err != nil { // WAIT
            return func() {}
        }
        return func() { b.sem.Release(n) }
    }
    """)
LENT = {
    "not released on an error": {
        LIB: BUDGET,
        "main": go("""
            func render(b *lib.Budget, s string) error {
                release := b.Reserve(4) // UP 1 //! acquired
                if s == "" {
                    return errors.New("empty") //! never-released
                }
                release()
                return nil
            }
            """),
    },
    "in one package": {
        LIB: lib("""
            type Budget struct{ sem *semaphore.Weighted }
            func New() *Budget { return &Budget{semaphore.NewWeighted(8)} }
            func (b *Budget) reserve(n int64) func() {
                _ = b.sem.Acquire(context.Background(), n) // WAIT
                return func() { b.sem.Release(n) }
            }
            func (b *Budget) Render(s string) error {
                done := b.reserve(4) // UP 1 //! acquired
                if s == "" {
                    return errors.New("empty") //! never-released
                }
                draw(s)
                done()
                return nil
            }
            """),
        "main": go('func render(b *lib.Budget) { b.Render("a") }\n'),
    },
    "taken and given back by two methods": {
        LIB: lib("""
            type Budget struct{ sem *semaphore.Weighted }
            func New() *Budget { return &Budget{semaphore.NewWeighted(8)} }
            func (b *Budget) In(ctx context.Context) error {
                return b.sem.Acquire(ctx, 1) // WAIT
            }
            func (b *Budget) Out() { b.sem.Release(1) }
            """),
        "main": go("""
            func render(ctx context.Context, b *lib.Budget, s string) error {
                if err := b.In(ctx); err != nil { // UP 1 //! acquired
                    return err
                }
                if s == "" {
                    return errors.New("empty") //! never-released
                }
                b.Out()
                return nil
            }
            """),
    },
    "released by a defer": {
        LIB: BUDGET,
        "main": go("""
            func render(b *lib.Budget, s string) error {
                release := b.Reserve(4) // UP 1
                defer release()
                if s == "" {
                    return errors.New("empty")
                }
                return nil
            }
            """),
    },
    "released by whoever ends the job": {
        LIB: BUDGET,
        "main": go("""
            type job struct{ end func() }
            func render(b *lib.Budget, s string) *job {
                release := b.Reserve(4) // UP 1
                if s == "" {
                    release()
                    return nil
                }
                return &job{end: release}
            }
            """),
    },
}


@pytest.mark.parametrize("name", LENT)
def test_places_of_a_semaphore_that_are_lent(name: str) -> None:
    explained(answer(scene(LENT[name], "select", ACQUIRE, ("exhausted-pool",))), LENT[name], "exhausted-pool")


GROUP = ("sync.runtime_SemacquireWaitGroup", "sync.(*WaitGroup).Wait")
ALBUM = """
    type batch struct{ sync.WaitGroup; mu sync.Mutex; sums []int }
    func (b *batch) accept(name string) func(int) {
        return func(sum int) {
            b.mu.Lock()
            b.sums = append(b.sums, sum)
            b.mu.Unlock()
            b.Done() //! done
        }
    }
    func all(p *lib.Press, names []string) []int {
        var b batch
        for _, n := range names {
            b.Add(1) //! added
            %s
        }
        b.Wait() // WAIT
        return b.sums
    }
    """
PRESS = """
    type job struct{ key string; done func(int) }
    type Press struct{ mu sync.Mutex; in chan job; busy map[string]bool }
    func (p *Press) Submit(key string, done func(int)) bool {
        p.mu.Lock()
        if p.busy[key] {
            p.mu.Unlock()
            %s
            return false%s
        }
        p.busy[key] = true
        p.mu.Unlock()
        p.in <- job{key, done}
        return true
    }
    func (p *Press) run() {
        for j := range p.in {
            if j.key == "" {
                %s
            }
            j.done(len(j.key))
        }
    }
    """
PLAIN = """
    func all(p *lib.Pool, names []string) {
        var wg sync.WaitGroup
        for _, n := range names {
            wg.Add(1)%s
            %s
        }
        wg.Wait() // WAIT
    }
    """
POOL = """
    type Pool struct{ tasks chan func(); hook func(string) }
    func (p *Pool) TrySubmit(task func()) bool {
        select {
        case p.tasks <- task:
            return true
        default:
            return false%s
        }
    }
    func (p *Pool) Go(task func()) { go task() }
    func (p *Pool) run() {
        for task := range p.tasks {
            task()
        }
    }
    """
CALLBACKS = {
    "dropped where the key is known": {
        LIB: lib(PRESS % ("", " //! never-done", "println()")),
        "main": go(ALBUM % "p.Submit(n, b.accept(n))"),
    },
    "dropped by the worker that takes the job": {
        LIB: lib(PRESS % ("done(0)", "", "continue //! never-done")),
        "main": go(ALBUM % "p.Submit(n, b.accept(n))"),
    },
    "dropped where the queue is full": {
        LIB: lib(POOL % " //! never-done"),
        "main": go(PLAIN % (" //! added", "p.TrySubmit(func() { defer wg.Done(); use(n) }) //! done")),
    },
    "dropped, and the result is only logged": {
        LIB: lib(POOL % " //! never-done"),
        "main": go(
            PLAIN
            % (" //! added", "if ok := p.TrySubmit(func() { defer wg.Done(); use(n) }); !ok { println(n) } //! done")
        ),
    },
    "called where the key is known": {
        LIB: lib(PRESS % ("done(0)", "", "println()")),
        "main": go((ALBUM % "p.Submit(n, b.accept(n))").replace(" //! done", "").replace(" //! added", "")),
    },
    "the caller counts off what was not taken": {
        LIB: lib(POOL % ""),
        "main": go(PLAIN % ("", "if !p.TrySubmit(func() { defer wg.Done(); use(n) }) { wg.Done() }")),
    },
    "the caller leaves when it was not taken": {
        LIB: lib(POOL % ""),
        "main": go(PLAIN % ("", "if !p.TrySubmit(func() { defer wg.Done(); use(n) }) { return }")),
    },
    "started in any case": {
        LIB: lib(POOL % ""),
        "main": go(PLAIN % ("", "p.Go(func() { defer wg.Done(); use(n) })")),
    },
}


@pytest.mark.parametrize("name", CALLBACKS)
def test_callbacks_that_count_off(name: str) -> None:
    found = answer(scene(CALLBACKS[name], "sync.WaitGroup.Wait", GROUP, ("waitgroup-never-done",)))
    explained(found, CALLBACKS[name], "waitgroup-never-done")


LEASE = """
    type Lease struct{ rows Rows; cancel context.CancelFunc; done bool }
    type Rows interface{ Drop(name string) error }
    func Grab(root context.Context, rows Rows) *Lease {
        ctx, cancel := context.WithCancel(root) //! made
        go renew(ctx) // GO //! started
        return &Lease{rows: rows, cancel: cancel}
    }
    func renew(ctx context.Context) {
        t := time.NewTicker(time.Second)
        defer t.Stop()
        for {
            select { // WAIT
            case <-t.C:
                println()
            case <-ctx.Done():
                return
            }
        }
    }
    """
RELEASED = """
    func run(ctx context.Context, rows lib.Rows) {
        l := lib.Grab(ctx, rows)
        if err := l.Release(); err != nil {
            println(err)
        }
    }
    """
LEASES = {
    "released only where what comes first does not fail": lib(
        LEASE
        + """
    func (l *Lease) Release() error {
        if err := l.rows.Drop("a"); err != nil {
            return err //! never-stopped
        }
        l.cancel() //! stopped
        return nil
    }
    """
    ),
    "with the error in a variable": lib(
        LEASE
        + """
    func (l *Lease) Release() error {
        err := l.rows.Drop("a")
        if err != nil {
            println(err)
            return err //! never-stopped
        }
        l.stop()
        return nil
    }
    func (l *Lease) stop() { l.cancel() }
    """
    ),
    "cancelled in any case": lib(
        LEASE
        + """
    func (l *Lease) Release() error {
        defer l.cancel()
        if err := l.rows.Drop("a"); err != nil {
            return err
        }
        return nil
    }
    """
    ),
    "cancelled once": lib(
        LEASE
        + """
    func (l *Lease) Release() error {
        if l.done {
            return nil
        }
        l.done = true
        l.cancel()
        return l.rows.Drop("a")
    }
    """
    ),
}


@pytest.mark.parametrize("name", LEASES)
def test_releases_that_come_after_what_can_fail(name: str) -> None:
    packages = {LIB: LEASES[name], "main": go(RELEASED)}
    if "never-stopped" not in LEASES[name]:
        packages[LIB] = LEASES[name].replace("//! made", "").replace("//! started", "")
    found = answer(scene(packages, "select", (), ("unstopped-worker",)))
    explained(found, packages, "unstopped-worker")


HUB = """
    type Member struct{ Room string; Out chan string }
    type Hub struct{ join, part, gone chan *Member; rooms map[string]map[*Member]struct{} }
    func (h *Hub) Join(m *Member) { h.join <- m }
    func (h *Hub) Part(m *Member) { h.part <- m }
    func (h *Hub) Gone(m *Member) { h.gone <- m }
    func (h *Hub) Run() {
        for {
            select {
            case m := <-h.join:
                if h.rooms[m.Room] == nil {
                    h.rooms[m.Room] = map[*Member]struct{}{}
                }
                h.rooms[m.Room][m] = struct{}{}
            case m := <-h.part:
                if h.remove(m) {
                    close(m.Out)
                }
            case m := <-h.gone:
                %s
            }
        }
    }
    func (h *Hub) remove(m *Member) bool {
        room, ok := h.rooms[m.Room]
        if !ok {
            return false
        }
        if _, ok := room[m]; !ok {
            return false
        }
        delete(room, m)
        return true
    }
    """
CONNECT = """
    func connect(h *lib.Hub, lost bool) {
        m := &lib.Member{Out: make(chan string, 8)}
        go write(m) // GO
        h.Join(m)
        if lost {
            h.Gone(m)
            return
        }
        h.Part(m)
    }
    func write(m *lib.Member) {
        for line := range m.Out { // WAIT
            println(line)
        }
    }
    """
HUBS = {
    "removed in another case without a close": "if h.remove(m) { println(m.Room) } //! never-closed",
    "removed, whatever it says": "h.remove(m) //! never-closed",
    "closed only when something else holds": "if h.remove(m) && m.Room != string(0) { close(m.Out) } //! never-closed",
    "removed and closed in both": "if h.remove(m) { close(m.Out) }",
    "closed when it was there": "if !h.remove(m) { continue }; close(m.Out)",
    "closed by its answer": "ok := h.remove(m); if ok { close(m.Out) }",
}


@pytest.mark.parametrize("name", HUBS)
def test_members_that_are_removed_and_not_closed(name: str) -> None:
    packages = {LIB: lib(HUB % HUBS[name]), "main": go(CONNECT)}
    found = answer(scene(packages, "chan receive", (), ("abandoned-receiver",)))
    explained(found, packages, "abandoned-receiver")


BOX = """
    type Box struct{ items chan string; closed chan struct{} }
    type Boxes struct{ mu sync.Mutex; all map[string]*Box }
    func (b *Boxes) Of(name string) *Box {
        b.mu.Lock()
        defer b.mu.Unlock()
        box, ok := b.all[name]
        if !ok {
            box = &Box{items: make(chan string, 8), closed: make(chan struct{})}
            b.all[name] = box
        }
        return box
    }
    func (b *Box) Put(item string) { b.items <- item }
    func (b *Box) Close() { close(b.closed) }
    """
POLL = """
    type hall struct{ boxes *lib.Boxes }
    func (h *hall) poll(w http.ResponseWriter, r *http.Request) {
        item, _ := h.boxes.Of(r.URL.Path).Next(%s) // UP 1
        w.Write([]byte(item))
    }
    func (h *hall) put(w http.ResponseWriter, r *http.Request) { h.boxes.Of(r.URL.Path).Put("a") }
    func (h *hall) close(name string) { h.boxes.Of(name).Close() }
    """
STREAM = """
    type hub struct{ mu sync.Mutex; subs map[chan string]bool }
    func (h *hub) say(line string) {
        for ch := range h.subs {
            ch <- line
        }
    }
    func (h *hub) serve(w http.ResponseWriter, r *http.Request) {
        ch := make(chan string, 8)
        h.subs[ch] = true
        defer delete(h.subs, ch)
        %s
    }
    """
POLLS = {
    "a select of messages and a close": (
        "select",
        {
            LIB: lib(
                BOX
                + """
    func (b *Box) Next(ctx context.Context) (string, error) {
        select { // WAIT //! never-interrupted
        case item := <-b.items:
            return item, nil
        case <-b.closed:
            return "", errors.New("closed")
        }
    }
    """
            ),
            "main": go(POLL % "r.Context()"),
        },
    ),
    "without a context": (
        "chan receive",
        {
            LIB: lib(
                BOX
                + """
    func (b *Box) Next() (string, error) {
        return <-b.items, nil // WAIT //! never-interrupted
    }
    """
            ),
            "main": go((POLL % "").replace("// UP 1", "// UP 1 //! left")),
        },
    ),
    "what is said to all, as long as it comes": (
        "chan receive",
        {
            LIB: lib(""),
            "main": go(
                STREAM % "for {\nline := <-ch // WAIT //! never-interrupted\nw.Write([]byte(line))\n}",
            ),
        },
    ),
    "with a case for the context": (
        "select",
        {
            LIB: lib(
                BOX
                + """
    func (b *Box) Next(ctx context.Context) (string, error) {
        select { // WAIT
        case item := <-b.items:
            return item, nil
        case <-ctx.Done():
            return "", ctx.Err()
        }
    }
    """
            ),
            "main": go(POLL % "r.Context()"),
        },
    ),
    "an answer to this request": (
        "chan receive",
        {
            LIB: lib("""
                type job struct{ name string; out chan string }
                type Pool struct{ jobs chan *job }
                func (p *Pool) Run() {
                    for j := range p.jobs {
                        j.out <- j.name
                    }
                }
                func (p *Pool) Do(ctx context.Context, name string) string {
                    j := &job{name, make(chan string)}
                    p.jobs <- j
                    return <-j.out // WAIT
                }
                """),
            "main": go("""
                func serve(p *lib.Pool, w http.ResponseWriter, r *http.Request) {
                    w.Write([]byte(p.Do(r.Context(), "a"))) // UP 1
                }
                """),
        },
    ),
    "somebody closes it when the context ends": (
        "chan receive",
        {
            LIB: lib(""),
            "main": go(
                STREAM
                % "go func() { <-r.Context().Done(); close(ch) }()\nfor line := range ch { // WAIT\nw.Write([]byte(line)) }"
            ),
        },
    ),
}


@pytest.mark.parametrize("name", POLLS)
def test_requests_that_outlive_their_clients(name: str) -> None:
    state, packages = POLLS[name]
    given = scene(packages, state, (), ("unstopped-worker",))
    serve = Frame("net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", 1)
    trace = Trace((*given.trace.frames, serve), state)
    explained(answer(StackInSource.of(given.suspect, given.program, trace)), packages, "detached-wait")


MEMBERS = """
    func ask(names []string) string {
        answers := make(chan string)%s
        %s
        for _, n := range names {
            %s
        }
        go func() {
            g.Wait() // WAIT
            close(answers)
        }()
        for a := range answers {
            %s
        }
        return ""
    }
    func one(n string, out chan<- string) error {
        out <- n
        return nil
    }
    """
ERRGROUP = ("g, _ := errgroup.WithContext(ctx)", "g.Go(func() error { return one(n, answers) })")
PLAIN_GROUP = ("var g sync.WaitGroup", "g.Add(1)\ngo func() { defer g.Done(); one(n, answers) }()")
FIRST = 'if a != "" {\nreturn a //! never-received\n}'
GROUPS = {
    "an errgroup whose answers are left": (MEMBERS % (" //! made", *ERRGROUP, FIRST), "errgroup", True),
    "a WaitGroup whose answers are left": (MEMBERS % (" //! made", *PLAIN_GROUP, FIRST), "sync", True),
    "nobody stands at the send": (MEMBERS % ("", *ERRGROUP, FIRST.partition(" //!")[0] + "\n}"), "errgroup", False),
    "all answers are taken": (MEMBERS % ("", *ERRGROUP, "println(a)"), "errgroup", True),
}


@pytest.mark.parametrize("name", GROUPS)
def test_members_of_a_group_that_are_stuck(name: str) -> None:
    text, kind, stands = GROUPS[name]
    source = f'package main\n\nimport ("golang.org/x/sync/errgroup"; "sync")\n{textwrap.dedent(text)}'
    waits = ("golang.org/x/sync/errgroup.(*Group).Wait",) if kind == "errgroup" else ()
    given = scene(source, "sync.WaitGroup.Wait", ("sync.(*WaitGroup).Wait", *waits), ("waitgroup-never-done",))
    send = next(number for number, line in enumerate(source.split("\n"), 1) if "out <- n" in line)
    if stands:
        given.program.frames = (Frame("main.one", "/srv/main/code.go", send),)
    explained(answer(given), source, "waitgroup-never-done")
