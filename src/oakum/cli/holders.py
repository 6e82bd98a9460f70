"""oakum holders: what keeps the memory, from a Go heap dump or goref's output."""

import json

import click

from oakum.cli.outputs import lang_option, language
from oakum.cli.screen import remark, safe, styled
from oakum.model.errors import Unreadable, UsageError

_ON_SCREEN = 20


@click.command(
    epilog="""Examples:

\b
  # which global, goroutine or timer keeps the memory
  oakum holders --binary ./server heap.dump
  # what each holder gained between two dumps
  oakum holders --binary ./server before.dump after.dump
  # as a flame graph
  oakum holders --binary ./server heap.dump --proto holders.pb.gz
  oakum flame holders.pb.gz -o holders.html

FILE is a heap dump (debug.WriteHeapDump), goref's profile, or what --proto wrote. PROGRAM is the binary that the
process runs, or the output of `go tool nm -size PROGRAM`: it has the names of the variables. A heap dump has the
contents of the memory, and may hold secrets; --proto writes only names and sizes.

Exit codes: 0 shown, 2 usage error, 4 failed.

See also: oakum diagnose (which of them leak), oakum top -cum (who allocated it), docs/holders.md.
""",
)
@click.argument("evidence", nargs=-1, required=True, metavar="FILE [FILE2]")
@click.option("--binary", metavar="PROGRAM", help="The program of the process, for names and types of variables.")
@click.option("-n", "--limit", type=click.IntRange(min=0), default=_ON_SCREEN, show_default=True,
              help="Show this many holders; 0 shows all.")  # fmt: skip
@click.option("--depth", type=click.IntRange(min=0), default=6, show_default=True, help="Levels below each holder.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole tree as JSON.")
@click.option(
    "--proto", metavar="FILE", help="Write the tree of the last file as pprof protobuf; - is standard output."
)
@lang_option
def command(
    evidence: tuple[str, ...],
    binary: str | None,
    limit: int,
    depth: int,
    as_json: bool,
    proto: str | None,
    lang: str | None,
) -> None:
    """Show what keeps memory alive: globals, goroutines, timers, finalizers, with retained bytes.

    A heap profile shows who allocated, this who holds. Retained is what would be free without the holder.
    """
    from oakum.cli.options import spare_inputs, write_proto
    from oakum.compare.holders import changes
    from oakum.pipeline.holders import read_holders
    from oakum.report.holders import change_document, change_lines, document, tree_lines
    from oakum.report.words.lines import problem_line

    if len(evidence) > 2:
        raise UsageError("holders takes one file, or two to compare, oldest first")
    spare_inputs((proto,), evidence)
    spoken = lang or language()
    found = []
    for capture, reading in read_holders(evidence, binary):
        for problem in reading.problems:
            remark(f"{capture.origin}: {problem_line(problem, spoken)}")
        if reading.holders is None:
            raise Unreadable(f"{capture.origin}: what holds the memory is unknown")
        found.append((capture.origin, reading))
    told = [(origin, reading.holders) for origin, reading in found if reading.holders is not None]
    changed = changes(told[0][1], told[1][1]) if len(told) == 2 else ()
    if proto:
        profile = found[-1][1].profile
        assert profile is not None
        write_proto(profile, proto)
    if proto == "-":
        return
    if as_json:
        documents = [document(*one) for one in told]
        made = {"view": "holders", **documents[0]} if len(told) == 1 else {
            "view": "holders", "inputs": documents, "changes": change_document(changed),
        }  # fmt: skip
        click.echo(json.dumps(made, indent=2, ensure_ascii=False))
    elif len(told) == 2:
        lines = change_lines(changed, (told[0][0], told[1][0]), spoken, limit, _shown)
        click.echo("\n".join(lines))
    else:
        click.echo("\n".join(tree_lines(told[0][1], spoken, limit, depth, _shown)))


def _shown(text: str, *styles: str) -> str:
    """Return the text in these styles; a name in it cannot drive the terminal."""
    return styled(safe(text), *styles)
