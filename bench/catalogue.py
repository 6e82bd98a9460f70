"""A catalogue of 500 known bugs and 5,000 distinct stacks: the shipped entries, again and again under other modules.

One stack in fifty is that of an entry, as its examples print it; the others are of programs that nobody knows.
"""

import random
import time
from collections.abc import Iterator

from oakum.knowledge.leaks import Leak, Leaks, leaks
from oakum.model import Frame

Waiting = tuple[list[Frame], str, Frame | None]
_ENTRIES = 500
_STACKS = 5000
_KNOWN = 50  # one stack in so many


def catalogue() -> Leaks:
    """Return 500 entries, every one taken apart already."""
    shipped = leaks()
    texts: dict[str, str] = {}
    for number in range(_ENTRIES):
        entry = shipped.entries[number % len(shipped.entries)]
        texts[f"{entry.id}-{number}"] = _copied(shipped.text(entry.id), entry, number)
    made = Leaks(texts)
    assert len(made.entries) == _ENTRIES
    return made


def _copied(text: str, entry: Leak, number: int) -> str:
    """Return an entry whose modules lie elsewhere: example.com/7/apimachinery."""
    for module in sorted(entry.modules, key=len, reverse=True):
        if module != "std":
            text = text.replace(f'"{module}', f'"{_moved(module, number)}')
    return text


def _moved(module: str, number: int) -> str:
    return f"example.com/{number}/{module.rpartition('/')[2]}"


def stacks(entries: Leaks) -> Iterator[Waiting]:
    """Yield 5,000 stacks, no two alike, leaf first."""
    rng = random.Random(7)
    waiting = [entry for entry in entries.entries if entry.goroutines and entry.goroutines[0].leaf]
    for number in range(_STACKS):
        if number % _KNOWN == 0:
            signature = waiting[number // _KNOWN % len(waiting)].goroutines[0]
            path = [one if isinstance(one, str) else one[0] for one in signature.path]
            frames = [Frame(name.replace("*/", "v2/")) for name in (signature.leaf[0], *path)]
            created = Frame(signature.created[0]) if signature.created else None
            yield frames, (signature.states or ("select",))[0], created
        else:
            names = [f"svc{rng.randrange(400)}.(*T{rng.randrange(99)}).f{rng.randrange(99)}" for _ in range(14)]
            yield (
                [Frame(f"example.org/m{number}/{name}") for name in names],
                "chan send",
                Frame("net/http.(*Server).Serve"),
            )


def match() -> tuple[float, int]:
    """Return how long it takes to hold all stacks against all entries, and how many stacks were recognised."""
    entries = catalogue()
    found = list(stacks(entries))
    begin = time.process_time()
    hits = [entries.waiting(frames, state, created) for frames, state, created in found]
    return time.process_time() - begin, sum(bool(hit) for hit in hits)


__all__ = ["catalogue", "match", "stacks"]
