"""A diff is applied where it says, to the letter, or not at all."""

import difflib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.experiment.unified import Unfit, read

FILE = b"package desk\n\nfunc ask() {\n\tanswers := make(chan int)\n\tgo send(answers)\n}\n"
DIFF = """diff --git a/desk.go b/desk.go
--- a/desk.go
+++ b/desk.go
@@ -3,4 +3,4 @@ package desk
 func ask() {
-\tanswers := make(chan int)
+\tanswers := make(chan int, 1)
 \tgo send(answers)
 }
"""


def applied(diff: str, data: bytes = FILE) -> bytes:
    (one,) = read(diff)
    return one.apply(data)


def test_a_line_is_changed() -> None:
    (one,) = read(DIFF)
    assert one.name == "desk.go"
    assert one.apply(FILE) == FILE.replace(b"chan int)", b"chan int, 1)")


def test_windows_endings_stay() -> None:
    windows = FILE.replace(b"\n", b"\r\n")
    assert applied(DIFF, windows) == windows.replace(b"chan int)", b"chan int, 1)")


def test_lines_are_only_added() -> None:
    assert applied("--- a/x.go\n+++ b/x.go\n@@ -2,0 +3 @@\n+// asks\n") == FILE.replace(b"func", b"// asks\nfunc")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (DIFF.replace("@@ -3,4", "@@ -4,4"), "desk.go:4: the diff expects 'func ask() {'"),
        (DIFF.replace("func ask", "func asks"), "desk.go:3"),
        (DIFF.replace("-3,4 +3,4", "-3,5 +3,4"), "not as many lines"),
        (DIFF.replace("-3,4 +3,4", "-3,3 +3,4"), "not as many lines"),
        (DIFF.replace("@@ -3,4 +3,4 @@", "@@ somewhere @@"), "no head of a hunk"),
        (DIFF.replace("+++ b/desk.go", "+++ b/office.go"), "neither made, removed nor renamed"),
        (DIFF.replace("--- a/desk.go", "--- /dev/null"), "neither made, removed nor renamed"),
        (DIFF + DIFF, "named twice"),
        (DIFF.replace("--- a/desk.go\n+++ b/desk.go\n", ""), "a hunk of no file"),
        ("--- a/desk.go\n", "without +++"),
        ("--- a/desk.go\n+++ b/desk.go\n", "nothing is changed"),
        (DIFF.replace("-3,4", "-300,4"), "the end of the file"),
        ("use a buffer of one", "no unified diff"),
        ("x" * 300_000, "larger"),
    ],
)
def test_what_does_not_fit_is_refused(wrong: str, why: str) -> None:
    with pytest.raises(Unfit, match=re.escape(why)):
        applied(wrong)


@given(st.lists(st.sampled_from("abc{}"), max_size=12), st.lists(st.sampled_from("abc{}"), max_size=12))
def test_what_difflib_writes_is_applied(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    diff = "".join(difflib.unified_diff(before.splitlines(True), after.splitlines(True), "a/x.go", "b/x.go"))
    if diff:
        assert applied(diff, before.encode()) == after.encode()


@given(st.integers(0, len(DIFF)))
def test_a_diff_that_is_cut_anywhere_is_refused_or_read(end: int) -> None:
    try:
        applied(DIFF[:end])
    except Unfit:
        return
    assert end >= len(DIFF) - 1
