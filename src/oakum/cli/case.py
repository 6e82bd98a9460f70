"""Arguments -> the case that a diagnosis looks at: files are read here, assemble/ does the rest.

What cannot be opened in a directory is left out with a warning; an argument that cannot be is an error.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path

from msgspec.structs import replace

from oakum.assemble import Input
from oakum.cli.evidence import read
from oakum.cli.live import bare
from oakum.cli.screen import remark
from oakum.model import Buffer, Case, InputRow, NotAssembled, OakumError, Text, Unreadable, UsageError, problem_of
from oakum.pipeline.case import assemble_case

# Whoever runs a command in this process may have what it read: to parse it twice takes as long as to diagnose it.
read_inputs: ContextVar[list[Input] | None] = ContextVar("read_inputs", default=None)
_OPTIONS = {"evidence": "", "baseline": "--baseline: ", "build": "--binary "}


def case(
    arguments: Sequence[str],
    baseline: Sequence[str] = (),
    binaries: Sequence[str] = (),
    *,
    asked: Sequence[str] = (),
    lang: str = "en",
) -> Case:
    """Return what the arguments hold; raise when nothing in them can be diagnosed.

    `binaries` are programs, or anything else that tells a build, of the processes that the arguments tell of. `asked`
    are the words that were typed, where what runs was captured since. `lang` is that of the warnings.
    """
    builds = _builds(binaries)
    unread: list[InputRow] = []
    left_out: list[str] = []
    programs = [item.capture.data for item in builds if any(one.format == "go-binary" for one in item.readings)]
    program = programs[0] if len(programs) == 1 else None
    evidence, healthy = (_read(words, unread, left_out, lang, program) for words in (arguments, baseline))
    try:
        found = assemble_case(as_asked(evidence, asked), healthy, builds, unread)
    except NotAssembled as error:
        if not error.rows:
            _tell(left_out)
        raise worded(error) from error  # which names them, where it names what was read
    _tell(left_out)
    warn(found.warnings, lang)
    return found.case


def _tell(texts: Sequence[str]) -> None:
    for text in texts:
        remark(text)


def _read(
    arguments: Sequence[str], unread: list[InputRow], left_out: list[str], lang: str, program: Buffer | None = None
) -> list[Input]:
    """Return what the arguments hold; for what could not be opened rows are added to `unread`, notes to `left_out`."""
    from oakum.report.words import word
    from oakum.report.words.lines import error_line, problem_line

    def complain(error: OakumError) -> None:
        origin = getattr(error, "origin", "")
        if isinstance(error, UsageError) or (origin in arguments and not Path(origin).is_dir()):
            raise error
        left_out.append(word("input.left-out", lang, text=error_line(error, lang)))
        unread.append(unread_row(error))

    inputs = read(tuple(dict.fromkeys(arguments)), complain, program)
    if (kept := read_inputs.get()) is not None:
        kept += inputs
    for item in inputs:
        for problem in item.capture.problems:
            remark(word("input.of", lang, origin=item.capture.origin, text=problem_line(problem, lang)))
    return inputs


def unread_row(error: OakumError) -> InputRow:
    """Return the row of what could not be opened."""
    return InputRow(getattr(error, "origin", ""), "unread", "", "", problems=(problem_of(error),))


def as_asked(inputs: Sequence[Input], asked: Sequence[str]) -> list[Input]:
    """Return what was captured of targets with the word that named each, in the order of the words."""
    words = [bare(word) for word in asked]
    found: list[tuple[int, Input]] = []
    for item in inputs:
        address = item.capture.target
        fits = [at for at, word in enumerate(words) if address and _is_of(address, word)]
        at = max(fits, key=lambda at: len(words[at]), default=-1)
        found.append((at if fits else len(words), replace(item, asked=words[at]) if fits else item))
    return [item for _, item in sorted(found, key=lambda pair: pair[0])]


def _is_of(address: str, word: str) -> bool:
    """Tell whether a target was named by a word: http://h:6060 by http://h:6060/debug/, pods of a node by the node."""
    return address.startswith(word.rstrip("/")) or word.startswith(address)


def _builds(files: Sequence[str]) -> list[Input]:
    """Return what --binary names; raise when one of them tells no build."""
    found: list[Input] = []
    for file in dict.fromkeys(files):
        if Path(file).is_dir():
            raise UsageError(f"--binary {file}: this is a directory; name the program in it, or its go.mod")
        (item,) = read((file,))
        if not any(reading.build for reading in item.readings):
            from oakum.report.words.lines import problem_line

            problems = [problem_line(problem) for reading in item.readings for problem in reading.problems]
            why = f": {problems[0]}" if problems else ""
            raise Unreadable(
                f"--binary {file}: no build information was found in it{why}. Name the program, its go.mod, or what "
                "`go version -m PROGRAM` printed"
            )
        found.append(item)
    return found


def worded(error: NotAssembled) -> OakumError:
    """Return why no case could be made, in the words of the command line."""
    from oakum.report.words import say

    text = _OPTIONS[error.about] + say(error.text)
    return Unreadable(text + _nothing(error.rows)) if error.rows else UsageError(text)


def _nothing(rows: Sequence[InputRow]) -> str:
    """Return what was read when nothing in it can be diagnosed, and what to do."""
    from oakum.report.words.lines import problem_line

    rows = sorted(rows, key=lambda row: row.kind == "unknown")  # what comes nearest to evidence first
    kinds = (problem_line(row.problems[0]) if row.problems else f"{row.kind} as {row.format}" for row in rows[:5])
    whys = zip((row.origin for row in rows), kinds, strict=False)
    told = [why if why.startswith(f"{origin}: ") else f"{origin}: {why}" for origin, why in whys]
    more = f"\n  ... and {len(rows) - 5} more" if len(rows) > 5 else ""
    return (
        "\n  "
        + "\n  ".join(told)
        + more
        + "\nName what runs (oakum diagnose http://HOST:PORT, pid:N, kube://pod/NAMESPACE/NAME), or save a dump first: "
        "curl -o goroutine.txt 'http://HOST:PORT/debug/pprof/goroutine?debug=2'"
    )


def warn(warnings: Sequence[Text], lang: str) -> None:
    """Print what is to be known of how a case was put together."""
    if not warnings:
        return
    from oakum.report.words import say

    for text in warnings:
        remark(say(text, lang) if "origin" not in text.args else _in_captures(text, lang))


def _in_captures(text: Text, lang: str) -> str:
    """Return what was read in a capture with its name; in several alike, with how many."""
    from oakum.report.words import say

    key = "sockets.in-several" if text.args["captures"] != 1 else "sockets.in"
    return say(Text(key, {**text.args, "text": say(text, lang)}), lang)
