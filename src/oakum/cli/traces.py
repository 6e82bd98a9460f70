"""oakum traces: every sample with its value and labels, as pprof -traces."""

from typing import Any

from oakum.cli.options import profile_options, show


@profile_options(
    """Examples:

\b
  # every stack that waits to send
  oakum traces -focus=chansend goroutine.pb.gz
  # of a dump as text the state is a label
  oakum traces -tagfocus=go.state='chan receive' -lines dump.txt

See also: oakum goroutines (grouped, with ages and creators), oakum flame.
""",
)
def command(**given: Any) -> None:
    """Show every distinct stack with its value and labels."""
    from oakum.views import traces

    show(given, traces.traces, traces.lines, traces.document)


__all__ = ["command"]
