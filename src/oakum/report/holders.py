"""What holds the heap -> lines for a terminal, and a JSON document.

Comes in: the holders of one or two snapshots, and what changed. Goes out: text in one language; nothing is shortened.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from oakum.model.holders import Holder, HolderChange, Holders
from oakum.report.words import size, word

Shown = Callable[..., str]  # the text in some styles, and harmless: names come from evidence

_SHARE = 0.01  # of the heap: below it a holder is not shown without --all
_ENTRIES = 8  # fewer are no container


def name_of(holder: Holder, lang: str = "en") -> str:
    """Return what a holder is called in a tree."""
    told = word(
        f"holders.kind.{holder.kind}", lang, name=holder.name, count=holder.count, state=holder.state or "?"
    )  # fmt: skip
    kind = f" ({holder.type})" if holder.type else ""
    many = f", {word('holders.entries', lang, entries=holder.entries)}" if holder.entries >= _ENTRIES else ""
    return f"{told}{kind}{many}"


def tree_lines(holders: Holders, lang: str, most: int, deepest: int, styled: Shown) -> Iterator[str]:
    """Yield the tree, the largest holder first; `most` roots (0: all), `deepest` levels below each."""
    head = [word("holders.head", lang, bytes=holders.bytes, objects=holders.objects)]
    if holders.unreferenced:
        head.append(word("holders.unreferenced", lang, bytes=holders.unreferenced))
    yield ("；" if lang == "zh" else "; ").join(head)
    yield styled(word("holders.exact" if holders.exact else "holders.first-path", lang), "dim")
    if not holders.roots:
        yield word("holders.empty", lang)
        return
    yield ""
    measure = word(f"holders.columns.{'retained' if holders.exact else 'reached'}", lang)
    columns = (measure, "%", word("holders.columns.objects", lang), word("holders.columns.holder", lang))
    yield styled("{:>10}  {:>6}  {:>10}  {}".format(*columns), "dim")
    least = 0 if not most else int(holders.bytes * _SHARE)
    shown = [root for root in holders.roots if root.bytes >= least][: most or None]
    for root in shown:
        yield from _branch(root, holders.bytes, lang, 0, deepest, least, styled)
    if rest := len(holders.roots) - len(shown):
        yield ""
        yield styled(word("holders.more", lang, count=rest), "dim")


def _branch(node: Holder, total: int, lang: str, depth: int, deepest: int, least: int, styled: Shown) -> Iterator[str]:
    waiting = [(node, depth)]
    while waiting:
        node, depth = waiting.pop()
        part = 100 * node.bytes / max(1, total)
        called = name_of(node, lang)
        indent = "  " * depth
        yield f"{size(node.bytes):>10}  {part:>5.1f}%  {node.objects:>10,}  {indent}" + (
            styled(called, *["bold"] * (depth == 0))
        )
        if depth == 0 and node.allocated:
            frame = node.allocated[0].site
            told = word("holders.allocated", lang, function=frame.function, place=f"{frame.file}:{frame.line}")
            yield f"{'':>30}  {styled(told, 'dim')}"
        if depth < deepest:
            waiting += [(one, depth + 1) for one in reversed(node.below) if one.bytes >= least]


def change_lines(
    found: Sequence[HolderChange], labels: tuple[str, str], lang: str, most: int, styled: Shown
) -> Iterator[str]:
    """Yield what each path gained or lost, the largest change first."""
    yield styled(word("holders.grown", lang, before=labels[0], after=labels[1]), "bold")
    if not found:
        yield word("holders.same", lang)
        return
    names = [word(f"holders.columns.{one}", lang) for one in ("change", "before", "after", "objects", "holder")]
    yield styled("{:>12}  {:>10}  {:>10}  {:>10}  {}".format(*names), "dim")
    for one in found[: most or None]:
        objects = (one.objects_after or 0) - (one.objects_before or 0)
        sign = "+" if one.bytes > 0 else ""
        yield (
            f"{sign + size(one.bytes):>12}  {_or_none(one.before):>10}  {_or_none(one.after):>10}  {objects:>+10,}  "
            + styled(" → ".join(name_of(node, lang) for node in one.path))
        )
    if most and len(found) > most:
        yield styled(word("holders.more", lang, count=len(found) - most), "dim")


def _or_none(value: int | None) -> str:
    return "-" if value is None else size(value)


def document(origin: str, holders: Holders) -> dict[str, Any]:
    """Return the holders of one snapshot as JSON has them."""
    return {
        "origin": origin,
        "bytes": holders.bytes,
        "objects": holders.objects,
        "unreferenced": holders.unreferenced,
        "exact": holders.exact,
        "holders": [_node(root) for root in holders.roots],
    }


def _node(root: Holder) -> dict[str, Any]:
    made: dict[str, Any] = {}
    waiting: list[tuple[Holder, dict[str, Any]]] = [(root, made)]
    while waiting:
        node, into = waiting.pop()
        into |= {"name": node.name, "kind": node.kind, "bytes": node.bytes, "objects": node.objects}
        into |= {name: value for name in ("type", "state") if (value := getattr(node, name))}
        if node.kind in ("goroutine", "finalizers", "finalizer-queue"):
            into["count"] = node.count
        if node.entries:
            into["entries"] = node.entries
        if node.stack:
            into["stack"] = list(node.stack)
        if node.allocated:
            into["allocated"] = [
                {"stack": [str(frame) for frame in one.frames], "objects": one.objects, "bytes": one.bytes}
                for one in node.allocated
            ]
        into["below"] = [{} for _ in node.below]
        waiting += zip(node.below, into["below"], strict=True)
    return made


def change_document(found: Sequence[HolderChange]) -> list[dict[str, Any]]:
    """Return the changes as JSON has them."""
    return [
        {
            "path": [one.name for one in change.path],
            "change": change.bytes,
            "before": change.before,
            "after": change.after,
            "objects_before": change.objects_before,
            "objects_after": change.objects_after,
        }
        for change in found
    ]
