"""The investigation, step by step as the evidence allows, each step with the command that repeats it.

Comes in: a Story. Goes out: the section: what was captured, what grew, where it stands, what was ruled out, what the
source and upstream say, what stayed open.
"""

from oakum.model import Finding, Memory, Point
from oakum.model.vocabulary import AGAINST
from oakum.report.advice import commands
from oakum.report.gap_commands import gap_command
from oakum.report.page.blocks import (
    Block,
    Cell,
    Claims,
    Command,
    Link,
    Para,
    Row,
    Section,
    anchor_of_finding,
    table,
)
from oakum.report.page.charts import MEASURES
from oakum.report.page.incident.story import COMMAND_MOST, Story, goroutines, hourly, known
from oakum.report.page.speech import stamp
from oakum.report.words import WORDS, size

_SNAPSHOTS_MOST = 40
_HARMLESS_MOST = 12
_CLAIMS_MOST = 12
_REFERENCES_MOST = 4
_ADDRESS_MOST = 500
_SOURCES_MOST = 6
_STACKS = ("goroutine", "goroutineleak", "heap")  # kinds of captures in which a place can be looked up
# Told in steps of their own, or with the root cause.
_ELSEWHERE = ("known-bug", "cause-in-source", "heap-pinned")


def investigation(story: Story) -> Section:
    grew = "compared" if _compared(story) else "looked"
    parts = (
        ("captured", _captured(story)),
        (grew, _grew(story)),
        ("stands", _stands(story)),
        ("ruled-out", _ruled_out(story)),
        ("source", _source(story)),
        ("upstream", _upstream(story)),
        ("open", gaps(story) if story.diagnosis.verdict != "undecided" else []),  # there they stand with the suspicion
    )
    steps = [(name, blocks) for name, blocks in parts if blocks]
    sections = tuple(
        Section(f"step-{name}", story.tell("step", number=number, title=story.tell(f"step.{name}")), tuple(blocks))
        for number, (name, blocks) in enumerate(steps, 1)
    )
    return Section("investigation", story.tell("heading.investigation"), (), sections)


def _compared(story: Story) -> bool:
    return any(
        len(story.points(row.id)) > 1 or story.points(row.id, baseline=True) for row in story.diagnosis.processes
    )


def _captured(story: Story) -> list[Block]:
    points = story.diagnosis.timeline
    shown = _few(list(points))
    several = len(story.names) > 1
    measures = [one for one in MEASURES if any(one in point.totals for point in points)]
    columns = ["captured.moment", "captured.time", *measures, "captured.captures"]
    if several:
        columns.insert(0, "captured.process")
    rows = tuple(Row(tuple(_snapshot(story, one, measures, several))) for one in shown)
    captures = len({row.origin for row in story.diagnosis.inputs})
    told = story.tell("captured.caption", captures=captures, processes=len(story.names))
    blocks: list[Block] = [Para(told)] if captures else []
    if troubled := len({row.origin for row in story.diagnosis.inputs if row.problems}):
        blocks.append(Para(story.tell("captured.unused", count=troubled)))
    if rows:
        blocks.append(table(tuple(_column(story, one) for one in columns), rows))
    blocks += story.suspects.more(len(points) - len(shown), story.derive.everything())
    if command := story.derive.inspecting():
        blocks.append(Command(command, story.tell("captured.shows")))
    return blocks


def _column(story: Story, name: str) -> str:
    return story.word(f"column.{name}") if name in MEASURES else story.tell(name)


def _few(points: list[Point]) -> list[Point]:
    """Return the points of a long time line that were captured, and of the others as many as there is room for."""
    if len(points) <= _SNAPSHOTS_MOST:
        return points
    captured = [one for one in points if one.captured]
    return captured[-_SNAPSHOTS_MOST:]


def _snapshot(story: Story, point: Point, measures: list[str], several: bool) -> list[Cell]:
    label = story.name(point.label.rstrip("/").rpartition("/")[2] or point.label)
    if point.baseline:
        label = story.tell("captured.twin", label=label)
    elif not point.captured:
        label = story.tell("captured.past", label=label)
    cells = [Cell(story.process(point.process))] if several else []
    cells.append(Cell(label))
    cells.append(Cell(stamp(point.at), point.at.timestamp() if point.at else None))
    for measure in measures:
        value = point.totals.get(measure)
        cells.append(Cell("" if value is None else story.amount(measure, value), value))
    cells.append(
        Cell(story.tell("captured.count", count=len(point.inputs)), len(point.inputs), story.link(point.inputs))
    )
    return cells


