"""Memory beside Go's heap that is not given back: mapped files and pages, memory of C.

Profiles do not see it, so there is no stack: the program's own packages are searched for what maps and what unmaps.
"""

from collections.abc import Iterator

from tree_sitter import Node

from oakum.explain import fixes
from oakum.explain.code.calls import at, method, nodes, operand, place
from oakum.explain.code.flows import Flow, Flows
from oakum.explain.code.holders import let_go
from oakum.explain.code.nouns import FieldRef, Op
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import bare, text
from oakum.explain.network.acquired import Acquisitions, Holders, Lost, Pair
from oakum.explain.network.drafts import give_back
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.values import called
from oakum.model import CauseSite, Remedy, Text

_MAPS = (
    "syscall.Mmap", "golang.org/x/sys/unix.Mmap", "golang.org/x/exp/mmap.Open", "github.com/edsrzf/mmap-go.Map",
    "github.com/edsrzf/mmap-go.MapRegion", "C.malloc", "C.calloc", "C.CString", "C.CBytes", "C.strdup",
)  # fmt: skip
_UNMAPS = ("syscall.Munmap", "golang.org/x/sys/unix.Munmap", "C.free")
_UNDO = {
    "syscall.Mmap": "syscall.Munmap({name})",
    "golang.org/x/sys/unix.Mmap": "unix.Munmap({name})",
    "github.com/edsrzf/mmap-go.Map": "{name}.Unmap()",
    "github.com/edsrzf/mmap-go.MapRegion": "{name}.Unmap()",
    "golang.org/x/exp/mmap.Open": "{name}.Close()",
}
_MOST = 3


def _name(op: Op) -> str:
    return called(op.node, op.func, op.file, op.func.package)


def _acquires(op: Op) -> int | None:
    return 0 if _name(op) in _MAPS else None


def _releases(op: Op) -> Node | None:
    name = _name(op)
    if name in _UNMAPS and op.values:
        value = bare(op.values[0])
        if value.type == "call_expression":  # C.free(unsafe.Pointer(p))
            given = value.child_by_field_name("arguments")
            return given.named_children[0] if given is not None and given.named_children else None
        return value
    if method(op) in ("Unmap", "Close") and not op.func.package.callees(op):
        return operand(op)
    return None


def _part(name: str, kind: str) -> bool:
    del name
    return kind.startswith(("[]byte", "unsafe.Pointer", "*C.", "mmap.", "*mmap.", "uintptr"))


PAIR = Pair(
    acquires=_acquires,
    releases=_releases,
    reads=lambda op: bool(_name(op)),  # bytes handed to somebody are read; nobody else unmaps them
    part=_part,
)


def reason(scene: StackInSource) -> Reason | None:
    """Return where memory beside the heap is made and not given back."""
    if scene.suspect.mechanisms[0] != "off-heap":
        return None
    for package in scene.program.own(b"Mmap(", b"mmap.", b'"C"'):
        if not _maps(package):
            continue
        for lost in Acquisitions(package, PAIR).lost():
            return Reason("off-heap", *_texts_and_sites(package, lost), remedies=_remedies(lost))
        found = next(_replaced(package, scene.program.flows(package)), None)
        if found is not None:
            return found
    return None


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield mapped memory that a way through a function loses. What is given to C may be C's from then on: not told."""
    del flows
    if not any(b"Mmap(" in file.source.data or b"mmap.Map" in file.source.data for file in package.files):
        return
    for lost in Acquisitions(package, PAIR).lost():
        if not text(_behind(package, lost.acquire).target).startswith("C."):
            yield Reason("off-heap", *_texts_and_sites(package, lost), True, _remedies(lost))


def _remedies(lost: Lost) -> tuple[Remedy, ...]:
    release = _UNDO.get(_name(lost.acquire))
    return fixes.drafts(give_back(lost, PAIR, release)) if release is not None and lost.exits else ()


def _maps(package: Package) -> bool:
    return any(
        b"Mmap(" in file.source.data or b"mmap." in file.source.data or b'"C"' in file.source.data
        for file in package.files
    )


def _texts_and_sites(package: Package, lost: Lost) -> tuple[tuple[Text, ...], tuple[CauseSite, ...]]:
    acquire, func = lost.acquire, lost.func
    made = _behind(package, acquire)
    texts = [Text("cause.memory.made", {"place": place(made), "call": text(made.target), "function": made.func.full})]
    args = {"place": place(acquire), "call": text(acquire.target), "function": acquire.func.full}
    sites: list[CauseSite] = []
    if not lost.exits:
        texts.append(Text("cause.memory.dropped", args))
        sites.append(func.site("never-unmapped", acquire.line))
    else:
        exits = lost.exits[:_MOST]
        told = ", ".join(at(func, one.step.line) for one in exits)
        texts.append(Text("cause.memory.left", {**args, "exits": told}))
        for one, used in zip(exits, (*lost.used, *(one.step for one in exits[len(lost.used) :])), strict=False):
            sites.append(func.site("never-unmapped", used.line))
            if used.line != one.step.line:
                sites.append(func.site("left", one.step.line))
        if acquire is not made:
            sites.append(acquire.func.site("acquired", acquire.line))
    sites.append(made.func.site("made", made.line))
    texts.append(Text("cause.memory.ends"))
    return tuple(texts), tuple(sites)


def _behind(package: Package, acquire: Op) -> Op:
    """Return the call that maps, behind the functions that hand it up."""
    for _ in range(6):
        if _acquires(acquire) is not None:
            return acquire
        callees = package.callees(acquire)
        acquisitions = Acquisitions(package, PAIR)
        inner = next(
            (op for callee in callees for op in callee.ops if op.kind == "call" and acquisitions.index(op) is not None),
            None,
        )
        if inner is None:
            return acquire
        acquire = inner
    return acquire


def _replaced(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield fields that hold mapped memory and are given another without unmapping the first."""
    acquisitions = Acquisitions(package, PAIR)
    for op, index in acquisitions.all():
        holders = Holders(acquisitions, op.func, op, index)
        for store in op.func.ops:
            target = store.target
            if store.kind != "assign" or target is None or target.type != "selector_expression":
                continue
            field = package.symbol(target, store.func, store.file)
            if not isinstance(field, FieldRef) or not (holders.holds(store.values[0]) or store.values[0] == op.node):
                continue
            releases = [one for one in _all_releases(package) if _of(package, one, field)]
            for gone in let_go(flows, Flow({field}), releases):
                if gone.op is store:
                    yield _over(package, op, store)


def _all_releases(package: Package) -> list[Op]:
    return [op for func in package.all for op in func.ops if op.kind == "call" and _releases(op) is not None]


def _of(package: Package, release: Op, field: FieldRef) -> bool:
    """Tell whether a release is that of a field, or of something that a field's name leads to."""
    node = _releases(release)
    if node is None or package.symbol(node, release.func, release.file) == field:
        return True
    return any(text(one) == field.name for one in nodes(release.func.node, "field_identifier"))


def _over(package: Package, acquire: Op, store: Op) -> Reason:
    made = _behind(package, acquire)
    args = {"place": place(store), "code": store.code, "function": store.func.full, "field": text(store.target)}
    texts = (
        Text("cause.memory.made", {"place": place(made), "call": text(made.target), "function": made.func.full}),
        Text("cause.memory.replaced", args),
        Text("cause.memory.ends"),
    )
    sites = (store.func.site("never-unmapped", store.line), made.func.site("made", made.line))
    return Reason("off-heap", texts, sites)
