"""The lessons: each follows from something in the diagnosis, and says from what.

Comes in: a Story. Goes out: the section: an alert drafted from the measured rate, what a review asks for by mechanism,
a test, and what the evidence had or lacked.
"""

import re
from collections.abc import Iterator

from oakum.model import Explained, Finding, Growth
from oakum.report.page.blocks import Block, Claim, Claims, Code, CodeLine, Link, Para, Section, anchor_of_finding
from oakum.report.page.incident.story import Story, goroutines, hourly, known
from oakum.report.words import WORDS

_WINDOWS = ((600, "10m"), (1800, "30m"), (3600, "1h"), (21600, "6h"), (86400, "1d"))
# What an alert has to see in its window before it is no chance: goroutines, bytes.
_CLEAR = {"goroutines": 10.0, "memory": 64.0 * 1024 * 1024}
_MUCH = 30  # per cent of the heap's growth: a heap profile leads astray
_LOOK_ALIKE = ("traffic", "burst")
_CROWD = 10  # goroutines or more: one or two that come and go teach nobody anything


def lessons(story: Story) -> Section:
    blocks: list[Block] = []
    if story.leaking:
        for found, growth in _measured(story):
            blocks += _alert(story, found, growth)
    told = [*_from_findings(story), *_from_evidence(story)]
    if told:
        blocks.insert(0, Claims(tuple(told)))
    return Section("lessons", story.tell("heading.lessons"), tuple(blocks))


def _from_findings(story: Story) -> Iterator[Claim]:
    """Yield what the causes teach, each mechanism once."""
    seen: set[str] = set()
    for found in story.told if story.leaking else ():
        if f"review.{found.mechanism}" not in seen and f"lesson.review.{found.mechanism}" in WORDS:
            seen.add(f"review.{found.mechanism}")
            yield _lesson(story, found, f"review.{found.mechanism}")
        if goroutines(found) and story.function(found) and "test" not in seen:
            seen.add("test")
            yield _lesson(story, found, _test(story, found), function=story.function(found))
        yield from _upstream(story, found)
        for pinned in [one for one in found.suspect.evidence if one.kind == "heap-pinned"][:1]:
            share = pinned.claim.args.get("percent", 0)
            if goroutines(found) and "pinned" not in seen and isinstance(share, int | float) and share >= _MUCH:
                seen.add("pinned")
                yield _lesson(story, found, "pinned", function=story.code(str(pinned.claim.args.get("function", ""))))
        yield from _crowd(story, found)
    if story.leaking and len(story.sure) > 1:
        yield Claim(story.word("lesson.several", count=len(story.sure)))


def _lesson(story: Story, found: Finding, key: str, **args: str | int | float) -> Claim:
    source = (
        Link(story.tell("cause.short", number=found.rank), f"#{anchor_of_finding(found.id)}")
        if len(story.told) > 1
        else None
    )
    return Claim(story.word(f"lesson.{key}", **args), source)


def _test(story: Story, found: Finding) -> str:
    return "test-go" if story.has_leak_profile(found) else "test"


def _upstream(story: Story, found: Finding) -> Iterator[Claim]:
    bug = known(found)
    if bug is not None and bug.where == "peer":
        yield _lesson(story, found, "peer")
    if bug is not None and bug.affects_build == "yes" and bug.fixed and bug.found:
        fixed = story.name(story.joined(bug.fixed))
        module = "Go" if bug.module == "std" else story.name(bug.module)
        yield _lesson(story, found, "released", module=module, fixed=fixed, running=story.name(bug.found))
    elif bug is None and found.cause and all(one.frame.owner == "dependency" for one in found.cause.sites):
        yield _lesson(story, found, "unreported", function=story.function(found))


def _crowd(story: Story, found: Finding) -> Iterator[Claim]:
    victims = sum(one.count for one in found.suspect.victims)
    roots = sum(site.count or 0 for site in found.suspect.sites if site.role == "blocked")
    if roots and victims >= 2 * roots:
        yield _lesson(story, found, "victims", victims=victims, roots=roots)


def _from_evidence(story: Story) -> Iterator[Claim]:
    """Yield what the evidence had that helped, and what it lacked."""
    diagnosis = story.diagnosis
    if any(row.baseline for row in diagnosis.moments) and any(
        one.kind in ("baseline", "heap-baseline") for found in story.sure for one in found.suspect.evidence
    ):
        yield Claim(story.word("lesson.twin"))
    alike = sum(one.mechanism in _LOOK_ALIKE and _noticed(one) for one in diagnosis.explained)
    if alike:
        yield Claim(story.word("lesson.traffic", count=alike))
    for gap in diagnosis.gaps:
        key = f"lesson.lack.{gap.what.key.removeprefix('gap.')}"
        if key in WORDS:
            args = {name: value for name, value in gap.what.args.items() if isinstance(value, str | int | float)}
            yield Claim(story.word(key, **args))
    if diagnosis.verdict == "healthy":
        yield Claim(story.word("lesson.none"))


def _noticed(one: Explained) -> bool:
    """Tell whether so much came and went that somebody could take it for a leak."""
    told = [count for value in one.title.args.values() for count in (value if isinstance(value, tuple) else (value,))]
    return (
        max([*(site.count or 0 for site in one.sites), *(n for n in told if isinstance(n, int))], default=0) >= _CROWD
    )


def _measured(story: Story) -> list[tuple[Finding, Growth]]:
    """Return the worst cause of goroutines and the worst of memory whose rate is known."""
    kept: dict[bool, tuple[Finding, Growth]] = {}
    for found in story.told:
        for growth in found.suspect.growth:
            if hourly(growth) and growth.measure != "inuse_objects" and growth.against == "past":
                kept.setdefault(growth.measure == "goroutines", (found, growth))
    return list(kept.values())


def _alert(story: Story, found: Finding, growth: Growth) -> list[Block]:
    kind = "goroutines" if growth.measure == "goroutines" else "memory"
    threshold = hourly(growth) / 2
    fitting = [one for one in _WINDOWS if threshold * one[0] / 3600 >= _CLEAR[kind]]
    seconds, window = fitting[0] if fitting else _WINDOWS[-1]
    process = story.service(found.suspect.sites[0].process)
    told = story.word(f"lesson.alert.{kind}", process=process, rate=story.speed(growth), window=2 * seconds)
    rule = _rule(
        group=re.sub(r"[^a-z0-9]+", "-", process.lower()).strip("-")[:40] or "go",
        alert="GoroutineLeak" if kind == "goroutines" else "MemoryLeak",
        metric="go_goroutines" if kind == "goroutines" else "process_resident_memory_bytes",
        threshold=_round(threshold),
        window=window,
        summary=story.word(f"lesson.alert.summary.{kind}"),
    )
    return [Para(told), _listing("alerts.yml", rule), Para(story.word("lesson.alert.check"), quiet=True)]


def _listing(file: str, text: str) -> Code:
    return Code(file, tuple(CodeLine(0, line) for line in text.split("\n")))


def _round(value: float) -> str:
    """Return a threshold with two digits: more would pretend."""
    digits = max(0, len(str(int(value))) - 2)
    return f"{round(value, -digits):.0f}" if value >= 1 else f"{value:.2g}"


def _rule(*, group: str, alert: str, metric: str, threshold: str, window: str, summary: str) -> str:
    return f"""groups:
  - name: {group}-leaks
    rules:
      - alert: {alert}
        expr: deriv({metric}{{job="JOB"}}[{window}]) * 3600 > {threshold}
        for: {window}
        labels:
          severity: warning
        annotations:
          summary: "{summary}\""""
