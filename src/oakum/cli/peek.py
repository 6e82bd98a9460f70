"""oakum peek: callers and callees of the functions that match, as pprof -peek."""

from typing import TYPE_CHECKING, Any

import click

from oakum.cli.options import profile_options, show

if TYPE_CHECKING:
    from oakum.model import Profile
    from oakum.views.query import Query


@profile_options(
    """Examples:

\b
  # who allocates
  oakum peek 'mallocgc|growslice' heap.pb.gz
  # lines that call a method; escape parentheses and dots
  oakum peek -lines '\\(\\*conn\\)\\.serve' goroutine.pb.gz

See also: oakum tree (for every function), oakum list (its source).
""",
    click.argument("regexp"),
)
def command(regexp: str, **given: Any) -> None:
    """Show callers and callees of the functions that match REGEXP. Nothing is trimmed."""
    from oakum.views import tree

    def view(profile: "Profile", query: "Query") -> "tree.Tree":
        return tree.peek(profile, query, regexp)

    show(given, view, tree.lines, lambda made: tree.document(made, "peek"))
