"""oakum completion: the script that makes a shell complete verbs, options, choices, files, targets and ids.

The script asks `oakum` itself each time (`_OAKUM_COMPLETE=bash_complete oakum`), so it stays right after upgrades.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import ClassVar

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    _resolve_context,  # what ShellComplete.get_completions itself is made of; click has no public names for them
    _resolve_incomplete,
    split_arg_string,
)

# Bash ends words at colons and equals signs: it hands over pid:81 as three words, and replaces only the last. So the
# whole line is handed over, and of the answer only what follows the last such character is given back.
_BASH = """\
_oakum_completion() {
    local IFS=$'\\n' item kind value
    local word=${COMP_WORDS[COMP_CWORD]}
    [[ $word == [:=] ]] && word=
    COMPREPLY=()
    for item in $(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_BREAKS="$COMP_WORDBREAKS" \\
            _OAKUM_COMPLETE=bash_complete "${1/#\\~/$HOME}" 2>/dev/null); do
        kind=${item%%,*} value=${item#*,}
        case $kind in
            file) compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
            dir) compopt -o filenames; COMPREPLY+=($(compgen -d -- "$word")) ;;
            *) [[ $value == *[:=/] ]] && compopt -o nospace; COMPREPLY+=("$value") ;;
        esac
    done
}
complete -o nosort -F _oakum_completion oakum
"""
# Which values are names of files, by what help calls them.
_FILES = {"FILE", "EVIDENCE", "PLACE", "TARGET", "DIR|FILE", "SAVED"}
_FOLDERS = {"DIR", "PATHS"}
_KNOWN_VERBS = ("list", "search", "show", "match")
_SAMPLE_TYPES = ("inuse_space", "inuse_objects", "alloc_space", "alloc_objects", "goroutine", "contentions", "delay")
_PLAIN = re.compile(r"([^\w./+:@%,=-])")


@click.command(
    epilog="""Examples:

\b
  # bash, permanently
  oakum completion bash > ~/.local/share/bash-completion/completions/oakum
  # bash, this shell only, or as a line of ~/.bashrc
  source <(oakum completion bash)
  # zsh: into a directory of $fpath, before compinit runs
  oakum completion zsh > ~/.zfunc/_oakum
  # fish
  oakum completion fish > ~/.config/fish/completions/oakum.fish

Then: `oakum dia<TAB>`, `oakum diagnose --ba<TAB>`, `oakum top -sam<TAB>`, `oakum diagnose pid:<TAB>`,
`oakum known show kub<TAB>`.

Exit codes: 0, 2 usage error. Needs bash 4.4 or later; macOS ships 3.2.
""",
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    Completes commands, options (pprof's with one dash too), their choices, files, kinds of targets, process ids after
    pid:, and the ids of known bugs.
    """
    click.echo(_SHELLS[shell](_root(), {}, "oakum", "_OAKUM_COMPLETE").source(), nl=False)


def answer(instruction: str) -> int:
    """Answer a shell that asks: `bash_complete` says which. Nothing is proposed for a line that makes no sense."""
    shell = _SHELLS.get(instruction.removesuffix("_complete"))
    if shell is None:
        print(f"oakum: _OAKUM_COMPLETE={instruction}: unknown; see oakum completion --help", file=sys.stderr)
        return 2
    try:
        click.echo(shell(_root(), {}, "oakum", "_OAKUM_COMPLETE").complete())
    except (click.UsageError, ImportError, KeyError, ValueError):
        return 4  # the shell shows nothing
    return 0


def _root() -> click.Group:
    from oakum.cli import verbs

    return verbs


class _Proposals(ShellComplete):
    """What fits at the cursor, for every shell; only how it is asked and written differs."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return what the last word may become, whole."""
        from oakum.cli import COMMANDS, two_dashes

        dash = re.match(r"-[A-Za-z]\w", incomplete)  # -sam: one dash, as in Go
        name, equals, value = incomplete.partition("=")
        if equals and incomplete.startswith("-"):
            args, incomplete = [*args, name], value
        else:
            name = equals = ""
        args = two_dashes(args)
        ctx = _resolve_context(self.cli, {**self.ctx_args}, self.prog_name, args)
        found, typed = _resolve_incomplete(ctx, args, incomplete)
        if isinstance(found, click.Group):
            verbs = [CompletionItem(verb, help=told) for verb, told in COMMANDS if verb.startswith(typed)]
            return verbs if not typed.startswith("-") else found.shell_complete(ctx, typed)
        if isinstance(found, click.Command):
            return [*_options(found.shell_complete(ctx, "-"), typed, bool(dash))]
        items = [*_values(ctx, found, typed)]
        for item in items:
            item.value = name + equals + item.value
        return items


def _options(items: Iterable[CompletionItem[str]], typed: str, one_dash: bool) -> Iterator[CompletionItem[str]]:
    """Yield the options that begin as typed, spelled as they are typed: -source-p is -source-path."""
    wanted = typed.lstrip("-").replace("_", "-")
    for item in items:
        name, long = item.value.lstrip("-"), item.value.startswith("--")
        if not name.replace("_", "-").startswith(wanted) or (not long and typed.startswith("--")):
            continue
        spelled = name.replace("_", "-") if "-" in typed.lstrip("-") else name
        yield CompletionItem(f"{'-' if one_dash or not long else '--'}{spelled}", help=item.help)


