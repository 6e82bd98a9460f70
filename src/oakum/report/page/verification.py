"""Before and after -> the page: the answer first, then each finding with both measurements and both curves."""

import shlex
from collections.abc import Sequence

from oakum import __version__
from oakum.model import Diagnosis, Slope, Trial
from oakum.model.verification import Change, Verification
from oakum.report.page.blocks import (
    Block,
    Chart,
    ChartPoint,
    Command,
    Fact,
    Facts,
    Page,
    Para,
    Section,
    Series,
    Tone,
)
from oakum.report.page.derive import Derive
from oakum.report.page.speech import Speech
from oakum.report.page.suspects import Suspects
from oakum.report.words import WORDS, size

_TONES: dict[str, Tone] = {"fixed": "healthy", "leaks": "leaking", "undecided": "undecided"}
_CHANGE_TONES: dict[str, Tone] = {
    "gone": "healthy", "smaller": "likely", "same": "proven", "new": "proven", "unsettled": "possible",
}  # fmt: skip
_COUNTED = ("new", "same", "smaller", "unsettled", "gone")
_CHANGES_MOST = 50
_SAID_MOST = 7
_SCALES = (1, 1_000, 1_000_000)


def verification_page(found: Verification, lang: str, words: Sequence[str] = (), kept: str = "") -> Page:
    """Return the page; `words` name both sides again, `kept` is the file that has the result as data."""
    return _Composer(found, Speech(lang), words, kept).page()


def sentence(speech: Speech, one: Change) -> str:
    """Return what became of a finding, with its numbers."""
    if one.why is not None:
        return speech.say(one.why)
    before, after = (_rate(speech, side, one.unit) for side in (one.before, one.after))
    if one.became == "gone" and one.after is not None:
        key = "verify.sentence.gone" if one.after.value <= 0 else "verify.sentence.gone-some"
        return speech.word(key, before=before, after=after, smallest=_least(speech, one.after, one.unit))
    if one.became == "new":
        return speech.word("verify.sentence.new", after=after)
    if one.ratio is None:
        return speech.word("verify.sentence.same-no-ratio", before=before, after=after)
    return speech.word(f"verify.sentence.{one.became}", before=before, after=after, ratio=_ratio(speech, one))


def _ratio(speech: Speech, one: Change) -> str:
    if one.ratio is None:
        return ""
    return speech.word("verify.ratio", value=one.ratio.value, low=one.ratio.low, high=one.ratio.high)


def _scale(slope: Slope) -> int:
    """Return for how many units of work it is told, so that a number of goroutines is no fraction of a hundredth."""
    value = slope.value or slope.smallest
    if slope.measure != "goroutines":
        return next((one for one in _SCALES if value * one >= 1), 1)
    return next((one for one in _SCALES if value * one >= 0.01), _SCALES[-1])


def _unit(speech: Speech, unit: str, scale: int) -> str:
    if scale == 1:
        key = f"verify.unit.{unit}"
        return speech.word(key) if key in WORDS else speech.name(unit)
    key = f"verify.units.{unit}"
    return f"{scale:,} {speech.word(key) if key in WORDS else speech.name(unit)}"


def _rate(speech: Speech, slope: Slope | None, unit: str) -> str:
    if slope is None:
        return speech.word("verify.unmeasured")
    scale = _scale(slope)
    numbers = {name: _number(slope, getattr(slope, name) * scale) for name in ("value", "low", "high")}
    key = "verify.rate.goroutines" if slope.measure == "goroutines" else "verify.rate.bytes"
    return speech.word(key, unit=_unit(speech, unit, scale), **numbers)


def _least(speech: Speech, slope: Slope, unit: str) -> str:
    scale = _scale(slope)
    key = "verify.least.goroutines" if slope.measure == "goroutines" else "verify.least.bytes"
    return speech.word(key, value=_number(slope, slope.smallest * scale), unit=_unit(speech, unit, scale))


def _number(slope: Slope, value: float) -> str:
    return f"{value:.2f}" if slope.measure == "goroutines" else size(value)


