"""Known leaks that builds carry -> their part of the page of `oakum scan`, and of its document.

On a screen they stand below the file that names the versions, what is not certain more quietly, and last what to
upgrade. In a pipe each is one line that begins with file and line.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import to_builtins

from oakum.knowledge.leaks import leaks
from oakum.knowledge.upgrades import Upgrade, upgrades
from oakum.model import Carried, Scan
from oakum.report.pen import Pen
from oakum.report.words import say

_SUMMARY_LEAST = 36  # columns below which a sentence is no pleasure to read


def carried_lines(pen: Pen, found: Scan) -> Iterator[str]:
    """Yield what builds carry, a block for each file and program."""
    for rows in _blocks(found.carried):
        sure = [row for row in rows if row.mendable]
        changes = {(one.module, one.product): one for one in upgrades(sure)}
        if pen.columns is None:
            yield from (_line(pen, row) for row in rows)
            yield from ("",) * bool(changes)
            yield from (line for one in changes.values() for line in upgrade_lines(pen, one, len(sure), 3))
        else:
            yield _heading(pen, rows[0])
            wide = max(pen.look.width_of(row.id) for row in rows)
            for key, one in changes.items():
                yield from _module(pen, [row for row in sure if (row.module, row.product) == key], wide)
                yield from upgrade_lines(pen, one, len(sure), 6)
            yield from _unmended(pen, [row for row in rows if row.certain and not row.mendable])
            yield from _uncertain(pen, [row for row in rows if not row.certain])
        yield ""
    if pen.columns is not None and any(row.line and row.linked is None for row in found.carried):
        yield from pen.dim(pen.wrapped(pen.word("known.hint-program"), 0))


def _blocks(rows: Iterable[Carried]) -> Iterator[list[Carried]]:
    blocks: dict[tuple[str, str], list[Carried]] = {}
    for row in rows:
        blocks.setdefault((row.origin, row.program), []).append(row)
    yield from blocks.values()


def _heading(pen: Pen, row: Carried) -> str:
    origin = pen.look.styled(pen.look.safe(row.origin), "bold", "cyan")
    return f"{origin}  {pen.look.styled(pen.look.safe(row.program), 'dim')}" if row.program else origin


def module_of(row: Carried) -> str:
    """Return module and version as people name them: "Go 1.21.3" is Go itself."""
    if row.module == "std":
        return f"Go {(row.found or '').removeprefix('v')}".strip()
    return f"{row.module} {row.found or ''}".strip()


def _module(pen: Pen, rows: Sequence[Carried], wide: int) -> Iterator[str]:
    """Yield one module and its leaks: id, the release that fixes it, what stays behind."""
    line = f"  ({pen.word('known.line', line=rows[0].line)})" if rows[0].line else ""
    yield f"   {pen.look.styled(pen.look.safe(module_of(rows[0])), 'bold')}{line}"
    arrow = "→" if pen.look.glyphs else "->"
    cells = [(row, f"{arrow} {newest(row)}") for row in rows]
    broad = max(pen.look.width_of(version) for _, version in cells)
    left = 6 + wide + 2 + broad + 2
    beside = pen.columns is not None and pen.columns - left >= _SUMMARY_LEAST
    for row, version in cells:
        name = pen.look.styled(pen.look.safe(row.id), "bold", "red") + " " * (wide - pen.look.width_of(row.id))
        first, *more = pen.wrapped(pen.say(row.summary), left if beside else 9, pad=False)
        gap = " " * (broad - pen.look.width_of(version))
        if beside:
            yield f"      {name}  {version}{gap}  {first}"
            yield from (f"{' ' * left}{line}" for line in more)
        else:
            yield f"      {name}  {version}"
            yield from (f"{' ' * 9}{line}" for line in (first, *more))


def fixed_in(pen: Pen, row: Carried) -> str:
    version = newest(row)
    return pen.word("known.mended-in", version=version) if version else pen.word("known.not-mended")


def why_not_certain(pen: Pen, row: Carried) -> str:
    if row.doubt == "directory" and row.fork.startswith("("):  # a workspace: "(devel)" is no directory
        return pen.word("known.doubt.checkout")
    return pen.word(f"known.doubt.{row.doubt or 'unreviewed'}", **({"fork": row.fork} if row.fork else {}))


def _unmended(pen: Pen, rows: Sequence[Carried]) -> Iterator[str]:
    """Yield what no upgrade helps against."""
    if rows:
        yield pen.look.styled(f"   {pen.word('known.unmended-heading')}", "bold")
    for row in rows:
        yield from pen.wrapped(f"{row.id}  {pen.look.safe(module_of(row))}", 6)
        yield from pen.dim(pen.wrapped(pen.say(row.summary), 9))


def _uncertain(pen: Pen, rows: Sequence[Carried]) -> Iterator[str]:
    """Yield what the version does not decide, and why, those of one module together."""
    if rows:
        yield pen.look.styled(f"   {pen.word('known.not-certain')}", "bold")
    alike: dict[tuple[str, str], list[Carried]] = {}
    for row in rows:
        alike.setdefault((module_of(row), why_not_certain(pen, row)), []).append(row)
    for (module, why), found in alike.items():
        yield from pen.wrapped(f"{pen.look.safe(module)}{pen.colon}{why}", 6)
        told = [f"{row.id} ({release})" if (release := newest(row)) else row.id for row in found]
        yield from pen.dim(pen.wrapped(pen.comma.join(told), 9))


def newest(row: Carried) -> str:
    """Return the release with the fix that a row tells, as people name it; "" when there is none."""
    affected = next((one for one in leaks().entry(row.id).affects if one.module == row.module), None)
    version = row.upgrade_to or (affected.tag(row.fixed[-1]) if affected and row.fixed else "")
    return f"Go {version.removeprefix('v')}" if version and row.module == "std" else version


def _line(pen: Pen, row: Carried) -> str:
    """Return all of a row on one line, for a pipe."""
    place = f"{row.origin}:{row.line}" if row.line else row.origin
    owner = f" ({row.program})" if row.program else ""
    facts = f"{pen.look.safe(module_of(row))}{pen.comma}{fixed_in(pen, row)}"
    doubt = f"{pen.stop}{why_not_certain(pen, row)}" if not row.certain else ""
    return f"{pen.look.safe(place + owner)}: {row.id}: {facts}{doubt}{pen.colon}{pen.say(row.summary)}"


def upgrade_lines(pen: Pen, one: Upgrade, all_of_them: int, indent: int) -> Iterator[str]:
    """Yield what to upgrade: a command, or a sentence about a release of the program itself."""
    ids = pen.joined(one.fixes)
    if one.product or one.module == "std":
        if one.module == "std":
            told = pen.word("known.go", version=f"Go {one.version.removeprefix('v')}", ids=ids)
        elif len(one.fixes) == all_of_them > 1:
            told = pen.word("known.product-all", module=one.module, version=one.version, count=all_of_them)
        else:
            told = pen.word("known.product", module=one.module, version=one.version, ids=ids)
        yield from (pen.look.styled(line, "bold") for line in pen.wrapped(told, indent))
        return
    every = pen.columns is not None and len(one.fixes) > 1
    told = pen.word("known.get-all") if every else pen.word("known.get", ids=ids)
    yield f"{' ' * indent}{pen.command(get_command(one))}   {pen.look.styled(f'# {told}', 'dim')}"


def get_command(one: Upgrade) -> str:
    return f"go get {one.module}@{one.version}"


def summary_parts(pen: Pen, found: Scan) -> list[str]:
    """Return what the summing line tells of builds; a leak of several builds is one."""
    parts: list[str] = []
    if unmended := len({row.id for row in found.carried if row.certain and not row.mendable}):
        parts.append(pen.word("known.unmendable", count=unmended))
    if uncertain := len({row.id for row in found.carried if not row.certain}):
        parts.append(pen.word("known.uncertain", count=uncertain))
    if parts and any(row.mendable for row in found.carried):
        parts[0] = pen.word("known.besides", what=parts[0])
    if found.unlinked:
        parts.append(pen.word("known.unlinked", count=len({row.id for row in found.unlinked})))
    if found.passed_over:
        parts.append(pen.word("known.passed-over", count=len({row.id for row in found.passed_over})))
    if found.builds:
        parts.append(pen.word("known.looked-up", builds=found.builds, leaks=len(leaks().ids)))
    return parts


def documents(found: Scan) -> dict[str, Any]:
    changes = [
        {"origin": rows[0].origin, "program": rows[0].program, **to_builtins(one), "command": _command(one)}
        for rows in _blocks(found.carried)
        for one in upgrades(rows)
    ]
    return {
        "builds": found.builds,
        "carried": [row_document(row) for row in found.carried],
        "passed_over": [row_document(row) | {"reason": row.ignored} for row in found.passed_over],
        "unlinked": [row_document(row) for row in found.unlinked],
        "upgrades": changes,
    }


def _command(one: Upgrade) -> str | None:
    return get_command(one) if not one.product and one.module != "std" else None


def row_document(row: Carried) -> dict[str, Any]:
    """Return one known bug of a build as it stands in documents."""
    return {
        "id": row.id,
        "mechanism": row.mechanism,
        "summary": say(row.summary),
        "module": row.module,
        "found": row.found,
        "affects": row.affects,
        "certain": row.certain,
        "mendable": row.mendable,
        "doubt": row.doubt,
        "fork": row.fork,
        "fixed": list(row.fixed),
        "upgrade_to": row.upgrade_to,
        "origin": row.origin,
        "line": row.line or None,
        "program": row.program,
        "product": row.product,
        "linked": row.linked,
        "reviewed": row.reviewed,
        "references": list(row.references),
    }
