"""What keeps this memory? What is reached through other objects, through buffers, or comes back whenever it fails."""

import textwrap

import pytest
from msgspec.structs import replace

from go_scenes import explained, scene
from oakum.explain.memory.containers import reason
from oakum.explain.reason import Reason, StackInSource
from oakum.model import Trace

IMPORTS = '"bytes"; "container/list"; "fmt"; "io"; "net/http"; "strings"; "sync"; "time"'


def go(body: str) -> str:
    return f"package main\n\nimport ({IMPORTS})\n{textwrap.dedent(body)}"


def kept(source: str | dict[str, str], leaf: tuple[str, ...] = ()) -> Reason | None:
    given = scene(source, "", leaf, ("growing-container",))
    suspect = replace(given.suspect, path=given.trace.frames[::-1], traces=())
    return reason(StackInSource.of(suspect, given.program, Trace(())))


INSIDE = {
    "a history for each tenant": """
        type history struct{ entries []entry }
        type entry struct{ before [48]int }
        type recorder struct{ byTenant map[string]*history }
        func (h *history) add(e entry) {
            h.entries = append(h.entries, e) // WAIT //! never-removed
        }
        func (r *recorder) record(tenant string) {
            h := r.of(tenant)
            h.add(entry{}) // UP 1
        }
        func (r *recorder) of(tenant string) *history {
            h, ok := r.byTenant[tenant]
            if !ok {
                h = &history{}
                r.byTenant[tenant] = h
            }
            return h
        }
        """,
    "in a sync.Map": """
        type room struct{ mu sync.Mutex; lines []string }
        type chat struct{ rooms sync.Map }
        func (c *chat) say(name, line string) {
            v, _ := c.rooms.LoadOrStore(name, &room{})
            r := v.(*room)
            r.mu.Lock()
            r.lines = append(r.lines, line) // WAIT //! never-removed
            r.mu.Unlock()
        }
        """,
    "in a field of a map's value": """
        type shard struct{ seen map[string][]byte }
        type store struct{ shards []*shard }
        func newStore(n int) *store {
            s := &store{}
            for i := 0; i < n; i++ {
                s.shards = append(s.shards, &shard{seen: map[string][]byte{}})
            }
            return s
        }
        func (s *store) put(id string, n int) {
            s.shards[n%len(s.shards)].seen[id] = make([]byte, n) // WAIT //! never-removed
        }
        """,
    "of an object that is removed": """
        type session struct{ events []string }
        type server struct{ sessions map[string]*session }
        func (s *server) note(id, event string) {
            one := s.of(id)
            one.events = append(one.events, event) // WAIT
        }
        func (s *server) of(id string) *session {
            if s.sessions[id] == nil {
                s.sessions[id] = &session{}
            }
            return s.sessions[id]
        }
        func (s *server) end(id string) { delete(s.sessions, id) }
        func main() { s := &server{}; s.note("a", "b"); s.end("a") }
        """,
    "of an object that is cut": """
        type history struct{ entries []string }
        type recorder struct{ byTenant map[string]*history }
        func (r *recorder) record(tenant, line string) {
            h := r.of(tenant)
            h.entries = append(h.entries, line) // WAIT
            if len(h.entries) > 100 {
                h.entries = h.entries[1:]
            }
        }
        func (r *recorder) of(tenant string) *history {
            h := r.byTenant[tenant]
            if h == nil {
                h = &history{}
                r.byTenant[tenant] = h
            }
            return h
        }
        """,
    "of an object of this call": """
        type page struct{ rows []string }
        func build(n int) *page {
            p := &page{}
            for i := 0; i < n; i++ {
                p.rows = append(p.rows, fmt.Sprint(i)) // WAIT
            }
            return p
        }
        func serve(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, len(build(10).rows)) } // UP 1
        """,
}


@pytest.mark.parametrize("body", INSIDE.values(), ids=INSIDE)
def test_inside_of_what_is_kept(body: str) -> None:
    source = go(body)
    explained(kept(source), source, "growing-container")


