"""The incident report: filled from the diagnosis alone, in either language, true and short where little is known."""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from diagnoses import cause, changed, empty, heap_leak, leak, rich
from oakum.diagnose import diagnose
from oakum.model import (
    Build,
    Diagnosis,
    Evidence,
    Explained,
    Finding,
    Frame,
    Gap,
    Growth,
    KnownMatch,
    Memory,
    Point,
    ProcessRow,
    Site,
    Text,
)
from oakum.model.vocabulary import Mechanism
from oakum.report.html import render as html
from oakum.report.json import diagnosis as read
from oakum.report.json import document
from oakum.report.markdown import render
from oakum.report.page.blocks import (
    Block,
    Chain,
    Chart,
    Claims,
    Code,
    Command,
    Diff,
    Facts,
    Fold,
    Link,
    Page,
    Para,
    Places,
    Section,
    Table,
    Waterfall,
    walk,
)
from oakum.report.page.incident import incident
from oakum.report.words import LANGUAGES, WORDS, mechanisms
from recordings import taken, takes

DATA = Path(__file__).parent / "testdata"
# Diagnoses as `oakum diagnose --json` stored them: two incidents, a healthy service, one dump of a sick one.
STORED = ("kubernetes-98653", "open-simulator-88", "healthy-pool", "one-moment")
CHINESE = re.compile(r"[\u3400-\u9fff\uff00-\uffef\u3000-\u303f]")
# Three small words in a row are a sentence; names, commands, states and versions are none.
ENGLISH = re.compile(r"(?<![\w./*])[a-z]{2,}[,;:]? (?:[a-z]+[,;:]? )+[a-z]{2,}(?![\w./(*])")
STATES = re.compile(r"\[[^\]]*\]|\b(?:chan (?:send|receive)|IO wait)\b(?: \(nil chan\))?")
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][,;:(](?!//)|[,;]\s?[\u4e00-\u9fff]")
HOSTILE = "</script><img src=x onerror=alert(1)>`|\n[x](javascript:alert(1))\x1b[31m\u202eevil"


def stored(name: str) -> Diagnosis:
    with gzip.open(DATA / f"{name}.json.gz") as file:
        return read(json.load(file))


def sections(page: Page) -> Iterator[Section]:
    def inside(parts: tuple[Section, ...]) -> Iterator[Section]:
        for one in parts:
            yield one
            yield from inside(one.sections)

    return inside(page.sections)


def blocks(page: Page) -> list[Block]:
    return [block for section in sections(page) for block in walk(section.blocks)]


def section(page: Page, anchor: str) -> Section:
    return next(one for one in sections(page) if one.anchor == anchor)


def prose(page: Page) -> Iterator[str]:
    """Yield every sentence, label and title of a page; not what is code, a command or an excerpt."""
    yield from (page.title, page.badge, page.verdict, *page.about, page.foot)
    for one in sections(page):
        yield from (one.title, one.badge, one.summary)
    for block in blocks(page):
        match block:
            case Para():
                yield block.text
            case Command():
                yield block.about
            case Claims():
                yield from (claim.text for claim in block.claims)
            case Table():
                yield from (block.caption, *block.columns)
                yield from (cell.text for row in block.rows for cell in row.cells if not cell.code)
            case Facts():
                yield from (fact.label for fact in block.facts)
            case Places():
                yield from (place.told for place in block.places)
            case Code():
                yield from (line.mark for line in block.lines)
            case Chart():
                yield from (block.title, block.said, *(series.name for series in block.series))
            case Waterfall():
                yield from (block.title, block.said, *(f"{bar.name} {bar.note}" for bar in block.bars))
            case Chain():
                yield from (block.title, block.said, *(edge.label for edge in block.edges))
                yield from (line for node in block.nodes for line in (node.title, *node.lines))
            case Fold():
                yield block.title


def said(page: Page) -> str:
    return "\n".join(prose(page))


def half_translated(text: str) -> bool:
    """Tell whether a Chinese sentence has an English one in it, or English punctuation around Chinese."""
    bare = STATES.sub("", re.sub(r"`[^`]*`", "", text))
    return bool(ENGLISH.search(bare) or HALF_WIDTH.search(bare))


def check_language(diagnosis: Diagnosis) -> None:
    assert [one for one in prose(incident(diagnosis, "en")) if CHINESE.search(one)] == []
    assert [one for one in prose(incident(diagnosis, "zh")) if half_translated(one)] == []


def sourced() -> Finding:
    """Return a finding whose source was found as collect says it."""
    how = "desk.go (checkout of example.com/shop; this is a checkout, the profile names v1.2.0)"
    return changed(leak(), cause=replace(cause(), sources=(how, "x.go (module cache, as go.mod says)")))


# Golden pages, from diagnoses that were stored.


@pytest.mark.parametrize(
    ("name", "lang"),
    [
        ("kubernetes-98653", "en"),
        ("kubernetes-98653", "zh"),
        ("open-simulator-88", "en"),
        ("open-simulator-88", "zh"),
        ("healthy-pool", "zh"),
        ("one-moment", "en"),
    ],
)
def test_golden(name: str, lang: str, golden: Callable[[Path, str], None]) -> None:
    golden(DATA / f"{name}.{lang}.md", render(incident(stored(name), lang)))


@pytest.mark.parametrize("name", STORED)
def test_a_stored_diagnosis_is_told_in_one_language_alone(name: str) -> None:
    check_language(stored(name))


@pytest.mark.parametrize("mechanism", [*mechanisms.GOROUTINES, *mechanisms.MEMORY, *mechanisms.NUMBERS])
def test_every_mechanism_is_told_in_one_language_alone(mechanism: Mechanism) -> None:
    memory = mechanism in mechanisms.MEMORY
    found = replace(heap_leak() if memory else sourced(), mechanism=mechanism, confidence="likely", rank=1)
    page = incident(replace(rich(), findings=(found,)), "zh")
    assert WORDS[f"lesson.review.{mechanism}"][1] in said(page)
    check_language(replace(rich(), findings=(found,)))


def test_what_is_stored_says_the_same() -> None:
    diagnosis = stored("open-simulator-88")
    again = read(json.loads(json.dumps(document(diagnosis))))
    assert incident(again, "zh") == incident(diagnosis, "zh")


@pytest.mark.slow
def test_the_whole_casebook_is_told_in_one_language_alone() -> None:
    for verdict in ("leaking", "healthy"):
        for case, take in takes(verdict):
            check_language(diagnose(taken(case, take)))


# What the parts say.


def test_the_parts_stand_in_the_order_in_which_people_write_them() -> None:
    anchors = [one.anchor for one in incident(rich(), "en").sections]
    parts = "summary fill-in phenomenon investigation cause fix verification lessons inputs".split()
    assert anchors == parts


def test_what_no_evidence_tells_is_left_to_be_filled_in() -> None:
    for diagnosis in (rich(), empty()):
        for lang in LANGUAGES:
            (table,) = [one for one in section(incident(diagnosis, lang), "fill-in").blocks if isinstance(one, Table)]
            assert len(table.rows) == 5
            assert {row.cells[1].text for row in table.rows} == {WORDS["incident.fill-in.blank"][LANGUAGES.index(lang)]}


def test_every_link_leads_somewhere() -> None:
    for name in STORED:
        page = incident(stored(name), "en")
        tables = [one for one in blocks(page) if isinstance(one, Table)]
        anchors = {one.anchor for one in sections(page)} | {row.anchor for one in tables for row in one.rows}
        links = {one.to for one in blocks(page) if isinstance(one, Link)}
        links |= {cell.to for one in tables for row in one.rows for cell in row.cells if cell.to}
        links |= {c.source.to for one in blocks(page) if isinstance(one, Claims) for c in one.claims if c.source}
        assert {to for to in links if to.startswith("#") and to[1:] not in anchors} == set()
        assert all(to.startswith(("#", "https://")) for to in links)


def test_every_claim_can_be_derived_again() -> None:
    page = incident(stored("kubernetes-98653"), "en")
    steps = [one for one in sections(page) if one.anchor.startswith("step-")]
    assert len(steps) == 6
    assert [one.anchor for one in steps if not any(isinstance(block, Command) for block in one.blocks)] == []
    claims = [one for block in section(page, "step-stands").blocks if isinstance(block, Claims) for one in block.claims]
    assert claims
    assert all(claim.command.startswith("oakum ") and claim.source for claim in claims)


def test_several_causes_are_told_worst_first_each_with_its_fix() -> None:
    page = incident(stored("open-simulator-88"), "en")
    assert [one.title[:8] for one in section(page, "cause").sections] == ["Cause 1:", "Cause 2:", "Cause 3:"]
    assert [one.title[:8] for one in section(page, "fix").sections] == ["Cause 1:", "Cause 2:", "Cause 3:"]
    assert WORDS["lesson.several"][0].format(count=3) in said(page)


def test_more_causes_than_anybody_mends_are_counted() -> None:
    many = tuple(replace(leak(), id=f"{at:06x}", rank=at) for at in range(1, 31))
    page = incident(replace(rich(), findings=many), "en")
    assert len(section(page, "cause").sections) == 8
    assert "22 more" in said(page)


def test_a_suspicion_is_not_called_a_cause() -> None:
    page = incident(stored("one-moment"), "en")
    told = said(page)
    assert section(page, "cause").title == "Root cause: inconclusive"
    assert all(one.title.startswith("Suspect ") for one in section(page, "cause").sections)
    assert "If confirmed: " in told
    assert "Only one snapshot." in told
    assert "Cause 1" not in told
    assert any(isinstance(one, Command) for one in section(page, "cause").blocks)
    assert not any(isinstance(one, Code) for one in blocks(page))  # no alert on suspicion


def test_what_settles_it_is_told_also_where_nothing_was_missing() -> None:
    suspicion = replace(rich(), verdict="undecided", findings=(heap_leak(),), gaps=())
    texts = [one.text for one in section(incident(suspicion, "en"), "cause").blocks if isinstance(one, Command)]
    assert texts == ["oakum diagnose --snapshots 6 --every 10m TARGET"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_known_is_a_short_page(lang: str) -> None:
    page = incident(empty(), lang)
    assert len(render(page).splitlines()) < 90
    assert WORDS["incident.cause.healthy"][LANGUAGES.index(lang)] in said(page)
    undecided = replace(empty(), verdict="undecided", summary=Text("verdict.undecided", {"findings": 0}))
    assert WORDS["incident.cause.no-suspicion"][LANGUAGES.index(lang)] in said(incident(undecided, lang))


def test_numbers_alone_name_no_code() -> None:
    whole = Site("blocked", Frame("(goroutines)"), count=900)
    suspect = replace(leak().suspect, sites=(whole,), victims=(), evidence=leak().suspect.evidence[:1])
    found = changed(
        leak(), mechanism="growing-goroutines", cause=None, known=(), remedies=(), leads=(), suspect=suspect
    )
    page = incident(replace(rich(), findings=(found,)), "en")
    assert WORDS["incident.cause.numbers-only"][0] in said(page)
    assert "`(goroutines)`" not in said(page)
    assert "goleak" not in said(page)


# Numbers.


def test_the_collector_is_not_late() -> None:
    memory = replace(rich().memory[0], last_gc=rich().moments[1].at)
    told = said(incident(replace(rich(), memory=(memory,)), "en"))
    assert "“GC is late” is ruled out" in told
    assert "left 200.0 MiB live" in told
    assert "due at 420.0 MiB" in told
    assert "The collector" not in said(incident(replace(rich(), memory=(Memory(rss=1 << 30),)), "en"))
    # Goroutines that hold no heap, and a process that does not leak, need no such word.
    bare = replace(leak(), suspect=replace(leak().suspect, share={"goroutines": 0.9}))
    assert "The collector" not in said(incident(replace(rich(), findings=(bare,)), "en"))
    assert "The collector" not in said(incident(replace(rich(), verdict="healthy", findings=()), "en"))


def test_a_limit_says_how_long_there_is() -> None:
    assert "limit of orders is 1.0 GiB. At the measured rate it is reached about 3 h 20 min" in said(
        incident(rich(), "en")
    )
    no_limit = replace(rich(), memory=(replace(rich().memory[0], limit=None, full_in_seconds=None),))
    assert WORDS["incident.limit.unknown"][0] in said(incident(no_limit, "en"))


def test_a_restart_buys_as_long_as_it_took() -> None:
    suspect = replace(leak().suspect, growth=(Growth("goroutines", (0, 300), 100.0),))
    told = said(incident(replace(rich(), findings=(replace(leak(), suspect=suspect),)), "en"))
    assert "at 100 per hour the same load brings back 300 goroutines in about 3 h" in told
    locked = replace(leak(), suspect=suspect, mechanism="lock-cycle")  # when locks meet again nobody knows
    assert "A restart buys" not in said(incident(replace(rich(), findings=(locked,)), "en"))
    unknown = replace(leak().suspect, growth=(Growth("goroutines", (0, 300)),))
    assert "A restart buys" not in said(incident(replace(rich(), findings=(replace(leak(), suspect=unknown),)), "en"))


def test_totals_lead_to_their_captures() -> None:
    first, last = (Point("p1", row.at, row.label, totals={"goroutines": count}, inputs=row.inputs) for row, count in zip(rich().moments, (35, 215), strict=False))  # fmt: skip
    page = incident(replace(rich(), timeline=(first, last)), "en")
    tables = [one for one in section(page, "phenomenon-p1").blocks if isinstance(one, Table)]
    row = tables[0].rows[0]
    assert [cell.text for cell in row.cells] == ["goroutines", "35", "215", "215", "+180"]
    assert [cell.to for cell in row.cells] == ["", "#input-1", "#input-2", "#input-2", ""]


def test_a_past_that_metrics_kept_is_counted_apart() -> None:
    points = tuple(Point("p1", None, f"#{at}", captured=at > 58, totals={"rss": at << 20}) for at in range(60))
    page = incident(replace(rich(), timeline=points), "en")
    assert "plus 59 points of historical metrics" in said(page)
    (table,) = [one for one in section(page, "step-captured").blocks if isinstance(one, Table)]
    assert len(table.rows) == 1
    assert "59 more" in said(page)
    some = incident(replace(rich(), timeline=points[-3:]), "en")
    assert "#57 (historical metrics)" in said(some)


def test_many_processes_are_counted() -> None:
    rows = tuple(ProcessRow(f"p{at}", f"orders-{at}") for at in range(1, 41))
    page = incident(replace(rich(), processes=rows), "en")
    assert "orders-12" in said(page)
    assert "orders-13" not in said(page)
    assert "28 more" in said(page)


def test_both_kinds_of_leak_are_in_the_title() -> None:
    both = replace(rich(), findings=(leak(), replace(heap_leak(), confidence="likely")))
    assert incident(both, "en").title == "Incident report: goroutine and memory leak in orders"
    assert incident(both, "zh").title == "orders 协程与内存泄漏故障报告"
    assert incident(rich(), "en").title == "Incident report: goroutine leak in orders"


def alert(diagnosis: Diagnosis, lang: str = "en") -> list[dict[str, Any]]:
    codes = [one for one in section(incident(diagnosis, lang), "lessons").blocks if isinstance(one, Code)]
    return [yaml.safe_load("\n".join(line.text or "" for line in one.lines)) for one in codes]


def test_the_alert_is_drafted_from_the_measured_rate() -> None:
    suspect = replace(leak().suspect, growth=(Growth("goroutines", (0, 300), 4614.6), Growth("rss", (1, 9), 8e8)))
    diagnosis = replace(rich(), findings=(replace(leak(), suspect=suspect),))
    for lang in LANGUAGES:
        goroutines, memory = (one["groups"][0]["rules"][0] for one in alert(diagnosis, lang))
        assert goroutines["expr"] == 'deriv(go_goroutines{job="JOB"}[10m]) * 3600 > 2300'
        assert memory["expr"] == 'deriv(process_resident_memory_bytes{job="JOB"}[30m]) * 3600 > 400000000'
    slow = replace(leak().suspect, growth=(Growth("goroutines", (0, 3), 1.2),))
    (rule,) = alert(replace(rich(), findings=(replace(leak(), suspect=slow),)))
    assert rule["groups"][0]["rules"][0]["expr"] == 'deriv(go_goroutines{job="JOB"}[1d]) * 3600 > 0.6'
    nothing = replace(leak().suspect, growth=(Growth("goroutines", (0, 300), float("nan")),))
    assert alert(replace(rich(), findings=(replace(leak(), suspect=nothing),))) == []


def test_a_fix_is_never_called_verified() -> None:
    told = said(incident(rich(), "en"))
    assert "The draft patch for cause 1 compiles." in told
    assert WORDS["incident.verify.no-trial"][0] in told
    undrafted = changed(leak(), remedies=())
    assert "compiled" not in said(incident(replace(rich(), findings=(undrafted,)), "en"))
    texts = [one.text for one in blocks(incident(rich(), "en")) if isinstance(one, Command)]
    again = "oakum diagnose --baseline fixed/ --source /home/dev/orders case/before case/after"
    assert again in texts
    twin = replace(rich(), called=("--baseline", "twin/", "case/after"))
    texts = [one.text for one in blocks(incident(twin, "en")) if isinstance(one, Command)]
    assert "oakum diagnose --baseline fixed/ case/after" in texts
    piped = replace(rich(), called=("-",))
    texts = [one.text for one in blocks(incident(piped, "en")) if isinstance(one, Command)]
    assert not any(" - " in f"{one} " for one in texts)


# Lessons follow from something.


def lessons(diagnosis: Diagnosis) -> str:
    claims = [one for one in section(incident(diagnosis, "en"), "lessons").blocks if isinstance(one, Claims)]
    return "\n".join(claim.text for one in claims for claim in one.claims)


def with_finding(found: Finding, **changes: Any) -> Diagnosis:
    return replace(rich(), findings=(found,), **changes)


@pytest.mark.parametrize(("counts", "told"), [((0, 80, 297, 1), True), ((0, 1, 1, 0, 1), False)], ids=["crowd", "one"])
def test_one_that_comes_and_goes_teaches_nothing(counts: tuple[int, ...], told: bool) -> None:
    harmless = Explained("traffic", Text("goroutines.turnover", {"counts": counts}))
    assert ("A leak stays when the load is gone" in lessons(with_finding(leak(), explained=(harmless,)))) is told


def test_lessons_follow_from_the_findings() -> None:
    assert "The fix was available: k8s.io/apimachinery v0.21.0 has it, v0.18.8 was running." in lessons(
        with_finding(leak())
    )
    known = leak().known[0]
    unsure = changed(leak(), known=(replace(known, affects_build="unknown", where="peer"),))
    assert "The fix was to be had" not in lessons(with_finding(unsure))
    assert "capture both ends" in lessons(with_finding(unsure))
    behind = [one for one in leak().suspect.victims if one.count > 4]  # 6 + 5 of them
    few = replace(leak(), suspect=replace(leak().suspect, victims=tuple(behind)))
    assert "largest crowd" not in lessons(with_finding(few))
    root = replace(leak().suspect.sites[0], count=5)
    crowd = replace(leak(), suspect=replace(leak().suspect, victims=tuple(behind), sites=(root,)))
    assert "11 goroutines queue behind 5" in lessons(with_finding(crowd))
    pinned = Evidence(
        "heap-pinned", Text("heap.pinned", {"function": "a.B", "percent": 97, "bytes": "1", "each": "1"}), "x"
    )
    holding = replace(leak(), suspect=replace(leak().suspect, evidence=(pinned,)))
    assert "The heap profile pointed at `a.B`" in lessons(with_finding(holding))
    assert "The heap profile pointed at" not in lessons(with_finding(leak()))


def test_a_dependency_that_is_at_fault_alone_is_to_be_told() -> None:
    inside = tuple(replace(one, frame=leak().suspect.sites[0].frame) for one in cause().sites)
    found = changed(leak(), known=(), cause=replace(cause(), sites=inside))
    assert "report it upstream with this stack" in lessons(with_finding(found))
    assert "report it upstream with this stack" not in lessons(
        with_finding(changed(leak(), known=()))
    )  # own code takes part


def test_lessons_follow_from_what_the_evidence_had_and_lacked() -> None:
    lacked = Gap(Text("gap.second-moment"), Text("gap.second-moment.why"))
    assert "One snapshot shows no growth" in lessons(with_finding(leak(), gaps=(lacked,)))
    assert "One snapshot shows no growth" not in lessons(with_finding(leak(), gaps=()))
    named = Gap(Text("gap.known-version", {"id": "x-1", "module": "example.com/x"}), Text("gap.known-version.why"))
    assert "The version of example.com/x decides whether it is x-1" in lessons(with_finding(leak(), gaps=(named,)))
    twin = replace(
        leak().suspect, evidence=(Evidence("baseline", Text("goroutines.baseline", {"count": 9, "twin": 0}), "x"),)
    )
    assert "baseline was decisive" in lessons(with_finding(replace(leak(), suspect=twin)))
    assert "baseline was decisive" not in lessons(with_finding(leak()))
    traffic = Explained("traffic", Text("goroutines.turnover", {"counts": (1, 20)}))
    assert "2 places grew with the load" in lessons(with_finding(leak(), explained=(traffic, traffic)))
    assert "grew with the load" not in lessons(with_finding(leak()))
    assert "baseline of the next incident" in lessons(replace(rich(), verdict="healthy", findings=()))


# Evidence is hostile.


def hostile() -> Diagnosis:
    """Return a diagnosis all of whose names were chosen by an enemy."""
    long = HOSTILE + "A" * 1_000_000
    frame = Frame(f"evil{long}", f"/x/{long}.go", 7)
    suspect = leak().suspect
    sites = tuple(replace(site, frame=frame, state=long if site.state else None) for site in suspect.sites)
    evidence = tuple(replace(one, where=long, excerpt=long) for one in suspect.evidence)
    known = KnownMatch(long, long, long, (long,), long, "self", "yes", ("javascript:alert(1)", f"https://x/{long}"))
    found = changed(
        leak(),
        id="<b>",
        suspect=replace(suspect, sites=sites, evidence=evidence, path=(frame,) * 40),
        known=(known,),
        leads=(replace(leak().leads[0], module=long, changed=long, functions=(long,)),),
        commands=(),
    )
    rows = tuple(replace(row, origin=long, digest=row.digest) for row in rich().inputs)
    moments = tuple(replace(row, label=long) for row in rich().moments)
    return replace(
        rich(),
        findings=(found,),
        processes=(ProcessRow("p1", long, rich().processes[0].build), ProcessRow("p2", "")),
        inputs=rows,
        moments=moments,
        called=(long,),
        explained=(Explained("traffic", Text("goroutines.open-connections", {"companion": long, "counts": (1,)})),),
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_hostile_names_stay_short_and_harmless(lang: str) -> None:
    page = incident(hostile(), lang)
    assert max(len(text) for text in prose(page)) <= 8000  # some names of a path in a row
    for block in blocks(page):
        if isinstance(block, Command):
            assert len(block.text) <= 6000
        if isinstance(block, Link):
            assert block.to.startswith(("#", "https://"))
            assert len(block.to) < 600
        if isinstance(block, Diff):
            assert len(block.text) < 20_000
        if isinstance(block, Claims):
            assert all(len(claim.excerpt) <= 2000 and len(claim.where) <= 600 for claim in block.claims)
    assert len(render(page)) < 200_000
    written = html(page, None, {})
    assert "<img src=x" not in written
    assert "\u202e" not in written


def test_a_hostile_name_breaks_no_alert() -> None:
    for rule in alert(hostile()):
        assert list(rule) == ["groups"]
        assert re.fullmatch(r"[a-z0-9-]+-leaks", rule["groups"][0]["name"])


@pytest.mark.parametrize(
    ("called", "gaps", "unread"),
    [
        (("--source", "src", "captures"), (), False),
        (("--no-source", "captures"), (), True),
        (("captures",), ("gap.source-missing",), True),
        (("captures",), ("gap.source-late",), True),
        (("captures",), ("gap.heap",), False),
    ],
)
def test_the_source_is_only_said_to_be_unread_when_it_was(
    called: tuple[str, ...], gaps: tuple[str, ...], unread: bool
) -> None:
    found = changed(leak(), cause=None)
    function = found.suspect.sites[0].frame.function
    args: dict[str, dict[str, str | int]] = {
        "gap.source-missing": {"function": function},
        "gap.source-late": {"seconds": 5},
    }
    missing = tuple(Gap(Text(key, args.get(key, {})), Text(f"{key}.why")) for key in gaps)
    text = render(incident(replace(rich(), findings=(found,), called=called, gaps=missing), "en"))
    assert (WORDS["incident.cause.unread"][0] in text) == unread
    assert (WORDS["incident.cause.unnamed"][0] in text) != unread


@pytest.mark.parametrize(("go", "advised"), [("go1.26.8", False), ("go1.27.1", True), ("go1.19", False)])
def test_the_goroutineleak_profile_is_advised_for_builds_that_have_it(go: str, advised: bool) -> None:
    rows = tuple(replace(row, build=Build(go)) for row in rich().processes)
    text = render(incident(replace(rich(), processes=rows, inputs=()), "en"))
    assert ("goroutineleak" in text) == advised
