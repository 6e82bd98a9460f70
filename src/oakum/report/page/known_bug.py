"""One entry of the catalogue of known bugs -> labels with what stands beside them: symptoms, root cause, fix."""

from collections.abc import Iterator

from oakum.knowledge.leaks import Leak
from oakum.report.known import Described, fixed_releases, module_name, ranges
from oakum.report.page.blocks import Block, Cell, Command, Fact, Link, Para, Row, table
from oakum.report.page.speech import Speech


def known_bug(entry: Leak, lang: str) -> tuple[Fact, ...]:
    """Return the whole of an entry, as `oakum known show` tells it."""
    speech = Speech(lang)
    return tuple(Fact(speech.word(f"known.label.{label}"), blocks) for label, blocks in _labelled(entry, speech))


def _labelled(entry: Leak, speech: Speech) -> Iterator[tuple[str, tuple[Block, ...]]]:
    told = Described(entry, speech.look)
    lang = speech.lang
    yield "looks", tuple(Para(line.strip()) for line in told.looks())
    yield "trigger", (Para(entry.trigger[lang]),)
    yield "cause", (Para(entry.cause[lang]),)
    if entry.fault != "usage":
        yield "fix", (Para(entry.fix[lang]),)
    if entry.risk:
        yield "risk", (Para(entry.risk[lang]),)
    yield "versions", (_versions(entry, speech),)
    yield "do", tuple(Para(line.strip()) for line in told.remedies())
    if versions := tuple(told.reproduced()):
        yield "reproduce", (Para(speech.comma.join(f"`{one}`" for one in versions)),)
    yield "see", tuple(Link(one, one) for one in entry.references)
    yield "checked", (Para(speech.word("known.reviewed.yes" if entry.reviewed else "known.reviewed.no")),)
    yield "next", tuple(Command(one) for one in told.commands())


def _versions(entry: Leak, speech: Speech) -> Block:
    columns = tuple(speech.word(f"known.table.{name}") for name in ("module", "has", "mended"))
    rows = (
        Row((Cell(module_name(speech, one), code=True), Cell(ranges(speech, one)), Cell(fixed_releases(speech, one))))
        for one in entry.affects
    )
    return table(columns, tuple(rows))
