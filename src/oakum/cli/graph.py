"""oakum graph: the call graph known from pprof -png, as DOT, or as SVG and PNG where Graphviz is installed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from oakum.cli.options import load, write_proto
from oakum.cli.picture import chosen_format, free, picture_options, save
from oakum.cli.screen import remark
from oakum.collect.programs import find_program
from oakum.model.errors import OakumError

_ENDINGS = {".dot": "dot", ".gv": "dot", ".svg": "svg", ".png": "png", ".pdf": "pdf"}
_PATIENCE = 60  # seconds for Graphviz; 80 nodes take less than one


@picture_options(
    """Examples:

\b
  # SVG, rendered by Graphviz
  oakum graph heap.pb.gz -o heap.svg
  # growth in red, decrease in green
  oakum graph -diff_base before.pb.gz after.pb.gz -o leak.png
  # without -o: DOT, for other tools
  oakum graph -focus=http -nodecount=40 goroutine.pb.gz | dot -Tsvg > http.svg

See also: oakum flame (needs no Graphviz), oakum doctor (is Graphviz installed?).
""",
    ("dot", "svg", "png", "pdf"),
)
def command(**given: Any) -> None:
    """Draw the call graph: DOT, and SVG, PNG or PDF through Graphviz.

    Box size follows the flat value of a function, colour its cum value. Without -o the graph is written to stdout as
    DOT.
    """
    from oakum.views import dot
    from oakum.views.callgraph import call_graph, document
    from oakum.views.report import shown_profile

    kind = "json" if given["json"] else chosen_format(given, _ENDINGS, "dot")
    output = free(given["output"], given["force"])
    program = _graphviz(output, kind) if kind not in ("dot", "json") else ""
    profile, query = load(given)
    graph = call_graph(profile, query)
    for text in graph.report.remarks:
        remark(text)
    if given["proto"]:
        write_proto(shown_profile(graph.report), given["proto"])
    if kind == "json":
        save([json.dumps(document(graph), indent=2, ensure_ascii=False) + "\n"], output)
        return
    text = "".join(f"{line}\n" for line in dot.lines(graph))
    if kind != "dot":
        save(_drawn(text, kind, program), output)
        return
    save([text], output)
    if not output and sys.stdout.isatty():
        remark("this is the graph in the DOT language; -o graph.svg draws it")


def _graphviz(output: str | None, kind: str) -> str:
    """Return Graphviz's dot; without it, say what to install and what goes without."""
    program = find_program("dot")
    if program:
        return program
    other = Path(output).with_suffix(".dot") if output and output != "-" else "graph.dot"
    raise OakumError(
        f"{kind.upper()} needs Graphviz, and there is no dot on the PATH. Install it (apt-get install graphviz, "
        f"dnf install graphviz, brew install graphviz), or write -o {other} and render it elsewhere"
    )


def _drawn(text: str, kind: str, program: str) -> bytes:
    try:
        done = subprocess.run(
            [program, f"-T{kind}"],
            input=text.encode("utf-8", "replace"),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OakumError(
            f"Graphviz did not finish in {_PATIENCE} s; reduce the graph: -nodecount=40, -focus REGEXP"
        ) from None
    except OSError as error:
        raise OakumError(f"{program}: cannot be run: {error.strerror}; -o FILE.dot needs no Graphviz") from None
    if done.returncode or not done.stdout:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise OakumError(f"Graphviz failed: {last[0] if last else f'exit code {done.returncode}'}; -o X.dot keeps it")
    return done.stdout
