"""What goref writes, and `oakum holders --proto`: stacks that are holding paths, main.registry -> sessions -> $mapval.

In: a profile that was read. Out: the same as a reading of kind "holders", or None when it is no such profile. Known by
its two sample types and by frames that are fields: no file, no line, no address, some with names like $mapval.
goref counts each object once, by the first path it found to it: sums are what that path reaches, not what it retains.
"""

from collections import defaultdict
from typing import get_args

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from oakum.model import Frame, Profile, Reading
from oakum.model.holders import COMMENT, HOLDER_LABEL, SITE_LABEL, Allocation, Holder, HolderKind, Holders

_TYPES = ["inuse_objects", "inuse_space"]
_INNER = "$"  # $mapval, $mapkey, $mapbucket, $sub_objects$: what has no name in the source
_REST = "$sub_objects$"  # what lies deeper than goref names it
# main.(*Server).run.func1.conns: of a goroutine's frame the function comes first, of a global the package alone.
_MOST = 20_000
_ROOTS: dict[str, HolderKind] = {one: one for one in get_args(HolderKind)}
_DEEPEST = 100


class _Node(Struct):
    bytes: int = 0
    objects: int = 0
    sites: tuple[Allocation, ...] = ()
    below: "dict[str, _Node]" = field(default_factory=lambda: defaultdict(_Node))

    @property
    def own(self) -> int:
        """Return the objects that lie on this path itself."""
        return self.objects - sum(one.objects for one in self.below.values())


def as_holders(reading: Reading) -> Reading | None:
    """Return what a profile of goref tells of holders; None when it is another profile."""
    profile = reading.profile
    if profile is None or not _is_goref(profile):
        return None
    top = _Node()
    made = 0
    stacks = profile.stacks_at(range(len(profile.stacks)))
    names = [[frame.function for frame in reversed(stack.frames)][:_DEEPEST] for stack in stacks]
    told: dict[str, dict[str, str]] = {}
    ours = COMMENT in profile.comments
    labelled = profile.label_ids.tolist()
    for at, (stack, objects, size) in enumerate(zip(profile.stack_ids.tolist(), *profile.values.tolist(), strict=True)):
        node = top
        labels = profile.labels(labelled[at]) if ours and names[stack] else ()
        if labels:
            told[names[stack][0]] = {one.key: one.text for one in labels}
        for name in (one for one in names[stack] if one != _REST):
            if name not in node.below:
                made += 1
                if made > _MOST:
                    break
            node = node.below[name]
            node.objects += objects
            node.bytes += size
        if ours:
            found = (_allocation(one.text) for one in labels if one.key == SITE_LABEL)
            node.sites = tuple(filter(None, found))
    roots = tuple(_root(name, node, ours, told.get(name, {})) for name, node in _ordered(top))
    objects, size = (int(profile.values[row].sum()) for row in range(2))
    holders = Holders(size, objects, roots, exact=ours)
    return replace(
        reading,
        kind="holders",
        format="holders" if ours else "goref",
        holders=holders,
        profile=replace(profile, kind="holders"),
    )


def _is_goref(profile: Profile) -> bool:
    if [one.type for one in profile.sample_types] != _TYPES or not profile.samples:
        return False
    if COMMENT in profile.comments:
        return True
    functions, locations = profile.functions, profile.locations
    bare = not functions.file.any() and not locations.line_number.any() and not np.count_nonzero(locations.address)
    return bool(bare and len(profile.strings.starting_with(_INNER.encode())))


def _ordered(node: _Node) -> list[tuple[str, _Node]]:
    return sorted(node.below.items(), key=lambda item: (-item[1].bytes, item[0]))


def _root_kind(name: str) -> HolderKind:
    """Return what a root is by its name: package.variable, or package.function.variable of a frame."""
    plain = name.rpartition("/")[2].partition(" ")[0]
    return "goroutine" if plain.count(".") > 1 else "global"


def _allocation(text: str) -> Allocation | None:
    parts = text.split("\t")
    if len(parts) != 5 or not all(part.isdigit() and len(part) < 16 for part in parts[2:]):
        return None
    function, file, *numbers = parts
    line, objects, size = map(int, numbers)
    return Allocation((Frame(function, file, line),), objects, size)


def _root(name: str, node: _Node, ours: bool, facts: dict[str, str]) -> Holder:
    made = _holder(name, node, ours, _ROOTS.get(facts.get(HOLDER_LABEL, "")) or _root_kind(name))
    count = facts.get("count", "")
    number = int(count) if count.isdigit() and len(count) < 12 else 1
    return replace(made, state=facts.get("state", ""), count=number)


def _holder(name: str, node: _Node, ours: bool, kind: HolderKind) -> Holder:
    below = tuple(_holder(inner, one, ours, _kind(inner)) for inner, one in _ordered(node))
    largest = max(node.below.values(), key=lambda one: one.bytes, default=_Node())
    name, of = name.removeprefix(f"{kind} of "), ""
    if ours and name.endswith(")"):  # byKey (map[string]main.Answer)
        name, _, of = name[:-1].partition(" (") if " (" in name else (name, "", "")
    return Holder(name, kind, node.bytes, node.objects, below, type=of, entries=largest.own, allocated=node.sites)


def _kind(name: str) -> HolderKind:
    if name.startswith(("objects of ", "data of ")):
        return "objects" if name.startswith("o") else "data"
    return "entries" if name.startswith((_INNER, "[]")) else "field"
