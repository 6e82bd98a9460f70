"""What a case lacks -> gaps: what was not checked, why that matters, and the command that would settle it."""

import re
import shlex
from collections.abc import Sequence
from datetime import timedelta

from oakum.detect.pace import quiet
from oakum.model import Activity, Case, Finding, Gap, Process, Snapshot, Text

# http://10.0.0.7:6060    https://shop.example/debug/pprof/
_SERVER = re.compile(r"(https?://[\w.:\[\]-]+)(?:/|/debug/pprof/?)?")
# A leak of some goroutines an hour does not show within seconds.
_SHORT = timedelta(minutes=1)
# What runs and can be asked again; files and stores of the past cannot.
_RUNS = ("http://", "https://", "https+insecure://", "unix://", "kube://", "pid:")


def gaps(case: Case, activities: Sequence[Activity], findings: Sequence[Finding]) -> tuple[Gap, ...]:
    """Return what the evidence did not allow to check; what would say nothing new is left out."""
    found: list[Gap] = []
    unsure = not findings or any(finding.confidence == "possible" for finding in findings)
    for process, activity in zip(case.processes, activities, strict=True):
        mine = [one for one in findings if one.confidence == "possible" and one.suspect.sites[0].process == process.id]
        # What a container holds stays after the load, as that of a full cache does: only more load tells them apart.
        memory = [one for one in mine if one.suspect.sites[0].role == "allocated"]
        if memory and len(process.snapshots) > 1:
            again = shlex.quote(process.address) if process.address.startswith(_RUNS) else "http://HOST:PORT"
            found.append(_gap("more-load", f"oakum diagnose --moments 5 --every 2m {again}"))
        found += _of(process, activity, unsure, asked=bool(memory) and len(memory) == len(mine))
    return tuple({gap.what.key: gap for gap in reversed(found)}.values())[::-1]  # once for all processes


def _gap(key: str, command: str = "") -> Gap:
    return Gap(Text(f"gap.{key}"), Text(f"gap.{key}.why"), command)


def _of(process: Process, activity: Activity, unsure: bool, *, asked: bool) -> list[Gap]:
    """Return what one process lacks; `asked`: other moments were asked for already."""
    snapshots = process.snapshots
    last = snapshots[-1]
    again = shlex.quote(process.address) if process.address.startswith(_RUNS) else ""
    server = _SERVER.fullmatch(process.address)
    pprof = f"{server[1] if server else 'http://HOST:PORT'}/debug/pprof"
    dumped = f"curl -so goroutine.debug2.txt '{pprof}/goroutine?debug=2'"
    found: list[Gap] = []
    if len(snapshots) < 2 and not process.baseline:
        first = shlex.quote(next((source.origin for source in last.sources.values()), "-"))
        by_hand = f"{dumped} && oakum diagnose {first} goroutine.debug2.txt"
        found.append(_gap("second-moment", f"oakum diagnose --moments 3 --every 1m {again}" if again else by_hand))
    elif unsure and not asked and again and _is_short(process):
        found.append(_gap("short", f"oakum diagnose --moments 5 --every 2m {again}"))
    elif len(snapshots) > 1 and unsure and not asked and activity.steps and not quiet(activity.steps):
        dump = f"oakum capture {again} -o after/" if again else dumped
        found.append(_gap("after-load", f"{dump}  # some minutes after the load has gone"))
    if not any(snapshot.goroutines for snapshot in snapshots):
        found.append(_gap("goroutines", dumped))
    elif not any(_has_ids(snapshot) for snapshot in snapshots):
        found.append(_gap("ages", f"oakum capture --force {again} -o dump/" if again else dumped))
    if any(snapshot.goroutines is not None and snapshot.goroutines.cut for snapshot in snapshots):
        found.append(_gap("cut", f"curl -so goroutine.pb.gz '{pprof}/goroutine'"))
    if not any(snapshot.heap for snapshot in snapshots):
        found.append(_gap("heap", f"curl -so heap.pb.gz '{pprof}/heap'"))
    if not any(snapshot.memstats or snapshot.metrics for snapshot in process.timeline):
        found.append(_gap("memstats", f"curl -so heap.debug1.txt '{pprof}/heap?debug=1'"))
    if unsure and not any(snapshot.status or snapshot.metrics for snapshot in process.timeline):
        found.append(_gap("rss", "cp /proc/PID/status process.status.txt"))
    if unsure and _proves_leaks(process) and not any(snapshot.leaked for snapshot in snapshots):
        found.append(_gap("goroutineleak", f"curl -so goroutineleak.pb.gz '{pprof}/goroutineleak'"))
    return found


def _is_short(process: Process) -> bool:
    """Tell whether all that is known of a process lies within seconds."""
    times = [snapshot.at for snapshot in process.timeline if snapshot.at]
    return len(times) > 1 and max(times) - min(times) < _SHORT


def _has_ids(snapshot: Snapshot) -> bool:
    return snapshot.goroutines is not None and any(len(group.ids) for group in snapshot.goroutines.groups)


def _proves_leaks(process: Process) -> bool:
    """Tell whether the program was built with a Go that has the goroutineleak profile."""
    version = (process.build.go or "") if process.build else ""
    number = version.removeprefix("go1.").partition(".")[0]
    return number.isdigit() and int(number) >= 26


__all__ = ["gaps"]
