"""What it means to wait in a state: which waits nobody means to last, and which are a goroutine at rest."""

import re
from typing import Literal

from oakum.model import Stack

Wait = Literal["never", "hard", "soft", "resting", "working", "unknown"]

# Nothing in the program can ever end these.
NEVER = frozenset({"chan send (nil chan)", "chan receive (nil chan)"})
# Nobody designs a program so that these last: they mean that somebody else is expected soon.
HARD = frozenset(
    {
        "chan send", "semacquire", "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "sync.WaitGroup.Wait",
    }
)  # fmt: skip
LOCKS = frozenset({"semacquire", "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock"})
# An idle worker waits so for its next job, and so does who was forgotten.
SOFT = frozenset({"chan receive"})
# Where goroutines live that are meant to live long.
# `select {}` is written by who means to wait for ever.
RESTING = frozenset({"select", "select (no cases)", "IO wait", "sync.Cond.Wait", "sleep"})


# A write to a socket waits only while the far end does not read.
_WRITE = re.compile(
    r"^(?:internal/poll\.\(\*FD\)|net\.\(\*netFD\))\.(?:Write|Writev|WriteTo|WriteMsg|[wW]rite\w*|SendFile)$"
)


def wait_of(state: str | None, stack: Stack) -> Wait:
    """Return what kind of wait a state is; "unknown" when the capture did not say."""
    if state is None:
        return "unknown"
    if state == "IO wait" and any(_WRITE.match(frame.function) for frame in stack.frames[:4]):
        return "hard"
    if state == "select" and stack.frames and stack.frames[0].function in ("io.(*pipe).write", "net.(*pipe).write"):
        return "hard"
    if state == "semacquire":
        return _semacquire(stack)
    if state in NEVER:
        return "never"
    if state in HARD:
        return "hard"
    if state in SOFT:
        return "soft"
    return "resting" if state in RESTING else "working"


def _semacquire(stack: Stack) -> Wait:
    """Go before 1.20 prints it for every lock; the runtime's own locks look so too, at the start of a collection."""
    top = [frame.function for frame in stack.frames[:6]]
    if any(name.startswith("internal/poll.(*fdMutex)") for name in top):
        # A second reader of one socket waits for the first, as that one waits for the network.
        return "resting" if any(name.endswith(".readLock") for name in top) else "hard"
    return "hard" if any(frame.package in ("sync", "internal/sync") for frame in stack.frames[:6]) else "working"


__all__ = ["HARD", "LOCKS", "NEVER", "RESTING", "SOFT", "Wait", "wait_of"]
