"""How the capture names a file that no frame of it names: files found with their names -> names of their neighbours.

A program built in /build, or with -trimpath, names its files otherwise than this machine does; reports speak its names.
"""

from collections.abc import Iterable
from pathlib import Path

from oakum.collect.code.source_name import DRIVE


class CaptureNames:
    """How the capture names files: learned from files that were found, as pairs of prefixes."""

    def __init__(self) -> None:
        self._prefixes: dict[str, tuple[str, str]] = {}  # local directory -> the capture's prefix for it, its separator

    def learn(self, path: Path, name: str, roots: Iterable[Path | None]) -> None:
        """Keep that the capture knows this file by this name; it lies below the roots that are not None."""
        drive = DRIVE.match(name)
        name, separator = (name.replace("\\", "/"), drive[0][2]) if drive else (name, "/")
        here = path.as_posix()
        told = False
        for root in filter(None, roots):
            inner = here[len(root.as_posix()) + 1 :]
            if name == inner or name.endswith(f"/{inner}"):
                self._prefixes.setdefault(root.as_posix(), (name[: -len(inner)], separator))
                told = True
        ours, theirs = here.split("/"), name.split("/")
        common = 0
        while common < min(len(ours), len(theirs)) - 1 and ours[-1 - common] == theirs[-1 - common]:
            common += 1
        if common and not told:
            prefix = name[: len(name) - len("/".join(theirs[-common:]))]
            self._prefixes.setdefault("/".join(ours[:-common]), (prefix, separator))

    def of(self, path: Path, base: Path | None) -> str:
        """Return the capture's name of a file, or its path below `base`."""
        here = path.as_posix()
        for parent in path.parents:
            if known := self._prefixes.get(parent.as_posix()):
                prefix, separator = known
                return (prefix + here[len(parent.as_posix()) :].lstrip("/")).replace("/", separator)
        return path.relative_to(base).as_posix() if base and path.is_relative_to(base) else here
