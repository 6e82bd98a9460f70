"""One population -> what speaks for a leak and what against it, each sign with its evidence.

Comes in: a population, the work done in each step, what is known of its kind, and the connections of the process. Goes
out: evidence of kinds that model/vocabulary.py lists. Which kinds make a finding is judge.py's matter alone.
One module: each sign asks the others what they found.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from msgspec import Struct, field

from oakum.detect.at_work import Servers, at_work
from oakum.detect.clients import BODY, Live, of_stream, reads_socket
from oakum.detect.pace import Pace, end_of, goes_on, pace, quiet
from oakum.detect.shape import finalizing
from oakum.detect.states import wait_of
from oakum.detect.survival import (
    came_again,
    came_equally,
    departures,
    evenly_started,
    long_at_rest,
    never_drops,
    never_woken,
    operation,
    orphaned,
    reads_stream,
)
from oakum.knowledge.benign import Match
from oakum.knowledge.rpc import rpc
from oakum.model import (
    Activity,
    Evidence,
    EvidenceKind,
    Frame,
    GoroutineGroup,
    Kinds,
    Mechanism,
    Population,
    Snapshot,
    Text,
    WaitKind,
)
from oakum.model.diagnosis import Argument
from oakum.model.vocabulary import ABNORMAL, AT_REST

# Go dates a wait back to the collection before the one that saw it, up to two minutes: from three on a minute is sure.
SURE_MINUTES = 3
# Below this many more a count says nothing: a pool of three takes its third worker some time.
FEW = 3
# No pool at rest has so many, and is most of its process.
_MANY = 1000
# Goroutines started in a step, below which its captures and probes may have done it.
NOISE = 64
# Goroutines started by a process that has been at work for a while: then low ids were there from the beginning.
LIVED = 200
# init.1.func1: started before main
_INIT = re.compile(r"^init(?:\.\d+)?(?:\.func\d+)*$")
# Kinds whose number is one per connection: idle ones are meant to pile up while clients stay.
CONNECTION_SYMPTOMS: frozenset[Mechanism] = frozenset(
    {"unclosed-body", "missing-deadline", "peer-stopped-reading", "growing-container"}
)


class Signs(Struct):
    """A population with everything that was noticed about it."""

    population: Population
    wait: WaitKind
    benign: Match | None
    begun_by: Frame | None = None  # who began the operation that they are in the middle of
    pace: Pace = "flat"
    per_hour: float | None = None  # how fast they came, by their ages
    found: dict[EvidenceKind, Evidence] = field(default_factory=dict)

    @property
    def kinds(self) -> Kinds:
        """Return the kinds of signs there are."""
        return Kinds(self.found)

    @property
    def misplaced(self) -> bool:
        """Tell whether these are of a kind that waits by design, and wait where only those that leak do."""
        return self.benign is not None and self.benign.resting is False and self.benign.entry.symptom is not None


class Reader:
    """Reads the signs of every population of one process."""

    def __init__(self, snapshots: Sequence[Snapshot], activity: Activity, live: Live) -> None:
        self._at = [at for at, snapshot in enumerate(snapshots) if snapshot.goroutines is not None]
        self._snapshots = [snapshots[at] for at in self._at]
        self._work = activity.steps if len(self._at) == len(snapshots) else ()
        # A heap profile shows allocations up to two collections late: enough to see that work was done, not when. And
        # a capture starts a few goroutines itself: among as few as that no step is busier than another.
        self._timely = bool(self._work) and activity.measure != "objects allocated" and max(self._work) >= NOISE
        # Nothing happened between the snapshots: they say no more than one does.
        self._idle = not self._work or (activity.measure != "objects allocated" and max(self._work) < NOISE)
        # Who stays was started too, and is no work that was done.
        totals = [snapshot.goroutines.total if snapshot.goroutines else 0 for snapshot in self._snapshots]
        grown = (max(0, b - a) * (activity.measure == "goroutines started") for a, b in pairwise(totals))
        self._ended = [max(1.0, work - more) for work, more in zip(self._work, grown, strict=False)]
        self._live = live
        self._told: tuple[Population | None, tuple[str, str]] = (None, ("", ""))  # the last that was shown, and how
        last = self._snapshots[-1].goroutines
        groups = last.groups if last else ()
        self._youngest = max((int(group.ids.max()) for group in groups if len(group.ids)), default=0)
        self._total = totals[-1]
        self._nobody_works = [s.goroutines is not None and not at_work(s.goroutines) for s in self._snapshots]
        self._last = last

    @cached_property
    def _servers(self) -> Servers | None:
        return Servers(self._last) if self._last is not None else None

    @cached_property
    def _living(self) -> frozenset[int]:
        """Return the ids of all there are; none of a dump that is cut: whoever is missing may live."""
        groups = self._last.groups if self._last is not None and not self._last.cut else ()
        return frozenset(one for group in groups for one in group.ids.tolist())

    def read(self, population: Population, benign: Match | None) -> Signs:
        """Return what is noticed about a population."""
        wait = wait_of(population.state, population.example.stack)
        signs = Signs(population, wait, benign, None if self._live.accepted(population) else operation(population))
        counts = [int(population.counts[at]) for at in self._at]
        came = self._came(signs, counts)
        signs.pace = self._pace(population, counts, came)
        self._growth(signs, counts, came)
        self._age(signs)
        self._idle_process(signs, counts)
        self._survival(signs, counts, came)
        self._calls(signs, counts)
        self._orphans(signs, counts)
        self._unused(signs, counts)
        self._arrivals(signs)
        self._against(signs, counts, came)
        return signs

    def _pace(self, population: Population, counts: list[int], came: list[int]) -> Pace:
        """Return how the count behaves against the work done: all goroutines started, and those of them that ended.

        Who stays was started too: against all that were started a leak looks like much work, so both have to agree.
        """
        if not self._timely:
            shown = pace(counts, came, ())
            return "single-step" if shown == "plateau" else shown
        shown = pace(counts, came, self._work, below=0.5)
        if shown != "plateau":
            return shown
        # What its own members do, each time they wake up, is no load: then every step counts alike.
        by_step = self._awake(population) and pace(counts, came, ()) != "plateau"
        by_work = pace(counts, came, self._ended) != "plateau" and pace(counts, came, self._work) != "plateau"
        if by_work or by_step:
            return "rises" if sum(more > 0 for more in came) > 1 else "single-step"
        # Some got on after a while and nobody else ever does: not a pool that is complete.
        if population.followed and not population.released and int(population.left[end_of(self._work, 1) :].sum()):
            return "single-step"
        return shown

    def evidence(
        self, kind: EvidenceKind, text: Text, population: Population, shown: GoroutineGroup | None = None
    ) -> Evidence:
        """Return a claim about a population with one of its goroutines as they were printed, of the group `shown`."""
        row = next(row for row in range(len(self._at) - 1, -1, -1) if population.groups[self._at[row]])
        snapshot = self._snapshots[row]
        if shown is not None:
            told = example((shown,), snapshot)
        elif self._told[0] is population:  # most of what is noticed is noticed of one population after another
            told = self._told[1]
        else:
            told = example(population.groups[self._at[row]], snapshot)
            self._told = population, told
        return Evidence(kind, text, snapshot.sources["goroutines"].digest, *told)

    def add_evidence(self, signs: Signs, kind: EvidenceKind, **args: str | int | float | tuple[int, ...]) -> None:
        signs.found[kind] = self.evidence(kind, Text(f"goroutines.{kind}", args), signs.population)

    def _came(self, signs: Signs, counts: list[int]) -> list[int]:
        """Return how many came in each step. A pool that changes places brings nobody: who rests must be new."""
        population = signs.population
        if population.followed and len(population.counts) == len(counts):
            column = population.came if signs.wait in ABNORMAL else population.fresh
            return [int(more) for more in column]
        return [max(0, after - before) for before, after in pairwise(counts)]

    def _growth(self, signs: Signs, counts: list[int], came: list[int]) -> None:
        """Note how many there are, and how their number grows."""
        self._presence(signs, counts)
        if len(counts) > 1:
            if signs.wait == "hard":
                self._hard_wait(signs, counts)
            self._rise(signs, counts, came)

    def _presence(self, signs: Signs, counts: list[int]) -> None:
        """Note what the last snapshot shows, and a pile-up where the others show no more than it does."""
        population, last = signs.population, counts[-1]
        if signs.wait == "never" and last and not (signs.benign and signs.benign.resting):
            kind: EvidenceKind = "nil-stop-channel" if _was_handed_nil(population, counts) else "never-wakes"
            self.add_evidence(signs, kind, count=last, state=population.state or "")
        if last >= 3 and 2 * last > self._total and signs.wait in ("hard", "soft", "unknown"):
            self.add_evidence(signs, "majority", count=last, total=self._total)
        if len(counts) == 1 or (self._idle and self._remains(population)) or self._stands(population, counts):
            if last > 1 or (last and signs.wait == "hard"):
                self.add_evidence(signs, "pile-up", count=last, total=self._total)
            self._birth(signs)
            long = signs.wait in AT_REST and long_at_rest(population, self._total)
            if long and not signs.kinds.has("startup-pool"):
                minutes = max(group.longest or 0 for group in population.now)
                self.add_evidence(signs, "whole-process", count=last, total=self._total, minutes=minutes)

    def _hard_wait(self, signs: Signs, counts: list[int]) -> None:
        """Note who never left a wait that is abnormal to last, and whether more join the queue than leave it."""
        population, last = signs.population, counts[-1]
        if len(counts) > 2 and self._remains(population) and not self._awake(population):
            self.add_evidence(signs, "same-goroutines", count=last, moments=len(counts))
        if min(counts) == max(counts):
            self._birth(signs)

    def _rise(self, signs: Signs, counts: list[int], came: list[int]) -> None:
        """Note that more came and stayed: in several steps, in one, or beyond the load."""
        population, last = signs.population, counts[-1]
        risen = last - counts[0]
        # A pool that changes places is no growth; who waits abnormally may have come from anywhere.
        if population.born >= 0 and signs.wait not in ABNORMAL:
            risen = min(risen, population.born)
        if risen <= 0 or signs.pace in ("flat", "falls"):
            if self._live.clients_left(population) and self._unmoved(population):
                self.add_evidence(signs, "clients-left", count=last)
            return
        stays = self._stays(signs, last)
        if not population.followed:
            self.add_evidence(signs, "counts-only", moments=len(counts))
        # Idle connections, and streams that a client keeps open, outlive every load.
        unused, streams = self._live.unused(population), self._held_open(population)
        kept_open = signs.wait in AT_REST and (unused or streams)
        if self._live.clients_left(population):
            self.add_evidence(signs, "clients-left", count=last)
        if signs.pace == "rises" and stays and self._enough(signs, counts, came, risen):
            told: dict[str, Argument] = {"counts": tuple(counts), "moments": len(counts)}
            text = Text("goroutines.steady-growth" if population.followed else "goroutines.more", told)
            signs.found["steady-growth"] = self.evidence("steady-growth", text, population)
            if self._steady(came) and not kept_open and not self._live.sockets_follow(population, counts):
                self.add_evidence(signs, "growth-at-constant-load", counts=tuple(counts))
        elif stays and (risen >= FEW or signs.wait == "soft" or self._lasts(population, counts)):
            self.add_evidence(signs, "single-step", counts=tuple(counts), moments=len(counts))
        # A peer may outlive every load, unless it is to answer.
        connected = population.state == "IO wait" and reads_socket(population) and signs.begun_by is None
        kept = int(population.since[-2]) if population.followed else min(counts[-2:])
        evenly = evenly_started(population, self._youngest) or (not population.followed and never_drops(counts))
        if unused and self._live.beyond_pool(population) and evenly:
            self.add_evidence(signs, "beyond-a-pool", count=last)
        if kept_open:
            self.add_evidence(signs, "idle-connections" if unused else "shared-streams", count=last)
        elif (
            stays and not connected and kept > counts[0] and self._rests() and (risen >= FEW or signs.wait != "resting")
        ):
            self.add_evidence(signs, "outlives-load", count=kept, counts=tuple(counts))

    def _enough(self, signs: Signs, counts: list[int], came: list[int], risen: int) -> bool:
        """Tell whether enough came to call it a trend: who rests must go on coming with the work to the end.

        Who waits abnormally, or stays inside of an operation, need not.
        """
        if signs.wait in ABNORMAL or (signs.population.followed and signs.begun_by):
            return risen >= FEW
        told_by = self._ended if max(self._ended, default=0.0) >= NOISE else self._work  # else too few end to tell
        # It need not follow what others do beside it: as many in each of several steps go on, too.
        evenly = signs.population.state != "IO wait" and len(came) > 2 and min(came) >= max(FEW, 0.5 * max(came))
        enough = risen >= FEW if signs.wait == "soft" else goes_on(came, told_by) or evenly
        if self._timely:  # the last step under load must have brought some
            busy = max(at for at, rate in enumerate(self._rates) if rate >= 0.25 * max(self._rates))
            enough = enough and came[busy] > 0
        return enough and (signs.population.followed or all(b >= a for a, b in pairwise(counts)))

    def _idle_process(self, signs: Signs, counts: list[int]) -> None:
        """Note that nobody is at work who could serve them: then no queue moves; or that the one before them is.

        One that waits may only be passing by.
        """
        if signs.wait != "hard" or self._servers is None or not (counts[-1] > 1 or min(counts[-2:]) > 0):
            return
        if self._servers.pool_unused(signs.population):
            self.add_evidence(signs, "pool-unused", count=counts[-1])
        if self._nobody_works[-1] and not self._servers.may_serve(signs.population):
            self.add_evidence(signs, "nobody-at-work", count=counts[-1], total=self._total)
        elif self._servers.at_head(signs.population) or self._live.in_turn(signs.population):
            self.add_evidence(signs, "head-at-work", count=counts[-1])

    def _survival(self, signs: Signs, counts: list[int], came: list[int]) -> None:
        """Note who left, whether new ones came although idle ones would do, and what they are in the middle of."""
        population = signs.population
        if before := departures(population):
            self.add_evidence(signs, "departures", before=before)
        moves = before or not self._stays(signs, counts[-1])
        if (signs.wait == "hard" or signs.begun_by) and moves and self._queue_grows(counts):
            self.add_evidence(signs, "queue-growth", counts=tuple(counts))
        said = population.followed and signs.kinds.any("steady-growth", "queue-growth")
        if never_drops(counts) and not said:
            self.add_evidence(signs, "never-drops", counts=tuple(counts))
        grew = len(counts) == 1 or counts[-1] > counts[0]
        if signs.wait not in AT_REST or not grew or self._live.sockets_follow(population, counts):
            return
        # A select has other cases: sessions, tickers and streams rest there as long as somebody wants them.
        waits_for_one = signs.wait in ("soft", "unknown") or population.state == "sync.Cond.Wait"
        equally = came_equally(counts, self._nobody_works, most=2 * counts[-1] > self._total)
        again = equally or came_again(population, came, self._ended)
        if again and waits_for_one and not self._alive(population) and not self._held_open(population):
            self.add_evidence(signs, "not-reused", counts=tuple(counts))
        # Streams that were opened once and are read since last as long as both ends like.
        if signs.begun_by is not None and (signs.pace == "rises" or not reads_stream(population)):
            self.add_evidence(signs, "mid-operation", caller=signs.begun_by.function)

    def _calls(self, signs: Signs, counts: list[int]) -> None:
        """Note calls to another process of which none was answered while more came: in three snapshots at least."""
        population = signs.population
        if len(counts) < FEW or not population.followed or not self._veterans(population):
            return
        rises = all(after > before for before, after in pairwise(counts[-FEW:]))
        rises = rises and not int(population.left[1 - FEW :].sum())
        if rises and counts[-1] >= 2 * FEW and rpc().call_of(population.example.stack):
            signs.found["unanswered"] = self.evidence(
                "unanswered", Text("chains.unanswered", {"count": counts[-1], "counts": tuple(counts)}), population
            )

    def _orphans(self, signs: Signs, counts: list[int]) -> None:
        """Note who outlived the goroutine that started it, where no connection can be what it lives with."""
        alone = signs.wait in AT_REST and not self._live.sockets_follow(signs.population, counts)
        if alone and self._living and orphaned(signs.population, self._living):
            self.add_evidence(signs, "orphaned", count=counts[-1])

    def _held_open(self, population: Population) -> bool:
        """Tell whether these are of streams that last as long as their clients like, who are there or may be."""
        return of_stream(population) and not self._live.clients_left(population)

    def _unused(self, signs: Signs, counts: list[int]) -> None:
        """Note who has not woken up since it came, where no connection can be what it waits for; and since when.

        A pool, an actor and a session are used now and then; a socket may be silent for as long as its peer likes.
        """
        population = signs.population
        connected = population.state == "IO wait" or self._held_open(population)
        if connected or self._live.sockets_follow(population, counts):
            return
        if never_woken(population, self._seconds[-1] if self._seconds else None):
            self.add_evidence(signs, "never-woken", count=counts[-1])
        if evenly_started(population, self._youngest):
            self.add_evidence(signs, "evenly-started", count=counts[-1])

    def _lasts(self, population: Population, counts: list[int]) -> bool:
        """Tell whether some are more than a glimpse: seen twice, or with an age, or there was no snapshot between."""
        if len(counts) < 3 or int(population.aged[self._at[-1]]) > 0:
            return True
        return int(population.since[-2]) > 0 if population.followed else counts[-2] > 0 or counts[-1] > 1

    def _steady(self, came: list[int]) -> bool:
        """Tell whether more came in every step although the work was the same: then more work is not why."""
        busy = self._timely and min(self._work) >= max(NOISE, 0.5 * max(self._work))
        return busy and len(came) >= 3 and min(came) > 0

    def _birth(self, signs: Signs) -> None:
        """Note who was started when the process began: a supervisor, a generator, a pool, by the ids of its members."""
        ids = [group.ids for group in signs.population.groups[self._at[-1]]]
        if not all(map(len, ids)) or signs.kinds.any("startup-goroutine", "startup-pool"):
            return
        many = signs.population.last
        single = many < FEW and signs.population.state in ("sync.WaitGroup.Wait", "chan send")
        if not single and (signs.wait == "hard" or many < FEW or _of_many_parents(signs.population)):
            return
        first, last = min(int(i.min()) for i in ids), max(int(i.max()) for i in ids)
        lived = self._youngest >= LIVED and last <= self._youngest // 8
        made = signs.population.creator.name if signs.population.creator else ""
        if single:
            if (lived or _INIT.match(made)) and not finalizing(signs.population.example):
                self.add_evidence(signs, "startup-goroutine", first=first)
        elif never_woken(signs.population, None):
            return  # by their ages they came one after the other
        elif last - first <= 4 * many + 32 and last <= max(4 * many + 64, 0.1 * self._youngest):
            self.add_evidence(signs, "startup-pool", first=first, last=last, count=many)

    def _remains(self, population: Population) -> bool:
        """Tell whether the very same have stood here in every snapshot, and nobody else."""
        return population.followed and int(population.since[0]) == population.last > 0

    def _unmoved(self, population: Population) -> bool:
        """Tell whether most have been here since the snapshot before, and none has woken up since."""
        there = population.followed and int(population.since[-2]) >= max(FEW, 0.5 * population.last)
        return there and not int(population.alive[self._at[-1]])

    def _stands(self, population: Population, counts: Sequence[int]) -> bool:
        """Tell whether so many are most of the process, always as many, that it cannot be passed over; who they are was
        not captured: dumps of so many are dear."""
        return not population.followed and min(counts) >= max(_MANY, 0.9 * max(counts)) and 2 * counts[-1] > self._total

    @cached_property
    def _seconds(self) -> list[float]:
        """Return how long each step took; nothing where clocks do not tell it."""
        at = [snapshot.at.timestamp() if snapshot.at else 0.0 for snapshot in self._snapshots]
        seconds = [after - before for before, after in pairwise(at)]
        return seconds if all(at) and min(seconds, default=0.0) > 0 else []

    @cached_property
    def _rates(self) -> list[float]:
        """Return what was done in each step for its time, where it is known: a minute after the load is long."""
        if len(self._seconds) != len(self._work):
            return list(self._work)
        return [work / time for work, time in zip(self._work, self._seconds, strict=True)]

    def _rests(self) -> bool:
        """Tell whether hardly anything was done in the last step."""
        return self._timely and quiet(self._rates)

    def _queue_grows(self, counts: list[int]) -> bool:
        """Tell whether more wait in every snapshot than in the one before: in four, or they are most of the process."""
        enough = len(counts) > 3 or (len(counts) > 2 and 2 * counts[-1] > self._total)
        return enough and all(after > before for before, after in pairwise(counts)) and counts[-1] >= 4 * FEW

    def _stays(self, signs: Signs, last: int) -> bool:
        """Tell whether members stay: followed by id; where they cannot be followed, the counts have to do."""
        population = signs.population
        if not population.followed:
            return True
        if signs.wait != "resting" and self._rests() and int(population.since[-2]) >= max(2, 0.5 * last):
            return True
        came = int(population.counts[self._at[0]]) + sum(population.came[:-1].tolist())
        if len(self._at) < 3 and last >= 3 * came:  # most came since: nobody can say yet whether they stay
            return True
        return (
            came == 0 or sum(population.left.tolist()) < 0.5 * came or self._veterans(population) >= max(2, 0.3 * last)
        )

    def _veterans(self, population: Population) -> int:
        """Return how many have stood here through at least three snapshots: traffic does not."""
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
            self.add_evidence(signs, "stuck", minutes=longest, count=population.last, state=population.state or "")
        elif longest >= 1:
            self.add_evidence(
                signs, "reported-wait", minutes=longest, count=population.last, state=population.state or ""
            )

    def _arrivals(self, signs: Signs) -> None:
        """Tell from the ages of the last snapshot when they began to wait: as good as a series where nobody leaves."""
        if signs.wait not in ("hard", "soft", "never"):
            return
        waits = [one for group in signs.population.groups[self._at[-1]] for one in group.waits.tolist() if one >= 1]
        if len(waits) < 2 * FEW:
            return
        oldest, youngest = max(waits), min(waits)
        if oldest - youngest < SURE_MINUTES:
            if oldest >= 2 * SURE_MINUTES:
                self.add_evidence(signs, "arrival-burst", count=len(waits), oldest=oldest)
            return
        middle = sorted(waits)[len(waits) // 2]
        steady = abs(middle - (oldest + youngest) / 2) <= 0.25 * (oldest - youngest)
        signs.per_hour = round(60 * (len(waits) - 1) / (oldest - youngest), 1)
        kind: EvidenceKind = "steady-arrivals" if steady else "uneven-arrivals"
        self.add_evidence(signs, kind, count=len(waits), oldest=oldest, youngest=youngest, rate=signs.per_hour)

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
        return max(0, int(population.alive[self._at[-1]]), fallen)

    def _symptom(self, signs: Signs, came: list[int]) -> bool:
        """Tell whether a kind that is meant to wait grows as it does when somebody forgets to stop it."""
        symptom = signs.benign.entry.symptom if signs.benign else None
        if symptom is None or symptom in CONNECTION_SYMPTOMS:
            return signs.kinds.has("idle-connections") and signs.kinds.any("steady-growth", "beyond-a-pool")
        again = not self._timely and sum(more > 0 for more in came) > 1
        return signs.pace == "rises" or (signs.pace == "single-step" and again)

    def _against(self, signs: Signs, counts: list[int], came: list[int]) -> None:
        population = signs.population
        last = counts[-1]
        if signs.pace == "plateau":
            self.add_evidence(signs, "plateau", counts=tuple(counts))
        if self._live.read(population):
            self.add_evidence(signs, "open-connections", companion=BODY, counts=tuple(counts))
        if signs.kinds.has("queue-growth"):
            return
        if signs.pace == "falls" or (len(counts) > 1 and last > 0 and not self._stays(signs, last)):
            self.add_evidence(signs, "turnover", counts=tuple(counts))
        if signs.wait == "hard" and self._live.served(population):
            self.add_evidence(signs, "client-connected", count=last)
        if self._awake(population):
            self.add_evidence(signs, "progress", count=self._alive(population), total=last)
        if signs.benign is not None and signs.benign.resting is not False and not self._symptom(signs, came):
            entry = signs.benign.entry
            told = {"what": entry.summary, "relation": entry.count.relation}
            chinese = {"what_zh": entry.zh.summary, "relation_zh": entry.zh.relation}
            self.add_evidence(signs, "idle-by-design", **told, **chinese, entry=entry.id)
        misplaced = signs.benign is not None and signs.benign.resting is False
        if signs.wait in AT_REST and not misplaced and (companion := self._live.companion(population)):
            self.add_evidence(signs, "open-connections", companion=companion, counts=tuple(counts))


def _of_many_parents(population: Population) -> bool:
    """Tell whether about each was started by another goroutine, as by requests: no pool is put together so."""
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
    group = groups[0] if len(groups) == 1 else max(groups, key=lambda group: (group.longest or 0, group.count))
    if goroutines is not None and len(group.spans) and len(goroutines.text) and len(group.ids):
        row = int(group.waits.argmax()) if len(group.waits) == len(group.ids) else 0
        start, end = group.spans[row].tolist()
        text = bytes(goroutines.text[start : min(end, start + 4096)]).decode("utf-8", "replace")
        return f"goroutine {int(group.ids[row])}", "\n".join(text.strip().splitlines()[:9])
    lines = [f"{group.count} @ {group.state}" if group.state else f"{group.count} @"]
    for frame in group.stack.frames[:4]:
        lines += [frame.function, f"\t{frame.file}:{frame.line}"]
    return f"stack {group.stack.key}", "\n".join(lines)


# What makes a population a suspect, unless it is cleared.
ACCUSES: frozenset[EvidenceKind] = frozenset(
    {
        "leak-profile",
        "goleak",
        "reproduced",
        "steady-growth",
        "outlives-load",
        "single-step",
        "stuck",
        "reported-wait",
        "never-wakes",
        "nil-stop-channel",
        "pile-up",
        "majority",
        "baseline",
        "queue-growth",
        "clients-left",
    }
)


__all__ = ["ACCUSES", "CONNECTION_SYMPTOMS", "SURE_MINUTES", "Live", "Reader", "Signs", "example"]
