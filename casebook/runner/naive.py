"""The rule that everybody tries first: whatever grew between two snapshots leaks. The casebook must fool it.

Goes out: the same JSON that a diagnosis gives, so that it is scored in the same way. Healthy look-alikes that this rule
does not accuse prove nothing, and `check` refuses them.
"""

from collections import Counter
from typing import Any

from casebook.runner.evidence import RecordedSnapshot
from oakum.model import Frame
from oakum.model.frame import normal_function

# What anybody would call growth when comparing two dumps by eye.
GOROUTINES = 3
BYTES = 512 << 10
RSS_BYTES = 8 << 20


def _places(snapshot: RecordedSnapshot) -> tuple[Counter[str], dict[str, Frame]]:
    """Return goroutines by the function they stand in."""
    counts: Counter[str] = Counter()
    frames: dict[str, Frame] = {}
    goroutines = snapshot.goroutines()
    for group in goroutines.groups if goroutines else ():
        if group.place is not None:
            name = normal_function(group.place.function)
            counts[name] += group.count
            frames.setdefault(name, group.place)
    return counts, frames


def _allocations(snapshot: RecordedSnapshot) -> tuple[Counter[str], dict[str, Frame]]:
    """Return live bytes by the first function outside the runtime that allocated them."""
    held: Counter[str] = Counter()
    frames: dict[str, Frame] = {}
    profile = snapshot.heap()
    if profile is None:
        return held, frames
    index = [kind.type for kind in profile.sample_types].index("inuse_space")
    for sample in range(profile.samples):
        place = profile.stack(int(profile.stack_ids[sample])).place
        if place is not None:
            name = normal_function(place.function)
            held[name] += int(profile.values[index, sample])
            frames.setdefault(name, place)
    return held, frames


def _finding(frame: Frame, role: str, counts: list[int], measure: str) -> dict[str, Any]:
    return {
        "mechanism": "unbounded-spawn" if role == "blocked" else "growing-container",
        "confidence": "likely",
        "sites": [
            {"role": role, "function": frame.function, "file": frame.file, "line": frame.line, "count": counts[-1]}
        ],
        "victims": [],
        "growth": [{"measure": measure, "counts": counts}],
    }


def accuse(before: RecordedSnapshot, after: RecordedSnapshot) -> dict[str, Any]:
    """Return the naive diagnosis of two snapshots: everything that grew, most first."""
    findings: list[tuple[int, dict[str, Any]]] = []
    for role, table, least, measure in (
        ("blocked", _places, GOROUTINES, "goroutines"),
        ("allocated", _allocations, BYTES, "inuse_space"),
    ):
        old, _ = table(before)
        new, frames = table(after)
        for name, value in new.items():
            if value - old[name] >= least:
                scale = 1 if role == "blocked" else BYTES
                finding = _finding(frames[name], role, [old[name], value], measure)
                findings.append(((value - old[name]) // scale, finding))
    ranked = [finding for _, finding in sorted(findings, key=lambda pair: -pair[0])]
    small, large = before.rss() or 0, after.rss() or 0
    if not ranked and large - small >= RSS_BYTES:
        ranked = [_finding(Frame("(process)"), "allocated", [small, large], "rss") | {"mechanism": "off-heap"}]
    for rank, finding in enumerate(ranked, 1):
        finding["rank"] = rank
    return {"verdict": "leaking" if ranked else "healthy", "findings": ranked}


__all__ = ["BYTES", "GOROUTINES", "accuse"]
