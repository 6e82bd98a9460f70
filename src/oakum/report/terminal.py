"""A page -> text for a terminal or a pipe: verdict and picture first, then the evidence, then the next command.

All that comes from evidence passes through `Look.safe`. Without a width nothing is wrapped, shortened or left out. On a
terminal what is folded is one line, and what other formats show beside a sentence (excerpts, the commands that derive
it again) is left to them. The next command is the last line. One module: a function for each kind of block.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from oakum.report.code import Row, code, diff
from oakum.report.layout import chart as bars
from oakum.report.layout import marks, series, wrap
from oakum.report.page.blocks import (
    Block,
    Chain,
    Chart,
    Claim,
    Claims,
    Code,
    Command,
    Diff,
    Fact,
    Facts,
    Figure,
    Fold,
    Hops,
    Link,
    Page,
    Para,
    Place,
    Places,
    Section,
    Table,
    Waterfall,
    walk,
)
from oakum.report.pen import Look, Pen
from oakum.report.words import size

_COLOURS = {"leaking": "red", "healthy": "green", "undecided": "magenta"}
_SURE = {"proven": "red", "likely": "red", "possible": "magenta"}
_INDENT = 3  # of what a section says
_CODE = 5  # of source and diffs: they are wide
_LINES_MOST = 16  # of one file on a terminal; more are shown about their marks
_DIFF_MOST = 40
_CLAIMS_MOST = 8
_MARKED_MOST = 5  # decisive lines of source that are taken in at a glance
_PLACES_MOST = 5
_POSSIBLE_MOST = 4  # suspicions beside something worse; the rest in a line each
_AROUND = 2  # lines shown about a mark
_PLAIN = str.maketrans({"→": "->", "·": "-", "…": "..."})  # of a page, where a terminal has no such characters


def render(page: Page, look: Look) -> str:
    return "\n".join(_Terminal(page, look).lines()) + "\n"


def brief(page: Page, look: Look) -> str:
    """Return what is told in half a minute: the answer, and the other findings in a line each."""
    return "\n".join(_Terminal(page, look).brief()) + "\n"


class BlockPen(Pen):
    """Writes blocks. `whole`: no diff is cut, nothing is folded."""

    def __init__(self, look: Look, margin: int = 0, *, whole: bool = False) -> None:
        super().__init__(look, margin)
        self.wide = look.columns is None  # nobody has to be spared anything
        self.whole = whole or self.wide
        self.root = ""  # the directory in which all captures lie

    def blocks(self, blocks: Iterable[Block], indent: int) -> Iterator[str]:
        return (line for block in blocks for line in self.block(block, indent))

    def fact(self, fact: Fact) -> Iterator[str]:
        lines = self.blocks(fact.blocks, self.margin)
        yield from self.labelled(self.look.safe(fact.label), lines)

    def labelled(self, label: str, lines: Iterable[str]) -> Iterator[str]:
        """Yield lines with a label left of the first; where it has no room, above it."""
        room = self.margin - _INDENT - 2
        for at, line in enumerate(lines):
            if at:
                yield line
            elif self.look.width_of(label) > room or not line.startswith(" " * self.margin):
                yield " " * _INDENT + self.look.styled(label, "dim")
                yield line
            else:
                gap = " " * (room + 2 - self.look.width_of(label))
                yield f"{' ' * _INDENT}{self.look.styled(label, 'dim')}{gap}{line[self.margin :]}"

    def block(self, block: Block, indent: int) -> Iterator[str]:
        match block:
            case Para():
                lines = self.wrapped(self.look.safe(block.text), indent)
                yield from self.dim(lines) if block.quiet else lines
            case Link():
                told = block.to if block.text == block.to else f"{block.text}  {block.to if '//' in block.to else ''}"
                yield from self.wrapped(self.look.safe(told.rstrip()), indent)
            case Command():
                yield " " * indent + self.command(block.text)
                if block.about:
                    yield from self.dim(self.wrapped(self.look.safe(block.about), indent + 2))
            case Claims():
                yield from self.claims(block.claims, indent)
            case Facts():
                yield from (line for fact in block.facts for line in self.fact(fact))
            case Places():
                yield from self.places(block.places, indent)
            case Code():
                yield from self.code(block)
            case Diff():
                yield from diff(self, block.text, _CODE, None if self.whole else _DIFF_MOST)
            case Table():
                yield from self.table(block, indent)
            case Chart():
                yield from self.chart(block, indent)
            case Waterfall():
                yield from self.waterfall(block, indent)
            case Chain():
                yield from self.chain(block, indent)
            case Hops():
                yield from self.hops(block, indent)
            case Fold():
                yield from self.dim(self.wrapped(f"+ {self.look.safe(block.title)}", indent))
                if self.whole:
                    yield from self.blocks(block.blocks, indent + 2)
            case Figure():
                yield from self.wrapped(self.look.safe(f"{block.title}{self.colon}{block.said}"), indent)
                if block.command:
                    yield " " * indent + self.command(block.command)

    def claims(self, claims: Sequence[Claim], indent: int) -> Iterator[str]:
        """Yield sentences; where those that follow each other stand in one place, it is named once, after the last."""
        dash = "•" if self.look.glyphs else "-"
        shown = claims if self.wide else claims[:_CLAIMS_MOST]
        for at, claim in enumerate(shown):
            first, *rest = self.wrapped(self.look.safe(claim.text), indent + 2)
            yield f"{' ' * indent}{dash} {first.strip()}"
            yield from rest
            following = claims[at + 1] if at + 1 < len(shown) else None
            if (source := self.source(claim, indent)) and (
                following is None or self.source(following, indent) != source
            ):
                yield from self.dim(self.wrapped(source, indent + 2))
        if len(shown) < len(claims):
            yield f"{' ' * indent}  {self.word('count.more', count=len(claims) - len(shown))}"

    def source(self, claim: Claim, indent: int) -> str:
        name = self.look.safe(claim.source.text.removeprefix(self.root)) if claim.source else ""
        if self.columns is not None:
            name = self.shortened(name, self.columns - indent - 2)
        return self.comma.join(part for part in (name, self.look.safe(claim.where)) if part)

    def places(self, places: Sequence[Place], indent: int) -> Iterator[str]:
        shown = places if self.wide else places[:_PLACES_MOST]
        for place in shown:
            yield from (f"{' ' * indent}{line}" for line in self.place(place, self.room(indent)))
        if len(shown) < len(places):
            yield " " * indent + self.word("count.more", count=len(places) - len(shown))

    def place(self, place: Place, room: int | None) -> Iterator[str]:
        """Yield a function, its file and its part: on one line if there is room, else on as many as it takes."""
        name = self.look.safe(place.function)
        spot = self.look.safe(f"{place.file}:{place.line}") if place.file else ""
        told = self.look.safe(place.told)
        rest = "  ".join(part for part in (spot, told) if part)
        if rest and (room is None or self.look.width_of(f"{name}  {rest}") <= room):
            yield f"{self.look.styled(name, 'cyan')}  {rest}"
            return
        yield from (self.look.styled(line, "cyan") for line in wrap(name, room, self.look.width_of))
        if room is not None and self.look.width_of(f"  {rest}") > room:
            parts = (self.shortened(spot, room - 2), told)
            yield from (f"  {line}" for one in parts if one for line in wrap(one, room - 2, self.look.width_of))
        elif rest:
            yield f"  {rest}"

    def code(self, block: Code) -> Iterator[str]:
        known = [line for line in block.lines if line.text is not None]
        if not any(line.number for line in known):  # no source of the program, but a text to be copied
            yield from (f"{' ' * _CODE}{self.look.safe(line.text or '')}" for line in known)
            return
        marks = {line.number for line in known if line.mark}
        spot = self.look.safe(f"{block.file}:{min(marks, default=known[0].number)}")
        room = self.room(_CODE)
        yield f"{' ' * _CODE}{self.look.styled(spot if room is None else self.shortened(spot, room), 'cyan')}"
        rows: list[Row | None] = []
        long = not self.wide and len(known) > _LINES_MOST and marks
        for line in block.lines:
            left_out = line.text is None or (long and not any(abs(line.number - mark) <= _AROUND for mark in marks))
            if not left_out:
                rows.append(Row(line.number, line.text or "", self.look.safe(line.mark)))
            elif rows and rows[-1] is not None:
                rows.append(None)
        yield from code(self, rows, _CODE)

    def table(self, table: Table, indent: int) -> Iterator[str]:
        """Yield rows in columns where they fit, else a row in several lines."""
        rows = [[self.look.safe(cell.text) for cell in row.cells] for row in table.rows]
        heads = [self.look.safe(one) for one in table.columns]
        widths = [max(self.look.width_of(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
        room = self.room(indent)
        if table.caption:
            yield from self.wrapped(self.look.safe(table.caption), indent)
        if room is None or sum(widths) + 2 * (len(widths) - 1) <= room:
            yield " " * indent + self.look.styled(self.aligned(heads, widths), "dim")
            yield from (" " * indent + self.aligned(row, widths) for row in rows)
            return
        for row in rows:
            first, *rest = self.wrapped("  ".join(cell for cell in row if cell), indent + 2)
            yield first[2:]
            yield from rest

    def aligned(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        padded = (cell + " " * (wide - self.look.width_of(cell)) for cell, wide in zip(cells, widths, strict=True))
        return "  ".join(padded).rstrip()

    def chart(self, chart: Chart, indent: int, *, title: bool = True) -> Iterator[str]:
        """Yield the numbers of each series, small bars, and from when to when they are."""
        show = size if chart.unit == "bytes" else "{:,.0f}".format
        if title:
            yield from self.wrapped(self.look.safe(chart.title), indent)
        for one in chart.series:
            counts = [None if point.value is None else round(point.value) for point in one.points]
            known = [point for point in one.points if point.value is not None]
            first = one is chart.series[0]
            told = counts if first else [count for count in counts if count is not None]
            numbers = series(told, show, "→" if self.look.glyphs else "->")
            parts = [numbers if first else f"{self.look.safe(one.name)} {numbers}"]
            drawn = bars(counts) if self.look.glyphs and len(known) > 1 else ""
            if drawn:
                parts.append(self.look.styled(drawn, "cyan"))
            if len(known) > 1:
                parts.append(self.look.safe(f"{known[0].label} - {known[-1].label}"))
            for line in self.flowing(parts, indent):
                yield line
                if drawn and drawn in line and first:
                    yield from self.marks(chart, self.look.width_of(line.partition(drawn)[0]))

    def marks(self, chart: Chart, column: int) -> Iterator[str]:
        """Yield a row of marks below bars that begin at a column: what happened when, and what each mark means."""
        row, kinds = marks([one.at for one in chart.series[0].points], [(one.at, one.kind) for one in chart.events])
        if row:
            named = (f"{mark} {self.joined(self.word(f'signals.kind.{one}') for one in kinds[mark])}" for mark in kinds)
            yield from self.dim(self.flowing((row, "  ".join(named)), column))

    def flowing(self, parts: Sequence[str], indent: int) -> Iterator[str]:
        """Yield the parts on one line, or on as many as they need."""
        line = ""
        for part in parts:
            longer = f"{line}   {part}" if line else part
            if self.columns is None or self.look.width_of(longer) <= self.columns - indent:
                line = longer
                continue
            yield from [" " * indent + line] if line else []
            *whole, line = wrap(part, self.room(indent), self.look.width_of)
            yield from (" " * indent + one for one in whole)
        yield " " * indent + line

    def waterfall(self, waterfall: Waterfall, indent: int) -> Iterator[str]:
        whole = next((bar.value for bar in waterfall.bars if bar.tone == "whole"), 0.0)
        names = [self.look.safe(bar.name) for bar in waterfall.bars]
        wide = max(map(self.look.width_of, names))
        for name, bar in zip(names, waterfall.bars, strict=True):
            share = f"{bar.value / whole:>6.0%}" if whole and bar.tone == "part" else ""
            line = f"{' ' * indent}{name}{' ' * (wide - self.look.width_of(name))}  {size(bar.value):>10}{share}"
            yield self.look.styled(line, "bold") if bar.tone == "whole" else line

    def chain(self, chain: Chain, indent: int) -> Iterator[str]:
        """Yield who waits for whom: each node, and below it what it waits for."""
        yield from self.wrapped(self.look.safe(chain.said), indent)
        arrow = "→" if self.look.glyphs else "->"
        for at, node in enumerate(chain.nodes):
            told = self.look.safe(self.stop.join(node.lines))
            yield from (f"{' ' * indent}{one}" for one in self.place(Place(node.title, "", 0, told), self.room(indent)))
            for edge in chain.edges:
                if edge.start == at:
                    line = f"{arrow} {edge.label} {arrow} {chain.nodes[edge.end].title}"
                    yield from self.dim(self.wrapped(self.look.safe(line), indent + 2))

    def hops(self, hops: Hops, indent: int) -> Iterator[str]:
        """Yield the sentence, then each process below the one that waits for it, with what joins them."""
        yield from self.wrapped(self.look.safe(hops.said), indent)
        arrow = "→" if self.look.glyphs else "->"
        for at, box in enumerate(hops.boxes):
            before = f"{arrow} {hops.labels[at - 1]} {arrow} " if at else ""
            told = self.stop.join(box.lines)
            line = f"{before}{box.title}  {told}"
            yield from self.wrapped(self.look.safe(line), indent + (2 if at else 0))


class _Terminal(BlockPen):
    def __init__(self, page: Page, look: Look) -> None:
        plain = look.safe if look.glyphs else lambda text: look.safe(text.translate(_PLAIN))
        super().__init__(replace(look, safe=plain))
        self.page = page
        labels = [self.word("label.growth"), *(fact.label for fact in _facts(page))]
        self.margin = _INDENT + max(look.width_of(label) for label in labels) + 2
        if self.columns is not None:  # a label must not take the room of what stands beside it
            self.margin = min(self.margin, _INDENT + self.columns // 4)
        self.root = "" if self.wide else _common([claim.source.text for claim in _claims(page) if claim.source])

    def lines(self) -> Iterator[str]:
        yield from self.head()
        short = [one for one in self.page.sections if one.folded and not self.wide]
        for section in self.page.sections:
            if section not in short:
                yield from self.section(section)
        if short:
            yield ""
            yield from (line for one in short for line in self.folded(one, 0))
        yield from self.following()

    def brief(self) -> Iterator[str]:
        yield from self.head()
        suspects = next((one.sections for one in self.page.sections if one.anchor == "suspects"), ())
        if self.page.picture:
            yield from self.decisive(suspects[0])
        for found in suspects[1 if self.page.picture else 0 :]:
            yield from self.heading(found)
        yield from self.following()

    def decisive(self, found: Section) -> Iterator[str]:
        """Yield the marked lines of the file that has most of them."""
        files = [block for part in found.sections for block in part.blocks if isinstance(block, Code)]
        marked = [replace(file, lines=tuple(line for line in file.lines if line.mark)) for file in files]
        best = max(marked, key=lambda file: len(file.lines), default=None)
        if best is not None and best.lines:
            yield ""
            yield from self.code(replace(best, lines=best.lines[:_MARKED_MOST]))

    # The parts, from top to bottom.

    def head(self) -> Iterator[str]:
        page = self.page
        badge = self.look.safe(page.badge)
        indent = self.look.width_of(badge) + 2
        said = self.look.safe(page.verdict).replace("`", "")  # bold already sets it apart
        first, *rest = self.wrapped(said, indent)
        style = _COLOURS.get(page.tone, "bold")
        yield f"{self.look.styled(badge, 'bold', style)}  {self.look.styled(first.strip(), 'bold')}"
        yield from (self.look.styled(line, "bold") for line in rest)
        for line in page.about:
            yield from self.dim(self.wrapped(self.look.safe(line), indent))
        if page.picture or page.glance:
            yield ""
        for chart in page.picture:
            yield from self.labelled(self.word("label.growth"), self.chart(chart, self.margin, title=False))
        for fact in page.glance:
            if not _is_next(fact):
                yield from self.fact(fact)

    def following(self) -> Iterator[str]:
        for fact in filter(_is_next, self.page.glance):
            yield ""
            yield from self.fact(fact)

    def section(self, section: Section) -> Iterator[str]:
        yield ""
        if section.anchor == "suspects":
            yield from self.findings(section)
            return
        yield self.look.styled(self.look.safe(section.title), "bold")
        yield from self.inside(section)

    def findings(self, section: Section) -> Iterator[str]:
        """Yield the findings; the table that lists them is for pages on which they are far apart."""
        sure = sum(one.tone != "possible" for one in section.sections)
        for at, found in enumerate(section.sections):
            if at:
                yield ""
            yield from self.heading(found)
            if self.wide or at < sure + _POSSIBLE_MOST:
                yield from self.inside(found)
        yield from (line for block in section.blocks if not isinstance(block, Table) for line in self.block(block, 0))

    def heading(self, section: Section) -> Iterator[str]:
        title, badge = self.look.safe(section.title), self.look.safe(section.badge)
        first, *rest = self.wrapped(title, self.look.width_of(badge) + 2)
        sure = self.look.styled(badge, "bold", _SURE.get(section.tone, "bold"))
        yield f"{sure}  {self.look.styled(first.strip(), 'bold')}"
        yield from (self.look.styled(line, "bold") for line in rest)
        if section.line:
            yield from self.wrapped(self.look.safe(section.line), _INDENT)
        elif section.summary:
            yield from (self.look.styled(one, "cyan") for one in self.wrapped(self.look.safe(section.summary), _INDENT))

    def inside(self, section: Section) -> Iterator[str]:
        for block in section.blocks:
            yield from self.block(block, _INDENT)
        for inner in section.sections:
            if inner.folded and not self.wide:
                yield from self.folded(inner, _INDENT)
                continue
            yield from self.dim(self.wrapped(self.look.safe(inner.title), _INDENT))
            for block in inner.blocks:
                yield from self.block(block, _CODE)

    def folded(self, section: Section, indent: int) -> Iterator[str]:
        """Yield what is in a section, in a line."""
        title = self.look.safe(section.title)
        first, *rest = self.wrapped(f"{title}{self.colon}{self.look.safe(section.line)}", indent)
        shown = first.strip()
        yield (
            " " * indent + self.look.styled(shown[: len(title)], "bold") + self.look.styled(shown[len(title) :], "dim")
        )
        yield from self.dim(rest)


def _is_next(fact: Fact) -> bool:
    """Tell whether a line of the answer is nothing but what to run next."""
    return all(isinstance(block, Command) for block in fact.blocks)


def _blocks(page: Page) -> Iterator[Block]:
    """Yield every block of a page, however deep it lies."""
    left = list(page.sections)
    while left:
        section = left.pop()
        left += section.sections
        yield from walk(section.blocks)


def _facts(page: Page) -> Iterator[Fact]:
    yield from page.glance
    yield from (fact for block in _blocks(page) if isinstance(block, Facts) for fact in block.facts)


def _claims(page: Page) -> Iterator[Claim]:
    return (claim for block in _blocks(page) if isinstance(block, Claims) for claim in block.claims)


def _common(origins: Sequence[str]) -> str:
    """Return the directory in which all captures lie, with its slash; "" when there is none."""
    shared: list[str] = []
    for names in zip(*(origin.split("/")[:-1] for origin in origins), strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return "/".join(shared) + "/" if shared else ""


__all__ = ["BlockPen", "Look", "brief", "render"]
