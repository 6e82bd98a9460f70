"""Goroutines of one process -> suspects: each goroutine in at most one, the root before those that wait because of it.

Comes in: a process, its populations and the work done in each step. Goes out: suspects, harmless ones too, with what
speaks for and against each.
"""

from collections.abc import Callable, Sequence

from oakum.detect import shape
from oakum.detect.clients import Live
from oakum.detect.clusters import (
    Cluster,
    distinct,
    frames_of,
    join_populations,
    maker,
    merge,
    same_birth,
    same_place,
    works_for,
)
from oakum.detect.experiment import Work
from oakum.detect.rate import per_hour
from oakum.detect.signs import ACCUSES, Reader, Signs
from oakum.detect.states import wait_of
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
    Trace,
    Victim,
    alone,
)
from oakum.model.vocabulary import ABNORMAL, AT_REST, CLEARS, WAIT_ORDER, EvidenceKind, Kinds, Mechanism, WaitKind

# What goroutines with some evidence, in a wait, are when they are no leak; the last: they wait where only leaks do.
Clears = Callable[[Kinds, WaitKind, bool], Mechanism | None]
# Nobody reads more suspects, and a hostile dump may have any number.
_MOST = 1000
# What an idle pool shows, too.
_AT_REST: frozenset[EvidenceKind] = frozenset({"pile-up", "majority", "reported-wait"})
_TRACES_MOST = 6  # stacks of one suspect that are followed into the source


