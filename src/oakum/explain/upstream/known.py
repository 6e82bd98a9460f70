"""Suspects -> the same with the upstream bug that each is: recognised by its stack, decided by the version that runs.

Comes in: suspects, which grow or pile up already, and the processes with their builds. Goes out: suspects with `known`,
evidence where a reviewed entry fits a build that has the bug, remedies; and what to capture where a peer is to blame.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from oakum.knowledge.affected import Affected
from oakum.knowledge.carried import answer, spoken
from oakum.knowledge.leaks import Leak, Leaks
from oakum.knowledge.running import Running, running
from oakum.knowledge.signature import Hit, bare
from oakum.model import Evidence, Frame, Gap, KnownMatch, Process, Remedy, Suspect, Text, Trace
from oakum.model.vocabulary import ABNORMAL, HARMLESS, EvidenceKind

_MOST = 3  # of one suspect
# So many goroutines at rest, and that part of all, are a pile-up in a single snapshot; and that part of the heap.
PILE = 50
PILE_SHARE = 0.1
HEAP_SHARE = 0.2
_GROWN: frozenset[EvidenceKind] = frozenset(
    {
        "steady-growth",
        "single-step",
        "outlives-load",
        "baseline",
        "queue-growth",
        "leak-profile",
        "goleak",
        "heap-steady-growth",
        "heap-single-step",
        "heap-baseline",
    }
)

_ANSWERS = ("yes", "unknown", "no")


class _Seen(Struct, frozen=True):
    """An entry that a stack of a suspect looks like, and the module of it that matters here."""

    hit: Hit[Leak]
    trace: Trace
    affected: Affected
    running: Running
    said: str
    decides: Process | None  # whose version it is; None: the process at the other end, which is not in the case

    @property
    def peer(self) -> str:
        """Return the name of the process at the other end, where the bug is there and it is in the case."""
        return self.decides.name if self.decides is not None and self.hit.signature.where == "peer" else ""

    @property
    def near(self) -> bool:
        """Tell whether the process whose version decides is in the case."""
        return self.hit.signature.where == "self" or self.decides is not None

    @property
    def rank(self) -> tuple[int, ...]:
        """Return what tells a better sight of one entry: decided by its version, under upstream's names, no symptom."""
        return _ANSWERS.index(self.said), *self.hit.order[:2]

    @property
    def order(self) -> tuple[int, ...]:
        return _ANSWERS.index(self.said), *self.hit.order, not self.hit.entry.reviewed


def recognise(
    suspects: Sequence[Suspect],
    processes: Sequence[Process],
    catalogue: Leaks,
    *,
    every: bool = False,
) -> list[Suspect]:
    """Return the suspects with the known bugs that they are, and what would settle whether they are.

    What was found harmless is accused only of a bug that its version has for certain, when
    it stayed after the load: that goroutines follow open connections, or are meant to wait, is how some bugs look.
    `every`: also those that neither grow nor pile up are looked up.
    """
    fleet = _Fleet(processes)
    matched = [_matches(one, fleet, catalogue, every) for one in suspects]
    bugs = [_worth_reporting([one for one in rows if not one.hit.signature.symptom]) for rows in matched]
    named = {one.hit.entry.id for rows in bugs for one in rows}
    found: list[Suspect] = []
    for suspect, rows, chosen in zip(suspects, matched, bugs, strict=True):
        symptoms = [one for one in rows if one.hit.signature.symptom and one.said != "no"]
        symptoms = [one for one in symptoms if one.hit.entry.id not in named]  # the peer itself shows the bug
        found.append(replace(_known(suspect, chosen), unsettled=tuple(_gaps(chosen, symptoms))))
    return found


class _Fleet:
    """The processes of a case, and which versions of an entry's modules they run: asked once for all that show it."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self.processes = {process.id: process for process in processes}
        self._versions: dict[str, list[tuple[Process, Affected, Running]]] = {}

    def versions(self, hit: Hit[Leak]) -> list[tuple[Process, Affected, Running]]:
        """Return what is known to run of the entry's modules, process by process."""
        if hit.entry.id not in self._versions:
            self._versions[hit.entry.id] = [
                (process, one, run)
                for process in self.processes.values()
                for one, run in _running(hit, process, _frames_of(process, hit.entry))
                if run.version or run.fork
            ]
        return self._versions[hit.entry.id]


