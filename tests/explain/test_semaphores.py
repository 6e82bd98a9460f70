"""Who took a turn and did not give it back? Semaphores, pools and channels that serve as locks, and what is right."""

import pytest

from go_scenes import explained, go, scene, told
from oakum.explain.locks.question import reason

SENDS = {
    "an error leaves without giving back": """
        type limiter chan struct{}
        func newLimiter() limiter { return make(limiter, 3) }
        func (l limiter) do(f func() error) error {
            l <- struct{}{} // WAIT //! acquired
            if err := f(); err != nil {
                return err //! never-released
            }
            <-l
            return nil
        }
        """,
    "taken and given back by helpers": """
        type desk struct{ places chan bool }
        func newDesk() *desk { return &desk{places: make(chan bool, 8)} }
        func (d *desk) enter() {
            d.places <- true // WAIT
        }
        func (d *desk) leave() { <-d.places }
        func (d *desk) serve(n int) {
            d.enter() // UP 1 //! acquired
            if n == 0 {
                return //! never-released
            }
            work(n)
            d.leave()
        }
        """,
    "taken in a select": """
        type desk struct{ places chan struct{} }
        func newDesk() *desk { return &desk{places: make(chan struct{}, 8)} }
        func (d *desk) serve(ctx context.Context, n int) error {
            select { // WAIT
            case d.places <- struct{}{}: //! acquired
            case <-ctx.Done():
                return ctx.Err()
            }
            if n == 0 {
                return nil //! never-released
            }
            <-d.places
            return nil
        }
        """,
    "given back by a defer": """
        var places = make(chan struct{}, 8)
        func serve(n int) {
            places <- struct{}{} // WAIT
            defer func() { <-places }()
            if n == 0 {
                return
            }
            work(n)
        }
        """,
    "given back by the goroutine that it was taken for": """
        var places = make(chan struct{}, 8)
        func serve(n int) {
            places <- struct{}{} // WAIT
            if n == 0 {
                <-places
                return
            }
            go func() {
                defer func() { <-places }()
                work(n)
            }()
        }
        """,
    "given back by a function that is started": """
        type desk struct{ places chan struct{} }
        func newDesk() *desk { return &desk{places: make(chan struct{}, 8)} }
        func (d *desk) serve(n int) {
            d.places <- struct{}{} // WAIT
            if n == 0 {
                <-d.places
                return
            }
            go d.work(n)
        }
        func (d *desk) work(n int) { <-d.places }
        """,
    "given back when what was opened is closed": """
        type desk struct{ places chan struct{} }
        type visit struct{ d *desk }
        func newDesk() *desk { return &desk{places: make(chan struct{}, 8)} }
        func (d *desk) Open(n int) (*visit, error) {
            d.places <- struct{}{} // WAIT
            if n == 0 {
                <-d.places
                return nil, errClosed
            }
            return &visit{d}, nil
        }
        func (v *visit) Close() { <-v.d.places }
        """,
    "as many as there are, then all back": """
        var places = make(chan struct{}, 8)
        func all(n int) {
            for i := 0; i < n; i++ {
                places <- struct{}{} // WAIT
            }
            for i := 0; i < n; i++ {
                <-places
            }
        }
        """,
    "a queue that is worked off elsewhere": """
        type queue struct{ jobs chan int }
        func newQueue() *queue { return &queue{jobs: make(chan int, 8)} }
        func (q *queue) put(n int) { q.jobs <- n } // WAIT
        func (q *queue) work() {
            for {
                n := <-q.jobs
                if n == 0 {
                    return
                }
            }
        }
        """,
}


@pytest.mark.parametrize("name", SENDS)
def test_places(name: str) -> None:
    source = go(SENDS[name], "context")
    state = "select" if "select {" in source else "chan send"
    explained(reason(scene(source, state, (), ("abandoned-sender",))), source, "abandoned-sender")


