"""A stored diagnosis -> what a page shows of it: its blocks with links into the evidence, other diagnoses beside it."""

import json
import re
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Diagnosis, Finding, StoreError, Unreadable
from oakum.report.html import Drawing, Parts, parts
from oakum.report.json import diagnosis as read_diagnosis
from oakum.report.page.blocks import Block, Claim, Claims, Fact, Facts, Fold, Link, Page, Row, Section, Table
from oakum.report.page.compose import compose
from oakum.store.reader import Reader

DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST_LISTED = 50  # diagnoses beside one
_MOST_COMPARED = 20  # of them whose findings are read
# goroutine 4711, line 120
_GOROUTINE, _LINE = re.compile(r"\bgoroutine (\d{1,12})\b"), re.compile(r"\bline (\d{1,12})\b")


class Listed(Struct, frozen=True):
    """One diagnosis among those of a service."""

    document: str  # its digest
    at: int
    verdict: str = ""
    findings: int = 0
    incident: str = ""
    run: str = ""  # that it is of


class Became(Struct, frozen=True):
    """A finding in two diagnoses: what was counted of it in each, None where it is not there."""

    finding: Finding
    measure: str
    before: float | None
    after: float | None
    confidence: tuple[str, str]


def stored(reader: Reader, digest: str) -> Diagnosis | None:
    """Return a kept diagnosis; None where there is none under that name (any more)."""
    try:
        return read_diagnosis(json.loads(reader.document(digest)))
    except (StoreError, ValueError, RecursionError, Unreadable):
        return None


def of_service(reader: Reader, service: str) -> list[Listed]:
    """Return the diagnoses of a service, newest first."""
    found: dict[str, Listed] = {}
    for event in reader.events(service):
        if event.kind != "diagnosis":
            continue
        args = _args(event.args)
        if document := str(args.get("document", "")):
            count = args.get("findings", 0)
            found[document] = Listed(
                document,
                event.at,
                str(args.get("verdict", "")),
                count if isinstance(count, int) else 0,
                run=event.run,
            )
    counts: dict[str, int] = {}
    for row in reader.findings(service):
        if row.document:
            counts[row.document] = counts.get(row.document, 0) + 1
            known = found.get(row.document)
            found[row.document] = Listed(
                row.document,
                row.at,
                known.verdict if known else "leaking",
                max(counts[row.document], known.findings if known else 0),
                row.incident,
                row.run,
            )
    return sorted(found.values(), key=lambda one: (-one.at, one.document))[:_MOST_LISTED]


def _args(text: str) -> Mapping[str, object]:
    try:
        args = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {}
    return args if isinstance(args, dict) else {}


def became(before: Diagnosis, after: Diagnosis) -> list[Became]:
    """Return each finding of either, by its stable id: what was counted of it then and now."""
    sides = [{one.id: one for one in side.findings} for side in (before, after)]
    rows = []
    for name in dict.fromkeys([*sides[1], *sides[0]]):
        pair = [side.get(name) for side in sides]
        found = pair[1] or pair[0]
        assert found is not None
        measure = next((one.measure for one in found.suspect.growth), "")
        told = tuple(one.confidence if one else "" for one in pair)
        rows.append(Became(found, measure, _last(pair[0], measure), _last(pair[1], measure), (told[0], told[1])))
    return rows


def _last(found: Finding | None, measure: str) -> float | None:
    if found is None:
        return None
    known = [count for one in found.suspect.growth if one.measure == measure for count in one.counts]
    return next((float(one) for one in reversed(known) if one is not None), None)


Address = Callable[[str], str]  # digest of a capture -> where it is shown; "": it is not kept


def shown(
    diagnosis: Diagnosis, lang: str, address: Address, figures: Mapping[str, Drawing], kept: str = ""
) -> tuple[Page, Parts]:
    """Return the page of a diagnosis, whose claims and captures lead to the evidence that is kept."""
    page = compose(diagnosis, lang, tuple(figures), kept)
    places = compose(diagnosis, "en", tuple(figures), kept) if lang != "en" else page
    linked = _Linked(diagnosis, address, _claims(places.sections))
    page = replace(page, sections=tuple(linked.section(one) for one in page.sections))
    return page, parts(page, figures, frozenset(linked.addresses))


class _Linked:
    """Puts addresses of captures into a page. `places`: the claims in English, whose words say where in a capture."""

    def __init__(self, diagnosis: Diagnosis, address: Address, places: Sequence[Claim]) -> None:
        self.addresses: set[str] = set()
        self._captures = [address(row.digest) for row in diagnosis.inputs]
        self._places = iter(places)

    def section(self, one: Section) -> Section:
        return replace(one, blocks=self.blocks(one.blocks), sections=tuple(map(self.section, one.sections)))

    def blocks(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        return tuple(map(self.block, blocks))

    def block(self, block: Block) -> Block:
        match block:
            case Claims(claims=claims):
                return Claims(tuple(map(self.claim, claims)))
            case Fold(blocks=inner):
                return replace(block, blocks=self.blocks(inner))
            case Facts(facts=facts):
                return Facts(tuple(Fact(one.label, self.blocks(one.blocks), one.to) for one in facts))
            case Table(rows=rows) if any(row.anchor.startswith("input-") for row in rows):
                return replace(block, rows=tuple(map(self.row, rows)))
        return block

    def claim(self, one: Claim) -> Claim:
        said = next(self._places)
        to = self._capture(one.source.to.removeprefix("#")) if one.source else ""
        if not to or one.source is None:
            return one
        for name, pattern in (("goroutine", _GOROUTINE), ("line", _LINE)):
            if place := pattern.search(said.where):
                to += f"?{name}={place[1]}#cited"
                break
        self.addresses.add(to)
        return replace(one, source=Link(one.source.text, to))

    def row(self, row: Row) -> Row:
        to = self._capture(row.anchor)
        if not to:
            return row
        self.addresses.add(to)
        first = next((at for at, cell in enumerate(row.cells) if cell.code), 0)
        return replace(
            row, cells=tuple(replace(cell, to=to) if at == first else cell for at, cell in enumerate(row.cells))
        )

    def _capture(self, anchor: str) -> str:
        number = anchor.removeprefix("input-")
        at = int(number) - 1 if number.isdigit() and len(number) < 9 else -1
        return self._captures[at] if 0 <= at < len(self._captures) else ""


def _claims(sections: Sequence[Section]) -> list[Claim]:
    """Return the claims in the order in which they are met."""
    met: list[Claim] = []

    def look(blocks: Sequence[Block]) -> None:
        for block in blocks:
            match block:
                case Claims(claims=claims):
                    met.extend(claims)
                case Fold(blocks=inner):
                    look(inner)
                case Facts(facts=facts):
                    for fact in facts:
                        look(fact.blocks)

    for one in sections:
        look(one.blocks)
        met += _claims(one.sections)
    return met


def compared(reader: Reader, service: str, shown_now: str, others: Sequence[Listed]) -> Listed | None:
    """Return the diagnosis of the same replica before the one that is shown, else the one after it."""
    replicas = {row.run: row.replica for row in reader.runs(service)}
    mine = next((one for one in others if one.document == shown_now), None)
    if mine is None:
        return None
    replica = replicas.get(mine.run, "")
    listed = [one for one in others if replicas.get(one.run, "") == replica][:_MOST_COMPARED]
    at = next((number for number, one in enumerate(listed) if one.document == shown_now), None)
    if at is None or len(listed) < 2:
        return None
    return listed[at + 1] if at + 1 < len(listed) else listed[at - 1]
