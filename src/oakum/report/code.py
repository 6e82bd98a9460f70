"""Lines of source and of diffs -> text for a terminal: numbered, the decisive ones marked, the others dim.

Comes in: lines as they stand in a file, hostile ones too. Without a width every line is shown whole.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from oakum.report.layout import LONGEST, wrap
from oakum.report.pen import Pen

_TAB = 4
_FOLD = 4  # how much further right the rest of a long line begins
_AROUND = 2  # lines shown about a mark when an excerpt is long
_ORDINARY = 72  # columns of code; the role of a longer line stands right behind it
_LEAST = 16  # columns for code, however narrow the terminal


class Row(Struct, frozen=True):
    """One line of source: its number, its text, what it has to do with the mistake, who is there."""

    number: int
    text: str
    told: str = ""  # "" when the line is not marked
    count: int | None = None  # goroutines that stand here


def code(pen: Pen, rows: Sequence[Row | None], indent: int) -> Iterator[str]:
    """Yield source lines with their numbers and marks; None stands for lines left out."""
    known = [row for row in rows if row is not None]
    digits = max((len(str(row.number)) for row in known), default=1)
    counts = max((len(f"{row.count:,}") for row in known if row.count is not None), default=0)
    counts += 2 if counts else 0
    mark = "▶" if pen.look.glyphs else ">"
    texts = dedented([_plain(pen, row.text) for row in known])
    before = counts + digits + 4  # count, number, mark, and the spaces between them
    room = pen.room(indent + before)
    room = None if room is None else max(room, _LEAST)
    column = _column(pen, [(text, row.told) for text, row in zip(texts, known, strict=True) if row.told], room)
    left = iter(texts)
    for row in rows:
        if row is None:
            yield pen.look.styled(f"{' ' * indent}{' ' * counts}{pen.dots:>{digits}}", "dim")
            continue
        text = next(left)
        count = "" if row.count is None else f"{row.count:,}"
        head = f"{count:>{max(counts - 2, 0)}}{'  ' if counts else ''}"
        if not row.told:
            shown = text if room is None else _cut(pen, text, room)
            line = f"{row.number:>{digits}}   {' ' if shown else ''}{shown}".rstrip()
            yield f"{' ' * indent}{head}{pen.look.styled(line, 'dim')}"
            continue
        first, *rest = _marked(pen, text, row.told, room, column)
        yield f"{' ' * indent}{head}{pen.look.styled(f'{row.number:>{digits}} {mark}', 'bold', 'red')}  {first}"
        yield from (f"{' ' * (indent + before)}{line}" for line in rest)


def _marked(pen: Pen, text: str, told: str, room: int | None, column: int) -> list[str]:
    """Return a decisive line and its role: beside it if there is room, else below it. Never cut."""
    wide = pen.look.width_of
    beside = f"{'◀' if pen.look.glyphs else '<--'} {told}"  # <- would be Go
    for gap in (column - wide(text), 0):
        if gap >= 0 and (room is None or wide(text) + gap + 2 + wide(beside) <= room):
            return [f"{pen.look.styled(text, 'bold')}{' ' * (gap + 2)}{pen.look.styled(beside, 'red')}"]
    lines = _folded(pen, text, room)
    # The role begins below the code that it speaks of, as far as there is room.
    inner = min(len(text) - len(text.lstrip()), max(0, (room or 0) - wide(told) - 2))
    below = wrap(f"^ {told}", None if room is None else room - inner, wide)
    told_lines = [f"{' ' * inner}{pen.look.styled(line, 'red')}" for line in below]
    return [*(pen.look.styled(line, "bold") for line in lines), *told_lines]


def _column(pen: Pen, marked: Iterable[tuple[str, str]], room: int | None) -> int:
    """Return where roles begin: right of all decisive lines that are of ordinary length and leave room for theirs."""
    pairs = [(pen.look.width_of(text), pen.look.width_of(told)) for text, told in marked]
    most = max((told for _, told in pairs), default=0) + len("  <-- ")
    end = _ORDINARY if room is None else min(_ORDINARY, room - most)
    return max((text for text, _ in pairs if text <= end), default=0)


def _plain(pen: Pen, text: str) -> str:
    """Return a line with tabs as spaces and without what could drive the terminal."""
    text = text if pen.columns is None else text[:LONGEST]
    return pen.look.safe(text.expandtabs(_TAB).rstrip())


def dedented(texts: Sequence[str]) -> list[str]:
    """Return the lines without the indent that all have."""
    common = min((len(text) - len(text.lstrip()) for text in texts if text.strip()), default=0)
    return [text[common:] for text in texts]


def _cut(pen: Pen, text: str, room: int) -> str:
    if pen.look.width_of(text) <= room:
        return text
    room -= pen.look.width_of(pen.dots)
    end = min(len(text), room)
    while end and pen.look.width_of(text[:end]) > room:
        end -= 1
    return f"{text[:end].rstrip()}{pen.dots}"


def _folded(pen: Pen, text: str, room: int | None) -> list[str]:
    """Return a long line in several, the rest further right."""
    if room is None or pen.look.width_of(text) <= room:
        return [text]
    bare = text.lstrip()
    inner = min(len(text) - len(bare), room // 2)
    first, *rest = wrap(bare, room - inner, pen.look.width_of)
    left = bare[len(first) :].lstrip() if rest else ""
    deeper = min(inner + _FOLD, room // 2)
    return [
        " " * inner + first,
        *(" " * deeper + line for line in wrap(left, room - deeper, pen.look.width_of) if left),
    ]


def gapped(rows: Iterable[Row]) -> list[Row | None]:
    """Return the lines with None where others are left out between them."""
    shown: list[Row | None] = []
    last = 0
    for row in rows:
        if shown and row.number > last + 1:
            shown.append(None)
        shown.append(row)
        last = row.number
    return shown


def about_marks(rows: Sequence[Row]) -> list[Row]:
    """Return only the lines near a mark."""
    near = {row.number + step for row in rows if row.told for step in range(-_AROUND, _AROUND + 1)}
    return [row for row in rows if row.number in near]


def diff(pen: Pen, text: str, indent: int, most: int | None = None) -> Iterator[str]:
    """Yield a unified diff in colours; on a terminal at most so many lines, and how many more there are."""
    lines = text.removesuffix("\n").split("\n")
    shown = lines[:most] if _is_cut(pen, text, most) else lines
    room = pen.room(indent)
    for line in shown:
        style = _style(line)
        plain = line[:1] + _plain(pen, line[1:])
        if room is None:
            pieces = [plain]
        elif style[0] in ("green", "red"):
            pieces = [plain[:1] + piece for piece in _folded(pen, plain[1:], room - 1)]
        else:
            pieces = [_cut(pen, plain, room)]
        yield from (f"{' ' * indent}{pen.look.styled(pen.look.safe(piece), *style)}" for piece in pieces)
    if len(shown) < len(lines):
        yield f"{' ' * indent}{pen.word('diff.more', count=len(lines) - len(shown))}"


def _is_cut(pen: Pen, text: str, most: int | None) -> bool:
    """Return whether a diff is shown in part: nobody is spared a single line."""
    return most is not None and pen.columns is not None and text.count("\n") > most + 1


def _style(line: str) -> tuple[str, ...]:
    if line.startswith(("+++", "---")):
        return ("bold",)
    if line.startswith("@@"):
        return ("cyan",)
    return {"+": ("green",), "-": ("red",)}.get(line[:1], ("dim",))