POOLS = {
    "a return without putting back": """
        type pool struct{ free chan *conn }
        func newPool() *pool {
            p := &pool{free: make(chan *conn, 4)}
            for i := 0; i < 4; i++ {
                p.free <- &conn{}
            }
            return p
        }
        func (p *pool) get() *conn {
            return <-p.free // WAIT
        }
        func (p *pool) put(c *conn) { p.free <- c }
        func (p *pool) query(bad bool) error {
            c := p.get() // UP 1 //! acquired
            if bad {
                return errBad //! never-released
            }
            c.run()
            p.put(c)
            return nil
        }
        """,
    "a context that may end first": """
        type pool struct{ free chan *conn }
        func newPool() *pool {
            p := &pool{free: make(chan *conn, 4)}
            p.free <- &conn{}
            return p
        }
        func (p *pool) get(ctx context.Context) (*conn, error) {
            select { // WAIT
            case c := <-p.free:
                return c, nil
            case <-ctx.Done():
                return nil, ctx.Err()
            }
        }
        func (p *pool) put(c *conn) { p.free <- c }
        func (p *pool) query(ctx context.Context, q string) error {
            c, err := p.get(ctx) // UP 1 //! acquired
            if err != nil {
                return err
            }
            if err := c.run(q); err != nil {
                return err //! never-released
            }
            p.put(c)
            return nil
        }
        """,
    "put back on every way": """
        type pool struct{ free chan *conn }
        func newPool() *pool { return &pool{free: make(chan *conn, 4)} }
        func (p *pool) query(bad bool) error {
            c := <-p.free // WAIT
            if bad {
                p.free <- c
                return errBad
            }
            p.free <- c
            return nil
        }
        """,
    "handed to the caller": """
        type pool struct{ free chan *conn }
        func newPool() *pool { return &pool{free: make(chan *conn, 4)} }
        func (p *pool) Get() (*conn, error) {
            c := <-p.free // WAIT
            if c.broken {
                p.free <- c
                return nil, errBad
            }
            return c, nil
        }
        """,
    "kept for later": """
        type pool struct{ free chan *conn; mine *conn }
        func newPool() *pool { return &pool{free: make(chan *conn, 4)} }
        func (p *pool) reserve(keep bool) {
            c := <-p.free // WAIT
            if keep {
                p.mine = c
                return
            }
            p.free <- c
        }
        """,
    "a new one is made in its place": """
        type pool struct{ free chan *conn }
        func newPool() *pool { return &pool{free: make(chan *conn, 4)} }
        func (p *pool) refill() { p.free <- &conn{} }
        func (p *pool) query(bad bool) {
            c := <-p.free // WAIT
            if bad {
                go p.refill()
                return
            }
            p.free <- c
        }
        """,
}


@pytest.mark.parametrize("name", POOLS)
def test_pools(name: str) -> None:
    source = go(POOLS[name], "context")
    state = "select" if "select {" in source else "chan receive"
    explained(reason(scene(source, state, (), ("abandoned-receiver",))), source, "abandoned-receiver")


WEIGHTED = {
    "an error leaves without Release": """
        type builder struct{ sem *semaphore.Weighted }
        func (b *builder) build(ctx context.Context, ok bool) error {
            if err := b.sem.Acquire(ctx, 1); err != nil { // WAIT //! acquired
                return err
            }
            if !ok {
                return errBad //! never-released
            }
            b.sem.Release(1)
            return nil
        }
        """,
    "released on every way": """
        type builder struct{ sem *semaphore.Weighted }
        func (b *builder) build(ctx context.Context, ok bool) error {
            if err := b.sem.Acquire(ctx, 1); err != nil { // WAIT
                return err
            }
            defer b.sem.Release(1)
            if !ok {
                return errBad
            }
            return nil
        }
        """,
    "released by another": """
        type builder struct{ sem *semaphore.Weighted }
        func (b *builder) Begin(ctx context.Context, ok bool) error {
            if err := b.sem.Acquire(ctx, 1); err != nil { // WAIT
                return err
            }
            if !ok {
                b.sem.Release(1)
                return errBad
            }
            return nil
        }
        func (b *builder) End() { b.sem.Release(1) }
        """,
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_semaphore_of_somebody_else(name: str) -> None:
    source = go(WEIGHTED[name], "context", "golang.org/x/sync/semaphore")
    leaf = ("golang.org/x/sync/semaphore.(*Weighted).Acquire",)
    explained(reason(scene(source, "select", leaf, ("unstopped-worker",))), source, "unstopped-worker")


LOCKS = """
    type token chan struct{{}}
    func (t token) lock() {{
        t <- struct{{}}{{}} // WAIT
    }}
    func (t token) unlock() {{ <-t }}
    type store struct{{ meta, data token }}
    func newStore() *store {{ return &store{{make(token, {room}), make(token, {room})}} }}
    func (s *store) compact() {{
        s.meta.lock() {first}
        defer s.meta.unlock()
        s.data.lock() // UP 1 {second}
        defer s.data.unlock()
    }}
    func (s *store) flush() {{
        s.{one}.lock() {first}
        defer s.{one}.unlock()
        s.{two}.lock() {second}
        defer s.{two}.unlock()
    }}
    """


@pytest.mark.parametrize(("room", "one", "two"), [(1, "data", "meta"), (1, "meta", "data"), (2, "data", "meta")])
def test_channels_that_serve_as_locks(room: int, one: str, two: str) -> None:
    wrong = room == 1 and one == "data"
    marks = {"first": "//! locked-first", "second": "//! locked-second"} if wrong else {"first": "", "second": ""}
    source = go(LOCKS.format(room=room, one=one, two=two, **marks))
    explained(reason(scene(source, "chan send", (), ("abandoned-sender",))), source, "lock-cycle")


def test_giving_back_is_drafted() -> None:
    source = go(SENDS["an error leaves without giving back"])
    found = reason(scene(source, "chan send", (), ("abandoned-sender",)))
    assert found is not None
    assert [role for role, _, _ in told(found)] == ["never-released", "acquired"]
    assert "+        <-l" in str(found.remedies[0].diff)
