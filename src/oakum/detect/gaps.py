"""What a case lacks -> gaps: what was not checked, and why that matters. The commands are written in report/."""

from collections.abc import Sequence
from datetime import timedelta

from oakum.detect.pace import quiet
from oakum.model import Activity, Case, Finding, Gap, Process, Snapshot, Text

# A leak of some goroutines an hour does not show within seconds.
_SHORT = timedelta(minutes=1)


def gaps(case: Case, activities: Sequence[Activity], findings: Sequence[Finding]) -> tuple[Gap, ...]:
    """Return what the evidence did not allow to check; what would say nothing new is left out."""
    found: list[Gap] = []
    unsure = not findings or any(finding.confidence == "possible" for finding in findings)
    for process, activity in zip(case.processes, activities, strict=True):
        mine = [one for one in findings if one.confidence == "possible" and one.suspect.sites[0].process == process.id]
        # What a container holds stays after the load, as that of a full cache does: only more load tells them apart.
        memory = [one for one in mine if one.suspect.sites[0].role == "allocated"]
        if memory and len(process.snapshots) > 1:
            found.append(_gap("more-load", process))
        found += _of(process, activity, unsure, asked=bool(memory) and len(memory) == len(mine))
    return tuple({gap.what.key: gap for gap in reversed(found)}.values())[::-1]  # once for all processes


def _gap(key: str, process: Process, about: str = "") -> Gap:
    return Gap(Text(f"gap.{key}"), Text(f"gap.{key}.why"), process.id, about)


def _of(process: Process, activity: Activity, unsure: bool, *, asked: bool) -> list[Gap]:
    """Return what one process lacks; `asked`: other snapshots were asked for already."""
    snapshots = process.snapshots
    last = snapshots[-1]
    found: list[Gap] = []
    if len(snapshots) < 2 and not process.baseline:
        found.append(_gap("second-moment", process, next((one.origin for one in last.sources.values()), "-")))
    elif unsure and not asked and process.still_runs and _is_short(process):
        found.append(_gap("short", process))
    elif (
        len(snapshots) > 1
        and unsure
        and not (asked or _drained(process))
        and activity.steps
        and not quiet(activity.steps)
    ):
        found.append(_gap("after-load", process))
    if not any(snapshot.goroutines for snapshot in snapshots):
        found.append(_gap("goroutines", process))
    elif not any(_has_ids(snapshot) for snapshot in snapshots):
        found.append(_gap("ages", process))
    if any(snapshot.goroutines is not None and snapshot.goroutines.cut for snapshot in snapshots):
        found.append(_gap("cut", process))
    if not any(snapshot.heap for snapshot in snapshots):
        found.append(_gap("heap", process))
    if not any(snapshot.memstats or snapshot.metrics for snapshot in process.timeline):
        found.append(_gap("memstats", process))
    if unsure and not any(snapshot.status or snapshot.metrics for snapshot in process.timeline):
        found.append(_gap("rss", process))
    if (
        unsure
        and process.build is not None
        and process.build.has_leak_profile
        and not any(snapshot.leaked for snapshot in snapshots)
    ):
        found.append(_gap("goroutineleak", process))
    return found


def _is_short(process: Process) -> bool:
    """Tell whether all that is known of a process lies within seconds."""
    times = [snapshot.at for snapshot in process.timeline if snapshot.at]
    return len(times) > 1 and max(times) - min(times) < _SHORT


def _drained(process: Process) -> bool:
    """Tell whether the last snapshots of an experiment were taken after its work."""
    stages = process.experiment.stages if process.experiment else ()
    return bool(stages) and stages[-1] is not None and stages[-1].phase == "drain"


def _has_ids(snapshot: Snapshot) -> bool:
    return snapshot.goroutines is not None and any(len(group.ids) for group in snapshot.goroutines.groups)
