"""Entries of the catalogue of known bugs -> pages for a terminal or a pipe, and the document that programs read.

A list has what people look for: id, module, the releases that fix it, what stays behind. One entry is told whole: what
it looks like, when and why it happens, which versions have it, what to do. In a pipe a list has one line an entry.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import to_builtins

from oakum import __version__
from oakum.knowledge.affected import Affected
from oakum.knowledge.leaks import Leak, Words, leaks
from oakum.knowledge.signature import Signature
from oakum.knowledge.upgrades import upgrades
from oakum.knowledge.versions import version
from oakum.model import Carried
from oakum.report.carried import fixed_in, row_document, upgrade_lines, why_not_certain
from oakum.report.pen import LabelledPen, Look, Pen

SCHEMA = "oakum.known/1"
_LABELS = ("looks", "trigger", "cause", "fix", "risk", "versions", "do", "reproduce", "see", "checked", "next")
_NAMES_MOST = 3  # functions that may stand for each other
_FIXES_MOST = 4  # releases of one module that are read at a glance
_END = {"en": ".", "zh": "。"}


def listed(entries: Sequence[Leak], look: Look, words: Sequence[str] = (), near: Sequence[str] = ()) -> str:
    """Return a list of entries, grouped by project; `words` were looked for, `near` is what is spelled like them."""
    pen = Pen(look)
    everything = len(leaks().ids)
    if not entries:
        told = pen.word("known.none", words=" ".join(words)) if words else pen.word("known.none-filtered")
        all_of_them = pen.word("known.count", count=everything)
        told = f"{told}（共 {all_of_them}）。" if look.lang == "zh" else f"{told} ({all_of_them})."
        lines = [*pen.wrapped(told, 0)]
        if near:
            lines += pen.wrapped(pen.word("known.near", names=pen.joined(near)), 0)
        return "\n".join(lines) + "\n"
    projects = len({entry.project for entry in entries})
    count = (
        pen.word("known.count", count=everything)
        if len(entries) == everything
        else pen.word("known.of", count=len(entries), all=everything)
    )
    comma = " " if look.lang == "en" else pen.comma
    head = f"{look.styled(count, 'bold')}{comma}{pen.word('known.projects', count=projects)}"
    lines = _table(pen, entries) if look.columns is None else [head, *_grouped(pen, entries)]
    if look.columns is not None:
        lines += ["", *pen.dim([pen.word("known.more")])]
    return "\n".join(lines) + "\n"


def _grouped(pen: Pen, entries: Sequence[Leak]) -> list[str]:
    lines: list[str] = []
    for project, found in groupby(sorted(entries, key=lambda one: (one.project, one.id)), lambda one: one.project):
        lines += ["", pen.look.styled(pen.look.safe(project), "bold", "cyan")]
        for entry in found:
            facts = _mended(pen, entry.affects[0])
            if not entry.reviewed:
                facts = f"{facts}{pen.stop}{pen.word('known.unreviewed')}"
            name = pen.look.styled(entry.id, "bold")
            if pen.columns is None or pen.look.width_of(f"   {entry.id}  {facts}") <= pen.columns:
                lines.append(f"   {name}  {pen.look.styled(facts, 'dim')}")
            else:
                lines += [f"   {name}", *pen.dim(pen.wrapped(facts, 6))]
            lines += pen.wrapped(_spoken(pen, entry.summary), 6)
    return lines


def _table(pen: Pen, entries: Sequence[Leak]) -> list[str]:
    firsts = [(entry, entry.affects[0]) for entry in entries]
    rows = [(e.id, module_name(pen, one), ",".join(one.fixed) or "-", _spoken(pen, e.summary)) for e, one in firsts]
    wide = [max(pen.look.width_of(row[at]) for row in rows) for at in range(3)]
    padded = [[cell + " " * (wide[at] - pen.look.width_of(cell)) for at, cell in enumerate(row[:3])] for row in rows]
    return ["  ".join((*cells, row[3])) for cells, row in zip(padded, rows, strict=True)]


def _mended(pen: Pen, one: Affected) -> str:
    """Return a module and the releases that fix it, the first and the last of many."""
    fixed = [one.tag(text).removeprefix("v") if one.module == "std" else one.tag(text) for text in one.fixed]
    if len(fixed) > _FIXES_MOST:
        fixed = [fixed[0], pen.dots, fixed[-1]]
    told = pen.word("known.mended-in", version=pen.joined(fixed)) if fixed else pen.word("known.not-mended")
    return f"{module_name(pen, one)}{pen.comma}{told}"


def first_module(pen: Pen, entry: Leak) -> str:
    """Return the module that an entry is first of, and the releases that fix it."""
    return _mended(pen, entry.affects[0])


def module_name(pen: Pen, one: Affected) -> str:
    return pen.word("known.go-itself") if one.module == "std" else pen.look.safe(one.module)


def _spoken(pen: Pen, words: Words) -> str:
    return pen.look.safe(words[pen.look.lang])


def shown(entry: Leak, look: Look) -> str:
    return "\n".join(Described(entry, look).lines()) + "\n"


class Described(LabelledPen):
    def __init__(self, entry: Leak, look: Look) -> None:
        super().__init__(look, _LABELS)
        self.entry = entry

    def lines(self) -> Iterator[str]:
        entry = self.entry
        head = f"{self.look.styled(entry.id, 'bold', 'red')} {self.dot} {self.look.safe(entry.mechanism)}"
        yield head if entry.reviewed else f"{head} {self.dot} {self.word('known.unreviewed')}"
        yield from (self.look.styled(line, "bold") for line in self.wrapped(_spoken(self, entry.summary), 0))
        yield ""
        yield from self.labelled("looks", self.looks())
        yield from self.labelled("trigger", self.paragraph(_spoken(self, entry.trigger)))
        yield from self.labelled("cause", self.paragraph(_spoken(self, entry.cause)))
        own = entry.fault == "usage"
        if not own:
            yield from self.labelled("fix", self.paragraph(_spoken(self, entry.fix)))
        if entry.risk:
            yield from self.labelled("risk", self.paragraph(_spoken(self, entry.risk)))
        yield from self.labelled("versions", self.versions())
        yield from self.labelled("do", self.remedies())
        yield from self.labelled("reproduce", self.paragraph(self.comma.join(self.reproduced())))
        yield from self.labelled("see", [self.look.safe(one) for one in entry.references])
        checked = self.word("known.reviewed.yes" if entry.reviewed else "known.reviewed.no")
        yield from self.labelled("checked", self.paragraph(checked))
        yield from self.labelled("next", [self.command(one) for one in self.commands()])

    def looks(self) -> Iterator[str]:
        # What has to be fixed first, what follows from it in other places last.
        for signature in sorted(self.entry.goroutines, key=lambda one: (one.symptom, one.where == "peer")):
            states = self.word("known.looks.or").join(signature.states)
            yield from self.paragraph(
                self.word("known.looks.goroutine", states=states) if states else self.word("known.looks.any-state")
            )
            yield from self.signature(signature, "at")
        for signature in self.entry.heap:
            yield from self.paragraph(self.word("known.looks.heap"))
            yield from self.signature(signature, "by")

    def signature(self, signature: Signature, leaf: str) -> Iterator[str]:
        parts = [(leaf, signature.leaf)] if signature.leaf else []
        for one in signature.path:
            parts.append(("called" if parts else "in", (one,) if isinstance(one, str) else one))
        parts += [("created", signature.created)] if signature.created else []
        parts += [("without", signature.without)] if signature.without else []
        for key, names in parts:
            few = names if self.columns is None else names[:_NAMES_MOST]
            named = self.word("known.looks.or").join(few)
            more = self.word("known.looks.more", count=len(names) - len(few)) if len(few) < len(names) else ""
            first, *rest = self.paragraph(self.word(f"known.looks.{key}", function=f"{named}{more}"), 4)
            yield f"  {first}"
            yield from (f"    {line}" for line in rest)
        for key in ("peer",) * (signature.where == "peer") + ("symptom",) * signature.symptom:
            yield from (f"  {line}" for line in self.paragraph(self.word(f"known.looks.{key}"), 2))

    def versions(self) -> Iterator[str]:
        """Yield a table of modules: which releases have it, which fix it."""
        head = tuple(self.word(f"known.table.{name}") for name in ("module", "has", "mended"))
        rows = [
            head,
            *((module_name(self, one), ranges(self, one), fixed_releases(self, one)) for one in self.entry.affects),
        ]
        wide = [max(self.look.width_of(row[at]) for row in rows) for at in range(3)]
        room = self.room(self.margin)
        if room is None or sum(wide) + 4 <= room:
            for at, row in enumerate(rows):
                cells = [cell + " " * (width - self.look.width_of(cell)) for cell, width in zip(row, wide, strict=True)]
                line = "  ".join(cells).rstrip()
                yield self.look.styled(line, "dim") if at == 0 else line
            return
        for module, has, fixed in rows[1:]:
            yield self.look.styled(module, "bold")
            yield from (f"  {line}" for line in self.paragraph(f"{head[1]}{self.colon}{has}", 2))
            yield from (f"  {line}" for line in self.paragraph(f"{head[2]}{self.colon}{fixed}", 2))

    def remedies(self) -> Iterator[str]:
        entry = self.entry
        told = [self.word("known.usage"), _spoken(self, entry.fix)] if entry.fault == "usage" else []
        fixed = [one for one in entry.affects if one.fixed]
        if entry.fault == "library" and fixed:
            places = [f"{module_name(self, one)} {one.tag(one.fixed[-1])}" for one in fixed]
            told.append(self.word("known.upgrade-first", versions=self.word("known.looks.or").join(places)))
        told += [_spoken(self, one) for one in entry.workarounds]
        for at, one in enumerate(told, 1):
            first, *more = self.paragraph(one, 3)
            yield f"{at}. {first}"
            yield from (f"   {line}" for line in more)

    def reproduced(self) -> Iterator[str]:
        return (f"{one.module}@{one.leaks_at}" for one in self.entry.affects if one.leaks_at)

    def commands(self) -> Iterator[str]:
        yield "oakum known match CAPTURES"
        if self.entry.fault == "library":
            yield "oakum scan go.mod PROGRAM"


def ranges(pen: Pen, one: Affected) -> str:
    told = [_range(pen, begin, end) for begin, end in one.ranges()]
    text = pen.stop.join(told)
    return f"{text} ({pen.word('known.range.kubernetes')})" if one.releases == "kubernetes" else text


def _range(pen: Pen, begin: str, end: str) -> str:
    """Return releases as people name them: v1.15.0 to v1.15.4."""
    if not begin or not end:
        key = "between" if begin and end else "from" if begin else "below" if end else "all"
        return pen.word(f"known.range.{key}", begin=begin, end=end)
    first, last = version(begin), version(end)
    if first and last and first.line == last.line and last.patch and not last.pre:
        return pen.word("known.range.between", begin=begin, end=f"v{last.major}.{last.minor}.{last.patch - 1}")
    return pen.word("known.range.before", begin=begin, end=end)


def fixed_releases(pen: Pen, one: Affected) -> str:
    return pen.joined(one.fixed) or pen.word("known.no-release")


def of_version(module: str, found: str, rows: Sequence[Carried], rid: Sequence[str], look: Look) -> str:
    """Return which known bugs a version of a module has, and which it is rid of."""
    pen = Pen(look)
    sure = [row for row in rows if row.certain]
    name = "Go" if module == "std" else module
    if sure:
        head, colour = pen.word("known.has", module=name, version=found, count=len(sure)), "red"
    elif rows:
        head, colour = pen.word("known.may-have", module=name, version=found, count=len(rows)), "magenta"
    elif rid or any(one.module == module for entry in leaks().entries for one in entry.affects):
        head, colour = pen.word("known.has-none", module=name, version=found), "green"
    else:
        head, colour = pen.word("known.no-module", module=name), "bold"
    lines = [look.styled(line, "bold", colour) for line in pen.wrapped(f"{head}{_END[look.lang]}", 0)]
    for row in rows:
        told = f"{fixed_in(pen, row)}" if row.certain else f"{why_not_certain(pen, row)}{pen.stop}{fixed_in(pen, row)}"
        lines += [f"   {look.styled(row.id, 'bold')}  {told}", *pen.wrapped(pen.say(row.summary), 6)]
    for one in upgrades(rows):
        lines += upgrade_lines(pen, one, sum(row.mendable for row in rows), 3)
    if rid:
        lines += pen.dim(
            pen.wrapped(f"{pen.word('known.rid-of', count=len(rid), ids=pen.joined(rid))}{_END[look.lang]}", 0)
        )
    return "\n".join(lines) + "\n"


def document(entries: Iterable[Leak]) -> dict[str, Any]:
    return {"schema": SCHEMA, "tool": __version__, "leaks": [_entry(entry) for entry in entries]}


def version_document(module: str, found: str, rows: Sequence[Carried], rid: Sequence[str]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "tool": __version__,
        "module": module,
        "version": found,
        "carried": [row_document(row) for row in rows],
        "mended": list(rid),
    }


def _entry(entry: Leak) -> dict[str, Any]:
    return {
        "id": entry.id,
        "project": entry.project,
        **to_builtins(entry),
        "affects": [to_builtins(one) | {"has_it": [list(pair) for pair in one.ranges()]} for one in entry.affects],
        "examples": [to_builtins(one) for one in leaks().examples(entry.id)],
    }