PINNED = {
    "cut from a builder": """
        type index struct{ words map[string]int }
        func (x *index) serve(r *http.Request) {
            doc, _ := load(r.Body) // UP 1
            title, _, _ := strings.Cut(doc, " ") //! cut
            if len(x.words) < 400 {
                x.words[title] = 1 //! stored
            }
        }
        func load(r io.Reader) (string, error) {
            var b strings.Builder
            _, err := io.Copy(&b, r) // WAIT
            return b.String(), err
        }
        """,
    "a field of what a buffer has": """
        type log struct{ heads [][]byte }
        func (l *log) read(r io.Reader) {
            buf := new(bytes.Buffer)
            buf.ReadFrom(r) // WAIT
            if len(l.heads) < 400 {
                l.heads = append(l.heads, bytes.SplitN(buf.Bytes(), []byte(":"), 2)[0]) //! cut, stored
            }
        }
        """,
    "the beginning of what was printed": """
        var seen = map[string]bool{}
        func note(v any) {
            b := &strings.Builder{}
            fmt.Fprintf(b, "%v", v) // WAIT
            if len(seen) < 400 {
                seen[b.String()[:8]] = true //! cut, stored
            }
        }
        """,
    "a copy of it": """
        type index struct{ words map[string]int }
        func (x *index) serve(r *http.Request) {
            var b strings.Builder
            io.Copy(&b, r.Body) // WAIT
            title, _, _ := strings.Cut(b.String(), " ")
            if len(x.words) < 400 {
                x.words[strings.Clone(title)] = 1
            }
        }
        """,
    "a number about it": """
        type index struct{ words map[string]int; n int }
        func (x *index) serve(r *http.Request) {
            var b bytes.Buffer
            io.Copy(&b, r.Body) // WAIT
            x.n = b.Len()
        }
        """,
    "another string of it": """
        type index struct{ words map[string]int }
        func (x *index) serve(r *http.Request) {
            var b bytes.Buffer
            io.Copy(&b, r.Body) // WAIT
            if len(x.words) < 400 {
                x.words[string(b.Bytes()[:8])] = 1
            }
        }
        """,
}


@pytest.mark.parametrize("body", PINNED.values(), ids=PINNED)
def test_pieces_of_what_a_buffer_holds(body: str) -> None:
    source = go(body)
    leaf = ("bytes.growSlice", "strings.(*Builder).Write") if "Builder" in body else ("bytes.growSlice",)
    explained(kept(source, leaf), source, "substring-pin")


RUNS = """
func init() { go new(queue).round(); go new(mailer).run(); go new(outbox).flush() }
"""
BACK = {
    "to the list it came from": """
        type delivery struct{ body []byte; tries int }
        type queue struct{ items *list.List; send func([]byte) error }
        func (q *queue) Push(n int) { q.add(&delivery{body: make([]byte, n)}) } // WAIT
        func (q *queue) add(d *delivery) { q.items.PushBack(d) } //! stored
        func (q *queue) round() {
            for i := 0; i < 40; i++ {
                d := q.pop()
                if d == nil {
                    return
                }
                if err := q.send(d.body); err != nil {
                    d.tries++
                    q.add(d) //! never-removed
                }
            }
        }
        func (q *queue) pop() *delivery {
            e := q.items.Front()
            if e == nil {
                return nil
            }
            return q.items.Remove(e).(*delivery)
        }
        """,
    "to the end of a slice": """
        type mailer struct{ waiting []*mail }
        type mail struct{ text []byte }
        func (m *mailer) queue(n int) {
            m.waiting = append(m.waiting, &mail{text: make([]byte, n)}) // WAIT //! stored
        }
        func (m *mailer) run() {
            for range time.Tick(time.Second) {
                if len(m.waiting) == 0 {
                    continue
                }
                one := m.waiting[0]
                m.waiting = m.waiting[1:]
                if !deliver(one) {
                    m.waiting = append(m.waiting, one) //! never-removed
                }
            }
        }
        """,
    "to the map of what is pending": """
        type outbox struct{ pending map[int]*event }
        type event struct{ id int; body []byte }
        func (o *outbox) put(id, n int) {
            o.pending[id] = &event{id, make([]byte, n)} // WAIT //! stored
        }
        func (o *outbox) flush() {
            for id, e := range o.pending {
                delete(o.pending, id)
                if err := post(e.body); err != nil {
                    o.pending[id] = e //! never-removed
                }
            }
        }
        """,
    "a few times": """
        type delivery struct{ body []byte; tries int }
        type queue struct{ items []*delivery }
        func (q *queue) push(n int) { q.items = append(q.items, &delivery{body: make([]byte, n)}) } // WAIT
        func (q *queue) round() {
            d := q.items[0]
            q.items = q.items[1:]
            if err := post(d.body); err != nil {
                if d.tries++; d.tries < 5 {
                    q.items = append(q.items, d)
                }
            }
        }
        """,
    "as long as there is room": """
        type queue struct{ items []*delivery }
        type delivery struct{ body []byte }
        func (q *queue) push(n int) { q.add(&delivery{body: make([]byte, n)}) } // WAIT
        func (q *queue) add(d *delivery) {
            if len(q.items) >= 1000 {
                return
            }
            q.items = append(q.items, d)
        }
        func (q *queue) round() {
            d := q.items[0]
            q.items = q.items[1:]
            if err := post(d.body); err != nil {
                q.add(d)
            }
        }
        """,
    "never": """
        type queue struct{ items []*delivery }
        type delivery struct{ body []byte }
        func (q *queue) push(n int) { q.items = append(q.items, &delivery{body: make([]byte, n)}) } // WAIT
        func (q *queue) round() {
            d := q.items[0]
            q.items = q.items[1:]
            if err := post(d.body); err != nil {
                fmt.Println(err)
            }
        }
        """,
}


@pytest.mark.parametrize("body", BACK.values(), ids=BACK)
def test_what_is_put_back_when_it_fails(body: str) -> None:
    source = go(body) + RUNS
    explained(kept(source), source, "growing-container")
