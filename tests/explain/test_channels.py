"""Who could unblock this? Small programs with the lines that explain has to name, and look-alikes that are right."""

import textwrap

import pytest
from msgspec.structs import replace

from go_scenes import expected, read, scene, told
from oakum.explain.channels import local as local_channels
from oakum.explain.channels import nested
from oakum.explain.channels.question import reason
from oakum.explain.reason import StackInSource
from oakum.model import Frame, Trace
from oakum.report.words import say


def go(body: str) -> str:
    return f'package main\n\nimport (\n\t"context"\n\t"time"\n)\n{textwrap.dedent(body)}'


SENDS = {
    "time-out": """
        func ask(d time.Duration) (int, error) {
            answers := make(chan int) //! made
            go func() { // GO
                answers <- work() // WAIT
            }()
            select {
            case a := <-answers: //! received
                return a, nil
            case <-time.After(d): //! never-received
                return 0, errLate //! never-received
            }
        }""",
    "error before the answer is looked at": """
        func ask(ctx context.Context) (int, error) {
            answers := make(chan int) //! made
            go work(answers) // GO
            if err := check(ctx); err != nil {
                return 0, err //! never-received
            }
            return <-answers, nil //! received
        }
        func check(ctx context.Context) error { return ctx.Err() }
        func work(to chan<- int) {
            to <- 1 // WAIT
        }""",
    "first answer wins": """
        func race(mirrors []mirror) string {
            first := make(chan string) //! made
            for _, m := range mirrors {
                go func(m mirror) { // GO
                    first <- m.get() // WAIT
                }(m)
            }
            return <-first //! received
        }
        type mirror struct{}
        func (m mirror) get() string { return "" }""",
    "an error ends the collecting": """
        func all(jobs []int) error {
            errs := make(chan error) //! made
            for _, j := range jobs {
                go one(j, errs) // GO
            }
            for range jobs {
                if err := <-errs; err != nil { //! received
                    return err //! never-received
                }
            }
            return nil
        }
        func one(j int, errs chan error) {
            errs <- nil // WAIT
        }""",
    "collected in a function of its own": """
        type board struct{ offers chan int }
        func shop(asked []int) []int {
            b := &board{offers: make(chan int)} //! made
            for range asked {
                go b.post() // GO
            }
            return b.collect()
        }
        func (b *board) post() {
            b.offers <- 1 // WAIT
        }
        func (b *board) collect() []int {
            var got []int
            for len(got) < 3 {
                select {
                case o := <-b.offers: //! received
                    got = append(got, o)
                case <-time.After(time.Second): //! never-received
                    return got //! never-received
                }
            }
            return got
        }""",
    "the receiving goroutine ends": """
        type exchange struct{ inbox chan int }
        func newExchange() *exchange { return &exchange{inbox: make(chan int)} } //! made
        func (x *exchange) route() {
            for m := range x.inbox { //! received
                if m < 0 {
                    return //! never-received
                }
            }
        }
        func (x *exchange) submit(m int) {
            x.inbox <- m // WAIT
        }
        func (x *exchange) announce() {
            go x.submit(1) // GO
        }""",
    "a channel that is sent to who answers": """
        type loop struct{ asks chan chan int }
        func start() *loop {
            l := &loop{asks: make(chan chan int)}
            go l.run() // GO
            return l
        }
        func (l *loop) run() {
            for {
                r := <-l.asks
                r <- 1 // WAIT
            }
        }
        func (l *loop) get(limit time.Duration) int {
            r := make(chan int) //! made
            l.asks <- r
            select {
            case v := <-r: //! received
                return v
            case <-time.After(limit): //! never-received
                return 0 //! never-received
            }
        }""",
    "registered, and given up": """
        type call struct{ done chan int }
        type mux struct{ calls map[int]*call }
        func newMux() *mux {
            m := &mux{calls: map[int]*call{}}
            go m.read() // GO
            return m
        }
        func (m *mux) call(d time.Duration) int {
            c := m.register()
            select {
            case r := <-c.done: //! received
                return r
            case <-time.After(d): //! never-received
                return 0 //! never-received
            }
        }
        func (m *mux) register() *call {
            c := &call{make(chan int)} //! made
            m.calls[len(m.calls)] = c
            return c
        }
        func (m *mux) read() {
            for {
                c := m.calls[recv()]
                if c != nil {
                    c.done <- 1 // WAIT
                }
            }
        }
        func recv() int { return 1 }""",
    "one value of a stage": """
        func numbers() <-chan int {
            out := make(chan int) //! made
            go func() { // GO
                for i := 0; ; i++ {
                    out <- i // WAIT
                }
            }()
            return out
        }
        func first() int {
            return <-numbers() //! received
        }""",
    "sent by a deferred function": """
        func handle(after <-chan time.Time) {
            done := make(chan any) //! made
            go func() { // GO
                defer func() {
                    done <- recover() // WAIT
                }()
                serve()
            }()
            select {
            case <-done: //! received
            case <-after: //! never-received
                late()
            }
        }
        func serve() {}
        func late() {}""",
}

