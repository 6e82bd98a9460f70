"""The errors a user can meet. Each message says what was read, where, and what to do next.

OakumError                 exit code 4: failed
├── UsageError             exit code 2: wrong arguments
├── Unreachable            a target did not answer; its sentence is a Text, which the command line words
│   ├── Unread             a file could not be opened; its sentence is a Problem
│   └── StoreError         a store cannot be read or written
├── Unreadable             bytes arrived, but nothing in them could be used
├── NotAssembled           what was read makes no case; its sentence is a Text, which the command line words
└── SourceNotFound         no source file for a frame; its sentences are Texts, which the command line words

Parsers raise none of these: bad input becomes a `Problem` beside whatever could be read.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oakum.model.capture import Problem
    from oakum.model.case import InputRow
    from oakum.model.text import Text


class OakumError(Exception):
    """The command failed; the message is shown to the user as it stands."""

    exit_code = 4


class UsageError(OakumError):
    """The call itself is wrong: an unknown sample index, a flag that does not fit."""

    exit_code = 2


class Unreachable(OakumError):
    """A target could not be reached or did not answer in time; `origin` is what was asked for. The command line words
    its text."""

    def __init__(self, text: "Text", origin: str = "") -> None:
        super().__init__(text.key)
        self.text, self.origin = text, origin


class Unread(Unreachable):
    """A file or a part of an archive could not be opened; the command line words its problem."""

    def __init__(self, problem: "Problem", origin: str = "") -> None:
        super().__init__(problem.text, origin)
        self.problem = problem


class StoreError(Unreachable):
    """A store cannot be read or written: another process writes, it is newer than this program, the disk is full."""


class Unreadable(OakumError):
    """Evidence was received, but nothing in it could be used."""


class NotAssembled(OakumError):
    """What was read makes no case. `about`: what is at fault ("evidence", "baseline", "build"); `rows`: what it is."""

    def __init__(self, text: "Text", about: str, rows: "tuple[InputRow, ...]" = ()) -> None:
        super().__init__(text.key)
        self.text, self.about, self.rows = text, about, rows


class SourceNotFound(OakumError):
    """The source of a frame was not found: why, every place tried (in order), what to do, why it was not fetched."""

    def __init__(
        self,
        text: "Text",
        looked: "tuple[Text, ...]" = (),
        advice: "Text | None" = None,
        fetched: "Text | None" = None,
    ) -> None:
        super().__init__(text.key)
        self.text, self.looked, self.advice, self.fetched = text, looked, advice, fetched