def goroutine_suspects(
    process: Process,
    populations: Sequence[Population],
    activity: Activity,
    in_baseline: Callable[[Population], int | None],
    clears: Clears,
    work: Work | None = None,
) -> tuple[Suspect, ...]:
    """Return the suspects among the goroutines of a process, then what grew and is cleared.

    `in_baseline` counts a population in the healthy baseline; `clears` is the judge's rule; `work` tells what an
    experiment leaves.
    """
    snapshots = [snapshot for snapshot in process.snapshots if snapshot.goroutines is not None]
    if not snapshots:
        return _only_proven(process)
    reader = Reader(process.snapshots, activity, Live(populations, len(process.snapshots)))
    read = [reader.read(one, benign().match(one.example)) for one in populations]
    for signs in read:
        _compare_with_baseline(signs, in_baseline(signs.population), reader)
        slope = work.of_population(signs.population) if work is not None else None
        if slope is not None and not slope.stays and not slope.drift and signs.wait in AT_REST:
            _measured_otherwise(signs, reader)
        if work is not None and (told := work.evidence(slope)):
            signs.found[told[0]] = reader.evidence(*told, signs.population)
            if slope is not None and slope.stays:
                inside = signs.kinds.has("mid-operation")
                doubts = work.doubts(slope, signs.wait, signs.population.state, inside=inside)
                signs.found |= {kind: reader.evidence(kind, why, signs.population) for kind, why in doubts}
        if work is not None and (down := work.fell(signs.population)):
            text = Text("experiment.progress", {"first": down[0], "last": down[1]})
            signs.found["progress"] = reader.evidence("progress", text, signs.population)
    if snapshots[-1].claimed:  # goleak lists only what should not be there: its claim, not ours
        for signs in read:
            text = Text("goroutines.goleak", {"count": signs.population.last})
            signs.found["goleak"] = reader.evidence("goleak", text, signs.population)
    read += _proven(read, process)
    _supervisors(read, reader, clears)
    suspicious = sorted((one for one in read if _suspicious(one, clears)), key=_worst)[:_MOST]
    if len(snapshots) > 1 and any(_stuck(one) for one in suspicious):  # what only rests is not the cause
        suspicious = [one for one in suspicious if _stuck(one) or one.wait == "hard"]
    clusters = join_populations(suspicious, read, snapshots[-1], reader)
    accused = {id(signs) for cluster in clusters for signs in cluster.members}
    grew = [one for one in read if id(one) not in accused and one.population.place and one.population.rise > 0]
    cleared = [(one, harmless) for one in grew if (harmless := clears(one.kinds, one.wait, one.misplaced))]
    total = max(1, snapshots[-1].goroutines.total if snapshots[-1].goroutines else 1)
    return (
        *(_suspect(cluster, process, total) for cluster in clusters),
        *(_suspect(Cluster(signs), process, total, harmless) for signs, harmless in cleared),
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


def _supervisors(read: Sequence[Signs], reader: Reader, clears: Clears) -> None:
    """Mark those who wait for goroutines of their own that live: main and its servers, a runner and its workers."""
    made_by: dict[str, list[Signs]] = {}
    for signs in read:
        if (made := signs.population.creator) is not None and signs.population.last:
            made_by.setdefault(maker(signs), []).append(signs)
            made_by.setdefault(f"{made.package}.{made.receiver}", []).append(signs)
    for signs in read:
        population = signs.population
        if population.state != "sync.WaitGroup.Wait" or not population.last:
            continue
        near = [other for name in frames_of(signs) for other in made_by.get(name, ())]
        if population.place is not None:  # errgroup.(*Group).Go and errgroup.(*Group).Wait; sync.(*WaitGroup).Go
            near += made_by.get(f"{population.place.package}.{population.place.receiver or '-'}", ())
            near += made_by.get("sync.*WaitGroup", ())
        children = [other for other in distinct(near) if other is not signs and works_for(other, signs)]
        # Whoever waits for one that is stuck is its victim; one that works or rests lives.
        if children and not any(_suspicious(one, clears) and _holds_up(one, signs) for one in children):
            text = Text("goroutines.supervisor", {"count": sum(child.population.last for child in children)})
            signs.found["supervisor"] = reader.evidence("supervisor", text, population)


def _holds_up(child: Signs, parent: Signs) -> bool:
    """Tell whether a child may never end: it waits abnormally, or ever more rest and ever more wait for them.

    Who sleeps wakes up by itself.
    """
    ever_more = child.kinds.has("steady-growth") and parent.kinds.has("steady-growth")
    return child.wait in ABNORMAL or (ever_more and child.population.state != "sleep")


def _stuck(signs: Signs) -> bool:
    """Tell whether a suspicious one is more than a pool at rest."""
    at_rest = _AT_REST if signs.wait in AT_REST else frozenset()
    return bool((signs.kinds & ACCUSES) - at_rest)


def _suspicious(signs: Signs, clears: Clears) -> bool:
    accused = bool(signs.population.last and signs.kinds & ACCUSES)
    return accused and not clears(signs.kinds, signs.wait, signs.misplaced) and not _background(signs)


def _measured_otherwise(signs: Signs, reader: Reader) -> None:
    """Take back that idle ones go on growing where an experiment counted the work, and does not find that they do."""
    grew = [signs.found.pop(kind, None) for kind in ("steady-growth", "outlives-load")]
    if any(grew) and not signs.kinds.has("single-step"):
        counts = tuple(count for count in signs.population.counts.tolist() if count >= 0)
        reader.add_evidence(signs, "single-step", counts=counts, moments=len(counts))


def _only_proven(process: Process) -> tuple[Suspect, ...]:
    """Return what Go's own profile proves where no dump lies beside it."""
    proven = _proven([], process)
    total = max(1, sum(signs.population.last for signs in proven))
    clusters = merge(merge([Cluster(signs) for signs in proven], same_place), same_birth)
    return tuple(_suspect(cluster, process, total) for cluster in clusters)


def _compare_with_baseline(signs: Signs, elsewhere: int | None, reader: Reader) -> None:
    last = signs.population.last
    if elsewhere is not None and last >= 2 * elsewhere + 2:
        text = Text("goroutines.baseline", {"count": last, "twin": elsewhere})
        signs.found["baseline"] = reader.evidence("baseline", text, signs.population)


def _background(signs: Signs) -> bool:
    """Tell whether a population is every program's background: single goroutines at rest, a busy moment, main."""
    population = signs.population
    frames = population.example.stack.frames
    if population.place is None or not frames:
        return True  # goroutineleak lists main in `select {}` so
    if len(frames) == 1 and frames[0].function.startswith("0x"):
        return True  # debug=1 has one so that has been started and has not run yet
    if signs.kinds.any("leak-profile", "goleak", "reproduced"):
        return False
    if signs.kinds.has("startup-pool") and len(population.counts) > 1:
        return True  # they were there from the beginning, and nobody came
    if signs.wait == "working":  # many at work are a busy process, unless they are most of it and ever more
        return not signs.kinds.has("steady-growth", "majority")
    if signs.wait in ABNORMAL:
        entry = population.entry  # main waits for the end by design
        return signs.wait != "hard" and entry is not None and entry.function == "main.main"
    if len(population.counts) > 1:  # who rested all the time still rests
        return not signs.kinds.any(
            "steady-growth", "single-step", "outlives-load", "baseline", "pile-up", "clients-left"
        )
    return population.last < 2


def _worst(signs: Signs) -> tuple[int, int]:
    return -WAIT_ORDER.index(signs.wait), -signs.population.last


def _suspect(cluster: Cluster, process: Process, total: int, cleared: Mechanism | None = None) -> Suspect:
    root = cluster.root
    population = root.population
    alive = root.kinds.has("progress")
    named = shape.mechanisms(
        population,
        root.benign,
        alive=alive,
        moves=root.kinds.has("queue-growth") and not root.kinds.has("steady-growth"),
    )
    if root.kinds.has("unanswered"):  # whatever they wait in, it is for an answer
        named = ("missing-deadline", *named)
    mechanisms = (cleared, *named) if cleared else tuple(dict.fromkeys((*cluster.mechanisms, *named)))
    sites = [*shape.sites(population, process.id)]
    for other in cluster.others:
        sites += [site for site in shape.sites(other.population, process.id) if site not in sites]
    held = sum(signs.population.last for signs in cluster.members)
    return Suspect(
        sites=tuple(sites),
        mechanisms=mechanisms,
        evidence=_evidence(cluster, cleared),
        weight=max(signs.population.last for signs in cluster.members) / total,
        victims=tuple(
            Victim(signs.population.place, signs.population.state, signs.population.last, because, process.id)
            for signs, because in cluster.victims
            if signs.population.place is not None
        ),
        growth=(_growth(root, process.snapshots),),
        share={"goroutines": round(held / total, 4)},
        wait=max((signs.wait for signs in (*_queue(cluster), *_stranded(cluster))), key=WAIT_ORDER.index),
        traces=_traces(cluster, process.id),
    )


def _traces(cluster: Cluster, process: str) -> tuple[Trace, ...]:
    """Return the stacks that the source is read along, that of the root first."""
    groups = [signs.population.example for signs in _queue(cluster)]
    if cluster.first_group is not None:
        groups[0] = cluster.first_group
    return tuple(Trace(one.stack.frames, one.state, one.created_by, process) for one in groups[:_TRACES_MOST])


def _queue(cluster: Cluster) -> list[Signs]:
    """Return the root and those that wait for its locks; who waits for a child says nothing about the child."""
    return [cluster.root, *cluster.others, *(signs for signs, because in cluster.victims if because == "same lock")]


def _stranded(cluster: Cluster) -> list[Signs]:
    """Return those who wait for the root abnormally, ever more of them, and nobody gets on: no pool rests like that."""
    victims = (signs for signs, _ in cluster.victims)
    return [one for one in victims if one.kinds.has("steady-growth") and not one.kinds.any("departures", "progress")]


def _evidence(cluster: Cluster, cleared: Mechanism | None) -> tuple[Evidence, ...]:
    """Return what speaks for and against the root, and what those who wait because of it add to that."""
    found = dict(cluster.root.found)
    if cleared:  # the reason first
        return tuple(sorted(found.values(), key=lambda one: CLEARS.get(one.kind) != cleared))
    for signs in (*cluster.others, *(signs for signs, _ in cluster.victims)):
        found |= {kind: one for kind, one in signs.found.items() if kind in ACCUSES and kind not in found}
    # As many wait because of it after all the work; while the root gets on, so will they.
    if cluster.root.kinds.has("progress") and not cluster.root.kinds.has("reproduced"):
        found.pop("reproduced", None)
    # When most of those that wait for a lock get it, then whoever holds it moves.
    queue = _queue(cluster)
    awake = [signs for signs in queue if signs.kinds.has("progress")]
    if awake and 2 * sum(s.population.last for s in awake) > sum(s.population.last for s in queue):
        found.setdefault("progress", awake[0].found["progress"])
    return (*found.values(), *cluster.evidence)


def _growth(root: Signs, snapshots: Sequence[Snapshot]) -> Growth:
    population = root.population
    if len(population.counts) != len(snapshots):  # what only Go's proof shows
        return Growth("goroutines", (population.last,))
    counts = tuple(int(count) if count >= 0 else None for count in population.counts)
    seen = [(s.at, c) for s, c in zip(snapshots, counts, strict=True) if s.at is not None and c is not None]
    if len(snapshots) == 1:
        return Growth("goroutines", counts, root.per_hour)
    return Growth("goroutines", counts, per_hour([at.timestamp() for at, _ in seen], [count for _, count in seen]))
