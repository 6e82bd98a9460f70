"""A `break` that leaves only its select: small programs with the lines to name, and look-alikes that are right."""

import textwrap
import time

import pytest

from go_scenes import expected, read, scene, told
from oakum.explain.workers.breaks import scan
from oakum.explain.workers.question import reason
from oakum.model import SourceText
from oakum.report.words import LANGUAGES, say
from oakum.scan import SCANS
from oakum.scan import scan as scan_package

_HEAD = 'package main\n\nimport ("context"; "time")\n'
_START = """
    type worker struct{ stop chan struct{}; jobs chan int; n int }
    func start() *worker {
        w := &worker{stop: make(chan struct{}), jobs: make(chan int)}
        go w.run() // GO
        return w
    }
    func job() { w := start(); defer w.halt(); w.jobs <- 1 }
    """
# name -> the body of the loop, and how it is stopped
HEARD = {
    "sent to": (
        """
        for { //! never-stopped
            select { // WAIT
            case <-w.stop:
                break //! never-stopped
            case n := <-w.jobs:
                w.n += n
            }
        }""",
        "w.stop <- struct{}{}",
    ),
    "something is done first": (
        """
        for { //! never-stopped
            select { // WAIT
            case <-w.stop:
                w.n = 0
                break //! never-stopped
            case n := <-w.jobs:
                w.n += n
            }
        }""",
        "close(w.stop)",
    ),
}
OBEYED = {
    "by a label": """
        loop:
        for {
            select { // WAIT
            case <-w.stop:
                break loop
            case n := <-w.jobs:
                w.n += n
            }
        }""",
    "behind the select": """
        for {
            over := false
            select { // WAIT
            case <-w.stop:
                over = true
                break
            case n := <-w.jobs:
                w.n += n
            }
            if over {
                return
            }
        }""",
}


def source(body: str, stop: str = "close(w.stop)") -> str:
    run = "func (w *worker) run() {" + textwrap.indent(textwrap.dedent(body), "    ") + "\n}\n"
    return f"{_HEAD}{textwrap.dedent(_START)}{run}func (w *worker) halt() {{ {stop} }}\nvar _ context.Context\nvar _ time.Time\n"


@pytest.mark.parametrize(("body", "stop"), HEARD.values(), ids=HEARD)
def test_a_stop_that_is_heard_and_not_obeyed(body: str, stop: str) -> None:
    code = source(body, stop)
    found = reason(scene(code, "select"))
    assert found is not None
    assert set(expected(code)) <= set(told(found)), told(found)
    assert found.mechanism == "unstopped-worker"
    assert found.remedies, "the loop is left"
    english, chinese = (say(found.texts[0], lang) for lang in LANGUAGES)
    assert "receives `w.stop`" in english
    assert "leaves only the select" in english
    assert "只跳出 select" in chinese


@pytest.mark.parametrize("body", OBEYED.values(), ids=OBEYED)
def test_a_stop_that_is_obeyed(body: str) -> None:
    found = reason(scene(source(body), "select"))
    assert found is None or found.texts[0].key != "cause.worker.unheeded"


def test_a_tick_is_no_stop() -> None:
    body = """
        for {
            select { // WAIT
            case <-time.After(time.Second):
                break
            case n := <-w.jobs:
                w.n += n
            }
        }"""
    found = reason(scene(source(body), "select"))
    assert found is None or found.texts[0].key != "cause.worker.unheeded"


def test_the_code_alone_shows_it_where_the_channel_is_closed_or_a_context_ends() -> None:
    closed = HEARD["sent to"][0]
    assert [one.certain for one in scan(*read(source(closed, "close(w.stop)")))] == [True]
    assert not list(scan(*read(source(closed, "w.stop <- struct{}{}")))), "a value may be a word to go on by"
    context = f"""{_HEAD}
func follow(ctx context.Context, jobs chan int) {{
    for {{
        select {{
        case <-ctx.Done():
            break
        case <-jobs:
        }}
    }}
}}
"""
    assert [one.sites[0].frame.line for one in scan(*read(context))] == [9]
    assert not list(scan(*read(context.replace("break", "return"))))
    assert not list(scan(*read(context.replace("case <-jobs:", "case <-jobs:\n            return")))), "it may end so"


def test_a_tree_is_asked_for_it() -> None:
    """What the question needs to see in a file is there, however far below its case the break stands."""
    body = HEARD["something is done first"][0]
    text = SourceText("code.go", "/srv/code.go", source(body, "close(w.stop)").encode())
    assert [flaw.mechanism for flaw in scan_package("example.com/yard", (text,)).flaws] == ["unstopped-worker"]


@pytest.mark.parametrize(
    "line", [b"case " + b"<-:" * 100_000, b"case <-x:\n" * 50_000, b"case " * 100_000 + b"<-", b" " * 500_000]
)
def test_what_is_asked_of_a_file_first_is_asked_in_time(line: bytes) -> None:
    needs = next(one.needs for one in SCANS if one.scan is scan)
    began = time.process_time()
    assert not needs.search(line + b"\n")
    assert time.process_time() - began < 2.0, "0.1 s here"
