"""debug=1 names no wait, yet prints the addresses of the runtime functions that it hides: what the goroutines wait for.

In: the hidden addresses of each stack, leaf first, and the function that follows them. Out: hidden addresses -> state.
Nothing is concluded where no stack of the profile shows which address is that of runtime.gopark.
"""

from collections import defaultdict
from collections.abc import Iterable

Hidden = tuple[int, ...]

# 2 @ 0x48a84a 0x44a617 0x489a45 ...   gopark, netpollblock, then the first function with a name:
# #	0x489a44	internal/poll.runtime_pollWait+0x84
_PARKED = (
    "internal/poll.runtime_pollWait",
    "sync.runtime_Semacquire",
    "internal/sync.runtime_Semacquire",
    "sync.runtime_notifyListWait",
    "time.Sleep",
)
# gopark, chansend, chansend1: compiled code calls chansend1, chanrecv1 or chanrecv2, which no compiler inlines here.
_CHANNEL = 3
# gopark, selectgo
_SELECT = 2


def hidden_waits(stacks: Iterable[tuple[Hidden, str]]) -> dict[Hidden, str]:
    """Return the state of goroutines with these hidden addresses, where it can be told.

    The linker keeps the order of the source: in chan.go chansend stands before chanrecv, and proc.go, with the function
    of `select {}`, before select.go.
    """
    seen = set(stacks)
    parks = {hidden[0] for hidden, function in seen if hidden and function.startswith(_PARKED)}
    parked = {hidden for hidden, function in seen if hidden and hidden[0] in parks and not function.startswith(_PARKED)}
    told = _channels([hidden for hidden in parked if len(hidden) == _CHANNEL])
    selects = sorted({hidden for hidden in parked if len(hidden) == _SELECT})
    if 1 <= len(selects) <= 2:
        told |= {selects[0]: "select (no cases)"} if len(selects) == 2 else {}
        told[selects[-1]] = "select"
    return told


def _channels(waits: Iterable[Hidden]) -> dict[Hidden, str]:
    """Return which are sends: with both in the profile the lower ones. Only chanrecv has two callers."""
    callers: dict[int, set[int]] = defaultdict(set)
    for _, function, caller in waits:
        callers[function].add(caller)
    functions = sorted(callers)
    if len(functions) == 1 and len(callers[functions[0]]) == 2:
        sends: set[int] = set()
    elif len(functions) == 2 and functions[0] < min(callers[functions[1]]):  # chansend < chanrecv1 < chanrecv
        sends = {functions[0]}
    else:  # one that may be either; or waits on nil channels, at addresses of their own
        return {}
    return {hidden: "chan send" if hidden[1] in sends else "chan receive" for hidden in waits}
