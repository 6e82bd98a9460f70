"""Why does nobody wake it? WaitGroups, condition variables, nil channels, timers, and waits that no context reaches."""

from collections.abc import Iterator

from oakum.explain.code.flows import Flows
from oakum.explain.code.package import Package
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.waits import conds, contexts, members, nilchannels, timerloops, unwatched, waitgroups


def reason(scene: StackInSource) -> Reason | None:
    """Return why the wait does not end."""
    if scene.state.endswith("(nil chan)"):
        return nilchannels.reason(scene)
    if any(frame.function == "sync.(*WaitGroup).Wait" for frame in scene.trace.frames[:8]):
        return waitgroups.reason(scene) or members.reason(scene)
    if any(frame.function == "sync.(*Cond).Wait" for frame in scene.trace.frames[:8]):
        return conds.reason(scene) or contexts.reason(scene)
    found = timerloops.reason(scene)
    if found is not None or scene.state.startswith(("chan", "select")):
        return found
    return contexts.reason(scene)


def given_up(scene: StackInSource) -> Reason | None:
    """Return why a wait in a channel outlives the context: asked when nothing can be said about the channel itself."""
    if not scene.state.startswith(("chan", "select")):
        return None
    return contexts.reason(scene) or unwatched.reason(scene)


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield waits that the code alone shows to be without end."""
    yield from waitgroups.scan(package, flows)
    yield from conds.scan(package, flows)
    yield from nilchannels.scan(package, flows)
    yield from contexts.scan(package, flows)
