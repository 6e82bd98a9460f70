"""Goroutines of one process -> suspects: each goroutine in at most one, the root before those that wait because of it.

Comes in: a process, its populations and the work done in each step. Goes out: suspects, harmless ones too, with what
speaks for and against each.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from oakum.detect import shape
from oakum.detect.clients import Live
from oakum.detect.signs import FOR, HARMLESS, Reader, Signs, harmless
from oakum.detect.states import wait_of
from oakum.detect.waits_for import knots
from oakum.knowledge import benign
from oakum.model import (
    Activity,
    Evidence,
    Growth,
    Population,
    Process,
    Snapshot,
    Suspect,
    Text,
    Victim,
    alone,
    normal_function,
)
from oakum.model.diagnosis import Because
from oakum.model.profile import Int64s

# Nobody reads more suspects, and a hostile dump may have any number.
_MOST = 1000
# So many ids apart are goroutines that one call started one after the other.
_SIDE_BY_SIDE = 4
_WAITS = ("working", "resting", "unknown", "soft", "hard", "never")  # the last says most
# Which of several that hang together is the root, when their links do not say it.
_ROOTS = ("never", "chan send", "sync.Cond.Wait", "sync.RWMutex.Lock", "sync.Mutex.Lock", "sync.RWMutex.RLock",
          "semacquire", "IO wait", "select", "chan receive", "sleep", None, "sync.WaitGroup.Wait")  # fmt: skip


@dataclass(slots=True)
class _Cause:
    """Populations of one cause."""

    root: Signs
    others: list[Signs] = field(default_factory=list)  # of the same cause, at other places
    victims: list[tuple[Signs, Because]] = field(default_factory=list)
    mechanisms: tuple[str, ...] = ()  # what the links between goroutines tell
    evidence: list[Evidence] = field(default_factory=list)

    @property
    def members(self) -> list[Signs]:
        return [self.root, *self.others, *(signs for signs, _ in self.victims)]


def goroutine_suspects(
    process: Process, populations: Sequence[Population], activity: Activity, twin: Callable[[Population], int | None]
) -> tuple[Suspect, ...]:
    """Return the suspects among the goroutines of a process; `twin` counts a population in the healthy twin."""
    snapshots = [snapshot for snapshot in process.snapshots if snapshot.goroutines is not None]
    if not snapshots:
        return _only_proven(process)
    reader = Reader(process.snapshots, activity, Live(populations, len(process.snapshots)))
    read = [reader.read(one, benign().match(one.example)) for one in populations]
    for signs in read:
        _compare_with_twin(signs, twin(signs.population), reader)
    if snapshots[-1].claimed:  # goleak lists only what should not be there: its claim, not ours
        for signs in read:
            text = Text("goroutines.goleak", {"count": signs.population.last})
            signs.found["goleak"] = reader.evidence("goleak", text, signs.population)
    read += _proven(read, process)
    _supervisors(read, reader)
    suspicious = sorted((one for one in read if _suspicious(one)), key=_worst)[:_MOST]
    if len(snapshots) > 1 and any(_stuck(one) for one in suspicious):  # what only stands there is not why
        suspicious = [one for one in suspicious if _stuck(one) or one.wait == "hard"]
    causes = _join(suspicious, read, snapshots[-1], reader)
    accused = {id(signs) for cause in causes for signs in cause.members}
    cleared = [
        one
        for one in read
        if id(one) not in accused and one.population.place and one.population.rise > 0 and harmless(one)
    ]
    total = max(1, snapshots[-1].goroutines.total if snapshots[-1].goroutines else 1)
    return (
        *(_suspect(cause, process, total) for cause in causes),
        *(_suspect(_Cause(signs), process, total, harmless(signs)) for signs in cleared),
    )


def _proven(read: Sequence[Signs], process: Process) -> list[Signs]:
    """Mark what Go's own profile proves to be leaked; return what it proves and no dump shows."""
    unseen: list[Signs] = []
    dumps = [(snapshot.goroutines, snapshot.sources.get("goroutines")) for snapshot in process.snapshots[-1:]]
    proofs = [(snapshot.leaked, snapshot.sources.get("leaked")) for snapshot in process.snapshots]
    by_stack = {(one.population.state, group.stack.key): one for one in read for group in one.population.now}
    for listed, source in (*proofs, *dumps):
        for group in listed.groups if listed is not None and source is not None else ():
            if not group.stack.frames or (listed is dumps[0][0] and not group.leaked):
                continue
            signs = by_stack.get((group.state, group.stack.key))
            if signs is None:
                population = alone(group)
                signs = Signs(population, wait_of(group.state, group.stack), benign().match(group))
                by_stack[group.state, group.stack.key] = signs
                unseen.append(signs)
            assert source is not None
            text = Text("goroutines.leak-profile", {"count": group.count})
            excerpt = "\n".join(str(frame) for frame in group.stack.frames[:6])
            signs.found["leak-profile"] = Evidence(
                "leak-profile", text, source.digest, f"stack {group.stack.key}", excerpt
            )
    return unseen


