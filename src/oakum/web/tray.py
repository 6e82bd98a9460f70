"""Diagnoses that nobody asked to keep: uploads, and what `oakum diagnose --open` shows. Gone when the server ends.

A few at a time, for an hour, in a directory that only this user reads. The token of one is not to be guessed. What a
server that was killed left behind, the next one removes: while one lives, it holds a lock on its directory.
"""

import os
import secrets
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
from msgspec import Struct, field

from oakum.report.html.drawing import Drawing
from oakum.store.captures import Kept

MOST = 8
_PREFIX = "oakum-serve-"
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
        self._lock: int | None = None
        _sweep()
        self._held: dict[str, Held] = {}

    def claim(self, name: str, *, lasting: bool = False) -> Held:
        """Return a new place; the oldest goes when there are too many."""
        self._expire()
        while len(self._held) >= MOST:
            going = [one for one in self._held.values() if not one.lasting] or list(self._held.values())
            self.forget(going[0].token)
        if self._folder is None:
            self._folder, self._lock = _made()
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
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _made() -> tuple[Path, int | None]:
    """Return a directory that only this user reads (mode 0700), and what locks it."""
    made = Path(tempfile.mkdtemp(prefix=".oakum-"))
    lock = _locked(made)
    return made.rename(made.with_name(made.name.replace(".oakum-", _PREFIX))), lock  # found by others once it is locked


def _locked(folder: Path) -> int | None:
    """Return what holds the lock of a directory; None where another process holds it, or there are no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    held = -1
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if held >= 0:
            os.close(held)
        return None
    return held


def _sweep() -> None:
    """Remove the directories of this user's servers that have ended without doing so."""
    if os.name != "posix":  # no owner, no lock
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.getuid() and (lock := _locked(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
