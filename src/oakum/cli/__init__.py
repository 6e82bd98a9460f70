"""The command line: `oakum COMMAND [flags] EVIDENCE...`. One module per command, imported when it is called.

Errors become exit codes here and nowhere else: 0 nothing found, 1 found, 2 usage, 3 undecided, 4 failed.
No traceback reaches a user; OAKUM_DEBUG=1 shows it to a developer.
"""

import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

import click

from oakum import __version__

# A command is one line here, grouped by purpose, and one module of the same name beside this file.
GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("Find the root cause", (
        ("diagnose", "Root cause of a leak: location, mechanism, confidence, fix."),
        ("reproduce", "Reproduce a leak: growth per request, with an interval."),
        ("report", "Render a saved diagnosis in any format; --recheck verifies it."),
        ("capture", "Capture dumps, profiles and metrics of running targets."),
        ("watch", "Watch services for weeks: incidents when a leak begins."),
        ("find", "Go processes on this machine, and their pprof endpoints."),
    )),
    ("Prevent leaks", (
        ("verify", "Prove that a leak is gone; what stays after go tests."),
        ("scan", "Leaking code in Go source, known upstream bugs in a build."),
        ("known", "Known upstream bugs: list, search, show, match."),
    )),
    ("Watch over time", (
        ("fleet", "Rank thousands of services by what they leak."),
        ("history", "What a store remembers: services, growth, incidents."),
        ("serve", "Open the history in a browser, with a JSON API."),
        ("store", "Look after a store: check, compact, export, import, add."),
    )),
    ("Inspect dumps and profiles", (
        ("inspect", "Identify each input: kind, format, counts, time, problems."),
        ("goroutines", "Goroutines by location, state and creator, with wait times."),
        ("holders", "What keeps the memory: globals, goroutines, timers."),
        ("diff", "Compare snapshots: new, gone, grown, shrunk."),
        ("top", "Functions by flat and cum value, as pprof -top."),
        ("tree", "Callers and callees of every function, as pprof -tree."),
        ("peek", "Callers and callees of the functions that match."),
        ("list", "Annotated source; with --finding the root cause in it."),
        ("traces", "Every distinct stack with its value, as pprof -traces."),
        ("flame", "Flame graph: HTML page, folded stacks or speedscope JSON."),
        ("graph", "Call graph: DOT; SVG, PNG or PDF through Graphviz."),
    )),
    ("Oakum itself", (
        ("demo", "Diagnose five recorded incidents."),
        ("doctor", "Check this machine: what is missing, and what that limits."),
        ("completion", "Print the shell completion script."),
    )),
)  # fmt: skip
COMMANDS = tuple(command for _, commands in GROUPS for command in commands)
VERBS = tuple(name for name, _ in COMMANDS)

# -sample_index=inuse_space, -cum, -diff_base: pprof's flags come with one dash or two
_ONE_DASH = re.compile(r"^-[A-Za-z][A-Za-z0-9_-]+(=|$)")
# -n=5, -o=x.svg: Go's flags take their value so whatever their length
_SHORT_WITH_VALUE = re.compile(r"^(-[A-Za-z])=(.*)$", re.DOTALL)


class Verbs(click.Group):
    """The group of all commands; knows their names without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*VERBS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in VERBS:
            return cast(click.Command, import_module(f"oakum.cli.{cmd_name}").command)
        if ctx.resilient_parsing:  # a line that is being completed
            return None
        raise click.UsageError(f"There is no command '{cmd_name}'.{_suggestion(cmd_name)}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, VERBS))
        for title, commands in GROUPS:
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{widest}}", told) for name, told in commands])


def _suggestion(word: str) -> str:
    """Return what somebody meant who wrote this in place of a command: a command, or evidence without one."""
    import difflib  # as long to import as all the rest of this module
    import shlex

    if word in ("help", "version"):
        return f" It is an option: oakum --{word}" + (", oakum COMMAND --help" if word == "help" else "")
    if near := difflib.get_close_matches(word, VERBS, 1):
        return f" Did you mean {near[0]}?"
    if Path(word).exists() or re.match(r"\w[\w+.-]*:\S", word):  # http://HOST, pid:812, localhost:6060
        return f" To diagnose it: oakum diagnose {shlex.quote(word)}"
    return f" Commands: {', '.join(VERBS)}."


def _missing(error: click.UsageError) -> str:
    """Return what is to be named where EVIDENCE is missing."""
    named = error.param.name if isinstance(error, click.MissingParameter) and error.param else ""
    if named == "trees":
        return " Name a directory of Go source (. is the current one), a go.mod or a Go binary."
    if named == "regexp":
        verb = error.ctx.info_name if error.ctx else ""
        return f" Name a function, then the evidence: oakum {verb} main.worker heap.pb.gz"
    if named == "saved":
        return " Name the .json or .html that `oakum diagnose EVIDENCE -o NAME` wrote."
    if named not in ("evidence", "targets") or error.ctx is None:
        return ""
    first = error.ctx.params.get("regexp")
    if first and Path(first).exists():
        return f" {first} was taken for the REGEXP, which comes first."
    return " Name a file, a directory or a running target: http://HOST:6060, pid:N, kube://pod/NAMESPACE/NAME."


@click.group(
    cls=Verbs,
    subcommand_metavar="COMMAND EVIDENCE...",
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "token_normalize_func": lambda token: token.replace("_", "-"),
    },
    epilog="""EVIDENCE is a file, a directory, a bundle or - (standard input); its content decides what it is, not its