def _supervisors(read: Sequence[Signs], reader: Reader) -> None:
    """Mark those who wait for goroutines of their own that live: main and its servers, a runner and its workers."""
    made_by: dict[str, list[Signs]] = {}
    for signs in read:
        if (made := signs.population.creator) is not None and signs.population.last:
            made_by.setdefault(_maker(signs), []).append(signs)
            made_by.setdefault(f"{made.package}.{made.receiver}", []).append(signs)
    for signs in read:
        population = signs.population
        if population.state != "sync.WaitGroup.Wait" or not population.last:
            continue
        near = [other for name in _frames(signs) for other in made_by.get(name, ())]
        if population.place is not None:  # errgroup.(*Group).Go and errgroup.(*Group).Wait; sync.(*WaitGroup).Go
            near += made_by.get(f"{population.place.package}.{population.place.receiver or '-'}", ())
            near += made_by.get("sync.*WaitGroup", ())
        children = [other for other in _distinct(near) if other is not signs and _works_for(other, signs)]
        # Whoever waits for one that is stuck is its victim; one that works or rests lives.
        if children and not any(_suspicious(child) and child.wait in ("hard", "never") for child in children):
            text = Text("goroutines.supervises", {"count": sum(child.population.last for child in children)})
            signs.found["supervises"] = reader.evidence("supervises", text, population)


def _stuck(signs: Signs) -> bool:
    """Tell whether a child is more than a crew at rest: then whoever waits for it is its victim."""
    at_rest = {"crowd", "most", "waits"} if signs.wait in ("soft", "resting", "unknown") else set()
    return _suspicious(signs) and bool((signs.kinds & FOR) - at_rest)


def _suspicious(signs: Signs) -> bool:
    return bool(signs.population.last and signs.kinds & FOR and not harmless(signs) and _counts(signs))


def _only_proven(process: Process) -> tuple[Suspect, ...]:
    """Return what Go's own profile proves where no dump lies beside it."""
    proven = _proven([], process)
    total = max(1, sum(signs.population.last for signs in proven))
    causes = _merge(_merge([_Cause(signs) for signs in proven], _same_place), _same_birth)
    return tuple(_suspect(cause, process, total) for cause in causes)


def _compare_with_twin(signs: Signs, elsewhere: int | None, reader: Reader) -> None:
    last = signs.population.last
    if elsewhere is not None and last >= 2 * elsewhere + 2:
        text = Text("goroutines.twin", {"count": last, "twin": elsewhere})
        signs.found["twin"] = reader.evidence("twin", text, signs.population)


def _counts(signs: Signs) -> bool:
    """Tell whether a population is worth a word: single goroutines at rest are every program's background."""
    population = signs.population
    if population.place is None or not population.example.stack.frames:
        return False  # goroutineleak lists main in `select {}` so
    if signs.kinds & {"leak-profile", "goleak"}:
        return True
    if "crew" in signs.kinds and len(population.counts) > 1:
        return False  # they were there from the beginning, and nobody came
    if signs.wait == "working":  # many at work are a busy process, unless they are most of it and ever more
        return "gains" in signs.kinds and "most" in signs.kinds
    if signs.wait in ("hard", "never"):
        return _not_main(signs)
    if len(population.counts) > 1:  # who rested all the time still rests
        return bool(signs.kinds & {"gains", "ramp", "outlives-load", "twin", "crowd"})
    return population.last > 1


def _not_main(signs: Signs) -> bool:
    """Tell whether this is not main itself, which waits for the end by design."""
    entry = signs.population.entry
    return entry is None or entry.function != "main.main" or signs.wait == "hard"


