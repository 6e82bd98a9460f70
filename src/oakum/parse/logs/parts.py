"""Lines that a journal broke into records of some size: a quoted field that one record opens goes on in the next.

Comes in: what one source wrote, a record each. Goes out: the same without the newlines that the journal put in.
"""

import re

# time="2026-01-02T03:04:05Z" level=info msg=     time=2026-01-02T03:04:05.678Z level=ERROR     {"level":"info",
_RECORD = re.compile(rb"\{\"|(?:time|ts|level|msg)=[\"\w]")
_NEWLINE = rb"\n"  # as an escaped field says it
_ALIKE = 6  # bytes: records that begin like the one that opened the field have a prefix of their own (time=" 2026-0)


def rejoined(bodies: list[bytes]) -> list[bytes]:
    """Return the bodies of one source with those glued together over which one escaped field is spread."""
    joined = list(bodies)
    first = -1  # the record that opened the field, once its quote has not closed in it
    torn = False  # the record before ended in the middle of an escape
    for row, body in enumerate(bodies):
        line = body.removesuffix(b"\n")
        if first >= 0:
            quotes, torn = _quotes(b"\\" + line if torn else line)
            begins = _RECORD.match(line) or line[:_ALIKE] == bodies[first][:_ALIKE]
            if not begins and (_NEWLINE in line or (quotes and len(line) <= len(bodies[first]))):
                joined[row - 1] = joined[row - 1].removesuffix(b"\n")
                first = -1 if quotes % 2 else first
                continue
            first = -1
        if _NEWLINE in line:
            quotes, torn = _quotes(line)
            first = row if quotes % 2 else -1
    return joined


def _quotes(line: bytes) -> tuple[int, bool]:
    """Return how many quotes are not escaped, and whether the line ends in a backslash that escapes what comes next."""
    single = line.replace(rb"\\", b"")
    return single.replace(rb"\"", b"").count(b'"'), single.endswith(b"\\")
