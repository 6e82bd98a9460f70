"""Types as Go writes them, as text: what is a channel, what does a map hold, what is behind a pointer."""

from functools import lru_cache

_OPEN, _CLOSE = "[({", "])}"


@lru_cache(16384)
def base(written: str) -> str:
    """Return the name of a type without pointers and type arguments: `*board`, `List[T]` -> board, List."""
    written = written.strip()
    while written[:1] == "*" or (written.startswith("(") and written.endswith(")")):
        written = written[1:].strip() if written[0] == "*" else written[1:-1].strip()
    if written.startswith(("[", "map[", "chan", "<-", "func", "struct", "interface")):
        return written
    return written.partition("[")[0]


def is_channel(written: str) -> bool:
    written = written.strip()
    return written.startswith(("chan ", "chan<-", "<-chan", "chan(", "chan*"))


def element(written: str) -> str:
    """Return what a slice, array, map or channel holds; "" for anything else."""
    written = written.strip().lstrip("*")
    if is_channel(written):
        for sign in ("<-chan", "chan<-", "chan"):
            if written.startswith(sign):
                return written[len(sign) :].strip()
    if written.startswith("map["):
        return written[_closing(written, 3) + 1 :].strip()
    if written.startswith("["):
        return written[_closing(written, 0) + 1 :].strip()
    return ""


def _closing(written: str, at: int) -> int:
    depth = 0
    for index in range(at, len(written)):
        if written[index] in _OPEN:
            depth += 1
        elif written[index] in _CLOSE:
            depth -= 1
            if depth == 0:
                return index
    return len(written) - 1


def results_of(written: str) -> list[str]:
    """Return the result types of a function type: `func(a int) (chan int, error)` -> [chan int, error]."""
    if not written.startswith("func"):
        return []
    rest = written[_closing(written, written.find("(")) + 1 :].strip()
    if not rest:
        return []
    return split(rest[1:-1]) if rest.startswith("(") else [rest]


def split(written: str) -> list[str]:
    """Return what commas separate, brackets respected."""
    found, depth, begin = [], 0, 0
    for index, sign in enumerate(written):
        if sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        elif sign == "," and depth == 0:
            found.append(written[begin:index].strip())
            begin = index + 1
    tail = written[begin:].strip()
    return [*found, tail] if tail else found