def _join(suspicious: Sequence[Signs], read: Sequence[Signs], last: Snapshot, reader: Reader) -> list[_Cause]:
    """Return causes: populations joined that hang together."""
    causes = _knotted(suspicious, read, last, reader)
    tied = {id(signs) for cause in causes for signs in cause.members}
    loose = _merge([_Cause(signs) for signs in suspicious if id(signs) not in tied], _same_place)
    loose = _merge(loose, _same_birth)
    loose = _born_together(loose)
    loose = _merge(loose, _same_growth)
    return _behind(_parents([*causes, *loose]))


def _knotted(suspicious: Sequence[Signs], read: Sequence[Signs], last: Snapshot, reader: Reader) -> list[_Cause]:
    """Return those that wait for one another, by their locks and their parents, under their roots."""
    assert last.goroutines is not None
    of_group = {id(group): signs for signs in read for group in signs.population.now}
    at = [of_group.get(id(group)) for group in last.goroutines.groups]  # None: one of very many places
    stuck = {id(signs) for signs in suspicious}
    causes: list[_Cause] = []
    taken: set[int] = set()
    for knot in knots(last.goroutines, {n for n, signs in enumerate(at) if id(signs) in stuck}):
        known = [signs for node in knot.roots if (signs := at[node.group]) is not None]
        roots = [signs for signs in _distinct(known) if id(signs) not in taken]
        if not roots:
            continue
        cause = _Cause(roots[0], roots[1:], mechanisms=knot.mechanisms)
        for node, because in knot.victims:
            signs = at[node.group]
            if signs is not None and id(signs) not in taken and all(signs is not other for other in cause.members):
                cause.victims.append((signs, because))
        for sign in knot.evidence:
            # What only the shape of the stacks suggests is no proof.
            kind = sign.kind if knot.certain else "shape"
            if (shown := at[sign.group]) is not None:
                cause.evidence.append(reader.evidence(kind, sign.says, shown.population))
        taken |= {id(signs) for signs in cause.members}
        causes.append(cause)
    return causes


def _distinct(signs: Iterable[Signs]) -> list[Signs]:
    return list({id(one): one for one in signs}.values())


def _merge(causes: list[_Cause], likeness: Callable[[Signs], Hashable]) -> list[_Cause]:
    """Return the causes, those of one likeness joined; None is like nothing."""
    merged: dict[Hashable, _Cause] = {}
    for cause in sorted(causes, key=lambda cause: _order(cause.root)):
        key = likeness(cause.root)
        if key is None or key not in merged:
            merged[id(cause) if key is None else key] = cause
        else:
            merged[key].others += [cause.root, *cause.others]
    return list(merged.values())


def _worst(signs: Signs) -> tuple[int, int]:
    return -_WAITS.index(signs.wait), -signs.population.last


def _order(signs: Signs) -> tuple[int, int, int]:
    """The root first. Of several stages the one that was started last is nearest to whoever has left."""
    state = "never" if signs.wait == "never" else signs.population.state
    rank = _ROOTS.index(state) if state in _ROOTS else len(_ROOTS)
    ids = _ids(signs)
    return rank, -signs.population.last, -int(ids[0]) if len(ids) else 0


def _name(signs: Signs) -> str:
    place = signs.population.place
    return normal_function(place.function) if place else ""


def _maker(signs: Signs) -> str:
    made = signs.population.creator
    return normal_function(made.function) if made else ""


def _same_place(signs: Signs) -> Hashable:
    """Two lines or states of one function that were started alike."""
    return _name(signs), _maker(signs)


def _same_birth(signs: Signs) -> Hashable:
    """Started by one function, and as many of one as of the other in every moment: halves of one thing."""
    if not _maker(signs) or _maker(signs) == "net/http.(*Server).Serve" or signs.population.last < 2:
        return None
    return _maker(signs), signs.population.counts.tobytes()


def _same_growth(signs: Signs) -> Hashable:
    """Of one package, and as many of one as of the other while both grow: parts of one thing."""
    counts, place = signs.population.counts, signs.population.place
    if len(counts) < 3 or len(np.unique(counts)) < 3 or place is None:
        return None
    return place.package, counts.tobytes()


