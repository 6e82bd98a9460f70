"""Known leaks that builds carry -> the lowest release of each module that has none of them any more.

A release that fixes one leak may still have another, also one that an older line is already rid of: so every fix is
tried against all of them.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from oakum.knowledge.affected import Affected
from oakum.knowledge.leaks import leaks
from oakum.knowledge.running import KUBERNETES
from oakum.knowledge.versions import Order, Version, version
from oakum.model import Carried


class Upgrade(Struct, frozen=True):
    """One module, the release to go to, and which of its leaks that fixes."""

    module: str
    version: str  # as the go command knows it
    fixes: tuple[str, ...]
    product: bool = False


def upgrades(rows: Iterable[Carried]) -> tuple[Upgrade, ...]:
    """Return what to upgrade so that all that is certain and can be fixed is gone, one row a module."""
    by_module: dict[tuple[str, bool], list[Carried]] = {}
    for row in rows:
        if row.mendable:
            by_module.setdefault((row.module, row.product), []).append(row)
    return tuple(_upgrade(module, product, found) for (module, product), found in sorted(by_module.items()))


def _upgrade(module: str, product: bool, rows: Sequence[Carried]) -> Upgrade:
    ids = sorted({row.id for row in rows})
    fixable = {id_: one for id_ in ids if (one := _affected(id_, module)) and one.fixed}
    releases = {_own(fix, one) for one in fixable.values() for text in one.fixed if (fix := version(text))}
    good = sorted((fix for fix in releases if all(one.has(str(fix)) == "no" for one in fixable.values())), key=_order)
    running = [
        _own(told, one) for row in rows if (one := fixable.get(row.id)) and (told := one.numbered(version(row.found)))
    ]
    # A commit that no release came before says nothing of lines: the newest has it all.
    lines = not any(one.committed and one.line == (0, 0) for one in running)
    above = [fix for fix in good if lines and all(fix.order > one.order for one in running)]
    chosen = (above or good[-1:])[:1]
    asked = next((one for one in fixable.values() if one.releases), next(iter(fixable.values())))
    return Upgrade(module, asked.tag(str(chosen[0])), tuple(fixable), product)


def _order(one: Version) -> Order:
    return one.order


def _affected(id_: str, module: str) -> Affected | None:
    rows = leaks().entry(id_).affects
    named = next((one for one in rows if one.module == module), None)
    if named is None and module == KUBERNETES:  # a part that came with it is told as Kubernetes
        return next((one.of_the_release(KUBERNETES) for one in rows if one.module.startswith("k8s.io/")), None)
    return named


def _own(found: Version, one: Affected) -> Version:
    """Return a release of Kubernetes as the version of a part of it: v0.15.5 of v1.15.5."""
    return replace(found, major=0) if one.releases == "kubernetes" and found.major == 1 else found