def _grew(story: Story) -> list[Block]:
    blocks: list[Block] = []
    for row in story.processes:
        snapshots = [one for one in story.diagnosis.moments if one.process == row.id and not one.baseline]
        baselines = [one for one in story.diagnosis.moments if one.process == row.id and one.baseline]
        name = story.process(row.id)
        if len(snapshots) > 1:
            sentence = story.tell("compared.moments", process=name, moments=len(snapshots))
        else:
            sentence = story.tell("compared.once", process=name)
        beside = f"{story.glue}{story.tell('compared.twin', moments=len(baselines))}" if baselines else ""
        blocks += [Para(sentence + beside)] if snapshots else []
    if story.told:
        blocks += _growth_table(story)
    elif _compared(story):
        blocks.append(Para(story.tell("compared.nothing")))
    if story.diagnosis.called and (again := story.command("diagnose", *story.diagnosis.called)):
        blocks.append(Command(again, story.tell("compared.shows")))
    return blocks


def _growth_table(story: Story) -> list[Block]:
    rows = []
    growths = [(found, growth) for found in story.told for growth in found.suspect.growth]
    if not growths:
        return []
    events = any(growth.per_event for _, growth in growths)
    for found, growth in growths:
        place = story.function(found) or story.suspects.title(found)
        cells = [
            Cell(place, to=f"#{anchor_of_finding(found.id)}", code=bool(story.function(found))),
            Cell(story.word(f"measure.{growth.measure}")),
            Cell(story.counts(growth)),
            Cell(story.rate(growth.measure, hourly(growth)) if hourly(growth) else "", hourly(growth)),
        ]
        if events:
            each = growth.per_event
            told = story.tell("grew.event-value", value=each.value, event=story.event(each.event)) if each else ""
            cells.append(Cell(told, each.value if each else None))
        rows.append(Row(tuple(cells)))
    once = all(len(growth.counts) == 1 for _, growth in growths)
    counts = "grew.count" if once else "grew.counts"
    columns = ["grew.place", "table.measure", counts, "grew.hour", *(["grew.event"] if events else [])]
    caption = story.tell("grew.caption" if story.leaking and not once else "grew.seen")
    blocks: list[Block] = [table(tuple(story.tell(one) for one in columns), tuple(rows), caption)]
    for found, growth in growths[:1]:
        if command := story.derive.growth(found, growth):
            blocks.append(Command(command, story.tell("grew.shows")))
    return blocks


def _stands(story: Story) -> list[Block]:
    """Return, for each cause, its places and what speaks for it."""
    blocks: list[Block] = []
    origins = {row.digest: row.origin for row in story.diagnosis.inputs if row.digest and row.kind in _STACKS}
    for found in story.told:
        suspect = found.suspect
        if len(story.told) > 1:
            blocks.append(Link(story.heading(found), f"#{anchor_of_finding(found.id)}"))
        blocks += story.suspects.places(suspect.sites)
        if suspect.path:
            blocks += [Para(story.tell("stands.memory")), *story.suspects.path(suspect.path)]
        told = [one for one in suspect.decisive_first if one.kind not in _ELSEWHERE and one.kind not in AGAINST]
        shown = told[:_CLAIMS_MOST]
        blocks += [Claims(story.claims(found, shown))] if shown else []
        blocks += story.suspects.more(len(told) - len(shown), story.derive.everything())
        blocks += [
            Command(one, story.tell("stands.shows"))
            for one in commands(found, origins)[-1:]
            if len(one) <= COMMAND_MOST
        ]
    return blocks


def _ruled_out(story: Story) -> list[Block]:
    blocks: list[Block] = []
    for memory in story.diagnosis.memory:
        told = _not_late(story, memory)
        told += [Para(story.owned(story.say(one), memory.process)) for one in memory.says]
        if told and (command := story.derive.budget(memory)):
            told.append(Command(command, story.tell("ruled.shows-memory")))
        blocks += told
    explained = story.diagnosis.explained
    if explained:
        rows = tuple(
            Row(
                (
                    Cell(story.name(one.sites[0].frame.function) if one.sites else one.mechanism, code=bool(one.sites)),
                    Cell(story.word(f"mechanism.{one.mechanism}") if f"mechanism.{one.mechanism}" in WORDS else ""),
                    Cell(story.say(one.title)),
                )
            )
            for one in explained[:_HARMLESS_MOST]
        )
        columns = ("grew.place", "ruled.what", "ruled.why")
        blocks.append(table(tuple(story.tell(one) for one in columns), rows, story.tell("ruled.harmless")))
        blocks += story.suspects.more(len(explained) - len(rows))
        if command := story.derive.everything():
            blocks.append(Command(command, story.tell("ruled.shows")))
    return blocks or [Para(story.tell("ruled.none"))]


