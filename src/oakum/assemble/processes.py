"""Programs as directories have them -> one for each process: several in one series apart, one given twice together.

One process may be named by its address, by its pid and by what a store of metrics kept of it. It is one where the start
is the same to the tick, or about the same and address or pid agree; or, where one does not tell it, where the other
listens at its address under its name.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from oakum.assemble.builds import Program
from oakum.assemble.identity import best_name, identity_of
from oakum.assemble.parts import Part, process_name
from oakum.assemble.runs import Split, split
from oakum.assemble.snapshots import CLOSE, Gathered, captured_and_ranges, is_dated
from oakum.model import Identity, Text
from oakum.model.names import calls_nobody

_COMM = 15  # characters that Linux keeps of a program's name
_EVERYWHERE, _LOOPBACK = ("*", "0.0.0.0", "[::]", "::"), ("127.0.0.1", "localhost", "[::1]")
_TICK = 0.02  # seconds: the kernel counts a hundredth
_ABOUT = 2.0


def merged(programs: Sequence[Program]) -> list[Program]:
    """Return the programs, those that are the same process as one, in the order of the first."""
    found: list[tuple[Program, Identity, set[str]]] = []
    for one in programs:
        who, reached = identity_of([part for part in one.parts if part.slot]), _reached(one.parts)
        who = replace(who, binary=who.binary or process_name(one.parts) or "")
        home = next((known for known in found if _same(known[1], who, known[2] & reached)), None)
        if home is None:
            found.append((one, who, reached))
        else:
            _join(home[0], one)
            home[2].update(reached)
    return [one for one, _, _ in found]


def _same(one: Identity, other: Identity, reached: set[str]) -> bool:
    """Tell whether two are one process; `reached` are addresses and pids that both have."""
    # The kernel keeps a few characters of a name; a store of metrics calls it by its job.
    alike = bool(one.binary) and one.binary[:_COMM] == other.binary[:_COMM]
    if one.started is None or other.started is None:
        return alike and bool(reached)
    apart = abs(one.started - other.started)
    # A start in whole seconds is a coarse one: a fleet is started in one second.
    to_the_tick = apart <= _TICK and one.started % 1 > 0 and other.started % 1 > 0
    return to_the_tick or (apart <= _ABOUT and bool(reached))


def _reached(parts: Sequence[Part]) -> set[str]:
    """Return by what a process is reached: host and port of its address, of its metrics, of its listeners; its pid."""
    found: set[str] = set()
    for part in parts:
        target = part.capture.target
        if target.startswith("pid:"):
            found.add(target)
        elif "://" in target:
            found.add(target.partition("://")[2].partition("/")[0])
        if part.ranged:  # kubelet n7:10250
            found.add(part.reading.notes.get("process", "").rpartition(" ")[2])
        if (sockets := part.reading.sockets) is not None:
            found |= {f"pid:{sockets.pid}"} if sockets.pid else set()
            for row in sockets.rows:
                if row.state == "LISTEN" and not row.is_unix:
                    host, _, port = row.local.rpartition(":")
                    found |= {f"{name}:{port}" for name in (_LOOPBACK if host in _EVERYWHERE else (host,))}
    return found - {""}


def _join(one: Program, other: Program) -> None:
    """Add what is told of a process a second time; what was captured at one time is one snapshot."""
    one.parts += other.parts
    for snapshot in other.snapshots:
        when = snapshot.time
        near = [m for m in one.snapshots if when and m.time and not m.ranged and abs(m.time - when) <= CLOSE]
        if near and not snapshot.ranged:
            near[0].parts += snapshot.parts
        else:
            one.snapshots.append(snapshot)
    if calls_nobody(one.name) and not calls_nobody(other.name):
        one.name = other.name


def separated(programs: Sequence[Program]) -> tuple[list[Program], list[Text]]:
    """Return the programs, each cut into runs; a series that holds several processes as several, which is told."""
    found: list[Program] = []
    notices: list[Text] = []
    for one in programs:
        captured, ranges = captured_and_ranges(one.snapshots)
        pieces = split(captured, is_dated(captured))
        if len(pieces) < 2:
            one.runs = pieces[0].runs if pieces else []
            found.append(one)
            continue
        apart = [_piece(one, piece, ranges if piece is pieces[-1] else []) for piece in pieces]
        found += apart
        kind = "programs" if any(piece.relation == "program" for piece in pieces) else "replicas"
        names = [best_name("", _identities(piece), piece.parts, piece.name) for piece in apart]
        shown = names if kind == "programs" else [piece.name for piece in apart]
        notices.append(Text(f"notice.{kind}", {"count": len(apart), "names": ", ".join(dict.fromkeys(shown))}))
    return found, notices


def _piece(whole: Program, piece: Split, ranges: list[Gathered]) -> Program:
    snapshots = [*piece.snapshots, *ranges]
    mine = [part for snapshot in snapshots for part in snapshot.parts]
    shared = [part for part in whole.parts if part.slot is None and not part.beside]
    label = piece.snapshots[0].label.split(" ")[0].rstrip("/")
    return Program(label.rpartition("/")[2], [*mine, *shared], snapshots, runs=piece.runs)


def _identities(one: Program) -> list[Identity]:
    return [snapshot.identity for snapshot in one.snapshots]


def names_of(programs: Sequence[Program], builds: Sequence[str], several: bool) -> list[str]:
    """Return what processes are called: one alone by its binary; several by their directories, where those name."""
    names = []
    for one, build in zip(programs, builds, strict=True):
        best = best_name(build, _identities(one), one.parts, one.name)
        names.append(one.name if several and not calls_nobody(one.name.rpartition("/")[2]) else best)
    return [
        name if names.count(name) == 1 or name == one.name else f"{name} {one.name.rpartition('/')[2]}"
        for name, one in zip(names, programs, strict=True)
    ]


__all__ = ["merged", "names_of", "separated"]
