"""A page -> the same page within limits: what is cut says how many more there are and where they stand."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from oakum.report.page.blocks import (
    Block,
    Chain,
    Chart,
    Claims,
    Code,
    Fact,
    Facts,
    Fold,
    Link,
    Page,
    Para,
    Places,
    Row,
    Section,
    Table,
    walk,
)


class Limits(Struct, frozen=True):
    """How much of each kind is shown."""

    rows: int  # of a table; blocks of a section, points that are listed below a chart
    sections: int  # of one level
    claims: int  # of one list of sentences, places or boxes


# From what no real page reaches down to what always fits.
STEPS = tuple(Limits(rows, sections, claims) for rows, sections, claims in (
    (1000, 120, 200), (500, 60, 100), (250, 30, 50), (120, 15, 25), (60, 8, 12), (20, 4, 6), (8, 2, 3),
))  # fmt: skip


def fitted(page: Page, limits: Limits, words: Mapping[str, str]) -> Page:
    """Return the page with no more than the limits allow; rows that a link leads to stay before others."""
    sections = _sections(page.sections, limits, words)
    wanted = {to.removeprefix("#") for section in sections for to in _links(section)}
    return replace(page, sections=tuple(_section(section, limits, words, wanted) for section in sections))


def _sections(sections: tuple[Section, ...], limits: Limits, words: Mapping[str, str]) -> tuple[Section, ...]:
    kept = tuple(replace(one, sections=_sections(one.sections, limits, words)) for one in sections[: limits.sections])
    if len(sections) <= limits.sections:
        return kept
    last = kept[-1]
    more = Para(_more(words, len(sections) - limits.sections), quiet=True)
    return (*kept[:-1], replace(last, blocks=(*last.blocks, more)))


def _section(section: Section, limits: Limits, words: Mapping[str, str], wanted: set[str]) -> Section:
    return replace(
        section,
        blocks=_blocks(section.blocks, limits, words, wanted),
        sections=tuple(_section(one, limits, words, wanted) for one in section.sections),
    )


def _blocks(blocks: tuple[Block, ...], limits: Limits, words: Mapping[str, str], wanted: set[str]) -> tuple[Block, ...]:
    found: list[Block] = []
    for block in blocks[: limits.rows]:
        match block:
            case Table(rows=rows) if len(rows) > limits.rows:
                kept = _rows(rows, limits.rows, wanted)
                found += [replace(block, rows=kept), Para(_more(words, len(rows) - len(kept)), quiet=True)]
            case Claims(claims=claims) if len(claims) > limits.claims:
                kept_claims = claims[: limits.claims]
                found += [Claims(kept_claims), Para(_more(words, len(claims) - len(kept_claims)), quiet=True)]
            case Places(places=places) if len(places) > limits.claims:
                left = len(places) - limits.claims
                found += [replace(block, places=places[: limits.claims]), Para(_more(words, left), quiet=True)]
            case Chain(nodes=nodes) if len(nodes) > limits.claims:
                left = len(nodes) - limits.claims  # an edge to a box that is not there is not drawn
                found += [replace(block, nodes=nodes[: limits.claims]), Para(_more(words, left), quiet=True)]
            case Code(lines=lines) if len(lines) > limits.rows:
                left = len(lines) - limits.rows
                found += [replace(block, lines=lines[: limits.rows]), Para(_more(words, left), quiet=True)]
            case Fold():
                found.append(replace(block, blocks=_blocks(block.blocks, limits, words, wanted)))
            case Facts():
                facts = (Fact(one.label, _blocks(one.blocks, limits, words, wanted)) for one in block.facts)
                found.append(Facts(tuple(facts)))
            case _:
                found.append(block)
    if len(blocks) > limits.rows:
        found.append(Para(_more(words, len(blocks) - limits.rows), quiet=True))
    return tuple(found)


def _rows(rows: tuple[Row, ...], most: int, wanted: set[str]) -> tuple[Row, ...]:
    linked = {at for at, row in enumerate(rows) if row.anchor in wanted}
    chosen = sorted(linked)[:most]
    others = (at for at in range(len(rows)) if at not in linked)
    chosen += [at for at, _ in zip(others, range(most - len(chosen)), strict=False)]
    return tuple(rows[at] for at in sorted(chosen))


def _links(section: Section) -> list[str]:
    found: list[str] = []
    for block in walk(section.blocks):
        match block:
            case Link(to=to):
                found.append(to)
            case Claims(claims=claims):
                found += [claim.source.to for claim in claims if claim.source]
            case Chart(series=series):
                found += [point.to for one in series for point in one.points]
            case Table(rows=rows):
                found += [cell.to for row in rows[:1000] for cell in row.cells if cell.to]
    return found + [to for one in section.sections for to in _links(one)]


def _more(words: Mapping[str, str], count: int) -> str:
    return words["left-out"].replace("{count}", f"{count:,}")
