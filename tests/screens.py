"""Screens in the docs: a command and what it prints, compared with what it prints now, or renewed from it (`--update`)."""

import contextlib
import difflib
import io
import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oakum.cli import run
from support import ROOT

_CLONED = 1_767_225_600  # any time, the same for all
_BLOCK = re.compile(r"^```(\w*)\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
Typed = Callable[[list[str]], list[str]]


def blocks(path: Path, *kinds: str) -> list[str]:
    """Return the fenced blocks of these kinds, in their order."""
    return [body for said, body in _BLOCK.findall(path.read_text(encoding="utf-8")) if said in kinds]


class Screen:
    """A command and what a page says that it prints, `[...]` standing for lines that are left out."""

    def __init__(self, body: str) -> None:
        first, *self.lines = body.splitlines()
        self.command = first.removeprefix("$ ")

    def arguments(self) -> list[str]:
        """Return the words after `oakum`, with the files that a pattern names."""
        words = shlex.split(self.command)
        assert words[0] == "oakum"
        given: list[str] = []
        for word in words[1:]:
            found = sorted(ROOT.glob(word)) if word.startswith("casebook/") and "*" in word else []
            for path in found:  # written at once, as in a clone: when they were taken, single files do not say
                os.utime(path, (_CLONED, _CLONED))
            given += [str(path.relative_to(ROOT)) for path in found] or [word]
        return given

    def holds(self, printed: list[str]) -> bool:
        """Tell whether the command prints this."""
        at, left_out = 0, False
        for line in self.lines:
            if line == "[...]":
                left_out = True
                continue
            if line not in printed[at:]:
                return False
            found = printed.index(line, at)
            if found != at and not left_out:
                return False
            at, left_out = found + 1, False
        return left_out or not any(printed[at:])

    def renewed(self, printed: list[str]) -> str:
        """Return the screen with what is printed now in the places of what it showed."""
        shown: list[str] = []
        at = 0
        for segment in "\n".join(self.lines).split("[...]"):
            lines = segment.strip("\n").splitlines()
            if not lines:
                shown.append("[...]")
                continue
            first = _nearest(lines[0], printed, at)
            last = max(first, _nearest(lines[-1], printed, first))
            shown += [*(["[...]"] if shown and shown[-1] != "[...]" else []), *printed[first : last + 1]]
            at = last + 1
        return "\n".join([f"$ {self.command}", *shown])


def _nearest(line: str, printed: list[str], start: int) -> int:
    """Return where the line stands from here on, or the one that is most like it."""
    near = difflib.get_close_matches(line, printed[start:], 1, 0.4)
    assert near, f"nothing like this is printed any more: {line}"
    return printed.index(near[0], start)


def screens(path: Path) -> Iterator[tuple[str, Screen]]:
    """Yield the screens of a page."""
    for body in blocks(path, "text"):
        if body.startswith("$ oakum "):
            yield body, Screen(body)


def terminal(monkeypatch: pytest.MonkeyPatch, folder: Path = ROOT) -> Typed:
    """Return what runs the command line as the screens show it: 100 columns, from a folder, no Go."""
    monkeypatch.chdir(folder)
    for name, value in (("COLUMNS", "100"), ("LC_ALL", "C.UTF-8"), ("PATH", "/nowhere"), ("HOME", "/nowhere")):
        monkeypatch.setenv(name, value)
    for name in ("GOPATH", "GOMODCACHE", "GOROOT", "LANG", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)

    def typed(words: list[str]) -> list[str]:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            run(words)
        return out.buffer.getvalue().decode().splitlines()

    return typed


def check_screens(path: Path, typed: Typed, update: bool, wanted: Callable[[str], bool] = lambda _: True) -> int:
    """Compare the screens of the verbs that are wanted with what is printed, or renew them; return how many."""
    text, checked = path.read_text(encoding="utf-8"), 0
    for body, screen in screens(path):
        words = screen.arguments()
        if not wanted(words[0]):
            continue
        printed = typed(words)
        if update and not screen.holds(printed):
            text = text.replace(body, screen.renewed(printed))
            path.write_text(text, encoding="utf-8")
        else:
            assert screen.holds(printed), f"{screen.command} prints something else; look, then pytest --update"
        checked += 1
    return checked
