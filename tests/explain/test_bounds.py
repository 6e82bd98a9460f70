"""What keeps a container small, whatever is put in; and what only looks so. Then: is it told, and weighed?"""

import pytest
from msgspec.structs import replace

from go_scenes import Texts, go, scene
from oakum.explain import explain
from oakum.explain.memory.bounds import bound
from oakum.explain.reason import StackInSource
from oakum.judge import confidence
from oakum.model import Evidence, Suspect, Text, Trace
from oakum.report.words import LANGUAGES, say

IMPORTS = ("container/list", "encoding/json", "sync", "time", "net/http")
BOUNDED = {
    "evicts: an LRU": """
        type cache struct{ most int; order *list.List; byKey map[string]*list.Element }
        type entry struct{ key string; value []byte }
        func (c *cache) get(key string) {
            value := make([]byte, 100) // WAIT
            c.byKey[key] = c.order.PushFront(&entry{key, value})
            if c.order.Len() > c.most {
                last := c.order.Back()
                c.order.Remove(last) // here
                delete(c.byKey, last.Value.(*entry).key)
            }
        }
        """,
    "evicts: what is decoded goes the way of what it is decoded into": """
        type item struct{ text string }
        type cache struct{ most int; all map[string]*item }
        func (c *cache) get(key string, raw []byte) {
            it := new(item)
            json.Unmarshal(raw, it) // WAIT
            c.all[key] = it
            if len(c.all) > c.most {
                delete(c.all, "oldest") // here
            }
        }
        """,
    "evicts: a helper that is called when there is too much": """
        type cache struct{ most int; all map[string][]byte }
        func (c *cache) get(key string) {
            c.all[key] = make([]byte, 100) // WAIT
            for len(c.all) > c.most {
                c.evict()
            }
        }
        func (c *cache) evict() {
            delete(c.all, "oldest") // here
        }
        """,
    "sweeps: what is old": """
        type seen struct{ at time.Time; body []byte }
        type dedup struct{ byID map[string]seen }
        func (d *dedup) handle(id string) {
            body := make([]byte, 100) // WAIT
            d.byID[id] = seen{time.Now(), body}
        }
        func (d *dedup) sweep() {
            for now := range time.Tick(time.Second) {
                for id, s := range d.byID {
                    if now.Sub(s.at) > time.Minute {
                        delete(d.byID, id) // here
                    }
                }
            }
        }
        func run(d *dedup) { go d.sweep() }
        """,
    "emptied: a batch": """
        type batch struct{ pending [][]byte }
        func (b *batch) add() {
            b.pending = append(b.pending, make([]byte, 100)) // WAIT
        }
        func (b *batch) flush() [][]byte {
            all := b.pending
            b.pending = nil // here
            return all
        }
        func run(b *batch) { b.flush() }
        """,
    "limit: a ring that fills": """
        type recent struct{ all [][]byte; next int }
        func (r *recent) add() {
            if len(r.all) < 100 {
                r.all = append(r.all, make([]byte, 100)) // WAIT // here
                return
            }
        }
        """,
}

NOT_BOUNDED = {
    "one entry by its key": """
        type logs struct{ open map[string][]byte }
        func (l *logs) begin(id string) {
            l.open[id] = make([]byte, 100) // WAIT
        }
        func (l *logs) end(id string, code int) {
            if code < 400 {
                delete(l.open, id)
            }
        }
        func run(l *logs) { l.end("a", 200) }
        """,
    "emptied once all of it was used": """
        type spool struct{ rows [][]byte; next int }
        func (s *spool) push() {
            s.rows = append(s.rows, make([]byte, 100)) // WAIT
        }
        func (s *spool) take(n int) {
            s.next += min(n, len(s.rows)-s.next-1)
            if s.next == len(s.rows) {
                s.rows, s.next = s.rows[:0], 0
            }
        }
        func run(s *spool) { s.take(10) }
        """,
    "a sweep that nobody calls": """
        type dedup struct{ byID map[string][]byte }
        func (d *dedup) handle(id string) {
            d.byID[id] = make([]byte, 100) // WAIT
        }
        func (d *dedup) sweep() {
            for id := range d.byID {
                delete(d.byID, id)
            }
        }
        """,
    "a sweep of another map": """
        type dedup struct{ byID, other map[string][]byte }
        func (d *dedup) handle(id string) {
            d.byID[id] = make([]byte, 100) // WAIT
        }
        func (d *dedup) sweep() {
            for id := range d.other {
                delete(d.byID, id)
            }
        }
        func run(d *dedup) { d.sweep() }
        """,
}


def heap(source: str) -> tuple[Suspect, StackInSource]:
    given = scene(source, "", (), ("growing-container",))
    risen = tuple(Evidence(kind, Text(kind), "sha256:" + "1" * 64) for kind in ("heap-steady-growth", "heap-owner"))
    suspect = replace(given.suspect, path=given.trace.frames[::-1], traces=(), evidence=risen, weight=0.9)
    return suspect, StackInSource.of(suspect, given.program, Trace(()))


@pytest.mark.parametrize("name", BOUNDED)
def test_a_bound(name: str) -> None:
    source = go(BOUNDED[name], *IMPORTS)
    found = bound(heap(source)[1])
    assert found is not None
    said, site = found
    assert said.key == f"cause.heap.bound.{name.partition(':')[0]}"
    assert site.code.endswith("// here")
    assert all(site.code in say(said, lang) for lang in LANGUAGES)


