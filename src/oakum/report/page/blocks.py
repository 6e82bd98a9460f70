"""What a page is made of: plain values in one language, without markup. Terminal, Markdown and HTML write them down.

Text is one line or paragraph; what stands between backticks in it is code. All of it may come from evidence: whoever
writes it down escapes it. Numbers stay numbers, so that a chart is drawn and a table sorted from what is true.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct

Tone = Literal["leaking", "healthy", "undecided", "proven", "likely", "possible", "quiet", "plain"]


class Para(Struct, frozen=True):
    """One paragraph; a quiet one is set back."""

    text: str
    quiet: bool = False


class Link(Struct, frozen=True):
    """A way to elsewhere: `to` is the anchor of a section or a row of this page (#input-3), or an https address."""

    text: str
    to: str


class Command(Struct, frozen=True):
    """What to type, whole; copied with one key or click. `about` says what it shows."""

    text: str
    about: str = ""


class Claim(Struct, frozen=True):
    """One sentence that can be checked: in which capture, where in it, what is there, which command shows it."""

    text: str
    source: Link | None = None
    where: str = ""
    excerpt: str = ""
    command: str = ""
    against: bool = False  # it speaks against the accusation


class Claims(Struct, frozen=True):
    """Sentences that each carry their evidence."""

    claims: tuple[Claim, ...]


class Cell(Struct, frozen=True):
    """One cell: what is read, what it is sorted by where that is not the text, where it leads."""

    text: str
    sort: float | None = None
    to: str = ""  # as Link.to
    code: bool = False


class Row(Struct, frozen=True):
    """One row; its anchor can be linked to."""

    cells: tuple[Cell, ...]
    anchor: str = ""


class Table(Struct, frozen=True):
    """Rows below column names; long ones are cut by whoever shows them, who says so."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""


def table(columns: Sequence[str], rows: Sequence[Row], caption: str = "") -> Table:
    """Return a table without the columns in which no row says anything."""
    used = [at for at in range(len(columns)) if any(row.cells[at].text for row in rows)] or [0]
    kept = tuple(Row(tuple(row.cells[at] for at in used), row.anchor) for row in rows)
    return Table(tuple(columns[at] for at in used), kept, caption)


class Fact(Struct, frozen=True):
    """A label and what stands beside it; `to` leads to more of it."""

    label: str
    blocks: "tuple[Block, ...]"
    to: str = ""  # as Link.to


class Facts(Struct, frozen=True):
    """Labels with what stands beside them."""

    facts: tuple[Fact, ...]


class Place(Struct, frozen=True):
    """A function and where it stands: verbatim as Go prints it; `told` is its part, state and count."""

    function: str
    file: str
    line: int
    told: str = ""


class Places(Struct, frozen=True):
    """Functions, the most important first; a path when each calls the next."""

    places: tuple[Place, ...]
    path: bool = False


class CodeLine(Struct, frozen=True):
    """A line of source with its number; `mark` says its part in the mistake. None as text: lines are left out here.

    Without a number (0) it is no source of the program, but a text to be copied, such as a rule for Prometheus.
    """

    number: int
    text: str | None
    mark: str = ""


class Code(Struct, frozen=True):
    """Lines of one file, the decisive ones marked."""

    file: str
    lines: tuple[CodeLine, ...]


class Diff(Struct, frozen=True):
    text: str


class ChartPoint(Struct, frozen=True):
    """One value of a series: None where that snapshot does not say; `link` leads to the capture that does."""

    value: float | None
    label: str  # the snapshot, as short as it can be told
    at: datetime | None = None
    to: str = ""
    began: str = ""  # what was there for the first time at that snapshot
    x: float | None = None  # where it stands, on an axis that is not the time: the work done


class Series(Struct, frozen=True):
    """Values of one measure through the snapshots, already in words for the legend."""

    name: str
    points: tuple[ChartPoint, ...]
    tone: Literal["grew", "plain", "twin"] = "plain"


class ChartEvent(Struct, frozen=True):
    """What happened at a time, or until another: marked below a chart, on its axis."""

    at: datetime
    until: datetime | None
    told: str
    kind: str


class Chart(Struct, frozen=True):
    """One or more series of one measure over time or over work done: unit "bytes" or "count".

    `said` is the same in a sentence.
    """

    title: str
    unit: Literal["bytes", "count"]
    series: tuple[Series, ...]
    said: str
    command: str = ""  # derives the numbers again
    events: tuple[ChartEvent, ...] = ()


class Bar(Struct, frozen=True):
    """One part of a whole, in bytes; `note` explains it in half a sentence."""

    name: str
    value: float
    note: str = ""
    tone: Literal["part", "whole", "limit"] = "part"


class Waterfall(Struct, frozen=True):
    """Parts that add up to a whole, biggest idea first; the whole last, then perhaps its limit."""

    title: str
    bars: tuple[Bar, ...]
    said: str
    command: str = ""


class Node(Struct, frozen=True):
    """Goroutines at one place, or what they wait for."""

    title: str
    lines: tuple[str, ...] = ()
    tone: Literal["root", "victim", "origin", "missing"] = "victim"


class Edge(Struct, frozen=True):
    """Node `start` waits for node `end` (both by position), because of `label`."""

    start: int
    end: int
    label: str


class Chain(Struct, frozen=True):
    """Who waits for whom, as a picture; `said` is the same in a sentence."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    said: str


class Hops(Struct, frozen=True):
    """Processes that wait for one another, from left to right: box by box, and what joins each to the next."""

    boxes: tuple[Node, ...]
    labels: tuple[str, ...]  # one less than boxes
    said: str


class Fold(Struct, frozen=True):
    """Blocks that are shown when they are asked for; printed with the rest."""

    title: str
    blocks: "tuple[Block, ...]"


class Figure(Struct, frozen=True):
    """The place of a picture that is made elsewhere and handed to whoever writes the page: a flame graph."""

    name: str
    title: str
    said: str
    command: str = ""  # makes the same picture alone


Block = (
    Para
    | Command
    | Claims
    | Table
    | Facts
    | Places
    | Code
    | Diff
    | Chart
    | Waterfall
    | Chain
    | Hops
    | Fold
    | Figure
    | Link
)


class Section(Struct, frozen=True):
    """A part of a page. `anchor` is stable across runs: a finding's is its id."""

    anchor: str
    title: str
    blocks: tuple[Block, ...] = ()
    sections: "tuple[Section, ...]" = ()
    badge: str = ""
    tone: Tone = "plain"
    summary: str = ""  # what the table of contents tells beside the title
    folded: bool = False  # shown when it is asked for; printed with the rest
    line: str = ""  # what is in it, beside the title where it is folded


class Page(Struct, frozen=True):
    """The whole page: the verdict in one sentence, what it is about, then sections."""

    title: str
    lang: str
    tone: Tone
    badge: str
    verdict: str
    about: tuple[str, ...]  # process, version, snapshots and times, one line each
    sections: tuple[Section, ...]
    foot: str = ""
    glance: tuple[Fact, ...] = ()  # the answer in a few lines, beside the verdict
    picture: tuple[Chart, ...] = ()  # how the worst finding grew, below the verdict
    kept: str = ""  # the file in which the diagnosis lies as data; "": none that is known


def anchor_of_input(number: int) -> str:
    """Return the anchor of the row of a capture, counted from one in the list of inputs."""
    return f"input-{number}"


def anchor_of_finding(finding_id: str) -> str:
    """Return the anchor of a finding; an id is short, but a stored diagnosis may say anything."""
    return f"finding-{finding_id[:64]}"


def walk(blocks: Sequence[Block]) -> "list[Block]":
    """Return all blocks, those inside others too, in reading order."""
    found: list[Block] = []
    for block in blocks:
        found.append(block)
        if isinstance(block, Fold):
            found += walk(block.blocks)
        elif isinstance(block, Facts):
            for fact in block.facts:
                found += walk(fact.blocks)
    return found
