"""What ends this wait on the network? Small programs whose lines have to be named, and look-alikes that have a limit."""

import pytest
from msgspec.structs import replace

from go_scenes import explained, go, scene
from oakum.explain.network.question import reason
from oakum.explain.reason import StackInSource
from oakum.model import Frame

ROUND_TRIP = ("net/http.(*persistConn).roundTrip", "net/http.(*Transport).RoundTrip", "net/http.(*Client).do")
GET = (*ROUND_TRIP, "net/http.(*Client).Do", "net/http.(*Client).Get")
DO = (*ROUND_TRIP, "net/http.(*Client).Do")
READ = ("internal/poll.(*FD).Read", "net.(*netFD).Read", "net.(*conn).Read")
WRITE = ("internal/poll.(*FD).Write", "net.(*netFD).Write", "net.(*conn).Write")
RPC = ("net/rpc.(*Client).Call",)

HTTP = {
    "a client in a field": """
        type table struct{ client *http.Client }
        func newTable() *table {
            return &table{client: &http.Client{}} //! no-deadline
        }
        func (t *table) fetch(u string) {
            resp, err := t.client.Get(u) // WAIT //! no-deadline
        }
        """,
    "a client of the package": """
        var client = &http.Client{Transport: &http.Transport{}} //! no-deadline
        func fetch(u string) {
            resp, err := client.Get(u) // WAIT
        }
        """,
    "a client that was handed down the stack": """
        func main() {
            c := new(http.Client) //! no-deadline
            work(c) // UP 1
        }
        func work(c *http.Client) {
            c.Get("http://a") // WAIT
        }
        """,
    "the lock that is held meanwhile": """
        type table struct{ mu sync.Mutex; client http.Client }
        func (t *table) find(u string) {
            t.mu.Lock() //! locked
            defer t.mu.Unlock()
            t.fetch(u) // UP 1 //! no-deadline
        }
        func (t *table) fetch(u string) {
            c := &http.Client{} //! no-deadline
            c.Get(u) // WAIT
        }
        """,
    "a client with a Timeout": """
        type table struct{ client *http.Client }
        func newTable() *table { return &table{client: &http.Client{Timeout: time.Second}} }
        func (t *table) fetch(u string) {
            t.client.Get(u) // WAIT
        }
        """,
    "an option for a Timeout that nobody asks for": """
        type table struct{ client *http.Client }
        func WithTimeout(d time.Duration) func(*table) { return func(t *table) { t.client.Timeout = d } }
        func newTable(options ...func(*table)) *table {
            t := &table{client: &http.Client{}} //! no-deadline
            for _, one := range options { one(t) }
            return t
        }
        func (t *table) fetch(u string) {
            t.client.Get(u) // WAIT //! no-deadline
        }
        """,
    "an option for a Timeout that is used": """
        type table struct{ client *http.Client }
        func WithTimeout(d time.Duration) func(*table) { return func(t *table) { t.client.Timeout = d } }
        func newTable(options ...func(*table)) *table {
            t := &table{client: &http.Client{}}
            for _, one := range options { one(t) }
            return t
        }
        func main() { newTable(WithTimeout(time.Second)) }
        func (t *table) fetch(u string) {
            t.client.Get(u) // WAIT
        }
        """,
    "a Timeout that is set later": """
        func fetch(u string) {
            c := &http.Client{}
            c.Timeout = time.Minute
            c.Get(u) // WAIT
        }
        """,
    "a transport that limits the wait for the header": """
        func fetch(u string) {
            c := &http.Client{Transport: &http.Transport{ResponseHeaderTimeout: time.Second}}
            c.Get(u) // WAIT
        }
        """,
    "somebody else's client": """
        type table struct{ client *http.Client }
        func New(c *http.Client) *table { return &table{client: c} }
        func (t *table) fetch(u string) {
            t.client.Get(u) // WAIT
        }
        """,
}


@pytest.mark.parametrize("name", HTTP)
def test_an_http_call(name: str) -> None:
    source = go(HTTP[name], "net/http", "sync", "time")
    explained(reason(scene(source, "select", GET, ("missing-deadline",))), source, "missing-deadline")


def test_a_lock_makes_it_the_lock_s_finding_where_it_was_one() -> None:
    source = go(HTTP["the lock that is held meanwhile"], "net/http", "sync")
    found = reason(scene(source, "select", GET, ("lock-held-while-waiting", "missing-deadline")))
    explained(found, source, "lock-held-while-waiting")


