"""Where evidence has the signature of known bugs -> a page for a terminal or a pipe, and its document.

The verdict first, then each match with what speaks for and against it; what does not count, and why, comes last.
"""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from oakum import __version__
from oakum.knowledge.leaks import leaks
from oakum.model import Frame, KnownMatch, Process, Sighting
from oakum.report.json import known_document
from oakum.report.layout import series
from oakum.report.pen import LabelledPen, Look
from oakum.report.words import say, size

SCHEMA = "oakum.known-match/1"
_LABELS = ("where", "by", "upgrade", "see", "next")
_AFFECTS = {"yes": "known.affected", "no": "known.not-affected", "unknown": "known.may-be-affected"}
_REFERENCES_MOST = 2


def render(
    processes: Sequence[Process],
    seen: Sequence[Sighting],
    found: Sequence[Sighting],
    stacks: int,
    look: Look,
    evidence: Sequence[str],
) -> str:
    """Return the page; `found` are those that count."""
    return "\n".join(_Page(processes, look, evidence).lines(seen, found, stacks)) + "\n"


class _Page(LabelledPen):
    def __init__(self, processes: Sequence[Process], look: Look, evidence: Sequence[str]) -> None:
        super().__init__(look, _LABELS)
        self.names = {one.id: one.name for one in processes}
        self.evidence = evidence

    def lines(self, seen: Sequence[Sighting], found: Sequence[Sighting], stacks: int) -> Iterator[str]:
        yield from self.verdict(found, stacks)
        ids = dict.fromkeys(one.matches[0].id for one in found)
        for at, id_ in enumerate(ids, 1):
            yield ""
            yield from self.leak(at, _of(found, id_) + [one for one in _of(seen, id_) if one not in found])
        rest = [one for one in seen if one.matches and one.matches[0].id not in ids]
        if rest:
            yield from self.heading("known.heading.not")
            for alike in _alike(rest).values():
                yield from self.brief(alike[0], self.why_not(alike[0]), len(alike) - 1)
        symptoms = [one for one in seen if one.symptoms and one.piled_up]
        if symptoms:
            yield from self.heading("known.heading.symptoms")
            yield from (line for one in symptoms for line in self.symptom(one))

    def verdict(self, found: Sequence[Sighting], stacks: int) -> Iterator[str]:
        badge = self.word("known.badge.matched" if found else "known.badge.none")
        ids = {one.matches[0].id for one in found}
        told = (
            self.word("known.verdict.matched", count=len(ids))
            if found
            else self.word("known.verdict.none", leaks=len(leaks().ids))
        )
        indent = self.look.width_of(badge) + 2
        first, *rest = self.wrapped(told, indent, pad=False)
        yield f"{self.look.styled(badge, 'bold', 'red' if found else 'green')}  {self.look.styled(first, 'bold')}"
        yield from (f"{' ' * indent}{line}" for line in rest)
        looked = self.word("known.verdict.looked", stacks=stacks, processes=len(self.names))
        yield from self.dim(self.wrapped(looked, indent))

    def leak(self, at: int, sightings: Sequence[Sighting]) -> Iterator[str]:
        """Yield one leak and all places where it shows, those that count first."""
        first = sightings[0].matches[0]
        head = f"{self.look.styled(first.id, 'bold', 'red')} {self.dot} {self.look.safe(_version(first))}"
        says = "known.by-usage" if leaks().entry(first.id).fault == "usage" else _AFFECTS[first.affects_build]
        yield f"{self.look.styled(f'{at:>2}', 'bold')} {head}{self.stop}{self.word(says)}"
        if first.summary:
            yield from (self.look.styled(line, "bold") for line in self.wrapped(self.say(first.summary), 3))
        yield from self.labelled("where", (line for one in sightings for line in self.where(one)))
        yield from self.labelled("by", self.paragraph(self.saying(first.says)))
        yield from self.labelled("upgrade", self.upgrade(first))
        yield from self.labelled("see", (self.look.safe(url) for url in first.references[: self.most()]))
        for other in sightings[0].matches[1:]:
            yield from self.brief_match(other)
        yield from self.labelled("next", (self.command(text) for text in self.commands(first)))

    def most(self) -> int | None:
        return None if self.columns is None else _REFERENCES_MOST

    def heading(self, key: str) -> Iterator[str]:
        yield ""
        yield self.look.styled(self.word(key), "bold")

    def where(self, one: Sighting) -> Iterator[str]:
        owner = f" [{self.names[one.process]}]" if len(self.names) > 1 else ""
        yield from (self.look.styled(line, "cyan") for line in self.paragraph(self.look.safe(one.place.function)))
        if spot := _spot(one.place):
            room = self.room(self.margin + 2)
            yield f"  {self.look.safe(spot if room is None else self.shortened(spot, room))}"
        told = [f"{self.comma.join(self.facts(one))}{self.look.safe(owner)}"]
        if one.created is not None:
            told.append(self.word("known.created", function=one.created.function))
        yield from (f"  {line}" for text in told for line in self.paragraph(text, 2))

    def facts(self, one: Sighting) -> list[str]:
        """Return state, number and age of goroutines, or how much memory it is; in each snapshot."""
        values = one.sizes or one.counts
        show = size if one.sizes else "{:,}".format
        through = f" ({series(values, show, '→' if self.look.glyphs else '->')})" if len(values) > 1 else ""
        if one.sizes:
            return [f"{self.word('known.bytes', bytes=_last(values), share=one.share)}{through}"]
        facts = [self.look.safe(one.state)] if one.state else []
        facts.append(f"{self.word('known.goroutines', count=_last(values))}{through}")
        if one.longest:
            facts.append(self.word("known.waited", seconds=one.longest * 60))
        return facts

    def upgrade(self, known: KnownMatch) -> Iterator[str]:
        entry = leaks().entry(known.id)
        if known.upgrade_to:
            key = "known.upgrade-peer" if known.where == "peer" else f"known.upgrade-{known.affects_build}"
            told = self.joined(known.fixed) if key.endswith("unknown") else known.upgrade_to
            yield from self.paragraph(self.word(key, module=known.module, version=told))
        elif entry.fault == "usage" or not entry.workarounds:
            yield from self.paragraph(self.look.safe(entry.fix[self.look.lang]))
        else:
            yield from self.paragraph(self.look.safe(entry.workarounds[0][self.look.lang]))

    def commands(self, known: KnownMatch) -> Iterator[str]:
        yield f"oakum known show {known.id}"
        if self.evidence and "-" not in self.evidence:
            yield shlex.join(("oakum", "diagnose", *self.evidence))

    def brief_match(self, known: KnownMatch) -> Iterator[str]:
        told = self.say(known.summary) if known.summary else ""
        yield from self.dim(self.wrapped(f"{self.word('known.also', id=known.id)}{self.colon}{told}", self.margin))

    def brief(self, one: Sighting, why: str, more: int) -> Iterator[str]:
        others = f"  {self.word('count.more', count=more)}" if more else ""
        yield from self.wrapped(f"{one.matches[0].id}  {self.look.safe(one.place.function)}{others}", 3)
        yield from self.dim(self.wrapped(f"{self.comma.join(self.facts(one))}{self.stop}{why}", 6))

    def why_not(self, one: Sighting) -> str:
        known = one.matches[0]
        if known.affects_build == "no":
            return self.word("known.has-fix", module=known.module, version=known.found or "")
        if one.sizes:
            return self.word("known.little", share=one.share)
        if not one.piled_up:
            return self.word("known.lone")
        snapshots = sum(value is not None for value in one.counts)
        return self.word("known.normal" if snapshots > 1 else "known.normal-once")

    def symptom(self, one: Sighting) -> Iterator[str]:
        yield from self.wrapped(f"{self.joined(one.ids)}  {self.look.safe(one.place.function)}", 3)
        yield from self.dim(self.wrapped(self.comma.join(self.facts(one)), 6))
        yield from (line for what, why in one.symptoms for line in self.wrapped(f"{self.say(what)} {self.say(why)}", 6))