def _values(ctx: click.Context, param: click.Parameter, typed: str) -> Iterator[CompletionItem[str]]:
    """Yield values of an option or an argument: its choices, ids, processes, kinds of targets, or that files fit."""
    if items := param.shell_complete(ctx, typed):
        yield from items
        return
    verb = ctx.info_name or ""
    names: Iterable[tuple[str, str]] = ()
    if make := _NAMES.get((verb, param.name or "")) or _NAMES.get(("", param.name or "")):
        names = make(ctx, typed)
    elif param.make_metavar(ctx) in _FOLDERS:
        yield CompletionItem(typed, type="dir")
        return
    chosen = [CompletionItem(name, help=told) for name, told in names if name.startswith(typed)]
    if _takes_files(ctx, param):
        # Files and kinds of targets side by side: then the files are listed here, or the shell would show none of both.
        yield from [*chosen, *_files(typed)] if chosen else [CompletionItem(typed, type="file")]
    else:
        yield from chosen


def _takes_files(ctx: click.Context, param: click.Parameter) -> bool:
    if (ctx.info_name, param.name) == ("known", "words"):
        return bool(ctx.params.get("words", ())[:1] == ("match",))
    return re.sub(r"[][.]", "", param.make_metavar(ctx)) in _FILES  # [EVIDENCE]...


def _files(typed: str) -> Iterator[CompletionItem[str]]:
    """Yield the files here that begin as typed, quoted as a shell takes them."""
    folder, _, name = typed.rpartition("/")
    try:
        children = sorted(Path(f"{folder}/" if folder else ".").iterdir())
    except OSError:
        return
    for child in children:
        if name and child.name.startswith(name) and child.name.isprintable():  # an answer is a line
            path = f"{folder}/{child.name}" if folder else child.name
            yield CompletionItem(_PLAIN.sub(r"\\\1", path) + ("/" if child.is_dir() else ""))


def _targets(_ctx: click.Context, typed: str) -> Iterator[tuple[str, str]]:
    """Yield kinds of targets; after pid: the processes that this user may look at."""
    if not typed:
        return  # files are what most people mean
    if typed.startswith("pid:"):
        yield from _processes()
        return
    from oakum.collect.targets import KINDS

    for prefix, _ in KINDS:
        yield (prefix if prefix.endswith((":", "/")) else f"{prefix}http://"), "a target that runs"


def _processes() -> Iterator[tuple[str, str]]:
    """Yield processes whose memory may be looked at: those are the ones that evidence can be taken of."""
    try:
        numbers = sorted((int(child.name) for child in Path("/proc").iterdir() if child.name.isdigit()), reverse=True)
    except OSError:
        return
    for number in numbers:
        folder = Path("/proc") / str(number)
        try:
            program = (folder / "exe").readlink().name
        except OSError:  # the kernel's own, or another user's
            continue
        if number != os.getpid():
            yield f"pid:{number}", program if program.isprintable() else ""


def _known(ctx: click.Context, typed: str) -> Iterator[tuple[str, str]]:
    """Yield what `known` is to do, then the ids that `show` takes."""
    words = ctx.params.get("words") or ()
    if not words:
        yield from ((verb, "") for verb in _KNOWN_VERBS)
    elif words[0] == "show":
        from importlib.resources import files

        names = (file.name for file in files("oakum.knowledge").joinpath("leaks").iterdir())
        yield from sorted((name.removesuffix(".toml"), "") for name in names if name.endswith(".toml"))
    elif words[0] == "match":
        yield from _targets(ctx, typed)


def _mechanisms(_ctx: click.Context, _typed: str) -> Iterator[tuple[str, str]]:
    from oakum.report.words import WORDS

    titles = {key.removeprefix("mechanism."): text for key, text in WORDS.items() if key.startswith("mechanism.")}
    yield from ((name, "") for name in sorted(titles) if "." not in name)


def _keys(_ctx: click.Context, typed: str) -> Iterator[tuple[str, str]]:
    """Yield what goroutines are grouped by, after those that are there already: state,place,creator."""
    from oakum.views.goroutines import KEYS

    before = typed.rpartition(",")[0]
    yield from ((f"{before},{key}" if before else key, "") for key in KEYS if key not in before.split(","))


def _orders(_ctx: click.Context, _typed: str) -> Iterator[tuple[str, str]]:
    from oakum.views.goroutines import SORTS

    yield from ((order, "") for order in SORTS)


# (verb, parameter) -> what it may be; "" is any verb.
_NAMES: dict[tuple[str, str], Callable[[click.Context, str], Iterable[tuple[str, str]]]] = {
    ("", "evidence"): _targets,
    ("", "targets"): _targets,
    ("", "baseline"): _targets,
    ("known", "words"): _known,
    ("", "mechanism"): _mechanisms,
    ("goroutines", "by"): _keys,
    ("goroutines", "sort"): _orders,
    ("", "sample_index"): lambda _ctx, _typed: ((name, "") for name in _SAMPLE_TYPES),
}


class _Bash(_Proposals, BashComplete):
    source_template: ClassVar[str] = _BASH

    def source(self) -> str:
        return self.source_template

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)
        return (words[1:], "") if line[-1:].isspace() else (words[1:-1], words[-1])

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        breaks = [incomplete.rfind(mark) for mark in ":=" if mark in os.environ.get("COMP_BREAKS", ":=")]
        kept = max([*breaks, -1]) + 1  # bash has these already, and keeps them
        items = super().get_completions(args, incomplete)
        for item in items:
            item.value = item.value[kept:]
        return items


class _Zsh(_Proposals, ZshComplete):
    # Loaded from $fpath, click's function would only register itself at the second TAB, and complete nothing.
    source_template: ClassVar[str] = ZshComplete.source_template.replace(
        "    # autoload from fpath, call function directly\n",
        "    # autoload from fpath, call function directly\n    compdef %(complete_func)s %(prog_name)s\n",
    )


class _Fish(_Proposals, FishComplete):
    # What is told of a thing may hold commas.
    source_template: ClassVar[str] = FishComplete.source_template.replace(
        'string split "," $completion', 'string split -m 1 "," $completion'
    )


_SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}
