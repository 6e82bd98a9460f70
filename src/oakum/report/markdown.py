"""A page -> GitHub-flavoured Markdown, to be pasted into an issue, a wiki or a chat. Plain text: it is read raw, too.

Everything may come from evidence: nothing in it becomes markup, a link, a mention (@name) or a reference (#123).
One module: a writer for each kind of block.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from oakum.report.html.text import anchors_of, href, shown
from oakum.report.layout import chart as sparkline
from oakum.report.layout import marks
from oakum.report.page.blocks import (
    Block,
    Cell,
    Chain,
    Chart,
    ChartPoint,
    Claim,
    Claims,
    Code,
    Command,
    Diff,
    Facts,
    Figure,
    Fold,
    Hops,
    Link,
    Page,
    Para,
    Places,
    Section,
    Table,
    Waterfall,
)
from oakum.report.words import size, word

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$&#]")
# What a forge makes a link or a call of, even where it is escaped: a character that has no width comes between.
_CALLS = re.compile(r"@(?=\w)|#(?=\d)|(?<=\bGH)-(?=\d)|:(?=//)|(?<=\bww)w(?=\.)", re.IGNORECASE)
_NOTHING = "\u200b"
_BAR = re.compile(r"(?<!\\)\|")
# What begins a list, a heading or a rule where a line begins with it.
_BEGINNING = re.compile(r"^(\d*)([.)](?=\s|$)|[-+=](?=[-=\s]|$))")
_DEEPEST = 6
_CELL_MOST = 400  # characters of a cell
_ROWS_MOST = 100  # in a text that is pasted; the page itself has more
_ROWS_OPEN = 12  # longer tables are folded
_ORDINARY = 72  # columns of code; the mark of a longer line stands right behind it
_POINTS_MOST = 12  # columns of a table of values
_LANGUAGE = re.compile(r"[a-z]{1,12}")
_GOROUTINE = re.compile(r"^goroutine \d+ ")


def render(page: Page) -> str:
    return _Writer(page).text()


class _Writer:
    def __init__(self, page: Page) -> None:
        self.page, self.anchors, self.shown_by = page, anchors_of(page), ""
        self.colon, self.stop = ("：", "；") if page.lang == "zh" else (": ", "; ")

    def text(self) -> str:
        lines = [f"# {inline(self.page.title)}", "", f"**{inline(self.page.badge)}** · {inline(self.page.verdict)}"]
        if self.page.about:
            lines += ["", *(f"- {paragraph(line)}" for line in self.page.about)]
        for chart in self.page.picture:
            lines += ["", *self.chart(replace(chart, command=""))]
            if chart.command:
                folded = Fold(word("control.derive", self.page.lang), (Command(chart.command),))
                lines += ["", *self.block(folded)]
        if self.page.glance:
            lines += ["", *self.facts(Facts(self.page.glance))]
        for section in self.page.sections:
            lines += self.section(section, 2)
        if self.page.foot:
            lines += ["", "---", "", f"<sub>{inline(self.page.foot)}</sub>"]
        return "\n".join(line.rstrip() for line in lines) + "\n"

    def aside(self, text: str) -> str:
        """Return what is said in brackets behind something."""
        return f"（{inline(text)}）" if self.page.lang == "zh" else f" ({inline(text)})"

    def section(self, section: Section, level: int) -> Iterator[str]:
        badge = self.aside(section.badge) if section.badge else ""
        yield ""
        yield f"{'#' * min(level, _DEEPEST)} {inline(section.title)}{badge}"
        if section.line:
            yield ""
            yield paragraph(section.line)
        yield from self.blocks(section.blocks)
        for inner in section.sections:
            yield from self.section(inner, level + 1)

    def blocks(self, blocks: Iterable[Block]) -> Iterator[str]:
        for block in blocks:
            yield ""
            yield from self.block(block)

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Para():
                yield paragraph(block.text)
            case Link():
                yield self.link(block.text, block.to)
            case Command():
                about = [f"# {shown(block.about)}"] if block.about else []
                yield from fenced([*about, *_one_line(block.text)], "sh")
            case Claims():
                yield from self.claims(block.claims)
            case Facts():
                yield from self.facts(block)
            case Places():
                yield from self.places(block)
            case Code():
                yield from self.code(block)
            case Diff():
                yield from fenced(_lines(block.text), "diff")
            case Table():
                yield from self.table(block)
            case Chart():
                yield from self.chart(block)
            case Waterfall():
                yield from self.waterfall(block)
            case Chain():
                yield from self.chain(block)
            case Hops():
                yield from self.hops(block)
            case Fold():
                yield f"<details><summary>{_html(block.title)}</summary>"
                yield from self.blocks(block.blocks)
                yield ""
                yield "</details>"
            case Figure():
                yield f"**{inline(block.title)}**{self.colon}{inline(block.said)}"
                if block.command:
                    yield ""
                    yield from fenced(_one_line(block.command), "sh")

    def link(self, text: str, to: str) -> str:
        """Return a link to the web. In a pasted text no anchor leads anywhere: only the words of such a link stay."""
        address = href(to, self.anchors)
        if not address.startswith("http"):
            return inline(text)
        label = address if text == to else ""
        safe = re.sub(r"[()\s]", lambda found: f"%{ord(found[0]):02X}", address)
        return f"<{safe}>" if label else f"[{inline(text)}]({safe})"

    def claims(self, claims: Sequence[Claim]) -> Iterator[str]:
        """Return the sentences as a list; what shows each of them again, folded below."""
        for at, claim in enumerate(claims, 1):
            told = [codespan(claim.source.text)] if claim.source else []
            if claim.where:
                told.append(inline(claim.where) if _GOROUTINE.match(claim.where + " ") else codespan(claim.where))
            yield f"{at}. {paragraph(claim.text)}" + (f"<br>{', '.join(told)}" if told else "")
        commands: dict[str, list[int]] = {}
        for at, claim in enumerate(claims, 1):
            if claim.command:
                commands.setdefault(claim.command, []).append(at)
        if not commands and not any(claim.excerpt for claim in claims):
            return
        yield ""
        yield f"<details><summary>{_html(word('page.check-claims', self.page.lang))}</summary>"
        for command, numbers in commands.items():
            yield ""
            yield from fenced([f"# {', '.join(map(str, numbers))}", *_one_line(command)], "sh")
        for at, claim in enumerate(claims, 1):
            if claim.excerpt:
                yield ""
                yield from fenced([f"# {at}", *_lines(claim.excerpt)], "text")
        yield ""
        yield "</details>"

    def facts(self, facts: Facts) -> Iterator[str]:
        """Return labels and what stands beside them; what takes more than a line stands below."""
        for fact in facts.facts:
            plain = [block for block in fact.blocks if isinstance(block, Para)]
            label = f"- **{inline(fact.label)}**{self.colon}"
            if len(plain) == 1 and len(fact.blocks) == 1:
                yield f"{label}{inline(plain[0].text)}"
                continue
            yield label.rstrip()
            for block in fact.blocks:
                if isinstance(block, Para | Link):
                    text = paragraph(block.text) if isinstance(block, Para) else self.link(block.text, block.to)
                    yield f"  - {text.strip() or '?'}"  # a dash alone would make a heading of the line above
                elif isinstance(block, Places):
                    yield from _indented(self.places(block))
                else:
                    yield ""
                    yield from _indented(self.block(block), 4)
                    yield ""

    def places(self, places: Places) -> Iterator[str]:
        for at, place in enumerate(places.places):
            spot = f" {codespan(f'{place.file}:{place.line}')}" if place.file else ""
            told = self.aside(place.told) if place.told else ""
            lead = f"{at + 1}." if places.path else "-"
            yield f"{lead} {codespan(place.function)}{spot}{told}"

    def code(self, code: Code) -> Iterator[str]:
        """Return lines of source, the decisive ones with an arrow and their part as a comment behind them."""
        numbers = [line.number for line in code.lines if line.text is not None]
        if not any(numbers):  # no source of the program, but a text to be copied
            yield from fenced([shown(line.text or "") for line in code.lines], code.file.rpartition(".")[2])
            return
        marks = [line.number for line in code.lines if line.mark]
        yield codespan(f"{code.file}:{(marks or numbers)[0]}" if numbers else code.file)
        yield ""
        wide = len(str(max(numbers, default=0)))
        body: list[str] = []
        texts = [shown(line.text.expandtabs(4)) if line.text is not None else "" for line in code.lines]
        ends = [len(text) for text, line in zip(texts, code.lines, strict=True) if line.mark]
        column = max((end for end in ends if end <= _ORDINARY), default=0)
        for text, line in zip(texts, code.lines, strict=True):
            if line.text is None:
                body.append(f"{'…':>{wide}}")
            elif line.mark:
                body.append(f"{line.number:>{wide}} ▶ {text:<{column}}  // ◀ {shown(line.mark)}")
            else:
                body.append(f"{line.number:>{wide}}   {text}".rstrip())
        yield from fenced(body, "go")

    def table(self, table: Table) -> Iterator[str]:
        if table.caption:
            yield paragraph(table.caption)
            yield ""
        long = len(table.rows) > _ROWS_OPEN
        if long:
            told = word("page.rows", self.page.lang, count=len(table.rows))
            yield f"<details><summary>{_html(told)}</summary>"
            yield ""
        rows = table.rows[:_ROWS_MOST]
        used = [at for at in range(len(table.columns)) if any(row.cells[at].text for row in rows)] or [0]
        numeric = {at for at in used if all(row.cells[at].sort is not None or not row.cells[at].text for row in rows)}
        yield _row(inline(table.columns[at]) for at in used)
        yield _row(("---:" if at in numeric else "---") for at in used)
        for row in rows:
            yield _row(self.cell(row.cells[at]) for at in used)
        if len(table.rows) > len(rows):
            yield ""
            yield paragraph(word("page.more-elsewhere", self.page.lang, count=len(table.rows) - len(rows)))
        if long:
            yield ""
            yield "</details>"

    def cell(self, cell: Cell) -> str:
        text = cell.text if len(cell.text) <= _CELL_MOST else f"{cell.text[:_CELL_MOST]} …"
        if cell.code and text:
            return codespan(text)
        return inline(text)

    def chart(self, chart: Chart) -> Iterator[str]:
        """Return a series as small bars and its values in a table."""
        show = size if chart.unit == "bytes" else "{:,.0f}".format
        yield f"**{inline(chart.title)}**"
        for series in chart.series:
            points = _picked(series.points)
            bars = sparkline([None if point.value is None else round(point.value) for point in series.points])
            yield ""
            yield _row([inline(series.name), *(inline(point.label) for point in points)])
            yield _row(["---", *("---:" for _ in points)])
            values = ["" if point.value is None else show(point.value) for point in points]
            yield _row([f"`{bars}`" if bars else "", *values])
            if bars and series is chart.series[0]:
                yield from self.marks(chart, len(values))
        if any(len(series.points) > _POINTS_MOST for series in chart.series):
            yield ""
            yield paragraph(chart.said)
        if chart.command and chart.command != self.shown_by:  # several measures of one capture are shown by one command
            yield ""
            yield from fenced(_one_line(chart.command), "sh")
        self.shown_by = chart.command

    def marks(self, chart: Chart, values: int) -> Iterator[str]:
        """Return a row of the table with the marks of events below the bars, and what each means."""
        times = [point.at for point in chart.series[0].points]
        row, kinds = marks(times, [(one.at, one.kind) for one in chart.events], "·")  # spaces may not be kept
        if row:
            comma = "、" if self.page.lang == "zh" else ", "
            named = [
                f"{mark} {comma.join(word(f'signals.kind.{kind}', self.page.lang) for kind in kinds[mark])}"
                for mark in kinds
            ]
            yield _row([f"`{row}`", *named[:values], *[""] * (values - len(named))])

    def waterfall(self, waterfall: Waterfall) -> Iterator[str]:
        whole = next((bar.value for bar in waterfall.bars if bar.tone == "whole"), 0.0)
        most = max((bar.value for bar in waterfall.bars if bar.tone != "limit"), default=0.0)
        yield f"**{inline(waterfall.title)}**"
        yield ""
        heads = [*(word(f"control.{name}", self.page.lang) for name in ("part", "size", "share")), "", ""]
        rows = [heads, ["---", "---:", "---:", "---", "---"]]
        for bar in waterfall.bars:
            share = f"{bar.value / whole:.0%}" if whole and bar.tone == "part" else ""
            drawn = "█" * max(1, round(20 * bar.value / most)) if most and bar.tone != "limit" and bar.value > 0 else ""
            name = inline(bar.name) if bar.tone == "part" else f"**{inline(bar.name)}**"
            rows.append([name, size(bar.value), share, f"`{drawn}`" if drawn else "", inline(bar.note)])
        used = [at for at in range(len(heads)) if any(row[at] for row in rows[2:])]
        yield from (_row(row[at] for at in used) for row in rows)
        if waterfall.command:
            yield ""
            yield from fenced(_one_line(waterfall.command), "sh")

    def chain(self, chain: Chain) -> Iterator[str]:
        """Return who waits for whom as a list: each node, and below it what it waits for."""
        yield paragraph(chain.said)
        yield ""
        for at, node in enumerate(chain.nodes):
            lines = self.aside(self.stop.join(node.lines)) if node.lines else ""
            title = inline(node.title) if node.tone == "missing" else codespan(node.title)
            yield f"- {title}{lines}"
            for edge in chain.edges:
                if edge.start == at:
                    target = chain.nodes[edge.end]
                    name = inline(target.title) if target.tone == "missing" else codespan(target.title)
                    yield f"  - {inline(edge.label)} → {name}"

    def hops(self, hops: Hops) -> Iterator[str]:
        """Return processes that wait for one another as a list, each with what joins it to the next."""
        yield paragraph(hops.said)
        yield ""
        for at, box in enumerate(hops.boxes):
            lines = self.aside(self.stop.join(box.lines)) if box.lines else ""
            joined = f" → {inline(hops.labels[at])} →" if at < len(hops.labels) else ""
            yield f"- {codespan(box.title)}{lines}{joined}"


# Text that evidence brought, as Markdown shows it.


def inline(text: str) -> str:
    """Return a text within a line: what stands between backticks as code, all else without any meaning to Markdown."""
    parts = shown(text).split("`")
    if len(parts) % 2 == 0:  # a lone backtick is itself
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    return "".join(codespan(part) if at % 2 else _escaped(part) for at, part in enumerate(parts) if part)


def paragraph(text: str) -> str:
    """Return a text as a paragraph of its own: what would begin a list or a heading does not."""
    return _BEGINNING.sub(r"\1\\\2", inline(text.strip()))


def _escaped(text: str) -> str:
    text = _SPECIAL.sub(lambda found: f"\\{found[0]}", text)
    return _CALLS.sub(lambda found: f"{found[0]}{_NOTHING}", text)


def codespan(text: str) -> str:
    """Return a text as code, between more backticks than it has in a row."""
    text = shown(text)
    if not text.strip():
        return ""
    ticks = "`" * (_longest(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or ticks != "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(lines: Sequence[str], language: str) -> Iterator[str]:
    """Return lines as a block of code, between fences longer than any backticks in them."""
    fence = "`" * max(3, max((_longest(line) for line in lines), default=0) + 1)
    yield f"{fence}{language if _LANGUAGE.fullmatch(language) else ''}"  # the ending of a file is evidence, too
    yield from lines
    yield fence


def _longest(text: str) -> int:
    return max((len(found) for found in re.findall("`+", text)), default=0)


def _lines(text: str) -> list[str]:
    """Return the lines as they are, tabs too: a diff is applied, an excerpt is searched for."""
    return [shown(line) for line in text.removesuffix("\n").split("\n")]


def _one_line(command: str) -> list[str]:
    return [shown(command)]


def _html(text: str) -> str:
    """Return a text inside of HTML, where Markdown's escapes count for nothing."""
    safe = shown(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("`", "&#96;")
    return _CALLS.sub(lambda found: f"{found[0]}{_NOTHING}", safe)


def _indented(lines: Iterable[str], by: int = 2) -> Iterator[str]:
    return (f"{' ' * by}{line}" if line else "" for line in lines)


def _row(cells: Iterable[str]) -> str:
    """Return a row of a table: a bar inside of code would end its cell."""
    return "| " + " | ".join(_BAR.sub(r"\\|", cell) for cell in cells) + " |"


def _picked(points: Sequence[ChartPoint]) -> list[ChartPoint]:
    """Return as many of the points as a table has room for, the first and the last among them."""
    if len(points) <= _POINTS_MOST:
        return list(points)
    step = (len(points) - 1) / (_POINTS_MOST - 1)
    return [points[round(at * step)] for at in range(_POINTS_MOST)]
