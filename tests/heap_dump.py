"""Go heap dumps written by hand, of any word size and byte order, whole or broken where a test wants them broken."""

from collections.abc import Iterable, Mapping, Sequence

from pprof_message import varint

HEADER = b"go1.7 heap dump\n"
OBJECT, OTHER_ROOT, TYPE, GOROUTINE, FRAME, PARAMS, FINALIZER, ITAB = range(1, 9)
MEMSTATS, QUEUED, DATA, BSS = 10, 11, 12, 13
BUCKET, SAMPLE = 16, 17
HEAP = 0xC000000000
GLOBALS = 0x5A0000


class Writer:
    """Adds records; objects are given by numbers, and refer to each other by these."""

    def __init__(self, word: int = 8, big: bool = False, heap: int = HEAP) -> None:
        self.word, self.big, self.heap = word, big, heap
        self.parts = [HEADER]
        self.numbers(PARAMS, int(big), word, heap, heap + (64 << 20))
        self.text("amd64")
        self.text("go1.27.3")
        self.numbers(2)

    def numbers(self, *values: int) -> None:
        self.parts.append(b"".join(map(varint, values)))

    def text(self, text: str | bytes) -> None:
        raw = text if isinstance(text, bytes) else text.encode()
        self.parts.append(varint(len(raw)) + raw)

    def memory(self, size: int, pointers: Mapping[int, int]) -> None:
        """Add a stretch of memory with pointers at these offsets, and their offsets behind it."""
        content = bytearray(size)
        for offset, value in pointers.items():
            content[offset : offset + self.word] = value.to_bytes(self.word, "big" if self.big else "little")
        self.text(bytes(content))
        self.parts.append(b"".join(b"\x01" + varint(offset) for offset in sorted(pointers)) + b"\0")

    def at(self, number: int) -> int:
        """Return the address of an object by its number: each has 4 KiB of its own."""
        return self.heap + 4096 * number

    def object(self, number: int, refers: Sequence[int] = (), size: int | None = None) -> None:
        if size is None:
            size = max(self.word, self.word * len(refers))
        self.numbers(OBJECT, self.at(number))
        self.memory(size, {self.word * at: self.at(one) for at, one in enumerate(refers)})

    def globals(self, refers: Iterable[int | None], tag: int = BSS, address: int = GLOBALS) -> None:
        """Add a segment of one word after the other; None: a word that holds no pointer."""
        words = list(refers)
        self.numbers(tag, address)
        told = {self.word * at: self.at(one) for at, one in enumerate(words) if one is not None}
        self.memory(self.word * len(words), told)

    def goroutine(self, number: int, function: str, refers: Sequence[int], waiting: str = "chan receive") -> None:
        self.numbers(GOROUTINE, 0x1000 * number, 0, number, 0, 4, 0, 0, 0)
        self.text(waiting)
        self.numbers(0, 0, 0, 0)
        self.numbers(FRAME, 0x7000, 0, 0)
        content = bytearray(self.word * max(1, len(refers)))
        for at, one in enumerate(refers):
            raw = self.at(one).to_bytes(self.word, "big" if self.big else "little")
            content[self.word * at : self.word * at + self.word] = raw
        self.text(bytes(content))
        self.numbers(0x400000, 0x400010, 0x400010)
        self.text(function)
        fields = (b"\x01" + varint(self.word * at) for at in range(len(refers)))
        self.parts.append(b"".join(fields) + b"\0")

    def bytes(self) -> bytes:
        """Return the dump with its end."""
        return b"".join([*self.parts, b"\0"])
