"""Company: two recordings as one process -> is a leak still detected beside what others do, and who else is accused?

A real service does many things at once. Goroutine ids of the two are interleaved, heap profiles are added; what cannot
be added (metrics, MemStats, /proc) is left out. Pairs are drawn with a fixed seed, so that a figure can be repeated.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from msgspec.structs import replace as with_

from casebook.runner.accuracy import markdown_table
from casebook.runner.case import Take
from casebook.runner.windows import Outcome, Read, Recorded, Shot, load, outcome
from oakum.model import GoroutineGroup, Goroutines, OakumError, Profile, Reading
from oakum.model.goroutine import NO_INT64S
from oakum.views.merge import merge

FORMATS = ("debug=2 + heap.pb", "protobuf only")
PAIRS = 60
_SEED = 17
_ADDED = frozenset({"goroutine.debug2.txt", "goroutine.pb.gz", "heap.pb.gz"})


@dataclass(frozen=True, slots=True)
class Pair:
    """What a diagnosis says of a leak alone, and in company."""

    formats: str
    leaking: Outcome
    beside: Outcome
    together: Outcome

    @property
    def accused(self) -> tuple[str, ...]:
        """Return who is accused in company only."""
        alone = {*self.leaking.accused, *self.beside.accused}
        return tuple(one for one in self.together.accused if one not in alone)


def drawn(work: Sequence[tuple[str, Take | None]]) -> Iterator[tuple[Recorded, Recorded]]:
    """Yield pairs of a leaking recording and a healthy one, of as many snapshots; each recording once."""
    order = list(work)
    random.Random(_SEED).shuffle(order)
    fit = (one for name, take in order if (one := load(name, take)) is not None and _fits(one))
    yield from islice(_paired(fit), PAIRS)


def _paired(recordings: Iterable[Recorded]) -> Iterator[tuple[Recorded, Recorded]]:
    leaking: list[Recorded] = []
    healthy: list[Recorded] = []
    for one in recordings:
        (leaking if one.findings else healthy).append(one)
        if leaking and healthy:
            yield _as_many(leaking.pop(), healthy.pop())


def _fits(one: Recorded) -> bool:
    return len(one.shots) >= 3 and all(_added(shot) for shot in one.shots)


def _added(shot: Shot) -> bool:
    """Tell whether a snapshot has all that is added."""
    return {name for name, _, _ in shot.files} >= _ADDED


def _as_many(one: Recorded, other: Recorded) -> tuple[Recorded, Recorded]:
    """Return both with their last snapshots, and of these only what can be added."""
    count = min(len(one.shots), len(other.shots))
    left, right = (
        replace(
            of,
            shots=tuple(
                Shot(shot.label, tuple(file for file in shot.files if file[0] in _ADDED)) for shot in of.shots[-count:]
            ),
            build=(),
        )
        for of in (one, other)
    )
    return left, right


def together(one: Recorded, other: Recorded) -> Recorded:
    """Return two recordings as one process."""
    shots = [
        Shot(shot.label, tuple(_file(file, dict(_by_name(beside))) for file in shot.files))
        for shot, beside in zip(one.shots, other.shots, strict=True)
    ]
    return Recorded(f"{one.name} with {other.name}", tuple(shots), one.findings)


def _by_name(shot: Shot) -> Iterator[tuple[str, Reading]]:
    for name, _, readings in shot.files:
        yield name, readings[-1]


def _file(file: Read, others: dict[str, Reading]) -> Read:
    name, capture, readings = file
    return name, capture, (_reading(readings[-1], others[name]),)


def _reading(one: Reading, other: Reading) -> Reading:
    changed: dict[str, Any] = {"memstats": None, "problems": ()}
    if one.goroutines is not None and other.goroutines is not None:
        changed["goroutines"] = _goroutines(one.goroutines, other.goroutines)
    if one.profile is not None and other.profile is not None:
        changed["profile"] = _profile(one.profile, other.profile)
    return with_(one, **changed)


def _profile(one: Profile, other: Profile) -> Profile:
    """Return both, with addresses of their own: two programs have other code at the same one."""
    return merge(
        (one, with_(other, locations=with_(other.locations, address=other.locations.address + np.uint64(1 << 45))))
    )


def _goroutines(one: Goroutines, other: Goroutines) -> Goroutines:
    groups = (*(_numbered(group, 0) for group in one.groups), *(_numbered(group, 1) for group in other.groups))
    return Goroutines(groups, cut=one.cut or other.cut)


def _numbered(group: GoroutineGroup, odd: int) -> GoroutineGroup:
    """Return a group whose ids are even or odd, so that both programs' run side by side."""
    parents = np.where(group.parents > 0, 2 * group.parents + odd, 0) if len(group.parents) else group.parents
    return with_(group, ids=2 * group.ids + odd, parents=parents, spans=NO_INT64S)


def outcomes(pairs: Iterable[tuple[Recorded, Recorded]]) -> Iterator[Pair]:
    """Yield what the diagnosis says of each pair, in each of the formats."""
    for one, other in pairs:
        both = together(one, other)
        for formats in FORMATS:
            try:
                told = [outcome(each, "company", each.shots, formats) for each in (one, other, both)]
            except OakumError:
                continue
            if told[0] and told[1] and told[2] and told[0].shown:
                yield Pair(formats, told[0], told[1], told[2])


def table(found: Sequence[Pair]) -> str:
    """Return the pairs as a Markdown table, a row for each format."""
    rows: list[tuple[str, ...]] = [
        ("formats", "pairs", "detected alone", "of these in company", "accused in company only")
    ]
    for formats in FORMATS:
        here = [one for one in found if one.formats == formats]
        alone = [one for one in here if one.leaking.detected]
        kept = sum(one.together.detected for one in alone)
        rows.append((formats, *map(str, (len(here), len(alone), kept, sum(bool(one.accused) for one in here)))))
    return markdown_table(rows)
