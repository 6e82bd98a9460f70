"""Text with stacks in it (debug=1, debug=2, heap text, a log around them) -> the same lines with names replaced.

A line that is part of a dump or a profile is kept with tokens in it; of every other line nothing is kept but, where it
begins with one, its time: a dump in a log is dated by the line before it.
"""

import re
from collections.abc import Iterator

from oakum.redact.names import Names
from oakum.redact.tokens import Tokens

_QUOTED = r'"(?:[^"\\\n]|\\.)*"'
# goroutine 7 [select (no cases), 12 minutes, locked to thread]:      goroutine 22 [select (leaked)] {k: "v", b: "c"}:
# goroutine 1 gp=0xc000002380 m=0 mp=0x1a2b [running]:                goroutine 9 [chan receive labels:{"k": "v"}]:
_HEADER = re.compile(
    r"(?P<before>.*?)(?P<head>goroutine \d{1,18})(?P<words>(?: (?:gp|m|mp)=\S+)*) "
    rf"\[(?P<state>[\w .,()/-]{{1,200}}?)(?P<inner> labels:\{{(?:[^}}\"\n]|{_QUOTED})*\}})?\]"
    rf"(?P<labels> \{{(?:[^}}\"\n]|{_QUOTED})*\}})?:(?P<after>.*)"
)
# k: "v \"q\""   "k": "v"   k: v
_LABEL = re.compile(rf'({_QUOTED}|[^\s",:{{}}][^",:{{}}]*):( ?)({_QUOTED}|[^",{{}}]*)')
# [Goroutine 40117 in state chan send, with pkg.(*worker).loop.func1 on top of the stack:        (goleak)
_GOLEAK = re.compile(
    r"([\s\[]*Goroutine \d{1,18} in state )([\w .,()/-]{0,200})(, with )(\S*)( on top of the stack:).*"
)
# created by net/http.(*Server).Serve in goroutine 1
_CREATED = re.compile(r"(\s*created by )(\S+(?: \S+)*?)( in goroutine \d{1,18})?\s*")
# /usr/local/go/src/net/http/server.go:2937 +0x266     /src/x.go:381 +0xd6 fp=0xc000add7d0 sp=0xc000add7b0 pc=0x4b2256
_POSITION = re.compile(
    r"(\s*)(\S.*?):(\d{1,9})((?: \+?0x[0-9a-f]+)?)((?: fp=0x[0-9a-f]+ sp=0x[0-9a-f]+)?)((?: pc=0x[0-9a-f]+)?)\s*"
)
# pc=0x47d86a  (non-Go function)        #	0x47d86a        rax    0xfffffffffffffffc        PC=0x4e42c1 m=0 sigcode=0
# SIGQUIT: quit        [originating from goroutine 1]:        ...23 frames elided...
# goroutine profile: total 5171        heap profile: 1: 480 [3: 2097632] @ heap/1048576
# 3 @ 0x47d86a 0x41421c        1: 524288 [3: 1572864] @ 0x420cef        12345 2 @ 0x47d86a        HeapAlloc = 974784
_MEMSTATS = (
    r"Alloc|TotalAlloc|Sys|Lookups|Mallocs|Frees|Heap[A-Z]\w{2,8}|Stack|MSpan|MCache|BuckHashSys|GCSys|OtherSys|NextGC|LastGC"
    r"|PauseNs|PauseEnd|PauseTotalNs|NumGC|NumForcedGC|GCCPUFraction|EnableGC|MaxRSS|BySize"
)
_AS_IT_IS = re.compile(
    r"\s*(?:#?\s*|-----|pc=0x[0-9a-f]+|#\s+0x[0-9a-f]+"
    r"|(?:r(?:[a-d]x|[sd]i|[bs]p|ip|flags|\d{1,2})|[c-gs]s|x\d{1,2}|lr|sp|pc|fault) +0x[0-9a-f]+"
    r"|PC=0x[0-9a-f]+ m=\d+ sigcode=\d+(?: \w{2,8}=(?:0x)?[0-9a-f]+)*"
    r"|(?:\^\\)?SIG[A-Z0-9]{2,9}: [a-z ]{1,30}|\[originating from goroutine \d{1,18}\]:?"
    r"|\.\.\.(?:additional|\d+) frames elided\.\.\.|goroutine running on other thread; stack unavailable|runtime stack:"
    r"|=== (?:BEGIN|END) goroutine stack dump ==="
    r"|(?:goroutine|goroutineleak|threadcreate|block|mutex|allocs|heap) profile: total \d{1,18}"
    r"|heap profile: *\d+: *\d+ *\[ *\d+: *\d+ *\] *@ *[a-z_0-9]+/?\d*|heap_v2/\d+"
    r"|--- (?:contention|mutex|contentionz|threadz|heapz)[: \d-]*"
    r"|(?:cycles/second|sampling period|ms since reset|discarded samples) ?= ?\d+"
    r"|-?\d+: *-?\d+ *\[ *\d+: *\d+ *\] @[ x0-9a-f]*|\d+(?: +\d+)? @[ x0-9a-f]*|@[ x0-9a-f]+"
    r"|t[\d*]+: \d+: \d+ \[\d+: \d+\]|# runtime\.MemStats"
    rf"|#\s*(?:{_MEMSTATS}) = [\d ./\[\]e+-]+"
    r"|#\s*DebugGC = (?:true|false)"
    r"|#\s*\d+ \* \(-?\d+ = \d+ - \d+\)|MAPPED_LIBRARIES:|--- Memory map: ---)\s*"
)
# orders_open profile: total 12        (pprof.NewProfile)
_OWN_PROFILE = re.compile(r"(\S+) profile: total (\d{1,18})\s*")
# panic: boom [recovered]        fatal error: concurrent map writes
_PANIC = re.compile(r"(\s*(?:panic|fatal error): ).*")
# 55c282113000-55c2831c8000 r-xp 00181000 00:11 4891588                    /usr/local/bin/testbinary
_MAP = re.compile(
    r"(\s*(?:0x)?[0-9a-f]{4,16}-(?:0x)?[0-9a-f]{4,16}:?(?: [-rwxps]{4} [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ \d+)?\s*)(\S*)"
)
_HEX = re.compile(r"0x[0-9a-f]{1,16}")
# 0xc00009e360    0x1f?    ...    _
_WORD = re.compile(r"0x([0-9a-f]{1,16})(\??)")
_ARGUMENTS = re.compile(r"[0-9a-fx, .{}?_]*")
# main.main        (gccgo)        sleep_loop        (cgo)
_BARE = re.compile(r"[A-Za-z_][^\s()]*|non-Go function")
# 2026-11-15T09:12:55Z   2026/11/15 09:12:55   2026-11-15 09:12:55.123+00:00     I1115 09:12:55.123456
_STAMP = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
    r"|[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6}"
)
_STAMP_COLUMN = 12  # time="2026-...   but not a date in the middle of a sentence
_LOOK_BACK = 4096  # bytes before a dump in which a line may say when it was written
_LONGEST = 1 << 14


