"""Tests that were run -> the page: what leaks first, each leak with its place, cause and fix; then every test."""

import shlex
from collections.abc import Sequence
from functools import partial

from oakum import __version__
from oakum.model import CauseSite, Finding, Slope
from oakum.model.tested import PROVEN_FROM, Tested, TestRun
from oakum.report.advice import remedies
from oakum.report.page.blocks import (
    Block,
    Cell,
    Code,
    CodeLine,
    Command,
    Fact,
    Facts,
    Page,
    Para,
    Place,
    Places,
    Row,
    Section,
    table,
)
from oakum.report.page.derive import Derive
from oakum.report.page.source import cause_blocks
from oakum.report.page.speech import Speech
from oakum.report.page.suspects import Suspects
from oakum.report.page.todo import remedy_blocks
from oakum.report.words import WORDS, size

_SAID_LINES = 12  # of what a test printed
_ROWS_MOST = 500
_LEAKS_MOST = 50
_NAMES_MOST = 8
_COUNT = 6  # iterations that nobody has to ask for


def tested_page(run: TestRun, lang: str) -> Page:
    """Return the page of a run."""
    return _Composer(run, lang).page()


def badge_of(run: TestRun) -> str:
    """Return what the run says as a whole: leaking, healthy, undecided."""
    return "leaking" if run.leaking else "undecided" if run.too_few or not run.measured else "healthy"


def stays(speech: Speech, found: Finding, slope: Slope | None) -> str:
    """Return what each iteration leaves of a finding: half a sentence."""
    function = speech.short(found.suspect.sites[0].frame.function)
    if slope is None or slope.value <= 0:
        return speech.word("tested.stays", function=function)
    if slope.measure == "inuse_space":
        return speech.word("tested.stays.inuse_space", value=size(slope.value), function=function)
    numbers = {name: f"{getattr(slope, name):.2f}" for name in ("value", "low", "high")}
    return speech.word("tested.stays.goroutines", function=function, **numbers)


def again(one: Tested, count: int) -> str:
    """Return the command that measures one test again."""
    which = f"-run '^{one.name}$'" if one.kind == "test" else f"--bench '^{one.name}$'"
    return f"oakum verify --test {shlex.quote(one.package)} {which}" + (f" -count {count}" if count != _COUNT else "")


