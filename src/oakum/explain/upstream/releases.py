"""Version numbers of Go modules: their order, which are newer, and which a proxy may have without listing them."""

from collections.abc import Iterable

from oakum.knowledge.versions import NONE, Order, Version, version

_MOST_UNLISTED = 16
_MOST_FOLLOWING = 6


def newer(running: str, releases: Iterable[str]) -> list[str]:
    """Return the releases after the running one, oldest first; previews only when a preview runs."""
    own = version(running)
    if own is None:
        return []
    # v0.0.0-anything is the preview of no release
    previews = bool(own.pre) and not own.committed and own.base != NONE
    kept = [
        text
        for text in set(releases)
        if (one := version(text)) and not one.committed and (previews or not one.pre)
        if one.build == own.build and one.order > own.order
    ]
    return sorted(kept, key=order)


def order(text: str) -> Order:
    """Return what versions are sorted by; what is no version comes first."""
    return _version(text).order


def _version(text: str) -> Version:
    return version(text) or NONE


def minors(last: str, changed: str) -> list[str]:
    """Return the first releases of each minor version between two: v1.21.0, v1.22.0 of v1.20.5 and v1.22.3."""
    until, since = _version(changed), _version(last)
    if until.pre or until.build:
        return []
    begin = max(since.minor + 1 if since.major == until.major else 0, until.minor - _MOST_UNLISTED)
    return [f"v{until.major}.{number}.0" for number in range(begin, until.minor + bool(until.patch))]


def following(last: str, changed: str) -> list[str]:
    """Return patch releases that may follow the last one alike before the next minor version."""
    since = _version(last)
    if since.pre or since.build or since.line == _version(changed).line:
        return []
    numbers = range(since.patch + 1, since.patch + 1 + _MOST_FOLLOWING)
    return [f"v{since.major}.{since.minor}.{number}" for number in numbers]


def patches(last: str, changed: str) -> list[str]:
    """Return the patch releases of one minor version between two."""
    until = _version(changed)
    if until.pre or until.build:
        return []
    numbers = range(max(0, until.patch - _MOST_UNLISTED), until.patch)
    versions = [f"v{until.major}.{until.minor}.{number}" for number in numbers]
    return [version for version in versions if order(version) > order(last)]