def _born_together(causes: list[_Cause]) -> list[_Cause]:
    """Join those that were started side by side each time, as many of one as of the other: stages of one thing.

    The one that was started last is the root: it is nearest to whoever has left.
    """
    kept: list[_Cause] = []
    last: _Cause | None = None
    for cause in sorted(causes, key=lambda cause: [len(ids := _ids(cause.root)), *ids[:1].tolist()]):
        if last is not None and _side_by_side(_ids(last.root), _ids(cause.root)):
            first, second = sorted((last, cause), key=lambda one: _order(one.root))
            last.others = [second.root, *first.others, *second.others]
            last.root, last.victims = first.root, [*first.victims, *second.victims]
        else:
            kept.append(cause)
            last = cause
    return kept


def _side_by_side(ids: Int64s, others: Int64s) -> bool:
    if len(ids) != len(others) or len(ids) < 2:
        return False
    apart = others - ids
    return bool((np.abs(apart) <= _SIDE_BY_SIDE).all() and (np.sign(apart) == np.sign(apart[0])).all())


def _ids(signs: Signs) -> Int64s:
    groups = signs.population.now
    return np.sort(np.concatenate([group.ids for group in groups])) if groups else np.zeros(0, np.int64)


def _parents(causes: list[_Cause]) -> list[_Cause]:
    """Put those whose parents are suspects too under them, unless they wait for something themselves."""
    family = _Family([cause.root for cause in causes])
    kept: list[_Cause] = []
    for cause in causes:
        at = family.parent_of(cause.root)
        home = causes[at] if at is not None else None
        if home is None or cause.mechanisms or home.root.wait == "hard" or cause.root.wait in ("hard", "never"):
            kept.append(cause)
        else:
            home.victims += [(signs, "behind") for signs in (cause.root, *cause.others)] + cause.victims
    return kept


class _Family:
    """Who started whom: by the ids of parents; where a dump has none, by the creator's name in the parent's stack."""

    def __init__(self, members: Sequence[Signs]) -> None:
        self._members = members
        ids = [group.ids for signs in members for group in signs.population.now]
        owners = [np.full(len(group.ids), at) for at, signs in enumerate(members) for group in signs.population.now]
        self._ids: Int64s = np.concatenate(ids) if ids else np.zeros(0, np.int64)
        order = np.argsort(self._ids, kind="stable")
        self._ids, self._owners = self._ids[order], (np.concatenate(owners) if owners else self._ids)[order]
        self._frames: dict[str, list[int]] = {}
        for at, signs in enumerate(members):
            for name in _frames(signs):
                self._frames.setdefault(name, []).append(at)

    def parent_of(self, signs: Signs) -> int | None:
        """Return which member started most of these goroutines."""
        parents = _parent_ids(signs)
        named = self._frames.get(_maker(signs), []) if _maker(signs) else []
        if not len(parents):
            return next((at for at in named if self._members[at] is not signs), None)
        rows = np.searchsorted(self._ids, parents)
        rows = rows[rows < len(self._ids)]
        found = self._owners[rows[np.isin(self._ids[rows], parents)]] if len(rows) else rows
        if not len(found):
            return None
        at = int(np.bincount(found).argmax())
        home = self._members[at]
        enough = int((found == at).sum()) >= 0.5 * len(parents)
        return at if enough and home is not signs and (at in named or not _serves(home)) else None


def _behind(causes: list[_Cause]) -> list[_Cause]:
    """Put those that rest in the methods of a type under the one goroutine of that type that is stuck in a call.

    One loop often serves all users of a connection or a queue: while it cannot go on, each of them waits in a select.
    """
    stuck: dict[tuple[str, str], _Cause] = {}
    for cause in causes:
        if cause.root.wait == "hard" and cause.root.population.last <= 2:
            for frame in cause.root.population.example.stack.frames:
                if frame.receiver:
                    stuck.setdefault((frame.package, frame.receiver), cause)
    kept: list[_Cause] = []
    for cause in causes:
        place = cause.root.population.place
        home = stuck.get((place.package, place.receiver)) if place is not None else None
        if home is None or cause.mechanisms or cause.root.wait not in ("soft", "resting"):
            kept.append(cause)
        elif _maker(cause.root) in _frames(home.root):
            _pile_up(home, cause)
        else:
            home.victims += [(signs, "behind") for signs in (cause.root, *cause.others)] + cause.victims
    return kept


