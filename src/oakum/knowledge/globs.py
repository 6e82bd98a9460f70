"""Names of functions in which a star stands for anything: k8s.io/klog/v*.(*flushDaemon).run.func"""

import re
from collections.abc import Callable
from functools import lru_cache

# The glob's star, not the pointer's.
_STAR = re.compile(r"(?<!\()\*")


def is_glob(pattern: str) -> bool:
    """Tell whether there is a star in a name that stands for something."""
    return _STAR.search(pattern) is not None


@lru_cache(maxsize=4096)
def glob(pattern: str) -> Callable[[str], object]:
    """Return what tells whether a name is one of those."""
    return re.compile(".*".join(re.escape(part) for part in _STAR.split(pattern)), re.DOTALL).fullmatch
