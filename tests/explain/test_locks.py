"""Who holds the lock? Small programs with the lines that explain has to name, and look-alikes that are right.

Stacks are marked `//a1 //a2 ...` from the wait upwards; each letter is a goroutine, the first one is asked about.
"""

import re
from typing import Any

import pytest

from go_scenes import Texts, expected, go, read, sentences, told
from oakum.explain.code.package import Package
from oakum.explain.code.program import Program
from oakum.explain.locks.question import reason, scan
from oakum.explain.reason import Reason, StackInSource
from oakum.model import Evidence, Frame, Site, Suspect, Text, Trace

LEAVES = {
    "sync.Mutex.Lock": ("sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock"),
    "sync.RWMutex.Lock": ("sync.(*Mutex).Lock", "sync.(*RWMutex).Lock"),
    "sync.RWMutex.RLock": ("sync.(*RWMutex).RLock",),
    "sync.WaitGroup.Wait": ("sync.(*WaitGroup).Wait",),
    "sync.Cond.Wait": ("sync.(*Cond).Wait",),
}
LOCK = "sync.Mutex.Lock"


def ask(source: str, states: str, *mechanisms: Any) -> Reason | None:
    """Return the reason for stacks that wait in `states`, one a letter."""
    sources = Texts({"main": source})
    file = sources.texts["main"]
    package = Package("main", (file,))
    marked: dict[str, dict[int, Frame]] = {}
    for number, line in enumerate(source.split("\n"), 1):
        for letter, at in re.findall(r"//([a-e])(\d)", line):
            marked.setdefault(letter, {})[int(at)] = Frame(package.around(file.name, number)[0].full, file.name, number)
    traces = []
    for letter, state in zip("abcde", states.split(", "), strict=False):
        leaf = [Frame(function, "/usr/local/go/src/sync/mutex.go", 1) for function in LEAVES.get(state, ())]
        frames = [frame for _, frame in sorted(marked[letter].items())]
        traces.append(Trace((*leaf, *frames), state))
    evidence = Evidence("reported-wait", Text("x"), "sha256:" + "1" * 64, "1", "x")
    site = Site("blocked", marked["a"][1])
    suspect = Suspect((site,), mechanisms or ("unknown",), (evidence,), traces=tuple(traces))
    return reason(StackInSource.of(suspect, Program(sources), traces[0]))


def check(found: Reason | None, source: str, mechanism: str) -> None:
    wanted = expected(source)
    if not wanted:
        assert found is None
        return
    assert found is not None
    assert found.mechanism == mechanism
    assert set(wanted) <= set(told(found)), told(found)
    assert "cause.lock" not in sentences(found)


STORE = "type store struct { mu sync.Mutex; rw sync.RWMutex; once sync.Once; m map[string]int }\n"

DOUBLE = {
    "through a helper": """
        func (s *store) put(k string) {
            s.mu.Lock() //! locked-first
            defer s.mu.Unlock()
            s.trim(k) //a3
        }
        func (s *store) trim(k string) {
            s.drop(k) //a2 //! locked-again
        }
        func (s *store) drop(k string) {
            s.mu.Lock() //a1
            delete(s.m, k)
            s.mu.Unlock()
        }""",
    "by another name": """
        func (s *store) put(k string) {
            lock := &s.mu
            lock.Lock() //! locked-first
            s.m[k] = 1
            drop(s, k) //a2 //! locked-again
            lock.Unlock()
        }
        func drop(from *store, k string) {
            from.mu.Lock() //a1
            delete(from.m, k)
            from.mu.Unlock()
        }""",
    "in a closure": """
        func (s *store) each(f func(string)) {
            for k := range s.m { f(k) } //a3
        }
        func (s *store) clear() {
            s.mu.Lock() //! locked-first
            defer s.mu.Unlock()
            s.each(func(k string) { //a4
                s.drop(k) //a2 //! locked-again
            })
        }
        func (s *store) drop(k string) {
            s.mu.Lock() //a1
            defer s.mu.Unlock()
        }""",
    "a helper that locks": """
        func (s *store) lock() { s.mu.Lock() } //a1
        func (s *store) unlock() { s.mu.Unlock() }
        func (s *store) put(k string) {
            s.lock() //! locked-first
            defer s.unlock()
            s.lock() //a2 //! locked-again
        }""",
    "a deferred call": """
        func (s *store) put(k string) {
            s.mu.Lock() //! locked-first
            defer s.mu.Unlock()
            defer s.tell(k) //! locked-again
            s.m[k] = 1
        } //a2
        func (s *store) tell(k string) {
            s.mu.Lock() //a1
            defer s.mu.Unlock()
        }""",
}
FREE = {
    "unlocked before the call": """
        func (s *store) put(k string) {
            s.mu.Lock()
            s.m[k] = 1
            s.mu.Unlock()
            s.drop(k) //a2
        }
        func (s *store) drop(k string) {
            s.mu.Lock() //a1
            s.mu.Unlock()
        }""",
    "the helper unlocks for a while": """
        func (s *store) put(k string) {
            s.mu.Lock()
            defer s.mu.Unlock()
            s.wait(k) //a3
        }
        func (s *store) wait(k string) {
            s.mu.Unlock()
            s.poll(k) //a2
            s.mu.Lock()
        }
        func (s *store) poll(k string) {
            s.mu.Lock() //a1
            s.mu.Unlock()
        }""",
    "deferred in the right order": """
        func (s *store) put(k string) {
            defer s.tell(k)
            s.mu.Lock()
            defer s.mu.Unlock()
        } //a2
        func (s *store) tell(k string) {
            s.mu.Lock() //a1
            defer s.mu.Unlock()
        }""",
}


