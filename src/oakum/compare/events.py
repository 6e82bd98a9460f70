"""Growth against what the process counts of its own work: one goroutine for each request of one kind, or for none.

Comes in: a count in each snapshot and the metrics of the snapshots. Goes out: the counter that the growth follows
step by step, and how much comes with each event; None when no counter explains it.
"""

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from oakum.model import Metrics, PerEvent, Snapshot, Suspect
from oakum.model.metrics import Labels

# Counters of the process itself, not of its work: they rise with everything.
_NOT_WORK = ("go_", "process_", "promhttp_")
_PARTS = ("_bucket", "_sum", "_created")  # of a histogram; its count says the same
# How far the ratio may differ from step to step; requests under way when a capture is taken blur it.
_SPREAD = 0.15
# One event leaves one goroutine, or the few that it started.
_EACH = 4
# Fewer than this many in a step, or than this part of all events, are too few for a ratio: the captures of a snapshot
# are taken one after the other, and what came between them is a large part of a small step. It blurs so much of the
# growth.
_ENOUGH = 5
_PART = 0.05
_BLUR = 0.03


def with_events(suspect: Suspect, snapshots: Sequence[Snapshot]) -> Suspect:
    """Return the suspect with the work that its growth follows, where the process counts it and no experiment did."""
    growth = tuple(
        one if one.per_event else replace(one, per_event=per_event(one.counts, snapshots)) for one in suspect.growth
    )
    return replace(suspect, growth=growth)


def per_event(counts: Sequence[int | None], snapshots: Sequence[Snapshot]) -> PerEvent | None:
    """Return what the growth follows: in every step that many for each event, and none where no event was."""
    if len(counts) < 3 or any(count is None for count in counts) or any(s.metrics is None for s in snapshots):
        return None
    grown = [after - before for before, after in pairwise(int(count or 0) for count in counts)]
    if sum(step >= _ENOUGH for step in grown) < 2 or min(grown) < 0:
        return None
    found = []
    for (name, labels), series in _counters([s.metrics for s in snapshots if s.metrics is not None]).items():
        steps = [after - before for before, after in pairwise(series)]
        if min(steps) < 0 or not sum(steps):  # a gauge, or nothing that happened
            continue
        total = sum(grown) / sum(steps)
        each = round(total)
        # Counters rise together as long as the mix of requests is the same; only whole numbers say more than that.
        if not 1 <= each <= _EACH or abs(total - each) > 0.03 * each:
            continue
        pairs = list(zip(grown, steps, strict=True))
        least = max(_ENOUGH, _PART * sum(steps))
        ratios = [g / s for g, s in pairs if s >= least]
        off = max((abs(g - each * s) for g, s in pairs if s < least), default=0)
        if len(ratios) < 2 or off > max(_ENOUGH - 1, _BLUR * sum(grown)):
            continue
        low, high = min(ratios), max(ratios)
        if high - low <= 2 * _SPREAD * total:
            span = (min(low, total), max(high, total))
            found.append((each, high - low, -len(labels), _event(name, labels), total, *span))
    if not found:
        return None
    *_, event, value, low, high = min(found)
    return PerEvent(event, round(value, 3), round(low, 3), round(high, 3))


def _counters(snapshots: Sequence[Metrics]) -> dict[tuple[str, Labels], list[float]]:
    """Return every series, and the sums of a metric over all its labels and over those that share one: what follows
    all POST requests follows no single path."""
    found: dict[tuple[str, Labels], list[float]] = {}
    for at, metrics in enumerate(snapshots):
        for (name, labels), value in metrics.values.items():
            if name.startswith(_NOT_WORK) or name.endswith(_PARTS):
                continue
            for kept in {labels, (), *((label,) for label in labels)}:
                found.setdefault((name, kept), [0.0] * len(snapshots))[at] += value
    return found


def _event(name: str, labels: Labels) -> str:
    return f"{name}{{{','.join(f'{key}={value}' for key, value in labels)}}}" if labels else name
