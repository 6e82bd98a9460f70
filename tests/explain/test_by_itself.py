"""A wait that the source ends by a timer or a deadline speaks against a leak; a retry or a poll that goes on does not."""

import pytest

from go_scenes import Texts, go, scene
from oakum.explain.questions import answered
from oakum.explain.workers.by_itself import ends
from oakum.report.words import LANGUAGES, say

# An actor leaves when nothing has come for a while, unless something has just arrived.
IDLE = """
    type actor struct{ inbox chan int }

    func (h *Hub) Offer(id string, n int) {
        a, ok := h.all[id]
        if !ok {
            a = &actor{inbox: make(chan int, 4)}
            h.all[id] = a
            go h.follow(a) // GO
        }
        a.inbox <- n
    }

    type Hub struct {
        all  map[string]*actor
        idle time.Duration
    }

    func (h *Hub) follow(a *actor) {
        report := time.NewTicker(time.Second)
        defer report.Stop()
        silent := time.NewTimer(h.idle)
        defer silent.Stop()
        for {
            select { // WAIT
            case n := <-a.inbox:
                use(n)
                silent.Reset(h.idle)
            case <-report.C:
                use(0)
            case <-silent.C:
                if h.forget(a) {
                    return
                }
                silent.Reset(h.idle)
            }
        }
    }

    func (h *Hub) forget(a *actor) bool { return len(a.inbox) == 0 }

    func use(int) {}
"""
AFTER = """
    func serve(jobs chan int) { go work(jobs) } // GO

    func work(jobs chan int) {
        for {
            select { // WAIT
            case n := <-jobs:
                println(n)
            case <-time.After(time.Minute):
                return
            }
        }
    }
"""
ONCE = """
    type answer struct{ done chan string }

    func ask(a *answer) { go wait(a) } // GO

    func wait(a *answer) {
        timer := time.NewTimer(5 * time.Second)
        defer timer.Stop()
        select { // WAIT
        case text := <-a.done:
            println(text)
        case <-timer.C:
        }
    }
"""
DEADLINE = """
    func ask(a chan string) {
        ctx, cancel := context.WithTimeout(context.Background(), time.Second)
        go wait(ctx, cancel, a) // GO
    }

    func wait(ctx context.Context, cancel context.CancelFunc, a chan string) {
        defer cancel()
        for {
            select { // WAIT
            case text := <-a:
                println(text)
            case <-ctx.Done():
                return
            }
        }
    }
"""
# The timer of every round leads to the next round.
RETRY = """
    func forward(do func() error) { go try(do) } // GO

    func try(do func() error) {
        for n := 0; ; n++ {
            if do() == nil {
                return
            }
            select { // WAIT
            case <-time.After(time.Second):
            case <-make(chan int):
                return
            }
        }
    }
"""
POLL = """
    type W struct{ closed bool }

    func (w *W) run(jobs chan int) {
        for {
            select { // WAIT
            case n := <-jobs:
                println(n)
            case <-time.After(time.Second):
                if w.closed {
                    return
                }
            }
        }
    }
"""
# Each tick makes a new timer: none of them ever fires.
STARVED = """
    func run(jobs chan int) {
        tick := time.NewTicker(time.Second)
        for {
            select { // WAIT
            case n := <-jobs:
                println(n)
            case <-tick.C:
                println("alive")
            case <-time.After(time.Minute):
                return
            }
        }
    }
"""
SET_BACK = """
    func run(jobs chan int) {
        tick := time.NewTicker(time.Second)
        idle := time.NewTimer(time.Minute)
        for {
            select { // WAIT
            case <-jobs:
            case <-tick.C:
                idle.Reset(time.Minute)
            case <-idle.C:
                return
            }
        }
    }
"""
# Who called waits for the next one.
CALLER = """
    func run(jobs chan int) {
        for {
            if n, ok := next(jobs); ok { // UP 1
                println(n)
            }
        }
    }

    func next(jobs chan int) (int, bool) {
        select { // WAIT
        case n := <-jobs:
            return n, true
        case <-time.After(time.Minute):
            return 0, false
        }
    }
"""
TICKER = """
    func run(jobs chan int, t *time.Ticker) {
        for {
            select { // WAIT
            case <-jobs:
            case <-t.C:
                return
            }
        }
    }
"""
STOPPED = """
    func run(jobs chan int) {
        t := time.NewTimer(time.Minute)
        for {
            select { // WAIT
            case <-jobs:
                t.Stop()
            case <-t.C:
                return
            }
        }
    }
"""
# Somebody else may have made it without a deadline.
ANYBODY = """
    func Wait(ctx context.Context, a chan string) {
        select { // WAIT
        case text := <-a:
            println(text)
        case <-ctx.Done():
        }
    }

    func mine(a chan string) {
        ctx, cancel := context.WithCancel(context.Background())
        defer cancel()
        Wait(ctx, a)
    }
"""


@pytest.mark.parametrize(
    ("source", "how"), [(IDLE, "idle"), (AFTER, "timer"), (ONCE, "timer"), (DEADLINE, "deadline")],
    ids=["idle", "after", "once", "deadline"],
)  # fmt: skip
def test_a_timer_or_a_deadline_that_leads_out_ends_the_wait(source: str, how: str) -> None:
    found = ends(scene(go(source, "time", "context"), "select"))
    assert found is not None
    said, site = found
    assert said.key == f"cause.ends.{how}"
    assert "case <-" in site.code
    assert all(site.frame.function in say(said, language) for language in LANGUAGES)


@pytest.mark.parametrize(
    "source", [RETRY, POLL, STARVED, SET_BACK, CALLER, TICKER, STOPPED, ANYBODY],
    ids=["retry", "poll", "starved", "set-back", "caller", "ticker", "stopped", "anybody"],
)  # fmt: skip
def test_what_goes_on_after_the_timer_or_may_never_see_it_does_not(source: str) -> None:
    assert ends(scene(go(source, "time", "context"), "select")) is None


@pytest.mark.parametrize(("source", "ended"), [(IDLE, True), (STARVED, False)], ids=["idle", "starved"])
def test_it_is_evidence_against_a_leak(source: str, ended: bool) -> None:
    text = go(source, "time")
    one = scene(text, "select", mechanisms=("unstopped-worker",))
    (read,), _ = answered([one.suspect], Texts({"main": text}), one.trace.frames)
    assert ("ends-by-itself" in read.kinds) == ended
