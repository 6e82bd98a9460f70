"""A unified diff -> the files that it changes, and their new text. Strict: a hunk fits at its line or nowhere.

Nothing is searched for and nothing is written. Only changes of files that exist; no file is made, removed or renamed.
"""

import re

from msgspec import Struct

from oakum.regex import regex

_MOST = 200_000  # characters of a diff: a drafted one has some dozens of lines
# @@ -38,7 +38,7 @@ func (d *Desk) ask() {
_HUNK = regex(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


class Unfit(Exception):
    """A diff cannot be read, or does not fit the file; the message says which line and why."""


class Hunk(Struct, frozen=True):
    """One place that is changed: the lines that are there from `first` on, and those that shall."""

    first: int  # from 1
    old: tuple[str, ...]
    new: tuple[str, ...]


class FileDiff(Struct, frozen=True):
    """The changes of one file; `name` as the diff spells it, without git's a/ and b/."""

    name: str
    hunks: tuple[Hunk, ...]

    def apply(self, data: bytes) -> bytes:
        """Return the changed text; raise Unfit when a line does not stand where the diff says."""
        ending = "\r\n" if b"\r\n" in data else "\n"
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        out: list[str] = []
        at = 0
        for hunk in self.hunks:
            start = hunk.first - 1
            if start < at:
                raise Unfit(f"{self.name}: the hunk at line {hunk.first} begins before the last one ends")
            for number, line in enumerate(hunk.old, start):
                if number >= len(lines) or lines[number].rstrip("\r") != line:
                    found = lines[number].strip() if number < len(lines) else "the end of the file"
                    raise Unfit(f"{self.name}:{number + 1}: the diff expects {line.strip()!r}, there is {found!r}")
            out += [*lines[at:start], *(line + ending[:-1] for line in hunk.new)]
            at = start + len(hunk.old)
        return "\n".join([*out, *lines[at:]]).encode("utf-8", "surrogateescape")


def read(diff: str) -> tuple[FileDiff, ...]:
    """Return the files that a unified diff changes; raise Unfit when it is none."""
    if len(diff) > _MOST:
        raise Unfit(f"a diff of {len(diff):,} characters is larger than any that is tried")
    lines = diff.split("\n")
    files: list[FileDiff] = []
    at = 0
    while at < len(lines):
        if not lines[at].startswith("--- "):
            if lines[at].startswith("@@"):
                raise Unfit(f"line {at + 1} of the diff: a hunk of no file")
            at += 1  # diff --git, index, and the empty line at the end
            continue
        if at + 1 == len(lines) or not lines[at + 1].startswith("+++ "):
            raise Unfit(f"line {at + 1} of the diff: --- without +++")
        old, new = (_name(line) for line in lines[at : at + 2])
        if old != new:
            raise Unfit(f"{old} becomes {new}: files are neither made, removed nor renamed")
        at += 2
        hunks = []
        while at < len(lines) and lines[at].startswith("@@"):
            hunk, at = _hunk(lines, at)
            hunks.append(hunk)
        if not hunks or any(one.name == old for one in files):
            raise Unfit(f"{old}: {'named twice' if hunks else 'nothing is changed'}")
        files.append(FileDiff(old, tuple(hunks)))
    if not files:
        raise Unfit("this is no unified diff")
    return tuple(files)


def _name(line: str) -> str:
    # --- a/internal/desk/desk.go<TAB>2026-01-02 03:04:05
    return re.sub(r"^[ab]/", "", line[4:].partition("\t")[0].strip())


def _hunk(lines: list[str], at: int) -> tuple[Hunk, int]:
    head = _HUNK.match(lines[at])
    if not head:
        raise Unfit(f"line {at + 1} of the diff: {lines[at][:60]!r} is no head of a hunk")
    wanted = (int(head[2] or 1), int(head[4] or 1))
    old: list[str] = []
    new: list[str] = []
    at += 1
    while (len(old), len(new)) != wanted:
        line = lines[at] if at < len(lines) else "the end"
        if line.startswith("\\"):
            at += 1
            continue
        if len(old) > wanted[0] or len(new) > wanted[1] or (line and line[0] not in " +-"):
            raise Unfit(f"line {at + 1} of the diff: the hunk has not as many lines as its head says")
        text = line[1:].rstrip("\r")
        if not line or line[0] != "+":  # an empty line is one whose blank somebody's editor took
            old.append(text)
        if not line or line[0] != "-":
            new.append(text)
        at += 1
    if at < len(lines) and lines[at].startswith("\\"):  # \ No newline at end of file
        at += 1
    # A hunk that only adds names the line before it.
    return Hunk(int(head[1]) + (not old), tuple(old), tuple(new)), at
