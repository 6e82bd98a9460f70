"""Why a goroutine that sleeps or ticks never ends: who let go of it, and loops that can be stopped."""

import pytest

from go_scenes import explained, go, scene
from oakum.explain.waits.question import reason

TICKS = {
    "its owner is forgotten": """
        type person struct{ n int }
        type room struct{ people map[string]*person }
        func (p *person) beat() {
            for {
                p.n++
                time.Sleep(time.Second) // WAIT
            }
        }
        func (r *room) enter(name string) {
            p := &person{}
            r.people[name] = p
            go p.beat() // GO //! started
        }
        func (r *room) leave(name string) {
            delete(r.people, name) //! never-stopped
        }
        """,
    "its owner is replaced": """
        type watch struct{ n int }
        type board struct{ all map[string]*watch }
        func (w *watch) run() {
            t := time.NewTicker(time.Second)
            for range t.C { // WAIT
                w.n++
            }
        }
        func (b *board) set(name string) {
            w := &watch{}
            b.all[name] = w //! never-stopped
            go w.run() // GO //! started
        }
        """,
    "nobody keeps it": """
        type session struct{ n int }
        func (s *session) beat() {
            t := time.NewTicker(time.Second)
            for { //! never-stopped
                <-t.C // WAIT
                s.n++
            }
        }
        func Open() {
            go new(session).beat() // GO //! started
        }
        """,
    "ends only with success": """
        func deliver() {
            for { //! never-stopped
                if try() == nil {
                    return
                }
                time.Sleep(time.Second) // WAIT
            }
        }
        func Send() {
            go deliver() // GO //! started
        }
        """,
    "ends with what it reads": """
        func deliver() {
            for {
                if _, err := in.Read(nil); err != nil {
                    return
                }
                time.Sleep(time.Second) // WAIT
            }
        }
        func Send() {
            go deliver() // GO
        }
        """,
    "starts with the process": """
        func deliver() {
            for {
                time.Sleep(time.Second) // WAIT
            }
        }
        func main() {
            go deliver() // GO
        }
        """,
    "looks at its context": """
        func deliver(ctx context.Context) {
            for ctx.Err() == nil {
                time.Sleep(time.Second) // WAIT
            }
        }
        func Send(ctx context.Context) {
            go deliver(ctx) // GO
        }
        """,
    "can be stopped": """
        type s struct{ stop chan int }
        func (s *s) run() {
            for {
                time.Sleep(time.Second) // WAIT
                select {
                case <-s.stop:
                    return
                default:
                }
            }
        }
        func Send() {
            go new(s).run() // GO
        }
        """,
}


@pytest.mark.parametrize("name", TICKS)
def test_timer_loop(name: str) -> None:
    source = go(TICKS[name], "context", "time")
    asleep = "time.Sleep(time.Second) // WAIT" in source
    leaf = ("time.Sleep",) if asleep else ()
    found = reason(scene(source, "sleep" if asleep else "chan receive", leaf, ("timer-loop",)))
    explained(found, source, "timer-loop")


def test_a_worker_that_lives_as_long_as_the_process_is_not_explained() -> None:
    source = go(TICKS["nobody keeps it"], "context", "time")
    assert reason(scene(source, "chan receive", (), ("timer-loop",), counts=(4, 4))) is None
    assert reason(scene(source, "chan receive", (), ("timer-loop",), counts=(4,))) is None
