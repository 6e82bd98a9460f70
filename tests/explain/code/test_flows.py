"""What a name means, what type it has, and where its value goes."""

import pytest

from go_scenes import read
from oakum.explain.code.channel import channel_of
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Op


def waits(source: str) -> tuple[Flows, Op]:
    """Return the flows of a package and the channel operation on the line with // HERE."""
    package, flows = read(f"package main\n\n{source}")
    number = next(n for n, line in enumerate(package.files[0].lines, 1) if "// HERE" in line)
    op = next(
        op for func in package.all for op in func.ops if op.line == number and op.kind in ("send", "receive", "range")
    )
    return flows, op


MADE = {
    "a local variable": "func f() {\nc := make(chan int) // MADE\ngo func() { c <- 1 }() // HERE\n}",
    "a parameter": "func f() {\nc := make(chan int) // MADE\ngo g(c)\n}\nfunc g(to chan<- int) {\nto <- 1 // HERE\n}",
    "two functions further": "func f() {\nc := make(chan int) // MADE\ng(c)\n}\nfunc g(c chan int) { h(c) }\nfunc h(d chan int) {\nd <- 1 // HERE\n}",
    "a result": "func f() {\nc := g()\nc <- 1 // HERE\n}\nfunc g() chan int {\nreturn make(chan int) // MADE\n}",
    "the second result": "func f() {\n_, c := g()\nc <- 1 // HERE\n}\nfunc g() (int, chan int) {\nc := make(chan int) // MADE\nreturn 1, c\n}",
    "a field": "type t struct{ c chan int }\nfunc f() *t {\nreturn &t{c: make(chan int)} // MADE\n}\nfunc (x *t) g() {\nx.c <- 1 // HERE\n}",
    "a field without its name": "type t struct{ n int; c chan int }\nfunc f() t {\nreturn t{1, make(chan int)} // MADE\n}\nfunc (x t) g() {\nx.c <- 1 // HERE\n}",
    "a field that is set": "type t struct{ c chan int }\nfunc f() *t {\nx := new(t)\nx.c = make(chan int) // MADE\nreturn x\n}\nfunc (x *t) g() {\nx.c <- 1 // HERE\n}",
    "a field of a field": "type t struct{ u *u }\ntype u struct{ c chan int }\nfunc f() *u {\nreturn &u{c: make(chan int)} // MADE\n}\nfunc (x *t) g() {\nx.u.c <- 1 // HERE\n}",
    "an embedded struct": "type t struct{ u }\ntype u struct{ c chan int }\nfunc f() u {\nreturn u{c: make(chan int)} // MADE\n}\nfunc (x *t) g() {\nx.c <- 1 // HERE\n}",
    "a named channel type": "type found chan int\nfunc f() {\nc := make(found) // MADE\ngo c.add()\n}\nfunc (f found) add() {\nf <- 1 // HERE\n}",
    "a map of channels": 'type t struct{ all map[string]chan int }\nfunc (x *t) f() {\nx.all["a"] = make(chan int) // MADE\n}\nfunc (x *t) g() {\nfor _, c := range x.all {\nc <- 1 // HERE\n}\n}',
    "a slice of objects": "type u struct{ c chan int }\nfunc f() (all []*u) {\nall = append(all, &u{c: make(chan int)}) // MADE\nreturn\n}\nfunc g(all []*u) {\nall[0].c <- 1 // HERE\n}",
    "a variable of the package": "var c = make(chan int) // MADE\nfunc f() {\nc <- 1 // HERE\n}",
    "a channel of channels": "func f() {\nasks := make(chan chan int)\nc := make(chan int) // MADE\nasks <- c\nback := <-asks\nback <- 1 // HERE\n}",
    "a method value": "type t struct{ c chan int }\nfunc f() {\nx := &t{c: make(chan int)} // MADE\nrun := x.g\ngo run()\n}\nfunc (x *t) g() {\nx.c <- 1 // HERE\n}",
}


@pytest.mark.parametrize("name", MADE)
def test_where_a_channel_is_made(name: str) -> None:
    flows, op = waits(MADE[name])
    channel = channel_of(op, flows)
    assert channel is not None
    wanted = [n for n, line in enumerate(op.file.lines, 1) if "// MADE" in line]
    assert [one.line for one in channel.flow.makes if one.kind == "make"] == wanted


def test_an_object_that_nobody_else_has_is_followed_alone() -> None:
    flows, op = waits("""type lane struct{ trucks chan int }
func wide() {
	l := &lane{trucks: make(chan int)}
	l.work()
}
func narrow() {
	l := &lane{trucks: make(chan int)}
	close(l.trucks)
}
func (l *lane) work() {
	for range l.trucks { // HERE
	}
}
""")
    start = next(op for func in flows.package.all for op in func.ops if op.kind == "call" and func.name == "wide")
    from oakum.explain.code.flows import known_by

    channel = channel_of(op, flows, known_by(flows.package, op.func, start))
    assert channel is not None
    assert channel.done("close") == [], "that is another lane's"
    assert channel.made is not None
    assert channel.made.func.name == "wide"


def test_a_parameter_is_what_the_stack_says() -> None:
    flows, op = waits("""func f() {
	a := make(chan int)
	g(a)
}
func h() {
	b := make(chan int)
	g(b)
	<-b
}
func g(c chan int) {
	c <- 1 // HERE
}
""")
    from oakum.explain.code.flows import known_by

    call = next(op for func in flows.package.all for op in func.ops if op.kind == "call" and func.name == "f")
    both, one = channel_of(op, flows), channel_of(op, flows, known_by(flows.package, op.func, call))
    assert both is not None and one is not None  # noqa: PT018
    assert both.made is None
    assert one.made is not None and one.made.func.name == "f"  # noqa: PT018
    assert one.done("receive") == []


def test_what_leaves_the_package_is_told() -> None:
    flows, op = waits('import "x/y"\nfunc f() {\nc := make(chan int)\ny.Register(c)\nc <- 1 // HERE\n}')
    channel = channel_of(op, flows)
    assert channel is not None
    assert channel.handed_out
