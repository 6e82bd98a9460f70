"""One population -> what speaks for a leak and what against it, each sign with its evidence.

Comes in: a population, the work done in each step, what is known of its kind, and the connections of the process. Goes
out: signs. Decides nothing: which signs make a finding is judge.py's matter alone.

Signs for: gains (grows in several steps, who came stays), steady (in every step, by the same work), outlives-load
(still there after the load), ramp (grew once), stuck (waits for a minute or more in a state that nobody means to last),
waits (so far as the dump can say), never-wakes (nothing can end it), nil-stop (the same, of a library once), crowd
(several stand there; one moment only), most (they are most of the process), twin (many more than in the healthy twin),
queue-grows (they come faster than they go), remains (the same ones stand there in every moment).
Signs against: comes-and-goes, levels-off, alive, connections, rests, supervises, startup and crew (started at the
start; one moment only), served (their clients are there), streams (they may be), unused (idle connections that no pool
needs), counts-only (members cannot be told apart).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from oakum.detect.clients import Live, of_stream
from oakum.detect.pace import Pace, end_of, goes_on, pace, quiet
from oakum.detect.shape import finalizing
from oakum.detect.states import Wait, wait_of
from oakum.knowledge.benign import Match
from oakum.model import Activity, Evidence, GoroutineGroup, Population, Snapshot, Text
from oakum.model.diagnosis import Argument

# Go dates a wait back to the collection before the one that saw it, up to two minutes: from three on a minute is sure.
SURE_MINUTES = 3
# Below this many more a count says nothing: a pool of three takes its third worker some time.
FEW = 3
# No crew at rest has so many, and is most of its process.
_MANY = 1000
# Goroutines started in a step, below which its captures and probes may have done it.
NOISE = 64
# Goroutines started by a process that has been at work for a while: then low ids were there from the beginning.
LIVED = 200
# init.1.func1: started before main
_INIT = re.compile(r"^init(?:\.\d+)?(?:\.func\d+)*$")
# Kinds whose number is one per connection: idle ones are meant to pile up while clients stay.
CONNECTION_SYMPTOMS = frozenset({"unclosed-body", "missing-deadline", "peer-stopped-reading", "growing-container"})


@dataclass(slots=True)
class Signs:
    """A population with everything that was noticed about it."""

    population: Population
    wait: Wait
    benign: Match | None
    pace: Pace = "flat"
    per_hour: float | None = None  # how fast they came, by their ages
    found: dict[str, Evidence] = field(default_factory=dict)

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of signs there are."""
        return frozenset(self.found)


