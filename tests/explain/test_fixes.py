"""Drafted fixes: the lines that a diff takes and puts, where nothing is drafted, and that Go takes what is drafted."""

import re
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from oakum.experiment.unified import read
from oakum.explain import fixes
from oakum.explain.code.nouns import Func, Op, Step
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import bare, text
from oakum.explain.fixes.draft import patch_name
from oakum.model import Remedy, SourceText
from oakum.report.words import WORDS, say
from oakum.report.words import fixes as words
from support import ROOT
from toolchain import need_go

Make = Callable[[Package], Remedy | None]


def package(source: str, name: str = "desk.go") -> Package:
    read = Package("example.com/desk", [SourceText(f"/src/{name}", name, source.encode())])
    assert read.all
    return read


def go(source: str) -> str:
    """Return a Go file: the snippet, indented with tabs."""
    return re.sub(r"(?m)^( {4})+", lambda found: "\t" * (len(found[0]) // 4), textwrap.dedent(source).lstrip("\n"))


def op(read: Package, kind: str, with_text: str = "", number: int = 0) -> Op:
    every = (one for func in read.all for one in func.ops)
    found = [one for one in every if one.kind == kind and text(one.node).startswith(with_text)]
    return found[number]


def step(read: Package, kind: str, number: int = -1) -> Step:
    return [one for func in read.all for one in func.steps if one.kind == kind][number]


def func(read: Package, name: str) -> Func:
    return next(one for one in read.all if one.name == name)


def signed(expected: str) -> list[str]:
    """Return the lines of a diff that change something: a sign, then the code, indented with tabs."""
    lines = textwrap.dedent(expected).strip().split("\n")
    return [one[0] + re.sub(r"^( {4})+", lambda found: "\t" * (len(found[0]) // 4), one[1:]) for one in lines]


CASES: dict[str, tuple[str, Make, list[str]]] = {}


def case(name: str, source: str, make: Make, expected: str) -> None:
    CASES[name] = (go(source), make, signed(expected))


case(
    "a buffer of one",
    """
    package desk

    func ask() int {
        answers := make(chan int)
        go func() { answers <- 1 }()
        return <-answers
    }
    """,
    lambda p: fixes.buffer_of_one(op(p, "make")),
    """
    -    answers := make(chan int)
    +    answers := make(chan int, 1)
    """,
)

_FAN_OUT = """
    package desk

    func all(items []string, n int) {
        answers := make(chan int)
        for _, item := range items {
            go func() {
                answers <- len(item)
            }()
        }
        more := make(chan int)
        for i := 0; i < n; i++ {
            go func() { more <- i }()
        }
        <-answers
        <-more
    }
    """
case(
    "a slot for each item",
    _FAN_OUT,
    lambda p: fixes.buffer_for(op(p, "make"), fixes.senders(op(p, "go"), op(p, "make")) or ""),
    """
    -    answers := make(chan int)
    +    answers := make(chan int, len(items))
    """,
)
case(
    "a slot for each of n",
    _FAN_OUT,
    lambda p: fixes.buffer_for(op(p, "make", "", 1), fixes.senders(op(p, "go", "", 1), op(p, "make", "", 1)) or ""),
    """
    -    more := make(chan int)
    +    more := make(chan int, n)
    """,
)

_LEAVE = """
    package desk

    import "errors"

    func ask(fail bool) error {
        answers := make(chan error)
        go func() { answers <- nil }()
        if fail {
            return errors.New("no")
        }
        return <-answers
    }
    """
case(
    "one received before leaving",
    _LEAVE,
    lambda p: fixes.drain_on_leave(step(p, "return", 0), "answers"),
    """
    +        <-answers
    """,
)
case(
    "all received in the background",
    _LEAVE,
    lambda p: fixes.drain_on_leave(step(p, "return", 0), "answers", closed=True),
    """
    +        go func() {
    +            for range answers {
    +            }
    +        }()
    """,
)

case(
    "a channel that a call returns gets a name, and is drained",
    """
    package desk

    func stream() chan int { return nil }

    func first() int {
        for one := range stream() {
            return one
        }
        return 0
    }
    """,
    lambda p: fixes.drain_ranged(op(p, "range"), step(p, "return", 1)),
    """
    -    for one := range stream() {
    +    values := stream()
    +    for one := range values {
    +        go func() {
    +            for range values {
    +            }
    +        }()
    """,
)
case(
    "a send in a one-line goroutine with the context of the function around",
    """
    package desk

    import "context"

    func ask(ctx context.Context) chan int {
        answers := make(chan int)
        go func() { answers <- 1 }()
        return answers
    }
    """,
    lambda p: fixes.select_with_done(op(p, "send")),
    """
    -    go func() { answers <- 1 }()
    +    go func() {
    +        select {
    +        case answers <- 1:
    +        case <-ctx.Done():
    +            return
    +        }
    +    }()
    """,
)
case(
    "a send of several lines, an error to return",
    """
    package desk

    import "context"

    type answer struct {
        text  string
        count int
    }

    func tell(ctx context.Context, answers chan<- answer) (*answer, int, error) {
        answers <- answer{
            text:  "yes",
            count: 1,
        }
        return nil, 1, nil
    }
    """,
    lambda p: fixes.select_with_done(op(p, "send")),
    """
    -    answers <- answer{
    +    select {
    +    case answers <- answer{
    +    }:
    +    case <-ctx.Done():
    +        return nil, 0, ctx.Err()
    """,
)
case(
    "a receive that declares, with the channel that the type closes",
    """
    package desk

    type hub struct {
        in   chan string
        stop chan struct{}
    }

    func (h *hub) Close() { close(h.stop) }

    func (h *hub) run() {
        for {
            word, ok := <-h.in
            if !ok {
                return
            }
            println(word)
        }
    }
    """,
    lambda p: fixes.select_with_done(op(p, "receive")),
    """
    -        word, ok := <-h.in
    +        var word string
    +        var ok bool
    +        select {
    +        case word, ok = <-h.in:
    +        case <-h.stop:
    +            return
    +        }
    """,
)
case(
    "a range over a channel, the request's context",
    """
    package desk

    import "net/http"

    func serve(w http.ResponseWriter, r *http.Request) {
        words := subscribe()
        for word := range words {
            println(word)
        }
    }

    func subscribe() chan string { return nil }
    """,
    lambda p: fixes.select_with_done(op(p, "range")),
    """
    -    for word := range words {
    +    for {
    +        var word string
    +        var more bool
    +        select {
    +        case word, more = <-words:
    +        case <-r.Context().Done():
    +            return
    +        }
    +        if !more {
    +            break
    +        }
    """,
)
case(
    "one more case of a select, a stop channel and an error",
    """
    package desk

    func wait(in chan int, stop <-chan struct{}) error {
        select {
        case <-in:
            return nil
        }
    }
    """,
    lambda p: fixes.select_with_done(op(p, "receive")),
    """
    +
    +import "context"
    +    case <-stop:
    +        return context.Canceled
    """,
)
case(
    "a received value is returned, a foreign type in the way",
    """
    package desk

    import (
        "context"
        "net/url"
    )

    func wait(ctx context.Context, in chan url.URL) url.URL {
        return <-in
    }
    """,
    lambda p: fixes.select_with_done(op(p, "receive")),
    """
    -    return <-in
    +    select {
    +    case got := <-in:
    +        return got
    +    case <-ctx.Done():
    +        var zero url.URL
    +        return zero
    +    }
    """,
)
case(
    "the unlock behind the send is still done",
    """
    package desk

    import (
        "context"
        "sync"
    )

    func tell(ctx context.Context, mu *sync.Mutex, out chan int) {
        mu.Lock()
        out <- 1
        mu.Unlock()
    }
    """,
    lambda p: fixes.select_with_done(op(p, "send")),
    """
    -    out <- 1
    +    select {
    +    case out <- 1:
    +    case <-ctx.Done():
    +    }
    """,
)

_PRODUCER = """
    package desk

    func produce(items []int) <-chan int {
        out := make(chan int) // unbuffered
        go func() {
            for _, item := range items {
                out <- item
            }
        }()
        return out
    }
    """
case(
    "closed at the end of the function",
    _PRODUCER,
    lambda p: fixes.close_before(step(p, "end"), "out"),
    """
    +        close(out)
    """,
)
case(
    "closed by a defer behind a comment",
    _PRODUCER,
    lambda p: fixes.defer_close(op(p, "make"), "out"),
    """
    +    defer close(out)
    """,
)
case(
    "left behind the first send",
    """
    package desk

    func tell(out chan error, err error) (int, bool) {
        if err != nil {
            out <- err
        }
        out <- nil
        return 1, true
    }
    """,
    lambda p: fixes.return_after(op(p, "send")),
    """
    +        return 0, false
    """,
)

_BREAK = """
    package desk

    func work(in chan int, stop chan struct{}) {
        for {
            select {
            case one := <-in:
                println(one)
            case <-stop:
                break
            }
        }%s
    }
    """
case(
    "the last loop is left by a return",
    _BREAK % "",
    lambda p: fixes.leave_loop(step(p, "jump")),
    """
    -            break
    +            return
    """,
)
case(
    "a loop with something behind it is left by a label",
    (_BREAK % '\n        println("end")').replace("for {", "for i := 0; i < 3; i++ {"),
    lambda p: fixes.leave_loop(step(p, "jump")),
    """
    +loop:
    -            break
    +            break loop
    """,
)

case(
    "a field is made, values stay below one another",
    """
    package desk

    type hub struct {
        name    string
        changes chan int
    }

    func newHub() *hub {
        return &hub{
            name: "hub",
        }
    }
    """,
    lambda p: fixes.make_field(op(p, "composite"), "changes", "chan int"),
    """
    -        name: "hub",
    +        name:    "hub",
    +        changes: make(chan int),
    """,
)
case(
    "a defer behind the check of the error",
    """
    package desk

    import "os"

    func size(name string) (int64, error) {
        file, err := os.Open(name)
        if err != nil {
            return 0, err
        }
        info, err := file.Stat()
        return info.Size(), err
    }
    """,
    lambda p: fixes.defer_call(op(p, "call", "os.Open"), "file.Close()"),
    """
    +    defer file.Close()
    """,
)
case(
    "a defer where the error is not checked at once",
    """
    package desk

    import "net/http"

    func exists(url string) bool {
        resp, err := http.Get(url)
        return err == nil && resp.StatusCode == 200
    }
    """,
    lambda p: fixes.defer_call(op(p, "call", "http.Get"), "resp.Body.Close()"),
    """
    +    if err == nil {
    +        defer resp.Body.Close()
    +    }
    """,
)
_WORKERS = """
    package desk

    import "sync"

    func each(items []int, do func(int) error) {
        var wg sync.WaitGroup
        for _, item := range items {
            wg.Add(1)
            go func() {
                if do(item) != nil {
                    return
                }
                wg.Done()
            }()
            wg.Add(1)
            go func() { wg.Done() }()
        }
        wg.Wait()
    }
    """
case(
    "Done is deferred at the start of the goroutine",
    _WORKERS,
    lambda p: fixes.defer_at_start(func(p, "each.func1"), "wg.Done()", [op(p, "call", "wg.Done")]),
    """
    +            defer wg.Done()
    -            wg.Done()
    """,
)
case(
    "a call before a return",
    _WORKERS,
    lambda p: fixes.call_before(step(p, "return"), "wg.Done()"),
    """
    +                wg.Done()
    """,
)
case(
    "the cancel function is kept",
    """
    package desk

    import (
        "context"
        "time"
    )

    func ask(ctx context.Context) error {
        ctx, _ = context.WithCancel(ctx)
        limited, _ := context.WithTimeout(ctx, time.Second)
        <-limited.Done()
        return nil
    }
    """,
    lambda p: fixes.keep_cancel(op(p, "assign", "limited")),
    """
    -    limited, _ := context.WithTimeout(ctx, time.Second)
    +    limited, cancel := context.WithTimeout(ctx, time.Second)
    +    defer cancel()
    """,
)

_REGISTRY = """
    package desk

    import "time"

    type session struct{ done chan struct{} }

    func (s *session) stop() { close(s.done) }

    type registry struct {
        ticker   *time.Ticker
        sessions map[string]*session
        cancels  map[string]func()
    }

    func (r *registry) restart(name string) {
        r.ticker = time.NewTicker(time.Second)
        r.cancels[name] = func() {}
        delete(r.sessions, name)
        for key, one := range r.sessions {
            delete(r.sessions, key)
            println(one)
        }
    }
    """
case(
    "the old ticker is stopped",
    _REGISTRY,
    lambda p: fixes.stop_old(op(p, "assign", "r.ticker")),
    """
    +    if old := r.ticker; old != nil {
    +        old.Stop()
    +    }
    """,
)
case(
    "the old entry is cancelled",
    _REGISTRY,
    lambda p: fixes.stop_old(op(p, "assign", "r.cancels"), "()"),
    """
    +    if old, ok := r.cancels[name]; ok {
    +        old()
    +    }
    """,
)
case(
    "the channel of a deleted entry is closed",
    _REGISTRY,
    lambda p: fixes.close_deleted(op(p, "delete"), "done"),
    """
    +    if old, ok := r.sessions[name]; ok {
    +        close(old.done)
    +    }
    """,
)
case(
    "the channel of an entry deleted in a range is closed",
    _REGISTRY,
    lambda p: fixes.close_deleted(op(p, "delete", "", 1), "done"),
    """
    +        close(one.done)
    """,
)
case(
    "an entry deleted in a range is stopped by its name there",
    _REGISTRY,
    lambda p: fixes.stop_deleted(op(p, "delete", "", 1), "stop()"),
    """
    +        one.stop()
    """,
)

_LOCKED = """
    package desk

    import (
        "errors"
        "sync"
    )

    type store struct {
        mu    sync.RWMutex
        items map[string]int
    }

    func (s *store) get(key string) (int, error) {
        s.mu.RLock()
        if _, ok := s.items[key]; !ok {
            return 0, errors.New(key)
        }
        if s.items[key] == 0 {
            return len(s.items), nil
        }
        if s.items[key] == 1 {
            return s.size(key)
        }
        s.mu.RUnlock()
        return 2, nil
    }

    func (s *store) size(key string) (int, error) { return len(s.items), nil }

    func (s *store) Count() int {
        s.mu.Lock()
        defer s.mu.Unlock()
        return s.countLocked()
    }

    func (s *store) countLocked() int { return len(s.items) }

    func (s *store) put(key string) {
        s.mu.Lock()
        s.items[key] = s.Count()
        s.flush()
        s.mu.Unlock()
    }

    func (s *store) flush() {
        s.mu.Lock()
        defer s.mu.Unlock()
        clear(s.items)
    }
    """
case(
    "unlocked before a return of the error",
    _LOCKED,
    lambda p: fixes.unlock_before(step(p, "return", 0), "s.mu", read=True),
    """
    +        s.mu.RUnlock()
    """,
)
case(
    "only what is guarded is taken before the unlock",
    _LOCKED,
    lambda p: fixes.unlock_before(step(p, "return", 1), "s.mu", read=True),
    """
    -        return len(s.items), nil
    +        result := len(s.items)
    +        s.mu.RUnlock()
    +        return result, nil
    """,
)
case(
    "what is guarded is read before the unlock",
    _LOCKED,
    lambda p: fixes.unlock_before(step(p, "return", 2), "s.mu", read=True),
    """
    -        return s.size(key)
    +        result, result1 := s.size(key)
    +        s.mu.RUnlock()
    +        return result, result1
    """,
)
case(
    "the unlock is deferred",
    _LOCKED,
    lambda p: fixes.defer_unlock(op(p, "call", "s.mu.RLock"), [op(p, "call", "s.mu.RUnlock")]),
    """
    +    defer s.mu.RUnlock()
    -    s.mu.RUnlock()
    """,
)
case(
    "the variant that expects the lock",
    _LOCKED,
    lambda p: fixes.use_locked_variant(op(p, "call", "s.Count")),
    """
    -    s.items[key] = s.Count()
    +    s.items[key] = s.countLocked()
    """,
)
case(
    "unlocked before the call that locks",
    _LOCKED,
    lambda p: fixes.unlock_first(op(p, "call", "s.flush"), op(p, "call", "s.mu.Unlock", 1)),
    """
    +    s.mu.Unlock()
    -    s.mu.Unlock()
    """,
)

_HTTP = """
    package desk

    import (
        "context"
        "net"
        "net/http"

        "example.com/desk/other"
    )

    var short = func() *http.Client { return &http.Client{} }

    func client() *http.Client {
        return &http.Client{
            Transport: http.DefaultTransport,
        }
    }

    func ask(ctx context.Context, url string) error {
        resp, err := http.Get(url)
        if err != nil {
            return err
        }
        defer resp.Body.Close()
        if err := other.Wait(ctx); err != nil {
            return err
        }
        return nil
    }

    func echo(conn net.Conn) {
        buffer := make([]byte, 10)
        conn.Read(buffer)
        for more(conn) {
            conn.Write(buffer)
        }
    }

    func more(conn net.Conn) bool { return false }
    """
case(
    "a client gets a timeout, time is imported in its group",
    _HTTP,
    lambda p: fixes.set_timeout(next(one for one in func(p, "client").ops if one.kind == "composite"), "Timeout"),
    """
    +    "time"
    +        Timeout:   30 * time.Second,
    """,
)
case(
    "http.Get has none",
    _HTTP,
    lambda p: fixes.client_timeout(op(p, "call", "http.Get")),
    """
    +    "time"
    -    resp, err := http.Get(url)
    +    resp, err := (&http.Client{Timeout: 30 * time.Second}).Get(url)
    """,
)
case(
    "a context that ends",
    _HTTP,
    lambda p: fixes.with_timeout(op(p, "call", "other.Wait")),
    """
    +    "time"
    -    if err := other.Wait(ctx); err != nil {
    +    timed, cancel := context.WithTimeout(ctx, 30*time.Second)
    +    defer cancel()
    +    if err := other.Wait(timed); err != nil {
    """,
)
case(
    "a deadline before a read",
    _HTTP,
    lambda p: fixes.set_deadline(op(p, "call", "conn.Read"), "conn", "Read"),
    """
    +    "time"
    +    conn.SetReadDeadline(time.Now().Add(30 * time.Second))
    """,
)
case(
    "a deadline before and in a loop whose head reads",
    _HTTP,
    lambda p: fixes.set_deadline(op(p, "call", "more(conn)"), "conn", ""),
    """
    +    "time"
    +    conn.SetDeadline(time.Now().Add(30 * time.Second))
    +        conn.SetDeadline(time.Now().Add(30 * time.Second))
    """,
)

case(
    "a client of the package gets a timeout",
    """
    package desk

    import "net/http"

    var client = &http.Client{}

    func ask() (*http.Response, error) { return client.Get("x") }
    """,
    lambda p: fixes.set_timeout_in(bare(p.globals["client"].value or p.files[0].root), p.files[0], p),
    """
    -import "net/http"
    +import (
    +    "net/http"
    +    "time"
    +)
    -var client = &http.Client{}
    +var client = &http.Client{Timeout: 30 * time.Second}
    """,
)
_UNKEPT = """
    package desk

    import "net/http"

    func ping(url string) error {
        http.Get(url)
        _, err := http.Get(url)
        if err != nil {
            return err
        }
        return nil
    }
    """
case(
    "an answer that nobody keeps is closed",
    _UNKEPT,
    lambda p: fixes.close_unkept(op(p, "call"), "{name}.Body.Close()"),
    """
    -    http.Get(url)
    +    if resp, err := http.Get(url); err == nil {
    +        resp.Body.Close()
    +    }
    """,
)
case(
    "an answer of which only the error is kept is closed",
    _UNKEPT,
    lambda p: fixes.close_unkept(op(p, "call", "", 1), "{name}.Body.Close()"),
    """
    -    _, err := http.Get(url)
    +    resp, err := http.Get(url)
    +    resp.Body.Close()
    """,
)
case(
    "a call before each of two exits",
    _LOCKED,
    lambda p: fixes.call_before_each([step(p, "return", 0), step(p, "return", 1)], "s.mu.RUnlock()"),
    """
    +        s.mu.RUnlock()
    +        s.mu.RUnlock()
    """,
)
case(
    "unlocked at two exits",
    _LOCKED,
    lambda p: fixes.unlock_before(step(p, "return", 0), "s.mu", True, step(p, "return", 1)),
    """
    +        s.mu.RUnlock()
    -        return len(s.items), nil
    +        result := len(s.items)
    +        s.mu.RUnlock()
    +        return result, nil
    """,
)
_PIECES = """
    package desk

    type index struct{ words []string }

    func (i index) clear() { i.words = nil }

    func (i *index) add(line string) {
        word := line[:4]
        i.words = append(i.words, word)
    }
    """
case(
    "a piece is copied",
    _PIECES,
    lambda p: fixes.clone_piece(func(p, "add"), 8),
    """
    +
    +import "strings"
    -    word := line[:4]
    +    word := strings.Clone(line[:4])
    """,
)
case(
    "a method works on the object",
    _PIECES,
    lambda p: fixes.pointer_receiver(func(p, "clear")),
    """
    -func (i index) clear() { i.words = nil }
    +func (i *index) clear() { i.words = nil }
    """,
)


@pytest.mark.parametrize("name", CASES)
def test_a_draft_changes_these_lines(name: str) -> None:
    source, make, expected = CASES[name]
    remedy = make(package(source))
    assert remedy is not None
    assert remedy.diff is not None
    assert remedy.diff.startswith("--- a/desk.go\n+++ b/desk.go\n@@ ")
    changed = [one for one in remedy.diff.splitlines()[2:] if one[:1] in ("+", "-")]
    assert changed == expected
    (file,) = read(remedy.diff)
    assert file.apply(source.encode()).count(b"\n") - source.count("\n") == sum(
        1 if one[0] == "+" else -1 for one in changed
    )


ABSENT: dict[str, tuple[str, Make]] = {
    "a channel has room already": (
        "func f() { c := make(chan int, 4); c <- 1 }",
        lambda p: fixes.buffer_of_one(op(p, "make")),
    ),
    "nothing says when to leave": (
        "func f(c chan int) { c <- 1 }",
        lambda p: fixes.select_with_done(op(p, "send")),
    ),
    "a context that nobody can cancel": (
        "func f(c chan int) {\n\tctx, _ := context.WithCancel(context.Background())\n\tc <- 1\n\tuse(ctx)\n}",
        lambda p: fixes.select_with_done(op(p, "send")),
    ),
    "a context of an inner block": (
        "func f(c chan int) {\n\tif true {\n\t\tctx := g.Context()\n\t\tuse(ctx)\n\t}\n\tc <- 1\n}",
        lambda p: fixes.select_with_done(op(p, "send")),
    ),
    "a stop channel that nobody closes": (
        "type h struct{ stop chan struct{} }\n\nfunc (h *h) f(c chan int) {\n\tc <- 1\n}",
        lambda p: fixes.select_with_done(op(p, "send")),
    ),
    "somebody waits for Done behind the receive": (
        "func f(ctx context.Context, c chan int, wg *sync.WaitGroup) {\n\t<-c\n\twg.Done()\n}",
        lambda p: fixes.select_with_done(op(p, "receive")),
    ),
    "a received value of a type that is not known": (
        "func f(ctx context.Context) {\n\tv := <-other.C\n\tuse(v)\n}",
        lambda p: fixes.select_with_done(op(p, "receive")),
    ),
    "a select that does not wait": (
        "func f(ctx context.Context, c chan int) {\n\tselect {\n\tcase c <- 1:\n\tdefault:\n\t}\n}",
        lambda p: fixes.select_with_done(op(p, "send")),
    ),
    "a channel that a call returns anew": (
        "func g() chan int { return nil }\n\nfunc f() {\n\tfor range g() {\n\t\treturn\n\t}\n}",
        lambda p: fixes.drain_on_leave(step(p, "return"), "g()", closed=True),
    ),
    "a range over what a call returns": (
        "func g() chan int { return nil }\n\nfunc f(ctx context.Context) {\n\tfor range g() {\n\t\tg()\n\t}\n}",
        lambda p: fixes.select_with_done(op(p, "range")),
    ),
    "a defer in a loop": (
        "func f() {\n\tfor {\n\t\tx := open()\n\t\tuse(x)\n\t}\n}",
        lambda p: fixes.defer_call(op(p, "call", "open"), "x.Close()"),
    ),
    "a name that is declared later": (
        "func f(b bool) {\n\tif b {\n\t\treturn\n\t}\n\tc := make(chan int)\n\tuse(c)\n}",
        lambda p: fixes.close_before(step(p, "return"), "c"),
    ),
    "a name of the function around, at the start of which it is not declared": (
        "func f() {\n\tx := open()\n\tuse(x)\n}",
        lambda p: fixes.defer_at_start(func(p, "f"), "x.Close()"),
    ),
    "opened in the head of an if": (
        "func f() {\n\tif x, err := open(); err == nil {\n\t\tuse(x)\n\t}\n}",
        lambda p: fixes.defer_call(op(p, "call", "open"), "x.Close()"),
    ),
    "before the condition of else if": (
        "func f() {\n\tif a() {\n\t} else if b() {\n\t}\n}",
        lambda p: fixes.call_before(op(p, "call", "b"), "c()"),
    ),
    "behind a return": (
        "func f() int {\n\treturn g()\n}",
        lambda p: fixes.call_after(op(p, "call", "g"), "h()"),
    ),
    "no context is made": (
        "func f() {\n\tx, _ := open()\n\tuse(x)\n}",
        lambda p: fixes.keep_cancel(op(p, "assign")),
    ),
    "a variable that holds nothing yet": (
        "func f() {\n\tt := time.NewTimer(1)\n\tuse(t)\n}",
        lambda p: fixes.stop_old(op(p, "assign")),
    ),
    "an old entry of a slice": (
        "func f(s []T, i int) {\n\ts[i] = T{}\n}",
        lambda p: fixes.stop_old(op(p, "assign")),
    ),
    "a literal without names": (
        "type T struct{ a, b int }\n\nfunc f() T { return T{1, 2} }",
        lambda p: fixes.set_timeout(op(p, "composite"), "Timeout"),
    ),
    "the name of the import is taken": (
        "func f() *http.Client {\n\ttime := 1\n\tuse(time)\n\treturn &http.Client{}\n}",
        lambda p: fixes.set_timeout(op(p, "composite"), "Timeout"),
    ),
    "a range over a channel is not counted": (
        "func f(in chan int) {\n\tc := make(chan int)\n\tfor range in {\n\t\tgo func() { c <- 1 }()\n\t}\n}",
        lambda p: fixes.buffer_for(op(p, "make"), "n") if fixes.senders(op(p, "go"), op(p, "make")) else None,
    ),
    "what is counted changes behind the make": (
        "func f(n int) {\n\tc := make(chan int)\n\tn = 2\n\tfor i := 0; i < n; i++ {\n\t\tgo func() { c <- 1 }()\n\t}\n}",
        lambda p: fixes.buffer_for(op(p, "make"), "n") if fixes.senders(op(p, "go"), op(p, "make")) else None,
    ),
    "the variant locks itself": (
        "func (s *S) a() {\n\ts.get()\n}\n\nfunc (s *S) get() {}\n\nfunc (s *S) getLocked() { s.mu.Lock() }",
        lambda p: fixes.use_locked_variant(op(p, "call", "s.get()")),
    ),
    "text that is no Go": (
        "func f() {\n\ta()\n}",
        lambda p: fixes.call_before(op(p, "call", "a"), "if {"),
    ),
}


@pytest.mark.parametrize("name", ABSENT)
def test_nothing_is_drafted(name: str) -> None:
    source, make = ABSENT[name]
    assert make(package(f"package desk\n\n{source}\n")) is None


def test_every_draft_has_words_and_they_have_all_their_arguments() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/oakum/explain").rglob("*.py"))
    drafted = set(
        re.findall(r'(?:\bdraft|words_only|_call_draft|_field_draft|_stop_held|_deleted)\(\s*"([a-z-]+)"', code)
    )
    kinds = {key.removeprefix("fix.").removesuffix(".risk") for key in words.WORDS}
    assert words.WORDS.keys() == {f"fix.{kind}{end}" for kind in kinds for end in ("", ".risk")}
    assert [kind for kind in sorted(drafted) if f"fix.{kind}" not in WORDS] == []
    assert [kind for kind in sorted(kinds) if f'"{kind}"' not in code] == [], "nobody says it"
    for source, make, _ in CASES.values():
        remedy = make(package(source))
        assert remedy is not None
        assert remedy.risk is not None
        for sentence in (remedy.text, remedy.risk):
            for lang in ("en", "zh"):
                assert not say(sentence, lang).startswith("fix."), sentence


def test_words_alone_where_no_small_edit_helps() -> None:
    read = package("package desk\n\nfunc f() {\n\ta()\n}\n")
    remedy = fixes.words_only("lock-order", op(read, "call"), first="a.mu", second="b.mu")
    assert remedy.diff is None
    assert "desk.go:4" in say(remedy.text)
    assert remedy.risk is not None


def test_lines_keep_their_endings_and_a_last_line_without_one() -> None:
    source = "package desk\r\n\r\nfunc f() {\r\n\ta()\r\n}"
    remedy = fixes.call_after(op(package(source), "call"), "f()")
    assert remedy is not None
    assert remedy.diff == (
        "--- a/desk.go\n+++ b/desk.go\n@@ -2,4 +2,5 @@\n \r\n func f() {\r\n \ta()\r\n+\tf()\r\n }\n"
        "\\ No newline at end of file\n"
    )


def test_a_file_is_named_from_the_root_of_its_module() -> None:
    names = {
        "internal/desk/desk.go": "internal/desk/desk.go",
        "/home/ci/go/pkg/mod/k8s.io/client-go@v0.18.8/tools/cache/reflector.go": "tools/cache/reflector.go",
        "k8s.io/client-go@v0.18.8/tools/cache/reflector.go": "tools/cache/reflector.go",
        "/build/app/vendor/k8s.io/client-go/rest/request.go": "vendor/k8s.io/client-go/rest/request.go",
        "/build/app/main.go": "build/app/main.go",
        "C:\\app\\main.go": "app/main.go",
    }
    assert {name: patch_name(SourceText(name, name, b"")) for name in names} == names
    assert patch_name(SourceText("/x/cmd/a.go", "/build/app/cmd/a.go", b"", inside="cmd/a.go")) == "cmd/a.go"


@pytest.mark.live
def test_go_takes_every_draft(tmp_path: Path) -> None:
    """What is drafted compiles, and is as gofmt would write it."""
    tool = need_go()
    (tmp_path / "go.mod").write_text("module example.com/desk\n\ngo 1.22\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "other.go").write_text(
        'package other\n\nimport "context"\n\nfunc Wait(ctx context.Context) error { return ctx.Err() }\n'
    )
    for number, (source, make, _) in enumerate(CASES.values()):
        remedy = make(package(source))
        assert remedy is not None
        assert remedy.diff is not None
        folder = tmp_path / f"case{number}"
        folder.mkdir()
        (folder / "desk.go").write_text(source)
        subprocess.run(
            ["patch", "-p1"], input=remedy.diff, text=True, cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
    built = subprocess.run([tool, "build", "./..."], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.stderr == ""
    shaped = subprocess.run(
        [str(Path(tool).with_name("gofmt")), "-d", "."], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert shaped.stdout == ""
