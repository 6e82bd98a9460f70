"""The symptoms: which process, when, what the whole of it measured, how fast it grew, how much room was left.

Comes in: a Story. Goes out: the section; what the diagnosis does not know is left out, never guessed.
"""

from oakum.model import Finding, Memory, Point, ProcessRow
from oakum.report.page.blocks import Block, Cell, Fact, Facts, Para, Row, Section, table
from oakum.report.page.charts import MEASURES, totals, waterfall
from oakum.report.page.incident.story import Story
from oakum.report.page.since import beginnings, pace, since
from oakum.report.page.speech import stamp
from oakum.report.words import size

_MODULES_MOST = 6


def symptoms(story: Story) -> Section:
    """Return the section: one part for each process."""
    parts = [_process(story, row) for row in story.processes]
    title = story.tell("heading.phenomenon")
    if len(parts) == 1:
        return Section("phenomenon", title, tuple(parts[0]))
    sections = tuple(
        Section(f"phenomenon-{row.id}", story.process(row.id), tuple(blocks))
        for row, blocks in zip(story.processes, parts, strict=True)
        if blocks
    )
    left = len(story.diagnosis.processes) - len(story.processes)
    return Section("phenomenon", title, story.suspects.more(left, story.derive.everything()), sections)


def seen(story: Story, process: str) -> str:
    """Return how many snapshots of a process there are, and from when to when."""
    snapshots = [row for row in story.diagnosis.moments if row.process == process and not row.baseline]
    times = story.times(process)
    if not snapshots:
        return ""
    if not times:
        told = story.tell("seen.undated", moments=len(snapshots))
    elif min(times) == max(times):
        told = story.tell("seen.once", moments=len(snapshots), first=stamp(min(times)))
    else:
        seconds = (max(times) - min(times)).total_seconds()
        told = story.tell(
            "seen.span", moments=len(snapshots), first=stamp(min(times)), last=stamp(max(times)), seconds=seconds
        )
    past = [one for one in story.points(process) if not one.captured]
    return told + (story.tell("seen.past", count=len(past)) if past else "")


def went(story: Story, process: str) -> list[str]:
    """Return each measure of a process from its first to its last value: goroutines 35 → 215."""
    told = []
    for measure in MEASURES:
        values = [one.totals[measure] for one in story.points(process) if measure in one.totals]
        name = story.word(f"column.{measure}")
        if len(values) > 1:
            first, last = (story.amount(measure, value) for value in (values[0], values[-1]))
            told.append(story.tell("went", name=name, first=first, last=last))
        elif values:
            told.append(story.tell("stood", name=name, last=story.amount(measure, values[0])))
    return told


def _process(story: Story, row: ProcessRow) -> list[Block]:
    points = story.points(row.id)
    blocks: list[Block] = [_who(story, row)]
    blocks += _totals(story, points)
    blocks += _twin(story, row.id, points)
    for found in story.told:
        told = [*since(story, story.diagnosis, found), *pace(story, story.diagnosis, found)]
        if found.suspect.sites[0].process == row.id and told:
            blocks.append(Para(f"{_which(story, found)}{story.glue.join(told)}"))
    began = beginnings(story.diagnosis, row.id, story.told)
    blocks += totals(story, story.diagnosis, story.derive, row.id, story.process(row.id), began)
    for memory in story.diagnosis.memory:
        if memory.process == row.id:
            blocks += _room(story, memory)
            budget = waterfall(story, story.diagnosis, story.derive, memory, story.process(row.id))
            blocks += [budget] if budget else []
    return blocks


def _which(story: Story, found: Finding) -> str:
    """Return which of several causes a sentence is about; "" when there is one."""
    if len(story.told) < 2:
        return ""
    function = story.function(found)
    return f"`{function}`{story.colon}" if function else f"{story.suspects.title(found)}{story.colon}"


def _who(story: Story, row: ProcessRow) -> Facts:
    facts = [("process.name", f"`{story.code(row.name)}`")] if row.name else []
    if build := row.build:
        facts += [("process.program", f"`{story.code(build.path)}`")] if build.path else []
        facts += [("process.go", story.name(build.go))] if build.go else []
        if build.main:
            facts.append(("process.module", f"`{story.code(f'{build.main} {build.main_version or str()}'.strip())}`"))
        concerned = _concerned(story, row)
        facts += [("process.modules", story.joined([f"`{story.code(one)}`" for one in concerned]))] if concerned else []
    if told := seen(story, row.id):
        facts.append(("process.seen", told))
    return Facts(tuple(Fact(story.tell(label), (Para(text),)) for label, text in facts))


def _concerned(story: Story, row: ProcessRow) -> list[str]:
    """Return the dependencies in which goroutines stand or memory is allocated, with their versions."""
    modules = (row.build.modules if row.build else None) or {}
    functions = [
        site.frame.function.replace("/vendor/", "\n").rpartition("\n")[2]
        for found in story.told
        for site in found.suspect.sites
        if site.process == row.id
    ]
    owners = [
        max((one for one in modules if name.startswith((f"{one}/", f"{one}."))), key=len, default="")
        for name in functions
    ]
    return [f"{one} {modules[one]}" for one in dict.fromkeys(owners) if one][:_MODULES_MOST]


def _totals(story: Story, points: list[Point]) -> list[Block]:
    rows = []
    for measure in MEASURES:
        values = [(one.totals[measure], one) for one in points if measure in one.totals]
        if len(values) < 2:
            continue
        (first, start), (last, end) = values[0], values[-1]
        most, top = max(values, key=lambda pair: pair[0])
        cells = [Cell(story.word(f"column.{measure}"))]
        for value, point in ((first, start), (last, end), (most, top)):
            cells.append(Cell(story.amount(measure, value), value, story.link(point.inputs)))
        change = story.amount(measure, last - first)
        cells.append(Cell(f"+{change}" if last > first else change, last - first))
        rows.append(Row(tuple(cells)))
    columns = tuple(story.tell(f"table.{name}") for name in ("measure", "first", "last", "most", "change"))
    return [table(columns, tuple(rows), story.tell("table.totals"))] if rows else []


def _twin(story: Story, process: str, points: list[Point]) -> list[Block]:
    twins = story.points(process, baseline=True)
    rows = []
    for measure in MEASURES:
        ours = next((one for one in reversed(points) if measure in one.totals), None)
        theirs = next((one for one in reversed(twins) if measure in one.totals), None)
        if ours is None or theirs is None:
            continue
        cells = [Cell(story.word(f"column.{measure}"))]
        for point in (ours, theirs):
            value = point.totals[measure]
            cells.append(Cell(story.amount(measure, value), value, story.link(point.inputs)))
        rows.append(Row(tuple(cells)))
    columns = tuple(story.tell(f"table.{name}") for name in ("measure", "here", "twin"))
    return [table(columns, tuple(rows), story.tell("table.against"))] if rows else []


def _room(story: Story, memory: Memory) -> list[Block]:
    """Return how far the limit is."""
    process = story.process(memory.process)
    if memory.limit and memory.full_in_seconds is not None:
        return [
            Para(story.tell("limit.reached", process=process, limit=size(memory.limit), seconds=memory.full_in_seconds))
        ]
    if memory.limit and memory.rss:
        share = memory.rss / memory.limit
        return [
            Para(
                story.tell("limit.known", process=process, limit=size(memory.limit), rss=size(memory.rss), share=share)
            )
        ]
    return [Para(story.tell("limit.unknown"), quiet=True)] if story.leaking and memory.rss else []
