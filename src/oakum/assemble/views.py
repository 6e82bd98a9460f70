"""Parts that a view can show -> snapshots, and which of them only say again what lies beside them."""

from collections.abc import Sequence

from oakum.assemble.parts import Input, Part
from oakum.assemble.snapshots import Gathered, loose, richest_first, together

Shown = tuple[Input, Part]


def view_snapshots(parts: Sequence[Shown]) -> list[Gathered]:
    """Return the snapshots in the order given: files named one by one, then those of each directory."""
    named = loose([part for item, part in parts if not item.path], apart=True)
    found: dict[str, list[Gathered]] = {}
    directories = _by_directory(parts)
    for item, part in parts:
        if item.path:
            found[_directory(part)] = []
        else:
            found[part.capture.origin] = [one for one in named if one.parts[0].capture is part.capture]
    for directory, inside in directories.items():
        found[directory] = together(inside, directory)
    return [one for several in found.values() for one in several]


def beside_richer(parts: Sequence[Shown]) -> dict[Part, Part]:
    """Return the parts that only say again, in a poorer format, what one beside them in a directory says: that one."""
    poorer: dict[Part, Part] = {}
    for directory, inside in _by_directory(parts).items():
        for snapshot in together(inside, directory):
            for slot in snapshot.slots:
                best, *others = richest_first(part for part in snapshot.parts if part.slot == slot)
                poorer |= {other: best for other in others if other.reading.format != best.reading.format}
    return {part: poorer[part] for _, part in parts if part in poorer}


def _by_directory(parts: Sequence[Shown]) -> dict[str, list[Part]]:
    inside: dict[str, list[Part]] = {}
    for item, part in parts:
        if item.path:
            inside.setdefault(_directory(part), []).append(part)
    return inside


def _directory(part: Part) -> str:
    return part.capture.origin.rpartition("/")[0]
