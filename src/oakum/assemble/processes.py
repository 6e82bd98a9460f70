"""Programs as directories have them -> one for each process: several in one series apart, one given twice together.

One process may be named by its address, by its pid and by what a store of metrics kept of it. It is one where the start
is the same to the tick and the pid no other, or about the same and address or pid agree. Where one does not tell it:
where the other listens at its address under its name, where the store scraped that very address, or where both name the
same last collection.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from oakum.assemble.builds import Program
from oakum.assemble.identity import best_name, identity_of
from oakum.assemble.parts import Part, process_name
from oakum.assemble.ranges import with_ranges
from oakum.assemble.runs import Split, crashed, split
from oakum.assemble.snapshots import CLOSE, Gathered, captured_and_ranges, is_dated
from oakum.model import Identity, Text
from oakum.model.names import calls_nobody

_COMM = 15  # characters that Linux keeps of a program's name
_EVERYWHERE, _LOOPBACK = ("*", "0.0.0.0", "[::]", "::"), ("127.0.0.1", "localhost", "[::1]")
_OWN = ("http://", "https://", "https+insecure://")  # not prometheus+http://, where all of a fleet are
_TICK = 0.02  # seconds: the kernel counts a hundredth
_ABOUT = 2.0
_LAST_GC = "go_memstats_last_gc_time_seconds"
_LATEST = 2.0**33  # seconds since 1970


class _Known(Struct, eq=False):
    """A process, and what it may be recognised by."""

    program: Program
    who: Identity
    reached: set[str]  # addresses and pid
    scraped: set[str]  # the addresses that a store of metrics has it from
    collected: set[int]  # when it last collected garbage, in microseconds


def merged(programs: Sequence[Program]) -> list[Program]:
    """Return the programs, those that are the same process as one, in the order of the first."""
    found: list[_Known] = []
    marked: dict[object, set[int]] = defaultdict(set)  # who has a mark: only they can be the same, not all of a fleet
    for one in programs:
        who = identity_of([part for part in one.parts if part.slot])
        who = replace(who, binary=who.binary or process_name(one.parts) or "")
        new = _Known(one, who, _reached(one.parts), _scraped(one.parts), _collected(one.parts))
        second = int(who.started) if who.started is not None and math.isfinite(who.started) else None
        started = [("started", second + late) for late in (0, -1, 1)] if second is not None else []
        alike = sorted(set().union(*(marked.get(mark, ()) for mark in (*new.reached, *new.collected, *started))))
        at = next((at for at in alike if _same(found[at], new)), len(found))
        if at == len(found):
            found.append(new)
        else:
            home = found[at]
            _join(home.program, one)
            home.reached |= new.reached
            home.scraped |= new.scraped
            home.collected |= new.collected
        for mark in (*new.reached, *new.collected, *started[:1]):
            marked[mark].add(at)
    return [known.program for known in found]


def _same(one: _Known, other: _Known) -> bool:
    """Tell whether two are one process."""
    reached = one.reached & other.reached
    # The kernel keeps a few characters of a name; a store of metrics calls it by its job.
    names = {known.who.binary[:_COMM] for known in (one, other)} - {""}
    alike = len(names) < 2
    if one.who.started is None or other.who.started is None:
        # At one address there is one process at a time; of two captures of it each says what it is itself.
        stored = bool(one.scraped) != bool(other.scraped)
        scraped = bool((one.scraped | other.scraped) & reached)
        return (alike and bool(reached)) or (stored and (scraped or bool(one.collected & other.collected)))
    apart = abs(one.who.started - other.who.started)
    # A start in whole seconds is a coarse one: a fleet is started in one second. A script starts two in one tick.
    to_the_tick = apart <= _TICK and one.who.started % 1 > 0 and other.who.started % 1 > 0
    if (to_the_tick and not _of_two_pids(one, other)) or (apart <= _ABOUT and bool(reached)):
        return True
    # Restarted: who listens at an address after another of its name has ended is that service.
    earlier, later = sorted((one, other), key=lambda known: known.who.started or 0.0)
    return alike and bool(reached) and _last_seen(earlier) < (later.who.started or 0.0)


def _of_two_pids(one: _Known, other: _Known) -> bool:
    first, second = (_pids(known) for known in (one, other))
    return bool(first and second) and first.isdisjoint(second)


def _pids(known: _Known) -> set[str]:
    """Return the pids that a process is known by, else the one that /proc/PID/status tells, a container's own maybe."""
    reached = {mark for mark in known.reached if mark.startswith("pid:")}
    return reached or ({f"pid:{known.who.pid}"} if known.who.pid else set())


def _last_seen(known: _Known) -> float:
    """Return when a process is last known to have run under the start that it tells."""
    started = known.who.started
    taken = [(one.time, identity_of(one.parts)) for one in known.program.snapshots]  # more parts are yet to come
    times = [time for time, who in taken if time and who.started == started]
    return max((time.timestamp() for time in times), default=math.inf)


def _scraped(parts: Sequence[Part]) -> set[str]:
    """Return the addresses that a store of metrics has a process from: n7:10250 of kubelet n7:10250."""
    return {part.reading.notes.get("process", "").rpartition(" ")[2] for part in parts if part.ranged} - {""}


def _collected(parts: Sequence[Part]) -> set[int]:
    """Return when a process last collected garbage, in microseconds: no two processes do in the same one."""
    told = [part.reading.metrics.total(_LAST_GC) for part in parts if part.reading.metrics is not None]
    stamps = [part.reading.memstats.last_gc_nanos for part in parts if part.reading.memstats is not None]
    seconds = [one for one in told if one] + [one / 1e9 for one in stamps if one]
    # A millisecond is shared by chance in a fleet that is scraped for hours.
    return {round(one * 1e6) for one in seconds if 0 < one < _LATEST}


