"""What it means to wait in a state: which waits are abnormal to last, and which are a goroutine at rest."""

import re

from oakum.knowledge.pairs import pairs
from oakum.model import Stack, WaitKind
from oakum.model.vocabulary import HARD_STATES, NIL_CHANNEL_STATES, RESTING_STATES, SOFT_STATES

# A write to a socket waits only while the far end does not read.
_WRITE = re.compile(
    r"^(?:internal/poll\.\(\*FD\)|net\.\(\*netFD\))\.(?:Write|Writev|WriteTo|WriteMsg|[wW]rite\w*|SendFile)$"
)
# A select inside a call that is meant to return soon: for a reader, a free connection, a body to be closed.
_EXPECTED = frozenset(
    {
        "io.(*pipe).write", "net.(*pipe).write", "net/http.(*persistConn).readLoop", "net/http.(*Transport).getConn",
    }
)  # fmt: skip


def wait_of(state: str | None, stack: Stack) -> WaitKind:
    """Return what kind of wait a state is; "unknown" when the capture did not say."""
    if state is None:
        return "unknown"
    if state == "IO wait" and any(_WRITE.match(frame.function) for frame in stack.frames[:4]):
        return "hard"
    if state == "select" and stack.frames and _expected(stack.frames[0].function):
        return "hard"
    if state == "semacquire":
        return _semacquire(stack)
    if state in NIL_CHANNEL_STATES:
        return "never"
    if state in HARD_STATES:
        return "hard"
    if state in SOFT_STATES:
        return "soft"
    return "resting" if state in RESTING_STATES else "working"


def _expected(function: str) -> bool:
    return function in _EXPECTED or pairs().waits_for_pool(function)


def _semacquire(stack: Stack) -> WaitKind:
    """Go before 1.20 prints it for every lock; the runtime's own locks look so too, at the start of a collection."""
    top = [frame.function for frame in stack.frames[:6]]
    if any(name.startswith("internal/poll.(*fdMutex)") for name in top):
        # A second reader of one socket waits for the first, as that one waits for the network.
        return "resting" if any(name.endswith(".readLock") for name in top) else "hard"
    return "hard" if any(frame.package in ("sync", "internal/sync") for frame in stack.frames[:6]) else "working"