RIGHT = {
    "room for the answer": SENDS["time-out"].replace("make(chan int)", "make(chan int, 1)"),
    "taken before it leaves": """
        func ask(stop chan bool) int {
            answers := make(chan int)
            go func() { // GO
                answers <- 1 // WAIT
            }()
            select {
            case a := <-answers:
                return a
            case <-stop:
                <-answers
                return 0
            }
        }""",
    "drained by another goroutine": """
        func ask(stop chan bool) int {
            answers := make(chan int)
            go func() { // GO
                answers <- 1 // WAIT
            }()
            select {
            case a := <-answers:
                return a
            case <-stop:
                go func() { <-answers }()
                return 0
            }
        }""",
    "as many are received as are sent": """
        func all(jobs []int) {
            done := make(chan int)
            for _, j := range jobs {
                go func(j int) { // GO
                    done <- j // WAIT
                }(j)
            }
            for range jobs {
                <-done
            }
        }""",
    "a semaphore": """
        type pool struct{ places chan int }
        func newPool() *pool { return &pool{places: make(chan int, 3)} }
        func (p *pool) run() {
            p.places <- 1 // WAIT
            work()
            <-p.places
        }
        func (p *pool) start() {
            go p.run() // GO
        }
        func work() {}""",
    "kept for the next call": """
        type shards struct{ m map[int]*sequence }
        type sequence struct{ next chan int }
        func (q *sequence) run() {
            for i := 0; ; i++ {
                q.next <- i // WAIT
            }
        }
        func (s *shards) id(shard int) int {
            q := s.m[shard]
            if q == nil {
                q = &sequence{make(chan int)}
                s.m[shard] = q
                go q.run() // GO
            }
            return <-q.next
        }""",
    "only the process ends there": """
        func ask(bad bool) int {
            answers := make(chan int)
            go func() { // GO
                answers <- 1 // WAIT
            }()
            if bad {
                log.Fatal("bad")
            }
            return <-answers
        }""",
}

RECEIVES = {
    "an error leaves it open": """
        func export() error {
            rows := make(chan int) //! made
            go fill(rows) // GO
            if err := scan(rows); err != nil {
                return err //! never-closed
            }
            close(rows) //! closed
            return nil
        }
        func scan(rows chan int) error { return nil }
        func fill(rows chan int) {
            for range rows { // WAIT
            }
        }""",
    "nobody closes it": """
        type lane struct{ trucks chan int }
        func escort() int {
            l := &lane{trucks: make(chan int)} //! never-closed
            go l.work() // GO
            return l.send() //! never-closed
        }
        func (l *lane) send() int { l.trucks <- 1; return 1 }
        func (l *lane) work() {
            for range l.trucks { // WAIT
            }
        }""",
    "forgotten by who should answer": """
        type request struct{ decided chan bool }
        type desk struct{ pending map[string]*request }
        func (d *desk) submit(ref string) {
            r := &request{decided: make(chan bool)} //! made
            d.pending[ref] = r
            go d.settle(r) // GO
        }
        func (d *desk) settle(r *request) {
            <-r.decided // WAIT
        }
        func (d *desk) decide(ref string) {
            r, ok := d.pending[ref]
            delete(d.pending, ref)
            if ok {
                r.decided <- true //! sent
            }
        }
        func (d *desk) expire() {
            for ref := range d.pending {
                delete(d.pending, ref) //! never-sent
            }
        }""",
    "a channel in a map is forgotten": """
        type relay struct{ pending map[int]chan bool }
        func (r *relay) start() {
            go r.send(1) // GO
        }
        func (r *relay) send(id int) bool {
            c := make(chan bool, 1) //! made
            r.pending[id] = c
            return <-c // WAIT
        }
        func (r *relay) settle(id int) {
            c := r.pending[id]
            delete(r.pending, id)
            c <- true //! sent
        }
        func (r *relay) bounced(id int) {
            delete(r.pending, id) //! never-sent
        }""",
    "closed at the end only": """
        type ingest struct{ lines chan string }
        func run(n int) {
            in := &ingest{lines: make(chan string)} //! made
            go in.consume() // GO
            in.produce(n)
        }
        func (in *ingest) produce(n int) error {
            for i := 0; i < n; i++ {
                if i == 3 {
                    return errCorrupt //! never-closed
                }
                in.lines <- "x"
            }
            close(in.lines) //! closed
            return nil
        }
        func (in *ingest) consume() {
            for range in.lines { // WAIT
            }
        }""",
    "one of two made side by side": """
        type shard struct{ flushed chan bool }
        func (s *shard) flush() {
            <-s.flushed // WAIT
        }
        func all(ss []*shard) {
            for _, s := range ss {
                go s.flush() // GO
            }
        }
        func setup() {
            done := &shard{make(chan bool)}
            lost := &shard{make(chan bool)} //! never-sent
            close(done.flushed) //! sent
            all([]*shard{done, lost})
        }""",
    "the only sender ends": """
        type source struct{ fresh chan int }
        func newSource() *source {
            s := &source{fresh: make(chan int)} //! made
            go s.refill()
            return s
        }
        func (s *source) refill() {
            for n := 0; ; n++ {
                v, err := mint(n)
                if err != nil {
                    return //! never-sent
                }
                s.fresh <- v //! sent
            }
        }
        func mint(n int) (int, error) { return n, nil }
        func (s *source) next() int {
            return <-s.fresh // WAIT
        }
        func (s *source) ask() {
            go s.next() // GO
        }""",
    "one way through the sender does not send": """
        type move struct{ reply chan error; bad bool }
        func request(moves chan *move) {
            m := &move{reply: make(chan error)} //! made
            go follow(m, moves) // GO
        }
        func follow(m *move, moves chan *move) {
            moves <- m
            <-m.reply // WAIT
        }
        func decide(m *move) {
            if m.bad {
                return //! never-sent
            }
            m.reply <- nil //! sent
        }""",
}

