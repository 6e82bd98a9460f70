"""A written page -> the JSON of the diagnosis that it carries, and the file that it says has it."""

import html

BEGIN = '<script type="application/json" id="diagnosis">'
END = "</script>"
KEPT = "oakum-kept"  # the meta element that names the file


def embedded(text: str) -> str | None:
    """Return the JSON text, or None where the page carries none. No evidence can forge the mark: it has a "<"."""
    _, found, rest = text.partition(BEGIN)
    carried, closed, _ = rest.partition(END)
    return carried if found and closed else None


def kept(text: str) -> str:
    """Return the file that a page names where it says what derives it again; "" where it names none."""
    head, _, _ = text.partition("</head>")
    _, _, rest = head.partition(f'<meta name="{KEPT}" content="')
    return html.unescape(rest.partition('"')[0])
