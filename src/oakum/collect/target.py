"""What evidence is taken from, and how: a target looks first (plan), then takes one thing after the other (take).

A target never raises for what the other side does: a refusal, a time-out, half an answer are problems beside whatever
came. Only `open` of targets.py raises, when the words themselves are wrong or nothing can be reached at all.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from msgspec import Struct, field

from oakum.model import Capture, Problem, Text

# Goroutines up to which debug=2 is taken: it stops the world while it prints, and is cut at 64 MiB. Measured with
# stacks of 8 calls on two busy cores: 10,000 stop a program for 0.16 s at a stretch (Go 1.26; 0.19 s with 1.19) and
# 0.6 s in all, since Go prints anew into ever larger buffers; 50,000 for 0.9 s and 4 s. A liveness probe waits one
# second.
DUMP_BUDGET = 10_000


class CaptureOptions(Struct, frozen=True):
    """What the user asked for, the same for all targets."""

    gc: bool = False  # heap profiles after a collection: heap?gc=1
    force: bool = False  # take dumps above the budget
    budget: int = DUMP_BUDGET  # goroutines up to which debug=2 is taken
    seconds: float = 30.0  # for one request
    most: int = 512 << 20  # bytes of one answer
    past: timedelta = timedelta(hours=6)  # how far back, of what keeps the past
    # A program -> its build as `go version -m` prints it; parse reads programs, and collect does not know parse.
    describe: Callable[[Path], bytes | None] = lambda _: None
    # A file that was given -> what it is instead of evidence; None when it is some. Parse knows that, too.
    mistaken: Callable[[Capture], Problem | None] = lambda _: None


class Step(Struct, frozen=True):
    """One thing to take: the file it becomes, and how it is asked for, so that it can be repeated by hand."""

    file: str  # "goroutine.pb.gz"; "1h-ago/heap.pb.gz" is a snapshot of its own, in the past
    what: str  # "goroutines with their states"
    ask: str  # "GET http://10.0.0.7:6060/debug/pprof/goroutine", "read /proc/12/status", "kill -USR1 12"
    key: str = ""  # what the target itself knows it by
    at: datetime | None = None  # when it was, of the past
    undated: bool = False  # a given file: that it was read now says nothing about when it was taken


class LeftOut(Struct, frozen=True):
    """What a plan does not take: why, and what would make it."""

    what: str | Text  # a file, or what it would hold
    why: Text
    how: Text | None = None  # "--force takes it"


class Plan(Struct, frozen=True):
    """What is taken of a target in one snapshot, in this order."""

    steps: tuple[Step, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    advice: tuple[Text, ...] = ()  # what would help but changes the target, with its command; never done
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))  # "goroutines": 812, "pid": 12
    problems: tuple[Problem, ...] = ()
    once: bool = False  # it tells of the past: another snapshot would tell the same again


class Taken(Struct, frozen=True, eq=False):
    """What came of a step: perhaps a capture, perhaps only the reason why there is none."""

    step: Step
    capture: Capture | None
    began: datetime
    ended: datetime
    problems: tuple[Problem, ...] = ()


class Target(Protocol):
    """Something that evidence is taken from: an endpoint, a process, a journal, a store of past profiles."""

    @property
    def address(self) -> str:
        """Return what names it, credentials left out: http://10.0.0.7:6060, kube://node/n7, pid:12."""

    @property
    def name(self) -> str:
        """Return what people call it; it becomes the name of a directory."""

    @property
    def process(self) -> str:
        """Return what is the same for two targets of one process: never two dumps of it at once."""

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Look, count, and return what to take in this snapshot (from 1); `last`: no snapshot follows."""

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        """Take one thing."""

    def close(self) -> None:
        """Let go of connections."""
