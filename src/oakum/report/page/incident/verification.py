"""The verification: what is verified so far, and the exact commands and numbers that verify the rest.

Comes in: a Story. Goes out: the section. Trials are none yet, so that a fix works is never claimed.
"""

from collections.abc import Iterator, Sequence

from oakum.model import Finding, Growth, Proof
from oakum.report.advice import target
from oakum.report.page.blocks import Block, Cell, Command, Para, Row, Section, anchor_of_finding, table
from oakum.report.page.incident.story import Story, goroutines, hourly

_QUARTER = 900.0  # seconds: the shortest trial that is worth the wait
_CLEAR = 10  # more than chance brings and takes
_MOST_EVENTS = 1000
_FIXED = "fixed/"


def verification(story: Story) -> Section:
    title = story.tell("heading.verification")
    if story.diagnosis.verdict == "healthy":
        return Section("verification", title, (Para(story.tell("verify.healthy")), *_capture(story, "later/")))
    if not story.leaking:
        return Section("verification", title, (Para(story.tell("verify.open")),))
    sections = (
        Section("verified", story.tell("verify.status"), tuple(_status(story))),
        Section("verify", story.tell("verify.how"), tuple(_how(story))),
        Section("verify-must", story.tell("verify.must"), tuple(_must(story))),
    )
    return Section("verification", title, (), tuple(one for one in sections if one.blocks))


def compiled(story: Story) -> bool:
    """Tell whether a drafted change of a cause was compiled."""
    return any(one.compiled for found in story.told for one in found.remedies if one.diff)


def proofs(findings: Sequence[Finding]) -> list[Proof]:
    """Return the tests that tell a drafted change of these causes from none."""
    return [one.proof for found in findings for one in found.remedies if one.proof and one.proof.holds]


def _status(story: Story) -> Iterator[Block]:
    for found in story.told:
        if any(one.diff for one in found.remedies):
            done = any(one.compiled for one in found.remedies if one.diff)
            yield Para(story.tell("verify.compiled" if done else "verify.not-compiled", number=found.rank))
            for proof in proofs([found]):
                name = story.name(proof.name)
                yield Para(story.tell("verify.proven", number=found.rank, name=name, times=len(proof.before)))
    yield Para(story.tell("verify.no-trial"))


def _how(story: Story) -> Iterator[Block]:
    growth = _steepest(story)
    event = growth.per_event if growth else None
    if event and event.value > 0:
        # As many as bring a clear difference, were it not fixed.
        events = min(_MOST_EVENTS, max(_CLEAR, round(3 * _CLEAR / event.value)))
        yield Para(story.tell("verify.deploy-event", events=events, event=story.code(event.event)))
    else:
        yield Para(story.tell("verify.deploy"))
    yield from _capture(story, _FIXED)
    called = _evidence(story)
    if called and (command := story.command("diagnose", "--baseline", _FIXED, *called)):
        yield Command(command, story.tell("verify.twin"))
    function = next((story.function(one) for one in story.told if goroutines(one) and story.function(one)), "")
    if function and story.has_leak_profile(story.told[0]):
        yield Para(story.tell("verify.go-proof", function=function))
        if not _target(story):  # what captures a target that is known takes this profile too
            yield Command("curl -so goroutineleak.pb.gz http://HOST:PORT/debug/pprof/goroutineleak")


def _capture(story: Story, folder: str) -> list[Block]:
    known = _target(story)
    told = story.tell("verify.capture-known") if known else story.tell("verify.capture")
    return [
        Command(f"oakum capture {known or 'TARGET'} --snapshots 3 --every 5m -o {folder}", told),
        Command(f"oakum diagnose {folder}", story.tell("verify.alone")),
    ]


def _target(story: Story) -> str:
    """Return what the worst cause was captured from; "" when nothing tells."""
    return next((target(story.diagnosis, found.suspect.sites[0].process) for found in story.told), "")


def _evidence(story: Story) -> list[str]:
    """Return the words that name the sick evidence and its source, without a baseline that was given."""
    called = list(story.diagnosis.called)
    while "--baseline" in called:
        at = called.index("--baseline")
        del called[at : at + 2]
    return called


def _steepest(story: Story) -> Growth | None:
    """Return the growth of the worst cause that tells most: with its unit of work, else with its rate."""
    growths = [one for found in story.told[:1] for one in found.suspect.growth]
    return next((one for one in growths if one.per_event), next((one for one in growths if hourly(one)), None))


def _must(story: Story) -> Iterator[Block]:
    rows = [_expected(story, found, growth) for found in story.told for growth in found.suspect.growth[:1]]
    if rows:
        columns = ("grew.place", "table.measure", "verify.before", "verify.after")
        yield table(tuple(story.tell(one) for one in columns), tuple(rows))
    rates = [hourly(one) for found in story.told[:1] for one in found.suspect.growth if one.measure == "goroutines"]
    if rates and rates[0]:
        count = max(_CLEAR, round(rates[0] * _QUARTER / 3600))
        yield Para(story.tell("verify.twice", seconds=max(_QUARTER, count / rates[0] * 3600), count=count))


def _expected(story: Story, found: Finding, growth: Growth) -> Row:
    place = story.function(found) or story.suspects.title(found)
    before, after = story.counts(growth), story.tell("verify.level")
    if (each := growth.per_event) and each.value > 0:
        event = story.event(each.event)
        before = f"{before}{story.comma}{story.tell('grew.event-value', value=each.value, event=event)}"
        after = f"{after}{story.comma}{story.tell('verify.level-event', event=event)}"
    return Row(
        (
            Cell(place, to=f"#{anchor_of_finding(found.id)}", code=bool(story.function(found))),
            Cell(story.word(f"measure.{growth.measure}")),
            Cell(before),
            Cell(after),
        )
    )
