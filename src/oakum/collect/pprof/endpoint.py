"""pprof behind an endpoint -> a Target: looks where it is, counts before it dumps, asks one thing after the other.

`PprofTarget(endpoint, address, name, process)` works over any HttpEndpoint: a server, a socket, a proxy, a port
that is forwarded. expvar (/debug/vars) and cmdline are never asked for: they tell the command line, secrets and all.
"""

import re
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Literal
from urllib.parse import parse_qsl

from msgspec.structs import replace

from oakum.collect.pprof import scrape
from oakum.collect.pprof.one_profile import OneProfile
from oakum.collect.pprof.probe import Look, Mount, goroutines_in, look, recount
from oakum.collect.pprof.schedule import Seen, left_out, steps, too_many, verbosity
from oakum.collect.pprof.shapes import Shape, opened, shape
from oakum.collect.target import CaptureOptions, LeftOut, Plan, Step, Taken
from oakum.collect.web import Answer, HttpEndpoint
from oakum.model import Capture, Problem, Text, Unreachable

# What runtime/pprof writes of a dump at most: one of exactly this size is cut.
DUMP_MOST = 64 << 20
_SMALL = 1 << 20
_TEXT_MOST = 64 << 20
_METRICS = ("/metrics", "/v1/metrics", "/debug/metrics/prometheus")
_FLAGS = "/debug/flags/v"
# "goVersion": "go1.26.8"
_GO_VERSION = re.compile(rb'"(?:goVersion|GoVersion|go_version)":\s*"(go[\w.+-]{1,40})')
# the line "# NumGC = 12" of heap?debug=1
_COLLECTIONS = re.compile(rb"^# NumGC = (\d{1,10})\s*$", re.MULTILINE)
# the line "# TotalAlloc = 81264", which only grows as long as the process lives
_ALLOCATED = re.compile(rb"^# TotalAlloc = (\d{1,19})\s*$", re.MULTILINE)
# the line "# HeapAlloc = 4194304"
_HEAP = re.compile(rb"^# HeapAlloc = (\d{1,18})\s*$", re.MULTILINE)
# What each file may look like; Go before 1.9 writes text where others write protobuf.
_SHAPES: dict[str, frozenset[Shape]] = {
    "metrics.txt": frozenset({"metrics"}),
    "version.json": frozenset({"json"}),
    "goroutine.debug1.txt": frozenset({"counts"}),
    "heap.debug1.txt": frozenset({"heap"}),
    "heap.pb.gz": frozenset({"profile", "heap"}),
    "goroutine.debug2.txt": frozenset({"dump"}),
    "trace.out": frozenset({"other", "profile"}),
}
# What comes instead of a profile, as problems name it.
_INSTEAD: dict[Shape, str] = {
    "page": "a web page", "index": "the index of pprof", "empty": "an empty answer", "json": "JSON",
    "counts": "another profile", "dump": "a dump of goroutines", "heap": "a heap profile",
}  # fmt: skip
_PROFILES: frozenset[Shape] = frozenset({"profile", "counts", "heap", "dump"})


