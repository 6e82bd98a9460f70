"""A diagnosis -> the incident report that people write by hand after days: symptoms, investigation, root cause, fix,
verification, lessons.

Comes in: a diagnosis and a language. Goes out: a Page. What no evidence tells is left to be filled in, and marked so.
"""

from oakum import __version__
from oakum.model.diagnosis import Diagnosis
from oakum.report.page.blocks import (
    Block,
    Cell,
    Command,
    Fact,
    Facts,
    Page,
    Para,
    Row,
    Section,
    anchor_of_input,
    table,
)
from oakum.report.page.events import event_table
from oakum.report.page.headline import FIRST, headline
from oakum.report.page.incident.cause import best, fix, root_cause
from oakum.report.page.incident.investigation import investigation, known_line
from oakum.report.page.incident.lessons import lessons
from oakum.report.page.incident.story import Story, goroutines
from oakum.report.page.incident.symptoms import seen, symptoms, went
from oakum.report.page.incident.verification import compiled, proofs, verification
from oakum.report.page.speech import stamp

_FILL_IN = ("impact", "noticed", "changed", "restored", "owners")


def incident(diagnosis: Diagnosis, lang: str, kept: str = "") -> Page:
    """Return the incident report of a diagnosis in one language; `kept` is the file in which that lies as data."""
    story = Story(diagnosis, lang, kept)
    verdict = diagnosis.verdict
    return Page(
        title=_title(story),
        lang=lang,
        tone=verdict,
        badge=story.tell(f"badge.{verdict}"),
        verdict=headline(diagnosis, lang),
        about=tuple(_about(story)),
        sections=(
            _summary(story),
            _fill_in(story),
            symptoms(story),
            *_timeline(story),
            investigation(story),
            root_cause(story),
            fix(story),
            verification(story),
            lessons(story),
            _appendix(story),
        ),
        foot=story.tell("foot", version=story.name(diagnosis.tool or __version__)),
        kept=kept,
    )


def _timeline(story: Story) -> tuple[Section, ...]:
    """Return what happened when, in order; none where neither metrics nor logs tell it."""
    happened = event_table(story, story.diagnosis, story.derive)
    return (Section("timeline", story.tell("heading.timeline"), happened),) if happened else ()


def _title(story: Story) -> str:
    verdict = story.diagnosis.verdict
    if story.sure:
        kinds = {goroutines(found) for found in story.sure}
        kind = "both" if len(kinds) > 1 else "goroutines" if True in kinds else "memory"
        name = story.service(story.sure[0].suspect.sites[0].process)
    else:
        kind = "healthy" if verdict == "healthy" else "undecided"
        names = dict.fromkeys(story.service(row.id) for row in story.diagnosis.processes)
        name = story.tell("and").join(names) or story.service("")
    return story.tell(f"title.{kind}", process=name)


def _about(story: Story) -> list[str]:
    lines = [story.say(one) for one in story.diagnosis.notices if one.key != FIRST]
    for row in story.processes:
        go = [story.name(row.build.go)] if row.build and row.build.go else []
        parts = [story.process(row.id), *go, seen(story, row.id)]
        lines.append(" · ".join(part for part in parts if part))
    return lines


def _summary(story: Story) -> Section:
    diagnosis = story.diagnosis
    happened = [
        Para(story.owned(story.joined(told), row.id)) for row in story.processes if (told := went(story, row.id))
    ]
    when = [Para(story.owned(at, row.id)) for row in story.processes if (at := seen(story, row.id))]
    facts: list[tuple[str, list[Block]]] = [
        ("what", [*happened]),
        ("when", [*when]),
        ("service", [*_services(story)]),
        ("verdict", [Para(_verdict(story))]),
        ("cause", _root(story)),
        ("known", [Para(line) for found in story.told if (line := known_line(story, found))]),
        ("fix", _fix(story)),
        ("verified", [Para(_verified(story))]),
    ]
    if not story.leaking:
        facts.append(("not-checked", [Para(story.say(gap.what)) for gap in diagnosis.gaps]))
    shown = tuple(Fact(story.tell(f"label.{name}"), tuple(blocks)) for name, blocks in facts if blocks)
    return Section("summary", story.tell("heading.summary"), (Facts(shown),))


def _verdict(story: Story) -> str:
    """Return the verdict and how sure the worst cause is."""
    if not story.sure:
        return story.say(story.diagnosis.summary)
    return story.tell("verdict", count=len(story.sure), sure=story.word(f"confidence.{story.sure[0].confidence}"))


def _services(story: Story) -> list[Block]:
    told: list[Block] = []
    for row in story.processes:
        parts = [f"`{story.code(row.name)}`"] if row.name else []
        if row.build and row.build.main_version and not row.build.main_version.startswith("("):
            parts.append(story.name(row.build.main_version))
        parts += [story.name(row.build.go)] if row.build and row.build.go else []
        told += [Para(story.comma.join(parts))] if parts else []
    return list(dict.fromkeys(told))


def _root(story: Story) -> list[Block]:
    """Return the root cause in a sentence: what the source says first, else what the mechanism says."""
    if not story.leaking:
        return []
    found = story.sure[0]
    place = f"{story.colon}`{story.function(found)}`" if story.function(found) else ""
    blocks: list[Block] = [Para(f"{story.suspects.title(found)}{place}")]
    if len(story.sure) > 1:
        blocks.append(Para(story.tell("more-causes", count=len(story.sure) - 1)))
    return blocks


def _fix(story: Story) -> list[Block]:
    if not story.leaking:
        return []
    chosen = best(story.sure[0])
    return [Para(story.say(chosen.text))] if chosen else []


def _verified(story: Story) -> str:
    if not story.leaking:
        return story.tell("verified.none-needed")
    if proofs(story.told):
        return story.tell("verified.proven")
    return story.tell("verified.compiled" if compiled(story) else "verified.nothing")


def _fill_in(story: Story) -> Section:
    blank = story.tell("fill-in.blank")
    rows = tuple(Row((Cell(story.tell(f"fill-in.{name}")), Cell(blank))) for name in _FILL_IN)
    form = table((story.tell("fill-in.item"), story.tell("fill-in.answer")), rows)
    return Section("fill-in", story.tell("heading.fill-in"), (Para(story.tell("fill-in.about")), form))


def _appendix(story: Story) -> Section:
    """Return what was read, each capture with its digest; a claim's link leads here."""
    title = story.tell("heading.appendix")
    inputs = story.diagnosis.inputs
    if not inputs:
        return Section("inputs", title, (Para(story.tell("appendix.none")),))
    rows = tuple(
        Row(
            (
                Cell(str(number), number),
                Cell(story.name(row.origin), code=True),
                Cell(" ".join(dict.fromkeys((story.kind(row.kind), story.kind(row.format)))).strip()),
                Cell(stamp(row.taken_at), row.taken_at.timestamp() if row.taken_at else None),
                Cell(story.name(row.digest), code=True),
                Cell(str(len(row.problems)) if row.problems else "", len(row.problems)),
            ),
            anchor_of_input(number),
        )
        for number, row in enumerate(inputs, 1)
    )
    columns = tuple(
        story.tell(f"appendix.{name}") for name in ("number", "origin", "kind", "time", "digest", "problems")
    )
    blocks: list[Block] = [table(columns, rows)]
    called = story.diagnosis.called
    if called and (command := story.command("diagnose", "--incident", "-o", "incident.md", *called)):
        blocks.append(Command(command, story.tell("appendix.again")))
    return Section("inputs", title, tuple(blocks))
