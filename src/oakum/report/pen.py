"""What every page is written with: the terminal's looks, and words and lines that fit it.

All that comes from evidence or source passes through `Look.safe`. Without a width nothing is wrapped or shortened.
"""

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Text
from oakum.report.layout import LONGEST, Width, capped, wrap
from oakum.report.words import say, word

_WIDEST = 110  # longer lines are hard to read


class Look(Struct, frozen=True):
    """What the terminal can show, and how text is dressed for it."""

    columns: int | None  # None: piped, as wide as it needs
    lang: str
    styled: Callable[..., str]  # text, styles
    safe: Callable[[str], str]
    width_of: Width
    glyphs: bool = True  # arrows and bars beyond ASCII


class Pen:
    """Writes words and lines for one look; `margin` is how far paragraphs stand to the right, beside their labels."""

    def __init__(self, look: Look, margin: int = 0) -> None:
        # What is piped is complete; on a screen a name of a million characters would push all else off it.
        self.look = look if look.columns is None else replace(look, safe=lambda text: look.safe(capped(text)))
        self.margin = margin
        self.columns = None if look.columns is None else max(40, min(look.columns, _WIDEST))
        self.dot, self.dots = ("·", "…") if look.glyphs else ("-", "...")
        self.comma, self.stop, self.colon = ("，", "；", "：") if look.lang == "zh" else (", ", "; ", ": ")

    def word(self, key: str, **args: str | int | float) -> str:
        return self.look.safe(word(key, self.look.lang, **args))

    def say(self, text: Text) -> str:
        return self.look.safe(say(text, self.look.lang))

    def placed(self, function: str) -> str:
        """Return a function as Go names it; numbers of the whole process stand at no function."""
        return word("place.process", self.look.lang) if function == "(process)" else function

    def saying(self, texts: Iterable[Text]) -> str:
        """Return sentences as one paragraph; Chinese has no spaces between them."""
        return ("" if self.look.lang == "zh" else " ").join(self.say(one) for one in texts)

    def joined(self, parts: Iterable[str]) -> str:
        """Return several short things in a row, as the language separates them."""
        return ("、" if self.look.lang == "zh" else ", ").join(parts)

    def room(self, indent: int) -> int | None:
        """Return how many columns are left beside an indent; None when there is no end."""
        return None if self.columns is None else self.columns - indent

    def paragraph(self, text: str, indent: int = 0) -> list[str]:
        """Return a sentence in lines that fit beside a label."""
        return wrap(text, self.room(self.margin + indent), self.look.width_of)

    def wrapped(self, text: str, indent: int, *, pad: bool = True) -> list[str]:
        lines = wrap(text, self.room(indent), self.look.width_of)
        return [f"{' ' * indent if pad else ''}{line}" for line in lines]

    def shortened(self, path: str, room: int) -> str:
        """Return a path without its beginning when it is too long: its end says more."""
        if self.look.width_of(path) <= room:
            return path
        end = path[-max(room - len(self.dots) - 1, 1) :]  # what is longer has no place in it anyway
        parts = end.split("/")[1:] or [end]
        while len(parts) > 1 and self.look.width_of(f"{self.dots}/" + "/".join(parts)) > room:
            parts.pop(0)
        return f"{self.dots}/" + "/".join(parts)

    def dim(self, lines: Iterable[str]) -> Iterable[str]:
        return (self.look.styled(line, "dim") for line in lines)

    def command(self, command: str) -> str:
        """Return a command whole: it is copied, so it is never wrapped."""
        whole = command if self.columns is None or len(command) <= LONGEST else f"{command[:LONGEST]} {self.dots}"
        return self.look.styled(f"$ {self.look.safe(whole)}", "blue")


class LabelledPen(Pen):
    """Writes paragraphs beside labels, which `known.label.NAME` are the words of."""

    def __init__(self, look: Look, labels: Iterable[str]) -> None:
        super().__init__(look)
        self.margin = 3 + max(look.width_of(self.word(f"known.label.{name}")) for name in labels) + 2

    def labelled(self, name: str, lines: Iterable[str]) -> Iterator[str]:
        label = self.word(f"known.label.{name}")
        gap = " " * (self.margin - 3 - self.look.width_of(label))
        for at, line in enumerate(line for line in lines if line):
            yield f"   {self.look.styled(label, 'dim')}{gap}{line}" if at == 0 else f"{' ' * self.margin}{line}"