class Reader:
    """Reads the signs of every population of one process."""

    def __init__(self, snapshots: Sequence[Snapshot], activity: Activity, live: Live) -> None:
        self._at = [at for at, snapshot in enumerate(snapshots) if snapshot.goroutines is not None]
        self._snapshots = [snapshots[at] for at in self._at]
        self._work = activity.steps if len(self._at) == len(snapshots) else ()
        # A heap profile shows allocations up to two collections late: enough to see that work was done, not when. And
        # a capture starts a few goroutines itself: among as few as that no step is busier than another.
        self._timely = bool(self._work) and activity.measure != "objects allocated" and max(self._work) >= NOISE
        # Nothing happened between the moments: they say no more than one does.
        self._idle = not self._work or (activity.measure != "objects allocated" and max(self._work) < NOISE)
        # Who stays was started too, and is no work that was done.
        totals = [snapshot.goroutines.total if snapshot.goroutines else 0 for snapshot in self._snapshots]
        grown = (max(0, b - a) * (activity.measure == "goroutines started") for a, b in pairwise(totals))
        self._ended = [max(1.0, work - more) for work, more in zip(self._work, grown, strict=False)]
        self._live = live
        last = self._snapshots[-1].goroutines
        groups = last.groups if last else ()
        self._youngest = max((int(group.ids.max()) for group in groups if len(group.ids)), default=0)
        self._total = totals[-1]

    def read(self, population: Population, benign: Match | None) -> Signs:
        """Return what is noticed about a population."""
        signs = Signs(population, wait_of(population.state, population.example.stack), benign)
        counts = [int(population.counts[at]) for at in self._at]
        came = self._came(signs, counts)
        signs.pace = self._pace(population, counts, came)
        self._growth(signs, counts, came)
        self._age(signs)
        self._arrivals(signs)
        self._against(signs, counts, came)
        return signs

    def _pace(self, population: Population, counts: list[int], came: list[int]) -> Pace:
        """Return how the count behaves against the work done: all goroutines started, and those of them that ended.

        Who stays was started too: against all that were started a leak looks like much work, so both have to agree.
        """
        if not self._timely:
            shown = pace(counts, came, ())
            return "ramp" if shown == "levels" else shown
        shown = pace(counts, came, self._work, below=0.5)
        if shown != "levels":
            return shown
        if pace(counts, came, self._ended) != "levels" and pace(counts, came, self._work) != "levels":
            return "rises" if sum(more > 0 for more in came) > 1 else "ramp"
        # Some got on after a while and nobody else ever does: not a crew that is complete.
        if population.followed and not population.released and int(population.left[end_of(self._work, 1) :].sum()):
            return "ramp"
        return shown

    def evidence(self, kind: str, text: Text, population: Population, shown: GoroutineGroup | None = None) -> Evidence:
        """Return a claim about a population with one of its goroutines as they were printed, of the group `shown`."""
        at = max(at for at, groups in zip(self._at, (population.groups[at] for at in self._at), strict=True) if groups)
        snapshot = self._snapshots[self._at.index(at)]
        where, excerpt = example(population.groups[at] if shown is None else (shown,), snapshot)
        return Evidence(kind, text, snapshot.sources["goroutines"].digest, where, excerpt)

    def _say(self, signs: Signs, kind: str, **args: str | int | float | tuple[int, ...]) -> None:
        signs.found[kind] = self.evidence(kind, Text(f"goroutines.{kind}", args), signs.population)

    def _came(self, signs: Signs, counts: list[int]) -> list[int]:
        """Return how many came in each step. A crew that changes places brings nobody: who rests must be new."""
        population = signs.population
        if population.followed and len(population.counts) == len(counts):
            column = population.came if signs.wait in ("hard", "never") else population.fresh
            return [int(more) for more in column]
        return [max(0, after - before) for before, after in pairwise(counts)]

    def _growth(self, signs: Signs, counts: list[int], came: list[int]) -> None:
        population = signs.population
        last = counts[-1]
        if signs.wait == "never" and last and not (signs.benign and signs.benign.resting):
            kind = "nil-stop" if _was_handed_nil(population, counts) else "never-wakes"
            self._say(signs, kind, count=last, state=population.state or "")
        if last >= 3 and 2 * last > self._total and signs.wait in ("hard", "soft", "unknown"):
            self._say(signs, "most", count=last, total=self._total)
        if len(counts) == 1 or (self._idle and self._remains(population)) or self._stands(population, counts):
            if last > 1 or (last and signs.wait == "hard"):
                self._say(signs, "crowd", count=last, total=self._total)
            self._birth(signs)
        if len(counts) == 1:
            return
        if signs.wait == "hard" and len(counts) > 2 and self._remains(population) and not self._awake(population):
            self._say(signs, "remains", count=last, moments=len(counts))
        if signs.wait == "hard" and min(counts) == max(counts):
            self._birth(signs)
        if signs.wait == "hard" and self._queue_grows(counts) and not self._stays(signs, last):
            self._say(signs, "queue-grows", counts=tuple(counts))
        risen = last - counts[0]
        # A crew that changes places is no growth; who waits as nobody means to may have come from anywhere.
        if population.born >= 0 and signs.wait not in ("hard", "never"):
            risen = min(risen, population.born)
        if risen <= 0 or signs.pace in ("flat", "falls"):
            return
        stays = self._stays(signs, last)
        told_by = self._ended if max(self._ended, default=0.0) >= NOISE else self._work  # else too few end to tell
        enough = risen >= FEW if signs.wait in ("hard", "never", "soft") else goes_on(came, told_by)
        if self._timely and signs.wait not in ("hard", "never"):  # the last step under load must have brought some
            enough = (
                enough and came[max(at for at, work in enumerate(self._work) if work >= 0.25 * max(self._work))] > 0
            )
        if not population.followed:
            self._say(signs, "counts-only", moments=len(counts))
            enough = enough and (signs.wait in ("hard", "never") or all(b >= a for a, b in pairwise(counts)))
        # Idle connections, and streams that a client keeps open, outlive every load.
        unused, streams = self._live.unused(population), of_stream(population)
        kept_open = signs.wait in ("soft", "resting", "unknown") and (unused or streams)
        told: dict[str, Argument] = {"counts": tuple(counts), "moments": len(counts)}
        if signs.pace == "rises" and stays and enough:
            text = Text(f"goroutines.{'gains' if population.followed else 'more'}", told)
            signs.found["gains"] = self.evidence("gains", text, population)
            if self._steady(came) and not kept_open:
                self._say(signs, "steady", counts=tuple(counts))
        elif stays and (risen >= FEW or signs.wait == "soft" or self._lasts(population)):
            self._say(signs, "ramp", counts=tuple(counts), moments=len(counts))
        kept = int(population.since[-2]) if population.followed else min(counts[-2:])
        if kept_open:
            self._say(signs, "unused" if unused else "streams", count=last)
        elif stays and kept > counts[0] and self._rests() and (risen >= FEW or signs.wait in ("hard", "never", "soft")):
            self._say(signs, "outlives-load", count=kept, counts=tuple(counts))

    def _lasts(self, population: Population) -> bool:
        """Tell whether some are more than a glimpse: seen twice, or with an age, or there was no moment between."""
        aged = int(population.aged[self._at[-1]]) > 0
        return aged or not population.followed or len(self._at) < 3 or int(population.since[-2]) > 0

    def _steady(self, came: list[int]) -> bool:
        """Tell whether more came in every step although the work was the same: then more work is not why."""
        busy = self._timely and min(self._work) >= max(NOISE, 0.5 * max(self._work))
        return busy and len(came) >= 3 and min(came) > 0

    def _birth(self, signs: Signs) -> None:
        """Note who was started when the process began: a supervisor, a generator, a pool, by the ids of its members."""
        ids = [group.ids for group in signs.population.groups[self._at[-1]]]
        if not all(map(len, ids)) or signs.kinds & {"startup", "crew"}:
            return
        first, last = min(int(i.min()) for i in ids), max(int(i.max()) for i in ids)
        many = signs.population.last
        lived = self._youngest >= LIVED and last <= self._youngest // 8
        made = signs.population.creator.name if signs.population.creator else ""
        if many < FEW and signs.population.state in ("sync.WaitGroup.Wait", "chan send"):
            if (lived or _INIT.match(made)) and not finalizing(signs.population.example):
                self._say(signs, "startup", first=first)
        elif signs.wait == "hard" or many < FEW or _of_many_parents(signs.population):
            return
        elif last - first <= 4 * many + 32 and last <= max(4 * many + 64, 0.1 * self._youngest):
            self._say(signs, "crew", first=first, last=last, count=many)

    def _remains(self, population: Population) -> bool:
        """Tell whether the very same have stood here in every moment, and nobody else."""
        return population.followed and int(population.since[0]) == population.last > 0

    def _stands(self, population: Population, counts: Sequence[int]) -> bool:
        """Tell whether so many are most of the process, always as many, that it cannot be passed over; who they are was
        not captured: dumps of so many are dear."""
        return not population.followed and min(counts) >= max(_MANY, 0.9 * max(counts)) and 2 * counts[-1] > self._total

    def _rests(self) -> bool:
        return self._timely and quiet(self._work)

    def _queue_grows(self, counts: list[int]) -> bool:
        """Tell whether more wait in every moment than in the one before, whoever they are."""
        return len(counts) > 3 and all(after > before for before, after in pairwise(counts)) and counts[-1] >= 4 * FEW

    def _stays(self, signs: Signs, last: int) -> bool:
        """Tell whether members stay: followed by id; where they cannot be followed, the counts have to do."""
        population = signs.population
        if not population.followed:
            return True
        if signs.wait != "resting" and self._rests() and int(population.since[-2]) >= max(2, 0.5 * last):
            return True
        came = int(population.counts[self._at[0]]) + int(population.came[:-1].sum())
        if len(self._at) < 3 and last >= 3 * came:  # most came since: nobody can say yet whether they stay
            return True
        return came == 0 or int(population.left.sum()) < 0.5 * came or self._veterans(population) >= max(2, 0.3 * last)

    def _veterans(self, population: Population) -> int:
        """Return how many have stood here through at least three moments: traffic does not."""
        return int(population.since[-3]) if len(population.since) >= 3 else 0

    def _age(self, signs: Signs) -> None:
        population = signs.population
        if signs.wait not in ("hard", "soft", "never"):
            return
        groups = population.groups[self._at[-1]]
        longest = max((group.longest or 0 for group in groups), default=0)
        again = longest >= 1 and population.followed and int(population.since[-2]) > 0
        # A slow reader lets its writer wait for a minute now and then.
        sure = longest >= SURE_MINUTES or (again and population.state != "IO wait")
        # One that waits for others, as it always did, may be their supervisor: only its birth or its number tells more.
        alone = population.state == "sync.WaitGroup.Wait" and population.last < FEW and population.rise <= 0
        if sure and not alone and not self._awake(population):
            self._say(signs, "stuck", minutes=longest, count=population.last, state=population.state or "")
        elif longest >= 1:
            self._say(signs, "waits", minutes=longest, count=population.last, state=population.state or "")

    def _arrivals(self, signs: Signs) -> None:
        """Tell from the ages of the last moment when they began to wait: as good as a series, for who never leaves."""
        waits = [int(one) for group in signs.population.groups[self._at[-1]] for one in group.waits if one >= 1]
        if len(waits) < 2 * FEW or signs.wait not in ("hard", "soft", "never"):
            return
        oldest, youngest = max(waits), min(waits)
        if oldest - youngest < SURE_MINUTES:
            if oldest >= 2 * SURE_MINUTES:
                self._say(signs, "burst", count=len(waits), oldest=oldest)
            return
        middle = sorted(waits)[len(waits) // 2]
        steady = abs(middle - (oldest + youngest) / 2) <= 0.25 * (oldest - youngest)
        signs.per_hour = round(60 * (len(waits) - 1) / (oldest - youngest), 1)
        kind = "arrivals" if steady else "arrivals-uneven"
        self._say(signs, kind, count=len(waits), oldest=oldest, youngest=youngest, rate=signs.per_hour)

    def _awake(self, population: Population) -> bool:
        """Tell whether a good part of them shows that its wait has restarted, or that one can get on from here."""
        alive = self._alive(population)
        # Where nobody means to wait, few that get on show that one can; at rest somebody always stirs.
        part = 0.1 if wait_of(population.state, population.example.stack) == "hard" else 0.25
        return alive > 0 and alive >= part * population.last

    def _alive(self, population: Population) -> int:
        if population.followed:
            return max(int(population.alive[self._at[-1]]), population.released)
        counts = [int(population.counts[at]) for at in self._at]
        fallen = max((before - after for before, after in pairwise(counts)), default=0)
        return max(int(population.alive[self._at[-1]]), fallen)

    def _symptom(self, signs: Signs, came: list[int]) -> bool:
        """Tell whether a kind that is meant to wait grows as it does when somebody forgets to stop it."""
        symptom = signs.benign.entry.symptom if signs.benign else None
        if symptom is None or symptom in CONNECTION_SYMPTOMS:
            return {"unused", "gains"} <= signs.kinds
        again = not self._timely and sum(more > 0 for more in came) > 1
        return signs.pace == "rises" or (signs.pace == "ramp" and again)

    def _against(self, signs: Signs, counts: list[int], came: list[int]) -> None:
        population = signs.population
        last = counts[-1]
        if signs.pace == "levels":
            self._say(signs, "levels-off", counts=tuple(counts))
        if "queue-grows" in signs.found:
            return
        if signs.pace == "falls" or (len(counts) > 1 and last > 0 and not self._stays(signs, last)):
            self._say(signs, "comes-and-goes", counts=tuple(counts))
        if signs.wait == "hard" and self._live.served(population):
            self._say(signs, "served", count=last)
        if self._awake(population):
            self._say(signs, "alive", count=self._alive(population), total=last)
        if signs.benign is not None and signs.benign.resting is not False and not self._symptom(signs, came):
            entry = signs.benign.entry
            told = {"what": entry.summary, "relation": entry.count.relation}
            chinese = {"what_zh": entry.zh.summary, "relation_zh": entry.zh.relation}
            self._say(signs, "rests", **told, **chinese, entry=entry.id)
        misplaced = signs.benign is not None and signs.benign.resting is False
        if (
            signs.wait in ("soft", "resting", "unknown")
            and not misplaced
            and (companion := self._live.companion(population))
        ):
            self._say(signs, "connections", companion=companion, counts=tuple(counts))


def _of_many_parents(population: Population) -> bool:
    """Tell whether about each was started by another goroutine, as by requests: no crew is put together so."""
    parents = [one for group in population.now for one in group.parents.tolist() if one]
    return 2 * len(set(parents)) > population.last


def _was_handed_nil(population: Population, counts: Sequence[int]) -> bool:
    """Tell whether a library waits to be stopped by a nil channel, as Done() of context.Background() is."""
    frames = population.example.stack.frames
    library = bool(frames) and frames[0].owner == "dependency"
    return population.state == "chan receive (nil chan)" and library and set(counts) == {1}


def example(groups: Sequence[GoroutineGroup], snapshot: Snapshot) -> tuple[str, str]:
    """Return where one of these goroutines stands in the capture, the longest waiting, and how it was printed."""
    goroutines = snapshot.goroutines
    group = max(groups, key=lambda group: (group.longest or 0, group.count))
    if goroutines is not None and len(group.spans) and len(goroutines.text) and len(group.ids):
        row = int(group.waits.argmax()) if len(group.waits) == len(group.ids) else 0
        start, end = (int(edge) for edge in group.spans[row])
        text = bytes(goroutines.text[start : min(end, start + 4096)]).decode("utf-8", "replace")
        return f"goroutine {int(group.ids[row])}", "\n".join(text.strip().splitlines()[:9])
    lines = [f"{group.count} @ {group.state}" if group.state else f"{group.count} @"]
    for frame in group.stack.frames[:4]:
        lines += [frame.function, f"\t{frame.file}:{frame.line}"]
    return f"stack {group.stack.key}", "\n".join(lines)


# What each sign against a leak makes of a population.
HARMLESS = {
    "comes-and-goes": "traffic",
    "connections": "traffic",
    "rests": "idle-pool",
    "levels-off": "warm-up",
    "supervises": "idle-pool",
    "startup": "idle-pool",
}
FOR = frozenset(
    {
        "leak-profile",
        "goleak",
        "gains",
        "outlives-load",
        "ramp",
        "stuck",
        "waits",
        "never-wakes",
        "nil-stop",
        "crowd",
        "most",
        "twin",
        "queue-grows",
    }
)


def harmless(signs: Signs) -> str | None:
    """Return what a population is when it is no leak; None when nothing clears it.

    A wait that nothing can end is never cleared; one that nobody means to last is not cleared by growing no further.
    """
    if signs.kinds & {"never-wakes", "nil-stop", "leak-profile", "goleak"}:
        return None
    for kind, mechanism in HARMLESS.items():
        if kind in signs.found and not (kind == "levels-off" and _never_full(signs)):
            return mechanism
    return None


def _never_full(signs: Signs) -> bool:
    """Tell whether no crew waits like this, however many it is: in a hard wait, or where only a symptom stands."""
    misplaced = signs.benign is not None and signs.benign.resting is False and signs.benign.entry.symptom is not None
    return (signs.wait == "hard" or misplaced) and "alive" not in signs.found


__all__ = ["CONNECTION_SYMPTOMS", "FOR", "HARMLESS", "SURE_MINUTES", "Live", "Reader", "Signs", "example", "harmless"]
