"""Names of functions in which a star stands for anything: k8s.io/klog/v*.(*flushDaemon).run.func"""

from collections.abc import Callable
from functools import lru_cache

from oakum.regex import regex

# The glob's star, not the pointer's.
_STAR = regex(r"(?<!\()\*")


def is_glob(pattern: str) -> bool:
    """Tell whether there is a star in a name that stands for something."""
    return "*" in pattern and _STAR.search(pattern) is not None


@lru_cache(maxsize=4096)
def glob(pattern: str) -> Callable[[str], bool]:
    """Return what tells whether a name is one of those."""
    first, *others = _STAR.split(pattern)
    if not others:
        return first.__eq__
    *middle, last = others

    def fits(name: str) -> bool:
        at, end = len(first), len(name) - len(last)
        if at > end or not name.startswith(first) or not name.endswith(last):
            return False
        for part in middle:  # the earliest place leaves most for those that follow
            at = name.find(part, at, end)
            if at < 0:
                return False
            at += len(part)
        return True

    return fits
