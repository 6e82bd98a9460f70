"""What holds the heap at two times -> what each holder gained. Measures only."""

from oakum.model.holders import Holder, HolderChange, Holders

_Key = tuple[tuple[str, str], ...]


def changes(before: Holders, after: Holders) -> tuple[HolderChange, ...]:
    """Return each path that gained or lost, roots and what is below them; the largest change first.

    Objects that are known by their sizes alone are no path of their own: a slice that grows has another size.
    """
    old, new = _by_path(before), _by_path(after)
    found = []
    for key in dict.fromkeys((*new, *old)):
        path = new.get(key) or old[key]
        was, now = (table[key][-1] if key in table else None for table in (old, new))
        found.append(
            HolderChange(
                path,
                was.bytes if was else None,
                now.bytes if now else None,
                was.objects if was else None,
                now.objects if now else None,
            )
        )
    return tuple(sorted((one for one in found if one.bytes), key=lambda one: (-abs(one.bytes), len(one.path))))


def _by_path(holders: Holders) -> dict[_Key, tuple[Holder, ...]]:
    found: dict[_Key, tuple[Holder, ...]] = {}
    for root in holders.roots:
        for above, node in root.walk():
            path = (*above, node)
            if any(one.kind in ("objects", "data") for one in path):
                continue
            found[tuple((one.kind, one.name) for one in path)] = path
    return found