class _Composer:
    def __init__(self, run: TestRun, lang: str) -> None:
        self.run, self.speech = run, Speech(lang)

    def page(self) -> Page:
        speech, run, tone = self.speech, self.run, badge_of(self.run)
        sections = (self.leaks(), self.known(), self.tests(), self.unbuilt())
        return Page(
            title=speech.word("tested.title"),
            lang=speech.lang,
            tone=tone,  # type: ignore[arg-type]  # one of three words
            badge=speech.word(f"badge.{tone}"),
            verdict=self.verdict(),
            about=(speech.word("tested.about", count=run.count, grace=f"{run.grace:g} s"),),
            sections=tuple(one for one in sections if one),
            foot=speech.word("page.foot", version=__version__),
        )

    def verdict(self) -> str:
        run, total = self.run, len(self.run.measured)
        known = sum(len(one.leaks) for one in run.tests)
        if run.leaking:
            return self.speech.word("tested.leaking", count=len(run.leaking), total=total)
        if not total:
            return self.speech.word("tested.undecided")
        if run.too_few:
            return self.speech.word("tested.too-few", count=run.suspicions, most=PROVEN_FROM)
        key = "tested.healthy-known" if known else "tested.suspected" if run.suspicions else "tested.healthy"
        return self.speech.word(key, total=total, known=known, count=run.suspicions)

    def leaks(self) -> Section | None:
        tests: dict[tuple[str, str], list[tuple[Tested, Finding]]] = {}
        for test in self.run.leaking:
            for one in test.new_leaks:
                tests.setdefault((test.package, one.id), []).append((test, one))
        found = [self.leak(*same[0], [test.name for test, _ in same[1:]]) for same in tests.values()]
        if not found:
            return None
        more = (Para(self.speech.word("page.more", count=len(found) - _LEAKS_MOST)),) if found[_LEAKS_MOST:] else ()
        return Section("suspects", self.speech.word("tested.section.leaks"), more, tuple(found[:_LEAKS_MOST]))

    def leak(self, test: Tested, found: Finding, others: Sequence[str]) -> Section:
        """Return a leak as the first test shows it that has it, and which others do."""
        speech = self.speech
        told = stays(speech, found, test.slopes.get(found.id))
        sentence = told[:1].upper() + told[1:] + ("。" if speech.lang == "zh" else ".")
        return Section(
            f"leak-{test.name}-{found.id}"[:120],
            speech.word("tested.finding", name=speech.name(test.name), what=self.title(found)),
            (Para(sentence), Facts(tuple(self.facts(test, found, others)))),
            (),
            speech.word(f"confidence.{found.confidence}"),
            found.confidence,
        )

    def title(self, found: Finding) -> str:
        key = f"mechanism.{found.mechanism}"
        return self.speech.word(key) if key in WORDS else self.speech.say(found.title)

    def facts(self, test: Tested, found: Finding, others: Sequence[str]) -> list[Fact]:
        speech = self.speech
        names = speech.joined([test.name, *others[:_NAMES_MOST], *(["…"] if len(others) > _NAMES_MOST else [])])
        assert test.diagnosis is not None  # it has findings
        suspects = Suspects(speech, test.diagnosis, Derive(test.diagnosis, ""))
        fixes = [block for one in remedies(found)[:2] for block in remedy_blocks(speech, one)]
        rows: list[tuple[str, list[Block]]] = [
            ("tested.label.growth", self.growth(test, found)),
            ("finding.where", [*suspects.places(found.suspect.sites)]),
            ("glance.cause", self.cause(found)),
            ("tested.label.fix", fixes),
            ("tested.label.test", [Para(f"{names} (`{speech.name(test.package)}`)"), *self.said(test)]),
            ("tested.label.id", [Para(f"`{speech.name(found.id)}`")]),
            ("tested.label.captures", [Para(f"`{speech.name(test.captures)}`")] if test.captures else []),
            ("tested.label.again", [Command(again(test, self.run.count))]),
        ]
        return [Fact(speech.word(label), tuple(blocks)) for label, blocks in rows if blocks]

    def growth(self, test: Tested, found: Finding) -> list[Block]:
        growth = next((one for one in found.suspect.growth if one.measure in ("goroutines", "inuse_space")), None)
        if growth is None or len(growth.counts) < 2:
            return []
        counts = " → ".join("?" if one is None else self.speech.amount(growth.measure, one) for one in growth.counts)
        return [Para(self.speech.word("tested.counts", counts=counts, work=test.iterations))]

    def cause(self, found: Finding) -> list[Block]:
        """Return why: what the source says with its lines, else what the mechanism says."""
        if found.cause is None:
            key = f"mechanism.{found.mechanism}.why"
            return [Para(self.speech.word(key))] if key in WORDS else []
        shown = cause_blocks(self.speech, found.cause, (), self.place, partial(_more, self.speech))
        return [
            Para(self.speech.saying(found.cause.because)),
            *(one for one in shown if isinstance(one, Code | Places)),
        ]

    def place(self, one: CauseSite, facts: Sequence[str]) -> Place:
        frame, told = one.frame, self.speech.comma.join(facts)
        return Place(self.speech.name(frame.function), self.speech.name(frame.file), frame.line, told)

    def said(self, test: Tested) -> list[Block]:
        """Return what a test printed that did not pass."""
        if test.outcome == "passed":
            return []
        told = self.speech.word(
            "tested.did-not-pass", name=test.name, outcome=self.speech.word(f"tested.outcome.{test.outcome}")
        )
        lines = [self.speech.name(line) for line in test.said.splitlines()[-_SAID_LINES:]]
        return [Para(told), Code("", tuple(CodeLine(0, line) for line in lines))] if lines else [Para(told)]

    def known(self) -> Section | None:
        rows = [
            Row((
                Cell(test.name, code=True),
                Cell(self.speech.name(test.package), code=True),
                Cell(stays(self.speech, one, test.slopes.get(one.id))),
                Cell(one.id, code=True),
            ))
            for test in self.run.tests
            for one in test.leaks
            if one.id in test.known
        ]  # fmt: skip
        if not rows:
            return None
        names = self.columns("test", "package", "stays")
        told = table((*names, self.speech.word("tested.label.id")), rows[:_ROWS_MOST])
        return Section("known", self.speech.word("tested.section.known"), (told,), summary=f"{len(rows):,}")

    def tests(self) -> Section | None:
        tests = self.run.tests
        if not tests:
            return None
        passed = sum(one.outcome == "passed" for one in tests)
        rows = [self.row(one) for one in tests[:_ROWS_MOST]]
        names = self.columns("test", "package", "outcome", "iterations", "stays")
        line = self.speech.word("tested.line.tests", passed=passed, other=len(tests) - passed)
        return Section("tests", self.speech.word("tested.section.tests"), (table(names, rows),), line=line)

    def row(self, one: Tested) -> Row:
        return Row(
            (
                Cell(one.name, code=True),
                Cell(self.speech.name(one.package), code=True),
                Cell(self.speech.word(f"tested.outcome.{one.outcome}")),
                Cell(f"{one.iterations:,}", one.iterations),
                Cell(self.left(one)),
            )
        )

    def left(self, one: Tested) -> str:
        if one.diagnosis is None:
            return self.speech.word("tested.stays.unmeasured")
        known = len(one.leaks) - len(one.new_leaks)
        counts = {"leaks": len(one.new_leaks), "known": known, "perhaps": one.suspicions}
        told = [self.speech.word(f"tested.stays.{name}", count=count) for name, count in counts.items() if count]
        return self.speech.comma.join(told) or self.speech.word("tested.stays.none")

    def unbuilt(self) -> Section | None:
        if not self.run.unbuilt:
            return None
        blocks = [
            block
            for package, why in list(self.run.unbuilt.items())[:_LEAKS_MOST]
            for block in (
                Para(f"`{self.speech.name(package)}`"),
                Code("", tuple(CodeLine(0, self.speech.name(line)) for line in why.splitlines()[-_SAID_LINES:])),
            )
        ]
        return Section("unbuilt", self.speech.word("tested.section.unbuilt"), tuple(blocks))

    def columns(self, *names: str) -> tuple[str, ...]:
        return tuple(self.speech.word(f"tested.column.{name}") for name in names)


def _more(speech: Speech, count: int) -> list[Block]:
    return [Para(speech.word("page.more", count=count), quiet=True)] if count > 0 else []
