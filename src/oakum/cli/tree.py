"""oakum tree: callers and callees of every function, as pprof -tree."""

from typing import Any

from oakum.cli.options import profile_options, show


@profile_options(
    """Examples:

\b
  # each function with its callers above and callees below
  oakum tree -nodecount=20 heap.pb.gz
  # call paths through net/http, and how they changed
  oakum tree -cum -focus=net/http -base before.pb.gz after.pb.gz

See also: oakum peek (for a few functions), oakum flame (the same as a flame graph).
""",
)
def command(**given: Any) -> None:
    """Show callers and callees of every function."""
    from oakum.views import tree

    show(given, tree.tree, tree.lines, tree.document)
