"""How people sort names: the second snapshot before the tenth."""

import re

_DIGITS = re.compile(r"(\d{1,18})")


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts 2 before 10."""
    parts = [part for part in _DIGITS.split(name) if part]
    return tuple((0, int(p), p) if p.isdecimal() and p.isascii() else (1, 0, p) for p in parts)