def _matches(suspect: Suspect, fleet: _Fleet, catalogue: Leaks, every: bool) -> list[_Seen]:
    """Return the entries that a suspect is looked up in; none for what neither grows nor piles up."""
    if suspect.mechanisms and suspect.mechanisms[0] in HARMLESS:
        return _overturning(suspect, fleet, catalogue)
    return _seen(suspect, fleet, catalogue) if every or piled_up(suspect) else []


def _overturning(suspect: Suspect, fleet: _Fleet, catalogue: Leaks) -> list["_Seen"]:
    """Return the bugs that accuse what was found harmless."""
    if not suspect.kinds.any("outlives-load", "baseline"):
        return []
    return [one for one in _seen(suspect, fleet, catalogue) if _sure(one, suspect)]


def piled_up(suspect: Suspect) -> bool:
    """Tell whether there is growth or a pile-up: some goroutines at rest are in every process that uses a library."""
    if suspect.kinds & _GROWN or suspect.wait in ABNORMAL:
        return True
    if suspect.wait:
        return suspect.blocked >= PILE and suspect.share.get("goroutines", 0.0) >= PILE_SHARE
    return suspect.share.get("inuse_space", 0.0) >= HEAP_SHARE


def _seen(suspect: Suspect, fleet: _Fleet, catalogue: Leaks) -> list[_Seen]:
    """Return every entry that a stack of the suspect looks like, one row an entry, the surest first."""
    best: dict[str, _Seen] = {}
    for hit, trace in _hits(suspect, catalogue):  # the root first: what else waits because of it says less
        seen = _versioned(hit, trace, fleet)
        if hit.entry.id not in best or seen.rank < best[hit.entry.id].rank:
            best[hit.entry.id] = seen
    return sorted(best.values(), key=lambda seen: (*seen.order, seen.hit.entry.id))


def _hits(suspect: Suspect, catalogue: Leaks) -> Iterator[tuple[Hit[Leak], Trace]]:
    for trace in suspect.traces:
        yield from ((hit, trace) for hit in catalogue.waiting(trace.frames, trace.state, trace.created))
    for trace in suspect.allocations:
        yield from ((hit, trace) for hit in catalogue.allocating(trace.frames))
    if not suspect.traces:  # memory, and the goroutines that came with it
        for one in suspect.victims:
            trace = Trace((one.frame,), one.state, None, one.process)
            yield from ((hit, trace) for hit in catalogue.waiting(trace.frames, trace.state, None))


def _worth_reporting(seen: Sequence[_Seen]) -> list[_Seen]:
    """Return those worth telling: a release that fixes it before advice that suits every release."""
    bugs = [one for one in seen if one.hit.entry.fault == "library"] or list(seen)
    if any(one.said == "yes" and one.hit.level == "exact" for one in bugs):
        bugs = [one for one in bugs if one.said != "no"]
    return bugs[:_MOST]


def _versioned(hit: Hit[Leak], trace: Trace, fleet: _Fleet) -> _Seen:
    """Return the hit with the version that decides: of this process, or of the peer where the bug is the peer's."""
    own = fleet.processes.get(trace.process)
    frames = (*trace.frames, *((trace.created,) if trace.created is not None else ()))
    rows = [_Seen(hit, trace, one, run, _answer_of(hit, one, run), own) for one, run in _running(hit, own, frames)]
    here = next((row for row in rows if row.said != "unknown"), next((r for r in rows if r.running.version), rows[0]))
    if hit.signature.where == "self":
        return here
    peers = [
        _Seen(hit, trace, one, run, _answer_of(hit, one, run), process)
        for process, one, run in fleet.versions(hit)
        if process is not own
    ]
    if peers:
        return next((row for row in peers if row.said == "yes"), peers[0])
    # Both ends are often of one release, but nobody has shown the other one.
    return replace(here, said="unknown", decides=None)


