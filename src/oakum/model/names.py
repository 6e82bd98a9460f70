"""Which names call a process, which one of several, and which only count, lead somewhere or are those of a file."""

import re

_LONGEST = 300

# 1   127.0.0.1-7001   10.0.0.7:6060   pid-812   localhost-6060   [::1]:6060   snapshot-3
_NUMBERED = re.compile(r"(?:pid|snapshot|localhost)?[\[\]0-9.:_-]+", re.ASCII)
# 1.txt   heap.pb.gz   goroutine.debug2   cpu.pprof   captures.tgz
_FILE = re.compile(
    r".+\.(?:txt|log|out|gz|pb|pprof|prof|profile|dump|debug[012]|json|csv|bz2|xz|zst|zip|tar|tgz|stacks?)", re.I | re.S
)
# orders-7d9f5c-x2k4l   exporter-x2k4l: Kubernetes leaves vowels out, so that no word comes of it
_POD = re.compile(r".+-[bcdfghjklmnpqrstvwxz2456789]{5}", re.ASCII)
# 10.0.0.7   10.0.0.7-6060   10.0.0.7:6060
_HOST = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?:[-:_]\d{1,5})?", re.ASCII)
# orders-7331: a port or a pid, where it is no time of the day (dump-1015)
_PORT = re.compile(r".*[a-z][-:_](?!(?:[01]\d|2[0-3])[0-5]\d$)[1-9]\d{3,4}", re.ASCII | re.I)


def is_replica(name: str) -> bool:
    """Tell whether a name is that of one process among several: of a pod, an address, with a port or a pid."""
    return len(name) < _LONGEST and any(form.fullmatch(name) for form in (_POD, _HOST, _PORT))


def is_numbered(name: str) -> bool:
    """Tell whether a name only counts or leads somewhere, and calls nobody: 1, 127.0.0.1-7001, pid-812, - too."""
    return bool(_NUMBERED.fullmatch(name))


def calls_nobody(name: str) -> bool:
    """Tell whether a name is no process's: it counts, leads somewhere, or is that of a file. A sentence avoids it."""
    return is_numbered(name) or bool(_FILE.fullmatch(name))