class PprofTarget:
    """A Go program whose net/http/pprof can be reached. Used by one thread at a time."""

    def __init__(
        self,
        endpoint: HttpEndpoint,
        address: str = "",
        name: str = "",
        process: str = "",
        *,
        prefix: str = "",  # where pprof is looked for first
        only: OneProfile | None = None,  # nothing else is taken
        widely: bool = True,  # also where it is not usual: false for ports that may be anything
    ) -> None:
        self.endpoint = endpoint
        self.address = address or endpoint.address
        self.name = name or self.address
        self.process = process or self.address
        self._prefix = prefix.rstrip("/")
        self._only = only
        self._widely = widely
        self._mount: Mount | None = None
        self._metrics: str | None = None  # None: not looked for yet
        self._kept: dict[str, Answer] = {}  # what the plan asked for, by the key of its step
        self._missed: list[LeftOut] = []  # what the plan asked for in vain
        self._collections: int | None = None  # when it was last looked at
        self._collections_at_heap: int | None = None
        self._allocated: int | None = None  # since its start, when it was last looked at
        self._go = ""
        self._started: float | None = None
        self._unanswered: list[Step] = []  # in a row

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Look where pprof is, count, and return what to take."""
        self._kept.clear()
        self._missed.clear()
        self._unanswered.clear()
        if self._only is not None:
            return self._plan_one(self._only, options)
        found = self._look(options)
        if found.silent:
            return Plan(problems=_all(found.problem))
        problems = [*(self.endpoint.remarks if snapshot == 1 else ()), *_all(found.problem)]
        mount = found.mount
        if mount and self._prefix and not mount.prefix.startswith(self._prefix):
            where = self.endpoint.url(mount.prefix)
            problems.append(Problem.of("found-elsewhere", prefix=self._prefix, url=where))
        seen = self._seen(mount, options, snapshot)
        if self._restarted(seen):
            problems.append(Problem.of("restarted.since", target=self.address))
            seen = replace(seen, collections_before=None)
        flags = self._flags(options) if snapshot == 1 and seen.scrape.kubernetes else ""
        return Plan(
            steps=tuple(steps(self.endpoint, seen, options, last)),
            left_out=(*self._missed, *left_out(seen, options, last)),
            advice=(verbosity(self.endpoint, flags),) if flags else (),
            facts=MappingProxyType(_facts(seen) | ({"go": self._go} if self._go else {})),
            problems=tuple(problems),
        )

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        """Take one thing; what the plan asked for is not asked again."""
        began = datetime.now(UTC)
        if reason := self._better_not(step):
            return Taken(step, None, began, began, (Problem.of(f"not-asked.{reason}", asked=step.ask),))
        path, _, query = step.key.partition("?")
        asked = dict(parse_qsl(query))
        try:
            seconds = options.seconds + (self._only.seconds if self._only else 0)
            answer = self._kept.pop(step.key, None) or self.endpoint.get(
                path, asked, seconds=seconds, most=options.most
            )
        except Unreachable as error:
            self._unanswered.append(step)
            return Taken(step, None, began, datetime.now(UTC), (Problem.of("unreachable", error=error.text),))
        self._unanswered.clear()
        if problem := _unfit(answer, step):
            return Taken(step, None, answer.began, answer.ended, (problem,))
        if step.file == "heap.pb.gz" and self._collections is not None:
            self._collections_at_heap = self._collections + ("gc" in asked)
        capture = Capture(self.endpoint.url(path, asked), answer.data, answer.ended)
        return Taken(step, capture, answer.began, answer.ended, tuple(_cut(answer, step)))

    def close(self) -> None:
        self._kept.clear()
        self.endpoint.close()

    def _better_not(self, step: Step) -> Literal["", "silent", "dump"]:
        """Return why a step is not even tried."""
        if len(self._unanswered) > 1:
            return "silent"
        # The one that we no longer wait for may still be under way there.
        return "dump" if self._unanswered and _is_dump(step) and _is_dump(self._unanswered[-1]) else ""

    def _look(self, options: CaptureOptions) -> Look:
        if self._mount is None:
            found = look(self.endpoint, self._prefix, options.seconds, self._widely)
        else:
            now = recount(self.endpoint, self._mount, options.seconds)
            found = Look(now) if isinstance(now, Mount) else Look(None, now, silent=now.key == "unreachable")
        self._mount = found.mount or self._mount
        return found

    def _seen(self, mount: Mount | None, options: CaptureOptions, snapshot: int) -> Seen:
        """Ask for what counts and costs nothing; it is kept, and not asked for again."""
        seen = Seen(mount)
        if told := self._scrape(mount, options):
            seen = replace(seen, metrics=told[0], scrape=told[1])
        if snapshot == 1 and mount is not None and (version := self._version(mount, options)):
            go = _GO_VERSION.search(opened(self._kept[version].data, _SMALL))
            self._go = go[1].decode() if go else ""
            seen = replace(seen, version=version)
        self._go = seen.scrape.go or self._go
        if mount is None:
            return seen
        seen = self._counted(seen, mount, options)
        collections = seen.scrape.collections
        if seen.scrape.heap is None or collections is None:
            key = f"{mount.prefix}/heap?debug=1"
            answer = mount.heap or self._extra(key, "heap", options)
            if answer is not None:
                self._kept[key] = answer
                text = opened(answer.data, _TEXT_MOST)
                found, heap, made = _COLLECTIONS.search(text), _HEAP.search(text), _ALLOCATED.search(text)
                collections = int(found[1]) if found else None
                figures = replace(seen.scrape, heap=int(heap[1])) if heap and seen.scrape.heap is None else seen.scrape
                seen = replace(seen, heap_text=True, scrape=figures, allocated=int(made[1]) if made else None)
        return replace(seen, collections=collections, collections_before=self._collections_at_heap)

    def _counted(self, seen: Seen, mount: Mount, options: CaptureOptions) -> Seen:
        """Note how many goroutines there are: as the index says, else the metrics, else goroutine?debug=1."""
        key = f"{mount.prefix}/goroutine?debug=1"
        goroutines = mount.goroutines if mount.goroutines is not None else seen.scrape.goroutines
        if mount.counts is None and (goroutines is not None or mount.heap is not None):
            return replace(seen, goroutines=goroutines)
        answer = mount.counts or self._extra(key, "counts", options)
        if answer is None:
            return seen
        self._kept[key] = answer
        return replace(seen, goroutines=goroutines_in(opened(answer.data, 1 << 10)), counted=True)

    def _extra(self, key: str, wanted: Shape, options: CaptureOptions) -> Answer | None:
        """Return an answer that the plan needs, if it comes and is what it should be."""
        try:
            answer = self._ask(key, options)
        except Unreachable as error:
            self._missed.append(LeftOut(key, error.text))
            return None
        return answer if answer.good and shape(answer.data) == wanted else None

    def _scrape(self, mount: Mount | None, options: CaptureOptions) -> tuple[str, scrape.Scrape] | None:
        """Return the path of the metrics of this program, and what they say."""
        head = mount.head if mount else self._prefix
        paths = (f"{head}/metrics", *_METRICS) if self._metrics is None else filter(None, (self._metrics,))
        for path in dict.fromkeys(paths):
            try:
                answer = self._ask(path, options)
            except Unreachable as error:  # what serves them may hang in the very lock that is looked for
                self._missed.append(LeftOut("metrics.txt", error.text))
                return None
            if answer.status in (401, 403) and not self._missed:
                self._missed.append(LeftOut("metrics.txt", self.endpoint.failure(path, answer.fault).text))
            if not answer.good or answer.cut or shape(answer.data) != "metrics":
                continue
            told = scrape.read(answer.data)
            doubtful = self._prefix and not path.startswith(head)  # may be the gateway's, before the program
            if told.processes > 1 or (doubtful and not _same_process(told, mount)):  # many: a federation
                continue
            self._missed.clear()
            self._metrics = path
            self._kept[path] = answer
            return path, told
        self._metrics = self._metrics or ""
        return None

    def _version(self, mount: Mount, options: CaptureOptions) -> str:
        # Whoever names a prefix may name one of many programs behind a gateway.
        root: tuple[str, ...] = () if self._prefix and self._metrics != "/metrics" else ("/version",)
        for path in dict.fromkeys((f"{mount.head}/version", *root)):
            try:
                answer = self._ask(path, options, _SMALL)
            except Unreachable:
                return ""
            fits = answer.good and not answer.cut and shape(answer.data) == "json"
            if fits and _tells_version(opened(answer.data, _SMALL)):
                self._kept[path] = answer
                return path
        return ""

    def _flags(self, options: CaptureOptions) -> str:
        """Return where klog's verbosity can be set, if it can: there it answers that only PUT is understood."""
        try:
            answer = self._ask(_FLAGS, options, _SMALL)
        except Unreachable:
            return ""
        return _FLAGS if answer.status in (405, 406) else ""

    def _ask(self, key: str, options: CaptureOptions, most: int | None = None) -> Answer:
        path, _, query = key.partition("?")
        return self.endpoint.get(path, dict(parse_qsl(query)), seconds=options.seconds, most=most or options.most)

    def _restarted(self, seen: Seen) -> bool:
        """Tell whether this is another process than in the snapshot before: what only grows is less than it was."""
        before, self._started = self._started, seen.scrape.started or self._started
        last, self._collections = self._collections, seen.collections
        made, self._allocated = self._allocated, seen.allocated
        if before and self._started and abs(self._started - before) > 2:  # seconds; the kernel's clock ticks are coarse
            return True
        pairs = ((last, seen.collections), (made, seen.allocated))
        return any(then is not None and now is not None and now < then for then, now in pairs)

    def _plan_one(self, only: OneProfile, options: CaptureOptions) -> Plan:
        step = Step(only.file, only.name, f"GET {self.endpoint.url(only.path, dict(only.query))}", only.key)
        remarks = self.endpoint.remarks
        if not only.is_dump or options.force:
            return Plan((step,), problems=remarks)
        # Named or not: it would stop the program.
        query = {"debug": "1"}
        counting = f"GET {self.endpoint.url(f'{only.prefix}/goroutine', query)}"
        counted = Step("goroutine.debug1.txt", "goroutines, counted", counting, f"{only.prefix}/goroutine?debug=1")
        try:
            answer = self._ask(counted.key, options)
        except Unreachable as error:
            return Plan(problems=(Problem.of("unreachable", error=error.text),))
        if problem := _unfit(answer, counted):
            without = LeftOut(step.file, Text("plan.uncounted-first"), Text("plan.force-uncounted"))
            return Plan(left_out=(without,), problems=(*remarks, problem))
        goroutines = goroutines_in(opened(answer.data, 1 << 10)) or 0
        facts = MappingProxyType({"goroutines": goroutines})
        if goroutines <= options.budget:
            return Plan((step,), facts=facts, problems=remarks)
        self._kept[counted.key] = answer
        return Plan((counted,), (too_many(step.file, goroutines, options.budget),), facts=facts, problems=remarks)