def _not_late(story: Story, memory: Memory) -> list[Block]:
    """Return why it is not the collector that is late, where memory leaks and the numbers say so."""
    concerned = [one for one in story.sure if one.suspect.sites[0].process == memory.process]
    holds = any(not goroutines(one) or one.suspect.share.get("inuse_space") for one in concerned)
    if not holds or any(one.mechanism == "off-heap" for one in concerned[:1]):
        return []
    if memory.heap_live is None or memory.next_gc is None:
        return []
    args: dict[str, str | float] = {"live": size(memory.heap_live), "target": size(memory.next_gc)}
    times = story.times(memory.process)
    key = "ruled.gc-undated"
    if memory.last_gc is not None and times and (after := (max(times) - memory.last_gc).total_seconds()) >= 0:
        key, args = "ruled.gc" if after >= 1 else "ruled.gc-just", {**args, "at": stamp(memory.last_gc)}
        args |= {"seconds": after} if after >= 1 else {}
    blocks: list[Block] = [Para(story.owned(story.tell(key, **args), memory.process))]
    live = [one.totals["heap_live"] for one in story.points(memory.process) if "heap_live" in one.totals]
    if len(live) > 1 and live[-1] > live[0]:
        blocks.append(Para(story.tell("ruled.live-rose", first=size(live[0]), last=size(live[-1]))))
    return blocks


def _source(story: Story) -> list[Block]:
    blocks: list[Block] = []
    files = list(dict.fromkeys(one.file for found in story.told if found.cause for one in found.cause.excerpts))
    if files:
        shown = [f"`{story.code(file)}`" for file in files[:_SOURCES_MOST]]
        blocks.append(Para(story.tell("source.read", files=story.joined(shown))))
        blocks += story.suspects.more(len(files) - len(shown))
    for found in story.told:
        claims = [one for one in found.suspect.evidence if one.kind == "cause-in-source"]
        if found.cause and claims:
            blocks.append(Claims(story.claims(found, claims)))
        if command := story.derive.listed(found) if found.cause else "":
            blocks.append(Command(command, story.tell("source.shows")))
    return blocks


def _upstream(story: Story) -> list[Block]:
    blocks: list[Block] = []
    for found in story.told:
        for one in found.known[:1]:
            blocks += [Para(known_line(story, found)), Para(story.saying(one.says))]
            addresses = [to for to in one.references if to.startswith("https://") and len(to) < _ADDRESS_MOST]
            blocks += [Link(story.name(to), to) for to in addresses[:_REFERENCES_MOST]]
            if command := story.command("known", "show", one.id):
                blocks.append(Command(command, story.tell("upstream.shows")))
    return blocks


def known_line(story: Story, found: Finding) -> str:
    """Return the upstream bug of a finding in a sentence: what it is, which version has it, which fixes it."""
    bug = known(found)
    if bug is None:
        return ""
    summary = story.say(bug.summary).rstrip(".。") if bug.summary else ""
    module = "Go" if bug.module == "std" else story.code(bug.module)
    running = story.code(f"{module} {bug.found or ''}".strip())
    fixed = story.code(story.joined(bug.fixed))
    if bug.affects_build == "yes" and bug.fault == "library":
        key = "known.yes" if bug.fixed else "known.yes-unmended"
        return story.tell(key, id=story.code(bug.id), summary=summary, running=running, fixed=fixed)
    if bug.fault == "usage" and not bug.fixed:
        told = story.word("upstream.usage", module=module)
    else:
        said = "peer" if bug.where == "peer" and bug.affects_build == "unknown" else bug.affects_build
        told = story.word(f"upstream.affects.{said}", module=module if said == "peer" else running)
        fixed_in = story.word("upstream.mended", versions=fixed) if fixed else story.word("upstream.unmended")
        told = f"{told}{story.stop}{fixed_in}"
    if story.lang == "en" and not told.startswith(module):  # a name keeps its small letter
        told = told[:1].upper() + told[1:]
    return story.tell("known.other", id=story.code(bug.id), summary=summary, told=told)


def gaps(story: Story) -> list[Block]:
    """Return what was not checked, why that matters, and the command that settles it."""
    blocks: list[Block] = []
    for gap in story.diagnosis.gaps:
        blocks.append(Para(f"{story.say(gap.what)}{story.glue}{story.say(gap.why)}".strip()))
        command = gap_command(story.diagnosis, gap).partition("  # ")[0]  # the remark says what the sentence above says
        blocks += [Command(command)] if command and len(command) <= COMMAND_MOST else []
    return blocks
