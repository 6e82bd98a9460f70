"""Packages of a program as one: names are one wherever they are used, lines stay, and a reader sees what was written."""

import textwrap

from go_scenes import scene, sentences, told
from oakum.explain.code.linked_names import plain
from oakum.explain.code.program import Whole
from oakum.explain.questions import _answer_of_whole

TASKS = textwrap.dedent("""
    package tasks

    import "context"

    type Task[T any] struct{ out chan T }

    func New[T any](fn func() T) *Task[T] {
        t := &Task[T]{out: make(chan T)} //! made
        go t.run(fn) // GO
        return t
    }

    func (t *Task[T]) run(fn func() T) { t.out <- fn() } // WAIT

    func (t *Task[T]) Await(ctx context.Context) (v T, err error) {
        select {
        case v = <-t.out:
            return v, nil
        case <-ctx.Done():
            return v, ctx.Err()
        }
    }
    """)
MAIN = textwrap.dedent("""
    package main

    import ("context"; work "example.org/app/tasks")

    type New struct{ limit int }

    func quote(ctx context.Context) (int, error) {
        New := New{limit: 3}
        task := work.New[int](func() int { return New.limit })
        if n, err := task.Await(ctx); err != nil {
            return 0, err //! never-received
        } else {
            return n, nil
        }
    }
    """)
PROGRAM = {"main": MAIN, "example.org/app/tasks": TASKS}


def whole() -> Whole:
    linked = scene(PROGRAM, "chan send").program.whole()
    assert linked is not None
    return linked


def test_a_name_is_one_wherever_it_is_used() -> None:
    package = whole().linked
    (maker,) = [func for func in package.all if func.full == "example.org/app/tasks.New"]
    (call,) = [op for op in package.callers[maker] if op.kind == "call"]
    assert call.func.full == "main.quote"
    assert "main.New" not in {func.full for func in package.all}


def test_variables_of_functions_keep_their_names() -> None:
    package = whole().linked
    (func,) = [func for func in package.all if func.name.endswith("quote")]
    local = [op for op in func.ops if op.kind == "assign" and op.line == 9]
    assert [package.symbol(op.target, func, func.file) in func.file.names.values() for op in local] == [True]


def test_lines_are_shown_as_they_were_written() -> None:
    for file in whole().linked.files:
        assert "\n".join(file.lines) == PROGRAM[file.path]


def test_the_other_end_may_be_in_another_package() -> None:
    found = _answer_of_whole(scene(PROGRAM, "chan send"))
    assert found is not None
    assert {("made", "example.org/app/tasks", 9)} <= set(told(found))
    assert "ǃ" not in sentences(found)
    assert all("ǃ" not in (one.diff or "") for one in found.remedies)


def test_one_package_has_nothing_to_link() -> None:
    assert (
        scene({"main": "package main\n\nfunc f(c chan int) {\n\tc <- 1 // WAIT\n}\n"}, "chan send").program.whole()
        is None
    )


def test_a_type_of_another_module_stays() -> None:
    client = 'package desk\n\nimport "net/http"\n\ntype Client struct{ http *http.Client }\n'
    main = 'package main\n\nimport "example.org/app/desk"\n\nfunc f(c chan desk.Client) {\n\tc <- desk.Client{} // WAIT\n}\n'
    linked = scene({"main": main, "example.org/app/desk": client}, "chan send").program.whole()
    assert linked is not None
    assert {"*http.Client"} <= {kind for fields in linked.linked.fields.values() for kind in fields.values()}


def test_plain_names() -> None:
    assert plain("`replicaǃ3ǃSet` of mainǃ0ǃrun.func1") == "`replica.Set` of main.run.func1"
