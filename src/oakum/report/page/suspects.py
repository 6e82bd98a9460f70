"""A finding -> its section: share, where, since when, why we think so, the cause, what to do, how to check it.

Every claim leads to its capture and to the command that shows it again. What is cut says how much is missing.
"""

from collections.abc import Sequence
from dataclasses import replace

from oakum.model import CauseSite, Evidence, Finding, Frame, KnownMatch, Site
from oakum.model.diagnosis import Diagnosis
from oakum.report.advice import elsewhere, lock_in_source
from oakum.report.cause import marked, role
from oakum.report.code import Row, about_marks, dedented, gapped
from oakum.report.page.blocks import (
    Block,
    Claim,
    Claims,
    Code,
    CodeLine,
    Command,
    Fact,
    Facts,
    Fold,
    Link,
    Para,
    Place,
    Places,
    Section,
    anchor_of_finding,
    anchor_of_input,
)
from oakum.report.page.charts import growth_charts
from oakum.report.page.derive import Derive
from oakum.report.page.headline import what
from oakum.report.page.picture import VICTIMS_MOST, chain
from oakum.report.page.since import since
from oakum.report.page.speech import Speech
from oakum.report.page.todo import checks, todo
from oakum.report.words import WORDS
from oakum.report.words.told import place_in

# What speaks against an accusation, or weakens it: docs/diagnose.md has the same list.
AGAINST = frozenset(
    {"comes-and-goes", "connections", "served", "rests", "levels-off", "alive", "supervises", "startup", "crew"}
    | {"counts-only", "heap-level", "heap-falls", "heap-wobbles", "heap-like-twin", "heap-beside", "off-heap-level"}
    | {"off-heap-falls", "off-heap-reserved", "streams", "bounded"}
)  # fmt: skip
_CLAIMS_MOST = 24
_ALIKE_MOST = 3  # claims that say the same of other places
_STANDING_FIRST = 2  # places of goroutines before those of who started them, allocated for them ...
_PLACES_MOST, _OPEN_MOST = 12, 4  # places that are told; that are read without being asked for
_FILES_MOST = 6
_LINES_MOST = 40  # of one file; more are shown about their marks
_EXCERPT_LINES, _EXCERPT_MOST = 12, 1500
_LINE_MOST = 300  # characters of a line of source
_TAB = 4


