"""The errors a user can meet. Each message says what was read, where, and what to do next.

OakumError                 exit code 4: could not do it
├── UsageError             exit code 2: the call's words are off
├── Unreachable            a target did not answer
├── Unreadable             bytes arrived, but nothing in them could be used
└── SourceNotFound         no source file for a frame; carries where it was looked for

Parsers raise none of these: bad input becomes a `Problem` beside whatever could be read.
"""


class OakumError(Exception):
    """Could not do it; the message is shown to the user as it stands."""

    exit_code = 4


class UsageError(OakumError):
    """The call itself is wrong: an unknown sample index, a flag that does not fit."""

    exit_code = 2


class Unreachable(OakumError):
    """A target could not be reached or did not answer in time; `origin` is what was asked for."""

    def __init__(self, message: str, origin: str = "") -> None:
        super().__init__(message)
        self.origin = origin


class Unreadable(OakumError):
    """Evidence was received, but nothing in it could be used."""


class SourceNotFound(OakumError):
    """The source of a frame was not found; `looked` lists every place tried, in order."""

    def __init__(self, message: str, looked: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.looked = looked