def test_the_default_client() -> None:
    source = go(
        """
        func fetch(u string) {
            resp, err := http.Get(u) // WAIT //! no-deadline
        }
        """,
        "net/http",
    )
    found = reason(scene(source, "select", (*DO, "net/http.(*Client).Get", "net/http.Get"), ("missing-deadline",)))
    explained(found, source, "missing-deadline")


REQUESTS = {
    "a request without a context": """
        var client = &http.Client{} //! no-deadline
        func fetch(u string) {
            req, _ := http.NewRequest("GET", u, nil)
            client.Do(req) // WAIT
        }
        """,
    "a request with a context that can only be cancelled": """
        func fetch(u string) {
            client := &http.Client{} //! no-deadline
            ctx, cancel := context.WithCancel(context.Background())
            defer cancel()
            req, _ := http.NewRequestWithContext(ctx, "GET", u, nil)
            client.Do(req) // WAIT
        }
        """,
    "a request with a deadline": """
        var client = &http.Client{}
        func fetch(u string) {
            ctx, cancel := context.WithTimeout(context.Background(), time.Second)
            defer cancel()
            req, _ := http.NewRequestWithContext(ctx, "GET", u, nil)
            client.Do(req) // WAIT
        }
        """,
    "a deadline that comes from above": """
        var client = &http.Client{}
        func main() {
            ctx, cancel := context.WithTimeout(context.Background(), time.Second)
            defer cancel()
            fetch(ctx, "http://a") // UP 1
        }
        func fetch(ctx context.Context, u string) {
            req, _ := http.NewRequest("GET", u, nil)
            req = req.WithContext(ctx)
            client.Do(req) // WAIT
        }
        """,
    "a request of somebody else": """
        var client = &http.Client{}
        func Fetch(req *http.Request) {
            client.Do(req) // WAIT
        }
        """,
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request(name: str) -> None:
    source = go(REQUESTS[name], "net/http", "context", "time")
    explained(reason(scene(source, "select", DO, ("missing-deadline",))), source, "missing-deadline")


CALLS = {
    "a context that never ends": """
        func (s *service) list() {
            ctx, cancel := context.WithCancel(context.Background()) //! never-timed-out
            defer cancel()
            s.client.List(ctx, nil) // WAIT //! waits
        }
        type service struct{ client listClient }
        """,
    "a context from above the stack": """
        func main() {
            run(context.Background()) // UP 1 //! never-timed-out
        }
        func run(ctx context.Context) {
            client.List(ctx, nil) // WAIT //! waits
        }
        """,
    "a stream": """
        func follow(c listClient) {
            stream, err := c.Watch(context.TODO()) //! never-timed-out
            for {
                stream.Recv() // WAIT //! waits
            }
        }
        """,
    "a call that takes no context": """
        type repo struct{ db *sql.DB }
        func (r *repo) load() {
            rows, err := r.db.Query("select 1") // WAIT //! no-deadline
        }
        """,
    "a deadline": """
        func run(client listClient) {
            ctx, cancel := context.WithTimeout(context.Background(), time.Second)
            defer cancel()
            client.List(ctx, nil) // WAIT
        }
        """,
    "the context of a request": """
        func handle(r *http.Request, client listClient) {
            client.List(r.Context(), nil) // WAIT
        }
        """,
    "a context that nobody can follow": """
        func Run(ctx context.Context, client listClient) {
            client.List(ctx, nil) // WAIT
        }
        """,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_remote_call(name: str) -> None:
    source = go(CALLS[name], "context", "net/http", "time", "database/sql")
    explained(reason(scene(source, "select", RPC, ("missing-deadline",))), source, "missing-deadline")


READS = {
    "a reader around a connection": """
        type link struct{ conn net.Conn; in *bufio.Reader }
        func dial(addr string) *link {
            conn, err := net.Dial("tcp", addr) //! made
            return &link{conn, bufio.NewReader(conn)}
        }
        func (l *link) ask() {
            fmt.Fprintf(l.conn, "LIST")
            reply, err := l.in.ReadString(10) // WAIT //! no-deadline
        }
        """,
    "a connection that was handed down": """
        func ask(addr string) {
            conn, err := net.DialTimeout("tcp", addr, time.Second) //! made
            converse(conn) // UP 1
        }
        func converse(c net.Conn) {
            in := bufio.NewReader(c)
            in.ReadString(10) // WAIT //! no-deadline
        }
        """,
    "a deadline that is only taken away": """
        func ask(addr string) {
            conn, err := net.Dial("tcp", addr) //! made
            conn.SetReadDeadline(time.Time{})
            conn.Read(nil) // WAIT //! no-deadline
        }
        """,
    "a deadline on another connection": """
        func other(addr string) {
            conn, err := net.Dial("tcp", addr)
            conn.SetDeadline(time.Now().Add(time.Second))
        }
        func ask(addr string) {
            conn, err := net.Dial("tcp", addr) //! made
            conn.Read(nil) // WAIT //! no-deadline
        }
        """,
    "a deadline": """
        type link struct{ conn net.Conn }
        func dial(addr string) *link {
            conn, err := net.Dial("tcp", addr)
            return &link{conn}
        }
        func (l *link) ask() {
            l.conn.SetDeadline(time.Now().Add(time.Second))
            l.conn.Read(nil) // WAIT
        }
        """,
    "whatever comes next": """
        func listen(addr string) {
            conn, err := net.Dial("tcp", addr)
            for {
                conn.Read(nil) // WAIT
            }
        }
        """,
    "clients that stay and say nothing": """
        func serve(l net.Listener) {
            conn, err := l.Accept()
            for {
                conn.Read(nil) // WAIT
            }
        }
        """,
    "a request that a server waits for, and its answer": """
        func serve(l net.Listener) {
            conn, err := l.Accept()
            in := bufio.NewReader(conn)
            conn.Write(nil)
            for {
                line, err := in.ReadString(10) // WAIT
                conn.Write(nil)
            }
        }
        """,
    "a reader of whatever comes, others ask": """
        type link struct{ conn net.Conn }
        func dial(addr string) *link {
            conn, err := net.Dial("tcp", addr)
            l := &link{conn}
            go l.receive() // GO
            return l
        }
        func (l *link) receive() {
            l.conn.Read(nil) // WAIT
        }
        func (l *link) ask() { l.conn.Write(nil) }
        """,
    "asked by a helper, read by another": """
        type link struct{ conn net.Conn }
        func dial(addr string) *link {
            conn, err := net.Dial("tcp", addr) //! made
            return &link{conn}
        }
        func (l *link) do() {
            l.send()
            l.answer() // UP 1
        }
        func (l *link) send() { l.conn.Write(nil) }
        func (l *link) answer() {
            l.conn.Read(nil) // WAIT //! no-deadline
        }
        """,
    "question and answer": """
        func talk(addr string) {
            conn, err := net.Dial("tcp", addr) //! made
            for {
                conn.Write(nil)
                conn.Read(nil) // WAIT //! no-deadline
            }
        }
        """,
    "a connection that nobody can follow": """
        func Ask(r io.Reader) {
            io.ReadFull(r, nil) // WAIT
        }
        """,
}


@pytest.mark.parametrize("name", READS)
def test_a_read(name: str) -> None:
    source = go(READS[name], "net", "bufio", "time", "io")
    explained(reason(scene(source, "IO wait", READ, ("missing-deadline",))), source, "missing-deadline")


WRITES = {
    "everybody waits for one peer": """
        type hub struct{ mu sync.Mutex; peers []*bufio.Writer }
        func (h *hub) accept(l net.Listener) {
            c, err := l.Accept() //! made
            h.peers = append(h.peers, bufio.NewWriter(c))
        }
        func (h *hub) send(p []byte) {
            h.mu.Lock() //! locked
            defer h.mu.Unlock()
            for _, w := range h.peers {
                w.Write(p) // WAIT //! no-deadline
            }
        }
        """,
    "the lock is given back before": """
        type hub struct{ mu sync.Mutex; conn net.Conn }
        func dial() *hub {
            c, err := net.Dial("tcp", "a") //! made
            return &hub{conn: c}
        }
        func (h *hub) send(p []byte) {
            h.mu.Lock()
            c := h.conn
            h.mu.Unlock()
            c.Write(p) // WAIT //! no-deadline
        }
        """,
    "a write deadline": """
        func send(l net.Listener, p []byte) {
            c, err := l.Accept()
            c.SetWriteDeadline(time.Now().Add(time.Second))
            c.Write(p) // WAIT
        }
        """,
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write(name: str) -> None:
    source = go(WRITES[name], "net", "bufio", "sync", "time")
    found = reason(scene(source, "IO wait", WRITE, ("peer-stopped-reading",)))
    explained(found, source, "peer-stopped-reading")
    assert found is None or ("locked" in [site.role for site in found.sites]) == ("everybody" in name)


ANSWERS = {
    "the answer to a request": """
        func handle(w http.ResponseWriter, r *http.Request) {
            out := newLines(w) //! no-deadline
            out.line("x") // UP 1
        }
        type lines struct{ buf *bufio.Writer }
        func newLines(w io.Writer) *lines { return &lines{buf: bufio.NewWriter(w)} }
        func (l *lines) line(s string) {
            l.buf.WriteString(s) // WAIT //! no-deadline
        }
        """,
    "the server limits it": """
        func handle(w http.ResponseWriter, r *http.Request) {
            w.Write(nil) // WAIT
        }
        var server = &http.Server{WriteTimeout: time.Second}
        func serve() *http.Server { return &http.Server{WriteTimeout: time.Second} }
        """,
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_nobody_reads(name: str) -> None:
    source = go(ANSWERS[name], "net/http", "bufio", "io", "time")
    found = reason(scene(source, "IO wait", (*WRITE, "net/http.(*response).Write"), ("peer-stopped-reading",)))
    explained(found, source, "peer-stopped-reading")


@pytest.mark.parametrize("limited", [False, True])
def test_a_request_that_does_not_end(limited: bool) -> None:
    source = go(
        f"""
        func handle(w http.ResponseWriter, r *http.Request) {{
            body, err := io.ReadAll(r.Body) // WAIT {"" if limited else "//! no-deadline"}
        }}
        func main() {{
            serve() // UP 2
            s := &http.Server{{Addr: "", {"ReadTimeout: 5" if limited else ""}}} {"" if limited else "//! no-deadline"}
        }}
        func loop() {{
            handle(nil, nil) // UP 1
        }}
        """,
        "net/http",
        "io",
    )
    given = scene(source, "IO wait", (*READ, "net/http.(*body).Read", "io.ReadAll"), ("missing-deadline",))
    served = Frame("net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", 1)
    trace = replace(given.trace, frames=(*given.trace.frames, served))
    found = reason(StackInSource.of(given.suspect, given.program, trace))
    explained(found, source, "missing-deadline")


SPAWNS = {
    "one for each event": """
        type relay struct{ client *http.Client }
        func newRelay() *relay {
            return &relay{client: &http.Client{
                Transport: &http.Transport{MaxConnsPerHost: 1}, //! bounded-by
            }}
        }
        func (r *relay) follow(events chan int) {
            for range events {
                go r.post() // GO //! spawned
            }
        }
        func (r *relay) post() {
            r.client.Get("http://a") // WAIT
        }
        """,
    "one at the start": """
        type relay struct{ client *http.Client }
        func newRelay() *relay {
            return &relay{client: &http.Client{Timeout: 1, Transport: &http.Transport{MaxConnsPerHost: 1}}}
        }
        func (r *relay) start() {
            go r.post() // GO
        }
        func (r *relay) post() {
            r.client.Get("http://a") // WAIT
        }
        """,
}


@pytest.mark.parametrize("name", SPAWNS)
def test_goroutines_that_queue_for_a_connection(name: str) -> None:
    source = go(SPAWNS[name], "net/http")
    leaf = ("net/http.(*Transport).getConn", "net/http.(*Client).Do", "net/http.(*Client).Get")
    explained(reason(scene(source, "select", leaf, ("missing-deadline",))), source, "unbounded-spawn")


TURNS = {
    "turns are taken after the start": """
        type studio struct{ turns chan struct{} }
        func newStudio(n int) *studio {
            return &studio{turns: make(chan struct{}, n)} //! bounded-by
        }
        func (s *studio) handle(w http.ResponseWriter, r *http.Request) {
            go s.encode() // GO //! spawned
        }
        func (s *studio) encode() {
            s.turns <- struct{}{} // WAIT
            defer func() { <-s.turns }()
        }
        """,
    "turns are taken before the start": """
        func run(work chan int) {
            turns := make(chan struct{}, 4)
            for range work {
                turns <- struct{}{}
                go func() { // GO
                    turns <- struct{}{} // WAIT
                }()
            }
        }
        """,
}


@pytest.mark.parametrize("name", TURNS)
def test_goroutines_that_wait_for_their_turn(name: str) -> None:
    source = go(TURNS[name], "net/http")
    explained(
        reason(scene(source, "chan send", (), ("unbounded-spawn", "abandoned-sender"))), source, "unbounded-spawn"
    )


def test_what_waits_elsewhere_is_not_its_matter() -> None:
    source = go(
        """
        func f(c chan int) {
            c <- 1 // WAIT
        }
        """
    )
    assert reason(scene(source, "chan send", (), ("abandoned-sender",))) is None
