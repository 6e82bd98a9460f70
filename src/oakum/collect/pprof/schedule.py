"""What was seen of a server -> what is asked of it in one snapshot, in which order, what is left out and why.

Nothing is asked here. Order: what costs nothing first, goroutineleak last: it runs a collection of its own, and what it
finds is marked in every later dump. Only what a leak diagnosis reads is taken: no CPU, block, mutex or thread profile.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from oakum.collect.pprof.probe import Mount
from oakum.collect.pprof.scrape import Scrape
from oakum.collect.target import CaptureOptions, LeftOut, Step
from oakum.collect.web import HttpEndpoint
from oakum.model import Text


class Seen(Struct, frozen=True, eq=False):
    """What looking at a server showed, before anything heavy is asked for."""

    mount: Mount | None
    metrics: str = ""  # its path; "": there are none
    version: str = ""  # its path, where it is to be taken
    scrape: Scrape = field(default_factory=Scrape)
    goroutines: int | None = None
    counted: bool = False  # by goroutine?debug=1, which is kept
    heap_text: bool = False  # heap?debug=1 is kept
    collections: int | None = None  # until now
    collections_before: int | None = None  # until the heap profile of the snapshot before
    allocated: int | None = None  # bytes since its start


def steps(endpoint: HttpEndpoint, seen: Seen, options: CaptureOptions, last: bool) -> Iterator[Step]:
    """Yield what is asked for, in order."""

    def ask(file: str, what: str, path: str, query: Mapping[str, str] = {}) -> Step:
        key = f"{path}{'?' if query else ''}{'&'.join(f'{name}={value}' for name, value in query.items())}"
        return Step(file, what, f"GET {endpoint.url(path, query)}", key)

    if seen.metrics:
        yield ask("metrics.txt", "metrics", seen.metrics)
    if seen.version:
        yield ask("version.json", "version", seen.version)
    if seen.mount is None:
        return
    place = seen.mount.prefix
    if seen.counted:
        yield ask("goroutine.debug1.txt", "goroutines, counted", f"{place}/goroutine", {"debug": "1"})
    if seen.heap_text:
        yield ask("heap.debug1.txt", "memory statistics", f"{place}/heap", {"debug": "1"})
    if reason := _why_collect(seen, options):
        yield ask("heap.pb.gz", f"heap, after a collection: {reason}", f"{place}/heap", {"gc": "1"})
    else:
        yield ask("heap.pb.gz", "heap", f"{place}/heap")
    if seen.goroutines is None and (seen.mount.heap or not options.force):
        return
    yield ask("goroutine.pb.gz", "goroutines, grouped by stack", f"{place}/goroutine")
    if _affordable(seen, options):
        yield ask("goroutine.debug2.txt", "goroutines with states and ages", f"{place}/goroutine", {"debug": "2"})
    if last and "goroutineleak" in seen.mount.profiles:
        what = "goroutines that can never wake, found by a collection of its own"
        yield ask("goroutineleak.pb.gz", what, f"{place}/goroutineleak")


def left_out(seen: Seen, options: CaptureOptions, last: bool) -> Iterator[LeftOut]:
    """Yield what is not asked for, though it is there and would tell something."""
    if seen.mount is None:
        return
    if seen.mount.heap:
        yield LeftOut(Text("plan.goroutines"), Text("plan.heap-only", {"path": f"{seen.mount.prefix}/goroutine"}))
    elif seen.goroutines is None:
        if not options.force:
            yield LeftOut(Text("plan.goroutines"), Text("plan.uncounted"), Text("plan.force-uncounted"))
    elif not _affordable(seen, options):
        yield too_many("goroutine.debug2.txt", seen.goroutines, options.budget)
    if not last and "goroutineleak" in seen.mount.profiles:
        yield LeftOut("goroutineleak.pb.gz", Text("plan.leak-last"))


def too_many(file: str, goroutines: int, budget: int) -> LeftOut:
    return LeftOut(file, Text("plan.too-many", {"count": goroutines, "budget": budget}), Text("plan.force"))


def _affordable(seen: Seen, options: CaptureOptions) -> bool:
    return options.force or (seen.goroutines is not None and seen.goroutines <= options.budget)


def _why_collect(seen: Seen, options: CaptureOptions) -> str:
    """Return why a collection is asked for; "" when none is: a heap profile tells of the last one."""
    if options.gc:
        return "asked for"
    if seen.collections == 0:
        return "none has run yet, and without one the profile is empty"
    if seen.collections is not None and seen.collections == seen.collections_before:
        return "none has run since the last snapshot, and the profile would be the same"
    return ""


def verbosity(endpoint: HttpEndpoint, flags: str) -> Text:
    """Return how klog is made to tell more, which is never done here: it changes the program."""
    return Text("plan.verbosity", {"command": f"curl -X PUT --data 5 {endpoint.url(flags)}"})