WAITS_WELL = {
    "closed whatever happens": RECEIVES["an error leaves it open"].replace(
        "go fill(rows) // GO", "go fill(rows) // GO\n            defer close(rows)"
    ),
    "a pool that was filled at the start": """
        type pool struct{ free chan int }
        func newPool() *pool {
            p := &pool{free: make(chan int, 3)}
            for i := 0; i < 3; i++ {
                p.free <- i
            }
            return p
        }
        func (p *pool) get() int {
            return <-p.free // WAIT
        }
        func (p *pool) put(i int) { p.free <- i }
        func (p *pool) run() {
            go p.get() // GO
        }""",
    "somebody else's channel": """
        func watch(ctx context.Context) {
            go wait(ctx) // GO
        }
        func wait(ctx context.Context) {
            <-ctx.Done() // WAIT
        }""",
}


def _unmarked(source: str) -> str:
    return "\n".join(line.partition("//!")[0] for line in source.split("\n"))


@pytest.mark.parametrize("name", SENDS)
def test_a_send_that_nobody_receives(name: str) -> None:
    source = go(SENDS[name])
    found = reason(scene(source, "chan send"))
    assert found is not None
    assert found.mechanism == "abandoned-sender"
    assert {one for one in told(found) if one[0] != "select"} == set(expected(source))
    for lang in ("en", "zh"):
        assert all("code.go:" in say(text, lang) for text in found.texts)


@pytest.mark.parametrize("name", RIGHT)
def test_a_send_that_the_code_does_not_explain(name: str) -> None:
    assert reason(scene(go(_unmarked(RIGHT[name])), "chan send")) is None


def test_a_second_send() -> None:
    source = go("""
        func pay() error {
            outcome := make(chan error) //! made
            go transfer(outcome) // GO
            return <-outcome //! received
        }
        func transfer(outcome chan<- error) {
            if err := bank(); err != nil {
                outcome <- err //! sent-twice
            }
            outcome <- nil // WAIT
        }
        func bank() error { return nil }""")
    found = reason(scene(source, "chan send"))
    assert found is not None
    assert found.mechanism == "double-send"
    assert set(told(found)) == set(expected(source))
    assert "+\t\t" not in source
    assert [remedy.diff is not None for remedy in found.remedies] == [True]
    ended = source.replace("outcome <- err //! sent-twice", "outcome <- err\n                return")
    assert reason(scene(_unmarked(ended), "chan send")) is None


@pytest.mark.parametrize("name", RECEIVES)
def test_a_receive_that_nothing_comes_to(name: str) -> None:
    source = go(RECEIVES[name])
    found = reason(scene(source, "chan receive"))
    assert found is not None
    assert found.mechanism == "abandoned-receiver"
    assert set(told(found)) == set(expected(source))