def _reached(parts: Sequence[Part]) -> set[str]:
    """Return by what a process is reached: host and port of its address, of its metrics, of its listeners; its pid."""
    found = _scraped(parts)
    for part in parts:
        target = part.capture.target
        if target.startswith("pid:"):
            found.add(target)
        elif target.startswith(_OWN):
            found.add(target.partition("://")[2].partition("/")[0])
        if (sockets := part.reading.sockets) is not None:
            found |= {f"pid:{sockets.owner}"} if sockets.owner else set()
            for row in sockets.own:  # a list of the whole machine lies beside each of its processes
                if row.state == "LISTEN" and not row.is_unix:
                    host, _, port = row.local.rpartition(":")
                    found |= {f"{name}:{port}" for name in (_LOOPBACK if host in _EVERYWHERE else (host,))}
    return found - {""}


def _join(one: Program, other: Program) -> None:
    """Add what is told of a process a second time; what was captured at one time is one snapshot."""
    one.parts += other.parts
    for snapshot in other.snapshots:
        when = snapshot.time
        near = [(abs(m.time - when), at) for at, m in enumerate(one.snapshots) if when and m.time and not m.ranged]
        fits = [(apart, at) for apart, at in near if apart <= CLOSE and not _differ(one.snapshots[at], snapshot)]
        if fits and not snapshot.ranged:
            one.snapshots[min(fits)[1]].parts += snapshot.parts
        else:
            one.snapshots.append(snapshot)
    stored = all(snapshot.ranged for snapshot in other.snapshots)  # its directory is called after the store
    if calls_nobody(one.name) and not calls_nobody(other.name) and not stored:
        one.name = other.name


def _differ(one: Gathered, other: Gathered) -> bool:
    """Tell whether two captures of one time are two snapshots: of different starts, or of one kind from one target."""
    was, now = identity_of(one.parts).started, identity_of(other.parts).started
    if was is not None and now is not None and abs(was - now) > _ABOUT:
        return True
    return bool(_kinds(one) & _kinds(other))


def _kinds(snapshot: Gathered) -> set[tuple[str, str, str]]:
    parts = [part for part in snapshot.parts if part.slot]
    return {(part.capture.target, part.reading.kind, part.reading.format) for part in parts}


def separated(programs: Sequence[Program]) -> tuple[list[Program], list[Text]]:
    """Return the programs, each cut into runs; a series that holds several processes as several, which is told."""
    found: list[Program] = []
    notices: list[Text] = []
    for one in programs:
        captured, ranges = captured_and_ranges(one.snapshots)
        pieces = split(captured, is_dated(captured))
        if len(pieces) < 2:
            one.runs = with_ranges(pieces[0].runs if pieces else [], ranges)
            _tell_crash(one)
            found.append(one)
            continue
        apart = [_piece(one, piece, ranges if piece is pieces[-1] else []) for piece in pieces]
        found += apart
        kind = "programs" if any(piece.relation == "program" for piece in pieces) else "replicas"
        names = [best_name("", _identities(piece), piece.parts, piece.name) for piece in apart]
        shown = names if kind == "programs" else [piece.name for piece in apart]
        notices.append(Text(f"notice.{kind}", {"count": len(apart), "names": ", ".join(dict.fromkeys(shown))}))
    return found, notices


def _tell_crash(one: Program) -> None:
    """Set why a process was restarted where that is not known, and one crash stands in a log beside its snapshots."""
    taken = {part for run in one.runs for snapshot in run.snapshots for part in snapshot.parts}
    words = list(dict.fromkeys(part.ended for part in one.parts if part.ended and part not in taken))
    unknown = [run for run in one.runs[1:] if run.why is None]
    if len(words) == len(unknown) == 1:
        unknown[0].why = crashed(words[0])


def _piece(whole: Program, piece: Split, ranges: list[Gathered]) -> Program:
    snapshots = [*piece.snapshots, *ranges]
    mine = [part for snapshot in snapshots for part in snapshot.parts]
    shared = [part for part in whole.parts if part.slot is None and not part.beside]
    label = piece.snapshots[0].label.split(" ")[0].rstrip("/")
    runs = with_ranges(piece.runs, ranges)
    return Program(label.rpartition("/")[2], [*mine, *shared], snapshots, runs=runs)


def _identities(one: Program) -> list[Identity]:
    return [snapshot.identity for snapshot in one.snapshots]


def names_of(programs: Sequence[Program], builds: Sequence[str], several: bool) -> list[str]:
    """Return what processes are called: one alone by its binary; several by their directories, where those name."""
    names = []
    for one, build in zip(programs, builds, strict=True):
        best, own = best_name(build, _identities(one), one.parts, one.name), one.name.rpartition("/")[2]
        counted = own.startswith(f"{best[:_COMM]}-") and own.rpartition("-")[2].isdecimal()  # orders-812 of pid:812
        names.append(one.name if several and not calls_nobody(own) and not counted else best)
    return [
        name if names.count(name) == 1 or name == one.name else _told_apart(name, one.name.rpartition("/")[2])
        for name, one in zip(names, programs, strict=True)
    ]


def _told_apart(name: str, directory: str) -> str:
    return directory if directory.startswith(f"{name}-") else f"{name} {directory}"
