"""Names that others chose (targets, pods, files in an archive) -> names that are safe as files and folders."""

import re

_LONGEST = 100  # most file systems take 255 bytes, and a letter may take four
# Letters and digits of any script, and what is common in names of pods, hosts and versions.
_UNSAFE = re.compile(r"[^\w.@+=-]+")
# con, aux, nul, com1: what Windows means as devices
_DEVICE = re.compile(r"(?i)^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")


def safe_name(name: str, otherwise: str = "target") -> str:
    """Return a name without separators, control characters and leading dots, of bounded length."""
    plain = _UNSAFE.sub("-", name.encode("utf-8", "replace").decode())[:_LONGEST].strip("-").lstrip(".")
    while len(plain.encode()) > 2 * _LONGEST:
        plain = plain[: len(plain) * 3 // 4]
    plain = plain.rstrip(".-")
    return f"_{plain}" if _DEVICE.match(plain) else plain or otherwise


def unique_name(name: str, taken: set[str], folder: bool = False) -> str:
    """Return the name, or metrics-2.txt, of a folder 10.0.0.7-2, where it is taken, and take it.

    macOS and Windows know no case.
    """
    stem, dot, ending = (name, "", "") if folder else name.partition(".")
    number, choice = 1, name
    while choice.casefold() in taken:
        number += 1
        choice = f"{stem}-{number}{dot}{ending}"
    taken.add(choice.casefold())
    return choice


def inner_path(path: str, deepest: int = 64) -> tuple[str, ...] | None:
    """Return the parts of a path inside a bundle or an archive; None when it leads out of it or is no path."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    if path.startswith(("/", "\\")) or ".." in parts or not parts or len(parts) > deepest:
        return None
    # C:/Windows/x, a newline, a NUL
    if re.match(r"[A-Za-z]:", parts[0]) or any(not part.isprintable() for part in parts):
        return None
    return tuple(parts)
