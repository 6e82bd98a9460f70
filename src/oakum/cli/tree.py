"""oakum tree: callers and callees of every function, as pprof -tree."""

from typing import Any

from oakum.cli.options import profile_options, show


@profile_options(
    """Examples:

\b
  oakum tree -nodecount=20 cpu.pb.gz
  oakum tree -cum -focus='net/http' -base before.pb.gz after.pb.gz
""",
)
def command(**given: Any) -> None:
    """Show callers and callees of every function."""
    from oakum.views import tree

    show(given, tree.tree, tree.lines, tree.document)


__all__ = ["command"]
