"""What `flame` and `graph` share: flags of their own beside pprof's, and files that are not overwritten.

The format is chosen by --format, else by how the file's name ends.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from oakum.cli.options import profile_options, unwritten
from oakum.cli.screen import remark, safe
from oakum.model.errors import OakumError, UsageError

Decorator = Callable[..., Any]


def picture_options(
    examples: str, formats: Iterable[str], *more: Decorator
) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator that makes a function a command with pprof's flags, --format and --force."""
    chosen = click.option("--format", type=click.Choice(tuple(formats)), help="What to write; else -o's ending says.")
    force = click.option("--force", is_flag=True, help="Overwrite an existing file.")
    return profile_options(examples, chosen, force, *more)


def chosen_format(given: Mapping[str, Any], endings: Mapping[str, str], default: str) -> str:
    """Return the format that --format or the ending of -o asks for; refuse an ending that means none."""
    output = given["output"]
    if given["format"]:
        return str(given["format"])
    if not output or output == "-":
        return default
    name = Path(output).name.lower()
    for ending, meant in endings.items():
        if name.endswith(ending):
            return meant
    raise UsageError(f"-o {output}: unknown extension; use {', '.join(endings)}, or --format")


def free(path: str | None, force: bool) -> str | None:
    """Return the path unless a file is there that may not be overwritten. Called before the work, not after it."""
    if path and path != "-" and not force and Path(path).exists():
        raise OakumError(f"{path} exists; --force overwrites it, -o FILE writes elsewhere")
    return path


def save(content: Iterable[str] | bytes, path: str | None) -> None:
    """Write text or bytes to a file and say so, or to stdout."""
    if not path or path == "-":
        _to_stdout(content)
        return
    try:
        if isinstance(content, bytes):
            size = Path(path).write_bytes(content)
        else:
            with Path(path).open("w", encoding="utf-8", errors="backslashreplace") as file:
                size = sum(file.write(piece) for piece in content)
    except OSError as error:
        raise unwritten(path, error) from error
    remark(f"wrote {path} ({_size(size)})")


def _to_stdout(content: Iterable[str] | bytes) -> None:
    if not isinstance(content, bytes):
        screen = sys.stdout.isatty()
        sys.stdout.writelines("\n".join(map(safe, piece.split("\n"))) if screen else piece for piece in content)
        return
    if sys.stdout.isatty():
        raise UsageError("output is binary: name a file with -o, or pipe it")
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1000))} kB"
