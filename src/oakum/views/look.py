"""How a view's text is dressed: nothing by default; the command line hands in colours and shortening."""

from collections.abc import Callable

from msgspec import Struct


def _as_it_is(text: str, value: int, total: int) -> str:
    del value, total
    return text


def _whole(name: str, before: int, after: str) -> str:
    del before
    return f"{name} {after}" if after else name


class Look(Struct, frozen=True):
    """Dresses parts of a line: shares by their size, names by the room that is left."""

    share: Callable[[str, int, int], str] = _as_it_is  # text, value, total
    name: Callable[[str, int, str], str] = _whole  # name, columns already taken, mark after it
    plain: Callable[[str], str] = str


PLAIN = Look()
