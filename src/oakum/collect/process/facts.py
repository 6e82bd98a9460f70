"""A process -> process.txt: what the kernel counts of it, and Go's settings at its start, as a scrape."""

import re
from contextlib import suppress

from oakum.collect.process.proc import Proc

HEADER = "# oakum process/1"
_NAMES = {
    "process_start_time_seconds": "When it was started.",
    "process_open_fds": "Open files.",
    "process_max_fds": "How many files it may have open.",
    "process_threads": "Threads.",
    "go_gc_gogc_percent": "GOGC, as it was started with; -1 is off.",
    "go_gc_gomemlimit_bytes": "GOMEMLIMIT, as it was started with.",
    "go_sched_gomaxprocs_threads": "GOMAXPROCS, as it was started with.",
}
# 512MiB   2GiB   1073741824   1000000B
_SIZE = re.compile(r"(\d{1,18})(B|KiB|MiB|GiB|TiB)?")
_UNITS = {None: 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}


def as_text(proc: Proc) -> bytes:
    """Return the facts of a process as they are now."""
    lines = [f"{HEADER} pid={proc.pid}: counted from /proc, not reported by the process"]
    for name, value in _numbers_of(proc).items():
        lines += [f"# HELP {name} {_NAMES[name]}", f"# TYPE {name} gauge", f"{name} {value:.15g}"]
    return "\n".join([*lines, ""]).encode()


def _numbers_of(proc: Proc) -> dict[str, float]:
    stat, started, most, settings = proc.stat(), proc.started(), proc.most_files(), proc.go_settings()
    found: dict[str, float] = {}
    if started:
        found["process_start_time_seconds"] = started.timestamp()
    with suppress(OSError):  # of another user
        found["process_open_fds"] = len(proc.open_files())
    if most is not None:
        found["process_max_fds"] = most
    if stat:
        found["process_threads"] = stat.threads
    if (percent := settings.get("GOGC", "")) == "off":
        found["go_gc_gogc_percent"] = -1
    elif re.fullmatch(r"\d{1,9}", percent):
        found["go_gc_gogc_percent"] = int(percent)
    if size := _SIZE.fullmatch(settings.get("GOMEMLIMIT", "")):
        found["go_gc_gomemlimit_bytes"] = int(size[1]) << _UNITS[size[2]]
    if re.fullmatch(r"[1-9]\d{0,5}", settings.get("GOMAXPROCS", "")):
        found["go_sched_gomaxprocs_threads"] = int(settings["GOMAXPROCS"])
    return found