def _frames_of(process: Process, entry: Leak) -> tuple[Frame, ...]:
    """Return frames of a process that are of the entry's modules: their files tell versions."""
    modules = tuple(f"{one.module}{end}" for one in entry.affects for end in ("/", "."))
    found: dict[str, Frame] = {}
    for snapshot in process.snapshots[-1:]:
        for group in snapshot.goroutines.groups if snapshot.goroutines is not None else ():
            for frame in group.stack.frames:
                if frame.module is not None and frame.function.startswith(modules):
                    found.setdefault(frame.module[0], frame)
    return tuple(found.values())


def _running(hit: Hit[Leak], process: Process | None, frames: Sequence[Frame]) -> Iterator[tuple[Affected, Running]]:
    """Yield each module of the entry with the version that runs, the modules on the stack first."""
    names = [frame.function for frame in frames]
    on_stack = sorted(
        hit.entry.affects,
        key=lambda one: not any(f"{one.module}." in name or f"{one.module}/" in name for name in names),
    )
    for one in on_stack:
        yield one, running(one.module, process.build if process else None, frames)


def _answer_of(hit: Hit[Leak], one: Affected, run: Running) -> str:
    return "unknown" if hit.level != "exact" else answer(one, run)


def _known(suspect: Suspect, told: Sequence[_Seen]) -> Suspect:
    if not told:
        return suspect
    remedies = [remedy for one in told[:1] if one.said != "no" for remedy in _remedies(one)]
    sure = [one for one in told if _sure(one, suspect)]
    evidence = [_evidence(suspect, one) for one in sure[:1]]
    # Whoever read the code of that bug has named it.
    named = [one.hit.entry.mechanism for one in told[:1] if _read(one)]
    mechanisms = tuple(dict.fromkeys((*named, *suspect.mechanisms)))
    return replace(
        suspect,
        known=tuple(_match(one) for one in told),
        remedies=(*remedies, *suspect.remedies),
        evidence=(*suspect.evidence, *evidence),
        mechanisms=mechanisms,
    )


def _read(one: _Seen) -> bool:
    """Tell whether it is a bug whose code was read, under upstream's own names, in a version that may have it."""
    bug = one.hit.entry.reviewed and one.hit.entry.fault == "library"
    return bug and one.hit.level == "exact" and one.said != "no"


def _sure(one: _Seen, suspect: Suspect) -> bool:
    """Tell whether this makes anybody surer: the version has it, and they wait as they should, or are most of all."""
    shown = "state" not in one.hit.unsaid or (suspect.kinds.has("majority") and suspect.blocked >= PILE)
    return shown and _read(one) and one.said == "yes"


def _match(one: _Seen) -> KnownMatch:
    entry = one.hit.entry
    return KnownMatch(
        id=entry.id,
        module=one.affected.module,
        found=one.running.version if one.hit.level == "exact" else None,
        fixed=one.affected.fixed,
        upgrade_to=_upgrade(one),
        where=one.hit.signature.where,
        affects_build="yes" if one.said == "yes" else "no" if one.said == "no" else "unknown",
        references=entry.references,
        summary=spoken(entry.summary),
        says=tuple(_texts(one)),
        reviewed=entry.reviewed,
        fault=entry.fault,
    )


def _upgrade(one: _Seen) -> str | None:
    if one.said == "no" or one.affected.brought_back(one.running.godebug):
        return None
    return one.affected.fixed_by(None if one.running.fork or one.hit.level != "exact" else one.running.version)


