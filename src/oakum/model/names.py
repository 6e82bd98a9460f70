"""Which names call a process by its name, and which only count, lead somewhere or are those of a file."""

import re

# 1   127.0.0.1-7001   10.0.0.7:6060   pid-812   localhost-6060   [::1]:6060   snapshot-3
_NUMBERED = re.compile(r"(?:pid|snapshot|localhost)?[\[\]0-9.:_-]+", re.ASCII)
# 1.txt   heap.pb.gz   goroutine.debug2   cpu.pprof   captures.tgz
_FILE = re.compile(
    r".+\.(?:txt|log|out|gz|pb|pprof|prof|profile|dump|debug[012]|json|csv|bz2|xz|zst|zip|tar|tgz|stacks?)", re.I | re.S
)


def is_numbered(name: str) -> bool:
    """Tell whether a name only counts or leads somewhere, and calls nobody: 1, 127.0.0.1-7001, pid-812, - too."""
    return bool(_NUMBERED.fullmatch(name))


def calls_nobody(name: str) -> bool:
    """Tell whether a name is no process's: it counts, leads somewhere, or is that of a file. A sentence avoids it."""
    return is_numbered(name) or bool(_FILE.fullmatch(name))


__all__ = ["calls_nobody", "is_numbered"]