@pytest.mark.parametrize("name", NOT_BOUNDED)
def test_no_bound(name: str) -> None:
    assert bound(heap(go(NOT_BOUNDED[name], *IMPORTS))[1]) is None


@pytest.mark.parametrize("name", BOUNDED)
def test_what_is_bounded_is_not_accused_while_it_fills(name: str) -> None:
    source = go(BOUNDED[name], *IMPORTS)
    suspect, _ = heap(source)
    assert confidence(suspect) == "likely"  # without the source it looks like any other
    ((read,), _) = explain([suspect], Texts({"main": source}))
    assert read.cause is None
    assert "bounded" in read.kinds
    assert confidence(read) == "possible"


def test_a_deletion_by_key_takes_nothing_back() -> None:
    source = go(NOT_BOUNDED["one entry by its key"], *IMPORTS)
    ((read,), _) = explain([heap(source)[0]], Texts({"main": source}))
    assert confidence(read) == "likely"


LOADS = {
    "once": ("""
        type index struct{ rows map[string][]byte }
        func load(n int) *index {
            x := &index{rows: map[string][]byte{}}
            go x.fill(n)
            return x
        }
        func (x *index) fill(n int) {
            for i := 0; i < n; i++ {
                x.rows[name(i)] = make([]byte, 100) // WAIT
            }
        }
        """, True),
    "for each request": ("""
        type index struct{ rows map[string][]byte }
        func (x *index) handle(w http.ResponseWriter, r *http.Request) {
            go x.fill(10)
        }
        func (x *index) fill(n int) {
            for i := 0; i < n; i++ {
                x.rows[name(i)] = make([]byte, 100) // WAIT
            }
        }
        """, False),
    "again and again": ("""
        type index struct{ rows map[string][]byte }
        func load(n int) *index {
            x := &index{rows: map[string][]byte{}}
            go x.poll()
            return x
        }
        func (x *index) poll() {
            for now := range time.Tick(time.Second) {
                x.rows[now.String()] = make([]byte, 100) // WAIT
            }
        }
        """, False),
}  # fmt: skip


@pytest.mark.parametrize("name", LOADS)
def test_what_is_read_at_the_start(name: str) -> None:
    code, bounded = LOADS[name]
    source = go(code, *IMPORTS)
    suspect, _ = heap(source)
    suspect = replace(suspect, allocations=(Trace(suspect.path[::-1]),))
    ((read,), _) = explain([suspect], Texts({"main": source}))
    assert confidence(read) == ("possible" if bounded else "likely")
    assert ("bounded" in read.kinds) == bounded


KEPT = {
    "a slice that is never cut": (
        """
        type journal struct{ entries [][]byte }
        func (j *journal) add() {
            j.entries = append(j.entries, make([]byte, 100)) // WAIT
        }
        """,
        True,
    ),
    "what requests bring along": (
        """
        var seen = map[string][]byte{}
        func handle(w http.ResponseWriter, r *http.Request) {
            seen[r.URL.RequestURI()] = make([]byte, 100) // WAIT
        }
        """,
        True,
    ),
    "who sends them": (
        """
        var sites = map[string][]byte{}
        func handle(w http.ResponseWriter, r *http.Request) {
            sites[r.Header.Get("X-Site")] = make([]byte, 100) // WAIT
        }
        """,
        False,
    ),
    "keys that nobody knows": (
        """
        var articles = map[string][]byte{}
        func article(sku string) {
            articles[sku] = make([]byte, 100) // WAIT
        }
        """,
        False,
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_two_steps_are_enough_only_where_nothing_can_bound_it(name: str) -> None:
    code, sure = KEPT[name]
    source = go(code, *IMPORTS)
    suspect, _ = heap(source)
    weak = tuple(Evidence(kind, Text(kind), "sha256:" + "1" * 64) for kind in ("heap-single-step", "heap-even-growth"))
    ((read,), _) = explain([replace(suspect, evidence=weak)], Texts({"main": source}))
    assert read.cause is not None
    assert confidence(read) == ("likely" if sure else "possible")
    ((once,), _) = explain([replace(suspect, evidence=weak[:1])], Texts({"main": source}))
    assert confidence(once) == "possible"


def test_somebody_elses_cache_is_not_called_unlimited() -> None:
    source = go(
        """
        type quotes struct{ cache *lru.Cache }
        func (q *quotes) quote(key string) {
            v := make([]byte, 100) // WAIT
            q.cache.Add(key, v)
        }
        """,
        "example.org/lru",
    )
    suspect, _ = heap(source)
    ((read,), _) = explain([suspect], Texts({"main": source}))
    assert read.cause is not None
    assert [text.key for text in read.cause.because] == ["cause.heap.stored", "cause.heap.foreign"]
    assert "never-removed" not in read.kinds


@pytest.mark.parametrize("path", ["github.com/hashicorp/golang-lru/v2", "github.com/hashicorp/golang-lru/v2/expirable"])
def test_a_cache_of_a_library_that_always_has_a_bound(path: str) -> None:
    """A cache that fills evenly is no leak, however sure its growth."""
    source = go(
        """
        type quotes struct{ cache *lru.Cache }
        func (q *quotes) quote(key string) {
            v := make([]byte, 100) // WAIT
            q.cache.Add(key, v)
        }
        """
    ).replace("package main\n", f'package main\n\nimport lru "{path}"\n', 1)
    suspect, _ = heap(source)
    ((read,), _) = explain([suspect], Texts({"main": source}))
    assert "bounded" in read.kinds
    assert confidence(suspect) == "likely"
    assert confidence(read) == "possible"
