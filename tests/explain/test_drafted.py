"""The drafts that questions hand over: each mistake with the lines that fix it."""

import re
import textwrap

import pytest

from oakum.explain.code.flows import Flows
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import text
from oakum.explain.locks import scan as lock_scan
from oakum.explain.network import bodies
from oakum.explain.workers.drafts import loss_fixes
from oakum.explain.workers.timers import timer_loss
from oakum.model import Remedy, SourceText

BODIES = {
    "closed nowhere": (
        """
        func f(url string) (int, error) {
            resp, err := http.Get(url)
            if err != nil {
                return 0, err
            }
            return resp.StatusCode, nil
        }
        """,
        ["+\tdefer resp.Body.Close()"],
    ),
    "the error is looked at later": (
        """
        func f(url string) bool {
            resp, err := http.Get(url)
            return err == nil && resp.StatusCode == 200
        }
        """,
        ["+\tif err == nil {", "+\t\tdefer resp.Body.Close()", "+\t}"],
    ),
    "closed on another way": (
        """
        func f(url string) error {
            resp, err := http.Get(url)
            if err != nil {
                return err
            }
            if resp.StatusCode != 200 {
                return errors.New(resp.Status)
            }
            return resp.Body.Close()
        }
        """,
        ["+\t\tresp.Body.Close()"],
    ),
    "not even kept": (
        """
        func f(url string) {
            http.Get(url)
        }
        """,
        ["-\thttp.Get(url)", "+\tif resp, err := http.Get(url); err == nil {", "+\t\tresp.Body.Close()", "+\t}"],
    ),
}
LOCKS = {
    "an exit that does not unlock": (
        """
        type s struct { mu sync.Mutex; n int }
        func (s *s) f(b bool) int {
            s.mu.Lock()
            if b {
                return s.n
            }
            s.mu.Unlock()
            return 0
        }
        """,
        ["-\t\treturn s.n", "+\t\tresult := s.n", "+\t\ts.mu.Unlock()", "+\t\treturn result"],
    ),
    "a round that does not unlock": (
        """
        type s struct { mu sync.Mutex; n int }
        func (s *s) f(all []int) {
            for _, one := range all {
                s.mu.Lock()
                if one == 0 {
                    continue
                }
                s.n += one
                s.mu.Unlock()
            }
        }
        """,
        ["+\t\t\ts.mu.Unlock()"],
    ),
    "a variant for those who hold the lock": (
        """
        type s struct { mu sync.Mutex; n int }
        func (s *s) get() int {
            s.mu.Lock()
            defer s.mu.Unlock()
            return s.getLocked()
        }
        func (s *s) getLocked() int {
            return s.n
        }
        func (s *s) f() {
            s.mu.Lock()
            s.n = s.get()
            s.mu.Unlock()
        }
        """,
        ["-\ts.n = s.get()", "+\ts.n = s.getLocked()"],
    ),
}
TIMERS = {
    "left behind by a return": (
        """
        func f(done chan int) {
            t := time.NewTicker(time.Second)
            select {
            case <-t.C:
            case <-done:
            }
        }
        """,
        ["+\tdefer t.Stop()"],
    ),
    "replaced in a field": (
        """
        type s struct { t *time.Timer }
        func (s *s) f() {
            s.t = time.AfterFunc(time.Hour, s.f)
        }
        """,
        ["+\tif old := s.t; old != nil {", "+\t\told.Stop()", "+\t}"],
    ),
    "deleted with the object that holds it": (
        """
        type one struct { t *time.Timer }
        type all struct { m map[string]*one }
        func (a *all) add(k string) {
            o := &one{}
            o.t = time.AfterFunc(time.Hour, func() { println(k) })
            a.m[k] = o
        }
        func (a *all) drop(k string) {
            delete(a.m, k)
        }
        """,
        ["+\tif old, ok := a.m[k]; ok {", "+\t\told.t.Stop()", "+\t}"],
    ),
    "the key of a set": (
        """
        type one struct { t *time.Timer }
        type all struct { m map[*one]struct{} }
        func (a *all) add() {
            o := &one{}
            o.t = time.AfterFunc(time.Hour, func() { println(o) })
            a.m[o] = struct{}{}
        }
        func (a *all) drop(o *one) {
            delete(a.m, o)
        }
        """,
        ["+\to.t.Stop()"],
    ),
    "stopped on another way": (
        """
        type s struct { t *time.Timer; retire bool }
        func (s *s) f() {
            before := s.t
            s.t = time.AfterFunc(time.Hour, s.f)
            if before != nil && s.retire {
                before.Stop()
            }
        }
        """,
        [],
    ),
    "stopped on one way out of two": (
        """
        func f(done chan int) {
            t := time.NewTicker(time.Second)
            if done == nil {
                return
            }
            <-done
            t.Stop()
        }
        """,
        ["+\t\tt.Stop()"],
    ),
}


def package(source: str) -> Package:
    code = re.sub(r"(?m)^( {4})+", lambda found: "\t" * (len(found[0]) // 4), textwrap.dedent(source))
    imports = 'import (\n\t"errors"\n\t"net/http"\n\t"sync"\n\t"time"\n)\n'
    return Package("main", [SourceText("/x/main.go", "main.go", f"package main\n\n{imports}{code}".encode())])


def changed(remedies: tuple[Remedy, ...]) -> list[str]:
    assert remedies
    assert remedies[0].diff is not None
    return [line for line in remedies[0].diff.splitlines()[2:] if line[:1] in ("+", "-")]


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_is_not_closed(name: str) -> None:
    source, expected = BODIES[name]
    read = package(source)
    (found,) = bodies.scan(read, Flows(read))
    assert changed(found.remedies) == expected


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock(name: str) -> None:
    source, expected = LOCKS[name]
    read = package(source)
    (found,) = lock_scan.scan(read, Flows(read))
    assert changed(found.remedies) == expected


@pytest.mark.parametrize("name", TIMERS)
def test_a_timer_that_is_not_stopped(name: str) -> None:
    source, expected = TIMERS[name]
    read = package(source)
    flows = Flows(read)
    sets = ("time.NewTicker", "time.AfterFunc")
    timer = next(op for func in read.all for op in func.ops if op.kind == "call" and text(op.target) in sets)
    loss, _ = timer_loss(flows, timer)
    assert loss is not None
    drafted = loss_fixes(flows, loss, None, ("Stop",))
    assert (changed(drafted) if drafted else []) == expected
