"""A diagnosis -> the page of its suspects in one language: the verdict first, then the evidence, then what to run next.

A section appears only when the diagnosis has what it shows. Long lists are cut, and say how many more there are and
which command shows them: a page is opened in a second, whatever the case. One module: the order of a page is one list.
"""

from collections.abc import Collection, Sequence

from oakum import __version__
from oakum.model import Explained, Finding, Gap, InputRow, Point, Problem, ProcessRow
from oakum.model.diagnosis import Diagnosis
from oakum.report.gap_commands import gap_command
from oakum.report.layout import utc
from oakum.report.page.blocks import (
    Block,
    Cell,
    Chart,
    Command,
    Figure,
    Fold,
    Page,
    Para,
    Row,
    Section,
    Table,
    Waterfall,
    anchor_of_finding,
    anchor_of_input,
    table,
)
from oakum.report.page.charts import MEASURES, totals, waterfall
from oakum.report.page.derive import Derive
from oakum.report.page.events import event_table
from oakum.report.page.experiment import experiment_section, work_charts
from oakum.report.page.glance import glance, settling
from oakum.report.page.headline import FIRST, headline, subject, worst_first
from oakum.report.page.since import beginnings, snapshot_name
from oakum.report.page.speech import Speech, clock, ends, stamp
from oakum.report.page.suspects import Suspects
from oakum.report.words import WORDS, size
from oakum.report.words.lines import problem_in

FIGURES = {"flame-heap": "heap", "flame-goroutines": "goroutine"}  # name -> the kind of capture it is drawn from
_WHOLE_MOST = 50  # findings that are told whole; the others in a line
_ROWS_MOST = 500
_SNAPSHOTS_OPEN = 24  # more are listed when they are asked for
_GAPS_MOST = 40
_PROBLEMS_MOST = 3  # of one capture
_PROCESSES_MOST = 20
_LINE_MOST = 3  # kinds of harmless goroutines beside a folded title


def compose(diagnosis: Diagnosis, lang: str, figures: Collection[str] = (), kept: str = "") -> Page:
    """Return the page; `figures` names the pictures that whoever writes it down will be handed.

    `kept` is the file in which the diagnosis lies as data: what reads it again names it.
    """
    return _Composer(diagnosis, lang, figures, kept).page()