name. Or a running target: http://HOST:PORT, unix://SOCKET, pid:N, kube://pod/NAMESPACE/NAME (all kinds: oakum capture
--help). Or a snapshot of a store: store:SERVICE@TIME. pprof's flags take one dash or two.

Exit codes: 0 nothing found, 1 leak found, 2 usage error, 3 inconclusive, 4 failed.

Environment: NO_COLOR, FORCE_COLOR, OAKUM_TOKEN, KUBECONFIG, PPROF_TMPDIR, OAKUM_STORE, OAKUM_QUIET,
OAKUM_DEBUG.
""",
)
@click.version_option(__version__, message="oakum %(version)s")
def verbs() -> None:
    """Find the root cause of leaks in Go services, from goroutine dumps and pprof profiles.

    Start here:

    \b
      oakum demo                         five recorded incidents, diagnosed
      oakum diagnose http://HOST:6060    running service, captured twice
      oakum diagnose before/ after/      saved snapshots, oldest first
      oakum find                         Go processes on this machine
      oakum doctor                       what is missing on this machine
      oakum COMMAND --help               options and examples of a command
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    if os.environ.get("_OAKUM_COMPLETE"):  # a shell asks, through the script of `oakum completion`
        from oakum.cli.completion import answer

        return answer(os.environ["_OAKUM_COMPLETE"])
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: >&-
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - open as long as the process
        # Evidence holds any characters; a terminal that cannot show one must not end the command.
        getattr(sys, name).reconfigure(errors="backslashreplace")
    try:
        code = invoke(arguments)
        sys.stdout.flush()
        return code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help(), color=False)
        return 2
    except click.UsageError as error:
        _print_error(error.format_message() + _missing(error))
        if error.ctx is not None:
            _print_error(f"usage: {' '.join(error.ctx.command.get_usage(error.ctx).split()[1:])}", prefix="")
        verb = error.ctx.command_path if error.ctx else " ".join(["oakum", *(w for w in arguments[:1] if w in VERBS)])
        _print_error(f"Try: {verb} --help", prefix="")
        return 2
    except click.ClickException as error:
        _print_error(error.format_message())
        return 4
    except (BrokenPipeError, SystemExit):
        # `oakum traces big | head`: the reader has gone, which click turns into an exit of its own. Python would
        # complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (KeyboardInterrupt, click.Abort):
        _print_error("interrupted")
        return 130
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python tries to write the rest once more
        what = error.filename if error.filename is not None else "cannot write the output"
        _print_error(f"{what}: {error.strerror or error}")
        return 4
    except MemoryError:
        _print_error("out of memory; pass fewer inputs at a time, or run on a machine with more memory")
        return 4
    except Exception as error:
        # An OakumError. The model, and with it numpy, is not imported to ask that: where numpy does not load, doctor
        # must still be able to tell.
        if hasattr(error, "exit_code"):
            _print_error(_worded(error))
            return int(error.exit_code)
        if isinstance(error, ImportError):
            _print_error(
                f"part of oakum does not load: {error}. oakum doctor shows what is missing and how to install it"
            )
            return 4
        if os.environ.get("OAKUM_DEBUG"):
            raise
        _print_error(
            f"internal error: {type(error).__name__}: {error}. Please report it; OAKUM_DEBUG=1 shows where it was."
        )
        return 4


def invoke(arguments: Sequence[str]) -> int:
    """Run one command, letting its errors through."""
    code = verbs.main(two_dashes(arguments), prog_name="oakum", standalone_mode=False)
    return code if isinstance(code, int) else 0


def two_dashes(arguments: Sequence[str]) -> "list[str]":
    """Return the arguments with flags as click knows them: -cum is --cum, -n=5 is -n 5."""
    options = [*arguments]  # not list(...): the verb `list` is a module of this package, and has that name here
    end = options.index("--") if "--" in options else len(options)
    spelled: list[str] = []
    for argument in options[:end]:
        if short := _SHORT_WITH_VALUE.match(argument):
            spelled += short.groups()
        else:
            spelled.append(f"-{argument}" if _ONE_DASH.match(argument) else argument)
    return spelled + options[end:]


def _worded(error: Exception) -> str:
    """Return what an error says; one whose sentence is a Text is worded."""
    if not hasattr(error, "origin") and not hasattr(error, "looked"):
        return str(error)
    from oakum.report.words.lines import error_line

    return error_line(error)  # type: ignore[arg-type]  # an OakumError; what it is of is not imported to ask that


def _print_error(text: str, prefix: str = "oakum: ") -> None:
    """Tell on stderr; what was read may stand in it, and must not drive the terminal."""
    from oakum.cli.screen import safe

    print("\n".join(safe(line) for line in f"{prefix}{text}".split("\n")), file=sys.stderr)