@pytest.mark.parametrize("name", WAITS_WELL)
def test_a_receive_that_the_code_does_not_explain(name: str) -> None:
    assert reason(scene(go(_unmarked(WAITS_WELL[name])), "chan receive")) is None


FEED = """package feed

type Follower struct{ out chan int }

func Follow() (*Follower, error) { return &Follower{out: make(chan int)}, nil }

func (f *Follower) C() <-chan int { return f.out }

func (f *Follower) Run() {
	for {
		f.out <- 1 // WAIT
	}
}
"""
LATEST = """package main

import "example.org/feed"

func latest() (int, error) {
	f, err := feed.Follow()
	if err != nil {
		return 0, err
	}
	go f.Run() // GO
	v := <-f.C()
	return v, nil //! never-received
}
"""


def test_a_consumer_in_another_package() -> None:
    found = reason(scene({"example.org/feed": FEED, "main": LATEST}, "chan send"))
    assert found is not None
    assert ("never-received", "main", 12) in told(found)
    assert ("never-received", "main", 8) not in told(found), "there is nothing to receive when Follow failed"


PIPE = """package pipe

func Map[A, B any](in <-chan A, f func(A) B) <-chan B {
    out := make(chan B) //! made
    go func() { // GO
        defer close(out)
        for a := range in {
            out <- f(a) // WAIT
        }
    }()
    return out
}

func First[T any](in <-chan T, n int) (found []T) {
    for item := range in {
        found = append(found, item)
        if len(found) == n {
            return found //! never-received
        }
    }
    return found
}

func All[T any](in <-chan T) (found []T) {
    for item := range in {
        found = append(found, item)
    }
    return found
}
"""
SEARCH = """package main

import "example.org/pipe"

func search(rows chan int) []int {
    scored := pipe.Map(rows, func(n int) int { return n + 1 })
    return pipe.First(scored, 10)
}
"""


def test_a_channel_that_is_given_back_to_its_package_and_left_there() -> None:
    packages = {"example.org/pipe": PIPE, "main": SEARCH}
    found = reason(scene(packages, "chan send"))
    assert found is not None
    assert set(expected(packages)) <= set(told(found)), told(found)
    assert reason(scene(packages | {"main": SEARCH.replace("First(scored, 10)", "All(scored)")}, "chan send")) is None


NESTED = """package main

import "golang.org/x/sync/errgroup"

func crawl(depth int) error {
    g := new(errgroup.Group)
    GROUP
    g.SetLimit(4)
    g.Go(func() error { return visit(g, depth) })
    return g.Wait()
}
func visit(g *errgroup.Group, depth int) error {
    for i := 0; i < 3; i++ {
        g.Go(func() error { return visit(INNER, depth-1) }) // WAIT //! waits
    }
    return nil
}
"""


@pytest.mark.parametrize("inner", ["g", "inner(depth)"])
def test_a_member_of_a_group_that_waits_for_a_place_in_it(inner: str) -> None:
    """visit was called by the function literal on the same line, which the group runs."""
    source = NESTED.replace("INNER", inner).replace("    GROUP\n", "")
    waits = scene(source, "chan send")
    visit = waits.trace.frames[0]
    visit = Frame("main.visit", visit.file, visit.line)
    group = Frame("golang.org/x/sync/errgroup.(*Group).Go", "golang.org/x/sync@v0.24.0/errgroup/errgroup.go", 74)
    trace = Trace((group, visit, Frame("main.visit.func1", visit.file, visit.line)), "chan send", group)
    found = nested.reason(StackInSource.of(replace(waits.suspect, traces=(trace,)), waits.program, trace))
    if inner != "g":
        assert found is None
        return
    assert found is not None
    assert set(expected(source)) <= set(told(found)), told(found)
    assert "TryGo" in say(found.remedies[0].text, "en")
    assert found.guess


def test_a_receiver_that_ends_is_to_go_on() -> None:
    source = go("""
        type shelf struct{ requests chan int }
        func (s *shelf) loop() {
            for r := range s.requests { //! received
                if r < 0 {
                    return //! never-received
                }
            }
        }
        func (s *shelf) change(n int) {
            s.requests <- n // WAIT
        }
        func main() {
            s := &shelf{requests: make(chan int)} //! made
            go s.loop()
            serve(s.change)
        }""")
    found = reason(scene(source, "chan send"))
    assert found is not None
    assert set(expected(source)) <= set(told(found)), told(found)
    assert [one.text.key for one in found.remedies] == ["fix.keep-receiving"]