@pytest.mark.parametrize("name", [*DOUBLE, *FREE])
def test_a_lock_that_is_held_is_taken_again(name: str) -> None:
    source = go(STORE + {**DOUBLE, **FREE}[name], "sync")
    check(ask(source, LOCK, "double-lock"), source, "double-lock")


def test_a_read_lock_is_turned_into_a_write_lock() -> None:
    source = go(
        STORE
        + """
        func (s *store) get(k string) int {
            s.rw.RLock() //! locked-first
            defer s.rw.RUnlock()
            if v, ok := s.m[k]; ok { return v }
            s.rw.Lock() //a1 //! locked-again
            defer s.rw.Unlock()
            return 0
        }""",
        "sync",
    )
    check(ask(source, "sync.RWMutex.Lock", "double-lock"), source, "double-lock")


def test_a_reader_reads_again_behind_a_writer() -> None:
    source = go(
        STORE
        + """
        func (s *store) all() int {
            s.rw.RLock() //! locked-first
            defer s.rw.RUnlock()
            return s.size() //a2 //! locked-again
        }
        func (s *store) size() int {
            s.rw.RLock() //a1
            defer s.rw.RUnlock()
            return len(s.m)
        }
        func (s *store) put(k string) {
            s.rw.Lock() //b1 //! waits
            s.rw.Unlock()
        }""",
        "sync",
    )
    check(ask(source, "sync.RWMutex.RLock, sync.RWMutex.Lock", "double-lock"), source, "double-lock")


CYCLES = {
    "two orders": """
        type orders struct { mu sync.Mutex; s *stock }
        type stock struct { mu sync.Mutex; o *orders }
        func (o *orders) place() {
            o.mu.Lock() //! locked-first
            defer o.mu.Unlock()
            o.s.reserve() //a2 //! locked-second
        }
        func (s *stock) reserve() {
            s.mu.Lock() //a1
            s.mu.Unlock()
        }
        func (s *stock) count() {
            s.mu.Lock() //! locked-first
            s.o.open() //b2 //! locked-second
            s.mu.Unlock()
        }
        func (o *orders) open() {
            o.mu.Lock() //b1
            o.mu.Unlock()
        }""",
    "two objects of one type": """
        type account struct { mu sync.Mutex; cents int }
        func move(from, to *account, n int) {
            from.mu.Lock() //! locked-first
            defer from.mu.Unlock()
            to.add(n) //a2 //! locked-second
        }
        func (a *account) add(n int) {
            a.mu.Lock() //a1
            defer a.mu.Unlock()
            a.cents += n
        }""",
}


@pytest.mark.parametrize("name", CYCLES)
def test_locks_are_taken_in_a_circle(name: str) -> None:
    source = go(CYCLES[name], "sync")
    check(ask(source, ", ".join([LOCK] * (2 if "//b1" in source else 1)), "lock-cycle"), source, "lock-cycle")