class _Composer:
    """The page while it is put together."""

    def __init__(self, diagnosis: Diagnosis, lang: str, figures: Collection[str], kept: str) -> None:
        self.diagnosis, self.figures, self.kept = diagnosis, figures, kept
        self.speech, self.derive = Speech(lang), Derive(diagnosis, kept)
        self.suspects = Suspects(self.speech, diagnosis, self.derive, glance=True)

    def page(self) -> Page:
        speech, verdict = self.speech, self.diagnosis.verdict
        sections = (
            self.findings(), experiment_section(speech, self.diagnosis),
            self.timeline(), self.memory(), self.flames(), self.harmless(), self.gaps(), self.inputs(),
        )  # fmt: skip
        key = "page.title" if verdict == "leaking" else f"page.title.{verdict}"
        return Page(
            title=speech.word(key, process=subject(speech, self.diagnosis)),
            lang=speech.lang,
            tone=verdict,
            badge=speech.word(f"badge.{verdict}"),
            verdict=headline(self.diagnosis, speech.lang, bare=True),
            about=self.about(),
            sections=tuple(section for section in sections if section),
            foot=speech.word("page.foot", version=speech.name(self.diagnosis.tool or __version__)),
            glance=glance(speech, self.diagnosis, self.suspects),
            picture=self.picture(),
            kept=self.kept,
        )

    def picture(self) -> tuple[Chart, ...]:
        """Return how the finding grew that the page answers with; of an experiment, with the work done."""
        if charts := work_charts(self.speech, self.diagnosis, self.derive):
            return tuple(charts[:1])
        first = next(iter(self.diagnosis.findings), None)
        if first is None or not self.suspects.answered(first):
            return ()
        return tuple(self.suspects.charts(first)[:1])

    def about(self) -> tuple[str, ...]:
        """Return a line for the process that the page is about, its build and snapshots; the others in one line."""
        if not self.diagnosis.processes:
            return ()
        first, *others = self.processes()
        told = [*self.built(first, None), *self.when(first.id)]
        lines = [self.speech.say(one) for one in self.diagnosis.notices if one.key != FIRST]
        lines.append(self.speech.word("about.line", name=self.speech.called(first), told=" · ".join(told)))
        if others:
            names = [
                " ".join([self.speech.name(row.name), *self.speech.run(row), *self.built(row, first)]) for row in others
            ]
            if left := len(self.diagnosis.processes) - len(others) - 1:
                names.append(self.speech.word("page.more", count=left))
            lines.append(self.speech.word("about.others", names=self.speech.joined(names)))
        return tuple(lines)

    def built(self, row: ProcessRow, other: ProcessRow | None) -> list[str]:
        """Return what a process was built from; nothing where another one says the same."""
        told = []
        if row.build and row.build.go:
            told.append(self.speech.name(row.build.go))
        if row.build and row.build.main:
            version = row.build.main_version or ""
            told.append(self.speech.word("about.build", main=self.speech.name(row.build.main), version=version))
        return told if other is None or told != self.built(other, None) else []

    def when(self, process: str) -> list[str]:
        snapshots = [row for row in self.diagnosis.moments if row.process == process and not row.baseline]
        baselines = [row for row in self.diagnosis.moments if row.process == process and row.baseline]
        told = [self.speech.word("process.moments", moments=len(snapshots))]
        times = sorted(utc(row.at) for row in snapshots if row.at is not None)
        if times and times[0] == times[-1]:
            told.append(stamp(times[0]))
        elif times:
            last = clock(times[-1]) if times[0].date() == times[-1].date() else stamp(times[-1])
            told.append(self.speech.word("about.between", first=stamp(times[0]), last=last))
        if baselines:
            told.append(self.speech.word("inputs.baseline", moments=len(baselines)))
        return told

    # The sections, from top to bottom.

    def findings(self) -> Section | None:
        found = self.diagnosis.findings
        if not found:
            return None
        blocks: list[Block] = [self.overview(found)] if len(found) > 1 else []
        blocks += self.rest(len(found), self.derive.everything())
        return Section(
            "suspects",
            self.speech.word("section.suspects"),
            tuple(blocks),
            tuple(self.suspects.section(one) for one in found[:_WHOLE_MOST]),
            summary=f"{len(found):,}",
        )

    def overview(self, findings: Sequence[Finding]) -> Table:
        """Return all findings in a line each, worst first."""
        rows = []
        for found in findings[:_ROWS_MOST]:
            site, growth = found.suspect.sites[0], next(iter(found.suspect.growth), None)
            share = max(found.suspect.share.values(), default=0.0)
            known = [count for count in growth.counts if count is not None] if growth else []
            grew = (
                " → ".join(self.speech.amount(growth.measure, known[at]) for at in (0, -1)) if growth and known else ""
            )
            whole = found.rank <= _WHOLE_MOST
            rows.append(
                Row(
                    (
                        Cell(str(found.rank), found.rank, f"#{anchor_of_finding(found.id)}" if whole else ""),
                        Cell(self.speech.word(f"confidence.{found.confidence}")),
                        Cell(self.suspects.title(found)),
                        Cell(self.speech.short(site.frame.function), code=True),
                        Cell(f"{share:.0%}" if share else "", share),
                        Cell(grew, float(known[-1] - known[0]) if known else None),
                    ),
                    "" if whole else anchor_of_finding(found.id),
                )
            )
        return table(self.columns("rank", "sure", "what", "where", "share", "growth"), tuple(rows))

    def timeline(self) -> Section | None:
        parts = []
        for row in self.processes():
            began = beginnings(self.diagnosis, row.id, self.diagnosis.findings[:_WHOLE_MOST])
            charts: list[Chart] = totals(
                self.speech, self.diagnosis, self.derive, row.id, self.speech.called(row), began
            )
            if charts:
                parts.append((row, (*charts, *self.snapshots(row.id))))
        happened = event_table(self.speech, self.diagnosis, self.derive)
        title = self.speech.word("section.timeline")
        if not parts:
            return Section("timeline", title, happened) if happened else None
        line = self.course([one for one in parts[0][1] if isinstance(one, Chart)])
        if len(parts) == 1 and len(self.diagnosis.processes) == 1:
            return Section("timeline", title, (*happened, *parts[0][1]), folded=True, line=line)
        line = f"{self.speech.called(parts[0][0])}{self.speech.colon}{line}"
        inner = [Section(f"timeline-{row.id}", self.speech.called(row), blocks) for row, blocks in parts]
        return Section("timeline", title, (*happened, *self.other_processes()), tuple(inner), folded=True, line=line)

    def course(self, charts: Sequence[Chart]) -> str:
        """Return the first and the last value of each chart in a line."""
        told = []
        for chart in charts:
            known = [point.value for point in chart.series[0].points if point.value is not None]
            first, last = (size(one) if chart.unit == "bytes" else f"{one:,.0f}" for one in (known[0], known[-1]))
            told.append(self.speech.word("line.from-to", measure=chart.series[0].name, first=first, last=last))
        return self.speech.comma.join(told)

    def processes(self) -> list[ProcessRow]:
        return worst_first(self.diagnosis)[:_PROCESSES_MOST]

    def other_processes(self) -> tuple[Block, ...]:
        return self.suspects.more(len(self.diagnosis.processes) - _PROCESSES_MOST, self.derive.everything())

    def snapshots(self, process: str) -> tuple[Block, ...]:
        """Return what was captured when, the totals of that snapshot, and which findings began there."""
        points = [point for point in self.diagnosis.timeline if point.process == process and point.captured]
        own = [point for point in points if not point.baseline]
        begins = beginnings(self.diagnosis, process, self.diagnosis.findings[:_WHOLE_MOST])
        shown = [measure for measure in MEASURES if any(measure in point.totals for point in own)]
        times = ends(point.at for point in own)
        rows = []
        for at, point in enumerate(own[:_ROWS_MOST]):
            numbers = [self.total(measure, point) for measure in shown]
            first = next((number for digest in point.inputs if (number := self.derive.number(digest, point.at))), None)
            rows.append(
                Row(
                    (
                        Cell(snapshot_name(self.speech, point, times), point.at.timestamp() if point.at else at),
                        Cell(self.speech.name(point.label.rstrip("/").rpartition("/")[2]), code=True),
                        *numbers,
                        Cell(f"{len(point.inputs)}", len(point.inputs), f"#{anchor_of_input(first)}" if first else ""),
                        self.beginning(begins.get(point.label, [])),
                    )
                )
            )
        listed = table(self.columns("when", "moment", *shown, "captures", "began"), tuple(rows))
        if len(own) <= _SNAPSHOTS_OPEN:
            return (listed,)
        return (
            Fold(
                self.speech.word("page.moments", count=len(own)),
                (listed, *self.rest(len(own), self.derive.everything())),
            ),
        )

    def beginning(self, findings: Sequence[Finding]) -> Cell:
        told = self.speech.joined([f"{one.rank}. {self.speech.name(one.mechanism)}" for one in findings])
        return Cell(told, to=f"#{anchor_of_finding(findings[0].id)}" if findings else "")

    def total(self, measure: str, point: Point) -> Cell:
        value = point.totals.get(measure)
        return Cell("" if value is None else self.speech.amount(measure, value), value)

    def memory(self) -> Section | None:
        parts = []
        rows = {row.id: self.speech.called(row) for row in self.processes()}
        order = list(rows)
        told = [one for one in self.diagnosis.memory if one.process in order]
        for memory in sorted(told, key=lambda one: order.index(one.process)):
            name = rows[memory.process]
            picture = waterfall(self.speech, self.diagnosis, self.derive, memory, name)
            blocks: list[Block] = [Para(self.speech.say(one)) for one in memory.says]
            blocks += [picture] if picture else []
            if memory.full_in_seconds is not None:
                blocks.append(Para(self.speech.word("budget.full_in", seconds=memory.full_in_seconds)))
            if blocks:
                parts.append((memory.process, name, tuple(blocks)))
        if not parts:
            return None
        title = self.speech.word("section.memory")
        line = self.budget(parts[0][2])
        if len(parts) == 1:
            return Section("memory", title, parts[0][2], folded=True, line=line)
        line = f"{parts[0][1]}{self.speech.colon}{line}"
        inner = [Section(f"memory-{process}", name, blocks) for process, name, blocks in parts]
        return Section("memory", title, self.other_processes(), tuple(inner), folded=True, line=line)

    def budget(self, blocks: Sequence[Block]) -> str:
        """Return the whole of a memory table and its largest parts in a line."""
        bars = next((one.bars for one in blocks if isinstance(one, Waterfall)), ())
        whole = next((one for one in bars if one.tone == "whole"), None)
        if whole is None or not whole.value:
            return ""
        parts = sorted((one for one in bars if one.tone == "part"), key=lambda one: -one.value)[:2]
        told = [
            self.speech.word("line.part", part=one.name, size=size(one.value), share=one.value / whole.value)
            for one in parts
        ]
        return self.speech.comma.join([f"{whole.name} {size(whole.value)}", *told])

    def flames(self) -> Section | None:
        blocks = []
        for name, kind in FIGURES.items():
            if name in self.figures:
                key = f"figure.{name}"
                command = self.derive.flame(kind)
                said = "said" if "-diff_base" in command else "said-one"  # of one snapshot nothing has grown
                blocks.append(Figure(name, self.speech.word(key), self.speech.word(f"{key}.{said}"), command))
        line = self.speech.joined([one.title for one in blocks])
        title = self.speech.word("section.flames")
        return Section("flames", title, tuple(blocks), folded=True, line=line) if blocks else None

    def harmless(self) -> Section | None:
        explained = self.diagnosis.explained
        if not explained:
            return None
        rows = tuple(self.cleared(one) for one in explained[:_ROWS_MOST])
        return Section(
            "harmless",
            self.speech.word("section.harmless"),
            (
                Para(self.speech.word("harmless.intro"), quiet=True),
                table(self.columns("what", "where", "state", "count", "why"), rows),
                *self.rest(len(explained), self.derive.everything()),
            ),
            summary=f"{len(explained):,}",
            folded=True,
            line=self.speech.joined(dict.fromkeys(row.cells[0].text for row in rows[:_LINE_MOST])),
        )

    def cleared(self, one: Explained) -> Row:
        site = next(iter(one.sites), None)
        key = f"harmless.{one.mechanism}"
        return Row(
            (
                Cell(self.speech.word(key) if key in WORDS else self.speech.name(one.mechanism)),
                Cell(self.speech.name(site.frame.function) if site else "", code=True),
                Cell(self.speech.name(site.state) if site and site.state else "", code=True),
                Cell(f"{site.count:,}" if site and site.count is not None else "", site.count if site else None),
                Cell(self.speech.say(one.title)),
            )
        )

    def gaps(self) -> Section | None:
        told = settling(self.diagnosis)  # stands beside the verdict
        gaps = [gap for gap in self.diagnosis.gaps if gap is not told]
        if not gaps:
            return None
        blocks = [block for gap in gaps[:_GAPS_MOST] for block in self.gap(gap)]
        if len(gaps) > _GAPS_MOST:
            blocks += self.suspects.more(len(gaps) - _GAPS_MOST, self.derive.everything())
        return Section("gaps", self.speech.word("section.gaps"), tuple(blocks), summary=f"{len(gaps):,}")

    def gap(self, gap: Gap) -> list[Block]:
        told = self.speech.saying((gap.what, gap.why)).strip()
        command = gap_command(self.diagnosis, gap, self.speech.lang)
        return [Para(told), *([Command(self.speech.cut(command, 6000))] if command else [])]

    def inputs(self) -> Section | None:
        rows = self.diagnosis.inputs
        if not rows:
            return None
        shown = self.shown(rows)
        files = len({row.origin for row in rows})
        troubled = len({row.origin for row in rows if row.problems})
        blocks: list[Block] = [
            Para(self.speech.word("inputs.count", captures=files, problems=troubled), quiet=True),
            table(
                self.columns("rank", "origin", "kind", "format", "when", "digest", "problems"),
                tuple(self.input(number, rows[number - 1]) for number in shown),
            ),
        ]
        if len(shown) < len(rows):
            blocks += self.suspects.more(len(rows) - len(shown), self.derive.inspecting())
        blocks += [Para(self.speech.word("inputs.again")), Command(self.derive.recheck())]
        if again := self.derive.everything():
            blocks.append(Command(again, self.speech.word("inputs.diagnosis")))
        line = self.speech.word("inputs.count", captures=files, problems=troubled)
        title = self.speech.word("section.inputs")
        return Section("inputs", title, tuple(blocks[1:]), summary=f"{len(rows):,}", folded=True, line=line)

    def shown(self, rows: Sequence[InputRow]) -> list[int]:
        """Return the numbers of the captures that are listed: those that something on the page leads to first."""
        if len(rows) <= _ROWS_MOST:
            return list(range(1, len(rows) + 1))
        cited: dict[int, None] = {}
        for found in self.diagnosis.findings[:_WHOLE_MOST]:
            for one in found.suspect.evidence:
                if number := self.derive.number(one.capture):
                    cited[number] = None
        for at in range(1, len(rows) + 1):
            if len(cited) >= _ROWS_MOST:
                break
            cited[at] = None
        return sorted(list(cited)[:_ROWS_MOST])

    def input(self, number: int, row: InputRow) -> Row:
        return Row(
            (
                Cell(str(number), number),
                Cell(self.speech.name(row.origin), code=True),
                Cell(self.speech.kind(row.kind)),
                Cell(self.speech.kind(row.format)),
                Cell(stamp(row.taken_at), row.taken_at.timestamp() if row.taken_at else None),
                Cell(self.speech.name(row.digest.removeprefix("sha256:")), code=True),
                Cell(self.problems(row.problems)),
            ),
            anchor_of_input(number),
        )

    def problems(self, problems: Sequence[Problem]) -> str:
        told = [self.problem(one) for one in problems[:_PROBLEMS_MOST]]
        if len(problems) > len(told):
            told.append(self.speech.word("page.more", count=len(problems) - len(told)))
        return self.speech.stop.join(told)

    def problem(self, one: Problem) -> str:
        text, where = problem_in(one, self.speech.lang)
        told = self.speech.cut(text, 400)
        return self.speech.word("inputs.problem", told=told, where=self.speech.name(where)) if where else told

    # What the sections are made of.

    def columns(self, *names: str) -> tuple[str, ...]:
        return tuple(self.speech.word(f"column.{name}") for name in names)

    def rest(self, count: int, command: str) -> tuple[Block, ...]:
        return self.suspects.more(count - _ROWS_MOST, command)