def _of(sightings: Sequence[Sighting], id_: str) -> list[Sighting]:
    return [one for one in sightings if one.matches and one.matches[0].id == id_]


def _alike(sightings: Sequence[Sighting]) -> dict[tuple[str, str, bool], list[Sighting]]:
    """Return the sightings of one leak that do not count for the same reason."""
    found: dict[tuple[str, str, bool], list[Sighting]] = {}
    for one in sightings:
        found.setdefault((one.matches[0].id, one.matches[0].affects_build, one.piled_up), []).append(one)
    return found


def _version(known: KnownMatch) -> str:
    return f"{known.module} {known.found or ''}".strip()


def _spot(frame: Frame) -> str:
    return f"{frame.file}:{frame.line}" if frame.file else ""


def _last(values: Sequence[int | None]) -> int:
    return next((value for value in reversed(values) if value is not None), 0)


def document(
    processes: Sequence[Process], seen: Sequence[Sighting], found: Sequence[Sighting], stacks: int
) -> dict[str, Any]:
    """Return what was matched; each entry says whether it counts."""
    names = {one.id: one.name for one in processes}
    return {
        "schema": SCHEMA,
        "tool": __version__,
        "stacks": stacks,
        "leaks": len(leaks().ids),
        "matches": [_match(one, names, one in found) for one in seen if one.matches],
        "symptoms": [_match(one, names, False) for one in seen if one.symptoms],
    }


def _match(one: Sighting, names: dict[str, str], counts: bool) -> dict[str, Any]:
    return {
        "id": one.matches[0].id if one.matches else (one.ids or ("",))[0],
        "counts": counts,
        "process": {"id": one.process, "name": names[one.process]},
        "function": one.place.function,
        "file": one.place.file,
        "line": one.place.line,
        "state": one.state,
        "created_by": one.created.function if one.created else None,
        "goroutines": list(one.counts),
        "bytes": list(one.sizes),
        "share": round(one.share, 4),
        "longest_wait_minutes": one.longest,
        "piled_up": one.piled_up,
        "normal": one.normal,
        "known": [known_document(known) for known in one.matches],
        "says": [say(text) for pair in one.symptoms for text in pair],
    }
