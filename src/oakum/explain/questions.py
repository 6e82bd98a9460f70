"""The questions: suspects whose source is to be had -> the same with their cause.

The first question that has an answer gives it. Where the code does not decide, nothing is said.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from time import process_time

from msgspec.structs import replace

from oakum.explain.channels import nested, starved
from oakum.explain.channels import question as channels
from oakum.explain.code.program import Program
from oakum.explain.excerpt import excerpts
from oakum.explain.locks import question as locks
from oakum.explain.memory import bounds, chains, containers
from oakum.explain.memory import off_heap as memory
from oakum.explain.missing import missing_source
from oakum.explain.network import bodies, handles, transports
from oakum.explain.network import question as network
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.waits import question as waits
from oakum.explain.workers import (
    by_itself,
    finalizers,
    foreign_channels,
    forgotten,
    outer_contexts,
    own_registrations,
    registrations,
    retries,
    timers,
)
from oakum.explain.workers import question as workers
from oakum.model import Cause, CauseSite, Evidence, EvidenceKind, Frame, Gap, Sources, SourceText, Suspect, Text, Trace

# Each is asked in this order; the first that has an answer gives it.
QUESTIONS: tuple[Callable[[StackInSource], Reason | None], ...] = (
    starved.reason,
    locks.reason,
    registrations.reason,
    own_registrations.reason,
    timers.reason,
    finalizers.reason,
    bodies.reason,
    handles.reason,
    transports.reason,
    nested.reason,
    network.reason,
    waits.reason,
    foreign_channels.reason,
    outer_contexts.reason,
    channels.reason,
    workers.reason,
    retries.reason,
    forgotten.reason,
    containers.reason,
    chains.reason,
    memory.reason,
    waits.given_up,
)
_TRACES_MOST = 3
_SHOWN = Text("cause.shown")
# Where the code shows that nobody can end the wait. That a read has no deadline, or that a worker is stopped only by
# who owns it, explains a leak once it is known to be one; every server that keeps connections is written so.
_DECISIVE = frozenset(
    """abandoned-sender double-send nil-channel waitgroup-never-done lost-signal double-lock lock-cycle
    unclosed-body substring-pin""".split()
)
_SECONDS = 20.0  # of this process, for all suspects; a tree the size of kubernetes is read in two


def answered(
    suspects: Sequence[Suspect], sources: Sources, frames: tuple[Frame, ...]
) -> tuple[tuple[Suspect, ...], tuple[Gap, ...]]:
    """Return the suspects with their causes, and what source could not be read."""
    program = Program(sources, frames)
    until = process_time() + _SECONDS
    explained = tuple(_explained(suspect, program) if process_time() < until else suspect for suspect in suspects)
    late = [Gap(Text("gap.source-late", {"seconds": int(_SECONDS)}), Text("gap.source-late.why"))]
    return explained, (*_gaps(program, explained), *(late if process_time() >= until else ()))


def _explained(suspect: Suspect, program: Program) -> Suspect:
    for trace in suspect.traces[:_TRACES_MOST] or (Trace(()),):  # memory has no stack that waits
        scene = StackInSource.of(suspect, program, trace)
        reason = _answer(scene) or _answer_of_whole(scene)
        if reason is not None:
            return _with(suspect, reason, program)
        bounded = bounds.bound(scene)
        if bounded is not None:
            return _spoken_for(suspect, program, "bounded", *bounded)
        ends = by_itself.ends(scene)
        if ends is not None:
            return _spoken_for(suspect, program, "ends-by-itself", *ends)
    return suspect


def _spoken_for(suspect: Suspect, program: Program, kind: EvidenceKind, said: Text, site: CauseSite) -> Suspect:
    """Return the suspect with what the source says against a leak."""
    return replace(suspect, evidence=(*suspect.evidence, *_evidence([site], _files(program), kind, said)))


def _answer(scene: StackInSource) -> Reason | None:
    """Return the first answer."""
    return next((reason for ask in QUESTIONS if (reason := ask(scene)) is not None), None)


def _answer_of_whole(scene: StackInSource) -> Reason | None:
    """Return the first answer where the program's own packages are read as one: the other end may be in any of them.

    One package is asked before: it says what it can with less.
    """
    whole = scene.program.whole() if any(spot is not None for spot in scene.spots) or not scene.spots else None
    reason = _answer(StackInSource.of(scene.suspect, whole, scene.trace)) if whole is not None else None
    return reason.with_plain_names() if reason is not None else None


def _with(suspect: Suspect, reason: Reason, program: Program) -> Suspect:
    process = suspect.sites[0].process
    sites = tuple(replace(site, process=site.process or process) for site in reason.sites)
    files = _files(program)
    shown = {site.frame.file for site in sites}
    told = tuple(_describe_source(file.name, file.how, file.note) for file in files if file.name in shown)
    cause = Cause(reason.texts, sites, excerpts(sites, files), tuple(dict.fromkeys(told)))
    mechanisms = tuple(dict.fromkeys((reason.mechanism, *suspect.mechanisms)))
    decisive = not reason.guess and (reason.endless or reason.mechanism in _DECISIVE)
    evidence = (*suspect.evidence, *(_evidence(sites, files) if decisive else ()))
    evidence += tuple(_evidence(sites, files, "never-removed", Text("cause.heap.kept")) if reason.kept else ())
    remedies = (*suspect.remedies, *reason.remedies)  # what upstream did comes first
    return replace(suspect, cause=cause, remedies=remedies, mechanisms=mechanisms, evidence=evidence)


def _files(program: Program) -> list[SourceText]:
    return [file.source for package in program.read for file in package.files]


def _evidence(
    sites: Sequence[CauseSite], files: Sequence[SourceText], kind: EvidenceKind = "cause-in-source", said: Text = _SHOWN
) -> list[Evidence]:
    """Return that the code itself shows why, with the file that shows it."""
    for site in sites:
        for file in files:
            if file.name == site.frame.file:
                digest = f"sha256:{sha256(file.data).hexdigest()}"
                where = f"{file.name}:{site.frame.line}"
                return [Evidence(kind, said, digest, where, site.code)]
    return []


def _describe_source(name: str, how: str, note: str) -> str:
    facts = "; ".join(part for part in (how, note) if part)
    return f"{name} ({facts})" if facts else name


def _gaps(program: Program, suspects: Sequence[Suspect]) -> list[Gap]:
    """Return a gap for each file of a suspect that nobody could explain because it was missing or another version's."""
    lacking = [suspect for suspect in suspects if suspect.cause is None]
    gaps = missing_source(lacking, program.missing)
    for function, place in program.drift.items():
        gaps.append(
            Gap(
                Text("gap.source-differs", {"function": function, "place": place}),
                Text("gap.source-differs.why"),
            )
        )
        break
    return gaps
