"""Why nobody wakes a waiter in a condition variable: the lines that are named, and look-alikes that are right."""

import pytest

from go_scenes import explained, go, scene
from oakum.explain.waits.question import reason

COND = ("sync.runtime_notifyListWait", "sync.(*Cond).Wait")


SIGNALS = {
    "changed without a signal": """
        type pool struct{ mu sync.Mutex; c *sync.Cond; free []int; open int }
        func (p *pool) get() {
            p.mu.Lock()
            for len(p.free) == 0 && p.open >= 10 {
                p.c.Wait() // WAIT
            }
            p.open++
            p.mu.Unlock()
        }
        func (p *pool) put(n int, broken bool) {
            p.mu.Lock()
            defer p.mu.Unlock()
            if broken {
                p.open-- //! never-signalled
                return
            }
            p.free = append(p.free, n)
            p.c.Signal() //! signalled
        }
        """,
    "signals before it leaves": """
        type pool struct{ mu sync.Mutex; c *sync.Cond; free []int; open int }
        func (p *pool) get() {
            p.mu.Lock()
            for len(p.free) == 0 && p.open >= 10 {
                p.c.Wait() // WAIT
            }
            p.open++
            p.free = p.free[1:]
            p.mu.Unlock()
        }
        func (p *pool) put(n int, broken bool) {
            p.mu.Lock()
            defer p.mu.Unlock()
            defer p.c.Signal()
            if broken {
                p.open--
                return
            }
            p.free = append(p.free, n)
        }
        """,
    "the caller signals": """
        type queue struct{ mu sync.Mutex; c *sync.Cond; items []int }
        func (q *queue) pop() {
            for len(q.items) == 0 {
                q.c.Wait() // WAIT
            }
            q.items = q.items[1:]
        }
        func (q *queue) add(n int) { q.items = append(q.items, n) }
        func (q *queue) Push(n int) {
            q.add(n)
            q.c.Signal()
        }
        """,
    "one caller does not": """
        type queue struct{ mu sync.Mutex; c *sync.Cond; items []int }
        func (q *queue) pop() {
            for len(q.items) == 0 {
                q.c.Wait() // WAIT
            }
            q.items = q.items[1:]
        }
        func (q *queue) add(n int) { q.items = append(q.items, n) } //! never-signalled
        func (q *queue) Push(n int) {
            q.add(n)
            q.c.Signal() //! signalled
        }
        func (q *queue) PushAll(all []int) {
            for _, n := range all {
                q.add(n)
            }
        }
        """,
    "asked in a method": """
        type queue struct{ mu sync.Mutex; c sync.Cond; closed bool; items map[string]int }
        func (q *queue) idle() bool { return len(q.items) == 0 && !q.closed }
        func (q *queue) pop() {
            for q.idle() {
                q.c.Wait() // WAIT
            }
        }
        func (q *queue) Put(k string) {
            q.items[k] = 1
            q.c.Signal() //! signalled
        }
        func (q *queue) Close() {
            q.closed = true //! never-signalled
        }
        """,
    "closed twice is closed once": """
        type queue struct{ mu sync.Mutex; c *sync.Cond; items []int; closed bool }
        func (q *queue) pop() {
            for len(q.items) == 0 && !q.closed {
                q.c.Wait() // WAIT
            }
        }
        func (q *queue) Push(n int) {
            q.items = append(q.items, n)
            q.c.Signal() //! signalled
        }
        func (q *queue) Close() {
            if q.closed {
                return
            }
            q.closed = true //! never-signalled
        }
        """,
    "closed only when nobody is there": """
        type conn struct{ mu sync.Mutex; c *sync.Cond; room int; streams map[int]int; closed bool }
        func (c *conn) await() {
            for {
                if c.closed {
                    return
                }
                if c.room > 0 {
                    return
                }
                c.c.Wait() // WAIT
            }
        }
        func (c *conn) grow() {
            c.room++
            c.c.Broadcast()
        }
        func (c *conn) closeIfIdle() {
            if len(c.streams) > 0 {
                return
            }
            c.closed = true
        }
        """,
    "an embedded one": """
        type window struct{ *sync.Cond; waiters int }
        func (w *window) await() {
            for w.waiters == 0 {
                w.Wait() // WAIT
            }
        }
        func (w *window) reserve() {
            w.waiters++
            w.Broadcast()
        }
        """,
    "signals when somebody waits": """
        type work struct{ mu sync.Mutex; c sync.Cond; todo []int; waiting int }
        func (w *work) run() {
            for len(w.todo) == 0 {
                w.waiting++
                w.c.Wait() // WAIT
                w.waiting--
            }
        }
        func (w *work) Add(n int) {
            w.todo = append(w.todo, n)
            if w.waiting > 0 {
                w.c.Signal()
            }
        }
        """,
    "forgotten by its holder": """
        type hold struct{ mu sync.Mutex; c *sync.Cond; done bool }
        type hall struct{ holds map[int]*hold }
        func (h *hall) reserve(n int) {
            if t, ok := h.holds[n]; ok {
                go t.wait()
                return
            }
            t := &hold{}
            t.c = sync.NewCond(&t.mu)
            h.holds[n] = t
            go h.pay(n, t)
        }
        func (h *hall) pay(n int, t *hold) {
            if charge(n) != nil {
                delete(h.holds, n) //! never-signalled
                return
            }
            t.settle()
        }
        func (t *hold) settle() {
            t.done = true
            t.c.Broadcast() //! signalled
        }
        func (t *hold) wait() {
            for !t.done {
                t.c.Wait() // WAIT
            }
        }
        """,
    "Signal for many": """
        type gate struct{ mu sync.Mutex; c *sync.Cond; open bool }
        func (g *gate) pass() {
            for !g.open { //! never-woken
                g.c.Wait() // WAIT
            }
        }
        func (g *gate) Open() {
            g.open = true
            g.c.Signal() //! signalled
        }
        """,
    "one at a time": """
        type gate struct{ mu sync.Mutex; c *sync.Cond; open bool }
        func (g *gate) pass() {
            for !g.open {
                g.c.Wait() // WAIT
            }
            g.open = false
        }
        func (g *gate) Open() {
            g.open = true
            g.c.Signal()
        }
        """,
    "the flag is not asked for": """
        type writer struct{ mu sync.Mutex; c *sync.Cond; queue []int; closed bool }
        func (w *writer) loop() {
            for {
                for len(w.queue) == 0 { //! never-woken
                    w.c.Wait() // WAIT
                }
                if w.closed {
                    return
                }
                w.queue = w.queue[1:]
            }
        }
        func (w *writer) Add(n int) {
            w.queue = append(w.queue, n)
            w.c.Signal()
        }
        func (w *writer) Close() {
            w.closed = true
            w.c.Broadcast() //! signalled
        }
        """,
    "checks in the loop": """
        type writer struct{ mu sync.Mutex; c *sync.Cond; queue []int; closed bool }
        func (w *writer) loop() {
            for len(w.queue) == 0 {
                if w.closed {
                    return
                }
                w.c.Wait() // WAIT
            }
            w.queue = w.queue[1:]
        }
        func (w *writer) Add(n int) {
            w.queue = append(w.queue, n)
            w.c.Signal()
        }
        func (w *writer) Close() {
            w.closed = true
            w.c.Broadcast()
        }
        """,
}


@pytest.mark.parametrize("name", SIGNALS)
def test_cond(name: str) -> None:
    source = go(SIGNALS[name], "sync")
    explained(reason(scene(source, "sync.Cond.Wait", COND)), source, "lost-signal")


DRAFTED = {
    "changed without a signal": "+\t\tp.c.Signal()",
    "forgotten by its holder": "+\t\tt.settle()",
    "Signal for many": "+\tg.c.Broadcast() //! signalled",
}


@pytest.mark.parametrize("name", DRAFTED)
def test_the_fix_is_drafted(name: str) -> None:
    source = go(SIGNALS[name].replace("    ", "\t"), "sync")
    found = reason(scene(source, "sync.Cond.Wait", COND))
    assert found is not None
    diff = found.remedies[0].diff
    assert diff is not None
    assert DRAFTED[name] in diff.split("\n")
