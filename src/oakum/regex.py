"""Regular expressions that are compiled when they are first used.

A command imports some four hundred and uses a tenth of them; to compile all took a fifth of the time of a diagnosis.
"""

import re
from typing import Any, AnyStr, cast


class _Lazy:
    """Stands for a pattern. A method that was asked for is kept, so that it costs nothing from then on."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags
        self._compiled: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self._flags)
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` does, compiled at the first use. Not for patterns of a user: a mistake shows late."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))
