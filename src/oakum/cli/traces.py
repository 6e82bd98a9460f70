"""oakum traces: every sample with its value and labels, as pprof -traces."""

from typing import Any

from oakum.cli.options import profile_options, show


@profile_options(
    """Examples:

\b
  # every stack blocked on a channel send
  oakum traces -focus=chansend goroutine.pb.gz
  # in a text dump the state is a label
  oakum traces -tagfocus=go.state='chan receive' -lines dump.txt

See also: oakum goroutines (grouped, with wait times and creators), oakum flame.
""",
)
def command(**given: Any) -> None:
    """Show every distinct stack with its value and labels."""
    from oakum.views import traces

    show(given, traces.traces, traces.lines, traces.document)
