"""oakum top: functions by their own and inherited value, as pprof -top."""

from typing import Any

from oakum.cli.options import profile_options, show


@profile_options(
    """Examples:

\b
  oakum top -cum -nodecount=20 heap.pb.gz
  oakum top -diff_base before.pb.gz -sample_index=inuse_space after.pb.gz
""",
)
def command(**given: Any) -> None:
    """Show functions by their own (flat) and inherited (cum) value."""
    from oakum.views import top

    show(given, top.top, top.lines, top.document)


__all__ = ["command"]
