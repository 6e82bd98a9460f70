"""Dumps inside logs: text in, the plain dumps of each source out, and which wrappings were taken off.

A wrapping is taken off only when that makes more of the text read as a dump than before; plain dumps are passed on
untouched and uncopied. To add a dialect: a row in `prefixes`, or a function that peels and its line in a tuple below.
"""

from collections.abc import Callable
from functools import partial
from time import monotonic

from oakum.model import Buffer, Problem
from oakum.parse.dump_lines import is_plain
from oakum.parse.limits import DEFAULT, Limits
from oakum.parse.logs import escaped, evidence, journal_export, pasted, prefixes, records
from oakum.parse.logs.strand import Strand, Unwrapped

Peel = Callable[[bytes, bool], list[Strand]]


def _peel_learned(text: bytes, split: bool) -> list[Strand]:
    prefix = prefixes.learned(text)
    return prefixes.peel(prefix, text, split) if prefix else []


# What carries the lines of a program, outermost layers: believed first, also when an inner one alone does as well.
_CARRIERS: tuple[Peel, ...] = (
    records.peel,
    journal_export.peel,
    *(partial(prefixes.peel, row) for row in prefixes.CARRIERS),
    escaped.peel_strace,
)
# What hides from the layers within it where their lines begin.
_DECODINGS: tuple[Peel, ...] = (pasted.peel_colours, pasted.peel_html, pasted.peel_quotes, pasted.peel_indent)
# What the program or a reader did to the lines, in the order in which they are believed when two yield the same.
_DIALECTS: tuple[Peel, ...] = (
    *_CARRIERS,
    *(partial(prefixes.peel, row) for row in prefixes.OWN),
    escaped.peel_messages,
    escaped.peel_quoted,
    *_DECODINGS,
    pasted.peel_line_ends,
    pasted.peel_wraps,
    _peel_learned,
)

_MOST_LAYERS = 6  # compose around JSON around klog around an escaped field is four
_MOST_SOURCES = 1000  # pods, units, services that wrote a dump into one log
_WHOLE = 8 << 20  # bytes of a log that are un-wrapped whole; of a larger one what stands around its dumps
_TRIED = 64 * 1024  # bytes around the hints that every dialect is tried on


def unwrap(text: Buffer, limits: Limits = DEFAULT) -> tuple[Unwrapped, ...]:
    """Return the plain text of each source that holds a dump; `text` itself when it is plain or holds none."""
    whole = Unwrapped(text)
    if is_plain(text) or not evidence.hints(text, 1):
        return (whole,)
    deadline = limits.deadline()
    done: list[Unwrapped] = []
    near = Unwrapped(evidence.around_hints(text)) if len(text) > _WHOLE and not _is_document(text) else whole
    waiting = [(near, _MOST_LAYERS)]
    while waiting:
        wrapped, layers = waiting.pop()
        if monotonic() > deadline:
            done.append(wrapped.with_problem(Problem.of("out-of-time.log")))
            continue
        found = _outermost(wrapped.text, layers)
        if found is None:
            done.append(wrapped)
            continue
        peel, split = found
        strands = [strand for strand in peel(bytes(wrapped.text), split) if evidence.hints(strand.text, 1)]
        inner = [wrapped.peeled(strand) for strand in strands[:_MOST_SOURCES]]
        if more := len(strands) - len(inner):
            inner[-1] = inner[-1].with_problem(Problem.of("more-sources", sources=more))
        waiting.extend((strand, layers - 1) for strand in reversed(inner))
    return (whole,) if done == [near] else tuple(done)


def _is_document(text: Buffer) -> bool:
    """Return whether a text may be one big JSON document: its lines mean nothing apart."""
    head = bytes(text[:_TRIED]).lstrip(b" \t\r\n\x1e")
    return head[:1] == b"[" or (head[:1] == b"{" and not head.partition(b"\n")[0].rstrip().endswith(b"}"))


def _outermost(text: Buffer, layers: int) -> tuple[Peel, bool] | None:
    """Return the dialect to take off first, or None when nothing makes the text read better."""
    sample = evidence.sample(text, _TRIED)
    score, _, found = _Search().best(sample, layers)
    if found or not layers or len(sample) == len(text) or evidence.is_settled(sample):
        return found
    if bytes(text[:64]).lstrip(b" \t\r\n\x1e")[:1] in (b"{", b"["):
        # A sample of one big document is no document, and records far out of order make no sense in a sample.
        for peel in (records.peel_document, records.peel):
            strands = peel(bytes(text), True)
            if sum(evidence.score(evidence.sample(strand.text, _TRIED)) for strand in strands) > score:
                return peel, True
    return None


# The best score, minus how many layers that are no carriers it takes, and what to take off first.
_Found = tuple[int, int, tuple[Peel, bool] | None]


class _Search:
    """Tries dialects on a sample, one inside the other, and remembers what a text came to."""

    def __init__(self) -> None:
        self._known: dict[bytes, _Found] = {}

    def best(self, text: bytes, layers: int) -> _Found:
        """Return what taking off at most `layers` can give."""
        known = self._known.get(text)
        if known is not None:
            return known
        score, column = evidence.score(text), evidence.column((text,))
        best: _Found = (score, 0, None)
        self._known[text] = best
        if layers == 0 or evidence.is_settled(text):
            return best
        # What moves no header to the left and adds no line to a stack leads nowhere, unless it decodes or joins parts.
        for peel in _DIALECTS:
            for split in (True, False):
                strands = peel(text, split)
                hinting = [strand.text for strand in strands if evidence.hints(strand.text, 1)]
                gains = sum(map(evidence.score, hinting)) > score or evidence.column(hinting) < column
                if not hinting or not (gains or peel in _CARRIERS or peel in _DECODINGS):
                    break
                inner = [self.best(strand, layers - 1) for strand in hinting]
                total = sum(found[0] for found in inner)
                cost = min(found[1] for found in inner) - (peel not in _CARRIERS)
                if total > score and (best[2] is None or (total, cost) > best[:2]):
                    best = self._known[text] = (total, cost, (peel, split))
                    # What was cut may be whole in the layer around it, which knows that a line goes on.
                    if all(map(evidence.is_settled, hinting)) and not any(strand.cuts for strand in strands):
                        return best
                if len(strands) == 1:
                    break
        return best


__all__ = ["Unwrapped", "unwrap"]
