"""oakum top: functions by their own and inherited value, as pprof -top."""

from typing import Any

from oakum.cli.options import profile_options, show


@profile_options(
    """Examples:

\b
  # functions that hold the memory, including callees
  oakum top -cum -nodecount=20 heap.pb.gz
  # what grew since
  oakum top -diff_base before.pb.gz -sample_index=inuse_space after.pb.gz
  # a running service; without a path the heap profile is fetched
  oakum top http://localhost:6060/debug/pprof/goroutine

See also: oakum tree, oakum peek (who calls it), oakum list (which line), oakum diff (two snapshots side by side).
""",
)
def command(**given: Any) -> None:
    """Show functions by flat and cum value."""
    from oakum.views import top

    show(given, top.top, top.lines, top.document)
