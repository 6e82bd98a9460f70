"""Diagnoses that nobody asked to keep: uploads, and what `oakum diagnose --open` shows. Gone when the server ends.

A few at a time, for an hour, in a directory that only this user reads. The token of one is not to be guessed.
"""

import secrets
import shutil
import tempfile
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
from msgspec import Struct, field

from oakum.report.html.drawing import Drawing
from oakum.store.captures import Kept

MOST = 8
_LIFE = 3600.0  # seconds: long enough to read it, and to say that it is to be kept


class Held(Struct, eq=False):
    """One diagnosis, its pictures and its evidence."""

    token: str
    folder: Path
    name: str
    made: float
    document: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Drawing] = field(default_factory=dict)
    captures: dict[str, str] = field(default_factory=dict)  # digest -> file name
    words: list[str] = field(default_factory=list)  # files and directories that it was made of, as they were given
    base: str = ""  # the directory that they are relative to
    left_out: tuple[str, ...] = ()
    lasting: bool = False  # as long as the server

    @property
    def given(self) -> Path:
        """The directory of what was sent."""
        return self.folder / "given"

    def saved(self) -> str:
        """Return the diagnosis as a file."""
        path = self.folder / "diagnosis.json"
        path.write_bytes(msgspec.json.encode(self.document))
        return str(path)

    def capture(self, digest: str) -> Kept | None:
        if digest not in self.captures:
            return None
        data = (self.folder / "captures" / digest.removeprefix("sha256:")).read_bytes()
        return Kept(digest, self.captures[digest], data)


class Tray:
    def __init__(self) -> None:
        self._folder: Path | None = None
        self._held: dict[str, Held] = {}

    def claim(self, name: str, *, lasting: bool = False) -> Held:
        """Return a new place; the oldest goes when there are too many."""
        self._expire()
        while len(self._held) >= MOST:
            going = [one for one in self._held.values() if not one.lasting] or list(self._held.values())
            self.forget(going[0].token)
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="oakum-serve-"))  # mode 0700
        token = secrets.token_urlsafe(16)
        held = Held(token, self._folder / token, name, monotonic(), lasting=lasting)
        held.given.mkdir(parents=True, mode=0o700)
        self._held[token] = held
        return held

    def get(self, token: str) -> Held | None:
        self._expire()
        return self._held.get(token)

    def forget(self, token: str) -> None:
        if held := self._held.pop(token, None):
            shutil.rmtree(held.folder, ignore_errors=True)

    def _expire(self) -> None:
        for one in [*self._held.values()]:
            if not one.lasting and monotonic() - one.made > _LIFE:
                self.forget(one.token)

    def close(self) -> None:
        self._held.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