def test_the_other_order_is_found_in_the_code_when_no_stack_shows_it() -> None:
    source = go(CYCLES["two orders"], "sync").replace("//b1", "").replace("//b2", "")
    check(ask(source, LOCK, "lock-cycle"), source, "lock-cycle")


HOLDS = {
    "the receiver wants the lock": (
        "chan send, " + LOCK,
        """
        type hub struct { mu sync.Mutex; out chan int; n int }
        func newHub() *hub {
            h := &hub{out: make(chan int)}
            go h.run()
            return h
        }
        func (h *hub) run() {
            for range h.out {
                h.note() //b2 //! never-received
            }
        }
        func (h *hub) note() {
            h.mu.Lock() //b1
            h.n++
            h.mu.Unlock()
        }
        func (h *hub) add(n int) {
            h.mu.Lock() //! locked
            defer h.mu.Unlock()
            h.out <- n //a1
        }""",
    ),
    "who would close wants the lock": (
        "chan receive, " + LOCK,
        """
        type conn struct { quit, done chan struct{} }
        type server struct { mu sync.Mutex; conns map[*conn]bool }
        func (s *server) loop(c *conn) {
            defer close(c.done)
            <-c.quit
            s.remove(c) //b2 //! never-closed
        }
        func (s *server) remove(c *conn) {
            s.mu.Lock() //b1
            delete(s.conns, c)
            s.mu.Unlock()
        }
        func (s *server) stop() {
            s.mu.Lock() //! locked
            defer s.mu.Unlock()
            for c := range s.conns {
                close(c.quit)
                <-c.done //a1
            }
        }""",
    ),
    "who would be done wants the lock": (
        "sync.WaitGroup.Wait, " + LOCK,
        """
        type nodes struct { mu sync.Mutex; names []string; n int }
        func (c *nodes) apply() {
            c.mu.Lock() //! locked
            defer c.mu.Unlock()
            var wg sync.WaitGroup
            for range c.names {
                wg.Add(1)
                go func() {
                    defer wg.Done()
                    c.set() //b2 //! never-done
                }()
            }
            wg.Wait() //a1
        }
        func (c *nodes) set() {
            c.mu.Lock() //b1
            c.n++
            c.mu.Unlock()
        }""",
    ),
    "an object that is returned locked": (
        "chan receive, " + LOCK,
        """
        type entry struct { mu sync.Mutex }
        type table struct { m map[string]*entry; acks chan int }
        func (t *table) acquire(k string) *entry {
            e := t.m[k]
            e.mu.Lock() //b1
            return e
        }
        func (t *table) sync(k string) {
            e := t.acquire(k) //b2 //! locked
            defer e.mu.Unlock()
            <-t.acks //a1
        }""",
    ),
    "the lock of the condition itself": (
        "sync.Cond.Wait, " + LOCK,
        """
        type queue struct { mu sync.Mutex; filled *sync.Cond; items []int }
        func newQueue() *queue {
            q := &queue{}
            q.filled = sync.NewCond(&q.mu)
            return q
        }
        func (q *queue) pop() int {
            q.mu.Lock() //b1
            defer q.mu.Unlock()
            for len(q.items) == 0 {
                q.filled.Wait() //a1
            }
            return q.items[0]
        }""",
    ),
    "unlocked before the send": (
        "chan send, " + LOCK,
        """
        type hub struct { mu sync.Mutex; out chan int; n int }
        func (h *hub) add(n int) {
            h.mu.Lock() //b1
            h.n++
            h.mu.Unlock()
            h.out <- n //a1
        }""",
    ),
}


@pytest.mark.parametrize("name", HOLDS)
def test_a_lock_is_held_while_waiting(name: str) -> None:
    states, body = HOLDS[name]
    source = go(body, "sync")
    check(ask(source, states, "unknown"), source, "lock-held-while-waiting")


