"""A program on this machine -> its build, as `go version -m` prints it: for bundles, and for `oakum find`."""

import mmap
import os
from pathlib import Path

from oakum.collect.process.masked import MASK
from oakum.model import Build
from oakum.parse import build_text, go_binary
from oakum.parse.limits import DEFAULT

# A flag of the linker sets variables of the program (-X main.key=...), which may be secrets.
_LINKER = "\tbuild\t-ldflags="
_MOST = 1 << 30  # bytes of a program; those of Kubernetes have a tenth


def listing(program: Path) -> str | None:
    """Return what `go version -m` prints of a program; None when it is none of Go's, or may not be read."""
    try:
        # Whose program it is decides what lies there: a pipe must not keep us waiting, nor a file of terabytes.
        file = os.open(program, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            size = min(os.fstat(file).st_size, _MOST)
            with mmap.mmap(file, size, access=mmap.ACCESS_READ) as data:
                told = go_binary.listing(data, str(program))
        finally:
            os.close(file)
    except (OSError, ValueError):  # gone, forbidden, no file; empty
        return None
    if told is None:
        return None
    lines = [f"{_LINKER}{MASK}" if line.startswith(_LINKER) and "-X" in line else line for line in told.split("\n")]
    return "\n".join(lines)


def describe(program: Path) -> bytes | None:
    """Return the same as bytes: what a target hands over as build.txt."""
    told = listing(program)
    return told.encode() if told else None


def build(told: str) -> Build:
    head, *lines = told.split("\n")
    readings = build_text.read(told.encode(), DEFAULT)
    return readings[0].build or Build() if readings else build_text.build_of(lines, head.rpartition(": ")[2])
