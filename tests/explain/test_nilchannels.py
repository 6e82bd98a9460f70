"""Why a channel is nil: the lines that should have made it."""

import pytest

from go_scenes import explained, go, scene
from oakum.explain.waits.question import reason

NIL = {
    "left out of the literal": """
        type feed struct{ name string; news chan int }
        func open() *feed {
            f := &feed{name: "x"} //! never-made
            return f
        }
        func (f *feed) next() int {
            return <-f.news // WAIT
        }
        """,
    "made on one branch": """
        type feed struct{ name string; news chan int }
        func open(live bool) *feed {
            f := &feed{name: "x"}
            if live { //! never-made
                f.news = make(chan int) //! made
            }
            return f
        }
        func (f *feed) next() int {
            return <-f.news // WAIT
        }
        """,
    "another literal has it": """
        type feed struct{ news chan int }
        func live() *feed { return &feed{news: make(chan int)} }
        func dead() *feed {
            f := &feed{} //! never-made
            go f.next() // GO
            return f
        }
        func (f *feed) next() int {
            return <-f.news // WAIT
        }
        """,
    "declared only": """
        func run(fast bool) {
            var done chan int //! never-made
            go func() { println("x") }()
            <-done // WAIT
        }
        """,
    "declared, made on a branch": """
        func run(fast bool) {
            var done chan int
            if fast { //! never-made
                done = make(chan int) //! made
            }
            done <- 1 // WAIT
        }
        """,
    "passed": """
        func run(n int) {
            if n == 0 {
                tell(n, nil) //! never-made
            }
        }
        func tell(n int, out chan<- int) {
            out <- n // WAIT
        }
        """,
    "missing in a map": """
        func tell(n int, by map[int]chan int) {
            out := by[n] //! never-made
            out <- n // WAIT
        }
        """,
    "returned": """
        func pick(n int) chan int {
            if n == 0 {
                return nil //! never-made
            }
            return make(chan int)
        }
        func tell(n int) {
            out := pick(n)
            out <- n // WAIT
        }
        """,
}


@pytest.mark.parametrize("name", NIL)
def test_nil_channel(name: str) -> None:
    source = go(NIL[name], "sync")
    state = (
        "chan send (nil chan)" if "<- n // WAIT" in source or "<- 1 // WAIT" in source else "chan receive (nil chan)"
    )
    explained(reason(scene(source, state)), source, "nil-channel")