LEFT = {
    "an error returns": """
        func (s *store) add(k string, n int) error {
            s.mu.Lock() //a1 //! locked
            if n < 0 {
                return errNegative //! never-unlocked
            }
            s.m[k] += n
            s.mu.Unlock()
            return nil
        }""",
    "only one branch unlocks": """
        func (s *store) add(k string, n int) {
            s.mu.Lock() //a1 //! locked
            if n > 0 {
                s.m[k] += n
                s.mu.Unlock()
            }
        } //! never-unlocked
        """,
    "TryLock": """
        func (s *store) add(k string, n int) bool {
            if !s.mu.TryLock() { //! locked
                return false
            }
            if n < 0 {
                return false //! never-unlocked
            }
            s.mu.Unlock()
            return true
        }
        func (s *store) size() int {
            s.mu.Lock() //a1
            defer s.mu.Unlock()
            return len(s.m)
        }""",
}
GOOD = {
    "every exit unlocks": """
        func (s *store) add(k string, n int) error {
            s.mu.Lock() //a1
            if n < 0 {
                s.mu.Unlock()
                return errNegative
            }
            s.m[k] += n
            s.mu.Unlock()
            return nil
        }""",
    "a deferred literal unlocks": """
        func (s *store) add(k string, n int) error {
            s.mu.Lock() //a1
            defer func() { s.m[k]++; s.mu.Unlock() }()
            if n < 0 { return errNegative }
            return nil
        }""",
    "the caller unlocks": """
        func (s *store) open(k string) bool {
            s.mu.Lock() //a1
            if _, ok := s.m[k]; !ok {
                s.mu.Unlock()
                return false
            }
            return true
        }
        func (s *store) close() { s.mu.Unlock() }""",
    "the same condition locks and unlocks": """
        func (s *store) add(k string, shared bool) {
            if shared { s.mu.Lock() } //a1
            s.m[k]++
            if shared { s.mu.Unlock() }
        }""",
    "a func that unlocks is returned": """
        func (s *store) hold(k string) func() {
            s.mu.Lock() //a1
            if s.m[k] == 0 { s.mu.Unlock(); return nil }
            return s.mu.Unlock
        }""",
    "a goroutine unlocks": """
        func (s *store) flush(k string) {
            s.mu.Lock() //a1
            if s.m[k] == 0 { s.mu.Unlock(); return }
            go func() {
                defer s.mu.Unlock()
                delete(s.m, k)
            }()
        }""",
}


@pytest.mark.parametrize("name", [*LEFT, *GOOD])
def test_a_function_returns_with_the_lock(name: str) -> None:
    source = go(STORE + {**LEFT, **GOOD}[name], "sync")
    check(ask(source, LOCK, "double-lock"), source, "double-lock")
    package, flows = read(source)
    assert [told(one) for one in scan(package, flows)] == ([told(next(scan(package, flows)))] if name in LEFT else [])


SCANNED = {
    "locked again": """
        func (s *store) a() {
            s.mu.Lock() //! locked-first
            defer s.mu.Unlock()
            s.b() //! locked-again
        }
        func (s *store) b() { s.mu.Lock(); defer s.mu.Unlock() }""",
    "defer Lock for defer Unlock": """
        func (s *store) a() {
            s.mu.Lock() //! locked-first
            defer s.mu.Lock() //! locked-again
        }""",
    "continue": """
        func (s *store) a(ks []string) {
            for _, k := range ks {
                s.mu.Lock() //! locked
                if k == "" {
                    continue //! never-unlocked
                }
                s.m[k]++
                s.mu.Unlock()
            }
        }""",
    "a Once within itself": """
        func (s *store) get() map[string]int {
            s.once.Do(s.load) //! locked-first
            return s.m
        }
        func (s *store) load() {
            if len(s.get()) == 0 { s.m = nil } //! locked-again
        }""",
    "both orders": """
        type pair struct { a, b sync.Mutex }
        func (p *pair) ab() {
            p.a.Lock() //! locked-first
            p.b.Lock() //! locked-second
            p.b.Unlock()
            p.a.Unlock()
        }
        func (p *pair) ba() {
            p.b.Lock() //! locked-first
            p.a.Lock() //! locked-second
            p.a.Unlock()
            p.b.Unlock()
        }""",
}
QUIET = {
    "each object of a list": """
        func all(list []*store) {
            for _, s := range list {
                s.mu.Lock()
                defer s.mu.Unlock()
            }
        }""",
    "hand over hand": """
        type node struct { mu sync.Mutex; next *node }
        func (n *node) last() *node {
            n.mu.Lock()
            for n.next != nil {
                next := n.next
                next.mu.Lock()
                n.mu.Unlock()
                n = next
            }
            n.mu.Unlock()
            return n
        }""",
    "told that the lock is held": """
        func (s *store) a() { s.mu.Lock(); defer s.mu.Unlock(); s.b(true) }
        func (s *store) b(locked bool) {
            if !locked { s.mu.Lock(); defer s.mu.Unlock() }
        }""",
    "another goroutine": """
        func (s *store) a() { s.mu.Lock(); defer s.mu.Unlock(); go s.b() }
        func (s *store) b() { s.mu.Lock(); defer s.mu.Unlock() }""",
    "the other object": """
        func (s *store) copy(t *store) { s.mu.Lock(); defer s.mu.Unlock(); t.b() }
        func (s *store) b() { s.mu.Lock(); defer s.mu.Unlock() }""",
    "released by a helper": """
        func (s *store) a(k string) {
            s.mu.Lock()
            if k == "" { s.done(); return }
            s.mu.Unlock()
        }
        func (s *store) done() { s.m = nil; s.mu.Unlock() }""",
    "a third lock orders both": """
        type pair struct { a, b, c sync.Mutex }
        func (p *pair) ab() {
            p.c.Lock(); p.a.Lock(); p.b.Lock()
            p.b.Unlock(); p.a.Unlock(); p.c.Unlock()
        }
        func (p *pair) ba() {
            p.c.Lock(); p.b.Lock(); p.a.Lock()
            p.a.Unlock(); p.b.Unlock(); p.c.Unlock()
        }""",
    "the lock is lent": """
        func (s *store) a(k string) {
            unlock := once(&s.mu)
            s.mu.Lock()
            defer unlock()
            if k == "" { unlock(); s.b() }
        }
        func once(l sync.Locker) func() { var o sync.Once; return func() { o.Do(l.Unlock) } }
        func (s *store) b() { s.mu.Lock(); defer s.mu.Unlock() }""",
}


