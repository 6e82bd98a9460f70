"""The words that Go prints behind the functions of a stack: `main.(*Book).Put(0xc000123456, {0x7c7e48?, 0x3})`.

Comes in: one goroutine as debug=2 prints it. Goes out: its calls, leaf first, with the words that are certain. Go marks
with `?` what it only read from a dead register; such a word is None, as is all behind `...`: noise, never a name.
"""

import re
from typing import NamedTuple

from oakum.model.frame import Stack

# sync.(*Mutex).lockSlow(0xc00009e3a0)        main.(*Region).accept(0xc00009e360, {0xc00001a480, 0x1f?, 0x20})
# main.(*Region).follow(...)                  but not: created by main.NewRing in goroutine 1
_CALL = re.compile(rb"\n(?![\t ])([^\n]*)\(([^(\n]*)\)[ \t\r\f\v]*(?=\n|\Z)")
# 0xc00009e360    0x1f?    ...    _       (`_`: an argument that was too large to print)
_WORD = re.compile(rb"0x([0-9a-f]{1,16})(\??)|\.\.\.|_")

# c00009e360, of 0xc00009e360
_NUMBER = re.compile(rb"0x0*([1-9a-f][0-9a-f]{0,15})")

# Smaller words are lengths, indices and flags: no Go program has objects in its first pages.
LOWEST_ADDRESS = 0x10000


class Call(NamedTuple):
    """One line of a stack: the function, and the words of its arguments in their order; None where Go is not sure."""

    function: str
    words: tuple[int | None, ...] = ()

    @property
    def receiver(self) -> int | None:
        """Return the address of the object whose method this is, as far as the first word tells."""
        word = self.words[0] if self.words else None
        return word if word is not None and word >= LOWEST_ADDRESS else None

    @property
    def addresses(self) -> frozenset[int]:
        """Return the certain words that can be addresses."""
        return frozenset(word for word in self.words if word is not None and word >= LOWEST_ADDRESS)


def calls(goroutine: bytes | memoryview) -> tuple[Call, ...]:
    """Return the calls of one goroutine's text, leaf first, parking frames included; the creator is none of them."""
    found = _CALL.findall(b"\n" + goroutine)
    return tuple([Call(name.decode("utf-8", "replace"), _words(words) if words else ()) for name, words in found])


def numbers(goroutine: bytes | memoryview) -> set[bytes]:
    """Return the numbers in one goroutine's text, in hexadecimal: every word of its calls is among them."""
    return set(_NUMBER.findall(goroutine))


def matched(found: tuple[Call, ...], stack: Stack) -> tuple[Call, ...]:
    """Return one call for each frame of a stack that has lost its parking frames; without words where none fits."""
    rows: list[Call] = []
    at = 0
    for frame in stack.frames:
        row = at
        while row < len(found) and found[row].function != frame.function:
            row += 1
        if row < len(found):
            rows.append(found[row])
            at = row + 1
        else:
            rows.append(Call(frame.function))
    return tuple(rows)


def _words(raw: bytes) -> tuple[int | None, ...]:
    return tuple([int(digits, 16) if digits and not unsure else None for digits, unsure in _WORD.findall(raw)])
