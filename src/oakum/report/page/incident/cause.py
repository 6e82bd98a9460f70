"""The root cause and the fix: why it happens, in words and in marked lines; what to do now, properly, upstream.

Comes in: a Story. Goes out: the two sections. What is only suspected is called so, with what would settle it.
"""

from collections.abc import Iterator

from oakum.model import Finding, Remedy
from oakum.model.vocabulary import AGAINST
from oakum.report.advice import remedies, target
from oakum.report.page.blocks import (
    Block,
    Claims,
    Command,
    Fact,
    Facts,
    Para,
    Places,
    Section,
    anchor_of_finding,
)
from oakum.report.page.incident.investigation import gaps, known_line
from oakum.report.page.incident.story import Story, goroutines, hourly
from oakum.report.page.picture import because, chain, parties
from oakum.report.page.todo import STUCK, todo
from oakum.report.words import WORDS

_VICTIMS_MOST = 8


def root_cause(story: Story) -> Section:
    """Return the section: a part for each cause, worst first."""
    if story.diagnosis.verdict == "healthy":
        return Section("cause", story.tell("heading.cause"), (Para(story.tell("cause.healthy")),))
    blocks: list[Block] = []
    if not story.leaking:
        blocks.append(Para(story.tell("cause.unknown" if story.told else "cause.no-suspicion")))
        blocks += [Para(story.tell("cause.settle")), *(gaps(story) or _longer(story))]
    blocks += story.suspects.more(story.untold, story.derive.everything())
    sections = tuple(_cause(story, found) for found in story.told)
    heading = "cause-unknown" if not story.leaking else "causes" if len(story.told) > 1 else "cause"
    return Section("cause", story.tell(f"heading.{heading}"), tuple(blocks), sections)


def _longer(story: Story) -> list[Block]:
    """Return what settles every suspicion where nothing was missing: to look for longer."""
    first = next(iter(story.told), None)
    process = first.suspect.sites[0].process if first else next((row.id for row in story.diagnosis.processes), "")
    known = target(story.diagnosis, process)
    told = story.tell("cause.longer-known" if known else "cause.longer")
    return [Command(f"oakum diagnose --snapshots 6 --every 10m {known or 'TARGET'}", told)]


def _cause(story: Story, found: Finding) -> Section:
    single = len(story.told) == 1 and found.confidence != "possible"
    title = story.suspects.title(found) if single else story.heading(found)
    blocks: list[Block] = [_facts(story, found)]
    why = f"mechanism.{found.mechanism}.why"
    if why in WORDS:
        told = story.word(why)
        blocks.append(Para(told if found.confidence != "possible" else story.tell("cause.if", text=told)))
    if found.cause is not None:  # the command that shows these lines stands in the investigation
        blocks += [one for one in story.suspects.cause(found) if not isinstance(one, Command)]
    elif not story.function(found):
        blocks.append(Para(story.tell("cause.numbers-only"), quiet=True))
    else:
        blocks.append(Para(story.tell("cause.unread" if story.unread(found) else "cause.unnamed"), quiet=True))
    blocks += _behind(story, found)
    pinned = [one for one in found.suspect.evidence if one.kind == "heap-pinned"]
    if pinned and goroutines(found):
        blocks += [Para(story.tell("cause.memory")), Claims(story.claims(found, pinned))]
    against = [one for one in found.suspect.evidence if one.kind in AGAINST]
    if against:
        blocks += [Para(story.tell("cause.against")), Claims(story.claims(found, against))]
    badge = story.word(f"confidence.{found.confidence}")
    return Section(anchor_of_finding(found.id), title, tuple(blocks), badge=badge, tone=found.confidence)


def _facts(story: Story, found: Finding) -> Facts:
    def where(*roles: str) -> tuple[Block, ...]:
        sites = [site for site in found.suspect.sites if site.role in roles]
        return story.suspects.places(sites) if sites else ()

    facts: list[tuple[str, tuple[Block, ...]]] = [
        ("cause.mechanism", (Para(f"`{story.code(found.mechanism)}`"),)),
        ("cause.where", story.suspects.places(found.suspect.sites[:1])),
        ("cause.started", where("created")),
        ("cause.registered", where("registered")),
        ("cause.driven", where("driver")),
    ]
    line = known_line(story, found)
    facts += [("label.known", (Para(line),))] if line else []
    return Facts(tuple(Fact(story.tell(label), blocks) for label, blocks in facts if blocks))


def _behind(story: Story, found: Finding) -> Iterator[Block]:
    """Yield who waits because of it: the picture, then the places."""
    victims = parties(found)[1]
    several = len({site.process for site in found.suspect.sites}) > 1
    if victims or several:
        picture = chain(story, found, story.suspects.names)
        yield from [picture] if picture else []
    if victims:
        yield Para(story.tell("cause.victims", count=sum(one.count or 0 for one in victims)))
        shown = []
        for one in victims[:_VICTIMS_MOST]:
            facts = [story.name(one.state)] if one.state else []
            facts += [story.word("count.goroutines", count=one.count or 0), story.word(because(one))]
            shown.append(story.suspects.place(one.frame, facts, one.process))
        yield Places(tuple(shown))
        yield from story.suspects.more(len(victims) - len(shown), story.derive.everything())


def fix(story: Story) -> Section:
    """Return the section: what a restart buys, then for each cause what to do now, properly, upstream."""
    title = story.tell("heading.fix")
    if not story.told:
        return Section("fix", title, (Para(story.tell("fix.none")),))
    if not story.leaking:
        advice = [(found, chosen) for found in story.told if (chosen := best(found))]
        facts = tuple(Fact(story.heading(found), (Para(story.say(chosen.text)),)) for found, chosen in advice)
        return Section("fix", title, (Para(story.tell("fix.wait")), Facts(facts)))
    blocks = _restart(story, story.told[0])
    if len(story.told) == 1:
        return Section("fix", title, (*blocks, *todo(story, story.diagnosis, story.told[0])))
    sections = tuple(
        Section(f"fix-{found.rank}", story.heading(found), todo(story, story.diagnosis, found)) for found in story.told
    )
    return Section("fix", title, tuple(blocks), sections)


def best(found: Finding) -> Remedy | None:
    """Return what fixes a finding for good: a release, else a change of the code, else what eases it."""
    kinds = ("upgrade", "patch", "mitigate")
    return min(remedies(found), key=lambda one: kinds.index(one.kind), default=None)


def _restart(story: Story, found: Finding) -> list[Block]:
    """Return what a restart buys: how long until as much has gathered again. When locks meet again nobody knows."""
    if found.mechanism in STUCK:
        return []
    for growth in found.suspect.growth:
        last = next((count for count in reversed(growth.counts) if count), 0)
        if not last or not hourly(growth) or growth.against != "past":
            continue
        args: dict[str, str | int | float] = {"rate": story.speed(growth), "seconds": last / hourly(growth) * 3600}
        if growth.measure == "goroutines":
            return [Para(story.tell("fix.restart", count=last, **args))]
        if growth.measure in ("inuse_space", "rss"):
            return [Para(story.tell("fix.restart-memory", bytes=last, **args))]
    return []
