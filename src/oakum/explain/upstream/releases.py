"""Version numbers of Go modules: their order, which are newer, and which a proxy may have without listing them."""

import re
from collections.abc import Iterable

_MOST_UNLISTED = 16
_MOST_FOLLOWING = 6

# v1.2.3   v0.25.0-alpha.2   v14.2.0+incompatible
_VERSION = re.compile(r"^v(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$")
# v0.0.0-20181128191346-49ce2735e507   v1.2.4-0.20181128191346-49ce2735e507
_PSEUDO = re.compile(r"(?:^|[.-])\d{14}-[0-9a-f]{12}$")


def newer(running: str, releases: Iterable[str]) -> list[str]:
    """Return the releases after the running one, oldest first; previews only when a preview runs."""
    own = _VERSION.match(running)
    if not own:
        return []
    # v0.0.0-anything is the preview of no release
    previews = bool(own[4]) and not _PSEUDO.search(own[4]) and order(running)[0] != (0, 0, 0)
    kept = []
    for version in set(releases):
        parts = _VERSION.match(version)
        if not parts or _PSEUDO.search(parts[4] or "") or (parts[4] and not previews):
            continue
        if (parts[5] or "") == (own[5] or "") and order(version) > order(running):
            kept.append(version)
    return sorted(kept, key=order)


def order(version: str) -> tuple[tuple[int, int, int], int, tuple[tuple[int, int, str], ...]]:
    """Return what versions are sorted by, as semver says: a preview before its release, numbers before words."""
    parts = _VERSION.match(version)
    if not parts:
        return (0, 0, 0), -1, ()
    words = tuple(
        (0, int(word), "") if word.isdecimal() and len(word) < 20 else (1, 0, word)
        for word in (parts[4] or "").split(".")
        if word
    )
    return (int(parts[1]), int(parts[2]), int(parts[3])), 0 if words else 1, words


def minors(last: str, changed: str) -> list[str]:
    """Return the first releases of each minor version between two: v1.21.0, v1.22.0 of v1.20.5 and v1.22.3."""
    (major, minor, patch), final, _ = order(changed)
    (before, first, _), _, _ = order(last)
    if not final or "+" in changed:
        return []
    begin = max(first + 1 if before == major else 0, minor - _MOST_UNLISTED)
    return [f"v{major}.{number}.0" for number in range(begin, minor + bool(patch))]


def following(last: str, changed: str) -> list[str]:
    """Return patch releases that may follow the last one alike before the next minor version."""
    (major, minor, patch), final, _ = order(last)
    if not final or "+" in last or (major, minor) == order(changed)[0][:2]:
        return []
    return [f"v{major}.{minor}.{number}" for number in range(patch + 1, patch + 1 + _MOST_FOLLOWING)]


def patches(last: str, changed: str) -> list[str]:
    """Return the patch releases of one minor version between two."""
    (major, minor, patch), final, _ = order(changed)
    if not final or "+" in changed:
        return []
    versions = [f"v{major}.{minor}.{number}" for number in range(max(0, patch - _MOST_UNLISTED), patch)]
    return [version for version in versions if order(version) > order(last)]


__all__ = ["following", "minors", "newer", "order", "patches"]
