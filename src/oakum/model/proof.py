"""Tests that show a leak: drafted from the source, then run without the drafted fix and with it."""

import re
from typing import Literal

from msgspec import Struct

from oakum.model.text import Text


class DraftedTest(Struct, frozen=True):
    """A Go test file, not run yet.

    In its text \\0 ends the name of the test and \\3 those of its helpers, so that several stand side by side; \\1 is
    the patience in seconds, \\2 the bytes that each call may leave.
    """

    name: str  # of the test function
    beside: str  # a file of its package on this machine
    text: str
    measures: Literal["goroutines", "heap"]
    function: str  # that it calls: (*Desk).Quote
    calls: int = 0  # how many times

    def written(self, number: str = "", patience: int = 5, most: int = 64) -> str:
        """Return the file."""
        own = self.name.removeprefix("Test") + number
        filled = {"\0": number, "\1": str(patience), "\2": str(most), "\3": own}
        return re.sub("[\0-\3]", lambda found: filled[found[0]], self.text)


class Attempt(Struct, frozen=True):
    """One run of a test: how many goroutines, or bytes for each call, were left behind."""

    passed: bool
    left: int


class Proof(Struct, frozen=True):
    """A test that failed in every run without the drafted fix and passed in every run with it; or why there is none."""

    tried: int = 0  # drafts that were compiled and run
    why_not: Text | None = None
    test: str = ""  # the file
    path: str = ""  # where it belongs, below the root of the module
    name: str = ""  # of the test function
    command: str = ""
    measures: Literal["goroutines", "heap"] = "goroutines"
    function: str = ""  # that it calls: (*Desk).Quote
    calls: int = 0  # how many times
    before: tuple[Attempt, ...] = ()
    after: tuple[Attempt, ...] = ()
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        return self.why_not is None