class _Composer:
    def __init__(self, found: Verification, speech: Speech, words: Sequence[str], kept: str) -> None:
        self.found, self.speech, self.words, self.kept = found, speech, words, kept

    def page(self) -> Page:
        speech, found = self.speech, self.found
        names = list(dict.fromkeys(row.name for row in (*found.before.processes, *found.after.processes)))
        sections = (self.changes(), self.notes(), self.missing(), self.inputs())
        return Page(
            title=speech.word("verify.title", process=speech.name(speech.joined(names[:3]))),
            lang=speech.lang,
            tone=_TONES[found.verdict],
            badge=speech.word(f"verify.badge.{found.verdict}"),
            verdict=self.verdict(),
            about=tuple(self.about(side, one) for side, one in self.sides()),
            sections=tuple(one for one in sections if one),
            foot=speech.word("page.foot", version=__version__),
            kept=self.kept,
        )

    def sides(self) -> tuple[tuple[str, Diagnosis], ...]:
        return ("before", self.found.before), ("after", self.found.after)

    def verdict(self) -> str:
        counts = {name: sum(one.became == name for one in self.found.changes) for name in _COUNTED}
        if self.found.verdict == "fixed":
            return self.speech.word("verify.fixed", gone=counts["gone"])
        told = [self.speech.word(f"verify.count.{name}", count=count) for name, count in counts.items() if count]
        if not told:
            return self.speech.word("verify.undecided-none")
        what = self.speech.comma.join(told)
        return self.speech.word(f"verify.{self.found.verdict}", what=what[:1].upper() + what[1:])

    def about(self, side: str, one: Diagnosis) -> str:
        """Return a line for a side: process, build, work, snapshots."""
        speech, told = self.speech, []
        for row in one.processes[:1]:
            told.append(speech.called(row))
            if row.build and row.build.go:
                told.append(speech.name(row.build.go))
            if row.build and row.build.main:
                version = row.build.main_version or ""
                told.append(speech.word("about.build", main=speech.name(row.build.main), version=version))
        for trial in one.trials[:1]:
            key = f"verify.units.{trial.unit}"
            unit = speech.word(key) if key in WORDS else speech.name(trial.unit)
            told.append(speech.word("verify.work", units=trial.units, unit=unit))
        told.append(speech.word("process.moments", moments=sum(not row.baseline for row in one.moments)))
        return speech.word("verify.about", side=speech.word(f"verify.side.{side}"), told=" · ".join(told))

    def changes(self) -> Section | None:
        changes = self.found.changes
        if not changes:
            return None
        more = len(changes) - _CHANGES_MOST
        blocks = (Para(self.speech.word("page.more", count=more)),) if more > 0 else ()
        title = self.speech.word("verify.section.changes")
        return Section("suspects", title, blocks, tuple(self.change(one) for one in changes[:_CHANGES_MOST]))

    def change(self, one: Change) -> Section:
        speech, found = self.speech, one.finding
        key = f"mechanism.{found.mechanism}"
        return Section(
            f"{one.became}-{found.id}"[:80],
            speech.word(key) if key in WORDS else speech.say(found.title),
            (Para(sentence(speech, one)), *self.chart(one), self.facts(one)),
            (),
            speech.word(f"verify.became.{one.became}"),
            _CHANGE_TONES[one.became],
        )

    def facts(self, one: Change) -> Facts:
        speech = self.speech
        diagnosis = self.found.after if one.became == "new" else self.found.before
        suspects = Suspects(speech, diagnosis, Derive(diagnosis, ""))
        measured: list[Block] = []
        if one.why is not None and one.unit:  # else the sentence has the numbers
            measured = [Para(_rate(speech, side, one.unit)) for side in (one.before, one.after)]
        rows: list[tuple[str, list[Block]]] = [
            ("finding.where", list(suspects.places(one.finding.suspect.sites[:3]))),
            ("verify.side.before", measured[:1]),
            ("verify.side.after", measured[1:]),
            ("finding.name", [Para(f"`{speech.name(one.finding.id)}`")]),
        ]
        return Facts(tuple(Fact(speech.word(label), tuple(blocks)) for label, blocks in rows if blocks))

    def chart(self, one: Change) -> tuple[Chart, ...]:
        """Return both curves over the work done."""
        lines, said = [], []
        for side, diagnosis, slope in (
            ("before", self.found.before, one.before),
            ("after", self.found.after, one.after),
        ):
            trial = next((t for t in diagnosis.trials if slope is not None and len(t.work) == len(slope.counts)), None)
            if slope is None or trial is None:
                continue
            name = self.speech.word(f"verify.side.{side}")
            lines.append(Series(name, self.points(slope, trial), "grew" if side == "before" else "plain"))
            said.append(self.said(name, slope, trial))
        if not lines:
            return ()
        measure = one.before.measure if one.before else one.after.measure if one.after else "goroutines"
        function = self.speech.short(one.finding.suspect.sites[0].frame.function)
        title = self.speech.word("verify.chart", what=self.speech.word(f"measure.{measure}"), function=function)
        unit = "count" if measure == "goroutines" else "bytes"
        return (Chart(title, unit, tuple(lines), self.speech.stop.join(said)),)  # type: ignore[arg-type]  # of two words

    def points(self, slope: Slope, trial: Trial) -> tuple[ChartPoint, ...]:
        return tuple(
            ChartPoint(count, _unit(self.speech, trial.unit, work or 0), x=float(work or 0))
            for count, work in zip(slope.counts, trial.work, strict=True)
            if work is not None
        )

    def said(self, name: str, slope: Slope, trial: Trial) -> str:
        known = [one for one in slope.counts if one is not None]
        if len(known) > _SAID_MOST:
            step = (len(known) - 1) / (_SAID_MOST - 1)
            known = [known[round(at * step)] for at in range(_SAID_MOST)]
        counts = " → ".join(self.speech.amount(slope.measure, one) for one in known)
        return self.speech.word(
            "verify.chart.said", side=name, counts=counts, work=_unit(self.speech, trial.unit, trial.units)
        )

    def notes(self) -> Section | None:
        told = tuple(Para(self.speech.say(one)) for one in self.found.notes)
        return Section("notes", self.speech.word("verify.section.notes"), told) if told else None

    def missing(self) -> Section | None:
        """Return what would decide what is not decided: the reasons, and the commands."""
        if self.found.verdict != "undecided":
            return None
        reasons = dict.fromkeys(self.speech.say(one.why) for one in self.found.changes if one.why)
        told = [Para(one) for one in reasons] or [Para(self.speech.word("verify.undecided-none"))]
        side = self.lacking()
        target = getattr(self.found, side).target or "http://HOST:PORT"
        names = [shlex.quote(word) for word in self.words] or ["BEFORE", "AFTER"]
        names[side == "after"] = f"{side}.tar.gz"
        commands = (
            Command(f"oakum reproduce {shlex.quote(target)} --request 'GET /PATH' --times 200 -o {side}.tar.gz"),
            Command(f"oakum verify {' '.join(names)}"),
        )
        return Section("missing", self.speech.word("verify.section.missing"), (*told, *commands))

    def lacking(self) -> str:
        """Return the side that has to be measured again."""
        keys = [one.why.key for one in self.found.changes if one.why]
        return "after" if any(not key.endswith(("-before", "before-unclear")) for key in keys) else "before"

    def inputs(self) -> Section:
        blocks: list[Block] = []
        counted = []
        for side, one in self.sides():
            files = len({row.origin for row in one.inputs})
            problems = len({row.origin for row in one.inputs if row.problems})
            told = self.speech.word("inputs.count", captures=files, problems=problems)
            counted.append(self.speech.word("verify.about", side=self.speech.word(f"verify.side.{side}"), told=told))
            blocks.append(Para(counted[-1]))
            if again := Derive(one, "").everything():
                blocks.append(Command(again, self.speech.word("verify.diagnose-one")))
        if self.kept:
            command = shlex.join(("oakum", "report", "--recheck", self.kept))
            blocks += [Para(self.speech.word("verify.again")), Command(command)]
        title = self.speech.word("verify.section.inputs")
        return Section("inputs", title, tuple(blocks), folded=True, line=self.speech.glue.join(counted))