def _texts(one: _Seen) -> Iterator[Text]:
    """Yield by what it was recognised, what tells the version, and what speaks against it."""
    entry, hit, run = one.hit.entry, one.hit, one.running
    module = _called(one.affected.module)
    place = _place(hit, one.trace)
    if one.trace.state is None and one.trace.created is None and hit.signature in entry.heap:
        yield Text("upstream.allocated", {"function": place})
    else:
        yield Text("upstream.stands", {"function": place, "state": one.trace.state or ""})
    if hit.level != "exact":
        yield Text(f"upstream.{hit.level}", {"module": module, "fork": hit.fork})
    elif run.fork:
        yield Text("upstream.replaced", {"module": module, "fork": run.fork})
    elif run.version and one.near:
        yield Text(f"upstream.runs.{run.how or 'build'}", {"module": module, "version": run.version})
        if one.affected.brought_back(run.godebug):
            yield Text("upstream.brought-back", {"setting": one.affected.godebug})
        if one.said == "unknown":
            yield Text("upstream.between", {"module": module, "version": run.version})
    elif one.near:
        yield Text("upstream.unversioned", {"module": module})
    if hit.signature.where == "peer":
        yield Text("upstream.peer" if one.peer else "upstream.peer-unseen", {"module": module, "process": one.peer})
    for what in hit.unsaid:
        yield Text(f"upstream.unsaid.{what}")
    if not entry.reviewed:
        yield Text("upstream.unreviewed")


def _called(module: str) -> str:
    return "Go" if module == "std" else module


def _place(hit: Hit[Leak], trace: Trace) -> str:
    """Return the function of the stack that the entry knows it by."""
    wanted = {bare(name) for name in hit.signature.functions}
    return next((frame.function for frame in trace.frames if bare(frame.function) in wanted), trace.frames[0].function)


def _remedies(one: _Seen) -> Iterator[Remedy]:
    entry = one.hit.entry
    said = {"en": entry.fix.get("en", ""), "zh": entry.fix.get("zh", "")}
    risk = spoken(entry.risk) if entry.risk else None
    version = _upgrade(one)
    if version:
        numbered = "Kubernetes" if one.affected.releases == "kubernetes" else _called(one.affected.module)
        args = {"module": numbered, "version": version, "process": one.peer, **said}
        if one.said != "yes":
            args["version"] = ", ".join(one.affected.fixed)
        case = ("peer" if one.peer else "peer-unseen") if one.hit.signature.where == "peer" else one.said
        yield Remedy("upgrade", Text(f"upstream.upgrade.{case}", args), risk=risk)
    else:
        yield Remedy("mitigate", Text("known.words", said), risk=risk)
    yield from (Remedy("mitigate", spoken(words)) for words in entry.workarounds)


def _evidence(suspect: Suspect, one: _Seen) -> Evidence:
    """Return that it is known, with what tells the version: the build, or a file of the stack, here or at the peer."""
    module = _called(one.affected.module)
    args = {"id": one.hit.entry.id, "module": module, "version": one.running.version or "", "process": one.peer}
    told = Text("upstream.known-peer" if one.peer else "upstream.known", args)
    built = one.decides.build_sources if one.decides is not None and one.running.how != "path" else ()
    if built:
        return Evidence("known-bug", told, built[0].digest, built[0].where, f"{module} {one.running.version}")
    if one.peer and one.decides is not None:
        frames = _frames_of(one.decides, one.hit.entry)
        source = one.decides.snapshots[-1].sources.get("goroutines")
        if frames and source is not None:
            return Evidence("known-bug", told, source.digest, source.where, str(frames[0]))
    shown = suspect.evidence[0]
    named = next((frame for frame in one.trace.frames if frame.module is not None), one.trace.frames[0])
    return Evidence("known-bug", told, shown.capture, shown.where, str(named))


def _gaps(told: Sequence[_Seen], symptoms: Sequence[_Seen]) -> Iterator[Gap]:
    for one in symptoms:
        args = {"id": one.hit.entry.id, "module": _called(one.affected.module), "function": _place(one.hit, one.trace)}
        if one.hit.signature.where == "peer":
            yield Gap(Text("gap.known-symptom", args), Text("gap.known-symptom.why"))
        else:
            yield Gap(Text("gap.known-alike", args), Text("gap.known-alike.why"), about=one.hit.entry.id)
    for one in told:
        args = {"id": one.hit.entry.id, "module": _called(one.affected.module)}
        if not one.near:
            yield Gap(Text("gap.known-peer", args), Text("gap.known-peer.why"))
        elif one.running.version is None and not one.running.fork and one.hit.level == "exact":
            yield Gap(
                Text("gap.known-version", args),
                Text("gap.known-version.why"),
            )
