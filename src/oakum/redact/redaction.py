"""One capture of whatever kind, its file's name -> bytes without private names; None where that cannot be done.

The same key gives the same tokens, so that two redacted bundles can be compared. What the bytes are is found out by
looking at them; only facts of /proc and sockets, which are words and numbers without a form, are told by their name.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Sequence

from oakum.model import Buffer
from oakum.redact.facts import Facts
from oakum.redact.names import Names
from oakum.redact.profile import redact_profile
from oakum.redact.public import Public
from oakum.redact.stacks import Stacks
from oakum.redact.tokens import Tokens

_MOST = 1 << 30  # bytes of one capture, unpacked
_GZIP = b"\x1f\x8b\x08"
# Files of a bundle are called so: kinds of captures, levels of debug, endings, snapshots.
_OWN_NAMES = re.compile(
    r"(?:goroutine|goroutineleak|heap|allocs|threadcreate|block|mutex|metrics|version|status|smaps_rollup|cgroup|sockets|process"
    r"|build|log|experiment|events|pod|prometheus|profile|trace|moment|snapshot|past|go|debug[012]|pb|gz|txt|json|mod|sum|t\d+"
    r"|\d{1,3}[smhd]|ago|\d{1,4}"
    r"|\d{8}T\d{6}Z)"
)
_ENDING = re.compile(r"(?:\.pb|\.debug[012])?(?:\.(?:pb|txt|json|log|out|prof|md))?(?:\.gz)?$")

# Wrapped text (a log) -> for each program that wrote stacks into it: when, as the log says, and its plain lines.
Unwrap = Callable[[Buffer], Iterable[tuple[str, Buffer]]]


class Redaction:
    """Replaces names in captures, always alike."""

    def __init__(self, key: bytes | None = None, keep: Sequence[str] = (), unwrap: Unwrap | None = None) -> None:
        """`key`: without one, tokens mean nothing beside another bundle's; `keep`: globs of import paths that stay."""
        self._tokens = Tokens(key)
        self._names = Names(self._tokens, Public(keep))
        self._facts = Facts(self._names, self._tokens)
        self._unwrap = unwrap

    def __repr__(self) -> str:
        return "Redaction(...)"

    def __call__(self, file: str, data: Buffer) -> bytes | None:
        """Return the capture with its names replaced; None when that cannot be done with bytes of this kind."""
        packed = bytes(data[:3]) == _GZIP
        plain = _unpacked(data) if packed else bytes(data)
        if plain is None or len(plain) > _MOST or plain[:3] == _GZIP:
            return None
        try:
            told = self._plain(file.rpartition("/")[2], plain)
        except Exception:  # whatever a hostile capture breaks here: it is left out, and the others are taken
            return None
        if told is None or not packed:
            return told
        deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
        return deflate.compress(told) + deflate.flush()

    def name(self, text: str) -> str:
        """Return the token of a name: of a target, a pod, a process."""
        return self._tokens.word(text)

    def file(self, text: str) -> str:
        """Return a file's name, or its token with the ending that tells people what it is."""
        if all(_OWN_NAMES.fullmatch(part) for part in re.split(r"[.-]", text)):
            return text
        ending = _ENDING.search(text)
        return self._tokens.word(text) + (ending[0] if ending else "")

    def _plain(self, file: str, data: bytes) -> bytes | None:
        if (profile := redact_profile(data, self._names, self._tokens)) is not None:
            return profile
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # what PowerShell writes
            data = data.decode("utf-16", "replace").encode("utf-8", "replace")
        if b"\0" in data[: 64 << 10]:
            return None  # a program, a trace: names stand in them in too many ways
        text = data.decode("utf-8", "replace").removeprefix("\ufeff")
        facts = self._facts.redact(file, text)
        if facts is None:
            facts = self._lines(data, text)
        return facts.encode("utf-8", "replace")

    def _lines(self, data: bytes, text: str) -> str:
        """Return the stacks in a text; those in a log without what wraps them."""
        parts = []
        for stamp, inner in self._unwrap(data) if self._unwrap else [("", data)]:
            told, kept = Stacks(self._names, self._tokens).redact(bytes(inner).decode("utf-8", "replace"))
            if kept:
                parts.append((stamp, told))
        if len(parts) == 1 and not parts[0][0]:
            return parts[0][1]
        # A line of its own before each keeps two dumps two.
        told = "\n".join(f"{stamp} stacks in a log\n{told}".lstrip() for stamp, told in parts)
        return told if parts else Stacks(self._names, self._tokens).redact(text)[0]


def _unpacked(data: Buffer) -> bytes | None:
    """Return what gzip holds, as far as it is whole; None when it is too much."""
    parts, size, rest = [], 0, bytes(data)
    try:
        while rest[:3] == _GZIP:
            stream = zlib.decompressobj(31)
            parts.append(stream.decompress(rest, _MOST + 1 - size))
            size += len(parts[-1])
            if size > _MOST:
                return None
            rest = stream.unused_data
    except zlib.error:
        pass
    return b"".join(parts)
