"""Suspicious populations -> clusters: those of one cause under one root, by their links, births and growth.

Comes in: what was read of each population. Goes out: clusters, each population in at most one: one cause, one finding.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

import numpy as np
from msgspec import Struct, field

from oakum.detect import shape
from oakum.detect.signs import FEW, Reader, Signs
from oakum.detect.waits_for import wait_components
from oakum.model import Evidence, GoroutineGroup, Mechanism, Snapshot, normal_function
from oakum.model.diagnosis import Because
from oakum.model.frame import Owner
from oakum.model.profile import Int64s, among, unique_values
from oakum.model.vocabulary import ABNORMAL

# Which of several that hang together is the root, when their links do not say it.
_ROOTS = ("never", "chan send", "sync.Cond.Wait", "sync.RWMutex.Lock", "sync.Mutex.Lock", "sync.RWMutex.RLock",
          "semacquire", "IO wait", "select", "chan receive", "sleep", None, "sync.WaitGroup.Wait")  # fmt: skip
# So many ids apart are goroutines that one call started one after the other.
_SIDE_BY_SIDE = 4
_WRITERS: tuple[Owner, ...] = ("own", "dependency", "stdlib", "runtime")
# As many as one another in so many snapshots, all different, is no coincidence.
_IN_STEP = 4
# So many kinds that one package started are compared with the next: all with all would take for ever.
_SIBLINGS_MOST = 64
# Who waits for a free connection of the pool, and who watches over what has one.
_QUEUES = "database/sql.(*DB).conn"
_KEEPS = frozenset({"database/sql.(*Tx).awaitDone", "database/sql.(*Rows).awaitDone"})


class Cluster(Struct):
    """Populations of one cause."""

    root: Signs
    others: list[Signs] = field(default_factory=list)  # of the same cause, at other places
    victims: list[tuple[Signs, Because]] = field(default_factory=list)
    mechanisms: tuple[Mechanism, ...] = ()  # what the links between goroutines tell
    evidence: list[Evidence] = field(default_factory=list)
    first_group: GoroutineGroup | None = None  # of the stacks at the root's place the one that its links begin at

    @property
    def members(self) -> list[Signs]:
        return [self.root, *self.others, *(signs for signs, _ in self.victims)]


def join_populations(
    suspicious: Sequence[Signs], read: Sequence[Signs], last: Snapshot, reader: Reader
) -> list[Cluster]:
    """Return the clusters: populations of one cause joined."""
    clusters = _by_wait_components(suspicious, read, last, reader)
    tied = {id(signs) for cluster in clusters for signs in cluster.members}
    loose = merge([Cluster(signs) for signs in suspicious if id(signs) not in tied], same_place)
    loose = merge(loose, same_birth)
    loose = _born_together(loose)
    loose = _in_step(merge(loose, _same_growth))
    loose = _siblings(loose)
    loose = _keepers(loose)
    return _behind(_parents([*clusters, *loose]))


def _by_wait_components(
    suspicious: Sequence[Signs], read: Sequence[Signs], last: Snapshot, reader: Reader
) -> list[Cluster]:
    """Return those that wait for one another, by their locks and their parents, under their roots."""
    assert last.goroutines is not None
    of_group = {id(group): signs for signs in read for group in signs.population.now}
    at = [of_group.get(id(group)) for group in last.goroutines.groups]  # None: one of very many places
    stuck = {id(signs) for signs in suspicious}
    clusters: list[Cluster] = []
    taken: set[int] = set()
    for component in wait_components(last.goroutines, {n for n, signs in enumerate(at) if id(signs) in stuck}):
        known = [signs for node in component.roots if (signs := at[node.group]) is not None]
        roots = [signs for signs in distinct(known) if id(signs) not in taken]
        if not roots:
            continue
        begins = next(node.group for node in component.roots if at[node.group] is roots[0])
        first = last.goroutines.groups[begins]
        cluster = Cluster(roots[0], roots[1:], mechanisms=component.mechanisms, first_group=first)
        for node, because in component.victims:
            signs = at[node.group]
            if signs is not None and id(signs) not in taken and all(signs is not other for other in cluster.members):
                cluster.victims.append((signs, because))
        for sign in component.evidence:
            # What only the shape of the stacks suggests is no proof.
            kind = sign.kind if component.certain else "inferred-link"
            if (shown := at[sign.group]) is not None:
                group = last.goroutines.groups[sign.group]
                cluster.evidence.append(reader.evidence(kind, sign.text, shown.population, group))
        taken |= {id(signs) for signs in cluster.members}
        clusters.append(cluster)
    return clusters


def distinct(signs: Iterable[Signs]) -> list[Signs]:
    return list({id(one): one for one in signs}.values())


def merge(clusters: list[Cluster], likeness: Callable[[Signs], Hashable]) -> list[Cluster]:
    """Return the clusters, those of one likeness joined; None is like nothing."""
    merged: dict[Hashable, Cluster] = {}
    for cluster in sorted(clusters, key=lambda cluster: _order(cluster.root)):
        key = likeness(cluster.root)
        if key is None or key not in merged:
            merged[id(cluster) if key is None else key] = cluster
        else:
            merged[key].others += [cluster.root, *cluster.others]
    return list(merged.values())


def _order(signs: Signs) -> tuple[int, int, int]:
    """The root first. Of several stages the one that was started last is nearest to whoever has left."""
    state = "never" if signs.wait == "never" else signs.population.state
    rank = _ROOTS.index(state) if state in _ROOTS else len(_ROOTS)
    ids = signs.population.ids
    return rank, -signs.population.last, -int(ids[0]) if len(ids) else 0


def _name(signs: Signs) -> str:
    place = signs.population.place
    return normal_function(place.function) if place else ""


def maker(signs: Signs) -> str:
    made = signs.population.creator
    return normal_function(made.function) if made else ""


def same_place(signs: Signs) -> Hashable:
    """Two lines or states of one function that were started alike."""
    return _name(signs), maker(signs)


def same_birth(signs: Signs) -> Hashable:
    """Started by one function, and as many of one as of the other in every snapshot: halves of one thing."""
    if not maker(signs) or maker(signs) == "net/http.(*Server).Serve" or signs.population.last < 2:
        return None
    return maker(signs), signs.population.counts.tobytes()


def _same_growth(signs: Signs) -> Hashable:
    """Of one package or module, and as many of one as of the other while both grow: parts of one thing."""
    counts, place = signs.population.counts, signs.population.place
    if len(counts) < 3 or len(unique_values(counts)) < 3 or place is None:
        return None
    return place.module or place.package, counts.tobytes()


def _in_step(clusters: list[Cluster]) -> list[Cluster]:
    """Join those that are as many as one another in each of several snapshots, all different: one event starts both.

    The root is the one in a wait that is abnormal to last, else the one nearest to the program's own code.
    """
    kept: dict[Hashable, Cluster] = {}

    def nearest(cluster: Cluster) -> tuple[bool, int, tuple[int, int, int]]:
        place = cluster.root.population.place
        whose = _WRITERS.index(place.owner) if place is not None else len(_WRITERS)
        return cluster.root.wait not in ABNORMAL, whose, _order(cluster.root)

    for cluster in sorted(clusters, key=nearest):
        counts = cluster.root.population.counts
        key: Hashable = counts.tobytes() if len(unique_values(counts)) >= _IN_STEP else id(cluster)
        if key in kept:
            kept[key].others += [cluster.root, *cluster.others]
            kept[key].victims += cluster.victims
        else:
            kept[key] = cluster
    return list(kept.values())


def _born_together(clusters: list[Cluster]) -> list[Cluster]:
    """Join those that were started side by side each time, as many of one as of the other: stages of one thing.

    The one that was started last is the root: it is nearest to whoever has left.
    """
    kept: list[Cluster] = []
    last: Cluster | None = None
    for cluster in sorted(clusters, key=lambda cluster: [len(ids := cluster.root.population.ids), *ids[:1].tolist()]):
        if last is not None and _side_by_side(last.root.population.ids, cluster.root.population.ids):
            first, second = sorted((last, cluster), key=lambda one: _order(one.root))
            last.others = [second.root, *first.others, *second.others]
            last.root, last.victims = first.root, [*first.victims, *second.victims]
        else:
            kept.append(cluster)
            last = cluster
    return kept


def _side_by_side(ids: Int64s, others: Int64s) -> bool:
    if len(ids) != len(others) or len(ids) < 2:
        return False
    apart = others - ids
    return bool((np.abs(apart) <= _SIDE_BY_SIDE).all() and (np.sign(apart) == np.sign(apart[0])).all())


def _siblings(clusters: list[Cluster]) -> list[Cluster]:
    """Join what the same goroutines started side by side, a multiple of one for each of the other: stages of one thing.

    Some of the one kind may stand elsewhere for now. Who only rests must be of one package: a request starts
    much that has nothing in common.
    """
    kept: list[Cluster] = []
    born: dict[str, list[Cluster]] = defaultdict(list)  # by the package that started them
    for cluster in sorted(clusters, key=lambda cluster: -len(cluster.root.population.ids)):
        made = cluster.root.population.creator
        alike = born[made.package] if made is not None and len(cluster.root.population.ids) >= 2 * _SIDE_BY_SIDE else []
        home = next((one for one in alike[-_SIBLINGS_MOST:] if _of_one_birth(one.root, cluster.root)), None)
        if home is None:
            kept.append(cluster)
            alike.append(cluster)
            continue
        first, second = sorted((home, cluster), key=lambda one: _order(one.root))
        home.others = [second.root, *first.others, *second.others]
        home.root, home.victims = first.root, [*first.victims, *second.victims]
        home.mechanisms = first.mechanisms
        home.evidence = [*first.evidence, *second.evidence]
    return kept


def _of_one_birth(many: Signs, few: Signs) -> bool:
    """Tell whether the few were each started beside some of the many, by the same goroutine."""
    if {many.wait, few.wait} & {"working", "never"}:
        return False
    if "hard" in (many.wait, few.wait) and many.population.state != few.population.state:
        return False
    ids, others = many.population.ids, few.population.ids
    parents, theirs = _parent_ids(many), _parent_ids(few)
    if not len(theirs) or int(among(theirs, parents).sum()) < 0.9 * len(theirs):
        return False
    each = round(len(ids) / len(others))
    if not 0.8 * each * len(others) <= len(ids) <= 1.25 * each * len(others):
        return False
    at = np.searchsorted(ids, others)
    below, above = ids[np.maximum(at - 1, 0)], ids[np.minimum(at, len(ids) - 1)]
    near = np.minimum(np.abs(others - below), np.abs(above - others)) <= _SIDE_BY_SIDE
    return bool(near.sum() >= 0.9 * len(others))


def _keepers(clusters: list[Cluster]) -> list[Cluster]:
    """Join who waits for a connection of a database and who keeps one, a transaction or a result that nobody ends.

    Those that wait are the root: their stacks have the code that asks.
    """
    waiting = next((one for one in clusters if _name(one.root) == _QUEUES), None)
    keeping = [one for one in clusters if _name(one.root) in _KEEPS]
    if waiting is None or not keeping:
        return clusters
    for cluster in keeping:
        waiting.others += [cluster.root, *cluster.others]
        waiting.victims += cluster.victims
    return [one for one in clusters if one not in keeping]


def _parents(clusters: list[Cluster]) -> list[Cluster]:
    """Put those whose parents are suspects too under them, unless they wait for something themselves."""
    family = _Family([cluster.root for cluster in clusters])
    kept: list[Cluster] = []
    for cluster in clusters:
        at = family.parent_of(cluster.root)
        home = clusters[at] if at is not None else None
        if home is None or cluster.mechanisms or home.root.wait == "hard" or cluster.root.wait in ABNORMAL:
            kept.append(cluster)
        else:
            home.victims += [(signs, "behind") for signs in (cluster.root, *cluster.others)] + cluster.victims
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
            for name in frames_of(signs):
                self._frames.setdefault(name, []).append(at)

    def parent_of(self, signs: Signs) -> int | None:
        """Return which member started most of these goroutines."""
        parents = _parent_ids(signs)
        named = self._frames.get(maker(signs), []) if maker(signs) else []
        if not len(parents):
            return next((at for at in named if self._members[at] is not signs), None)
        rows = np.searchsorted(self._ids, parents)
        rows = rows[rows < len(self._ids)]
        found = self._owners[rows[among(self._ids[rows], parents)]] if len(rows) else rows
        if not len(found):
            return None
        at = int(np.bincount(found).argmax())
        home = self._members[at]
        enough = int((found == at).sum()) >= 0.5 * len(parents)
        return at if enough and home is not signs and (at in named or not _serves(home)) else None


def _behind(clusters: list[Cluster]) -> list[Cluster]:
    """Put those that rest in the methods of a type under the one goroutine of that type that is stuck in a call.

    One loop often serves all users of a connection or a queue: while it cannot go on, each of them waits in a select.
    """
    stuck: dict[tuple[str, str], Cluster] = {}
    for cluster in clusters:
        if cluster.root.wait == "hard" and cluster.root.population.last <= 2:
            for frame in cluster.root.population.example.stack.frames:
                if frame.receiver:
                    stuck.setdefault((frame.package, frame.receiver), cluster)
    kept: list[Cluster] = []
    for cluster in clusters:
        place = cluster.root.population.place
        home = stuck.get((place.package, place.receiver)) if place is not None else None
        if home is None or home is cluster or cluster.mechanisms or not _may_queue(cluster.root, home.root):
            kept.append(cluster)
        elif maker(cluster.root) in frames_of(home.root):
            _pile_up(home, cluster)
        else:
            home.victims += [(signs, "behind") for signs in (cluster.root, *cluster.others)] + cluster.victims
    return kept


def _may_queue(signs: Signs, stuck: Signs) -> bool:
    """Tell whether these may wait until the one that is stuck serves them; who waits to send, only for an own loop."""
    if signs.wait in ("soft", "resting"):
        return True
    entry = stuck.population.entry
    loop = entry is not None and entry.receiver == (signs.population.place.receiver if signs.population.place else "")
    return signs.population.state == "chan send" and loop and stuck.population.last < FEW <= signs.population.last


def _pile_up(stuck: Cluster, pile: Cluster) -> None:
    """Join one goroutine that is stuck and those it started, which wait for it: they are what a user sees grow."""
    held = shape.mechanisms(stuck.root.population, stuck.root.benign, alive=False, moves=False)
    stuck.mechanisms = (*stuck.mechanisms, *held)
    stuck.others = [stuck.root, *stuck.others, *pile.others]
    stuck.root = pile.root
    stuck.victims += pile.victims


def works_for(one: Signs, other: Signs) -> bool:
    """Tell whether those of the other started the goroutines of one, where the dump names parents."""
    parents = _parent_ids(one)
    if not len(parents):
        return True
    return int(among(parents, other.population.ids).sum()) >= 0.5 * len(parents)


def _parent_ids(signs: Signs) -> Int64s:
    """Return the ids of the goroutines that started these; empty where the dump does not say."""
    parents = [group.parents for group in signs.population.now]
    known: Int64s = unique_values(np.concatenate(parents)) if parents else np.zeros(0, np.int64)
    return known[known > 0]


def frames_of(signs: Signs) -> frozenset[str]:
    return signs.population.example.stack.normal_names


def _serves(signs: Signs) -> bool:
    """Tell whether these handle one request after the other: what they started may be long forgotten."""
    return "net/http.(*conn).serve" in frames_of(signs)
