"""Was it changed upstream? Releases of a module and functions of it -> the first release that has them otherwise.

Comes in: version numbers and a callable that reads a package of a release. Goes out: a `Lead`, and what was looked at.
Bisects on the statements that wait or make what is waited for, then, when none of them ever changed, on the functions.
Tokens count, comments and formatting do not. That it changed is no proof that it was fixed.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from tree_sitter import Node

from oakum.explain.code.syntax import parse, text
from oakum.explain.upstream.releases import following, minors, newer, order, patches
from oakum.model import Frame, Lead, normal_function
from oakum.regex import regex

_MOST_RELEASES = 9  # read besides the running one: the newest, log2(64), two that the proxy does not list
_MOST_PASSED = 6  # releases that cannot be had, passed over in one step
_MOST_LINES = 240  # of a diff
_MOST_TOKENS = 100_000  # of one function; more is no code that anybody wrote
_MOST_STATEMENTS = 20_000
_DEEPEST = 64

# func1   gowrap2   2   deferwrap1 : what follows the function in the name of a closure
_CLOSURE = regex(r"^(?:func|gowrap|deferwrap)?\d+$")
_STATEMENTS = frozenset(
    """send_statement receive_statement expression_statement short_var_declaration assignment_statement var_spec
    go_statement defer_statement return_statement select_statement for_statement if_statement inc_statement
    dec_statement expression_switch_statement type_switch_statement""".split()
)
_AROUND = frozenset(
    """select_statement communication_case default_case for_statement if_statement func_literal go_statement
    defer_statement expression_switch_statement type_switch_statement""".split()
)
_BODIES = ("block", "statement_list", "expression_case", "type_case", "default_case")
_LITERALS = ("interpreted_string_literal", "raw_string_literal", "rune_literal")

# (version, directory inside the module) -> its Go files by name; {} when it has none, None when it cannot be had
ReadPackage = Callable[[str, str], Mapping[str, bytes] | None]


class Function(Struct, frozen=True):
    """A function as its module declares it: file inside the module, name, receiver's type without star.

    `lines` are those of the running release that the finding speaks of: where it waits, what makes the channel.
    """

    file: str
    name: str
    receiver: str = ""
    lines: tuple[int, ...] = ()

    @classmethod
    def of(cls, frame: Frame, file: str) -> "Function | None":
        """Return the declared function of a frame, the one around a closure; None for initialisers of a package."""
        plain = Frame(normal_function(frame.function))
        names = [part for part in plain.name.split(".") if part.isidentifier() and not _CLOSURE.match(part)]
        if names and names[-1] == "func" and len(names) > 1:
            names.pop()
        if not names or names[0] in ("init", "glob"):
            return None
        return cls(file, names[0], plain.receiver.lstrip("*"), (frame.line,) if frame.line else ())

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what makes it the same function, whichever lines of it are meant."""
        return self.file, self.name, self.receiver

    @property
    def directory(self) -> str:
        """Return the package's directory inside the module."""
        return self.file.rpartition("/")[0]

    def __str__(self) -> str:
        return f"{self.receiver}.{self.name}" if self.receiver else self.name


class History(Struct, frozen=True):
    """What the releases say: a lead, or none because nothing changed or nothing could be compared."""

    lead: Lead | None
    looked: tuple[str, ...] = ()  # releases that were read, oldest first
    skipped: tuple[str, ...] = ()  # releases that could not be had
    missing: tuple[str, ...] = ()  # functions that the running release does not declare: nothing is said of them


def first_change(
    module: str, running: str, releases: Iterable[str], functions: Sequence[Function], read: ReadPackage
) -> History:
    """Return the first release newer than the running one in which one of the functions differs."""
    search = _Search(running, functions, read)
    found = search.of(running)
    if found is None:
        return History(None, skipped=(running,))
    known = [function for function in functions if found[function]]
    missing = tuple(str(function) for function in functions if not found[function])
    later = newer(running, releases)
    if not known or not later:
        return History(None, (running,), missing=missing)
    search.functions = known
    for differs in (search.differs_at_lines, search.differs):
        if changed := search.newest(later, differs):
            last, changed = search.bisect(running, later[: later.index(changed) + 1], differs)
            last, changed = search.guess(last, changed, later, differs)
            lead = search.lead(module, last, changed, differs == search.differs_at_lines)
            break
    else:
        lead = None
    looked = tuple(sorted((v for v, texts in search.texts.items() if texts is not None), key=order))
    skipped = tuple(sorted((v for v, texts in search.texts.items() if texts is None and v in later), key=order))
    return History(lead, looked, skipped, missing)