def _pile_up(stuck: _Cause, pile: _Cause) -> None:
    """Join one goroutine that is stuck and those it started, which wait for it: they are what a user sees grow."""
    held = shape.mechanisms(stuck.root.population, stuck.root.benign, alive=False, moves=False)
    stuck.mechanisms = (*stuck.mechanisms, *held)
    stuck.others = [stuck.root, *stuck.others, *pile.others]
    stuck.root = pile.root
    stuck.victims += pile.victims


def _works_for(one: Signs, other: Signs) -> bool:
    """Tell whether those of the other started the goroutines of one, where the dump names parents."""
    parents = _parent_ids(one)
    if not len(parents):
        return True
    ids = np.concatenate([group.ids for group in other.population.now])
    return int(np.isin(parents, ids).sum()) >= 0.5 * len(parents)


def _parent_ids(signs: Signs) -> Int64s:
    """Return the ids of the goroutines that started these; empty where the dump does not say."""
    parents = [group.parents for group in signs.population.now]
    known: Int64s = np.unique(np.concatenate(parents)) if parents else np.zeros(0, np.int64)
    return known[known > 0]


def _frames(signs: Signs) -> set[str]:
    return {normal_function(frame.function) for frame in signs.population.example.stack.frames}


def _serves(signs: Signs) -> bool:
    """Tell whether these handle one request after the other: what they started may be long forgotten."""
    return "net/http.(*conn).serve" in _frames(signs)


def _suspect(cause: _Cause, process: Process, total: int, cleared: str | None = None) -> Suspect:
    root = cause.root
    population = root.population
    alive = "alive" in root.found
    named = shape.mechanisms(
        population, root.benign, alive=alive, moves="queue-grows" in root.found and "gains" not in root.found
    )
    mechanisms = (cleared, *named) if cleared else tuple(dict.fromkeys((*cause.mechanisms, *named)))
    sites = [*shape.sites(population, process.id)]
    for other in cause.others:
        sites += [site for site in shape.sites(other.population, process.id) if site not in sites]
    held = sum(signs.population.last for signs in cause.members)
    return Suspect(
        sites=tuple(sites),
        mechanisms=tuple(m for m in mechanisms if m),
        evidence=_evidence(cause, cleared),
        weight=max(signs.population.last for signs in cause.members) / total,
        victims=tuple(
            Victim(signs.population.place, signs.population.state, signs.population.last, because, process.id)
            for signs, because in cause.victims
            if signs.population.place is not None
        ),
        growth=(_growth(root, process.snapshots),),
        share={"goroutines": round(held / total, 4)},
        wait=max((signs.wait for signs in _queue(cause)), key=_WAITS.index),
    )


def _queue(cause: _Cause) -> list[Signs]:
    """Return the root and those that wait for its locks; who waits for a child says nothing about the child."""
    return [cause.root, *cause.others, *(signs for signs, because in cause.victims if because == "same lock")]


def _evidence(cause: _Cause, cleared: str | None) -> tuple[Evidence, ...]:
    """Return what speaks for and against the root, and what those who wait because of it add to that."""
    found = dict(cause.root.found)
    if cleared:  # the reason first
        return tuple(sorted(found.values(), key=lambda one: HARMLESS.get(one.kind) != cleared))
    for signs in (*cause.others, *(signs for signs, _ in cause.victims)):
        found |= {kind: one for kind, one in signs.found.items() if kind in FOR and kind not in found}
    # When most of those that wait for a lock get it, then whoever holds it moves.
    queue = _queue(cause)
    awake = [signs for signs in queue if "alive" in signs.found]
    if awake and 2 * sum(s.population.last for s in awake) > sum(s.population.last for s in queue):
        found.setdefault("alive", awake[0].found["alive"])
    return (*found.values(), *cause.evidence)


def _growth(root: Signs, snapshots: Sequence[Snapshot]) -> Growth:
    population = root.population
    if len(population.counts) != len(snapshots):  # what only Go's proof shows
        return Growth("goroutines", (population.last,))
    counts = tuple(int(count) if count >= 0 else None for count in population.counts)
    seen = [(s.at, c) for s, c in zip(snapshots, counts, strict=True) if s.at is not None and c is not None]
    per_hour = root.per_hour if len(snapshots) == 1 else None
    if len(seen) > 1:
        (start, first), (end, last) = seen[0], seen[-1]
        hours = (end - start).total_seconds() / 3600
        per_hour = round((last - first) / hours, 1) if hours > 0 else None
    return Growth("goroutines", counts, per_hour)


__all__ = ["goroutine_suspects"]
