"""Since when and how fast: by the counts of the moments, by the ages of goroutines, else nothing."""

from datetime import timedelta

from msgspec.structs import replace

from diagnosed import diagnosed
from diagnoses import LAST, LATER, NOON, leak, rich
from oakum.model import Diagnosis, Evidence, Finding, Growth, Point, SnapshotRow, Text
from oakum.report.html import render
from oakum.report.page.blocks import Chart
from oakum.report.page.compose import compose
from oakum.report.page.headline import worst_first
from oakum.report.page.incident import incident
from oakum.report.page.since import began, beginnings, dated, pace, since
from oakum.report.page.speech import Speech


def with_counts(*counts: int | None, at: bool = True, per_hour: float | None = None) -> tuple[Diagnosis, Finding]:
    found = leak()
    growth = Growth("goroutines", counts, per_hour)
    found = replace(found, suspect=replace(found.suspect, growth=(growth,), evidence=found.suspect.evidence))
    moments = tuple(
        SnapshotRow(f"run/{step}-step", "p1", False, NOON + timedelta(minutes=step) if at else None, (LAST,))
        for step in range(len(counts))
    )
    return replace(rich(), moments=moments, timeline=()), found


def said(diagnosis: Diagnosis, found: Finding, lang: str = "en") -> str:
    speech = Speech(lang)
    return " ".join([*since(speech, diagnosis, found), *pace(speech, diagnosis, found)])


def test_it_began_between_the_last_moment_without_and_the_first_with_it() -> None:
    diagnosis, found = with_counts(0, None, 0, 40, 80)
    assert "Started between 12:02:00Z and 12:03:00Z: goroutines 0 at 12:00:00Z, 80 at 12:04:00Z." in said(
        diagnosis, found
    )


def test_what_was_there_from_the_first_began_before() -> None:
    assert "Started before 12:00:00Z" in said(*with_counts(5, 25, 55))
    assert "Present since the first snapshot" in said(*with_counts(5, 5))


def test_moments_without_a_time_are_named() -> None:
    assert "between 0-step and 1-step" in said(*with_counts(0, 7, at=False))


def test_one_moment_tells_no_beginning() -> None:
    assert said(*with_counts(5)) == ""


def test_the_rate_and_the_work_are_told() -> None:
    text = said(rich(), leak())
    assert "Measured rate: +41.2 per hour (goroutines)." in text
    assert "+1 per `POST /x` (goroutines)." in text


def test_the_age_of_the_oldest_is_dated_by_the_dump() -> None:
    diagnosis, found = with_counts(5)
    stuck = Evidence("stuck", Text("goroutines.stuck", {"minutes": 90, "state": "chan send"}), LAST)
    found = replace(found, suspect=replace(found.suspect, evidence=(stuck,)))
    assert "for 90 min, since about 2026-03-01 10:30:00Z" in said(diagnosis, found)
    undated = replace(diagnosis, moments=())
    assert said(undated, found) == "The oldest has been blocked for 90 min."
    seen, begun = with_counts(0, 5)  # when it began is known to the moment; ages are not to the minute
    begun = replace(begun, suspect=replace(begun.suspect, evidence=(stuck,)))
    assert said(seen, begun).endswith("The oldest has been blocked for 90 min.")
    before, stood = with_counts(3, 5)  # there at 12:00; the dump is of 12:01
    before = replace(before, moments=(replace(before.moments[0], inputs=()), before.moments[1]))
    stood = replace(stood, suspect=replace(stood.suspect, evidence=(stuck,)))
    assert said(before, stood).endswith("since about 2026-03-01 10:31:00Z.")
    late = replace(stuck, claim=Text("goroutines.stuck", {"minutes": 0, "state": "chan send"}))
    stood = replace(stood, suspect=replace(stood.suspect, evidence=(late,)))
    assert said(before, stood).endswith("The oldest has been blocked for 0 min."), "ages are coarse"
    endless = replace(stuck, claim=Text("goroutines.stuck", {"minutes": 1 << 60, "state": "x"}))
    found = replace(found, suspect=replace(found.suspect, evidence=(endless,)))
    assert "The oldest has been blocked for" in said(diagnosis, found)


def test_counts_that_fit_no_moments_are_not_dated() -> None:
    diagnosis, found = with_counts(0, 40)
    odd = replace(found.suspect.growth[0], counts=(0, 1, 2, 3, 4, 5))
    assert dated(diagnosis, "p1", odd) == ()


def test_counts_of_the_past_are_aligned_with_the_time_line() -> None:
    diagnosis, found = with_counts(0, 40)
    points = tuple(Point("p1", LATER + timedelta(hours=at), f"h{at}", captured=False) for at in range(4))
    values = dated(replace(diagnosis, timeline=points), "p1", replace(found.suspect.growth[0], counts=(0, 0, 3, 9)))
    assert [one.label for one in values] == ["h0", "h1", "h2", "h3"]
    assert began(values) == 2


def test_a_recorded_leak_in_both_languages() -> None:
    diagnosis = diagnosed("leaking")
    assert "Started between" in said(diagnosis, diagnosis.findings[0])
    assert "始于" in said(diagnosis, diagnosis.findings[0], "zh")


def test_charts_and_table_mark_where_a_finding_is_first_seen() -> None:
    for lang, told in (("en", "first seen: finding 1"), ("zh", "首次出现：问题 1")):
        page = compose(diagnosed("series"), lang)
        (timeline,) = [part for part in page.sections if part.anchor == "timeline"]
        charts = [one for one in timeline.blocks if isinstance(one, Chart)]
        assert len(charts) == 3
        for chart in charts:
            assert [point.began for point in chart.series[0].points] == ["", told, "", "", ""]
        assert f'text-anchor="start">{told}</text>' in render(page)
    (first, *_) = diagnosed("series").findings
    assert beginnings(diagnosed("series"), "p1", (first,)) == {diagnosed("series").moments[1].label: [first]}
    assert beginnings(diagnosed("series"), "p2", (first,)) == {}


def test_the_process_that_is_sick_stands_first() -> None:
    told = diagnosed("peers")
    sick = next(row for row in told.processes if row.id == told.findings[0].suspect.sites[0].process)
    assert told.processes[0] != sick
    assert worst_first(told)[0] == sick
    assert compose(told, "en").about[0].startswith(f"{sick.name}: ")
    assert incident(told, "en").about[0].startswith(f"{sick.name} ")
