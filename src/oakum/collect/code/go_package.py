"""Which files of a directory are one package of one build: names and build constraints, as the go command reads them.

Comes in: names, contents and a target (GOOS, GOARCH, tags). Goes out: whether a file belongs, and to which package.
Knows no directory. Source is hostile: expressions are read within a depth and a length, and doubt lets a file in.
"""

import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from oakum.regex import regex

_HEAD = 64 << 10  # licences and comments before the package clause are shorter
_DEEPEST = 50

_SYSTEMS = frozenset(
    """aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows
    zos""".split()
)
_MACHINES = frozenset(
    """386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64
    ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm""".split()
)
_UNIX = _SYSTEMS - {"js", "nacl", "plan9", "wasip1", "windows", "zos"}
_ALSO = {"android": "linux", "illumos": "solaris", "ios": "darwin"}
_MACHINES_TRIED = ("amd64", "arm64", "386", "arm", "ppc64le", "s390x", "riscv64", "wasm")
_SYSTEMS_TRIED = ("linux", "windows", "darwin", "freebsd", "netbsd", "openbsd", "plan9", "solaris", "aix", "js")

# //go:build linux && !cgo
_CONSTRAINT = regex(r"^//go:build[ \t]+(.*?)\r?$", re.MULTILINE)
# // +build linux,386 darwin    (Go up to 1.17)
_OLD_CONSTRAINT = regex(r"^//[ \t]*\+build[ \t]+(.*?)\r?$", re.MULTILINE)
# package watch // import "k8s.io/apimachinery/pkg/watch"
_CLAUSE = regex(r"^[ \t]*package[ \t]+(\w+)", re.MULTILINE)
_TOKEN = regex(r"\s*(&&|\|\||[!()]|[\w.]+)")
_BLOCK_COMMENT = regex(r"/\*.*?\*/", re.DOTALL)
# go1.21
_RELEASE = regex(r"^go1(?:\.(\d+))?$")


class Target(Struct, frozen=True):
    system: str = "linux"
    machine: str = "amd64"
    tags: frozenset[str] = frozenset()
    minor: int | None = None  # of the Go release; None when unknown: every release tag holds
    cgo: bool = True

    def holds(self, tag: str) -> bool:
        if tag in (self.system, self.machine, "gc") or tag in self.tags or _ALSO.get(self.system) == tag:
            return True
        if tag == "cgo":
            return self.cgo
        if tag == "unix":
            return self.system in _UNIX
        if release := _RELEASE.match(tag):
            return self.minor is None or int(release[1] or 0) <= self.minor
        return False


def head(data: bytes) -> str:
    """Return the beginning of a file up to its package clause, block comments undone."""
    text = _BLOCK_COMMENT.sub(" ", data[:_HEAD].decode("utf-8", "replace"))
    clause = _CLAUSE.search(text)
    return text[: clause.end()] if clause else text


def package_of(data: bytes) -> str:
    """Return the name in the package clause; "" when there is none."""
    clause = _CLAUSE.search(head(data))
    return clause[1] if clause else ""


def belongs(name: str, data: bytes, target: Target) -> bool:
    """Return whether the go command would build this file for the target."""
    return _by_name(name, target) and _by_constraint(head(data), target)


def target_for(name: str, data: bytes, target: Target) -> Target:
    """Return the target as the file of a frame corrects it: it was built, so its constraints held."""
    if belongs(name, data, target):
        return target
    for system in dict.fromkeys((target.system, *_SYSTEMS_TRIED)):
        for machine in dict.fromkeys((target.machine, *_MACHINES_TRIED)):
            for cgo in (target.cgo, not target.cgo):
                other = replace(target, system=system, machine=machine, cgo=cgo)
                if belongs(name, data, other):
                    return other
    words = {word for line in _lines(head(data)) for word in re.findall(r"[\w.]+", line)}
    tagged = replace(target, tags=target.tags | (words - _SYSTEMS - _MACHINES - {"ignore"}))
    return tagged if belongs(name, data, tagged) else target


def _by_name(name: str, target: Target) -> bool:
    """Return whether the name's ending allows the target: x_linux.go, x_arm64_test.go, x_windows_amd64.go."""
    parts = name.removesuffix(".go").removesuffix("_test").split("_")[1:]
    if parts and parts[-1] in _MACHINES:
        return target.holds(parts[-1]) and (len(parts) < 2 or parts[-2] not in _SYSTEMS or target.holds(parts[-2]))
    return not parts or parts[-1] not in _SYSTEMS or target.holds(parts[-1])


def _lines(text: str) -> list[str]:
    found = _CONSTRAINT.findall(text)
    return found[:1] or _OLD_CONSTRAINT.findall(text)[:32]


def _by_constraint(text: str, target: Target) -> bool:
    if found := _CONSTRAINT.search(text):
        return _Expression(found[1], target.holds).value()
    # Each line is an OR of words, each word an AND of terms; all lines have to hold.
    return all(
        any(all(_term(term, target) for term in word.split(",")) for word in line.split())
        for line in _OLD_CONSTRAINT.findall(text)[:32]
    )


def _term(term: str, target: Target) -> bool:
    return not target.holds(term[1:]) if term.startswith("!") else target.holds(term)


class _Expression:
    """A //go:build line. What cannot be read holds: a file too many is better than one too few."""

    def __init__(self, text: str, holds: Callable[[str], bool]) -> None:
        self._tokens = _TOKEN.findall(text[:4096])
        self._at = 0
        self._holds = holds

    def value(self) -> bool:
        try:
            value = self._either(0)
        except (IndexError, RecursionError):
            return True
        return value if self._at == len(self._tokens) else True

    def _either(self, depth: int) -> bool:
        value = self._both(depth)
        while self._next("||"):
            value = self._both(depth) or value
        return value

    def _both(self, depth: int) -> bool:
        value = self._one(depth)
        while self._next("&&"):
            value = self._one(depth) and value
        return value

    def _one(self, depth: int) -> bool:
        if depth > _DEEPEST:
            raise RecursionError
        if self._next("!"):
            return not self._one(depth + 1)
        if self._next("("):
            value = self._either(depth + 1)
            if not self._next(")"):
                raise IndexError
            return value
        token = self._tokens[self._at]
        self._at += 1
        return self._holds(token)

    def _next(self, token: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == token:
            self._at += 1
            return True
        return False
