"""A written page -> the JSON of the diagnosis that it carries."""

BEGIN = '<script type="application/json" id="diagnosis">'
END = "</script>"


def embedded(text: str) -> str | None:
    """Return the JSON text, or None where the page carries none. No evidence can forge the mark: it has a "<"."""
    _, found, rest = text.partition(BEGIN)
    carried, closed, _ = rest.partition(END)
    return carried if found and closed else None


__all__ = ["BEGIN", "END", "embedded"]