def _facts(seen: Seen) -> dict[str, object]:
    told = seen.scrape
    started = datetime.fromtimestamp(told.started, UTC).isoformat(timespec="seconds") if told.started else None
    facts = {
        "prefix": seen.mount.prefix if seen.mount else None, "goroutines": seen.goroutines, "heap": told.heap,
        "rss": told.rss, "collections": seen.collections, "started": started,
    }  # fmt: skip
    return {name: value for name, value in facts.items() if value is not None}


def _same_process(told: scrape.Scrape, mount: Mount | None) -> bool:
    """Tell whether metrics of the server's root can be those of the program under a prefix: by its goroutines."""
    if mount is None or mount.goroutines is None or told.goroutines is None:
        return False
    return abs(told.goroutines - mount.goroutines) <= max(20, mount.goroutines // 4)


def _tells_version(text: bytes) -> bool:
    return b'"etcdserver"' in text or _GO_VERSION.search(text) is not None


def _is_dump(step: Step) -> bool:
    return "/goroutine" in step.key


def _unfit(answer: Answer, step: Step) -> Problem | None:
    """Return why an answer is not what was asked for."""
    if not answer.good:
        return Problem.of("refused", asked=step.ask, why=answer.fault)
    found = shape(answer.data)
    if found in _SHAPES.get(step.file, _PROFILES):
        return None
    if answer.page:
        return Problem.of("not-a-profile.page", asked=step.ask, page=answer.page)
    if what := _INSTEAD.get(found):
        return Problem.of("not-a-profile.instead", asked=step.ask, what=what)
    return Problem.of("not-a-profile.type", asked=step.ask, type=answer.headers.get("content-type", "-")[:80])


def _cut(answer: Answer, step: Step) -> list[Problem]:
    problems = [Problem.of("cut.answer", asked=step.ask, why=answer.cut)] if answer.cut else []
    if step.file == "goroutine.debug2.txt" and len(answer.data) == DUMP_MOST:
        problems.append(Problem.of("dump-cut"))
    return problems


def _all(problem: Problem | None) -> tuple[Problem, ...]:
    return (problem,) if problem else ()
