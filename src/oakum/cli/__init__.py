"""The command line: `oakum VERB [flags] EVIDENCE...`. One module per verb, imported when it is called.

Errors become exit codes here and nowhere else: 0 nothing found, 1 found, 2 usage, 3 undecided, 4 could not do it.
No traceback reaches a user; OAKUM_DEBUG=1 shows it to a developer.
"""

import difflib
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

import click

from oakum import __version__
from oakum.model.errors import OakumError

# A verb is one line here and one module of the same name beside this file.
COMMANDS = (
    ("diagnose", "Find out why it leaks: where, by which mechanism, how sure, and what to do."),
    ("capture", "Take evidence from running targets, carefully, into a bundle; --dry-run shows the plan."),
    ("find", "List the Go programs that run on this machine: version, memory, goroutines, pprof address."),
    ("scan", "Find leaking code in Go source, and known leaks in what is built, without any profile."),
    ("known", "Look up leaks that upstream knows: list, search, show; match them with evidence."),
    ("inspect", "Say what each input is: kind, format, counts, time, problems."),
    ("goroutines", "Where goroutines stand: grouped by place, state and creator, with ages."),
    ("diff", "What changed between two captures: new, gone, grown, in absolute numbers."),
    ("top", "Functions by their own (flat) and inherited (cum) value, as pprof -top."),
    ("tree", "Callers and callees of every function, as pprof -tree."),
    ("peek", "Callers and callees of the functions that match a regular expression."),
    ("list", "Source lines of the functions that match, with their values."),
    ("traces", "Every distinct stack with its value and labels, as pprof -traces."),
    ("flame", "Flame graph: a self-contained page, folded stacks or speedscope JSON."),
    ("graph", "Call graph: DOT, and SVG or PNG where Graphviz is installed."),
    ("demo", "Show the tool at work on recorded evidence."),
)

# -sample_index=inuse_space, -cum, -diff_base: pprof's flags come with one dash or two
_ONE_DASH = re.compile(r"^-[A-Za-z][A-Za-z0-9_-]+(=|$)")
# -n=5, -o=x.svg: Go's flags take their value so whatever their length
_SHORT_WITH_VALUE = re.compile(r"^(-[A-Za-z])=(.*)$", re.DOTALL)


class Verbs(click.Group):
    """The group of all verbs; knows their names without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name, _ in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in dict(COMMANDS):
            near = difflib.get_close_matches(cmd_name, dict(COMMANDS), 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"There is no verb '{cmd_name}'.{hint}", ctx)
        return cast(click.Command, import_module(f"oakum.cli.{cmd_name}").command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([*COMMANDS])


@click.group(
    cls=Verbs,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "token_normalize_func": lambda token: token.replace("_", "-"),
    },
    epilog="EVIDENCE is a file, a directory, a bundle or - for standard input, recognised by content, never by name "
    "alone; or what runs: http://HOST:PORT, unix://SOCKET, pid:N, kube://pod/NAMESPACE/NAME (oakum capture --help). "
    "Exit codes: 0 nothing found, 1 found, 2 usage, 3 undecided, 4 could not do it.",
)
@click.version_option(__version__, message="oakum %(version)s")
def verbs() -> None:
    """Find out why a Go service leaks, from its goroutine dumps and pprof profiles."""


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
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
        _say(error.format_message())
        if error.ctx is not None:
            _say(f"usage: {' '.join(error.ctx.command.get_usage(error.ctx).split()[1:])}", prefix="")
            _say(f"Try: {error.ctx.command_path} --help", prefix="")
        return 2
    except click.ClickException as error:
        _say(error.format_message())
        return 4
    except OakumError as error:
        _say(str(error))
        return error.exit_code
    except (BrokenPipeError, SystemExit):
        # `oakum traces big | head`: the reader has gone, which click turns into an exit of its own. Python would
        # complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted")
        return 130
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python tries to write the rest once more
        _say(f"cannot write the output: {error.strerror or error}")
        return 4
    except MemoryError:
        _say("out of memory; give the inputs one at a time, or run on a machine with more memory")
        return 4
    except Exception as error:
        if os.environ.get("OAKUM_DEBUG"):
            raise
        _say(f"internal error: {type(error).__name__}: {error}. Please report it; OAKUM_DEBUG=1 shows where it was.")
        return 4


def invoke(arguments: Sequence[str]) -> int:
    """Run one command, letting its errors through."""
    code = verbs.main(_two_dashes(arguments), prog_name="oakum", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _two_dashes(arguments: Sequence[str]) -> "list[str]":
    options = [*arguments]  # not list(...): the verb `list` is a module of this package, and has that name here
    end = options.index("--") if "--" in options else len(options)
    spelled: list[str] = []
    for argument in options[:end]:
        if short := _SHORT_WITH_VALUE.match(argument):
            spelled += short.groups()
        else:
            spelled.append(f"-{argument}" if _ONE_DASH.match(argument) else argument)
    return spelled + options[end:]


def _say(text: str, prefix: str = "oakum: ") -> None:
    """Tell on stderr; what was read may stand in it, and must not drive the terminal."""
    from oakum.cli.screen import safe

    print("\n".join(safe(line) for line in f"{prefix}{text}".split("\n")), file=sys.stderr)


__all__ = ["COMMANDS", "invoke", "run", "verbs"]