class Suspects:
    """Writes the sections of findings; knows the diagnosis and the names of its processes."""

    def __init__(self, speech: Speech, diagnosis: Diagnosis, derive: Derive) -> None:
        self.speech, self.diagnosis, self.derive = speech, diagnosis, derive
        self.names = {row.id: row.name for row in diagnosis.processes}

    def section(self, found: Finding) -> Section:
        """Return all that is to be said of a finding."""
        speech, anchor = self.speech, anchor_of_finding(found.id)
        parts = (
            ("growth", tuple(growth_charts(speech, self.diagnosis, self.derive, found))),
            ("why", self.why(found)),
            ("cause", self.cause(found)),
            ("chain", tuple(one for one in (chain(speech, found, self.names),) if one)),
            ("do", todo(speech, self.diagnosis, found)),
            ("check", checks(speech, self.diagnosis, self.derive, found)),
        )
        return Section(
            anchor,
            speech.word("finding.title", rank=found.rank, what=self.title(found)),
            (Para(self.story(found)), self.facts(found)),
            tuple(
                Section(f"{anchor}-{name}", speech.word(f"section.{name}"), blocks) for name, blocks in parts if blocks
            ),
            speech.word(f"confidence.{found.confidence}"),
            found.confidence,
            speech.short(found.suspect.sites[0].frame.function),
        )

    def title(self, found: Finding) -> str:
        """Return what it is, without the place."""
        key = f"mechanism.{found.mechanism}"
        return self.speech.word(key) if key in WORDS else self.speech.say(found.title)

    def story(self, found: Finding) -> str:
        """Return the finding in a sentence with its numbers, then why such a thing leaks.

        Of the only finding the page's verdict has just said the former.
        """
        speech, key = self.speech, f"mechanism.{found.mechanism}.why"
        why = speech.word(key) if key in WORDS else ""
        if why and len(self.diagnosis.findings) == 1:
            return why
        told = what(speech, self.diagnosis, found)
        told = f"{told[:1].upper()}{told[1:]}{'。' if speech.lang == 'zh' else '.'}"
        return f"{told}{'' if speech.lang == 'zh' else ' '}{why}".strip()

    def facts(self, found: Finding) -> Facts:
        """Return what is looked for first: how much, where, since when, whether upstream knows it."""
        speech, suspect = self.speech, found.suspect
        shares = [speech.word(f"share.{name}", share=share) for name, share in suspect.share.items() if share > 0]
        facts: list[tuple[str, tuple[Block, ...]]] = [
            ("share", (Para(speech.comma.join(shares)),) if shares else ()),
            ("where", self.where(suspect.sites)),
            ("victims", self.victims(found)),
            ("path", self.path(suspect.path)),
            ("since", tuple(Para(one) for one in since(speech, self.diagnosis, found))),
            ("known", tuple(block for one in found.known for block in self.known(one))),
            ("mechanism", (Para(f"`{speech.name(found.mechanism)}`{speech.comma}{self.id(found)}"),)),
        ]
        return Facts(tuple(Fact(speech.word(f"finding.{name}"), blocks) for name, blocks in facts if blocks))

    def id(self, found: Finding) -> str:
        """Return the name that a finding keeps in every run, labelled."""
        return f"{self.speech.word('finding.name')} `{self.speech.name(found.id)}`"

    def where(self, sites: Sequence[Site]) -> tuple[Block, ...]:
        """Return the places of a finding: the first two where goroutines of its process stand, which make up most of
        what is counted there, then one of each other part that places have in it, then the rest."""
        standing = [one for one in sites if one.role == "blocked" and one.process == sites[0].process]
        ordered = standing[:_STANDING_FIRST]
        for one in sites:
            if one.role not in {site.role for site in ordered}:
                ordered.append(one)
        ordered += [one for one in sites if not any(one is site for site in ordered)]
        return self.folded([self.standing(site) for site in ordered[:_PLACES_MOST]], len(sites))

    def standing(self, site: Site) -> Place:
        """Return a place with its part, the state of the goroutines there, and how many they are."""
        facts = [self.speech.word(f"role.{site.role}")] if site.role != "blocked" else []
        if site.state:
            facts.append(self.speech.name(site.state))
        if site.count is not None:
            objects = site.role in ("allocated", "registered") and not site.state
            facts.append(self.speech.word("count.objects" if objects else "count.goroutines", count=site.count))
        return self.place(site.frame, facts, site.process)

    def folded(self, places: Sequence[Place], count: int) -> tuple[Block, ...]:
        """Return the first places, the others to be unfolded, and how many more there are."""
        rest = self.more(count - len(places))
        if len(places) <= _OPEN_MOST + 1:
            return (Places(tuple(places)), *rest)
        title = self.speech.word("finding.more-places", count=count - _OPEN_MOST)
        return (Places(tuple(places[:_OPEN_MOST])), Fold(title, (Places(tuple(places[_OPEN_MOST:])), *rest)))

    def victims(self, found: Finding) -> tuple[Block, ...]:
        """Return who waits because of it, where no picture shows them all."""
        victims = found.suspect.victims
        if not victims or (found.suspect.sites[0].role == "blocked" and len(victims) <= VICTIMS_MOST):
            return ()
        places = []
        for one in victims[:_PLACES_MOST]:
            facts = [self.speech.name(one.state)] if one.state else []
            facts.append(self.speech.word("count.goroutines", count=one.count))
            facts.append(self.speech.word(f"because.{one.because}"))
            places.append(self.place(one.frame, facts, one.process))
        return self.folded(places, len(victims))

    def place(self, frame: Frame, facts: Sequence[str], process: str = "") -> Place:
        """Return a function and where it stands; of several processes also which."""
        owner = [self.speech.name(self.names[process])] if len(self.names) > 1 and process in self.names else []
        told = self.speech.comma.join([*facts, *owner])
        return Place(
            self.speech.name(self.speech.placed(frame.function) or "?"), self.speech.name(frame.file), frame.line, told
        )

    def path(self, frames: Sequence[Frame]) -> tuple[Block, ...]:
        """Return how the allocation was reached, root first, in names alone; with files to be unfolded."""
        if not frames:
            return ()
        half = _PLACES_MOST
        shown = list(frames) if len(frames) <= 2 * half else [*frames[:half], *frames[-half:]]
        names = [f"`{self.speech.name(frame.name or frame.function)}`" for frame in shown]
        if len(shown) < len(frames):
            names.insert(half, "…")
        places = Places(tuple(self.place(frame, ()) for frame in shown), path=True)
        title = self.speech.word("finding.frames", count=len(frames))
        return (Para(" → ".join(names)), Fold(title, (places, *self.more(len(frames) - len(shown)))))

    def known(self, one: KnownMatch) -> tuple[Block, ...]:
        """Return the upstream bug, what the version that runs says to it, and where to read on."""
        speech = self.speech
        told = f"{speech.colon}{speech.say(one.summary)}" if one.summary else ""
        blocks: list[Block] = [Para(f"{speech.name(one.id)}{told}"), Para(self.affected(one))]
        if one.says:
            blocks.append(Para(speech.saying(one.says), quiet=True))
        addresses = [address for address in one.references if _is_web(address)]
        blocks += [Link(speech.name(address), address) for address in addresses[:_PLACES_MOST]]
        return (*blocks, *self.more(len(addresses) - _PLACES_MOST))

    def affected(self, one: KnownMatch) -> str:
        """Return whether the version that runs has an upstream bug, and since when it is mended."""
        speech = self.speech
        name = "Go" if one.module == "std" else one.module
        module = speech.name(f"{name} {one.found or ''}".strip())
        if one.fault == "usage" and not one.fixed:
            return speech.word("upstream.usage", module=module)
        said = "peer" if one.where == "peer" and one.affects_build == "unknown" else one.affects_build
        versions = speech.name(speech.joined(one.fixed))
        runs = speech.word(f"upstream.affects.{said}", module=speech.name(name) if said == "peer" else module)
        mended = speech.word("upstream.mended", versions=versions) if versions else speech.word("upstream.unmended")
        return f"{runs}{speech.stop}{mended}"

    def why(self, found: Finding) -> tuple[Block, ...]:
        """Return what speaks for it, then what speaks against it."""
        told: dict[str, int] = {}
        claims: dict[bool, list[Claim]] = {False: [], True: []}
        excerpts: set[str] = set()
        left = 0
        for one in found.suspect.evidence:
            told[one.claim.key] = told.get(one.claim.key, 0) + 1
            if told[one.claim.key] > _ALIKE_MOST or len(claims[False]) + len(claims[True]) >= _CLAIMS_MOST:
                left += 1
                continue
            claim = self.claim(found, one)
            if claim.excerpt in excerpts:  # one goroutine stands for several claims: it is shown once
                claim = replace(claim, excerpt="")
            excerpts.add(claim.excerpt)
            claims[one.kind in AGAINST].append(claim)
        blocks: list[Block] = []
        if claims[False]:
            blocks.append(Claims(tuple(claims[False])))
        if claims[True]:
            blocks += [Para(self.speech.word("finding.against")), Claims(tuple(claims[True]))]
        return (*blocks, *self.more(left, self.derive.everything()))

    def claim(self, found: Finding, one: Evidence) -> Claim:
        """Return one sentence with where it can be checked."""
        number = self.derive.number(one.capture)
        origin = self.speech.name(self.derive.origin(one.capture))
        source = Link(origin or one.capture[:19], f"#{anchor_of_input(number)}") if number else None
        return Claim(
            self.said(found, one),
            source,
            self.speech.name(place_in(one.where, self.speech.lang)),
            self.excerpt(one.excerpt),
            self.derive.claim(found, one),
            one.kind in AGAINST,
        )

    def said(self, found: Finding, one: Evidence) -> str:
        """Return the sentence of a claim, with its process where that is another, and the lock as the source has it."""
        speech = self.speech
        told = speech.say(one.claim)
        if owner := speech.name(elsewhere(self.diagnosis, found, one)):
            told = f"{owner}{speech.colon}{told}"
        if lock := lock_in_source(found, one):
            glue = "" if speech.lang == "zh" else " "
            told += glue + speech.word("finding.lock-named", lock=speech.name(lock.replace("`", "'")))
        return told

    def excerpt(self, text: str) -> str:
        """Return the beginning of what stands in the capture."""
        lines = text.strip("\n").split("\n")
        shown = [self.speech.cut(line, _LINE_MOST) for line in lines[:_EXCERPT_LINES]]
        if len(lines) > len(shown):
            shown.append(self.speech.word("diff.more", count=len(lines) - len(shown)))
        return self.speech.cut("\n".join(shown), _EXCERPT_MOST)

    def cause(self, found: Finding) -> tuple[Block, ...]:
        """Return why, in the source: the paragraph, the lines it speaks of, and which files were read."""
        cause = found.cause
        if cause is None:
            return ()
        blocks: list[Block] = [Para(self.speech.saying(cause.because))]
        files = marked(self.speech, cause.excerpts, found.suspect.sites)
        for file, rows in list(files.items())[:_FILES_MOST]:
            blocks.append(self.code(file, rows))
        blocks += self.more(len(files) - _FILES_MOST, self.derive.listed(found))
        lines = {(file, row.number) for file, rows in files.items() for row in rows}
        left = [one for one in cause.sites if (one.frame.file, one.frame.line) not in lines]
        if left:
            places = [self.place(one.frame, self.part(one), one.process) for one in left[:_PLACES_MOST]]
            blocks += [Places(tuple(places)), *self.more(len(left) - len(places))]
        if cause.sources:
            told = self.speech.stop.join(self.speech.name(one) for one in cause.sources[:_FILES_MOST])
            blocks.append(Para(self.speech.word("cause.read", source=told), quiet=True))
            blocks += self.more(len(cause.sources) - _FILES_MOST)
        if whole := self.derive.listed(found):
            blocks.append(Command(whole, self.speech.word("cause.whole")))
        return tuple(blocks)

    def part(self, one: CauseSite) -> list[str]:
        """Return the part that a line has in the mistake, and the line."""
        told = [role(self.speech, one.role)]
        return [*told, f"`{self.speech.cut(one.code, _LINE_MOST)}`"] if one.code else told

    def code(self, file: str, rows: Sequence[Row]) -> Code:
        """Return lines of one file; of many only those about the marks."""
        near = about_marks(rows) if len(rows) > _LINES_MOST and any(row.told for row in rows) else rows
        shown = gapped(near[: 2 * _LINES_MOST])
        texts = iter(dedented([row.text.expandtabs(_TAB).rstrip() for row in shown if row]))
        lines = [
            CodeLine(row.number, self.speech.cut(next(texts), _LINE_MOST), row.told) if row else CodeLine(0, None)
            for row in shown
        ]
        if len(near) > 2 * _LINES_MOST:
            lines.append(CodeLine(0, None))
        return Code(self.speech.name(file), tuple(lines))

    def more(self, count: int, command: str = "") -> tuple[Block, ...]:
        """Return that there is more, and what shows it."""
        if count <= 0:
            return ()
        command = command or self.derive.data()
        if not command:
            return (Para(self.speech.word("page.more", count=count), quiet=True),)
        return (Para(self.speech.word("page.more-shown-by", count=count), quiet=True), Command(command))


def _is_web(address: str) -> bool:
    return address.startswith(("https://", "http://")) and len(address) < 500


__all__ = ["AGAINST", "Suspects"]