class _Search:
    def __init__(self, running: str, functions: Sequence[Function], read: ReadPackage) -> None:
        self.functions = list(functions)
        self.texts: dict[str, dict[Function, _Text | None] | None] = {}
        self._running = running
        self._read = read

    def of(self, version: str) -> "dict[Function, _Text | None] | None":
        """Return the functions as a release has them; None when the release cannot be had."""
        if version not in self.texts:
            if sum(texts is not None for texts in self.texts.values()) > _MOST_RELEASES:
                return None
            self.texts[version] = self._declared(version)
        return self.texts[version]

    def _declared(self, version: str) -> "dict[Function, _Text | None] | None":
        packages: dict[str, Mapping[str, bytes] | None] = {}
        for function in self.functions:
            if function.directory not in packages:
                packages[function.directory] = self._read(version, function.directory)
        if any(package is None for package in packages.values()):
            return None
        return {function: _declaration(function, packages[function.directory] or {}) for function in self.functions}

    def differs(self, version: str) -> bool | None:
        """Return whether a release has one of the functions otherwise than the running one; None: cannot be had."""
        then, now = self.of(version), self.of(self._running)
        if then is None or now is None:
            return None
        return any(_tokens(then[function]) != _tokens(now[function]) for function in self.functions)

    def differs_at_lines(self, version: str) -> bool | None:
        """Return whether one of the statements at the functions' lines is another, or stands elsewhere."""
        then, now = self.of(version), self.of(self._running)
        if then is None or now is None:
            return None
        return any(_moved_on(function, now[function], then[function]) for function in self.functions)

    def newest(self, versions: Sequence[str], differs: "_Differs") -> str:
        """Return the newest release that can be had when it differs, else ""."""
        # The newest may all need a newer Go than there is: back in longer and longer steps, then forward to the last
        # one that can be had.
        none, back = 0, 1
        while (answer := differs(versions[-back])) is None and back < len(versions):
            none, back = back, min(2 * back, len(versions))
        while answer is False and back - none > 1:
            middle = (back + none) // 2
            later = differs(versions[-middle])
            if later is None:
                none = middle
            else:
                back, answer = middle, later
        return versions[-back] if answer else ""

    def bisect(self, last: str, versions: Sequence[str], differs: "_Differs") -> tuple[str, str]:
        """Return (last release alike, first that differs); the newest of `versions` differs."""
        low, high = -1, len(versions) - 1
        while high - low > 1:
            middle = (low + high) // 2
            # Releases that cannot be had are passed over: the nearest one that can decides.
            for at in sorted(range(low + 1, high), key=lambda at: abs(at - middle))[:_MOST_PASSED]:
                answer = differs(versions[at])
                if answer is not None:
                    low, high = (low, at) if answer else (at, high)
                    break
            else:
                break
        return versions[low] if low >= 0 else last, versions[high]

    def guess(self, last: str, changed: str, listed: Sequence[str], differs: "_Differs") -> tuple[str, str]:
        """Return the pair made narrower by releases that the proxy has but does not list; mirrors are like that."""
        for between in (minors, following, patches):
            unlisted = [version for version in between(last, changed) if version not in listed]
            # A proxy that has not the first of them lists what it has.
            if unlisted and differs(unlisted[0]) is not None:
                last, changed = self.bisect(last, [*unlisted, changed], differs)
        return last, changed

    def lead(self, module: str, last: str, changed: str, at_lines: bool) -> Lead:
        """Return what the change is, between the last release alike and the first that differs."""
        before, after = self.of(last) or {}, self.of(changed) or {}
        differing = [f for f in self.functions if _tokens(before.get(f)) != _tokens(after.get(f))]
        running = self.of(self._running) or {}
        differing.sort(key=lambda f: not _moved_on(f, running.get(f), after.get(f)))  # the telling ones first
        lines: list[str] = []
        for function in differing:
            lines += _diff(before.get(function), after.get(function), f"{module}@{last}", f"{module}@{changed}")
        if len(lines) > _MOST_LINES:
            lines = [*lines[:_MOST_LINES], f"... {len(lines) - _MOST_LINES} more lines"]
        names = tuple(map(str, differing))
        return Lead(module, self._running, changed, names, "\n".join(lines) + "\n", last, at_lines)


_Differs = Callable[[str], bool | None]
# (kinds of the statements around it, its own tokens)
_Statement = tuple[tuple[str, ...], tuple[str, ...]]


