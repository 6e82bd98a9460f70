"""A finding -> its section: share, where, since when, why we think so, the cause, what to do, how to check it.

Every claim leads to its capture and to the command that shows it again. What is cut says how much is missing.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from oakum.model import Cause, Evidence, Finding, Frame, KnownMatch, Site
from oakum.model.diagnosis import Diagnosis
from oakum.model.vocabulary import AGAINST
from oakum.report.advice import elsewhere as other_process
from oakum.report.advice import lock_in_source
from oakum.report.page.blocks import (
    Block,
    Chart,
    Claim,
    Claims,
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
from oakum.report.page.process_chain import hop_evidence
from oakum.report.page.since import pace, since
from oakum.report.page.source import cause_blocks
from oakum.report.page.speech import Speech
from oakum.report.page.todo import checks, todo
from oakum.report.words import WORDS
from oakum.report.words.lines import place_in

_CLAIMS_MOST = 24
_ALIKE_MOST = 3  # claims that say the same of other places
_STANDING_FIRST = 2  # places of goroutines before those of who started them, allocated for them ...
_PLACES_MOST, _OPEN_MOST = 12, 4  # places that are told; that are read without being asked for
_FILES_MOST = 6
_LINES_MOST = 40  # of one file; more are shown about their marks
_EXCERPT_LINES, _EXCERPT_MOST = 12, 1500
_LINE_MOST = 300  # characters of a line of source
_TAB = 4
_CAUSE_MOST = {"en": 420, "zh": 220}  # characters: what is read before the eye wanders; the section has the rest
_YOURS = ("driver", "registered", "created")  # parts of a place from which one's own code is recognised


class Suspects:
    """Writes the sections of findings; knows the diagnosis and the names of its processes."""

    def __init__(self, speech: Speech, diagnosis: Diagnosis, derive: Derive, *, glance: bool = False) -> None:
        self.speech, self.diagnosis, self.derive = speech, diagnosis, derive
        self.glance = glance  # whether the page begins with the answer
        several = len({row.run.first if row.run else row.id for row in diagnosis.processes}) > 1
        self.names = {row.id: row.name for row in diagnosis.processes} if several else {}  # runs of one need none

    def section(self, found: Finding) -> Section:
        """Return all that is to be said of a finding; of the one that the page answers with, what it has not said."""
        speech, anchor, answered = self.speech, anchor_of_finding(found.id), self.answered(found)
        growth = self.charts(found)
        drawn = chain(speech, found, self.names)
        parts: list[tuple[str, tuple[Block, ...]]] = [
            ("growth", tuple(growth[1:] if answered else growth)),
            ("why", self.why(found)),
            ("cause", self.cause(found)),
            ("chain", (*((drawn,) if drawn else ()), *hop_evidence(speech, self.diagnosis, found, self.claim))),
            ("do", todo(speech, self.diagnosis, found, answered=answered)),
            ("check", checks(speech, self.diagnosis, self.derive, found)),
        ]
        lines = {
            "growth": speech.joined([one.title for one in growth[1:]]) if answered else "",
            "chain": drawn.said if drawn and not found.suspect.victims else "",
            "check": speech.word("check.line"),
        }
        blocks: tuple[Block, ...] = tuple(Para(one) for one in (self.story(found),) if one)
        if answered:
            parts.append(("details", (self.facts(found),)))
            lines["details"] = self.shares(found) or speech.name(found.id)
        else:
            blocks = (*blocks, self.facts(found))
        return Section(
            anchor,
            speech.word("finding.title", rank=found.rank, what=self.title(found)),
            blocks,
            tuple(
                Section(
                    f"{anchor}-{name}",
                    speech.word(f"section.{name}"),
                    blocks,
                    folded=bool(lines.get(name)),
                    line=lines.get(name, ""),
                )
                for name, blocks in parts
                if blocks
            ),
            speech.word(f"confidence.{found.confidence}"),
            found.confidence,
            speech.short(found.suspect.sites[0].frame.function),
            folded=found is not self.diagnosis.findings[0],
            line=self.sentence(found),
        )

    def answered(self, found: Finding) -> bool:
        """Tell whether the page begins with this finding: which then shows its place, cause and fix."""
        return self.glance and self.diagnosis.verdict == "leaking" and found is self.diagnosis.findings[0]

    def charts(self, found: Finding) -> list[Chart]:
        return growth_charts(self.speech, self.diagnosis, self.derive, found)

    def first_places(self, found: Finding) -> tuple[Site, ...]:
        """Return where a finding is: the two places that most is counted at, and the one in one's own code from which
        they were reached."""
        sites = found.suspect.sites
        if sites[0].frame.function.startswith("("):
            return ()
        beside = [one for one in sites[1:] if one.role == "blocked" and one.process == sites[0].process]
        own = [one for one in sites[1:] if one.role in _YOURS and one.frame.owner == "own"]
        own.sort(key=lambda one: _YOURS.index(one.role))
        return (sites[0], *beside[: _STANDING_FIRST - 1], *(own[:1] if sites[0].frame.owner != "own" else ()))

    def first_sentences(self, cause: Cause) -> int:
        """Return how many sentences of a cause are read at once."""
        room = _CAUSE_MOST[self.speech.lang]
        for count, one in enumerate(cause.because):
            room -= len(self.speech.say(one))
            if count and room < 0:
                return count
        return len(cause.because)

    def title(self, found: Finding) -> str:
        """Return what it is, without the place."""
        key = f"mechanism.{found.mechanism}"
        return self.speech.word(key) if key in WORDS else self.speech.say(found.title)

    def story(self, found: Finding) -> str:
        """Return why such a thing leaks; of the finding that the page answers with, the cause has just said so."""
        key = f"mechanism.{found.mechanism}.why"
        return self.speech.word(key) if key in WORDS and not self.answered(found) else ""

    def sentence(self, found: Finding) -> str:
        """Return a finding in a sentence with its numbers; of the first the verdict has just said it."""
        if found is self.diagnosis.findings[0]:
            return ""
        told = what(self.speech, self.diagnosis, found)
        return f"{told[:1].upper()}{told[1:]}{'。' if self.speech.lang == 'zh' else '.'}"

    def facts(self, found: Finding) -> Facts:
        """Return what is looked for first: how much, where, since when, whether upstream knows it."""
        speech, suspect, answered = self.speech, found.suspect, self.answered(found)
        shares = self.shares(found)
        facts: list[tuple[str, tuple[Block, ...]]] = [
            ("share", (Para(shares),) if shares else ()),
            ("more-where" if answered else "where", self.where(found)),
            ("victims", self.victims(found)),
            ("path", self.path(suspect.path)),
            ("since", () if answered else tuple(Para(one) for one in since(speech, self.diagnosis, found))),
            ("pace", tuple(Para(one) for one in pace(speech, self.diagnosis, found))),
            (
                "known",
                tuple(block for at, one in enumerate(found.known) for block in self.known(one, answered and not at)),
            ),
            ("mechanism", (Para(f"`{speech.name(found.mechanism)}`{speech.comma}{self.id(found)}"),)),
        ]
        return Facts(tuple(Fact(speech.word(f"finding.{name}"), blocks) for name, blocks in facts if blocks))

    def shares(self, found: Finding) -> str:
        shares = found.suspect.share.items()
        return self.speech.comma.join(
            self.speech.word(f"share.{name}", share=share) for name, share in shares if share > 0
        )

    def id(self, found: Finding) -> str:
        """Return the name that a finding keeps in every run, labelled."""
        return f"{self.speech.word('finding.name')} `{self.speech.name(found.id)}`"

    def where(self, found: Finding) -> tuple[Block, ...]:
        """Return the places of a finding that the page has not named yet."""
        named = self.first_places(found) if self.answered(found) else ()
        left = [one for one in found.suspect.sites if not any(one is site for site in named)]
        return self.places(left) if left else ()

    def places(self, sites: Sequence[Site]) -> tuple[Block, ...]:
        """Return places: the first two where goroutines of its process are blocked, which make up most of what is
        counted there, then one of each other part that places have in it, then the rest."""
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
        owner = [self.speech.name(self.names[process])] if process in self.names else []
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

    def known(self, one: KnownMatch, named: bool) -> tuple[Block, ...]:
        """Return the upstream bug, whether the version that runs has it, and where to read on; what is named already
        is left out."""
        speech = self.speech
        told = f"{speech.name(one.id)}{speech.colon}{speech.say(one.summary)}" if one.summary else speech.name(one.id)
        blocks: list[Block] = [Para(told)] if one.summary or not named else []
        blocks += [] if named else [Para(self.affected(one))]
        if one.says:
            blocks.append(Para(speech.saying(one.says), quiet=True))
        addresses = [address for address in one.references if _is_web(address)][1 if named else 0 :]
        blocks += [Link(speech.name(address), address) for address in addresses[:_PLACES_MOST]]
        return (*blocks, *self.more(len(addresses) - _PLACES_MOST))

    def affected(self, one: KnownMatch) -> str:
        """Return whether the version that runs has an upstream bug, and since when it is fixed."""
        speech = self.speech
        name = "Go" if one.module == "std" else one.module
        module = speech.name(f"{name} {one.found or ''}".strip())
        if one.fault == "usage" and not one.fixed:
            return speech.word("upstream.usage", module=module)
        said = "peer" if one.where == "peer" and one.affects_build == "unknown" else one.affects_build
        versions = speech.name(speech.joined(one.fixed))
        runs = speech.word(f"upstream.affects.{said}", module=speech.name(name) if said == "peer" else module)
        fixed_in = speech.word("upstream.mended", versions=versions) if versions else speech.word("upstream.unmended")
        return f"{runs}{speech.stop}{fixed_in}"

    def why(self, found: Finding) -> tuple[Block, ...]:
        """Return what speaks for it, then what speaks against it."""
        told: dict[str, int] = {}
        claims: dict[bool, list[Claim]] = {False: [], True: []}
        excerpts: set[str] = set()
        left = 0
        for one in found.suspect.decisive_first:
            if one.kind == "known-bug" and found.known:  # the bug stands above, with its version
                continue
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
        if owner := speech.name(other_process(self.diagnosis, found, one)):
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
        left = cause.because[self.first_sentences(cause) if self.answered(found) else 0 :]
        blocks: list[Block] = [Para(self.speech.saying(left))] if left else []
        blocks += cause_blocks(
            self.speech,
            cause,
            found.suspect.sites,
            lambda one, facts: self.place(one.frame, facts, one.process),
            lambda count: self.more(count, self.derive.listed(found)),
        )
        if not self.answered(found) and (whole := self.derive.listed(found)):
            blocks.append(Command(whole, self.speech.word("cause.whole")))
        return tuple(blocks)

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
