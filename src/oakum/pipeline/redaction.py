"""What --redact asks for -> the redaction of captures; ties redact to parse, which knows how logs wrap stacks."""

from collections.abc import Iterator, Sequence

from oakum.model import Buffer, Capture
from oakum.parse import parse
from oakum.redact import Redaction


def redaction(key: str | None = None, keep: Sequence[str] = ()) -> Redaction:
    """Return what replaces names: `key` of --redact-key (the same key, the same tokens), `keep` of --redact-keep."""
    return Redaction(key.encode() if key else None, keep, _unwrapped)


def _unwrapped(data: Buffer) -> Iterator[tuple[str, Buffer]]:
    """Yield the stacks in a text, each with when it was written, as far as the log around it says so."""
    dumps = [reading for reading in parse(Capture("", data)) if reading.goroutines is not None]
    if not any(reading.wrapping for reading in dumps):
        yield "", data
        return
    for reading in dumps:
        if (found := reading.goroutines) is not None and len(found.text):
            spans = [group.spans for group in found.groups if len(group.spans)]
            start, end = min(int(one[:, 0].min()) for one in spans), max(int(one[:, 1].max()) for one in spans)
            yield reading.taken_at.isoformat() if reading.taken_at else "", found.text[start : end + 1]