class _Text(Struct, frozen=True):
    file: str
    first: int  # its line in the file
    lines: tuple[str, ...]
    tokens: tuple[str, ...]
    by_line: Mapping[int, frozenset[_Statement]]  # line of the file -> statements that begin there
    statements: frozenset[_Statement]

    def at(self, line: int) -> frozenset[_Statement]:
        """Return the statements that begin at a line, or else those nearest above it; none outside the function."""
        if not self.first <= line < self.first + len(self.lines):
            return frozenset()
        begun = max((begin for begin in self.by_line if begin <= line), default=0)
        return self.by_line.get(begun, frozenset())


def _moved_on(function: Function, here: _Text | None, there: _Text | None) -> bool:
    return bool(here) and any(not there or here.at(line) - there.statements for line in function.lines if here)


def _tokens(found: _Text | None) -> tuple[str, ...] | None:
    return found.tokens if found else None


def _declaration(function: Function, files: Mapping[str, bytes]) -> _Text | None:
    """Return the function from a package, from its own file if it is there, else from wherever it moved."""
    base = function.file.rpartition("/")[2]
    tests = base.endswith("_test.go")
    names = sorted(files, key=lambda name: (name != base, name))
    plain = None
    for name in names:
        if function.name.encode() not in files[name] or (name.endswith("_test.go") and not tests):
            continue
        for node in parse(files[name]).root_node.children:
            if node.type not in ("function_declaration", "method_declaration"):
                continue
            if text(node.child_by_field_name("name")) != function.name:
                continue
            receiver = _receiver(node.child_by_field_name("receiver"))
            if receiver == function.receiver:
                return _text(node, f"{function.directory}/{name}".lstrip("/"))
            if not receiver and plain is None:
                plain = _text(node, f"{function.directory}/{name}".lstrip("/"))
    # main.main.run.func1 is the closure of run, inlined into main: it has no receiver
    return plain


def _receiver(node: Node | None) -> str:
    """Return the type of (c *Cache[K]): Cache."""
    found = re.search(r"(\w+)\s*(?:\[.*\])?\s*\)$", text(node), re.DOTALL)
    return found[1] if found else ""


def _text(node: Node, file: str) -> _Text:
    lines = tuple(line.rstrip() for line in text(node).split("\n"))
    by_line = _statements(node)
    every = frozenset(statement for statements in by_line.values() for statement in statements)
    return _Text(file, node.start_point[0] + 1, lines, _leaves(node), by_line, every)


def _statements(function: Node) -> dict[int, frozenset[_Statement]]:
    """Return the statements of a function by the line on which they begin: no bodies, but what they are part of."""
    by_line: dict[int, set[_Statement]] = {}
    waiting: list[tuple[Node, tuple[str, ...]]] = [(function, ())]
    left = _MOST_STATEMENTS
    while waiting and left:
        node, around = waiting.pop()
        if node.type in _STATEMENTS:
            left -= 1
            own = _leaves(node, bodies=False)
            by_line.setdefault(node.start_point[0] + 1, set()).add((around, own))
        if node.type in _AROUND and len(around) < _DEEPEST:
            around = (*around, node.type)
        waiting += [(child, around) for child in node.named_children]
    return {line: frozenset(statements) for line, statements in by_line.items()}


def _leaves(node: Node, bodies: bool = True) -> tuple[str, ...]:
    """Return the tokens of a node without comments, line ends and what only formatting asks for."""
    tokens: list[str] = []
    waiting = [node]
    while waiting and len(tokens) < _MOST_TOKENS:
        one = waiting.pop()
        if one.type == "comment" or (not bodies and (one.type in _BODIES or (one.type == node.type and one != node))):
            continue
        if one.children and one.type not in _LITERALS:
            waiting += reversed(one.children)
            continue
        token = text(one).strip()
        if token in ("", ";"):
            continue
        if token in (")", "}", "]") and tokens and tokens[-1] == ",":  # f(a,\n b,\n)
            tokens.pop()
        tokens.append(token)
    return tuple(tokens)


def _diff(before: _Text | None, after: _Text | None, old: str, new: str) -> list[str]:
    gone: tuple[str, ...] = ()
    made = difflib.unified_diff(
        before.lines if before else gone,
        after.lines if after else gone,
        f"{old}/{before.file}" if before else "/dev/null",
        f"{new}/{after.file}" if after else "/dev/null",
        lineterm="",
    )
    return [_in_file(line, before.first if before else 1, after.first if after else 1) for line in made]


# @@ -1,7 +1,9 @@
_HUNK = regex(r"^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@$")


def _in_file(line: str, before: int, after: int) -> str:
    """Return a line of the diff; its hunks count the lines of the file, not of the function."""
    hunk = _HUNK.match(line)
    if not hunk:
        return line
    old, new = int(hunk[1]) + before - 1, int(hunk[3]) + after - 1
    return f"@@ -{old}{hunk[2] or ''} +{new}{hunk[4] or ''} @@"
