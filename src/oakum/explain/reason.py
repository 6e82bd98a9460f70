"""A reason: a mistake that was read in the code, with its lines. What every question of this stage answers with."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from oakum.explain.code.flows import Flows, known_by
from oakum.explain.code.linked_names import plain
from oakum.explain.code.nouns import Op, Symbol
from oakum.explain.code.program import Program, ResolvedFrame, calls, does, starts
from oakum.explain.missing import outside_runtime
from oakum.model import CauseSite, Mechanism, Remedy, Suspect, Text, Trace


class Reason(Struct, frozen=True):
    """Why it leaks: sentences, each about lines that are among the sites."""

    mechanism: Mechanism
    texts: tuple[Text, ...]
    sites: tuple[CauseSite, ...]
    certain: bool = False  # follows from the code alone, without any capture: `scan` tells it
    remedies: tuple[Remedy, ...] = ()  # drafted fixes, best first
    endless: bool = False  # the code read leaves nobody who could end the wait: no worker that only waits for more
    kept: bool = False  # of memory: nothing takes it out again, and nothing bounds how much comes
    guess: bool = False  # the code allows it, and does not show that it happened: no evidence

    def with_plain_names(self) -> "Reason":
        """Return the reason with names as they are written; of linked packages they are not (linked_names.py)."""
        remedies = tuple(
            replace(one, text=_plain(one.text), risk=_plain(one.risk) if one.risk else None) for one in self.remedies
        )
        return replace(self, texts=tuple(map(_plain, self.texts)), remedies=remedies)


def _plain(said: Text) -> Text:
    args = {
        name: plain(value) if isinstance(value, str) else _plain(value) if isinstance(value, Text) else value
        for name, value in said.args.items()
    }
    return Text(said.key, args)


def distinct(sites: Iterable[CauseSite]) -> tuple[CauseSite, ...]:
    """Return the sites, each line once: the first role of it stays."""
    found: dict[tuple[str, int], CauseSite] = {}
    for one in sites:
        found.setdefault((one.frame.file, one.frame.line), one)
    return tuple(found.values())


class StackInSource(Struct, eq=False, dict=True):
    """What a question looks at: a suspect, and the frames of its stack in their source."""

    suspect: Suspect
    program: Program
    trace: Trace
    spots: list[ResolvedFrame | None] = field(default_factory=list)  # one a frame, leaf first
    created: ResolvedFrame | None = None

    @classmethod
    def of(cls, suspect: Suspect, program: Program, trace: Trace) -> "StackInSource":
        scene = cls(suspect, program, trace)
        place = outside_runtime(trace)
        for at, frame in enumerate(trace.frames):
            if at < place:  # runtime and sync: nobody's mistake
                scene.spots.append(None)
                continue
            scene.spots.append(program.spot(frame, does(trace.state) if at == place else calls))
        scene.created = program.spot(trace.created, starts)
        return scene

    @property
    def state(self) -> str:
        """Return what the goroutine waits in."""
        return self.trace.state or ""

    @property
    def blocked(self) -> ResolvedFrame | None:
        """Return where it waits, outside runtime and sync."""
        at = outside_runtime(self.trace)
        return self.spots[at] if at < len(self.spots) else None

    @property
    def nearest(self) -> ResolvedFrame | None:
        """Return the lowest frame that is not the standard library's: where the user's or a module's code waits."""
        for spot in self.spots:
            if spot is not None and spot.frame.owner in ("own", "dependency"):
                return spot
        return None

    @cached_property
    def known(self) -> Mapping[Symbol, Symbol]:
        """Return what the parameters on the stack were given, as far as the calls on it say."""
        found: dict[Symbol, Symbol] = {}
        spots = [spot for spot in self.spots if spot is not None]
        for callee, caller in pairwise(spots):
            if callee.package is caller.package:
                for op in caller.ops:
                    if op.kind == "call" and callee.func in callee.package.callees(op):
                        found |= known_by(callee.package, callee.func, op)
                        break
        start = self.start
        if start is not None and spots and self.created is not None and self.created.package is spots[-1].package:
            found |= known_by(spots[-1].package, spots[-1].func, start)
        return found

    @property
    def start(self) -> Op | None:
        """Return the go statement, or the call, that started the goroutine."""
        created = self.created
        return (created.op("go") or created.op("call")) if created is not None else None

    def flows(self, spot: ResolvedFrame) -> Flows:
        """Return where values go in a spot's package."""
        return self.program.flows(spot.package)