def test_senders_that_a_group_starts_need_room_for_all() -> None:
    source = go("""
        func score(g *group, n int) int {
            out := make(chan int) //! made
            for i := 0; i < n; i++ {
                g.Go(func() error {
                    out <- i // WAIT
                    return nil
                })
            }
            for i := 0; i < n; i++ {
                v := <-out //! received
                if v < 0 {
                    return v //! never-received
                }
            }
            return 0
        }""")
    found = reason(scene(source, "chan send"))
    assert found is not None
    assert set(expected(source)) <= set(told(found)), told(found)
    assert "make(chan int, n)" in str(found.remedies[0].diff)


def test_a_consumer_that_never_calls_what_empties_it() -> None:
    closing = FEED + "\nfunc (f *Follower) Close() {\n\tfor range f.out {\n\t}\n}\n"
    found = reason(scene({"example.org/feed": closing, "main": LATEST}, "chan send"))
    assert found is not None
    assert ("never-closed", "main", 6) in told(found)
    assert [("+\tdefer f.Close()" in (remedy.diff or "")) for remedy in found.remedies] == [True]
    closed = LATEST.replace("\tgo f.Run()", "\tdefer f.Close()\n\tgo f.Run()")
    assert reason(scene({"example.org/feed": closing, "main": closed}, "chan send")) is None


def test_two_ends_that_write_and_read_in_turn() -> None:
    source = """package main

func (c *client) run() {
	for {
		select {
		case call := <-c.calls:
			if err := c.send(call); err != nil { // UP 1
				return
			}
		case msg := <-c.incoming: //! never-received
			c.take(msg)
		case <-c.done:
			return
		}
	}
}

func (c *client) send(v int) error {
	return c.conn.Write(v) // WAIT
}

func (c *client) take(v int) {}

type client struct{ calls, incoming, done chan int }
"""
    from oakum.explain.channels.starved import reason as starved

    found = starved(scene(source, "IO wait", mechanisms=("peer-stopped-reading",)))
    assert found is not None
    assert told(found) == [("never-received", "main", 7), ("never-received", "main", 10)]


POOL = """
        type pool struct{ jobs chan int }
        func newPool() *pool { return &pool{jobs: make(chan int)} }
        func (p *pool) submit(j int) {
            go p.work() // GO
            p.jobs <- j
        }
        func (p *pool) work() {
            for range p.jobs { // WAIT
            }
        }"""


def test_nothing_is_closed_that_others_send_to() -> None:
    """A send to a closed channel panics: compiling does not show it, nor that the goroutines are gone."""
    alone = reason(scene(go(RECEIVES["nobody closes it"]), "chan receive"))
    assert alone is not None
    assert ["defer close(l.trucks)" in (remedy.diff or "") for remedy in alone.remedies] == [True]
    found = reason(scene(go(POOL), "chan receive"))
    assert found is None or not found.remedies


def test_who_waits_for_more_work_is_not_called_endless() -> None:
    found = reason(scene(go(POOL), "chan receive"))
    assert found is None or not found.endless
    alone = reason(scene(go(RECEIVES["nobody closes it"]), "chan receive"))
    assert alone is not None
    assert alone.endless


LOCAL = ("time-out", "error before the answer is looked at", "first answer wins", "sent by a deferred function")


@pytest.mark.parametrize("name", LOCAL)
def test_scan_finds_what_never_leaves_the_function(name: str) -> None:
    found = list(local_channels.scan(*read(go(SENDS[name]))))
    assert [one.mechanism for one in found] == ["abandoned-sender"]
    assert found[0].certain


QUIET = {
    "handed to others": """
        func ask() int {
            answers := make(chan int)
            go func() { answers <- 1 }()
            register(answers)
            if late() {
                return 0
            }
            return <-answers
        }""",
    "kept in a field": """
        func (s *server) ask() int {
            answers := make(chan int)
            s.waiting = answers
            go func() { answers <- 1 }()
            if late() {
                return 0
            }
            return <-answers
        }
        type server struct{ waiting chan int }""",
    "under one condition": """
        func ask(deep bool) int {
            answers := make(chan int)
            if deep {
                go func() { answers <- 1 }()
            }
            if deep {
                return <-answers
            }
            return 0
        }""",
    "main itself": """
        func main() {
            answers := make(chan int)
            go func() { answers <- 1 }()
            if late() {
                return
            }
            <-answers
        }""",
    "a callback": """
        func ask() int {
            answers := make(chan int)
            time.AfterFunc(time.Second, func() { answers <- 1 })
            if late() {
                return 0
            }
            return <-answers
        }""",
}


@pytest.mark.parametrize("name", [*QUIET, *RIGHT])
def test_scan_is_silent(name: str) -> None:
    source = _unmarked(QUIET.get(name) or RIGHT[name])
    assert list(local_channels.scan(*read(go(source)))) == []
