"""Bytes as a person says them: the same words in every language."""


def size(value: float) -> str:
    """Return a number of bytes with its unit: `41 KiB`, `1.5 GiB`."""
    for unit in ("B", "KiB"):
        if abs(value) < 1024:
            return f"{value:.0f} {unit}"
        value /= 1024
    return f"{value:.1f} MiB" if abs(value) < 1024 else f"{value / 1024:.1f} GiB"