@pytest.mark.parametrize("name", [*SCANNED, *QUIET])
def test_scan_tells_what_the_code_alone_decides(name: str) -> None:
    source = go(STORE + {**SCANNED, **QUIET}[name], "sync")
    found = list(scan(*read(source)))
    assert len(found) == (name in SCANNED)
    for one in found:
        assert one.certain
        assert set(expected(source)) <= set(told(one)), told(one)
        assert "cause.lock" not in sentences(one)


def test_a_loop_goes_round_with_the_lock() -> None:
    source = go(STORE + SCANNED["continue"].replace("//! locked", "//a1 //! locked"), "sync")
    check(ask(source, LOCK, "double-lock"), source, "double-lock")


def test_source_without_end_is_left_unread() -> None:
    body = "".join(f"if a{n} {{ s.mu.Lock() }}\n" for n in range(40)) + "".join(
        f"if a{n} {{ s.mu.Unlock() }}\n" for n in range(40)
    )
    assert list(scan(*read(go(STORE + f"func (s *store) many() {{\n{body}}}", "sync")))) == []


HELD = {
    "a timer that was emptied before": """
        type late struct { mu sync.Mutex; t *time.Timer }
        func (l *late) touch() {
            l.mu.Lock() //! locked
            defer l.mu.Unlock()
            if !l.t.Stop() { //! stopped
                <-l.t.C //a1
            }
        }
        func (l *late) first() {
            <-l.t.C //! received
        }""",
    "nobody receives, nobody cancels": """
        type out struct { mu sync.Mutex; all chan int }
        func newOut() { o := &out{all: make(chan int, 3)} //! never-received
            ctx, cancel := context.WithCancel(context.Background()) //! never-cancelled
            _ = cancel
            o.put(ctx, 1) //a3
        }
        func (o *out) put(ctx context.Context, n int) {
            o.mu.Lock() //! locked
            defer o.mu.Unlock()
            o.push(ctx, n) //a2
        }
        func (o *out) push(ctx context.Context, n int) {
            select { //a1
            case o.all <- n:
            case <-ctx.Done():
            }
        }""",
}
STATES = {"a timer that was emptied before": "chan receive", "nobody receives, nobody cancels": "select"}


@pytest.mark.parametrize("name", HELD)
def test_why_the_wait_of_who_holds_a_lock_does_not_end(name: str) -> None:
    source = go(STORE + HELD[name], "sync", "time", "context")
    found = ask(source, STATES[name], "lock-held-while-waiting")
    check(found, source, "lock-held-while-waiting")
    assert found is not None
    assert all(one.text.key != "fix.wait-unlocked" for one in found.remedies)  # it would still wait


