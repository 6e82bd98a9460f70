"""Why Wait of a WaitGroup does not return: the lines that are named, and look-alikes that are right."""

import pytest

from go_scenes import explained, go, scene
from oakum.explain.waits.question import reason

WAITGROUP = ("sync.runtime_SemacquireWaitGroup", "sync.(*WaitGroup).Wait")


MEMBERS = {
    "returns before Done": """
        func run(jobs []int) {
            var wg sync.WaitGroup
            for _, j := range jobs {
                wg.Add(1)
                go one(j, &wg)
            }
            wg.Wait() // WAIT
        }
        func one(j int, wg *sync.WaitGroup) {
            if j == 0 {
                return //! never-done
            }
            wg.Done() //! done
        }
        """,
    "deferred at once": """
        func run(jobs []int) {
            var wg sync.WaitGroup
            for _, j := range jobs {
                wg.Add(1)
                go one(j, &wg)
            }
            wg.Wait() // WAIT
        }
        func one(j int, wg *sync.WaitGroup) {
            defer wg.Done()
            if j == 0 {
                return
            }
        }
        """,
    "deferred too late": """
        func run(jobs []int) {
            var wg sync.WaitGroup
            for _, j := range jobs {
                wg.Add(1)
                go func(j int) {
                    if j == 0 {
                        return //! never-done
                    }
                    defer wg.Done() //! done
                }(j)
            }
            wg.Wait() // WAIT
        }
        """,
    "one branch only": """
        type job struct{ wg sync.WaitGroup }
        func (b *job) run() {
            b.wg.Add(1) //! added
            go b.work(3)
            b.wg.Wait() // WAIT
        }
        func (b *job) work(n int) {
            if n > 2 {
                b.wg.Done() //! done
            }
        } //! never-done
        """,
    "both branches": """
        type job struct{ wg sync.WaitGroup }
        func (b *job) run() {
            b.wg.Add(1)
            go b.work(3)
            b.wg.Wait() // WAIT
        }
        func (b *job) work(n int) {
            if n > 2 {
                b.wg.Done()
            } else {
                println(n)
                b.wg.Done()
            }
        }
        """,
    "the caller makes up for it": """
        type job struct{ wg sync.WaitGroup }
        func (b *job) run() {
            b.wg.Add(1)
            go func() {
                if b.work(3) != nil {
                    b.wg.Done()
                }
            }()
            b.wg.Wait() // WAIT
        }
        func (b *job) work(n int) error {
            if n > 2 {
                return errBad
            }
            b.wg.Done()
            return nil
        }
        """,
    "counted before the check": """
        func run(jobs []int) {
            var wg sync.WaitGroup
            wg.Add(len(jobs)) //! added
            for _, j := range jobs {
                if j == 0 {
                    continue //! never-done
                }
                go func() { defer wg.Done() }()
            }
            wg.Wait() // WAIT
        }
        """,
    "counted before the check, one by one": """
        func run(jobs []int) {
            var wg sync.WaitGroup
            for _, j := range jobs {
                wg.Add(1) //! added
                if j == 0 {
                    continue //! never-done
                }
                go func() { defer wg.Done() }()
            }
            wg.Wait() // WAIT
        }
        """,
    "counted after the check": """
        func run(jobs []int) {
            var wg sync.WaitGroup
            for _, j := range jobs {
                if j == 0 {
                    continue
                }
                wg.Add(1)
                go func() { defer wg.Done() }()
            }
            wg.Wait() // WAIT
        }
        """,
    "who skips counts off": """
        func run(jobs []int) {
            var wg sync.WaitGroup
            wg.Add(len(jobs))
            for _, j := range jobs {
                if j == 0 {
                    wg.Done()
                    continue
                }
                go func() { defer wg.Done() }()
            }
            wg.Wait() // WAIT
        }
        """,
    "breaks off": """
        func run(jobs []int) {
            var wg sync.WaitGroup
            wg.Add(len(jobs))
            for _, j := range jobs {
                if j == 0 {
                    break //! never-done
                }
                go func() { defer wg.Done() }()
            }
            wg.Wait() // WAIT
        }
        """,
    "an item is passed over": """
        func run(jobs chan int) {
            var wg sync.WaitGroup
            wg.Add(100)
            go func() {
                for j := range jobs {
                    if j == 0 {
                        continue //! never-done
                    }
                    wg.Done() //! done
                }
            }()
            wg.Wait() // WAIT
        }
        """,
    "every item is counted off": """
        func run(jobs chan int) {
            var wg sync.WaitGroup
            wg.Add(100)
            go func() {
                for j := range jobs {
                    println(j)
                    wg.Done()
                }
            }()
            wg.Wait() // WAIT
        }
        """,
    "handed on through a channel": """
        func run(jobs []int, to chan int) {
            var wg sync.WaitGroup
            go func() {
                for range to {
                    wg.Done()
                }
            }()
            for _, j := range jobs {
                wg.Add(1)
                to <- j
            }
            wg.Wait() // WAIT
        }
        """,
    "Add in what is called": """
        type file struct{ wg sync.WaitGroup }
        func (f *file) prepare() error {
            if closed() {
                return errClosed
            }
            f.wg.Add(1)
            return nil
        }
        func (f *file) Read() error {
            if err := f.prepare(); err != nil {
                return err
            }
            defer f.wg.Done()
            return nil
        }
        func (f *file) Close() {
            f.wg.Wait() // WAIT
        }
        """,
    "a method that only counts off": """
        type closer struct{ wg sync.WaitGroup }
        func (c *closer) AddRunning(n int) { c.wg.Add(n) }
        func (c *closer) Done() {
            if c == nil {
                return
            }
            c.wg.Done()
        }
        func (c *closer) Close() {
            c.wg.Wait() // WAIT
        }
        """,
    "up and down in one function": """
        type server struct{ wg sync.WaitGroup; n int }
        func (s *server) track(add bool) bool {
            if add {
                s.wg.Add(1)
            } else {
                s.wg.Done()
            }
            return true
        }
        func (s *server) Close() {
            s.wg.Wait() // WAIT
        }
        """,
    "a method value is started": """
        type node struct{ wg sync.WaitGroup }
        func (n *node) start(spawn func(func()) bool) {
            n.wg.Add(1)
            if started := spawn(n.run); !started {
                n.wg.Done()
                return
            }
            println("up")
        }
        func (n *node) run() { defer n.wg.Done() }
        func (n *node) Close() {
            n.wg.Wait() // WAIT
        }
        """,
    "by value": """
        func run() {
            var wg sync.WaitGroup
            wg.Add(1)
            go one(wg)
            wg.Wait() // WAIT
        }
        func one(wg sync.WaitGroup) { //! made
            defer wg.Done() //! never-done
        }
        """,
    "receiver by value": """
        type job struct{ wg sync.WaitGroup }
        func (b *job) run() {
            b.wg.Add(1)
            go b.work()
            b.wg.Wait() // WAIT
        }
        func (b job) work() { //! made
            b.wg.Done() //! never-done
        }
        """,
    "waits for itself": """
        type server struct{ wg sync.WaitGroup; cmds chan string }
        func (s *server) start() { s.wg.Add(1); go s.work() }
        func (s *server) work() {
            defer s.wg.Done() //! done
            for c := range s.cmds {
                if c == "stop" {
                    s.stop() // UP 1 //! never-done
                }
            }
        }
        func (s *server) stop() {
            s.wg.Wait() // WAIT
        }
        """,
    "waits for the children of another": """
        type server struct{ wg sync.WaitGroup; next *server }
        func (s *server) work() {
            defer s.wg.Done()
            s.next.stop() // UP 1
        }
        func (s *server) stop() {
            s.wg.Wait() // WAIT
        }
        """,
    "Done is handed on": """
        func run(jobs []int, later func(func())) {
            var wg sync.WaitGroup
            wg.Add(1)
            later(wg.Done)
            wg.Wait() // WAIT
        }
        """,
    "panics, and somebody recovers": """
        type call struct{ wg sync.WaitGroup }
        func guard() { recover() }
        func (c *call) do(wait bool, f func()) {
            if wait {
                c.wg.Wait() // WAIT
                return
            }
            c.wg.Add(1) //! added
            f()
            c.wg.Done() //! never-done
        }
        """,
    "panics, and Done is deferred": """
        type call struct{ wg sync.WaitGroup }
        func guard() { recover() }
        func (c *call) do(wait bool, f func()) {
            if wait {
                c.wg.Wait() // WAIT
                return
            }
            c.wg.Add(1)
            defer c.wg.Done()
            f()
        }
        """,
}


@pytest.mark.parametrize("name", MEMBERS)
def test_waitgroup(name: str) -> None:
    source = go(MEMBERS[name], "sync")
    explained(reason(scene(source, "sync.WaitGroup.Wait", WAITGROUP)), source, "waitgroup-never-done")


DRAFTED = {
    "returns before Done": "+\tdefer wg.Done()",
    "counted before the check": "+\t\t\twg.Done()",
    "panics, and somebody recovers": "+\tdefer c.wg.Done()",
}


@pytest.mark.parametrize("name", DRAFTED)
def test_the_fix_is_drafted(name: str) -> None:
    source = go(MEMBERS[name].replace("    ", "\t"), "sync")
    found = reason(scene(source, "sync.WaitGroup.Wait", WAITGROUP))
    assert found is not None
    diff = found.remedies[0].diff
    assert diff is not None
    assert DRAFTED[name] in diff.split("\n")
