"""What a page is made of: plain values in one language, without any markup. HTML and Markdown write them down.

Text is one line or paragraph; what stands between backticks in it is code. All of it may come from evidence: whoever
writes it down escapes it. Numbers stay numbers, so that a chart is drawn and a table sorted from what is true.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Tone = Literal["leaking", "healthy", "undecided", "proven", "likely", "possible", "quiet", "plain"]


@dataclass(frozen=True, slots=True)
class Para:
    """One paragraph; a quiet one is set back."""

    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A way to elsewhere: `to` is the anchor of a section or a row of this page (#input-3), or an https address."""

    text: str
    to: str


@dataclass(frozen=True, slots=True)
class Command:
    """What to type, whole; copied with one key or click. `about` says what it shows."""

    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence that can be checked: in which capture, where in it, what stands there, which command shows it."""

    text: str
    source: Link | None = None
    where: str = ""
    excerpt: str = ""
    command: str = ""
    against: bool = False  # it speaks against the accusation


@dataclass(frozen=True, slots=True)
class Claims:
    """Sentences that each carry their evidence."""

    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what is read, what it is sorted by where that is not the text, where it leads."""

    text: str
    sort: float | None = None
    to: str = ""  # as Link.to
    code: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row; its anchor can be linked to."""

    cells: tuple[Cell, ...]
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below column names; long ones are cut by whoever shows them, who says so."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and what stands beside it; `to` leads to more of it."""

    label: str
    blocks: "tuple[Block, ...]"
    to: str = ""  # as Link.to


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels with what stands beside them."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A function and where it stands: verbatim as Go prints it; `told` is its part, state and count."""

    function: str
    file: str
    line: int
    told: str = ""


@dataclass(frozen=True, slots=True)
class Places:
    """Functions, the most important first; a path when each calls the next."""

    places: tuple[Place, ...]
    path: bool = False


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of source with its number; `mark` says its part in the mistake. None as text: lines are left out here.

    Without a number (0) it is no source of the program, but a text to be copied, such as a rule for Prometheus.
    """

    number: int
    text: str | None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of one file, the decisive ones marked."""

    file: str
    lines: tuple[CodeLine, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """A drafted change as unified diff."""

    text: str


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One value of a series: None where that moment does not say; `link` leads to the capture that does."""

    value: float | None
    label: str  # the moment, as short as it can be told
    at: datetime | None = None
    to: str = ""
    began: str = ""  # what was there for the first time at that moment


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one measure through the moments, already in words for the legend."""

    name: str
    points: tuple[ChartPoint, ...]
    tone: Literal["grew", "plain", "twin"] = "plain"


@dataclass(frozen=True, slots=True)
class Chart:
    """One or more series of one measure over time: unit "bytes" or "count". `said` is the same in a sentence."""

    title: str
    unit: Literal["bytes", "count"]
    series: tuple[Series, ...]
    said: str
    command: str = ""  # derives the numbers again


@dataclass(frozen=True, slots=True)
class Bar:
    """One part of a whole, in bytes; `note` explains it in half a sentence."""

    name: str
    value: float
    note: str = ""
    tone: Literal["part", "whole", "limit"] = "part"


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Parts that add up to a whole, biggest idea first; the whole last, then perhaps its limit."""

    title: str
    bars: tuple[Bar, ...]
    said: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """Goroutines at one place, or what they wait for."""

    title: str
    lines: tuple[str, ...] = ()
    tone: Literal["root", "victim", "origin", "missing"] = "victim"


@dataclass(frozen=True, slots=True)
class Edge:
    """Node `start` waits for node `end` (both by position), because of `label`."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Chain:
    """Who waits for whom, as a picture; `said` is the same in a sentence."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    said: str


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that are shown when they are asked for; printed with the rest."""

    title: str
    blocks: "tuple[Block, ...]"


@dataclass(frozen=True, slots=True)
class Figure:
    """The place of a picture that is made elsewhere and handed to whoever writes the page: a flame graph."""

    name: str
    title: str
    said: str
    command: str = ""  # makes the same picture alone


Block = (
    Para | Command | Claims | Table | Facts | Places | Code | Diff | Chart | Waterfall | Chain | Fold | Figure | Link
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page. `anchor` is stable across runs: a finding's is its id."""

    anchor: str
    title: str
    blocks: tuple[Block, ...] = ()
    sections: "tuple[Section, ...]" = ()
    badge: str = ""
    tone: Tone = "plain"
    summary: str = ""  # what the table of contents tells beside the title


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page: the verdict in one sentence, what it is about, then sections."""

    title: str
    lang: str
    tone: Tone
    badge: str
    verdict: str
    about: tuple[str, ...]  # process, version, moments and times, one line each
    sections: tuple[Section, ...]
    foot: str = ""
    glance: tuple[Fact, ...] = ()  # the answer in a few lines, beside the verdict
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


__all__ = [
    "Bar", "Block", "Cell", "Chain", "Chart", "ChartPoint", "Claim", "Claims", "Code", "CodeLine", "Command", "Diff",
    "Edge", "Fact", "Facts", "Figure", "Fold", "Link", "Node", "Page", "Para", "Place", "Places", "Row", "Section",
    "Series", "Table", "Tone", "Waterfall", "anchor_of_finding", "anchor_of_input", "walk",
]  # fmt: skip
