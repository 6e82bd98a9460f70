"""What happens while services are watched -> lines on stderr: logfmt, or JSON. What goes on is said once.

No credentials reach a line: what this process has sent or read as one is replaced.
"""

import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Literal, TextIO

from oakum.collect.web.vault import hidden
from oakum.model import OakumError, Problem, Text, said_of
from oakum.report.words import say
from oakum.report.words.lines import problem_line

Level = Literal["info", "warn", "error"]
_PLAIN = re.compile(r"[\w./:@%+,*~-]+")
_ONCE_MOST = 4096  # things that go on at once


class Log:
    """Lines of one watcher; threads share it."""

    def __init__(
        self,
        stream: TextIO | None = None,
        form: Literal["logfmt", "json"] = "logfmt",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        before: Callable[[], None] = lambda: None,  # takes a table off the screen
    ) -> None:
        self._stream, self._form, self._now, self._before = stream, form, now, before
        self._said: dict[str, str] = {}
        self._lock = Lock()

    def write(self, level: Level, event: str, **fields: Any) -> None:
        """Write one line."""
        row = {"ts": self._now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")[:-4] + "Z", "level": level, "event": event}
        row |= {key: _plain(value) for key, value in fields.items() if value not in (None, "")}
        if self._form == "json":
            line = json.dumps(row, ensure_ascii=False)
        else:
            line = " ".join(f"{key}={_quoted(value)}" for key, value in row.items())
        with self._lock:
            self._before()
            stream = self._stream or sys.stderr
            try:
                stream.write(f"{line}\n")
                stream.flush()
            except (OSError, ValueError):
                pass  # whoever read it is gone; watching goes on

    def once(self, key: str, level: Level, event: str, **fields: Any) -> bool:
        """Write a line, unless the same was said of the same thing and has not ended since."""
        said = f"{event} {fields.get('why', '')}"
        if self._said.get(key) == said:
            return False
        if len(self._said) >= _ONCE_MOST:
            self._said.pop(next(iter(self._said)))
        self._said[key] = said
        self.write(level, event, **fields)
        return True

    def over(self, key: str) -> bool:
        """Note that something has ended; tell whether it was said."""
        return self._said.pop(key, None) is not None


def worded(problem: Problem | OakumError | Text) -> str:
    """Return a problem or an error in English, on one line."""
    if isinstance(problem, Problem):
        return problem_line(problem)
    return say(problem if isinstance(problem, Text) else said_of(problem), "en")


def _plain(value: Any) -> Any:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return round(value, 3)
    return hidden(" ".join(str(value).split()))[:500]


def _quoted(value: Any) -> str:
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
