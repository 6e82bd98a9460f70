"""A process that lives for months: caches have a bound, nothing of a module grows, the collector of garbage runs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from oakum.collect.web import vault
from support import ROOT

SRC = ROOT / "src" / "oakum"
# Functions that keep an answer per argument for good, and why there are only so many.
BOUNDED = {
    "knowledge/search.py:_text": "one for each entry of the catalogue",
    "report/json.py:_hints": "one for each type that is declared",
    "report/json.py:_readers": "one for each row that is declared and its type",
    "report/json.py:_writers": "one for each row that is declared and its type",
    "web/rendering.py:_environment": "one for each language",
    "web/rendering.py:_read_file": "one for each file that is served",
}
# Module variables that functions change, and why they do not grow.
CHANGED = {
    "collect/web/vault.py:_known": "the last few thousand credentials",
    "cli/tree_scan.py:_read_since": "a number",
}
_ADDING = {"add", "append", "extend", "insert", "setdefault", "update"}


def modules(holding: str = "") -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules whose text holds this."""
    for path in sorted(SRC.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if holding in text:
            yield str(path.relative_to(SRC)), ast.parse(text)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_cache_has_a_bound() -> None:
    found = {}
    for name, tree in modules("cache"):
        for function in functions(tree):
            for decorator in map(ast.unparse, function.decorator_list):
                arguments = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
                if decorator in ("cache", "functools.cache") and arguments:
                    found[f"{name}:{function.name}"] = decorator
                if "lru_cache" in decorator and ("None" in decorator or "(" not in decorator):
                    found[f"{name}:{function.name}"] = decorator
    assert found.keys() == BOUNDED.keys()


def changed_globals(tree: ast.Module) -> set[str]:
    """Return the variables of a module that its functions add to, or set anew."""
    named = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value]
    targets = {ast.unparse(target) for node in named for target in getattr(node, "targets", None) or [node.target]}  # type: ignore[union-attr]
    found: set[str] = set()
    for function in functions(tree):
        nodes = [*ast.walk(function)]
        local = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        local |= {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
        found |= {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        for node in nodes:
            adds = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDING
            if adds and isinstance(node.func.value, ast.Name):  # type: ignore[attr-defined]
                found |= {node.func.value.id} & targets - local  # type: ignore[attr-defined]
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
                found |= {node.value.id} & targets - local
    return found


def test_no_variable_of_a_module_grows() -> None:
    found = set()
    for path in sorted(SRC.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        named = "|".join(re.findall(r"^(\w+)\b[^=\n(]*=", text, re.MULTILINE))
        if "global " in text or (named and re.search(rf"\b(?:{named})(?:\[|\.(?:{'|'.join(_ADDING)})\b)", text)):
            found |= {f"{path.relative_to(SRC)}:{variable}" for variable in changed_globals(ast.parse(text))}
    assert found == CHANGED.keys()


def test_credentials_that_rotate_are_forgotten_at_last() -> None:
    before = vault.known()
    for number in range(6000):
        vault.note(f"token-{number:06}")
    assert len(vault.known()) <= 4096
    assert b"token-005999" in vault.known()
    vault._known.clear()
    vault.note(*(one.decode() for one in before))


def test_the_collector_of_garbage_is_stopped_by_the_command_alone() -> None:
    stopping = {name for name, _ in modules("gc.disable")}
    # Workers of a scan end with it.
    assert stopping == {"__main__.py", "cli/tree_scan.py"}
    for name in ("cli/capture.py", "cli/live.py"):
        assert "gc.enable()" in Path(SRC, name).read_text(encoding="utf-8"), "what captures may run for hours"