class Stacks:
    """Replaces names in the lines of a text."""

    def __init__(self, names: Names, tokens: Tokens) -> None:
        self._names, self._tokens = names, tokens
        self._function = ""  # of the frame whose position comes next
        self._known: dict[tuple[str, str], str | None] = {}

    def redact(self, text: str) -> tuple[str, int]:
        """Return the text with tokens, and how many of its lines were kept.

        Lines that are left out become one line that counts them, with the time that stands closest before the dump.
        """
        out: list[str] = []
        kept = left_out = 0
        stamp, since_stamp = "", 0  # the last time in what is left out, and the characters since
        lines = text.split("\n")
        for at, line in enumerate(lines):
            redacted = self._line(line.rstrip("\r"), lines[at + 1] if at + 1 < len(lines) else "")
            if redacted is None:
                left_out += 1
                since_stamp += len(line) + 1
                if (found := _STAMP.search(line[:64])) and found.start() <= _STAMP_COLUMN:
                    stamp, since_stamp = found[0], 0
                elif since_stamp > _LOOK_BACK:
                    stamp = ""
                continue
            if left_out and redacted.strip():
                out.append(_gap(stamp, left_out))
                left_out, stamp = 0, ""
            kept += bool(redacted.strip())
            out.append(redacted)
        before_last = text.rstrip("\n").split("\n")[-2:][0]
        if left_out == 1 and kept and before_last.strip():
            out.append("x")  # the line in which the last stack is cut
        elif left_out:
            out.append(_gap(stamp, left_out) + "\n")
        return "\n".join(out), kept

    def _line(self, line: str, following: str) -> str | None:
        """Return what is written for a line; None when it is no part of a dump."""
        if not line.strip():
            return ""
        if len(line) > _LONGEST:
            return None
        if line[0] in "\t " and self._function:
            key = (line, self._function)
            if key not in self._known:
                self._known[key] = self._position(line)
            if (told := self._known[key]) is not None:
                return told
        return self._dumped(line, following)

    def _dumped(self, line: str, following: str) -> str | None:
        if "oroutine " in line and (told := self._begin(line)) is not None:
            self._function = ""
            return told
        if line.endswith(")") and (told := self._call(line)) is not None:
            return told
        if line.lstrip().startswith("#") and (told := self._symbol(line)) is not None:
            return told
        if created := _CREATED.fullmatch(line):
            self._function = created[2]
            return f"{created[1]}{self._names.function(created[2])}{created[3] or ''}"
        if _AS_IT_IS.fullmatch(line):
            return line
        if line.startswith("# labels: "):
            return "# labels: " + self._labels(line[10:])
        if own := _OWN_PROFILE.fullmatch(line):
            return f"{self._tokens.word(own[1])} profile: total {own[2]}"
        if panic := _PANIC.fullmatch(line):
            return f"{panic[1]}left out"
        if mapped := _MAP.fullmatch(line):
            return mapped[1] + self._names.program(mapped[2])
        return self._other(line, following)

    def _symbol(self, line: str) -> str | None:
        """#	0x4e169d	main.leak.func1+0x1d	/srv/shop/main.go:3"""
        address, _, rest = line.lstrip()[1:].strip().partition("\t")
        name, plus, tail = rest.partition("+0x")
        offset, _, place = tail.partition("\t")
        file, colon, number = place.strip().rpartition(":")
        if not (plus and colon and number.isdecimal() and _HEX.fullmatch(address) and _HEX.fullmatch(f"0x{offset}")):
            return None
        function = name.strip()
        tabs = "\t" * max(1, place.count("\t") + 1)
        told = f"{self._names.function(function)}+0x{offset}{tabs}{self._names.file(file, function)}"
        return f"#\t{address}\t{told}:{number}"

    def _other(self, line: str, following: str) -> str | None:
        """Return a position that follows no call that could be read, or a name that stands alone before one."""
        if _BARE.fullmatch(line) and following[:1] in ("\t", " ") and _POSITION.fullmatch(following.rstrip("\r")):
            self._function = line
            return self._names.function(line)
        if line[0] == "\t" and (place := _POSITION.fullmatch(line)) and re.search(r"\.(?:go|s|c|cc|cpp|h)$", place[2]):
            return self._position(line)
        return None

    def _begin(self, line: str) -> str | None:
        if (found := _HEADER.fullmatch(line)) and not (found["before"].strip() and found["after"].strip()):
            words = _WORD.sub(self._word, found["words"])
            inner, labels = (self._labels(found[part] or "") for part in ("inner", "labels"))
            # A logger's own words before the header go, the blanks of an indented dump stay.
            before = found["before"] if not found["before"].strip() else ""
            return f"{before}{found['head']}{words} [{found['state']}{inner}]{labels}:"
        if leak := _GOLEAK.fullmatch(line):
            return f"{leak[1]}{leak[2]}{leak[3]}{self._names.function(leak[4])}{leak[5]}"
        return None

    def _call(self, line: str) -> str | None:
        """main.(*Region).accept(0xc00009e360, {0xc00001a480, 0x1f?, 0x20})"""
        name, opened, words = line[:-1].rpartition("(")
        bare = name.strip()
        if not opened or not bare or not _ARGUMENTS.fullmatch(words):
            return None
        if " " in bare.partition("[")[0] or bare.count("(") != bare.count(")"):
            return None
        self._function = bare
        indent = name[: len(name) - len(name.lstrip())]
        return f"{indent}{self._names.function(bare)}({_WORD.sub(self._word, words)})"

    def _word(self, found: re.Match[str]) -> str:
        if found[2]:  # read from a dead register: it names nothing
            return "_"
        return self._tokens.address(int(found[1], 16))

    def _position(self, line: str) -> str | None:
        place = _POSITION.fullmatch(line)
        if place is None:
            return None
        file = self._names.file(place[2], self._function)
        return f"{place[1]}{file}:{place[3]}{place[4]}{_WORD.sub(self._word, place[5])}{place[6]}"

    def _labels(self, text: str) -> str:
        """{"k":"v"}, {k: "v"} and " labels:{...}" with tokens for keys and values."""
        head, opened, rest = text.partition("{")
        if not opened:
            return ""
        pairs = (f"{self._label(key)}:{blank}{self._label(value)}" for key, blank, value in _pairs(rest))
        return f"{head}{{{', '.join(pairs)}}}"

    def _label(self, text: str) -> str:
        quote = '"' if text.startswith('"') else ""
        return f"{quote}{self._tokens.word(_unquoted(text))}{quote}" if text.strip('"') else text


def _pairs(text: str) -> Iterator[tuple[str, str, str]]:
    for found in _LABEL.finditer(text):
        yield found[1], found[2], found[3]


# \"   \\   \n   \x1b   \u00e9        (Go's quoting of strings)
_ESCAPE = re.compile(r'\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([abfnrtv\\"]))')
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"'}


def _unquoted(text: str) -> str:
    """Return a label as it was set, so that text and protobuf of one process give it the same token."""
    if not text.startswith('"'):
        return text

    def letter(found: re.Match[str]) -> str:
        return _LETTERS[found[4]] if found[4] else chr(min(0x10FFFF, int(found[1] or found[2] or found[3], 16)))

    return _ESCAPE.sub(letter, text[1:-1])


def _gap(stamp: str, lines: int) -> str:
    return f"{stamp} {lines} line{'s' * (lines > 1)} left out".strip()
