"""Report -> callers and callees of the nodes that match a regular expression, as `pprof -peek` prints them.

Nothing is trimmed: a light function shows all its neighbours, too. Refuses an expression that nothing matches.
"""

from typing import Any

from oakum.model import Profile, UsageError
from oakum.views import tree
from oakum.views.patterns import compiled
from oakum.views.query import Query
from oakum.views.report import report_of, trimmed
from oakum.views.tree import Tree, lines


def peek(profile: Profile, query: Query, expression: str) -> Tree:
    """Return the matching nodes of a profile with all their callers and callees."""
    pattern = compiled(expression, "peek")
    report = report_of(profile, query.fitted("peek"))
    shown = trimmed(report)
    chosen = [node for node in shown.order if pattern.search(shown.nodes.printable(node))]
    if not chosen:
        raise UsageError(f"no function in the profile matches {expression}; oakum top lists them")
    return Tree(report, shown, tree.entries(shown, chosen))


def document(peek: Tree) -> dict[str, Any]:
    """Return the nodes as plain values for JSON, in the profile's own unit."""
    return tree.document(peek, "peek")


__all__ = ["document", "lines", "peek"]
