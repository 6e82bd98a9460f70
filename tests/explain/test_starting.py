"""How often a goroutine is started: once, up to a bound, or again and again."""

import pytest

from go_scenes import go, scene
from oakum.explain.workers.starting import bounded, handing, once

BOUNDS = {
    "a count below a bound": (True, "if p.n < 24 { p.n++; go p.work() }"),
    "a count that is looked at first": (True, "if p.n >= p.most { return }\n p.n += 1\n go p.work()"),
    "how many there are": (True, "if len(p.all) < 8 { p.all = append(p.all, 1); go p.work() }"),
    "an atomic count": (True, "if p.idle.Load() < 3 {\n p.idle.Add(1)\n go p.work() }"),
    "another count": (False, "if p.most > 0 { p.n++; go p.work() }"),
    "a count that both ways go up": (False, "p.n++\n if p.n > 3 { println(p.n) }\n go p.work()"),
    "no count": (False, "if p.open { go p.work() }"),
}


@pytest.mark.parametrize(("below", "body"), BOUNDS.values(), ids=BOUNDS)
def test_a_start_below_a_bound(below: bool, body: str) -> None:
    source = go(f"""
        type pool struct {{ n, most int; all []int; open bool; idle atomic.Int64 }}
        func (p *pool) work() {{
            select {{}} // WAIT
        }}
        func (p *pool) submit() {{
            {body.replace("go p.work()", "go p.work() // GO" + chr(10))}
        }}""", "sync/atomic")  # fmt: skip
    start = scene(source, "select (no cases)").start
    assert start is not None
    assert bounded(start) is below


WAYS = {
    "main": (True, "func main() { begin() }"),
    "init": (True, "func init() { begin() }\nfunc main() {}"),
    "counted in main": (True, "func main() {\n for i := 0; i < 5; i++ { begin() }\n}"),
    "over what main is given": (True, "func main() {\n for _, one := range os.Args { begin() }\n}"),
    "through a function": (True, "func main() { setup() }\nfunc setup() { begin() }"),
    "in a goroutine of main": (True, "func main() {\n go func() { begin() }()\n}"),
    "handed over and called": (True, "func main() { run(begin) }\nfunc run(f func()) { f() }"),
    "what nobody calls": (True, "func main() { begin() }\nfunc Other() { begin() }"),
    "in a loop of main": (False, "func main() {\n for { begin() }\n}"),
    "for every event": (False, "func main() {\n events := make(chan int)\n for range events { begin() }\n}"),
    "in a handler": (False, 'func main() { http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { begin() }) }'),
    "as a handler": (False, "func main() { every(begin) }\nfunc every(f func()) {\n for { f() }\n}"),
    "kept as a value": (False, "var hook = begin\nfunc main() { hook() }"),
    "by a method that others may call": (False, "type s struct{}\nfunc (s *s) Serve() { begin() }\nfunc main() {}"),
    "by itself": (False, "func main() { again() }\nfunc again() { begin(); again() }"),
}  # fmt: skip


@pytest.mark.parametrize(("fixed", "body"), WAYS.values(), ids=WAYS)
def test_a_start_that_happens_once(fixed: bool, body: str) -> None:
    worker = "func begin() {\n go work() // GO\n}\nfunc work() {\n select {} // WAIT\n}\n"
    found = scene(go(worker + body, "net/http", "os"), "select (no cases)")
    assert found.start is not None
    assert once(found.program, found.start) is fixed


def test_a_start_by_another_package() -> None:
    worker = "package base\n\nfunc Main(setup func()) {\n setup()\n go work() // GO\n}\nfunc work() {\n select {} // WAIT\n}\n"
    for main, fixed in (
        ("func main() { base.Main(func() {}) }", True),
        ("func main() {\n for { base.Main(nil) }\n}", False),
    ):
        found = scene({"example.org/m/base": worker, "main": go(main, "example.org/m/base")}, "select (no cases)")
        assert found.start is not None
        assert once(found.program, found.start) is fixed


GROUP = """package errgroup
type Group struct{}
func (g *Group) Go(f func() error) {
    go func() { // GO
        f() // UP 1
    }()
}
"""


def test_what_was_handed_to_who_starts_anything() -> None:
    """Of all calls of g.Go only the one that hands over this worker counts."""
    source = go(
        """
        func other(g *errgroup.Group) { g.Go(func() error { return nil }) }
        type ingest struct{ lines chan int }
        func (in *ingest) consume() error {
            for range in.lines { // WAIT
            }
            return nil
        }
        func begin(g *errgroup.Group, in *ingest) {
            g.Go(in.consume)
        }""",
        "example.org/vendor/errgroup",
    )
    call = handing(scene({"main": source, "example.org/vendor/errgroup": GROUP}, "chan receive"))
    assert call is not None
    assert call.func.name == "begin"
