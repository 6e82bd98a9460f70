"""The comment lines that Go writes below each record of a debug=1 profile: names for its addresses, and labels.

In: the `#` lines of one record after the other. Out: names in `Columns`, labels as pairs. Go hides runtime frames at
the leaf and runtime.goexit, so some addresses of a record stay without a name.
"""

import re
from bisect import bisect_left

from oakum.parse.columns import Columns
from oakum.regex import regex

Symbol = tuple[int, int, int]  # address, function row, line number

# Go inlines some tens of calls into one at most; more would blow up every stack that repeats the address.
_MAX_INLINED = 64

# One pair of the line "# labels:", which goes on {"k":"v \"q\"", "pebble":"table-cache"}
_LABEL = regex(r'[{,]\s*"((?:[^"\\]|\\.)*+)":\s*"((?:[^"\\]|\\.)*+)"')
# \n  \xff  \u00e9  \U0001f680  \"   (strconv.Quote)
_ESCAPE = regex(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_PLAIN_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class Symbols:
    """Gathers the symbol lines of one record at a time."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._parsed: dict[bytes, Symbol | None] = {}
        self._record: list[Symbol] = []
        self.seen = False  # some record had symbol lines
        self.broken = False  # the last line ended before it was complete

    def add(self, line: bytes) -> None:
        """Take one line of the current record: `#<tab>0x4e169d<tab>main.leak.func1+0x1d<tab>main.go:3`."""
        try:
            symbol = self._parsed[line]
        except KeyError:
            symbol = self._parsed[line] = self._parse(line)
        self.seen = True
        self.broken = symbol is None and len(line.split(None, 2)) > 2
        if symbol is not None:
            self._record.append(symbol)

    def settle(self, addresses: list[int]) -> None:
        """Name the addresses of the record that ends here, after the lines gathered for it."""
        if not self._record:
            return
        positions = _Positions(addresses).of
        found: dict[int, list[tuple[int, int]]] = {}
        early: list[tuple[int, int]] = []  # named before the first address that matches
        lines = early
        after = 0
        for address, function, number in self._record:
            at = positions(address, after)
            if at >= 0:
                if early and lines is early and at > 0:
                    found[addresses[at - 1]] = early
                # An address named before in this record is recursion: its lines are known, the new ones go nowhere.
                lines = [] if addresses[at] in found else found.setdefault(addresses[at], [])
                after = at + 1
            # No such address: the caller that the function above was inlined into (Go 1.23+ prints it with an address
            # of its own that the record does not list).
            if len(lines) < _MAX_INLINED:
                lines.append((function, number))
        if lines is early and addresses:
            found[addresses[-1]] = early
        for address, named in found.items():
            self._columns.name(address, named)
        self._record = []

    def _parse(self, line: bytes) -> Symbol | None:
        address, _, rest = line[1:].strip().partition(b"\t")
        if not rest:
            address, _, rest = address.partition(b" ")
        name, plus, tail = rest.strip().partition(b"+0x")
        _, *place = tail.split(None, 1) or [b""]  # a path may hold blanks itself
        file, colon, number = b"".join(place).strip().rpartition(b":")
        if not (plus and colon and number.isdigit() and len(number) < 10):
            return None
        try:
            at = int(address, 16)
        except ValueError:
            return None
        return at, self._columns.function(_text(name.strip()), _text(file)), int(number)


class _Positions:
    """Where printed addresses stand in a record.

    The record's addresses are return addresses less one. So are the printed ones, but at a function's entry (+0x0) and
    by Go before 1.7 the return address itself is printed.
    """

    def __init__(self, addresses: list[int]) -> None:
        self._addresses = addresses
        self._rows: dict[int, list[int]] = {}

    def of(self, address: int, after: int) -> int:
        """Return the first position from `after` on, or -1."""
        if after < len(self._addresses) and self._addresses[after] == address:
            return after
        if not self._rows:
            for row, known in enumerate(self._addresses):
                self._rows.setdefault(known, []).append(row)
        for wanted in (address, address - 1):
            rows = self._rows.get(wanted, ())
            place = bisect_left(rows, after)
            if place < len(rows):
                return rows[place]
        return -1


def read_labels(line: bytes) -> list[tuple[str, str]]:
    """Return the labels of a line `# labels: {"k":"v"}`, in its order, as far as it is whole."""
    text = _text(line)
    labels = []
    found = _LABEL.match(text, max(0, text.find("{")))
    while found:
        labels.append((_unquote(found[1]), _unquote(found[2])))
        found = _LABEL.match(text, found.end())
    return labels


def _unquote(text: str) -> str:
    if "\\" not in text:
        return text
    raw = _ESCAPE.sub(_unescape, text).encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "surrogateescape")


def _unescape(escape: re.Match[str]) -> str:
    byte, short, long, plain = escape.groups()
    if byte:
        value = int(byte, 16)
        return chr(value) if value < 0x80 else chr(0xDC00 + value)
    if plain:
        return _PLAIN_ESCAPES.get(plain, plain)
    code = int(short or long, 16)
    return "\ufffd" if code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
