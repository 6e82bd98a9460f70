"""oakum demo: the main commands on recorded evidence of a small service that leaks, each as a user would type it."""

import contextlib
import shlex
import tempfile
from pathlib import Path

import click

from oakum.cli.screen import styled
from oakum.model.errors import UsageError

EVIDENCE = Path(__file__).parent / "demo_evidence"
STEPS = (
    ("A service of ours grows. Three times we saved its goroutines and heap. What do we have?",
     "inspect before.goroutine.txt.gz after.goroutine.txt.gz after.heap.txt.gz"),
    ("Why does it grow? One command says what leaks, where, and how sure that is.",
     "diagnose before.goroutine.txt.gz before.heap.pb.gz after.goroutine.txt.gz after.heap.pb.gz"),
    ("By hand, then. Where do its goroutines stand? 500 wait to send an answer that nobody takes.",
     "goroutines after.goroutine.txt.gz -n 4"),
    ("Do they grow? Formats may be mixed: text stacks, then two protobufs.",
     "diff before.goroutine.txt.gz during.goroutine.pb.gz after.goroutine.pb.gz -n 5"),
    ("And the heap? One function holds what was added.",
     "diff before.heap.pb.gz after.heap.pb.gz -inuse_space -n 4"),
    ("The same numbers as go tool pprof, in its own words.",
     "top after.heap.pb.gz -nodecount=5"),
    ("A dump that only survived in the journal, escaped into one line of a log, reads the same.",
     "goroutines journal.log --by function,state --uniq -n 4"),
)  # fmt: skip


@click.command(
    epilog="""Examples:

\b
  oakum demo
  oakum demo -o ~/oakum-demo
""",
)
@click.option(
    "-o", "--output", metavar="DIR", help="Where the flame graph page goes; a temporary directory by default."
)
def command(output: str | None) -> None:
    """Show the tool at work on recorded evidence that comes with it; needs no Go and no network."""
    from oakum.cli import invoke

    folder = Path(output).expanduser().resolve() if output else Path(tempfile.mkdtemp(prefix="oakum-demo-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"-o {output}: not a directory that can be made: {error.strerror}") from None
    page = folder / "flame.html"
    last = (
        "A page to click through: what grew is marked. It needs no network.",
        f"flame after.heap.pb.gz -diff_base=before.heap.pb.gz --force -o {shlex.quote(str(page))}",
    )
    with contextlib.chdir(EVIDENCE):
        for number, (story, line) in enumerate((*STEPS, last), 1):
            click.echo(f"\n{styled(f'{number}. {story}', 'bold')}\n{styled(f'$ oakum {line}', 'cyan')}\n")
            invoke(shlex.split(line))
    click.echo(f"\nOpen {page} in a browser. The evidence is in {EVIDENCE}; try the commands on it, then on your own.")


__all__ = ["STEPS", "command"]