SELF = """
    type late struct {{ t *time.Timer }}
    func (l *late) touch() {{
        if {condition} {{
            {wait}
        }}
    }}"""


@pytest.mark.parametrize(
    ("condition", "wait", "told_of"),
    [
        ("!l.t.Stop()", "<-l.t.C //a1", True),
        ("l.on", "<-l.t.C //a1", False),
        ("!l.t.Stop()", "<-l.other //a1", False),
    ],
)
def test_a_timer_that_was_emptied_before(condition: str, wait: str, told_of: bool) -> None:
    source = go(SELF.format(condition=condition, wait=wait), "time")
    assert (ask(source, "chan receive", "abandoned-receiver") is not None) is told_of


def test_a_wait_that_ends_by_itself_needs_no_unlock() -> None:
    body = "func (s *store) put() {{\n s.mu.Lock()\n {}\n s.mu.Unlock()\n}}\n"
    once = ask(go(STORE + body.format("time.Sleep(d) //a1"), "sync", "time"), "sleep", "lock-held-while-waiting")
    assert once is not None
    assert once.remedies == ()
    again = body.format("for s.m == nil { time.Sleep(d) } //a1")
    round_ = ask(go(STORE + again, "sync", "time"), "sleep", "lock-held-while-waiting")
    assert round_ is not None
    assert [one.text.key for one in round_.remedies] == ["fix.wait-bounded"]


def test_the_remedy_stands_at_the_call_that_is_made_while_holding() -> None:
    source = go(
        STORE
        + """
        func (s *store) publish(all []func()) {
            s.mu.Lock()
            defer s.mu.Unlock()
            for _, f := range all {
                f() //a3
            }
        }
        func (s *store) register() {
            s.publish([]func(){func() { s.remove() }}) //a2
        }
        func (s *store) remove() {
            s.mu.Lock() //a1
        }""",
        "sync",
    )
    found = ask(source, LOCK, "double-lock")
    assert found is not None
    held = next(number for number, line in enumerate(source.split("\n"), 1) if "//a3" in line)
    assert [one.text.args["place"] for one in found.remedies] == [f"code.go:{held}"]


PASSED = {
    "an element that may be lacking": """
        func (s *store) post(line string) {
            s.mu.Lock() //a1 //! locked
            k := second(line) //! held
            s.m[k] = 1
            s.mu.Unlock() //! never-unlocked
        }
        func second(line string) string {
            parts := strings.Split(line, "=")
            return parts[1] //! panics
        }
        func main() { defer func() { recover() }() }""",
    "a length that was asked": """
        func (s *store) post(line string) {
            s.mu.Lock() //a1
            k := second(line)
            s.m[k] = 1
            s.mu.Unlock()
        }
        func second(line string) string {
            parts := strings.Split(line, "=")
            if len(parts) < 2 { return "" }
            return parts[1]
        }
        func main() { defer func() { recover() }() }""",
    "deferred": """
        func (s *store) post(line string) {
            s.mu.Lock() //a1
            defer s.mu.Unlock()
            s.m[strings.Split(line, "=")[1]] = 1
        }
        func main() { defer func() { recover() }() }""",
    "a pointer that may be nil": """
        func (s *store) post(price *int) {
            s.mu.Lock() //a1 //! locked
            s.total += *price //! panics
            s.mu.Unlock() //! never-unlocked
        }
        func main() { defer func() { recover() }() }""",
    "a pointer that was asked": """
        func (s *store) post(price *int) {
            if price == nil {
                return
            }
            s.mu.Lock() //a1
            s.total += *price
            s.mu.Unlock()
        }
        func main() { defer func() { recover() }() }""",
    "nobody recovers": """
        func (s *store) post(line string) {
            s.mu.Lock() //a1
            parts := strings.Split(line, "=")
            s.m[parts[1]] = 1
            s.mu.Unlock()
        }""",
}


@pytest.mark.parametrize("name", PASSED)
def test_an_unlock_that_a_panic_passes_over(name: str) -> None:
    source = go(STORE + PASSED[name], "sync", "strings")
    found = ask(source, LOCK, "double-lock")
    check(found, source, "double-lock")
    assert found is None or found.guess  # nothing shows that it happened
