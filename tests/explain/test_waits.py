"""Waits without end that the code alone shows, look-alikes that are right; and the words in which causes are told."""

import re

import pytest

from go_scenes import expected, go, read, sentences, told
from oakum.explain.waits.question import scan
from oakum.report.words import cause_waits

SCANNED = {
    "cancel is thrown away": """
        func f(p context.Context) {
            ctx, _ := context.WithCancel(p) //! never-cancelled
            use(ctx)
        }
        """,
    "cancel is passed over": """
        func f(p context.Context) error {
            ctx, cancel := context.WithCancel(p) //! made
            if err := use(ctx); err != nil {
                return err //! never-cancelled
            }
            cancel()
            return nil
        }
        """,
    "cancel is deferred": """
        func f(p context.Context) error {
            ctx, cancel := context.WithTimeout(p, 1)
            defer cancel()
            return use(ctx)
        }
        """,
    "cancel is handed on": """
        func f(p context.Context) (context.Context, func()) {
            ctx, cancel := context.WithTimeout(p, 1)
            go func() { <-p.Done(); cancel() }()
            return ctx, cancel
        }
        """,
    "cancel is kept": """
        type s struct{ stop func() }
        func (s *s) f(p context.Context) {
            _, s.stop = context.WithCancel(p)
        }
        """,
    "Done is passed over": """
        func f(n int) {
            var wg sync.WaitGroup
            wg.Add(1) //! added
            go func() {
                if n == 0 {
                    return //! never-done
                }
                wg.Done() //! done
            }()
            wg.Wait()
        }
        """,
    "a round starts nobody": """
        func f(ns []int) {
            var wg sync.WaitGroup
            wg.Add(len(ns)) //! added
            for _, n := range ns {
                if n == 0 {
                    continue //! never-done
                }
                go func() { defer wg.Done() }()
            }
            wg.Wait()
        }
        """,
    "a copy is counted off": """
        func f() {
            var wg sync.WaitGroup
            wg.Add(1) //! added
            go g(wg)
            wg.Wait()
        }
        func g(wg sync.WaitGroup) { wg.Done() } //! never-done, made
        """,
    "Done only when there is a group": """
        func f(ns []int) {
            wg := &sync.WaitGroup{}
            for _, n := range ns {
                wg.Add(1)
                go g(n, true, wg)
            }
            wg.Wait()
        }
        func g(n int, block bool, wg *sync.WaitGroup) {
            if wg != nil {
                defer wg.Done()
            }
            if n == 0 {
                return
            }
        }
        """,
    "Done goes with Add": """
        func f(ns []int, wait bool) {
            var wg sync.WaitGroup
            if wait {
                wg.Add(1)
            }
            go func() {
                if wait {
                    wg.Done()
                }
            }()
            wg.Wait()
        }
        """,
    "a batch each round": """
        func f(n int) {
            for batch := 1; n > 0; batch *= 2 {
                var wg sync.WaitGroup
                wg.Add(batch)
                for i := 0; i < batch; i++ {
                    go func() { defer wg.Done() }()
                }
                wg.Wait()
                n -= batch
            }
        }
        """,
    "it ends by itself": """
        func f(p context.Context) {
            ctx, _ := context.WithTimeout(p, 1)
            use(ctx)
        }
        """,
    "asked before it is used": """
        type s struct{ told chan int }
        func f() *s { return &s{} }
        func (x *s) tell(n int) {
            if x.told != nil {
                x.told <- n
            }
        }
        """,
    "members in workers": """
        func f(ns []int) {
            var wg sync.WaitGroup
            work := make(chan int)
            for i := 0; i < 4; i++ {
                wg.Add(1)
                go func() {
                    defer wg.Done()
                    for n := range work {
                        if n == 0 {
                            return
                        }
                    }
                }()
            }
            wg.Wait()
        }
        """,
    "nobody makes the channel": """
        type s struct{ ready chan int }
        func f() {
            x := &s{} //! never-made
            x.wait()
        }
        func (x *s) wait() { <-x.ready }
        """,
    "somebody makes the channel": """
        type s struct{ ready chan int }
        func f() {
            x := &s{}
            x.init()
            x.wait()
        }
        func (x *s) init() { x.ready = make(chan int) }
        func (x *s) wait() { <-x.ready }
        """,
    "nobody signals": """
        type s struct{ mu sync.Mutex; c *sync.Cond; ok bool }
        func (x *s) wait() {
            for !x.ok {
                x.c.Wait() //! never-signalled
            }
        }
        """,
}


@pytest.mark.parametrize("name", SCANNED)
def test_scan(name: str) -> None:
    source = go(SCANNED[name], "context", "sync")
    found = list(scan(*read(source)))
    assert all(one.certain for one in found)
    assert sorted(expected(source)) == sorted(site for one in found for site in told(one))
    for one in found:
        sentences(one)


@pytest.mark.parametrize("key", cause_waits.WORDS)
def test_words_say_the_same_in_both_languages(key: str) -> None:
    english, chinese = (set(re.findall(r"\{(\w+)", one)) for one in cause_waits.WORDS[key])
    assert english == chinese
